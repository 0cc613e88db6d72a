//! Generates references and bases of tokens that matter to resolution.

use proptest::sample::select;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The tokens of generated references.
const TOKENS: [&str; 64] = [
    ".",
    "..",
    "./",
    "../",
    "/",
    "/",
    "//",
    "?",
    "#",
    ":",
    ";",
    "%2e",
    "%2E",
    ".%2e",
    "%2F",
    "%zz",
    "%",
    "a",
    "b",
    "g",
    "c/d",
    "a.b",
    "...",
    ".x",
    "C|",
    "c:",
    "D:/",
    "http:",
    "http://",
    "https:",
    "HTTP:",
    "ftp:",
    "ws:",
    "file:",
    "foo:",
    "mailto:",
    "urn:",
    "javascript:",
    "//h",
    "//H.example",
    "example.com",
    "@",
    "u:p@",
    ":80",
    ":443",
    ":x",
    ":99999",
    "[::1]",
    "[",
    "127.1",
    "0x7f",
    "1",
    "xn--a",
    "\\",
    "\t",
    "\n",
    " ",
    "\0",
    "\u{e9}",
    "'",
    "\"<>",
    "^",
    "`{}",
    "|",
];

/// Bases: web, file, with drives, without authority, opaque, with dots, with empty components.
pub(crate) const BASES: [&str; 20] = [
    "http://a/b/c/d;p?q",
    "http://a/b/c/d;p?q#f",
    "http://a/b/../c/./d",
    "http://a",
    "http://a?q/r",
    "https://u:p@h.example:8080/p/q/",
    "http://a//b///c",
    "ftp://h/d/f;type=i",
    "ws://h/x/y?z",
    "foo://a/b/c",
    "foo://a",
    "foo:///s//a/b/c",
    "a:/b",
    "a:/b//c/d",
    "file:///a/b/c",
    "file:///C:/a/b",
    "file://host/d/f",
    "mailto:joe@example.com",
    "urn:a/b:c",
    "about:blank",
];

pub(super) fn reference() -> impl Strategy<Value = String> {
    proptest::collection::vec(select(&TOKENS[..]), 0..8).prop_map(|tokens| tokens.concat())
}

pub(super) fn base() -> impl Strategy<Value = &'static str> {
    select(&BASES[..])
}

/// Compares the resolution of a reference against a base with another one.
pub(crate) type Agreement = fn(&str, &str) -> Result<(), String>;

/// Runs a check on pairs that are the same in every run; `PROPTEST_CASES` sets a larger number.
pub(super) fn check_pairs(check: Agreement) {
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let cases = config.cases.max(5_000);
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config { cases, ..config }, rng);
    let result = runner.run(&(base(), reference()), |(base, reference)| {
        check(base, &reference).map_err(proptest::test_runner::TestCaseError::fail)
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
