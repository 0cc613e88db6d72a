//! A compression format, and the search for its members.

use std::io::BufRead;

use super::member::{DecompressFault, MemberDecoder};
use crate::bytes::buffered::BufferedSource;

/// The least cost of looking at a place where a member may begin, in bytes.
const TRIAL: u64 = 64;
/// The number of bytes that are searched at a time for a member after damage.
const SEARCHED: usize = 64 << 10;
/// The number of bytes of a member for a trial, where blocks need not be whole.
pub(super) const PROBED: usize = 4 << 10;
/// The number of first bytes that identify a codec.
pub(super) const HEAD: usize = 16;

/// A compression format.
pub struct Codec {
    /// The extension of file names, without the dot; may be empty.
    pub extension: &'static str,
    pub(super) starts: fn(&[u8]) -> bool,
    pub(super) magic: &'static [u8],
    /// The number of first bytes of a member that are decompressed as a trial.
    pub(super) probed: usize,
    pub(crate) decoder: fn() -> Box<dyn MemberDecoder>,
    /// Whether several members may be decompressed at a time: each without those before it, in little memory.
    pub(super) is_parallel: bool,
    /// Returns the fault of a number of zeros after a member.
    pub(super) padding: fn(u64) -> Option<DecompressFault>,
}

impl Codec {
    /// Goes to the next place where the first bytes of a member decompress; returns whether it is found. Before each
    /// step `goes_on` gets the place, and the number of bytes that were decompressed in vain since the step before.
    pub(super) fn find_member(
        &self,
        source: &mut BufferedSource,
        decoder: &mut dyn MemberDecoder,
        mut goes_on: impl FnMut(u64, u64) -> bool,
    ) -> bool {
        let mut in_vain = 0;
        while goes_on(source.consumed, std::mem::take(&mut in_vain)) {
            let bytes = source.peek(SEARCHED);
            let Some(at) = memchr::memmem::find(bytes, self.magic) else {
                let length = bytes.len();
                if length < self.magic.len() {
                    return false;
                }
                source.consume(length + 1 - self.magic.len());
                continue;
            };
            source.consume(at);
            let member = source.peek(self.probed);
            if (self.starts)(member) {
                let (is_good, tried) = decompresses(decoder, member);
                if is_good {
                    return true;
                }
                in_vain = tried.max(TRIAL);
            }
            source.consume(1);
        }
        false
    }
}

/// Returns whether a member decompresses, as far as its first bytes are given, and their number.
fn decompresses(decoder: &mut dyn MemberDecoder, member: &[u8]) -> (bool, u64) {
    let mut source = BufferedSource::over(member.to_vec());
    let (mut content, mut length) = ([0; 512], 0);
    let mut end = decoder.begin(&mut source).err().map(Err);
    while end.is_none() && length < PROBED {
        let n;
        (n, end) = decoder.decompress(&mut source, &mut content);
        length += n;
    }
    let is_good = matches!(end, None | Some(Ok(()) | Err(DecompressFault::Truncated)));
    (is_good, source.consumed)
}
