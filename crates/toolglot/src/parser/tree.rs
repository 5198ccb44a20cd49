//! `{tree}`: nested elements; the schema determines which are objects and which are arrays.

use super::call_context::CallContext;
use super::head::{Head, HeadText, nodes, stands};
use crate::coerce::{self, Hint};
use crate::dialect::{Literal, Pattern};
use crate::json;
use crate::schema::{NodeId, SchemaNode, Types};
use crate::view::{NotYet, View};

/// An open element.
struct OpenElement {
    head: Head,
    node: Option<NodeId>,
    start: usize,
    children: Vec<(String, String)>,
}

/// The data of an element.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// The JSON of its children, and where the element ends.
    Whole(String, usize),
    /// Text: it has no children.
    Text,
    /// It has children, one of which does not end before the call does.
    Torn,
}

/// Reads the children of the element in `head` whose data begins at `start`.
pub(crate) fn read(start: usize, context: &CallContext<'_>, param: &Pattern) -> Result<Tree, NotYet> {
    let (view, head) = (context.view, context.head);
    let key = head.key().to_owned();
    let node = context.parameter(context.meant(&key));
    // An element nests if its schema says so, or if its markers cannot be text.
    let (types, strong) =
        (node.map_or(Types::OPEN, SchemaNode::types), param.opening().is_some_and(Literal::is_strong));
    let nests = types.has(Types::OBJECT | Types::ARRAY) || types.is_open() && strong;
    if !nests {
        return Ok(Tree::Text);
    }
    let mut frames = vec![open(key, node, start, head)];
    let mut at = start;
    while let Some(frame) = frames.last() {
        at = view.skip_blanks(at)?;
        let node = context.node(frame.node);
        if let Some(end) = stands(view, at, param.tail.first(), &frame.head)? {
            let Some(json) = frame.finish(view, at, context, frames.len() == 1) else { return Ok(Tree::Text) };
            at = end;
            if let Some(whole) = hand_up(&mut frames, json) {
                return Ok(Tree::Whole(whole, end));
            }
        } else if let Some((key, end)) = child(at, context, param, frame)?
            && frames.len() < context.engine.options.limits.depth
        {
            let is_list = |node: &SchemaNode<'_>| node.types().only(Types::ARRAY | Types::NULL);
            let node = node.and_then(|node| if is_list(&node) { node.item(0) } else { node.property(&key) });
            frames.push(open(key, node, end, head));
            at = end;
        } else if frame.children.is_empty() {
            if frames.len() == 1 {
                return if is_text(at, context, param, frame)? { Ok(Tree::Text) } else { Ok(Tree::Torn) };
            }
            let Some((end, next)) = leaf_end(context, param, frame)? else { return Ok(Tree::Torn) };
            let json = leaf(view.slice(frame.start, end), node, context);
            at = next;
            hand_up(&mut frames, json);
        } else {
            return Ok(Tree::Torn);
        }
    }
    Ok(Tree::Text)
}

fn open(key: String, node: Option<SchemaNode<'_>>, start: usize, head: &Head) -> OpenElement {
    let head = Head { key: Some(HeadText::new(&key, start..start)), ..head.inner() };
    OpenElement { head, node: node.map(SchemaNode::id), start, children: Vec::new() }
}

/// Adds a finished element to its parent; returns it if it has none.
fn hand_up(frames: &mut Vec<OpenElement>, json: String) -> Option<String> {
    let key = frames.pop()?.head.key().to_owned();
    match frames.last_mut() {
        Some(parent) => {
            parent.children.push((key, json));
            None
        }
        None => Some(json),
    }
}

/// Returns the key of a child element that opens at `at`, and where its data begins.
fn child(
    at: usize,
    context: &CallContext<'_>,
    param: &Pattern,
    frame: &OpenElement,
) -> Result<Option<(String, usize)>, NotYet> {
    let mut inner = frame.head.inner();
    let Some(end) = nodes(context.view, at, &param.head, None, &mut inner)? else { return Ok(None) };
    let key = inner.key().to_owned();
    let types = context.node(frame.node).map_or(Types::OPEN, SchemaNode::types);
    let known = types.has(Types::ARRAY | Types::OBJECT) || types.is_open() && key == "item";
    let may = known || param.opening().is_some_and(Literal::is_strong);
    Ok(may.then_some((key, end)))
}

