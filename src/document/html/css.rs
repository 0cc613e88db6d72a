//! References in CSS (CSS Syntax Level 3): `url()`, `src()`, strings in `image-set()` and after
//! `@import`, but none in `@namespace`.

use std::ops::Range;

use memchr::{memchr3_iter, memmem};

use crate::bytes::seek::is_space;

/// The kind of a piece of CSS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sheet {
    /// A style sheet, in which `@import` counts.
    Whole,
    /// Declarations in an attribute.
    Declarations,
}

/// Calls `found` with the raw range of every reference, including empty ones.
pub(super) fn references(
    bytes: &[u8],
    range: Range<usize>,
    sheet: Sheet,
    mut found: impl FnMut(Range<usize>),
) {
    if !may_have_references(&bytes[range.clone()]) {
        return;
    }
    let mut tokens = CssTokenizer {
        bytes: &bytes[..range.end],
        at: range.start,
    };
    let mut nesting = Nesting::default();
    while let Some(token) = tokens.next() {
        if let Some(reference) = nesting.add(token, sheet) {
            found(reference);
        }
    }
}

/// Whether the bytes may have a reference. Most sheets have none, and this is much faster than the
/// tokenizer.
fn may_have_references(bytes: &[u8]) -> bool {
    memchr3_iter(b'(', b'@', b'\\', bytes).any(|at| match bytes[at] {
        b'(' => {
            let name = &bytes[at.saturating_sub(3)..at];
            ["url", "src", "set"]
                .iter()
                .any(|end| name.eq_ignore_ascii_case(end.as_bytes()))
        }
        b'@' => matches!(bytes.get(at + 1), Some(b'i' | b'I')),
        // An escape may be part of any name.
        _ => true,
    })
}

/// Appends a raw reference to `out`, escapes replaced.
pub(super) fn unescape(bytes: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match (byte, bytes.get(at)) {
            (b'\\', Some(_)) => at = escape(bytes, at, out),
            // A backslash at the end of an unclosed `url(`.
            (b'\\', None) => out.extend_from_slice("\u{fffd}".as_bytes()),
            _ => out.push(byte),
        }
    }
}

