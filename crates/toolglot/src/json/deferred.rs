//! Values that are held back because their end determines their type or meaning.

use std::ops::Range;

use super::reader::ReaderStep;
use super::write::{decode, source_offset, write_string};
use super::{Context, NoMarkers, ValuePosition, WholeValue, read_at_level};
use crate::coerce;
use crate::diagnostic::{Code, excerpt};
use crate::schema::{NodeId, Schema, SchemaNode, Types};

/// The held text, as strict JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct Deferred {
    kind: Option<DeferReason>,
    text: String,
    /// Where it began in the input.
    from: usize,
    /// The number of diagnostics before it.
    said: usize,
    /// The number of open brackets.
    depth: usize,
    node: Option<NodeId>,
    /// The first parameter's name, its position, and where in `text` its value begins.
    wrapper: Option<(String, Range<usize>)>,
    value: usize,
}

/// Why a value is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeferReason {
    /// The arguments up to their first key, which may be a wrapper.
    Head,
    /// A parameter's key that is not declared with this spelling.
    Key,
    /// The arguments, whose first member may be the call's own name.
    Name,
    /// The arguments, whose first parameter looks like a wrapper.
    Wrapper,
    /// A string where the schema declares another type.
    String,
    /// An object or array where the schema declares a string or another scalar.
    Bracket,
}

/// Members that models write around the arguments.
pub(crate) const WRAPPERS: [&str; 5] = ["arguments", "parameters", "args", "input", "properties"];

/// Diagnostics inside a decoded string that get their own span. Each costs a search in the undecoded text, so a
/// string full of them would cost the square of its length.
const PLACED: usize = 64;

/// How often JSON in a string in a string is decoded, and how many wrappers are removed. Servers encode twice at
/// most; each level halves the backslashes and costs another reading of the value.
pub(crate) const LEVELS: u8 = 3;

/// Decoding that was done before a reader got the text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unwrapped {
    strings: u8,
    wrappers: u8,
}

impl Deferred {
    pub(super) fn is_on(&self) -> bool {
        self.kind.is_some()
    }
}

