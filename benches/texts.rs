//! Made-up texts with as many colons and URIs in a kilobyte as real ones: `prose` as the Linux
//! kernel's documentation and mailing lists (0.2 URIs), `source` as C and Rust, `log` as a web
//! server's, and `dense` as JSON that is full of URIs.

/// A text and the number of URIs in it.
pub(crate) struct Text {
    /// What it is like.
    pub(crate) name: &'static str,
    /// The text.
    pub(crate) bytes: Vec<u8>,
    /// How many URIs it holds.
    pub(crate) uris: usize,
}

/// Writes a paragraph.
type Paragraph = fn(&mut Writer);

/// One text of each kind, of about so many bytes.
pub(crate) fn texts(size: usize) -> Vec<Text> {
    let kinds: [(&'static str, Paragraph); 4] = [
        ("prose", prose),
        ("source", source),
        ("log", log),
        ("dense", dense),
    ];
    let made = kinds.into_iter().map(|(name, paragraph)| {
        let mut writer = Writer {
            state: 42,
            text: Vec::with_capacity(size + 4096),
            uris: 0,
        };
        while writer.text.len() < size {
            paragraph(&mut writer);
        }
        Text {
            name,
            bytes: writer.text,
            uris: writer.uris,
        }
    });
    made.collect()
}

const WORDS: [&str; 24] = [
    "the",
    "of",
    "a",
    "reference",
    "is",
    "resolved",
    "against",
    "its",
    "base",
    "and",
    "to",
    "which",
    "document",
    "may",
    "not",
    "be",
    "found",
    "in",
    "an",
    "enclosing",
    "entity",
    "where",
    "retrieval",
    "context",
];
const NAMES: [&str; 12] = [
    "buffer", "length", "self", "index", "node", "parse", "next", "value", "result", "error",
    "state", "id",
];
const HOSTS: [&str; 4] = [
    "www.example.com",
    "docs.example.org",
    "example.net",
    "lists.archive.example.com",
];

struct Writer {
    state: u64,
    text: Vec<u8>,
    uris: usize,
}

impl Writer {
    fn below(&mut self, limit: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.state >> 33) as usize % limit
    }

    fn put(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn pick(&mut self, from: &[&str]) {
        let at = self.below(from.len());
        self.put(from[at]);
    }

    fn number(&mut self, limit: usize) {
        let number = self.below(limit);
        self.put(&format!("{number:02}"));
    }

    fn uri(&mut self) {
        self.uris += 1;
        self.pick(&["https://", "https://", "http://", "ftp://"]);
        self.pick(&HOSTS);
        for _ in 0..self.below(5) {
            self.put("/");
            self.pick(&WORDS);
        }
        self.pick(&["", "/", ".html", "?id=7", "#top", "?a=b&c=%20d"]);
    }

    /// A word and what follows it.
    fn word(&mut self, column: &mut usize) {
        let start = self.text.len();
        match self.below(1600) {
            0 => {
                self.put("<");
                self.uri();
                self.put(">");
            }
            1 => self.uri(),
            2..26 => {
                self.pick(&WORDS);
                self.put(":");
            }
            26..34 => {
                self.number(24);
                self.put(":");
                self.number(60);
            }
            34..80 => {
                self.put("\"");
                self.pick(&WORDS);
                self.put("\"");
            }
            80..200 => {
                self.pick(&WORDS);
                self.pick(&[".", ",", ",", ";", " (", ")"]);
            }
            _ => self.pick(&WORDS),
        }
        *column += self.text.len() - start + 1;
        match *column > 70 {
            true => {
                *column = 0;
                self.put("\n");
            }
            false => self.put(" "),
        }
    }
}

fn prose(writer: &mut Writer) {
    let mut column = 0;
    for _ in 0..60 + writer.below(80) {
        writer.word(&mut column);
    }
    writer.put("\n\n");
}

fn source(writer: &mut Writer) {
    for _ in 0..20 {
        let depth = 1 + writer.below(4);
        writer.put(&"    ".repeat(depth));
        match writer.below(40) {
            0..6 => {
                writer.pick(&NAMES);
                writer.put("::");
                writer.pick(&NAMES);
                writer.put("(&");
                writer.pick(&NAMES);
                writer.put(")?;");
            }
            6..9 => {
                writer.put("case ");
                writer.pick(&NAMES);
                writer.put(": return \"%s\\n\";");
            }
            9..12 => {
                writer.put("fn ");
                writer.pick(&NAMES);
                writer.put("(mut self, ");
                writer.pick(&NAMES);
                writer.put(": usize) -> Option<u8> {");
            }
            12 if writer.below(10) == 0 => {
                writer.put("// See ");
                writer.uri();
            }
            12..18 => {
                writer.put("// ");
                for _ in 0..9 {
                    writer.pick(&WORDS);
                    writer.put(" ");
                }
            }
            _ => {
                writer.put("if ");
                writer.pick(&NAMES);
                writer.put(" < ");
                writer.pick(&NAMES);
                writer.put("[i] && ");
                writer.pick(&NAMES);
                writer.put(" == 0x7f { ");
                writer.pick(&NAMES);
                writer.put(" += 1; }");
            }
        }
        writer.put("\n");
    }
}

fn log(writer: &mut Writer) {
    writer.put("2024-05-");
    writer.number(30);
    writer.put("T");
    writer.number(24);
    writer.put(":");
    writer.number(60);
    writer.put(":");
    writer.number(60);
    writer.put("Z INFO worker");
    writer.number(16);
    writer.put(": GET /");
    writer.pick(&WORDS);
    writer.put("/");
    writer.pick(&WORDS);
    writer.put(" status: 200 time: 0.");
    writer.number(100);
    if writer.below(4) == 0 {
        writer.put(" referrer \"");
        writer.uri();
        writer.put("\"");
    }
    writer.put("\n");
}

fn dense(writer: &mut Writer) {
    writer.put("{\"id\": ");
    writer.number(1000);
    writer.put(", \"url\": \"");
    writer.uri();
    writer.put("\", \"next\":\"");
    writer.uri();
    writer.put("\"},\n");
}
