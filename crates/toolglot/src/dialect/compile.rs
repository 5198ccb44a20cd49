//! Compiles the text of a pattern: what stands before its body, the body, and what closes it.

use std::ops::Range;

use super::error::Fault;
use super::hole::{Holder, Role};
use super::pattern::{Body, BodyKind, Hole, Inside, Literal, Node, Part, Pattern, Spelling};
use super::spell::literal;
use super::token::{Kind, Token, tokens};

/// What a pattern needs to know of the rest of its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting<'a> {
    pub(super) words: &'a [(String, Vec<String>)],
    pub(super) special: &'a [String],
    /// Whether ids carry the tool's name.
    pub(super) id_has_name: bool,
    /// Whether every parameter starts with a literal, so that one ends what stands before it.
    pub(super) params_open: bool,
}

/// Compiles and checks one pattern.
pub(super) fn compile(source: &str, role: Role, setting: Setting<'_>) -> Result<Pattern, Fault> {
    let tokens = tokens(source, role, setting.words)?;
    let place = tokens.iter().position(|token| matches!(token.kind, Kind::Body(..))).unwrap_or(tokens.len());
    let (before, rest) = tokens.split_at(place);
    let head = before.iter().filter_map(|token| node(token, setting).transpose()).collect::<Result<Vec<_>, _>>()?;
    let body = rest.split_first().map(|(token, after)| body(token, before.last(), after.first())).transpose()?;
    let tail =
        rest.iter().skip(1).filter_map(|token| closer(token, setting).transpose()).collect::<Result<Vec<_>, _>>()?;
    needs(source, role, setting, &head, body.as_ref())?;
    ends(&head, before, body.as_ref(), rest.first(), &tail, setting)?;
    let tail = match role {
        Role::Section => bracket_apart(&head, tail).into_iter().flat_map(markers_apart).collect(),
        Role::Call => tail.into_iter().flat_map(markers_apart).collect(),
        _ => tail,
    };
    Ok(Pattern { source: source.to_owned(), head, body, tail })
}

fn node(token: &Token, setting: Setting<'_>) -> Result<Option<Node>, Fault> {
    Ok(match &token.kind {
        Kind::Literal(pieces) => Some(Node::Literal(literal(pieces, &token.at, setting.words, setting.special)?)),
        Kind::Hole(hole) => Some(Node::Hole(*hole)),
        Kind::Attributes(attributes) => Some(Node::Attributes(attributes.clone())),
        Kind::Blank(_) | Kind::Body(..) => None,
    })
}

fn closer(token: &Token, setting: Setting<'_>) -> Result<Option<Literal>, Fault> {
    match node(token, setting)? {
        Some(Node::Literal(literal)) => Ok(Some(literal)),
        None if matches!(token.kind, Kind::Blank(_)) => Ok(None),
        _ => {
            let fault = Fault::new(token.at.clone(), "a hole after the one that carries the data");
            Err(fault.help("only literals may follow it"))
        }
    }
}

fn body(token: &Token, before: Option<&Token>, after: Option<&Token>) -> Result<Body, Fault> {
    let Kind::Body(kind, options) = &token.kind else {
        return Err(Fault::new(token.at.clone(), "not a hole that carries data"));
    };
    let has = |name: &str| options.iter().any(|option| option == name);
    let insides = [("end", Inside::End), ("opaque", Inside::Opaque), ("calls", Inside::Calls)];
    let chosen: Vec<Inside> = insides.into_iter().filter(|inside| has(inside.0)).map(|inside| inside.1).collect();
    if chosen.len() > 1 {
        return Err(
            Fault::new(token.at.clone(), "options that exclude each other").help("choose one of end, opaque, calls")
        );
    }
    let is_value = matches!(kind, BodyKind::Value | BodyKind::Tree | BodyKind::Text);
    let is_line = |token: Option<&Token>| {
        is_value && token.is_some_and(|token| matches!(&token.kind, Kind::Blank(text) if text == "\n"))
    };
    Ok(Body {
        kind: *kind,
        trim: has("trim"),
        cdata: has("cdata"),
        entities: has("entities"),
        inside: chosen.first().copied().unwrap_or_default(),
        line_before: is_line(before),
        line_after: is_line(after),
    })
}

/// Checks that a pattern carries what its role needs.
fn needs(source: &str, role: Role, setting: Setting<'_>, head: &[Node], body: Option<&Body>) -> Result<(), Fault> {
    let kind = body.map(|body| body.kind);
    let missing = match role {
        Role::Section if kind.is_none() => "{calls}",
        Role::Reasoning | Role::Content if kind.is_none() => "{text}",
        Role::Param if !reads(head, Hole::Key) => "{key}",
        Role::Param if kind.is_none() => "{value}",
        Role::Call if !names(head, kind, setting.id_has_name) => "{name}",
        Role::Reasoning | Role::Content if !matches!(head.first(), Some(Node::Literal(_))) => {
            let fault = Fault::new(0..source.len(), "nothing opens this region");
            return Err(fault.help("start the pattern with a literal"));
        }
        _ => return Ok(()),
    };
    let fault = Fault::new(0..source.len(), format!("`{missing}` is missing in `{}`", role.key()));
    Err(match missing {
        "{value}" => fault.help("write `{value}`, or `{tree}` for values with elements inside"),
        "{name}" => fault.help("write `{name}`, `{call}`, or `{id}` with an `id` that carries `{name}`"),
        "{key}" => fault.help("write `{key}` where the parameter's name stands, before its value"),
        _ => fault.help(format!("write `{missing}` where it is to be read")),
    })
}

