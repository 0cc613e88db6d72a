//! xz streams (the .xz file format 1.2).

use std::io::{BufRead, ErrorKind};

use lzma_rust2::{Action, Status, XzStream};

use super::source::CompressedSource;
use super::{DecodeStep, Decoder, DecompressFault, WINDOW};

/// Memory for a decoder in KiB: a dictionary of [`WINDOW`] bytes, and tables and buffers.
const MEMORY: u32 = (WINDOW >> 10) as u32 + 1024;
/// Bytes that are decoded at a time. What a stretch holds before damage is lost, because a decoder that
/// fails keeps its output.
const STRETCH: u64 = 64;

/// Decompresses one stream after another.
pub(super) struct Xz {
    stream: XzStream,
}

impl Xz {
    pub(super) fn new() -> Self {
        Xz {
            stream: open_stream(),
        }
    }
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

impl Decoder for Xz {
    fn begin(&mut self, source: &mut CompressedSource) -> Result<(), DecompressFault> {
        self.stream = open_stream();
        // Behind the stream header stand the size of the block header, not 0, and its flags, whose
        // lowest bits are the number of filters less one. The decoder takes one before LZMA2.
        match source.peek(14).first_chunk::<14>() {
            Some(&[.., size, flags]) if size != 0 && flags & 3 > 1 => {
                Err(DecompressFault::Unsupported)
            }
            _ => Ok(()),
        }
    }

    fn decompress(
        &mut self,
        source: &mut CompressedSource,
        into: &mut [u8],
    ) -> (usize, DecodeStep) {
        loop {
            // Stretches begin at the same bytes however much is asked for at a time.
            let most = (STRETCH - self.stream.total_in() % STRETCH) as usize;
            let input = source.available();
            let input = &input[..input.len().min(most)];
            let action = match input.is_empty() {
                true => Action::Finish,
                false => Action::Run,
            };
            let before = self.stream.total_out();
            let result = self.stream.process(input, into, action);
            // An error does not say what came before it; the count of all output does.
            let produced = (self.stream.total_out() - before) as usize;
            match result {
                Ok(result) => {
                    source.consume(result.bytes_consumed);
                    if result.status == Status::StreamEnd {
                        return (produced, DecodeStep::Ended);
                    }
                    if produced > 0 {
                        return (produced, DecodeStep::More);
                    }
                    if result.bytes_consumed == 0 {
                        let fault = match action {
                            Action::Finish => DecompressFault::Truncated,
                            Action::Run => DecompressFault::Corrupt,
                        };
                        return (0, DecodeStep::Failed(fault));
                    }
                }
                Err(error) => return (produced, DecodeStep::Failed(fault(error.kind()))),
            }
        }
    }
}
