//! The openers of many candidates, looked up together byte by byte.

use crate::view::{NotYet, View};

/// Literals in order, each with the numbers of what it opens; a sorted list walked like a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Openers {
    rows: Vec<(String, Vec<usize>)>,
}

impl Openers {
    pub(crate) fn new(pairs: impl IntoIterator<Item = (String, usize)>) -> Self {
        let mut rows = std::collections::BTreeMap::<String, Vec<usize>>::new();
        for (text, number) in pairs {
            rows.entry(text).or_default().push(number);
        }
        Self { rows: rows.into_iter().collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the openers' texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|(text, _)| text.as_str())
    }

    /// Returns the bytes with which the openers begin.
    pub(crate) fn first_bytes(&self) -> impl Iterator<Item = u8> {
        self.rows.iter().filter_map(|(text, _)| text.bytes().next())
    }

    /// Adds the numbers of all openers that stand at `at`; waits while a longer one may still come.
    pub(crate) fn find(&self, view: View<'_>, at: usize, found: &mut Vec<usize>) -> Result<(), NotYet> {
        self.walk(view, at, |_, numbers| found.extend_from_slice(numbers))
    }

    fn walk(&self, view: View<'_>, at: usize, mut hit: impl FnMut(usize, &[usize])) -> Result<(), NotYet> {
        let mut rows = &self.rows[..];
        for depth in 0.. {
            if let Some((text, numbers)) = rows.first()
                && text.len() == depth
            {
                hit(depth, numbers);
                rows = &rows[1..];
            }
            if rows.is_empty() {
                return Ok(());
            }
            let Some(byte) = view.byte(at + depth)? else { return Ok(()) };
            let at_depth = |row: &(String, Vec<usize>)| row.0.as_bytes().get(depth).copied();
            let start = rows.partition_point(|row| at_depth(row) < Some(byte));
            let end = rows.partition_point(|row| at_depth(row) <= Some(byte));
            rows = &rows[start..end];
        }
        Ok(())
    }
}
