//! Required calls: of any tool, or of one. Few servers enforce them, so the answer is checked.

use std::sync::Arc;

use toolglot::{Dialect, Dialects, Renderer, Rendering, Tools};
use toolglot_json::{Map, Value, json};

use crate::fault::{Fault, FaultKind};
use crate::members::list;
use crate::protocol::Protocol;
use crate::response_event::{Part, ResponseEvent};

/// The call that a client requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// A call of any tool.
    Call,
    /// A call of the tool with this name.
    Named(String),
}

/// The dialect of answers that a JSON Schema shaped.
pub(crate) const SHAPED: &str = "bare_json";

impl Demand {
    /// Reads the `tool_choice` of a chat request.
    pub(crate) fn of(request: &Map) -> Option<Self> {
        let choice = request.get("tool_choice")?;
        let inner = ["function", "custom"].iter().find_map(|key| choice.get(*key)?.get("name")?.as_str());
        match (choice.as_str(), inner) {
            (Some("required"), _) => Some(Self::Call),
            (_, Some(name)) => Some(Self::Named(name.to_owned())),
            // The Responses API has no member around the mode, and Chat Completions servers take that form, too.
            _ if choice["type"] == "allowed_tools"
                && choice.get("allowed_tools").unwrap_or(choice)["mode"] == "required" =>
            {
                Some(Self::Call)
            }
            _ => None,
        }
    }

    /// Returns whether a call of this tool meets the demand.
    pub(crate) fn is_met_by(&self, name: &str) -> bool {
        match self {
            Self::Call => true,
            Self::Named(wanted) => wanted == name,
        }
    }

    /// Returns the instruction for a model that did not comply.
    fn instruction(&self, example: Option<&str>) -> String {
        let what = match self {
            Self::Call => "No function was called, but a call is required now.".to_owned(),
            Self::Named(name) => format!("The function `{name}` was not called, but its call is required now."),
        };
        let form = example.map_or(" ".to_owned(), |example| format!(" It has this form:\n\n{example}\n\n"));
        format!("{what}{form}Reply with the call only.")
    }
}

/// A required call in prompt mode: how to prefill it, how to show it to the model, and how to constrain the server.
#[derive(Clone, Debug)]
pub(crate) struct DemandPrompt {
    /// The beginning of the call, up to what the model has to choose.
    pub(crate) opening: String,
    /// A call as the model should write it.
    example: Option<String>,
    /// The same call as JSON, and the schema of all calls that meet the demand.
    shaped: Value,
    schema: Value,
}

impl DemandPrompt {
    /// Reads a chat request before its tools go into the prompt.
    ///
    /// # Errors
    /// If the required tool is not declared.
    pub(crate) fn new(request: &Map, demand: &Demand, dialect: &Arc<Dialect>) -> Result<Option<Self>, Fault> {
        let name = |tool: &Value| tool["function"]["name"].as_str().map(str::to_owned);
        let wanted: Vec<(String, &Value)> = tools(request)
            .iter()
            .filter_map(|tool| Some((name(tool)?, tool)))
            .filter(|(name, _)| demand.is_met_by(name))
            .collect();
        let Some((first, tool)) = wanted.first() else {
            let Demand::Named(name) = demand else { return Ok(None) };
            let message = format!(
                "`tool_choice` names the tool `{name}`, which `tools` does not declare; declare it, or change `tool_choice`"
            );
            return Err(Fault::new(FaultKind::Request, message));
        };
        let arguments = arguments_like(tool.pointer("/function/parameters").unwrap_or(&Value::Null));
        let declared = Tools::from_json(&[serde_json::Value::from(*tool)].into()).unwrap_or_default();
        let renderer = Renderer::new(dialect, &declared);
        let free = renderer.clone().with_check(false);
        let call = |renderer: &Renderer, arguments: &Value| {
            let arguments = arguments.to_string();
            renderer.render(&Rendering::new().with_call(first, &arguments)).ok()
        };
        let opening = match demand {
            // Three different objects, so that the shared start has nothing of the arguments.
            Demand::Named(_) => {
                shared_start(first, &[json!({}), json!({"a": 1}), json!({"b": "c"})].map(|it| call(&free, &it)))
            }
            Demand::Call => {
                call(&free, &arguments).and_then(|text| text.find(first.as_str()).map(|at| text[..at].to_owned()))
            }
        };
        let opening = opening.unwrap_or_default();
        let example = call(&renderer, &arguments);
        let schemas: Vec<Value> = wanted.iter().map(|(name, tool)| schema(name, tool)).collect();
        let shaped = json!({"name": first, "arguments": arguments});
        Ok(Some(Self { opening: opening.trim_end().to_owned(), example, shaped, schema: json!({"anyOf": schemas}) }))
    }
}

