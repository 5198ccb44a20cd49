//! Call objects with a damaged frame: quotes, colons or braces around the name and the arguments are missing or doubled,
//! but the two are in their order.
//!
//! ```text
//!   {"name="f", "arguments": {      {"function=f","arguments":{      {{"name": "f", "arguments": {{
//!   {"name: "f", "arguments: {      {"name": "f, "arguments": {      {"name": "f", "arguments": [{
//! ```

use super::call_context::CallContext;
use super::call_object::{CallArguments, CallObjectTrial, is_declaration};
use super::head::{HeadText, NAME_LIMIT, name_end};
use super::member::{is_arguments_key, is_id_key, is_name_key};
use crate::diagnostic::Code;
use crate::dialect::Literal;
use crate::json::key_ahead;
use crate::view::NotYet;

/// Returns the name and the position of the arguments of a damaged call object at `at`, if a declared tool has that name,
/// and a marker or a doubled brace opens the call.
pub(super) fn damaged(at: usize, context: &CallContext<'_>) -> Result<Option<CallObjectTrial>, NotYet> {
    let forms = [Some(context.pattern()), context.engine.section(*context.pattern_ref)];
    let marked = forms.into_iter().flatten().any(|form| form.opening().is_some_and(Literal::is_strong));
    let marked = marked || context.view.starts_with(at, "{{")?;
    if !marked || !context.engine.options.repairs.allow(Code::Envelope) {
        return Ok(None);
    }
    let (mut at, mut name) = (at, None::<HeadText>);
    loop {
        let start = joint(at, context)?.end;
        let Some(end) = name_end(context.view, start)? else { return Ok(None) };
        let (word, behind) = (context.view.slice(start, end), joint(end, context)?);
        if !behind.separates {
            return Ok(None);
        }
        let said = match name_end(context.view, behind.end)? {
            Some(end) => HeadText::new(context.view.slice(behind.end, end), behind.end..end),
            None => HeadText::new("", behind.end..behind.end),
        };
        at = said.span.end;
        match name.take() {
            Some(name) if is_arguments_key(word, context.dialect()) => return begin(name, behind.brace, context),
            None if is_name_key(word, context.dialect()) && context.engine.knows(&said.text) => name = Some(said),
            known if word == "type" || is_id_key(word, context) => name = known,
            _ => return Ok(None),
        }
    }
}

/// Returns the call if its arguments begin with the brace and are not a schema.
fn begin(name: HeadText, brace: Option<usize>, context: &CallContext<'_>) -> Result<Option<CallObjectTrial>, NotYet> {
    let Some(at) = brace else { return Ok(None) };
    if !key_ahead(context.view, at + 1, None)? || is_declaration(at, Some(&name), context)? {
        return Ok(None);
    }
    Ok(Some(CallObjectTrial { name, arguments: CallArguments::Found(at, Some(Code::Envelope)) }))
}

/// The characters between two words.
struct Joint {
    end: usize,
    /// They contain a colon or an equals sign.
    separates: bool,
    /// The position of the first brace among them.
    brace: Option<usize>,
}

/// Skips characters that belong to no word: brackets, quotes, separators and spaces, at most as many as a name has.
fn joint(from: usize, context: &CallContext<'_>) -> Result<Joint, NotYet> {
    let mut joint = Joint { end: from, separates: false, brace: None };
    while joint.end - from < NAME_LIMIT
        && let Some(next) = context.view.char(joint.end)?
    {
        match next {
            ':' | '=' => joint.separates = true,
            '{' => joint.brace = joint.brace.or(Some(joint.end)),
            '[' | '(' | ',' | '"' | '\'' | '`' | '\\' | '“' | '”' | '\u{200b}' | '\u{feff}' => {}
            _ if next.is_whitespace() => {}
            _ => break,
        }
        joint.end += next.len_utf8();
    }
    Ok(joint)
}
