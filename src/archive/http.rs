//! The payload of an HTTP response: its header, and its body without transfer and content codings.
//!
//! Crawlers store decoded bodies under headers that speak of codings. A coding is therefore undone
//! only where the body is in it, and named by a diagnostic where it is not.

use std::io::{self, BufRead, Cursor, Read};

use brotli_decompressor::Decompressor;

use super::container::BodyFaults;
use super::content::{Inflate, PackedContents};
use crate::bytes::buffered::BufferedSource;
use crate::bytes::class::number;
use crate::decode::compression::{Codec, Decompressed};
use crate::document::diagnostic;
use crate::document::http::{LONGEST_HEADER, fields, lower_case};

/// The number of bytes of a body from which a coding without a mark is tried.
const PROBED: usize = 16 << 10;
/// The longest line before a chunk, in bytes.
const CHUNK_LINE: usize = 4096;
const BROTLI_BUFFER: usize = 16 << 10;

#[derive(Clone, Debug, Default)]
pub(super) struct ResponseHeader {
    /// The length of the header block with its empty line.
    pub(super) length: usize,
    pub(super) status: Option<u16>,
    pub(super) content_type: Option<String>,
    pub(super) language: Option<String>,
    pub(super) content_base: Option<Vec<u8>>,
    pub(super) content_location: Option<Vec<u8>>,
    /// The codings that were applied, in that order.
    codings: Vec<HttpCoding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HttpCoding {
    Chunked,
    /// Members of a codec, by its extension.
    Compressed(&'static str),
    Deflate,
    Brotli,
    Unknown,
}

impl HttpCoding {
    fn of(name: &[u8]) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        Some(match lower.as_slice() {
            b"chunked" => HttpCoding::Chunked,
            b"gzip" | b"x-gzip" => HttpCoding::Compressed("gz"),
            b"deflate" => HttpCoding::Deflate,
            b"br" => HttpCoding::Brotli,
            b"zstd" => HttpCoding::Compressed("zst"),
            b"identity" | b"none" | b"" => return None,
            _ => HttpCoding::Unknown,
        })
    }
}

impl ResponseHeader {
    /// Reads the header at the start of a block; `None` without a status line.
    pub(super) fn parse(block: &[u8]) -> Option<Self> {
        let near = &block[..block.len().min(LONGEST_HEADER)];
        let mut header = Self::parse_one(near)?;
        // Interim responses come before the final one (RFC 9110 section 15.2).
        while matches!(header.status, Some(100..=199))
            && let Some(mut next) = Self::parse_one(&near[header.length..])
        {
            next.length += header.length;
            header = next;
        }
        Some(header)
    }

    fn parse_one(near: &[u8]) -> Option<Self> {
        if !near.starts_with(b"HTTP/") {
            return None;
        }
        let length = header_end(near);
        let block = &near[..length];
        let line = block.split(|&byte| byte == b'\n').next()?;
        let status = line.split(|&byte| byte == b' ').nth(1);
        let mut header = ResponseHeader {
            length,
            status: status.and_then(number),
            ..ResponseHeader::default()
        };
        let mut transfer = Vec::new();
        for field in fields(block) {
            let value = &block[field.value];
            let names = value.split(|&byte| byte == b',');
            let codings = names.filter_map(|name| HttpCoding::of(name.trim_ascii()));
            let text = || Some(unfolded(value));
            match lower_case(field.name, &mut [0; 32]) {
                b"transfer-encoding" => transfer.extend(codings),
                b"content-encoding" => header.codings.extend(codings),
                b"content-type" if header.content_type.is_none() => header.content_type = text(),
                b"content-language" => header.language = text(),
                b"content-base" => header.content_base = Some(value.to_vec()),
                b"content-location" => header.content_location = Some(value.to_vec()),
                _ => {}
            }
        }
        header.codings.append(&mut transfer);
        Some(header)
    }

    pub(super) fn has_codings(&self) -> bool {
        !self.codings.is_empty()
    }

