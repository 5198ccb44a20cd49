//! Elements named after tools whose names are plain words: HTML, SVG and SOAP have such elements, too.

use super::Scanner;
use crate::dialect::{BodyKind, Pattern};
use crate::parser::catalog::{Candidate, Strength};
use crate::parser::engine::Engine;
use crate::view::{NotYet, View};

/// How an element stands that may be plain markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementPlace {
    /// Nothing makes it doubtful.
    Plain,
    /// A call if the answer is nothing else.
    Doubtful,
    /// Something stands before it, so it is none.
    Amid,
}

impl Scanner {
    /// Says how an element stands that `candidate` reads here. Its name alone is no evidence if it is a plain word: neither
    /// with text for its only parameter or JSON within a line, nor inside other elements.
    pub(super) fn element(
        &self,
        engine: &Engine,
        view: View<'_>,
        candidate: &Candidate,
        pattern: &Pattern,
    ) -> Result<ElementPlace, NotYet> {
        if candidate.evidence != Strength::Dynamic || !engine.catalog.is_auto() || !self.must_prove(engine) {
            return Ok(ElementPlace::Plain);
        }
        let mut end = self.at + 1;
        while view.byte(end)?.is_some_and(|next| next.is_ascii_lowercase()) {
            end += 1;
        }
        let next = view.byte(end)?;
        let is_word = next.is_some_and(|next| next.is_ascii_whitespace() || matches!(next, b'>' | b'/'));
        let has_no_key = match pattern.kind() {
            Some(BodyKind::Content) => true,
            Some(BodyKind::Arguments) => self.place.is_amid_line(),
            _ => next == Some(b'/'),
        };
        let before = view.rest(self.at.saturating_sub(BEFORE))[..self.at.min(BEFORE)].trim_ascii_end();
        if !is_word || !has_no_key && !before.ends_with(b">") {
            return Ok(ElementPlace::Plain);
        }
        Ok(if self.place.is_fresh() { ElementPlace::Doubtful } else { ElementPlace::Amid })
    }
}

/// So many bytes before an element are looked at for the tag that it stands in: indentation is shorter, and more than
/// [`crate::view::BEHIND`] would not be visible.
const BEFORE: usize = 256;
