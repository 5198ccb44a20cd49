//! Writes a grammar as a structural tag, for xgrammar.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use toolglot_json::{Value, json};

use crate::call::CallsNode;
use crate::exclusion::{Excluded, Exclusion, Quoting};
use crate::gbnf;
use crate::message::MessageNode;
use crate::node::{Node, RuleId, Rules, Times};
use crate::schema::is_readable;

/// Writes a message.
pub(crate) fn write(message: &MessageNode, rules: &Rules, trigger: Option<&str>) -> Value {
    let writer = TagWriter { rules, known: RefCell::default() };
    // If each value needs a grammar, or each tool one for the text before it, a single grammar is shorter.
    let needs_grammars =
        |calls: &CallsNode| message.text.is_some() && !calls.named.is_empty() || writer.needs_grammar(&calls.node);
    let format = match (&message.text, &message.calls, trigger) {
        (_, Some(calls), _) if needs_grammars(calls) => writer.grammar(&message.root),
        (Some(text), Some(calls), Some(trigger)) => match writer.triggered(text, &calls.opener, &calls.node, trigger) {
            None => writer.format(&message.root),
            Some(tags) if message.reasoning.is_nothing() => tags,
            Some(tags) => elements("sequence", vec![writer.format(&message.reasoning), tags]),
        },
        _ => writer.format(&message.root),
    };
    format_of("structural_tag", [("format", format)])
}

/// Returns a format with members, which are not copied.
fn format_of(kind: &str, members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let members = members.into_iter().map(|(key, value)| (key.to_owned(), value));
    Value::Object([("type".to_owned(), kind.into())].into_iter().chain(members).collect())
}

fn elements(kind: &str, all: Vec<Value>) -> Value {
    format_of(kind, [("elements", all.into())])
}

/// Writes nodes as formats.
struct TagWriter<'g> {
    rules: &'g Rules,
    /// The formats of rules, as far as known.
    known: RefCell<BTreeMap<RuleId, Option<bool>>>,
}

impl TagWriter<'_> {
    /// Writes text in which calls begin with the trigger; `None` if they have no common end.
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
        let members = [
            ("triggers", json!([trigger])),
            ("tags", vec![tag(opener, content, &end)].into()),
            ("at_least_one", false.into()),
            ("stop_after_first", true.into()),
            ("excludes", excludes.into()),
        ];
        Some(format_of("triggered_tags", members))
    }

    fn format(&self, node: &Node) -> Value {
        match node {
            Node::Literal(text) => json!({"type": "const_string", "value": text}),
            Node::Text(exclusion) if exclusion.quoting() == Quoting::Bare && !has_lines(exclusion) => {
                any_text(exclusion)
            }
            Node::Sequence(nodes) if nodes.is_empty() => json!({"type": "const_string", "value": ""}),
            Node::Sequence(nodes) => self.sequence(nodes),
            Node::Choice(_) | Node::Repeat(..) if self.leads_to_text(node) == Some(false) => self.grammar(node),
            Node::Choice(nodes) => elements("or", nodes.iter().map(|node| self.format(node)).collect()),
            Node::Repeat(inside, times) => self.repeated(inside, *times),
            Node::Rule(rule) if self.is_split(node) => match self.rules.node(*rule) {
                Some(node) => self.format(node),
                None => self.grammar(node),
            },
            Node::Json(part) if !is_held(&part.schema) => self.grammar(&part.node),
            Node::Json(part) => {
                let excludes = anywhere(&part.exclusion).into();
                format_of("json_schema", [("json_schema", part.schema.clone()), ("excludes", excludes)])
            }
            Node::Text(_) | Node::Class(..) | Node::Rule(_) => self.grammar(node),
        }
    }

    /// Writes a sequence of nodes; text ends with the literal after it.
    fn sequence(&self, nodes: &[Node]) -> Value {
        let mut all = Vec::new();
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            at += 1;
            match (node, nodes.get(at)) {
                (Node::Text(text), Some(Node::Literal(end))) if text.quoting() == Quoting::Bare && !has_lines(text) => {
                    all.push(tag("", any_text(text), end));
                    at += 1;
                }
                _ => all.push(self.format(node)),
            }
        }
        match all.len() {
            1 => all.remove(0),
            _ => elements("sequence", all),
        }
    }

    fn repeated(&self, inside: &Node, times: Times) -> Value {
        let content = self.format(inside);
        let kind = match (times.least, times.most) {
            (0, Some(1)) => "optional",
            (0, None) => "star",
            (1, None) => "plus",
            (least, most) => {
                let most = most.map_or(-1, |most| most as i64);
                return format_of("repeat", [("content", content), ("min", least.into()), ("max", most.into())]);
            }
        };
        format_of(kind, [("content", content)])
    }

    /// Writes a node as a separate grammar.
    fn grammar(&self, node: &Node) -> Value {
        json!({"type": "grammar", "grammar": gbnf::write(node, self.rules)})
    }

    /// Returns whether a node, or one of its rules, has text in which lines matter, or with many exclusions: xgrammar excludes
    /// only literals that count anywhere, and ends a text with the first end that it finds.
    fn needs_grammar(&self, node: &Node) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match node {
                Node::Text(exclusion) if has_lines(exclusion) || exclusion.literals().len() > MOST_EXCLUDED => {
                    return true;
                }
                Node::Sequence(nodes) if nodes.windows(2).any(is_line) => return true,
                Node::Sequence(nodes) | Node::Choice(nodes) => open.extend(nodes),
                Node::Repeat(inside, _) => open.push(inside),
                Node::Rule(rule) if seen.insert(*rule) => open.extend(self.rules.node(*rule)),
                _ => {}
            }
        }
        false
    }

    /// Returns whether a node leads to a schema or to text that xgrammar supports directly, and not to itself.
    fn is_split(&self, node: &Node) -> bool {
        self.leads_to_text(node) == Some(true)
    }

    /// `None` if a rule contains itself.
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

/// Returns whether xgrammar enforces a schema exactly. In its schemas, exclusions override lengths, and patterns override
/// exclusions; strings with a length have no escapes, and some formats allow what JSON has to escape.
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

/// The number of literals that each text of a tag may list. If tags are named after tools, each would list all tools: the tag
/// would grow with their square, to half a megabyte for 80.
const MOST_EXCLUDED: usize = 40;

/// Formats for which xgrammar allows quotes, control characters or markers.
const LOOSE_FORMATS: [&str; 4] = ["email", "uri-template", "json-pointer", "relative-json-pointer"];

fn any_text(exclusion: &Exclusion) -> Value {
    format_of("any_text", [("excludes", anywhere(exclusion).into())])
}

fn tag(begin: &str, content: Value, end: &str) -> Value {
    format_of("tag", [("begin", begin.into()), ("content", content), ("end", end.into())])
}

fn anywhere(exclusion: &Exclusion) -> Vec<String> {
    exclusion.literals().iter().filter(|literal| !literal.at_line_start).flat_map(Excluded::spellings).collect()
}

/// Returns whether text ends with its last line break.
fn is_line(nodes: &[Node]) -> bool {
    matches!(nodes, [Node::Text(_), Node::Literal(end)] if end == "\n")
}

/// Returns whether an exclusion of a text applies where lines begin.
fn has_lines(exclusion: &Exclusion) -> bool {
    exclusion.literals().iter().any(|literal| literal.at_line_start)
}
