//! Grammars, and the notations they can be written in.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use toolglot::Dialect;
use toolglot_json::Value;

use crate::builder::Builder;
use crate::declared::GrammarTool;
use crate::error::{GrammarError, GrammarWarning};
use crate::markers::Markers;
use crate::message::MessageNode;
use crate::node::Rules;
use crate::options::{GrammarOptions, GrammarToolChoice};
use crate::schema::merged;
use crate::{gbnf, json_schema, lark, tag};

/// A grammar of the messages that a model may write in a dialect, with calls to the declared tools.
///
/// # Example
/// ```
/// use toolglot::Dialects;
/// use toolglot_grammar::{Grammar, GrammarOptions, GrammarTool};
/// let dialects = Dialects::builtin();
/// let dialect = dialects.get("qwen3_coder").ok_or("no such dialect")?;
/// let tools = GrammarTool::list(&toolglot_json::json!([{"name": "now", "parameters": {"type": "object", "properties": {}}}]))?;
/// let grammar = Grammar::new(dialect, &tools, &GrammarOptions::new())?;
/// assert_eq!(grammar.trigger(), Some("<tool_call>"));
/// assert!(grammar.to_lark().starts_with("%llguidance {}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grammar {
    pub(crate) rules: Rules,
    pub(crate) message: MessageNode,
    trigger: Option<String>,
    special: Vec<String>,
    tools: Vec<GrammarTool>,
    options: GrammarOptions,
    warnings: Vec<GrammarWarning>,
}

impl Grammar {
    /// Creates the grammar of a dialect for these tools.
    ///
    /// # Errors
    /// If a call is required but no tool is declared, if the dialect cannot express what the options or the schemas
    /// require, or if a schema has an unsupported keyword with [`UnsupportedKeywords::Strict`](crate::UnsupportedKeywords).
    pub fn new(dialect: &Dialect, tools: &[GrammarTool], options: &GrammarOptions) -> Result<Self, GrammarError> {
        let options = GrammarOptions { answer: options.answer.as_ref().map(merged), ..options.clone() };
        let schemas: Vec<GrammarTool> = tools
            .iter()
            .map(|tool| GrammarTool { parameters: tool.parameters.as_ref().map(merged), ..tool.clone() })
            .collect();
        let chosen = chosen(&schemas, &options.tool_choice)?;
        let names: Vec<String> = schemas.iter().map(|tool| tool.name.clone()).collect();
        let mut keys = BTreeSet::new();
        schemas.iter().filter_map(|tool| tool.parameters.as_ref()).for_each(|schema| collect_keys(schema, &mut keys));
        let keys: Vec<String> = keys.into_iter().collect();
        let outline = dialect.outline();
        let mut builder = Builder {
            markers: Markers::new(&outline, &names, &keys),
            in_values: OnceCell::new(),
            in_strings: OnceCell::new(),
            outline,
            dialect: dialect.name(),
            options: &options,
            tools: schemas.iter().collect(),
            rules: Rules::default(),
            warnings: Vec::new(),
            any: BTreeMap::new(),
            references: BTreeMap::new(),
        };
        let message = builder.message(&chosen)?;
        let trigger = message.calls.as_ref().filter(|calls| builder.is_strong(&calls.opener));
        let trigger = trigger.and_then(|calls| calls.opener.split_whitespace().next()).map(str::to_owned);
        if let (Some(trigger), Some(tokens)) = (&trigger, &options.tokens)
            && !tokens.iter().any(|token| trigger == token)
        {
            builder.warn(format!(
                    "the trigger `{trigger}` is not a single token of the model; an engine that waits for a token will not detect it"
                ));
        }
        let (rules, warnings) = (builder.rules, builder.warnings);
        Ok(Self {
            rules,
            message,
            trigger,
            special: dialect.special().to_vec(),
            tools: tools.to_vec(),
            options,
            warnings,
        })
    }

    /// Returns what the grammar does not enforce and what an engine may not handle.
    pub fn warnings(&self) -> &[GrammarWarning] {
        &self.warnings
    }

