//! The functions of the C ABI, and the only module with unsafe code.
//!
//! What is unsafe here, and why it holds:
//! * a pointer and a length are a slice: callers promise that so many bytes can be read there (`border::bytes`);
//! * a handle is a pointer that one of the `_new` functions returned and that has not been freed (`border::shared`);
//! * a name without mangling is unique, since all begin with `tg_`.
//!
//! Everything else is reported as a status: null instead of a required handle, text that is not UTF-8, wrong settings, panics.
#![expect(unsafe_code, reason = "the border to C; each use is one of the three above")]
#![expect(clippy::missing_safety_doc, reason = "the requirements are the same for all functions, and documented above")]

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::null_mut;

use toolglot::detect::{from_model, from_output, from_template};
use toolglot::{Dialects, Renderer, Tools, inspect, mint};
use toolglot_json::Value;

use crate::fault::Fault;
use crate::record::TgEvent;
use crate::session::{Session, Step};
use crate::{answer, jobs, message, settings};
use border::{Done, bytes, dialects, free, make, read, run, shared, text, tools, unique};

mod border;
pub mod grammar;
pub mod lab;
pub mod traffic;

/// Changes with every incompatible change of the ABI.
pub const TG_ABI_VERSION: u32 = 1;

/// The status of a function.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "its numbers are the ABI")]
pub enum TgStatus {
    /// Success.
    Ok = 0,
    /// An argument is invalid; the buffer has the reason.
    Invalid = 1,
    /// The arguments are valid, but the operation failed; the buffer has the reason.
    Failed = 2,
    /// toolglot panicked; the handle can only be freed.
    Panicked = 3,
}

/// What to detect a dialect from.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "its numbers are the ABI")]
pub enum TgSource {
    /// A model's output.
    Output = 0,
    /// A chat template.
    Template = 1,
    /// A model's name.
    Model = 2,
}

/// Bytes that a function returns: a result, or the reason for a failure.
#[derive(Default)]
pub struct TgBuffer(Vec<u8>);
/// A set of dialects to read; cheap to share between parsers and threads.
pub struct TgDialects(Dialects);
/// Tools that may be called; cheap to share between parsers and threads.
pub struct TgTools(Tools);
/// A parser for one message at a time; not thread-safe.
pub struct TgParser(Session);
/// Writes messages in one dialect.
pub struct TgRenderer(Renderer);

fn write(out: &mut Vec<u8>, value: &Value) -> Done {
    serde_json::to_writer(out, value).map_err(Fault::failed)
}

/// Returns the library's `TG_ABI_VERSION`; compare it with the header's before you call anything else.
#[unsafe(no_mangle)]
pub extern "C" fn tg_abi_version() -> u32 {
    TG_ABI_VERSION
}

/// Allocates `len` bytes, or returns null; for hosts that write text into the memory of a WebAssembly module.
#[unsafe(no_mangle)]
pub extern "C" fn tg_alloc(len: usize) -> *mut u8 {
    let layout = Layout::from_size_align(len.max(1), 1);
    layout.map_or(null_mut(), |layout| unsafe { alloc(layout) })
}

/// Frees memory of `tg_alloc`, with the same `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_dealloc(data: *mut u8, len: usize) {
    if let (false, Ok(layout)) = (data.is_null(), Layout::from_size_align(len.max(1), 1)) {
        unsafe { dealloc(data, layout) };
    }
}

/// Returns an empty buffer.
#[unsafe(no_mangle)]
pub extern "C" fn tg_buffer_new() -> *mut TgBuffer {
    Box::into_raw(Box::new(TgBuffer::default()))
}

/// Returns the buffer's first byte; valid until the buffer is passed to another function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_buffer_data(buffer: *const TgBuffer) -> *const u8 {
    unsafe { buffer.as_ref() }.map_or(std::ptr::null(), |buffer| buffer.0.as_ptr())
}

/// Returns the number of bytes in the buffer, which is not terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_buffer_len(buffer: *const TgBuffer) -> usize {
    unsafe { buffer.as_ref() }.map_or(0, |buffer| buffer.0.len())
}

/// Frees a buffer; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_buffer_free(buffer: *mut TgBuffer) {
    unsafe { free(buffer) };
}

/// Returns dialects: all built-in ones, or as a JSON object selects with `files` (`[{"name", "toml"}]`), `only` (names) or
/// `prefer` (a name), applied in their order. Null on failure, with the reason in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_dialects_new(choice: *const u8, len: usize, out: *mut TgBuffer) -> *mut TgDialects {
    unsafe { make(out, || settings::dialects(text(choice, len)?).map(TgDialects)) }
}

/// Frees dialects; parsers created with them remain valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_dialects_free(dialects: *mut TgDialects) {
    unsafe { free(dialects) };
}

