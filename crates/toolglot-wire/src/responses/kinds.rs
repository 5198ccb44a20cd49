//! The types of the items that this crate reads and writes.

use toolglot_json::Value;

use super::tools::kind;

/// The type of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ItemKind {
    Message,
    Reasoning,
    Function,
    Custom,
    /// The client's search for further tools. Only the writer has it: a server's own search is passed on as it is.
    Search,
}

/// Each type, its name, and the prefix of the ids of such items.
const TABLE: [(ItemKind, &str, &str); 5] = [
    (ItemKind::Message, "message", "msg"),
    (ItemKind::Reasoning, "reasoning", "rs"),
    (ItemKind::Function, "function_call", "fc"),
    (ItemKind::Custom, "custom_tool_call", "ctc"),
    (ItemKind::Search, "tool_search_call", "tsc"),
];

impl ItemKind {
    /// Returns the type of a server's item; none if only this protocol has it.
    pub(super) fn of(item: &Value) -> Option<Self> {
        let row = TABLE.iter().find(|row| row.1 == kind(item))?;
        Some(row.0).filter(|kind| *kind != Self::Search)
    }

    pub(super) fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Returns the prefix of the ids of such items.
    pub(super) fn prefix(self) -> &'static str {
        TABLE[self as usize].2
    }
}
