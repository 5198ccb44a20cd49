//! `cargo xtask cases`: the case files of the core as JSON, so that no binding has a reader of its own for them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Complaints, root};

/// Writes the cases into a file, with what the parser says of each; it has to be what their files expect.
pub fn write(path: &str) -> Complaints {
    let to = std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")).join(Path::new(path));
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--quiet", "--package", "toolglot", "--test", "cases", "--", "--export"]).arg(to);
    match cargo.current_dir(root()).status() {
        Ok(status) if status.success() => Vec::new(),
        _ => vec!["the cases could not be written; see above".to_owned()],
    }
}
