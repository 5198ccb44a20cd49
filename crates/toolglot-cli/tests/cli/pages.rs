//! Every command that a page shows can be pasted: blocks of shell in the README and in `docs/` run, in a folder that has
//! nothing but the examples.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Stands before a block that is not run, with the reason.
const NOT_RUN: &str = "<!-- not run: ";

/// Commands that fetch, build or install; a test does not.
const FOREIGN: [&str; 5] = ["cargo ", "git clone ", ".ci/", "e2e/run ", "docker "];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.extend(["README.md", "SECURITY.md", "crates/toolglot/dialects/README.md"].map(|page| root().join(page)));
    pages.sort();
    pages
}

/// The blocks of shell on a page, with their first line's number.
fn blocks(page: &str) -> Vec<(usize, String)> {
    let (mut blocks, mut open, mut reason) = (Vec::new(), None::<(usize, String)>, false);
    for (number, line) in (1..).zip(page.lines()) {
        match open.as_mut() {
            Some(_) if line == "```" => blocks.extend(open.take().filter(|_| !std::mem::take(&mut reason))),
            Some((_, block)) => *block += &format!("{line}\n"),
            None if line == "```sh" => open = Some((number + 1, String::new())),
            None if line.starts_with(NOT_RUN) => reason = true,
            None => {}
        }
    }
    blocks
}

#[test]
fn every_command_on_every_page_can_be_pasted() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("examples")).unwrap();
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        fs::copy(&path, place.join("examples").join(path.file_name().unwrap())).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_toolglot")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let (mut run, mut wrong) = (0, Vec::new());
    for page in pages() {
        for (number, block) in blocks(&fs::read_to_string(&page).unwrap()) {
            if block.lines().any(|line| FOREIGN.iter().any(|word| line.starts_with(word))) {
                continue;
            }
            let mut shell = Command::new("sh");
            shell.args(["-e", "-c", &block]).current_dir(&place).env("PATH", &path).stdin(Stdio::null());
            run += 1;
            if let Err(told) = ends_well(shell) {
                wrong.push(format!("{}:{number}:\n{block}{told}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(run >= 8, "only {run} blocks were run");
}

/// Runs a block; one that does not end in time is stopped.
fn ends_well(mut shell: Command) -> Result<(), String> {
    let mut child = shell.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > LONGEST {
            child.kill().unwrap();
            return Err(format!("it runs for more than {LONGEST:?}; write `{NOT_RUN}REASON -->` before the block\n"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let done = child.wait_with_output().unwrap();
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// No block takes a second on an idle machine.
const LONGEST: Duration = Duration::from_secs(60);

/// A page shows what a command prints behind it, word for word.
#[test]
fn the_readme_shows_what_explain_says() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme.split("| toolglot explain\n```\n\n```text\n").nth(1).and_then(|rest| rest.split('\n').next());
    let said = crate::toolglot(&["explain"], "[get_weather(city=\"Paris\")]\n").out;
    assert_eq!(shown, said.lines().next());
}

#[test]
fn the_readme_shows_what_its_main_command_prints() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (before, after) = readme.split_once("<!-- output of the main command -->\n\n```text\n").unwrap();
    let command = before.lines().rfind(|line| line.starts_with("toolglot ")).unwrap();
    let args: Vec<&str> = command.split(' ').skip(1).chain(["--format", "pretty"]).collect();
    let printed = crate::command(&args).current_dir(root()).output().unwrap();
    let printed = [printed.stdout, printed.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    assert_eq!(after.split_once("```").unwrap().0, printed);
}
