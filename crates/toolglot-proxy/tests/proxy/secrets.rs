//! Keys that servers repeat in their errors, and what the operator is shown of them.

use crate::support::*;

const FLAGS: [(&str, &str); 2] = [("keys", "sesame"), ("upstream.key", "UPKE")];
const ERROR: &str = r#"{"error":{"message":"no: Bearer UPKE, x-api-key \"sesame\"; see UPKEEP","type":"x"}}"#;
const WITHOUT: &str = r#"{"error":{"message":"no: Bearer ***, x-api-key \"***\"; see UPKEEP","type":"x"}}"#;

fn with_key(path: &str, body: &str) -> String {
    post(path, body).replacen("host: localhost", "host: localhost\r\nauthorization: Bearer sesame", 1)
}

#[tokio::test]
async fn errors_name_no_keys_wherever_they_come_from() {
    let server = Server::start(|_| whole("401 Unauthorized", "", ERROR)).await;
    let running = Running::before(&server, &FLAGS).await;
    for path in ["/v1/whatever", PATHS[0]] {
        let (head, body) = running.ask(&with_key(path, &request(PATHS[0], false))).await;
        assert!(head.starts_with("HTTP/1.1 401"), "{head}");
        assert_eq!(String::from_utf8(body).unwrap(), WITHOUT, "{path}");
    }
    let html = Server::start(|_| whole("500 No", "etag: x\r\n", "<p>UPKE\u{e4}</p> <b>UPKE</b>")).await;
    let running = Running::before(&html, &FLAGS).await;
    let (head, body) = running.ask(&with_key("/whatever", "{}")).await;
    assert_eq!(String::from_utf8(body).unwrap(), "<p>UPKE\u{e4}</p> <b>***</b>");
    assert_eq!(header(&head, "etag"), None, "it is not what the server sent");
}

#[tokio::test]
async fn compressed_errors_are_not_passed_on_unread() {
    let server = Server::start(|_| whole("401 Unauthorized", "content-encoding: gzip\r\n", "no text")).await;
    let running = Running::before(&server, &FLAGS).await;
    let asked =
        with_key("/v1/whatever", "{}").replacen("host: localhost", "host: localhost\r\naccept-encoding: gzip", 1);
    let (head, body) = running.ask(&asked).await;
    assert_eq!((header(&head, "content-encoding"), server.last().header("accept-encoding")), (None, None));
    assert!(String::from_utf8(body).unwrap().contains("answered with status 401"), "{head}");
}

#[tokio::test]
async fn errors_in_the_middle_of_a_stream_name_no_keys() {
    let event = format!("data: {ERROR}\n\n");
    let server = Server::start(move |_| stream(&[chunk(r#"{"content":"UPKE"}"#, "null"), event.clone()])).await;
    let running = Running::before(&server, &FLAGS).await;
    let plain = r#"{"model":"m","stream":true,"messages":[]}"#.to_owned();
    for (path, body) in PATHS.iter().map(|path| (*path, request(path, true))).chain([(PATHS[0], plain)]) {
        let (_, body) = running.ask(&with_key(path, &body)).await;
        let text = String::from_utf8(body).unwrap();
        assert!(text.contains(r#"no: Bearer ***, x-api-key \"***\"; see UPKEEP"#), "{path}: {text}");
        assert!(text.contains("UPKE\""), "what the model says is no error: {text}");
    }
}

#[test]
fn a_url_with_a_password_is_refused_and_shown_without_it() {
    let url = "http://user:hidden@x/v1";
    let config = toolglot_proxy::Config::load(&sources(&[("upstream", url)])).unwrap();
    let shown = config.show() + &format!("{config:?}");
    assert!(shown.contains("url = \"http://***@x/v1\"") && !shown.contains("hidden"), "{shown}");
    let error = toolglot_proxy::Proxy::new(config).map(drop).unwrap_err().to_string();
    assert!(error.contains("authorization = \"Basic ...\"") && !error.contains("hidden"), "{error}");
}
