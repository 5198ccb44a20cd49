//! Sets options by name, with JSON values: for command lines, settings and other languages.

use std::fmt;

use serde_json::Value;

use super::{Limits, Options, ReasoningOpen};
use crate::diagnostic::kind_of;

impl Options {
    /// The names that [`with_named`](Self::with_named) accepts.
    pub const NAMES: &[&str] = &[
        "validation",
        "untyped",
        "null_text",
        "reasoning_open",
        "finish_reason",
        "calls_in_reasoning",
        "frame",
        "evidence",
        "unknown_tool",
        "accept_incomplete",
        "marked_tokens",
        "repairs",
        "limits",
        "id_seed",
    ];

    /// Sets an option by its name; null leaves it unchanged.
    ///
    /// Choices are given by name, repairs as a name or a list of names, limits as an object with those to change.
    ///
    /// # Errors
    /// If there is no such option, or it does not accept the value; the text of the error lists what it accepts.
    ///
    /// # Example
    /// ```
    /// use serde_json::json;
    /// use toolglot::Options;
    /// let options = Options::default().with_named("validation", &json!("strict"))?;
    /// let error = options.with_named("accept_incomplete", &json!("yes")).unwrap_err();
    /// assert_eq!(error.to_string(), "`accept_incomplete` must be `true` or `false`, found a string");
    /// # Ok::<(), toolglot::OptionError>(())
    /// ```
    pub fn with_named(self, name: &str, value: &Value) -> Result<Self, OptionError> {
        if value.is_null() && Self::NAMES.contains(&name) {
            return Ok(self);
        }
        Ok(match name {
            "validation" => self.with_validation(choice(name, value)?),
            "untyped" => self.with_untyped(choice(name, value)?),
            "null_text" => self.with_null_text(choice(name, value)?),
            "reasoning_open" => self.with_reasoning_open(reasoning_open(name, value)?),
            "finish_reason" => self.with_finish_reason(Some(choice(name, value)?)),
            "calls_in_reasoning" => self.with_calls_in_reasoning(choice(name, value)?),
            "frame" => self.with_frame(choice(name, value)?),
            "evidence" => self.with_evidence(choice(name, value)?),
            "unknown_tool" => self.with_unknown_tool(choice(name, value)?),
            "accept_incomplete" => self.with_accept_incomplete(flag(name, value)?),
            "marked_tokens" => self.with_marked_tokens(flag(name, value)?),
            "repairs" => self.with_repairs(parsed(&names(name, value)?)?),
            "limits" => {
                let limits = self.limits.with_all(value)?;
                self.with_limits(limits)
            }
            "id_seed" => self.with_id_seed(number(name, value)?),
            _ => return Err(OptionError::unknown("option", name, Self::NAMES)),
        })
    }
}

impl Limits {
    /// Sets a limit by its name.
    ///
    /// # Errors
    /// If there is no such limit.
    pub fn with_named(self, name: &str, value: usize) -> Result<Self, OptionError> {
        Ok(match name {
            "held" => self.with_held(value),
            "arguments" => self.with_arguments(value),
            "depth" => self.with_depth(value),
            "calls" => self.with_calls(value),
            _ => return Err(OptionError::unknown("limit", name, &["held", "arguments", "depth", "calls"])),
        })
    }

    fn with_all(self, value: &Value) -> Result<Self, OptionError> {
        let members = value.as_object();
        let members =
            members.ok_or_else(|| OptionError::mistyped("limits", value, "an object such as {\"depth\": 64}"))?;
        members.iter().try_fold(self, |limits, (name, value)| {
            let number = number(&format!("limits.{name}"), value)?;
            limits.with_named(name, usize::try_from(number).unwrap_or(usize::MAX))
        })
    }
}

/// The error for an option that cannot be set; its text lists what can.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no option or limit of that name.
    Unknown(String),
    /// The value is of another type.
    Type(String),
    /// The value is none of the names that the option accepts.
    Value(String),
}

