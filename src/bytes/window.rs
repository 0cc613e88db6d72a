//! Windows: the part of a document that a scanner sees at a time, and the roll buffer that it lies in.
//!
//! The buffer holds three ranges in a row: the last consumed bytes (the look-behind), the pending
//! bytes, and free space for the next read. Bytes are moved only when the free space is used up,
//! and the buffer grows only while the scanner consumes nothing.

use std::io::{self, Read};

/// The part of a document that a scanner sees at a time.
///
/// `bytes[..start]` was consumed in an earlier window and remains as look-behind;
/// `bytes[start..]` is pending. `offset` is the offset of `bytes[0]` in the document, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// The look-behind and the pending bytes.
    pub bytes: &'a [u8],
    /// Index of the first pending byte.
    pub start: usize,
    /// Offset of `bytes[0]` in the document.
    pub offset: u64,
    /// No byte follows this window.
    pub last: bool,
}

impl<'a> Window<'a> {
    /// A whole document in one window.
    ///
    /// ```
    /// use uriscan::bytes::window::Window;
    /// let window = Window::whole(b"one document");
    /// assert!(window.last && window.offset_at(4) == 4);
    /// ```
    pub fn whole(bytes: &'a [u8]) -> Self {
        Window {
            bytes,
            start: 0,
            offset: 0,
            last: true,
        }
    }

    /// Returns the document offset of the byte at an index of this window.
    pub fn offset_at(&self, at: usize) -> u64 {
        self.offset + at as u64
    }

    /// Returns the index in this window of a document offset, which must lie within the window.
    pub fn at_offset(&self, offset: u64) -> usize {
        (offset - self.offset) as usize
    }
}

/// The part of a document that a format needs to see at a time, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Consumed bytes that remain in the window before the pending ones.
    pub look_behind: usize,
    /// The most bytes that may be pending while the scanner consumes nothing.
    pub look_ahead: usize,
}

impl Bounds {
    pub(crate) const fn new(look_behind: usize, look_ahead: usize) -> Self {
        Bounds {
            look_behind,
            look_ahead,
        }
    }
}

/// The roll buffer: reads a document window by window.
///
/// ```
/// use uriscan::bytes::window::{Bounds, Windows};
/// let bounds = Bounds { look_behind: 2, look_ahead: 64 };
/// let mut windows = Windows::new(4);
/// let mut document = &b"abcdefgh"[..];
/// windows.begin(bounds);
/// windows.fill(&mut document)?;
/// assert_eq!(windows.window().bytes, b"abcd");
/// windows.consume(3);
/// windows.fill(&mut document)?;
/// let window = windows.window();
/// assert_eq!((window.bytes, window.start, window.offset), (&b"bcdefgh"[..], 2, 1));
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug, Default)]
pub struct Windows {
    buffer: Vec<u8>,
    /// INVARIANT: behind <= start <= end <= buffer.len().
    behind: usize,
    start: usize,
    end: usize,
    /// Document offset of `buffer[behind]`.
    offset: u64,
    bounds: Bounds,
    size: usize,
    last: bool,
    stalled: bool,
    /// The number of pending bytes that the scanner has seen and left.
    seen: usize,
}

impl Windows {
    /// A buffer that reads `size` bytes at a time (at least one).
    pub fn new(size: usize) -> Self {
        Windows {
            size,
            ..Windows::default()
        }
    }

    /// Starts another document at offset 0, in the same memory.
    pub fn begin(&mut self, bounds: Bounds) {
        self.begin_at(bounds, 0);
    }

    /// Starts a range of another document that begins at `offset`, in the same memory.
    pub(crate) fn begin_at(&mut self, bounds: Bounds, offset: u64) {
        (self.behind, self.start, self.end) = (0, 0, 0);
        self.offset = offset;
        self.bounds = bounds;
        self.last = false;
        (self.stalled, self.seen) = (false, 0);
        // A buffer that one document made very large is not kept for later ones.
        let kept = self.size.saturating_add(bounds.look_ahead);
        if self.buffer.capacity() / 2 > kept.saturating_add(bounds.look_behind) {
            self.buffer = Vec::new();
        }
    }

