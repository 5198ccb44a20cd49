//! A message written as a model would have.

use pyo3::prelude::*;
use toolglot::{Renderer, Rendering};

use crate::settings::{Dialects, RenderError, Tools, value_error};

/// Writes a message in the only one of `dialects`; a call is its name, its arguments and its id.
#[pyfunction]
pub(crate) fn render(
    py: Python<'_>,
    dialects: &Dialects,
    tools: &Tools,
    reasoning: &str,
    content: &str,
    calls: Vec<(String, String, Option<String>)>,
    check: bool,
) -> PyResult<String> {
    let mut chosen = dialects.0.iter();
    let (Some(dialect), None) = (chosen.next(), chosen.next()) else {
        return Err(value_error("a message is written in exactly one dialect; pass its name"));
    };
    let start = Rendering::new().with_reasoning(reasoning).with_content(content);
    let message = calls.iter().fold(start, |message, (name, arguments, id)| match id {
        Some(id) => message.with_identified_call(name, arguments, id),
        None => message.with_call(name, arguments),
    });
    let renderer = Renderer::new(dialect, &tools.0).with_check(check);
    py.detach(|| renderer.render(&message)).map_err(|error| RenderError::new_err(error.to_string()))
}
