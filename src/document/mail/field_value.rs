//! Values of header fields: unfolding, encoded words (RFC 2047), comments, brackets, parameters.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr3, memmem};
use percent_encoding::percent_decode;

use crate::bytes::class::run_end;
use crate::decode::charset;
use crate::decode::transfer::{Base64, QuotedPrintable};
use crate::decode::{Decode, RecordOffsets};
use crate::document::source_text::DecodedText;

/// Appends a value as text: unfolded (RFC 5322 section 2.2.3), with encoded words decoded and joined.
pub(super) fn text(raw: &[u8], out: &mut DecodedText) {
    let mut words = EncodedWords::default();
    let mut at = 0;
    while at < raw.len() {
        let rest = &raw[at..];
        at += if let Some(word) = EncodedWord::parse(rest) {
            words.add(&word, out);
            word.length
        } else if words.length > 0 && matches!(rest[0], b' ' | b'\t' | b'\r' | b'\n') {
            // White space between encoded words is not part of the text.
            words.blanks.push(rest[0]);
            1
        } else {
            words.flush(out);
            let run = memchr3(b'\r', b'\n', b'=', &rest[1..]).unwrap_or(rest.len() - 1);
            if matches!(rest[0], b'\r' | b'\n') {
                out.map.skip(1);
                1
            } else {
                out.copy(&rest[..=run]);
                1 + run
            }
        };
    }
    words.flush(out);
}

/// Adjacent encoded words, joined, since a character may be split between two of them.
#[derive(Default)]
struct EncodedWords {
    charset: Vec<u8>,
    bytes: Vec<u8>,
    /// The length in the value, with the white space between the words.
    length: usize,
    /// White space after the last word.
    blanks: Vec<u8>,
}

impl EncodedWords {
    fn add(&mut self, word: &EncodedWord<'_>, out: &mut DecodedText) {
        let blanks = std::mem::take(&mut self.blanks).len();
        if self.length > 0 && !self.charset.eq_ignore_ascii_case(word.charset) {
            self.flush(out);
            out.map.skip(blanks);
        } else {
            self.length += blanks;
        }
        if self.charset.is_empty() {
            self.charset.extend_from_slice(word.charset);
        }
        word.decode(&mut self.bytes);
        self.length += word.length;
    }

    fn flush(&mut self, out: &mut DecodedText) {
        if self.length > 0 {
            let start = out.bytes.len();
            charset::to_utf8(&self.charset, &self.bytes, &mut out.bytes);
            out.map.put(out.bytes.len() - start, self.length);
            self.length = 0;
            self.charset.clear();
            self.bytes.clear();
        }
        for byte in self.blanks.drain(..) {
            match byte {
                b'\r' | b'\n' => out.map.skip(1),
                _ => out.copy(b" "),
            }
        }
    }
}

struct EncodedWord<'a> {
    charset: &'a [u8],
    encoding: u8,
    text: &'a [u8],
    length: usize,
}

impl<'a> EncodedWord<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(b"=?")?;
        let charset = memchr(b'?', &rest[..rest.len().min(64)])?;
        let &[encoding, b'?', ref text @ ..] = &rest[charset + 1..] else {
            return None;
        };
        let encoding = encoding.to_ascii_uppercase();
        // Words occur that are longer than the 75 bytes of RFC 2047 section 2.
        let end = memmem::find(&text[..text.len().min(4096)], b"?=")?;
        let text = &text[..end];
        if !matches!(encoding, b'B' | b'Q') || text.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
        {
            return None;
        }
        let charset = &rest[..charset];
        // RFC 2231 section 5: a language may follow.
        let label = &charset[..run_end(charset, 0, |byte| byte != b'*')];
        Some(EncodedWord {
            charset: label,
            encoding,
            text,
            length: 2 + charset.len() + 3 + end + 2,
        })
    }

    fn decode(&self, out: &mut Vec<u8>) {
        if self.encoding == b'B' {
            decode(Base64::default(), self.text, out);
        } else {
            let spaced = self.text.iter();
            let spaced = spaced.map(|&byte| if byte == b'_' { b' ' } else { byte });
            let spaced: Vec<u8> = spaced.collect();
            decode(QuotedPrintable::default(), &spaced, out);
        }
    }
}

