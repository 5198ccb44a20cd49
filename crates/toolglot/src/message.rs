//! Assembles events into a whole message, in the form of a chat API.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::event::{Event, EventKind, Outcome};
use crate::id::{Seed, mint, seed_of};
use crate::json;
use crate::options::{FinishReason, Options};
use crate::parser::Parser;

/// A whole message: text, reasoning, calls and diagnostics.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The text, without calls and markup.
    pub content: String,
    /// The reasoning.
    pub reasoning: String,
    /// The finished calls.
    pub calls: Vec<Call>,
    /// The calls that began and did not finish; nothing of them is lost.
    pub incomplete: Vec<IncompleteCall>,
    /// Why the message ended.
    pub finish_reason: FinishReason,
    /// The dialect of the first call; `None` without a call.
    pub dialect: Option<Arc<str>>,
    /// The diagnostics, ordered by position: at most ten thousand of each code, the last of which says that there were more.
    pub diagnostics: Vec<Diagnostic>,
}

/// A finished call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The model's own id, or one made from the caller's seed or the text; unique in the message.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments: the JSON text of one object.
    pub arguments: String,
}

/// A call that began but did not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IncompleteCall {
    /// The tool's name.
    pub name: String,
    /// The arguments so far, as strict JSON that stops in the middle: nothing is closed that the model left open.
    pub arguments: String,
    /// The text of the call, as the model wrote it.
    pub text: String,
    /// Why it is not finished: truncated or broken.
    pub outcome: Outcome,
}

/// Assembles the pieces, or the events, of one message.
///
/// [`Collector::feed`] and [`Collector::complete`] drive a parser and return the same message as [`parse`](crate::parse)
/// for the whole text. Callers that process events themselves pass each to [`Collector::add`] and end with
/// [`Collector::finish`].
///
/// # Example
/// ```
/// use toolglot::{Collector, Dialects, Options, Parser, Tools, parse};
/// let (dialects, tools, options) = (Dialects::builtin(), Tools::default(), Options::default());
/// let text = r#"<tool_call>{"name": "ls", "arguments": {}}</tool_call><tool_call>{"name": "cat", "arguments": {"path": "sr"#;
/// let mut parser = Parser::new(&dialects, &tools, &options);
/// let mut collector = Collector::new(&options);
/// for piece in text.split_inclusive(' ') {
///     collector.feed(&mut parser, piece);
/// }
/// let message = collector.complete(&mut parser);
/// assert_eq!(message, parse(text, &dialects, &tools, &options));
/// assert_eq!(message.incomplete[0].text, r#"<tool_call>{"name": "cat", "arguments": {"path": "sr"#);
/// ```
#[derive(Clone, Debug)]
pub struct Collector {
    options: Options,
    content: String,
    reasoning: String,
    dialect: Option<Arc<str>>,
    started: Vec<StartedCall>,
    diagnostics: Vec<Diagnostic>,
    fed: FedBytes,
}

/// The bytes that were fed and may be part of a call that does not finish.
#[derive(Clone, Debug, Default)]
struct FedBytes {
    bytes: Vec<u8>,
    /// The seed of ids: the hash of all bytes that were fed, unless the caller set a seed.
    seed: Option<Seed>,
    /// The position of the first of them in the input.
    start: usize,
    /// Everything before this position has been reported.
    said: usize,
    /// The current call.
    open: Option<usize>,
}

/// A call that has begun and not ended.
#[derive(Clone, Debug)]
struct StartedCall {
    id: Option<String>,
    name: String,
    arguments: String,
    span: Range<usize>,
    outcome: Outcome,
    /// Its bytes, if the collector was fed them and the call did not finish.
    text: Option<String>,
}

