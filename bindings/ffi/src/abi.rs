//! The functions of the C ABI, and the only module with unsafe code.
//!
//! What is unsafe here, and why it holds:
//! * a pointer and a length are a slice: callers promise that so many bytes can be read there (`border::bytes`);
//! * a handle is a pointer that one of the `_new` functions returned and that has not been freed (`border::shared`);
//! * a name without mangling is unique, since all begin with `tg_`.
//!
//! Everything else is told as a status: null where a handle must stand, text that is not UTF-8, wrong settings, panics.
#![expect(unsafe_code, reason = "the border to C; each use is one of the three above")]
#![expect(clippy::missing_safety_doc, reason = "what callers promise is the same for all, and stands above")]

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::null_mut;

use toolglot::detect::{from_model, from_output, from_template};
use toolglot::{Dialects, Renderer, Tools, inspect, mint};
use toolglot_json::Value;

use crate::fault::Fault;
use crate::record::TgEvent;
use crate::session::{Session, Step};
use crate::traffic::{Answer, Request};
use crate::{answer, jobs, message, settings};
use border::{Done, bytes, dialects, free, make, read, run, shared, text, tools, unique};

mod border;
pub mod grammar;
pub mod lab;

/// Changes whenever a program that was built for an earlier header would go wrong.
pub const TG_ABI_VERSION: u32 = 1;

/// How a function ended.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "its numbers are the ABI")]
pub enum TgStatus {
    /// As it should.
    Ok = 0,
    /// What was handed in cannot be used; the buffer says why.
    Invalid = 1,
    /// What was handed in is fine but cannot be done; the buffer says why.
    Failed = 2,
    /// A fault of toolglot's; the handle can only be freed.
    Panicked = 3,
}

/// What a dialect is recognised by.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "its numbers are the ABI")]
pub enum TgSource {
    /// What a model wrote.
    Output = 0,
    /// A chat template.
    Template = 1,
    /// A model's name.
    Model = 2,
}

/// Bytes that a function hands out: a result, or on failure the reason.
#[derive(Default)]
pub struct TgBuffer(Vec<u8>);
/// Dialects that may be read; cheap to share between parsers, also of different threads.
pub struct TgDialects(Dialects);
/// Tools that may be called; cheap to share between parsers, also of different threads.
pub struct TgTools(Tools);
/// A parser: one message after the other, one thread at a time.
pub struct TgParser(Session);
/// Writes messages in one dialect.
pub struct TgRenderer(Renderer);
/// A client's request to a model server.
pub struct TgExchange(Request);
/// One answer of the model server, on its way to the client.
pub struct TgTurn(Answer);

fn write(out: &mut Vec<u8>, value: &Value) -> Done {
    serde_json::to_writer(out, value).map_err(Fault::failed)
}

/// Returns `TG_ABI_VERSION` of the library; compare it with the header's before anything else.
#[unsafe(no_mangle)]
pub extern "C" fn tg_abi_version() -> u32 {
    TG_ABI_VERSION
}

/// Returns memory for `len` bytes, or null; for hosts that have to put text into the memory of a WebAssembly module.
#[unsafe(no_mangle)]
pub extern "C" fn tg_alloc(len: usize) -> *mut u8 {
    let layout = Layout::from_size_align(len.max(1), 1);
    layout.map_or(null_mut(), |layout| unsafe { alloc(layout) })
}

/// Gives back what `tg_alloc` returned, with the same `len`.
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

/// Returns the buffer's first byte; good until the buffer is handed to another function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_buffer_data(buffer: *const TgBuffer) -> *const u8 {
    unsafe { buffer.as_ref() }.map_or(std::ptr::null(), |buffer| buffer.0.as_ptr())
}

/// Returns the number of bytes in the buffer, which nothing terminates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_buffer_len(buffer: *const TgBuffer) -> usize {
    unsafe { buffer.as_ref() }.map_or(0, |buffer| buffer.0.len())
}

/// Frees a buffer; null is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_buffer_free(buffer: *mut TgBuffer) {
    unsafe { free(buffer) };
}

/// Returns dialects: all that are built in, unless a JSON object says otherwise with `files` (`[{"name", "toml"}]`), `only`
/// (names) or `prefer` (a name), done in the order they stand in. Null on failure, with the reason in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_dialects_new(choice: *const u8, len: usize, out: *mut TgBuffer) -> *mut TgDialects {
    unsafe { make(out, || settings::dialects(text(choice, len)?).map(TgDialects)) }
}

/// Frees dialects; parsers that were made with them go on.
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

/// Returns the tools of a JSON array, in the form of any vendor's requests. Null on failure, with the reason in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_tools_new(json: *const u8, len: usize, out: *mut TgBuffer) -> *mut TgTools {
    unsafe { make(out, || Tools::from_json_str(text(json, len)?).map(TgTools).map_err(Fault::invalid)) }
}

/// Frees tools; parsers that were made with them go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_tools_free(tools: *mut TgTools) {
    unsafe { free(tools) };
}

/// Reads a whole text and writes the message as JSON: `content`, `reasoning`, `calls`, `incomplete`, `finish_reason`,
/// `dialect`, `diagnostics`. Dialects may be null for all, tools for none, options empty.
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

