//! Hints for common mistakes.

use super::Tree;

fn tree() -> Tree {
    Tree::new(&[
        ("a.txt", "http://example.com/\n"),
        ("b.md", "[x](http://example.com/b)\n"),
    ])
}

#[test]
fn a_subcommand_of_another_name_is_no_path() {
    let tree = tree();
    tree.run(&["check", "."])
        .tells(2, "", "did you mean audit: uriscan audit .");
    tree.run(&["extrct", "a.txt"])
        .tells(2, "", "uriscan extract a.txt");
    // A path that exists is read, whatever its name.
    tree.write("check", b"http://example.com/check\n");
    tree.run(&["check"]).is(0, "http://example.com/check\n");
}

#[test]
fn subcommand_after_options_gets_a_hint() {
    let tree = tree();
    tree.run(&["--json", "audit", "."])
        .tells(2, "", "comes before all options: uriscan audit");
    tree.run(&["extract", "audit"])
        .tells(2, "", "uriscan: audit: No such file");
}

#[test]
fn a_url_is_no_path() {
    let tree = tree();
    let words = "uriscan reads files, and never uses the network; fetch it first: \
                 curl -sL 'https://example.com/x' | uriscan --base 'https://example.com/x'";
    tree.run(&["https://example.com/x"]).tells(2, "", words);
    tree.run(&["audit", "https://example.com/x"])
        .tells(2, "", words);
    // A URL that a shell would interpret is not part of the suggested command.
    tree.run(&["https://example.com/'$(x)'"]).tells(
        2,
        "",
        "fetch it first: curl -sL URL | uriscan",
    );
    tree.run(&["file:///etc/motd"])
        .tells(2, "", "give the path");
}

#[test]
fn a_root_whose_uri_has_no_scheme_is_refused() {
    tree().run(&["--root", ".=example.com", "."]).tells(
        2,
        "",
        "has no scheme: https://example.com",
    );
}

#[test]
fn a_scheme_has_no_colon() {
    let tree = tree();
    tree.run(&["--scheme", "https://", "."])
        .tells(2, "", "the name before the colon: https");
    tree.run(&["--scheme", "http,x:", "."])
        .tells(2, "", "before the colon: x");
    tree.run(&["--scheme", "//", "."])
        .tells(2, "", "a name such as https");
    tree.run(&["--scheme", "HTTP,ftp", "a.txt"])
        .is(0, "http://example.com/\n");
}

#[test]
fn types_have_aliases() {
    let tree = tree();
    for name in ["markdown", "md", "MD", "*.md", "md.gz"] {
        tree.run(&["-t", name, "."]).is(0, "http://example.com/b\n");
    }
    for name in [
        "htm", "txt", "mbx", "mbox.gz", "mbox.zst", "mht", "plain", "maildir",
    ] {
        let ran = tree.run(&["-t", name, "--files", "."]);
        assert!(!ran.err.contains("invalid value"), "{name}: {}", ran.err);
    }
    tree.run(&["-t", "mardown", "."])
        .tells(2, "", "did you mean markdown?");
    tree.run(&["-t", ".gz", "."])
        .tells(2, "", "possible values: text, html");
}

#[test]
fn a_compressed_type_looks_into_compressed_files() {
    let tree = tree();
    // A gzip member with one stored block.
    let text = b"http://example.com/z\n";
    let mut bytes = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend((!(text.len() as u16)).to_le_bytes());
    bytes.extend(text);
    bytes.extend(0x418b_dc79u32.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    tree.write("c.txt.gz", &bytes);
    tree.run(&["-t", "txt", "."]).is(0, "http://example.com/\n");
    let ran = tree.run(&["-t", "txt.gz", "."]);
    assert_eq!(
        ran.out, "http://example.com/\nhttp://example.com/z\n",
        "{ran:?}"
    );
}

#[test]
fn touching_takes_one_value_each_time() {
    let tree = Tree::new(&[
        ("site/a.html", "<!doctype html><a href=x>x</a>"),
        ("site/b.html", "<!doctype html><a href=y>x</a>"),
        ("site/c.html", "<!doctype html><a href=z>x</a>"),
    ]);
    let ran = tree.run(&["audit", "--touching", "site/a.html", "site"]);
    assert_eq!(ran.out.lines().count(), 1, "{ran:?}");
    let two = [
        "audit",
        "--touching=site/a.html",
        "--touching=site/b.html",
        "site",
    ];
    assert_eq!(tree.run(&two).out.lines().count(), 2);
}

#[test]
fn the_line_number_brings_the_path_and_no_filename_drops_it() {
    let tree = tree();
    tree.run(&["-n", "a.txt"])
        .is(0, "a.txt:1:1: http://example.com/\n");
    tree.run(&["-n", "-I", "a.txt"])
        .is(0, "1:1: http://example.com/\n");
}

#[test]
fn cells_that_are_formulas_are_protected_on_request() {
    let tree = Tree::new(&[
        ("=cmd.txt", "http://example.com/\n"),
        ("@a,b.txt", "http://example.com/\n"),
        ("c.txt", "http://example.com/\n"),
    ]);
    let run = |flags: &[&str]| {
        let files = ["--fields=path", "=cmd.txt", "@a,b.txt", "c.txt"];
        tree.run(&[flags, &files].concat())
    };
    run(&["--format=csv"]).is(0, "path\n=cmd.txt\n\"@a,b.txt\"\nc.txt\n");
    run(&["--format=csv", "--csv-safe"]).is(0, "path\n'=cmd.txt\n\"'@a,b.txt\"\nc.txt\n");
    run(&["--format=tsv", "--csv-safe"]).is(0, "path\n'=cmd.txt\n'@a,b.txt\nc.txt\n");
}
