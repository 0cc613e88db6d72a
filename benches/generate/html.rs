//! HTML: reference manuals and front pages.

use super::Input;
use super::random::Random;

/// A page that counts its links.
struct Page {
    html: String,
    links: usize,
}

impl Page {
    fn push(&mut self, html: &str) {
        self.html.push_str(html);
    }

    /// Markup that holds `links` links.
    fn linked(&mut self, links: usize, html: &str) {
        self.html.push_str(html);
        self.links += links;
    }
}

fn pages(seed: u64, bytes: usize, page: impl Fn(&mut Random, &mut Page)) -> Input {
    let mut random = Random::new(seed);
    let mut input = Input::default();
    let mut made = 0;
    while made < bytes {
        let mut next = Page {
            html: String::new(),
            links: 0,
        };
        page(&mut random, &mut next);
        made += next.html.len();
        input.documents.push(next.html.into_bytes());
        input.links += next.links;
    }
    input
}

/// Pages as javadoc writes them: two thirds markup, short text, relative references.
pub(super) fn reference(seed: u64, bytes: usize) -> Input {
    pages(seed, bytes, |random, page| {
        let class = random.name();
        page.push("<!DOCTYPE HTML>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push(&format!("<title>{class}</title>\n"));
        page.linked(
            1,
            "<link rel=\"stylesheet\" type=\"text/css\" href=\"../../stylesheet.css\">\n",
        );
        page.linked(
            1,
            "<script type=\"text/javascript\" src=\"../../script.js\"></script>\n",
        );
        page.push("</head>\n<body class=\"class-declaration\">\n");
        page.push("<script>if (location.href.indexOf('is-external=true') < 0) { parent.document.title = \"<p>\"; }</script>\n<ul class=\"nav\">\n");
        for _ in 0..8 {
            let word = random.word();
            page.linked(
                1,
                &format!("<li><a href=\"../../{word}/package-summary.html\">{word}</a></li>\n"),
            );
        }
        page.push("</ul>\n<table class=\"memberSummary\">\n<tbody>\n");
        for row in 0..45 {
            member(random, page, row);
        }
        page.push("</tbody>\n</table>\n</body>\n</html>\n");
    })
}

fn member(random: &mut Random, page: &mut Page, row: usize) {
    let (class, name, argument) = (random.name(), random.word(), random.word());
    let color = ["altColor", "rowColor"][row % 2];
    page.push(&format!("<tr id=\"i{row}\" class=\"{color}\">\n"));
    page.push("<td class=\"colFirst\"><code>static&nbsp;");
    if random.percent(55) {
        let title = format!("class in java.lang\">{class}</a>");
        page.linked(
            1,
            &format!("<a href=\"../../java/lang/{class}.html\" title=\"{title}"),
        );
    } else {
        page.push("<b>long</b>");
    }
    page.push("</code></td>\n<td class=\"colLast\"><code><span class=\"memberNameLink\">");
    page.linked(
        1,
        &format!("<a href=\"../../org/example/{class}.html#{name}-int-\">{name}</a></span>"),
    );
    page.push(&format!("(int&nbsp;{argument}, long&nbsp;{name})</code>\n"));
    page.push(&format!(
        "<div class=\"block\">{} <code>{argument}</code> {}.</div>\n</td>\n</tr>\n",
        random.words(9),
        random.words(12)
    ));
}

/// The addresses of a front page.
const SITE: &str = "https://www.example.com/news";
const STATIC: &str = "https://static.example.com";

/// Front pages: scripts and style sheets inside, absolute references, images in several sizes.
pub(super) fn news(seed: u64, bytes: usize) -> Input {
    pages(seed, bytes, |random, page| {
        page.push("<!doctype html><html lang=\"en-GB\"><head><meta charset=\"utf-8\">");
        page.linked(1, &format!("<link rel=\"canonical\" href=\"{SITE}\">"));
        for _ in 0..12 {
            let script = random.joined(2, "/");
            page.linked(
                1,
                &format!("<link rel=\"preload\" href=\"{STATIC}/{script}.js\" as=\"script\">"),
            );
        }
        page.linked(
            1,
            &format!("<style>.mast{{background:url({STATIC}/mast.svg)}}"),
        );
        for _ in 0..160 {
            let (class, padding) = (random.joined(2, "-"), random.below(40));
            page.push(&format!(".{class}{{margin:0;padding:{padding}px}}"));
        }
        page.push("</style></head><body>");
        for _ in 0..220 {
            story(random, page);
        }
        page.push("<script>window.state={\"stories\":[");
        for _ in 0..300 {
            let (number, word) = (random.below(99_999), random.word());
            let title = random.words(7);
            page.push(&format!(
                "{{\"id\":{number},\"title\":\"{title}\",\"href\":\"/news/{word}\"}},"
            ));
        }
        page.push("null]}</script></body></html>\n");
    })
}

fn story(random: &mut Random, page: &mut Page) {
    let (section, number) = (random.word(), random.below(99_999_999));
    page.push("<li class=\"story story--secondary\"><div class=\"promo\" data-component=\"card\">");
    if random.percent(35) {
        let image = format!("https://images.example.com/news/{section}/{number}.jpg");
        let alternative = random.words(6);
        page.linked(
            2,
            &format!("<img src=\"{image}\" srcset=\"{image}?w=480 480w\" alt=\"{alternative}\">"),
        );
    } else {
        page.push(
            "<svg viewBox=\"0 0 32 32\"><path d=\"M16 0c8 0 16 8 16 16v-4l3 7z\"></path></svg>",
        );
    }
    page.linked(
        1,
        &format!("<a class=\"promo__link\" href=\"{SITE}/{section}-{number}?at=a&amp;b\">"),
    );
    let (title, summary) = (random.words(9), random.words(34));
    page.push(&format!(
        "<h3>{title}</h3></a><p class=\"summary\">{summary}.</p>"
    ));
    let hours = random.below(23);
    page.push(&format!(
        "<time datetime=\"PT{hours}H\">{hours} hours ago</time>"
    ));
    page.linked(
        1,
        &format!("<a href=\"/news/{section}\">{section}</a></div></li>"),
    );
}
