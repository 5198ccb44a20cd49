//! Elements named after tools whose names are plain words: HTML, SVG and SOAP have such elements, too.

use super::Scanner;
use crate::dialect::BodyKind;
use crate::parser::catalog::Strength;
use crate::parser::contest::Company;
use crate::parser::engine::Engine;
use crate::view::{NotYet, View};

impl Scanner {
    /// Says what may follow an element that a candidate reads here; none if it is part of other markup.
    ///
    /// | name | before it | its body | is a call |
    /// |---|---|---|---|
    /// | any | | attributes, and the tool takes none | no |
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
        let mut end = self.at + 1;
        while view.byte(end)?.is_some_and(|next| next.is_ascii_alphanumeric() || b"-_.:".contains(&next)) {
            end += 1;
        }
        let (name, next) = (view.slice(self.at + 1, end), view.byte(end)?);
        let has_attributes = next.is_some_and(|next| next.is_ascii_whitespace());
        let first = view.byte(view.skip_blanks(end)?)?;
        if has_attributes && !matches!(first, Some(b'>' | b'/')) && takes_nothing(engine, name) {
            return Ok(None);
        }
        let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_plain || !has_attributes && !matches!(next, Some(b'>' | b'/')) {
            return Ok(Some(Company::Anything));
        }
        let has_no_key = match engine.pattern(candidate.pattern_ref()).kind() {
            Some(BodyKind::Content) => true,
            Some(BodyKind::Arguments) => self.place.is_amid_line(),
            _ => next == Some(b'/'),
        };
        let before = view.rest(self.at.saturating_sub(BEFORE))[..self.at.min(BEFORE)].trim_ascii_end();
        let (is_fresh, is_kin) = (self.place.is_fresh(), self.last == Some(candidate.dialect));
        Ok(match (is_fresh, has_no_key) {
            (false, _) if has_no_key || !is_kin && before.ends_with(b">") => None,
            (true, true) if next == Some(b'/') => Some(Company::Elements),
            (true, true) => Some(Company::Nothing),
            _ if has_attributes => Some(Company::NoMarkup),
            _ => Some(Company::Anything),
        })
    }
}

/// Says whether a tool is declared without parameters.
fn takes_nothing(engine: &Engine, name: &str) -> bool {
    let tool = engine.callee(name).and_then(|callee| callee.tool).map(|tool| engine.tools.get(tool));
    tool.and_then(|tool| tool.schema.as_ref()).is_some_and(|schema| schema.root().properties().is_empty())
}

/// So many bytes before an element are looked at for the tag that it stands in: indentation is shorter, and more than
/// [`crate::view::BEHIND`] would not be visible.
const BEFORE: usize = 256;
