//! Findings that comments and entries of the configuration ignore, undefined labels, templates.

use crate::cli::Tree;

/// Returns the lines of the audit and the last record of the summary.
fn audit(tree: &Tree, flags: &[&str]) -> (Vec<String>, serde_json::Value) {
    let ran = tree.run(&[&["audit", "--root", "docs", "--json"], flags].concat());
    let records = ran.out.lines();
    let records: Vec<serde_json::Value> = records
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let findings = records.iter().filter(|record| record["type"] == "finding");
    let show = |record: &serde_json::Value| {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        let (path, rule, reference) = (text("path"), text("rule"), text("reference"));
        format!("{path}:{} {rule} {reference}", record["line"])
    };
    let findings = findings.map(show).collect();
    (findings, records.last().unwrap().clone())
}

const PAGE: &str = "<!doctype html>
<!-- uriscan-ignore-next-line broken-file: made by the build -->
<a href=a.html>x</a> <a href=#none>x</a>
<a href=b.html>x</a>
<!--uriscan-ignore: old-->
<a href=c.html>x</a>
<!-- uriscan-ignore
  broken-fragment -->
<a href=d.html>x</a> <a href=#gone>x</a>
<!-- uriscan-ignore-end -->
<!-- uriscan-ignore-end -->
<a href=e.html>x</a>
<!-- uriscan-ignore-next-line -->

<!-- uriscan-ignored by nobody -->
<script>'<!-- uriscan-ignore-next-line -->'</script>
<a href=f.html>x</a>
";

#[test]
fn comments_ignore_findings_and_unused_ones_are_findings() {
    let tree = Tree::new(&[("docs/index.html", PAGE)]);
    let expected = [
        "docs/index.html:3 broken-fragment #none",
        "docs/index.html:4 broken-file b.html",
        "docs/index.html:12 broken-file e.html",
        "docs/index.html:17 broken-file f.html",
        "docs/index.html:13 unused-ignore uriscan-ignore-next-line",
        "docs/index.html:15 unused-ignore uriscan-ignored by nobody",
    ];
    let (findings, summary) = audit(&tree, &[]);
    assert_eq!(findings, expected);
    assert_eq!(summary["ignored"], 4);
    // A comment may be cut anywhere.
    for window in 1..80 {
        let (findings, _) = audit(&tree, &["--window", &window.to_string()]);
        assert_eq!(findings, expected, "windows of {window} bytes");
    }
    let (findings, _) = audit(&tree, &["--allow", "unused-ignore", "-j", "1"]);
    assert_eq!(findings, expected[..4]);
    let ran = tree.run(&["audit", "--root", "docs"]);
    assert!(ran.err.contains("4 ignored"), "{}", ran.err);
}

#[test]
fn many_comments_and_findings_take_linear_time_and_are_the_same_for_any_number_of_workers() {
    // A search through all comments for each finding would take minutes.
    let count = crate::rounds(5_000, 20_000);
    let comments = "<!-- uriscan-ignore-next-line orphan -->".repeat(count);
    let regions = "<!-- uriscan-ignore orphan -->\n".repeat(count);
    let links = "<a href=gone.html>x</a>".repeat(count);
    let planted = |number: u32| match number % 3 {
        0 => "<!-- uriscan-ignore-next-line broken-file: x -->\n<a href=gone.html>x</a>\n",
        1 => {
            "<!-- uriscan-ignore -->\n<a href=gone.html>x</a> <a href='#no'>x</a>\n<!-- uriscan-ignore-end -->\n"
        }
        _ => "<a href=gone.html>x</a>\n",
    };
    let mut files = vec![(
        "docs/many.html".to_owned(),
        format!("{regions}{comments}\n{links}"),
    )];
    for number in 0..99 {
        files.push((format!("docs/{number}.html"), planted(number).to_owned()));
    }
    let files: Vec<_> = (files.iter())
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let tree = Tree::new(&files);
    let (findings, summary) = audit(&tree, &["-j", "1"]);
    let found = |rule: &str| findings.iter().filter(|line| line.contains(rule)).count();
    assert_eq!(found("broken-file"), count + 33);
    assert_eq!(found("unused-ignore"), 2 * count);
    assert_eq!(summary["ignored"], 33 + 66);
    assert_eq!(audit(&tree, &["-j", "4"]), (findings, summary));
}

