//! A tool's JSON Schema, compiled for the readers: declared types, properties, items.

use std::sync::LazyLock;

use crate::spelling::{is_same, without_markup};
use regex_lite::Regex;

mod compile;
mod facts;
mod pattern;
mod types;

pub(crate) use types::Types;

/// The parameters of one tool, compiled. Nodes are identified by a [`NodeId`].
///
/// A schema that refers to itself becomes a graph: each node is made once, however often it is referred to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schema {
    shapes: Vec<StoredNode>,
}

/// The id of a node, which readers keep between pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// One schema inside a tool's parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaNode<'s> {
    schema: &'s Schema,
    id: NodeId,
}

/// One value of an `enum` or `const`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnumValue {
    /// The value as bare text: a string's content, any other value's JSON.
    pub(crate) text: String,
    /// The value as JSON.
    pub(crate) json: String,
}

impl EnumValue {
    /// Returns whether the value is a string.
    pub(crate) fn is_string(&self) -> bool {
        self.json.starts_with('"')
    }
}

/// A node as stored.
#[derive(Clone, Debug, Default)]
struct StoredNode {
    types: Types,
    choices: Vec<EnumValue>,
    /// Whether the choices apply only to strings, because another type is allowed.
    only_strings_choose: bool,
    /// The declared properties sorted by name, and the node of each.
    names: Vec<String>,
    /// The set of the names' lengths: the last six bits of each.
    lengths: u64,
    values: Vec<NodeId>,
    patterns: Vec<(Regex, NodeId)>,
    additional: Option<NodeId>,
    others: OtherProperties,
    required: Vec<String>,
    prefix: Vec<NodeId>,
    items: Option<NodeId>,
}

/// How a node treats undeclared properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum OtherProperties {
    #[default]
    Allowed,
    /// An error in the arguments, if others are declared.
    Unexpected,
    /// Always an error: `additionalProperties` is false.
    Forbidden,
}

/// A node without declarations.
static OPEN: LazyLock<StoredNode> = LazyLock::new(StoredNode::default);

impl Schema {
    /// Compiles the `parameters` of a tool.
    ///
    /// Nothing is an error: what cannot be understood declares nothing.
    pub(crate) fn compile(parameters: &serde_json::Value) -> Self {
        Self { shapes: compile::compile(parameters) }
    }

    /// Returns the schema of the arguments object.
    pub(crate) fn root(&self) -> SchemaNode<'_> {
        self.node(NodeId(0))
    }

    /// Returns the node with an id of this schema.
    pub(crate) fn node(&self, id: NodeId) -> SchemaNode<'_> {
        SchemaNode { schema: self, id }
    }
}

impl<'s> SchemaNode<'s> {
    /// Returns the node's id, which may be kept between pushes.
    pub(crate) fn id(self) -> NodeId {
        self.id
    }

    /// Returns the schema that the node belongs to.
    pub(crate) fn schema(self) -> &'s Schema {
        self.schema
    }

    /// Returns the declared types.
    pub(crate) fn types(self) -> Types {
        self.shape().types
    }

    /// Returns the schema of a property: its own, that of a pattern, or that of additional properties.
    pub(crate) fn property(self, key: &str) -> Option<SchemaNode<'s>> {
        self.declared(key).or(self.shape().additional).map(|id| self.schema.node(id))
    }

    /// Returns whether a property is declared by name or pattern.
    pub(crate) fn declares(self, key: &str) -> bool {
        self.declared(key).is_some()
    }

    /// Returns whether properties are declared, but not this one.
    pub(crate) fn is_undeclared(self, key: &str) -> bool {
        !self.properties().is_empty() && !self.declares(key)
    }

    /// Returns whether a key means a declared property, in any spelling.
    pub(crate) fn knows(self, key: &str) -> bool {
        self.declares(key) || self.meant(key).is_some()
    }

    /// Returns the one property that a differently spelled key means: by the rule for tools' names, or without an attached
    /// closing tag or quotes; `None` if the key is declared itself, may be undeclared, or could mean several.
    pub(crate) fn meant(self, key: &str) -> Option<&'s str> {
        if self.declares(key) {
            return None;
        }
        let own = without_markup(key);
        let is_meant = |name: &&String| if self.is_closed() { is_same(own, name) } else { own != key && own == **name };
        let mut alike = self.properties().iter().filter(is_meant);
        let meant = alike.next()?;
        alike.next().is_none().then_some(meant)
    }

    /// Returns whether undeclared properties are errors: some are declared or `additionalProperties` is false.
    pub(crate) fn is_closed(self) -> bool {
        self.shape().others != OtherProperties::Allowed
    }

    /// Returns whether the schema itself forbids undeclared properties, by `additionalProperties`.
    pub(crate) fn forbids_others(self) -> bool {
        self.shape().others == OtherProperties::Forbidden
    }

    /// Returns the names of the declared properties, in the schema's order.
    pub(crate) fn properties(self) -> &'s [String] {
        &self.shape().names
    }

    /// Returns the names of the required properties.
    pub(crate) fn required(self) -> &'s [String] {
        &self.shape().required
    }

    /// Returns the only property, to which a value without a name is assigned.
    pub(crate) fn only_property(self) -> Option<&'s str> {
        let [only] = self.properties() else { return None };
        Some(only)
    }

    /// Returns the schema of an array's item.
    pub(crate) fn item(self, index: usize) -> Option<SchemaNode<'s>> {
        let shape = self.shape();
        shape.prefix.get(index).copied().or(shape.items).map(|id| self.schema.node(id))
    }

    /// Returns the values that an `enum` or `const` allows; empty if it has neither.
    pub(crate) fn choices(self) -> &'s [EnumValue] {
        &self.shape().choices
    }

    /// Returns whether values other than strings must match the choices.
    pub(crate) fn only_strings_choose(self) -> bool {
        self.shape().only_strings_choose
    }

    /// Returns whether a JSON string must be held to its end because it may be converted.
    ///
    /// That is the case if no string is declared, or if it must match an `enum`.
    pub(crate) fn holds_strings(self) -> bool {
        let types = self.types();
        !self.choices().is_empty() || !types.is_open() && !types.has(Types::STRING)
    }

    /// Returns whether the bare text of an untyped dialect can be emitted as it arrives, because it can only be a string.
    pub(crate) fn streams_text(self) -> bool {
        self.types().only(Types::STRING) && self.choices().is_empty()
    }

    fn declared(self, key: &str) -> Option<NodeId> {
        let shape = self.shape();
        let named = if shape.lengths & length_bit(key) != 0 { shape.named(key) } else { None };
        named.or_else(|| shape.patterns.iter().find(|(pattern, _)| pattern.is_match(key)).map(|(_, id)| *id))
    }

    fn shape(self) -> &'s StoredNode {
        self.schema.shapes.get(self.id.0 as usize).unwrap_or_else(|| &OPEN)
    }
}

impl StoredNode {
    /// Returns the node of a property that is declared by its name.
    fn named(&self, key: &str) -> Option<NodeId> {
        let at = self.names.binary_search_by(|name| name.as_str().cmp(key)).ok()?;
        self.values.get(at).copied()
    }
}

/// Returns the bit of a name's length.
fn length_bit(name: &str) -> u64 {
    1 << (name.len() & 63)
}

#[cfg(test)]
mod tests;
