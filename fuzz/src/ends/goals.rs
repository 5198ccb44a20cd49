//! What the oracles may find: limits that fail a run, and the goals that they shall reach.

use super::home::StringStyle;
use super::slips;
use super::tally::{Tally, among};

/// One number of an oracle, over all dialects of some kinds.
pub(super) struct Goal {
    pub(super) oracle: &'static str,
    pub(super) kinds: &'static [StringStyle],
    pub(super) reading: Reading,
    pub(super) what: &'static str,
    pub(super) of: fn(&Tally) -> (u64, u64),
    /// In percent.
    pub(super) limit: Bound,
    pub(super) goal: Bound,
}

/// How messages are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As their own dialect.
    Named,
    /// As their own dialect, with strict validation.
    Strict,
    /// With all built-in dialects.
    Auto,
}

/// What a share may be.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Most(f64),
    Least(f64),
}

use Bound::{Least, Most};
use Reading::{Auto, Named, Strict};

const fn goal(
    oracle: &'static str,
    kinds: &'static [StringStyle],
    reading: Reading,
    what: &'static str,
    of: fn(&Tally) -> (u64, u64),
    limit: Bound,
    goal: Bound,
) -> Goal {
    Goal { oracle, kinds, reading, what, of, limit, goal }
}

const QUOTED: &[StringStyle] = &[StringStyle::Json, StringStyle::Python];
const RAW: &[StringStyle] = &[StringStyle::Raw];
const ALL: &[StringStyle] = &[StringStyle::Json, StringStyle::Python, StringStyle::Raw];

pub(super) const REST: [&str; 3] = ["cut", "markers", "undeclared"];
pub(super) const JUDGED: [&str; 5] = ["good", "unnamed", "cut", "markers", "undeclared"];

