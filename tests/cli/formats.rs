//! Formats in which text is not written as it is meant, and files whose names do not tell the format.

use super::Tree;

/// Runs the command over one file with windows of several sizes, and checks `FIELDS` of the links.
fn reads(name: &str, contents: &str, flags: &[&str], fields: &str, expected: &[&str]) {
    let tree = Tree::new(&[(name, contents)]);
    let lines: String = expected.iter().map(|line| format!("{line}\n")).collect();
    for window in ["1", "2", "7", "64K"] {
        let run = tree.run(
            &[
                &["--format=tsv", "--fields", fields, "--window", window, name],
                flags,
            ]
            .concat(),
        );
        let out = run.out.split_once('\n').map_or("", |(_, rows)| rows);
        assert_eq!(out, lines, "{name} in windows of {window}: {}", run.err);
    }
}

#[test]
fn a_cell_of_a_table_ends_a_uri() {
    reads(
        "a.csv",
        "http://example.com/a.html,Template\r\n\"http://example.com/b,c\",\"x \"\"http://example.com/d e\"\" y\"\r\n\
         \"http://example.com/f\r\ng\",http://example.com/h\r\n",
        &[],
        "reference,context,line,column",
        &[
            "http://example.com/a.html\tbare\t1\t1",
            "http://example.com/b,c\tbare\t2\t2",
            "http://example.com/de\tquoted\t2\t31",
            "http://example.com/f\tbare\t3\t2",
            "http://example.com/h\tbare\t4\t4",
        ],
    );
}

#[test]
fn first_record_determines_the_separator() {
    reads(
        "a.csv",
        "name;\"a,b,c\";url\nx;1,5;http://example.com/a,b\n",
        &[],
        "reference",
        &["http://example.com/a,b"],
    );
    reads(
        "a.csv",
        "\u{feff}\"a;b;c\",url\nx,http://example.com/a;b\n",
        &[],
        "reference",
        &["http://example.com/a;b"],
    );
}

#[test]
fn tab_separated_values_have_no_quotes() {
    reads(
        "a.tsv",
        "a \"b\thttp://example.com/a,b\tc\"\nhttp://example.com/c\t<http://example.com/d\te>\n",
        &[],
        "reference,flags",
        &[
            "http://example.com/a,b\t",
            "http://example.com/c\t",
            "http://example.com/d\tunclosed",
        ],
    );
}

#[test]
fn a_quote_that_nothing_closes_is_a_diagnostic() {
    let tree = Tree::new(&[("a.csv", "a,\"b\nhttp://example.com/a,c\n")]);
    let ran = tree.run(&["-v", "a.csv"]);
    assert!(ran.err.contains("csv.unclosed-quote"), "{}", ran.err);
    assert_eq!(ran.out, "http://example.com/a,c\n");
}

#[test]
fn cells_in_mail_are_those_of_files() {
    let tree = Tree::new(&[]);
    for media_type in ["text/csv", "application/csv"] {
        let mail = format!(
            "Subject: x\nContent-Type: {media_type}\n\nhttp://example.com/a.html,Template\n"
        );
        tree.write("a.eml", mail.as_bytes());
        tree.run(&["a.eml"]).is(0, "http://example.com/a.html\n");
    }
}

#[test]
fn a_large_table_of_tabs_is_split_and_gives_the_same() {
    let rows: String = (0..3000)
        .map(|n| format!("{n}\thttp://example.com/{n}\t\"{n}\n"))
        .collect();
    let tree = Tree::new(&[("a.tsv", &rows), ("a.csv", &rows.replace('\t', ","))]);
    for name in ["a.tsv", "a.csv"] {
        let whole = tree.run(&["--json", "-j1", name]);
        let pieces = tree.run(&["--json", "-j3", "--piece", "4K", name]);
        assert_eq!(whole.out, pieces.out, "{name}");
        assert_eq!(whole.out.matches("\"link\"").count(), 3000, "{name}");
    }
}

