//! The numbers of each oracle's table.

use super::goals::{JUDGED, REST};
use super::tally::{Tally, among};

/// A number of a row: its title, and what it counts of what.
pub(super) struct Column {
    pub(super) title: &'static str,
    of: fn(&Tally) -> (u64, u64),
    /// A share in percent, else a number.
    share: bool,
}

const fn share(title: &'static str, of: fn(&Tally) -> (u64, u64)) -> Column {
    Column { title, of, share: true }
}

const fn number(title: &'static str, of: fn(&Tally) -> (u64, u64)) -> Column {
    Column { title, of, share: false }
}

pub(super) const UNESCAPED: &[Column] = &[
    number("good", |it| (it.sum("good"), 0)),
    share("meant", |it| among(it, &["good"], "meant")),
    share("not fin", |it| among(it, &["good"], "not finished")),
    share("wrong", |it| among(it, &["good"], "wrong")),
    number("unnamed", |it| (it.sum("unnamed"), 0)),
    share("meant", |it| among(it, &["unnamed"], "meant")),
    share("not fin", |it| among(it, &["unnamed"], "not finished")),
    share("wrong", |it| among(it, &["unnamed"], "wrong")),
    number("others", |it| (among(it, &REST, "").1, 0)),
    share("meant", |it| among(it, &REST, "meant")),
    share("not fin", |it| among(it, &REST, "not finished")),
    share("wrong", |it| among(it, &REST, "wrong")),
    share("backsl wrong", |it| among(it, &["backslashes"], "wrong")),
    number("valid", |it| among(it, &JUDGED, "wrong: valid")),
    number("breaks", |it| among(it, &JUDGED, "wrong: line breaks")),
    number("closers", |it| among(it, &JUDGED, "wrong: closers")),
    number("head", |it| among(it, &JUDGED, "wrong: head")),
    number("parity", |it| among(it, &JUDGED, "wrong: parity")),
    number("blanks", |it| among(it, &JUDGED, "wrong: blanks")),
    number("other", |it| among(it, &JUDGED, "wrong: other")),
    number("pieces", |it| among(it, &["pieces"], "other")),
];

pub(super) const DAMAGE: &[Column] = &[
    number("pairs", |it| (it.sum("others"), 0)),
    number("not read back", |it| among(it, &["undamaged"], "not")),
    share("lost", |it| among(it, &["others"], "lost")),
    share("guarded", |it| among(it, &["guarded"], "lost")),
    share("wrong, moved", |it| among(it, &["damaged"], "wrong: moved")),
    share("repaired", |it| among(it, &["damaged"], "wrong: repaired")),
    share("silent", |it| among(it, &["damaged"], "wrong: silent")),
    share("empty", |it| among(it, &["damaged"], "wrong: empty")),
    share("data", |it| among(it, &["damaged"], "data")),
    share("lax", |it| among(it, &["damaged"], "lax")),
    share("unfinished", |it| among(it, &["damaged"], "not finished")),
    share("restored", |it| among(it, &["damaged"], "original")),
    share("as written", |it| among(it, &["damaged"], "as written")),
    share("delete", |it| among(it, &["delete"], "lost")),
    share("double", |it| among(it, &["double"], "lost")),
    share("marker", |it| among(it, &["marker"], "lost")),
    share("bracket", |it| among(it, &["bracket"], "lost")),
    share("replace", |it| among(it, &["replace"], "lost")),
    share("cut", |it| among(it, &["cut"], "lost")),
    number("pieces", |it| among(it, &["pieces"], "other")),
];

/// The groups that hold each case once, over all oracles.
pub(super) const CASES: [&str; 14] = [
    "unnamed",
    "good",
    "cut",
    "markers",
    "undeclared",
    "backslashes",
    "damaged",
    "prose",
    "none",
    "length",
    "none, quoting",
    "length, quoting",
    "none, raw quoting",
    "length, raw quoting",
];

const PAIRS: [&str; 6] =
    ["none", "length", "none, quoting", "length, quoting", "none, raw quoting", "length, raw quoting"];

pub(super) const PROSE: &[Column] = &[
    number("texts", |it| (it.sum("prose"), 0)),
    share("a call", |it| among(it, &["prose"], "a call")),
    share("not fin", |it| among(it, &["prose"], "not finished")),
];

pub(super) const PREFIX: &[Column] = &[
    number("pairs", |it| (among(it, &PAIRS, "").1, 0)),
    number("not read back", |it| among(it, &["undamaged"], "not")),
    number("none", |it| among(it, &["none"], "exception")),
    share("%", |it| among(it, &["none"], "exception")),
    number("length", |it| among(it, &["length"], "exception")),
    share("%", |it| among(it, &["length"], "exception")),
    number("quoting none", |it| among(it, &["none, quoting"], "exception")),
    number("length", |it| among(it, &["length, quoting"], "exception")),
    number("raw quoting none", |it| among(it, &["none, raw quoting"], "exception")),
    number("length", |it| among(it, &["length, raw quoting"], "exception")),
    number("pieces", |it| among(it, &["pieces"], "other")),
];

impl Column {
    pub(super) fn cell(&self, tally: &Tally) -> String {
        let (count, all) = (self.of)(tally);
        match count {
            0 => "·".to_owned(),
            _ if !self.share => count.to_string(),
            _ => format!("{:.*}", if count * 100 < all { 3 } else { 1 }, 100.0 * count as f64 / all as f64),
        }
    }
}
