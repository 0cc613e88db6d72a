//! A site in HTML with defects of every rule about links and documents.

use super::{Defect, PlantedTree, planted};
use crate::audit::generated::Random;
use crate::cli::Tree;

/// Where pages lie, as they are named on disk and in references.
const DIRECTORIES: [(&str, &str); 5] = [
    ("", ""),
    ("guide/", "guide/"),
    ("guide/deep er/", "guide/deep%20er/"),
    ("R\u{e9}f/", "R%C3%A9f/"),
    ("r%f/", "r%25f/"),
];
const PAGES: usize = 500;
/// Directories without an index file.
const EMPTY: usize = 20;
/// Pages whose base has no hierarchy.
const OPAQUE: usize = 50;

/// The directory and the name of a page; both are the same on disk and in references, but for the directory.
fn directory(page: usize) -> (&'static str, &'static str) {
    DIRECTORIES[page % DIRECTORIES.len()]
}

fn name(page: usize) -> String {
    match page < DIRECTORIES.len() {
        true => "index.html".into(),
        false => format!("page-{page}.html"),
    }
}

fn file(page: usize) -> String {
    format!("site/{}{}", directory(page).0, name(page))
}

fn path(page: usize) -> String {
    format!("{}{}", directory(page).1, name(page))
}

/// A page has the ids `s0` to `s(n-1)`, and the names `n0` to `n(n-1)`.
fn sections(page: usize) -> usize {
    1 + page % 4
}

/// Writes a path of the site in one of the ways in which a page can.
fn written(random: &mut Random, from: usize, path: &str) -> String {
    match random.below(5) {
        0 => format!("/docs/{path}"),
        1 => format!("https://example.com/docs/{path}"),
        2 => format!("http://example.com/docs/{path}"),
        3 => format!("//EXAMPLE.com/docs/{path}"),
        _ => format!(
            "{}{path}",
            "../".repeat(directory(from).0.matches('/').count())
        ),
    }
}

/// A reference on page `from` that has the `number`th defect of a rule, and its state.
fn defect(random: &mut Random, rule: &str, number: usize, from: usize) -> (String, &'static str) {
    let to = DIRECTORIES.len() + random.below(PAGES - DIRECTORIES.len());
    let page = path(to);
    let (beyond, way) = (sections(to), number % 5);
    match rule {
        "broken-file" => {
            let missing = match way {
                0 => format!("missing-{number}.html"),
                1 => format!("none/{number}/?a=1&b=\"2\"#s0"),
                2 => page.replace(".html", ".htm"),
                3 => format!("{page}.bak#x"),
                _ => format!("{}image-{number}.png", directory(to).1),
            };
            (written(random, from, &missing), "broken")
        }
        "broken-index" => {
            let directory = format!("empty-{}", random.below(EMPTY));
            let end = ["/", "", "/#x", "/?q", "/./"][way];
            (
                written(random, from, &format!("{directory}{end}")),
                "broken",
            )
        }
        "broken-fragment" => {
            let missing = match way {
                0 => return (format!("#none-{number}"), "broken"),
                1 => format!("{page}?q#s{beyond}:~:text=x"),
                2 => format!("{page}#S0"),
                3 => format!("{}#s{beyond}", page.replace("page", "moved")),
                _ => format!("{page}#%73{beyond}"),
            };
            (written(random, from, &missing), "broken")
        }
        "case-mismatch" => {
            let other = match way {
                0 => page.replace("html", "HTML"),
                1 => path(6).replace("guide", "Guide"),
                2 => path(8).replace("%C3%A9", "e%CC%81"),
                3 => format!("{}#s0", page.replace("page", "PAGE")),
                _ => page.replace("page", "p%41ge"),
            };
            (written(random, from, &other), "ok")
        }
        "outside-root" => {
            let outside = match way {
                0 => format!("/elsewhere/{number}.html"),
                1 => format!("https://example.com/{number}#x"),
                2 => format!("//example.com/docs-{number}/"),
                3 => format!("/docs/../{number}"),
                _ => "/".into(),
            };
            (outside, "external")
        }
        "redirected" => {
            let redirects = match way {
                0 => "guide".into(),
                1 => "guide/deep%20er?q".into(),
                2 => page.replace("page", "moved"),
                3 => format!("{}#s0", page.replace("page", "moved")),
                _ => format!("R%C3%A9f#s{}", sections(3) - 1),
            };
            (written(random, from, &redirects), "ok")
        }
        "bad-reference" => {
            let bad = match way {
                0 => format!("https://[{number}/"),
                1 => format!("https://exa mple{number}.com/"),
                2 => format!("https://example.com:{}/", 70_000 + number),
                3 => format!("//{number}.example.com:x/"),
                _ => "http://".into(),
            };
            (bad, "unresolved")
        }
        "empty-href" => (String::new(), "ok"),
        "trailing-slash" => {
            let directory = page.replace(".html", ["/", "/?q", "/#s0"][number % 3]);
            (written(random, from, &directory), "ok")
        }
        "insecure-scheme" => {
            let scheme = ["http", "ftp"][number % 2];
            (format!("{scheme}://www.example.org/{number}"), "external")
        }
        other => panic!("{other}"),
    }
}

