//! Archives and compressed files that are damaged, or arrive in an unusual way.

use std::fs::File;
use std::process::Command;

use serde_json::Value;

use super::{Ran, Tree};
use crate::compressed::{bzip2, gzip, lz4, zstd};
use crate::packages::zip::{Member, tar, zip};

type Pack = fn(&[u8]) -> Vec<u8>;

const CODECS: [(&str, Pack); 4] = [("gz", gzip), ("zst", zstd), ("bz2", bzip2), ("lz4", lz4)];

/// Lines with a link each.
fn lines(host: &str) -> String {
    let line = |n: u32| format!("http://{host}.example/{}/{n}\n", n.wrapping_mul(n) % 997);
    (0..50).map(line).collect()
}

/// A member whose last bytes are wrong, so that nothing or not all of it decompresses.
fn damaged(packed: &[u8]) -> Vec<u8> {
    let mut damaged = packed.to_vec();
    let half = damaged.len() / 2;
    damaged[half..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    damaged
}

/// Runs the command on a file as its standard input.
pub(super) fn seekable(tree: &Tree, name: &str) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .current_dir(tree.path())
        .stdin(File::open(tree.path().join(name)).unwrap())
        .output()
        .unwrap();
    Ran::from(output)
}

fn records(out: &str, kind: &str) -> Vec<Value> {
    let records = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let records: Vec<Value> = records.collect();
    let of_kind = |record: &Value| record["type"] == kind;
    records.into_iter().filter(of_kind).collect()
}

fn record(target: &str, header: &str, body: &str) -> Vec<u8> {
    response(target, &format!("text/html\r\n{header}"), body)
}

fn response(target: &str, header: &str, body: &str) -> Vec<u8> {
    response_of(target, header, body.as_bytes())
}

/// A record of a response, whose header begins with its media type.
fn response_of(target: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let lines = format!("HTTP/1.1 200 OK\r\nContent-Type: {header}\r\n");
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {target}\r\n\
         Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{lines}",
        lines.len() + body.len()
    );
    [record.as_bytes(), body, b"\r\n\r\n"].concat()
}

#[test]
fn bases_in_headers_of_responses_are_ignored_on_request() {
    let tree = Tree::new(&[]);
    let header = "text/html\r\nContent-Base: http://base.example/\r\nContent-Location: /b/\r\n\r\n";
    let web = response("http://example.com/", header, "<a href=a>");
    let run = |more: &[&str]| tree.pipe(&web, &[&["-"], more].concat());
    run(&[]).is(0, "http://base.example/a\n");
    run(&["--ignore-base"]).is(0, "http://example.com/a\n");
    run(&["--ignore-base", "--http-base", "rfc2616"]).is(0, "http://example.com/a\n");
}

/// mail.md 4.2: the next base is used where one does not parse.
#[test]
fn bases_of_records_that_do_not_parse_are_ignored() {
    let tree = Tree::new(&[]);
    let bad = "text/html\r\nContent-Base: http://[bad/\r\n\r\n";
    let run = |target, header| {
        let web = response(target, header, "<a href=a>");
        tree.pipe(&web, &["--base", "http://option.example/", "-"])
    };
    run("http://example.com/", bad).is(0, "http://example.com/a\n");
    for target in ["http://[bad/", "relative/", "http://example.com:x/"] {
        run(target, bad).is(0, "http://option.example/a\n");
    }
}

