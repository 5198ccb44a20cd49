//! Work that can be timed or counted, each piece made ready before and thrown away after.

use toolglot::{Dialects, Parser, Tools};

use crate::sides::{options, take};

/// Something to do, ready to be done.
pub(crate) type Work = Box<dyn FnMut()>;

/// Returns the work of reading a message in pieces with a parser that is ready.
pub(crate) fn reading(set: Dialects, tools: &Tools, pieces: Vec<String>) -> Work {
    let mut parser = Parser::new(&set, tools, &options());
    // What a set makes once for its dialects is there; the parser that is counted is new.
    feed(&mut Parser::new(&set, tools, &options()), &pieces);
    Box::new(move || feed(&mut parser, &pieces))
}

/// Returns the work of reading a whole message; what a process makes once is there.
pub(crate) fn parsing(set: Dialects, tools: Tools, text: String) -> Work {
    drop(toolglot::parse(&text, &set, &tools, &options()));
    Box::new(move || drop(toolglot::parse(&text, &set, &tools, &options())))
}

/// Reads a message in pieces and takes every event.
pub(crate) fn feed(parser: &mut Parser, pieces: &[String]) {
    for piece in pieces {
        parser.push(piece).for_each(|event| take(&event));
    }
    parser.finish().for_each(|event| take(&event));
}
