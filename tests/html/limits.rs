//! Documents beyond the limits of exact parsing: bounded memory, no panic, a diagnostic.

use std::io::Cursor;

use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, Options};
use uriscan::resolver::{Diagnostic, Link, Sink};

/// Counts links, and keeps the names of diagnostics with their counts.
#[derive(Default)]
struct Counted {
    references: Vec<String>,
    diagnostics: Vec<(&'static str, u64)>,
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
}

fn read(html: &[u8]) -> Counted {
    let mut counted = Counted::default();
    let document = Document::new(Format::named("html").expect("it is a format"), None);
    let options = Options {
        window: 64 << 10,
        ..Options::default()
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
