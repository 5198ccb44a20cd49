//! The programs that serve models, and the request fields that make each of them return the model's markers.

use std::fmt;
use std::str::FromStr;

use toolglot_grammar::Grammar;
use toolglot_json::{Map, Value, json};

use crate::fault::Fault;
use crate::protocol::Protocol;

/// A program that serves models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineKind {
    /// Any server of one of the protocols; gets no additional fields.
    #[default]
    Generic,
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
    /// llama.cpp's server.
    LlamaCpp,
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// mlx-lm's server.
    MlxLm,
}

/// The properties of an engine.
pub(crate) struct EngineRow {
    kind: EngineKind,
    name: &'static str,
    /// The owner in its list of models.
    owner: &'static str,
    /// Top-level fields, as JSON, that a request with tools needs; the client's fields take precedence.
    fields: &'static [(&'static str, &'static str)],
    /// Whether it accepts tools with free-text input.
    pub(crate) custom_tools: bool,
    /// Whether it fails on text in which its parser finds no call of the template's dialect. With `tool_choice` "none" it
    /// still shows the tools to the model, and passes on the model's text.
    insists: bool,
    /// Protocols in which its streams make clients fail even on plain text, so that they must always be rewritten.
    pub(crate) breaks: &'static [Protocol],
    /// The fields that make it continue an assistant message at the end of a request; none if it cannot.
    continues: Option<&'static [(&'static str, &'static str)]>,
    /// How it accepts a grammar.
    pub(crate) grammar: GrammarSlot,
    /// Whether it may reject a tool choice because it was started without a tool parser.
    may_lack_parser: bool,
}

/// How an engine accepts a grammar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrammarSlot {
    pub(crate) form: GrammarMembers,
    pub(crate) beside_tools: BesideTools,
}

/// The form of a grammar, and its members in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrammarMembers {
    /// Grammars are not supported.
    Nothing,
    /// GBNF for llama.cpp, in `grammar`.
    Gbnf,
    /// A structural tag as text for vLLM, in `structured_outputs`.
    TagText,
    /// A structural tag for SGLang, as `response_format`.
    Tag,
    /// The JSON schema of a call, as `response_format`; it allows no text, so a call must be required.
    Schema,
}

/// How an engine treats a grammar and tools in one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BesideTools {
    /// Both can be sent unchanged.
    Kept,
    /// With this `tool_choice`, the engine still shows the tools, and does not use a grammar of its own.
    Choice(&'static str),
    /// Both together are rejected; the tools must be in the prompt.
    Refused,
}

const ROW: EngineRow = EngineRow {
    kind: EngineKind::Generic,
    name: "generic",
    owner: "",
    fields: &[],
    custom_tools: true,
    insists: false,
    breaks: &[],
    continues: None,
    grammar: GrammarSlot { form: GrammarMembers::Schema, beside_tools: BesideTools::Kept },
    may_lack_parser: false,
};

/// For servers that begin a new message unless asked to continue the last one.
const CONTINUE: Option<&[(&str, &str)]> =
    Some(&[("continue_final_message", "true"), ("add_generation_prompt", "false")]);

/// For servers that remove special tokens from text by default, and with them the markers of calls.
const KEEP_TOKENS: &[(&str, &str)] = &[("skip_special_tokens", "false"), ("spaces_between_special_tokens", "false")];

