//! Texts that hold no call, however much they look like one: each comes out as it went in.
#![expect(clippy::unwrap_used, reason = "a test fails where its files cannot be read")]

use std::fs;
use std::path::{Path, PathBuf};

use toolglot::{Dialects, Event, EventKind, Evidence, Options, Parser, Tools, UnknownTool, Validation, parse};

const TOOLS: &str = include_str!("negative/tools.json");
const EXAMPLES: &str = include_str!("confusion/examples.txt");

/// Splits tried one by one at the start of a text; beyond them a few at random.
const SPLITS: usize = 400;
const RANDOM_SPLITS: usize = 50;

macro_rules! kinds {
    ($($kind:ident),+ $(,)?) => {
        const KINDS: &[&str] = &[$(stringify!($kind)),+];
        $(#[test] fn $kind() { check_kind(stringify!($kind)); })+
    };
}

kinds! {
    answers, changelogs, chats, code_bare, code_fenced, diffs, docs, emails, fences, json, languages, logs, manuals,
    markup, math, names, near, prose, reviews, spans, tables, templates, tutorials, unfinished, weak,
}

#[test]
fn every_folder_is_tested() {
    let mut found: Vec<String> = fs::read_dir(folder()).unwrap().map(|entry| name(&entry.unwrap().path())).collect();
    found.retain(|name| name != "tools.json");
    found.sort();
    assert_eq!(found, KINDS);
}

#[test]
fn there_are_enough_texts() {
    let count: usize = KINDS.iter().map(|kind| texts(kind).len()).sum();
    assert!(count >= 650, "{count} texts");
}

/// The calls of every dialect, quoted in the ways that Markdown knows.
#[test]
fn quoted_calls_of_every_dialect() {
    let mut quoted = Vec::new();
    for call in EXAMPLES.split("\n--- ").skip(1) {
        let call = call.split("\n=== ").next().unwrap().split_once('\n').unwrap().1.trim_end();
        for (open, close) in [("````text\n", "\n````\nand so on"), ("  ~~~~\n", "\n~~~~\n"), ("````\n", "")] {
            quoted.push(format!("A call is written like this:\n\n{open}{call}{close}"));
        }
        let fenced = format!("````\n{call}\n````").replace('\n', "\n> ");
        quoted.push(format!("Somebody wrote:\n\n> {fenced}\n\nand it leaked."));
        if !call.contains(['`', '\n']) {
            quoted.push(format!("A call is written `{call}` by that model, or ``{call}`` if you like."));
            quoted.push(format!("`{call}`"));
        }
    }
    check(quoted.iter().map(|text| (text.clone(), text.clone().into_bytes())));
}

/// A call of an undeclared tool that does not read to its end is no call, in whatever dialect.
#[test]
fn undeclared_calls_cut_short() {
    let tools = Tools::from_json_str(TOOLS).unwrap();
    let mut failures = Vec::new();
    for example in EXAMPLES.split("\n--- one\n").skip(1) {
        let text = example.split("\n=== ").next().unwrap().replace("update", "deploy_rocket");
        let within = text.rfind('b').unwrap();
        for cut in (1..=within).filter(|cut| text.is_char_boundary(*cut)) {
            let message = parse(&text[..cut], &Dialects::builtin(), &tools, &Options::default());
            if !message.calls.is_empty() || !message.incomplete.is_empty() {
                failures.push(format!("{:?}: {:?} {:?}", &text[..cut], message.calls, message.incomplete));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Asking for more evidence finds no more calls.
#[test]
fn stricter_options() {
    let tools = Tools::from_json_str(TOOLS).unwrap();
    let choices = [
        Options::default().with_evidence(Evidence::Strict),
        Options::default().with_validation(Validation::Strict),
        Options::default().with_unknown_tool(UnknownTool::Text),
    ];
    let mut failures = Vec::new();
    for options in choices {
        let parser = Parser::new(&Dialects::builtin(), &tools, &options);
        for path in KINDS.iter().flat_map(|kind| texts(kind)) {
            let text = fs::read(&path).unwrap();
            failures.extend(read(&mut parser.clone(), &text, [&text[..]]).err().map(|why| format!("{path:?}: {why}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check_kind(kind: &str) {
    check(texts(kind).iter().map(|path| (format!("{kind}/{}", name(path)), fs::read(path).unwrap())));
}

/// Checks texts, each with the name by which to tell it.
fn check(texts: impl ExactSizeIterator<Item = (String, Vec<u8>)>) {
    let tools = Tools::from_json_str(TOOLS).unwrap();
    let parser = Parser::new(&Dialects::builtin(), &tools, &Options::default());
    let count = texts.len();
    let failures: Vec<String> = texts
        .filter_map(|(name, text)| check_text(parser.clone(), &text).err().map(|why| format!("{name}, {why}")))
        .collect();
    assert!(failures.is_empty(), "{} of {count} texts:\n{}", failures.len(), failures.join("\n"));
}

/// Reads a text whole, byte by byte and in two pieces; the parser is as new each time.
fn check_text(mut parser: Parser, text: &[u8]) -> Result<(), String> {
    let context = |how: &str, why: String| format!("{how}: {why}");
    read(&mut parser, text, [text]).map_err(|why| context("whole", why))?;
    read(&mut parser, text, text.chunks(1)).map_err(|why| context("byte by byte", why))?;
    for at in splits(text) {
        let (left, right) = text.split_at(at);
        read(&mut parser, text, [left, right]).map_err(|why| context(&format!("split at {at}"), why))?;
    }
    Ok(())
}

/// Every split at the start, then some from a generator that always makes the same ones.
fn splits(text: &[u8]) -> impl Iterator<Item = usize> {
    let (near, rest) = (text.len().min(SPLITS), text.len().saturating_sub(SPLITS));
    let mut state = 0x9E37_79B9_7F4A_7C15_u64 ^ text.len() as u64;
    let random = (0..if rest > 0 { RANDOM_SPLITS } else { 0 }).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        SPLITS + (state >> 33) as usize % rest
    });
    (1..near).chain(random)
}

fn read<'t>(parser: &mut Parser, text: &[u8], pieces: impl IntoIterator<Item = &'t [u8]>) -> Result<(), String> {
    let mut cursor = 0;
    for piece in pieces {
        parser.push_bytes(piece).try_for_each(|event| expect_text(&event, text, &mut cursor))?;
    }
    parser.finish().try_for_each(|event| expect_text(&event, text, &mut cursor))?;
    if cursor == text.len() { Ok(()) } else { Err(format!("the text ends at {cursor}: {}", around(text, cursor))) }
}

/// Fails at the first event that is not the next piece of the text.
fn expect_text(event: &Event<'_>, text: &[u8], cursor: &mut usize) -> Result<(), String> {
    match event.kind {
        EventKind::Diagnostic(_) => Ok(()),
        EventKind::Text(part) if event.span.start == *cursor && text[event.span.clone()] == *part.as_bytes() => {
            *cursor = event.span.end;
            Ok(())
        }
        _ => Err(format!("at {cursor} {:?} instead of {}", event.kind, around(text, *cursor))),
    }
}

fn around(text: &[u8], at: usize) -> String {
    let (start, end) = (at.saturating_sub(30).min(text.len()), text.len().min(at + 50));
    format!("{:?}", String::from_utf8_lossy(&text[start..end]))
}

fn texts(kind: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder().join(kind)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/negative")
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
