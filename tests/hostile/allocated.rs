//! The memory of a thread: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// The bytes in use, and the most of them since the count began.
    static BYTES: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

/// The allocator of the system.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn add(bytes: i64) {
    // A thread that ends has no count.
    let _ = BYTES.try_with(|count| {
        let (now, most) = count.get();
        count.set((now + bytes, most.max(now + bytes)));
    });
}

// SAFETY: each call is passed to the allocator of the system, unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as i64);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        add(-(layout.size() as i64));
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size as i64 - layout.size() as i64);
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Returns the result of a function, and the most bytes that it had in use at once.
pub(super) fn peak<T>(run: impl FnOnce() -> T) -> (T, u64) {
    BYTES.set((0, 0));
    let result = run();
    (result, BYTES.get().1 as u64)
}
