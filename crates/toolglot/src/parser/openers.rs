//! The openers of many candidates, looked up together byte by byte.

use std::borrow::Cow;

use super::bytes::NextBytes;
use super::head::{GAPS, MARK, skip_gap};
use crate::dialect::{Spelling, SpellingPart, is_strong};
use crate::lead::Lead;
use crate::view::{NotYet, View};

/// What the scanner searches for: a literal's text up to its first joint, and the bytes that may follow, apart from white space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opener<'t> {
    pub(crate) text: Cow<'t, str>,
    /// One of these must follow; any byte may if there are none.
    then: Option<NextBytes>,
    /// What must follow the next text.
    after: Option<(&'t str, NextBytes)>,
    /// Only JSON can follow it, which begins with no letter.
    pub(crate) json: bool,
    /// Strong: prose does not contain it.
    pub(crate) strong: bool,
}

impl<'t> Opener<'t> {
    /// Returns an opener that consists of a text.
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text: text.into(), then: None, after: None, json: false, strong: is_strong(text) }
    }

    /// Adds the openers of a spelling, two if it is written with or without a mark; `behind` is what may follow the whole
    /// literal, if that is restricted.
    pub(crate) fn add_spelled(spelling: &'t Spelling, behind: Option<BytesBehind<'t>>, openers: &mut Vec<Self>) {
        let text = spelling.opener();
        let (whole, after) = behind.map_or((None, None), |behind| (Some(behind.bytes), behind.after));
        let mut add = |text, then, after| {
            openers.push(Self { text, then, after, json: false, strong: spelling.is_strong_at_once() });
        };
        match spelling.parts.get(1..) {
            Some([SpellingPart::Joint, SpellingPart::Text(next), ..]) => {
                add(Cow::Borrowed(text), Some(NextBytes::of_text(next)), None);
            }
            Some([SpellingPart::Mark, SpellingPart::Text(close)]) => {
                add(Cow::Owned([text, close].concat()), whole, after);
                add(Cow::Borrowed(text), Some(NextBytes::of_bytes([MARK].into_iter().collect())), None);
            }
            Some([]) => add(Cow::Borrowed(text), whole, after),
            _ => add(Cow::Borrowed(text), None, None),
        }
    }
}

/// How a text continues, and what follows after a known text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BytesBehind<'t> {
    pub(crate) bytes: NextBytes,
    pub(crate) after: Option<(&'t str, NextBytes)>,
}

/// What may follow a text, for some of its candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Behind {
    then: Option<NextBytes>,
    /// The index of a text that may come next, and what must follow it.
    after: Option<(usize, NextBytes)>,
    json: bool,
}

/// Sorted literals, each with the numbers of the candidates that it opens.
///
/// All that match at a place are prefixes of the last one that sorts no later than the text there, or that one itself:
/// whatever sorts between a matching literal and the text begins with that literal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Openers {
    rows: Vec<OpenerRow>,
}

/// A literal and its candidates.
#[derive(Clone, Debug, Default)]
struct OpenerRow {
    /// Its first bytes, in the order of the literals.
    lead: u128,
    text: String,
    /// The longest other literal that is a prefix of it.
    inner: Option<usize>,
    behind: Vec<Behind>,
    /// The texts that may come next.
    nexts: Vec<Box<str>>,
    /// The numbers of its candidates, sorted, each after what may follow.
    opened: Vec<(usize, usize)>,
}

impl OpenerRow {
    /// Returns whether the literal occurs again where it might continue, and continues after that.
    fn restarts(&self, view: View<'_>, next: TextBehind, then: &NextBytes) -> Result<bool, NotYet> {
        let TextBehind::Seen { at, bytes: [first, second], .. } = next else { return Ok(false) };
        let mut own = self.text.bytes();
        let begins = own.next() == Some(first) && (first != b'<' || own.next().is_none_or(|own| own == second));
        Ok(begins && view.starts_with(at, &self.text)? && TextBehind::of(view, at + self.text.len())?.continues(then))
    }

    fn open(&mut self, opener: &Opener<'_>, number: usize) {
        let after = opener.after.map(|(text, then)| (self.next_text(text), then));
        let behind = Behind { then: opener.then, after, json: opener.json };
        let way = self.behind.iter().position(|known| *known == behind).unwrap_or(self.behind.len());
        if way == self.behind.len() {
            self.behind.push(behind);
        }
        // Numbers come in order: what is the same is among the last.
        if !self.opened.iter().rev().take_while(|known| known.1 == number).any(|known| known.0 == way) {
            self.opened.push((way, number));
        }
    }

