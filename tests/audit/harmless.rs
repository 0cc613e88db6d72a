//! Repositories as they are: findings that nobody could act on, and fixes that would make links worse.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::changed::git;
use crate::cli::{Ran, Tree};

fn audit(tree: &Tree, flags: &[&str]) -> Ran {
    tree.run(&[&["audit", "--group", "none"], flags].concat())
}

/// Returns the rules and references of the findings.
fn findings(tree: &Tree, flags: &[&str]) -> Vec<String> {
    let ran = tree.run(&[&["audit", "--json"], flags].concat());
    let records = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let findings = records.filter(|record: &Value| record["type"] == "finding");
    let shown = findings.map(|record| {
        let word = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        match word("suggestion").as_str() {
            "" => format!("{} {}", word("rule"), word("reference")),
            better => format!("{} {} -> {better}", word("rule"), word("reference")),
        }
    });
    shown.collect()
}

/// A repository with an idiom in each file of `docs`.
fn repository(is_git: bool) -> Option<Tree> {
    let tree = Tree::new(&[
        ("README.md", "[a](docs/up.md) [b](../../issues)\n"),
        ("src/lib.rs", ""),
        ("public/logo.svg", "<svg/>"),
        ("static/img/a.png", ""),
        (
            "docs/up.md",
            "[a](../src/lib.rs) [b](../README.md#none) [c](../gone.rs)\n",
        ),
        (
            "docs/alias.md",
            "[a](@/up.md) [b](@site/docs/up.md) [c](~/up.md)\n",
        ),
        (
            "docs/public.md",
            "![a](/logo.svg) ![b](/img/a.png) [c](/up.md) [d](/docs/up.md)\n",
        ),
        (
            "docs/forge.md",
            "[a](../../../issues) [b](../../../pulls?q=x) [c](../../tree/main/src) [d](../../../elsewhere)\n",
        ),
        (
            "docs/case.md",
            "[a](Sub/\u{dc}ber.md) [b](sub/%C3%9CBER.md)\n",
        ),
        ("docs/sub/\u{fc}ber.md", "# x\n"),
        // Other files of these names, to which links must not lead.
        ("docs/sub/lib.rs", ""),
        ("docs/sub/logo.svg", "<svg/>"),
        ("docs/sub/issues", ""),
    ]);
    let has_git = !is_git || git(&tree, &["init", "-q"]);
    has_git.then_some(tree)
}

#[test]
fn links_of_markdown_below_a_named_folder_are_those_of_the_repository() {
    let Some(tree) = repository(true) else { return };
    let of_docs = findings(&tree, &["docs"]);
    assert_eq!(
        of_docs,
        [
            "broken-file @/up.md",
            "broken-file @site/docs/up.md",
            "broken-file ~/up.md",
            "case-mismatch Sub/\u{dc}ber.md -> sub/\u{fc}ber.md",
            "case-mismatch sub/%C3%9CBER.md -> sub/%C3%BCber.md",
            "outside-root ../../../elsewhere",
            "broken-file /logo.svg",
            "broken-file /img/a.png",
            "broken-fragment ../README.md#none",
            "broken-file ../gone.rs",
        ]
    );
    // `/up.md` is found below the folder that is named.
    let mut of_all = findings(&tree, &["."]);
    of_all.retain(|found| *found != "broken-file /up.md -> /docs/up.md");
    assert_eq!(of_all, of_docs);
    assert_eq!(findings(&tree, &["docs/up.md"]), of_docs[8..]);
    let ran = audit(&tree, &["docs/forge.md"]);
    assert!(
        ran.out.contains("the reference escapes the repository"),
        "{}",
        ran.out
    );
}

#[test]
fn html_and_ignored_trees_have_the_named_folder_as_their_root() {
    let tree = Tree::new(&[
        (".gitignore", "/made/\n"),
        ("x.html", ""),
        ("x.md", ""),
        ("site/a.html", "<a href=../x.html>"),
        ("made/a.md", "[x](../x.md)\n"),
    ]);
    if !git(&tree, &["init", "-q"]) {
        return;
    }
    assert_eq!(findings(&tree, &["site"]), ["broken-file ../x.html"]);
    // No repository says where the ignored tree ends (sources.md, section 1).
    assert_eq!(findings(&tree, &["made"]), [""; 0]);
}

