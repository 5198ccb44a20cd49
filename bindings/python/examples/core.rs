//! What the core alone does: `core TEXT TOOLS DIALECT ROWS STREAMS` reads so many rows of a column, each the text, or the next of
//! several between NULs, and so often the text in tokens of four characters; `bench.py` and `bench_data.py` take the time and
//! hold the package against it.
#![expect(clippy::expect_used, reason = "a measurement may panic")]

use std::hint::black_box;

use toolglot::{Collector, Dialects, Options, Parser, Tools};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let read = |at: usize| std::fs::read_to_string(&arguments[at]).expect("readable");
    let times = |at: usize| arguments[at].parse::<usize>().expect("a number");
    let (text, tools, options) = (read(1), Tools::from_json_str(&read(2)).expect("tools"), Options::default());
    let mut parser = Parser::new(&Dialects::builtin(), &tools, &options);
    for text in text.split('\0').cycle().take(times(4)) {
        let mut collector = Collector::new(&options);
        parser.push(text).for_each(|event| collector.add(&event));
        parser.finish().for_each(|event| collector.add(&event));
        collector.set_dialect(parser.dialect().cloned());
        black_box(collector.finish(text.as_bytes()));
    }
    let pinned = Dialects::builtin().only(&[arguments[3].as_str()]).expect("a dialect");
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(4).map(|piece| piece.iter().collect()).collect();
    for _ in 0..times(5) {
        let mut parser = Parser::new(&pinned, &tools, &options);
        for piece in &pieces {
            parser.push(piece).for_each(|event| _ = black_box(event));
        }
        parser.finish().for_each(|event| _ = black_box(event));
    }
}
