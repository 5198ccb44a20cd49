//! Whatever readers say, what comes out is what writers rely on.

use std::collections::HashSet;
use std::sync::Arc;

use toolglot::Tools;
use toolglot_json::json;

use super::*;
use crate::chat::request::ChatAsked;
use crate::fault::FaultKind;
use crate::policy::Duplicates;
use crate::response_event::{CallKind, Usage};

fn wants() -> AnswerSettings {
    let tools = json!([
        {"name": "look", "parameters": {"properties": {"at": {"type": "string"}, "n": {"type": "integer"}}}},
        {"name": "run", "parameters": {"properties": {"input": {"type": "string"}}}},
    ]);
    let asked = ChatAsked {
        tools: Tools::from_json(&(&tools).into()).unwrap(),
        custom: HashSet::from(["run".to_owned()]),
        parallel: true,
        alternatives: 1,
        ..ChatAsked::default()
    };
    AnswerSettings { asked: Arc::new(asked), parse: true, streamed: true, ..AnswerSettings::default() }
}

fn wants_calls(calls: bool, parallel: bool) -> AnswerSettings {
    let asked = ChatAsked { none: !calls, parallel, ..ChatAsked::clone(&wants().asked) };
    AnswerSettings { asked: Arc::new(asked), ..wants() }
}

fn part(part: Part) -> ResponseEvent {
    ResponseEvent::Part { choice: 0, part }
}

fn text(text: &str) -> ResponseEvent {
    part(Part::Text(text.to_owned()))
}

fn start(call: usize, id: &str, name: &str) -> ResponseEvent {
    let id = Some(id.to_owned()).filter(|id| !id.is_empty());
    part(Part::CallStart { call, id, name: name.to_owned(), kind: CallKind::Function })
}

fn arguments(call: usize, text: &str) -> ResponseEvent {
    part(Part::Arguments { call, text: text.to_owned() })
}

fn end(call: usize) -> ResponseEvent {
    part(Part::CallEnd { call })
}

fn finish(finish: Finish) -> ResponseEvent {
    part(Part::Finish(finish))
}

fn cleaned(wants: AnswerSettings, said: Vec<ResponseEvent>) -> Vec<ResponseEvent> {
    let mut normalizer = Normalizer::new(wants, 7);
    said.into_iter().for_each(|said| normalizer.push_event(said));
    let out = std::mem::take(normalizer.events());
    is_clean(&out).unwrap_or_else(|error| panic!("{error}\n{out:#?}"));
    out
}

/// One line for a sequence: each part as a word, pieces joined.
fn line(said: &[ResponseEvent]) -> String {
    let mut line = String::new();
    let mut last = "";
    for said in said {
        let (kind, word) = match said {
            ResponseEvent::Begin(_) | ResponseEvent::Usage(_) | ResponseEvent::Extra(_) | ResponseEvent::Lost => {
                continue;
            }
            ResponseEvent::Fault(fault) => ("fault", fault.code.clone().unwrap_or_else(|| fault.message.clone())),
            ResponseEvent::End => ("end", String::new()),
            ResponseEvent::Part { part, .. } => match part {
                Part::Text(text) => ("text", text.clone()),
                Part::Refusal(text) => ("refusal", text.clone()),
                Part::Reasoning(text) => ("reasoning", text.clone()),
                Part::Seal(text) => ("seal", text.clone()),
                Part::Logprobs(tokens) => ("logprobs", toolglot_json::json!(tokens).to_string()),
                Part::CallStart { name, kind, .. } => {
                    ("call", format!("{name}{}", if *kind == CallKind::Custom { "!" } else { "" }))
                }
                Part::Arguments { text, .. } => ("arguments", text.clone()),
                Part::CallEnd { .. } => ("done", String::new()),
                Part::CallCut { .. } => ("cut", String::new()),
                Part::Own(_) => ("own", String::new()),
                Part::Finish(finish) => ("finish", format!("{finish:?}")),
            },
        };
        if kind != last || !matches!(kind, "text" | "reasoning" | "arguments") {
            line.push_str(&format!(" {kind}:"));
        }
        line.push_str(&word);
        last = kind;
    }
    line.trim_start().to_owned()
}

