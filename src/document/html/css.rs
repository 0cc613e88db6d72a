//! References in CSS (CSS Syntax Level 3): `url()`, `src()`, the strings of `image-set()` and
//! `@import`; not those of `@namespace`.

use std::ops::Range;

/// Calls `found` with the range of every reference.
pub(super) fn references(bytes: &[u8], range: Range<usize>, mut found: impl FnMut(Range<usize>)) {
    let mut scanner = Scanner {
        bytes: &bytes[..range.end],
        at: range.start,
        image_set: None,
        depth: 0,
        rule: Rule::Other,
    };
    while let Some(reference) = scanner.next() {
        found(reference);
    }
}

/// Appends a reference without its escapes.
pub(super) fn unescape(bytes: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match (byte, bytes.get(at)) {
            (b'\\', Some(_)) => at = escape(bytes, at, out),
            (b'\\', None) => {}
            _ => out.push(byte),
        }
    }
}

/// Reads an escape whose backslash stands before `at`.
fn escape(bytes: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let digits = bytes[at..]
        .iter()
        .take(6)
        .take_while(|byte| byte.is_ascii_hexdigit());
    let length = digits.count();
    if length == 0 {
        return match bytes[at] {
            // In a string, a line break behind a backslash is none.
            b'\n' | 0x0C => at + 1,
            b'\r' => at + 1 + usize::from(bytes.get(at + 1) == Some(&b'\n')),
            byte => {
                out.push(byte);
                at + 1
            }
        };
    }
    let number = bytes[at..at + length].iter().fold(0, |number, &digit| {
        number * 16 + (digit as char).to_digit(16).unwrap_or(0)
    });
    let character = match number {
        0 => char::REPLACEMENT_CHARACTER,
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    // One white space ends the digits and belongs to them.
    match bytes.get(at + length) {
        Some(b'\r') if bytes.get(at + length + 1) == Some(&b'\n') => at + length + 2,
        Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0C) => at + length + 1,
        _ => at + length,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The next string is imported.
    Import,
    /// What follows names a namespace.
    Namespace,
    Other,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The depth of the parentheses of an `image-set()` that is open.
    image_set: Option<u32>,
    depth: u32,
    rule: Rule,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let byte = self.peek(0)?;
            match byte {
                b'"' | b'\'' => {
                    let string = self.string(byte);
                    let in_image_set = self.image_set == Some(self.depth);
                    let imported = self.rule == Rule::Import;
                    if imported {
                        self.rule = Rule::Other;
                    }
                    if let Some(string) = string.filter(|_| in_image_set || imported) {
                        return Some(string);
                    }
                }
                b'/' if self.peek(1) == Some(b'*') => self.comment(),
                b'@' => {
                    self.at += 1;
                    self.rule = self.at_rule();
                }
                b'(' => {
                    self.at += 1;
                    self.depth += 1;
                }
                b')' => self.close(),
                b';' | b'{' | b'}' => {
                    self.at += 1;
                    self.rule = Rule::Other;
                }
                _ if starts_name(byte) => {
                    if let Some(reference) = self.word() {
                        return Some(reference);
                    }
                }
                _ => {
                    // `@import` takes its reference first, if at all.
                    if !is_space(byte) && self.rule == Rule::Import {
                        self.rule = Rule::Other;
                    }
                    self.at += 1;
                }
            }
        }
    }

    fn close(&mut self) {
        self.at += 1;
        if self.image_set == Some(self.depth) {
            self.image_set = None;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        let length = memchr::memmem::find(rest, b"*/");
        self.at = length.map_or(self.bytes.len(), |length| self.at + 2 + length + 2);
    }

    /// Reads a name with its escapes, and returns it in lower case and without them.
    fn name(&mut self) -> Name {
        let mut name = Name::default();
        while let Some(byte) = self.peek(0) {
            if byte == b'\\' {
                if matches!(self.peek(1), None | Some(b'\n' | b'\r' | 0x0C)) {
                    break;
                }
                let mut out = Vec::new();
                self.at = escape(self.bytes, self.at + 1, &mut out);
                out.iter().for_each(|&byte| name.push(byte));
            } else if is_name(byte) {
                name.push(byte);
                self.at += 1;
            } else {
                break;
            }
        }
        name
    }

    fn at_rule(&mut self) -> Rule {
        match self.name().bytes() {
            b"import" => Rule::Import,
            b"namespace" => Rule::Namespace,
            _ => Rule::Other,
        }
    }

    /// Reads a name that may be a function.
    fn word(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let name = self.name();
        if self.at == start {
            self.at += 1;
            return None;
        }
        if self.peek(0) != Some(b'(') {
            if self.rule == Rule::Import {
                self.rule = Rule::Other;
            }
            return None;
        }
        self.at += 1;
        let rule = self.rule;
        if rule == Rule::Import {
            self.rule = Rule::Other;
        }
        match name.bytes() {
            b"url" => self.url(),
            b"src" => self.quoted_argument(),
            b"image-set" | b"-webkit-image-set" => {
                self.depth += 1;
                self.image_set.get_or_insert(self.depth);
                None
            }
            _ => {
                self.depth += 1;
                None
            }
        }
        .filter(|_| rule != Rule::Namespace)
    }

    fn space(&mut self) {
        while self.peek(0).is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn quoted_argument(&mut self) -> Option<Range<usize>> {
        self.depth += 1;
        self.space();
        let quote = self.peek(0).filter(|byte| matches!(byte, b'"' | b'\''))?;
        self.string(quote)
    }

    /// Reads what stands behind `url(`.
    fn url(&mut self) -> Option<Range<usize>> {
        let open = self.at;
        self.space();
        if matches!(self.peek(0), Some(b'"' | b'\'')) {
            self.at = open;
            return self.quoted_argument();
        }
        let start = self.at;
        loop {
            let Some(byte) = self.peek(0) else {
                return Some(start..self.at);
            };
            match byte {
                b')' => {
                    self.at += 1;
                    return Some(start..self.at - 1);
                }
                _ if is_space(byte) => {
                    let end = self.at;
                    self.space();
                    match self.peek(0) {
                        Some(b')') => self.at += 1,
                        None => {}
                        Some(_) => return self.bad_url(),
                    }
                    return Some(start..end);
                }
                // NUL stands for U+FFFD, which may be there.
                b'"' | b'\'' | b'(' | 1..=8 | 0x0B | 0x0E..=0x1F | 0x7F => return self.bad_url(),
                b'\\' => match self.peek(1) {
                    Some(b'\n' | b'\r' | 0x0C) => return self.bad_url(),
                    _ => self.at = (self.at + 2).min(self.bytes.len()),
                },
                _ => self.at += 1,
            }
        }
    }

    /// Skips what is left of a `url()` that is none.
    fn bad_url(&mut self) -> Option<Range<usize>> {
        while let Some(byte) = self.peek(0) {
            self.at += match byte {
                b'\\' => 2,
                _ => 1,
            };
            if byte == b')' {
                break;
            }
        }
        self.at = self.at.min(self.bytes.len());
        None
    }

    /// Reads a string; none when a line break cuts it.
    fn string(&mut self, quote: u8) -> Option<Range<usize>> {
        self.at += 1;
        let start = self.at;
        loop {
            let Some(byte) = self.peek(0) else {
                return Some(start..self.at);
            };
            match byte {
                _ if byte == quote => {
                    self.at += 1;
                    return Some(start..self.at - 1);
                }
                b'\n' | b'\r' | 0x0C => return None,
                b'\\' => self.at = (self.at + 2).min(self.bytes.len()),
                _ => self.at += 1,
            }
        }
    }
}

/// A name in lower case; only short ones matter.
#[derive(Default)]
struct Name {
    bytes: [u8; 20],
    length: usize,
}

impl Name {
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte.to_ascii_lowercase();
        }
        self.length += 1;
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..)
}

fn starts_name(byte: u8) -> bool {
    is_name(byte) || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(css: &str) -> Vec<String> {
        let mut found = Vec::new();
        references(css.as_bytes(), 0..css.len(), |range| {
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
        ] {
            assert_eq!(found(css), expected, "{css}");
        }
    }
}
