//! The output of all readers: events, one cursor for all of them, and the state of the current call.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Repairs};
use crate::event::Outcome;

/// An event as stored: positions in the input as text, ranges into [`Sink::words`].
#[derive(Clone, Debug)]
pub(crate) struct StoredEvent {
    pub(crate) span: Range<usize>,
    pub(crate) kind: StoredKind,
}

/// The kind of a [`StoredEvent`].
#[derive(Clone, Debug)]
pub(crate) enum StoredKind {
    Text,
    Reasoning,
    Markup,
    CallStart { index: usize, id: Option<Range<usize>>, name: Range<usize> },
    Arguments { index: usize, json: Range<usize> },
    CallEnd { index: usize, id: Option<Range<usize>>, outcome: Outcome },
    Diagnostic(usize),
}

/// Bytes of a short call's name and arguments: a buffer of this size need not move as it grows.
const FEW: usize = 256;

/// The size of a source file that a call writes. A message may read this many bytes ahead for ends of values before the passed
/// text counts, too; a call that opens in the middle of a value is read this far, which together with `QUOTED` bounds that
/// search to half a MiB in a call.
pub(crate) const FILE: usize = 1 << 16;

/// Room for what follows a long value: its quote, brackets, the next key. Without it, one more byte would move all of it.
const ROOM: usize = 64;

/// Diagnostics of one code that a message keeps. One costs about 100 bytes and a repair needs only one byte of
/// input, so a hostile message would otherwise take a hundred times its size.
const TOLD: usize = 10_000;

/// The events since the last push. A muted sink keeps only diagnostics and the current call's outcome.
///
/// **Invariant:** an event's span is everything from the cursor to its end, so spans tile the input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sink {
    cursor: usize,
    muted: bool,
    repairs: Repairs,
    /// The dialect of new diagnostics.
    pub(crate) dialect: Option<Arc<str>>,
    outcome: Outcome,
    pub(crate) faults: CallFaults,
    /// The worst outcome of all calls that ended.
    worst: Outcome,
    /// The number of calls so far.
    pub(crate) started: usize,
    /// Bytes of futile look-ahead for ends of strings in this message.
    pub(crate) wasted_lookahead: usize,
    /// Bytes of look-ahead for doubtful ends of values in this message.
    pub(crate) in_vain: usize,
    /// Where the sink began.
    begun: usize,
    /// Look-ahead has used up its limit elsewhere: here, only nearby bytes are read.
    pub(crate) frugal: bool,
    /// A call is open.
    in_call: bool,
    /// The current call's arguments end with a closing brace that has not been emitted: it may complete them, and whether
    /// the call is finished shows only at its end.
    held_brace: bool,
    /// Bytes of arguments that the current call has emitted.
    pub(crate) written: usize,
    /// The number of diagnostics so far, including those that were returned.
    diagnosed: usize,
    /// How many of each code, by its number.
    told: Vec<usize>,
    pub(crate) entries: Vec<StoredEvent>,
    pub(crate) words: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Evidence that the current call is not what was meant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallFaults {
    /// A repair decided where something ends.
    pub(crate) guessed: bool,
    /// A required parameter is missing.
    pub(crate) lacking: bool,
    /// It has an undeclared member.
    unasked: bool,
    /// One of its strings contains unescaped quotes.
    inner: bool,
    /// One of its values has another type than declared, or there were no arguments.
    misfit: bool,
}

impl Sink {
    pub(crate) fn new(repairs: Repairs) -> Self {
        Self { repairs, ..Self::default() }
    }

    /// Returns a sink for the arguments of a call that began elsewhere.
    pub(crate) fn in_call(repairs: Repairs) -> Self {
        Self { repairs, in_call: true, ..Self::default() }
    }

    /// Returns a sink for a trial reading: it emits nothing, but knows whether the reading was clean.
    pub(crate) fn muted(cursor: usize, repairs: Repairs) -> Self {
        Self { cursor, begun: cursor, muted: true, repairs, ..Self::default() }
    }

    /// Returns a sink for a silent reading at `at`; it may look ahead no further than this one.
    pub(crate) fn aside(&self, at: usize) -> Self {
        Self { frugal: self.frugal, wasted_lookahead: self.wasted_lookahead, ..Self::muted(at, self.repairs) }
    }