    pub(super) fn claims_chunks(&self) -> bool {
        self.codings.last() == Some(&HttpCoding::Chunked)
    }
}

/// Returns the text of a field, without the line ends in it (RFC 9112 section 5.2).
pub(super) fn unfolded(value: &[u8]) -> String {
    String::from_utf8_lossy(value).replace(['\r', '\n'], "")
}

pub(super) fn header_end(block: &[u8]) -> usize {
    let mut start = 0;
    for at in memchr::memchr_iter(b'\n', block) {
        if matches!(&block[start..at], b"" | b"\r") {
            return at + 1;
        }
        start = at + 1;
    }
    block.len()
}

/// A reader of a body.
type Body = Box<dyn Read + Send>;

/// Returns a body without its codings; `length` limits the output of the decoders.
pub(super) fn decoded(
    header: &ResponseHeader,
    mut body: Body,
    chunked: bool,
    length: u64,
    faults: &BodyFaults,
) -> Body {
    let mut is_outermost = true;
    for &coding in header.codings.iter().rev() {
        if coding == HttpCoding::Chunked {
            // After another coding it means nothing (RFC 9112 section 6.1).
            if is_outermost && chunked {
                let source = BufferedSource::new(body);
                let left = Some(0);
                body = Box::new(Dechunked { source, left });
            } else {
                faults.push(&diagnostic::HTTP_NOT_CHUNKED);
            }
        } else {
            body = undo(coding, body, length, faults);
        }
        is_outermost = false;
    }
    body
}

fn undo(coding: HttpCoding, body: Body, length: u64, faults: &BodyFaults) -> Body {
    let mut source = BufferedSource::new(body);
    let head = source.peek(PROBED);
    if head.is_empty() {
        return Box::new(source);
    }
    if let Some(codec) = Codec::of(head)
        && coding == HttpCoding::Compressed(codec.extension)
    {
        let decoder = Decompressed::new(codec, Box::new(source));
        faults.watch(&decoder);
        return Box::new(decoder);
    }
    let yields = |open: &&OpenDecoder| {
        let mut decoder = open(Box::new(Cursor::new(head.to_vec())));
        matches!(decoder.read(&mut [0; 64]), Ok(n) if n > 0)
    };
    let Some(open) = decoders(coding, head).iter().find(yields) else {
        faults.push(match coding {
            HttpCoding::Unknown => &diagnostic::HTTP_CONTENT_ENCODING_UNKNOWN,
            _ => &diagnostic::HTTP_CONTENT_ENCODING_FALSE,
        });
        return Box::new(source);
    };
    Box::new(CodedBody {
        contents: PackedContents::over(open(Box::new(source)), length),
        faults: faults.clone(),
    })
}

type OpenDecoder = fn(Body) -> Body;

/// Returns the decoders that a body with these first bytes may need, the likeliest first.
fn decoders(coding: HttpCoding, head: &[u8]) -> &'static [OpenDecoder] {
    let is_zlib = matches!(head, [first, second, ..]
        if first & 0x0f == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0);
    match coding {
        // Servers also send data without a header under this name (RFC 9110 section 8.4.1.2, note).
        HttpCoding::Deflate => {
            const BOTH: &[OpenDecoder] = &[
                |reader| Box::new(Inflate::new(reader, true)),
                |reader| Box::new(Inflate::new(reader, false)),
            ];
            if is_zlib { BOTH } else { &BOTH[1..] }
        }
        HttpCoding::Brotli => &[|reader| Box::new(Decompressor::new(reader, BROTLI_BUFFER))],
        _ => &[],
    }
}

/// A body while it is decoded: damage ends it.
struct CodedBody {
    contents: PackedContents,
    faults: BodyFaults,
}

impl Read for CodedBody {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.contents.read(into)?;
        if let Some(code) = self.contents.damage.take() {
            self.faults.push(code);
        }
        Ok(n)
    }
}

/// Returns the hexadecimal digits of the line before a chunk, of which there may be none: an extension is all
/// that may follow them (RFC 9112 section 7.1).
fn chunk_digits(line: &[u8]) -> Option<&str> {
    let digits = line.split(|&byte| byte == b';').next()?.trim_ascii();
    let is_number = digits.len() <= 16 && digits.iter().all(u8::is_ascii_hexdigit);
    str::from_utf8(digits).ok().filter(|_| is_number)
}

/// Reads the line before a chunk: its length, the index after the line.
fn chunk_line(bytes: &[u8]) -> Option<(u64, usize)> {
    let near = &bytes[..bytes.len().min(CHUNK_LINE)];
    let end = memchr::memchr(b'\n', near)?;
    let size = u64::from_str_radix(chunk_digits(&near[..end])?, 16).ok()?;
    Some((size, end + 1))
}

/// Returns whether all known bytes of a body are chunks: at least one whole chunk, and the start of the next.
pub(super) fn is_chunked(mut body: &[u8], is_whole: bool) -> bool {
    let mut any = false;
    loop {
        let Some((size, start)) = chunk_line(body) else {
            // A body may be cut after a chunk, and in the line before the next one.
            return any && (!is_whole || chunk_digits(body).is_some());
        };
        if size == 0 {
            return true;
        }
        let rest = &body[start..];
        let Some(after) = usize::try_from(size).ok().and_then(|size| rest.get(size..)) else {
            return any || !is_whole;
        };
        any = true;
        body = match after {
            [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
            [] | [b'\r'] => return true,
            _ => return false,
        };
    }
}

/// A body without chunks. Its trailer fields are left out.
struct Dechunked {
    source: BufferedSource,
    /// The rest of the current chunk, in bytes; `None` at the end.
    left: Option<u64>,
}

impl Dechunked {
    fn begin_chunk(&mut self) -> Option<u64> {
        // The end of the chunk before; a length is never empty.
        let end = match self.source.peek(2) {
            [b'\r', b'\n'] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
        self.source.consume(end);
        let (size, length) = chunk_line(self.source.peek(CHUNK_LINE))?;
        self.source.consume(length);
        (size > 0).then_some(size)
    }
}

impl Read for Dechunked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        if self.left == Some(0) {
            self.left = self.begin_chunk();
        }
        let Some(left) = self.left else {
            return Ok(0);
        };
        let n = self.source.by_ref().take(left).read(into)?;
        self.left = (n > 0).then_some(left - n as u64);
        Ok(n)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/archive/http.rs"]
mod tests;
