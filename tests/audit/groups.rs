//! Findings with one cause are shown together, and counted in the summary.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::cli::{Ran, Tree};

const AUDIT: &[&str] = &["audit", "--root", "site=https://example.com/docs/"];

/// Five pages that miss one file, however they write its name, and one page that misses another.
fn tree() -> Tree {
    Tree::new(&[
        ("site/a.html", "<a href=_static/jquery.js>x</a>"),
        (
            "site/b/index.html",
            "<a href=../_static/jquery.js>x</a>\n<a href='/docs/_static/jquery.js?v=2#top'>x</a>",
        ),
        (
            "site/c.html",
            "<a href=https://example.com/docs/_static/jquery.js>x</a>",
        ),
        (
            "site/d.html",
            "<a href=_static/%6Aquery.js>x</a> <a href=gone.png>x</a> <a href=a.html#x>x</a>",
        ),
    ])
}

fn run(tree: &Tree, flags: &[&str]) -> Ran {
    tree.run(&[AUDIT, flags].concat())
}

#[test]
fn findings_of_one_rule_with_one_target_are_one_group() {
    let tree = tree();
    let expected = "5x _static/jquery.js: broken-file (error: no such file)
    site/a.html:1:9: _static/jquery.js
    site/b/index.html:1:9: ../_static/jquery.js
    site/b/index.html:2:10: /docs/_static/jquery.js?v=2#top
    and 2 more
site/d.html:1:43: error[broken-file]: gone.png (no such file)
site/d.html:1:66: error[broken-fragment]: a.html#x (no such id)
";
    assert_eq!(run(&tree, &[]).out, expected);
    assert_eq!(run(&tree, &["--group", "target"]).out, expected);
    run(&tree, &["-q", "--report", "text=report.txt"]);
    let report = fs::read_to_string(tree.path().join("report.txt")).unwrap();
    assert_eq!(report, expected);
}

#[test]
fn groups_are_by_rule_by_file_or_none() {
    let tree = tree();
    assert_eq!(
        run(&tree, &["--group", "rule"]).out,
        "6x broken-file (error: no such file)
    site/a.html:1:9: _static/jquery.js
    site/b/index.html:1:9: ../_static/jquery.js
    site/b/index.html:2:10: /docs/_static/jquery.js?v=2#top
    and 3 more
site/d.html:1:66: error[broken-fragment]: a.html#x (no such id)
"
    );
    let ran = run(&tree, &["--group", "file"]);
    assert!(
        ran.out.contains(
            "3x site/d.html
    site/d.html:1:9: error[broken-file]: _static/%6Aquery.js (no such file)
    site/d.html:1:43: error[broken-file]: gone.png (no such file)
    site/d.html:1:66: error[broken-fragment]: a.html#x (no such id)
"
        ),
        "{}",
        ran.out
    );
    let ran = run(&tree, &["--group", "none"]);
    assert_eq!(ran.out.lines().count(), 7, "{}", ran.out);
    assert_eq!(ran.out.matches("error[").count(), 7, "{}", ran.out);
    run(&tree, &["--group", "host"]).tells(2, "", "possible values: none, target, rule, file");
}

#[test]
fn causes_of_one_finding_are_not_the_groups() {
    let tree = Tree::new(&[
        ("a.html", "<a href=../y.html>x</a>"),
        ("b.html", "<a href=y.html>x</a> <a href=../z.html>x</a>"),
    ]);
    let cause = " (no such file: the reference escapes the root)";
    let run = |flags: &[&str]| tree.run(&[&["audit", "."], flags].concat()).out;
    let group = format!("    a.html:1:9: ../y.html{cause}\n    b.html:1:9: y.html\n");
    let single = format!("b.html:1:30: error[broken-file]: ../z.html{cause}\n");
    assert_eq!(
        run(&[]),
        format!("2x y.html: broken-file (error: no such file)\n{group}{single}")
    );
    assert_eq!(
        run(&["--group", "rule"]),
        format!("3x broken-file (error: no such file)\n{group}    b.html:1:30: ../z.html{cause}\n")
    );
    let markdown = run(&["--format", "markdown"]);
    for part in [
        "` y.html `: error broken-file: no such file\n",
        "` ../y.html ` (` no such file: the reference escapes the root `)\n",
    ] {
        assert!(markdown.contains(part), "{markdown}");
    }
}

