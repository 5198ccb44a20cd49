//! The flag that changes a limit.

use std::str::FromStr;

use toolglot::{Limits, OptionError};

/// The limits, for completions.
pub(crate) const LIMITS: &[&str] = &["held", "arguments", "depth", "calls"];

/// A flag such as `held=65536`.
#[derive(Clone, Debug)]
pub(crate) struct LimitFlag {
    name: String,
    value: usize,
}

impl LimitFlag {
    /// Returns the limits with this one set; parsing the flag validated its name.
    pub(crate) fn set(&self, limits: Limits) -> Limits {
        limits.with_named(&self.name, self.value).unwrap_or(limits)
    }
}

impl FromStr for LimitFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=NUMBER, such as `held=65536`")?;
        let value = value.parse().map_err(|_| format!("`{value}` is not an integer"))?;
        let known = Limits::default().with_named(name, value).map_err(|error: OptionError| error.to_string());
        known.map(|_| Self { name: name.to_owned(), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_limits_are_listed() {
        let unknown = "width=1".parse::<LimitFlag>().unwrap_err();
        assert!(unknown.ends_with(&LIMITS.join(", ")), "{unknown}");
    }
}
