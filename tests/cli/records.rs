//! `uriscan records`: a row for each document, message and record.

use serde_json::Value;

use super::Tree;
use crate::compressed::gzip;
use crate::packages::zip::{Member, zip};

fn rows(tree: &Tree, flags: &[&str]) -> Vec<String> {
    let ran = tree.run(&[&["records", "--json"], flags].concat());
    let lines = ran.out.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["type"], "record");
        let shown =
            ["path", "member", "links", "skipped", "error", "title"].map(|key| match &row[key] {
                Value::Null => "-".to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
        shown.join(" ")
    });
    lines.collect()
}

#[test]
fn messages_members_and_files_have_rows_with_links_or_without() {
    let mail = "From a@example.com Thu Mar  2 10:11:12 2006\nSubject: none\n\nnothing\n\n\
                From a@example.com Thu Mar  2 10:11:12 2006\nSubject: two\n\n\
                http://example.com/a http://example.com/b\n";
    let members = [
        Member::new("page.html", "<a href=x>x</a>"),
        Member::new("app.bin", "\0\0\0"),
    ];
    let tree = Tree::new(&[("a.mbox", mail), ("b.txt", "nothing")]);
    tree.write("c.zip", &zip(&members));
    tree.write("d.txt.gz", &gzip(b"http://example.com/"));
    tree.write("e.bin", b"\0\0\0\0");
    assert_eq!(
        rows(
            &tree,
            &["a.mbox", "b.txt", "c.zip", "d.txt.gz", "e.bin", "none"]
        ),
        [
            "a.mbox 1 0 - - none",
            "a.mbox 2 2 - - two",
            "b.txt - 0 - - -",
            "c.zip page.html 1 - - -",
            "c.zip app.bin 0 binary file - -",
            "d.txt.gz - 1 - - -",
            "e.bin - 0 it is not text but binary file - -",
            "none - 0 - No such file or directory (os error 2) -",
        ]
    );
    let ran = tree.run(&["records", "a.mbox"]);
    assert_eq!(ran.out, "a.mbox!1: 0 links\na.mbox!2: 2 links\n");
    assert_eq!(ran.code, 0);
}

#[test]
fn the_offset_and_the_length_of_a_message_are_those_of_its_bytes() {
    let message = |number: usize, body: &str| {
        format!(
            "From a@example.com Thu Mar  2 10:11:12 2006\nSubject: {number}\n\
             Content-Type: multipart/mixed; boundary=b\n\n--b\n\n{body}\n--b--\n\n"
        )
    };
    let messages: Vec<String> = (0..500)
        .map(|number| message(number, &"http://example.com/\n".repeat(number % 50)))
        .collect();
    let mut mailbox = messages.concat();
    mailbox.pop();
    let tree = Tree::new(&[("a.mbox", &mailbox)]);
    tree.write("b.mbox.gz", &gzip(mailbox.as_bytes()));
    for flags in [&[][..], &["--piece", "4K"], &["--window", "64"]] {
        let list = [
            "records",
            "--format",
            "csv",
            "--columns",
            "title,offset,length",
        ];
        let ran = tree.run(&[&list[..], flags, &["a.mbox"]].concat());
        let mut lines = ran.out.lines().skip(1);
        for (number, message) in messages.iter().enumerate() {
            let cells: Vec<usize> = lines
                .next()
                .unwrap()
                .split(',')
                .flat_map(str::parse)
                .collect();
            let [title, offset, length] = cells[..] else {
                panic!("{cells:?}")
            };
            assert_eq!(title, number);
            assert_eq!(
                &mailbox[offset..offset + length],
                message.strip_suffix('\n').unwrap()
            );
        }
        let ran = tree.run(&[&list[..], flags, &["b.mbox.gz"]].concat());
        assert!(ran.out.lines().skip(1).all(|line| line.ends_with(',')));
    }
}

