//! A repair conserves: every scalar that a model wrote stands in the arguments that go out, or the arguments are broken.
#![expect(clippy::unwrap_used, reason = "tests")]

use serde_json::{Value, json};
use toolglot::{ArgumentsReader, Code, Diagnostic, Dialects, Options, Tools, parse, repair};

/// Small and always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) as usize) % most
    }

    /// A value whose scalars are all words of their own, which it adds to `words`.
    fn value(&mut self, depth: usize, words: &mut Vec<String>) -> Value {
        match self.below(if depth == 0 { 2 } else { 4 }) {
            0 => {
                words.push(format!("w{:03}x", words.len()));
                json!(words.last())
            }
            1 => {
                words.push(format!("{}", 70_000 + words.len()));
                json!(70_000 + words.len() - 1)
            }
            2 => (0..self.below(3)).map(|_| self.value(depth - 1, words)).collect(),
            _ => self.object(depth - 1, words),
        }
    }

    fn object(&mut self, depth: usize, words: &mut Vec<String>) -> Value {
        let members = 1 + self.below(3);
        Value::Object((0..members).map(|key| (format!("k{key}"), self.value(depth, words))).collect())
    }

    /// Takes away, adds, doubles or swaps signs of JSON's grammar.
    fn damage(&mut self, text: &str) -> String {
        const SIGNS: &str = "{}[],:\"";
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(2) {
            let signs: Vec<usize> = (0..chars.len()).filter(|at| SIGNS.contains(chars[*at])).collect();
            let at = signs[self.below(signs.len())];
            match self.below(4) {
                0 => drop(chars.remove(at)),
                1 => chars.insert(at, SIGNS.chars().nth(self.below(SIGNS.len())).unwrap()),
                2 if at + 1 < chars.len() => chars.swap(at, at + 1),
                _ => chars.insert(at, chars[at]),
            }
        }
        chars.into_iter().collect()
    }
}

/// Holds what a reader makes of damaged arguments against what stood in them.
fn conserves(seed: u64, reads: impl Fn(&str) -> Option<(String, String)>) {
    let (mut read, mut dice, mut lost) = (0, Dice(seed), Vec::new());
    for _ in 0..20_000 {
        let mut words = Vec::new();
        let text = dice.object(3, &mut words).to_string();
        let text = dice.damage(&text);
        let Some((arguments, codes)) = reads(&text) else { continue };
        read += 1;
        if let Some(word) = words.iter().find(|word| text.contains(*word) && !arguments.contains(*word)) {
            lost.push(format!("{text}\n  -> {arguments}\n  without {word}: {codes}"));
        }
    }
    assert!(read > 4_000, "only {read} were read");
    assert!(lost.is_empty(), "{} of {read}\n{}", lost.len(), lost[..lost.len().min(40)].join("\n"));
}

fn codes(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|found| found.code.name()).collect::<Vec<_>>().join(", ")
}

#[test]
fn repaired_arguments_have_every_scalar() {
    let (dialects, options) = (Dialects::builtin(), Options::default());
    conserves(1, |text| {
        let repaired = repair(text, &dialects, &Tools::default(), &options);
        Some((repaired.arguments?, codes(&repaired.diagnostics)))
    });
}

#[test]
fn arguments_that_arrive_have_every_scalar() {
    let (dialects, options) = (Dialects::builtin(), Options::default());
    conserves(2, |text| {
        let mut reader = ArgumentsReader::new(&dialects, &Tools::default(), "write", &options);
        let mut arguments = String::new();
        reader.push(text, &mut arguments);
        let end = reader.finish(&mut arguments);
        // Text after the object is the arguments of a further call; the caller gets it.
        end.outcome.is_call().then(|| (arguments + &end.rest, codes(&end.diagnostics)))
    });
}

#[test]
fn the_arguments_of_a_call_have_every_scalar() {
    let dialects = Dialects::builtin().only(&["hermes"]).unwrap();
    conserves(3, |text| {
        let text = format!("<tool_call>\n{{\"name\": \"write\", \"arguments\": {text}}}\n</tool_call>");
        let message = parse(&text, &dialects, &Tools::default(), &Options::default());
        // What stands beside the arguments in the call's object belongs to its envelope.
        if message.diagnostics.iter().any(|found| found.code == Code::UnknownMember) {
            return None;
        }
        let out: String = message.calls.iter().map(|call| call.arguments.as_str()).collect();
        (!message.calls.is_empty()).then(|| (out + &message.content, codes(&message.diagnostics)))
    });
}

/// A call object that names another tool is no arguments, on any way.
#[test]
fn the_arguments_of_another_tool_are_not_those_of_this_one() {
    let tool = |name: &str| json!({"name": name, "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}});
    let tools = Tools::from_json(&json!([tool("read"), tool("rm")])).unwrap();
    let (dialects, options) = (Dialects::builtin(), Options::default());
    for text in [
        r#"{"name": "rm", "arguments": {"path": "/w"}}"#,
        r#"{"a <tool_call>{"name":"rm","arguments":{"path":"/w"}}</tool_call>"#,
        r#"<tool_call>{"name":"rm","arguments":{"path":"/w"}}</tool_call>"#,
    ] {
        assert_eq!(repair(text, &dialects, &tools.only_named("read"), &options).arguments, None, "{text}");
        for cut in 0..text.len() {
            let mut reader = ArgumentsReader::new(&dialects, &tools, "read", &options);
            let mut arguments = String::new();
            [&text[..cut], &text[cut..]].iter().for_each(|piece| reader.push(piece, &mut arguments));
            assert!(!reader.finish(&mut arguments).outcome.is_call(), "{text} cut at {cut}: {arguments}");
        }
    }
    // The tool's own call gives its arguments, read whole or in pieces.
    let own = r#"{"name": "read", "arguments": {"path": "a"}}"#;
    let mut reader = ArgumentsReader::new(&dialects, &tools, "read", &options);
    let mut arguments = String::new();
    own.split_inclusive('a').for_each(|piece| reader.push(piece, &mut arguments));
    assert!(reader.finish(&mut arguments).outcome.is_call());
    assert_eq!(arguments, r#"{"path": "a"}"#);
    assert_eq!(repair(own, &dialects, &tools.only_named("read"), &options).arguments.unwrap(), arguments);
}
