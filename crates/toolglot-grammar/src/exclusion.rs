//! Automata for text that does not contain certain literals.
//!
//! ```text
//!            any other                     what begins a literal
//!          ┌───────────► no literal begun ───────────────┐
//!          │                     ▲                       ▼
//!          └─────────────────────┴─── any other ── some of it read ── its last character ──► not in the text
//! ```

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::chars::Chars;

/// The literals that a text excludes, and how its characters are written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exclusion {
    literals: Vec<Excluded>,
    quoting: Quoting,
}

/// An excluded literal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Excluded {
    pub(crate) text: String,
    /// Excluded only at the beginning of a line, possibly after white space.
    pub(crate) at_line_start: bool,
    /// Excluded also with ASCII letters in the other case.
    pub(crate) any_case: bool,
}

/// How the characters of a text are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quoting {
    /// Unchanged.
    Bare,
    /// As in JSON between double quotes.
    Json,
    /// As in Python between double quotes.
    Python,
    /// As in attributes: markup is written as entities.
    Attribute,
}

/// A state of the automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExclusionState {
    /// The characters that lead to each state.
    pub(crate) edges: Vec<(Chars, usize)>,
}

impl Exclusion {
    pub(crate) fn new(quoting: Quoting, literals: impl IntoIterator<Item = Excluded>) -> Self {
        let mut all: Vec<Excluded> = literals.into_iter().filter(|literal| !literal.text.is_empty()).collect();
        all.sort_unstable();
        all.dedup();
        let small: Vec<String> = all.iter().map(|literal| literal.text.to_ascii_lowercase()).collect();
        // What contains another needs no mention; of two that say the same, the first is needed.
        let needed = |(at, literal): &(usize, &Excluded)| {
            !all.iter().enumerate().any(|(other_at, other)| {
                let (inner, outer) = match other.any_case {
                    true => (&small[other_at], &small[*at]),
                    false => (&other.text, &literal.text),
                };
                let held = match other.at_line_start {
                    true => literal.at_line_start && outer.starts_with(inner),
                    false => outer.contains(inner),
                };
                let same = literal.any_case
                    && literal.at_line_start == other.at_line_start
                    && small[other_at].contains(&small[*at]);
                let counts = if same { other_at < *at } else { other_at != *at };
                held && counts && (other.any_case || !literal.any_case)
            })
        };
        let literals = all.iter().enumerate().filter(needed).map(|(_, literal)| literal.clone()).collect();
        Self { literals, quoting }
    }

    pub(crate) fn literals(&self) -> &[Excluded] {
        &self.literals
    }

    pub(crate) fn quoting(&self) -> Quoting {
        self.quoting
    }

    /// Returns the same exclusion for text between quotes, which contains no beginning of a line and no quote.
    pub(crate) fn in_one_line(&self, quoting: Quoting) -> Self {
        let counts = |literal: &&Excluded| !literal.at_line_start && !literal.text.contains('"');
        let literals = self.literals.iter().filter(counts).cloned().collect();
        Self { literals, quoting }
    }

    /// Returns whether a text contains one of the literals.
    pub(crate) fn refuses(&self, text: &str) -> bool {
        self.literals.iter().any(|literal| match literal.at_line_start {
            false => literal.is_in(text),
            true => text.lines().any(|line| line.trim_start().starts_with(&literal.text)),
        })
    }

    /// Returns the states; the text begins in the first one and may end in each.
    pub(crate) fn states(&self) -> Vec<ExclusionState> {
        let machine = Machine::new(&self.literals, self.quoting.plain());
        let mut found = vec![machine.line_start()];
        let mut numbers = BTreeMap::from([(machine.line_start(), 0)]);
        let mut states = Vec::new();
        while let Some(places) = found.get(states.len()).cloned() {
            let mut edges = Vec::new();
            for (next, chars) in machine.edges(&places) {
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    found.push(next.clone());
                    found.len() - 1
                });
                edges.push((chars, number));
            }
            states.push(ExclusionState { edges });
        }
        states
    }

    /// Returns characters without which none of the literals can be written: for texts of limited length.
    pub(crate) fn harmless(&self) -> Chars {
        let mut left: Vec<&str> = self.literals.iter().map(|literal| literal.text.as_str()).collect();
        let mut out = String::new();
        while !left.is_empty() {
            let worth = |c: char| (left.iter().filter(|text| text.contains(c)).count(), !c.is_alphanumeric());
            let rare = |c: &char| (u8::from(!c.is_alphanumeric() && !c.is_whitespace()), worth(*c), *c);
            let Some(best) = left.iter().flat_map(|text| text.chars()).max_by_key(rare) else { break };
            out.push(best);
            left.retain(|text| !text.contains(best));
        }
        self.quoting.plain().without(&Chars::of(&out))
    }
}

