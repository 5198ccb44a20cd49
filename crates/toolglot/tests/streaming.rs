//! A long string comes out while it arrives: what a reader waits for is counted, for every dialect.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::sync::Arc;

use toolglot::{
    Code, Collector, Dialect, Dialects, EventKind, Limits, Message, Options, Parser, Renderer, Rendering, Tools,
};

const TOOLS: &str = r#"[{"name": "write", "parameters": {"type": "object", "required": ["text"],
    "properties": {"text": {"type": "string"}}}}]"#;

/// Bytes of a value that may be held back: as many as could be a marker.
const HELD: usize = 64;

/// Returns how many bytes of a value have arrived at most that were not given out.
fn lag(dialect: &Arc<Dialect>, tools: &Tools) -> Option<usize> {
    let words = "plain words of a long value ".repeat(40);
    let arguments = format!("{{\"text\": \"{}\"}}", words.trim_end());
    let message = Rendering::new().with_call("write", &arguments);
    let text = Renderer::new(dialect, tools).render(&message).ok()?;
    let (from, to) = (text.find("plain")?, text.rfind("value")?);
    let dialects = Dialects::builtin().only(&[dialect.name()]).expect("it is built in");
    let mut parser = Parser::new(&dialects, tools, &Options::default());
    let (mut given, mut lag) = (String::new(), 0);
    for at in 0..text.len() {
        for event in parser.push_bytes(&text.as_bytes()[at..=at]) {
            if let EventKind::Arguments { json, .. } = event.kind {
                given.push_str(json);
            }
        }
        if (from..to).contains(&at) {
            let out = given.find("plain").map_or(0, |start| given.len() - start);
            lag = lag.max(at + 1 - from - out.min(at + 1 - from));
        }
    }
    Some(lag)
}

#[test]
fn a_declared_string_is_given_out_while_it_arrives() {
    let tools = Tools::from_json_str(TOOLS).expect("they are tools");
    let all = Dialects::builtin();
    let lags: Vec<_> = all.iter().filter_map(|dialect| Some((dialect.name(), lag(dialect, &tools)?))).collect();
    assert!(lags.len() > 50, "{}", lags.len());
    let waiting: Vec<_> = lags.iter().filter(|(_, lag)| *lag > HELD).collect();
    assert!(waiting.is_empty(), "{waiting:?}");
}

/// Returns the message, read in pieces of so many bytes.
#[test]
fn a_literal_waits_for_nothing_but_its_end() {
    let dialects = Dialects::builtin().only(&["hermes"]).expect("it is built in");
    let mut parser = Parser::new(&dialects, &Tools::default(), &Options::default());
    let mut given = String::new();
    for piece in ["<tool_call>{\"name\": \"write\", \"arguments\": {\"all\": [tr", "ue, 7, nul", "l, 8"] {
        for event in parser.push(piece) {
            if let EventKind::Arguments { json, .. } = event.kind {
                given.push_str(json);
            }
        }
    }
    assert_eq!(given, "{\"all\": [true, 7, null");
}

fn read(dialect: &Arc<Dialect>, tools: &Tools, options: &Options, text: &str, bytes: usize) -> Message {
    let dialects = Dialects::builtin().only(&[dialect.name()]).expect("it is built in");
    let mut parser = Parser::new(&dialects, tools, options);
    let mut collector = Collector::new(options);
    for piece in text.as_bytes().chunks(bytes) {
        parser.push_bytes(piece).for_each(|event| collector.add(&event));
    }
    parser.finish().for_each(|event| collector.add(&event));
    collector.finish(text.as_bytes())
}

/// Wherever the bytes end that may be held, between the halves of an escape or within what looks like a marker, a string
/// goes on behind them as if it had been short.
#[test]
fn a_string_longer_than_may_be_held_is_read_as_a_short_one() {
    let tools = Tools::from_json_str(TOOLS).expect("they are tools");
    let unit = r#"a \\ \"b\" \n\u00e9 “c” </tool_call <d>\\\n"#;
    for dialect in Dialects::builtin().iter() {
        let arguments = format!("{{\"text\": \"{}.\"}}", unit.repeat(8));
        let message = Rendering::new().with_call("write", &arguments);
        let Ok(text) = Renderer::new(dialect, &tools).render(&message) else { continue };
        let whole = read(dialect, &tools, &Options::default(), &text, usize::MAX);
        for held in 100..100 + unit.len() {
            let options = Options::default().with_limits(Limits::default().with_held(held));
            let at_once = read(dialect, &tools, &options, &text, usize::MAX);
            assert_eq!(at_once, read(dialect, &tools, &options, &text, 1), "{}, {held} held", dialect.name());
            // What has to be read whole before anything is said does hit such a limit.
            let limited = at_once.diagnosed(Code::LimitHeld).next().is_some();
            assert!(limited || at_once == whole, "{}, {held} held: {at_once:?}", dialect.name());
            assert!(!limited || dialect.name() != "hermes", "{held} held: {at_once:?}");
        }
    }
}

#[test]
fn many_ends_of_a_turn_are_none_of_the_text_only_at_its_end() {
    let ends = "<|im_end|></s>\n".repeat(2_000);
    for (text, content) in [(format!("a{ends}"), "a".to_owned()), (format!("a{ends}b"), format!("a{ends}b"))] {
        for bytes in [4, 4_099, text.len()] {
            let options = Options::default();
            let (mut parser, mut collector) =
                (Parser::new(&Dialects::builtin(), &Tools::default(), &options), Collector::new(&options));
            for piece in text.as_bytes().chunks(bytes) {
                parser.push_bytes(piece).for_each(|event| collector.add(&event));
            }
            parser.finish().for_each(|event| collector.add(&event));
            let found = collector.finish(text.as_bytes()).content;
            assert!(found.trim_end() == content, "in pieces of {bytes}: {} bytes left", found.len());
        }
    }
}

/// What a reader asks of the beginning of a value, it asks while that is there.
#[test]
fn a_long_value_with_a_damaged_marker_is_read_in_pieces_as_it_is_whole() {
    let tools = Tools::from_json_str(TOOLS).expect("they are tools");
    let arguments = format!("{{\"text\": \"PLACE {}\"}}", "plain words of a long value ".repeat(1_000));
    let message = Rendering::new().with_call("write", &arguments);
    for dialect in Dialects::builtin().iter() {
        let Ok(text) = Renderer::new(dialect, &tools).render(&message) else { continue };
        for marker in dialect.special().iter().chain(["<tool_call>".to_owned()].iter()) {
            let half = marker.chars().count() / 2;
            let halves = [marker.chars().take(half).collect::<String>(), marker.chars().skip(half).collect()];
            for half in halves {
                let text = text.replace("PLACE", &half);
                let options = Options::default();
                let whole = read(dialect, &tools, &options, &text, usize::MAX);
                assert_eq!(whole, read(dialect, &tools, &options, &text, 7), "{}: {half}", dialect.name());
            }
        }
    }
}
