//! Runs the core's cases and grammars through the C ABI: `cargo xtask cases FILE`, `cargo xtask grammars GRAMMARS`, then
//! `contract FILE GRAMMARS`.
#![expect(unsafe_code, reason = "it calls what C calls")]
#![expect(clippy::expect_used, reason = "a test may panic")]

use std::process::ExitCode;
use std::ptr::null_mut;
use std::time::Instant;

use toolglot_ffi::abi::grammar::tg_grammar;
use toolglot_ffi::abi::*;
use toolglot_ffi::record::{TgEvent, TgKind, TgText};
use toolglot_json::{Value, json};

/// A piece of an input, and whether it is a special token.
type Piece<'i> = (&'i [u8], bool);

fn main() -> ExitCode {
    let [cases, grammars] = [1, 2].map(list);
    let started = Instant::now();
    let mut failed: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    failed.extend(grammars.iter().filter_map(|case| check_grammar(case).err()));
    failed.iter().take(10).for_each(|failure| eprintln!("{failure}"));
    let time = started.elapsed().as_secs_f64();
    let (count, made, wrong) = (cases.len(), grammars.len(), failed.len());
    println!("C: {count} cases, whole, in bytes and in random pieces, {made} grammars, {wrong} failed, {time:.1} s");
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn list(argument: usize) -> Vec<Value> {
    let path = std::env::args().nth(argument).expect("files of `cargo xtask cases` and `cargo xtask grammars`");
    let list: Value = toolglot_json::from_slice(&std::fs::read(path).expect("readable")).expect("JSON");
    list.as_array().filter(|list| !list.is_empty()).expect("a list").clone()
}

fn check_grammar(case: &Value) -> Result<(), String> {
    let setup = Setup::new(&json!({"options": case["options"]}))?;
    let [name, tools] = ["dialect", "tools"].map(|member| case[member].as_str().unwrap_or_default());
    let (options, out) = (&setup.options, setup.out);
    let name = (name.as_ptr(), name.len());
    let status = unsafe {
        tg_grammar(null_mut(), name.0, name.1, tools.as_ptr(), tools.len(), options.as_ptr(), options.len(), out)
    };
    let found = match status {
        TgStatus::Ok => json!({"grammar": toolglot_json::from_str(&setup.said()).map_err(|error| error.to_string())?}),
        _ => json!({"error": setup.said()}),
    };
    let same = ["grammar", "error"].iter().all(|member| found.get(member) == case.get(member));
    if same { Ok(()) } else { Err(format!("{case}\n  found {found}")) }
}

fn check(case: &Value) -> Result<(), String> {
    let name = case["name"].as_str().unwrap_or_default();
    let input = input(case);
    let setup = Setup::new(case)?;
    let diagnostics = sorted(case["diagnostics"].clone());
    let message = without_ids(case["message"].clone());
    let said = said(case);
    let wanted = json!({"events": case["events"], "diagnostics": diagnostics, "said": said, "message": message});
    for way in ["whole", "bytes", "random 1", "random 2"] {
        let found = setup.read(&pieces(case, &input, way))?;
        if found != wanted {
            return Err(format!("{name}, {way}:\n  wanted {wanted}\n  found  {found}"));
        }
    }
    if case["special"].as_array().is_some_and(Vec::is_empty) {
        let mut found = setup.parse(&input)?;
        let diagnostics = found["diagnostics"].take();
        found.as_object_mut().map(|found| found.remove("diagnostics"));
        // A parse in one go orders diagnostics by their place only.
        if found != case["message"] || sorted(diagnostics) != said {
            return Err(format!("{name}, tg_parse: {found}"));
        }
    }
    Ok(())
}

/// A parser draws what ids are made from.
fn without_ids(mut message: Value) -> Value {
    message["calls"].as_array_mut().into_iter().flatten().for_each(|call| call["id"] = Value::Null);
    message
}

/// Returns what a message says: the diagnostics of its events, and why no call was found that it looks like.
fn said(case: &Value) -> Vec<Value> {
    let near_miss = Some(&case["near_miss"]).filter(|found| !found.is_null());
    let all: Vec<Value> = case["diagnostics"].as_array().into_iter().flatten().chain(near_miss).cloned().collect();
    sorted(all.into())
}

fn sorted(diagnostics: Value) -> Vec<Value> {
    let mut all = diagnostics.as_array().cloned().unwrap_or_default();
    all.sort_by_cached_key(|found| ["start", "end", "code", "message", "dialect"].map(|key| found[key].to_string()));
    all
}

fn input(case: &Value) -> Vec<u8> {
    let digits = |text: &str, at: usize| u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).expect("digits");
    match (case["input"].as_str(), case["input_hex"].as_str()) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (_, Some(text)) => (0..text.len() / 2).map(|at| digits(text, at)).collect(),
        _ => panic!("no input: {case}"),
    }
}

/// Cuts an input: special tokens stay whole, the rest is cut.
fn pieces<'i>(case: &Value, input: &'i [u8], way: &str) -> Vec<Piece<'i>> {
    let mut state = way.bytes().fold(1_u64, |state, byte| state * 31 + u64::from(byte)) ^ input.len() as u64;
    let mut length = || match way {
        "whole" => usize::MAX,
        "bytes" => 1,
        _ => {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            1 + (state >> 33) as usize % 17
        }
    };
    let (mut all, mut from) = (Vec::new(), 0);
    let place = |token: &Value, end: usize| token[end].as_u64().expect("a place") as usize;
    let tokens = case["special"].as_array().expect("a list").iter().map(|token| place(token, 0)..place(token, 1));
    for token in tokens.chain(std::iter::once(input.len()..input.len())) {
        let mut text = &input[from..token.start];
        while !text.is_empty() {
            let (piece, rest) = text.split_at(length().min(text.len()));
            all.push((piece, false));
            text = rest;
        }
        all.push((&input[token.clone()], true));
        from = token.end;
    }
    all.retain(|(piece, _)| !piece.is_empty());
    all
}