/// Decodes the escape whose backslash is before `at`; returns its end.
fn escape(bytes: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let end = escape_end(bytes, at);
    match bytes[at] {
        // An escaped line break in a string stands for nothing.
        b'\n' | b'\r' | 0x0C => {}
        first if !first.is_ascii_hexdigit() => out.push(first),
        _ => {
            let number = bytes[at..end]
                .iter()
                .map_while(|&digit| (digit as char).to_digit(16))
                .fold(0, |number, digit| number * 16 + digit);
            let character = char::from_u32(number).filter(|_| number != 0);
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    end
}

/// Returns the end of the escape whose backslash is before `at`.
fn escape_end(bytes: &[u8], at: usize) -> usize {
    let Some(first) = bytes.get(at) else {
        return at;
    };
    let digits = bytes[at..].iter().take(6);
    let length = digits.take_while(|byte| byte.is_ascii_hexdigit()).count();
    if length == 0 && *first != b'\r' {
        return at + 1;
    }
    // One white space after the digits belongs to the escape.
    match bytes[at + length..] {
        [b'\r', b'\n', ..] => at + length + 2,
        [b' ' | b'\t' | b'\n' | b'\r' | 0x0C, ..] => at + length + 1,
        _ => at + length,
    }
}

/// An open bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CssBracket {
    /// `url(` or `src(`, without contents so far.
    Reference,
    /// `url(` or `src(`, with contents.
    Used,
    /// `image-set(`.
    ImageSet,
    /// Another function, or a parenthesis.
    Parenthesis,
    Square,
    Brace,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AtRule {
    Import,
    Namespace,
    Other,
}

enum CssToken {
    Space,
    Open(CssBracket),
    Close(u8),
    Semicolon,
    At(AtRule),
    Text(Range<usize>),
    Reference(Range<usize>),
    Other,
}

/// The brackets and the at-rule that a token is in.
#[derive(Default)]
struct Nesting {
    open: Vec<CssBracket>,
    after_import: bool,
    /// Number of brackets that were open at the start of the current `@namespace` rule.
    namespace: Option<usize>,
}

impl Nesting {
    /// Adds a token; returns its range if it is a reference.
    fn add(&mut self, token: CssToken, sheet: Sheet) -> Option<Range<usize>> {
        if let CssToken::Space = token {
            return None;
        }
        let imported = std::mem::take(&mut self.after_import);
        let innermost = self.open.last().copied();
        if let Some(open @ CssBracket::Reference) = self.open.last_mut() {
            *open = CssBracket::Used;
        }
        let hidden = self.namespace.is_some();
        let mut reference = None;
        match token {
            CssToken::Open(open) => {
                // A block ends its at-rule.
                if open == CssBracket::Brace && self.namespace == Some(self.open.len()) {
                    self.namespace = None;
                }
                self.open.push(open);
            }
            CssToken::Close(bracket) => self.close(bracket),
            CssToken::Semicolon => {
                self.namespace = self.namespace.filter(|&depth| depth < self.open.len());
            }
            CssToken::At(AtRule::Namespace) => {
                self.namespace.get_or_insert(self.open.len());
            }
            CssToken::At(AtRule::Import) => self.after_import = sheet == Sheet::Whole,
            CssToken::Reference(range) => reference = Some(range),
            CssToken::Text(range) => {
                let counts = match innermost {
                    Some(CssBracket::Reference | CssBracket::ImageSet) => true,
                    Some(CssBracket::Used) => false,
                    _ => imported,
                };
                reference = counts.then_some(range);
            }
            CssToken::At(AtRule::Other) | CssToken::Space | CssToken::Other => {}
        }
        self.namespace = self.namespace.filter(|&depth| depth <= self.open.len());
        reference.filter(|_| !hidden)
    }

    /// Closes the innermost bracket if it is of the same kind; any other closing bracket is stray.
    fn close(&mut self, bracket: u8) {
        let matches = match self.open.last() {
            None => false,
            Some(CssBracket::Square) => bracket == b']',
            Some(CssBracket::Brace) => bracket == b'}',
            Some(_) => bracket == b')',
        };
        if matches {
            self.open.pop();
        }
    }
}

/// A tokenizer that joins numbers and words without references.
struct CssTokenizer<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl CssTokenizer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<CssToken> {
        while self.bytes[self.at..].starts_with(b"/*") {
            self.comment();
        }
        let byte = self.peek(0)?;
        if is_space(byte) {
            self.space();
            return Some(CssToken::Space);
        }
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"<!--") {
            self.at += 4;
            return Some(CssToken::Other);
        }
        if rest.starts_with(b"-->") {
            self.at += 3;
            return Some(CssToken::Other);
        }
        if is_name(byte) || self.is_escape() {
            return Some(self.word());
        }
        self.at += 1;
        Some(match byte {
            b'"' | b'\'' => self.string(byte).map_or(CssToken::Other, CssToken::Text),
            b'#' => {
                self.name();
                CssToken::Other
            }
            b'@' => match self.name().bytes() {
                b"import" => CssToken::At(AtRule::Import),
                b"namespace" => CssToken::At(AtRule::Namespace),
                _ => CssToken::At(AtRule::Other),
            },
            b'(' => CssToken::Open(CssBracket::Parenthesis),
            b'[' => CssToken::Open(CssBracket::Square),
            b'{' => CssToken::Open(CssBracket::Brace),
            b')' | b']' | b'}' => CssToken::Close(byte),
            b';' => CssToken::Semicolon,
            _ => CssToken::Other,
        })
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        let length = memmem::find(rest, b"*/");
        self.at = length.map_or(self.bytes.len(), |length| self.at + 2 + length + 2);
    }

    fn space(&mut self) {
        while self.peek(0).is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn is_escape(&self) -> bool {
        self.peek(0) == Some(b'\\') && !matches!(self.peek(1), Some(b'\n' | b'\r' | 0x0C))
    }

    /// Reads a name; returns it in lower case with its escapes replaced.
    fn name(&mut self) -> CssName {
        let mut name = CssName::default();
        while let Some(byte) = self.peek(0) {
            if is_name(byte) {
                name.push(byte);
                self.at += 1;
            } else if self.is_escape() {
                name.escape(self.bytes, &mut self.at);
            } else {
                break;
            }
        }
        name
    }

    /// Reads a name or a number, and the parenthesis of a function.
    fn word(&mut self) -> CssToken {
        // Most words are no functions and need no decoding.
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| !is_name(byte));
        let end = self.at + length.unwrap_or(rest.len());
        if !matches!(self.bytes.get(end), Some(b'(' | b'\\')) {
            self.at = end;
            return CssToken::Other;
        }
        // After a digit the name is the unit of a number, and names no function that counts.
        let name = self.name();
        if self.peek(0) != Some(b'(') {
            return CssToken::Other;
        }
        self.at += 1;
        match name.bytes() {
            b"url" => self.url(),
            b"src" => CssToken::Open(CssBracket::Reference),
            b"image-set" | b"-webkit-image-set" => CssToken::Open(CssBracket::ImageSet),
            _ => CssToken::Open(CssBracket::Parenthesis),
        }
    }

    /// Reads the rest of `url(`.
    fn url(&mut self) -> CssToken {
        self.space();
        if matches!(self.peek(0), Some(b'"' | b'\'')) {
            return CssToken::Open(CssBracket::Reference);
        }
        let start = self.at;
        while let Some(byte) = self.peek(0) {
            let end = self.at;
            match byte {
                b')' => {
                    self.at += 1;
                    return CssToken::Reference(start..end);
                }
                _ if is_space(byte) => {
                    self.space();
                    match self.peek(0) {
                        Some(b')') => self.at += 1,
                        None => {}
                        Some(_) => return self.bad_url(),
                    }
                    return CssToken::Reference(start..end);
                }
                // NUL stands for U+FFFD, which is allowed.
                b'"' | b'\'' | b'(' | 1..=8 | 0x0B | 0x0E..=0x1F | 0x7F => return self.bad_url(),
                b'\\' if !self.is_escape() => return self.bad_url(),
                b'\\' => self.at = escape_end(self.bytes, self.at + 1),
                _ => self.at += 1,
            }
        }
        CssToken::Reference(start..self.at)
    }

    /// Skips the rest of a bad url (CSS Syntax 4.3.14).
    fn bad_url(&mut self) -> CssToken {
        while let Some(byte) = self.peek(0) {
            self.at = match self.is_escape() {
                true => escape_end(self.bytes, self.at + 1),
                false => self.at + 1,
            };
            if byte == b')' {
                break;
            }
        }
        CssToken::Other
    }

    /// Reads the rest of a string; none if a line break makes it a bad string.
    fn string(&mut self, quote: u8) -> Option<Range<usize>> {
        let start = self.at;
        while let Some(byte) = self.peek(0) {
            match byte {
                _ if byte == quote => {
                    self.at += 1;
                    return Some(start..self.at - 1);
                }
                b'\n' | b'\r' | 0x0C => return None,
                // A backslash at the end of the bytes is dropped.
                b'\\' if self.peek(1).is_none() => {
                    self.at += 1;
                    return Some(start..self.at - 1);
                }
                b'\\' => self.at = escape_end(self.bytes, self.at + 1),
                _ => self.at += 1,
            }
        }
        Some(start..self.at)
    }
}

