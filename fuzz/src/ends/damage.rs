//! One call of several damaged at any byte: the others are found unchanged, and none has arguments nobody wrote.

use std::ops::{Range, RangeInclusive};

use toolglot::{Code, Message};
use toolglot_json::{Map, Value};

use super::home::{Home, StringStyle};
use super::message::{self, Calling, Calls, Meant, found, read, shown};
use super::prefix::short;
use super::tally::Tally;
use super::unescaped::{kind_of_notes, same_but_blanks};
use super::writing::{self, Escaping, Part, Style, What, Written};
use super::{Run, line, plain};
use crate::random::Random;

/// The damages that one message is judged by.
const DAMAGES: usize = 8;

/// What is done to one byte of a call.
const WAYS: [&str; 6] = ["delete", "double", "marker", "bracket", "replace", "cut"];

/// Repairs that decide where something ends.
const MOVES: &[Code] = &[
    Code::InnerQuote,
    Code::MissingBracket,
    Code::ExtraCloser,
    Code::WrongBracket,
    Code::GluedObjects,
    Code::SeveralCalls,
    Code::MissingCloser,
    Code::WrongCloser,
    Code::DuplicateCloser,
    Code::StrayCloser,
    Code::MissingValueCloser,
    Code::UnclosedTag,
    Code::JunkInCall,
];

/// Judges some damages of one message.
pub(super) fn judge(home: &Home, run: &Run, random: &mut Random, tally: &mut Tally) {
    let Some((meant, written, wanted)) = undamaged(home, run, random, tally, (2..=4, false, &mut short)) else {
        return;
    };
    for _ in 0..DAMAGES {
        let call = random.below(meant.calls.len());
        let damage = Damage::new(home, &written, call, random);
        damage.judge(home, run, (&meant, &wanted, &written), random, tally);
    }
}

/// How many calls a message has, whether each takes code, and what makes its values.
type CallsMade<'f> = (RangeInclusive<usize>, bool, &'f mut dyn FnMut(&mut Random) -> String);

/// Returns a message as it should be, its text, and its calls, if it is read as meant.
pub(super) fn undamaged(
    home: &Home,
    run: &Run,
    random: &mut Random,
    tally: &mut Tally,
    (calls, code, value): CallsMade<'_>,
) -> Option<(Meant, Written, Calls)> {
    let content = ["", "I will do it.\n"][random.below(2)];
    let mut meant = Meant { tools: random.below(3), content, calls: Vec::new() };
    for _ in 0..calls.start() + random.below(calls.end() - calls.start() + 1) {
        let tool = message::tool(random, code);
        meant.calls.push(Calling::new(tool, random, value));
    }
    let style = Style::any(random, Escaping::All);
    let Some(written) = writing::write(home, &meant, style, random) else {
        tally.count("cannot be written", "");
        return None;
    };
    let wanted = message::meant(&meant.calls);
    let whole = found(&read(home, run, meant.tools, written.text.as_bytes(), None));
    if whole != wanted {
        tally.not_read_back(run, &written.text, [&wanted, &whole]);
        return None;
    }
    Some((meant, written, wanted))
}

/// One damage, and the text with it.
struct Damage {
    call: usize,
    way: &'static str,
    /// The bytes that gave way, and how many came in their place.
    at: Range<usize>,
    put: usize,
    /// The byte that stood there.
    gone: u8,
    text: Vec<u8>,
}

impl Damage {
    fn new(home: &Home, written: &Written, call: usize, random: &mut Random) -> Self {
        let span = written.call(home, call);
        let text = written.text.as_bytes();
        let way = WAYS[random.below(WAYS.len())];
        let at = written.place(span.clone(), random);
        let byte = &text[at..=at];
        let bracket = *random.pick(&[&"\"", &"'", &"{", &"}", &"[", &"]", &"(", &")", &"<", &">", &"`"]);
        let fragment = fragment(home, random);
        let (gone, put): (Range<usize>, &[u8]) = match way {
            "delete" => (at..at + 1, b""),
            "double" => (at..at, byte),
            "marker" => (at..at, fragment.as_bytes()),
            "bracket" => (at..at, bracket.as_bytes()),
            "replace" => (at..at + 1, bracket.as_bytes()),
            _ => (at..span.end, b""),
        };
        let damaged = [&text[..gone.start], put, &text[gone.end..]].concat();
        Self { call, way, at: gone, put: put.len(), gone: byte[0], text: damaged }
    }

