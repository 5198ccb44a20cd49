//! The crate `tool-parser`.

use std::time::Duration;

use futures::executor::block_on;
use openai_protocol::common::Tool;
use tool_parser::{ParserFactory, ToolParser};

use super::{name_in, said};
use crate::job::{Job, tools};
use crate::part::{Part, clocked};

/// What it calls the dialects.
const NAMES: [(&str, &str); 5] = [
    ("hermes", "qwen"),
    ("qwen3_coder", "qwen_coder"),
    ("glm47", "glm47_moe"),
    ("kimi_k2", "kimik2"),
    ("pythonic", "pythonic"),
];

pub(crate) fn run(job: &Job, times: usize, mut take: impl FnMut(Part<'_>)) -> Result<Duration, String> {
    let name = name_in(&NAMES, &job.dialect)?;
    let factory = ParserFactory::new();
    let tools: Vec<Tool> = serde_json::from_value(tools()).map_err(said)?;
    clocked(times, || {
        let mut parser = factory.registry().create_parser(name).ok_or("has no such parser")?;
        match &job.pieces {
            None => whole(&*parser, &job.text, &tools, &mut take),
            Some(pieces) => streamed(&mut *parser, pieces, &tools, &mut take),
        }
    })
}

fn whole(parser: &dyn ToolParser, text: &str, tools: &[Tool], take: &mut impl FnMut(Part<'_>)) -> Result<(), String> {
    let (text, calls) = block_on(parser.parse_complete_with_tools(text, tools)).map_err(said)?;
    take(Part::Text(&text));
    for call in &calls {
        take(Part::Call(&call.function.name));
        take(Part::Arguments(&call.function.arguments));
    }
    Ok(())
}

fn streamed(
    parser: &mut dyn ToolParser,
    pieces: &[String],
    tools: &[Tool],
    take: &mut impl FnMut(Part<'_>),
) -> Result<(), String> {
    for piece in pieces {
        let found = block_on(parser.parse_incremental(piece, tools)).map_err(said)?;
        take(Part::Text(&found.normal_text));
        for call in &found.calls {
            if let Some(name) = &call.name {
                take(Part::Call(name));
            }
            take(Part::Arguments(&call.parameters));
        }
    }
    for call in parser.get_unstreamed_tool_args().unwrap_or_default() {
        take(Part::Arguments(&call.parameters));
    }
    take(Part::Text(&parser.take_unstreamed_normal_text()));
    Ok(())
}
