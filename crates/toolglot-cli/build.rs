//! Puts the inspector's page into the program: a table of the files in `inspector`, or of those in the folder that
//! `TOOLGLOT_INSPECTOR` names. Without files it is empty.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TOOLGLOT_INSPECTOR");
    let own = || PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("inspector");
    let root = env::var_os("TOOLGLOT_INSPECTOR").map_or_else(own, PathBuf::from);
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if env::var_os("CARGO_FEATURE_INSPECTOR").is_some() && root.is_dir() {
        walk(&root, &mut files)?;
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending != "stamp"));
    files.sort();
    let mut table = String::from("&[\n");
    for path in files {
        let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let _ = writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.to_string_lossy());
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("inspector.rs"), table)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
