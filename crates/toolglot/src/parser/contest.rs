//! The contest: candidates read on from one place, silently, until the highest-ranked one alive is ready.
//!
//! A candidate is a pure function of the bytes, so the winner is the first in
//! rank order that does not die, however the bytes arrived.

use super::call_object;
use super::content::{self, Content};
use super::engine::{Callee, Engine, Form, Standing};
use super::head::{Head, NAME_LIMIT, gap, nodes, repeated, skip_gap};
use super::kwargs::keyword;
use super::lines::{self, Lines};
use super::params::param_head;
use super::reading::Reading;
use super::scene::Scene;
use super::whole::{Whole, arguments_of, merge_attributes, read_value};
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, Node};
use crate::event::Outcome;
use crate::json::{Ended, Place, key_ahead};
use crate::options::{UnknownTool, Validation};
use crate::sink::Sink;
use crate::view::{NotYet, View, is_blank};

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

/// Tries one call pattern at `at`, after its section's head if the ground does not stand behind it.
pub(crate) fn try_call(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    form: Form,
    head: Head,
    ground: Ground,
) -> Result<Trial, NotYet> {
    try_on(engine, view, at, form, head, ground, &mut None)
}

/// Tries a call pattern whose proof may have been begun; whoever is told [`NotYet`] keeps it for the next time.
pub(crate) fn try_on(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    form: Form,
    mut head: Head,
    ground: Ground,
    proof: &mut Option<Box<Proof>>,
) -> Result<Trial, NotYet> {
    if ground.exhausted && engine.pattern(form).head.iter().any(|node| matches!(node, Node::Attributes(_))) {
        return Ok(dead(at, "too much was read ahead in vain"));
    }
    let Some(body) = read_heads(engine, view, at, form, &mut head, ground)? else {
        return Ok(dead(head.looked.max(at), "its head does not stand here"));
    };
    let near = ground.nested || ground.exhausted;
    let begun = if near {
        begin_near(engine, view, body, form, &mut head)?
    } else {
        begin(engine, view, body, form, &mut head, false)?
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

/// A call that has to be known by what is near is known by so many bytes of its body.
const NEAR: usize = 1 << 10;

/// Says the same as [`begin`] for a call that can be told by what is near.
///
/// Calls in values, and openers after much was read ahead in vain, are so many that none may cost more.
fn begin_near(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    form: Form,
    head: &mut Head,
) -> Result<Option<(Callee, Start)>, NotYet> {
    let seen = view.limited(at + NEAR);
    match begin(engine, seen, at, form, head, true) {
        Err(NotYet) if seen.end() < view.end() => Ok(None),
        decided => decided,
    }
}

/// Says who is called and how the body starts; `None` if this is no call.
fn begin(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    form: Form,
    head: &mut Head,
    near: bool,
) -> Result<Option<(Callee, Start)>, NotYet> {
    let kind = engine.pattern(form).kind();
    let raw = matches!(kind, Some(BodyKind::Content | BodyKind::Lines) | None);
    let at = if raw { at } else { gap(view, at, head)? };
    if kind == Some(BodyKind::Call) {
        return begin_call(engine, view, at, form, head, near);
    }
    // A parameter or the closer must stand here: most candidates that share a head die by this byte.
    let markers = &engine.catalog.markers[form.dialect];
    let params = kind == Some(BodyKind::Params) && !head.unclosed_tag;
    if params && !view.byte(at)?.is_some_and(|byte| markers.contains(byte)) {
        return Ok(None);
    }
    let Some(callee) = engine.callee_of(engine.dialect(form), head) else { return Ok(None) };
    let scene = Scene { near, ..Scene::new(engine, view, form, &callee, head) };
    let start = match kind {
        Some(BodyKind::Arguments) => begin_arguments(at, &scene)?,
        Some(BodyKind::Object) => begin_object(at, &scene)?,
        Some(BodyKind::Params) => begin_params(at, &scene)?,
        Some(BodyKind::Kwargs) => begin_kwargs(view, at)?,
        Some(BodyKind::Lines) => begin_lines(at, &scene)?,
        Some(BodyKind::Content) => begin_content(at, &scene)?,
        _ => Some(Start::Nothing(at)),
    };
    Ok(start.map(|start| (callee, start)))
}

/// Passes a fence and an array's bracket to the object that carries the call.
fn begin_call(
    engine: &Engine,
    view: View<'_>,
    mut at: usize,
    form: Form,
    head: &mut Head,
    near: bool,
) -> Result<Option<(Callee, Start)>, NotYet> {
    let fenced = !engine.pattern(form).tail.is_empty() && view.starts_with(at, "```")?;
    if fenced {
        at += 3;
        while view.byte(at)?.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            at += 1;
        }
        at = skip_gap(view, at)?;
    }
    let in_array = engine.section(form).and_then(|section| section.head.last()).is_some_and(ends_with_bracket);
    let array = !in_array && form.call.is_some() && view.byte(at)? == Some(b'[');
    if array {
        at = skip_gap(view, at + 1)?;
    }
    if view.byte(at)? != Some(b'{') {
        return Ok(None);
    }
    head.encoded = view.byte(skip_gap(view, at + 1)?)? == Some(b'&');
    if head.encoded && !engine.options.repairs.allow(Code::EntityQuotes) {
        return Ok(None);
    }
    let nobody = Callee { name: String::new(), tool: None, standing: Standing::Declared };
    let scene = Scene { near, ..Scene::new(engine, view, form, &nobody, head) };
    let mut looked = at;
    let facts = call_object::facts(at + 1, &scene, &mut looked)?;
    head.looked = head.looked.max(looked);
    let Some(facts) = facts else { return Ok(None) };
    let start = Start::Call { at: at + 1, array, fenced, has_arguments: facts.has_arguments };
    head.name = Some(facts.name);
    Ok(engine.callee_of(engine.dialect(form), head).map(|callee| (callee, start)))
}

fn ends_with_bracket(node: &Node) -> bool {
    matches!(node, Node::Literal(literal) if literal.ends_with('['))
}

fn begin_arguments(at: usize, scene: &Scene<'_>) -> Result<Option<Start>, NotYet> {
    let plain = scene.head.attributes.is_empty();
    match scene.view.byte(at)? {
        Some(b'{') if !key_ahead(scene.view, at + 1, None)? => Ok(None),
        Some(b'{') if plain => Ok(Some(Start::Json { at, relaxed: false })),
        Some(b'`') if plain && fenced(at, scene.view)? => Ok(Some(Start::Json { at, relaxed: false })),
        Some(b'{') => {
            let read = read_value(at, Place::Arguments, scene.root().map(|root| root.id()), scene)?;
            Ok(read.map(|(json, end)| Start::Whole { whole: Whole::plain(merge_attributes(&json, scene)), at, end }))
        }
        Some(b'"') => {
            let read = read_value(at, Place::Value, None, scene)?;
            let arguments = |(json, end): (String, usize)| {
                let whole = arguments_of(&json, scene.tool, &scene.engine.options)?;
                Some(Start::Whole { whole, at, end })
            };
            Ok(read.and_then(arguments))
        }
        _ => {
            let empty = plain && scene.any(at, scene.closer())?.is_some();
            Ok(empty.then(|| Start::Whole { whole: Whole::empty(), at, end: at }))
        }
    }
}

/// Says whether a fence opens at `at` and an object in it.
fn fenced(at: usize, view: View<'_>) -> Result<bool, NotYet> {
    if !view.starts_with(at, "```")? {
        return Ok(false);
    }
    let mut at = at + 3;
    while view.byte(at)?.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        at += 1;
    }
    let at = view.skip_blanks(at)?;
    Ok(view.byte(at)? == Some(b'{') && key_ahead(view, at + 1, None)?)
}

