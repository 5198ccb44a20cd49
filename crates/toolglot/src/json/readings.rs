//! Finds the quotes that end the strings of a value with unescaped quotes: one reading of the rest of the call.
//!
//! A string with a quote that cannot end it is *doubtful*: what looks like its end may be a part of it. Its end
//! is searched for together with everything after it, up to where the call is closed.
//!
//! ```text
//!            a string begins               a quote that may end it
//!   Walk ───────────────────▶ OpenString ─────────────────────────▶ Walk
//!    │ ▲                          │ ▲
//!    │ └── the next quote of it ◀─┘ │ no quote is left: one string back
//!    │                              │
//!    │  what cannot stand here ─────┘
//!    └─ the call is closed and nothing behind it belongs to a string ──▶ a reading
//! ```
//!
//! | a quote of a doubtful string, and after it | the quote |
//! |---|---|
//! | `,` and a declared, new key, spaced as this call spaces its members, with a value of the declared type | may end it |
//! | `,` and an item of an array, or a member of an object that declares none | may end it; see `comma.rs` |
//! | brackets that close all open ones, with all required members present | may end it |
//! | anything else, or a quote between an opener of the dialect and its closer | is data |
//!
//! The first reading is used, unless a row of the table of evidence applies to it (`evidence.rs`). If the only objection is that
//! a string of the code is left open, it is used if no other reading closes the call. Otherwise the call is broken.
//! A quote that looks like an end is the end if it closes the call earlier than another. Three adjacent quotes count as two,
//! since they open or close one string. Strings of undeclared members are not searched: what looks like their key may be
//! code of the previous string.

use std::collections::HashSet;

use super::ValuePosition;
use super::code::{count_quotes, last_line};
use super::look::{Ahead, Lookahead};
use super::quote::Quote;
use super::state::{Bracket, OpenBracket};
use crate::evidence::{Veto, Vetoes};
use crate::given::GivenNames;
use crate::view::NotYet;

use open_string::OpenString;
pub(crate) use open_string::QUOTED;
use walk::{MemberKey, WalkLevel, WalkState, WalkStep};

mod comma;
mod open_string;
mod walk;

/// The result of a search for the ends of the remaining strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// They end at these quotes, in order.
    Ends(Vec<usize>),
    /// No reading is certain; the furthest closer that one of them reached ends here, and this far was searched.
    Unsure { closed: Option<usize>, furthest: usize },
}

/// The white space in an object's members, as far as known: after the comma, and after the colon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spacing {
    pub(super) comma: Option<usize>,
    pub(super) colon: Option<usize>,
}

/// The doubtful string that a search begins with.
#[derive(Clone, Copy)]
pub(super) struct DoubtfulString<'d> {
    pub(super) look: Lookahead<'d>,
    pub(super) quote: Quote,
    pub(super) raw: bool,
    /// The start of its visible content, and its first doubtful quote.
    pub(super) visible: usize,
    pub(super) at: usize,
    pub(super) stack: &'d [OpenBracket],
    pub(super) seen: &'d GivenNames,
    pub(super) place: ValuePosition,
    pub(super) spacing: Spacing,
    /// Line breaks between members were written as in strings.
    pub(super) escaped_blanks: bool,
    /// How far its end is searched for.
    pub(super) reach: usize,
    /// The end of that quote, if it can end the string: another end has to be as good.
    pub(super) behind_end: Option<usize>,
}

/// A search examines this many bytes, plus this many times the bytes that it has passed, before it gives up.
///
/// Real calls need two looks per byte; text made of declared keys could take the square of its length.
const LEAST: usize = 1 << 13;
const MOST: usize = 6;

/// Simultaneously doubtful strings. Each adds a level of backtracking; real calls have a handful, and 64 keep
/// the stack of choices within a few KiB.
const CHOICES: usize = 64;

