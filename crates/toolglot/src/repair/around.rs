//! One JSON object with text around it: prose, a fence, a list's brackets, or further objects.

use super::{ArgumentsText, Repaired};
use crate::diagnostic::{Code, Diagnostic};
use crate::json::{self, Context, Ended, NoMarkers, ValueOutcome, WholeValue, key_ahead};
use crate::view::View;

/// An object and its bytes.
struct FoundObject {
    whole: WholeValue,
    start: usize,
    end: usize,
    /// It is complete, or was closed by a repair.
    is_complete: bool,
}

/// Reads the first object of a text, if nothing significant surrounds it.
///
/// Further objects directly after it are reported; the first that has a member and matches the tool is taken, if the
/// others contain nothing that it does not: which of two is meant is unknown. Anything else in braces, quotes or
/// members around it makes the reading doubtful, and there is none. What was read so far is kept, unless it is lines of
/// keys that do not match the tool. The object may be a whole call, which is recognised when it is alone.
pub(super) fn read(text: &ArgumentsText<'_>, first: Option<&Repaired>) -> Option<Repaired> {
    let lines = |found: &Repaired| found.diagnostics.iter().any(|found| found.code == Code::KeyValueLines);
    if first.is_some_and(|first| !lines(first)) {
        return None;
    }
    let start = first_object(text)?;
    let objects = objects(text, start)?;
    let end = objects.last()?.end;
    let mut around = surroundings(text, start, end, objects.len())?;
    let chosen = choose(&objects);
    let bare = objects[chosen].whole.json.bytes().all(|byte| b"{} \t\r\n".contains(&byte));
    if bare && around.iter().any(|found| found.code == Code::SurroundingText) {
        return None;
    }
    for (_, other) in objects.iter().enumerate().filter(|(index, _)| *index != chosen) {
        if !objects[chosen].whole.has_scalars_of(&other.whole) {
            return None;
        }
        let message = format!("one of {} objects in a row; another one was used", objects.len());
        around.push(Diagnostic::new(Code::GluedObjects, other.start..other.end, message));
    }
    if around.iter().any(|found| !text.options.repairs.allow(found.code)) {
        return None;
    }
    let whole = objects.into_iter().nth(chosen)?.whole;
    around.extend(whole.repairs);
    around.sort_by_key(|found| (found.span.start, found.span.end));
    Some(text.out_of_its_call(Repaired::new(whole.json, around)))
}

/// Returns the position of the first brace that a key, the closing brace or the end of the text follows.
fn first_object(text: &ArgumentsText<'_>) -> Option<usize> {
    let view = View::whole(text.text);
    let cut = |at: usize| text.options.accept_incomplete && is_cut_key(text.text[at..].trim_start());
    let begins = |at: &usize| key_ahead(view, at + 1, None) == Ok(true) || cut(at + 1);
    memchr::memchr_iter(b'{', text.text.as_bytes()).find(begins)
}

/// Returns whether text is only the beginning of a key, with or without an opening quote.
fn is_cut_key(text: &str) -> bool {
    let key = text.strip_prefix('"').map(|key| key.trim_end().strip_suffix('"').unwrap_or(key));
    text.is_empty() || key.is_some_and(|key| !key.contains(['"', '\n', '{', '}']))
}

/// Returns where the truncated key at the end of a text begins: its full name is unknown.
fn cut_key(text: &str) -> Option<usize> {
    text.rfind('"').filter(|quote| text[..*quote].trim_end().ends_with(['{', ',']))
}

/// Reads the object at `start` and those after it, separated by at most a comma.
fn objects(text: &ArgumentsText<'_>, start: usize) -> Option<Vec<FoundObject>> {
    let context = Context { markers: &NoMarkers, schema: text.schema, options: text.options, quote: None, given: None };
    let (mut objects, mut start) = (Vec::new(), start);
    loop {
        let read = |text: &str| json::read_arguments(text, start, false, &context);
        let (mut whole, ValueOutcome { at: end, how }) = read(text.text)?;
        let cut = how == Ended::Truncated && objects.is_empty() && text.options.accept_incomplete;
        if cut {
            json::close(&mut whole.json);
            if let Some(key) = cut_key(text.text).filter(|key| *key > start && whole.json.contains(":null")) {
                whole = read(&text.text[..key])?.0;
                json::close(&mut whole.json);
            }
            let message = "the text ends inside the arguments; closed what was open";
            whole.repairs.push(Diagnostic::new(Code::Truncated, end..end, message));
        }
        let complete = how == Ended::Complete || cut;
        if !complete && objects.is_empty() {
            return None;
        }
        let end = if complete { end } else { text.text.len() };
        objects.push(FoundObject { whole, start, end, is_complete: complete });
        let next = text.text.len() - text.text[end..].trim_start_matches([' ', '\t', '\r', '\n', ',', ';']).len();
        let another =
            text.text[next..].starts_with('{') && key_ahead(View::whole(text.text), next + 1, None) == Ok(true);
        if !complete || !another {
            return Some(objects);
        }
        start = next;
    }
}

