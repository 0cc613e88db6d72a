//! Style sheets: an independent oracle, and cases of the rules of `document/css`.

pub(crate) mod oracle;

use std::ops::ControlFlow;

use uriscan::Format;
use uriscan::document::flags::Flags;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::{self, Link, Sink};
use uriscan::uri::{Base, BaseSource};

use crate::html::hostile::Hostile;
use crate::text::soup::Numbers;
use oracle::{Expected, Sheet, expected};

/// The references that the library finds, and its diagnostics.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    references: Vec<Expected>,
    flags: Vec<Flags>,
    spans: Vec<(u64, u64)>,
    codes: Vec<(&'static str, u64)>,
}

impl Sink for Found {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        if link.context.name() != "style" {
            return ControlFlow::Continue(());
        }
        self.flags.push(link.flags);
        self.spans.push((link.span.start, link.span.end));
        self.references.push(Expected {
            reference: String::from_utf8_lossy(link.reference).into_owned(),
            attribute: link.attribute.map(str::to_owned),
            inert: link.flags.contains(Flags::INERT),
        });
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &linker::Found<'_>) {
        if let linker::Found::Diagnostic(diagnostic) = found {
            self.codes.push((diagnostic.code.name, diagnostic.count));
        }
    }
}

/// Reads a sheet `window` bytes at a time.
fn read(css: &[u8], window: usize) -> Found {
    let base = Base {
        uri: b"http://example.com/dir/a.css".to_vec(),
        source: BaseSource::RetrievalFile,
    };
    let mut extractor = Extractor::new(&ExtractorOptions::default().with_window(window));
    let mut found = Found::default();
    let document = Document::new(Format::CSS, Some(&base));
    let outcome = extractor.extract(&document, css, &mut found);
    outcome.expect("a slice reads without errors");
    found
}

/// Compares what the library finds in a sheet, whole and in windows, with the oracle.
pub(crate) fn check(css: &[u8], window: usize) {
    // The oracle reads text.
    let Ok(text) = std::str::from_utf8(css) else {
        return;
    };
    let whole = read(css, 1 << 20);
    assert_eq!(read(css, window), whole, "windows of {window}: {text:?}");
    // cssparser takes NUL for U+FFFD, and so do we, but not in names.
    if !css.contains(&0) && !text.starts_with('\u{feff}') {
        assert_eq!(whole.references, expected(text, Sheet::Whole), "{text:?}");
    }
}

fn codes(css: &str) -> Vec<(&'static str, u64)> {
    read(css.as_bytes(), 7).codes
}

fn references(css: &str) -> Vec<String> {
    let found = read(css.as_bytes(), 7).references.into_iter();
    found.map(|found| found.reference).collect()
}

/// `CSS_SEEDS=100000` in the environment runs more sheets.
#[test]
fn generated_sheets_agree_with_the_oracle() {
    let seeds = std::env::var("CSS_SEEDS").map(|seeds| seeds.parse());
    let seeds = seeds
        .unwrap_or(Ok(crate::rounds(1_000, 3_000)))
        .expect("CSS_SEEDS is a number");
    for seed in 0..seeds {
        let css = Hostile::sheet(seed);
        let window = 1 + Numbers::seeded(seed).below(40);
        check(&css, window);
    }
}

#[test]
fn imports_after_other_rules_are_inert() {
    for (css, inert) in [
        ("@import 'a';", false),
        ("@charset 'x'; @layer a, b; @import 'a';", false),
        ("@import 'b'; @import 'a';", false),
        ("@layer x; @import y; @layer z; @import 'a';", false),
        ("@import 'b'; @charset 'x'; @import 'a';", false),
        ("@import 'b'; @layer x; @import 'a';", true),
        ("@layer x {} @import 'a';", true),
        ("p {} @import 'a';", true),
        ("@namespace 'x'; @import 'a';", true),
        ("@media print { @import 'a'; }", true),
    ] {
        let found = read(css.as_bytes(), 7).references;
        assert_eq!(found.last().map(|found| found.inert), Some(inert), "{css}");
    }
}

#[test]
fn sheets_in_iso_2022_jp_are_decoded() {
    let css = b"@charset \"iso-2022-jp\"; a { b: url(\x1b$BI=\x1b(B.png) }";
    assert_eq!(read(css, 7).references[0].reference, "\u{8868}.png");
}

