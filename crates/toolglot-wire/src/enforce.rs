//! What of an answer the server holds to a grammar while it samples, instead of the proxy checking it afterwards.

use std::sync::{Arc, LazyLock};

use toolglot::{Dialect, Dialects};
use toolglot_grammar::{ArgumentsLevel, Grammar, GrammarOptions, GrammarReasoning, GrammarTool, GrammarToolChoice};
use toolglot_json::{Map, Value, json};

use crate::chat::request::ChatAsked;
use crate::demand::{Demand, SHAPED, tools};
use crate::engine::{BesideTools, GrammarMembers, GrammarSlot};
use crate::policy::{Enforce, Policy};
use crate::protocol::Protocol;

/// A request whose answer is to be held, and the grammar for it.
pub(crate) struct Held {
    grammar: Grammar,
    slot: GrammarSlot,
    /// It covers all of the answer, and not only what begins with its trigger.
    whole: bool,
}

/// The members of a request as they were before it carried a grammar.
pub(crate) type Before = Vec<(String, Option<Value>)>;

/// What became of a request whose answer was to be held.
#[derive(Debug, Default)]
pub(crate) struct Holding {
    /// What was there before it carried a grammar, if it does.
    pub(crate) before: Option<Before>,
    /// The answer is JSON that a schema shaped.
    pub(crate) is_shaped: bool,
    /// The server would take a grammar if the tools were in the prompt.
    pub(crate) wants_prompt: bool,
}

/// Why an answer is not held.
#[derive(Debug)]
pub(crate) enum NotHeld {
    /// Nothing is asked for, or the server takes no grammar.
    Nothing,
    /// The server takes no grammar beside tools; it would if the prompt told of them.
    InPromptOnly,
    /// There is no grammar for it.
    Because(String),
}

impl Held {
    /// Makes the grammar for a chat request whose tools are functions, if it asks for what the policy enforces; `prompted` is
    /// the dialect in which the prompt will tell of them.
    pub(crate) fn new(
        request: &Map,
        asked: &ChatAsked,
        prompted: Option<&Arc<Dialect>>,
        upstream: Protocol,
        policy: &Policy,
    ) -> Result<Self, NotHeld> {
        let slot = policy.engine.grammar_slot();
        if !is_wanted(request, asked, policy) || !is_sent(slot.form, request, asked, upstream) {
            return Err(NotHeld::Nothing);
        }
        if prompted.is_none() && slot.beside_tools == BesideTools::Refused {
            return Err(NotHeld::InPromptOnly);
        }
        let shaped = (slot.form == GrammarMembers::Schema).then(|| Dialects::builtin().get(SHAPED).cloned()).flatten();
        let Some(dialect) = shaped.as_ref().or(prompted).or(policy.native.as_ref()) else {
            let why = "it is not known which dialect the model writes; set the route's `dialect`";
            return Err(NotHeld::Because(why.to_owned()));
        };
        let answer = answer_schema(request).cloned();
        let whole = asked.demand.is_some() || answer.is_some();
        let mut options = options(asked, answer, policy);
        match slot.form {
            // The most that every API takes is an object.
            GrammarMembers::Schema => options = options.with_parallel(false).with_reasoning(GrammarReasoning::None),
            // What waits for its trigger does not see the reasoning.
            GrammarMembers::Gbnf if !whole => options = options.with_reasoning(GrammarReasoning::Optional),
            _ => {}
        }
        let grammar = declared(request, policy)
            .and_then(|tools| Grammar::new(dialect, &tools, &options).map_err(|error| error.to_string()))
            .map_err(NotHeld::Because)?;
        Ok(Self { grammar, slot, whole })
    }

    /// Returns what the grammar leaves out, in sentences for a log.
    fn notes(&self) -> impl Iterator<Item = String> {
        self.grammar.warnings().iter().map(|warning| format!("grammar: {warning}"))
    }

    /// Puts the grammar into the request; returns the members as they were before.
    fn write(&self, request: &mut Map) -> Result<Before, String> {
        let mut members = self.slot.form.members(&self.grammar, self.whole)?;
        if let (BesideTools::Choice(choice), true) = (self.slot.beside_tools, request.contains_key("tools")) {
            members.insert("tool_choice".to_owned(), choice.into());
        }
        // The grammar has the schema of the answer, and an engine takes one of the two.
        let answer = (!members.contains_key("response_format")).then_some("response_format");
        let changed = members.keys().map(String::as_str).chain(answer);
        let before = changed.map(|key| (key.to_owned(), request.get(key).cloned())).collect();
        answer.map(|key| request.remove(key));
        request.extend(members);
        Ok(before)
    }
}

