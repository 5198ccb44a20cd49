//! The parser: text in, events out.
//!
//! ```text
//!              opener, a candidate wins          section over
//!   Scanning ───────────────────────────▶ Reading ───────────┐
//!    ▲  │ ▲                                 ▲  │             │
//!    │  │ └─────────────────────────────────┼──┴─────────────┘
//!    │  │ region opener                     │ a call inside (`:calls`, and back)
//!    │  └────────────────▶ Region ──────────┘
//!    └───────────────────────┘ closer, end of input
//! ```

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Code;
use crate::dialect::Dialects;
use crate::event::{Event, EventKind};
use crate::frame::FrameReader;
use crate::marks::Marks;
use crate::options::{FinishReason, Frame, Options, ReasoningOpen};
use crate::sink::{Sink, StoredEvent, StoredKind};
use crate::tool::Tools;
use crate::trace::Step;
use crate::view::{NotYet, View};
use call::CallReader;
use catalog::CandidateRole;
use engine::Engine;
use region::{RegionExit, RegionReader};
use scan::{ScanFound, Scanner};

mod alone;
mod body;
mod boundary;
mod bytes;
mod call;
mod call_context;
mod call_object;
pub(crate) mod catalog;
mod closing;
mod content;
mod contest;
mod crossed;
mod data;
mod element;
mod ending;
mod engine;
mod envelope;
mod head;
mod input;
mod kwargs;
mod late_name;
mod leftover;
mod lines;
mod markdown;
mod marker;
mod member;
mod object;
mod openers;
mod params;
mod plain_call;
mod plain_kwargs;
mod recent;
mod region;
mod scan;
mod starts;
mod stop_bytes;
mod torn;
mod tree;
mod unread;
mod value;
mod value_context;
mod whole;
mod wrapper;

pub(crate) use alone::read_parameters;
pub(crate) use bytes::{ByteSet, SHORT};
pub(crate) use call_context::CallContext;
pub(crate) use head::is_name;
pub(crate) use input::Input;
pub(crate) use leftover::LOOK;
pub(crate) use torn::FRAYED;
pub(crate) use whole::arguments_of;

/// Parses one message at a time, in pieces of any size; see [`Parser::push`].
///
/// # Example
/// ```
/// use toolglot::{Dialects, EventKind, Options, Parser, Tools};
/// let mut parser = Parser::new(&Dialects::builtin(), &Tools::default(), &Options::default());
/// let mut text = String::new();
/// for piece in ["Let me ", "look.<tool_", "call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>"] {
///     for event in parser.push(piece) {
///         if let EventKind::Text(part) = event.kind {
///             text.push_str(part);
///         }
///     }
/// }
/// parser.finish();
/// assert_eq!(text, "Let me look.");
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    engine: Arc<Engine>,
    /// The finish reason of the options, and the one that was set for the current message.
    finish_reason: (Option<FinishReason>, Option<Option<FinishReason>>),
    input: Input,
    sink: Sink,
    state: State,
    scanner: Scanner,
    /// The region that continues after a call inside it.
    outer: Option<Box<RegionReader>>,
    dialect: Option<Arc<str>>,
    frame: FrameReader,
    /// With fewer bytes than this, nothing more can be decided.
    wake: usize,
    done: bool,
}

/// The state: what is being read.
#[derive(Clone, Debug)]
enum State {
    Scanning,
    Reading(Box<CallReader>),
    Region(Box<RegionReader>),
    /// The prompt opened a region; the output may repeat its opener.
    Prefilled,
    Done,
}

impl State {
    fn at_start(options: &Options) -> Self {
        if options.reasoning_open == ReasoningOpen::Yes { Self::Prefilled } else { Self::Scanning }
    }
}

impl Parser {
    /// Returns a parser for messages in any of `dialects` that may call `tools`.
    pub fn new(dialects: &Dialects, tools: &Tools, options: &Options) -> Self {
        let catalog = dialects.catalog(options.marked_tokens);
        let marks = options.marked_tokens.then(|| Marks::new(Arc::clone(&catalog.tokens)));
        let engine = Engine::new(catalog, tools.clone(), options.clone());
        Self {
            sink: Sink::new(engine.options.repairs),
            engine: Arc::new(engine),
            finish_reason: (options.finish_reason, None),
            input: Input::new(marks),
            state: State::at_start(options),
            scanner: Scanner::new(options),
            outer: None,
            dialect: None,
            frame: FrameReader::default(),
            wake: 0,
            done: false,
        }
    }

