//! The section of a prompt that describes the tools and how to call them.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use serde::Serialize as _;
use serde_json::ser::{Formatter, Serializer};
use toolglot::{Dialect, Renderer, Rendering, Tools};
use toolglot_json::{Map, Value};

use crate::demand::tools;
use crate::members::list;

/// Returns the section for a chat request; nothing if it declares no tools or forbids calls.
pub(super) fn of(request: &Map, dialect: &Arc<Dialect>) -> Option<String> {
    let declared: Vec<&Value> = tools(request).iter().filter(|tool| tool.get("function").is_some()).collect();
    let choice = &request["tool_choice"];
    if declared.is_empty() || choice == "none" {
        return None;
    }
    let named = choice["function"]["name"].as_str();
    let is_named = |tool: &&Value| named.is_some() && tool["function"]["name"].as_str() == named;
    let first = declared.iter().copied().filter(is_named);
    let others = declared.iter().copied().filter(|tool| !is_named(tool));
    let teach = dialect.teach();
    let list: Vec<String> = first.chain(others).map(|tool| one(teach.tool(), &tool["function"], tool)).collect();
    let mut text = teach.tools().replace("{example}", &example(dialect)).replace("{tools}", &list.join("\n"));
    if let Some(name) = named {
        let _ = write!(text, "\n\nCall the function `{name}` now.");
    } else if choice == "required" {
        text.push_str("\n\nYou must call at least one function now.");
    }
    if request.get("parallel_tool_calls") == Some(&Value::Bool(false)) {
        text.push_str("\n\nCall only one function at a time.");
    }
    Some(text)
}

/// Returns an example of a call, with as many parameters as the dialect can write.
fn example(dialect: &Arc<Dialect>) -> String {
    let renderer = Renderer::new(dialect, &Tools::default());
    let arguments = [
        r#"{"example_parameter_1": "value_1", "example_parameter_2": "value_2"}"#,
        r#"{"example_parameter_1": "value_1"}"#,
        "{}",
    ];
    let write = |checked: bool| {
        let renderer = renderer.clone().with_check(checked);
        let written =
            |arguments: &&str| renderer.render(&Rendering::new().with_call("example_function_name", arguments)).ok();
        arguments.iter().find_map(written)
    };
    write(true).or_else(|| write(false)).unwrap_or_default()
}

/// Writes one tool.
fn one(form: &str, function: &Value, tool: &Value) -> String {
    match form {
        "{json}" => spaced(tool),
        "{xml}" => xml(function),
        "{typescript}" => typescript(function),
        form => form.replace("{function}", &spaced(function)).replace("{json}", &spaced(tool)),
    }
}

/// Returns JSON as most templates write it, with a space after each comma and colon.
fn spaced(value: &Value) -> String {
    /// The formatter for this JSON.
    struct SpacedJson;
    impl Formatter for SpacedJson {
        fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
            writer.write_all(if first { b"" } else { b", " })
        }
        fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
            writer.write_all(if first { b"" } else { b", " })
        }
        fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
            writer.write_all(b": ")
        }
    }
    let mut bytes = Vec::new();
    // Writing a value to memory cannot fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, SpacedJson));
    String::from_utf8(bytes).unwrap_or_default()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Writes a tool as Qwen3-Coder's template does: the fields that it knows, then the rest of the schema.
fn xml(function: &Value) -> String {
    let mut out = format!("<function>\n<name>{}</name>", text(function, "name"));
    if let Some(about) = function["description"].as_str() {
        let _ = write!(out, "\n<description>{}</description>", about.trim());
    }
    out.push_str("\n<parameters>");
    let schema = &function["parameters"];
    for (name, parameter) in schema["properties"].as_object().into_iter().flatten() {
        let _ = write!(out, "\n<parameter>\n<name>{name}</name>");
        rest_of(parameter, &[], &mut out);
        out.push_str("\n</parameter>");
    }
    rest_of(schema, &["type", "properties"], &mut out);
    out.push_str("\n</parameters>");
    rest_of(function, &["type", "name", "description", "parameters"], &mut out);
    out + "\n</function>"
}

fn rest_of(value: &Value, known: &[&str], out: &mut String) {
    for (key, value) in value.as_object().into_iter().flatten().filter(|(key, _)| !known.contains(&key.as_str())) {
        let value = value.as_str().map_or_else(|| spaced(value), |text| text.trim().to_owned());
        let _ = write!(out, "\n<{key}>{value}</{key}>");
    }
}

/// Writes a tool as a function type, the shortest form.
fn typescript(function: &Value) -> String {
    let about = text(function, "description").trim().replace('\n', "\n// ");
    let about = if about.is_empty() { String::new() } else { format!("// {about}\n") };
    let schema = &function["parameters"];
    format!("{about}type {} = (_: {}) => any;", text(function, "name"), typed(schema, 0))
}

/// Deeper schemas are `any`, since they would be unreadable.
const MAX_DEPTH: usize = 6;

fn typed(schema: &Value, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return "any".to_owned();
    }
    let inner = |schema: &Value| typed(schema, depth + 1);
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let either = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array());
    if let Some(schemas) = either {
        return schemas.iter().map(inner).collect::<Vec<_>>().join(" | ");
    }
    if let Some(kinds) = schema["type"].as_array() {
        let one = |kind: &Value| inner(&toolglot_json::json!({"type": kind, "items": schema.get("items")}));
        return kinds.iter().map(one).collect::<Vec<_>>().join(" | ");
    }
    match text(schema, "type") {
        "integer" | "number" => "number".to_owned(),
        kind @ ("string" | "boolean" | "null") => kind.to_owned(),
        "array" => format!("({})[]", schema.get("items").map_or_else(|| "any".to_owned(), inner)),
        _ => members(schema, depth),
    }
}

fn members(schema: &Value, depth: usize) -> String {
    let Some(properties) = schema["properties"].as_object() else { return "object".to_owned() };
    let required = list(&schema["required"]);
    let member = |(name, schema): (&String, &Value)| {
        let mark = if required.iter().any(|required| *required == **name) { "" } else { "?" };
        let about = text(schema, "description").trim().replace("*/", "* /");
        let about = if about.is_empty() { String::new() } else { format!(" /* {about} */") };
        format!("{name}{mark}: {}{about}", typed(schema, depth + 1))
    };
    format!("{{{}}}", properties.iter().map(member).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolglot_json::json;

    #[test]
    fn a_tool_is_written_in_every_form() {
        let tool = json!({"type": "function", "function": {"name": "ping", "description": "Ping a host.", "parameters": {
            "type": "object", "required": ["host"], "properties": {
                "host": {"type": "string", "description": "The host."},
                "count": {"type": ["integer", "null"]}, "how": {"enum": ["a", 1]}}}}});
        let inner = &tool["function"];
        assert_eq!(
            one("{typescript}", inner, &tool),
            "// Ping a host.\ntype ping = (_: {host: string /* The host. */, count?: number | null, how?: \"a\" | 1}) => any;"
        );
        assert_eq!(one("<t>{function}</t>", &json!({"a": [1, 2]}), &tool), r#"<t>{"a": [1, 2]}</t>"#);
        let xml = one("{xml}", inner, &tool);
        assert!(xml.contains("<name>host</name>\n<type>string</type>\n<description>The host.</description>"), "{xml}");
        assert!(xml.ends_with("<required>[\"host\"]</required>\n</parameters>\n</function>"), "{xml}");
    }
}
