//! Writes the holes of a call: its name, its id, and its arguments in the dialect's body.

use super::json_tokens::{JsonToken, TokenBracket};
use super::style::Style;
use super::template::{escape, fill};
use super::{ReadCall, RenderError, tree};
use crate::dialect::{BodyHole, BodyKind, Dialect, Holder, Hole};
use crate::json::{is_bare_key, write_string};
use crate::parser::is_name;

/// Writes one hole of a call's pattern.
pub(super) fn hole(call: &ReadCall<'_>, holder: Holder, out: &mut String) -> Result<(), RenderError> {
    match holder {
        Holder::Head(Hole::Name | Hole::Ignored) => out.push_str(call.name),
        Holder::Head(Hole::Id) => out.push_str(&id(call)),
        Holder::Head(Hole::Index) => out.push_str(&(call.number + 1).to_string()),
        Holder::Body(BodyKind::Arguments) => return value(call, call.arguments.tokens(), Style::Json, out),
        Holder::Body(BodyKind::Object) => {
            let style = Style::Relaxed(call.dialect.quote.as_deref().unwrap_or("\""));
            return value(call, call.arguments.tokens(), style, out);
        }
        Holder::Body(BodyKind::Call) => return object(call, out),
        Holder::Body(BodyKind::Kwargs) => return kwargs(call, out),
        Holder::Body(BodyKind::Params) => return call.arguments.members().try_for_each(|it| param(call, it, out)),
        Holder::Body(BodyKind::Lines) => return lines(call, out),
        Holder::Body(BodyKind::Content) => {
            return Err(call.inexpressible("the dialect has no place for arguments"));
        }
        _ => {}
    }
    Ok(())
}

impl ReadCall<'_> {
    /// Returns the error that the dialect cannot express the call.
    pub(super) fn inexpressible(&self, why: impl Into<String>) -> RenderError {
        self.dialect.inexpressible(format!("call {}", self.number + 1), why)
    }

    /// Returns the error that the dialect cannot express a parameter.
    pub(super) fn inexpressible_parameter(&self, key: &str, why: impl Into<String>) -> RenderError {
        self.dialect.inexpressible(format!("parameter `{key}` of call {}", self.number + 1), why)
    }
}

/// Returns the id as the dialect writes it: the given one if it matches, otherwise one made from name and index.
fn id(call: &ReadCall<'_>) -> String {
    let given = call.id.filter(|id| !id.is_empty() && id.trim() == *id && !id.contains('\n'));
    let Some(pattern) = &call.dialect.id else {
        return given.map_or_else(|| call.number.to_string(), str::to_owned);
    };
    let head = [pattern.before.as_str(), call.name, &pattern.between].concat();
    let follows = |id: &&str| {
        id.strip_prefix(&head)
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    given.filter(follows).map_or_else(|| format!("{head}{}", call.number), str::to_owned)
}

fn value(call: &ReadCall<'_>, tokens: &[JsonToken<'_>], style: Style<'_>, out: &mut String) -> Result<(), RenderError> {
    style.write(tokens, out).map_err(|why| call.inexpressible(why))
}

/// Writes the JSON object that carries name and arguments, and the id if the dialect's file names its member.
fn object(call: &ReadCall<'_>, out: &mut String) -> Result<(), RenderError> {
    let members = &call.dialect.members;
    let member = |names: &[String], text: &str, out: &mut String| {
        write_string(names.first().map_or("", String::as_str), out);
        out.push_str(": ");
        write_string(text, out);
        out.push_str(", ");
    };
    out.push('{');
    if members.writes_id {
        member(&members.id, &id(call), out);
    }
    member(&members.name, call.name, out);
    write_string(members.arguments.first().map_or("", String::as_str), out);
    out.push_str(": ");
    value(call, call.arguments.tokens(), Style::Json, out)?;
    out.push('}');
    Ok(())
}

fn kwargs(call: &ReadCall<'_>, out: &mut String) -> Result<(), RenderError> {
    for (number, (key, tokens)) in call.arguments.members().enumerate() {
        if !is_name(key) {
            return Err(call.inexpressible_parameter(key, "its name is not a valid keyword"));
        }
        out.extend([if number == 0 { "" } else { ", " }, key, "="]);
        value(call, tokens, Style::Python, out)?;
    }
    Ok(())
}

