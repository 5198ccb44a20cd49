//! Values that are held back because their end decides what they are.

use std::ops::Range;

use super::reader::Turn;
use super::value::excerpt;
use super::write::{decode, source_offset, write_string};
use super::{Context, NoMarkers, Place, Whole, read_at_level};
use crate::coerce;
use crate::diagnostic::Code;
use crate::schema::{Node, NodeId, Types};

/// What is held, as strict JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct Hold {
    kind: Option<Kind>,
    text: String,
    /// Where in the input it began.
    from: usize,
    /// How many diagnostics there had been by then.
    said: usize,
    /// How many brackets were open.
    depth: usize,
    node: Option<NodeId>,
    /// The first parameter's name, its place, and where in `text` its value begins.
    wrapper: Option<(String, Range<usize>)>,
    value: usize,
}

/// Why something is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The arguments up to their first key, which may be a wrapper.
    Head,
    /// The arguments, whose first parameter looks like a wrapper.
    Wrapper,
    /// A string where the schema wants something else.
    String,
    /// An object or array where the schema wants a string or another scalar.
    Bracket,
}

/// Members that models put around the arguments.
pub(crate) const WRAPPERS: [&str; 5] = ["arguments", "parameters", "args", "input", "properties"];

/// So many findings inside a string are given their own place, which is a search for each.
const PLACED: usize = 64;

/// JSON in strings in strings is decoded so many times, and taken out of so many wrappers.
const LEVELS: u8 = 3;

/// What was taken off the input before a reader got to see it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    strings: u8,
    wrappers: u8,
}

impl Hold {
    pub(super) fn is_on(&self) -> bool {
        self.kind.is_some()
    }
}

