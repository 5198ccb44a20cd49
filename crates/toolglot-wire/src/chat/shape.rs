//! Analyses a chunk: which parts vary, and which must be edited before it is passed on.

use std::ops::Range;

use serde::Deserialize;
use serde::de::{Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::chat::write::{ChunkEnvelope, PieceTarget};

/// The fields of a response that are the same in all of its chunks.
const CONSTANT: [&str; 2] = ["system_fingerprint", "service_tier"];

/// The fields in which servers send reasoning.
const REASONING: [&str; 2] = ["reasoning", "reasoning_content"];

/// The content of a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoleKind {
    /// The inside of the string that is the chunk's piece.
    Piece,
    /// The inside of the response's id, and its time, which are the same in all chunks.
    Id,
    Created,
    /// The object with the token counts.
    Usage,
    /// The inside of a string, and any value, that are passed on unchanged.
    Letters,
    Value,
}

/// What all chunks of a shape have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkTraits {
    /// The number of the alternative.
    pub(crate) choice: usize,
    pub(crate) kind: PieceTarget,
    /// Whether the alternative may have more than the piece, which is lost if the chunk is held back.
    pub(crate) says_more: bool,
    /// Whether there are unknown fields of the response; a later chunk of the shape has newer values of all of them.
    pub(crate) has_fields: bool,
    pub(crate) has_logprobs: bool,
}

/// The parts of a template: the positions of its holes, and the edits to the server's text.
pub(super) struct TemplatePlan<'d> {
    data: &'d str,
    envelope: &'d ChunkEnvelope,
    keeps_usage: bool,
    pub(super) traits: ChunkTraits,
    pub(super) holes: Vec<(Range<usize>, HoleKind)>,
    pub(super) edits: Vec<(Range<usize>, String)>,
}

/// Analyses a chunk that adds one piece; returns none if it must be parsed.
pub(super) fn plan<'d>(data: &'d str, envelope: &'d ChunkEnvelope, keeps_usage: bool) -> Option<TemplatePlan<'d>> {
    let chunk = ChunkMembers::of(data)?;
    if envelope.id.is_empty() || chunk.get("object")? != r#""chat.completion.chunk""# {
        return None;
    }
    // Clients require these three; a chunk that is parsed gets those that the server omits.
    let all = ["id", "created", "model"].iter().all(|name| chunk.get(name).is_some());
    let [choice] = serde_json::from_str::<[&RawValue; 1]>(chunk.get("choices").filter(|_| all)?).ok()?;
    let choice = ChunkMembers::of(choice.get())?;
    let traits = ChunkTraits {
        choice: serde_json::from_str(choice.get("index")?).ok()?,
        kind: PieceTarget::Text,
        says_more: false,
        has_fields: false,
        has_logprobs: choice.get("logprobs").is_some_and(|value| value != "null"),
    };
    let mut plan = TemplatePlan { data, envelope, keeps_usage, traits, holes: Vec::new(), edits: Vec::new() };
    for (at, (name, value)) in chunk.0.iter().enumerate() {
        plan.response(&chunk, at, (name, value))?;
    }
    for (name, value) in &choice.0 {
        plan.choice(name, value)?;
    }
    plan.traits.kind = plan.delta(&ChunkMembers::of(choice.get("delta")?)?)?;
    Some(plan)
}

