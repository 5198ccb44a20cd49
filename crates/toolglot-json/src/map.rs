//! The members of an object, in order.

use std::fmt;

use indexmap::map;

use crate::value::{Map, Value};

/// The entry of a member, which may be vacant.
pub struct Entry<'m>(map::Entry<'m, String, Value>);

/// Iterates over members.
pub type Iter<'m> = map::Iter<'m, String, Value>;
/// Iterates over members whose values may be modified.
pub type IterMut<'m> = map::IterMut<'m, String, Value>;
/// Iterates over members by value.
pub type IntoIter = map::IntoIter<String, Value>;

impl Map {
    /// Returns an object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a member.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns the value of a member, for modification.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.0.get_mut(key)
    }

    /// Returns whether there is a member of this name.
    pub fn contains_key(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Sets a member, in its place or at the end, and returns its former value.
    pub fn insert(&mut self, key: String, value: Value) -> Option<Value> {
        self.0.insert(key, value)
    }

    /// Removes a member; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.shift_remove(key)
    }

    /// Removes a member and returns it with its name; the others keep their order.
    pub fn remove_entry(&mut self, key: &str) -> Option<(String, Value)> {
        self.0.shift_remove_entry(key)
    }

    /// Keeps the members for which a predicate is true.
    pub fn retain(&mut self, keep: impl FnMut(&String, &mut Value) -> bool) {
        self.0.retain(keep);
    }

    /// Returns the entry of a member.
    pub fn entry(&mut self, key: impl Into<String>) -> Entry<'_> {
        Entry(self.0.entry(key.into()))
    }

    /// Returns the members.
    pub fn iter(&self) -> Iter<'_> {
        self.0.iter()
    }

    /// Returns the members, with values for modification.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        self.0.iter_mut()
    }

    /// Returns the names.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &String> + ExactSizeIterator + Clone {
        self.0.keys()
    }

    /// Returns the values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.0.values()
    }

    /// Returns the values, for modification.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Value> + ExactSizeIterator {
        self.0.values_mut()
    }
}

impl<'m> Entry<'m> {
    /// Returns the value; inserts the given one if it is vacant.
    pub fn or_insert(self, value: Value) -> &'m mut Value {
        self.0.or_insert(value)
    }

    /// Returns the value; inserts the result of a function if it is vacant.
    pub fn or_insert_with(self, make: impl FnOnce() -> Value) -> &'m mut Value {
        self.0.or_insert_with(make)
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromIterator<(String, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl Extend<(String, Value)> for Map {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, members: I) {
        self.0.extend(members);
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'m> IntoIterator for &'m Map {
    type Item = (&'m String, &'m Value);
    type IntoIter = Iter<'m>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'m> IntoIterator for &'m mut Map {
    type Item = (&'m String, &'m mut Value);
    type IntoIter = IterMut<'m>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}
