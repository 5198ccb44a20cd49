//! One message: its JSON, its events, its explanation.

use serde_json::Value;

use crate::{file, toolglot};

#[test]
fn text_is_a_message_without_calls() {
    let path = file("plain.txt", "just text\n");
    for args in [&["parse", &path][..], &["parse", "-"], &["parse"]] {
        let done = toolglot(args, "just text\n");
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        assert_eq!(done.out, "{\"role\":\"assistant\",\"content\":\"just text\\n\"}\n");
    }
}

#[test]
fn a_file_that_is_not_utf_8_is_read_lossily() {
    let path = file("latin1.txt", b"caf\xE9 cr\xE8me");
    for chunk in ["1", "2", "100"] {
        let done = toolglot(&["parse", "--chunk", chunk, &path], "");
        let message: Value = serde_json::from_str(&done.out).expect("a message");
        assert_eq!((done.code, message["content"].as_str()), (0, Some("caf\u{FFFD} cr\u{FFFD}me")));
    }
}

#[test]
fn events_tile_the_input_and_end() {
    let done = toolglot(&["parse", "--events", "--chunk", "random:3"], "some text é 全 that goes on");
    let events: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let (end, events) = events.split_last().expect("at least the end");
    assert_eq!(end["type"], "end");
    let mut at = 0;
    for event in events {
        assert_eq!(event["start"], at, "{event}");
        at = event["end"].as_u64().expect("a place");
    }
    assert_eq!(at, 29);
}

#[test]
fn explain_names_every_step_and_shows_bytes_escaped() {
    let done = toolglot(&["explain"], "text \x1b[31m\n");
    assert_eq!(done.code, 0);
    assert!(done.out.contains("\"text \\u{1b}[31m\\n\""), "{}", done.out);
    assert!(done.out.contains("finish_reason stop"));
}
