//! The contest: candidates at one position are read silently until the highest-ranked one that is alive is ready.
//!
//! A candidate is a pure function of the bytes, so the winner is the first in rank order that does not die, however
//! the bytes arrived.

use super::call::CallReader;
use super::call_context::CallContext;
use super::call_object::CallArguments;
use super::catalog::PatternRef;
use super::element::{is_markup, opens_element};
use super::engine::{Callee, Engine, NameMatch};
use super::head::{Head, NAME_LIMIT};
use super::params::FoundParam;
use super::whole::WholeArguments;
use crate::coerce;
use crate::diagnostic::Code;
use crate::dialect::{Literal, Pattern};
use crate::event::Outcome;
use crate::options::{UnknownTool, Validation};
use crate::sink::{Sink, StoredKind};
use crate::view::{NotYet, View, is_blank};
pub(crate) use begin::REACH;
use begin::{begin, begin_bounded};
pub(crate) use company::Company;
pub(crate) use heads::{HeadResult, SectionHead, heads};

mod begin;
mod company;
mod heads;

/// A ready candidate: the contents of its head, and where its body starts.
#[derive(Clone, Debug)]
pub(crate) struct Winner {
    pub(crate) pattern_ref: PatternRef,
    pub(crate) head: Head,
    pub(crate) callee: Callee,
    pub(crate) start: Start,
    /// It has been read completely, to prove that it is a call.
    pub(crate) proof: Option<Box<ProofResult>>,
    /// The number of bytes of futile look-ahead.
    pub(crate) in_vain: usize,
}

impl Winner {
    /// Returns the context of the call's body.
    #[inline]
    pub(crate) fn context<'s>(&'s self, engine: &'s Engine, view: View<'s>) -> CallContext<'s> {
        CallContext::new(engine, view, &self.pattern_ref, &self.callee, &self.head)
    }

    /// Returns whether this is an object that only has a name.
    fn is_bare(&self) -> bool {
        matches!(self.start, Start::Call { arguments: CallArguments::Missing, .. })
    }
}

/// The result of a proof.
#[derive(Clone, Debug)]
pub(crate) struct ProofResult {
    pub(crate) reading: CallReader,
    pub(crate) sink: Sink,
}

/// A proof: the call is read ahead. It continues as the reading of the call where it stopped, so nothing is read twice.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    /// What has to be proved.
    win: Box<Winner>,
    read: ProofResult,
}

/// How a body starts.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    /// Parameters, the first of which may already be known.
    Params {
        at: usize,
        first: Option<Box<FoundParam>>,
    },
    Kwargs(usize),
    Lines(usize),
    /// A JSON object of arguments, possibly in the dialect's relaxed braces.
    Json(usize),
    /// Arguments that had to be read whole.
    Whole {
        whole: WholeArguments,
        at: usize,
        end: usize,
    },
    /// An object with the name and the arguments; `at` is after its brace.
    Call {
        at: usize,
        array: bool,
        fenced: bool,
        arguments: CallArguments,
    },
    Content {
        at: usize,
        sure: bool,
    },
    Nothing(usize),
}

/// Where a candidate is tried, and what its place requires.
#[derive(Clone, Copy)]
pub(crate) struct TrialContext<'t> {
    pub(crate) engine: &'t Engine,
    pub(crate) view: View<'t>,
    pub(crate) at: usize,
    pub(crate) pattern_ref: PatternRef,
    /// Inside another call's value: the beginning of a call is enough.
    pub(crate) nested: bool,
    /// Inside a section whose head has been read.
    pub(crate) in_section: bool,
    /// The evidence is weak.
    pub(crate) weak: bool,
    /// What may follow it, if weak evidence must be proved: all of it parses, and nothing follows on its line.
    pub(crate) company: Option<Company>,
    /// Only the tool's name opens the call: it must be spelled as declared.
    pub(crate) named: bool,
    /// Only blanks, calls and regions precede it.
    pub(crate) fresh: bool,
    /// A fence opens the call: it must contain only calls.
    pub(crate) fence: bool,
    /// It may be a draft, which is known once the text after it is known.
    pub(crate) held: bool,
    /// The number of earlier calls, as far as a proof needs it.
    pub(crate) calls: usize,
    /// The worst outcome of these, and of calls that could not even begin.
    pub(crate) worst: Outcome,
    /// Futile look-ahead has used up its limit, so candidates that need more die.
    pub(crate) exhausted: bool,
    /// Look-ahead for ends of strings has used up its limit, so only nearby bytes decide about a call.
    pub(crate) frugal: bool,
    /// Only nearby bytes decide about a call.
    pub(crate) bounded: bool,
}

