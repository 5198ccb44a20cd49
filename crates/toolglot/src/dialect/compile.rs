//! Compiles the text of a pattern: the part before its body, the body, and the closers.

use std::ops::Range;

use super::error::ValueFault;
use super::hole::{Holder, PatternKey};
use super::pattern::{BodyHole, BodyKind, HeadPart, Hole, Inside, Literal, Pattern, Spelling, SpellingPart, each_once};
use super::spell::KnownLiterals;
use super::token::{PatternToken, PatternTokenKind, tokens};

/// The facts about the rest of the file that a pattern needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternContext<'a> {
    pub(super) words: &'a [(String, Vec<String>)],
    pub(super) special: &'a [String],
    pub(super) known: &'a KnownLiterals,
    /// Whether ids contain the tool's name.
    pub(super) id_has_name: bool,
    /// Whether every parameter starts with a literal, so that one ends the value before it.
    pub(super) params_open: bool,
}

/// Compiles and checks one pattern.
pub(super) fn compile(source: &str, role: PatternKey, setting: PatternContext<'_>) -> Result<Pattern, ValueFault> {
    let tokens = tokens(source, role, setting.words)?;
    let place =
        tokens.iter().position(|token| matches!(token.kind, PatternTokenKind::Body(..))).unwrap_or(tokens.len());
    let (before, rest) = tokens.split_at(place);
    let head = before.iter().filter_map(|token| node(token, setting).transpose()).collect::<Result<Vec<_>, _>>()?;
    let body = body(&tokens, place)?;
    let tail =
        rest.iter().skip(1).filter_map(|token| closer(token, setting).transpose()).collect::<Result<Vec<_>, _>>()?;
    let mut pattern = Pattern { source: source.to_owned().into(), head, body, tail };
    needs(&pattern, role, setting)?;
    ends(&pattern, &tokens, setting)?;
    if role == PatternKey::Section {
        pattern.tail = bracket_apart(&pattern.head, pattern.tail);
    }
    if matches!(role, PatternKey::Section | PatternKey::Call) {
        pattern.tail = pattern.tail.into_iter().flat_map(markers_apart).collect();
    }
    Ok(pattern)
}

fn node(token: &PatternToken, setting: PatternContext<'_>) -> Result<Option<HeadPart>, ValueFault> {
    Ok(match &token.kind {
        PatternTokenKind::Literal(pieces) => {
            Some(HeadPart::Literal(setting.known.literal(pieces, &token.at, setting.words, setting.special)?))
        }
        PatternTokenKind::Hole(hole) => Some(HeadPart::Hole(*hole)),
        PatternTokenKind::Attributes(attributes) => Some(HeadPart::Attributes(attributes.clone())),
        PatternTokenKind::Blank(_) | PatternTokenKind::Body(..) => None,
    })
}

fn closer(token: &PatternToken, setting: PatternContext<'_>) -> Result<Option<Literal>, ValueFault> {
    match node(token, setting)? {
        Some(HeadPart::Literal(literal)) => Ok(Some(literal)),
        None if matches!(token.kind, PatternTokenKind::Blank(_)) => Ok(None),
        _ => {
            let fault = ValueFault::new(token.at.clone(), "a hole after the one that carries the data");
            Err(fault.help("only literals can follow it"))
        }
    }
}

