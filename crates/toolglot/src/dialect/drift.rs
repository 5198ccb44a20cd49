//! Common deviations in openers and in the closers of values: other case, a space before the bracket, or no bracket.

use super::pattern::{BodyHole, BodyKind, HeadPart, Literal, Pattern, Spelling, SpellingPart, each_once};

impl Pattern {
    /// Adds the common deviations of the pattern's first marker, if the marker is strong.
    pub(super) fn add_drift(&mut self) {
        // After a marker without its bracket must be what is no part of the marker's word.
        let json = |kind| matches!(kind, BodyKind::Call | BodyKind::Arguments | BodyKind::Object);
        let apart = match self.head.get(1) {
            None => self.kind().is_some_and(json),
            Some(HeadPart::Literal(next)) => {
                next.spellings.first().is_some_and(|own| !own.opener().starts_with(char::is_alphanumeric))
            }
            Some(_) => false,
        };
        let Some(HeadPart::Literal(first)) = self.head.first_mut() else { return };
        add(first, |own| own.is_fixed() && own.is_strong_at_once(), |own| drifted(own, Some(apart)));
    }

    /// Adds the common deviations of the closer of the pattern's value.
    pub(super) fn add_closer_drift(&mut self) {
        let Some(closer) = self.tail.first_mut() else { return };
        let has_words = |own: &Spelling| !own.is_fixed() || own.bytes().any(|byte| byte.is_ascii_alphabetic());
        add(closer, |own| own.opener().starts_with('<') && has_words(own), drifted_closer);
    }
}

/// Returns a form of a dialect's first call that the dialect does not write, but that models used to JSON do: all
/// parameters as one object, or a JSON call without its opener, if its closer still marks it.
pub(super) fn unwritten(calls: &[Pattern]) -> Option<Pattern> {
    let own = calls.first()?;
    let is_open = || matches!(own.head.last(), Some(HeadPart::Literal(last)) if last.ends_with('{'));
    let has_json = |call: &Pattern| call.head == own.head && call.kind() == Some(BodyKind::Arguments);
    let is_strong = |open: &Literal| open.is_strong() && own.tail.first().is_some_and(Literal::is_closing_tag);
    match own.kind()? {
        BodyKind::Params if !own.opens_like_any_tag() && !is_open() && !calls.iter().any(has_json) => {
            let body = BodyHole { kind: BodyKind::Arguments, ..own.body.clone()? };
            let source = own.source.replacen("{params}", "{arguments}", 1).into();
            Some(Pattern { source, body: Some(body), ..own.clone() })
        }
        BodyKind::Call if own.head.len() == 1 && own.opening().is_some_and(is_strong) => {
            let source = own.source.find("{call}").map(|at| own.source[at..].to_owned().into())?;
            Some(Pattern { source, head: Vec::new(), ..own.clone() })
        }
        _ => None,
    }
}

/// Adds deviations of a literal's first spelling, if that is the same in every call.
fn add(literal: &mut Literal, drifts: impl Fn(&Spelling) -> bool, drifted: impl Fn(&Spelling) -> Vec<Spelling>) {
    let Some(own) = literal.spellings.first().filter(|own| drifts(own)) else { return };
    literal.spellings = each_once(literal.spellings.iter().cloned().chain(drifted(own))).into_iter().collect();
}

/// Returns the deviations of a value's closer.
pub(super) fn drifted_closer(own: &Spelling) -> Vec<Spelling> {
    let mut all = drifted(own, None);
    if let Some((SpellingPart::Text(last), before)) = own.parts.split_last()
        && let Some(word) = last.strip_suffix('>')
    {
        let text = |text: String| SpellingPart::Text(text.into());
        let open = |word: String| before.iter().cloned().chain((!word.is_empty()).then(|| text(word)));
        let blank = [SpellingPart::Joint, text(">".to_owned())];
        all.push(Spelling::new(open(format!("{word} ")).chain(blank).collect()));
        all.push(Spelling::new(open(word.to_owned()).collect()));
        if before.is_empty() {
            // A closer that repeats the key, as in `<parameter=path>a</parameter=path>`.
            all.push(Spelling::new(vec![text(format!("{word}=")), SpellingPart::Key, text(">".to_owned())]));
        }
    }
    all
}

/// Returns the deviations of the marker at the beginning of a spelling; without its bracket only in an opener, where its word
/// ends before that, or what follows is `apart` from it.
pub(super) fn drifted(own: &Spelling, apart: Option<bool>) -> Vec<Spelling> {
    let opener = own.opener();
    let (marker, rest) = opener.split_at(opener.find(['>', ']']).map_or(opener.len(), |at| at + 1));
    let text = |text: String| SpellingPart::Text(text.into());
    let first = |parts: &[SpellingPart]| Spelling::new(parts.iter().chain(&own.parts[1..]).cloned().collect());
    let cased = |case: fn(&str) -> String| match opener.contains(['>', ']']) {
        true => first(&[text(case(marker) + rest)]),
        false => Spelling::new(own.parts.iter().map(|part| in_case(part, case)).collect()),
    };
    let mut all = vec![cased(str::to_ascii_uppercase), cased(capitals)];
    if let Some(word) = marker.strip_suffix(['>', ']']).filter(|word| word.starts_with(['<', '['])) {
        // The blank keeps it apart from the opener itself, so that what follows that still tells candidates apart.
        let closed = text(marker[word.len()..].to_owned() + rest);
        all.push(first(&[text(format!("{word} ")), SpellingPart::Joint, closed]));
        let ends = !word.ends_with(char::is_alphanumeric) || !rest.is_empty() || own.parts.len() > 1;
        if word.starts_with('<') && apart.is_some_and(|apart| ends || apart) {
            all.push(first(&[text(word.to_owned() + rest)]));
        }
    }
    all
}

fn in_case(part: &SpellingPart, case: fn(&str) -> String) -> SpellingPart {
    match part {
        SpellingPart::Text(text) => SpellingPart::Text(case(text).into()),
        part => part.clone(),
    }
}

/// Returns a text with the first letter of each word in upper case.
fn capitals(text: &str) -> String {
    let mut begins = true;
    let next = |next: char| {
        let first = std::mem::replace(&mut begins, !next.is_alphanumeric());
        if first { next.to_ascii_uppercase() } else { next }
    };
    text.chars().map(next).collect()
}
