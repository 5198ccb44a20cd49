//! Grammars requested with options by name, for command lines and other languages.

use toolglot::{Dialect, OptionError};
use toolglot_json::{Value, json};

use crate::declared::GrammarTool;
use crate::error::GrammarError;
use crate::grammar::Grammar;
use crate::options::{
    ArgumentsLevel, GrammarOptions, GrammarReasoning, GrammarToolChoice, MarkerSpelling, UnsupportedKeywords,
};

/// The notation of a grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrammarForm {
    /// For llama.cpp.
    #[default]
    Gbnf,
    /// For llguidance.
    Lark,
    /// For xgrammar: vLLM, SGLang, TensorRT-LLM.
    StructuralTag,
    /// For hosted APIs.
    JsonSchema,
}

/// The options and the notation of a grammar.
///
/// # Example
/// ```
/// use toolglot::Dialects;
/// use toolglot_grammar::{GrammarRequest, GrammarTool};
/// use toolglot_json::json;
/// let request = GrammarRequest::default().with_named("tool_choice", &json!("required"))?;
/// let dialects = Dialects::builtin();
/// let dialect = dialects.get("hermes").ok_or("no such dialect")?;
/// let written = request.write(dialect, &GrammarTool::from_json_str(r#"[{"name": "now"}]"#)?)?;
/// assert_eq!(written.trigger.as_deref(), Some("<tool_call>"));
/// assert_eq!(written.body["grammar"], written.text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrammarRequest {
    form: GrammarForm,
    lazy: bool,
    openai: bool,
    options: GrammarOptions,
}

/// A grammar as text, with what an engine needs to use it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WrittenGrammar {
    /// The grammar: GBNF, Lark or JSON.
    pub text: String,
    /// The members for a request body.
    pub body: Value,
    /// The text that calls begin with, if it is unlikely in prose.
    pub trigger: Option<String>,
    /// The markers that are special tokens of the dialect's models; the engine must not drop them.
    pub preserved_tokens: Vec<String>,
    /// What the grammar does not enforce and what an engine may not handle.
    pub warnings: Vec<String>,
}

impl GrammarRequest {
    /// The names that [`with_named`](Self::with_named) accepts.
    pub const NAMES: &[&str] = &[
        "form",
        "tool_choice",
        "parallel",
        "arguments",
        "reasoning",
        "content",
        "all_spellings",
        "strict",
        "answer",
        "tokens",
        "lazy",
        "openai",
    ];