const CALENDAR: &str = "BEGIN:VCALENDAR\r\nDESCRIPTION:See http://exam\r\n ple.com/a\\,b\\nhttp://example.com/\r\n\tc\r\n\
                        URL:http\\://example.com/d\r\nNOTE:\\\\x <http://example.com/\r\n e>\\;\r\n";

#[test]
fn lines_of_calendars_and_cards_are_unfolded_and_escapes_undone() {
    for name in ["a.ics", "a.vcf"] {
        reads(
            name,
            CALENDAR,
            &[],
            "reference,line,column",
            &[
                "http://example.com/a,b\t2\t17",
                "http://example.com/c\t3\t16",
                "http://example.com/d\t5\t5",
                "http://example.com/e\t6\t11",
            ],
        );
    }
    let folded = CALENDAR.replace("\r\n", "\n");
    reads(
        "a.ics",
        &folded,
        &[],
        "reference",
        &[
            "http://example.com/a,b",
            "http://example.com/c",
            "http://example.com/d",
            "http://example.com/e",
        ],
    );
}

#[test]
fn a_blank_line_after_a_fold_is_no_fold() {
    reads(
        "a.ics",
        "NOTE:http://example.com/a\n \n \nb\n",
        &[],
        "reference",
        &["http://example.com/a"],
    );
}

#[test]
fn refang_restores_defanged_addresses() {
    let text = "hxxp://example[.]com/a hXXps[:]//www(.)example[DOT]org/b fxp[://]ftp.example/c http://example.net/[x]\n";
    reads(
        "a.txt",
        text,
        &["--refang"],
        "reference,flags,column",
        &[
            "http://example.com/a\trefanged\t1",
            "https://www.example.org/b\trefanged\t24",
            "ftp://ftp.example/c\trefanged\t58",
            "http://example.net/[x]\tnonconforming\t80",
        ],
    );
    let tree = Tree::new(&[("a.txt", text), ("a.json", "[\"hxxp://example[.]com/\"]")]);
    let plain = tree.run(&["--json", "a.txt"]);
    assert!(!plain.out.contains("refanged"), "{}", plain.out);
    tree.run(&["--refang", "a.json"])
        .is(0, "http://example.com/\n");
}

#[test]
fn a_large_text_with_refang_is_split_and_gives_the_same() {
    let lines: String = (0..3000)
        .map(|n| format!("{n} hxxp://example[.]com/{n} http://example.com/{n}\n\n"))
        .collect();
    let tree = Tree::new(&[("a.txt", &lines)]);
    let whole = tree.run(&["--json", "--refang", "-j1", "a.txt"]);
    let pieces = tree.run(&["--json", "--refang", "-j3", "--piece", "4K", "a.txt"]);
    assert_eq!(whole.out, pieces.out);
    assert_eq!(whole.out.matches("\"refanged\"").count(), 3000);
}

#[test]
fn user_information_has_its_flag_in_every_format() {
    let uri = "http://user:secret@example.com/";
    for (name, contents) in [
        ("a.txt", format!("{uri}\n")),
        ("a.html", format!("<a href='{uri}'>")),
        ("a.html", "<a href='//user@example.com/'>".to_owned()),
        ("a.md", format!("[x]({uri})\n")),
        ("a.css", format!("a {{ color: url({uri}) }}")),
        (
            "a.xml",
            format!("<rss><channel><link>{uri}</link></channel></rss>"),
        ),
        ("a.json", format!("[\"{uri}\"]")),
        ("a.csv", format!("x,{uri}\n")),
        ("a.rst", format!("`x <{uri}>`_\n")),
        ("a.adoc", format!("link:{uri}[x]\n")),
        ("a.eml", format!("Subject: x\nList-Help: <{uri}>\n\n")),
    ] {
        let tree = Tree::new(&[(name, &contents)]);
        let ran = tree.run(&["--json", "--base=http://example.org/", name]);
        assert!(ran.out.contains("\"userinfo\""), "{name}: {}", ran.out);
    }
    let tree = Tree::new(&[(
        "a.html",
        "<base href='http://user@example.com/'><a href=b@c><a href='mailto:a@example.com'>",
    )]);
    let ran = tree.run(&["--json", "a.html"]);
    assert!(!ran.out.contains("\"userinfo\""), "{}", ran.out);
}