/// Returns the start that calls of a tool share, whatever their arguments are.
fn shared_start(name: &str, calls: &[Option<String>]) -> Option<String> {
    let mut calls = calls.iter().flatten();
    let mut start = calls.next()?.clone();
    for call in calls {
        let shared = start.char_indices().zip(call.chars()).take_while(|((_, a), b)| a == b).last();
        start.truncate(shared.map_or(0, |((at, letter), _)| at + letter.len_utf8()));
    }
    let named = start.find(name)? + name.len();
    // A token of the model may combine several of these characters, so the prefill must end before them.
    let end = start.trim_end_matches(['{', '[', '<', '"', ' ', '\n']).len();
    start.truncate(end.max(named));
    Some(start)
}

/// Returns arguments that match a schema, with neutral values.
fn arguments_like(schema: &Value) -> Value {
    let value = |schema: &Value| match schema["type"].as_str() {
        _ if schema.get("enum").is_some() => schema["enum"][0].clone(),
        Some("integer" | "number") => 1.into(),
        Some("boolean") => true.into(),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => "value".into(),
    };
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, schema)| (name.clone(), value(schema))).collect::<Map>().into()
}

/// Returns the schema of a tool's calls. Parameters with references are omitted, since the references would not resolve
/// inside this schema.
fn schema(name: &str, tool: &Value) -> Value {
    let parameters = tool.pointer("/function/parameters").filter(|schema| schema.is_object());
    let parameters = parameters.filter(|schema| !schema.to_string().contains("\"$ref\"")).cloned();
    json!({
        "type": "object",
        "properties": {"name": {"const": name}, "arguments": parameters.unwrap_or_else(|| json!({"type": "object"}))},
        "required": ["name", "arguments"],
        "additionalProperties": false,
    })
}

/// Adds the model's answer and a new instruction to a request in the server's protocol. Returns whether the server
/// constrains the answer, which `shapes` allows.
pub(crate) fn ask_again(
    request: &mut Map,
    upstream: Protocol,
    (answer, demand, prompt): (&str, &Demand, Option<&DemandPrompt>),
    shapes: bool,
) -> bool {
    let shaped = prompt.filter(|_| shapes);
    if let Some(prompt) = shaped {
        let schema = json!({"name": "call", "schema": prompt.schema});
        request["response_format"] = json!({"type": "json_schema", "json_schema": schema});
    }
    let json = shaped.map(|prompt| prompt.shaped.to_string());
    let instruction = demand.instruction(json.as_deref().or_else(|| prompt?.example.as_deref()));
    let key = if upstream == Protocol::Responses { "input" } else { "messages" };
    if let Some(text @ Value::String(_)) = request.get_mut(key) {
        *text = json!([{"role": "user", "content": text.take()}]);
    }
    let Some(Value::Array(messages)) = request.get_mut(key) else { return false };
    if !answer.trim().is_empty() {
        messages.push(json!({"role": "assistant", "content": answer.trim_end()}));
    } else if let Some(Value::String(text)) =
        messages.last_mut().filter(|it| it["role"] == "user").map(|it| &mut it["content"])
    {
        // Many templates refuse two messages of one role.
        text.push_str("\n\n");
        text.push_str(&instruction);
        return shaped.is_some();
    }
    messages.push(json!({"role": "user", "content": instruction}));
    shaped.is_some()
}