    /// Parses the next piece and returns the events that are now certain; they borrow from the parser.
    pub fn push(&mut self, text: &str) -> Events<'_> {
        self.read(|input| input.push(text))
    }

    /// Parses one special token.
    ///
    /// If [`Options::with_marked_tokens`] is set, markers that are special tokens must arrive through this function;
    /// the same characters in [`Parser::push`] are text. Otherwise, it is the same as [`Parser::push`].
    ///
    /// # Example
    /// ```
    /// use toolglot::{Collector, Dialects, Options, Parser, Tools};
    /// let hermes = Dialects::builtin().only(&["hermes"])?;
    /// let options = Options::default().with_marked_tokens(true);
    /// let read = |marked: bool| {
    ///     let mut parser = Parser::new(&hermes, &Tools::default(), &options);
    ///     let mut collector = Collector::new(&options);
    ///     for token in ["<tool_call>", "{\"name\": \"rm\", \"arguments\": {}}", "</tool_call>"] {
    ///         let special = marked && token.ends_with("tool_call>");
    ///         let events = if special { parser.push_special(token) } else { parser.push(token) };
    ///         events.for_each(|event| collector.add(&event));
    ///     }
    ///     parser.finish().for_each(|event| collector.add(&event));
    ///     collector.finish(b"").calls.len()
    /// };
    /// assert_eq!((read(true), read(false)), (1, 0));
    /// # Ok::<(), toolglot::UnknownDialect>(())
    /// ```
    pub fn push_special(&mut self, token: &str) -> Events<'_> {
        self.read(|input| input.push_special(token))
    }

    /// Parses bytes, which may split UTF-8 characters anywhere. Invalid UTF-8 becomes U+FFFD with a diagnostic.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Events<'_> {
        self.read(|input| input.push_bytes(bytes))
    }

    /// Ends the message and returns its last events; the parser is then ready for the next message.
    pub fn finish(&mut self) -> Events<'_> {
        self.feed(Input::drop_partial);
        self.end()
    }

    /// Parses a whole message, so that nothing is retried.
    pub(crate) fn whole(&mut self, text: &str) -> Events<'_> {
        self.feed(|input| input.push(text));
        self.end()
    }

    /// Returns the dialect of the message's first call, until the next message begins.
    pub fn dialect(&self) -> Option<&Arc<str>> {
        self.dialect.as_ref()
    }

    /// Returns the declared tools.
    pub fn tools(&self) -> &Tools {
        &self.engine.tools
    }

    /// Starts recording a trace, see [`Parser::take_trace`].
    pub fn enable_trace(&mut self) {
        self.scanner.trace.get_or_insert_default();
    }

    /// Returns the steps recorded since the last call of this function.
    pub fn take_trace(&mut self) -> Vec<Step> {
        let mut steps = self.scanner.trace.as_mut().map(std::mem::take).unwrap_or_default();
        for step in &mut steps {
            step.span = self.input.span(&step.span);
        }
        steps
    }

    /// Resets the parser for the next message.
    fn begin(&mut self) {
        let trace = self.scanner.trace.take().map(|_| Vec::new());
        let mut scanner = Scanner::new(&self.engine.options);
        scanner.trace = trace;
        self.input.renew();
        self.sink.renew(self.engine.options.repairs);
        self.scanner = scanner;
        self.frame = FrameReader::default();
        self.state = State::at_start(&self.engine.options);
        (self.outer, self.dialect, self.wake, self.done) = (None, None, 0, false);
    }

    #[inline]
    fn read<I: IntoIterator<Item = Range<usize>>>(&mut self, feed: impl FnOnce(&mut Input) -> I) -> Events<'_> {
        self.feed(feed);
        self.advance();
        self.events()
    }

    #[inline]
    fn feed<I: IntoIterator<Item = Range<usize>>>(&mut self, feed: impl FnOnce(&mut Input) -> I) {
        self.prepare();
        let invalid = feed(&mut self.input);
        invalid.into_iter().for_each(|place| self.report_invalid(place));
    }

    #[inline]
    fn prepare(&mut self) {
        if self.done {
            self.begin();
        }
        if self.input.is_long() {
            let decided = self.sink.cursor().min(self.anchor());
            self.input.forget(self.frame.anchor().map_or(decided, |held| held.min(decided)));
        }
        self.sink.clear();
    }

    /// Returns the events. Up to here, spans of diagnostics are positions in the text; from here on, in the input.
    #[inline]
    fn events(&mut self) -> Events<'_> {
        for diagnostic in &mut self.sink.diagnostics {
            diagnostic.span = self.input.span(&diagnostic.span);
        }
        let passes = self.frame.passes(&self.sink.entries, self.input.view()) && !self.done;
        if !passes && self.engine.options.frame == Frame::Template {
            // More white space than this is data, and would be looked at again with each piece.
            let most = self.engine.options.limits.held.min(LOOK);
            self.frame.settle(&mut self.sink.entries, self.input.view(), most);
        }
        Events { parser: self, next: 0 }
    }

    #[cold]
    fn report_invalid(&mut self, place: Range<usize>) {
        self.sink.diagnose_input(Code::InvalidUtf8, place, "invalid UTF-8; read as U+FFFD");
    }

    /// Continues if enough bytes have arrived to decide more.
    ///
    /// Undecided bytes are retried only when they have grown by an
    /// eighth, so that retries cost constant time per byte.
    fn advance(&mut self) {
        let end = self.input.end();
        if end < self.wake {
            return;
        }
        if self.pass_plain() {
            self.wake = end + 1;
            return;
        }
        self.machine().run();
        self.wake = end + 1 + end.saturating_sub(self.anchor()) / 8;
    }

    fn machine(&mut self) -> Machine<'_> {
        Machine {
            engine: &self.engine,
            view: self.input.view(),
            sink: &mut self.sink,
            state: &mut self.state,
            scanner: &mut self.scanner,
            outer: &mut self.outer,
            dialect: &mut self.dialect,
        }
    }

    /// Passes visible bytes on the fast path; false if the slow path is needed.
    fn pass_plain(&mut self) -> bool {
        let (engine, view, sink) = (&self.engine, self.input.view(), &mut self.sink);
        let open = view.final_end().is_err() && !engine.options.careful;
        open && match &mut self.state {
            State::Scanning => self.scanner.pass_plain(engine, view, sink),
            State::Reading(reading) => reading.pass_plain(engine, view, sink),
            State::Region(region) => region.pass_plain(engine, view, sink),
            State::Prefilled | State::Done => false,
        }
    }

    /// Returns the position of the first undecided byte.
    fn anchor(&self) -> usize {
        match &self.state {
            State::Scanning => self.scanner.at,
            State::Reading(reading) => reading.anchor(),
            State::Region(region) => region.scan,
            State::Prefilled => 0,
            State::Done => self.input.end(),
        }
    }
}

