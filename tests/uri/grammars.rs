//! Compares `validate` with the grammars: validity, and the component at fault.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use uriscan::uri::{AuthorityKind, Component, Grammar, validate};

use super::generate;
use super::grammar::Rows;

/// The components of RFC 2396 and RFC 3986 Appendix B, each with its delimiters.
const COMPONENTS: [Component; 5] = [
    Component::Scheme,
    Component::Authority,
    Component::Path,
    Component::Query,
    Component::Fragment,
];

/// Splits a reference as `^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?` does.
fn split(reference: &[u8]) -> [&[u8]; 5] {
    let until = |rest: &[u8], set: &[u8]| {
        let end = rest.iter().position(|byte| set.contains(byte));
        end.unwrap_or(rest.len())
    };
    let name = until(reference, b":/?#");
    let is_scheme = name > 0 && reference.get(name) == Some(&b':');
    let (scheme, rest) = reference.split_at(if is_scheme { name + 1 } else { 0 });
    let (authority, rest) = match rest.strip_prefix(b"//") {
        Some(behind) => rest.split_at(2 + until(behind, b"/?#")),
        None => rest.split_at(0),
    };
    let (path, rest) = rest.split_at(until(rest, b"?#"));
    let (query, fragment) = rest.split_at(until(rest, b"#"));
    [scheme, authority, path, query, fragment]
}

/// Returns the component at fault.
///
/// The first component that makes the reference underivable whatever the components behind it hold,
/// as long as the same ones are defined.
fn fault(rows: &Rows, reference: &[u8]) -> Option<Component> {
    if rows.derives("URI-reference", reference) {
        return None;
    }
    let parts = split(reference);
    let samples = |part: usize| -> &[&[u8]] {
        match part {
            _ if part != 2 && parts[part].is_empty() => &[b""],
            0 => &[b"a:"],
            1 => &[b"//a"],
            // A path behind an authority begins with a slash.
            2 if parts[1].is_empty() => &[b"", b"a", b"/a"],
            2 => &[b"", b"/a"],
            3 => &[b"?a"],
            _ => &[b"#a"],
        }
    };
    let can_be_cured = |last: usize| {
        let mut texts = vec![parts[..=last].concat()];
        for part in last + 1..parts.len() {
            let longer = texts.iter().flat_map(|text| {
                let samples = samples(part).iter();
                samples.map(move |sample| [text, *sample].concat())
            });
            texts = longer.collect();
        }
        texts.iter().any(|text| rows.derives("URI-reference", text))
    };
    let first = (0..parts.len()).find(|&last| !can_be_cured(last));
    first.map(|part| COMPONENTS[part])
}

/// A difference between `validate` and the grammar.
fn compare(rows: &Rows, grammar: Grammar, reference: &[u8]) -> Result<(), String> {
    let expected = fault(rows, reference);
    let got = validate(reference, grammar).err();
    if got.as_ref().map(|fault| fault.component()) != expected {
        return Err(format!(
            "{} by {grammar:?}: expected {expected:?}, got {got:?}",
            reference.escape_ascii()
        ));
    }
    let Some(got) = got else { return Ok(()) };
    let parts = split(reference);
    let part = COMPONENTS.iter().position(|&c| c == got.component());
    let start: usize = parts[..part.expect("a component")]
        .iter()
        .map(|p| p.len())
        .sum();
    let end = start + parts[part.expect("a component")].len();
    if !(start..=end).contains(&got.at()) {
        return Err(format!(
            "{} by {grammar:?}: {got} is not within {start}..={end}",
            reference.escape_ascii()
        ));
    }
    Ok(())
}

/// Calls `call` with every string of these bytes up to a length.
fn strings(alphabet: &[u8], longest: usize, mut call: impl FnMut(&[u8])) {
    let mut text = Vec::new();
    for length in 0..=longest {
        for code in 0..alphabet.len().pow(length as u32) {
            text.clear();
            let mut code = code;
            for _ in 0..length {
                text.push(alphabet[code % alphabet.len()]);
                code /= alphabet.len();
            }
            call(&text);
        }
    }
}

/// Every short string of hostile bytes, behind each of these beginnings.
const ALPHABETS: [(&[u8], usize); 4] = [
    (b":/?#[]@%a1.-;+v \\\x80~_!=&", 3),
    (b":/?#[]@%a1.", 4),
    (b":/?#a[", 5),
    (b"%2aG/", 5),
];
const BEGINNINGS: [&[u8]; 5] = [b"", b"a:", b"//", b"a://", b"a://b/"];

fn differences(rows: &Rows, grammar: Grammar) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |reference: &[u8]| {
        if found.len() < 40 {
            found.extend(compare(rows, grammar, reference).err());
        }
    };
    for (alphabet, longest) in ALPHABETS {
        strings(alphabet, longest, |text| check(text));
    }
    for beginning in BEGINNINGS {
        strings(b":/?#[]@%a1.", 3, |text| check(&[beginning, text].concat()));
    }
    // The host of RFC 3986 section 3.2.2.
    for (opened, alphabet, longest) in [
        (&b"//["[..], &b":1a.v%-]"[..], 4),
        (b"//[1:2:3:4:5:", b":1.", 6),
        (b"//[::", b":1.", 6),
        (b"//[::1.2.", b"0125.", 5),
    ] {
        strings(alphabet, longest, |text| {
            check(&[opened, text, b"]"].concat())
        });
    }
    found
}

