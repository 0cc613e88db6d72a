//! Audits of archives and packages: the findings are those of the same files outside.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::zip::{Member, tar, zip};
use super::{corpus, members};

/// The records of an audit in a directory, and its exit code.
fn audit(directory: &Path, arguments: &[&str]) -> (Vec<Value>, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(["audit", "--json"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    let lines = output.stdout.split(|&byte| byte == b'\n');
    let records = lines.filter(|line| !line.is_empty());
    let records = records.map(|line| serde_json::from_slice(line).unwrap());
    (records.collect(), output.status.code().unwrap())
}

/// Findings and diagnostics without what says where the tree is; `is_packed` where it is an archive.
fn comparable(records: &[Value], is_packed: bool) -> BTreeSet<String> {
    let records = records.iter().filter(|record| record["type"] != "summary");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lines = records.map(|record| {
        let (path, member) = (text(&record["path"]), text(&record["member"]));
        let path = path.trim_start_matches("./").to_owned();
        let place = match (is_packed, member.is_empty()) {
            (true, _) => member,
            (false, true) => path,
            (false, false) => format!("{path}!{member}"),
        };
        let mut record = record.clone();
        let is_of_place = |key: &str| ["path", "member", "loc", "key", "group"].contains(&key);
        record
            .as_object_mut()
            .unwrap()
            .retain(|key, _| !is_of_place(key));
        // Findings name files of servers.
        let record = record.to_string();
        let record = match is_packed {
            true => ["zip", "tar", "tgz"]
                .iter()
                .fold(record, |record, extension| {
                    record.replace(&format!("site.{extension}!/"), "")
                }),
            false => record,
        };
        format!("{place}: {record}")
    });
    lines.collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Writes members as files.
fn unpack(members: &[Member], directory: &Path) {
    for member in members {
        let path = directory.join(&member.name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &member.bytes).unwrap();
    }
}

/// Asserts that the audits of a tree and of archives of it have the same findings; returns how many.
fn assert_same(members: &[Member], options: &[&str]) -> usize {
    let directory = tempfile::tempdir().unwrap();
    let tree = directory.path().join("site");
    unpack(members, &tree);
    // Sources of sites are detected in trees alone.
    let (records, code) = audit(&tree, &[&[".", "--source", "none"], options].concat());
    let expected = comparable(&records, false);
    let summary = records.last().unwrap();
    for (name, bytes) in [
        ("site.zip", zip(members)),
        ("site.tar", tar(members)),
        ("site.tgz", gzip(&tar(members))),
    ] {
        fs::write(directory.path().join(name), bytes).unwrap();
        for threads in ["-j1", "-j4"] {
            let arguments = [&[name, threads], options].concat();
            let (records, own) = audit(directory.path(), &arguments);
            assert_eq!(
                comparable(&records, true),
                expected,
                "{name} {threads} {options:?}"
            );
            assert_eq!(own, code, "{name}");
            let own = records.last().unwrap();
            for key in [
                "files",
                "references",
                "ok",
                "broken",
                "external",
                "findings",
                "rules",
            ] {
                assert_eq!(own[key], summary[key], "{name} {threads}: {key}");
            }
        }
    }
    expected.len()
}

fn site() -> Vec<Member> {
    let mut members = vec![
        Member::new(
            "index.html",
            "<base><a href=guide/>a</a> <a href=Guide/A.html>b</a> <a href=gone.html>c</a>\n\
             <a href='/guide/a.html#here'>d</a> <a href='guide/a.html#ther'>e</a> <a href='#no'>f</a>\n\
             <a href=../up.html>g</a> <a href='guide'>h</a> <p id=x><p id=x>\n\
             <!-- uriscan-ignore: broken-file --><a href=ignored.html>i</a>\n\
             <link rel=stylesheet href=s.css> <a href=.hidden/x.html>j</a> <a href=mail.mbox>k</a>",
        ),
        Member::new(
            "guide/a.html",
            "<p id=there><a href=index.html>a</a><a href='../index.html#x'>b</a>",
        ),
        Member::new(
            "guide/index.html",
            "<meta http-equiv=refresh content='0;url=a.html'><base href=/x/><base href=y>",
        ),
        Member::new(
            "alone.html",
            "<a href='%E9.html'>a</a><a href='http://[/'>b</a><a href=//example.org/>c</a>",
        ),
        Member::new(
            "s.css",
            "a { background: url(missing.png) } @import 'gone.css';",
        ),
        Member::new(
            "notes.md",
            "# Title\n\n[a](#titel) [b](guide/b.html) [c][none]\n",
        ),
        Member::new("docs/conf.py", "extensions = []\n"),
        Member::new(
            "docs/index.rst",
            ".. toctree::\n\n   gone\n\n`x <../s.css>`_ :doc:`/sub/a` :doc:`/gone` :ref:`here` :ref:`none`\n",
        ),
        Member::new(
            "docs/sub/a.rst",
            ".. _here:\n\n:doc:`/index` :doc:`/docs/index`\n",
        ),
        Member::new(".hidden/x.html", "<a href=gone.html>a</a>"),
        Member::new("picture.png", *b"\x89PNG\r\n\x1a\n"),
        Member::new(
            "inner.zip",
            zip(&[Member::new("a.html", "<a href=gone.html>a</a>")]),
        ),
        Member::new(
            "mail.mbox",
            "From a@example.com Thu Mar  2 10:11:12 2006\nSubject: x\n\nhttp://example.org/x\n",
        ),
        Member::new(
            "sitemap.xml",
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://example.com/gone</loc></url></urlset>",
        ),
    ];
    // A package in an archive is opened, as one in a tree.
    members.push(Member::new("book.epub", zip(&book())));
    members
}

/// A book with defects.
fn book() -> Vec<Member> {
    let mut book = members("epub/book");
    book.push(Member::new(
        "EPUB/text/d.xhtml",
        "<html xmlns='http://www.w3.org/1999/xhtml'><body>\n<a href='a%20b.xhtml#p'/>\n<a href='a%20b.xhtml#q'/>\n\
         <a href='gone.xhtml'/>\n<a href='/EPUB/S.css'/>\n<a href='../../../index.html'/></body></html>",
    ));
    book
}

#[test]
fn an_archive_has_the_findings_of_its_tree() {
    assert!(assert_same(&site(), &[]) > 20);
    let rules = [
        "--warn",
        "orphan",
        "--warn",
        "duplicate-id",
        "--warn",
        "several-bases",
    ];
    let all = [
        &rules[..],
        &["--warn", "undefined-reference", "--orphans=all", "--hidden"],
    ]
    .concat();
    assert!(assert_same(&site(), &all) > 20);
    assert!(assert_same(&site(), &["--links"]) > 40);
    assert!(assert_same(&site(), &["-z"]) > 20);
    for tree in [
        "case",
        "directories",
        "fragments",
        "markdown",
        "names",
        "pdf",
        "refreshing",
    ] {
        let members = super::zip::members_of(&corpus().join("audit").join(tree));
        assert!(assert_same(&members, &[]) > 0, "{tree}");
    }
}

#[test]
fn files_of_servers_in_an_archive_count_as_in_the_tree() {
    let page = |links: &[&str]| {
        let links: Vec<_> = links
            .iter()
            .map(|link| format!("<a href='{link}'>x</a>"))
            .collect();
        links.join("\n")
    };
    let pages = |links: &[&str]| {
        vec![
            Member::new("index.html", page(links)),
            Member::new("a.html", "<p id=here>"),
            Member::new(
                "d/index.html",
                page(&["/gone", "deep", "../a", "../a.html#no"]),
            ),
            Member::new("d/e/b.html", page(&["/old", "x"])),
        ]
    };
    let links = [
        "/old", "/old/x", "/loop", "/gone", "a", "d", "d/", "d/deep", "a#no", "/api/1",
    ];
    let sites: [(&[(&str, &str)], usize); 5] = [
        (
            &[
                (
                    "_redirects",
                    "/old /a.html#no 301\n/old/* /missing/:splat\n/loop /loop 301\n/x y z w\n",
                ),
                (
                    "netlify.toml",
                    "[[redirects]]\nfrom = '/api/*'\nto = 'https://example.com/:splat'\n",
                ),
            ],
            5,
        ),
        (&[("netlify.toml", "= no toml")], 3),
        (
            &[(
                "vercel.json",
                "{\"cleanUrls\": true, \"redirects\": [{\"source\": \"/old\", \"destination\": \"/missing\"}]}",
            )],
            3,
        ),
        (
            &[
                (
                    ".htaccess",
                    "Redirect /old /missing.html\nOptions +MultiViews\nErrorDocument 404 /a.html\n",
                ),
                (
                    "d/.htaccess",
                    "DirectoryIndex no.html\nRedirectMatch ^/d/deep$ /a.html\nRewriteMap x\n",
                ),
                ("d/e/.htaccess", "Redirect /gone /a.html\n"),
            ],
            3,
        ),
        (
            &[
                ("CNAME", "docs.example.org\n"),
                ("404.html", "<a href=/gone>x</a>"),
            ],
            3,
        ),
    ];
    for (files, least) in sites {
        let mut members = pages(&links);
        members.extend(files.iter().map(|(name, text)| Member::new(name, *text)));
        members.push(Member::new(
            "own.html",
            page(&["https://docs.example.org/gone"]),
        ));
        for options in [&[][..], &["--links"], &["-t", "html"]] {
            let found = assert_same(&members, options);
            assert!(found >= least, "{files:?}: {found}");
        }
        // Without the files the findings are others.
        let (with, without) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(with.path().join("x.zip"), zip(&members)).unwrap();
        let mut bare = pages(&links);
        bare.push(Member::new(
            "own.html",
            page(&["https://docs.example.org/gone"]),
        ));
        fs::write(without.path().join("x.zip"), zip(&bare)).unwrap();
        assert_ne!(
            found(with.path(), &["x.zip"]),
            found(without.path(), &["x.zip"]),
            "{files:?}"
        );
    }
}

#[test]
fn an_archive_is_served_where_a_root_says() {
    let directory = tempfile::tempdir().unwrap();
    let page = "<a href='http://example.com/d/b.html'>a</a><a href='http://example.com/d/c.html'>b</a>\
        <a href='/up.html'>c</a>";
    let members = [Member::new("a.html", page), Member::new("b.html", "")];
    fs::write(directory.path().join("site.zip"), zip(&members)).unwrap();
    let root = "site.zip=http://example.com/d/";
    let (records, code) = audit(directory.path(), &["--root", root, "site.zip"]);
    let found: Vec<_> = records
        .iter()
        .filter(|record| record["type"] == "finding")
        .collect();
    let found: Vec<_> = (found.iter())
        .map(|finding| format!("{} {}", finding["rule"], finding["reference"]))
        .collect();
    assert_eq!(
        found,
        [
            r#""broken-file" "http://example.com/d/c.html""#,
            r#""outside-root" "/up.html""#,
        ]
    );
    assert_eq!(code, 1);
}

/// The findings of an audit: path, member, line, rule and reference.
fn found(directory: &Path, arguments: &[&str]) -> Vec<String> {
    let (records, _) = audit(directory, arguments);
    let findings = records.iter().filter(|record| record["type"] == "finding");
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let line = |finding: &Value| {
        let keys = ["path", "member", "rule", "reference"].map(|key| text(&finding[key]));
        keys.join(" ")
    };
    findings.map(line).collect()
}

#[test]
fn packages_of_a_tree_are_sources_and_checked_inside() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    write("book.epub", &zip(&book()));
    write("index.html", b"<a href=book.epub>a</a>");
    // `toc` names no id, and what is outside of the package is no part of it.
    let expected = [
        "EPUB/overlay.smil broken-file a.mp3",
        "EPUB/package.opf broken-fragment text/a%20b.xhtml#toc",
        "EPUB/s.css broken-file i.svg",
        "EPUB/text/a b.xhtml outside-root ../../../../up.xhtml",
        "EPUB/text/a b.xhtml broken-file ../../top.xhtml",
        "EPUB/text/c.html broken-file ../i.svg",
        "EPUB/text/d.xhtml broken-fragment a%20b.xhtml#q",
        "EPUB/text/d.xhtml broken-file gone.xhtml",
        "EPUB/text/d.xhtml case-mismatch /EPUB/S.css",
        "EPUB/text/d.xhtml outside-root ../../../index.html",
    ];
    let with_path = |path: &str| expected.map(|line| format!("{path} {line}")).to_vec();
    assert_eq!(found(directory.path(), &["."]), with_path("book.epub"));
    assert_eq!(
        found(directory.path(), &["book.epub"]),
        with_path("book.epub")
    );
    assert_eq!(found(directory.path(), &["-t", "html", "."]), [""; 0]);
}

#[test]
fn office_documents_are_checked_by_the_rules_of_their_packages() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    let mut letter = members("ooxml/letter");
    letter.push(Member::new("word/media/A.PNG", ""));
    write("letter.docx", &zip(&letter));
    let mut memo = members("odf/memo");
    let object = "<o:x xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:1.0' \
        xmlns:l='http://www.w3.org/1999/xlink' l:href='./Object 1'/>";
    memo.push(Member::new(
        "Object 2/content.xml",
        object.replace("./", "../"),
    ));
    memo.push(Member::new("Pictures/a.png", ""));
    write("memo.odt", &zip(&memo));
    write("sibling.odt", b"text");
    assert_eq!(
        found(directory.path(), &["."]),
        [
            "letter.docx word/_rels/document.xml.rels broken-file ../b.docx",
            "letter.docx word/_rels/document.xml.rels outside-root ../../up.xml",
            "letter.docx word/document.xml broken-file ../c.docx",
            "memo.odt styles.xml broken-file Pictures/b.png",
        ]
    );
}

#[test]
fn nothing_is_fixed_in_an_archive() {
    let directory = tempfile::tempdir().unwrap();
    let members = [
        Member::new("a.html", "<a href=B.html>a</a>"),
        Member::new("b.html", ""),
    ];
    let bytes = zip(&members);
    let path = directory.path().join("site.zip");
    fs::write(&path, &bytes).unwrap();
    let arguments = ["--deny", "case-mismatch", "--fix=write", "site.zip"];
    assert_eq!(
        found(directory.path(), &["--deny", "case-mismatch", "site.zip"]),
        ["site.zip a.html case-mismatch B.html"]
    );
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .arg("audit")
        .args(arguments)
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn damaged_archives_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let members = [
        Member::new("a.html", "<a href=b.html>a</a><a href=c.html>b</a>"),
        Member::new("b.html", "<p>".repeat(5000)),
    ];
    let mut bytes = tar(&members);
    bytes.truncate(3000);
    fs::write(directory.path().join("site.tar"), &bytes).unwrap();
    let (records, code) = audit(directory.path(), &["site.tar"]);
    let kinds: Vec<_> = (records.iter())
        .map(|record| format!("{} {} {}", record["type"], record["member"], record["code"]))
        .collect();
    assert_eq!(
        kinds,
        [
            r#""finding" "a.html" null"#,
            r#""diagnostic" "b.html" "archive.truncated""#,
            r#""summary" null null"#,
        ]
    );
    assert_eq!(code, 2);
}

/// An archive that is long enough to be split: pages between members that cannot be packed.
fn long_site() -> Vec<Member> {
    let mut noise = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        noise as u8
    };
    let mut members = Vec::new();
    for number in 0..48 {
        let next = (number * 7 + 5) % 50;
        let page = format!(
            "<p id=a><p id={number}><a href=p{next:02}.html#{next}>next</a> \
             <a href=p{number:02}.html#gone>gone</a> <a href=none.html>none</a>{}",
            if number % 5 == 0 { "<p id=a>" } else { "" }
        );
        members.push(Member::new(&format!("p{number:02}.html"), page));
        let image: Vec<u8> = (0..120 << 10).map(|_| random()).collect();
        members.push(Member::new(&format!("image{number}.png"), image));
    }
    members
}

