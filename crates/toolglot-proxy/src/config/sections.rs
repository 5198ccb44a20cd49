//! Every setting of the proxy; the reference in `docs/proxy.md` and the schema are generated from this file.

use std::path::PathBuf;

use toolglot::{CallsInReasoning, Evidence, Frame, NullText, UnknownTool, Untyped, Validation};
use toolglot_wire::{Duplicates, Enforce, EngineKind, HistoryIds, Protocol, ReasoningField};

use crate::config::section::{Section, SettingKey, section};
use crate::config::setting::{
    Choice, Headers, Keep, LogFormat, Mode, Raw, RepairList, Secret, Secrets, Setting, Size, StorePlace, TemplateUse,
    Time, Url,
};

section! { "" one server
    /// The proxy itself.
    pub(crate) struct ServerSettings {
        /// Address to listen on: `ADDRESS:PORT`, or `unix:PATH`.
        listen: String = "127.0.0.1:8642",
        /// Accept connections from other machines without requiring a key.
        insecure: bool = "false",
        /// Keys that clients must send, as `Authorization: Bearer KEY` or `x-api-key: KEY`; if empty, no key is required.
        keys: Secrets = "",
        /// File with more keys, one per line.
        keys_file: Option<PathBuf> = "",
        /// File with more `[[client]]` tables, and nothing else.
        clients_file: Option<PathBuf> = "",
        /// Host names by which clients without a key may address the proxy, in addition to `localhost`, IP addresses and the name in `listen`; for example a service name in Compose or Kubernetes. `*` allows any.
        hosts: Vec<String> = "",
        /// Origins whose web pages may send requests and read answers, such as `https://chat.example.com`; `*` allows any. Pages on this machine may send requests, but not read answers.
        origins: Vec<String> = "",
        /// Certificate chain in PEM, for HTTPS.
        tls_cert: Option<PathBuf> = "",
        /// Private key in PEM, for HTTPS.
        tls_key: Option<PathBuf> = "",
        /// Log format; `auto` is text on a terminal and JSON elsewhere.
        log: Choice<LogFormat> = "auto",
        /// Reload the settings when one of their files changes: this one, keys, certificates, dialects.
        watch: bool = "true",
        /// Exchanges to capture in files for `toolglot replay`: none, near misses (the answer looks like a call but was not recognised as one), or all with tools.
        capture: Choice<Keep> = "off",
        /// Folder for captured exchanges.
        captures: String = "captures",
        /// Total size of captured exchanges; the oldest are deleted first.
        capture_bytes: Size = "256 MiB",
        /// Store for answers that later requests refer to: `memory`, or a Redis or Valkey server shared by several proxies, `redis://:PASSWORD@HOST:6379/0`, `rediss://…` with TLS.
        store: StorePlace = "memory",
        /// URL of a trace collector, such as `http://localhost:4318`: each request becomes a span, sent as OTLP/JSON to `/v1/traces`. `traceparent` headers are honoured, and so are `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_TRACES_SAMPLER`.
        otlp: Url = "",
        /// Serve the inspector at `/inspector/`: it shows how each byte of a text was read, and captured exchanges. Captures require a key if the proxy does.
        inspector: bool = "false",
        /// Use a built-in demo server that writes every dialect, instead of a model server.
        demo: bool = "false",
    }
}

section! { "limits" one limits
    /// Limits; each has its own error.
    pub(crate) struct Limits {
        /// Size of a request body.
        body: Size = "32 MiB",
        /// Size of an answer that is not streamed.
        answer: Size = "64 MiB",
        /// Size of one line of a stream.
        line: Size = "8 MiB",
        /// Size of one event of a stream.
        event: Size = "16 MiB",
        /// Concurrent requests; additional ones get status 503 with `retry-after`.
        streams: usize = "1024",
        /// Text held back until it is clear whether it is a call.
        held: Size = "1 MiB",
        /// Size of the arguments of one call.
        arguments: Size = "16 MiB",
        /// Nesting depth of arguments.
        depth: usize = "128",
        /// Calls in one answer.
        calls: usize = "256",
        /// Answers kept for Responses clients, so that later requests can refer to them; `0` keeps none. Counted per client in a shared store.
        answers_kept: usize = "1000",
        /// Total size of kept answers and their requests; the least recently used are dropped first. Counted per client in a shared store.
        bytes_kept: Size = "32 MiB",
    }
}

section! { "timeouts" one timeouts
    /// Timeouts; `0` means no timeout.
    pub(crate) struct Timeouts {
        /// For the headers of a client's next request; then the idle connection is closed.
        header: Time = "60 s",
        /// For a client's request body.
        body: Time = "60 s",
        /// For connecting to the model server.
        connect: Time = "10 s",
        /// For the first byte of the model server's answer; long prompts take time.
        first_byte: Time = "600 s",
        /// Between two chunks of an answer.
        idle: Time = "300 s",
        /// For the whole answer.
        total: Time = "0",
        /// Interval of keep-alive comments in an idle stream.
        keep_alive: Time = "15 s",
        /// For a shared store to answer.
        store: Time = "2 s",
        /// Lifetime of an unused answer in a shared store.
        kept: Time = "1440 min",
        /// For running requests to finish at shutdown.
        drain: Time = "30 s",
    }
}

