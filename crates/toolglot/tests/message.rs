//! What a whole message says: why it ended, which calls are returned, what became of the others.

#![expect(clippy::expect_used, reason = "a test may panic")]

use toolglot::{
    Code, Collector, Dialects, EventKind, FinishReason, Frame, Limits, Message, Options, Outcome, Parser, Tools,
    Validation, mint, parse, seed_of,
};

const TOOLS: &str = include_str!("cases/tools.json");
const WHOLE: &str = r#"<tool_call>{"name": "ls", "arguments": {"path": "src"}}</tool_call>"#;
const CUT: &str = r#"<tool_call>{"name": "ls", "arguments": {"path": "sr"#;

fn read(text: &str, options: Options) -> Message {
    let tools = Tools::from_json_str(TOOLS).expect("they are tools");
    parse(text, &Dialects::builtin(), &tools, &options)
}

fn said(reason: FinishReason) -> Options {
    Options::default().with_finish_reason(Some(reason))
}

#[test]
fn finish_reason_follows_the_calls_unless_the_server_cut_the_message() {
    use FinishReason::{ContentFilter, Length, Stop, ToolCalls};
    let both = format!("{WHOLE}\n{CUT}");
    let unknown = Options::default();
    for (text, options, expected) in [
        ("Hello.", unknown.clone(), Stop),
        ("", unknown.clone(), Stop),
        (WHOLE, unknown.clone(), ToolCalls),
        (CUT, unknown.clone(), Length),
        (&both, unknown, ToolCalls),
        ("Hello.", said(Stop), Stop),
        ("Hello.", said(ToolCalls), Stop),
        (WHOLE, said(Stop), ToolCalls),
        (CUT, said(Stop), Length),
        (CUT, said(ToolCalls), Length),
        ("Hello.", said(Length), Length),
        (WHOLE, said(Length), Length),
        (&both, said(Length), Length),
        ("Hello.", said(ContentFilter), ContentFilter),
        (WHOLE, said(ContentFilter), ContentFilter),
        (CUT, said(ContentFilter), ContentFilter),
    ] {
        assert_eq!(read(text, options.clone()).finish_reason, expected, "{text}\n{options:?}");
    }
}

#[test]
fn a_reason_given_late_is_of_one_message_only() {
    let dialects = Dialects::builtin().only(&["react"]).expect("it is built in");
    let mut parser = Parser::new(&dialects, &Tools::default(), &said(FinishReason::Stop));
    let calls = [None, Some(FinishReason::Length), None].map(|reason| {
        parser.push("Action: sh\nAction Input: ls /").for_each(drop);
        if reason.is_some() {
            parser.set_finish_reason(reason);
        }
        parser.finish().filter(|event| matches!(event.kind, EventKind::CallEnd { .. })).count()
    });
    assert_eq!(calls, [1, 0, 1]);
}