/// cli.md: `--type` takes web archives, whose records are of any format.
#[test]
fn only_web_archives_are_read_with_their_type() {
    let web = [
        response("http://example.com/", "text/html\r\n\r\n", "<a href=a>"),
        response(
            "http://example.com/",
            "\r\n\r\n",
            "<!doctype html><a href=b>",
        ),
    ]
    .concat();
    let tree = Tree::new(&[
        ("a.html", "<a href='http://example.com/page'>"),
        ("b.txt", "http://example.com/text"),
    ]);
    tree.write("c.warc", &web);
    tree.write("d", &web);
    let members = [
        Member::new("f.warc", web.as_slice()),
        Member::new("g.txt", "http://example.com/file"),
    ];
    tree.write("e.zip", &zip(&members));
    let found = "http://example.com/a\nhttp://example.com/b\n";
    for name in ["warc", "arc", "WARC"] {
        tree.run(&["-t", name, "."]).is(0, &found.repeat(2));
        tree.pipe(&web, &["-t", name, "-"]).is(0, found);
    }
    tree.run(&["-t", "warc.gz", "."]).is(0, &found.repeat(3));
    tree.run(&["-t", "warc", "--files", "."])
        .is(0, "./c.warc\n./d\n");
    tree.run(&["-t", "warc", "b.txt"])
        .tells(2, "", "1 by --type");
    let text = "http://example.com/text\n";
    tree.run(&["-t", "text", "."]).is(0, text);
    tree.run(&["-t", "text", "-t", "warc", "."])
        .is(0, &format!("{text}{found}{found}"));
    tree.run(&["--type-add", "warc:x", "."])
        .tells(2, "", "first bytes");
}

/// archives.md: a member is read as a document of its format.
#[test]
fn responses_of_xml_and_json_are_read_as_such() {
    let tree = Tree::new(&[]);
    let sitemap = "<urlset><url><loc>http://example.com/?a&amp;b</loc></url></urlset>";
    let feed = "<rss><channel><item><link>n?c&amp;d</link></item></channel></rss>";
    let svg = "<svg xmlns:xlink='http://www.w3.org/1999/xlink'><a xlink:href='x.html'/></svg>";
    for (media_type, body, target) in [
        (
            "application/xml; charset=utf-8",
            sitemap,
            "http://example.com/?a&b",
        ),
        ("text/xml", sitemap, "http://example.com/?a&b"),
        ("application/rss+xml", feed, "http://example.com/d/n?c&d"),
        ("image/svg+xml", svg, "http://example.com/d/x.html"),
        (
            "application/json",
            r#"{"a":"http:\/\/example.com\/?a\u0026b"}"#,
            "http://example.com/?a&b",
        ),
        (
            "application/manifest+json",
            r#"{"start_url":"s"}"#,
            "http://example.com/d/s",
        ),
        ("text/markdown", "[a](b.md)", "http://example.com/d/b.md"),
        (
            "multipart/related; boundary=b",
            "MIME-Version: 1.0\nContent-Type: text/html\n\n<a href=x.html>",
            "http://example.com/d/x.html",
        ),
        (
            "multipart/related; boundary=b",
            "--b\nContent-Type: text/html\n\n<a href=http://example.com/y>\n--b--",
            "http://example.com/y",
        ),
        (
            "application/javascript",
            "x = 'http://example.com/s'",
            "http://example.com/s",
        ),
    ] {
        let record = response("http://example.com/d/", &format!("{media_type}\r\n"), body);
        tree.write("x.warc", &record);
        tree.run(&["x.warc"]).is(0, &format!("{target}\n"));
    }
}

#[test]
fn the_response_after_interim_responses_is_read() {
    let tree = Tree::new(&[]);
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <l>\r\n\r\n";
    for interim in [interim.to_owned(), interim.repeat(20_000)] {
        let block =
            format!("{interim}HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=x>");
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/\r\n\
             Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        tree.write("x.warc", record.as_bytes());
        let ran = tree.run(&["x.warc", "--unique=target"]);
        let is_long = interim.len() > 1 << 20;
        let targets = [
            "http://example.com/l\nhttp://example.com/x\n",
            "http://example.com/l\n",
        ];
        assert_eq!(ran.out, targets[usize::from(is_long)], "{}", ran.err);
    }
}