fn decode(mut decoder: impl Decode, text: &[u8], out: &mut Vec<u8>) {
    decoder.push(text, out, &mut ());
    decoder.finish(out, &mut ());
}

/// Passes the ranges in angle brackets outside comments, or the range of a lone bare URI, to `sink`
/// (RFC 2369 section 2).
pub(super) fn brackets(value: &[u8], mut sink: impl FnMut(usize, usize)) {
    let mut at = 0;
    let mut any = false;
    let mut comments = Comments::default();
    while at < value.len() {
        match value[at] {
            b'(' => at = comments.end(value, at),
            b'<' => {
                let Some(length) = memchr(b'>', &value[at + 1..]) else {
                    return;
                };
                any = true;
                sink(at + 1, at + 1 + length);
                at += length + 2;
            }
            _ => at += 1,
        }
    }
    if any {
        return;
    }
    let start = value.len() - value.trim_ascii_start().len();
    let bare = value.trim_ascii();
    let scheme = memchr(b':', bare)
        .is_some_and(|colon| colon > 1 && bare[..colon].iter().all(u8::is_ascii_alphanumeric));
    if scheme && !bare.iter().any(u8::is_ascii_whitespace) {
        sink(start, start + bare.len());
    }
}

/// The ends of the comments of a value, found once, in time linear in its length.
#[derive(Debug, Default)]
pub(super) struct Comments {
    /// The index after the comment that would start at each byte.
    ends: Vec<usize>,
    /// [`skip`](Self::skip) was called for a comment that never closes.
    is_open: bool,
}

impl Comments {
    /// Returns the index after the comment at `at`; comments nest (RFC 5322 section 3.2.2). One that never
    /// closes is its opening bracket only.
    pub(super) fn end(&mut self, value: &[u8], at: usize) -> usize {
        if self.ends.is_empty() {
            self.ends = comment_ends(value);
        }
        self.ends[at]
    }

    /// Returns the index after the comment at `at`; `None` without one, and after one that never closes.
    pub(super) fn skip(&mut self, value: &[u8], at: usize) -> Option<usize> {
        if self.is_open || value[at] != b'(' {
            return None;
        }
        let end = self.end(value, at);
        self.is_open = end == at + 1;
        Some(end)
    }
}

fn comment_ends(value: &[u8]) -> Vec<usize> {
    // INVARIANT: which byte a backslash quotes does not depend on where a comment starts, because none
    // starts at a backslash.
    let mut quoted = false;
    let mut depth = 0_i64;
    // The open comments with the depths in them, which ascend.
    let mut open: Vec<(usize, i64)> = Vec::new();
    let mut ends: Vec<usize> = (1..=value.len()).collect();
    for (at, &byte) in value.iter().enumerate() {
        let plain = !std::mem::take(&mut quoted);
        match byte {
            b'\\' => quoted = plain,
            b'(' if plain => depth += 1,
            b')' if plain => depth -= 1,
            _ => {}
        }
        while let Some((start, _)) = open.pop_if(|(_, inside)| *inside > depth) {
            ends[start] = at + 1;
        }
        if byte == b'(' {
            open.push((at, depth));
        }
    }
    ends
}

/// Returns the URI of a field that holds nothing else: folded anywhere, perhaps in encoded words,
/// brackets or quotes, or beside comments (RFC 2557 section 4.4).
pub(super) fn lone_uri(raw: &[u8]) -> Vec<u8> {
    let mut decoded = DecodedText::default();
    text(raw, &mut decoded);
    let value = decoded.bytes.trim_ascii();
    let mut uri = match value {
        [open @ (b'<' | b'"'), rest @ ..] => {
            let close = if *open == b'<' { b'>' } else { b'"' };
            rest[..run_end(rest, 0, |byte| byte != close)].to_vec()
        }
        _ => {
            // A URI may hold parentheses; a comment follows white space.
            let (mut uri, mut at) = (Vec::new(), 0);
            let mut comments = Comments::default();
            while at < value.len() {
                let apart = at == 0 || value[at - 1].is_ascii_whitespace();
                if value[at] == b'(' && apart {
                    at = comments.end(value, at);
                } else {
                    uri.push(value[at]);
                    at += 1;
                }
            }
            uri
        }
    };
    uri.retain(|byte| !byte.is_ascii_whitespace());
    uri
}

