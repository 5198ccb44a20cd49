//! A model server that streams a chat completion at a steady pace; every piece carries the time it was sent.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::envelope::Envelope;
use crate::now;

/// The text before and after the pieces, if they are the argument of a call.
const CALL: [&str; 2] =
    [r#"<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \""#, r#"\"}}\n</tool_call>"#];

pub(crate) fn run(port: u16) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    for stream in listener.incoming() {
        let stream = stream?;
        // A client that goes away ends its connection, nothing else.
        thread::spawn(move || serve(stream));
    }
    Ok(())
}

fn serve(stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    while let Some((head, body)) = request(&mut reader)? {
        let is_last = head.to_lowercase().contains("connection: close");
        if head.starts_with("POST") {
            answer(&mut writer, &body)?;
        } else {
            let list = r#"{"object":"list","data":[]}"#;
            write!(writer, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n{list}")?;
        }
        if is_last {
            break;
        }
    }
    Ok(())
}

/// Reads the head and the body of a request.
fn request(reader: &mut impl BufRead) -> io::Result<Option<(String, String)>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(None);
        }
    }
    let lower = head.to_lowercase();
    let mut body = Vec::new();
    if lower.contains("transfer-encoding: chunked") {
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let size = u64::from_str_radix(line.trim(), 16).unwrap_or(0);
            reader.by_ref().take(size).read_to_end(&mut body)?;
            reader.read_line(&mut String::new())?;
            if size == 0 {
                break;
            }
        }
    } else {
        let length = lower.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let length = length.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        reader.by_ref().take(length).read_to_end(&mut body)?;
    }
    Ok(Some((head, String::from_utf8_lossy(&body).into_owned())))
}

/// Answers as the request asks: somewhere in it stands `pieces-microseconds-kind-envelope`. Without a pause nothing is sent
/// before much of it is there, so that one read of a proxy's finds many pieces.
fn answer(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    let asked = body.split("bench-").nth(1).unwrap_or_default();
    let mut words = asked.split(['-', '"', '\\']);
    let pieces: u32 = words.next().and_then(|word| word.parse().ok()).unwrap_or(10);
    let pause: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let is_call = words.next() == Some("call");
    let envelope: Envelope = words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
    let mut writer = BufWriter::with_capacity(BURST, stream);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    writer.write_all(head.as_bytes())?;
    frame(&mut writer, &envelope.chunk("", 0, second()))?;
    if is_call {
        frame(&mut writer, &envelope.chunk(CALL[0], 0, second()))?;
    }
    let begun = Instant::now();
    for number in 0..pieces {
        frame(&mut writer, &envelope.chunk(&format!("t{} ", now()), number, second()))?;
        if pause > 0 {
            writer.flush()?;
            let due = begun + Duration::from_micros(pause * u64::from(number + 1));
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
    if is_call {
        frame(&mut writer, &envelope.chunk(CALL[1], 0, second()))?;
    }
    frame(&mut writer, LAST)?;
    frame(&mut writer, "data: [DONE]\n\n")?;
    writer.write_all(b"0\r\n\r\n")?;
    writer.flush()
}

fn second() -> u64 {
    now() / 1_000_000_000
}

/// So much is sent at a time without a pause.
const BURST: usize = 64 << 10;

const LAST: &str = "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"bench\",\"choices\":[\
                    {\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

/// Sends one event as one piece of the body.
fn frame(writer: &mut impl Write, event: &str) -> io::Result<()> {
    writer.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())
}
