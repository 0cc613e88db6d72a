//! The tokens of PDF (ISO 32000-2, section 7.2 and 7.3), read in place: nothing recurses, and only the
//! contents of strings and names are copied.

use std::borrow::Cow;

use regex::bytes::Captures;

use crate::bytes::class::{ByteSet, hex_digit, run_end};
use crate::bytes::pattern::Pattern;

/// The part of a token in the nesting of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PdfToken {
    /// `<<` or `[`.
    Open,
    /// `>>` or `]`.
    Close,
    /// A name, a string, a number, a keyword, or a delimiter that begins nothing.
    Other,
}

const WHITE: ByteSet = ByteSet::EMPTY.with(b"\0\t\n\x0C\r ");
/// White space and delimiters.
const SPECIAL: ByteSet = WHITE.with(b"()<>[]{}/%");

fn is_regular(byte: u8) -> bool {
    !SPECIAL.contains(byte)
}

/// Returns the index after white space and comments.
pub(super) fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            let line = &bytes[at..];
            let end = memchr::memchr2(b'\n', b'\r', line);
            at += end.unwrap_or(line.len());
        } else if WHITE.contains(byte) {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// Returns the kind of a token and the index after it; `None` at the end, and for a string without an end.
fn token(bytes: &[u8], at: usize) -> Option<(PdfToken, usize)> {
    Some(match (*bytes.get(at)?, bytes.get(at + 1)) {
        (b'<', Some(b'<')) => (PdfToken::Open, at + 2),
        (b'>', Some(b'>')) => (PdfToken::Close, at + 2),
        (b'[', _) => (PdfToken::Open, at + 1),
        (b']', _) => (PdfToken::Close, at + 1),
        (b'(', _) => (PdfToken::Other, literal_end(bytes, at)?),
        (b'<', _) => (
            PdfToken::Other,
            at + memchr::memchr(b'>', &bytes[at..])? + 1,
        ),
        // A delimiter that begins nothing is a token.
        (byte, _) if byte != b'/' && !is_regular(byte) => (PdfToken::Other, at + 1),
        _ => (PdfToken::Other, run_end(bytes, at + 1, is_regular)),
    })
}

fn literal_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0);
    loop {
        at += memchr::memchr3(b'(', b')', b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => at += 1,
        }
        at += 1;
    }
}

/// Returns the index after the object or reference that begins at an index; `None` where it has no end.
pub(super) fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    if let Some((_, end)) = reference(bytes, at) {
        return Some(end);
    }
    let (mut token_kind, mut end) = token(bytes, at)?;
    let (mut start, mut depth) = (at, 0_usize);
    loop {
        match token_kind {
            PdfToken::Open => depth += 1,
            PdfToken::Close => depth = depth.saturating_sub(1),
            // The object ends here although brackets are open.
            PdfToken::Other if depth > 0 && &bytes[start..end] == b"endobj" => return Some(start),
            PdfToken::Other => {}
        }
        if depth == 0 {
            return Some(end);
        }
        start = skip_blank(bytes, end);
        (token_kind, end) = token(bytes, start)?;
    }
}

/// Reads decimal digits; returns the number and the index after it.
pub(super) fn digits(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    /// More digits than any number of a PDF has.
    const MOST: usize = 19;
    let head = bytes.get(at..bytes.len().min(at.saturating_add(MOST)))?;
    let length = run_end(head, 0, |byte| byte.is_ascii_digit());
    let number = str::from_utf8(&head[..length]).ok()?.parse().ok()?;
    Some((number, at + length))
}

/// Reads decimal digits after blanks.
pub(super) fn number(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    digits(bytes, skip_blank(bytes, at))
}

/// Reads `12 0 R`; returns the number of the object and the index after the reference.
pub(super) fn reference(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let (number, at) = numbers(bytes, at)?;
    let is_end = |byte: &u8| !is_regular(*byte);
    let ends = bytes.get(at) == Some(&b'R') && bytes.get(at + 1).is_none_or(is_end);
    ends.then_some((number, at + 1))
}

/// Reads `12 0 obj`; returns the number of the object and the index after the keyword.
pub(super) fn header(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let (number, at) = numbers(bytes, at)?;
    let is_header = bytes.get(at..)?.starts_with(b"obj");
    is_header.then_some((number, at + 3))
}

