//! Arguments of the macro `json!`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;

use crate::number::Number;
use crate::value::{Map, Value};

/// A type that can be used in `json!`.
pub trait ToJson {
    /// Returns a copy as a value.
    fn to_json(&self) -> Value;
}

/// Converts anything serializable to a value.
///
/// # Errors
/// If it cannot be serialized as JSON.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, crate::Error> {
    crate::from_str(&serde_json::to_string(value)?)
}

/// Values that are copied.
macro_rules! copied {
    ($($copied:ty)*) => {$(
        impl ToJson for $copied {
            fn to_json(&self) -> Value {
                Value::from(*self)
            }
        }
    )*};
}

/// Values that are cloned.
macro_rules! cloned {
    ($($cloned:ty)*) => {$(
        impl ToJson for $cloned {
            fn to_json(&self) -> Value {
                Value::from(self.clone())
            }
        }
    )*};
}

copied!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f64);
cloned!(Value Map Number String Cow<'_, str> serde_json::Value);

impl ToJson for str {
    fn to_json(&self) -> Value {
        Value::from(self)
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

impl<T: ToJson + ?Sized> ToJson for Box<T> {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

impl<T: ToJson + ?Sized> ToJson for Arc<T> {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToJson::to_json)
    }
}

impl<T: ToJson> ToJson for [T] {
    fn to_json(&self) -> Value {
        self.iter().map(ToJson::to_json).collect()
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn to_json(&self) -> Value {
        self[..].to_json()
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Value {
        self[..].to_json()
    }
}

impl<A: ToJson, B: ToJson> ToJson for (A, B) {
    fn to_json(&self) -> Value {
        Value::Array(vec![self.0.to_json(), self.1.to_json()])
    }
}

impl<K: AsRef<str>, T: ToJson> ToJson for BTreeMap<K, T> {
    fn to_json(&self) -> Value {
        self.iter().map(|(key, value)| (key.as_ref(), value.to_json())).collect()
    }
}

impl<K: AsRef<str>, T: ToJson> ToJson for HashMap<K, T> {
    fn to_json(&self) -> Value {
        self.iter().map(|(key, value)| (key.as_ref(), value.to_json())).collect()
    }
}
