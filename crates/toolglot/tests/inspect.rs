//! What became of every byte, for the inputs of all case files: nothing lost, nothing early, and words where they stand.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolglot::{ByteKind, Code, Dialect, Dialects, Inspection, MissReason, Options, Remedy, Stretch, Tools, inspect};

use case::Case;

#[path = "support/case.rs"]
mod case;
#[path = "support/setup.rs"]
#[expect(dead_code, reason = "cases need more of it")]
mod setup;

/// Calls `look` with each case's input and what became of it.
fn each(look: impl Fn(&str, &[u8], &Inspection)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let shared = fs::read_to_string(folder.join("tools.json")).expect("the tools are readable");
    let mut paths = Vec::new();
    walk(&folder, &mut paths);
    for path in paths {
        let name = path.strip_prefix(&folder).expect("it lies below").with_extension("");
        let name = name.to_string_lossy();
        let case = Case::read(&fs::read_to_string(&path).expect("the case is readable"));
        let setup = case.setup(&name, &shared).expect("a setup");
        let input = case.input().expect("an input");
        let story = inspect(&input, &setup.dialects, &setup.tools, &setup.options);
        look(&name, &input, &story);
    }
}

fn walk(at: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(at).expect("the folder is readable") {
        let path = entry.expect("the entry is readable").path();
        if path.is_dir() {
            walk(&path, paths);
        } else if path.extension().is_some_and(|ending| ending == "txt") {
            paths.push(path);
        }
    }
}

#[test]
fn every_byte_became_one_thing() {
    each(|name, input, story| {
        let mut at = 0;
        for stretch in &story.spans {
            assert_eq!(stretch.span.start, at, "{name}");
            assert!(stretch.span.end > at, "{name}: {stretch:?}");
            at = stretch.span.end;
        }
        assert_eq!(at, input.len(), "{name}");
    });
}

#[test]
fn what_went_out_is_the_message_and_never_early() {
    each(|name, input, story| {
        let joined = |event: &str, call: Option<usize>| -> String {
            let of = story.arrivals.iter().filter(|arrival| arrival.event == event && arrival.call == call);
            of.map(|arrival| arrival.text.as_str()).collect()
        };
        let message = &story.message;
        assert_eq!(
            (joined("text", None), joined("reasoning", None)),
            (message.content.clone(), message.reasoning.clone())
        );
        let started = story.arrivals.iter().filter(|arrival| arrival.event == "call_start");
        let mut calls: Vec<(String, String)> =
            started.map(|arrival| (arrival.text.clone(), joined("arguments", arrival.call))).collect();
        calls.sort();
        // A call that was cut off and is accepted is closed in the message alone.
        let closed = |call: &toolglot::Call| match message.diagnosed(Code::Truncated).next() {
            Some(_) => calls.iter().find(|said| said.0 == call.name && call.arguments.starts_with(&said.1)),
            None => None,
        };
        let said = |call: &toolglot::Call| closed(call).map_or_else(|| call.arguments.clone(), |said| said.1.clone());
        let finished = message.calls.iter().map(|call| (call.name.clone(), said(call)));
        let incomplete = message.incomplete.iter().map(|call| (call.name.clone(), call.arguments.clone()));
        let mut expected: Vec<_> = finished.chain(incomplete).collect();
        expected.sort();
        assert_eq!(calls, expected, "{name}");
        assert!(story.held.iter().all(|(arrived, out)| out <= arrived && *arrived <= input.len()), "{name}");
        assert!(story.held.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1), "{name}");
        assert_eq!(story.held.last().map(|last| last.1), Some(input.len()), "{name}");
        assert!(story.arrivals.windows(2).all(|two| two[0].at <= two[1].at), "{name}");
    });
}

#[test]
fn text_and_reasoning_are_where_they_say() {
    each(|name, input, story| {
        if std::str::from_utf8(input).is_err() {
            return;
        }
        for (kind, whole) in [(ByteKind::Text, &story.message.content), (ByteKind::Reasoning, &story.message.reasoning)]
        {
            let bytes = story.spans.iter().filter(|stretch| stretch.kind == kind);
            let found: Vec<u8> = bytes.flat_map(|stretch| input[stretch.span.clone()].iter().copied()).collect();
            let repaired = story.spans.iter().any(|s| s.kind == ByteKind::Repaired && s.call.is_none());
            assert!(repaired || found == whole.as_bytes(), "{name}: {}", String::from_utf8_lossy(&found));
        }
    });
}

