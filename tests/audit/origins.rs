//! `--sources`: the lines of the sources that findings in a built site come from.

use serde_json::Value;

use crate::cli::Tree;

/// Runs an audit of `out` with the sources in `src`; returns the reference, the source and its line of each finding.
fn origins(files: &[(&str, &str)]) -> Vec<(String, String, u64)> {
    let tree = Tree::new(files);
    let ran = tree.run(&["audit", "--json", "--sources", "src", "out"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let records = ran.out.lines().map(serde_json::from_str);
    let records = records.map(Result::unwrap);
    let findings = records.filter(|record: &Value| record["type"] == "finding");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    findings
        .map(|found| {
            assert!(found.get("source_path").is_some() && found.get("source_line").is_some());
            let line = found["source_line"].as_u64().unwrap_or_default();
            (text(&found["reference"]), text(&found["source_path"]), line)
        })
        .collect()
}

fn expect(files: &[(&str, &str)], expected: &[(&str, &str, u64)]) {
    let expected = expected.iter().map(|(reference, path, line)| {
        let path = [path, "src/"][usize::from(!path.is_empty())].to_owned() + path;
        ((*reference).to_owned(), path, *line)
    });
    assert_eq!(origins(files), expected.collect::<Vec<_>>());
}

#[test]
fn pages_of_mkdocs_are_found_by_their_routes() {
    let nav = "<a href=\"https://example.com/\">x</a><img src=\"../gone.png\">";
    let setup = format!(
        "{nav}<p><a href=\"../../missing/#part\">Gone page</a> <a href=\"#none\">here</a>\
         <a href=\"../lost/\">Second</a><a href=\"../lost/\">First</a><a href=\"../x%20y.html\">z</a>"
    );
    expect(
        &[
            (
                "src/mkdocs.yml",
                "site_name: x\nextra:\n  logo: gone.png\ntheme:\n  custom_dir: over\n",
            ),
            ("src/docs/index.md", "# Start\n"),
            (
                "src/docs/guide/setup.md",
                "# Set up\n\nMissing: see [Gone\npage](../missing.md#part).\n[here](#none)\n\n\
                 * [First](lost.md)\n* [**Second**](lost.md)\n\n[z](<x y.html>) and lost.\n",
            ),
            ("src/over/main.html", "<p>lost</p>\n"),
            ("out/index.html", &format!("{nav}<p>")),
            ("out/guide/setup/index.html", &setup),
            ("out/gone.txt", ""),
        ],
        &[
            ("../gone.png", "mkdocs.yml", 3),
            ("../../missing/#part", "docs/guide/setup.md", 4),
            ("#none", "docs/guide/setup.md", 5),
            ("../lost/", "docs/guide/setup.md", 8),
            ("../lost/", "docs/guide/setup.md", 7),
            ("../x%20y.html", "docs/guide/setup.md", 10),
            ("../gone.png", "mkdocs.yml", 3),
        ],
    );
}

#[test]
fn pages_without_a_generator_are_found_by_their_paths() {
    expect(
        &[
            (
                "src/index.md",
                "# A\n\n    [x](b.html)\n\n[b](b.html) and [b](b.html#q)\n[Again](b.html)\n",
            ),
            (
                "src/sub/index.rst",
                "Title\n=====\n\nSee :doc:`gone` or `t <no.html>`_.\n",
            ),
            ("src/raw.html", "<p>\n<a href='no.html'>x</a>"),
            ("src/_layouts/page.html", "<link\n href=\"/css/Site.css\">"),
            (
                "out/index.html",
                "<link href=\"css/Site.css\"><a href=\"b.html\">Again</a><a href=\"b.html#q\">b</a>",
            ),
            (
                "out/sub/index.html",
                "<link href=\"../css/Site.css\"><a href=\"gone.html\">Gone</a><a href=no.html>t</a>",
            ),
            ("out/raw.html", "<p>\n<a href='no.html'>x</a>"),
            ("out/other.html", "<a href='none.html'>x</a>"),
        ],
        &[
            ("css/Site.css", "_layouts/page.html", 2),
            ("b.html", "index.md", 6),
            ("b.html#q", "index.md", 5),
            ("none.html", "", 0),
            ("no.html", "raw.html", 2),
            ("../css/Site.css", "_layouts/page.html", 2),
            ("gone.html", "sub/index.rst", 4),
            ("no.html", "sub/index.rst", 4),
        ],
    );
}

#[test]
fn links_of_navigation_come_from_lists_of_pages() {
    let menu = |up: &str| {
        format!("<a href='{up}guide/gone.html'>Gone</a><a href='{up}lost.html'>Lost</a>")
    };
    expect(
        &[
            ("src/conf.py", "extensions = ['myst_parser']\n"),
            (
                "src/index.md",
                "# A\n\nAll is lost\n\n```{toctree}\n:hidden:\nguide/index\nTitle <lost>\n```\n\nSee {doc}`lost`.\n",
            ),
            (
                "src/guide/index.rst",
                "A\n=\n\n.. toctree::\n\n   gone\n   near\n",
            ),
            ("src/guide/near.rst", "A\n=\n"),
            ("out/genindex.html", &menu("")),
            ("out/guide/near.html", &menu("../")),
            ("out/index.html", "<a href='lost.html'>Lost</a>"),
        ],
        &[
            ("guide/gone.html", "guide/index.rst", 6),
            ("lost.html", "index.md", 8),
            ("../guide/gone.html", "guide/index.rst", 6),
            ("../lost.html", "index.md", 8),
            ("lost.html", "index.md", 11),
        ],
    );
    let menu = "<a href='/guide/gone'>Gone</a><a href='../lost/'>Lost</a>";
    expect(
        &[
            (
                "src/mkdocs.yml",
                "site_name: x\nnav:\n  - Lost: lost.md\n  - Gone: guide/gone.md\n  - Home: index.md\n",
            ),
            // A program calls a method of the same name.
            ("src/docs/near.md", "# A\n\n    lost.send(1)\n"),
            ("out/near/index.html", menu),
            // A part of a page without a source is not a part of the home page.
            ("out/print.html", "<a href='#lost'>x</a>"),
        ],
        &[
            ("/guide/gone", "mkdocs.yml", 4),
            ("../lost/", "mkdocs.yml", 3),
            ("#lost", "", 0),
        ],
    );
}

#[test]
fn links_of_a_page_without_a_source_come_from_the_pages_with_its_text() {
    expect(
        &[
            ("src/book.toml", "[book]\ntitle = 'x'\n"),
            (
                "src/src/SUMMARY.md",
                "- [Deep](part/deep.md)\n- [Lost](part/lost.md)\n",
            ),
            (
                "src/src/a.md",
                "# A\n\nThis is another [gone thing](gone.md).\n",
            ),
            (
                "src/src/part/deep.md",
                "# Deep\n\nThe [gone thing][x] and\nthe [odd thing][y].\n\n[x thing]: ../gone.md#part\n[y thing]: ../gone.md\n",
            ),
            ("src/src/part/lost.md", "# Lost\n"),
            (
                "out/print.html",
                "<nav><a href='part/lost.html'>Lost</a></nav><p>The <a href='gone.html#part'>gone \
                 thing</a> and the <a href='gone.html'>odd thing</a>. See <a href='none.html'>this</a>.",
            ),
        ],
        &[
            ("part/lost.html", "src/SUMMARY.md", 2),
            ("gone.html#part", "src/part/deep.md", 6),
            ("gone.html", "src/part/deep.md", 7),
            ("none.html", "", 0),
        ],
    );
}

#[test]
fn navigation_comes_from_lists_before_the_text_of_the_page() {
    let link = "<a href='/ref/Reply.html'>Reply</a>";
    expect(
        &[
            (
                "src/.vitepress/config.mjs",
                "export default {\n  themeConfig: {\n    nav: [\n      { text: 'Reply', link: '/ref/Reply' },\n    ],\n    \
                 sidebar: [\n      { text: 'Reply', link: '/ref/Reply' },\n    ]\n  }\n}\n",
            ),
            ("src/ref/Reply.md", "# Reply\n"),
            (
                "src/guide/a.md",
                "# A\n\nCall (reply, x) with\n[Reply](../ref/Reply.md).\n",
            ),
            (
                "out/guide/a.html",
                &format!(
                    "<header><nav>{link}</nav></header><aside>{link}</aside><main>with {link}"
                ),
            ),
        ],
        &[
            ("/ref/Reply.html", ".vitepress/config.mjs", 4),
            ("/ref/Reply.html", ".vitepress/config.mjs", 7),
            ("/ref/Reply.html", "guide/a.md", 4),
        ],
    );
}

#[test]
fn navigation_made_of_front_matter_comes_from_titles() {
    expect(
        &[
            ("src/hugo.toml", "baseURL = 'https://example.com/'\n"),
            ("src/themes/x/static/css/x.css", "@import 'no.css'"),
            (
                "src/content/docs/deep-page.md",
                "---\ntitle: A deep page\nlinkTitle: Deep\n---\n",
            ),
            (
                "src/content/docs/near.md",
                "---\ntitle: Near\ntags: [x,deep page]\n---\nThe `deep-page` is near.\n\n## Over here!\n",
            ),
            ("out/css/x.css", "@import 'no.css'"),
            (
                "out/docs/near/index.html",
                "<nav><a href='/docs/deep-page/'>Deep</a><a href='/docs/deep-page/'>Read on</a>\
                 <a href='/tags/deep-page/'>deep page</a><a href='/docs/gone/'>Gone</a></nav>",
            ),
        ],
        &[
            ("no.css", "themes/x/static/css/x.css", 1),
            ("/docs/deep-page/", "content/docs/deep-page.md", 3),
            ("/docs/deep-page/", "content/docs/deep-page.md", 2),
            ("/tags/deep-page/", "content/docs/near.md", 3),
            ("/docs/gone/", "content/docs/near.md", 0),
        ],
    );
}

#[test]
fn references_by_the_name_of_a_file_or_a_term_are_found() {
    let nav = "<nav><a href='/docs/other'>Other</a></nav>";
    expect(
        &[
            (
                "src/docusaurus.config.js",
                "module.exports = {baseUrl: '/', presets: [['classic', {}]]};\n",
            ),
            (
                "src/sidebars.js",
                "module.exports = {x: [\n  'TheOther',\n]};\n",
            ),
            ("src/docs/TheOther.md", "---\nslug: /other\n---\n# Other\n"),
            (
                "src/docs/near.md",
                "# Near\n\nother(1), the `<header>` and the\n[other page](TheOther.md).\n",
            ),
            (
                "out/docs/near.html",
                &format!("{nav}the <a href='/docs/other'>other page</a>"),
            ),
        ],
        &[
            ("/docs/other", "sidebars.js", 2),
            ("/docs/other", "docs/near.md", 4),
        ],
    );
    expect(
        &[
            ("src/conf.py", "extensions = ['myst_parser']\n"),
            (
                "src/index.md",
                "# A\n\n```{toctree}\n:hidden:\n\nterms\n```\n",
            ),
            ("src/near.md", "# A\n\nSee {term}`dict classes`.\n"),
            (
                "src/terms.md",
                "# Terms\n\n## Some more terms\n\n```{glossary}\ndict classes\n  x\n```\n",
            ),
            (
                "out/genindex.html",
                "<a href='terms.html#term-dict-classes'>dict classes</a>",
            ),
            (
                "out/index.html",
                "<a href='terms.html#some'>Some more terms</a>",
            ),
            (
                "out/near.html",
                "<a href='terms.html#term-dict-classes'>dict classes</a><a href='terms.html#term-x'>Terms</a>",
            ),
        ],
        &[
            ("terms.html#term-dict-classes", "terms.md", 6),
            ("terms.html#some", "terms.md", 3),
            ("terms.html#term-dict-classes", "near.md", 3),
            ("terms.html#term-x", "near.md", 0),
        ],
    );
}

#[test]
fn links_of_documented_code_come_from_its_comments() {
    let code = [
        "def other():\n    \"\"\"A class has :term:`slots` if it is small.\"\"\"\n",
        "\n\ndef make():\n    \"\"\"\n    Make a\n    :term:`slotted class <slots>` that is small.\n\n",
        "    Read the entry :term:`slots`.\n    \"\"\"\n",
    ];
    let page = "<p>Make a <a href='terms.html#term-slots'>slotted class</a> that is small.\n\
        <p>Read the entry <a href='terms.html#term-slots'>slots</a>.\n\
        <p>Not in the code: <a href='terms.html#term-slots'>slots</a>.";
    let files = |directive| {
        [
            ("src/conf.py", "extensions = []\n".to_owned()),
            ("src/api.rst", format!("A\n=\n\n.. {directive}:: x.make\n")),
            ("src/x.py", code.concat()),
            ("out/api.html", page.to_owned()),
        ]
    };
    let found = |directive, lines: [(&str, u64); 3]| {
        let files = files(directive);
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, &**text)).collect();
        expect(
            &files,
            &lines.map(|(path, line)| ("terms.html#term-slots", path, line)),
        );
    };
    found("autofunction", [("x.py", 8), ("x.py", 10), ("api.rst", 0)]);
    found("function", [("api.rst", 0); 3]);
}

