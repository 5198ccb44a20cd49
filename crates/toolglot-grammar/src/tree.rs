//! Arrays and objects as nested elements, if the dialect's markers cannot be text.

use toolglot::OutlinePart;

use crate::builder::{Builder, SchemaAt};
use crate::error::GrammarError;
use crate::node::{Node, Times};
use crate::param::ValueHole;
use crate::schema::count;
use crate::style::Language;

/// The element of an array's item.
const ITEM: &str = "item";

impl<'a> Builder<'a> {
    /// Returns an array or object as elements; `None` if the dialect writes it as JSON, or the schema is not specific enough.
    pub(crate) fn elements(
        &mut self,
        kind: &str,
        at: &SchemaAt<'a>,
        hole: &ValueHole,
    ) -> Result<Option<Node>, GrammarError> {
        let opens = match self.outline.params.first().and_then(|pattern| pattern.first()) {
            Some(OutlinePart::Text(open)) => self.outline.is_strong(open),
            _ => false,
        };
        if !opens || hole.style.language != Language::Json {
            return Ok(None);
        }
        // A schema that contains itself is written as JSON further in.
        if at.path.matches(" (#").count() > 1 {
            return Ok(None);
        }
        match kind {
            "array" => self.item_elements(at, hole),
            _ => self.member_elements(at, hole),
        }
    }

    fn item_elements(&mut self, at: &SchemaAt<'a>, hole: &ValueHole) -> Result<Option<Node>, GrammarError> {
        let Some(schema) = at.schema.as_object() else { return Ok(None) };
        let Some(items) = schema.get("items").filter(|items| items.is_object()) else { return Ok(None) };
        if schema.contains_key("prefixItems") {
            return Ok(None);
        }
        let values = self.bare_values(Some(&at.inner("items", items)), hole)?;
        let item = self.param(&Node::literal(ITEM), values, hole)?;
        let item = self.rules.add(ITEM, item);
        let least = count(schema, "minItems").unwrap_or(0).max(1);
        let most = count(schema, "maxItems");
        Ok((most.is_none_or(|most| most >= least)).then(|| item.times(Times { least, most })))
    }

    fn member_elements(&mut self, at: &SchemaAt<'a>, hole: &ValueHole) -> Result<Option<Node>, GrammarError> {
        let (declared, _) = self.properties(at);
        let written = |name: &str| name != ITEM && self.is_writable(name);
        if !declared.iter().any(|property| property.required) || !declared.iter().all(|property| written(property.name))
        {
            return Ok(None);
        }
        let mut nodes = Vec::new();
        for property in &declared {
            let values = self.bare_values(Some(&property.at), hole)?;
            let node = self.param(&Node::literal(property.name), values, hole)?;
            let node = self.rules.add(property.name, node);
            nodes.push(if property.required { node } else { node.optional() });
        }
        Ok(Some(Node::sequence(nodes)))
    }
}
