//! `docs/names.md`: every module and type of the code, one line each, from their own first sentences.

use std::fmt::Write as _;

use crate::files::File;
use crate::names::{CRATES, purpose, sources, types};

/// Returns the page.
pub(super) fn page() -> File {
    let mut text = "<!-- Written by `cargo xtask docs`; change the first sentence of the module or type instead. -->\n\
                    # Names\n\n\
                    Every module and type, with its own first sentence. The ideas behind them are in the\n\
                    [glossary](glossary.md). A type's name is unique in its crate; `cargo xtask tidy` checks that.\n"
        .to_owned();
    for krate in CRATES {
        let name = krate.trim_start_matches("crates/");
        let _ = write!(text, "\n## {name}\n\n| module | type | what it is |\n|---|---|---|\n");
        for file in sources(krate) {
            let module = file.path[krate.len() + "/src/".len()..].trim_end_matches(".rs");
            row(&mut text, module, "", &purpose(&file));
            types(&file).iter().for_each(|named| row(&mut text, "", &named.name, &named.sentence));
        }
    }
    File { path: "docs/names.md".to_owned(), text }
}

fn row(text: &mut String, module: &str, name: &str, sentence: &str) {
    let code = |word: &str| if word.is_empty() { String::new() } else { format!("`{word}`") };
    // Brackets of links would point at items of the code, and a bar would end the cell.
    let sentence = sentence.replace("[`", "`").replace("`]", "`").replace('|', "\\|");
    let _ = writeln!(text, "| {} | {} | {sentence} |", code(module), code(name));
}
