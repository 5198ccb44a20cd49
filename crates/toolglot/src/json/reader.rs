//! The streaming reader: what is allowed next, and how each byte is handled.

use std::collections::VecDeque;
use std::ops::Range;

use super::cursor::Cursor;
use super::deferred::{Deferred, Unwrapped};
use super::look::Lookahead;
use super::state::{Bracket, Expect, ReaderState};
use super::stops::Stops;
use super::text::RunningString;
use super::{Context, Ended, ValueOutcome, ValuePosition};
use crate::diagnostic::Code;
use crate::given::GivenNames;
use crate::schema::NodeId;
use crate::sink::Sink;
use crate::view::{NotYet, View, is_blank};

/// The beginning of a Windows path; it stays visible until its backslash has arrived.
pub(super) const DRIVE: &str = "C:";

/// Reads one value. It owns its state, and no input.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsonReader {
    pub(super) cursor: Cursor,
    pub(super) start: usize,
    pub(super) place: ValuePosition,
    /// The strings and wrappers that were already removed around the input.
    pub(super) level: Unwrapped,
    pub(super) state: ReaderState,
    /// The schema of the next value.
    pub(super) node: Option<NodeId>,
    pub(super) text: RunningString,
    pub(super) stops: Stops,
    /// The position of the last key, and the end of its colon.
    pub(super) key_at: usize,
    pub(super) colon: usize,
    /// The last key had no quotes.
    pub(super) bare_keys: bool,
    /// The quotes that end the remaining strings, if all of them had to be determined at once.
    pub(super) ends: VecDeque<usize>,
    /// Up to here, strings end where they seem to, or nothing contradicts it.
    pub(super) plain: usize,
    /// Whether the quotes are escaped once too often; the first one decides.
    pub(super) escaped: Option<bool>,
    /// Only a key that the schema declares ends the string before it.
    pub(super) declared_keys: bool,
    /// The strict source of the current key, if it is needed.
    pub(super) key: String,
    /// The parameters so far.
    pub(super) seen: GivenNames,
    /// The tool declares parameters, but not the one whose value is read.
    pub(super) undeclared: bool,
    pub(super) deferred: Deferred,
    pub(super) fenced: bool,
    /// A brace closed the arguments before a parameter: they end with the object around them.
    pub(super) beside: bool,
    /// White space that only strings have was between tokens.
    pub(super) unescaped: bool,
}

impl JsonReader {
    pub(crate) fn new(at: usize, place: ValuePosition, node: Option<NodeId>) -> Self {
        let cursor = Cursor::new(at);
        Self { cursor, start: at, place, node, key_at: at, colon: at, plain: at, ..Self::default() }
    }

    /// Returns the reader of a value whose parameter may be undeclared.
    pub(crate) fn of_undeclared(self, undeclared: bool) -> Self {
        Self { undeclared, ..self }
    }

    /// Continues reading, and emits strict JSON as soon as it is certain. Ends exactly once.
    pub(crate) fn resume(
        &mut self,
        view: View<'_>,
        context: &Context<'_>,
        sink: &mut Sink,
    ) -> Result<ValueOutcome, NotYet> {
        let run = self.cursor.at()..self.cursor.at();
        let mut turn = ReaderStep { reader: self, view, context, sink, run };
        let end = loop {
            match turn.step() {
                Ok(None) => {}
                Ok(Some(end)) => break Ok(end),
                Err(not_yet) => break Err(not_yet),
            }
        };
        turn.sink();
        end
    }

    /// Returns the place from which bytes must stay visible; it never decreases.
    pub(crate) fn anchor(&self) -> usize {
        let at = self.cursor.at();
        let drive = self.state.expect() == Expect::Text && at <= self.text.content + DRIVE.len();
        if drive { self.text.content.min(at) } else { at }
    }
}

/// A reader and the visible bytes.
///
/// **Invariant:** a step asks for all the bytes that its decision needs before it
/// changes anything, so that a step that got [`NotYet`] can be repeated.
pub(super) struct ReaderStep<'t> {
    pub(super) reader: &'t mut JsonReader,
    pub(super) view: View<'t>,
    pub(super) context: &'t Context<'t>,
    pub(super) sink: &'t mut Sink,
    /// Unchanged input that is still to be emitted, so that runs are emitted at once.
    pub(super) run: Range<usize>,
}

