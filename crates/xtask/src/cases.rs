//! `cargo xtask cases`: the case files of the core as JSON, so that no binding has a reader of its own for them.

use std::fs;

use crate::{Complaints, files, root};

mod export;

const FOLDER: &str = "crates/toolglot/tests/cases/";

/// Writes the cases into a file, with what the parser says of each; it has to be what their files expect.
pub fn write(path: &str) -> Complaints {
    let shared = files::File::read(&format!("{FOLDER}tools.json")).text;
    let mut lines = Vec::new();
    for file in files::below(&root().join(FOLDER)) {
        let name = file.path.strip_prefix(FOLDER).and_then(|path| path.strip_suffix(".txt"));
        let Some(name) = name else { continue };
        match export::export(name, &file.text, &shared) {
            Ok(cases) => lines.extend(cases.iter().map(ToString::to_string)),
            Err(error) => return vec![error],
        }
    }
    let written = fs::write(path, format!("[\n{}\n]\n", lines.join(",\n")));
    written.err().map(|error| format!("{path}: {error}")).into_iter().collect()
}
