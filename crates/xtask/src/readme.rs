//! The README's main command: it must run, and print what the README shows.

use std::fs;
use std::process::{Command, Stdio};

use crate::files::File;
use crate::{Complaints, root};

const README: &str = "README.md";

/// What the shown output stands after.
const MARK: &str = "<!-- output of the main command -->";

/// Runs the main command and compares its output on a terminal with the README's.
pub fn check() -> Complaints {
    compare(&File::read(README).text).err().into_iter().collect()
}

/// Runs the main command and writes its output on a terminal into the README.
pub fn write() -> Complaints {
    let readme = File::read(README).text;
    let write = |(old, new): (String, String)| fs::write(root().join(README), readme.replacen(&old, &new, 1));
    let written = printed(&readme).and_then(|texts| write(texts).map_err(|error| error.to_string()));
    written.err().into_iter().collect()
}

fn compare(readme: &str) -> Result<(), String> {
    let (shown, printed) = printed(readme)?;
    if printed == shown {
        Ok(())
    } else {
        Err(format!("{README} shows other output than this; `cargo xtask readme --write` renews it\n{printed}"))
    }
}

/// Returns what the README shows, and what comes.
fn printed(readme: &str) -> Result<(String, String), String> {
    let (command, shown) =
        shown(readme).ok_or_else(|| format!("{README}: no command and output stand around `{MARK}`"))?;
    // From a clone the program is cargo's alias.
    let arguments = command.strip_prefix("toolglot ").unwrap_or(command);
    println!("cargo toolglot {arguments}");
    let done = Command::new("sh")
        .args(["-c", &format!("cargo toolglot {arguments}")])
        .current_dir(root())
        .stdin(Stdio::null())
        .output();
    let done = done.map_err(|error| error.to_string())?;
    if !done.status.success() {
        return Err(format!("`{command}` failed\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok((shown.to_owned(), on_terminal(&format!("{} {arguments}", program()))))
}

/// Returns the program that the main command built, without what cargo itself prints.
fn program() -> String {
    let folder = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.parent()?.join("quick/toolglot")));
    folder.unwrap_or_default().display().to_string()
}

/// Returns the main command, and the output that the README shows for it.
fn shown(readme: &str) -> Option<(&str, &str)> {
    let (before, after) = readme.split_once(MARK)?;
    let command = before.rsplit_once("```sh\n")?.1.split_once("\n```")?.0;
    let shown = after.split_once("```text\n")?.1.split_once("```")?.0;
    Some((command, shown))
}

/// Runs a command as on a terminal without colours; `script` is part of every Debian.
fn on_terminal(command: &str) -> String {
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", command, "/dev/null"]).env("NO_COLOR", "1");
    let output = script.current_dir(root()).stdin(Stdio::null()).output();
    let printed =
        output.map_or_else(|error| error.to_string(), |output| String::from_utf8_lossy(&output.stdout).into());
    printed.replace("\r\n", "\n").lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_shows_a_command_and_its_output() {
        let (command, output) =
            shown("```sh\na b\n```\n<!-- output of the main command -->\n\n```text\nc\n```").expect("both");
        assert_eq!((command, output), ("a b", "c\n"));
    }
}
