//! What a build costs: crates, the processor's time, and the size of what comes out.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::page::Section;
use crate::table::round;
use crate::timing::Care;

/// Packages of the workspace, and the file that each makes.
const PACKAGES: [(&str, &str, &str); 4] = [
    ("toolglot", "the library", "libtoolglot.rlib"),
    ("toolglot-wire", "and the protocols", "libtoolglot_wire.rlib"),
    ("toolglot-proxy", "and the proxy as a library", "libtoolglot_proxy.rlib"),
    ("toolglot-cli", "the program, proxy included", "toolglot"),
];

/// Each package is built from nothing, as somebody who depends on it does; a quick run builds the library only.
pub(crate) fn run(care: Care) -> Result<Section, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = env::temp_dir().join(format!("toolglot-building-{}", std::process::id()));
    let mut text = "| package | | crates | CPU seconds | MB |\n|---|---|---:|---:|---:|\n".to_owned();
    for (package, what, artifact) in PACKAGES.iter().take(if care == Care::Quick { 1 } else { PACKAGES.len() }) {
        let crates = crates(&root, package)?;
        let seconds = build(&root, &target, package)?;
        let bytes = fs::metadata(target.join("release").join(artifact)).map_err(|error| error.to_string())?.len();
        let row = format!("| `{package}` | {what} | {crates} | {} | {} |", round(seconds), round(bytes as f64 / 1e6));
        eprintln!("{row}");
        writeln!(text, "{row}").ok();
        fs::remove_dir_all(&target).map_err(|error| error.to_string())?;
    }
    Ok(Section::from(text))
}

fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).arg(arguments[0]).arg("--locked").args(&arguments[1..]);
    cargo
}

/// Returns how many crates a package consists of, itself included.
fn crates(root: &Path, package: &str) -> Result<usize, String> {
    let listed = cargo(root, &["tree", "--package", package, "--edges", "normal", "--prefix", "none"]).output();
    let listed = String::from_utf8(listed.map_err(|error| error.to_string())?.stdout).unwrap_or_default();
    let mut names: Vec<&str> = listed.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names.len())
}

/// Builds a package into an empty folder; returns what it cost of the processor.
fn build(root: &Path, target: &PathBuf, package: &str) -> Result<f64, String> {
    let before = children()?;
    let mut build = cargo(root, &["build", "--release", "--quiet", "--package", package]);
    let status = build.env("CARGO_TARGET_DIR", target).status().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("`{package}` cannot be built"));
    }
    Ok(children()? - before)
}

/// Returns the seconds that the processes that this one started have spent, as Linux counts them.
fn children() -> Result<f64, String> {
    let stat = fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    spent_by_children(&stat).ok_or_else(|| format!("what is in /proc/self/stat is not known: {stat}"))
}

/// The clock's ticks in a second, on every Linux machine that is not very old.
const TICKS: f64 = 100.0;

/// Behind the command's name, which stands in parentheses, the 14th and 15th word are what children spent.
fn spent_by_children(stat: &str) -> Option<f64> {
    let (_, behind) = stat.rsplit_once(") ")?;
    let mut ticks = behind.split(' ').skip(13).map(str::parse::<f64>);
    Some((ticks.next()?.ok()? + ticks.next()?.ok()?) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_children_spent_stands_behind_the_name() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194304 9 9 0 0 5 6 150 50 20 0 1 0 99 1000 8";
        assert_eq!(spent_by_children(stat), Some(2.0));
        assert_eq!(spent_by_children("7 (a) S 1"), None);
    }
}
