//! bzip2 streams.

use std::io::BufRead;
use std::ops::Range;

use bzip2::{Decompress, Status};

use super::source::CompressedSource;
use super::{DecodeStep, Decoder, DecompressFault};

/// The length of a stream without blocks: a header, the magic of the end, and a checksum.
const EMPTY: usize = 14;
/// The magic of the end of a stream, and the checksum of no blocks.
const END: &[u8] = b"\x17\x72\x45\x38\x50\x90\0\0\0\0";

/// Bytes that are decoded at a time, however many are asked for. A decoder that finds a block corrupt does
/// not say how much of it came out before: that much is lost.
const STRETCH: usize = 4096;

/// Decompresses one stream after another.
pub(super) struct Bzip2 {
    /// None for a stream without blocks.
    stream: Option<Decompress>,
    /// The stretch that was decoded last, and the bytes of it that have not been handed over.
    stretch: Box<[u8; STRETCH]>,
    pending: Range<usize>,
    /// The end of the stream, or a fault, behind the stretch.
    end: Option<DecodeStep>,
}

impl Bzip2 {
    pub(super) fn new() -> Self {
        Bzip2 {
            stream: None,
            stretch: Box::new([0; STRETCH]),
            pending: 0..0,
            end: None,
        }
    }

    /// Decodes the next stretch and returns its length.
    fn decode(&mut self, source: &mut CompressedSource) -> (usize, DecodeStep) {
        let Some(stream) = &mut self.stream else {
            return (0, DecodeStep::Ended);
        };
        loop {
            let input = source.available();
            let at_end = input.is_empty();
            let before = (stream.total_in(), stream.total_out());
            let status = stream.decompress(input, &mut *self.stretch);
            let consumed = (stream.total_in() - before.0) as usize;
            let produced = (stream.total_out() - before.1) as usize;
            source.consume(consumed);
            match status {
                Ok(Status::StreamEnd) => return (produced, DecodeStep::Ended),
                Ok(Status::MemNeeded) => {
                    return (produced, DecodeStep::Failed(DecompressFault::Memory));
                }
                Ok(_) if produced > 0 => return (produced, DecodeStep::More),
                Ok(_) if at_end => return (0, DecodeStep::Failed(DecompressFault::Truncated)),
                Ok(_) if consumed > 0 => {}
                _ => return (produced, DecodeStep::Failed(DecompressFault::Corrupt)),
            }
        }
    }
}

impl Decoder for Bzip2 {
    fn begin(&mut self, source: &mut CompressedSource) -> Result<(), DecompressFault> {
        // A decoder allocates the memory of a block, up to 3.6 MB, before it sees that there is none.
        let is_empty = source.peek(EMPTY).get(4..) == Some(END);
        if is_empty {
            source.consume(EMPTY);
        }
        (self.pending, self.end) = (0..0, None);
        self.stream = (!is_empty).then(|| Decompress::new(false));
        Ok(())
    }

    fn decompress(
        &mut self,
        source: &mut CompressedSource,
        into: &mut [u8],
    ) -> (usize, DecodeStep) {
        if self.pending.is_empty() && self.end.is_none() {
            let (length, step) = self.decode(source);
            self.pending = 0..length;
            self.end = (step != DecodeStep::More).then_some(step);
        }
        let n = into.len().min(self.pending.len());
        let start = self.pending.start;
        into[..n].copy_from_slice(&self.stretch[start..start + n]);
        self.pending.start += n;
        match self.pending.is_empty() {
            true => (n, self.end.take().unwrap_or(DecodeStep::More)),
            false => (n, DecodeStep::More),
        }
    }
}
