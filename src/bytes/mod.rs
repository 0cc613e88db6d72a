//! Layer 1: bytes and offsets, independent of URIs and document formats.

#[cfg(feature = "compression")]
pub(crate) mod buffered;
pub mod class;
#[cfg(feature = "audit")]
pub(crate) mod interner;
pub mod lines;
pub(crate) mod literal;
pub(crate) mod pattern;
pub(crate) mod prefilter;
pub(crate) mod seek;
#[allow(unsafe_code)]
pub(crate) mod simd;
pub mod source;
pub mod window;

/// Counts the steps of loops that must stay linear.
///
/// Only in builds for tests: elsewhere a step costs nothing.
pub mod steps {
    #[cfg(all(feature = "internals", debug_assertions))]
    thread_local! {
        static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }

    /// Counts steps of a loop, such as bytes read or entries compared.
    #[inline(always)]
    pub(crate) fn step(_steps: usize) {
        #[cfg(all(feature = "internals", debug_assertions))]
        STEPS.with(|steps| steps.set(steps.get() + _steps as u64));
    }

    /// Returns the steps of this thread since the last call.
    #[cfg(feature = "internals")]
    pub fn take() -> u64 {
        #[cfg(debug_assertions)]
        return STEPS.with(|steps| steps.replace(0));
        #[cfg(not(debug_assertions))]
        return 0;
    }
}
