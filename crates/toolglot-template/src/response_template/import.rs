//! Converts a `response_template` to a dialect file.

use toolglot::Dialect;
use toolglot_json::{Map, Value as Json};

use super::regex::{Node, read};
use super::spec::{CALLS, CONTENT, Inexpressible, REASONING};
use crate::derive::quoted;

type Result<T> = std::result::Result<T, Inexpressible>;

/// Converts a `response_template` to the text of a dialect file named `name`.
///
/// `text` is the template as JSON, or a tokenizer's configuration that contains one.
///
/// # Errors
/// If the template is invalid or a dialect file cannot express it; the error names the field and the construct.
///
/// # Example
/// ```
/// use toolglot_template::response_template::import;
/// let template = r#"{"start_anchor": "<|bot|>", "fields": {"content": {}, "tool_calls": {"open": "<call>", "close": "</call>",
///     "content": "json", "repeats": true, "transform": {"type": "function", "function": "{content}"}}}}"#;
/// assert!(import("mine", template)?.contains("call = \"<call>{call}</call>\""));
/// # Ok::<(), toolglot_template::response_template::Inexpressible>(())
/// ```
pub fn import(name: &str, text: &str) -> Result<String> {
    let whole: Json = toolglot_json::from_str(text)
        .map_err(|error| Inexpressible::new("response_template", error.to_string(), "expected JSON"))?;
    let template = whole.get("response_template").unwrap_or(&whole);
    let fields = checked(template)?;
    let mut file = Imported {
        lines: vec![format!("about = {}", quoted(&format!("{name}: imported from a response template.")))],
        ..Imported::default()
    };
    for (field, spec) in fields {
        match field.as_str() {
            CALLS => file.calls(field, spec)?,
            CONTENT => file.region(field, "content", spec)?,
            reasoning if REASONING.contains(&reasoning) => file.region(field, "reasoning", spec)?,
            other => return Err(refused(other, other, "dialects only have reasoning, content and calls")),
        }
    }
    let source = file.source();
    match Dialect::from_toml(name, &source) {
        Ok(_) => Ok(source),
        Err(error) => Err(refused(CALLS, &source, &error.to_string())),
    }
}

fn refused(field: &str, construct: &str, why: &str) -> Inexpressible {
    Inexpressible::new(format!("field `{field}`"), construct, why)
}

const KEYS: [&str; 5] = ["version", "defaults", "fields", "start_anchor", "start_anchor_pattern"];

const FIELD_KEYS: [&str; 11] = [
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
    "repeats",
    "join",
    "optional",
    "transform",
    "transform_each",
];

/// The fields of a template, and the errors for which its own parsers would reject it.
fn checked(template: &Json) -> Result<&Map> {
    let wrong = |construct: &str, why: &str| Err(Inexpressible::new("response_template", construct, why));
    let Some(members) = template.as_object() else { return wrong(&template.to_string(), "expected an object") };
    if let Some(key) = members.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return wrong(key, "unknown key");
    }
    if members.get("version").is_some_and(|version| *version != 1) {
        return wrong("version", "only version 1 is supported");
    }
    if !members.contains_key("start_anchor") && !members.contains_key("start_anchor_pattern") {
        return wrong("start_anchor", "`start_anchor` or `start_anchor_pattern` is required");
    }
    let Some(fields) = members.get("fields").and_then(Json::as_object).filter(|fields| !fields.is_empty()) else {
        return wrong("fields", "expected a non-empty object");
    };
    let mut implicit = None;
    for (name, field) in fields {
        let Some(field) = field.as_object() else {
            return Err(refused(name, &field.to_string(), "expected an object"));
        };
        if let Some(key) = field.keys().find(|key| !FIELD_KEYS.contains(&key.as_str())) {
            return Err(refused(name, key, "unknown key"));
        }
        if !field.contains_key("open") && !field.contains_key("open_pattern") && implicit.replace(name).is_some() {
            return Err(refused(name, "open", "only one field may omit its opener"));
        }
    }
    Ok(fields)
}

/// A dialect file that is being built.
#[derive(Default)]
struct Imported {
    lines: Vec<String>,
    words: Vec<(String, Vec<String>)>,
    skip: Vec<String>,
}