/// Writes the dialects as a JSON array of `{"name", "about", "aliases", "models", "special"}`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_dialects_list(of: *const TgDialects, out: *mut TgBuffer) -> TgStatus {
    let list = || unsafe { dialects(of) }.iter().map(|dialect| answer::dialect(dialect)).collect();
    unsafe { run(out, |out| write(out, &list())) }
}

/// Returns the tools of a JSON array in any vendor's format. Null on failure, with the reason in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_tools_new(json: *const u8, len: usize, out: *mut TgBuffer) -> *mut TgTools {
    unsafe { make(out, || Tools::from_json_str(text(json, len)?).map(TgTools).map_err(Fault::invalid)) }
}

/// Frees tools; parsers created with them remain valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_tools_free(tools: *mut TgTools) {
    unsafe { free(tools) };
}

/// Parses a whole text and writes the message as JSON: `content`, `reasoning`, `calls`, `incomplete`, `finish_reason`,
/// `dialect`, `diagnostics`. Null dialects mean all, null tools mean none, and options may be empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parse(
    of: *const TgDialects,
    with: *const TgTools,
    options: *const u8,
    options_len: usize,
    input: *const u8,
    input_len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe { read(of, with, (options, options_len), (input, input_len), out, jobs::parse) }
}

/// Like `tg_parse`, but writes `steps`, `events` and `message`, which show how the text was parsed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_explain(
    of: *const TgDialects,
    with: *const TgTools,
    options: *const u8,
    options_len: usize,
    input: *const u8,
    input_len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe { read(of, with, (options, options_len), (input, input_len), out, jobs::explain) }
}

/// Like `tg_parse`, but writes why no call was found in a text that looks like one (`reason`, `tool`, `diagnostic`), or `null`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_near_miss(
    of: *const TgDialects,
    with: *const TgTools,
    options: *const u8,
    options_len: usize,
    input: *const u8,
    input_len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe { read(of, with, (options, options_len), (input, input_len), out, jobs::near_miss) }
}

/// Like `tg_parse`, but writes how every byte was read and when: `message`, `spans`, `repairs`, `steps`, `arrivals`, `held`,
/// `why`. Long lists are flat arrays of numbers: for each span its end, the index of its kind in text, reasoning, marker, name,
/// id, key, value, punctuation, repaired, skipped, and its call or -1; for each arrival (`rows`, next to `text`) the number of
/// bytes received, the index of its event in text, reasoning, call_start, arguments, call_end, and its call or -1. For debugging:
/// it takes several times as long.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_inspect(
    of: *const TgDialects,
    with: *const TgTools,
    options: *const u8,
    options_len: usize,
    input: *const u8,
    input_len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe {
        run(out, |out| {
            let options = settings::options(text(options, options_len)?)?;
            let story = inspect(bytes(input, input_len)?, &dialects(of), &tools(with), &options);
            serde_json::to_writer(out, &story).map_err(Fault::failed)
        })
    }
}

/// Repairs the `arguments` string of a call to `tool` (empty: the only declared tool) and writes
/// `{"arguments", "diagnostics"}`; the arguments are a JSON object as text, or null if they cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_repair(
    of: *const TgDialects,
    with: *const TgTools,
    tool: *const u8,
    tool_len: usize,
    options: *const u8,
    options_len: usize,
    arguments: *const u8,
    arguments_len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe {
        run(out, |out| {
            let options = settings::options(text(options, options_len)?)?;
            let (arguments, tool) = (text(arguments, arguments_len)?, text(tool, tool_len)?);
            write(out, &jobs::repair(arguments, tool, &dialects(of), &tools(with), &options))
        })
    }
}

/// Writes the candidate dialects for a subject, best first: `[{"dialect", "alike", "score", "evidence"}]`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_detect(
    of: *const TgDialects,
    with: *const TgTools,
    source: u32,
    subject: *const u8,
    subject_len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe {
        run(out, |out| {
            let source = [TgSource::Output, TgSource::Template, TgSource::Model].get(source as usize);
            let source = source.ok_or_else(|| Fault::invalid("unknown source; use a `TG_SOURCE_…` constant"))?;
            let (subject, dialects) = (text(subject, subject_len)?, dialects(of));
            let verdicts = match source {
                TgSource::Output => from_output(subject, &dialects, &tools(with)),
                TgSource::Template => from_template(subject, &dialects),
                TgSource::Model => from_model(subject, &dialects),
            };
            write(out, &verdicts.iter().map(answer::verdict).collect())
        })
    }
}

/// Writes an id for the call at `index`; the same seed and index give the same id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_mint(seed: u64, index: u32, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            out.extend_from_slice(mint(seed, index as usize).as_bytes());
            Ok(())
        })
    }
}