    /// Resets everything except the buffers.
    pub(crate) fn renew(&mut self, repairs: Repairs) {
        self.clear();
        let Self { entries, words, diagnostics, mut told, .. } = std::mem::take(self);
        told.clear();
        *self = Self { repairs, entries, words, diagnostics, told, ..Self::default() };
    }

    /// Returns a sink for a trial reading that continues where this one is, and may be appended to it.
    pub(crate) fn fork(cursor: usize, started: usize, repairs: Repairs) -> Self {
        Self { cursor, begun: cursor, started, repairs, ..Self::default() }
    }

    /// Adds everything from a forked sink; this one must not have changed since.
    pub(crate) fn append(&mut self, fork: Self) {
        let (words, mut diagnostics) = (self.words.len(), fork.diagnostics.into_iter());
        let shift = |word: &mut Range<usize>| *word = word.start + words..word.end + words;
        for mut entry in fork.entries {
            match &mut entry.kind {
                StoredKind::Text | StoredKind::Reasoning | StoredKind::Markup => {}
                StoredKind::CallStart { id, name, .. } => id.iter_mut().chain([name]).for_each(shift),
                StoredKind::Arguments { json, .. } => shift(json),
                StoredKind::CallEnd { id, .. } => id.iter_mut().for_each(shift),
                StoredKind::Diagnostic(_) => {
                    diagnostics.by_ref().take(1).for_each(|diagnostic| self.record(diagnostic));
                    continue;
                }
            }
            self.entries.push(entry);
        }
        self.words.push_str(&fork.words);
        (self.cursor, self.started, self.written) = (fork.cursor, fork.started, fork.written);
        (self.in_call, self.held_brace) = (fork.in_call, fork.held_brace);
        self.wasted_lookahead += fork.wasted_lookahead;
        self.in_vain += fork.in_vain;
        (self.outcome, self.worst, self.dialect) = (fork.outcome, self.worst.max(fork.worst), fork.dialect);
        self.faults = fork.faults;
    }

