//! How a command ends: success, failure of part of the input, or an error.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use crate::console;
use crate::paint::Paint;

/// The exit status of a command that completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Exit code 0.
    Fine,
    /// Exit code 1: a broken line, a file that does not check, a failed repair.
    Failed,
}

impl ExitStatus {
    pub(crate) fn fine_if(fine: bool) -> Self {
        if fine { Self::Fine } else { Self::Failed }
    }
}

/// Why a command could not complete.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Exit code 2: the command line, or a file it names, is unusable.
    Usage(String),
    /// Exit code 1, or 0 if the output pipe was closed.
    Io(io::Error),
    /// Exit code 2: another process has reported the error.
    Reported,
}

impl Failure {
    /// A usage error with this message.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::Usage(message.to_string())
    }

    /// Prints the error and returns the exit code.
    pub(crate) fn report(self) -> u8 {
        let (message, code) = match self {
            Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
            Self::Reported => return 2,
            Self::Io(error) => (error.to_string(), 1),
            Self::Usage(message) => (message, 2),
        };
        print_error("error", message);
        code
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData => Self::Usage(error.to_string()),
            _ => Self::Io(error),
        }
    }
}

#[cfg(feature = "proxy")]
impl From<toolglot_proxy::ServeError> for Failure {
    fn from(error: toolglot_proxy::ServeError) -> Self {
        match error {
            toolglot_proxy::ServeError::Config(error) => Self::usage(error),
            error => Self::Io(io::Error::other(error.to_string())),
        }
    }
}

/// What the commands return.
pub(crate) type Run = Result<ExitStatus, Failure>;

/// Writes the result of a command.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Run {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref())?;
    out.flush()?;
    Ok(ExitStatus::Fine)
}

/// Writes the result of a command exactly for programs, with a line break for people.
pub(crate) fn print_exact(mut text: String) -> Run {
    if io::stdout().is_terminal() {
        text.push('\n');
    }
    print(text)
}

/// Writes an error to stderr; the command completes with exit code 1.
pub(crate) fn failed(label: &str, why: impl fmt::Display) -> Run {
    print_error(label, why);
    Ok(ExitStatus::Failed)
}

/// Writes an error to stderr; write errors are ignored.
pub(crate) fn print_error(label: &str, message: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}: {message}", Paint::stderr().error(label));
}

/// Writes a warning to stderr unless `--quiet` is set.
pub(crate) fn print_warning(label: &str, message: impl fmt::Display) {
    console::note(&format!("{}: {message}", Paint::stderr().warning(label)));
}