impl ReaderStep<'_> {
    /// Holds the arguments if they could be inside a wrapper.
    pub(super) fn defer_head(&mut self) {
        // With no member but an undeclared one these would be wrong.
        let misfits = |root: SchemaNode<'_>| root.is_closed() || !root.required().is_empty();
        let may_misfit = |root: SchemaNode<'_>| !root.properties().is_empty() && misfits(root);
        if self.context.schema.is_some_and(|schema| may_misfit(schema.root()))
            && self.reader.level.wrappers < LEVELS
            && self.sink.allows(Code::Wrapper)
            && !self.reader.deferred.is_on()
        {
            self.defer(DeferReason::Head, None);
        }
    }

    /// Holds a parameter's key whose content begins at `content`, unless it is already known to be a declared key in plain
    /// quotes.
    pub(super) fn hold_key(&mut self, content: usize, is_plain: bool) {
        let Some(root) = self.context.schema.map(Schema::root).filter(|_| self.is_parameter()) else { return };
        if !root.is_closed() || self.reader.deferred.is_on() {
            return;
        }
        let bytes = self.view.rest(content);
        let end = bytes.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(bytes.len());
        // Any other quote may be inside the key.
        let ends = is_plain && bytes[end..].starts_with(b"\":");
        if !ends || !root.declares(self.view.slice(content, content + end)) {
            self.defer(DeferReason::Key, None);
        }
    }

    /// Ends the held key, `source` in strict JSON: it is emitted under its declared name.
    pub(super) fn release_key(&mut self, source: &str, declared: Option<&str>) {
        if let Some(declared) = declared {
            let kept = self.reader.deferred.text.len().saturating_sub(source.len() + 2);
            self.reader.deferred.text.truncate(kept);
            write_string(declared, &mut self.reader.deferred.text);
        }
        if self.reader.deferred.kind == Some(DeferReason::Key) {
            self.release_held();
        }
    }

    pub(super) fn defer(&mut self, kind: DeferReason, node: Option<NodeId>) {
        let from = self.at();
        let deferred = &mut self.reader.deferred;
        deferred.kind = Some(kind);
        deferred.from = from;
        deferred.said = self.sink.diagnosed();
        deferred.depth = self.reader.state.depth();
        deferred.node = node;
        deferred.text.clear();
    }

    /// Adds to the held text, or releases it when it becomes too long.
    pub(super) fn hold_on(&mut self, json: &str) {
        let at = self.reader.deferred.from;
        self.reader.deferred.text.push_str(json);
        if self.reader.deferred.text.len() > self.context.options.limits.held && !self.holds_root_string() {
            let message = "value too long to check (limit `held`); passed on unchanged";
            self.sink().diagnose(Code::LimitHeld, at..at, message);
            self.release_held();
        }
    }

    /// Returns whether the current key may be a wrapper: literals in its value are then read with the arguments' own schema.
    pub(super) fn holds_wrapper(&self) -> bool {
        self.reader.deferred.kind == Some(DeferReason::Wrapper) && self.reader.state.depth() == 1
    }

    pub(super) fn holds_root_string(&self) -> bool {
        self.reader.deferred.kind == Some(DeferReason::String) && self.is_root()
    }

    /// Returns whether only the brace of the arguments is held, until their first key shows that they begin there.
    pub(super) fn holds_head(&self) -> bool {
        self.reader.deferred.kind == Some(DeferReason::Head)
    }

    /// Emits what is held unchanged.
    pub(super) fn release_held(&mut self) {
        if self.reader.deferred.is_on() {
            let text = std::mem::take(&mut self.reader.deferred.text);
            self.release(&text);
            self.reader.deferred.text = text;
            if let Some((key, span)) = self.reader.deferred.wrapper.take() {
                self.reader.node = None;
                self.reader.state.forget_schema();
                let is_known = self.context.schema.is_some_and(|schema| schema.root().property(&key).is_some());
                self.parameter(&key, is_known, span);
            }
        }
    }

    pub(super) fn drop_held(&mut self) {
        self.reader.deferred.kind = None;
        self.reader.deferred.text.clear();
    }

    fn release(&mut self, json: &str) {
        self.reader.deferred.kind = None;
        self.put(json);
    }

    /// Returns, once the first key is known, whether it may be a wrapper or the call's own name, so that holding continues.
    pub(super) fn hold_wrapper(&mut self, key: &str, span: &Range<usize>) -> bool {
        if self.reader.deferred.kind != Some(DeferReason::Head) {
            return false;
        }
        let root = self.context.schema.map(Schema::root);
        let kind = match key {
            _ if root.is_some_and(|root| root.declares(key)) => None,
            "name" => root.filter(|root| root.is_closed()).map(|_| DeferReason::Name),
            _ => WRAPPERS.contains(&key).then_some(DeferReason::Wrapper),
        };
        let Some(kind) = kind else {
            self.release_held();
            return false;
        };
        self.reader.deferred.kind = Some(kind);
        self.reader.deferred.wrapper = Some((key.to_owned(), span.clone()));
        self.reader.deferred.value = self.reader.deferred.text.len();
        true
    }

    /// A member begins. If it is the second, the first was not a wrapper, but this one may be, after the call's own name.
    pub(super) fn member_start(&mut self) {
        let outermost = self.reader.state.depth() == 1;
        let Some(frame) = self.reader.state.innermost_mut() else { return };
        frame.members += 1;
        if outermost && frame.members > 1 {
            match self.reader.deferred.kind {
                Some(DeferReason::Wrapper) => self.release_held(),
                Some(DeferReason::Name) => self.drop_own_name(),
                _ => {}
            }
        }
    }

    /// The first member ended: if it is the call's own name, the arguments begin after it.
    fn drop_own_name(&mut self) {
        let Deferred { text, value, wrapper, .. } = &mut self.reader.deferred;
        let name = text[*value..].trim_start_matches([' ', ':']).trim_matches('"');
        let Some((_, place)) = wrapper.take_if(|_| self.context.markers.callee() == Some(name)) else {
            return self.release_held();
        };
        text.truncate("{".len());
        self.reader.deferred.kind = Some(DeferReason::Head);
        self.reader.cursor.drop_pending();
        self.sink().repair(Code::Wrapper, place, "dropped the call's own name from its arguments");
    }

    /// Removes the wrapper of arguments that are about to close, if they have one.
    pub(super) fn unwrap_held(&mut self) -> bool {
        match self.reader.deferred.kind {
            Some(DeferReason::Wrapper) => {}
            Some(DeferReason::Head | DeferReason::Name) => {
                self.release_held();
                return false;
            }
            _ => return false,
        }
        let held = &self.reader.deferred.text;
        let value = held[self.reader.deferred.value..].trim_start().trim_start_matches(':').trim_start();
        let start = held.len() - value.len();
        let level = Unwrapped { wrappers: self.reader.level.wrappers + 1, ..self.reader.level };
        let Some(whole) = self.reread(value.trim_end(), None, level).filter(|whole| whole.json.starts_with('{')) else {
            self.release_held();
            return false;
        };
        let span = self.reader.deferred.from..self.at();
        let as_it_came = held.len() + 1 == span.len() && self.reader.deferred.said == self.sink.diagnosed();
        if let Some((key, place)) = self.reader.deferred.wrapper.take() {
            self.sink().repair(Code::Wrapper, place, format!("unwrapped the arguments from `{key}`"));
        }
        self.adopt(&whole, &span, |at| as_it_came.then_some(start + at));
        true
    }

    /// Reads JSON text that was held, decoded or made.
    pub(super) fn reread(&self, text: &str, node: Option<NodeId>, level: Unwrapped) -> Option<WholeValue> {
        if !text.starts_with(['{', '[', '"', '`']) {
            return None;
        }
        let context = Context { markers: &NoMarkers, quote: None, ..*self.context };
        let place = if node.is_some() { ValuePosition::Value } else { ValuePosition::Arguments };
        read_at_level(text, place, node, &context, level)
    }

    /// Emits JSON that was read again; its diagnostics get their position in the held text, or all of it.
    pub(super) fn adopt(&mut self, whole: &WholeValue, span: &Range<usize>, place: impl Fn(usize) -> Option<usize>) {
        for found in &whole.repairs {
            let part = match (place(found.span.start), place(found.span.end)) {
                (Some(start), Some(end)) => span.start + start..(span.start + end).min(span.end),
                _ => span.clone(),
            };
            self.sink().report(found.code, part, found.message.clone());
        }
        self.release(&whole.json);
    }

    /// Ends a held object or array: it becomes its only member, or its text, or passes unchanged.
    pub(super) fn settle_bracket(&mut self, members: usize) {
        let deferred = &self.reader.deferred;
        if deferred.kind != Some(DeferReason::Bracket) || deferred.depth != self.reader.state.depth() {
            return;
        }
        let (node, span) = (deferred.node, deferred.from..self.at());
        let text = std::mem::take(&mut self.reader.deferred.text);
        self.reader.deferred.kind = None;
        let member = Some(&text).filter(|_| members == 1 && self.sink.allows(Code::UnwrapObject));
        let types = self.node(node).map_or(Types::OPEN, SchemaNode::types);
        if let Some(value) = member.and_then(|text| coerce::only_scalar(text)) {
            let message = format!("unwrapped `{}` from the object around it", excerpt(value));
            self.sink().repair(Code::UnwrapObject, span.clone(), message);
            self.put_converted(value, node, span);
        } else if let Some(value) = coerce::echoed(&text, types).filter(|_| self.sink.allows(Code::Wrapper)) {
            self.sink().repair(Code::Wrapper, span.clone(), "read the value in an object that repeats its schema");
            self.put_converted(&value, node, span);
        } else if types.only(Types::STRING | Types::NULL) {
            let mut json = String::new();
            write_string(&text, &mut json);
            let message = format!("converted `{}` to a string, as the schema declares", excerpt(&text));
            self.sink().diagnose(Code::Coerced, span, message);
            self.put(&json);
        } else {
            let message = format!("`{}` does not match any type that the schema declares", excerpt(&text));
            self.sink().diagnose(Code::TypeMismatch, span, message);
            self.put(&text);
        }
    }

    /// Ends a held string: it is converted to the declared type. False if that is impossible.
    pub(super) fn settle_string(&mut self) -> bool {
        if self.reader.deferred.kind != Some(DeferReason::String) {
            return true;
        }
        let source = std::mem::take(&mut self.reader.deferred.text);
        let span = self.reader.deferred.from..self.at();
        let content = decode(source.get(1..source.len().saturating_sub(1)).unwrap_or_default()).into_owned();
        let node = self.reader.deferred.node;
        if let Some(whole) = self.encoded(&content, node) {
            let what = if whole.json.starts_with('{') { "object" } else { "array" };
            let message = format!("read the string `{}` as the {what} it contains", excerpt(&content));
            self.sink().repair(Code::DoubleEncoded, span.clone(), message);
            let (inner, trimmed) = (source.get(1..).unwrap_or_default(), content.len() - content.trim_start().len());
            let as_it_came = !self.reader.text.changed && source.len() == span.len() && whole.repairs.len() <= PLACED;
            self.adopt(&whole, &span, |at| as_it_came.then(|| 1 + source_offset(inner, trimmed + at)));
            return true;
        }
        self.reader.deferred.kind = None;
        if self.is_root() {
            return self.empty_string(&content, span);
        }
        self.put_converted(&source, node, span);
        true
    }

    /// Reads a string with JSON that was encoded twice, if an object or array is declared.
    fn encoded(&self, content: &str, node: Option<NodeId>) -> Option<WholeValue> {
        let root = self.is_root();
        let types = match (self.context.schema, node) {
            (Some(schema), Some(node)) => schema.node(node).types(),
            _ => Types::OPEN,
        };
        let wanted = root || (types.has(Types::ARRAY | Types::OBJECT) && !types.has(Types::STRING));
        let level = Unwrapped { strings: self.reader.level.strings + 1, ..self.reader.level };
        if !wanted || level.strings > LEVELS || !self.sink.allows(Code::DoubleEncoded) {
            return None;
        }
        let whole = self.reread(content.trim(), node.filter(|_| !root), level)?;
        let fits = whole.json.starts_with('{') || (!root && whole.json.starts_with('['));
        fits.then_some(whole)
    }

    fn empty_string(&mut self, content: &str, span: Range<usize>) -> bool {
        let empty = content.trim().is_empty() && self.admit(Code::EmptyArguments, span, "read an empty string as `{}`");
        if empty {
            self.put("{}");
            self.missing_parameters();
        }
        empty
    }
}
