//! Character encodings: which one a text is in, and its conversion to UTF-8.
//!
//! URIs are ASCII, so text is scanned without conversion up to its first byte beyond ASCII, if the encoding
//! leaves ASCII alone. From there on it is converted, because the characters beside a URI decide where
//! the URI ends, and trail bytes of a character can look like ASCII. A text in which ASCII itself is
//! encoded is converted as a whole. The format decides which documents are converted ([`Conversion`]).

mod converter;
mod detect;
mod reader;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, ISO_2022_JP, REPLACEMENT, SHIFT_JIS, UTF_8, WINDOWS_1252,
};
use memchr::memchr_iter;

use super::{Decode, RecordOffsets};
pub(crate) use converter::{ByteOrder, Converter, ConverterInput, Shifts};
use detect::is_utf_32;
pub(crate) use detect::{Conversion, Detected, Prescan, needs_transcoding};
pub(crate) use detect::{PRESCAN, converts, detect, is_wide, readable_encoding};
pub(crate) use reader::{CharsetReader, ConvertedDocument, head_length};

/// A charset, by the conversion that text in it needs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TextCharset {
    /// Contains ASCII: up to the first byte beyond it, and in UTF-8, the text needs no conversion.
    Superset(&'static Encoding),
    /// Nothing reliable is declared: the first bytes decide ([`guess`]).
    Guess,
    Convert(ConverterInput),
}

impl TextCharset {
    /// Returns the encoding that a label names; `None` if no encoding of the standard is known.
    pub(crate) fn encoding(self) -> Option<&'static Encoding> {
        match self {
            TextCharset::Superset(encoding)
            | TextCharset::Convert(ConverterInput::Encoding(encoding)) => Some(encoding),
            _ => None,
        }
    }
}

/// Labels missing from the Encoding Standard, or with another meaning in MIME; the frequent ones first.
#[rustfmt::skip]
static LABELS: &[(TextCharset, &[&str])] = &[
    (TextCharset::Superset(UTF_8), &["utf-8"]),
    (TextCharset::Guess, &["us-ascii"]),
    (TextCharset::Superset(WINDOWS_1252), &["iso-8859-1"]),
    (TextCharset::Guess, &["ascii", "ansi_x3.4-1968", "7bit", "8bit"]),
    (TextCharset::Guess, &["binary", "unknown-8bit", "x-unknown"]),
    (TextCharset::Superset(UTF_8), &["x-utf_8j", "x-utf-8"]),
    (TextCharset::Superset(UTF_8), &["unicode-2-0-utf-8", "utf8mb4", "cesu-8"]),
    (TextCharset::Superset(WINDOWS_1252), &["latin-1", "cp437", "ibm437", "cp850", "ibm850"]),
    (TextCharset::Superset(EUC_JP), &["eucjp"]),
    (TextCharset::Superset(SHIFT_JIS), &["cp932"]),
    (TextCharset::Superset(GBK), &["cp936"]),
    (TextCharset::Superset(EUC_KR), &["cp949"]),
    (TextCharset::Superset(BIG5), &["cp950"]),
    (UTF_7, &["utf-7", "csutf7", "unicode-1-1-utf-7"]),
    (UTF_7, &["unicode-2-0-utf-7", "x-unicode-2-0-utf-7"]),
    (wide(2, None), &["utf-16", "ucs-2", "iso-10646-ucs-2"]),
    (wide(2, Some(ByteOrder::Little)), &["utf-16le"]),
    (wide(2, Some(ByteOrder::Big)), &["utf-16be"]),
    (wide(4, None), &["utf-32", "ucs-4", "iso-10646-ucs-4"]),
    (wide(4, Some(ByteOrder::Little)), &["utf-32le"]),
    (wide(4, Some(ByteOrder::Big)), &["utf-32be"]),
    (HZ, &["hz", "hz-gb-2312"]),
    (ISO_2022, &["iso-2022-kr", "csiso2022kr", "iso-2022-cn", "iso-2022-cn-ext"]),
];

