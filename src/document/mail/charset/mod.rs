//! Charsets of mail: which text can be scanned as it is, and which has to be converted first.
//!
//! URIs are ASCII, so text is scanned as it is for as long as it is ASCII. Where ASCII stands for
//! itself in every charset but UTF-8, the text is converted from its first other byte on: what stands
//! beside a URI decides where it ends, and trail bytes may look like ASCII. Where ASCII itself is
//! encoded, all of it is converted. Charsets without a decoder whose shifts are known keep their
//! ASCII and lose the rest.

mod convert;
mod shift;
mod unicode;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, ISO_2022_JP, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE,
    UTF_16LE, WINDOWS_1252,
};
use memchr::memmem;

use crate::document::diagnostic::{self, Code};
pub(super) use convert::Converter;
pub(super) use shift::Shifts;
pub(super) use unicode::ByteOrder;

/// What to do with text in a charset.
#[derive(Clone, Copy, Debug)]
pub(super) enum MailCharset {
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
pub(super) enum ConverterInput {
    Encoding(&'static Encoding),
    Utf16(Option<ByteOrder>),
    Utf32(Option<ByteOrder>),
    Utf7,
    Shifts(Shifts),
}

/// Labels that the Encoding Standard lacks, and those that mean something else in mail.
#[rustfmt::skip]
static LABELS: &[(&str, MailCharset)] = &[
    // The frequent ones first.
    ("utf-8", MailCharset::Superset(UTF_8)),
    ("us-ascii", MailCharset::Guess),
    ("iso-8859-1", MailCharset::Superset(WINDOWS_1252)),
    ("ascii", MailCharset::Guess),
    ("ansi_x3.4-1968", MailCharset::Guess),
    ("7bit", MailCharset::Guess),
    ("8bit", MailCharset::Guess),
    ("binary", MailCharset::Guess),
    ("unknown-8bit", MailCharset::Guess),
    ("x-unknown", MailCharset::Guess),
    ("x-utf_8j", MailCharset::Superset(UTF_8)),
    ("x-utf-8", MailCharset::Superset(UTF_8)),
    ("unicode-2-0-utf-8", MailCharset::Superset(UTF_8)),
    ("utf8mb4", MailCharset::Superset(UTF_8)),
    ("cesu-8", MailCharset::Superset(UTF_8)),
    ("latin-1", MailCharset::Superset(WINDOWS_1252)),
    ("cp437", MailCharset::Superset(WINDOWS_1252)),
    ("ibm437", MailCharset::Superset(WINDOWS_1252)),
    ("cp850", MailCharset::Superset(WINDOWS_1252)),
    ("ibm850", MailCharset::Superset(WINDOWS_1252)),
    ("eucjp", MailCharset::Superset(EUC_JP)),
    ("cp932", MailCharset::Superset(SHIFT_JIS)),
    ("cp936", MailCharset::Superset(GBK)),
    ("cp949", MailCharset::Superset(EUC_KR)),
    ("cp950", MailCharset::Superset(BIG5)),
    ("utf-7", MailCharset::Convert(ConverterInput::Utf7)),
    ("csutf7", MailCharset::Convert(ConverterInput::Utf7)),
    ("unicode-1-1-utf-7", MailCharset::Convert(ConverterInput::Utf7)),
    ("unicode-2-0-utf-7", MailCharset::Convert(ConverterInput::Utf7)),
    ("x-unicode-2-0-utf-7", MailCharset::Convert(ConverterInput::Utf7)),
    ("utf-16", MailCharset::Convert(ConverterInput::Utf16(None))),
    ("ucs-2", MailCharset::Convert(ConverterInput::Utf16(None))),
    ("iso-10646-ucs-2", MailCharset::Convert(ConverterInput::Utf16(None))),
    ("utf-16le", MailCharset::Convert(ConverterInput::Utf16(Some(ByteOrder::Little)))),
    ("utf-16be", MailCharset::Convert(ConverterInput::Utf16(Some(ByteOrder::Big)))),
    ("utf-32", MailCharset::Convert(ConverterInput::Utf32(None))),
    ("ucs-4", MailCharset::Convert(ConverterInput::Utf32(None))),
    ("iso-10646-ucs-4", MailCharset::Convert(ConverterInput::Utf32(None))),
    ("utf-32le", MailCharset::Convert(ConverterInput::Utf32(Some(ByteOrder::Little)))),
    ("utf-32be", MailCharset::Convert(ConverterInput::Utf32(Some(ByteOrder::Big)))),
    ("hz", MailCharset::Convert(ConverterInput::Shifts(Shifts::Hz))),
    ("hz-gb-2312", MailCharset::Convert(ConverterInput::Shifts(Shifts::Hz))),
    ("iso-2022-kr", MailCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022))),
    ("csiso2022kr", MailCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022))),
    ("iso-2022-cn", MailCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022))),
    ("iso-2022-cn-ext", MailCharset::Convert(ConverterInput::Shifts(Shifts::Iso2022))),
];

