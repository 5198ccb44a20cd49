//! Rules for dialect files and the table of dependencies.

use super::complaint;
use crate::Complaints;
use crate::files::File;

/// The most lines a dialect may have; what a model is told in the words of its family does not count.
const MAX_DIALECT: usize = 25;

/// A dialect that needs more lines needs a better notation.
pub(super) fn dialects_are_short(file: &File) -> Complaints {
    let lines = file.text.lines().take_while(|line| *line != "[teach]").filter(|line| !line.is_empty()).count();
    let wrong = file.path.starts_with("crates/toolglot/dialects/") && file.is(".toml") && lines > MAX_DIALECT;
    wrong.then(|| complaint(file, lines, &format!("{lines} lines, {MAX_DIALECT} are the most"))).into_iter().collect()
}

/// Features of `serde_json` that change what it does. Cargo would switch them on in every program that links the crate.
const CHANGING: [&str; 4] = ["arbitrary_precision", "preserve_order", "float_roundtrip", "unbounded_depth"];

/// No crate changes what `serde_json` does for others.
pub(super) fn serde_json_stays_as_it_is(file: &File) -> Complaints {
    let is_crate = ["crates/", "bindings/", "Cargo.toml"].iter().any(|start| file.path.starts_with(start));
    if !is_crate || !file.path.ends_with("Cargo.toml") {
        return Vec::new();
    }
    let (mut table, mut complaints) = ("", Vec::new());
    for (number, line) in file.lines() {
        table = if line.starts_with('[') { line } else { table };
        let found = CHANGING.iter().filter(|_| [table, line].iter().any(|text| text.contains("serde_json")));
        for feature in found.filter(|feature| line.contains(&format!("{feature}\""))) {
            complaints.push(complaint(
                file,
                number,
                &format!("`{feature}` changes `serde_json` for others; `toolglot-json` keeps order and numbers"),
            ));
        }
    }
    complaints
}

/// Every dependency of the workspace stands under a comment that says what it is for.
pub(super) fn dependencies_have_a_reason(file: &File) -> Complaints {
    if file.path != "Cargo.toml" {
        return Vec::new();
    }
    let (mut inside, mut reason, mut complaints) = (false, false, Vec::new());
    for (number, line) in file.lines() {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        }
        let name = line.split([' ', '=']).next().unwrap_or_default();
        if inside && line.contains(" = ") && !line.starts_with('#') && !line.contains("path = ") && !reason {
            complaints.push(complaint(
                file,
                number,
                &format!("`{name}` needs a comment above it that says what it is for"),
            ));
        }
        reason = line.starts_with('#');
    }
    complaints
}
