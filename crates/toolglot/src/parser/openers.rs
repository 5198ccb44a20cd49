//! The openers of many candidates, looked up together byte by byte.

use super::head::skip_gap;
use super::starts::going_on;
use crate::dialect::{Part, Spelling};
use crate::view::{NotYet, View};

/// What the scanner looks for: a literal's text up to its first joint, and the byte that must follow, white space apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opener {
    pub(crate) text: String,
    then: Option<u8>,
}

impl Opener {
    /// Returns the opener that is all of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), then: None }
    }

    /// `behind` is the byte that must follow the whole literal, where one must.
    pub(crate) fn spelled(spelling: &Spelling, behind: Option<u8>) -> Self {
        let then = match spelling.parts.get(1..) {
            Some([Part::Joint, Part::Text(next), ..]) => next.bytes().next(),
            Some([]) => behind,
            _ => None,
        };
        Self { text: spelling.opener().to_owned(), then }
    }
}

/// What a text opens, and the byte that must follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Opened {
    then: Option<u8>,
    number: usize,
}

/// Literals in order, each with the numbers of what it opens; a sorted list walked like a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Openers {
    rows: Vec<(String, Vec<Opened>)>,
}

impl Openers {
    pub(crate) fn new(pairs: impl IntoIterator<Item = (Opener, usize)>) -> Self {
        let mut rows = std::collections::BTreeMap::<String, Vec<Opened>>::new();
        for (Opener { text, then }, number) in pairs {
            let row = rows.entry(text).or_default();
            let opened = Opened { then, number };
            if !row.contains(&opened) {
                row.push(opened);
            }
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

    /// Adds the numbers of all openers that stand at `at`; waits while a longer one may still come.
    ///
    /// Behind its joint an opener goes on, or begins once more: models restart a call.
    pub(crate) fn find(&self, view: View<'_>, at: usize, found: &mut Vec<usize>) -> Result<(), NotYet> {
        let first = view.byte(at)?;
        self.walk(view, at, |length, opened| {
            let mut next = None;
            for Opened { then, number } in opened {
                if then.is_some() && next.is_none() {
                    next = Some(view.byte(skip_gap(view, at + length)?)?);
                }
                if then.is_none() || next == Some(*then) || next == Some(first) {
                    found.push(*number);
                }
            }
            Ok(())
        })
    }

    fn walk(
        &self,
        view: View<'_>,
        at: usize,
        mut hit: impl FnMut(usize, &[Opened]) -> Result<(), NotYet>,
    ) -> Result<(), NotYet> {
        let mut rows = &self.rows[..];
        for depth in 0.. {
            if let Some((text, opened)) = rows.first()
                && text.len() == depth
            {
                hit(depth, opened)?;
                rows = &rows[1..];
            }
            if rows.is_empty() {
                return Ok(());
            }
            let Some(byte) = view.byte(at + depth)? else { return Ok(()) };
            rows = going_on(rows, depth, byte, |row| row.0.as_bytes());
        }
        Ok(())
    }
}
