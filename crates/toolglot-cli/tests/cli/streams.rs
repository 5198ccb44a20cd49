//! Pipes: answers as soon as their input is there, and a reader that goes away.

use std::io::{BufRead, BufReader, Read, Write};

use crate::command;

/// Feeds lines one by one and expects an answer to each before the next goes in.
fn answered_at_once(args: &[&str], line: &str) {
    let mut child = command(args).spawn().expect("the binary runs");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
    for _ in 0..3 {
        stdin.write_all(line.as_bytes()).expect("the binary reads");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("the binary answers");
        assert!(answer.starts_with('{'), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().expect("the binary ends").success());
}

#[test]
fn lines_are_answered_at_once() {
    answered_at_once(&["parse", "--jsonl"], "{\"id\":1,\"text\":\"hi\"}\n");
}

#[test]
fn events_come_at_once() {
    answered_at_once(&["parse", "--events"], "text that cannot be a marker\n");
}

#[test]
fn a_reader_that_goes_away_is_no_failure_even_while_input_is_open() {
    for args in [&["parse", "--jsonl"][..], &["parse", "--events"]] {
        let mut child = command(args).spawn().expect("the binary runs");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        drop(child.stdout.take());
        let line = "{\"id\":1,\"text\":\"hi\"}\n".repeat(100);
        while stdin.write_all(line.as_bytes()).is_ok() {}
        let mut err = String::new();
        child.stderr.take().expect("stderr is piped").read_to_string(&mut err).expect("stderr is text");
        assert_eq!((child.wait().expect("the binary ends").code(), err.as_str()), (Some(0), ""));
    }
}
