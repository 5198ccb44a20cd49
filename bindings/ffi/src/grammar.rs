//! Grammars, out of JSON.

use toolglot::Dialect;
use toolglot_grammar::{GrammarRequest, GrammarTool};
use toolglot_json::Value;

use crate::fault::Fault;
use crate::settings::object;

/// Makes the grammar of a dialect for tools, with options by their names.
pub(crate) fn grammar(dialect: &Dialect, tools: &str, options: &str) -> Result<Value, Fault> {
    let tools = GrammarTool::from_json_str(tools).map_err(Fault::invalid)?;
    let asked = object("the options", options)?;
    let asked = asked.iter().try_fold(GrammarRequest::default(), |all, (name, value)| all.with_named(name, value));
    let written = asked.map_err(Fault::invalid)?.write(dialect, &tools).map_err(Fault::failed)?;
    Ok(written.to_json())
}
