//! The percent-encode sets and percent-encoding after encoding, WHATWG URL section 1.3.

use encoding_rs::{EncoderResult, Encoding, UTF_8};

use crate::bytes::class::ByteSet;
use crate::uri::percent::encode;

/// The C0 control percent-encode set.
pub(super) const CONTROL: ByteSet = ByteSet::EMPTY.with_range(0, 0x1F).with_range(0x7F, 0xFF);
/// The fragment percent-encode set.
pub(super) const FRAGMENT: ByteSet = CONTROL.with(b" \"<>`");
/// The query percent-encode set.
pub(super) const QUERY: ByteSet = CONTROL.with(b" \"#<>");
/// The special-query percent-encode set.
pub(super) const SPECIAL_QUERY: ByteSet = QUERY.with(b"'");
/// The path percent-encode set.
pub(super) const PATH: ByteSet = QUERY.with(b"?^`{}");
/// The userinfo percent-encode set.
pub(super) const USERINFO: ByteSet = PATH.with(b"/:;=@[\\]|");

/// Appends text in another encoding, then the members of `set` as triplets; what the encoding lacks becomes an
/// encoded numeric character reference ("percent-encode after encoding").
pub(super) fn encode_in(encoding: &'static Encoding, text: &str, set: &ByteSet, out: &mut Vec<u8>) {
    if encoding == UTF_8 || text.is_ascii() && encoding.is_ascii_compatible() {
        return encode(text.as_bytes(), set, out);
    }
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    let mut encoded = [0; 1024];
    loop {
        let (result, read, written) =
            encoder.encode_from_utf8_without_replacement(rest, &mut encoded, true);
        encode(&encoded[..written], set, out);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                out.extend_from_slice(format!("%26%23{}%3B", u32::from(character)).as_bytes());
            }
        }
    }
}
