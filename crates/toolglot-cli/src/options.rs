//! The dialects, tools and options for a message: from flags, and from the `options` of a line.

use serde_json::Value;
use toolglot::{Dialects, Limits, OptionError, Options, Tools};

use crate::args::{MessageFlags, ReadingFlags};
use crate::failure::Failure;
use crate::known::Known;
use crate::near::did_you_mean;
use crate::tools;

/// The dialects, tools and options for a message.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) dialects: Dialects,
    pub(crate) tools: Tools,
    pub(crate) options: Options,
}

impl Setup {
    /// Returns the setup that the flags request, and the dialects that lines may select.
    pub(crate) fn from_flags(reading: &ReadingFlags, message: &MessageFlags) -> Result<(Known, Self), Failure> {
        let known = Known::from_flags(&reading.dialects)?;
        let tools = tools::read(reading.tools.as_deref())?;
        let limits = reading.limits.iter().fold(Limits::default(), |limits, flag| flag.set(limits));
        let options = Options::default()
            .with_validation(reading.validation.unwrap_or_default())
            .with_untyped(reading.untyped.unwrap_or_default())
            .with_null_text(reading.null_text.unwrap_or_default())
            .with_repairs(reading.repairs.unwrap_or_default())
            .with_limits(limits)
            .with_reasoning_open(message.reasoning_open.unwrap_or_default())
            .with_finish_reason(message.finish_reason)
            .with_calls_in_reasoning(message.calls_in_reasoning.unwrap_or_default())
            .with_frame(message.frame.unwrap_or_default())
            .with_evidence(message.evidence.unwrap_or_default())
            .with_unknown_tool(message.unknown_tool.unwrap_or_default())
            .with_accept_incomplete(message.accept_incomplete)
            .with_marked_tokens(message.tokens);
        let dialects = known.chosen.clone();
        Ok((known, Self { dialects, tools, options }))
    }

    /// Applies a line's `options` object; missing and null members change nothing.
    pub(crate) fn change(&mut self, options: &Value, known: &Known) -> Result<(), String> {
        let Value::Object(members) = options else {
            return Err(mistyped("options", options, "an object such as {\"validation\": \"strict\"}"));
        };
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            self.set(name, value, known)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &Value, known: &Known) -> Result<(), String> {
        if name == DIALECTS {
            self.dialects = known.select(&names(name, value)?)?;
            return Ok(());
        }
        let known = || Options::NAMES.iter().copied().filter(|name| !OF_RUNS.contains(name)).chain([DIALECTS]);
        if !known().any(|known| known == name) {
            return Err(format!("unknown option `{name}`{}", did_you_mean(name, known(), "use one of")));
        }
        let options = self.options.clone().with_named(name, value);
        self.options = options.map_err(|error| error.to_string())?;
        Ok(())
    }
}

/// The member of a line's `options` that is not a parser option.
const DIALECTS: &str = "dialects";

/// Options that only flags set, for a whole run.
const OF_RUNS: [&str; 2] = ["marked_tokens", "id_seed"];

/// One or several names: a string, or a list of strings.
pub(crate) fn names(what: &str, value: &Value) -> Result<Vec<String>, String> {
    let name = |value: &Value| value.as_str().map(str::to_owned);
    let names = match value {
        Value::Array(values) => values.iter().map(name).collect(),
        value => name(value).map(|name| vec![name]),
    };
    names.ok_or_else(|| mistyped(what, value, "a name or a list of names"))
}

fn mistyped(what: &str, value: &Value, wanted: &str) -> String {
    OptionError::mistyped(what, value, wanted).to_string()
}
