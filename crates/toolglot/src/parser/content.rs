//! `{content}`: plain text for the only parameter it can belong to.
//!
//! Text that a tag closes is taken unchanged. Text that another literal closes is a line: white space and quotes around it
//! are not data, it must not look like JSON, and the end of the input may close it. In a block, which has
//! lines of its own, the line breaks at its edges are markup.

use std::collections::BTreeSet;

use super::call_context::CallContext;
use super::head::{HeadText, name_end, named_tag};
use super::object::{ArgumentsObject, BareText};
use super::unread::looks_like_arguments;
use crate::coerce::Hint;
use crate::diagnostic::Code;
use crate::dialect::Literal;
use crate::id::seed_of;
use crate::json::{Ended, ValueOutcome};
use crate::lines;
use crate::schema::{SchemaNode, Types};
use crate::sink::Sink;
use crate::view::NotYet;

/// Reads plain text up to the call's closer, or to another tag that must be meant as one.
#[derive(Clone, Debug)]
pub(crate) struct ContentReader {
    /// Where the text began.
    pub(super) start: usize,
    pub(super) scan: usize,
    /// The start and end of a closing tag that may have closed the call.
    held: Option<(usize, usize)>,
    opened: BTreeSet<u64>,
    /// An attribute shows that this is a call, so an opener inside is data.
    sure: bool,
    object: ArgumentsObject,
}

/// Where the text ends and where reading continues.
struct ContentEdge {
    end: usize,
    next: usize,
    how: Ended,
}

impl ContentReader {
    /// Attributes are the first parameters.
    pub(crate) fn new(at: usize, sure: bool, context: &CallContext<'_>, sink: &mut Sink) -> Self {
        let object = ArgumentsObject::of_attributes(at, context, sink);
        Self { start: at, scan: at, held: None, opened: BTreeSet::new(), sure, object }
    }

