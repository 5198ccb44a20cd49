//! A chat request and its answer, for wrapped clients: what the proxy does, without the proxy.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use toolglot_wire::{Fault, FaultKind, Policy, Protocol, TurnEnd};

use crate::settings::{Dialects, Options, value_error};

/// A client's request: what to send to the model server, and how to read its answer.
#[pyclass(frozen, module = "toolglot._native")]
pub(crate) struct Exchange(toolglot_wire::Exchange);

#[pymethods]
impl Exchange {
    #[new]
    #[pyo3(signature = (protocol, body, dialects, options, forced = false))]
    fn new(protocol: &str, body: &[u8], dialects: &Dialects, options: &Options, forced: bool) -> PyResult<Self> {
        let known = Protocol::ALL.into_iter().find(|known| known.name() == protocol);
        let protocol = known.ok_or_else(|| value_error(format!("unknown protocol `{protocol}`")))?;
        let policy =
            Policy::default().with_dialects(dialects.0.clone()).with_options(options.0.clone()).with_forced(forced);
        let read = toolglot_wire::Exchange::read(protocol, protocol, body, &policy);
        read.map(Self).map_err(|fault| value_error(fault.message))
    }

    /// Whether the answer is passed on unchanged.
    #[getter]
    fn is_relay(&self) -> bool {
        self.0.is_relay()
    }

    /// Whether the client asked for a stream.
    #[getter]
    fn is_stream(&self) -> bool {
        self.0.is_stream()
    }

    /// The request body for the server.
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.upstream_body())
    }

    /// Returns a turn for one answer; `seed` is for ids, `now` is a Unix time.
    fn turn(&self, seed: u64, now: u64) -> Turn {
        Turn(Mutex::new(self.0.turn(seed, now)))
    }
}

/// One answer of a model server on its way to the client.
#[pyclass(frozen, module = "toolglot._native")]
pub(crate) struct Turn(Mutex<toolglot_wire::Turn>);

#[pymethods]
impl Turn {
    /// Converts bytes of the server's stream to bytes of the client's.
    fn push<'py>(&self, py: Python<'py>, bytes: &[u8]) -> Bound<'py, PyBytes> {
        let mut out = Vec::new();
        self.lock().push(bytes, &mut out);
        PyBytes::new(py, &out)
    }

    /// Ends the stream; `error` says why it was interrupted.
    #[pyo3(signature = (error = None))]
    fn finish<'py>(&self, py: Python<'py>, error: Option<String>) -> Bound<'py, PyBytes> {
        let mut out = Vec::new();
        let cut = error.map(|message| TurnEnd::Cut(Fault::new(FaultKind::Upstream, message)));
        self.lock().finish(cut.unwrap_or(TurnEnd::Over), &mut out);
        PyBytes::new(py, &out)
    }

    /// Converts a whole answer to the client's.
    fn whole<'py>(&self, py: Python<'py>, body: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let body = py.detach(|| self.lock().whole(body)).map_err(|fault| value_error(fault.message))?;
        Ok(PyBytes::new(py, &body))
    }

    /// Whether the rest of the server's answer is not needed.
    #[getter]
    fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    /// Returns a report on the answer so far.
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
    fn lock(&self) -> std::sync::MutexGuard<'_, toolglot_wire::Turn> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
