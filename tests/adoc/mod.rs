//! AsciiDoc: documents made of parts with known references, and cases of the rules of `document/adoc`.
//! `tests/oracles/adoc.rb` compares real trees with Asciidoctor.

use uriscan::document::flags::Flags;

use crate::markup::{both, check_soups, check_windows, extended, references, rows};
use crate::text::soup::Numbers;

const FORMAT: &str = "adoc";

fn found(adoc: &str) -> Vec<String> {
    references(FORMAT, adoc)
}

/// Parts of documents, and the references in each. They may stand in any order.
#[rustfmt::skip]
const PARTS: &[(&str, &[&str])] = &[
    ("See http://example.com/one[One] and link:two.html[Two].", &["http://example.com/one", "two.html"]),
    ("== Title link:three.html[x]", &["three.html"]),
    ("Title xref:four.adoc[]\n---------------------", &["four.adoc"]),
    ("[[id]]\nTitle\n~~~~~\nhttp://example.com/five", &["http://example.com/five"]),
    ("----\nlink:no.html[]\n\nlink:no.html[]\n----", &[]),
    ("[source,sh]\n----\ninclude::six.sh[]\nlink:no.html[]\n----", &["six.sh"]),
    ("[listing]\nlink:no.html[]\nlink:no.html[]", &[]),
    ("....\nlink:no.html[]\n----\n....", &[]),
    ("////\ninclude::no.adoc[]\n////", &[]),
    ("++++\n<a href=\"http://example.com/no\">\n++++", &[]),
    ("```ruby\nlink:no.html[]\n```", &[]),
    ("// link:no.html[]\nText link:7.html[x]\n// link:no.html[]\nlink:8.html[x]", &["7.html", "8.html"]),
    (" link:no.html[]\nlink:no.html[]", &[]),
    ("* link:9.html[x]\n** http://example.com/10[]\n+\nlink:11.html[x]", &["9.html", "http://example.com/10", "11.html"]),
    ("term:: link:12.html[x]\nother::\n\n  link:13.html[x]", &["12.html", "13.html"]),
    (". http://example.com/14\n<1> link:15.html[x]", &["http://example.com/14", "15.html"]),
    ("[cols=\"1,a\"]\n|===\n|link:16.html[x] |image::17.png[]\n\n|x\n|http://example.com/18\n|===", &["16.html", "17.png", "http://example.com/18"]),
    ("====\nlink:19.html[x]\n\n----\nlink:no.html[]\n----\n====", &["19.html"]),
    ("image::20.png[x,link=21.html]", &["20.png", "21.html"]),
    (".Title link:22.html[x]\nvideo::23.mp4[poster=24.png]", &["22.html", "23.mp4", "24.png"]),
    (".Title\n[#i,link=https://example.com/28]\nimage::29.png[x]", &["https://example.com/28", "29.png"]),
    ("[quote,link=no.html]\nText\n\n[link=none]\nimage::30.png[]", &["30.png"]),
    ("video::abc[youtube]", &[]),
    ("NOTE: <<a>>, <<b,c>> and <<d#e>>", &["#a", "#b", "d.adoc#e"]),
    ("+http://example.com/no+ pass:[link:no.html[] ++link:no.html[]++", &[]),
    ("[source]\n--\nlink:no.html[]\n--\nlink:25.html[x]", &["25.html"]),
    ("ifdef::x[link:26.html[x]]\nifndef::y[]\nlink:27.html[x]\nendif::[]", &["26.html", "27.html"]),
    (":x: link:no.html[]\n:y: a \\\n  b", &[]),
];

