//! Formats by name: `--type` and `--type-add`.

use super::Tree;

fn tree() -> Tree {
    Tree::new(&[
        ("a.tpl", "<a href='http://example.com/a'>"),
        ("b.j2.txt", "[b](http://example.com/b)"),
        ("c.txt", "[c](c.html)"),
        ("d.md", "[d](d.html)"),
        ("e.html", "<a href='http://example.com/e'>"),
    ])
}

#[test]
fn extensions_can_be_added_to_formats() {
    let tree = tree();
    let base = ["--base", "http://example.org/", "."];
    let run = |more: &[&str]| tree.run(&[&base, more].concat());
    run(&["--type-add", "html:tpl", "-t", "html"])
        .is(0, "http://example.com/a\nhttp://example.com/e\n");
    run(&["--type-add", "md:j2.txt,*.TXT", "-t", "markdown"]).is(
        0,
        "http://example.com/b\nhttp://example.org/c.html\nhttp://example.org/d.html\n",
    );
    // The last one counts.
    run(&[
        "--type-add=html:tpl,html",
        "--type-add=text:html",
        "-t",
        "html",
    ])
    .is(0, "http://example.com/a\n");
    let types = tree.run(&["--type-list", "--type-add", "css:scss,less"]);
    assert!(
        types.out.contains("css: *.css, *.scss, *.less\n"),
        "{}",
        types.out
    );
    for (value, reason) in [
        ("tpl", "html:tpl"),
        ("none:tpl", "possible values: text"),
        ("html:", "extensions"),
        ("html:a*", "extensions"),
    ] {
        run(&["--type-add", value]).tells(2, "", reason);
    }
}

#[test]
fn a_name_with_an_extension_is_added_as_a_name() {
    let tree = Tree::new(&[
        ("notes.txt", "[a](http://example.com/a)"),
        ("b.notes.txt", "[b](http://example.com/b)"),
        ("other.txt", "[c](c.html)"),
    ]);
    let run = |types: &str| tree.run(&["--type-add", types, "-t", "markdown", "."]);
    run("markdown:Notes.txt").is(0, "http://example.com/b\nhttp://example.com/a\n");
    run("markdown:*.notes.txt").is(0, "http://example.com/b\n");
    let types = tree.run(&["--type-list", "--type-add", "css:a.txt"]);
    assert!(
        types.out.contains("css: *.css, *.a.txt, a.txt\n"),
        "{}",
        types.out
    );
}

#[test]
fn llms_txt_and_llms_full_txt_are_markdown() {
    let tree = Tree::new(&[
        ("llms.txt", "[a](a.html)"),
        ("docs/LLMS-full.txt", "[b](b.html)"),
        ("x-llms.txt", "[c](c.html)"),
    ]);
    let base = "http://example.org/";
    tree.run(&["--base", base, "."])
        .is(0, "http://example.org/b.html\nhttp://example.org/a.html\n");
    let types = tree.run(&["--type-list"]);
    assert!(
        types.out.contains("llms.txt, llms-full.txt\n"),
        "{}",
        types.out
    );
}

#[test]
fn mdx_and_the_markdown_of_quarto_are_markdown_for_the_walk() {
    let tree = Tree::new(&[
        ("a.mdx", "[a](http://example.com/a)"),
        ("b.Rmd", "[b](http://example.com/b)"),
        ("c.qmd", "[c](http://example.com/c)"),
    ]);
    tree.run(&["-t", "markdown", "."]).is(
        0,
        "http://example.com/a\nhttp://example.com/b\nhttp://example.com/c\n",
    );
    tree.run(&["-t", "mdx", "."])
        .is(0, "http://example.com/a\n");
}

#[test]
fn a_configuration_adds_extensions() {
    let tree = Tree::new(&[
        ("uriscan.toml", "type-add = [\"html:tpl\"]\n"),
        ("a.tpl", "<a href='missing.html'>"),
    ]);
    let found = tree.run(&["audit", "."]);
    assert_eq!(found.code, 1, "{}", found.err);
    assert!(found.out.contains("missing.html"), "{}", found.out);
    assert_eq!(tree.run(&["audit", "--no-config", "."]).code, 0);
}

/// A format that is asked for is that of files that a glob names by their extension or their name.
#[test]
fn globs_name_files_of_a_format() {
    let tree = tree();
    let base = ["--base", "http://example.org/", "."];
    let run = |more: &[&str]| tree.run(&[&base, more].concat());
    run(&["-t", "markdown", "-g", "*.txt"])
        .is(0, "http://example.com/b\nhttp://example.org/c.html\n");
    run(&["-t", "markdown", "-g", "c.{txt,md}"]).tells(2, "", "");
    run(&["-t", "markdown", "-g", "*.{txt,md}"]).is(
        0,
        "http://example.com/b\nhttp://example.org/c.html\nhttp://example.org/d.html\n",
    );
    run(&["-t", "html", "-g", "**/a.tpl"]).is(0, "http://example.com/a\n");
    // A glob that names no extension only chooses files.
    run(&["-t", "markdown", "-g", "**"]).is(0, "http://example.org/d.html\n");
}

#[test]
fn kinds_of_json_are_known_by_shape_without_an_extension_and_by_the_type() {
    let map = r#"{"version": 3, "sources": ["a"]}"#;
    let tree = Tree::new(&[("map", map), ("plain", r#"{"a": "b"}"#)]);
    for arguments in [&["map", "plain"][..], &["-tjson", "map", "plain"]] {
        let arguments = [arguments, &["--base", "http://example.com/"]].concat();
        tree.run(&arguments).is(0, "http://example.com/a\n");
    }
}
