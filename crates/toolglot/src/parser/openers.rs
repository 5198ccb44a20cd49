//! The openers of many candidates, looked up together byte by byte.

use super::bytes::ByteBits;
use super::head::{GAPS, skip_gap};
use super::starts::going_on;
use crate::dialect::{Part, Spelling};
use crate::view::{NotYet, View};

/// What the scanner looks for: a literal's text up to its first joint, and the bytes that may follow, white space apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opener {
    pub(crate) text: String,
    /// One of these must follow; anything may if there are none.
    then: Option<ByteBits>,
    /// Nothing but JSON can stand behind it, which begins with no letter.
    json: bool,
}

impl Opener {
    /// Returns the opener that is all of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), then: None, json: false }
    }

    /// `behind` is what may follow the whole literal, where not everything may.
    pub(crate) fn spelled(spelling: &Spelling, behind: Option<ByteBits>) -> Self {
        let then = match spelling.parts.get(1..) {
            Some([Part::Joint, Part::Text(next), ..]) => Some(next.bytes().take(1).collect()),
            Some([]) => behind,
            _ => None,
        };
        Self { text: spelling.opener().to_owned(), then, json: false }
    }

    /// Returns the opener with nothing but JSON behind it.
    pub(crate) fn with_json(self, json: bool) -> Self {
        Self { json, ..self }
    }
}

/// What a text opens, and the bytes that may follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Opened {
    then: Option<ByteBits>,
    json: bool,
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
        for (Opener { text, then, json }, number) in pairs {
            let row = rows.entry(text).or_default();
            let opened = Opened { then, json, number };
            if !row.contains(&opened) {
                row.push(opened);
            }
        }
        Self { rows: rows.into_iter().collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns what begins with one of the openers: its text, and what must follow where that is little.
    pub(crate) fn starts(&self) -> Vec<Vec<u8>> {
        let mut starts = Vec::new();
        for (text, opened) in &self.rows {
            let text = text.as_bytes();
            let json = |opened: &Opened| opened.json && text.len() == 1;
            let then = |opened: &Opened| opened.then.and_then(|bytes| bytes.only());
            if opened.iter().any(|opened| then(opened).is_none() && !json(opened)) {
                starts.push(text.to_vec());
                continue;
            }
            let again = text.first().copied();
            let bytes = opened.iter().filter_map(then).chain(again);
            let no_words = (0..=u8::MAX).filter(|byte| opened.iter().any(json) && !is_word(*byte));
            starts.extend(bytes.chain(no_words).map(|byte| [text, &[byte]].concat()));
            starts.extend(GAPS.iter().map(|gap| [text, gap.as_bytes()].concat()));
        }
        starts
    }

    /// Adds the numbers of all openers that stand at `at`; waits while a longer one may still come.
    ///
    /// Behind its joint an opener goes on, or begins once more: models restart a call.
    pub(crate) fn find(&self, view: View<'_>, at: usize, found: &mut Vec<usize>) -> Result<(), NotYet> {
        let first = view.byte(at)?;
        self.walk(view, at, |length, opened| {
            let mut next = None;
            for Opened { then, number, .. } in opened {
                if let Some(bytes) = then {
                    let next = match next {
                        Some(next) => next,
                        None => *next.insert(byte_behind(view, at + length)?),
                    };
                    let fits = |next: Option<u8>| next == first || next.is_some_and(|byte| bytes.contains(byte));
                    if !next.is_none_or(fits) {
                        continue;
                    }
                }
                found.push(*number);
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

/// Returns the byte behind an opener that ends at `at`, white space apart, or the end of the input; `None` if it is far.
fn byte_behind(view: View<'_>, at: usize) -> Result<Option<Option<u8>>, NotYet> {
    let near = view.limited(at + NEAR);
    match skip_gap(near, at).and_then(|behind| near.byte(behind)) {
        Err(NotYet) if near.end() < view.end() => Ok(None),
        found => found.map(Some),
    }
}

/// So much white space is looked past to tell candidates apart.
const NEAR: usize = 64;

/// Says whether a byte stands in names and closing tags.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'/'
}
