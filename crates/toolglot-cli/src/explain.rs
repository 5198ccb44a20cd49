//! `toolglot explain`: a one-line verdict on why calls were or were not recognised, then each step with its bytes.

use std::io::{self, BufWriter, Write};
use std::ops::Range;

use toolglot::{
    Action, Code, Collector, Diagnostic, Dialects, Event, EventKind, Message, MissReason, NearMiss, Parser, Step,
    near_miss,
};

use crate::args::{ExplainArgs, MessageFlags};
use crate::failure::{ExitStatus, Run};
use crate::input::Source;
use crate::options::Setup;
use crate::paint::Paint;
use crate::report::{Place, class_name, with_flags};
use crate::saved::{Given, Native};
use crate::tally::counted;

/// Characters of a step's bytes that are shown, from both ends.
const SHOWN: usize = 64;

/// Characters shown of the text after a step without bytes.
const AHEAD: usize = 24;

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs) -> Run {
    let (_, setup) = Setup::from_flags(&args.reading, &args.message)?;
    let given = Given::new(Source::open(args.file.as_deref())?.read_all()?, &args.message)?;
    let setup = given.setup(setup, &args.message);
    let mut out = BufWriter::new(io::stdout().lock());
    explain(&mut out, &given, &setup, &args.message)?;
    out.flush()?;
    Ok(ExitStatus::Fine)
}

fn explain(out: &mut impl Write, given: &Given, setup: &Setup, flags: &MessageFlags) -> io::Result<()> {
    let input = &given.text[..];
    let mut parser = Parser::new(&setup.dialects, &setup.tools, &setup.options);
    parser.enable_trace();
    let mut collector = Collector::new(&setup.options);
    let (mut rows, mut steps) = (Vec::new(), Vec::new());
    for piece in given.pieces(flags) {
        piece.feed(&mut parser, input).for_each(|event| add_event(&mut rows, &mut collector, &event));
        steps.append(&mut parser.take_trace());
    }
    parser.finish().for_each(|event| add_event(&mut rows, &mut collector, &event));
    steps.append(&mut parser.take_trace());
    collector.set_dialect(parser.dialect().cloned());
    let natives = given.natives(setup);
    let message = collector.clone().finish(input);
    let mut page = Page { out, input, paint: Paint::stdout(), place: Place::default() };
    let text = String::from_utf8_lossy(input);
    let miss = near_miss(&text, &message, &setup.dialects, &setup.tools, &setup.options);
    let why = miss.as_ref().map(|miss| escaped(&with_flags(&miss.diagnostic.message)));
    let why = why.unwrap_or_else(|| nothing(&message, input, setup));
    page.verdict(&verdict(&message, natives.len(), &why))?;
    let (place, advice) = match &miss {
        Some(miss) => {
            let advice = page.advice(miss, &message, &steps);
            (page.place_of(miss).filter(|_| miss.reason != MissReason::Broken || advice.is_none()), advice)
        }
        None if message.calls.is_empty() => (None, page.closest(&steps, None)),
        None => (None, None),
    };
    for line in [place, advice].into_iter().flatten() {
        writeln!(page.out, "{line}")?;
    }
    writeln!(page.out)?;
    page.reasoning(given.reasoning())?;
    let mut rows = rows.into_iter().peekable();
    for step in steps {
        while let Some(row) = rows.next_if(|row| row.at < step.span.start) {
            page.event(&row)?;
        }
        page.step(&step)?;
    }
    rows.try_for_each(|row| page.event(&row))?;
    for native in natives {
        page.native(&native)?;
        native.add_to(&mut collector);
    }
    page.end(&collector.finish(input))
}

/// Says in one line what was recognised, or why nothing was.
fn verdict(message: &Message, natives: usize, why: &str) -> String {
    let calls = message.calls.iter().map(|call| format!("`{}`", call.name)).collect::<Vec<_>>().join(", ");
    let native = match natives {
        0 => String::new(),
        _ => format!("; {} parsed by the server", counted(natives, "call")),
    };
    if !message.calls.is_empty() {
        let dialect = message.dialect.as_deref().unwrap_or("none");
        let wrong: Vec<String> = message
            .diagnostics
            .iter()
            .filter(|found| WRONG.contains(&found.code))
            .map(|found| escaped(&found.message))
            .collect();
        let calls = format!("recognised {}: {calls} (dialect {dialect}){native}", counted(message.calls.len(), "call"));
        return std::iter::once(calls).chain(wrong).collect::<Vec<_>>().join("; ");
    }
    format!("no call recognised: {why}{native}")
}

