//! The parameters that a call has so far: nearly always a few short names, stored in one text.

use std::collections::HashSet;

/// Bytes of names that are compared one by one; with more, all are looked up in a set.
const FEW: usize = 256;

/// Bytes of the first names, allocated at once.
const ROOM: usize = 64;

/// The names of the parameters so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenNames {
    count: usize,
    /// The names, each after its length, while they are few.
    few: Vec<u8>,
    /// All names, once they are many.
    many: Option<HashSet<Box<str>>>,
}

impl GivenNames {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        match &self.many {
            None => few(&self.few).any(|given| given == name.as_bytes()),
            Some(many) => many.contains(name),
        }
    }

    /// Adds a name; false if it is a duplicate.
    pub(crate) fn insert(&mut self, name: &str) -> bool {
        let new = match (u8::try_from(name.len()), &mut self.many) {
            (Ok(length), None) if self.few.len() + name.len() < FEW => {
                let new = !self.contains(name);
                if new {
                    self.few.reserve(if self.few.is_empty() { ROOM.max(name.len() + 1) } else { name.len() + 1 });
                    self.few.push(length);
                    self.few.extend_from_slice(name.as_bytes());
                }
                new
            }
            (_, many) => {
                let text = |given: &[u8]| String::from_utf8_lossy(given).into_owned().into_boxed_str();
                many.get_or_insert_with(|| few(&self.few).map(text).collect()).insert(name.into())
            }
        };
        self.count += usize::from(new);
        new
    }
}

/// Iterates over names in one text, each after its length.
fn few(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, behind) = rest.split_first()?;
        let (given, behind) = behind.split_at(usize::from(*length));
        rest = behind;
        Some(given)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_once_however_many_there_are() {
        let names: Vec<String> = (0..200).map(|number| "ab".repeat(number)).collect();
        let mut given = GivenNames::default();
        for name in &names {
            assert!(
                !given.contains(name) && given.insert(name) && given.contains(name) && !given.insert(name),
                "{name}"
            );
        }
        assert!(given.len() == names.len() && !given.is_empty() && !given.contains("b"));
    }
}
