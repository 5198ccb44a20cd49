//! The closed loop: random walks of each grammar are read by its dialect, and what the renderer writes is accepted.
#![expect(clippy::unwrap_used, reason = "helpers of tests end the test that cannot go on")]

mod gbnf;
mod random;
mod toolsets;

use std::collections::BTreeMap;
use std::sync::Arc;

use gbnf::{Gbnf, Matcher};
use jsonschema::Validator;
use random::Random;
use toolglot::{Code, Diagnostic, Dialect, Dialects, Message, Options, OutlinePart, Renderer, Rendering, Tools, parse};
use toolglot_grammar::{Grammar, GrammarOptions, GrammarTool, GrammarToolChoice};
use toolglot_json::Value;

/// Everything that is asked of one dialect with one list of tools.
struct Loop {
    pinned: Dialects,
    tools: Tools,
    declared: Vec<GrammarTool>,
    validators: BTreeMap<String, Validator>,
}

impl Loop {
    fn new(dialect: &Arc<Dialect>, tools: &Value) -> Self {
        let declared = GrammarTool::list(tools).unwrap();
        let schemas = declared.iter().filter_map(|tool| Some((tool.name.clone(), tool.parameters.as_ref()?)));
        Self {
            pinned: [Arc::clone(dialect)].into_iter().collect(),
            tools: Tools::from_json(&tools.into()).unwrap(),
            validators: schemas
                .map(|(name, schema)| (name, jsonschema::validator_for(&schema.into()).unwrap()))
                .collect(),
            declared,
        }
    }

    fn read(&self, text: &str) -> Message {
        parse(text, &self.pinned, &self.tools, &Options::default())
    }

    /// Says whether an object in a parameter has a member that no schema names.
    fn has_free_key(&self, arguments: &str) -> bool {
        let schemas: String =
            self.declared.iter().filter_map(|tool| tool.parameters.as_ref()).map(Value::to_string).collect();
        let parsed: Value = toolglot_json::from_str(arguments).unwrap_or_default();
        let inner = parsed.as_object().into_iter().flat_map(|members| members.values()).filter_map(Value::as_object);
        inner.flat_map(|object| object.keys()).any(|key| !schemas.contains(&format!("\"{key}\":")))
    }

    /// Says what is wrong with a walk.
    fn wrong(&self, text: &str, options: &LoopOptions) -> Option<String> {
        let message = self.read(text);
        // No grammar counts names, so free objects may have one twice.
        let remarkable = |diagnostic: &&Diagnostic| diagnostic.code != Code::DuplicateParameter;
        if let Some(diagnostic) = message.diagnostics.iter().find(remarkable) {
            return Some(diagnostic.to_string());
        }
        if !message.incomplete.is_empty() {
            return Some("a call is incomplete".to_owned());
        }
        match (options.demanded, options.parallel, message.calls.len()) {
            (true, _, 0) => return Some("no call".to_owned()),
            (_, false, 2..) => return Some("several calls".to_owned()),
            _ => {}
        }
        if options.demanded && !message.content.trim().is_empty() {
            return Some(format!("text beside the calls: {:?}", message.content));
        }
        message.calls.iter().find_map(|call| {
            let Ok(arguments) = serde_json::from_str(&call.arguments) else {
                return Some(format!("no JSON: {}", call.arguments));
            };
            if self.tools.resolve(&call.name) != Some(&call.name) {
                return Some(format!("undeclared: {}", call.name));
            }
            let validator = self.validators.get(&call.name)?;
            validator.validate(&arguments).err().map(|error| format!("{error} in {}", call.arguments))
        })
    }
}

