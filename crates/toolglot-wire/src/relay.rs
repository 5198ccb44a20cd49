//! Passes a stream on unchanged, except that keys are redacted in errors and an interruption adds an error.

use memchr::{memmem, memrchr2};
use toolglot_json::{Value, json};

use crate::fault::Fault;
use crate::ndjson::write_line;
use crate::protocol::Protocol;
use crate::secrets::Secrets;
use crate::sse::write_json;

/// Passes the lines of a stream on, each when it is complete.
#[derive(Debug, Default)]
pub(crate) struct Relay {
    protocol: Protocol,
    pub(crate) secrets: Secrets,
    /// The start of an incomplete line.
    line: Vec<u8>,
    most: usize,
    /// Whether the server sent the end of the answer, or an error.
    pub(crate) ended: bool,
    /// Whether the name of the current event is `error`.
    named_error: bool,
    /// The last sequence number.
    sequence: Option<u64>,
    /// The error that the stream ended with.
    pub(crate) fault: Option<Fault>,
}

impl Relay {
    /// Returns a relay for a protocol, which holds back at most `most` bytes of a line.
    pub(crate) fn new(protocol: Protocol, most: usize) -> Self {
        Self { protocol, most, ..Self::default() }
    }

    /// Returns the number of bytes that wait for the end of their line.
    pub(crate) fn held(&self) -> usize {
        self.line.len()
    }

    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        // Only whole lines are sent, since keys in an error can be redacted only before its first byte is sent.
        let end = memrchr2(b'\n', b'\r', bytes).map_or(0, |at| at + 1);
        let (lines, rest) = bytes.split_at(end);
        if end > 0 {
            let begun = std::mem::take(&mut self.line);
            if begun.is_empty() {
                self.lines(lines, out);
            } else {
                self.lines(&[&begun, lines].concat(), out);
            }
        }
        self.line.extend_from_slice(rest);
        if self.line.len() > self.most {
            out.append(&mut self.line);
        }
    }

    /// Ends the stream; `fault` is the error if the server did not send the end of the answer.
    pub(crate) fn finish(&mut self, mut fault: Fault, out: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.line);
        let data = self.data(&line).map(<[u8]>::trim_ascii);
        // A last line that only lacks its end is kept; a piece of one would make the error after it unreadable.
        let is_whole = data.is_some_and(|data| data == b"[DONE]" || toolglot_json::from_slice(data).is_ok());
        if self.ended || is_whole {
            self.lines(&line, out);
        }
        if self.ended {
            return;
        }
        if is_whole {
            out.extend_from_slice(b"\n");
        }
        fault.redact(&self.secrets);
        self.write(&fault, out);
        self.fault = Some(fault);
    }

    fn write(&self, fault: &Fault, out: &mut Vec<u8>) {
        if self.protocol != Protocol::Ollama {
            // Ends an event that may be open; an additional empty line is harmless.
            out.extend_from_slice(b"\n");
        }
        match self.protocol {
            Protocol::Chat => write_json(None, &fault.body(self.protocol), out),
            Protocol::Messages => write_json(Some("error"), &fault.body(self.protocol), out),
            Protocol::Responses => {
                let number = self.sequence.map_or(0, |last| last + 1);
                let error = json!({"type": "error", "code": fault.code, "message": fault.message, "param": fault.param,
                    "sequence_number": number});
                write_json(Some("error"), &error, out);
            }
            Protocol::Ollama => write_line(&fault.body(Protocol::Ollama), out),
        }
    }

    /// Passes complete lines on; most contain no error.
    fn lines(&mut self, lines: &[u8], out: &mut Vec<u8>) {
        self.ended |= is_last(self.protocol, lines);
        if self.protocol == Protocol::Responses {
            self.sequence = sequence(lines).or(self.sequence);
        }
        if !self.named_error && memmem::find(lines, b"error").is_none() {
            out.extend_from_slice(lines);
            return;
        }
        for line in lines.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line(line, out);
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Vec<u8>) {
        let text = line.trim_ascii_end();
        if text.is_empty() {
            // An LF after a CR is not an empty line.
            self.named_error &= line == b"\n" && out.ends_with(b"\r");
        }
        self.named_error |= text.strip_prefix(b"event:").is_some_and(|name| name.trim_ascii() == b"error");
        match self.data(text).and_then(|data| self.error(data)) {
            Some(without) => {
                out.extend_from_slice(if self.protocol == Protocol::Ollama { b"" } else { FIELD });
                out.extend_from_slice(&without);
                out.extend_from_slice(&line[text.len()..]);
            }
            None => out.extend_from_slice(line),
        }
    }

    /// Returns the data of a line, if it has any.
    fn data<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        if self.protocol == Protocol::Ollama {
            return Some(line);
        }
        let data = line.strip_prefix(b"data:")?;
        Some(data.strip_prefix(b" ").unwrap_or(data))
    }

    /// Records the error in the data, if there is one; returns the data with keys redacted if it contains any.
    fn error(&mut self, data: &[u8]) -> Option<Vec<u8>> {
        let name = self.named_error.then_some("error");
        let fault = match toolglot_json::from_slice(data) {
            Ok(value) => of_response(&value).or_else(|| Fault::of_event(name, &value)),
            Err(_) => name.map(|_| Fault::of_text(&String::from_utf8_lossy(data))),
        };
        let mut fault = fault?;
        fault.redact(&self.secrets);
        self.fault = Some(fault);
        self.ended = true;
        self.secrets.redact_body(data)
    }
}

