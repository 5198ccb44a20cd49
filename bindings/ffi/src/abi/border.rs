//! Pointers become references, panics and faults become statuses.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::slice;

use toolglot::{Dialects, Options, Tools};
use toolglot_json::Value;

use super::{TgBuffer, TgDialects, TgStatus, TgTools, write};
use crate::fault::Fault;
use crate::settings;

pub(super) type Done = Result<(), Fault>;

pub(super) unsafe fn bytes<'a>(data: *const u8, len: usize) -> Result<&'a [u8], Fault> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Fault::invalid("a text is null, but its length is not 0")),
        (false, _) => Ok(unsafe { slice::from_raw_parts(data, len) }),
    }
}

pub(super) unsafe fn text<'a>(data: *const u8, len: usize) -> Result<&'a str, Fault> {
    let bytes = unsafe { bytes(data, len) }?;
    std::str::from_utf8(bytes).map_err(|error| Fault::Invalid(format!("a text is not UTF-8: {error}")))
}

pub(super) unsafe fn shared<'a, T>(handle: *const T) -> Result<&'a T, Fault> {
    unsafe { handle.as_ref() }.ok_or_else(null)
}

pub(super) unsafe fn unique<'a, T>(handle: *mut T) -> Result<&'a mut T, Fault> {
    unsafe { handle.as_mut() }.ok_or_else(null)
}

fn null() -> Fault {
    Fault::invalid("a handle is null; pass the result of a `_new` function")
}

pub(super) unsafe fn dialects(handle: *const TgDialects) -> Dialects {
    unsafe { handle.as_ref() }.map_or_else(Dialects::builtin, |handle| handle.0.clone())
}

pub(super) unsafe fn tools(handle: *const TgTools) -> Tools {
    unsafe { handle.as_ref() }.map_or_else(Tools::default, |handle| handle.0.clone())
}

pub(super) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        let gone = unsafe { Box::from_raw(handle) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(gone)));
    }
}

/// Does the work and puts what it wrote, or why it failed, into the buffer; null takes nothing.
pub(super) unsafe fn run(out: *mut TgBuffer, work: impl FnOnce(&mut Vec<u8>) -> Done) -> TgStatus {
    let mut written = match unsafe { out.as_mut() } {
        Some(out) => std::mem::take(&mut out.0),
        None => Vec::new(),
    };
    written.clear();
    let (status, reason) = match catch_unwind(AssertUnwindSafe(|| work(&mut written))) {
        Ok(Ok(())) => (TgStatus::Ok, None),
        Ok(Err(Fault::Invalid(reason))) => (TgStatus::Invalid, Some(reason)),
        Ok(Err(Fault::Failed(reason))) => (TgStatus::Failed, Some(reason)),
        Err(_) => (TgStatus::Panicked, Some("toolglot panicked; report the input".to_owned())),
    };
    if let Some(out) = unsafe { out.as_mut() } {
        out.0 = reason.map_or(written, String::into_bytes);
    }
    status
}

/// Does the work and hands out what it made; null if it failed.
pub(super) unsafe fn make<T>(out: *mut TgBuffer, work: impl FnOnce() -> Result<T, Fault>) -> *mut T {
    let mut made = null_mut();
    unsafe {
        run(out, |_| {
            made = Box::into_raw(Box::new(work()?));
            Ok(())
        })
    };
    made
}

/// Reads a whole text with a job and writes what it says.
pub(super) unsafe fn read(
    of: *const TgDialects,
    with: *const TgTools,
    (options, options_len): (*const u8, usize),
    (input, input_len): (*const u8, usize),
    out: *mut TgBuffer,
    job: fn(&[u8], &Dialects, &Tools, &Options) -> Value,
) -> TgStatus {
    unsafe {
        run(out, |out| {
            let options = settings::options(text(options, options_len)?)?;
            write(out, &job(bytes(input, input_len)?, &dialects(of), &tools(with), &options))
        })
    }
}
