//! Settings that are one of a few values.

use toolglot::{CallsInReasoning, Evidence, Frame, UnknownTool, Untyped, Validation};
use toolglot_json::{Value, json};
use toolglot_wire::{Duplicates, Enforce, EngineKind, HistoryIds, Protocol, ReasoningField};

use super::{Raw, Setting, quoted};

/// One of a list of values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice<T> {
    word: String,
    /// The parsed value.
    pub(crate) value: T,
}

/// Types with a name for each value.
pub(crate) trait Words: Sized + Default {
    /// The names.
    const WORDS: &[&str];
    /// Returns the value of a name.
    fn of(word: &str) -> Option<Self>;
}

impl<T: Words> Setting for Choice<T> {
    fn read(raw: Raw<'_>) -> Result<Self, String> {
        let word = raw.wanted("string")?;
        let wrong = || format!("unknown value `{word}`; use one of {}", T::WORDS.join(", "));
        T::of(word.trim()).ok_or_else(wrong).map(|value| Self { word: word.trim().to_owned(), value })
    }

    fn show(&self) -> String {
        quoted(&self.word)
    }

    fn schema() -> Value {
        json!({"enum": T::WORDS})
    }
}

macro_rules! words {
    ($($kind:ty),*) => {$(
        impl Words for $kind {
            const WORDS: &[&str] = <$kind>::NAMES;
            fn of(word: &str) -> Option<Self> {
                word.parse().ok()
            }
        }
    )*};
}

words!(Validation, Untyped, CallsInReasoning, Evidence, Frame, UnknownTool);

impl Words for Option<Protocol> {
    const WORDS: &[&str] = &["auto", "chat", "responses", "messages", "ollama"];
    fn of(word: &str) -> Option<Self> {
        if word == "auto" { Some(None) } else { word.parse().ok().map(Some) }
    }
}

impl Words for Option<EngineKind> {
    const WORDS: &[&str] = &["auto", "generic", "vllm", "sglang", "llama.cpp", "ollama", "lmstudio", "mlx-lm"];
    fn of(word: &str) -> Option<Self> {
        if word == "auto" { Some(None) } else { word.parse().ok().map(Some) }
    }
}

impl Words for HistoryIds {
    const WORDS: &[&str] = &["kept", "nine", "counted"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "kept" => Some(Self::Kept),
            "nine" => Some(Self::Nine),
            "counted" => Some(Self::Counted),
            _ => None,
        }
    }
}

impl Words for Enforce {
    const WORDS: &[&str] = &["off", "choice", "auto", "strict"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "choice" => Some(Self::Choice),
            "auto" => Some(Self::Auto),
            "strict" => Some(Self::Strict),
            _ => None,
        }
    }
}

impl Words for Duplicates {
    const WORDS: &[&str] = &["once", "keep"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "once" => Some(Self::Once),
            "keep" => Some(Self::Keep),
            _ => None,
        }
    }
}

impl Words for Option<bool> {
    const WORDS: &[&str] = &["auto", "yes", "no"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(None),
            "yes" | "true" => Some(Some(true)),
            "no" | "false" => Some(Some(false)),
            _ => None,
        }
    }
}

/// How tools are sent to a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As native tools.
    #[default]
    Native,
    /// As text in the prompt.
    Prompt,
    /// As native tools until it rejects them, then as text.
    Auto,
}

impl Words for Mode {
    const WORDS: &[&str] = &["native", "prompt", "auto"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "native" => Some(Self::Native),
            "prompt" => Some(Self::Prompt),
            "auto" => Some(Self::Auto),
            _ => None,
        }
    }
}

/// Whether to read a server's chat template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TemplateUse {
    #[default]
    Off,
    /// If the server provides it.
    Auto,
}

impl Words for TemplateUse {
    const WORDS: &[&str] = &["off", "auto"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "auto" => Some(Self::Auto),
            _ => None,
        }
    }
}

impl Words for ReasoningField {
    const WORDS: &[&str] = &["reasoning_content", "reasoning", "both"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "reasoning_content" => Some(Self::ReasoningContent),
            "reasoning" => Some(Self::Reasoning),
            "both" => Some(Self::Both),
            _ => None,
        }
    }
}

/// Which exchanges to capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    #[default]
    Off,
    Misses,
    All,
}

impl Words for Keep {
    const WORDS: &[&str] = &["off", "misses", "all"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "misses" => Some(Self::Misses),
            "all" => Some(Self::All),
            _ => None,
        }
    }
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    #[default]
    Auto,
    Human,
    Json,
    Off,
}

impl Words for LogFormat {
    const WORDS: &[&str] = &["auto", "human", "json", "off"];
    fn of(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "human" => Some(Self::Human),
            "json" => Some(Self::Json),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}
