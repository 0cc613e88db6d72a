//! `uriscan diff`.

use crate::audit::changed::git;
use crate::cli::Tree;
use crate::compressed::gzip;
use crate::packages::zip::{Member, tar};

/// The rules and references of all findings.
fn found(tree: &Tree, flags: &[&str]) -> Vec<String> {
    let ran = tree.run(&[&["diff", "--json"], flags].concat());
    let records = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let findings = records.filter(|record: &serde_json::Value| record["type"] == "finding");
    let text =
        |record: &serde_json::Value, key: &str| record[key].as_str().unwrap_or("-").to_owned();
    findings
        .map(|record| {
            format!(
                "{} {} {}",
                text(&record, "rule"),
                text(&record, "reference"),
                text(&record, "suggestion")
            )
        })
        .collect()
}

fn trees() -> Tree {
    Tree::new(&[
        ("old/a.html", "<h1 id=x>x</h1><h2 id=y>y</h2>"),
        ("old/b.html", "<h1 id=z>x</h1>"),
        ("old/dir/index.html", "<p id=q>"),
        ("new/a.html", "<h1 id=x>x</h1>"),
        ("new/dir/index.html", "<p id=q>"),
        ("new/c.html", "text"),
    ])
}

#[test]
fn diff_finds_removed_pages_and_ids() {
    let tree = trees();
    let expected = ["removed-id /a.html#y -", "removed-page /b.html -"];
    assert_eq!(found(&tree, &["old", "new"]), expected);
    let ran = tree.run(&["diff", "old", "new"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out
            .contains("old/a.html: warning[removed-id]: /a.html#y"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("old/b.html: error[removed-page]: /b.html"),
        "{}",
        ran.out
    );
    assert_eq!(tree.run(&["diff", "new", "new"]).code, 0);
    assert_eq!(
        tree.run(&["diff", "--allow", "removed-page", "old", "new"])
            .code,
        0
    );
    assert_eq!(
        tree.run(&[
            "diff",
            "--deny=removed-id",
            "--allow=removed-page",
            "old",
            "new"
        ])
        .code,
        1
    );
    assert_eq!(tree.run(&["diff", "old"]).code, 2);
    assert_eq!(tree.run(&["diff", "old", "none"]).code, 2);
    let root = ["--root", "https://example.com/d/", "old", "new"];
    assert_eq!(
        found(&tree, &root)[1],
        "removed-page https://example.com/d/b.html -"
    );
}

#[test]
fn diff_finds_removed_files() {
    let tree = trees();
    for path in ["old/a.html", "old/b.html"] {
        std::fs::remove_file(tree.path().join(path)).unwrap();
    }
    for path in ["i.png", "x.css", "moved.txt", "stays.js", ".hidden"] {
        tree.write(format!("old/{path}"), b"x");
    }
    tree.write("new/stays.js", b"x");
    tree.write("old/_redirects", b"/gone /dir/\n");
    tree.write("new/netlify.toml", b"[[redirects]]\nfrom = '/moved.txt'\nto = '/c.html'\n[[redirects]]\nfrom = '/gone'\nto = '/dir/'\n");
    tree.write("new/index.html", b"x");
    let expected = ["removed-file /i.png -", "removed-file /x.css -"];
    assert_eq!(found(&tree, &["old", "new"]), expected);
    tree.write("new.txt", tree.run(&["targets", "new"]).out.as_bytes());
    assert_eq!(found(&tree, &["old", "new.txt"]).len(), 0);
    let ran = tree.run(&["diff", "old", "new"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out.contains("old/i.png: warning[removed-file]: /i.png"),
        "{}",
        ran.out
    );
}

#[test]
fn a_baseline_forgives_removed_pages() {
    let tree = trees();
    assert_eq!(
        tree.run(&["diff", "--write-baseline", "known", "old", "new"])
            .code,
        1
    );
    let ran = tree.run(&["diff", "--baseline", "known", "old", "new"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(
        ran.err.contains("2 findings forgiven, 0 entries are stale"),
        "{}",
        ran.err
    );
    tree.run(&["diff", "--report", "sarif=report.json", "old", "new"]);
    let report = std::fs::read_to_string(tree.path().join("report.json")).unwrap();
    assert!(report.contains("removed-page"));
}

#[test]
fn a_configuration_ignores_removed_pages() {
    let tree = trees();
    let text = "warn = 'removed-page'\nbaseline = 'known'\n\
        [[ignore]]\nrule = 'removed-id'\ntarget = '/a.html#*'\nreason = 'renamed'\n";
    tree.write("uriscan.toml", text.as_bytes());
    let ran = tree.run(&["diff", "old", "new"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.out,
        "old/b.html: warning[removed-page]: /b.html (the page was removed)\n"
    );
    assert!(ran.err.contains("1 warning, 1 ignored\n"), "{}", ran.err);
    assert!(
        ran.err
            .contains("configuration: uriscan.toml (warn, ignore)\nlowered by it: removed-page")
    );
    let out = |flag: &str| tree.run(&["diff", flag, "old", "new"]).out;
    assert_eq!(out("--no-config").lines().count(), 2);
    assert_eq!(out("--exclude=b[.]html"), "");
}

#[test]
fn redirects_of_the_new_tree_cover_removed_pages() {
    let tree = trees();
    tree.write("new/_redirects", b"/b.html /c.html 301\n");
    // The browser keeps the fragment, which c.html lacks.
    assert_eq!(
        found(&tree, &["old", "new"]),
        ["removed-id /a.html#y -", "removed-id /b.html#z -"]
    );
    tree.write("new/_redirects", b"/b.html /c.html#z 301\n");
    assert_eq!(found(&tree, &["old", "new"]), ["removed-id /a.html#y -"]);
    tree.write("new/_redirects", b"/b.html https://example.org/ 301\n");
    assert_eq!(found(&tree, &["old", "new"]), ["removed-id /a.html#y -"]);
}

#[test]
fn diff_finds_loops_and_changed_redirects() {
    let tree = trees();
    tree.write(
        "old/_redirects",
        b"/was /a.html 301\n/gone /b.html\n/away https://example.org/a\n/same /dir/\n",
    );
    tree.write("new/_redirects", b"/was /c.html 301\n/b.html /x\n/x /b.html\n/away https://example.org/b\n/same /dir/index.html\n");
    let expected = [
        "removed-id /a.html#y -",
        "redirect-loop /b.html -",
        "changed-redirect /was -",
        "removed-page /gone -",
        "changed-redirect /away -",
    ];
    assert_eq!(found(&tree, &["old", "new"]), expected);
}

#[test]
fn addresses_that_the_old_tree_does_not_answer_are_not_lost() {
    let tree = Tree::new(&[
        (
            "old/_redirects",
            "/a /b 301\n/b /a 301\n/c /none 301\n/p* /none 301!\n",
        ),
        ("old/p.html", "<p id=x>"),
        ("new/index.html", ""),
    ]);
    for new in ["old", "new"] {
        let ran = tree.run(&["diff", "old", new]);
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    }
    let targets = tree.run(&["targets", "old"]).out;
    assert!(
        targets.lines().all(|line| line.starts_with("/p")),
        "{targets}"
    );
}

#[test]
fn redirects_are_compared_as_the_server_answers_them() {
    let tree = Tree::new(&[
        (
            "old/_redirects",
            "/* /x/:splat 302\n/was /a.html\n/a.html /c.html 301\n",
        ),
        ("old/a.html", ""),
        ("old/x/was.html", ""),
    ]);
    let ran = tree.run(&["diff", "old", "old"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
}

#[test]
fn lists_of_addresses_are_sides() {
    let tree = trees();
    let listed = tree.run(&["targets", "old"]).out;
    tree.write("old.txt", listed.as_bytes());
    tree.write(
        "old.jsonl",
        tree.run(&["targets", "--json", "old"]).out.as_bytes(),
    );
    let expected = ["removed-id /a.html#y -", "removed-page /b.html -"];
    for old in ["old.txt", "old.jsonl"] {
        assert_eq!(found(&tree, &[old, "new"]), expected, "{old}");
    }
    tree.write("new.txt", tree.run(&["targets", "new"]).out.as_bytes());
    assert_eq!(found(&tree, &["old", "new.txt"]), expected);
    tree.write(
        "sitemap.xml",
        b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
          <url><loc>https://example.com/b.html</loc></url>\
          <url><loc>https://example.com/dir/</loc></url></urlset>",
    );
    let expected = ["removed-page https://example.com/b.html -"];
    assert_eq!(found(&tree, &["sitemap.xml", "new"]), expected);
    tree.write(
        "index.xml",
        b"<?xml version='1.0'?><!-- > -->\n<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
          <sitemap><loc>https://example.com/a.html</loc></sitemap></sitemapindex>",
    );
    tree.run(&["diff", "index.xml", "new"])
        .tells(2, "", "index.xml: it is an index of sitemaps");
    let packed = gzip(&std::fs::read(tree.path().join("sitemap.xml")).unwrap());
    tree.write("sitemap.xml.gz", &packed);
    assert_eq!(found(&tree, &["sitemap.xml.gz", "new"]), expected);
    tree.write("sitemap.xml.gz", &packed[..packed.len() - 9]);
    (tree.run(&["diff", "sitemap.xml.gz", "new"])).tells(
        2,
        "",
        "sitemap.xml.gz: the compressed data ends",
    );
    tree.write(
        "urls",
        b"https://example.com/docs/b.html\nhttps://example.com/docs/a.html#x\n",
    );
    let root = ["--root", "https://example.com/docs/", "urls", "new"];
    assert_eq!(
        found(&tree, &root),
        ["removed-page https://example.com/docs/b.html -"]
    );
}

#[test]
fn a_list_of_paths_covers_all_roots_of_a_tree() {
    let tree = Tree::new(&[
        ("s/netlify.toml", "[build]\npublish = 'public'\n"),
        ("s/public/index.html", "<p id=i>"),
        ("s/public/a.html", "<p id=x>"),
        ("s/public/b.html", ""),
        ("s/docs/x.md", "# X\n"),
    ]);
    tree.write("list", tree.run(&["targets", "s"]).out.as_bytes());
    assert_eq!(found(&tree, &["list", "s"]), [""; 0]);
    assert_eq!(found(&tree, &["s", "list"]), [""; 0]);
    tree.write("s/public/a.html", b"");
    std::fs::remove_file(tree.path().join("s/public/b.html")).unwrap();
    let expected = ["removed-id /a.html#x -", "removed-page /b.html -"];
    assert_eq!(found(&tree, &["list", "s"]), expected);
    tree.write("s/docs/y.md", b"# Y\n");
    tree.write("new", tree.run(&["targets", "s"]).out.as_bytes());
    assert_eq!(found(&tree, &["list", "new"]), expected);
    tree.write("new", b"/a.html\n/docs/x.md\n/\n");
    assert_eq!(found(&tree, &["s", "new"]), ["removed-page /docs/y.md -"]);
}

#[test]
fn sides_without_addresses_are_errors() {
    let tree = trees();
    tree.write("empty/.keep", b"");
    tree.write("feed.xml", b"<urlset/>");
    tree.write("list", b"# no URL\n");
    tree.write(
        "box.mbox",
        b"From a@example.com Thu Jan  1 00:00:00 1970\nSubject: x\n\nhttp://example.com/\n",
    );
    for (side, reason) in [
        ("empty", "empty: nothing was read: no files"),
        ("feed.xml", "feed.xml: nothing was read: no addresses"),
        ("list", "list: nothing was read: no addresses"),
        ("box.mbox", "box.mbox: not a list of URLs"),
    ] {
        tree.run(&["diff", side, "new"]).tells(2, "", reason);
        tree.run(&["diff", "new", side]).tells(2, "", reason);
    }
}

#[test]
fn a_revision_is_a_side_and_runs_nothing_of_the_repository() {
    let tree = trees();
    tree.write("docs/a.html", b"<p id=x>");
    tree.write("docs/b.html", b"x");
    tree.write("docs/cut.html.gz", b"\x1f\x8b\x08cut");
    tree.write(".gitattributes", b"* filter=x export-ignore\n");
    if !git(&tree, &["init", "-q"]) {
        return;
    }
    assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    for key in ["filter.x.smudge", "filter.x.clean", "core.fsmonitor"] {
        assert!(git(&tree, &["config", key, "touch ran; cat"]));
    }
    std::fs::remove_file(tree.path().join("docs/b.html")).unwrap();
    let ran = tree.run(&["diff", "--git", "HEAD:docs", "docs"]);
    assert!(
        ran.out
            .contains("HEAD:docs/b.html: error[removed-page]: /b.html"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!((ran.code, ran.out.lines().count()), (1, 1));
    // Messages name the side and not the directory that has its files.
    for flags in [&[][..], &["--links"]] {
        let ran = tree.run(&[&["diff", "-z", "--git", "HEAD:docs", "docs"], flags].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
        for line in
            ["HEAD:docs/cut.html.gz: ", "docs/cut.html.gz: "].map(|side| format!("uriscan: {side}"))
        {
            assert!(
                ran.err.lines().any(|it| it.starts_with(&line)),
                "{}",
                ran.err
            );
        }
    }
    assert_eq!(
        tree.run(&["diff", "--git", "HEAD:old", "--git", "HEAD:new"])
            .code,
        1
    );
    for revision in ["HEAD", "HEAD:", "HEAD:docs/"] {
        let ran = tree.run(&["diff", "--git", revision, "new"]);
        assert!(ran.out.contains("HEAD:docs/b.html: "), "{}", ran.out);
    }
    assert_eq!(tree.run(&["diff", "docs", "--git", "HEAD:docs"]).code, 0);
    assert_eq!(tree.run(&["diff", "--git", "none:docs", "docs"]).code, 2);
    assert_eq!(tree.run(&["diff", "--git=-x", "docs"]).code, 2);
    assert!(!tree.path().join("ran").exists());
}

#[cfg(unix)]
#[test]
fn a_revision_has_its_symbolic_links_within_it() {
    use std::os::unix::fs::symlink;

    let tree = Tree::new(&[("docs/v2/a.html", "<p id=x>")]);
    symlink("v2", tree.path().join("docs/latest")).unwrap();
    symlink("/etc", tree.path().join("docs/etc")).unwrap();
    symlink("../docs/v2/a.html", tree.path().join("docs/a.html")).unwrap();
    for (to, link) in [
        ("later", "early"),
        ("v2", "later"),
        ("etc", "first"),
        ("loop", "loop"),
    ] {
        symlink(to, tree.path().join("docs").join(link)).unwrap();
    }
    if !git(&tree, &["init", "-q"]) {
        return;
    }
    assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    assert_eq!(tree.run(&["diff", "--git", "HEAD:", "."]).code, 0);
    assert_eq!(tree.run(&["diff", ".", "--git", "HEAD:"]).code, 0);
    std::fs::remove_file(tree.path().join("docs/latest")).unwrap();
    let ran = tree.run(&["diff", "--git", "HEAD:docs", "docs"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("/latest/a.html"), "{}", ran.out);
}

fn words(from: usize, count: usize) -> String {
    (from..from + count)
        .map(|word| format!("word{word} "))
        .collect()
}

fn moved() -> Tree {
    let page = |title: &str, from| {
        format!(
            "<title>{title}</title><nav>Home About Contact Help</nav><main><h1>{title}</h1><p>{}</main>",
            words(from, 80)
        )
    };
    Tree::new(&[
        ("old/install.html", &page("Install", 0)),
        ("old/guide/index.html", &page("Guide", 1000)),
        ("old/lost.html", &page("Lost", 2000)),
        ("old/stays.html", &page("Stays", 3000)),
        ("new/setup/install.html", &page("Install it", 2)),
        ("new/manual/index.html", &page("Guide", 1003)),
        ("new/stays.html", &page("Stays", 3000)),
        ("new/other.html", &page("Other", 5000)),
    ])
}

#[test]
fn written_redirects_make_the_next_diff_silent() {
    let tree = moved();
    let expected = [
        "removed-page /guide/ /manual/",
        "removed-page /install.html /setup/install.html",
        "removed-page /lost.html -",
    ];
    assert_eq!(found(&tree, &["--suggest", "old", "new"]), expected);
    for (format, file) in [
        ("_redirects", "_redirects"),
        ("netlify", "netlify.toml"),
        ("vercel", "vercel.json"),
        ("htaccess", ".htaccess"),
    ] {
        let tree = moved();
        std::fs::remove_file(tree.path().join("old/lost.html")).unwrap();
        // Configurations of hosts apply where the root has a page.
        tree.write("old/index.html", b"x");
        tree.write("new/index.html", b"x");
        let flag = format!("{format}=redirects");
        let ran = tree.run(&["diff", "--write-redirects", &flag, "old", "new"]);
        assert_eq!(ran.code, 1, "{}", ran.err);
        std::fs::rename(
            tree.path().join("redirects"),
            tree.path().join("new").join(file),
        )
        .unwrap();
        let ran = tree.run(&["diff", "old", "new"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{format}");
    }
}

/// A page of which about 60 % is in two added pages: the same one is suggested in each run, or none.
#[test]
fn suggestions_are_the_same_in_each_run() {
    let page = |from, count| format!("<main><p>{}</main>", words(from, count));
    let tree = Tree::new(&[
        ("old/a.html", &page(0, 4000)),
        ("new/b.html", &page(1000, 4000)),
        ("new/c.html", &page(995, 4000)),
    ]);
    let first = found(&tree, &["--suggest", "old", "new"]);
    for _ in 0..5 {
        assert_eq!(found(&tree, &["--suggest", "old", "new"]), first);
    }
}

#[test]
fn redirects_have_a_form_for_each_server_and_generator() {
    let tree = moved();
    for (format, part) in [
        ("_redirects", "/install.html /setup/install.html 301\n"),
        (
            "netlify",
            "[[redirects]]\nfrom = \"/install.html\"\nto = \"/setup/install.html\"\nstatus = 301\n",
        ),
        (
            "vercel",
            "{\"source\":\"/install.html\",\"destination\":\"/setup/install.html\",\"permanent\":true}",
        ),
        (
            "htaccess",
            "RedirectMatch 301 \"^/install\\.html$\" \"/setup/install.html\"\n",
        ),
        (
            "nginx",
            "location = \"/install.html\" { return 301 \"/setup/install.html\"; }\n",
        ),
        ("mkdocs", "        \"install.md\": \"setup/install.md\"\n"),
        (
            "docusaurus",
            "{\"from\":\"/install.html\",\"to\":\"/setup/install\"},\n{\"from\":\"/install\",\"to\":\"/setup/install\"}",
        ),
        (
            "hugo",
            "# /setup/install.html\naliases: [\"/install.html\"]\n",
        ),
        ("sphinx", "    \"install\": \"setup/install.html\",\n"),
    ] {
        let ran = tree.run(&["diff", "--write-redirects", format, "old", "new"]);
        assert!(ran.out.contains(part), "{format}: {}", ran.out);
        assert!(!ran.out.contains("removed-page"), "{format}");
    }
    assert_eq!(
        tree.run(&["diff", "--write-redirects", "none", "old", "new"])
            .code,
        2
    );
}

/// Generators write each file once, and take paths from the root of the site.
#[test]
fn redirects_for_generators_are_written_once_and_below_the_site() {
    let tree = moved();
    tree.write("new/manual/more.html", b"x");
    for (format, parts) in [
        (
            "mkdocs",
            &[
                "  - search\n",
                "        \"guide.md\": \"manual/index.md\"\n",
            ][..],
        ),
        (
            "docusaurus",
            &["{\"from\":\"/guide/\",\"to\":\"/manual/\"}"],
        ),
        ("hugo", &["# /manual/\naliases: [\"/guide/\"]\n"]),
        ("sphinx", &["\"guide/index\": \"../manual/\""]),
    ] {
        let flags = ["diff", "--root", "https://example.com/docs/"];
        let ran = tree.run(&[&flags[..], &["--write-redirects", format, "old", "new"]].concat());
        for part in parts {
            assert!(ran.out.contains(part), "{format}: {}", ran.out);
        }
        let twice = ran.out.contains("/guide/index.html");
        assert!(!twice && !ran.out.contains("docs"), "{format}: {}", ran.out);
    }
}

#[test]
fn a_renamed_heading_is_paired_by_its_text() {
    let tree = Tree::new(&[
        (
            "old/a.html",
            "<h1 id=t>T</h1><h2 id=install>Install it</h2><p>x<h2 id=use>Use it</h2>",
        ),
        (
            "new/a.html",
            "<h1 id=t>T</h1><h2 id=use>Use it</h2><p>x<h2 id=setup>Install it</h2><h2 id=n>New</h2>",
        ),
        ("old/b.md", "# T\n\n## One\n\n## Two\n"),
        ("new/b.md", "# T\n\n## First\n\n## Two\n"),
    ]);
    let expected = [
        "removed-id /a.html#install /a.html#setup",
        "removed-id /b.md#one /b.md#first",
    ];
    assert_eq!(found(&tree, &["--suggest", "old", "new"]), expected);
}

#[test]
fn links_that_changed_are_listed() {
    let tree = Tree::new(&[
        (
            "old/a.html",
            "<a href=b.html>b</a> <a href=c.html>c</a> <a href=gone.html>g</a> <img src=i.png>",
        ),
        ("old/b.html", ""),
        ("old/i.png", ""),
        (
            "new/a.html",
            "<a href=b.html>b</a> <a href=c.html>c</a> <a href=gone.html>g</a> <a href=more.html>m</a>",
        ),
        ("new/c.html", ""),
        ("new/more.html", ""),
    ]);
    let ran = tree.run(&["diff", "--links", "old", "new"]);
    let expected = "a.html: broken: a b.html -> /b.html\na.html: mended: a c.html -> /c.html\n\
        a.html: added: a more.html -> /more.html\na.html: removed: img i.png was /i.png\n";
    assert_eq!((ran.code, ran.out.as_str()), (1, expected), "{}", ran.err);
    let ran = tree.run(&["diff", "--links", "--json", "old", "new"]);
    let first: serde_json::Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    let expected = serde_json::json!({"type": "link-change", "change": "broken", "page": "a.html", "element": "a",
        "reference": "b.html", "target": "/b.html", "old_target": null, "state": "broken"});
    assert_eq!(first, expected);
    assert_eq!(tree.run(&["diff", "--links", "old", "old"]).out, "");
    for flag in ["--suggest", "--write-redirects=vercel", "--report=jsonl=x"] {
        let ran = tree.run(&["diff", "--links", flag, "old", "new"]);
        ran.tells(2, "", "--links");
    }
    (tree.run(&["diff", "--links", "--quiet", "old", "new"])).is(1, "");
    tree.write("base.html", b"");
    tree.write("x/a.html", b"<base href=/v1/><a href=b.html>");
    tree.write("y/a.html", b"<base href=/v2/><a href=b.html>");
    let ran = tree.run(&["diff", "--links", "x", "y"]);
    assert!(
        ran.out
            .contains("a.html: retargeted: a b.html was /v1/b.html -> /v2/b.html\n"),
        "{}",
        ran.out
    );
}

#[test]
fn links_in_archives_are_those_of_their_pages() {
    let tree = Tree::new(&[("tree/a.html", "<a href=b.html>b</a>")]);
    let page = Member::new("a.html", "<a href=b.html>b</a>");
    let full = tar(&[page.clone(), Member::new("b.html", "")]);
    tree.write("old.tar", &full);
    tree.write("new.tar", &tar(&[page]));
    let broken = "a.html: broken: a b.html -> /b.html\n";
    for new in ["new.tar", "tree"] {
        let ran = tree.run(&["diff", "--links", "old.tar", new]);
        assert_eq!((ran.code, &*ran.out), (1, broken), "{}", ran.err);
    }
}

#[test]
fn damage_of_either_side_is_reported() {
    let tree = Tree::new(&[("tree/a.html", "<a href=#x>x</a>")]);
    let page = Member::new("a.html", "<a href=#x>x</a>");
    let whole = tar(&[page.clone(), page]);
    tree.write("cut.tar", &whole[..1024 + 300]);
    tree.write("tree2/cut.tar", &whole[..1024 + 300]);
    for arguments in [
        &["diff", "cut.tar", "tree"][..],
        &["diff", "tree", "cut.tar"],
        &["diff", "--links", "tree", "cut.tar"],
        &["diff", "--links", "cut.tar", "tree"],
        &["targets", "cut.tar"],
        &["mv", "--decompress", "tree2/cut.tar", "tree2/other.tar"],
    ] {
        let ran = tree.run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?} {}", ran.err);
        assert!(
            ran.err.contains("cut.tar: the archive ends too early"),
            "{arguments:?} {}",
            ran.err
        );
    }
}

#[test]
fn two_lists_are_compared() {
    let tree = Tree::new(&[
        ("old.txt", "https://example.com/a\nhttps://example.com/b\n"),
        ("new.txt", "https://example.com/a\n"),
    ]);
    let ran = tree.run(&["diff", "old.txt", "new.txt"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(
        ran.out.contains("removed-page") && ran.err.starts_with("2 addresses compared in 2 files")
    );
    let ran = tree.run(&["diff", "old.txt", "new.txt", "--format", "junit"]);
    assert!(
        ran.out.contains("\"checked 2 addresses in 2 files\""),
        "{}",
        ran.out
    );
    let ran = tree.run(&["diff", "old.txt", "new.txt", "--format", "markdown"]);
    assert!(
        ran.out.contains("\n2 addresses compared in 2 files.\n"),
        "{}",
        ran.out
    );
    let piped = tree.pipe(b"https://example.com/b\n", &["diff", "-", "new.txt"]);
    assert_eq!(piped.code, 1, "{}", piped.err);
    assert!(piped.out.contains("https://example.com/b"), "{}", piped.out);
    assert_eq!(tree.run(&["diff", "new.txt", "old.txt"]).code, 0);
}

#[test]
fn a_list_with_a_damaged_line_is_an_error() {
    let tree = trees();
    let listed = tree.run(&["targets", "--json", "old"]).out;
    let damaged = listed.replacen("\n{", "\n{{", 1);
    assert_ne!(damaged, listed);
    tree.write("old.jsonl", damaged.as_bytes());
    tree.write("old.txt", b"https://example.com/a.html\nhttp://[bad\n");
    for (side, reason) in [
        (
            "old.jsonl",
            "old.jsonl: damaged: a line is not a JSON record",
        ),
        (
            "old.txt",
            "old.txt: not a list of URLs: an entry is not a URL",
        ),
    ] {
        tree.run(&["diff", side, "new"]).tells(2, "", reason);
        tree.run(&["diff", "new", side]).tells(2, "", reason);
    }
}