#[test]
fn hosts_are_counted_as_hosts() {
    let tree = Tree::new(&[(
        "a.txt",
        "http://Example.COM/ http://example.com./x http://example.com:80/ git://EXAMPLE.com/\n\
         http://b\u{fc}cher.example/ http://xn--bcher-kva.example/ http://0x7f.1/ http://127.0.0.1/\n",
    )]);
    tree.run(&["--count-by", "host", "a.txt"]).is(
        0,
        "4\texample.com\n2\t127.0.0.1\n2\txn--bcher-kva.example\n",
    );
    tree.run(&["--count-by", "host", "--idn", "a.txt"])
        .is(0, "4\texample.com\n2\t127.0.0.1\n2\tb\u{fc}cher.example\n");
}

#[test]
fn mounts_and_gateways_compare_hosts_as_hosts() {
    let tree = Tree::new(&[(
        "site/a.txt",
        "http://Example.com./docs/b.txt http://b\u{fc}cher.example/c.txt http://example.com/docs/none\n",
    )]);
    tree.write("site/b.txt", b"");
    tree.write("idn/c.txt", b"");
    for uri in ["http://example.com/docs/", "http://EXAMPLE.com./docs/"] {
        let ran = tree.run(&[
            "audit",
            &format!("--root=site={uri}"),
            "--root=idn=http://b\u{fc}cher.example/",
            "site",
            "idn",
        ]);
        assert!(
            ran.err.contains("2 ok, 1 broken, 0 external"),
            "{}",
            ran.err
        );
    }
    tree.write(
        "b.txt",
        b"https://N1.Links.Example.com.:443/?url=http%3A%2F%2Fexample.org%2Fx\n",
    );
    let ran = tree.run(&[
        "--json",
        "--unwrap-host=safelinks=.links.example.COM.",
        "b.txt",
    ]);
    assert!(ran.out.contains("\"http://example.org/x\""), "{}", ran.out);
}

#[test]
fn a_folded_slash_in_a_link_of_urldefense_is_restored() {
    let tree = Tree::new(&[(
        "a.txt",
        "https://urldefense.com/v3/__https:/www.example.org/?q=a*b__;Jg!!AbC!x$\n",
    )]);
    let ran = tree.run(&["--json", "--unwrap", "a.txt"]);
    assert!(
        ran.out.contains("\"https://www.example.org/?q=a&b\""),
        "{}",
        ran.out
    );
}

#[test]
fn a_stuffed_line_of_flowed_text_is_no_quote() {
    let tree = Tree::new(&[]);
    let mail = |body: &str| {
        tree.write(
            "a.eml",
            format!("Subject: x\nContent-Type: text/plain; format=flowed\n\n{body}").as_bytes(),
        );
        tree.run(&["--json", "a.eml"]).out
    };
    // The mark closes the URI.
    let out = mail("<http://example.com/a \n > x>\n");
    assert!(
        out.contains("\"reference\":\"http://example.com/a\""),
        "{out}"
    );
    // The line before is in no quote either, so that a URI goes on in the next one.
    let out = mail(" > see <http://example.com/a/\nb>\n");
    assert!(
        out.contains("\"reference\":\"http://example.com/a/b\""),
        "{out}"
    );
    let out = mail("> see <http://example.com/a/\nb>\n");
    assert!(
        out.contains("\"reference\":\"http://example.com/a/\""),
        "{out}"
    );
}