#[test]
fn junk_after_a_gzip_member_is_damage_and_later_members_are_read() {
    let tree = Tree::new(&[]);
    let (one, two) = (lines("a"), lines("b"));
    for (extension, pack) in CODECS {
        let bytes = [&pack(one.as_bytes())[..], b"JUNK", &pack(two.as_bytes())].concat();
        let name = format!("x.txt.{extension}");
        tree.write(&name, &bytes);
        let both = [one.as_str(), &two].concat();
        tree.run(&[&name]).tells(2, &both, "compress.corrupt");
        tree.pipe(&bytes, &[]).tells(2, &both, "compress.corrupt");
    }
}

#[test]
fn a_damaged_member_of_compressed_text_loses_no_member_after_it() {
    let tree = Tree::new(&[]);
    for (extension, pack) in CODECS {
        let [one, bad, two] = ["a", "b", "c"].map(|host| pack(lines(host).as_bytes()));
        let bytes = [one, damaged(&bad), two].concat();
        for name in [format!("x.txt.{extension}"), "other".to_owned()] {
            tree.write(&name, &bytes);
            let ran = tree.run(&[&name]);
            assert_eq!(ran.code, 2, "{name}: {}", ran.err);
            assert!(ran.out.starts_with(&lines("a")), "{name}: {}", ran.out);
            assert!(ran.out.ends_with(&lines("c")), "{name}: {}", ran.out);
        }
    }
}

#[test]
fn first_readable_member_determines_the_format() {
    let tree = Tree::new(&[]);
    let page = record("http://example.com/d/", "", "<a href=x>");
    let mut bad = gzip(&page);
    // The kind of the first block is a reserved one.
    bad[10] |= 6;
    let bytes = [bad, gzip(&page)].concat();
    tree.write("any", &bytes);
    tree.run(&["any"])
        .tells(2, "http://example.com/d/x\n", "compress.corrupt");
    tree.pipe(&bytes, &[])
        .tells(2, "http://example.com/d/x\n", "compress.corrupt");
}

#[test]
fn a_text_before_damage_and_one_after_it_are_not_one_link() {
    let tree = Tree::new(&[]);
    let bytes = [
        &gzip(b"see http://example.com/a")[..],
        b"JUNK",
        &gzip(b"b and http://example.com/c"),
    ];
    tree.write("any", &bytes.concat());
    let out = "http://example.com/a\nhttp://example.com/c\n";
    tree.run(&["any"]).tells(2, out, "compress.corrupt");
}

#[test]
fn a_damaged_web_archive_gives_the_same_by_name_from_a_pipe_and_in_archives() {
    let tree = Tree::new(&[]);
    for (extension, pack) in CODECS {
        let page = |n: u32| {
            let target = format!("http://example.com/{n}/");
            pack(&record(&target, "", &format!("<a href={n}>{}", lines("a"))))
        };
        let bytes = [page(0), damaged(&page(1)), page(2), page(3)].concat();
        let name = format!("x.warc.{extension}");
        tree.write(&name, &bytes);
        tree.write("other", &bytes);
        let member = [Member::new(&name, bytes.as_slice())];
        tree.write("x.zip", &zip(&member));
        tree.write("x.tar", &tar(&member));
        let named = tree.run(&[&name]);
        assert_eq!(named.code, 2, "{}", named.err);
        assert!(
            named.out.contains("http://example.com/3/3\n"),
            "{}",
            named.out
        );
        for name in ["other", "x.zip", "x.tar"] {
            let ran = tree.run(&[name]);
            assert_eq!((ran.code, &ran.out), (2, &named.out), "{name}: {extension}");
        }
        let piped = tree.pipe(&bytes, &[]);
        assert_eq!((piped.code, &piped.out), (2, &named.out), "{extension}");
    }
}

