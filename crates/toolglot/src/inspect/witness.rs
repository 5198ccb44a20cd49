//! Observes a parse, and records when and how each byte was read.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use crate::diagnostic::{Class, Code, Diagnostic};
use crate::event::{Event, EventKind};
use crate::json::write_escaped;
use crate::message::{Collector, Message};
use crate::options::Options;
use crate::trace::Step;

use super::align::{Pair, align};
use super::members::MemberReader;
use super::place::{Word, looks, unescaped};
use super::{Arrival, ByteKind, Inspection, Mending, Stretch, paint};

/// Steps that are kept; a hostile text causes one for every byte.
const MOST_STEPS: usize = 20_000;

/// Characters of a repair that are shown.
const SHOWN: usize = 400;

/// Diagnostics that may concern the bytes of one event.
const REACH: usize = 64;

/// Repairs that drop exactly the bytes that they concern.
const DROPPED: [Code; 4] = [Code::UnknownMember, Code::JunkInCall, Code::GluedObjects, Code::StrayCloser];

/// Diagnostics about a parameter that was not read at all.
const UNREAD: [Code; 2] = [Code::DuplicateParameter, Code::NamelessParameter];

/// Codes that change a message without repairing the text.
const CHANGES: [Code; 3] = [Code::Coerced, Code::NameNormalised, Code::InvalidUtf8];

/// The records so far.
pub(super) struct Witness<'i> {
    input: &'i [u8],
    collector: Collector,
    spans: Vec<Stretch>,
    steps: Vec<Step>,
    arrivals: Vec<Arrival>,
    held: Vec<(usize, usize)>,
    /// The last diagnostics, whose events may not have arrived yet.
    recent: Vec<(Code, Range<usize>)>,
    call: Option<usize>,
    members: MemberReader,
    /// The current call's name and id, until their bytes are found.
    unplaced: [Option<String>; 2],
    /// Names and arguments as emitted, and the bytes that they were read from.
    said: String,
    pairs: Vec<Pair>,
}

impl<'i> Witness<'i> {
    pub(super) fn new(input: &'i [u8], options: &Options) -> Self {
        Self {
            input,
            collector: Collector::new(options),
            spans: Vec::new(),
            steps: Vec::new(),
            arrivals: Vec::new(),
            held: vec![(0, 0)],
            recent: Vec::new(),
            call: None,
            members: MemberReader::default(),
            unplaced: [None, None],
            said: String::new(),
            pairs: Vec::new(),
        }
    }

    /// Records what the parser tried.
    pub(super) fn note(&mut self, steps: Vec<Step>) {
        let left = MOST_STEPS.saturating_sub(self.steps.len());
        self.steps.extend(steps.into_iter().take(left));
    }

    /// Records an event, which was emitted when `at` bytes had arrived.
    pub(super) fn see(&mut self, at: usize, event: &Event<'_>) {
        self.collector.add(event);
        let span = event.span.clone();
        match &event.kind {
            EventKind::Text(text) => self.text(at, "text", text, span.clone(), ByteKind::Text),
            EventKind::Reasoning(text) => self.text(at, "reasoning", text, span.clone(), ByteKind::Reasoning),
            EventKind::Markup => paint::add(&mut self.spans, span.clone(), ByteKind::Marker, self.call),
            EventKind::CallStart { index, id, name } => {
                self.call = Some(*index);
                self.members = MemberReader::default();
                self.unplaced = [Some((*name).to_owned()), id.map(str::to_owned)];
                self.header(&span, 3);
                self.arrive(at, "call_start", name);
            }
            EventKind::Arguments { json, .. } => {
                self.arguments(&span, json);
                self.arrive(at, "arguments", json);
            }
            EventKind::CallEnd { id, outcome, .. } => {
                if id.is_some() && !self.spans.iter().rev().take(REACH).any(|seen| seen.is_of(ByteKind::Id, self.call))
                {
                    self.unplaced[1] = id.map(str::to_owned);
                }
                self.header(&span, 1);
                self.arrive(at, "call_end", outcome.name());
                (self.call, self.unplaced) = (None, [None, None]);
            }
            EventKind::Diagnostic(diagnostic) => return self.hear(diagnostic),
        }
        match self.held.last_mut() {
            Some(last) if last.0 == at => last.1 = last.1.max(span.end),
            Some(last) if last.1 < span.end => self.held.push((at, span.end)),
            _ => {}
        }
    }

