//! Fills in a pattern of the dialect file, in canonical spelling.

use crate::dialect::{Dialect, Holder, Pattern};
use crate::outline::{HolePlace, OutlinePart};
use crate::render::RenderError;

/// Writes a pattern; `hole` writes its holes.
pub(super) fn fill(
    dialect: &Dialect,
    pattern: &Pattern,
    out: &mut String,
    mut hole: impl FnMut(Holder, &mut String) -> Result<(), RenderError>,
) -> Result<(), RenderError> {
    for part in dialect.parts(&pattern.source) {
        match part {
            OutlinePart::Text(text) => out.push_str(text),
            OutlinePart::Word(spellings) => out.push_str(spellings.first().map_or("", String::as_str)),
            OutlinePart::Hole { name, place, .. } => {
                let Some(holder) = Holder::by_name(name) else { continue };
                if place == HolePlace::Attribute {
                    let mut value = String::new();
                    hole(holder, &mut value)?;
                    escape(&value, true, out);
                } else {
                    hole(holder, out)?;
                }
            }
        }
    }
    Ok(())
}

/// Appends text with markup as XML entities; quotes, too, if the text is quoted.
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
