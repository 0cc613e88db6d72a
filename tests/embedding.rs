//! Bad input of programs that embed the library: an error or no links, never links of others.

use std::io::{self, Read};
use std::ops::ControlFlow;

use uriscan::http::Response;
use uriscan::{
    AuditOptions, Document, Extractor, ExtractorOptions, Format, Found, Link, Sink, audit,
};

/// The targets of the header fields of a response, then of its body.
fn targets(headers: &[(&str, &[u8])], body: &[u8]) -> (Vec<String>, Vec<String>) {
    let response = Response::new("http://example.com/a/b", headers.iter().copied()).unwrap();
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let shown = |link: &Link<'_>| String::from_utf8_lossy(link.target.unwrap_or_default()).into();
    let (mut of_header, mut of_body) = (Vec::new(), Vec::new());
    let mut sink = |link: &Link<'_>| of_header.push(shown(link));
    response.header_links(&mut extractor, &mut sink);
    let mut sink = |link: &Link<'_>| of_body.push(shown(link));
    extractor.extract_bytes(&response.document(), body, &mut sink);
    (of_header, of_body)
}

#[test]
fn response_with_relative_url_is_an_error() {
    for url in [
        "",
        "b.html",
        "//example.com/",
        "\u{e9}",
        ":",
        "http://a\n.example/\u{0}",
    ] {
        let headers: [(&str, &[u8]); 0] = [];
        let response = Response::new(url, headers);
        assert_eq!(response.is_err(), !url.starts_with("http"), "{url:?}");
    }
}

#[test]
fn fields_with_line_breaks_name_no_other_fields() {
    let cases: [(&str, &[u8]); 5] = [
        ("X", b"1\r\nLink: <http://other.example/>"),
        ("X\nLink", b"<http://other.example/>"),
        ("X: 1\r\nLocation", b"http://other.example/"),
        ("", b"\nLocation: http://other.example/"),
        ("X\n\nLocation", b"http://other.example/\n"),
    ];
    for (name, value) in cases {
        assert_eq!(targets(&[(name, value)], b"").0, [""; 0], "{name:?}");
    }
    let folded = [("Location", &b"http://example.org/\r\n x"[..])];
    assert_eq!(targets(&folded, b"").0.len(), 1);
}

#[test]
fn unreadable_fields_leave_the_defaults_of_the_body() {
    let html = b"<a href=c>";
    for headers in [
        &[][..],
        &[("Content-Type", &b""[..])],
        &[("Content-Type", b"\xff\xfe;;;=;charset")],
        &[("content-type", b"text/html; charset=\"\"; charset=utf-8")],
        &[("CONTENT-TYPE", b"text/html;charset=no-such-charset")],
        &[("Content-Base", b"relative/")],
        &[("Content-Base", b"\"http://example.org/\"")],
        &[
            ("Content-Base", b"http://[x/"),
            ("Content-Location", b"http://[x/"),
        ],
        &[("Content-Location", b"")],
    ] {
        assert_eq!(
            targets(headers, html).1,
            ["http://example.com/a/c"],
            "{headers:?}"
        );
    }
    let many = vec![("Link", &b"<x>"[..]); 1000];
    assert_eq!(targets(&many, b"").0.len(), 1000);
    let long = vec![b'a'; 2 << 20];
    let (of_header, of_body) = targets(&[("Link", &long), ("Location", &long)], html);
    assert!(of_header.len() <= 1 && of_body.len() == 1);
}

/// Reads some bytes, and then fails.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0 {
            [] => Err(io::Error::other("failed")),
            _ => self.0.read(into),
        }
    }
}