/// Returns a parser. Null dialects mean all, null tools none; options may be empty. Null on failure, with the reason in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_new(
    of: *const TgDialects,
    with: *const TgTools,
    options: *const u8,
    options_len: usize,
    out: *mut TgBuffer,
) -> *mut TgParser {
    unsafe {
        make(out, || {
            let options = settings::options(text(options, options_len)?)?;
            Ok(TgParser(Session::new(&dialects(of), &tools(with), &options)))
        })
    }
}

/// Frees a parser.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_free(parser: *mut TgParser) {
    unsafe { free(parser) };
}

/// Enables `tg_parser_message`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_collect(parser: *mut TgParser) -> TgStatus {
    let collect = || -> Done {
        unsafe { unique(parser) }?.0.collect();
        Ok(())
    };
    unsafe { run(null_mut(), |_| collect()) }
}

unsafe fn step(parser: *mut TgParser, step: impl FnOnce() -> Result<Step<'static>, Fault>) -> TgStatus {
    unsafe { run(null_mut(), |_| unique(parser)?.0.step(&step()?)) }
}

/// Parses the next bytes: UTF-8, cut anywhere. `tg_parser_events` then returns the events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_push(parser: *mut TgParser, data: *const u8, len: usize) -> TgStatus {
    unsafe { step(parser, || bytes(data, len).map(Step::Bytes)) }
}

/// Parses a special token.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_push_special(parser: *mut TgParser, data: *const u8, len: usize) -> TgStatus {
    unsafe { step(parser, || text(data, len).map(Step::Special)) }
}

/// Ends the message; the next push begins another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_finish(parser: *mut TgParser) -> TgStatus {
    unsafe { step(parser, || Ok(Step::Finish)) }
}

/// Returns the events of the last push or finish; valid until the next call with the parser.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_events(parser: *const TgParser) -> *const TgEvent {
    unsafe { parser.as_ref() }.map_or(std::ptr::null(), |parser| parser.0.records().as_ptr())
}

/// Returns the number of these events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_event_count(parser: *const TgParser) -> usize {
    unsafe { parser.as_ref() }.map_or(0, |parser| parser.0.records().len())
}

/// Returns a table of 256 bytes, valid as long as the parser, if plain text may follow the last event; otherwise null. The next
/// piece is plain if it is UTF-8, the table has 0 for all its bytes, and it does not end with white space, other than a single
/// space. It is then one more event of the last one's kind: a host may create that event itself and push plain pieces later,
/// joined.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_stop_bytes(parser: *const TgParser) -> *const u8 {
    let stops = unsafe { parser.as_ref() }.and_then(|parser| parser.0.stop_bytes());
    stops.map_or(std::ptr::null(), |stops| stops.as_ptr())
}

/// Sets why the server ended the message (`stop`, `tool_calls`, `length`, `content_filter`); call it before `tg_parser_finish`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_set_finish_reason(parser: *mut TgParser, name: *const u8, len: usize) -> TgStatus {
    unsafe {
        run(null_mut(), |_| {
            let reason = text(name, len)?.parse().map_err(Fault::invalid)?;
            unique(parser)?.0.set_finish_reason(reason);
            Ok(())
        })
    }
}

/// Writes the name of the dialect of the message's first call, or nothing; valid until the next message begins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_dialect(parser: *const TgParser, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            out.extend_from_slice(shared(parser)?.0.dialect().as_bytes());
            Ok(())
        })
    }
}

/// Writes the message so far, like `tg_parse`; requires `tg_parser_collect` before the first push.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_message(parser: *const TgParser, out: *mut TgBuffer) -> TgStatus {
    unsafe { run(out, |out| write(out, &shared(parser)?.0.message()?)) }
}

/// Returns a renderer of the dialect `name`. Null on failure, with the reason in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_renderer_new(
    of: *const TgDialects,
    with: *const TgTools,
    name: *const u8,
    len: usize,
    out: *mut TgBuffer,
) -> *mut TgRenderer {
    unsafe {
        make(out, || {
            let only = dialects(of).only(&[text(name, len)?]).map_err(Fault::invalid)?;
            let dialect = only.iter().next().ok_or_else(|| Fault::invalid("no such dialect"))?;
            Ok(TgRenderer(Renderer::new(dialect, &tools(with))))
        })
    }
}

/// Frees a renderer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_renderer_free(renderer: *mut TgRenderer) {
    unsafe { free(renderer) };
}

/// Writes a message as text of the dialect. The message is JSON, as written by `tg_parse` or in the form of a chat API.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_renderer_render(
    renderer: *const TgRenderer,
    json: *const u8,
    len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe {
        run(out, |out| {
            out.extend_from_slice(message::render(&shared(renderer)?.0, text(json, len)?)?.as_bytes());
            Ok(())
        })
    }
}
