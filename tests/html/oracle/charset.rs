//! The encoding of a document, the decoded document, and the encoding of queries.

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

// From here on the algorithms of WHATWG HTML 13.2.3.2 step by step, with the numbers of the steps: the
// scanner has them in a form of its own.

type NameAndValue = (Vec<u8>, Vec<u8>);

/// The position went beyond the bytes obtained so far.
struct OutOfBytes;

/// HTML, "prescan a byte stream to determine its encoding", for the first 1024 bytes.
pub(crate) fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let bytes = &bytes[..bytes.len().min(1024)];
    let mut stream = Stream { bytes, position: 0 };
    match stream.prescan() {
        Ok(encoding) => Some(encoding),
        Err(OutOfBytes) => xml_encoding(bytes),
    }
}

struct Stream<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Stream<'_> {
    fn byte(&self) -> Result<u8, OutOfBytes> {
        self.bytes.get(self.position).copied().ok_or(OutOfBytes)
    }

    /// Whether position points to a sequence of bytes, each of which is one of a set.
    fn points_to(&self, sets: &[&[u8]]) -> bool {
        let rest = &self.bytes[self.position..];
        rest.len() >= sets.len() && sets.iter().zip(rest).all(|(set, byte)| set.contains(byte))
    }

    /// Advances position to the next byte for which something holds.
    fn advance_to(&mut self, holds: impl Fn(&Self, u8) -> bool) -> Result<(), OutOfBytes> {
        while !holds(self, self.byte()?) {
            self.position += 1;
        }
        Ok(())
    }

    fn prescan(&mut self) -> Result<&'static Encoding, OutOfBytes> {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        // Step 2.
        if self.points_to(&[b"<", b"\0", b"?", b"\0", b"x", b"\0"]) {
            return Ok(UTF_16LE);
        }
        if self.points_to(&[b"\0", b"<", b"\0", b"?", b"\0", b"x"]) {
            return Ok(UTF_16BE);
        }
        // Step 3, "loop".
        loop {
            let open = self.position;
            if self.points_to(&[b"<", b"!", b"-", b"-"]) {
                self.advance_to(|stream, byte| {
                    let before = &stream.bytes[open + 1..stream.position.max(open + 1)];
                    byte == b'>' && before.ends_with(b"--")
                })?;
            } else if self.points_to(&[b"<", b"Mm", b"Ee", b"Tt", b"Aa", b"\t\n\x0C\r /"]) {
                if let Some(encoding) = self.meta()? {
                    return Ok(encoding);
                }
            } else if self.points_to(&[b"<", LETTERS]) || self.points_to(&[b"<", b"/", LETTERS]) {
                self.advance_to(|_, byte| b"\t\n\x0C\r >".contains(&byte))?;
                while self.attribute()?.is_some() {}
            } else if self.points_to(&[b"<", b"!/?"]) {
                self.advance_to(|_, byte| byte == b'>')?;
            }
            // Step 4, "next byte".
            self.byte()?;
            self.position += 1;
        }
    }

    /// What is done for `<meta`; none where that ends with "next byte".
    fn meta(&mut self) -> Result<Option<&'static Encoding>, OutOfBytes> {
        // Steps 1 to 5. A charset that is failure is `Some(None)`.
        self.advance_to(|_, byte| b"\t\n\x0C\r /".contains(&byte))?;
        let mut attribute_list = Vec::new();
        let (mut got_pragma, mut need_pragma) = (false, None);
        let mut charset: Option<Option<&'static Encoding>> = None;
        // Steps 6 to 10, "attributes".
        while let Some((name, value)) = self.attribute()? {
            if attribute_list.contains(&name) {
                continue;
            }
            attribute_list.push(name.clone());
            match name.as_slice() {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" => {
                    let returned = extract(&value).and_then(Encoding::for_label);
                    if returned.is_some() && charset.is_none() {
                        charset = Some(returned);
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Some(Encoding::for_label(&value));
                    need_pragma = Some(false);
                }
                _ => {}
            }
        }
        // Steps 11 to 16, "processing".
        Ok(match (need_pragma, charset) {
            (None, _) => None,
            (Some(true), _) if !got_pragma => None,
            (_, Some(Some(encoding))) => declared(encoding.name().as_bytes()),
            _ => None,
        })
    }

    /// HTML, "get an attribute": its name and its value.
    fn attribute(&mut self) -> Result<Option<NameAndValue>, OutOfBytes> {
        let (mut name, mut value) = (Vec::new(), Vec::new());
        // The number of the step that looks at the byte at position.
        let mut step = 1;
        loop {
            let byte = self.byte()?;
            let is_space = b"\t\n\x0C\r ".contains(&byte);
            step = match (step, byte) {
                (1, b'/') => 1,
                (1, _) if is_space => 1,
                (1, b'>') => return Ok(None),
                (1, _) => {
                    // Step 3: the byte at position is the start of the name.
                    step = 4;
                    continue;
                }
                (4, b'=') if !name.is_empty() => 9,
                (4, _) if is_space => 6,
                (4, b'/' | b'>') => return Ok(Some((name, value))),
                (4, _) => {
                    name.push(byte.to_ascii_lowercase());
                    4
                }
                (6, _) if is_space => 6,
                // Steps 7 and 8.
                (6, b'=') => 9,
                (6, _) => return Ok(Some((name, value))),
                (9, _) if is_space => 9,
                // Step 10.
                (9, b'"' | b'\'') => loop {
                    self.position += 1;
                    let next = self.byte()?;
                    if next == byte {
                        self.position += 1;
                        return Ok(Some((name, value)));
                    }
                    value.push(next.to_ascii_lowercase());
                },
                (9 | 11, b'>') => return Ok(Some((name, value))),
                (11, _) if is_space => return Ok(Some((name, value))),
                _ => {
                    value.push(byte.to_ascii_lowercase());
                    11
                }
            };
            self.position += 1;
        }
    }
}