impl Excluded {
    pub(crate) fn anywhere(text: impl Into<String>) -> Self {
        Self { text: text.into(), at_line_start: false, any_case: false }
    }

    pub(crate) fn at_line_start(text: impl Into<String>) -> Self {
        Self { text: text.into(), at_line_start: true, any_case: false }
    }

    /// Returns the same literal in any case, if it has letters.
    pub(crate) fn in_any_case(self) -> Self {
        Self { any_case: self.text.contains(|c: char| c.is_ascii_alphabetic()), ..self }
    }

    /// Returns the cases that models write, for engines that only exclude literals: unchanged, lower, upper, capitalised.
    pub(crate) fn spellings(&self) -> Vec<String> {
        let mut all = vec![self.text.clone()];
        if self.any_case {
            let small = self.text.to_ascii_lowercase();
            let capitals = small.char_indices().map(|(at, c)| match small[..at].ends_with(char::is_alphanumeric) {
                true => c,
                false => c.to_ascii_uppercase(),
            });
            all.extend([small.clone(), small.to_ascii_uppercase(), capitals.collect()]);
            let mut seen = BTreeSet::new();
            all.retain(|spelling| seen.insert(spelling.clone()));
        }
        all
    }

    fn is_in(&self, text: &str) -> bool {
        self.folded(text).contains(&*self.folded(&self.text))
    }

    fn folded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.any_case { text.to_ascii_lowercase().into() } else { text.into() }
    }

    /// Returns the ways to write a character of the literal.
    fn cases(&self, c: char) -> BTreeSet<char> {
        if self.any_case { [c.to_ascii_lowercase(), c.to_ascii_uppercase()].into() } else { [c].into() }
    }

    fn is_char(&self, own: char, c: char) -> bool {
        own == c || self.any_case && own.eq_ignore_ascii_case(&c)
    }
}

impl Quoting {
    /// Returns the characters that are written unchanged.
    pub(crate) fn plain(self) -> Chars {
        let all = Chars::ranges([('\0', char::MAX)]);
        match self {
            // No tokenizer and no protocol carries a zero.
            Self::Bare => all.without(&Chars::of("\0")),
            Self::Json => all.without(&Chars::of("\"\\\u{7f}").with(&Chars::ranges([('\0', '\u{1f}')]))),
            Self::Python => all.without(&Chars::of("\"\\\u{7f}").with(&Chars::ranges([('\0', '\u{1f}')]))),
            Self::Attribute => all.without(&Chars::of("\"<>&'\u{7f}").with(&Chars::ranges([('\0', '\u{1f}')]))),
        }
    }
}

/// The characters of each literal that have been read.
type Places = Vec<(usize, usize)>;

/// The literals as one automaton.
struct Machine<'l> {
    literals: Vec<(Vec<char>, &'l Excluded)>,
    /// The literals that are excluded anywhere, by their first character.
    fresh: BTreeMap<char, Vec<usize>>,
    plain: Chars,
    has_lines: bool,
}

impl<'l> Machine<'l> {
    fn new(literals: &'l [Excluded], plain: Chars) -> Self {
        let has_lines = literals.iter().any(|literal| literal.at_line_start);
        let mut fresh: BTreeMap<char, Vec<usize>> = BTreeMap::new();
        for (number, literal) in literals.iter().enumerate().filter(|(_, literal)| !literal.at_line_start) {
            let firsts = literal.text.chars().next().into_iter().flat_map(|c| literal.cases(c));
            firsts.for_each(|c| fresh.entry(c).or_default().push(number));
        }
        let literals = literals.iter().map(|literal| (literal.text.chars().collect(), literal)).collect();
        Self { literals, fresh, plain, has_lines }
    }

