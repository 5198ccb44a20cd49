//! How a command ends: fine, with something in the input that failed, or not at all.

use std::io::{self, Write};

use crate::paint::Paint;

/// How a command that ran to its end ended.
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

/// Why a command could not run to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Exit code 2: the command line, or a file that it names, cannot be used.
    Usage(String),
    /// Exit code 1, or 0 if the reader of the output went away.
    Io(io::Error),
    /// Exit code 2: another process has reported the error.
    Reported,
}

impl Failure {
    /// Tells the user and returns the exit code.
    pub(crate) fn report(self) -> u8 {
        let (message, code) = match self {
            Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => return 0,
            Self::Reported => return 2,
            Self::Io(error) => (error.to_string(), 1),
            Self::Usage(message) => (message, 2),
        };
        let label = Paint::stderr().error("error");
        // With stderr gone there is nobody left to tell.
        let _ = writeln!(io::stderr(), "{label}: {message}");
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

/// What the commands return.
pub(crate) type Run = Result<ExitStatus, Failure>;