fn body(tokens: &[PatternToken], place: usize) -> Result<Option<BodyHole>, ValueFault> {
    let Some(PatternToken { kind: PatternTokenKind::Body(kind, options), at }) = tokens.get(place) else {
        return Ok(None);
    };
    let has = |name: &str| options.iter().any(|option| option == name);
    let insides = [("opaque", Inside::Opaque), ("calls", Inside::Calls)];
    let chosen: Vec<Inside> = insides.into_iter().filter(|inside| has(inside.0)).map(|inside| inside.1).collect();
    if chosen.len() > 1 {
        return Err(ValueFault::new(at.clone(), "conflicting options").help("choose one of opaque and calls"));
    }
    let is_value = matches!(kind, BodyKind::Value | BodyKind::Tree | BodyKind::Text | BodyKind::Content);
    let is_line = |token: Option<&PatternToken>| {
        is_value && token.is_some_and(|token| matches!(&token.kind, PatternTokenKind::Blank(text) if text == "\n"))
    };
    Ok(Some(BodyHole {
        kind: *kind,
        trim: has("trim"),
        cdata: has("cdata"),
        entities: has("entities"),
        inside: chosen.first().copied().unwrap_or_default(),
        line_before: is_line(tokens[..place].last()),
        line_after: is_line(tokens.get(place + 1)),
    }))
}

/// Checks that a pattern has the holes that its role needs.
fn needs(pattern: &Pattern, role: PatternKey, setting: PatternContext<'_>) -> Result<(), ValueFault> {
    let (source, kind) = (&pattern.source, pattern.kind());
    let id_names = setting.id_has_name && pattern.reads(Hole::Id);
    let names = id_names || pattern.reads(Hole::Name) || kind == Some(BodyKind::Call);
    let bare = |what: &str, such_as: &str| {
        let fault = ValueFault::new(0..source.len(), format!("nothing opens this {what}"));
        fault.help(format!("start the pattern with a literal{such_as}"))
    };
    let missing = match role {
        PatternKey::Section if kind.is_none() => "{calls}",
        PatternKey::Reasoning | PatternKey::Content if kind.is_none() => "{text}",
        PatternKey::Param if !pattern.reads(Hole::Key) => "{key}",
        PatternKey::Param if kind.is_none() => "{value}",
        PatternKey::Call if !names => "{name}",
        PatternKey::Call | PatternKey::Section => return Ok(()),
        _ if pattern.opening().is_some() => return Ok(()),
        PatternKey::Param => return Err(bare("parameter", ", such as the separator before it: `;{key}={value}`")),
        _ => return Err(bare("region", "")),
    };
    let fault = ValueFault::new(0..source.len(), format!("missing `{missing}` in `{}`", role.key()));
    Err(match missing {
        "{value}" => fault.help("add `{value}`, or `{tree}` for values that contain elements"),
        "{name}" => fault.help("add `{name}`, `{call}`, or `{id}` with an `id` that contains `{name}`"),
        "{key}" => fault.help("add `{key}` for the parameter's name, before its value"),
        _ => fault.help(format!("add `{missing}` where it belongs")),
    })
}

/// Checks that every hole has an end: a literal, the end of its line, or a body that is recognised by its first byte. There
/// is no token for a body that ends before the next parameter.
fn ends(pattern: &Pattern, tokens: &[PatternToken], setting: PatternContext<'_>) -> Result<(), ValueFault> {
    let body_ends = match pattern.kind() {
        Some(BodyKind::Arguments | BodyKind::Call | BodyKind::Object) => true,
        Some(BodyKind::Params) => setting.params_open,
        _ => false,
    };
    let mut nodes = pattern.head.iter();
    for (index, token) in
        tokens.iter().enumerate().filter(|(_, token)| !matches!(token.kind, PatternTokenKind::Blank(_)))
    {
        let Some(HeadPart::Hole(hole)) = nodes.next() else { continue };
        let line_ends = matches!(tokens.get(index + 1), Some(PatternToken { kind: PatternTokenKind::Blank(blank), .. }) if blank.contains('\n'));
        let next = nodes.clone().find(|node| !matches!(node, HeadPart::Literal(literal) if literal.is_optional()));
        if !line_ends && next.map_or(!body_ends, |next| matches!(next, HeadPart::Hole(_))) {
            return Err(endless(Holder::Head(*hole), token.at.clone()));
        }
    }
    let separated = pattern.is_separated() && pattern.opening().is_some_and(|first| !first.is_optional());
    let open = !separated && pattern.tail.iter().all(Literal::is_optional);
    let token = tokens.iter().find(|token| matches!(token.kind, PatternTokenKind::Body(..))).filter(|_| open);
    match (pattern.kind(), token) {
        (None | Some(BodyKind::Arguments | BodyKind::Call | BodyKind::Calls | BodyKind::Object), _) => Ok(()),
        (Some(kind), Some(token)) => Err(endless(Holder::Body(kind), token.at.clone())),
        (Some(_), None) => Ok(()),
    }
}

