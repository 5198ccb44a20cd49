//! A whole message: reasoning, text and calls, in the dialect's order.

use std::sync::Arc;

use toolglot::OutlinePart;
use toolglot_json::Value;

use crate::builder::{Builder, SchemaAt};
use crate::call::CallsNode;
use crate::chars::Chars;
use crate::error::GrammarError;
use crate::exclusion::{Exclusion, Quoting};
use crate::node::{Node, Times};
use crate::options::{GrammarReasoning, GrammarToolChoice};
use crate::style::ValueStyle;

/// A message and its parts.
#[derive(Clone, Debug)]
pub(crate) struct MessageNode {
    /// All of it.
    pub(crate) root: Node,
    /// The part before text and calls.
    pub(crate) reasoning: Node,
    /// The calls, if any are allowed.
    pub(crate) calls: Option<CallsNode>,
    /// Whether text may replace or precede the calls.
    pub(crate) text: Option<Arc<Exclusion>>,
}

impl<'a> Builder<'a> {
    /// Returns the message for the options.
    pub(crate) fn message(&mut self, tools: &[usize]) -> Result<MessageNode, GrammarError> {
        let reasoning = self.reasoning()?;
        let calls = match self.options.tool_choice {
            GrammarToolChoice::None => None,
            GrammarToolChoice::Auto if tools.is_empty() => None,
            _ => Some(self.calls(tools)?),
        };
        let Some(calls) = calls else {
            let text = self.answer()?.unwrap_or_else(|| self.content());
            let root = Node::sequence([reasoning.clone(), text]);
            return Ok(MessageNode { root, reasoning, calls: None, text: Some(Arc::new(self.text_exclusion())) });
        };
        let demanded = self.options.tool_choice != GrammarToolChoice::Auto;
        let (behind, text) = match (demanded, self.answer()?) {
            (true, _) if !self.options.content => (calls.node.clone(), None),
            (true, _) => (Node::choice(self.text_and_calls(&calls)), None),
            (false, Some(answer)) => (Node::choice([answer, calls.node.clone()]), None),
            (false, None) => {
                let all = [self.content()].into_iter().chain(self.text_and_calls(&calls));
                (Node::choice(all), Some(Arc::new(self.text_exclusion())))
            }
        };
        let root = Node::sequence([reasoning.clone(), behind]);
        let text = text.filter(|_| self.outline.content.is_empty());
        Ok(MessageNode { root, reasoning, calls: Some(calls), text })
    }

    /// Returns the JSON that replaces text, if its schema is given.
    fn answer(&mut self) -> Result<Option<Node>, GrammarError> {
        let options = self.options;
        let Some(schema) = &options.answer else { return Ok(None) };
        let exclusion = self.text_exclusion();
        if exclusion.refuses("{") || exclusion.refuses("[") {
            return Err(
                self.refuse("reads JSON as calls, so a JSON answer would be read as a call; choose another dialect")
            );
        }
        let style = ValueStyle::json(self.string_exclusion());
        // The answer's schema lives as long as the options do, like those of tools.
        let schema: &'a Value = schema;
        let at = SchemaAt { schema, root: (schema, usize::MAX), path: "answer schema: ".to_owned() };
        self.json(&at, &style).map(Some)
    }

    /// Returns calls, and calls after text.
    fn text_and_calls(&self, calls: &CallsNode) -> Vec<Node> {
        if self.has_wrapped_content() {
            let header = self.header(self.outermost());
            let gap = if header.is_empty() { self.line_gap() } else { Node::Literal(header) };
            let before = Node::sequence([self.content(), gap]).optional();
            return vec![Node::sequence([before, calls.node.clone()])];
        }
        if self.is_strong(&calls.opener) {
            let marked = self.marked_content().map(|content| Node::sequence([content, self.line_gap()]));
            let before = [self.text()].into_iter().chain(marked);
            return before.map(|before| Node::sequence([before, calls.node.clone()])).collect();
        }
        // What prose may contain is a call only where a line begins.
        let text = self.text();
        let below = |calls: &Node| Node::sequence([text.clone(), Node::literal("\n"), calls.clone()]);
        if calls.named.is_empty() {
            return vec![calls.node.clone(), below(&calls.node)];
        }
        let first = Node::choice(calls.named.iter().cloned().chain(calls.named.iter().map(below)));
        vec![Node::sequence([first, calls.more.clone()])]
    }

    /// Returns whether an opener is strong.
    pub(crate) fn is_strong(&self, opener: &str) -> bool {
        opener.split_whitespace().next().is_some_and(|word| self.outline.is_strong(word))
    }

