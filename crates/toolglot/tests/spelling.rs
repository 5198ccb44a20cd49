//! A finished call has the arguments that were meant, or those that were written, however its keys are spelled, in every
//! dialect: nothing else becomes of a key that is foreign to the tool.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolglot::{Dialects, Options, Renderer, Rendering, Tools, parse};

const TOOLS: &str = r#"[
    {"name": "translate", "parameters": {"type": "object", "required": ["target_language"], "properties": {
        "target_language": {"type": "string"}, "max_words": {"type": "integer"}, "source_text": {"type": "string"}}}},
    {"name": "note", "parameters": {"type": "object", "required": ["body_text"], "properties": {
        "body_text": {"type": "string"}}}}]"#;

/// How a key is written.
type Spelling = fn(&str) -> String;

/// By what each spelling is named in a failure, and whether it is one of the key's.
const SPELLINGS: &[(&str, bool, Spelling)] = &[
    ("camelCase", true, |key| key.split_once('_').map_or(String::new(), |(a, b)| a.to_owned() + &capital(b))),
    ("kebab-case", true, |key| key.replace('_', "-")),
    ("UPPER", true, str::to_uppercase),
    ("Two Words", true, |key| key.split('_').map(capital).collect::<Vec<_>>().join(" ")),
    ("first word", false, |key| key.split('_').next().unwrap_or_default().to_owned()),
    ("foreign", false, |key| format!("zz_{}", key.chars().rev().collect::<String>())),
];

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn calls() -> [(&'static str, Value); 3] {
    [
        ("translate", json!({"target_language": "de", "max_words": 3, "source_text": "a b"})),
        ("translate", json!({"target_language": "de"})),
        ("note", json!({"body_text": "remember the milk"})),
    ]
}

/// Values as text: whether a key that nobody declares has a number or its digits is not the question.
fn gist(arguments: &Value) -> Option<Map<String, Value>> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let members = arguments.as_object()?.iter();
    Some(members.map(|(key, value)| (key.clone(), Value::from(text(value)))).collect())
}

#[test]
fn a_key_that_is_spelled_otherwise_makes_no_other_arguments() {
    let (all, tools) = (Dialects::builtin(), Tools::from_json_str(TOOLS).expect("they are tools"));
    let (mut wrong, mut meant, mut rows) = (String::new(), 0, 0);
    for dialect in &all {
        let own = Dialects::from_iter([Arc::clone(dialect)]);
        for (name, arguments) in calls() {
            let json = arguments.to_string();
            let rendered = Renderer::new(dialect, &tools).render(&Rendering::new().with_call(name, &json));
            let Ok(text) = rendered else { continue };
            for (spelling, is_own, spell) in SPELLINGS {
                for keys in [&["target_language", "body_text"][..], &["max_words"], &["max_words", "target_language"]] {
                    let misspell =
                        |text: &str| keys.iter().fold(text.to_owned(), |text, key| text.replace(key, &spell(key)));
                    let (text, as_written) = (misspell(&text), misspell(&json));
                    let as_written = serde_json::from_str::<Value>(&as_written).expect("JSON stays JSON");
                    if as_written == arguments {
                        continue;
                    }
                    for dialects in [&all, &own] {
                        let message = parse(&text, dialects, &tools, &Options::default());
                        let found: Vec<(&str, Value)> = message
                            .calls
                            .iter()
                            .map(|call| (&*call.name, serde_json::from_str(&call.arguments).expect("JSON")))
                            .collect();
                        let is = |other: &Value| matches!(&found[..], [(tool, found)] if *tool == name && gist(found) == gist(other));
                        rows += usize::from(*is_own);
                        meant += usize::from(*is_own && is(&arguments));
                        if !found.is_empty() && !is(&arguments) && !is(&as_written) {
                            wrong += &format!("{} {spelling}: {text:?}\n  {found:?}\n", dialect.name());
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(rows > 2000 && meant * 100 >= rows * 80, "{meant} of {rows}");
}
