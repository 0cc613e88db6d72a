//! Which files are read.

use super::Tree;

const SITE: &[(&str, &str)] = &[
    ("a/x.html", "<a href='../b.html'>b</a>"),
    ("b.txt", "see http://example.com/b\n"),
    (".hidden/c.txt", "see http://example.com/hidden\n"),
    ("ignored.txt", "see http://example.com/ignored\n"),
    (".uriscanignore", "ignored.txt\n"),
];

#[test]
fn a_tree_is_read_in_the_order_of_its_paths() {
    let tree = Tree::new(SITE);
    let base = ["--root", ".=http://example.org/docs/"];
    let run = |more: &[&str]| tree.run(&[&base, more].concat());
    run(&["."]).is(0, "http://example.org/docs/b.html\nhttp://example.com/b\n");
    // A glob beats the ignore files.
    run(&[".", "-g", "*.txt"]).is(0, "http://example.com/b\nhttp://example.com/ignored\n");
    run(&[".", "-g", "!*.txt"]).is(0, "http://example.org/docs/b.html\n");
    run(&[".", "-d", "1"]).is(0, "http://example.com/b\n");
    run(&[".", "-t", "html"]).is(0, "http://example.org/docs/b.html\n");
    run(&[".", "--max-filesize", "24"]).tells(2, "", "nothing was read");
    run(&[".", "-t", "text", "--hidden"])
        .is(0, "http://example.com/hidden\nhttp://example.com/b\n");
    run(&[".", "-t", "text", "-u"]).is(0, "http://example.com/b\nhttp://example.com/ignored\n");
    run(&["ignored.txt", "b.txt"]).is(0, "http://example.com/ignored\nhttp://example.com/b\n");
}

#[test]
fn standard_input_is_content() {
    let tree = Tree::new(SITE);
    tree.pipe(b"http://example.com/in", &[])
        .is(0, "http://example.com/in\n");
    tree.pipe(b"http://example.com/in", &["-"])
        .is(0, "http://example.com/in\n");
    tree.pipe(b"http://example.com/in", &["b.txt", "-"])
        .is(0, "http://example.com/b\nhttp://example.com/in\n");
    tree.pipe(
        b"<!doctype html><a href=x>",
        &["--base", "http://example.com/"],
    )
    .is(0, "http://example.com/x\n");
    tree.pipe(
        b"<a href=x>",
        &["-t", "html", "--base", "http://example.com/"],
    )
    .is(0, "http://example.com/x\n");
    tree.pipe(b"<a href=x>", &["-t", "html"]).is(0, "x\n");
    tree.pipe(b"", &[]).is(1, "");
}

#[test]
fn bases_come_from_mounts_then_options_then_files() {
    let tree = Tree::new(&[
        ("p/index.html", "<a href=x>"),
        ("p/q/r.html", "<a href=x>"),
        ("o.html", "<a href=x>"),
    ]);
    let here = tree.path().canonicalize().unwrap();
    let here = here.display();
    tree.run(&["o.html"]).is(0, &format!("file://{here}/x\n"));
    tree.run(&["p/../o.html"])
        .is(0, &format!("file://{here}/x\n"));
    tree.run(&["o.html", "--base="]).is(0, "x\n");
    tree.run(&[
        "o.html",
        "p",
        "--base",
        "http://example.com/a/b",
        "--root",
        "p=http://example.org",
    ])
    .is(
        0,
        "http://example.com/a/x\nhttp://example.org/x\nhttp://example.org/q/x\n",
    );
    tree.run(&[
        "p",
        "--root",
        "p=http://example.org/a",
        "--root",
        "p/q=http://example.net/",
    ])
    .is(0, "http://example.org/a/x\nhttp://example.net/x\n");
    tree.run(&["p", "--root", "http://example.org/a/"])
        .is(0, "http://example.org/a/x\nhttp://example.org/a/q/x\n");
    let record = tree.run(&[
        "p/index.html",
        "--json",
        "--fields",
        "base",
        "--root",
        "p=http://example.org/",
    ]);
    record.is(0, "{\"type\":\"link\",\"base\":\"http://example.org/\"}\n");
}

#[test]
fn nothing_to_read_is_an_error() {
    let tree = Tree::new(SITE);
    tree.run(&[".", "-g", "*.none"])
        .tells(2, "", "nothing was read");
    tree.run(&["gone"])
        .tells(2, "", "uriscan: gone: No such file");
}

#[test]
fn bad_options_are_errors() {
    let tree = Tree::new(SITE);
    for (arguments, words) in [
        (["--base", "relative"], "the base URI has no scheme"),
        (["--base", "http://[bad/"], "the base URI does not parse"),
        (["--base", "http://"], "the base URI does not parse"),
        (["--base", "http://a b/"], "the base URI does not parse"),
        (
            ["--default-base", "http://h:99999/"],
            "the base URI does not parse",
        ),
        (["--type", "nothing"], "text, html"),
        (["--format", "xml"], "text, jsonl, csv, tsv"),
        (["--encoding", "none"], "unknown charset"),
        (["--glob", "{"], "{"),
        (["--no-such-flag", "x"], "--no-such-flag"),
    ] {
        tree.run(&arguments).tells(2, "", words);
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_followed_only_on_demand() {
    let tree = Tree::new(&[("real/a.txt", "http://example.com/a")]);
    std::os::unix::fs::symlink("real", tree.path().join("linked")).unwrap();
    tree.run(&["."]).is(0, "http://example.com/a\n");
    tree.run(&["linked"]).is(0, "http://example.com/a\n");
    tree.run(&[".", "-L"])
        .is(0, "http://example.com/a\nhttp://example.com/a\n");
    // The words are those for a named file.
    std::os::unix::fs::symlink("nothing", tree.path().join("real/dangling")).unwrap();
    let words = "real/dangling: No such file or directory (os error 2)\n";
    tree.run(&["real/dangling"]).tells(2, "", words);
    tree.run(&["real", "-L"])
        .tells(2, "http://example.com/a\n", words);
}
