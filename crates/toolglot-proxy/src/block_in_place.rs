//! Runs long work without blocking the other tasks of its thread.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Bytes that take about a millisecond to parse, whatever they are.
const LONG: usize = 16 << 10;

/// Does work on this many bytes. If there are many, the other tasks of the thread move to another one, unless the
/// runtime has only one.
pub(crate) fn block_in_place_if_large<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let has_others = || Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes > LONG && has_others() { tokio::task::block_in_place(work) } else { work() }
}
