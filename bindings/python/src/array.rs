//! Columns of texts in, columns of messages out, over the Arrow C interface.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use toolglot::{Collector, Parser};

use crate::arrow::column::Column;
use crate::arrow::strings::Strings;
use crate::arrow::{self, Foreign};
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
    chunks: Vec<Arc<Column>>,
}

#[pymethods]
impl MessageArray {
    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.rows()).sum()
    }

    fn __repr__(&self) -> String {
        format!("<MessageArray of {} rows>", self.__len__())
    }

    /// Exports the column's type.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema(py, &columns::field())
    }

    /// Exports the column as one array.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A producer may leave another type to the consumer.
        drop(requested_schema);
        let whole = match &self.chunks[..] {
            [only] => Arc::clone(only),
            [] => Arc::new(Columns::default().finish().ok_or_else(too_large)?),
            many => {
                let many: Vec<_> = many.iter().map(Arc::as_ref).collect();
                Arc::new(py.detach(|| Column::joined(&many)).ok_or_else(too_large)?)
            }
        };
        Ok((arrow::schema(py, &columns::field())?, arrow::array(py, &whole)?))
    }

    /// Exports the column as a stream of arrays.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        arrow::stream(py, columns::field(), self.chunks.clone())
    }
}

fn too_large() -> PyErr {
    PyOverflowError::new_err(
        "an array holds at most 2 GiB of text; read the result as a stream, as with `pyarrow.chunked_array(result)`",
    )
}

/// Reads every text of a column, on so many threads; messages say why no call was found if asked to.
#[pyfunction]
pub(crate) fn parse_array(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    dialects: &Dialects,
    tools: &Tools,
    tools_column: Option<Bound<'_, PyAny>>,
    options: &Options,
    how: (usize, bool),
) -> PyResult<MessageArray> {
    let (threads, near_misses) = how;
    let (texts, declared) = (Foreign::of(texts)?, tools_column.as_ref().map(Foreign::of).transpose()?);
    let (texts, declared) = (texts.chunks()?, declared.as_ref().map(Foreign::chunks).transpose()?.map(Declared::new));
    let rows: usize = texts.iter().map(Strings::len).sum();
    if let Some(declared) = declared.as_ref().filter(|declared| declared.rows != rows) {
        let message = format!("found {rows} texts and {} lists of tools; pass one list for each text", declared.rows);
        return Err(value_error(message));
    }
    let reader = Reader { dialects: &dialects.0, tools: &tools.0, declared, options: &options.0, near_misses };
    let (mut done, mut first) = (Vec::new(), 0);
    for strings in &texts {
        let mut from = 0;
        while from < strings.len() {
            py.check_signals()?;
            let to = slice_end(strings, from);
            done.extend(py.detach(|| reader.read_on(strings, from..to, first, threads)));
            from = to;
        }
        first += strings.len();
    }
    let chunks = done.into_iter().map(|columns| columns.finish().map(Arc::new)).collect::<Option<_>>();
    let too_long =
        || PyOverflowError::new_err("messages of texts this long need more than 2 GiB; read them with `parse`");
    Ok(MessageArray { chunks: chunks.ok_or_else(too_long)? })
}

/// Returns where the rows end that are read in one go.
fn slice_end(strings: &Strings<'_>, from: usize) -> usize {
    let (mut to, mut bytes) = (from, 0);
    while to < strings.len() && to - from < ROWS && (bytes < BYTES || to == from) {
        bytes += strings.bytes(to).map_or(0, <[u8]>::len);
        to += 1;
    }
    to
}

/// The tools of each row, as JSON.
struct Declared<'a> {
    rows: usize,
    /// Each with the number of its first row.
    chunks: Vec<(usize, Strings<'a>)>,
}

impl<'a> Declared<'a> {
    fn new(chunks: Vec<Strings<'a>>) -> Self {
        let mut rows = 0;
        let numbered = chunks.into_iter().map(|chunk| {
            let first = rows;
            rows += chunk.len();
            (first, chunk)
        });
        let chunks = numbered.collect();
        Self { rows, chunks }
    }

    fn get(&self, row: usize) -> Option<Cow<'_, str>> {
        let after = self.chunks.partition_point(|(first, _)| *first <= row);
        let (first, chunk) = self.chunks.get(after.checked_sub(1)?)?;
        chunk.get(row - first)
    }
}

/// What texts are read with.
struct Reader<'a> {
    dialects: &'a toolglot::Dialects,
    tools: &'a toolglot::Tools,
    declared: Option<Declared<'a>>,
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
        let mut columns = Columns::default();
        let mut parsers = Parsers { reader: self, plain: None, by_tools: HashMap::new() };
        for row in rows {
            let Some(text) = texts.get(row) else {
                columns.add_null();
                continue;
            };
            let tools = self.declared.as_ref().and_then(|declared| declared.get(first + row));
            let (parser, wrong) = parsers.of(tools.as_deref());
            let mut collector = Collector::new(self.options);
            parser.push(&text).for_each(|event| collector.add(&event));
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
