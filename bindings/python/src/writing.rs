//! What a model would have written: a message, its grammar, the ids of its calls; dialect files for examples.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use toolglot::{Certificate, Example, OptionError, Renderer, Rendering};
use toolglot_grammar::{GrammarRequest, GrammarTool, WrittenGrammar};
use toolglot_json::Value;

use crate::settings::{Dialects, GrammarError, RenderError, Tools, unsigned, value_error};

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
    let dialect = only(dialects, "rendering")?;
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
    let dialect = only(dialects, "a grammar")?;
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

/// Returns the text of the dialect file `name` for an example; a call is its name and its arguments.
#[pyfunction]
pub(crate) fn sketch(
    py: Python<'_>,
    name: &str,
    text: &str,
    calls: Vec<(String, String)>,
    about: &str,
    strong: bool,
) -> PyResult<String> {
    let example = Example::new(text).with_about(about).with_strong(strong);
    let example = calls.iter().fold(example, |all, (name, arguments)| all.with_call(name, arguments));
    py.detach(|| toolglot::sketch(name, &example)).map_err(value_error)
}

/// A certificate: two calls or why there are none, the values that are lost, the warnings.
type CertificateParts = (Option<String>, Option<String>, Vec<String>, Vec<String>);

/// Tests the only one of `dialects` with values of every kind.
#[pyfunction]
pub(crate) fn certify(py: Python<'_>, dialects: &Dialects) -> PyResult<CertificateParts> {
    let dialect = only(dialects, "certifying")?;
    let Certificate { example, lost, warnings, .. } = py.detach(|| toolglot::certify(dialect));
    let (example, why) = example.map_or_else(|why| (None, Some(why)), |example| (Some(example), None));
    Ok((example, why, lost, warnings))
}

/// Returns an id for the call at an index of a message: the same seed and index give the same id. The seed is from 0 to
/// 2**64 - 1, and indices count from 0. Raises `ToolglotError` for other numbers.
#[pyfunction]
pub(crate) fn mint(seed: &Bound<'_, PyAny>, index: &Bound<'_, PyAny>) -> PyResult<String> {
    let index = usize::try_from(unsigned("index", index)?).map_err(value_error)?;
    Ok(toolglot::mint(unsigned("seed", seed)?, index))
}

/// Returns the only dialect of a set.
fn only<'d>(dialects: &'d Dialects, what: &str) -> PyResult<&'d Arc<toolglot::Dialect>> {
    let mut chosen = dialects.0.iter();
    match (chosen.next(), chosen.next()) {
        (Some(dialect), None) => Ok(dialect),
        _ => Err(value_error(format!("{what} requires exactly one dialect; pass its name"))),
    }
}
