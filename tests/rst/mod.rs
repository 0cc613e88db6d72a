//! reStructuredText: documents made of parts with known references, and cases of the rules of
//! `document/rst`. `tests/oracles/rst.py` compares real trees with docutils.

use crate::markup::{both, check_soups, check_windows, codes, references, rows};
use crate::text::soup::Numbers;

const FORMAT: &str = "rst";

fn found(rst: &str) -> Vec<String> {
    references(FORMAT, rst)
}

/// Parts of documents at the left margin, and the references in each. They may stand in any order.
#[rustfmt::skip]
const PARTS: &[(&str, &[&str])] = &[
    ("See `a <one.html>`_ and http://example.com/two.", &["one.html", "http://example.com/two"]),
    ("Over lines `a\n<three.html>`__ *http://example.com/no*.", &["three.html"]),
    ("Title `x <four.html>`_\n======================", &["four.html"]),
    ("====\nhttp://example.com/title\n====", &["http://example.com/title"]),
    (".. _name: http://example.com/\n   five", &["http://example.com/five"]),
    (".. _a: six.html\n.. _`b: c`: seven.html\n.. _d: a_", &["six.html", "seven.html"]),
    ("__ eight.html", &["eight.html"]),
    (".. image:: nine.png\n   :target: ten.html\n   :alt: http://example.com/no", &["nine.png", "ten.html"]),
    (".. |i| image:: eleven.png", &["eleven.png"]),
    (".. http://example.com/no\n   http://example.com/no\n\n   http://example.com/no", &[]),
    ("Code::\n\n   http://example.com/no\n\n     http://example.com/no", &[]),
    ("Quoted::\n\n> http://example.com/no\n> http://example.com/no", &[]),
    (".. code-block:: sh\n   :caption: x\n\n   curl http://example.com/no", &[]),
    (".. note:: `a <twelve.html>`_\n   and http://example.com/13\n\n   http://example.com/14", &["twelve.html", "http://example.com/13", "http://example.com/14"]),
    (".. warning::\n   http://example.com/15", &["http://example.com/15"]),
    ("- `a\n  <sixteen.html>`_\n- * http://example.com/17\n\n  more `x <18.html>`_", &["sixteen.html", "http://example.com/17", "18.html"]),
    ("1. `a\n   <19.html>`_\n#. http://example.com/20", &["19.html", "http://example.com/20"]),
    (":field: `a\n  <21.html>`_\n:other: http://example.com/22", &["21.html", "http://example.com/22"]),
    (":see http://example.com/38: `a <39.html>`_\n:x `b <40.html>`_: y", &["http://example.com/38", "39.html", "40.html"]),
    ("term http://example.com/23\n   meaning `a <24.html>`_", &["http://example.com/23", "24.html"]),
    ("| http://example.com/25\n| `a <26.html>`_", &["http://example.com/25", "26.html"]),
    (">>> http://example.com/no\nhttp://example.com/no", &[]),
    (".. [1] `a\n   <27.html>`_", &["27.html"]),
    ("+-------------+----------+\n| `a          | x::      |\n| <28.html>`_ |          |\n+-------------+   no     |\n| http://e.example/29    |\n+-------------+----------+", &["28.html", "http://e.example/29"]),
    ("====================  ====\nhttp://e.example/30   x\n`a                    |y|\n\\ <31.html>`_\n====================  ====", &["http://e.example/30"]),
    (".. toctree::\n   :glob:\n\n   32\n   a/*\n   self\n   T <33>", &["32", "33"]),
    (":doc:`34`, :doc:`t <35>`, :download:`36.zip`, :ref:`no`, `37`:doc:", &["34", "35", "36.zip", "37"]),
    (".. include:: 38.txt\n.. include:: <isonum.txt>\n.. literalinclude:: 39.py\n   :lines: 1-2", &["38.txt", "39.py"]),
    ("``http://example.com/no`` `http://example.com/no` |http://example.com/no| _`http://example.com/no`", &[]),
    (".. parsed-literal::\n\n   - `a\n   <40.html>`_", &["40.html"]),
    ("   A quote of http://example.com/41\n\n   -- somebody", &["http://example.com/41"]),
];