    /// Returns the index of a text that may come next.
    fn next_text(&mut self, text: &str) -> usize {
        let known = self.nexts.iter().position(|known| **known == *text);
        known.unwrap_or_else(|| {
            self.nexts.push(text.into());
            self.nexts.len() - 1
        })
    }
}

impl Openers {
    pub(crate) fn new<'t>(pairs: impl IntoIterator<Item = (Opener<'t>, usize)>) -> Self {
        let pairs: Vec<_> = pairs.into_iter().collect();
        let text = |place: usize| &*pairs[place].0.text;
        let mut order: Vec<_> =
            (0..pairs.len()).map(|place| (Lead::of(text(place).as_bytes()).order(), place)).collect();
        order.sort_unstable_by(|one, other| (one.0, text(one.1), one.1).cmp(&(other.0, text(other.1), other.1)));
        let mut openers = Self { rows: Vec::with_capacity(pairs.len()) };
        for alike in order.chunk_by(|one, next| one.0 == next.0 && text(one.1) == text(next.1)) {
            let mut row = OpenerRow { opened: Vec::with_capacity(alike.len()), ..OpenerRow::default() };
            alike.iter().for_each(|(_, place)| row.open(&pairs[*place].0, pairs[*place].1));
            openers.add(text(alike[0].1), row);
        }
        openers.rows.shrink_to_fit();
        openers
    }

    /// Adds the next literal; they must be sorted.
    fn add(&mut self, text: &str, row: OpenerRow) {
        let mut inner = self.rows.len().checked_sub(1);
        while let Some(row) = inner.map(|number| &self.rows[number]).filter(|row| !text.starts_with(&row.text)) {
            inner = row.inner;
        }
        self.rows.push(OpenerRow { lead: Lead::of(text.as_bytes()).order(), text: text.to_owned(), inner, ..row });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the candidates of one opener: its text, and what must follow if that is restricted.
    pub(crate) fn starts(&self) -> Vec<Vec<u8>> {
        let mut starts = Vec::new();
        for OpenerRow { text, behind, .. } in &self.rows {
            let text = text.as_bytes();
            let json = |way: &Behind| way.json && text.len() == 1;
            let then = |way: &Behind| way.then.and_then(|bytes| bytes.only());
            if behind.iter().any(|way| then(way).is_none() && !json(way)) {
                starts.push(text.to_vec());
                continue;
            }
            let again = text.first().copied();
            let bytes = behind.iter().filter_map(then).chain(again);
            let no_words = behind.iter().any(json).then_some((0..=u8::MAX).filter(|byte| !is_word(*byte)));
            let no_words = no_words.into_iter().flatten();
            starts.extend(bytes.chain(no_words).map(|byte| [text, &[byte]].concat()));
            starts.extend(GAPS.iter().map(|gap| [text, gap.as_bytes()].concat()));
        }
        starts
    }

    /// Adds the numbers of all openers at `at`; waits while a longer one is still possible.
    ///
    /// After its joint, an opener continues, or begins again and then continues: models restart a call.
    pub(crate) fn find(&self, view: View<'_>, at: usize, found: &mut Vec<usize>) -> Result<(), NotYet> {
        let rest = view.rest(at);
        let lead = Lead::of(rest).order();
        let before = |row: &OpenerRow| row.lead < lead || row.lead == lead && row.text.as_bytes() <= rest;
        let next = self.rows.partition_point(before);
        if self.rows.get(next).is_some_and(|row| row.text.as_bytes().starts_with(rest)) {
            view.final_end()?;
        }
        let mut last = next.checked_sub(1);
        while let Some(row) = last.map(|number| &self.rows[number]) {
            last = row.inner;
            if !rest.starts_with(row.text.as_bytes()) {
                continue;
            }
            // Looked at once some have to know.
            let (mut next, mut behind) = (None, (usize::MAX, None));
            let mut continues = |way: &Behind| {
                let Some(then) = &way.then else { return Ok(true) };
                let next = match next {
                    Some(next) => next,
                    None => *next.insert(TextBehind::of(view, at + row.text.len())?),
                };
                match (&way.after, next) {
                    _ if !next.continues(then) => row.restarts(view, next, then),
                    (Some((number, after)), TextBehind::Seen { at, .. }) => {
                        if behind.0 != *number {
                            let text = &row.nexts[*number];
                            let stands = view.starts_with(at, text)?;
                            behind =
                                (*number, if stands { Some(TextBehind::of(view, at + text.len())?) } else { None });
                        }
                        Ok(behind.1.is_none_or(|behind| behind.continues(after)))
                    }
                    _ => Ok(true),
                }
            };
            // Ways to continue are asked about once for all that share them; those beyond the bits, by themselves.
            let (mut asked, mut ways) = (0_u64, 0_u64);
            for (way, number) in &row.opened {
                let bit = u32::try_from(*way).ok().and_then(|way| 1_u64.checked_shl(way)).unwrap_or(0);
                let goes = if asked & bit != 0 { ways & bit != 0 } else { continues(&row.behind[*way])? };
                asked |= bit;
                if goes {
                    ways |= bit;
                    found.push(*number);
                }
            }
        }
        Ok(())
    }
}

