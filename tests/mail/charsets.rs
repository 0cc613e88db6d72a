//! Text in legacy charsets gives the links of the same text in UTF-8.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_3,
    ISO_8859_4, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_8_I, ISO_8859_10,
    ISO_8859_13, ISO_8859_14, ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS,
    WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254,
    WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC,
};

use super::run::{Found, Got, read};
use crate::text::oracle;
use crate::text::vectors::cases;
use uriscan::document::{self, text::NonAscii};

const LEGACY: [&Encoding; 36] = [
    BIG5,
    EUC_JP,
    EUC_KR,
    GB18030,
    GBK,
    IBM866,
    ISO_2022_JP,
    ISO_8859_2,
    ISO_8859_3,
    ISO_8859_4,
    ISO_8859_5,
    ISO_8859_6,
    ISO_8859_7,
    ISO_8859_8,
    ISO_8859_8_I,
    ISO_8859_10,
    ISO_8859_13,
    ISO_8859_14,
    ISO_8859_15,
    ISO_8859_16,
    KOI8_R,
    KOI8_U,
    MACINTOSH,
    SHIFT_JIS,
    WINDOWS_874,
    WINDOWS_1250,
    WINDOWS_1251,
    WINDOWS_1252,
    WINDOWS_1253,
    WINDOWS_1254,
    WINDOWS_1255,
    WINDOWS_1256,
    WINDOWS_1257,
    WINDOWS_1258,
    X_MAC_CYRILLIC,
    // Every byte of its own, but no characters that texts have.
    encoding_rs::X_USER_DEFINED,
];

/// Returns the bytes of a text in an encoding, if it can represent the text.
fn spelled(encoding: &'static Encoding, text: &str) -> Option<Vec<u8>> {
    let (bytes, used, unmappable) = encoding.encode(text);
    if unmappable || used != encoding {
        return None;
    }
    // A few encoders write bytes that their decoder reads as another text.
    let (back, _) = encoding.decode_without_bom_handling(&bytes);
    (back == text).then(|| bytes.into_owned())
}