impl<'t> TrialContext<'t> {
    pub(crate) fn new(engine: &'t Engine, view: View<'t>, at: usize, pattern_ref: PatternRef) -> Self {
        Self {
            engine,
            view,
            at,
            pattern_ref,
            nested: false,
            in_section: false,
            weak: false,
            company: None,
            named: false,
            fresh: false,
            fence: false,
            held: false,
            calls: 0,
            worst: Outcome::Complete,
            exhausted: false,
            frugal: false,
            bounded: false,
        }
    }

    /// The same inside another call's value.
    pub(crate) fn nested(engine: &'t Engine, view: View<'t>, at: usize, pattern_ref: PatternRef) -> Self {
        Self { nested: true, ..Self::new(engine, view, at, pattern_ref) }
    }

    pub(crate) fn pattern(&self) -> &'t Pattern {
        self.engine.pattern(self.pattern_ref)
    }

    /// Returns whether a call must be proved: an object with only a name must, everywhere.
    fn must_prove(&self, win: &Winner) -> bool {
        self.weak && (self.company.is_some() || win.is_bare())
    }

    /// Returns whether a call must fit its tool: for a strict caller, and after a call that broke, which may have quoted it.
    fn must_fit(&self) -> bool {
        self.engine.options.validation == Validation::Strict || self.worst > Outcome::Repaired
    }

    /// Returns whether the proof's events are emitted at once when it commits.
    fn keeps_proof(&self, win: &Winner) -> bool {
        self.held || self.must_prove(win)
    }
}

impl Proof {
    /// Takes a call's proof, until it is known whether the call may be committed.
    pub(crate) fn of(mut win: Box<Winner>) -> Option<Box<Self>> {
        let read = *win.proof.take()?;
        Some(Box::new(Self { win, read }))
    }
}

/// The state of one candidate.
#[derive(Clone, Debug)]
pub(crate) enum Trial {
    /// Dead; the number of bytes read to find out.
    Dead {
        why: &'static str,
        read: usize,
    },
    Ready(Box<Winner>),
    Rejected(Rejection),
}

/// A call that parses, but may not be one.
#[derive(Clone, Debug)]
pub(crate) struct Rejection {
    pub(crate) end: usize,
    /// The number of bytes read to find out, and the futile ones.
    pub(crate) read: usize,
    pub(crate) code: Code,
    pub(crate) message: String,
}

/// Returns the first call of a dialect that becomes ready at `at`, in the middle of another one's value.
pub(crate) fn first(engine: &Engine, view: View<'_>, at: usize, dialect: usize) -> Result<Option<Winner>, NotYet> {
    let own = engine.catalog.own(dialect).iter().map(|number| engine.catalog.candidates[*number].pattern_ref());
    ready(engine, view, at, None, own)
}

/// Returns the first call that becomes ready at `at`, in the middle of another one's value; in a section whose head is given.
fn ready(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    section: Option<Head>,
    patterns: impl Iterator<Item = PatternRef>,
) -> Result<Option<Winner>, NotYet> {
    for pattern_ref in patterns {
        let nested = TrialContext::nested(engine, view, at, pattern_ref);
        let trial = TrialContext { in_section: section.is_some(), ..nested };
        if let Trial::Ready(win) = try_call(&trial, section.clone().unwrap_or_default())? {
            return Ok(Some(*win));
        }
    }
    Ok(None)
}

