//! Archives, packages and PDF in messages.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Tree;
use super::mail::attached;
use crate::compressed::gzip;
use crate::packages::zip::{Member, members_of, tar, zip};

const FROM: &str = "From a@example.com Thu Mar  2 10:11:12 2006\n";

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn site() -> Vec<Member> {
    vec![
        Member::new("a/b.html", "<a href='../c.html'>x</a>"),
        Member::new("c.txt", "see http://example.com/c"),
    ]
}

/// The links and diagnostics of a run, with the fields that depend on the place mapped.
fn records(out: &str, map: impl Fn(&mut Value)) -> Vec<String> {
    let lines = out.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        map(&mut record);
        record.to_string()
    });
    lines.collect()
}

/// Removes what a record has of its message; of a web archive the place is that of the record.
fn without_message(record: &mut Value) {
    let is_of_message = |key: &str| key.starts_with("message_");
    record
        .as_object_mut()
        .unwrap()
        .retain(|key, _| !is_of_message(key));
}

/// What a file gives, and what it gives in a message.
fn compare(media_type: &str, name: &str, bytes: &[u8]) {
    let tree = Tree::new(&[("m.eml", &attached(media_type, name, bytes))]);
    tree.write(name, bytes);
    let place = format!("file://{}/", tree.path().canonicalize().unwrap().display());
    let parent = &place[..=place.trim_end_matches('/').rfind('/').unwrap()];
    let alone = tree.run(&["--json", "-z", name]);
    let expected = records(&alone.out, |record| {
        for key in ["target", "base"] {
            let uri = record[key].as_str();
            // A message is at the root: what leads above or begins with a slash leads there.
            let places = [place.as_str(), parent, "file:/"].into_iter();
            let mut below = places.filter_map(|place| uri?.strip_prefix(place));
            if let Some(uri) = below.next() {
                let uri = uri.strip_prefix("//").unwrap_or(uri);
                record[key] = format!("thismessage:/{uri}").into();
            }
        }
        if record["base_source"] == "retrieval:file" {
            record["base_source"] = "default:thismessage".into();
        }
        let member = record["member"].as_str();
        record["member"] = member.map_or("1/2".into(), |member| format!("1/2!{member}").into());
        record["path"] = "m.eml".into();
        without_message(record);
    });
    let ran = tree.run(&["--json", "--attachments", "m.eml"]);
    let mut got = records(&ran.out, without_message);
    assert!(got.remove(0).contains("http://example.com/text"), "{name}");
    assert_eq!(got, expected, "{name}");
    // A file that is no package tells that itself; a part of a message is passed over.
    assert_eq!(
        ran.code,
        if alone.code == 1 { 0 } else { alone.code },
        "{name}"
    );
}

#[test]
fn attached_archive_has_the_links_of_the_same_file() {
    let mut compared = 0;
    for entry in fs::read_dir(folder("tests/vectors/archives")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".json") {
            continue;
        }
        compare("application/octet-stream", name, &fs::read(&path).unwrap());
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
    for (media_type, name, bytes) in [
        ("application/zip", "site.zip", zip(&site())),
        ("application/x-tar", "site.tar", tar(&site())),
        (
            "application/x-compressed-tar",
            "site.tgz",
            gzip(&tar(&site())),
        ),
        (
            "application/epub+zip",
            "book.epub",
            zip(&members_of(&folder("corpus/epub/book"))),
        ),
        (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "letter.docx",
            zip(&members_of(&folder("corpus/ooxml/letter"))),
        ),
    ] {
        compare(media_type, name, &bytes);
    }
    for entry in fs::read_dir(folder("corpus/pdf")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pdf") {
            let name = path.file_name().unwrap().to_str().unwrap();
            compare("application/pdf", name, &fs::read(&path).unwrap());
        }
    }
}

