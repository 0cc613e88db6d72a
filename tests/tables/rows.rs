//! Rows against records.

use arrow_array::RecordBatch;

use super::*;

#[test]
fn every_column_of_the_corpus_is_the_key_of_its_record() {
    let (tree, corpus) = (Tree::new(&[]), corpus());
    let arguments = ["-z", "-j2", "--unwrap", "--anchor-text", &corpus];
    let records = records(&tree, &arguments);
    assert!(records.len() > 900, "{}", records.len());
    let sets = ["core", "mail", "web", "all"].map(|set| vec!["--columns", set]);
    for columns in [&sets[..], &[vec!["--columns", "all", "--dictionaries"]]].concat() {
        let rows = rows(&batches(&table(
            &tree,
            &[&arguments[..], &columns].concat(),
        )));
        assert_eq!(rows.len(), records.len());
        for (row, record) in rows.iter().zip(&records) {
            compare(row, record);
        }
    }
}

/// A web archive of two records, the second one compressed by the server.
fn web_archive() -> Vec<u8> {
    let mut archive = Vec::new();
    for name in ["a", "b"] {
        let page =
            format!("<base href='/{name}/'><a href=x>x</a> <a href='//Www.Example.ORG:80/'>y</a>");
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: </l>; rel=next\r\n\r\n{page}"
        );
        archive.extend_from_slice(
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{name}>\r\n\
                 WARC-Date: 2024-01-02T03:04:05Z\r\nWARC-Truncated: length\r\n\
                 WARC-Target-URI: http://example.com/{name}\r\n\
                 Content-Type: application/http;msgtype=response\r\n\
                 Content-Length: {}\r\n\r\n{response}\r\n\r\n",
                response.len()
            )
            .as_bytes(),
        );
    }
    archive
}

#[test]
fn columns_of_messages_and_records_are_typed() {
    let letter = "From a@example.com Thu Mar  2 10:11:00 2006\nMessage-ID: <m@example.com>\n\
                  Date: Thu, 2 Mar 2006 10:11:12 -0500\nFrom: Ann <ann@example.com>\n\
                  Subject: =?utf-8?q?d=C3=A9j=C3=A0?=\n\nhttp://example.com/\n\n";
    let tree = Tree::new(&[("a.mbox", letter)]);
    tree.write("b.warc", &web_archive());
    let arguments = ["a.mbox", "b.warc", "--columns", "all"];
    let rows = rows(&batches(&table(&tree, &arguments)));
    let records = records(&tree, &arguments[..2]);
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(&records) {
        compare(row, record);
    }
    let time = Cell::Number(1_141_312_272_000_000);
    assert_eq!(value(&rows[0], "message_date"), &time);
    assert_eq!(value(&rows[0], "message_subject"), &text("déjà"));
    let last = rows.last().unwrap();
    assert_eq!(value(last, "http_status"), &Cell::Number(200));
    assert_eq!(value(last, "message_date"), &Cell::Null);
    assert_eq!(value(last, "target"), &text("http://www.example.org/"));
    for (name, expected) in [
        ("host", "www.example.org"),
        ("host_rev", "org.example.www"),
        ("scheme", "http"),
    ] {
        assert_eq!(value(last, name), &text(expected));
    }
}

#[test]
fn the_columns_of_the_target_are_those_of_its_authority() {
    let hosts = [
        (
            "HTTP://User@WWW.Example.COM:80/x",
            "www.example.com",
            "com.example.www",
            "http",
        ),
        ("http://192.0.2.1/", "192.0.2.1", "192.0.2.1", "http"),
        (
            "http://[2001:DB8::1]/",
            "[2001:db8::1]",
            "[2001:db8::1]",
            "http",
        ),
        ("ftp://localhost/", "localhost", "localhost", "ftp"),
        ("mailto:ann@example.com", "", "", "mailto"),
        (
            "http://www.example.com./",
            "www.example.com",
            "com.example.www",
            "http",
        ),
        (
            "http://b%C3%BCcher.example/",
            "xn--bcher-kva.example",
            "example.xn--bcher-kva",
            "http",
        ),
        ("http://ex%ZZample.com/", "", "", "http"),
    ];
    let text: String = hosts
        .iter()
        .map(|(uri, ..)| format!("<{uri}>\n\n"))
        .collect();
    let tree = Tree::new(&[("a.txt", &text)]);
    let rows = rows(&batches(&table(&tree, &["a.txt", "--columns", "all"])));
    for (row, (uri, host, reversed, scheme)) in rows.iter().zip(hosts) {
        let expected = |value: &str| match value {
            "" => Cell::Null,
            value => super::text(value),
        };
        assert_eq!(value(row, "reference"), &Cell::Bytes(uri.into()));
        assert_eq!(value(row, "host"), &expected(host));
        assert_eq!(value(row, "host_rev"), &expected(reversed));
        assert_eq!(value(row, "scheme"), &expected(scheme));
    }
    assert_eq!(rows.len(), hosts.len());
}