/// Tries one call pattern, after its section's head unless that has been read.
pub(crate) fn try_call(context: &TrialContext<'_>, head: Head) -> Result<Trial, NotYet> {
    try_body(context, heads(context, head, SectionHead::None)?, &mut None)
}

/// Calls that may begin inside or after another.
impl CallContext<'_> {
    /// Returns the next call of the section or array, if it begins at `at`.
    pub(crate) fn next_call(&self, at: usize) -> Result<Option<Winner>, NotYet> {
        let patterns = self.pattern_ref.section.map_or(0, |_| self.dialect().calls.len());
        let calls = (0..patterns).map(Some).chain((patterns == 0).then_some(None));
        let head = Head { name: None, ..self.head.inner() };
        ready(self.engine, self.view, at, Some(head), calls.map(|call| PatternRef { call, ..*self.pattern_ref }))
    }

    /// Returns whether a call opens at `at` after this one, with the section around it; never inside look-ahead.
    pub(crate) fn next_opens(&self, at: usize) -> Result<bool, NotYet> {
        let calls = self.all_calls(self.pattern_ref.section);
        Ok(!self.bounded && ready(self.engine, self.view, at, None, calls)?.is_some())
    }

    /// Returns a call of this dialect that begins at `at`, even with a weak opener; for the beginnings of lines.
    pub(crate) fn sibling(&self, at: usize) -> Result<Option<Winner>, NotYet> {
        ready(self.engine, self.view, at, Some(Head::default()), self.all_calls(None))
    }

    fn all_calls(&self, section: Option<usize>) -> impl Iterator<Item = PatternRef> + use<> {
        let own = *self.pattern_ref;
        (0..self.dialect().calls.len()).map(move |call| PatternRef { section, call: Some(call), ..own })
    }
}

/// Tries a call pattern after its heads. Its proof may already exist; a caller that gets [`NotYet`] keeps it.
pub(crate) fn try_body(
    context: &TrialContext<'_>,
    heads: HeadResult,
    proof: &mut Option<Box<Proof>>,
) -> Result<Trial, NotYet> {
    let HeadResult { mut head, body, .. } = heads;
    let body = match body {
        Ok(body) => body,
        Err(why) => return Ok(dead(head.looked.max(context.at), why)),
    };
    let begun = match () {
        // Once much was read ahead in vain, a name and a bracket keep the worst case at a constant for each opener.
        () if context.exhausted => begin_bounded(context, body, &mut head, NAME_LIMIT)?,
        () if context.nested || context.frugal => begin_bounded(context, body, &mut head, REACH)?,
        () => begin(context, body, &mut head)?,
    };
    let Some((callee, start)) = begun else {
        return Ok(dead(head.looked.max(context.at), "no call body here"));
    };
    let win = Winner { pattern_ref: context.pattern_ref, head, callee, start, proof: None, in_vain: 0 };
    admit(context, Box::new(win), proof)
}

/// Decides whether a candidate whose body begins may be committed now.
fn admit(context: &TrialContext<'_>, win: Box<Winner>, proof: &mut Option<Box<Proof>>) -> Result<Trial, NotYet> {
    let undeclared = win.callee.name_match == NameMatch::Undeclared;
    if undeclared && (context.weak || context.nested) {
        return Ok(dead(context.at, "the tool is not declared"));
    }
    if context.named && win.callee.name_match != NameMatch::Declared {
        return Ok(dead(context.at, "a bare name must match the declaration exactly"));
    }
    if context.nested {
        return Ok(Trial::Ready(win));
    }
    if context.pattern().is_unopened() && !context.engine.options.repairs.allow(Code::MissingOpener) {
        return Ok(dead(context.at, "its opening marker is missing"));
    }
    if context.weak && is_markup(context.engine, &win.callee, &win.head) {
        return Ok(dead(context.at, "its attributes do not fit the tool"));
    }
    let prove = undeclared || context.must_prove(&win) || context.must_fit();
    if !prove && !context.held {
        return Ok(Trial::Ready(win));
    }
    if context.exhausted && prove {
        return Ok(dead(context.at, "not decided within the look-ahead limit"));
    }
    go_on(context, begin_proof(context, win), proof)
}

