//! Hostile documents, generated from a seed: reference attributes on every tag, in the constructs
//! where tree builders do most.

mod fragments;

use super::oracle::Options;
use fragments::{
    ANYWHERE, BEFORE_CLOSE, BETWEEN, BYTES, CSS, DATA, ENCODINGS, END_TAG_REST, PLAIN, REFERENCES,
    REFRESH, SRCDOC, SRCSET, STYLES, TEXT, THEMES, TRANSPORTS, Theme, VALUES,
};

/// The most pieces of a document. Short documents make interactions between tags likely.
const MAX_PIECES: usize = 24;

/// A document in pieces, so that a failing one can be shrunk piece by piece.
#[derive(Clone, Debug)]
pub(crate) struct Hostile {
    pub(crate) pieces: Vec<Vec<u8>>,
    pub(crate) options: Options,
}

impl Hostile {
    /// Generates the document of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut writer = Writer {
            random: Random::new(seed),
            number: 0,
        };
        let options = writer.options();
        Hostile {
            pieces: writer.document(),
            options,
        }
    }

    /// Generates a document of CSS: a style element and a style attribute.
    pub(crate) fn css(seed: u64) -> Self {
        let mut writer = Writer {
            random: Random::new(seed),
            number: 0,
        };
        let mut pieces = vec![b"<style>".to_vec()];
        writer.css(&mut pieces, |css| css.to_owned());
        pieces.push(b"</style><p style=\"".to_vec());
        writer.css(&mut pieces, |css| css.replace('"', "&quot;"));
        pieces.push(b"\">".to_vec());
        Hostile {
            pieces,
            options: Options::default(),
        }
    }

    /// Generates a style sheet.
    pub(crate) fn sheet(seed: u64) -> Vec<u8> {
        let mut writer = Writer {
            random: Random::new(seed),
            number: 0,
        };
        let mut pieces = Vec::new();
        writer.css(&mut pieces, |css| css.to_owned());
        pieces.concat()
    }

    /// Returns the whole document.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }
}

/// Returns the end tag of the text element or comment that a piece starts, if any.
fn closing(piece: &[u8]) -> Option<Vec<u8>> {
    const TEXTS: [&str; 9] = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript",
    ];
    let piece = String::from_utf8_lossy(piece).to_ascii_lowercase();
    if piece.starts_with("<!--") && !piece.ends_with('>') {
        return Some(b"-->".to_vec());
    }
    let name = TEXTS.iter().find(|name| {
        let rest = piece
            .strip_prefix('<')
            .and_then(|rest| rest.strip_prefix(**name));
        rest.is_some() && !piece.contains("</")
    })?;
    Some(format!("</{name}>").into_bytes())
}

struct Writer {
    random: Random,
    /// The number of the last reference.
    number: usize,
}

impl Writer {
    fn options(&mut self) -> Options {
        let uris = [
            "https://ex.example/dir/page.html?q=1#f",
            "https://ex.example/",
            "file:///srv/www/index.html",
        ];
        let has_transport = self.random.one_in(8);
        Options {
            extended: false,
            scripting: self.random.one_in(4),
            transport_charset: has_transport.then(|| self.random.pick(TRANSPORTS).to_owned()),
            document_uri: Some(self.random.pick(&uris).to_owned()),
        }
    }

    fn document(&mut self) -> Vec<Vec<u8>> {
        // Most documents mix two themes.
        let themes = [(); 2].map(|()| self.random.below(THEMES.len()));
        let is_mixed = self.random.one_in(4);
        let length = 1 + self.random.below(MAX_PIECES);
        let mut pieces = Vec::new();
        for _ in 0..length {
            let theme = if is_mixed {
                self.random.below(THEMES.len())
            } else {
                self.random.pick(&themes)
            };
            let piece = self.piece(&THEMES[theme]);
            let closing = closing(&piece);
            pieces.push(piece);
            // Otherwise half of all bytes would be text of an unclosed element.
            if let Some(closing) = closing
                && !self.random.one_in(4)
            {
                pieces.push(closing);
            }
        }
        if self.random.one_in(6) {
            self.damage(&mut pieces);
        }
        if self.random.one_in(6)
            && let Some(last) = pieces.last_mut()
        {
            // The document may end anywhere.
            last.truncate(self.random.below(last.len() + 1));
        }
        pieces
    }

    fn damage(&mut self, pieces: &mut [Vec<u8>]) {
        for _ in 0..1 + self.random.below(4) {
            let which = self.random.below(pieces.len());
            let piece = &mut pieces[which];
            let at = self.random.below(piece.len() + 1);
            let bytes = self.random.pick(BYTES);
            let replaced = usize::from(at < piece.len() && self.random.one_in(2));
            piece.splice(at..at + replaced, bytes.iter().copied());
        }
    }

    fn piece(&mut self, theme: &Theme) -> Vec<u8> {
        let piece = match self.random.below(26) {
            0..=10 => {
                let name = self.random.pick(theme.names);
                return self.start_tag(name).into_bytes();
            }
            11..=13 => self.end_tag(theme),
            14..=19 => self.random.pick(theme.pieces).to_owned(),
            20 => self.random.pick(TEXT).to_owned(),
            21 => self.random.pick(ENCODINGS).to_owned(),
            22 => self.block(),
            _ => self.random.pick(ANYWHERE).to_owned(),
        };
        self.number(&piece).into_bytes()
    }