impl Collector {
    /// Returns a collector for one message.
    pub fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
            content: String::new(),
            reasoning: String::new(),
            dialect: None,
            started: Vec::new(),
            diagnostics: Vec::new(),
            fed: FedBytes::default(),
        }
    }

    /// Feeds a piece of text to a parser and adds the resulting events.
    pub fn feed(&mut self, parser: &mut Parser, piece: &str) {
        self.fed.bytes.extend_from_slice(piece.as_bytes());
        if self.options.id_seed.is_none() {
            self.fed.seed.get_or_insert_default().feed(piece.as_bytes());
        }
        parser.push(piece).for_each(|event| self.add(&event));
        self.forget();
    }

    /// Ends the parser that [`Collector::feed`] fed, and returns the message.
    pub fn complete(mut self, parser: &mut Parser) -> Message {
        parser.finish().for_each(|event| self.add(&event));
        self.set_dialect(parser.dialect().cloned());
        self.finish(&[])
    }

    /// Keeps only the bytes that no event has covered, and those of open calls.
    fn forget(&mut self) {
        let open = self.fed.open.and_then(|index| Some(self.started.get(index)?.span.start));
        let keep = open.unwrap_or(self.fed.said).min(self.fed.said);
        let gone = keep.saturating_sub(self.fed.start).min(self.fed.bytes.len());
        self.fed.bytes.drain(..gone);
        self.fed.start += gone;
    }

    /// Adds the next event.
    pub fn add(&mut self, event: &Event<'_>) {
        if !matches!(event.kind, EventKind::Diagnostic(_)) {
            self.fed.said = self.fed.said.max(event.span.end);
        }
        match &event.kind {
            EventKind::Text(text) => add(&mut self.content, text),
            EventKind::Reasoning(text) => add(&mut self.reasoning, text),
            EventKind::Markup => {}
            EventKind::Diagnostic(diagnostic) => self.diagnostics.push((*diagnostic).clone()),
            EventKind::CallStart { id, name, .. } => {
                self.fed.open = Some(self.started.len());
                self.started.push(StartedCall {
                    id: id.map(str::to_owned),
                    name: (*name).to_owned(),
                    arguments: String::new(),
                    span: event.span.clone(),
                    outcome: Outcome::Truncated,
                    text: None,
                });
            }
            EventKind::Arguments { index, json } => self.call(*index, |call| add(&mut call.arguments, json), event),
            EventKind::CallEnd { index, id, outcome } => {
                let end = |call: &mut StartedCall| {
                    call.id = call.id.take().or(id.map(str::to_owned));
                    call.outcome = *outcome;
                };
                self.call(*index, end, event);
                self.fed.open = self.fed.open.filter(|open| open != index);
                let unfinished = self.started.get_mut(*index).filter(|call| !call.outcome.is_call());
                if let Some(call) = unfinished {
                    call.text = self.fed.text(&call.span);
                }
            }
        }
    }

    /// Adds a native call that a server had already extracted from the text, with arguments made from its own.
    pub fn add_native(&mut self, id: Option<String>, name: String, arguments: String, outcome: Outcome) {
        self.started.push(StartedCall { id, name, arguments, span: 0..0, outcome, text: None });
    }

    /// Adds a diagnostic that is in no event.
    pub fn add_diagnostic(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Returns the message. `input` is everything that the parser was fed, or empty if [`Collector::feed`] fed it.
    pub fn finish(mut self, input: &[u8]) -> Message {
        let accept = self.options.accept_incomplete;
        let truncated = self.started.iter().any(|call| call.outcome == Outcome::Truncated);
        let (mut calls, mut incomplete) = (Vec::with_capacity(self.started.len()), Vec::new());
        let seed = self.seed(input);
        // Where no call brings its own, all ids differ as they are made.
        let mut taken = self.started.iter().any(|call| call.id.is_some()).then(HashSet::new);
        for (index, started) in std::mem::take(&mut self.started).into_iter().enumerate() {
            if started.outcome.is_call() || (accept && started.outcome == Outcome::Truncated) {
                let mut arguments = started.arguments;
                // They are closed where the end cut them off.
                if !started.outcome.is_call() {
                    json::close(&mut arguments);
                }
                let id = unique_id(&mut taken, started.id, seed, index);
                calls.push(Call { id, name: started.name, arguments });
            } else {
                incomplete.push(started.incomplete(input));
            }
        }
        // What is wrong with the input itself may have been told ahead of what was read there.
        let ahead = |diagnostic: &Diagnostic| diagnostic.code != Code::InvalidUtf8;
        let place = |diagnostic: &Diagnostic| (diagnostic.span.start, diagnostic.span.end, ahead(diagnostic));
        self.diagnostics.sort_by_key(place);
        let finish_reason = finish_reason(self.options.finish_reason, !calls.is_empty(), truncated);
        Message {
            content: self.content,
            reasoning: self.reasoning,
            calls,
            incomplete,
            finish_reason,
            dialect: self.dialect,
            diagnostics: self.diagnostics,
        }
    }

    /// Returns the seed of ids: the caller's, or a hash of the text, or of the reported parts if the text is unknown.
    fn seed(&self, input: &[u8]) -> u64 {
        match (self.options.id_seed.or(self.fed.seed.map(Seed::of_all)), self.started.as_slice()) {
            (Some(seed), _) => seed,
            (None, []) => 0,
            (None, _) if !input.is_empty() => seed_of(input),
            (None, started) => {
                let calls = started.iter().flat_map(|call| [&call.name, &call.arguments]);
                let mut seed = Seed::default();
                [&self.content, &self.reasoning].into_iter().chain(calls).for_each(|text| seed.feed(text.as_bytes()));
                seed.of_all()
            }
        }
    }

    /// Sets the server's finish reason, which may be known only at the end.
    pub fn set_finish_reason(&mut self, reason: Option<FinishReason>) {
        self.options.finish_reason = reason;
    }

    /// Sets the dialect of the message's first call.
    pub fn set_dialect(&mut self, dialect: Option<Arc<str>>) {
        self.dialect = dialect;
    }

    fn call(&mut self, index: usize, change: impl FnOnce(&mut StartedCall), event: &Event<'_>) {
        if let Some(call) = self.started.get_mut(index) {
            change(call);
            call.span.end = event.span.end;
        }
    }
}