#[test]
fn documents_of_known_parts() {
    for seed in 0..300 {
        let mut numbers = Numbers::seeded(seed);
        let (mut document, mut expected) = (String::new(), Vec::new());
        for _ in 0..8 {
            let (part, references) = numbers.pick(PARTS);
            document += part;
            // A blank line may have blanks, and there may be several.
            document += *numbers.pick(&["\n\n", "\n\n\n", "\n  \n", "\r\n\r\n"]);
            document += "Text.\n\n";
            expected.extend(references.iter().map(|reference| (*reference).to_owned()));
        }
        assert_eq!(found(&document), expected, "{document}");
    }
}

/// Tokens of documents that need not make sense.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "`", "``", "*", "**", "_", "__", "|", "[", "]", "]_", "<", ">", ":", "::", "\\", "(", ")", "\"", "'", ".", ",", "-", "=", "+", "#", "@",
    "a", "b", "\u{e9}", "\u{4e2d}", "http://e.example/a", "mailto:a@e.example", " <b>`_", " <b_>`_", ":doc:`", ":ref:`", "`_", "`__",
    " ", " ", "  ", "\t", "\n", "\n", "\n", "\n\n", "\r\n", "\n   ", "\n  ", "\n\n   ", "\n- ", "\n1. ", "\n* ", "\n| ", "\n:x: ", "\n>>> ", "\n.. ",
    "\n.. _a: ", "\n.. __: ", "\n__ ", "\n.. [1] ", "\n.. |x| ", "\n.. image:: ", "\n.. note:: ", "\n.. toctree::\n\n   ", "\n.. code::\n\n   ",
    "\n.. csv-table::\n\n   ", "\n.. parsed-literal::\n\n   ", "\n   :target: ", "\n====\n", "\n----\n", "\n+---+---+\n", "\n| a | b |", "\n+   +---+\n",
    "\n===  ===\n", "\na    b", "::\n\n", "\n\n> ", "\u{feff}", "\0",
];

#[test]
fn soups() {
    check_soups(FORMAT, TOKENS);
}

/// Reads a document in windows, which give the same, and checks its spans.
pub(crate) fn check(rst: &[u8], window: usize) {
    check_windows(FORMAT, rst, window);
}

#[test]
fn inline_markup() {
    for (rst, expected) in [
        ("`a <b>`_", vec!["b"]),
        ("(`a <b>`_)`c <d>`_", vec!["b"]),
        ("x`a <b>`_", vec![]),
        ("`a <b c\\ d>`_", vec!["bc d"]),
        (
            "`a <b_>`_ `a <b\\_>`_ `a <http://e.example/b_>`_",
            vec!["b_", "http://e.example/b_"],
        ),
        ("`<b>`_ `a<b>`_ `a < b>`_ `a <b >`_", vec!["b"]),
        ("``a`` `b <c>`_ ``d", vec!["c"]),
        ("*a `b <no>`_ c* `d <e>`_", vec!["e"]),
        ("**a `b <no>`_ c** *d", vec![]),
        ("\\`a <no>`_ \\http://e.example/", vec![]),
        ("\"*\" `a <b>`_ \"*\"", vec!["b"]),
        (
            "http://e.example/a_b http://e.example/a_ x",
            vec!["http://e.example/a_b", "http://e.example/"],
        ),
        ("[1]_ [#a]_ [*]_ `a <b>`_ |x|_ |y|__", vec!["b"]),
        ("`a <b>`_'s `c\n<d>`__-like", vec!["b", "d"]),
    ] {
        assert_eq!(found(rst), expected, "{rst}");
    }
}