    /// Returns text in the dialect's form: bare, or between markers.
    fn content(&self) -> Node {
        match self.outline.content.first().filter(|_| self.has_wrapped_content()) {
            None => Node::choice([self.text()].into_iter().chain(self.marked_content())),
            Some(pattern) => {
                let before_next =
                    if self.options.reasoning == GrammarReasoning::None || self.outline.reasoning.is_empty() {
                        Node::nothing()
                    } else {
                        Node::Literal(self.header(Some(pattern))).optional()
                    };
                Node::sequence([before_next, self.region(pattern)])
            }
        }
    }

    /// Returns text between optional markers.
    fn marked_content(&self) -> Option<Node> {
        let pattern = self.outline.content.first().filter(|_| !self.has_wrapped_content())?;
        Some(self.region(pattern))
    }

    /// Returns whether text is between markers that are special tokens.
    fn has_wrapped_content(&self) -> bool {
        let open = self.outline.content.first().map(|pattern| self.start(pattern));
        open.is_some_and(|open| open.starts_with("<|") || open.starts_with("to="))
    }

    fn region(&self, pattern: &[OutlinePart<'a>]) -> Node {
        let exclusion = Node::Text(Arc::new(self.region_exclusion()));
        let node = |part: &OutlinePart<'a>| match part {
            OutlinePart::Text(text) => Node::literal(*text),
            OutlinePart::Word(spellings) => self.word(spellings),
            OutlinePart::Hole { name: "text", .. } => exclusion.clone(),
            OutlinePart::Hole { .. } => Node::nothing(),
            _ => Node::nothing(),
        };
        Node::sequence(pattern.iter().map(node))
    }

    /// Returns the text that a region excludes: its closers, and strong openers of calls.
    fn region_exclusion(&self) -> Exclusion {
        let markers = &self.markers;
        let others = markers.regions.iter().chain(&markers.turns).cloned();
        Exclusion::new(Quoting::Bare, self.call_markers().chain(others))
    }

    /// Returns the reasoning, and the text before the rest.
    fn reasoning(&self) -> Result<Node, GrammarError> {
        let pattern = match (self.options.reasoning, self.outline.reasoning.first()) {
            (GrammarReasoning::None, _) | (GrammarReasoning::Optional, None) => return Ok(Node::nothing()),
            (GrammarReasoning::Prefilled, None) => {
                let why = "has no reasoning markers, so the prompt cannot contain one; set reasoning to `none`";
                return Err(self.refuse(why));
            }
            (_, Some(pattern)) => pattern,
        };
        let header = self.header(self.outermost());
        let gap = if header.is_empty() { self.line_gap() } else { Node::Literal(header).optional() };
        if self.options.reasoning == GrammarReasoning::Optional {
            return Ok(Node::sequence([self.region(pattern), gap]).optional());
        }
        let is_text = |part: &OutlinePart<'_>| matches!(part, OutlinePart::Hole { name: "text", .. });
        let at = pattern.iter().position(is_text).unwrap_or(0);
        Ok(Node::sequence([self.region(&pattern[at..]), gap]))
    }

    fn line_gap(&self) -> Node {
        Node::Class(Chars::of("\n"), Times::between(0, 2))
    }

    /// Returns the outermost pattern around calls.
    fn outermost(&self) -> Option<&Vec<OutlinePart<'a>>> {
        self.outline.sections.first().or(self.outline.calls.first())
    }

    /// Returns the text between a region and the next message, if each message has a header that the parser skips.
    fn header(&self, next: Option<&Vec<OutlinePart<'a>>>) -> String {
        let opens = |pattern: Option<&Vec<OutlinePart<'a>>>, header: &String| {
            pattern.is_some_and(|pattern| self.start(pattern).starts_with(header.as_str()))
        };
        let skip = self.outline.skip;
        if skip.iter().any(|header| opens(next, header)) {
            return String::new();
        }
        if skip.iter().any(|header| self.outline.join.contains(header.as_str())) {
            return self.outline.join.to_owned();
        }
        skip.iter().find(|header| opens(self.outermost(), header)).cloned().unwrap_or_default()
    }

    /// Returns the text at the beginning of a pattern.
    fn start(&self, pattern: &[OutlinePart<'_>]) -> String {
        let text = |part: &OutlinePart<'_>| match part {
            OutlinePart::Text(text) => Some((*text).to_owned()),
            OutlinePart::Word(spellings) => Some(spellings.first().cloned().unwrap_or_default()),
            _ => None,
        };
        pattern.iter().map_while(text).collect()
    }
}
