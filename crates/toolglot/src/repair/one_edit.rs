//! Arguments with one wrong byte (an unescaped or missing quote, an extra bracket), or without their first bytes.
//!
//! Each edit of that kind is tried. If exactly one of them makes the text one JSON object that matches the tool, it is the
//! intended one; if several do, there is no result.
//!
//! ```text
//!   {"a": "24" wide"}     escaped   {"a": "24\" wide"}
//!   {"a": "x, "b": 1}     added     {"a": "x", "b": 1}
//!   {"a": [{}}, {}]}      dropped   {"a": [{}, {}]}
//!   a": 24}               begun     {"a": 24}
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::{ArgumentsText, Repaired};
use crate::diagnostic::{Code, Diagnostic, Repairs};
use crate::json::{self, Context, NoMarkers};
use crate::options::Options;

/// Longer texts are not tried: all edits together cost the square of the length.
const LONGEST: usize = 1 << 12;

/// At most this many edits are tried, those nearest to the first error: the cause is there or shortly before.
const EDITS: usize = 1 << 8;

/// A misplaced quote causes an error after it; a missing quote belongs after the preceding comma and spaces.
const NEXT: usize = 1 << 6;

/// What is done with one byte of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    /// A backslash is put before a quote.
    Escape,
    /// A quote is put before it.
    Add,
    /// A closing bracket is removed.
    Drop,
    /// The object's brace is put before it, and the quote of its first key if that is missing, too.
    Begin(&'static str),
}

impl Edit {
    fn code(self) -> Code {
        match self {
            Self::Escape | Self::Add => Code::InnerQuote,
            Self::Drop => Code::ExtraCloser,
            Self::Begin(_) => Code::MissingOpener,
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Escape => "escaped a quote inside a string; nothing else makes this JSON",
            Self::Add => "added the quote that a string lacks; nothing else makes this JSON",
            Self::Drop => "dropped an unmatched closing bracket; nothing else makes this JSON",
            Self::Begin(_) => "the beginning of the object is missing",
        }
    }

    fn apply(self, text: &str, at: usize) -> String {
        let (before, after) = text.split_at(at);
        match self {
            Self::Escape => format!("{before}\\{after}"),
            Self::Add => format!("{before}\"{after}"),
            Self::Drop => format!("{before}{}", &after[1..]),
            Self::Begin(lost) => format!("{before}{lost}{after}"),
        }
    }

    /// Maps a position in the edited text to the text before the edit at `at`.
    fn before(self, place: usize, at: usize) -> usize {
        match self {
            _ if place <= at => place,
            Self::Drop => place + 1,
            Self::Begin(lost) => place.saturating_sub(lost.len()),
            Self::Escape | Self::Add => place - 1,
        }
    }
}

/// Reads the object that the only possible edit produces, if the text is not JSON. `None` if several edits produce
/// objects that match the tool.
pub(super) fn read(text: &ArgumentsText<'_>, first: Option<&Repaired>) -> Option<Repaired> {
    let body = without_fence(text.text)?;
    let fenced = body.len() < text.text.trim().len();
    let source = text.text.get(body.clone()).filter(|source| first.is_none() && source.len() <= LONGEST)?;
    if fenced && !text.options.repairs.allow(Code::Fence) {
        return None;
    }
    let mut readings = edits_to_json(source, text.options).into_iter().filter_map(|(edited, (at, edit))| {
        let edited = ArgumentsText { text: &edited, ..*text }.json(text.options, false)?;
        edited.fits().then_some((edited, at, edit))
    });
    let (edited, at, edit) = readings.next()?;
    if readings.next().is_some() {
        let message = "a quote is missing, lost or not escaped, and there is more than one place for it";
        return Some(Repaired { arguments: None, diagnostics: vec![text.note(Code::Broken, message)] });
    }
    let place = |place: usize| body.start + edit.before(place, at);
    let shifted = |found: Diagnostic| Diagnostic { span: place(found.span.start)..place(found.span.end), ..found };
    let fence = fenced.then(|| text.note(Code::Fence, "dropped the Markdown fence around the object"));
    let own = Diagnostic::new(edit.code(), place(at)..place(at), edit.message());
    let diagnostics = fence.into_iter().chain([own]).chain(edited.diagnostics.into_iter().map(shifted)).collect();
    Some(Repaired { diagnostics, ..edited })
}

/// Returns the object's span, without white space and fences around it.
fn without_fence(text: &str) -> Option<Range<usize>> {
    let body = text.trim();
    let body = match body.strip_prefix("```").and_then(|fenced| fenced.strip_suffix("```")) {
        Some(fenced) => fenced.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()).trim(),
        None => body,
    };
    let start = text.find(body).filter(|_| body.starts_with('{') || body.ends_with('}'))?;
    Some(start..start + body.len())
}

/// Returns the JSON that edits produce, each with one of these edits.
fn edits_to_json(source: &str, options: &Options) -> BTreeMap<String, (usize, Edit)> {
    let mut strict = Options { repairs: Repairs::NONE, ..options.clone() };
    strict.limits.string_ends = 0;
    let tried = fault(source, &strict).into_iter().flat_map(|fault| edits(source, fault, options).take(EDITS));
    let edited = tried.map(|(at, edit)| (edit.apply(source, at), (at, edit)));
    edited.filter(|(edited, _)| fault(edited, &strict).is_none()).collect()
}

/// Returns where text is no longer a prefix of one object in strict JSON; `None` if it is an object.
fn fault(source: &str, strict: &Options) -> Option<usize> {
    let context = Context { markers: &NoMarkers, schema: None, options: strict, quote: None, given: None };
    let Some((whole, end)) = json::read_arguments(source, 0, false, &context) else { return Some(source.len()) };
    let clean = whole.repairs.is_empty();
    let whole = json::all_of(source, (whole, end), &context).filter(|_| clean);
    whole.is_none().then_some(end.at)
}

/// Iterates over all edits up to the next value after the error, the last first.
fn edits<'s>(source: &'s str, fault: usize, options: &'s Options) -> impl Iterator<Item = (usize, Edit)> + 's {
    let bytes = source.as_bytes();
    let last_quote = if options.accept_incomplete { Some(bytes.len()) } else { memchr::memrchr(b'"', bytes) };
    let fits = move |at: usize, edit: Edit| match edit {
        Edit::Escape => bytes.get(at) == Some(&b'"'),
        Edit::Drop => matches!(bytes.get(at), Some(b'}' | b']')),
        Edit::Begin(_) => at == 0 && bytes.first().is_some_and(|first| !b"{}".contains(first)),
        // A string without any quote after it may have been cut off.
        Edit::Add => Some(at) <= last_quote && at > 0 && borders(bytes[at - 1], bytes.get(at).copied()),
    };
    let allowed = move |edit: &Edit| options.repairs.allow(edit.code());
    let all = [Edit::Escape, Edit::Add, Edit::Drop, Edit::Begin("{"), Edit::Begin("{\"")].into_iter().filter(allowed);
    (0..=bytes.len().min(fault + NEXT)).rev().flat_map(move |at| {
        all.clone().filter(move |edit| source.is_char_boundary(at) && fits(at, *edit)).map(move |edit| (at, edit))
    })
}

/// Returns whether a string may begin or end between two bytes; one in other quotes has already begun.
fn borders(before: u8, behind: Option<u8>) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let opens = b",:[{".contains(&before);
    let begins = (opens || blank(before)) && behind.is_some_and(|behind| !blank(behind) && behind != b'\'');
    let ends = !opens && !blank(before) && behind.is_none_or(|behind| blank(behind) || b",:]}".contains(&behind));
    begins || ends
}