#[test]
fn a_cut_call_is_no_call_and_loses_nothing() {
    let message = read(&format!("Hi.\n{CUT}"), Options::default());
    assert_eq!((message.content.as_str(), message.calls.len()), ("Hi.", 0));
    let [cut] = message.incomplete.as_slice() else { panic!("{message:?}") };
    assert_eq!((cut.name.as_str(), cut.arguments.as_str()), ("ls", r#"{"path": "sr"#));
    assert_eq!((cut.text.as_str(), cut.outcome), (CUT, Outcome::Truncated));
    assert_eq!(message.diagnosed(Code::Truncated).count(), 1);
}

#[test]
fn a_cut_call_is_a_call_for_a_caller_who_accepts_it() {
    let message = read(CUT, Options::default().with_accept_incomplete(true));
    let [call] = message.calls.as_slice() else { panic!("{message:?}") };
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("ls", r#"{"path": "sr"}"#));
    assert!(message.incomplete.is_empty());
    assert_eq!(message.finish_reason, FinishReason::ToolCalls);
}

#[test]
fn a_missing_closer_is_a_call_unless_the_server_said_length() {
    let text = WHOLE.trim_end_matches("</tool_call>");
    assert_eq!(read(text, Options::default()).calls.len(), 1);
    let cut = read(text, said(FinishReason::Length));
    assert_eq!((cut.calls.len(), cut.incomplete.len()), (0, 1));
}

#[test]
fn a_broken_call_is_never_a_call() {
    let text = format!(r#"<tool_call>{{"name": "ls", "arguments": {{"path": {WHOLE}"#);
    for options in [Options::default(), Options::default().with_accept_incomplete(true)] {
        let message = read(&text, options);
        assert_eq!((message.calls.len(), message.incomplete.len()), (1, 1), "{message:?}");
        assert_eq!(message.incomplete[0].outcome, Outcome::Broken);
    }
}

#[test]
fn the_models_ids_are_kept_where_they_are_unique() {
    let call = |id: &str| format!(r#"<tool_call>{{"id": "{id}", "name": "ping", "arguments": {{}}}}</tool_call>"#);
    let text = [call("a"), call("b"), call("a"), call("")].join("\n");
    let ids: Vec<String> = read(&text, Options::default()).calls.into_iter().map(|call| call.id).collect();
    assert_eq!(ids[..2], ["a", "b"]);
    assert!(ids[2].starts_with("call_") && ids[3].starts_with("call_") && ids[2] != ids[3], "{ids:?}");
    // A model may repeat an id that was made for it before, or is to be made for a later call.
    for text in [call("") + &call(&mint(0, 0)), call(&mint(0, 1)) + &call("")] {
        let calls = read(&text, Options::default().with_id_seed(0)).calls;
        assert!(calls.len() == 2 && calls[0].id != calls[1].id, "{calls:?}");
    }
}

#[test]
fn ids_differ_from_message_to_message_unless_a_seed_says_otherwise() {
    let first = |text: &str, options: Options| read(text, options).calls.remove(0).id;
    let other = format!("Once more.\n{WHOLE}");
    assert_ne!(first(WHOLE, Options::default()), first(&other, Options::default()));
    assert_eq!(first(WHOLE, Options::default()), first(WHOLE, Options::default()));
    assert_eq!(first(WHOLE, Options::default()), mint(seed_of(WHOLE.as_bytes()), 0));
    let seeded = Options::default().with_id_seed(7);
    assert_eq!((first(WHOLE, seeded.clone()), first(&other, seeded)), (mint(7, 0), mint(7, 0)));
    // A caller who gives a collector events and no text has what the events say.
    let events = |text: &str| {
        let (tools, options) = (Tools::default(), Options::default());
        let (mut parser, mut collector) =
            (Parser::new(&Dialects::builtin(), &tools, &options), Collector::new(&options));
        parser.push(text).for_each(|event| collector.add(&event));
        parser.finish().for_each(|event| collector.add(&event));
        collector.finish(b"").calls.remove(0).id
    };
    assert_ne!(events(WHOLE), events(&other));
}

#[test]
fn the_dialect_is_that_of_the_first_call() {
    let text = format!("{WHOLE}\n<function=ls>\n<parameter=path>\nsrc\n</parameter>\n</function>");
    assert_eq!(read(&text, Options::default()).dialect.as_deref(), Some("hermes"));
    assert_eq!(read("Hello.", Options::default()).dialect, None);
}

#[test]
fn text_and_reasoning_are_apart_and_whole() {
    let message = read(&format!("<think>Hm.</think>\nFirst.\n{WHOLE}\nThen."), Options::default());
    assert_eq!((message.reasoning.as_str(), message.content.as_str()), ("Hm.", "First.\nThen."));
    let exact =
        read(&format!("<think>Hm.</think>\nFirst.\n{WHOLE}\nThen."), Options::default().with_frame(Frame::Exact));
    assert_eq!((exact.reasoning.as_str(), exact.content.as_str()), ("Hm.", "\nFirst.\n\nThen."));
}

#[test]
fn diagnostics_come_in_order_of_their_places() {
    let text = r#"<tool_call>{"name": "LS", "arguments": {'path': 'src', 'recursive': True,}}</tool_call></think>"#;
    let message = read(text, Options::default());
    let places: Vec<usize> = message.diagnostics.iter().map(|diagnostic| diagnostic.span.start).collect();
    assert!(places.len() >= 4 && places.is_sorted(), "{:?}", message.diagnostics);
}

#[test]
fn strict_gives_text_back_and_says_why() {
    let text = r#"<tool_call>{"name": "ls", "arguments": {"recursive": true}}</tool_call>"#;
    let message = read(text, Options::default().with_validation(Validation::Strict));
    assert_eq!((message.content.as_str(), message.calls.len()), (text, 0));
    assert_eq!(message.finish_reason, FinishReason::Stop);
    assert_eq!(message.diagnosed(Code::Rejected).count(), 1);
}

#[test]
fn a_call_that_a_limit_ended_is_incomplete() {
    let text = format!(r#"<tool_call>{{"name": "note", "arguments": {{"a": {}}}}}</tool_call>"#, "[".repeat(100_000));
    let message = read(&text, Options::default());
    assert_eq!((message.calls.len(), message.incomplete.len()), (0, 1));
    assert_eq!(message.diagnosed(Code::LimitDepth).count(), 1);
    let many = read(&WHOLE.repeat(3), Options::default().with_limits(Limits::default().with_calls(2)));
    assert_eq!((many.calls.len(), many.content.as_str()), (2, WHOLE));
}

/// A text of every outcome: finished, repaired, broken and cut-off calls, reasoning, text of several bytes a character.
const MIXED: &str = "<think>hmm</think>é <tool_call>{\"name\": \"ls\", \"arguments\": {'path': 1,}}</tool_call> mid \
    <tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": ]]]}</tool_call>\n<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"s";

#[test]
fn a_fed_collector_gives_the_same_message_however_the_text_is_cut() {
    let (dialects, options) = (Dialects::builtin(), Options::default());
    let tools = Tools::from_json_str(TOOLS).expect("they are tools");
    for end in (0..=MIXED.len()).filter(|end| MIXED.is_char_boundary(*end)) {
        let text = &MIXED[..end];
        let expected = parse(text, &dialects, &tools, &options);
        for size in [1, 3, 7, 1000] {
            let mut parser = Parser::new(&dialects, &tools, &options);
            let mut collector = Collector::new(&options);
            let characters: Vec<char> = text.chars().collect();
            for piece in characters.chunks(size) {
                collector.feed(&mut parser, &piece.iter().collect::<String>());
            }
            assert_eq!(collector.complete(&mut parser), expected, "{text:?} in pieces of {size}");
        }
    }
}
