//! LaTeX: cases of the rules of `document/latex`.

use uriscan::document::flags::Flags;

use crate::markup::{check_soups, references, rows};

const FORMAT: &str = "latex";

#[track_caller]
fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(references(FORMAT, text), *expected, "{text}");
    }
}

#[test]
fn arguments_of_url_and_href_are_references() {
    check(&[
        ("\\url{https://example.com/a}", &["https://example.com/a"]),
        (
            "\\url|https://example.com/a%b|, \\nolinkurl{x/y}",
            &["https://example.com/a%b", "x/y"],
        ),
        ("\\href{a.pdf}{text \\url{b}}", &["a.pdf", "b"]),
        ("\\href[page=2]{a.pdf}{text}", &["a.pdf"]),
        (
            "\\url{https://example.com/\n  a{b}c}",
            &["https://example.com/a{b}c"],
        ),
        ("\\urlstyle{same} \\hrefx{no} \\includegraphics{no}", &[]),
        ("\\url{} \\url", &[]),
    ]);
    let found = rows(FORMAT, "\\href{a b.pdf}{x}", false);
    assert_eq!(
        (found[0].span, found[0].element.as_deref()),
        ((6, 13), Some("href"))
    );
}

#[test]
fn escapes_are_undone_in_href_and_kept_in_url() {
    check(&[
        ("\\href{a\\%20b\\#c\\_d\\&e\\~f}{x}", &["a%20b#c_d&e~f"]),
        ("\\url{a\\%20b}", &["a\\%20b"]),
        ("\\href{a%20b}{x}", &["a%20b"]),
    ]);
}

#[test]
fn plain_uris_are_read_as_in_text() {
    check(&[(
        "See http://example.com/a, \\emph{http://example.com/b}.",
        &["http://example.com/a", "http://example.com/b"],
    )]);
}

#[test]
fn comments_and_verbatim_environments_are_not_read() {
    check(&[
        (
            "% \\url{no}\n\\url{a} % \\url{no}\n\\% \\url{b}",
            &["a", "b"],
        ),
        ("% \\url{no}\r\\url{a} % \\url{no}\r\\url{b}", &["a", "b"]),
        (
            "\\begin{verbatim}\n\\url{no}\n\nhttp://example.com/no\n\\end{verbatim} \\url{a}",
            &["a"],
        ),
        (
            "\\begin{lstlisting}[language=C]\n\\url{no}\\end{lstlisting}\\url{a}",
            &["a"],
        ),
        (
            "\\begin{minted}{c}\n\\url{no}\n\\end{verbatim}\n\\end{minted}\n\n\\url{a}",
            &["a"],
        ),
        (
            "\\verb|\\url{no}| \\verb*+http://example.com/no+ \\url{a}",
            &["a"],
        ),
    ]);
    // Past the first bytes of a line.
    let long = format!(
        "\\begin{{verbatim}}\n{}\\end{{verbatim}}\\url{{a}}",
        "x".repeat(5_000)
    );
    check(&[(&long, &["a"])]);
}

#[test]
fn parameters_and_macros_are_templates() {
    for text in ["\\newcommand{\\x}[1]{\\href{#1}{y}}", "\\url{\\base/a}"] {
        assert_eq!(
            rows(FORMAT, text, false)[0].flags,
            Flags::TEMPLATE,
            "{text}"
        );
    }
}

#[test]
fn windows_make_no_difference() {
    check_soups(
        FORMAT,
        &[
            "\\url",
            "\\href",
            "\\verb",
            "{",
            "}",
            "|",
            "[",
            "]",
            "%",
            "\\%",
            "\\",
            "a.html",
            "https://example.com/b",
            "\\begin{verbatim}",
            "\\end{verbatim}",
            "\\begin{minted}",
            "\\end{minted}",
            "\n",
            "\n\n",
            " ",
            "#1",
            "\u{e9}",
            "\r\n",
            "{{",
        ],
    );
}
