//! Where input comes from: a file, or stdin where `-` or nothing is said.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use crate::failure::Failure;

/// Bytes that one read asks for.
const BLOCK: usize = 256 << 10;

/// An opened input.
pub(crate) struct Source {
    /// Its name in messages.
    pub(crate) name: String,
    /// Its size, if it is a file.
    pub(crate) size: Option<u64>,
    reader: Box<dyn Read + Send>,
}

impl Source {
    /// Opens a file, or stdin for `-` and for nothing.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        match path.filter(|path| !is_stdin(path)) {
            Some(path) => Self::file(path).map_err(|error| unreadable(path, &error)),
            None => Ok(Self::stdin()),
        }
    }

    fn file(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let size = metadata.is_file().then_some(metadata.len());
        Ok(Self { name: path.display().to_string(), size, reader: Box::new(file) })
    }

    fn stdin() -> Self {
        if io::stdin().is_terminal() {
            let _ = writeln!(io::stderr(), "reading from the terminal; Ctrl-D ends the input");
        }
        Self { name: "<stdin>".to_owned(), size: None, reader: Box::new(io::stdin()) }
    }

    /// Returns an input in which nothing is left.
    pub(crate) fn empty() -> Self {
        Self { name: String::new(), size: None, reader: Box::new(io::empty()) }
    }

    /// Adds what is there to `buffer`, at most a block; 0 at the end of the input.
    pub(crate) fn read_block(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let start = buffer.len();
        buffer.resize(start + BLOCK, 0);
        let got = loop {
            match self.reader.read(buffer.get_mut(start..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                got => break got,
            }
        };
        buffer.truncate(start + got.as_ref().copied().unwrap_or_default());
        got
    }

    /// Reads everything.
    pub(crate) fn read_all(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Reads a file that a flag names.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

/// Says whether a path means stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file; check the path".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory; give a file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied; check who may read it".to_owned(),
        io::ErrorKind::InvalidData => "it is not UTF-8; save it as UTF-8".to_owned(),
        _ => error.to_string(),
    };
    Failure::Usage(format!("cannot read `{}`: {why}", path.display()))
}
