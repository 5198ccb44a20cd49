//! Reads what a chat request asks for, and prepares it for the model server.

use std::collections::HashSet;

use toolglot::Tools;
use toolglot_json::{Map, Value, json};

use crate::chat::history::{self, HistoryRepairer};
use crate::demand::{Demand, tools};
use crate::members::list;
use crate::policy::Policy;

/// The parts of a request that determine how its answer is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChatAsked {
    /// The tools as functions; free-text tools have one string, `input`.
    pub(crate) tools: Tools,
    /// The names of the free-text tools.
    pub(crate) custom: HashSet<String>,
    /// Whether the client forbids calls.
    pub(crate) none: bool,
    /// Whether the client allows more than one call.
    pub(crate) parallel: bool,
    /// The ids of earlier calls.
    pub(crate) used: HashSet<String>,
    /// The number of alternatives that the client requests.
    pub(crate) alternatives: usize,
    /// The required call.
    pub(crate) demand: Option<Demand>,
}

impl ChatAsked {
    /// Reads a request.
    pub(crate) fn of(request: &Map) -> Self {
        let mut request = request.clone();
        let legacy = request["functions"].is_array();
        history::replace_deprecated(&mut request);
        // Before these tools become functions, too.
        let custom = tools(&request).iter().filter_map(custom_name).map(str::to_owned).collect();
        let used = history::ids(&request);
        let demand = Demand::of(&request);
        as_functions(&mut request);
        let alternatives = request["n"].as_u64().and_then(|n| usize::try_from(n).ok());
        Self {
            tools: declared(&request),
            custom,
            none: request["tool_choice"] == "none",
            // A message has only one of the deprecated function calls.
            parallel: !legacy && request.get("parallel_tool_calls") != Some(&Value::Bool(false)),
            used,
            alternatives: alternatives.unwrap_or(1),
            demand,
        }
    }

    /// Returns whether the server must send the model's text with all markers: where it is read for calls, and where the
    /// client forbids calls, since text that looks like one is then meant as text.
    pub(crate) fn needs_markers(&self, policy: &Policy) -> bool {
        !policy.off && (policy.forced || !self.tools.is_empty())
    }
}

/// Changes a request so that every server accepts it and its answer can be read. Free-text tools are only kept if the
/// client uses the server's protocol, since few servers support them.
pub(crate) fn put_in_order(request: &mut Map, is_own: bool, repairer: &mut HistoryRepairer<'_>) {
    // In this order: each step reads what the one before it has converted.
    history::replace_deprecated(request);
    if !is_own || !repairer.policy.engine.row().custom_tools {
        as_functions(request);
    }
    allow_only(request);
    if tools(request).is_empty() {
        // Servers refuse an empty list, and a choice without tools.
        for key in ["tools", "tool_choice", "parallel_tool_calls"] {
            request.remove(key);
        }
    }
    history::make_safe(request, repairer);
}

/// Returns the tools that can be read; other entries are left to the server.
fn declared(request: &Map) -> Tools {
    let Some(all @ Value::Array(list)) = request.get("tools") else { return Tools::default() };
    Tools::from_json(&all.into()).unwrap_or_else(|_| {
        let readable = |tool: &serde_json::Value| Tools::from_json(&[tool.clone()].into()).is_ok();
        Tools::from_json(&list.iter().map(Into::into).filter(readable).collect()).unwrap_or_default()
    })
}

fn custom_name(tool: &Value) -> Option<&str> {
    let custom = tool.get("custom").filter(|_| tool["type"] == "custom")?;
    custom.get("name")?.as_str()
}

/// Declares free-text tools as functions with one string, since most servers support only functions.
fn as_functions(request: &mut Map) {
    let Some(Value::Array(list)) = request.get_mut("tools") else { return };
    for tool in list.iter_mut() {
        let Some(name) = custom_name(tool) else { continue };
        let about = tool["custom"]["description"].as_str().unwrap_or_default();
        let form = tool["custom"].get("format").filter(|form| form.get("type") != Some(&json!("text")));
        let form = form.map(|form| format!("\n\nThe input has this form: {form}")).unwrap_or_default();
        *tool = json!({"type": "function", "function": {
            "name": name,
            "description": format!("{about}{form}"),
            "parameters": {
                "type": "object",
                "properties": {"input": {"type": "string", "description": "the whole input, as free text"}},
                "required": ["input"],
            },
        }});
    }
    if let Some(name) = request.get("tool_choice").and_then(custom_name).map(str::to_owned) {
        request["tool_choice"] = json!({"type": "function", "function": {"name": name}});
    }
    history::custom_as_functions(request);
}

/// Replaces a choice of allowed tools by these tools and the choice's mode.
pub(crate) fn allow_only(request: &mut Map) {
    let choice = request.get("tool_choice").filter(|choice| choice.get("type") == Some(&json!("allowed_tools")));
    let Some(allowed) = choice.map(|choice| choice.get("allowed_tools").unwrap_or(choice)) else { return };
    let list = list(&allowed["tools"]);
    let names: HashSet<String> = list.iter().filter_map(name).map(str::to_owned).collect();
    let mode = allowed["mode"].as_str().unwrap_or("auto").to_owned();
    if let Some(Value::Array(tools)) = request.get_mut("tools") {
        tools.retain(|tool| name(tool).is_some_and(|name| names.contains(name)));
    }
    request["tool_choice"] = mode.into();
}

/// Returns the name of a tool in any of its forms.
fn name(tool: &Value) -> Option<&str> {
    let inner = ["function", "custom"].iter().find_map(|key| tool.get(*key)).unwrap_or(tool);
    inner.get("name")?.as_str()
}
