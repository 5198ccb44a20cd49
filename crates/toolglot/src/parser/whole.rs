//! Values that must be complete before anything can be emitted.

use serde_json::{Map, Value};

use super::call_context::CallContext;
use super::head::HeadText;
use super::object::{ArgumentsObject, duplicate};
use crate::diagnostic::{Code, Diagnostic};
use crate::json::{self, Context, Ended, JsonReader, NoMarkers, ValuePosition};
use crate::options::Options;
use crate::schema::{NodeId, Schema, Types};
use crate::sink::Sink;
use crate::tool::Tool;
use crate::view::NotYet;

/// Arguments that were read whole: their JSON, and the repairs.
#[derive(Clone, Debug)]
pub(crate) struct WholeArguments {
    pub(crate) json: String,
    pub(crate) repair: Option<Code>,
    /// The diagnostics inside; their spans are those of the decoded text.
    pub(crate) found: Vec<Diagnostic>,
}

impl WholeArguments {
    /// Returns arguments with this JSON.
    pub(crate) fn plain(json: String) -> Self {
        Self { json, repair: None, found: Vec::new() }
    }

    /// Returns the arguments of a call that has none, and reports the missing required parameters.
    pub(crate) fn empty(tool: Option<&Tool>) -> Self {
        let required = tool.and_then(|tool| tool.schema.as_ref()).map_or(&[][..], |schema| schema.root().required());
        let message = |name| format!("missing required parameter `{name}`");
        let missing = |name| Diagnostic::new(Code::MissingParameter, 0..0, message(name));
        let found = required.iter().map(missing).collect();
        Self { repair: Some(Code::EmptyArguments), found, ..Self::plain("{}".to_owned()) }
    }

    /// Emits the arguments between two positions, and reports the repairs.
    pub(crate) fn write(&self, start: usize, end: usize, sink: &mut Sink) {
        if let Some(code) = self.repair {
            sink.repair(code, start..end, code.row().about);
        }
        for Diagnostic { code, message, .. } in &self.found {
            sink.report(*code, start..end, message.clone());
        }
        sink.arguments(end, &self.json);
    }
}

/// Reads the value at `at` to its end; returns its strict JSON and where it ends, `None` if it is not a value.
pub(crate) fn read_value(
    at: usize,
    place: ValuePosition,
    node: Option<NodeId>,
    context: &CallContext<'_>,
) -> Result<Option<(String, usize)>, NotYet> {
    let mut sink = Sink::new(context.engine.options.repairs);
    let end = JsonReader::new(at, place, node).resume(context.view, &context.json(None), &mut sink)?;
    context.count(end.at - at + sink.wasted_lookahead);
    Ok((end.how == Ended::Complete).then_some((sink.words, end.at)))
}

/// Skips the value at `at`; returns where and how it ends. Futile look-ahead is counted in the `sink`.
pub(crate) fn skip_value(at: usize, context: &CallContext<'_>, sink: &mut Sink) -> Result<json::ValueOutcome, NotYet> {
    let json_context = Context { schema: None, ..context.json(None) };
    let mut nowhere = sink.aside(at);
    let end = JsonReader::new(at, ValuePosition::Value, None).resume(context.view, &json_context, &mut nowhere)?;
    context.count(end.at - at + nowhere.wasted_lookahead - sink.wasted_lookahead);
    sink.wasted_lookahead = nowhere.wasted_lookahead;
    Ok(end)
}

/// Converts another value to an arguments object: JSON in a string, an object in a list, the only parameter's value.
pub(crate) fn arguments_of(json: &str, tool: Option<&Tool>, options: &Options) -> Option<WholeArguments> {
    let json = json.trim();
    if matches!(json, "null" | "[]" | "\"\"") {
        return Some(WholeArguments::empty(tool));
    }
    let schema = tool.and_then(|tool| tool.schema.as_ref());
    let root = schema.map(Schema::root);
    let item = json.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
    let (content, code, types) = match item {
        Some(item) => (item.to_owned(), Code::Wrapper, Types::ARRAY),
        None => (serde_json::from_str::<String>(json).ok()?, Code::DoubleEncoded, Types::STRING),
    };
    if content.trim().is_empty() {
        return Some(WholeArguments::empty(tool));
    }
    let declares = |item: &Map<String, Value>| root.is_none_or(|root| item.keys().all(|key| root.knows(key)));
    let is_object = match item {
        Some(item) => serde_json::from_str(item).is_ok_and(|item| declares(&item)),
        None => content.trim_start().starts_with(['{', '[', '`']),
    };
    if !is_object {
        let fits = |name: &&str| root.and_then(|root| root.property(name)).is_some_and(|node| node.types().only(types));
        // What names a parameter may hold several, in whatever form.
        let names = |name: &String| {
            content.match_indices(&**name).any(|(at, _)| {
                content[at + name.len()..].trim_start_matches(['"', '\'', ' ']).starts_with([':', '=', '>'])
            })
        };
        let allowed = options.repairs.allow(Code::PositionalArgument) && !root?.properties().iter().any(names);
        let only = match root?.required() {
            [required] => Some(required.as_str()),
            _ => root?.only_property(),
        };
        let named = only.filter(fits).filter(|_| allowed)?;
        let json = format!("{{{}:{json}}}", serde_json::to_string(named).ok()?);
        return Some(WholeArguments { repair: Some(Code::PositionalArgument), ..WholeArguments::plain(json) });
    }
    let json_context = Context { markers: &NoMarkers, schema, options, quote: None, given: None };
    let inner = json::read_whole(&content, ValuePosition::Arguments, root.map(|root| root.id()), &json_context)?;
    let object = inner.json.starts_with('{');
    object.then_some(WholeArguments { json: inner.json, repair: Some(code), found: inner.repairs })
}

/// Reads the object at `at` and puts the tag's attributes before its members; they override members with the same key.
pub(crate) fn with_attributes(at: usize, context: &CallContext<'_>) -> Result<Option<(WholeArguments, usize)>, NotYet> {
    let mut inside = Sink::new(context.engine.options.repairs);
    let node = context.root().map(|root| root.id());
    let end =
        JsonReader::new(at, ValuePosition::Arguments, node).resume(context.view, &context.json(None), &mut inside)?;
    context.count(end.at - at + inside.wasted_lookahead);
    if end.how != Ended::Complete {
        return Ok(None);
    }
    let mut sink = Sink::new(context.engine.options.repairs);
    let mut object = ArgumentsObject::of_attributes(at, context, &mut sink);
    for (key, value) in json::members(&inside.words) {
        if !object.member(&key, value, at, &mut sink) {
            duplicate(&HeadText::new(&key, at..end.at), at, &mut sink);
        }
    }
    object.end(at, context, &mut sink);
    // What the attributes say is not missing: the object as a whole knows.
    let mut found = inside.diagnostics;
    found.retain(|found| found.code != Code::MissingParameter);
    found.append(&mut sink.diagnostics);
    Ok(Some((WholeArguments { found, ..WholeArguments::plain(sink.words) }, end.at)))
}
