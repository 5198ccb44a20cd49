//! Writes the blocks of an answer: numbered without gaps, one open at a time.

use serde::Serialize;
use toolglot_json::{Value, json};

use crate::response_event::{CallKind, Part};

/// An event about a block, for a stream or for a body.
#[derive(Serialize)]
pub(super) struct BlockEvent<'e> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content_block: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) delta: Option<BlockPiece<'e>>,
}

/// A delta of a block.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type")]
pub(super) enum BlockPiece<'p> {
    #[serde(rename = "text_delta")]
    Text { text: &'p str },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: &'p str },
    #[serde(rename = "signature_delta")]
    Signature { signature: &'p str },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: &'p str },
    /// A delta that only this protocol has.
    #[serde(untagged)]
    Own(&'p Value),
}

/// Writes output as blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    open: Option<OpenBlock>,
    started: usize,
    /// Whether the model refused.
    pub(super) refused: bool,
    /// White space that no text has followed yet. It is not written as a block of its own, since servers refuse blank
    /// blocks when the client sends them back.
    blank: String,
    /// Citations whose text has not begun.
    early: Vec<Value>,
}

/// The kind of the block that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenBlock {
    Text,
    /// Reasoning; its signature is the last delta of the block.
    Thinking {
        sealed: bool,
    },
    Call(CallKind),
    Own,
}

impl Blocks {
    /// Writes a part.
    pub(super) fn add(&mut self, part: &Part, sink: &mut impl FnMut(BlockEvent<'_>)) {
        match part {
            Part::Text(text) | Part::Reasoning(text) | Part::Seal(text) if text.is_empty() => {}
            Part::Text(text) if self.open != Some(OpenBlock::Text) && text.trim().is_empty() => {
                self.blank.push_str(text);
            }
            Part::Text(text) => self.add_text(text, sink),
            Part::Refusal(text) => {
                self.refused = true;
                self.add_text(text, sink);
            }
            Part::Reasoning(text) => {
                self.ensure(OpenBlock::Thinking { sealed: false }, sink);
                self.delta(BlockPiece::Thinking { thinking: text }, sink);
            }
            Part::Seal(text) => {
                self.ensure(OpenBlock::Thinking { sealed: false }, sink);
                self.delta(BlockPiece::Signature { signature: text }, sink);
                self.open = Some(OpenBlock::Thinking { sealed: true });
            }
            Part::CallStart { id, name, kind, .. } => {
                let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
                self.start(OpenBlock::Call(*kind), block, sink);
                if *kind == CallKind::Custom {
                    self.delta(BlockPiece::Input { partial_json: r#"{"input": ""# }, sink);
                }
            }
            Part::Arguments { text, .. } => self.add_arguments(text, sink),
            Part::CallEnd { .. } => self.close(sink),
            Part::CallCut { .. } => self.stop(sink),
            Part::Finish(_) => {
                // An answer of nothing but white space is written.
                if self.started == 0 && !self.blank.is_empty() {
                    self.add_text("", sink);
                }
                self.close(sink);
            }
            Part::Own(event) => self.add_own(event, sink),
            Part::Logprobs(_) => {}
        }
    }

    /// Ends the open block, including a complete call.
    pub(super) fn close(&mut self, sink: &mut impl FnMut(BlockEvent<'_>)) {
        if self.open == Some(OpenBlock::Call(CallKind::Custom)) {
            self.delta(BlockPiece::Input { partial_json: "\"}" }, sink);
        }
        self.stop(sink);
    }

    /// Ends the open block as it is; the input of a truncated call is incomplete.
    fn stop(&mut self, sink: &mut impl FnMut(BlockEvent<'_>)) {
        if self.open.take().is_some() {
            let index = self.started - 1;
            sink(BlockEvent { kind: "content_block_stop", index, content_block: None, delta: None });
        }
    }

    fn add_text(&mut self, text: &str, sink: &mut impl FnMut(BlockEvent<'_>)) {
        let blank = std::mem::take(&mut self.blank);
        self.ensure(OpenBlock::Text, sink);
        if blank.is_empty() {
            self.delta(BlockPiece::Text { text }, sink);
        } else {
            self.delta(BlockPiece::Text { text: &(blank + text) }, sink);
        }
    }

    /// Adds to the input of a call, which is an object in this protocol; free text becomes its only member.
    fn add_arguments(&mut self, text: &str, sink: &mut impl FnMut(BlockEvent<'_>)) {
        match self.open {
            Some(OpenBlock::Call(CallKind::Function)) if !text.is_empty() => {
                self.delta(BlockPiece::Input { partial_json: text }, sink);
            }
            Some(OpenBlock::Call(CallKind::Custom)) => {
                // The quotes are written with the start and the end of the block.
                let quoted = Value::from(text).to_string();
                self.delta(BlockPiece::Input { partial_json: &quoted[1..quoted.len() - 1] }, sink);
            }
            _ => {}
        }
    }

    /// Writes an event of a block that only this protocol has, or a delta of text such as a citation, with its new
    /// index.
    fn add_own(&mut self, event: &Value, sink: &mut impl FnMut(BlockEvent<'_>)) {
        match (event["type"].as_str(), self.open) {
            (Some("content_block_start"), _) => {
                if let Some(block) = event.get("content_block").filter(|block| block.is_object()) {
                    self.start(OpenBlock::Own, block.clone(), sink);
                }
            }
            (Some("content_block_delta"), open) => match event.get("delta").filter(|delta| delta.is_object()) {
                Some(delta) if matches!(open, Some(OpenBlock::Own | OpenBlock::Text)) => {
                    self.delta(BlockPiece::Own(delta), sink)
                }
                Some(delta) if delta.get("citation").is_some() => self.early.push(delta.clone()),
                _ => {}
            },
            (Some("content_block_stop"), Some(OpenBlock::Own)) => self.close(sink),
            _ => {}
        }
    }

    fn ensure(&mut self, wanted: OpenBlock, sink: &mut impl FnMut(BlockEvent<'_>)) {
        if self.open == Some(wanted) {
            return;
        }
        let block = match wanted {
            OpenBlock::Thinking { .. } => json!({"type": "thinking", "thinking": "", "signature": ""}),
            _ => json!({"type": "text", "text": ""}),
        };
        self.start(wanted, block, sink);
        for citation in std::mem::take(&mut self.early) {
            self.delta(BlockPiece::Own(&citation), sink);
        }
    }

    fn start(&mut self, open: OpenBlock, block: Value, sink: &mut impl FnMut(BlockEvent<'_>)) {
        self.close(sink);
        if open != OpenBlock::Text {
            // Only text blocks can contain these.
            self.early.clear();
            self.blank.clear();
        }
        let index = self.started;
        sink(BlockEvent { kind: "content_block_start", index, content_block: Some(block), delta: None });
        self.started += 1;
        self.open = Some(open);
    }

    fn delta(&mut self, piece: BlockPiece<'_>, sink: &mut impl FnMut(BlockEvent<'_>)) {
        let index = self.started - 1;
        sink(BlockEvent { kind: "content_block_delta", index, content_block: None, delta: Some(piece) });
    }
}