#[test]
fn one_annotation_represents_its_group() {
    let tree = tree();
    let ran = run(&tree, &["--format", "github"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.out);
    assert_eq!(
        lines[0],
        "::error file=site/a.html,line=1,col=9,title=broken-file::_static/jquery.js (no such file), and 4 more"
    );
    let ran = run(&tree, &["--format", "github", "--group", "none"]);
    assert_eq!(ran.out.lines().count(), 7, "{}", ran.out);
    let ran = run(&tree, &["--format", "github", "--max-findings", "1"]);
    assert!(
        ran.out.ends_with("\n::notice::... and 2 more\n"),
        "{}",
        ran.out
    );
}

#[test]
fn records_name_their_group() {
    let tree = tree();
    let groups = |flags: &[&str]| -> Vec<(String, String)> {
        let ran = tree.run(&[&["audit", "--json"], flags].concat());
        (ran.out.lines())
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|record| record["type"] == "finding")
            .map(|record| {
                let text = |key: &str| record[key].as_str().unwrap().to_owned();
                (text("reference"), text("group"))
            })
            .collect()
    };
    let one = groups(&["--root", "site=https://example.com/docs/", "-j1"]);
    assert_eq!(one.len(), 7);
    let mut by_group: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, group) in &one {
        assert_eq!(group.len(), 16, "{group}");
        *by_group.entry(group).or_default() += 1;
    }
    let mut sizes: Vec<usize> = by_group.into_values().collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 1, 5]);
    // Neither the number of workers nor the way to name the tree changes the key.
    for flags in [
        &["--root", "site=https://example.com/docs/", "-j4"][..],
        &["--root", "./site=https://example.com/docs/", "--links"],
    ] {
        assert_eq!(groups(flags), one);
    }
}

#[test]
fn several_roots_with_one_name_are_different_targets() {
    let tree = Tree::new(&[
        ("one/a.html", "<a href=x.html>x</a><a href=x.html>x</a>"),
        ("two/a.html", "<a href=x.html>x</a><a href=x.html>x</a>"),
    ]);
    let ran = tree.run(&["audit", "one", "two"]);
    for name in ["one", "two"] {
        let header = format!("2x {name}/x.html: broken-file");
        assert!(ran.out.contains(&header), "{}", ran.out);
    }
}

#[test]
fn ids_that_many_documents_have_twice_are_one_group_and_orphans_are_not() {
    let tree = Tree::new(&[
        ("site/a.html", "<p id=nav><p id=nav>"),
        ("site/b.html", "<p id=nav><p id=nav>"),
    ]);
    let ran = tree.run(&["audit", "site", "--warn", "duplicate-id,orphan"]);
    assert_eq!(
        ran.out,
        "site/a.html: warning[orphan]: no document links to this one
2x nav: duplicate-id (warning: the id occurs earlier in the document)
    site/a.html:1:17: nav
    site/b.html:1:17: nav
site/b.html: warning[orphan]: no document links to this one
"
    );
}

#[test]
fn past_the_limit_groups_are_counted_and_not_shown() {
    let ran = run(&tree(), &["--max-findings", "2"]);
    assert_eq!(
        ran.out,
        "5x _static/jquery.js: broken-file (error: no such file)
    site/a.html:1:9: _static/jquery.js
    site/b/index.html:1:9: ../_static/jquery.js
    site/b/index.html:2:10: /docs/_static/jquery.js?v=2#top
    and 2 more
... and 2 more
"
    );
}

#[test]
fn the_summary_has_the_findings_by_rule_and_the_targets_with_most() {
    let tree = tree();
    for target in 0..12 {
        let links = format!("<a href=m{target}.html>x</a>").repeat(2);
        tree.write(format!("site/z{target}.html"), links.as_bytes());
    }
    tree.write("site/y.html", b"<a href=b>x</a>");
    let ran = run(&tree, &["--group", "none"]);
    let tables = "31 errors, 1 warning
  30 broken-file (error)
   1 broken-fragment (error)
   1 redirected (warning)
targets with most findings:
";
    assert!(ran.err.contains(tables), "{}", ran.err);
    let (_, targets) = ran.err.split_once("targets with most findings:\n").unwrap();
    let targets: Vec<&str> = targets.lines().collect();
    assert_eq!(targets.len(), 10, "{}", ran.err);
    assert_eq!(targets[0], "  5 _static/jquery.js: broken-file");
    let rest: BTreeSet<&str> = targets[1..].iter().copied().collect();
    assert_eq!(rest.len(), 9);
    assert!(
        rest.iter()
            .all(|row| row.starts_with("  2 m") && row.ends_with(".html: broken-file")),
        "{rest:?}"
    );
    // Nothing is shown of it where no summary is asked for.
    assert_eq!(run(&tree, &["--quiet"]).err, "");
}