const TABLE: [EngineRow; 7] = [
    EngineRow { may_lack_parser: true, ..ROW },
    EngineRow {
        kind: EngineKind::Vllm,
        name: "vllm",
        owner: "vllm",
        fields: KEEP_TOKENS,
        custom_tools: false,
        continues: CONTINUE,
        grammar: GrammarSlot { form: GrammarMembers::TagText, beside_tools: BesideTools::Choice("none") },
        may_lack_parser: true,
        ..ROW
    },
    EngineRow {
        kind: EngineKind::Sglang,
        name: "sglang",
        owner: "sglang",
        fields: KEEP_TOKENS,
        custom_tools: false,
        continues: CONTINUE,
        // With "none", it does not show the tools.
        grammar: GrammarSlot { form: GrammarMembers::Tag, beside_tools: BesideTools::Choice("auto") },
        ..ROW
    },
    EngineRow {
        kind: EngineKind::LlamaCpp,
        name: "llama.cpp",
        owner: "llamacpp",
        fields: &[("parse_tool_calls", "false"), ("reasoning_format", r#""none""#)],
        custom_tools: false,
        insists: true,
        breaks: &[Protocol::Responses],
        continues: Some(&[]),
        grammar: GrammarSlot { form: GrammarMembers::Gbnf, beside_tools: BesideTools::Refused },
        ..ROW
    },
    EngineRow {
        kind: EngineKind::Ollama,
        name: "ollama",
        owner: "library",
        custom_tools: false,
        continues: Some(&[]),
        ..ROW
    },
    EngineRow { kind: EngineKind::LmStudio, name: "lmstudio", owner: "organization_owner", custom_tools: false, ..ROW },
    EngineRow {
        kind: EngineKind::MlxLm,
        name: "mlx-lm",
        custom_tools: false,
        grammar: GrammarSlot { form: GrammarMembers::Nothing, ..ROW.grammar },
        ..ROW
    },
];

impl EngineKind {
    /// The names of all engines.
    pub const NAMES: [&str; 7] = ["generic", "vllm", "sglang", "llama.cpp", "ollama", "lmstudio", "mlx-lm"];

    /// Returns the engine's name in settings and logs.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the engine that a server's answer to `/v1/models` identifies, if any.
    pub fn of_models(answer: &Value) -> Option<Self> {
        let owner = answer.get("data")?.as_array()?.iter().find_map(|model| model.get("owned_by")?.as_str())?;
        TABLE.iter().find(|row| !row.owner.is_empty() && row.owner == owner).map(|row| row.kind)
    }

    /// Adds the fields that a request with tools in this protocol needs.
    pub(crate) fn complete(self, request: &mut Map, protocol: Protocol) {
        let free = request.get("tool_choice").is_none_or(|choice| choice == "auto" || choice.is_null());
        // In Messages, the choice is an object.
        if self.row().insists && free && protocol != Protocol::Messages && request.contains_key("tools") {
            request["tool_choice"] = "none".into();
        }
        for (key, value) in self.row().fields {
            if !request.contains_key(key) {
                request.insert((*key).to_owned(), literal(value));
            }
        }
    }

    /// Prefills the answer to a chat request, if the engine continues it.
    pub(crate) fn prefill(self, request: &mut Map, text: &str) -> bool {
        let (Some(fields), Some(Value::Array(messages))) = (self.row().continues, request.get_mut("messages")) else {
            return false;
        };
        messages.push(toolglot_json::json!({"role": "assistant", "content": text}));
        request.extend(fields.iter().map(|(key, value)| ((*key).to_owned(), literal(value))));
        true
    }

    /// Removes the prefill.
    pub(crate) fn remove_prefill(self, request: &mut Map) {
        if let Some(Value::Array(messages)) = request.get_mut("messages") {
            messages.pop();
        }
        for (key, _) in self.row().continues.unwrap_or_default() {
            request.remove(key);
        }
    }

    /// Changes a request that the engine rejected, if another form may succeed; returns why.
    pub(crate) fn amend(self, request: &mut Map, fault: &Fault) -> Option<&'static str> {
        let lacks_parser = self.row().may_lack_parser && fault.message.contains("tool choice requires");
        if !lacks_parser || request["tool_choice"] == "none" {
            return None;
        }
        // Only vLLM sends this error. With "none", it still shows the tools to the model.
        request["tool_choice"] = "none".into();
        Self::Vllm.complete(request, Protocol::Chat);
        Some("the server has no tool parser")
    }

    /// Returns the engine's properties.
    pub(crate) fn row(self) -> &'static EngineRow {
        TABLE.iter().find(|row| row.kind == self).unwrap_or(&TABLE[0])
    }
}

impl GrammarMembers {
    /// Returns the members of a request with a grammar: for the whole answer, or else, if the engine supports that, for the
    /// text from the grammar's trigger on.
    ///
    /// # Errors
    /// If the grammar cannot be written in this form.
    pub(crate) fn members(self, grammar: &Grammar, whole: bool) -> Result<Map, String> {
        let members = match self {
            Self::Nothing => json!({}),
            Self::Gbnf => grammar.llama_server_members(!whole),
            Self::TagText => {
                json!({"structured_outputs": {"structural_tag": grammar.to_structural_tag().to_string()}})
            }
            Self::Tag => json!({"response_format": grammar.to_structural_tag()}),
            Self::Schema => {
                let schema = grammar.to_json_schema().map_err(|error| error.to_string())?;
                let named = json!({"name": "call", "schema": schema});
                json!({"response_format": {"type": "json_schema", "json_schema": named}})
            }
        };
        Ok(members.as_object().cloned().unwrap_or_default())
    }