impl<'d> TemplatePlan<'d> {
    /// Analyses a field of the response.
    fn response(&mut self, chunk: &ChunkMembers<'d>, at: usize, (name, value): (&str, &'d str)) -> Option<()> {
        let is_unsaid = |name: &str| matches!(name, "usage" | "error");
        match name {
            "object" | "choices" => {}
            "id" => self.string(value, HoleKind::Id)?,
            "created" => self.holes.push((self.place(value)?, HoleKind::Created)),
            // All chunks have the name of the first, or the client's own if the server uses another.
            "model" => {
                if !value.starts_with('"') {
                    return None;
                }
                if value != self.envelope.model_text {
                    self.edits.push((self.place(value)?, self.envelope.model_text.clone()));
                }
            }
            // Some clients treat any `error` field as an error, even null.
            "error" if value == "null" => self.cut(chunk, at, is_unsaid)?,
            "error" => return None,
            "usage" if value == "null" => {}
            "usage" => {
                if !value.starts_with('{') {
                    return None;
                }
                self.holes.push((self.place(value)?, HoleKind::Usage));
                if !self.keeps_usage {
                    self.cut(chunk, at, is_unsaid)?;
                }
            }
            "obfuscation" => self.varies(value)?,
            _ if CONSTANT.contains(&name) => {}
            _ => {
                self.traits.has_fields = true;
                self.varies(value)?;
            }
        }
        Some(())
    }

    /// Analyses a field of the alternative.
    fn choice(&mut self, name: &str, value: &'d str) -> Option<()> {
        match name {
            "index" | "delta" => {}
            // A finish reason is converted for the client, so the chunk must be parsed.
            "finish_reason" => return (value == "null").then_some(()),
            _ if value == "null" => {}
            _ => {
                self.traits.says_more |= name != "logprobs";
                self.varies(value)?;
            }
        }
        Some(())
    }

    /// Analyses the delta; returns the target of its one piece.
    fn delta(&mut self, delta: &ChunkMembers<'d>) -> Option<PieceTarget> {
        let mut kind = None;
        for (name, value) in &delta.0 {
            let target = match *name {
                "role" if matches!(*value, "null" | r#""assistant""#) => continue,
                _ if *value == "null" => continue,
                "content" | "reasoning" | "reasoning_content" if *value == r#""""# => continue,
                "content" => PieceTarget::Text,
                "reasoning" | "reasoning_content" => {
                    PieceTarget::Reasoning(REASONING.into_iter().find(|known| known == name)?)
                }
                "tool_calls" => self.call(value)?,
                _ => return None,
            };
            if kind.replace(target).is_some() {
                return None;
            }
            if *name != "tool_calls" {
                self.string(value, HoleKind::Piece)?;
            }
        }
        let kind = kind?;
        // Some clients concatenate the roles of all chunks.
        let is_role = |name: &str| name == "role";
        if let Some(at) = delta.0.iter().position(|(name, _)| is_role(name)) {
            self.cut(delta, at, is_role)?;
        }
        Some(kind)
    }

    /// Analyses an element of `tool_calls` that continues the arguments of a call.
    fn call(&mut self, list: &'d str) -> Option<PieceTarget> {
        let [call] = serde_json::from_str::<[&'d RawValue; 1]>(list).ok()?;
        let call = ChunkMembers::of(call.get())?;
        let function = ChunkMembers::of(call.get("function")?)?;
        let empty = |value: &str| matches!(value, "null" | r#""""#);
        let is_idle = |name: &str, value: &str| match name {
            "type" => empty(value) || value == r#""function""#,
            _ => name == "id" && empty(value),
        };
        for (at, (name, value)) in call.0.iter().enumerate() {
            match *name {
                "index" | "function" => {}
                // Some clients concatenate these, too.
                name if is_idle(name, value) => self.cut(&call, at, |name| !matches!(name, "index" | "function"))?,
                _ => return None,
            }
        }
        for (at, (name, value)) in function.0.iter().enumerate() {
            match *name {
                "arguments" => self.string(value, HoleKind::Piece)?,
                "name" if empty(value) => self.cut(&function, at, |name| name == "name")?,
                _ => return None,
            }
        }
        function.get("arguments")?;
        Some(PieceTarget::Arguments(serde_json::from_str(call.get("index")?).ok()?))
    }

    /// Adds a hole for a value that may differ in every chunk.
    fn varies(&mut self, value: &'d str) -> Option<()> {
        match value.as_bytes().first()? {
            b'"' => self.string(value, HoleKind::Letters)?,
            b'{' | b'[' | b'-' | b'0'..=b'9' => self.holes.push((self.place(value)?, HoleKind::Value)),
            _ => {}
        }
        Some(())
    }

    /// Adds a hole for a string.
    fn string(&mut self, value: &'d str, kind: HoleKind) -> Option<()> {
        let place = self.place(value.strip_prefix('"')?.strip_suffix('"')?)?;
        self.holes.push((place, kind));
        Some(())
    }

    /// Omits a member and its comma; `is_cut` tells which members are omitted.
    fn cut(&mut self, members: &ChunkMembers<'d>, at: usize, is_cut: impl Fn(&str) -> bool) -> Option<()> {
        let place = |at: usize| {
            let (name, value) = members.0.get(at)?;
            // Names are quoted.
            Some(self.place(name)?.start - 1..self.place(value)?.end)
        };
        let own = place(at)?;
        let is_first = members.0[..at].iter().all(|(name, _)| is_cut(name));
        let range = if is_first { own.start..place(at + 1)?.start } else { place(at - 1)?.end..own.end };
        self.edits.push((range, String::new()));
        Some(())
    }

    /// Returns the place of a part of the chunk.
    fn place(&self, part: &str) -> Option<Range<usize>> {
        let start = (part.as_ptr() as usize).checked_sub(self.data.as_ptr() as usize)?;
        Some(start..start + part.len())
    }
}

/// The members of an object: the name and the value of each, as they are written.
struct ChunkMembers<'d>(Vec<(&'d str, &'d str)>);

impl<'d> ChunkMembers<'d> {
    fn of(object: &'d str) -> Option<Self> {
        serde_json::from_str(object).ok()
    }

    fn get(&self, name: &str) -> Option<&'d str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl<'de> Deserialize<'de> for ChunkMembers<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ChunkVisitor)
    }
}

/// Reads the members of an object.
struct ChunkVisitor;

impl<'de> Visitor<'de> for ChunkVisitor {
    type Value = ChunkMembers<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(&str, &str)> = Vec::with_capacity(8);
        while let Some((name, value)) = map.next_entry::<&str, &RawValue>()? {
            if members.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom("duplicate name"));
            }
            members.push((name, value.get()));
        }
        Ok(ChunkMembers(members))
    }
}