    fn judge(
        &self,
        home: &Home,
        run: &Run,
        (meant, wanted, written): (&Meant, &Calls, &Written),
        random: &mut Random,
        tally: &mut Tally,
    ) {
        let message = read(home, run, meant.tools, &self.text, None);
        let (calls, mut lost) = (found(&message), 0);
        let mut extra: Vec<&(String, Value)> = Vec::new();
        let mut rest = calls.iter().peekable();
        let others = wanted.iter().enumerate().filter(|(number, _)| *number != self.call).map(|(_, call)| call);
        for other in others {
            let ahead = rest.clone().position(|call| call == other);
            match ahead {
                Some(ahead) => {
                    extra.extend(rest.by_ref().take(ahead));
                    rest.next();
                }
                None => lost += 1,
            }
        }
        extra.extend(rest);
        // A piece of a marker may hold a whole call: instructions quote one.
        if self.way == "marker" {
            let put = &self.text[self.at.start..self.at.start + self.put];
            let put = found(&read(home, run, meant.tools, put, None));
            extra.retain(|call| !put.contains(call));
        }
        let outcome = self.outcome(home, &extra, wanted, (meant, written), &message);
        let show = || {
            vec![
                format!("{} at {:?} of call {}", self.way, self.at, self.call),
                format!("whole {}", line(written.text.as_bytes())),
                format!("text  {}", line(&self.text)),
                format!("meant {}", shown(wanted)),
                format!("found {}", shown(&calls)),
                format!("notes {}", kind_of_notes(&message)),
            ]
        };
        for group in ["others", self.way].into_iter().chain(home.guarded.then_some("guarded")) {
            let kept = wanted.len() - 1 - lost;
            (0..kept).for_each(|_| tally.count(group, "kept"));
            (0..lost).for_each(|_| tally.count(group, "lost"));
        }
        tally.count("damaged", outcome);
        if lost > 0 {
            tally.show(run, "others lost", show);
        }
        if outcome.starts_with("wrong") {
            tally.show(run, outcome, show);
        }
        if random.clone().one_in(8) {
            let mut random = random.clone();
            let same = message::is_same_in_pieces(home, run, meant.tools, &self.text, None, &message, &mut random);
            tally.pieces(run, same, show);
        }
    }