    /// Creates a request for a grammar with these options, as GBNF.
    pub fn new(options: GrammarOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Sets the notation.
    #[must_use]
    pub fn with_form(self, form: GrammarForm) -> Self {
        Self { form, ..self }
    }

    /// Sets whether GBNF covers only the calls, for an engine that starts it at the trigger.
    #[must_use]
    pub fn with_lazy(self, lazy: bool) -> Self {
        Self { lazy, ..self }
    }

    /// Sets whether the JSON schema has the strict form of OpenAI's API.
    #[must_use]
    pub fn with_openai(self, openai: bool) -> Self {
        Self { openai, ..self }
    }

    /// Sets an option by the name of its flag in `toolglot grammar`; null leaves it unchanged.
    ///
    /// # Errors
    /// If the name or the value is invalid.
    pub fn with_named(mut self, name: &str, value: &Value) -> Result<Self, OptionError> {
        if value.is_null() && Self::NAMES.contains(&name) {
            return Ok(self);
        }
        let options = std::mem::take(&mut self.options);
        self.options = match name {
            "form" => return Ok(Self { options, form: choice(name, value, &FORMS)?, ..self }),
            "lazy" => return Ok(Self { options, lazy: flag(name, value)?, ..self }),
            "openai" => return Ok(Self { options, openai: flag(name, value)?, ..self }),
            "tool_choice" => options.with_tool_choice(tool_choice(name, value)?),
            "parallel" => options.with_parallel(flag(name, value)?),
            "arguments" => options.with_arguments(choice(name, value, &ARGUMENTS)?),
            "reasoning" => options.with_reasoning(choice(name, value, &REASONING)?),
            "content" => options.with_content(flag(name, value)?),
            "all_spellings" => options.with_spelling(match flag(name, value)? {
                true => MarkerSpelling::All,
                false => MarkerSpelling::Canonical,
            }),
            "strict" => options.with_unsupported(match flag(name, value)? {
                true => UnsupportedKeywords::Strict,
                false => UnsupportedKeywords::Lenient,
            }),
            "answer" => options.with_answer(Some(schema(name, value)?)),
            "tokens" => options.with_tokens(Some(texts(name, value)?)),
            _ => return Err(OptionError::unknown("option", name, Self::NAMES)),
        };
        Ok(self)
    }

    /// Creates the grammar of a dialect for these tools and writes it.
    ///
    /// # Errors
    /// See [`Grammar::new`]; also if the grammar cannot be written in this notation.
    pub fn write(&self, dialect: &Dialect, tools: &[GrammarTool]) -> Result<WrittenGrammar, GrammarError> {
        if self.lazy && self.form != GrammarForm::Gbnf {
            return Err(GrammarError::new(
                "`lazy` requires GBNF; omit it (a structural tag always waits for its trigger)",
            ));
        }
        if self.openai && self.form != GrammarForm::JsonSchema {
            return Err(GrammarError::new("`openai` requires the form `json-schema`; set `form` or omit `openai`"));
        }
        let grammar = Grammar::new(dialect, tools, &self.options)?;
        let (text, body) = self.form(&grammar, dialect)?;
        Ok(WrittenGrammar {
            text,
            body,
            trigger: grammar.trigger().map(str::to_owned),
            preserved_tokens: grammar.special().to_vec(),
            warnings: grammar.warnings().iter().map(ToString::to_string).collect(),
        })
    }

    fn form(&self, grammar: &Grammar, dialect: &Dialect) -> Result<(String, Value), GrammarError> {
        Ok(match self.form {
            GrammarForm::Gbnf if self.lazy => lazy(grammar, dialect)?,
            GrammarForm::Gbnf => (grammar.to_gbnf(), grammar.llama_server_members(false)),
            GrammarForm::Lark => {
                let text = grammar.to_lark();
                let body = json!({"structured_outputs": {"grammar": text}});
                (text, body)
            }
            GrammarForm::StructuralTag => {
                let tag = grammar.to_structural_tag();
                // vLLM takes the tag as text.
                (format!("{tag:#}"), json!({"structured_outputs": {"structural_tag": tag.to_string()}}))
            }
            GrammarForm::JsonSchema => {
                let schema = if self.openai { grammar.to_openai_schema() } else { grammar.to_json_schema() }?;
                let text = format!("{schema:#}");
                let named = json!({"name": "tool_calls", "schema": schema, "strict": self.openai});
                (text, json!({"response_format": {"type": "json_schema", "json_schema": named}}))
            }
        })
    }
}

impl WrittenGrammar {
    /// Returns the grammar as a JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "text": self.text,
            "body": self.body,
            "trigger": self.trigger,
            "preserved_tokens": self.preserved_tokens,
            "warnings": self.warnings,
        })
    }
}

impl Grammar {
    /// Returns the members of a request to llama-server: with `lazy`, the grammar from the trigger on, if there is one.
    pub fn llama_server_members(&self, lazy: bool) -> Value {
        let Some((gbnf, trigger)) = self.to_lazy_gbnf().zip(self.trigger()).filter(|_| lazy) else {
            return json!({"grammar": self.to_gbnf(), "preserved_tokens": self.special()});
        };
        // A trigger that is one token has to be preserved, too.
        let own = (!self.special().iter().any(|token| token == trigger)).then_some(trigger);
        let preserved: Vec<&str> = self.special().iter().map(String::as_str).chain(own).collect();
        json!({
            "grammar": gbnf,
            "grammar_lazy": true,
            // 1 is the number of a word among the kinds of triggers.
            "grammar_triggers": [{"type": 1, "value": trigger}],
            "preserved_tokens": preserved,
        })
    }
}

/// Returns the grammar that llama-server starts at the trigger.
fn lazy(grammar: &Grammar, dialect: &Dialect) -> Result<(String, Value), GrammarError> {
    let Some(text) = grammar.to_lazy_gbnf() else {
        let why = "has no trigger, because prose may contain the beginning of a call; omit `lazy`";
        return Err(GrammarError::new(format!("`{}` {why}", dialect.name())));
    };
    Ok((text, grammar.llama_server_members(true)))
}

const FORMS: [(&str, GrammarForm); 4] = [
    ("gbnf", GrammarForm::Gbnf),
    ("lark", GrammarForm::Lark),
    ("structural-tag", GrammarForm::StructuralTag),
    ("json-schema", GrammarForm::JsonSchema),
];

const ARGUMENTS: [(&str, ArgumentsLevel); 2] = [("free", ArgumentsLevel::Free), ("schema", ArgumentsLevel::Schema)];

const REASONING: [(&str, GrammarReasoning); 3] = [
    ("none", GrammarReasoning::None),
    ("optional", GrammarReasoning::Optional),
    ("prefilled", GrammarReasoning::Prefilled),
];

fn choice<T: Copy>(what: &str, value: &Value, names: &[(&str, T)]) -> Result<T, OptionError> {
    let given = value.as_str().ok_or_else(|| mistyped(what, value, "a string"))?;
    let found = names.iter().find(|(name, _)| *name == given);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        OptionError::Value(format!("invalid value `{given}` for {what}; use {}", known.join(", ")))
    })
}