#[test]
fn comments_in_markdown_ignore_findings() {
    let page = "# a\n\n<!-- uriscan-ignore-next-line: later -->\n[x](a.md) [y][nowhere]\n\n\
                text <!-- uriscan-ignore --> [x](b.md) <!-- uriscan-ignore-end --> [x](c.md)\n\n\
                `<!-- uriscan-ignore -->`\n\n    <!-- uriscan-ignore -->\n\n[x](d.md)\n";
    let tree = Tree::new(&[("docs/a b.md", page)]);
    let (findings, summary) = audit(&tree, &[]);
    assert_eq!(
        findings,
        [
            "docs/a b.md:6 broken-file c.md",
            "docs/a b.md:12 broken-file d.md"
        ]
    );
    assert_eq!(summary["ignored"], 3);
}

#[test]
fn comments_in_style_sheets_ignore_findings() {
    let sheet = "/* uriscan-ignore-next-line: made later */\na { background: url(a.png) }\n\
                 b { background: url(b.png) }\n/* uriscan-ignore broken-file */ c { background: url(c.png) }\n\
                 /* uriscan-ignore-end */ d { background: url(d.png) } /* uriscan-ignore-next-line */\n";
    let tree = Tree::new(&[("docs/a.css", sheet)]);
    let expected = [
        "docs/a.css:3 broken-file b.png",
        "docs/a.css:5 broken-file d.png",
        "docs/a.css:5 unused-ignore uriscan-ignore-next-line",
    ];
    for window in ["1", "2", "3", "7", "20", "33", "100000"] {
        let (findings, summary) = audit(&tree, &["--window", window]);
        assert_eq!(findings, expected, "windows of {window} bytes");
        assert_eq!(summary["ignored"], 2);
    }
}

