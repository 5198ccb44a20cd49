//! What holds for the renderer: what it writes reads back the same at any cut, and everyday messages can be written.

use arbitrary::{Arbitrary, Unstructured};
use toolglot::{Collector, Dialects, Frame, Message, Options, Parser, RenderError, Renderer, Rendering, Tools};

use crate::generate::{self, Case};
use crate::random::Random;
use crate::same::differences;
use crate::setup::{Head, dialect, dialects};

/// What a dialect writes reads back the same, whole and in pieces; what is written again is the same text.
pub fn round_trip(data: &[u8]) {
    let mut rest = Unstructured::new(data);
    let Ok(head) = Head::arbitrary(&mut rest) else { return };
    let home = head.setup(false).home;
    let Ok(case) = generate::case(&mut rest, home) else { return };
    let tools = Tools::from_json_str(&case.tools).expect("they are tools");
    let renderer = Renderer::new(&dialect(home), &tools);
    let text = match renderer.render(&rendering(&case)) {
        Ok(text) => text,
        Err(RenderError::Inexpressible { .. }) if !case.plain => return,
        Err(error) => panic!("{}: {error}\n{case:#?}", dialect(home).name()),
    };
    let mut random = Random::new(head.cuts.into());
    for longest in [usize::MAX, 1, 5, 40] {
        let message = read(&text, &dialects(2, home), &tools, longest, &mut random);
        let differences = differences(&case, &message);
        assert!(differences.is_empty(), "{}, {longest}: {differences}\n{text}\n{case:#?}", dialect(home).name());
        if let Ok(again) = renderer.render(&Rendering::from(&message)) {
            let message = read(&again, &dialects(2, home), &tools, longest, &mut random);
            let differences = crate::same::differences(&case, &message);
            assert!(differences.is_empty(), "{} again: {differences}\n{again}\n{case:#?}", dialect(home).name());
        }
    }
}

fn rendering(case: &Case) -> Rendering<'_> {
    let start = Rendering::new().with_reasoning(&case.reasoning).with_content(&case.content);
    case.calls.iter().fold(start, |all, (name, arguments)| all.with_call(name, arguments))
}

/// Reads a text in pieces of random length.
fn read(text: &str, dialects: &Dialects, tools: &Tools, longest: usize, random: &mut Random) -> Message {
    // White space at the edges of words is theirs.
    let options = Options::default().with_frame(Frame::Exact);
    let (mut parser, mut collector) = (Parser::new(dialects, tools, &options), Collector::new(&options));
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let length = if longest == usize::MAX { rest.len() } else { 1 + random.below(longest) };
        let (piece, more) = rest.split_at(length.min(rest.len()));
        parser.push_bytes(piece).for_each(|event| collector.add(&event));
        rest = more;
    }
    parser.finish().for_each(|event| collector.add(&event));
    collector.set_dialect(parser.dialect().cloned());
    collector.finish(text.as_bytes())
}