/// HTML, "extracting a character encoding from a meta element": the label.
fn extract(s: &[u8]) -> Option<&[u8]> {
    let is_space = |byte: u8| b"\t\n\x0C\r ".contains(&byte);
    let skip_spaces = |mut position: usize| {
        while s.get(position).is_some_and(|&byte| is_space(byte)) {
            position += 1;
        }
        position
    };
    // Steps 2 to 4, "loop".
    let mut position = 0;
    loop {
        let word = s.get(position..position + 7)?;
        if !word.eq_ignore_ascii_case(b"charset") {
            position += 1;
            continue;
        }
        position = skip_spaces(position + 7);
        if s.get(position) == Some(&b'=') {
            break;
        }
    }
    // Steps 5 and 6.
    position = skip_spaces(position + 1);
    let (start, ends): (usize, &dyn Fn(u8) -> bool) = match *s.get(position)? {
        b'"' => (position + 1, &|byte| byte == b'"'),
        b'\'' => (position + 1, &|byte| byte == b'\''),
        _ => (position, &|byte| is_space(byte) || byte == b';'),
    };
    let length = s[start..].iter().position(|&byte| ends(byte));
    match length {
        Some(length) => Some(&s[start..start + length]),
        None if start == position => Some(&s[start..]),
        None => None,
    }
}

/// HTML, "get an XML encoding".
fn xml_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    // Steps 1 to 3.
    bytes.starts_with(b"<?xml").then_some(())?;
    let declaration_end = bytes.iter().position(|&byte| byte == b'>')?;
    // Steps 4 and 5.
    let mut position = 0;
    while !bytes
        .get(position..declaration_end)?
        .starts_with(b"encoding")
    {
        position += 1;
    }
    position += 8;
    let skip_controls = |position: &mut usize| {
        while *bytes.get(*position)? <= 0x20 {
            *position += 1;
        }
        Some(bytes[*position])
    };
    // Steps 6 to 9.
    (skip_controls(&mut position)? == b'=').then_some(())?;
    position += 1;
    // Steps 10 to 15.
    let quote_mark = skip_controls(&mut position)?;
    [b'"', b'\''].contains(&quote_mark).then_some(())?;
    position += 1;
    let length = bytes[position..]
        .iter()
        .position(|&byte| byte == quote_mark)?;
    let potential = &bytes[position..position + length];
    potential.iter().all(|&byte| byte > 0x20).then_some(())?;
    // Steps 16 to 18.
    match Encoding::for_label(potential)? {
        encoding if encoding == UTF_16LE || encoding == UTF_16BE => Some(UTF_8),
        encoding => Some(encoding),
    }
}
