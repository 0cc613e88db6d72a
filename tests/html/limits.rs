//! Documents beyond the limits: bounded memory, no panic, a diagnostic.

use std::io::Cursor;
use std::ops::ControlFlow;

use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::{self, Link, Sink};

/// Collects references, and the names of diagnostics with their counts.
#[derive(Default)]
struct Counted {
    references: Vec<String>,
    targets: Vec<String>,
    diagnostics: Vec<(&'static str, u64)>,
    exact: Vec<&'static str>,
}

impl Sink for Counted {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.references
            .push(String::from_utf8_lossy(link.reference).into_owned());
        let target = String::from_utf8_lossy(link.target.unwrap_or_default());
        self.targets.push(target.into_owned());
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        match found {
            linker::Found::Diagnostic(diagnostic) => {
                self.diagnostics
                    .push((diagnostic.code.name, diagnostic.count));
            }
            linker::Found::Exact(rule) => {
                self.exact.push(rule);
            }
            _ => {}
        }
    }
}

fn read(html: &[u8]) -> Counted {
    read_as("html", html)
}

fn read_as(format: &str, html: &[u8]) -> Counted {
    read_up_to(64 << 20, format, html)
}

fn read_up_to(max_document: u64, format: &str, html: &[u8]) -> Counted {
    let mut counted = Counted::default();
    let document = Document::new(Format::named(format).expect("it is a format"), None);
    let mut options = ExtractorOptions::default().with_window(64 << 10);
    options.formats.html.max_document = max_document;
    let read =
        Extractor::new(&options).extract_seekable(&document, Cursor::new(html), &mut counted);
    assert_eq!(
        read.expect("a slice reads without errors"),
        html.len() as u64
    );
    counted
}

/// Different formatting elements, which every paragraph reconstructs.
fn fonts(many: usize) -> String {
    (0..many)
        .map(|size| format!("<font size={size}><p>"))
        .collect()
}

/// Different names of attributes.
fn names(letter: char, many: usize) -> String {
    (0..many).map(|at| format!("{letter}{at} ")).collect()
}

/// Rules H23 and H48. Columns: the markup between two links, its references, and its diagnostic (none if
/// the count is 0).
#[test]
fn long_and_deep_markup_is_diagnosed_and_the_rest_found() {
    const MANY: usize = 100_000;
    const LONG: usize = 5 << 20;
    type Row = (
        &'static str,
        String,
        &'static [&'static str],
        (&'static str, u64),
    );
    let rows: [Row; 9] = [
        (
            "a long value",
            format!("<img src='{}' longdesc=d>", "x".repeat(LONG)),
            &["d"],
            ("html.value-too-long", 1),
        ),
        (
            "a long value without quotes",
            format!("<img longdesc=d src={}>", "x".repeat(LONG)),
            &["d"],
            ("html.value-too-long", 1),
        ),
        (
            "many attributes",
            format!(
                "<img src=i {} longdesc=d src=no>",
                "abc=def ".repeat(LONG / 8)
            ),
            &["i", "d"],
            ("html.value-too-long", 1),
        ),
        (
            "a long end tag",
            format!("<script></script {}>", "abc ".repeat(LONG / 4)),
            &[],
            ("html.value-too-long", 1),
        ),
        (
            "deep nesting behind a table cell with a reference",
            format!("<table><td background=t>{}</table>", "<div>".repeat(MANY)),
            &["t"],
            ("html.approximate", 1),
        ),
        (
            "misnested formatting behind a table cell with a reference",
            format!("<table><td background=t>{}</table>", fonts(MANY)),
            &["t"],
            ("html.approximate", 1),
        ),
        (
            "too many attributes behind a table cell with a reference",
            format!("<table><td background=t><p {}></table>", names('a', MANY)),
            &["t"],
            ("html.approximate", 1),
        ),
        (
            "many attributes merged behind a table cell with a reference",
            format!(
                "<table><td background=t></table>{}{}",
                format!("<html {}>", names('a', MANY / 10)).repeat(4),
                format!("<html {}>", names('b', MANY / 10)).repeat(4),
            ),
            &["t"],
            ("html.base-second", 0),
        ),
        (
            "many bases",
            "<base href=http://example.com/>".repeat(MANY),
            &[],
            ("html.base-second", MANY as u64 - 1),
        ),
    ];
    for (name, html, inner, diagnostic) in rows {
        let counted = read(format!("<a href=first>{html}<a href=last>").as_bytes());
        let expected: Vec<_> = ["first"].iter().chain(inner).chain(&["last"]).collect();
        let got: Vec<_> = counted.references.iter().collect();
        assert_eq!(got, expected, "{name}");
        let told = counted.diagnostics.contains(&diagnostic)
            || diagnostic.1 == 0 && counted.diagnostics.is_empty();
        assert!(told, "{name}: {:?}", counted.diagnostics);
    }
}

