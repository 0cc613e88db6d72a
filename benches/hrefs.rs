//! Made-up references in the proportions of real pages.

/// The base that the references are relative to.
pub(crate) const BASE: &str =
    "https://www.example.com/library/guide/chapter-3/index.html?edition=2";

/// Directories and words of which references are made.
const WORDS: [&str; 16] = [
    "index",
    "images",
    "article",
    "css",
    "2024",
    "main-page",
    "product_detail",
    "forum",
    "a",
    "download",
    "js",
    "user-guide",
    "tag",
    "static",
    "overview",
    "api",
];
const SUFFIXES: [&str; 8] = [".html", ".png", ".css", ".js", "/", ".php", ".jpg", ""];
const HOSTS: [&str; 4] = [
    "www.example.com",
    "cdn.example.org",
    "example.net",
    "static.docs.example.com",
];

/// The shapes of references and how many of a thousand have each.
const SHAPES: [(u64, Shape); 11] = [
    (300, Shape::Rooted),
    (240, Shape::Relative),
    (180, Shape::Absolute),
    (110, Shape::Parent),
    (70, Shape::Fragment),
    (40, Shape::Query),
    (25, Shape::Network),
    (15, Shape::Opaque),
    (10, Shape::Blank),
    (5, Shape::Accented),
    (5, Shape::Dotted),
];

#[derive(Clone, Copy)]
enum Shape {
    Rooted,
    Relative,
    Absolute,
    Parent,
    Fragment,
    Query,
    Network,
    Opaque,
    Blank,
    Accented,
    Dotted,
}

/// Steele and Vigna's SplitMix64: enough for a choice among few.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    fn path(&mut self, most: usize) -> String {
        let mut path = String::new();
        for _ in 0..self.below(most) {
            path += self.word();
            path += "/";
        }
        path + self.word() + SUFFIXES[self.below(SUFFIXES.len())]
    }

    fn reference(&mut self) -> String {
        let mut choice = self.below(1000) as u64;
        let shape = SHAPES.iter().find(|(share, _)| {
            let found = choice < *share;
            choice = choice.wrapping_sub(*share);
            found
        });
        let host = HOSTS[self.below(HOSTS.len())];
        let path = self.path(4);
        let word = self.word();
        match shape.map_or(Shape::Relative, |(_, shape)| *shape) {
            Shape::Rooted => format!("/{path}/{word}"),
            Shape::Relative => format!("{path}?{word}={}#{word}", self.below(100)),
            Shape::Absolute => format!("https://{host}/{path}"),
            Shape::Parent => format!("{}{path}#{word}", "../".repeat(1 + self.below(3))),
            Shape::Fragment => format!("#{word}-{}", self.below(10_000)),
            Shape::Query => format!("?{word}={}&{}={path}", self.below(10_000), self.word()),
            Shape::Network => format!("//{host}/{path}"),
            Shape::Opaque => format!("mailto:{word}@example.com"),
            Shape::Blank => format!("{path}%20{word} {word}"),
            Shape::Accented => format!("/caf\u{e9}/{path}"),
            Shape::Dotted => format!("{path}/../{word}/./x.html"),
        }
    }
}

/// As many references as asked for, always the same.
pub(crate) fn references(count: usize) -> Vec<String> {
    let mut seeded = Seeded(2396);
    (0..count).map(|_| seeded.reference()).collect()
}
