//! The contract of the decoders of compressed members.

use std::io::BufRead;

use crate::bytes::buffered::BufferedSource;

/// The longest zstd window or xz dictionary, in bytes: the default of zstd, and twice what `xz -9` writes.
pub(super) const WINDOW: u64 = 128 << 20;

pub(crate) trait MemberDecoder: Send {
    /// Reads the header of a member; fails if nothing of the member can be decoded.
    fn begin(&mut self, source: &mut BufferedSource) -> Result<(), DecompressFault>;

    /// Decompresses the next bytes of the member, at least one, or ends it: nothing after it has been consumed.
    /// Bytes may precede damage; `into` is not empty.
    fn decompress(&mut self, source: &mut BufferedSource, into: &mut [u8]) -> (usize, MemberEnd);
}

/// The end of a member, or the damage that ends it; `None` inside the member.
pub(crate) type MemberEnd = Option<Result<(), DecompressFault>>;

/// Calls the decoder of a library until it produces bytes, ends or fails. A call gets the buffered input, empty
/// at the end, and returns the number of bytes consumed and produced, and the end of the member.
pub(super) fn drive(
    source: &mut BufferedSource,
    into: &mut [u8],
    mut call: impl FnMut(&[u8], &mut [u8]) -> (u64, u64, MemberEnd),
) -> (usize, MemberEnd) {
    loop {
        let input = source.available();
        let at_end = input.is_empty();
        let (consumed, produced, end) = call(input, into);
        source.consume(consumed as usize);
        if end.is_some() || produced > 0 {
            return (produced as usize, end);
        }
        if at_end {
            return (0, Some(Err(DecompressFault::Truncated)));
        }
        if consumed == 0 {
            return (0, Some(Err(DecompressFault::Corrupt)));
        }
    }
}

/// Returns whether a skippable frame starts with these bytes (RFC 8878 section 3.1.2).
pub(super) fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Skips the frame that starts here, if it is skippable; returns whether it is.
pub(super) fn skip_frame(source: &mut BufferedSource) -> Result<bool, DecompressFault> {
    if !is_skippable(source.peek(4)) {
        return Ok(false);
    }
    let header = source.peek_array().ok_or(DecompressFault::Truncated)?;
    let [_, _, _, _, length @ ..]: [u8; SKIPPABLE_HEADER] = header;
    let whole = SKIPPABLE_HEADER as u64 + u64::from(u32::from_le_bytes(length));
    let is_whole = source.skip(whole) == whole;
    is_whole.then_some(true).ok_or(DecompressFault::Truncated)
}

/// Length of the header of a skippable frame, in bytes.
pub(super) const SKIPPABLE_HEADER: usize = 8;

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
