//! A dialect as the oracles know it: what it writes, how strings stand in it, and what it is read with.

use toolglot::{Dialects, Renderer};

/// How string values stand in what a dialect writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringStyle {
    /// In JSON.
    Json,
    /// As keyword arguments, in quotes.
    Python,
    /// As they are, between markers.
    Raw,
}

/// One dialect, ready to be written and read.
pub(super) struct Home {
    pub(super) name: String,
    pub(super) kind: StringStyle,
    /// What its calls' bodies are, by the hole of the pattern.
    pub(super) body: String,
    /// The dialect alone.
    pub(super) alone: Dialects,
    pub(super) renderer: Renderer,
    /// What cannot be in a value without looking like markup.
    pub(super) markers: Vec<String>,
    /// What stands before the name of each call and belongs to it.
    pub(super) opener: String,
    /// What stands behind the arguments of each call, from their closing bracket on.
    pub(super) closer: String,
    /// What stands before the key of a raw value, and behind the value.
    pub(super) head: String,
    pub(super) end: String,
    /// What stands around a raw value that begins with a line break, where the reader takes one away.
    pub(super) frame: [String; 2],
    /// Each call begins with a special token or a tag.
    pub(super) guarded: bool,
}

impl Home {
    /// Returns what stands behind the raw value of a key.
    pub(super) fn end_of(&self, key: &str) -> String {
        self.end.replace("zzkey", key)
    }

    /// Returns what stands behind the last raw value of a call.
    pub(super) fn closer_of(&self, key: &str) -> String {
        self.closer.replace("zzkey", key)
    }

    /// Says whether a value holds something that looks like the dialect's markup.
    pub(super) fn is_marked(&self, value: &str, keys: &[&str]) -> bool {
        let tags = |key: &&str| value.contains(&format!("<{key}")) || value.contains(&format!("</{key}"));
        self.markers.iter().any(|marker| value.contains(marker.as_str()))
            || (self.kind == StringStyle::Raw && keys.iter().any(tags))
    }
}
