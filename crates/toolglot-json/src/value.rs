//! A JSON value, the members of an object, and questions about them.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::number::Number;

/// A JSON value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written.
    Number(Number),
    /// A string, decoded.
    String(String),
    /// A list.
    Array(Vec<Self>),
    /// An object, its members in order.
    Object(Map),
}

/// The members of an object, in the order in which they were written or inserted.
///
/// Maps are equal if they have the same members, in whatever order.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Map(pub(crate) IndexMap<String, Value, RandomState>);

impl Value {
    /// Returns what a JSON pointer leads to, such as `/choices/0/message`.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(members) => members.get(&step),
            Self::Array(items) => items.get(place(&step)?),
            _ => None,
        })
    }

    /// Returns what a JSON pointer leads to, to change it.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(members) => members.get_mut(&step),
            Self::Array(items) => items.get_mut(place(&step)?),
            _ => None,
        })
    }

    /// Returns the value and leaves `null` in its place.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Says whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Says whether it is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Says whether it is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Says whether it is an integer that fits an `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Says whether it is an integer that fits a `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Says whether it is a string.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Says whether it is a list.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Says whether it is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns the truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// Returns the number.
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// Returns the number, if it is written as an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns the number, if it is written as an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns the number, rounded; `None` if no finite float is near it.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// Returns the string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Returns the items of a list.
    pub fn as_array(&self) -> Option<&Vec<Self>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the items of a list, to change them.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the members of an object.
    pub fn as_object(&self) -> Option<&Map> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Returns the members of an object, to change them.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

/// Returns the steps of a pointer, decoded; `None` if it is none.
fn steps(pointer: &str) -> Option<impl Iterator<Item = String>> {
    let steps = match pointer {
        "" => None,
        pointer => Some(pointer.strip_prefix('/')?.split('/')),
    };
    Some(steps.into_iter().flatten().map(|step| step.replace("~1", "/").replace("~0", "~")))
}

/// Returns the place that a step names; signs and zeros in front are none.
fn place(step: &str) -> Option<usize> {
    let plain = !step.starts_with('+') && (step == "0" || !step.starts_with('0'));
    plain.then(|| step.parse().ok()).flatten()
}
