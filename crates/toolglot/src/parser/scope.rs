//! What stands around calls: a section, or a JSON array in one call's tags; which calls it holds and what closes it.

use std::ops::Range;

use super::closing::{extra_brackets, wrong_tag};
use super::engine::{Engine, Form};
use super::scene::Scene;
use crate::diagnostic::Code;
use crate::dialect::Literal;
use crate::view::NotYet;

/// What stands around calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope {
    /// A section; its literals close it.
    Section,
    /// A JSON array of calls inside one call's tags.
    Array { call: Option<usize>, bracket: bool },
}

/// Where closers end, and what was wrong with the last one.
pub(crate) type Closed = (usize, Option<(Code, Range<usize>)>);

impl Scope {
    /// Returns the literals that close the scope.
    pub(crate) fn tail(self, engine: &Engine, form: Form) -> &[Literal] {
        match self {
            Self::Section => engine.section(form).map_or(&[], |section| &section.tail),
            Self::Array { call, .. } => &engine.pattern(Form { call, ..form }).tail,
        }
    }

    /// Returns the forms of the calls that the scope may hold.
    pub(crate) fn forms(self, engine: &Engine, form: Form) -> Vec<Form> {
        match self {
            Self::Array { .. } => vec![Form { call: None, ..form }],
            Self::Section if engine.is_alone(form) => Vec::new(),
            Self::Section => {
                (0..engine.dialect(form).calls.len()).map(|call| Form { call: Some(call), ..form }).collect()
            }
        }
    }

    /// Says whether the scope has a closer that may not be missing.
    pub(crate) fn must_close(self, engine: &Engine, form: Form) -> bool {
        match self {
            Self::Section => self.tail(engine, form).first().is_some_and(|closer| !closer.is_optional()),
            Self::Array { .. } => true,
        }
    }

    /// Returns the end of the closers at `at`, and what is wrong with them; `None` if not one of them stands there.
    pub(crate) fn closers(self, at: usize, scene: &Scene<'_>) -> Result<Option<Closed>, NotYet> {
        let mut found =
            Found { at, end: None, bracket: matches!(self, Self::Array { bracket: true, .. }), wrong: None };
        if found.bracket {
            let stands = scene.view.byte(at)? == Some(b']');
            found.end = stands.then_some(at + 1);
            found.wrong = (!stands).then_some((Code::MissingBracket, at..at));
        }
        let mut tail = self.tail(scene.engine, scene.form);
        while let Some((closer, later)) = tail.split_first() {
            found.read(closer, later, scene)?;
            tail = later;
        }
        let Some(end) = found.end else { return Ok(None) };
        match if found.bracket { extra_brackets(end, &[], scene)? } else { None } {
            Some(after) => Ok(Some((after, Some((Code::ExtraCloser, end..after))))),
            None => Ok(Some((end, found.wrong))),
        }
    }
}

/// How far the closers of a scope have been read.
struct Found {
    at: usize,
    end: Option<usize>,
    /// The last of them was a bracket.
    bracket: bool,
    wrong: Option<(Code, Range<usize>)>,
}

impl Found {
    /// Reads one closer; `later` are those behind it.
    fn read(&mut self, closer: &Literal, later: &[Literal], scene: &Scene<'_>) -> Result<(), NotYet> {
        let mut next = scene.gap(self.end.unwrap_or(self.at))?;
        if let Some(end) = self.end.filter(|_| self.bracket)
            && scene.stands(next, closer)?.is_none()
            && let Some(after) = extra_brackets(end, later.iter().chain([closer]), scene)?
        {
            (self.end, self.wrong) = (Some(after), Some((Code::ExtraCloser, next..after)));
            next = scene.gap(after)?;
        }
        let end = scene.stands(next, closer)?;
        if let Some(end) = end
            && (self.wrong.is_none() || !opens_fence(end, scene)?)
        {
            (self.end, self.bracket) = (Some(end), closer.is_brackets());
        } else if !closer.is_optional() {
            let other = self.end.is_some() && scene.any(next, later)?.is_none();
            let tag = if other { wrong_tag(next, scene)? } else { None };
            let place = self.end.unwrap_or(self.at);
            let lacks = if closer.is_brackets() { Code::MissingBracket } else { Code::MissingCloser };
            self.wrong = Some(tag.map_or((lacks, place..place), |after| (Code::WrongCloser, next..after)));
            self.end = tag.or(self.end);
        }
        Ok(())
    }
}

/// Says whether the closer that ends at `end` is the fence that opens another block: a word stands behind it.
fn opens_fence(end: usize, scene: &Scene<'_>) -> Result<bool, NotYet> {
    Ok(scene.view.slice(end - 1, end) == "`" && scene.view.byte(end)?.is_some_and(|byte| byte.is_ascii_alphanumeric()))
}