    /// Returns the transitions; characters that complete a literal have none.
    fn edges(&self, places: &Places) -> BTreeMap<Places, Chars> {
        let mut signs: BTreeSet<char> = self.fresh.keys().copied().collect();
        signs.extend(['\n', '\r', ' ', '\t'].into_iter().filter(|_| self.has_lines));
        for (number, at) in places {
            let (chars, literal) = &self.literals[*number];
            signs.extend(chars.get(*at).into_iter().flat_map(|c| literal.cases(*c)));
        }
        let pairs = |signs: &BTreeSet<char>| Chars::ranges(signs.iter().map(|c| (*c, *c)));
        let others = self.plain.without(&pairs(&signs));
        let mut edges: BTreeMap<Places, BTreeSet<char>> = BTreeMap::new();
        for c in signs.into_iter().filter(|c| self.plain.contains(*c)) {
            if let Some(next) = self.step(places, c) {
                edges.entry(next).or_default().insert(c);
            }
        }
        let mut edges: BTreeMap<Places, Chars> = edges.into_iter().map(|(next, c)| (next, pairs(&c))).collect();
        if !others.is_empty() {
            // Nothing begins with them.
            let none = edges.entry(Places::new()).or_insert_with(|| pairs(&BTreeSet::new()));
            *none = none.with(&others);
        }
        edges
    }

    /// A text begins like a line. A literal that is excluded at the start of a line has been read up to its first character.
    fn line_start(&self) -> Places {
        let at_lines = self.literals.iter().enumerate().filter(|(_, literal)| literal.1.at_line_start);
        at_lines.map(|(number, _)| (number, 0)).collect()
    }

    /// Returns the state after one more character; `None` if that completes a literal.
    fn step(&self, places: &Places, c: char) -> Option<Places> {
        let mut next: Places = Vec::new();
        let fresh = self.fresh.get(&c).into_iter().flatten();
        for (number, at) in places.iter().copied().chain(fresh.map(|number| (*number, 0))) {
            let (chars, literal) = &self.literals[number];
            if chars.get(at).is_some_and(|own| literal.is_char(*own, c)) {
                if at + 1 == chars.len() {
                    return None;
                }
                next.push((number, at + 1));
            }
            if at == 0 && literal.at_line_start && matches!(c, ' ' | '\t') {
                next.push((number, 0));
            }
        }
        if self.has_lines && matches!(c, '\n' | '\r') {
            next.extend(self.line_start());
        }
        next.sort_unstable();
        next.dedup();
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excluded(text: &str, at_line_start: bool) -> Excluded {
        Excluded { text: text.to_owned(), at_line_start, any_case: false }
    }

    fn accepts(exclusion: &Exclusion, text: &str) -> bool {
        let states = exclusion.states();
        let step = |at: usize, c: char| states[at].edges.iter().find(|edge| edge.0.contains(c)).map(|edge| edge.1);
        text.chars().try_fold(0, step).is_some()
    }

    #[test]
    fn what_is_excluded_is_not_in_the_text() {
        let exclusion = Exclusion::new(Quoting::Bare, [excluded("</a>", false), excluded("{", true)]);
        for text in ["", "a < b", "<</", "x {", "</a</b", "\u{1F600}\n x"] {
            assert!(accepts(&exclusion, text) && !exclusion.refuses(text), "{text:?}");
        }
        for text in ["</a>", "<</a>", "{", "x\n  {", "</</a>"] {
            assert!(!accepts(&exclusion, text) && exclusion.refuses(text), "{text:?}");
        }
    }

    #[test]
    fn what_is_excluded_in_any_case_is_in_the_text_in_none() {
        let exclusion = Exclusion::new(
            Quoting::Bare,
            [
                excluded("<Call", false).in_any_case(),
                excluded("<call", false).in_any_case(),
                excluded("<callers>", false),
                excluded("</a>", false),
            ],
        );
        assert_eq!(exclusion.literals().len(), 2);
        for text in ["<cal", "</A>", "CALL <"] {
            assert!(accepts(&exclusion, text) && !exclusion.refuses(text), "{text:?}");
        }
        for text in ["<call", "<CALL", "x<cAlLers>", "</a>"] {
            assert!(!accepts(&exclusion, text) && exclusion.refuses(text), "{text:?}");
        }
        assert_eq!(excluded("<a_b", false).in_any_case().spellings(), ["<a_b", "<A_B"]);
        assert_eq!(excluded("[ab]", false).in_any_case().spellings(), ["[ab]", "[AB]", "[Ab]"]);
    }

    #[test]
    fn short_texts_do_without_one_sign_of_each_literal() {
        let exclusion = Exclusion::new(Quoting::Bare, [excluded("</a>", false), excluded("Action:", true)]);
        let harmless = exclusion.harmless();
        assert!(harmless.contains('A') && harmless.contains('a') && !harmless.contains(':'));
        assert!(!(harmless.contains('<') && harmless.contains('/') && harmless.contains('>')));
    }
}
