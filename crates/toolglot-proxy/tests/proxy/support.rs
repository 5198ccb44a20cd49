//! A scripted model server, a client that sees every byte, and a proxy between them.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use toolglot_proxy::{Config, Control, Listener, Proxy, Sources};

/// What the server does next.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Vec<u8>),
    /// Sends the same so many times.
    Repeat(Vec<u8>, usize),
    /// Waits so long.
    Pause(Duration),
    /// Waits until a flag is set.
    Until(Arc<AtomicBool>),
    /// Waits for the client to leave.
    Hang,
    /// Ends the connection.
    Close,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    pub(crate) fn json(&self) -> toolglot_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let line = head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

type Script = dyn Fn(&Seen) -> Vec<Step> + Send + Sync;

/// A model server that does what a script says.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// Says how many bytes had been sent when a client left or the script ended its connection.
    pub(crate) left: mpsc::UnboundedReceiver<usize>,
}

impl Server {
    pub(crate) async fn start(script: impl Fn(&Seen) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, script): (_, Arc<Script>) = (Arc::new(Mutex::new(Vec::new())), Arc::new(script));
        let (leaving, left) = mpsc::unbounded_channel();
        let all = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                let (all, script, leaving) = (Arc::clone(&all), Arc::clone(&script), leaving.clone());
                tokio::spawn(async move {
                    let sent = converse(stream, &all, &*script).await;
                    let _ = leaving.send(sent);
                });
            }
        });
        Self { address, seen, left }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, without those that find out what the server is.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().iter().filter(|seen| !seen.line.starts_with("GET /v1/models ")).cloned().collect()
    }

    pub(crate) fn last(&self) -> Seen {
        self.seen().pop().expect("a request came")
    }
}

async fn converse(mut stream: TcpStream, all: &Mutex<Vec<Seen>>, script: &Script) -> usize {
    let (mut buffer, mut sent) = (Vec::new(), 0);
    while let Some(seen) = read_request(&mut stream, &mut buffer).await {
        all.lock().unwrap().push(seen.clone());
        for step in script(&seen) {
            match step {
                Step::Send(bytes) => {
                    if !send(&mut stream, &bytes, &mut sent).await {
                        return sent;
                    }
                }
                Step::Repeat(bytes, count) => {
                    for _ in 0..count {
                        if !send(&mut stream, &bytes, &mut sent).await {
                            return sent;
                        }
                    }
                }
                Step::Pause(time) => tokio::time::sleep(time).await,
                Step::Until(flag) => {
                    while !flag.load(Ordering::Relaxed) {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                }
                Step::Hang => {
                    let mut byte = [0];
                    let _ = stream.read(&mut byte).await;
                    return sent;
                }
                Step::Close => return sent,
            }
        }
    }
    sent
}

/// Sends and counts; says whether the client was there to take it.
async fn send(stream: &mut TcpStream, bytes: &[u8], sent: &mut usize) -> bool {
    for piece in bytes.chunks(16 << 10) {
        if stream.write_all(piece).await.is_err() {
            return false;
        }
        *sent += piece.len();
    }
    true
}

async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Seen> {
    let end = loop {
        if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        more(stream, buffer).await?;
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let mut rest = buffer.split_off(end);
    std::mem::swap(buffer, &mut rest);
    let body = match header(&head, "content-length").and_then(|length| length.parse::<usize>().ok()) {
        Some(length) => {
            while buffer.len() < length {
                more(stream, buffer).await?;
            }
            buffer.drain(..length).collect()
        }
        None if header(&head, "transfer-encoding") == Some("chunked") => {
            let end = loop {
                if let Some(at) = buffer.windows(5).position(|five| five == b"0\r\n\r\n") {
                    break at + 5;
                }
                more(stream, buffer).await?;
            };
            unchunked(&buffer.drain(..end).collect::<Vec<u8>>())
        }
        None => Vec::new(),
    };
    Some(Seen { line: head.lines().next().unwrap_or_default().to_owned(), head, body })
}

async fn more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    let count = stream.read_buf(buffer).await.ok()?;
    (count > 0).then_some(())
}

/// Returns the data of a chunked body, as far as it came.
pub(crate) fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    while let Some(at) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..at]).unwrap(), 16).unwrap();
        let Some(chunk) = bytes.get(at + 2..at + 2 + size) else {
            data.extend_from_slice(&bytes[at + 2..]);
            break;
        };
        data.extend_from_slice(chunk);
        bytes = bytes.get(at + 4 + size..).unwrap_or_default();
    }
    data
}

/// An answer with a length.
pub(crate) fn whole(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n", body.len());
    vec![Step::Send(format!("{head}{headers}\r\n{body}").into_bytes())]
}

