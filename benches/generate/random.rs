//! Numbers and words from a seed.

/// SplitMix64: a counter and a good mix of its bits.
pub(super) struct Random(u64);

const WORDS: &[&str] = &[
    "the",
    "of",
    "and",
    "a",
    "to",
    "in",
    "is",
    "that",
    "for",
    "it",
    "as",
    "was",
    "with",
    "be",
    "by",
    "on",
    "not",
    "this",
    "are",
    "or",
    "from",
    "at",
    "which",
    "but",
    "have",
    "an",
    "they",
    "you",
    "were",
    "their",
    "one",
    "all",
    "we",
    "can",
    "has",
    "there",
    "been",
    "if",
    "more",
    "when",
    "will",
    "would",
    "who",
    "so",
    "no",
    "value",
    "list",
    "node",
    "index",
    "parent",
    "stream",
    "buffer",
    "document",
    "resource",
    "identifier",
    "relative",
    "absolute",
    "resolve",
    "network",
    "location",
    "example",
    "reference",
    "fragment",
    "component",
    "transfer",
    "protocol",
    "archive",
    "message",
    "character",
    "encoding",
    "delimiter",
    "hierarchy",
    "authority",
    "registry",
];

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        // The upper half, scaled: near enough to even for text.
        ((self.next() >> 32) as usize * limit) >> 32
    }

    /// Whether an event of `percent` in a hundred happens.
    pub(super) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    pub(super) fn word(&mut self) -> &'static str {
        self.pick(WORDS)
    }

    /// Words with a blank between each two.
    pub(super) fn words(&mut self, count: usize) -> String {
        self.joined(count, " ")
    }

    /// Words with `between` between each two.
    pub(super) fn joined(&mut self, count: usize, between: &str) -> String {
        let words: Vec<&str> = (0..count).map(|_| self.word()).collect();
        words.join(between)
    }

    /// A word with a capital letter.
    pub(super) fn name(&mut self) -> String {
        let word = self.word();
        format!("{}{}", word[..1].to_uppercase(), &word[1..])
    }

    /// An absolute URI of ordinary length.
    pub(super) fn uri(&mut self) -> String {
        let scheme = self.pick(&["http", "https", "https", "https", "ftp"]);
        let host = self.pick(&[
            "www.example.com",
            "www.example.org",
            "docs.example.net",
            "example.com",
        ]);
        let depth = 1 + self.below(3);
        let path = self.joined(depth, "/");
        match self.below(6) {
            0 => format!("{scheme}://{host}/{path}/"),
            1 => format!("{scheme}://{host}/{path}?id={}", self.below(10_000)),
            2 => format!("{scheme}://{host}/{path}.html#{}", self.word()),
            _ => format!("{scheme}://{host}/{path}.html"),
        }
    }
}
