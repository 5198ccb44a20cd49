//! Fills in a pattern as its file has it, in canonical spelling.

use crate::dialect::{Dialect, Holder, Pattern};
use crate::render::RenderError;

/// Writes a pattern; `hole` writes what stands in its holes.
pub(super) fn fill(
    dialect: &Dialect,
    pattern: &Pattern,
    out: &mut String,
    mut hole: impl FnMut(Holder, &mut String) -> Result<(), RenderError>,
) -> Result<(), RenderError> {
    let source = &*pattern.source;
    let mut at = 0;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let (piece, length) = piece(dialect, rest);
        match piece {
            TemplatePiece::Text(text) => out.push_str(text),
            TemplatePiece::Hole(holder) if source[..at].ends_with("=\"") && rest[length..].starts_with('"') => {
                let mut value = String::new();
                hole(holder, &mut value)?;
                escape(&value, true, out);
            }
            TemplatePiece::Hole(holder) => hole(holder, out)?,
        }
        at += length;
    }
    Ok(())
}

/// A piece of a pattern's text.
enum TemplatePiece<'p> {
    Text(&'p str),
    Hole(Holder),
}

/// Returns the first piece and how long it is in the pattern.
fn piece<'p>(dialect: &'p Dialect, rest: &'p str) -> (TemplatePiece<'p>, usize) {
    if rest.starts_with("{{") || rest.starts_with("}}") {
        return (TemplatePiece::Text(&rest[..1]), 2);
    }
    let Some(inside) = rest.strip_prefix('{') else {
        let length = rest.find(['{', '}']).unwrap_or(rest.len()).max(1);
        return (TemplatePiece::Text(&rest[..length]), length);
    };
    let inside = inside.split('}').next().unwrap_or_default();
    let name = inside.split(':').next().unwrap_or_default();
    let word = dialect.words.iter().find(|word| word.0 == name);
    let piece = match (word, Holder::by_name(name)) {
        (None, Some(holder)) => TemplatePiece::Hole(holder),
        // A pattern has no other names, or it would not have compiled.
        (word, _) => TemplatePiece::Text(word.and_then(|word| word.1.first()).map_or("", String::as_str)),
    };
    (piece, (inside.len() + 2).min(rest.len()))
}

/// Appends text with markup written as XML entities; quotes, too, if they stand around it.
pub(super) fn escape(text: &str, quoted: bool, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if quoted => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
}
