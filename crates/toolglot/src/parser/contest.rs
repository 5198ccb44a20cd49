//! The contest: candidates read on from one place, silently, until the highest-ranked one alive is ready.
//!
//! A candidate is a pure function of the bytes, so the winner is the first in
//! rank order that does not die, however the bytes arrived.

use super::engine::{Callee, Engine, Form, Standing};
use super::head::{Head, gap, nodes, repeated};
use super::reading::Reading;
use super::whole::Whole;
use crate::diagnostic::Code;
use crate::dialect::Node;
use crate::event::Outcome;
use crate::options::{UnknownTool, Validation};
use crate::sink::Sink;
use crate::view::{NotYet, View, is_blank};
pub(crate) use begin::{NEAR, TagEnd, tag_end};
use begin::{NEARER, begin, begin_near};

mod begin;

/// A candidate that is ready: all that its head said, and where its body starts.
#[derive(Clone, Debug)]
pub(crate) struct Win {
    pub(crate) form: Form,
    pub(crate) head: Head,
    pub(crate) callee: Callee,
    pub(crate) start: Start,
    /// All of it has been read already, to prove that it is a call.
    pub(crate) proof: Option<Box<Proof>>,
}

/// A reading ahead. What proves a call is the reading of that call: it goes on where it stopped, and is not done twice.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    pub(crate) reading: Reading,
    pub(crate) sink: Sink,
}

/// How a body starts.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    Params(usize),
    Kwargs(usize),
    Lines(usize),
    /// A JSON object of arguments, perhaps in the dialect's relaxed braces.
    Json {
        at: usize,
        relaxed: bool,
    },
    /// Arguments that had to be read whole.
    Whole {
        whole: Whole,
        at: usize,
        end: usize,
    },
    /// An object that carries the call; `at` is behind its brace.
    Call {
        at: usize,
        array: bool,
        fenced: bool,
        has_arguments: bool,
    },
    Content {
        at: usize,
        sure: bool,
    },
    Nothing(usize),
}

/// What the place of a contest asks of its candidates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ground {
    /// Inside another call's value: it is enough that a call begins.
    pub(crate) nested: bool,
    /// Inside a section whose head has been read.
    pub(crate) in_section: bool,
    /// The evidence is weak.
    pub(crate) weak: bool,
    /// Weak evidence must prove itself: all of it reads, and nothing follows on its line.
    pub(crate) prove: bool,
    /// The tool's name is all that opens the call: it must be spelled as declared.
    pub(crate) named: bool,
    /// So little says that this is a call that the message must end with it.
    pub(crate) last: bool,
    /// How many calls came before, as far as a proof must know.
    pub(crate) calls: usize,
    /// So much has been read ahead in vain that candidates which need it die.
    pub(crate) exhausted: bool,
}

/// What became of one candidate.
#[derive(Clone, Debug)]
pub(crate) enum Trial {
    /// It cannot be what stands here; so far it read to find out.
    Dead {
        why: &'static str,
        read: usize,
    },
    Ready(Box<Win>),
    Rejected(Rejection),
}

/// A call that reads, but may not be one.
#[derive(Clone, Debug)]
pub(crate) struct Rejection {
    pub(crate) end: usize,
    pub(crate) code: Code,
    pub(crate) message: String,
}

