//! Writes an arguments object, member by member, and keeps account of its parameters.

use std::collections::BTreeSet;

use super::scene::Scene;
use crate::coerce::{self, Hint, Verdict};
use crate::diagnostic::{Code, Diagnostic};
use crate::json;
use crate::options::Options;
use crate::schema::Node;
use crate::sink::Sink;

/// The arguments object of a call whose parameters come one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArgumentsObject {
    keys: BTreeSet<String>,
    scratch: String,
}

impl ArgumentsObject {
    /// Says whether a parameter was given.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Writes a member's key. `at` is where the input has been read to.
    pub(crate) fn key(&mut self, key: &str, at: usize, sink: &mut Sink) {
        self.scratch.clear();
        self.scratch.push_str(if self.keys.is_empty() { "{" } else { ", " });
        json::write_string(key, &mut self.scratch);
        self.scratch.push_str(": ");
        self.keys.insert(key.to_owned());
        sink.arguments(at, &self.scratch);
    }

    /// Writes a member whose value is JSON already; a second one of the same key is only reported.
    pub(crate) fn member(&mut self, key: &str, value: &str, at: usize, sink: &mut Sink) {
        if self.has(key) {
            return duplicate(key, at, sink);
        }
        self.key(key, at, sink);
        sink.arguments(at, value);
    }

    /// Writes a member from bare text.
    pub(crate) fn text_member(
        &mut self,
        key: &str,
        text: &str,
        hint: Hint,
        at: usize,
        scene: &Scene<'_>,
        sink: &mut Sink,
    ) {
        if self.has(key) {
            return duplicate(key, at, sink);
        }
        check_declared(key, scene, at, sink);
        self.key(key, at, sink);
        let mut value = String::new();
        convert(text, scene.parameter(key), hint, &scene.engine.options, &mut value, at, sink);
        sink.arguments(at, &value);
    }

    /// Writes the attributes of the call's tag.
    pub(crate) fn attributes(&mut self, at: usize, scene: &Scene<'_>, sink: &mut Sink) {
        for (key, value) in &scene.head.attributes {
            self.text_member(key, value, Hint::None, at, scene, sink);
        }
    }

    /// Ends the object; the schema's required parameters must have been given.
    pub(crate) fn end(&self, at: usize, scene: &Scene<'_>, sink: &mut Sink) {
        sink.arguments(at, if self.keys.is_empty() { "{}" } else { "}" });
        for missing in self.missing(scene) {
            let span = sink.cursor()..sink.cursor();
            sink.diagnose(Code::MissingParameter, span, format!("the required parameter `{missing}` is missing"));
        }
    }

    /// Ends the object of a call that is cut off, so that its pieces are JSON.
    pub(crate) fn cut(&self, at: usize, sink: &mut Sink) {
        sink.arguments(at, if self.keys.is_empty() { "{}" } else { "}" });
    }

    /// Says whether every required parameter was given, and anything at all.
    pub(crate) fn is_whole(&self, scene: &Scene<'_>) -> bool {
        !self.keys.is_empty() && self.missing(scene).next().is_none()
    }

    fn missing<'s>(&'s self, scene: &Scene<'s>) -> impl Iterator<Item = &'s String> {
        let required = scene.root().map_or(&[][..], Node::required);
        required.iter().filter(|key| !self.has(key))
    }
}

/// Reports a parameter that the tool does not declare.
pub(crate) fn check_declared(key: &str, scene: &Scene<'_>, at: usize, sink: &mut Sink) {
    if !scene.is_open() && !scene.declares(key) {
        sink.diagnose(Code::UnknownParameter, at..at, format!("the tool declares no parameter `{key}`"));
    }
}

/// Reports a parameter that was given before.
pub(crate) fn duplicate(key: &str, at: usize, sink: &mut Sink) {
    let span = sink.cursor()..at.max(sink.cursor());
    sink.diagnose(Code::DuplicateParameter, span, format!("the parameter `{key}` was given before, the first stands"));
}

/// Appends the JSON of bare text and reports what was done to it.
pub(crate) fn convert(
    text: &str,
    node: Option<Node<'_>>,
    hint: Hint,
    options: &Options,
    out: &mut String,
    at: usize,
    sink: &mut Sink,
) {
    let mut found = Vec::new();
    let verdict = coerce::text_with(text, node, hint, options, out, &mut found);
    let start = at.saturating_sub(text.len()).max(sink.cursor().min(at));
    for Diagnostic { code, span, message, .. } in found {
        let span = (start + span.start).min(at)..(start + span.end).min(at);
        if code.is_repair() { sink.repair(code, span, message) } else { sink.diagnose(code, span, message) }
    }
    match verdict {
        Verdict::Fits => {}
        Verdict::Coerced => {
            let message = format!("`{}` was read as the type that is declared", shorten(text));
            sink.diagnose(Code::Coerced, start..at, message);
        }
        Verdict::Mismatch => {
            sink.diagnose(Code::TypeMismatch, start..at, format!("`{}` is of no declared type", shorten(text)));
        }
    }
}

/// Returns the start of a text, for a message.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