    /// Returns the text that starts a lazy grammar: the beginning of calls, if it is unlikely in prose.
    pub fn trigger(&self) -> Option<&str> {
        self.trigger.as_deref()
    }

    /// Returns the dialect's literals that are single tokens in its models' vocabularies.
    pub fn special(&self) -> &[String] {
        &self.special
    }

    /// Returns the grammar as GBNF, for llama.cpp.
    pub fn to_gbnf(&self) -> String {
        gbnf::write(&self.message.root, &self.rules)
    }

    /// Returns the grammar of only the calls as GBNF, for an engine that starts it at [`Grammar::trigger`]; `None` if
    /// there is no trigger.
    pub fn to_lazy_gbnf(&self) -> Option<String> {
        let calls = self.message.calls.as_ref().filter(|_| self.trigger.is_some())?;
        Some(gbnf::write(&calls.node, &self.rules))
    }

    /// Returns the grammar as Lark, for llguidance.
    pub fn to_lark(&self) -> String {
        lark::write(&self.message.root, &self.rules, &self.tokens())
    }

    /// Returns the grammar as a structural tag, for xgrammar.
    pub fn to_structural_tag(&self) -> Value {
        tag::write(&self.message, &self.rules, self.trigger.as_deref())
    }

    /// Returns a JSON schema for the calls, for APIs that only support JSON schemas: one call, or a list of calls if
    /// parallel calls are allowed. Parse the answer with a dialect for bare JSON.
    ///
    /// # Errors
    /// If no tool is declared, or the tool choice is `None`.
    pub fn to_json_schema(&self) -> Result<Value, GrammarError> {
        json_schema::calls(&self.chosen_tools()?, self.options.parallel)
    }

    /// Returns the schema in the strict form of OpenAI's API: the root is an object, all members are required, optional
    /// ones may be `null`, and no additional members are allowed.
    ///
    /// # Errors
    /// See [`Grammar::to_json_schema`]; also if a schema is open, which the strict form does not support.
    pub fn to_openai_schema(&self) -> Result<Value, GrammarError> {
        json_schema::openai(&self.chosen_tools()?, self.options.parallel)
    }

    fn chosen_tools(&self) -> Result<Vec<&GrammarTool>, GrammarError> {
        let chosen = chosen(&self.tools, &self.options.tool_choice)?;
        if chosen.is_empty() || self.options.tool_choice == GrammarToolChoice::None {
            return Err(GrammarError::new(
                "no call is possible; declare tools, and set the tool choice to `auto` or `required`",
            ));
        }
        Ok(chosen.into_iter().filter_map(|number| self.tools.get(number)).collect())
    }

    /// Returns the special tokens of the dialect that the caller knows to be tokens.
    fn tokens(&self) -> Vec<&str> {
        let known = self.options.tokens.as_deref().unwrap_or_default();
        self.special.iter().filter(|token| known.contains(token)).map(String::as_str).collect()
    }
}

/// Returns the indices of the tools that may be called.
fn chosen(tools: &[GrammarTool], choice: &GrammarToolChoice) -> Result<Vec<usize>, GrammarError> {
    let names = || tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(", ");
    match choice {
        GrammarToolChoice::Required | GrammarToolChoice::Named(_) if tools.is_empty() => {
            Err(GrammarError::new("no tool is declared; declare at least one"))
        }
        GrammarToolChoice::Named(name) => match tools.iter().position(|tool| tool.name == *name) {
            Some(number) => Ok(vec![number]),
            None => Err(GrammarError::new(format!("unknown tool `{name}`; declared tools: {}", names()))),
        },
        _ => Ok((0..tools.len()).collect()),
    }
}

/// Collects the names of members, at every level.
fn collect_keys(schema: &Value, keys: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            let declared = members.get("properties").and_then(Value::as_object);
            keys.extend(declared.into_iter().flat_map(|declared| declared.keys().cloned()));
            members.values().for_each(|member| collect_keys(member, keys));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_keys(item, keys)),
        _ => {}
    }
}
