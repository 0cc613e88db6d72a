//! Rows beyond the published tables: corrected forms, kinds, encodings of queries, fault messages.

use encoding_rs::Encoding;
use uriscan::uri::{
    ExcessDots, Grammar, ReferenceKind, Resolver, RuleForm, Rules, SameScheme, validate,
};

const CORRECTED_2396: Rules = Rules::Rfc2396 {
    excess: ExcessDots::Keep,
    scheme: SameScheme::Strict,
    form: RuleForm::Corrected,
};

/// Returns the target, or the name of the error.
fn resolve(base: &str, rules: Rules, reference: &str) -> String {
    let resolver = if base.is_empty() {
        Resolver::without_base(rules)
    } else {
        Resolver::new(base.as_bytes(), rules).unwrap()
    };
    let mut target = Vec::new();
    match resolver.resolve_into(reference.as_bytes(), &mut target) {
        Ok(_) => String::from_utf8(target).unwrap(),
        Err(error) => error.kind().name().to_owned(),
    }
}

#[test]
fn corrected_forms() {
    for (rules, base, reference, expected) in [
        // RFC 2396 section 5.2 step 6a lacks the slash.
        (Rules::RFC2396, "http://a", "g", "http://ag"),
        (CORRECTED_2396, "http://a", "g", "http://a/g"),
        (CORRECTED_2396, "http://a", "?y", "http://a/?y"),
        (CORRECTED_2396, "http://a", "../g", "http://a/../g"),
        // A path must not become an authority.
        (CORRECTED_2396, "a:/b", ".//x", "a:/.//x"),
        (Rules::CITATION, "a:/b", ".//x", "a:/.//x"),
        (Rules::CITATION, "a:/b/c", "../..//x", "a:/.//x"),
        (Rules::CITATION, "a:/b", "//x", "a://x"),
        (Rules::CITATION, "a://h/b", ".//x", "a://h//x"),
        // An absolute reference stays as written.
        (Rules::RFC3986, "http://a/b", "urn:a/../b", "urn:/b"),
        (Rules::CITATION, "http://a/b", "urn:a/../b", "urn:a/../b"),
        (
            Rules::CITATION,
            "http://a/b",
            "HTTP://H/a/../%7e b",
            "HTTP://H/a/../%7e b",
        ),
        (Rules::CITATION, "", "mailto:a/./b", "mailto:a/./b"),
        // Against an opaque base only queries, fragments and the empty reference resolve.
        (Rules::CITATION, "mailto:a@b", "g", "unsuitable-base"),
        (Rules::CITATION, "mailto:a@b", "/g", "unsuitable-base"),
        (Rules::CITATION, "mailto:a@b", "//g", "unsuitable-base"),
        (Rules::CITATION, "mailto:a@b", "?x", "mailto:a@b?x"),
        (Rules::CITATION, "mailto:a@b", "#f", "mailto:a@b#f"),
        (Rules::CITATION, "mailto:a@b", "", "mailto:a@b"),
        (Rules::CITATION, "http://a", "g", "http://a/g"),
        // Errors have their names.
        (Rules::Whatwg, "mailto:a@b", "g", "unsuitable-base"),
        (Rules::Whatwg, "mailto:a@b", "#f", "mailto:a@b#f"),
        (Rules::Whatwg, "about:blank", "", "unsuitable-base"),
        (Rules::Whatwg, "", "g", "no-base"),
        (Rules::Whatwg, "http://a/", "http://[/", "invalid-reference"),
        (Rules::RFC3986, "", "g", "no-base"),
        (Rules::RFC2396, "", "#s", "no-base"),
        (Rules::Rfc1808, "", "../g#s", "../g#s"),
        (Rules::Rfc1808, "mailto:a@b", "g", "unsuitable-base"),
        (Rules::Rfc1808, "http://a", "g", "http://a/g"),
        (Rules::Rfc1808, "file:///a", "g", "file:///g"),
    ] {
        assert_eq!(
            resolve(base, rules, reference),
            expected,
            "{reference} against {base} by {rules:?}"
        );
    }
}

