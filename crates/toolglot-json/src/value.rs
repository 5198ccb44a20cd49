//! A JSON value, the members of an object, and their accessors.

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
    /// A number, as written in the source.
    Number(Number),
    /// A string, decoded.
    String(String),
    /// A list.
    Array(Vec<Self>),
    /// An object with ordered members.
    Object(Map),
}

/// The members of an object, in the order in which they were written or inserted.
///
/// Maps are equal if they have the same members, in any order.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Map(pub(crate) IndexMap<String, Value, RandomState>);

impl Value {
    /// Returns the value at a JSON pointer such as `/choices/0/message`.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(members) => members.get(&step),
            Self::Array(items) => items.get(place(&step)?),
            _ => None,
        })
    }

    /// Returns the value at a JSON pointer, for modification.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(members) => members.get_mut(&step),
            Self::Array(items) => items.get_mut(place(&step)?),
            _ => None,
        })
    }

    /// Takes the value and leaves `null` in its place.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Returns whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns whether it is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Returns whether it is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Returns whether it is an integer that fits an `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Returns whether it is an integer that fits a `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Returns whether it is a string.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Returns whether it is a list.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Returns whether it is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns the boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// Returns the number, if it is one.
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// Returns the number as an `i64`, if it is written as an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns the number as a `u64`, if it is written as an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns the number as an `f64`, rounded; `None` if it exceeds the finite range.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// Returns the string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Returns the items of a list, if it is one.
    pub fn as_array(&self) -> Option<&Vec<Self>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the items of a list, for modification.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the members of an object, if it is one.
    pub fn as_object(&self) -> Option<&Map> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Returns the members of an object, for modification.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

/// Returns the decoded steps of a pointer; `None` if it is invalid.
fn steps(pointer: &str) -> Option<impl Iterator<Item = String>> {
    let steps = match pointer {
        "" => None,
        pointer => Some(pointer.strip_prefix('/')?.split('/')),
    };
    Some(steps.into_iter().flatten().map(|step| step.replace("~1", "/").replace("~0", "~")))
}

/// Returns the index in a step; `None` if it has a sign or leading zeros.
fn place(step: &str) -> Option<usize> {
    let plain = !step.starts_with('+') && (step == "0" || !step.starts_with('0'));
    plain.then(|| step.parse().ok()).flatten()
}
