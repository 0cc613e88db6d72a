//! Markdown: front matter, containers, and MDX. `document/markdown` has the rules; `corpus/markdown`
//! more cases.

use std::time::{Duration, Instant};

use uriscan::document::flags::Flags;

use crate::markup::{both, check_soups, references, rows};

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
            ("---\r\rx: [a](b)\r---\r[c](d)", &["d"]),
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

/// Checks that a document of eight times the repetitions takes less than thirty times as long: quadratic
/// growth is a factor of 64. Other tests run at the same time.
#[track_caller]
fn check_time(n: usize, format: &str, text: impl Fn(usize) -> String) {
    let time = |n| {
        let text = text(n);
        let format = uriscan::Format::named(format).unwrap();
        let start = Instant::now();
        assert!(uriscan::links(text.as_bytes(), format, None).count() <= n + 1);
        start.elapsed()
    };
    let (once, eightfold) = (time(n).min(time(n)), time(8 * n));
    let limit = once * 30 + Duration::from_millis(200);
    assert!(eightfold < limit, "{once:?}, {eightfold:?}");
}

#[test]
fn deep_containers_with_lazy_lines_take_linear_time() {
    for marker in ["> - ", "> ", "- ", "1) ", "[^a]: "] {
        check_time(5_000, "markdown", |n| {
            format!("{}a\n{}<http://a/>", marker.repeat(n), "b\n".repeat(n))
        });
        check_time(20_000, "markdown", |n| marker.repeat(n));
    }
    // Each line goes two levels deeper.
    check_time(5_000, "markdown", |n| {
        let line = |at| format!("{}- - a\n", "    ".repeat(at));
        let steps: String = (0..n / 50).map(line).collect();
        format!("{steps}{}<http://a/>", "b\n".repeat(n))
    });
}

#[test]
fn padding_of_references_in_html_is_not_in_targets() {
    let text = b"<a href=' http://example.com/\na\t'>\n\n<img src=\"http://example.com/b \">";
    let found = uriscan::links(&text[..], uriscan::Format::MARKDOWN, None);
    let targets: Vec<_> = found.map(|link| link.target.unwrap()).collect();
    assert_eq!(targets, [b"http://example.com/a", b"http://example.com/b"]);
}

#[test]
fn destinations_hold_nuls_and_bytes_that_are_not_utf8() {
    for format in ["markdown", "mdx"] {
        let format = uriscan::Format::named(format).unwrap();
        for (text, expected) in [
            (
                &b"[a](caf\xe9.md) [b](c)"[..],
                &[&b"caf\xe9.md"[..], b"c"][..],
            ),
            (
                b"![a](\xe9\xe8) <http://\xe8>",
                &[b"\xe9\xe8", b"http://\xe8"],
            ),
            (b"[\xe9]: b\xe9.md\n\n[\xe9]", &[b"b\xe9.md"]),
            (b"[a [b](c\xe9)](d)", &[b"c\xe9"]),
            (b"[a](<\xe9 b&amp;\\_\xe8>)", &[b"\xe9%20b&_\xe8"]),
            (b"[a](b\0c\xe9)", &[b"b\xef\xbf\xbdc\xe9"]),
            // The stand-in of such bytes in the document.
            (b"[a](\x7fb) [c](\x7f\xe9)", &[b"\x7fb", b"\x7f\xe9"]),
        ] {
            let found: Vec<_> = uriscan::links(text, format, None).collect();
            let references: Vec<_> = found.iter().map(|link| &link.reference[..]).collect();
            assert_eq!(references, expected, "{}", text.escape_ascii());
            for link in &found {
                let written = &text[link.span.start as usize..link.span.end as usize];
                let is_escaped = written.iter().any(|byte| b"\0& ".contains(byte));
                assert!(is_escaped || link.reference == written, "{link:?}");
            }
        }
    }
}

/// MDX whose references are named for what they are: none is `no`.
const MDX: &str = r##"import X from './no.js'
export const meta = {
  a: "[x](no)",

  b: 1,
}

# Title {#custom}

<Steps>
    # Heading
    1. one [list](list)

        - two [inner](inner)

        ```js
        [x](no) <Card href="no"/> {
        ```

    <Link to={expr} href={`/${no}`}>[text](text)</Link>