    /// Says what became of the damaged call, from the calls that are none of the others.
    fn outcome(
        &self,
        home: &Home,
        extra: &[&(String, Value)],
        wanted: &Calls,
        of: (&Meant, &Written),
        message: &Message,
    ) -> &'static str {
        if extra.is_empty() {
            return "not finished";
        }
        let original = &wanted[self.call];
        let (strict, data) = (self.strict(home, of), self.as_data(home, of));
        // What is left of a name and the next call are one call to any reader.
        let joined = |call: &(String, Value)| {
            let next = wanted.get(self.call + 1).filter(|_| self.way == "cut");
            next.is_some_and(|next| call.0.ends_with(&next.0) && call.1 == next.1)
        };
        let blank = self.gone.is_ascii_whitespace() || (self.way == "double" && self.is_blank());
        let fine = |call: &&&(String, Value)| {
            call.1 == original.1
                || strict.contains(&call.1)
                || joined(call)
                || (blank && same_but_blanks(&call.1, &original.1))
        };
        let lax = |call: &&&(String, Value)| fine(call) || self.is_lax(home, of, &call.1);
        let count = |test: &dyn Fn(&&&(String, Value)) -> bool| extra.iter().filter(test).count() == extra.len();
        let has = |test: &dyn Fn(Code) -> bool| message.diagnostics.iter().any(|note| test(note.code));
        match () {
            () if extra.len() == 1 && extra[0] == original => "original",
            () if count(&fine) => "as written",
            () if home.kind == StringStyle::Raw && count(&lax) => "lax",
            () if home.kind != StringStyle::Raw && count(&|call| fine(call) || data.contains(&call.1)) => "data",
            () if has(&|code| MOVES.contains(&code)) => "wrong: moved",
            () if has(&Code::is_repair) => "wrong: repaired",
            () if extra.iter().all(|call| call.1 == Value::Object(Map::new())) => "wrong: empty",
            () => "wrong: silent",
        }
    }

    /// Returns the last place at which the same bytes put in make the same text: behind those that are equal to them.
    fn last_place(&self, written: &Written) -> usize {
        let (whole, at) = (written.text.as_bytes(), self.at.start);
        let put = &self.text[at..at + self.put];
        if !self.at.is_empty() || self.put != 1 {
            return at;
        }
        at + whole[at..].iter().take_while(|byte| **byte == put[0]).count()
    }

    fn is_blank(&self) -> bool {
        self.text.get(self.at.start).is_some_and(u8::is_ascii_whitespace)
    }

    /// Says whether arguments are what a reader finds that looks for the next closer of a value and for nothing else.
    fn is_lax(&self, home: &Home, (meant, written): (&Meant, &Written), arguments: &Value) -> bool {
        let call = &meant.calls[self.call];
        let text = String::from_utf8_lossy(&self.text);
        let value = |key: &str| call.members.iter().position(|member| member.key == key);
        arguments.as_object().into_iter().flatten().all(|(key, found)| {
            let Some(number) = value(key) else { return false };
            let Some(found) = found.as_str().filter(|_| call.members[number].value != *found) else { return true };
            let is_it = |it: &&Part| it.call == self.call && it.member == number && it.what != What::Key;
            let Some(part) = written.parts.iter().find(is_it) else { return false };
            let near = self.at.start < part.span.start && part.span.start - self.at.start < 3;
            let start = if near { self.at.start } else { part.span.start };
            let rest = text.get(start..).unwrap_or_default();
            rest.strip_prefix(found).is_some_and(|after| {
                let end = home.end_of(key);
                !found.contains(&end) && after.trim_start().starts_with(&end)
            })
        })
    }

    /// Returns what the damaged call says to strict readers.
    fn strict(&self, home: &Home, (meant, written): (&Meant, &Written)) -> Vec<Value> {
        let text = String::from_utf8_lossy(&self.text);
        let mut all = Vec::new();
        if home.kind != StringStyle::Raw {
            let moved = |at: usize| if at >= self.at.end { at - self.at.len() + self.put } else { at };
            let start = moved(written.arguments[self.call].start);
            let starts = [start, written.arguments[self.call].start];
            let places = starts.into_iter().filter(|at| text.is_char_boundary(*at) && *at < text.len());
            all.extend(places.filter_map(|at| plain::read(home, &text, at, true)));
            return all;
        }
        // A byte of a key or a value that is damaged makes another.
        let call = &meant.calls[self.call];
        all.extend(self.hit(written).map(|(part, damaged)| with(call, part, damaged)));
        all
    }

    /// Returns the parts of the message that hold the damage, each with its damaged text.
    fn hit<'w>(&'w self, written: &'w Written) -> impl Iterator<Item = (&'w Part, String)> {
        let last = self.last_place(written);
        let holds = move |it: &&Part| it.call == self.call && it.span.start <= last && self.at.end <= it.span.end;
        written.parts.iter().filter(holds).map(|part| {
            let end = part.span.end + self.put - self.at.len();
            (part, String::from_utf8_lossy(&self.text[part.span.start..end]).into_owned())
        })
    }

    /// Returns what the call says if the damaged bytes of a string are data, whatever they are.
    fn as_data(&self, home: &Home, (meant, written): (&Meant, &Written)) -> Vec<Value> {
        let texts = self.hit(written).filter(|(part, _)| part.what == What::Text);
        texts.map(|(part, damaged)| with(&meant.calls[self.call], part, plain::data(home, &damaged))).collect()
    }
}

/// Returns the arguments of a call with other text at a place.
fn with(call: &Calling, part: &Part, text: String) -> Value {
    let mut arguments = call.arguments();
    let key = call.members[part.member].key;
    match part.what {
        What::Text => *arguments.pointer_mut(&part.pointer).expect("it was written") = text.into(),
        // What is no literal is text.
        What::Literal => arguments[key] = serde_json::from_str(&text).unwrap_or_else(|_| text.into()),
        What::Key => {
            if let Some((members, value)) =
                arguments.as_object_mut().and_then(|all| all.remove(key).map(|it| (all, it)))
            {
                members.insert(text.trim().to_owned(), value);
            }
        }
    }
    arguments
}

/// Returns a piece of a marker of this dialect or another, from its start, its end, or whole.
fn fragment(home: &Home, random: &mut Random) -> String {
    let foreign =
        ["<tool_call>", "</tool_call>", "<function=", "</parameter>", "<|im_end|>", "[TOOL_CALLS]", "```", "</invoke>"];
    let own = !home.markers.is_empty() && random.one_in(2);
    let marker = if own {
        home.markers[random.below(home.markers.len())].as_str()
    } else {
        foreign[random.below(foreign.len())]
    };
    let cut = marker.floor_char_boundary(1 + random.below(marker.len()));
    match random.below(3) {
        0 => marker.to_owned(),
        1 => marker[..cut].to_owned(),
        _ => marker[cut..].to_owned(),
    }
}
