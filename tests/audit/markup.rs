//! Trees of reStructuredText and AsciiDoc.

use crate::cli::Tree;

/// The findings of an audit, one a line.
fn findings(files: &[(&str, &str)], path: &str) -> Vec<String> {
    let ran = Tree::new(files).run(&["audit", path]);
    ran.out.lines().map(str::to_owned).collect()
}

#[test]
fn broken_files_and_fragments_of_rst_are_found() {
    let page = "\
Title
=====

.. _label:

.. toctree::

   other
   gone

:doc:`/other` :doc:`away <gone2>` `x <other.rst#a-section>`_ `y <other.rst#no>`_ `z <#label>`_

.. image:: gone.png
.. include:: part.txt

`self <#nothing>`_
";
    let other = "A Section\n=========\n\n`back <page.rst#title>`_ `b <page.rst#label>`_\n";
    let files = [
        ("docs/page.rst", page),
        ("docs/other.rst", other),
        ("docs/part.txt", ""),
    ];
    assert_eq!(
        findings(&files, "docs"),
        [
            "docs/page.rst:9:4: error[broken-file]: gone (no such file)",
            "docs/page.rst:11:27: error[broken-file]: gone2 (no such file)",
            "docs/page.rst:11:66: error[broken-fragment]: other.rst#no (no such id)",
            "docs/page.rst:13:12: error[broken-file]: gone.png (no such file)",
            "docs/page.rst:16:8: error[broken-fragment]: #nothing (no such id)",
        ]
    );
}

/// The nearest directory above with `conf.py` is the root of names that begin with a slash.
#[test]
fn sphinx_names_files_from_the_root_of_its_tree() {
    let page = ":doc:`/index` :doc:`/nothing` :download:`/a.zip`\n\n.. image:: /img/x.png\n";
    let files = [
        ("site/docs/conf.py", ""),
        ("site/docs/index.rst", ":doc:`guide/page`\n"),
        ("site/docs/a.zip", ""),
        ("site/docs/img/x.png", ""),
        ("site/docs/guide/page.rst", page),
    ];
    assert_eq!(
        findings(&files, "site"),
        ["site/docs/guide/page.rst:1:21: error[broken-file]: /nothing (no such file)"]
    );
    // Without it the mount is the root.
    let files = files.map(|(path, text)| (path.replace("conf.py", "other.py"), text));
    let files = files.each_ref().map(|(path, text)| (path.as_str(), *text));
    assert_eq!(findings(&files, "site/docs").len(), 1);
    assert_eq!(findings(&files, "site").len(), 4);
}

#[test]
fn documents_of_sphinx_may_have_other_suffixes() {
    let page = ".. toctree::\n\n   a\n   b\n\n:doc:`c` :doc:`/d`\n";
    let files = [
        ("docs/index.rst", page),
        ("docs/a.md", ""),
        ("docs/b.ipynb", "{}"),
        ("docs/c.txt", ""),
    ];
    assert_eq!(
        findings(&files, "docs"),
        ["docs/index.rst:6:16: error[broken-file]: /d (no such file)"]
    );
}

/// Rule R16: only where the whole tree is read, and not for labels of other documentation.
#[test]
fn undefined_sphinx_labels_are_findings() {
    let page = "\
.. _My  Label:

Title
=====

.. figure:: a.png
   :name: a figure

An _`inline target`, :ref:`my label`, :ref:`text <A Figure>`, :numref:`a figure`, :ref:`inline
target`, :ref:`elsewhere`, :ref:`no such`, :ref:`see <gone>`, :ref:`python:library`, :ref:`!none`,
:ref:`genindex`, :ref:`title`.

.. _outside: http://example.com/
";
    let files = [
        ("site/docs/conf.py", ""),
        ("site/docs/a.png", ""),
        ("site/docs/guide/page.rst", page),
        (
            "site/docs/other.rst",
            ".. _elsewhere:\n\nText, :ref:`outside`.\n",
        ),
        ("site/notes/page.rst", ":ref:`not in a tree`\n"),
    ];
    let reported = |files: &[(&str, &str)], path: &str| -> Vec<String> {
        let found = findings(files, path);
        let lines = found.iter().filter_map(|line| {
            let (place, rest) = line.split_once(": warning[undefined-reference]: ")?;
            Some(format!("{place} {rest}"))
        });
        lines.collect()
    };
    let expected = [
        "site/docs/guide/page.rst:10:34 no such",
        "site/docs/guide/page.rst:10:55 gone",
        "site/docs/guide/page.rst:11:24 title",
        "site/docs/other.rst:3:13 outside",
    ];
    let short = |line: &str| line.split(" (").next().unwrap_or_default().to_owned();
    let found: Vec<String> = reported(&files, "site")
        .iter()
        .map(|line| short(line))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(reported(&files, "site/docs").len(), 4);
    assert!(reported(&files, "site/docs/guide").is_empty());
    // Text that is not read as markup may have labels, of the tree that includes it.
    let open = [
        ("site/other/conf.py", ""),
        (
            "site/other/page.rst",
            ".. include:: labels.txt\n\n:ref:`x`\n",
        ),
        ("site/other/labels.txt", ".. _x:\n"),
    ];
    assert_eq!(reported(&[&files[..], &open].concat(), "site").len(), 4);
    // Labels may come from elsewhere.
    let mut files = files;
    files[0].1 = "extensions = ['sphinx.ext.intersphinx']\n";
    let found = findings(&files, "site");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("a.png"), "{found:?}");
}