/// Rule H23: in a window that holds a tag, the values that are left out are counted.
#[test]
fn a_long_tag_of_short_values_is_not_diagnosed() {
    const LIMIT: usize = 4 << 20;
    let rows = [
        (format!("<a href='{}'>", "x".repeat(LIMIT)), 1, 0),
        (format!("<a href='{}'>", "x".repeat(LIMIT + 1)), 0, 1),
        (format!("<a href=y {}>", "a ".repeat(LIMIT / 2)), 1, 0),
        (
            format!("<table><td background='{}'>", "x".repeat(LIMIT)),
            1,
            0,
        ),
        (
            format!("<table><td background='{}'>", "x".repeat(LIMIT + 1)),
            0,
            1,
        ),
    ];
    for (html, references, left_out) in rows {
        let mut counted = Counted::default();
        let document = Document::new(Format::named("html").expect("it is a format"), None);
        let mut extractor = Extractor::new(&ExtractorOptions::default());
        extractor.extract_bytes(&document, html.as_bytes(), &mut counted);
        let start = &html[..20];
        assert_eq!(counted.references.len(), references, "{start}");
        let expected: &[_] = match left_out {
            0 => &[],
            _ => &[("html.value-too-long", left_out)],
        };
        assert_eq!(counted.diagnostics, expected, "{start}");
    }
}

/// Rule H24: the base has no effect on these references (H28).
#[test]
fn references_without_the_base_of_the_document_may_precede_it() {
    let base = "<base href=/b/>";
    for (before, late) in [
        ("<html itemscope itemtype=http://schema.example/W>", 0),
        ("<html manifest=m>", 0),
        ("<p itemtype='http://schema.example/W' itemid=i>", 1),
        ("<object classid=c codebase=d>", 1),
    ] {
        let counted = read(format!("{before}{base}").as_bytes());
        let is_late = counted.diagnostics.contains(&("html.base-after-links", 1));
        assert_eq!(is_late, late == 1, "{before}");
    }
}

/// Rule H29: once references were handed on, a restart would report each of them twice.
#[test]
fn handed_on_references_are_not_repeated() {
    const MANY: usize = 300_000;
    for late in [
        &b"<svg><p><a href=last>"[..],
        b"<meta charset=iso-8859-2><a href=last>",
        b"<a href=last>\xFF",
    ] {
        let html = [b"<a href=x>".repeat(MANY).as_slice(), late].concat();
        let counted = read(&html);
        let late = late.escape_ascii();
        assert_eq!(counted.references.len(), MANY + 1, "{late}");
        let told = counted.diagnostics.contains(&("html.held-limit", 1));
        assert!(told, "{late}: {:?}", counted.diagnostics);
    }
}

/// Rules H40 and H43: past `--max-document` the references so far keep their encoding, and later ones
/// have the one found.
#[test]
fn encoding_found_past_the_limit_applies_to_later_references_only() {
    let rest = b"<a href='http://example.com/?\xC9='>";
    let rows: [(&[u8], &[u8], [&str; 2]); 2] = [
        ("é".as_bytes(), b"\xFF", ["?%C3%A9=", "?%C9="]),
        (b"\xE9", b"<meta charset=koi8-r>", ["?%E9=", "?%C9="]),
    ];
    for (query, late, queries) in rows {
        let start = [b"<a href='http://example.com/?", query, b"='>"].concat();
        let html = |filler: usize| [&start, &*b" ".repeat(filler), late, rest].concat();
        let mail = [&b"Content-Type: text/html\n\n"[..], &html(9 << 20)].concat();
        let queries = queries.map(|query| format!("http://example.com/{query}"));
        for (format, document) in [("html", html(200_000)), ("eml", mail)] {
            let counted = read_up_to(64 << 10, format, &document);
            assert_eq!(counted.targets, queries, "{format} {}", late.escape_ascii());
            assert_eq!(counted.diagnostics, [("html.approximate", 1)], "{format}");
        }
    }
}

/// Rule H29, where one window holds all of the document.
#[test]
fn references_handed_on_within_one_window_are_not_repeated() {
    const MANY: usize = 200_000;
    let links = "<a href=x>".repeat(MANY);
    let html = format!(
        "<img src='{}'>{links}<svg><p><a href=last>",
        "x".repeat(3 << 20)
    );
    for window in [64 << 10, 8 << 20] {
        let mut counted = Counted::default();
        let document = Document::new(Format::named("html").expect("it is a format"), None);
        let options = ExtractorOptions::default().with_window(window);
        let html = [html.as_bytes(), &b" ".repeat(8 << 20)].concat();
        let read = Extractor::new(&options).extract(&document, &html[..], &mut counted);
        assert_eq!(read.expect("a slice reads"), html.len() as u64);
        assert_eq!(counted.references.len(), MANY + 2, "{window}");
    }
}