/// Removes the constraint, and shows the model's own form of the call instead.
pub(crate) fn unshape(request: &mut Map, demand: &Demand, prompt: &DemandPrompt) {
    request.remove("response_format");
    let json = demand.instruction(Some(&prompt.shaped.to_string()));
    let own = demand.instruction(prompt.example.as_deref());
    let last = request.get_mut("messages").and_then(|it| it.as_array_mut()?.last_mut());
    if let Some(Value::String(text)) = last.map(|message| &mut message["content"]) {
        *text = text.replace(&json, &own);
    }
}

/// Returns the dialects for an answer that the server may have constrained.
pub(crate) fn with_shaped(dialects: &Dialects) -> Dialects {
    let shaped = Dialects::builtin().get(SHAPED).cloned();
    // Last, because earlier dialects take precedence, and the server may ignore the schema.
    dialects.iter().cloned().chain(shaped).collect()
}

/// Holds back the start of an answer until it is known what it is.
pub(crate) trait HeldStart {
    /// Returns the text so far.
    fn text(&mut self) -> &mut String;

    /// Returns whether the text may still be what is looked for.
    fn is_open(&self) -> bool;

    /// Emits the text.
    fn flush(&mut self, out: &mut Vec<ResponseEvent>);

    /// Reads an event, and adds events to `out` that need not be held; returns whether nothing more will be held.
    fn push(&mut self, event: ResponseEvent, out: &mut Vec<ResponseEvent>) -> bool {
        match event {
            ResponseEvent::Part { choice: 0, part: Part::Text(text) } => {
                self.text().push_str(&text);
                let is_open = self.is_open();
                if !is_open {
                    self.flush(out);
                }
                !is_open
            }
            // These come before the text or do not belong to it.
            ResponseEvent::Part { choice: 1.., .. }
            | ResponseEvent::Part { part: Part::Reasoning(_) | Part::Logprobs(_) | Part::Own(_), .. }
            | ResponseEvent::Begin(_)
            | ResponseEvent::Usage(_)
            | ResponseEvent::Lost
            | ResponseEvent::Extra(_) => {
                out.push(event);
                false
            }
            event => {
                if !self.replace(&event, out) {
                    if !self.text().is_empty() {
                        self.flush(out);
                    }
                    out.push(event);
                }
                true
            }
        }
    }

    /// Emits what the text stands for, in place of the text and the event after it; returns whether it did.
    fn replace(&mut self, _after: &ResponseEvent, _out: &mut Vec<ResponseEvent>) -> bool {
        false
    }
}

/// Passes events through the holder, until it has nothing more to hold.
pub(crate) fn hold_start(holder: &mut Option<impl HeldStart>, events: &mut Vec<ResponseEvent>) {
    if let Some(inner) = holder {
        let mut rest = std::mem::take(events).into_iter();
        let is_settled = rest.by_ref().any(|event| inner.push(event, events));
        events.extend(rest);
        if is_settled {
            *holder = None;
        }
    }
}

/// Joins the prefill of a call with the model's continuation. Some servers repeat the prefill, and
/// some models begin anew.
#[derive(Debug)]
pub(crate) struct Opening {
    text: String,
    /// The text so far, while it may be the prefill.
    seen: String,
}

impl Opening {
    pub(crate) fn new(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self { text: text.to_owned(), seen: String::new() })
    }
}

impl HeldStart for Opening {
    fn text(&mut self) -> &mut String {
        &mut self.seen
    }

    fn is_open(&self) -> bool {
        self.text.len() > self.seen.len() && self.text.starts_with(&self.seen)
    }