/// A name in lower case; longer ones than the buffer equal no name.
#[derive(Default)]
struct CssName {
    bytes: [u8; 20],
    length: usize,
}

impl CssName {
    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte.to_ascii_lowercase();
        }
        self.length += 1;
    }

    /// Pushes the character of the escape at an index.
    fn escape(&mut self, bytes: &[u8], at: &mut usize) {
        *at += 1;
        if *at == bytes.len() {
            return self.push(0xFF);
        }
        let mut out = Vec::new();
        *at = escape(bytes, *at, &mut out);
        out.iter().for_each(|&byte| self.push(byte));
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Whether a byte is part of a name. NUL stands for U+FFFD, which is.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0 | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(css: &str) -> Vec<String> {
        let mut found = Vec::new();
        references(css.as_bytes(), 0..css.len(), Sheet::Whole, |range| {
            let mut out = Vec::new();
            unescape(css[range].as_bytes(), &mut out);
            found.push(String::from_utf8(out).unwrap());
        });
        found
    }

    #[test]
    fn references_are_found_as_the_standard_says() {
        for (css, expected) in [
            ("background:url(a.png)", vec!["a.png"]),
            ("x:url( a.png ) y:URL('b c')", vec!["a.png", "b c"]),
            (
                "@import 'i'; @import url(j) screen; @import \"k\" layer;",
                vec!["i", "j", "k"],
            ),
            (
                "@namespace url(no); p{content:'url(no)'} /* url(no) */ x:url(y)",
                vec!["y"],
            ),
            ("@namespace svg url(no); x:url(y)", vec!["y"]),
            ("x:url(a b) y:url(c)", vec!["c"]),
            ("x:url(a\"b) y:url(c)", vec!["c"]),
            ("x:url(a\\)b)", vec!["a)b"]),
            ("x:url(\"a\\26 b\\.png\")", vec!["a&b.png"]),
            ("x:\\75rl(a)", vec!["a"]),
            (
                "x:image-set('a' 1x, url(b) 2x, 'c' type('no') 3x) 'no'",
                vec!["a", "b", "c"],
            ),
            ("x:src('a') format('no')", vec!["a"]),
            ("x:'cut\n url(a)", vec!["a"]),
            ("x:url(a", vec!["a"]),
            ("x:curl(no) url (no)", vec![]),
            ("x:url(\"a\" crossorigin(anonymous))", vec!["a"]),
            ("@import layer 'no'; x:url()", vec![""]),
            ("x:#url(no) <!--url(a)--><!-- 1url(no)", vec!["a"]),
            ("x:image-set({ 'no' } ( 'no' ) 'a')", vec!["a"]),
        ] {
            assert_eq!(found(css), expected, "{css}");
        }
    }
}