/// References of one long value are handed on before the value ends, each once and in order.
#[test]
fn a_value_full_of_references_gives_each_once() {
    const MANY: usize = 40_000;
    let list: String = (0..MANY).map(|at| format!("r{at} ")).collect();
    let expected: Vec<_> = (0..MANY).map(|at| format!("r{at}")).collect();
    let sources = [
        format!("<a ping='{list}'>"),
        format!("<a ping='&#32;{list}'>"),
        format!("<svg><p><a ping='{list}'>"),
        format!("<iframe srcdoc='<a ping=\"{list}\">'></iframe>"),
        format!("{}<a ping='{list}'>", " ".repeat(1 << 20)),
    ];
    for html in &sources {
        assert_eq!(read(html.as_bytes()).references, expected);
        let mail = format!("Content-Type: text/html\n\n{html}");
        assert_eq!(read_as("eml", mail.as_bytes()).references, expected);
    }
}

/// Rule H29: the end of a document may change its base and retract its references.
#[test]
fn the_end_of_a_long_document_decides_about_its_start() {
    let many = crate::rounds(20_000, 40_000);
    let rows = [
        ("<frameset><frame src=f>", None),
        (
            "<svg><p><base href=http://example.com/d/>",
            Some("http://example.com/d/l"),
        ),
        (
            "<base href=http://example.com/d/>",
            Some("http://example.com/d/l"),
        ),
    ];
    for (end, target) in rows {
        let html = format!("<p>{}{end}", "<a href=l> </a>".repeat(many));
        let nested = format!("<iframe srcdoc='{html}'></iframe>");
        let mail = format!("Content-Type: text/html\n\n{html}");
        for (format, document) in [("html", &html), ("html", &nested), ("eml", &mail)] {
            let mut targets = Vec::new();
            let format = Document::new(Format::named(format).expect("it is a format"), None);
            let mut extractor = Extractor::new(&ExtractorOptions::default());
            extractor.extract_bytes(&format, document.as_bytes(), &mut |link: &Link<'_>| {
                targets.push(link.target.map(<[u8]>::to_vec).ok());
            });
            match target {
                // The first frameset replaces the body, unless there is text before.
                None => assert!(!targets.is_empty()),
                Some(target) => {
                    assert_eq!(targets.len(), many, "{end}");
                    let target = Some(target.as_bytes().to_vec());
                    assert!(targets.iter().all(|it| *it == target), "{end}");
                }
            }
        }
    }
}

/// Rule H5.
#[test]
fn the_href_of_base_in_svg_is_no_reference() {
    let html = "<svg><base href=a xlink:href=b /><base href=c></svg><a href=d>";
    assert_eq!(read(html.as_bytes()).references, ["d"]);
    let html = "<svg><base href=a /><p><a href=d>";
    assert_eq!(read(html.as_bytes()).references, ["d"]);
}

#[test]
fn a_part_of_a_mail_counts_as_read_exactly() {
    let html = "<svg><p><a href=d>";
    let counted = read_as(
        "eml",
        format!("Content-Type: text/html\n\n{html}").as_bytes(),
    );
    assert_eq!(counted.exact, ["B3"]);
    assert_eq!(counted.references, ["d"]);
    assert_eq!(read_as("markdown", html.as_bytes()).exact, ["B3"]);
}

/// Spans of references in decoded values are those of the document.
#[test]
fn spans_of_decoded_references_are_those_of_the_document() {
    let html = "<a ping='&a&&b &amp;c\r d\r\n&lt;e'>";
    let mut found = Vec::new();
    let document = Document::new(Format::named("html").expect("it is a format"), None);
    Extractor::new(&ExtractorOptions::default()).extract_bytes(
        &document,
        html.as_bytes(),
        &mut |link: &Link<'_>| {
            let span = link.span.start as usize..link.span.end as usize;
            let reference = String::from_utf8_lossy(link.reference).into_owned();
            found.push((reference, html[span].to_owned()));
        },
    );
    let expected = [
        ("&a&&b", "&a&&b"),
        ("&c", "&amp;c"),
        ("d", "d"),
        ("<e", "&lt;e"),
    ];
    let expected = expected.map(|(one, other)| (one.to_owned(), other.to_owned()));
    assert_eq!(found, expected);
}