/// What follows an opener, white space apart.
#[derive(Clone, Copy)]
enum TextBehind {
    /// Its position, its first two bytes (the second one zero at the end of the input), and whether white space precedes it.
    Seen { at: usize, bytes: [u8; 2], apart: bool },
    /// More white space than is examined.
    Far,
    /// The end of the input.
    Nothing,
}

impl TextBehind {
    /// Returns whether an opener continues here with one of these bytes, or may do so further away.
    fn continues(self, then: &NextBytes) -> bool {
        match self {
            Self::Seen { bytes, apart, .. } => then.contains(bytes, apart),
            Self::Far => true,
            Self::Nothing => false,
        }
    }

    fn of(view: View<'_>, at: usize) -> Result<Self, NotYet> {
        let bounded = view.limited(at + REACH);
        let found = skip_gap(bounded, at).and_then(|behind| {
            let Some(first) = bounded.byte(behind)? else { return Ok(Self::Nothing) };
            let second = if first == b'<' { bounded.byte(behind + 1)?.unwrap_or_default() } else { 0 };
            Ok(Self::Seen { at: behind, bytes: [first, second], apart: behind > at })
        });
        match found {
            Err(NotYet) if bounded.end() < view.end() => Ok(Self::Far),
            found => found,
        }
    }
}

/// White space after an opener that is skipped to distinguish candidates. Models indent by less; with a message of openers
/// and spaces, each opener would otherwise read all of it.
const REACH: usize = 64;

/// Returns whether a byte is in names and closing tags.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'/'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str], seen: &str, closed: bool) -> Result<Vec<usize>, NotYet> {
        let openers = Openers::new(texts.iter().copied().map(Opener::of).zip(0..));
        let mut found = Vec::new();
        openers.find(View::new(seen, 0, closed), 0, &mut found)?;
        found.sort_unstable();
        Ok(found)
    }

    #[test]
    fn every_opener_that_stands_is_found_and_a_longer_one_is_waited_for() {
        let texts = ["<tool", "<tool_call>", "[x"];
        let cases = [
            ("<tool_call> x", Ok(vec![0, 1])),
            ("<tool_call>", Ok(vec![0, 1])),
            ("<toolbox", Ok(vec![0])),
            ("<tool_ca", Err(NotYet)),
            ("<tool", Err(NotYet)),
            ("<to", Err(NotYet)),
            ("<div", Ok(vec![])),
            ("[x", Ok(vec![2])),
            ("[", Err(NotYet)),
            ("[y", Ok(vec![])),
        ];
        for (seen, expected) in cases {
            let closed = expected.clone().unwrap_or_else(|_| if seen.len() > 4 { vec![0] } else { vec![] });
            assert_eq!(found(&texts, seen, false), expected, "{seen}");
            assert_eq!(found(&texts, seen, true), Ok(closed), "{seen}");
        }
    }

    #[test]
    fn what_opens_twice_by_one_text_is_found_once() {
        let twice = [("<a>", 3), ("<a>", 3), ("<a>", 5)].map(|(text, number)| (Opener::of(text), number));
        let mut found = Vec::new();
        assert_eq!(Openers::new(twice).find(View::whole("<a>"), 0, &mut found), Ok(()));
        assert_eq!(found, [3, 5]);
    }
}