    fn flush(&mut self, out: &mut Vec<ResponseEvent>) {
        let seen = std::mem::take(&mut self.seen);
        let text = if seen.starts_with(&self.text) { seen } else { format!("{}{seen}", self.text) };
        out.push(ResponseEvent::first(Part::Text(text)));
    }
}

/// Returns the declared tools.
pub(crate) fn tools(request: &Map) -> &[Value] {
    list(&request["tools"])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(dialect: &str, choice: Value) -> DemandPrompt {
        let tool = json!({"type": "function", "function": {"name": "ls", "parameters": {
            "type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}}}}});
        let request = json!({"tools": [tool], "tool_choice": choice}).as_object().cloned().unwrap();
        let dialect = Dialects::builtin().get(dialect).cloned().unwrap();
        DemandPrompt::new(&request, &Demand::of(&request).unwrap(), &dialect).unwrap().unwrap()
    }

    #[test]
    fn allowed_tools_demand_a_call_in_either_form() {
        let demand = |choice: Value| Demand::of(json!({"tool_choice": choice}).as_object().unwrap());
        let nested = |mode: &str| json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": []}});
        let flat = |mode: &str| json!({"type": "allowed_tools", "mode": mode, "tools": []});
        for choice in [nested("required"), flat("required")] {
            assert!(matches!(demand(choice.clone()), Some(Demand::Call)), "{choice}");
        }
        for choice in [nested("auto"), flat("auto")] {
            assert!(demand(choice.clone()).is_none(), "{choice}");
        }
    }

    #[test]
    fn a_call_is_begun_up_to_what_the_model_chooses() {
        let named = json!({"type": "function", "function": {"name": "ls"}});
        for (dialect, any, one) in [
            ("hermes", "<tool_call>\n{\"name\": \"", "<tool_call>\n{\"name\": \"ls\", \"arguments\":"),
            ("qwen3_coder", "<tool_call>\n<function=", "<tool_call>\n<function=ls>"),
            ("pythonic", "[", "[ls("),
            ("llama3_json", "<|python_tag|>{\"name\": \"", "<|python_tag|>{\"name\": \"ls\", \"parameters\":"),
        ] {
            assert_eq!(prompt(dialect, json!("required")).opening, any, "{dialect}");
            assert_eq!(prompt(dialect, named.clone()).opening, one, "{dialect}");
        }
    }

    #[test]
    fn the_opening_is_said_once() {
        let text = |text: &str| ResponseEvent::first(Part::Text(text.to_owned()));
        let end = || ResponseEvent::first(Part::Finish(crate::response_event::Finish::Stop));
        for (pieces, wanted) in [
            (vec!["x"], "<f=x"),
            (vec!["<f=x"], "<f=x"),
            (vec!["<", "f", "=", "x"], "<f=x"),
            (vec!["<", "g"], "<f=<g"),
            (vec!["<"], "<f=<"),
            (vec![], ""),
        ] {
            let (mut opening, mut out, mut settled) = (Opening::new("<f=").unwrap(), Vec::new(), false);
            for said in pieces.iter().map(|it| text(it)).chain([end()]) {
                if settled { out.push(said) } else { settled = opening.push(said, &mut out) }
            }
            let joined: String = out
                .iter()
                .filter_map(|said| match said {
                    ResponseEvent::Part { part: Part::Text(text), .. } => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(joined, wanted, "{pieces:?}");
            assert_eq!(out.last(), Some(&end()));
        }
    }

    #[test]
    fn a_tool_that_is_not_declared_is_refused() {
        let request = json!({"tools": [], "tool_choice": {"type": "function", "function": {"name": "rm"}}});
        let request = request.as_object().cloned().unwrap();
        let dialect = Dialects::builtin().get("hermes").cloned().unwrap();
        let fault = DemandPrompt::new(&request, &Demand::of(&request).unwrap(), &dialect).unwrap_err();
        assert!(fault.status == 400 && fault.message.contains("`rm`"), "{fault:?}");
    }
}