#[test]
fn rfc_2396_is_followed_to_the_letter() {
    let found = differences(&Rows::rfc2396(), Grammar::Rfc2396);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn rfc_3986_is_followed_to_the_letter() {
    let found = differences(&Rows::rfc3986(), Grammar::Rfc3986);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// RFC 2396 section 3: `opaque_part` begins with any `uric_no_slash`, and that may be `?`.
#[test]
fn an_opaque_part_may_begin_with_a_question_mark() {
    for reference in ["http:?q", "http:?", "a:?#f", "a:?/b?c"] {
        assert_eq!(
            validate(reference.as_bytes(), Grammar::Rfc2396),
            Ok(()),
            "{reference}"
        );
    }
    for reference in ["http:", "http:#f", "?q", "?"] {
        let fault = validate(reference.as_bytes(), Grammar::Rfc2396).unwrap_err();
        assert_eq!(fault.component(), Component::Path, "{reference}");
    }
}

/// References of tokens and noise, in which some byte is replaced.
fn references() -> impl Strategy<Value = Vec<u8>> {
    let noise =
        proptest::collection::vec(proptest::sample::select(b":/?#[]@%aF1. \\".to_vec()), 0..4);
    (generate::reference(), noise, generate::reference()).prop_map(|(before, noise, after)| {
        let mut bytes = [before.as_bytes(), &noise, after.as_bytes()].concat();
        bytes.truncate(60);
        bytes
    })
}

#[test]
fn references_of_tokens_are_valid_as_the_grammars_say() {
    let config = ProptestConfig {
        cases: 5_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let grammars = [
        (Rows::rfc2396(), Grammar::Rfc2396),
        (Rows::rfc3986(), Grammar::Rfc3986),
    ];
    let test = |reference: Vec<u8>| {
        for (rows, grammar) in &grammars {
            if let Err(difference) = compare(rows, *grammar, &reference) {
                return Err(TestCaseError::fail(difference));
            }
        }
        Ok(())
    };
    if let Err(error) = TestRunner::new_with_rng(config, rng).run(&references(), test) {
        panic!("{error}");
    }
}

/// The rule of each scheme that RFC 1738 section 5 gives a syntax; others have that of `otherurl`.
const SCHEMES: [(&str, &str, &[&str]); 11] = [
    (
        "ftp:",
        "ftpurl",
        &["//", "//a", "//a/", "//a;type=", "//a/b;type="],
    ),
    ("file:", "fileurl", &["//", "//a", "///"]),
    ("http:", "httpurl", &["//", "//a", "//a/"]),
    ("gopher:", "gopherurl", &["//", "//a", "//a/"]),
    ("mailto:", "mailtourl", &[""]),
    ("news:", "newsurl", &["", "a", "a@"]),
    ("nntp:", "nntpurl", &["//a", "//a/", "//a/b/"]),
    ("telnet:", "telneturl", &["//", "//a"]),
    ("wais:", "waisurl", &["//a", "//a/", "//a/b/"]),
    ("prospero:", "prosperourl", &["//a", "//a/", "//a/b;"]),
    ("other:", "otherurl", &["", "//", "//a/"]),
];

#[test]
fn rfc_1738_is_followed_to_the_letter() {
    let rows = Rows::rfc1738();
    let mut found = Vec::new();
    for (scheme, rule, beginnings) in SCHEMES {
        for beginning in beginnings {
            strings(b":/?#@%a1-;= ", 3, |text| {
                let url = [scheme.as_bytes(), beginning.as_bytes(), text].concat();
                let got = validate(&url, Grammar::Rfc1738);
                if got.is_ok() != rows.derives(rule, &url) && found.len() < 40 {
                    found.push(format!("{}: {got:?}", url.escape_ascii()));
                }
            });
        }
    }
    // A scheme of digits and marks alone is one, and upper case is folded (section 2.1).
    strings(b"aA1+-.:_%/", 4, |text| {
        let url = text.to_ascii_lowercase();
        let got = validate(text, Grammar::Rfc1738);
        if got.is_ok() != rows.derives("otherurl", &url) && found.len() < 40 {
            found.push(format!("{}: {got:?}", text.escape_ascii()));
        }
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// RFC 2396 section 3.2: an authority is a server where it can be one.
#[test]
fn kinds_of_authorities_are_those_of_the_grammar() {
    let rows = Rows::rfc2396();
    let mut found = Vec::new();
    strings(b"a1.-:@%_", 5, |authority| {
        let reference = [b"//", authority].concat();
        if validate(&reference, Grammar::Rfc2396).is_err() {
            return;
        }
        let expected = match authority {
            [] => AuthorityKind::Empty,
            _ if rows.derives("server", authority) => AuthorityKind::Server,
            _ => AuthorityKind::RegName,
        };
        let got = AuthorityKind::of(&reference);
        if got != Some(expected) && found.len() < 40 {
            found.push(format!("{}: {got:?}", reference.escape_ascii()));
        }
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}
