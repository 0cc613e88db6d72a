//! References in the JSON of script elements: import maps, speculation rules and JSON-LD.

use std::borrow::Cow;
use std::ops::Range;

/// The kind of JSON in a script element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptJson {
    ImportMap,
    SpeculationRules,
    LinkedData,
}

/// Keys of JSON-LD whose values are references by convention.
const LINKED: &[&[u8]] = &[b"@id", b"url", b"image", b"sameAs", b"logo"];

/// The deepest nesting of values.
const MAX_DEPTH: usize = 127;

/// Returns the raw ranges of the strings that are references, without their quotes. Text that is not
/// JSON has none: a browser ignores all of it.
pub(super) fn references(bytes: &[u8], range: Range<usize>, kind: ScriptJson) -> Vec<Range<usize>> {
    let mut reader = JsonReader {
        bytes: &bytes[..range.end],
        at: range.start,
        kind,
        path: Vec::new(),
        found: Vec::new(),
    };
    let complete = reader.value(0).is_some();
    reader.space();
    match complete && reader.at == range.end {
        true => reader.found,
        false => Vec::new(),
    }
}

/// Appends a raw string to `out`, escapes replaced.
pub(super) fn unescape(bytes: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let escaped = bytes.get(at).copied().unwrap_or(b'\\');
        at += 1;
        match escaped {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let mut unit = four_digits(bytes, at);
                at += 4;
                if (0xD800..0xDC00).contains(&unit)
                    && bytes[at.min(bytes.len())..].starts_with(b"\\u")
                {
                    let low = four_digits(bytes, at + 2);
                    if (0xDC00..0xE000).contains(&low) {
                        unit = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        at += 6;
                    }
                }
                let character = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => out.push(escaped),
        }
    }
}

fn four_digits(bytes: &[u8], at: usize) -> u32 {
    let digits = bytes.get(at..at + 4).unwrap_or_default();
    digits.iter().fold(0, |number, &digit| {
        number * 16 + (digit as char).to_digit(16).unwrap_or(0)
    })
}

/// Whether a string of an import map is a reference; a bare name such as `react` is not.
fn is_module_reference(raw: &[u8]) -> bool {
    let mut text = Vec::new();
    unescape(raw, &mut text);
    text.starts_with(b"/")
        || text.starts_with(b"./")
        || text.starts_with(b"../")
        || str::from_utf8(&text).is_ok_and(|text| url::Url::parse(text).is_ok())
}

/// One level of a path.
enum JsonPathStep<'a> {
    /// A member of an object: its key, escapes replaced.
    Key(Cow<'a, [u8]>),
    Array,
}

struct JsonReader<'a> {
    bytes: &'a [u8],
    at: usize,
    kind: ScriptJson,
    /// The path of the current value.
    path: Vec<JsonPathStep<'a>>,
    found: Vec<Range<usize>>,
}