/// The head of a stream that the end of the connection ends.
pub(crate) const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A stream of these frames, one after the other, then the end.
pub(crate) fn stream(frames: &[String]) -> Vec<Step> {
    let sends = frames.iter().map(|frame| Step::Send(frame.clone().into_bytes()));
    [Step::Send(STREAM.into())].into_iter().chain(sends).chain([Step::Close]).collect()
}

pub(crate) fn chunk(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\
         \"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

/// A short stream in which a call is written as text.
pub(crate) fn call_as_text() -> Vec<String> {
    let mut frames = vec![chunk(r#"{"role":"assistant","content":""}"#, "null")];
    for piece in
        ["Hi. <tool_", "call>{\\\"name\\\": \\\"ls\\\", \\\"arguments\\\": ", "{\\\"path\\\": \\\"a\\\"}}</tool_call>"]
    {
        frames.push(chunk(&format!("{{\"content\":\"{piece}\"}}"), "null"));
    }
    frames.push(chunk("{}", "\"stop\""));
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

pub(crate) const TOOLS: &str = r#"[{"type":"function","function":{"name":"ls","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}]"#;

/// A request with a tool, for each protocol's path.
pub(crate) fn request(path: &str, stream: bool) -> String {
    let flat = r#""name":"ls","parameters":{"type":"object","properties":{"path":{"type":"string"}}}"#;
    match path {
        "/v1/chat/completions" => {
            format!(
                r#"{{"model":"m","stream":{stream},"messages":[{{"role":"user","content":"go"}}],"tools":{TOOLS}}}"#
            )
        }
        "/v1/responses" => {
            format!(r#"{{"model":"m","stream":{stream},"input":"go","tools":[{{"type":"function",{flat}}}]}}"#)
        }
        _ => format!(
            r#"{{"model":"m","stream":{stream},"max_tokens":99,"messages":[{{"role":"user","content":"go"}}],"tools":[{{{}}}]}}"#,
            flat.replace("parameters", "input_schema")
        ),
    }
}

pub(crate) const PATHS: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

/// Settings with these flags; the log is silent.
pub(crate) fn sources(flags: &[(&str, &str)]) -> Sources {
    let flag = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned(), format!("`--{name}`"));
    let quiet = [("log", "off"), ("listen", "127.0.0.1:0")];
    let flags = quiet.iter().chain(flags).map(flag).collect();
    Sources { flags, ..Sources::default() }
}

/// A proxy on a port.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) wishes: mpsc::Sender<Control>,
    pub(crate) done: tokio::task::JoinHandle<()>,
}

pub(crate) async fn run(sources: Sources) -> Running {
    let proxy = Proxy::new(Config::load(&sources).unwrap()).unwrap();
    let listener = proxy.listen().await.unwrap();
    let Listener::Tcp(tcp) = &listener else { panic!("tests listen on TCP") };
    let address = tcp.local_addr().unwrap();
    let (wishes, received) = mpsc::channel(4);
    let done = tokio::spawn(async move { proxy.serve(listener, &sources, received).await.unwrap() });
    Running { address, wishes, done }
}

impl Running {
    pub(crate) async fn before(server: &Server, flags: &[(&str, &str)]) -> Self {
        let url = server.url();
        run(sources(&[&[("upstream", url.as_str())], flags].concat())).await
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a request on a connection of its own and returns the answer's head and body.
    pub(crate) async fn ask(&self, text: &str) -> (String, Vec<u8>) {
        let mut stream = self.connect().await;
        stream.write_all(text.as_bytes()).await.unwrap();
        read_answer(&mut stream).await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> (String, Vec<u8>) {
        self.ask(&post(path, body)).await
    }

    pub(crate) async fn get(&self, path: &str) -> (String, String) {
        let (head, body) =
            self.ask(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")).await;
        (head, String::from_utf8(body).unwrap())
    }
}

pub(crate) fn post(path: &str, body: &str) -> String {
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n");
    format!("{head}content-length: {}\r\n\r\n{body}", body.len())
}

/// Reads an answer to the end of its connection; what is chunked is put together.
pub(crate) async fn read_answer(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await;
    let _ = read.expect("the answer ends");
    split(&bytes)
}

pub(crate) fn split(bytes: &[u8]) -> (String, Vec<u8>) {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let is_chunked = header(&head, "transfer-encoding") == Some("chunked");
    let body = if is_chunked { unchunked(&bytes[end..]) } else { bytes[end..].to_vec() };
    (head, body)
}

/// The data of every frame of a stream.
pub(crate) fn frames(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body).into_owned();
    text.lines().filter_map(|line| line.strip_prefix("data: ").map(str::to_owned)).collect()
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
