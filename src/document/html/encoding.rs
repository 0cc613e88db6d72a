//! The encoding of a document while it is scanned: detected at the start, changed by a `meta`
//! element, or found not to be UTF-8.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::names::Attribute;
use super::prescan;
use super::tag::Tag;
use super::value::{self, ValueSource};
use crate::decode::charset::{self, Confidence, Detected};

/// The encoding of a document as known so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct EncodingState {
    /// The encoding of the scanned bytes.
    pub(super) scanned: &'static Encoding,
    /// The document's own encoding, in which queries are encoded.
    pub(super) label: &'static Encoding,
    /// Whether a `meta` element may change the encoding.
    pub(super) tentative: bool,
    /// Whether nothing has declared the encoding: it is UTF-8 while all bytes are valid.
    pub(super) undeclared: bool,
}

impl EncodingState {
    pub(super) const UTF_8: EncodingState = EncodingState {
        scanned: UTF_8,
        label: UTF_8,
        tentative: false,
        undeclared: false,
    };

    /// The state before the first byte. A document that needs transcoding comes as UTF-8 already.
    pub(super) fn new(detected: &Detected) -> Self {
        let label = detected.encoding.unwrap_or(UTF_8);
        let transcoded = charset::needs_transcoding(label);
        EncodingState {
            scanned: if transcoded { UTF_8 } else { label },
            label,
            // A declaration that could be read as UTF-16 and denies it cannot be right.
            tentative: detected.confidence == Confidence::Tentative
                && label != UTF_16LE
                && label != UTF_16BE,
            undeclared: detected.encoding.is_none(),
        }
    }

    /// Changes to a declared encoding.
    pub(super) fn change(&mut self, encoding: &'static Encoding) {
        *self = EncodingState {
            scanned: encoding,
            label: encoding,
            ..EncodingState::UTF_8
        };
    }

    /// Falls back to windows-1252: the undeclared bytes are not valid UTF-8.
    pub(super) fn fall_back(&mut self) {
        self.scanned = WINDOWS_1252;
        self.label = WINDOWS_1252;
        self.undeclared = false;
    }

    /// Applies a `meta` element; returns the encoding if it changes. The first one that declares an
    /// encoding decides.
    pub(super) fn apply_meta(
        &mut self,
        source: &ValueSource<'_>,
        tag: &Tag,
    ) -> Option<&'static Encoding> {
        let declared = declared(source, tag)?;
        self.tentative = false;
        self.undeclared = false;
        (declared != self.label).then_some(declared)
    }
}

/// Returns the encoding that a `meta` element declares.
fn declared(source: &ValueSource<'_>, tag: &Tag) -> Option<&'static Encoding> {
    let value = |attribute| {
        tag.value(attribute)
            .map(|range| value::decoded_value(source, range))
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

/// Validates UTF-8 window by window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Validity {
    /// Offset in the document up to which bytes were checked.
    offset: u64,
    /// Whether a non-ASCII byte was checked.
    non_ascii: bool,
}

/// The result of [`Validity::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checked {
    Valid,
    /// Not UTF-8; all bytes of earlier windows are ASCII.
    InvalidBehindAscii,
    /// Not UTF-8.
    Invalid,
}

impl Validity {
    /// Checks the bytes of a window that were not checked before.
    pub(super) fn check(&mut self, bytes: &[u8], offset: u64, last: bool) -> Checked {
        let new = &bytes[(self.offset - offset) as usize..];
        let before = self.non_ascii;
        let valid = match str::from_utf8(new) {
            Ok(_) => new.len(),
            Err(error) if error.error_len().is_none() && !last => error.valid_up_to(),
            Err(_) if before => return Checked::Invalid,
            Err(_) => return Checked::InvalidBehindAscii,
        };
        self.offset += valid as u64;
        self.non_ascii |= !new[..valid].is_ascii();
        Checked::Valid
    }
}
