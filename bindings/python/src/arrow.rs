//! Arrow's C data interface, and the only module with unsafe code.
//!
//! A producer fills a structure; its taker calls `release` once, from any thread. What is unsafe, and why it holds:
//! * a capsule's name says which structure it points to (`take`);
//! * a structure that was taken keeps the interface's promises: its buffers, children and strings have the sizes that
//!   its format gives them, and live until it is released (`strings`);
//! * a structure that is given away points into columns or fields that its private data keeps alive
//!   (`give`, `describe`);
//! * a consumer calls what it was given with the structure that it belongs to (`release_…`, `next_…`).
#![expect(unsafe_code, reason = "a border to C; each use is one of the four above")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{replace, zeroed};
use std::ptr::null_mut;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::settings::value_error;
use column::{Column, Data, Field};
use strings::{Layout, Strings};

pub(crate) mod column;
pub(crate) mod strings;

#[repr(C)]
struct CSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    child_count: i64,
    children: *mut *mut CSchema,
    dictionary: *mut CSchema,
    release: Option<unsafe extern "C" fn(*mut CSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct CArray {
    length: i64,
    null_count: i64,
    offset: i64,
    buffer_count: i64,
    child_count: i64,
    buffers: *mut *const c_void,
    children: *mut *mut CArray,
    dictionary: *mut CArray,
    release: Option<unsafe extern "C" fn(*mut CArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct CStream {
    get_schema: Option<unsafe extern "C" fn(*mut CStream, *mut CSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut CStream, *mut CArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut CStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut CStream)>,
    private_data: *mut c_void,
}

/// A structure that is released once.
trait Structure: Sized + Send + 'static {
    /// The name of its capsules.
    const NAME: &'static CStr;

    fn is_released(&self) -> bool;

    fn released() -> Self {
        // SAFETY: in every field of the three structures, zero is null, none or a number.
        unsafe { zeroed() }
    }
}

macro_rules! structure {
    ($kind:ident $name:literal) => {
        impl Structure for $kind {
            const NAME: &'static CStr = $name;

            fn is_released(&self) -> bool {
                self.release.is_none()
            }
        }

        // SAFETY: the interface lets another thread use and release a structure.
        unsafe impl Send for $kind {}

        impl Drop for $kind {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: it was not released, and is now.
                    unsafe { release(self) }
                }
            }
        }
    };
}

structure!(CSchema c"arrow_schema");
structure!(CArray c"arrow_array");
structure!(CStream c"arrow_array_stream");

/// A column that another library owns.
pub(crate) struct Foreign {
    schema: CSchema,
    chunks: Vec<CArray>,
}

impl Foreign {
    /// Takes the column that a Python object exports.
    pub(crate) fn of(column: &Bound<'_, PyAny>) -> PyResult<Self> {
        if column.hasattr("__arrow_c_array__")? {
            let pair = column.call_method0("__arrow_c_array__")?;
            let pair = pair.cast::<PyTuple>()?;
            return Ok(Self { schema: take(&pair.get_item(0)?)?, chunks: vec![take(&pair.get_item(1)?)?] });
        }
        if column.hasattr("__arrow_c_stream__")? {
            return Self::of_stream(take(&column.call_method0("__arrow_c_stream__")?)?);
        }
        let kind = column.get_type().name()?;
        let message =
            format!("expected a column of strings with Arrow's interface, for example of pyarrow, found {kind}");
        Err(PyTypeError::new_err(message))
    }

    fn of_stream(mut stream: CStream) -> PyResult<Self> {
        let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
            return Err(value_error("the stream of arrays has no functions"));
        };
        let (mut schema, mut chunks) = (CSchema::released(), Vec::new());
        // SAFETY: the stream was not released; each call fills a structure that owns nothing.
        match unsafe { get_schema(&raw mut stream, &raw mut schema) } {
            0 => {}
            status => return Err(stream.error(status)),
        }
        loop {
            let mut chunk = CArray::released();
            // SAFETY: as above.
            match unsafe { get_next(&raw mut stream, &raw mut chunk) } {
                0 if chunk.is_released() => return Ok(Self { schema, chunks }),
                0 => chunks.push(chunk),
                status => return Err(stream.error(status)),
            }
        }
    }

    /// Returns the strings of each chunk.
    pub(crate) fn chunks(&self) -> PyResult<Vec<Strings<'_>>> {
        self.chunks.iter().map(|chunk| strings(&self.schema, chunk)).collect()
    }
}

