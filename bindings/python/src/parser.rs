//! A message, and the arguments of a call, read in pieces.

use std::hash::{BuildHasher, Hasher, RandomState};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use toolglot::Collector;

use crate::event::{Diagnostic, to_python};
use crate::reading::{MessageParts, parts};
use crate::settings::{Dialects, Options, Tools, value_error};
use crate::text::Text;

/// Parses one message at a time, in pieces of any size.
#[pyclass(module = "toolglot._native", subclass)]
pub(crate) struct Parser {
    parser: toolglot::Parser,
    dialects: toolglot::Dialects,
    options: toolglot::Options,
    /// What the next message's ids are made from.
    seed: u64,
    kept: Option<Kept>,
    done: bool,
}

/// What a whole message is made of in the end.
struct Kept {
    collector: Collector,
    input: Vec<u8>,
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (dialects, tools, options, collect))]
    fn new(dialects: &Dialects, tools: &Tools, options: &Options, collect: bool) -> Self {
        let options = options.0.clone();
        let seed = options.id_seed().unwrap_or_else(|| RandomState::new().build_hasher().finish());
        let parser = toolglot::Parser::new(&dialects.0, &tools.0, &options);
        let kept = collect.then(|| Kept::new(&options, seed));
        Self { parser, dialects: dialects.0.clone(), options, seed: seed.wrapping_add(1), kept, done: false }
    }

    /// Parses the next piece and returns the events that are now certain.
    fn push<'py>(&mut self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let text = Text::of(text)?;
        self.begin(text.bytes());
        let Self { parser, kept, .. } = self;
        let events = match text.is_large() {
            true => py.detach(|| text.feed(parser)),
            false => text.feed(parser),
        };
        list(py, events, kept.as_mut())
    }

    /// Parses a special token.
    fn push_special<'py>(&mut self, py: Python<'py>, token: &str) -> PyResult<Bound<'py, PyList>> {
        self.begin(token.as_bytes());
        let Self { parser, kept, .. } = self;
        list(py, parser.push_special(token), kept.as_mut())
    }

    /// Ends the message and returns the last events. The parser is then ready for the next message.
    #[pyo3(signature = (finish_reason = None))]
    fn finish<'py>(&mut self, py: Python<'py>, finish_reason: Option<&str>) -> PyResult<Bound<'py, PyList>> {
        if let Some(reason) = finish_reason {
            let reason = reason.parse().map_err(value_error)?;
            self.parser.set_finish_reason(Some(reason));
            if let Some(kept) = &mut self.kept {
                kept.collector.set_finish_reason(Some(reason));
            }
        }
        self.begin(b"");
        self.done = true;
        let Self { parser, kept, .. } = self;
        let events = py.detach(|| parser.finish());
        list(py, events, kept.as_mut())
    }

    /// The dialect of the message's first call, or None.
    #[getter]
    fn dialect(&self) -> Option<&str> {
        self.parser.dialect().map(|name| &**name)
    }

    /// The message so far. After the end, it says why no call was found in a text that looks like one.
    fn parts(&self, py: Python<'_>) -> PyResult<MessageParts> {
        let kept = self.kept.as_ref();
        let kept = kept
            .ok_or_else(|| PyRuntimeError::new_err("nothing was collected; create the parser with `collect=True`"))?;
        let mut collector = kept.collector.clone();
        collector.set_dialect(self.parser.dialect().cloned());
        let mut message = collector.finish(&kept.input);
        if self.done {
            message.add_near_miss(&kept.input, &self.dialects, self.parser.tools(), &self.options);
        }
        parts(py, message)
    }
}

impl Parser {
    /// Begins the next message behind one that ended, and keeps what comes.
    fn begin(&mut self, bytes: &[u8]) {
        if std::mem::take(&mut self.done) {
            self.kept = self.kept.is_some().then(|| Kept::new(&self.options, self.seed));
            self.seed = self.seed.wrapping_add(1);
        }
        if let Some(kept) = &mut self.kept {
            kept.input.extend_from_slice(bytes);
        }
    }
}

impl Kept {
    fn new(options: &toolglot::Options, seed: u64) -> Self {
        Self { collector: Collector::new(&options.clone().with_id_seed(seed)), input: Vec::new() }
    }
}

fn list<'py>(
    py: Python<'py>,
    events: toolglot::Events<'_>,
    mut kept: Option<&mut Kept>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for event in events {
        if let Some(kept) = &mut kept {
            kept.collector.add(&event);
        }
        if let Some(object) = to_python(py, &event)? {
            list.append(object)?;
        }
    }
    Ok(list)
}

/// Repairs the arguments string of a native call in pieces.
#[pyclass(module = "toolglot._native")]
pub(crate) struct ArgumentsReader(Option<toolglot::ArgumentsReader>);

#[pymethods]
impl ArgumentsReader {
    #[new]
    fn new(dialects: &Dialects, tools: &Tools, name: &str, options: &Options) -> Self {
        Self(Some(toolglot::ArgumentsReader::new(&dialects.0, &tools.0, name, &options.0)))
    }

    /// Reads the next piece and returns the JSON that is now certain.
    fn push(&mut self, text: &Bound<'_, PyAny>) -> PyResult<String> {
        let reader = self.0.as_mut().ok_or_else(over)?;
        let mut out = String::new();
        reader.push(&Text::of(text)?.lossy(), &mut out);
        Ok(out)
    }

    /// Ends the arguments; returns the remaining JSON, the outcome, the diagnostics and the text after the object.
    fn finish(&mut self) -> PyResult<(String, &'static str, Vec<Diagnostic>, String)> {
        let reader = self.0.take().ok_or_else(over)?;
        let mut out = String::new();
        let end = reader.finish(&mut out);
        Ok((out, end.outcome.name(), end.diagnostics.iter().map(Diagnostic::from).collect(), end.rest))
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("this reader is finished; create a new one for the next call")
}
