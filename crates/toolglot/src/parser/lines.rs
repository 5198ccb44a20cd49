//! `{lines}`: lines of `key: value` up to the call's closer, typed by the schema.

use std::ops::Range;

use super::call_context::CallContext;
use super::content;
use super::head::{HeadText, name_end};
use super::object::{ArgumentsObject, BareText};
use crate::dialect::BodyKind;
use crate::json::{Ended, ValueOutcome};
use crate::lines::{self, LineValue};
use crate::sink::Sink;
use crate::view::NotYet;

/// Reads lines; all of them are held until their end is visible, since the last may show that they are prose.
#[derive(Clone, Debug)]
pub(crate) struct LinesReader {
    /// Where the lines began.
    pub(super) start: usize,
    pub(super) scan: usize,
}

impl LinesReader {
    pub(crate) fn new(at: usize) -> Self {
        Self { start: at, scan: at }
    }

    /// Reads to the call's closer, which is not consumed; ambiguous lines break the call.
    pub(crate) fn resume(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<ValueOutcome, NotYet> {
        let (at, how) = self.find_end(context)?;
        let text = context.view.slice(self.start, at);
        let whole_lines = || text.rfind('\n').and_then(|end| lines::members(&text[..end]));
        let members = lines::members(text).or_else(|| whole_lines().filter(|_| how == Ended::Truncated));
        let mut object = ArgumentsObject::of_attributes(self.start, context, sink);
        for member in members.iter().flatten() {
            let place = |range: &Range<usize>| self.start + range.start..self.start + range.end;
            let (key, value) = (HeadText::new(member.key, place(&member.key_at)), place(&member.value_at));
            match &member.value {
                LineValue::One(scalar) => {
                    let text = BareText { text: &scalar.text, upto: value.end, span: value };
                    object.text_member(&key, &text, scalar.hint, context, sink);
                }
                LineValue::List(_) => object.said_member(&key, value, &member.value, context, sink),
            }
        }
        let cut = context.engine.options.is_cut();
        let how = match how {
            _ if members.is_none() => Ended::Broken,
            Ended::Truncated if text.ends_with('\n') && object.is_whole(context) && !cut => Ended::Cut,
            how => how,
        };
        match how {
            Ended::Truncated | Ended::Broken => sink.pass_arguments(at),
            _ => object.end(at, context, sink),
        }
        Ok(ValueOutcome { at, how })
    }

    /// Finds the closer, any closing tag on a line of its own, or another call.
    fn find_end(&mut self, context: &CallContext<'_>) -> Result<(usize, Ended), NotYet> {
        while let Some(ahead) = context.markers().find(context.view.rest(self.scan)) {
            let at = self.scan + ahead;
            self.scan = at;
            let tag =
                at > self.start && context.view.slice(self.start, at).trim_end_matches([' ', '\t']).ends_with('\n');
            if context.any(at, context.closer())?.is_some() || tag && context.view.starts_with(at, "</")? {
                return Ok((at, Ended::Complete));
            }
            if content::opens_call(at, context)? {
                return Ok((at, Ended::Cut));
            }
            self.scan = at + 1;
        }
        self.scan = context.view.end();
        Ok((context.view.final_end()?, Ended::Truncated))
    }
}

/// Returns whether lines begin at `at`: a parameter's key and its separator.
pub(crate) fn begin(at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    let at = context.view.skip_blanks(at)?;
    let Some(end) = name_end(context.view, at)? else { return Ok(false) };
    let separator = context.view.byte(context.view.skip_blanks(end)?)?;
    // A key must be declared; where nothing is, any may be one if no pattern of the dialect takes plain text.
    let plain = || context.dialect().calls.iter().any(|call| call.kind() == Some(BodyKind::Content));
    let is_key = || context.declares(context.view.slice(at, end)) || context.is_open() && !plain();
    Ok(matches!(separator, Some(b':' | b'=')) && is_key())
}