/// Writes lines of `key: value`: text that could be read as more or less than itself in quotes.
fn lines(call: &ReadCall<'_>, out: &mut String) -> Result<(), RenderError> {
    for (key, tokens) in call.arguments.members() {
        if !is_bare_key(key) {
            return Err(call.inexpressible_parameter(key, "its name is not a valid key"));
        }
        out.extend([key, ": "]);
        match tokens {
            [JsonToken::Text(text)] if is_plain(text) => out.push_str(text),
            _ => value(call, tokens, Style::Json, out)?,
        }
        out.push('\n');
    }
    Ok(())
}

fn is_plain(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.trim() == text && !text.contains(['\n', '\r'])
}

/// Writes a parameter with the first pattern, but the first parameter with the last where the first only separates.
fn param(call: &ReadCall<'_>, member: (&str, &[JsonToken<'_>]), out: &mut String) -> Result<(), RenderError> {
    let ((key, tokens), dialect) = (member, call.dialect);
    let separates = dialect.calls.first().is_some_and(|call| call.source.contains("{params:between}"));
    let is_first = call.arguments.members().next().is_some_and(|(first, _)| first == key);
    let pattern = if separates && is_first { dialect.params.last() } else { dialect.params.first() };
    let Some(pattern) = pattern else { return Ok(()) };
    let legal = if pattern.has_key_tag() { is_name(key) } else { key.trim() == key && !key.contains('\n') };
    if !legal || key.is_empty() {
        return Err(call.inexpressible_parameter(key, "its name is not valid in this place of the dialect"));
    }
    fill(dialect, pattern, out, |holder, out| {
        match (holder, &pattern.body) {
            (Holder::Head(Hole::Key), _) => out.push_str(key),
            (Holder::Head(Hole::Type), _) => out.push_str(type_word(dialect, tokens)),
            (Holder::Body(BodyKind::Tree), _) if tree::fits(pattern, tokens) => {
                return tree::write(dialect, pattern, tokens, out);
            }
            (Holder::Body(_), Some(body)) => return raw(call, member, body, out),
            _ => {}
        }
        Ok(())
    })
}

/// Returns what `{type}` says of a value.
fn type_word<'d>(dialect: &'d Dialect, tokens: &[JsonToken<'_>]) -> &'d str {
    let name = match tokens.first() {
        Some(JsonToken::Text(_)) => "string",
        Some(JsonToken::Open(TokenBracket::Array)) => "array",
        Some(JsonToken::Open(TokenBracket::Object)) => "object",
        Some(JsonToken::Number(number)) if number.contains(['.', 'e', 'E']) => "number",
        Some(JsonToken::Number(_)) => "integer",
        Some(JsonToken::Word("null")) | None => "null",
        Some(_) => "boolean",
    };
    dialect.type_word(name)
}

/// Writes a value as bare text: a string as it is, anything else as JSON.
fn raw(
    call: &ReadCall<'_>,
    (key, tokens): (&str, &[JsonToken<'_>]),
    body: &BodyHole,
    out: &mut String,
) -> Result<(), RenderError> {
    let mut text = String::new();
    match tokens {
        [token] => text.push_str(token.bare()),
        _ => value(call, tokens, Style::Json, &mut text)?,
    }
    if body.cdata && needs_cdata(&text, body) {
        if text.contains("]]>") {
            return Err(call.inexpressible_parameter(key, "its value contains `]]>`, which ends it"));
        }
        out.extend(["<![CDATA[", &text, "]]>"]);
    } else if body.trim && text.starts_with(['\n', '\r']) {
        out.extend(["\n", &text, "\n"]);
    } else if body.entities {
        escape(&text, false, out);
    } else {
        out.push_str(&text);
    }
    Ok(())
}

/// Returns whether text must be wrapped: markup in it would be read as such.
fn needs_cdata(text: &str, body: &BodyHole) -> bool {
    let opens_tag = |pair: &[u8]| pair[0] == b'<' && (pair[1].is_ascii_lowercase() || matches!(pair[1], b'/' | b'!'));
    let markup = text.as_bytes().windows(2).any(opens_tag) || text.trim_start().starts_with('<');
    markup || body.trim && text.contains(['<', '&', '\n', '\r'])
}
