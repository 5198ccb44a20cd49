//! Compares the message that was parsed back with the one that was rendered.

use super::json_tokens::{JsonToken, JsonTokens};
use super::style::Style;
use super::{ReadCall, RenderError, Rendering};
use crate::diagnostic::excerpt;
use crate::dialect::Dialect;
use crate::message::{self, Message};

/// Returns whether the messages are equal; white space at the end of the content is ignored, since it precedes the calls.
pub(super) fn same(
    dialect: &Dialect,
    message: &Rendering<'_>,
    calls: &[ReadCall<'_>],
    read: &Message,
) -> Result<(), RenderError> {
    if message.reasoning != read.reasoning {
        return Err(dialect.inexpressible("the reasoning", reads_as(&read.reasoning)));
    }
    for (call, back) in calls.iter().zip(&read.calls) {
        same_call(call, back)?;
    }
    if let Some(call) = calls.get(read.calls.len()) {
        let lost = read
            .incomplete
            .first()
            .map(|broken| format!("it reads back as the broken call `{}`", shortened(&broken.text)));
        return Err(call.inexpressible(lost.unwrap_or_else(|| "it does not read back as a call".to_owned())));
    }
    if read.calls.len() > calls.len() || !read.incomplete.is_empty() {
        return Err(dialect.inexpressible("the message", "part of it reads back as another call"));
    }
    match read.content.strip_prefix(message.content) {
        Some(rest) if rest.trim().is_empty() => Ok(()),
        _ => Err(dialect.inexpressible("the content", reads_as(&read.content))),
    }
}

fn same_call(call: &ReadCall<'_>, back: &message::Call) -> Result<(), RenderError> {
    if call.name != back.name {
        return Err(call.inexpressible(reads_as(&back.name)));
    }
    let Ok(tape) = JsonTokens::object(&back.arguments) else {
        return Err(call.inexpressible(reads_as(&back.arguments)));
    };
    if tape == call.arguments {
        return Ok(());
    }
    let mut members = call.arguments.members().zip(tape.members());
    Err(match members.find(|(ours, theirs)| ours != theirs) {
        Some(((key, ours), (other, theirs))) if key == other => {
            call.inexpressible_parameter(key, value_reads_as(call.dialect, ours, theirs))
        }
        _ => call.inexpressible(reads_as(&back.arguments)),
    })
}

fn value_reads_as(dialect: &Dialect, ours: &[JsonToken<'_>], theirs: &[JsonToken<'_>]) -> String {
    let mut json = String::new();
    // JSON can say every value.
    let _ = Style::Json.write(theirs, &mut json);
    let texts = ours.iter().filter_map(|token| if let JsonToken::Text(text) = token { Some(text) } else { None });
    let patterns = dialect.params.iter().chain(&dialect.calls).chain(&dialect.sections);
    let literals = patterns.flat_map(|pattern| pattern.tail.iter().chain(pattern.opening()));
    let markers: Vec<String> = literals.flat_map(|literal| literal.filled(None, None, None)).collect();
    let held = |text: &str| markers.iter().find(|marker| text.contains(marker.as_str()));
    match texts.map(|text| held(text)).find(Option::is_some).flatten() {
        Some(marker) => format!("it contains the marker `{marker}` and {}", reads_as(&json)),
        None => reads_as(&json),
    }
}

fn reads_as(text: &str) -> String {
    format!("it reads back as `{}`", shortened(text))
}

/// Returns the beginning of a text on one line.
fn shortened(text: &str) -> String {
    excerpt(text).replace('\n', "\\n")
}
