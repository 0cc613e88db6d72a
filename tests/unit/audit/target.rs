use super::*;

#[test]
fn a_fragment_is_split_off_and_decoded() {
    let split = |target: &'static str| split_fragment(target.as_bytes());
    let without = |target: &'static str, fragment| (target.as_bytes(), fragment);
    assert_eq!(
        split("http://example.com/a?b#c"),
        without("http://example.com/a?b", Some(&b"c"[..]))
    );
    assert_eq!(
        split("http://example.com/"),
        without("http://example.com/", None)
    );
    assert_eq!(&*percent_decoded(b"a%20b"), b"a b");
    assert_eq!(&*percent_decoded(b"100%"), b"100%");
}

#[test]
fn some_fragments_name_no_element() {
    for (fragment, name) in [
        ("", None),
        ("top", None),
        ("TOP", None),
        (":~:text=here", None),
        ("a:~:text=here", Some("a")),
        ("tops", Some("tops")),
    ] {
        let name = name.map(str::as_bytes);
        assert_eq!(required_name(fragment.as_bytes()), name, "{fragment}");
    }
}

#[test]
fn places_in_a_pdf_are_pages_and_names() {
    let places = |fragment: &str| -> Vec<String> {
        let places = pdf_places(fragment.as_bytes());
        places
            .map(|name| String::from_utf8(name).unwrap())
            .collect()
    };
    for (fragment, expected) in [
        ("page=3", &["page=3"][..]),
        ("page=03&zoom=50,1,2", &["page=3"]),
        ("zoom=50", &[]),
        ("", &[]),
        ("nameddest=a%20b&page=1", &["nameddest=a b", "page=1"]),
        ("chapter.1", &["nameddest=chapter.1"]),
    ] {
        assert_eq!(places(fragment), expected, "{fragment}");
    }
}

#[test]
fn lines_of_a_source_on_github_begin_with_l() {
    for name in ["L10", "L1-L9", "L1C2-L3C4", "L1C2"] {
        assert!(is_line_of_source(name.as_bytes()), "{name}");
    }
    for name in ["", "L", "l10", "L1-", "L1-9", "L1-L2-L3", "LC1", "L1C"] {
        assert!(!is_line_of_source(name.as_bytes()), "{name}");
    }
}

#[test]
fn a_range_of_lines_is_two_numbers() {
    let range = |name: &'static str| line_range(name.as_bytes());
    assert_eq!(range("203-207"), Some([&b"203"[..], b"207"]));
    for name in ["203", "203-", "-207", "a-1", "1-2-3", "L1-L2"] {
        assert_eq!(range(name), None, "{name}");
    }
}
