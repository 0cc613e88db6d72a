//! Charsets of mail: which text can be scanned as it is, and which has to be converted first.
//!
//! URIs are ASCII, so text is scanned as it is for as long as it is ASCII. Where ASCII stands for
//! itself in every charset but UTF-8, the text is converted from its first other byte on: what stands
//! beside a URI decides where it ends, and trail bytes may look like ASCII. Where ASCII itself is
//! encoded, all of it is converted. Charsets without a decoder whose shifts are known keep their
//! ASCII and lose the rest.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, ISO_2022_JP, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE,
    UTF_16LE, WINDOWS_1252,
};
use memchr::memmem;

use super::converter::Converter;
use super::shift::Shifts;
use super::unicode::ByteOrder;
use crate::decode::offset_map::OffsetMap;

/// What to do with text in a charset.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TextCharset {
    /// ASCII stands for itself: scan it as it is up to its first other byte. There, convert it unless
    /// it is UTF-8.
    Superset(&'static Encoding),
    /// Nothing reliable is declared: its first bytes decide.
    Guess,
    /// Convert it to UTF-8 first.
    Convert(ConverterInput),
}

/// What a converter converts from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ConverterInput {
    Encoding(&'static Encoding),
    Utf16(Option<ByteOrder>),
    Utf32(Option<ByteOrder>),
    Utf7,
    Shifts(Shifts),
}

/// Labels that the Encoding Standard lacks, and those that mean something else in mail.
#[rustfmt::skip]
static LABELS: &[(&str, TextCharset)] = &[
    // The frequent ones first.
    ("utf-8", TextCharset::Superset(UTF_8)),
    ("us-ascii", TextCharset::Guess),
    ("iso-8859-1", TextCharset::Superset(WINDOWS_1252)),
    ("ascii", TextCharset::Guess),
    ("ansi_x3.4-1968", TextCharset::Guess),
    ("7bit", TextCharset::Guess),
    ("8bit", TextCharset::Guess),
    ("binary", TextCharset::Guess),
    ("unknown-8bit", TextCharset::Guess),
    ("x-unknown", TextCharset::Guess),
    ("x-utf_8j", TextCharset::Superset(UTF_8)),
    ("x-utf-8", TextCharset::Superset(UTF_8)),
    ("unicode-2-0-utf-8", TextCharset::Superset(UTF_8)),
    ("utf8mb4", TextCharset::Superset(UTF_8)),
    ("cesu-8", TextCharset::Superset(UTF_8)),
    ("latin-1", TextCharset::Superset(WINDOWS_1252)),
    ("cp437", TextCharset::Superset(WINDOWS_1252)),
    ("ibm437", TextCharset::Superset(WINDOWS_1252)),
    ("cp850", TextCharset::Superset(WINDOWS_1252)),
    ("ibm850", TextCharset::Superset(WINDOWS_1252)),
    ("eucjp", TextCharset::Superset(EUC_JP)),
    ("cp932", TextCharset::Superset(SHIFT_JIS)),
    ("cp936", TextCharset::Superset(GBK)),
    ("cp949", TextCharset::Superset(EUC_KR)),
    ("cp950", TextCharset::Superset(BIG5)),
    ("utf-7", TextCharset::Convert(ConverterInput::Utf7)),
    ("csutf7", TextCharset::Convert(ConverterInput::Utf7)),
    ("unicode-1-1-utf-7", TextCharset::Convert(ConverterInput::Utf7)),
    ("unicode-2-0-utf-7", TextCharset::Convert(ConverterInput::Utf7)),
    ("x-unicode-2-0-utf-7", TextCharset::Convert(ConverterInput::Utf7)),
    ("utf-16", TextCharset::Convert(ConverterInput::Utf16(None))),
    ("ucs-2", TextCharset::Convert(ConverterInput::Utf16(None))),
    ("iso-10646-ucs-2", TextCharset::Convert(ConverterInput::Utf16(None))),
    ("utf-16le", TextCharset::Convert(ConverterInput::Utf16(Some(ByteOrder::Little)))),
    ("utf-16be", TextCharset::Convert(ConverterInput::Utf16(Some(ByteOrder::Big)))),
    ("utf-32", TextCharset::Convert(ConverterInput::Utf32(None))),
    ("ucs-4", TextCharset::Convert(ConverterInput::Utf32(None))),
    ("iso-10646-ucs-4", TextCharset::Convert(ConverterInput::Utf32(None))),
    ("utf-32le", TextCharset::Convert(ConverterInput::Utf32(Some(ByteOrder::Little)))),
    ("utf-32be", TextCharset::Convert(ConverterInput::Utf32(Some(ByteOrder::Big)))),
    ("hz", TextCharset::Convert(ConverterInput::Shifts(Shifts::Hz))),
    ("hz-gb-2312", TextCharset::Convert(ConverterInput::Shifts(Shifts::Hz))),
    ("iso-2022-kr", TextCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022))),
    ("csiso2022kr", TextCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022))),
    ("iso-2022-cn", TextCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022))),
    ("iso-2022-cn-ext", TextCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022))),
];

/// Charsets that are known and that nothing here decodes.
static UNSUPPORTED: &[&str] = &[
    "ebcdic", "cp037", "ibm037", "cp500", "ibm500", "scsu", "bocu",
];

/// Why the charset of a label is not the one that text is decoded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelFault {
    /// The label is in no table.
    Unknown,
    /// The charset is known, and nothing here decodes it.
    Unsupported,
}