#[test]
fn members_of_attachments_are_named_and_resolve_by_their_part() {
    let message = |location: &str, name: &str| {
        let message = attached("application/zip", name, &zip(&site()));
        let at = message.find("Content-Type: application/zip").unwrap();
        let (start, end) = message.split_at(at);
        format!("Message-ID: <m@example.com>\n{start}{location}{end}")
    };
    let place = |location: &str, name: &str, options: &[&str]| {
        let tree = Tree::new(&[("m.mbox", &format!("{FROM}{}", message(location, name)))]);
        let arguments = ["--json", "--attachments", "m.mbox"];
        let ran = tree.run(&[&arguments[..], options].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let record: Value = serde_json::from_str(ran.out.lines().nth(1).unwrap()).unwrap();
        let text = |key: &str| record[key].as_str().unwrap().to_owned();
        assert_eq!(text("member"), "1/2!a/b.html");
        assert_eq!(text("message_id"), "<m@example.com>");
        assert_eq!(record["message_offset"], 0);
        (text("target"), text("base_source"))
    };
    for (location, name, options, target, source) in [
        (
            "",
            "s.zip",
            &[][..],
            "thismessage:/s.zip!/c.html",
            "default:thismessage",
        ),
        // Without a name, that of the part.
        ("", "", &[], "thismessage:/2!/c.html", "default:thismessage"),
        (
            "",
            "../../s.zip",
            &[],
            "thismessage:/s.zip!/c.html",
            "default:thismessage",
        ),
        (
            "Content-Location: http://example.com/d/x.zip?y\n",
            "s.zip",
            &[],
            "http://example.com/d/s.zip!/c.html",
            "entity:content-location@2",
        ),
        (
            "",
            "s.zip",
            &["--base", "http://example.org/list/1"],
            "http://example.org/list/s.zip!/c.html",
            "retrieval:option",
        ),
    ] {
        let expected = (target.to_owned(), source.to_owned());
        assert_eq!(place(location, name, options), expected, "{location}{name}");
    }
}

#[test]
fn four_levels_of_archives_are_opened_through_messages() {
    // Level by level: a zip that holds a message with the zip of the level below.
    let mut bytes = zip(&[Member::new("x.txt", "http://example.com/deep")]);
    for level in 2..=4 {
        let message = attached("application/zip", "z.zip", &bytes);
        bytes = zip(&[Member::new(&format!("m{level}.eml"), message)]);
    }
    let tree = Tree::new(&[("m.eml", &attached("application/zip", "z.zip", &bytes))]);
    let ran = tree.run(&[
        "--attachments",
        "--fields",
        "member,reference",
        "--json",
        "m.eml",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let deep = "1/2!m4.eml!1/2!m3.eml!1/2!m2.eml!1/2!x.txt";
    assert!(
        ran.out.contains(&format!("\"member\":\"{deep}\"")),
        "{}",
        ran.out
    );
    let message = attached("application/zip", "z.zip", &bytes);
    let bytes = zip(&[Member::new("m5.eml", message)]);
    tree.write(
        "m.eml",
        attached("application/zip", "z.zip", &bytes).as_bytes(),
    );
    let ran = tree.run(&["--attachments", "--json", "m.eml"]);
    assert_eq!(ran.code, 2);
    assert!(!ran.out.contains("/deep"), "{}", ran.out);
    assert!(ran.out.contains("archive.depth-limit"), "{}", ran.out);
    // The archive around a message counts.
    tree.write("z.zip", &bytes);
    assert!(!tree.run(&["--attachments", "z.zip"]).out.contains("/deep"));
}

#[test]
fn damaged_attachment_does_not_affect_later_messages() {
    let behind = format!("\n{FROM}Subject: http://example.com/behind\n\n");
    let tree = Tree::new(&[]);
    let run = |bytes: &[u8]| {
        let message = attached("application/octet-stream", "any", bytes);
        tree.write("m.mbox", format!("{FROM}{message}{behind}").as_bytes());
        let ran = tree.run(&["--attachments", "m.mbox"]);
        assert!(!ran.err.contains("panicked"));
        let mut links: Vec<String> = ran.out.lines().map(str::to_owned).collect();
        assert_eq!(links.remove(0), "http://example.com/text");
        assert_eq!(links.pop().unwrap(), "http://example.com/behind");
        (links, ran)
    };
    for whole in [zip(&site()), gzip(&tar(&site()))] {
        let (all, ran) = run(&whole);
        assert_eq!((all.len(), ran.code), (2, 0), "{}", ran.err);
        for cut in (0..whole.len()).step_by(crate::rounds(7, 1)) {
            let (links, ran) = run(&whole[..cut]);
            let mut rest = all.iter();
            // What was deflated in part may end inside a URI.
            let is_part = |link: &String| rest.any(|one| one.starts_with(link.as_str()));
            assert!(links.iter().all(is_part), "{cut}: {links:?}");
            assert!(ran.code == 2 || links.is_empty() || links == all, "{cut}");
        }
    }
    let encrypted = fs::read(folder("tests/vectors/archives/zip_encrypted.zip")).unwrap();
    let (_, ran) = run(&encrypted);
    assert!(ran.err.contains("archive.unreadable-member"), "{}", ran.err);
}

#[test]
fn a_bomb_in_a_message_ends_at_its_limit() {
    let zeros = Member::new("zeros.txt", vec![b' '; 80 << 20]);
    let bomb = zip(&[zeros, Member::new("x.txt", "http://example.com/x")]);
    assert!(bomb.len() < 1 << 20);
    let tree = Tree::new(&[("m.eml", &attached("application/zip", "z.zip", &bomb))]);
    let out = "http://example.com/text\nhttp://example.com/x\n";
    let ran = tree.run(&["--attachments", "m.eml"]);
    // Deflate packs spaces a little less than a thousand times.
    assert_eq!(ran.out, out);
    let bomb = gzip(&gzip(&vec![0; 100 << 20]));
    tree.write(
        "m.eml",
        attached("application/gzip", "x.tar.gz", &bomb).as_bytes(),
    );
    let ran = tree.run(&["--attachments", "m.eml"]);
    assert_eq!(ran.out, "http://example.com/text\n");
}

#[test]
fn attachments_are_the_same_for_any_number_of_workers_and_are_counted() {
    let picture = attached("application/x-unknown", "x.bin", b"http://example.com/no");
    let mailbox: String = (0..40)
        .map(|n| {
            let text = format!("http://example.com/{n}");
            let bytes = zip(&[
                Member::new("x.txt", text),
                Member::new("p.png", "\u{89}PNG\r\n"),
            ]);
            let message = attached("application/zip", "x.zip", &bytes);
            let broken = attached("application/zip", "x.zip", &bytes[..40]);
            format!("{FROM}{message}\n{FROM}{broken}\n{FROM}{picture}\n")
        })
        .collect();
    let tree = Tree::new(&[("m.mbox", &mailbox)]);
    tree.write("m.mbox.gz", &gzip(mailbox.as_bytes()));
    let run = |threads, name| {
        let arguments = [
            "--json",
            "--stats",
            "--attachments",
            "--piece",
            "3000",
            threads,
            name,
        ];
        tree.run(&arguments)
    };
    let one = run("-j1", "m.mbox");
    assert_eq!(one.code, 2, "{}", one.err);
    for n in 0..40 {
        assert!(
            one.out.contains(&format!("\"http://example.com/{n}\"")),
            "{n}"
        );
    }
    assert_eq!(one, run("-j4", "m.mbox"));
    assert_eq!(run("-j1", "m.mbox.gz"), run("-j4", "m.mbox.gz"));
    let archive = one
        .out
        .lines()
        .find(|line| line.contains("\"type\":\"archive\""));
    let archive: Value = serde_json::from_str(archive.unwrap()).unwrap();
    assert_eq!(archive["messages"], 120);
    // In an archive they are counted as well.
    tree.write("m.zip", &zip(&[Member::new("m.mbox", mailbox)]));
    for (option, skipped) in [("--attachments", 40), ("--ids", 120)] {
        let ran = tree.run(&["--json", "--stats", option, "m.zip"]);
        let record = ran
            .out
            .lines()
            .find(|line| line.contains("\"type\":\"archive\""));
        let record: Value = serde_json::from_str(record.unwrap()).unwrap();
        let parts = record["skipped_parts"].as_object().unwrap();
        let parts = ["application/x-unknown", "application/zip"].map(|name| parts.get(name));
        let sum: u64 = parts.into_iter().flatten().filter_map(Value::as_u64).sum();
        assert_eq!(sum, skipped, "{option}: {record}");
    }
    assert_eq!(archive["skipped_parts"]["application/x-unknown"], 40);
}

#[test]
fn attachments_stand_in_the_order_of_their_message() {
    let digits = attached("application/zip", "s.zip", &zip(&site()));
    let digits = digits.split("base64\n\n").nth(1).unwrap();
    let digits = digits.split("\n--b--").next().unwrap();
    let message = |kind: &str| {
        format!(
            "Content-Type: multipart/{kind}; boundary=c\n\n--c\nContent-Type: text/html\n\n\
             <a href='http://example.com/1'>x</a> <img src='cid:y'>\n--c\n\
             Content-Type: application/zip; name=s.zip\nContent-Transfer-Encoding: base64\n\n\
             {digits}\n--c\nContent-Type: text/html\n\n<a href='http://example.com/2'>x</a>\n--c--\n"
        )
    };
    for kind in ["mixed", "related"] {
        let tree = Tree::new(&[("m.eml", &message(kind))]);
        let out = "http://example.com/1\ncid:y\nthismessage:/s.zip!/c.html\nhttp://example.com/c\n\
                   http://example.com/2\n";
        tree.run(&["--attachments", "m.eml"]).is(0, out);
    }
    // The last alternative that can be read counts.
    let tree = Tree::new(&[("m.eml", &message("alternative"))]);
    let ran = tree.run(&["--attachments", "--alternatives", "last", "m.eml"]);
    assert_eq!(ran.out, "http://example.com/2\n");
}

/// An audit reads a mail once, with its attachments: they are no second document.
#[test]
fn an_audit_lists_the_links_of_an_attachment_once() {
    let mail = attached("application/zip", "site.zip", &zip(&site()));
    let tree = Tree::new(&[("m.eml", &mail)]);
    for threads in ["-j1", "-j2"] {
        let ran = tree.run(&[
            "audit",
            "--links",
            "--attachments",
            "--format",
            "jsonl",
            threads,
            "m.eml",
        ]);
        let links = ran.out.lines().filter_map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
            (record["type"] == "link").then(|| (text("member"), text("reference")))
        });
        let expected = [
            ("1/1", "http://example.com/text"),
            ("1/2!a/b.html", "../c.html"),
            ("1/2!c.txt", "http://example.com/c"),
        ];
        let expected = expected.map(|(member, link)| (member.to_owned(), link.to_owned()));
        assert_eq!(links.collect::<Vec<_>>(), expected, "{threads}");
        let summary = ran.out.lines().last().unwrap();
        assert!(summary.contains(r#""references":3"#), "{summary}");
    }
}

/// `-t` names the files to read, and parts of a message are not files.
#[test]
fn a_type_leaves_out_no_members_of_attachments() {
    let mail = attached("application/zip", "a.zip", &zip(&site()));
    let tree = Tree::new(&[("m.eml", &mail)]);
    let all = tree.run(&["--attachments", "m.eml"]);
    assert!(all.out.contains("http://example.com/c"), "{}", all.out);
    assert_eq!(tree.run(&["--attachments", "-t", "eml", "m.eml"]), all);
}