#[derive(Clone, Debug, Default)]
pub(super) struct Parameters {
    /// The field as parsed, then the texts of the ranges.
    text: Vec<u8>,
    /// The value before the first semicolon, in lower case and without blanks.
    value: Range<usize>,
    /// The length of the parsed field.
    raw: usize,
    /// Names in lower case, and values, decoded.
    list: Vec<(Range<usize>, Range<usize>)>,
}

#[derive(Debug, Default)]
pub(super) struct ParameterCache {
    list: Vec<Arc<Parameters>>,
    /// The index of the value to replace next.
    oldest: usize,
}

/// The number of values that are kept, and the longest of them in bytes.
const CACHE_SIZE: usize = 8;
const MAX_CACHED: usize = 256;
/// The maximum length of the value before the parameters, in bytes: a media type has two names of up
/// to 127 bytes (RFC 6838 section 4.2). Every record of a part repeats it.
const MAX_MAIN_VALUE: usize = 255;

impl ParameterCache {
    pub(super) fn parse(&mut self, raw: &[u8]) -> Arc<Parameters> {
        let is_same = |known: &&Arc<Parameters>| &known.text[..known.raw] == raw;
        if let Some(known) = self.list.iter().find(is_same) {
            return Arc::clone(known);
        }
        let parsed = Arc::new(Parameters::parse(raw));
        // Values with a boundary do not recur.
        if raw.len() <= MAX_CACHED && parsed.parameter("boundary").is_none() {
            if self.list.len() < CACHE_SIZE {
                self.list.push(Arc::clone(&parsed));
            } else {
                self.list[self.oldest] = Arc::clone(&parsed);
                self.oldest = (self.oldest + 1) % CACHE_SIZE;
            }
        }
        parsed
    }
}

pub(super) fn main_value(raw: &[u8], out: &mut Vec<u8>) {
    ParameterInput::new(raw).main(out);
}

impl Parameters {
    pub(super) fn parse(raw: &[u8]) -> Self {
        let mut text = Vec::with_capacity(2 * raw.len());
        text.extend_from_slice(raw);
        let mut rest = ParameterInput::new(raw);
        rest.main(&mut text);
        let value = raw.len()..text.len();
        let mut list = Vec::new();
        let mut is_continued = false;
        while let Some((name, value)) = rest.parameter(&mut text) {
            is_continued |= memchr(b'*', &text[name.clone()]).is_some();
            list.push((name, value));
        }
        if is_continued {
            join(&mut text, &mut list);
        }
        Parameters {
            text,
            value,
            raw: raw.len(),
            list,
        }
    }

    pub(super) fn value(&self) -> &str {
        // It is ASCII.
        str::from_utf8(&self.text[self.value.clone()]).unwrap_or_default()
    }

    pub(super) fn has_value(&self, value: &str) -> bool {
        &self.text[self.value.clone()] == value.as_bytes()
    }

    /// Returns the value of a parameter, the first of repeated ones.
    pub(super) fn parameter(&self, name: &str) -> Option<&[u8]> {
        let is_same = |known: &Range<usize>| &self.text[known.clone()] == name.as_bytes();
        let (_, value) = self.list.iter().find(|(known, _)| is_same(known))?;
        Some(&self.text[value.clone()])
    }

    /// Compares the value of a parameter in any case.
    pub(super) fn is(&self, name: &str, value: &str) -> bool {
        self.parameter(name)
            .is_some_and(|known| known.trim_ascii().eq_ignore_ascii_case(value.as_bytes()))
    }
}

struct ParameterInput<'a> {
    raw: &'a [u8],
    at: usize,
    comments: Comments,
}

impl<'a> ParameterInput<'a> {
    fn new(raw: &'a [u8]) -> Self {
        ParameterInput {
            raw,
            at: 0,
            comments: Comments::default(),
        }
    }

    /// Appends the bytes outside comments for which `is_kept` is true; takes and returns one of `stops`.
    fn take_until(
        &mut self,
        stops: &[u8],
        is_kept: impl Fn(&u8) -> bool,
        out: &mut Vec<u8>,
    ) -> Option<u8> {
        loop {
            let is_plain = |byte| byte != b'(' && !stops.contains(&byte);
            let end = run_end(self.raw, self.at, is_plain);
            let kept = self.raw[self.at..end].split(|byte| !is_kept(byte));
            kept.for_each(|kept| out.extend_from_slice(kept));
            self.at = end;
            match *self.raw.get(end)? {
                b'(' => self.at = self.comments.end(self.raw, end),
                stop => {
                    self.at += 1;
                    return Some(stop);
                }
            }
        }
    }

