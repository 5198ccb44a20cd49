//! Events as Python objects: frozen, compared by value, matched by position.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use toolglot::EventKind;

/// Makes a frozen class of fields: its constructor, its representation, its pickle and its dictionary.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident $type:literal { $($field:ident: $of:ty),+ }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, eq, hash, module = "toolglot")]
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub(crate) struct $name { $(pub(crate) $field: $of),+ }

        #[pymethods]
        impl $name {
            #[classattr]
            #[pyo3(name = "__match_args__")]
            const MATCH_ARGS: ($(names!($field $of),)+) = ($(stringify!($field),)+);

            /// The event's type in `toolglot parse --events`.
            #[classattr]
            #[pyo3(name = "type")]
            const TYPE: &'static str = $type;

            #[new]
            fn new($($field: $of),+) -> Self {
                Self { $($field),+ }
            }

            fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                PyTuple::new(py, [$(self.$field.clone().into_bound_py_any(py)?),+])
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields = [$((stringify!($field), self.$field.clone().into_bound_py_any(py)?.repr()?.to_string())),+];
                let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
                Ok(format!("{}({})", stringify!($name), fields.join(", ")))
            }

            /// Returns the event as a dict, as in `toolglot parse --events`.
            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let dict = PyDict::new(py);
                dict.set_item("type", $type)?;
                $(dict.set_item(stringify!($field), self.$field.clone())?;)+
                Ok(dict)
            }
        }
    };
}

/// The type of a field's name.
macro_rules! names {
    ($field:ident $of:ty) => {
        &'static str
    };
}

record! {
    /// Text of the answer, unchanged.
    Text "text" { text: String, start: usize, end: usize }
}
record! {
    /// Text of the model's reasoning.
    Reasoning "reasoning" { text: String, start: usize, end: usize }
}
record! {
    /// Bytes that are markup of the dialect: markers, closers, wrappers.
    Markup "markup" { start: usize, end: usize }
}
record! {
    /// A call begins. It is never retracted.
    CallStart "call_start" { index: usize, id: Option<String>, name: String, start: usize, end: usize }
}
record! {
    /// A piece of a call's arguments. Joined, the pieces of a complete call are a JSON object; those of other calls are not.
    Arguments "arguments" { index: usize, json: String, start: usize, end: usize }
}
record! {
    /// A call ends: `complete`, `repaired`, `truncated` or `broken`. Only the first two may be run.
    CallEnd "call_end" { index: usize, id: Option<String>, outcome: String, start: usize, end: usize }
}
record! {
    /// A remark on the text; it consumes nothing, and its span lies in other events.
    Diagnostic "diagnostic" { code: String, message: String, dialect: Option<String>, start: usize, end: usize }
}

impl From<&toolglot::Diagnostic> for Diagnostic {
    fn from(found: &toolglot::Diagnostic) -> Self {
        Self {
            code: found.code.name().to_owned(),
            message: found.message.clone(),
            dialect: found.dialect.as_deref().map(str::to_owned),
            start: found.span.start,
            end: found.span.end,
        }
    }
}

/// Returns an event as its Python object; nothing for a kind that this version does not know.
pub(crate) fn to_python<'py>(py: Python<'py>, event: &toolglot::Event<'_>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (start, end) = (event.span.start, event.span.end);
    let owned = |id: &Option<&str>| id.map(str::to_owned);
    let object = match &event.kind {
        EventKind::Text(text) => Text { text: (*text).to_owned(), start, end }.into_bound_py_any(py),
        EventKind::Reasoning(text) => Reasoning { text: (*text).to_owned(), start, end }.into_bound_py_any(py),
        EventKind::Markup => Markup { start, end }.into_bound_py_any(py),
        EventKind::CallStart { index, id, name } => {
            CallStart { index: *index, id: owned(id), name: (*name).to_owned(), start, end }.into_bound_py_any(py)
        }
        EventKind::Arguments { index, json } => {
            Arguments { index: *index, json: (*json).to_owned(), start, end }.into_bound_py_any(py)
        }
        EventKind::CallEnd { index, id, outcome } => {
            CallEnd { index: *index, id: owned(id), outcome: outcome.name().to_owned(), start, end }
                .into_bound_py_any(py)
        }
        EventKind::Diagnostic(found) => Diagnostic::from(*found).into_bound_py_any(py),
        _ => return Ok(None),
    };
    object.map(Some)
}
