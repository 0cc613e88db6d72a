//! `uriscan mv`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::audit::changed::git;
use crate::cli::Tree;

pub(super) fn read(tree: &Tree, path: &str) -> String {
    std::fs::read_to_string(tree.path().join(path)).unwrap_or_default()
}

pub(super) fn site() -> Tree {
    Tree::new(&[
        (
            "a.html",
            "<link href=css/x.css><a href='b.html?q#x'>b</a> <a href=\"dir/\">d</a> <a href=/b.html>r</a>",
        ),
        (
            "b.html",
            "<p id=x><a href=./a.html>a</a> <a href='#x'>x</a> <a href='https://example.com/b.html'>e</a>",
        ),
        (
            "dir/index.html",
            "<a href=../b.html#x>b</a> <a href=more.html>m</a>",
        ),
        ("dir/more.html", "<a href=.>up</a> <img src='../i&#46;svg'>"),
        (
            "css/x.css",
            "@import 'y.css'; p { background: url(../i.svg) }",
        ),
        ("css/y.css", ""),
        (
            "i.svg",
            "<svg xmlns='http://www.w3.org/2000/svg'><a href='b.html'/></svg>",
        ),
        ("doc/a.md", "[b](../b.html#x) [c][l]\n\n[l]: <c.md#t>\n"),
        ("doc/c.md", "# T\n"),
    ])
}

