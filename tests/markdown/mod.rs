//! Markdown: front matter and containers. `document/markdown` has the rules; `corpus/markdown`
//! more cases.

use std::time::{Duration, Instant};

use crate::markup::references;

#[track_caller]
fn check(format: &str, rows: &[(&str, &[&str])]) {
    for (text, expected) in rows {
        assert_eq!(references(format, text), *expected, "{format}: {text:?}");
    }
}

#[test]
fn text_between_two_lines_of_hyphens_is_read() {
    check(
        "markdown",
        &[
            ("# t\n\n---\n[a](b)\n---\n[c](d)\n", &["b", "d"]),
            ("x\n\n+++\n[a](b)\n+++\n", &["b"]),
            ("\n---\n[a](b)\n---\n", &["b"]),
            (" ---\n[a](b)\n---\n", &["b"]),
        ],
    );
}

#[test]
fn front_matter_at_byte_0_is_not_read_and_is_closed_by_its_own_mark() {
    check(
        "markdown",
        &[
            ("---\nx: [a](b)\n---\n[c](d)", &["d"]),
            ("\u{feff}---\nx: [a](b)\n---\n[c](d)", &["d"]),
            ("--- \r\n\r\nx: [a](b)\r\n---\t\r\n[c](d)", &["d"]),
            ("+++\nx = '[a](b)'\n---\n[e](f)\n+++\n[c](d)", &["d"]),
            ("---\n---\n[c](d)", &["d"]),
            // `...` and `+++` close nothing, and what nothing closes is a thematic break.
            ("---\n[a](b)\n...\n[c](d)", &["b", "d"]),
            ("---\n[a](b)\n+++\n[c](d)", &["b", "d"]),
            ("----\n[a](b)\n----\n", &["b"]),
        ],
    );
}

#[test]
fn metadata_blocks_of_quarto_are_anywhere_and_dots_close_them() {
    check(
        "qmd",
        &[
            ("---\nx: [a](b)\n...\n[c](d)", &["d"]),
            ("[a](b)\n\n---\nx: [c](d)\n---\n\n[e](f)", &["b", "f"]),
            ("[a](b)\n\n---\nx: [c](d)\n...\n[e](f)", &["b", "f"]),
            ("a\n\n---\n\n[a](b)\n\n---\n[c](d)", &["b", "d"]),
            ("```\n\n---\n```\n[a](b)\n\n---\n", &["b"]),
            ("+++\nx = '[a](b)'\n...\n[c](d)\n+++\n[e](f)", &["f"]),
        ],
    );
}

#[test]
fn a_cell_of_a_notebook_has_no_front_matter() {
    let notebook = r#"{"cells": [{"cell_type": "markdown",
        "source": ["---\n", "[a](b)\n", "---\n"]}], "nbformat": 4}"#;
    assert_eq!(references("ipynb", notebook), ["b"]);
}

#[test]
fn beyond_100_containers_a_line_is_a_paragraph_whose_links_are_read() {
    for marker in ["> ", "- ", "1. ", "> - ", "[^a]: ", ">"] {
        let text = format!("{}[a](b)\n", marker.repeat(150));
        check("markdown", &[(&text, &["b"])]);
        // At 100 levels and one line more.
        let level = 100 / marker.split_ascii_whitespace().count();
        let text = format!("{}# [a](b)\n\n[c](d)\n", marker.repeat(level));
        check("markdown", &[(&text, &["b", "d"])]);
    }
}

/// The time that documents of `n` repetitions take, for three `n`, each twice the one before.
fn times(text: impl Fn(usize) -> String) -> [Duration; 3] {
    [1, 2, 4].map(|times| {
        let text = text(times * 5_000);
        let start = Instant::now();
        let links = uriscan::links(text.as_bytes(), uriscan::Format::MARKDOWN, None);
        assert_eq!(links.count(), 1, "{times}");
        start.elapsed()
    })
}

#[test]
fn deep_containers_with_lazy_lines_take_linear_time() {
    for marker in ["> - ", "> ", "- ", "1) ", "[^a]: "] {
        let lazy = |n| format!("{}a\n{}<http://a/>", marker.repeat(n), "b\n".repeat(n));
        let [once, _, fourfold] = times(lazy);
        // Quadratic growth is a factor of 16; the parser's own is 4.
        let limit = once * 10 + Duration::from_millis(100);
        assert!(fourfold < limit, "{marker}: {once:?}, {fourfold:?}");
        times(|n| format!("{}<http://a/>", marker.repeat(4 * n)));
    }
    // Each line goes two levels deeper.
    times(|n| {
        let line = |at| format!("{}- - a\n", "    ".repeat(at));
        let steps: String = (0..n / 50).map(line).collect();
        format!("{steps}{}<http://a/>", "b\n".repeat(n))
    });
}
