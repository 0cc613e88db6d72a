//! Suggestions: references that can be pasted instead of the ones with a finding.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use uriscan::{Rules, resolve};

use super::generated::Random;
use crate::cli::Tree;
use crate::packages::zip::{Member, zip};

const SITE: &str = "https://example.com/docs/";

/// Directories with names that references must encode, or that they could misread.
const DIRECTORIES: [&str; 7] = [
    "",
    "guide/",
    "guide/deep er/",
    "R\u{e9}f (1)/",
    "100%/a&b/",
    "a:b/",
    "it's/x,y;z/",
];

/// Names of files, each in one directory only.
const STEMS: [&str; 8] = [
    "install",
    "Overview",
    "caf\u{e9}s",
    "fresh page",
    "why?",
    "sharp#",
    "alpha;b(c)",
    "50%25",
];

fn encode(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'.' | b'_' | b'/' => {
                out.push(char::from(byte));
            }
            _ => write!(out, "%{byte:02X}").unwrap(),
        }
    }
    out
}

/// A reference to a path, in one of the forms that a page can use.
fn written(form: usize, from: &str, path: &str) -> String {
    let relative = || format!("{}{path}", "../".repeat(from.matches('/').count()));
    match form {
        0 => format!("/docs/{path}"),
        1 => format!("{SITE}{path}"),
        2 => format!("//example.com/docs/{path}"),
        3 => format!("http://example.com/docs/guide/../{path}"),
        _ => relative(),
    }
}

/// What is written instead of a path of the site, by the kind of the mistake.
fn mistaken(random: &mut Random, path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').map_or(("", path), |(directory, _)| {
        path.split_at(directory.len() + 1)
    });
    match random.below(5) {
        0 => encode(&format!("{directory}{}", name.to_uppercase())),
        1 => encode(&format!("{directory}{}", name.replacen(['e', 'a'], "", 1))),
        2 => encode(&format!("elsewhere/{name}")),
        3 => encode(path) + "/",
        _ => encode(&encode(path)),
    }
}

#[test]
fn suggestion_keeps_the_form_of_the_reference() {
    for seed in 1..=6 {
        let mut random = Random(seed);
        let tree = Tree::new(&[]);
        let files: Vec<String> = (STEMS.iter().enumerate())
            .map(|(at, stem)| format!("{}{stem}-{at}.html", DIRECTORIES[at % DIRECTORIES.len()]))
            .collect();
        for file in &files {
            tree.write(format!("site/{file}"), b"<!doctype html><p id=here>");
        }
        let mut expected = BTreeMap::new();
        for (number, directory) in DIRECTORIES.iter().enumerate() {
            let mut page = String::from("<!doctype html>\n<meta charset=utf-8>\n");
            let mut from = *directory;
            if random.below(3) == 0 {
                from = DIRECTORIES[random.below(DIRECTORIES.len())];
                writeln!(page, "<base href=\"/docs/{}\">", encode(from)).unwrap();
            }
            for link in 0..60 {
                let file = &files[random.below(files.len())];
                let form = random.below(8);
                let reference = written(form, from, &mistaken(&mut random, file));
                let suffix = ["", "?q=1", "#here", "?q=a%20b#here"][random.below(4)];
                writeln!(page, "<a href=\"{reference}{suffix}\">{link}</a>").unwrap();
                let line = page.matches('\n').count() as u64;
                let path = format!("site/{directory}p{number}.html");
                expected.insert((path, line), (file.clone(), suffix, form));
            }
            tree.write(format!("site/{directory}p{number}.html"), page.as_bytes());
        }
        let ran = tree.run(&["audit", "--json", "--root", &format!("site={SITE}")]);
        let mut suggested = 0;
        for line in ran.out.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            if record["type"] != "finding" {
                continue;
            }
            let place = (
                record["path"].as_str().unwrap().to_owned(),
                record["line"].as_u64().unwrap(),
            );
            let (file, suffix, form) = &expected[&place];
            let suggestion = record["suggestion"].as_str();
            let suggestion = suggestion.unwrap_or_else(|| panic!("none: {line}"));
            let base = record["base"].as_str().unwrap_or(SITE);
            for rules in [Rules::Whatwg, Rules::RFC3986] {
                let target = resolve(base, suggestion, rules).unwrap();
                let target = String::from_utf8(target).unwrap();
                let rest = target.split_once("//example.com/docs/").unwrap().1;
                let end = rest.find(['?', '#']).unwrap_or(rest.len());
                let path = percent_decode_str(&rest[..end]).decode_utf8().unwrap();
                assert_eq!((&*path, &rest[end..]), (&**file, *suffix), "{line}");
            }
            let start = match form {
                0 => "/docs/",
                1 => SITE,
                2 => "//example.com/docs/",
                3 => "http://example.com/docs/guide/../",
                _ => "",
            };
            let reference = suggestion.strip_prefix(start).unwrap();
            assert!(
                !reference.starts_with(['/', '?']) && !reference.contains("://"),
                "{line}"
            );
            suggested += 1;
        }
        assert!(
            suggested > 350,
            "seed {seed}: {suggested} of {}",
            expected.len()
        );
    }
}

