//! Parameters without a call around them.

use super::call::CallReader;
use super::call_context::CallContext;
use super::catalog::PatternRef;
use super::contest::{Start, Winner};
use super::engine::Engine;
use super::head::{Head, HeadText, skip_gap};
use super::params::{FoundParam, param_head};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{BodyKind, Dialects};
use crate::event::Outcome;
use crate::options::{Options, Validation};
use crate::sink::Sink;
use crate::tool::Tools;
use crate::view::View;

/// Reads a text that is only parameters of the one dialect in `dialect`; returns their JSON.
pub(crate) fn read_parameters(
    text: &str,
    name: &str,
    dialect: &Dialects,
    tools: &Tools,
    options: &Options,
) -> Option<(String, Vec<Diagnostic>)> {
    let options = Options { validation: Validation::Coerce, marked_tokens: false, ..options.clone() };
    let engine = Engine::new(dialect.catalog(false), tools.clone(), options);
    let calls = &engine.catalog.dialects.first()?.calls;
    (0..calls.len()).filter(|call| calls[*call].kind() == Some(BodyKind::Params)).find_map(|call| {
        let pattern_ref = PatternRef { dialect: 0, section: None, call: Some(call) };
        read(text, name, &engine, pattern_ref)
    })
}

/// Reads the parameters as if the call's closer followed them; diagnostics about the closer get the end of the text.
fn read(text: &str, name: &str, engine: &Engine, pattern_ref: PatternRef) -> Option<(String, Vec<Diagnostic>)> {
    let callee = engine.callee(name)?;
    let head = Head { name: Some(HeadText::new(name, 0..0)), ..Head::default() };
    let [closer] = &engine.pattern(pattern_ref).tail[..] else { return None };
    let closer = closer.spellings.first()?.filled(Some(name), None, None);
    let closed = format!("{text}{closer}");
    let view = View::whole(&closed);
    let at = skip_gap(view, 0).ok()?;
    let context = CallContext::new(engine, view, &pattern_ref, &callee, &head);
    let FoundParam { param, head: first, .. } = param_head(at, &context, false).ok()??;
    if context.dialect().params[param].has_key_tag() && !context.knows(first.key()) {
        return None;
    }
    let mut sink = Sink::new(engine.options.repairs);
    let win = Winner { pattern_ref, head, callee, start: Start::Params { at, first: None }, proof: None, in_vain: 0 };
    let end = CallReader::new(win, true).resume(engine, view, &mut sink).ok()?;
    // The closer that was put there closes the call, and no value.
    let open = |found: &Diagnostic| found.code == Code::MissingValueCloser && found.span.end >= text.len();
    let cut = !engine.options.accept_incomplete && sink.diagnostics.iter().any(open);
    let whole = sink.worst() <= Outcome::Repaired && end == closed.len() && !cut;
    let arguments = sink.words.get(name.len()..)?.to_owned();
    for found in &mut sink.diagnostics {
        found.span = found.span.start.min(text.len())..found.span.end.min(text.len());
    }
    whole.then_some((arguments, sink.diagnostics))
}
