//! bzip2 streams.

use std::io::BufRead;
use std::ops::Range;

use bzip2::{Decompress, Status};
use smart_default::SmartDefault;

use super::member::{DecompressFault, MemberDecoder, MemberEnd, drive};
use crate::bytes::buffered::BufferedSource;

/// Length of a stream without blocks: a header, the magic of the end, and a checksum.
const EMPTY: usize = 14;
/// The magic of the end of a stream, and the checksum of no blocks.
const END: &[u8] = b"\x17\x72\x45\x38\x50\x90\0\0\0\0";

/// The number of bytes that are decoded at a time, however many are requested. Where the library finds a
/// block corrupt, it does not say how much of the stretch it wrote before: the stretch is lost.
const STRETCH: usize = 4096;

pub(super) fn starts(head: &[u8]) -> bool {
    // A file may end inside its first bytes.
    let block = &head[head.len().min(4)..head.len().min(6)];
    let is_block = b"1A".starts_with(block) || b"\x17r".starts_with(block);
    is_block && matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', ..])
}

#[derive(SmartDefault)]
pub(super) struct Bzip2 {
    /// None for a stream without blocks.
    stream: Option<Decompress>,
    /// The stretch that was decoded last, and the range of it that has not been returned.
    #[default(Box::new([0; STRETCH]))]
    stretch: Box<[u8; STRETCH]>,
    pending: Range<usize>,
    /// The end of the stream or the fault after the stretch.
    end: MemberEnd,
}

impl Bzip2 {
    fn decode(&mut self, source: &mut BufferedSource) -> (usize, MemberEnd) {
        let Some(stream) = &mut self.stream else {
            return (0, Some(Ok(())));
        };
        drive(source, &mut *self.stretch, |input, into| {
            let before = (stream.total_in(), stream.total_out());
            let end = match stream.decompress(input, into) {
                Ok(Status::StreamEnd) => Some(Ok(())),
                Ok(Status::MemNeeded) => Some(Err(DecompressFault::Memory)),
                Ok(_) => None,
                Err(_) => Some(Err(DecompressFault::Corrupt)),
            };
            (
                stream.total_in() - before.0,
                stream.total_out() - before.1,
                end,
            )
        })
    }
}

impl MemberDecoder for Bzip2 {
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
        // The library allocates the memory of a block, up to 3.6 MB, before it finds the end of the stream.
        let is_empty = source.peek(EMPTY).get(4..) == Some(END);
        if is_empty {
            source.consume(EMPTY);
        }
        (self.pending, self.end) = (0..0, None);
        self.stream = (!is_empty).then(|| Decompress::new(false));
        Ok(())
    }

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd) {
        if self.pending.is_empty() && self.end.is_none() {
            let (length, end) = self.decode(source);
            (self.pending, self.end) = (0..length, end);
        }
        let n = into.len().min(self.pending.len());
        let start = self.pending.start;
        into[..n].copy_from_slice(&self.stretch[start..start + n]);
        self.pending.start += n;
        let is_all = self.pending.is_empty();
        (n, self.end.take_if(|_| is_all))
    }
}