/// Adds a piece; for the first, which is often the only one, it allocates exactly.
fn add(whole: &mut String, piece: &str) {
    if whole.is_empty() {
        *whole = piece.to_owned();
    } else {
        whole.push_str(piece);
    }
}

/// The model's id unless an earlier call has it, otherwise a generated one.
fn unique_id(taken: &mut Option<HashSet<String>>, id: Option<String>, seed: u64, index: usize) -> String {
    let Some(taken) = taken else { return mint(seed, index) };
    let minted = (0..).map(|more| mint(seed.wrapping_add(more), index));
    let mut ids = id.filter(|id| !id.is_empty()).into_iter().chain(minted);
    ids.find(|id| taken.insert(id.clone())).unwrap_or_default()
}

impl StartedCall {
    fn incomplete(self, input: &[u8]) -> IncompleteCall {
        let of_input = || String::from_utf8_lossy(input.get(self.span.clone()).unwrap_or_default()).into_owned();
        let text = self.text.clone().unwrap_or_else(of_input);
        IncompleteCall { name: self.name, arguments: self.arguments, text, outcome: self.outcome }
    }
}

impl FedBytes {
    /// Returns the bytes of a span, if they were fed.
    fn text(&self, span: &Range<usize>) -> Option<String> {
        let from = span.start.checked_sub(self.start)?;
        let bytes = self.bytes.get(from..span.end.checked_sub(self.start)?)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// The server's reason if it cut the message off, otherwise the reason that the message implies.
fn finish_reason(server: Option<FinishReason>, calls: bool, truncated: bool) -> FinishReason {
    match server {
        Some(reason) if reason.is_cut() => reason,
        _ if calls => FinishReason::ToolCalls,
        _ if truncated => FinishReason::Length,
        _ => FinishReason::Stop,
    }
}

impl Message {
    /// Returns the diagnostics with a code.
    pub fn diagnosed(&self, code: Code) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(move |diagnostic| diagnostic.code == code)
    }
}
