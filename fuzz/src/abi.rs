//! The C ABI called in any order: with handles, without, with text that is none, and freed at any time.

use std::ptr::{null, null_mut};

use arbitrary::Unstructured;
use toolglot_ffi::abi::traffic::*;
use toolglot_ffi::abi::*;

const CHOICES: [&str; 5] =
    ["", r#"{"only": ["hermes", "qwen3_coder"]}"#, r#"{"prefer": "lfm2"}"#, "{", r#"{"only": 3}"#];
const TOOLS: [&str; 3] = [r#"[{"name": "ls", "parameters": {"type": "object"}}]"#, "[1]", "null"];
const OPTIONS: [&str; 6] = [
    "",
    r#"{"validation": "strict"}"#,
    r#"{"marked_tokens": true}"#,
    r#"{"limits": {"held": 8, "depth": 2}}"#,
    r#"{"validation": "maybe"}"#,
    "[]",
];
const SETTINGS: [&str; 4] =
    ["", r#"{"client": "responses"}"#, r#"{"client": "messages", "server": "messages"}"#, r#"{"seed": -1}"#];
const REQUESTS: [&str; 3] = [
    r#"{"model": "m", "stream": true, "messages": [], "tools": [{"type": "function", "function": {"name": "ls"}}]}"#,
    r#"{"model": "m", "input": "x", "tools": [{"type": "function", "name": "ls"}]}"#,
    "[",
];
const PIECES: [&str; 8] = [
    "<tool_call>",
    r#"{"name": "ls", "arguments": {"a": [1, "x"]}}"#,
    "</tool_call>",
    "<think>",
    "ü",
    "data: {\"choices\": [{\"delta\": {\"content\": \"<tool_call>\"}}]}\n\n",
    r#"{"content": "x", "calls": [{"name": "ls", "arguments": {}}]}"#,
    "[ls(a=1)]",
];

/// The handles that are alive; null may always be taken for one.
#[derive(Default)]
struct Alive {
    dialects: Vec<*mut TgDialects>,
    tools: Vec<*mut TgTools>,
    parsers: Vec<*mut TgParser>,
    renderers: Vec<*mut TgRenderer>,
    exchanges: Vec<*mut TgExchange>,
    turns: Vec<*mut TgTurn>,
}

/// Calls functions in the order that the bytes say; no call may do more than return a status, and nothing may leak.
pub fn abi(data: &[u8]) {
    let mut dice = Unstructured::new(data);
    let (mut alive, out) = (Alive::default(), tg_buffer_new());
    while !dice.is_empty() {
        if step(&mut dice, &mut alive, out).is_err() {
            break;
        }
    }
    unsafe {
        alive.turns.into_iter().for_each(|handle| tg_turn_free(handle));
        alive.exchanges.into_iter().for_each(|handle| tg_exchange_free(handle));
        alive.renderers.into_iter().for_each(|handle| tg_renderer_free(handle));
        alive.parsers.into_iter().for_each(|handle| tg_parser_free(handle));
        alive.tools.into_iter().for_each(|handle| tg_tools_free(handle));
        alive.dialects.into_iter().for_each(|handle| tg_dialects_free(handle));
        tg_buffer_free(out);
    }
}

fn step(dice: &mut Unstructured<'_>, alive: &mut Alive, out: *mut TgBuffer) -> arbitrary::Result<()> {
    let out = if dice.ratio(1, 16)? { null_mut() } else { out };
    let input = input(dice)?;
    let (data, len) = (input.as_ptr(), input.len());
    let (options, choice) = (dice.choose(&OPTIONS)?, dice.choose(&CHOICES)?);
    let (of, with) = (pick(dice, &alive.dialects)?, pick(dice, &alive.tools)?);
    let (parser, renderer) = (pick(dice, &alive.parsers)?, pick(dice, &alive.renderers)?);
    let (exchange, turn) = (pick(dice, &alive.exchanges)?, pick(dice, &alive.turns)?);
    let (text, size) = (options.as_ptr(), options.len());
    let status = unsafe {
        match dice.int_in_range(0..=26)? {
            0 => keep(&mut alive.dialects, tg_dialects_new(choice.as_ptr(), choice.len(), out)),
            1 => {
                let tools = dice.choose(&TOOLS)?;
                keep(&mut alive.tools, tg_tools_new(tools.as_ptr(), tools.len(), out))
            }
            2 => keep(&mut alive.parsers, tg_parser_new(of, with, text, size, out)),
            3 => keep(&mut alive.renderers, tg_renderer_new(of, with, b"hermes".as_ptr(), 6, out)),
            4 => {
                let (settings, request) = (dice.choose(&SETTINGS)?, dice.choose(&REQUESTS)?);
                let (body, length) = (request.as_ptr(), request.len());
                keep(&mut alive.exchanges, tg_exchange_new(of, settings.as_ptr(), settings.len(), body, length, out))
            }
            5 => keep(&mut alive.turns, tg_turn_new(exchange, out)),
            6..=10 => tg_parser_push(parser, data, len),
            11 => tg_parser_push_special(parser, data, len),
            12 => tg_parser_finish(parser),
            13 => tg_parser_collect(parser),
            14 => tg_parser_message(parser, out),
            15 => tg_parser_set_finish_reason(parser, b"length".as_ptr(), 6),
            16 => tg_parse(of, with, text, size, data, len, out),
            17 => tg_repair(of, with, b"ls".as_ptr(), 2, text, size, data, len, out),
            18 => tg_detect(of, with, dice.int_in_range(0..=3)?, data, len, out),
            19 => tg_renderer_render(renderer, data, len, out),
            20 => tg_turn_push(turn, data, len, out),
            21 => tg_turn_finish(turn, data, len.min(4), out),
            22 => tg_turn_whole(turn, data, len, out),
            23 => tg_parse(of, with, text, size, null(), len, out),
            24 => tg_near_miss(of, with, text, size, data, len, out),
            25 => tg_explain(of, with, text, size, data, len, out),
            _ => free(dice, alive)?,
        }
    };
    assert_ne!(status, TgStatus::Panicked, "on {input:?}");
    let parser = if alive.parsers.contains(&parser) { parser } else { null_mut() };
    unsafe { look(parser, out) };
    Ok(())
}

fn input(dice: &mut Unstructured<'_>) -> arbitrary::Result<Vec<u8>> {
    if dice.ratio(1, 8)? {
        let len = dice.int_in_range(0..=9)?;
        return dice.bytes(len).map(<[u8]>::to_vec);
    }
    let mut piece = dice.choose(&PIECES)?.as_bytes().to_vec();
    if dice.ratio(1, 4)? {
        piece.truncate(dice.int_in_range(0..=piece.len())?);
    }
    Ok(piece)
}

fn pick<T>(dice: &mut Unstructured<'_>, handles: &[*mut T]) -> arbitrary::Result<*mut T> {
    if handles.is_empty() || dice.ratio(1, 16)? { Ok(null_mut()) } else { dice.choose(handles).copied() }
}

fn keep<T>(handles: &mut Vec<*mut T>, handle: *mut T) -> TgStatus {
    if handle.is_null() {
        return TgStatus::Invalid;
    }
    handles.push(handle);
    TgStatus::Ok
}

/// Frees a handle of any kind; what was made with it goes on.
fn free(dice: &mut Unstructured<'_>, alive: &mut Alive) -> arbitrary::Result<TgStatus> {
    unsafe {
        match dice.int_in_range(0..=5)? {
            0 => tg_dialects_free(alive.dialects.pop().unwrap_or(null_mut())),
            1 => tg_tools_free(alive.tools.pop().unwrap_or(null_mut())),
            2 => tg_parser_free(alive.parsers.pop().unwrap_or(null_mut())),
            3 => tg_renderer_free(alive.renderers.pop().unwrap_or(null_mut())),
            4 => tg_exchange_free(alive.exchanges.pop().unwrap_or(null_mut())),
            _ => tg_turn_free(alive.turns.pop().unwrap_or(null_mut())),
        }
    }
    Ok(TgStatus::Ok)
}

/// Reads every byte that a caller may read: what was written, and the records of a parser that is alive.
unsafe fn look(parser: *const TgParser, out: *const TgBuffer) {
    unsafe {
        // A relay passes bytes on as they are.
        let written = read(tg_buffer_data(out), tg_buffer_len(out));
        std::hint::black_box(written.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
        for at in 0..tg_parser_event_count(parser) {
            let event = *tg_parser_events(parser).add(at);
            for text in [event.text, event.name, event.id] {
                assert!(std::str::from_utf8(read(text.data, text.len)).is_ok(), "{event:?}");
            }
        }
    }
}

unsafe fn read<'a>(data: *const u8, len: usize) -> &'a [u8] {
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, len) } }
}