fn begin_object(at: usize, scene: &Scene<'_>) -> Result<Option<Start>, NotYet> {
    let quote = scene.dialect().quote.as_deref();
    let opens = scene.view.byte(at)? == Some(b'{') && key_ahead(scene.view, at + 1, quote)?;
    Ok(opens.then_some(Start::Json { at, relaxed: true }))
}

fn begin_params(at: usize, scene: &Scene<'_>) -> Result<Option<Start>, NotYet> {
    let begins = scene.head.unclosed_tag
        || scene.any(at, scene.closer())?.is_some()
        || param_head(at, scene, false, &mut Head::default())?.is_some()
        || nameless_param(at, scene)?;
    Ok(begins.then_some(Start::Params(at)))
}

/// Says whether a parameter without a name opens at `at`.
fn nameless_param(at: usize, scene: &Scene<'_>) -> Result<bool, NotYet> {
    for param in scene.dialect().params.iter().filter(|param| !param.has_key_tag()) {
        if let Some(end) = scene.any(at, param.opening())?
            && !scene.view.char(end)?.is_some_and(char::is_alphanumeric)
            && tag_end(scene.view, end)? == TagEnd::Closed
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How a tag that is open at a place goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagEnd {
    Closed,
    /// Another tag begins, or nothing ends it for long.
    Open,
    /// The input ended inside it.
    Cut,
}

/// Says how the tag that is open at `at` goes on.
pub(crate) fn tag_end(view: View<'_>, at: usize) -> Result<TagEnd, NotYet> {
    let rest = view.rest(at);
    match memchr::memchr2(b'>', b'<', &rest[..rest.len().min(NAME_LIMIT)]) {
        Some(ahead) if rest[ahead] == b'>' => Ok(TagEnd::Closed),
        Some(_) => Ok(TagEnd::Open),
        None if rest.len() >= NAME_LIMIT => Ok(TagEnd::Open),
        None => view.final_end().map(|_| TagEnd::Cut),
    }
}

fn begin_kwargs(view: View<'_>, at: usize) -> Result<Option<Start>, NotYet> {
    let begins = view.byte(at)? == Some(b')') || keyword(view, at)?.is_some();
    Ok(begins.then_some(Start::Kwargs(at)))
}

/// Lines are a call when their end is seen: one that is none makes them prose.
fn begin_lines(at: usize, scene: &Scene<'_>) -> Result<Option<Start>, NotYet> {
    if !lines::begin(at, scene)? {
        return Ok(None);
    }
    let mut nowhere = Sink::muted(at, scene.engine.options.repairs);
    let end = Lines::new(at).resume(scene, &mut nowhere)?;
    Ok((end.how != Ended::Broken).then_some(Start::Lines(at)))
}

/// Plain text is a call at once if an attribute says so, else when its closer is seen.
fn begin_content(at: usize, scene: &Scene<'_>) -> Result<Option<Start>, NotYet> {
    if content::parameter(scene).is_none() {
        return Ok(None);
    }
    let sure = scene.head.attributes.iter().any(|(key, _)| scene.is_open() || scene.declares(&key.text));
    if !sure {
        let mut nowhere = Sink::muted(at, scene.engine.options.repairs);
        let end = Content::new(at, false).resume(scene, &mut nowhere)?;
        if !matches!(end.how, Ended::Complete | Ended::Cut) {
            return Ok(None);
        }
    }
    Ok(Some(Start::Content { at, sure }))
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
