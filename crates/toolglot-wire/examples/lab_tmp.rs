//! x
use toolglot_wire::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let body = std::fs::read(&a[1]).unwrap();
    let chunk: usize = a[2].parse().unwrap();
    let cut = a.get(3).is_some_and(|x| x == "cut");
    let request = r#"{"model": "m", "stream": true, "messages": [],"tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}], "stream_options":{"include_usage":true}}"#;
    let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, request.as_bytes(), &Policy::default()).unwrap();
    let mut turn = exchange.turn(1, 77);
    let mut out = Vec::new();
    for c in body.chunks(chunk) { turn.push(c, &mut out); }
    turn.finish(if cut { Ended::Cut(Fault::new(FaultKind::Upstream, "cut")) } else { Ended::Over }, &mut out);
    print!("{}", String::from_utf8(out).unwrap());
}