fn endless(holder: Holder, at: Range<usize>) -> ValueFault {
    ValueFault::new(at, format!("`{{{}}}` has no end", holder.name())).help("add a literal after it")
}

/// Splits `]` off a section's closer if the head ends with `[`, so that the bracket can close alone.
fn bracket_apart(head: &[HeadPart], tail: Vec<Literal>) -> Vec<Literal> {
    let opened = head.last().and_then(HeadPart::literal).is_some_and(|open| open.ends_with('['));
    let Some((closer, after)) = tail.split_first().filter(|_| opened) else { return tail };
    let rests: Option<Vec<&[SpellingPart]>> = closer.spellings.iter().map(after_bracket).collect();
    let Some(rests) = rests.filter(|rests| rests.iter().any(|rest| !rest.is_empty())) else { return tail };
    let bracket = Literal { spellings: [Spelling::new(vec![SpellingPart::Text("]".into())])].into_iter().collect() };
    let rest = Literal { spellings: rests.into_iter().map(|parts| Spelling::new(parts.to_vec())).collect() };
    [bracket, rest].into_iter().chain(after.iter().cloned()).collect()
}

fn after_bracket(spelling: &Spelling) -> Option<&[SpellingPart]> {
    match spelling.parts.split_first() {
        Some((SpellingPart::Text(text), [])) if text == "]" => Some(&[]),
        Some((SpellingPart::Text(text), [SpellingPart::Joint, rest @ ..])) if text == "]" => Some(rest),
        _ => None,
    }
}

/// Splits a closer of several markers, such as `</a><|b|>`, so that each of them can be wrong or missing by itself.
fn markers_apart(closer: Literal) -> Vec<Literal> {
    if !closer.spellings.iter().any(|spelling| (0..spelling.parts.len()).any(|number| parts_markers(spelling, number)))
    {
        return vec![closer];
    }
    let mut markers: Vec<Literal> = Vec::new();
    let spelled: Vec<Vec<Spelling>> = closer.spellings.iter().map(markers_of).collect();
    for number in 0..spelled.iter().map(Vec::len).max().unwrap_or_default() {
        let spelling = |markers: &Vec<Spelling>| markers.get(number).cloned().unwrap_or(Spelling::new(Vec::new()));
        markers.push(Literal { spellings: each_once(spelled.iter().map(spelling)).into_iter().collect() });
    }
    markers
}

/// Splits a spelling between the end of a marker and the beginning of a tag.
fn markers_of(spelling: &Spelling) -> Vec<Spelling> {
    let mut markers = vec![Vec::new()];
    for (number, part) in spelling.parts.iter().enumerate() {
        match markers.last_mut() {
            _ if parts_markers(spelling, number) => markers.push(Vec::new()),
            Some(last) => last.push(part.clone()),
            None => {}
        }
    }
    markers.into_iter().map(Spelling::new).collect()
}

/// Returns whether a part of a spelling is the joint between the end of a marker and a tag.
fn parts_markers(spelling: &Spelling, number: usize) -> bool {
    let text = |at: usize| spelling.parts.get(at).and_then(SpellingPart::text).unwrap_or_default();
    let ended = || number > 0 && text(number - 1).ends_with(['>', ')', ']', '}', '`']);
    spelling.parts[number] == SpellingPart::Joint && ended() && text(number + 1).starts_with('<')
}
