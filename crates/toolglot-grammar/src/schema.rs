//! Schemas as nodes: the values of a schema in a language of values.

use std::sync::Arc;

use toolglot_json::{Map, Value, json};

use crate::builder::{Builder, SchemaAt};
use crate::chars::Chars;
use crate::error::GrammarError;
use crate::node::{JsonPart, Node, Times};
use crate::style::{Language, ValueStyle};

mod array;
mod branch;
mod merge;
mod number;
mod object;
mod regex;
mod string;

pub(crate) use branch::Branch;
pub(crate) use merge::merged;
pub(crate) use number::{any_integer, any_number};
pub(crate) use object::{MemberNode, free_key};
pub(crate) use regex::is_readable;

/// How deep references may lead to others before anything is written.
const MOST_REFERENCES: usize = 64;

impl<'a> Builder<'a> {
    /// Returns a whole JSON value, which engines that support schemas take directly.
    pub(crate) fn json(&mut self, at: &SchemaAt<'a>, style: &ValueStyle) -> Result<Node, GrammarError> {
        let node = self.value(at, style)?;
        if style.language != Language::Json {
            return Ok(node);
        }
        let part = JsonPart { schema: self.alone(at), exclusion: Arc::clone(&style.exclusion), node };
        Ok(Node::Json(Arc::new(part)))
    }

    /// Returns a JSON object of any members.
    pub(crate) fn free_object(&mut self, style: &ValueStyle) -> Node {
        let node = self.any_object(style);
        if style.language != Language::Json {
            return node;
        }
        let schema = json!({"type": "object", "additionalProperties": true});
        Node::Json(Arc::new(JsonPart { schema, exclusion: Arc::clone(&style.exclusion), node }))
    }

    /// Returns a JSON array of any items.
    pub(crate) fn free_array(&mut self, style: &ValueStyle) -> Node {
        let items = listed(self.any_value(style), style, Times::ANY);
        let node = Node::sequence([Node::literal("["), items, Node::literal("]")]);
        Node::Json(Arc::new(JsonPart {
            schema: json!({"type": "array"}),
            exclusion: Arc::clone(&style.exclusion),
            node,
        }))
    }

    /// Returns a schema with the definitions that it refers to.
    fn alone(&self, at: &SchemaAt<'_>) -> Value {
        let mut schema = at.schema.clone();
        let (Some(object), Some(root)) = (schema.as_object_mut(), at.root.0.as_object()) else { return schema };
        if mentions_reference(at.schema) {
            for key in ["$defs", "definitions"] {
                if let Some(definitions) = root.get(key) {
                    object.entry(key).or_insert_with(|| definitions.clone());
                }
            }
        }
        schema
    }

    /// Returns a value of a schema.
    pub(crate) fn value(&mut self, at: &SchemaAt<'a>, style: &ValueStyle) -> Result<Node, GrammarError> {
        let branches = self.branches(at)?;
        let mut nodes = Vec::new();
        for branch in branches {
            nodes.push(self.branch(branch, style)?);
        }
        Ok(Node::choice(nodes))
    }

    fn branch(&mut self, branch: Branch<'a>, style: &ValueStyle) -> Result<Node, GrammarError> {
        Ok(match branch {
            Branch::Any => self.any_value(style),
            Branch::Literal(value, at) => match style.value(value) {
                Some(text) => Node::Literal(text),
                None => {
                    return Err(
                        self.refuse(&format!("cannot write {value}, which is listed in {}; remove it", at.path))
                    );
                }
            },
            Branch::Boolean => Node::choice([Node::literal(style.word("true")), Node::literal(style.word("false"))]),
            Branch::Null => Node::literal(style.word("null")),
            Branch::Integer(at) => self.integer(&at)?,
            Branch::Number(at) => self.number(&at)?,
            Branch::String(at) => self.string_value(&at, style)?,
            Branch::Array(at) => self.array(&at, style)?,
            Branch::Object(at) => self.object(&at, style)?,
            Branch::Reference(at, pointer) => self.reference(&at, &pointer, style)?,
        })
    }

