//! Writes a grammar as GBNF, for llama.cpp; xgrammar's EBNF has the same syntax in the parts used here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::chars::Chars;
use crate::exclusion::{Exclusion, Quoting};
use crate::node::{Node, RuleId, Rules, Times};
use crate::style::escapes;

/// The maximal repetition in one rule: llama.cpp rejects more than 2,000 times the size of the repeated part.
const MOST_REPEATED: usize = 500;

/// Writes the rules of a node, which becomes `root`.
pub(crate) fn write(root: &Node, rules: &Rules) -> String {
    let mut writer =
        GbnfWriter { rules, texts: BTreeMap::new(), open: Vec::new(), seen: BTreeSet::new(), extra: Vec::new() };
    let mut out = format!("root ::= {}\n", writer.top(root));
    loop {
        if let Some(rule) = writer.open.pop() {
            let Some(node) = rules.node(rule) else { continue };
            let text = writer.top(node);
            out.push_str(&format!("{} ::= {text}\n", name(rules, rule)));
        } else if let Some(line) = writer.extra.pop() {
            out.push_str(&line);
        } else {
            return out;
        }
    }
}

fn name(rules: &Rules, rule: RuleId) -> String {
    rules.name(rule).replace('_', "-")
}

/// The rules, and their parts.
struct GbnfWriter<'g> {
    rules: &'g Rules,
    /// The index of each text.
    texts: BTreeMap<Arc<Exclusion>, usize>,
    /// Rules that have a name and still have to be written.
    open: Vec<RuleId>,
    seen: BTreeSet<RuleId>,
    /// Rules that no other writer needs.
    extra: Vec<String>,
}

impl GbnfWriter<'_> {
    /// Writes a node that is alone in a rule.
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
            Node::Literal(text) => quoted(text),
            Node::Class(set, times) => self.repeated(bracketed(set), *times),
            Node::Text(exclusion) => self.text(exclusion),
            Node::Sequence(nodes) if nodes.is_empty() => "\"\"".to_owned(),
            Node::Sequence(nodes) => {
                let parts: Vec<String> = nodes.iter().map(|node| self.write(node)).collect();
                parts.join(" ")
            }
            Node::Choice(_) => format!("({})", self.top(node)),
            Node::Repeat(inside, times) => {
                let text = self.top(inside);
                let simple = matches!(**inside, Node::Rule(_) | Node::Literal(_));
                self.repeated(if simple { text } else { format!("({text})") }, *times)
            }
            Node::Rule(rule) => {
                if self.seen.insert(*rule) {
                    self.open.push(*rule);
                }
                name(self.rules, *rule)
            }
            Node::Json(part) => self.write(&part.node),
        }
    }

    /// Writes a repetition; a long one becomes a rule of shorter ones.
    fn repeated(&mut self, item: String, times: Times) -> String {
        let count = |least: usize, most: Option<usize>| match (least, most) {
            (1, Some(1)) => String::new(),
            (0, Some(1)) => "?".to_owned(),
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (least, None) => format!("{{{least},}}"),
            (least, Some(most)) if least == most => format!("{{{least}}}"),
            (least, Some(most)) => format!("{{{least},{most}}}"),
        };
        if times.most == Some(0) {
            return "\"\"".to_owned();
        }
        if times.least.max(times.most.unwrap_or(0)) <= MOST_REPEATED {
            return item + &count(times.least, times.most);
        }
        let number = self.extra.len();
        let unit = format!("many-{}-{number}", self.texts.len() + self.seen.len());
        self.extra.push(format!("{unit} ::= {item}{{{MOST_REPEATED}}}\n"));
        let up_to = format!("{unit}-or-less");
        self.extra.push(format!("{up_to} ::= {item}{{0,{MOST_REPEATED}}}\n"));
        let (full, rest) = (times.least / MOST_REPEATED, times.least % MOST_REPEATED);
        let mut parts = vec![unit; full];
        parts.extend((rest > 0).then(|| format!("{item}{}", count(rest, Some(rest)))));
        match times.most {
            None => parts.push(format!("{item}*")),
            Some(most) => {
                let more = most - times.least;
                parts.extend(vec![up_to; more / MOST_REPEATED]);
                let last = more % MOST_REPEATED;
                parts.extend((last > 0).then(|| format!("{item}{}", count(0, Some(last)))));
            }
        }
        parts.join(" ")
    }

    /// Writes the automaton of a text, with one rule for each state.
    fn text(&mut self, exclusion: &Arc<Exclusion>) -> String {
        let state = |text: usize, state: usize| match state {
            0 => format!("text-{text}"),
            state => format!("text-{text}-{state}"),
        };
        if let Some(number) = self.texts.get(exclusion) {
            return state(*number, 0);
        }
        let number = self.texts.len();
        self.texts.insert(Arc::clone(exclusion), number);
        let escape = match exclusion.quoting() {
            Quoting::Bare | Quoting::Attribute => None,
            Quoting::Json => Some("\"\\/bfnrt"),
            Quoting::Python => Some("\"\\nrt"),
        };
        let hex = Chars::ranges([('0', '9'), ('a', 'f'), ('A', 'F')]);
        let escape = escape.map(|letters| self.write(&escapes(letters, hex)));
        let mut lines = Vec::new();
        for (at, from) in exclusion.states().into_iter().enumerate() {
            let edges = from.edges.iter().map(|(set, to)| format!("{} {}", bracketed(set), state(number, *to)));
            let mut all: Vec<String> = edges.collect();
            all.extend(escape.iter().map(|escape| format!("{escape} {}", state(number, 0))));
            all.push("\"\"".to_owned());
            lines.push(format!("{} ::= {}\n", state(number, at), all.join(" | ")));
        }
        lines.reverse();
        self.extra.extend(lines);
        state(number, 0)
    }
}

fn bracketed(set: &Chars) -> String {
    if set.is_all() {
        return "[^\\u0000]".to_owned();
    }
    set.bracketed(|c, out| match c {
        '\\' => out.push_str("\\\\"),
        ']' => out.push_str("\\]"),
        '[' => out.push_str("\\["),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '^' | '-' => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        c if c.is_whitespace() || c.is_control() || !c.is_ascii() && !c.is_alphanumeric() => {
            let code = u32::from(c);
            out.push_str(&if code > 0xffff { format!("\\U{code:08X}") } else { format!("\\u{code:04X}") });
        }
        c => out.push(c),
    })
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
            c if c < ' ' || c == '\u{7f}' => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
