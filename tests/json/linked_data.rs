//! JSON-LD.

use uriscan::document::FormatOptions;
use uriscan::document::flags::Flags;

use super::{both, read, read_with, references, targets};

/// References of a document with `--extended`.
fn extended(json: &str) -> Vec<String> {
    let mut options = FormatOptions::default();
    options.html.extended = true;
    let links = read_with("jsonld", json.as_bytes(), 5, options).links;
    links.into_iter().map(|link| link.reference).collect()
}

#[test]
fn addresses_and_identifiers() {
    let json = r#"{"@context": {"knows": {"@type": "@id"}, "mine": "@id", "site": "http://schema.org/url", "name": "ex:n"},
        "@id": "i", "@type": "T", "url": "a", "sameAs": ["b", {"@id": "c"}, {"@value": "d"}], "logo": {"url": "e", "@id": "f"},
        "knows": ["g", {"mine": "h"}], "schema:image": "k", "site": "l", "name": "no", "description": "http://example.com/no"}"#;
    assert_eq!(
        references("jsonld", json),
        ["a", "b", "c", "d", "e", "f", "k", "l"]
    );
    let expected = ["i", "a", "b", "c", "d", "e", "f", "g", "h", "k", "l"];
    assert_eq!(extended(json), expected);
    assert_eq!(extended(r#"{"@id": "_:b", "url": "_:c"}"#), [""; 0]);
}

#[test]
fn contexts_count_wherever_they_stand() {
    let json = r#"{"a": {"url": "x"}, "url": "y", "@context": {"@base": "http://example.org/b/"}}"#;
    let expected = ["http://example.org/b/x", "http://example.org/b/y"];
    assert_eq!(targets("jsonld", json), expected);
}

#[test]
fn bases_count_in_their_objects() {
    let json = r#"{"@context": {"@base": "http://example.org/b/"}, "@graph": [
        {"@context": {"@base": "http://example.org/b/c/"}, "url": "1", "url": {"@context": {"@base": "d/"}, "url": "2"}},
        {"url": "3"}, {"@context": null, "url": "4"}, {"@context": [{"@base": null}], "url": "5"}]}"#;
    let expected = [
        "http://example.org/b/c/1",
        "http://example.org/b/c/d/2",
        "http://example.org/b/3",
        "http://example.com/dir/4",
        "",
    ];
    assert_eq!(targets("jsonld", json), expected);
}

#[test]
fn prefixes_are_replaced() {
    let json = r#"{"@context": {"@base": "http://example.org/", "p": "q:x/", "q": "http://example.net/", "http": "no"},
        "@id": "p:y", "@graph": [{"@id": "http://example.com/"}, {"@id": "urn:z"}]}"#;
    let expected = ["http://example.net/x/y", "http://example.com/", "urn:z"];
    assert_eq!(references("jsonld", json), expected);
    let looping = r#"{"@context": {"@base": "/", "p": "q:", "q": "p:"}, "@id": "p:y"}"#;
    assert_eq!(references("jsonld", looping).len(), 1);
}

#[test]
fn contexts_elsewhere_are_named() {
    let json = r#"{"@context": ["http://example.org/c", {"@base": "http://example.org/", "@import": "d", "t": {"@context": "no"}}], "@graph": [{"@context": "e"}]}"#;
    let links = both("jsonld", json).links;
    assert!(links.iter().all(|link| link.flags.contains(Flags::CONTEXT)));
    let expected = [
        "http://example.org/c",
        "http://example.com/dir/d",
        "http://example.com/dir/e",
    ];
    assert_eq!(targets("jsonld", json), expected);
}

#[test]
fn long_linked_data_is_read_with_the_contexts_in_view() {
    let json = format!(
        r#"{{"url": "a", "x": [{}1], "@context": {{"@base": "http://example.org/"}}}}"#,
        "1,".repeat(100_000)
    );
    let target = |max_document| {
        let mut options = FormatOptions::default();
        options.html.max_document = max_document;
        let found = read_with("jsonld", json.as_bytes(), 4 << 10, options);
        let codes: Vec<_> = found.codes.iter().map(|(code, _)| *code).collect();
        (found.links[0].target.clone(), codes)
    };
    assert_eq!(target(1 << 20), ("http://example.org/a".to_owned(), vec![]));
    let expected = (
        "http://example.com/dir/a".to_owned(),
        vec!["json.held-limit"],
    );
    assert_eq!(target(64 << 10), expected);
}

#[test]
fn deep_contexts_are_bounded() {
    let depth = 3_000;
    let json = format!(
        r#"{}"url": "a"{}"#,
        r#"{"@context": {"@base": "b/"}, "x": "#.repeat(depth),
        "}".repeat(depth)
    );
    let found = read("jsonld", json.as_bytes(), 1 << 20);
    assert!(
        found
            .codes
            .iter()
            .any(|(code, _)| *code == "json.held-limit")
    );
    for piece in [
        r#"{"@context":"#,
        r#"{"@context":["#,
        r#"{"@context":{"a":"#,
        r#"{"@context":}"#,
    ] {
        read("jsonld", piece.repeat(50_000).as_bytes(), 1 << 20);
    }
}