/// Parses a word, the name of a tool, or an object that names one as in a chat request.
fn tool_choice(what: &str, value: &Value) -> Result<GrammarToolChoice, OptionError> {
    let named = value.pointer("/function/name").or_else(|| value.get("name")).and_then(Value::as_str);
    match (value.as_str(), named) {
        (Some("auto"), _) => Ok(GrammarToolChoice::Auto),
        (Some("required"), _) => Ok(GrammarToolChoice::Required),
        (Some("none"), _) => Ok(GrammarToolChoice::None),
        (Some(name), _) | (None, Some(name)) => Ok(GrammarToolChoice::Named(name.to_owned())),
        (None, None) => Err(mistyped(what, value, "`auto`, `required`, `none` or the name of a tool")),
    }
}

fn flag(what: &str, value: &Value) -> Result<bool, OptionError> {
    value.as_bool().ok_or_else(|| mistyped(what, value, "`true` or `false`"))
}

fn schema(what: &str, value: &Value) -> Result<Value, OptionError> {
    match value {
        Value::Object(_) | Value::Bool(_) => Ok(value.clone()),
        other => Err(mistyped(what, other, "a JSON schema")),
    }
}

fn texts(what: &str, value: &Value) -> Result<Vec<String>, OptionError> {
    let items = value.as_array().into_iter().flatten().map(|item| item.as_str().map(str::to_owned));
    let items: Option<Vec<String>> = items.collect();
    items.filter(|_| value.is_array()).ok_or_else(|| mistyped(what, value, "a list of strings"))
}

fn mistyped(what: &str, value: &Value, wanted: &str) -> OptionError {
    OptionError::mistyped(what, &value.into(), wanted)
}

#[cfg(test)]
mod tests {
    use toolglot::Dialects;

    use super::*;

    fn asked(options: &Value) -> Result<GrammarRequest, OptionError> {
        let members = options.as_object().into_iter().flatten();
        members.into_iter().try_fold(GrammarRequest::default(), |all, (name, value)| all.with_named(name, value))
    }

    fn written(options: &Value) -> Result<WrittenGrammar, String> {
        let tools = GrammarTool::from_json_str(r#"[{"name": "ls"}, {"name": "auto"}]"#).unwrap();
        let dialects = Dialects::builtin();
        asked(options)
            .map_err(|error| error.to_string())?
            .write(dialects.get("hermes").unwrap(), &tools)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn every_name_is_known_and_null_changes_nothing() {
        for name in GrammarRequest::NAMES {
            let kept = GrammarRequest::default().with_lazy(true).with_named(name, &Value::Null);
            assert_eq!(kept, Ok(GrammarRequest::default().with_lazy(true)), "{name}");
            let error = GrammarRequest::default().with_named(name, &json!(-1)).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("must be"), "{name}: {error}");
        }
        let error = asked(&json!({"tool_choise": "auto"})).unwrap_err().to_string();
        assert!(error.starts_with("unknown option `tool_choise`; use form, tool_choice, "), "{error}");
        let error = asked(&json!({"reasoning": "no"})).unwrap_err().to_string();
        assert_eq!(error, "invalid value `no` for reasoning; use none, optional, prefilled");
    }

    #[test]
    fn tools_are_chosen_by_word_name_or_object() {
        let choice = |value: Value| asked(&json!({"tool_choice": value})).unwrap().options.tool_choice;
        assert_eq!(choice(json!("auto")), GrammarToolChoice::Auto);
        assert_eq!(choice(json!("ls")), GrammarToolChoice::Named("ls".to_owned()));
        let named = GrammarToolChoice::Named("auto".to_owned());
        assert_eq!(choice(json!({"type": "function", "function": {"name": "auto"}})), named);
        assert_eq!(choice(json!({"type": "tool", "name": "auto"})), named);
    }

    #[test]
    fn what_an_engine_takes_comes_with_the_text() {
        let lazy = written(&json!({"lazy": true})).unwrap();
        assert_eq!(lazy.trigger.as_deref(), Some("<tool_call>"));
        assert_eq!(lazy.body["grammar_triggers"][0]["value"], "<tool_call>");
        assert_eq!(lazy.body["preserved_tokens"], Value::from(lazy.preserved_tokens.clone()));
        assert!(lazy.text.starts_with("root ::= \"<tool_call>"), "{}", lazy.text);
        let schema = written(&json!({"form": "json-schema"})).unwrap();
        assert_eq!(
            toolglot_json::from_str(&schema.text).unwrap(),
            schema.body["response_format"]["json_schema"]["schema"]
        );
        for wrong in [json!({"form": "lark", "lazy": true}), json!({"openai": true}), json!({"tool_choice": "rm"})] {
            let error = written(&wrong).unwrap_err();
            assert!(error.contains(';'), "{error}");
        }
    }
}