    /// An element whose text or content has references.
    fn block(&mut self) -> String {
        let types = [
            "",
            " type=text/css",
            " type=''",
            " type=x",
            " TYPE='Text/CSS'",
        ];
        match self.random.below(4) {
            0 => format!(
                "<style{}>{}</style>",
                self.random.pick(&types),
                self.join(CSS, 6)
            ),
            1 => {
                let kind = self
                    .random
                    .pick(&["importmap", "ImportMap", " importmap ", "x"]);
                format!("<script type='{kind}'>{}</script>", self.random.pick(DATA))
            }
            2 => {
                let data = self.random.pick(DATA);
                format!("<script type=speculationrules>{data}</script>")
            }
            _ => {
                let content = self.join(REFRESH, 5);
                format!("<meta http-equiv=refresh content{}>", self.quoted(&content))
            }
        }
    }

    fn join(&mut self, words: &[&str], most: usize) -> String {
        let count = self.random.below(most + 1);
        (0..count).map(|_| self.random.pick(words)).collect()
    }

    fn css(&mut self, pieces: &mut Vec<Vec<u8>>, escape: impl Fn(&str) -> String) {
        const CHARACTERS: &[&str] = &[
            "\\", "\\", "'", "\"", "(", ")", "[", "]", "{", "}", "@", ";", "/*", "*/", "-", "#",
            " ", "\n", "\r\n", "\u{c}", "\0", "\u{1}", "2", "a", "url(", "\u{e9}", "src(", "--",
            "<!-",
        ];
        for _ in 0..self.random.below(16) {
            let fragments = if self.random.one_in(2) {
                CSS
            } else {
                CHARACTERS
            };
            let fragment = self.random.pick(fragments);
            pieces.push(escape(&self.number(fragment)).into_bytes());
        }
    }

    /// Replaces every `%` by a new number.
    fn number(&mut self, text: &str) -> String {
        let mut numbered = String::new();
        for (at, part) in text.split('%').enumerate() {
            if at > 0 {
                self.number += 1;
                numbered += &self.number.to_string();
            }
            numbered += part;
        }
        numbered
    }

    fn name(&mut self, name: &str) -> String {
        if self.random.one_in(6) {
            name.to_ascii_uppercase()
        } else {
            name.to_owned()
        }
    }

    fn end_tag(&mut self, theme: &Theme) -> String {
        let name = self.random.pick(theme.names);
        let name = self.name(name);
        // Rare: an unclosed quote in an end tag hides the rest of the document.
        let more = if self.random.one_in(40) {
            " '"
        } else {
            self.random.pick(END_TAG_REST)
        };
        format!("</{name}{more}>")
    }

    fn start_tag(&mut self, name: &str) -> String {
        let mut tag = format!("<{}", self.name(name));
        for _ in 0..self.random.below(4) {
            tag += self.random.pick(BETWEEN);
            tag += &self.attribute(name);
        }
        tag += self.random.pick(BEFORE_CLOSE);
        if self.random.one_in(8) {
            tag += "/";
        }
        tag + ">"
    }

    fn attribute(&mut self, element: &str) -> String {
        let suited: &[&str] = match element {
            "a" | "area" => &["href", "href", "ping"],
            "img" | "source" => &["src", "srcset", "srcset"],
            "link" => &["href", "imagesrcset"],
            "meta" => &["content"],
            "iframe" => &["srcdoc", "srcdoc", "src"],
            "form" => &["action"],
            "object" | "applet" => &["data", "codebase", "archive", "classid"],
            "param" => &["value"],
            "base" => &["href"],
            "body" | "table" | "tr" | "td" | "th" | "tbody" => &["background", "style"],
            "html" => &["manifest", "style", "itemid"],
            "svg" | "g" | "path" | "use" | "image" | "set" | "animate" | "filter" | "cursor"
            | "mi" | "mtext" | "mglyph" | "mrow" => &["href", "xlink:href", "src", "style"],
            "frame" | "script" | "video" | "input" | "embed" => &["src", "itemid"],
            _ => &["style", "itemid", "href", "src"],
        };
        let name = match self.random.below(10) {
            0 | 1 => {
                let plain = self.random.pick(PLAIN);
                return if element == "meta" && self.random.one_in(2) {
                    "http-equiv=refresh".to_owned()
                } else {
                    plain.to_owned()
                };
            }
            2..=5 => self.random.pick(suited),
            6 => self.random.pick(STYLES),
            7 => self
                .random
                .pick(&["srcset", "content", "srcdoc", "imagesrcset"]),
            _ => self.random.pick(REFERENCES),
        };
        let value = match name {
            "srcset" | "imagesrcset" => self.join(SRCSET, 8),
            "srcdoc" => self.join(SRCDOC, 3),
            "content" => self.join(REFRESH, 5),
            style if STYLES.contains(&style) => self.join(CSS, 4),
            _ => self.random.pick(VALUES).to_owned(),
        };
        let value = self.number(&value);
        format!("{}{}", self.name(name), self.quoted(&value))
    }

    fn quoted(&mut self, value: &str) -> String {
        let equals = self
            .random
            .pick(&["=", "=", "=", "=", "=", " = ", "\n=", "=\t"]);
        let is_bare =
            !value.is_empty() && !value.contains(|c: char| c.is_ascii_whitespace() || c == '>');
        match self.random.below(16) {
            0 => String::new(),
            1 => equals.to_owned(),
            // The value may contain the quote.
            2 => format!("{equals}\"{value}\""),
            3..=6 if is_bare => format!("{equals}{value}"),
            7..=9 => format!("{equals}'{}'", value.replace('\'', "&#39;")),
            _ => format!("{equals}\"{}\"", value.replace('"', "&quot;")),
        }
    }
}

/// SplitMix64.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
