//! What model servers put around a piece: each writes its chunks in its own way, and some of it is new in every chunk.

use std::fmt::Write;
use std::str::FromStr;

/// Whose chunks they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Envelope {
    /// Only what a chunk must have, the same in all.
    #[default]
    Plain,
    /// `created` is the second in which the chunk was made.
    LlamaServer,
    /// The same with `timings_per_token`: a dozen numbers that are new in every chunk.
    LlamaTimings,
    Vllm,
    /// The same with `continuous_usage_stats`: the tokens counted so far.
    VllmUsage,
    /// The same with `logprobs`.
    VllmLogprobs,
    /// A field for everything, `null` where it says nothing; `created` moves on, the role is said and empty.
    Sglang,
    SglangUsage,
    /// The role in every chunk, and `created` moves on.
    Ollama,
    LmStudio,
    /// Random letters in every chunk, so that its length does not tell its text.
    Openai,
}

impl FromStr for Envelope {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Ok(match name {
            "plain" => Self::Plain,
            "llama_server" => Self::LlamaServer,
            "llama_timings" => Self::LlamaTimings,
            "vllm" => Self::Vllm,
            "vllm_usage" => Self::VllmUsage,
            "vllm_logprobs" => Self::VllmLogprobs,
            "sglang" => Self::Sglang,
            "sglang_usage" => Self::SglangUsage,
            "ollama" => Self::Ollama,
            "lm_studio" => Self::LmStudio,
            "openai" => Self::Openai,
            _ => return Err(()),
        })
    }
}

const ID: &str = r#""id":"chatcmpl-5f0d4d0c9d8e4a3cb6cdd4d3a8f0b1e7","object":"chat.completion.chunk""#;

impl Envelope {
    /// Returns the event that adds a text, a JSON string without its quotes, as the piece with this number, at a time in
    /// seconds.
    pub(crate) fn chunk(self, text: &str, number: u32, now: u64) -> String {
        let (prompt, count, total) = (412, number + 1, number + 413);
        let data = match self {
            Self::Plain => format!(
                r#"{{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":null}}]}}"#
            ),
            Self::LlamaServer | Self::LlamaTimings => {
                let timings = if self == Self::LlamaTimings { timings(count) } else { String::new() };
                format!(
                    r#"{{"choices":[{{"finish_reason":null,"index":0,"delta":{{"content":"{text}"}}}}],"created":{now},"id":"chatcmpl-Yb7Q0a9sKdm2","model":"bench","system_fingerprint":"b6900-1d2c3b4a","object":"chat.completion.chunk"{timings}}}"#
                )
            }
            Self::Vllm => format!(
                r#"{{{ID},"created":1,"model":"bench","choices":[{{"index":0,"delta":{{"content":"{text}"}},"logprobs":null,"finish_reason":null,"token_ids":null}}]}}"#
            ),
            Self::VllmUsage => format!(
                r#"{{{ID},"created":1,"model":"bench","choices":[{{"index":0,"delta":{{"content":"{text}"}},"logprobs":null,"finish_reason":null,"token_ids":null}}],"usage":{{"prompt_tokens":{prompt},"total_tokens":{total},"completion_tokens":{count}}}}}"#
            ),
            Self::VllmLogprobs => format!(
                r#"{{{ID},"created":1,"model":"bench","choices":[{{"index":0,"delta":{{"content":"{text}"}},"logprobs":{{"content":[{{"token":"{text}","logprob":-0.{count:04},"bytes":{},"top_logprobs":[]}}]}},"finish_reason":null,"token_ids":null}}]}}"#,
                bytes(text)
            ),
            Self::Sglang => sglang(text, now, "null"),
            Self::SglangUsage => sglang(
                text,
                now,
                &format!(
                    r#"{{"prompt_tokens":{prompt},"total_tokens":{total},"completion_tokens":{count},"prompt_tokens_details":null,"reasoning_tokens":0}}"#
                ),
            ),
            Self::Ollama => format!(
                r#"{{"id":"chatcmpl-417","object":"chat.completion.chunk","created":{now},"model":"bench","system_fingerprint":"fp_ollama","choices":[{{"index":0,"delta":{{"role":"assistant","content":"{text}"}},"finish_reason":null}}]}}"#
            ),
            Self::LmStudio => format!(
                r#"{{{ID},"created":1,"model":"bench","system_fingerprint":"bench","choices":[{{"index":0,"delta":{{"role":"assistant","content":"{text}"}},"logprobs":null,"finish_reason":null}}]}}"#
            ),
            Self::Openai => {
                let letters = obfuscation(number, text.len());
                format!(
                    r#"{{{ID},"created":1,"model":"bench","service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{{"index":0,"delta":{{"content":"{text}"}},"logprobs":null,"finish_reason":null}}],"usage":null,"obfuscation":"{letters}"}}"#
                )
            }
        };
        format!("data: {data}\n\n")
    }
}

fn sglang(text: &str, now: u64, usage: &str) -> String {
    format!(
        r#"{{"id":"5f0d4d0c9d8e4a3cb6cdd4d3a8f0b1e7","object":"chat.completion.chunk","created":{now},"model":"bench","choices":[{{"index":0,"delta":{{"role":null,"content":"{text}","reasoning_content":null,"tool_calls":null}},"logprobs":null,"finish_reason":null,"matched_stop":null}}],"usage":{usage}}}"#
    )
}

fn timings(count: u32) -> String {
    let spent = f64::from(count) * 8.314;
    format!(
        r#","timings":{{"cache_n":0,"prompt_n":412,"prompt_ms":301.417,"prompt_per_token_ms":0.731595,"prompt_per_second":1366.876,"predicted_n":{count},"predicted_ms":{spent:.3},"predicted_per_token_ms":8.314,"predicted_per_second":120.279}}"#
    )
}

/// The bytes of a text, as a JSON list.
fn bytes(text: &str) -> String {
    let mut list = "[".to_owned();
    for byte in text.bytes() {
        let comma = if list.len() > 1 { "," } else { "" };
        let _ = write!(list, "{comma}{byte}");
    }
    list + "]"
}

/// Letters that differ from chunk to chunk, the fewer the longer the text is.
fn obfuscation(number: u32, text: usize) -> String {
    let mut dice = number.wrapping_mul(2_654_435_761) | 1;
    let length = 16 + (dice >> 28) as usize - text % 8;
    let mut letter = || {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[(dice >> 16) as usize % 62] as char
    };
    (0..length).map(|_| letter()).collect()
}
