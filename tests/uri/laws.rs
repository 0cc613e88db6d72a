//! Invariants over any bytes.

use encoding_rs::{EUC_KR, Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use uriscan::uri::{
    ExcessDots, Grammar, Normalization, Reference, Reference1808, Resolver, RuleForm, Rules,
    SameScheme, normalize, validate,
};

use super::generate;

const RULES: [Rules; 6] = [
    Rules::Whatwg,
    Rules::RFC3986,
    Rules::CITATION,
    Rules::RFC2396,
    Rules::Rfc2396 {
        excess: ExcessDots::Remove,
        scheme: SameScheme::Compat,
        form: RuleForm::Corrected,
    },
    Rules::Rfc1808,
];

/// Generates tokens with noise between them.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let noise = proptest::collection::vec(any::<u8>(), 0..6);
    (generate::reference(), noise, generate::reference())
        .prop_map(|(before, noise, after)| [before.as_bytes(), &noise, after.as_bytes()].concat())
}

fn check<S: Strategy>(strategy: S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig {
        cases: 5_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(&strategy, test) {
        panic!("{error}");
    }
}

#[test]
fn any_bytes_resolve_within_the_bound_or_append_nothing() {
    let encodings: [&'static Encoding; 4] = [UTF_8, WINDOWS_1252, ISO_2022_JP, EUC_KR];
    check(
        (generate::base(), bytes(), select(encodings.to_vec())),
        |(base, reference, encoding)| {
            for rules in RULES {
                let mut resolver = Resolver::new(base.as_bytes(), rules).unwrap();
                resolver.set_encoding(encoding);
                let mut out = b"before".to_vec();
                let result = resolver.resolve_into(&reference, &mut out);
                prop_assert!(out.starts_with(b"before"));
                // The RFCs add a slash that the base lacks, or `/.`; by the WHATWG rules a byte that is not
                // UTF-8 becomes `%26%2365533%3B`, and an address may become longer.
                let (times, more) = if rules == Rules::Whatwg {
                    (14, 32)
                } else {
                    (1, 3)
                };
                let longest = resolver.base().unwrap().len() + times * reference.len() + more;
                prop_assert!(out.len() - 6 <= longest, "{rules:?} {:?}", out);
                prop_assert!(result.is_ok() || out == b"before", "{rules:?}");
            }
            Ok(())
        },
    );
}

#[test]
fn any_bytes_are_a_base_or_an_error() {
    check((bytes(), generate::reference()), |(base, reference)| {
        for rules in RULES {
            let Ok(resolver) = Resolver::new(&base, rules) else {
                continue;
            };
            let _ = resolver.resolve_into(reference.as_bytes(), &mut Vec::new());
            let again = Resolver::new(resolver.base().unwrap(), rules).unwrap();
            prop_assert_eq!(again.base(), resolver.base(), "{:?}", rules);
        }
        Ok(())
    });
}

#[test]
fn any_bytes_split_and_join() {
    check(bytes(), |reference| {
        let parts = Reference::split(&reference);
        let mut joined = Vec::new();
        for (component, before, after) in [
            (parts.scheme, "", ":"),
            (parts.authority, "//", ""),
            (Some(parts.path), "", ""),
        ] {
            if let Some(component) = component {
                joined.extend([before.as_bytes(), component, after.as_bytes()].concat());
            }
        }
        for (component, before) in [(parts.query, "?"), (parts.fragment, "#")] {
            if let Some(component) = component {
                joined.extend([before.as_bytes(), component].concat());
            }
        }
        prop_assert_eq!(&joined, &reference);
        let _ = Reference1808::split(&reference);
        Ok(())
    });
}

#[test]
fn faults_lie_within_the_reference() {
    check(bytes(), |reference| {
        for grammar in [
            Grammar::Rfc1738,
            Grammar::Rfc2396,
            Grammar::Rfc3986,
            Grammar::Whatwg,
        ] {
            if let Err(fault) = validate(&reference, grammar) {
                prop_assert!(fault.at() <= reference.len(), "{grammar:?} {fault}");
            }
        }
        Ok(())
    });
}

#[test]
fn normal_forms_are_stable() {
    check(bytes(), |reference| {
        for form in [
            Normalization::Rfc2396,
            Normalization::Rfc3986Syntax,
            Normalization::Rfc3986Scheme,
        ] {
            let (mut once, mut twice) = (Vec::new(), Vec::new());
            normalize(&reference, form, &mut once);
            // A decoded triplet may complete another one; section 6.2.2.2 decodes once, so only valid ones count.
            if validate(&reference, Grammar::Rfc3986).is_ok() {
                normalize(&once, form, &mut twice);
                prop_assert_eq!(&once, &twice, "{:?}", form);
            }
        }
        Ok(())
    });
}

#[test]
fn a_resolver_is_reused_and_shared() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Resolver>();
    let mut resolver = Resolver::new(b"http://a/b/c", Rules::Whatwg).unwrap();
    let mut out = Vec::new();
    resolver.rebase(b"relative").unwrap_err();
    assert_eq!(resolver.base(), None);
    assert_eq!(
        resolver
            .resolve_into(b"x", &mut out)
            .unwrap_err()
            .kind()
            .name(),
        "no-base"
    );
    resolver.rebase(b"HTTP://H:80/x#f").unwrap();
    assert_eq!(resolver.base(), Some(&b"http://h/x"[..]));
    resolver.resolve_into(b"#g", &mut out).unwrap();
    assert_eq!(out, b"http://h/x#g");
}