</Steps>

    [indented](indented) {/* [x](no) */} {is && <A href="no">don't</A>} [after](after)

<div>
[block](block)
<a href="html" id="anchor">x</a> <img src={'literal'} alt={x}/> <script src="script"/> <img src="image"/>
</div>

<!-- [x](no) --> <https://example.com/autolink> `<Card href="no"/>` \<Card href="no"/>
a < b <3 http://example.com/bare
"##;

#[test]
fn mdx_is_read_between_tags_and_not_in_expressions_and_modules() {
    let expected = [
        "list",
        "inner",
        "text",
        "indented",
        "after",
        "block",
        "html",
        "literal",
        "script",
        "image",
        "https://example.com/autolink",
        "http://example.com/bare",
    ];
    for text in [MDX, &MDX.replace('\n', "\r")] {
        assert_eq!(references("mdx", text), expected);
    }
    let anchors = both("mdx", MDX).anchors;
    for anchor in ["custom", "heading", "anchor"] {
        assert!(
            anchors.iter().any(|found| found == anchor),
            "{anchor}: {anchors:?}"
        );
    }
    // In CommonMark the same is code and HTML.
    assert!(!references("markdown", MDX).contains(&"indented".to_owned()));
}

#[test]
fn destinations_are_no_tags_or_expressions_of_mdx() {
    check(
        "mdx",
        &[
            ("[k](<./a b>) [l](\n<a {b}> 't')", &["./a%20b", "a%20{b}"]),
            ("![k](<b/>) ![k](<a.png> \"t\")", &["b/", "a.png"]),
            ("> [r]: <my file.md>\n\n[\\]]:\n<a>", &["my%20file.md", "a"]),
            (
                "[k](/users/{id}) ![k](a{b}(c) 't')",
                &["/users/{id}", "a{b}(c)"],
            ),
            (
                "[k](a{a}) {[x](no)}\n\n- [r]: /{b}/c.md\n",
                &["a{a}", "/{b}/c.md"],
            ),
            ("[k](a<b) [k](\nc{'d'}\n\"e\")", &["a<b", "c{'d'}"]),
            ("[k](\n\n<A href=\"a\"/>\n", &["a"]),
            ("[k]: {\"[x](no)\"} [k](a{\"[x](no)\"} [b](c)", &["c"]),
            ("[k](<a\\>b>) [k](<>)", &["a>b", ""]),
            // Other brackets after these marks are tags.
            ("[^1]: <A href=\"a\"/>", &["a"]),
            ("[a] [b]: <A href=\"a\"/> c", &["a"]),
            ("[a](<A href=\"a\"/> b", &["a"]),
            ("(<A href=\"a\"/>)", &["a"]),
        ],
    );
}

#[test]
fn text_after_tags_and_expressions_of_mdx_begins_no_block() {
    check(
        "mdx",
        &[
            ("<A/>-{'b'}[c](d)", &["d"]),
            ("-{/* a */}[b](c)", &["c"]),
            ("<A x=\"}\"/>-<B x=\"y\"/> [c](d)", &["d"]),
            ("{'a'} - <B href=\"c\"/> [d](e)", &["c", "e"]),
            ("[a]({b}) [a]({b} 't') [a]({b}/c)", &[]),
            ("[a]\n\n[a]: {b}\n\n[c]: {d}/e 't'\n[f]: g", &["g"]),
        ],
    );
}

#[test]
fn modules_of_mdx_begin_after_anything_but_a_paragraph() {
    for before in [
        "",
        "a\n\n",
        "# A\n",
        "  ## A ##\r\n",
        "#\n",
        "A\n===\n",
        "A\n-\n",
        "***\n",
        "- - -\n",
        "_ __ \n",
        "```\nb\n```\n",
    ] {
        let text = format!("{before}import X from '[x](no)'\n\n[a](b)");
        assert_eq!(references("mdx", &text), ["b"], "{before:?}");
    }
    for before in [
        "a\n",
        "#a\n",
        "- a\n",
        "> a\n",
        "**\n",
        "-- a\n",
        "####### a\n",
        "# a\nb\n",
    ] {
        let text = format!("{before}export [a](b)");
        assert_eq!(references("mdx", &text), ["b"], "{before:?}");
    }
}

#[test]
fn attributes_of_components_are_references_with_the_flag_component() {
    for (tag, expected) in [
        ("<Card href=\"/x\"/>", "/x"),
        ("<Card href='/x' title=\"a > b\">", "/x"),
        ("<Card\n  href={\"/x\"}\n/>", "/x"),
        ("<motion.a src={'/x'}>", "/x"),
        ("<Link {...props} to={ `/x` }>", "/x"),
        ("<Link link=\"a?b&amp;c\">", "a?b&c"),
        ("<_Card href='/x'/>", "/x"),
        ("<$card href='/x'/>", "/x"),
    ] {
        let found = rows("mdx", tag, false);
        assert_eq!(found.len(), 1, "{tag}");
        assert_eq!(found[0].reference, expected, "{tag}");
        assert_eq!(found[0].flags, Flags::COMPONENT, "{tag}");
        let element = tag[1..].split([' ', '\n']).next();
        assert_eq!(found[0].element.as_deref(), element, "{tag}");
        let raw = &tag[found[0].span.0 as usize..found[0].span.1 as usize];
        assert_eq!(raw.replace("&amp;", "&"), expected, "{tag}");
    }
    for tag in [
        "<Card href={x}/>",
        "<Card href={`/${x}`}/>",
        "<Card href={'a' + b}/>",
        "<Card href=\"\"/>",
        "<Card link=\"Read more\"/>",
        "<Card Href=\"/x\"/>",
        "<Card data={{href: \"/x\"}}/>",
        "`<Card href=\"/x\"/>`",
        "<Card href=\"/x",
        "<Card, href=\"/x\"/>",
        "</Card href>",
    ] {
        assert!(references("mdx", tag).is_empty(), "{tag}");
    }
}

#[test]
fn brackets_that_nothing_closes_are_text_in_mdx() {
    for open in [
        "{ ",
        "<Card ",
        "<a href=\"",
        "{`${",
        "<!-- ",
        "`",
        "export const x = {\n\n",
        "{/* ",
    ] {
        let text = format!("{open} <https://example.com/x> [a](b)");
        let found = references("mdx", &text);
        assert!(found.contains(&"b".to_owned()), "{open}: {found:?}");
    }
}

#[test]
fn brackets_end_after_strings_and_uris_in_expressions_of_mdx() {
    for (text, expected) in [
        ("{\"}\" + '\\'}'} [a](b)", "b"),
        ("{don't + \"[a](b)\"} [a](c)", "c"),
        ("{see https://example.com/x [a](b)} [a](c)", "c"),
        ("{see file:///x [a](b)} [a](c)", "c"),
        ("{`\"${\"`\"}`} [a](b)", "b"),
    ] {
        assert_eq!(references("mdx", text), [expected], "{text}");
    }
}

#[test]
fn mdx_of_many_open_brackets_takes_linear_time() {
    for part in [
        "{",
        "<a ",
        "<A b={",
        "<a b=\"",
        "{`${",
        "`a``b ",
        "<!-- ",
        "{'",
        "\\\"{",
        "{a://",
        "{`\\\"",
        "{/*",
        "export x {\n\n",
        "  - a\n",
        "[a]:<",
        "](<",
        "]({",
        "](a(",
    ] {
        check_time(2_000, "mdx", |n| part.repeat(n));
    }
}

#[test]
fn windows_make_no_difference_to_mdx() {
    check_soups(
        "mdx",
        &[
            "import x from 'y'\n",
            "export default {\n",
            "\n",
            "\n\n",
            "    ",
            "\t",
            "- ",
            "> ",
            "1. ",
            "```\n",
            "`",
            "<A href=\"b\"/>",
            "<a href={'c'}>",
            "</a>",
            "<B to=",
            "{`d`}",
            ">",
            "{",
            "}",
            "'",
            "\"",
            "/*",
            "*/",
            "[e](f)",
            "<!--",
            "-->",
            "<http://g/>",
            "](<j k>)",
            "](o/{p})",
            "[l]: <m n>",
            "http://h/ ",
            "\u{e9}",
            "\\",
            "<script/>",
            "<style>",
            "# i\n",
            "---\n",
            "\r\n",
        ],
    );
}
