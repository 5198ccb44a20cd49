//! Arguments in which one byte is wrong: a quote that is not escaped, a quote that is lost, a bracket too many.
//!
//! Each edit of that kind is tried. If just one of them makes the text one JSON object, it is what was meant.
//!
//! ```text
//!   {"a": "24" wide"}     escaped   {"a": "24\" wide"}
//!   {"a": "x, "b": 1}     added     {"a": "x", "b": 1}
//!   {"a": [{}}, {}]}      dropped   {"a": [{}, {}]}
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::{ArgumentsText, Repaired, note};
use crate::diagnostic::{Code, Diagnostic, Repairs};
use crate::json::{self, Context, NoMarkers};
use crate::options::Options;

/// Longer texts are not tried: all edits together take the square of the length.
const LONGEST: usize = 1 << 12;

/// So many edits are tried, those right before the first fault first: what is wrong stands near to where it shows.
const EDITS: usize = 1 << 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    Escape,
    Add,
    Drop,
}

impl Edit {
    fn code(self) -> Code {
        if self == Self::Drop { Code::ExtraCloser } else { Code::InnerQuote }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Escape => "escaped a quote inside a string; nothing else makes this JSON",
            Self::Add => "added the quote that a string lacks; nothing else makes this JSON",
            Self::Drop => "dropped a bracket that closes nothing; nothing else makes this JSON",
        }
    }

    fn apply(self, text: &str, at: usize) -> String {
        let (before, after) = text.split_at(at);
        match self {
            Self::Escape => format!("{before}\\{after}"),
            Self::Add => format!("{before}\"{after}"),
            Self::Drop => format!("{before}{}", &after[1..]),
        }
    }

    /// Returns where a place of the edited text stood before the edit at `at`.
    fn before(self, place: usize, at: usize) -> usize {
        match self {
            _ if place <= at => place,
            Self::Drop => place + 1,
            _ => place - 1,
        }
    }
}

/// Reads the object that the only possible edit makes of the text, if JSON was not read without.
pub(super) fn read(text: &ArgumentsText<'_>, first: Option<&Repaired>) -> Option<Repaired> {
    let body = without_fence(text.text)?;
    let source = text.text.get(body.clone()).filter(|source| first.is_none() && source.len() <= LONGEST)?;
    let (at, edit) = only_edit(source, text.options)?;
    let edited = ArgumentsText { text: &edit.apply(source, at), ..*text }.json(text.options, false)?;
    let mut diagnostics = vec![diagnostic(edit.code(), body.start + at..body.start + at, edit.message())];
    if body.len() < text.text.trim().len() {
        if !text.options.repairs.allow(Code::Fence) {
            return None;
        }
        diagnostics.push(note(Code::Fence, text.text, "dropped the Markdown fence around the object"));
    }
    let place = |place: usize| body.start + edit.before(place, at);
    let moved = |found: Diagnostic| Diagnostic { span: place(found.span.start)..place(found.span.end), ..found };
    diagnostics.extend(edited.diagnostics.into_iter().map(moved));
    diagnostics.sort_by_key(|found| found.span.start);
    Some(Repaired { diagnostics, ..edited })
}

fn diagnostic(code: Code, span: Range<usize>, message: &str) -> Diagnostic {
    Diagnostic { code, span, message: message.to_owned(), dialect: None }
}

/// Returns where the object stands: all that is no blank and no fence around it.
fn without_fence(text: &str) -> Option<Range<usize>> {
    let body = text.trim();
    let body = match body.strip_prefix("```").and_then(|fenced| fenced.strip_suffix("```")) {
        Some(fenced) => fenced.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()).trim(),
        None => body,
    };
    let start = text.find(body).filter(|_| body.starts_with('{'))?;
    Some(start..start + body.len())
}

/// Returns the edit that makes the text JSON, if all that do make the same of it.
fn only_edit(source: &str, options: &Options) -> Option<(usize, Edit)> {
    let strict = Options { repairs: Repairs::NONE, ..options.clone() };
    let fault = fault(source, &strict)?;
    let mut found = BTreeMap::new();
    for (at, edit) in edits(source, fault, options).take(EDITS) {
        let edited = edit.apply(source, at);
        if self::fault(&edited, &strict).is_none() {
            found.entry(edited).or_insert((at, edit));
        }
    }
    let only = found.len() == 1;
    found.into_values().next().filter(|_| only)
}

/// Returns where text is no longer the beginning of one object in strict JSON, or nothing if it is one.
fn fault(source: &str, strict: &Options) -> Option<usize> {
    let context = Context { markers: &NoMarkers, schema: None, options: strict, quote: None, given: None };
    let Some((whole, end)) = json::read_arguments(source, 0, false, &context) else { return Some(source.len()) };
    let clean = whole.repairs.is_empty();
    let whole = json::all_of(source, (whole, end), &context).filter(|_| clean);
    whole.is_none().then_some(end.at)
}

/// Goes through all edits up to the fault, the nearest first.
fn edits<'s>(source: &'s str, fault: usize, options: &'s Options) -> impl Iterator<Item = (usize, Edit)> + 's {
    let bytes = source.as_bytes();
    let last_quote = if options.accept_incomplete { Some(bytes.len()) } else { memchr::memrchr(b'"', bytes) };
    let fits = move |at: usize, edit: Edit| match edit {
        Edit::Escape => bytes.get(at) == Some(&b'"'),
        Edit::Drop => matches!(bytes.get(at), Some(b'}' | b']')),
        // A string without any quote behind it may have been cut off.
        Edit::Add => Some(at) <= last_quote && at > 0 && borders(bytes[at - 1], bytes.get(at).copied()),
    };
    let allowed = move |edit: &Edit| options.repairs.allow(edit.code());
    let all = [Edit::Escape, Edit::Add, Edit::Drop].into_iter().filter(allowed);
    (0..=fault.min(bytes.len())).rev().flat_map(move |at| {
        all.clone().filter(move |edit| source.is_char_boundary(at) && fits(at, *edit)).map(move |edit| (at, edit))
    })
}

/// Says whether a string may begin or end between two bytes; one in other quotes has begun already.
fn borders(before: u8, behind: Option<u8>) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let opens = b",:[{".contains(&before);
    let begins = (opens || blank(before)) && behind.is_some_and(|behind| !blank(behind) && behind != b'\'');
    let ends = !opens && !blank(before) && behind.is_none_or(|behind| blank(behind) || b",:]}".contains(&behind));
    begins || ends
}
