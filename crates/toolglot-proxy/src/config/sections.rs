//! Every setting of the proxy; the reference in `docs/proxy.md` and the schema are made from this file.

use std::path::PathBuf;

use toolglot::{CallsInReasoning, Evidence, UnknownTool, Untyped, Validation};
use toolglot_wire::{Duplicates, EngineKind, HistoryIds, Protocol, ReasoningField};

use crate::config::section::{Section, SettingKey, section};
use crate::config::setting::{
    Choice, Headers, Keep, LogFormat, Mode, Raw, RepairList, Secret, Secrets, Setting, Size, StorePlace, TemplateUse,
    Time, Url,
};

section! { "" one
    /// The proxy itself.
    pub(crate) struct ServerSettings {
        /// Where to listen: `ADDRESS:PORT`, or `unix:PATH`.
        listen: String = "127.0.0.1:8642",
        /// Answer beyond this machine without asking for a key.
        insecure: bool = "false",
        /// Keys that clients have to send, as `Authorization: Bearer KEY` or `x-api-key: KEY`; none: all are welcome.
        keys: Secrets = "",
        /// File with further keys, one a line.
        keys_file: Option<PathBuf> = "",
        /// File with further `[[client]]` tables and nothing else.
        clients_file: Option<PathBuf> = "",
        /// Names by which clients without a key may call the proxy, besides `localhost`, addresses and the name in `listen`: of a service in compose or Kubernetes, for instance. `*` allows any.
        hosts: Vec<String> = "",
        /// Origins whose web pages may ask and read answers, such as `https://chat.example.com`; `*` allows any. Pages of this machine may ask, not read.
        origins: Vec<String> = "",
        /// Certificate chain in PEM, for HTTPS.
        tls_cert: Option<PathBuf> = "",
        /// Private key in PEM, for HTTPS.
        tls_key: Option<PathBuf> = "",
        /// How requests are logged: `auto` is for people on a terminal and JSON elsewhere.
        log: Choice<LogFormat> = "auto",
        /// Read the settings again when a file of theirs was written: this one, keys, certificates, dialects.
        watch: bool = "true",
        /// Exchanges that are kept in files, to be read again with `toolglot replay`: none, those whose answer looks like a call that was not read, or all with tools.
        capture: Choice<Keep> = "off",
        /// Folder of these files.
        captures: String = "captures",
        /// Bytes of them; the oldest are deleted first.
        capture_bytes: Size = "256 MiB",
        /// Where answers are kept that later requests refer to: `memory`, or a Redis or Valkey server that several proxies share, as `redis://:PASSWORD@HOST:6379/0`, `rediss://…` with TLS.
        store: StorePlace = "memory",
        /// Collector of traces, as `http://localhost:4318`: each request becomes a span, sent as OTLP in JSON to `/v1/traces` there. A `traceparent` is continued. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_TRACES_SAMPLER` mean what they mean elsewhere.
        otlp: Url = "",
        /// Show the inspector below `/inspector/`: what became of every byte of a text, and what was captured. Captures take a key wherever the proxy does.
        inspector: bool = "false",
        /// Answer with an embedded model server that speaks every dialect; for trying things out.
        demo: bool = "false",
    }
}

section! { "limits" one
    /// How much may be sent and held; each limit has an error of its own.
    pub(crate) struct Limits {
        /// Bytes of a request.
        body: Size = "32 MiB",
        /// Bytes of an answer that is not streamed.
        answer: Size = "64 MiB",
        /// Bytes of one line of a stream.
        line: Size = "8 MiB",
        /// Bytes of one event of a stream.
        event: Size = "16 MiB",
        /// Requests at the same time; the next one is told to come back.
        streams: usize = "1024",
        /// Bytes of text that are held while it is not clear what they are.
        held: Size = "1 MiB",
        /// Bytes of the arguments of one call.
        arguments: Size = "16 MiB",
        /// Levels of nesting in arguments.
        depth: usize = "128",
        /// Calls of one answer.
        calls: usize = "256",
        /// Answers to Responses clients that are remembered, so that later requests may refer to them; `0` remembers none. In a shared store, of each client.
        answers_kept: usize = "1000",
        /// Bytes of them and of what they answer; those that were not used for longest are forgotten first. In a shared store, of each client.
        bytes_kept: Size = "32 MiB",
    }
}

section! { "timeouts" one
    /// How long to wait for what; `0` waits for ever.
    pub(crate) struct Timeouts {
        /// For a client to send the head of its next request; then the idle connection is closed.
        header: Time = "60 s",
        /// For a client to send the rest of it.
        body: Time = "60 s",
        /// For a connection to the model server.
        connect: Time = "10 s",
        /// For the model server to begin its answer; long prompts take long.
        first_byte: Time = "600 s",
        /// Between two pieces of an answer.
        idle: Time = "300 s",
        /// For the whole answer.
        total: Time = "0",
        /// After so long without anything to send, a stream says that it is alive.
        keep_alive: Time = "15 s",
        /// For a shared store to answer.
        store: Time = "2 s",
        /// After so long without use, a shared store forgets an answer.
        kept: Time = "1440 min",
        /// For requests that run when the proxy is told to end.
        drain: Time = "30 s",
    }
}

