//! Writes an arguments object, member by member, and keeps track of its parameters.

use std::ops::Range;

use super::call_context::CallContext;
use super::head::HeadText;
use crate::coerce::{self, Conversion, Hint};
use crate::diagnostic::{Code, Diagnostic, excerpt};
use crate::given::GivenNames;
use crate::json;
use crate::lines::LineValue;
use crate::schema::SchemaNode;
use crate::sink::Sink;

/// The arguments object of a call whose parameters arrive one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArgumentsObject {
    keys: GivenNames,
    scratch: String,
    /// The items so far of an array that is given one by one, as JSON.
    items: Vec<String>,
}

/// A value as bare text, its position, and the end of the consumed input.
pub(crate) struct BareText<'t> {
    pub(crate) text: &'t str,
    pub(crate) span: Range<usize>,
    pub(crate) upto: usize,
}

impl ArgumentsObject {
    /// Returns the object with the attributes of the call's tag as its first members, which are already written.
    pub(crate) fn of_attributes(at: usize, context: &CallContext<'_>, sink: &mut Sink) -> Self {
        let mut object = Self::default();
        for (key, value) in &context.head.attributes {
            let value = BareText { text: &value.text, span: value.span.clone(), upto: at };
            object.text_member(key, &value, Hint::None, context, sink);
        }
        object
    }

