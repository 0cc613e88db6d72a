//! Packages: EPUB, OOXML and ODF.
//!
//! `corpus/FORMAT/NAME/` holds the members of a package, and `corpus/FORMAT/NAME.links` what it gives
//! at `http://example.com/`, written by hand: after a first line that says what it shows, one line for
//! each link, its fields separated by tabs: member, line and column, `ELEMENT@ATTRIBUTE`, flags,
//! reference, target.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

mod audit;
pub(crate) mod zip;

use zip::{Member, zip};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The members of a package in `corpus/`: first the one that tells the format, then by their names.
fn members(name: &str) -> Vec<Member> {
    let mut members = zip::members_of(&corpus().join(name));
    let is_first = |name: &str| ["mimetype", "[Content_Types].xml"].contains(&name);
    members.sort_by_key(|member| (!is_first(&member.name), member.name.clone()));
    members
}

/// Runs the command in a directory; returns the records and the exit code.
fn run(directory: &Path, arguments: &[&str], input: &[u8]) -> (Vec<Value>, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .arg("--json")
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The command may not read what it is given.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let lines = output.stdout.split(|&byte| byte == b'\n');
    let records = lines.filter(|line| !line.is_empty());
    let records = records.map(|line| serde_json::from_slice(line).unwrap());
    (records.collect(), output.status.code().unwrap())
}

/// The values of a key of all records of a type.
fn values<'a>(records: &'a [Value], kind: &str, key: &str) -> Vec<&'a str> {
    let records = records.iter().filter(|record| record["type"] == kind);
    records
        .map(|record| record[key].as_str().unwrap_or_default())
        .collect()
}

/// A link as a line of expectations.
fn line(link: &Value) -> String {
    let text = |key: &str| link[key].as_str().unwrap_or("-");
    let flags = link["flags"].as_array().unwrap().iter();
    let flags: Vec<_> = flags.map(|flag| flag.as_str().unwrap()).collect();
    let flags = if flags.is_empty() {
        "-".to_owned()
    } else {
        flags.join(",")
    };
    format!(
        "{}\t{}:{}\t{}@{}\t{flags}\t{}\t{}",
        text("member"),
        link["line"],
        link["column"],
        text("element"),
        text("attribute"),
        text("reference"),
        text("target"),
    )
}

