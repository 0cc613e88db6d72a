//! `--added-since`: the findings on lines that git finds added.

use super::changed::git;
use crate::cli::Tree;

fn found(tree: &Tree, flags: &[&str]) -> Vec<String> {
    let flags = [&["audit", "--json", "--root", "docs"], flags].concat();
    let ran = tree.run(&flags);
    let records = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let findings = records.filter(|record: &serde_json::Value| record["type"] == "finding");
    findings
        .map(|record| {
            format!(
                "{}:{} {}",
                record["path"].as_str().unwrap(),
                record["line"],
                record["reference"].as_str().unwrap_or("-")
            )
        })
        .collect()
}

#[test]
fn only_findings_on_added_lines_are_shown() {
    let tree = Tree::new(&[
        (
            "docs/a.md",
            "[x](gone1.md)\n\n[x](gone2.md)\n\n[y](gone3.md)\n",
        ),
        ("docs/moved.md", "[x](gone4.md)\n1\n2\n3\n4\n5\n6\n7\n8\n"),
        ("docs/\"a\"\t\u{e4}.md", "text\n"),
        ("docs/kept.md", "text\n"),
    ]);
    if !git(&tree, &["init", "-q"]) {
        return;
    }
    assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    // Configuration changes neither the prefixes nor the hunks.
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.interHunkContext", "9"),
        ("diff.mnemonicPrefix", "true"),
        ("color.ui", "always"),
    ] {
        assert!(git(&tree, &["config", key, value]));
    }
    assert_eq!(found(&tree, &["--added-since", "HEAD"]), [""; 0]);
    tree.write("docs/a.md", b"[x](gone1.md)\n++ b/docs/kept.md\n[x](gone2.md)\n[n](gone5.md)\n[y](gone3.md)\n[n](gone6.md)");
    tree.write("docs/\"a\"\t\u{e4}.md", b"text\n[x](gone7.md)\n");
    tree.write("docs/new.md", b"[x](gone8.md)\n");
    std::fs::rename(
        tree.path().join("docs/moved.md"),
        tree.path().join("docs/to.md"),
    )
    .unwrap();
    assert!(git(&tree, &["add", "docs/to.md", "docs/moved.md"]));
    // The page is gone, but the line that refers to it was there.
    std::fs::remove_file(tree.path().join("docs/kept.md")).unwrap();
    let expected = [
        "docs/\"a\"\t\u{e4}.md:2 gone7.md",
        "docs/a.md:4 gone5.md",
        "docs/a.md:6 gone6.md",
        "docs/new.md:1 gone8.md",
    ];
    assert_eq!(found(&tree, &["--added-since", "HEAD"]), expected);
    assert_eq!(
        tree.run(&["audit", "docs", "--added-since", "HEAD"]).code,
        1
    );
    assert_eq!(
        tree.run(&["audit", "docs", "--added-since", "none"]).code,
        2
    );
    assert_eq!(tree.run(&["audit", "docs", "--added-since=-x"]).code, 2);
}

/// Commits that only add lines: what is new is on added lines.
#[test]
fn findings_on_added_lines_are_the_difference_of_two_audits() {
    let tree = Tree::new(&[("docs/p0.md", "# P\n")]);
    if !git(&tree, &["init", "-q"]) {
        return;
    }
    let mut seed = 7u64;
    let mut random = |below: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    for commit in 0..crate::rounds(10, 30) {
        let references = |found: Vec<String>| -> Vec<String> {
            let mut found: Vec<_> = found
                .iter()
                .map(|one| one.split(' ').next_back().unwrap().to_owned())
                .collect();
            found.sort();
            found
        };
        let before = references(found(&tree, &[]));
        for edit in 0..1 + random(4) {
            let path = format!("docs/p{}.md", random(5));
            let text = std::fs::read_to_string(tree.path().join(&path)).unwrap_or_default();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let at = random(lines.len() as u64 + 1) as usize;
            let target = if random(2) == 0 {
                "p0.md".to_owned()
            } else {
                format!("gone-{commit}-{edit}.md")
            };
            lines.insert(at, format!("[x]({target})"));
            tree.write(&path, (lines.join("\n") + "\n").as_bytes());
        }
        let mut expected = references(found(&tree, &[]));
        expected.retain(|one| !before.contains(one));
        assert_eq!(
            references(found(&tree, &["--added-since", "HEAD"])),
            expected,
            "{commit}"
        );
        assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    }
}
