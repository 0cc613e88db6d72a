//! HTTP archives.

use uriscan::document::FormatOptions;
use uriscan::formats::Headers;

use super::{both, read_with, targets};

/// An archive with one entry.
fn archive(request: &str, response: &str) -> String {
    format!(r#"{{"log": {{"entries": [{{"request": {request}, "response": {response}}}]}}}}"#)
}

#[test]
fn header_fields_resolve_against_the_request() {
    let request = r#"{"url": "http://example.org/p/q", "headers": [{"name": "Referer", "value": "http://example.org/"}]}"#;
    let response = r#"{"headers": [{"name": "LOCATION", "value": "../r"}, {"value": "<s>; title=\"<no>\", <\/t>", "name": "link"},
        {"name": "x-url", "value": "http://example.com/no"}], "redirectURL": "u"}"#;
    let json = archive(request, response);
    let mut expected = vec![
        "http://example.org/p/q",
        "http://example.org/r",
        "http://example.org/p/s",
        "http://example.org/t",
        "http://example.org/p/u",
    ];
    assert_eq!(targets("har", &json), expected);
    let links = both("har", &json).links;
    assert_eq!(
        (links[1].context, links[1].attribute.as_deref()),
        ("header", Some("location"))
    );
    let (start, end) = links[3].span;
    assert_eq!(&json[start as usize..end as usize], r"\/t");
    let with = |headers| {
        let mut options = FormatOptions::default();
        options.mail.headers = headers;
        let links = read_with("har", json.as_bytes(), 9, options).links;
        let targets = links.into_iter().map(|link| link.target);
        targets.collect::<Vec<_>>()
    };
    assert_eq!(with(Headers::None), [expected[0], expected[4]]);
    expected.insert(1, "http://example.org/");
    assert_eq!(with(Headers::All), expected);
}

#[test]
fn bodies_are_documents_of_their_media_type() {
    for (content, expected) in [
        (
            r#"{"mimeType": "text/html", "text": "<a href=a>"}"#,
            "http://example.org/p/a",
        ),
        (
            r#"{"text": "<base href=/b/><a href=a>", "mimeType": "TEXT/HTML; charset=x"}"#,
            "http://example.org/b/a",
        ),
        (
            r#"{"mimeType": "text/css", "text": "p{x:url(a)}"}"#,
            "http://example.org/p/a",
        ),
        (
            r#"{"mimeType": "application/json", "text": "{\"a\":\"http:\\\/\\\/example.org\\\/a\"}"}"#,
            "http://example.org/a",
        ),
        (
            r#"{"mimeType": "application/manifest+json", "text": "{\"start_url\":\"a\"}"}"#,
            "http://example.org/p/a",
        ),
        (
            r#"{"mimeType": "application/xml", "text": "<urlset><url><loc>http://example.org/?a&amp;b</loc></url></urlset>"}"#,
            "http://example.org/?a&b",
        ),
        (
            r#"{"mimeType": "image/svg+xml", "text": "<svg xmlns:xlink='http://www.w3.org/1999/xlink'><a xlink:href='a'/></svg>"}"#,
            "http://example.org/p/a",
        ),
        (
            r#"{"mimeType": "application/javascript", "text": "f('http://example.org/a')"}"#,
            "http://example.org/a",
        ),
        (
            r#"{"mimeType": "image/png", "text": "http://example.org/a"}"#,
            "",
        ),
        (r#"{"text": "http://example.org/a"}"#, ""),
    ] {
        let response = format!(r#"{{"content": {content}}}"#);
        let request = r#"{"url": "http://example.org/p/q"}"#;
        let found = targets("har", &archive(request, &response));
        let last = found.last().unwrap();
        match expected {
            "" => assert_eq!(found.len(), 1, "{content}"),
            expected => assert_eq!(last, expected, "{content}"),
        }
        // The request may stand behind its response.
        let turned = format!(
            r#"{{"log": {{"entries": [{{"response": {response}, "request": {request}}}]}}}}"#
        );
        let turned = targets("har", &turned);
        match expected {
            "" => assert_eq!(turned.len(), 1, "{content}"),
            expected => assert_eq!(turned[turned.len() - 2], expected, "{content}"),
        }
    }
}

/// Positions lead through base64 and the charset.
#[test]
fn bodies_in_base64_are_decoded() {
    // Four digits stand for three bytes together.
    for (kind, body, reference, raw) in [
        (
            "text/html; charset=iso-8859-1",
            r"PHA+PGEgaHJlZj0iYekiPg==",
            "a\u{e9}",
            "Yeki",
        ),
        (
            "text/html; charset=iso-8859-1",
            r"PHA+PGEg\u0061HJlZj0iYekiPg==",
            "a\u{e9}",
            "Yeki",
        ),
        (
            "text/css; charset=iso-8859-1",
            r"cHt4OnVybCgiYeki\nKX0=",
            "a\u{e9}",
            "Yeki",
        ),
        ("text/css", "cHt4OnVybChhYSl9", "aa", "bChhYSl9"),
    ] {
        let response = format!(
            r#"{{"content": {{"mimeType": "{kind}", "text": "{body}", "encoding": "base64"}}}}"#
        );
        let json = archive(r#"{"url": "http://example.org/p/q"}"#, &response);
        let links = both("har", &json).links;
        assert_eq!(links.len(), 2, "{body}");
        assert_eq!(links[1].reference, reference, "{body}");
        let (start, end) = links[1].span;
        assert_eq!(&json[start as usize..end as usize], raw, "{body}");
    }
}
