//! What holds for every message: chunking changes nothing, no byte is lost, what comes out is JSON, nothing fails.

use toolglot::{Collector, Limits, Message, Parser, detect};

use crate::diff::diff;
use crate::feed::{Cuts, feed_tokens};
use crate::json::is_object;
use crate::message::MessageInput;
use crate::random::Random;
use crate::record::Record;
use crate::setup::Setup;

/// Any split of the message gives the same events.
pub fn chunks(data: &[u8]) {
    let Some(input) = MessageInput::new(data, false) else { return };
    let mut parser = parser(&input);
    let whole = feed_tokens(&mut parser, &input.message, &input.special, &Cuts::Whole);
    let mut random = Random::new(input.cuts);
    let at = random.below(input.message.len() + 1);
    for cuts in [
        Cuts::Bytes,
        Cuts::Characters,
        Cuts::Random(random.next()),
        Cuts::Joined(random.next()),
        Cuts::At(at),
        Cuts::Whole,
    ] {
        let found = feed_tokens(&mut parser, &input.message, &input.special, &cuts);
        let lines = |record: &Record| record.lines(&input.message);
        assert!(found == whole, "{cuts:?}\n{}\n{}", input.shown(), diff(&lines(&whole), &lines(&found)));
    }
}

/// The fast paths read what the careful readers read.
pub fn fast(data: &[u8]) {
    let Some(input) = MessageInput::new(data, false) else { return };
    // What is cut off at a limit of a few bytes depends on what was looked at before.
    let Setup { dialects, tools, options, .. } = &input.setup;
    let options = options.clone().with_limits(Limits::default());
    let mut careful = Parser::new(dialects, tools, &options.clone().without_fast_path());
    let slow = feed_tokens(&mut careful, &input.message, &input.special, &Cuts::Whole);
    let mut quick = Parser::new(dialects, tools, &options);
    for cuts in [Cuts::Whole, Cuts::Random(input.cuts), Cuts::Bytes] {
        let found = feed_tokens(&mut quick, &input.message, &input.special, &cuts);
        let lines = |record: &Record| record.lines(&input.message);
        assert!(found == slow, "{cuts:?}\n{}\n{}", input.shown(), diff(&lines(&slow), &lines(&found)));
    }
}

/// The spans of the events tile the message, text comes out as it went in, and arguments are JSON.
pub fn lossless(data: &[u8]) {
    let Some(input) = MessageInput::new(data, false) else { return };
    let mut parser = parser(&input);
    let record = feed_tokens(&mut parser, &input.message, &input.special, &Cuts::Random(input.cuts));
    if let Err(fault) = record.faults(&input.message) {
        panic!("{fault}\n{}\n{}", input.shown(), record.lines(&input.message));
    }
}

/// Whatever is read, with limits that are reached: nothing panics, and what is a call has arguments.
pub fn parse(data: &[u8]) {
    let Some(input) = MessageInput::new(data, true) else { return };
    let mut parser = parser(&input);
    parser.enable_trace();
    let half = input.message.len() / 2;
    let mut collector = Collector::new(&input.setup.options);
    for piece in [&input.message[..half], &input.message[half..]] {
        parser.push_bytes(piece).for_each(|event| collector.add(&event));
    }
    parser.finish().for_each(|event| collector.add(&event));
    collector.set_dialect(parser.dialect().cloned());
    let message = collector.finish(&input.message);
    assert!(parser.take_trace().iter().all(|step| step.span.end <= input.message.len()), "{}", input.shown());
    check(&message, &input);
    let text = String::from_utf8_lossy(&input.message);
    for verdict in detect::from_output(&text, &input.setup.dialects, &input.setup.tools) {
        let places = verdict.evidence.iter().filter_map(|evidence| evidence.span.clone());
        places.for_each(|span| assert!(text.get(span.clone()).is_some(), "{span:?} of {}", input.shown()));
    }
    detect::from_template(&text, &input.setup.dialects);
    detect::from_model(&text, &input.setup.dialects);
}

fn check(message: &Message, input: &MessageInput) {
    for call in &message.calls {
        assert!(is_object(&call.arguments), "{call:?}\n{}", input.shown());
    }
    for call in &message.incomplete {
        assert!(!is_object(&call.arguments), "{call:?}\n{}", input.shown());
    }
    let mut ids: Vec<&str> = message.calls.iter().map(|call| call.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), message.calls.len(), "{}", input.shown());
}

fn parser(input: &MessageInput) -> Parser {
    Parser::new(&input.setup.dialects, &input.setup.tools, &input.setup.options)
}