impl Turn<'_> {
    /// Holds the arguments if they could stand inside a wrapper.
    pub(super) fn hold_head(&mut self) {
        let declares = self.context.schema.is_some_and(|schema| !schema.root().properties().is_empty());
        if declares
            && self.wrapper_misfits()
            && self.reader.level.wrappers < LEVELS
            && self.sink.allows(Code::Wrapper)
            && !self.reader.hold.is_on()
        {
            self.hold(Kind::Head, None);
        }
    }

    pub(super) fn hold_string(&mut self, node: Option<NodeId>) {
        if !self.reader.hold.is_on() {
            self.hold(Kind::String, node);
        }
    }

    /// Says whether arguments with no member but an undeclared one are wrong, so that it may be a wrapper.
    fn wrapper_misfits(&self) -> bool {
        self.context.schema.is_some_and(|schema| schema.root().is_closed() || !schema.root().required().is_empty())
    }

    pub(super) fn hold_bracket(&mut self, node: NodeId) {
        self.hold(Kind::Bracket, Some(node));
    }

    fn hold(&mut self, kind: Kind, node: Option<NodeId>) {
        let hold = &mut self.reader.hold;
        hold.kind = Some(kind);
        hold.from = self.reader.at;
        hold.said = self.sink.diagnosed();
        hold.depth = self.reader.stack.len();
        hold.node = node;
        hold.text.clear();
    }

    /// Adds to what is held, or lets it go where it becomes too long.
    pub(super) fn hold_on(&mut self, json: &str) {
        let at = self.reader.hold.from;
        self.reader.hold.text.push_str(json);
        if self.reader.hold.text.len() > self.context.options.limits.held && !self.holds_root_string() {
            self.sink().diagnose(Code::LimitHeld, at..at, "a value is too long to be held and passes as it is");
            self.release_held();
        }
    }

    pub(super) fn holds_root_string(&self) -> bool {
        self.reader.hold.kind == Some(Kind::String) && self.is_root()
    }

    /// Emits what is held as it stands.
    pub(super) fn release_held(&mut self) {
        if self.reader.hold.is_on() {
            let text = std::mem::take(&mut self.reader.hold.text);
            self.release(&text);
            self.reader.hold.text = text;
            if let Some((key, span)) = self.reader.hold.wrapper.take() {
                self.parameter(&key, span);
            }
        }
    }

    pub(super) fn release_string(&mut self) {
        if self.reader.hold.kind == Some(Kind::String) {
            self.release_held();
        }
    }

    pub(super) fn drop_held(&mut self) {
        self.reader.hold.kind = None;
        self.reader.hold.text.clear();
    }

    fn release(&mut self, json: &str) {
        self.reader.hold.kind = None;
        self.put(json);
    }

    /// The first key is known: says whether it may be a wrapper, so that holding goes on.
    pub(super) fn hold_wrapper(&mut self, key: &str, span: &Range<usize>) -> bool {
        if self.reader.hold.kind != Some(Kind::Head) {
            return false;
        }
        let declared = self.context.schema.is_some_and(|schema| schema.root().declares(key));
        if !WRAPPERS.contains(&key) || declared {
            self.release_held();
            return false;
        }
        self.reader.hold.kind = Some(Kind::Wrapper);
        self.reader.hold.wrapper = Some((key.to_owned(), span.clone()));
        self.reader.hold.value = self.reader.hold.text.len();
        true
    }

    /// A member begins; a second one says that the first was no wrapper.
    pub(super) fn member_start(&mut self) {
        let outermost = self.reader.stack.len() == 1;
        let Some(frame) = self.reader.stack.last_mut() else { return };
        frame.members += 1;
        if outermost && frame.members > 1 && self.reader.hold.kind == Some(Kind::Wrapper) {
            self.release_held();
        }
    }

    /// The arguments are about to close: takes them out of their wrapper, if they stood in one.
    pub(super) fn unwrap_held(&mut self) -> bool {
        match self.reader.hold.kind {
            Some(Kind::Wrapper) => {}
            Some(Kind::Head) => {
                self.release_held();
                return false;
            }
            _ => return false,
        }
        let held = &self.reader.hold.text;
        let value = held[self.reader.hold.value..].trim_start().trim_start_matches(':').trim_start();
        let start = held.len() - value.len();
        let level = Level { wrappers: self.reader.level.wrappers + 1, ..self.reader.level };
        let Some(whole) = self.reread(value.trim_end(), None, level).filter(|whole| whole.json.starts_with('{')) else {
            self.release_held();
            return false;
        };
        let span = self.reader.hold.from..self.reader.at;
        let as_it_came = held.len() + 1 == span.len() && self.reader.hold.said == self.sink.diagnosed();
        if let Some((key, place)) = self.reader.hold.wrapper.take() {
            self.sink().repair(Code::Wrapper, place, format!("the arguments were taken out of their wrapper `{key}`"));
        }
        self.adopt(&whole, &span, |at| as_it_came.then_some(start + at));
        true
    }

    /// Reads JSON text that was held, decoded or made.
    pub(super) fn reread(&self, text: &str, node: Option<NodeId>, level: Level) -> Option<Whole> {
        if !text.starts_with(['{', '[', '"', '`']) {
            return None;
        }
        let context = Context { markers: &NoMarkers, quote: None, ..*self.context };
        let place = if node.is_some() { Place::Value } else { Place::Arguments };
        read_at_level(text, place, node, &context, level)
    }

    /// Emits JSON that was read again; what was found there is said of its place in the held text, or of all of it.
    pub(super) fn adopt(&mut self, whole: &Whole, span: &Range<usize>, place: impl Fn(usize) -> Option<usize>) {
        for found in &whole.repairs {
            let part = match (place(found.span.start), place(found.span.end)) {
                (Some(start), Some(end)) => span.start + start..(span.start + end).min(span.end),
                _ => span.clone(),
            };
            if found.code.is_repair() {
                self.sink().repair(found.code, part, found.message.clone());
            } else {
                self.sink().diagnose(found.code, part, found.message.clone());
            }
        }
        self.release(&whole.json);
    }

    /// An object or array that is held is whole: it becomes its only member, or its text, or passes as it is.
    pub(super) fn settle_bracket(&mut self, members: usize) {
        let hold = &self.reader.hold;
        if hold.kind != Some(Kind::Bracket) || hold.depth != self.reader.stack.len() {
            return;
        }
        let (node, span) = (hold.node, hold.from..self.reader.at);
        let text = std::mem::take(&mut self.reader.hold.text);
        self.reader.hold.kind = None;
        let member = Some(&text).filter(|_| members == 1 && self.sink.allows(Code::UnwrapObject));
        let types = self.node(node).map_or(Types::OPEN, Node::types);
        if let Some(value) = member.and_then(|text| coerce::only_scalar(text)) {
            let message = format!("`{}` was taken out of the object around it", excerpt(value));
            self.sink().repair(Code::UnwrapObject, span.clone(), message);
            self.put_converted(value, node, span);
        } else if types.only(Types::STRING | Types::NULL) {
            let mut json = String::new();
            write_string(&text, &mut json);
            let message = format!("`{}` was converted to its text, since the schema declares a string", excerpt(&text));
            self.sink().diagnose(Code::Coerced, span, message);
            self.put(&json);
        } else {
            let message = format!("`{}` fits no type that the schema declares", excerpt(&text));
            self.sink().diagnose(Code::TypeMismatch, span, message);
            self.put(&text);
        }
    }

    /// A string that is held is whole: it becomes what the schema wants. False if nothing can be made of it.
    pub(super) fn settle_string(&mut self) -> bool {
        if self.reader.hold.kind != Some(Kind::String) {
            return true;
        }
        let source = std::mem::take(&mut self.reader.hold.text);
        let span = self.reader.hold.from..self.reader.at;
        let content = decode(source.get(1..source.len().saturating_sub(1)).unwrap_or_default()).into_owned();
        let node = self.reader.hold.node;
        if let Some(whole) = self.encoded(&content, node) {
            let what = if whole.json.starts_with('{') { "object" } else { "array" };
            let message = format!("the string `{}` was read as the {what} that it spells", excerpt(&content));
            self.sink().repair(Code::DoubleEncoded, span.clone(), message);
            let (inner, trimmed) = (source.get(1..).unwrap_or_default(), content.len() - content.trim_start().len());
            let as_it_came = !self.reader.text.changed && source.len() == span.len() && whole.repairs.len() <= PLACED;
            self.adopt(&whole, &span, |at| as_it_came.then(|| 1 + source_offset(inner, trimmed + at)));
            return true;
        }
        self.reader.hold.kind = None;
        if self.is_root() {
            return self.empty_string(&content, span);
        }
        self.put_converted(&source, node, span);
        true
    }

    /// Reads a string that is JSON which was encoded twice, where an object or array belongs.
    fn encoded(&self, content: &str, node: Option<NodeId>) -> Option<Whole> {
        let root = self.is_root();
        let types = match (self.context.schema, node) {
            (Some(schema), Some(node)) => schema.node(node).types(),
            _ => Types::OPEN,
        };
        let wanted = root || (types.has(Types::ARRAY | Types::OBJECT) && !types.has(Types::STRING));
        let level = Level { strings: self.reader.level.strings + 1, ..self.reader.level };
        if !wanted || level.strings > LEVELS || !self.sink.allows(Code::DoubleEncoded) {
            return None;
        }
        let whole = self.reread(content.trim(), node.filter(|_| !root), level)?;
        let fits = whole.json.starts_with('{') || (!root && whole.json.starts_with('['));
        fits.then_some(whole)
    }

    fn empty_string(&mut self, content: &str, span: Range<usize>) -> bool {
        let empty =
            content.trim().is_empty() && self.admit(Code::EmptyArguments, span, "an empty string was read as `{}`");
        if empty {
            self.put("{}");
            self.missing_parameters();
        }
        empty
    }
}