#[test]
fn text_and_sarif_name_the_source() {
    let tree = Tree::new(&[
        ("src/a.md", "# A\n[b](b.html)\n"),
        ("out/a.html", "<a href='b.html'>b</a>"),
        ("out/c.html", "<a href='b.html'>b</a>"),
    ]);
    let audit = |flags: &[&str]| {
        let all = ["audit", "--sources", "src"].iter().chain(flags);
        tree.run(&all.copied().chain(["out"]).collect::<Vec<_>>())
    };
    let ran = audit(&["--group", "none"]);
    let line = "out/a.html:1:10: error[broken-file]: b.html (no such file) [from src/a.md:2]\n";
    assert!(ran.out.starts_with(line), "{}", ran.out);
    assert!(ran.out.ends_with("b.html (no such file)\n"), "{}", ran.out);
    assert!(
        audit(&[])
            .out
            .contains("    out/a.html:1:10: b.html [from src/a.md:2]\n")
    );
    let log: Value = serde_json::from_str(&audit(&["--format", "sarif"]).out).unwrap();
    let results = &log["runs"][0]["results"];
    let place = &results[0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/a.md");
    assert_eq!(place["region"]["startLine"], 2);
    assert!(results[1].get("relatedLocations").is_none());
    let without = tree.run(&["audit", "--json", "out"]).out;
    assert!(!without.contains("source_path"), "{without}");
    let ran = tree.run(&["audit", "--sources", "none", "out"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(
        ran.err.contains("--sources none: it is not a directory"),
        "{}",
        ran.err
    );
}
