//! The command line of toolglot, as a library so that other packages can include it.

mod args;
mod cache;
mod chunk;
mod complete;
mod console;
mod detect;
mod diagnostics;
mod dialects;
#[cfg(feature = "proxy")]
mod doctor;
mod draft;
mod ends;
mod exchange;
mod explain;
mod failure;
mod features;
mod grammar;
mod infer;
mod input;
#[cfg(feature = "proxy")]
mod inspect;
mod json;
mod jsonl;
mod known;
mod limit_flag;
mod manual;
mod near;
mod options;
mod output;
mod paint;
mod parse;
mod progress;
mod recorded;
mod render;
mod repair;
#[cfg(feature = "proxy")]
mod replay;
mod report;
mod runner;
mod saved;
#[cfg(feature = "proxy")]
mod serve;
mod tally;
#[cfg(feature = "proxy")]
mod template_facts;
mod template_file;
mod tokens;
mod tools;
mod view;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, Parser as _};

use args::{Args, Command};
use failure::{ExitStatus, Failure};

/// Runs the command line with the arguments of a process, starting with the program's name; returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let asked = complete::answer(Args::command, &arguments);
    let args = match asked.and_then(|answered| (!answered).then(|| Args::try_parse_from(arguments)).transpose()) {
        Ok(Some(args)) => args,
        Ok(None) => return 0,
        Err(error) => {
            if let Some(message) = unavailable(&error) {
                return Failure::Usage(message).report();
            }
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    console::set(args.console);
    let ending = match args.command {
        Command::Parse(args) => parse::run(&args),
        Command::Repair(args) => repair::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Grammar(args) => grammar::run(&args),
        Command::Dialects(args) => dialects::run(&args.command),
        Command::Explain(args) => explain::run(&args),
        Command::Detect(args) => detect::run(&args),
        Command::Diagnostics(args) => diagnostics::run(&args),
        #[cfg(feature = "proxy")]
        Command::Serve(args) => serve::run(&args),
        #[cfg(feature = "proxy")]
        Command::Config(args) => serve::config(&args),
        #[cfg(feature = "proxy")]
        Command::Health(args) => serve::health(&args),
        #[cfg(feature = "proxy")]
        Command::Doctor(args) => doctor::run(&args),
        #[cfg(feature = "proxy")]
        Command::Inspect(args) => inspect::run(&args),
        #[cfg(feature = "proxy")]
        Command::Replay(args) => replay::run(&args),
        #[cfg(feature = "proxy")]
        Command::Captures(args) => replay::list(&args),
        Command::Completions(args) => complete::run(&args),
        Command::Man(args) => manual::man(&args),
    };
    match ending {
        Ok(ExitStatus::Fine) => 0,
        Ok(ExitStatus::Failed) => 1,
        Err(failure) => failure.report(),
    }
}

/// Returns the message for a command that this build does not include.
fn unavailable(error: &clap::Error) -> Option<String> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(command) => features::left_out(command),
        _ => None,
    }
}
