//! Columns of texts in, columns of messages out, over the Arrow C interface.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;
use toolglot::{Collector, Parser};

use crate::settings::{Dialects, Options, Tools, value_error};
use columns::Columns;

mod columns;

/// Rows, and bytes of text, that are read between two looks at the signals; the latter also keep the offsets of a chunk
/// far below their 2 GiB.
const ROWS: usize = 16 << 10;
const BYTES: usize = 64 << 20;

/// Rows below which another thread costs more than it reads.
const SHARE: usize = 16;

/// Lists of tools that are kept compiled; a column rarely has more.
const COMPILED: usize = 1024;

/// A column of messages in chunks, for any library that supports Arrow's C interface.
#[pyclass(frozen, module = "toolglot", name = "MessageArray")]
pub(crate) struct MessageArray {
    field: FieldRef,
    chunks: Vec<ArrayRef>,
}

#[pymethods]
impl MessageArray {
    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn __repr__(&self) -> String {
        format!("<MessageArray of {} rows>", self.__len__())
    }

    /// Exports the column's type.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.field.as_ref())?)
    }

    /// Exports the column as one array.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let whole = match &self.chunks[..] {
            [only] => Arc::clone(only),
            [] => arrow_array::new_empty_array(self.field.data_type()),
            many => {
                let arrays: Vec<&dyn Array> = many.iter().map(|chunk| chunk.as_ref()).collect();
                arrow_select::concat::concat(&arrays).map_err(too_large)?
            }
        };
        Ok(to_array_pycapsules(py, Arc::clone(&self.field), &whole, requested_schema)?)
    }

    /// Exports the column as a stream of arrays.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let chunks: Vec<Result<ArrayRef, ArrowError>> = self.chunks.iter().map(|chunk| Ok(Arc::clone(chunk))).collect();
        let iterator = ArrayIterator::new(chunks, Arc::clone(&self.field));
        Ok(to_stream_pycapsule(py, Box::new(iterator), requested_schema)?)
    }
}

fn too_large(error: ArrowError) -> PyErr {
    PyOverflowError::new_err(format!(
        "{error}; read the result as a stream, for example with `pyarrow.chunked_array(result)`"
    ))
}

/// Reads every text of a column, on so many threads; messages say why no call was found if asked to.
#[pyfunction]
pub(crate) fn parse_array(
    py: Python<'_>,
    texts: AnyArray,
    dialects: &Dialects,
    tools: &Tools,
    tools_column: Option<AnyArray>,
    options: &Options,
    how: (usize, bool),
) -> PyResult<MessageArray> {
    let (threads, near_misses) = how;
    let (texts, declared) = (chunks(texts)?, tools_column.map(chunks).transpose()?.map(one).transpose()?);
    let rows: usize = texts.iter().map(|chunk| chunk.len()).sum();
    if let Some(declared) = declared.as_ref().filter(|declared| declared.len() != rows) {
        let message = format!("found {rows} texts and {} lists of tools; pass one list for each text", declared.len());
        return Err(value_error(message));
    }
    let declared = declared.as_deref().map(Strings::of).transpose()?;
    let reader = Reader { dialects: &dialects.0, tools: &tools.0, declared, options: &options.0, near_misses };
    let (mut done, mut first) = (Vec::new(), 0);
    for chunk in &texts {
        let strings = Strings::of(chunk.as_ref())?;
        let mut from = 0;
        while from < strings.len() {
            py.check_signals()?;
            let to = strings.slice_end(from);
            done.extend(py.detach(|| reader.read_on(&strings, from..to, first, threads)));
            from = to;
        }
        first += strings.len();
    }
    let done = done.into_iter().map(|columns| Arc::new(columns.finish()) as ArrayRef).collect();
    Ok(MessageArray { field: Arc::new(Field::new("message", columns::data_type(), true)), chunks: done })
}

fn chunks(array: AnyArray) -> PyResult<Vec<ArrayRef>> {
    match array {
        AnyArray::Array(array) => Ok(vec![array.into_inner().0]),
        AnyArray::Stream(stream) => Ok(stream.into_chunked_array()?.into_inner().0),
    }
}

fn one(chunks: Vec<ArrayRef>) -> PyResult<ArrayRef> {
    let arrays: Vec<&dyn Array> = chunks.iter().map(|chunk| chunk.as_ref()).collect();
    match &arrays[..] {
        [] => Ok(arrow_array::new_empty_array(&DataType::Utf8)),
        _ => arrow_select::concat::concat(&arrays).map_err(value_error),
    }
}

