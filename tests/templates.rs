//! References that a template engine completes have the flag `template`, no target and no error.

use uriscan::document::flags::Flags;
use uriscan::{Base, Format, links};

/// The references of a document, and whether each is one of a template.
fn found(format: &str, document: &str) -> Vec<(String, bool)> {
    let base = Base::retrieved("http://example.com/a").unwrap();
    let found = links(
        document.as_bytes(),
        Format::named(format).unwrap(),
        Some(&base),
    );
    let found = found.map(|link| {
        let is_template = link.flags.contains(Flags::TEMPLATE);
        assert_eq!(link.target.is_err(), is_template, "{document}");
        let reference = String::from_utf8(link.reference).unwrap();
        (reference, is_template)
    });
    found.collect()
}

#[test]
fn placeholders_have_no_target() {
    for (format, before, behind) in [
        ("html", "<a href=\"", "\">"),
        ("html", "<style>p { background: url('", "') }</style>"),
        ("css", "p { background: url('", "') }"),
        ("markdown", "[a](<", ">)"),
        ("webmanifest", "{\"start_url\": \"", "\"}"),
        ("sourcemap", "{\"sources\": [\"", "\"]}"),
        ("jsonld", "{\"url\": \"", "\"}"),
        (
            "har",
            "{\"log\": {\"entries\": [{\"request\": {\"url\": \"",
            "\"}}]}}",
        ),
    ] {
        for (reference, is_template) in [
            ("{{ url }}", true),
            ("x/{% link a %}", true),
            ("${base}/x.png", true),
            ("a#{b}", true),
            ("{a}", false),
            ("a%7B%7Bb", false),
            ("a?b={%22c%22:1}", false),
        ] {
            // `jsonld` and the others have members of one kind each.
            let document = format!("{before}{reference}{behind}");
            let mut expected = reference.to_owned();
            if format == "markdown" {
                expected = expected.replace(' ', "%20");
            }
            assert_eq!(
                found(format, &document),
                [(expected, is_template)],
                "{document}"
            );
        }
    }
    assert_eq!(
        found("html", "<a href='<%= x %>'>"),
        [("<%= x %>".to_owned(), true)]
    );
}

#[test]
fn references_against_a_base_with_a_placeholder_have_no_target() {
    let absolute = "<a href=http://example.org/><a href=mailto:a@example.org>";
    for (base, is_template) in [
        ("{{ site.url }}/", true),
        ("http://example.org/<%= x %>/", true),
        ("{a}/", false),
        ("data:{{ x }}", false),
    ] {
        let document = format!(
            "<base href='{base}'><a href=x><a href=#f>{absolute}<iframe srcdoc='<a href=y>'>"
        );
        let expected = [
            ("x", is_template),
            ("#f", is_template),
            ("http://example.org/", false),
            ("mailto:a@example.org", false),
            ("y", is_template),
        ];
        let expected = expected.map(|(reference, flag)| (reference.to_owned(), flag));
        assert_eq!(found("html", &document), expected);
    }
    // A base of a nested document may be known.
    let nested = "<base href={{x}}/><iframe srcdoc='<base href=http://example.org/><a href=y>'></iframe>\
                  <iframe srcdoc='<base href=d/><a href=z>'></iframe>";
    let expected = [("y".to_owned(), false), ("z".to_owned(), true)];
    assert_eq!(found("html", nested), expected);
}

#[test]
fn placeholders_in_text_count_where_they_belong_to_a_reference() {
    for (format, document) in [
        ("text", "<http://example.com/{{page}}>"),
        ("json", "[\"http://example.com/{{page}}\"]"),
        ("text", "<http://example.com/${page}>"),
    ] {
        let found = found(format, document);
        assert_eq!(found.len(), 1, "{document}");
        assert!(found[0].1, "{document}");
    }
    assert!(!found("text", "<http://example.com/{page}>")[0].1);
}
