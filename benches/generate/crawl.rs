//! Web archives as crawlers write them: pages of all sizes, a gzip member for each record, and damage
//! of every kind.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::random::Random;

/// A record as it stands in the file.
pub(crate) struct Record {
    pub(crate) bytes: Vec<u8>,
    /// The number of the page, from 0. Its links have the targets of [`target`].
    pub(crate) page: u64,
    /// The number of links of the page.
    pub(crate) links: usize,
    /// The damage, if there is any.
    pub(crate) damage: Option<&'static Damage>,
}

/// The target of the link `link` of the page `page`.
pub(crate) fn target(page: u64, link: usize) -> String {
    format!("https://www.example.com/{page}/{link}")
}

/// A kind of damage.
pub(crate) struct Damage {
    pub(crate) name: &'static str,
    /// The code of a diagnostic that it causes.
    pub(crate) code: &'static str,
    /// All links of the page are found in spite of it.
    pub(crate) keeps_links: bool,
    /// It exists only where records are compressed.
    pub(crate) packed: bool,
    cause: fn(&mut Draft, &mut Random),
}

/// A record before it is written.
struct Draft {
    page: u64,
    http: String,
    body: Vec<u8>,
    /// The value of `Content-Length`; `None` is the right one.
    length: Option<String>,
    /// Changes the written record.
    after: Option<fn(&mut Vec<u8>, &mut Random)>,
}

const fn damage(
    name: &'static str,
    code: &'static str,
    keeps_links: bool,
    cause: fn(&mut Draft, &mut Random),
) -> Damage {
    Damage {
        name,
        code,
        keeps_links,
        packed: false,
        cause,
    }
}

const fn packed(damage: Damage) -> Damage {
    Damage {
        packed: true,
        ..damage
    }
}

/// Every kind of damage, one row each.
#[rustfmt::skip]
pub(crate) const DAMAGES: [Damage; 14] = [
    packed(damage("checksum", "warc.resync", true, |draft, _| draft.after = Some(|bytes, _| {
        let at = bytes.len() - 8;
        bytes[at] ^= 1;
    }))),
    packed(damage("length of member", "warc.resync", true, |draft, _| draft.after = Some(|bytes, _| {
        let at = bytes.len() - 1;
        bytes[at] ^= 1;
    }))),
    packed(damage("cut", "warc.resync", false, |draft, _| draft.after = Some(|bytes, random| {
        bytes.truncate(20 + random.below(bytes.len() - 40));
    }))),
    packed(damage("flipped", "warc.resync", false, |draft, _| draft.after = Some(|bytes, random| {
        for _ in 0..8 {
            let at = 10 + random.below(bytes.len() - 18);
            bytes[at] = bytes[at].wrapping_add(1 + random.below(255) as u8);
        }
    }))),
    packed(damage("header of member", "warc.resync", false, |draft, _| draft.after = Some(|bytes, _| {
        bytes[3] = 0xff;
    }))),
    packed(damage("garbage between", "warc.resync", true, |draft, _| draft.after = Some(|bytes, random| {
        let garbage = 1 + random.below(3000);
        bytes.extend((0..garbage).map(|_| random.below(256) as u8));
    }))),
    damage("length too short", "warc.resync", false, |draft, random| {
        let length = draft.http.len() + random.below(draft.body.len() - 10);
        draft.length = Some(length.to_string());
    }),
    damage("length too long", "warc.resync", true, |draft, random| {
        let length = draft.http.len() + draft.body.len() + 100 + random.below(3000);
        draft.length = Some(length.to_string());
    }),
    damage("no length", "warc.content-length-missing", false, |draft, _| {
        draft.length = Some(String::new());
    }),
    damage("length of letters", "warc.content-length-missing", false, |draft, _| {
        draft.length = Some("many".to_owned());
    }),
    damage("no status line", "http.bad-status", false, |draft, _| draft.http.clear()),
    damage("not chunked", "http.not-chunked", true, |draft, _| {
        draft.http = draft.http.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n");
    }),
    damage("not gzip", "http.content-encoding-false", true, |draft, random| {
        let coding = random.pick(&["gzip", "br", "zstd", "deflate", "x-gzip"]);
        draft.http = draft.http.replace("\r\n\r\n", &format!("\r\nContent-Encoding: {coding}\r\n\r\n"));
    }),
    damage("unknown coding", "http.content-encoding-unknown", true, |draft, _| {
        draft.http = draft.http.replace("\r\n\r\n", "\r\nContent-Encoding: rot13\r\n\r\n");
    }),
];

/// Makes records, one after the other.
pub(crate) struct Crawl {
    random: Random,
    next: u64,
    /// Whether each record is a gzip member.
    is_packed: bool,
    /// Of a thousand records, how many are damaged.
    damaged: usize,
}

impl Crawl {
    pub(crate) fn new(seed: u64, is_packed: bool, damaged: usize) -> Self {
        Crawl {
            random: Random::new(seed),
            next: 0,
            is_packed,
            damaged,
        }
    }

    /// Makes records until they have this many bytes.
    pub(crate) fn records(mut self, bytes: usize) -> Vec<Record> {
        let mut made = Vec::new();
        let mut length = 0;
        while length < bytes {
            let record = self.record();
            length += record.bytes.len();
            made.push(record);
        }
        made
    }

