//! Objects: declared members in their declared order, and others if the schema is open.

use std::sync::Arc;

use toolglot_json::{Map, Value};

use super::{Language, identifier};
use crate::builder::{Builder, SchemaAt};
use crate::error::GrammarError;
use crate::exclusion::{Excluded, Exclusion};
use crate::node::{Node, Times};
use crate::style::ValueStyle;

/// A declared member.
#[derive(Clone, Debug)]
pub(crate) struct PropertyAt<'s> {
    pub(crate) name: &'s str,
    pub(crate) required: bool,
    pub(crate) at: SchemaAt<'s>,
}

/// A member in its written form.
pub(crate) struct MemberNode<'n> {
    pub(crate) name: &'n str,
    pub(crate) required: bool,
    pub(crate) node: Node,
}

static ANYTHING: Value = Value::Bool(true);

impl<'a> Builder<'a> {
    /// Returns the declared members, and the schema of others if there may be any.
    pub(crate) fn properties(&mut self, at: &SchemaAt<'a>) -> (Vec<PropertyAt<'a>>, Option<SchemaAt<'a>>) {
        let none = (Vec::new(), Some(at.inner("additionalProperties", &ANYTHING)));
        let Value::Object(schema) = at.schema else { return none };
        let declared = schema.get("properties").and_then(Value::as_object);
        let required: Vec<&'a str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut all: Vec<PropertyAt<'a>> = declared
            .into_iter()
            .flatten()
            .filter(|(_, schema)| **schema != Value::Bool(false))
            .map(|(name, schema)| PropertyAt {
                name,
                required: required.contains(&name.as_str()),
                at: at.inner(&format!("properties/{name}"), schema),
            })
            .collect();
        let others = others(at, schema, declared.is_some());
        for name in required {
            if !all.iter().any(|property| property.name == name) {
                let at = others.clone().unwrap_or_else(|| at.inner(&format!("required/{name}"), &ANYTHING));
                all.push(PropertyAt { name, required: true, at });
            }
        }
        (all, others)
    }

    /// Returns an object.
    pub(crate) fn object(&mut self, at: &SchemaAt<'a>, style: &ValueStyle) -> Result<Node, GrammarError> {
        let (declared, others) = self.properties(at);
        if declared.is_empty() && others.as_ref().is_some_and(|others| *others.schema == ANYTHING) {
            return Ok(self.any_object(style));
        }
        let mut pairs = Vec::new();
        for property in &declared {
            let key = style.key(property.name).ok_or_else(|| self.unwritable_key(property))?;
            let value = self.value(&property.at, style)?;
            pairs.push(MemberNode {
                name: property.name,
                required: property.required,
                node: Node::sequence([Node::Literal(key), style.blank(), value]),
            });
        }
        let other = others.map(|others| self.other_member(&declared, &others, style)).transpose()?;
        let members = self.members(at, pairs, other, &Node::sequence([Node::literal(","), style.blank()]));
        Ok(Node::sequence([Node::literal("{"), style.blank(), members, style.blank(), Node::literal("}")]))
    }

    pub(crate) fn unwritable_key(&self, property: &PropertyAt<'_>) -> GrammarError {
        self.refuse(&format!("cannot write the key of {}; rename it", property.at.path))
    }

    /// Returns members in their order, with separators.
    pub(crate) fn members(
        &mut self,
        at: &SchemaAt<'a>,
        pairs: Vec<MemberNode<'_>>,
        other: Option<Node>,
        comma: &Node,
    ) -> Node {
        // From the last member to the first: what follows where a member precedes it, and where none does.
        let (mut behind, mut first) = match other {
            Some(other) => {
                let more = Node::sequence([comma.clone(), other.clone()]).times(Times::ANY);
                (more.clone(), Node::sequence([other, more]).optional())
            }
            None => (Node::nothing(), Node::nothing()),
        };
        let name = at.path.rsplit('/').next().unwrap_or_default().to_owned();
        for member in pairs.into_iter().rev() {
            let pair = self.rules.add(member.name, member.node);
            let rest = if behind.is_nothing() { behind } else { self.rules.add(&format!("{name} more"), behind) };
            let next = Node::sequence([comma.clone(), pair.clone()]);
            if member.required {
                first = Node::sequence([pair, rest.clone()]);
                behind = Node::sequence([next, rest]);
            } else {
                let none = if first.is_nothing() { first } else { self.rules.add(&format!("{name} rest"), first) };
                first = Node::choice([Node::sequence([pair, rest.clone()]), none]);
                behind = Node::sequence([next.optional(), rest]);
            }
        }
        first
    }

    /// Returns an undeclared member; its key contains no declared one.
    fn other_member(
        &mut self,
        declared: &[PropertyAt<'a>],
        others: &SchemaAt<'a>,
        style: &ValueStyle,
    ) -> Result<Node, GrammarError> {
        let value = self.value(others, style)?;
        let names = declared.iter().map(|property| Excluded::anywhere(property.name));
        let all = names.chain(style.exclusion.literals().iter().cloned());
        let exclusion = Arc::new(Exclusion::new(style.exclusion.quoting(), all));
        let key = free_key(&ValueStyle { exclusion, language: style.language.clone() });
        let pair = Node::sequence([key, Node::literal(":"), style.blank(), value]);
        Ok(self.rules.add("other_member", pair))
    }
}

/// Returns a key with any name; in relaxed braces, it has no quotes.
pub(crate) fn free_key(style: &ValueStyle) -> Node {
    match style.language {
        Language::Relaxed(_) => identifier(),
        _ => style.string(Some(Times::between(1, 64))),
    }
}

/// Returns the schema of undeclared members: an object with declared members has no others unless it allows them.
fn others<'a>(at: &SchemaAt<'a>, schema: &'a Map, declares: bool) -> Option<SchemaAt<'a>> {
    match schema.get("additionalProperties") {
        Some(Value::Bool(false)) => None,
        None if declares => None,
        None => Some(at.inner("additionalProperties", &ANYTHING)),
        Some(others) => Some(at.inner("additionalProperties", others)),
    }
}
