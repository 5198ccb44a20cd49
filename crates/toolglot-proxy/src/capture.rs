//! Captured exchanges in files: the client's request, the server's answer and the result.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use toolglot::NearMiss;
use toolglot_json::Value;
use toolglot_wire::Secrets;

/// A captured exchange, without headers and keys.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Capture {
    /// The toolglot version that read the answer.
    pub toolglot: String,
    /// The request's id.
    pub id: String,
    /// When it was written, in seconds since the Unix epoch.
    pub time: u64,
    /// The model, as named by the client.
    pub model: String,
    /// If the answer looks like a call that was not recognised: the reason's name, and the reason in words.
    pub miss: Option<(String, String)>,
    /// The protocol of the client, and of the server.
    pub protocols: (String, String),
    /// The server program.
    pub engine: String,
    /// The dialect of the tools in the prompt, if they are in the prompt.
    pub prompt: Option<String>,
    /// Whether the prompt opened the reasoning.
    pub reasoning_open: bool,
    /// Whether the proxy prefilled the call.
    pub begun: bool,
    /// Number of requests sent to the model.
    pub attempts: usize,
    /// Whether the server streamed the answer.
    pub streamed: bool,
    /// Whether the exchange was too long and is truncated.
    pub cut: bool,
    /// The client's request; a string if it is not valid JSON.
    pub request: Value,
    /// The server's answer, unchanged.
    pub answer: String,
    /// The answer sent to the client.
    pub told: String,
}

/// Data collected during an exchange.
pub(crate) struct CaptureBuffer {
    /// What is known when the answer begins.
    pub(crate) known: Capture,
    request: Bytes,
    pub(crate) answer: Vec<u8>,
    sent: Vec<u8>,
}

/// Maximum bytes of each side of an exchange.
const MAX_BYTES: usize = 8 << 20;

impl CaptureBuffer {
    pub(crate) fn new(known: Capture, request: Bytes) -> Self {
        Self { known, request, answer: Vec::new(), sent: Vec::new() }
    }

    pub(crate) fn answered(&mut self, bytes: &[u8]) {
        add(&mut self.answer, bytes);
    }

    pub(crate) fn delivered(&mut self, bytes: &[u8]) {
        add(&mut self.sent, bytes);
    }

    /// Returns the file's content.
    pub(crate) fn finish(self, miss: Option<&NearMiss>, secrets: &Secrets) -> Capture {
        let text = |bytes: &[u8]| {
            let mut text = String::from_utf8_lossy(bytes).into_owned();
            secrets.redact(&mut text);
            text
        };
        let mut request: Value =
            serde_json::from_slice(&self.request).unwrap_or_else(|_| Value::from(text(&self.request)));
        secrets.redact_value(&mut request);
        Capture {
            toolglot: env!("CARGO_PKG_VERSION").to_owned(),
            id: text(self.known.id.as_bytes()),
            time: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            model: text(self.known.model.as_bytes()),
            miss: miss.map(|miss| (miss.reason.name().to_owned(), text(miss.diagnostic.message.as_bytes()))),
            cut: self.answer.len() >= MAX_BYTES || self.sent.len() >= MAX_BYTES,
            request,
            answer: text(&self.answer),
            told: text(&self.sent),
            ..self.known
        }
    }
}

fn add(kept: &mut Vec<u8>, bytes: &[u8]) {
    let room = MAX_BYTES - kept.len().min(MAX_BYTES);
    kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
}

impl Capture {
    /// Reads a capture file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a captured exchange.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = fs::read(path)?;
        serde_json::from_slice(&text).map_err(|error| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "not a captured exchange; pass a file that `serve` wrote (line {}, column {})",
                    error.line(),
                    error.column()
                ),
            )
        })
    }

    /// Deletes the oldest files of a folder until there is room for this one, and writes it; returns the file's name.
    pub(crate) fn write(&self, folder: &Path, most: u64) -> io::Result<String> {
        fs::create_dir_all(folder)?;
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        let files = captures(folder)?;
        let mut all = files.iter().map(|(_, size)| size).sum::<u64>() + text.len() as u64;
        for (path, size) in files {
            if all <= most {
                break;
            }
            // It may already have been deleted.
            let _ = fs::remove_file(path);
            all -= size;
        }
        let letters = self.id.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-');
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let name = format!("{now}-{}.json", letters.take(64).collect::<String>());
        private().open(folder.join(&name))?.write_all(&text)?;
        Ok(name)
    }
}

/// Files that only their owner may read, since they contain conversations.
fn private() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns the capture files in a folder with their sizes in bytes, the oldest first.
///
/// # Errors
/// If the folder cannot be read.
pub fn captures(folder: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_number = |time: &str| !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
        if name.ends_with(".json") && name.split_once('-').is_some_and(|(time, _)| is_number(time)) {
            files.push((entry.path(), entry.metadata()?.len()));
        }
    }
    // Names begin with the time, which has as many digits until the year 2286.
    files.sort();
    Ok(files)
}
