//! The dialects, tools and options that a message is read with: from flags, and from the `options` of a line.

use std::str::FromStr;

use serde_json::Value;
use toolglot::{Dialects, Limits, Options, Tools};

use crate::args::{MessageFlags, ReadingFlags};
use crate::known::Known;
use crate::near::did_you_mean;

/// What a message is read with.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) dialects: Dialects,
    pub(crate) tools: Tools,
    pub(crate) options: Options,
    limits: Limits,
}

impl Setup {
    pub(crate) fn new(known: &Known, tools: Tools, reading: &ReadingFlags, message: &MessageFlags) -> Self {
        let limits = reading.limits.iter().fold(Limits::default(), |limits, flag| flag.limit.set(limits, flag.value));
        let options = Options::default()
            .with_validation(reading.validation.unwrap_or_default())
            .with_untyped(reading.untyped.unwrap_or_default())
            .with_null_text(reading.null_text.unwrap_or_default())
            .with_repairs(reading.repairs.unwrap_or_default())
            .with_limits(limits)
            .with_reasoning_open(message.reasoning_open)
            .with_finish_reason(message.finish_reason)
            .with_calls_in_reasoning(message.calls_in_reasoning.unwrap_or_default())
            .with_evidence(message.evidence.unwrap_or_default())
            .with_unknown_tool(message.unknown_tool.unwrap_or_default())
            .with_accept_incomplete(message.accept_incomplete)
            .with_marked_tokens(message.tokens);
        Self { dialects: known.chosen().clone(), tools, options, limits }
    }

    /// Changes what a line's `options` object says; what it does not name or names as null stays.
    pub(crate) fn change(&mut self, options: &Value, known: &Known) -> Result<(), String> {
        let Value::Object(members) = options else {
            return Err(wrong("options", options, "an object such as {\"validation\": \"strict\"}"));
        };
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            self.set(name, value, known)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &Value, known: &Known) -> Result<(), String> {
        let options = self.options.clone();
        self.options = match name {
            "validation" => options.with_validation(choice(name, value)?),
            "untyped" => options.with_untyped(choice(name, value)?),
            "null_text" => options.with_null_text(choice(name, value)?),
            "reasoning_open" => options.with_reasoning_open(flag(name, value)?),
            "finish_reason" => options.with_finish_reason(Some(choice(name, value)?)),
            "calls_in_reasoning" => options.with_calls_in_reasoning(choice(name, value)?),
            "evidence" => options.with_evidence(choice(name, value)?),
            "unknown_tool" => options.with_unknown_tool(choice(name, value)?),
            "accept_incomplete" => options.with_accept_incomplete(flag(name, value)?),
            "repairs" => options.with_repairs(names(name, value)?.join(",").parse().map_err(in_words)?),
            "limits" => {
                self.limits = limits(self.limits, value)?;
                options.with_limits(self.limits)
            }
            "dialects" => {
                self.dialects = known.select(&names(name, value)?)?;
                options
            }
            _ => return Err(format!("unknown option `{name}`{}", did_you_mean(name, OPTIONS.iter().copied(), "use"))),
        };
        Ok(())
    }
}

const OPTIONS: &[&str] = &[
    "dialects",
    "validation",
    "untyped",
    "reasoning_open",
    "finish_reason",
    "calls_in_reasoning",
    "evidence",
    "unknown_tool",
    "accept_incomplete",
    "repairs",
    "limits",
];

/// One or several names: a string, or a list of strings.
pub(crate) fn names(what: &str, value: &Value) -> Result<Vec<String>, String> {
    let name = |value: &Value| value.as_str().map(str::to_owned);
    let names = match value {
        Value::Array(values) => values.iter().map(name).collect(),
        value => name(value).map(|name| vec![name]),
    };
    names.ok_or_else(|| wrong(what, value, "a name or a list of names"))
}

/// Says that a member has the wrong type.
pub(crate) fn wrong(what: &str, value: &Value, wanted: &str) -> String {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("`{what}` must be {wanted}, found {kind}")
}

fn choice<T: FromStr<Err: ToString>>(what: &str, value: &Value) -> Result<T, String> {
    let name = value.as_str().ok_or_else(|| wrong(what, value, "a string"))?;
    name.parse().map_err(in_words)
}

fn in_words(error: impl ToString) -> String {
    error.to_string()
}

fn flag(what: &str, value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| wrong(what, value, "`true` or `false`"))
}

fn limits(limits: Limits, value: &Value) -> Result<Limits, String> {
    let members = value.as_object().ok_or_else(|| wrong("limits", value, "an object such as {\"depth\": 64}"))?;
    members.iter().try_fold(limits, |limits, (name, value)| {
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        let number = number.ok_or_else(|| wrong(&format!("limits.{name}"), value, "a non-negative integer"))?;
        Ok(name.parse::<Limit>()?.set(limits, number))
    })
}

/// A flag such as `held=65536`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitFlag {
    limit: Limit,
    value: usize,
}

impl FromStr for LimitFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=NUMBER, such as `held=65536`")?;
        let value = value.parse().map_err(|_| format!("`{value}` is not an integer"))?;
        Ok(Self { limit: name.parse()?, value })
    }
}

/// One of the bounds in [`Limits`].
#[derive(Clone, Copy, Debug)]
enum Limit {
    Held,
    Arguments,
    Depth,
    Calls,
}

impl Limit {
    fn set(self, limits: Limits, value: usize) -> Limits {
        match self {
            Self::Held => limits.with_held(value),
            Self::Arguments => limits.with_arguments(value),
            Self::Depth => limits.with_depth(value),
            Self::Calls => limits.with_calls(value),
        }
    }
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "held" => Ok(Self::Held),
            "arguments" => Ok(Self::Arguments),
            "depth" => Ok(Self::Depth),
            "calls" => Ok(Self::Calls),
            _ => Err(format!("unknown limit `{name}`; use held, arguments, depth or calls")),
        }
    }
}
