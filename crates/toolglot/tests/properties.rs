//! What holds for every input: chunking changes nothing, no byte is lost, arguments are JSON, time is linear.
//!
//! `PROPERTY_SEED=n` replays a failure, `PROPERTY_RUNS=n` runs longer.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use toolglot::{
    CallsInReasoning, Dialects, Evidence, FinishReason, Frame, Limits, Options, Parser, Renderer, Rendering, Repairs,
    Tools, UnknownTool, Untyped, Validation, mint, parse,
};

use case::Case;
use diff::diff;
use feed::{Cuts, feed};
use random::{Random, from_env};
use record::{Entry, Kind, Record};
use texts::Texts;

#[path = "support/case.rs"]
mod case;
#[path = "support/diff.rs"]
mod diff;
#[path = "support/feed.rs"]
mod feed;
#[path = "support/random.rs"]
mod random;
#[path = "support/record.rs"]
mod record;
#[path = "support/texts.rs"]
mod texts;

/// Pieces that begin something, to be repeated.
const REPEATED: &[&str] = &[
    "<tool_call>",
    "<function=f>",
    "<function=ls>",
    "{\"name\": \"ls\", \"arguments\": {\"a\": \"\n",
    "<ls>",
    "<ls path=\"",
    "<tool_cal",
    "<|tool_call_begin|>",
    "[",
    "{",
    "`",
    "a `b` ",
    "```\n",
    "<invoke name=\\a",
    "<｜GCML｜invoke name=\\a",
    "<think>",
    "</think>",
    "functools[",
    "<use_tool name=\"ls\">",
    "<invoke name=\"ls\">",
    "[TOOL_CALLS]",
    "<tool_call>ls\n",
    "Action: ls\n",
    "<tool_call>{\"name\": \"nope\", \"arguments\": {",
    "ls(path=",
    "<{",
    "{\"tool_calls\": [",
    "[{\"name\": \"",
    "<",
    "</",
    "\"",
    "\\",
];

/// Generous: what is quadratic takes minutes.
const LINEAR_BOUND: Duration = Duration::from_secs(15);

/// One way to run the parser.
#[derive(Clone)]
struct Setup {
    names: Vec<String>,
    tools: Tools,
    options: Options,
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { names, tools, options } = self;
        write!(f, "dialects {names:?}, {} tools, {options:?}", tools.names().count())
    }
}