/// Charsets that are known and that nothing here decodes.
static UNSUPPORTED: &[&str] = &[
    "ebcdic", "cp037", "ibm037", "cp500", "ibm500", "scsu", "bocu",
];

/// What a label means, and what there is to say about it.
pub(super) fn of_label(label: &[u8]) -> (MailCharset, Option<&'static Code>) {
    let label = label.trim_ascii();
    if label.is_empty() {
        return (MailCharset::Guess, None);
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
            (MailCharset::Guess, Some(&diagnostic::CHARSET_UNSUPPORTED))
        }
        Some(encoding) => (of_encoding(encoding), None),
        None if UNSUPPORTED.iter().any(|name| starts(name)) => {
            (MailCharset::Guess, Some(&diagnostic::CHARSET_UNSUPPORTED))
        }
        None => (MailCharset::Guess, Some(&diagnostic::CHARSET_UNKNOWN)),
    }
}

fn of_encoding(encoding: &'static Encoding) -> MailCharset {
    if encoding == UTF_16LE {
        MailCharset::Convert(ConverterInput::Utf16(Some(ByteOrder::Little)))
    } else if encoding == UTF_16BE {
        MailCharset::Convert(ConverterInput::Utf16(Some(ByteOrder::Big)))
    } else if encoding.is_ascii_compatible() {
        MailCharset::Superset(encoding)
    } else {
        MailCharset::Convert(ConverterInput::Encoding(encoding))
    }
}

/// How many bytes a guess looks at.
pub(super) const GUESS: usize = 64 << 10;

/// Reads the charset of a text off its first [`GUESS`] bytes.
pub(super) fn guess(head: &[u8]) -> MailCharset {
    let head = &head[..head.len().min(GUESS)];
    if head.is_ascii() {
        // ESC $ designates a two-byte set: nobody writes it by chance.
        if memmem::find(head, b"\x1B$").is_some() {
            return MailCharset::Convert(ConverterInput::Encoding(ISO_2022_JP));
        }
        return MailCharset::Superset(UTF_8);
    }
    match std::str::from_utf8(head) {
        Ok(_) => MailCharset::Superset(UTF_8),
        // The last character may be cut by the limit.
        Err(error) if error.error_len().is_none() && head.len() == GUESS => {
            MailCharset::Superset(UTF_8)
        }
        Err(_) => MailCharset::Superset(WINDOWS_1252),
    }
}

/// A whole text in the charset of a label, in UTF-8: for encoded words and parameters.
pub(super) fn to_utf8(label: &[u8], bytes: &[u8], out: &mut Vec<u8>) {
    let charset = match of_label(label).0 {
        MailCharset::Guess => guess(bytes),
        known => known,
    };
    match charset {
        MailCharset::Convert(source) => {
            let mut converter = Converter::new(source);
            converter.push(
                bytes,
                true,
                out,
                &mut super::segments::SegmentMap::default(),
            );
        }
        MailCharset::Superset(encoding) => {
            let (text, _) = encoding.decode_without_bom_handling(bytes);
            out.extend_from_slice(text.as_bytes());
        }
        MailCharset::Guess => out.extend_from_slice(bytes),
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
                MailCharset::Convert(source) => source,
                MailCharset::Superset(encoding) => ConverterInput::Encoding(encoding),
                MailCharset::Guess => panic!("{label} is converted"),
            };
            let run = |size: usize| {
                let mut converter = Converter::new(source);
                let mut out = Vec::new();
                let mut map = super::super::segments::SegmentMap::default();
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
