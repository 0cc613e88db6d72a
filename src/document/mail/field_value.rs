//! Values of header fields: unfolding, encoded words (RFC 2047), comments, brackets, parameters.

use memchr::{memchr, memchr3, memmem};
use percent_encoding::percent_decode;

use crate::bytes::class::run_end;
use crate::decode::charset;
use crate::decode::transfer::{Base64, QuotedPrintable};
use crate::decode::{Decode, RecordOffsets};
use crate::document::source_text::DecodedText;
use crate::uri::SCHEME;

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
                let (run, DecodedText { bytes, map, .. }) = (&rest[..=run], &mut *out);
                // Text before MIME has no label; UTF-8 may be damaged.
                let has_utf8 = run.utf8_chunks().any(|part| !part.valid().is_ascii());
                if has_utf8 || !charset::convert(b"", run, bytes, map) {
                    out.copy(run);
                }
                run.len()
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
    fn add(&mut self, word: &EncodedWord, out: &mut DecodedText) {
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
            Base64::default().whole(self.text, out, &mut ());
        } else {
            let spaced = self.text.iter();
            let spaced = spaced.map(|&byte| if byte == b'_' { b' ' } else { byte });
            let spaced: Vec<u8> = spaced.collect();
            QuotedPrintable::default().whole(&spaced, out, &mut ());
        }
    }
}

