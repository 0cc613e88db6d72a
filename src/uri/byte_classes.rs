//! The classes of the bytes of a reference, found in one pass. They determine whether a value
//! needs decoding, may hold a placeholder of a template, and may be copied by a resolver.

use crate::bytes::simd::avx2::{Avx2, NibbleSet};

/// The classes of the bytes of a reference after its leading `./` and `../`, joined; by default unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteClasses(u8);

impl ByteClasses {
    /// A byte that may have to be rewritten, or a dot after a slash.
    const SUSPECT: u8 = 1;
    const KNOWN: u8 = 2;
    const COLON: u8 = 16;
    const AMPERSAND: u8 = 32;
    const AT: u8 = 64;
    const BRACKET: u8 = 128;

    /// Classifies the bytes of a reference.
    #[must_use]
    #[inline]
    pub fn of(reference: &[u8]) -> Self {
        let mut rest = reference;
        while let [b'.', b'/', after @ ..] | [b'.', b'.', b'/', after @ ..] = rest {
            rest = after;
        }
        let Some(avx2) = Avx2::new() else {
            return ByteClasses(classes_of(rest));
        };
        let (sets, is_odd) = avx2.sets_of(rest, &SETS);
        let suspect = Self::SUSPECT * u8::from(is_odd || sets & SUSPECT_SETS != 0);
        ByteClasses(sets & !SUSPECT_SETS | suspect | Self::KNOWN)
    }

    #[inline]
    pub(crate) fn is_known(self) -> bool {
        self.0 != 0
    }

    /// Whether some rules may rewrite a byte or remove a segment.
    #[inline]
    pub(crate) fn has_suspect(self) -> bool {
        self.0 & Self::SUSPECT != 0
    }

    #[inline]
    pub(crate) fn may_have_colon(self) -> bool {
        self.0 & (Self::COLON | Self::KNOWN) != Self::KNOWN
    }

    #[inline]
    pub(crate) fn has_at(self) -> bool {
        self.0 & Self::AT != 0
    }

    /// Whether some rules may rewrite a byte, or one is `[` or `]`.
    #[inline]
    pub(crate) fn has_suspect_or_bracket(self) -> bool {
        self.0 & (Self::SUSPECT | Self::BRACKET) != 0
    }

    /// Whether the bytes are known to be ASCII without controls, blanks, `&`, and delimiters such as
    /// braces and angle brackets.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.0 & (Self::KNOWN | Self::SUSPECT | Self::AMPERSAND) == Self::KNOWN
    }
}

/// The suspect bytes above the blank, in four sets, and the bytes of each other class.
static SETS: NibbleSet = NibbleSet::of_each([
    b"\"%'",
    b"<>\\^",
    b"`",
    b"{|}~\x7F",
    b":",
    b"&",
    b"@",
    b"[]",
]);
const SUSPECT_SETS: u8 = 0b1111;

/// Returns the classes of bytes, one by one.
fn classes_of(bytes: &[u8]) -> u8 {
    let mut before = 0;
    bytes.iter().fold(ByteClasses::KNOWN, |classes, &byte| {
        let is_hidden = std::mem::replace(&mut before, byte) == b'/' && byte == b'.';
        classes
            | match byte {
                _ if is_hidden => ByteClasses::SUSPECT,
                0..=b' ' | b'{'.. => ByteClasses::SUSPECT,
                b'"' | b'%' | b'\'' | b'<' | b'>' | b'\\' | b'^' | b'`' => ByteClasses::SUSPECT,
                b':' => ByteClasses::COLON,
                b'&' => ByteClasses::AMPERSAND,
                b'@' => ByteClasses::AT,
                b'[' | b']' => ByteClasses::BRACKET,
                _ => 0,
            }
    })
}

#[cfg(test)]
#[path = "../../tests/unit/uri/byte_classes.rs"]
mod tests;
