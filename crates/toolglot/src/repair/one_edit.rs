//! Arguments in which one byte is wrong (a quote not escaped, or lost, a bracket too many), or whose first are lost.
//!
//! Each edit of that kind is tried. If just one of them makes the text one JSON object that fits the tool, it is what was
//! meant; if several do, there is no reading.
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

/// Longer texts are not tried: all edits together take the square of the length.
const LONGEST: usize = 1 << 12;

/// So many edits are tried, those near to the first fault: what is wrong is where it shows or not far before.
const EDITS: usize = 1 << 8;

/// A quote after which nothing fits shows as the fault; the quote that lacks follows its comma and some blanks.
const NEXT: usize = 1 << 6;

/// What is done to one byte of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    /// A quote gets a backslash.
    Escape,
    /// A quote is put before it.
    Add,
    /// A closing bracket goes.
    Drop,
    /// The object's brace is put before it, and the quote of its first key if that lacks too.
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

    /// Returns where a place of the edited text stood before the edit at `at`.
    fn before(self, place: usize, at: usize) -> usize {
        match self {
            _ if place <= at => place,
            Self::Drop => place + 1,
            Self::Begin(lost) => place.saturating_sub(lost.len()),
            Self::Escape | Self::Add => place - 1,
        }
    }
}

/// Reads the object that the only possible edit makes of the text, if JSON was not read without; where several edits make
/// objects that fit the tool, nobody knows which was meant.
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
    let moved = |found: Diagnostic| Diagnostic { span: place(found.span.start)..place(found.span.end), ..found };
    let fence = fenced.then(|| text.note(Code::Fence, "dropped the Markdown fence around the object"));
    let own = Diagnostic::new(edit.code(), place(at)..place(at), edit.message());
    let diagnostics = fence.into_iter().chain([own]).chain(edited.diagnostics.into_iter().map(moved)).collect();
    Some(Repaired { diagnostics, ..edited })
}

/// Returns where the object is: all that is no blank and no fence around it.
fn without_fence(text: &str) -> Option<Range<usize>> {
    let body = text.trim();
    let body = match body.strip_prefix("```").and_then(|fenced| fenced.strip_suffix("```")) {
        Some(fenced) => fenced.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()).trim(),
        None => body,
    };
    let start = text.find(body).filter(|_| body.starts_with('{') || body.ends_with('}'))?;
    Some(start..start + body.len())
}

/// Returns what edits make of the text where that is JSON, each with one of the edits that do.
fn edits_to_json(source: &str, options: &Options) -> BTreeMap<String, (usize, Edit)> {
    let mut strict = Options { repairs: Repairs::NONE, ..options.clone() };
    strict.limits.string_ends = 0;
    let tried = fault(source, &strict).into_iter().flat_map(|fault| edits(source, fault, options).take(EDITS));
    let edited = tried.map(|(at, edit)| (edit.apply(source, at), (at, edit)));
    edited.filter(|(edited, _)| fault(edited, &strict).is_none()).collect()
}

/// Returns where text is no longer the beginning of one object in strict JSON, or nothing if it is one.
fn fault(source: &str, strict: &Options) -> Option<usize> {
    let context = Context { markers: &NoMarkers, schema: None, options: strict, quote: None, given: None };
    let Some((whole, end)) = json::read_arguments(source, 0, false, &context) else { return Some(source.len()) };
    let clean = whole.repairs.is_empty();
    let whole = json::all_of(source, (whole, end), &context).filter(|_| clean);
    whole.is_none().then_some(end.at)
}

/// Iterates over all edits up to the next value after the fault, the last first.
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

/// Returns whether a string may begin or end between two bytes; one in other quotes has begun already.
fn borders(before: u8, behind: Option<u8>) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let opens = b",:[{".contains(&before);
    let begins = (opens || blank(before)) && behind.is_some_and(|behind| !blank(behind) && behind != b'\'');
    let ends = !opens && !blank(before) && behind.is_none_or(|behind| blank(behind) || b",:]}".contains(&behind));
    begins || ends
}
