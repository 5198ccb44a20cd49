//! Values that are code, put into calls without escaping: what comes out is what was meant, or no finished call.

use toolglot_json::Value;

use super::home::{Home, StringStyle};
use super::message::{self, Calling, Calls, Meant, Member, found, read, shown};
use super::tally::Tally;
use super::writing::{self, Escaping, Part, Style, What, Written};
use super::{Run, code, line, plain};
use crate::random::Random;

/// Judges one message.
pub(super) fn judge(home: &Home, run: &Run, random: &mut Random, tally: &mut Tally) {
    let Some(case) = UnescapedCase::new(home, random) else { return tally.count("cannot be written", "") };
    let message = read(home, run, case.meant.tools, case.written.text.as_bytes(), None);
    let (wanted, found) = (message::meant(&case.meant.calls), found(&message));
    let outcome = match () {
        () if found == wanted => "meant".to_owned(),
        () if is_part(&found, &wanted) => "not finished".to_owned(),
        () => format!("wrong: {}", case.class(home, &wanted, &found)),
    };
    tally.count(case.group, &outcome);
    let show = |kind: &str| {
        vec![
            format!("{}, tools {}, {:?}", case.group, case.meant.tools, case.style.escaping),
            format!("text  {}", line(case.written.text.as_bytes())),
            format!("meant {}", shown(&wanted)),
            format!("found {}", shown(&found)),
            format!("notes {}", kind_of_notes(&message)),
            kind.to_owned(),
        ]
    };
    if outcome != "meant" {
        tally.show(run, &format!("{}: {outcome}", case.group), || show(""));
    }
    let text = case.written.text.as_bytes();
    if random.one_in(8) {
        let same = message::is_same_in_pieces(home, run, case.meant.tools, text, None, &message, random);
        tally.pieces(run, same, || show("other in pieces"));
    }
}

/// Says whether the found calls are some of the wanted, in their order.
fn is_part(found: &Calls, wanted: &Calls) -> bool {
    let mut rest = wanted.iter();
    found.iter().all(|call| rest.any(|other| other == call))
}

pub(super) fn kind_of_notes(message: &toolglot::Message) -> String {
    let notes = message.diagnostics.iter().map(|note| format!("{:?} {:?}", note.code, note.span));
    let broken = message.incomplete.iter().map(|call| format!("{} {:?}", call.name, call.outcome));
    notes.chain(broken).collect::<Vec<_>>().join(", ")
}

/// A message and what it was made of.
struct UnescapedCase {
    meant: Meant,
    style: Style,
    written: Written,
    group: &'static str,
}

impl UnescapedCase {
    fn new(home: &Home, random: &mut Random) -> Option<Self> {
        let escaping = match random.below(100) {
            0..55 => Escaping::Bare,
            55..75 => Escaping::Half,
            _ => Escaping::Backslashes,
        };
        let mut group = match random.below(100) {
            0..72 => "good",
            72..84 => "cut",
            84..91 => "markers",
            91..96 => "undeclared",
            _ => "backslashes",
        };
        let escaping =
            if group == "backslashes" && home.kind != StringStyle::Raw { Escaping::Quotes } else { escaping };
        let calls = 1 + usize::from(random.below(10) < 4);
        let mut text = |random: &mut Random| value(home, group, random);
        let mut meant =
            Meant { tools: random.below(3), content: ["", "", "I will do it.\n"][random.below(3)], calls: Vec::new() };
        for _ in 0..calls {
            let tool = message::tool(random, true);
            meant.calls.push(Calling::new(tool, random, &mut text));
        }
        if group == "undeclared" {
            let members = &mut meant.calls[0].members;
            let at = random.below(members.len() + 1);
            let key = *random.pick(&[&"description", &"encoding", &"x_note"]);
            members.insert(at, Member { key, value: "short words".into(), code: false, named: true });
        }
        let code = || meant.calls.iter().flat_map(|call| &call.members).flat_map(Member::code);
        let keys: Vec<&str> = meant.calls.iter().flat_map(|call| &call.members).map(|it| it.key).collect();
        if group == "backslashes" && !code().any(|text| text.contains('\\')) {
            group = "good";
        }
        if ["good", "cut", "undeclared"].contains(&group) && code().any(|text| home.is_marked(text, &keys)) {
            group = "markers";
        }
        if group != "backslashes" && meant.calls.iter().flat_map(|call| &call.members).any(|it| !it.named) {
            group = "unnamed";
        }
        let style = Style::any(random, escaping);
        let written = writing::write(home, &meant, style, random)?;
        Some(Self { meant, style, written, group })
    }

