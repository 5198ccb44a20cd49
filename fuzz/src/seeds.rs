//! What a run begins with: seeds made from the case files and dialects, and a dictionary made from the dialects.

use toolglot::{Dialects, Renderer, Rendering, Tools};

use crate::pieces::{OWN, TEXTS, WRITTEN, samples};
use crate::protocol;
use crate::setup::HEAD;

/// Returns the seeds of a target.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "dialect_file" => files(),
        "protocol" => protocol::seeds(),
        "sse" => streams(),
        "repair" | "arguments" => {
            let rows = include_str!("../../crates/toolglot/tests/arguments/corpus.txt").lines();
            let inputs = rows.filter_map(|row| row.strip_prefix("in ")).map(|row| row.replace('⏎', "\n"));
            inputs.enumerate().map(|(at, text)| [&head(0, at)[..], text.as_bytes()].concat()).collect()
        }
        "differential" => strict(),
        _ => messages(),
    }
}

/// Returns the dictionary in the runner's notation: every literal of every dialect file, once.
pub fn dictionary() -> String {
    let count = Dialects::builtin().len();
    let mut markers: Vec<&str> = (0..count).flat_map(|number| TEXTS.markers_of(number)).map(str::trim).collect();
    markers.extend(KEYS);
    markers.sort_unstable();
    markers.dedup();
    let plain = |byte: &u8| (b' '..=b'~').contains(byte) && !matches!(byte, b'"' | b'\\');
    let escaped = |byte: u8| if plain(&byte) { char::from(byte).to_string() } else { format!("\\x{byte:02X}") };
    let entry = |marker: &str| format!("\"{}\"\n", marker.bytes().map(escaped).collect::<String>());
    markers.into_iter().filter(|marker| marker.len() <= 60).map(entry).collect()
}

/// The keys of dialect files, holes, and what protocols and JSON are made of.
const KEYS: [&str; 36] = [
    "about = ",
    "aliases = ",
    "models = ",
    "special = ",
    "reasoning = ",
    "content = ",
    "section = ",
    "call = ",
    "param = ",
    "skip = ",
    "join = ",
    "one = ",
    "words = ",
    "json = ",
    "types = ",
    "quote = ",
    "id = ",
    "{name}",
    "{arguments}",
    "{call}",
    "{params}",
    "{key}",
    "{value}",
    "{value:trim}",
    "{tree}",
    "{kwargs}",
    "{object}",
    "{text}",
    "{calls}",
    "data: ",
    "event: ",
    "\n\n",
    "\"tool_calls\"",
    "\"arguments\"",
    "\\u00e9",
    "\\ud83d",
];

fn head(home: usize, at: usize) -> [u8; HEAD] {
    let byte = |shift: usize| (at.wrapping_mul(0x9E37_79B9) >> shift) as u8;
    [[0, 2, 1, 2, 18][at % 5], home as u8, byte(3), 0, byte(7), 0, 0, byte(9) % 5, 0, 0, byte(11), byte(13)]
}

fn messages() -> Vec<Vec<u8>> {
    let names: Vec<String> = Dialects::builtin().iter().map(|dialect| dialect.name().to_owned()).collect();
    let home = |folder: &str| names.iter().position(|name| name == folder).unwrap_or_default();
    let cases = samples().into_iter().enumerate().filter(|(_, (_, input))| input.len() < 2000);
    let cases = cases.map(|(at, (folder, input))| [&head(home(&folder), at)[..], &input].concat());
    let written = (0..names.len()).map(|home| [&head(home, home)[..], &[WRITTEN, home as u8, OWN, 1]].concat());
    cases.chain(written).collect()
}

/// Dialect files, each with a message that it reads.
fn files() -> Vec<Vec<u8>> {
    let with_message = |dialect: &std::sync::Arc<toolglot::Dialect>| {
        let call = Rendering::new().with_call("ls", r#"{"path": "src"}"#);
        let text = Renderer::new(dialect, &Tools::default()).with_check(false).render(&call).unwrap_or_default();
        format!("{}\n--- message\n{text}", dialect.source()).into_bytes()
    };
    Dialects::builtin().iter().map(with_message).collect()
}

fn streams() -> Vec<Vec<u8>> {
    [
        "data: {\"a\": 1}\n\ndata: [DONE]\n\n",
        "\u{feff}event: ping\r\ndata: a\r\ndata: b\r\n\r\n: comment\r\n\r\n",
        "id: 1\rretry: 5\rdata\rdata:  x\r\r",
        "{\"a\": 1}\n\n{\"b\": 2}\r\n[3]",
    ]
    .into_iter()
    .flat_map(|text| [0, 1].map(|limits| [&[limits, 7], text.as_bytes()].concat()))
    .collect()
}

/// Texts of the strict languages.
fn strict() -> Vec<Vec<u8>> {
    crate::strict::LANGUAGES
        .iter()
        .enumerate()
        .flat_map(|(number, language)| {
            language.samples.iter().map(move |sample| [&[number as u8, 3], sample.as_bytes()].concat())
        })
        .collect()
}
