//! Events put together: the whole message, as a caller of a chat API wants it.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::event::{Event, EventKind, Outcome};
use crate::id::mint;
use crate::options::{FinishReason, Options};

/// A whole message: text, reasoning, calls, and what was remarkable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The text, in order, without calls and markup.
    pub content: String,
    /// The reasoning, in order.
    pub reasoning: String,
    /// The finished calls.
    pub calls: Vec<Call>,
    /// Calls that began and did not finish; nothing of them is lost.
    pub incomplete: Vec<IncompleteCall>,
    /// Why the message ended.
    pub finish_reason: FinishReason,
    /// The dialect of the first call.
    pub dialect: Option<Arc<str>>,
    /// What was remarkable, ordered by place; of one code the first ten thousand, the last of which says so.
    pub diagnostics: Vec<Diagnostic>,
}

/// A finished call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The model's own id, or one made from the caller's seed; unique in the message.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments: the text of one JSON object.
    pub arguments: String,
}

/// A call that began and did not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IncompleteCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as far as they came, brackets closed.
    pub arguments: String,
    /// The call's bytes as the model wrote them.
    pub text: String,
    /// Why it is not a finished call.
    pub outcome: Outcome,
}

/// Puts the events of one message together.
///
/// # Example
/// ```
/// use toolglot::{Collector, Dialects, Options, Parser, Tools};
/// let options = Options::default();
/// let mut parser = Parser::new(&Dialects::builtin(), &Tools::default(), &options);
/// let mut collector = Collector::new(&options);
/// let text = r#"<tool_call>{"name": "ls", "arguments": {}}</tool_call>"#;
/// parser.push(text).for_each(|event| collector.add(&event));
/// parser.finish().for_each(|event| collector.add(&event));
/// let message = collector.finish(text.as_bytes());
/// assert_eq!(message.calls[0].name, "ls");
/// ```
#[derive(Clone, Debug)]
pub struct Collector {
    options: Options,
    content: String,
    reasoning: String,
    dialect: Option<Arc<str>>,
    started: Vec<Started>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
struct Started {
    id: Option<String>,
    name: String,
    arguments: String,
    span: Range<usize>,
    outcome: Outcome,
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
        }
    }

    /// Adds the next event.
    pub fn add(&mut self, event: &Event<'_>) {
        match &event.kind {
            EventKind::Text(text) => self.content.push_str(text),
            EventKind::Reasoning(text) => self.reasoning.push_str(text),
            EventKind::Markup => {}
            EventKind::Diagnostic(diagnostic) => self.diagnostics.push((*diagnostic).clone()),
            EventKind::CallStart { id, name, .. } => self.started.push(Started {
                id: id.map(str::to_owned),
                name: (*name).to_owned(),
                arguments: String::new(),
                span: event.span.clone(),
                outcome: Outcome::Truncated,
            }),
            EventKind::Arguments { index, json } => self.call(*index, |call| call.arguments.push_str(json), event),
            EventKind::CallEnd { index, id, outcome } => self.call(*index, |call| call.end(*id, *outcome), event),
        }
    }

    /// Adds a call that a server had told from the text already, with the arguments that were made of its own.
    pub fn add_native(&mut self, id: Option<String>, name: String, arguments: String, outcome: Outcome) {
        self.started.push(Started { id, name, arguments, span: 0..0, outcome });
    }

    /// Adds something worth knowing that no event said.
    pub fn add_diagnostic(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Returns the message; `input` is what the parser was fed, all of it.
    pub fn finish(mut self, input: &[u8]) -> Message {
        let accept = self.options.accept_incomplete;
        let truncated = self.started.iter().any(|call| call.outcome == Outcome::Truncated);
        let (mut calls, mut incomplete) = (Vec::new(), Vec::new());
        // Where no call brings its own, all ids differ as they are made.
        let mut taken = self.started.iter().any(|call| call.id.is_some()).then(HashSet::new);
        for (index, started) in std::mem::take(&mut self.started).into_iter().enumerate() {
            if started.outcome.is_call() || (accept && started.outcome == Outcome::Truncated) {
                let id = unique_id(&mut taken, started.id, self.options.id_seed.unwrap_or_default(), index);
                calls.push(Call { id, name: started.name, arguments: started.arguments });
            } else {
                incomplete.push(started.incomplete(input));
            }
        }
        self.diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
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

    /// Names the dialect of the message's first call.
    pub fn set_dialect(&mut self, dialect: Option<Arc<str>>) {
        self.dialect = dialect;
    }

    fn call(&mut self, index: usize, change: impl FnOnce(&mut Started), event: &Event<'_>) {
        if let Some(call) = self.started.get_mut(index) {
            change(call);
            call.span.end = event.span.end;
        }
    }
}

/// The model's id if no earlier call has it, else one of our own.
fn unique_id(taken: &mut Option<HashSet<String>>, id: Option<String>, seed: u64, index: usize) -> String {
    let minted = (0..).map(|more| mint(seed.wrapping_add(more), index));
    let mut ids = id.filter(|id| !id.is_empty()).into_iter().chain(minted);
    let free = |id: &String| taken.as_mut().is_none_or(|taken| taken.insert(id.clone()));
    ids.find(free).unwrap_or_default()
}

impl Started {
    fn end(&mut self, id: Option<&str>, outcome: Outcome) {
        self.id = self.id.take().or(id.map(str::to_owned));
        self.outcome = outcome;
    }

    fn incomplete(self, input: &[u8]) -> IncompleteCall {
        let text = input.get(self.span).unwrap_or_default();
        IncompleteCall {
            name: self.name,
            arguments: self.arguments,
            text: String::from_utf8_lossy(text).into_owned(),
            outcome: self.outcome,
        }
    }
}

/// What the server said if it cut the message; else what the message shows.
fn finish_reason(server: Option<FinishReason>, calls: bool, truncated: bool) -> FinishReason {
    match server {
        Some(cut @ (FinishReason::Length | FinishReason::ContentFilter)) => cut,
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
