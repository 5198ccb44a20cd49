//! `toolglot inspect`: a local web page that shows how each byte of a text was read.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use toolglot_json::{Map, Value};
use toolglot_proxy::{PageFiles, show};

use crate::complete;
use crate::failure::{ExitStatus, Failure, Run};
use crate::input::{Source, read_text};
use crate::tools;

pub(crate) const HELP: &str = "\
Examples:
  toolglot inspect                                   an empty page to paste into
  toolglot inspect answer.txt --tools tools.json     a text, or a saved response
  toolglot inspect answer.txt --open                 opens the browser

The page runs entirely in the browser and sends no data. Ctrl+C stops the
server.";

/// The page's prebuilt files.
pub(crate) const FILES: PageFiles = include!(concat!(env!("OUT_DIR"), "/inspector.rs"));

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// A model's output or a saved response; `-` reads stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// JSON file with the declared tools, as for `parse`
    #[arg(long, short, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Dialect to read; repeatable [default: all]
    #[arg(long = "dialect", short, value_name = "NAME", add = complete::dialects(&[]))]
    dialects: Vec<String>,
    /// Port to listen on [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

/// Serves the page until a signal stops it.
pub(crate) fn run(args: &InspectArgs) -> Run {
    if FILES.is_empty() {
        let message =
            "this program was built without the page, like Python's wheel; run `inspector/build` and rebuild it";
        return Err(Failure::usage(message));
    }
    let session = session(args)?;
    let ready = |url: &str| {
        // The page works without stdout.
        let _ = writeln!(io::stdout(), "{url}");
        if args.open && !open(url) {
            let _ = writeln!(io::stderr(), "cannot start a browser; open the URL above");
        }
    };
    show(FILES, &session, args.port, ready)?;
    Ok(ExitStatus::Fine)
}

/// Returns the page's initial state.
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

/// Starts the default browser.
fn open(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    Command::new(program).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}
