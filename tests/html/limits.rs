//! Documents beyond the limits of exact parsing: bounded memory, no panic, a diagnostic.

use std::io::Cursor;

use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::resolver::{Diagnostic, Link, Sink};

/// Counts links, and keeps the names of diagnostics with their counts.
#[derive(Default)]
struct Counted {
    references: Vec<String>,
    diagnostics: Vec<(&'static str, u64)>,
    exact: Vec<&'static str>,
}

impl Sink for Counted {
    fn link(&mut self, link: &Link<'_>) {
        self.references
            .push(String::from_utf8_lossy(link.reference).into_owned());
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>) {
        self.diagnostics
            .push((diagnostic.code.name, diagnostic.count));
    }

    fn exact(&mut self, rule: &'static str) {
        self.exact.push(rule);
    }
}

fn read(html: &[u8]) -> Counted {
    read_as("html", html)
}

fn read_as(format: &str, html: &[u8]) -> Counted {
    let mut counted = Counted::default();
    let document = Document::new(Format::named(format).expect("it is a format"), None);
    let options = ExtractorOptions {
        window: 64 << 10,
        ..ExtractorOptions::default()
    };
    let read =
        Extractor::new(&options).extract_seekable(&document, Cursor::new(html), &mut counted);
    assert_eq!(
        read.expect("a slice reads without errors"),
        html.len() as u64
    );
    counted
}

/// Formatting elements that are all different and that every paragraph opens again.
fn fonts(many: usize) -> String {
    (0..many)
        .map(|size| format!("<font size={size}><p>"))
        .collect()
}

/// Different names of attributes.
fn names(letter: char, many: usize) -> String {
    (0..many).map(|at| format!("{letter}{at} ")).collect()
}

/// What stands between two links, and the diagnostic that it makes; none where its count is 0.
#[test]
fn what_is_too_long_or_too_deep_is_told_and_the_rest_is_found() {
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
                "abc=def ".repeat(LONG / 4)
            ),
            &["i", "d"],
            ("html.value-too-long", 1),
        ),
        (
            "a long end tag",
            format!("<script></script {}>", "abc ".repeat(LONG / 2)),
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

/// The references of a document that is longer than what can be held go out early; then the document
/// must not be read from its start again, or each of them would come twice.
#[test]
fn what_was_handed_on_early_is_not_read_again() {
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

/// The same where a window that grew for a long value holds all of them, and what asks for another
/// reading too.
#[test]
fn what_is_handed_on_within_one_window_is_not_read_again() {
    const MANY: usize = 200_000;
    let links = "<a href=x>".repeat(MANY);
    let html = format!(
        "<img src='{}'>{links}<svg><p><a href=last>",
        "x".repeat(3 << 20)
    );
    for window in [64 << 10, 8 << 20] {
        let mut counted = Counted::default();
        let document = Document::new(Format::named("html").expect("it is a format"), None);
        let options = ExtractorOptions {
            window,
            ..ExtractorOptions::default()
        };
        let html = [html.as_bytes(), &b" ".repeat(8 << 20)].concat();
        let read = Extractor::new(&options).extract(&document, &html[..], &mut counted);
        assert_eq!(read.expect("a slice reads"), html.len() as u64);
        assert_eq!(counted.references.len(), MANY + 2, "{window}");
    }
}

/// One value may hold millions of references: they are handed on before the value ends, each once
/// and in order, whatever else the document is.
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

/// What follows a long document may decide how it is read, and what its base is.
#[test]
fn the_end_of_a_long_document_decides_about_its_start() {
    const MANY: usize = 40_000;
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
        let html = format!("<p>{}{end}", "<a href=l> </a>".repeat(MANY));
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
                // The first frameset replaces the body, unless text stands before it.
                None => assert!(!targets.is_empty()),
                Some(target) => {
                    assert_eq!(targets.len(), MANY, "{end}");
                    let target = Some(target.as_bytes().to_vec());
                    assert!(targets.iter().all(|it| *it == target), "{end}");
                }
            }
        }
    }
}

/// SVG knows no `base`: the attribute means nothing there.
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

/// The places of what was decoded take memory for each change, not for each byte; spans stay those of
/// the document.
#[test]
fn what_is_decoded_stands_where_it_stood() {
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
