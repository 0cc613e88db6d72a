//! Hints about a cause that most findings share, at the end of the summary.

use std::fmt::Write as _;

use crate::cli::Tree;

/// Runs an audit of `site` with a page of `count` links; returns the lines with hints.
fn hints(files: &[(&str, &str)], count: usize, link: impl Fn(usize) -> String) -> Vec<String> {
    let tree = Tree::new(files);
    let mut page = String::new();
    for number in 0..count {
        let _ = writeln!(page, "<a href='{}'>x</a>", link(number));
    }
    tree.write("site/index.html", page.as_bytes());
    let ran = tree.run(&["audit", "site"]);
    let lines: Vec<_> = ran.err.lines().map(str::to_owned).collect();
    let hints = lines.iter().filter_map(|line| line.strip_prefix("hint: "));
    let hints: Vec<_> = hints.map(str::to_owned).collect();
    assert!(
        ran.err.ends_with(
            &hints
                .iter()
                .fold(String::new(), |all, hint| { all + "hint: " + hint + "\n" })
        )
    );
    let ran = tree.run(&["audit", "--json", "site"]);
    let summary: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    let listed = summary["hints"].as_array().cloned().unwrap_or_default();
    assert_eq!(listed, hints);
    hints
}

#[test]
fn a_cause_of_most_findings_is_named() {
    let pages: Vec<_> = (0..12).map(|n| format!("site/p{n}.html")).collect();
    let files: Vec<_> = pages.iter().map(|name| (name.as_str(), "")).collect();
    let found = hints(&files, 12, |n| format!("p{n}"));
    let hint = "12 of 12 missing files exist with .html: --try-ext html (or --server github-pages)";
    assert_eq!(found, [hint]);
    let found = hints(&files, 12, |n| format!("/docs/p{n}.html"));
    let hint = "12 of 12 missing files exist without /docs/: --root site=https://host/docs/ (or site=/docs/)";
    assert_eq!(found, [hint]);
    let found = hints(&files, 20, |n| {
        format!("{}/p{n}.html", ["boost", "x"][n % 20 / 12])
    });
    assert_eq!(
        found,
        ["12 of 20 missing files are below a missing folder boost/"]
    );
    let found = hints(&[("site/a.html", "")], 12, |n| format!("a.html#line{n}"));
    let hint = "12 of 12 missing fragments look like #lineN: made by a script";
    assert_eq!(found, [hint]);
    let found = hints(&[("up/a.html", "")], 12, |n| format!("../up/a.html?{n}"));
    assert_eq!(
        found,
        ["12 of 12 missing files exist above the root: --root ."]
    );
}

#[test]
fn few_or_mixed_findings_have_no_hint() {
    let missing = |n| format!("gone/p{n}.html");
    assert!(hints(&[], 9, missing).is_empty());
    let mixed = |n: usize| [format!("gone/p{n}.html"), format!("p{n}.html")][n % 2].clone();
    assert!(hints(&[], 40, mixed).is_empty());
}

#[test]
fn a_root_may_be_a_path_without_a_host() {
    let tree = Tree::new(&[
        (
            "site/index.html",
            "<a href='/docs/a.html'>x</a><a href='/b.html'>x</a>",
        ),
        ("site/a.html", ""),
    ]);
    let ran = tree.run(&["audit", "--group", "none", "--root", "site=/docs/"]);
    assert_eq!(
        ran.out,
        "site/index.html:1:38: warning[outside-root]: /b.html (the host is mounted, but not this path)\n"
    );
}
