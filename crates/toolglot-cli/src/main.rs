//! The program `toolglot`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(toolglot_cli::run(std::env::args_os()))
}