/// Passes the ranges in angle brackets outside comments, and the range of a bare URI that is alone, or
/// after a bracket that never closes, to `sink` (RFC 2369 section 2).
pub(super) fn brackets(value: &[u8], mut sink: impl FnMut(usize, usize)) {
    let mut at = 0;
    let mut bare = Some(0);
    let mut comments = Comments::default();
    while at < value.len() {
        match value[at] {
            b'(' => at = comments.end(value, at),
            b'<' => {
                let Some(length) = memchr(b'>', &value[at + 1..]) else {
                    bare = Some(at + 1);
                    break;
                };
                bare = None;
                sink(at + 1, at + 1 + length);
                at += length + 2;
            }
            _ => at += 1,
        }
    }
    let mut range = 0..0;
    at = bare.unwrap_or(value.len());
    while at < value.len() {
        match value[at] {
            b'(' => at = comments.end(value, at),
            byte if byte.is_ascii_whitespace() => at += 1,
            _ if range.end > 0 => return,
            _ => {
                // A URI may hold parentheses; a comment follows white space.
                range = at..run_end(value, at, |byte| !byte.is_ascii_whitespace());
                at = range.end;
            }
        }
    }
    let colon = SCHEME.first_outside(&value[range.clone()]);
    if colon.is_some_and(|at| at > 1 && value[range.start + at] == b':') {
        sink(range.start, range.end);
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
    // A URI may hold parentheses; a comment follows white space.
    let (mut uri, mut at) = (Vec::new(), 0);
    let mut comments = Comments::default();
    while at < value.len() {
        let apart = at == 0 || value[at - 1].is_ascii_whitespace();
        match value[at] {
            b'(' if apart => at = comments.end(value, at),
            b'<' | b'"' if uri.trim_ascii().is_empty() => {
                let start = run_end(value, at, |byte| matches!(byte, b'<' | b'"'));
                let close = if value[start - 1] == b'<' { b'>' } else { b'"' };
                let end = run_end(value, start, |byte| byte != close);
                uri = value[start..end].to_vec();
                break;
            }
            byte => {
                uri.push(byte);
                at += 1;
            }
        }
    }
    uri.retain(|byte| !byte.is_ascii_whitespace());
    uri
}

#[derive(Clone, Debug, Default)]
pub(super) struct Parameters {
    /// The value before the first semicolon, in lower case and without blanks and quotes.
    value: String,
    /// Names in lower case, and values, decoded.
    list: Vec<(String, Vec<u8>)>,
}

/// The maximum length of the value before the parameters, in bytes: a media type has two names of up
/// to 127 bytes (RFC 6838 section 4.2). Every record of a part repeats it.
const MAX_MAIN_VALUE: usize = 255;

/// Returns the value before the parameters, in lower case and without blanks and quotes.
pub(super) fn main_value(raw: &[u8]) -> String {
    ParameterInput::new(raw).main()
}

impl Parameters {
    pub(super) fn parse(raw: &[u8]) -> Self {
        let mut rest = ParameterInput::new(raw);
        let value = rest.main();
        let mut list = std::iter::from_fn(|| rest.parameter()).collect();
        join(&mut list);
        Parameters { value, list }
    }

    pub(super) fn value(&self) -> &str {
        &self.value
    }

    /// Returns the value of a parameter, the first of repeated ones.
    pub(super) fn parameter(&self, name: &str) -> Option<&[u8]> {
        let (_, value) = self.list.iter().find(|(known, _)| known == name)?;
        Some(value)
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

    /// Returns the bytes outside comments for which `is_kept` is true; takes and returns one of `stops`.
    fn take_until(&mut self, stops: [u8; 2], keeps: impl Fn(&u8) -> bool) -> (Vec<u8>, Option<u8>) {
        let mut out = Vec::with_capacity(32);
        loop {
            let rest = &self.raw[self.at..];
            let length = memchr3(b'(', stops[0], stops[1], rest).unwrap_or(rest.len());
            let end = self.at + length;
            let kept = rest[..length].split(|byte| !keeps(byte));
            kept.for_each(|kept| out.extend_from_slice(kept));
            self.at = end;
            match self.raw.get(end) {
                Some(b'(') => self.at = self.comments.end(self.raw, end),
                stop => {
                    self.at += usize::from(stop.is_some());
                    return (out, stop.copied());
                }
            }
        }
    }

    /// Returns a name: graphic characters but quotes, in lower case.
    fn name(&mut self, stops: [u8; 2]) -> (String, Option<u8>) {
        let keeps = |byte: &u8| byte.is_ascii_graphic() && *byte != b'"';
        let (mut name, stop) = self.take_until(stops, keeps);
        name.make_ascii_lowercase();
        // It is ASCII.
        (String::from_utf8(name).unwrap_or_default(), stop)
    }

    fn main(&mut self) -> String {
        let (mut name, _) = self.name([b';'; 2]);
        name.truncate(MAX_MAIN_VALUE);
        name
    }

    /// Returns the name of the next parameter, in lower case, and its unquoted value.
    fn parameter(&mut self) -> Option<(String, Vec<u8>)> {
        loop {
            let (name, stop) = self.name(*b"=;");
            if stop == Some(b'=') {
                return Some((name, self.value()));
            }
            if self.at >= self.raw.len() {
                return None;
            }
        }
    }

    fn value(&mut self) -> Vec<u8> {
        self.at = run_end(self.raw, self.at, |byte| byte.is_ascii_whitespace());
        let rest = &self.raw[self.at..];
        if rest.first() == Some(&b'"') {
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | b'\r' | b'\n');
            let plain = rest[1..].iter().position(special);
            let mut index = 1 + plain.unwrap_or(rest.len() - 1);
            let mut out = rest[1..index].to_vec();
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
            return out;
        }
        let (mut out, _) = self.take_until([b';'; 2], |byte| !matches!(byte, b'\r' | b'\n'));
        out.truncate(out.trim_ascii_end().len());
        out
    }
}

/// Joins continuations (`name*0`, `name*1*`) and decodes values with a charset (RFC 2231). A name
/// with another asterisk is literal.
fn join(list: &mut Vec<(String, Vec<u8>)>) {
    let mut parts: Vec<(String, u32, bool, Vec<u8>)> = Vec::new();
    list.retain_mut(|(name, value)| {
        let plain = name.strip_suffix('*');
        let (plain, encoded) = (plain.unwrap_or(name), plain.is_some());
        let (base, section) = match plain.split_once('*') {
            Some((base, section)) => (base, section.parse().ok()),
            None if encoded => (plain, Some(0)),
            None => (plain, None),
        };
        if let Some(section) = section {
            parts.push((base.to_owned(), section, encoded, std::mem::take(value)));
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
        let mut value = Vec::new();
        charset::to_utf8(&label, &bytes, &mut value);
        list.push((group[0].0.clone(), value));
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/mail/field_value.rs"]
mod tests;
