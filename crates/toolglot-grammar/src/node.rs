//! The tree from which all grammars are written.

use std::sync::Arc;

use toolglot_json::Value;

use crate::chars::Chars;
use crate::exclusion::Exclusion;

/// A part of a grammar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Literal(String),
    /// A number of characters of a set.
    Class(Chars, Times),
    /// Any text without certain literals.
    Text(Arc<Exclusion>),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, Times),
    Rule(RuleId),
    /// A JSON value of a schema, for engines that support schemas, and the same as a node for the others.
    Json(Arc<JsonPart>),
}

/// A JSON value of a schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JsonPart {
    pub(crate) schema: Value,
    /// The text that its strings exclude.
    pub(crate) exclusion: Arc<Exclusion>,
    pub(crate) node: Node,
}

/// The number of repetitions: the minimum, and the maximum if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) least: usize,
    pub(crate) most: Option<usize>,
}

/// The index of a rule in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RuleId(pub(crate) usize);

/// The named rules of a grammar.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    list: Vec<(String, Node)>,
}

impl Times {
    pub(crate) const ANY: Self = Self { least: 0, most: None };
    pub(crate) const OPTIONAL: Self = Self { least: 0, most: Some(1) };
    pub(crate) const ONCE: Self = Self { least: 1, most: Some(1) };

    pub(crate) fn between(least: usize, most: usize) -> Self {
        Self { least, most: Some(most) }
    }
}

impl Node {
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self::Literal(text.into())
    }

    pub(crate) fn nothing() -> Self {
        Self::Sequence(Vec::new())
    }

    pub(crate) fn is_nothing(&self) -> bool {
        match self {
            Self::Literal(text) => text.is_empty(),
            Self::Sequence(nodes) => nodes.iter().all(Self::is_nothing),
            _ => false,
        }
    }

    /// Returns a sequence of nodes; adjacent literals are joined.
    pub(crate) fn sequence(nodes: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for node in nodes {
            let parts = if let Self::Sequence(parts) = node { parts } else { vec![node] };
            for part in parts {
                match (flat.last_mut(), part) {
                    (_, Self::Literal(text)) if text.is_empty() => {}
                    (Some(Self::Literal(last)), Self::Literal(text)) => last.push_str(&text),
                    (_, part) => flat.push(part),
                }
            }
        }
        match flat.len() {
            1 => flat.remove(0),
            _ => Self::Sequence(flat),
        }
    }

    /// Returns a choice of nodes; their common prefix is written once.
    pub(crate) fn choice(nodes: impl IntoIterator<Item = Self>) -> Self {
        let mut once: Vec<Self> = Vec::new();
        for node in nodes {
            let parts = if let Self::Choice(parts) = node { parts } else { vec![node] };
            for part in parts {
                if !once.contains(&part) {
                    once.push(part);
                }
            }
        }
        if once.len() == 1 {
            return once.remove(0);
        }
        let shared = shared_start(&once);
        match shared {
            0 => Self::Choice(once),
            shared => {
                let start = once[0].leading().get(..shared).unwrap_or_default().to_owned();
                let rests: Vec<Self> = once.into_iter().map(|node| node.without_start(shared)).collect();
                Self::sequence([Self::Literal(start), Self::choice(rests)])
            }
        }
    }

    pub(crate) fn optional(self) -> Self {
        if self.is_nothing() { self } else { Self::Repeat(Box::new(self), Times::OPTIONAL) }
    }

    pub(crate) fn times(self, times: Times) -> Self {
        match times {
            Times::ONCE => self,
            Times { most: Some(0), .. } => Self::nothing(),
            times => Self::Repeat(Box::new(self), times),
        }
    }

    /// Returns the literal text at the beginning of the node.
    pub(crate) fn leading(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::Sequence(nodes) => nodes.first().map_or("", Self::leading),
            _ => "",
        }
    }

    fn without_start(self, length: usize) -> Self {
        match self {
            Self::Literal(text) => Self::Literal(text.get(length..).unwrap_or_default().to_owned()),
            Self::Sequence(mut nodes) if !nodes.is_empty() => {
                let first = nodes.remove(0).without_start(length);
                Self::sequence([first].into_iter().chain(nodes))
            }
            node => node,
        }
    }
}

/// Returns the number of common bytes at the beginning of all nodes.
fn shared_start(nodes: &[Node]) -> usize {
    let Some((first, rest)) = nodes.split_first() else { return 0 };
    let first = first.leading();
    let shared = |other: &str| {
        let pairs = first.chars().zip(other.chars());
        pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
    };
    rest.iter().map(|node| shared(node.leading())).min().unwrap_or(0)
}

impl Rules {
    /// Adds a rule and returns it; its name is made unique.
    pub(crate) fn add(&mut self, name: &str, node: Node) -> Node {
        let id = self.reserve(name);
        self.define(id, node);
        Node::Rule(id)
    }

    /// Adds a rule whose content is set later, for recursive rules.
    pub(crate) fn reserve(&mut self, name: &str) -> RuleId {
        let plain: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
        self.list.push((format!("{}_{}", plain.trim_matches('_'), self.list.len()), Node::nothing()));
        RuleId(self.list.len() - 1)
    }

    pub(crate) fn define(&mut self, id: RuleId, node: Node) {
        if let Some(rule) = self.list.get_mut(id.0) {
            rule.1 = node;
        }
    }

    pub(crate) fn name(&self, id: RuleId) -> &str {
        self.list.get(id.0).map_or("", |rule| &rule.0)
    }

    pub(crate) fn node(&self, id: RuleId) -> Option<&Node> {
        self.list.get(id.0).map(|rule| &rule.1)
    }
}
