//! What the oracles may find: limits that fail a run, and the goals that they shall reach.

use super::home::StringStyle;
use super::tally::{Tally, among};

/// One number of an oracle, over all dialects of some kinds.
pub(super) struct Goal {
    pub(super) oracle: &'static str,
    pub(super) kinds: &'static [StringStyle],
    /// Holds with strict validation, else with the default.
    pub(super) strict: bool,
    pub(super) what: &'static str,
    pub(super) of: fn(&Tally) -> (u64, u64),
    /// In percent.
    pub(super) limit: Bound,
    pub(super) goal: Bound,
}

/// What a share may be.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Most(f64),
    Least(f64),
}

use Bound::{Least, Most};

const fn goal(
    oracle: &'static str,
    kinds: &'static [StringStyle],
    strict: bool,
    what: &'static str,
    of: fn(&Tally) -> (u64, u64),
    limit: Bound,
    goal: Bound,
) -> Goal {
    Goal { oracle, kinds, strict, what, of, limit, goal }
}

const QUOTED: &[StringStyle] = &[StringStyle::Json, StringStyle::Python];
const RAW: &[StringStyle] = &[StringStyle::Raw];
const ALL: &[StringStyle] = &[StringStyle::Json, StringStyle::Python, StringStyle::Raw];

pub(super) const REST: [&str; 3] = ["cut", "markers", "undeclared"];
pub(super) const JUDGED: [&str; 5] = ["good", "unnamed", "cut", "markers", "undeclared"];

/// One line a number: oracle, kinds of strings, strict, what, share, limit, goal.
#[rustfmt::skip]
pub(super) const GOALS: &[Goal] = &[
    goal("unescaped", QUOTED, false, "quoted, good: meant",     |it| among(it, &["good"], "meant"),          Least(98.0), Least(98.0)),
    goal("unescaped", QUOTED, false, "quoted, good: wrong",     |it| among(it, &["good"], "wrong"),          Most(0.01),  Most(0.01)),
    goal("unescaped", QUOTED, false, "quoted, others: wrong",   |it| among(it, &REST, "wrong"),              Most(0.12),  Most(0.1)),
    goal("unescaped", QUOTED, false, "quoted, unnamed: meant",  |it| among(it, &["unnamed"], "meant"),       Least(50.0), Least(0.0)),
    goal("unescaped", QUOTED, false, "quoted, unnamed: wrong",  |it| among(it, &["unnamed"], "wrong"),       Most(0.12),  Most(0.1)),
    goal("unescaped", RAW,    false, "raw, good: meant",        |it| among(it, &["good"], "meant"),          Least(99.9), Least(98.0)),
    goal("unescaped", RAW,    false, "raw, good: wrong",        |it| among(it, &["good"], "wrong"),          Most(0.01),  Most(0.01)),
    goal("unescaped", RAW,    false, "raw, others: wrong",      |it| among(it, &REST, "wrong"),              Most(6.5),   Most(0.1)),
    goal("unescaped", ALL,    false, "wrong without a class",   |it| among(it, &JUDGED, "wrong: other"),     Most(0.005), Most(0.0)),
    goal("unescaped", ALL,    true,  "wrong without a class",   |it| among(it, &JUDGED, "wrong: other"),     Most(0.005), Most(0.0)),
    goal("unescaped", QUOTED, true,  "quoted, not as written",  not_valid,                                   Most(0.05),  Most(0.0)),
    goal("unescaped", RAW,    true,  "raw, not as written",     not_valid,                                   Most(0.5),   Most(0.0)),
    goal("unescaped", ALL,    false, "pieces change something", |it| among(it, &["pieces"], "other"),        Most(0.0),   Most(0.0)),
    goal("damage",    ALL,    false, "others lost, guarded",   |it| among(it, &["guarded"], "lost"),          Most(0.02),  Most(0.0)),
    goal("damage",    ALL,    true,  "others lost, guarded",   |it| among(it, &["guarded"], "lost"),          Most(0.03),  Most(0.0)),
    goal("damage",    ALL,    false, "others lost",            |it| among(it, &["others"], "lost"),           Most(9.2),   Most(10.0)),
    goal("damage",    ALL,    false, "wrong, an end moved",    |it| among(it, &["damaged"], "wrong: moved"),  Most(0.02),  Most(0.0)),
    goal("damage",    ALL,    false, "wrong, no repair",       |it| among(it, &["damaged"], "wrong: silent"), Most(0.3),   Most(0.0)),
    goal("prefix",    ALL,    false, "cut, length",            |it| among(it, &["length"], "exception"),      Most(0.0),   Most(0.0)),
    goal("prefix",    ALL,    false, "cut, no reason",         |it| among(it, &["none"], "exception"),        Most(0.5),   Most(0.5)),
    goal("prefix",    ALL,    false, "quoting, cut, length",   |it| among(it, &["length, quoting"], "exception"), Most(0.0), Most(0.0)),
    goal("prefix",    ALL,    false, "raw quoting, cut, length", |it| among(it, &["length, raw quoting"], "exception"), Most(0.0), Most(0.0)),
    goal("damage",    ALL,    false, "pieces change something", |it| among(it, &["pieces"], "other"),         Most(0.0),   Most(0.0)),
    goal("prefix",    ALL,    false, "pieces change something", |it| among(it, &["pieces"], "other"),         Most(0.0),   Most(0.0)),
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