/// As `tg_parse`, but writes `steps`, `events` and `message`: why the text was read so.
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

/// As `tg_parse`, but writes why no call was found in a text that looks like one, or `null`: `reason`, `tool`, `diagnostic`.
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

/// As `tg_parse`, but writes what became of every byte and when: `message`, `spans`, `repairs`, `steps`, `arrivals`, `held`,
/// `why`. What there is much of is numbers in a row: of a span its end, the place of its kind in text, reasoning, marker, name,
/// id, key, value, punctuation, repaired, skipped, and its call or -1; of an arrival (`rows`, beside `text`) how many bytes had
/// come, the place of its event in text, reasoning, call_start, arguments, call_end, and its call or -1. For people who look: it
/// takes several times as long.
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

/// Reads the `arguments` string of a call of `tool` (empty: of the only one that is declared) and writes
/// `{"arguments", "diagnostics"}`; the arguments are the text of a JSON object, or null if nothing could be recognised.
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

/// Writes the dialects that a subject speaks for, the best first: `[{"dialect", "alike", "score", "evidence"}]`.
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

/// Writes an id for the call at `index` that carries none: the same seed and index give the same id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_mint(seed: u64, index: u32, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            out.extend_from_slice(mint(seed, index as usize).as_bytes());
            Ok(())
        })
    }
}

/// Returns a parser. Dialects may be null for all, tools for none, options empty. Null on failure, with the reason in `out`.
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

/// Puts messages together from now on, for `tg_parser_message`.
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

/// Reads on from bytes: UTF-8 that may be cut anywhere. Then `tg_parser_events` has what was found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_push(parser: *mut TgParser, data: *const u8, len: usize) -> TgStatus {
    unsafe { step(parser, || bytes(data, len).map(Step::Bytes)) }
}

/// Reads on from one special token.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_push_special(parser: *mut TgParser, data: *const u8, len: usize) -> TgStatus {
    unsafe { step(parser, || text(data, len).map(Step::Special)) }
}

/// Ends the message; the next push begins another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_finish(parser: *mut TgParser) -> TgStatus {
    unsafe { step(parser, || Ok(Step::Finish)) }
}

/// Returns the events of the last push or finish; good until the next call with the parser.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_events(parser: *const TgParser) -> *const TgEvent {
    unsafe { parser.as_ref() }.map_or(std::ptr::null(), |parser| parser.0.records().as_ptr())
}

/// Returns the number of these events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_event_count(parser: *const TgParser) -> usize {
    unsafe { parser.as_ref() }.map_or(0, |parser| parser.0.records().len())
}

/// Says why the server ended the message (`stop`, `tool_calls`, `length`, `content_filter`); before `tg_parser_finish`.
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

/// Writes the name of the dialect of the message's first call, or nothing, until the next message begins.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_parser_dialect(parser: *const TgParser, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            out.extend_from_slice(shared(parser)?.0.dialect().as_bytes());
            Ok(())
        })
    }
}

/// Writes the message so far as `tg_parse` does; `tg_parser_collect` has to come before the first push.
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

/// Writes the text in which a model says a message: JSON as `tg_parse` writes it, or as a chat API has it.
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

/// Reads a client's request of a model server. Settings are a JSON object: `client` and `server` (`chat`, `responses`,
/// `messages`), `options`, `engine`, `forced`, `reasoning_field`, `reasoning_open`, `upstream_model`, `history_ids`, `seed`,
/// `now`. Null on failure, with the reason or the body of an error for the client in `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_exchange_new(
    of: *const TgDialects,
    settings: *const u8,
    settings_len: usize,
    body: *const u8,
    body_len: usize,
    out: *mut TgBuffer,
) -> *mut TgExchange {
    unsafe {
        make(out, || {
            let body = bytes(body, body_len)?;
            Request::new(&dialects(of), text(settings, settings_len)?, body).map(TgExchange)
        })
    }
}

/// Frees a request; its turns go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_exchange_free(exchange: *mut TgExchange) {
    unsafe { free(exchange) };
}

/// Writes the body for the model server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_exchange_body(exchange: *const TgExchange, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            *out = shared(exchange)?.0.body();
            Ok(())
        })
    }
}

/// Returns the way of one answer to a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_new(exchange: *const TgExchange, out: *mut TgBuffer) -> *mut TgTurn {
    unsafe { make(out, || Ok(TgTurn(shared(exchange)?.0.answer()))) }
}

/// Frees a turn.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_free(turn: *mut TgTurn) {
    unsafe { free(turn) };
}

/// Takes bytes of the server's stream and writes those of the client's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_push(turn: *mut TgTurn, data: *const u8, len: usize, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            unique(turn)?.0.push(bytes(data, len)?, out);
            Ok(())
        })
    }
}

/// Ends the stream and writes what is left of the client's; `why` says what cut it, and is empty if it ended as it should.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_finish(turn: *mut TgTurn, why: *const u8, len: usize, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            unique(turn)?.0.finish(text(why, len)?, out);
            Ok(())
        })
    }
}

/// Takes a whole answer and writes the client's; on failure the body of an error for the client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_whole(turn: *mut TgTurn, data: *const u8, len: usize, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            *out = unique(turn)?.0.whole(bytes(data, len)?)?;
            Ok(())
        })
    }
}
