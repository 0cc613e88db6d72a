//! Anchors of headings in the dialects of Markdown, and the files that mark a dialect.

use crate::cli::Tree;

const PAGE: &str = "# 1. Über  uns: a_b\n\n## Setup\n\n## Setup\n\n## Named {#own}\n\n\
                    term\n: meaning {: #meaning }\n\n<a id=\"Html\"></a>\n\n\
                    <h2 align=center>\n  <code>Raw</code> &amp; cooked\n</h2>\n";

/// The fragments that the page has in each dialect, by the file in the root that marks it.
const DIALECTS: &[(&str, &str, &[&str])] = &[
    (
        "",
        "github",
        &["1-über--uns-a_b", "setup-1", "named-own", "raw--cooked"],
    ),
    (
        "",
        "gitlab",
        &["1-über-uns-a_b", "setup-1", "named-own", "raw-cooked"],
    ),
    (
        "book.toml",
        "mdbook",
        &["1-Über--uns-a_b", "setup-1", "own", "term"],
    ),
    (
        "mkdocs.yml",
        "mkdocs",
        &["1-uber-uns-a_b", "setup_1", "own", "meaning"],
    ),
    (
        "docusaurus.config.js",
        "docusaurus",
        &["1-über--uns-a_b", "setup-1", "own"],
    ),
    ("hugo.toml", "hugo", &["1-über--uns-a_b", "setup-1", "own"]),
    (
        "",
        "kramdown",
        &["ber--uns-ab", "setup-1", "own", "meaning"],
    ),
    (
        "_config.yml",
        "jekyll",
        &[
            "1-über--uns-a_b",
            "ber--uns-ab",
            "setup-1",
            "own",
            "meaning",
        ],
    ),
    ("", "pandoc", &["über-uns-a_b", "setup-1", "own", "meaning"]),
];

/// Returns the fragments of the page that are missing.
fn missing(tree: &Tree, flags: &[&str]) -> Vec<String> {
    let ran = tree.run(&[&["audit", "--root", "docs", "--json"], flags].concat());
    let findings = ran.out.lines().filter_map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let reference = record["reference"].as_str()?;
        // GitHub finds names in other case.
        let rule = record["rule"].as_str().unwrap();
        assert!(
            matches!(rule, "broken-fragment" | "case-mismatch"),
            "{line}"
        );
        Some(reference.split_once('#')?.1.to_owned())
    });
    findings.collect()
}

#[test]
fn each_dialect_has_its_own_anchors() {
    let mut all: Vec<_> = DIALECTS.iter().flat_map(|(_, _, has)| *has).collect();
    all.sort_unstable();
    all.dedup();
    let mut links: String = (all.iter())
        .map(|name| format!("[x](page.md#{name})\n"))
        .collect();
    links += "[x](page.md#Html)\n";
    for (marker, name, has) in DIALECTS {
        let mut files = vec![("docs/page.md", PAGE), ("docs/links.md", links.as_str())];
        let marker = format!("docs/{marker}");
        if marker != "docs/" {
            files.push((&marker, ""));
        }
        let tree = Tree::new(&files);
        let mut expected: Vec<_> = all.iter().map(|name| name.to_string()).collect();
        expected.retain(|name| !has.contains(&name.as_str()));
        assert_eq!(missing(&tree, &["--slug", name]), expected, "{name}");
        if marker != "docs/" {
            assert_eq!(missing(&tree, &[]), expected, "{marker}");
        }
    }
}

#[test]
fn an_unknown_dialect_is_an_error() {
    let ran = Tree::new(&[("a.md", "# a")]).run(&["audit", "--slug", "latex", "."]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("mkdocs"), "{}", ran.err);
}

#[test]
fn each_of_several_trees_has_its_own_dialect() {
    let tree = Tree::new(&[
        ("book/book.toml", ""),
        ("book/a.md", "# Named {#own}\n[x](#own)"),
        ("wiki/a.md", "# Named {#own}\n[x](#own)"),
    ]);
    let ran = tree.run(&["audit", "book", "wiki"]);
    assert_eq!(
        ran.out.lines().collect::<Vec<_>>(),
        ["wiki/a.md:2:5: error[broken-fragment]: #own (no such id)"],
        "{}",
        ran.err
    );
}

