//! The engines take every grammar, agree with our own matcher, and what they let through is read.

#[path = "../../crates/toolglot-grammar/tests/walks/gbnf.rs"]
mod gbnf;
#[path = "../../crates/toolglot-grammar/tests/walks/random.rs"]
mod random;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use gbnf::{Gbnf, Matcher};
use random::Random;
use toolglot::{Code, Dialect, Dialects, Message, Options, Renderer, Rendering, Tools, parse};
use toolglot_grammar::{Grammar, GrammarOptions, GrammarTool, GrammarToolChoice};
use toolglot_grammar_tests::{Engine, Llguidance, Xgrammar};
use toolglot_json::{Value, json};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn toolsets() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/toolglot-grammar/tests/toolsets");
    let read = |path: &Path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), read(&path))).collect()
}

/// One dialect with one list of tools.
struct Setting {
    about: String,
    dialect: Arc<Dialect>,
    tools: Tools,
    declared: Vec<GrammarTool>,
    grammar: Grammar,
    gbnf: Gbnf,
    demanded: bool,
}

/// Returns all settings, or those of one dialect and some lists of tools.
fn settings() -> Vec<Setting> {
    let only = std::env::var("GRAMMAR_DIALECT").ok();
    let lists =
        std::env::var("GRAMMAR_TOOLS").unwrap_or_else(|_| "plain optional nested choices bounds recursive".to_owned());
    let mut all = Vec::new();
    for dialect in
        Dialects::builtin().iter().filter(|dialect| only.as_deref().is_none_or(|only| only == dialect.name()))
    {
        for (about, tools) in toolsets().into_iter().filter(|(about, _)| lists.split(' ').any(|list| list == about)) {
            for choice in [GrammarToolChoice::Required, GrammarToolChoice::Auto] {
                let declared = GrammarTool::list(&tools).unwrap();
                let options = GrammarOptions::new().with_tool_choice(choice.clone());
                let grammar = Grammar::new(dialect, &declared, &options).unwrap();
                all.push(Setting {
                    about: format!("{} {about} {choice:?}", dialect.name()),
                    dialect: Arc::clone(dialect),
                    tools: Tools::from_json(&(&tools).into()).unwrap(),
                    gbnf: Gbnf::new(&grammar.to_gbnf()),
                    demanded: choice == GrammarToolChoice::Required,
                    declared,
                    grammar,
                });
            }
        }
    }
    all
}

impl Setting {
    fn read(&self, text: &str) -> Message {
        let pinned: Dialects = [Arc::clone(&self.dialect)].into_iter().collect();
        parse(text, &pinned, &self.tools, &Options::default())
    }

    /// Says what is wrong with a text that an engine let through.
    fn wrong(&self, text: &str) -> Option<String> {
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
            let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
            let validator = jsonschema::validator_for(&schema.into()).unwrap();
            validator.validate(&arguments).err().map(|error| format!("{error} in {}", call.arguments))
        })
    }

    /// Returns a walk of our own matcher, and what the renderer makes of its calls.
    fn texts(&self, seed: u64) -> Vec<String> {
        let text = Matcher::walk(&self.gbnf, &mut Random::new(seed), 40 + seed as usize % 100);
        let message = self.read(&text);
        let said =
            message.calls.iter().fold(Rendering::new(), |said, call| said.with_call(&call.name, &call.arguments));
        let rendered = Renderer::new(&self.dialect, &self.tools).render(&said).ok();
        let rendered = rendered.filter(|text| !message.calls.is_empty() && self.gbnf.accepts(text).is_ok());
        [text].into_iter().chain(rendered).collect()
    }
}

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn llguidance_agrees_with_our_matcher() {
    let mut complaints = Vec::new();
    for setting in settings() {
        let lark = setting.grammar.to_lark();
        if let Err(error) = Llguidance::new(&lark) {
            complaints.push(format!("{}: {error}", setting.about));
            continue;
        }
        for round in 0..number("GRAMMAR_WALKS", 2) {
            let found = setting.texts(round * 31 + 7).into_iter().find_map(|text| {
                Llguidance::new(&lark)
                    .ok()?
                    .accepts(&text)
                    .err()
                    .map(|why| format!("{}: {why}\n  {text:?}", setting.about))
            });
            let found = found.or_else(|| strays(&setting, &lark, &mut Random::new(round + 11)));
            if let Some(found) = found {
                complaints.push(found);
                break;
            }
        }
    }
    report(&complaints);
}

/// Goes where llguidance lets us, and says where our matcher does not.
fn strays(setting: &Setting, lark: &str, random: &mut Random) -> Option<String> {
    let mut engine = Llguidance::new(lark).ok()?;
    let mut ours = Matcher::new(&setting.gbnf);
    let mut text = String::new();
    for steps in 0..120 {
        if engine.may_end() != ours.may_end() {
            return Some(format!("{}: only one of both may end\n  {text:?}", setting.about));
        }
        let allowed: Vec<u8> = engine.next().into_iter().filter(u8::is_ascii).collect();
        let c = match ours.next(random, steps > 100) {
            Some(c) if allowed.is_empty() || random.below(3) > 0 => c,
            _ if allowed.is_empty() => break,
            _ => char::from(allowed[random.below(allowed.len())]),
        };
        let mut bytes = [0; 4];
        let theirs = c.encode_utf8(&mut bytes).bytes().all(|byte| engine.take(byte));
        let own = ours.step(c);
        text.push(c);
        if theirs != own {
            return Some(format!("{}: llguidance {theirs}, ours {own}\n  {text:?}", setting.about));
        }
        if !own {
            break;
        }
    }
    None
}

