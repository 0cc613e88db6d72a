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
