//! The command line of toolglot: the commands, and what their ends mean to a shell.

mod args;
mod cache;
mod chunk;
mod detect;
mod diagnostics;
mod dialects;
mod explain;
mod failure;
mod input;
mod json;
mod jsonl;
mod known;
mod options;
mod output;
mod paint;
mod parse;
mod progress;
mod render;
mod repair;
mod report;
mod runner;
mod saved;
#[cfg(feature = "proxy")]
mod serve;
mod tokens;
mod view;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Args, Command};
use failure::Ending;

fn main() -> ExitCode {
    let ending = match Args::parse().command {
        Command::Parse(args) => parse::run(&args),
        Command::Repair(args) => repair::run(&args),
        Command::Render(args) => render::run(&args),
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
    };
    match ending {
        Ok(Ending::Fine) => ExitCode::SUCCESS,
        Ok(Ending::Failed) => ExitCode::from(1),
        Err(failure) => failure.report(),
    }
}