/// The suggestions for the references of a page, in order; an empty one where there is none.
fn suggestions(files: &[&str], references: &[&str]) -> Vec<String> {
    let tree = Tree::new(&[]);
    for file in files {
        tree.write(
            format!("site/{file}"),
            b"<!doctype html><p id=Install><p id=usage-2>",
        );
    }
    let links: String = (references.iter())
        .map(|reference| format!("<a href=\"{reference}\">x</a>"))
        .collect();
    tree.write("site/sub/page.html", links.as_bytes());
    let ran = tree.run(&["audit", "--json", "--root", &format!("site={SITE}")]);
    let records = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let findings = records.filter(|record| record["type"] == "finding");
    findings
        .map(|record| record["suggestion"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[track_caller]
fn suggests(files: &[&str], pairs: &[(&str, &str)]) {
    let (references, expected): (Vec<&str>, Vec<&str>) = pairs.iter().copied().unzip();
    assert_eq!(suggestions(files, &references), expected);
}

#[test]
fn distant_names_are_not_suggested() {
    suggests(
        &[
            "sub/faq.html",
            "sub/img1.png",
            "sub/setup.html",
            "sub/style.css",
            "sub/index.html",
        ],
        &[
            // Three characters of six, in a name of six.
            ("sutpe.html", ""),
            // Names under four characters.
            ("fag.html", ""),
            ("faq.htm", "faq.html"),
            // Another kind.
            ("style.js", ""),
            ("img1.jpg", "img1.png"),
            ("setpu.html", ""),
            ("setups.html", "setup.html"),
            // A directory is no file.
            ("setups.html/x", ""),
            ("inde.html", "index.html"),
        ],
    );
}

#[test]
fn the_same_extension_comes_first() {
    suggests(
        &["sub/manuals.html", "sub/manual.htm", "sub/manuel.html"],
        &[
            ("manual.html", "manuals.html"),
            ("manual.xhtml", "manual.htm"),
        ],
    );
}

#[test]
fn a_file_with_the_same_name_elsewhere_comes_before_a_near_one() {
    suggests(
        &[
            "guide/tutorial.html",
            "sub/tutorials.html",
            "a/twice.html",
            "b/twice.html",
        ],
        &[
            ("tutorial.html#usage-2", "../guide/tutorial.html#usage-2"),
            ("/docs/tutorial.html", "/docs/guide/tutorial.html"),
            ("twice.html", ""),
            // Index files are named by their directories.
            ("gone/index.html", ""),
        ],
    );
}

#[test]
fn fragments_are_suggested_with_the_reference_before_them() {
    suggests(
        &["other.html"],
        &[
            ("../other.html#INSTALL", "../other.html#Install"),
            (
                "../other.html?q#usagg-2:~:text=x",
                "../other.html?q#usage-2:~:text=x",
            ),
            (
                "../Other.html?a b'#usage-2",
                "../other.html?a%20b%27#usage-2",
            ),
            ("../other.html?a b#usagg-2", "../other.html?a%20b#usage-2"),
            // Another number is no typo.
            ("../other.html#usage-3", ""),
            ("../other.html#usag", ""),
        ],
    );
}

#[test]
fn equal_references_have_equal_suggestions_in_all_places() {
    let references = vec!["../othre.html"; 300];
    let found = suggestions(&["other.html"], &references);
    assert_eq!(found, vec![""; 300]);
    let references = vec!["../otherr.html#install"; 300];
    let found = suggestions(&["other.html"], &references);
    assert_eq!(found, vec!["../other.html#install"; 300]);
}

#[test]
fn files_are_suggested_from_the_same_archive_only() {
    let tree = Tree::new(&[("site/index.html", "<a href=gone/notes.html>notes</a>")]);
    let page = Member::new("index.html", "<a href=gone/styles.css>");
    let book = |css: &str| zip(&[page.clone(), Member::new(css, "p { }")]);
    tree.write("site/a.zip", &book("css/styles.css"));
    tree.write("site/b.zip", &book("css/other/notes.html"));
    let ran = tree.run(&["audit", "-z", "site", "--group", "none"]);
    let lines: Vec<_> = ran.out.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "site/a.zip!index.html:1:9: error[broken-file]: gone/styles.css (no such file; did you mean css/styles.css?)",
            "site/b.zip!index.html:1:9: error[broken-file]: gone/styles.css (no such file)",
            "site/index.html:1:9: error[broken-file]: gone/notes.html (no such file)",
        ]
    );
}