struct Setup {
    dialects: *mut TgDialects,
    tools: *mut TgTools,
    options: String,
    out: *mut TgBuffer,
}

impl Setup {
    fn new(case: &Value) -> Result<Self, String> {
        let choice = json!({"only": case["dialects"]}).to_string();
        let (tools, out) = (case["tools"].as_str().unwrap_or_default(), tg_buffer_new());
        unsafe {
            let mut setup = Self { dialects: null_mut(), tools: null_mut(), options: case["options"].to_string(), out };
            setup.dialects = tg_dialects_new(choice.as_ptr(), choice.len(), out);
            if !tools.is_empty() {
                setup.tools = tg_tools_new(tools.as_ptr(), tools.len(), out);
            }
            let fine = !setup.dialects.is_null() && (tools.is_empty() || !setup.tools.is_null());
            if fine { Ok(setup) } else { Err(setup.said()) }
        }
    }

    fn said(&self) -> String {
        let bytes = unsafe { std::slice::from_raw_parts(tg_buffer_data(self.out), tg_buffer_len(self.out)) };
        String::from_utf8(bytes.to_vec()).expect("UTF-8")
    }

    fn done(&self, status: TgStatus) -> Result<(), String> {
        if status == TgStatus::Ok { Ok(()) } else { Err(format!("{status:?}: {}", self.said())) }
    }

    fn parse(&self, input: &[u8]) -> Result<Value, String> {
        let (of, with, options) = (self.dialects, self.tools, &self.options);
        let (data, len) = (input.as_ptr(), input.len());
        self.done(unsafe { tg_parse(of, with, options.as_ptr(), options.len(), data, len, self.out) })?;
        serde_json::from_str(&self.said()).map_err(|error| error.to_string())
    }

    fn read(&self, pieces: &[Piece<'_>]) -> Result<Value, String> {
        let mut events = Vec::new();
        let message = unsafe {
            let options = &self.options;
            let parser = tg_parser_new(self.dialects, self.tools, options.as_ptr(), options.len(), self.out);
            if parser.is_null() {
                return Err(self.said());
            }
            self.done(tg_parser_collect(parser))?;
            for (piece, special) in pieces {
                let push = if *special { tg_parser_push_special } else { tg_parser_push };
                self.done(push(parser, piece.as_ptr(), piece.len()))?;
                take(parser, &mut events);
            }
            self.done(tg_parser_finish(parser))?;
            take(parser, &mut events);
            self.done(tg_parser_message(parser, self.out))?;
            tg_parser_free(parser);
            self.said()
        };
        let mut message: Value = toolglot_json::from_str(&message).map_err(|error| error.to_string())?;
        let said = message.as_object_mut().and_then(|message| message.remove("diagnostics")).unwrap_or_default();
        let message = without_ids(message);
        let (notes, events): (Vec<Value>, Vec<Value>) =
            events.into_iter().partition(|event| event.get("code").is_some());
        let (events, diagnostics) = (merged(events), sorted(notes.into()));
        Ok(json!({"events": events, "diagnostics": diagnostics, "said": sorted(said), "message": message}))
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        unsafe {
            tg_dialects_free(self.dialects);
            tg_tools_free(self.tools);
            tg_buffer_free(self.out);
        }
    }
}

unsafe fn take(parser: *const TgParser, events: &mut Vec<Value>) {
    let (first, count) = unsafe { (tg_parser_events(parser), tg_parser_event_count(parser)) };
    let records = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(first, count) } };
    events.extend(records.iter().map(|record| unsafe { event(record) }));
}

unsafe fn event(record: &TgEvent) -> Value {
    let word = |text: TgText| match text.data.is_null() {
        true => Value::Null,
        false => String::from_utf8(unsafe { std::slice::from_raw_parts(text.data, text.len) }.to_vec())
            .expect("UTF-8")
            .into(),
    };
    let (start, end, index) = (record.start, record.end, record.index);
    let (text, name, id) = (word(record.text), word(record.name), word(record.id));
    match record.kind {
        TgKind::Text => json!({"type": "text", "start": start, "end": end, "text": text}),
        TgKind::Reasoning => json!({"type": "reasoning", "start": start, "end": end, "text": text}),
        TgKind::Markup => json!({"type": "markup", "start": start, "end": end}),
        TgKind::CallStart => {
            json!({"type": "call_start", "start": start, "end": end, "index": index, "id": id, "name": name})
        }
        TgKind::Arguments => json!({"type": "arguments", "start": start, "end": end, "index": index, "json": text}),
        TgKind::CallEnd => {
            json!({"type": "call_end", "start": start, "end": end, "index": index, "id": id, "outcome": name})
        }
        TgKind::Diagnostic => json!({"code": name, "start": start, "end": end, "message": text, "dialect": id}),
    }
}

/// Joins pieces of one text, reasoning or arguments that follow each other.
fn merged(events: Vec<Value>) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for event in events {
        let key = match event["type"].as_str() {
            Some("text" | "reasoning") => "text",
            Some("arguments") => "json",
            _ => "",
        };
        match all
            .last_mut()
            .filter(|last| !key.is_empty() && last["type"] == event["type"] && last["end"] == event["start"])
        {
            Some(last) => {
                last[key] = (last[key].as_str().unwrap_or_default().to_owned()
                    + event[key].as_str().unwrap_or_default())
                .into();
                last["end"] = event["end"].clone();
            }
            None => all.push(event),
        }
    }
    all
}