#[test]
fn links_before_an_error_of_the_reader_are_found_in_the_first_bytes() {
    let inputs = [
        ("html", &b"<a href=a>a</a> <svg><a href=b>"[..]),
        ("css", b"@import 'a'; p { background: url(b) }"),
        (
            "xml",
            b"<?xml-stylesheet href='a'?><?xml-stylesheet href='b'?><x>",
        ),
        ("text", b"<http://a.example/> http://b.example/ "),
    ];
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    for (name, input) in inputs {
        let document = Document::new(Format::named(name).unwrap(), None);
        let mut found = 0;
        let read = extractor.extract(&document, Failing(input), &mut |_: &Link<'_>| found += 1);
        assert_eq!(read.unwrap_err().to_string(), "failed", "{name}");
        assert_eq!(found, 2, "{name}");
    }
}

#[test]
fn a_stream_of_a_document_above_the_limit_is_read_in_small_chunks() {
    let pdf = b"%PDF-1.4\n1 0 obj<</A<</S/URI/URI(http://a.example/)>>>>endobj\n".repeat(20);
    let open = [&b"<a href=a><!-- "[..], &[b'x'; 90_000]].concat();
    let mut options = ExtractorOptions::default();
    options.formats.html.max_document = 100;
    let mut extractor = Extractor::new(&options);
    for (name, input) in [("pdf", &pdf), ("html", &open), ("text", &open)] {
        for length in [1, 100] {
            let document = Document::new(Format::named(name).unwrap(), None);
            let mut sink = |_: &Link<'_>| ();
            let mut stream = extractor.stream(&document, &mut sink);
            for chunk in input.chunks(length) {
                stream.write(chunk).unwrap();
            }
            assert_eq!(stream.finish().unwrap(), input.len() as u64, "{name}");
        }
    }
}

#[test]
fn options_without_a_limit_are_taken() {
    let page = b"<svg><foreignObject><base href=/b/></foreignObject></svg><a href=a>";
    let document = Document::new(Format::HTML, None);
    let mut options = ExtractorOptions::default();
    options.formats.html.max_document = u64::MAX;
    for _ in 0..2 {
        let mut extractor = Extractor::new(&options);
        for _ in 0..2 {
            let mut found = 0;
            let mut sink = |_: &Link<'_>| found += 1;
            let read = extractor.extract(&document, &page[..], &mut sink);
            // Memory for such a window is refused.
            assert_eq!(read.is_ok(), options.window < usize::MAX);
            let mut stream = extractor.stream(&document, &mut sink);
            let _ = stream.write(page);
            let _ = stream.finish();
            extractor.extract_bytes(&document, page, &mut sink);
            assert!(found > 0);
        }
        options.window = usize::MAX;
    }
}

/// Stops at the first link.
struct Stopping(bool);

impl Sink for Stopping {
    fn link(&mut self, _: &Link<'_>) -> ControlFlow<()> {
        self.0 = true;
        ControlFlow::Break(())
    }

    fn event(&mut self, found: &Found<'_>) {
        assert!(!self.0, "{found:?}");
    }
}

#[test]
fn nothing_is_received_after_the_last_link() {
    let mails =
        b"Subject: s\nbroken\n\nhttp://a.example/\nFrom x Thu Jan  1 00:00:00 2004\n\n".repeat(3);
    let page = b"<a href=a><a href=b><base href='mailto:x'><base href=/c/><a href=d>";
    for (name, input) in [("html", &page[..]), ("mbox", &mails), ("eml", &mails)] {
        let document = Document::new(Format::named(name).unwrap(), None);
        let mut sink = Stopping(false);
        let mut options = ExtractorOptions::default();
        options.formats.mail.message_fields = true;
        Extractor::new(&options).extract_bytes(&document, input, &mut sink);
        assert!(sink.0, "{name}");
    }
}

#[test]
fn declared_types_of_documents_are_their_formats() {
    let cases = [
        ("application/atom+xml; charset=utf-8", "xml"),
        ("image/svg+xml", "xml"),
        ("TEXT/XML", "xml"),
        ("application/xhtml+xml", "html"),
        ("application/json", "json"),
        ("application/problem+json", "json"),
        ("application/ld+json", "jsonld"),
        ("application/manifest+json", "webmanifest"),
        ("application/pdf", "pdf"),
        ("text/markdown", "markdown"),
        ("text/x-rst", "rst"),
        ("text/x-unknown", "text"),
        ("message/rfc822", "eml"),
    ];
    for (declared, name) in cases {
        let headers = [("Content-Type", declared.as_bytes())];
        let response = Response::new("http://example.com/", headers).unwrap();
        assert_eq!(response.format(), Format::named(name), "{declared}");
        let detected = Format::detect(b"plain", Some(declared));
        assert_eq!(detected, Format::named(name), "{declared}");
    }
    let manifest = Format::detect(b"{\"start_url\": \"/\"}", Some("application/json"));
    assert_eq!(manifest, Format::named("webmanifest"));
}

#[test]
fn semicolons_in_quoted_parameters_of_content_type_separate_nothing() {
    for parameters in [
        r#"charset=iso-8859-1"#,
        r#"title="a; charset=utf-8"; charset="iso-8859-1""#,
        r#"title="a\"; charset=utf-8"; charset=iso-8859-1"#,
        r#"title="a\\"; charset=iso-8859-1; x="; charset=utf-8""#,
        r#"title=a"; charset=iso-8859-1"#,
        r#"title= "; charset=iso-8859-1"#,
    ] {
        let value = format!("text/html; {parameters}");
        let (_, links) = targets(&[("Content-Type", value.as_bytes())], b"<a href='?\xE9'>");
        assert_eq!(links, ["http://example.com/a/b?%E9"], "{parameters}");
    }
}

/// The codes of diagnostics.
#[derive(Default)]
struct Codes(Vec<&'static str>);

impl Sink for Codes {
    fn link(&mut self, _: &Link<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        if let Found::Diagnostic(found) = found {
            self.0.push(found.code.name);
        }
    }
}

#[test]
fn a_stream_that_is_dropped_leaves_no_diagnostics() {
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let document = Document::new(Format::MAIL, None);
    let mut codes = Codes::default();
    let mut stream = extractor.stream(&document, &mut codes);
    let left = b"Content-Type: text/plain; charset=nonsense\n\nhttp://a.example/\n";
    stream.write(left).unwrap();
    drop(stream);
    extractor.extract_bytes(&document, b"Subject: s\n\nhttp://b.example/\n", &mut codes);
    assert_eq!(codes.0, [""; 0]);
}

#[test]
fn an_audit_takes_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.html"), "<a href=b.html>").unwrap();
    for threads in [0, 1, usize::MAX] {
        let options = AuditOptions::default().threads(threads);
        let mut found = 0;
        let summary = audit(&options, [directory.path()], |_| found += 1).unwrap();
        assert_eq!((summary.errors(), found), (1, 1), "{threads}");
    }
}