#[test]
fn diagnostics_of_a_document_and_of_a_member_have_one_order() {
    let tree = Tree::new(&[]);
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom'>&a;\
        <content type='html'>&lt;base href='http://['>&lt;a href='b'></content></feed>";
    tree.write("a.xml", feed.as_bytes());
    tree.write("a.zip", &zip(&[Member::new("a.xml", feed)]));
    for command in ["", "audit"] {
        let [plain, member] = ["a.xml", "a.zip"].map(|name| {
            let run = tree.run(
                &[
                    &[command][..usize::from(!command.is_empty())],
                    &["--json", name],
                ]
                .concat(),
            );
            let records = records(&run.out, "diagnostic").into_iter();
            let codes =
                records.map(|record| (record["code"].to_string(), record["offset"].clone()));
            codes.collect::<Vec<_>>()
        });
        assert_eq!(plain.len(), 2);
        assert_eq!(plain, member);
    }
}

#[test]
fn a_zip_on_standard_input_that_can_seek_is_read_by_its_directory() {
    let tree = Tree::new(&[]);
    let mut bytes = zip(&[
        Member::new("a.txt", "http://example.com/a"),
        Member::new("b.txt", "http://example.com/b"),
    ]);
    // Without its entry in the directory the first member does not exist.
    let central = memchr::memmem::find(&bytes, b"PK\x01\x02").unwrap();
    let length = 46 + "a.txt".len();
    bytes.drain(central..central + length);
    let end = bytes.len() - 22;
    for at in [8, 10] {
        bytes[end + at] = 1;
    }
    let size = bytes[end + 12] - length as u8;
    bytes[end + 12] = size;
    tree.write("x.zip", &bytes);
    tree.run(&["x.zip"]).is(0, "http://example.com/b\n");
    seekable(&tree, "x.zip").is(0, "http://example.com/b\n");
    tree.pipe(&bytes, &[])
        .is(0, "http://example.com/a\nhttp://example.com/b\n");
}

#[test]
fn lengths_in_a_local_header_that_differ_from_the_directory_are_inconsistent() {
    let tree = Tree::new(&[]);
    let whole = zip(&[Member::new("a.txt", "http://example.com/a")]);
    for at in [18, 22] {
        let mut bytes = whole.clone();
        bytes[at] += 1;
        tree.write("x.zip", &bytes);
        tree.run(&["x.zip"])
            .tells(2, "http://example.com/a\n", "archive.inconsistent");
    }
}

#[test]
fn the_media_type_of_a_record_may_have_any_case() {
    let tree = Tree::new(&[]);
    let record = record("http://example.com/a/", "\r\n", "<a href=b>");
    let record = String::from_utf8(record).unwrap();
    let record = record.replace("application/http", "Application/HTTP; msgtype=response");
    tree.write("x.warc", record.as_bytes());
    tree.run(&["x.warc"]).is(0, "http://example.com/a/b\n");
}

#[test]
fn junk_before_a_zip_is_tolerated_with_either_origin_of_offsets() {
    let tree = Tree::new(&[]);
    let whole = zip(&[
        Member::new("a.txt", "http://example.com/a"),
        Member::new("b.txt", "http://example.com/b"),
    ]);
    let (directory, end) = (
        memchr::memmem::find(&whole, b"PK\x01\x02").unwrap(),
        whole.len() - 22,
    );
    let second = directory + 46 + "a.txt".len();
    for moved in [
        &[][..],
        &[end + 16],
        &[directory + 42, second + 42],
        &[end + 16, directory + 42, second + 42],
    ] {
        let mut bytes = whole.clone();
        for &at in moved {
            bytes[at] += 8;
        }
        let bytes = [b"JUNK\0\x01\x02\x03", bytes.as_slice()].concat();
        tree.write("any", &bytes);
        tree.run(&["any"])
            .is(0, "http://example.com/a\nhttp://example.com/b\n");
        tree.write("in.tar", &tar(&[Member::new("any", bytes)]));
        tree.run(&["in.tar"])
            .is(0, "http://example.com/a\nhttp://example.com/b\n");
    }
}

