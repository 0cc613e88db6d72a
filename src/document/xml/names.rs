//! Names: their bytes, and the facts about those of attributes.

use super::vocabulary::{self, XmlRows};
use crate::bytes::simd;
use crate::document::html::xml::MarkupAttribute;
use crate::document::{AnchorReporting, FormatOptions};

const STARTS: u8 = 1;
const CONTINUES: u8 = 2;

/// The class of each byte in a name; bytes beyond ASCII are taken to be right.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        if letter.is_ascii_alphabetic() || matches!(letter, b'_' | b':' | 0x80..) {
            class[byte] = STARTS | CONTINUES;
        } else if letter.is_ascii_digit() || matches!(letter, b'-' | b'.') {
            class[byte] = CONTINUES;
        }
        byte += 1;
    }
    class
};

/// Whether a byte may begin a name.
#[inline]
pub(super) fn starts_name(byte: u8) -> bool {
    CLASS[byte as usize] & STARTS != 0
}

#[inline]
pub(super) fn name_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && CLASS[bytes[at] as usize] & CONTINUES != 0 {
        at += 1;
    }
    at
}

/// Returns the prefix of a name and its local part.
pub(super) fn split_name(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().position(|&byte| byte == b':') {
        Some(colon) => (&name[..colon], &name[colon + 1..]),
        None => (b"", name),
    }
}

/// The values of an attribute that may be of use, in whatever vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttributeUse {
    /// None: no row and no rule names it.
    None,
    /// CSS, in which all functions that hold references have parentheses.
    Css,
    Any,
}

/// The facts about an attribute's name that do not depend on where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AttributeFacts {
    /// Whether the name has a prefix, or is `xmlns`.
    pub(super) has_prefix: bool,
    pub(super) use_of: AttributeUse,
    /// The rows of the name, in whatever namespace.
    pub(super) rows: XmlRows,
    /// The attribute of the table of HTML.
    pub(super) markup: MarkupAttribute,
}

/// The number of slots of a table of names.
const SLOTS: usize = 256;
/// The number of slots in which a name may be.
const PROBES: usize = 8;
/// Names up to this length are told by their codes.
const SHORT: usize = 16;

/// For each length the bytes of a short name, in a number of which the first byte is the lowest.
static MASKS: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut length = 1;
    while length <= SHORT {
        masks[length] = u128::MAX >> (128 - 8 * length);
        length += 1;
    }
    masks
};

/// Returns a number that tells the name `bytes[start..end]` from all others of its length if it is short;
/// longer ones of one length may have the same.
#[inline(always)]
pub(super) fn name_code(bytes: &[u8], start: usize, end: usize) -> u128 {
    let length = end - start;
    match bytes.get(start..).and_then(<[u8]>::first_chunk) {
        Some(chunk) if length <= SHORT => u128::from_le_bytes(*chunk) & MASKS[length],
        _ => rare_code(&bytes[start..end]),
    }
}

/// Returns the code of a name that is long, or near the end of the bytes.
#[inline(never)]
fn rare_code(name: &[u8]) -> u128 {
    if name.len() <= SHORT {
        return name
            .iter()
            .rev()
            .fold(0, |code, &byte| code << 8 | u128::from(byte));
    }
    let (mut words, last) = (name.chunks_exact(8), name.last_chunk::<8>());
    let last = last.map_or(0, |last| u64::from_le_bytes(*last));
    let mix = |code: u64, word: u64| {
        let code = (code ^ word).wrapping_mul(FACTOR);
        code ^ code >> 29
    };
    let mut code = mix(0, last);
    for word in &mut words {
        let word = word
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte));
        code = mix(code, word);
    }
    u128::from(code)
}

/// Mixes the bits of a code: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns the first slot in which a name may be.
#[inline(always)]
fn slot_of(code: u128) -> usize {
    let (low, high) = (code as u64, (code >> 64) as u64);
    let mixed = (low ^ high.rotate_left(29)).wrapping_mul(FACTOR);
    (mixed >> 56) as usize % SLOTS
}

/// A name in a document, of one byte or more.
#[derive(Clone, Copy)]
pub(super) struct NameAt<'a> {
    bytes: &'a [u8],
    start: usize,
    end: usize,
    code: u128,
}

impl<'a> NameAt<'a> {
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8], start: usize, end: usize) -> Self {
        NameAt {
            bytes,
            start,
            end,
            code: name_code(bytes, start, end),
        }
    }

    pub(super) fn as_bytes(&self) -> &'a [u8] {
        &self.bytes[self.start..self.end]
    }

    /// Returns the code and the length of the name.
    #[inline(always)]
    pub(super) fn code(&self) -> (u128, usize) {
        (self.code, self.end - self.start)
    }
}

/// A name in a table.
struct KnownName<T> {
    code: u128,
    length: usize,
    /// The name itself, if its code does not tell it.
    long: Vec<u8>,
    value: T,
}

impl<T> KnownName<T> {
    #[inline(always)]
    fn is(&self, name: &NameAt<'_>) -> bool {
        (self.code, self.length) == name.code()
            && (self.length <= SHORT || self.long == name.as_bytes())
    }
}

/// A table of names that were met, and facts about them.
pub(super) struct NameNumbers<T> {
    slots: Vec<Option<KnownName<T>>>,
}

impl<T> Default for NameNumbers<T> {
    fn default() -> Self {
        NameNumbers { slots: Vec::new() }
    }
}