impl Imported {
    fn source(mut self) -> String {
        if !self.skip.is_empty() {
            self.lines.push(list("skip", &self.skip));
        }
        if !self.words.is_empty() {
            let words: Vec<String> =
                self.words.iter().map(|(name, texts)| format!("{name} = {}", list_of(texts))).collect();
            self.lines.push(format!("words = {{ {} }}", words.join(", ")));
        }
        self.lines.join("\n") + "\n"
    }

    /// A field of text: reasoning, or content in a wrapper.
    fn region(&mut self, field: &str, key: &str, spec: &Json) -> Result<()> {
        let parser = spec["content"].as_str().unwrap_or("text");
        if parser != "text" || spec.get("transform").is_some() {
            return Err(refused(field, parser, "reasoning and content must be text"));
        }
        let (open, close) = (anchor(field, spec, "open")?, anchor(field, spec, "close")?);
        match (open, close) {
            (None, close) if key == "content" => self.skip.extend(texts(field, &close.unwrap_or_default())?),
            (None, _) => {
                return Err(refused(
                    field,
                    "open",
                    "reasoning needs an opener; if the prompt contains it, use the parser's `reasoning_open` option",
                ));
            }
            (Some(_), None) => return Err(refused(field, "close", "the closer is missing")),
            (Some(open), Some(close)) => {
                let close = word_of(&texts(field, &close)?, "end", &mut self.words);
                // A look ahead opens what the prompt has opened: its closer says what that is.
                let open = match &open[..] {
                    [one] if one.contains(&Node::Ahead) => close.replacen("</", "<", 1),
                    _ => word_of(&texts(field, &open)?, "start", &mut self.words),
                };
                self.lines.push(format!("{key} = {}", quoted(&format!("{open}{{text}}{close}"))));
            }
        }
        Ok(())
    }

    fn calls(&mut self, field: &str, spec: &Json) -> Result<()> {
        let open =
            anchor(field, spec, "open")?.ok_or_else(|| refused(field, "open", "the opener of calls is missing"))?;
        let close = anchor(field, spec, "close")?.unwrap_or_default();
        let (body, is_list) = self.body(field, spec, &open)?;
        let Some((head, rest)) = open.split_first() else {
            return Err(refused(field, "open", "the opener of calls is missing"));
        };
        let mut head = head.clone();
        if !rest.is_empty()
            && !open.iter().all(|one| one.iter().all(|node| matches!(node, Node::Literal(_) | Node::Space)))
        {
            return Err(refused(field, "|", "an opener with placeholders cannot have alternatives"));
        }
        let mut tail = close.first().cloned().unwrap_or_default();
        if tail.first() == Some(&Node::Ahead) {
            tail.clear();
        }
        self.skip_ends(field, close.get(1..).unwrap_or_default())?;
        let section = section(&mut head, &mut tail);
        let open_text = if rest.is_empty() {
            self.notation(field, &head)?
        } else {
            word_of(&texts(field, &open)?, "opener", &mut self.words)
        };
        let close_text = self.notation(field, &tail)?;
        let (open_text, close_text) = (open_text.trim_end_matches('\n'), close_text.trim_matches('\n'));
        if is_list {
            self.lines.push(format!("section = {}", quoted(&format!("{open_text}[{{calls}}]{close_text}"))));
            self.lines.push(format!("call = {}", quoted(&body)));
            self.lines.push("join = \", \"".to_owned());
            return Ok(());
        }
        if let Some((before, behind)) = section {
            let (before, behind) = (self.notation(field, &before)?, self.notation(field, &behind)?);
            let pattern = format!("{}\n{{calls}}\n{}", before.trim(), behind.trim());
            self.lines.push(format!("section = {}", quoted(&pattern)));
        }
        self.lines.push(format!("call = {}", quoted(&format!("{open_text}{body}{close_text}"))));
        Ok(())
    }

    /// Further closers of calls are ends of turns.
    fn skip_ends(&mut self, field: &str, ends: &[Vec<Node>]) -> Result<()> {
        let ends: Vec<Vec<Node>> =
            ends.iter().filter(|end| !end.contains(&Node::Ahead) && !end.contains(&Node::End)).cloned().collect();
        let found = texts(field, &ends)?;
        self.skip.extend(found.into_iter().filter(|end| !end.is_empty()));
        self.skip.sort();
        self.skip.dedup();
        Ok(())
    }

