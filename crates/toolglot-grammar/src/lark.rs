//! Writes a grammar as Lark, for llguidance.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use crate::chars::Chars;
use crate::exclusion::{Excluded, Exclusion, Quoting};
use crate::node::{Node, RuleId, Rules, Times};

/// Writes the rules of a node, which becomes `start`; `tokens` are literals that the engine knows as tokens.
pub(crate) fn write(root: &Node, rules: &Rules, tokens: &[&str]) -> String {
    let mut writer = LarkWriter {
        rules,
        tokens,
        heads: heads(root),
        terminals: BTreeMap::new(),
        texts: BTreeMap::new(),
        lines: Vec::new(),
        open: Vec::new(),
        seen: BTreeSet::new(),
    };
    let mut out = format!("%llguidance {{}}\n\nstart: {}\n", writer.top(root));
    while let Some(rule) = writer.open.pop() {
        let Some(node) = rules.node(rule) else { continue };
        let text = writer.top(node);
        // Names of rules begin with small letters.
        let _ = writeln!(out, "r_{}: {text}", rules.name(rule));
    }
    out.push('\n');
    out.push_str(&writer.lines.concat());
    out
}

/// The rules, and the terminals that they need.
struct LarkWriter<'g> {
    rules: &'g Rules,
    tokens: &'g [&'g str],
    /// Literals that are prefixes of others: a lexer that has read too far does not backtrack.
    heads: Vec<String>,
    /// The name of each terminal.
    terminals: BTreeMap<String, String>,
    /// How each text is written.
    texts: BTreeMap<Arc<Exclusion>, String>,
    lines: Vec<String>,
    open: Vec<RuleId>,
    seen: BTreeSet<RuleId>,
}

