//! A generated site whose links are broken on purpose: the generator knows each finding.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use uriscan::audit::{AuditOptions, LinkState, audit};

use crate::cli::Tree;

/// A small generator of numbers (SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Where pages lie, by their number.
const DIRECTORIES: [&str; 5] = ["", "guide/", "guide/deep er/", "R\u{e9}f/", "r%f/"];
const PAGES: usize = 60;

fn page(number: usize) -> String {
    let directory = DIRECTORIES[number % DIRECTORIES.len()];
    match number {
        0..5 => format!("{directory}index.html"),
        _ => format!("{directory}page-{number}.html"),
    }
}

/// Each page has the ids `s0` to `s(n-1)`.
fn sections(number: usize) -> usize {
    number % 4
}

fn encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'%' | b' ' | 0x80.. => write!(out, "%{byte:02X}").unwrap(),
            _ => out.push(char::from(byte)),
        }
    }
    out
}

/// A path from a page's directory to another path of the site.
fn relative(from: usize, path: &str) -> String {
    let up = DIRECTORIES[from % DIRECTORIES.len()].matches('/').count();
    format!("{}{path}", "../".repeat(up))
}

/// A reference on page `from`, and the rule that it breaks.
fn link(random: &mut Random, from: usize) -> (String, Option<&'static str>) {
    let to = random.below(PAGES);
    let path = page(to);
    let written = |random: &mut Random, path: &str| match random.below(4) {
        0 => format!("/docs/{path}"),
        1 => format!("https://example.com/docs/{path}"),
        2 => format!("//example.com/docs/{path}?q={to}"),
        _ => relative(from, path),
    };
    match random.below(12) {
        0 => (
            written(random, &encoded(&path.replace(".html", ".htm"))),
            Some("broken-file"),
        ),
        1 => (
            written(random, &format!("none/{}", encoded(&path))),
            Some("broken-file"),
        ),
        2 => {
            let reference = written(random, &encoded(&path));
            (
                format!("{reference}#s{}", sections(to)),
                Some("broken-fragment"),
            )
        }
        3 if to > 4 => (
            written(random, &encoded(&path.replace("page", "Page"))),
            Some("case-mismatch"),
        ),
        4 => (written(random, "guide"), Some("redirected")),
        5 => (written(random, "empty/"), Some("broken-index")),
        6 => ("/elsewhere/".into(), Some("outside-root")),
        7 => ("https://[x/".into(), Some("bad-reference")),
        8 => (format!("https://www.example.org/{to}"), None),
        9 if sections(to) > 0 => {
            let section = random.below(sections(to));
            (
                format!("{}#s{section}", written(random, &encoded(&path))),
                None,
            )
        }
        10 => (written(random, &path.replace('%', "%25")), None),
        _ => (written(random, &encoded(&path)), None),
    }
}

/// Path, line, rule and reference of a finding.
type Expected = (String, u64, String, String);

/// The site, what should be found, and how many references it has.
fn site(seed: u64) -> (Tree, BTreeSet<Expected>, u64) {
    let mut random = Random(seed);
    let tree = Tree::new(&[("site/empty/note.bin", "\0")]);
    let (mut expected, mut references) = (BTreeSet::new(), 0);
    for number in 0..PAGES {
        let mut text = String::from("<!doctype html>\n<meta charset=utf-8>\n");
        let base = random.below(5) == 0;
        if base {
            let directory = encoded(DIRECTORIES[number % DIRECTORIES.len()]);
            writeln!(text, "<base href='/docs/{directory}'>").unwrap();
        }
        for _ in 0..random.below(30) {
            let (reference, rule) = link(&mut random, number);
            writeln!(text, "<p><a href=\"{reference}\">x</a>").unwrap();
            references += 1;
            if let Some(rule) = rule {
                let line = text.matches('\n').count() as u64;
                expected.insert((
                    format!("site/{}", page(number)),
                    line,
                    rule.into(),
                    reference,
                ));
            }
        }
        for section in 0..sections(number) {
            writeln!(text, "<h2 id=s{section}>{section}</h2>").unwrap();
        }
        tree.write(format!("site/{}", page(number)), text.as_bytes());
    }
    (tree, expected, references)
}

#[test]
fn generated_site_has_exactly_its_planted_findings() {
    for seed in 1..=8 {
        let (tree, expected, references) = site(seed);
        let ran = tree.run(&[
            "audit",
            "--json",
            "--root",
            "site=https://example.com/docs/",
        ]);
        let mut got = BTreeSet::new();
        for line in ran.out.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
            match record["type"].as_str() {
                Some("finding") => {
                    let line = record["line"].as_u64().unwrap();
                    got.insert((text("path"), line, text("rule"), text("reference")));
                }
                Some("summary") => assert_eq!(record["references"], references, "seed {seed}"),
                other => panic!("seed {seed}: {other:?} {line}"),
            }
        }
        let missed: Vec<_> = expected.difference(&got).collect();
        let invented: Vec<_> = got.difference(&expected).collect();
        assert!(
            missed.is_empty() && invented.is_empty(),
            "seed {seed}: missed {missed:#?}, invented {invented:#?}"
        );
        assert!(
            expected.len() > 100,
            "seed {seed}: {} are too few",
            expected.len()
        );
    }
}

#[test]
fn library_and_command_have_the_same_findings() {
    let (tree, expected, references) = site(9);
    let directory = tree.path().join("site");
    let options = AuditOptions::default().threads(2);
    let options = options.root(&directory, "https://example.com/docs/");
    let mut got = BTreeSet::new();
    let summary = audit(&options.unwrap(), &[directory], |finding| {
        let path = finding.path();
        let path = path.strip_prefix(tree.path()).unwrap();
        got.insert((
            path.to_str().unwrap().to_owned(),
            finding.position().unwrap().line,
            finding.rule().to_owned(),
            finding.reference_str().unwrap().to_owned(),
        ));
    });
    let summary = summary.unwrap();
    assert_eq!(got, expected);
    assert_eq!(summary.references(), references);
    assert_eq!(summary.files(), PAGES as u64);
    assert!(summary.errors() + summary.warnings() >= got.len() as u64);
    assert!(summary.in_state(LinkState::External) > 0);
}