/// Continues the proof of a candidate; a caller that gets [`NotYet`] keeps it.
///
/// The earlier checks of the candidate remain valid: it is a function of the bytes.
pub(crate) fn go_on(
    context: &TrialContext<'_>,
    mut begun: Box<Proof>,
    kept: &mut Option<Box<Proof>>,
) -> Result<Trial, NotYet> {
    match judge(context, &mut begun) {
        Err(NotYet) => {
            *kept = Some(begun);
            Err(NotYet)
        }
        Ok(Some(against)) => Ok(against),
        Ok(None) => {
            let Proof { mut win, read } = *begun;
            win.in_vain = read.sink.read_in_vain();
            win.proof = context.keeps_proof(&win).then(|| Box::new(read));
            Ok(Trial::Ready(win))
        }
    }
}

/// Continues a proof; returns the evidence against the call.
fn judge(context: &TrialContext<'_>, proof: &mut Proof) -> Result<Option<Trial>, NotYet> {
    let Proof { win, read: ProofResult { reading, sink } } = proof;
    let (engine, view) = (context.engine, context.view);
    let end = reading.resume(engine, view, sink)?;
    let undeclared = win.callee.name_match == NameMatch::Undeclared;
    let prove = context.must_prove(win);
    let against = rejection(context, sink, end, win);
    if context.must_fit() && sink.worst() <= Outcome::Repaired && against.is_some() {
        return Ok(against.map(Trial::Rejected));
    }
    let cut = undeclared && sink.has(Code::MissingCloser);
    let encoded = prove && sink.has(Code::EntityQuotes);
    let partial = prove && sink.has(Code::FlatArguments) && sink.has(Code::MissingParameter);
    let closed = !engine.pattern(win.pattern_ref).tail.iter().any(Literal::is_strong) || !sink.has(Code::MissingCloser);
    let unopened = context.pattern().is_unopened();
    let unclosed = (context.named || unopened) && prove && !closed || unopened && sink.has(Code::WrongCloser);
    let mixed = prove && context.fence && sink.has(Code::MissingCloser) && view.byte(view.skip_blanks(end)?)?.is_some();
    if mixed || unclosed || cut || encoded || partial || (prove || undeclared) && sink.worst() > Outcome::Repaired {
        return Ok(Some(dead(end + sink.read_in_vain(), "cannot be read to its end")));
    }
    if prove && win.is_bare() && !has_arguments(sink) {
        return Ok(Some(dead(end, "an object without arguments is weak evidence")));
    }
    let foreign = sink.has(Code::UnknownMember) || sink.has(Code::UnknownParameter) && !has_clean_call(sink);
    let behind = engine.catalog.behind_turn(view, end)?;
    let refused = context.company.map_or(Ok(false), |company| company.refuses(engine, view, behind))?;
    if prove && (foreign || refused || !line_may_go_on(context, end)?) {
        return Ok(Some(dead(end, "is part of ordinary text")));
    }
    Ok(against.map(Trial::Rejected))
}

fn dead(read: usize, why: &'static str) -> Trial {
    Trial::Dead { why, read }
}

