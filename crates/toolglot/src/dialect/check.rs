//! Checks across the parts of a dialect: nothing missing, nothing unused, nothing unreachable.

use super::Dialect;
use super::error::{DialectError, ValueFault};
use super::hole::PatternKey;
use super::pattern::{BodyKind, HeadPart, Hole, Pattern};
use super::spell::KnownLiterals;
use super::values::{TomlString, TomlTable};

/// Rejects a pattern that an earlier one of the same list makes unreachable.
pub(super) fn reached(earlier: &[Pattern], pattern: &Pattern, role: PatternKey) -> Result<(), ValueFault> {
    let Some(index) = earlier.iter().position(|other| covers(other, pattern)) else { return Ok(()) };
    let all = 0..pattern.source.len();
    let key = role.key();
    if earlier[index].source == pattern.source {
        return Err(ValueFault::new(all, format!("the same pattern twice in `{key}`")).help("remove one"));
    }
    let fault = ValueFault::new(
        all,
        format!("never reached: pattern {} of `{key}` opens the same way and reads the same", index + 1),
    );
    Err(fault.help("remove it; if only the closing markers differ, list them as a word"))
}

fn covers(earlier: &Pattern, later: &Pattern) -> bool {
    let covered = |(a, b): (&HeadPart, &HeadPart)| match (a, b) {
        (HeadPart::Literal(a), HeadPart::Literal(b)) => {
            b.spellings.iter().all(|spelling| a.spellings.contains(spelling))
        }
        _ => a == b,
    };
    earlier.kind() == later.kind()
        && earlier.head.len() == later.head.len()
        && earlier.head.iter().zip(&later.head).all(covered)
}

/// Checks that everything the patterns need is present, and everything present is used.
pub(super) fn uses(values: TomlTable<'_>, dialect: &Dialect, known: &KnownLiterals) -> Result<(), DialectError> {
    if dialect.calls.is_empty() {
        let help = "add `call = \"…\"` with the pattern of one call";
        return Err(values.file.error(0..0, "missing `call`", help));
    }
    let first = |kind| dialect.calls.iter().position(|call| call.kind() == Some(kind));
    let params = first(BodyKind::Params);
    if let (Some(call), true) = (params, dialect.params.is_empty()) {
        no_param(values, call)?;
    }
    let given = [
        ("param", params.is_some(), "`{params}` in `call`"),
        ("types", dialect.params.iter().any(|param| param.reads(Hole::Type)), "`{type}` in `param`"),
        ("quote", first(BodyKind::Object).is_some(), "`{object}` in `call`"),
        ("json", first(BodyKind::Call).is_some(), "`{call}` in `call`"),
        ("id", dialect.calls.iter().any(|call| call.reads(Hole::Id)), "`{id}` in `call`"),
        ("one", !dialect.sections.is_empty(), "`section`"),
    ];
    for (key, used, by) in given {
        if let Some(place) = values.key(key).filter(|_| !used) {
            return Err(values.file.error(
                place,
                format!("unused `{key}`"),
                format!("it belongs to {by}; add that, or remove the key"),
            ));
        }
    }
    opened(values, dialect)?;
    every_marker(values, dialect)?;
    every_word(values, known)
}

/// Rejects strong and weak markers that occur in no pattern.
fn every_marker(values: TomlTable<'_>, dialect: &Dialect) -> Result<(), DialectError> {
    let patterns = [&dialect.calls, &dialect.sections, &dialect.params, &dialect.reasoning, &dialect.content];
    let literals = patterns
        .into_iter()
        .flatten()
        .flat_map(|pattern| pattern.head.iter().filter_map(HeadPart::literal).chain(&pattern.tail));
    let texts: Vec<String> = literals
        .flat_map(|literal| &literal.spellings)
        .map(|spelling| spelling.plain())
        .chain(dialect.skip.iter().chain(&dialect.turn_end).cloned())
        .collect();
    for key in ["strong", "weak"] {
        let unused = values.texts(key)?.into_iter().find(|marker| !texts.iter().any(|text| text.contains(marker.text)));
        if let Some(marker) = unused {
            let message = format!("no pattern contains the {key} marker `{}`", marker.text);
            return Err(values.file.error(marker.span, message, "write it exactly as in a pattern"));
        }
    }
    Ok(())
}

fn no_param(values: TomlTable<'_>, call: usize) -> Result<(), DialectError> {
    let calls = values.texts("call")?;
    let Some(text) = calls.get(call) else { return Ok(()) };
    let start = text.text.rfind("{params}").unwrap_or_default();
    let fault = ValueFault::new(start..start + "{params}".len(), "`{params}` needs `param`");
    Err(values.file.error_in(text, fault.help("add `param = \"…\"` with the pattern of one parameter")))
}

/// Rejects calls that start with a hole other than the name if no section precedes them.
fn opened(values: TomlTable<'_>, dialect: &Dialect) -> Result<(), DialectError> {
    let bare = |pattern: &Pattern| pattern.opening().is_none();
    let headless = |call: &Pattern| bare(call) && !call.head.is_empty() && !call.opens_with_name();
    let Some(index) = dialect.calls.iter().position(headless) else { return Ok(()) };
    if dialect.sections.iter().any(|section| !bare(section)) {
        return Ok(());
    }
    let calls = values.texts("call")?;
    let Some(TomlString { span, .. }) = calls.get(index) else { return Ok(()) };
    let help = "start the pattern with a literal, or add a `section` that does";
    Err(values.file.error(span.clone(), "nothing opens this call", help))
}

fn every_word(values: TomlTable<'_>, known: &KnownLiterals) -> Result<(), DialectError> {
    let Some(words) = values.table("words", "")? else { return Ok(()) };
    let unused = words.keys().into_iter().enumerate().find(|(index, _)| !known.has_word(*index));
    let Some((_, word)) = unused else { return Ok(()) };
    let help = format!("use `{{{}}}` in a pattern, or remove the word", word.text);
    Err(values.file.error(word.span, format!("unused word `{}`", word.text), help))
}
