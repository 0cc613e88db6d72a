//! What markup says of links (`--anchor-text`), rules H49 and H50.

use std::io::Cursor;

use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;

use super::hostile::Random;
use super::oracle::{self, Described};

/// Returns what is reported of the links of elements with `href`.
fn described(html: &[u8], window: usize) -> Vec<(String, Described)> {
    let mut options = ExtractorOptions::default().with_window(window);
    options.formats.html.descriptions = true;
    let document = Document::new(Format::named("html").expect("it is a format"), None);
    let mut found = Vec::new();
    let mut take = |link: &Link<'_>| {
        let element = link.element.unwrap_or_default().to_owned();
        let description = link.description.unwrap_or_default();
        let owned = [
            description.text,
            description.rel,
            description.hreflang,
            description.title,
        ];
        found.push((element, owned.map(|text| text.map(str::to_owned))));
    };
    let read = Extractor::new(&options).extract_seekable(&document, Cursor::new(html), &mut take);
    read.expect("a slice reads without errors");
    found
}

/// Columns: the document, and the text of its links.
#[test]
fn anchor_text_is_the_visible_text() {
    let long = "word ".repeat(60);
    let cut: String = long.chars().take(128).collect();
    let long = format!("<a href=x>{long}</a>");
    let wide = format!("<a href=x>{}</a>", "\u{e9}".repeat(200));
    #[rustfmt::skip]
    let rows: &[(&str, &[&str])] = &[
        ("<a href=x>one</a>", &["one"]),
        ("<a href=x>\n one &amp;\ttwo&nbsp; </a>", &["one & two"]),
        ("<a href=x></a>", &[""]),
        ("<a href=x>", &[""]),
        ("<a href=x>to the end", &["to the end"]),
        ("<a href=x>o<b>n</b>e</a> no", &["one"]),
        ("<a href=x>one<br>two<p>three</p>four</a>", &["one two three four"]),
        ("<a href=x><img src=i alt='a &lt; b'>c</a>", &["a < b c", "-"]),
        ("<a href=x>a<img src=i>b</a>", &["a b", "-"]),
        ("<a href=x>a<!-- </a> -->b<script>'</a>'</script>c</a>", &["abc"]),
        ("<a href=x>a<style></a></style><template>no</template>b</a>", &["ab"]),
        ("<a href=x>one<a href=y>two</a>", &["one", "two"]),
        ("<area href=x alt=' the  area '>", &["the area"]),
        ("<area href=x>no", &[""]),
        ("<table><td><a href=x>one<td>two</table>", &["one"]),
        ("<a href=x><table><tr><td>one<td>two</table>three</a>", &["one two three"]),
        ("<svg><a href=x><title>no</title><text>yes</text></a></svg>", &["yes"]),
        ("<svg><a href=x><style>no</style>yes</a></svg>", &["yes"]),
        ("<svg><a href=x>yes</svg>no", &["yes"]),
        ("<svg><a href=x/>no<a href=y />no</svg>", &["no", ""]),
        ("<a href=x>one<svg><style><a href=y></style>two</a></svg>", &["one", "two"]),
        ("<a href=x>one<template><a href=y>two</a></template>", &["one", "two"]),
        ("<a href=x>1 < 2 </ > 3 <? 4 ?> </a>", &["1 < 2 3"]),
        ("<link rel=next href=x>", &["-"]),
        ("<table><td background=b><a href=x>one</a></table>", &["-", "one"]),
        (&long, &[cut.trim_end()]),
    ];
    for (html, texts) in rows {
        for window in [1, 2, 3, 7, 64, 1 << 16] {
            let found = described(html.as_bytes(), window);
            let found: Vec<_> = (found.iter())
                .map(|(_, [text, ..])| text.as_deref().unwrap_or("-"))
                .collect();
            assert_eq!(found, *texts, "{html}, window {window}");
        }
    }
    let found = described(wide.as_bytes(), 5);
    assert_eq!(found[0].1[0].as_deref(), Some(&*"\u{e9}".repeat(128)));
}

