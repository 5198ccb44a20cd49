//! What the oracles know of a dialect is learned from what it writes.

use std::ops::Range;
use std::sync::Arc;

use toolglot::{Dialect, Dialects, Renderer, Rendering, Tools};

use super::home::{Home, StringStyle};
use super::message::{Calling, Meant, Member};
use super::writing::{self, Escaping, Style, Written};
use super::{code, variant};
use crate::random::Random;

/// Returns the built-in dialects of these names, or all.
pub(super) fn all(names: &[String], variants: bool) -> Result<Vec<Home>, String> {
    let builtin = Dialects::builtin();
    if let Some(name) = names.iter().find(|name| builtin.get(name).is_none()) {
        return Err(format!("unknown dialect `{name}`"));
    }
    let chosen: Vec<&str> = names.iter().filter_map(|name| builtin.get(name)).map(|it| it.name()).collect();
    let known = |it: &Arc<Dialect>| names.is_empty() || chosen.contains(&it.name());
    let mut homes = Vec::new();
    for (number, dialect) in builtin.iter().enumerate().filter(|(_, it)| known(it)) {
        homes.extend(Home::new(number, dialect, dialect, dialect.name()));
        if variants {
            let others = variant::all(dialect).into_iter();
            homes.extend(others.filter_map(|(name, other)| Home::new(number, dialect, &other, &name)));
        }
    }
    Ok(homes)
}

impl Home {
    /// Returns a dialect as another file with its patterns writes it, unless that cannot write calls.
    fn new(number: usize, dialect: &Arc<Dialect>, writer: &Arc<Dialect>, name: &str) -> Option<Self> {
        let renderer = Renderer::new(writer, &Tools::default()).with_check(false);
        let message = Rendering::new().with_call("note", r#"{"zqk": "zqv"}"#);
        let text = renderer.render(&message).ok()?;
        let kind = match text {
            _ if text.contains(r#"{"zqk": "zqv"}"#) => StringStyle::Json,
            _ if text.contains("zqk=\"zqv\"") => StringStyle::Python,
            _ => StringStyle::Raw,
        };
        let mut markers = code::markers(number);
        markers.extend(dialect.special().iter().cloned());
        let mut home = Self {
            name: name.to_owned(),
            kind,
            body: body(writer.source()),
            alone: [Arc::clone(dialect)].into_iter().collect(),
            renderer,
            markers,
            opener: String::new(),
            closer: String::new(),
            head: String::new(),
            end: String::new(),
            frame: frame(writer).unwrap_or_default(),
            guarded: false,
        };
        home.learn(dialect.special(), &first_literal(writer.source()))?;
        Some(home)
    }

    /// Learns from two calls what begins and ends them, and what stands around their values.
    fn learn(&mut self, special: &[String], begins: &str) -> Option<()> {
        let member = Member { key: "zzkey", value: "zzvalue".into(), code: true, named: true };
        let call = Calling { name: "zzname", members: vec![member.clone(), member] };
        let meant = Meant { calls: vec![call.clone(), call], ..Meant::default() };
        let style = Style::any(&mut Random::new(0), Escaping::All);
        let written = writing::write(self, &meant, style, &mut Random::new(0))?;
        let text = written.text.as_str();
        let between = text.get(written.arguments[0].end..written.names[1]).filter(|_| !written.parts.is_empty())?;
        let opener = opener(&text[..written.names[0]], between);
        // The last token of what stands before may be the same before both.
        let opener = &opener[opener.find(begins).unwrap_or_default()..];
        opener.clone_into(&mut self.opener);
        self.guarded = opener.contains('<') || special.iter().any(|token| opener.contains(token.as_str()));
        let part = |c: char| c.is_whitespace() || c == ',' || c == ';';
        let closer = between[..between.len() - opener.len()].trim_end_matches(part);
        // What leads to a further call does not end the last.
        common(closer, &text[written.arguments[1].end..]).trim_end_matches(part).clone_into(&mut self.closer);
        if self.kind == StringStyle::Raw {
            self.learn_values(&written);
        }
        Some(())
    }

    /// Learns from two parameters what stands around a raw value.
    fn learn_values(&mut self, written: &Written) {
        let [key, value, next, _] = [0, 1, 2, 3].map(|part| written.parts[part].span.clone());
        let text = |span: Range<usize>| &written.text[span];
        let between = text(value.end..next.start);
        let head = opener(text(0..key.start), between);
        let end = between[..between.len() - head.len()].trim().trim_end_matches(',');
        (self.head, self.end) = (head.to_owned(), end.to_owned());
        let around = [self.head.as_str(), text(key.end..value.start).trim(), end].map(str::to_owned);
        self.markers.extend(around.into_iter().filter(|it| it.len() > 2 && !it.contains("zzkey")));
    }
}

/// Returns what a dialect writes around a value that begins with a line break, if it is more than around others.
fn frame(writer: &Arc<Dialect>) -> Option<[String; 2]> {
    let renderer = Renderer::new(writer, &Tools::default()).with_check(false);
    let write =
        |value: &str| renderer.render(&Rendering::new().with_call("note", &format!("{{\"zqk\": \"{value}\"}}"))).ok();
    let (bare, broken) = (write("zqv")?, write("\\nzqv")?);
    let parts = |text: &str, value: &str| text.split_once(value).map(|(a, b)| (a.to_owned(), b.to_owned()));
    let ((before, after), (opened, closed)) = (parts(&bare, "zqv")?, parts(&broken, "\nzqv")?);
    Some([opened.strip_prefix(&before)?.to_owned(), closed.strip_suffix(&after)?.to_owned()])
}

/// Returns how far two texts are the same.
fn common<'t>(one: &'t str, other: &str) -> &'t str {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    &one[..one.floor_char_boundary(same)]
}

/// Returns what stands before the name of a call and belongs to it: how far back the first and the second are alike,
/// their numbers apart.
fn opener<'t>(first: &str, second: &'t str) -> &'t str {
    let alike = |(a, b): &(u8, u8)| a == b || (a.is_ascii_digit() && b.is_ascii_digit());
    let same = first.bytes().rev().zip(second.bytes().rev()).take_while(alike).count();
    let mut same = &second[second.ceil_char_boundary(second.len() - same)..];
    // The end of a tag or of a token belongs to what stood before.
    let before = &second[..second.len() - same.len()];
    let amid = before.rfind('<') > before.rfind('>');
    if let Some(end) = same.find('>').filter(|end| amid && !same[..*end].contains('<')) {
        same = &same[end + 1..];
    }
    same.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ';')
}

/// Returns the first lines of a file that say how it writes calls.
fn calls(source: &str) -> String {
    let calls = source.lines().skip_while(|line| !line.starts_with("call ") && !line.starts_with("call="));
    calls.take(3).collect()
}

/// Returns what a file's first call begins with, up to the first hole or escaped character.
fn first_literal(source: &str) -> String {
    let text = calls(source);
    let literal = text.split('"').nth(1).unwrap_or_default();
    literal.split(['{', '\\']).next().unwrap_or_default().to_owned()
}

/// Returns the hole of a file's first call that reads arguments.
fn body(source: &str) -> String {
    let text = calls(source);
    let holes = ["{params}", "{kwargs}", "{arguments}", "{call}", "{object}", "{lines}", "{content}"];
    let first = holes.iter().filter_map(|hole| text.find(hole).map(|at| (at, *hole))).min();
    let hole = first.map_or("?", |(_, hole)| hole).trim_matches(['{', '}']);
    let tree = hole == "params" && source.contains("{tree");
    if tree { "tree" } else { hole }.to_owned()
}