/// One line a number: oracle, kinds of strings, reading, what, share, limit, goal.
#[rustfmt::skip]
pub(super) const GOALS: &[Goal] = &[
    goal("unescaped", QUOTED, Named,  "quoted, good: meant",     |it| among(it, &["good"], "meant"),          Least(98.0), Least(98.0)),
    goal("unescaped", QUOTED, Named,  "quoted, good: wrong",     |it| among(it, &["good"], "wrong"),          Most(0.01),  Most(0.01)),
    goal("unescaped", QUOTED, Named,  "quoted, others: wrong",   |it| among(it, &REST, "wrong"),              Most(0.12),  Most(0.1)),
    goal("unescaped", QUOTED, Named,  "quoted, unnamed: meant",  |it| among(it, &["unnamed"], "meant"),       Least(50.0), Least(0.0)),
    goal("unescaped", QUOTED, Named,  "quoted, unnamed: wrong",  |it| among(it, &["unnamed"], "wrong"),       Most(0.12),  Most(0.1)),
    goal("unescaped", RAW,    Named,  "raw, good: meant",        |it| among(it, &["good"], "meant"),          Least(99.9), Least(98.0)),
    goal("unescaped", RAW,    Named,  "raw, good: wrong",        |it| among(it, &["good"], "wrong"),          Most(0.01),  Most(0.01)),
    goal("unescaped", RAW,    Named,  "raw, others: wrong",      |it| among(it, &REST, "wrong"),              Most(6.5),   Most(0.1)),
    goal("unescaped", ALL,    Named,  "wrong without a class",   |it| among(it, &JUDGED, "wrong: other"),     Most(0.005), Most(0.0)),
    goal("unescaped", ALL,    Strict, "wrong without a class",   |it| among(it, &JUDGED, "wrong: other"),     Most(0.005), Most(0.0)),
    goal("unescaped", QUOTED, Strict, "quoted, not as written",  not_valid,                                   Most(0.05),  Most(0.0)),
    goal("unescaped", RAW,    Strict, "raw, not as written",     not_valid,                                   Most(0.5),   Most(0.0)),
    goal("unescaped", ALL,    Named,  "pieces change something", |it| among(it, &["pieces"], "other"),        Most(0.0),   Most(0.0)),
    goal("unescaped", QUOTED, Auto,   "quoted, good: meant",     |it| among(it, &["good"], "meant"),          Least(97.0), Least(98.0)),
    goal("unescaped", QUOTED, Auto,   "quoted, good: wrong",     |it| among(it, &["good"], "wrong"),          Most(0.01),  Most(0.01)),
    goal("unescaped", QUOTED, Auto,   "quoted, others: wrong",   |it| among(it, &REST, "wrong"),              Most(0.14),  Most(0.1)),
    goal("unescaped", QUOTED, Auto,   "quoted, unnamed: wrong",  |it| among(it, &["unnamed"], "wrong"),       Most(0.15),  Most(0.1)),
    goal("unescaped", RAW,    Auto,   "raw, good: wrong",        |it| among(it, &["good"], "wrong"),          Most(0.6),   Most(0.01)),
    goal("unescaped", RAW,    Auto,   "raw, others: wrong",      |it| among(it, &REST, "wrong"),              Most(6.5),   Most(0.1)),
    goal("unescaped", ALL,    Auto,   "wrong without a class",   |it| among(it, &JUDGED, "wrong: other"),     Most(0.01), Most(0.0)),
    goal("slips",     ALL,    Named,  "read as meant",          |it| slips::share(it, "meant"),                Least(91.0), Least(95.0)),
    goal("slips",     ALL,    Named,  "wrong",                  |it| slips::share(it, "wrong"),                Most(0.1),   Most(0.1)),
    goal("slips",     ALL,    Auto,   "wrong",                  |it| slips::share(it, "wrong"),                Most(0.1),   Most(0.1)),
    goal("unescaped", ALL,    Auto,   "pieces change something", |it| among(it, &["pieces"], "other"),        Most(0.0),   Most(0.0)),
    goal("damage",    ALL,    Named,  "others lost, guarded",   |it| among(it, &["guarded"], "lost"),          Most(0.02),  Most(0.0)),
    goal("damage",    ALL,    Strict, "others lost, guarded",   |it| among(it, &["guarded"], "lost"),          Most(0.03),  Most(0.0)),
    goal("damage",    ALL,    Named,  "others lost",            |it| among(it, &["others"], "lost"),           Most(9.2),   Most(10.0)),
    goal("damage",    ALL,    Named,  "wrong, an end moved",    |it| among(it, &["damaged"], "wrong: moved"),  Most(0.02),  Most(0.0)),
    goal("damage",    ALL,    Named,  "wrong, no repair",       |it| among(it, &["damaged"], "wrong: silent"), Most(0.3),   Most(0.0)),
    goal("prefix",    ALL,    Named,  "cut, length",            |it| among(it, &["length"], "exception"),      Most(0.0),   Most(0.0)),
    goal("prefix",    ALL,    Named,  "cut, no reason",         |it| among(it, &["none"], "exception"),        Most(0.5),   Most(0.5)),
    goal("prefix",    ALL,    Named,  "quoting, cut, length",   |it| among(it, &["length, quoting"], "exception"), Most(0.0), Most(0.0)),
    goal("prefix",    ALL,    Named,  "raw quoting, cut, length", |it| among(it, &["length, raw quoting"], "exception"), Most(0.0), Most(0.0)),
    goal("damage",    ALL,    Named,  "pieces change something", |it| among(it, &["pieces"], "other"),         Most(0.0),   Most(0.0)),
    goal("prefix",    ALL,    Named,  "pieces change something", |it| among(it, &["pieces"], "other"),         Most(0.0),   Most(0.0)),
    goal("prose",     ALL,    Named,  "a call in ordinary text", |it| among(it, &["prose"], "a call"),         Most(0.2) ,  Most(1.0)),
    goal("prose",     ALL,    Auto,   "a call in ordinary text", |it| among(it, &["prose"], "a call"),         Most(0.8),   Most(1.0)),
    goal("damage",    ALL,    Auto,   "others lost, guarded",   |it| among(it, &["guarded"], "lost"),          Most(0.1),   Most(0.0)),
    goal("damage",    ALL,    Auto,   "wrong, an end moved",    |it| among(it, &["damaged"], "wrong: moved"),  Most(0.03), Most(0.0)),
    goal("damage",    ALL,    Auto,   "wrong, no repair",       |it| among(it, &["damaged"], "wrong: silent"), Most(0.3),   Most(0.0)),
    goal("damage",    ALL,    Auto,   "pieces change something", |it| among(it, &["pieces"], "other"),         Most(0.0),   Most(0.0)),
    goal("prefix",    ALL,    Auto,   "cut, length",            |it| among(it, &["length"], "exception"),      Most(0.0),   Most(0.0)),
    goal("prefix",    ALL,    Auto,   "cut, no reason",         |it| among(it, &["none"], "exception"),        Most(0.5),   Most(0.5)),
    goal("prefix",    ALL,    Auto,   "quoting, cut, length",   |it| among(it, &["length, quoting"], "exception"), Most(0.0), Most(0.0)),
    goal("prefix",    ALL,    Auto,   "raw quoting, cut, length", |it| among(it, &["length, raw quoting"], "exception"), Most(0.0), Most(0.0)),
    goal("prefix",    ALL,    Auto,   "pieces change something", |it| among(it, &["pieces"], "other"),         Most(0.0),   Most(0.0)),
];

/// Counts wrong messages that are not valid as they stand.
fn not_valid(tally: &Tally) -> (u64, u64) {
    let (wrong, all) = among(tally, &JUDGED, "wrong");
    (wrong - among(tally, &JUDGED, "wrong: valid").0, all)
}

impl Bound {
    /// Says whether a share keeps to it.
    pub(super) fn holds(self, percent: f64) -> bool {
        match self {
            Most(most) => percent <= most,
            Least(least) => percent >= least,
        }
    }

    pub(super) fn text(self) -> String {
        match self {
            Most(most) => format!("≤ {most}"),
            Least(least) => format!("≥ {least}"),
        }
    }
}