/// Checks what every writer relies on.
fn is_clean(said: &[ResponseEvent]) -> Result<(), String> {
    if !matches!(said.first(), Some(ResponseEvent::Begin(_))) {
        return Err("no beginning".into());
    }
    let ends = |said: &ResponseEvent| matches!(said, ResponseEvent::End | ResponseEvent::Fault(_));
    if said.iter().filter(|said| ends(said)).count() != usize::from(said.last().is_some_and(ends)) {
        return Err("something after the end".into());
    }
    let (mut open, mut next, mut finished, mut ids) = (None, 0, false, HashSet::new());
    let mut json = String::new();
    for said in said {
        let ResponseEvent::Part { choice: 0, part } = said else { continue };
        if finished {
            return Err("something after the finish".into());
        }
        match part {
            Part::CallStart { call, id, name, kind } => {
                let fresh = id.as_ref().is_some_and(|id| ids::is_plain(id) && ids.insert(id.clone()));
                if open.is_some() || *call != next || !fresh || name.is_empty() {
                    return Err(format!("a bad head: {part:?}"));
                }
                json.clear();
                (open, next) = (Some(*kind), next + 1);
            }
            Part::Arguments { call, text } => {
                if open.is_none() || call + 1 != next {
                    return Err(format!("arguments of no call: {part:?}"));
                }
                json.push_str(text);
            }
            Part::CallEnd { call } => {
                let kind = open.take().ok_or("the end of no call")?;
                let object = serde_json::from_str::<toolglot_json::Map>(&json).is_ok();
                if call + 1 != next || (kind == CallKind::Function && !object) {
                    return Err(format!("a bad end: {part:?} {json}"));
                }
            }
            Part::CallCut { call } => {
                open.take().ok_or("the cut of no call")?;
                if call + 1 != next || serde_json::from_str::<toolglot_json::Map>(&json).is_ok() {
                    return Err(format!("a bad cut: {part:?} {json}"));
                }
            }
            part if open.is_some() => return Err(format!("inside a call: {part:?}")),
            Part::Finish(_) => finished = true,
            _ => {}
        }
    }
    if matches!(said.last(), Some(ResponseEvent::End)) && !finished {
        return Err("no finish".into());
    }
    Ok(())
}

#[track_caller]
fn check(said: Vec<ResponseEvent>, expected: &str) {
    assert_eq!(line(&cleaned(wants(), said)), expected);
}

#[test]
fn an_answer_without_anything_is_an_answer() {
    check(vec![ResponseEvent::End], "finish:Stop end:");
    check(vec![ResponseEvent::End, text("late"), ResponseEvent::End], "finish:Stop end:");
}

#[test]
fn calls_follow_each_other() {
    let both = vec![
        start(4, "a", "look"),
        start(2, "b", "look"),
        arguments(2, "{\"n\": \"1\"}"),
        arguments(4, "{\"at\""),
        end(2),
        text("inside"),
        arguments(4, ": \"x\"}"),
        end(4),
        ResponseEvent::End,
    ];
    let expected = "call:look arguments:{\"at\": \"x\"} done: call:look arguments:{\"n\": 1} done: text:inside finish:ToolCalls end:";
    check(both, expected);
}

#[test]
fn a_number_used_again_is_another_call() {
    let twice = vec![start(0, "a", "look"), start(0, "a", "look"), arguments(0, "{\"n\":2}"), ResponseEvent::End];
    check(twice, "call:look arguments:{} done: call:look arguments:{\"n\":2} done: finish:ToolCalls end:");
}

#[test]
fn the_first_call_is_said_as_it_comes() {
    let mut normalizer = Normalizer::new(wants(), 7);
    for said in [start(0, "a", "look"), arguments(0, "{\"at\": \"one "), arguments(0, "two ")] {
        normalizer.push_event(said);
    }
    let out = std::mem::take(normalizer.events());
    assert!(line(&out).starts_with("call:look arguments:{\"at\": \"one "), "{out:?}");
}

#[test]
fn free_text_is_taken_out_of_its_object() {
    let run = |arguments_text: &str| vec![start(0, "a", "run"), arguments(0, arguments_text), ResponseEvent::End];
    check(run("{\"input\": \"ls \\\"x\\\"\"}"), "call:run! arguments:ls \"x\" done: finish:ToolCalls end:");
    check(run("{\"input\": \"ls"), "finish:Length end:");
    for (text, expected) in [
        ("*** Begin {\"a\": 1}\nfoo", "*** Begin {\"a\": 1}\nfoo"),
        ("\"x y\"", "x y"),
        ("{ return 1; }", "{ return 1; }"),
        ("{}{\"input\": \"ls\"}", "ls"),
    ] {
        check(run(text), &format!("call:run! arguments:{expected} done: finish:ToolCalls end:"));
    }
}