impl LarkWriter<'_> {
    fn top(&mut self, node: &Node) -> String {
        match node {
            Node::Choice(nodes) => {
                let parts: Vec<String> = nodes.iter().map(|node| self.write(node)).collect();
                parts.join(" | ")
            }
            node => self.write(node),
        }
    }

    fn write(&mut self, node: &Node) -> String {
        match node {
            Node::Sequence(nodes) if nodes.is_empty() => "\"\"".to_owned(),
            Node::Sequence(nodes) => self.sequence(nodes),
            Node::Choice(_) => format!("({})", self.top(node)),
            Node::Repeat(inside, times) => {
                let text = self.top(inside);
                let simple = matches!(**inside, Node::Rule(_));
                let item = if simple { text } else { format!("({text})") };
                item + &counted(*times)
            }
            Node::Rule(rule) => {
                if self.seen.insert(*rule) {
                    self.open.push(*rule);
                }
                format!("r_{}", self.rules.name(*rule))
            }
            Node::Json(part) => self.write(&part.node),
            Node::Literal(text) => self.literal(text),
            Node::Class(..) | Node::Text(_) => self.sequence(std::slice::from_ref(node)),
        }
    }

    /// Writes a sequence of nodes; text and its end are one terminal, since a lexer does not backtrack.
    fn sequence(&mut self, nodes: &[Node]) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut run: Vec<&Node> = Vec::new();
        for node in nodes {
            if self.is_flat(node) {
                run.push(node);
                continue;
            }
            self.end_run(&mut run, &mut parts);
            parts.push(self.write(node));
        }
        self.end_run(&mut run, &mut parts);
        parts.join(" ")
    }

    fn end_run(&mut self, run: &mut Vec<&Node>, parts: &mut Vec<String>) {
        let nodes = std::mem::take(run);
        let Some(from) = nodes.iter().position(|node| !matches!(node, Node::Literal(_))) else {
            for node in nodes {
                parts.push(self.write(node));
            }
            return;
        };
        let (literals, texts) = nodes.split_at(from);
        for node in literals {
            parts.push(self.write(node));
        }
        if texts.is_empty() {
            return;
        }
        if let [Node::Text(exclusion), Node::Literal(end)] = texts
            && end == "\n"
        {
            parts.push(self.lines(exclusion));
            return;
        }
        let body: Vec<String> = texts.iter().map(|node| self.piece(node)).collect();
        let nullable = texts.iter().all(|node| may_be_empty(node));
        let name = self.terminal(&body.join(" "));
        // A terminal is never empty; what may be is optional.
        parts.push(if nullable { name + "?" } else { name });
    }

    /// Writes a part of a terminal.
    fn piece(&mut self, node: &Node) -> String {
        match node {
            Node::Literal(text) => quoted(text),
            Node::Class(set, times) => format!("/{}{}/", bracketed(set), counted(*times)),
            Node::Text(exclusion) => self.text(exclusion),
            Node::Sequence(nodes) if nodes.is_empty() => "\"\"".to_owned(),
            Node::Sequence(nodes) => nodes.iter().map(|node| self.piece(node)).collect::<Vec<_>>().join(" "),
            Node::Choice(nodes) => {
                let parts: Vec<String> = nodes.iter().map(|node| self.piece(node)).collect();
                format!("({})", parts.join(" | "))
            }
            Node::Repeat(inside, times) => format!("({}){}", self.piece(inside), counted(*times)),
            Node::Json(_) | Node::Rule(_) => String::new(),
        }
    }

    /// Returns whether a node can be part of a terminal, as a choice of numbers must: of `3` and `[1-9][0-9]`, the longer matches.
    fn is_flat(&self, node: &Node) -> bool {
        match node {
            Node::Literal(text) => !self.has_token(text),
            Node::Class(..) | Node::Text(_) => true,
            Node::Choice(nodes) => {
                nodes.iter().any(has_class) && nodes.iter().all(|node| !node.is_nothing() && self.is_regular(node))
            }
            _ => false,
        }
    }

    fn is_regular(&self, node: &Node) -> bool {
        match node {
            Node::Literal(text) => !self.has_token(text),
            Node::Class(..) => true,
            Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().all(|node| self.is_regular(node)),
            Node::Repeat(inside, _) => self.is_regular(inside),
            Node::Text(_) | Node::Rule(_) | Node::Json(_) => false,
        }
    }

    /// Writes text that ends with its last line break: a terminal for each line, since what follows begins where another
    /// line could.
    fn lines(&mut self, exclusion: &Arc<Exclusion>) -> String {
        let text = self.text(exclusion);
        self.terminal(&format!("{text} & /[^\\n]*\\n/")) + "+"
    }

    fn text(&mut self, exclusion: &Arc<Exclusion>) -> String {
        if let Some(known) = self.texts.get(exclusion) {
            return known.clone();
        }
        let text = self.fresh_text(exclusion);
        self.texts.insert(Arc::clone(exclusion), text.clone());
        text
    }

    fn fresh_text(&mut self, exclusion: &Exclusion) -> String {
        let plain = bracketed(&exclusion.quoting().plain());
        let escape = "\\\\u([0-9a-cA-Ce-fE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})";
        let all = match exclusion.quoting() {
            Quoting::Bare | Quoting::Attribute => format!("{plain}*"),
            Quoting::Json => format!("({plain}|\\\\[\"\\\\\\/bfnrt]|{escape})*"),
            Quoting::Python => format!("({plain}|\\\\[\"\\\\nrt]|{escape})*"),
        };
        let mut refused = Vec::new();
        let (lines, anywhere): (Vec<_>, Vec<_>) =
            exclusion.literals().iter().partition(|literal| literal.at_line_start);
        let list = |literals: &[&Excluded]| {
            literals.iter().map(|literal| regex_literal(literal)).collect::<Vec<_>>().join("|")
        };
        if !anywhere.is_empty() {
            refused.push(format!("/(?s:.*)({})(?s:.*)/", list(&anywhere)));
        }
        if !lines.is_empty() {
            refused.push(format!("/((?s:.*)[\\n\\r])?[ \\t]*({})(?s:.*)/", list(&lines)));
        }
        if refused.is_empty() {
            return format!("/{all}/");
        }
        let name = self.terminal(&refused.join(" | "));

        self.terminal(&format!("/{all}/ & ~{name}"))
    }

    /// Returns the name of the terminal with this content.
    fn terminal(&mut self, content: &str) -> String {
        let number = self.terminals.len();
        let name = self.terminals.entry(content.to_owned()).or_insert_with(|| format!("T{number}")).clone();
        if self.terminals.len() > number {
            self.lines.push(format!("{name}: {content}\n"));
        }
        name
    }

    fn has_token(&self, text: &str) -> bool {
        self.tokens.iter().any(|token| is_angled(token) && text.contains(token))
    }

    /// Writes a literal, with the tokens in it.
    fn literal(&self, text: &str) -> String {
        let found =
            self.tokens.iter().filter(|token| is_angled(token)).filter_map(|token| Some((text.find(token)?, *token)));
        let begins = |head: &&String| text.len() > head.len() && text.starts_with(head.as_str());
        match found.min_by_key(|(at, token)| (*at, std::cmp::Reverse(token.len()))) {
            None => match self.heads.iter().filter(begins).max_by_key(|head| head.len()) {
                Some(head) => format!("{} {}", quoted(head), self.literal(&text[head.len()..])),
                None => quoted(text),
            },
            Some((at, token)) => {
                let (before, after) = (&text[..at], &text[at + token.len()..]);
                let around = |text: &str| if text.is_empty() { None } else { Some(self.literal(text)) };
                [around(before), Some(token.to_owned()), around(after)]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" ")
            }
        }
    }
}

