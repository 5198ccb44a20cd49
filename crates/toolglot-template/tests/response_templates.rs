//! Dialects as response templates and back, and templates that others wrote.

use std::sync::Arc;

use toolglot::{Dialect, Dialects, Message, Options, parse};
use toolglot_template::response_template::{export, import};

mod messages;
use messages::{samples, tools, written};

fn read(dialect: &Arc<Dialect>, text: &str) -> Message {
    parse(text, &[Arc::clone(dialect)].into_iter().collect::<Dialects>(), &tools(), &Options::default())
}

/// What counts of a message: its calls, and its text without white space.
fn said(message: &Message) -> (Vec<(String, toolglot_json::Value)>, String, String) {
    let calls = message.calls.iter();
    let calls = calls.map(|call| (call.name.clone(), serde_json::from_str(&call.arguments).unwrap_or_default()));
    let text = |text: &str| text.split_whitespace().collect::<String>();
    (calls.collect(), text(&message.content), text(&message.reasoning))
}

/// What is exported is imported again, and reads like the original.
#[test]
fn forty_dialects_survive_the_way_there_and_back() {
    let (mut survive, mut refused, mut lost) = (Vec::new(), Vec::new(), Vec::new());
    let all = Dialects::builtin();
    for dialect in all.iter() {
        let exported = match export(dialect, Some("<start>")) {
            Ok(exported) => exported,
            Err(why) => {
                refused.push(format!("{}: {why}", dialect.name()));
                continue;
            }
        };
        let back = import(dialect.name(), &exported.template.to_string());
        let back = back.unwrap_or_else(|why| panic!("{}: {why}\n{:#}", dialect.name(), exported.template));
        let again = Arc::new(Dialect::from_toml(dialect.name(), &back).unwrap());
        let texts = samples().iter().filter_map(|sample| written(dialect, sample)).collect::<Vec<_>>();
        let differs = texts.iter().find(|text| said(&read(dialect, text)) != said(&read(&again, text)));
        match differs {
            None => survive.push(dialect.name()),
            Some(text) => lost.push(format!("{}: {text:?}\n{back}\n{:?}", dialect.name(), said(&read(&again, text)))),
        }
    }
    println!("{} survive, {} are refused, {} read otherwise", survive.len(), refused.len(), lost.len());
    assert!(survive.len() >= 40, "{} survive\n{}\n\n{}", survive.len(), refused.join("\n"), lost.join("\n"));
}
