//! Strings whose quotes are entities: all of the JSON was encoded for XML.

use super::ValueOutcome;
use super::look::Lookahead;
use super::reader::ReaderStep;
use super::write::write_escaped;
use crate::view::NotYet;

/// The five predefined XML entities and their characters; also the apostrophe of HTML 4, which has no `&apos;`.
pub(crate) const ENTITIES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")];

/// Both ways to write a quote.
pub(crate) const ENTITY_QUOTES: [&str; 2] = ["&quot;", "&#34;"];

impl Lookahead<'_> {
    /// Returns the length of the entity at `at`, if it is a quote.
    pub(super) fn entity_quote(self, at: usize) -> Result<Option<usize>, NotYet> {
        Ok(self.view.starts_with_any(at, ENTITY_QUOTES)?.map(|end| end - at))
    }
}

impl ReaderStep<'_> {
    /// Reads the entity at the reader's place; an ampersand that begins none is itself.
    pub(super) fn entity(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        for (entity, said) in ENTITIES {
            if self.view.starts_with(at, entity)? {
                let mut json = String::new();
                write_escaped(said, &mut json);
                self.skip_to(self.at() + entity.len());
                self.put_text(&json);
                return Ok(None);
            }
        }
        self.put_plain(at + 1);
        Ok(None)
    }
}