fn web_record(kind: &str, fields: &str, block: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2006-03-02T10:11:12Z\r\n{fields}\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

fn web_archive() -> Vec<u8> {
    let uri = |path: &str| format!("WARC-Target-URI: http://www.example.com/{path}\r\n");
    let http = "Content-Type: application/http;msgtype=response\r\n";
    let digest = "WARC-Payload-Digest: sha1:AAAA\r\n";
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<a href=b>b</a>";
    let moved = "HTTP/1.1 301 Moved\r\nContent-Type: text/html\r\n\r\n";
    let image = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nPNG";
    let same = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    [
        web_record("warcinfo", "", "software: none\r\n"),
        web_record(
            "request",
            &[&uri("a"), http].concat(),
            "GET /a HTTP/1.1\r\n\r\n",
        ),
        web_record("response", &[&uri("a"), http, digest].concat(), page),
        web_record("response", &[&uri("moved"), http].concat(), moved),
        web_record("response", &[&uri("i.png"), http].concat(), image),
        web_record("revisit", &[&uri("same"), http].concat(), same),
        web_record(
            "resource",
            &[&uri("r"), "Content-Type: text/plain\r\n"].concat(),
            "x",
        ),
    ]
    .concat()
    .into_bytes()
}

#[test]
fn records_of_web_archives_have_rows_whatever_their_bodies_are() {
    let tree = Tree::new(&[]);
    tree.write("a.warc", &web_archive());
    let ran = tree.run(&[
        "records",
        "--format",
        "csv",
        "--columns",
        "member,warc_type,status,media_type,charset,links,skipped",
        "a.warc",
    ]);
    assert_eq!(
        ran.out,
        "member,warc_type,status,media_type,charset,links,skipped\n\
         3,response,200,text/html; charset=utf-8,utf-8,1,\n\
         4,response,301,text/html,,0,\n\
         5,response,200,image/png,,0,image/png\n\
         6,revisit,200,text/html,,0,\n\
         7,resource,,text/plain,,0,\n"
    );
}

/// The output of cdxj-indexer 1.4.6 on the same archive, without the digests that it computes.
#[test]
fn the_index_of_a_web_archive_is_that_of_cdxj_indexer() {
    let tree = Tree::new(&[]);
    let archive = web_archive();
    tree.write("d/a.warc", &archive);
    let ran = tree.run(&["records", "--format", "cdxj", "d/a.warc"]);
    let text = String::from_utf8(archive).unwrap();
    let offset = |kind: &str| {
        let at = text.find(&format!("WARC-Type: {kind}\r\n")).unwrap();
        at - "WARC/1.0\r\n".len()
    };
    let first = ran.out.lines().next().unwrap();
    let start = "com,example)/a 20060302101112 {\"url\": \"http://www.example.com/a\", \
                 \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"sha1:AAAA\", \"length\": \"";
    assert!(first.starts_with(start), "{first}");
    let end = format!(
        "\"offset\": \"{}\", \"filename\": \"a.warc\"}}",
        offset("response")
    );
    assert!(first.ends_with(&end), "{first}");
    let others: Vec<_> = ran
        .out
        .lines()
        .skip(1)
        .map(|line| line.split(", \"status\"").next().unwrap())
        .collect();
    let line = |path: &str, mime: &str| {
        format!(
            "com,example)/{path} 20060302101112 {{\"url\": \"http://www.example.com/{path}\", \"mime\": \"{mime}\""
        )
    };
    assert_eq!(
        others[..3],
        [
            line("moved", "text/html"),
            line("i.png", "image/png"),
            line("same", "warc/revisit")
        ]
    );
    assert!(
        others[3].starts_with(&line("r", "text/plain")),
        "{}",
        others[3]
    );
    assert_eq!(others.len(), 4);
}

/// The output of cdxj-indexer 1.5.0 on records that crawlers write rarely.
#[test]
fn rows_of_an_index_are_those_of_cdxj_indexer_whatever_the_records_are() {
    const ARCHIVE: [(&str, &str, &str, &str); 14] = [
        (
            "response",
            "chunks",
            HTTP,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ),
        (
            "response",
            "odd é 😀",
            HTTP,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\nabc",
        ),
        (
            "response",
            "empty-type",
            HTTP,
            "HTTP/1.1 200 OK\r\nContent-Type:\r\n\r\nabc",
        ),
        ("response", "no-block", HTTP, ""),
        (
            "response",
            "cut",
            CUT,
            "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: 9\r\n\r\nabc",
        ),
        (
            "response",
            "plain-record",
            "Content-Type: text/html\r\n",
            "HTTP/1.1 404 No\r\nContent-Type: text/css\r\n\r\nabc",
        ),
        (
            "response",
            "dns:www.example.com",
            "Content-Type: text/dns\r\n",
            "192.0.2.1",
        ),
        (
            "request",
            "chunks",
            "Content-Type: application/http;msgtype=request\r\n",
            "POST /chunks HTTP/1.1\r\n\r\na=1",
        ),
        ("revisit", "again", HTTP, ""),
        (
            "resource",
            "fields",
            "Content-Type: application/warc-fields\r\n",
            "a: b\r\n",
        ),
        (
            "metadata",
            "more-fields",
            "Content-Type: application/warc-fields; charset=utf-8\r\n",
            "a: b\r\n",
        ),
        (
            "metadata",
            "metadata://example.com/x",
            "Content-Type: text/plain\r\n",
            "x",
        ),
        ("conversion", "text", "Content-Type: text/plain\r\n", "x"),
        ("resource", "none", "", "x"),
    ];
    const HTTP: &str = "Content-Type: application/http;msgtype=response\r\n";
    const CUT: &str =
        "Content-Type: application/http;msgtype=response\r\nWARC-Truncated: length\r\n";
    let records = ARCHIVE.map(|(kind, uri, fields, block)| {
        let start = if uri.contains(':') {
            ""
        } else {
            "http://www.example.com/"
        };
        web_record(
            kind,
            &format!("WARC-Target-URI: {start}{uri}\r\n{fields}"),
            block,
        )
    });
    let tree = Tree::new(&[]);
    tree.write("t.warc", records.concat().as_bytes());
    let ran = tree.run(&["records", "--format", "cdxj", "t.warc"]);
    assert_eq!(ran.out, include_str!("../crawl/rare.cdxj"));
    // The digest of a body that is not held, and where records are in members.
    let body = "<p>x</p>".repeat(17 << 17);
    let long = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let long = web_record(
        "response",
        &format!("WARC-Target-URI: http://www.example.com/long\r\n{HTTP}"),
        &long,
    );
    let members: Vec<u8> = [&records[..], &[long]]
        .concat()
        .iter()
        .flat_map(|record| gzip(record.as_bytes()))
        .collect();
    tree.write("t.warc.gz", &members);
    let ran = tree.run(&["records", "--format", "cdxj", "t.warc.gz"]);
    assert!(
        ran.out.contains("sha1:5ASM2DOYKO7AYFYMHRLJGBDVISDVQ6RJ"),
        "{}",
        ran.out
    );
    assert_eq!(ran.out.lines().count(), 12);
    for line in ran.out.lines() {
        let row: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
        let [offset, length] =
            ["offset", "length"].map(|key| row[key].as_str().unwrap().parse::<usize>().unwrap());
        tree.write("one.warc.gz", &members[offset..offset + length]);
        let one = tree.run(&["records", "--format", "cdxj", "one.warc.gz"]);
        let moved = line.replace(&format!("\"offset\": \"{offset}\""), "\"offset\": \"0\"");
        assert_eq!(one.out, moved.replace("t.warc.gz", "one.warc.gz") + "\n");
    }
    // A record that the file cuts.
    tree.write("t.warc", &records.concat().as_bytes()[..280]);
    let ran = tree.run(&["records", "--format", "cdxj", "t.warc"]);
    assert!(ran.out.contains("\"length\": \"280\""), "{}", ran.out);
}

#[test]
fn an_index_is_sorted_by_line_on_request() {
    let tree = Tree::new(&[]);
    for name in ["a.warc", "b.warc"] {
        tree.write(name, &web_archive());
    }
    let index = ["records", "--format", "cdxj", "a.warc", "b.warc"];
    let ran = tree.run(&index);
    let mut lines: Vec<&str> = ran.out.lines().collect();
    assert!(!lines.is_sorted());
    lines.sort_unstable();
    let sorted = tree.run(&[&index[..], &["--sort", "line"]].concat());
    assert_eq!(sorted.out.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn the_title_of_a_page_is_its_title_element() {
    let page = "<!doctype html><title>A  &amp;\n B</title><svg><title>C</title></svg>\
        <iframe srcdoc='<title>D</title>'></iframe><template><title>E</title></template>";
    let tree = Tree::new(&[
        ("a.html", page),
        ("b.html", "<p>x<table><td><title>F</title>"),
        ("c.html", "<!-- <title>G</title> --><p>x"),
        ("d.html", "<svg><title>H</title></svg><title></title>"),
        // Read by the tree builder.
        (
            "f.html",
            "<title>J&amp;K</title><a href=x><svg><foreignObject><base href=/b/></foreignObject></svg><a href=a>",
        ),
    ]);
    let long = "<p>x</p>".repeat(100_000);
    tree.write("e.html", format!("{long}<title>I</title>").as_bytes());
    let list = ["records", "--format", "csv", "--columns", "path,title", "."];
    let expected =
        "path,title\n./a.html,A & B\n./b.html,F\n./c.html,\n./d.html,\n./e.html,I\n./f.html,J&K\n";
    assert_eq!(tree.run(&list).out, expected);
    let cut = [&list[..], &["--window", "16"]].concat();
    assert_eq!(tree.run(&cut).out, expected);
}

#[test]
fn each_kind_of_row_has_its_own_keys_and_formats() {
    let tree = Tree::new(&[("a.txt", "http://example.com/")]);
    for (flags, message) in [
        (
            &["--columns", "status", "a.txt"][..],
            "links have no status",
        ),
        (
            &["records", "--columns", "element", "a.txt"],
            "records have no element",
        ),
        (&["records", "--count", "a.txt"], "no other reports"),
        (&["--format", "cdxj", "a.txt"], "uriscan records"),
        (&["records", "--sort", "line", "a.txt"], "--format cdxj"),
    ] {
        let ran = tree.run(flags);
        assert_eq!(ran.code, 2, "{flags:?}");
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    let schema = tree.run(&["schema", "record", "--format", "arrow"]);
    assert!(schema.out.contains("links: int64"), "{}", schema.out);
}