#[test]
fn root_with_a_namespace_is_xml_with_any_file_name() {
    let page =
        "<page xmlns='http://projectmallard.org/1.0/'><link href='http://example.com/a'/></page>";
    let plist = "<!DOCTYPE feed SYSTEM 'x.dtd'>\n<feed><a href='http://example.com/a'/></feed>";
    for contents in [page, &format!("<!-- x -->\n{page}"), plist] {
        let tree = Tree::new(&[("a.page", contents), ("a", contents)]);
        let fields = ["--format=csv", "--fields=reference,context,element"];
        for name in ["a.page", "a"] {
            let ran = tree.run(&[&fields[..], &[name]].concat());
            assert!(
                ran.out.contains("http://example.com/a,attribute,"),
                "{name}: {}",
                ran.out
            );
        }
    }
    let html = "<!doctype html><p><a href='http://example.com/b'>";
    let tree = Tree::new(&[("a", html)]);
    let ran = tree.run(&["--json", "a"]);
    assert!(ran.out.contains("\"element\":\"a\""), "{}", ran.out);
}

#[test]
fn about_of_rdf_is_a_reference_with_extended() {
    let rdf = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:Description r:about='http://example.com/a'>\
               <x xmlns='http://example.org/' r:resource='http://example.com/b'/></r:Description></r:RDF>";
    let tree = Tree::new(&[("a.rdf", rdf)]);
    tree.run(&[
        "--extended",
        "--format=csv",
        "--fields=reference,attribute",
        "a.rdf",
    ])
    .is(
        0,
        "reference,attribute\nhttp://example.com/a,rdf:about\nhttp://example.com/b,rdf:resource\n",
    );
    tree.run(&["a.rdf"]).is(1, "");
}

#[test]
fn attribute_value_templates_of_xslt_are_templates() {
    let sheet = "<xsl:stylesheet xmlns:xsl='http://www.w3.org/1999/XSL/Transform' xmlns='http://www.w3.org/1999/xhtml'>\
                 <xsl:import href='b{x}.xsl'/><a href='{$base}/c'/><a href='http://example.com/{{d}}'/></xsl:stylesheet>";
    let page = "<html xmlns='http://www.w3.org/1999/xhtml'><a href='{x}'/></html>";
    let tree = Tree::new(&[("a.xsl", sheet), ("b.xhtml", page)]);
    let run = |name| {
        tree.run(&["--format=tsv", "--fields=reference,flags", name])
            .out
    };
    // Literal result elements without a namespace are HTML.
    tree.write(
        "c.xsl",
        sheet
            .replace(" xmlns='http://www.w3.org/1999/xhtml'", "")
            .as_bytes(),
    );
    assert_eq!(run("c.xsl"), run("a.xsl"));
    assert_eq!(
        run("a.xsl"),
        "reference\tflags\nb{x}.xsl\t\n{$base}/c\ttemplate\nhttp://example.com/{d}\t\n"
    );
    assert_eq!(run("b.xhtml"), "reference\tflags\n{x}\t\n");
}

#[test]
fn html_without_a_name_is_known_by_its_first_tag() {
    let tree = Tree::new(&[]);
    for html in [
        "<p>x <a href=b>",
        "\n<!-- x -->\n<DIV class=x><a href=b>",
        "<a href=b>",
    ] {
        let ran = tree.pipe(html.as_bytes(), &["--json", "--base=http://example.com/"]);
        assert!(
            ran.out.contains("\"http://example.com/b\""),
            "{html}: {}",
            ran.out
        );
    }
    let ran = tree.pipe(b"<http://example.com/> <p>", &["--json"]);
    assert!(ran.out.contains("\"context\":\"angle\""), "{}", ran.out);
}

