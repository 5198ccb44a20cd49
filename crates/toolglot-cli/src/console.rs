//! `--color` and `--quiet`, and the notes that `--quiet` silences.

use std::io::{self, Write};
use std::sync::OnceLock;

use clap::{Args, ColorChoice};

/// Terminal flags of every command.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ConsoleFlags {
    /// When to use colour; `auto` uses it on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,
    /// Print only results and errors, no diagnostics or notes
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// Set once, before a command runs; global, since notes come from all depths.
static FLAGS: OnceLock<ConsoleFlags> = OnceLock::new();

/// Stores the flags; later calls have no effect.
pub(crate) fn set(flags: ConsoleFlags) {
    let _ = FLAGS.set(flags);
}

/// Returns when to use colour.
pub(crate) fn color() -> ColorChoice {
    FLAGS.get().map_or(ColorChoice::Auto, |flags| flags.color)
}

/// Returns whether to print only results and errors.
pub(crate) fn is_quiet() -> bool {
    FLAGS.get().is_some_and(|flags| flags.quiet)
}

/// Writes a line to stderr unless `--quiet` is set; write errors are ignored.
pub(crate) fn note(line: &str) {
    if !is_quiet() {
        let _ = writeln!(io::stderr(), "{line}");
    }
}
