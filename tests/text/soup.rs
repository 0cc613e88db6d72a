//! Seeded generators of texts: soups of tokens, cases with white space, with line prefixes or joined,
//! and repetitions.

use super::oracle::{NonAscii, Options};
use super::vectors::Case;

/// A small generator of numbers (SplitMix64): the same numbers for the same seed, everywhere.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn seeded(seed: u64) -> Self {
        Numbers(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// The tokens of soups; frequent ones stand in several rows.
#[rustfmt::skip]
const TOKENS: &[&[u8]] = &[
    // Delimiters, and what opens and closes.
    b"<", b"<", b"<", b">", b">", b">", b"\"", b"\"", b"\"", b"'", b"''", b"`", b"(", b")", b"[", b"]", b"{", b"}",
    b"<URL:", b"<URL:", b"URL:", b"url: ", b"\"URL:", b"<a href=\"", b"](", b"[1]", b"[23]", b"[4567]", b"((((", b"}}",
    // Schemes.
    b"http://", b"http://", b"https://", b"HTTPS://", b"ftp://", b"ws://", b"http:", b"https:", b"file:///", b"file:/",
    b"foo://", b"a://", b"git+https://", b"x+http://", b"svn+ssh://", b"linkhttps://", b"2http://", b".http://", b"-ftp://",
    b"view-source:", b"mailto:", b"news:", b"tel:", b"urn:", b"data:", b"doi:10.1000/", b"geo:1,2", b"tag:a.example,2001:",
    b"magnet:?", b"did:ex:", b"cid:", b"sip:", b"matrix:u/", b"note:", b"wibble:", b"://", b":", b"+", b"1",
    // Hosts, paths and whole URIs.
    b"a", b"b", b"a.example", b"a.example/", b"b.example/x", b"a-.example", b"-", b"-", b".", b"..", b"...", b"/", b"//", b"?", b"#",
    b"x", b"path", b"a.example:80", b":8080/", b"user@", b"u:p@", b"[::1]", b"[::1%25eth0]", b"[not:v6]", b"%41", b"%zz", b"%",
    b"*", b"$H", b"www.", b"www.a.example", b"www.b.example/y", b"a@b.example", b"mailto:a@b.c", b"@", b"xn--p1ai", b"_", b"~",
    b"http://a.example/x", b"https://a.example/a/rather/long/path/that/reaches/the/right/margin/x", b"<http://a.example/b>",
    // White space.
    b" ", b" ", b" ", b"  ", b"\t", b"\n", b"\n", b"\n", b"\n", b"\r\n", b"\r\n", b"\r", b"\x0B", b"\x0C", b" \n ", b"-\n",
    b"\n\n", b"\n\n", b"\r\n\r\n", b"\n \t\n", b"\n\x0C\n",
    // Line prefixes.
    b"\n> ", b"\n> ", b"\n>> ", b"\n > > ", b"\n>", b"> ", b"\n# ", b"\n#", b"\n## ", b"\n// ", b"\n/* ", b"\n * ", b"\n-- ", b"\n; ", b"\n| ", b"\n&gt; ", b"\n&gt;", b"\n> &gt; ", b"\nx/y z", b"\nx?y\n", b"\n1) ", b"\nField: ", b"\n-- \n",
    // Punctuation.
    b",", b";", b"!", b"|", b"| ", b"&", b"=", b"^", b"\\", b"\\\n", b"\\:", b"\\-", b"\n.UR ", b"\n+.", b"____\n", b"x----\n", b"====", b"&gt;", b"&lt;", b"&QUOT;", b"&amp;", b",http://", b"|https://", b";FTP://",
    // Beyond ASCII.
    "\u{A0}".as_bytes(), "\u{AD}".as_bytes(), "\u{200B}".as_bytes(), "\u{200D}".as_bytes(), "\u{2060}".as_bytes(), "\u{FEFF}".as_bytes(),
    "\u{2028}".as_bytes(), "\u{3000}".as_bytes(), "\u{85}".as_bytes(), "\u{2019}".as_bytes(), "\u{201C}".as_bytes(), "\u{2026}".as_bytes(),
    "\u{2013}".as_bytes(), "\u{2014}".as_bytes(), "\u{60C}".as_bytes(), "\u{FF09}".as_bytes(), "\u{3002}".as_bytes(), "\u{FF1B}".as_bytes(),
    "\u{FC}".as_bytes(), "\u{4F8B}".as_bytes(), "\u{1F43C}".as_bytes(), "\u{2066}".as_bytes(), "\u{FFFD}".as_bytes(),
    b"\xE9", b"\x93", b"\xA0", b"\xE3\x80", b"\xF0\x9F", b"\xC0\xAF", b"\xED\xA0\x80", b"\xFF",
    // Controls.
    b"\0", b"\x7F", b"\x07", b"\x1B", b"\x1B[4m", b"\x1B]8;;", b"\x1B]8;;http://a.example/x", b"\x1B]8;id=1;", b"\x1B\\",
];

/// The parts of an enclosure: start of the line, opening, start and continuation of the URI, closing.
#[rustfmt::skip]
const LEADS: &[&[u8]] = &[b"", b"", b"", b"\n> ", b"\n>> ", b"\n&gt; ", b"\n> &gt;", b"\n.UR ", b"\n# ", b"\n // ", b"\n/* ", b"\n", b" ", b"x"];
#[rustfmt::skip]
const OPENS: &[&[u8]] = &[
    b"<", b"<", b"<", b"\"", b"\"", b"<URL:", b"<URL: ", b"\"URL:", b"< ", b" \" ", b"=\"\n", b"<\n", b"<URL:\n", b"\x1B]8;;", b"\x1B]8;id=1;",
];
#[rustfmt::skip]
const BEGINS: &[&[u8]] = &[
    b"http://a.example/", b"http://a.example/", b"https://u@b.example:80/x", b"ftp://a-", b"https:\n//a.example/", b"http: //a.example/", b"http://",
    b"foo://a", b"git+https://a.example", b"file:///", b"mailto:a@b.c", b"mailto:", b"news:a.b", b"urn:a:b", b"wibble:", b"../x", b"x.html#y", b"//a/", b"#",
];
#[rustfmt::skip]
const GOES_ON: &[&[u8]] = &[
    b"x", b"x", b"y/", b"/", b"-", b".", b"a@b", b"?q=", b"#f", b"[", b"%4", b"{}", b"\\", b" ", b" ", b"\t ", b"\n", b"\n", b"\r\n ", b"\r", b"-\n",
    b"- \n ", b"\n> ", b"\n>> ", b"\n>", b"\n# ", b"\n#", b"\n // ", b"\n * ", b"\n\n", b"\n&gt; ", b"\n&gt;&gt;", b"\n> &gt; ",
    b"\\\n", b"-\\\r\n", b" \\\n", b"\\\n> ", b"\\\n&gt; ", b"\\:", b"\\-", b"____", b"____\n", "\u{A0}".as_bytes(), "\u{AD}".as_bytes(), "-\u{200B}\n".as_bytes(),
    "\u{FC}".as_bytes(), b"\xE9", b"<", b"\x07",
];
#[rustfmt::skip]
const CLOSES: &[&[u8]] = &[b">", b">", b">", b"\"", b"\"", b"\x07", b"\x1B\\", b" >", b"\n>", b"\"x", b"\n> \"", b">>", b""];

/// Returns a soup of up to `longest` tokens and enclosures.
pub(crate) fn soup(numbers: &mut Numbers, longest: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..=numbers.below(longest) {
        if numbers.below(8) > 0 {
            text.extend(*numbers.pick(TOKENS));
            continue;
        }
        for part in [LEADS, OPENS, BEGINS] {
            text.extend(*numbers.pick(part));
        }
        for _ in 0..numbers.below(6) {
            text.extend(*numbers.pick(GOES_ON));
        }
        text.extend(*numbers.pick(CLOSES));
    }
    text
}

/// Returns random options, mostly the default ones.
pub(crate) fn options(numbers: &mut Numbers) -> Options {
    Options {
        non_ascii: *numbers.pick(&[NonAscii::Iri, NonAscii::Iri, NonAscii::Ascii]),
        www: numbers.below(3) == 0,
        email: numbers.below(3) == 0,
        strict: numbers.below(4) == 0,
        troff: numbers.below(4) == 0,
    }
}

/// Returns the pieces of `text` between its empty lines (`\n[ \t\r]*\n`), with their offsets.
pub(crate) fn pieces(text: &[u8]) -> Vec<(usize, &[u8])> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(offset) = text[at..].iter().position(|&byte| byte == b'\n') {
        let end = at + offset;
        let behind = &text[end + 1..];
        let blanks = behind.iter().take_while(|byte| b" \t\r".contains(byte));
        let blanks = blanks.count();
        at = end + 1;
        if behind.get(blanks) == Some(&b'\n') {
            pieces.push((start, &text[start..end]));
            start = at + blanks + 1;
            at = start;
        }
    }
    pieces.push((start, &text[start..]));
    pieces
}