/// What is wrong with a call that was recognised.
const WRONG: [Code; 5] =
    [Code::UnknownTool, Code::MissingParameter, Code::UnknownParameter, Code::TypeMismatch, Code::SchemaViolation];

/// Says that nothing looks like a call, and what may nevertheless be part of one.
fn nothing(message: &Message, input: &[u8], setup: &Setup) -> String {
    let text = String::from_utf8_lossy(input);
    let named = setup.tools.names().filter_map(|name| Some((word(&text, name)?, name))).min();
    let orphan = message.diagnosed(Code::OrphanCloser).next();
    let found = match (named, orphan) {
        (Some((at, name)), _) => {
            let place = Place::of(input, at);
            format!("the text mentions the tool `{name}` at {place}, but not in the form of a call")
        }
        (None, Some(orphan)) => {
            let place = Place::of(input, orphan.span.start);
            format!("there is a closing marker at {place}, but nothing before it can be parsed as a call")
        }
        (None, None) => "nothing in the text looks like a call".to_owned(),
    };
    let next = if setup.tools.is_empty() {
        "some formats need declared tools: pass `--tools`"
    } else if setup.dialects.iter().count() < Dialects::builtin().iter().count() {
        "if it contains one, try `--dialect auto`, or derive a dialect from it with `toolglot dialects new`"
    } else {
        "if it contains one, derive a dialect from it with `toolglot dialects new`"
    };
    format!("{found}; {next}")
}

/// Returns where a text first contains a whole word.
fn word(text: &str, word: &str) -> Option<usize> {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    // After a back quote, it is the language of a fence, or quoted.
    let is_whole = |at: &usize| {
        !text[..*at].ends_with(|c| c == '`' || goes_on(c)) && !text[at + word.len()..].starts_with(goes_on)
    };
    text.match_indices(word).map(|(at, _)| at).find(is_whole)
}

/// An event to print.
struct EventRow {
    /// Where the event starts, but never before the previous event, so that the order is kept.
    at: usize,
    span: Range<usize>,
    what: &'static str,
    words: Vec<String>,
}

/// Adds an event; consecutive events of one kind are merged.
fn add_event(rows: &mut Vec<EventRow>, collector: &mut Collector, event: &Event<'_>) {
    collector.add(event);
    let what = event.kind.name();
    let words = words(&event.kind);
    let joins = matches!(what, "text" | "reasoning" | "markup" | "arguments");
    match rows.last_mut().filter(|last| joins && last.what == what) {
        Some(last) => {
            last.span.end = event.span.end;
            last.words.extend(words);
        }
        None => {
            let at = event.span.start.max(rows.last().map_or(0, |last| last.at));
            rows.push(EventRow { at, span: event.span.clone(), what, words });
        }
    }
}

fn words(kind: &EventKind<'_>) -> Vec<String> {
    match kind {
        EventKind::CallStart { index, id, name } => {
            let id = id.map(|id| format!(", id `{id}`")).unwrap_or_default();
            vec![format!("call {index}: `{name}`{id}")]
        }
        EventKind::Arguments { json, .. } => vec![(*json).to_owned()],
        EventKind::CallEnd { index, outcome, .. } => vec![format!("call {index}: {}", outcome.name())],
        EventKind::Diagnostic(diagnostic) => {
            let row = diagnostic.code.row();
            let by = if row.by.is_empty() { String::new() } else { format!("; written by {}", row.by) };
            vec![class_name(row.class).into(), row.name.into(), format!("{}{by}", diagnostic.message)]
        }
        _ => Vec::new(),
    }
}

/// The page that is written.
struct Page<'p, W> {
    out: &'p mut W,
    input: &'p [u8],
    paint: Paint,
    place: Place,
}

