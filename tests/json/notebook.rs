//! Notebooks.

use super::{both, read, references, targets};

#[test]
fn cells_and_outputs_are_documents() {
    let notebook = r##"{"cells": [
        {"cell_type": "markdown", "source": "[a](b.html) `[no](no)`"},
        {"source": ["[c](d.html)\n", "\n", "<a href='e.html'>e</a>"], "cell_type": "markdown"},
        {"cell_type": "raw", "source": ["[no](no) http://example.com/r"]},
        {"cell_type": "code", "source": [], "outputs": [
            {"output_type": "stream", "text": ["http://example", ".com/s\n"]},
            {"output_type": "error", "traceback": ["at http://example.com/t"], "evalue": "http://example.com/no"},
            {"data": {"text/html": ["<p><a href=", "f.html>f</a>"], "text/markdown": "[g](h.html)", "text/plain": "http://example.com/p",
             "application/json": {"url": "http://example.com/no"}, "image/png": "iVBORw0KGgo="}}]}],
        "metadata": {"url": "http://example.com/no"}, "nbformat": 4}"##;
    let expected = [
        "b.html",
        "d.html",
        "e.html",
        "http://example.com/r",
        "http://example.com/s",
        "http://example.com/t",
        "f.html",
        "h.html",
        "http://example.com/p",
    ];
    assert_eq!(references("ipynb", notebook), expected);
    let links = both("ipynb", notebook).links;
    assert!(links.iter().all(|link| link.member.is_none()));
    assert_eq!(links[6].target, "http://example.com/dir/f.html");
}

#[test]
fn worksheets_hold_cells_too() {
    let notebook = r#"{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "markdown", "source": ["[a](b.html)"]},
        {"cell_type": "code", "input": "http://example.com/i", "outputs": [{"html": "<a href=c.html>", "text": ["http://example.com/o"]}]}]}]}"#;
    let expected = [
        "b.html",
        "http://example.com/i",
        "c.html",
        "http://example.com/o",
    ];
    assert_eq!(references("ipynb", notebook), expected);
}

/// The lines of a cell are one text, whose spans lead to the strings.
#[test]
fn spans_lead_through_lines_and_escapes() {
    let notebook = r#"{"cells": [{"cell_type": "markdown", "source": ["\u00e9 [a](b", "\/c.html)\n", "<http:\/\/example.com\/>"]}]}"#;
    let links = both("ipynb", notebook).links;
    let raw = |index: usize| {
        let (start, end) = links[index].span;
        &notebook[start as usize..end as usize]
    };
    assert_eq!(links[0].reference, "b/c.html");
    assert_eq!(raw(0), r#"b", "\/c.html"#);
    assert_eq!(raw(1), r"http:\/\/example.com\/");
}

/// Markdown in a cell has a base of its own, if it names one.
#[test]
fn a_base_counts_in_its_cell() {
    let notebook = r#"{"cells": [{"cell_type": "markdown", "source": "<base href='/x/'>\n\n[a](b)"}, {"cell_type": "markdown", "source": "[a](b)"}]}"#;
    let expected = ["http://example.com/x/b", "http://example.com/dir/b"];
    assert_eq!(targets("ipynb", notebook), expected);
}

/// `attachment:` names what the cell brings along: it is absolute, and resolves to itself.
#[test]
fn attachments_are_named_by_a_scheme_of_their_own() {
    let notebook = r#"{"cells": [{"cell_type": "markdown", "attachments": {"a b.png": {"image/png": "iVBO"}}, "source": ["![](attachment:a%20b.png)"]}]}"#;
    assert_eq!(targets("ipynb", notebook), ["attachment:a%20b.png"]);
}

#[test]
fn long_cells_are_cut() {
    let line = format!("\"{}http://example.com/x \", ", "x".repeat(1 << 20));
    let notebook = format!(
        "{{\"cells\": [{{\"cell_type\": \"code\", \"source\": [{}\"\"]}}]}}",
        line.repeat(6)
    );
    for window in [64 << 10, 64 << 20] {
        let found = read("ipynb", notebook.as_bytes(), window);
        assert_eq!(found.codes, [("json.string-too-long", 43)]);
        assert_eq!(found.links.len(), 3);
    }
}

#[test]
fn comments_between_lines_are_read_once() {
    let notebook = "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"# a\\n\", \
        // http://example.com/x http://example.com/y\n\"[p](b.html)\\n\", /* http://example.com/z */ \"b\"]}]}";
    let mut found = references("ipynb", notebook);
    found.sort();
    let urls = ["x", "y", "z"].map(|name| format!("http://example.com/{name}"));
    assert_eq!(found, [&["b.html".to_owned()], &urls[..]].concat());
}
