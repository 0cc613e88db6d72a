//! Which encoding a document has, the document decoded as a whole, and queries encoded back.

use std::borrow::Cow;

use encoding_rs::{
    EncoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED,
};

use super::tokens::StartTag;

/// An encoding, and whether a meta element may still change it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sniffed {
    pub(crate) encoding: &'static Encoding,
    pub(crate) tentative: bool,
    /// The length of the byte order mark.
    pub(crate) mark: usize,
}

/// HTML, "determining the character encoding": byte order mark, transport, prescan, default.
pub(crate) fn sniff(bytes: &[u8], transport: Option<&str>) -> Sniffed {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Sniffed {
            encoding,
            tentative: false,
            mark,
        };
    }
    let declared = transport.and_then(|label| Encoding::for_label(label.as_bytes()));
    Sniffed {
        encoding: declared
            .or_else(|| prescan(bytes))
            .unwrap_or_else(|| default(bytes)),
        tentative: declared.is_none(),
        mark: 0,
    }
}

/// Undeclared HTML: UTF-8 if the whole document is valid, else windows-1252.
fn default(bytes: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(bytes) {
        Ok(_) => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

/// The encoding that a meta element may declare with this label.
pub(crate) fn declared(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    if encoding == UTF_16LE || encoding == UTF_16BE {
        Some(UTF_8)
    } else if encoding == X_USER_DEFINED {
        Some(WINDOWS_1252)
    } else {
        Some(encoding)
    }
}

/// HTML, "change the encoding": the first meta element that declares one decides.
pub(crate) fn late(sniffed: Sniffed, tags: &[StartTag]) -> Option<&'static Encoding> {
    if !sniffed.tentative || [UTF_16LE, UTF_16BE].contains(&sniffed.encoding) {
        return None;
    }
    let first = tags
        .iter()
        .filter(|tag| tag.declares_encoding)
        .find_map(of_meta)?;
    (first != sniffed.encoding).then_some(first)
}

/// The charset attribute of a meta element, or else what its content says.
fn of_meta(tag: &StartTag) -> Option<&'static Encoding> {
    let charset = tag.value("charset");
    if let Some(encoding) = charset.and_then(|label| declared(label.as_bytes())) {
        return Some(encoding);
    }
    tag.value("http-equiv")
        .filter(|value| value.eq_ignore_ascii_case("content-type"))?;
    declared(extract(tag.value("content")?.as_bytes())?)
}

/// The text of a document.
pub(crate) fn decode(bytes: &[u8], sniffed: Sniffed) -> String {
    let (text, _) = sniffed
        .encoding
        .decode_without_bom_handling(&bytes[sniffed.mark..]);
    text.into_owned()
}

/// A query in the encoding of its document, for the engine to percent-encode.
pub(crate) fn encode_query<'a>(encoding: &'static Encoding, query: &'a str) -> Cow<'a, [u8]> {
    let mut encoder = encoding.output_encoding().new_encoder();
    let mut bytes = Vec::new();
    let mut rest = query;
    loop {
        let mut buffer = [0; 64];
        let (result, read, written) =
            encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
        bytes.extend_from_slice(&buffer[..written]);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(bytes),
            EncoderResult::OutputFull => {}
            // URL, "percent-encode after encoding": the reference itself is percent-encoded.
            EncoderResult::Unmappable(character) => {
                bytes.extend_from_slice(format!("%26%23{}%3B", character as u32).as_bytes());
            }
        }
    }
}

/// HTML, "prescan a byte stream to determine its encoding".
fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(1024)];
    if head.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let mut scan = Prescan { head, at: 0 };
    scan.run().or_else(|| xml_encoding(head))
}

struct Prescan<'a> {
    head: &'a [u8],
    at: usize,
}