const UTF_7: TextCharset = TextCharset::Convert(ConverterInput::Utf7);
const HZ: TextCharset = TextCharset::Convert(ConverterInput::Shifts(Shifts::Hz));
const ISO_2022: TextCharset = TextCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022));

const fn wide(width: usize, order: Option<ByteOrder>) -> TextCharset {
    TextCharset::Convert(ConverterInput::Wide(width, order))
}

/// Prefixes of the labels of known charsets that nothing here decodes.
static UNSUPPORTED: &[&str] = &[
    "ebcdic", "cp037", "ibm037", "cp500", "ibm500", "scsu", "bocu",
];

/// Why the charset of a label is not the one that text is decoded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelFault {
    Unknown,
    /// The charset is known, and nothing here decodes it.
    Unsupported,
}

pub(crate) fn of_label(label: &[u8]) -> (TextCharset, Option<LabelFault>) {
    let label = label.trim_ascii();
    if label.is_empty() {
        return (TextCharset::Guess, None);
    }
    let is_label = |name: &&str| name.as_bytes().eq_ignore_ascii_case(label);
    let known = LABELS.iter().find(|(_, names)| names.iter().any(is_label));
    if let Some(&(charset, _)) = known {
        return (charset, None);
    }
    let starts = |name: &&str| {
        let start = label.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    };
    let fault = match Encoding::for_label(label) {
        Some(encoding) if encoding == REPLACEMENT => LabelFault::Unsupported,
        Some(encoding) if encoding.is_ascii_compatible() => {
            return (TextCharset::Superset(encoding), None);
        }
        Some(encoding) => return (TextCharset::Convert(encoding.into()), None),
        None if UNSUPPORTED.iter().any(starts) => LabelFault::Unsupported,
        None => LabelFault::Unknown,
    };
    (TextCharset::Guess, Some(fault))
}

const GUESS: usize = 64 << 10;

/// Guesses the charset of a text from its first [`GUESS`] bytes.
pub(crate) fn guess(head: &[u8]) -> TextCharset {
    let head = &head[..head.len().min(GUESS)];
    if is_wide(head) {
        return wide([2, 4][usize::from(is_utf_32(head))], None);
    }
    if head.is_ascii() {
        // ESC $ designates a set of two-byte characters, and hardly occurs by chance.
        let mut escapes = memchr_iter(0x1B, head);
        if escapes.any(|at| head.get(at + 1) == Some(&b'$')) {
            return TextCharset::Convert(ConverterInput::Encoding(ISO_2022_JP));
        }
        return TextCharset::Superset(UTF_8);
    }
    match std::str::from_utf8(head) {
        Ok(_) => TextCharset::Superset(UTF_8),
        // The last character may be cut by the limit.
        Err(error) if error.error_len().is_none() && head.len() == GUESS => {
            TextCharset::Superset(UTF_8)
        }
        Err(_) => TextCharset::Superset(WINDOWS_1252),
    }
}

pub(crate) fn to_utf8(label: &[u8], bytes: &[u8], out: &mut Vec<u8>) {
    if !convert(label, bytes, out, &mut ()) {
        out.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes());
    }
}

/// Appends a whole text in the charset of a label, in UTF-8, if it needs conversion; returns whether it does.
pub(crate) fn convert(
    label: &[u8],
    bytes: &[u8],
    out: &mut Vec<u8>,
    offsets: &mut impl RecordOffsets,
) -> bool {
    let charset = match of_label(label).0 {
        TextCharset::Guess => guess(bytes),
        known => known,
    };
    let input = match charset {
        TextCharset::Superset(encoding) if encoding == UTF_8 || bytes.is_ascii() => return false,
        TextCharset::Superset(encoding) => encoding.into(),
        TextCharset::Convert(input) => input,
        TextCharset::Guess => return false,
    };
    Converter::new(input).whole(bytes, out, offsets);
    true
}

#[cfg(test)]
#[path = "../../../tests/unit/decode/charset.rs"]
mod tests;
