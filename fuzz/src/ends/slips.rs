//! One slip of the kinds that models make, in the first call of a message: it is read as meant, or nothing wrong is finished.

mod frame;
mod json;
mod keywords;
mod page;
mod params;
mod place;

use toolglot_json::Value;

use super::Run;
use super::damage::undamaged;
use super::home::Home;
use super::message::{Calls, found, read, shown};
use super::tally::{Tally, among};
use super::unescaped::same_but_blanks;
use super::{code, line};
use crate::random::Random;
pub(super) use page::{markdown, text};
use place::Place;

/// A kind of slip: its name, and what it makes of a message, where it can be made.
type Slip = (&'static str, fn(&Place<'_>) -> Option<String>);

/// All kinds of slips.
fn kinds() -> impl Iterator<Item = &'static Slip> {
    [frame::SLIPS, json::SLIPS, params::SLIPS, keywords::SLIPS].into_iter().flatten()
}

/// Returns how many messages with a slip had an outcome, and how many there were.
pub(super) fn share(tally: &Tally, outcome: &str) -> (u64, u64) {
    among(tally, &kinds().map(|(name, _)| *name).collect::<Vec<_>>(), outcome)
}

/// Judges each slip in one message.
pub(super) fn judge(home: &Home, run: &Run, random: &mut Random, tally: &mut Tally) {
    let Some((meant, written, wanted)) = undamaged(home, run, random, tally, (1..=2, true, &mut value)) else { return };
    let Some(place) = Place::new(home, &meant, &written) else { return tally.count("cannot be written", "") };
    for (name, slip) in kinds() {
        let Some(text) = slip(&place).filter(|text| *text != written.text) else { continue };
        let message = read(home, run, meant.tools, text.as_bytes(), None);
        let calls = found(&message);
        let outcome = outcome(&calls, &wanted);
        tally.count(name, outcome);
        if outcome == "not finished" && message.diagnostics.is_empty() {
            tally.count("silent", name);
        }
        if outcome != "meant" {
            tally.show(run, &format!("{name}: {outcome}"), || {
                vec![
                    format!("text  {}", line(text.as_bytes())),
                    format!("meant {}", shown(&wanted)),
                    format!("found {}", shown(&calls)),
                ]
            });
        }
    }
}

/// Returns a value: a word, a line of code, or some lines.
fn value(random: &mut Random) -> String {
    match random.below(3) {
        0 => (*random.pick(&[&"echo hi", &"select 1", &"it's fine", &"a, b: c", &"x = \"1\""])).to_owned(),
        1 => code::piece(random),
        _ => code::lines(random),
    }
}

/// Says what became of a message: as meant, less but nothing else, or something that nobody meant.
fn outcome(calls: &Calls, wanted: &Calls) -> &'static str {
    let mut rest = wanted.iter();
    let same = |(found, meant): (&(String, Value), &(String, Value))| {
        found.0 == meant.0 && same_but_blanks(&found.1, &meant.1)
    };
    match () {
        // Which blanks belong to a value that nothing ends, nobody can tell.
        () if calls.len() == wanted.len() && calls.iter().zip(wanted).all(same) => "meant",
        () if calls.iter().all(|call| rest.any(|other| other == call)) => "not finished",
        () => "wrong",
    }
}