/// A reference on page `from` without a defect, and its state.
fn sound(random: &mut Random, number: usize, from: usize) -> (String, &'static str) {
    let to = random.below(PAGES);
    let page = path(to);
    let last = sections(to) - 1;
    let path = match number % 20 {
        0 => return (format!("https://www.example.org/{number}"), "external"),
        1 => return ("mailto:a@example.com".into(), "skipped"),
        2 => return ("tel:+1".into(), "skipped"),
        3 => return ("data:,x".into(), "skipped"),
        4 => return ("#s0".into(), "ok"),
        5 => return ("#".into(), "ok"),
        6 => return ("?q#n0".into(), "ok"),
        7 => format!("{page}#s{last}"),
        8 => format!("{page}#n{last}"),
        9 => format!("{page}#%73{last}"),
        10 => format!("{page}#TOP"),
        11 => format!("{page}#:~:text=x"),
        12 => format!("{page}#s{last}:~:text=x,-y"),
        13 => format!("{page}?q=1&amp=2#"),
        14 => "guide/".into(),
        15 => "guide/deep%20er/#s1".into(),
        16 => "file.bin#page=2".into(),
        17 => page.replace("page", "p%61ge"),
        18 => page.replace(".html", "#s0"),
        _ => page,
    };
    (written(random, from, &path), "ok")
}

/// The rules about links in pages with a base that has a hierarchy.
const LINK_RULES: [&str; 10] = [
    "broken-file",
    "broken-index",
    "broken-fragment",
    "case-mismatch",
    "outside-root",
    "redirected",
    "bad-reference",
    "empty-href",
    "trailing-slash",
    "insecure-scheme",
];

fn site(seed: u64) -> PlantedTree {
    let mut random = Random(seed);
    let mut tree = PlantedTree::default();
    let random = &mut random;
    for page in 0..PAGES {
        let text = "<!doctype html>\n<meta charset=utf-8>";
        tree.line(&file(page), text);
        if random.below(5) == 0 {
            tree.line(
                &file(page),
                &format!("<base href=\"/docs/{}\">", directory(page).1),
            );
        }
    }
    let mut links: Vec<Option<&'static str>> = vec![None; 6 * planted()];
    for rule in LINK_RULES {
        links.extend(vec![Some(rule); planted()]);
    }
    for last in (1..links.len()).rev() {
        links.swap(last, random.below(last + 1));
    }
    for (number, rule) in links.into_iter().enumerate() {
        let from = number % PAGES;
        let number = number / PAGES * PAGES + random.below(PAGES);
        let (reference, state) = match rule {
            Some(rule) => defect(random, rule, number, from),
            None => sound(random, number, from),
        };
        tree.link(&file(from), &reference, state, rule);
    }
    for page in 0..PAGES {
        for section in 0..sections(page) {
            let text = format!("<h2 id=s{section}><a name=n{section}>x</a> y</h2>");
            tree.line(&file(page), &text);
        }
    }
    tree.files.insert("site/file.bin".into(), b"\0".to_vec());
    for number in 0..EMPTY {
        tree.files
            .insert(format!("site/empty-{number}/file.bin"), b"\0".to_vec());
    }
    redirecting_pages(&mut tree);
    pages_without_hierarchy(&mut tree);
    pages_with_duplicates(&mut tree);
    orphans(&mut tree);
    tree
}

/// Each page has another one beside it that refreshes to it.
fn redirecting_pages(tree: &mut PlantedTree) {
    for page in DIRECTORIES.len()..PAGES {
        let moved = file(page).replace("page", "moved");
        let text = format!(
            "<meta http-equiv=refresh content=\"0; url={}\">",
            name(page)
        );
        tree.line(&moved, &text);
        tree.count("ok");
        tree.link(
            "site/index.html",
            &path(page).replace("page", "moved"),
            "ok",
            Some("redirected"),
        );
        tree.link("site/index.html", &path(page), "ok", None);
    }
    for page in 0..DIRECTORIES.len() {
        tree.link("site/index.html", &path(page), "ok", None);
    }
}

