//! The output of archives and compressed files in archives, at any depth.
//!
//! Each of them keeps its own ratio of output to input, but four levels have the fourth power of it.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::decode::compression::Decompressed;

/// The bytes that one member of the outermost archive gives, and those that all archives and compressed files
/// in it give together: the ratio of the two is limited as that of a compressed file is.
///
/// The readers of one worker share it: a message in an archive does not begin to count anew.
#[derive(Clone, Default)]
pub(super) struct NestedOutput(Arc<NestedCounts>);

/// Numbers of bytes.
#[derive(Default)]
struct NestedCounts {
    /// Read from the member.
    input: AtomicU64,
    /// Read from what is inside.
    output: AtomicU64,
}

impl NestedOutput {
    /// Begins with a member of which so much has been read.
    pub(super) fn begin(&self, input: u64) {
        self.0.input.store(input, Ordering::Relaxed);
        self.0.output.store(0, Ordering::Relaxed);
    }

    /// Returns whether so much was read that nothing more should be.
    pub(super) fn is_excessive(&self) -> bool {
        let [input, output] = [&self.0.input, &self.0.output].map(|n| n.load(Ordering::Relaxed));
        Decompressed::is_excessive(input, output)
    }
}

/// Reads a member of the outermost archive, or what is inside one until that is too much.
pub(super) struct InnerReader<R> {
    reader: R,
    nested: NestedOutput,
    is_outermost: bool,
}

impl<R: Read> InnerReader<R> {
    pub(super) fn new(reader: R, nested: &NestedOutput, is_outermost: bool) -> Self {
        InnerReader {
            reader,
            nested: nested.clone(),
            is_outermost,
        }
    }

    /// Counts bytes, which may have been read in another way.
    pub(super) fn count(&self, bytes: usize) {
        let counts = &self.nested.0;
        let count = if self.is_outermost {
            &counts.input
        } else {
            &counts.output
        };
        count.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl<R: Read> Read for InnerReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.is_outermost && self.nested.is_excessive() {
            return Ok(0);
        }
        let n = self.reader.read(into)?;
        self.count(n);
        Ok(n)
    }
}
