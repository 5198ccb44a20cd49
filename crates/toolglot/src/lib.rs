//! toolglot reads the tool calls that language models write as text.

mod arguments;
mod coerce;
pub mod detect;
mod diagnostic;
mod dialect;
mod event;
mod id;
mod json;
mod lines;
mod marks;
mod message;
mod options;
mod parser;
mod render;
mod repair;
mod schema;
mod sink;
mod tool;
mod trace;
mod view;

pub use arguments::{ArgumentsEnd, ArgumentsReader};
pub use diagnostic::{Class, Code, Diagnostic, Preset, Repairs, UnknownRepair};
pub use dialect::{Dialect, DialectError, Dialects, UnknownDialect};
pub use event::{Event, EventKind, Outcome};
pub use id::{mint, seed_of};
pub use message::{Call, Collector, IncompleteCall, Message};
pub use options::{
    CallsInReasoning, Evidence, FinishReason, Limits, Options, UnknownChoice, UnknownTool, Untyped, Validation,
};
pub use parser::{Events, Parser};
pub use render::{RenderError, Renderer, Rendering};
pub use repair::{Repaired, repair};
#[cfg(feature = "json-schema")]
pub use schema::SchemaCheck;
pub use tool::{Tools, ToolsError};
pub use trace::{Action, Step};

/// Reads a whole text.
pub fn parse(text: &str, dialects: &Dialects, tools: &Tools, options: &Options) -> Message {
    let mut parser = Parser::new(dialects, tools, options);
    let mut collector = Collector::new(options);
    parser.push(text).for_each(|event| collector.add(&event));
    parser.finish().for_each(|event| collector.add(&event));
    collector.set_dialect(parser.dialect().cloned());
    collector.finish(text.as_bytes())
}
