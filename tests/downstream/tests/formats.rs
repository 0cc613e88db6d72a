//! All formats: detection by bytes and path, diagnostics that are compared, and `?` on every error.
#![cfg(feature = "formats")]

use std::error::Error;
use std::ops::ControlFlow;

use uriscan::{
    Base, Context, Diagnostic, Document, Effect, Extractor, ExtractorOptions, Flags, Format, Found,
    Grammar, Link, Resolver, Rules, Sink, codes, links, resolve, validate,
};

/// Keeps the codes of diagnostics, and the targets of links.
#[derive(Debug, Default)]
struct Report {
    targets: Vec<String>,
    late: bool,
    damaged: bool,
}

impl Report {
    fn diagnose(&mut self, diagnostic: &Diagnostic<'_>) {
        self.late |= diagnostic.code == codes::HTML_BASE_LATE;
        self.damaged |= diagnostic.code.effect == Effect::Damage;
    }
}

impl Sink for Report {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        self.targets.extend(link.target_str().map(str::to_owned));
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        if let Found::Diagnostic(diagnostic) = found {
            self.diagnose(diagnostic);
        }
    }
}

#[test]
fn documents_are_detected_by_their_bytes_and_names() {
    assert_eq!(
        Format::detect(b"<!DOCTYPE html><p>", None),
        Some(Format::HTML)
    );
    assert_eq!(
        Format::detect(b"From a@example.com Sat Jan  3 01:05:34 1996\n", None),
        Some(Format::MBOX)
    );
    assert_eq!(
        Format::detect(b"h1 { color: red }", Some("text/css; charset=utf-8")),
        Some(Format::CSS)
    );
    assert_eq!(Format::detect(b"\x89PNG\r\n\x1a\n", None), None);
    assert_eq!(Format::for_path("docs/guide.md"), Some(Format::MARKDOWN));
    assert_eq!(Format::for_path("docs/logo.png"), None);
    assert!(Format::all().any(|format| format.name == "pdf"));
    for format in Format::all() {
        assert_eq!(Format::named(format.name), Some(format));
    }
}

#[test]
fn diagnostics_are_compared() {
    let mut report = Report::default();
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let base = Base::retrieved("http://example.com/").unwrap();
    let document = Document::new(Format::HTML, Some(&base));
    extractor.extract_bytes(&document, b"<a href=a><base href=/b/>", &mut report);
    assert_eq!(report.targets, ["http://example.com/b/a"]);
    assert!(report.late && !report.damaged);
    assert_eq!(
        format!("{extractor:?} {document:?}")
            .matches("Format(\"html\")")
            .count(),
        1
    );
}

fn first_target(text: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let base = Base::retrieved("http://example.com/")?;
    let link = links(text, Format::HTML, Some(&base))
        .next()
        .ok_or("no link")?;
    let target = link.target?;
    Resolver::new(&target, Rules::Whatwg)?;
    validate(&target, Grammar::Rfc3986)?;
    Ok(resolve(&target, "next", Rules::Whatwg)?)
}

#[test]
fn every_error_is_passed_on() {
    assert_eq!(
        first_target(b"<a href=a>").unwrap(),
        b"http://example.com/next"
    );
    let error = first_target(b"<a href='http://[x]/'>").unwrap_err();
    assert_eq!(error.to_string(), "the reference does not parse");
    assert_eq!(first_target(b"").unwrap_err().to_string(), "no link");
    assert!(Base::retrieved("example.com").is_err());
}

#[test]
fn names_are_displayed() {
    assert_eq!(Context::Bare.to_string(), "bare");
    assert_eq!(
        format!("{:?}", Flags::WRAPPED | Flags::HYPHEN),
        "{\"wrapped\", \"hyphen\"}"
    );
    assert_eq!(codes::HTML_BASE_LATE.to_string(), "html.base-after-links");
}
