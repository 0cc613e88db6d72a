//! The contract of the decoders of compressed members.

use std::io::BufRead;

use crate::bytes::buffered::BufferedSource;

/// The longest zstd window or xz dictionary, in bytes: the limit of the zstd command by default, and
/// twice what `xz -9` writes.
pub(super) const WINDOW: u64 = 128 << 20;

/// Decodes the members of one codec, one after the other.
pub(super) trait MemberDecoder: Send {
    /// Reads the header of a member.
    ///
    /// # Errors
    ///
    /// When nothing of the member can be decoded.
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault>;

    /// Decompresses the next bytes of the member into a buffer that is not empty. Returns how many
    /// there are, also before damage, and what follows them. Before [`DecodeStep::More`] there is at
    /// least one.
    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, DecodeStep);
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
    source: &mut BufferedSource,
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
    /// Something else follows a member.
    TrailingGarbage,
    /// Zeros follow a gzip member, which is common and harmless.
    Padding,
    /// The output is too long for the input.
    RatioLimit,
    /// Compressed data nests deeper than the limit.
    DepthLimit,
}