/// Returns a message with `body` in a charset, in base64 or not.
fn message(charset: &str, transfer: &str, body: &[u8]) -> Vec<u8> {
    let heading = format!(
        "Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {transfer}\n\n"
    );
    let mut bytes = heading.into_bytes();
    if transfer == "base64" {
        let mut encoded = Vec::new();
        uriscan::output::json::push_base64(body, &mut encoded);
        for line in encoded.chunks(76) {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
    } else {
        bytes.extend_from_slice(body);
    }
    bytes
}

/// Returns the properties that must agree: all but the offsets and the name of the charset.
fn alike(got: &Got) -> Got {
    Got {
        span: (0, 0),
        charset: None,
        ..got.clone()
    }
}

fn options(options: oracle::Options) -> document::FormatOptions {
    let mut formats = document::FormatOptions::default();
    formats.text.non_ascii = match options.non_ascii {
        oracle::NonAscii::Iri => NonAscii::Iri,
        oracle::NonAscii::Ascii => NonAscii::Ascii,
    };
    formats.text.www = options.www;
    formats.text.email = options.email;
    formats.text.strict = options.strict;
    formats
}

/// Compares a text in an encoding with the same text in UTF-8.
fn compare(
    what: &str,
    encoding: &'static Encoding,
    text: &str,
    bytes: &[u8],
    expected: &Found,
    found: &Found,
) {
    let name = encoding.name();
    let all = |found: &Found| found.links.iter().map(alike).collect::<Vec<_>>();
    assert_eq!(all(found), all(expected), "{what} in {name}");
    for (got, expected) in found.links.iter().zip(&expected.links) {
        let (start, end) = (expected.span.0 as usize, expected.span.1 as usize);
        let spelled = &bytes[got.span.0 as usize..got.span.1 as usize];
        if encoding == ISO_2022_JP {
            // Its bytes mean nothing without the escape sequence before them.
            continue;
        }
        let (spelled, _) = encoding.decode_without_bom_handling(spelled);
        assert_eq!(spelled, text[start..end], "the span of {what} in {name}");
    }
}

#[test]
fn legacy_charsets_give_the_links_of_the_same_text_in_utf_8() {
    let mut spellings = 0;
    for case in cases() {
        let Ok(text) = std::str::from_utf8(&case.text) else {
            continue;
        };
        let formats = options(case.options);
        let plain = message("utf-8", "base64", text.as_bytes());
        let expected = read("eml", &plain, &formats, 1 << 20);
        for encoding in LEGACY {
            let Some(bytes) = spelled(encoding, text) else {
                continue;
            };
            if text.is_ascii() && encoding != WINDOWS_1252 {
                continue;
            }
            spellings += usize::from(!text.is_ascii());
            let archive = message(encoding.name(), "base64", &bytes);
            for window in [1 << 20, 5] {
                let found = read("eml", &archive, &formats, window);
                compare(&case.id, encoding, text, &bytes, &expected, &found);
            }
        }
    }
    assert!(spellings > 200, "{spellings}");
}

#[test]
fn a_candidate_beside_a_byte_beyond_ascii_is_decided_on_the_decoded_text() {
    let texts = [
        "http://example.jp/a\u{3001}\u{6b21}\u{3002}http://example.jp/b",
        "\u{ab}http://example.com/a\u{bb}\u{a0}http://example.com/b\u{2122} http://example.com/c\u{201d}",
        "\u{42f}<http://example.com/\n\u{430}>",
        "long before it, plain\n\nhttp://example.com/a\n\n\u{e9}t\u{e9} http://example.com/\u{e9}\u{bb}",
    ];
    let formats = document::FormatOptions::default();
    for text in texts {
        let expected = read(
            "eml",
            &message("utf-8", "8bit", text.as_bytes()),
            &formats,
            99,
        );
        assert!(!expected.links.is_empty());
        let mut charsets = 0;
        for encoding in LEGACY {
            let Some(bytes) = spelled(encoding, text) else {
                continue;
            };
            charsets += 1;
            // Whole in view, in pieces, and behind a transfer encoding.
            for (transfer, window) in [("8bit", 1 << 20), ("8bit", 3), ("base64", 1 << 20)] {
                let archive = message(encoding.name(), transfer, &bytes);
                let found = read("eml", &archive, &formats, window);
                compare(text, encoding, text, &bytes, &expected, &found);
            }
        }
        assert!(charsets > 0, "{text}");
    }
    // Text with a wrong or missing label is windows-1252 if it is no UTF-8.
    for label in ["", "us-ascii", "x-nowhere"] {
        let text = "\u{ab}http://example.com/a\u{bb} caf\u{e9}";
        let expected = read(
            "eml",
            &message("utf-8", "8bit", text.as_bytes()),
            &formats,
            99,
        );
        let bytes = spelled(WINDOWS_1252, text).unwrap();
        for window in [1 << 20, 3] {
            let found = read("eml", &message(label, "8bit", &bytes), &formats, window);
            compare(text, WINDOWS_1252, text, &bytes, &expected, &found);
        }
    }
}

#[test]
fn legacy_text_of_any_length_is_decoded_from_its_first_byte_beyond_ascii() {
    // More than is scanned at a time, before and behind the first such byte.
    let line = "plain text of a letter\n\n";
    let formats = document::FormatOptions::default();
    for before in [10, 12_000] {
        for behind in [1, 30] {
            let filler = "\u{e9}t\u{e9} and more of it\n\n".repeat(500);
            let link = "\u{e9}t\u{e9} http://example.com/2\u{a0}x\n\n";
            let text = [
                &line.repeat(before),
                "\u{ab}http://example.com/1\u{bb}\n\n",
                &[filler.as_str(), link].concat().repeat(behind),
                "\u{ab}http://example.com/3\u{bb}",
            ]
            .concat();
            let plain = message("utf-8", "base64", text.as_bytes());
            let expected = read("eml", &plain, &formats, 1 << 20);
            for encoding in [WINDOWS_1252, GB18030] {
                let bytes = spelled(encoding, &text).unwrap();
                for window in [1 << 20, 10_000] {
                    let archive = message(encoding.name(), "base64", &bytes);
                    let found = read("eml", &archive, &formats, window);
                    compare("a long text", encoding, &text, &bytes, &expected, &found);
                }
            }
        }
    }
}
