//! The classes of the bytes of a reference, found in one pass. They determine whether a value
//! needs decoding, may hold a placeholder of a template, and may be copied by a resolver.

use crate::bytes::simd::{Block, LENGTH};

/// The classes of the bytes of a reference after its leading `./` and `../`, joined; by default unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteClasses(u8);

impl ByteClasses {
    /// A byte that may have to be rewritten, or a dot after a slash.
    const SUSPECT: u8 = 1;
    const COLON: u8 = 2;
    const AMPERSAND: u8 = 4;
    const KNOWN: u8 = 8;
    const AT: u8 = 16;

    /// Classifies the bytes of a reference.
    #[must_use]
    #[inline]
    pub fn of(reference: &[u8]) -> Self {
        let mut rest = reference;
        while let [b'.', b'/', after @ ..] | [b'.', b'.', b'/', after @ ..] = rest {
            rest = after;
        }
        let ([first, after @ ..], [before @ .., _]) = (rest, rest) else {
            return ByteClasses(Self::KNOWN);
        };
        // The first byte has none before it.
        let mut found = MarkedPairs::default();
        if after.len() >= LENGTH {
            let last = after.len() - LENGTH;
            // Always three pairs for up to 48 bytes: the same bytes twice cost less than a
            // mispredicted branch.
            found.add(before, after, 0);
            found.add(before, after, last.min(LENGTH));
            found.add(before, after, last);
            for at in (2 * LENGTH..last).step_by(LENGTH) {
                found.add(before, after, at);
            }
        } else {
            found.add(&padded(before), &padded(after), 0);
        }
        ByteClasses(found.classes() | FIRST[usize::from(*first)] | Self::KNOWN)
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
    pub(crate) fn has_colon(self) -> bool {
        self.0 & Self::COLON != 0
    }

    #[inline]
    pub(crate) fn has_at(self) -> bool {
        self.0 & Self::AT != 0
    }

    /// Whether the bytes are known to be ASCII without controls, blanks, `&`, and delimiters such as
    /// braces and angle brackets.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.0 & (Self::KNOWN | Self::SUSPECT | Self::AMPERSAND) == Self::KNOWN
    }
}

/// The classes of every byte with none before it.
static FIRST: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = classes_of(byte as u8, 0);
        byte += 1;
    }
    classes
};

/// Returns the classes of one byte, given the one before it.
const fn classes_of(byte: u8, before: u8) -> u8 {
    match byte {
        b'.' if before == b'/' => ByteClasses::SUSPECT,
        0..=b' ' | b'{'.. => ByteClasses::SUSPECT,
        b'"' | b'%' | b'\'' | b'<' | b'>' | b'\\' | b'^' | b'`' => ByteClasses::SUSPECT,
        b':' => ByteClasses::COLON,
        b'&' => ByteClasses::AMPERSAND,
        b'@' => ByteClasses::AT,
        _ => 0,
    }
}

/// Returns fewer than sixteen bytes, filled up with bytes that have no class.
#[inline]
fn padded(bytes: &[u8]) -> [u8; LENGTH] {
    let mut block = [b'a'; LENGTH];
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        block[..8].copy_from_slice(first);
        block[8..].copy_from_slice(last);
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        block[..4].copy_from_slice(first);
        block[4..8].copy_from_slice(last);
    } else {
        for (to, from) in block.iter_mut().zip(bytes) {
            *to = *from;
        }
    }
    block
}

/// Marks of pairs of bytes, joined.
#[derive(Clone, Copy, Default)]
struct MarkedPairs {
    suspect: Block,
    colon: Block,
    ampersand: Block,
    at: Block,
}

impl MarkedPairs {
    /// Adds the sixteen pairs at an index; none where the bytes end before.
    #[inline(always)]
    fn add(&mut self, before: &[u8], after: &[u8], at: usize) {
        let pair = (
            before.get(at..).and_then(<[u8]>::first_chunk),
            after.get(at..).and_then(<[u8]>::first_chunk),
        );
        let (Some(before), Some(after)) = pair else {
            return;
        };
        let (before, block) = (Block::new(before), Block::new(after));
        // One comparison for two bytes that differ in one bit.
        let joined = block.with(2);
        self.suspect |= block.outside(b' ' + 1, b'z')
            | block.marks(b'.') & before.marks(b'/')
            | block.marks(b'"')
            | joined.marks(b'\'')
            | joined.marks(b'>')
            | joined.marks(b'^')
            | block.marks(b'`');
        self.colon |= block.marks(b':');
        self.ampersand |= block.marks(b'&');
        self.at |= block.marks(b'@');
    }

    #[inline(always)]
    fn classes(self) -> u8 {
        let classes = [
            (self.suspect, ByteClasses::SUSPECT),
            (self.colon, ByteClasses::COLON),
            (self.ampersand, ByteClasses::AMPERSAND),
            (self.at, ByteClasses::AT),
        ];
        let of = |(marks, class): (Block, u8)| class * u8::from(marks.bits() != 0);
        classes.into_iter().fold(0, |all, each| all | of(each))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/uri/byte_classes.rs"]
mod tests;
