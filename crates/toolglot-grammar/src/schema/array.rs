//! Arrays: items that a schema lists, and others after them.

use toolglot_json::Value;

use super::{count, listed};
use crate::builder::{Builder, SchemaAt};
use crate::error::GrammarError;
use crate::node::{Node, Times};
use crate::style::ValueStyle;

impl<'a> Builder<'a> {
    /// Returns an array.
    pub(crate) fn array(&mut self, at: &SchemaAt<'a>, style: &ValueStyle) -> Result<Node, GrammarError> {
        let items = self.items(at, style)?;
        Ok(Node::sequence([Node::literal("["), items, Node::literal("]")]))
    }

    fn items(&mut self, at: &SchemaAt<'a>, style: &ValueStyle) -> Result<Node, GrammarError> {
        let Value::Object(schema) = at.schema else {
            let any = self.any_value(style);
            return Ok(listed(any, style, Times::ANY));
        };
        let (least, most) = (count(schema, "minItems").unwrap_or(0), count(schema, "maxItems"));
        if most.is_some_and(|most| most < least) {
            return Err(GrammarError::new(format!("{}: `maxItems` is below `minItems`; correct it", at.path)));
        }
        // Before 2020 the list stood in `items`, and `additionalItems` after it.
        let (listed_items, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(first)), rest) => (Some(("prefixItems", first)), rest),
            (_, Some(Value::Array(first))) => (Some(("items", first)), schema.get("additionalItems")),
            (_, rest) => (None, rest),
        };
        let item = match rest {
            Some(Value::Bool(false)) => None,
            Some(rest) => Some(self.value(&at.inner("items", rest), style)?),
            None => Some(self.any_value(style)),
        };
        let Some((key, first)) = listed_items else {
            let Some(item) = item else { return Ok(style.blank()) };
            let item = self.rules.add("item", item);
            return Ok(listed(item, style, Times { least, most }));
        };
        let mut nodes = Vec::new();
        for (number, schema) in first.iter().enumerate() {
            nodes.push(self.value(&at.inner(&format!("{key}/{number}"), schema), style)?);
        }
        Ok(prefixed(nodes, item, Times { least, most }, style))
    }
}

/// Returns items with their own schemas, as many as are required, and further ones.
fn prefixed(first: Vec<Node>, item: Option<Node>, times: Times, style: &ValueStyle) -> Node {
    let comma = |node: Node, number: usize| match number {
        0 => node,
        _ => Node::sequence([Node::literal(","), style.blank(), node]),
    };
    let count = first.len();
    let rest = |all: usize| all.saturating_sub(count);
    let more = Times { least: rest(times.least), most: times.most.map(rest) };
    let mut node = item.map_or_else(Node::nothing, |item| comma(item, count).times(more));
    for (number, one) in first.into_iter().enumerate().rev() {
        if times.most.is_some_and(|most| number >= most) {
            continue;
        }
        node = Node::sequence([comma(one, number), node]);
        if number >= times.least {
            node = node.optional();
        }
    }
    Node::sequence([style.blank(), node, style.blank()])
}