#[test]
fn chunking_changes_nothing_and_no_byte_is_lost() {
    let texts = Texts::new(samples());
    let seed = from_env("PROPERTY_SEED", 1);
    let mut faults = Vec::new();
    for seed in seed..seed + from_env("PROPERTY_RUNS", 4000) {
        let mut random = Random::new(seed);
        let (message, dialect) = texts.message(&mut random);
        let setup = any_setup(&mut random, dialect);
        if check(&setup, &message, seed).is_err() {
            let smallest = shrink(&message, |message| check(&setup, message, seed).is_err());
            let fault = check(&setup, &smallest, seed).err().unwrap_or_default();
            let shown = String::from_utf8_lossy(&smallest);
            faults.push(format!("PROPERTY_SEED={seed} PROPERTY_RUNS=1\n{setup:?}\n{shown:?}\n{fault}"));
        }
        if faults.len() as u64 == from_env("PROPERTY_FAULTS", 5) {
            break;
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_prefix_of_every_case_is_read() {
    let mut random = Random::new(from_env("PROPERTY_SEED", 1));
    for (folder, sample) in samples() {
        let setup = any_setup(&mut random, &folder);
        let dialects = dialects(&setup);
        let mut parser = Parser::new(&dialects, &setup.tools, &setup.options);
        for end in 0..sample.len() {
            let prefix = &sample[..end];
            let whole = feed(&mut parser, prefix, &Cuts::Whole);
            let cut = feed(&mut parser, prefix, &Cuts::Random(random.next()));
            let shown = String::from_utf8_lossy(prefix);
            assert_eq!(whole.faults(prefix), Ok(()), "{setup:?}\n{shown}");
            assert_eq!(whole, cut, "{setup:?}\n{shown}\n{}", diff(&whole.lines(prefix), &cut.lines(prefix)));
        }
    }
}

#[test]
fn a_call_that_is_done_stays_done() {
    let texts = Texts::new(samples());
    let seed = from_env("PROPERTY_SEED", 1);
    for run in 0..from_env("PROPERTY_RUNS", 4000) / 8 {
        let mut random = Random::new(seed.wrapping_add(run));
        let (message, dialect) = texts.message(&mut random);
        let setup = any_setup(&mut random, dialect);
        let mut parser = Parser::new(&dialects(&setup), &setup.tools, &setup.options);
        let whole = feed(&mut parser, &message, &Cuts::Whole);
        // What a stream has said before its end is the beginning of what the whole says.
        let mut said = Record::default();
        let end = random.below(message.len() + 1);
        parser.push_bytes(&message[..end]).for_each(|event| said.add(&event));
        parser.finish();
        let last = said.entries.len().saturating_sub(1);
        for (at, (a, b)) in said.entries.iter().zip(&whole.entries).enumerate() {
            assert!(a == b || at == last && begins(a, b), "PROPERTY_SEED={}\n{setup:?}\n{a:?}\n{b:?}", seed + run);
        }
    }
}

#[test]
fn ids_differ_in_a_message_and_repeat_with_the_seed() {
    let call = r#"<tool_call>{"name": "ls", "arguments": {"path": "src"}}</tool_call>"#;
    let other = r#"<tool_call>{"id": "same", "name": "ls", "arguments": {"path": "src"}}</tool_call>"#;
    let text = [call, call, other, other, call].join("\n");
    let read = |seed| parse(&text, &Dialects::builtin(), &Tools::default(), &Options::default().with_id_seed(seed));
    let ids = |seed| read(seed).calls.into_iter().map(|call| call.id).collect::<Vec<_>>();
    let mut unique = ids(7);
    assert_eq!((unique.len(), ids(7)), (5, unique.clone()));
    assert_ne!(ids(8)[0], unique[0]);
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 5);
    let mut minted: Vec<String> = (0..1000).map(|index| mint(1, index)).collect();
    minted.sort();
    minted.dedup();
    assert_eq!(minted.len(), 1000);
}

#[test]
fn time_is_linear() {
    let inputs = adversaries(from_env("LINEAR", 20_000) as usize);
    let setups = [any_tools(false), any_tools(true)];
    let mut slow = Vec::new();
    for (name, input) in &inputs {
        for tools in &setups {
            for (way, cuts) in [("whole", Cuts::Whole), ("in pieces", Cuts::Random(3))] {
                let mut parser = Parser::new(&Dialects::builtin(), tools, &Options::default());
                let taken = cost(|| drop(feed(&mut parser, input.as_bytes(), &cuts)));
                if taken > LINEAR_BOUND {
                    slow.push(format!(
                        "{name} {way}, tools {}: {taken:.1?} for {} bytes",
                        tools.names().count(),
                        input.len()
                    ));
                }
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

/// In each dialect: a value that is open, and in it the opener of a parameter or call without its end, again and again.
#[test]
fn time_is_linear_for_halves_of_openers() {
    let tools = any_tools(true);
    let (length, mut slow) = (from_env("LINEAR", 20_000) as usize * 8, Vec::new());
    for dialect in &Dialects::builtin() {
        let call = Rendering::new().with_call("note", r#"{"x": "VALUE", "y": "z"}"#);
        let text = Renderer::new(dialect, &tools).with_check(false).render(&call).unwrap_or_default();
        let Some(at) = text.find("VALUE") else { continue };
        let opener = &text[text[..at].rfind(['<', '{', '(', '\n']).unwrap_or(0)..at];
        let half: String = opener.trim_end_matches(['>', ']', ':', '\n']).replace(['"', '\''], "");
        for half in [half, text[..at].trim_end_matches(['>', '"']).to_owned()] {
            let input = format!("{}{}", &text[..at], half.repeat(length / half.len().max(1)));
            let dialects: Dialects = [dialect.clone()].into_iter().collect();
            let mut parser = Parser::new(&dialects, &tools, &Options::default());
            let taken = cost(|| drop(feed(&mut parser, input.as_bytes(), &Cuts::Whole)));
            println!("{taken:>9.1?} {} {half:?}", dialect.name());
            if taken > LINEAR_BOUND / 2 {
                slow.push(format!("{}: {half:?} {taken:.1?}", dialect.name()));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

/// Returns the time that some work takes; where the system tells, other work on the machine does not count.
fn cost(work: impl FnOnce()) -> Duration {
    let had = || {
        let said = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        said.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    };
    let (before, started) = (had(), Instant::now());
    work();
    before.and_then(|before| had()?.checked_sub(before)).unwrap_or_else(|| started.elapsed())
}

/// Returns inputs on which a parser that looks again and again at the same bytes takes minutes.
fn adversaries(n: usize) -> Vec<(String, String)> {
    let params: String = (0..5000).map(|at| format!("<parameter=p{at}>\n{at}\n</parameter>\n")).collect();

    let mut inputs: Vec<(String, String)> =
        REPEATED.iter().map(|piece| ((*piece).to_owned(), piece.repeat(n))).collect();
    let value = |open: &str, piece: &str| format!("{open}{}", piece.repeat(n));
    let (tag, json) = ("<function=note>\n<parameter=a>\n", "<tool_call>{\"name\": \"note\", \"arguments\": {\"a\": \"");
    for piece in [
        "</x>",
        "</x",
        "<x>",
        "<x></x>",
        "</function>",
        "</tool_call>",
        "</parameter>",
        "<parameter=b>",
        "<tool_call>",
        "\\",
        "\"",
        "\", ",
        "'",
        "\n",
        " ",
    ] {
        inputs.push((format!("tag value {piece:?}"), value(tag, piece)));
        inputs.push((format!("JSON string {piece:?}"), value(json, piece)));
        inputs.push((format!("reasoning {piece:?}"), value("<think>", piece)));
        inputs.push((format!("content {piece:?}"), value("<write_file path=\"a\">", piece)));
    }
    // Openers that are never closed, each of which could be the head of a parameter.
    for (open, piece) in [
        ("<minimax:tool_call><invoke name=\"note\"><parameter name=\"a\">", "<parameter name=x"),
        ("<minimax:tool_call><invoke name=\"note\">", "<parameter name=x"),
        ("<function_calls><invoke name=\"note\"><parameter name=\"a\">", "<parameter name=\"x"),
        ("<dots_function_call><invoke name=\"note\"><parameter name=\"a\">", "<parameter name=x "),
        (
            "<｜DSML｜tool_calls><｜DSML｜invoke name=\"note\"><｜DSML｜parameter name=\"a\">",
            "<｜DSML｜parameter name=x",
        ),
        ("<function name=\"note\"><param name=\"a\">", "<param name=x"),
        ("<tool_call><function=search>\n<parameter=query>\n", "<parameter=tags>\nx\n</parameter>\n<"),
        ("<tool_call><function=search>\n<parameter=query>\n", "<parameter=tags>x</parameter>y"),
        ("<tool_call>note<arg_key>a</arg_key><arg_value>", "<arg_key>x<arg_value>"),
        ("<note><a>", "<b><c>x</c>"),
    ] {
        inputs.push((format!("{open} {piece:?}"), value(open, piece)));
    }
    inputs.push(("nested arrays".to_owned(), format!("<function=note>{{\"a\": {}", "[".repeat(100_000))));
    inputs.push(("nested objects".to_owned(), format!("<function=note>{}", "{\"a\": ".repeat(100_000))));
    inputs.push(("nested kwargs".to_owned(), format!("<|tool_call_start|>[note(a={}", "[".repeat(100_000))));
    inputs.push(("5000 parameters".to_owned(), format!("<function=note>\n{params}</function>")));
    inputs.push(("openers in one line with a back quote".to_owned(), value("a `` ", "` <tool_call>")));
    inputs.push(("attributes in reasoning".to_owned(), value("<think>", "<invoke name=\\a")));
    inputs.push(("calls in reasoning".to_owned(), value("<think>", "<function=ls>{}</function>")));
    inputs
}

/// Reads a message in several ways; all must agree, and what they say must account for every byte.
fn check(setup: &Setup, message: &[u8], seed: u64) -> Result<(), String> {
    let run = || {
        let mut parser = Parser::new(&dialects(setup), &setup.tools, &setup.options);
        let whole = feed(&mut parser, message, &Cuts::Whole);
        whole.faults(message).map_err(|fault| format!("{fault}\n{}", whole.lines(message)))?;
        let mut random = Random::new(seed);
        let mut ways = vec![Cuts::Whole, Cuts::Characters, Cuts::Bytes];
        ways.extend((0..3).map(|_| Cuts::Random(random.next())));
        ways.extend((0..2).map(|_| Cuts::Joined(random.next())));
        ways.extend((0..4).map(|_| Cuts::At(random.below(message.len() + 1))));
        for cuts in ways {
            let found = feed(&mut parser, message, &cuts);
            if found != whole {
                return Err(format!(
                    "{cuts:?} (- whole, + cut):\n{}",
                    diff(&whole.lines(message), &found.lines(message))
                ));
            }
        }
        Ok(())
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("it panicked".to_owned()))
}

/// Says whether `said` may be the part of `whole` that a stream has said so far.
fn begins(said: &Entry, whole: &Entry) -> bool {
    said.span.start == whole.span.start
        && match (&said.kind, &whole.kind) {
            (Kind::Text(a), Kind::Text(b)) | (Kind::Reasoning(a), Kind::Reasoning(b)) => b.starts_with(a.as_str()),
            (Kind::Arguments { json: a, .. }, Kind::Arguments { json: b, .. }) => b.starts_with(a.as_str()),
            _ => false,
        }
}

/// Removes what can go from an input that fails.
fn shrink(input: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut smallest = input.to_vec();
    let mut length = smallest.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < smallest.len() {
            let mut less = smallest.clone();
            less.drain(at..(at + length).min(smallest.len()));
            if fails(&less) {
                smallest = less;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    smallest
}

fn dialects(setup: &Setup) -> Dialects {
    let all = Dialects::builtin();
    if setup.names.is_empty() { all } else { all.only(&setup.names).expect("the names are those of built-in dialects") }
}

/// Returns any setup; the one dialect of a pinned one is more often than not the given one.
fn any_setup(random: &mut Random, dialect: &str) -> Setup {
    let all: Vec<String> = Dialects::builtin().iter().map(|dialect| dialect.name().to_owned()).collect();
    let count = [0, 0, 1, 3][random.below(4)];
    let mut options = Options::default()
        .with_validation(
            [Validation::Coerce, Validation::Coerce, Validation::Lenient, Validation::Strict][random.below(4)],
        )
        .with_evidence([Evidence::Balanced, Evidence::Balanced, Evidence::Strict, Evidence::Eager][random.below(4)])
        .with_calls_in_reasoning(
            [CallsInReasoning::Wait, CallsInReasoning::End, CallsInReasoning::Quote][random.below(3)],
        )
        .with_unknown_tool([UnknownTool::Call, UnknownTool::Text][random.below(2)])
        .with_untyped([Untyped::Infer, Untyped::String][random.below(2)])
        .with_frame([Frame::Template, Frame::Exact][random.below(2)])
        .with_repairs([Repairs::safe(), Repairs::safe(), Repairs::all(), Repairs::NONE][random.below(4)])
        .with_reasoning_open(random.one_in(6))
        .with_finish_reason(random.one_in(3).then_some(FinishReason::Length));
    if random.one_in(4) {
        let mut any = || [1, 8, 20, 64, 300][random.below(5)];
        let limits =
            Limits::default().with_held(any()).with_arguments(any()).with_depth(any() / 8 + 1).with_calls(any() / 8);
        options = options.with_limits(limits);
    }
    let known = all.iter().any(|name| name == dialect);
    let count = if known && random.one_in(2) { 0 } else { count };
    let mut names: Vec<String> = (0..count).map(|_| all[random.below(all.len())].clone()).collect();
    if known && random.one_in(2) {
        names.insert(0, dialect.to_owned());
    }
    Setup { names, tools: any_tools(!random.one_in(5)), options }
}

fn any_tools(declared: bool) -> Tools {
    if !declared {
        return Tools::default();
    }
    Tools::from_json_str(&fs::read_to_string(folder().join("tools.json")).expect("the tools are there"))
        .expect("they are tools")
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases"))
}

/// Returns the inputs of the case files, each with its folder.
fn samples() -> Vec<(String, Vec<u8>)> {
    let mut samples = Vec::new();
    for entry in fs::read_dir(folder()).expect("the folder of cases is readable") {
        let path = entry.expect("the entry is readable").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for file in fs::read_dir(&path).into_iter().flatten() {
            let text = fs::read_to_string(file.expect("the entry is readable").path()).expect("the case is readable");
            samples.push((name.clone(), Case::read(&text).input().expect("the case has an input")));
        }
    }
    samples.sort();
    samples
}
