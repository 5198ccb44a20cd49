//! What a message is read with: dialects, tools, options.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::create_exception;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyTuple};
use serde_json::Value;
use toolglot::OptionError;

create_exception!(
    toolglot,
    ToolglotError,
    PyValueError,
    "An argument is invalid or an operation is not possible; the message says what to do. All errors of the package are of this class, \
     except Python's own `TypeError`, `OSError`, `RuntimeError`."
);
create_exception!(toolglot, DialectError, ToolglotError, "A dialect file is invalid; see `line`, `column` and `help`.");
create_exception!(toolglot, RenderError, ToolglotError, "The dialect cannot express a message.");
create_exception!(
    toolglot,
    GrammarError,
    ToolglotError,
    "A grammar cannot be created for this dialect, these tools or a schema."
);
create_exception!(
    toolglot,
    ExchangeError,
    ToolglotError,
    "A client's request or a model server's answer cannot be converted; `status` and `body` are an answer for the client."
);

/// Returns a `ToolglotError` with the library's own words.
pub(crate) fn value_error(error: impl ToString) -> PyErr {
    ToolglotError::new_err(error.to_string())
}

/// A dialect: how a family of models writes tool calls and reasoning.
#[pyclass(frozen, module = "toolglot")]
#[derive(Clone)]
pub(crate) struct Dialect(pub(crate) Arc<toolglot::Dialect>);

#[pymethods]
impl Dialect {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// A description in one line.
    #[getter]
    fn about(&self) -> &str {
        self.0.about()
    }

    /// Other names for it.
    #[getter]
    fn aliases(&self) -> Vec<String> {
        self.0.aliases().to_vec()
    }

    /// Name patterns of models that use it.
    #[getter]
    fn models(&self) -> Vec<String> {
        self.0.models().to_vec()
    }

    /// The markers that are special tokens of its models.
    #[getter]
    fn special(&self) -> Vec<String> {
        self.0.special().to_vec()
    }

    /// The text of the dialect file.
    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    fn __repr__(&self) -> String {
        format!("<Dialect {}>", self.0.name())
    }
}

/// An ordered set of dialects, compiled once.
#[pyclass(frozen, module = "toolglot")]
#[derive(Clone)]
pub(crate) struct Dialects(pub(crate) toolglot::Dialects);

#[pymethods]
impl Dialects {
    /// Selects dialects by name or by the path of a file; the default is all. A name given with `auto` is preferred if
    /// several dialects match.
    #[new]
    #[pyo3(signature = (*names))]
    fn new(names: Vec<String>) -> PyResult<Self> {
        let builtin = toolglot::Dialects::builtin();
        let (mut chosen, mut all) = (Vec::new(), builtin.clone());
        // Each goes in front of those before it, so that the first comes first.
        for name in names.iter().rev() {
            if name != AUTO && builtin.get(name).is_none() && is_file(name) {
                let dialect = from_file(name)?;
                chosen.push(dialect.name().to_owned());
                all = all.with(dialect);
            } else {
                chosen.push(name.clone());
            }
        }
        let unknown = |error: toolglot::UnknownDialect| {
            let words = error.to_string();
            value_error(words.split("; `toolglot dialects`").next().unwrap_or_default())
        };
        if chosen.is_empty() || chosen.iter().any(|name| name == AUTO) {
            let mut named = chosen.iter().filter(|name| *name != AUTO);
            return named.try_fold(all.clone(), |all, name| all.prefer(name)).map(Self).map_err(unknown);
        }
        chosen.reverse();
        all.only(&chosen).map(Self).map_err(unknown)
    }

    /// Returns a set with only the dialect of a file's text.
    #[staticmethod]
    fn from_toml(name: &str, source: &str) -> PyResult<Self> {
        toolglot::Dialect::from_toml(name, source).map(|dialect| Self(dialect.into())).map_err(dialect_error)
    }

    /// Returns the dialects of files' names and texts; what a pickle holds.
    #[staticmethod]
    fn from_sources(sources: Vec<(String, String)>) -> PyResult<Self> {
        let read = |(name, source): &(String, String)| toolglot::Dialect::from_toml(name, source);
        let dialects: Result<toolglot::Dialects, _> = sources.iter().map(read).collect();
        dialects.map(Self).map_err(dialect_error)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let builtin = toolglot::Dialects::builtin();
        let is_builtin =
            |dialect: &Arc<toolglot::Dialect>| builtin.get(dialect.name()).is_some_and(|own| Arc::ptr_eq(own, dialect));
        let class = py.get_type::<Self>();
        if self.0.iter().all(is_builtin) {
            return Ok((class.into_any(), PyTuple::new(py, self.names())?.into_any()));
        }
        let sources: Vec<_> = self.0.iter().map(|dialect| (dialect.name(), dialect.source())).collect();
        Ok((class.getattr("from_sources")?, (sources,).into_pyobject(py)?.into_any()))
    }

    /// Returns the set with the dialects of another set first; they replace dialects with the same name.
    fn preferring(&self, other: &Self) -> Self {
        let mine = |name: &str| !other.0.iter().any(|dialect| dialect.name() == name);
        let rest = self.0.iter().filter(|dialect| mine(dialect.name()));
        Self(other.0.iter().chain(rest).cloned().collect())
    }