#[test]
fn preludes_hold_no_references_but_that_of_import() {
    for (css, expected) in [
        (
            "@supports (background: url(no)) { p { x: url(a) } }",
            vec!["a"],
        ),
        ("@-moz-document url(no) { p { x: url(a) } }", vec!["a"]),
        ("@namespace url(no); p { x: url(a) }", vec!["a"]),
        (
            "@import url(a) supports(x: url(no)); @import 'b'",
            vec!["a", "b"],
        ),
        ("@import 'a' layer(x) 'no';", vec!["a"]),
        ("@import layer 'no';", vec![]),
    ] {
        assert_eq!(references(css), expected, "{css}");
    }
}

#[test]
fn local_references_are_marked() {
    let found = read(b"p { fill: url(#a); mask: url(b#a) url('#c') }", 7);
    let local: Vec<_> = (found.flags.iter())
        .map(|flags| flags.contains(Flags::LOCAL))
        .collect();
    assert_eq!(local, [true, false, true]);
}

#[test]
fn blocks_in_custom_properties_belong_to_them() {
    for css in [
        "a { --bar: {x: url(n.png); y: {z: url(n.png)}} }",
        "a { color: red; --bar:{x: url(n.png)} [url(n.png)]; }",
        "a { --bar: {@import url(n.png); x: url(n.png)} }",
        "a { --bar: {@media print {x: url(n.png)} y: url(n.png)} }",
        "a { --bar: {@namespace} y: url(n.png) {@apply --c; x: url(n.png)} }",
    ] {
        for window in [1, 7, 1000] {
            let found = read(css.as_bytes(), window);
            let references = found.references.iter();
            let owners: Vec<_> = references.map(|found| found.attribute.as_deref()).collect();
            assert_eq!(owners, [Some("--bar"); 2], "{css} {window}");
            let mut flags = found.flags.iter();
            assert!(flags.all(|flags| flags.contains(Flags::CUSTOM_PROPERTY)));
        }
    }
    let after = read(
        b"a { --bar: {x: y} } b { --c: {} ; d: url(e); --f { g: url(h) } }",
        7,
    );
    let names: Vec<_> = (after.references.iter())
        .map(|found| found.attribute.as_deref())
        .collect();
    assert_eq!(names, [Some("d"), Some("g")]);
}

#[test]
fn url_modifiers_are_diagnosed() {
    let modifier = [("css.url-modifier", 1)];
    assert_eq!(codes("p { x: url('a' crossorigin(anonymous)) }"), modifier);
    assert_eq!(codes("p { x: url('a' b c) url( 'd' ) }"), modifier);
    assert_eq!(references("p { x: url('a' b c) url( 'd' ) }"), ["a", "d"]);
    assert_eq!(codes("p { x: url('a'/**/) }"), []);
}

/// Tokens of more than 4 MiB are left out, wherever windows end; what follows them is read.
#[test]
fn long_tokens_are_left_out() {
    let long = "x\\20 y".repeat((4 << 20) / 6 + 2);
    for (start, end) in [
        ("p { x: url(", ") url(a) }"),
        ("p { x: url(", "   ) url(a) }"),
        ("p { x: url('", "') url(a) }"),
        ("/*# sourceMappingURL=", "*/ p { x: url(a) }"),
    ] {
        let css = [start, &long, end].concat();
        for &window in crate::rounds(&[1 << 16][..], &[1 << 16, 1 << 26]) {
            let found = read(css.as_bytes(), window);
            assert_eq!(found.codes, [("css.token-too-long", 1)], "{start} {window}");
            let last = found.references.last().map(|found| &*found.reference);
            assert_eq!((found.references.len(), last), (1, Some("a")), "{start}");
        }
    }
    let comment = ["/*", &long, "*/ p { x: url(a) }"].concat();
    assert_eq!(references(&comment), ["a"]);
    let blanks = ["p { x: url(", &" ".repeat(5 << 20), "a) }"].concat();
    assert_eq!(read(blanks.as_bytes(), 1 << 16).references.len(), 1);
}

#[test]
fn nesting_beyond_the_limit_is_counted() {
    let deep = 3 << 20;
    let pairs = [("{", "}"), ("(", ")"), ("[", "]")];
    for (open, close) in crate::rounds(&pairs[..1], &pairs) {
        let (open, close) = (open.repeat(deep), close.repeat(deep));
        let css = [&open, "url(b)", &close, "p { x: url(a) }"].concat();
        assert_eq!(read(css.as_bytes(), 1 << 16).references.len(), 2);
    }
}