impl Prescan<'_> {
    /// None: no declaration, or the bytes ran out.
    fn run(&mut self) -> Option<&'static Encoding> {
        while self.at < self.head.len() {
            let rest = &self.head[self.at..];
            if rest.starts_with(b"<!--") {
                // The dashes may be those of the opening.
                self.at += 2 + find(&rest[2..], b"-->")? + 2;
            } else if is_meta(rest) {
                self.at += 5;
                if let Some(encoding) = self.meta()? {
                    return Some(encoding);
                }
            } else if is_tag(rest) {
                self.at += rest
                    .iter()
                    .position(|&byte| is_space(byte) || byte == b'>')?;
                while self.attribute()?.is_some() {}
            } else if [&b"<!"[..], b"</", b"<?"]
                .iter()
                .any(|open| rest.starts_with(open))
            {
                self.at += find(rest, b">")?;
            }
            self.at += 1;
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

    /// The inner option: this meta element declares nothing.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let mut names: Vec<Vec<u8>> = Vec::new();
        let mut got_pragma = false;
        let mut need_pragma = None;
        let mut charset: Option<Option<&'static Encoding>> = None;
        while let Some((name, value)) = self.attribute()? {
            if names.contains(&name) {
                continue;
            }
            match &name[..] {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" if charset.is_none() => {
                    if let Some(label) = extract(&value)
                        && let Some(encoding) = Encoding::for_label(label)
                    {
                        charset = Some(Some(encoding));
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Some(Encoding::for_label(&value));
                    need_pragma = Some(false);
                }
                _ => {}
            }
            names.push(name);
        }
        if need_pragma.is_none() || (need_pragma == Some(true) && !got_pragma) {
            return Some(None);
        }
        let encoding = charset.flatten();
        Some(encoding.and_then(|encoding| declared(encoding.name().as_bytes())))
    }

    /// HTML, "get an attribute". The outer option: the bytes ran out.
    fn attribute(&mut self) -> Option<Option<(Vec<u8>, Vec<u8>)>> {
        while is_space(self.peek()?) || self.peek()? == b'/' {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            return Some(None);
        }
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => break,
                b'/' | b'>' => return Some(Some((name, Vec::new()))),
                byte if is_space(byte) => {
                    self.skip_space()?;
                    if self.peek()? != b'=' {
                        return Some(Some((name, Vec::new())));
                    }
                    break;
                }
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.at += 1;
        self.skip_space()?;
        Some(Some((name, self.value()?)))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        let quote = self.peek()?;
        if quote == b'"' || quote == b'\'' {
            loop {
                self.at += 1;
                let byte = self.peek()?;
                if byte == quote {
                    self.at += 1;
                    return Some(value);
                }
                value.push(byte.to_ascii_lowercase());
            }
        }
        loop {
            let byte = self.peek()?;
            if is_space(byte) || byte == b'>' {
                return Some(value);
            }
            value.push(byte.to_ascii_lowercase());
            self.at += 1;
        }
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5
        && rest[..5].eq_ignore_ascii_case(b"<meta")
        && (is_space(rest[5]) || rest[5] == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    let name = match rest {
        [b'<', b'/', name @ ..] | [b'<', name @ ..] => name,
        _ => return false,
    };
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

/// HTML, "extracting a character encoding from a meta element": the label.
fn extract(content: &[u8]) -> Option<&[u8]> {
    let lower = content.to_ascii_lowercase();
    let mut at = 0;
    loop {
        at += find(&lower[at..], b"charset")? + 7;
        at += content[at..]
            .iter()
            .take_while(|&&byte| is_space(byte))
            .count();
        if content.get(at) == Some(&b'=') {
            break;
        }
    }
    at += 1;
    at += content[at..]
        .iter()
        .take_while(|&&byte| is_space(byte))
        .count();
    let rest = &content[at..];
    match rest.first()? {
        quote @ (b'"' | b'\'') => {
            let end = rest[1..].iter().position(|byte| byte == quote)?;
            Some(&rest[1..=end])
        }
        _ => {
            let end = rest.iter().position(|&byte| is_space(byte) || byte == b';');
            Some(&rest[..end.unwrap_or(rest.len())])
        }
    }
}

/// HTML, "get an XML encoding".
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &head[..find(head, b">")?];
    let mut at = find(declaration, b"encoding")? + 8;
    let blanks = |at: usize| {
        let rest = declaration.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|&&byte| byte <= b' ').count()
    };
    at = blanks(at);
    if declaration.get(at) != Some(&b'=') {
        return None;
    }
    at = blanks(at + 1);
    let quote = *declaration.get(at)?;
    if quote != b'"' && quote != b'\'' {
        return None;
    }
    let rest = &declaration[at + 1..];
    let label = &rest[..rest.iter().position(|&byte| byte == quote)?];
    if label.iter().any(|&byte| byte <= b' ') {
        return None;
    }
    let encoding = Encoding::for_label(label)?;
    let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
    Some(if is_wide { UTF_8 } else { encoding })
}