/// Returns which object is taken: among complete ones the first with a member that matches, otherwise the first with a member.
fn choose(objects: &[FoundObject]) -> usize {
    let filled = |object: &FoundObject| object.is_complete && object.whole.json.contains('"');
    let fits = |object: &FoundObject| Repaired::new(String::new(), object.whole.repairs.clone()).fits();
    let first = objects.iter().position(|object| filled(object) && fits(object));
    first.or_else(|| objects.iter().position(filled)).unwrap_or_default()
}

/// Returns diagnostics for the text around the objects; `None` if it may be more than prose.
fn surroundings(text: &ArgumentsText<'_>, start: usize, end: usize, count: usize) -> Option<Vec<Diagnostic>> {
    let (before, after) = (text.text[..start].trim_end(), text.text[end..].trim_start());
    let mut found = Vec::new();
    let mut note = |code, span, message: &str| found.push(Diagnostic::new(code, span, message));
    let (after_start, end) = (text.text.len() - after.len(), text.text.trim_end().len());
    if let (Some(before), Some(after)) = (before.strip_suffix('['), after.strip_prefix(']')) {
        let alone = count == 1 && before.trim().is_empty() && after.trim().is_empty();
        note(Code::Wrapper, before.len()..after_start + 1, "unwrapped the arguments from a list");
        return alone.then_some(found);
    }
    let prose = before_fence(before);
    if prose.len() < before.len() {
        note(Code::Fence, prose.len()..before.len(), "dropped the Markdown fence around the object");
    }
    let talk = after.trim_start_matches(['}', ']']).trim();
    let talk = talk.strip_prefix("```").filter(|_| prose.len() < before.len()).unwrap_or(talk).trim_start();
    if after.starts_with(['}', ']']) {
        note(Code::ExtraCloser, after_start..after_start + 1, "dropped an extra closing bracket");
    }
    if !prose.trim().is_empty() {
        note(Code::SurroundingText, 0..prose.len(), "dropped text around the arguments");
    }
    match talk {
        "" => {}
        "\"\"" => note(Code::GluedObjects, end - talk.len()..end, "dropped an empty string behind the object"),
        _ => note(Code::SurroundingText, end - talk.len()..end, "dropped text around the arguments"),
    }
    (is_talk_before(prose, text) && is_talk_after(talk)).then_some(found)
}

/// Returns the text before a fence that opens at the end, or all of it.
fn before_fence(before: &str) -> &str {
    match before.rsplit_once("```") {
        Some((prose, word)) if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) => prose,
        _ => before,
    }
}

/// Returns whether text before an object does not belong to it: no braces, and no key at its end.
fn is_talk_before(prose: &str, text: &ArgumentsText<'_>) -> bool {
    if prose.contains(['{', '}']) || prose.ends_with([',', '[']) {
        return false;
    }
    let (members, name) = match prose.trim_end().strip_suffix([':', '=']) {
        Some(name) => (name, Some(name)),
        None => (prose, None),
    };
    let is_member = |quote: usize| members[quote + 1..].trim_start().starts_with(':');
    if memchr::memchr_iter(b'"', members.as_bytes()).any(is_member) {
        return false;
    }
    let Some(name) = name else { return true };
    let quoted = name.trim_end().ends_with(['"', '\'']);
    let word = name.trim_end().trim_end_matches(['"', '\'']).rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    let word = word.unwrap_or_default();
    let declared = text.schema.is_some_and(|schema| schema.root().declares(word));
    !declared && (!quoted || json::WRAPPERS.contains(&word))
}

/// Returns whether text after an object does not belong to it: it continues like a sentence, without braces or members.
fn is_talk_after(talk: &str) -> bool {
    let sentence =
        talk.starts_with(|c: char| c.is_alphabetic() || "*#>-()<`.!;—–\u{1F000}".contains(c) || c as u32 > 0x2000);
    talk.is_empty() || talk == "\"\"" || sentence && !talk.contains(['{', '}'])
}