#[test]
fn targets() {
    for (rst, expected) in [
        (".. _a: b", vec!["b"]),
        (".. _a:\n   b\n   c", vec!["bc"]),
        (".. _a: b_", vec![]),
        (".. _a: `b c`_", vec![]),
        (".. _a: http://e.example/b_", vec!["http://e.example/b_"]),
        (".. _a\\: b: c", vec!["c"]),
        (".. _`a: b`: c", vec!["c"]),
        (".. __: a\n.. __: b\n__ c\n__ d_", vec!["a", "b", "c"]),
        (".. _a:: b", vec![]),
        (".. _a : b", vec!["b"]),
        (".. _: b", vec![]),
        (".._a: b", vec![]),
    ] {
        assert_eq!(found(rst), expected, "{rst}");
    }
}

#[test]
fn standalone_uris() {
    for (rst, expected) in [
        ("http://e.example/a.", vec!["http://e.example/a"]),
        ("<http://e.example/a.>", vec!["http://e.example/a."]),
        ("http://e.example/a\u{e9}", vec!["http://e.example"]),
        (
            "http://e.example/?a=b&c#d, x",
            vec!["http://e.example/?a=b&c#d"],
        ),
        ("http://e.example/?", vec!["http://e.example/"]),
        ("see:http://e.example/", vec!["http://e.example/"]),
        ("foo:bar http://e.example/", vec!["http://e.example/"]),
        ("xhttp://e.example/ =http://e.example/", vec![]),
        ("http:/e.example/ http: https://", vec![]),
        (
            "mailto:a@e.example news:comp.lang",
            vec!["mailto:a@e.example", "news:comp.lang"],
        ),
        ("http://e.example/a\\_ b", vec!["http://e.example/a_"]),
        ("URL:http://e.example/(a)", vec!["http://e.example/(a"]),
    ] {
        assert_eq!(found(rst), expected, "{rst}");
    }
}

#[test]
fn mail_addresses() {
    let rst = "a@e.example, <b@e.example> `x <c@e.example>`_\n\n.. _y: d@e.example\n";
    assert!(found(rst).is_empty());
    let with_mail = rows(FORMAT, rst, true).into_iter();
    let with_mail: Vec<_> = with_mail.map(|row| row.reference).collect();
    let addresses = ["a", "b", "c", "d"].map(|name| format!("mailto:{name}@e.example"));
    assert_eq!(with_mail, addresses);
}

#[test]
fn globs_math_raw_and_literals_have_no_links() {
    for rst in [
        ".. image:: a.*",
        ".. include:: <isonum.txt>",
        ".. toctree::\n   :glob:\n\n   *\n   self\n   genindex",
        ".. math::\n\n   http://e.example/\n\n   http://e.example/",
        ".. raw:: html\n\n   <a href=\"http://e.example/\">",
        "::\n\n  http://e.example/",
        "a::\n\n  http://e.example/\n\n\n  http://e.example/",
        "- a::\n\n    http://e.example/",
        ".. a comment\n   http://e.example/\n\n     http://e.example/",
        "..\n   http://e.example/",
        ":doc:`!no`",
    ] {
        assert!(found(rst).is_empty(), "{rst}");
    }
    assert_eq!(found("..\n\n   http://e.example/"), ["http://e.example/"]);
    assert_eq!(found("a::\n\nhttp://e.example/"), ["http://e.example/"]);
    assert_eq!(
        found("- a::\n\n    b\n\n  http://e.example/"),
        ["http://e.example/"]
    );
    assert_eq!(found(".. raw:: html\n   :file: a.html"), ["a.html"]);
    assert_eq!(
        found(".. csv-table::\n   :url: a.csv\n\n   http://e.example/,\"x\""),
        ["a.csv", "http://e.example/"]
    );
}