    /// Drops the events that were returned; buffers keep their size.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.words.clear();
        self.diagnostics.clear();
    }

    /// Returns the position up to which every byte has been given to an event.
    pub(crate) fn cursor(&self) -> usize {
        self.cursor
    }

    #[inline]
    pub(crate) fn text(&mut self, upto: usize) {
        self.consume(upto, StoredKind::Text);
    }

    pub(crate) fn reasoning(&mut self, upto: usize) {
        self.consume(upto, StoredKind::Reasoning);
    }

    pub(crate) fn markup(&mut self, upto: usize) {
        self.consume(upto, StoredKind::Markup);
    }

    /// Moves text and markup back to `at`; false if something else has been found since.
    pub(crate) fn take_back(&mut self, at: usize) -> bool {
        let is_behind = |entry: &StoredEvent| entry.span.end > at && !matches!(entry.kind, StoredKind::Diagnostic(_));
        let is_loose = |entry: &StoredEvent| matches!(entry.kind, StoredKind::Text | StoredKind::Markup);
        if !self.entries.iter().filter(|entry| is_behind(entry)).all(is_loose) {
            return false;
        }
        self.entries.retain(|entry| !is_behind(entry) || entry.span.start < at);
        self.entries.iter_mut().filter(|entry| is_behind(entry)).for_each(|entry| entry.span.end = at);
        self.cursor = at;
        true
    }

    /// Starts a call; it runs until [`Sink::call_end`].
    pub(crate) fn call_start(&mut self, name: &str, id: Option<&str>, upto: usize) {
        (self.written, self.in_call, self.held_brace) = (0, true, false);
        self.started += 1;
        self.words.reserve(FEW);
        let (name, id) = (self.keep(name), id.map(|id| self.keep(id)));
        self.push(upto, StoredKind::CallStart { index: self.started - 1, id, name });
    }

    /// Adds to the running call's arguments and consumes the input up to `upto`.
    pub(crate) fn arguments(&mut self, upto: usize, json: &str) {
        self.written += json.len();
        self.write_arguments(upto, |words| {
            if words.capacity() - words.len() < json.len() {
                words.reserve(json.len() + ROOM);
            }
            words.push_str(json);
        });
    }

    /// Consumes what belongs to the running call's arguments and adds nothing to them.
    pub(crate) fn pass_arguments(&mut self, upto: usize) {
        if upto > self.cursor {
            self.write_arguments(upto, |_| ());
        }
    }

    /// Adds text to a JSON string of the running call's arguments, escaped.
    pub(crate) fn escaped(&mut self, upto: usize, text: &str) {
        self.written += text.len();
        self.write_arguments(upto, |words| crate::json::write_escaped(text, words));
    }

    fn write_arguments(&mut self, upto: usize, write: impl FnOnce(&mut String)) {
        if self.muted {
            self.cursor = self.cursor.max(upto);
            return;
        }
        let start = self.words.len();
        if self.held_brace {
            self.words.push('}');
        }
        write(&mut self.words);
        self.held_brace = self.in_call && self.words.as_bytes()[start..].last() == Some(&b'}');
        if self.held_brace {
            self.words.pop();
        }
        let upto = upto.max(self.cursor);
        if let Some(StoredEvent { span, kind: StoredKind::Arguments { json, .. } }) = self.entries.last_mut()
            && json.end == start
        {
            json.end = self.words.len();
            span.end = upto;
            self.cursor = upto;
            return;
        }
        let json = start..self.words.len();
        self.push(upto, StoredKind::Arguments { index: self.started.saturating_sub(1), json });
    }

    /// Ends the current call with the worst outcome since its start. The brace that closes its arguments is emitted
    /// only now, and only if the call is finished: the arguments of any other are not valid JSON.
    ///
    /// An end that a repair found is kept only if the tool accepts the arguments: otherwise it was found in the wrong
    /// place.
    pub(crate) fn call_end(&mut self, id: Option<&str>, upto: usize) {
        let CallFaults { guessed, lacking, unasked, .. } = std::mem::take(&mut self.faults);
        if guessed && (lacking || unasked) && !self.is_broken() {
            self.broken(upto..upto, "an end was repaired, and the arguments do not fit the tool");
        }
        self.in_call = false;
        if self.held_brace && self.outcome.is_call() {
            self.write_arguments(self.cursor, |_| ());
        }
        self.held_brace = false;
        let id = id.map(|id| self.keep(id));
        // What is repaired from here on belongs to the next call, even before it says its name.
        let outcome = std::mem::take(&mut self.outcome);
        self.worst = self.worst.max(outcome);
        self.push(upto, StoredKind::CallEnd { index: self.started.saturating_sub(1), id, outcome });
    }

    /// Adds a diagnostic; it consumes nothing.
    pub(crate) fn diagnose(&mut self, code: Code, span: Range<usize>, message: impl Into<String>) {
        self.faults.lacking |= code == Code::MissingParameter;
        self.faults.unasked |= matches!(code, Code::UnknownParameter | Code::UnknownMember);
        self.faults.misfit |= matches!(code, Code::TypeMismatch | Code::EmptyArguments);
        self.record(Diagnostic { code, span, message: message.into(), dialect: self.dialect.clone() });
    }

    /// Adds a diagnostic about the input as it arrives: it may be ahead of the readers, and belongs to no call.
    pub(crate) fn diagnose_input(&mut self, code: Code, span: Range<usize>, message: &str) {
        let diagnosed = self.diagnosed;
        self.record(Diagnostic::new(code, span, message));
        self.diagnosed = diagnosed;
    }

    fn record(&mut self, mut diagnostic: Diagnostic) {
        let number = diagnostic.code as usize;
        self.diagnosed += 1;
        self.told.resize(self.told.len().max(number + 1), 0);
        self.told[number] += 1;
        match self.told[number] {
            TOLD => diagnostic.message.push_str("; more of this kind may follow unreported"),
            more if more > TOLD => return,
            _ => {}
        }
        if !self.muted {
            let kind = StoredKind::Diagnostic(self.diagnostics.len());
            self.entries.push(StoredEvent { span: diagnostic.span.clone(), kind });
        }
        self.diagnostics.push(diagnostic);
    }

    /// Adds a repair, and records it in the current call's outcome: a disabled repair breaks the call.
    pub(crate) fn repair(&mut self, code: Code, span: Range<usize>, message: impl Into<String>) {
        // Inner quotes are read together with all that is left of the call: such a reading fits already.
        self.faults.inner |= code == Code::InnerQuote;
        self.faults.guessed |= code.moves_end() && code != Code::InnerQuote;
        self.note(if self.repairs.allow(code) { Outcome::Repaired } else { Outcome::Broken });
        self.diagnose(code, span, message);
    }

    /// Adds diagnostics from a separate reading, repairs or not.
    pub(crate) fn report(&mut self, code: Code, span: Range<usize>, message: String) {
        if code.is_repair() { self.repair(code, span, message) } else { self.diagnose(code, span, message) }
    }

    /// Returns how many bytes were read ahead in vain.
    pub(crate) fn read_in_vain(&self) -> usize {
        self.wasted_lookahead + self.in_vain
    }

    /// Returns whether a value that begins at `at` must end at the first opportunity: others needed too much look-ahead.
    pub(crate) fn is_frugal(&self, at: usize) -> bool {
        self.in_vain > 2 * at.saturating_sub(self.begun) + FILE
    }

    /// Returns how many diagnostics there have been.
    pub(crate) fn diagnosed(&self) -> usize {
        self.diagnosed
    }

    /// Returns whether a repair is switched on.
    pub(crate) fn allows(&self, code: Code) -> bool {
        self.repairs.allow(code)
    }

    /// Makes the running call's outcome at least as bad as `outcome`.
    pub(crate) fn note(&mut self, outcome: Outcome) {
        self.outcome = self.outcome.max(outcome);
    }

    /// Makes the running call unfinished, and records why.
    pub(crate) fn broken(&mut self, span: Range<usize>, why: impl Into<String>) {
        self.note(Outcome::Broken);
        self.diagnose(Code::Broken, span, why);
    }

    /// Returns whether the running call's arguments fit the tool in their names, and none of its strings was doubtful.
    pub(crate) fn has_sound_arguments(&self) -> bool {
        let CallFaults { lacking, unasked, inner, .. } = self.faults;
        !(lacking || unasked || inner)
    }

    /// Returns whether the running call's arguments do not fit the tool: where an end of it was repaired, they are not what was
    /// meant.
    pub(crate) fn is_misfit(&self) -> bool {
        let CallFaults { lacking, unasked, misfit, .. } = self.faults;
        lacking || unasked || misfit
    }

    /// Returns whether the running call is none that is finished.
    pub(crate) fn is_broken(&self) -> bool {
        self.outcome >= Outcome::Truncated
    }

    /// Notes that the running call has a member that the tool does not declare.
    pub(crate) fn note_unasked(&mut self) {
        self.faults.unasked = true;
    }

    /// Returns the arguments of the first call, if it has ended; all that the sink was told is still there.
    pub(crate) fn first_arguments(&self) -> Option<String> {
        let mut json = String::new();
        for entry in &self.entries {
            match &entry.kind {
                StoredKind::Arguments { json: words, .. } => json.push_str(&self.words[words.clone()]),
                StoredKind::CallEnd { .. } => return Some(json),
                _ => {}
            }
        }
        None
    }

    /// Returns the worst outcome of all calls so far.
    pub(crate) fn worst(&self) -> Outcome {
        self.worst
    }

    /// Returns whether a diagnostic of this code was recorded since the last push; a trial's sink has all of the trial's.
    pub(crate) fn has(&self, code: Code) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.code == code)
    }

    fn keep(&mut self, word: &str) -> Range<usize> {
        let start = self.words.len();
        self.words.push_str(word);
        start..self.words.len()
    }

    /// Text that touches text is one event; each marker is its own.
    #[inline]
    fn consume(&mut self, upto: usize, kind: StoredKind) {
        if upto <= self.cursor {
            return;
        }
        match self.entries.last_mut() {
            Some(last)
                if matches!(
                    (&last.kind, &kind),
                    (StoredKind::Text, StoredKind::Text) | (StoredKind::Reasoning, StoredKind::Reasoning)
                ) =>
            {
                last.span.end = upto;
                self.cursor = upto;
            }
            _ => self.push(upto, kind),
        }
    }

    #[inline]
    fn push(&mut self, upto: usize, kind: StoredKind) {
        let span = self.cursor..upto.max(self.cursor);
        self.cursor = span.end;
        if !self.muted {
            self.entries.push(StoredEvent { span, kind });
        }
    }
}