#[test]
fn formats_are_known_by_their_contents_in_utf_16() {
    let tree = Tree::new(&[]);
    for (name, text) in [
        ("a.1", ".TH A 1\n.UR http://example.com/\\:a\n"),
        (
            "a.asc",
            "= T\n\n\\http://example.com/no http://example.com/a[x]\n",
        ),
        (
            "a.map",
            r#"{"version": 3, "file": "http:\/\/example.com\/a", "mappings": ""}"#,
        ),
        (
            "a",
            r#"{"log": {"entries": [{"request": {"url": "http:\/\/example.com\/a"}}]}}"#,
        ),
    ] {
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let units = ['\u{feff}' as u16].into_iter().chain(text.encode_utf16());
            tree.write(name, &units.flat_map(order).collect::<Vec<_>>());
            tree.run(&[name]).is(0, "http://example.com/a\n");
        }
    }
}

#[test]
fn json_with_comments_and_json5_are_read() {
    let text = "// see http://example.com/a\n{unquoted: 'http://example.com/b', /* <http://example.com/\n c> */ \"d\": \"http:\\/\\/example.com/\\\nd\",\n\
                n: [+1, .5, 0xF, Infinity, \"\\x68ttp://example.com/e\",],}\n";
    let other = text.replace('\n', "\r");
    for (name, text) in [("a.jsonc", text), ("a.json5", text), ("a.json5", &other)] {
        reads(
            name,
            text,
            &[],
            "reference,context,attribute,line",
            &[
                "http://example.com/a\tcomment\t\t1",
                "http://example.com/b\tattribute\t/unquoted\t2",
                "http://example.com/c\tcomment\t\t2",
                "http://example.com/d\tattribute\t/d\t3",
                "http://example.com/e\tattribute\t/n/4\t5",
            ],
        );
        let tree = Tree::new(&[(name, text)]);
        assert_eq!(tree.run(&["-v", name]).err, "");
    }
}

#[test]
fn comments_in_the_configuration_of_typescript_are_no_faults() {
    let text = "{\n  // http://example.com/a\n  \"extends\": \"http://example.com/b\",\n}\n";
    for (name, faults) in [("tsconfig.json", 0), ("jsconfig.json", 0), ("a.json", 1)] {
        let ran = Tree::new(&[(name, text)]).run(&["--json", name]);
        assert_eq!(
            ran.out.matches("json.not-well-formed").count(),
            faults,
            "{name}"
        );
    }
}

#[test]
fn comments_in_json_are_read() {
    let text = "{\n  // http://example.com/a\n  \"$schema\": \"http://example.com/b\" /* http://example.com/c */\n}\n";
    for name in ["tsconfig.json", "a.json"] {
        reads(
            name,
            text,
            &[],
            "reference,context",
            &[
                "http://example.com/a\tcomment",
                "http://example.com/b\tattribute",
                "http://example.com/c\tcomment",
            ],
        );
    }
}

/// A text in UTF-16 without its mark, or in UTF-32 with it.
fn wide(text: &str, mark: &[u8], width: usize, is_big: bool) -> Vec<u8> {
    let mut bytes = mark.to_vec();
    for character in text.chars() {
        let unit = u32::from(character).to_be_bytes();
        let unit = &unit[4 - width..];
        if is_big {
            bytes.extend(unit);
        } else {
            bytes.extend(unit.iter().rev());
        }
    }
    bytes
}

