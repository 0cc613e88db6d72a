//! What `uriscan mv` refuses to move, and why.

use std::fs;

use super::moves::{contents, read, site};
use crate::cli::Tree;

#[test]
fn a_move_is_refused_where_it_would_be_ambiguous() {
    let tree = site();
    tree.write("broken.html", b"<a href=dir/new.html>x</a>");
    tree.write("_redirects", b"/old /a.html 301\n");
    let before = contents(tree.path());
    for (old, new, reason) in [
        ("b.html", "a.html", "it exists"),
        ("none.html", "x.html", "none.html"),
        ("dir", "dir/sub", "below the folder"),
        ("b.html", "../x.html", "in none of the trees"),
        (".", "x", "below the folder"),
        (
            "b.html",
            "dir/new.html",
            "the reference would reach the new file",
        ),
        ("a.html", "x.html", "a rule of the server names it"),
        ("dir/index.html", "dir/x.html", "names it by its folder"),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code, 2, "{old} {new}");
        assert!(ran.err.contains(reason), "{old} {new}: {}", ran.err);
    }
    assert_eq!(tree.run(&["mv", "b.html"]).code, 2);
    assert_eq!(contents(tree.path()), before);
}

/// Entries of configurations are not rewritten.
#[test]
fn a_page_that_a_configuration_lists_is_not_moved() {
    for (file, text, old) in [
        (
            "mkdocs.yml",
            "site_name: x\nnav:\n- A: a/a.md\n",
            "docs/a/a.md",
        ),
        ("mkdocs.yml", "site_name: x\nnav:\n- A: a/a.md\n", "docs/a"),
        (
            ".vitepress/config.mjs",
            "export default { themeConfig: { nav: [{ text: 'A', link: '/docs/a/a' }] } }",
            "docs/a/a.md",
        ),
    ] {
        let tree = Tree::new(&[
            (file, text),
            ("docs/a/a.md", "# A\n"),
            ("docs/index.md", "[a](a/a.md)\n"),
        ]);
        let reason = format!("{file}: the configuration of the site lists");
        let ran = tree.run(&["mv", "--write", old, "docs/b.md"]);
        ran.tells(2, "", &reason);
        assert!(tree.path().join("docs/a/a.md").exists());
        let ran = tree.run(&["mv", "docs/index.md", "docs/c.md"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        tree.write(file, text.replace("a/a", "b").as_bytes());
        assert_eq!(tree.run(&["mv", old, "docs/b.md"]).code, 0);
    }
    // The configuration moves with its pages.
    let tree = Tree::new(&[
        ("s/mkdocs.yml", "site_name: x\nnav: [a.md]\n"),
        ("s/docs/a.md", "# A\n"),
    ]);
    let ran = tree.run(&["mv", "--write", "s", "t"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(tree.run(&["audit", "t"]).code, 0);
}

#[test]
fn a_move_is_refused_where_a_rule_of_a_server_would_answer_otherwise() {
    for (file, rules, old, new) in [
        // The rule wins over a file at the new address.
        (
            ".htaccess",
            "Redirect 301 /new.html /a.html",
            "b.html",
            "new.html",
        ),
        (
            ".htaccess",
            "RedirectMatch 301 ^/n /a.html",
            "b.html",
            "new.html",
        ),
        ("_redirects", "/n* /a.html 301!", "b.html", "new.html"),
        // Requests for other addresses have the answer from the old one.
        (
            ".htaccess",
            "RedirectMatch 301 ^/n /b.html",
            "b.html",
            "c.html",
        ),
        (".htaccess", "ErrorDocument 404 /b.html", "b.html", "c.html"),
        ("_redirects", "/n* /b.html 200", "b.html", "c.html"),
    ] {
        let tree = Tree::new(&[("a.html", "<a href=b.html>b</a>"), ("b.html", "b")]);
        tree.write(file, rules.as_bytes());
        let ran = tree.run(&["mv", "--write", old, new]);
        ran.tells(2, "", &format!("{file}: a rule of the server names it"));
        // A file wins over a rule that is not forced.
        tree.write(file, b"");
        tree.write("_redirects", b"/n* /a.html 301");
        assert_eq!(tree.run(&["mv", "--write", old, new]).code, 0, "{rules}");
    }
    let tree = Tree::new(&[("a.html", "<a href=/new.html>n</a>"), ("b.html", "b")]);
    tree.write("_redirects", b"/n* /a.html 301");
    let ran = tree.run(&["mv", "--write", "b.html", "new.html"]);
    ran.tells(
        2,
        "",
        "a.html:1: /new.html: the reference would reach the new file",
    );
}

#[test]
fn a_move_is_in_the_root_of_a_configuration() {
    let tree = Tree::new(&[
        ("docs/a.md", "[b](/guide/b)\n"),
        ("docs/b.md", "# B\n"),
        (
            "uriscan.toml",
            "root = 'docs=https://example.com/guide/'\ntry-ext = ['md']\nelement = ['img']\n",
        ),
    ]);
    let ran = tree.run(&["mv", "--write", "docs/b.md", "docs/c/d.md"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.err, "configuration: uriscan.toml (root, try-ext)\n");
    assert_eq!(read(&tree, "docs/a.md"), "[b](/guide/c/d)\n");
}

#[test]
fn a_journal_that_came_with_the_tree_moves_nothing_elsewhere() {
    let elsewhere = Tree::new(&[("profile", "old"), ("secret", "key")]);
    let outside = |name: &str| elsewhere.path().join(name).to_str().unwrap().to_owned();
    let tree = site();
    let path = |name: &str| tree.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir_all(tree.path().join(".git/hooks")).unwrap();
    let pairs = [
        [path("a.html"), outside("profile")],
        [outside("secret"), path("secret.html")],
        [path("a.html"), path(".git/hooks/post-checkout")],
        [path("a.html"), path("x/../../profile")],
    ];
    for pair in pairs {
        tree.write(".uriscan-mv", (pair.join("\0") + "\0").as_bytes());
        let ran = tree.run(&["mv", "--write", "doc/a.md", "doc/b.md"]);
        assert_eq!(ran.code, 2, "{pair:?}");
        assert!(tree.path().join("a.html").exists() && tree.path().join("doc/a.md").exists());
        assert_eq!(read(&elsewhere, "profile"), "old");
        assert_eq!(read(&elsewhere, "secret"), "key");
    }
}

#[cfg(unix)]
#[test]
fn redirects_are_not_written_through_a_link_out_of_the_tree() {
    let elsewhere = Tree::new(&[("profile", "old")]);
    let tree = site();
    let link = tree.path().join("_redirects");
    std::os::unix::fs::symlink(elsewhere.path().join("profile"), link).unwrap();
    let arguments = [
        "mv",
        "--write",
        "--redirect",
        "_redirects",
        "a.html",
        "z.html",
    ];
    let ran = tree.run(&arguments);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert_eq!(read(&elsewhere, "profile"), "old");
    assert!(tree.path().join("a.html").exists() && !tree.path().join(".uriscan-mv").exists());
}

#[test]
fn a_title_is_refused_that_gives_other_headings_other_ids() {
    let page = "# A\n\n## B\n\n## A\n\n<a id=c></a>\n\n[](#a) [](#b) [](#a-1)\n";
    let tree = Tree::new(&[("a.md", page)]);
    for (id, title) in [("a", "B"), ("a", "D"), ("b", "C"), ("b", "A")] {
        let ran = tree.run(&["mv", "--write", "--heading", &format!("a.md#{id}"), title]);
        ran.tells(2, "", "other ids of the page would change too");
    }
    assert_eq!(read(&tree, "a.md"), page);
    let ran = tree.run(&["mv", "--write", "--heading", "a.md#a-1", "B"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(read(&tree, "a.md").ends_with("[](#a) [](#b) [](#b-1)\n"));
}

#[test]
fn a_document_whose_links_a_generator_reads_its_own_way_is_not_moved() {
    let docusaurus = "module.exports={baseUrl:'/',presets:[['classic',{}]]}";
    let sites: [&[(&str, &str)]; 3] = [
        &[
            ("docusaurus.config.js", docusaurus),
            ("docs/x/b.md", "# B\n"),
            ("docs/sub/a.md", "# A\n\n[x](x/b.md)\n"),
        ],
        &[
            ("antora.yml", "name: c\nversion: '1'\n"),
            (
                "antora-playbook.yml",
                "content:\n  sources:\n  - url: .\nui:\n  bundle: x\n",
            ),
            ("modules/ROOT/pages/b.adoc", "= B\n"),
            ("modules/ROOT/pages/sub/a.adoc", "= A\n\nxref:b.adoc[]\n"),
        ],
        &[
            (
                "hugo.toml",
                "baseURL='https://example.com/'\nlanguageCode='en'\n",
            ),
            ("content/x/b.md", "---\ntitle: b\n---\n"),
            ("content/x/a.md", "---\ntitle: a\n---\n[x](../b/)\n"),
        ],
    ];
    for files in sites {
        let tree = Tree::new(files);
        let old = files[files.len() - 1].0;
        let new = old.replace("/a.", "/deeper/c.");
        assert_eq!(tree.run(&["audit", "."]).code, 0, "{old}");
        let ran = tree.run(&["mv", "--write", old, &new]);
        ran.tells(2, "", "the reference reaches it under another name");
    }
}

#[test]
fn a_page_with_absolute_links_to_pages_that_stay_is_moved() {
    let tree = Tree::new(&[
        (
            "hugo.toml",
            "baseURL='https://example.com/'\nlanguageCode='en'\n",
        ),
        ("content/x/b.md", "---\ntitle: b\n---\n[a](/y/a/)\n"),
        ("content/y/a.md", "---\ntitle: a\n---\n[x](/x/b/#x)\n"),
        ("content/z/c.md", "---\ntitle: c\n---\n[x](/x/b/)\n"),
    ]);
    let before = contents(tree.path());
    for (old, new) in [
        ("content/z/c.md", "content/y/w/c.md"),
        ("content/y/w/c.md", "content/z/c.md"),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    assert_eq!(contents(tree.path()), before);
    let ran = tree.run(&["mv", "--write", "content/y/a.md", "content/y/d.md"]);
    ran.tells(2, "", "content/x/b.md:4: /y/a/: the reference reaches it");
}

/// The reference reaches the same file from its place and from the page's URL, but not after the move.
#[test]
fn a_page_is_not_moved_where_its_site_would_read_its_links_as_others() {
    let docsify = "<script>window.$docsify={}</script><script src=docsify.js></script>";
    let sites: [(&[(&str, &str)], &str); 2] = [
        (
            &[
                ("docs/index.md", "<img src='img/i.png'>\n"),
                ("mkdocs.yml", "site_name: x\n"),
                ("docs/img/i.png", ""),
            ],
            "docs/home.md",
        ),
        (
            &[
                ("_sidebar.md", "* [a](guide/a.md)\n"),
                ("index.html", docsify),
                (".nojekyll", ""),
                ("docsify.js", ""),
                ("guide/a.md", "# A\n"),
            ],
            "part/_sidebar.md",
        ),
    ];
    for (files, new) in sites {
        let tree = Tree::new(files);
        assert_eq!(tree.run(&["audit", "."]).code, 0, "{new}");
        let ran = tree.run(&["mv", files[0].0, new]);
        ran.tells(2, "", "the reference reaches it under another name");
    }
}

#[test]
fn a_part_of_a_site_is_not_moved_and_a_site_moves_as_a_whole() {
    let files = [
        ("book/book.toml", "[book]\n"),
        ("book/src/SUMMARY.md", "- [A](a.md)\n- [B](b/b.md)\n"),
        ("book/src/a.md", "[b](b/b.md)\n"),
        ("book/src/b/b.md", "# B\n"),
        ("notes/c.md", "# C\n"),
        ("sphinx/conf.py", "extensions = ['myst_parser']\n"),
        (
            "sphinx/a.md",
            "[b](d/b) [b](/d/b) {doc}`/d/b` [c](../notes/c.md)\n",
        ),
        ("sphinx/d/b.md", "# B\n\n[a](../a)\n"),
    ];
    let tree = Tree::new(&files);
    for (old, new) in [
        ("book/src", "book/text"),
        ("book/src/SUMMARY.md", "book/src/x.md"),
        ("book/book.toml", "book/x.toml"),
        ("book/src/b", "notes/b"),
        ("notes/c.md", "book/src/c.md"),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        ran.tells(2, "", "book/: the site here would lose or gain files");
    }
    for (old, new) in [
        ("book", "notes/book"),
        ("notes/book/src/a.md", "notes/book/src/d.md"),
        ("sphinx", "deeper/docs"),
        ("deeper", "sphinx"),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(tree.run(&["audit", "."]).code, 0, "{old}");
    }
}

#[test]
fn a_page_is_not_moved_where_its_site_would_not_publish_it() {
    let tree = Tree::new(&[
        (
            "d/docusaurus.config.js",
            "module.exports={baseUrl:'/',presets:[['classic',{}]]}",
        ),
        ("d/docs/a.md", "[b](b.md)\n"),
        ("d/docs/b.md", "# B\n"),
        ("j/_config.yml", "theme: minima\n"),
        ("j/a.md", "---\n---\n[b](b.md)\n"),
        ("j/b.md", "---\n---\n"),
        ("j/_posts/2024-01-01-p.md", "---\n---\n"),
        ("h/hugo.toml", "baseURL='/'\nlanguageCode='en'\n"),
        ("h/content/p/index.md", "---\ntitle: p\n---\n"),
        ("h/content/p/part.md", "---\ntitle: q\n---\n"),
        ("d/docs/g/c.md", "# C\n"),
        (
            "d/docs/g/_category_.json",
            "{\"link\": {\"type\": \"generated-index\"}}",
        ),
        ("v/.vitepress/config.mjs", "export default {}\n"),
        ("v/a.md", "[x](pkg/foo)\n"),
        ("v/pkg/[x].md", "# X\n"),
        ("v/pkg/[x].paths.js", ""),
        (
            "y/index.html",
            "<script>window.$docsify = {relativePath: true}</script>",
        ),
        ("y/g/_sidebar.md", "[a](y/a.md)\n"),
        ("y/a.md", "# A\n"),
        ("x/_config.yml", "title: x\n"),
        ("x/package.json", "{\"hexo\": {}}"),
        ("x/source/_posts/a.md", "---\ndate: 2024-01-02\n---\n# A\n"),
        ("n/antora.yml", "name: c\nversion: ~\n"),
        (
            "n/antora-playbook.yml",
            "content: {sources: [{url: .}]}\nui: {}\n",
        ),
        (
            "n/modules/ROOT/pages/a.adoc",
            "= A\n\nxref:b.adoc[] link:{attachmentsdir}/x.txt[]\n",
        ),
        ("n/modules/ROOT/pages/b.adoc", "= B\n\nxref:a.adoc[]\n"),
        ("n/modules/ROOT/attachments/x.txt", "x\n"),
        ("n/modules/m/pages/c.adoc", "= C\n"),
    ]);
    let reason = "the site would publish it otherwise at the new place, or not at all";
    let other_module = "the site here would lose or gain files";
    for (old, new, reason) in [
        ("d/docs/b.md", "d/docs/_b.md", reason),
        ("d/docs/b.md", "d/docs/_x/b.md", reason),
        ("j/b.md", "j/_drafts/b.md", reason),
        ("v/pkg", "v/guide/n/ew", reason),
        ("y/g/_sidebar.md", "y/g/nav.md", reason),
        ("j/_posts/2024-01-01-p.md", "j/_posts/p.md", reason),
        (
            "n/modules/ROOT/pages/b.adoc",
            "n/modules/ROOT/partials/b.adoc",
            reason,
        ),
        (
            "n/modules/ROOT/pages/b.adoc",
            "n/modules/m/pages/b.adoc",
            other_module,
        ),
        (
            "n/modules/ROOT/attachments/x.txt",
            "n/modules/ROOT/attachments/y.txt",
            "{attachmentsdir}/x.txt: the reference reaches it under another name",
        ),
    ] {
        tree.run(&["mv", "--write", old, new]).tells(2, "", reason);
    }
    for (old, new) in [
        ("d/docs/b.md", "d/docs/x/b.md"),
        ("j/_posts/2024-01-01-p.md", "j/_posts/2024-01-02-q.md"),
        ("h/content/p", "h/content/q/r"),
        ("d/docs/g", "d/docs/h"),
        ("x/source/_posts/a.md", "x/source/_posts/b.md"),
        ("n/modules/ROOT/pages/b.adoc", "n/modules/ROOT/pages/d.adoc"),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code, 0, "{old}: {}", ran.err);
    }
    assert_eq!(tree.run(&["audit", "."]).code, 0);
}

/// Rule A108.
#[test]
fn a_page_that_an_unknown_generator_finds_by_an_absolute_path_is_not_moved() {
    let tree = Tree::new(&[
        ("site/content/a/1-b.md", "[c](/a/c) [d](/d/)\n"),
        ("site/content/a/c.md", "[b](/a/b#b)\n"),
        ("site/content/d/index.md", "# D\n"),
        ("site/content/e/f.md", "[g](/e/g)\n"),
        ("site/content/e/g.md", "# G\n"),
    ]);
    let reason = "the reference reaches it under another name";
    for (old, new) in [
        ("site/content/a/1-b.md", "site/content/a/z.md"),
        ("site/content/d", "site/content/y"),
        ("site/content/d/index.md", "site/content/d/x.md"),
        ("site/content/e/f.md", "f.md"),
        ("site/content/e", "site/content/z"),
    ] {
        tree.run(&["mv", "--write", old, new]).tells(2, "", reason);
    }
    for (old, new) in [
        ("site/content", "docs"),
        ("docs/e/f.md", "docs/z/f.md"),
        ("docs/d/index.md", "docs/d/README.md"),
    ] {
        let ran = tree.run(&["mv", "--write", old, new]);
        assert_eq!(ran.code == 0, !new.contains("README"), "{old}: {}", ran.err);
    }
}

#[test]
fn a_file_with_rules_of_a_server_is_not_moved() {
    let tree = site();
    tree.write("_redirects", b"/old /new 301\n");
    let ran = tree.run(&["mv", "--write", "_redirects", "dir/_redirects"]);
    ran.tells(
        2,
        "",
        "_redirects: the server would read its rules elsewhere",
    );
}

#[test]
fn a_file_is_not_moved_to_the_name_of_a_folder_or_below_a_file() {
    let tree = site();
    let ran = tree.run(&["mv", "--write", "b.html", "new/"]);
    ran.tells(2, "", "a file has no slash at the end of its path");
    let ran = tree.run(&["mv", "b.html", "a.html/b.html"]);
    ran.tells(2, "", "a.html: it is not a folder");
}

#[cfg(unix)]
#[test]
fn a_folder_is_not_moved_where_a_symbolic_link_in_it_would_lead_elsewhere() {
    for (to, new, code) in [
        ("../i.svg", "deep/er", 2),
        ("../i.svg", "other", 0),
        ("more.html", "deep/er", 0),
        ("../dir/more.html", "other", 2),
        ("nothing", "deep/er", 0),
    ] {
        let tree = site();
        std::os::unix::fs::symlink(to, tree.path().join("dir/link")).unwrap();
        let ran = tree.run(&["mv", "--write", "dir", new]);
        assert_eq!(ran.code, code, "{to} {new}: {}", ran.err);
    }
}

#[cfg(unix)]
#[test]
fn ignored_damage_and_ignored_links_do_not_forbid_a_move() {
    use std::os::unix::fs::symlink;

    let tree = Tree::new(&[("app/a.md", "[b](b.md)\n"), ("app/b.md", "")]);
    tree.write("app/node_modules/p/d.pdf", b"%PDF-1.4\ngarbage\n");
    tree.write("app/.cache/e.epub", b"PK\x03\x04garbage");
    tree.write("node_modules/x.js", b"");
    tree.write(".ignore", b"node_modules\n");
    symlink("../app", tree.path().join("node_modules/app")).unwrap();
    let ran = tree.run(&["mv", "app", "apps/app"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    // Links that move themselves are not left out.
    symlink(
        "../../node_modules/x.js",
        tree.path().join("app/node_modules/x.js"),
    )
    .unwrap();
    tree.write("_redirects", b"/old /app/a.md\n");
    symlink("app", tree.path().join("ln")).unwrap();
    let ran = tree.run(&["mv", "--root", ".", "app", "apps/app"]);
    assert_eq!(ran.code, 2);
    for line in [
        "uriscan: app/node_modules/x.js: a symbolic link would lead elsewhere",
        "uriscan: ln: a symbolic link would lead elsewhere",
        "uriscan: _redirects: a rule of the server names it",
    ] {
        assert!(ran.err.lines().any(|it| it == line), "{}", ran.err);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_moved_away_from_a_symbolic_link_to_it() {
    for (to, old, code) in [
        ("dir", "dir", 2),
        ("dir/more.html", "dir", 2),
        ("dir/more.html", "dir/more.html", 2),
        ("dir/more.html", "dir/index.html", 2),
        ("dir", "alias/more.html", 2),
        ("nothing", "dir", 0),
        ("css", "dir", 0),
    ] {
        let tree = site();
        std::os::unix::fs::symlink(to, tree.path().join("alias")).unwrap();
        let ran = tree.run(&["mv", "--write", old, "other"]);
        assert_eq!(ran.code, code, "{to} {old}: {}", ran.err);
        let reason = if old.starts_with("alias") {
            "alias/more.html: it is reached through a symbolic link"
        } else {
            "alias: a symbolic link would lead elsewhere"
        };
        assert_eq!(
            ran.err.contains(reason),
            code == 2 && !old.ends_with("index.html")
        );
    }
}

#[test]
fn a_page_that_an_entry_of_ignored_findings_names_is_not_moved() {
    let entry = |path: &str| {
        format!("[[ignore]]\nrule = \"broken-file\"\npath = \"{path}\"\nreason = \"x\"\n")
    };
    let tree = Tree::new(&[("b.html", "<a href=none.html>"), ("d/e.html", "")]);
    for (path, old, new, code) in [
        ("b.html", "b.html", "c.html", 2),
        ("/b.html", "b.html", "c.html", 0),
        ("b.html", "b.html", "d/b.html", 0),
        ("*.html", "b.html", "c.html", 0),
        ("d/**", "d", "f", 0),
        ("d/**", "d/e.html", "e.html", 0),
        ("d/e.html", "d", "f", 2),
        ("d/e.html", "d/e.html", "e.html", 2),
        ("e.html", "d/e.html", "d/f.html", 0),
        ("e.html", "d", "f", 0),
    ] {
        tree.write("uriscan.toml", entry(path).as_bytes());
        let ran = tree.run(&["mv", old, new]);
        assert_eq!(ran.code, code, "{path} {new}: {}", ran.err);
        let reason = "uriscan.toml: an entry of `ignore` names ";
        assert_eq!(ran.err.contains(reason), code == 2, "{}", ran.err);
    }
    // Another entry holds for the new path.
    tree.write(
        "uriscan.toml",
        [entry("b.html"), entry("c.html")].concat().as_bytes(),
    );
    assert_eq!(tree.run(&["mv", "b.html", "c.html"]).code, 0);
}
