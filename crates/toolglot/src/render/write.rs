//! Writes a whole message: the regions, the text between them, the sections and calls.

use super::body;
use super::template::fill;
use super::{ReadCall, RenderError, Rendering};
use crate::dialect::{BodyKind, Dialect, Holder, Hole, Pattern};

/// The last part that was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastWritten {
    Nothing,
    /// A region between its own markers.
    Region,
    /// Text that nothing wraps.
    Text,
}

/// Returns the text of a message.
pub(super) fn message(
    dialect: &Dialect,
    message: &Rendering<'_>,
    calls: &[ReadCall<'_>],
) -> Result<String, RenderError> {
    let (mut out, mut before) = (String::new(), LastWritten::Nothing);
    if !message.reasoning.is_empty() {
        let Some(pattern) = dialect.reasoning.first() else {
            return Err(dialect.inexpressible("the reasoning", "the dialect has no markers for reasoning"));
        };
        region(dialect, pattern, "the reasoning", message.reasoning, &mut out)?;
        before = LastWritten::Region;
    }
    match dialect.content.first() {
        _ if message.content.is_empty() => {}
        None => {
            out.push_str(message.content);
            before = LastWritten::Text;
        }
        Some(pattern) => {
            out.push_str(header(dialect, before, pattern));
            region(dialect, pattern, "the content", message.content, &mut out)?;
            before = LastWritten::Region;
        }
    }
    if !calls.is_empty() {
        out.push_str(gap(dialect, before, &out));
        write_calls(dialect, calls, &mut out)?;
    }
    Ok(out)
}

fn region(dialect: &Dialect, pattern: &Pattern, what: &str, text: &str, out: &mut String) -> Result<(), RenderError> {
    let spellings = pattern.tail.iter().flat_map(|closer| &closer.spellings);
    let mut closers = spellings.map(|spelling| spelling.filled(None, None, None));
    if let Some(closer) = closers.find(|closer| !closer.is_empty() && text.contains(closer)) {
        return Err(dialect.inexpressible(what, format!("it contains `{closer}`, which ends it")));
    }
    fill(dialect, pattern, out, |holder, out| {
        if holder == Holder::Body(BodyKind::Text) {
            out.push_str(text);
        }
        Ok(())
    })
}

/// Returns the outermost pattern around calls.
fn outermost(dialect: &Dialect) -> Option<&Pattern> {
    dialect.sections.first().or(dialect.calls.first())
}

/// Returns the text between a region and the next message, if each message has a header that the parser skips.
fn header<'d>(dialect: &'d Dialect, before: LastWritten, next: &Pattern) -> &'d str {
    let opens = |pattern: &Pattern, header: &str| pattern.source.starts_with(header);
    if before == LastWritten::Nothing || dialect.skip.iter().any(|header| opens(next, header)) {
        return "";
    }
    if dialect.skip.iter().any(|header| dialect.join.contains(header)) {
        return &dialect.join;
    }
    let header = dialect.skip.iter().find(|header| outermost(dialect).is_some_and(|pattern| opens(pattern, header)));
    header.map_or("", String::as_str)
}

/// Returns the text before the calls: the next message's header, or a line break if calls have their own lines.
fn gap<'d>(dialect: &'d Dialect, before: LastWritten, out: &str) -> &'d str {
    let Some(pattern) = outermost(dialect) else { return "" };
    let header = header(dialect, before, pattern);
    let own_lines = match dialect.sections.first() {
        Some(section) => section.source.contains("\n{calls}"),
        None => dialect.join.contains('\n'),
    };
    // What prose may contain is a call only at the start of a line.
    let weak = before == LastWritten::Text && !pattern.opening().is_some_and(|opening| opening.is_strong());
    match before {
        LastWritten::Nothing => "",
        _ if !header.is_empty() => header,
        _ if dialect.skip.iter().any(|skipped| pattern.source.starts_with(skipped)) => "",
        _ if (own_lines || weak) && !out.ends_with('\n') => "\n",
        _ => "",
    }
}

fn write_calls(dialect: &Dialect, calls: &[ReadCall<'_>], out: &mut String) -> Result<(), RenderError> {
    let Some(pattern) = dialect.sections.first() else { return joined(dialect, calls, out) };
    let size = if dialect.one_section { 1 } else { calls.len().max(1) };
    for (number, group) in calls.chunks(size).enumerate() {
        out.push_str(if number == 0 { "" } else { &dialect.join });
        fill(dialect, pattern, out, |holder, out| match holder {
            Holder::Body(BodyKind::Calls) => joined(dialect, group, out),
            Holder::Head(Hole::Ignored) => {
                out.push_str(group.first().map_or("", |call| call.name));
                Ok(())
            }
            _ => Ok(()),
        })?;
    }
    Ok(())
}

fn joined(dialect: &Dialect, calls: &[ReadCall<'_>], out: &mut String) -> Result<(), RenderError> {
    let Some(pattern) = dialect.calls.first() else { return Ok(()) };
    for (number, call) in calls.iter().enumerate() {
        out.push_str(if number == 0 { "" } else { &dialect.join });
        fill(dialect, pattern, out, |holder, out| body::hole(call, holder, out))?;
    }
    Ok(())
}
