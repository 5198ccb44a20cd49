//! What callers rely on without saying so: types go from thread to thread, are cloned, and can be shown.

use std::error::Error;
use std::fmt::Debug;

use toolglot::detect::Verdict;
use toolglot::{
    ArgumentsEnd, ArgumentsReader, Call, CodeRow, Collector, Diagnostic, Dialect, DialectError, Dialects, Event,
    EventKind, Events, IncompleteCall, Limits, Message, Options, Parser, RenderError, Renderer, Rendering, Repaired,
    Repairs, Step, Tools, ToolsError, UnknownChoice, UnknownDialect, UnknownRepair,
};

fn is_plain<T: Clone + Debug + Send + Sync>() {}
fn is_error<T: Error + Clone + PartialEq + Send + Sync + 'static>() {}
fn has_default<T: Default>() {}

#[test]
fn types_are_sent_shared_cloned_and_shown() {
    is_plain::<(Parser, ArgumentsReader, Collector, Renderer)>();
    is_plain::<(Dialect, Dialects, Tools, Options, Limits, Repairs)>();
    is_plain::<(Message, Call, IncompleteCall, Diagnostic, Repaired, ArgumentsEnd)>();
    is_plain::<(Event<'_>, EventKind<'_>, Events<'_>, Rendering<'_>, Step, CodeRow, Verdict)>();
    is_error::<DialectError>();
    is_error::<RenderError>();
    is_error::<ToolsError>();
    is_error::<UnknownChoice>();
    is_error::<UnknownDialect>();
    is_error::<UnknownRepair>();
    has_default::<(Dialects, Tools, Options, Limits, Repairs, Rendering<'_>)>();
}
