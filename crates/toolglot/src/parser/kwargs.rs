//! `{kwargs}`: Python keyword arguments up to the closing parenthesis.

use super::call_context::CallContext;
use super::head::{HeadText, escaped_name, name_end};
use super::object::{ArgumentsObject, check_declared, duplicate};
use super::plain_kwargs::PlainKwargs;
use crate::diagnostic::Code;
use crate::json::{Context, Ended, JsonReader, ValueOutcome, ValuePosition};
use crate::schema::SchemaNode;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Reads keyword arguments into an arguments object.
#[derive(Clone, Debug)]
pub(crate) struct KwargsReader {
    /// The start of the arguments.
    pub(super) start: usize,
    at: usize,
    object: ArgumentsObject,
    value: Option<KeywordValue>,
    /// It is known whether all of them are complete and plain.
    begun: bool,
}

/// The value that is being read.
#[derive(Clone, Debug)]
struct KeywordValue {
    reader: JsonReader,
    /// A repeated argument: its value is dropped.
    repeated: Option<HeadText>,
}

impl KwargsReader {
    pub(crate) fn new(at: usize) -> Self {
        Self { start: at, at, object: ArgumentsObject::default(), value: None, begun: false }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.value.as_ref().map_or(self.at, |value| value.reader.anchor())
    }

