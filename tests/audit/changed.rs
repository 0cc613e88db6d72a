//! `--changed-since`: the findings that have to do with what git names.

use std::process::Command;

use crate::cli::Tree;

pub(in crate::audit) fn git(tree: &Tree, words: &[&str]) -> bool {
    let ran = Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@example.com"])
        .args(words)
        .current_dir(tree.path())
        .output();
    ran.is_ok_and(|output| output.status.success())
}

#[test]
fn changed_since_shows_only_findings_of_changed_files() {
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
        ("--output=stolen", "not a revision"),
        ("", "not a revision"),
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

/// A site of which pages are linked by every spelling.
fn spelled() -> Option<Tree> {
    let links = "<a href=sub/>x</a><a href=sub>x</a><a href=sub/index.html>x</a><a href=/clean>x</a>\
        <a href=CLEAN.html>x</a><a href=moved>x</a><a href=old.html>x</a><a href=other.html>x</a>\
        <a href=no-page.html>x</a>";
    let tree = Tree::new(&[
        ("site/index.html", links),
        ("site/_redirects", "/moved /target.html 301\n"),
        ("site/sub/index.html", ""),
        ("site/clean.html", ""),
        ("site/target.html", ""),
        (
            "site/old.html",
            "<p>the same text, so that git sees where it went\n",
        ),
        ("site/other.html", ""),
    ]);
    let is_there = git(&tree, &["init", "-q"])
        && git(&tree, &["add", "-A"])
        && git(&tree, &["commit", "-qm", "x"]);
    is_there.then_some(tree)
}

const GONE: [&str; 4] = ["sub/index.html", "clean.html", "target.html", "old.html"];

#[test]
fn a_deleted_page_is_seen_by_every_spelling_that_led_to_it() {
    let Some(tree) = spelled() else { return };
    for name in &GONE[..3] {
        std::fs::remove_file(tree.path().join("site").join(name)).unwrap();
    }
    let site = tree.path().join("site");
    std::fs::rename(site.join("old.html"), site.join("new.html")).unwrap();
    git(&tree, &["add", "-A"]);
    let audit = |flags: &[&str]| {
        tree.run(&[&["audit", "--root", "site", "--group", "none"], flags].concat())
    };
    let ran = audit(&["--changed-since", "HEAD"]);
    for reference in [
        "]: sub/ (",
        "]: sub (",
        "]: sub/index.html (",
        "]: /clean (",
        "]: CLEAN.html (",
        "]: moved (",
        "]: old.html (",
    ] {
        assert!(ran.out.contains(reference), "{reference}: {}", ran.out);
    }
    assert!(!ran.out.contains("no-page"), "{}", ran.out);
    assert_eq!(ran.code, 1);
    // Each name by itself.
    for (name, count) in [
        ("sub/index.html", 3),
        ("clean.html", 2),
        ("target.html", 2),
        ("old.html", 1),
    ] {
        let out = audit(&["--touching", &format!("site/{name}")]).out;
        assert_eq!(out.lines().count(), count, "{name}: {out}");
    }
    // A file that git saw being renamed is a certain candidate.
    assert!(ran.out.contains("did you mean new.html?"), "{}", ran.out);
    let out = audit(&["--changed-since", "HEAD", "--fix"]).out;
    assert!(
        out.contains("+<a href=sub/>") && out.contains("href=new.html"),
        "{out}"
    );
    assert!(!audit(&["--fix"]).out.contains("new.html"));
}

#[test]
fn untracked_files_are_changed_files() {
    let Some(tree) = spelled() else { return };
    tree.write("site/fresh.html", b"<a href=nowhere.html>");
    tree.write("site/ignored.html", b"<a href=nowhere.html>");
    tree.write(".gitignore", b"ignored.html\n");
    let ran = tree.run(&[
        "audit",
        "--root",
        "site",
        "--group",
        "none",
        "--changed-since",
        "HEAD",
    ]);
    assert!(
        ran.out
            .starts_with("site/fresh.html:1:9: error[broken-file]"),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.lines().count(), 1);
}

#[test]
fn a_name_to_touch_that_matches_nothing_is_an_error() {
    let Some(tree) = spelled() else { return };
    std::fs::remove_file(tree.path().join("site/other.html")).unwrap();
    tree.write("elsewhere.html", b"");
    let audit = |name: &str| tree.run(&["audit", "--root", "site", "-q", "--touching", name]);
    assert_eq!(audit("site/misspelt.html").code, 2);
    assert!(
        audit("site/misspelt.html")
            .err
            .contains("misspelt.html: no such file")
    );
    audit("elsewhere.html").tells(2, "", "it is in none of the audited trees");
    // A page that nothing linked to was there.
    std::fs::remove_file(tree.path().join("site/old.html")).unwrap();
    tree.write("site/index.html", b"");
    assert_eq!(audit("site/old.html").code, 0);
    assert_eq!(audit("site").code, 0);
}

#[test]
fn links_are_listed_only_if_they_touch() {
    let Some(tree) = spelled() else { return };
    let lines = |flags: &[&str]| {
        let ran = tree.run(&[&["audit", "--root", "site", "--json", "--links"], flags].concat());
        ran.out
            .lines()
            .filter(|line| line.contains("\"type\":\"link\""))
            .count()
    };
    assert_eq!(lines(&[]), 9);
    assert_eq!(lines(&["--touching", "site/other.html"]), 1);
    assert_eq!(lines(&["--touching", "site/index.html"]), 9);
    assert_eq!(lines(&["--touching", "site/sub"]), 3);
}