#[test]
fn comments_in_style_elements_ignore_findings() {
    let page = "<!doctype html>\n<style>\n/* uriscan-ignore-next-line: made later */\n\
                a { background: url(a.png) }\n\
                b { background: url(b.png); content: '/* uriscan-ignore */' }\n\
                /* uriscan-ignore broken-file */ c { background: url(c.png) }\n\
                /* uriscan-ignore-end */ d { background: url(d.png) } /* uriscan-ignore-next-line */\n\
                </style>\n<p title='/* uriscan-ignore */'>/* uriscan-ignore */ <a href=e.png>x</a>\n";
    // The markup in a style element of SVG has the page read as a tree.
    let exact = page.replace(
        "<p title",
        "<svg><style><a href=f.png></a></style></svg><p title",
    );
    let expected = [
        "docs/a.html:5 broken-file b.png",
        "docs/a.html:7 broken-file d.png",
        "docs/a.html:9 broken-file e.png",
        "docs/a.html:7 unused-ignore uriscan-ignore-next-line",
    ];
    let tree = Tree::new(&[("docs/a.html", page)]);
    for window in ["1", "2", "3", "7", "20", "33", "100000"] {
        let (findings, summary) = audit(&tree, &["--window", window]);
        assert_eq!(findings, expected, "windows of {window} bytes");
        assert_eq!(summary["ignored"], 2);
    }
    tree.write("docs/a.html", exact.as_bytes());
    let (mut findings, summary) = audit(&tree, &[]);
    findings.retain(|line| !line.ends_with("f.png"));
    assert_eq!(findings, expected);
    assert_eq!(
        (&summary["ignored"], &summary["exact"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn entries_of_the_configuration_ignore_findings() {
    let tree = Tree::new(&[
        ("docs/a.md", "[x](gone.md) [x](gone.md#y) [x](#z)\n"),
        ("docs/old/b.md", "[x](gone.md)\n[x](other.md)\n"),
        (
            "uriscan.toml",
            "fail-on = 'error'\nignore = [\n  { rule = 'broken-file', target = 'gone.md', reason = 'later' },\n  \
             { path = 'docs/old/**', target = 'other*', until = 2999-12-31 },\n  \
             { rule = 'broken-fragment', until = '2001-01-01' },\n  { rule = 'orphan', path = 'x' },\n]\n",
        ),
    ]);
    let (findings, summary) = audit(&tree, &[]);
    assert_eq!(
        findings,
        [
            "docs/a.md:1 broken-fragment #z",
            "uriscan.toml:5 unused-ignore rule broken-fragment until 2001-01-01: its last day has passed",
            "uriscan.toml:6 unused-ignore rule orphan path x",
        ]
    );
    assert_eq!(summary["ignored"], 4);
    let (all, _) = audit(&tree, &["--no-config"]);
    assert_eq!(all.len(), 5, "{all:?}");
    for threads in ["1", "4"] {
        assert_eq!(audit(&tree, &["-j", threads]).0, findings);
    }
    // What a configuration ignores is told as what it lowers.
    let ran = tree.run(&["audit"]);
    assert!(
        ran.err
            .contains("ignored by it: rule broken-file target gone.md (later); "),
        "{}",
        ran.err
    );
}

#[test]
fn wrong_entries_of_the_configuration_are_errors() {
    for (entry, reason) in [
        (
            "{ rule = 'no-such-rule' }",
            "uriscan.toml:2: unknown rule no-such-rule",
        ),
        ("{ reason = 'x' }", "needs a rule, a target or a path"),
        ("{ path = 'x', until = 'soon' }", "`until` is a date"),
        (
            "{ path = 'x', until = '2030-02-31' }",
            "2030-02-31 is not a valid date",
        ),
        ("{ path = 'x', until = 2030-02-31 }", "uriscan.toml:2"),
        ("{ path = 'x', untli = 'soon' }", "did you mean `until`?"),
        ("{ path = 1 }", "`path` is a string, not a number"),
        ("'x'", "an entry of `ignore` is a table, not a string"),
    ] {
        let config = format!("paths = '.'\nignore = [{entry}]\n");
        let tree = Tree::new(&[("a.md", "x"), ("uriscan.toml", &config)]);
        let ran = tree.run(&["audit"]);
        assert_eq!(ran.code, 2, "{entry}");
        assert!(ran.err.contains(reason), "{entry}: {}", ran.err);
    }
}

#[test]
fn undefined_labels_are_findings() {
    let page = "[a][known] [b][nowhere] ![c][no image] [Known][] [gone][]\n\n\
                a[i][j] [0][12] `[x][y]` \\[x][y] [^1][^2] [ ][z] [shortcut] [x][a::b]\n\n\
                - [ ] [task]\n- [x][y] z\n\n> [!NOTE]\n> ({{ x }}) [q][{{ label }}]\n\n\
                ```\n[x][y]\n```\n\n[known]: page.md\n";
    let tree = Tree::new(&[("docs/page.md", page)]);
    let (findings, summary) = audit(&tree, &[]);
    assert_eq!(
        findings,
        [
            "docs/page.md:1 undefined-reference nowhere",
            "docs/page.md:1 undefined-reference no image",
            "docs/page.md:1 undefined-reference gone",
        ]
    );
    assert_eq!(summary["findings"]["error"], 0);
    let (findings, _) = audit(&tree, &["--allow", "undefined-reference"]);
    assert_eq!(findings, [""; 0]);
    // Pandoc links the texts of headings, and a plugin of MkDocs words.
    let tree = Tree::new(&[(
        "docs/page.md",
        "# Big Title\n\n[a][big title] [b][module.Name]\n",
    )]);
    let count = |slug: &str| audit(&tree, &["--slug", slug]).0.len();
    assert_eq!(
        [count("github"), count("pandoc"), count("mkdocs")],
        [2, 1, 1]
    );
}

#[test]
fn references_with_placeholders_are_skipped() {
    let page = "[x]({{site.url}}/a) ![x](${DIR}/b.png) [x](<{% link a.md %}>)\n\n\
                <a href=\"<%= path %>\">x</a> <img src='#{x}.png'>\n";
    let html = "<a href=\"{{ url }}\">x</a>";
    let tree = Tree::new(&[("docs/page.md", page), ("docs/page.html", html)]);
    let (findings, summary) = audit(&tree, &[]);
    assert_eq!(findings, [""; 0]);
    assert_eq!(summary["skipped"], 6);
    let ran = tree.run(&["--json", "docs/page.md"]);
    for line in ran.out.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let (target, error) = (&record["target"], &record["error"]);
        assert!(target.is_null() && error.is_null(), "{line}");
        assert!(record["flags"].to_string().contains("template"), "{line}");
    }
    assert_eq!(ran.out.lines().count(), 5, "{}", ran.out);
    // So are references against a base that holds one.
    let html = "<base href='{{ site.url }}/'><a href=x.html>x</a><a href='#f'>x</a>";
    let (findings, summary) = audit(&Tree::new(&[("docs/page.html", html)]), &[]);
    assert_eq!(findings, [""; 0]);
    assert_eq!(summary["skipped"], 2);
}