#[test]
fn xgrammar_takes_what_the_renderer_writes_and_lets_through_what_is_read() {
    let mut complaints = Vec::new();
    let (mut walks, mut ended) = (0_usize, 0_usize);
    for setting in settings() {
        let tag = setting.grammar.to_structural_tag().to_string();
        if let Err(error) = Xgrammar::new(&tag) {
            complaints.push(format!("{}: {error}", setting.about));
            continue;
        }
        for round in 0..number("GRAMMAR_WALKS", 2) {
            let rendered = setting.texts(round * 31 + 7).into_iter().skip(1);
            let refused = rendered.into_iter().find_map(|text| {
                Xgrammar::new(&tag)
                    .ok()?
                    .accepts(&text)
                    .err()
                    .map(|why| format!("{}: {why}\n  {text:?}", setting.about))
            });
            let text = Xgrammar::new(&tag)
                .ok()
                .and_then(|mut engine| led(&mut engine, &markers(&tag), &mut Random::new(round + 3)));
            walks += 1;
            ended += usize::from(text.is_some());
            let found = refused.or_else(|| {
                text.and_then(|text| setting.wrong(&text).map(|why| format!("{}: {why}\n  {text:?}", setting.about)))
            });
            if let Some(found) = found {
                complaints.push(found);
                break;
            }
        }
    }
    // A walk that does not end is not read.
    if ended * 10 < walks * 9 {
        complaints.push(format!("{ended} of {walks} walks ended"));
    }
    report(&complaints);
}

/// What keeps our tags from leaving every schema to the engine: when one of these fails, the engine holds more than it did,
/// and `tag.rs` may leave it more.
#[test]
fn xgrammar_does_not_hold_lengths_and_patterns_beside_exclusions() {
    let takes = |schema: Value, excludes: &[&str], text: &str| {
        let format = json!({"type": "json_schema", "json_schema": schema, "excludes": excludes});
        Xgrammar::new(&json!({"type": "structural_tag", "format": format}).to_string()).unwrap().accepts(text).is_ok()
    };
    let short = || json!({"type": "string", "maxLength": 3});
    assert!(takes(json!({"type": "string"}), &["<end>"], r#""<en>""#));
    assert!(!takes(json!({"type": "string"}), &["<end>"], r#""<end>""#));
    assert!(!takes(short(), &[], r#""abcd""#));
    let limits = [
        ("a length gives way to an exclusion", takes(short(), &["<end>"], r#""abcd""#)),
        ("a string of a length has no escapes", !takes(short(), &[], r#""\n""#)),
        ("a string of a length has raw control characters", takes(short(), &[], "\"\u{4}\"")),
        (
            "an exclusion gives way to a pattern",
            takes(json!({"type": "string", "pattern": "^.*$"}), &["<end>"], r#""<end>""#),
        ),
        ("a pointer has bare quotes", takes(json!({"type": "string", "format": "json-pointer"}), &[], r#""/"""#)),
    ];
    let gone: Vec<&str> = limits.iter().filter(|limit| !limit.1).map(|limit| limit.0).collect();
    assert!(gone.is_empty(), "no longer so: {gone:?}");
}

/// Returns the texts of a tag that may lead to an end.
fn markers(tag: &str) -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    match value {
                        Value::String(text) if matches!(key.as_str(), "value" | "end" | "begin") => {
                            found.push(text.clone())
                        }
                        value => collect(value, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = vec!["\"}".to_owned(), "\"]}".to_owned()];
    collect(&serde_json::from_str(tag).unwrap(), &mut found);
    found
}

/// Goes where an engine leads: by chance, then along markers that have begun; `None` if that does not end.
fn led(engine: &mut Xgrammar, markers: &[String], random: &mut Random) -> Option<String> {
    let mut bytes: Vec<u8> = Vec::new();
    for steps in 0..1500_usize {
        if engine.may_end() && (steps > 120 || random.below(4) == 0) {
            break;
        }
        let allowed = engine.next();
        if allowed.is_empty() {
            break;
        }
        let begun = |marker: &[u8]| (1..marker.len()).rev().find(|length| bytes.ends_with(&marker[..*length]));
        let mut found: Vec<(usize, u8)> = markers
            .iter()
            .filter_map(|marker| begun(marker.as_bytes()).map(|at| (at, marker.as_bytes()[at])))
            .collect();
        found.retain(|(_, byte)| allowed.contains(byte));
        let longest = found.iter().map(|found| found.0).max();
        // Of markers that have begun alike, some are excluded where the others end the text.
        found.retain(|(length, _)| Some(*length) == longest);
        let marked = (!found.is_empty()).then(|| found[random.below(found.len())].1);
        let ends: Vec<u8> = allowed.iter().copied().filter(|byte| b"\"}])<".contains(byte)).collect();
        let byte = match marked {
            Some(byte) if random.below(160) < 60 + steps => byte,
            _ if steps > 60 && !ends.is_empty() && random.below(3) > 0 => ends[random.below(ends.len())],
            _ => {
                let plain: Vec<u8> = allowed.iter().copied().filter(u8::is_ascii).collect();
                if plain.is_empty() { allowed[0] } else { plain[random.below(plain.len())] }
            }
        };
        if !engine.take(byte) {
            return Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        bytes.push(byte);
    }
    engine.may_end().then(|| String::from_utf8_lossy(&bytes).into_owned())
}
