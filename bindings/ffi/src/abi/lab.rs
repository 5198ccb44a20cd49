//! Dialect files: one made from an example, one tried.

use std::sync::Arc;

use toolglot::certify;

use super::border::{dialects, run, text};
use super::{TgBuffer, TgDialects, TgStatus, write};
use crate::fault::Fault;
use crate::{answer, example};

/// Writes the text of a dialect file that reads an example as what it means: a JSON object with `name` (the dialect's), `text`
/// (what the model wrote), `calls` (`[{"name", "arguments"}]`), and, if wanted, `about` and `strong` (prose never contains what
/// the calls open with). An example that allows none fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tg_sketch(json: *const u8, len: usize, out: *mut TgBuffer) -> TgStatus {
    unsafe {
        run(out, |out| {
            out.extend_from_slice(example::sketched(text(json, len)?)?.as_bytes());
            Ok(())
        })
    }
}

/// Tries the dialect `name`: writes two calls with a value of every kind and reads them back. Writes `{"example", "why", "lost",
/// "warnings"}`: the calls as text, or why there is none, what does not survive, and what may surprise.
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