#[test]
fn damaged_members_of_a_zip_are_one_message_with_a_count() {
    let tree = Tree::new(&[]);
    let members: Vec<_> = (0..40)
        .map(|n| Member::new(&format!("{n:02}.txt"), lines("a")))
        .collect();
    let mut bytes = zip(&members);
    // Each member has another checksum in the directory.
    let entries: Vec<_> = memchr::memmem::find_iter(&bytes, b"PK\x01\x02").collect();
    for at in entries {
        bytes[at + 16] ^= 1;
    }
    tree.write("x.zip", &bytes);
    for threads in ["1", "4"] {
        let ran = tree.run(&["x.zip", "-j", threads]);
        assert_eq!((ran.code, ran.err.lines().count()), (2, 1), "{}", ran.err);
        assert!(
            ran.err.contains("00.txt: ") && ran.err.contains("(compress.corrupt, 40 times"),
            "{}",
            ran.err
        );
        let ran = tree.run(&["audit", "--json", "x.zip", "-j", threads]);
        let found = records(&ran.out, "diagnostic");
        let counts: Vec<_> = found.iter().map(|found| &found["count"]).collect();
        assert_eq!(
            (ran.code, counts),
            (2, vec![&Value::from(40)]),
            "{}",
            ran.out
        );
        assert!(ran.err.contains("00.txt: "), "{}", ran.err);
    }
}

#[test]
fn http_diagnostics_name_the_member() {
    let tree = Tree::new(&[]);
    let page = |header: &str| record("http://example.com/d/", header, "<a href=x>");
    let bytes = [
        page(""),
        page("Transfer-Encoding: chunked\r\n"),
        page("Content-Encoding: gzip\r\n"),
    ];
    tree.write("x.warc", &bytes.concat());
    let ran = tree.run(&["x.warc", "--json"]);
    let members = records(&ran.out, "diagnostic").into_iter();
    let members = members.map(|found| (found["code"].clone(), found["member"].clone()));
    let expected = [
        ("http.not-chunked", "2/1"),
        ("http.content-encoding-false", "3/1"),
    ];
    assert!(
        members.eq(expected.map(|(code, member)| (code.into(), member.into()))),
        "{}",
        ran.out
    );
}

#[test]
fn wacz_with_any_name_has_only_its_archive_folder_read() {
    let tree = Tree::new(&[]);
    let page = gzip(&record("http://example.com/d/", "", "<a href=x>"));
    let wacz = [
        Member::new("archive/a.warc.gz", page),
        Member::new("pages/pages.jsonl", "{\"url\": \"http://example.com/p\"}"),
        Member::new("indexes/index.txt", "http://example.com/i"),
        Member::new("datapackage.json", "{\"url\": \"http://example.com/j\"}"),
    ];
    tree.write("x.zip", &zip(&wacz));
    tree.write("any", &zip(&wacz));
    for name in ["x.zip", "any"] {
        for threads in ["1", "4"] {
            tree.run(&[name, "-j", threads])
                .is(0, "http://example.com/d/x\n");
        }
    }
    let mut parts = wacz.to_vec();
    for other in ["fuzzy.json", "other/x.txt"] {
        parts.push(Member::new(other, "{\"url\": \"http://example.com/k\"}"));
        for _ in 0..parts.len() {
            parts.rotate_left(1);
            if parts[0].name != "other/x.txt" {
                tree.pipe(&zip(&parts), &[])
                    .is(0, "http://example.com/d/x\n");
            }
        }
    }
    // A longer one than documents may be has the known parts after a web archive skipped.
    tree.pipe(&zip(&wacz), &["--max-document", "100"])
        .is(0, "http://example.com/d/x\n");
    tree.write("no.zip", &zip(&wacz[1..]));
    assert_eq!(tree.run(&["no.zip"]).out.lines().count(), 3);
    let others = [
        wacz[0].clone(),
        Member::new("x.txt", "http://example.com/t"),
    ];
    let both = "http://example.com/d/x\nhttp://example.com/t\n";
    tree.pipe(&zip(&others), &[]).is(0, both);
}