#[test]
fn utf_16_that_is_only_declared_is_recognised_by_its_characters() {
    for (label, is_big) in [("utf-16le", false), ("utf-16be", true)] {
        for (name, text, expected) in [
            (
                "a",
                "<html><a href='b?\u{E9}'>",
                "http://example.com/b?%C3%A9\n",
            ),
            (
                "a",
                "<?xml version='1.0'?><rss><channel><link>b&amp;c</link></channel></rss>",
                "http://example.com/b&c\n",
            ),
            (
                "a.bin",
                "see <http://example.org/>",
                "http://example.org/\n",
            ),
            ("a.json", "{\"start_url\": \"b\"}", "http://example.com/b\n"),
        ] {
            let bytes = wide(text, b"", 2, is_big);
            let tree = Tree::new(&[]);
            tree.write(name, &bytes);
            let flags = ["--encoding", label, "--base", "http://example.com/"];
            tree.run(&[&flags[..], &[name]].concat()).is(0, expected);
            if name == "a" {
                tree.pipe(&bytes, &flags).is(0, expected);
            }
        }
    }
    // Other files are what they are.
    let tree = Tree::new(&[("a.eml", "Subject: http://example.com/\nDate: x\n\n")]);
    tree.write("b.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    tree.run(&["--encoding", "utf-16le", "."])
        .is(0, "http://example.com/\n");
}

#[test]
fn utf_32_is_known_by_its_mark() {
    let mail = "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n";
    for (mark, is_big) in [(&b"\xFF\xFE\0\0"[..], false), (b"\0\0\xFE\xFF", true)] {
        for (name, text, expected) in [
            (
                "a.html",
                "<p>\u{1F600}<a href='/b?\u{E9}'>",
                "http://example.com/b?%C3%A9\n",
            ),
            ("a", "<html><a href='/b'>", "http://example.com/b\n"),
            (
                "a.txt",
                "\u{E9}<http://example.org/>",
                "http://example.org/\n",
            ),
            (
                "a.css",
                "p { background: url(b) }",
                "http://example.com/b\n",
            ),
            ("a.md", "[a](b)", "http://example.com/b\n"),
            (
                "a.json",
                "[\"http:\\/\\/example.org\\/\"]",
                "http://example.org/\n",
            ),
            (
                "a.svg",
                "<svg xmlns='http://www.w3.org/2000/svg'><a href='b'/></svg>",
                "http://example.com/b\n",
            ),
        ] {
            let tree = Tree::new(&[]);
            let bytes = wide(text, mark, 4, is_big);
            tree.write(name, &bytes);
            let base = ["--base", "http://example.com/"];
            tree.run(&[&base[..], &["-v", name]].concat())
                .is(0, expected);
            tree.run(&[&base[..], &["--encoding", "latin1", name]].concat())
                .is(0, expected);
            if name == "a.txt" {
                let mail = format!("{mail}{}", data_encoding::BASE64.encode(&bytes));
                tree.pipe(mail.as_bytes(), &["-t", "eml"]).is(0, expected);
                tree.run(&["--format=tsv", "--fields=line,column,start,end", name])
                    .is(0, "line\tcolumn\tstart\tend\n1\t3\t12\t88\n");
            }
        }
    }
}

#[test]
fn utf_16_that_begins_with_nul_is_not_utf_32() {
    let text = "\0<http://example.com/>";
    for (mark, is_big) in [(b"\xFF\xFE", false), (b"\xFE\xFF", true)] {
        let tree = Tree::new(&[]);
        tree.write("a.txt", &wide(text, mark, 2, is_big));
        for window in ["--window=1", "--window=100"] {
            tree.run(&[window, "a.txt"]).is(0, "http://example.com/\n");
        }
    }
}

#[test]
fn a_document_that_its_charset_hides_is_diagnosed() {
    let text = "<meta charset=iso-2022-kr><a href='http://example.com/'>";
    let late = format!("{}{text}", " ".repeat(2000));
    for (text, flags) in [
        (text, &["-t", "html"][..]),
        (&late, &["-t", "html"]),
        (
            "<http://example.com/>",
            &["-t", "text", "--encoding", "hz-gb-2312"],
        ),
    ] {
        let tree = Tree::new(&[("a", text)]);
        for more in [&["-v", "a"][..], &["-v", "--window=7", "a"]] {
            tree.run(&[flags, more].concat())
                .tells(1, "", "charset.unsupported");
        }
        tree.pipe(text.as_bytes(), &[flags, &["-v"]].concat())
            .tells(1, "", "charset.unsupported");
    }
}
