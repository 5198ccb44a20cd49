//! Writes calls and results of earlier turns as text of a dialect.

use std::sync::Arc;

use toolglot::{Dialect, RenderError, Renderer, Rendering, Tools};
use toolglot_json::{Value, json};

use super::restore::{calls, results_of};
use crate::chat::history::result_text;
use crate::members::take;

/// Converts the messages of a valid conversation without instructions.
pub(super) fn written(
    messages: Vec<Value>,
    tools: &Tools,
    dialect: &Arc<Dialect>,
    notes: &mut Vec<String>,
) -> Vec<Value> {
    let renderer = Renderer::new(dialect, tools);
    let mut talk = PromptHistory {
        dialect,
        renderer,
        notes,
        written: Vec::with_capacity(messages.len()),
        called: Vec::new(),
        results: Vec::new(),
    };
    messages.into_iter().for_each(|message| talk.add(message));
    talk.end_results(None);
    talk.written
}

/// The conversation, as far as it has been converted.
struct PromptHistory<'t> {
    dialect: &'t Arc<Dialect>,
    renderer: Renderer,
    notes: &'t mut Vec<String>,
    written: Vec<Value>,
    /// The ids and names of the calls of the last turn.
    called: Vec<(String, String)>,
    /// Their results so far, in the order of the calls.
    results: Vec<Option<Value>>,
}

impl PromptHistory<'_> {
    fn add(&mut self, mut message: Value) {
        match message["role"].as_str() {
            Some("assistant") => {
                self.end_results(None);
                self.add_assistant(message);
            }
            Some("tool") => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                let is_open = |at: &usize| self.called[*at].0 == id && self.results[*at].is_none();
                let place = (0..self.called.len()).find(is_open);
                let content = take(&mut message, "content");
                match place {
                    Some(place) => self.results[place] = Some(content),
                    // Only invalid histories have such results; they must not be lost.
                    None => self.written.push(json!({"role": "user", "content": content})),
                }
            }
            _ if self.called.is_empty() => self.written.push(message),
            _ => self.end_results(Some(message)),
        }
    }

    fn add_assistant(&mut self, mut message: Value) {
        let text = text_of(&message["content"]);
        let called: Vec<(String, String, String)> = calls(&message).collect();
        let rendering = Rendering::new().with_content(&text);
        let rendering = called
            .iter()
            .fold(rendering, |rendering, (id, name, arguments)| rendering.with_identified_call(name, arguments, id));
        let written =
            self.renderer.render(&rendering).unwrap_or_else(|error| self.approximate(&rendering, &called, &error));
        self.called = called.into_iter().map(|(id, name, _)| (id, name)).collect();
        self.results = vec![None; self.called.len()];
        let refusal = message["refusal"].take();
        let written = if written.is_empty() { refusal.as_str().unwrap_or_default().to_owned() } else { written };
        self.written.push(json!({"role": "assistant", "content": written}));
    }

    /// Approximates calls that the dialect cannot express: without the check, or as plain text.
    fn approximate(
        &mut self,
        rendering: &Rendering<'_>,
        called: &[(String, String, String)],
        error: &RenderError,
    ) -> String {
        self.notes.push(format!("an earlier turn does not round-trip in prompt mode: {error}"));
        let plain =
            || called.iter().map(|(_, name, arguments)| format!("{name} {arguments}")).collect::<Vec<_>>().join("\n");
        self.renderer.clone().with_check(false).render(rendering).unwrap_or_else(|_| plain())
    }

    /// Writes the results of a turn, and the user's message after them.
    fn end_results(&mut self, user: Option<Value>) {
        let called = std::mem::take(&mut self.called);
        let results = std::mem::take(&mut self.results);
        if called.is_empty() {
            return self.written.extend(user);
        }
        let teach = self.dialect.teach();
        let mut attachments = Vec::new();
        let one = |((_, name), result): (&(String, String), Option<Value>)| {
            let text = result_text(result.unwrap_or_default(), &mut attachments);
            (teach.result().replace("{name}", name).replace("{text}", &text), text)
        };
        let (results, texts): (Vec<String>, Vec<String>) = called.iter().zip(results).map(one).unzip();
        let all = teach.results().replace("{results}", &results.join(teach.between()));
        let (after, mut parts) = match user.map(|mut user| user["content"].take()) {
            Some(Value::Array(parts)) => (String::new(), parts),
            Some(text) => (text_of(&text), Vec::new()),
            None => (String::new(), Vec::new()),
        };
        let between = if after.is_empty() { "" } else { "\n\n" };
        let text = format!("{all}{between}{after}");
        let names: Vec<&str> = called.iter().map(|(_, name)| name.as_str()).collect();
        if results_of(&text, &names, teach) != Some((texts, after)) {
            self.notes
                .push("a result contains the marker that ends results; the model may read it as several".to_owned());
        }
        let content: Value = if parts.is_empty() && attachments.is_empty() {
            text.into()
        } else {
            attachments.append(&mut parts);
            [json!({"type": "text", "text": text})].into_iter().chain(attachments).collect()
        };
        self.written.push(json!({"role": "user", "content": content}));
    }
}

/// Returns a content as text.
pub(super) fn text_of(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten().filter_map(|part| part.get("text")?.as_str());
    content.as_str().map_or_else(|| parts.collect::<Vec<_>>().join("\n"), str::to_owned)
}
