//! What `--color` and `--quiet` say, for every command, and the notes that `--quiet` silences.

use std::io::{self, Write};
use std::sync::OnceLock;

use crate::args::{Color, ConsoleFlags};

/// Set once, before a command runs.
static FLAGS: OnceLock<ConsoleFlags> = OnceLock::new();

/// Takes the flags; later calls change nothing.
pub(crate) fn set(flags: ConsoleFlags) {
    let _ = FLAGS.set(flags);
}

/// Returns when to use colour.
pub(crate) fn color() -> Color {
    FLAGS.get().map_or(Color::Auto, |flags| flags.color)
}

/// Says whether only results and errors are wanted.
pub(crate) fn is_quiet() -> bool {
    FLAGS.get().is_some_and(|flags| flags.quiet)
}

/// Writes a line to stderr for the person at the terminal; once stderr is gone, there is nobody to tell.
pub(crate) fn note(line: &str) {
    if !is_quiet() {
        let _ = writeln!(io::stderr(), "{line}");
    }
}