impl CStream {
    fn error(&mut self, status: c_int) -> PyErr {
        let why = self.get_last_error.map(|get| {
            // SAFETY: a call failed and the stream was not released; the text lives until the next call.
            let why = unsafe { get(self) };
            // SAFETY: as above.
            if why.is_null() { String::new() } else { unsafe { CStr::from_ptr(why) }.to_string_lossy().into_owned() }
        });
        value_error(format!("a stream of arrays failed with status {status}: {}", why.unwrap_or_default()))
    }
}

/// Moves a structure out of its capsule.
fn take<T: Structure>(capsule: &Bound<'_, PyAny>) -> PyResult<T> {
    let place = capsule.cast::<PyCapsule>()?.pointer_checked(Some(T::NAME))?.cast::<T>();
    // SAFETY: the name says what the capsule points to; nobody else can use it while we hold the interpreter.
    let taken = unsafe { replace(&mut *place.as_ptr(), T::released()) };
    if taken.is_released() { Err(value_error("an Arrow capsule can be used only once")) } else { Ok(taken) }
}

/// Returns the strings of an array.
fn strings<'a>(schema: &'a CSchema, array: &'a CArray) -> PyResult<Strings<'a>> {
    let size = |number: i64| usize::try_from(number).map_err(|_| value_error("an Arrow array has a negative size"));
    let (rows, skipped, count) = (size(array.length)?, size(array.offset)?, size(array.buffer_count)?);
    let all = rows + skipped;
    let buffer = |at: usize, bytes: usize| -> &'a [u8] {
        if at >= count || bytes == 0 {
            return &[];
        }
        // SAFETY: the array has `count` pointers; one that is not null has the size that the format gives it.
        let start = unsafe { *array.buffers.add(at) }.cast::<u8>();
        // SAFETY: as above.
        if start.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(start, bytes) } }
    };
    // SAFETY: a format is a string that ends with a zero.
    let format = unsafe { CStr::from_ptr(schema.format) }.to_string_lossy();
    // SAFETY: a dictionary is null or a structure that lives as long as its parent.
    let dictionary = unsafe { (schema.dictionary.as_ref(), array.dictionary.as_ref()) };
    let layout = match (&*format, dictionary) {
        (_, (Some(schema), Some(array))) => {
            let width = strings::width(&format).ok_or_else(|| unexpected(&format))?;
            Layout::Dictionary { width, keys: buffer(1, all * width), values: Box::new(strings(schema, array)?) }
        }
        ("n", _) => Layout::Nothing,
        ("u" | "U", _) => {
            let width = if format == "u" { 4 } else { 8 };
            let offsets = if all == 0 { &[] } else { buffer(1, (all + 1) * width) };
            let end = strings::number(offsets, all, width).unwrap_or(0);
            Layout::Offsets { width, offsets, text: buffer(2, end) }
        }
        ("vu", _) => {
            let texts = count.saturating_sub(3);
            let sizes = buffer(count.saturating_sub(1), texts * 8);
            let text = |at: usize| buffer(at + 2, strings::number(sizes, at, 8).unwrap_or(0));
            Layout::Views { views: buffer(1, all * 16), texts: (0..texts).map(text).collect() }
        }
        _ => return Err(unexpected(&format)),
    };
    let has_bits = array.null_count != 0 && format != "n";
    let valid = Some(buffer(0, if has_bits { all.div_ceil(8) } else { 0 })).filter(|bits| !bits.is_empty());
    Ok(Strings { rows, skipped, valid, layout })
}

fn unexpected(format: &str) -> PyErr {
    PyTypeError::new_err(format!("expected a column of strings, found {}; cast it first", strings::kind(format)))
}

/// Exports the type of a column.
pub(crate) fn schema<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, describe(field), CSchema::NAME)
}

/// Exports a column as one array.
pub(crate) fn array<'py>(py: Python<'py>, column: &Arc<Column>) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, give(column, column), CArray::NAME)
}

