//! The setting `template`: a server's chat template says how its answers are read.

use tokio::sync::mpsc;
use toolglot_json::{Value, json};
use toolglot_proxy::{Config, Listener, Proxy, TemplateFacts};

use crate::support::{Running, Server, request, sources, whole};

/// What the template of the scripted server says.
fn read(config: &str) -> Result<TemplateFacts, String> {
    let config: Value = toolglot_json::from_str(config).map_err(|error| error.to_string())?;
    match config["chat_template"].as_str() {
        Some("own") => Ok(TemplateFacts {
            dialect: "derived".to_owned(),
            grade: "A".to_owned(),
            file: Some(
                "call = \"<|do|>{name}<|with|>{arguments}<|done|>\"\nreasoning = \"<muse>{text}</muse>\"".to_owned(),
            ),
            prefill: "<muse>".to_owned(),
            ends: vec!["<|end|>".to_owned()],
            found_by_auto: true,
        }),
        _ => Err("the template writes no tool calls; use a template that supports tools".to_owned()),
    }
}

/// A llama.cpp server with this template, whose model calls in its own words.
async fn server(template: &'static str) -> Server {
    Server::start(move |seen| {
        let body = match seen.line.split(' ').nth(1) {
            Some("/v1/models") => json!({"data": [{"id": "m", "owned_by": "llamacpp"}]}),
            Some("/props") => json!({"default_generation_settings": {}, "chat_template": template}),
            _ => json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
                "content": "A list is wanted.</muse><|do|>ls<|with|>{\"path\": \"src\"}<|done|>"}}]}),
        };
        whole("200 OK", "content-type: application/json\r\n", &body.to_string())
    })
    .await
}

async fn proxy(server: &Server, template: &str) -> Running {
    let url = server.url();
    let sources = sources(&[("upstream", url.as_str()), ("route.template", template)]);
    let proxy = Proxy::new(Config::load(&sources).unwrap()).unwrap().with_read_template(read);
    let listener = proxy.listen().await.unwrap();
    let Listener::Tcp(tcp) = &listener else { panic!("tests listen on TCP") };
    let address = tcp.local_addr().unwrap();
    let (wishes, received) = mpsc::channel(4);
    let done = tokio::spawn(async move { proxy.serve(listener, &sources, received).await.unwrap() });
    Running { address, wishes, done }
}

/// What a client gets for a request with a tool.
async fn message(template: &'static str, setting: &str) -> Value {
    let server = server(template).await;
    let proxy = proxy(&server, setting).await;
    let path = "/v1/chat/completions";
    let (_, body) = proxy.post(path, &request(path, false)).await;
    let answer: Value = toolglot_json::from_slice(&body).unwrap();
    answer["choices"][0]["message"].clone()
}

#[tokio::test]
async fn a_servers_template_says_how_its_answers_are_read() {
    let message = message("own", "auto").await;
    assert_eq!(message["tool_calls"][0]["function"]["name"], "ls", "{message}");
    assert_eq!(message["reasoning_content"], "A list is wanted.", "{message}");
}

#[tokio::test]
async fn it_is_not_asked_unless_the_settings_say_so() {
    let message = message("own", "off").await;
    assert!(message.get("tool_calls").is_none(), "{message}");
}

#[tokio::test]
async fn a_template_that_says_nothing_changes_nothing() {
    let message = message("another", "auto").await;
    assert!(message.get("tool_calls").is_none(), "{message}");
    assert!(message["content"].as_str().is_some_and(|text| text.contains("<|do|>ls")), "{message}");
}
