//! Values that are code: whole lines, or cut anywhere, of the files in `code/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

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

/// The files of folders that are taken in their place, each as its lines with their line breaks.
static TAKEN: OnceLock<Vec<Vec<String>>> = OnceLock::new();

/// What values are made of: the files that were taken, or those of `code/`.
static LINES: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| match TAKEN.get() {
    Some(files) => files.iter().map(|lines| lines.iter().map(String::as_str).collect()).collect(),
    None => FILES.iter().map(|file| file.split_inclusive('\n').collect()).collect(),
});

/// Files of a folder that are taken at most of each ending, and the most bytes of one: a corpus of many hands that is read in
/// a second.
const TAKE: usize = 400;
const LARGE: u64 = 200_000;

/// The endings of files that are code, or are written by people like code.
const ENDINGS: [&str; 19] = [
    "bash", "c", "cjs", "css", "go", "h", "html", "java", "js", "json", "md", "mjs", "py", "rs", "sh", "toml", "ts",
    "yaml", "yml",
];

/// Makes values of the code in folders from now on, if there are any.
pub(super) fn take(folders: &[PathBuf]) -> Result<(), String> {
    if folders.is_empty() || TAKEN.get().is_some() {
        return Ok(());
    }
    let mut found = Vec::new();
    folders.iter().for_each(|folder| walk(folder, &mut found));
    found.sort();
    let of = |ending: &&str| {
        let these: Vec<&PathBuf> =
            found.iter().filter(|path| path.extension().is_some_and(|it| it == *ending)).collect();
        let step = these.len().div_ceil(TAKE).max(1);
        these.into_iter().step_by(step).filter_map(|path| fs::read_to_string(path).ok()).collect::<Vec<_>>()
    };
    let texts = ENDINGS.iter().flat_map(of).filter(|text| !text.is_empty() && !text.contains('\r'));
    let files: Vec<Vec<String>> = texts.map(|text| text.split_inclusive('\n').map(str::to_owned).collect()).collect();
    if files.is_empty() {
        return Err("no code in the folders given".to_owned());
    }
    let _ = TAKEN.set(files);
    Ok(())
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, Ok(about)) = (entry.path(), entry.metadata()) else { continue };
        if about.is_dir() {
            walk(&path, found);
        } else if about.len() < LARGE {
            found.push(path);
        }
    }
}

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
