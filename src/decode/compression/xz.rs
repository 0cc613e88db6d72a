//! xz streams (the .xz file format 1.2).

use std::io::ErrorKind;

use lzma_rust2::{Action, Status, XzStream};
use smart_default::SmartDefault;

use super::member::{DecompressFault, MemberDecoder, MemberEnd, WINDOW, drive};
use crate::bytes::buffered::BufferedSource;

/// The memory limit of the library in KiB: a dictionary of [`WINDOW`] bytes, and tables and buffers.
const MEMORY: u32 = (WINDOW >> 10) as u32 + 1024;
/// The number of bytes that are decoded at a time: the library loses the stretch before damage.
const STRETCH: u64 = 64;

#[derive(SmartDefault)]
pub(super) struct Xz {
    #[default(open_stream())]
    stream: XzStream,
}

fn open_stream() -> XzStream {
    XzStream::new_mem_limit(false, MEMORY)
}

fn fault(kind: ErrorKind) -> DecompressFault {
    match kind {
        ErrorKind::UnexpectedEof => DecompressFault::Truncated,
        ErrorKind::OutOfMemory => DecompressFault::Memory,
        ErrorKind::Unsupported => DecompressFault::Unsupported,
        _ => DecompressFault::Corrupt,
    }
}

impl MemberDecoder for Xz {
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault> {
        self.stream = open_stream();
        // The stream header is followed by the size of the block header, not 0, and its flags, whose lowest
        // bits are the number of filters less one. The decoder takes one before LZMA2.
        match source.peek(14).first_chunk::<14>() {
            Some(&[.., size, flags]) if size != 0 && flags & 3 > 1 => {
                Err(DecompressFault::Unsupported)
            }
            _ => Ok(()),
        }
    }

    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd) {
        let stream = &mut self.stream;
        drive(source, into, |input, into| {
            // Stretches begin at the same bytes however much is requested at a time.
            let most = (STRETCH - stream.total_in() % STRETCH) as usize;
            let input = &input[..input.len().min(most)];
            let action = if input.is_empty() {
                Action::Finish
            } else {
                Action::Run
            };
            let before = stream.total_out();
            let (consumed, end) = match stream.process(input, into, action) {
                Ok(result) => {
                    let is_end = result.status == Status::StreamEnd;
                    (result.bytes_consumed as u64, is_end.then_some(Ok(())))
                }
                Err(error) => (0, Some(Err(fault(error.kind())))),
            };
            // An error does not report the bytes before it; the total output does.
            (consumed, stream.total_out() - before, end)
        })
    }
}
