//! Dialect files: one made from an example, one tried.

use std::sync::Arc;

use toolglot::certify;

use super::border::{dialects, run, text};
use super::{TgBuffer, TgDialects, TgStatus, write};
use crate::fault::Fault;
use crate::{answer, example};

/// Writes the text of a dialect file for an example, which is a JSON object with `name` (of the dialect), `text` (the model's
/// output), `calls` (`[{"name", "arguments"}]`), and optionally `about` and `strong` (prose never contains the calls' opening
/// marker). Fails if no dialect fits the example.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_sketch(json: *const u8, len: usize, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            out.extend_from_slice(example::sketched(text(json, len)?)?.as_bytes());
            Ok(())
        })
    }
}

/// Tests the dialect `name`: renders two calls with values of every kind and parses them again. Writes `{"example", "why",
/// "lost", "warnings"}`: the calls as text, or why there are none, the values that are not preserved, and warnings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_certify(
    of: *const TgDialects,
    name: *const u8,
    len: usize,
    out: *mut TgBuffer,
) -> TgStatus {
    unsafe {
        run(out, |out| {
            let only = dialects(of).only(&[text(name, len)?]).map_err(Fault::invalid)?;
            let dialect = only.iter().next().map(Arc::as_ref).ok_or_else(|| Fault::invalid("no such dialect"))?;
            write(out, &answer::certificate(&certify(dialect)))
        })
    }
}