/// Returns the literals of a message that are optional, such as the header of a turn, and other literals with the same
/// beginning as those after them.
fn heads(root: &Node) -> Vec<String> {
    fn collect<'n>(node: &'n Node, all: &mut Vec<&'n str>, optional: &mut Vec<&'n str>) {
        match node {
            Node::Literal(text) => all.push(text),
            Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().for_each(|node| collect(node, all, optional)),
            Node::Repeat(inside, times) => {
                if let (Node::Literal(text), Times::OPTIONAL) = (&**inside, *times) {
                    optional.push(text);
                }
                collect(inside, all, optional);
            }
            Node::Class(..) | Node::Text(_) | Node::Rule(_) | Node::Json(_) => {}
        }
    }
    let (mut all, mut optional) = (Vec::new(), Vec::new());
    collect(root, &mut all, &mut optional);
    optional.retain(|text| !text.trim().is_empty());
    let rests = all.iter().flat_map(|text| optional.iter().filter_map(|head| text.strip_prefix(head)));
    let mut heads: BTreeSet<&str> = rests.filter(|rest| !rest.is_empty()).collect();
    heads.extend(&optional);
    heads.into_iter().map(str::to_owned).collect()
}

fn has_class(node: &Node) -> bool {
    match node {
        Node::Class(..) => true,
        Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().any(has_class),
        Node::Repeat(inside, _) => has_class(inside),
        _ => false,
    }
}

fn may_be_empty(node: &Node) -> bool {
    match node {
        Node::Literal(text) => text.is_empty(),
        Node::Class(_, times) => times.least == 0,
        Node::Text(_) => true,
        Node::Sequence(nodes) => nodes.iter().all(may_be_empty),
        Node::Choice(nodes) => nodes.iter().any(may_be_empty),
        Node::Repeat(inside, times) => times.least == 0 || may_be_empty(inside),
        Node::Rule(_) | Node::Json(_) => false,
    }
}

/// Returns whether a token can be written without quotes.
fn is_angled(token: &str) -> bool {
    token.starts_with('<') && token.ends_with('>') && !token.contains(char::is_whitespace)
}

fn counted(times: Times) -> String {
    match (times.least, times.most) {
        (1, Some(1)) => String::new(),
        (0, Some(1)) => "?".to_owned(),
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (least, None) => format!("{{{least},}}"),
        (least, Some(most)) if least == most => format!("{{{least}}}"),
        (least, Some(most)) => format!("{{{least},{most}}}"),
    }
}

fn bracketed(set: &Chars) -> String {
    if set.is_all() {
        return "(?s:.)".to_owned();
    }
    set.bracketed(|c, out| match c {
        '\\' | ']' | '[' | '^' | '-' | '/' | '&' | '~' => out.extend(['\\', c]),
        c => out.push_str(&regex_char(c)),
    })
}

fn regex_literal(literal: &Excluded) -> String {
    let chars = literal.text.chars();
    chars
        .map(|c| match c {
            c if literal.any_case && c.is_ascii_alphabetic() => {
                format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase())
            }
            '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' | '/' | '#' | '&'
            | '-' | '~' => {
                format!("\\{c}")
            }
            c => regex_char(c),
        })
        .collect()
}

fn regex_char(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c if c.is_alphanumeric() || c.is_ascii_punctuation() || c == ' ' => c.to_string(),
        c => format!("\\u{{{:x}}}", u32::from(c)),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' || c == '\u{7f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