#[test]
fn body_elements() {
    for (rst, expected) in [
        ("A. Person `is\n<a>`_ here", vec!["a"]),
        ("(i) `x\n    <a>`_\n(ii) y", vec!["a"]),
        ("text\n.. _no: b", vec![]),
        (".. versionadded:: 1.0 `x\n   <a>`_", vec!["a"]),
        (
            ".. unknown:: http://e.example/no\n   :class: x\n\n   http://e.example/",
            vec!["http://e.example/"],
        ),
        (
            ".. py:function:: f(x)\n   http://e.example/",
            vec!["http://e.example/"],
        ),
        (
            ".. figure:: a.png\n\n   `x <b>`_\n\n   c http://e.example/",
            vec!["a.png", "b", "http://e.example/"],
        ),
        ("\u{2022} `x\n  <a>`_", vec!["a"]),
        ("\t`x\n\t<a>`_", vec!["a"]),
    ] {
        assert_eq!(found(rst), expected, "{rst}");
    }
}

#[test]
fn tables() {
    let grid = "\
+-----------------+-----+
| `a              | x   |
| <b>`_           |     |
+=================+=====+
| http://e.example/     |
+--------+--------+-----+
| |sub|  | - `c   | d   |
|        |   <e>`_|     |
+--------+--------+ f   |
| \u{4e2d}\u{6587}   | `g\u{4e2d}  |     |
| x      | <h>`_  |     |
+--------+--------+-----+
";
    assert_eq!(found(grid), ["b", "http://e.example/", "e", "h"]);
    let simple = "\
=====  ========
a      b
=====  ========
x      `y
       <z>`_
u      http://e.example/
=====  ========
";
    assert_eq!(found(simple), ["z", "http://e.example/"]);
}

#[test]
fn anchors() {
    let rst = "A Title\n=======\n\n.. _My Label:\n\nOther `x <y>`_ **b**!\n-----------------------\n\n\
               A Title\n-------\n\n.. [Cit2002] x\n\nAn _`inline target`.\n\n.. image:: a.png\n   :name: The Name\n\n\
               .. _external: http://e.example/\n";
    let anchors: Vec<String> = both(FORMAT, rst).anchors;
    assert_eq!(
        anchors,
        [
            "a-title",
            "my-label",
            "other-x-b",
            "id1",
            "cit2002",
            "inline-target",
            "the-name"
        ]
    );
}

/// Blocks of more than 1 MiB are cut behind a line, or inside a longer one.
#[test]
fn long_blocks() {
    let line = format!("`a <b>`_ and {}\n", "more ".repeat(30));
    let count = (5 << 19) / line.len();
    let lines = line.repeat(count);
    assert_eq!(codes(FORMAT, &lines), [("markup.block-too-long", 2)]);
    assert_eq!(found(&lines).len(), count);
    let long = "x".repeat(2 << 20) + " http://e.example/";
    assert_eq!(codes(FORMAT, &long), [("markup.block-too-long", 2)]);
    assert_eq!(found(&long), ["http://e.example/"]);
    // What is not read has no limit.
    let code = format!("a::\n\n {}\n\n`a <b>`_", "x\n ".repeat(1 << 20));
    assert_eq!(codes(FORMAT, &code), []);
    assert_eq!(found(&code), ["b"]);
}

#[test]
fn roles_of_pep_and_rfc_are_links_by_the_templates_of_docutils() {
    let text =
        "See :pep:`484`, :PEP:`8`, :rfc:`2324`, :rfc:`2822#section-1` and `7`:rfc-reference:.";
    let found = rows(FORMAT, text, false);
    let references: Vec<_> = found.iter().map(|row| row.reference.as_str()).collect();
    assert_eq!(
        references,
        [
            "https://peps.python.org/pep-0484",
            "https://peps.python.org/pep-0008",
            "https://tools.ietf.org/html/rfc2324.html",
            "https://tools.ietf.org/html/rfc2822.html#section-1",
            "https://tools.ietf.org/html/rfc7.html",
        ]
    );
    // The span is that of the role's text.
    assert_eq!(found[0].span, (10, 13));
    assert_eq!(found[0].element.as_deref(), Some("pep"));
    assert!(found[0].flags.is_empty());
    let none = ":pep:`x`, :rfc:`!1`, :pep:`title <8>`, :cve:`2020-10735`, :cwe:`787`";
    assert!(rows(FORMAT, none, false).is_empty());
}
