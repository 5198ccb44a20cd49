//! Grammars that make the server enforce calls while it samples, instead of only checking the answer afterwards.

use std::sync::{Arc, LazyLock};

use toolglot::{Dialect, Dialects};
use toolglot_grammar::{ArgumentsLevel, Grammar, GrammarOptions, GrammarReasoning, GrammarTool, GrammarToolChoice};
use toolglot_json::{Map, Value, json};

use crate::chat::request::ChatAsked;
use crate::demand::{Demand, SHAPED, tools};
use crate::engine::{BesideTools, GrammarMembers, GrammarSlot};
use crate::policy::{Enforce, Policy};
use crate::protocol::Protocol;

/// A grammar for a request, and how to send it.
pub(crate) struct Enforcement {
    grammar: Grammar,
    slot: GrammarSlot,
    /// Whether it covers the whole answer, not only the text from its trigger on.
    whole: bool,
}

/// The members of a request before a grammar was added.
pub(crate) type Before = Vec<(String, Option<Value>)>;

/// The result of adding a grammar to a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Enforced {
    /// The previous members, if a grammar was added.
    pub(crate) before: Option<Before>,
    /// Whether the answer is JSON of a schema.
    pub(crate) is_shaped: bool,
    /// Whether the server would accept a grammar if the tools were in the prompt.
    pub(crate) wants_prompt: bool,
}

/// Why there is no grammar.
#[derive(Debug)]
pub(crate) enum NotEnforced {
    /// None is required, or the server does not accept one.
    Nothing,
    /// The server only accepts a grammar if the tools are in the prompt.
    InPromptOnly,
    /// There is no grammar for this request.
    Because(String),
}

impl Enforcement {
    /// Creates the grammar for a chat request whose tools are functions, if the policy enforces something in it;
    /// `prompted` is the dialect of the tools in the prompt.
    pub(crate) fn new(
        request: &Map,
        asked: &ChatAsked,
        prompted: Option<&Arc<Dialect>>,
        upstream: Protocol,
        policy: &Policy,
    ) -> Result<Self, NotEnforced> {
        let slot = policy.engine.row().grammar;
        if !is_wanted(request, asked, policy) || !is_sent(slot.form, request, asked, upstream) {
            return Err(NotEnforced::Nothing);
        }
        if prompted.is_none() && slot.beside_tools == BesideTools::Refused {
            return Err(NotEnforced::InPromptOnly);
        }
        let shaped = (slot.form == GrammarMembers::Schema).then(|| Dialects::builtin().get(SHAPED).cloned()).flatten();
        let Some(dialect) = shaped.as_ref().or(prompted).or(policy.native.as_ref()) else {
            let why = "the model's dialect is unknown; set the route's `dialect`";
            return Err(NotEnforced::Because(why.to_owned()));
        };
        let answer = answer_schema(request).cloned();
        let whole = asked.demand.is_some() || answer.is_some();
        let mut options = options(asked, answer, policy);
        match slot.form {
            // Every API accepts at most an object.
            GrammarMembers::Schema => options = options.with_parallel(false).with_reasoning(GrammarReasoning::None),
            // A triggered grammar does not see the reasoning.
            GrammarMembers::Gbnf if !whole => options = options.with_reasoning(GrammarReasoning::Optional),
            _ => {}
        }
        let grammar = declared(request, policy)
            .and_then(|tools| Grammar::new(dialect, &tools, &options).map_err(|error| error.to_string()))
            .map_err(NotEnforced::Because)?;
        Ok(Self { grammar, slot, whole })
    }

    /// Adds the grammar to the request; returns the previous members.
    fn write(&self, request: &mut Map) -> Result<Before, String> {
        let mut members = self.slot.form.members(&self.grammar, self.whole)?;
        if let (BesideTools::Choice(choice), true) = (self.slot.beside_tools, request.contains_key("tools")) {
            members["tool_choice"] = choice.into();
        }
        // The grammar includes the schema of the answer, and an engine accepts only one of them.
        let answer = (!members.contains_key("response_format")).then_some("response_format");
        let changed = members.keys().map(String::as_str).chain(answer);
        let before = changed.map(|key| (key.to_owned(), request.get(key).cloned())).collect();
        answer.map(|key| request.remove(key));
        request.extend(members);
        Ok(before)
    }
}

/// Adds a grammar to the request, if there is one; adds notes about what it omits, or why there is none.
pub(crate) fn apply(made: Result<Enforcement, NotEnforced>, request: &mut Map, notes: &mut Vec<String>) -> Enforced {
    let written = made.and_then(|enforcement| {
        let before = enforcement.write(request).map_err(NotEnforced::Because)?;
        notes.extend(enforcement.grammar.warnings().iter().map(|warning| format!("grammar: {warning}")));
        Ok(Enforced {
            before: Some(before),
            is_shaped: enforcement.slot.form == GrammarMembers::Schema,
            wants_prompt: false,
        })
    });
    written.unwrap_or_else(|why| {
        if let NotEnforced::Because(why) = &why {
            notes.push(format!("no grammar is sent: {why}"));
        }
        Enforced { wants_prompt: matches!(why, NotEnforced::InPromptOnly), ..Enforced::default() }
    })
}

/// Removes a grammar from a request.
pub(crate) fn release(request: &mut Map, before: Before) {
    for (key, value) in before {
        match value {
            Some(value) => _ = request.insert(key, value),
            None => _ = request.remove(&key),
        }
    }
}

/// Returns whether the policy enforces something in a request.
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

/// Returns whether a grammar in this form can be added to a request, which must not have one.
fn is_sent(form: GrammarMembers, request: &Map, asked: &ChatAsked, upstream: Protocol) -> bool {
    let fits = match form {
        GrammarMembers::Nothing => false,
        // Servers of all protocols accept it, but it allows no text.
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

/// Returns the functions of a request; `strict` is cleared if arguments are not enforced.
fn declared(request: &Map, policy: &Policy) -> Result<Vec<GrammarTool>, String> {
    let list = request["tools"].clone();
    let mut declared = GrammarTool::list(&list).map_err(|error| error.to_string())?;
    if policy.enforce == Enforce::Choice {
        declared.iter_mut().for_each(|tool| tool.strict = false);
    }
    Ok(declared)
}
