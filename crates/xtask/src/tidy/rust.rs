//! Rules for Rust files.

use super::{complaint, has_word};
use crate::Complaints;
use crate::files::File;

/// The most lines a file may have, tests included.
const MAX_LINES: usize = 500;

/// What stands in no Rust file, and what to do instead.
const BANNED: [(&str, &str); 5] = [
    (concat!("#[", "ignore"), "assert what happens today and say why, or take the test out"),
    (concat!("#[should_", "panic"), "assert on the result"),
    (concat!("to", "do!("), "write it, or leave it out"),
    (concat!("unimpl", "emented!("), "write it, or leave it out"),
    (concat!("db", "g!("), "take it out"),
];

/// The one Rust file of the core that lists the dialects.
const LIST: &str = "crates/toolglot/src/dialect/builtin.rs";

/// The first line says in a sentence what the file is for.
pub(super) fn begins_with_its_purpose(file: &File) -> Complaints {
    let wrong = file.is(".rs") && !file.text.starts_with("//! ");
    wrong
        .then(|| complaint(file, 1, "begin with `//! ` and a sentence that says what the file is for"))
        .into_iter()
        .collect()
}

/// A file fits into a reader's head.
pub(super) fn is_short(file: &File) -> Complaints {
    let lines = file.text.lines().count();
    let wrong = file.is(".rs") && lines > MAX_LINES;
    wrong
        .then(|| complaint(file, lines, &format!("{lines} lines, {MAX_LINES} are the most; split it")))
        .into_iter()
        .collect()
}

/// No unfinished code, no test that is switched off.
pub(super) fn has_no_banned_words(file: &File) -> Complaints {
    if !file.is(".rs") {
        return Vec::new();
    }
    let found = |line| BANNED.iter().filter(move |(word, _)| str::contains(line, word));
    let complaints = file.lines().flat_map(|(number, line)| found(line).map(move |banned| (number, banned)));
    complaints
        .map(|(number, (word, advice))| complaint(file, number, &format!("`{word}` is not used here; {advice}")))
        .collect()
}

/// A dialect is a file: the core's code must not know any by name.
pub(super) fn names_no_dialect(file: &File) -> Complaints {
    if !is_engine(file) {
        return Vec::new();
    }
    let dialects = toolglot::Dialects::builtin();
    let named = |line| dialects.iter().map(|dialect| dialect.name()).find(|name| has_word(line, name));
    let lines = code(file).filter_map(|(number, line)| Some((number, named(line)?)));
    lines
        .map(|(number, name)| complaint(file, number, &format!("names the dialect `{name}`; say it in its file")))
        .collect()
}

/// A dialect's markers stand in its file: the core's code must not spell any.
pub(super) fn spells_no_marker(file: &File) -> Complaints {
    if !is_engine(file) {
        return Vec::new();
    }
    let dialects = toolglot::Dialects::builtin();
    let files: String = dialects.iter().flat_map(|dialect| data_lines(dialect.source())).collect();
    let spelled = code(file).flat_map(|(number, line)| literals(line).into_iter().map(move |text| (number, text)));
    spelled
        .filter(|(_, text)| is_marker_like(text) && files.contains(text))
        .map(|(number, text)| complaint(file, number, &format!("spells the marker `{text}`; derive it from the files")))
        .collect()
}

/// The lines of a dialect's file that say something to the engine, without TOML's escapes.
fn data_lines(source: &str) -> impl Iterator<Item = String> {
    source.lines().filter(|line| !line.starts_with(['#', 'a'])).map(|line| line.replace("\\\"", "\""))
}

/// Returns what stands between the quotes of a line of Rust.
fn literals(line: &str) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), None::<String>);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, &mut open) {
            ('\\', Some(text)) => text.extend(chars.next()),
            ('"', Some(_)) => found.extend(open.take()),
            ('"', None) => open = Some(String::new()),
            (c, Some(text)) => text.push(c),
            (_, None) => {}
        }
    }
    found
}

/// Says whether a text has a marker's signs and more than those; markup's own are no dialect's.
fn is_marker_like(text: &str) -> bool {
    let signs = |c: char| c.is_ascii_punctuation() && !"|_".contains(c);
    let is_template = text.contains('{') || text == "<![CDATA[";
    text.len() > 1
        && text.contains(['<', '[', '|', '｜'])
        && !text.contains(' ')
        && !text.chars().all(signs)
        && !is_template
}

/// Says whether a file is code of the core that must serve any dialect.
fn is_engine(file: &File) -> bool {
    file.path.starts_with("crates/toolglot/src/") && file.is(".rs") && file.path != LIST && !is_test(&file.path)
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// The lines that are neither comments nor tests.
fn code(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let before_tests = file.lines().take_while(|(_, line)| *line != "mod tests {");
    before_tests.filter(|(_, line)| !line.trim_start().starts_with("//"))
}