    /// Makes the next record.
    pub(crate) fn record(&mut self) -> Record {
        let is_damaged = self.random.below(1000) < self.damaged;
        let damage = is_damaged.then(|| {
            let kinds: Vec<_> = DAMAGES
                .iter()
                .filter(|kind| self.is_packed || !kind.packed)
                .collect();
            kinds[self.random.below(kinds.len())]
        });
        self.record_with(damage)
    }

    /// Makes the next record, with damage of a kind or none.
    pub(crate) fn record_with(&mut self, damage: Option<&'static Damage>) -> Record {
        let page = self.next;
        self.next += 1;
        let random = &mut self.random;
        let (body, links) = self::page(random, page);
        let mut draft = Draft {
            page,
            http: "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: example\r\n\
                   Cache-Control: max-age=600\r\nVary: Accept-Encoding\r\nX-Crawler-Content-Encoding: gzip\r\n\r\n"
                .to_owned(),
            body,
            length: None,
            after: None,
        };
        if let Some(damage) = damage {
            (damage.cause)(&mut draft, random);
        }
        let mut bytes = draft.written();
        if self.is_packed {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::new(4));
            encoder.write_all(&bytes).expect("a vector takes all");
            bytes = encoder.finish().expect("a vector takes all");
        }
        if let Some(after) = draft.after {
            after(&mut bytes, random);
        }
        Record {
            bytes,
            page,
            links,
            damage,
        }
    }
}

impl Draft {
    fn written(&self) -> Vec<u8> {
        let page = self.page;
        let length = (self.length.clone())
            .unwrap_or_else(|| (self.http.len() + self.body.len()).to_string());
        let length = match length.as_str() {
            "" => String::new(),
            length => format!("Content-Length: {length}\r\n"),
        };
        let mut bytes = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{page:08}-0000-4000-8000-000000000000>\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: https://www.example.com/site/{page}.html\r\n\
             Content-Type: application/http; msgtype=response\r\n{length}\r\n{}",
            self.http
        )
        .into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes.extend_from_slice(b"\r\n\r\n");
        bytes
    }
}

/// A page: scripts, styles, navigation, text and cards. Returns the number of its links, too.
fn page(random: &mut Random, page: u64) -> (Vec<u8>, usize) {
    let mut html = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    );
    let mut links = 0;
    let mut link = |html: &mut String, random: &mut Random, before: &str, after: &str| {
        let written = match random.below(3) {
            0 => target(page, links),
            1 => format!("/{page}/{links}"),
            _ => format!("../{page}/{links}"),
        };
        links += 1;
        html.push_str(before);
        html.push_str(&written);
        html.push_str(after);
    };
    let title = random.words(6);
    html.push_str(&format!("<title>{title}</title>\n"));
    for _ in 0..2 + random.below(6) {
        link(
            &mut html,
            random,
            "<link rel=\"stylesheet\" href=\"",
            "\" media=\"all\">\n",
        );
        link(&mut html, random, "<script src=\"", "\" defer></script>\n");
    }
    html.push_str("<style>\n");
    for _ in 0..random.below(200) {
        let (class, number) = (random.joined(2, "-"), random.below(60));
        html.push_str(&format!(
            ".{class}{{margin:{number}px 0;display:flex;color:#{number:06x}}}\n"
        ));
    }
    html.push_str("</style>\n<script>window.dataLayer=window.dataLayer||[];");
    for _ in 0..random.below(300) {
        let (number, word) = (random.below(9999), random.word());
        html.push_str(&format!(
            "function f{number}(e,t){{return e.{word}<t?e[t]:\"{word}\"}}"
        ));
    }
    html.push_str("</script>\n</head>\n<body class=\"home page\">\n<nav><ul>\n");
    for _ in 0..5 + random.below(30) {
        let word = random.word();
        link(
            &mut html,
            random,
            "<li class=\"menu-item menu-item-type-post_type\"><a href=\"",
            &format!("\">{word}</a></li>\n"),
        );
    }
    html.push_str("</ul></nav>\n<main>\n");
    for _ in 0..random.below(60) {
        let text = random.words(60);
        html.push_str(&format!("<p>{text}.</p>\n"));
        if random.percent(40) {
            let words = random.words(3);
            link(
                &mut html,
                random,
                "<p>See <a href=\"",
                &format!("\" rel=\"noopener\">{words}</a>.</p>\n"),
            );
        }
    }
    for _ in 0..random.below(30) {
        let (title, text) = (random.words(7), random.words(24));
        html.push_str("<div class=\"card card--small\"><div class=\"card__inner\">");
        link(
            &mut html,
            random,
            "<img loading=\"lazy\" alt=\"\" width=\"320\" src=\"",
            "\">",
        );
        link(
            &mut html,
            random,
            "<a class=\"card__link\" href=\"",
            &format!("\"><h3>{title}</h3></a><p>{text}</p></div></div>\n"),
        );
    }
    html.push_str("</main>\n<footer>\n");
    for _ in 0..5 + random.below(20) {
        let word = random.word();
        link(
            &mut html,
            random,
            "<a class=\"foot\" href=\"",
            &format!("\">{word}</a> | \n"),
        );
    }
    html.push_str("</footer>\n</body>\n</html>\n");
    (html.into_bytes(), links)
}
