//! Clients: they take streams, all at once, and note how long each piece was on its way.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use crate::now;

const TOOLS: &str = r#","tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]"#;

const USAGE: &str = r#","stream_options":{"include_usage":true,"continuous_usage_stats":true}"#;

/// What is asked of the server.
pub(crate) struct Asked {
    pieces: usize,
    body: String,
}

impl Asked {
    /// A `text` is asked for with tools declared, as is a `call`; a `plain` text without.
    pub(crate) fn new(pieces: usize, micros: u64, kind: &str, envelope: &str) -> Self {
        let tools = if kind == "plain" { "" } else { TOOLS };
        let asked = format!("bench-{pieces}-{micros}-{kind}-{envelope}");
        let more = match envelope {
            _ if envelope.ends_with("_usage") => USAGE,
            _ if envelope.ends_with("_logprobs") => r#","logprobs":true"#,
            _ => "",
        };
        let messages = format!(r#"[{{"role":"user","content":"{asked}"}}]"#);
        let body = format!(r#"{{"model":"{asked}","stream":true,"messages":{messages}{tools}{more}}}"#);
        Self { pieces, body }
    }
}

/// What one stream took.
struct Taken {
    first: Duration,
    /// Nanoseconds that each piece was on its way.
    pieces: Vec<u64>,
}

pub(crate) fn run(port: u16, streams: usize, times: usize, asked: &Asked) -> io::Result<()> {
    let taken: Vec<Vec<Taken>> = thread::scope(|scope| {
        let clients: Vec<_> = (0..streams)
            .map(|number| {
                // Clients do not start in step.
                thread::sleep(Duration::from_micros(700 * u64::from(number > 0)));
                scope.spawn(move || (0..times).map(|_| take(port, asked)).collect::<io::Result<Vec<_>>>())
            })
            .collect();
        let ended =
            clients.into_iter().map(|client| client.join().unwrap_or_else(|_| Err(io::Error::other("panicked"))));
        ended.collect::<io::Result<_>>()
    })?;
    let taken: Vec<Taken> = taken.into_iter().flatten().collect();
    let mut first: Vec<u64> = taken.iter().map(|one| u64::try_from(one.first.as_nanos()).unwrap_or(u64::MAX)).collect();
    let mut pieces: Vec<u64> = taken.into_iter().flat_map(|one| one.pieces).collect();
    let count = pieces.len();
    println!(
        r#"{{"pieces": {count}, "first_p50": {}, "piece_p50": {}, "piece_p99": {}}}"#,
        quantile(&mut first, 50),
        quantile(&mut pieces, 50),
        quantile(&mut pieces, 99),
    );
    Ok(())
}

/// A quantile in microseconds.
fn quantile(values: &mut [u64], percent: usize) -> f64 {
    values.sort_unstable();
    let at = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(at).map_or(f64::NAN, |&nanos| Duration::from_nanos(nanos).as_secs_f64() * 1e6)
}

fn take(port: u16, asked: &Asked) -> io::Result<Taken> {
    let begun = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let body = &asked.body;
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
                authorization: Bearer sk-bench\r\nconnection: close\r\n";
    // Headers that a proxy wants, each with its line end.
    let more = std::env::var("BENCH_HEADERS").unwrap_or_default();
    stream.write_all(format!("{head}{more}content-length: {}\r\n\r\n{body}", body.len()).as_bytes())?;

    let mut taken = Taken { first: Duration::ZERO, pieces: Vec::with_capacity(asked.pieces) };
    let (mut held, mut buffer, mut last) = (Vec::new(), [0; 16 << 10], 0);
    loop {
        let length = stream.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        held.extend_from_slice(&buffer[..length]);
        let arrived = now();
        // Log probabilities repeat their text.
        let end = times(&held, |sent| {
            if sent != std::mem::replace(&mut last, sent) {
                taken.pieces.push(arrived.saturating_sub(sent));
            }
        });
        if taken.first.is_zero() && !taken.pieces.is_empty() {
            taken.first = begun.elapsed();
        }
        held.drain(..end);
    }
    if taken.pieces.len() == asked.pieces {
        return Ok(taken);
    }
    let rest = String::from_utf8_lossy(&held).into_owned();
    Err(io::Error::other(format!("{} of {} pieces came; the rest was: {rest}", taken.pieces.len(), asked.pieces)))
}

/// Finds the times in what has come, `t` and 19 digits; returns where what may be a part of one begins.
fn times(text: &[u8], mut found: impl FnMut(u64)) -> usize {
    let mut at = 0;
    while let Some(next) = text[at..].iter().position(|&byte| byte == b't') {
        at += next;
        let digits = text[at + 1..].iter().take(19).take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 19 {
            let number = std::str::from_utf8(&text[at + 1..at + 20]).ok().and_then(|digits| digits.parse().ok());
            found(number.unwrap_or_default());
            at += 20;
        } else if at + 1 + digits == text.len() {
            return at;
        } else {
            at += 1;
        }
    }
    text.len()
}
