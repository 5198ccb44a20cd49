//! The README's main command: it must run, and print what the README shows.

use std::process::{Command, Stdio};

use crate::files::File;
use crate::{Complaints, root};

/// What the shown output stands after.
const MARK: &str = "<!-- output of the main command -->";

/// Runs the main command on a terminal and compares its output with the README's.
pub fn check() -> Complaints {
    let readme = File::read("README.md").text;
    let Some((command, shown)) = shown(&readme) else {
        return vec![format!("README.md: no command and output stand around `{MARK}`")];
    };
    println!("{command}");
    let printed = on_terminal(command);
    if printed == shown { Vec::new() } else { vec![format!("README.md shows other output than comes:\n{printed}")] }
}

/// Returns the main command, and the output that the README shows for it.
fn shown(readme: &str) -> Option<(&str, &str)> {
    let (before, after) = readme.split_once(MARK)?;
    let command = before.rsplit_once("```sh\n")?.1.split_once("\n```")?.0;
    let shown = after.split_once("```text\n")?.1.split_once("```")?.0;
    Some((command, shown))
}

/// Runs a command as on a terminal without colours, and returns what it prints; `script` is part of every Debian.
fn on_terminal(command: &str) -> String {
    let quiet = command.replacen("cargo run ", "cargo run --quiet ", 1);
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &quiet, "/dev/null"]).env("NO_COLOR", "1");
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
