//! The wrappers of calls: a section, or a JSON array in one call's tags; the calls in it, and its closers.

use std::ops::Range;

use super::call_context::CallContext;
use super::catalog::PatternRef;
use super::closing::{extra_brackets, wrong_tag};
use super::engine::Engine;
use crate::diagnostic::Code;
use crate::dialect::Literal;
use crate::view::NotYet;

/// A wrapper of calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrapper {
    /// A section; its literals close it.
    Section,
    /// A JSON array of calls inside one call's tags.
    Array { call: Option<usize>, bracket: bool },
}

/// Where closers end, and the fault of the last one.
pub(crate) type WrapperClose = (usize, Option<(Code, Range<usize>)>);

impl Wrapper {
    /// Returns the literals that close the wrapper.
    pub(crate) fn tail(self, engine: &Engine, pattern_ref: PatternRef) -> &[Literal] {
        match self {
            Self::Section => engine.section(pattern_ref).map_or(&[], |section| &section.tail),
            Self::Array { call, .. } => &engine.pattern(PatternRef { call, ..pattern_ref }).tail,
        }
    }

    /// Returns the forms of the calls that the wrapper may contain.
    pub(crate) fn forms(self, engine: &Engine, pattern_ref: PatternRef) -> Vec<PatternRef> {
        match self {
            Self::Array { .. } => vec![PatternRef { call: None, ..pattern_ref }],
            Self::Section if engine.is_alone(pattern_ref) => Vec::new(),
            Self::Section => (0..engine.dialect(pattern_ref).calls.len())
                .map(|call| PatternRef { call: Some(call), ..pattern_ref })
                .collect(),
        }
    }

    /// Returns whether the wrapper has a required closer.
    pub(crate) fn must_close(self, engine: &Engine, pattern_ref: PatternRef) -> bool {
        match self {
            Self::Section => self.tail(engine, pattern_ref).first().is_some_and(|closer| !closer.is_optional()),
            Self::Array { .. } => true,
        }
    }

    /// Returns the end of the closers at `at`, and their fault; `None` if none of them is there.
    pub(crate) fn closers(self, at: usize, context: &CallContext<'_>) -> Result<Option<WrapperClose>, NotYet> {
        let mut found =
            ClosersRead { at, end: None, bracket: matches!(self, Self::Array { bracket: true, .. }), wrong: None };
        if found.bracket {
            let stands = context.view.byte(at)? == Some(b']');
            found.end = stands.then_some(at + 1);
            found.wrong = (!stands).then_some((Code::MissingBracket, at..at));
        }
        let mut tail = self.tail(context.engine, *context.pattern_ref);
        while let Some((closer, later)) = tail.split_first() {
            found.read(closer, later, context)?;
            tail = later;
        }
        let Some(end) = found.end else { return Ok(None) };
        match if found.bracket { extra_brackets(end, &[], context)? } else { None } {
            Some(after) => Ok(Some((after, Some((Code::ExtraCloser, end..after))))),
            None => Ok(Some((end, found.wrong))),
        }
    }
}

/// How far the closers of a wrapper have been read.
struct ClosersRead {
    at: usize,
    end: Option<usize>,
    /// The last of them was a bracket.
    bracket: bool,
    wrong: Option<(Code, Range<usize>)>,
}

impl ClosersRead {
    /// Reads one closer; `later` are those after it.
    fn read(&mut self, closer: &Literal, later: &[Literal], context: &CallContext<'_>) -> Result<(), NotYet> {
        let mut next = context.gap(self.end.unwrap_or(self.at))?;
        if let Some(end) = self.end.filter(|_| self.bracket)
            && context.any(next, [closer])?.is_none()
            && let Some(after) = extra_brackets(end, later.iter().chain([closer]), context)?
        {
            (self.end, self.wrong) = (Some(after), Some((Code::ExtraCloser, next..after)));
            next = context.gap(after)?;
        }
        let end = context.any(next, [closer])?;
        if let Some(end) = end
            && (self.wrong.is_none() || !opens_fence(end, context)?)
        {
            (self.end, self.bracket) = (Some(end), closer.is_brackets());
        } else if !closer.is_optional() {
            let other = self.end.is_some() && context.any(next, later)?.is_none();
            let tag = if other { wrong_tag(next, context)? } else { None };
            let place = self.end.unwrap_or(self.at);
            let lacks = if closer.is_brackets() { Code::MissingBracket } else { Code::MissingCloser };
            self.wrong = Some(tag.map_or((lacks, place..place), |after| (Code::WrongCloser, next..after)));
            self.end = tag.or(self.end);
        }
        Ok(())
    }
}

/// Returns whether the closer that ends at `end` is a fence that opens another block: a word follows it.
fn opens_fence(end: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    Ok(context.view.slice(end - 1, end) == "`"
        && context.view.byte(end)?.is_some_and(|byte| byte.is_ascii_alphanumeric()))
}