/// A search for the ends of the remaining strings: depth first, with a memory of failures.
struct Resolver<'s> {
    look: Lookahead<'s>,
    doubtful: &'s DoubtfulString<'s>,
    choices: Vec<OpenString>,
    ends: Vec<usize>,
    /// Strings from which no reading continues, with the open brackets and given parameters.
    dead: HashSet<(usize, usize, usize)>,
    looked: usize,
    furthest: usize,
    closed: Option<usize>,
    /// A reading closed the call, and may be the intended one.
    rivalled: bool,
    /// Keys may have no quotes, and members no comma.
    slips: bool,
    /// A string of code is open at the end of the doubtful one, which contains an odd number of quotes.
    open_code: bool,
}

/// Looks for the ends of the doubtful string and of all strings after it.
pub(super) fn read(doubtful: &DoubtfulString<'_>) -> Result<Plan, NotYet> {
    Resolver::new(doubtful).run()
}

/// Returns whether the call is closed after a string that ends at `end` and only strings that need no search; commas and the
/// quotes of keys may be missing. `None` if the evidence is insufficient.
pub(super) fn closes_plainly(doubtful: &DoubtfulString<'_>, end: usize) -> Result<Option<bool>, NotYet> {
    let look = doubtful.look;
    let mut search = Resolver { slips: true, ..Resolver::new(doubtful) };
    let Some(OpenString { mut levels, all, .. }) = search.choices.pop() else { return Ok(None) };
    search.open_code = !all.is_multiple_of(2);
    let mut at = end;
    while at <= doubtful.reach {
        at = match search.walk(at, &mut levels)? {
            WalkStep::Closed(end) => return Ok(look.context.markers.is_over(end)?.then_some(true)),
            WalkStep::Dead => return Ok(Some(false)),
            WalkStep::String { quote, from, .. } => match look.string(quote, from, doubtful.reach)? {
                Ahead::Found(end) => end,
                _ => return Ok(Some(false)),
            },
        };
    }
    Ok(None)
}

/// Returns whether the doubtful string ends here, without a quote: only strings that need no search follow, and a
/// declared member that is new, or the call's closers after a string without quotes: one that quotes a call may be cut there.
pub(super) fn ends_unclosed(doubtful: &DoubtfulString<'_>) -> Result<bool, NotYet> {
    let (look, search) = (doubtful.look, Resolver::new(doubtful));
    let Some(first) = search.choices.first() else { return Ok(false) };
    let fits = match look.view.byte(doubtful.at)? {
        Some(b',') => {
            let head = doubtful.at + 1;
            let key = look.view.skip_blanks(head)? + 1;
            let object = first.levels.stack.last().is_some_and(|top| top.bracket == Bracket::Object);
            object
                && first.all.is_multiple_of(2)
                && search.begins_key(first, key)?
                && search.member(head, &first.levels)? == Some(MemberKey::Declared)
        }
        _ => first.all == 0,
    };
    Ok(fits && closes_plainly(doubtful, doubtful.at)? == Some(true))
}

/// Returns whether the doubtful quote, which ends at `end`, looks like its string's end, and the brackets after it close
/// the call, followed by a comma: the broken call may be the next one.
pub(super) fn ends_before_another(doubtful: &DoubtfulString<'_>, end: usize) -> Result<bool, NotYet> {
    let doubtful = DoubtfulString { behind_end: Some(end), ..*doubtful };
    let search = Resolver::new(&doubtful);
    let Some(first) = search.choices.first() else { return Ok(false) };
    Ok(search.closes_before_another(first, end)? && search.looks_like_end(first, doubtful.at)?)
}

/// Returns whether some line breaks in a string are escaped and others are not: what follows the latter is no part of it.
fn mixes_line_breaks(text: &str) -> bool {
    let backslashes = |upto: usize| text[..upto].bytes().rev().take_while(|byte| *byte == b'\\').count();
    text.contains('\n') && text.match_indices("\\n").any(|(at, _)| backslashes(at).is_multiple_of(2))
}