impl<T> NameNumbers<T> {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
    }

    /// Returns the slot of a name, and the facts about it.
    #[inline(always)]
    pub(super) fn find(&self, name: &NameAt<'_>) -> Option<(usize, &T)> {
        let slot = slot_of(name.code);
        match self.slots.get(slot)? {
            Some(known) if known.is(name) => Some((slot, &known.value)),
            Some(_) => self.find_behind(name, slot),
            None => None,
        }
    }

    #[inline(never)]
    fn find_behind(&self, name: &NameAt<'_>, slot: usize) -> Option<(usize, &T)> {
        let slots = (slot..slot + PROBES).map(|slot| slot % SLOTS);
        let mut known = slots.map_while(|slot| Some((slot, self.slots[slot].as_ref()?)));
        let found = known.find(|(_, known)| known.is(name));
        found.map(|(slot, known)| (slot, &known.value))
    }

    /// Returns the facts in a slot.
    #[inline(always)]
    pub(super) fn get(&self, slot: usize) -> Option<&T> {
        Some(&self.slots.get(slot)?.as_ref()?.value)
    }

    /// Enters a name that the table lacks, or new facts about one that it has; returns the slot. None if
    /// other names have all its slots, the first of which it takes if it `replaces` them.
    pub(super) fn insert(&mut self, name: &NameAt<'_>, value: T, replaces: bool) -> Option<usize> {
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, || None);
        }
        let first = slot_of(name.code);
        let mut slots = (first..first + PROBES).map(|slot| slot % SLOTS);
        let is_for = |slot: &usize| match &self.slots[*slot] {
            Some(known) => known.is(name),
            None => true,
        };
        let slot = slots.find(is_for).or(replaces.then_some(first))?;
        let (code, length) = name.code();
        self.slots[slot] = Some(KnownName {
            code,
            length,
            long: match length {
                ..=SHORT => Vec::new(),
                _ => name.as_bytes().to_vec(),
            },
            value,
        });
        Some(slot)
    }
}

/// The names of attributes that were met, so that a name that comes again is neither checked nor looked
/// up byte by byte.
///
/// A name keeps its slot until all are forgotten, which is never in a tag: while a tag is read, the slot
/// tells the name.
#[derive(Default)]
pub(super) struct KnownAttributes {
    table: NameNumbers<AttributeFacts>,
    /// Whether a name found no slot.
    is_full: bool,
    /// The attribute whose elements are ignored.
    ignore: Option<String>,
    /// Whether identifiers are reported.
    anchors: bool,
}

/// The slots of the names of a tag.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SlotSet([u64; SLOTS / 64]);

impl SlotSet {
    /// Adds a slot; returns false if the set had it.
    #[inline(always)]
    pub(super) fn insert(&mut self, slot: usize) -> bool {
        let (word, bit) = (&mut self.0[slot / 64 % (SLOTS / 64)], 1 << (slot % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

impl KnownAttributes {
    pub(super) fn new(options: &FormatOptions) -> Self {
        KnownAttributes {
            ignore: options.html.ignore.clone(),
            anchors: options.anchors == AnchorReporting::Report,
            ..KnownAttributes::default()
        }
    }

    /// Returns the facts about a name.
    pub(super) fn facts(&self, name: &[u8]) -> AttributeFacts {
        let (prefix, local) = split_name(name);
        let is_declaration = prefix == b"xmlns" || name == b"xmlns";
        let markup = MarkupAttribute::new(name, self.ignore.as_deref());
        let is_used = match local {
            // A relationship of OOXML is one of another namespace.
            b"id" => self.anchors || local.len() < name.len(),
            _ => is_declaration || vocabulary::is_attribute(local),
        };
        AttributeFacts {
            has_prefix: local.len() < name.len() || is_declaration,
            use_of: match markup.has_rows() {
                _ if is_used || markup.ignores() => AttributeUse::Any,
                true if markup.is_css() => AttributeUse::Css,
                true if local != b"id" => AttributeUse::Any,
                _ => AttributeUse::None,
            },
            rows: XmlRows::of_attribute(local),
            markup,
        }
    }

    /// Whether a name found no slot.
    #[cfg(test)]
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Prepares the table for another tag.
    #[inline]
    pub(super) fn begin_tag(&mut self) {
        if std::mem::take(&mut self.is_full) {
            self.table.clear();
        }
    }

    /// Returns the length and the slot of the name at `at`, if it was met, is short, has its first slot and
    /// a `=` behind it.
    #[inline(always)]
    pub(super) fn find_short(&self, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        let chunk = bytes.get(at..)?.first_chunk()?;
        let equals = simd::Block::new(chunk).equal(b'=');
        if equals == 0 {
            return None;
        }
        let length = equals.trailing_zeros() as usize % SHORT;
        let code = u128::from_le_bytes(*chunk) & MASKS[length];
        let slot = slot_of(code);
        match self.table.slots.get(slot)? {
            Some(known) if (known.code, known.length) == (code, length) => Some((length, slot)),
            _ => None,
        }
    }

    /// Returns the use of the name in a slot.
    #[inline(always)]
    pub(super) fn use_of(&self, slot: usize) -> AttributeUse {
        self.at(slot)
            .map_or(AttributeUse::None, |facts| facts.use_of)
    }

    /// Returns the facts about the name in a slot.
    #[inline(always)]
    pub(super) fn at(&self, slot: usize) -> Option<AttributeFacts> {
        self.table.get(slot).copied()
    }

    /// Returns the slot of what may be a name, which it enters if it is a new one. None if it is no name,
    /// or if there is no slot left.
    pub(super) fn meet(&mut self, name: &NameAt<'_>) -> Option<usize> {
        if let Some((slot, _)) = self.table.find(name) {
            return Some(slot);
        }
        let bytes = name.as_bytes();
        let is_name = bytes.first().is_some_and(|&first| starts_name(first))
            && name_end(bytes, 0) == bytes.len();
        if !is_name {
            return None;
        }
        let slot = self.table.insert(name, self.facts(bytes), false);
        self.is_full |= slot.is_none();
        slot
    }
}
