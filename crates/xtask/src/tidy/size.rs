//! The engine's size, in numbers that may fall and not rise.

use crate::Complaints;
use crate::files::File;

/// What is counted in the core's code, without tests and without what only asks the engine: how much there is at most.
#[rustfmt::skip]
const MOST: [Count; 4] = [
    Count { what: "lines", most: 29_854, of: |code| code.len() },
    Count { what: "functions that can say `NotYet`", most: 461, of: |code| signatures(code).filter(|it| it.contains("NotYet>")).count() },
    Count { what: "`bool` fields", most: 141, of: |code| code.iter().filter(|line| is_flag(line)).count() },
    Count { what: "numeric constants", most: 68, of: |code| code.iter().filter(|line| is_number(line)).count() },
];

/// Files that use the engine as anybody does.
const TOOLS: [&str; 6] = ["near_miss", "inspect", "sketch", "certify", "trace", "detect"];

const CORE: &str = "crates/toolglot/src/";

struct Count {
    what: &'static str,
    most: usize,
    of: fn(&[&str]) -> usize,
}

/// No count is above what it was.
pub(super) fn does_not_grow(files: &[File]) -> Complaints {
    let core: Vec<&str> = files.iter().filter(|file| is_engine(file)).flat_map(code).collect();
    let counts = MOST.iter().map(|count| ((count.of)(&core), count));
    let above = counts.filter(|(found, count)| *found > count.most);
    above
        .map(|(found, Count { what, most, .. })| {
            format!("{CORE}: {found} {what}, and {most} are the most; take out as much as you put in")
        })
        .collect()
}

fn is_engine(file: &File) -> bool {
    let Some(path) = file.path.strip_prefix(CORE).and_then(|path| path.strip_suffix(".rs")) else { return false };
    let is_test = path.ends_with("tests") || path.contains("tests/");
    let first = path.split('/').next().unwrap_or_default();
    !is_test && !TOOLS.contains(&first)
}

/// Returns a file's lines before its tests, which stand last.
fn code(file: &File) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = file.lines().map(|(_, line)| line).collect();
    let end = lines.iter().rposition(|line| *line == "#[cfg(test)]").unwrap_or(lines.len());
    lines.into_iter().take(end)
}

/// Returns the heads of functions, each as one text.
fn signatures(code: &[&str]) -> impl Iterator<Item = String> {
    let begins = |line: &str| without_visibility(line.trim_start()).starts_with("fn ");
    let heads = code.iter().enumerate().filter(move |(_, line)| begins(line));
    heads.map(|(at, _)| {
        let ends = |line: &&&str| !line.ends_with('{') && !line.ends_with(';');
        let body = code[at..].iter().take_while(ends).count();
        code[at..(at + body + 1).min(code.len())].concat()
    })
}

fn is_flag(line: &str) -> bool {
    let field = without_visibility(line.trim());
    field.ends_with(": bool,") && field.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_: ,".contains(&byte))
}

fn is_number(line: &str) -> bool {
    let line = without_visibility(line);
    line.starts_with("const ") && [": usize =", ": u8 =", ": u32 =", ": u64 ="].iter().any(|kind| line.contains(kind))
}

fn without_visibility(line: &str) -> &str {
    ["pub(crate) ", "pub(super) ", "pub "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_found() {
        let code =
            ["    pub(crate) fn a(", "        at: usize,", "    ) -> Result<bool, NotYet> {", "    fn b() -> bool {"];
        assert_eq!(signatures(&code).filter(|it| it.contains("NotYet>")).count(), 1);
        assert!(is_flag("    pub(super) dirty: bool,") && !is_flag("    fn f(dirty: bool, at: usize)"));
        assert!(is_number("pub(super) const KEY: usize = 256;") && !is_number("const NAMES: [&str; 2] = ["));
    }
}
