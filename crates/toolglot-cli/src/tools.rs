//! Reads the declared tools from a file, and reports errors in it.

use std::path::Path;

use toolglot::Tools;
use toolglot_json::{Map, Value};

use crate::failure::Failure;
use crate::input;
use crate::json;
use crate::near::did_you_mean;

/// Reads the file of declared tools, if there is one.
pub(crate) fn read(path: Option<&Path>) -> Result<Tools, Failure> {
    let Some(path) = path else { return Ok(Tools::default()) };
    if input::is_stdin(path) {
        return Err(Failure::Usage("`--tools` cannot read stdin, which is the input; pass a file".into()));
    }
    let text = input::read_text(path)?;
    let tools = from_text(&text).map_err(|why| unusable(path, &why))?;
    if tools.is_empty() {
        return Err(unusable(path, "it declares no tools; declare at least one, or omit `--tools`"));
    }
    Ok(tools)
}

/// Returns only the tool of a name; without a name, there must be only one.
pub(crate) fn only(tools: &Tools, name: Option<&str>) -> Result<Tools, String> {
    let names: Vec<&str> = tools.names().collect();
    match (name, &names[..]) {
        (Some(name), _) if tools.resolve(name).is_some() => Ok(tools.only_named(name)),
        (Some(name), _) => {
            Err(format!("unknown tool `{name}`{}", did_you_mean(name, names.iter().copied(), "declared tools:")))
        }
        (None, [] | [_]) => Ok(tools.clone()),
        (None, _) => Err(format!("{} tools are declared; name one with `--tool`: {}", names.len(), names.join(", "))),
    }
}

/// Reads tools from JSON text; blank text and misspelled keys are errors, since people write these files.
fn from_text(text: &str) -> Result<Tools, String> {
    if text.trim().is_empty() {
        return Err("it is empty; expected a list of tools, as in a chat request".into());
    }
    let value: Value =
        toolglot_json::from_str(text).map_err(|error| format!("it is not valid JSON ({})", json::fault(&error)))?;
    misspelled(&value)?;
    Tools::from_json(&(&value).into()).map_err(|error| error.to_string())
}

/// Keys of any vendor's declarations.
const KNOWN: &[&str] =
    &["name", "description", "parameters", "input_schema", "inputSchema", "parametersJsonSchema", "function", "type"];

/// What people write for `parameters`.
const MISTAKEN: &[&str] = &["params", "args", "arguments", "schema", "input", "inputs", "json_schema"];

/// Reports a key that looks like a misspelled `name`, `parameters` or `tools`, if the right one is missing.
fn misspelled(value: &Value) -> Result<(), String> {
    let wrong = |found: &str, meant: &str| Err(format!("unknown key `{found}`; did you mean `{meant}`?"));
    match value {
        Value::Array(entries) => entries
            .iter()
            .enumerate()
            .try_for_each(|(at, entry)| misspelled(entry).map_err(|why| format!("tool {at}: {why}"))),
        Value::Object(object) => {
            if let Some(function) = object.get("function").filter(|function| function.is_object()) {
                return misspelled(function);
            }
            let list = object.iter().find(|(key, value)| {
                value.is_array() && !object.contains_key("tools") && near(key, &["tools", "functions"]).is_some()
            });
            if let Some((key, _)) = list {
                return wrong(key, near(key, &["tools", "functions"]).unwrap_or("tools"));
            }
            match lacking(object) {
                Some((found, meant)) => wrong(found, meant),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// The misspelled key of a declaration that lacks its name or its schema.
fn lacking(tool: &Map) -> Option<(&str, &'static str)> {
    const SCHEMAS: &[&str] = &["parameters", "input_schema", "inputSchema", "parametersJsonSchema"];
    let is_tool = tool.get("name").is_some_and(Value::is_string);
    let unknown = || tool.iter().filter(|(key, _)| !KNOWN.contains(&key.as_str()));
    if is_tool && !SCHEMAS.iter().any(|key| tool.contains_key(key)) {
        let mut schemas = unknown().filter(|(_, value)| value.is_object() || value.is_string());
        return schemas.find_map(|(key, _)| {
            let meant = if MISTAKEN.contains(&key.as_str()) { Some("parameters") } else { near(key, SCHEMAS) };
            Some((key.as_str(), meant?))
        });
    }
    let is_nameless = !is_tool && SCHEMAS.iter().any(|key| tool.contains_key(key));
    let mut names = unknown().filter(|(_, value)| value.is_string() && is_nameless);
    names.find_map(|(key, _)| Some((key.as_str(), near(key, &["name"])?)))
}

/// The word within two edits of a key, if it is not the key itself.
fn near(key: &str, words: &[&'static str]) -> Option<&'static str> {
    words.iter().copied().find(|word| *word != key && strsim::osa_distance(key, word) <= 2)
}

fn unusable(path: &Path, why: &str) -> Failure {
    Failure::Usage(format!("cannot use the tools in `{}`: {why}", path.display()))
}
