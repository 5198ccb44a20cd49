//! Whole texts: read, repaired, explained, and whose they are.

use pyo3::prelude::*;
use toolglot::{Message, Step, detect as verdicts};

use crate::event::Diagnostic;
use crate::settings::{Dialects, Options, Tools};
use crate::text::Text;

/// A message: content, reasoning, calls (id, name, arguments), incomplete calls (name, arguments, text, outcome), finish
/// reason, dialect, diagnostics.
pub(crate) type MessageParts = (
    String,
    String,
    Vec<(String, String, String)>,
    Vec<(String, String, String, &'static str)>,
    &'static str,
    Option<String>,
    Vec<Py<Diagnostic>>,
);

/// Returns a message in parts, of which the façade makes its own.
pub(crate) fn parts(py: Python<'_>, message: Message) -> PyResult<MessageParts> {
    let diagnostics = message.diagnostics.iter().map(|found| Py::new(py, Diagnostic::from(found)));
    Ok((
        message.content,
        message.reasoning,
        message.calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect(),
        message
            .incomplete
            .into_iter()
            .map(|call| (call.name, call.arguments, call.text, call.outcome.name()))
            .collect(),
        message.finish_reason.name(),
        message.dialect.as_deref().map(str::to_owned),
        diagnostics.collect::<PyResult<_>>()?,
    ))
}

/// Reads a whole text.
#[pyfunction]
pub(crate) fn parse(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    dialects: &Dialects,
    tools: &Tools,
    options: &Options,
) -> PyResult<MessageParts> {
    let text = Text::of(text)?;
    let read = || explained(&text, &dialects.0, &tools.0, &options.0);
    let message = if text.is_large() { py.detach(read) } else { read() };
    parts(py, message)
}

fn read(
    text: &Text<'_>,
    dialects: &toolglot::Dialects,
    tools: &toolglot::Tools,
    options: &toolglot::Options,
) -> Message {
    let mut parser = toolglot::Parser::new(dialects, tools, options);
    let mut collector = toolglot::Collector::new(options);
    text.feed(&mut parser).for_each(|event| collector.add(&event));
    parser.finish().for_each(|event| collector.add(&event));
    collector.set_dialect(parser.dialect().cloned());
    collector.finish(text.bytes())
}

/// The same; the message says why no call was found that the text looks like.
fn explained(
    text: &Text<'_>,
    dialects: &toolglot::Dialects,
    tools: &toolglot::Tools,
    options: &toolglot::Options,
) -> Message {
    let mut message = read(text, dialects, tools, options);
    message.add_near_miss(text.bytes(), dialects, tools, options);
    message
}

/// Reads many texts, on as many threads as asked for, all of them without the interpreter's lock.
#[pyfunction]
pub(crate) fn parse_batch(
    py: Python<'_>,
    texts: Vec<Bound<'_, PyAny>>,
    dialects: &Dialects,
    tools: &Tools,
    options: &Options,
    threads: usize,
    near_misses: bool,
) -> PyResult<Vec<MessageParts>> {
    let texts: Vec<Text<'_>> = texts.iter().map(Text::of).collect::<PyResult<_>>()?;
    let share = texts.len().div_ceil(threads.max(1)).max(1);
    let one = if near_misses { explained } else { read };
    let read = |text: &Text<'_>| one(text, &dialects.0, &tools.0, &options.0);
    let messages: Vec<Message> = py.detach(|| {
        std::thread::scope(|scope| {
            let work = |some| scope.spawn(move || texts_of(some, read));
            let workers: Vec<_> = texts.chunks(share).map(work).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        })
    });
    messages.into_iter().map(|message| parts(py, message)).collect()
}

fn texts_of<'a>(texts: &[Text<'a>], read: impl Fn(&Text<'a>) -> Message) -> Vec<Message> {
    texts.iter().map(read).collect()
}

/// Returns the arguments as JSON, or None, and what was done.
#[pyfunction]
pub(crate) fn repair(
    py: Python<'_>,
    arguments: &Bound<'_, PyAny>,
    dialects: &Dialects,
    tools: &Tools,
    name: Option<&str>,
    options: &Options,
) -> PyResult<(Option<String>, Vec<Diagnostic>)> {
    let arguments = Text::of(arguments)?;
    let tools = name.map_or_else(|| tools.0.clone(), |name| tools.0.only_named(name));
    let found = py.detach(|| toolglot::repair(&arguments.lossy(), &dialects.0, &tools, &options.0));
    Ok((found.arguments, found.diagnostics.iter().map(Diagnostic::from).collect()))
}

/// Why a text was read as no call: reason, tool, diagnostic.
type MissParts = (&'static str, Option<String>, Diagnostic);

/// Returns why a text that looks like a call was read as none.
#[pyfunction]
pub(crate) fn near_miss(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    dialects: &Dialects,
    tools: &Tools,
    options: &Options,
) -> PyResult<Option<MissParts>> {
    let text = Text::of(text)?;
    let miss = py.detach(|| {
        let message = read(&text, &dialects.0, &tools.0, &options.0);
        toolglot::near_miss(&text.lossy(), &message, &dialects.0, &tools.0, &options.0)
    });
    Ok(miss.map(|miss| (miss.reason.name(), miss.tool, Diagnostic::from(&miss.diagnostic))))
}

/// A step of reading: action, dialect, detail, start, end.
pub(crate) type StepParts = (&'static str, Option<String>, String, usize, usize);

/// Returns every step of reading a text.
#[pyfunction]
pub(crate) fn explain(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    dialects: &Dialects,
    tools: &Tools,
    options: &Options,
) -> PyResult<Vec<StepParts>> {
    let text = Text::of(text)?;
    let steps = py.detach(|| {
        let mut parser = toolglot::Parser::new(&dialects.0, &tools.0, &options.0);
        parser.enable_trace();
        text.feed(&mut parser);
        let mut steps = parser.take_trace();
        parser.finish();
        steps.append(&mut parser.take_trace());
        steps
    });
    Ok(steps.into_iter().map(step).collect())
}

pub(crate) fn step(step: Step) -> StepParts {
    (step.action.name(), step.dialect.as_deref().map(str::to_owned), step.detail, step.span.start, step.span.end)
}

/// A reason: what was seen, how much it counts, where.
type EvidenceParts = (String, i32, Option<(usize, usize)>);

/// A verdict: dialect, those that are alike, score, evidence.
type VerdictParts = (String, Vec<String>, i32, Vec<EvidenceParts>);

/// Ranks dialects for an output, a chat template or a model's name.
#[pyfunction]
pub(crate) fn detect(
    py: Python<'_>,
    source: &str,
    subject: &str,
    dialects: &Dialects,
    tools: &Tools,
) -> Vec<VerdictParts> {
    let found = py.detach(|| match source {
        "model" => verdicts::from_model(subject, &dialects.0),
        "template" => verdicts::from_template(subject, &dialects.0),
        _ => verdicts::from_output(subject, &dialects.0, &tools.0),
    });
    found.into_iter().map(verdict).collect()
}

fn verdict(verdict: verdicts::Verdict) -> VerdictParts {
    let evidence = verdict.evidence.into_iter();
    let evidence = evidence.map(|reason| (reason.what, reason.weight, reason.span.map(|span| (span.start, span.end))));
    let alike = verdict.alike.iter().map(|name| name.to_string()).collect();
    (verdict.dialect.to_string(), alike, verdict.score, evidence.collect())
}
