//! A number as written in the source.

use std::fmt;

/// A JSON number, stored as its text: `1.0`, `1e400` and integers of any length are preserved.
///
/// Numbers are equal if their texts are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// Returns the number in a text that matches JSON's grammar.
    pub(crate) fn written(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the number of a finite float; `None` for others.
    pub fn from_f64(number: f64) -> Option<Self> {
        number.is_finite().then(|| serde_json::to_string(&number).ok().map(|text| Self(text.into()))).flatten()
    }

    /// Returns the text of the number.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number as an `i64`, if it is written as an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// Returns the number as a `u64`, if it is written as an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Returns whether it is an integer that fits an `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Returns whether it is an integer that fits a `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Returns the number as an `f64`, rounded; `None` if it exceeds the finite range.
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Creates numbers from integers.
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
    /// Rounds numbers that this build of `serde_json` cannot store.
    fn from(number: &Number) -> Self {
        number.0.parse().unwrap_or_else(|_| {
            let farthest = if number.0.starts_with('-') { f64::MIN } else { f64::MAX };
            Self::from_f64(farthest).unwrap_or_else(|| 0.into())
        })
    }
}
