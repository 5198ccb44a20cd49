//! Elements named after tools whose names are plain words: HTML, SVG and SOAP have such elements, too.

use super::Scanner;
use crate::dialect::BodyKind;
use crate::parser::catalog::Strength;
use crate::parser::contest::Company;
use crate::parser::engine::Engine;
use crate::parser::head::name_end;
use crate::view::{NotYet, View};

impl Scanner {
    /// Returns what may follow an element that a candidate reads here; `None` if it is part of other markup. An element whose
    /// attributes do not fit the tool is never a call (`element::is_markup`).
    ///
    /// | name | before it | its body | is a call |
    /// |---|---|---|---|
    /// | no plain word | | | yes |
    /// | plain word | text that ends in `>`, no call of the dialect | | no |
    /// | | other text | none, text, JSON within a line | no |
    /// | | nothing, a call | none, text | if elements of tools alone follow |
    /// | | | attributes | unless markup follows |
    /// | | | else | yes |
    pub(super) fn element(&self, engine: &Engine, view: View<'_>, number: usize) -> Result<Option<Company>, NotYet> {
        let candidate = &engine.catalog.candidates[number];
        if candidate.evidence != Strength::Dynamic || !engine.catalog.is_auto() || !self.must_prove(engine) {
            return Ok(Some(Company::Anything));
        }
        let end = name_end(view, self.at + 1)?.unwrap_or(self.at + 1);
        let (name, next) = (view.slice(self.at + 1, end), view.byte(end)?);
        let has_attributes = next.is_some_and(|next| next.is_ascii_whitespace());
        let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_plain || !has_attributes && !matches!(next, Some(b'>' | b'/')) {
            return Ok(Some(Company::Anything));
        }
        let has_no_key = match engine.pattern(candidate.pattern_ref()).kind() {
            Some(BodyKind::Content) => true,
            Some(BodyKind::Arguments) => self.place.is_amid_line(),
            _ => next == Some(b'/'),
        };
        let (is_fresh, is_kin) = (self.place.is_fresh(), self.last == Some(candidate.dialect));
        Ok(match (is_fresh, has_no_key) {
            (false, _) if has_no_key || !is_kin && self.before(view).ends_with(b">") => None,
            (true, true) if next == Some(b'/') => Some(Company::Elements),
            (true, true) => Some(Company::Nothing),
            _ if has_attributes => Some(Company::NoMarkup),
            _ => Some(Company::Anything),
        })
    }
}
