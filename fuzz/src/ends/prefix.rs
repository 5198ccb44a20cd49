//! Messages cut off anywhere: each finished call of a beginning is the whole message's call at that place.

use toolglot::FinishReason;

use super::home::{Home, StringStyle};
use super::message::{self, Calling, Meant, found, read, shown};
use super::tally::Tally;
use super::unescaped::kind_of_notes;
use super::writing::{self, Escaping, Style};
use super::{Run, code, line};
use crate::random::Random;

/// The beginnings that one message is judged by, each with and without a reason.
const PREFIXES: usize = 6;

/// Judges some beginnings of one message.
pub(super) fn judge(home: &Home, run: &Run, random: &mut Random, tally: &mut Tally) {
    let quoting = random.one_in(4);
    let mut text = |random: &mut Random| match quoting {
        true => quoted(home, random),
        false => short(random),
    };
    let content = ["", "I will do it.\n"][random.below(2)];
    let mut meant = Meant { tools: random.below(3), content, calls: Vec::new() };
    for _ in 0..=random.below(3) {
        let tool = message::tool(random, false);
        meant.calls.push(Calling::new(tool, random, &mut text));
    }
    let style = Style::any(random, Escaping::All);
    let Some(written) = writing::write(home, &meant, style, random) else {
        return tally.count("cannot be written", "");
    };
    let whole = written.text.as_bytes();
    let all = found(&read(home, run, meant.tools, whole, None));
    let wanted = message::meant(&meant.calls);
    if all != wanted {
        return tally.not_read_back(run, &written.text, [&wanted, &all]);
    }
    for _ in 0..PREFIXES {
        // What begins the message says little.
        let from = written.arguments.first().map_or(0, |span| span.start) / 2;
        let cut = written.place(from..whole.len(), random);
        let pieces = random.one_in(8);
        let reason = if cut % 2 == 0 { FinishReason::Length } else { FinishReason::ContentFilter };
        for (group, why) in groups(quoting, home.kind, reason) {
            let text = &whole[..cut];
            let message = read(home, run, meant.tools, text, why);
            let calls = found(&message);
            let same = calls.len() <= all.len() && calls.iter().zip(&all).all(|(call, other)| call == other);
            let show = || {
                vec![
                    format!("whole {}", line(whole)),
                    format!("text  {}", line(text)),
                    format!("meant {}", shown(&all)),
                    format!("found {}", shown(&calls)),
                    format!("notes {}", kind_of_notes(&message)),
                ]
            };
            tally.count(group, if same { "same" } else { "exception" });
            if !same {
                tally.show(run, &format!("{group}: exception"), show);
            }
            if pieces {
                let same = message::is_same_in_pieces(home, run, meant.tools, text, why, &message, random);
                tally.pieces(run, same, show);
            }
        }
    }
}

/// Returns the groups of a cut message without a reason and with one, each with what the server says.
fn groups(quoting: bool, kind: StringStyle, reason: FinishReason) -> [(&'static str, Option<FinishReason>); 2] {
    let names = match (quoting, kind) {
        (false, _) => ["none", "length"],
        // What is cut behind a closer that a raw value quotes is what a whole call is.
        (true, StringStyle::Raw) => ["none, raw quoting", "length, raw quoting"],
        (true, _) => ["none, quoting", "length, quoting"],
    };
    [(names[0], None), (names[1], Some(reason))]
}

/// Returns a value that quotes what ends calls of the dialect.
fn quoted(home: &Home, random: &mut Random) -> String {
    let closer = match random.below(3) {
        0 => home.closer.clone(),
        1 => format!("\"}}{}", home.closer),
        _ if home.markers.is_empty() => home.closer.clone(),
        _ => home.markers[random.below(home.markers.len())].clone(),
    };
    code::insert(&short(random), &closer, random)
}

/// Returns a value that is a few words, or lines of code.
pub(super) fn short(random: &mut Random) -> String {
    match random.below(3) {
        0 => (*random.pick(&[&"echo hi", &"x", &"", &"a \"b\", c", &"it's", &"fix: {a} [b]", &"select 1"])).to_owned(),
        1 => code::piece(random),
        _ => code::lines(random),
    }
}