#[test]
fn a_call_that_is_none_is_a_fault_once_it_was_said() {
    let cut = |more: &[ResponseEvent]| [&[start(0, "a", "look"), arguments(0, "{\"at\": \"x"), end(0)], more].concat();
    let fault = "call:look arguments:{\"at\": \"x fault:tool_call_cut_off";
    check(cut(&[ResponseEvent::End]), fault);
    check(cut(&[finish(Finish::ToolCalls)]), fault);
    check(cut(&[text("and"), finish(Finish::Length)]), fault);
    check(cut(&[start(1, "b", "look"), finish(Finish::Length)]), fault);
}

#[test]
fn a_call_that_a_limit_cut_off_is_left_open() {
    let cut = |said: Vec<ResponseEvent>, expected: &str| {
        for reason in [Finish::Length, Finish::ContentFilter] {
            let all = [said.clone(), vec![finish(reason.clone()), ResponseEvent::End]].concat();
            check(all, format!("{expected} finish:{reason:?} end:").trim_start());
        }
    };
    let (at, open) = (|| arguments(0, "{\"at\": \"x"), "call:look arguments:{\"at\": \"x cut:");
    cut(vec![start(0, "a", "look"), at()], open);
    cut(vec![start(0, "a", "look"), at(), end(0)], open);
    cut(vec![start(0, "a", "look"), at(), end(0), text(" \n")], open);
    // Nothing says that an empty object was all: servers put one there before they have the arguments.
    for early in ["", "{", "{}"] {
        cut(vec![start(0, "a", "look"), arguments(0, early)], "call:look cut:");
        cut(vec![start(0, "a", "look"), arguments(0, early), end(0)], "call:look cut:");
    }
    // What is no JSON is read only when it is all there.
    cut(vec![start(0, "a", "look"), arguments(0, "<parameter=at>x</parameter>")], "call:look cut:");
    cut(vec![start(0, "a", "run"), arguments(0, "*** Begin")], "");
    let custom = Part::CallStart { call: 0, id: None, name: "free".into(), kind: CallKind::Custom };
    cut(vec![part(custom.clone()), arguments(0, "rm -rf /ho")], "call:free! arguments:rm -rf /ho cut:");
    cut(vec![part(custom), arguments(0, "ls"), end(0)], "call:free! arguments:ls done:");
    let whole = "call:look arguments:{\"n\":1} done:";
    cut(vec![start(0, "a", "look"), arguments(0, "{\"n\":1}")], whole);
    cut(
        vec![start(0, "a", "look"), arguments(0, "{\"n\":1}"), start(1, "b", "look")],
        &format!("{whole} call:look cut:"),
    );
}

#[test]
fn a_call_that_nobody_can_read_does_not_vanish() {
    let whole = |said: Vec<ResponseEvent>| line(&cleaned(AnswerSettings { streamed: false, ..wants() }, said));
    let native = || vec![text("Hi"), start(0, "a", "look"), arguments(0, "Paris please"), end(0), ResponseEvent::End];
    assert_eq!(whole(native()), "text:Hi fault:tool_call_broken");
    check(native(), "text:Hi call:look fault:tool_call_broken");
    let written = "<tool_call>{\"name\": \"look\", \"arguments\": {\"at\": : ]}}</tool_call>";
    assert_eq!(
        whole(vec![text(&format!("Hi {written}")), ResponseEvent::End]),
        format!("text:Hi {written} finish:Stop end:")
    );
    let cut = whole(vec![start(0, "a", "look"), arguments(0, "{\"at\": \"x"), end(0), ResponseEvent::End]);
    assert_eq!(cut, "finish:Length end:");
}

#[test]
fn a_whole_answer_keeps_its_counts_whatever_of_it_is_wanted() {
    let usage = ResponseEvent::Usage(Usage { input: 7, ..Usage::default() });
    let two = || [start(0, "a", "look"), arguments(0, "{}"), start(1, "b", "look"), arguments(1, "{}")];
    let said = [two().to_vec(), vec![part(Part::Finish(Finish::ToolCalls)), usage, ResponseEvent::End]].concat();
    let out = cleaned(AnswerSettings { streamed: false, ..wants_calls(true, false) }, said);
    assert_eq!(line(&out), "call:look arguments:{} done: finish:ToolCalls end:");
    assert!(out.iter().any(|said| matches!(said, ResponseEvent::Usage(usage) if usage.input == 7)), "{out:?}");
}

#[test]
fn more_calls_than_can_be_wanted_are_dropped() {
    let many = "{}".repeat(2000);
    let out = cleaned(
        wants(),
        vec![start(0, "a", "look"), arguments(0, "{\"n\":1}"), arguments(0, &many), ResponseEvent::End],
    );
    let starts =
        out.iter().filter(|said| matches!(said, ResponseEvent::Part { part: Part::CallStart { .. }, .. })).count();
    assert_eq!(starts, 256);
}