    /// The body of a call, and whether it is one of a list.
    fn body(&mut self, field: &str, spec: &Json, open: &[Vec<Node>]) -> Result<(String, bool)> {
        let is_named = open.iter().any(|one| one.contains(&Node::Group("name".to_owned())));
        let function = &spec["transform"]["function"];
        let (name, arguments) = (path(&function["name"]), path(&function["arguments"]));
        let is_each = spec["transform_each"] == true;
        let arguments_of = &spec["content_args"];
        match spec["content"].as_str().unwrap_or("text") {
            "json" if is_named => match arguments_of["unquoted_keys"] == true {
                true => {
                    self.quote(field, arguments_of)?;
                    Ok(("{object}".to_owned(), false))
                }
                false => Ok(("{arguments}".to_owned(), false)),
            },
            "json" => {
                let members = name.zip(arguments).unwrap_or_else(|| ("name".to_owned(), "arguments".to_owned()));
                if members != ("name".to_owned(), "arguments".to_owned()) {
                    let (name, arguments) = (quoted(&members.0), quoted(&members.1));
                    self.lines.push(format!("json = {{ name = [{name}], arguments = [{arguments}] }}"));
                }
                Ok(("{call}".to_owned(), is_each))
            }
            "python-call-list" => Ok(("{name}({kwargs})".to_owned(), true)),
            "xml-inline" => {
                let tag = arguments_of["tag_pattern"]
                    .as_str()
                    .ok_or_else(|| refused(field, "tag_pattern", "the pattern is missing"))?;
                let param = self.param(field, tag)?;
                self.lines.push(format!("param = {}", quoted(&param)));
                Ok(("{params}".to_owned(), false))
            }
            "kv-lines" => {
                let is = |key: &str, usual: &str| arguments_of[key].as_str().unwrap_or(usual) == usual;
                match is("line_sep", "\n") && is("kv_sep", ":") {
                    true => Ok(("\n{lines}".to_owned(), false)),
                    false => Err(refused(field, "kv-lines", "lines must have the form `key: value`")),
                }
            }
            other => Err(refused(field, other, "no call body supports this parser")),
        }
    }

    fn quote(&mut self, field: &str, arguments: &Json) -> Result<()> {
        let quotes = arguments["string_delims"].as_array().cloned().unwrap_or_default();
        match &quotes[..] {
            [] => Ok(()),
            [pair] if pair[0] == pair[1] => {
                self.lines.push(format!("quote = {}", quoted(pair[0].as_str().unwrap_or_default())));
                Ok(())
            }
            _ => Err(refused(field, "string_delims", "a dialect needs the same delimiter on both sides of a string")),
        }
    }

    fn param(&mut self, field: &str, tag: &str) -> Result<String> {
        let nodes = self.read(field, tag)?;
        let [nodes] = &nodes[..] else { return Err(refused(field, tag, "a tag cannot have alternatives")) };
        let is_value = |node: Option<&Node>| matches!(node, Some(Node::Group(name)) if name == "value");
        // What may surround a value is CDATA.
        let mut is_cdata = false;
        let kept: Vec<Node> = nodes.iter().filter(|node| {
            let is = matches!(node, Node::OneOf(all, true) if all.iter().flatten().any(|node| matches!(node, Node::Literal(text) if text.contains("CDATA") || text == "]]>")));
            is_cdata |= is;
            !is
        }).cloned().collect();
        let text = self.notation(field, &kept)?;
        let at = kept
            .iter()
            .position(|node| is_value(Some(node)))
            .ok_or_else(|| refused(field, tag, "the group `value` is missing"))?;
        let is_last = at + 1 == kept.len();
        if is_last {
            return Err(refused(field, tag, "the closer of the value is missing"));
        }
        Ok(if is_cdata { text.replace("{value}", "{value:trim,cdata}") } else { text })
    }

    fn read(&self, field: &str, pattern: &str) -> Result<Vec<Vec<Node>>> {
        read(pattern).map_err(|construct| refused(field, &construct, "patterns do not support this construct"))
    }

