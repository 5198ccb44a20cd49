//! Settings that are one of a few values.

use toolglot::{CallsInReasoning, Evidence, Frame, NullText, UnknownTool, Untyped, Validation};
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
    ($($kind:ty: $($word:literal => $value:expr),*;)*) => {$(
        impl Words for $kind {
            const WORDS: &[&str] = &[$($word),*];
            fn of(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($value),)*
                    _ => None,
                }
            }
        }
    )*};
}

words!(Validation, Untyped, NullText, CallsInReasoning, Evidence, Frame, UnknownTool, HistoryIds, ReasoningField);

words! {
    Enforce: "off" => Self::Off, "choice" => Self::Choice, "auto" => Self::Auto, "strict" => Self::Strict;
    Duplicates: "once" => Self::Once, "keep" => Self::Keep;
    Mode: "native" => Self::Native, "prompt" => Self::Prompt, "auto" => Self::Auto;
    TemplateUse: "off" => Self::Off, "auto" => Self::Auto;
    Keep: "off" => Self::Off, "misses" => Self::Misses, "all" => Self::All;
    LogFormat: "auto" => Self::Auto, "human" => Self::Human, "json" => Self::Json, "off" => Self::Off;
}

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

/// Whether to read a server's chat template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TemplateUse {
    #[default]
    Off,
    /// If the server provides it.
    Auto,
}

/// Which exchanges to capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    #[default]
    Off,
    Misses,
    All,
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
