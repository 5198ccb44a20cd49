//! The cases as JSON, with what the parser says of each: what every binding is tested against.

use std::ops::Range;

use toolglot::{Code, Collector, Diagnostic, Dialects, EventKind, Events, Inspection, Message, Parser, inspect};
use toolglot_json::{Map, Value, json};

use crate::case::Case;
use crate::record::{Entry, Kind, Record};
use crate::setup::Setup;

/// Returns a case, and once more with all dialects where it is read with them too.
pub(super) fn export(name: &str, text: &str, shared_tools: &str) -> Result<Vec<Value>, String> {
    let case = Case::read(text);
    let setup = case.setup(name, shared_tools)?;
    let mut all = vec![one(name, &case, &setup, shared_tools)?];
    if setup.also_auto {
        let setup = Setup { dialects: Dialects::builtin(), ..setup };
        all.push(one(&format!("{name}+auto"), &case, &setup, shared_tools)?);
    }
    Ok(all)
}

fn one(name: &str, case: &Case, setup: &Setup, shared_tools: &str) -> Result<Value, String> {
    let (input, special) = (case.input()?, case.special());
    let Said { record, diagnostics, mut message } = read(setup, &input, &special);
    message.add_near_miss(&input, &setup.dialects, &setup.tools, &setup.options);
    let near_miss = message.diagnosed(Code::NearMiss).next().cloned();
    agrees(name, case, &record.lines(&input))?;
    let (options, tools) = options(case);
    let everything = setup.dialects.len() == Dialects::builtin().len();
    let names = || setup.dialects.iter().map(|dialect| dialect.name()).collect::<Vec<_>>();
    let mut object = json!({
        "name": name,
        "about": case.about.trim(),
        "dialects": (!everything).then(names),
        "tools": tools.then(|| case.section("tools").unwrap_or(shared_tools)),
        "options": options,
        "special": special.iter().map(|Range { start, end }| [start, end]).collect::<Vec<_>>(),
        "events": record.entries.iter().map(event).collect::<Vec<_>>(),
        "diagnostics": diagnostics.iter().map(diagnostic).collect::<Vec<_>>(),
        "message": whole(&message),
        "near_miss": near_miss.map(|found| diagnostic(&found)),
    });
    // Whoever inspects cannot mark tokens.
    if special.is_empty() {
        object["inspection"] = inspection(&inspect(&input, &setup.dialects, &setup.tools, &setup.options));
    }
    match String::from_utf8(input) {
        Ok(text) => object["input"] = text.into(),
        Err(error) => object["input_hex"] = hex(error.as_bytes()).into(),
    }
    Ok(object)
}

/// What the parser said of an input that was fed whole, but for its special tokens.
struct Said {
    record: Record,
    diagnostics: Vec<Diagnostic>,
    message: Message,
}

fn read(setup: &Setup, input: &[u8], special: &[Range<usize>]) -> Said {
    let mut parser = Parser::new(&setup.dialects, &setup.tools, &setup.options);
    let (mut record, mut collector) = (Record::default(), Collector::new(&setup.options));
    let mut diagnostics = Vec::new();
    let mut add = |events: Events<'_>| {
        for event in events {
            record.add(&event);
            collector.add(&event);
            if let EventKind::Diagnostic(found) = event.kind {
                diagnostics.push(found.clone());
            }
        }
    };
    let mut from = 0;
    for token in special.iter().cloned().chain(std::iter::once(input.len()..input.len())) {
        add(parser.push_bytes(&input[from..token.start]));
        if let Ok(text) = std::str::from_utf8(&input[token.clone()]) {
            add(parser.push_special(text));
        }
        from = token.end;
    }
    add(parser.finish());
    collector.set_dialect(parser.dialect().cloned());
    diagnostics.sort_by_key(|found| (found.span.start, found.span.end, found.code, found.message.clone()));
    Said { record: record.close(), diagnostics, message: collector.finish(input) }
}

