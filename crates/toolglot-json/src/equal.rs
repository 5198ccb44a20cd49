//! Comparisons of values with the types of Rust.

use crate::value::Value;

/// Compares values with other types, on either side.
macro_rules! equal {
    ($($other:ty: $of:expr),* $(,)?) => {$(
        impl PartialEq<$other> for Value {
            fn eq(&self, other: &$other) -> bool {
                let of: fn(&Self, &$other) -> bool = $of;
                of(self, other)
            }
        }

        impl PartialEq<Value> for $other {
            fn eq(&self, other: &Value) -> bool {
                other == self
            }
        }
    )*};
}

impl PartialEq<serde_json::Value> for Value {
    /// Numbers are compared as this build of `serde_json` stores them.
    fn eq(&self, other: &serde_json::Value) -> bool {
        match (self, other) {
            (Self::Null, serde_json::Value::Null) => true,
            (Self::Bool(one), serde_json::Value::Bool(other)) => one == other,
            (Self::Number(one), serde_json::Value::Number(other)) => serde_json::Number::from(one) == *other,
            (Self::String(one), serde_json::Value::String(other)) => one == other,
            (Self::Array(one), serde_json::Value::Array(other)) => one == other,
            (Self::Object(one), serde_json::Value::Object(other)) => {
                let equal = |(key, value): (&String, &Self)| other.get(key).is_some_and(|other| value == other);
                one.len() == other.len() && one.iter().all(equal)
            }
            _ => false,
        }
    }
}

/// Also compares references to values.
macro_rules! equal_by_reference {
    ($($other:ty)*) => {$(
        impl PartialEq<$other> for &Value {
            fn eq(&self, other: &$other) -> bool {
                **self == *other
            }
        }
    )*};
}

equal_by_reference!(bool i32 i64 u32 u64 usize f64);

equal! {
    str: |value, text| value.as_str() == Some(text),
    &str: |value, text| value.as_str() == Some(text),
    String: |value, text| value.as_str() == Some(text),
    bool: |value, other| value.as_bool() == Some(*other),
    i32: |value, number| value.as_i64() == Some(i64::from(*number)),
    i64: |value, number| value.as_i64() == Some(*number),
    u32: |value, number| value.as_u64() == Some(u64::from(*number)),
    u64: |value, number| value.as_u64() == Some(*number),
    usize: |value, number| value.as_u64() == u64::try_from(*number).ok(),
    f64: |value, number| value.as_f64() == Some(*number),
}