    pub(crate) fn pass_plain(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> bool {
        let within = context.is_within(self.start);
        let value = self.value.as_mut().filter(|value| value.repeated.is_none() && within);
        value.is_some_and(|value| value.reader.pass_plain(context, sink))
    }

    /// Continues reading until the parenthesis closes; it is not consumed.
    pub(crate) fn resume(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<ValueOutcome, NotYet> {
        if !std::mem::replace(&mut self.begun, true)
            && let Some(plain) = PlainKwargs::at(self.start, context)
        {
            plain.write(sink);
            self.at = plain.end;
            return Ok(ValueOutcome { at: self.at, how: Ended::Complete });
        }
        loop {
            if let Some(KeywordValue { reader, repeated }) = &mut self.value {
                let json_context = Context { given: Some(self.object.keys()), ..context.json(None) };
                let end = match repeated {
                    None => reader.resume(context.view, &json_context, sink)?,
                    Some(key) => {
                        let mut nowhere = sink.aside(sink.cursor());
                        let end = reader.resume(context.view, &json_context, &mut nowhere)?;
                        sink.wasted_lookahead = nowhere.wasted_lookahead;
                        duplicate(key, end.at, sink);
                        end
                    }
                };
                (self.at, self.value) = (end.at, None);
                match end.how {
                    Ended::Complete => {}
                    // A marker ended the value and with it the call.
                    Ended::Cut => return Ok(self.end(end.at, Ended::Cut, context, sink)),
                    how => return Ok(self.cut(end.at, how, sink)),
                }
            }
            if let Some(end) = self.between(context, sink)? {
                return Ok(end);
            }
        }
    }

    fn between(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<Option<ValueOutcome>, NotYet> {
        let at = context.gap(self.at)?;
        match context.view.byte(at)? {
            Some(b')') => return Ok(Some(self.end(at, Ended::Complete, context, sink))),
            Some(b',') => {
                self.at = at + 1;
                return Ok(None);
            }
            Some(_) => {}
            None => return Ok(Some(self.cut(at, Ended::Truncated, sink))),
        }
        if context.opener(at)?.is_some() {
            return Ok(Some(self.cut(at, Ended::Broken, sink)));
        }
        if context.any_closer(at)?.is_some() {
            return Ok(Some(self.end(at, Ended::Cut, context, sink)));
        }
        let Some((key, start)) = keyword(context.view, at)? else {
            // A first value without a keyword can be the one parameter.
            let first = self.object.is_empty() && begins_literal(context.view, at)?;
            if let Some(key) = context.root().and_then(SchemaNode::only_property).filter(|_| first) {
                sink.repair(Code::PositionalArgument, at..at, Code::PositionalArgument.row().about);
                self.begin(HeadText::new(key, at..at), at, context, sink);
                return Ok(None);
            }
            // After a comma another argument was to come.
            let whole = !self.object.is_empty() && context.view.byte(self.at - 1)? != Some(b',');
            if context.pattern_ref.section.is_some() && whole && context.next_call(at)?.is_some() {
                return Ok(Some(self.end(at, Ended::Cut, context, sink)));
            }
            sink.repair(Code::JunkInCall, at..at, "positional argument; keyword expected");
            return Ok(Some(self.cut(at, Ended::Broken, sink)));
        };
        if key.text.len() < key.span.len() {
            let quoted = context.view.byte(key.span.start)?.is_some_and(is_quote);
            let code = if quoted { Code::MissingQuote } else { Code::MarkdownEscape };
            sink.repair(code, key.span.clone(), code.row().about);
        }
        if context.view.slice(key.span.end, start).contains(':') {
            sink.repair(Code::WrongSeparator, key.span.end..start, "expected `=`, found `:`");
        }
        self.begin(key, start, context, sink);
        Ok(None)
    }

    /// Ends the arguments; if their bracket is missing, all required ones must be present.
    fn end(&self, at: usize, how: Ended, context: &CallContext<'_>, sink: &mut Sink) -> ValueOutcome {
        if how == Ended::Cut && self.object.missing(context).next().is_some() {
            return self.cut(at, Ended::Broken, sink);
        }
        self.object.end(at, context, sink);
        ValueOutcome { at, how }
    }

    fn cut(&self, at: usize, how: Ended, sink: &mut Sink) -> ValueOutcome {
        sink.pass_arguments(at);
        ValueOutcome { at, how }
    }

    fn begin(&mut self, key: HeadText, start: usize, context: &CallContext<'_>, sink: &mut Sink) {
        let name = context.meant(&key.text);
        let node = context.parameter(name).map(SchemaNode::id);
        let new = self.object.key(name, start, sink);
        if new {
            check_declared(&key, name, context, sink);
        }
        let undeclared = context.root().is_some_and(|root| root.is_undeclared(name));
        let reader = JsonReader::new(start, ValuePosition::Keyword, node).of_undeclared(undeclared);
        self.value = Some(KeywordValue { reader, repeated: (!new).then_some(key) });
        self.at = start;
    }
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

/// Reads `name =`, not `==`, or `name:`, with or without quotes; returns the name and where the value begins.
pub(crate) fn keyword(view: View<'_>, at: usize) -> Result<Option<(HeadText, usize)>, NotYet> {
    let quote = view.byte(at)?.filter(|first| is_quote(*first));
    let start = at + usize::from(quote.is_some());
    let word = name_end(view, start)?;
    let plain = || word.map(|end| HeadText::new(view.slice(start, end), start..end));
    let Some(mut name) = escaped_name(view, start, word)?.or_else(plain) else { return Ok(None) };
    if quote.is_some() && view.byte(name.span.end)? != quote {
        return Ok(None);
    }
    name.span = at..name.span.end + usize::from(quote.is_some());
    let separator = view.skip_blanks(name.span.end)?;
    let behind = view.byte(separator + 1)?;
    let separates = match view.byte(separator)? {
        Some(b'=') => behind != Some(b'='),
        Some(b':') => !matches!(behind, Some(b'=' | b':')),
        _ => false,
    };
    Ok(if separates { Some((name, view.skip_blanks(separator + 1)?)) } else { None })
}

/// Returns whether the text at `at` can only be a value: a string, a number, a list.
pub(crate) fn begins_literal(view: View<'_>, at: usize) -> Result<bool, NotYet> {
    Ok(view.byte(at)?.is_some_and(|first| first.is_ascii_digit() || matches!(first, b'"' | b'\'' | b'-' | b'[')))
}