    /// Continues reading to the end of the text. A wrong closer is consumed, the right one is not.
    pub(crate) fn resume(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<ValueOutcome, NotYet> {
        let mut edge = self.find_end(context)?;
        let mut text = context.view.slice(self.start, edge.end);
        if is_block(context) {
            text = inside_block(text);
        }
        if is_line(context) {
            text = text.trim();
            let one_line = !text.is_empty() && !text.contains('\n');
            edge.how = match edge.how {
                _ if text.starts_with(['{', '[']) => Ended::Broken,
                // A limit may have cut the line short.
                Ended::Truncated if one_line && !context.engine.options.is_cut() => Ended::Cut,
                how => how,
            };
        }
        let line: Option<String> = serde_json::from_str(text).ok().filter(|_| is_line(context));
        let names = context.root().map_or(&[][..], SchemaNode::properties);
        if !self.sure
            && (lines::is_outline(text, |key| context.declares(key)) || looks_like_arguments(text, names.iter()))
        {
            edge.how = Ended::Broken;
        }
        if let Some(key) = parameter(context).filter(|_| !text.trim().is_empty() || self.object.is_empty()) {
            let key = HeadText { text: key.into(), span: self.start..self.start };
            let value = BareText { text: line.as_deref().unwrap_or(text), span: self.start..edge.end, upto: edge.end };
            self.object.text_member(&key, &value, Hint::None, context, sink);
        }
        match edge.how {
            Ended::Truncated | Ended::Broken => sink.pass_arguments(edge.next),
            _ => self.object.end(edge.end, context, sink),
        }
        if edge.how == Ended::Cut && edge.next > edge.end {
            let message = format!("a different tag closed the call: `{}`", context.view.slice(edge.end, edge.next));
            sink.repair(Code::WrongCloser, edge.end..edge.next, message);
        }
        Ok(ValueOutcome { at: edge.next, how: edge.how })
    }

    fn find_end(&mut self, context: &CallContext<'_>) -> Result<ContentEdge, NotYet> {
        while let Some(ahead) = context.markers().find(context.view.rest(self.scan)) {
            self.scan += ahead;
            let at = self.scan;
            if context.any(at, context.closer())?.is_some() && (!is_line(context) || starts_line(at, context)?) {
                return Ok(ContentEdge { end: at, next: at, how: Ended::Complete });
            }
            let tag = context.view.byte(at)? == Some(b'<');
            if tag && context.view.byte(at + 1)? == Some(b'/') {
                if let Some(edge) = self.closing(at, context)? {
                    return Ok(edge);
                }
            } else if !self.sure && opens_call(at, context)? {
                return Ok(match self.held {
                    Some((end, next)) => ContentEdge { end, next, how: Ended::Cut },
                    None => ContentEdge { end: at, next: at, how: Ended::Broken },
                });
            } else if let Some(end) = if tag { name_end(context.view, at + 1)? } else { None } {
                self.opened.insert(seed_of(context.view.slice(at + 1, end).as_bytes()));
            }
            self.scan = at + 1;
        }
        self.scan = context.view.end();
        let end = context.view.final_end()?;
        Ok(match self.held {
            Some((end, next)) => ContentEdge { end, next, how: Ended::Cut },
            None => ContentEdge { end, next: end, how: Ended::Truncated },
        })
    }

    /// A closing tag that the text did not open closes the call if it resembles the call's name or the generic one.
    fn closing(&mut self, at: usize, context: &CallContext<'_>) -> Result<Option<ContentEdge>, NotYet> {
        let Some((name, next)) = named_tag(context.view, at + 2)? else { return Ok(None) };
        let called = context.head.name().unwrap_or_default();
        let like = name.to_lowercase().starts_with(&called.to_lowercase()) || closes_any(name, context);
        if self.opened.contains(&seed_of(name.as_bytes())) || !like {
            return Ok(None);
        }
        let held = *self.held.get_or_insert((at, next));
        let over = context.view.byte(context.view.skip_blanks(next)?)?.is_none();
        Ok(over.then_some(ContentEdge { end: held.0, next: held.1, how: Ended::Cut }))
    }
}

/// Returns whether a closing tag begins like one that closes calls of any tool in this dialect: `</use_x>` like `</use_tool>`.
fn closes_any(name: &str, context: &CallContext<'_>) -> bool {
    let stem = |name: &str| name.split_once('_').map(|(stem, _)| stem.to_owned());
    let closers =
        context.dialect().calls.iter().flat_map(|call| &call.tail).flat_map(|closer| closer.filled(None, None, None));
    let mut stems = closers.filter_map(|closer| stem(closer.strip_prefix("</")?));
    stem(name).is_some_and(|own| stems.any(|stem| stem == own))
}

/// Returns whether the text is a line, and not the content of a tag.
fn is_line(context: &CallContext<'_>) -> bool {
    !context.closer().is_some_and(Literal::is_closing_tag)
}

/// Returns whether the text has lines of its own.
fn is_block(context: &CallContext<'_>) -> bool {
    context.pattern().body.as_ref().is_some_and(|body| body.line_before && body.line_after)
}

/// Trims one line break from each edge of a block, with the spaces after the opener on its line.
fn inside_block(text: &str) -> &str {
    let start = text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or_else(|| text.trim_start_matches(' '));
    start.strip_suffix("\r\n").or(start.strip_suffix('\n')).unwrap_or(start)
}

fn starts_line(mut at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    while at > 0 && matches!(context.view.byte(at - 1)?, Some(b' ' | b'\t' | b'*')) {
        at -= 1;
    }
    Ok(at == 0 || context.view.byte(at - 1)? == Some(b'\n'))
}

/// Returns whether one of the dialect's calls opens at `at`, by its marker or by a declared tool's bare tag.
pub(crate) fn opens_call(at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    let tag = if context.view.byte(at)? == Some(b'<') { named_tag(context.view, at + 1)? } else { None };
    Ok(tag.is_some_and(|(name, _)| context.engine.knows(name)) || context.opener(at)?.is_some())
}

/// Returns the parameter that plain text belongs to: `content`, otherwise the only free one.
pub(crate) fn parameter(context: &CallContext<'_>) -> Option<String> {
    let Some(root) = context.root().filter(|root| !root.properties().is_empty()) else {
        return Some("content".to_owned());
    };
    let free = |key: &&String| context.head.attributes.iter().all(|(given, _)| *given.text != ***key);
    let all: Vec<&String> = root.properties().iter().filter(free).collect();
    let required: Vec<&String> = root.required().iter().filter(free).collect();
    let content = all.iter().copied().find(|key| *key == "content");
    let only = |keys: &[&String]| if let [key] = keys { Some((*key).clone()) } else { None };
    let fits = |node: SchemaNode<'_>| node.types().is_open() || node.types().has(Types::STRING);
    let text = |key: &String| root.property(key).is_none_or(fits).then(|| key.clone());
    let content = content.filter(|_| !is_line(context) && !is_block(context) || required.len() < 2);
    content.cloned().or_else(|| only(&required)).or_else(|| only(&all).and_then(|key| text(&key)))
}
