//! The repository's files: which there are, and what stands in them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::root;

/// Folders that hold nothing of ours.
const SKIPPED: [&str; 5] = ["target", ".git", ".work", "node_modules", "dist"];

/// A text file of the repository.
#[derive(Clone, Debug)]
pub struct File {
    /// The path from the root, with `/`.
    pub path: String,
    /// The text.
    pub text: String,
}

impl File {
    /// Reads a file by its path from the root; a file that is not there is empty.
    pub fn read(path: &str) -> Self {
        Self { path: path.to_owned(), text: fs::read_to_string(root().join(path)).unwrap_or_default() }
    }

    /// Says whether the path has an ending such as `.rs`.
    pub fn is(&self, ending: &str) -> bool {
        self.path.ends_with(ending)
    }

    /// Returns the lines with their numbers from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(at, line)| (at + 1, line))
    }
}

/// Returns every text file below the root, ordered by path.
pub fn all() -> Vec<File> {
    below(&root())
}

/// Returns every text file below a folder, ordered by path.
pub fn below(folder: &Path) -> Vec<File> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                found.push(File { path: relative(&path), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let skipped = |name: &std::ffi::OsStr| SKIPPED.iter().any(|skipped| name == *skipped);
    entries.filter(|entry| !skipped(&entry.file_name())).map(|entry| entry.path()).collect()
}

fn relative(path: &Path) -> String {
    let parts = path.strip_prefix(root()).unwrap_or(path).components();
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
