//! Access to members by name and to items by index.

use std::ops::{Index, IndexMut};

use crate::value::{Map, Value};

/// A key of a value: a member's name or an item's index.
pub trait ValueIndex {
    /// Returns the member or item, if it exists.
    fn of(self, value: &Value) -> Option<&Value>;

    /// Returns the member or item for modification, if it exists.
    fn of_mut(self, value: &mut Value) -> Option<&mut Value>;

    /// Returns the member or item for modification; inserts `null` for a missing member, and turns `null` into an object.
    ///
    /// # Panics
    /// If the value is not an object, or the index is out of bounds.
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
    /// Returns the member of this name or the item at this index.
    pub fn get(&self, index: impl ValueIndex) -> Option<&Self> {
        index.of(self)
    }

    /// Returns the member of this name or the item at this index, for modification.
    pub fn get_mut(&mut self, index: impl ValueIndex) -> Option<&mut Self> {
        index.of_mut(self)
    }
}

impl<I: ValueIndex> Index<I> for Value {
    type Output = Self;

    /// Returns the member or item, or `null` if it does not exist.
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

    /// Returns the member, or `null` if it does not exist.
    fn index(&self, key: &str) -> &Value {
        const NULL: &Value = &Value::Null;
        self.get(key).unwrap_or(NULL)
    }
}

impl IndexMut<&str> for Map {
    /// Returns the member for modification; inserts `null` if it is missing.
    fn index_mut(&mut self, key: &str) -> &mut Value {
        self.entry(key).or_insert(Value::Null)
    }
}
