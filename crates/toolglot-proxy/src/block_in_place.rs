//! Work that takes long leaves the other clients of its thread to another one.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Bytes that are read in about a millisecond, whatever they are.
const LONG: usize = 16 << 10;

/// Does work on so many bytes. If they are many, what else its thread has to do goes on elsewhere meanwhile;
/// with one thread there is no elsewhere.
pub(crate) fn block_in_place_if_large<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let has_others = || Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes > LONG && has_others() { tokio::task::block_in_place(work) } else { work() }
}
