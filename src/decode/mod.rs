//! Layer 2: decoders from bytes to bytes, below all formats.
//!
//! | module | decodes | selected by |
//! | --- | --- | --- |
//! | [`charset`] | character encodings, to UTF-8 | label, byte order mark, or the first bytes |
//! | `transfer` | quoted-printable and base64 (RFC 2045 section 6) | the name of the encoding |
//! | [`compression`] | gzip, zstd, bzip2, xz, compress | the first bytes |
//!
//! Charsets and transfer encodings implement `Decode`: input is pushed in pieces of any size. Compressed
//! data is read instead ([`compression::Decompressed`] is a [`Read`](std::io::Read)): a few bytes of
//! input can stand for gigabytes, so the consumer sets the pace.

pub(crate) mod charset;
#[cfg(feature = "compression")]
pub mod compression;
pub(crate) mod offset_map;
pub(crate) mod transfer;

/// A lenient decoder: malformed input is replaced, kept or left out, and counted. Output and offsets do not
/// depend on how the input is cut.
pub(crate) trait Decode: Sized {
    /// Decodes `input` onto the end of `out`, and records where the bytes came from.
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>, offsets: &mut impl RecordOffsets);

    /// Ends the input: decodes the pending bytes.
    fn finish(&mut self, out: &mut Vec<u8>, offsets: &mut impl RecordOffsets);

    /// Decodes a whole text.
    fn whole(mut self, input: &[u8], out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        self.push(input, out, offsets);
        self.finish(out, offsets);
    }

    /// Malformed sequences of the input so far.
    fn faults(&self) -> u64;
}

/// Records which bytes of the source each derived byte comes from, in order.
pub(crate) trait RecordOffsets {
    /// `count` units in a row of `derived` bytes each, which come from `source` bytes each.
    fn units(&mut self, count: usize, derived: usize, source: usize);

    /// `n` bytes of the source, from which nothing is derived.
    fn skip(&mut self, n: usize);

    /// `n` bytes that stay as they are.
    #[inline]
    fn copy(&mut self, n: usize) {
        self.units(n, 1, 1);
    }

    /// `derived` bytes that come from `source` bytes as a whole, such as a character.
    #[inline]
    fn put(&mut self, derived: usize, source: usize) {
        self.units(1, derived, source);
    }
}

impl RecordOffsets for () {
    #[inline]
    fn units(&mut self, _count: usize, _derived: usize, _source: usize) {}

    #[inline]
    fn skip(&mut self, _n: usize) {}
}