    /// Returns the dialect with a name or an alias, or None.
    fn get(&self, name: &str) -> Option<Dialect> {
        self.0.get(name).map(|dialect| Dialect(dialect.clone()))
    }

    /// The names, in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.iter().map(|dialect| dialect.name().to_owned()).collect()
    }

    /// Whether every call in these dialects requires a special token.
    #[getter]
    fn is_sealed(&self) -> bool {
        self.0.is_sealed()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    fn __getitem__(&self, at: usize) -> PyResult<Dialect> {
        let found = self.0.iter().nth(at).map(|dialect| Dialect(dialect.clone()));
        found.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err(format!("there are {} dialects", self.0.len())))
    }

    fn __repr__(&self) -> String {
        let names = self.names();
        match names.len() {
            0..=5 => format!("<Dialects {}>", names.join(", ")),
            count => format!("<Dialects {}, … {count} in all>", names[..4].join(", ")),
        }
    }
}

const AUTO: &str = "auto";

fn is_file(word: &str) -> bool {
    word.contains(['/', '\\']) || word.ends_with(".toml") || std::path::Path::new(word).is_file()
}

fn from_file(path: &str) -> PyResult<toolglot::Dialect> {
    let path = PathBuf::from(path);
    let source = std::fs::read_to_string(&path).map_err(|error| named(error, &path))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    toolglot::Dialect::from_toml(&name, &source)
        .map_err(|error| dialect_error(error.with_file(&path.display().to_string())))
}

/// Says which file it was, as Python does.
fn named(error: std::io::Error, path: &std::path::Path) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            let reason = error.to_string();
            let reason = reason.split(" (os error").next().unwrap_or_default().to_owned();
            pyo3::exceptions::PyOSError::new_err((number, reason, path.display().to_string()))
        }
        None => value_error(format!("cannot read `{}`: {error}", path.display())),
    }
}

fn dialect_error(error: toolglot::DialectError) -> PyErr {
    let raised = DialectError::new_err(error.to_string());
    Python::attach(|py| {
        let value = raised.value(py);
        let (line, column, help) = (error.line(), error.column(), error.help());
        // An exception takes any attribute.
        let _ = value.setattr("line", line).and_then(|()| value.setattr("column", column));
        let _ = value.setattr("help", help);
    });
    raised
}

/// The tools that may be called, compiled for reuse.
#[pyclass(frozen, subclass, module = "toolglot._native")]
#[derive(Clone)]
pub(crate) struct Tools(pub(crate) toolglot::Tools);

#[pymethods]
impl Tools {
    #[new]
    fn new(json: &str) -> PyResult<Self> {
        toolglot::Tools::from_json_str(json).map(Self).map_err(value_error)
    }

    /// The names, in order.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().map(str::to_owned).collect()
    }

    /// Returns the declared name for a name in a call, or None.
    fn resolve(&self, name: &str) -> Option<String> {
        self.0.resolve(name).map(str::to_owned)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<Tools {}>", self.names().join(", "))
    }
}

/// A caller's choices, read once.
#[pyclass(frozen, module = "toolglot._native")]
#[derive(Clone)]
pub(crate) struct Options(pub(crate) toolglot::Options);

#[pymethods]
impl Options {
    #[new]
    #[pyo3(signature = (**choices))]
    fn new(choices: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = toolglot::Options::default();
        for (name, value) in choices.into_iter().flatten() {
            options = set(options, &name.extract::<String>()?, &value)?;
        }
        Ok(Self(options))
    }
}

/// Sets one option; a wrong name or type is a `TypeError`, as of any keyword argument.
fn set(options: toolglot::Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<toolglot::Options> {
    options.with_named(name, &json(name, value)?).map_err(|error| {
        let is_call_wrong = matches!(error, OptionError::Type(_)) || !toolglot::Options::NAMES.contains(&name);
        if is_call_wrong { PyTypeError::new_err(error.to_string()) } else { value_error(error) }
    })
}

/// Returns a number; one that is negative or has more than 64 bits is a `ToolglotError`.
pub(crate) fn unsigned(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    value.extract().map_err(|error: PyErr| match error.is_instance_of::<PyOverflowError>(value.py()) {
        true => value_error(format!("`{name}` must be from 0 to 2**64 - 1, found {value}")),
        false => PyTypeError::new_err(format!("`{name}` cannot be {}", value.get_type())),
    })
}

/// Returns an option's value as JSON: a bool, an int, a str, None, or lists and dicts of them.
fn json(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(Value::String(text));
    }
    if let Ok(number) = value.extract::<u64>() {
        return Ok(Value::from(number));
    }
    if let Ok(members) = value.cast::<PyDict>() {
        let members = members.iter().map(|(key, value)| Ok((key.extract::<String>()?, json(name, &value)?)));
        return Ok(Value::Object(members.collect::<PyResult<_>>()?));
    }
    let items =
        value.try_iter().map_err(|_| PyTypeError::new_err(format!("`{name}` cannot be {}", value.get_type())))?;
    Ok(Value::Array(items.map(|item| json(name, &item?)).collect::<PyResult<_>>()?))
}