    /// Returns whether a client's request already has a grammar.
    pub(crate) fn is_in(self, request: &Map) -> bool {
        let has = |keys: &[&str]| keys.iter().any(|key| request.contains_key(key));
        let format = request.get("response_format").and_then(|format| format.get("type")?.as_str());
        match self {
            Self::Nothing => false,
            Self::Gbnf => has(&["grammar", "json_schema"]),
            Self::TagText => has(&["structured_outputs"]),
            Self::Tag => format == Some("structural_tag") || has(&["regex", "ebnf"]),
            Self::Schema => format.is_some_and(|kind| kind != "text"),
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = TABLE.iter().find(|row| row.name == text).map(|row| row.kind);
        found.ok_or_else(|| format!("unknown engine `{text}`; use one of {}", Self::NAMES.join(", ")))
    }
}

/// Reads a value of the table.
fn literal(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use toolglot_json::json;

    use super::*;
    use crate::fault::FaultKind;

    #[test]
    fn the_table_is_whole() {
        for (row, name) in TABLE.iter().zip(EngineKind::NAMES) {
            assert_eq!(row.name, name);
            assert_eq!(name.parse(), Ok(row.kind));
            for (_, value) in row.fields {
                assert!(!literal(value).is_null(), "{value}");
            }
        }
        assert!("x".parse::<EngineKind>().unwrap_err().contains("mlx-lm"));
    }

    #[test]
    fn an_engine_is_known_by_its_models() {
        let answer = json!({"data": [{"id": "m", "owned_by": "vllm"}]});
        assert_eq!(EngineKind::of_models(&answer), Some(EngineKind::Vllm));
        assert_eq!(EngineKind::of_models(&json!({"data": [{"id": "m", "owned_by": "me"}]})), None);
        assert_eq!(EngineKind::of_models(&json!([])), None);
    }

    #[test]
    fn what_the_client_says_goes_first() {
        let mut request = json!({"skip_special_tokens": true}).as_object().cloned().unwrap();
        EngineKind::Sglang.complete(&mut request, Protocol::Chat);
        assert_eq!(Value::from(request), json!({"skip_special_tokens": true, "spaces_between_special_tokens": false}));
    }

    #[test]
    fn a_server_that_insists_is_told_to_choose_nothing() {
        let choice = |request: Value, protocol| {
            let mut request = request.as_object().cloned().unwrap();
            EngineKind::LlamaCpp.complete(&mut request, protocol);
            request["tool_choice"].clone()
        };
        assert_eq!(choice(json!({"tools": [1]}), Protocol::Chat), "none");
        assert_eq!(choice(json!({"tools": [1], "tool_choice": "auto"}), Protocol::Responses), "none");
        assert_eq!(choice(json!({"tools": [1], "tool_choice": "required"}), Protocol::Chat), "required");
        assert_eq!(choice(json!({"tools": [1]}), Protocol::Messages), Value::Null);
        assert_eq!(choice(json!({}), Protocol::Chat), Value::Null);
    }

    #[test]
    fn a_refusal_is_amended_once() {
        let fault = Fault::new(FaultKind::Request, r#""auto" tool choice requires --enable-auto-tool-choice"#);
        let mut request = Map::new();
        assert_eq!(EngineKind::Vllm.amend(&mut request, &fault), Some("the server has no tool parser"));
        assert_eq!(request["tool_choice"], "none");
        let mut unknown = Map::new();
        assert!(EngineKind::Generic.amend(&mut unknown, &fault).is_some());
        assert_eq!(unknown["skip_special_tokens"], false, "the answer tells which engine it is");
        assert_eq!(EngineKind::Vllm.amend(&mut request, &fault), None);
        assert_eq!(EngineKind::Sglang.amend(&mut Map::new(), &fault), None);
    }
}