#[test]
fn fragments_are_those_that_github_finds() {
    let tree = Tree::new(&[
        ("docs/page.md", "# Set Up\n\n<a id=\"own\"></a>\n"),
        ("docs/page.html", "<p id=a>"),
        ("docs/main.rs", "fn main() {}\n"),
        (
            "docs/links.md",
            "[x](page.md#user-content-set-up) [x](page.md#user-content-own)\n\
             [x](page.md#Set-Up)\n\
             [x](page.md?plain=1#L1-L2) [x](main.rs#L1) [x](page.html#L1C2-L3C4)\n\
             [x](page.md#L1) [x](page.md#Setup) [x](page.html#A)\n",
        ),
    ]);
    let lines = |flags: &[&str]| -> Vec<String> {
        let ran = tree.run(&[&["audit", "--root", "docs", "--group", "none"], flags].concat());
        ran.out.lines().map(str::to_owned).collect()
    };
    let found = lines(&[]);
    let starts: Vec<_> = (found.iter())
        .map(|line| line.split(" (").next().unwrap())
        .collect();
    assert_eq!(
        starts,
        [
            "docs/links.md:2:5: warning[case-mismatch]: page.md#Set-Up",
            "docs/links.md:4:5: error[broken-fragment]: page.md#L1",
            "docs/links.md:4:21: error[broken-fragment]: page.md#Setup",
            "docs/links.md:4:40: error[broken-fragment]: page.html#A",
        ]
    );
    assert!(
        found[0].contains("did you mean page.md#set-up?"),
        "{}",
        found[0]
    );
    assert_eq!(lines(&["--slug", "gitlab"]).len(), 8);
}

#[test]
fn hosts_of_markdown_list_directories_without_an_index() {
    let pages = [
        (
            "docs/a.md",
            "[x](src) [y](src/) <a href=src/#z>z</a> [z](gone/)\n",
        ),
        ("docs/src/main.rs", ""),
    ];
    let count = |files: &[(&str, &str)], flags: &[&str]| {
        let tree = Tree::new(&[&pages, files].concat());
        let ran = tree.run(&[&["audit", "--root", "docs", "--json"], flags].concat());
        let summary: serde_json::Value =
            serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
        let links = tree.run(&[&["audit", "--root", "docs", "--json", "--links"], flags].concat());
        let shown = links.out.matches("\"state\":\"ok\"").count() as u64;
        assert_eq!(summary["ok"], shown);
        (shown, summary["rules"]["broken-index"].as_u64())
    };
    assert_eq!(count(&[], &[]), (3, None));
    // A page that has more findings is read a second time.
    assert_eq!(count(&[], &["--deny", "duplicate-id"]), (3, None));
    assert_eq!(count(&[], &["--slug", "gitlab"]), (3, None));
    // Others have pages of their own for directories, or none.
    let others = [
        (&[][..], &["--server", "static"][..]),
        (&[], &["--server", "apache"]),
        (&[], &["--slug", "mkdocs"]),
        (&[("docs/mkdocs.yml", "")], &[]),
        (&[("docs/_redirects", "/b /a.md\n")], &[]),
    ];
    for (files, flags) in others {
        assert_eq!(count(files, flags).1, Some(3), "{files:?} {flags:?}");
    }
    let page = ("docs/b.html", "<a href=src/>x</a>");
    assert_eq!(count(&[page], &[]).1, Some(1));
}

#[test]
fn wiki_links_lead_to_pages_anywhere_in_the_tree() {
    let tree = Tree::new(&[
        ("docs/Home.md", "# Big Title\n"),
        ("docs/deep/er/Some-Page.md", "# a\n"),
        ("docs/deep/Node.js.md", "# a\n"),
        ("docs/img/a b.png", ""),
        (
            "docs/sub/links.md",
            "[[Home]] [[home#Big Title]] [[Some Page|text]] [[er/some page]] [[Node.js]] ![[a b.png]]\n\
             [[Nowhere]] [[Home#None]] [[xer/Some Page]] [y](<../img/a b.png>)\n",
        ),
    ]);
    let audit = |flags: &[&str]| {
        let ran = tree.run(&[&["audit", "--root", "docs", "--group", "none"], flags].concat());
        let lines: Vec<_> = (ran.out.lines())
            .map(|line| line.split(" (").next().unwrap().to_owned())
            .collect();
        lines
    };
    assert_eq!(audit(&[]), [""; 0]);
    assert_eq!(
        audit(&["--wiki-links"]),
        [
            "docs/sub/links.md:2:3: error[broken-file]: Nowhere.md",
            "docs/sub/links.md:2:15: error[broken-fragment]: Home.md#none",
            "docs/sub/links.md:2:29: error[broken-file]: xer/Some%20Page.md",
        ]
    );
    let ran = tree.run(&["--root", "docs=https://example.com/", "docs/sub/links.md"]);
    assert_eq!(ran.out, "https://example.com/img/a%20b.png\n");
}