/// Says whether a call of a dialect becomes ready at `at`, in the middle of another one's value.
pub(crate) fn begins(engine: &Engine, view: View<'_>, at: usize, dialect: usize) -> Result<bool, NotYet> {
    let mut own = engine.catalog.own[dialect].clone();
    engine.catalog.rank(&mut own);
    let ground = Ground { nested: true, ..Ground::default() };
    for candidate in own {
        let candidate = &engine.catalog.candidates[candidate];
        let form = Form { dialect, section: candidate.section, call: Some(candidate.pattern) };
        if let Trial::Ready(_) = try_call(engine, view, at, form, Head::default(), ground)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a candidate's heads said: where its body is, or why they do not stand there.
#[derive(Clone, Debug)]
pub(crate) struct Heads {
    head: Head,
    body: Result<usize, &'static str>,
}

/// Tries one call pattern at `at`, after its section's head if the ground does not stand behind it.
pub(crate) fn try_call(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    form: Form,
    head: Head,
    ground: Ground,
) -> Result<Trial, NotYet> {
    let heads = heads(engine, view, at, form, head, ground)?;
    try_body(engine, view, at, form, heads, ground, &mut None)
}

/// Reads the heads of a call pattern; the same for all whose heads are alike.
pub(crate) fn heads(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    form: Form,
    mut head: Head,
    ground: Ground,
) -> Result<Heads, NotYet> {
    if ground.exhausted && engine.pattern(form).head.iter().any(|node| matches!(node, Node::Attributes(_))) {
        return Ok(Heads { head, body: Err("too much was read ahead in vain") });
    }
    let seen = if ground.nested { view.limited(at + NEAR) } else { view };
    let body = match read_heads(engine, seen, at, form, &mut head, ground) {
        Err(NotYet) if seen.end() < view.end() => None,
        decided => decided?,
    };
    Ok(Heads { head, body: body.ok_or("its head does not stand here") })
}

/// Tries a call pattern behind its heads; its proof may have been begun, and whoever is told [`NotYet`] keeps it.
pub(crate) fn try_body(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    form: Form,
    heads: Heads,
    ground: Ground,
    proof: &mut Option<Box<Proof>>,
) -> Result<Trial, NotYet> {
    let Heads { mut head, body } = heads;
    let body = match body {
        Ok(body) => body,
        Err(why) => return Ok(dead(head.looked.max(at), why)),
    };
    let begun = match ground {
        Ground { exhausted: true, .. } => begin_near(engine, view, body, form, &mut head, NEARER)?,
        Ground { nested: true, .. } => begin_near(engine, view, body, form, &mut head, NEAR)?,
        _ => begin(engine, view, body, form, &mut head, false)?,
    };
    let Some((callee, start)) = begun else {
        return Ok(dead(head.looked.max(at), "its body does not begin here"));
    };
    let win = Box::new(Win { form, head, callee, start, proof: None });
    admit(engine, view, at, win, ground, proof)
}

fn read_heads(
    engine: &Engine,
    view: View<'_>,
    mut at: usize,
    form: Form,
    head: &mut Head,
    ground: Ground,
) -> Result<Option<usize>, NotYet> {
    if !ground.in_section
        && let Some(section) = engine.section(form).filter(|section| !section.head.is_empty())
    {
        let Some(end) = nodes(view, at, &section.head, None, head)? else { return Ok(None) };
        let end = repeated(view, end, section, head)?.unwrap_or(end);
        at = gap(view, end, head)?;
    }
    let pattern = engine.pattern(form);
    let mut end = nodes(view, at, &pattern.head, pattern.after_head(), head)?;
    if let Some(once) = end.filter(|_| !head.unclosed_tag) {
        end = repeated(view, once, pattern, head)?.or(end);
    }
    Ok(end.filter(|_| !head.unclosed_tag || pattern.body.is_some()))
}

/// Decides whether a candidate whose body begins may be committed now.
fn admit(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    mut win: Box<Win>,
    ground: Ground,
    proof: &mut Option<Box<Proof>>,
) -> Result<Trial, NotYet> {
    let undeclared = win.callee.standing == Standing::Undeclared;
    if undeclared && (ground.weak || ground.nested) {
        return Ok(dead(at, "no such tool is declared"));
    }
    if ground.named && win.callee.standing != Standing::Declared {
        return Ok(dead(at, "a bare name must be spelled as declared"));
    }
    if ground.nested {
        return Ok(Trial::Ready(win));
    }
    if ground.weak && matches!(win.start, Start::Call { has_arguments: false, .. }) {
        return Ok(dead(at, "an object without arguments is weak evidence"));
    }
    let strict = engine.options.validation == Validation::Strict;
    let prove = ground.weak && ground.prove;
    if !prove && !undeclared && !strict {
        return Ok(Trial::Ready(win));
    }
    if ground.exhausted && (prove || undeclared) {
        return Ok(dead(at, "too much was read ahead in vain"));
    }
    let begun = proof.get_or_insert_with(|| Box::new(begin_proof(engine, at, &win, ground)));
    let against = judge(engine, view, begun, &win, ground)?;
    win.proof = proof.take().filter(|_| prove);
    Ok(against.unwrap_or(Trial::Ready(win)))
}

/// Reads on in a proof; returns what speaks against the call.
fn judge(
    engine: &Engine,
    view: View<'_>,
    proof: &mut Proof,
    win: &Win,
    ground: Ground,
) -> Result<Option<Trial>, NotYet> {
    let Proof { reading, sink } = proof;
    let end = reading.resume(engine, view, sink)?;
    let undeclared = win.callee.standing == Standing::Undeclared;
    let prove = ground.weak && ground.prove;
    let against = rejection(engine, sink, undeclared, end, win);
    if engine.options.validation == Validation::Strict && sink.worst() <= Outcome::Repaired && against.is_some() {
        return Ok(against.map(Trial::Rejected));
    }
    let cut = undeclared && sink.has(Code::MissingCloser);
    let torn = prove && sink.has(Code::InnerQuote) && sink.has(Code::RawControl);
    let encoded = prove && sink.has(Code::EntityQuotes);
    if cut || torn || encoded || (prove || undeclared) && sink.worst() > Outcome::Repaired {
        return Ok(Some(dead(end, "it does not read to its end")));
    }
    let foreign = sink.has(Code::UnknownParameter) || sink.has(Code::UnknownMember);
    let goes_on = ground.last && view.byte(view.skip_blanks(end)?)?.is_some();
    if prove && (foreign || goes_on || !ends_line(view, end)?) {
        return Ok(Some(dead(end, "it is part of a text")));
    }
    Ok(against.map(Trial::Rejected))
}

fn dead(read: usize, why: &'static str) -> Trial {
    Trial::Dead { why, read }
}

/// Begins to read a call to its end without a word, or all of its section so that it can be said at once.
fn begin_proof(engine: &Engine, at: usize, win: &Win, ground: Ground) -> Proof {
    let all = ground.weak && ground.prove;
    let repairs = engine.options.repairs;
    let sink = if all { Sink::fork(at, ground.calls, repairs) } else { Sink::muted(at, repairs) };
    Proof { reading: Reading::new(win.clone(), !all), sink }
}

/// Says whether nothing but blanks follows on the line.
fn ends_line(view: View<'_>, mut at: usize) -> Result<bool, NotYet> {
    while let Some(byte) = view.byte(at)? {
        if byte == b'\n' {
            return Ok(true);
        }
        if !is_blank(byte) {
            return Ok(false);
        }
        at += 1;
    }
    Ok(true)
}

/// What a strict caller, or one who wants no unknown tools, holds against a call.
fn rejection(engine: &Engine, sink: &Sink, undeclared: bool, end: usize, win: &Win) -> Option<Rejection> {
    let strict = engine.options.validation == Validation::Strict;
    let name = &win.callee.name;
    if undeclared && (strict || engine.options.unknown_tool == UnknownTool::Text) {
        let message = format!("no tool `{name}` is declared; its call is text");
        return Some(Rejection { end, code: Code::UnknownTool, message });
    }
    let wrong = [Code::UnknownParameter, Code::DuplicateParameter, Code::MissingParameter, Code::NamelessParameter];
    let against = sink.diagnostics.iter().find(|diagnostic| strict && wrong.contains(&diagnostic.code))?;
    let message = format!("the call of `{name}` is text: {}", against.message);
    Some(Rejection { end, code: Code::Rejected, message })
}
