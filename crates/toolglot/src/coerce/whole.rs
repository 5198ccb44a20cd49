//! Text that is one JSON value as a whole.

use crate::options::Options;
use crate::schema::Node;

/// Returns the JSON of text that is one value, read with the repairs that are switched on.
pub(super) fn read(text: &str, node: Option<Node<'_>>, options: &Options) -> Option<String> {
    read_strict(text, node, options)
}

/// Returns text that is strict JSON.
pub(super) fn read_strict(text: &str, _node: Option<Node<'_>>, _options: &Options) -> Option<String> {
    serde_json::from_str::<serde_json::Value>(text).ok().map(|_| text.to_owned())
}
