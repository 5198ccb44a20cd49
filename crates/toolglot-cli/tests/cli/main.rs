//! Runs the built binary as a shell would.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests end the test that cannot go on")]

mod completions;
mod detect;
mod dialects;
mod exchange;
mod help;
mod infer;
mod jsonl;
mod message;
mod pages;
mod render;
mod repair;
mod saved;
#[cfg(feature = "proxy")]
mod serve;
#[cfg(feature = "proxy")]
mod servers;
mod streams;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run left.
struct Done {
    code: i32,
    out: String,
    err: String,
}

/// Runs the binary on an input.
fn toolglot(args: &[&str], input: impl AsRef<[u8]>) -> Done {
    let mut child = command(args).spawn().expect("the binary runs");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.as_ref().to_vec();
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    feeder.join().expect("the input was fed");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Done { code: output.status.code().expect("no signal"), out: text(output.stdout), err: text(output.stderr) }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolglot"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Writes a file for one test and returns its path.
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the file can be written");
    path.to_str().expect("the path is UTF-8").to_owned()
}
