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
        &["1-über--uns-a_b", "setup-1", "own", "term"],
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

/// A site for each generator: its files, of which the first is a page, and the references with findings.
type Site = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

/// Ids that the generators made themselves.
const SITES: &[Site] = &[
    (
        &[
            (
                "src/a.md",
                "## Über uns\n\n## Привет Мир\n\n## Dup\n\n## Dup\n\n## Dup-1\n\n## \\# Hash\n\n\
                 [a](#über-uns) [b](#привет-мир) [c](#dup-1-1) [d](#-hash) [e](#none)\n\n\
                 {{#include ../inc/p.md}}\n",
            ),
            ("src/SUMMARY.md", "[A](a.md)\n"),
            ("inc/p.md", "[x](sub/a.md)\n"),
            ("book.toml", ""),
        ],
        &["#none"],
    ),
    (
        &[
            (
                "docs/a.md",
                "## Foo <b>bar</b>\n\n## API <Badge/>\n\n## ![alt](x.png) Pic\n\n## <Badge/> Last {#own}\n\n\
                 [a](#foo-bar) [b](#api-) [c](#alt-pic) [d](#own) [e](#pic) [f](#api)\n",
            ),
            ("docs/x.png", ""),
            ("docusaurus.config.js", "export default {}\n"),
        ],
        &["#pic", "#api"],
    ),
    (
        &[
            (
                "src/content/docs/a.mdx",
                "---\ntitle: A\ndescription: \"Click this link: foo or file: x.png\"\nhero:\n  actions:\n    \
                 - link: /none/\n---\n\n## API <Badge/>\n\n## Step -- Two\n\n## ![alt](./x.png) Pic\n\n\
                 [a](#api) [b](#step--two) [c](#-pic) [d](#none)\n",
            ),
            ("src/content/docs/x.png", ""),
            (
                "astro.config.mjs",
                "import starlight from '@astrojs/starlight';\nexport default {integrations: [starlight({})]}\n",
            ),
        ],
        &["/none/", "#none"],
    ),
    (
        &[
            (
                "content/docs/a.md",
                "## [Link text](https://example.com/) after\n\n## __dunder__ x\n\n## A &amp; B\n\n## foo--bar\n\n\
                 [a](#link-text-after) [b](#dunder-x) [c](#a--b) [d](#foobar) [e](#foo--bar) [f](#none)\n\n\
                 {{< ref \"Quay One.md\" >}} {{< ref quay.md >}} {{< ref \"Quay Two.md\" >}}\n",
            ),
            ("content/docs/Quay One.md", "\n"),
            ("content/docs/quay.md", "\n"),
            ("hugo.toml", ""),
        ],
        &["#none", "Quay Two.md"],
    ),
    (
        &[
            (
                "index.md",
                "# T\n\n## Łódź Straße\n\n## ![alt](x.png) Pic\n\n\
                 [a](#lodz-strasze) [b](#-pic) [c](#none)\n\n% [x](no.md)\n\n<!--\n{doc}`no`\n-->\n\n\
                 ```{code-block} md\n{doc}`no`\n```\n\n{doc}`gone`\n\n```{include} inc/part.md\n```\n",
            ),
            ("x.png", ""),
            ("inc/part.md", "[x](sub/a.md)\n"),
            (
                "conf.py",
                "extensions = ['myst_parser']\nexclude_patterns = ['inc/*']\nmyst_heading_anchors = 3\n",
            ),
        ],
        &["#none", "gone"],
    ),
    (
        &[
            (
                "docs/a.md",
                "## :rocket: Launch\n\n## Own {#own}\n\n[a](#launch) [b](#own) [c](#none)\n\n--8<-- \"s.md\"\n",
            ),
            ("snip/s.md", "[x](sub/a.md)\n"),
            (
                "mkdocs.yml",
                "markdown_extensions:\n  - markdown.extensions.attr_list\n  - pymdownx.emoji\n  \
                 - pymdownx.snippets:\n      base_path: [snip]\n",
            ),
        ],
        &["#none"],
    ),
    (
        &[
            ("docs/a.md", "## A B\n\n[a](#a_b)\n"),
            (
                "mkdocs.yml",
                "markdown_extensions:\n  - markdown.extensions.toc:\n      separator: _\n",
            ),
        ],
        &[],
    ),
    (
        &[
            ("docs/a.md", "## Title { #given }\n\n[a](#title-given)\n"),
            ("docs/b.md", "## Title\n\n[a](#none)\n"),
            ("mkdocs.yml", ""),
        ],
        &["#none"],
    ),
    (
        &[
            (
                "README.md",
                "## What's new?\n\n## C++ & Rust\n\n[a](?id=what39s-new) [b](?id=c-amp-rust) [c](?id=none)\n",
            ),
            (
                "index.html",
                "<script>window.$docsify = {}</script>\n<script src=\"//example.com/docsify.min.js\"></script>\n",
            ),
        ],
        &["?id=none"],
    ),
    (
        &[
            (
                "source/a.md",
                "---\ntitle: A\n---\n## What's \"new\" -- now...\n\n[a](#What’s-“new”-–-now…) [b](#What-s-new-now) \
                 [c](#none)\n",
            ),
            ("_config.yml", ""),
            ("package.json", "{\"hexo\": {}}"),
        ],
        &["#none"],
    ),
    (
        &[
            (
                "docs/a.md",
                "---\ndescription: \"Click this link: foo\"\nprev: {text: X, link: /no}\n---\n\n## :rocket: Launch\n\n\
                 ## Q &amp; A\n\n[a](#launch) [b](#q-amp-a) [c](#none)\n\n<!--@include: ../parts/p.md-->\n",
            ),
            ("docs/.vitepress/config.js", "export default {}\n"),
            ("parts/p.md", "[x](./no.md)\n"),
        ],
        &["/no", "#none"],
    ),
    (
        &[
            (
                "a.md",
                "# max_file – x\n\n## 🚀 Go\n\n## & More\n\n[a](#maxfile-–-x) [b](#🚀-go) [c](#more) [d](#-more)\n",
            ),
            ("README.md", "\n"),
            ("SUMMARY.md", "[A](a.md)\n"),
            ("book.json", "{}"),
        ],
        &["#-more"],
    ),
    (
        &[
            ("content/a.md", "+++\n+++\n# Привет\n\n[a](#privet)\n"),
            (
                "content/b.md",
                "+++\n+++\n# Größe\n\n[a](#grosse) [b](#none)\n",
            ),
            ("config.toml", "base_url = \"/\"\n"),
        ],
        &["#none"],
    ),
    (
        &[
            (
                "index.md",
                "---\n---\n[a](/big%20cat/b/2024/01/01/My-Slug.html) [b](/d/e/c/2024/01/02/two.html) [c](/no)\n",
            ),
            (
                "_posts/2024-01-01-one.md",
                "---\ncategories: [Big Cat, b]\nslug: My Slug\n---\n",
            ),
            (
                "_posts/2024-01-02-two.md",
                "---\ncategories: d e\ncategory: c\n---\n",
            ),
            ("_config.yml", "plugins: []\n"),
        ],
        &["/no"],
    ),
    (
        &[(
            "a.adoc",
            "== A--B\n\n== x->y\n\n== About (C)\n\n== [[inl]]Inline anchor\n\n<<_ab>> <<_xy>> <<_about>> \
                 <<_inline_anchor>> <<inl>> <<_none>>\n",
        )],
        &["#_none"],
    ),
];

#[test]
fn headings_have_the_ids_that_generators_make() {
    for (files, expected) in SITES {
        let tree = Tree::new(files);
        let ran = tree.run(&["audit", "--json", "."]);
        let records = (ran.out.lines())
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .filter(|record| record["type"] == "finding");
        let found: Vec<_> = records
            .map(|record| record["reference"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(found, *expected, "{}\n{}", files[0].0, ran.out);
    }
}
