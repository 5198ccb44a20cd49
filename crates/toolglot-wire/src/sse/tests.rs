//! Every framing that servers use, at every split.

use super::*;

/// Feeds a text in pieces and returns each frame as `event|data`.
fn frames<'t>(pieces: impl IntoIterator<Item = &'t [u8]>) -> Vec<String> {
    let mut reader = SseReader::new(&WireLimits::default());
    let mut found = Vec::new();
    let show = |frame: Frame<'_>| format!("{}|{}", frame.event.unwrap_or_default(), frame.data);
    for piece in pieces {
        reader.push(piece);
        while let Some(frame) = reader.next_frame() {
            found.push(show(frame.unwrap()));
        }
    }
    found.extend(reader.finish().map(show));
    found
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let bytes = text.as_bytes();
    assert_eq!(frames(bytes.chunks(1)), expected, "byte by byte");
    for at in 0..=bytes.len() {
        assert_eq!(frames([&bytes[..at], &bytes[at..]]), expected, "cut at {at}");
    }
}

#[test]
fn lines_end_in_three_ways() {
    for end in ["\n", "\r\n", "\r"] {
        let text = "event: a\ndata: {\"é\": 1}\n\ndata: 2\n\n".replace('\n', end);
        check(&text, &["a|{\"é\": 1}", "|2"]);
    }
    check("data: 1\r\rdata: 2\n\ndata: 3\r\n\r\n", &["|1", "|2", "|3"]);
}

#[test]
fn the_space_is_optional_and_only_one_is_dropped() {
    check("data:1\n\ndata:  2\n\n", &["|1", "| 2"]);
}

#[test]
fn several_data_lines_are_joined() {
    check("data: {\ndata: \"a\": 1\ndata: }\n\n", &["|{\n\"a\": 1\n}"]);
    check("data\ndata: x\n\n", &["|\nx"]);
}

#[test]
fn comments_and_other_fields_say_nothing() {
    check(": ping\n\n: keepalive 1/2\ndata: 1\nid: 7\nretry: 10\nunknown\n\n:\n\n", &["|1"]);
}

#[test]
fn an_event_without_data_is_no_frame() {
    check("event: ping\n\ndata: 1\n\n", &["|1"]);
    check("data:\n\n", &["|"]);
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    check("\u{feff}data: 1\n\ndata: \u{feff}2\n\n", &["|1", "|\u{feff}2"]);
}

#[test]
fn the_last_frame_may_lack_its_blank_line() {
    check("data: 1\n\ndata: 2", &["|1", "|2"]);
    check("data: 1\n\ndata: 2\n", &["|1", "|2"]);
}

#[test]
fn invalid_bytes_become_replacements() {
    assert_eq!(frames([&b"data: a\xffb\n\n"[..]]), ["|a\u{fffd}b"]);
}

#[test]
fn the_raw_bytes_are_those_of_the_frame() {
    let mut reader = SseReader::new(&WireLimits::default());
    reader.push(b": c\n\nevent: a\ndata: 1\n\ndata: 2\n\nda");
    assert_eq!(reader.next_frame().unwrap().unwrap().raw, b"event: a\ndata: 1\n\n");
    assert_eq!(reader.next_frame().unwrap().unwrap().raw, b"data: 2\n\n");
    assert!(reader.next_frame().is_none());
    assert_eq!(reader.held(), 2);
}

#[test]
fn lines_and_events_are_bounded() {
    let limits = WireLimits::default().with_line(20).with_event(30);
    for (text, code) in [
        ("data: 123456789012345678901234567890", "line_too_long"),
        ("data: 1\n\n: 123456789012345678901", "line_too_long"),
        ("data: 123456789\ndata: 123456789\ndata: 1\n", "event_too_large"),
        ("data: 12345\ndata: 123456789012345678901234567890", "event_too_large"),
    ] {
        for size in [1, text.len()] {
            let mut reader = SseReader::new(&limits);
            let mut fault = None;
            for piece in text.as_bytes().chunks(size) {
                reader.push(piece);
                while let Some(found) = reader.next_frame() {
                    fault = found.err().or(fault);
                }
            }
            assert_eq!(fault.and_then(|fault| fault.code).as_deref(), Some(code), "{text} in pieces of {size}");
            reader.push(b"\n\ndata: 1\n\n");
            assert!(reader.next_frame().is_none() && reader.finish().is_none());
        }
    }
}

#[test]
fn what_is_written_is_read() {
    let mut out = Vec::new();
    write_json(Some("a"), &toolglot_json::json!({"b": "c\n"}), &mut out);
    write_frame(None, b"[DONE]", &mut out);
    assert_eq!(out, b"event: a\ndata: {\"b\":\"c\\n\"}\n\ndata: [DONE]\n\n");
    assert_eq!(frames([&out[..]]), ["a|{\"b\":\"c\\n\"}", "|[DONE]"]);
}
