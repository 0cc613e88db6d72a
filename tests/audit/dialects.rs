//! Anchors of headings in the dialects of Markdown, and the files that mark a dialect.

use crate::cli::Tree;

const PAGE: &str = "# 1. Über  uns: a_b\n\n## Setup\n\n## Setup\n\n## Named {#own}\n\n\
                    term\n: meaning {: #meaning }\n\n<a id=\"Html\"></a>\n";

/// The fragments that the page has in each dialect, by the file in the root that marks it.
const DIALECTS: &[(&str, &str, &[&str])] = &[
    ("", "github", &["1-über--uns-a_b", "setup-1", "named-own"]),
    ("", "gitlab", &["1-über-uns-a_b", "setup-1", "named-own"]),
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
        assert_eq!(record["rule"], "broken-fragment", "{line}");
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