impl OptionError {
    /// Returns the error for an unknown name, with the known ones.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        Self::Unknown(format!("unknown {what} `{name}`; use {}", known.join(", ")))
    }

    /// Returns the error for a wrong value, with what it must be.
    pub fn mistyped(what: &str, value: &Value, wanted: &str) -> Self {
        Self::Type(format!("`{what}` must be {wanted}, found {}", kind_of(value)))
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unknown(text) | Self::Type(text) | Self::Value(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for OptionError {}

fn choice<T: std::str::FromStr<Err: ToString>>(what: &str, value: &Value) -> Result<T, OptionError> {
    parsed(value.as_str().ok_or_else(|| OptionError::mistyped(what, value, "a string"))?)
}

fn parsed<T: std::str::FromStr<Err: ToString>>(text: &str) -> Result<T, OptionError> {
    text.parse().map_err(|error: T::Err| OptionError::Value(error.to_string()))
}

fn flag(what: &str, value: &Value) -> Result<bool, OptionError> {
    value.as_bool().ok_or_else(|| OptionError::mistyped(what, value, "`true` or `false`"))
}

/// Returns a boolean, or the word for an unknown one.
fn reasoning_open(what: &str, value: &Value) -> Result<ReasoningOpen, OptionError> {
    match (value, value.as_str()) {
        (Value::Bool(open), _) => Ok(ReasoningOpen::from(*open)),
        (_, Some("maybe")) => Ok(ReasoningOpen::Maybe),
        _ => Err(OptionError::mistyped(what, value, "`true` or `false`, or \"maybe\"")),
    }
}

fn number(what: &str, value: &Value) -> Result<u64, OptionError> {
    value.as_u64().ok_or_else(|| OptionError::mistyped(what, value, "a non-negative integer"))
}

/// One or several names, as the text that lists them.
fn names(what: &str, value: &Value) -> Result<String, OptionError> {
    let all: Option<Vec<&str>> = match value {
        Value::Array(values) => values.iter().map(Value::as_str).collect(),
        value => value.as_str().map(|name| vec![name]),
    };
    all.map(|names| names.join(",")).ok_or_else(|| OptionError::mistyped(what, value, "a name or a list of names"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Code, Validation};

    #[test]
    fn every_name_is_known_and_null_changes_nothing() {
        for name in Options::NAMES {
            let options = Options::default().with_validation(Validation::Strict).with_named(name, &Value::Null);
            assert_eq!(options.map(|options| options.validation), Ok(Validation::Strict), "{name}");
            let error = Options::default().with_named(name, &json!(-1)).map(|_| ());
            assert!(matches!(&error, Err(OptionError::Type(text)) if text.contains(name)), "{name}: {error:?}");
        }
    }

    #[test]
    fn values_are_what_the_option_takes() {
        let set = |name: &str, value: Value| Options::default().with_named(name, &value);
        assert_eq!(set("limits", json!({"depth": 3})).map(|options| options.limits.depth), Ok(3));
        assert_eq!(set("id_seed", json!(7)).map(|options| options.id_seed), Ok(Some(7)));
        let repairs = set("repairs", json!(["all", "-missing_bracket"])).map(|options| options.repairs);
        assert_eq!(repairs.map(|repairs| repairs.allow(Code::MissingBracket)), Ok(false));
        let says = |name: &str, value: Value| set(name, value).map(|_| ()).unwrap_err().to_string();
        assert_eq!(says("limits", json!({"x": 1})), "unknown limit `x`; use held, arguments, depth, calls");
        assert_eq!(
            says("limits", json!({"depth": "x"})),
            "`limits.depth` must be a non-negative integer, found a string"
        );
        assert_eq!(says("evidence", json!("much")), "invalid value `much` for evidence; use strict, balanced, eager");
        assert!(says("evidense", json!("strict")).starts_with("unknown option `evidense`; use validation, "));
    }
}
