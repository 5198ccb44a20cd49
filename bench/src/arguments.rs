//! Arguments: a call's valid JSON beside a strict reader, damaged JSON beside readers that repair.

use std::fmt::Write;
use std::hint::black_box;

use serde_json::Value;
use toolglot::{Dialects, EventKind, Options, Parser, Tools, repair};

use crate::page::Section;
use crate::table::round;
use crate::timing::{Care, best, race};

const SIZES: [(&str, usize); 3] = [("1 KB", 1_000), ("100 KB", 100_000), ("1 MB", 1_000_000)];

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let mut faults = Vec::new();
    let tables = [valid(care)?, damaged(care)?, adversarial(care, &mut faults)?];
    tables.iter().for_each(|table| eprintln!("{table}"));
    let [valid, damaged, adversarial] = tables;
    let text = format!(
        "Valid arguments:\n\n{valid}\nDamaged arguments:\n\n{damaged}\nAdversarial arguments:\n\n{adversarial}"
    );
    Ok(Section { faults, ..Section::from(text) })
}

/// A call in the dialect `hermes`, all its events taken, beside `serde_json` to `Value` on the arguments alone.
fn valid(care: Care) -> Result<String, String> {
    let dialects = Dialects::builtin().only(&["hermes"]).map_err(|error| error.to_string())?;
    let mut text = "| valid arguments | size | toolglot, MB/s | serde_json to Value, MB/s | time, ratio |\n\
                    |---|---|---:|---:|---:|\n"
        .to_owned();
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
            let ours = &mut || feed(&mut parser, &call, |json| _ = black_box(json));
            let strict = &mut || drop(black_box(serde_json::from_str::<Value>(&arguments)));
            let times = race(care, &mut [ours, strict]);
            let [ours, strict] = [0, 1].map(|side| round(arguments.len() as f64 * 1e3 / times[side]));
            writeln!(text, "| {name} | {label} | {ours} | {strict} | {:.2} |", times[0] / times[1]).ok();
        }
    }
    Ok(text)
}

/// What makes a careful reader look far ahead: nanoseconds per byte at two lengths, which must stay the same.
fn adversarial(care: Care, faults: &mut Vec<String>) -> Result<String, String> {
    let mut text =
        "| adversarial arguments | 100 KB, ns/byte | 1 MB, ns/byte | ratio |\n|---|---:|---:|---:|\n".to_owned();
    let (dialects, options) = (Dialects::builtin(), Options::default());
    for (name, head, piece, tail) in ADVERSARIES {
        let cost = |size: usize| {
            let text = format!("{head}{}{tail}", piece.repeat(size / piece.len()));
            let time = best(care, || drop(black_box(repair(&text, &dialects, &Tools::default(), &options).arguments)));
            time / text.len() as f64
        };
        let (short, long) = (cost(100_000), cost(1_000_000));
        writeln!(text, "| {name} | {} | {} | {:.2} |", round(short), round(long), long / short).ok();
        if long > short * STEEP {
            faults.push(format!("{name}: the cost per byte grows with the length"));
        }
    }
    Ok(text)
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
    parser.finish().for_each(|event| {
        black_box(event);
    });
}

/// `repair` beside two crates that repair; `=` says that the value is the same, `≠` that it is another one.
fn damaged(care: Care) -> Result<String, String> {
    let mut text = "| damaged arguments | size | toolglot, µs | llm_json, time ratio | jsonrepair, time ratio |\n\
                    |---|---|---:|---|---|\n"
        .to_owned();
    let (dialects, options) = (Dialects::builtin(), Options::default());
    for (name, straight, damage) in DAMAGES {
        for (label, size) in &SIZES[..2] {
            let valid = object(&SHAPES[0], *size).replace(['“', '”'], straight);
            let broken = damage(&valid);
            let ours = || repair(&broken, &dialects, &Tools::default(), &options).arguments;
            let meant: Value = serde_json::from_str(&valid).map_err(|error| error.to_string())?;
            let found = ours().and_then(|json| serde_json::from_str::<Value>(&json).ok());
            if found.as_ref() != Some(&meant) {
                return Err(format!("{name}, {label}: repair does not give what was damaged"));
            }
            let time = best(care, || drop(black_box(ours())));
            let cells = OTHERS.map(|other| cell(care, other, &broken, &meant, time));
            writeln!(text, "| {name} | {label} | {} | {} |", round(time / 1e3), cells.join(" | ")).ok();
        }
    }
    Ok(text)
}

/// Reads damaged JSON, or not.
type Repairer = fn(&str) -> Option<Value>;

fn cell(care: Care, other: Option<Repairer>, text: &str, meant: &Value, ours: f64) -> String {
    let Some(other) = other else { return "–".to_owned() };
    let same = match other(text) {
        Some(value) if value == *meant => "=",
        Some(_) => "≠",
        None => return "fails".to_owned(),
    };
    format!("{same} {:.1}", best(care, || drop(black_box(other(text)))) / ours)
}

#[cfg(not(feature = "peers"))]
const OTHERS: [Option<Repairer>; 2] = [None, None];

#[cfg(feature = "peers")]
const OTHERS: [Option<Repairer>; 2] = [
    Some(|text| {
        let json = llm_json::repair_json(text, &llm_json::RepairOptions::default()).ok()?;
        serde_json::from_str(&json).ok()
    }),
    Some(|text| {
        let json = jsonrepair::repair_to_string(text, &jsonrepair::Options::default()).ok()?;
        serde_json::from_str(&json).ok()
    }),
];

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
