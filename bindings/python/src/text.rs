//! Text from Python: `str` and `bytes`, without a copy where none is needed.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// From this size on a text is read without the interpreter's lock; below, letting go of it costs more than reading.
const LARGE: usize = 4096;

/// A text that Python holds.
pub(crate) enum Text<'a> {
    Str(&'a str),
    /// Bytes, also those of a `str` with surrogates that stand alone.
    Bytes(Cow<'a, [u8]>),
}

impl<'a> Text<'a> {
    /// Reads a `str` or `bytes`.
    pub(crate) fn of(value: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_str() {
                Ok(text) => Ok(Self::Str(text)),
                Err(_) => {
                    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
                    Ok(Self::Bytes(Cow::Owned(bytes.cast::<PyBytes>()?.as_bytes().to_vec())))
                }
            };
        }
        match value.cast::<PyBytes>() {
            Ok(bytes) => Ok(Self::Bytes(Cow::Borrowed(bytes.as_bytes()))),
            Err(_) => {
                let kind = value.get_type().name()?;
                Err(PyTypeError::new_err(format!("expected str or bytes, found {kind}")))
            }
        }
    }

    /// Returns the text; bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn lossy(&self) -> Cow<'_, str> {
        match self {
            Self::Str(text) => Cow::Borrowed(text),
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Str(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Pushes the text.
    pub(crate) fn feed<'p>(&self, parser: &'p mut toolglot::Parser) -> toolglot::Events<'p> {
        match self {
            Self::Str(text) => parser.push(text),
            Self::Bytes(bytes) => parser.push_bytes(bytes),
        }
    }

    pub(crate) fn is_large(&self) -> bool {
        self.bytes().len() >= LARGE
    }
}