#[test]
fn a_long_archive_has_the_findings_of_its_tree() {
    let count = assert_same(&long_site(), &["--deny", "duplicate-id"]);
    assert!(count > 100, "{count}");
}

#[test]
fn a_long_archive_gives_the_same_bytes_for_any_number_of_workers() {
    let directory = tempfile::tempdir().unwrap();
    let mut members = long_site();
    let inner = zip(&members[..4]);
    members.push(Member::new("inner.zip", inner));
    let mut damaged = zip(&members);
    // Contents of images: their members are wrong, and that is told behind all others.
    for at in [damaged.len() / 4, damaged.len() / 2] {
        damaged[at] ^= 0xff;
    }
    fs::write(directory.path().join("x.zip"), damaged).unwrap();
    fs::write(directory.path().join("x.tar"), tar(&members)).unwrap();
    for arguments in [
        &["audit", "--json", "-z"][..],
        &["audit", "--format", "junit"],
        &["audit", "--json", "--orphans=all"],
        &["audit", "--json", "-z", "."],
        &["--json", "-z"],
    ] {
        let outputs = ["-j1", "-j2", "-j5"].map(|threads| {
            let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
                .args(arguments)
                .args([threads, "x.zip", "x.tar"])
                .current_dir(directory.path())
                .output()
                .unwrap();
            (output.stdout, output.stderr, output.status.code())
        });
        assert!(outputs[0].0.len() > 1000, "{arguments:?}");
        assert!(outputs[0] == outputs[1], "{arguments:?} with two workers");
        assert!(outputs[0] == outputs[2], "{arguments:?} with five workers");
    }
}