#[test]
fn a_moved_page_keeps_its_links_and_the_links_to_it() {
    let tree = site();
    let ran = tree.run(&["mv", "b.html", "dir/sub/c.html"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let diff = [
        "rename from b.html\nrename to dir/sub/c.html\n--- a/b.html\n+++ b/dir/sub/c.html\n",
        "+<a href=sub/c.html#x>b</a>",
        "--- a/a.html\n+++ b/a.html\n",
    ];
    for part in diff {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(tree.path().join("b.html").exists());
    let before = contents(tree.path());
    let ran = tree.run(&["mv", "--write", "b.html", "dir/sub/c.html"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert_eq!(
        read(&tree, "a.html"),
        "<link href=css/x.css><a href='dir/sub/c.html?q#x'>b</a> <a href=\"dir/\">d</a> <a href=/dir/sub/c.html>r</a>"
    );
    assert_eq!(
        read(&tree, "dir/sub/c.html"),
        "<p id=x><a href=./../../a.html>a</a> <a href='#x'>x</a> <a href='https://example.com/b.html'>e</a>"
    );
    assert_eq!(
        read(&tree, "dir/index.html"),
        "<a href=sub/c.html#x>b</a> <a href=more.html>m</a>"
    );
    assert_eq!(
        read(&tree, "doc/a.md"),
        "[b](../dir/sub/c.html#x) [c][l]\n\n[l]: <c.md#t>\n"
    );
    assert!(read(&tree, "i.svg").contains("<a href='dir/sub/c.html'/>"));
    assert_eq!(
        tree.run(&["mv", "--write", "dir/sub/c.html", "b.html"])
            .code,
        0
    );
    assert_eq!(contents(tree.path()), before);
}

/// The root of a repository on a forge.
fn repository() -> Tree {
    let tree = Tree::new(&[
        (
            "README.md",
            "[a](https://github.com/example/pins/blob/main/docs/My%20A.md?plain=1#L1)\n\
             [b](https://github.com/example/pins/tree/main/docs/) [c](../../issues)\n\
             [d](https://github.com/example/pins/blob/v1/docs/My%20A.md)\n",
        ),
        ("docs/README.md", "# Docs\n"),
        (
            "docs/My A.md",
            "[i](../../../issues/1) [t](./../../tree/main/docs) [x](../../none)\n",
        ),
    ]);
    tree.write(".git/HEAD", b"ref: refs/heads/main\n");
    tree.write(".git/objects/x", b"");
    tree.write(".git/refs/x", b"");
    tree.write(
        ".git/config",
        b"[remote \"origin\"]\n\turl = git@github.com:example/pins.git\n",
    );
    tree
}

#[test]
fn urls_of_the_repository_on_its_forge_follow_a_move() {
    let tree = repository();
    let before = contents(tree.path());
    let ran = tree.run(&["mv", "--write", "docs", "other docs/new"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        read(&tree, "README.md"),
        "[a](https://github.com/example/pins/blob/main/other%20docs/new/My%20A.md?plain=1#L1)\n\
         [b](https://github.com/example/pins/tree/main/other%20docs/new/) [c](../../issues)\n\
         [d](https://github.com/example/pins/blob/v1/docs/My%20A.md)\n"
    );
    let ran = tree.run(&["mv", "--write", "other docs/new", "docs"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(contents(tree.path()), before);
    let ran = tree.run(&["mv", "docs/README.md", "docs/x.md"]);
    ran.tells(2, "", "the reference reaches it under another name");
}

#[test]
fn references_above_a_repository_follow_the_depth_of_their_document() {
    let tree = repository();
    let before = contents(tree.path());
    for (new, text) in [
        (
            "x/y/a.md",
            "[i](../../../../issues/1) [t](./../../../tree/main/docs) [x](../../../none)\n",
        ),
        (
            "a.md",
            "[i](../../issues/1) [t](./../tree/main/docs) [x](../none)\n",
        ),
    ] {
        let ran = tree.run(&["mv", "--write", "docs/My A.md", new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(read(&tree, new), text);
        let ran = tree.run(&["mv", "--write", new, "docs/My A.md"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(contents(tree.path()), before);
    }
}

#[test]
fn a_reference_in_a_srcdoc_document_follows_a_move() {
    let tree = Tree::new(&[
        ("a.html", "<iframe srcdoc=\"<a href='b.html'>\">"),
        ("b.html", ""),
    ]);
    let ran = tree.run(&["mv", "--write", "b.html", "d/it's.html"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expected = "<iframe srcdoc=\"<a href='d/it&amp;#39;s.html'>\">";
    assert_eq!(read(&tree, "a.html"), expected);
}

#[test]
fn a_moved_folder_keeps_the_links_inside_and_to_its_index() {
    let tree = site();
    let before = contents(tree.path());
    assert_eq!(tree.run(&["mv", "--write", "dir/", "x/y"]).code, 0);
    assert!(read(&tree, "a.html").contains("<a href=\"x/y/\">d</a>"));
    assert_eq!(
        read(&tree, "x/y/index.html"),
        "<a href=../../b.html#x>b</a> <a href=more.html>m</a>"
    );
    assert!(read(&tree, "x/y/more.html").starts_with("<a href=.>up</a>"));
    assert_eq!(tree.run(&["mv", "--write", "x/y", "dir"]).code, 0);
    assert_eq!(contents(tree.path()), before);
}

#[test]
fn blanks_in_references_stay_blanks() {
    let tree = Tree::new(&[
        ("my dir/a b.md", "# A\n"),
        ("my dir/q.svg", ""),
        (
            "x.md",
            "[a](<my dir/a b.md#a>) [b](my%20dir/a%20b.md) <img src='my dir/q.svg'>\n",
        ),
        (
            "x.css",
            "p { background: url('my dir/q.svg'), url(my\\20 dir/q.svg) }",
        ),
        (
            "x.html",
            "<a href='my dir/a b.md'>x</a> <a href='my&#32;dir/a b.md'>x</a>",
        ),
        (
            "x.org",
            "[[./my dir/a b.md]] [[file:my dir/a b.md::*A][a]]\n",
        ),
    ]);
    let before = contents(tree.path());
    for (old, new) in [
        ("my dir/a b.md", "my dir/c d.md"),
        ("my dir/q.svg", "my dir/r s.svg"),
        ("x.md", "d e/x.md"),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        if old == "my dir/a b.md" {
            assert!(
                read(&tree, "x.md").starts_with("[a](<my dir/c d.md#a>) [b](my%20dir/c%20d.md)")
            );
            assert_eq!(
                read(&tree, "x.org"),
                "[[./my dir/c d.md]] [[file:my dir/c d.md::*A][a]]\n"
            );
        }
        let ran = tree.run(&["mv", "--write", new, old]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(contents(tree.path()), before, "{old}");
    }
}

#[test]
fn an_index_takes_its_links_to_itself_with_it() {
    let page = "<a href='#x' id=x></a><a href=''></a><form action='?q'></form>";
    let tree = Tree::new(&[
        ("a.html", "<a href=s/index.html>s</a>"),
        ("s/index.html", page),
    ]);
    let ran = tree.run(&["mv", "--write", "s/index.html", "s/m.html"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(read(&tree, "s/m.html"), page);
    assert_eq!(read(&tree, "a.html"), "<a href=s/m.html>s</a>");
}

#[test]
fn names_with_underscores_are_written_in_markup() {
    let old = [
        ("x.rst", ".. image:: i.png\n\n`x <i.png>`_\n"),
        ("x.adoc", "link:i.png[x]\n\nimage::i.png[]\n"),
        ("x.org", "[[./i.png]]\n"),
        ("x.tex", "\\href{./i.png}{x}\n"),
        ("i.png", ""),
    ];
    let tree = Tree::new(&old);
    let ran = tree.run(&["mv", "--write", "i.png", "_static/i_2.png"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (name, text) in &old[..4] {
        let expected = text.replace("i.png", "_static/i_2.png");
        assert_eq!(read(&tree, name), expected);
    }
    // AsciiDoc would begin and end emphasis.
    let ran = tree.run(&["mv", "--write", "_static/i_2.png", "_static_/i.png"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}

#[test]
fn names_with_punctuation_are_written_in_markup() {
    let old = [
        (
            "x.rst",
            ".. image:: t.png\n\n.. include:: t.txt\n\n:download:`x <t.txt>` `x <t.txt>`_ :doc:`t`\n\n.. _x: t.txt\n",
        ),
        (
            "x.adoc",
            "image::t.png[]\n\nlink:t.txt[x] link:++t.txt++[x] xref:t.adoc[]\n\ninclude::t.txt[]\n",
        ),
        ("t.png", ""),
        ("t.txt", ""),
        ("t.rst", ""),
        ("t.adoc", ""),
    ];
    let tree = Tree::new(&old);
    let run = |paths: [&str; 2]| {
        let ran = tree.run(&[&["mv", "--write", "--root", "."][..], &paths].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    for (name, uri) in [
        ("a~b", "a%7Eb"),
        ("a'b", "a%27b"),
        ("a&b,(c)", "a%26b%2C%28c%29"),
        ("\u{e9}", "%C3%A9"),
    ] {
        for extension in [".png", ".txt", ".rst"] {
            let [old, new] = ["t", name].map(|name| format!("{name}{extension}"));
            run([&old, &new]);
        }
        assert_eq!(
            read(&tree, "x.rst"),
            format!(
                ".. image:: {uri}.png\n\n.. include:: {name}.txt\n\n:download:`x <{name}.txt>` `x <{uri}.txt>`_ :doc:`{name}`\n\n.. _x: {uri}.txt\n"
            )
        );
        assert_eq!(
            read(&tree, "x.adoc"),
            format!(
                "image::{uri}.png[]\n\nlink:{uri}.txt[x] link:++{uri}.txt++[x] xref:t.adoc[]\n\ninclude::{name}.txt[]\n"
            )
        );
        for extension in [".png", ".txt", ".rst"] {
            let [old, new] = ["t", name].map(|name| format!("{name}{extension}"));
            run([&new, &old]);
        }
        assert_eq!(
            read(&tree, "x.rst") + &read(&tree, "x.adoc"),
            [old[0].1, old[1].1].concat()
        );
    }
    run(["t.adoc", "a&b(c).adoc"]);
    assert!(read(&tree, "x.adoc").contains("xref:a&b(c).adoc[]"));
    // The typographic apostrophe would be another name.
    let ran = tree.run(&["mv", "--root", ".", "a&b(c).adoc", "a'b.adoc"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}

#[test]
fn dots_at_the_end_of_a_reference_stay_without_a_slash() {
    let tree = Tree::new(&[
        ("d/a.md", "[x](.) [y](..) [z](./) [w](../)\n"),
        ("README.md", ""),
        ("d/README.md", ""),
    ]);
    tree.write(".git/HEAD", b"ref: refs/heads/main\n");
    let before = contents(tree.path());
    for (old, new, text) in [
        (
            "d/a.md",
            "d/e/a.md",
            "[x](..) [y](../..) [z](../) [w](../../)\n",
        ),
        ("d/e/a.md", "d/a.md", "[x](.) [y](..) [z](./) [w](../)\n"),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(read(&tree, new), text);
    }
    assert_eq!(contents(tree.path()), before);
}

#[test]
fn a_reference_may_lose_or_gain_the_steps_at_its_start() {
    let tree = Tree::new(&[
        ("guide/a.rst", "`x <deep/p.html>`__\n"),
        ("guide/a.adoc", "link:deep/p.html[x]\n"),
        ("guide/a.tex", "\\href{deep/p.html}{x}\n"),
        ("guide/a.md", "[x](deep/)\n"),
        ("guide/deep/index.html", "x"),
        ("guide/deep/p.html", "x"),
    ]);
    let before = contents(tree.path());
    for (old, new, document, text) in [
        (
            "guide/deep/p.html",
            "new/p.html",
            "guide/a.rst",
            "`x <../new/p.html>`__\n",
        ),
        (
            "guide/deep/index.html",
            "guide/index.html",
            "guide/a.md",
            "[x](./)\n",
        ),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(read(&tree, document), text);
        let ran = tree.run(&["mv", "--write", new, old]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(contents(tree.path()), before);
    }
}

#[test]
fn a_redirect_is_left_at_the_old_address() {
    let tree = site();
    tree.write("_redirects", b"/z /a.html 301\n");
    let ran = tree.run(&["mv", "--redirect", "_redirects", "b.html", "c.html"]);
    assert!(ran.out.contains("+/b.html /c.html 301\n"), "{}", ran.out);
    assert_eq!(
        tree.run(&[
            "mv",
            "--write",
            "--redirect",
            "_redirects",
            "b.html",
            "c.html"
        ])
        .code,
        0
    );
    assert_eq!(
        read(&tree, "_redirects"),
        "/b.html /c.html 301\n/z /a.html 301\n"
    );
    let ran = tree.run(&["mv", "--write", "--redirect", "nginx", "dir", "folder"]);
    assert!(
        ran.out
            .contains("location = \"/dir/\" { return 301 \"/folder/\"; }\n"),
        "{}",
        ran.out
    );
}

#[test]
fn a_move_by_git_is_in_the_index() {
    let tree = site();
    if !git(&tree, &["init", "-q"]) {
        return;
    }
    assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    tree.write("new.html", b"x");
    assert_eq!(
        tree.run(&["mv", "--write", "--git", "new.html", "n.html"])
            .code,
        2
    );
    assert_eq!(
        tree.run(&["mv", "--write", "--git", "b.html", "x/c.html"])
            .code,
        0
    );
    let output = Command::new("git")
        .args(["ls-files"])
        .current_dir(tree.path())
        .output()
        .unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    assert!(
        names.contains("x/c.html") && !names.lines().any(|name| name == "b.html"),
        "{names}"
    );
}

#[test]
fn a_move_by_git_may_be_made_from_outside_of_the_repository() {
    let tree = site();
    let name = tree
        .path()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    if !git(&tree, &["init", "-q"]) {
        return;
    }
    assert!(git(&tree, &["add", "-A"]) && git(&tree, &["commit", "-qm", "x"]));
    let [old, new] = ["b.html", "x/c.html"].map(|path| format!("{name}/{path}"));
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(["mv", "--write", "--git", "--root", &name, &old, &new])
        .current_dir(tree.path().parent().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(git(&tree, &["ls-files", "--error-unmatch", "x/c.html"]));
}

/// The texts of all files by their paths.
pub(super) fn contents(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read_to_string(&path).unwrap();
                found.insert(path.strip_prefix(root).unwrap().to_path_buf(), bytes);
            }
        }
    }
    found
}

#[test]
fn a_killed_run_leaves_either_state_or_is_completed_by_the_next() {
    let (tree, done) = (site(), site());
    let before = contents(tree.path());
    assert_eq!(done.run(&["mv", "--write", "b.html", "x/c.html"]).code, 0);
    let after = contents(done.path());
    for delay in 0..12 {
        let tree = site();
        let mut child = Command::new(env!("CARGO_BIN_EXE_uriscan"))
            .args(["mv", "--write", "b.html", "x/c.html"])
            .current_dir(tree.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay * 15));
        let _ = child.kill();
        child.wait().unwrap();
        let mut state = contents(tree.path());
        state.retain(|path, _| path.extension().is_none_or(|end| end != "tmp"));
        if state.contains_key(Path::new(".uriscan-mv")) {
            tree.run(&["mv", "--write", "x/none", "x/none2"]);
            state = contents(tree.path());
        }
        assert!(state == before || state == after, "{delay}: {state:?}");
    }
    // A journal without its renames.
    let tree = site();
    let path = |name: &str| tree.path().join(name).to_str().unwrap().to_owned();
    tree.write("staged", b"new");
    let journal = [
        path("staged"),
        path("a.html"),
        path("b.html"),
        path("c.html"),
        String::new(),
    ]
    .join("\0");
    tree.write(".uriscan-mv", journal.as_bytes());
    assert_eq!(tree.run(&["mv", "doc/a.md", "doc/b.md"]).code, 2);
    assert_eq!(tree.run(&["mv", "--write", "doc/a.md", "doc/b.md"]).code, 0);
    assert_eq!(read(&tree, "a.html"), "new");
    assert!(tree.path().join("c.html").exists() && !tree.path().join(".uriscan-mv").exists());
}

#[test]
fn a_heading_gets_a_title_and_links_follow_its_id() {
    let tree = Tree::new(&[
        ("a.md", "# A\n\n## Set it up ##\n\n[here](#set-it-up)\n"),
        (
            "b.md",
            "[x](a.md#set-it-up) [y](a.md#a) [z](c.rst#old-one)\n",
        ),
        (
            "c.rst",
            "Old one\n=======\n\n`old One`_, `Old\none`__ ``Old_`` Other_.\n\n.. _x: `Old one`_\n.. _other: x.html\n\n`t <old One_>`_ `u\n<Old\none_>`__ `v <Other_>`_ `w <old_>`_\n",
        ),
        (
            "d.adoc",
            "= T\n\n== Old part\n\n<<_old_part>> <<_old_part,x>> xref:d.adoc#_old_part[x] <<d#_old_part>>\n",
        ),
        ("e.html", "<h1 id=x>X</h1>"),
        ("f.md", "Set\n---\n"),
    ]);
    let heading = |page: &str, title: &str| tree.run(&["mv", "--write", "--heading", page, title]);
    let ran = tree.run(&["mv", "--heading", "a.md#set-it-up", "Install"]);
    assert!(
        ran.out.contains("+## Install ##\n") && ran.out.contains("+[here](#install)\n"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert_eq!(heading("a.md#set-it-up", "Install").code, 0);
    assert_eq!(
        read(&tree, "a.md"),
        "# A\n\n## Install ##\n\n[here](#install)\n"
    );
    let ran = heading("c.rst#old-one", "A new title");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        read(&tree, "c.rst"),
        "A new title\n===========\n\n`A new title`_, `A new title`__ ``Old_`` Other_.\n\n.. _x: `A new title`_\n.. _other: x.html\n\n`t <A new title_>`_ `u\n<A new title_>`__ `v <Other_>`_ `w <old_>`_\n"
    );
    assert_eq!(heading("c.rst#a-new-title", "New").code, 0);
    assert_eq!(heading("c.rst#new", "A `new` title").code, 2);
    assert_eq!(
        read(&tree, "b.md"),
        "[x](a.md#install) [y](a.md#a) [z](c.rst#new)\n"
    );
    let ran = heading("d.adoc#_old_part", "Part");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        read(&tree, "d.adoc"),
        "= T\n\n== Part\n\n<<_part>> <<_part,x>> xref:d.adoc#_part[x] <<d#_part>>\n"
    );
    // Identifiers of AsciiDoc are not percent-encoded.
    assert_eq!(heading("d.adoc#_part", "Größe").code, 2);
    for page in ["a.md#none", "e.html#x", "none.md#x", "a.md"] {
        assert_eq!(heading(page, "T").code, 2, "{page}");
    }
    assert_eq!(heading("a.md#install", " ").code, 2);
    // It would be another heading, above a line.
    assert_eq!(heading("f.md#set", "# New").code, 2);
}

#[test]
fn links_to_an_id_in_the_forms_of_github_follow_a_title() {
    let links = |id: &str, rest: [&str; 2]| {
        format!(
            "[](a.md#{id}) [](a.md#{}) [](a.md#{}) [](a.md#{id}:~:text=x)\n",
            rest[0], rest[1]
        )
    };
    let old = links("old-one", ["Old-One", "user-content-old-one"]);
    let tree = Tree::new(&[("a.md", "# Old one\n\nx\n"), ("b.md", &old)]);
    let ran = tree.run(&["mv", "--write", "--heading", "a.md#old-one", "New"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(read(&tree, "b.md"), links("new", ["new", "new"]));
}

#[test]
fn a_relative_base_of_a_moved_page_keeps_its_target() {
    let page = "<base href=../><a href=b.html>b</a> <a href=sub/c.html>c</a>";
    let tree = Tree::new(&[
        ("sub/a.html", page),
        ("sub/c.html", "<base href='.'><a href=a.html>a</a>"),
        ("b.html", "b"),
        (
            "x.xml",
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='sub/'><link href='c.html'/></feed>",
        ),
    ]);
    let before = contents(tree.path());
    assert_eq!(tree.run(&["audit", "-q", "."]).code, 0);
    let ran = tree.run(&["mv", "--write", "sub/a.html", "n/o/p.html"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let moved = read(&tree, "n/o/p.html");
    assert_eq!(moved, page.replace("../", "../../"));
    assert_eq!(
        read(&tree, "sub/c.html"),
        "<base href='.'><a href=../n/o/p.html>a</a>"
    );
    assert_eq!(tree.run(&["audit", "-q", "."]).code, 0);
    assert_eq!(
        tree.run(&["mv", "--write", "n/o/p.html", "sub/a.html"])
            .code,
        0
    );
    assert_eq!(contents(tree.path()), before);
    for (old, new) in [("x.xml", "m/x.xml"), ("sub", "m")] {
        let ran = tree.run(&["mv", "--write", old, new]);
        ran.tells(
            2,
            "",
            "x.xml:1: c.html: the base that the document names would be another one",
        );
    }
}

#[test]
fn cross_references_of_asciidoc_follow_a_move() {
    let links = |name: &str| {
        format!(
            "= T\n\n<<{name}.adoc#_a>> <<{name}#_a,x>> xref:{name}.adoc#_a[x] xref:{name}.adoc[] <<{name}#>> <<own>>[[own]]\n"
        )
    };
    let tree = Tree::new(&[("t.adoc", &links("old")), ("old.adoc", "= O\n\n== A\n")]);
    let ran = tree.run(&["mv", "--write", "old.adoc", "new.adoc"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(read(&tree, "t.adoc"), links("new"));
    let ran = tree.run(&["mv", "--write", "t.adoc", "in/t.adoc"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(read(&tree, "in/t.adoc"), links("../new"));
}

#[test]
fn a_title_of_lines_with_other_breaks_is_replaced_alone() {
    for (page, text) in [
        ("a.md", "# Old\n\ntext\n"),
        ("a.md", "Old\n===\n\ntext\n"),
        ("a.rst", "===\nOld\n===\n\nOld_\n\ntext\n"),
        ("a.adoc", "= T\n\n== Old\n\n<<_old>>\n\ntext\n"),
    ] {
        for line_break in ["\r", "\r\n"] {
            let tree = Tree::new(&[(page, &text.replace('\n', line_break))]);
            let id = if page == "a.adoc" { "_old" } else { "old" };
            let ran = tree.run(&["mv", "--write", "--heading", &format!("{page}#{id}"), "New"]);
            assert_eq!(ran.code, 0, "{page} {line_break:?}: {}", ran.err);
            let new = text.replace("Old_", "`New`_").replace("Old", "New");
            let new = new.replace("_old", "_new").replace('\n', line_break);
            assert_eq!(read(&tree, page), new);
        }
    }
}

#[test]
fn git_applies_a_move_that_is_shown() {
    let files = [
        ("a.html", "<a href='b/c.html'>1</a>\n"),
        ("b/c.html", "<a href='../a.html'>x</a>\n"),
        ("b/d e.html", "x\n"),
        ("_redirects", "/q /a.html\n"),
    ];
    for (redirect, old, new) in [
        ("_redirects", "b/d e.html", "c/d\"e\té.html"),
        (".htaccess", "b/d e.html", "c/e.html"),
        ("_redirects", "b", "n e/m"),
    ] {
        let (shown, moved) = (Tree::new(&files), Tree::new(&files));
        if !git(&shown, &["--version"]) {
            return;
        }
        let format = redirect.trim_start_matches('.');
        let words = ["mv", "--root", ".", "--redirect", format, old, new];
        std::fs::write(shown.path().join("change.diff"), shown.run(&words).out).unwrap();
        assert!(git(&shown, &["apply", "change.diff"]), "{new}");
        std::fs::remove_file(shown.path().join("change.diff")).unwrap();
        assert_eq!(moved.run(&[&words[..], &["--write"]].concat()).code, 0);
        let all = |tree: &Tree| {
            let files = contents(tree.path()).into_iter();
            files
                .filter(|(_, text)| !text.is_empty())
                .collect::<Vec<_>>()
        };
        assert_eq!(all(&shown), all(&moved), "{new}");
    }
}

#[test]
fn a_dollar_sign_in_a_destination_is_no_variable() {
    let tree = site();
    for (format, to) in [("nginx", "\"/a%241.html\""), ("vercel", "\"/a%241.html\"")] {
        let ran = tree.run(&["mv", "--redirect", format, "b.html", "a$1.html"]);
        assert!(ran.out.contains(to), "{}", ran.out);
    }
}

#[test]
fn names_of_files_in_references_are_not_encoded() {
    for (page, text) in [
        ("a.org", "[[file:b.org][x]]\n"),
        ("a.rst", "A\n=\n\n:doc:`b` :download:`b.org`\n"),
        ("a.rst", "A\n=\n\n.. toctree::\n\n   b\n"),
    ] {
        let tree = Tree::new(&[(page, text), ("b.org", "* B\n"), ("b.rst", "B\n=\n")]);
        let old = if text.contains("b.org") {
            "b.org"
        } else {
            "b.rst"
        };
        let new = old.replace("b.", "b c.");
        let ran = tree.run(&["mv", "--write", old, &new]);
        ran.tells(2, "", "the new reference cannot be written in its place");
        let new = old.replace("b.", "c%1.");
        assert_eq!(tree.run(&["mv", "--write", old, &new]).code, 0, "{page}");
        assert_eq!(
            tree.run(&["audit", "."]).code,
            0,
            "{page}: {}",
            read(&tree, page)
        );
    }
}

#[test]
fn names_of_files_beyond_ascii_and_uris_follow_a_move() {
    let tree = Tree::new(&[
        (
            "a.rst",
            "A\n=\n\n.. include:: é^1.inc\n\n:download:`é^1.inc`\n",
        ),
        ("b.org", "[[file:é^1.inc]]\n"),
        ("é^1.inc", ""),
    ]);
    let before = contents(tree.path());
    for (old, new) in [("é^1.inc", "d/é^1.inc"), ("d/é^1.inc", "é^1.inc")] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(read(&tree, "a.rst").contains(&format!(":: {new}\n")));
    }
    assert_eq!(contents(tree.path()), before);
}

#[test]
fn only_characters_beyond_ascii_are_decoded() {
    let tree = Tree::new(&[("a.md", "[x](é.md) [y](%C3%A9.md)\n"), ("é.md", "")]);
    let ran = tree.run(&["mv", "--write", "é.md", "100% é#.md"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        read(&tree, "a.md"),
        "[x](100%25%20é%23.md) [y](100%25%20%C3%A9%23.md)\n"
    );
}

#[test]
fn hidden_and_ignored_documents_that_move_keep_their_links() {
    for (files, old, new, moved, expected) in [
        (
            [
                (".draft/p.html", "<a href=\"q.html\">"),
                (".draft/q.html", ""),
            ],
            ".draft/p.html",
            "p.html",
            "p.html",
            "<a href=\".draft/q.html\">",
        ),
        (
            [("gen/p.html", "<a href=\"q.html\">"), ("gen/q.html", "")],
            "./gen/p.html",
            "p.html",
            "p.html",
            "<a href=\"gen/q.html\">",
        ),
        (
            [
                ("d/.hid/p.md", "[x](../../i.md) [y](q.html)\n"),
                ("d/.hid/q.html", ""),
            ],
            "d",
            "e/f",
            "e/f/.hid/p.md",
            "[x](../../../i.md) [y](q.html)\n",
        ),
    ] {
        let tree = Tree::new(&files);
        tree.write("i.md", b"[p](.draft/p.html)\n");
        tree.write(".gitignore", b"gen/\n");
        fs::create_dir(tree.path().join(".git")).unwrap();
        let before = contents(tree.path());
        let ran = tree.run(&["mv", "--write", "--root", ".", old, new]);
        assert_eq!(ran.code, 0, "{old}: {}", ran.err);
        assert_eq!(read(&tree, moved), expected, "{old}");
        let ran = tree.run(&["mv", "--write", "--root", ".", new, old]);
        assert_eq!(ran.code, 0, "{new}: {}", ran.err);
        assert_eq!(contents(tree.path()), before, "{old}");
    }
}

#[test]
fn a_codebase_follows_a_move() {
    let tree = Tree::new(&[
        ("a.html", "<applet code=X.class codebase=\"sub/\"></applet>"),
        ("sub/X.class", ""),
    ]);
    let before = contents(tree.path());
    for (old, new, page, codebase) in [
        ("a.html", "z/a.html", "z/a.html", "../sub/"),
        ("sub", "z/t", "z/a.html", "t/"),
        ("z/t", "sub", "z/a.html", "../sub/"),
        ("z/a.html", "a.html", "a.html", "sub/"),
    ] {
        let ran = tree.run(&["mv", "--write", "--root", ".", old, new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let expected = format!("<applet code=X.class codebase=\"{codebase}\"></applet>");
        assert_eq!(read(&tree, page), expected);
    }
    fs::remove_dir(tree.path().join("z")).unwrap();
    assert_eq!(contents(tree.path()), before);
}

#[test]
fn steps_up_and_blanks_around_a_reference_stay() {
    let page = "<a href=\"../d/q.html\"><a href=../d/><a href=' ../b.html '><a href=../../a/d/p.html><a href='\nq.html'>";
    let tree = Tree::new(&[
        ("a/d/p.html", page),
        ("a/d/q.html", ""),
        ("a/d/index.html", ""),
        ("a/b.html", ""),
        ("c.html", "<a href=' a/d/q.html#x '>"),
    ]);
    let before = contents(tree.path());
    for (old, new, moved, expected) in [
        (
            "a/d",
            "a/e",
            "a/e/p.html",
            page.replace("../d/", "../e/").replace("a/d", "a/e"),
        ),
        (
            "a/d/q.html",
            "a/d/r.html",
            "a/d/p.html",
            page.replace("q.html", "r.html"),
        ),
        (
            "a/b.html",
            "a/d/b.html",
            "a/d/p.html",
            page.replace("../b.html", "b.html"),
        ),
    ] {
        let ran = tree.run(&["mv", "--write", "--root", ".", old, new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(read(&tree, moved), expected);
        let ran = tree.run(&["mv", "--write", "--root", ".", new, old]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(contents(tree.path()), before, "{old} {new}");
    }
}

#[test]
fn names_keep_their_percent_encoding_there_and_back() {
    let page = "[x](./%64/b%28c%29/x.md) [y](/%64/b%28c%29/x.md) [z](https://example.com/%64/b%28c%29/x.md)\n";
    let tree = Tree::new(&[("a.md", page), ("d/b(c)/x.md", "")]);
    for new in ["d/b(c)/y/x.md", "d/b(c)/v/u(z).md"] {
        for (old, new, file) in [
            ("d/b(c)/x.md", new, new),
            (new, "d/b(c)/x.md", "d/b(c)/x.md"),
        ] {
            let ran = tree.run(&[
                "mv",
                "--write",
                "--root",
                ".=https://example.com/",
                old,
                new,
            ]);
            assert_eq!(ran.code, 0, "{}", ran.err);
            let name = file["d/b(c)/".len()..]
                .replace('(', "%28")
                .replace(')', "%29");
            assert_eq!(read(&tree, "a.md"), page.replace("x.md", &name));
        }
    }
}

#[test]
fn references_with_blanks_written_as_character_references_are_rewritten() {
    for (old, new) in [
        ("&#32;b.html&#32;", "d/c.html"),
        ("&#9;b.html&#9;", "d/c.html"),
        ("b.ht&#109;x&#32;", "d/c.html"),
        (" b.ht&#109;x&#32;", " d/c.html"),
        ("&#32;b.html", "&#32;d/c.html"),
    ] {
        let tree = Tree::new(&[("a.html", &format!("<a href=\"{old}\">")), ("b.html", "")]);
        let file = if old.contains('x') {
            "b.htmx"
        } else {
            "b.html"
        };
        tree.write(file, b"");
        let ran = tree.run(&["mv", "--write", "--root", ".", file, "d/c.html"]);
        assert_eq!(ran.code, 0, "{old}: {}", ran.err);
        assert_eq!(read(&tree, "a.html"), format!("<a href=\"{new}\">"));
    }
}

#[test]
fn a_link_keeps_the_scheme_and_the_host_that_it_names() {
    let tree = Tree::new(&[
        ("m/a.html", ""),
        (
            "m/c.html",
            "<a href=\"https://www.e.example/a.html\"><a href=//www.e.example/a.html><a href=http://e.example/a.html><a href=a.html>",
        ),
        (
            "m/c.txt",
            "https://www.e.example/a.html http://e.example/a.html\n",
        ),
    ]);
    let before = contents(tree.path());
    let roots = [
        "--root",
        "m=https://e.example/",
        "--root",
        "m=https://www.e.example/",
    ];
    let run = |paths: [&str; 2]| {
        let ran = tree.run(&[&["mv", "--write"][..], &roots, &paths].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    run(["m/a.html", "m/b.html"]);
    for path in ["m/c.html", "m/c.txt"] {
        let old = &before[Path::new(path)];
        assert_eq!(read(&tree, path), old.replace("a.html", "b.html"));
    }
    run(["m/b.html", "m/a.html"]);
    assert_eq!(contents(tree.path()), before);
}