#[test]
fn summary_counts_forgiven_and_stale_baseline_entries() {
    let tree = tree();
    run(&tree, &["--write-baseline", "known.txt"]);
    let ran = run(&tree, &["--baseline", "known.txt"]);
    assert!(
        ran.err.ends_with(
            "0 errors, 0 warnings\nbaseline: 7 findings forgiven, 0 entries are stale\n"
        ),
        "{}",
        ran.err
    );
    tree.write("site/gone.png", b"");
    let ran = run(&tree, &["--baseline", "known.txt"]);
    let (_, told) = ran.err.split_once("baseline: ").unwrap();
    let (told, line) = told.split_once("\n  ").unwrap();
    assert_eq!(told, "6 findings forgiven, 1 entry is stale");
    assert!(
        line.ends_with(" broken-file site/d.html gone.png\n"),
        "{line}"
    );
    let ran = run(&tree, &["--baseline", "known.txt", "--json"]);
    let summary: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(summary["forgiven"], 6, "{summary}");
    assert_eq!(summary["stale"], 1, "{summary}");
    // Which findings are shown does not matter.
    let flags = ["--baseline", "known.txt", "--touching", "site/a.html"];
    let ran = run(&tree, &flags);
    assert!(ran.err.contains("6 findings forgiven, 1 entry is stale"));
    let ran = tree.run(&["audit", "--baseline", "known.txt", "."]);
    let told = "0 findings forgiven, 7 entries are stale; were they written under other roots?\n";
    assert!(ran.err.contains(told), "{}", ran.err);
}

#[test]
fn names_of_targets_are_short_and_have_no_control_characters() {
    let long = format!("<a href='{}/\u{1b}[2J&#x202e;x'>x</a>", "é".repeat(400));
    let tree = Tree::new(&[]);
    tree.write("site/a.html", long.repeat(2).as_bytes());
    let ran = tree.run(&["audit", "site"]);
    let header = ran.out.lines().next().unwrap();
    assert!(header.starts_with("2x éé"), "{header}");
    assert!(header.contains('…'), "{header}");
    assert!(
        header.contains("\\x1b[2J\\u{202e}x: broken-file"),
        "{header}"
    );
    assert!(header.chars().count() < 250, "{header}");
}

#[test]
fn links_to_redirects_of_rustdoc_are_one_group() {
    let refresh =
        |to: &str| format!("<meta http-equiv=refresh content='0;URL={to}'><a href='{to}'>x</a>");
    let tree = Tree::new(&[
        ("doc/real/struct.A.html", "<p id=a>"),
        ("doc/real/fn.b.html", "<p id=b>"),
        ("doc/in/struct.A.html", &refresh("../real/struct.A.html")),
        ("doc/in/fn.b.html", &refresh("../real/fn.b.html")),
        // Not by rustdoc: its name, and its ids.
        ("doc/in/old.html", &refresh("../real/fn.b.html")),
        (
            "doc/in/fn.c.html",
            &(refresh("../real/fn.b.html") + "<p id=c>"),
        ),
        (
            "doc/index.html",
            "<a href=in/struct.A.html>A</a><a href=in/fn.b.html>b</a><a href=in/fn.b.html#b>b</a>\
             <a href=in/old.html>o</a><a href=in/fn.c.html>c</a>",
        ),
    ]);
    let ran = tree.run(&["audit", "--root", "doc=https://example.com/"]);
    let heads = ran.out.lines().filter(|line| line.contains("x "));
    let heads: Vec<&str> = heads.collect();
    assert_eq!(heads.len(), 1, "{}", ran.out);
    assert!(
        heads[0].starts_with("3x (redirect pages of rustdoc): redirected"),
        "{}",
        ran.out
    );
}
