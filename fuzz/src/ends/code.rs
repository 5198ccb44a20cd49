//! Values that are code: whole lines, or cut anywhere, of the files in `code/`.

use std::sync::LazyLock;

use crate::random::Random;
use crate::texts::Texts;

/// The files, each in another language.
const FILES: &[&str] = &[
    include_str!("../../code/c.txt"),
    include_str!("../../code/csharp.txt"),
    include_str!("../../code/css.txt"),
    include_str!("../../code/diff.txt"),
    include_str!("../../code/dockerfile.txt"),
    include_str!("../../code/go.txt"),
    include_str!("../../code/html.txt"),
    include_str!("../../code/java.txt"),
    include_str!("../../code/javascript.txt"),
    include_str!("../../code/json.txt"),
    include_str!("../../code/kotlin.txt"),
    include_str!("../../code/lua.txt"),
    include_str!("../../code/markdown.txt"),
    include_str!("../../code/php.txt"),
    include_str!("../../code/python.txt"),
    include_str!("../../code/ruby.txt"),
    include_str!("../../code/rust.txt"),
    include_str!("../../code/shell.txt"),
    include_str!("../../code/sql.txt"),
    include_str!("../../code/toml.txt"),
    include_str!("../../code/typescript.txt"),
    include_str!("../../code/xml.txt"),
    include_str!("../../code/yaml.txt"),
];

/// The files, each as its lines with their line breaks.
static LINES: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| FILES.iter().map(|f| f.split_inclusive('\n').collect()).collect());

/// Returns some whole lines of one file, often with quotes in them.
pub(super) fn lines(random: &mut Random) -> String {
    let mut text = some(random);
    for _ in 0..3 {
        if text.contains(['"', '\'', '<']) && !text.trim().is_empty() {
            break;
        }
        text = some(random);
    }
    if random.one_in(2) {
        text.truncate(text.trim_end_matches('\n').len());
    }
    text
}

fn some(random: &mut Random) -> String {
    let file = &LINES[random.below(LINES.len())];
    let count = match random.below(20) {
        0..=3 => 1,
        4..=12 => 2 + random.below(5),
        13..=18 => 7 + random.below(12),
        _ => 20 + random.below(40),
    };
    let from = random.below(file.len());
    file[from..(from + count).min(file.len())].concat()
}

/// Returns a piece of a file that begins and ends anywhere.
pub(super) fn piece(random: &mut Random) -> String {
    let text = lines(random);
    let from = text.floor_char_boundary(random.below(text.len() + 1).min(40));
    let to = text.floor_char_boundary(from + random.below(text.len() - from + 1));
    text[from..to].to_owned()
}

/// Returns a text with another put into it, at the start of a line or anywhere.
pub(super) fn insert(text: &str, piece: &str, random: &mut Random) -> String {
    let at = text.floor_char_boundary(random.below(text.len() + 1));
    let at = if random.one_in(3) { at } else { text[..at].rfind('\n').map_or(0, |line| line + 1) };
    [&text[..at], piece, &text[at..]].concat()
}

/// Returns what a dialect's patterns say literally, all of it that cannot be anything else.
pub(super) fn markers(number: usize) -> Vec<String> {
    static TEXTS: LazyLock<Texts> = LazyLock::new(|| Texts::new(Vec::new()));
    let mut markers: Vec<String> = TEXTS.markers_of(number).map(str::trim).map(str::to_owned).collect();
    markers.retain(|marker| marker.chars().count() > 2);
    markers.sort();
    markers.dedup();
    markers
}
