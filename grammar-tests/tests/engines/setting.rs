//! One dialect with one list of tools: its grammar, and what is asked of texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use toolglot::{Code, Dialect, Dialects, Message, Options, Renderer, Rendering, Tools, parse};
use toolglot_grammar::{Grammar, GrammarOptions, GrammarTool, GrammarToolChoice};
use toolglot_json::Value;

use crate::gbnf::{Gbnf, Matcher};
use crate::random::Random;

/// Returns a number of the environment.
pub(crate) fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Returns lists of tools by what they are about.
pub(crate) fn toolsets() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/toolglot-grammar/tests/toolsets");
    let read = |path: &Path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), read(&path))).collect()
}

/// Returns all dialects, or the one of the environment.
pub(crate) fn dialects() -> Vec<Arc<Dialect>> {
    let only = std::env::var("GRAMMAR_DIALECT").ok();
    let all = Dialects::builtin();
    all.iter().filter(|dialect| only.as_deref().is_none_or(|only| only == dialect.name())).cloned().collect()
}

/// One dialect with one list of tools.
pub(crate) struct Setting {
    pub(crate) about: String,
    pub(crate) dialect: Arc<Dialect>,
    pub(crate) tools: Tools,
    pub(crate) grammar: Grammar,
    pub(crate) gbnf: Gbnf,
    pub(crate) declared: Vec<GrammarTool>,
    demanded: bool,
}

/// Returns the settings of a dialect: some lists of tools, calls demanded and optional.
pub(crate) fn settings(dialect: &Arc<Dialect>) -> Vec<Setting> {
    let lists =
        std::env::var("GRAMMAR_TOOLS").unwrap_or_else(|_| "plain optional nested choices bounds recursive".to_owned());
    let mut all = Vec::new();
    for (about, tools) in toolsets().into_iter().filter(|(about, _)| lists.split(' ').any(|list| list == about)) {
        for choice in [GrammarToolChoice::Required, GrammarToolChoice::Auto] {
            all.push(Setting::new(dialect, &tools, &choice, &format!("{} {about} {choice:?}", dialect.name())));
        }
    }
    all
}

impl Setting {
    pub(crate) fn new(dialect: &Arc<Dialect>, tools: &Value, choice: &GrammarToolChoice, about: &str) -> Self {
        let declared = GrammarTool::list(tools).unwrap();
        let options = GrammarOptions::new().with_tool_choice(choice.clone());
        let grammar = Grammar::new(dialect, &declared, &options).unwrap();
        Self {
            about: about.to_owned(),
            dialect: Arc::clone(dialect),
            tools: Tools::from_json(&tools.into()).unwrap(),
            gbnf: Gbnf::new(&grammar.to_gbnf()),
            demanded: *choice == GrammarToolChoice::Required,
            declared,
            grammar,
        }
    }

    pub(crate) fn read(&self, text: &str) -> Message {
        let pinned: Dialects = [Arc::clone(&self.dialect)].into_iter().collect();
        parse(text, &pinned, &self.tools, &Options::default())
    }

    /// Says what is wrong with a text that an engine let through.
    pub(crate) fn wrong(&self, text: &str) -> Option<String> {
        let message = self.read(text);
        if let Some(diagnostic) =
            message.diagnostics.iter().find(|diagnostic| diagnostic.code != Code::DuplicateParameter)
        {
            return Some(diagnostic.to_string());
        }
        if self.demanded && message.calls.is_empty() || !message.incomplete.is_empty() {
            return Some("no call".to_owned());
        }
        message.calls.iter().find_map(|call| {
            let schema = self.declared.iter().find(|tool| tool.name == call.name)?.parameters.as_ref()?;
            let arguments: Value = toolglot_json::from_str(&call.arguments).unwrap();
            let validator = jsonschema::validator_for(&schema.into()).unwrap();
            validator.validate(&(&arguments).into()).err().map(|error| format!("{error} in {}", call.arguments))
        })
    }

    /// Returns a walk of our own matcher.
    pub(crate) fn walk(&self, seed: u64) -> String {
        Matcher::walk(&self.gbnf, &mut Random::new(seed), 40 + seed as usize % 100)
    }

    /// Returns what the renderer makes of a text that was read, if there is a call in it. The renderer writes markers in listed
    /// values as they are, where the grammar escapes them or does without.
    pub(crate) fn rendered(&self, message: &Message) -> Option<String> {
        let content = if self.demanded { "" } else { &message.content };
        let said = Rendering::new().with_content(content).with_reasoning(&message.reasoning);
        let said = message.calls.iter().fold(said, |said, call| said.with_call(&call.name, &call.arguments));
        let rendered = Renderer::new(&self.dialect, &self.tools).render(&said).ok();
        let marked = |arguments: &str| arguments.contains("tool_call>") || arguments.contains("parameter>");
        let is_marked = message.calls.iter().any(|call| marked(&call.arguments));
        rendered.filter(|_| !message.calls.is_empty() && !is_marked)
    }
}
