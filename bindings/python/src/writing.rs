//! What a model would have written: a message, and the grammar that holds it to that.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use toolglot::{OptionError, Renderer, Rendering};
use toolglot_grammar::{GrammarRequest, GrammarTool, WrittenGrammar};
use toolglot_json::Value;

use crate::settings::{Dialects, GrammarError, RenderError, Tools, value_error};

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
        return Err(value_error("rendering requires exactly one dialect; pass its name"));
    };
    let start = Rendering::new().with_reasoning(reasoning).with_content(content);
    let message = calls.iter().fold(start, |message, (name, arguments, id)| match id {
        Some(id) => message.with_identified_call(name, arguments, id),
        None => message.with_call(name, arguments),
    });
    let renderer = Renderer::new(dialect, &tools.0).with_check(check);
    py.detach(|| renderer.render(&message)).map_err(|error| RenderError::new_err(error.to_string()))
}

/// A grammar: its text, the body that carries it as JSON, the trigger, the tokens to preserve, the warnings.
type GrammarParts = (String, String, Option<String>, Vec<String>, Vec<String>);

/// Writes the grammar of the only one of `dialects`; tools and options are JSON.
#[pyfunction]
pub(crate) fn grammar(py: Python<'_>, dialects: &Dialects, tools: &str, options: &str) -> PyResult<GrammarParts> {
    let mut chosen = dialects.0.iter();
    let (Some(dialect), None) = (chosen.next(), chosen.next()) else {
        return Err(value_error("a grammar requires exactly one dialect; pass its name"));
    };
    let tools = GrammarTool::from_json_str(tools).map_err(value_error)?;
    let request = asked(options)?;
    let written = py.detach(|| request.write(dialect, &tools));
    let WrittenGrammar { text, body, trigger, preserved_tokens, warnings, .. } =
        written.map_err(|error| GrammarError::new_err(error.to_string()))?;
    Ok((text, body.to_string(), trigger, preserved_tokens, warnings))
}

fn asked(options: &str) -> PyResult<GrammarRequest> {
    let options = toolglot_json::from_str(options).map_err(value_error)?;
    let members = options.as_object().into_iter().flatten();
    let set = |all: GrammarRequest, (name, value): (&String, &Value)| all.with_named(name, value);
    members.into_iter().try_fold(GrammarRequest::default(), set).map_err(|error| match error {
        OptionError::Type(why) => PyTypeError::new_err(why),
        other => value_error(other),
    })
}
