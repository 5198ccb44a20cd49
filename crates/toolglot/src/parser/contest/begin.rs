//! Says whether a candidate's body begins behind its heads, who is called, and how the body starts.

use std::cell::Cell;

use super::Start;
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, Node};
use crate::json::{Ended, Place, key_ahead};
use crate::parser::call_object;
use crate::parser::content::{self, Content};
use crate::parser::engine::{Callee, Engine, Form, Standing};
use crate::parser::head::{Head, NAME_LIMIT, gap, skip_gap};
use crate::parser::kwargs::keyword;
use crate::parser::lines::{self, Lines};
use crate::parser::params::param_head;
use crate::parser::scene::Scene;
use crate::parser::whole::{Whole, arguments_of, read_value, with_attributes};
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// A call in another one's value is known by so many bytes of its heads, and so many of its body.
pub(crate) const NEAR: usize = 1 << 10;

/// A call behind much that was read ahead in vain is known by so many.
pub(super) const NEARER: usize = 1 << 7;

/// Says the same as [`begin`] for a call that can be told by what is near.
///
/// Calls in values, and openers after much was read ahead in vain, are so many that none may cost more.
pub(super) fn begin_near(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    form: Form,
    head: &mut Head,
    reach: usize,
) -> Result<Option<(Callee, Start)>, NotYet> {
    let seen = view.limited(at + reach);
    match begin(engine, seen, at, form, head, true) {
        Err(NotYet) if seen.end() < view.end() => Ok(None),
        decided => decided,
    }
}

/// Says who is called and how the body starts; `None` if this is no call.
pub(super) fn begin(
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
    let ahead = Cell::new(0);
    let scene = Scene { near, ahead: Some(&ahead), ..Scene::new(engine, view, form, &callee, head) };
    let start = match kind {
        Some(BodyKind::Arguments) => begin_arguments(at, &scene)?,
        Some(BodyKind::Object) => begin_object(at, &scene)?,
        Some(BodyKind::Params) => begin_params(at, &scene)?,
        Some(BodyKind::Kwargs) => begin_kwargs(view, at)?,
        Some(BodyKind::Lines) => begin_lines(at, &scene)?,
        Some(BodyKind::Content) => begin_content(at, &scene)?,
        _ => Some(Start::Nothing(at)),
    };
    head.looked = head.looked.max(at + ahead.get());
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
    let ahead = Cell::new(0);
    let scene = Scene { near, ahead: Some(&ahead), ..Scene::new(engine, view, form, &nobody, head) };
    let facts = call_object::facts(at + 1, &scene)?;
    head.looked = head.looked.max(at + ahead.get());
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
            let read = with_attributes(at, scene)?;
            Ok(read.map(|(whole, end)| Start::Whole { whole, at, end }))
        }
        Some(b'"') => {
            let read = read_value(at, Place::Value, None, scene)?;
            let arguments = |(json, end): (String, usize)| {
                let whole = arguments_of(&json, scene.tool(), &scene.engine.options)?;
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