impl<W: Write> Page<'_, W> {
    fn step(&mut self, step: &Step) -> io::Result<()> {
        let action = match step.action {
            Action::Committed => self.paint.good(&format!("{:10}", step.action.name())),
            Action::Died => self.paint.faint("rejected  "),
            _ => self.paint.faint(&format!("{:10}", step.action.name())),
        };
        let dialect = step.dialect.as_deref().map(|name| format!("{name}: ")).unwrap_or_default();
        let bytes = if step.span.is_empty() { self.ahead(step.span.start) } else { self.bytes(&step.span) };
        self.line(&step.span, &action, &format!("{dialect}{}  {bytes}", escaped(&step.detail)))
    }

    fn event(&mut self, row: &EventRow) -> io::Result<()> {
        match (row.what, row.words.as_slice()) {
            ("diagnostic", [class, code, message]) => {
                self.place.advance(self.input, row.span.start);
                let what = self.paint.warning(&format!("{class:10}"));
                self.line(&row.span, &what, &format!("{code}, {}: {}", self.place, escaped(message)))
            }
            ("arguments", pieces) => {
                let text = format!("{}  from {}", shortened(&pieces.concat()), self.bytes(&row.span));
                self.named(&row.span, row.what, &text)
            }
            (what, []) => self.named(&row.span, what, &self.bytes(&row.span)),
            (what, words) => {
                let text = format!("{}  {}", escaped(&words.concat()), self.bytes(&row.span));
                self.named(&row.span, what, &text)
            }
        }
    }

    fn verdict(&mut self, words: &str) -> io::Result<()> {
        writeln!(self.out, "{}", self.paint.strong(words))
    }

    /// Returns the place that the verdict is about.
    fn place_of(&self, miss: &NearMiss) -> Option<String> {
        let span = &miss.diagnostic.span;
        if span.is_empty() {
            return None;
        }
        let Range { start, end } = *span;
        Some(format!("at {} (bytes {start}..{end}): {}", Place::of(self.input, start), self.bytes(span)))
    }

    /// Says where parsing stopped, or what to do, where the verdict does not.
    fn advice(&self, miss: &NearMiss, message: &Message, steps: &[Step]) -> Option<String> {
        match miss.reason {
            MissReason::Broken if message.diagnosed(Code::Rejected).next().is_none() => {
                let found = &miss.diagnostic;
                let broken = message.diagnostics.iter().find(|other| other.code == Code::Broken);
                let at = broken.map(|broken| broken.span.start).or_else(|| self.stopped(found, steps))?;
                let stopped = format!("{}, before {}", Place::of(self.input, at), self.ahead(at));
                Some(format!("parsing stopped at {stopped}{}", shown(found.dialect.as_deref())))
            }
            MissReason::UnknownMarker if miss.diagnostic.message.contains("dialect file") => {
                let call = format!("--call '{} {{…}}'", escaped(miss.tool.as_deref().unwrap_or("NAME")));
                let closest = self.closest(steps, Some(miss.diagnostic.span.start));
                let closest = closest.map(|closest| closest + "\n").unwrap_or_default();
                Some(format!(
                    "{closest}to derive a dialect file: `toolglot dialects new mine.toml --example FILE {call}`"
                ))
            }
            MissReason::InReasoning if !miss.diagnostic.message.contains("set `") => {
                Some("if the model calls tools while it reasons, pass `--calls-in-reasoning end`".to_owned())
            }
            _ => None,
        }
    }

    /// Returns where a call that did not begin became impossible: the last character of the reason if its JSON is invalid,
    /// or the furthest byte that a candidate was read to.
    fn stopped(&self, found: &Diagnostic, steps: &[Step]) -> Option<usize> {
        if found.message.contains("JSON is invalid") {
            let is_start = |at: &usize| self.input.get(*at).is_some_and(|byte| byte & 0xC0 != 0x80);
            return (0..found.span.end).rev().find(is_start);
        }
        let died = steps.iter().filter(|step| step.action == Action::Died && step.span.start == found.span.start);
        died.map(|step| step.span.end.max(found.span.end)).max()
    }

    /// Names the candidate that was read furthest, close before `near` if that is given. Candidates that begin with a brace
    /// or a plain bracket do not count: any text may contain those.
    fn closest(&self, steps: &[Step], near: Option<usize>) -> Option<String> {
        let may_be = |step: &&Step| {
            let at = step.span.start;
            let is_marker = matches!(self.input.get(at..), Some([b'<' | b'@', ..] | [b'[', b'A'..=b'Z', ..]));
            step.action == Action::Died && is_marker && near.is_none_or(|near| (at..at + SHOWN).contains(&near))
        };
        let died = steps.iter().filter(may_be);
        let step = died.reduce(|best, step| if step.span.len() > best.span.len() { step } else { best })?;
        let (pattern, why) = step.detail.rsplit_once(": ")?;
        let (place, ahead) = (Place::of(self.input, step.span.start), self.ahead(step.span.start));
        let name = step.dialect.as_deref().unwrap_or_default();
        let pattern = escaped(pattern);
        Some(format!("closest: at {place}, {ahead}, `{name}` reads `{pattern}`: {why}{}", shown(Some(name))))
    }

    /// Shows the reasoning that the server parsed.
    fn reasoning(&mut self, reasoning: &str) -> io::Result<()> {
        if reasoning.is_empty() {
            return Ok(());
        }
        self.named(&(0..0), "reasoning", &format!("from the server: {}", shortened(reasoning)))
    }

    /// Shows a call that the server parsed, and the repairs of its arguments.
    fn native(&mut self, call: &Native) -> io::Result<()> {
        let here = self.input.len()..self.input.len();
        let words = format!("`{}`, {}: {}", escaped(&call.name), call.outcome.name(), shortened(&call.arguments));
        self.named(&here, "native", &words)?;
        for found in &call.diagnostics {
            let row = found.code.row();
            let what = self.paint.warning(&format!("{:10}", class_name(row.class)));
            self.line(&here, &what, &format!("{}: {}", row.name, escaped(&found.message)))?;
        }
        Ok(())
    }

    fn end(&mut self, message: &Message) -> io::Result<()> {
        let calls = message.calls.len();
        let dialect = message.dialect.as_deref().unwrap_or("none");
        let words = format!("finish_reason {}, calls {calls}, dialect {dialect}", message.finish_reason.name());
        self.named(&(self.input.len()..self.input.len()), "end", &words)
    }

    fn named(&mut self, span: &Range<usize>, what: &str, words: &str) -> io::Result<()> {
        let what = self.paint.strong(&format!("{what:10}"));
        self.line(span, &what, words)
    }

    fn line(&mut self, span: &Range<usize>, what: &str, words: &str) -> io::Result<()> {
        let span = self.paint.faint(&format!("{:>6}..{:<6}", span.start, span.end));
        writeln!(self.out, "{span} {what} {words}")
    }

    /// The text after an offset.
    fn ahead(&self, at: usize) -> String {
        let bytes = self.input.get(at..).unwrap_or_default();
        let ahead = String::from_utf8_lossy(bytes.get(..AHEAD * 4).unwrap_or(bytes));
        let ahead: String = ahead.chars().take(AHEAD).collect();
        let more = if ahead.len() < bytes.len() { "…" } else { "" };
        self.paint.faint(&format!("\"{}{more}\"", escaped(&ahead)))
    }

    fn bytes(&self, span: &Range<usize>) -> String {
        let bytes = self.input.get(span.clone()).unwrap_or_default();
        let edge = SHOWN * 4;
        if bytes.len() <= edge * 2 {
            return self.paint.faint(&format!("\"{}\"", shortened(&String::from_utf8_lossy(bytes))));
        }
        let ends = [&bytes[..edge], &bytes[bytes.len() - edge..]].map(String::from_utf8_lossy).concat();
        self.paint.faint(&format!("\"{}\"", shortened(&ends)))
    }
}

/// Returns the command that shows a built-in dialect.
fn shown(dialect: Option<&str>) -> String {
    let name = dialect.filter(|name| Dialects::builtin().get(name).is_some());
    name.map(|name| format!("; `toolglot dialects show {name}` shows what it expects")).unwrap_or_default()
}

/// A text shortened to one line, without control characters.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN {
        return escaped(text);
    }
    let head: String = text.chars().take(SHOWN * 2 / 3).collect();
    let tail: String = text.chars().skip(count - SHOWN / 3).collect();
    format!("{}…{}", escaped(&head), escaped(&tail))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}') {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}
