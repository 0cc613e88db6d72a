//! Trees that are made to cost much, or to lead out of themselves.

use std::fs;

use crate::cli::{Ran, Tree};

/// Runs an audit by one worker that may map so much memory, in KiB.
#[cfg(target_os = "linux")]
fn within(tree: &Tree, kib: u32, flags: &[&str]) -> Ran {
    let script = format!("ulimit -v {kib}; exec \"$0\" audit -j 1 \"$@\"");
    tree.run_by(
        "sh",
        &[&["-c", &script, env!("CARGO_BIN_EXE_uriscan")], flags].concat(),
    )
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_base_is_not_kept_with_every_finding() {
    let links = "<a href=y>".repeat(crate::rounds(2_500, 10_000));
    for base in ["/", "mailto:", "/i.html?", "http://example.com/"] {
        let tree = Tree::new(&[]);
        let page = format!("<base href='{base}{}/'>{links}", "x".repeat(100_000));
        tree.write("s/i.html", page.as_bytes());
        for flags in [&["-q", "s"][..], &["--max-findings", "3", "s"]] {
            let ran = within(&tree, 400_000, flags);
            assert!(ran.code <= 1, "{base}: {} {}", ran.code, ran.err);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_base_up_to_the_limit_is_not_kept_with_every_finding() {
    let tree = Tree::new(&[]);
    let count = crate::rounds(1_000, 4_000);
    let links: String = (0..count).map(|n| format!("<a href=y{n}>")).collect();
    let page = format!("<base href='/{}/'>{links}", "x".repeat(8_000));
    tree.write("s/i.html", page.as_bytes());
    for flags in [&["-q", "s"][..], &["--max-findings", "3", "s"]] {
        let ran = within(&tree, 200_000, flags);
        assert_eq!(ran.code, 1, "{}", ran.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_index_files_are_not_kept_with_every_directory_below() {
    let names: String = (0..50_000).map(|n| format!(" i{n}")).collect();
    let tree = Tree::new(&[("s/.htaccess", &format!("DirectoryIndex{names}\n"))]);
    let (mut directory, mut page) = (String::new(), String::new());
    for _ in 0..150 {
        directory += "d/";
        page += &format!("<a href={directory}x>");
        tree.write(format!("s/{directory}.htaccess"), b"Options -MultiViews\n");
        tree.write(format!("s/{directory}x"), b"");
    }
    tree.write("s/i.html", page.as_bytes());
    let ran = within(&tree, 200_000, &["s"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn thousands_of_expressions_of_redirects_take_less_than_80_mb() {
    let count = crate::rounds(1_000, 4_000);
    let rule = |n| format!("RedirectMatch ^/a{n}/([a-z0-9]+)/x.*y/(.*)$ /new.html\n");
    let page: String = (0..count)
        .map(|n| format!("<a href=/a{n}/k/xxy/z>"))
        .collect();
    let tree = Tree::new(&[
        ("s/.htaccess", &(0..count).map(rule).collect::<String>()),
        ("s/new.html", ""),
        ("s/i.html", &page),
    ]);
    let ran = within(
        &tree,
        80_000,
        &["--server=apache", "--json", "--fail-on=warning", "s"],
    );
    assert_eq!(
        ran.out.matches("\"rule\":\"redirected\"").count(),
        count,
        "{}",
        ran.err
    );
    assert_eq!(ran.code, 1);
}

#[test]
fn base_of_no_file_is_rejected_with_a_message() {
    let tree = Tree::new(&[("s/y", "")]);
    let page = format!("<base href='/{}/'><a href=y>", "x".repeat(20_000));
    tree.write("s/i.html", page.as_bytes());
    let ran = tree.run(&["audit", "--json", "s"]);
    assert!(ran.out.contains("base.too-long"), "{}", ran.out);
}

#[test]
fn invalid_baseline_is_an_error() {
    let tree = Tree::new(&[
        ("s/i.html", "<a href=missing>"),
        ("page.html", "<html>\n"),
        ("short.txt", "# known\n0123456789abcde broken-file\n"),
        ("long.txt", "0123456789abcdef0 broken-file\n"),
        (
            "good.txt",
            "# known\n\n0123456789abcdef broken-file i.html missing\n",
        ),
    ]);
    tree.write("bytes", b"\xFF\x00\xFE");
    for (name, line) in [
        ("page.html", "line 1 "),
        ("short.txt", "line 2 "),
        ("long.txt", "line 1 "),
        ("bytes", "line 1 "),
    ] {
        let ran = tree.run(&["audit", "s", "--baseline", name]);
        ran.tells(2, "", line);
        assert!(ran.err.contains(name), "{}", ran.err);
    }
    assert_eq!(tree.run(&["audit", "s", "--baseline", "good.txt"]).code, 1);
}

#[test]
fn suggestions_are_the_same_for_any_number_of_workers() {
    let ids: String = (0..500).map(|n| format!("<p id=section-{n:05}>")).collect();
    let tree = Tree::new(&[("s/ids.html", &ids), ("s/other.html", &ids)]);
    for page in 0..40 {
        let links: String = (0..100)
            .map(|n| {
                let file = ["ids", "other"][n % 2];
                format!(
                    "<a href='{file}.html#sectoin-{:05}'><a href=idss.html>",
                    n * page % 700
                )
            })
            .collect();
        tree.write(format!("s/p{page:03}.html"), links.as_bytes());
    }
    let one = tree.run(&["audit", "s", "-j", "1"]);
    assert!(
        one.out.contains("did you mean ids.html#section-00012?"),
        "{}",
        one.out
    );
    assert!(one.out.contains("did you mean ids.html?"), "{}", one.out);
    assert_eq!(tree.run(&["audit", "s", "-j", "4"]), one);
}

#[test]
fn findings_of_one_document_come_in_blocks_of_any_number() {
    let tree = Tree::new(&[]);
    let links: String = (0..3_000)
        .map(|n| format!("<a href=m{n}>x</a>\n"))
        .collect();
    tree.write("s/a.html", links.as_bytes());
    tree.write("s/b.html", links.as_bytes());
    for format in ["text", "junit", "jsonl"] {
        let run = |threads| {
            let flags = ["--format", format, "--group", "none", "-j", threads];
            tree.run(&[&["audit", "s"][..], &flags].concat())
        };
        let one = run("1");
        let findings = one.out.matches("broken-file").count();
        assert!(findings >= 6_000, "{format}: {findings}");
        assert_eq!(run("4"), one, "{format}");
    }
}

#[test]
fn findings_about_documents_have_positions() {
    let tree = Tree::new(&[(
        "s/i.html",
        "<p id=a>\r\n<p id=b>é<p id=a>\n<base href=/><base href=/x/>\n<p id=b>",
    )]);
    let ran = tree.run(&["audit", "s", "--warn", "duplicate-id,several-bases"]);
    let rule = "duplicate-id";
    assert!(
        ran.out
            .contains(&format!("s/i.html:2:16: warning[{rule}]: a")),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains(&format!("s/i.html:4:7: warning[{rule}]: b")),
        "{}",
        ran.out
    );
}

#[cfg(unix)]
mod symlinks {
    use super::*;
    use std::os::unix::fs::symlink;

    fn tree() -> Tree {
        let tree = Tree::new(&[
            ("secret/key.html", "<p id=x>"),
            (
                "site/index.html",
                "<a href=out/key.html>1</a>\n<a href=key.html#y>2</a>\n<a href=gone.html>3</a>\n\
                 <a href=in/page.html#x>4</a>\n<a href=in/page.html#z>5</a>\n<a href=alias.html#x>6</a>\n\
                 <a href=loop/loop/sub/page.html#x>7</a>\n<a href=out/>8</a>",
            ),
            ("site/sub/page.html", "<p id=x>"),
        ]);
        let link = |to: &str, name: &str| symlink(to, tree.path().join("site").join(name)).unwrap();
        link("../secret", "out");
        link("../secret/key.html", "key.html");
        link("nowhere/at all.html", "gone.html");
        link("sub", "in");
        link("sub/page.html", "alias.html");
        link(".", "loop");
        tree
    }

    #[test]
    fn symlink_out_of_the_root_is_outside_root() {
        let tree = tree();
        let secret = fs::canonicalize(tree.path().join("secret")).unwrap();
        let secret = secret.display();
        for roots in [&["site"][..], &["--root", "site=https://example.com/"]] {
            let ran = tree.run(&[&["audit"], roots].concat());
            let expected = format!(
                "site/index.html:1:9: warning[outside-root]: out/key.html (a symbolic link escapes the root, to {secret})\n\
                 site/index.html:2:9: warning[outside-root]: key.html#y (a symbolic link escapes the root, to {secret}/key.html)\n\
                 site/index.html:3:9: error[broken-file]: gone.html (no such file: a symbolic link points to nowhere/at all.html)\n\
                 site/index.html:5:9: error[broken-fragment]: in/page.html#z (no such id)\n\
                 site/index.html:8:9: warning[outside-root]: out/ (a symbolic link escapes the root, to {secret})\n"
            );
            assert_eq!(ran.out, expected);
        }
    }

    #[test]
    fn symlinks_are_followed_out_of_the_root_on_request() {
        let tree = tree();
        fs::remove_file(tree.path().join("site/loop")).unwrap();
        fs::remove_file(tree.path().join("site/gone.html")).unwrap();
        let ran = tree.run(&["audit", "site", "-L"]);
        let rows: Vec<&str> = (ran.out.lines())
            .filter_map(|line| line.split_once(' ').map(|(place, _)| place))
            .collect();
        let row = |line| format!("site/index.html:{line}:9:");
        // 8 is a directory without index file.
        assert_eq!(
            rows,
            [row(2), row(3), row(5), row(7), row(8)],
            "{}",
            ran.out
        );
    }

    #[test]
    fn a_symlink_on_the_way_to_the_root_keeps_its_name() {
        let tree = Tree::new(&[
            (
                "real/site/a.html",
                "<a href=b.html>1</a> <a href=nothing.html>2</a>",
            ),
            ("real/site/b.html", ""),
        ]);
        symlink("real", tree.path().join("link")).unwrap();
        let expected = "link/site/a.html:1:30: error[broken-file]: nothing.html (no such file)\n";
        assert_eq!(tree.run(&["audit", "link/site"]).out, expected);
        assert_eq!(
            tree.run(&["audit", "link/site", "--root", "real=http://example.com/"])
                .out,
            expected
        );
    }

    #[test]
    fn a_file_is_the_same_by_all_its_symlinks() {
        let tree = tree();
        let ran = tree.run(&["audit", "site", "--orphans", "--allow", "broken-file"]);
        // Page 4 is linked to by the link `in`, and by no other name.
        assert!(!ran.out.contains("orphan"), "{}", ran.out);
    }
}

mod library {
    use super::*;
    use uriscan::audit::{AuditOptions, AuditSummary, audit};
    use uriscan::pipeline;

    /// Audits a tree by the default options but for the cost of suggestions; returns a line for each
    /// finding.
    fn findings(tree: &Tree, options: AuditOptions) -> (AuditSummary, String) {
        let options = options.root(tree.path(), "http://example.com/").unwrap();
        let mut out = String::new();
        let summary = audit(&options, &[tree.path().to_path_buf()], |finding| {
            let reference = finding.reference_str().unwrap();
            out += &format!("{reference} ({})", finding.message());
            if let Some(suggestion) = finding.suggestion() {
                out += &format!(" did you mean {}?", String::from_utf8_lossy(suggestion));
            }
            out.push('\n');
        });
        (summary.unwrap(), out)
    }

    /// They cut texts and leave anchors aside; an audit does not.
    #[test]
    fn the_default_options_of_the_library_lose_nothing() {
        let tree = Tree::new(&[(
            "a.html",
            "<p id=here><a href='#here'>1</a><a href='#gone'>2</a>",
        )]);
        let mut text = vec![b'\n'; (pipeline::PIECE * 3) as usize];
        text.extend_from_slice(b"<http://example.com/missing.html>\n");
        tree.write("long.txt", &text);
        let (summary, out) = findings(&tree, AuditOptions::default());
        assert_eq!(summary.files(), 2, "{out}");
        assert_eq!(out.lines().count(), 2, "{out}");
        assert!(out.contains("#gone (no such id"), "{out}");
        assert!(out.contains("missing.html (no such file)"), "{out}");
    }

    #[test]
    fn suggestions_that_would_take_too_long_are_left_out_and_counted() {
        let ids: String = (0..2_000)
            .map(|n| format!("<p id=section-{n:05}>"))
            .collect();
        let tree = Tree::new(&[("ids.html", &ids)]);
        let links: String = (0..50)
            .map(|n| format!("<a href=ids.html#sectoin-{n:05}>"))
            .collect();
        tree.write("page.html", links.as_bytes());
        let (summary, out) = findings(&tree, AuditOptions::default());
        assert_eq!(
            (summary.unsuggested(), out.matches("did you mean").count()),
            (0, 50)
        );
        let (summary, out) = findings(&tree, AuditOptions::default().suggestion_cost(0));
        let found = out.matches("did you mean").count() as u64;
        assert!(found < 50 && summary.unsuggested() == 50 - found, "{out}");
        assert_eq!(out.lines().count(), 50);
    }
}
