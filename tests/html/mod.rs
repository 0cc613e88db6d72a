//! HTML: an independent oracle, cases written from the rules, and generated documents.
//!
//! A scanner is a closure of type [`Scan`]; a [`Trial`] compares it with the oracle.

pub(crate) mod compare;
mod description;
pub(crate) mod hostile;
mod limits;
pub(crate) mod oracle;
mod pages;
mod rows;
pub(crate) mod scanner;
mod text;
mod trial;
mod vectors;

use compare::Compared;
use hostile::Hostile;
use oracle::{Expected, Options};
use trial::Trial;

/// A scanner: takes the document, the options and the size of its windows.
pub(crate) type Scan<'a> = &'a dyn Fn(&[u8], &Options, usize) -> Vec<Expected>;

/// A document with most kinds of references.
pub(crate) const SAMPLE: &[u8] = include_bytes!("sample.html");

/// The oracle as a scanner; it ignores the window.
fn oracle(html: &[u8], options: &Options, _window: usize) -> Vec<Expected> {
    oracle::references(html, options)
}

#[test]
fn the_oracle_agrees_with_the_cases() {
    let trial = Trial {
        scan: &oracle,
        compared: Compared::Targets,
    };
    trial.cases();
}

/// Rules H24 to H26. Columns: the document, the `href` that decides, the base.
#[test]
fn the_oracle_freezes_the_base() {
    const DOCUMENT: &str = "https://example.com/d/p?q#f";
    #[rustfmt::skip]
    let rows = [
        ("<a href=x>", None, DOCUMENT),
        ("<base target=t><base href=/b/>", Some("/b/"), "https://example.com/b/"),
        ("<base href><base href=/b/>", Some(""), "https://example.com/d/p?q"),
        ("<base href='https://[bad'><base href=/b/>", Some("https://[bad"), DOCUMENT),
        ("<base href='data:,x'>", Some("data:,x"), DOCUMENT),
        ("<base href='about:x'>", Some("about:x"), "about:x"),
        ("<svg><base href=/no/></svg><base href=/b/>", Some("/b/"), "https://example.com/b/"),
        ("<base href=/one/><p><frameset><base href=/no/>", Some("/one/"), "https://example.com/one/"),
        ("<p><base href=/gone/><frameset>", None, DOCUMENT),
    ];
    for (html, href, uri) in rows {
        let options = Options {
            document_uri: Some(DOCUMENT.to_owned()),
            ..Options::default()
        };
        let base = oracle::base(html.as_bytes(), &options);
        assert_eq!(base.href.as_deref(), href, "{html}");
        assert_eq!(base.uri.map(String::from).as_deref(), Some(uri), "{html}");
    }
}

#[test]
fn the_oracle_knows_the_groups_of_the_cases() {
    for case in vectors::all() {
        let groups = |list: &[Expected]| -> Vec<_> { list.iter().map(|one| one.group).collect() };
        let got = oracle::references(&case.html, &case.options);
        assert_eq!(groups(&got), groups(&case.expected), "{}", case.id);
    }
}

/// A scanner without templates fails on a document that is shrunk to little more than a template.
#[test]
fn a_wrong_scanner_is_caught_and_its_document_shrunk() {
    let forgetful = |html: &[u8], options: &Options, window: usize| {
        let mut found = oracle(html, options, window);
        found.retain(|one| !one.inert);
        found
    };
    let trial = Trial {
        scan: &forgetful,
        compared: Compared::References,
    };
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        trial.hostile(0..500, Hostile::new)
    }));
    let message = caught.expect_err("some of 500 documents have templates");
    let message = message.downcast_ref::<String>().expect("assert formats it");
    let input = message.lines().find(|line| line.contains("input:"));
    let input = input.expect("a report has the input");
    assert!(input.contains("template"), "{message}");
    assert!(input.len() < 80, "{message}");
}

#[test]
fn hostile_documents_are_reproducible_and_reach_the_whole_table() {
    let mut groups = std::collections::BTreeMap::new();
    let (mut inert, mut nested) = (0, 0);
    for seed in 0..3_000 {
        let document = Hostile::new(seed);
        assert_eq!(document.bytes(), Hostile::new(seed).bytes());
        for one in oracle::references(&document.bytes(), &document.options) {
            *groups.entry(one.group).or_insert(0_usize) += 1;
            inert += usize::from(one.inert);
            nested += usize::from(one.via.is_some());
        }
    }
    let total: usize = groups.values().sum();
    assert!(total > 6_000, "{total} references");
    for group in oracle::table::groups() {
        assert!(
            groups.get(group).is_some_and(|&count| count > 20),
            "{group}: {groups:?}"
        );
    }
    assert!(inert > 100 && nested > 40, "{inert} inert, {nested} nested");
}

#[test]
fn every_prefix_and_window_of_the_sample_agrees() {
    let trial = Trial {
        scan: &oracle,
        compared: Compared::Targets,
    };
    let options = Options {
        document_uri: Some("https://example.com/dir/page".to_owned()),
        ..Options::default()
    };
    trial.prefixes(SAMPLE, &options);
    trial.windows(SAMPLE, &options);
}

/// The library, compared with the oracle.
const LIBRARY: Trial<'_> = Trial {
    scan: &scanner::scan,
    compared: Compared::Targets,
};

#[test]
fn the_scanner_agrees_with_the_cases() {
    LIBRARY.cases();
}

/// `HOSTILE_SEEDS=0..1000000` in the environment runs more documents.
#[test]
fn the_scanner_agrees_on_hostile_documents() {
    LIBRARY.hostile(0..400, Hostile::new);
}

/// The references in generated CSS are those of cssparser's tokens (rule H19).
#[test]
fn the_scanner_agrees_on_generated_css() {
    LIBRARY.hostile(0..400, Hostile::css);
}

/// The string has a character, and is empty all the same (rule H19).
#[test]
fn an_escaped_line_break_in_css_is_no_reference() {
    LIBRARY.windows(b"<p style=\"a:url('\\\n')\">", &Options::default());
}

/// In the encoding that one declaration names, the document has another declaration (H43).
#[test]
fn contradictory_encodings_terminate() {
    let html = b"\x1b$B<meta charset=iso-2022-jp>\x1b(B<meta charset=latin1><a href=x>";
    let options = Options {
        document_uri: Some("https://example.com/dir/page".to_owned()),
        ..Options::default()
    };
    LIBRARY.windows(html, &options);
    let far = [&[b' '; 1024], &html[..]].concat();
    LIBRARY.windows(&far, &options);
}

#[test]
fn the_scanner_agrees_on_every_prefix_and_window_of_the_sample() {
    let options = Options {
        document_uri: Some("https://example.com/dir/page".to_owned()),
        ..Options::default()
    };
    LIBRARY.prefixes(SAMPLE, &options);
    LIBRARY.windows(SAMPLE, &options);
}