fn pages_without_hierarchy(tree: &mut PlantedTree) {
    for number in 0..OPAQUE {
        let page = format!("site/opaque-{number}.html");
        tree.line(&page, "<base href=urn:example:x>");
        for link in 0..planted() / OPAQUE {
            let reference = match link % 4 {
                0 => String::new(),
                1 => "?q".into(),
                2 => "/docs/index.html".into(),
                _ => format!("page-{link}.html#s0"),
            };
            tree.link(&page, &reference, "unresolved", Some("unresolved"));
        }
        tree.link(&page, "https://example.com/docs/index.html#s0", "ok", None);
        tree.link(
            "site/index.html",
            &format!("opaque-{number}.html"),
            "ok",
            None,
        );
    }
}

fn pages_with_duplicates(tree: &mut PlantedTree) {
    for number in 0..planted().div_ceil(4) {
        let page = format!("site/duplicates/{number}.html");
        for id in ["a", "b", "c", "\u{e9}"] {
            tree.line(&page, &format!("<p id={id}>x"));
            let line = tree.line(&page, &format!("<p id=\"{id}\">x<b id={id}{id}>x</b>"));
            tree.plant(&page, line, "duplicate-id", "");
        }
        tree.link(
            "site/index.html",
            &format!("duplicates/{number}.html#a"),
            "ok",
            None,
        );
    }
}

/// Pages to which only they themselves link, each with a second base.
fn orphans(tree: &mut PlantedTree) {
    for number in 0..planted() {
        let page = format!("site/orphans/{number}.html");
        tree.line(&page, "<base href=/docs/guide/>");
        let line = tree.line(&page, "<base href=/docs/>");
        tree.plant(&page, line, "several-bases", "");
        tree.link(&page, "/docs/index.html", "ok", None);
        tree.link(&page, &format!("/docs/orphans/{number}.html"), "ok", None);
        tree.plant(&page, 0, "orphan", "");
    }
}

/// Bytes of all pages on disk.
fn pages(tree: &PlantedTree, disk: &Tree) -> Vec<Vec<u8>> {
    let pages = tree.pages.keys();
    pages
        .map(|page| std::fs::read(disk.path().join(page)).unwrap())
        .collect()
}

#[test]
fn fix_changes_only_certain_references() {
    let mut tree = site(2);
    let disk = tree.write();
    let before = pages(&tree, &disk);
    let fix = |flag: &'static str| {
        let flags = ["audit", flag, "-q"];
        disk.run(&[&flags, &ARGUMENTS[..], &["--allow", "orphan"]].concat())
    };
    fix("--fix");
    assert!(pages(&tree, &disk) == before, "a dry run changes nothing");
    let ran = fix("--fix=write");
    assert!(ran.code < 2, "{}", ran.err);
    let is_certain = |defect: &Defect| match defect.2.as_str() {
        "case-mismatch" | "redirected" | "trailing-slash" => true,
        "broken-fragment" => defect.3.ends_with("#S0"),
        // Pages to which links redirected have none any more: that is left out here.
        rule => rule == "orphan",
    };
    tree.defects.retain(|defect| !is_certain(defect));
    // Lines stay, and references with another defect stay as they are.
    let rest = ["--allow", "orphan"];
    let ran = disk.run(&[&["audit", "--json"], &ARGUMENTS[..], &rest].concat());
    tree.compare("--fix=write", &super::reports::findings_of_jsonl(&ran.out));
    let once = pages(&tree, &disk);
    fix("--fix=write");
    assert!(pages(&tree, &disk) == once, "a second run changes nothing");
}

const ARGUMENTS: [&str; 16] = [
    "--try-ext",
    "html",
    "--root",
    "site=https://example.com/docs/",
    "--warn",
    "duplicate-id",
    "--warn",
    "empty-href",
    "--warn",
    "trailing-slash",
    "--warn",
    "orphan",
    "--warn",
    "several-bases",
    "--warn",
    "insecure-scheme",
];

#[test]
fn planted_defects_of_every_rule_are_found_and_none_is_invented() {
    let tree = site(1);
    let rules = tree.rules();
    let others = ["unresolved", "duplicate-id", "several-bases", "orphan"];
    for rule in LINK_RULES.into_iter().chain(others) {
        assert!(rules[rule] >= planted() as u64, "{rule}");
    }
    tree.check(&ARGUMENTS);
}
