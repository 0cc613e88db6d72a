//! bzip2 streams.

use std::io::BufRead;

use bzip2::{Decompress, Status};

use super::source::Source;
use super::{Decoder, Fault, Step};

/// The length of a stream without blocks: a header, the magic of the end, and a checksum.
const EMPTY: usize = 14;
/// The magic of the end of a stream, and the checksum of no blocks.
const END: &[u8] = b"\x17\x72\x45\x38\x50\x90\0\0\0\0";

/// Decompresses one stream after another.
pub(super) struct Bzip2 {
    /// None for a stream without blocks.
    stream: Option<Decompress>,
}

impl Bzip2 {
    pub(super) fn new() -> Self {
        Bzip2 { stream: None }
    }
}

impl Decoder for Bzip2 {
    fn begin(&mut self, source: &mut Source) -> Result<(), Fault> {
        // A decoder allocates the memory of a block, up to 3.6 MB, before it sees that there is none.
        let is_empty = source.peek(EMPTY).get(4..) == Some(END);
        if is_empty {
            source.consume(EMPTY);
        }
        self.stream = (!is_empty).then(|| Decompress::new(false));
        Ok(())
    }

    fn decompress(&mut self, source: &mut Source, into: &mut [u8]) -> (usize, Step) {
        let Some(stream) = &mut self.stream else {
            return (0, Step::Ended);
        };
        loop {
            let input = source.available();
            let at_end = input.is_empty();
            let before = (stream.total_in(), stream.total_out());
            let status = stream.decompress(input, into);
            let consumed = (stream.total_in() - before.0) as usize;
            let produced = (stream.total_out() - before.1) as usize;
            source.consume(consumed);
            match status {
                Ok(Status::StreamEnd) => return (produced, Step::Ended),
                Ok(Status::MemNeeded) => return (produced, Step::Failed(Fault::Memory)),
                Ok(_) if produced > 0 => return (produced, Step::More),
                Ok(_) if at_end => return (0, Step::Failed(Fault::Truncated)),
                Ok(_) if consumed > 0 => {}
                _ => return (produced, Step::Failed(Fault::Corrupt)),
            }
        }
    }
}