#[test]
fn kinds_and_same_documents() {
    use ReferenceKind::{
        Absolute, AbsolutePath, Empty, Fragment, NetworkPath, Opaque, Query, RelativePath,
    };
    let all = [
        Rules::Whatwg,
        Rules::RFC3986,
        Rules::RFC2396,
        Rules::Rfc1808,
    ];
    let newer = [Rules::Whatwg, Rules::RFC3986];
    let rows: [(&[Rules], &str, ReferenceKind, bool); 15] = [
        (&all, "", Empty, true),
        (&all, "#f", Fragment, true),
        (&all, "?y", Query, false),
        (&newer, "?q", Query, true),
        (&newer, "?q#f", Query, true),
        (&newer, "d;p?q", RelativePath, true),
        (&newer, "../c/./d;p?q#f", RelativePath, true),
        (
            &[Rules::RFC2396, Rules::Rfc1808],
            "d;p?q",
            RelativePath,
            false,
        ),
        (&all, "g", RelativePath, false),
        (&all, "/g", AbsolutePath, false),
        (&all, "//g", NetworkPath, false),
        (&all, "http://g/h", Absolute, false),
        (&newer, "http://a/b/c/d;p?q#x", Absolute, true),
        (&all, "mailto:g", Opaque, false),
        (&[Rules::Whatwg], "http:g", RelativePath, false),
    ];
    for (rules, reference, kind, same_document) in rows {
        for &rules in rules {
            let resolver = Resolver::new(b"http://a/b/c/d;p?q", rules).unwrap();
            let resolved = resolver
                .resolve_into(reference.as_bytes(), &mut Vec::new())
                .unwrap();
            let got = (
                resolved.kind(),
                resolved.same_document(),
                resolved.inherits_base(),
            );
            assert_eq!(
                got,
                (kind, same_document, kind < Absolute),
                "{reference:?} by {rules:?}"
            );
        }
    }
}

#[test]
fn queries_are_in_the_encoding_of_the_document() {
    for (label, base, reference, expected) in [
        ("windows-1252", "http://a/", "?\u{e9}", "http://a/?%E9"),
        (
            "windows-1252",
            "http://a/",
            "\u{e9}?\u{e9}#\u{e9}",
            "http://a/%C3%A9?%E9#%C3%A9",
        ),
        (
            "windows-1252",
            "http://a/",
            "?\u{3042}'",
            "http://a/?%26%2312354%3B%27",
        ),
        ("shift_jis", "http://a/", "?\u{3042}", "http://a/?%82%A0"),
        (
            "iso-2022-jp",
            "http://a/",
            "?\u{3042}x",
            "http://a/?%1B$B$%22%1B(Bx",
        ),
        ("gbk", "https://a/", "?\u{4e2d}", "https://a/?%D6%D0"),
        ("windows-1252", "ws://a/", "?\u{e9}", "ws://a/?%C3%A9"),
        ("windows-1252", "foo://a/", "?\u{e9}", "foo://a/?%C3%A9"),
        ("windows-1252", "http://a/", "foo:?\u{e9}", "foo:?%C3%A9"),
        ("windows-1252", "file:///a/", "?\u{e9}", "file:///a/?%E9"),
        ("utf-16le", "http://a/", "?\u{e9}", "http://a/?%C3%A9"),
    ] {
        let mut resolver = Resolver::new(base.as_bytes(), Rules::Whatwg).unwrap();
        resolver.set_encoding(Encoding::for_label(label.as_bytes()).unwrap());
        let mut target = Vec::new();
        resolver
            .resolve_into(reference.as_bytes(), &mut target)
            .unwrap();
        assert_eq!(
            String::from_utf8(target).unwrap(),
            expected,
            "{reference} against {base} in {label}"
        );
    }
}