    fn hear(&mut self, diagnostic: &Diagnostic) {
        if self.recent.len() >= 2 * REACH {
            self.recent.drain(..REACH);
        }
        self.recent.push((diagnostic.code, diagnostic.span.clone()));
    }

    fn text(&mut self, at: usize, event: &'static str, text: &str, span: Range<usize>, kind: ByteKind) {
        paint::add(&mut self.spans, span, kind, None);
        self.arrive(at, event, text);
    }

    fn arrive(&mut self, at: usize, event: &'static str, text: &str) {
        let call = self.call.filter(|_| !matches!(event, "text" | "reasoning"));
        match self.arrivals.last_mut() {
            Some(last) if (last.at, last.event, last.call) == (at, event, call) => last.text.push_str(text),
            _ => self.arrivals.push(Arrival { at, event, call, text: text.to_owned() }),
        }
    }

    /// Paints a call's header or end. Its name and id are matched where they look like words, up to `rank`.
    fn header(&mut self, span: &Range<usize>, rank: u8) {
        let raw = self.input.get(span.clone()).unwrap_or_default();
        let mut places = Vec::new();
        for (word, kind) in self.unplaced.iter_mut().zip([ByteKind::Name, ByteKind::Id]) {
            let place = word.as_deref().and_then(|json| {
                let found = Word { kind, json, continues: false, is_open: false }.find(raw, 0, None);
                let other = found.is_none() && kind == ByteKind::Name;
                let other = other.then(|| other_spelling(&self.recent, span)).flatten();
                found.filter(|place| looks(kind, raw, place) <= rank).or(other)
            });
            let Some(place) = place else { continue };
            places.push((span.start + place.start..span.start + place.end, kind));
            if let Some(word) = word.take().filter(|_| kind == ByteKind::Name) {
                let json = self.said.len()..self.said.len() + word.len();
                self.said.push_str(&word);
                self.pairs.push(Pair { kind, raw: span.start + place.start..span.start + place.end, json });
            }
        }
        let mut cuts: Vec<usize> = places.iter().flat_map(|(place, _)| [place.start, place.end]).collect();
        cuts.extend([span.start, span.end]);
        cuts.sort_unstable();
        for cut in cuts.windows(2) {
            let kind =
                places.iter().find(|(place, _)| place.contains(&cut[0])).map_or(ByteKind::Marker, |found| found.1);
            paint::add(&mut self.spans, cut[0]..cut[1], kind, self.call);
        }
    }

    fn arguments(&mut self, span: &Range<usize>, json: &str) {
        let begins = self.members.is_new();
        let members = self.members.read(json);
        let first = members.first().and_then(|member| json.get(member.json.clone()));
        let header = first.filter(|_| begins || span.is_empty()).and_then(|first| self.header_with(first, span));
        let span = &header.clone().unwrap_or_else(|| span.clone());
        let raw = self.input.get(span.clone()).unwrap_or_default();
        let within = |place: &Range<usize>| span.start <= place.start && place.end <= span.end;
        let latest = self.recent.iter().rev().take(REACH).filter(|(_, place)| within(place));
        let mut told: Vec<_> = latest
            .clone()
            .filter(|(code, _)| !UNREAD.contains(code))
            .map(|(_, place)| place.start - span.start..place.end - span.start)
            .collect();
        told.reverse();
        let told = if header.is_some() { None } else { Some(&told[..]) };
        let unread: Vec<_> = latest.filter(|(code, _)| UNREAD.contains(code)).map(|(_, place)| place.clone()).collect();
        let said = self.said.len();
        for pair in align(raw, json, &members, told) {
            let raw = span.start + pair.raw.start..span.start + pair.raw.end;
            let is_own = matches!(pair.kind, ByteKind::Marker | ByteKind::Punctuation);
            let is_unread = is_own && unread.iter().any(|place| place.start < raw.end && raw.start < place.end);
            let kind = if is_unread { ByteKind::Skipped } else { pair.kind };
            paint::add(&mut self.spans, raw.clone(), kind, self.call);
            self.pairs.push(Pair { kind, raw, json: said + pair.json.start..said + pair.json.end });
        }
        self.said.push_str(json);
    }

