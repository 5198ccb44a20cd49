//! The crate `dynamo-parsers-v2`.

use std::time::Duration;

use dynamo_parsers_v2::{Tool, ToolParseResult, create_tool_parser_for_family};

use super::{name_in, said};
use crate::job::{Job, tools};
use crate::part::{Part, clocked};

/// What it calls the dialects; it reads no others of those that are compared.
const NAMES: [(&str, &str); 3] = [("qwen3_coder", "qwen3_coder"), ("glm47", "glm47"), ("kimi_k2", "kimi_k2")];

pub(crate) fn run(job: &Job, times: usize, mut take: impl FnMut(Part<'_>)) -> Result<Duration, String> {
    let name = name_in(&NAMES, &job.dialect)?;
    let tools = definitions();
    clocked(times, || {
        let mut parser = create_tool_parser_for_family(name, &tools).map_err(said)?;
        let Some(pieces) = &job.pieces else {
            pass(&parser.parse_complete(&job.text).map_err(said)?, &mut take);
            return Ok(());
        };
        for piece in pieces {
            pass(&parser.push(piece).map_err(said)?, &mut take);
        }
        pass(&parser.finish().map_err(said)?, &mut take);
        Ok(())
    })
}

fn pass(found: &ToolParseResult, take: &mut impl FnMut(Part<'_>)) {
    take(Part::Text(&found.normal_text));
    for call in &found.calls {
        if let Some(name) = &call.name {
            take(Part::Call(name));
        }
        take(Part::Arguments(&call.arguments));
    }
}

fn definitions() -> Vec<Tool> {
    let define = |tool: &serde_json::Value| Tool {
        name: tool["function"]["name"].as_str().unwrap_or_default().to_owned(),
        description: None,
        parameters: tool["function"]["parameters"].clone(),
        strict: None,
    };
    tools().as_array().into_iter().flatten().map(define).collect()
}
