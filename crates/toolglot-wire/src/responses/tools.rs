//! Converts the tools of a Responses request to chat tools, and the names of chat tools back.

use toolglot_json::{Map, Value, json};

use crate::members::{legal, list, put};

/// The longest name in a chat request.
const MAX_NAME: usize = 64;

/// The tools of a request, as chat tools.
#[derive(Clone, Debug, Default)]
pub(super) struct Toolbox {
    tools: Vec<ToolPair>,
}

/// A tool in both protocols.
#[derive(Clone, Debug)]
pub(super) struct ToolPair {
    /// Its name in a chat request.
    chat_name: String,
    /// Its name in the Responses request.
    pub(super) name: String,
    /// The namespace in which it is declared.
    pub(super) namespace: Option<String>,
    /// Its declaration in a chat request.
    definition: Value,
    /// Whether it is the client's search for further tools, which has its own types of items.
    pub(super) is_search: bool,
}

/// The name of the client's search for further tools in a chat request.
pub(super) const SEARCH: &str = "tool_search";

impl Toolbox {
    /// Reads the tools of a request; those that chat servers cannot have are omitted with a note.
    pub(super) fn read(request: &Map, notes: &mut Vec<String>) -> Self {
        let mut toolbox = Self::default();
        for (tool, namespace) in listed(&request["tools"]) {
            toolbox.add(tool, namespace, notes);
        }
        toolbox.add_found(request);
        toolbox
    }

    /// Adds the tools that earlier searches found.
    fn add_found(&mut self, request: &Map) {
        let found = list(&request["input"]).iter().filter(|item| kind(item) == "tool_search_output");
        for (tool, namespace) in found.flat_map(|item| listed(&item["tools"])) {
            let is_known = |name| self.tools.iter().any(|it| it.name == name && it.namespace.as_deref() == namespace);
            if !text(tool, "name").is_some_and(is_known) {
                // No notes: the result of the search names tools of other types, too.
                self.add(tool, namespace, &mut Vec::new());
            }
        }
    }

    /// Returns the declarations of the tools that the choice allows.
    pub(super) fn definitions(&self, choice: &ToolChoice) -> Vec<Value> {
        let allowed = |tool: &&ToolPair| choice.allowed.as_ref().is_none_or(|names| names.contains(&tool.chat_name));
        self.tools.iter().filter(allowed).map(|tool| tool.definition.clone()).collect()
    }

    /// Returns the tool with this name in the chat request.
    pub(super) fn find(&self, chat_name: &str) -> Option<&ToolPair> {
        self.tools.iter().find(|tool| tool.chat_name == chat_name)
    }

    /// Returns the chat name of a tool, which need not be declared.
    pub(super) fn chat_name(&self, name: &str, namespace: Option<&str>) -> String {
        let found = self.tools.iter().find(|tool| tool.name == name && tool.namespace.as_deref() == namespace);
        found.map_or_else(|| flat_name(name, namespace), |tool| tool.chat_name.clone())
    }

    /// Returns the chat name of the declared tool that a choice names.
    fn named(&self, choice: &Value) -> Option<String> {
        let name = text(choice, "name").or_else(|| choice.get("function").and_then(|inner| text(inner, "name")))?;
        let chat_name = self.chat_name(name, text(choice, "namespace"));
        self.find(&chat_name).map(|tool| tool.chat_name.clone())
    }

    fn add(&mut self, tool: &Value, namespace: Option<&str>, notes: &mut Vec<String>) {
        let custom = kind(tool) == "custom";
        let is_search = kind(tool) == SEARCH && text(tool, "execution") == Some("client");
        let inner = tool.get(kind(tool)).filter(|inner| inner.is_object()).unwrap_or(tool);
        let named = text(inner, "name").filter(|_| custom || kind(tool) == "function");
        let Some(name) = named.or_else(|| is_search.then_some(SEARCH)) else {
            notes.push(format!("tool of type `{}` omitted: only its vendor's server can run it", kind(tool)));
            return;
        };
        let mut chat_name = flat_name(name, namespace);
        if self.find(&chat_name).is_some() {
            if namespace.is_none() {
                notes.push(format!("tool `{name}` omitted: it is declared twice"));
                return;
            }
            chat_name = shortened(&format!("{chat_name}/{}", self.tools.len()));
        }
        let definition = match custom {
            true => json!({"type": "custom", "custom": custom_tool(inner, &chat_name)}),
            false => json!({"type": "function", "function": function(inner, &chat_name)}),
        };
        let (name, namespace) = (name.to_owned(), namespace.map(str::to_owned));
        self.tools.push(ToolPair { chat_name, name, namespace, definition, is_search });
    }
}

