//! Phrases of this project that no reader of English expects, and what to write instead.

use super::{complaint, has_word};
use crate::Complaints;
use crate::files::File;

/// A phrase, and the reason or a better one. Each was found in what users read, and meant several things.
const IDIOMS: [(&str, &str); 29] = [
    ("is told", "name the sender and the message: `gets status 400`, `is sent the prompt`"),
    ("are told", "name the sender and the message"),
    ("is no JSON", "`is not valid JSON`"),
    ("are no JSON", "`are not valid JSON`"),
    ("is no text", "`is not text`"),
    ("there stands", "`that text is`"),
    ("what stands", "name the thing: `the text between`"),
    ("stands behind", "`follows`"),
    ("stands around", "`surrounds`"),
    ("what speaks", "`evidence for`, `evidence against`"),
    ("that there is not", "`unknown`"),
    ("written anew", "`rewritten`"),
    ("blotted", "`redacted`"),
    ("whoever", "name the reader, the client or the user"),
    ("as ever", "`unchanged`"),
    ("what mends", "`the fix`"),
    ("mends it", "`fixes it`"),
    ("put the proxy between", "`run the proxy in front of the server`"),
    ("goes on to dream", "`hallucinates`"),
    ("stands before", "`precedes`"),
    ("as it stands", "`unchanged`, `verbatim`"),
    ("as they stand", "`unchanged`, `verbatim`"),
    ("becomes of", "`what happens to`"),
    ("comes to mind", "name the thing"),
    ("read as meant", "`read as intended`"),
    ("demanded", "`required`"),
    ("flat out", "`at full speed`"),
    ("processor's time", "`CPU time`"),
    ("next to nothing", "say how much"),
];

/// Phrases of doc comments in the libraries, and the usual one: a function returns, and a place has a position.
const DOC_IDIOMS: [(&str, &str); 6] = [
    ("says whether", "`Returns whether`"),
    ("stands behind", "`follows`"),
    ("stands before", "`precedes`"),
    ("stands at", "`is at`, or only `at`"),
    ("as it stands", "`unchanged`"),
    ("goes on behind", "`continues after`"),
];

/// Crates that others depend on, and whose doc comments they read.
const LIBRARIES: [&str; 4] = ["toolglot", "toolglot-template", "toolglot-grammar", "toolglot-json"];

/// What a person reads, in pages, help texts and settings, is the English of its readers.
pub(super) fn are_not_used(file: &File) -> Complaints {
    let page = is_page(&file.path);
    let idioms: &[_] = match is_library(&file.path) {
        true => &DOC_IDIOMS,
        false if page || is_help(&file.path) => &IDIOMS,
        false => return Vec::new(),
    };
    let is_doc = |line: &str| ["///", "//!"].iter().any(|mark| line.trim_start().starts_with(mark));
    let lines = file.lines().filter(|(_, line)| page || is_doc(line));
    let found = |line: &str| {
        let line = line.to_lowercase();
        idioms.iter().filter(move |(phrase, _)| has_word(&line, &phrase.to_lowercase()))
    };
    let found = lines.flat_map(|(number, line)| found(line).map(move |idiom| (number, idiom)));
    found.map(|(number, (phrase, better))| complaint(file, number, &format!("`{phrase}`: write {better}"))).collect()
}

/// Pages for users. What models write and what was measured is quoted from tests.
fn is_page(path: &str) -> bool {
    let users = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let folders = ["docs/", "bindings/", "inspector/", "crates/", "fuzz/", "bench/", "e2e/"];
    let is_quoted = path == "docs/what-models-write.md" || path.contains("/tests/");
    path.ends_with(".md")
        && !is_quoted
        && (users.contains(&path) || folders.iter().any(|folder| path.starts_with(folder)))
}

fn is_library(path: &str) -> bool {
    let library = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
    library.is_some_and(|(name, _)| LIBRARIES.contains(&name))
}

/// Files whose documentation comments are help texts or descriptions of settings.
fn is_help(path: &str) -> bool {
    let commands = ["args", "serve", "doctor", "inspect", "replay", "console"];
    let command = path.strip_prefix("crates/toolglot-cli/src/").and_then(|path| path.strip_suffix(".rs"));
    command.is_some_and(|name| commands.contains(&name)) || path == "crates/toolglot-proxy/src/config/sections.rs"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idioms_are_found_where_users_read() {
        let check = |path: &str, text: &str| are_not_used(&File { path: path.to_owned(), text: text.to_owned() }).len();
        assert_eq!(check("docs/a.md", "The client is told.\nThere stands a call; whoever asks.\n"), 3);
        assert_eq!(check("docs/what-models-write.md", "It is no JSON.\n"), 0);
        assert_eq!(check("crates/toolglot-cli/src/args.rs", "    /// The text is no JSON\n    // It is no JSON\n"), 1);
        assert_eq!(check("crates/toolglot-cli/src/json.rs", "/// It is no JSON.\n"), 0);
        assert_eq!(check("crates/toolglot/src/json.rs", "//! It is no JSON.\n/// Says whether it is.\n"), 1);
        assert_eq!(check("fuzz/results/a.md", "Calls are demanded.\n"), 1);
    }
}