/// All files of a tree, but for those of git.
fn contents(directory: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with(".git") => {}
            true => contents(&path, all),
            false => drop(all.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
}

#[test]
fn fixes_of_a_repository_rewrite_no_working_link_and_add_no_finding() {
    for is_git in [false, true] {
        for (paths, flags) in [
            (&["docs"][..], &["--fix=write"][..]),
            (&["docs"], &["--fix=write", "--fix-moved"]),
            (&["."], &["--fix=write", "--fix-moved", "--warn", "orphan"]),
            (
                &["--root", "docs=https://example.com/docs/"],
                &["--fix=write", "--fix-moved"],
            ),
        ] {
            let Some(tree) = repository(is_git) else {
                return;
            };
            let all = [&["--warn", "orphan"], paths].concat();
            let before = findings(&tree, &all);
            let mut files = BTreeMap::new();
            contents(tree.path(), &mut files);
            audit(&tree, &[paths, flags].concat());
            let mut new = findings(&tree, &all);
            new.retain(|found| !before.contains(found));
            assert!(new.is_empty(), "{is_git} {paths:?} {flags:?}: {new:?}");
            let mut now = BTreeMap::new();
            contents(tree.path(), &mut now);
            let changed = now
                .iter()
                .filter(|(path, bytes)| files.get(*path) != Some(bytes));
            let changed: Vec<_> = changed
                .map(|(path, bytes)| {
                    (
                        path.file_name().unwrap().to_str().unwrap(),
                        str::from_utf8(bytes).unwrap(),
                    )
                })
                .collect();
            let case = "[a](sub/\u{fc}ber.md) [b](sub/%C3%BCber.md)\n";
            assert_eq!(changed, [("case.md", case)], "{is_git} {paths:?} {flags:?}");
        }
    }
}

#[test]
fn a_fix_after_which_another_page_has_a_finding_is_refused_and_printed() {
    // The fragment is looked up where the redirect leads; the old page loses its only link.
    for (files, flags, fixed, refused) in [
        (
            &[
                (
                    "site/index.html",
                    "<a href=go.html#there>x</a><a href=LAST.html>x</a>",
                ),
                (
                    "site/go.html",
                    "<meta http-equiv=refresh content='0; url=Page.html'>",
                ),
                (
                    "site/page.html",
                    "<meta http-equiv=refresh content='0; url=last.html'><p id=there>",
                ),
                ("site/last.html", ""),
            ][..],
            &[][..],
            "fixed 1 finding",
            "site/go.html:1:42: not fixed: there would be a new finding, broken-fragment, in site/index.html",
        ),
        (
            &[
                (
                    "site/index.html",
                    "<a href=old.html>x</a><a href=NEW.html>x</a>",
                ),
                (
                    "site/old.html",
                    "<meta http-equiv=refresh content='0; url=new.html'>",
                ),
                ("site/new.html", ""),
            ],
            &["--warn", "orphan"],
            "fixed 1 finding",
            "site/index.html:1:9: not fixed: there would be a new finding, orphan, in site/old.html",
        ),
    ] {
        let tree = Tree::new(files);
        let flags = [&["--root", "site"], flags].concat();
        let before = findings(&tree, &flags);
        let dry = audit(&tree, &[&["--fix"], &*flags].concat());
        assert!(dry.err.contains(refused), "{}", dry.err);
        let ran = audit(&tree, &[&["--fix=write"], &*flags].concat());
        assert!(
            ran.err.contains(refused) && ran.err.contains(fixed),
            "{}",
            ran.err
        );
        let after = findings(&tree, &flags);
        assert!(after.len() < before.len(), "{before:?} {after:?}");
        assert!(
            after.iter().all(|found| before.contains(found)),
            "{before:?} {after:?}"
        );
    }
}

#[test]
fn a_list_of_files_that_cannot_be_read_twice_is_refused_with_fix() {
    let tree = Tree::new(&[("a.html", "")]);
    audit(&tree, &["--fix", "--files-from=-"]).tells(2, "", "give the list of files as a file");
}

#[cfg(unix)]
#[test]
fn a_fixed_file_keeps_its_owner_and_group() {
    use std::os::unix::fs::{MetadataExt, chown};

    let tree = Tree::new(&[("site/a.html", "<a href=B.html>"), ("site/b.html", "")]);
    let page = tree.path().join("site/a.html");
    if chown(&page, Some(12345), Some(23456)).is_err() {
        eprintln!("left out: only the superuser gives files away");
        return;
    }
    audit(&tree, &["--root", "site", "--fix=write"]).tells(0, "", "fixed 1 finding");
    let metadata = fs::metadata(&page).unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (12345, 23456));
}

