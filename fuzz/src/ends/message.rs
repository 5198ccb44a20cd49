//! Messages that call tools: what is meant, and what is read.

use toolglot::{Collector, FinishReason, Message, Options, Parser, Tools, Validation};
use toolglot_json::{Map, Value};

use super::Run;
use super::home::Home;
use super::tools::{DECLARED, TOOLS, Tool};
use crate::random::Random;

/// What the model means to say.
#[derive(Debug, Default)]
pub(super) struct Meant {
    /// Which of the declared lists of tools.
    pub(super) tools: usize,
    pub(super) content: &'static str,
    pub(super) calls: Vec<Calling>,
}

/// A call with its arguments in order.
#[derive(Clone, Debug)]
pub(super) struct Calling {
    pub(super) name: &'static str,
    pub(super) members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: &'static str,
    pub(super) value: Value,
    /// Its strings are written as the escaping says; those of others as they should be.
    pub(super) code: bool,
    /// All of them stand under keys that the tool declares.
    pub(super) named: bool,
}

impl Member {
    /// Returns all strings of the value that are code.
    pub(super) fn code(&self) -> Vec<&str> {
        let mut all = Vec::new();
        if self.code {
            strings(&self.value, &mut all);
        }
        all
    }
}

/// Collects the strings of a value.
fn strings<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => all.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, all)),
        Value::Object(members) => members.values().for_each(|value| strings(value, all)),
        _ => {}
    }
}

impl Calling {
    /// Returns the arguments as an object.
    pub(super) fn arguments(&self) -> Value {
        let members: Map = self.members.iter().map(|it| (it.key.to_owned(), it.value.clone())).collect();
        members.into()
    }

    /// Returns a call of a tool; `text` makes the values that are code.
    pub(super) fn new(tool: &Tool, random: &mut Random, text: &mut dyn FnMut(&mut Random) -> String) -> Self {
        let mut members = Vec::new();
        for parameter in tool.parameters {
            if !parameter.required && random.one_in(2) {
                continue;
            }
            let code = parameter.kind.is_code();
            let value = parameter.value(random, text);
            members.push(Member { key: parameter.key, value, code, named: parameter.kind.names_texts() });
        }
        if random.below(10) < 4 && members.len() > 1 {
            let (a, b) = (random.below(members.len()), random.below(members.len()));
            members.swap(a, b);
        }
        Self { name: tool.name, members }
    }
}

/// Returns one of the tools that take code, or any.
pub(super) fn tool(random: &mut Random, code: bool) -> &'static Tool {
    &TOOLS[random.below(TOOLS.len() - usize::from(code))]
}

/// How the calls of a list can be compared.
pub(super) type Calls = Vec<(String, Value)>;

/// Returns the calls that were meant.
pub(super) fn meant(calls: &[Calling]) -> Calls {
    calls.iter().map(|call| (call.name.to_owned(), call.arguments())).collect()
}

/// Returns finished calls.
pub(super) fn found(message: &Message) -> Calls {
    let arguments = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| text.into());
    message.calls.iter().map(|call| (call.name.clone(), arguments(&call.arguments))).collect()
}

/// Reads a text.
pub(super) fn read(home: &Home, run: &Run, tools: usize, text: &[u8], why: Option<FinishReason>) -> Message {
    read_in(home, run, &DECLARED[tools], text, why, false, &mut |rest| rest)
}

/// Reads a whole answer with tools of its own.
pub(super) fn read_with(home: &Home, run: &Run, tools: &Tools, text: &[u8]) -> Message {
    read_in(home, run, tools, text, None, false, &mut |rest| rest)
}

/// Reads a text in pieces; `careful` without the fast path.
fn read_in(
    home: &Home,
    run: &Run,
    tools: &Tools,
    text: &[u8],
    why: Option<FinishReason>,
    careful: bool,
    piece: &mut dyn FnMut(usize) -> usize,
) -> Message {
    let validation = if run.strict { Validation::Strict } else { Validation::Coerce };
    let options = Options::default().with_validation(validation).with_finish_reason(why);
    let options = run.without.iter().fold(options, |options, veto| options.without_veto(*veto));
    let options = if careful { options.without_fast_path() } else { options };
    let all;
    let dialects = if run.auto {
        all = toolglot::Dialects::builtin();
        &all
    } else {
        &home.alone
    };
    let (mut parser, mut collector) = (Parser::new(dialects, tools, &options), Collector::new(&options));
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(piece(rest.len()).clamp(1, rest.len()));
        parser.push_bytes(now).for_each(|event| collector.add(&event));
        rest = later;
    }
    parser.finish().for_each(|event| collector.add(&event));
    collector.finish(text)
}

/// Says whether a text in random pieces, half of the time without the fast path, gives the same message.
pub(super) fn is_same_in_pieces(
    home: &Home,
    run: &Run,
    tools: usize,
    text: &[u8],
    why: Option<FinishReason>,
    whole: &Message,
    random: &mut Random,
) -> bool {
    let longest = [1, 3, 9, 60][random.below(4)];
    let careful = random.one_in(2);
    let pieces = read_in(home, run, &DECLARED[tools], text, why, careful, &mut |_| 1 + random.below(longest));
    let notes = |message: &Message| {
        let mut notes: Vec<_> = message.diagnostics.iter().map(|it| (it.span.start, it.span.end, it.code)).collect();
        notes.sort();
        notes
    };
    let same = pieces.calls == whole.calls && pieces.content == whole.content && pieces.reasoning == whole.reasoning;
    same && pieces.incomplete == whole.incomplete && notes(&pieces) == notes(whole)
}

/// Calls, on one line of a report.
pub(super) fn shown(calls: &Calls) -> String {
    let call = |(name, arguments): &(String, Value)| format!("{name} {arguments}");
    calls.iter().map(call).collect::<Vec<_>>().join(" | ")
}
