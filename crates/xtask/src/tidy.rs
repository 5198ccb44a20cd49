//! Tidy: the rules of the house that a machine can check.

use crate::Complaints;
use crate::files::{self, File};

mod circles;
mod data;
mod idioms;
mod names;
mod proof;
mod prose;
mod rust;
mod size;

/// A rule looks at one file and says what is wrong there.
type Rule = fn(&File) -> Complaints;

const RULES: [Rule; 21] = [
    rust::begins_with_its_purpose,
    rust::is_short,
    rust::has_no_banned_words,
    rust::names_no_dialect,
    rust::spells_no_marker,
    names::types_are_named_once,
    names::types_say_what_they_are,
    names::names_say_enough,
    names::glossary_is_true,
    data::dialects_are_short,
    data::dependencies_have_a_reason,
    data::serde_json_stays_as_it_is,
    prose::says_nothing_for_later,
    prose::names_no_registry,
    prose::has_no_dead_links,
    prose::architecture_is_short,
    prose::architecture_is_true,
    prose::states_the_msrv,
    prose::counts_the_dialects,
    idioms::are_not_used,
    proof::security_names_tests,
];

/// Checks every file of the repository.
pub fn check() -> Complaints {
    let files = files::all();
    files.iter().flat_map(check_file).chain(circles::are_none(&files)).chain(size::does_not_grow(&files)).collect()
}

fn check_file(file: &File) -> Complaints {
    RULES.iter().flat_map(|rule| rule(file)).collect()
}

/// Says what is wrong in a line.
fn complaint(file: &File, line: usize, what: &str) -> String {
    format!("{}:{line}: {what}", file.path)
}

/// Says whether `word` stands in a line on its own, not as a part of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(is_part);
        let after = line[at + word.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a made-up file; the complaints must be one for each of `expected`, which each contains.
    #[track_caller]
    fn check_text(path: &str, text: &str, expected: &[&str]) {
        let found = check_file(&File { path: path.to_owned(), text: text.to_owned() });
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found} should contain {expected}");
        }
    }

    #[test]
    fn the_repository_is_tidy() {
        let complaints = check();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }

    #[test]
    fn rust_files_say_what_they_are_for_and_stay_short() {
        check_text("crates/a/src/a.rs", "//! Reads.\n", &[]);
        check_text("crates/a/src/a.rs", "use std::fmt;\n", &["a.rs:1: "]);
        check_text("crates/a/src/a.rs", &("//! Long.\n".to_owned() + &"\n".repeat(500)), &["501 lines"]);
    }

    #[test]
    fn what_tests_must_not_do_is_found() {
        let text = format!("//! Tests.\n{}]\nfn f() {{ {}!() }}\n", concat!("#[ig", "nore"), concat!("to", "do"));
        check_text("crates/a/src/a.rs", &text, &[":2: ", ":3: "]);
    }

    #[test]
    fn the_core_names_dialects_only_in_tests_and_comments() {
        let text =
            "//! Reads.\n/// As hermes does.\nconst A: &str = \"hermes\";\n#[cfg(test)]\nmod tests {\n\"hermes\"\n";
        check_text("crates/toolglot/src/a.rs", text, &[":3: "]);
        check_text("crates/toolglot-cli/src/a.rs", text, &[]);
        check_text("crates/toolglot/src/tests/a.rs", text, &[]);
    }

    #[test]
    fn dialects_stay_short_and_dependencies_have_a_reason() {
        check_text("crates/toolglot/dialects/a.toml", &"x\n".repeat(26), &["26 lines"]);
        let table = "[workspace.dependencies]\nown = { path = \"x\" }\n# Finds bytes.\nmemchr = \"2\"\ntoml = \"1\"\n[lints]\na = \"b\"\n";
        check_text("Cargo.toml", table, &[":5: `toml`"]);
    }

    #[test]
    fn features_that_change_serde_json_for_others_are_found() {
        let wrong =
            "[dependencies]\nserde_json = { workspace = true, features = [\"raw_value\", \"preserve_order\"] }\n";
        check_text("crates/a/Cargo.toml", wrong, &[":2: `preserve_order`"]);
        check_text("bindings/a/Cargo.toml", "[features]\nexact = [\"serde_json/arbitrary_precision\"]\n", &[":2: "]);
        check_text("Cargo.toml", "[dependencies.serde_json]\nfeatures = [\"arbitrary_precision\"]\n", &[":2: "]);
        let fine = "[dependencies]\nserde_json = { features = [\"raw_value\"] }\nminijinja = { features = [\"preserve_order\"] }\n";
        check_text("crates/a/Cargo.toml", fine, &[]);
    }

    #[test]
    fn guarantees_name_tests_that_exist() {
        let row = "| Said | `guarantees_name_tests_that_exist`, `tokens/half_a_marker` |\n";
        check_text("SECURITY.md", row, &[]);
        check_text("SECURITY.md", "| Said | `no_such_test`, `tokens/none` |\n", &["no_such_test", "tokens/none"]);
        check_text("SECURITY.md", "| Said | soon |\n", &["no test"]);
    }

    #[test]
    fn prose_has_no_dead_links() {
        check_text("docs/a.md", "[a](../README.md) [b](https://example.org) [c](#part) [d](gone.md)\n", &["gone.md"]);
        check_text("docs/a.md", "in 7 formats\n", &["7 formats"]);
        check_text("docs/a.md", &format!("{} write this\n", concat!("TO", "DO")), &[":1: "]);
    }
}