/// Exports a column as a stream of its chunks.
pub(crate) fn stream(py: Python<'_>, field: Field, chunks: Vec<Arc<Column>>) -> PyResult<Bound<'_, PyCapsule>> {
    let rest = Box::new(Rest { field, chunks: chunks.into_iter() });
    let stream = CStream {
        get_schema: Some(next_schema),
        get_next: Some(next_array),
        get_last_error: Some(last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(rest).cast(),
    };
    PyCapsule::new_with_value(py, stream, CStream::NAME)
}

/// What the private data of a schema or an array holds: what its pointers point to.
struct Held<T> {
    buffers: Vec<*const c_void>,
    children: Vec<*mut T>,
    _column: Option<Arc<Column>>,
}

impl<T> Held<T> {
    fn new(children: impl Iterator<Item = T>, buffers: Vec<*const c_void>, column: Option<Arc<Column>>) -> Box<Self> {
        let children = children.map(|child| Box::into_raw(Box::new(child))).collect();
        Box::new(Self { buffers, children, _column: column })
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        for child in self.children.drain(..) {
            // SAFETY: `new` made it; a consumer that took the child has marked it as released.
            drop(unsafe { Box::from_raw(child) });
        }
    }
}

const NULLABLE: i64 = 2;

fn describe(field: &Field) -> CSchema {
    let mut held = Held::new(field.children.iter().map(describe), Vec::new(), None);
    CSchema {
        format: field.format.as_ptr(),
        name: field.name.as_ptr(),
        metadata: std::ptr::null(),
        flags: NULLABLE,
        child_count: count(held.children.len()),
        children: held.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(held).cast(),
    }
}

/// Returns a structure for a column or one of its parts; each keeps the whole alive, since consumers may
/// take children alone.
fn give(whole: &Arc<Column>, part: &Column) -> CArray {
    let valid = part.valid.bits().map_or(std::ptr::null(), |bits| bits.as_ptr().cast());
    let (buffers, parts): (Vec<*const c_void>, &[Column]) = match &part.data {
        Data::Texts { offsets, text } => (vec![valid, offsets.as_ptr().cast(), text.as_ptr().cast()], &[]),
        Data::Numbers(numbers) => (vec![valid, numbers.as_ptr().cast()], &[]),
        Data::Lists { offsets, items } => (vec![valid, offsets.as_ptr().cast()], std::slice::from_ref(items)),
        Data::Structs(parts) => (vec![valid], parts),
    };
    let mut held = Held::new(parts.iter().map(|part| give(whole, part)), buffers, Some(Arc::clone(whole)));
    CArray {
        length: count(part.rows()),
        null_count: count(part.valid.nulls()),
        offset: 0,
        buffer_count: count(held.buffers.len()),
        child_count: count(held.children.len()),
        buffers: held.buffers.as_mut_ptr(),
        children: held.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(held).cast(),
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What a stream has still to give.
struct Rest {
    field: Field,
    chunks: std::vec::IntoIter<Arc<Column>>,
}

unsafe extern "C" fn next_schema(stream: *mut CStream, place: *mut CSchema) -> c_int {
    // SAFETY: the stream is one of ours that was not released.
    let rest = unsafe { &*(*stream).private_data.cast::<Rest>() };
    // SAFETY: the place is the consumer's and holds nothing.
    unsafe { place.write(describe(&rest.field)) };
    0
}

unsafe extern "C" fn next_array(stream: *mut CStream, place: *mut CArray) -> c_int {
    // SAFETY: the stream is one of ours that was not released; its functions are not called at the same time.
    let rest = unsafe { &mut *(*stream).private_data.cast::<Rest>() };
    let next = rest.chunks.next().map_or_else(CArray::released, |chunk| give(&chunk, &chunk));
    // SAFETY: the place is the consumer's and holds nothing.
    unsafe { place.write(next) };
    0
}

unsafe extern "C" fn last_error(_: *mut CStream) -> *const c_char {
    std::ptr::null()
}

macro_rules! release {
    ($name:ident $kind:ty, $held:ty) => {
        unsafe extern "C" fn $name(structure: *mut $kind) {
            // SAFETY: the structure is one of ours that was not released, and its private data came from a box.
            let held = unsafe { Box::from_raw((*structure).private_data.cast::<$held>()) };
            // SAFETY: as above.
            unsafe { (*structure).release = None };
            drop(held);
        }
    };
}

release!(release_schema CSchema, Held<CSchema>);
release!(release_array CArray, Held<CArray>);
release!(release_stream CStream, Rest);