#[test]
fn members_of_unknown_lengths_are_read_from_a_pipe() {
    let (mut bytes, mut links) = (Vec::new(), String::new());
    let xz: Pack = |content| crate::compressed::xz(content, 8);
    let methods: [(u8, Pack); 4] = [(0, <[u8]>::to_vec), (12, bzip2), (93, zstd), (95, xz)];
    for (method, pack) in [methods, methods].concat() {
        let link = format!("http://example.com/{method}\n");
        let packed = pack(link.as_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(link.as_bytes());
        bytes.extend(b"PK\x03\x04\x14\0\x08\0");
        bytes.extend([method, 0]);
        bytes.extend([0; 16]);
        bytes.extend([1, 0, 0, 0, b'a']);
        bytes.extend(&packed);
        bytes.extend(b"PK\x07\x08");
        for number in [crc.sum(), packed.len() as u32, link.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        links += &link;
    }
    let end = [b"PK\x05\x06", &[0; 18][..]].concat();
    let tree = Tree::new(&[]);
    tree.pipe(&[&bytes[..], &end].concat(), &[]).is(0, &links);
    let last_sum = bytes.len() - 12;
    bytes[last_sum] ^= 1;
    tree.pipe(&[&bytes[..], &end].concat(), &[])
        .tells(2, &links, "compress.corrupt");
}

#[test]
fn cdx_and_cdxj_files_are_skipped_unless_named_as_text() {
    let line = "com,example)/ 20200101000000 ";
    let files = [
        (
            "a.cdxj",
            format!("{line}{{\"url\": \"http://example.com/\"}}\n"),
        ),
        (
            "b.cdx",
            format!(
                " CDX N b a m s k r M S V g\n{line}http://example.com/ text/html 200 A - - 1 2 a.warc.gz\n"
            ),
        ),
        (
            "c",
            format!("{line}http://example.com/ text/html 200 A - - 1 2 a.warc.gz\n"),
        ),
        (
            "d.txt",
            format!("!OpenWayback-CDXJ 1.0\n{line}{{\"url\": \"http://example.com/\"}}\n"),
        ),
    ];
    let tree = Tree::new(&[]);
    for (name, text) in &files {
        tree.write(name, text.as_bytes());
        tree.run(&[name])
            .tells(1, "", "an index of a web archive (CDX)");
        let packed = format!("{name}.gz");
        tree.write(&packed, &gzip(text.as_bytes()));
        tree.run(&[&packed])
            .tells(1, "", "an index of a web archive (CDX)");
        tree.run(&[name, "-t", "text"])
            .is(0, "http://example.com/\n");
    }
    tree.run(&[".", "-z", "--stats=json"])
        .tells(1, "", "\"skipped_index\":8,");
    // A log that has dates is none.
    tree.write("log", b"host 20200101000000 GET http://example.com/ done\n");
    tree.run(&["log"]).is(0, "http://example.com/\n");
}

#[test]
fn member_length_is_null_where_records_share_a_member() {
    let tree = Tree::new(&[]);
    let page = |n: u32| record(&format!("http://example.com/{n}/"), "", "<a href=x>");
    let [one, two, three] = [1, 2, 3].map(page);
    let shared = [two.clone(), three.clone()].concat();
    let lengths = |bytes: &[u8]| {
        tree.write("x.warc.gz", bytes);
        let ran = tree.run(&["x.warc.gz", "--json"]);
        let links = records(&ran.out, "link").into_iter();
        links
            .map(|link| link["member_length"].as_u64())
            .collect::<Vec<_>>()
    };
    let length = |bytes: &[u8]| Some(gzip(bytes).len() as u64);
    let own = [gzip(&one), gzip(&two), gzip(&three)].concat();
    assert_eq!(lengths(&own), [length(&one), length(&two), length(&three)]);
    let mixed = [gzip(&one), gzip(&shared)].concat();
    assert_eq!(lengths(&mixed), [length(&one), None, None]);
    assert_eq!(lengths(&gzip(&[one, two, three].concat())), [None; 3]);
}

#[test]
fn attachments_of_messages_in_an_archive_keep_the_ratio_of_the_outermost_member() {
    let tree = Tree::new(&[]);
    let inner = zip(&[Member::new("a.txt", vec![b'\n'; 40 << 20])]);
    let bomb = zip(&[Member::new("b.zip", inner)]);
    let encoded = data_encoding::BASE64.encode(&bomb);
    let part = format!(
        "--b\r\nContent-Type: application/zip; name=a.zip\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{encoded}\r\n"
    );
    let message = format!(
        "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{}--b--\r\n",
        part.repeat(3)
    );
    tree.write("x.eml", message.as_bytes());
    tree.run(&["x.eml", "--attachments"]).is(1, "");
    let archive = zip(&[
        Member::new("x.eml", message),
        Member::new("y.txt", "http://example.com/y"),
    ]);
    tree.write("x.zip", &archive);
    tree.run(&["x.zip", "--attachments"])
        .tells(2, "http://example.com/y\n", "archive.ratio-limit");
}

#[test]
fn an_archive_cut_after_its_contents_is_truncated_however_it_comes() {
    let tree = Tree::new(&[]);
    let member = Member::new("a.txt", "http://example.com/a\n");
    let link = "http://example.com/a\n";
    let (zip, tar) = (zip(std::slice::from_ref(&member)), tar(&[member]));
    let directory = memchr::memmem::find(&zip, b"PK\x01\x02").unwrap();
    // A tar may lack its last blocks, but holds no part of one.
    let cuts = [
        (&zip, directory + 1..zip.len()),
        (&tar, 512 + link.len() + 1..1024),
    ];
    for (bytes, cuts) in cuts {
        for cut in cuts.step_by(9) {
            tree.write("x.dat", &bytes[..cut]);
            let cut_words = "archive.truncated";
            tree.run(&["x.dat"]).tells(2, link, cut_words);
            tree.pipe(&bytes[..cut], &[]).tells(2, link, cut_words);
        }
        tree.pipe(bytes, &[]).is(0, link);
    }
}

#[test]
fn a_media_type_that_is_none_leaves_the_format_to_the_bytes() {
    let tree = Tree::new(&[]);
    for declared in [
        "text/html, text/html; charset=utf-8",
        "text/html charset=utf-8",
        "html",
        "*/*",
    ] {
        let header = format!("{declared}\r\n");
        let page = response("http://example.com/", &header, "<!doctype html><a href=b>");
        tree.write("x.warc", &page);
        tree.run(&["x.warc"]).is(0, "http://example.com/b\n");
    }
}

#[test]
fn compressed_data_and_archives_in_records_are_opened_by_their_media_types_too() {
    let tree = Tree::new(&[]);
    let page = b"<!doctype html><a href=b>";
    for (media_type, bytes, target) in [
        ("application/gzip", gzip(page), "b"),
        ("Application/X-Gzip; x=y", gzip(page), "b"),
        ("application/zstd", zstd(page), "b"),
        ("application/zip", zip(&[Member::new("p", page)]), "x!/b"),
        ("application/x-tar", tar(&[Member::new("p", page)]), "x!/b"),
    ] {
        let record = response_of("http://example.com/x", &format!("{media_type}\r\n"), &bytes);
        tree.write("x.warc", &record);
        tree.run(&["x.warc"])
            .is(0, &format!("http://example.com/{target}\n"));
    }
}

#[test]
fn a_web_archive_may_begin_with_empty_lines() {
    let tree = Tree::new(&[]);
    let page = record("http://example.com/d/", "", "<a href=x>");
    let link = "http://example.com/d/x\n";
    let empty = [b"\r\n\r\n", &page[..]].concat();
    tree.write("any", &empty);
    tree.run(&["any"]).is(0, link);
    tree.pipe(&empty, &[]).is(0, link);
}

#[test]
fn types_choose_among_the_bodies_of_records() {
    let tree = Tree::new(&[]);
    let page = record("http://example.com/", "Link: <l>\r\n", "<a href=x>");
    let text = response(
        "http://example.com/",
        "text/plain\r\n",
        "http://example.com/t",
    );
    tree.write("d/x.warc", &[page, text].concat());
    for path in ["d", "d/x.warc"] {
        tree.run(&["-t", "html", path])
            .is(0, "http://example.com/x\n");
        tree.run(&["-t", "text", path])
            .is(0, "http://example.com/t\n");
        tree.run(&["-t", "mbox", path]).is(1, "");
    }
}

/// ISO 28500 and RFC 9112 section 5.2: a folded field is one value.
#[test]
fn values_of_folded_fields_have_no_line_ends() {
    let tree = Tree::new(&[]);
    let header = "text/html;\r\n charset=utf-8\r\n";
    tree.write(
        "x.warc",
        &response("http://example.com/", header, "<a href=x>"),
    );
    let ran = tree.run(&["--json", "x.warc"]);
    let links = records(&ran.out, "link");
    assert_eq!(links[0]["content_type"], "text/html; charset=utf-8");
}

#[test]
fn members_of_an_archive_in_a_record_resolve_against_the_uri_of_the_record() {
    let page = Member::new("d/a.html", b"<a href=../b><a href=/c>");
    let body = String::from_utf8(tar(&[page])).unwrap();
    let header = "application/octet-stream\r\n";
    let tree = Tree::new(&[]);
    tree.write(
        "x.warc",
        &response("http://example.com/f/z.tar", header, &body),
    );
    let ran = tree.run(&["--json", "x.warc"]);
    let links = records(&ran.out, "link");
    let found = links
        .iter()
        .map(|link| (&link["target"], &link["base_source"]));
    let found: Vec<_> = found
        .map(|(target, source)| (target.as_str(), source.as_str()))
        .collect();
    let source = Some("retrieval:warc-target-uri");
    assert_eq!(
        found,
        [
            (Some("http://example.com/f/z.tar!/b"), source),
            (Some("http://example.com/c"), source)
        ]
    );
}

#[test]
fn links_of_a_wat_have_the_text_the_relations_and_the_status_that_it_tells() {
    let metadata = r#"{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{
        "Response-Message":{"Version":"HTTP/1.1","Status":"404"},"HTML-Metadata":{"Head":{
        "Link":[{"path":"LINK@/href","rel":"Next  start","url":"n"}],
        "Metas":[{"property":"og:url","content":"http://example.com/og"}]},
        "Links":[{"path":"A@/href","url":"http://example.com/","text":" www.example.org  x","title":"T"},
        {"url":"/","text":"www.example.org","path":"A@/href"},{"path":"IMG@/src","url":"i"}]}}}}}"#;
    let record = format!(
        "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://example.com/p\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{metadata}\r\n\r\n",
        metadata.len()
    );
    let tree = Tree::new(&[]);
    tree.write("x.wat", record.as_bytes());
    let keys = "http_status,reference,text,rel,title,flags";
    let ran = tree.run(&[
        "--format",
        "csv",
        "--anchor-text",
        "--extended",
        "--fields",
        keys,
        "x.wat",
    ]);
    let expected = "http_status,reference,text,rel,title,flags\n\
        404,n,,next start,,\n404,http://example.com/og,,,,\n\
        404,http://example.com/,www.example.org x,,T,\n\
        404,/,www.example.org,,,text-host-differs\n404,i,,,,\n";
    ran.is(0, expected);
}

#[test]
fn a_record_without_a_uri_has_the_base_of_its_archive_or_none() {
    let page = response("x", "text/html\r\n", "<a href=b>");
    let page = String::from_utf8(page).unwrap();
    let page = page.replace("WARC-Target-URI: x\r\n", "");
    let tree = Tree::new(&[("x.warc", &page)]);
    let base = "http://example.com/d/x";
    let expected = "http://example.com/d/b\n";
    tree.run(&["--base", base, "x.warc"]).is(0, expected);
    tree.run(&["x.warc"]).is(0, "b\n");
}
