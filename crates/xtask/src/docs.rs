//! The generated documents: written from the code and the data, and compared with what is checked in.

use std::fs;

use crate::files::File;
use crate::{Complaints, root};

mod api;
mod cli;
mod diagnostics;
mod dialects;
mod example;
mod grammars;
mod names;
mod page;
mod picture;
mod settings;

/// Writes every generated document that is stale, and removes pages of dialects that are gone.
pub fn write() -> Complaints {
    let mut complaints = Vec::new();
    for file in generated().into_iter().flat_map(stale) {
        let path = root().join(&file.path);
        println!("{}", file.path);
        if let Err(error) = fs::write(&path, &file.text) {
            complaints.push(format!("cannot write `{}`: {error}", file.path));
        }
    }
    for path in forgotten() {
        if let Err(error) = fs::remove_file(root().join(&path)) {
            complaints.push(format!("cannot remove `{path}`: {error}"));
        }
    }
    complaints
}

/// Says which generated documents are stale.
pub fn check() -> Complaints {
    let stale =
        generated().into_iter().flat_map(stale).map(|file| format!("{} is stale; run `cargo xtask docs`", file.path));
    let forgotten = forgotten().into_iter().map(|path| format!("{path} is of no dialect; run `cargo xtask docs`"));
    stale.chain(forgotten).collect()
}

fn generated() -> Vec<File> {
    let mut files = vec![
        dialects::index(),
        picture::page(),
        diagnostics::page(),
        cli::page(),
        settings::manual(),
        api::page(),
        names::page(),
        grammars::table(),
    ];
    files.extend(dialects::pages());
    files
}

/// Returns the file if the one on disk differs.
fn stale(file: File) -> Option<File> {
    (File::read(&file.path).text != file.text).then_some(file)
}

/// Pages of dialects that there are not, or no longer.
fn forgotten() -> Vec<String> {
    let pages: Vec<String> = dialects::pages().into_iter().map(|page| page.path).collect();
    let on_disk =
        crate::files::all().into_iter().map(|file| file.path).filter(|path| path.starts_with("docs/dialects/"));
    on_disk.filter(|path| !pages.contains(path)).collect()
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