    /// The text of a pattern.
    fn notation(&mut self, field: &str, nodes: &[Node]) -> Result<String> {
        let mut out = String::new();
        for node in nodes {
            match node {
                Node::Literal(text) => out.push_str(&braces(text)),
                Node::Space => out.push('\n'),
                Node::Any => out.push_str("{_}"),
                Node::Digits => out.push_str("{index}"),
                Node::Group(name) | Node::Again(name) if ["name", "key", "value"].contains(&name.as_str()) => {
                    out.push_str(&format!("{{{name}}}"))
                }
                Node::Group(name) | Node::Again(name) => {
                    return Err(refused(field, name, "the only groups supported are `name`, `key` and `value`"));
                }
                Node::OneOf(all, is_optional) => {
                    let mut spellings = texts(field, all)?;
                    if *is_optional {
                        spellings.push(String::new());
                    }
                    out.push_str(&word_of(&spellings, "word", &mut self.words));
                }
                Node::Ahead | Node::End => {}
            }
        }
        Ok(out)
    }
}

/// Removes the section's markers from a call's, if both may be missing.
fn section(head: &mut Vec<Node>, tail: &mut Vec<Node>) -> Option<(Vec<Node>, Vec<Node>)> {
    let Some(Node::OneOf(before, true)) = head.first() else { return None };
    let behind = tail.iter().position(|node| matches!(node, Node::OneOf(_, true)));
    let [before] = &before[..] else { return None };
    let before = before.clone();
    let behind = match behind.map(|at| tail.remove(at)) {
        Some(Node::OneOf(behind, _)) => behind.into_iter().next().unwrap_or_default(),
        _ => return None,
    };
    head.remove(0);
    Some((before, behind))
}

/// The opener or the closer of a field, literal or pattern.
fn anchor(field: &str, spec: &Json, key: &str) -> Result<Option<Vec<Vec<Node>>>> {
    let pattern = format!("{key}_pattern");
    match (&spec[key], spec[pattern.as_str()].as_str()) {
        (Json::Null, None) => Ok(None),
        (Json::Null, Some(pattern)) => read(pattern)
            .map(Some)
            .map_err(|construct| refused(field, &construct, "patterns do not support this construct")),
        (Json::String(text), None) => Ok(Some(vec![vec![Node::Literal(text.clone())]])),
        (Json::Array(all), None) => {
            Ok(Some(all.iter().filter_map(|text| Some(vec![Node::Literal(text.as_str()?.to_owned())])).collect()))
        }
        _ => Err(refused(field, key, "expected either a literal, a list of literals or a pattern")),
    }
}

/// The texts that alternatives of literals and white space represent.
fn texts(field: &str, all: &[Vec<Node>]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for one in all {
        let mut starts = vec![String::new()];
        for (at, node) in one.iter().enumerate() {
            let is_edge = at == 0 || at + 1 == one.len();
            let next = match node {
                Node::Literal(text) => vec![text.clone()],
                Node::Space if is_edge && one.len() > 1 => vec![String::new()],
                Node::Space => vec![" ".to_owned()],
                Node::OneOf(inner, is_optional) => {
                    let mut inner = texts(field, inner)?;
                    inner.extend(is_optional.then(String::new));
                    inner
                }
                Node::Ahead | Node::End => vec![String::new()],
                _ => return Err(refused(field, &format!("{node:?}"), "alternatives must be plain text")),
            };
            starts = starts.iter().flat_map(|start| next.iter().map(move |text| format!("{start}{text}"))).collect();
        }
        found.extend(starts);
    }
    Ok(found)
}

/// A text, or a word with several spellings.
fn word_of(texts: &[String], name: &str, words: &mut Vec<(String, Vec<String>)>) -> String {
    if let [one] = texts {
        return braces(one);
    }
    if let Some((known, _)) = words.iter().find(|(_, known)| known == texts) {
        return format!("{{{known}}}");
    }
    let count = words.iter().filter(|(known, _)| known.starts_with(name)).count();
    let name = if count == 0 { name.to_owned() } else { format!("{name}_{}", count + 1) };
    words.push((name.clone(), texts.to_vec()));
    format!("{{{name}}}")
}

fn braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The last member of a placeholder such as `{content.args}`.
fn path(placeholder: &Json) -> Option<String> {
    let inside = placeholder.as_str()?.strip_prefix('{')?.strip_suffix('}')?;
    Some(inside.rsplit('.').next()?.to_owned())
}

fn list(key: &str, texts: &[String]) -> String {
    format!("{key} = {}", list_of(texts))
}

fn list_of(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}
