//! Input from a file, or from stdin if the path is `-` or missing.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use toolglot_json::Value;

use crate::console;
use crate::failure::Failure;
use crate::json;

/// Bytes that one read asks for.
const BLOCK: usize = 256 << 10;

/// An opened input.
pub(crate) struct Source {
    /// Its name in messages.
    pub(crate) name: String,
    /// Its size, if it is a file.
    pub(crate) size: Option<u64>,
    reader: Box<dyn Read + Send>,
    /// Whether its start was checked.
    is_checked: bool,
}

impl Source {
    /// Opens a file, or stdin if the path is `-` or missing.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        match path.filter(|path| !is_stdin(path)) {
            Some(path) => Self::file(path).map_err(|error| unreadable(path, &error)),
            None => Ok(Self::stdin()),
        }
    }

    /// Opens all files before any is read; stdin if there are none.
    pub(crate) fn open_all(paths: &[PathBuf]) -> Result<Vec<Self>, Failure> {
        if paths.is_empty() {
            return Ok(vec![Self::stdin()]);
        }
        paths.iter().map(|path| Self::open(Some(path))).collect()
    }

    fn file(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let size = metadata.is_file().then_some(metadata.len());
        Ok(Self { name: path.display().to_string(), size, reader: Box::new(file), is_checked: false })
    }

    fn stdin() -> Self {
        if io::stdin().is_terminal() {
            console::note("reading from the terminal; press Ctrl-D to end the input");
        }
        Self { name: "<stdin>".to_owned(), size: None, reader: Box::new(io::stdin()), is_checked: false }
    }

    /// Returns an empty input.
    pub(crate) fn empty() -> Self {
        Self { name: String::new(), size: None, reader: Box::new(io::empty()), is_checked: true }
    }

    /// Appends the available bytes to `buffer`, at most a block; returns 0 at the end of the input.
    pub(crate) fn read_block(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let start = buffer.len();
        buffer.resize(start + BLOCK, 0);
        // Not `read_to_end`: a program that writes slowly is answered as it writes.
        let got = loop {
            match self.reader.read(buffer.get_mut(start..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                got => break got,
            }
        };
        buffer.truncate(start + got.as_ref().copied().unwrap_or_default());
        got.and_then(|count| self.checked(buffer.get(start..).unwrap_or_default()).map(|()| count))
    }

    /// Reads everything.
    pub(crate) fn read_all(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader.read_to_end(&mut bytes)?;
        self.checked(&bytes)?;
        Ok(bytes)
    }

    /// Rejects an input that starts like an image, an archive or UTF-16.
    fn checked(&mut self, start: &[u8]) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.is_checked, true);
        if is_first && is_binary(start) {
            let message = format!("`{}` is a binary file; pass UTF-8 text", self.name);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(())
    }
}

/// Reads a file that a flag names.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

/// Reads a JSON file that a flag names.
pub(crate) fn read_json(path: &Path) -> Result<Value, Failure> {
    toolglot_json::from_str(&read_text(path)?)
        .map_err(|error| Failure::Usage(format!("`{}` is not valid JSON ({})", path.display(), json::fault(&error))))
}

/// Writes a file that a flag names.
pub(crate) fn write_file(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    std::fs::write(path, content).map_err(|error| unwritable(path, &error))
}

/// Rejects an existing file unless `force` is set.
pub(crate) fn check_new(path: &Path, force: bool) -> Result<(), Failure> {
    if path.exists() && !force {
        return Err(Failure::Usage(format!(
            "`{}` already exists; choose another name, or pass `--force`",
            path.display()
        )));
    }
    Ok(())
}

pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("cannot write `{}`: {error}", path.display()))
}

/// Returns whether bytes are binary: more than 1 in 20 of the first are control characters that text does not contain.
///
/// Stray NULs occur in model output. In compressed data it is 1 in 9, in UTF-16 1 in 2.
fn is_binary(bytes: &[u8]) -> bool {
    let start = bytes.get(..CHECKED_BYTES).unwrap_or(bytes);
    let odd = start.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127)).count();
    odd >= 4 && odd * 20 > start.len()
}

/// Bytes that are checked, about as many as tools such as grep check.
const CHECKED_BYTES: usize = 8 << 10;

/// Returns whether a path means stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory; pass a file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::InvalidData => "it is not UTF-8; convert it to UTF-8".to_owned(),
        _ => error.to_string(),
    };
    Failure::Usage(format!("cannot read `{}`: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::is_binary;

    #[test]
    fn text_is_told_from_binary() {
        for text in [&b""[..], b"a\0b", b"plain\r\n\ttext\x1b[31m", "caf\u{e9}".as_bytes(), b"caf\xE9", &[0; 3]] {
            assert!(!is_binary(text), "{text:?}");
        }
        let utf16: Vec<u8> = "some text".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(is_binary(&utf16) && is_binary(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0"));
    }
}
