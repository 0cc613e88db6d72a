//! `uriscan targets`.

use crate::cli::Tree;

fn site() -> Tree {
    Tree::new(&[
        ("site/index.html", "<h1 id=top-of-page>x</h1>"),
        (
            "site/guide/index.html",
            "<a name=old></a><p id='a b'>x<p id=old>",
        ),
        ("site/a.html", "<p id=x>x"),
        ("site/style.css", "p {}"),
        (
            "site/_redirects",
            "/old /a.html 301\n/docs/* /guide/:splat\n/away https://example.org/ 302\n",
        ),
    ])
}

#[test]
fn targets_lists_pages_in_all_spellings_with_ids_and_redirects() {
    let ran = site().run(&[
        "targets",
        "--root",
        "site=https://example.com/docs/",
        "--server",
        "github-pages",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expected = "https://example.com/docs/a.html\n\
        https://example.com/docs/a\n\
        https://example.com/docs/a.html#x\n\
        https://example.com/docs/guide/\n\
        https://example.com/docs/guide/index.html\n\
        https://example.com/docs/guide/index\n\
        https://example.com/docs/guide\n\
        https://example.com/docs/guide/#old\n\
        https://example.com/docs/guide/#a%20b\n\
        https://example.com/docs/\n\
        https://example.com/docs/index.html\n\
        https://example.com/docs/index\n\
        https://example.com/docs/#top-of-page\n";
    assert_eq!(ran.out, expected);
    let ran = site().run(&["targets", "site"]);
    for line in ["/guide/", "/a.html#x", "/", "/old", "/away"] {
        assert!(
            ran.out.lines().any(|found| found == line),
            "{line}: {}",
            ran.out
        );
    }
    assert!(!ran.out.contains("style.css") && !ran.out.contains("/docs"));
}

#[test]
fn records_of_targets_have_the_file_and_the_destination() {
    let ran = site().run(&["targets", "--json", "site"]);
    let records = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let records: Vec<serde_json::Value> = records.collect();
    let of = |target: &str| {
        let mut all = records.iter().filter(|record| record["target"] == target);
        all.next()
            .unwrap_or_else(|| panic!("{target}: {}", ran.out))
    };
    let id = of("/a.html#x");
    assert_eq!(
        (&id["kind"], &id["id"], &id["page"]),
        (&"id".into(), &"x".into(), &"/a.html".into())
    );
    assert_eq!(id["path"], "site/a.html");
    assert_eq!(of("/guide/index.html")["kind"], "spelling");
    let redirect = of("/old");
    assert_eq!(
        (&redirect["kind"], &redirect["destination"]),
        (&"redirect".into(), &"/a.html".into())
    );
}

#[test]
fn targets_have_the_formats_of_links() {
    let tree = site();
    let csv = ["targets", "--format", "csv", "--server=static", "site"];
    let ran = tree.run(&[&csv[..], &["--exclude", "guide"]].concat());
    let expected = "kind,target,page,id,path,destination\npage,/a.html,/a.html,,site/a.html,\n\
        id,/a.html#x,/a.html,x,site/a.html,\npage,/,/,,site/index.html,\n\
        spelling,/index.html,/,,site/index.html,\nid,/#top-of-page,/,top-of-page,site/index.html,\n";
    assert_eq!(ran.out, expected);
    let ran = tree.run(&["targets", "--format", "sarif", "site"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("possible values: text, jsonl, csv"),
        "{}",
        ran.err
    );
    tree.run(&["targets", "--format", "cdxj", "site"]).tells(
        2,
        "",
        "--format cdxj: it is an index of records",
    );
    let ran = tree.run(&["audit", "--format", "csv", "site"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("possible values: text, jsonl, sarif"),
        "{}",
        ran.err
    );
    let ran = tree.run(&["schema", "--format", "arrow", "target"]);
    assert!(
        ran.out
            .starts_with("kind: utf8 not null\ntarget: utf8 not null\npage: utf8\n")
    );
}

#[test]
fn targets_of_a_configuration_have_its_root_and_server_and_not_its_format() {
    let tree = site();
    let text = "server = 'github-pages'\nroot = 'site=https://example.com/'\nexclude = 'guide'\nformat = 'sarif'\n";
    tree.write("uriscan.toml", text.as_bytes());
    let ran = tree.run(&["targets"]);
    assert!(
        ran.out
            .starts_with("https://example.com/a.html\nhttps://example.com/a\n"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("guide") && ran.code == 0);
    assert_eq!(
        ran.err,
        "configuration: uriscan.toml (server, root, exclude)\n"
    );
    let ran = tree.run(&["targets", "--no-config", "site"]);
    assert!(ran.out.starts_with("/a.html\n"), "{}", ran.out);
}

#[test]
fn a_tree_without_pages_has_no_targets() {
    let tree = Tree::new(&[("site/style.css", "p {}")]);
    assert_eq!(tree.run(&["targets", "site"]).code, 1);
    assert_eq!(tree.run(&["targets", "--fix", "site"]).code, 2);
    assert_eq!(tree.run(&["targets", "none"]).code, 2);
}

#[test]
fn targets_are_the_same_for_any_number_of_workers() {
    let pages: Vec<_> = (0..100)
        .map(|page| (format!("site/{page}.html"), format!("<p id=a{page}>")))
        .collect();
    let pages: Vec<_> = pages
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let tree = Tree::new(&pages);
    let one = tree.run(&["targets", "-j1", "site"]);
    assert_eq!(one.out.lines().count(), 200);
    assert_eq!(one.out, tree.run(&["targets", "-j4", "site"]).out);
}

#[cfg(unix)]
#[test]
fn names_by_symbolic_links_are_spellings() {
    use std::os::unix::fs::symlink;

    let pages = [("o/v2/a.html", "<p id=q>"), ("n/v2/a.html", "<p id=q>")];
    let tree = Tree::new(&pages);
    symlink("a.html", tree.path().join("o/v2/alias.html")).unwrap();
    symlink("v2", tree.path().join("o/latest")).unwrap();
    let expected = "/v2/a.html\n/latest/a.html\n/v2/alias.html\n/v2/a.html#q\n";
    assert_eq!(tree.run(&["targets", "o"]).out, expected);
    for flags in [&[][..], &["-L"]] {
        let ran = tree.run(&[&["targets", "o"], flags].concat());
        let ids = ran.out.matches("#q").count();
        assert_eq!((ran.code, ids), (0, 1), "{}", ran.out);
        for line in expected.lines() {
            assert_eq!(ran.out.lines().filter(|found| *found == line).count(), 1);
        }
        let ran = tree.run(&[&["diff", "o", "n"], flags].concat());
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.out.contains("removed-page"), "{}", ran.out);
    }
}