#[test]
fn a_window_that_ends_in_a_name_does_not_end_the_text() {
    let page = b"<a href=x>whole</apdf>name</a>";
    for window in 1..page.len() {
        let (_, [text, ..]) = &described(page, window)[0];
        assert_eq!(text.as_deref(), Some("wholename"), "{window}");
    }
}

#[test]
fn rel_hreflang_and_title_describe_links() {
    let some = |text: &str| Some(text.to_owned());
    #[rustfmt::skip]
    let rows = [
        ("<a href=x REL=' NoFollow\nUGC ' hreflang=de-AT title='A &amp; B'>t</a>",
            [some("t"), some("nofollow ugc"), some("de-AT"), some("A & B")]),
        ("<a href=x rel='' rel=no>t</a>", [some("t"), some(""), None, None]),
        ("<link href=x rel=alternate hreflang=fr title=T>", [None, some("alternate"), some("fr"), some("T")]),
        ("<img src=x title=T>", [None, None, None, some("T")]),
        ("<form action=x rel=search>", [None, some("search"), None, None]),
    ];
    for (html, expected) in rows {
        for window in [1, 4, 1 << 16] {
            let found = described(html.as_bytes(), window);
            assert_eq!(found[0].1, expected, "{html}, window {window}");
        }
    }
}

/// The bytes of windows-1252, and text that is longer than what is searched.
#[test]
fn texts_are_decoded_and_bounded() {
    let found = described(b"<a href=x title='\xe9'>caf\xe9</a>", 4);
    assert_eq!(found[0].1[0].as_deref(), Some("caf\u{e9}"));
    assert_eq!(found[0].1[3].as_deref(), Some("\u{e9}"));
    let far = format!("<a href=x>near{}far</a>", "<i></i>".repeat(4000));
    for window in [1 << 10, 1 << 20] {
        let found = described(far.as_bytes(), window);
        assert_eq!(found[0].1[0].as_deref(), Some("near"), "window {window}");
    }
}

/// Pieces of the contents of links, in which no link ends.
const PIECES: &[&str] = &[
    "word",
    " ",
    "\n\t",
    "&amp;",
    "&nbsp;",
    "&notin;x",
    "< ",
    "<b>bold</b>",
    "<i title='</a>'>i</i>",
    "<br>",
    "<br/>",
    "<div>block</div>",
    "<p>one<p>two</p>",
    "<h2>head</h2>",
    "<ul><li>a<li>b</ul>",
    "<img src=i alt='an image'>",
    "<img alt=>",
    "<!-- </a> -->",
    "<!--x--!>",
    "<!-->",
    "<!--->",
    "<!--!><i>no</i>-->",
    "<script>'</a>'</script>",
    "<style></a></style>",
    "<template><p>no</template>",
    "<table><tr><td>cell<td>next</table>",
    "<svg><title>no</title><text>drawn</text></svg>",
    "<textarea><b></a></textarea>",
    "\u{e9}\u{4e2d}",
];

#[test]
fn descriptions_are_those_of_the_tree() {
    let mut random = Random::new(18);
    for _ in 0..3000 {
        let mut html = String::from("<!doctype html><body>");
        for _ in 0..1 + random.below(3) {
            html += random.pick(&[
                "<a href=x>",
                "<a href=x rel='A b' title=t>",
                "<a class=c href='y' hreflang=en>",
                "<A HREF=x TITLE='&lt;' rel>",
            ]);
            for _ in 0..random.below(9) {
                html += random.pick(PIECES);
            }
            html += random.pick(&["</a>", "</a >", "</A>"]);
            html += random.pick(&["", " between ", "<div>", "<area href=z alt=' q  r '>"]);
        }
        let expected = oracle::descriptions(html.as_bytes());
        for window in [1, 3 + random.below(40), 1 << 16] {
            let found = described(html.as_bytes(), window);
            let found: Vec<_> = (found.into_iter())
                .filter(|(element, _)| ["a", "area"].contains(&&**element))
                .map(|(_, description)| description)
                .collect();
            assert_eq!(found, expected, "{html}, window {window}");
        }
    }
}
