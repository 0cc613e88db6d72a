//! Each row of each table is tried: its name appears in a test, a case or a document of the corpus.
//!
//! Tables that the library does not show are read from the source, as CONTRIBUTING.md names them.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use uriscan::audit::RULES;
use uriscan::document::Format;
use uriscan::document::diagnostic::CODES;
use uriscan::document::flags::Flags;

use crate::cli::Tree;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Appends the texts of a folder.
fn texts(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // What is built there of the programs that use the library has no tests.
        if path.is_dir() && !path.ends_with("target") {
            texts(&path, found);
        } else if let Ok(text) = fs::read_to_string(&path) {
            found.push_str(&text.to_lowercase());
            found.push('\n');
        }
    }
}

/// Returns whether a byte may be in the name of a row.
fn is_name(byte: char) -> bool {
    byte.is_alphanumeric() || "+._-:".contains(byte)
}

/// The names in a table of a file: they follow one of some texts.
fn names(file: &str, table: &str, before: &[&str]) -> Vec<String> {
    let text = read(file);
    let (_, rows) = text.split_once(table).unwrap();
    let end = rows
        .find("\n];")
        .or(rows.find("\n};"))
        .unwrap_or(rows.len());
    let rows = &rows[..end];
    let found = before
        .iter()
        .flat_map(|before| rows.split(before).skip(1))
        .map(|rest| rest.split(|byte| !is_name(byte)).next().unwrap().to_owned());
    let names: Vec<String> = found.filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 2, "{file}: {table}: {names:?}");
    names
}

/// The names of the attributes of HTML that the table has.
fn attributes() -> Vec<String> {
    let spellings = read("src/document/html/names.rs");
    let file = "src/document/html/attributes.rs";
    let rows = names(file, "ATTRIBUTES: &[AttributeRow] = &[", &["At::"]);
    let spelling = |name: String| {
        let (_, rest) = spellings.split_once(&format!(" {name} = \"")).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    rows.into_iter().map(spelling).collect()
}

#[test]
fn each_row_of_each_table_has_a_test() {
    let mut text = String::new();
    for folder in ["tests", "corpus"] {
        texts(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            &mut text,
        );
    }
    let words: HashSet<&str> = text.split(|byte| !is_name(byte)).collect();
    // A colon may end a name that the text goes on after.
    let parts: HashSet<&str> = text.split(|byte| !is_name(byte) || byte == ':').collect();
    let names = [
        Format::all().map(|row| row.name.to_owned()).collect(),
        RULES.iter().map(|row| row.name.to_owned()).collect(),
        CODES.iter().map(|row| row.name.to_owned()).collect(),
        Flags::NAMES.iter().map(|&name| name.to_owned()).collect(),
        attributes(),
        names(
            "src/document/text/schemes.rs",
            "match &lower[..name.len()] {",
            &[" b\""],
        ),
        // Records have them in lower case.
        names(
            "src/document/mail/header_field.rs",
            "static FIELDS",
            &["[\"", ", \""],
        )
        .into_iter()
        .map(|name| name.to_lowercase())
        .collect(),
        names(
            "src/archive/mod.rs",
            "ARCHIVES: &[ArchiveFormat] = &[",
            &["row(\""],
        ),
        names("src/output/mod.rs", "OUTPUTS: &[Output] = &[", &["row(\""]),
        names("src/output/field.rs", "static FIELDS", &["\n    \""]),
    ]
    .concat();
    // More than 2^20 members, for `archive.member-limit`, are too many for a test.
    let is_tried = |name: &&String| words.contains(name.as_str()) || parts.contains(name.as_str());
    let untried: Vec<&String> = names.iter().filter(|name| !is_tried(name)).collect();
    assert!(untried.is_empty(), "{untried:?}");
}

/// Returns a document of HTML in `srcdoc` attributes, this many of them.
fn nested(levels: usize) -> String {
    (0..levels).fold("<a href=x>".to_owned(), |inner, _| {
        let value = inner.replace('&', "&amp;").replace('"', "&quot;");
        format!("<iframe srcdoc=\"{value}\"></iframe>")
    })
}

/// Returns a response of a web archive.
fn response(body: &str) -> String {
    let length = body.len();
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
         WARC-Target-URI: http://example.com/\r\nContent-Length: {length}\r\n\
         Content-Type: application/http; msgtype=response\r\n\r\n{body}\r\n\r\n"
    )
}

/// Returns a message with messages in parts of parts, this many of them.
fn deep(levels: usize) -> String {
    (0..levels).fold("\r\nhttp://example.com/".to_owned(), |inner, level| {
        format!(
            "Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n\
             --b{level}\r\n{inner}\r\n--b{level}--\r\n"
        )
    })
}

