//! Sizes and times with units.

use std::time::Duration;

use toolglot_json::{Value, json};

use super::{Raw, Setting};

/// A number of bytes, such as `512`, `64 KiB`, `32 MiB`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) usize);

/// A duration, such as `250 ms`, `15 s`, `10 min`; `0` disables the timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Time(pub(crate) Duration);

impl Time {
    /// Returns the duration, unless it is disabled.
    pub(crate) fn on(self) -> Option<Duration> {
        (!self.0.is_zero()).then_some(self.0)
    }
}

const SIZES: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1)];
const TIMES: [(&str, u64); 4] = [("min", 60_000), ("ms", 1), ("s", 1000), ("", 1000)];

/// Reads a number and its unit; the units are tried in order.
fn with_unit(text: &str, units: &[(&str, u64)], what: &str, example: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a {what}; use a value such as `{example}`");
    let found = units.iter().find_map(|(unit, factor)| Some((text.trim().strip_suffix(unit)?, factor)));
    let (number, factor) = found.ok_or_else(wrong)?;
    let number: u64 = number.trim().parse().map_err(|_| wrong())?;
    number.checked_mul(*factor).ok_or_else(wrong)
}

fn show_unit(number: u64, units: &[(&str, u64)]) -> String {
    let mut fits =
        units.iter().filter(|(unit, factor)| !unit.is_empty() && number > 0 && number.is_multiple_of(*factor));
    fits.by_ref()
        .max_by_key(|(_, factor)| *factor)
        .map_or_else(|| format!("\"{number}\""), |(unit, factor)| format!("\"{} {unit}\"", number / factor))
}

impl Setting for Size {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let number = with_unit(&raw.wanted("size such as `32 MiB`")?, &SIZES, "size", "32 MiB")?;
        usize::try_from(number).map(Self).map_err(|_| "too large for this machine".to_owned())
    }

    fn show(&self) -> String {
        show_unit(self.0 as u64, &SIZES)
    }

    fn schema() -> Value {
        json!({"type": ["string", "integer"], "pattern": "^[0-9]+ ?(KiB|MiB|GiB)?$"})
    }
}

impl Setting for Time {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        with_unit(&raw.wanted("duration such as `15 s`")?, &TIMES, "duration", "15 s")
            .map(|ms| Self(Duration::from_millis(ms)))
    }

    fn show(&self) -> String {
        show_unit(u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX), &TIMES)
    }

    fn schema() -> Value {
        json!({"type": ["string", "integer"], "pattern": "^[0-9]+ ?(ms|s|min)?$"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_units() {
        let size = |text| Size::read(Raw::Text(text)).map(|size| (size.0, size.show()));
        assert_eq!(size("32 MiB"), Ok((32 << 20, "\"32 MiB\"".to_owned())));
        assert_eq!(size("1000"), Ok((1000, "\"1000\"".to_owned())));
        assert!(size("3 apples").unwrap_err().contains("`32 MiB`"));
        assert!(size("99999999999 GiB").is_err());
        let time = |text| Time::read(Raw::Text(text)).map(|time| (time.0.as_millis(), time.show()));
        assert_eq!(time("90s"), Ok((90_000, "\"90 s\"".to_owned())));
        assert_eq!(time("10 min"), Ok((600_000, "\"10 min\"".to_owned())));
        assert_eq!(time("250ms"), Ok((250, "\"250 ms\"".to_owned())));
        assert_eq!(time("15"), Ok((15_000, "\"15 s\"".to_owned())));
        assert_eq!(Time::read(Raw::Text("0")).map(Time::on), Ok(None));
    }
}