section! { "upstream" many upstreams
    /// A model server; the first one gets all requests that no route sends elsewhere.
    pub(crate) struct Upstream {
        /// Its name in routes and logs.
        name: String = "default",
        /// Its base URL. `/chat/completions` and the like are appended to its path; without a path, `/v1` is added.
        url: Url = "",
        /// Its protocol; `auto` tries `chat` first, then the others if the server lacks that path.
        protocol: Choice<Option<Protocol>> = "auto",
        /// The server program, which determines how to request the model's special tokens; detected by default.
        engine: Choice<Option<EngineKind>> = "auto",
        /// Key to send instead of the client's. Without it, and without `keys`, the client's key is forwarded.
        key: Secret = "",
        /// Additional headers to send.
        headers: Headers = "",
        /// Additional certificate authorities to trust, in PEM.
        ca: Option<PathBuf> = "",
        /// Retries before the first byte, after a refused or immediately closed connection, or status 429, 502, 503 or 504.
        retries: usize = "1",
    }
}

impl Upstream {
    /// Returns its key, and header values that may be keys: short ones usually are not.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = String> {
        let value =
            |(_, value): &(String, Secret)| value.get().map(|text| text.rsplit(' ').next().unwrap_or(text).to_owned());
        let values = self.headers.0.iter().filter_map(value).filter(|value| value.len() >= 8);
        self.key.get().map(str::to_owned).into_iter().chain(values)
    }
}

section! { "client" many clients
    /// A client with its own key and permissions. Keys in `keys` have all permissions.
    pub(crate) struct ClientSettings {
        /// Its name in logs and errors.
        name: String = "",
        /// Its key, or `sha256:` and the key's digest in hexadecimal.
        key: Secret = "",
        /// Models that it may use, as named in requests; `*` matches anything.
        models: Vec<String> = "*",
        /// Model servers that it may use; all by default.
        upstreams: Vec<String> = "",
        /// Requests per minute; `0` is unlimited. Each proxy counts separately.
        per_minute: usize = "0",
        /// Concurrent requests; `0` is unlimited. Each proxy counts separately.
        concurrent: usize = "0",
        /// Keys to send to model servers for its requests instead of their `key`, by server name.
        upstream_keys: Headers = "",
    }
}

section! { "route" many routes
    /// Settings for some models; the first matching route applies.
    pub(crate) struct RouteSettings {
        /// Models, as named in requests; `*` matches anything.
        models: Vec<String> = "*",
        /// Name of the model server; by default the first one.
        upstream: String = "",
        /// The model's name at the server, if it differs.
        model: String = "",
        /// Dialects to read: names, files (with `/` or `.toml`), `auto` for all, or `off` to pass everything through.
        dialect: Vec<String> = "auto",
        /// How tools are sent: `native`, `prompt` (as text in the prompt), or `auto` (native until the server rejects them for the model, then as text).
        mode: Choice<Mode> = "native",
        /// Dialect for tools in the prompt; by default the first of `dialect`, then the one matching the model's name, then `hermes`.
        teach: String = "",
        /// JSON file with the tools for text completions (`/v1/completions`) that declare none, in the format of `tools` in a chat request.
        tools: Option<PathBuf> = "",
        /// Prefill a call that `tool_choice` requires, if tools are in the prompt and the server continues the last message. The model then skips reasoning.
        prefill: bool = "true",
        /// What a grammar enforces while the server samples: nothing (`off`), `tool_choice` and `parallel_tool_calls` (`choice`), also the arguments of tools with `"strict": true` and `response_format` with tools (`auto`), or also the arguments of all tools (`strict`).
        enforce: Choice<Enforce> = "off",
        /// Also parse answers to requests without tools.
        force: bool = "false",
        /// Whether the prompt opens the reasoning, so that answers begin inside it; `auto` detects it from the last answers.
        reasoning_open: Choice<Option<bool>> = "auto",
        /// Whether to read the chat template of a llama.cpp server to determine the dialect and whether the prompt opens the reasoning.
        template: Choice<TemplateUse> = "off",
        /// Field for reasoning in answers to chat clients.
        reasoning_field: Choice<ReasoningField> = "reasoning_content",
        /// How to treat calls inside reasoning.
        calls_in_reasoning: Choice<CallsInReasoning> = "wait",
        /// Whether white space between markers and text or reasoning belongs to the markers (`template`) or the text (`exact`).
        frame: Choice<Frame> = "template",
        /// How to validate calls against the schemas of their tools.
        validation: Choice<Validation> = "coerce",
        /// How to read values without a declared type.
        untyped: Choice<Untyped> = "infer",
        /// What a bare `null` means for a nullable string parameter.
        null_text: Choice<NullText> = "null",
        /// How much evidence a call needs.
        evidence: Choice<Evidence> = "balanced",
        /// How to treat calls to undeclared tools.
        unknown_tool: Choice<UnknownTool> = "call",
        /// Enabled repairs: `none`, `exact`, `safe`, `all`, or a list.
        repairs: RepairList = "safe",
        /// How to write the ids of earlier calls for the model.
        history_ids: Choice<HistoryIds> = "kept",
        /// How to treat native calls whose arguments the server sends twice; `once` merges them.
        duplicates: Choice<Duplicates> = "once",
    }
}