struct LoopOptions {
    demanded: bool,
    parallel: bool,
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Walks of one dialect; what is wrong with them, and what the renderer writes that is refused.
fn walks(dialect: &Arc<Dialect>, choice: &GrammarToolChoice, complaints: &mut Vec<String>) {
    let demanded = *choice == GrammarToolChoice::Required;
    for (about, tools) in toolsets::toolsets() {
        let all = Loop::new(dialect, &tools);
        for parallel in [true, false] {
            let options = GrammarOptions::new().with_tool_choice(choice.clone()).with_parallel(parallel);
            let grammar = match Grammar::new(dialect, &all.declared, &options) {
                Ok(grammar) => grammar,
                // What a grammar cannot hold is an error that says so.
                Err(error) if about == "free" && error.to_string().contains("declare the parameters") => continue,
                Err(error) => {
                    complaints.push(format!("{} {about}: {error}", dialect.name()));
                    continue;
                }
            };
            let gbnf = Gbnf::new(&grammar.to_gbnf());
            let options = LoopOptions { demanded, parallel };
            for round in 0..number("GRAMMAR_WALKS", 20) {
                let seed = number("GRAMMAR_SEED", 1) + round * 7919;
                let text = Matcher::walk(&gbnf, &mut Random::new(seed), 40 + round as usize * 10);
                if let Some(why) = all.wrong(&text, &options) {
                    complaints.push(format!("{} {about} walk {seed}: {why}\n    {text:?}", dialect.name()));
                    break;
                }
                let message = all.read(&text);
                let said = message
                    .calls
                    .iter()
                    .fold(Rendering::new(), |said, call| said.with_call(&call.name, &call.arguments));
                let rendered = Renderer::new(dialect, &all.tools).render(&said);
                // Markers in listed values are escaped, or left out where nothing can be.
                let marked = message
                    .calls
                    .iter()
                    .any(|call| call.arguments.contains("tool_call>") || call.arguments.contains("parameter>"));
                // Elements that close with their own name are in a grammar only if it knows the name.
                let unnamed =
                    closes_with_key(dialect) && message.calls.iter().any(|call| all.has_free_key(&call.arguments));
                if let (false, false, false, Ok(rendered)) = (message.calls.is_empty(), marked, unnamed, rendered)
                    && let Err(why) = gbnf.accepts(&rendered)
                {
                    complaints.push(format!("{} {about} rendered {seed}: {why}\n    {rendered:?}", dialect.name()));
                    break;
                }
            }
        }
    }
}

fn closes_with_key(dialect: &Dialect) -> bool {
    let is_key = |part: &&OutlinePart<'_>| matches!(part, OutlinePart::Hole { name: "key", .. });
    dialect.outline().params.first().is_some_and(|pattern| pattern.iter().filter(is_key).count() > 1)
}

fn all_walks(choice: GrammarToolChoice) {
    let only = std::env::var("GRAMMAR_DIALECT").ok();
    let mut complaints = Vec::new();
    for dialect in
        Dialects::builtin().iter().filter(|dialect| only.as_deref().is_none_or(|only| only == dialect.name()))
    {
        walks(dialect, &choice, &mut complaints);
    }
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn walks_of_demanded_calls_are_read() {
    all_walks(GrammarToolChoice::Required);
}

#[test]
fn walks_of_text_and_calls_are_read() {
    all_walks(GrammarToolChoice::Auto);
}

#[test]
fn an_opener_in_other_case_is_read_and_in_no_text() {
    let tools = toolsets::toolsets().into_iter().find(|(about, _)| *about == "plain").unwrap().1;
    let (mut complaints, mut read) = (Vec::new(), 0);
    for dialect in Dialects::builtin().iter() {
        let all = Loop::new(dialect, &tools);
        let gbnf = |choice| {
            let options = GrammarOptions::new().with_tool_choice(choice);
            let grammar = Grammar::new(dialect, &all.declared, &options).unwrap();
            (Gbnf::new(&grammar.to_gbnf()), grammar.trigger().map(str::to_owned))
        };
        let (auto, trigger) = gbnf(GrammarToolChoice::Auto);
        let (required, _) = gbnf(GrammarToolChoice::Required);
        let text = Matcher::walk(&required, &mut Random::new(5), 60);
        let Some((before, trigger, behind)) = trigger
            .as_ref()
            .and_then(|trigger| text.split_once(trigger).map(|(before, behind)| (before, trigger, behind)))
        else {
            continue;
        };
        let calls = all.read(&text).calls.len();
        for other in [trigger.to_ascii_uppercase(), trigger.to_ascii_lowercase()] {
            if other != *trigger && all.read(&[before, &other, behind].concat()).calls.len() == calls {
                read += 1;
                let opened = [before, &other].concat();
                complaints.extend(auto.accepts(&opened).is_ok().then(|| format!("{}: {opened:?}", dialect.name())));
            }
        }
    }
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
    assert!(read > 20, "only {read} openers are read in other case");
}
