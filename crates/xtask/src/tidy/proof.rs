//! Every guarantee is proven by a test that is there.

use super::complaint;
use crate::files::{self, File};
use crate::{Complaints, root};

/// The last cell of each row of a table in the threat model names tests: functions, or case files.
pub(super) fn security_names_tests(file: &File) -> Complaints {
    if file.path != "SECURITY.md" {
        return Vec::new();
    }
    let sources: Vec<File> = files::all().into_iter().filter(|file| file.is(".rs")).collect();
    let is_there = |name: &str| {
        let case = root().join("crates/toolglot/tests/cases").join(name).with_extension("txt");
        case.exists() || sources.iter().any(|file| is_test(&file.text, name))
    };
    let rows = file.lines().filter(|(_, line)| line.starts_with("| ") && !line.ends_with("| tests |"));
    let wrong = rows.flat_map(|(number, line)| {
        let cell = line.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
        let mut names = cell.split('`').skip(1).step_by(2).peekable();
        let none = names.peek().is_none().then(|| complaint(file, number, "a guarantee with no test"));
        let gone = names.filter(|name| !is_there(name));
        let gone: Vec<String> =
            gone.map(|name| complaint(file, number, &format!("no test is called `{name}`"))).collect();
        none.into_iter().chain(gone)
    });
    wrong.collect()
}

/// Says whether a source has a test function of a name.
fn is_test(source: &str, name: &str) -> bool {
    let declared = format!("fn {name}(");
    let mut before = source.match_indices(&declared).map(|(at, _)| &source[..at]);
    before.any(|before| before.lines().rev().take(4).any(|line| line.contains("test]") || line.contains("test(")))
}
