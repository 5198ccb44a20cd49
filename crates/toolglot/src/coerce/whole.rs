//! Text that is a single JSON value.

use crate::diagnostic::Diagnostic;
use crate::json::{Context, NoMarkers, ValuePosition, WholeValue, read_whole, write_string};
use crate::options::Options;
use crate::schema::SchemaNode;

/// The JSON of a converted value, and the repairs that were needed to read it.
pub(super) struct Output<'o> {
    pub(super) json: &'o mut String,
    pub(super) repairs: &'o mut Vec<Diagnostic>,
}

impl Output<'_> {
    pub(super) fn push(&mut self, json: &str) {
        self.json.push_str(json);
    }

    pub(super) fn string(&mut self, text: &str) {
        write_string(text, self.json);
    }

    pub(super) fn whole(&mut self, whole: WholeValue) {
        self.json.push_str(&whole.json);
        self.repairs.extend(whole.repairs);
    }
}

/// Returns the JSON of text that is one value, read with the enabled repairs.
pub(super) fn read(text: &str, node: Option<SchemaNode<'_>>, options: &Options) -> Option<WholeValue> {
    let context =
        Context { markers: &NoMarkers, schema: node.map(SchemaNode::schema), options, quote: None, given: None };
    read_whole(text, ValuePosition::Value, node.map(SchemaNode::id), &context)
}

/// Returns the JSON of text that is one value, without any repair.
pub(super) fn read_strict(text: &str, node: Option<SchemaNode<'_>>, options: &Options) -> Option<WholeValue> {
    read(text, node, options).filter(|whole| !whole.repairs.iter().any(|diagnostic| diagnostic.code.is_repair()))
}