/// Reads the number and the generation of an object, and the blanks after them.
fn numbers(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    /// More bytes than both numbers take with the blanks between them, which bounds the time.
    const MOST: usize = 128;
    let bytes = &bytes[..bytes.len().min(at.saturating_add(MOST))];
    let (number, end) = digits(bytes, at)?;
    let number = u32::try_from(number).ok()?;
    let at = skip_blank(bytes, end);
    let (_, generation_end) = digits(bytes, at).filter(|_| at > end)?;
    Some((number, skip_blank(bytes, generation_end)))
}

/// A character of a name by its code.
static CODE: Pattern = Pattern::new(r"#([0-9A-Fa-f]{2})");
/// An escape in a string, or the end of a line; the group is an octal code.
static ESCAPE: Pattern = Pattern::new(r"\\(?:([0-7]{1,3})|\r\n|.)?|\r\n?");

/// Returns a name without its slash, `#xx` replaced (section 7.3.5).
pub(super) fn name(raw: &[u8]) -> Cow<'_, [u8]> {
    // Few names have codes, and a search is dear for a name.
    if !raw.contains(&b'#') {
        return Cow::Borrowed(raw);
    }
    CODE.replace_all(raw, |code: &Captures<'_>| hex(&code[1]))
}

/// Returns the contents of a string with its delimiters, escapes replaced (section 7.3.4).
pub(super) fn string(raw: &[u8]) -> Vec<u8> {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    match raw.first() {
        Some(b'(') => ESCAPE.replace_all(inner, unescaped).into_owned(),
        _ => hex(inner),
    }
}

fn hex(inner: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = inner.iter().filter_map(|&byte| hex_digit(byte)).collect();
    // A last digit without a partner is read as if `0` followed.
    let pair = |pair: &[u8]| pair[0] << 4 | pair.get(1).unwrap_or(&0);
    digits.chunks(2).map(pair).collect()
}

fn unescaped(escape: &Captures<'_>) -> Vec<u8> {
    if let Some(code) = escape.get(1) {
        let digit = |code: u32, digit: &u8| code << 3 | u32::from(*digit - b'0');
        // High-order overflow is ignored.
        return vec![code.as_bytes().iter().fold(0, digit) as u8];
    }
    vec![match &escape[0] {
        // The string continues in the next line.
        b"\\" | [b'\\', b'\r' | b'\n', ..] => return Vec::new(),
        b"\\n" => b'\n',
        b"\\r" => b'\r',
        b"\\t" => b'\t',
        b"\\b" => b'\x08',
        b"\\f" => b'\x0C',
        [b'\\', byte, ..] => *byte,
        // Every end of a line is read as a line feed.
        _ => b'\n',
    }]
}

/// Converts a text string to UTF-8: UTF-16 or UTF-8 with their marks, else PDFDocEncoding (section 7.9.2.2).
pub(super) fn text_string(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_ascii() && !bytes.iter().any(|byte| matches!(byte, 0x18..=0x1F)) {
        return bytes.to_vec();
    }
    let text = marked_text(bytes);
    let decoded = || bytes.iter().map(|&byte| pdf_doc_character(byte)).collect();
    text.unwrap_or_else(decoded).into_bytes()
}

/// Decodes a string that begins with a byte order mark; `None` for others.
pub(super) fn marked_text(bytes: &[u8]) -> Option<String> {
    let (encoding, mark) = encoding_rs::Encoding::for_bom(bytes)?;
    let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
    Some(text.into_owned())
}

/// The characters of PDFDocEncoding (ISO 32000-2, Annex D.3) from 0x18 and from 0x80 on.
const FROM_18: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
const FROM_80: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™',
    'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
];

fn pdf_doc_character(byte: u8) -> char {
    match byte {
        0x18..=0x1F => FROM_18[usize::from(byte - 0x18)],
        0x80..=0xA0 => FROM_80[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The keyword before a stream, and its line end (section 7.3.8.1).
pub(super) static STREAM: Pattern = Pattern::new(r"^stream(?:\r?\n|\r)?");
/// The keyword after a stream: a line end is before it, and more white space is tolerated.
pub(super) static END_STREAM: Pattern = Pattern::new(r"^[\x00\t\n\f\r ]{0,16}endstream");
