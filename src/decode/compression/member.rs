//! Compressed input, and the contract of the decoders of its members.

use std::io::{self, BufRead, Read};

/// The longest zstd window or xz dictionary, in bytes: the limit of the zstd command by default, and
/// twice what `xz -9` writes.
pub(super) const WINDOW: u64 = 128 << 20;

/// Decodes the members of one codec, one after the other.
pub(super) trait MemberDecoder {
    /// Reads the header of a member.
    ///
    /// # Errors
    ///
    /// When nothing of the member can be decoded.
    fn begin(&mut self, source: &mut CompressedSource) -> Result<(), DecompressFault>;

    /// Decompresses the next bytes of the member into a buffer that is not empty. Returns how many
    /// there are, also before damage, and what follows them. Before [`DecodeStep::More`] there is at
    /// least one.
    fn decompress(&mut self, source: &mut CompressedSource, into: &mut [u8])
    -> (usize, DecodeStep);
}

/// The position behind the bytes that have been decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecodeStep {
    /// Inside the member.
    More,
    /// At the end of the member, behind which nothing has been consumed.
    Ended,
    /// At damage.
    Failed(DecompressFault),
}

/// Calls the decoder of a library until it produces bytes, ends or fails.
///
/// A call gets the buffered input, which is empty at the end. It returns how many bytes it consumed and
/// produced, and what follows them.
pub(super) fn drive(
    source: &mut CompressedSource,
    into: &mut [u8],
    mut call: impl FnMut(&[u8], &mut [u8]) -> (usize, usize, DecodeStep),
) -> (usize, DecodeStep) {
    loop {
        let input = source.available();
        let at_end = input.is_empty();
        let (consumed, produced, step) = call(input, into);
        source.consume(consumed);
        if step != DecodeStep::More || produced > 0 {
            return (produced, step);
        }
        if at_end {
            return (0, DecodeStep::Failed(DecompressFault::Truncated));
        }
        if consumed == 0 {
            return (0, DecodeStep::Failed(DecompressFault::Corrupt));
        }
    }
}

/// Why compressed data is not decoded to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecompressFault {
    /// The input ends within a member.
    Truncated,
    /// A member is malformed, or does not match its checksum or length.
    Corrupt,
    /// A member needs a window of more than 128 MiB.
    Memory,
    /// A member needs a dictionary, or a feature that is reserved.
    Unsupported,
    /// Something else follows the members.
    TrailingGarbage,
    /// Something else follows gzip members, which is common and harmless.
    GzipTrailingGarbage,
    /// The output is too long for the input.
    RatioLimit,
    /// Compressed data nests deeper than the limit.
    DepthLimit,
}

/// The number of bytes that are read at a time.
pub(super) const BUFFER: usize = 64 << 10;

/// Compressed input, buffered, so that a decoder leaves the bytes behind its member unread.
pub(super) struct CompressedSource {
    reader: Box<dyn Read>,
    buffer: Vec<u8>,
    /// The range of `buffer` that is not consumed.
    at: usize,
    end: usize,
    /// Bytes consumed so far.
    pub(super) consumed: u64,
    ended: bool,
    /// The error that ended the input; decoders replace it by errors of their own.
    pub(super) error: Option<io::ErrorKind>,
}

impl CompressedSource {
    pub(super) fn new(reader: Box<dyn Read>) -> Self {
        CompressedSource {
            reader,
            buffer: vec![0; BUFFER],
            at: 0,
            end: 0,
            consumed: 0,
            ended: false,
            error: None,
        }
    }

    /// Returns the next bytes without consuming them: `most` of them, fewer only at the end.
    pub(super) fn peek(&mut self, most: usize) -> &[u8] {
        if self.end - self.at < most && !self.ended {
            self.buffer.copy_within(self.at..self.end, 0);
            self.end -= self.at;
            self.at = 0;
            while self.end < most && !self.ended {
                // The error is kept.
                let _ = self.read_more();
            }
        }
        &self.buffer[self.at..self.end.min(self.at + most)]
    }

    /// Returns the next `N` bytes without consuming them.
    pub(super) fn peek_array<const N: usize>(&mut self) -> Result<[u8; N], DecompressFault> {
        let bytes = self.peek(N).first_chunk();
        bytes.copied().ok_or(DecompressFault::Truncated)
    }

    /// Consumes `n` bytes or all that are left; returns how many those were.
    pub(super) fn skip(&mut self, n: u64) -> u64 {
        let mut left = n;
        while left > 0 {
            let available = self.available().len();
            if available == 0 {
                break;
            }
            let step = available.min(usize::try_from(left).unwrap_or(usize::MAX));
            self.consume(step);
            left -= step as u64;
        }
        n - left
    }

    /// Returns the bytes that are buffered, and reads when there are none: empty at the end, and after
    /// an error, which is kept.
    pub(super) fn available(&mut self) -> &[u8] {
        self.fill_buf().unwrap_or_default()
    }

    /// Appends the next `n` bytes to `into`, fewer at the end and after an error, which is kept.
    pub(super) fn read_up_to(&mut self, n: usize, into: &mut Vec<u8>) {
        let _ = Read::take(self, n as u64).read_to_end(into);
    }

    fn read_more(&mut self) -> io::Result<()> {
        match self.reader.read(&mut self.buffer[self.end..]) {
            Ok(n) => {
                self.end += n;
                self.ended = n == 0;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => {
                self.ended = true;
                self.error = Some(error.kind());
                Err(error)
            }
        }
    }
}

impl BufRead for CompressedSource {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.end && !self.ended {
            (self.at, self.end) = (0, 0);
            self.read_more()?;
        }
        Ok(&self.buffer[self.at..self.end])
    }

    fn consume(&mut self, n: usize) {
        self.at += n;
        self.consumed += n as u64;
    }
}

impl Read for CompressedSource {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(into)?;
        self.consume(n);
        Ok(n)
    }
}