#[test]
fn what_comes_while_a_call_is_open_is_held_up_to_a_limit() {
    let limits = crate::WireLimits::default().with_held(10).with_arguments(20);
    let open = || vec![start(0, "a", "look"), arguments(0, "{\"at\": ")];
    let code = |said: Vec<ResponseEvent>| {
        let said = cleaned(AnswerSettings { limits, ..wants() }, [open(), said].concat());
        match said.last() {
            Some(ResponseEvent::Fault(fault)) => fault.code.clone().map(|code| (code, fault.message.clone())),
            _ => None,
        }
    };
    let (word, message) = code(vec![text("hello"), text("hello again")]).unwrap();
    assert_eq!(word, "upstream_held_too_large");
    assert!(message.contains("10 bytes of text") && message.contains("`limits.held`"), "{message}");
    let other = arguments(1, "{\"at\": \"some place far away\"");
    let (_, message) = code(vec![start(1, "b", "look"), other]).unwrap();
    assert!(message.contains("`limits.arguments`"), "{message}");
    assert_eq!(
        code(vec![text("hello"), arguments(0, "\"x\"}"), end(0), text("hello, hello"), ResponseEvent::End]),
        None
    );
}

#[test]
fn blanks_without_end_take_no_time() {
    let mut said = vec![start(0, "a", "look"), arguments(0, "{")];
    said.extend((0..100_000).map(|_| arguments(0, "\n")));
    said.extend([arguments(0, "\"n\":1}"), ResponseEvent::End]);
    let began = std::time::Instant::now();
    let out = cleaned(wants(), said);
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    assert!(line(&out).ends_with("\"n\":1} done: finish:ToolCalls end:"));
}

#[test]
fn usage_comes_last_and_the_latest_counts() {
    let usage = |input| ResponseEvent::Usage(Usage { input, ..Usage::default() });
    let out = cleaned(wants(), vec![usage(1), text("a"), usage(2), ResponseEvent::End]);
    let [.., ResponseEvent::Usage(found), ResponseEvent::End] = &out[..] else { panic!("{out:?}") };
    assert_eq!(found.input, 2);
}

#[test]
fn a_fault_lets_out_what_was_held() {
    let fault = ResponseEvent::Fault(Fault::new(FaultKind::Upstream, "lost"));
    check(vec![text("a <tool_"), fault.clone()], "text:a <tool_ fault:lost");
    check(
        vec![text("<tool_call>{\"name\": \"look\", \"arguments\": {\"at\": \"x"), fault],
        "call:look arguments:{\"at\": \"x fault:lost",
    );
}

#[test]
fn what_only_one_protocol_knows_keeps_its_place() {
    let own = || part(Part::Own(json!({"a": 1})));
    let around = vec![text("a <tool_"), own(), text("b"), ResponseEvent::End];
    let blocks = cleaned(AnswerSettings { own_blocks: true, ..wants() }, around.clone());
    assert_eq!(line(&blocks), "text:a <tool_ own: text:b finish:Stop end:");
    check(around, "text:a  own: text:<tool_b finish:Stop end:");
    let inside = vec![start(0, "a", "look"), own(), arguments(0, "{}"), end(0), ResponseEvent::End];
    check(inside, "call:look arguments:{} done: own: finish:ToolCalls end:");
}

#[test]
fn anything_comes_out_clean() {
    let mut state = 1_u64;
    let mut roll = |sides: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % sides
    };
    let texts = [
        "",
        "a",
        "<tool_call>",
        "{\"name\": \"look\", \"arguments\": {}}",
        "</tool_call>",
        "<think>",
        "</think>",
        "\n",
    ];
    let pieces = ["{", "\"at\": \"x\"", "}", "{}", "", ", \"n\": 3", "{\"n\": 1}"];
    for _ in 0..3000 {
        let said = (0..roll(24)).map(|_| match roll(12) {
            0..3 => text(texts[roll(texts.len())]),
            3..5 => start(roll(3), ["a", "b", "", "x:0"][roll(4)], ["look", "run", "other"][roll(3)]),
            5..9 => arguments(roll(3), pieces[roll(pieces.len())]),
            9 => end(roll(3)),
            10 => {
                part([Part::Reasoning("r".into()), Part::Own(json!({})), Part::Refusal("no".into())][roll(3)].clone())
            }
            _ => part(Part::Finish([Finish::Stop, Finish::Length, Finish::ToolCalls][roll(3)].clone())),
        });
        let mut said: Vec<ResponseEvent> = said.collect();
        said.push(ResponseEvent::End);
        let (streamed, parallel, calls) = (roll(2) == 0, roll(4) != 0, roll(6) != 0);
        let out = cleaned(AnswerSettings { streamed, ..wants_calls(calls, parallel) }, said.clone());
        let last = out.last();
        let broken = |fault: &Fault| fault.code.as_deref() == Some("tool_call_broken");
        let fair = match last {
            Some(ResponseEvent::End) => true,
            Some(ResponseEvent::Fault(fault)) => streamed || broken(fault),
            _ => false,
        };
        assert!(fair, "{said:?}");
    }
}