    /// Removes the end of a header that spells the arguments, if their own bytes do not; returns both together.
    fn header_with(&mut self, first: &str, span: &Range<usize>) -> Option<Range<usize>> {
        let last = self.spans.last().filter(|last| last.span.end == span.start && last.call == self.call)?;
        let spells = |place: &Range<usize>| {
            memmem::find(self.input.get(place.clone()).unwrap_or_default(), unescaped(first).as_bytes()).is_some()
        };
        let is_own = matches!(last.kind, ByteKind::Marker | ByteKind::Punctuation);
        if !is_own || !spells(&last.span) || spells(span) {
            return None;
        }
        self.spans.pop().map(|header| header.span.start..span.end)
    }

    /// Returns the inspection.
    pub(super) fn tell(mut self, dialect: Option<Arc<str>>) -> Inspection {
        self.collector.set_dialect(dialect);
        let message = self.collector.clone().finish(self.input);
        let places = |is: fn(&Diagnostic) -> bool| -> Vec<Range<usize>> {
            message
                .diagnostics
                .iter()
                .filter(|found| is(found) && !found.span.is_empty())
                .map(|f| f.span.clone())
                .collect()
        };
        let dropped = places(|found| DROPPED.contains(&found.code));
        let repaired =
            places(|found| found.code == Code::InvalidUtf8 || found.code.is_repair() && !DROPPED.contains(&found.code));
        let invalid = places(|found| found.code == Code::InvalidUtf8);
        let spans = paint::over(std::mem::take(&mut self.spans), &dropped, ByteKind::Skipped, false);
        let spans = paint::over(spans, &repaired, ByteKind::Repaired, false);
        let spans = paint::over(spans, &invalid, ByteKind::Repaired, true);
        let repairs = self.repairs(&message);
        Inspection {
            spans,
            repairs,
            steps: self.steps,
            arrivals: self.arrivals,
            held: self.held,
            ..Inspection::new(message)
        }
    }

    fn repairs(&self, message: &Message) -> Vec<Mending> {
        let changes = |found: &&Diagnostic| {
            let code = &found.code;
            matches!(code.row().class, Class::Repair(_)) || [&CHANGES[..], &DROPPED, &UNREAD].concat().contains(code)
        };
        let mending = |found: &Diagnostic| Mending {
            code: found.code,
            class: found.code.row().class,
            span: found.span.clone(),
            message: found.message.clone(),
            before: shown(&String::from_utf8_lossy(self.input.get(found.span.clone()).unwrap_or_default())),
            after: if found.code == Code::InvalidUtf8 { "\u{FFFD}".to_owned() } else { self.after(&found.span) },
        };
        message.diagnostics.iter().filter(changes).map(mending).collect()
    }

    /// Returns what the message has for some bytes.
    fn after(&self, span: &Range<usize>) -> String {
        let first = self.pairs.partition_point(|pair| pair.raw.end < span.start);
        let mut after = String::new();
        for pair in self.pairs[first..].iter().take_while(|pair| pair.raw.start <= span.end) {
            let is_inside = span.start <= pair.raw.start && pair.raw.end <= span.end;
            if is_inside {
                after.push_str(self.said.get(pair.json.clone()).unwrap_or_default());
            } else if pair.raw.start < span.end && span.start < pair.raw.end {
                after.push_str(&self.part(pair, span));
            }
            if after.len() > SHOWN * 4 {
                break;
            }
        }
        shown(&after)
    }

    /// Returns what the message has for some bytes of a pair: all of it, if it cannot be divided.
    fn part(&self, pair: &Pair, span: &Range<usize>) -> String {
        let json = self.said.get(pair.json.clone()).unwrap_or_default();
        let raw = self.input.get(pair.raw.clone()).unwrap_or_default();
        let bytes = self.input.get(span.start.max(pair.raw.start)..span.end.min(pair.raw.end)).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(same) if raw == json.as_bytes() => same.to_owned(),
            Ok(text) if raw == unescaped(json).as_bytes() => {
                let mut escaped = String::new();
                write_escaped(text, &mut escaped);
                escaped
            }
            _ => json.to_owned(),
        }
    }
}

/// Returns the position of a differently spelled name, in bytes of the header.
fn other_spelling(latest: &[(Code, Range<usize>)], span: &Range<usize>) -> Option<Range<usize>> {
    let within = |place: &&(Code, Range<usize>)| {
        place.0 == Code::NameNormalised && span.start <= place.1.start && place.1.end <= span.end
    };
    let (_, place) = latest.iter().rev().find(within)?;
    Some(place.start - span.start..place.end - span.start)
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Stretch {
    fn is_of(&self, kind: ByteKind, call: Option<usize>) -> bool {
        self.kind == kind && self.call == call
    }
}