/// Returns where a leaf's text ends and its closer ends, if that is before a marker of the call or of another.
fn leaf_end(context: &CallContext<'_>, param: &Pattern, frame: &OpenElement) -> Result<Option<(usize, usize)>, NotYet> {
    let view = context.view;
    let first = param.tail.first().and_then(|closer| closer.spellings.first()).map(|spelling| spelling.opener());
    let Some(first) = first.and_then(|opener| opener.bytes().next()) else { return Ok(None) };
    let mut at = frame.start;
    while let Some(ahead) = memchr::memchr(first, view.rest(at)) {
        at += ahead;
        if let Some(end) = stands(view, at, param.tail.first(), &frame.head)? {
            return Ok(Some((at, end)));
        }
        let marks = context.any_closer(at)?.or(context.any_strong(at)?).or(context.opener(at)?);
        if marks.is_some() {
            return Ok(None);
        }
        at += 1;
    }
    view.final_end().map(|_| None)
}

/// Returns whether the text at `at`, in a parameter without a child there, may be text: its type allows it, or it is JSON, or
/// no marker precedes the parameter's own closer.
fn is_text(at: usize, context: &CallContext<'_>, param: &Pattern, root: &OpenElement) -> Result<bool, NotYet> {
    let types = context.node(root.node).map_or(Types::OPEN, SchemaNode::types);
    let typed = types.is_open() || types.has(Types::STRING) || matches!(context.view.byte(at)?, Some(b'{' | b'['));
    let strong = param.opening().is_some_and(Literal::is_strong);
    Ok(typed || !strong || leaf_end(context, param, root)?.is_some())
}

fn leaf(text: &str, node: Option<SchemaNode<'_>>, context: &CallContext<'_>) -> String {
    let inner = text.trim_ascii().strip_prefix("<![CDATA[").and_then(|text| text.strip_suffix("]]>"));
    let mut json = String::new();
    coerce::text(inner.unwrap_or(text), node, Hint::None, &context.engine.options, &mut json, &mut Vec::new());
    json
}

impl OpenElement {
    /// Returns the element's JSON when its closer is at `at`; `None` for a root that is plain text.
    fn finish(&self, view: View<'_>, at: usize, context: &CallContext<'_>, is_root: bool) -> Option<String> {
        let node = context.node(self.node);
        let types = node.map_or(Types::OPEN, SchemaNode::types);
        if !self.children.is_empty() {
            return Some(fold(&self.children, node));
        }
        match () {
            () if types.has(Types::ARRAY) => Some("[]".to_owned()),
            () if types.has(Types::OBJECT) => Some("{}".to_owned()),
            () if is_root => None,
            () => Some(leaf(view.slice(self.start, at), node, context)),
        }
    }
}

/// Combines children: an array if the schema says so or all are items, otherwise an object; repeated keys are arrays.
fn fold(children: &[(String, String)], node: Option<SchemaNode<'_>>) -> String {
    let types = node.map_or(Types::OPEN, SchemaNode::types);
    let items = types.is_open() && children.iter().all(|(key, _)| key == "item");
    if types.has(Types::ARRAY) && !types.has(Types::OBJECT) || items {
        let values: Vec<&str> = children.iter().map(|(_, value)| value.as_str()).collect();
        return format!("[{}]", values.join(", "));
    }
    let mut members: Vec<(&str, Vec<&str>)> = Vec::new();
    for (key, value) in children {
        match members.iter_mut().find(|(seen, _)| seen == key) {
            Some((_, values)) => values.push(value),
            None => members.push((key, vec![value])),
        }
    }
    let mut out = String::from("{");
    for (number, (key, values)) in members.iter().enumerate() {
        out.push_str(if number == 0 { "" } else { ", " });
        json::write_string(key, &mut out);
        out.push_str(": ");
        match values[..] {
            [one] => out.push_str(one),
            _ => out.push_str(&format!("[{}]", values.join(", "))),
        }
    }
    out + "}"
}
