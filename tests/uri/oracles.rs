//! Compares resolution with transcriptions of the RFCs and with another engine.

use uriscan::uri::{ExcessDots, Resolver, RuleForm, Rules, SameScheme};

use super::generate::Agreement;
use super::{generate, naive};

/// Returns the target, if there is one.
fn resolve(base: &str, rules: Rules, reference: &str) -> Option<String> {
    let resolver = Resolver::new(base.as_bytes(), rules).ok()?;
    let mut target = Vec::new();
    resolver
        .resolve_into(reference.as_bytes(), &mut target)
        .ok()?;
    Some(String::from_utf8(target).unwrap())
}

fn compare(
    base: &str,
    reference: &str,
    rules: Rules,
    expected: Option<String>,
) -> Result<(), String> {
    let got = resolve(base, rules, reference);
    if got == expected {
        return Ok(());
    }
    Err(format!(
        "{reference:?} against {base} by {rules:?}: expected {expected:?}, got {got:?}"
    ))
}

const SCHEMES: [SameScheme; 2] = [SameScheme::Strict, SameScheme::Compat];

/// All comparisons, for tests and fuzzing.
pub(crate) const AGREEMENTS: [Agreement; 6] = [
    rfc3986,
    rfc2396,
    rfc1808,
    the_slow_path,
    twice,
    the_url_crate,
];

fn rfc3986(base: &str, reference: &str) -> Result<(), String> {
    SCHEMES.into_iter().try_for_each(|scheme| {
        let form = RuleForm::Letter;
        let expected = naive::rfc3986(base, reference, scheme);
        compare(
            base,
            reference,
            Rules::Rfc3986 { scheme, form },
            Some(expected),
        )
    })
}

fn rfc2396(base: &str, reference: &str) -> Result<(), String> {
    for excess in [ExcessDots::Keep, ExcessDots::Remove, ExcessDots::Error] {
        for scheme in SCHEMES {
            let expected = naive::rfc2396(base, reference, excess, scheme);
            let rules = Rules::Rfc2396 {
                excess,
                scheme,
                form: RuleForm::Letter,
            };
            compare(base, reference, rules, expected)?;
        }
    }
    Ok(())
}

fn rfc1808(base: &str, reference: &str) -> Result<(), String> {
    let expected = naive::rfc1808(base, reference);
    compare(base, reference, Rules::Rfc1808, expected)
}

/// Compares the fast path with the slow path, which a tab enforces: tabs are removed.
fn the_slow_path(base: &str, reference: &str) -> Result<(), String> {
    let slow = resolve(base, Rules::Whatwg, &format!("\t{reference}"));
    compare(base, reference, Rules::Whatwg, slow)
}

/// Resolves the target again: a serialised URL is its own target.
fn twice(base: &str, reference: &str) -> Result<(), String> {
    match resolve(base, Rules::Whatwg, reference) {
        Some(target) => {
            let other = "http://other.example/";
            compare(other, &target, Rules::Whatwg, Some(target.clone()))
        }
        None => Ok(()),
    }
}

fn the_url_crate(base: &str, reference: &str) -> Result<(), String> {
    if !known_classes(base, reference).is_empty() {
        return Ok(());
    }
    let base_url = url::Url::parse(base).map_err(|error| error.to_string())?;
    let expected = base_url.join(reference).ok().map(String::from);
    compare(base, reference, Rules::Whatwg, expected)
}

#[test]
fn rfc3986_is_the_letter() {
    generate::check_pairs(rfc3986);
}

#[test]
fn rfc2396_is_the_letter() {
    generate::check_pairs(rfc2396);
}

#[test]
fn rfc1808_is_the_letter() {
    generate::check_pairs(rfc1808);
}

#[test]
fn the_fast_path_changes_no_target() {
    generate::check_pairs(the_slow_path);
}

#[test]
fn targets_are_their_own_targets() {
    generate::check_pairs(twice);
}

#[test]
fn whatwg_agrees_with_the_url_crate() {
    generate::check_pairs(the_url_crate);
}