#[test]
fn faults_in_words() {
    use Grammar::{Rfc1738, Rfc2396, Rfc3986, Whatwg};
    for (grammar, reference, expected) in [
        (Rfc3986, "http://[::1]:80/a?b#c", ""),
        (Rfc3986, "http://[v1.a:b]/", ""),
        (Rfc3986, "?y", ""),
        (Rfc3986, "dav:", ""),
        (Rfc3986, "//", ""),
        (
            Rfc3986,
            ":g",
            "path at byte 0: the first segment of a relative path cannot hold a colon",
        ),
        (
            Rfc3986,
            "1a:b",
            "scheme at byte 0: a scheme begins with a letter",
        ),
        (
            Rfc3986,
            "a_b:c",
            "scheme at byte 1: a scheme consists of letters, digits, `+`, `-` and `.`",
        ),
        (
            Rfc3986,
            "http://a b/",
            "authority at byte 8: a space is not allowed here, only %20",
        ),
        (
            Rfc3986,
            "http://[::1/",
            "authority at byte 7: the bracket is not closed",
        ),
        (
            Rfc3986,
            "http://[1:2]/",
            "authority at byte 8: not an IP address",
        ),
        (
            Rfc3986,
            "http://[::1]x/",
            "authority at byte 12: only a port can follow an address in brackets",
        ),
        (
            Rfc3986,
            "http://h:8x/",
            "authority at byte 10: a port consists of digits",
        ),
        (
            Rfc3986,
            "http://u@v@h/",
            "authority at byte 8: `@` is not allowed here, only %40",
        ),
        (
            Rfc3986,
            "/a[b]",
            "path at byte 2: `[` is not allowed here, only %5B",
        ),
        (
            Rfc3986,
            "/a%2",
            "path at byte 2: `%` needs two hexadecimal digits after it",
        ),
        (
            Rfc3986,
            "/\u{e9}",
            "path at byte 1: only ASCII is allowed here: the byte 0xC3 is written %C3",
        ),
        (
            Rfc3986,
            "/?a\tb",
            "query at byte 3: the control character 0x09 is not allowed here",
        ),
        (
            Rfc3986,
            "#a#b",
            "fragment at byte 2: `#` is not allowed here, only %23",
        ),
        (
            Rfc2396,
            "?y",
            "path at byte 0: the path is empty, which the grammar cannot derive",
        ),
        (
            Rfc2396,
            "http:",
            "path at byte 5: the path is empty, which the grammar cannot derive",
        ),
        (
            Rfc2396,
            "http://[::1]/",
            "authority at byte 7: `[` is not allowed here, only %5B",
        ),
        (
            Rfc1738,
            "http://h/~bob",
            "path at byte 9: `~` is not allowed here, only %7E",
        ),
        (
            Rfc1738,
            "ftp://h.dom/f;type=x",
            "typecode at byte 19: the type code is one of `a`, `i` and `d`",
        ),
        (
            Rfc1738,
            "http://h/#f",
            "fragment at byte 9: a fragment is not part of a URL",
        ),
        (
            Rfc1738,
            "http:h",
            "slashes at byte 5: two slashes follow the scheme",
        ),
        (
            Rfc1738,
            "nothing",
            "scheme at byte 0: a URL begins with a scheme and a colon",
        ),
        (Whatwg, "http://h/ <>", ""),
        (
            Whatwg,
            "g",
            "base at byte 0: a relative reference needs a base",
        ),
        (Whatwg, " http://u@a b/", "host at byte 10: not a host"),
        (Whatwg, "http://", "host at byte 7: the host is missing"),
        (
            Whatwg,
            "http://h:99999/",
            "port at byte 9: a port is a number of at most 65535",
        ),
    ] {
        let got = validate(reference.as_bytes(), grammar)
            .err()
            .map_or(String::new(), |fault| fault.to_string());
        assert_eq!(got, expected, "{reference:?} by {grammar:?}");
    }
}