    /// Reads up to one window of bytes; at the document's end the window becomes the last one.
    ///
    /// While the scanner consumes nothing the amount doubles, so that the total time stays linear
    /// for any window size.
    ///
    /// # Errors
    ///
    /// Those of the reader, but for interruptions, which are retried; and when no memory is left.
    ///
    /// # Panics
    ///
    /// When a scanner consumed nothing of a window as long as its format's look-ahead, against the
    /// contract of `Scan`.
    pub fn fill(&mut self, reader: &mut (impl Read + ?Sized)) -> io::Result<()> {
        let pending = self.end - self.start;
        assert!(
            !self.stalled || pending <= self.bounds.look_ahead,
            "a scanner consumed nothing of {pending} bytes, its look-ahead is {}",
            self.bounds.look_ahead
        );
        let size = self.size.max(1);
        let want = if self.stalled {
            // No more than the scanner may wait for, and one window.
            let left = self.bounds.look_ahead.saturating_sub(pending);
            size.max(pending).min(size.saturating_add(left))
        } else {
            size
        };
        self.try_reserve(want)?;
        let goal = self.end + want;
        while self.end < goal {
            match reader.read(&mut self.buffer[self.end..goal]) {
                Ok(0) => {
                    self.last = true;
                    break;
                }
                Ok(n) => self.end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns whether a scan can find something before more bytes arrive.
    ///
    /// While the scanner consumes nothing, an eighth more bytes must arrive, so that the total time stays
    /// linear for chunks of any size; past the look-ahead one byte is enough.
    pub(crate) fn has_news(&self) -> bool {
        let pending = self.pending().len();
        let waits = self.stalled && pending <= self.bounds.look_ahead;
        pending - self.seen > if waits { self.seen / 8 } else { 0 }
    }

    /// Appends what a function adds to the buffer, about `want` bytes, after the pending ones, for documents
    /// that are generated rather than read.
    pub(crate) fn append(&mut self, want: usize, write: impl FnOnce(&mut Vec<u8>)) {
        if self.behind > 0 && self.end + want > self.buffer.capacity() {
            self.compact();
        }
        self.buffer.truncate(self.end);
        write(&mut self.buffer);
        self.end = self.buffer.len();
    }

    pub(crate) fn pending(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The pending bytes, to be modified before a scanner reads them.
    pub(crate) fn pending_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.start..self.end]
    }

    /// Makes the bytes read so far the whole document, so that a read error loses none of them.
    pub(crate) fn end_here(&mut self) {
        self.last = true;
    }

    /// The current window.
    pub fn window(&self) -> Window<'_> {
        Window {
            bytes: &self.buffer[self.behind..self.end],
            start: self.start - self.behind,
            offset: self.offset,
            last: self.last,
        }
    }

    /// Consumes the bytes of the window before index `at`; returns true at the end of the document.
    ///
    /// # Panics
    ///
    /// When `at` lies outside the pending bytes, or not at the end of the last window.
    pub fn consume(&mut self, at: usize) -> bool {
        let start = self.behind + at;
        assert!(
            self.start <= start && start <= self.end,
            "a scanner consumed up to {at}, outside its window"
        );
        assert!(
            !self.last || start == self.end,
            "a scanner left {} bytes of the last window",
            self.end - start
        );
        self.stalled = start == self.start;
        self.start = start;
        self.seen = self.end - start;
        let behind = start.saturating_sub(self.bounds.look_behind);
        let behind = behind.max(self.behind);
        self.offset += (behind - self.behind) as u64;
        self.behind = behind;
        self.last
    }

    /// Makes space for `want` more bytes, or fails: one document must not abort the process.
    fn try_reserve(&mut self, want: usize) -> io::Result<()> {
        // What the scanner leaves of the first window fits in beside the next one.
        let room = if self.buffer.is_empty() { want / 8 } else { 0 };
        let wanted = (self.end - self.behind).saturating_add(want.saturating_add(room));
        let more = wanted.saturating_sub(self.buffer.len());
        // The buffer grows by doubling; the allocation is attempted before it is relied on.
        self.buffer.try_reserve(more)?;
        if self.end + want <= self.buffer.len() {
            return Ok(());
        }
        self.compact();
        if self.buffer.is_empty() {
            // The system gives memory that is zero.
            self.buffer = vec![0; wanted];
        } else if self.end + want > self.buffer.len() {
            self.buffer.resize(self.end + want, 0);
        }
        Ok(())
    }

    /// Moves the bytes that are kept to the start of the buffer.
    fn compact(&mut self) {
        self.buffer.copy_within(self.behind..self.end, 0);
        self.start -= self.behind;
        self.end -= self.behind;
        self.behind = 0;
    }
}

#[cfg(test)]
#[path = "../../tests/unit/bytes/window.rs"]
mod tests;