    /// Appends a name: graphic characters, in lower case.
    fn name(&mut self, stops: &[u8], out: &mut Vec<u8>) -> Option<u8> {
        let start = out.len();
        let stop = self.take_until(stops, |byte| byte.is_ascii_graphic(), out);
        out[start..].make_ascii_lowercase();
        stop
    }

    fn main(&mut self, out: &mut Vec<u8>) {
        let most = out.len() + MAX_MAIN_VALUE;
        self.name(b";", out);
        out.truncate(most);
    }

    /// Appends the name of the next parameter, in lower case, and its unquoted value.
    fn parameter(&mut self, out: &mut Vec<u8>) -> Option<(Range<usize>, Range<usize>)> {
        let start = out.len();
        while self.name(b"=;", out) != Some(b'=') {
            out.truncate(start);
            if self.at >= self.raw.len() {
                return None;
            }
        }
        let name = start..out.len();
        self.value(out);
        Some((name.clone(), name.end..out.len()))
    }

    fn value(&mut self, out: &mut Vec<u8>) {
        while self.raw.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let rest = &self.raw[self.at..];
        if rest.first() == Some(&b'"') {
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | b'\r' | b'\n');
            let plain = rest[1..].iter().position(special);
            let mut index = 1 + plain.unwrap_or(rest.len() - 1);
            out.extend_from_slice(&rest[1..index]);
            while index < rest.len() && rest[index] != b'"' {
                if rest[index] == b'\\' && index + 1 < rest.len() {
                    index += 1;
                }
                // Unfolding keeps the white space after the line break.
                if !matches!(rest[index], b'\r' | b'\n') {
                    out.push(rest[index]);
                }
                index += 1;
            }
            self.at += (index + 1).min(rest.len());
            // Bytes between the closing quote and the next semicolon are ignored.
            let rest = &self.raw[self.at..];
            self.at += memchr(b';', rest).map_or(rest.len(), |end| end + 1);
            return;
        }
        let start = out.len();
        self.take_until(b";", |byte| !matches!(byte, b'\r' | b'\n'), out);
        let length = out[start..].trim_ascii_end().len();
        out.truncate(start + length);
    }
}

/// Joins continuations (`name*0`, `name*1*`) and decodes values with a charset (RFC 2231). A name
/// with another asterisk is literal.
fn join(text: &mut Vec<u8>, list: &mut Vec<(Range<usize>, Range<usize>)>) {
    let mut parts: Vec<(String, u32, bool, Vec<u8>)> = Vec::new();
    list.retain(|(name, value)| {
        // Names are ASCII.
        let name = str::from_utf8(&text[name.clone()]).unwrap_or_default();
        let (plain, encoded) = match name.strip_suffix('*') {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let (base, section) = match plain.split_once('*') {
            Some((base, section)) => (base, section.parse().ok()),
            None if encoded => (plain, Some(0)),
            None => (plain, None),
        };
        if let Some(section) = section {
            let value = text[value.clone()].to_vec();
            parts.push((base.to_owned(), section, encoded, value));
        }
        section.is_none()
    });
    parts.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    for group in parts.chunk_by(|a, b| a.0 == b.0) {
        let mut label = Vec::new();
        let mut bytes = Vec::new();
        for (_, section, encoded, value) in group {
            let mut rest = value.as_slice();
            if *encoded
                && *section == 0
                && let [charset, _, text] =
                    rest.splitn(3, |&byte| byte == b'\'').collect::<Vec<_>>()[..]
            {
                label = charset.to_vec();
                rest = text;
            }
            if *encoded {
                bytes.extend(percent_decode(rest));
            } else {
                bytes.extend_from_slice(rest);
            }
        }
        let start = text.len();
        text.extend_from_slice(group[0].0.as_bytes());
        let name = start..text.len();
        charset::to_utf8(&label, &bytes, text);
        list.push((name.clone(), name.end..text.len()));
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/field_value.rs"]
mod tests;
