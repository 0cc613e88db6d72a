//! The sources of sites: cases of `tests/vectors/sources/`, each a tree with all its findings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::cli::Tree;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let path = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &path);
        } else {
            fs::copy(entry.path(), path).unwrap();
        }
    }
}

/// Makes the root of an empty repository.
fn make_repository(at: &Path, origin: Option<&str>) {
    let git = at.join(".git");
    for name in ["objects", "refs/heads", "refs/tags"] {
        fs::create_dir_all(git.join(name)).unwrap();
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let mut config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n".to_owned();
    if let Some(origin) = origin {
        config += &format!("[remote \"origin\"]\n\turl = {origin}\n");
    }
    fs::write(git.join("config"), config).unwrap();
}

/// A finding: path, line, reference, rule.
type Row = (String, u64, String, String);

/// Files with their texts, and the findings in them.
type TreeCase<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);

fn rows(output: &str) -> Vec<Row> {
    let records = output
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let findings = records.filter(|record| record["type"] == "finding");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    findings
        .map(|found| {
            let line = found["line"].as_u64().unwrap_or_default();
            (
                text(&found["path"]),
                line,
                text(&found["reference"]),
                text(&found["rule"]),
            )
        })
        .collect()
}

/// Returns the differences between a case and the output.
fn differences(case: &Path) -> Vec<String> {
    let expected: Value =
        serde_json::from_str(&fs::read_to_string(case.join("expect.json")).unwrap()).unwrap();
    let work = tempfile::tempdir().unwrap();
    copy(&case.join("tree"), &work.path().join("tree"));
    if let Some(at) = expected["git"]["at"].as_str() {
        make_repository(&work.path().join(at), expected["git"]["origin"].as_str());
    }
    let args = expected["args"].as_array().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(["audit", "--json"])
        .args(args.iter().map(|arg| arg.as_str().unwrap()))
        .current_dir(work.path())
        .output()
        .unwrap();
    let mut found = rows(&String::from_utf8(ran.stdout).unwrap());
    let mut differences = Vec::new();
    for row in expected["findings"].as_array().unwrap() {
        let text = |at: usize| row[at].as_str().unwrap().to_owned();
        let rules = text(3);
        let place = (text(0), row[1].as_u64().unwrap(), text(2));
        let is_it = |found: &Row| {
            let (path, line, reference, rule) = found;
            *path == place.0
                && *line == place.1
                && *reference == place.2
                && rules.split('|').any(|one| one == rule)
        };
        match found.iter().position(is_it) {
            Some(at) => drop(found.remove(at)),
            None => differences.push(format!("missing {place:?} {rules}")),
        }
    }
    differences.extend(found.iter().map(|row| format!("false {row:?}")));
    if !matches!(ran.status.code(), Some(0 | 1)) {
        differences.push(String::from_utf8_lossy(&ran.stderr).into_owned());
    }
    differences
}