#[test]
fn packages_have_their_expected_links() {
    for (name, extension) in [
        ("epub/book", "epub"),
        ("ooxml/letter", "docx"),
        ("ooxml/sheet", "xlsx"),
        ("odf/memo", "odt"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let (_, stem) = name.split_once('/').unwrap();
        let file = format!("{stem}.{extension}");
        let bytes = zip(&members(name));
        fs::write(directory.path().join(&file), &bytes).unwrap();
        let links = fs::read_to_string(corpus().join(format!("{name}.links"))).unwrap();
        let expected: Vec<_> = links.lines().skip(1).collect();
        let (records, exit) = run(
            directory.path(),
            &["--root", ".=http://example.com/", "."],
            b"",
        );
        let diagnosed: &[&str] = match name {
            "ooxml/letter" => &["package.field-broken"],
            _ => &[],
        };
        assert_eq!(values(&records, "diagnostic", "code"), diagnosed, "{name}");
        let links = |records: &[Value]| -> Vec<String> {
            let records = records.iter().filter(|record| record["type"] == "link");
            records.map(line).collect()
        };
        assert_eq!(links(&records), expected, "{name}");
        assert_eq!(exit, 0);
        let mut of_links = records.iter().filter(|record| record["type"] == "link");
        assert!(of_links.all(|link| link["loc"] == "part"));
        // As a stream, held and read as it comes.
        let uri = format!("http://example.com/{file}!/");
        for limit in ["--max-document=1M", "--max-document=1K"] {
            let (streamed, _) = run(
                directory.path(),
                &["--base", &uri, limit, "-z", "-"],
                &bytes,
            );
            assert_eq!(links(&streamed), expected, "{name} {limit}");
        }
    }
}

#[test]
fn packages_are_known_by_content_and_by_name_and_other_zips_are_skipped() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    let (book, memo, mut letter) = (
        members("epub/book"),
        members("odf/memo"),
        members("ooxml/letter"),
    );
    write("a", &zip(&book));
    write("b.zip", &zip(&memo));
    write("c.bin", &zip(&letter));
    // Some programs write the types last.
    letter.rotate_left(1);
    write("d.docm", &zip(&letter));
    write("g", &zip(&letter));
    letter.insert(0, Member::new("word/notes.xml", ""));
    write("e.zip", &zip(&letter));
    write("f.docx", b"http://example.com/text");
    let found = |arguments: &[&str]| {
        let (records, _) = run(directory.path(), arguments, b"");
        let mut paths = values(&records, "link", "path");
        paths.dedup();
        paths
            .iter()
            .map(|path| (*path).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(&["."]),
        ["./a", "./b.zip", "./c.bin", "./d.docm", "./f.docx", "./g"]
    );
    assert_eq!(found(&["-t", "ooxml", "."]), ["./c.bin", "./d.docm", "./g"]);
    assert_eq!(found(&["-t", "epub", "-t", "odf", "."]), ["./a", "./b.zip"]);
    assert_eq!(found(&["-t", "text", "."]), ["./f.docx"]);
    assert_eq!(
        found(&["--type-add", "ooxml:zip", "-t", "ooxml", "."]),
        ["./b.zip", "./c.bin", "./d.docm", "./e.zip", "./g"]
    );
    // The members of a zip that is asked for are files.
    let (records, _) = run(directory.path(), &["e.zip"], b"");
    assert!(values(&records, "link", "reference").contains(&"http://example.com/text"));
}

#[test]
fn encrypted_members_are_diagnosed_and_others_read() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    let diagnosed = |name: &str| {
        let (records, exit) = run(directory.path(), &[name], b"");
        assert_eq!(exit, 2, "{name}");
        let codes = values(&records, "diagnostic", "code").into_iter();
        let members = values(&records, "diagnostic", "member");
        let codes: Vec<_> = codes
            .zip(members)
            .map(|(code, member)| format!("{code} {member}"))
            .collect();
        let links = values(&records, "link", "member").len();
        (codes, links)
    };
    let mut memo = members("odf/memo");
    let manifest = memo
        .iter_mut()
        .find(|member| member.name.ends_with("manifest.xml"));
    manifest.unwrap().bytes =
        b"<m:manifest><m:file-entry m:full-path='content.xml'><m:encryption-data>\
        </m:encryption-data></m:file-entry><m:file-entry m:full-path='styles.xml'/></m:manifest>"
            .to_vec();
    write("a.odt", &zip(&memo));
    assert_eq!(
        diagnosed("a.odt"),
        (vec!["package.encrypted content.xml".to_owned()], 3)
    );
    let mut book = members("epub/book");
    let list = b"<encryption><e:CipherReference URI='EPUB/text/a%20b.xhtml'/></encryption>";
    book.push(Member::new("META-INF/encryption.xml", *list));
    write("b.epub", &zip(&book));
    assert_eq!(
        diagnosed("b.epub"),
        (vec!["package.encrypted EPUB/text/a b.xhtml".to_owned()], 9)
    );
    let stream: Vec<u8> = "EncryptedPackage"
        .bytes()
        .flat_map(|byte| [byte, 0])
        .collect();
    let compound = |stream: &[u8]| {
        [
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            &[7; 65_520][..],
            stream,
        ]
        .concat()
    };
    write("c.docx", &compound(&stream));
    assert_eq!(
        diagnosed("c.docx"),
        (vec!["package.encrypted ".to_owned()], 0)
    );
    write("d.docx", &compound(b"WordDocument"));
    assert_eq!(
        diagnosed("d.docx"),
        (vec!["package.invalid ".to_owned()], 0)
    );
}

#[test]
fn documents_that_are_embedded_in_packages_are_read_four_levels_deep() {
    let directory = tempfile::tempdir().unwrap();
    let mut inner = zip(&members("ooxml/letter"));
    for _ in 0..4 {
        inner = zip(&[
            Member::new("[Content_Types].xml", ""),
            Member::new("word/embeddings/a.docx", inner),
        ]);
    }
    fs::write(directory.path().join("a.docx"), &inner).unwrap();
    let (records, exit) = run(directory.path(), &["a.docx"], b"");
    assert_eq!(values(&records, "link", "member"), [""; 0]);
    assert_eq!(
        values(&records, "diagnostic", "code"),
        ["archive.depth-limit"]
    );
    assert_eq!(exit, 2);
    let inner = zip(&[
        Member::new("[Content_Types].xml", ""),
        Member::new("ppt/embeddings/a b.xlsx", zip(&members("ooxml/sheet"))),
    ]);
    fs::write(directory.path().join("b.pptx"), &inner).unwrap();
    let (records, _) = run(
        directory.path(),
        &["--root", ".=http://example.com/", "b.pptx"],
        b"",
    );
    assert_eq!(
        values(&records, "link", "member"),
        ["ppt/embeddings/a b.xlsx!xl/worksheets/sheet1.xml"]
    );
    assert_eq!(
        values(&records, "link", "target"),
        [
            "http://example.com/b.pptx!/ppt/embeddings/a%20b.xlsx!/xl/worksheets/sheet1.xml#'My%20Sheet'!A1"
        ]
    );
}
