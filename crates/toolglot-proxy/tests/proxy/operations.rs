//! TLS on both sides, sockets in the file system, what the operator sees.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use toolglot_proxy::{Config, Control, Proxy};

use crate::support::*;

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[tokio::test]
async fn tls_is_spoken_on_both_sides() {
    let server = Server::start(|_| stream(&call_as_text())).await;
    let (cert, key) = (data("localhost.pem"), data("localhost.key"));
    let inner = Running::before(&server, &[("tls_cert", cert.as_str()), ("tls_key", key.as_str())]).await;
    let url = format!("https://localhost:{}", inner.address.port());
    let outer = run(sources(&[("upstream", url.as_str()), ("upstream.ca", cert.as_str())])).await;
    let (head, body) = outer.post(PATHS[0], &request(PATHS[0], true)).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}{}", String::from_utf8_lossy(&body));
    assert!(String::from_utf8(body).unwrap().contains(r#""finish_reason":"tool_calls""#));

    let stranger = run(sources(&[("upstream", url.as_str()), ("upstream.retries", "0")])).await;
    let (head, body) = stranger.post(PATHS[0], &request(PATHS[0], true)).await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let body = String::from_utf8(body).unwrap();
    assert!(body.contains("certificate") && body.contains("the upstream's `ca`"), "{body}");
}

/// A mistyped path must not cost a file.
#[tokio::test]
async fn a_file_that_is_no_socket_stays_where_it_is() {
    let path = std::env::temp_dir().join(format!("toolglot-notes-{}", std::process::id()));
    std::fs::write(&path, "notes").unwrap();
    let sources = sources(&[("demo", "true"), ("listen", &format!("unix:{}", path.display()))]);
    let proxy = Proxy::new(Config::load(&sources).unwrap()).unwrap();
    assert!(proxy.listen().await.is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "notes");
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn a_socket_in_the_file_system_will_do() {
    let path = std::env::temp_dir().join(format!("toolglot-socket-{}", std::process::id()));
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let place = format!("unix:{}", path.display());
    let sources = sources(&[("demo", "true"), ("listen", place.as_str())]);
    let proxy = Proxy::new(Config::load(&sources).unwrap()).unwrap();
    let listener = proxy.listen().await.unwrap();
    assert_eq!(listener.place(), place);
    let (wishes, received) = tokio::sync::mpsc::channel(1);
    let done = tokio::spawn(async move { proxy.serve(listener, &sources, received).await });
    let mut client = tokio::net::UnixStream::connect(&path).await.unwrap();
    client.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("ok\n"), "{answer}");
    wishes.send(Control::Drain).await.unwrap();
    done.await.unwrap().unwrap();
    assert!(!path.exists(), "the socket is taken away");
}

#[tokio::test]
async fn the_banner_has_what_clients_need() {
    let proxy = Proxy::new(Config::load(&sources(&[("demo", "true")])).unwrap()).unwrap();
    let listener = proxy.listen().await.unwrap();
    let (banner, url) = (proxy.banner(&listener), format!("http://{}", listener.place()));
    for line in
        [format!("OPENAI_BASE_URL={url}/v1"), format!("ANTHROPIC_BASE_URL={url} "), format!("base_url = \"{url}/v1\"")]
    {
        assert!(banner.contains(&line), "{line} is not in {banner}");
    }
    assert!(banner.contains("raw/qwen3_coder") && banner.contains("demo/qwen3_coder"));
}

#[tokio::test]
async fn a_taken_port_is_said_so() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = taken.local_addr().unwrap().to_string();
    let proxy = Proxy::new(Config::load(&sources(&[("demo", "true"), ("listen", place.as_str())])).unwrap()).unwrap();
    let error = proxy.listen().await.unwrap_err().to_string();
    assert!(error.contains(&format!("cannot listen on `{place}`; choose another address with `--listen`")), "{error}");
}

#[tokio::test]
async fn a_file_that_was_written_is_read_again() {
    let path = std::env::temp_dir().join(format!("toolglot-watch-{}.toml", std::process::id()));
    let text =
        |more: &str| format!("listen = '127.0.0.1:0'\nlog = 'off'\n{more}\n[[upstream]]\nurl = 'http://127.0.0.1:1'\n");
    std::fs::write(&path, text("keys = ['one']")).unwrap();
    let running = run(toolglot_proxy::Sources { file: Some(path.clone()), ..Default::default() }).await;
    let with_key = |key: &str| {
        format!("GET /metrics HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\nconnection: close\r\n\r\n")
    };
    let is_key = async |key: &str| running.ask(&with_key(key)).await.0.starts_with("HTTP/1.1 200");
    assert!(is_key("one").await && !is_key("other").await);
    for (settings, key) in [("nonsense = 1", "one"), ("keys = ['other']", "other")] {
        std::fs::write(&path, text(settings)).unwrap();
        let counted = |result: &str| format!("toolglot_config_reloads_total{{result=\"{result}\"}} 1\n");
        let wanted = counted(if key == "one" { "failure" } else { "success" });
        let mut seen = String::new();
        for _ in 0..100 {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            let (_, body) = running.ask(&with_key(key)).await;
            seen = String::from_utf8(body).unwrap();
            if seen.contains(&wanted) {
                break;
            }
        }
        assert!(seen.contains(&wanted), "{settings}: {seen}");
    }
    assert!(is_key("other").await && !is_key("one").await);
    std::fs::remove_file(path).unwrap();
}