/// Returns the classes in which the `url` crate is known to differ from the standard.
///
/// `known.tsv` has examples.
fn known_classes(base: &str, reference: &str) -> Vec<&'static str> {
    let reference: String = reference
        .chars()
        .filter(|c| !"\t\n\r".contains(*c))
        .collect();
    let reference = reference.trim_matches(|c| c <= ' ').to_ascii_lowercase();
    let own_scheme = reference
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        });
    let scheme = own_scheme
        .or(base.split_once(':').map(|(scheme, _)| scheme))
        .unwrap();
    let is_special = ["http", "https", "ftp", "ws", "wss"].contains(&scheme);
    let after_scheme = own_scheme.map_or(&reference[..], |scheme| &reference[scheme.len() + 1..]);
    let is_drive = |segment: &str| {
        let is_drive = |pair: &[u8]| pair[0].is_ascii_alphabetic() && b":|".contains(&pair[1]);
        segment
            .as_bytes()
            .last_chunk::<2>()
            .is_some_and(|pair| is_drive(pair))
    };
    let slashes = after_scheme.len() - after_scheme.trim_start_matches(['/', '\\']).len();
    let classes = [
        ("file", scheme == "file"),
        ("caret", reference.contains('^')),
        ("slashes", is_special && slashes > 2),
        (
            "drive",
            after_scheme.split(['/', '\\', '?', '#']).any(is_drive)
                || own_scheme.is_some_and(|scheme| scheme.len() == 1),
        ),
        ("backslash", !is_special && reference.contains('\\')),
        ("at", !is_special && reference.contains('@')),
        (
            "blank",
            reference.contains(" ?") || reference.contains(" #"),
        ),
        ("punycode", reference.contains("xn--")),
    ];
    classes
        .iter()
        .filter(|(_, is_known)| *is_known)
        .map(|(name, _)| *name)
        .collect()
}

/// Every byte and the pairs that matter, at every index, in references around each vector length.
#[test]
fn the_fast_path_classifies_every_index() {
    let plain = b"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl";
    let bases = ["http://a/b/c/d;p?q", "file:///a/b/c", "a:/b/c"];
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let pairs = [
        "/.", "//", "..", "./", "%2e", "%2E", "://", ":/", "/C|", "//a.1", "/?",
    ];
    let planted: Vec<Vec<u8>> = bytes
        .chain(pairs.iter().map(|pair| pair.as_bytes().to_vec()))
        .collect();
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    for base in bases {
        let resolver = Resolver::new(base.as_bytes(), Rules::Whatwg).unwrap();
        for length in [
            0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 34, 47, 48, 49, 50, 64,
        ] {
            for planted in &planted {
                for at in 0..=length {
                    let reference = [&plain[..at], planted, &plain[at..length]].concat();
                    // The tab enforces the slow path.
                    let with_tab = [&b"\t"[..], &reference].concat();
                    fast.clear();
                    slow.clear();
                    let results = (
                        resolver.resolve_into(&reference, &mut fast),
                        resolver.resolve_into(&with_tab, &mut slow),
                    );
                    assert_eq!(
                        (results.0, &fast),
                        (results.1, &slow),
                        "{:?} against {base}",
                        String::from_utf8_lossy(&reference)
                    );
                }
            }
        }
    }
}

#[test]
fn known_differences_remain() {
    for row in include_str!("../vectors/known.tsv").lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let [class, base, reference, theirs, ours] = fields[..] else {
            panic!("five fields: {row}")
        };
        let shown = |target: Option<String>| target.unwrap_or("-".to_owned());
        let url = shown(
            url::Url::parse(base)
                .unwrap()
                .join(reference)
                .ok()
                .map(String::from),
        );
        assert_eq!(
            shown(resolve(base, Rules::Whatwg, reference)),
            ours,
            "ours: {row}"
        );
        assert_eq!(url, theirs, "the url crate has changed: {row}");
        assert_ne!(url, ours, "no difference is left: {row}");
        assert!(
            known_classes(base, reference).contains(&class),
            "class: {row}"
        );
    }
}
