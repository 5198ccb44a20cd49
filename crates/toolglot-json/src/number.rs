//! A number as it was written.

use std::fmt;

/// A JSON number, kept as its text: `1.0`, `1e400` and integers of any length stay what they are.
///
/// Numbers are equal if they are written alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// Returns the number of a text that is one by JSON's grammar.
    pub(crate) fn written(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns a finite float; `None` if it is not.
    pub fn from_f64(number: f64) -> Option<Self> {
        number.is_finite().then(|| serde_json::to_string(&number).ok().map(|text| Self(text.into()))).flatten()
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number, if it is written as an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// Returns the number, if it is written as an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Says whether it is an integer that fits an `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Says whether it is an integer that fits a `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Returns the number, rounded; `None` if no finite float is near it.
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Makes numbers of integers.
macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Number {
            fn from(number: $integer) -> Self {
                Self(number.to_string().into())
            }
        }
    )*};
}

from_integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl From<serde_json::Number> for Number {
    fn from(number: serde_json::Number) -> Self {
        Self(number.to_string().into())
    }
}

impl From<&Number> for serde_json::Number {
    /// Rounds what this build of `serde_json` cannot hold.
    fn from(number: &Number) -> Self {
        number.0.parse().unwrap_or_else(|_| {
            let farthest = if number.0.starts_with('-') { f64::MIN } else { f64::MAX };
            Self::from_f64(farthest).unwrap_or_else(|| 0.into())
        })
    }
}