    /// Returns the rule of a reference's target.
    fn reference(&mut self, at: &SchemaAt<'a>, pointer: &str, style: &ValueStyle) -> Result<Node, GrammarError> {
        let key = (style.clone(), at.root.1, pointer.to_owned());
        if let Some(rule) = self.references.get(&key) {
            return Ok(Node::Rule(*rule));
        }
        let target = self.resolve(at, pointer)?;
        let rule = self.rules.reserve(pointer.rsplit('/').next().filter(|name| name.len() > 1).unwrap_or("root"));
        self.references.insert(key, rule);
        let node = self.value(&target, style)?;
        if matches!(node, Node::Rule(same) if same == rule) {
            return Err(GrammarError::new(format!("{}: `$ref` refers to itself; remove it", at.path)));
        }
        self.rules.define(rule, node);
        Ok(Node::Rule(rule))
    }

    /// Returns the target of a reference.
    pub(crate) fn resolve(&self, at: &SchemaAt<'a>, pointer: &str) -> Result<SchemaAt<'a>, GrammarError> {
        let mut pointer = pointer.to_owned();
        for _ in 0..MOST_REFERENCES {
            let found = pointer.strip_prefix('#').and_then(|path| at.root.0.pointer(&unescaped(path)));
            let Some(schema) = found else {
                let why = "cannot be resolved; use references inside the tool's schema only";
                return Err(GrammarError::new(format!("{}: `$ref` to `{pointer}` {why}", at.path)));
            };
            match schema.get("$ref").and_then(Value::as_str) {
                Some(next) => pointer = next.to_owned(),
                None => return Ok(SchemaAt { schema, root: at.root, path: format!("{} ({pointer})", at.path) }),
            }
        }
        Err(GrammarError::new(format!("{}: `$ref` refers to itself; remove it", at.path)))
    }

    /// Returns a value of any kind.
    pub(crate) fn any_value(&mut self, style: &ValueStyle) -> Node {
        if let Some(rule) = self.any.get(style) {
            return Node::Rule(*rule);
        }
        let rule = self.rules.reserve("value");
        self.any.insert(style.clone(), rule);
        let words = ["true", "false", "null"].map(|word| Node::literal(style.word(word)));
        let item = Node::Rule(rule);
        let items = listed(item, style, Times::ANY);
        let array = Node::sequence([Node::literal("["), items, Node::literal("]")]);
        let object = self.any_object(style);
        let all = [object, array, style.string(None), any_number()];
        self.rules.define(rule, Node::choice(all.into_iter().chain(words)));
        Node::Rule(rule)
    }

    fn any_object(&mut self, style: &ValueStyle) -> Node {
        let value = self.any_value(style);
        let pair = Node::sequence([free_key(style), Node::literal(":"), style.blank(), value]);
        let pair = self.rules.add("member", pair);
        Node::sequence([Node::literal("{"), listed(pair, style, Times::ANY), Node::literal("}")])
    }
}

/// Returns items separated by commas, with white space.
pub(crate) fn listed(item: Node, style: &ValueStyle, times: Times) -> Node {
    let next = Node::sequence([Node::literal(","), style.blank(), item.clone()]);
    let less = |count: usize| count.saturating_sub(1);
    let more = Times { least: less(times.least), most: times.most.map(less) };
    let all = Node::sequence([item, next.times(more), style.blank()]);
    let all = if times.least == 0 { all.optional() } else { all };
    match times.most {
        Some(0) => style.blank(),
        _ => Node::sequence([style.blank(), all]),
    }
}

fn mentions_reference(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.contains_key("$ref") || members.values().any(mentions_reference),
        Value::Array(items) => items.iter().any(mentions_reference),
        _ => false,
    }
}

/// Decodes URL escapes in a pointer.
fn unescaped(path: &str) -> String {
    path.replace("%25", "%").replace("%20", " ").replace("%24", "$")
}

/// Returns a member that is a number.
pub(crate) fn count(schema: &Map, key: &str) -> Option<usize> {
    schema.get(key).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok())
}

/// Returns hexadecimal digits and others, as characters of identifiers.
pub(crate) fn identifier() -> Node {
    let first = Chars::ranges([('a', 'z'), ('A', 'Z'), ('_', '_')]);
    let rest = first.with(&Chars::ranges([('0', '9')]));
    Node::sequence([Node::Class(first, Times::ONCE), Node::Class(rest, Times::between(0, 31))])
}
