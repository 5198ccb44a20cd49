//! Members by their names, items by their places.

use std::ops::{Index, IndexMut};

use crate::value::{Map, Value};

/// What a value may be asked for: a member's name or an item's place.
pub trait ValueIndex {
    /// Returns what is there.
    fn of(self, value: &Value) -> Option<&Value>;

    /// Returns what is there, to change it.
    fn of_mut(self, value: &mut Value) -> Option<&mut Value>;

    /// Returns what is there; a member that is missing becomes `null`, and so does an object that is `null`.
    ///
    /// # Panics
    /// If the value is no object, or the list is too short.
    fn of_or_null(self, value: &mut Value) -> &mut Value;
}

impl ValueIndex for &str {
    fn of(self, value: &Value) -> Option<&Value> {
        value.as_object()?.get(self)
    }

    fn of_mut(self, value: &mut Value) -> Option<&mut Value> {
        value.as_object_mut()?.get_mut(self)
    }

    fn of_or_null(self, value: &mut Value) -> &mut Value {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        match value {
            Value::Object(members) => members.entry(self).or_insert(Value::Null),
            other => panic!("`{self}` asks for a member, but {other} is no object"),
        }
    }
}

impl ValueIndex for &String {
    fn of(self, value: &Value) -> Option<&Value> {
        self.as_str().of(value)
    }

    fn of_mut(self, value: &mut Value) -> Option<&mut Value> {
        self.as_str().of_mut(value)
    }

    fn of_or_null(self, value: &mut Value) -> &mut Value {
        self.as_str().of_or_null(value)
    }
}

impl<I: ValueIndex + Copy> ValueIndex for &I {
    fn of(self, value: &Value) -> Option<&Value> {
        (*self).of(value)
    }

    fn of_mut(self, value: &mut Value) -> Option<&mut Value> {
        (*self).of_mut(value)
    }

    fn of_or_null(self, value: &mut Value) -> &mut Value {
        (*self).of_or_null(value)
    }
}

impl ValueIndex for usize {
    fn of(self, value: &Value) -> Option<&Value> {
        value.as_array()?.get(self)
    }

    fn of_mut(self, value: &mut Value) -> Option<&mut Value> {
        value.as_array_mut()?.get_mut(self)
    }

    fn of_or_null(self, value: &mut Value) -> &mut Value {
        match value {
            Value::Array(items) => &mut items[self],
            other => panic!("{self} asks for an item, but {other} is no list"),
        }
    }
}

impl Value {
    /// Returns the member of a name or the item at a place.
    pub fn get(&self, index: impl ValueIndex) -> Option<&Self> {
        index.of(self)
    }

    /// Returns the member of a name or the item at a place, to change it.
    pub fn get_mut(&mut self, index: impl ValueIndex) -> Option<&mut Self> {
        index.of_mut(self)
    }
}

impl<I: ValueIndex> Index<I> for Value {
    type Output = Self;

    /// Returns what is there, or `null`.
    fn index(&self, index: I) -> &Self {
        const NULL: &Value = &Value::Null;
        index.of(self).unwrap_or(NULL)
    }
}

impl<I: ValueIndex> IndexMut<I> for Value {
    fn index_mut(&mut self, index: I) -> &mut Self {
        index.of_or_null(self)
    }
}

impl Index<&str> for Map {
    type Output = Value;

    /// Returns a member, or `null`.
    fn index(&self, key: &str) -> &Value {
        const NULL: &Value = &Value::Null;
        self.get(key).unwrap_or(NULL)
    }
}

impl IndexMut<&str> for Map {
    /// Returns a member, which becomes `null` if it is missing.
    fn index_mut(&mut self, key: &str) -> &mut Value {
        self.entry(key).or_insert(Value::Null)
    }
}
