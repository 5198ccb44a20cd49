//! What a client of the proxy gets of a text is what `parse` makes of it, whole and streamed: all cases of the core, by name and
//! with all dialects, and texts as models write them. `TOOLGLOT_TEXTS` names a file of more: JSON lines of `text` and `tools`.
#![expect(clippy::unwrap_used, reason = "helpers of tests end the test that cannot go on")]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toolglot::{Dialects, EventKind, Events, FinishReason, Options, Outcome, Parser, Tools};
use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Policy, Protocol, TurnEnd};

#[path = "../../../toolglot/tests/support/case.rs"]
mod case;
#[path = "../../../toolglot/tests/support/setup.rs"]
#[expect(dead_code, reason = "other tests need the rest")]
mod setup;

use case::Case;
use setup::Setup;

/// What a client has in the end: text, reasoning, calls, and whether they are to be run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answer {
    content: String,
    reasoning: String,
    calls: Vec<(String, String)>,
    finish: String,
}

/// A text with what it is read with.
struct Question {
    name: String,
    text: String,
    setup: Setup,
    tools: Value,
}

impl Question {
    fn of(name: &str, path: &Path, shared: &str) -> Option<Self> {
        let case = Case::read(&fs::read_to_string(path).unwrap());
        let setup = case.setup(name, shared).unwrap();
        let text = String::from_utf8(case.input().unwrap()).ok()?;
        let tools: Value = toolglot_json::from_str(case.section("tools").unwrap_or(shared)).unwrap();
        let plain = case.section("input tokens").is_none() && case.section("options").is_none();
        // Without tools the proxy reads nothing unless it is told to.
        let plain = plain && tools != json!([]);
        plain.then_some(Self { name: name.to_owned(), text, setup, tools })
    }

    fn auto(name: &str, text: &str, tools: &Value) -> Self {
        let setup = Setup {
            dialects: Dialects::builtin(),
            tools: Tools::from_json(&tools.into()).unwrap(),
            options: Options::default(),
            also_auto: false,
        };
        Self { name: format!("{name} (auto)"), text: text.to_owned(), setup, tools: tools.clone() }
    }

    fn also_auto(self) -> Vec<Self> {
        let auto = Self::auto(&self.name, &self.text, &self.tools);
        vec![self, auto]
    }

    fn options(&self) -> Options {
        self.setup.options.clone().with_finish_reason(Some(FinishReason::Stop))
    }

    /// Returns what a client should have: of an answer that comes whole a broken call is text again, of a stream nothing can be
    /// taken back.
    fn wanted(&self, streamed: bool) -> Answer {
        let mut parser = Parser::new(&self.setup.dialects, &self.setup.tools, &self.options());
        let mut answer = Answer { finish: "stop".to_owned(), ..Answer::default() };
        let mut start = 0;
        let mut events = own(parser.push(&self.text));
        events.extend(own(parser.finish()));
        for (span, said) in events {
            match said {
                Said::Text(text) => answer.content += &text,
                Said::Reasoning(text) => answer.reasoning += &text,
                Said::Start(name) => {
                    start = span.start;
                    answer.calls.push((name, String::new()));
                }
                Said::Arguments(json) => answer.calls.last_mut().unwrap().1 += &json,
                Said::End(outcome) if outcome.is_call() => {}
                Said::End(_) if streamed => return Answer { finish: "error".to_owned(), ..answer },
                Said::End(outcome) => {
                    answer.calls.pop();
                    match outcome {
                        Outcome::Truncated => answer.finish = "length".to_owned(),
                        _ => answer.content += &self.text[start..span.end],
                    }
                }
            }
        }
        if !answer.calls.is_empty() {
            answer.finish = "tool_calls".to_owned();
        }
        answer
    }

    fn exchange(&self, stream: bool) -> Exchange {
        let request = json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": "go"}],
            "tools": self.tools});
        let policy = Policy::default().with_dialects(self.setup.dialects.clone()).with_options(self.options());
        Exchange::read(Protocol::Chat, Protocol::Chat, request.to_string().as_bytes(), &policy).unwrap()
    }

    fn whole(&self) -> Answer {
        let body = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0,
            "message": {"role": "assistant", "content": self.text}, "finish_reason": "stop"}]});
        let mut turn = self.exchange(false).turn(1, 1);
        let Ok(body) = turn.whole(body.to_string().as_bytes()) else {
            return Answer { finish: "error".to_owned(), ..Answer::default() };
        };
        let body: Value = toolglot_json::from_slice(&body).unwrap();
        let mut answer = Answer::default();
        answer.add(&body["choices"][0]["message"]);
        answer.finish = body["choices"][0]["finish_reason"].as_str().unwrap_or_default().to_owned();
        answer
    }

    fn streamed(&self, size: usize) -> Answer {
        let mut turn = self.exchange(true).turn(1, 1);
        let mut out = Vec::new();
        let chars: Vec<char> = self.text.chars().collect();
        for piece in chars.chunks(size) {
            push(&mut turn, &json!({"content": piece.iter().collect::<String>()}), None, &mut out);
        }
        push(&mut turn, &json!({}), Some("stop"), &mut out);
        turn.push(b"data: [DONE]\n\n", &mut out);
        turn.finish(TurnEnd::Over, &mut out);
        let mut answer = Answer::default();
        for line in String::from_utf8(out).unwrap().lines() {
            let Some(chunk) = line.strip_prefix("data: ").and_then(|data| toolglot_json::from_str(data).ok()) else {
                continue;
            };
            if !chunk["error"].is_null() {
                answer.finish = "error".to_owned();
            }
            answer.add(&chunk["choices"][0]["delta"]);
            if let Some(finish) = chunk["choices"][0]["finish_reason"].as_str() {
                finish.clone_into(&mut answer.finish);
            }
        }
        answer
    }
}

