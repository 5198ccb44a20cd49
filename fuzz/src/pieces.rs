//! Messages out of bytes: text as it is, and pieces of dialects for bytes that UTF-8 never uses.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use toolglot::{Renderer, Rendering, Tools};

use crate::case::Case;
use crate::random::Random;
use crate::setup::dialect;
use crate::texts::Texts;

/// No message gets longer.
const LONGEST: usize = 16 << 10;

/// A marker of the message's dialect; one byte follows.
pub(crate) const OWN: u8 = 0xF5;
/// A marker of any dialect, or noise; two bytes follow.
const ANY: u8 = 0xF6;
/// A message of any kind; two bytes follow.
const MESSAGE: u8 = 0xF7;
/// Patterns of the message's dialect with something in their holes; two bytes follow.
const FILLED: u8 = 0xF8;
/// Calls as the message's dialect writes them; one byte follows.
pub(crate) const WRITTEN: u8 = 0xF9;
/// The last piece again; how often says the byte that follows.
const AGAIN: u8 = 0xFA;

pub(crate) static TEXTS: LazyLock<Texts> = LazyLock::new(|| Texts::new(samples()));

/// Returns the message that bytes stand for.
pub(crate) fn message(bytes: &[u8], home: usize) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), bytes.iter().copied());
    let mut last = 0..0;
    while let Some(byte) = rest.next() {
        let mut next = || rest.next().unwrap_or_default();
        let from = out.len();
        match byte {
            OWN => {
                let markers: Vec<&str> = TEXTS.markers_of(home).collect();
                out.extend(markers.get(usize::from(next()) % markers.len().max(1)).unwrap_or(&"{").bytes());
            }
            ANY => out.extend(TEXTS.piece(&mut random([next(), next()])).bytes()),
            MESSAGE => out.extend(TEXTS.message(&mut random([next(), next()])).0),
            FILLED => out.extend(TEXTS.of(&mut random([next(), next()]), home).into_bytes()),
            WRITTEN => out.extend(written(home, next()).into_bytes()),
            AGAIN => {
                let piece = out[last.clone()].to_vec();
                (0..next() % 64).for_each(|_| out.extend_from_slice(&piece));
            }
            byte => out.push(byte),
        }
        if byte != AGAIN && byte >= OWN {
            last = from..out.len();
        }
        if out.len() > LONGEST {
            out.truncate(LONGEST);
            break;
        }
    }
    out
}

fn random(bytes: [u8; 2]) -> Random {
    Random::new(u16::from_le_bytes(bytes).into())
}

/// Returns a message with calls as a dialect writes it, the same for the same number.
pub(crate) fn written(home: usize, number: u8) -> String {
    let [first, second, third] = [number % 5, number / 5 % 3, number / 15].map(usize::from);
    let message = Rendering::new()
        .with_reasoning(["", "", "hm", "so </b>"][third % 4])
        .with_content(["", "", "Now: ", "a < b\n\n"][third / 4 % 4]);
    let calls = [CALLS[first]].into_iter().chain((0..second).map(|more| CALLS[(first + more + third) % CALLS.len()]));
    let message = calls.fold(message, |message, (name, arguments)| message.with_call(name, arguments));
    let renderer = Renderer::new(&dialect(home), &Tools::default()).with_check(false);
    renderer.render(&message).unwrap_or_default()
}

const CALLS: [(&str, &str); 5] = [
    ("ls", r#"{"path": "src", "recursive": true}"#),
    ("ping", "{}"),
    ("write_file", r#"{"path": "a.rs", "content": "fn main() {\n    println!(\"<b>\");\n}\n"}"#),
    ("search", r#"{"query": "it's a \\ b", "limit": 5}"#),
    ("nope", r#"{"a": [1, {"b": null}], "c": -0.5e3}"#),
];

/// Returns the inputs of the case files, each with its folder.
pub(crate) fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/toolglot/tests/cases"));
    let mut samples = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of cases is readable").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        for file in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
            let text = fs::read_to_string(file.path()).expect("the case is readable");
            samples.push((name.clone(), Case::read(&text).input().expect("the case has an input")));
        }
    }
    samples.sort();
    samples
}
