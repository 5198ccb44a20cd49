//! One call, and all calls of a message, from the patterns that the dialect writes.

use toolglot::OutlinePart;

use crate::builder::Builder;
use crate::error::GrammarError;
use crate::node::{Node, Times};
use crate::options::MarkerSpelling;

/// The calls of a message.
#[derive(Clone, Debug)]
pub(crate) struct CallsNode {
    /// The opener of the first call, or of its section.
    pub(crate) opener: String,
    /// The first call of each tool, if calls open with its name: a lexer needs the whole opener.
    pub(crate) named: Vec<Node>,
    /// The calls after it.
    pub(crate) more: Node,
    pub(crate) node: Node,
}

impl<'a> Builder<'a> {
    /// Returns a word in its first spelling, or in all.
    pub(crate) fn word(&self, spellings: &[String]) -> Node {
        let all = spellings.iter().map(Node::literal);
        match self.options.spelling {
            MarkerSpelling::Canonical => all.into_iter().next().unwrap_or_else(Node::nothing),
            MarkerSpelling::All => Node::choice(all),
        }
    }

    /// Returns the calls of a message to these tools: one, or more if parallel calls are allowed.
    pub(crate) fn calls(&mut self, tools: &[usize]) -> Result<CallsNode, GrammarError> {
        let mut alternatives = Vec::new();
        for number in tools {
            alternatives.push(self.call(*number)?);
        }
        let named = if self.opens_with_name() { alternatives.clone() } else { Vec::new() };
        let call = self.opened("call", Node::choice(alternatives));
        let more = self.more(&call);
        let Some(section) = self.outline.sections.first().cloned() else {
            let node = self.joined(call);
            return Ok(CallsNode { opener: node.leading().to_owned(), named, more, node });
        };
        let node = match self.outline.has_one_section() {
            true => {
                let one = self.section(&section, call, tools)?;
                let one = self.opened("section", one);
                self.joined(one)
            }
            false => {
                let calls = self.joined(call);
                self.section(&section, calls, tools)?
            }
        };
        Ok(CallsNode { opener: node.leading().to_owned(), named, more, node })
    }

    /// Returns a rule after its opener, so that the opener stays literal.
    fn opened(&mut self, name: &str, node: Node) -> Node {
        match node {
            Node::Sequence(mut parts) if matches!(parts.first(), Some(Node::Literal(_))) && parts.len() > 1 => {
                let open = parts.remove(0);
                let rest = self.rules.add(name, Node::sequence(parts));
                Node::sequence([open, rest])
            }
            node => self.rules.add(name, node),
        }
    }

    /// Returns a call, or several with separators.
    fn joined(&self, call: Node) -> Node {
        let more = self.more(&call);
        Node::sequence([call, more])
    }

    /// Returns what may follow a first call.
    fn more(&self, call: &Node) -> Node {
        match self.options.parallel {
            true => Node::sequence([Node::literal(self.outline.join), call.clone()]).times(Times::ANY),
            false => Node::nothing(),
        }
    }

    /// Returns whether a message's calls open with the name of the tool, possibly after a sign, without a section.
    fn opens_with_name(&self) -> bool {
        let bare = |section: &Vec<OutlinePart<'_>>| matches!(section[..], [OutlinePart::Hole { name: "calls", .. }]);
        let call = self.outline.calls.first().map(Vec::as_slice).unwrap_or_default();
        let named = match call {
            [OutlinePart::Hole { name: "name", .. }, ..] => true,
            [OutlinePart::Text(open), OutlinePart::Hole { name: "name", .. }, ..] => !self.is_strong(open),
            _ => false,
        };
        named && self.outline.sections.first().is_none_or(bare)
    }

    fn section(&mut self, pattern: &[OutlinePart<'a>], calls: Node, tools: &[usize]) -> Result<Node, GrammarError> {
        let mut nodes = Vec::new();
        for part in pattern {
            nodes.push(match part {
                OutlinePart::Text(text) => Node::literal(*text),
                OutlinePart::Word(spellings) => self.word(spellings),
                OutlinePart::Hole { name: "calls", .. } => calls.clone(),
                // The header of a message names the tool whose call comes first; a reader ignores it.
                OutlinePart::Hole { name: "_", .. } => Node::choice(
                    tools.iter().filter_map(|number| self.tools.get(*number)).map(|tool| Node::literal(&tool.name)),
                ),
                _ => Node::nothing(),
            });
        }
        Ok(Node::sequence(nodes))
    }

    fn call(&mut self, number: usize) -> Result<Node, GrammarError> {
        let Some(pattern) = self.outline.calls.first().cloned() else {
            return Err(self.refuse("has no call pattern; choose another dialect"));
        };
        let mut nodes = Vec::new();
        for part in pattern {
            nodes.push(match part {
                OutlinePart::Text(text) => Node::literal(text),
                OutlinePart::Word(spellings) => self.word(spellings),
                part => self.hole(number, part)?,
            });
        }
        Ok(Node::sequence(nodes))
    }
}
