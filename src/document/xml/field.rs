//! Instructions of fields in word processing (ECMA-376 part 1, 17.16): those that name a resource.

use std::ops::Range;

/// The resource of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldResource {
    /// Its range.
    Named(Range<usize>),
    /// It goes on behind the text: writers break instructions as they break any other text.
    Cut,
    /// There is none.
    Missing,
}

/// Returns the resource that an instruction names, if it is one of those that do.
pub(super) fn resource(instruction: &[u8]) -> FieldResource {
    let mut words = Words {
        bytes: instruction,
        at: 0,
        is_bare: true,
    };
    let name = words
        .next()
        .map(|name| instruction[name].to_ascii_uppercase());
    let valued: &[u8] = match name.as_deref() {
        Some(b"HYPERLINK") => b"lot",
        Some(b"INCLUDEPICTURE") => b"c",
        _ => return FieldResource::Missing,
    };
    let mut has_switch = false;
    while let Some(word) = words.next() {
        match instruction[word.clone()] {
            // A switch, and the word that belongs to it.
            [b'\\', switch, ..] if words.is_bare => {
                has_switch = true;
                if valued.contains(&switch.to_ascii_lowercase()) {
                    words.next();
                }
            }
            // Only the quote behind a quoted word tells that it is whole.
            _ if !words.is_bare && word.end == instruction.len() => return FieldResource::Cut,
            _ if word.is_empty() => return FieldResource::Missing,
            _ => return FieldResource::Named(word),
        }
    }
    match has_switch {
        true => FieldResource::Missing,
        false => FieldResource::Cut,
    }
}

/// Words of an instruction, which may stand in quotes.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether the last word stood without quotes.
    is_bare: bool,
}

impl Words<'_> {
    /// Returns the range of the next word, without its quotes.
    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.bytes[self.at..];
        let start = self.at + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.is_bare = self.bytes[start] != b'"';
        let inner = start + usize::from(!self.is_bare);
        let rest = &self.bytes[inner..];
        let end = match self.is_bare {
            true => rest.iter().position(u8::is_ascii_whitespace),
            // A quote in a word has a backslash before it.
            false => {
                let mut quotes = memchr::memchr_iter(b'"', rest);
                quotes.find(|&at| at == 0 || rest[at - 1] != b'\\')
            }
        };
        let end = inner + end.unwrap_or(rest.len());
        self.at = self.bytes.len().min(end + usize::from(!self.is_bare));
        Some(inner..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_instructions_name_a_resource() {
        for (instruction, expected) in [
            (
                r#" HYPERLINK "http://example.com/a" "#,
                Some("http://example.com/a"),
            ),
            (
                r#"hyperlink http://example.com/a \o "tip""#,
                Some("http://example.com/a"),
            ),
            (r#" HYPERLINK \o "tip" "a.html" \l "b""#, Some("a.html")),
            (r#" HYPERLINK \l "_Toc1" "#, None),
            (
                r#" INCLUDEPICTURE  "img\\a.png" \* MERGEFORMATINET \d "#,
                Some(r"img\\a.png"),
            ),
            (r#"HYPERLINK "" "#, None),
            (" PAGE ", None),
            (" HYPERLINK ", Some("(cut)")),
            (r#"HYPERLINK "http://example.com/cut"#, Some("(cut)")),
            ("", None),
        ] {
            let found = match resource(instruction.as_bytes()) {
                FieldResource::Named(range) => Some(&instruction[range]),
                FieldResource::Cut => Some("(cut)"),
                FieldResource::Missing => None,
            };
            assert_eq!(found, expected, "{instruction}");
        }
    }
}
