//! The generated documents: written from the code and the data, and compared with what is checked in.

use std::fs;

use crate::files::File;
use crate::{Complaints, root};

mod bindings;
mod cli;
mod declared;
mod diagnostics;
mod dialects;
mod example;
mod grammars;
mod picture;
mod reliability;
mod section;
mod settings;

/// Writes every generated document that is stale.
pub fn write() -> Complaints {
    let mut complaints = Vec::new();
    for file in generated().into_iter().flat_map(stale) {
        let path = root().join(&file.path);
        println!("{}", file.path);
        if let Err(error) = fs::write(&path, &file.text) {
            complaints.push(format!("cannot write `{}`: {error}", file.path));
        }
    }
    complaints
}

/// Says which generated documents are stale.
pub fn check() -> Complaints {
    let stale =
        generated().into_iter().flat_map(stale).map(|file| format!("{} is stale; run `cargo xtask docs`", file.path));
    stale.chain(bindings::complaints()).collect()
}

fn generated() -> Vec<File> {
    vec![
        dialects::index(),
        picture::page(),
        diagnostics::page(),
        cli::page(),
        settings::manual(),
        reliability::page(),
        grammars::table(),
        bindings::page(),
    ]
}

/// Returns the file if the one on disk differs.
fn stale(file: File) -> Option<File> {
    (File::read(&file.path).text != file.text).then_some(file)
}

/// Prints the page of all dialects, which the site has and the repository does not.
pub fn print_dialects() {
    print!("{}", dialects::page());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_generated_document_is_stale() {
        let complaints = check();
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}
