//! Answers that several proxies share, in a real server: `redis-server` or `valkey-server` has to be installed.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use toolglot_json::{Value, json};
use toolglot_proxy::Control;

use crate::memory::{PATH, ask, response, said, server, turns, with_key};
use crate::support::*;

/// A server of its own, which ends with the test.
struct Store {
    child: Child,
    port: u16,
}

impl Store {
    async fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        Self::start_at(port).await
    }

    async fn start_at(port: u16) -> Self {
        let number = port.to_string();
        let run = |program: &str| {
            let mut command = Command::new(program);
            command.args(["--port", &number, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
            command.current_dir(std::env::temp_dir()).stdout(Stdio::null()).spawn()
        };
        let child = run("redis-server").or_else(|_| run("valkey-server")).expect("install redis-server or valkey");
        let store = Self { child, port };
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return store;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the store does not listen");
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Asks the server itself.
    fn tell(&self, words: &[&str]) -> redis::RedisResult<redis::Value> {
        let mut connection = redis::Client::open(self.url())?.get_connection()?;
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query(&mut connection)
    }

    fn keys(&self) -> Vec<String> {
        redis::from_redis_value(self.tell(&["KEYS", "*"]).unwrap()).unwrap()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One address before several proxies: each connection goes to the next one that is there.
async fn balanced(proxies: Vec<SocketAddr>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let turn = Arc::new(Mutex::new(0));
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (proxies, turn) = (proxies.clone(), Arc::clone(&turn));
            tokio::spawn(async move {
                for _ in 0..proxies.len() {
                    let at = {
                        let mut turn = turn.lock().unwrap();
                        *turn += 1;
                        *turn % proxies.len()
                    };
                    if let Ok(mut proxy) = TcpStream::connect(proxies[at]).await {
                        let _ = copy_bidirectional(&mut client, &mut proxy).await;
                        return;
                    }
                }
            });
        }
    });
    address
}

async fn post_to(address: SocketAddr, text: &str) -> (String, Vec<u8>) {
    use tokio::io::AsyncWriteExt as _;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    read_answer(&mut stream).await
}

/// Asks at a proxy with a key; returns the answer's id.
async fn ask_at(address: SocketAddr, key: &str, more: &Value) -> Result<Value, String> {
    let (head, body) = post_to(address, &with_key(key, &ask(more))).await;
    if head.starts_with("HTTP/1.1 200") {
        Ok(response(&body))
    } else {
        Err(format!("{head}{}", String::from_utf8_lossy(&body)))
    }
}

fn next(input: &str, previous: &Value, stream: bool) -> Value {
    let output = previous["output"].as_array().unwrap();
    let call = output.iter().find(|item| item["type"] == "function_call").unwrap();
    let result = json!([{"type": "function_call_output", "call_id": call["call_id"], "output": input}]);
    json!({"input": result, "previous_response_id": previous["id"], "stream": stream})
}

#[tokio::test]
async fn of_two_proxies_one_dies_and_nothing_is_lost() {
    let (server, store) = (server().await, Store::start().await);
    let url = store.url();
    let one = Running::before(&server, &[("store", &url)]).await;
    let two = Running::before(&server, &[("store", &url)]).await;
    let address = balanced(vec![one.address, two.address]).await;
    let mut last = ask_at(address, "k", &json!({"input": "0"})).await.unwrap();
    let mut wanted = vec![("user", "0")];
    let said_before = [("assistant", r#"{"path": "a"}"#)];
    let numbers: Vec<String> = (1..40).map(|number| number.to_string()).collect();
    for (at, number) in numbers.iter().enumerate() {
        if at == 20 {
            one.wishes.send(Control::Abort).await.unwrap();
            one.done.await.unwrap();
            break;
        }
        wanted.extend(said_before);
        wanted.push(("tool", number));
        last = ask_at(address, "k", &next(number, &last, at % 2 == 0)).await.unwrap();
        assert_eq!(said(&server), turns(&wanted), "turn {number}");
    }
    for number in &numbers[20..] {
        wanted.extend(said_before);
        wanted.push(("tool", number));
        last = ask_at(address, "k", &next(number, &last, false)).await.unwrap();
        assert_eq!(said(&server), turns(&wanted), "turn {number}");
    }
    let item = last["output"][0]["id"].clone();
    let refers = json!({"input": [{"type": "item_reference", "id": item}, {"role": "user", "content": "?"}]});
    ask_at(address, "k", &refers).await.unwrap();
    assert!(ask_at(address, "other", &refers).await.unwrap_err().contains("refers to an item"));
    assert!(ask_at(address, "other", &next("x", &last, false)).await.unwrap_err().contains("does not store"));
}

#[tokio::test]
async fn an_answer_is_shown_and_deleted_at_any_proxy() {
    let (server, store) = (server().await, Store::start().await);
    let url = store.url();
    let one = Running::before(&server, &[("store", &url)]).await;
    let two = Running::before(&server, &[("store", &url)]).await;
    let (_, body) = one.post(PATH, &ask(&json!({"input": "go"}))).await;
    let told = response(&body);
    let path = format!("{PATH}/{}", told["id"].as_str().unwrap());
    let (head, body) = two.get(&path).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert_eq!(toolglot_json::from_str(&body).unwrap(), told);
    assert!(!store.keys().is_empty());
    let delete = format!("DELETE {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let (_, body) = two.ask(&delete).await;
    assert_eq!(toolglot_json::from_slice(&body).unwrap()["deleted"], true);
    let (head, _) = one.post(PATH, &ask(&next("x", &told, false))).await;
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    let rest: Vec<String> = store.keys().into_iter().filter(|key| !key.ends_with(":size")).collect();
    assert_eq!(rest, Vec::<String>::new(), "nothing of it is left");
}

#[tokio::test]
async fn what_is_kept_is_bounded_for_each_client_and_in_time() {
    let (server, store) = (server().await, Store::start().await);
    let url = store.url();
    let limits = [("store", url.as_str()), ("limits.answers_kept", "2"), ("timeouts.kept", "2 s")];
    let running = Running::before(&server, &limits).await;
    let address = running.address;
    let other = ask_at(address, "other", &json!({"input": "x"})).await.unwrap();
    let mut all = Vec::new();
    // So many that some come within one tick of the store's clock.
    for input in 0..40 {
        all.push(ask_at(address, "k", &json!({"input": input.to_string()})).await.unwrap());
    }
    for old in &all[..38] {
        assert!(ask_at(address, "k", &next("x", old, false)).await.unwrap_err().contains("does not store"));
    }
    ask_at(address, "k", &next("x", &all[38], false)).await.unwrap();
    ask_at(address, "other", &next("x", &other, false)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2100)).await;
    assert_eq!(store.keys(), Vec::<String>::new());
    let small = Running::before(&server, &[("store", &url), ("limits.bytes_kept", "10")]).await;
    let told = ask_at(small.address, "k", &json!({"input": "a"})).await.unwrap();
    assert!(ask_at(small.address, "k", &next("x", &told, false)).await.unwrap_err().contains("does not store"));
}

#[tokio::test]
async fn a_store_that_is_gone_or_silent_is_told_at_once_and_found_again() {
    let (server, store) = (server().await, Store::start().await);
    let (url, port) = (store.url(), store.port);
    let running = Running::before(&server, &[("store", &url), ("timeouts.store", "300 ms")]).await;
    let told = ask_at(running.address, "k", &json!({"input": "a"})).await.unwrap();
    // It takes connections and commands, and answers none.
    store.tell(&["CLIENT", "PAUSE", "1500"]).unwrap();
    let start = Instant::now();
    let refused = ask_at(running.address, "k", &next("x", &told, false)).await.unwrap_err();
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("store_unreachable"), "{refused}");
    assert!(refused.to_lowercase().contains("retry-after: 1"), "{refused}");
    // What needs nothing from the store is answered, whole and streamed, though it cannot be kept.
    for stream in [false, true] {
        ask_at(running.address, "k", &json!({"input": "a", "stream": stream})).await.unwrap();
    }
    assert!(start.elapsed() < Duration::from_millis(1400), "{:?}", start.elapsed());
    drop(store);
    assert!(ask_at(running.address, "k", &next("x", &told, false)).await.unwrap_err().starts_with("HTTP/1.1 503"));
    assert!(running.get("/metrics").await.1.contains("toolglot_store_errors_total{operation=\"read\"} 2"));
    let _store = Store::start_at(port).await;
    let told = ask_at(running.address, "k", &json!({"input": "a"})).await.unwrap();
    ask_at(running.address, "k", &next("x", &told, false)).await.unwrap();
}