    /// Returns whether a parameter was given.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Returns the parameters that were given.
    pub(crate) fn keys(&self) -> &GivenNames {
        &self.keys
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Writes a member's key unless it is a repetition; returns whether it is new. `at` is the end of the consumed input.
    pub(crate) fn key(&mut self, key: &str, at: usize, sink: &mut Sink) -> bool {
        let new = self.keys.insert(key);
        if new {
            self.scratch.clear();
            self.scratch.push_str(if self.keys.len() == 1 { "{" } else { ", " });
            json::write_string(key, &mut self.scratch);
            self.scratch.push_str(": ");
            sink.arguments(at, &self.scratch);
        }
        new
    }

    /// Writes a member whose value is JSON unless its key is a repetition; returns whether it is new.
    pub(crate) fn member(&mut self, key: &str, value: &str, at: usize, sink: &mut Sink) -> bool {
        let new = self.key(key, at, sink);
        if new {
            sink.arguments(at, value);
        }
        new
    }

    /// Writes a declared member for a key, with a JSON value; returns whether it is new, and the fault of its key.
    pub(super) fn meant_member(
        &mut self,
        key: &HeadText,
        json: &str,
        at: usize,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) -> bool {
        let name = context.meant(&key.text);
        let new = self.member(name, json, at, sink);
        if new {
            check_declared(key, name, context, sink);
        } else {
            duplicate(key, at, sink);
        }
        new
    }

    /// Writes a member from bare text.
    pub(crate) fn text_member(
        &mut self,
        key: &HeadText,
        value: &BareText<'_>,
        hint: Hint,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) {
        let name = context.meant(&key.text);
        if !self.key(name, value.span.start, sink) {
            return duplicate(key, value.upto, sink);
        }
        check_declared(key, name, context, sink);
        self.scratch.clear();
        convert(value, context.parameter(name), hint, context, &mut self.scratch, sink);
        sink.arguments(value.upto, &self.scratch);
    }

    /// Returns whether an array is being given item by item.
    pub(crate) fn has_items(&self) -> bool {
        !self.items.is_empty()
    }

    /// Adds an item to an array; writes the member unless `more` items follow.
    pub(crate) fn item(
        &mut self,
        key: &HeadText,
        value: &BareText<'_>,
        more: bool,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) {
        let name = context.meant(&key.text);
        let node = context.parameter(name).and_then(|node| node.item(self.items.len()));
        let mut json = String::new();
        convert(value, node, Hint::None, context, &mut json, sink);
        if value.text.trim_start().starts_with('[') {
            sink.broken(value.span.clone(), "an array among the items of one");
        }
        self.items.push(json);
        if more {
            return sink.pass_arguments(value.upto);
        }
        let all = format!("[{}]", std::mem::take(&mut self.items).join(", "));
        if self.meant_member(key, &all, value.upto, context, sink) {
            let message = format!("`{name}` was given once for each item of its array");
            sink.diagnose(Code::DuplicateParameter, key.span.clone(), message);
        }
    }

    /// Writes a member with a value at `at` that is already JSON of the declared type.
    pub(super) fn said_member(
        &mut self,
        key: &HeadText,
        at: Range<usize>,
        value: &LineValue<'_>,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) {
        let (node, mut json) = (context.parameter(context.meant(&key.text)), String::new());
        let verdict = value.write(node, &context.engine.options, &mut json);
        if self.meant_member(key, &json, at.end, context, sink) && verdict == Conversion::Mismatch {
            sink.diagnose(Code::TypeMismatch, at, format!("`{}` does not match any declared type", excerpt(&json)));
        }
    }

    /// Ends the object; all required parameters must be present.
    pub(crate) fn end(&self, at: usize, context: &CallContext<'_>, sink: &mut Sink) {
        sink.arguments(at, if self.keys.is_empty() { "{}" } else { "}" });
        for missing in self.missing(context) {
            let span = sink.cursor()..sink.cursor();
            sink.diagnose(Code::MissingParameter, span, format!("missing required parameter `{missing}`"));
        }
    }

    /// Returns whether all required parameters, and at least one, are present.
    pub(crate) fn is_whole(&self, context: &CallContext<'_>) -> bool {
        !self.keys.is_empty() && self.missing(context).next().is_none()
    }

    pub(crate) fn missing<'s>(&'s self, context: &CallContext<'s>) -> impl Iterator<Item = &'s String> {
        let required = context.root().map_or(&[][..], SchemaNode::required);
        required.iter().filter(|key| !self.has(key))
    }
}

/// Appends bare text as JSON of the declared type, and reports the conversions and repairs.
fn convert(
    value: &BareText<'_>,
    node: Option<SchemaNode<'_>>,
    hint: Hint,
    context: &CallContext<'_>,
    json: &mut String,
    sink: &mut Sink,
) {
    let mut found = Vec::new();
    let verdict = coerce::text(value.text, node, hint, &context.engine.options, json, &mut found);
    let Range { start, end } = value.span;
    for Diagnostic { code, span, message, .. } in found {
        sink.report(code, (start + span.start).min(end)..(start + span.end).min(end), message);
    }
    let (code, message) = match verdict {
        Conversion::Fits => return,
        Conversion::Coerced => (Code::Coerced, format!("read `{}` as the declared type", excerpt(value.text))),
        Conversion::Mismatch => {
            (Code::TypeMismatch, format!("`{}` does not match any declared type", excerpt(value.text)))
        }
    };
    sink.diagnose(code, start..end, message);
}

/// Reports a parameter that the tool does not declare, or in another spelling: it means `name`.
pub(crate) fn check_declared(key: &HeadText, name: &str, context: &CallContext<'_>, sink: &mut Sink) {
    if *name != *key.text {
        let message = json::spelled_otherwise(&key.text, name);
        sink.diagnose(Code::ParameterNormalised, key.span.clone(), message);
    } else if !context.is_open() && !context.declares(name) {
        let message = ["unknown parameter `", &key.text, "`"].concat();
        sink.diagnose(Code::UnknownParameter, key.span.clone(), message);
    }
}

/// Reports a parameter that was given before.
pub(crate) fn duplicate(key: &HeadText, upto: usize, sink: &mut Sink) {
    let message = format!("duplicate parameter `{}`; the first one counts", key.text);
    sink.diagnose(Code::DuplicateParameter, key.span.clone(), message);
    sink.pass_arguments(upto);
}
