//! The facts of a schema with all of its parts, before its children become nodes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::types::Types;

/// Schemas of the same value: all of them must match, or any.
#[derive(Clone, Debug)]
pub(super) struct SchemaSource<'v> {
    pub(super) any: bool,
    pub(super) schemas: Vec<&'v Value>,
}

/// The values of an `enum` or `const`.
#[derive(Clone, Debug)]
pub(super) struct EnumValues<'v> {
    pub(super) values: Vec<&'v Value>,
    /// Whether they apply only to strings.
    pub(super) only_strings: bool,
}

/// The rule for undeclared properties.
#[derive(Clone, Debug, Default)]
pub(super) enum Additional<'v> {
    #[default]
    Unsaid,
    Forbidden,
    Anything,
    Schema(SchemaSource<'v>),
}

/// The facts of a schema.
#[derive(Clone, Debug, Default)]
pub(super) struct SchemaFacts<'v> {
    pub(super) types: Types,
    pub(super) choices: Option<EnumValues<'v>>,
    pub(super) required: BTreeSet<&'v str>,
    pub(super) properties: BTreeMap<&'v str, SchemaSource<'v>>,
    pub(super) patterns: BTreeMap<&'v str, SchemaSource<'v>>,
    pub(super) additional: Additional<'v>,
    pub(super) prefix: Vec<SchemaSource<'v>>,
    pub(super) items: Option<SchemaSource<'v>>,
}

impl<'v> SchemaSource<'v> {
    pub(super) fn one(schema: &'v Value) -> Self {
        Self { any: false, schemas: vec![schema] }
    }

    fn absorb(&mut self, other: Self, any: bool) {
        self.any |= other.any | any;
        self.schemas.extend(other.schemas);
    }
}

impl<'v> SchemaFacts<'v> {
    /// Returns the facts of two schemas that a value must both match.
    pub(super) fn meet(mut self, mut other: Self) -> Self {
        self.types = self.types.meet(other.types);
        self.choices = self.choices.or(other.choices.take());
        self.required.extend(std::mem::take(&mut other.required));
        self.additional = self.additional.combine(std::mem::take(&mut other.additional), false);
        self.merge(other, false)
    }

    /// Returns the facts of two schemas of which a value must match one.
    pub(super) fn join(mut self, mut other: Self) -> Self {
        self.choices = self.join_choices(&mut other);
        self.required = self.join_required(&mut other);
        self.types = self.types.join(other.types);
        self.additional = self.additional.combine(std::mem::take(&mut other.additional), true);
        self.merge(other, true)
    }

    /// Returns whether the schema allows any object.
    pub(super) fn allows_any_object(&self) -> bool {
        let says_nothing = self.properties.is_empty() && self.patterns.is_empty() && self.required.is_empty();
        self.allows(Types::OBJECT) && says_nothing && matches!(self.additional, Additional::Unsaid)
    }

    /// Adds another schema's facts about children.
    pub(super) fn merge(mut self, other: Self, any: bool) -> Self {
        for (own, other) in [(&mut self.properties, other.properties), (&mut self.patterns, other.patterns)] {
            for (name, source) in other {
                match own.get_mut(name) {
                    Some(known) => known.absorb(source, any),
                    None => drop(own.insert(name, source)),
                }
            }
        }
        for (at, source) in other.prefix.into_iter().enumerate() {
            match self.prefix.get_mut(at) {
                Some(own) => own.absorb(source, any),
                None => self.prefix.push(source),
            }
        }
        match (&mut self.items, other.items) {
            (Some(own), Some(items)) => own.absorb(items, any),
            (own, items) => *own = own.take().or(items),
        }
        self
    }

    fn allows(&self, types: Types) -> bool {
        self.types.is_open() || self.types.has(types)
    }

    /// Choices remain if the other schema has some, too, or does not apply to strings.
    fn join_choices(&mut self, other: &mut Self) -> Option<EnumValues<'v>> {
        match (self.choices.take(), other.choices.take()) {
            (Some(mut own), Some(choices)) => {
                own.values.extend(choices.values);
                own.only_strings |= choices.only_strings;
                Some(own)
            }
            (Some(choices), None) => choices.beside(other),
            (None, Some(choices)) => choices.beside(self),
            (None, None) => None,
        }
    }

    /// A schema that allows no object requires nothing of objects.
    fn join_required(&mut self, other: &mut Self) -> BTreeSet<&'v str> {
        let (own, others) = (std::mem::take(&mut self.required), std::mem::take(&mut other.required));
        match (self.allows(Types::OBJECT), other.allows(Types::OBJECT)) {
            (true, true) => own.intersection(&others).copied().collect(),
            (true, false) => own,
            (false, _) => others,
        }
    }
}

impl<'v> EnumValues<'v> {
    fn beside(self, other: &SchemaFacts<'v>) -> Option<Self> {
        let only_strings = self.only_strings || !other.types.only(Types::NULL);
        (!other.allows(Types::STRING)).then_some(Self { only_strings, ..self })
    }
}

impl Additional<'_> {
    /// Combines the facts of two schemas: a value must match one of them with `any`, otherwise both.
    fn combine(self, other: Self, any: bool) -> Self {
        match (self, other) {
            (Self::Anything, _) | (_, Self::Anything) if any => Self::Anything,
            (Self::Forbidden, _) | (_, Self::Forbidden) if !any => Self::Forbidden,
            (Self::Schema(mut own), Self::Schema(source)) => {
                own.absorb(source, any);
                Self::Schema(own)
            }
            (Self::Schema(source), _) | (_, Self::Schema(source)) => Self::Schema(source),
            (Self::Unsaid, other) => other,
            (own, _) => own,
        }
    }
}