/// Rule J19.
#[test]
fn missing_attachments_of_cells_are_findings() {
    let notebook = r#"{"cells": [
{"attachments": {"a.png": {"image/png": "AAAA"}, "b c.png": {}}, "cell_type": "markdown",
 "source": ["![x](attachment:a.png) ![y](attachment:b%20c.png)\n",
  "![z](attachment:gone.png)"]},
{"cell_type": "markdown", "source": "![x](attachment:a.png)"},
{"cell_type": "markdown", "source": "![x](attachment:later.png) ![x](attachment:no.png)",
 "attachments": {"later.png": {"image/png": "AAAA"}}},
{"cell_type": "code", "source": "see attachment:code.png"},
{"cell_type": "markdown", "source": "nothing", "attachments": {"unused.png": {}}}
], "metadata": {"attachments": {}}, "nbformat": 4, "nbformat_minor": 5}"#;
    let rest = "the name that it refers to is not defined";
    assert_eq!(
        findings(&[("a/book.ipynb", notebook)], "a"),
        [
            format!("a/book.ipynb:4:9: warning[undefined-reference]: attachment:gone.png ({rest})"),
            format!("a/book.ipynb:5:43: warning[undefined-reference]: attachment:a.png ({rest})"),
            format!("a/book.ipynb:6:70: warning[undefined-reference]: attachment:no.png ({rest})"),
        ]
    );
}

#[test]
fn comments_ignore_findings() {
    let page = ".. uriscan-ignore broken-file: later\n\n:doc:`gone`\n\n.. uriscan-ignore-end\n\n:doc:`gone2`\n";
    let found = findings(&[("a/page.rst", page)], "a");
    assert_eq!(
        found,
        ["a/page.rst:7:7: error[broken-file]: gone2 (no such file)"]
    );
    let page = "// uriscan-ignore-next-line broken-file: later\nlink:gone[x]\nlink:gone2[x]\n";
    let found = findings(&[("a/page.adoc", page)], "a");
    assert_eq!(
        found,
        ["a/page.adoc:3:6: error[broken-file]: gone2 (no such file)"]
    );
}

#[test]
fn roles_of_a_tree_with_conf_py_are_those_of_sphinx() {
    let text = ":pep:`484`\n:pep:`title <8#s>`\n:rfc:`2324`\n:cve:`2020-10735`\n:cwe:`787`\n";
    let tree = Tree::new(&[("docs/conf.py", ""), ("docs/a/b.rst", text)]);
    tree.run(&["docs"]).is(
        0,
        "https://peps.python.org/pep-0484/\n\
         https://peps.python.org/pep-0008/#s\n\
         https://datatracker.ietf.org/doc/html/rfc2324.html\n\
         https://www.cve.org/CVERecord?id=CVE-2020-10735\n\
         https://cwe.mitre.org/data/definitions/787.html\n",
    );
}

#[test]
fn documents_that_are_read_as_text_are_counted_and_said() {
    let tree = Tree::new(&[
        ("a.typ", "#link(\"gone.html\")"),
        ("b.textile", "\"x\":gone.html"),
        ("notes.txt", "text"),
        ("LICENSE", "text"),
        ("c.md", "[x](a.typ)"),
        ("llms.txt", "[x](c.md)"),
    ]);
    let ran = tree.run(&["audit", "."]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err
            .contains("\n2 files read as text, where relative links are not seen\n"),
        "{}",
        ran.err
    );
    let ran = tree.run(&["audit", "--json", "."]);
    assert!(ran.out.contains(",\"read_as_text\":2,"), "{}", ran.out);
}
