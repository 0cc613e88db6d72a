//! WHATWG HTML 13.2.3.2: "prescan a byte stream to determine its encoding".

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

/// The encoding that a document may declare for itself with a label: one that says UTF-16 cannot
/// be right, for the label has been read (WHATWG HTML 13.2.3.2).
pub(super) fn declared_within(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// The encoding that the first bytes of a document declare.
pub fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    if head.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let mut scanner = MetaPrescan { head, at: 0 };
    scanner.run().or_else(|| xml(head))
}

/// The label in a `content` attribute such as `text/html; charset=utf-8` ("extracting a character
/// encoding from a meta element").
pub(super) fn label_in_content(content: &[u8]) -> Option<&[u8]> {
    const CHARSET: &[u8] = b"charset";
    let mut rest = content;
    loop {
        let at = rest
            .windows(CHARSET.len())
            .position(|window| window.eq_ignore_ascii_case(CHARSET))?;
        rest = skip_space(&rest[at + CHARSET.len()..]);
        if let [b'=', value @ ..] = rest {
            rest = skip_space(value);
            break;
        }
    }
    match *rest.first()? {
        quote @ (b'"' | b'\'') => Some(&rest[1..=memchr(quote, &rest[1..])?]),
        _ => {
            let end = rest.iter().position(|&byte| is_space(byte) || byte == b';');
            Some(&rest[..end.unwrap_or(rest.len())])
        }
    }
}

fn skip_space(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().take_while(|&&byte| is_space(byte)).count();
    &bytes[length..]
}

/// "Get an XML encoding": what an XML declaration says.
fn xml(head: &[u8]) -> Option<&'static Encoding> {
    const ENCODING: &[u8] = b"encoding";
    let skip = |bytes: &mut &[u8]| {
        let length = bytes.iter().take_while(|&&byte| byte <= b' ').count();
        *bytes = &bytes[length..];
    };
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &head[..memchr(b'>', head)?];
    let at = memmem::find(declaration, ENCODING)?;
    let mut rest = &declaration[at + ENCODING.len()..];
    skip(&mut rest);
    rest = rest.strip_prefix(b"=")?;
    skip(&mut rest);
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = &rest[1..=memchr(quote, &rest[1..])?];
    match label.iter().any(|&byte| byte <= b' ') {
        true => None,
        false => declared_in_xml(label),
    }
}

/// In an XML declaration `x-user-defined` means itself.
fn declared_in_xml(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    match encoding == UTF_16LE || encoding == UTF_16BE {
        true => declared_within(label),
        false => Some(encoding),
    }
}

struct MetaPrescan<'a> {
    head: &'a [u8],
    at: usize,
}

/// An attribute as the prescan reads it.
struct Pair {
    name: Vec<u8>,
    value: Vec<u8>,
}

impl MetaPrescan<'_> {
    /// None: nothing is declared, or the bytes ran out.
    fn run(&mut self) -> Option<&'static Encoding> {
        while self.at < self.head.len() {
            let rest = &self.head[self.at..];
            match rest {
                [b'<', b'!', b'-', b'-', ..] => {
                    // The dashes may be those that open the comment.
                    self.at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
                }
                [b'<', m, e, t, a, end, ..]
                    if [*m, *e, *t, *a].eq_ignore_ascii_case(b"meta")
                        && (is_space(*end) || *end == b'/') =>
                {
                    self.at += 5;
                    if let Some(encoding) = self.meta()? {
                        return Some(encoding);
                    }
                    self.at += 1;
                }
                [b'<', b'/', letter, ..] | [b'<', letter, ..] if letter.is_ascii_alphabetic() => {
                    self.at += rest
                        .iter()
                        .position(|&byte| is_space(byte) || byte == b'>')?;
                    while self.attribute()?.is_some() {}
                    self.at += 1;
                }
                [b'<', b'!' | b'/' | b'?', ..] => self.at += memchr(b'>', rest)? + 1,
                _ => self.at += 1 + memchr(b'<', &rest[1..])?,
            }
        }
        None
    }

    fn peek(&self) -> Option<u8> {
        self.head.get(self.at).copied()
    }

    fn skip_space(&mut self) -> Option<()> {
        while is_space(self.peek()?) {
            self.at += 1;
        }
        Some(())
    }

    /// Reads a meta element; the inner option is what it declares.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let (mut has_pragma, mut needs_pragma) = (false, None);
        let mut charset = None;
        while let Some(Pair { name, value }) = self.attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match &*name {
                b"http-equiv" => has_pragma |= value == b"content-type",
                b"content" if charset.is_none() => {
                    let label = label_in_content(&value);
                    if let Some(encoding) = label.and_then(Encoding::for_label) {
                        charset = Some(Some(encoding));
                        needs_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Some(Encoding::for_label(&value));
                    needs_pragma = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        let counts = needs_pragma.is_some_and(|needs| has_pragma || !needs);
        let encoding = charset.flatten().filter(|_| counts);
        Some(encoding.and_then(|encoding| declared_within(encoding.name().as_bytes())))
    }

    /// "Get an attribute"; the inner option is none at the end of the tag.
    fn attribute(&mut self) -> Option<Option<Pair>> {
        while is_space(self.peek()?) || self.peek()? == b'/' {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            return Some(None);
        }
        let mut pair = Pair {
            name: Vec::new(),
            value: Vec::new(),
        };
        loop {
            match self.peek()? {
                b'=' if !pair.name.is_empty() => break,
                b'/' | b'>' => return Some(Some(pair)),
                byte if is_space(byte) => {
                    self.skip_space()?;
                    if self.peek()? != b'=' {
                        return Some(Some(pair));
                    }
                    break;
                }
                byte => pair.name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.at += 1;
        self.skip_space()?;
        pair.value = self.value()?;
        Some(Some(pair))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\''));
        self.at += usize::from(quote.is_some());
        let start = self.at;
        loop {
            let byte = self.peek()?;
            let ends = match quote {
                Some(quote) => byte == quote,
                None => is_space(byte) || byte == b'>',
            };
            if ends {
                let value = self.head[start..self.at].to_ascii_lowercase();
                self.at += usize::from(quote.is_some());
                return Some(value);
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found_as_the_standard_says() {
        for (head, expected) in [
            ("<meta charset=koi8-r>", Some("KOI8-R")),
            ("<META CHARSET = 'KOI8-R' >", Some("KOI8-R")),
            ("<meta charset=koi8-r", None),
            (
                "<!-- <meta charset=koi8-r> --><p a='<meta charset=gbk>'>",
                None,
            ),
            ("<!--><meta charset=koi8-r>", Some("KOI8-R")),
            ("<meta content='x; charset=gbk'>", None),
            (
                "<meta content='x; charset=gbk' http-equiv=Content-Type>",
                Some("GBK"),
            ),
            (
                "<meta content='charset gbk charset=\"gbk\"' http-equiv=content-type>",
                Some("GBK"),
            ),
            ("<meta charset=utf-16>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta charset=nonsense><meta/charset=gbk>", Some("GBK")),
            ("<?xml version='1.0' encoding='gbk'?>", Some("GBK")),
            (
                "<?xml encoding='gbk'?><meta charset=koi8-r>",
                Some("KOI8-R"),
            ),
            ("<\0?\0x\0", Some("UTF-16LE")),
            ("no markup at all", None),
            ("", None),
        ] {
            let found = prescan(head.as_bytes()).map(Encoding::name);
            assert_eq!(found, expected, "{head}");
        }
    }
}