impl ReaderStep<'_> {
    #[inline(always)]
    fn step(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        if self.at() >= self.limit() && self.reader.state.expect() != Expect::Done {
            let at = self.at();
            self.sink().diagnose(Code::LimitArguments, at..at, "arguments too long (limit `arguments`); ended here");
            return Ok(self.ended(Ended::Truncated));
        }
        match self.reader.state.expect() {
            Expect::Text => self.text(),
            Expect::Done => self.done(),
            need => self.structure(need),
        }
    }

    /// Returns the position at which the value becomes too long.
    pub(super) fn limit(&self) -> usize {
        self.reader.start.saturating_add(self.context.options.limits.arguments)
    }

    fn structure(&mut self, need: Expect) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let Some(byte) = self.view.byte(at)? else { return Ok(self.ended(Ended::Truncated)) };
        if is_blank(byte) {
            self.blanks();
            return Ok(None);
        }
        if self.pass_valid(byte) {
            return Ok(None);
        }
        let first = need == Expect::Start && self.reader.place == ValuePosition::Keyword;
        let opens = first || matches!(need, Expect::Key | Expect::Member | Expect::Element);
        let may_escape = opens && self.reader.escaped.is_none();
        match byte {
            b'/' | b'#' if need != Expect::Start && self.opens_comment(need, byte)? => return self.comment(),
            b'\\' | 0x80.. if self.look().odd_blank(at)? > 0 => return self.odd_blank(),
            b'\\' if may_escape && self.view.byte(at + 1)? == Some(b'"') => return Ok(self.escaped()),
            b'`' if need == Expect::Start && self.view.starts_with(at, "```")? => return self.fence(),
            _ => {}
        }
        match need {
            Expect::Key => self.key(byte),
            Expect::Colon => self.colon(byte),
            Expect::After => self.after(byte),
            _ => self.value(byte),
        }
    }

    fn blanks(&mut self) {
        let at = self.at();
        let end = at + self.view.rest(at).iter().take_while(|byte| is_blank(**byte)).count();
        match self.reader.cursor.holds_comma() {
            true => self.reader.cursor.hold_blanks(self.view.slice(at, end)),
            false if self.reader.state.expect() != Expect::Start => self.put_source(end),
            false => self.skip_to(end),
        }
    }

    /// Returns whether a comment opens here; where bare strings are the dialect's own, they may begin like one.
    fn opens_comment(&self, need: Expect, byte: u8) -> Result<bool, NotYet> {
        let value = matches!(need, Expect::Member | Expect::Element);
        if value && self.is_native(Code::BareString) {
            return Ok(false);
        }
        Ok(byte == b'#' || matches!(self.view.byte(self.at() + 1)?, Some(b'/' | b'*')))
    }

    fn comment(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        match self.look().comment(at, usize::MAX)? {
            super::look::Ahead::Found(end) => {
                Ok(self.repaired(Code::Comment, at..end, "dropped a comment", |turn| turn.skip_to(end)))
            }
            super::look::Ahead::Absent => self.stop_or_broken(),
            super::look::Ahead::Ends => self.cut(),
        }
    }

    /// Reported once: output that is escaped too often has one on every line.
    fn odd_blank(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let end = at + self.look().odd_blank(at)?;
        let known = std::mem::replace(&mut self.reader.unescaped, true);
        if !known && !self.admit(Code::LiteralNewline, at..end, "read characters outside a string as white space") {
            return Ok(self.ended(Ended::Broken));
        }
        self.skip_to(end);
        Ok(None)
    }

    /// The quotes of the value were escaped as if it were inside a string.
    fn escaped(&mut self) -> Option<ValueOutcome> {
        let at = self.at();
        let message = "read escaped quotes outside a string as quotes";
        self.repaired(Code::DoubleEncoded, at..at + 2, message, |turn| turn.reader.escaped = Some(true))
    }

    /// Reads the opening fence and its label.
    fn fence(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let mut end = at + 3;
        while self.view.byte(end)?.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            end += 1;
        }
        if self.reader.fenced {
            return Ok(self.ended(Ended::Broken));
        }
        Ok(self.repaired(Code::Fence, at..end, "dropped the Markdown fence around the value", |turn| {
            turn.reader.fenced = true;
            turn.skip_to(end);
        }))
    }

    fn done(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let mut at = self.at();
        if self.reader.fenced {
            let fence = self.view.skip_blanks(at)?;
            if self.view.starts_with(fence, "```")? {
                at = fence + 3;
            }
        }
        Ok(Some(ValueOutcome { at, how: Ended::Complete }))
    }

    /// Ends the value as truncated at the end of the input; it includes the part that has arrived.
    pub(super) fn cut(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        self.skip_to(self.view.final_end()?);
        Ok(self.ended(Ended::Truncated))
    }

    /// Ends the value before a marker outside strings: complete if only closing brackets are missing, otherwise broken.
    pub(super) fn stop_or_broken(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        if !self.stands_stop(at)? {
            return Ok(self.ended(Ended::Broken));
        }
        let fence = self.closes_fence(at)?;
        let opens = self.context.markers.opens(self.view, at)?.is_some();
        let closable = matches!(self.reader.state.expect(), Expect::Key | Expect::Element | Expect::After)
            && !opens
            && self.is_whole();
        let message = "inserted a missing closing bracket before a marker";
        if !closable || !self.admit(Code::MissingBracket, at..at, message) {
            return Ok(self.ended(Ended::Broken));
        }
        let cut = self.ended(Ended::Cut);
        Ok(if fence { Some(ValueOutcome { at: at + 3, how: Ended::Complete }) } else { cut })
    }

    pub(super) fn stands_stop(&self, at: usize) -> Result<bool, NotYet> {
        let Some(byte) = self.view.byte(at)? else { return Ok(false) };
        Ok(!self.reader.state.open().is_empty() && self.stops(byte, at)?)
    }

    /// Returns whether the fence that was opened around the value closes at `at`.
    pub(super) fn closes_fence(&self, at: usize) -> Result<bool, NotYet> {
        Ok(self.reader.fenced && self.view.starts_with(at, "```")?)
    }

    pub(super) fn look(&self) -> Lookahead<'_> {
        Lookahead { view: self.view, context: self.context, escaped: self.reader.escaped == Some(true) }
    }

    /// Returns whether undeclared keys are wrong in the innermost bracket.
    pub(super) fn is_closed(&self) -> bool {
        let node = self.reader.state.innermost().and_then(|frame| frame.node);
        self.context.schema.zip(node).is_some_and(|(schema, node)| schema.node(node).is_closed())
    }

    /// Returns whether a key whose name is in `span` may end the string before it.
    pub(super) fn is_key_allowed(&self, span: Range<usize>, usual: bool) -> bool {
        let Some(frame) = self.reader.state.innermost().filter(|_| !usual || self.reader.declared_keys) else {
            return true;
        };
        let (Some(schema), Some(node)) = (self.context.schema, frame.node) else { return true };
        let name = self.view.slice(span.start, span.end).trim().trim_matches(['"', '\'', '`', '“', '”', '‘', '’']);
        let new = usual || self.reader.state.depth() > 1 || !self.reader.seen.contains(name);
        !schema.node(node).is_closed() || schema.node(node).knows(name) && new
    }

    /// Returns the kind of the innermost open bracket.
    pub(super) fn parent(&self) -> Option<Bracket> {
        self.reader.state.innermost().map(|frame| frame.bracket)
    }

    /// Makes a repair and continues, or breaks the value if the repair is off.
    pub(super) fn repaired(
        &mut self,
        code: Code,
        span: Range<usize>,
        message: &str,
        then: impl FnOnce(&mut Self),
    ) -> Option<ValueOutcome> {
        if !self.admit(code, span, message) {
            return self.ended(Ended::Broken);
        }
        then(self);
        None
    }

    /// Returns whether a deviation may be read, and reports it unless it is valid in this place's own syntax.
    pub(super) fn admit(&mut self, code: Code, span: Range<usize>, message: &str) -> bool {
        if self.is_native(code) {
            return true;
        }
        let allowed = self.sink.allows(code);
        if allowed || self.reader.cursor.has_emitted() {
            self.sink().repair(code, span, message);
        }
        allowed
    }

    /// Returns whether a deviation from JSON is valid in this value's own syntax.
    pub(super) fn is_native(&self, code: Code) -> bool {
        let python = self.reader.place == ValuePosition::Keyword && PYTHON.contains(&code);
        python || (self.context.quote.is_some() && matches!(code, Code::BareKey | Code::BareString))
    }
}

/// Deviations that are valid in the arguments of a Python call.
const PYTHON: [Code; 12] = [
    Code::SingleQuotes,
    Code::TripleQuotes,
    Code::StringPrefix,
    Code::Concatenation,
    Code::PythonLiteral,
    Code::Tuple,
    Code::TrailingComma,
    Code::NumberForm,
    Code::HexNumber,
    Code::PlusNumber,
    Code::Comment,
    Code::InvalidEscape,
];

/// Returns whether a string's content may be a Windows path: a drive and a backslash.
pub(super) fn may_begin_path(content: &[u8]) -> bool {
    match content {
        [drive, rest @ ..] => drive.is_ascii_alphabetic() && matches!(rest, [] | [b':'] | [b':', b'\\', ..]),
        [] => true,
    }
}
