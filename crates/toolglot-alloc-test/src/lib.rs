//! An allocator that counts, for the tests of this crate: the workspace forbids unsafe code, which it needs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator with a counter. A test that uses it has to be alone in its program, so that no other counts.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing in it")]
pub struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Counting {
    /// Returns how often memory was asked for.
    pub fn count() -> usize {
        COUNT.load(Ordering::Relaxed)
    }
}

// SAFETY: every call is handed on unchanged to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is the same for the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` or `realloc` above, so from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as for `dealloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
