//! Tools declared outside a request: in a header, or in a route's file.

use std::path::Path;

use http::{HeaderMap, HeaderName};
use toolglot_json::Value;
use toolglot_wire::{Fault, FaultKind};

use crate::config::unreadable;

/// The header in which clients declare tools: a JSON list in the format of `tools` in a chat request.
pub(crate) const TOOLS: HeaderName = HeaderName::from_static("x-toolglot-tools");

/// Reads the tools in a client's header.
pub(crate) fn of_header(headers: &HeaderMap) -> Result<Option<Value>, Fault> {
    let Some(value) = headers.get(TOOLS) else { return Ok(None) };
    let tools = listed(value.as_bytes());
    tools.map(Some).map_err(|error| Fault::new(FaultKind::Request, format!("`x-toolglot-tools` {error}")))
}

/// Reads the tools of a file.
pub(crate) fn of_file(path: &Path) -> Result<Value, String> {
    let wrong = |error: String| format!("`{}` {error}", path.display());
    let text = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    listed(&text).map_err(wrong)
}

fn listed(text: &[u8]) -> Result<Value, String> {
    let tools: Value = toolglot_json::from_slice(text).map_err(|error| format!("is not valid JSON: {error}"))?;
    if tools.is_array() { Ok(tools) } else { Err("is not a list of tools".to_owned()) }
}
