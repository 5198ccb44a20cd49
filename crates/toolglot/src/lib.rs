//! Parses the tool calls that language models write as text, in any dialect, while the text arrives.
//!
//! [`parse`] parses a whole text; a [`Parser`] takes pieces and returns [`Event`]s, which a [`Collector`] assembles.
//! [`Dialects`] are the formats to parse, [`Tools`] the tools that may be called, [`Options`] the policies.
//! [`repair()`] and [`ArgumentsReader`] parse arguments alone, [`Renderer`] writes what [`parse`] reads, [`detect`]
//! identifies dialects, [`sketch()`] makes one, [`certify()`] tests it. Parsing never fails: deviations are [`Diagnostic`]s.
//!
//! ```
//! use toolglot::{Dialects, Options, Tools, parse};
//! let tools = Tools::from_json_str(r#"[{"name": "get_weather", "parameters": {"type": "object",
//!     "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}]"#)?;
//! let text = "Let me see.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n\
//!             <parameter=days>\n3\n</parameter>\n</function>\n</tool_call>";
//! let message = parse(text, &Dialects::builtin(), &tools, &Options::default());
//! assert_eq!(message.content, "Let me see.");
//! assert_eq!(message.calls[0].name, "get_weather");
//! assert_eq!(message.calls[0].arguments, r#"{"city": "Oslo", "days": 3}"#);
//! # Ok::<(), toolglot::ToolsError>(())
//! ```
//!
//! Text may be hostile: `SECURITY.md` in the repository lists the guarantees, and what the caller has to do.

#![deny(missing_docs)]

mod arguments;
mod certify;
mod coerce;
pub mod detect;
mod diagnostic;
mod dialect;
mod event;
mod evidence;
mod frame;
mod given;
mod id;
mod inspect;
mod json;
mod lead;
mod lines;
mod marks;
mod message;
mod near_miss;
mod options;
mod outline;
mod parser;
mod render;
mod repair;
mod schema;
#[cfg(feature = "serde")]
mod serialize;
mod sink;
mod sketch;
mod spelling;
mod tool;
mod trace;
mod view;

pub use arguments::{ArgumentsEnd, ArgumentsReader};
pub use certify::{Certificate, certify};
pub use diagnostic::{Class, Code, CodeRow, Diagnostic, Preset, Repairs, UnknownRepair};
pub use dialect::{Dialect, DialectError, Dialects, Teach, TeachPlace, UnknownDialect};
pub use event::{Event, EventKind, Outcome};
#[doc(hidden)]
pub use evidence::Veto;
pub use id::{mint, seed_of};
pub use inspect::{Arrival, ByteKind, Inspection, Mending, Remedy, Stretch, WhyNot, inspect};
pub use message::{Call, Collector, IncompleteCall, Message};
pub use near_miss::{MissReason, NearMiss, near_miss};
pub use options::{
    CallsInReasoning, Evidence, FinishReason, Frame, Limits, NullText, OptionError, Options, ReasoningOpen,
    UnknownChoice, UnknownTool, Untyped, Validation,
};
pub use outline::{HolePlace, Outline, OutlinePart};
pub use parser::{Events, Parser};
pub use render::{RenderError, Renderer, Rendering};
pub use repair::{Repaired, repair};
pub use sketch::{Example, SketchError, sketch};
#[cfg(feature = "json-schema")]
pub use tool::SchemaCheck;
pub use tool::{Declaration, Tools, ToolsError};
pub use trace::{Action, Step};

/// Parses a whole text. Never fails: text that is not a call is in `content`, deviations are in `diagnostics`.
///
/// # Example
/// ```
/// use toolglot::{Dialects, Options, Tools, parse};
/// let text = r#"[TOOL_CALLS]ls[ARGS]{"path": "src"}"#;
/// let message = parse(text, &Dialects::builtin(), &Tools::default(), &Options::default());
/// assert_eq!((message.calls[0].name.as_str(), message.dialect.as_deref()), ("ls", Some("mistral_v11")));
/// ```
pub fn parse(text: &str, dialects: &Dialects, tools: &Tools, options: &Options) -> Message {
    let mut parser = Parser::new(dialects, tools, options);
    let mut collector = Collector::new(options);
    parser.whole(text).for_each(|event| collector.add(&event));
    collector.set_dialect(parser.dialect().cloned());
    collector.finish(text.as_bytes())
}