/// The parser's state and its input. The only place that assigns the state.
struct Machine<'m> {
    engine: &'m Engine,
    view: View<'m>,
    sink: &'m mut Sink,
    state: &'m mut State,
    scanner: &'m mut Scanner,
    outer: &'m mut Option<Box<RegionReader>>,
    dialect: &'m mut Option<Arc<str>>,
}

impl Machine<'_> {
    // In the fast path's frame it would cost each piece of a stream.
    #[inline(never)]
    fn run(&mut self) {
        while let Ok(next) = self.step() {
            *self.state = next;
            if matches!(self.state, State::Done) {
                return;
            }
        }
    }

    /// Takes one step; returns the next state.
    fn step(&mut self) -> Result<State, NotYet> {
        match self.state {
            State::Scanning => match self.scanner.resume(self.engine, self.view, self.sink)? {
                ScanFound::End => Ok(State::Done),
                ScanFound::Call(mut win) => {
                    self.note_dialect(win.pattern_ref.dialect);
                    let reading = match win.proof.take() {
                        Some(proof) => {
                            self.sink.append(proof.sink);
                            proof.reading
                        }
                        None => CallReader::new(*win, false),
                    };
                    Ok(State::Reading(Box::new(reading)))
                }
                ScanFound::Said { dialect, at } => {
                    self.note_dialect(dialect);
                    Ok(self.leave_call(at, dialect, Vec::new()))
                }
                ScanFound::Region { candidate, head, at } => {
                    self.sink.markup(at);
                    Ok(State::Region(Box::new(RegionReader::new(self.engine, candidate, *head, at))))
                }
            },
            State::Reading(reading) => {
                let at = reading.resume(self.engine, self.view, self.sink)?;
                self.sink.dialect = None;
                let (dialect, closers) = (reading.won.pattern_ref.dialect, reading.named_closers(self.engine));
                Ok(self.leave_call(at, dialect, closers))
            }
            State::Region(region) => {
                let exit = region.resume(self.engine, self.view, self.sink)?;
                Ok(self.leave_region(exit))
            }
            State::Prefilled => {
                let Some(at) = self.prefilled_start()? else { return Ok(State::Scanning) };
                self.sink.markup(at);
                Ok(State::Region(Box::new(RegionReader::prefilled(self.engine, at))))
            }
            State::Done => Err(NotYet),
        }
    }

    /// The message's first call determines its dialect.
    fn note_dialect(&mut self, dialect: usize) {
        self.dialect.get_or_insert_with(|| self.engine.catalog.dialects[dialect].name.clone());
    }

    fn leave_call(&mut self, at: usize, dialect: usize, named_closers: Vec<String>) -> State {
        self.scanner.resume_after_call(at, dialect, named_closers);
        match self.outer.take() {
            Some(mut region) => {
                region.scan = at;
                State::Region(region)
            }
            None => State::Scanning,
        }
    }

    fn leave_region(&mut self, exit: RegionExit) -> State {
        let (RegionExit::Closed(at)
        | RegionExit::Left(at)
        | RegionExit::Call(at)
        | RegionExit::Interlude(at)
        | RegionExit::Unclosed(at)) = exit;
        self.scanner.resume_after(at);
        self.scanner.no_reasoning |= matches!(exit, RegionExit::Unclosed(_));
        if let (RegionExit::Interlude(_), State::Region(region)) = (exit, &self.state) {
            *self.outer = Some(region.clone());
        }
        State::Scanning
    }

    /// Returns where the reasoning that the prompt opened continues, after an opener that repeats the prompt's; `None` if the
    /// answer begins at once.
    fn prefilled_start(&self) -> Result<Option<usize>, NotYet> {
        let mut found = Vec::new();
        let at = self.view.skip_blanks(0)?;
        self.engine.catalog.strong.find(self.view, at, &mut found)?;
        let mut end = 0;
        for number in found {
            let candidate = &self.engine.catalog.candidates[number];
            let pattern = self.engine.catalog.pattern(candidate).filter(|_| candidate.role != CandidateRole::Call);
            let Some(pattern) = pattern else { continue };
            match head::nodes(self.view, at, &pattern.head, None, &mut head::Head::default())? {
                Some(_) if candidate.role == CandidateRole::Content => return Ok(None),
                behind => end = end.max(behind.unwrap_or(0)),
            }
        }
        Ok(Some(end))
    }
}

