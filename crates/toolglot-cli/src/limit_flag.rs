//! The flag that changes a limit.

use std::str::FromStr;

use toolglot::Limits;

use crate::near::nearest;

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
        let (name, value) = text.split_once('=').ok_or("expected NAME=NUMBER, such as `held=64KiB`")?;
        let value = number(value).ok_or_else(|| format!("`{value}` is not a number such as `65536` or `64KiB`"))?;
        if let Err(error) = Limits::default().with_named(name, value) {
            let near = nearest(name, LIMITS.iter().copied());
            return Err(near
                .map_or_else(|| error.to_string(), |near| format!("unknown limit `{name}`; did you mean `{near}`?")));
        }
        Ok(Self { name: name.to_owned(), value })
    }
}

/// Reads a number with an optional unit, as the proxy's settings have it.
fn number(text: &str) -> Option<usize> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let unit = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (digits, shift) = unit.unwrap_or((text, 0));
    digits.trim_end().parse::<usize>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_have_a_unit() {
        for (text, expected) in
            [("65536", Some(65_536)), ("1MiB", Some(1 << 20)), ("2 GiB", Some(2 << 30)), ("1GB", None)]
        {
            assert_eq!(number(text), expected, "{text}");
        }
        assert_eq!("hold=1".parse::<LimitFlag>().unwrap_err(), "unknown limit `hold`; did you mean `held`?");
    }

    #[test]
    fn all_limits_are_listed() {
        let unknown = "width=1".parse::<LimitFlag>().unwrap_err();
        assert!(unknown.ends_with(&LIMITS.join(", ")), "{unknown}");
    }
}
