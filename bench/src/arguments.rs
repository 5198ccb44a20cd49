//! Arguments: a call's valid JSON beside a strict reader, damaged JSON beside readers that repair.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use serde_json::Value;
use toolglot::{Dialects, EventKind, Options, Parser, Tools, repair};

const SIZES: [(&str, usize); 3] = [("1 KB", 1_000), ("100 KB", 100_000), ("1 MB", 1_000_000)];

/// Each measurement is the best of so many, and takes at least so long in all.
const TRIES: usize = 15;
const SPAN: Duration = Duration::from_millis(300);

/// Prints both tables as Markdown.
pub(crate) fn run() -> Result<(), String> {
    println!("Thread CPU time, best of {TRIES} or more; each output is compared before anything is timed.\n");
    valid()?;
    damaged()?;
    adversarial()
}

/// A call in the dialect `hermes`, all its events taken, beside `serde_json` to `Value` on the arguments alone.
fn valid() -> Result<(), String> {
    let dialects = Dialects::builtin().only(&["hermes"]).map_err(|error| error.to_string())?;
    println!(
        "| valid arguments | size | toolglot, MB/s | serde_json to Value, MB/s | time, ratio |\n|---|---|---|---|---|"
    );
    for shape in &SHAPES {
        let name = shape.name;
        for (label, size) in SIZES {
            let arguments = object(shape, size);
            let call = format!("<tool_call>\n{{\"name\": \"f\", \"arguments\": {arguments}}}\n</tool_call>");
            let mut parser = Parser::new(&dialects, &Tools::default(), &Options::default());
            let mut read = String::new();
            feed(&mut parser, &call, |json| read.push_str(json));
            if read != arguments {
                return Err(format!("{name}, {label}: the arguments are not those of the call"));
            }
            let ours = best(|| {
                feed(&mut parser, &call, |json| {
                    black_box(json);
                })
            });
            let strict = best(|| drop(black_box(serde_json::from_str::<Value>(&arguments))));
            let speed = |time: Duration| arguments.len() as f64 / time.as_secs_f64() / 1e6;
            let ratio = ours.as_secs_f64() / strict.as_secs_f64();
            println!("| {name} | {label} | {:.0} | {:.0} | {ratio:.2} |", speed(ours), speed(strict));
        }
    }
    println!();
    Ok(())
}

/// What makes a careful reader look far ahead: nanoseconds per byte at two lengths, which must stay the same.
fn adversarial() -> Result<(), String> {
    println!("\n| adversarial arguments | 100 KB, ns/byte | 1 MB, ns/byte | ratio |\n|---|---|---|---|");
    let (dialects, options) = (Dialects::builtin(), Options::default());
    for (name, head, piece, tail) in ADVERSARIES {
        let cost = |size: usize| {
            let text = format!("{head}{}{tail}", piece.repeat(size / piece.len()));
            let time = best(|| drop(black_box(repair(&text, &dialects, &Tools::default(), &options).arguments)));
            time.as_secs_f64() * 1e9 / text.len() as f64
        };
        let (short, long) = (cost(100_000), cost(1_000_000));
        println!("| {name} | {short:.1} | {long:.1} | {:.2} |", long / short);
        if long > short * STEEP {
            return Err(format!("{name}: the cost per byte grows with the length"));
        }
    }
    Ok(())
}

/// So much more a byte may cost at 1 MB than at 100 KB; memory alone makes some of it.
const STEEP: f64 = 4.0;

/// A name, and what stands before, again and again, and behind.
const ADVERSARIES: [(&str, &str, &str, &str); 10] = [
    ("quotes", "{\"a\": \"", "\" ", "\"}"),
    ("quotes and commas", "{\"a\": \"", "\", \"", "\"}"),
    ("quotes and keys without values", "{\"a\": \"", "\", \"b\" ", "\"}"),
    ("curly quotes", "{\"a\": \"", "”, ", "\"}"),
    ("backslashes", "{\"a\": \"", "\\", "\"}"),
    ("backslashes and quotes", "{\"a\": \"", "\\\\\"", "\"}"),
    ("brackets", "{\"a\": ", "[", "}"),
    ("braces", "{\"a\": ", "{\"a\":", "}"),
    ("comments", "{\"a\": ", "/**/", "1}"),
    ("closing brackets", "{\"a\": 1", "]", "}"),
];

/// Feeds one message and hands out the arguments as they come.
fn feed(parser: &mut Parser, text: &str, mut take: impl FnMut(&str)) {
    for event in parser.push(text) {
        if let EventKind::Arguments { json, .. } = event.kind {
            take(json);
        }
    }
    parser.finish().for_each(|event| drop(black_box(event.kind)));
}

