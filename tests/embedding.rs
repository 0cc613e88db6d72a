//! Bad input of programs that embed the library: an error or no links, never links of others.

use uriscan::http::Response;
use uriscan::{Extractor, ExtractorOptions, Link};

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