#[test]
fn each_case_has_exactly_its_findings() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/sources");
    let mut wrong = Vec::new();
    for case in fs::read_dir(folder).unwrap() {
        let case = case.unwrap().path();
        let name = case.file_name().unwrap().to_str().unwrap();
        let differences = differences(&case);
        wrong.extend(
            differences
                .iter()
                .map(|difference| format!("{name}: {difference}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_source_is_named_in_the_summary_and_by_an_option() {
    let tree = Tree::new(&[
        ("t/mkdocs.yml", "site_name: T\n"),
        (
            "t/docs/index.md",
            "[a](a.md) [b](a/) <a href=\"a.md\">c</a>\n",
        ),
        ("t/docs/a.md", "# A\n"),
    ]);
    let broken = "t/docs/index.md:1:28: error[broken-file]: a.md (no such file)\n";
    let ran = tree.run(&["audit", "t"]);
    assert_eq!(ran.out, broken, "{}", ran.err);
    assert!(
        ran.err.contains("t as the source of mkdocs (mkdocs.yml)\n"),
        "{}",
        ran.err
    );
    let ran = tree.run(&["audit", "--json", "t"]);
    assert!(
        ran.out.contains(r#""sources":["t=mkdocs (mkdocs.yml)"]"#),
        "{}",
        ran.out
    );
    for flags in [&["--source", "none"][..], &["--root", "t"]] {
        let ran = tree.run(&[&["audit"][..], flags, &["t"]].concat());
        assert!(!ran.err.contains("mkdocs"), "{}", ran.err);
        assert!(!ran.out.contains("1:28"), "{}", ran.out);
    }
    let ran = tree.run(&["audit", "--source", "none", "--source", "mkdocs=t", "t"]);
    assert_eq!(ran.out, broken, "{}", ran.err);
    let ran = tree.run(&["audit", "--source", "word=t", "t"]);
    assert!(ran.code == 2 && ran.err.contains("mkdocs"), "{}", ran.err);
}

#[test]
fn paths_of_pages_of_unknown_generators_are_skipped() {
    let tree = Tree::new(&[
        (
            "t/docs/a.md",
            "[b](/guide/b) [c](/guide/c/) [d](/guide/d) [e](/guide/e)\n",
        ),
        ("t/docs/guide/b.md", ""),
        ("t/docs/guide/c/index.md", ""),
        ("t/docs/guide/d/README.md", ""),
        (
            "t/docs/up.md",
            "[x](../../outside.md) [y](../../Outside.md) [z](../../none.md)\n",
        ),
        ("outside.md", ""),
    ]);
    let ran = tree.run(&["audit", "--no-messages", "t"]);
    let found: Vec<_> = ran
        .out
        .lines()
        .filter_map(|line| line.split(": ").nth(2))
        .collect();
    assert_eq!(ran.out.matches("broken-file").count(), 2, "{}", ran.out);
    assert_eq!(
        ran.out.matches("case-mismatch").count(),
        1,
        "{} {found:?}",
        ran.out
    );
}

#[test]
fn references_leave_a_named_directory_but_not_its_repository() {
    let text = "`x <../README.md>`_ `y <../../none.md>`_\n\n.. include:: ../CHANGES.rst\n";
    let tree = Tree::new(&[
        ("r/docs/a.rst", text),
        (
            "r/docs/b.adoc",
            "link:../README.md[] link:../../none.md[]\n",
        ),
        ("r/README.md", ""),
        ("r/CHANGES.rst", ""),
        ("none.md", ""),
    ]);
    make_repository(&tree.path().join("r"), None);
    let ran = tree.run(&["audit", "--no-messages", "r/docs"]);
    let outside = ran
        .out
        .matches("../../none.md (no such file: the reference escapes the root)");
    assert_eq!(outside.count(), 2, "{}", ran.out);
    assert_eq!(
        ran.out.matches("escapes the root").count(),
        2,
        "{}",
        ran.out
    );
}

/// References in it are the built site's, not the source's; named, it is checked by itself.
#[test]
fn the_built_site_beside_its_source_is_checked_where_it_is_named() {
    let next = "import nextra from 'nextra'\nexport default nextra()({})\n";
    let docusaurus = "module.exports = { presets: [['classic', {}]] }\n";
    let astro = "import starlight from '@astrojs/starlight'\n\
                 export default { integrations: [starlight({})] }\n";
    for (configuration, text, output) in [
        ("mkdocs.yml", "site_name: x\n", "site"),
        ("mkdocs.yml", "site_dir: out/x\n", "out/x"),
        ("hugo.toml", "publishDir = \"docs\"\n", "docs"),
        ("hugo.toml", "baseURL = \"/b/\"\n", "public"),
        (
            "config.toml",
            "base_url = \"/b/\"\noutput_dir = \"o\"\n",
            "o",
        ),
        ("_config.yml", "plugins: []\n", "_site"),
        ("docusaurus.config.js", docusaurus, "build"),
        ("astro.config.mjs", astro, "dist"),
        ("next.config.mjs", next, "out"),
        (
            ".vitepress/config.js",
            "export default {}\n",
            ".vitepress/dist",
        ),
        (".eleventy.js", "module.exports = () => {}\n", "_site"),
        ("book.toml", "[book]\n", "book"),
        ("book.json", "{}", "_book"),
        ("conf.py", "extensions = []\n", "_build"),
        ("source/conf.py", "extensions = []\n", "build"),
    ] {
        let tree = Tree::new(&[
            (configuration, text),
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".git/objects/x", ""),
            (".git/refs/x", ""),
            ("content/_index.md", ""),
            ("src/SUMMARY.md", ""),
            ("SUMMARY.md", ""),
        ]);
        let page = format!("{output}/a/index.html");
        tree.write(&page, b"<a href='/none'>x</a><a href='/a/'>a</a>");
        let ran = tree.run(&["audit", "--json", "--hidden", "."]);
        assert!(ran.out.contains("\"sources\":[\""), "{output}: {}", ran.out);
        assert_eq!(rows(&ran.out), [], "{output}");
        for named in [output, &page] {
            let ran = tree.run(&["audit", "--json", "--root", output, named]);
            let expected = (
                page.clone(),
                1,
                "/none".to_owned(),
                "broken-file".to_owned(),
            );
            assert_eq!(rows(&ran.out), [expected], "{named}");
        }
        let ran = tree.run(&["audit", "--json", output]);
        assert_eq!(rows(&ran.out).len(), 1, "{output}: {}", ran.out);
    }
}

#[test]
fn findings_in_configurations_have_their_paths_as_reached_from_the_arguments() {
    let tree = Tree::new(&[
        ("a/mkdocs.yml", "nav:\n  - gone.md\n"),
        ("a/docs/index.md", "[x](none.md)\n"),
    ]);
    let absolute = tree.path().join("a");
    let absolute = absolute.to_str().unwrap();
    for (named, start) in [
        (".", "a"),
        ("a/", "a"),
        ("./a", "./a"),
        (absolute, absolute),
    ] {
        let ran = tree.run(&["audit", "--json", named]);
        let paths: Vec<_> = rows(&ran.out).into_iter().map(|row| row.0).collect();
        let expected = ["docs/index.md", "mkdocs.yml"].map(|name| format!("{start}/{name}"));
        assert_eq!(paths, expected, "{named}");
    }
}

#[test]
fn pages_that_configurations_list_are_looked_up() {
    let tree = Tree::new(&[
        (
            "a/mkdocs.yml",
            "site_name: x\n# gone.md.\nexclude_docs: draft.md\nnav:\n  - index.md\n  - Part:\n    - Gone: gone.md\n    \
             - 'sub/Near.md'\n    - \"gone.md\"\n  - draft.md\n  - https://example.com/x.md\n  - '*.md'\n  - other/\n",
        ),
        ("a/docs/index.md", "# A\n"),
        ("a/docs/draft.md", "# A\n"),
        ("a/docs/sub/near.md", "# A\n"),
        ("b/mkdocs.yml", "plugins: [gen-files]\nnav: [gone.md]\n"),
        ("b/docs/index.md", "# A\n"),
        (
            "c/.vitepress/config.mjs",
            "export default {\n  themeConfig: {\n    logo: { link: '/no-logo' },\n    nav: [\n      \
             { text: 'x', link: '/guide/near#part' }, { text: 'x', link: 'https://example.com/' },\n      \
             { text: 'x', link: '/app/', target: '_blank' }, { text: 'x', link: '/gone.html?x#part' },\n    ],\n    \
             sidebar: {\n      '/guide/': { base: '/guide/', items: [\n        { text: 'x', link: 'near' },\n        \
             { text: 'x', link: 'far' },\n        { text: 'x', items: [{ link: '/deep' }] },\n      ] },\n      \
             '/all/': { base: computed(), items: [{ link: 'none' }] },\n      '/more/': more(),\n    },\n  },\n  \
             locales: {\n    fr: { themeConfig: { nav: [{ link: '/fr/' }, { link: '/' }] } },\n  },\n}\n",
        ),
        ("c/index.md", "# A\n"),
        ("c/guide/near.md", "# A\n"),
    ]);
    let ran = tree.run(&["audit", "--json", "."]);
    let expected = [
        ("a/mkdocs.yml", 7, "gone.md", "broken-file"),
        ("a/mkdocs.yml", 8, "sub/Near.md", "case-mismatch"),
        ("a/mkdocs.yml", 10, "draft.md", "broken-file"),
        (
            "c/.vitepress/config.mjs",
            6,
            "/gone.html?x#part",
            "broken-file",
        ),
        ("c/.vitepress/config.mjs", 11, "far", "broken-file"),
        ("c/.vitepress/config.mjs", 12, "/deep", "broken-file"),
        ("c/.vitepress/config.mjs", 19, "/fr/", "broken-file"),
    ];
    let mut found = rows(&ran.out);
    found.sort();
    let own = |(path, line, reference, rule): (&str, _, &str, &str)| {
        (path.to_owned(), line, reference.to_owned(), rule.to_owned())
    };
    assert_eq!(found, expected.map(own));
    // Sites above the named directory are not audited.
    assert_eq!(tree.run(&["audit", "a/docs"]).code, 0);
}

#[test]
fn configurations_below_the_folder_of_a_named_file_are_not_audited() {
    let tree = Tree::new(&[
        ("m/f.md", "[a](sub/docs/index.md)\n"),
        ("m/sub/mkdocs.yml", "site_name: x\nnav: [none.md]\n"),
        ("m/sub/docs/index.md", "# A\n"),
    ]);
    for is_repository in [false, true] {
        if is_repository {
            make_repository(&tree.path().join("m"), None);
        }
        for (path, code, findings) in [
            ("m/f.md", 0, 0),
            ("m/gone.md", 2, 0),
            ("m/sub/docs/index.md", 0, 0),
            ("m", 1, 1),
            ("m/sub", 1, 1),
            ("m/sub/mkdocs.yml", 1, 1),
        ] {
            let ran = tree.run(&["audit", path]);
            assert_eq!(ran.code, code, "{path}: {}{}", ran.out, ran.err);
            assert_eq!(ran.out.matches("none.md").count(), findings, "{path}");
        }
    }
}

#[cfg(unix)]
#[test]
fn configurations_that_are_pipes_are_not_waited_for() {
    let docusaurus = "module.exports = {presets: [['classic', {docs: {}}]]}";
    let files = [
        ("docs/a.md", "[b](b.md)\n"),
        ("docs/docusaurus.config.js", docusaurus),
        ("docs/eleventy.config.js", "module.exports = (config) => {}"),
        ("git/a.md", "[b](b.md)\n"),
    ];
    let pipes = [
        "docs/.git",
        "docs/vercel.json",
        "docs/package.json",
        "docs/docs/_category_.json",
        "docs/a.json",
        "docs/sphinx/conf.py",
        "git/.git/config",
        "git/.git/HEAD",
    ];
    for pipe in pipes {
        let tree = Tree::new(&files);
        let path = tree.path().join(pipe);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let root = pipe.split_once('/').unwrap().0;
        let ran = tree.run(&["audit", root]);
        assert_eq!(ran.code, 1, "{pipe}: {}", ran.err);
    }
}

/// Each as in the output of the generator.
#[test]
fn references_in_forms_that_a_generator_does_not_read_are_broken() {
    let starlight = |options: &str, more: &str| {
        format!(
            "import starlight from '@astrojs/starlight'\n\
             export default {{ {options} integrations: [starlight({{ {more} }})] }}\n"
        )
    };
    let files = starlight("base: '/w', build: {format: 'file'},", "");
    let sidebar = "sidebar: [{link: '/a/'}, {items: [{link: '/gone/'}]}, {link: '/p.txt'}], \
                   locales: {de: {}}, defaultLocale: 'de'";
    let sidebar = starlight("base: '/w',", sidebar);
    let page = "src/content/docs/a.md";
    let cases: [TreeCase<'_>; 5] = [
        (
            &[
                (".vitepress/config.mjs", "export default { base: '/w/' }\n"),
                (
                    "a.md",
                    "[a](/a) <a href=\"/a\">a</a> <a href=\"/w/a\">a</a> <a href=\"a\">a</a> <L to=\"/a\"/> \
                     <video src=\"/a.mp4\"><source src=\"/a.mp4\"></video>\n",
                ),
                ("public/a.mp4", ""),
            ],
            &["/a outside-root"],
        ),
        (
            &[
                ("conf.py", "extensions = ['myst_parser']\n"),
                (
                    "a.md",
                    "# A\n\n[](a) [](a.md#a) [](a#a) [](project:a.md) [](<project:a>) {doc}`a`\n",
                ),
            ],
            &["a#a broken-file", "project:a broken-file"],
        ),
        (
            &[
                ("book.toml", "[book]\n"),
                ("src/SUMMARY.md", "[A](a.md)\n[B](b.md)\n"),
                ("src/a.md", "{{#include part.txt}}\n\n[](#part) [](#none)\n"),
                ("src/part.txt", "## Part\n"),
                ("src/b.md", "{{#include text.txt}}\n\n[](#part)\n"),
                ("src/text.txt", "No heading.\n"),
            ],
            &["#part broken-fragment"],
        ),
        (
            &[
                ("astro.config.mjs", &files),
                (
                    page,
                    "---\ntitle: a\n---\n[](/w/a) [](/w/a/) [](/w/a.html) [](./a) [](/w/b)\n",
                ),
            ],
            &["/w/b broken-file"],
        ),
        (
            &[
                ("astro.config.mjs", &sidebar),
                ("src/content/docs/de/a.md", "---\ntitle: a\n---\n"),
                ("public/de/p.txt", ""),
            ],
            &["/gone/ broken-file"],
        ),
    ];
    for (files, expected) in cases {
        let ran = Tree::new(files).run(&["audit", "--json", "."]);
        let found = rows(&ran.out).into_iter();
        let found: Vec<_> = found
            .map(|(_, _, reference, rule)| format!("{reference} {rule}"))
            .collect();
        assert_eq!(found, expected, "{}", files[0].0);
    }
}

/// Each as in the output of the generator.
#[test]
fn references_that_plugins_and_settings_serve_are_not_broken() {
    let eleventy = |lines: &str| format!("module.exports = function (c) {{ {lines} }};\n");
    let ids = eleventy("c.addPlugin(IdAttributePlugin);");
    let plain = eleventy("");
    let based = eleventy("c.addPlugin(HtmlBasePlugin); return { pathPrefix: '/pre/' };");
    let locales = "import starlight from '@astrojs/starlight'\n\
                   export default { integrations: [starlight({ locales: { root: {}, de: {} } })] }\n";
    let cases: &[TreeCase<'_>] = &[
        // Eleventy: a plugin gives ids to the headings of HTML, too.
        (
            &[
                (".eleventy.js", &ids),
                ("page.html", "<h2>Intro</h2>\n"),
                ("a.md", "[a](/page/#intro) [b](/gone/)\n"),
            ],
            &["/gone/ broken-file"],
        ),
        // Eleventy: lines of its ignore files are paths from the project.
        (
            &[
                (".eleventy.js", &plain),
                (".eleventyignore", "README.md\ndrafts\n"),
                ("README.md", ""),
                ("drafts/x.md", ""),
                ("sub/README.md", ""),
                ("sub/drafts/y.md", ""),
                (
                    "a.md",
                    "[a](/sub/README/) [b](/sub/drafts/y/) [c](/README/) [d](/drafts/x/)\n",
                ),
            ],
            &["/README/ broken-file", "/drafts/x/ broken-file"],
        ),
        // Eleventy: the plugin that adds the base leaves the base itself.
        (
            &[
                (".eleventy.js", &based),
                ("index.md", "# A\n"),
                ("a.md", "[a](/pre/) [b](/a/) [c](/pre/a/)\n"),
            ],
            &["/pre/a/ broken-file"],
        ),
        // Starlight: a page with a slug is the fallback of other locales.
        (
            &[
                ("astro.config.mjs", locales),
                (
                    "src/content/docs/s.md",
                    "---\ntitle: s\nslug: own/path\n---\n",
                ),
                (
                    "src/content/docs/de/a.md",
                    "---\ntitle: a\n---\n[a](/own/path/) [b](/de/own/path/) [c](/de/s/)\n",
                ),
            ],
            &["/de/s/ broken-file"],
        ),
        // Antora: without a version, a resource is of the latest.
        (
            &[
                ("docs/antora.yml", "name: mill\nversion: '10.0'\n"),
                ("docs/modules/ROOT/pages/a.adoc", "= A\n\n== New head\n"),
                ("docs-old/antora.yml", "name: mill\nversion: '9.1'\n"),
                ("docs-old/modules/ROOT/pages/a.adoc", "= A\n\n== Old head\n"),
                ("other/antora.yml", "name: river\nversion: ~\n"),
                (
                    "other/modules/ROOT/pages/b.adoc",
                    "= B\n\nxref:mill::a.adoc#_new_head[a] xref:mill::a.adoc#_old_head[b] xref:9.1@mill::a.adoc#_old_head[c]\n",
                ),
            ],
            &["mill::a.adoc#_old_head broken-fragment"],
        ),
        // Antora: only includes read what it does not publish.
        (
            &[
                ("antora.yml", "name: mill\nversion: ~\n"),
                ("modules/ROOT/pages/_hid.adoc", "= H\n\nxref:gone.adoc[x]\n"),
                ("modules/ROOT/examples/e.rb", ""),
                ("modules/ROOT/partials/p.adoc", ""),
                (
                    "modules/ROOT/pages/a.adoc",
                    "= A\n\nxref:_hid.adoc[a] xref:example$e.rb[b] xref:partial$p.adoc[c] xref:a.adoc[d]\n\ninclude::partial$p.adoc[]\n\ninclude::example$e.rb[]\n\ninclude::page$_hid.adoc[]\n",
                ),
            ],
            &[
                "_hid.adoc broken-file",
                "example$e.rb broken-file",
                "partial$p.adoc broken-file",
            ],
        ),
        // Hexo: names that do not match the pattern become slugs.
        (
            &[
                (
                    "_config.yml",
                    "new_post_name: :year-:month-:day-:title.md\npermalink: blog/:title/\n",
                ),
                ("package.json", "{\"hexo\": {}}\n"),
                ("source/_posts/sub/deep.md", "---\ndate: 2024-01-02\n---\n"),
                ("source/_posts/a.b.md", "---\n---\n"),
                ("source/_posts/X Y.md", "---\n---\n"),
                ("source/_posts/2024-01-02-in.md", "---\n---\n"),
                (
                    "source/a.md",
                    "---\n---\n[a](/blog/sub-deep/) [b](/blog/a-b/) [c](/blog/X-Y/) [d](/blog/in/) [e](/blog/sub/deep/)\n",
                ),
            ],
            &["/blog/sub/deep/ broken-file"],
        ),
        // Hexo: renderers make style sheets of the theme.
        (
            &[
                ("_config.yml", "theme: land\n"),
                ("package.json", "{\"hexo\": {}}\n"),
                ("themes/land/source/css/style.styl", ""),
                (
                    "source/a.md",
                    "---\n---\n<link rel=\"stylesheet\" href=\"/css/style.css\"> <link rel=\"stylesheet\" href=\"/css/gone.css\">\n",
                ),
            ],
            &["/css/gone.css broken-file"],
        ),
        // MkDocs: a link out of the content.
        (
            &[
                (
                    "mkdocs.yml",
                    "site_name: x\nsite_url: https://example.com/p/\n",
                ),
                ("README.md", ""),
                ("docs/index.md", "[a](../README.md) [b](../../other/)\n"),
            ],
            &["../README.md broken-file", "../../other/ outside-root"],
        ),
        // VitePress: expressions in rewrites are not decided.
        (
            &[
                (
                    ".vitepress/config.mjs",
                    "export default { rewrites: { 'src/(.*)': '(.*)' } }\n",
                ),
                ("src/b.md", "# B\n"),
                ("a.md", "[a](/b) [b](/none)\n"),
            ],
            &[],
        ),
        // Zola: names in other scripts are written in ASCII.
        (
            &[
                ("config.toml", "base_url = '/'\n"),
                ("content/_index.md", "+++\n+++\n"),
                (
                    "content/blog/_index.md",
                    "+++\n+++\n[a](/blog/privet/) [b](@/blog/привет.md) [c](/privet/)\n",
                ),
                ("content/blog/привет.md", "+++\n+++\n"),
            ],
            &["/privet/ broken-file"],
        ),
    ];
    for &(files, expected) in cases {
        let ran = Tree::new(files).run(&["audit", "--json", "."]);
        let found = rows(&ran.out).into_iter();
        let found: Vec<_> = found
            .map(|(_, _, reference, rule)| format!("{reference} {rule}"))
            .collect();
        assert_eq!(found, expected, "{}", files[1].0);
    }
}

#[test]
fn references_that_hugo_and_jekyll_serve_or_show_as_code_are_not_broken() {
    let hugo = "baseURL = '/'\nlanguageCode = 'en'\n[permalinks]\nposts = '/:year/:slug/'\n";
    let page = "---\ntitle: b\ndate: 2024-01-02\n---\n";
    let bundle =
        format!("{page}![a](a.png) ![b](sub/a.png) ![c](c.png) {{{{< figure src=\"a.png\" >}}}}\n");
    let code =
        format!("{page}{{{{< highlight md >}}}}\n[x](none)\n{{{{< /highlight >}}}}\n\n[y](gone)\n");
    let languages = format!("{hugo}[languages.en]\n[languages.de]\n");
    let cases: [TreeCase<'_>; 3] = [
        (
            &[
                ("hugo.toml", hugo),
                ("content/posts/b/index.md", &bundle),
                ("content/posts/b/a.png", ""),
                ("content/posts/b/sub/a.png", ""),
                ("content/posts/d.md", &code),
            ],
            &["c.png", "gone"],
        ),
        (
            &[
                ("hugo.toml", &languages),
                ("content/one/_index.md", page),
                ("content/one/sub/a.de.md", page),
                ("content/two/_index.md", page),
                (
                    "content/_index.md",
                    "[a](/de/one/) [b](/two/) [c](/de/two/)\n",
                ),
            ],
            &["/de/two/"],
        ),
        (
            &[
                ("_config.yml", "theme: x\n"),
                (
                    "a.md",
                    "---\n---\n{% highlight md linenos %}\n[x](none)\n{% endhighlight %}\n{% raw %}[y](gone){% endraw %}\n",
                ),
            ],
            &["gone"],
        ),
    ];
    for (files, expected) in cases {
        let ran = Tree::new(files).run(&["audit", "--json", "."]);
        let found: Vec<_> = rows(&ran.out).into_iter().map(|(_, _, it, _)| it).collect();
        assert_eq!(found, expected, "{}", files[1].0);
    }
}

#[test]
fn references_that_tags_of_jekyll_make_in_html_are_decided() {
    let tree = Tree::new(&[
        (
            "_config.yml",
            "baseurl: /b\nurl: https://example.com\nplugins: []\n",
        ),
        (
            "index.html",
            "---\n---\n<a href=\"{{ site.baseurl }}/docs/a.html\"><a href=\"{{ site.baseurl }}/gone.html\">\n\
             <a href=\"{{ '/docs/a.html' | relative_url }}#x\"><a href=\"{{site.url}}{{site.baseurl}}/gone.html\">\n\
             <a href=\"{% link docs/a.md %}\"><a href=\"{% link gone.md %}\"><a href=\"{{ site.baseurl }}/{{ page.lang }}/x.html\">\n",
        ),
        ("copied.html", "<a href=\"{{ site.baseurl }}/gone.html\">\n"),
        ("docs/a.md", "---\n---\n# X\n"),
    ]);
    let ran = tree.run(&["audit", "--json", "."]);
    let findings = rows(&ran.out);
    let found: Vec<_> = findings
        .iter()
        .map(|(path, line, reference, _)| (&**path, *line, &**reference))
        .collect();
    assert_eq!(
        found,
        [
            ("index.html", 3, "{{ site.baseurl }}/gone.html"),
            ("index.html", 4, "{{site.url}}{{site.baseurl}}/gone.html"),
            ("index.html", 5, "{% link gone.md %}"),
        ]
    );
    // Only the template names the page.
    let ran = tree.run(&["mv", "docs/a.md", "docs/c.md"]);
    ran.tells(2, "", "index.html:5: {% link docs/a.md %}: ");
}

#[test]
fn refs_of_hugo_ignore_the_case() {
    let names = "docs/pier PIER pier.md /DOCS/Pier.md Docs DOCS/b quay".split(' ');
    let refs = names.map(|name| format!("{{{{< ref \"{name}\" >}}}}\n"));
    let page = "---\ntitle: p\n---\n";
    let tree = Tree::new(&[
        ("hugo.toml", ""),
        ("content/docs/Pier.md", page),
        ("content/docs/B/index.md", page),
        (
            "content/_index.md",
            &format!("{page}{}", refs.collect::<String>()),
        ),
    ]);
    let found = rows(&tree.run(&["audit", "--json", "."]).out);
    let found: Vec<_> = found.iter().map(|(_, _, reference, _)| reference).collect();
    assert_eq!(found, ["quay"]);
}

#[test]
fn environments_of_hugo_are_not_sites() {
    let tree = Tree::new(&[
        ("config/_default/hugo.yaml", "baseURL: /\n"),
        ("config/production/hugo.yaml", "baseURL: /p/\n"),
        ("content/_index.md", ""),
    ]);
    let ran = tree.run(&["audit", "--group", "none", "."]);
    let summary = ran.out.clone() + &ran.err;
    assert_eq!(summary.matches("hugo (").count(), 1, "{summary}");
}

#[test]
fn urls_that_hugo_makes_are_found() {
    const PAGE: &str = "---\ntitle: p\n---\n";
    let home = |links: &str| {
        let links = links.split(' ').map(|link| format!("[x]({link})\n"));
        format!("{PAGE}{}", links.collect::<String>())
    };
    let permalinks = "baseURL = '/'\n[permalinks]\nposts = '/:year/:month/:title/'\nnews = '/n/:weekday/:slug/'\n";
    let page = |title: &str, more: &str| {
        format!("---\ntitle: \"{title}\"\ndate: 2024-05-01\n{more}\n---\n")
    };
    let titles = [
        page("A fine Day", "aliases: [rel, /old/]"),
        page("C++ & Rust: new (1)", ""),
        page("ISΣ", "url: /fix/y/\naliases: [rel]"),
    ];
    let computed = [
        page("n", ""),
        page("m", "url: /m/"),
        page("o", "aliases: /o/"),
    ];
    let one = home(
        "/2024/05/a-fine-day/ /2024/05/rel/ /old/ /2024/05/c-rust-new-1/ /fix/y/ /fix/rel/ /2024/05/x/ /posts/rel/",
    );
    let undecided = home("/n/3/n/ /m/ /p/");
    let names = home(
        "/a-b/ /a--b/ /c--d/ /c----d/ /x-y/ /x--y/ /e-f/ /50-off/ /100/ /c++-rust-new/ /a%2520b/ /ισ/ /a/ /50%25-off/",
    );
    let languages = "defaultContentLanguage = 'fr'\n[languages.fr]\n[languages.de]\n";
    let below = format!("defaultContentLanguageInSubdir = true\n{languages}");
    let of_languages = home(
        "/index.xml /404.html /sitemap.xml /de/ /de/index.xml /de/404.html /de/sitemap.xml /fr/ /fr/sitemap.xml /fr/index.xml /en/",
    );
    let ugly = home(
        "/docs.html /docs/index.xml /tags.html /tags/t.html /docs/b/ /docs/b.html /docs/a.html /docs/a/",
    );
    let files = home(
        "/Docs/Pic%20Dir/a.png /docs/Pic%20Dir/a.png /docs/Top.png /Docs/Top.png /docs/sub-dir/b/Img/A.png /docs/pic-dir/a.png /only/ /only/o.png",
    );
    let cases: &[TreeCase<'_>] = &[
        (
            &[
                ("hugo.toml", permalinks),
                ("content/posts/x.md", &titles[0]),
                ("content/posts/y.md", &titles[1]),
                ("content/posts/z.md", &titles[2]),
                ("content/_index.md", &one),
            ],
            &["/2024/05/x/", "/posts/rel/"],
        ),
        (
            &[
                ("hugo.toml", permalinks),
                ("content/news/x.md", &computed[0]),
                ("content/news/y.md", &computed[1]),
                ("content/_index.md", &undecided),
            ],
            &["/p/"],
        ),
        (
            &[
                ("hugo.toml", permalinks),
                ("content/news/x.md", &computed[2]),
                ("content/_index.md", &undecided),
            ],
            &[],
        ),
        (
            &[
                ("hugo.toml", ""),
                ("content/a & b.md", PAGE),
                ("content/c -- d.md", PAGE),
                ("content/x  y.md", PAGE),
                ("content/e \u{2013} f.md", PAGE),
                ("content/50% off.md", PAGE),
                ("content/100%.md", PAGE),
                ("content/C++ & Rust (new).md", PAGE),
                ("content/a%20b.md", PAGE),
                ("content/ΙΣ.md", PAGE),
                ("content/_index.md", &names),
            ],
            &["/a/", "/50%25-off/"],
        ),
        (
            &[
                ("hugo.toml", languages),
                ("content/_index.md", &of_languages),
            ],
            &["/fr/index.xml", "/en/"],
        ),
        (
            &[("hugo.toml", &below), ("content/_index.md", &of_languages)],
            &["/index.xml", "/404.html", "/en/"],
        ),
        (
            &[
                ("hugo.toml", "uglyURLs = true\n"),
                ("content/docs/a.md", PAGE),
                ("content/docs/b/index.md", PAGE),
                ("content/_index.md", &ugly),
            ],
            &["/docs/a/"],
        ),
        (
            &[
                ("hugo.toml", ""),
                ("content/Docs/a.md", PAGE),
                ("content/Docs/Top.png", ""),
                ("content/Docs/Pic Dir/a.png", ""),
                ("content/Docs/Sub Dir/b/index.md", PAGE),
                ("content/Docs/Sub Dir/b/Img/A.png", ""),
                ("content/only/o.png", ""),
                ("content/_index.md", &files),
            ],
            &["/docs/pic-dir/a.png", "/only/"],
        ),
    ];
    for (files, expected) in cases {
        let ran = Tree::new(files).run(&["audit", "--json", "."]);
        let found: Vec<_> = rows(&ran.out).into_iter().map(|(_, _, it, _)| it).collect();
        assert_eq!(found, *expected, "{files:?}");
    }
}
