//! The least and the greatest value of a page and of a column, by which readers leave pages out.

use std::cmp::Ordering;

use super::encodings::shared_prefix;

/// The bytes that a bound has at most, but where it cannot be cut. Longer ones are no longer exact.
const CUT: usize = 64;

/// A value of a column that is a bound. Bounds of a column are of one kind.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(super) enum Bound {
    Number(i64),
    String(Vec<u8>),
}

/// The least and the greatest value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValueBounds {
    pub(super) least: Bound,
    pub(super) greatest: Bound,
}

impl ValueBounds {
    /// Makes the bounds those of more values.
    pub(super) fn widen(&mut self, other: &ValueBounds) {
        if other.least < self.least {
            self.least = other.least.clone();
        }
        if other.greatest > self.greatest {
            self.greatest = other.greatest.clone();
        }
    }
}

/// The bounds of strings, each of which has some first bytes of the one before.
///
/// The bytes that two strings share tell most of the order: one that differs from the last one behind the
/// byte in which that differs from a bound is on the same side of it.
#[derive(Debug, Default)]
pub(super) struct StringBounds {
    least: Side,
    greatest: Side,
    /// Whether there is a string.
    has_any: bool,
}

#[derive(Debug, Default)]
struct Side {
    bound: Vec<u8>,
    /// How many first bytes the last string shares with the bound.
    shared: usize,
}

impl Side {
    /// Makes a string the bound if it is on its other side, which `beyond` tells. `shared` is what it
    /// shares with the last string, `order` how it compares with that.
    #[inline(always)]
    fn push(&mut self, string: &[u8], shared: usize, order: Ordering, beyond: Ordering) {
        let is_beyond = match shared.cmp(&self.shared) {
            Ordering::Greater => return,
            // The last string is, in the byte that differs, the same as the bound.
            Ordering::Less => {
                self.shared = shared;
                order == beyond
            }
            Ordering::Equal => {
                let (rest, bound) = (&string[shared..], &self.bound[shared..]);
                let more = shared_prefix(rest, bound);
                self.shared += more;
                rest.get(more).cmp(&bound.get(more)) == beyond
            }
        };
        if is_beyond {
            self.bound.clear();
            self.bound.extend_from_slice(string);
            self.shared = string.len();
        }
    }
}

impl StringBounds {
    /// Adds a string that shares so many first bytes with the last one, which is not asked for the first.
    #[inline(always)]
    pub(super) fn push(&mut self, string: &[u8], last: &[u8], shared: usize) {
        if !self.has_any {
            self.has_any = true;
            for side in [&mut self.least, &mut self.greatest] {
                side.bound.clear();
                side.bound.extend_from_slice(string);
                side.shared = string.len();
            }
            return;
        }
        let order = string.get(shared).cmp(&last.get(shared));
        self.least.push(string, shared, order, Ordering::Less);
        self.greatest.push(string, shared, order, Ordering::Greater);
    }

    /// Returns the bounds, if there is a string, and removes the strings.
    pub(super) fn finish(&mut self) -> Option<ValueBounds> {
        std::mem::take(&mut self.has_any).then(|| ValueBounds {
            least: Bound::String(self.least.bound.clone()),
            greatest: Bound::String(self.greatest.bound.clone()),
        })
    }
}

/// Returns a string that is not greater than a bound, and whether it is the bound.
pub(super) fn cut_least(bound: &[u8], is_text: bool) -> (Vec<u8>, bool) {
    let cut = match bound.get(..CUT) {
        Some(cut) if bound.len() > CUT => cut,
        _ => return (bound.to_vec(), true),
    };
    let cut = match is_text {
        true => whole_characters(cut),
        false => cut,
    };
    (cut.to_vec(), false)
}