#[test]
fn each_fault_of_a_document_has_its_diagnostic() {
    let plain = "Content-Type: text/plain; charset=";
    let related = "Content-Type: multipart/related; boundary=b\r\n\r\n";
    let labelled: String = (0..65_540)
        .map(|part| format!("--b\r\nContent-ID: <{part}@example.com>\r\n\r\nx\r\n"))
        .collect();
    let cases: [(&str, Vec<u8>, &str); 15] = [
        (
            "a.html",
            "<a href=x>x</a><base href='http://example.com/'>".into(),
            "html.base-after-links",
        ),
        ("b.html", nested(40).into(), "html.srcdoc-depth"),
        ("a.css", "a { background: url(a b) }".into(), "css.bad-url"),
        ("b.css", "a { background: url('a\nb') }".into(), "css.bad-string"),
        (
            "a.pdf",
            "%PDF-1.4\n1 0 obj\n<< /Type /X >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n".into(),
            "pdf.no-pages",
        ),
        ("a.warc", response("no status\r\n\r\n<a href=x>").into(), "http.bad-status"),
        (
            "b.warc",
            response("HTTP/1.1 200 OK\r\nContent-Encoding: odd\r\n\r\n<a href=x>").into(),
            "http.content-encoding-unknown",
        ),
        ("a.eml", format!("Subject: {}\r\n\r\nx", "x".repeat(70_000)).into(), "header.too-long"),
        (
            "b.eml",
            "Content-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: base64\r\n\r\n\
             --b\r\n\r\nhttp://example.com/\r\n--b--\r\n"
                .into(),
            "mime.cte-on-multipart",
        ),
        ("c.eml", deep(150).into(), "mime.depth-limit"),
        ("d.eml", format!("{related}{labelled}--b--\r\n").into(), "mime.label-limit"),
        (
            "e.eml",
            "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\neHh4A".into(),
            "base64.truncated",
        ),
        (
            "f.eml",
            [format!("{plain}shift_jis\r\n\r\n").as_bytes(), b"x \xFF\xFE"].concat(),
            "charset.malformed",
        ),
        ("g.eml", format!("{plain}ebcdic-us\r\n\r\nx").into(), "charset.unsupported"),
        ("h.eml", format!("{plain}odd\r\n\r\nx").into(), "charset.unknown"),
    ];
    let tree = Tree::new(&[]);
    for (name, bytes, code) in cases {
        tree.write(name, &bytes);
        let ran = tree.run(&["--json", name]);
        assert!(
            ran.out.contains(&format!("\"code\":\"{code}\"")),
            "{name}: {}",
            ran.out
        );
    }
    tree.write("site/index.html", b"");
    tree.write("site/_redirects", b"one two three four");
    let ran = tree.run(&["audit", "--format", "jsonl", "site"]);
    assert!(
        ran.out.contains("\"code\":\"server.invalid\""),
        "{}",
        ran.out
    );
}

#[test]
fn header_fields_of_lists_and_of_news_have_references() {
    let fields = [
        (
            "list-subscribe",
            "<http://example.com/s>",
            "http://example.com/s",
        ),
        (
            "list-post",
            "<mailto:list@example.com>",
            "mailto:list@example.com",
        ),
        (
            "list-owner",
            "<mailto:owner@example.com>",
            "mailto:owner@example.com",
        ),
        (
            "organization",
            "A, http://example.com/o",
            "http://example.com/o",
        ),
        (
            "openpgp",
            "id=1; url=http://example.com/k",
            "http://example.com/k",
        ),
        ("x-homepage", "http://example.com/h", "http://example.com/h"),
        ("supersedes", "<a@example.com>", "mid:a@example.com"),
        ("followup-to", "comp.lang.example", "news:comp.lang.example"),
    ];
    let lines = fields.map(|(name, value, _)| format!("{name}: {value}\r\n"));
    let tree = Tree::new(&[("a.eml", &format!("{}\r\n", lines.concat()))]);
    let ran = tree.run(&["--ids", "--json", "a.eml"]);
    for (name, _, target) in fields {
        let line = ran
            .out
            .lines()
            .find(|line| line.contains(&format!("\"attribute\":\"{name}\"")));
        let line = line.unwrap_or_else(|| panic!("{name}: {}", ran.out));
        assert!(line.contains(&format!("\"target\":\"{target}\"")), "{line}");
    }
}

#[test]
fn links_of_a_web_archive_name_their_record_and_its_type() {
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=x>";
    let tree = Tree::new(&[("a.warc", &response(page))]);
    let ran = tree.run(&["--json", "a.warc"]);
    assert!(
        ran.out.contains("\"record_id\":\"<urn:uuid:1>\""),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("\"content_type\":\"text/html\""),
        "{}",
        ran.out
    );
}

#[test]
fn with_extended_onclick_gives_the_location_that_it_assigns() {
    let page = "<p onclick=\"location.href='b.html'\">x</p>";
    let tree = Tree::new(&[("a.html", page)]);
    let ran = tree.run(&["--extended", "--json", "a.html"]);
    assert!(ran.out.contains("\"reference\":\"b.html\""), "{}", ran.out);
    assert!(!tree.run(&["--json", "a.html"]).out.contains("b.html"));
}

#[test]
fn an_audit_reports_bodies_that_are_not_read_by_their_own_code() {
    let encrypted = "Content-Type: multipart/encrypted; boundary=b\r\n\r\n\
                     --b\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n--b--\r\n";
    let signed = "Content-Type: application/pkcs7-mime; smime-type=signed-data\r\n\r\nx";
    for (message, about) in [
        (encrypted, "an encrypted body was not read"),
        (signed, "a body inside a signature was not read"),
    ] {
        let tree = Tree::new(&[("a.eml", message)]);
        let ran = tree.run(&["audit", "--format", "jsonl", "a.eml"]);
        assert!(ran.out.contains("\"code\":\"body.opaque\""), "{}", ran.out);
        assert!(ran.out.contains(about), "{}", ran.out);
    }
}
