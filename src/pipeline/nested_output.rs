//! The output of archives and compressed files in archives, at any depth.
//!
//! Each of them keeps its own ratio of output to input, but four levels have the fourth power of it.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::decode::compression::Decompressed;

/// The bytes that one member of the outermost archive gives, and those that all archives and compressed files
/// in it give together: the ratio of the two is limited as that of a compressed file is.
#[derive(Clone, Default)]
pub(super) struct NestedOutput(Rc<Cell<NestedCounts>>);

/// Numbers of bytes.
#[derive(Clone, Copy, Default)]
struct NestedCounts {
    /// Read from the member.
    input: u64,
    /// Read from what is inside.
    output: u64,
}

impl NestedOutput {
    /// Begins with a member of which so much has been read.
    pub(super) fn begin(&self, input: u64) {
        self.0.set(NestedCounts { input, output: 0 });
    }

    /// Returns whether so much was read that nothing more should be.
    pub(super) fn is_excessive(&self) -> bool {
        let NestedCounts { input, output } = self.0.get();
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
        let NestedCounts { input, output } = self.nested.0.get();
        let bytes = bytes as u64;
        self.nested.0.set(match self.is_outermost {
            true => NestedCounts {
                input: input + bytes,
                output,
            },
            false => NestedCounts {
                input,
                output: output + bytes,
            },
        });
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
