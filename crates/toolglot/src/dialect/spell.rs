//! Expands a literal into all of its spellings, with joints where white space is allowed.

use std::cell::RefCell;
use std::mem::take;
use std::ops::Range;

use super::error::ValueFault;
use super::pattern::{Literal, Spelling, SpellingPart, each_once};
use super::token::LiteralPiece;

/// More spellings of one literal are an error in the file: words multiply, so three words of five spellings are 125
/// openers to search for.
const MAX_SPELLINGS: usize = 64;

/// The compiled literals of a file: most occur in several patterns.
#[derive(Debug, Default)]
pub(super) struct KnownLiterals {
    literals: RefCell<Vec<(Vec<LiteralPiece>, Literal)>>,
    /// The buffer in which each literal is spelled.
    spelled: RefCell<SpelledLiteral>,
}

impl KnownLiterals {
    /// Compiles a literal, unless the file has had the same before: all combinations of its words' spellings, canonical first.
    pub(super) fn literal(
        &self,
        pieces: &[LiteralPiece],
        at: &Range<usize>,
        words: &[(String, Vec<String>)],
        special: &[String],
    ) -> Result<Literal, ValueFault> {
        if let Some((_, literal)) = self.literals.borrow().iter().find(|known| known.0 == pieces) {
            return Ok(literal.clone());
        }
        let used: Vec<usize> = (0..words.len()).filter(|word| pieces.contains(&LiteralPiece::Word(*word))).collect();
        let mut count = 1;
        for word in &used {
            count *= words[*word].1.len();
            if count > MAX_SPELLINGS {
                let fault = ValueFault::new(at.clone(), format!("more than {MAX_SPELLINGS} spellings of one literal"));
                return Err(fault.help("give the words fewer spellings, or split the pattern"));
            }
        }
        let spelled = &mut *self.spelled.borrow_mut();
        let spellings = each_once((0..count).map(|number| {
            spelled.spell(pieces, &chosen(number, &used, words));
            spelled.mark(special);
            spelled.spelling()
        }));
        let literal = Literal { spellings: spellings.into_iter().collect() };
        self.literals.borrow_mut().push((pieces.to_vec(), literal.clone()));
        Ok(literal)
    }

    /// Returns whether a literal uses a word, given by its index.
    pub(super) fn has_word(&self, word: usize) -> bool {
        self.literals.borrow().iter().any(|known| known.0.contains(&LiteralPiece::Word(word)))
    }
}

/// Returns the alternative of each used word in one of all combinations; those of the last word vary fastest.
fn chosen<'w>(mut number: usize, used: &[usize], words: &'w [(String, Vec<String>)]) -> Vec<(usize, &'w str)> {
    let mut chosen: Vec<(usize, &str)> = Vec::with_capacity(used.len());
    for &word in used.iter().rev() {
        let alternatives = &words[word].1;
        chosen.push((word, &alternatives[number % alternatives.len()]));
        number /= alternatives.len();
    }
    chosen
}

/// A literal with its words expanded.
#[derive(Debug, Default)]
struct SpelledLiteral {
    text: String,
    /// The parts that are not text, and their positions.
    holes: Vec<(usize, SpellingPart)>,
    /// Special tokens, which contain no joints.
    tokens: Vec<Range<usize>>,
    /// The ends of those in angle brackets: detokenizers insert spaces there.
    seams: Vec<usize>,
}

impl SpelledLiteral {
    fn spell(&mut self, pieces: &[LiteralPiece], chosen: &[(usize, &str)]) {
        self.text.clear();
        self.holes.clear();
        for piece in pieces {
            let hole = match piece {
                LiteralPiece::Text(text) => {
                    self.text.push_str(text);
                    continue;
                }
                LiteralPiece::Word(word) => {
                    self.text.push_str(chosen.iter().find(|chosen| chosen.0 == *word).map_or("", |chosen| chosen.1));
                    continue;
                }
                LiteralPiece::Mark => SpellingPart::Mark,
                LiteralPiece::Name => SpellingPart::Name,
                LiteralPiece::Key => SpellingPart::Key,
            };
            self.holes.push((self.text.len(), hole));
        }
    }

    /// Finds the special tokens.
    fn mark(&mut self, special: &[String]) {
        self.tokens.clear();
        self.seams.clear();
        let text = self.text.as_bytes();
        for token in special.iter().map(String::as_bytes).filter(|token| token.len() <= text.len()) {
            for at in memchr::memchr_iter(token[0], text) {
                let end = at + token.len();
                if text[at..].starts_with(token) && !self.holes.iter().any(|hole| at < hole.0 && hole.0 < end) {
                    self.seams.extend((token.starts_with(b"<") && token.ends_with(b">")).then_some(end));
                    self.tokens.push(at..end);
                }
            }
        }
    }

    fn spelling(&self) -> Spelling {
        let mut parts = PartsSoFar { text: &self.text, parts: Vec::new(), from: 0, blank: false };
        let (mut holes, end) = (&self.holes[..], self.text.len());
        for (at, c) in self.text.char_indices() {
            let edge = holes.first().is_some_and(|hole| hole.0 == at) || self.seams.contains(&at);
            if !edge && !parts.blank && (c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            let mut seam = edge && self.seams.contains(&at);
            let mut before = at.checked_sub(1).map(|before| self.text.as_bytes()[before]);
            while let Some(((_, hole), rest)) = holes.split_first().filter(|(hole, _)| hole.0 == at) {
                parts.hole(at, hole, take(&mut seam));
                (holes, before) = (rest, None);
            }
            let natural = || meets(before, c) && !self.tokens.iter().any(|token| token.start < at && at < token.end);
            if c.is_whitespace() {
                parts.end(at);
                (parts.from, parts.blank) = (at + c.len_utf8(), true);
            } else if parts.blank || seam || natural() {
                parts.join(at);
            }
        }
        let mut seam = self.seams.contains(&end);
        holes.iter().for_each(|(_, hole)| parts.hole(end, hole, take(&mut seam)));
        parts.end(end);
        Spelling::new(parts.parts)
    }
}

/// The parts of a spelling, as far as its text has been processed.
struct PartsSoFar<'t> {
    text: &'t str,
    parts: Vec<SpellingPart>,
    /// Where the text that belongs to no part yet begins.
    from: usize,
    /// White space precedes it.
    blank: bool,
}

impl PartsSoFar<'_> {
    /// Ends the current text.
    fn end(&mut self, at: usize) {
        if self.from < at {
            self.parts.push(SpellingPart::Text(self.text[self.from..at].to_owned().into()));
        }
        self.from = at;
    }

    fn hole(&mut self, at: usize, hole: &SpellingPart, seam: bool) {
        self.end(at);
        if self.blank || seam {
            self.join(at);
        }
        self.parts.push(hole.clone());
    }

    /// Adds a joint before the next part; white space is allowed there.
    fn join(&mut self, at: usize) {
        self.end(at);
        if !self.parts.is_empty() {
            self.parts.push(SpellingPart::Joint);
        }
        self.blank = false;
    }
}

/// Returns whether white space is allowed between two characters: before a tag, between brackets, after a JSON key.
fn meets(before: Option<u8>, c: char) -> bool {
    match c {
        '<' => true,
        '[' | '{' | '"' | ']' | '}' => matches!(before, Some(b'>' | b']' | b'}' | b'[' | b'{')),
        ':' => before == Some(b'"'),
        _ => false,
    }
}
