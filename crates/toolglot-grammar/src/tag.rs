//! Writes a grammar as a structural tag, which xgrammar reads.

use std::cell::RefCell;
use std::collections::BTreeMap;

use toolglot_json::{Value, json};

use crate::exclusion::{Excluded, Exclusion, Quoting};
use crate::gbnf;
use crate::message::MessageNode;
use crate::node::{Node, RuleId, Rules, Times};
use crate::schema::is_readable;

/// Writes a message.
pub(crate) fn write(message: &MessageNode, rules: &Rules, trigger: Option<&str>) -> Value {
    let writer = TagWriter { rules, known: RefCell::default() };
    let format = match (&message.text, &message.calls, trigger) {
        (Some(text), Some(calls), Some(trigger)) => match writer.triggered(text, &calls.opener, &calls.node, trigger) {
            None => writer.format(&message.root),
            Some(tags) if message.reasoning.is_nothing() => tags,
            Some(tags) => json!({"type": "sequence", "elements": [writer.format(&message.reasoning), tags]}),
        },
        _ => writer.format(&message.root),
    };
    json!({"type": "structural_tag", "format": format})
}

/// Writes nodes as formats.
struct TagWriter<'g> {
    rules: &'g Rules,
    /// What rules lead to, as far as it is known.
    known: RefCell<BTreeMap<RuleId, Option<bool>>>,
}

impl TagWriter<'_> {
    /// Writes text in which calls begin with the trigger; `None` if nothing ends them all.
    fn triggered(&self, text: &Exclusion, opener: &str, calls: &Node, trigger: &str) -> Option<Value> {
        let mut rest = match calls.clone() {
            Node::Sequence(mut parts) if matches!(&parts[0], Node::Literal(text) if text == opener) => {
                parts.remove(0);
                parts
            }
            node => vec![node],
        };
        let Some(Node::Literal(end)) = rest.pop() else { return None };
        let content = self.format(&Node::sequence(rest));
        let excludes: Vec<String> = anywhere(text)
            .into_iter()
            .filter(|marker| !trigger.contains(marker.as_str()) && !marker.contains(trigger))
            .collect();
        Some(json!({
            "type": "triggered_tags",
            "triggers": [trigger],
            "tags": [{"type": "tag", "begin": opener, "content": content, "end": end}],
            "at_least_one": false,
            "stop_after_first": true,
            "excludes": excludes,
        }))
    }

    fn format(&self, node: &Node) -> Value {
        match node {
            Node::Literal(text) => json!({"type": "const_string", "value": text}),
            Node::Text(exclusion) if exclusion.quoting() == Quoting::Bare && !has_lines(exclusion) => {
                any_text(exclusion)
            }
            Node::Sequence(nodes) if nodes.is_empty() => json!({"type": "const_string", "value": ""}),
            Node::Sequence(nodes) => self.sequence(nodes),
            Node::Choice(nodes) => {
                let all: Vec<Value> = nodes.iter().map(|node| self.format(node)).collect();
                json!({"type": "or", "elements": all})
            }
            Node::Repeat(inside, times) => self.repeated(inside, *times),
            Node::Rule(rule) if self.is_split(node) => match self.rules.node(*rule) {
                Some(node) => self.format(node),
                None => self.grammar(node),
            },
            Node::Json(part) if !is_held(&part.schema) => self.grammar(&part.node),
            Node::Json(part) => {
                let excludes = anywhere(&part.exclusion);
                json!({"type": "json_schema", "json_schema": part.schema, "excludes": excludes})
            }
            Node::Text(_) | Node::Class(..) | Node::Rule(_) => self.grammar(node),
        }
    }

    /// Writes nodes in a row; text ends with the literal behind it.
    fn sequence(&self, nodes: &[Node]) -> Value {
        let mut elements = Vec::new();
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            at += 1;
            match (node, nodes.get(at)) {
                (Node::Text(text), Some(Node::Literal(end))) if text.quoting() == Quoting::Bare && !has_lines(text) => {
                    elements.push(json!({"type": "tag", "begin": "", "content": any_text(text), "end": end}));
                    at += 1;
                }
                _ => elements.push(self.format(node)),
            }
        }
        match elements.len() {
            1 => elements.remove(0),
            _ => json!({"type": "sequence", "elements": elements}),
        }
    }

    fn repeated(&self, inside: &Node, times: Times) -> Value {
        let content = self.format(inside);
        match (times.least, times.most) {
            (0, Some(1)) => json!({"type": "optional", "content": content}),
            (0, None) => json!({"type": "star", "content": content}),
            (1, None) => json!({"type": "plus", "content": content}),
            (least, most) => {
                json!({"type": "repeat", "content": content, "min": least, "max": most.map_or(-1, |most| most as i64)})
            }
        }
    }

    /// Writes a node as a grammar of its own.
    fn grammar(&self, node: &Node) -> Value {
        json!({"type": "grammar", "grammar": gbnf::write(node, self.rules)})
    }

    /// Says whether a node leads to a schema or to text that xgrammar reads as such, and not to itself.
    fn is_split(&self, node: &Node) -> bool {
        self.leads_to_text(node) == Some(true)
    }

    /// `None` where a rule contains itself.
    fn leads_to_text(&self, node: &Node) -> Option<bool> {
        match node {
            Node::Json(_) => Some(true),
            Node::Text(exclusion) => Some(exclusion.quoting() == Quoting::Bare),
            Node::Sequence(nodes) | Node::Choice(nodes) => {
                let mut any = false;
                for node in nodes {
                    any |= self.leads_to_text(node)?;
                }
                Some(any)
            }
            Node::Repeat(node, _) => self.leads_to_text(node),
            Node::Rule(rule) => {
                let known = self.known.borrow().get(rule).copied();
                known.unwrap_or_else(|| {
                    // Until it is known, the rule is one that contains itself.
                    self.known.borrow_mut().insert(*rule, None);
                    let found = self.rules.node(*rule).map_or(Some(false), |node| self.leads_to_text(node));
                    self.known.borrow_mut().insert(*rule, found);
                    found
                })
            }
            Node::Literal(_) | Node::Class(..) => Some(false),
        }
    }
}

/// Says whether xgrammar holds a schema as it is. In its schemas lengths give way to what is excluded, and what is excluded to
/// patterns; strings of a length have no escapes, and some formats allow what JSON has to escape.
fn is_held(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().all(|(key, value)| match (key.as_str(), value) {
            ("minLength" | "maxLength", Value::Number(_)) => false,
            ("pattern", Value::String(pattern)) => !is_readable(pattern),
            ("format", Value::String(format)) => !LOOSE_FORMATS.contains(&format.as_str()),
            (_, value) => is_held(value),
        }),
        Value::Array(items) => items.iter().all(is_held),
        _ => true,
    }
}

/// Formats by which xgrammar lets quotes, control characters or markers through.
const LOOSE_FORMATS: [&str; 4] = ["email", "uri-template", "json-pointer", "relative-json-pointer"];

fn any_text(exclusion: &Exclusion) -> Value {
    json!({"type": "any_text", "excludes": anywhere(exclusion)})
}

fn anywhere(exclusion: &Exclusion) -> Vec<String> {
    exclusion.literals().iter().filter(|literal| !literal.at_line_start).flat_map(Excluded::spellings).collect()
}

fn has_lines(exclusion: &Exclusion) -> bool {
    exclusion.literals().iter().any(|literal| literal.at_line_start)
}
