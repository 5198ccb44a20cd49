//! The crate `dynamo-parsers`: whole messages by their parser, streams by the jail in front of it.

use std::time::Duration;

use cpu_time::ThreadTime;
use dynamo_parsers::jail::{Annotated, apply_tool_calling_jail};
use dynamo_parsers::{ToolDefinition, detect_and_parse_tool_call};
use dynamo_protocols::types::{
    ChatChoiceStream, ChatCompletionMessageContent, ChatCompletionStreamResponseDelta,
    CreateChatCompletionStreamResponse, FinishReason,
};
use futures::StreamExt;
use futures::executor::block_on;

use super::{name_in, said};
use crate::job::{Job, tools};
use crate::part::{Part, clocked};

/// What it calls the dialects.
const NAMES: [(&str, &str); 5] = [
    ("hermes", "hermes"),
    ("qwen3_coder", "qwen3_coder"),
    ("glm47", "glm47"),
    ("kimi_k2", "kimi_k2"),
    ("pythonic", "pythonic"),
];

type Chunk = Annotated<CreateChatCompletionStreamResponse>;

pub(crate) fn run(job: &Job, times: usize, mut take: impl FnMut(Part<'_>)) -> Result<Duration, String> {
    let name = name_in(&NAMES, &job.dialect)?;
    let tools = definitions();
    let Some(pieces) = &job.pieces else {
        return clocked(times, || {
            let (calls, text) =
                block_on(detect_and_parse_tool_call(&job.text, Some(name), Some(&tools))).map_err(said)?;
            take(Part::Text(text.as_deref().unwrap_or_default()));
            for call in &calls {
                take(Part::Call(&call.function.name));
                take(Part::Arguments(&call.function.arguments));
            }
            Ok(())
        });
    };
    let mut spent = Duration::ZERO;
    for _ in 0..times {
        // A server has its chunks already, so making them is not counted.
        let chunks = chunks(pieces);
        let start = ThreadTime::now();
        let stream = futures::stream::iter(chunks);
        let calls = apply_tool_calling_jail(Some(name.to_owned()), None, Some(tools.clone()), false, stream);
        block_on(calls.for_each(|chunk| {
            pass(&chunk, &mut take);
            std::future::ready(())
        }));
        spent += start.elapsed();
    }
    Ok(spent)
}

fn pass(chunk: &Chunk, take: &mut impl FnMut(Part<'_>)) {
    for choice in chunk.data.iter().flat_map(|data| &data.choices) {
        if let Some(ChatCompletionMessageContent::Text(text)) = &choice.delta.content {
            take(Part::Text(text));
        }
        let calls = choice.delta.tool_calls.iter().flatten();
        for function in calls.filter_map(|call| call.function.as_ref()) {
            if let Some(name) = &function.name {
                take(Part::Call(name));
            }
            take(Part::Arguments(function.arguments.as_deref().unwrap_or_default()));
        }
    }
}

fn definitions() -> Vec<ToolDefinition> {
    let define = |tool: &serde_json::Value| ToolDefinition {
        name: tool["function"]["name"].as_str().unwrap_or_default().to_owned(),
        parameters: Some(tool["function"]["parameters"].clone()),
        strict: None,
    };
    tools().as_array().into_iter().flatten().map(define).collect()
}

/// Returns the pieces as a server has them, and the chunk that ends the message.
fn chunks(pieces: &[String]) -> Vec<Chunk> {
    let text = pieces.iter().map(|piece| chunk(Some(piece.clone()), None));
    text.chain([chunk(None, Some(FinishReason::Stop))]).collect()
}

fn chunk(text: Option<String>, finish_reason: Option<FinishReason>) -> Chunk {
    let delta = ChatCompletionStreamResponseDelta {
        content: text.map(ChatCompletionMessageContent::Text),
        function_call: None,
        tool_calls: None,
        role: None,
        refusal: None,
        reasoning_content: None,
    };
    let data = CreateChatCompletionStreamResponse {
        id: "chat".to_owned(),
        choices: vec![ChatChoiceStream { index: 0, delta, finish_reason, logprobs: None }],
        created: 0,
        model: "model".to_owned(),
        service_tier: None,
        system_fingerprint: None,
        object: "chat.completion.chunk".to_owned(),
        usage: None,
    };
    Annotated { data: Some(data), id: None, event: None, comment: None, error: None }
}