/// Begins to read a call silently to its end, or all of its section so that it can be emitted at once.
fn begin_proof(context: &TrialContext<'_>, win: Box<Winner>) -> Box<Proof> {
    let (repairs, at) = (context.engine.options.repairs, context.at);
    let all = context.keeps_proof(&win);
    // A strict caller's schema is held against what would go out.
    let said = all || context.must_fit();
    let mut sink = if said { Sink::fork(at, context.calls, repairs) } else { Sink::muted(at, repairs) };
    sink.frugal = context.exhausted || context.frugal;
    let reading = CallReader::new(Winner::clone(&win), !all);
    Box::new(Proof { win, read: ProofResult { reading, sink } })
}

/// Returns whether one of the calls has arguments: the others may then have none.
fn has_arguments(sink: &Sink) -> bool {
    let has_some = |kind: &StoredKind| matches!(kind, StoredKind::Arguments { json, .. } if sink.words[json.clone()].contains(':'));
    sink.entries.iter().any(|entry| has_some(&entry.kind))
}

/// Returns whether one of several calls has no undeclared parameter: the others are then calls, too.
fn has_clean_call(sink: &Sink) -> bool {
    let (mut calls, mut clean, mut foreign) = (0, 0, false);
    for entry in &sink.entries {
        match entry.kind {
            StoredKind::Diagnostic(number) => {
                foreign |= sink.diagnostics.get(number).is_some_and(|said| said.code == Code::UnknownParameter);
            }
            StoredKind::CallEnd { .. } => {
                (calls, clean) = (calls + 1, clean + usize::from(!foreign));
                foreign = false;
            }
            _ => {}
        }
    }
    calls > 1 && clean > 0
}

/// Returns whether the rest of the line is acceptable: empty, attached to a list that opens the turn, or after an element.
fn line_may_go_on(context: &TrialContext<'_>, end: usize) -> Result<bool, NotYet> {
    let (engine, view) = (context.engine, context.view);
    let list = context.fresh && view.byte(end - 1)? == Some(b']');
    let element = context.company == Some(Company::Elements) && opens_element(engine, view, end)?;
    let markup = context.company == Some(Company::NoMarkup);
    if element || markup || list && view.char(end)?.is_some_and(char::is_uppercase) {
        return Ok(true);
    }
    let mut at = end;
    while let Some(byte) = view.byte(at)? {
        let own = || engine.catalog.spent().stands(view, at);
        at = match engine.catalog.any_turn_end(view, at)?.map_or_else(own, |end| Ok(Some(end)))? {
            _ if byte == b'\n' => return Ok(true),
            _ if is_blank(byte) => at + 1,
            Some(end) => end,
            None => return Ok(false),
        };
    }
    Ok(true)
}

/// Returns the objections to a call that must fit its tool, or those of a caller that rejects unknown tools.
fn rejection(context: &TrialContext<'_>, sink: &Sink, end: usize, win: &Winner) -> Option<Rejection> {
    let (engine, strict) = (context.engine, context.must_fit());
    let (name, read) = (&win.callee.name, end + sink.read_in_vain());
    if win.callee.name_match == NameMatch::Undeclared && (strict || engine.options.unknown_tool == UnknownTool::Text) {
        let message = format!("undeclared tool `{name}`; treated as text");
        return Some(Rejection { end, read, code: Code::UnknownTool, message });
    }
    let wrong = [Code::UnknownParameter, Code::DuplicateParameter, Code::MissingParameter, Code::NamelessParameter];
    let against = sink.diagnostics.iter().find(|diagnostic| strict && wrong.contains(&diagnostic.code));
    let misfit = || {
        let schema = engine.tools.get(win.callee.tool.filter(|_| strict)?).schema.as_ref()?;
        coerce::misfit(&sink.first_arguments().filter(|_| sink.worst() <= Outcome::Repaired)?, schema.root())
    };
    let why = against.map(|against| against.message.clone()).or_else(misfit)?;
    let message = format!("the call to `{name}` is treated as text: {why}");
    Some(Rejection { end, read, code: Code::Rejected, message })
}