    /// Says why no reader could tell, if so: the worst of what holds for the wrong calls.
    fn class(&self, home: &Home, wanted: &Calls, found: &Calls) -> &'static str {
        let bad: Vec<&(String, Value)> = found.iter().filter(|call| !wanted.contains(call)).collect();
        let classes = bad.iter().map(|call| self.class_of(home, wanted, call));
        let order = ["valid", "line breaks", "closers", "head", "parity", "blanks", "other"];
        let worst = classes.filter_map(|class| order.iter().position(|it| *it == class)).max();
        worst.map_or("other", |at| order[at])
    }

    fn class_of(&self, home: &Home, wanted: &Calls, bad: &(String, Value)) -> &'static str {
        if wanted.iter().any(|(name, arguments)| *name == bad.0 && same_but_blanks(arguments, &bad.1)) {
            return "blanks";
        }
        for (class, breaks) in [("valid", false), ("line breaks", true)] {
            let strict = |at| plain::read(home, &self.written.text, at, breaks);
            let mut starts = self.written.arguments.iter().map(|span| span.start);
            if home.kind != StringStyle::Raw && starts.any(|at| strict(at).as_ref() == Some(&bad.1)) {
                return class;
            }
        }
        if home.kind == StringStyle::Raw && plain::is_as_written(home, &self.written.text, bad) {
            return "valid";
        }
        let text = |it: &&Part| it.what == What::Text && self.meant.calls[it.call].members[it.member].code;
        let parts = || self.written.parts.iter().filter(text);
        let key = |it: &Part| self.meant.calls[it.call].members[it.member].key;
        let texts = || parts().map(|it| (&self.meant.calls[it.call], key(it), &self.written.text[it.span.clone()]));
        match () {
            () if texts().any(|(_, key, text)| plain::has_closers(home, self.style, key, text)) => "closers",
            () if texts().any(|(call, _, text)| plain::has_head(home, self.style, call, text)) => "head",
            () if home.kind != StringStyle::Raw && texts().any(|(.., text)| plain::is_odd(home, self.style, text)) => {
                "parity"
            }
            () => "other",
        }
    }
}

/// Says whether arguments differ in the outer white space of their values at most.
pub(super) fn same_but_blanks(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return false };
    let trimmed = |value: &Value| value.as_str().map(str::trim).map(str::to_owned);
    let same = |(key, value): (&String, &Value)| {
        other.get(key).is_some_and(|it| it == value || (trimmed(value).is_some() && trimmed(it) == trimmed(value)))
    };
    one.len() == other.len() && one.iter().all(same)
}

/// Returns a value for a group of messages.
fn value(home: &Home, group: &str, random: &mut Random) -> String {
    match group {
        "cut" => code::piece(random),
        "markers" => {
            let text = if random.one_in(2) { code::lines(random) } else { code::piece(random) };
            let piece = match random.below(4) {
                0 => home.closer.clone(),
                1 => home.example(random),
                _ if home.markers.is_empty() => home.example(random),
                _ => home.markers[random.below(home.markers.len())].clone(),
            };
            code::insert(&text, &piece, random)
        }
        _ => code::lines(random),
    }
}

impl Home {
    /// Returns a message with a call, as a model would quote it.
    fn example(&self, random: &mut Random) -> String {
        let call = Calling::new(message::tool(random, false), random, &mut |_| "a \"b\" c".to_owned());
        let meant = Meant { calls: vec![call], ..Meant::default() };
        let style = Style::any(random, Escaping::All);
        writing::write(self, &meant, style, random).map_or(String::new(), |written| written.text)
    }
}