/// The events of one push.
#[derive(Clone, Debug)]
pub struct Events<'p> {
    parser: &'p Parser,
    next: usize,
}

impl<'p> Iterator for Events<'p> {
    type Item = Event<'p>;

    #[inline]
    fn next(&mut self) -> Option<Event<'p>> {
        let entry = self.parser.sink.entries.get(self.next)?;
        self.next += 1;
        self.parser.event(entry)
    }
}

impl Parser {
    /// Converts an event to its public form.
    fn event<'p>(&'p self, entry: &'p StoredEvent) -> Option<Event<'p>> {
        let Self { sink, input, .. } = self;
        let word = |range: &Range<usize>| &sink.words[range.clone()];
        let text = || input.view().slice(entry.span.start, entry.span.end);
        let kind = match &entry.kind {
            StoredKind::Text => EventKind::Text(text()),
            StoredKind::Reasoning => EventKind::Reasoning(text()),
            StoredKind::Markup => EventKind::Markup,
            StoredKind::CallStart { index, id, name } => {
                EventKind::CallStart { index: *index, id: id.as_ref().map(word), name: word(name) }
            }
            StoredKind::Arguments { index, json } => EventKind::Arguments { index: *index, json: word(json) },
            StoredKind::CallEnd { index, id, outcome } => {
                EventKind::CallEnd { index: *index, id: id.as_ref().map(word), outcome: *outcome }
            }
            StoredKind::Diagnostic(number) => EventKind::Diagnostic(sink.diagnostics.get(*number)?),
        };
        Some(Event { span: input.span(&entry.span), kind })
    }
}