impl<'s> Resolver<'s> {
    fn new(doubtful: &'s DoubtfulString<'s>) -> Self {
        let level = |frame: &OpenBracket| WalkLevel { bracket: frame.bracket, node: frame.node, items: frame.members };
        let stack = doubtful.stack.iter().map(level).collect();
        let levels = WalkState { stack, seen: doubtful.seen.clone(), next: None };
        let before = doubtful.look.view.slice(doubtful.visible, doubtful.at);
        let first = OpenString {
            next: doubtful.behind_end.unwrap_or(doubtful.at),
            dirty: true,
            tried: doubtful.behind_end.map(|_| doubtful.at),
            all: count_quotes(before, doubtful.quote),
            line: count_quotes(last_line(before), doubtful.quote),
            ..OpenString::new(doubtful.quote, doubtful.raw, doubtful.visible, levels)
        };
        Self {
            look: doubtful.look,
            doubtful,
            choices: vec![first],
            ends: Vec::new(),
            dead: HashSet::new(),
            looked: 0,
            furthest: doubtful.at,
            closed: None,
            rivalled: false,
            slips: false,
            open_code: false,
        }
    }
}

impl Resolver<'_> {
    fn run(&mut self) -> Result<Plan, NotYet> {
        let mut odd: Option<Vec<usize>> = None;
        while let Some((end, mut levels)) = self.next_end()? {
            if self.looked > LEAST + MOST * (self.furthest - self.doubtful.at) || self.choices.len() > CHOICES {
                return Ok(self.unsure());
            }
            match self.walk(end, &mut levels)? {
                WalkStep::Dead => {}
                WalkStep::String { quote, raw, from } => {
                    if !self.dead.contains(&levels.key(from)) {
                        self.choices.push(OpenString::new(quote, raw, from, levels));
                    }
                }
                WalkStep::Closed(at) => {
                    let over = !self.rivalled && self.look.context.markers.is_over(at)?;
                    let against = self.against(&levels);
                    let is_odd = against.has(Veto::OddQuotes) || against.has(Veto::LoneQuote);
                    let off = self.look.context.options.unheeded;
                    if over && against.is_empty_but_for(off) {
                        return Ok(Plan::Ends(std::mem::take(&mut self.ends)));
                    }
                    let sole = over && against.is_empty_but_for(off.with(Veto::OddQuotes));
                    let ended = self.choices.iter().all(|choice| !choice.foreign_inside);
                    odd = (sole && ended).then(|| self.ends.clone());
                    self.closed = self.closed.max(Some(at));
                    self.rivalled |= over || !is_odd;
                    self.choices.iter_mut().for_each(|choice| choice.stands = true);
                }
            }
        }
        Ok(odd.filter(|_| self.doubtful.behind_end.is_none()).map_or_else(|| self.unsure(), Plan::Ends))
    }

    fn unsure(&self) -> Plan {
        Plan::Unsure { closed: self.closed, furthest: self.furthest }
    }

    /// Returns the evidence against the current reading.
    fn against(&self, levels: &WalkState) -> Vetoes {
        let mut all = Vetoes::default();
        for (choice, end) in self.choices.iter().zip(&self.ends) {
            let mut against = choice.against;
            against.note(Veto::Stranger, choice.foreign);
            against.note(Veto::MissingKey, choice.named.iter().any(|key| !levels.seen.contains(key)));
            if choice.dirty {
                let mixes = || mixes_line_breaks(self.look.view.slice(choice.from, *end));
                against.note(Veto::MixedBreaks, !choice.raw && mixes());
                against.note(Veto::LoneQuote, choice.quotes <= 1 && !choice.all.is_multiple_of(2));
                against.note(Veto::OddQuotes, !choice.is_even());
            }
            all = all.and(against);
        }
        all
    }

    /// Returns the next quote that may end the innermost string, and the levels after it; backtracks if none is left.
    fn next_end(&mut self) -> Result<Option<(usize, WalkState)>, NotYet> {
        while let Some(mut choice) = self.choices.pop() {
            self.ends.truncate(self.choices.len());
            if let Some(end) = self.candidate(&mut choice)? {
                let levels = choice.levels.clone();
                self.choices.push(choice);
                self.ends.push(end.0);
                return Ok(Some((end.1, levels)));
            }
            if !choice.stands {
                self.dead.insert(choice.levels.key(choice.from));
            }
        }
        Ok(None)
    }
}
