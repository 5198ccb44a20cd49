//! Requests to a model server and its answers.

use super::border::{bytes, dialects, free, make, run, shared, text, unique};
use super::{TgBuffer, TgDialects, TgStatus};
use crate::traffic::{Answer, Request};

/// A client's request to a model server.
pub struct TgExchange(Request);
/// The conversion of one answer of the model server for the client.
pub struct TgTurn(Answer);

/// Reads a client's request to a model server. Settings are a JSON object: `client` and `server` (`chat`, `responses`,
/// `messages`), `options`, `engine`, `forced`, `reasoning_field`, `reasoning_open`, `upstream_model`, `history_ids`, `seed`,
/// `now`. Null on failure, with the reason or an error body for the client in `out`.
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

/// Frees a request; its turns remain valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_exchange_free(exchange: *mut TgExchange) {
    unsafe { free(exchange) };
}

/// Writes the request body for the model server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_exchange_body(exchange: *const TgExchange, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            *out = shared(exchange)?.0.body();
            Ok(())
        })
    }
}

/// Returns a turn, which converts one answer to a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_new(exchange: *const TgExchange, out: *mut TgBuffer) -> *mut TgTurn {
    unsafe { make(out, || Ok(TgTurn(shared(exchange)?.0.answer()))) }
}

/// Frees a turn.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_free(turn: *mut TgTurn) {
    unsafe { free(turn) };
}

/// Converts bytes of the server's stream and writes bytes of the client's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_push(turn: *mut TgTurn, data: *const u8, len: usize, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            unique(turn)?.0.push(bytes(data, len)?, out);
            Ok(())
        })
    }
}

/// Ends the stream and writes the rest of the client's; `why` is the reason for an interruption, or empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_finish(turn: *mut TgTurn, why: *const u8, len: usize, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            unique(turn)?.0.finish(text(why, len)?, out);
            Ok(())
        })
    }
}

/// Converts a whole answer and writes the client's; on failure, an error body for the client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_turn_whole(turn: *mut TgTurn, data: *const u8, len: usize, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            *out = unique(turn)?.0.whole(bytes(data, len)?)?;
            Ok(())
        })
    }
}
