//! `toolglot inspect`: a page that shows what became of every byte of a text, on a port of this machine.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use toolglot_json::{Map, Value};
use toolglot_proxy::{PageFiles, ServeError, show};

use crate::failure::{ExitStatus, Failure, Run};
use crate::input::{Source, read_text};
use crate::tools;

pub(crate) const HELP: &str = "\
Examples:
  toolglot inspect                                   an empty page, to paste into
  toolglot inspect answer.txt --tools tools.json     a text, or a saved answer
  toolglot inspect answer.txt --open                 in the browser

The page runs in the browser alone and sends nothing anywhere; Ctrl+C ends its
server.";

/// The page's files, as they were made before this program was built.
pub(crate) const FILES: PageFiles = include!(concat!(env!("OUT_DIR"), "/inspector.rs"));

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// What a model wrote, or a saved answer; `-` is stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Declared tools, as for `parse`
    #[arg(long, short, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Dialect to read; repeatable [default: all]
    #[arg(long = "dialect", short, value_name = "NAME")]
    dialects: Vec<String>,
    /// Port to listen on [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

/// Serves the page until a signal ends it.
pub(crate) fn run(args: &InspectArgs) -> Run {
    if FILES.is_empty() {
        let message = "this program lacks the page, as Python's wheel does; run `inspector/build` and build it again";
        return Err(Failure::Usage(message.to_owned()));
    }
    let session = session(args)?;
    let ready = |url: &str| {
        // With stdout gone the page is still there.
        let _ = writeln!(io::stdout(), "{url}");
        if args.open && !open(url) {
            let _ = writeln!(io::stderr(), "no browser could be started; open the address above");
        }
    };
    match show(FILES, &session, args.port, ready) {
        Ok(()) => Ok(ExitStatus::Fine),
        Err(ServeError::Config(error)) => Err(Failure::Usage(error.to_string())),
        Err(error) => Err(Failure::Io(io::Error::other(error.to_string()))),
    }
}

/// Returns what the page begins with.
fn session(args: &InspectArgs) -> Result<Value, Failure> {
    let mut session = Map::new();
    session.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
    if let Some(file) = &args.file {
        let text = Source::open(Some(file))?.read_all()?;
        session.insert("text".to_owned(), String::from_utf8_lossy(&text).into());
    }
    if let Some(path) = &args.tools {
        tools::read(Some(path))?;
        session.insert("tools".to_owned(), read_text(path)?.into());
    }
    if !args.dialects.is_empty() {
        session.insert("dialects".to_owned(), args.dialects.clone().into());
    }
    Ok(Value::from(session))
}

/// Starts the browser that the desktop prefers.
fn open(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    Command::new(program).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}
