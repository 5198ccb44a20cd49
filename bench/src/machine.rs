//! What everything is measured on, and the versions of what is compared.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use crate::page::Section;
use crate::timing::Care;

/// The crates that are compared, as the lock file names them.
const CRATES: [&str; 7] =
    ["tool-parser", "dynamo-parsers", "dynamo-parsers-v2", "llm_json", "jsonrepair", "serde_json", "memchr"];

const LOCK: &str = include_str!("../Cargo.lock");

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let peers: Vec<String> =
        CRATES.iter().filter_map(|name| Some(format!("`{name}` {}", version(LOCK, name)?))).collect();
    let mut text = format!(
        "{}, {threads} threads; {}; {}.",
        model.trim_start_matches(['\t', ' ', ':']),
        rustc(),
        peers.join(", ")
    );
    if care == Care::Quick {
        write!(text, " **These numbers are of a quick run: they show that it works and no more.**").ok();
    }
    if !cfg!(feature = "peers") {
        write!(text, " Built without the peers.").ok();
    }
    Ok(Section::from(text))
}

fn rustc() -> String {
    let said = Command::new("rustc").arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&said).split(" (").next().unwrap_or_default().trim().to_owned()
}

/// Returns the version of a crate in a lock file.
fn version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_stand_in_the_lock_file() {
        assert_eq!(version("[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n", "a"), Some("1.2.3"));
        assert_eq!(version(LOCK, "toolglot"), Some("0.1.0"));
    }
}