/// Puts a grammar into the request, if there is one; what it leaves out, or why there is none, goes into notes for the log.
pub(crate) fn hold(made: Result<Held, NotHeld>, request: &mut Map, notes: &mut Vec<String>) -> Holding {
    let written = made.and_then(|held| {
        let before = held.write(request).map_err(NotHeld::Because)?;
        notes.extend(held.notes());
        Ok(Holding { before: Some(before), is_shaped: held.slot.form == GrammarMembers::Schema, wants_prompt: false })
    });
    written.unwrap_or_else(|why| {
        if let NotHeld::Because(why) = &why {
            notes.push(format!("the answer is not held to a grammar: {why}"));
        }
        Holding { wants_prompt: matches!(why, NotHeld::InPromptOnly), ..Holding::default() }
    })
}

/// Takes a grammar out of a request again.
pub(crate) fn release(request: &mut Map, before: Before) {
    for (key, value) in before {
        match value {
            Some(value) => _ = request.insert(key, value),
            None => _ = request.remove(&key),
        }
    }
}

/// Says whether a request asks for what the policy enforces.
fn is_wanted(request: &Map, asked: &ChatAsked, policy: &Policy) -> bool {
    if policy.off || !policy.grammar || asked.none || asked.tools.is_empty() {
        return false;
    }
    let is_single = request.get("parallel_tool_calls") == Some(&json!(false));
    let is_demanding = asked.demand.is_some() || is_single;
    let is_strict = |tool: &Value| tool.pointer("/function/strict") == Some(&json!(true));
    match policy.enforce {
        Enforce::Off => false,
        Enforce::Choice => is_demanding,
        Enforce::Auto => is_demanding || answer_schema(request).is_some() || tools(request).iter().any(is_strict),
        Enforce::Strict => true,
    }
}

/// Says whether a request can carry a grammar in this form, and has none already.
fn is_sent(form: GrammarMembers, request: &Map, asked: &ChatAsked, upstream: Protocol) -> bool {
    let fits = match form {
        GrammarMembers::Nothing => false,
        // It is for every protocol, but has no text.
        GrammarMembers::Schema => asked.demand.is_some(),
        GrammarMembers::Gbnf | GrammarMembers::Tag | GrammarMembers::TagText => upstream == Protocol::Chat,
    };
    fits && !form.is_in(request)
}

/// Returns the schema of an answer that is JSON.
fn answer_schema(request: &Map) -> Option<&Value> {
    static OBJECT: LazyLock<Value> = LazyLock::new(|| json!({"type": "object"}));
    let format = request.get("response_format")?;
    match format.get("type")?.as_str()? {
        "json_schema" => format.pointer("/json_schema/schema"),
        "json_object" => Some(&OBJECT),
        _ => None,
    }
}

fn options(asked: &ChatAsked, answer: Option<Value>, policy: &Policy) -> GrammarOptions {
    let choice = match &asked.demand {
        Some(Demand::Named(name)) => GrammarToolChoice::Named(name.clone()),
        Some(Demand::Call) => GrammarToolChoice::Required,
        None => GrammarToolChoice::Auto,
    };
    let arguments = if policy.enforce == Enforce::Strict { ArgumentsLevel::Schema } else { ArgumentsLevel::Free };
    let reasoning = if policy.prefilled { GrammarReasoning::Prefilled } else { GrammarReasoning::Optional };
    GrammarOptions::new()
        .with_tool_choice(choice)
        .with_parallel(asked.parallel)
        .with_arguments(arguments)
        .with_reasoning(reasoning)
        .with_answer(answer)
}

/// Returns the functions of a request, as far as their arguments are held.
fn declared(request: &Map, policy: &Policy) -> Result<Vec<GrammarTool>, String> {
    let list = request.get("tools").cloned().unwrap_or_default();
    let mut declared = GrammarTool::list(&list).map_err(|error| error.to_string())?;
    if policy.enforce == Enforce::Choice {
        declared.iter_mut().for_each(|tool| tool.strict = false);
    }
    Ok(declared)
}