/// Returns a string that is not less than a bound, and whether it is the bound.
pub(super) fn cut_greatest(bound: &[u8], is_text: bool) -> (Vec<u8>, bool) {
    if bound.len() > CUT {
        let (cut, _) = cut_least(bound, is_text);
        let next = match is_text {
            true => next_text(cut),
            false => next_bytes(cut),
        };
        if let Some(next) = next {
            return (next, false);
        }
    }
    (bound.to_vec(), true)
}

/// Returns the beginning of a text up to its last whole character.
fn whole_characters(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Ok(_) => text,
        Err(error) => &text[..error.valid_up_to()],
    }
}

/// Returns the least string of no more bytes that is greater than all that begin with one.
fn next_bytes(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = bytes.pop() {
        if let Some(next) = last.checked_add(1) {
            bytes.push(next);
            return Some(bytes);
        }
    }
    None
}

/// Returns a text that is greater than all that begin with one: its last character is the next one of as
/// many bytes.
fn next_text(text: Vec<u8>) -> Option<Vec<u8>> {
    let mut text = String::from_utf8(text).ok()?;
    while let Some(last) = text.pop() {
        let next = char::from_u32(u32::from(last) + 1);
        if let Some(next) = next.filter(|next| next.len_utf8() == last.len_utf8()) {
            text.push(next);
            return Some(text.into_bytes());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_strings_compared_one_by_one() {
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut bounds = StringBounds::default();
        for turn in 0..2000 {
            let letters = 1 + turn % 3;
            let mut strings: Vec<Vec<u8>> = Vec::new();
            for _ in 0..next(12) {
                let mut string = match strings.last() {
                    Some(last) if next(2) > 0 => {
                        last[..next(last.len() as u64 + 1) as usize].to_vec()
                    }
                    _ => Vec::new(),
                };
                string.extend((0..next(20)).map(|_| b'a' + next(letters) as u8));
                strings.push(string);
            }
            let mut last: &[u8] = b"";
            for string in &strings {
                bounds.push(string, last, shared_prefix(string, last));
                last = string;
            }
            let found = bounds.finish();
            let string = |string: Option<&Vec<u8>>| string.cloned().map(Bound::String);
            let expected = (string(strings.iter().min()), string(strings.iter().max()));
            let found = found.map(|bounds| (bounds.least, bounds.greatest)).unzip();
            assert_eq!(found, expected, "{strings:?}");
        }
    }

    #[test]
    fn long_bounds_are_cut_to_what_still_bounds() {
        for (text, least, greatest) in [
            ("x".repeat(64), "x".repeat(64), "x".repeat(64)),
            ("x".repeat(65), "x".repeat(64), "x".repeat(63) + "y"),
            ("ä".repeat(40), "ä".repeat(32), "ä".repeat(31) + "å"),
            (
                "x".to_owned() + &"ä".repeat(40),
                "x".to_owned() + &"ä".repeat(31),
                "x".to_owned() + &"ä".repeat(30) + "å",
            ),
            (
                "\u{7f}".repeat(70),
                "\u{7f}".repeat(64),
                "\u{7f}".repeat(70),
            ),
            (
                "x".to_owned() + &"\u{7f}".repeat(70),
                "x".to_owned() + &"\u{7f}".repeat(63),
                "y".to_owned(),
            ),
        ] {
            assert_eq!(
                cut_least(text.as_bytes(), true).0,
                least.as_bytes(),
                "{text}"
            );
            assert_eq!(
                cut_greatest(text.as_bytes(), true).0,
                greatest.as_bytes(),
                "{text}"
            );
            assert_eq!(cut_least(text.as_bytes(), true).1, least == text);
            assert_eq!(cut_greatest(text.as_bytes(), true).1, greatest == text);
        }
        let bytes = [&[7; 63][..], &[0xff; 10]].concat();
        assert_eq!(cut_least(&bytes, false), (bytes[..64].to_vec(), false));
        assert_eq!(
            cut_greatest(&bytes, false),
            ([&[7; 62][..], &[8]].concat(), false)
        );
        assert_eq!(cut_greatest(&[0xff; 70], false), (vec![0xff; 70], true));
    }
}
