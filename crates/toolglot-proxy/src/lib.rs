//! A proxy that makes tool calling work between any client and any model server.
//!
//! It converts calls in text to native calls, repairs broken native calls, and changes nothing else. [`toolglot_wire`]
//! implements the protocols; this crate adds sockets, settings, limits, logs and metrics.
//!
//! ```no_run
//! use toolglot_proxy::{Config, Proxy, Sources};
//!
//! let flag = |name: &str, value: &str| (name.to_owned(), value.to_owned(), format!("`--{name}`"));
//! let sources = Sources { flags: vec![flag("upstream", "http://localhost:8000")], ..Sources::default() };
//! let router = Proxy::new(Config::load(&sources)?)?.router();
//! # let _ = router;
//! # Ok::<(), toolglot_proxy::ConfigError>(())
//! ```

mod auth;
mod banner;
mod block_in_place;
mod bodies;
mod capture;
mod clients;
mod coding;
mod completions;
mod config;
mod declared;
mod demand;
mod demo;
mod doctor;
mod engine;
mod error;
mod forms;
mod guard;
mod headers;
mod identify;
mod inspector;
mod key_digest;
mod lifecycle;
mod live;
mod log;
mod memory;
mod metrics;
mod misses;
mod ollama;
mod openings;
mod owner;
mod passing;
mod paths;
mod peer;
mod pieces;
mod prompting;
mod record;
mod replay;
mod routes;
#[cfg_attr(not(feature = "redis"), path = "no_store.rs")]
mod shared_store;
mod show;
mod shown_template;
mod store;
mod stream;
mod template;
mod tls;
#[cfg_attr(not(feature = "otlp"), path = "no_traces.rs")]
mod traces;
mod turns;
mod upstream;
mod watch;

pub use capture::{Capture, captures};
pub use config::{Config, ConfigError, Sources, reference, schema, settings};
pub use doctor::{Condition, Examination, Probe, examine};
pub use lifecycle::{Control, Listener, Proxy, ServeError, run};
pub use live::PageFiles;
pub use replay::replay;
pub use show::show;
pub use template::{ReadTemplate, TemplateFacts};
