//! toolglot reads the tool calls that language models write as text.

mod coerce;
mod diagnostic;
mod dialect;
mod event;
mod json;
mod options;
mod schema;
mod sink;
mod tool;
mod view;

pub use diagnostic::{Class, Code, Diagnostic, Preset, Repairs, UnknownRepair};
pub use dialect::{Dialect, DialectError, Dialects, UnknownDialect};
pub use event::{Event, EventKind, Outcome};
pub use options::*;
pub use tool::Tools;
