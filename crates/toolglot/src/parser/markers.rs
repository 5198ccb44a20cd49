//! The markers around a body: what may end a value, a string or a call from outside.

use super::contest;
use super::engine::Scene;
use super::head::{Head, name_end, nodes, skip_gap, stands};
use crate::dialect::{Literal, Pattern};
use crate::json;
use crate::view::{NotYet, View};

/// A marker in or after a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// The value's own closer.
    Value,
    /// The opener of a parameter.
    Param,
    /// The call's closer.
    Call,
    /// The section's closer.
    Section,
    /// The opener of a call or a section.
    Open,
    /// Any closing tag.
    Tag,
    /// The end of the input.
    End,
}

impl Scene<'_> {
    /// Returns the marker that stands at `at`, the longest if several do, and where it ends.
    pub(crate) fn marker(
        &self,
        view: View<'_>,
        at: usize,
        param: &Pattern,
        head: &Head,
    ) -> Result<Option<(Marker, usize)>, NotYet> {
        let mut best: Option<(Marker, usize)> = None;
        for marker in [Marker::Value, Marker::Param, Marker::Call, Marker::Section, Marker::Open, Marker::Tag] {
            let end = self.stands(view, at, marker, param, head)?;
            if let Some(end) = end
                && best.is_none_or(|(_, longest)| end > longest)
            {
                best = Some((marker, end));
            }
        }
        Ok(best)
    }

    /// Returns the first of `markers` that follows `at`, blanks skipped.
    pub(crate) fn follows(
        &self,
        view: View<'_>,
        at: usize,
        markers: &[Marker],
        param: &Pattern,
        head: &Head,
    ) -> Result<Option<Marker>, NotYet> {
        let at = skip_gap(view, at)?;
        if view.byte(at)?.is_none() {
            return Ok(Some(Marker::End));
        }
        for marker in markers {
            if self.stands(view, at, *marker, param, head)?.is_some() {
                return Ok(Some(*marker));
            }
        }
        Ok(None)
    }

    fn stands(
        &self,
        view: View<'_>,
        at: usize,
        marker: Marker,
        param: &Pattern,
        head: &Head,
    ) -> Result<Option<usize>, NotYet> {
        match marker {
            Marker::Value => first(view, at, param, head),
            Marker::Param => self.param_opener(view, at, head),
            Marker::Call => first(view, at, self.pattern(), head),
            Marker::Section => self.section_closer(view, at, head),
            Marker::Open => self.opener(view, at, head),
            Marker::Tag if param.tail.first().is_some_and(Literal::is_closing_tag) => {
                Ok(view.starts_with(at, "</")?.then_some(at + 2))
            }
            Marker::Tag | Marker::End => Ok(None),
        }
    }

    /// Returns the end of a parameter's opening literal; where that is a tag of the key's name, the key must be declared.
    fn param_opener(&self, view: View<'_>, at: usize, head: &Head) -> Result<Option<usize>, NotYet> {
        let mut best = None;
        for param in &self.dialect().params {
            let end = if param.has_key_tag() {
                self.key_tag(view, at, param, head)?
            } else {
                param.opening().map_or(Ok(None), |opening| stands(view, at, opening, head))?
            };
            best = best.max(end);
        }
        Ok(best)
    }

    fn key_tag(&self, view: View<'_>, at: usize, param: &Pattern, head: &Head) -> Result<Option<usize>, NotYet> {
        let mut inner = Head { mark: head.mark.clone(), ..Head::default() };
        let end = nodes(view, at, &param.head, None, &mut inner)?;
        Ok(end.filter(|_| inner.key.is_some_and(|key| self.declares(&key))))
    }

    fn section_closer(&self, view: View<'_>, at: usize, head: &Head) -> Result<Option<usize>, NotYet> {
        match self.engine.section(self.form).and_then(|section| section.tail.first()) {
            Some(closer) if closer.is_strong() => stands(view, at, closer, head),
            _ => Ok(None),
        }
    }

    /// Returns the end of a strong opening literal of this dialect's calls and sections.
    pub(crate) fn opener(&self, view: View<'_>, at: usize, head: &Head) -> Result<Option<usize>, NotYet> {
        let dialect = self.dialect();
        let patterns = dialect.calls.iter().chain(&dialect.sections);
        let mut best = None;
        for opening in patterns.filter_map(Pattern::opening).filter(|opening| opening.is_strong()) {
            best = best.max(stands(view, at, opening, head)?);
        }
        Ok(best)
    }

    /// Returns the end of the longest closer of the call or its section that stands at `at`.
    pub(crate) fn any_closer(&self, view: View<'_>, at: usize, head: &Head) -> Result<Option<usize>, NotYet> {
        let section = self.engine.section(self.form).into_iter().flat_map(|section| &section.tail);
        let mut best = None;
        for closer in self.pattern().tail.iter().chain(section) {
            best = best.max(stands(view, at, closer, head)?);
        }
        Ok(best)
    }

    /// Says whether a call of this dialect becomes ready at `at`.
    pub(crate) fn call_begins(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        contest::begins(self.engine, view, at, self.form.dialect)
    }
}

fn first(view: View<'_>, at: usize, pattern: &Pattern, head: &Head) -> Result<Option<usize>, NotYet> {
    match pattern.tail.first() {
        Some(closer) => stands(view, at, closer, head),
        None => Ok(None),
    }
}

/// Returns the name of a bare tag whose `<` or `</` ends at `at`, and the tag's end.
pub(crate) fn named_tag(view: View<'_>, at: usize) -> Result<Option<(&str, usize)>, NotYet> {
    let Some(end) = name_end(view, at)? else { return Ok(None) };
    Ok((view.byte(end)? == Some(b'>')).then(|| (view.slice(at, end), end + 1)))
}

/// The markers around a JSON body.
pub(crate) struct AroundJson<'s> {
    pub(crate) scene: Scene<'s>,
    pub(crate) head: &'s Head,
}

impl json::Markers for AroundJson<'_> {
    fn stop(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        if matches!(view.byte(at)?, None | Some(b'}' | b']' | b',' | b'"' | b'\'' | b')')) {
            return Ok(None);
        }
        let closer = self.scene.any_closer(view, at, self.head)?;
        Ok(closer.max(self.scene.opener(view, at, self.head)?))
    }

    fn may_begin(&self, byte: u8) -> bool {
        self.scene.engine.catalog.marker_bytes[self.scene.form.dialect].contains(byte)
            && !matches!(byte, b'}' | b']' | b',' | b'"' | b'\'' | b')' | b'>')
    }

    fn doubt(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        if self.scene.opener(view, at, self.head)?.is_some() {
            return Ok(true);
        }
        let section = self.scene.engine.section(self.scene.form).into_iter().flat_map(|section| &section.tail);
        for closer in self.scene.pattern().tail.iter().chain(section).filter(|closer| closer.is_strong()) {
            if stands(view, at, closer, self.head)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn ends_string(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        let mut after = skip_gap(view, at)?;
        while let Some(end) = self.scene.any_closer(view, after, self.head)? {
            after = skip_gap(view, end)?;
        }
        if view.byte(after)?.is_none() {
            return Ok(after > at);
        }
        self.scene.call_begins(view, after)
    }
}