/// Pieces of one native call's arguments.
fn pieces(pieces: &[&str]) -> Vec<ResponseEvent> {
    let mut said = vec![start(0, "a", "look")];
    said.extend(pieces.iter().map(|piece| arguments(0, piece)));
    said.extend([end(0), finish(Finish::ToolCalls)]);
    said
}

#[test]
fn arguments_that_are_sent_again_are_one_call() {
    let once = line(&cleaned(wants(), pieces(&["{\"at\": ", "\"x\"}"])));
    let again: [&[&str]; 6] = [
        // The whole behind the pieces, at once and in pieces.
        &["{\"at\": ", "\"x\"}", "{\"at\": \"x\"}"],
        &["{\"at\": ", "\"x\"}", "{\"at\"", ": \"x\"}"],
        &["{\"at\": \"x\"}{\"at\": \"x\"}"],
        // Each piece with all before it.
        &["{", "{\"at", "{\"at\": \"x", "{\"at\": \"x\"}"],
        &["{\"at\": \"x", "{\"at\": \"x", "{\"at\": \"x\"}", "{\"at\": \"x\"}"],
        &["{\"at\": \"x\"}", "{\"at\": \"x\"}", "{\"at\": \"x\"}"],
    ];
    for row in again {
        assert_eq!(line(&cleaned(wants(), pieces(row))), once, "{row:?}");
    }
}

#[test]
fn arguments_of_another_call_are_not_taken_for_the_same() {
    let row = ["{\"at\": \"x\"}{\"at\": \"y\"}"];
    let said = line(&cleaned(wants(), pieces(&row)));
    assert_eq!(said.matches("call:look").count(), 2, "{said}");
}

#[test]
fn duplicates_are_kept_if_they_are_wanted() {
    let keep = AnswerSettings { duplicates: Duplicates::Keep, ..wants() };
    let said = line(&cleaned(keep, pieces(&["{\"at\": \"x\"}{\"at\": \"x\"}"])));
    assert_eq!(said.matches("call:look").count(), 2, "{said}");
}

/// A string may hold what was sent before.
#[test]
fn a_value_that_repeats_the_arguments_is_data() {
    let said = line(&cleaned(wants(), pieces(&["{\"at\": \"", "{\\\"at\\\": \\\"", "x\"}"])));
    assert!(said.contains(r#"{"at": "{\"at\": \"x"}"#), "{said}");
}

#[test]
fn a_call_in_text_that_is_sent_natively_too_is_one_call() {
    let in_text = "Go. <tool_call>{\"name\": \"look\", \"arguments\": {\"at\": \"x\"}}</tool_call>";
    let both = |native: &str| {
        let mut said = vec![text(in_text)];
        said.extend(pieces(&[native]));
        line(&cleaned(wants(), said))
    };
    let said = both("{\"at\":\"x\"}");
    assert_eq!(said.matches("call:look").count(), 1, "{said}");
    let said = both("{\"at\":\"y\"}");
    assert_eq!(said.matches("call:look").count(), 2, "{said}");
    // Two native ones are two: one of them is the text's.
    let twice = [
        vec![text(in_text)],
        pieces(&["{\"at\":\"x\"}"])[..2].to_vec(),
        vec![start(1, "b", "look")],
        vec![arguments(1, "{\"at\":\"x\"}"), finish(Finish::ToolCalls)],
    ];
    let said = line(&cleaned(wants(), twice.concat()));
    assert_eq!(said.matches("call:look").count(), 2, "{said}");
}

#[test]
fn a_finish_in_the_middle_of_a_call_is_not_the_end() {
    let stop = || finish(Finish::Stop);
    let said = vec![
        start(0, "a", "look"),
        stop(),
        arguments(0, "{\"at\": "),
        stop(),
        arguments(0, "\"x\"}"),
        stop(),
        ResponseEvent::End,
    ];
    let once = line(&cleaned(wants(), [pieces(&["{\"at\": ", "\"x\"}"]), vec![ResponseEvent::End]].concat()));
    assert_eq!(line(&cleaned(wants(), said)), once);
}