/// A column of strings, however it is laid out.
enum Strings<'a> {
    Short(&'a arrow_array::StringArray),
    Long(&'a arrow_array::LargeStringArray),
    View(&'a arrow_array::StringViewArray),
    Dictionary(&'a dyn Array, Vec<usize>, Box<Strings<'a>>),
    Nothing(usize),
}

impl<'a> Strings<'a> {
    fn of(array: &'a dyn Array) -> PyResult<Self> {
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Short(array.as_string()),
            DataType::LargeUtf8 => Self::Long(array.as_string()),
            DataType::Utf8View => Self::View(array.as_string_view()),
            DataType::Null => Self::Nothing(array.len()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = Box::new(Self::of(dictionary.values().as_ref())?);
                Self::Dictionary(dictionary.keys(), dictionary.normalized_keys(), values)
            }
            other => {
                let message = format!("expected a column of strings, found {other}; cast it first");
                return Err(PyTypeError::new_err(message));
            }
        })
    }

    fn len(&self) -> usize {
        match self {
            Self::Short(array) => array.len(),
            Self::Long(array) => array.len(),
            Self::View(array) => array.len(),
            Self::Dictionary(_, keys, _) => keys.len(),
            Self::Nothing(rows) => *rows,
        }
    }

    fn get(&self, row: usize) -> Option<&str> {
        match self {
            Self::Short(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Long(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Dictionary(keys, places, values) => keys.is_valid(row).then(|| values.get(places[row])).flatten(),
            Self::Nothing(_) => None,
        }
    }

    /// Returns where the rows end that are read in one go.
    fn slice_end(&self, from: usize) -> usize {
        let (mut to, mut bytes) = (from, 0);
        while to < self.len() && to - from < ROWS && (bytes < BYTES || to == from) {
            bytes += self.get(to).map_or(0, str::len);
            to += 1;
        }
        to
    }
}

/// What texts are read with.
struct Reader<'a> {
    dialects: &'a toolglot::Dialects,
    tools: &'a toolglot::Tools,
    declared: Option<Strings<'a>>,
    options: &'a toolglot::Options,
    near_misses: bool,
}

impl Reader<'_> {
    /// Reads some rows, on several threads if asked; `first` is the number of the chunk's first row.
    fn read_on(&self, texts: &Strings<'_>, rows: std::ops::Range<usize>, first: usize, threads: usize) -> Vec<Columns> {
        let share = rows.len().div_ceil(threads.max(1)).max(SHARE);
        if share >= rows.len() {
            return vec![self.read(texts, rows, first)];
        }
        std::thread::scope(|scope| {
            let starts = rows.clone().step_by(share);
            let work = |start: usize| {
                let some = start..rows.end.min(start + share);
                scope.spawn(move || self.read(texts, some, first))
            };
            let workers: Vec<_> = starts.map(work).collect();
            // A panic is a bug of ours; it goes on in the caller's thread.
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|why| std::panic::resume_unwind(why)))
                .collect()
        })
    }

    fn read(&self, texts: &Strings<'_>, rows: std::ops::Range<usize>, first: usize) -> Columns {
        let mut columns = Columns::new(rows.len());
        let mut parsers = Parsers { reader: self, plain: None, by_tools: HashMap::new() };
        for row in rows {
            let Some(text) = texts.get(row) else {
                columns.add_null();
                continue;
            };
            let tools = self.declared.as_ref().and_then(|declared| declared.get(first + row));
            let (parser, wrong) = parsers.of(tools);
            let mut collector = Collector::new(self.options);
            parser.push(text).for_each(|event| collector.add(&event));
            parser.finish().for_each(|event| collector.add(&event));
            collector.set_dialect(parser.dialect().cloned());
            let mut message = collector.finish(text.as_bytes());
            if self.near_misses {
                message.add_near_miss(text.as_bytes(), self.dialects, parser.tools(), self.options);
            }
            columns.add(message, wrong);
        }
        columns
    }
}

/// Parsers by the tools they know, made once.
struct Parsers<'a> {
    reader: &'a Reader<'a>,
    plain: Option<Parser>,
    by_tools: HashMap<Box<str>, (Parser, Option<String>)>,
}

impl Parsers<'_> {
    /// Returns the parser of a row's tools, and why these could not be used, if so.
    fn of(&mut self, tools: Option<&str>) -> (&mut Parser, Option<&str>) {
        let Reader { dialects, tools: common, options, .. } = *self.reader;
        let Some(tools) = tools else {
            return (self.plain.get_or_insert_with(|| Parser::new(dialects, common, options)), None);
        };
        if self.by_tools.len() >= COMPILED && !self.by_tools.contains_key(tools) {
            self.by_tools.clear();
        }
        let make = || match toolglot::Tools::from_json_str(tools) {
            Ok(tools) => (Parser::new(dialects, &tools, options), None),
            Err(error) => (Parser::new(dialects, &toolglot::Tools::default(), options), Some(error.to_string())),
        };
        if !self.by_tools.contains_key(tools) {
            self.by_tools.insert(tools.into(), make());
        }
        match self.by_tools.get_mut(tools) {
            Some((parser, wrong)) => (parser, wrong.as_deref()),
            None => (self.plain.get_or_insert_with(|| Parser::new(dialects, common, options)), None),
        }
    }
}