/// Returns the error of a response that failed.
fn of_response(event: &Value) -> Option<Fault> {
    let failed = event["type"] == "response.failed";
    Fault::of_value(event.get("response").filter(|_| failed)?)
}

const FIELD: &[u8] = b"data: ";

/// Returns whether one of these lines may end the answer: the end of a chat's alternative, or the protocol's own end.
/// If text quotes such a line, a later interruption is not recognised.
fn is_last(protocol: Protocol, lines: &[u8]) -> bool {
    let has = |word: &str| memmem::find(lines, word.as_bytes()).is_some();
    match protocol {
        Protocol::Chat => has("[DONE]") || finished(lines),
        Protocol::Messages => has("message_stop"),
        Protocol::Ollama => has("\"done\":true") || has("\"done\": true"),
        Protocol::Responses => ["response.completed", "response.incomplete", "response.failed"].into_iter().any(has),
    }
}

fn finished(lines: &[u8]) -> bool {
    const KEY: &[u8] = b"\"finish_reason\"";
    memmem::find_iter(lines, KEY).any(|at| {
        let value = lines[at + KEY.len()..].trim_ascii_start();
        value.strip_prefix(b":").is_some_and(|value| value.trim_ascii_start().starts_with(b"\""))
    })
}

/// Returns the last sequence number in these lines.
fn sequence(lines: &[u8]) -> Option<u64> {
    const KEY: &[u8] = b"\"sequence_number\":";
    let value = &lines[memmem::rfind(lines, KEY)? + KEY.len()..];
    let digits = value.trim_ascii_start().iter().take_while(|byte| byte.is_ascii_digit());
    digits.map(|digit| u64::from(digit - b'0')).try_fold(0_u64, |all, digit| all.checked_mul(10)?.checked_add(digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FaultKind;

    fn relayed(protocol: Protocol, pieces: &[&str]) -> (String, Option<Fault>) {
        let mut relay = Relay::new(protocol, 1000);
        relay.secrets = Secrets::new(["sk-secret-1".to_owned(), "UPKE".to_owned()]);
        let mut out = Vec::new();
        pieces.iter().for_each(|piece| relay.push(piece.as_bytes(), &mut out));
        relay.finish(Fault::new(FaultKind::Upstream, "it broke off"), &mut out);
        (String::from_utf8(out).unwrap(), relay.fault)
    }

    #[test]
    fn what_ends_as_it_should_keeps_every_byte() {
        for (protocol, stream) in [
            (Protocol::Chat, ": hello\r\ndata:{\"odd\" :1}\r\n\r\ngarbage\n\ndata: [DONE]"),
            (
                Protocol::Chat,
                "data: {\"choices\":[{\"text\":\"an \\\"error\\\" UPKE\",\"finish_reason\": \"stop\"}]}\n\n",
            ),
            (Protocol::Messages, "event: message_stop\ndata: {}\n\n"),
            (Protocol::Responses, "data: {\"type\":\"response.completed\"}\r\r"),
        ] {
            for cut in 0..stream.len() {
                let (start, end) = stream.split_at(cut);
                assert_eq!(relayed(protocol, &[start, end]), (stream.to_owned(), None));
            }
        }
    }

    #[test]
    fn an_error_loses_its_keys_wherever_it_is_cut() {
        let error = "data: {\"error\":{\"message\":\"key sk-secret-1, UPKE\"}}\r\n\r\n";
        for cut in 0..error.len() {
            let (start, end) = error.split_at(cut);
            let (out, fault) = relayed(Protocol::Chat, &["data: {}\n\n", start, end]);
            assert_eq!(out, "data: {}\n\ndata: {\"error\":{\"message\":\"key ***, ***\"}}\r\n\r\n");
            assert_eq!(fault.map(|fault| fault.message).as_deref(), Some("key ***, ***"));
        }
        let (out, _) = relayed(Protocol::Messages, &["event: error\r\n", "data: bad UPKE\r\n\r\n"]);
        assert_eq!(out, "event: error\r\ndata: bad ***\r\n\r\n");
        let failed = "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"message\":\"UPKE\"}}}\n\n";
        assert_eq!(relayed(Protocol::Responses, &[failed]).0, failed.replace("UPKE", "***"));
    }

    #[test]
    fn what_breaks_off_ends_with_an_error_of_the_protocol() {
        let chunk = "data: {\"choices\":[{\"finish_reason\":null}]}\n\n";
        let (out, fault) = relayed(Protocol::Chat, &[chunk, "data: {\"cho"]);
        let wanted = "\ndata: {\"error\":{\"message\":\"it broke off\",\"type\":\"upstream_error\",\"param\":null,\"code\":null}}\n\n";
        assert_eq!(out, format!("{chunk}{wanted}"));
        assert_eq!(fault.map(|fault| fault.status), Some(502));
        let (out, _) = relayed(Protocol::Chat, &[chunk, "data: {}"]);
        assert_eq!(out, format!("{chunk}data: {{}}\n{wanted}"), "a line that only lacks its end is kept");
        let (out, _) = relayed(Protocol::Messages, &["event: ping\ndata: {}\n"]);
        assert!(out.starts_with("event: ping\ndata: {}\n\nevent: error\ndata: {\"type\":\"error\","), "{out}");
        let (out, _) = relayed(Protocol::Responses, &["data: {\"type\":\"x\",\"sequence_number\":41}\n\n"]);
        assert!(out.ends_with("\"message\":\"it broke off\",\"param\":null,\"sequence_number\":42}\n\n"), "{out}");
    }
}
