//! Turns a stream of text pieces, such as the deltas of a model server, into a stream of what happened.

use std::collections::VecDeque;

use futures::executor::block_on;
use futures::stream::{self, Stream, StreamExt};
use toolglot::{Dialects, EventKind, Options, Outcome, Parser, Tools};

/// What a consumer of the stream wants to know; owned, because events borrow the parser.
enum Delta {
    Text(String),
    CallStart { name: String },
    Arguments(String),
    CallEnd(Outcome),
}

/// Reads calls out of a stream. Each piece is answered as soon as it is there; dropping the stream ends everything.
fn calls<S: Stream<Item = String> + Unpin>(pieces: S, tools: &Tools) -> impl Stream<Item = Delta> + use<S> {
    let parser = Parser::new(&Dialects::builtin(), tools, &Options::default());
    let state = (pieces, Some(parser), VecDeque::new());
    stream::unfold(state, |(mut pieces, mut parser, mut ready)| async move {
        while ready.is_empty() {
            let running = parser.as_mut()?;
            match pieces.next().await {
                Some(piece) => ready.extend(running.push(&piece).filter_map(|event| delta(&event.kind))),
                None => {
                    ready.extend(running.finish().filter_map(|event| delta(&event.kind)));
                    parser = None;
                }
            }
        }
        ready.pop_front().map(|delta| (delta, (pieces, parser, ready)))
    })
}

fn delta(kind: &EventKind<'_>) -> Option<Delta> {
    match kind {
        EventKind::Text(text) => Some(Delta::Text((*text).to_owned())),
        EventKind::CallStart { name, .. } => Some(Delta::CallStart { name: (*name).to_owned() }),
        EventKind::Arguments { json, .. } => Some(Delta::Arguments((*json).to_owned())),
        EventKind::CallEnd { outcome, .. } => Some(Delta::CallEnd(*outcome)),
        _ => None,
    }
}

fn show(delta: &Delta) {
    match delta {
        Delta::Text(text) => println!("text       {text:?}"),
        Delta::CallStart { name } => println!("call       {name}"),
        Delta::Arguments(json) => println!("arguments  {json:?}"),
        Delta::CallEnd(outcome) => println!("call ended {outcome:?}"),
    }
}

fn main() {
    let pieces =
        ["Let me", " look. <tool", "_call>{\"name\": \"ls\", \"argu", "ments\": {\"path\": \"sr", "c\"}}</tool_call>"];
    let pieces = stream::iter(pieces.map(str::to_owned));
    let deltas = calls(pieces, &Tools::default());
    block_on(deltas.for_each(|delta| async move { show(&delta) }));
}
