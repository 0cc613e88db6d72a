use super::*;
use crate::bytes::steps;
use crate::document::events::{Context, Event, Span};

const BEFORE: &[&str] = &[
    " ", " ", "<", "\"", "(", "\n", "\n    ", "\r\n", "=", ">", "'", "|", "| ", "_", "~", "x", ":",
    ";", ",", "-", "< ", "\" ", "<URL:", "URL: ", ": ", "url:", "xURL: ", "\u{e9}", "[", "*", "3.",
    "+", "\t\t", "\x1b]8;;", "# ",
];
const SCHEMES: &[&str] = &[
    "http",
    "https",
    "HTTPS",
    "ftp",
    "Ftp",
    "ws",
    "git+https",
    "httpx",
    "mailto",
];
const HOSTS: &[&str] = &[
    "example.com",
    "www.example.org",
    "a",
    "a-b.example",
    "-a.example",
    "a-.example",
    "a..b",
    "a.",
    "_a.example",
    "a_.example",
    "a_",
    "0",
    "",
    ".",
    "example.com:80",
    "a.:80",
    "a:",
    "a:123456",
    "a:8080",
    "u@example.com",
    "http:",
    "[::1]",
    "\u{e9}.example",
    "a.very.long.name.with.many.labels.example.com",
    "%41.example",
    "a~b",
    "localhost",
    "a,b",
    "a.-b",
];
const PATHS: &[&str] = &[
    "/",
    "/a/b.html",
    "?x=y",
    "#top",
    "/%20",
    "/%2",
    "%",
    "&amp;",
    "&lt;",
    "&gt",
    "&",
    ",",
    ";",
    ",http://b.example/",
    ";x",
    "|",
    "'",
    "(",
    ")",
    "(a)",
    "[1]",
    "]",
    "}",
    "^",
    "~",
    "_",
    "-",
    ".",
    "..",
    "...",
    "!",
    "*",
    ":",
    "\u{2026}",
    "\u{e9}",
    "\u{200b}",
    "/a/very/long/path/that/goes/on/for/more/than/thirty-two/bytes",
    "@",
    "=",
    "/$+",
    "``",
];
const BEHIND: &[&str] = &[
    " ",
    "\n",
    ">",
    "\"",
    ">x",
    "\"x",
    "\" ",
    "\r\nx",
    "\nx",
    "\n/x",
    "\\",
    "<",
    "\t",
    "\0",
    "\x7f",
    "\n\n",
    "",
    ">\n",
    ", ",
    ". ",
    "\nhttp://c.example",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn text(&mut self) -> String {
        let mut text = "x".repeat(self.below(70));
        for _ in 0..=self.below(3) {
            text += self.pick(BEFORE);
            text += self.pick(SCHEMES);
            text += self.pick(&["://", "://", "://", "://", ":", ":\n//"]);
            // Mostly a common URI.
            let hosts = if self.below(2) == 0 {
                &HOSTS[..4]
            } else {
                HOSTS
            };
            text += self.pick(hosts);
            let paths = if self.below(2) == 0 {
                &PATHS[..5]
            } else {
                PATHS
            };
            for _ in 0..self.below(5) {
                text += self.pick(paths);
            }
            text += self.pick(BEHIND);
        }
        text + &"y ".repeat(self.below(40))
    }
}

fn finds(scanner: &mut TextScanner, bytes: &[u8]) -> Vec<(Span, Context, Flags, Vec<u8>)> {
    let mut events = Events::default();
    scanner.begin(&ScanStart::default());
    scanner.scan(Window::whole(bytes), &mut events);
    let found = events.list.iter().filter_map(|event| match event {
        Event::Reference(found) => Some(found),
        _ => None,
    });
    let text = |text| events.bytes(text, bytes).to_vec();
    found
        .map(|found| (found.span, found.context, found.flags, text(found.text)))
        .collect()
}

#[test]
fn vectorised_search_agrees_with_scalar_search() {
    let mut random = Random(1);
    let mut scanner = TextScanner::new(TextOptions::default());
    let mut scalar = TextScanner {
        avx2: None,
        ..TextScanner::new(TextOptions::default())
    };
    for _ in 0..30_000 {
        let text = random.text();
        let found = finds(&mut scanner, text.as_bytes());
        assert_eq!(found, finds(&mut scalar, text.as_bytes()), "{text:?}");
    }
}

/// Tokens that an attacker would repeat, in texts longer than any URI.
    #[rustfmt::skip]
    const HOSTILE: &[&str] = &[
        "<", "\"", "(", "[", ":", "://", "http:", "http://", "http:?", "<http://a", "\"http://a ", "<http://a\n", "http://(", "http://[",
        "http://a/[", "http://a.", "http://a/'.", "mailto:", "<URL:", "<URL:a ", "www.", "'a@", "'", "%", ".", "\x1b]8;;http://a",
        "<http://a\\\n", "\\\n", "<\\\n", "<http:\\\n", "&gt;", "\n&gt;", "&gt; <http://a\n", "> &gt; <http://a\n&gt; ", "<http://a\n&gt; b",
        "http://a/____\n", "____", "http://a/____----", ".http://a\\:", ".http://a\\: ", ".http://a\\:)", "\n.http://a\\:)", ".http://(\\-",
        ".mailto:\\-", ".<http://a\\-", "\\:", "\\-",
        "http://a.example/x/a-path-that-fills-the-line-up-to-its-margin/and/more\nx/y z\n",
    ];

#[test]
fn hostile_texts_take_steps_in_proportion_to_their_length() {
    let options = TextOptions {
        www: true,
        email: true,
        ..TextOptions::default()
    };
    // A URI may be 65,536 bytes long: a text has to hold several.
    let steps = |source: TextSource, token: &str, length: usize| {
        let start = ScanStart {
            source,
            ..ScanStart::default()
        };
        let text = token.repeat(length / token.len());
        let mut scanner = TextScanner::new(options.clone());
        scanner.begin(&start);
        steps::take();
        scanner.scan(Window::whole(text.as_bytes()), &mut Events::default());
        steps::take()
    };
    for source in [TextSource::Prose, TextSource::Troff] {
        // T39: the source matters for escapes alone.
        let matters = |token: &&&str| source == TextSource::Prose || token.contains('\\');
        for token in HOSTILE.iter().filter(matters) {
            let [first, second, third] = [1, 2, 3].map(|n| steps(source, token, n << 17));
            // As much text again takes no more steps than before.
            let bound = (second - first) * 11 / 10 + (1 << 17);
            assert!(
                third - second <= bound,
                "{token:?} as {source:?}: {first}, {second}, {third}"
            );
        }
    }
}
