//! A tool's JSON Schema, compiled into what readers ask: declared types, properties, items.

use std::ops::BitOr;

/// A set of JSON types; the empty set means that nothing is declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const OPEN: Self = Self(0);
    pub(crate) const STRING: Self = Self(1);
    pub(crate) const INTEGER: Self = Self(2);
    pub(crate) const NUMBER: Self = Self(4);
    pub(crate) const BOOLEAN: Self = Self(8);
    pub(crate) const NULL: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);

    /// Says whether nothing is declared.
    pub(crate) fn is_open(self) -> bool {
        self == Self::OPEN
    }

    /// Says whether any of `other` is declared.
    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Says whether something is declared and nothing but `other`.
    pub(crate) fn only(self, other: Self) -> bool {
        !self.is_open() && self.0 & !other.0 == 0
    }
}

impl BitOr for Types {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One tool's parameters, compiled. Nodes are made while it is compiled and found by [`NodeId`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Schema {}

/// The name of a node, kept by readers between pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// One schema inside a tool's parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'s> {
    schema: &'s Schema,
    id: NodeId,
}

impl Schema {
    /// Compiles the `parameters` of a tool.
    pub(crate) fn compile(_parameters: &serde_json::Value) -> Self {
        Self {}
    }

    /// Returns the schema of the arguments object.
    pub(crate) fn root(&self) -> Node<'_> {
        self.node(NodeId(0))
    }

    /// Returns the node of a name that this schema gave out.
    pub(crate) fn node(&self, id: NodeId) -> Node<'_> {
        Node { schema: self, id }
    }
}

impl<'s> Node<'s> {
    /// Returns the node's name, to be kept between pushes.
    pub(crate) fn id(self) -> NodeId {
        self.id
    }

    /// Returns the declared types.
    pub(crate) fn types(self) -> Types {
        Types::OPEN
    }

    /// Returns the schema that governs a property, if any does: declared, by pattern, or as additional one.
    pub(crate) fn property(self, _key: &str) -> Option<Node<'s>> {
        None
    }

    /// Says whether a property is declared by name or pattern.
    pub(crate) fn declares(self, _key: &str) -> bool {
        false
    }

    /// Says whether properties that are not declared are wrong: some are declared or `additionalProperties` is false.
    pub(crate) fn is_closed(self) -> bool {
        false
    }

    /// Returns the names of the declared properties, in the schema's order.
    pub(crate) fn properties(self) -> &'s [String] {
        &[]
    }

    /// Returns the names of the required properties.
    pub(crate) fn required(self) -> &'s [String] {
        &[]
    }

    /// Returns the schema of an array's item.
    pub(crate) fn item(self, _index: usize) -> Option<Node<'s>> {
        None
    }
}
