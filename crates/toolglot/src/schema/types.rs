//! Sets of JSON types, and the names that tool authors use for them.

use std::ops::BitOr;

use serde_json::Value;

/// A set of JSON types; the empty set means that nothing is declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const OPEN: Self = Self(0);
    pub(crate) const STRING: Self = Self(1);
    pub(crate) const INTEGER: Self = Self(2);
    pub(crate) const NUMBER: Self = Self(4);
    pub(crate) const BOOLEAN: Self = Self(8);
    pub(crate) const NULL: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);

    /// Returns whether nothing is declared.
    pub(crate) fn is_open(self) -> bool {
        self == Self::OPEN
    }

    /// Returns whether any of `other` is declared.
    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether something is declared, and only types of `other`.
    pub(crate) fn only(self, other: Self) -> bool {
        !self.is_open() && self.0 & !other.0 == 0
    }

    /// Returns the types that one of two schemas allows.
    pub(super) fn join(self, other: Self) -> Self {
        if self.is_open() || other.is_open() { Self::OPEN } else { self | other }
    }

    /// Returns the types that both of two schemas allow; an integer is a number.
    ///
    /// Schemas that contradict each other declare nothing together.
    pub(super) fn meet(self, other: Self) -> Self {
        if self.is_open() || other.is_open() {
            return self | other;
        }
        let integers = if self.is_numeric() && other.is_numeric() { Self::INTEGER } else { Self::OPEN };
        let both = Self(self.0 & other.0);
        if both.has(Self::NUMBER) { both } else { both | integers }
    }

    fn is_numeric(self) -> bool {
        self.has(Self::INTEGER | Self::NUMBER)
    }

    /// Returns the types that the keyword `type` declares; an unknown name among them declares nothing.
    pub(super) fn declared(keyword: &Value) -> Self {
        match keyword {
            Value::String(name) => Self::named(name).unwrap_or(Self::OPEN),
            Value::Array(names) => {
                let types = names.iter().map(|name| Self::named(name.as_str()?));
                types.collect::<Option<Vec<_>>>().unwrap_or_default().into_iter().fold(Self::OPEN, Self::bitor)
            }
            _ => Self::OPEN,
        }
    }

    /// Returns the type of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() => Self::NUMBER,
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// Returns the type of a name: JSON Schema's, or one from a programming language.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let named = |(_, names): &&(Self, &[&str])| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        NAMES.iter().find(named).map(|(types, _)| *types)
    }
}

impl BitOr for Types {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

const NAMES: &[(Types, &[&str])] = &[
    (Types::STRING, &["string", "str", "text"]),
    (Types::INTEGER, &["integer", "int", "int32", "int64", "long"]),
    (Types::NUMBER, &["number", "float", "double", "decimal", "num"]),
    (Types::BOOLEAN, &["boolean", "bool"]),
    (Types::NULL, &["null", "none", "nonetype"]),
    (Types::ARRAY, &["array", "list", "tuple", "set"]),
    (Types::OBJECT, &["object", "dict", "map"]),
];
