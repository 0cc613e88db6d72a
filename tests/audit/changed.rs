//! `--changed-since`: the findings that have to do with what git names.

use std::process::Command;

use crate::cli::Tree;

fn git(tree: &Tree, words: &[&str]) -> bool {
    let ran = Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@example.com"])
        .args(words)
        .current_dir(tree.path())
        .output();
    ran.is_ok_and(|output| output.status.success())
}

#[test]
fn findings_are_limited_to_what_changed_since_a_revision() {
    let tree = Tree::new(&[
        ("docs/a.md", "[x](gone.md)\n"),
        ("docs/b.md", "[x](gone.md) [x](c.md)\n"),
        ("docs/c.md", "text\n"),
    ]);
    if !git(&tree, &["init", "-q"]) {
        eprintln!("left out: git is not installed");
        return;
    }
    assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    let audit = |flags: &[&str]| {
        tree.run(&[&["audit", "--root", "docs", "--group", "none"], flags].concat())
    };
    let lines = |flags: &[&str]| audit(flags).out.lines().count();
    assert_eq!(lines(&[]), 2);
    let ran = audit(&["--changed-since", "HEAD"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    tree.write("docs/a.md", b"more\n[x](gone.md)\n");
    assert_eq!(lines(&["--changed-since", "HEAD"]), 1);
    // A file that is gone is the target of a finding.
    std::fs::remove_file(tree.path().join("docs/c.md")).unwrap();
    let out = audit(&["--changed-since=HEAD"]).out;
    assert!(
        out.contains("docs/a.md:2:5") && out.contains("docs/b.md:1:18"),
        "{out}"
    );
    assert_eq!(out.lines().count(), 2);
    for (revision, reason) in [
        ("no-such-revision", "git: fatal"),
        ("--output=stolen", "this is no revision"),
        ("", "this is no revision"),
    ] {
        let ran = audit(&[&format!("--changed-since={revision}")]);
        assert_eq!(ran.code, 2, "{revision}");
        assert!(ran.err.contains(reason), "{revision}: {}", ran.err);
    }
    assert!(!tree.path().join("stolen").exists());
}

#[test]
fn no_program_of_the_repository_is_run() {
    let tree = Tree::new(&[
        (".gitattributes", "*.md filter=x diff=x\n"),
        ("a.md", "[x](gone.md)\n"),
        ("b.md", "[x](gone.md)\n"),
    ]);
    if !git(&tree, &["init", "-q"]) {
        eprintln!("left out: git is not installed");
        return;
    }
    assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    for key in [
        "filter.x.clean",
        "filter.x.process",
        "filter.x.smudge",
        "diff.x.textconv",
        "diff.x.command",
        "diff.external",
        "core.fsmonitor",
        "core.pager",
    ] {
        assert!(git(&tree, &["config", key, "touch ran; cat"]), "{key}");
    }
    assert!(git(&tree, &["config", "filter.x.required", "true"]));
    tree.write("a.md", b"[xyz](gone.md)\n");
    let ran = tree.run(&["audit", ".", "--changed-since=HEAD"]);
    assert!(ran.out.starts_with("a.md:1:7: "), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(!tree.path().join("ran").exists());

    // What is missing would be fetched by any program.
    for (key, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "ext::touch ran"),
        ("protocol.ext.allow", "always"),
    ] {
        assert!(git(&tree, &["config", key, value]), "{key}");
    }
    let objects = tree.path().join(".git/objects");
    std::fs::rename(&objects, tree.path().join("kept")).unwrap();
    std::fs::create_dir(&objects).unwrap();
    let ran = tree.run(&["audit", ".", "--changed-since=HEAD"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(!tree.path().join("ran").exists());
}

#[test]
fn changes_are_unknown_outside_a_repository() {
    let tree = Tree::new(&[("docs/a.md", "text\n")]);
    let ran = tree.run(&["audit", "--root", "docs", "--changed-since", "HEAD"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--changed-since"), "{}", ran.err);
}