/// Says whether a hole stands in a head, alone or as an attribute.
pub(super) fn reads(head: &[Node], hole: Hole) -> bool {
    head.iter().any(|node| match node {
        Node::Hole(other) => *other == hole,
        Node::Attributes(attributes) => attributes.named.iter().any(|attribute| attribute.1 == hole),
        Node::Literal(_) => false,
    })
}

fn names(head: &[Node], kind: Option<BodyKind>, id_has_name: bool) -> bool {
    reads(head, Hole::Name) || kind == Some(BodyKind::Call) || id_has_name && reads(head, Hole::Id)
}

/// Checks that every hole has an end: a literal, the end of its line, or a body that is told by its first byte.
fn ends(
    head: &[Node],
    before: &[Token],
    body: Option<&Body>,
    token: Option<&Token>,
    tail: &[Literal],
    setting: Setting<'_>,
) -> Result<(), Fault> {
    let body_ends = body.is_some_and(|body| has_first_byte(body.kind, setting));
    let mut nodes = head.iter();
    for (index, token) in before.iter().enumerate().filter(|(_, token)| !matches!(token.kind, Kind::Blank(_))) {
        let Some(Node::Hole(hole)) = nodes.next() else { continue };
        let line_ends =
            matches!(before.get(index + 1), Some(Token { kind: Kind::Blank(blank), .. }) if blank.contains('\n'));
        let next = nodes.clone().find(|node| !matches!(node, Node::Literal(literal) if literal.is_optional()));
        if !line_ends && next.map_or(!body_ends, |next| matches!(next, Node::Hole(_))) {
            return Err(endless(Holder::Head(*hole), token.at.clone()));
        }
    }
    match (body, token) {
        (Some(body), Some(token)) if needs_closer(body.kind) && tail.iter().all(Literal::is_optional) => {
            Err(endless(Holder::Body(body.kind), token.at.clone()))
        }
        _ => Ok(()),
    }
}

fn has_first_byte(kind: BodyKind, setting: Setting<'_>) -> bool {
    match kind {
        BodyKind::Arguments | BodyKind::Call | BodyKind::Object => true,
        BodyKind::Params => setting.params_open,
        _ => false,
    }
}

fn needs_closer(kind: BodyKind) -> bool {
    !matches!(kind, BodyKind::Arguments | BodyKind::Call | BodyKind::Calls | BodyKind::Object)
}

fn endless(holder: Holder, at: Range<usize>) -> Fault {
    Fault::new(at, format!("`{{{}}}` has no end", holder.name())).help("write a literal after it")
}

/// Splits `]` off a section's closer if the head ends with `[`, so that the bracket may close alone.
fn bracket_apart(head: &[Node], tail: Vec<Literal>) -> Vec<Literal> {
    let opened = matches!(head.last(), Some(Node::Literal(open)) if open.ends_with('['));
    let Some((closer, after)) = tail.split_first().filter(|_| opened) else { return tail };
    let rests: Option<Vec<&[Part]>> = closer.spellings.iter().map(after_bracket).collect();
    let Some(rests) = rests.filter(|rests| rests.iter().any(|rest| !rest.is_empty())) else { return tail };
    let bracket = Literal { spellings: vec![Spelling::new(vec![Part::Text("]".to_owned())])] };
    let rest = Literal { spellings: rests.into_iter().map(|parts| Spelling::new(parts.to_vec())).collect() };
    [bracket, rest].into_iter().chain(after.iter().cloned()).collect()
}

fn after_bracket(spelling: &Spelling) -> Option<&[Part]> {
    match spelling.parts.split_first() {
        Some((Part::Text(text), [])) if text == "]" => Some(&[]),
        Some((Part::Text(text), [Part::Joint, rest @ ..])) if text == "]" => Some(rest),
        _ => None,
    }
}

/// Splits a closer of several markers, such as `</a><|b|>`, so that each of them may be wrong or missing by itself.
fn markers_apart(closer: Literal) -> Vec<Literal> {
    let mut markers: Vec<Literal> = Vec::new();
    let spelled: Vec<Vec<Spelling>> = closer.spellings.iter().map(markers_of).collect();
    for number in 0..spelled.iter().map(Vec::len).max().unwrap_or_default() {
        let mut spellings: Vec<Spelling> = Vec::new();
        for markers in &spelled {
            let spelling = markers.get(number).cloned().unwrap_or_else(|| Spelling::new(Vec::new()));
            if !spellings.contains(&spelling) {
                spellings.push(spelling);
            }
        }
        markers.push(Literal { spellings });
    }
    markers
}

/// Splits a spelling where a marker ends and a tag begins.
fn markers_of(spelling: &Spelling) -> Vec<Spelling> {
    let mut markers = vec![Vec::new()];
    for (number, part) in spelling.parts.iter().enumerate() {
        let text = |at: usize| spelling.parts.get(at).and_then(Part::text).unwrap_or_default();
        let ended = number > 0 && text(number - 1).ends_with(['>', ')', ']', '}', '`']);
        match markers.last_mut() {
            _ if *part == Part::Joint && ended && text(number + 1).starts_with('<') => {
                markers.push(Vec::new());
            }
            Some(last) => last.push(part.clone()),
            None => {}
        }
    }
    markers.into_iter().map(Spelling::new).collect()
}