/// `repair` beside two crates that repair; `=` says that the value is the same, `≠` that it is another one.
fn damaged() -> Result<(), String> {
    println!(
        "| damaged arguments | size | toolglot, µs | llm_json, time ratio | jsonrepair, time ratio |\n|---|---|---|---|---|"
    );
    let (dialects, options) = (Dialects::builtin(), Options::default());
    for (name, straight, damage) in DAMAGES {
        for (label, size) in &SIZES[..2] {
            let valid = object(&SHAPES[0], *size).replace(['“', '”'], straight);
            let text = damage(&valid);
            let ours = || repair(&text, &dialects, &Tools::default(), &options).arguments;
            let meant: Value = serde_json::from_str(&valid).map_err(|error| error.to_string())?;
            let found = ours().and_then(|json| serde_json::from_str::<Value>(&json).ok());
            if found.as_ref() != Some(&meant) {
                return Err(format!("{name}, {label}: repair does not give what was damaged"));
            }
            let time = best(|| drop(black_box(ours())));
            let others = [&llm as &dyn Fn(&str) -> Option<Value>, &jsonrepair];
            let cells: Vec<String> = others.iter().map(|other| cell(*other, &text, &meant, time)).collect();
            println!("| {name} | {label} | {:.1} | {} |", time.as_secs_f64() * 1e6, cells.join(" | "));
        }
    }
    Ok(())
}

fn cell(other: &dyn Fn(&str) -> Option<Value>, text: &str, meant: &Value, ours: Duration) -> String {
    let same = match other(text) {
        Some(value) if value == *meant => "=",
        Some(_) => "≠",
        None => return "fails".to_owned(),
    };
    let time = best(|| drop(black_box(other(text))));
    format!("{same} {:.1}", time.as_secs_f64() / ours.as_secs_f64())
}

fn llm(text: &str) -> Option<Value> {
    let json = llm_json::repair_json(text, &llm_json::RepairOptions::default()).ok()?;
    serde_json::from_str(&json).ok()
}

fn jsonrepair(text: &str) -> Option<Value> {
    let json = jsonrepair::repair_to_string(text, &jsonrepair::Options::default()).ok()?;
    serde_json::from_str(&json).ok()
}

/// Returns the best time of one run.
fn best(mut run: impl FnMut()) -> Duration {
    run();
    let (mut best, mut spent, mut tries) = (Duration::MAX, Duration::ZERO, 0);
    while tries < TRIES || (spent < SPAN && tries < 20_000) {
        let start = ThreadTime::now();
        run();
        let time = start.elapsed();
        (best, spent, tries) = (best.min(time), spent + time, tries + 1);
    }
    best
}

/// Returns an object of about so many bytes: a few long strings, or one list of many records.
fn object(shape: &Shape, size: usize) -> String {
    let (members, piece) = (shape.members.max(1), shape.piece);
    let mut out = String::from("{");
    for member in 0..members {
        write!(out, "{}\"key_{member}\": {}", if member > 0 { ", " } else { "" }, shape.open).ok();
        while out.len() < size * (member + 1) / members {
            out += piece;
        }
        out.truncate(out.trim_end_matches([',', ' ']).len());
        out += shape.close;
    }
    out + "}"
}

/// What arguments look like: pieces again and again between the ends of a value.
struct Shape {
    name: &'static str,
    members: usize,
    open: &'static str,
    piece: &'static str,
    close: &'static str,
}

const SHAPES: [Shape; 5] = [
    Shape { name: "text", members: 4, open: "\"", piece: PROSE, close: "\"" },
    Shape { name: "code", members: 2, open: "\"", piece: CODE, close: "\"" },
    Shape { name: "escapes", members: 2, open: "\"", piece: ESCAPES, close: "\"" },
    Shape { name: "structure", members: 1, open: "[", piece: RECORD, close: "]" },
    Shape { name: "numbers", members: 1, open: "[", piece: "12345, -1.5e3, 0.001, 7, ", close: "]" },
];

const PROSE: &str = "The quick brown fox jumps over the lazy dog; it does so again, since nobody stopped it. Zoë says “hi”, and the rest of the paragraph is just as plain as its beginning was.\\n";

const CODE: &str = r#"fn main() {\n    let words = vec![\"a\", \"b\"]; // {}\n    for word in &words {\n        println!(\"{}: {}\\n\", word, words[0]);\n    }\n}\n"#;

const ESCAPES: &str = r#"C:\\dir\\file\t\"q\"\u00e9\ud83d\ude00\/\n"#;

const RECORD: &str = r#"{"id": 12345, "x": -1.5e3, "ok": true, "none": null, "tags": ["a", "b"], "at": [[1, 2], [3, 4]], "n": {"k": "v"}}, "#;

/// What becomes of valid JSON.
type Damage = fn(&str) -> String;

/// Its name, what stands for the curly quotes of the text, and the damage.
const DAMAGES: [(&str, &str, Damage); 6] = [
    ("trailing comma", "*", |valid| valid.replacen("\"}", "\",}", 1)),
    ("single quotes", "*", |valid| valid.replace('"', "'")),
    ("bare keys", "*", |valid| valid.replace("\"key_", "key_").replace("\": \"", ": \"")),
    ("raw line breaks", "*", |valid| valid.replace("\\n", "\n")),
    ("fence", "*", |valid| format!("```json\n{valid}\n```")),
    ("inner quotes", "\\\"", |valid| valid.replace("\\\"", "\"")),
];