/// Where nothing was repaired, the name, the keys and the values stand where they are said to, in order; but for words
/// that the call does not spell, such as a Python literal or the name of an only parameter.
#[test]
fn words_of_clean_calls_are_where_they_say() {
    let (calls, wrong) = (Cell::new(0), RefCell::new(Vec::new()));
    each(|name, input, story| {
        let clean = story.message.diagnostics.is_empty() && story.message.incomplete.is_empty();
        for (index, call) in story.message.calls.iter().enumerate().filter(|_| clean) {
            calls.set(calls.get() + 1);
            let mine = || story.spans.iter().filter(move |stretch| stretch.call == Some(index));
            let text = |stretch: &Stretch| String::from_utf8_lossy(&input[stretch.span.clone()]).into_owned();
            let of = |kinds: &[ByteKind]| mine().filter(|s| kinds.contains(&s.kind)).map(text).collect::<Vec<_>>();
            if of(&[ByteKind::Name]) != [call.name.clone()] {
                wrong.borrow_mut().push(format!("{name}: name {:?}, not {:?}", of(&[ByteKind::Name]), call.name));
            }
            let words = [ByteKind::Key, ByteKind::Value];
            let found = of(&words);
            let other: String = mine().filter(|stretch| !words.contains(&stretch.kind)).map(text).collect();
            let members = members(&call.arguments);
            let spelt = |word: &&String| {
                [(*word).clone(), unescaped(word)].iter().any(|word| found.contains(word) || other.contains(word))
            };
            let expected: Vec<&String> = members.iter().filter(|word| !word.is_empty()).filter(spelt).collect();
            let mut left = found.iter();
            let in_order = expected.iter().all(|word| left.any(|found| found == *word || *found == unescaped(word)));
            if !in_order {
                wrong.borrow_mut().push(format!("{name}: {found:?}, not {expected:?}"));
            }
        }
    });
    let (calls, wrong) = (calls.get(), wrong.into_inner());
    assert!(calls > 1000 && wrong.is_empty(), "{} of {calls}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The keys and values in JSON text, in order, as they are spelt.
fn members(json: &str) -> Vec<String> {
    let (mut words, mut word, mut string, mut escaped) = (Vec::new(), String::new(), false, false);
    for letter in json.chars() {
        let ends = if string { letter == '"' && !escaped } else { " \n\t\r{}[],:\"".contains(letter) };
        if ends {
            words.push(std::mem::take(&mut word));
            string = !string && letter == '"';
        } else {
            word.push(letter);
        }
        escaped = string && letter == '\\' && !escaped;
    }
    words
}

fn unescaped(word: &str) -> String {
    serde_json::from_str::<Value>(&format!("\"{word}\""))
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Each reason comes with the change under which the call is read.
#[test]
fn a_missed_call_has_its_reason_and_its_remedy() {
    let (all, none) = (Dialects::builtin(), Tools::default());
    let hermes = all.only(&["hermes"]).expect("it is built in");
    let ls = Tools::from_json_str(r#"[{"name": "ls", "parameters": {"type": "object", "properties": {}}}]"#);
    let ls = ls.expect("a tool");
    let told = |text: &str, dialects: &Dialects, tools: &Tools| {
        let why = inspect(text.as_bytes(), dialects, tools, &Options::default()).why;
        let [why] = &why[..] else { return (None, None) };
        (why.reason, why.fix.clone().map(|Remedy { kind, value, .. }| format!("{kind} {value}")))
    };
    let other = "[TOOL_CALLS]ls[ARGS]{}";
    assert_eq!(told("[ls()]", &all, &none), (Some(MissReason::NoTools), Some("tools ls".to_owned())));
    assert_eq!(told(other, &hermes, &none).0, Some(MissReason::OtherDialect));
    assert!(told(other, &hermes, &none).1.is_some_and(|fix| fix.starts_with("dialect mistral")));
    let cut = "<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"a";
    assert_eq!(told(cut, &all, &ls), (Some(MissReason::CutOff), Some("accept_incomplete true".to_owned())));
    assert_eq!(
        told("`<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>`", &all, &ls),
        (Some(MissReason::InCode), None)
    );
    let fenced = "So:\n\n```json\n{\"name\": \"ls\", \"arguments\": {}}\n```\n";
    assert_eq!(told(fenced, &all, &ls), (Some(MissReason::InCode), Some("evidence eager".to_owned())));
    assert_eq!(told(fenced, &all, &none), (Some(MissReason::InCode), Some("tools ls".to_owned())));
    let invented = told("<my-call>{\"name\": \"ls\", \"arguments\": {}}</my-call>", &all, &ls);
    assert_eq!(invented.0, Some(MissReason::UnknownMarker));
    assert!(invented.1.is_some_and(|fix| fix.contains("call    = \"<my-call>{call}</my-call>\"")));
    let mine = Dialect::from_toml("mine", "call = '<<call:{name} {arguments}>>'").expect("a dialect");
    let weak = told("Sure: <<call:ls {}>> now", &Dialects::from(mine), &ls);
    assert_eq!(weak.0, Some(MissReason::WeakMarker));
    assert!(weak.1.is_some_and(|fix| fix.starts_with("file strong  = [\"<<call:\"]\ncall = ")));
    let broken = "<tool_call>{\"name\": \"ls\", \"arguments\": {\"a\" ~ 1}}</tool_call>";
    assert_eq!(told(broken, &all, &ls), (Some(MissReason::Broken), None));
    let odd = told("Tool ls\nwith {\"a\": 1} !", &all, &ls);
    assert!(odd.0.is_none() && odd.1.is_some_and(|fix| fix.contains("{name}\\nwith {arguments} !")));
    assert_eq!(told("Good morning.", &all, &ls), (None, None));
    assert_eq!(told("<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>", &all, &ls), (None, None));
}
