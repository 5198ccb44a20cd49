//! What a token costs, in the core and through the C ABI: `measure TEXT TOOLS ROUNDS BYTES`; see `bindings/measure`.
#![expect(unsafe_code, reason = "it calls what C calls")]
#![expect(clippy::expect_used, reason = "a test may panic")]

use std::hint::black_box;
use std::ptr::null;
use std::time::Instant;

use toolglot::{Dialects, Options, Parser, Tools};
use toolglot_ffi::abi::*;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let read = |at: usize| std::fs::read_to_string(&arguments[at]).expect("readable");
    let number = |at: usize| arguments[at].parse().expect("a number");
    let (text, tools, rounds) = (read(1), read(2), number(3));
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(number(4)).collect();
    let mut parser =
        Parser::new(&Dialects::builtin(), &Tools::from_json_str(&tools).expect("tools"), &Options::default());
    tell("core", pieces.len(), rounds, || {
        for piece in &pieces {
            parser.push_bytes(piece).for_each(|event| _ = black_box(event));
        }
        parser.finish().for_each(|event| _ = black_box(event));
    });
    unsafe {
        let tools = tg_tools_new(tools.as_ptr(), tools.len(), std::ptr::null_mut());
        let parser = tg_parser_new(null(), tools, null(), 0, std::ptr::null_mut());
        tell("c", pieces.len(), rounds, || {
            for piece in &pieces {
                tg_parser_push(parser, piece.as_ptr(), piece.len());
                for at in 0..tg_parser_event_count(parser) {
                    black_box(*tg_parser_events(parser).add(at));
                }
            }
            tg_parser_finish(parser);
        });
        tg_parser_free(parser);
        tg_tools_free(tools);
    }
}

/// Prints the best of many rounds, in nanoseconds a token.
fn tell(name: &str, tokens: usize, rounds: usize, mut round: impl FnMut()) {
    let best = (0..rounds).map(|_| {
        let from = Instant::now();
        round();
        from.elapsed()
    });
    let best = best.min().unwrap_or_default().as_nanos() as f64;
    println!("{name} {:.0}", best / tokens as f64);
}
