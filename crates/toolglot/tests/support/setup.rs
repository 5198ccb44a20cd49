//! What a case is run with, and its file rewritten.

use std::ops::Range;
use std::path::Path;

use toolglot::{Dialects, Limits, Options, Tools};

use crate::case::Case;

/// What a case is run with.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The dialects the case names, or those of its folder.
    pub(crate) dialects: Dialects,
    /// The declared tools.
    pub(crate) tools: Tools,
    /// The options.
    pub(crate) options: Options,
    /// Whether the case is also run with all dialects.
    pub(crate) also_auto: bool,
}

impl Case {
    /// Replaces the expectations.
    pub(crate) fn set_expect(&mut self, title: &str, text: Option<String>) {
        self.sections.retain(|(t, _)| t != title);
        self.sections.extend(text.map(|text| (title.to_owned(), text)));
    }

    /// Returns where the input's special tokens stand: what `⟦⟧` encloses in a section `input tokens`.
    pub(crate) fn special(&self) -> Vec<Range<usize>> {
        let (mut special, mut at) = (Vec::new(), 0);
        for part in self.section("input tokens").unwrap_or_default().split('⟦') {
            let (token, text) = part.split_once('⟧').unwrap_or(("", part));
            special.extend((!token.is_empty()).then_some(at..at + token.len()));
            at += token.len() + text.len();
        }
        special
    }

    /// Returns the case as its file holds it.
    pub(crate) fn write(&self) -> String {
        let sections = self.sections.iter().map(|(title, text)| format!("--- {title}\n{text}"));
        self.about.clone() + &sections.collect::<String>()
    }

    /// Returns what the case is run with.
    pub(crate) fn setup(&self, name: &str, shared_tools: &str) -> Result<Setup, String> {
        if let Some((title, _)) = self.sections.iter().find(|(title, _)| !SECTIONS.contains(&title.as_str())) {
            return Err(format!("no section of a case: `{title}`"));
        }
        let folder = Path::new(name).iter().next().and_then(|name| name.to_str()).unwrap_or_default();
        let builtin = Dialects::builtin();
        let mut setup = Setup {
            also_auto: builtin.get(folder).is_some_and(|dialect| dialect.name() == folder),
            dialects: builtin.only(&[folder]).unwrap_or(builtin),
            tools: tools(self.section("tools").unwrap_or(shared_tools))?,
            options: Options::default(),
        };
        let mut limits = Limits::default();
        for line in self.section("options").unwrap_or_default().lines().filter(|line| !line.trim().is_empty()) {
            let (key, value) = line.split_once(" = ").ok_or_else(|| format!("no option: `{line}`"))?;
            limits = match (key, value.parse()) {
                ("held", Ok(n)) => limits.with_held(n),
                ("arguments", Ok(n)) => limits.with_arguments(n),
                ("depth", Ok(n)) => limits.with_depth(n),
                ("calls", Ok(n)) => limits.with_calls(n),
                _ => {
                    setup.set(key, value).map_err(|error| format!("option `{key}`: {error}"))?;
                    limits
                }
            };
        }
        setup.options = setup.options.with_limits(limits);
        Ok(setup)
    }
}

/// What the sections of a case may be called.
const SECTIONS: [&str; 7] = ["tools", "options", "input", "input escaped", "input tokens", "expect", "expect auto"];

impl Setup {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let options = self.options.clone();
        self.options = match key {
            "dialects" if value == "auto" => {
                self.dialects = Dialects::builtin();
                self.also_auto = false;
                options
            }
            "dialects" => {
                let names: Vec<&str> = value.split(", ").collect();
                self.dialects = Dialects::builtin().only(&names).map_err(text)?;
                self.also_auto = false;
                options
            }
            "tools" if value == "none" => {
                self.tools = Tools::default();
                options
            }
            "validation" => options.with_validation(value.parse().map_err(text)?),
            "null_text" => options.with_null_text(value.parse().map_err(text)?),
            "untyped" => options.with_untyped(value.parse().map_err(text)?),
            "reasoning_open" => options.with_reasoning_open(value.parse::<toolglot::ReasoningOpen>().map_err(text)?),
            "finish_reason" => options.with_finish_reason(Some(value.parse().map_err(text)?)),
            "calls_in_reasoning" => options.with_calls_in_reasoning(value.parse().map_err(text)?),
            "evidence" => options.with_evidence(value.parse().map_err(text)?),
            "unknown_tool" => options.with_unknown_tool(value.parse().map_err(text)?),
            "marked_tokens" => options.with_marked_tokens(value.parse().map_err(text)?),
            "accept_incomplete" => options.with_accept_incomplete(value.parse().map_err(text)?),
            "repairs" => options.with_repairs(value.parse().map_err(text)?),
            _ => return Err("unknown".to_owned()),
        };
        Ok(())
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn tools(json: &str) -> Result<Tools, String> {
    Tools::from_json_str(json).map_err(|error| error.to_string())
}
