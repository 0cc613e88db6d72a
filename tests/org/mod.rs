//! Org: cases of the rules of `document/org`.

use crate::markup::{check_soups, references, rows};

const FORMAT: &str = "org";

#[track_caller]
fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(references(FORMAT, text), *expected, "{text}");
    }
}

#[test]
fn links_in_brackets_are_uris_or_files() {
    check(&[
        ("[[https://example.com/a]]", &["https://example.com/a"]),
        (
            "x [[https://example.com/a b][a text]] y",
            &["https://example.com/a b"],
        ),
        ("[[mailto:a@example.com][mail]]", &["mailto:a@example.com"]),
        ("[[file:a.org::*Heading][text]]", &["a.org"]),
        (
            "[[file:/etc/x]] [[./b]] [[../c.org::12]] [[/d]] [[~/e]]",
            &["/etc/x", "./b", "../c.org", "/d", "~/e"],
        ),
        ("[[file:///etc/x]]", &["file:///etc/x"]),
        (
            "[[https://example.com/\\[a\\]][x]]",
            &["https://example.com/[a]"],
        ),
        (
            "[[https://example.com/\na][x\ny]]",
            &["https://example.com/ a"],
        ),
        ("[[file:a.org][file:b.png]]", &["a.org", "b.png"]),
        (
            "* Heading [[./a]]\n- item [[./b]]\n| [[./c]] | d |\n#+caption: [[./e]]",
            &["./a", "./b", "./c", "./e"],
        ),
        ("[[./a][[x]] [[./b]]", &["./a", "./b"]),
    ]);
    let found = rows(FORMAT, "[[file:a b.org][x]]", false);
    assert_eq!(found[0].target, "http://example.com/dir/a%20b.org");
    // Without `file:` and the place in the file.
    assert_eq!(found[0].span, (7, 14));
    let found = rows(FORMAT, "[[ file:a.org::*X ]] [[./b\\].org]]", false);
    let spans: Vec<_> = found.iter().map(|link| link.span).collect();
    assert_eq!(spans, [(8, 13), (23, 32)]);
    // A path has no scheme.
    let found = rows(FORMAT, "[[file:URL:a.org]]", false);
    assert_eq!(found[0].reference, "URL:a.org");
    assert_eq!(found[0].target, "http://example.com/dir/URL:a.org");
    assert_eq!(found[0].element.as_deref(), Some("a"));
}

#[test]
fn internal_targets_are_no_references() {
    check(&[(
        "[[#id]] [[*Heading]] [[id:0-1]] [[(label)]] [[word]] [[Some words][x]] [[file:::*x]] [[elisp:x]]",
        &[],
    )]);
}

#[test]
fn plain_uris_are_read_as_in_text() {
    check(&[
        (
            "See https://example.com/a, and <https://example.com/b>.",
            &["https://example.com/a", "https://example.com/b"],
        ),
        (
            "[[https://example.com/a][https://example.com/b]]",
            &["https://example.com/a", "https://example.com/b"],
        ),
        (
            "[[unclosed https://example.com/a",
            &["https://example.com/a"],
        ),
    ]);
}

#[test]
fn verbatim_text_is_not_read() {
    check(&[
        ("=[[./no]]= ~https://example.com/no~ a=[[./a]]=b", &["./a"]),
        (
            "#+begin_src sh\n[[./no]]\n\nhttp://example.com/no\n#+end_src\n[[./a]]",
            &["./a"],
        ),
        (
            "[[./a]]\n  #+BEGIN_EXAMPLE\n#+end_src\n[[./no]]\n  #+END_EXAMPLE\n[[./b]]",
            &["./a", "./b"],
        ),
        (
            "#+begin_src\n [[./no]]\n *a*\n*a*\n\n** H [[./a]]\n[[./b]]",
            &["./a", "./b"],
        ),
        ("#+begin_quote\n[[./a]]\n#+end_quote", &["./a"]),
        (": [[./no]]\n# [[./no]]\n[[./a]]", &["./a"]),
        (
            "src_sh{curl http://example.com/no} @@html:<a href=\"no\">@@ [[./a]]",
            &["./a"],
        ),
    ]);
}

#[test]
fn windows_make_no_difference() {
    check_soups(
        FORMAT,
        &[
            "[[",
            "]]",
            "][",
            "[",
            "]",
            "\\",
            "file:a",
            "./b",
            "::c",
            "https://example.com/d",
            "=",
            "~",
            " ",
            "\n",
            "\n\n",
            "#+begin_src\n",
            "#+end_src\n",
            "#+BEGIN_QUOTE\n",
            ": ",
            "# ",
            "* ",
            "@@",
            "src_a{",
            "}",
            "\r\n",
            "\u{e9}",
            "%",
            "{{",
            "\t",
        ],
    );
}
