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
    if !file.path.starts_with("crates/toolglot/src/") || !file.is(".rs") || file.path == LIST || is_test(&file.path) {
        return Vec::new();
    }
    let dialects = toolglot::Dialects::builtin();
    let named = |line| dialects.iter().map(|dialect| dialect.name()).find(|name| has_word(line, name));
    let lines = code(file).filter_map(|(number, line)| Some((number, named(line)?)));
    lines
        .map(|(number, name)| complaint(file, number, &format!("names the dialect `{name}`; say it in its file")))
        .collect()
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// The lines that are neither comments nor tests.
fn code(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let before_tests = file.lines().take_while(|(_, line)| *line != "mod tests {");
    before_tests.filter(|(_, line)| !line.trim_start().starts_with("//"))
}
