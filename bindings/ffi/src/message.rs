//! Messages to render, out of JSON: as toolglot gives them, or as a chat API has them.

use toolglot::{Renderer, Rendering};
use toolglot_json::Value;

use crate::fault::Fault;
use crate::settings::{object, wrong};

/// A call to write.
pub(crate) struct Call {
    id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// Writes a message in a renderer's dialect.
pub(crate) fn render(renderer: &Renderer, json: &str) -> Result<String, Fault> {
    let message = object("the message", json)?;
    let first =
        |names: [&str; 2]| names.into_iter().find_map(|name| message.get(name).filter(|value| !value.is_null()));
    let reasoning =
        first(["reasoning", "reasoning_content"]).map_or(Ok(String::new()), |value| text("reasoning", value))?;
    let content = message.get("content").map_or(Ok(String::new()), |value| text("content", value))?;
    let calls = first(["calls", "tool_calls"]).map_or(Ok(Vec::new()), calls)?;
    let start = Rendering::new().with_reasoning(&reasoning).with_content(&content);
    let rendering = calls.iter().fold(start, |all, call| match &call.id {
        Some(id) => all.with_identified_call(&call.name, &call.arguments, id),
        None => all.with_call(&call.name, &call.arguments),
    });
    renderer.render(&rendering).map_err(Fault::failed)
}

/// A text, or parts of which those with text count.
fn text(what: &str, value: &Value) -> Result<String, Fault> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => Ok(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()),
        other => Err(wrong(what, other, "a string")),
    }
}

/// Reads a list of calls.
pub(crate) fn calls(value: &Value) -> Result<Vec<Call>, Fault> {
    match value {
        Value::Array(calls) => calls.iter().map(call).collect(),
        other => Err(wrong("calls", other, "a list of calls")),
    }
}

fn call(value: &Value) -> Result<Call, Fault> {
    let function = value.get("function").unwrap_or(value);
    let name =
        function.get("name").and_then(Value::as_str).ok_or_else(|| wrong("calls", value, "calls with a `name`"))?;
    let arguments = match function.get("arguments") {
        Some(Value::String(json)) => json.clone(),
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    };
    let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
    Ok(Call { id, name: name.to_owned(), arguments })
}