/// Returns the texts joined by empty lines, with the offset of each.
pub(crate) fn joined(texts: &[&[u8]]) -> (Vec<u8>, Vec<usize>) {
    let mut text = Vec::new();
    let mut offsets = Vec::new();
    for piece in texts {
        if !offsets.is_empty() {
            text.extend(b"\n\n");
        }
        offsets.push(text.len());
        text.extend(*piece);
    }
    (text, offsets)
}

/// Returns `text` with `prefix` before every line.
pub(crate) fn prefixed(text: &[u8], prefix: &[u8]) -> Vec<u8> {
    let mut lines = prefix.to_vec();
    for (at, &byte) in text.iter().enumerate() {
        lines.push(byte);
        let breaks = byte == b'\n' || (byte == b'\r' && text.get(at + 1) != Some(&b'\n'));
        if breaks {
            lines.extend(prefix);
        }
    }
    lines
}

/// Returns a case's text with white space in its `<...>`, or `None` if it has no `<...>`.
///
/// No URI changes: breaks stand only behind `//`, without empty lines, within the limits of T13.
pub(crate) fn woven(case: &Case, numbers: &mut Numbers) -> Option<Vec<u8>> {
    let (expected, start) = case.expected.iter().find_map(|expected| {
        let openers = [&b"<"[..], b"<URL:"].into_iter();
        let mut places = openers.filter_map(|opener| {
            let enclosed = [opener, &expected.uri, b">"].concat();
            find(&case.text, &enclosed).map(|at| at + opener.len())
        });
        let start = places.next().filter(|_| expected.kind == "angle")?;
        Some((expected, start))
    })?;
    let uri = &expected.uri;
    // A relative reference, and an unknown scheme without `//`, may hold no inner space (T22).
    let colon = find(uri, b":").map_or(0, |colon| colon + 1);
    let slashes = uri[colon..].starts_with(b"//");
    let spaces = slashes && !expected.flags.iter().any(|flag| flag == "relative");
    let body = if slashes { colon + 2 } else { colon + 1 };
    let mut text = case.text[..start].to_vec();
    text.extend(*numbers.pick(&[&b""[..], b" ", b"\n", b" \t", b"\r\n  "]));
    let mut left = if spaces { 8 } else { 0 };
    let mut breaks = 64;
    for (at, &byte) in uri.iter().enumerate() {
        let rate = uri.len().min(12);
        if at >= body.min(uri.len() - 1) && numbers.below(rate) < 2 {
            if left > 0 && numbers.below(3) == 0 {
                left -= 1;
                text.extend(*numbers.pick(&[&b" "[..], b"\t", b"  ", "\u{A0}".as_bytes()]));
            } else if breaks > 0 {
                breaks -= 1;
                let kinds = [
                    &b"\n"[..],
                    b"\r\n",
                    b"\r",
                    b" \n",
                    b"\n   ",
                    b"\t\r\n\t",
                    b"\n\x0C",
                ];
                text.extend(*numbers.pick(&kinds));
            }
        }
        text.push(byte);
    }
    // T17: a closer that leads its line closes nothing that has inner space.
    let ends = [&b""[..], b" ", b"\t "];
    let with_break = [&b""[..], b" ", b"\n", b"\r\n "];
    text.extend(*numbers.pick(if spaces { &ends[..] } else { &with_break[..] }));
    text.extend(&case.text[start + uri.len()..]);
    Some(text)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// Tokens whose repetition is hard on a scanner.
#[rustfmt::skip]
pub(crate) const HOSTILE: &[&[u8]] = &[
    b"<", b"\"", b"(", b")", b"[", b"]", b":", b"a:", b"://", b"http://", b"<http://a", b"\"http://a ", b"<http://a ", b"<http://a\n", b"www.",
    b"www.a", b"a@", b"@", b"URL:", b"<URL:", b"<URL:a ", b"&gt", b"&gt;", b",http://", b"|http://a", b"[1]", b"'", b"http://a/'.", b"http://a/(",
    b"\x1B]8;;", b"\x1B]8;;http://a", b" ", b"\t", b"> ", b"\n>", b"+", b"a", b"a.", b"-", b".", b"%", b"\xF0\x9F", b"\xE2\x80\xA6", b"\xE2\x80\x8B",
    b"http://a.example/x\n", b"> http://a.example/x\n", b"<http://a.example/x>", b"mailto:", b"news:.", b"http:", b"x-http:",
    b"<http://a\\\n", b"\\\n", b"&gt; <http://a\n", b"\n&gt;", b"<http://a\n&gt; ", b"http://a/____\n", b"____", b"\n.", b".http://a\\:", b"\\:", b"\\-",
    b".http://(\\-", b"\n.http://a\\:)", b".http:\\:", b"http:?",
];

/// Returns `length` bytes of repeated `token`.
pub(crate) fn repeated(token: &[u8], length: usize) -> Vec<u8> {
    token.iter().copied().cycle().take(length).collect()
}