#[test]
fn bytes_that_are_not_utf_8_are_kept_beside_their_text() {
    let tree = Tree::new(&[]);
    tree.write(
        "a.txt",
        b"<http://example.com/\xE9\xC3\xA9> and <http://example.com/plain>\n",
    );
    let rows = rows(&batches(&table(&tree, &["a.txt"])));
    let bytes = |bytes: &[u8]| Cell::Bytes(bytes.to_vec());
    let uri = b"http://example.com/\xE9\xC3\xA9";
    assert_eq!(value(&rows[0], "reference"), &bytes(uri));
    assert_eq!(value(&rows[0], "target"), &text("http://example.com/%E9é"));
    assert_eq!(value(&rows[0], "target_bytes"), &bytes(uri));
    assert_eq!(value(&rows[1], "target"), &text("http://example.com/plain"));
    assert_eq!(value(&rows[1], "target_bytes"), &Cell::Null);
}

#[test]
fn a_base_that_is_not_utf_8_is_percent_encoded() {
    let tree = Tree::new(&[]);
    let base = ["--rules", "rfc3986", "a.html"];
    tree.write(
        "a.html",
        b"<meta charset=utf-8><base href='http://example.com/\xE9/'><a href=x>x</a>",
    );
    let rows = rows(&batches(&table(&tree, &base)));
    let records = records(&tree, &base);
    compare(&rows[0], &records[0]);
    let Cell::Text(base) = value(&rows[0], "base") else {
        panic!("{rows:?}");
    };
    assert!(base.starts_with("http://example.com/"), "{base}");
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_utf_8_has_its_bytes() {
    let tree = Tree::new(&[]);
    tree.write(crate::cli::os(b"a\xFF.txt"), b"http://example.com/\n");
    tree.write("b.txt", b"http://example.com/\n");
    let rows = rows(&batches(&table(&tree, &["."])));
    assert_eq!(value(&rows[0], "path"), &text("./a\u{FFFD}.txt"));
    assert_eq!(
        value(&rows[0], "path_bytes"),
        &Cell::Bytes(b"./a\xFF.txt".to_vec())
    );
    assert_eq!(value(&rows[1], "path"), &text("./b.txt"));
    assert_eq!(value(&rows[1], "path_bytes"), &Cell::Null);
}

#[test]
fn a_link_with_a_nul_is_kept() {
    let tree = Tree::new(&[("a.webmanifest", r#"{"name": "a", "start_url": "a\u0000b"}"#)]);
    let arguments = ["a.webmanifest", "--base", "http://example.com/"];
    let (rows, records) = (
        rows(&batches(&table(&tree, &arguments))),
        records(&tree, &arguments),
    );
    assert_eq!(rows.len(), records.len());
    let has_nul = |row: &Row| match value(row, "reference") {
        Cell::Bytes(bytes) => bytes.contains(&0),
        _ => false,
    };
    assert!(rows.iter().any(has_nul), "{rows:?}");
    for (row, record) in rows.iter().zip(&records) {
        compare(row, record);
    }
}

#[test]
fn each_target_once_is_a_row_each() {
    let text = "http://example.com/a http://example.com/b http://example.com/a\n".repeat(3000);
    let tree = Tree::new(&[
        ("a.txt", &text),
        ("b.txt", &text),
        ("c.txt", "http://example.com/c\n"),
    ]);
    let arguments = ["--unique", "."];
    let rows = rows(&batches(&table(&tree, &arguments)));
    let records = records(&tree, &arguments);
    assert_eq!((rows.len(), records.len()), (3, 3));
    for (row, record) in rows.iter().zip(&records) {
        compare(row, record);
    }
}

/// A long text, and many files of all lengths.
fn large_tree() -> Tree {
    let tree = Tree::new(&[]);
    let line = |file: usize, line: usize| match line % 5 {
        0 => format!("\"http://example.com/{file}/\n{line}\" é\n\n"),
        1 => format!("<http://example.com/{line}>\n\n"),
        _ => format!("http://example.com/{file}/{line}\n"),
    };
    let text: String = (0..crate::rounds(10_000, 40_000))
        .map(|number| line(0, number))
        .collect();
    tree.write("long.txt", text.as_bytes());
    for file in 0..200 {
        let lines = 1 + file * file * 7919 % (1 << (file % 11));
        let text: String = (0..lines).map(|number| line(file, number)).collect();
        let page =
            format!("<base href=http://example.com/{file}/><a href=a>{text}</a><img src=b.png>");
        tree.write(format!("d{}/{file}.txt", file % 7), text.as_bytes());
        tree.write(format!("d{}/{file}.html", file % 7), page.as_bytes());
    }
    tree
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_workers() {
    let tree = large_tree();
    for shape in [
        &["."][..],
        &["--columns", "all", "d0"],
        &["--unique", "d1"],
        &["--dictionaries", "d2"],
    ] {
        let run = |threads| table(&tree, &[shape, &["-j", threads]].concat());
        let one = run("1");
        for threads in crate::rounds(&["3"][..], &["2", "4"]) {
            assert!(run(threads) == one, "-j{threads} {shape:?}");
        }
    }
    let one = table(&tree, &["long.txt", "-j1"]);
    assert!(one == table(&tree, &["long.txt", "-j3", "--piece", "50000"]));
    let all = table(&tree, &["."]);
    let batches = batches(&all);
    let lengths: Vec<_> = batches.iter().map(RecordBatch::num_rows).collect();
    let (last, full) = lengths.split_last().unwrap();
    assert!(full.len() > 1 && full.iter().all(|&rows| rows == 1 << 12) && *last <= 1 << 12);
    let records = records(&tree, &["."]);
    let rows = rows(&batches);
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(&records) {
        compare(row, record);
    }
}