#[test]
fn an_archive_that_is_given_twice_has_two_suites() {
    let directory = tempfile::tempdir().unwrap();
    for (name, members) in [("short.zip", site()), ("long.zip", long_site())] {
        fs::write(directory.path().join(name), zip(&members)).unwrap();
        let run = |threads| {
            let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
                .args(["audit", "--format", "junit", threads, name, name])
                .current_dir(directory.path())
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let one = run("-j1");
        let suite = format!("<testsuite name=\"{name}\"");
        assert_eq!(one.matches(&suite).count(), 2, "{one}");
        for threads in ["-j2", "-j5"] {
            assert!(run(threads) == one, "{name} {threads}");
        }
    }
}

/// An archive is input that nobody vouches for: nothing in it says what is read or reported.
#[test]
fn configuration_in_an_archive_is_not_obeyed() {
    let members = [
        Member::new("index.html", "<a href=none.html>none</a>"),
        Member::new("uriscan.toml", "[audit]\nallow = [\"not-found\"]\n"),
        Member::new(".ignore", "index.html\n"),
        Member::new(".gitignore", "*.html\n"),
    ];
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("x.zip"), zip(&members)).unwrap();
    fs::write(directory.path().join("x.tar"), tar(&members)).unwrap();
    for name in ["x.zip", "x.tar"] {
        for options in [&[name][..], &[name, "--hidden"]] {
            let (records, code) = audit(directory.path(), options);
            let findings = records.iter().filter(|record| record["type"] == "finding");
            let members: Vec<_> = findings.map(|record| &record["member"]).collect();
            assert_eq!(members, ["index.html"], "{options:?}");
            assert_eq!(code, 1, "{options:?}");
        }
    }
}
