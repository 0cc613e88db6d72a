//! Content-Type and Content-Disposition: a value and its parameters (RFC 2045 section 5.1,
//! RFC 2231).

use std::sync::Arc;

use memchr::memchr;
use percent_encoding::percent_decode;

use super::value::Comments;
use crate::decode::charset::labels;

/// A value with parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters {
    /// The value before the first semicolon, in lower case, without blanks.
    pub(crate) value: String,
    /// Names in lower case, and values, decoded.
    list: Vec<(String, Vec<u8>)>,
}

/// Values that came lately, parsed.
#[derive(Debug, Default)]
pub(super) struct ParameterCache {
    list: Vec<(Vec<u8>, Arc<Parameters>)>,
    /// The next to make place for another.
    oldest: usize,
}

/// So many values are kept, none longer than this.
const VALUES: usize = 8;
const VALUE: usize = 256;
/// The longest value before the parameters: a media type has two names of up to 127 bytes
/// (RFC 6838 section 4.2). Every record of a part repeats it.
const MAIN: usize = 255;

impl ParameterCache {
    pub(super) fn parse(&mut self, raw: &[u8]) -> Arc<Parameters> {
        if let Some((_, known)) = self.list.iter().find(|(value, _)| value == raw) {
            return Arc::clone(known);
        }
        let parsed = Arc::new(Parameters::parse(raw));
        // Boundaries do not come again.
        if raw.len() <= VALUE && parsed.parameter("boundary").is_none() {
            let row = (raw.to_vec(), Arc::clone(&parsed));
            if self.list.len() < VALUES {
                self.list.push(row);
            } else {
                self.list[self.oldest] = row;
                self.oldest = (self.oldest + 1) % VALUES;
            }
        }
        parsed
    }
}

/// The value before the first semicolon, in lower case, without blanks.
pub(super) fn value(raw: &[u8]) -> String {
    ParameterInput::new(raw).main()
}

impl Parameters {
    pub(crate) fn parse(raw: &[u8]) -> Self {
        let mut rest = ParameterInput::new(raw);
        let value = rest.main();
        let mut pieces = Vec::new();
        while let Some(piece) = rest.parameter() {
            pieces.push(piece);
        }
        Parameters {
            value,
            list: join(pieces),
        }
    }

    /// The value of a parameter; the first one counts.
    pub(crate) fn parameter(&self, name: &str) -> Option<&[u8]> {
        self.list
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_slice())
    }

    /// Whether a parameter has this value, in any case.
    pub(crate) fn is(&self, name: &str, value: &str) -> bool {
        self.parameter(name)
            .is_some_and(|known| known.trim_ascii().eq_ignore_ascii_case(value.as_bytes()))
    }
}

/// One parameter as it stands: its name, and its value without quotes.
struct ParameterSection {
    name: String,
    value: Vec<u8>,
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

    fn main(&mut self) -> String {
        let mut value = String::with_capacity(32);
        while let Some(byte) = self.next_outside_comments() {
            if byte == b';' {
                break;
            }
            if byte.is_ascii_graphic() && value.len() < MAIN {
                value.push(char::from(byte.to_ascii_lowercase()));
            }
        }
        value
    }

    fn next_outside_comments(&mut self) -> Option<u8> {
        loop {
            let byte = *self.raw.get(self.at)?;
            if byte == b'(' {
                self.at = self.comments.end(self.raw, self.at);
                continue;
            }
            self.at += 1;
            return Some(byte);
        }
    }

    fn parameter(&mut self) -> Option<ParameterSection> {
        loop {
            let mut name = String::new();
            let mut named = false;
            while let Some(byte) = self.next_outside_comments() {
                match byte {
                    b'=' => {
                        named = true;
                        break;
                    }
                    b';' => break,
                    _ if byte.is_ascii_graphic() => {
                        name.push(char::from(byte.to_ascii_lowercase()));
                    }
                    _ => {}
                }
            }
            if named {
                let value = self.value();
                return Some(ParameterSection { name, value });
            }
            if self.at >= self.raw.len() {
                return None;
            }
        }
    }

    fn value(&mut self) -> Vec<u8> {
        while self.raw.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let rest = &self.raw[self.at..];
        let mut value = Vec::new();
        if rest.first() == Some(&b'"') {
            let mut index = 1;
            while index < rest.len() && rest[index] != b'"' {
                if rest[index] == b'\\' && index + 1 < rest.len() {
                    index += 1;
                }
                // Unfolding keeps the blank behind the line break.
                if !matches!(rest[index], b'\r' | b'\n') {
                    value.push(rest[index]);
                }
                index += 1;
            }
            self.at += (index + 1).min(rest.len());
            // What stands behind the closing quote is noise up to the next semicolon.
            let rest = &self.raw[self.at..];
            self.at += memchr(b';', rest).map_or(rest.len(), |end| end + 1);
            return value;
        }
        while let Some(byte) = self.next_outside_comments() {
            match byte {
                b';' => break,
                b'\r' | b'\n' => {}
                _ => value.push(byte),
            }
        }
        value.truncate(value.trim_ascii_end().len());
        value
    }
}

/// Joins continuations (`name*0`, `name*1*`) and decodes what carries a charset (RFC 2231).
fn join(pieces: Vec<ParameterSection>) -> Vec<(String, Vec<u8>)> {
    let mut list: Vec<(String, Vec<u8>)> = Vec::new();
    let mut parts: Vec<(String, u32, bool, Vec<u8>)> = Vec::new();
    for ParameterSection { name, value } in pieces {
        let (plain, encoded) = match name.strip_suffix('*') {
            Some(plain) => (plain, true),
            None => (name.as_str(), false),
        };
        let (base, section) = match plain.split_once('*') {
            Some((base, section)) => (base, section.parse().ok()),
            None if encoded => (plain, Some(0)),
            None => (plain, None),
        };
        match section {
            Some(section) => parts.push((base.to_owned(), section, encoded, value)),
            None => list.push((name.clone(), value)),
        }
    }
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
        labels::to_utf8(&label, &bytes, &mut value);
        list.push((group[0].0.clone(), value));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[rustfmt::skip]
    fn parameters_are_read() {
        let rows: &[(&str, &str, &str, Option<&str>)] = &[
            ("text/plain; charset=utf-8", "text/plain", "charset", Some("utf-8")),
            (" Text/HTML ;CHARSET = \"a\\\"b\" ; x=y", "text/html", "charset", Some("a\"b")),
            ("multipart/mixed; boundary=\"a; b\";", "multipart/mixed", "boundary", Some("a; b")),
            ("a/b (c; boundary=no); boundary=yes (no)", "a/b", "boundary", Some("yes")),
            ("a/b; url*0=\"http://a.example/\"; url*1=b", "a/b", "url", Some("http://a.example/b")),
            ("a/b; name*=iso-8859-1'en'caf%E9", "a/b", "name", Some("café")),
            ("a/b; name*0*=utf-8''caf%C3; name*1*=%A9; name*2=\"%41\"", "a/b", "name", Some("café%41")),
            ("a/b; charset", "a/b", "charset", None),
            ("", "", "charset", None),
            ("a/b; boundary=one two; x=y", "a/b", "boundary", Some("one two")),
            ("a/b; charset=x; charset=y", "a/b", "charset", Some("x")),
        ];
        for (raw, value, name, expected) in rows {
            let got = Parameters::parse(raw.as_bytes());
            let parameter = got.parameter(name).map(|value| String::from_utf8_lossy(value));
            assert_eq!((got.value.as_str(), parameter.as_deref()), (*value, *expected), "{raw:?}");
        }
    }
}