/// An event, as far as a client hears of it.
enum Said {
    Text(String),
    Reasoning(String),
    Start(String),
    Arguments(String),
    End(Outcome),
}

fn own(events: Events<'_>) -> Vec<(Range<usize>, Said)> {
    let all = events.filter_map(|event| {
        let said = match event.kind {
            EventKind::Text(text) => Said::Text(text.to_owned()),
            EventKind::Reasoning(text) => Said::Reasoning(text.to_owned()),
            EventKind::CallStart { name, .. } => Said::Start(name.to_owned()),
            EventKind::Arguments { json, .. } => Said::Arguments(json.to_owned()),
            EventKind::CallEnd { outcome, .. } => Said::End(outcome),
            _ => return None,
        };
        Some((event.span, said))
    });
    all.collect()
}

fn push(turn: &mut toolglot_wire::Turn, delta: &Value, finish: Option<&str>, out: &mut Vec<u8>) {
    let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    turn.push(format!("data: {chunk}\n\n").as_bytes(), out);
}

impl Answer {
    fn add(&mut self, message: &Value) {
        self.content += message["content"].as_str().unwrap_or_default();
        self.reasoning += message["reasoning_content"].as_str().unwrap_or_default();
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let index = call["index"].as_u64().map_or(self.calls.len(), |index| usize::try_from(index).unwrap());
            if index == self.calls.len() {
                self.calls.push(Default::default());
            }
            let known = &mut self.calls[index];
            known.0 += call["function"]["name"].as_str().unwrap_or_default();
            known.1 += call["function"]["arguments"].as_str().unwrap_or_default();
        }
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolglot/tests").join(name)
}

/// Returns what a folder holds, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Returns the cases of the core, by name and with all dialects.
fn cases() -> Vec<Question> {
    let cases = folder("cases");
    let shared = fs::read_to_string(cases.join("tools.json")).unwrap();
    let files = entries(&cases).into_iter().filter(|path| path.is_dir()).flat_map(|folder| entries(&folder));
    let named = files.filter_map(|file| {
        let name = file.strip_prefix(&cases).unwrap().with_extension("");
        Question::of(&name.to_string_lossy(), &file, &shared)
    });
    named.flat_map(Question::also_auto).collect()
}

/// Returns the inputs of the rows of `wild/`, read with all dialects.
fn wild() -> Vec<Question> {
    let wild = folder("wild");
    let tools = serde_json::from_str(&fs::read_to_string(wild.join("tools.json")).unwrap()).unwrap();
    let files = entries(&wild).into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "txt"));
    let text = files.map(|file| fs::read_to_string(file).unwrap()).collect::<String>();
    let rows = text.split("\n== ").filter_map(|row| {
        let (head, rest) = row.split_once("\n--\n")?;
        Some((head.lines().next()?, rest.split_once("\n-->")?.0))
    });
    rows.map(|(name, text)| Question::auto(name, text, &tools)).collect()
}

fn more() -> Vec<Question> {
    let Some(path) = std::env::var_os("TOOLGLOT_TEXTS") else { return Vec::new() };
    let lines = fs::read_to_string(path).unwrap();
    let rows = lines.lines().map(|line| toolglot_json::from_str(line).unwrap());
    let question = |row: Value| {
        let tools = Some(&row["tools"]).filter(|tools| tools.as_array().is_some_and(|tools| !tools.is_empty()))?;
        Some(Question::auto(row["id"].as_str().unwrap_or_default(), row["text"].as_str()?, tools))
    };
    rows.filter_map(question).collect()
}

#[test]
fn a_client_gets_what_parse_says() {
    let mut other = Vec::new();
    let (cases, wild) = (cases(), wild());
    assert!(cases.len() > 5000 && wild.len() > 250, "{} cases, {} texts", cases.len(), wild.len());
    for question in cases.iter().chain(&wild).chain(&more()) {
        let (whole, streamed) = (question.wanted(false), question.wanted(true));
        let ways = [
            ("whole", question.whole(), &whole),
            ("by 1", question.streamed(1), &streamed),
            ("by 7", question.streamed(7), &streamed),
        ];
        for (way, found, wanted) in ways {
            if found != *wanted {
                other.push(format!("{} {way}\n  parse {wanted:?}\n  proxy {found:?}", question.name));
            }
        }
    }
    assert!(other.is_empty(), "{} differ\n{}", other.len(), other.join("\n"));
}