/// What a label means, and what there is to say about it.
pub(crate) fn of_label(label: &[u8]) -> (TextCharset, Option<LabelFault>) {
    let label = label.trim_ascii();
    if label.is_empty() {
        return (TextCharset::Guess, None);
    }
    let known = LABELS
        .iter()
        .find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(label));
    if let Some(&(_, charset)) = known {
        return (charset, None);
    }
    let starts = |name: &str| {
        label
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    };
    match Encoding::for_label(label) {
        Some(encoding) if encoding == REPLACEMENT => {
            (TextCharset::Guess, Some(LabelFault::Unsupported))
        }
        Some(encoding) => (of_encoding(encoding), None),
        None if UNSUPPORTED.iter().any(|name| starts(name)) => {
            (TextCharset::Guess, Some(LabelFault::Unsupported))
        }
        None => (TextCharset::Guess, Some(LabelFault::Unknown)),
    }
}

fn of_encoding(encoding: &'static Encoding) -> TextCharset {
    if encoding == UTF_16LE {
        TextCharset::Convert(ConverterInput::Utf16(Some(ByteOrder::Little)))
    } else if encoding == UTF_16BE {
        TextCharset::Convert(ConverterInput::Utf16(Some(ByteOrder::Big)))
    } else if encoding.is_ascii_compatible() {
        TextCharset::Superset(encoding)
    } else {
        TextCharset::Convert(ConverterInput::Encoding(encoding))
    }
}

/// How many bytes a guess looks at.
pub(crate) const GUESS: usize = 64 << 10;

/// Reads the charset of a text off its first [`GUESS`] bytes.
pub(crate) fn guess(head: &[u8]) -> TextCharset {
    let head = &head[..head.len().min(GUESS)];
    if head.is_ascii() {
        // ESC $ designates a two-byte set: nobody writes it by chance.
        if memmem::find(head, b"\x1B$").is_some() {
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

/// A whole text in the charset of a label, in UTF-8: for encoded words and parameters.
pub(crate) fn to_utf8(label: &[u8], bytes: &[u8], out: &mut Vec<u8>) {
    let charset = match of_label(label).0 {
        TextCharset::Guess => guess(bytes),
        known => known,
    };
    match charset {
        TextCharset::Convert(source) => {
            let mut converter = Converter::new(source);
            converter.push(bytes, true, out, &mut OffsetMap::default());
        }
        TextCharset::Superset(encoding) => {
            let (text, _) = encoding.decode_without_bom_handling(bytes);
            out.extend_from_slice(text.as_bytes());
        }
        TextCharset::Guess => out.extend_from_slice(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(label: &str, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        to_utf8(label.as_bytes(), bytes, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    #[rustfmt::skip]
    fn labels_decode() {
        let rows: &[(&str, &[u8], &str)] = &[
            ("us-ascii", b"caf\xC3\xA9", "café"),
            ("us-ascii", b"caf\xE9", "café"),
            ("iso-8859-1", b"caf\xC3\xA9", "cafÃ©"),
            ("", b"\x1B$B$\"\x1B(B http", "あ http"),
            ("ISO-2022-JP", b"\x1B$B$\"\x1B(B http", "あ http"),
            ("shift_jis", b"A\x83mm", "Aノm"),
            ("gb18030", b"\x81\x30\x81\x30x", "\u{80}x"),
            ("utf-7", b"a+ADw-http+ADo-//x+AD4-+-", "a<http://x>+"),
            ("utf-7", b"Hi Mom -+Jjo--!", "Hi Mom -☺-!"),
            ("utf-7", b"+2D3eAA-.", "\u{1F600}."),
            ("utf-16", b"\xFF\xFEa\0=\xD8\0\xDE", "a\u{1F600}"),
            ("utf-16", b"\0a\0b", "ab"),
            ("utf-32", b"a\0\0\0b\0\0\0", "ab"),
            ("hz-gb-2312", b"~{5ZHU~} <x>~~~\n!", "\u{FFFD}\u{FFFD} <x>~!"),
            ("iso-2022-kr", b"\x1B$)C\x0ENQ19\x0F <x>", "\u{FFFD}\u{FFFD} <x>"),
            ("x-nowhere", b"caf\xC3\xA9", "café"),
        ];
        for (label, bytes, expected) in rows {
            assert_eq!(decode(label, bytes), *expected, "{label}: {bytes:?}");
        }
    }

    #[test]
    fn conversion_does_not_depend_on_the_pieces() {
        let rows: &[(&str, &[u8])] = &[
            ("utf-16le", b"a\0=\xD8\0\xDEb\0=\xD8x\0"),
            ("utf-32be", b"\0\0\0a\0\x01\xF6\0\0"),
            ("utf-7", b"a+ADw-x+2D3eAA.+ZeVnLIqe-!"),
            ("iso-2022-jp", b"x\x1B$B$\"$$\x1B(B http \x1B(Jy\x1B(B"),
            ("big5", b"abc \xA4\xA4\xA4\xE5 d\xFFe"),
            ("hz", b"~{5ZHU~} <x>~~~\n!"),
            ("iso-2022-cn", b"\x1B$)A\x0E=;\x0F \x1B$*H\x1BN!! <x>\n"),
        ];
        for (label, bytes) in rows {
            let source = match of_label(label.as_bytes()).0 {
                TextCharset::Convert(source) => source,
                TextCharset::Superset(encoding) => ConverterInput::Encoding(encoding),
                TextCharset::Guess => panic!("{label} is converted"),
            };
            let run = |size: usize| {
                let mut converter = Converter::new(source);
                let mut out = Vec::new();
                let mut map = OffsetMap::default();
                for piece in bytes.chunks(size) {
                    converter.push(piece, false, &mut out, &mut map);
                }
                converter.push(b"", true, &mut out, &mut map);
                let starts: Vec<u64> = (0..=out.len() as u64).map(|at| map.start(at)).collect();
                (out, starts)
            };
            for size in 1..6 {
                assert_eq!(run(size), run(99), "{label} in pieces of {size}");
            }
        }
    }
}