impl<'a> JsonReader<'a> {
    fn space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips white space and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' | b'[' if depth == MAX_DEPTH => None,
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => {
                let string = self.string()?;
                self.add_value(string);
                Some(())
            }
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            return self.expect(b'}');
        }
        loop {
            self.space();
            let key = self.string()?;
            let name = self.unescaped(key.clone());
            self.add_key(key);
            self.expect(b':')?;
            self.path.push(JsonPathStep::Key(name));
            self.value(depth + 1)?;
            self.path.pop();
            match self.peek()? {
                b',' => self.at += 1,
                _ => return self.expect(b'}'),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.expect(b'[')?;
        if self.peek()? == b']' {
            return self.expect(b']');
        }
        self.path.push(JsonPathStep::Array);
        loop {
            self.value(depth + 1)?;
            match self.peek()? {
                b',' => self.at += 1,
                _ => break,
            }
        }
        self.path.pop();
        self.expect(b']')
    }

    fn string(&mut self) -> Option<Range<usize>> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            match *self.bytes.get(self.at)? {
                b'"' => break,
                b'\\' => {
                    let escaped = *self.bytes.get(self.at + 1)?;
                    let digits = self.bytes.get(self.at + 2..self.at + 6);
                    let valid = match escaped {
                        b'u' => digits?.iter().all(u8::is_ascii_hexdigit),
                        _ => b"\"\\/bfnrt".contains(&escaped),
                    };
                    if !valid {
                        return None;
                    }
                    self.at += 2;
                }
                0..=0x1F => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(start..self.at - 1)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<()> {
        let start = self.at;
        let in_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        while self.bytes.get(self.at).is_some_and(in_word) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        (is_number(word) || matches!(word, b"true" | b"false" | b"null")).then_some(())
    }

    /// Returns a string of the text, escapes replaced.
    fn unescaped(&self, range: Range<usize>) -> Cow<'a, [u8]> {
        let raw = &self.bytes[range];
        if !raw.contains(&b'\\') {
            return Cow::Borrowed(raw);
        }
        let mut text = Vec::new();
        unescape(raw, &mut text);
        Cow::Owned(text)
    }

    /// Returns the key at a depth of the path; empty if there is none.
    fn key(&self, depth: usize) -> &[u8] {
        match self.path.get(depth) {
            Some(JsonPathStep::Key(key)) => key,
            _ => &[],
        }
    }

    fn add_key(&mut self, key: Range<usize>) {
        if self.kind != ScriptJson::ImportMap {
            return;
        }
        let wanted = match (self.key(0), self.path.len()) {
            (b"imports" | b"integrity", 1) => true,
            (b"scopes", 1 | 2) => self.in_objects(),
            _ => false,
        };
        if wanted && is_module_reference(&self.bytes[key.clone()]) {
            self.found.push(key);
        }
    }

    fn add_value(&mut self, value: Range<usize>) {
        let depth = self.path.len();
        let wanted = match self.kind {
            ScriptJson::ImportMap => {
                let expected = match self.key(0) {
                    b"imports" => 2,
                    b"scopes" => 3,
                    _ => return,
                };
                depth == expected
                    && self.in_objects()
                    && is_module_reference(&self.bytes[value.clone()])
            }
            ScriptJson::SpeculationRules => {
                depth == 4 && self.key(2) == b"urls" && self.alternates() && !value.is_empty()
            }
            ScriptJson::LinkedData => {
                let is_key = |level: &JsonPathStep| matches!(level, JsonPathStep::Key(_));
                let nearest = self.path.iter().rposition(is_key);
                nearest.is_some_and(|depth| LINKED.contains(&self.key(depth))) && !value.is_empty()
            }
        };
        if wanted {
            self.found.push(value);
        }
    }

    fn in_objects(&self) -> bool {
        self.path
            .iter()
            .all(|level| matches!(level, JsonPathStep::Key(_)))
    }

    /// Whether objects and arrays alternate on the path.
    fn alternates(&self) -> bool {
        let mut levels = self.path.iter().enumerate();
        levels.all(|(i, level)| matches!(level, JsonPathStep::Key(_)) == (i % 2 == 0))
    }
}

/// Whether a word is a number (RFC 8259 section 6).
fn is_number(word: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = word.strip_prefix(b"-").unwrap_or(word);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest[0] == b'0' {
        return false;
    }
    rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', digits @ ..] => digits,
            digits => digits,
        };
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str, kind: ScriptJson) -> Vec<String> {
        let ranges = references(json.as_bytes(), 0..json.len(), kind);
        let text = |range: Range<usize>| {
            let mut out = Vec::new();
            unescape(json[range].as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        ranges.into_iter().map(text).collect()
    }

    #[test]
    fn references_are_found_by_the_kind_of_script() {
        let map = r#"{"imports": {"react": "/r.js", "./a": "https:\/\/k.example/\u00e9"},
            "scopes": {"/s/": {"x": "../y", "z": "bare"}}, "integrity": {"/r.js": "sha384-x"}}"#;
        let expected = [
            "/r.js",
            "./a",
            "https://k.example/é",
            "/s/",
            "../y",
            "/r.js",
        ];
        assert_eq!(found(map, ScriptJson::ImportMap), expected);
        let rules = r#"{"prefetch": [{"urls": ["a", "b"], "where": {"href_matches": "/no"}}]}"#;
        assert_eq!(found(rules, ScriptJson::SpeculationRules), ["a", "b"]);
        let data = r##"[{"@id": "#i", "name": "no", "sameAs": ["u", "v"], "logo": {"url": "w"}}]"##;
        assert_eq!(found(data, ScriptJson::LinkedData), ["#i", "u", "v", "w"]);
    }

    #[test]
    fn a_member_that_stands_twice_counts_twice() {
        let map = r#"{"imports": {"./a": "./b", "./a": "./c"}, "imports": {"./d": "./e"}}"#;
        let expected = ["./a", "./b", "./a", "./c", "./d", "./e"];
        assert_eq!(found(map, ScriptJson::ImportMap), expected);
        let rules =
            r#"{"prefetch": [{"urls": ["a"], "urls": ["b"]}], "prefetch": [{"urls": ["c"]}]}"#;
        assert_eq!(found(rules, ScriptJson::SpeculationRules), ["a", "b", "c"]);
        let data = r#"{"url": "a", "url": "b"}"#;
        assert_eq!(found(data, ScriptJson::LinkedData), ["a", "b"]);
    }

    #[test]
    fn a_key_may_be_escaped() {
        let map = r#"{"\u0069mports": {"a": "./b"}}"#;
        assert_eq!(found(map, ScriptJson::ImportMap), ["./b"]);
        let rules = r#"{"prefetch": [{"\u0075rls": ["a"]}]}"#;
        assert_eq!(found(rules, ScriptJson::SpeculationRules), ["a"]);
        let data = r#"{"\u0040id": [["a"]]}"#;
        assert_eq!(found(data, ScriptJson::LinkedData), ["a"]);
    }

    #[test]
    fn text_that_is_not_json_has_no_references() {
        for json in [
            "",
            "{",
            r#"{"urls": ["a"],}"#,
            r#"{"urls": ["a"]} x"#,
            r#"{urls: ["a"]}"#,
        ] {
            assert!(
                found(json, ScriptJson::SpeculationRules).is_empty(),
                "{json}"
            );
        }
        let deep = "[".repeat(100_000);
        assert!(found(&deep, ScriptJson::ImportMap).is_empty());
    }
}