#[test]
fn documents_of_known_parts() {
    for seed in 0..crate::rounds(100, 300) {
        let mut numbers = Numbers::seeded(seed);
        let (mut document, mut expected) = ("Text.\n\n".to_owned(), Vec::new());
        for _ in 0..8 {
            let (part, references) = numbers.pick(PARTS);
            document += part;
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
    "[", "]", "[[", "]]", "[]", "[x]", "<<", ">>", "<", ">", "{", "}", "{a}", "{sp}", "{empty}", "+", "++", "+++", "$$", "`", "*", "_", "#", "|", "!", "\\", "(", ")",
    "\"", "'", ".", ",", ";", ":", "::", "?", "@", "a", "b", "\u{e9}", "\u{4e2d}", "http://e.example/a", "link:", "link:a", "image:", "image:a", "xref:", "xref:a",
    "mailto:a@e.example", "anchor:a", "pass:[", "stem:[", " ", " ", "\t", "\n", "\n", "\n", "\n\n", "\r\n", "\n  ", "\n= a", "\n== a", "\n----\n", "\n....\n",
    "\n====\n", "\n////\n", "\n++++\n", "\n--\n", "\n```\n", "\n|===\n", "\n!===\n", "\n~~~~\n", "\n[source]\n", "\n[#a]\n", "\n[[a]]\n", "\n:a: ", "\n:a: {a}{a}\n",
    "\n:!a:\n", "\n:imagesdir: x\n", "\n:idprefix:\n", "\n:idseparator: -\n", "\n:idseparator:\n", "\n* ", "\n. ", "\na:: ", "\n+\n", "\n// ", "\ninclude::a[]", "\nimage::a[]",
    "\nvideo::a[poster=b]", "\nifdef::a[", "\nifdef::a[]", "\nendif::[]", "\n.a", "\\\n", "\u{feff}", "\0", "\u{1}", "\u{2}",
];

#[test]
fn soups() {
    check_soups(FORMAT, TOKENS);
}

/// Reads a document in windows, which give the same, and checks its spans.
pub(crate) fn check(adoc: &[u8], window: usize) {
    check_windows(FORMAT, adoc, window);
}

#[test]
fn uris() {
    for (adoc, expected) in [
        ("http://e.example/a.", vec!["http://e.example/a"]),
        ("(http://e.example/a)", vec!["http://e.example/a"]),
        ("(http://e.example/a).", vec!["http://e.example/a"]),
        (
            "http://e.example/a; http://e.example/b:",
            vec!["http://e.example/a", "http://e.example/b"],
        ),
        (
            "http://e.example/a? http://e.example/b?c",
            vec!["http://e.example/a", "http://e.example/b?c"],
        ),
        ("<http://e.example/a>", vec!["http://e.example/a"]),
        (
            "\"http://e.example/a\" \"http://e.example/b[b]\"",
            vec!["http://e.example/b"],
        ),
        (
            "*http://e.example/a* `http://e.example/b`",
            vec!["http://e.example/a", "http://e.example/b"],
        ),
        (
            "*a http://e.example/a* _b (http://e.example/b)_ *c* http://e.example/c*",
            vec![
                "http://e.example/a",
                "http://e.example/b",
                "http://e.example/c*",
            ],
        ),
        (
            "Escaped \\*.js: http://e.example/*",
            vec!["http://e.example/*"],
        ),
        ("a/#b `http://e.example/[c]`", vec!["http://e.example/"]),
        ("xhttp://e.example/ =http://e.example/", vec![]),
        (
            "ftp://e.example/ irc://e.example/ git://e.example/",
            vec!["ftp://e.example/", "irc://e.example/"],
        ),
        (
            "http://e.example/[a http://e.example/no]",
            vec!["http://e.example/"],
        ),
        (
            "http://e.example/a_b_c[x\\]y] z]",
            vec!["http://e.example/a_b_c"],
        ),
        ("http:// http://. http://)", vec![]),
        (
            "{nbsp}http://e.example/a link:b{two-colons}c{deg}[x]",
            vec!["http://e.example/a", "b::c\u{b0}"],
        ),
        (
            "(a (http://e.example/a).) http://e.example/b)) http://e.example/c:)",
            vec![
                "http://e.example/a",
                "http://e.example/b",
                "http://e.example/c",
            ],
        ),
        (
            "&lt;http://e.example/a&gt; http://e.example/?b&amp;c link:d&#45;e&b[x] http://e.example/&lt[x]",
            vec![
                "http://e.example/a",
                "http://e.example/?b&c",
                "d-e&b",
                "http://e.example/&lt",
            ],
        ),
        (
            "http://e.example/a:: x\n\nb http://e.example/b;;\nhttp://e.example/c:::",
            vec![
                "http://e.example/a",
                "http://e.example/b",
                "http://e.example/c",
            ],
        ),
    ] {
        assert_eq!(found(adoc), expected, "{adoc}");
    }
}

#[test]
fn inline_macros() {
    for (adoc, expected) in [
        ("link:a b[x] link:c[x", vec![]),
        ("link:a[image:b.png[]]", vec!["a", "b.png"]),
        ("link:++a b++[x]", vec!["a b"]),
        ("link:++a_b++[x] link:pass:[c][x]", vec!["a_b", "c"]),
        (
            "mailto:a@e.example[x] mailto:b@e.example",
            vec!["mailto:a@e.example"],
        ),
        (
            "\\link:a[] \\http://e.example \\xref:a[] \\<<a>> \\image:a[]",
            vec![],
        ),
        ("icon:a[] image:b c.png[x] image: d[]", vec!["b c.png"]),
        (
            "icon:a[2x,link=http://e.example/]",
            vec!["http://e.example/"],
        ),
        (
            "$$link:a[]$$ +++link:b[]+++ +link:c[]+ stem:[link:d[]] link:e[]",
            vec!["e"],
        ),
        ("1+1 link:a[] +b", vec!["a"]),
    ] {
        assert_eq!(found(adoc), expected, "{adoc}");
    }
}

#[test]
fn compatible_documents() {
    let text = "`link:a[]` +link:b[]+ ++link:c[]++ +++link:d[]+++\n";
    assert_eq!(found(text), ["a"]);
    assert_eq!(found(&format!("Title\n=====\n\n{text}")), ["b", "c"]);
    assert_eq!(found(&format!(":compat-mode:\n\n{text}")), ["b", "c"]);
}

#[test]
fn media() {
    let targets = |adoc: &str| -> Vec<String> {
        rows(FORMAT, adoc, false)
            .into_iter()
            .map(|row| row.target)
            .collect()
    };
    assert_eq!(
        targets(":imagesdir: img/x\n\nimage::a.png[]\n\nimage:/b.png[] image:c d.png[]"),
        [
            "http://example.com/dir/img/x/a.png",
            "http://example.com/b.png",
            "http://example.com/dir/img/x/c%20d.png"
        ]
    );
    assert_eq!(targets(":imagesdir: {root}\n\nimage::a.png[]"), [""]);
    assert_eq!(found("image::a.png[link=self]"), ["a.png"]);
    assert_eq!(
        found("image::a.png[\"x\",link=\"b.html\",window=_blank]"),
        ["a.png", "b.html"]
    );
    assert_eq!(
        found("[link=http://e.example/]\nimage::a.png[]"),
        ["http://e.example/", "a.png"]
    );
    assert_eq!(found("Text\nimage::no.png[]"), Vec::<String>::new());
}

#[test]
fn cross_references() {
    for (adoc, expected) in [
        (
            "<<a>> <<a b,c>> <<a.adoc#>> <<b#c>> <<b.html#c,d>>",
            vec!["#a", "#a b", "a.adoc", "b.adoc#c", "b.html#c"],
        ),
        (
            "xref:a[] xref:b.adoc[] xref:c/d#e[x] xref:#f[] xref:g.html#[x]",
            vec!["#a", "b.adoc", "c/d.adoc#e", "#f", "g.html"],
        ),
        ("xref:Two words[x]", vec!["#Two words"]),
        // A target has no other macro in it, nor the end of a code span.
        (
            "Use `xref:id` and see link:foo.html[bar] `xref:id` a[0].",
            vec!["foo.html"],
        ),
        (
            "footnote:[see xref:z] and link:k[l] xref:z link:m[n]",
            vec!["k", "m"],
        ),
        ("<< a>> a << b >> c", vec![]),
    ] {
        assert_eq!(found(adoc), expected, "{adoc}");
    }
}

#[test]
fn substitution() {
    let adoc = "\
:url: http://e.example
:docs: {url}/docs
:name: value \\
  over lines

{docs}/a[x], {url}[y], link:{docs}/{missing}[z], \\{url}/no, {empty}link:b{sp}[]

:!url:

{url}[y] link:{URL}c[x]
";
    let rows = rows(FORMAT, adoc, false);
    let references: Vec<_> = rows.iter().map(|row| row.reference.as_str()).collect();
    let expected = [
        "http://e.example/docs/a",
        "http://e.example",
        "http://e.example/docs/{missing}",
        "{URL}c",
    ];
    assert_eq!(references, expected);
    let written: Vec<_> = (rows.iter())
        .map(|row| &adoc[row.span.0 as usize..row.span.1 as usize])
        .collect();
    assert_eq!(written, ["{docs}/a", "{url}", "{docs}/{missing}", "{URL}c"]);
    let templates: Vec<_> = rows
        .iter()
        .map(|row| row.flags.contains(Flags::TEMPLATE))
        .collect();
    assert_eq!(templates, [false, false, true, true]);
}

/// Values cannot make a text grow without bounds.
#[test]
fn values_of_values_are_limited() {
    let mut adoc = ":a0: xxxxxxxxxxxxxxxx\n".to_owned();
    for level in 1..40 {
        let before = format!("{{a{}}}", level - 1).repeat(8);
        adoc += &format!(":a{level}: {before}\n");
    }
    adoc += "\nlink:{a39}b[x] link:{a0}c[x]\n";
    assert_eq!(found(&adoc), ["{a39}b", "xxxxxxxxxxxxxxxxc"]);
}

#[test]
fn directives() {
    for (adoc, expected) in [
        ("include::a b.adoc[]", vec!["a b.adoc"]),
        ("Text\ninclude::a.adoc[tag=x]\ntext", vec!["a.adoc"]),
        ("\\include::a.adoc[] x include::b.adoc[]", vec![]),
        ("include::a.adoc[] x", vec![]),
        (
            "----\nx\ninclude::a.rb[]\n----\ninclude::b.rb[]",
            vec!["a.rb", "b.rb"],
        ),
        ("ifdef::a[include::b.adoc[]]", vec!["b.adoc"]),
    ] {
        assert_eq!(found(adoc), expected, "{adoc}");
    }
}

#[test]
fn structure() {
    for (adoc, expected) in [
        (
            "= Title\nA. Author <http://e.example/>\n:x: y\n\nlink:{x}[x]",
            vec!["http://e.example/", "y"],
        ),
        ("Text link:a[]\n----\nlink:no[]\n----", vec!["a"]),
        (
            "-----\nlink:no[]\n----\nlink:no[]\n-----\nlink:a[]",
            vec!["a"],
        ),
        ("--\nlink:a[]\n--", vec!["a"]),
        ("[literal]\n....\nlink:no[]\n....\n\nlink:a[]", vec!["a"]),
        ("[stem]\n++++\nlink:no[]\n++++", vec![]),
        ("[verse]\n____\nlink:a[]\n____", vec!["a"]),
        ("[comment]\nlink:no[]\n\nlink:a[]", vec!["a"]),
        ("a::\n\n  link:a[]\n\n  link:no[]", vec!["a"]),
        ("----\nlink:no[]", vec![]),
        (" image::no.png[]\n\nimage::a.png[]", vec!["a.png"]),
        ("|===\n|a\n|===\n\n----\nlink:no[]\n----", vec![]),
        ("###### link:a[]", vec!["a"]),
    ] {
        assert_eq!(found(adoc), expected, "{adoc}");
    }
}

#[test]
fn tables() {
    let adoc = "\
|===
|link:a[x |y] 2+|link:b[x]

a|* link:c[x]
include::d.adoc[]

!===
!link:e[]
!===
|a \\| link:f[]
|===

,===
http://e.example/g,\"http://e.example/h,i\",j k
,===

|===
a|
!===
!http://e.example/l !m
!===
|===

[%header,format=csv]
|===
http://e.example/n,link:o[],x
|===

[format=csv,separator=;]
|===
http://e.example/p,q;http://e.example/r
|===

[format=csv]
.Title

[%header]
|===
http://e.example/s,\"http://e.example/t\"
|===

[format=csv]
A paragraph.

|===
|http://e.example/u |http://e.example/v
|===

:===
http://e.example/w
:===
";
    let expected = [
        "b",
        "c",
        "d.adoc",
        "e",
        "f",
        "http://e.example/g",
        "http://e.example/h,i",
        "http://e.example/l",
        "http://e.example/n",
        "o",
        "http://e.example/p,q",
        "http://e.example/r",
        "http://e.example/s",
        "http://e.example/t",
        "http://e.example/u",
        "http://e.example/v",
        "http://e.example/w",
    ];
    assert_eq!(found(adoc), expected);
}

#[test]
fn listings_are_text_on_request() {
    let adoc = "----\nSee <http://e.example/a\nb> link:no[]\n\nhttp://e.example/c.\n----\n\n////\nhttp://e.example/no\n////\n";
    assert!(found(adoc).is_empty());
    assert_eq!(
        extended(FORMAT, adoc),
        ["http://e.example/ab", "http://e.example/c"]
    );
}

#[test]
fn mail_addresses() {
    let adoc = "a@e.example, <b@e.example>, x:c@e.example \\d@e.example e@e";
    assert!(found(adoc).is_empty());
    let with_mail = rows(FORMAT, adoc, true).into_iter();
    let with_mail: Vec<_> = with_mail.map(|row| row.reference).collect();
    assert_eq!(with_mail, Vec::<String>::new());
    let adoc = "a@e.example.org, <b@e.org> x:c@e.org \\d@e.org e@e";
    let with_mail = rows(FORMAT, adoc, true).into_iter();
    let with_mail: Vec<_> = with_mail.map(|row| row.reference).collect();
    assert_eq!(with_mail, ["mailto:a@e.example.org", "mailto:b@e.org"]);
}

#[test]
fn anchors() {
    let adoc = "\
= Document

== A Section: it's _new_

[[own,Label]]
== Other

[#block.role%opt]
Text [[inline]]in it, anchor:here[] and [#span]#this#.

[quote,id=quoted]
x

=== A Section: it's _new_

== With id [[explicit]]

:idprefix:
:idseparator: -

== link:x[Text] `code`

== one &amp; image:a.png[b] two&#8217;s

== c http://e.example[a [b\\] c] d link:e[f [g]] h
";
    let anchors: Vec<String> = both(FORMAT, adoc).anchors;
    assert_eq!(
        anchors,
        [
            "_a_section_its_new",
            "A Section: it's new",
            "own",
            "Other",
            "block",
            "inline",
            "here",
            "span",
            "quoted",
            "_a_section_its_new_2",
            "A Section: it's new",
            "With id explicit",
            "explicit",
            "text-code",
            "Text code",
            "one-twos",
            "one   twos",
            "c-a-b-c-d-f-g-h",
            "c a b\\ c d f g h",
        ]
    );
}

#[test]
fn an_include_before_the_title_does_not_end_the_header() {
    for directives in [
        "include::a.adoc[]\n",
        "include::a.adoc[]\n\n",
        "// x\ninclude::a.adoc[]\n:x: y\n",
    ] {
        let document = format!("{directives}= Title\nAuthor\n:dir: d\n\nlink:{{dir}}/b[]");
        assert_eq!(found(&document), ["a.adoc", "d/b"], "{document}");
        // The title of a document has no identifier.
        let anchors = both(FORMAT, &format!("{directives}= One\n\n== Two")).anchors;
        assert!(
            anchors.contains(&"_two".to_owned()) && !anchors.contains(&"_one".to_owned()),
            "{anchors:?}"
        );
    }
}

#[test]
fn a_backslash_in_a_url_is_dropped_where_it_escapes_and_kept_elsewhere() {
    for (document, expected) in [
        ("http://e.example/\\*b*", "http://e.example/*b*"),
        ("http://e.example/a\\...", "http://e.example/a"),
        ("http://e.example/a\\...b[x]", "http://e.example/a...b"),
        ("http://e.example/\\{b}/c", "http://e.example/{b}/c"),
        ("link:a\\**b**c[x]", "a**b**c"),
        ("link:a/\\^b^c[x]", "a/^b^c"),
        ("link:a\\--b[x]", "a--b"),
        ("http://e.example/a\\b", "http://e.example/a\\b"),
        ("http://e.example/a\\_b", "http://e.example/a\\_b"),
        ("http://e.example/\\*b", "http://e.example/\\*b"),
    ] {
        assert_eq!(found(document), [expected], "{document}");
    }
    let rows = rows(FORMAT, "http://e.example/\\{b}/c", false);
    assert_eq!(rows[0].span, (0, 23));
    assert_eq!(rows[0].target, "http://e.example/{b}/c");
}

#[test]
fn attributes_beyond_8_mib_are_left_out_with_a_diagnostic() {
    let entries: String = (0..100_000).map(|n| format!(":a{n}: b\n\n")).collect();
    let document = format!("{entries}link:{{a0}}[] link:{{a99999}}[]");
    let found = both(FORMAT, &document);
    let references: Vec<&str> = found
        .rows
        .iter()
        .map(|row| row.reference.as_str())
        .collect();
    assert_eq!(references, ["b", "{a99999}"]);
    let codes = found.codes;
    assert!(
        codes
            .iter()
            .any(|(name, count)| *name == "adoc.attribute-limit" && *count > 1_000),
        "{codes:?}"
    );
    let long = format!(":a: {}\n\nlink:{{a}}[]", "x".repeat(5_000));
    assert_eq!(
        crate::markup::codes(FORMAT, &long),
        [("adoc.attribute-limit", 1)]
    );
}

#[test]
fn equal_titles_are_numbered_in_linear_time() {
    // A quadratic search would take minutes.
    let count = crate::rounds(20_000, 50_000);
    let found = both(FORMAT, &"== a\n\n".repeat(count));
    assert_eq!(found.anchors.last().unwrap(), &format!("_a_{count}"));
}