section! { "upstream" many
    /// A model server; the first one has the requests that no route sends elsewhere.
    pub(crate) struct Upstream {
        /// What routes and logs call it.
        name: String = "default",
        /// Its base URL. A path is taken as it is, up to `/chat/completions` and the like; without a path, it is `/v1`.
        url: Url = "",
        /// What it speaks: `auto` is `chat`, and another one if the server has no path for that.
        protocol: Choice<Option<Protocol>> = "auto",
        /// What it is, so that the model's markers reach the proxy: found out unless set.
        engine: Choice<Option<EngineKind>> = "auto",
        /// Key to send instead of the client's; the client's is sent if there is none and the proxy asks for none.
        key: Secret = "",
        /// Headers to send besides.
        headers: Headers = "",
        /// Further certificate authorities to trust, in PEM.
        ca: Option<PathBuf> = "",
        /// How often to try again before the first byte: after a refused connection, one that is closed at once, 429, 502, 503, 504.
        retries: usize = "1",
    }
}

impl Upstream {
    /// Returns its key, and the values of its headers where they may be keys: short ones are mostly words.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = String> {
        let value =
            |(_, value): &(String, Secret)| value.get().map(|text| text.rsplit(' ').next().unwrap_or(text).to_owned());
        let values = self.headers.0.iter().filter_map(value).filter(|value| value.len() >= 8);
        self.key.get().map(str::to_owned).into_iter().chain(values)
    }
}

section! { "client" many
    /// A client with a key of its own, and what it may do. The keys of `keys` may do everything.
    pub(crate) struct ClientSettings {
        /// What logs and messages call it.
        name: String = "",
        /// Its key, or `sha256:` and the digest of it in hexadecimal digits.
        key: Secret = "",
        /// Names of models that it may ask for, as it writes them; `*` stands for anything.
        models: Vec<String> = "*",
        /// Names of model servers that it may ask; all of them unless set.
        upstreams: Vec<String> = "",
        /// Requests that it may send in a minute; `0`: any number. Each proxy counts for itself.
        per_minute: usize = "0",
        /// Requests of it at the same time; `0`: any number. Each proxy counts for itself.
        concurrent: usize = "0",
        /// Keys that model servers get for its requests instead of their `key`, by the servers' names.
        upstream_keys: Headers = "",
    }
}

section! { "route" many
    /// How the requests for some models are treated; the first route that fits counts.
    pub(crate) struct RouteSettings {
        /// Names of models as clients write them; `*` stands for anything.
        models: Vec<String> = "*",
        /// The model server's name; the first one unless set.
        upstream: String = "",
        /// The model's name at the server, where it is another.
        model: String = "",
        /// Dialects to read: names, files (with `/` or `.toml`), `auto` for all, or `off` to relay everything untouched.
        dialect: Vec<String> = "auto",
        /// How the server gets tools: `native` as such, `prompt` as text in the prompt, `auto` as text once it has refused them for the model.
        mode: Choice<Mode> = "native",
        /// Dialect in which a prompt tells of tools; unless set, the first of `dialect`, else the one that the model's name fits, else `hermes`.
        teach: String = "",
        /// A JSON file with the tools of text completions (`/v1/completions`) that declare none: a list as in a chat's `tools`.
        tools: Option<PathBuf> = "",
        /// Begin a call that `tool_choice` demands for the model, where its tools are in the prompt and the server goes on with the last message. A model that reasons does not reason then.
        prefill: bool = "true",
        /// Read the text of requests that declare no tools, too.
        force: bool = "false",
        /// Whether the prompt opens the reasoning, so that answers begin inside it: `auto` learns it from the last answers.
        reasoning_open: Choice<Option<bool>> = "auto",
        /// Whether the server's chat template says how its answers are read, where it shows one: the dialect, what the prompt opens, what ends a turn.
        template: Choice<TemplateUse> = "off",
        /// Where chat clients find reasoning.
        reasoning_field: Choice<ReasoningField> = "reasoning_content",
        /// What a call inside reasoning is.
        calls_in_reasoning: Choice<CallsInReasoning> = "wait",
        /// How calls are checked against the schemas of their tools.
        validation: Choice<Validation> = "coerce",
        /// What text means where no schema gives its type.
        untyped: Choice<Untyped> = "infer",
        /// How much evidence a call needs.
        evidence: Choice<Evidence> = "balanced",
        /// What becomes of a call whose tool is not declared.
        unknown_tool: Choice<UnknownTool> = "call",
        /// Repairs that may be made: `none`, `exact`, `safe`, `all`, or a list.
        repairs: RepairList = "safe",
        /// How the ids of earlier calls are written for the model.
        history_ids: Choice<HistoryIds> = "kept",
        /// What becomes of a native call whose arguments the server sends twice: `once` makes one call of it.
        duplicates: Choice<Duplicates> = "once",
    }
}
