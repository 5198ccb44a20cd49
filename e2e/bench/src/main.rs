//! The measuring side of the proxy benchmark: a paced model server, a bare byte relay, and clients that take the time.

use std::env;
use std::process::ExitCode;

mod envelope;
mod load;
mod relay;
mod server;

const USAGE: &str = "\
toolglot-load server PORT                a model server whose pieces carry the time they were sent
toolglot-load relay PORT SERVER_PORT     passes bytes on, both ways, and does nothing else
toolglot-load load PORT STREAMS TIMES PIECES MICROSECONDS text|call|plain ENVELOPE
                                         takes so many streams at once, so often; one line of JSON";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[&str]) -> Option<std::io::Result<()>> {
    match words {
        ["server", port] => Some(server::run(port.parse().ok()?)),
        ["relay", port, server] => Some(relay::run(port.parse().ok()?, server.parse().ok()?)),
        ["load", port, streams, times, pieces, micros, kind, envelope] => {
            let asked = load::Asked::new(pieces.parse().ok()?, micros.parse().ok()?, kind, envelope);
            Some(load::run(port.parse().ok()?, streams.parse().ok()?, times.parse().ok()?, &asked))
        }
        _ => None,
    }
}

/// The time in nanoseconds, of a clock that all processes share.
fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}