#[test]
fn configuration_of_a_host_is_for_the_folder_that_it_publishes() {
    let toml = "[build]\nbase = \"web\"\npublish = \"dist\"\n[[redirects]]\nfrom = \"/old\"\nto = \"/new.html\"\n";
    let json = "{\"outputDirectory\": \"web/dist\", \"cleanUrls\": true}";
    for (name, text, is_found) in [
        ("netlify.toml", toml, "redirected /old -> /new.html"),
        ("vercel.json", json, "redirected new.html -> new"),
    ] {
        let tree = Tree::new(&[
            (name, text),
            (
                "index.html",
                "<a href=/old>x</a><a href=web/dist/new.html>x</a>",
            ),
            (
                "web/dist/index.html",
                "<a href=/old>x</a><a href=new.html>x</a>",
            ),
            ("web/dist/new.html", ""),
        ]);
        let start = is_found.split(" ->").next().unwrap();
        let has_rule = |path| {
            let found = findings(&tree, &[path]);
            assert!(
                found.iter().any(|found| found.starts_with(start)),
                "{found:?}"
            );
        };
        has_rule(".");
        if !git(&tree, &["init", "-q"]) {
            return;
        }
        // The published folder is a site of its own in the tree.
        let served = audit(&tree, &["."]).err;
        assert!(served.contains("web/dist as "), "{served}");
        assert_eq!(served.matches("serves it").count(), 1, "{served}");
        assert!(audit(&tree, &["web/dist"]).err.contains("serves it"));
        has_rule("web/dist");
        // Without a folder that is named it is that of the file, if there is a page.
        tree.write(name, if name == "netlify.toml" { b"" } else { b"{}" });
        assert!(audit(&tree, &["."]).err.contains("serves it"));
        fs::remove_file(tree.path().join("index.html")).unwrap();
        assert!(!audit(&tree, &["."]).err.contains("serves it"));
    }
}

#[test]
fn routes_of_scripts_and_private_schemes_are_skipped_and_misspelt_schemes_are_bad() {
    let tree = Tree::new(&[(
        "a.html",
        "<a href='#/route'>x</a><a href='#!x'>x</a><a href='at://did:plc:abc/app.example.post/1'>x</a>\
         <a href='did:plc:abc'>x</a><a href='foo://a:b:c/'>x</a><a href='shttp://example.com/'>x</a>\
         <a href='javscript:void(0)'>x</a><a href='mialto:x@example.com'>x</a>\
         <a href='htts://example.com/'>x</a><a href='htp://example.com/'>x</a>\
         <a href='http://['>x</a><a href='#none'>x</a>",
    )]);
    assert_eq!(
        findings(&tree, &["."]),
        [
            "bad-reference javscript:void(0) -> javascript:void(0)",
            "bad-reference mialto:x@example.com -> mailto:x@example.com",
            "bad-reference htts://example.com/ -> https://example.com/",
            "bad-reference htp://example.com/ -> http://example.com/",
            "bad-reference http://[",
            "broken-fragment #none",
        ]
    );
    let summary = audit(&tree, &["."]).err;
    assert!(
        summary.contains("1 broken, 0 external, 5 unresolved, 6 skipped"),
        "{summary}"
    );
}

#[test]
fn relative_references_in_scripts_are_skipped() {
    let tree = Tree::new(&[
        (
            "a.js",
            "/** <URL:../x.html> <URL:/**&#39> http://example.com/ */\n",
        ),
        ("b.py", "page = \"<!doctype html><link href='%s'>\"\n"),
    ]);
    assert_eq!(findings(&tree, &["."]), [""; 0]);
    assert!(audit(&tree, &["."]).err.contains("1 external"));
}
