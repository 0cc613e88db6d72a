//! The encoding of a document while it is scanned: what is known at its start, what a `meta`
//! element says later, and whether undeclared bytes are UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::names::Attribute;
use super::prescan;
use super::tag::Tag;
use super::value::{self, ValueSource};
use crate::decode::charset::{self, Confidence, Detected};

/// The encoding of a document, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct EncodingState {
    /// The encoding of the bytes that are scanned.
    pub(super) scanned: &'static Encoding,
    /// The encoding of the document, which its queries are in.
    pub(super) label: &'static Encoding,
    /// A `meta` element may change it.
    pub(super) tentative: bool,
    /// Nothing has declared it so far: it is UTF-8 until a byte says otherwise.
    pub(super) undeclared: bool,
}

impl EncodingState {
    pub(super) const UTF_8: EncodingState = EncodingState {
        scanned: UTF_8,
        label: UTF_8,
        tentative: false,
        undeclared: false,
    };

    /// What was detected before the first byte is scanned. A document that had to be turned into
    /// UTF-8 has been.
    pub(super) fn new(detected: &Detected) -> Self {
        let label = detected.encoding.unwrap_or(UTF_8);
        let transcoded = charset::needs_transcoding(label);
        EncodingState {
            scanned: if transcoded { UTF_8 } else { label },
            label,
            // UTF-16 that was read as such says nothing about itself that could be true.
            tentative: detected.confidence == Confidence::Tentative
                && label != UTF_16LE
                && label != UTF_16BE,
            undeclared: detected.encoding.is_none(),
        }
    }

    /// Takes an encoding for certain.
    pub(super) fn change(&mut self, encoding: &'static Encoding) {
        *self = EncodingState {
            scanned: encoding,
            label: encoding,
            ..EncodingState::UTF_8
        };
    }

    /// Takes undeclared bytes for what they are: they are no UTF-8.
    pub(super) fn fall_back(&mut self) {
        self.scanned = WINDOWS_1252;
        self.label = WINDOWS_1252;
        self.undeclared = false;
    }

    /// Hears a `meta` element, and returns the encoding that it changes the document to. The first
    /// one that names an encoding decides.
    pub(super) fn hear(
        &mut self,
        source: &ValueSource<'_>,
        tag: &Tag,
    ) -> Option<&'static Encoding> {
        let said = said(source, tag)?;
        self.tentative = false;
        self.undeclared = false;
        (said != self.label).then_some(said)
    }
}

/// The encoding that a `meta` element names.
fn said(source: &ValueSource<'_>, tag: &Tag) -> Option<&'static Encoding> {
    let value = |attribute| {
        tag.value(attribute)
            .map(|range| value::plain(source, range))
    };
    let charset = value(Attribute::Charset);
    if let Some(encoding) = charset.and_then(|label| prescan::declared_within(&label)) {
        return Some(encoding);
    }
    let pragma = value(Attribute::HttpEquiv)?;
    if !pragma.eq_ignore_ascii_case(b"content-type") {
        return None;
    }
    prescan::declared_within(prescan::label_in_content(&value(Attribute::Content)?)?)
}

/// Checks, window by window, whether a document is UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Validity {
    /// How far it has been checked.
    offset: u64,
    /// Whether a byte beyond ASCII has been seen.
    beyond_ascii: bool,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checked {
    Valid,
    /// It is no UTF-8, and what came before these bytes is ASCII.
    InvalidBehindAscii,
    /// It is no UTF-8.
    Invalid,
}

impl Validity {
    /// Checks the bytes of a window that have not been checked.
    pub(super) fn check(&mut self, bytes: &[u8], offset: u64, last: bool) -> Checked {
        let new = &bytes[(self.offset - offset) as usize..];
        let before = self.beyond_ascii;
        let valid = match str::from_utf8(new) {
            Ok(_) => new.len(),
            Err(error) if error.error_len().is_none() && !last => error.valid_up_to(),
            Err(_) if before => return Checked::Invalid,
            Err(_) => return Checked::InvalidBehindAscii,
        };
        self.offset += valid as u64;
        self.beyond_ascii |= !new[..valid].is_ascii();
        Checked::Valid
    }
}
