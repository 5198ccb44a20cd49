//! Which parameters of a call were given: nearly always a few short names, which stand in one text.

use std::collections::BTreeSet;

/// Bytes of the names that are compared one by one; with more of them, the others are looked up.
const FEW: usize = 256;

/// Bytes of the first names: room for them is made at once.
const ROOM: usize = 64;

/// The names of the parameters that were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenNames {
    count: usize,
    /// The first names, each behind its length.
    few: Vec<u8>,
    more: BTreeSet<String>,
}

impl GivenNames {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        let mut rest = &self.few[..];
        while let Some((length, behind)) = rest.split_first() {
            let (given, behind) = behind.split_at(usize::from(*length));
            if given == name.as_bytes() {
                return true;
            }
            rest = behind;
        }
        !self.more.is_empty() && self.more.contains(name)
    }

    /// Adds a name; false if it was given before.
    pub(crate) fn insert(&mut self, name: &str) -> bool {
        if self.contains(name) {
            return false;
        }
        self.count += 1;
        match u8::try_from(name.len()) {
            Ok(length) if self.few.len() + name.len() < FEW => {
                self.few.reserve(if self.few.is_empty() { ROOM.max(name.len() + 1) } else { name.len() + 1 });
                self.few.push(length);
                self.few.extend_from_slice(name.as_bytes());
            }
            _ => drop(self.more.insert(name.to_owned())),
        }
        true
    }
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
