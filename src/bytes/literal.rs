//! Searches for a short literal that is rare where it is sought, and sought in everything.
//!
//! With AVX2, 128 positions are tested at once for two bytes of the literal at their distance, in half
//! the instructions of a general search; elsewhere `memchr` finds the first byte.

use memchr::memchr2_iter;

use super::simd::avx2::Avx2;

/// A literal of ASCII bytes.
#[derive(Debug)]
pub(crate) struct Literal {
    bytes: &'static [u8],
    /// The index of the byte that is sought beside the first one.
    second: usize,
    ignores_case: bool,
}

impl Literal {
    /// Makes the literal of these bytes; the first one and that at `second` are to be rare together.
    pub(crate) const fn new(bytes: &'static [u8], second: usize) -> Self {
        assert!(second < bytes.len(), "the literal has the byte");
        Literal {
            bytes,
            second,
            ignores_case: false,
        }
    }

    /// Makes a literal that matches in either case, given in lower case.
    pub(crate) const fn ignoring_case(bytes: &'static [u8], second: usize) -> Self {
        let literal = Literal::new(bytes, second);
        assert!(
            bytes[0] & 0x20 != 0 && bytes[second] & 0x20 != 0,
            "they have a lower case"
        );
        Literal {
            ignores_case: true,
            ..literal
        }
    }

    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let found = bytes.get(at..at + self.bytes.len());
        found.is_some_and(|found| match self.ignores_case {
            true => found.eq_ignore_ascii_case(self.bytes),
            false => found == self.bytes,
        })
    }

    /// Returns the index of the first one from an index on.
    pub(crate) fn find(&self, bytes: &[u8], mut from: usize) -> Option<usize> {
        if let Some(avx2) = Avx2::new() {
            let pair = (self.bytes[0], self.bytes[self.second], self.second);
            let accept = |at| self.is_at(bytes, at);
            let found = match self.ignores_case {
                true => avx2.find_pair::<true>(bytes, from, pair, accept),
                false => avx2.find_pair::<false>(bytes, from, pair, accept),
            };
            match found {
                Ok(at) => return Some(at),
                Err(until) => from = until,
            }
        }
        self.find_naive(bytes, from)
    }

    fn find_naive(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let other = self.bytes[0] ^ if self.ignores_case { 0x20 } else { 0 };
        let rest = bytes.get(from..)?;
        let rest = rest.get(..(rest.len() + 1).checked_sub(self.bytes.len())?)?;
        let mut first = memchr2_iter(self.bytes[0], other, rest).map(|at| from + at);
        first.find(|&at| self.is_at(bytes, at))
    }

    /// Returns the indices of all from an index on, which may overlap.
    pub(crate) fn find_iter<'a>(
        &'a self,
        bytes: &'a [u8],
        mut from: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        std::iter::from_fn(move || {
            let found = self.find(bytes, from)?;
            from = found + 1;
            Some(found)
        })
    }
}

#[cfg(test)]
#[path = "../../tests/unit/bytes/literal.rs"]
mod tests;
