//! `docs/proxy.md`: the tables of all settings, as the program prints them.

use crate::docs::cli::printed;
use crate::files::File;

const START: &str = "<!-- settings: written by `cargo xtask docs` -->";
const END: &str = "<!-- end of settings -->";

/// Returns the manual of the proxy with its tables renewed.
pub(super) fn manual() -> File {
    let mut file = File::read("docs/proxy.md");
    let parts = file.text.split_once(START).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    if let Some((head, tail)) = parts {
        let tables = printed(&["config".to_owned(), "reference".to_owned()]);
        file.text = format!("{head}{START}\n\n{}\n\n{END}{tail}", tables.trim_end());
    }
    file
}
