//! A chat request and its answer: what the proxy does, without the proxy.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use toolglot_wire::{Fault, FaultKind, Policy, Protocol, TurnEnd};

use crate::settings::{Dialects, ExchangeError, Options, unsigned, value_error};
use crate::text::Text;

/// A client's request: what to send to the model server, and how to read its answer.
#[pyclass(frozen, subclass, module = "toolglot._native")]
pub(crate) struct Exchange {
    exchange: toolglot_wire::Exchange,
    client: Protocol,
    reasoning_open: bool,
}

#[pymethods]
impl Exchange {
    /// Reads a request; `protocols` are the client's and the server's.
    #[new]
    #[pyo3(signature = (request, protocols, dialects, options, **settings))]
    fn new(
        request: &Bound<'_, PyAny>,
        protocols: (String, String),
        dialects: &Dialects,
        options: &Options,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let protocol = |name: String| name.parse::<Protocol>().map_err(value_error);
        let (client, server) = (protocol(protocols.0)?, protocol(protocols.1)?);
        let (mut policy, mut reasoning_open) = (Policy::default().with_options(options.0.clone()), false);
        policy = policy.with_dialects(dialects.0.clone());
        for (name, value) in settings.into_iter().flatten() {
            match name.extract::<String>()?.as_str() {
                "reasoning_open" => reasoning_open = extracted("reasoning_open", &value)?,
                name => policy = set(policy, name, &value)?,
            }
        }
        let read = toolglot_wire::Exchange::read(client, server, Text::of(request)?.bytes(), &policy);
        let exchange = read.map_err(|fault| exchange_error(&fault, client))?;
        Ok(Self { exchange, client, reasoning_open })
    }

    /// Whether the answer is passed on unchanged, because the request declares no tools.
    #[getter]
    fn is_relay(&self) -> bool {
        self.exchange.is_relay()
    }

    /// Whether the client asked for a stream.
    #[getter]
    fn is_stream(&self) -> bool {
        self.exchange.is_stream()
    }

    /// The request for the model server: JSON in UTF-8.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.exchange.upstream_body())
    }

    /// Returns a turn for one answer. `id_seed` is the seed for ids that the server does not supply, from 0 to 2**64 - 1;
    /// default: random. `now` is the time of the answer in seconds since 1970; default: the clock.
    #[pyo3(signature = (*, id_seed = None, now = None))]
    fn turn(&self, id_seed: Option<&Bound<'_, PyAny>>, now: Option<&Bound<'_, PyAny>>) -> PyResult<Turn> {
        let seed = id_seed.map_or_else(|| Ok(random()), |seed| unsigned("id_seed", seed))?;
        let now = now.map_or_else(|| Ok(clock()), |now| unsigned("now", now))?;
        let turn = self.exchange.turn(seed, now).with_reasoning_open(self.reasoning_open);
        Ok(Turn { turn: Mutex::new(turn), client: self.client })
    }
}

/// Sets what is known of a model server.
fn set(policy: Policy, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Policy> {
    let word = || extracted::<String>(name, value);
    Ok(match name {
        "engine" => policy.with_engine(word()?.parse().map_err(value_error)?),
        "reasoning_field" => policy.with_reasoning_field(word()?.parse().map_err(value_error)?),
        "history_ids" => policy.with_ids(word()?.parse().map_err(value_error)?),
        "upstream_model" => policy.with_upstream_model(extracted(name, value)?),
        "forced" => policy.with_forced(extracted(name, value)?),
        _ => return Err(PyTypeError::new_err(format!("unknown setting `{name}`"))),
    })
}

fn extracted<'py, T: FromPyObjectOwned<'py>>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<T> {
    let wrong = |_| PyTypeError::new_err(format!("`{name}` cannot be {}", value.get_type()));
    value.extract::<T>().map_err(wrong)
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Converts one answer of a model server for the client.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Turn {
    turn: Mutex<toolglot_wire::Turn>,
    client: Protocol,
}

#[pymethods]
impl Turn {
    /// Converts the next bytes of the server's stream, cut anywhere, to bytes of the client's.
    fn push<'py>(&self, py: Python<'py>, piece: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let (piece, mut out) = (Text::of(piece)?, Vec::new());
        match piece.is_large() {
            true => py.detach(|| self.lock().push(piece.bytes(), &mut out)),
            false => self.lock().push(piece.bytes(), &mut out),
        }
        Ok(PyBytes::new(py, &out))
    }

    /// Ends the stream and returns the rest of the client's. If the stream was interrupted, the client is sent an error with
    /// the message `error`.
    #[pyo3(signature = (error = None))]
    fn finish<'py>(&self, py: Python<'py>, error: Option<String>) -> Bound<'py, PyBytes> {
        let mut out = Vec::new();
        let cut = error.map(|message| TurnEnd::Cut(Fault::new(FaultKind::Upstream, message)));
        self.lock().finish(cut.unwrap_or(TurnEnd::Over), &mut out);
        PyBytes::new(py, &out)
    }

    /// Converts the body of an answer that was not streamed to the client's. Raises `ExchangeError` if it is an error or invalid.
    fn whole<'py>(&self, py: Python<'py>, answer: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let answer = Text::of(answer)?;
        let body = py.detach(|| self.lock().whole(answer.bytes()));
        let body = body.map_err(|fault| exchange_error(&fault, self.client))?;
        Ok(PyBytes::new(py, &body))
    }

    /// Whether the rest of the server's answer is not needed.
    #[getter]
    fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    /// Returns a report on the answer so far as a dict: `dialect` of the first call in text or None, the numbers `calls`,
    /// `text_calls`, `repaired` and `dropped`, and `diagnostics`, the number of each code.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.lock().report();
        let dict = PyDict::new(py);
        dict.set_item("dialect", report.dialect)?;
        dict.set_item("calls", report.calls)?;
        dict.set_item("text_calls", report.text_calls)?;
        dict.set_item("repaired", report.repaired)?;
        dict.set_item("dropped", report.dropped)?;
        dict.set_item("diagnostics", report.diagnostics)?;
        Ok(dict)
    }
}

impl Turn {
    fn lock(&self) -> MutexGuard<'_, toolglot_wire::Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns an `ExchangeError` with what an HTTP server would answer.
fn exchange_error(fault: &Fault, client: Protocol) -> PyErr {
    let raised = ExchangeError::new_err(fault.message.clone());
    Python::attach(|py| {
        let (value, body) = (raised.value(py), fault.body(client).to_string());
        // An exception takes any attribute.
        let _ = value.setattr("status", fault.status);
        let _ = value.setattr("body", PyBytes::new(py, body.as_bytes()));
    });
    raised
}