/// A `tool_choice`, converted for a chat request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolChoice {
    /// The value of `tool_choice`.
    pub(super) chat: Option<Value>,
    /// The chat names of the allowed tools, if they are restricted.
    allowed: Option<Vec<String>>,
}

impl ToolChoice {
    /// Reads the choice of a request; one that names no available tool is omitted.
    pub(super) fn read(request: &Map, toolbox: &Toolbox, notes: &mut Vec<String>) -> Self {
        let Some(choice) = request.get("tool_choice").filter(|choice| !choice.is_null()) else {
            return Self::default();
        };
        if choice.is_string() {
            return Self { chat: Some(choice.clone()), allowed: None };
        }
        if kind(choice) == "allowed_tools" {
            // In the form of Chat Completions, the fields are nested.
            let inner = choice.get("allowed_tools").unwrap_or(choice);
            let mode = text(inner, "mode").unwrap_or("auto");
            let allowed = list(&inner["tools"]).iter().filter_map(|tool| toolbox.named(tool)).collect();
            return Self { chat: Some(Value::from(mode)), allowed: Some(allowed) };
        }
        let Some(name) = toolbox.named(choice) else {
            notes.push(format!("`tool_choice` of type `{}` omitted: it names no available tool", kind(choice)));
            return Self::default();
        };
        let kind = if kind(choice) == "custom" { "custom" } else { "function" };
        Self { chat: Some(json!({"type": kind, kind: {"name": name}})), allowed: None }
    }
}

/// Returns the inner part of a function in a chat request.
fn function(tool: &Value, chat_name: &str) -> Value {
    let mut function = Map::from_iter([("name".to_owned(), Value::from(chat_name))]);
    let parameters = tool.get("parameters").filter(|parameters| parameters.is_object()).cloned();
    put(&mut function, "description", tool["description"].clone());
    put(&mut function, "parameters", parameters.unwrap_or_else(|| json!({"type": "object", "properties": {}})));
    put(&mut function, "strict", tool["strict"].clone());
    Value::Object(function)
}

/// Returns the inner part of a free-text tool in a chat request, where its grammar is nested one level deeper.
fn custom_tool(tool: &Value, chat_name: &str) -> Value {
    let mut custom = Map::from_iter([("name".to_owned(), Value::from(chat_name))]);
    put(&mut custom, "description", text(tool, "description"));
    let format = tool["format"].as_object().map(|format| match format.contains_key("definition") {
        true => {
            let grammar: Map = format.clone().into_iter().filter(|(key, _)| key != "type").collect();
            json!({"type": "grammar", "grammar": grammar})
        }
        false => Value::Object(format.clone()),
    });
    put(&mut custom, "format", format);
    Value::Object(custom)
}

/// Returns the chat name of a tool: namespaces become prefixes.
fn flat_name(name: &str, namespace: Option<&str>) -> String {
    let Some(namespace) = namespace else { return name.to_owned() };
    let gap = if namespace.ends_with("__") { "" } else { "__" };
    let full = format!("{namespace}{gap}{name}");
    if full.len() <= MAX_NAME && legal(&full) == full { full } else { shortened(&full) }
}

/// Returns a valid name for a long or invalid one: its end, which is most specific, and a hash.
fn shortened(full: &str) -> String {
    let legal = legal(full);
    let tail = &legal[legal.len().saturating_sub(MAX_NAME - 10)..];
    format!("{tail}_{:08x}", toolglot::seed_of(full.as_bytes()) & 0xFFFF_FFFF)
}

/// Returns the tools of a list, each with its namespace.
pub(super) fn listed(tools: &Value) -> impl Iterator<Item = (&Value, Option<&str>)> {
    list(tools).iter().flat_map(|tool| {
        let (namespace, inner, alone) = match kind(tool) {
            "namespace" => (text(tool, "name"), list(&tool["tools"]), None),
            _ => (None, &[][..], Some(tool)),
        };
        inner.iter().chain(alone).map(move |tool| (tool, namespace))
    })
}

/// Returns the type of an item, a part or a tool.
pub(super) fn kind(value: &Value) -> &str {
    text(value, "type").unwrap_or_default()
}

/// Returns the text of a field.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value[key].as_str()
}

/// Returns a string unchanged, and any other value as JSON text.
pub(super) fn json_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