/// The export is of the cases only if the parser still says what their files expect.
fn agrees(name: &str, case: &Case, found: &str) -> Result<(), String> {
    let own = case.section("expect");
    let expected = case.section("expect auto").filter(|_| name.ends_with("+auto")).or(own);
    let agrees = expected == Some(found);
    agrees.then_some(()).ok_or_else(|| format!("{name} is not what its file expects; run the cases first"))
}

/// Returns the options as `toolglot parse --jsonl` takes them, and whether there are tools.
fn options(case: &Case) -> (Value, bool) {
    let (mut options, mut limits, mut tools) = (Map::new(), Map::new(), true);
    for (key, value) in case.section("options").unwrap_or_default().lines().filter_map(|line| line.split_once(" = ")) {
        match (key, value.parse::<u64>(), value) {
            ("dialects", ..) => {}
            ("tools", ..) => tools = false,
            (_, Ok(number), _) => drop(limits.insert(key.to_owned(), number.into())),
            (_, _, "true" | "false") => drop(options.insert(key.to_owned(), (value == "true").into())),
            _ => drop(options.insert(key.to_owned(), value.into())),
        }
    }
    if !limits.is_empty() {
        options.insert("limits".to_owned(), limits.into());
    }
    (options.into(), tools)
}

/// Returns an event as `toolglot parse --events` has it.
fn event(entry: &Entry) -> Value {
    let Entry { span: Range { start, end }, kind } = entry;
    match kind {
        Kind::Text(text) => json!({"type": "text", "start": start, "end": end, "text": text}),
        Kind::Reasoning(text) => json!({"type": "reasoning", "start": start, "end": end, "text": text}),
        Kind::Markup => json!({"type": "markup", "start": start, "end": end}),
        Kind::Start { index, id, name } => {
            json!({"type": "call_start", "start": start, "end": end, "index": index, "id": id, "name": name})
        }
        Kind::Arguments { index, json } => {
            json!({"type": "arguments", "start": start, "end": end, "index": index, "json": json})
        }
        Kind::End { index, id, outcome } => {
            json!({"type": "call_end", "start": start, "end": end, "index": index, "id": id, "outcome": outcome})
        }
    }
}

fn diagnostic(found: &Diagnostic) -> Value {
    json!({
        "code": found.code.name(),
        "start": found.span.start,
        "end": found.span.end,
        "message": found.message,
        "dialect": found.dialect.as_deref(),
    })
}

fn whole(message: &Message) -> Value {
    json!({
        "content": message.content,
        "reasoning": message.reasoning,
        "calls": message.calls.iter().map(|call| {
            json!({"id": call.id, "name": call.name, "arguments": call.arguments})
        }).collect::<Vec<_>>(),
        "incomplete": message.incomplete.iter().map(|call| {
            json!({"name": call.name, "arguments": call.arguments, "text": call.text, "outcome": call.outcome.name()})
        }).collect::<Vec<_>>(),
        "finish_reason": message.finish_reason.name(),
        "dialect": message.dialect.as_deref(),
    })
}

/// Returns what became of every byte, in lists.
fn inspection(found: &Inspection) -> Value {
    let spans = found.spans.iter().map(|one| json!([one.kind.name(), one.call, one.span.start, one.span.end]));
    let repairs = found.repairs.iter().map(|one| {
        let Range { start, end } = one.span;
        json!([one.code.name(), one.class.name(), one.message, one.before, one.after, start, end])
    });
    let why = found.why.iter().map(|one| {
        let reason = one.reason.map_or("nothing", |reason| reason.name());
        let fix = one.fix.as_ref().map(|fix| [fix.kind, &fix.value]);
        json!([reason, one.message, one.span.start, one.span.end, fix])
    });
    let arrivals = found.arrivals.iter().map(|one| json!([one.at, one.event, one.call, one.text]));
    json!({
        "spans": spans.collect::<Vec<_>>(),
        "repairs": repairs.collect::<Vec<_>>(),
        "arrivals": arrivals.collect::<Vec<_>>(),
        "held": found.held,
        "why": why.collect::<Vec<_>>(),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
