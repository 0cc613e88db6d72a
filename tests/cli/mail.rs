//! Mail in files: recognition, bases, records.

use super::Tree;
use crate::compressed::gzip;

const MESSAGE: &str = "Subject: x\nList-Help: <http://example.com/help>\n\
    Content-Type: text/html\n\n<a href=y>y</a>\n";

#[test]
fn mail_is_known_by_name_or_content() {
    let mailbox = format!("From a@example.com Thu Mar  2 10:11:12 2006\n{MESSAGE}\n");
    let marked = format!("\u{FEFF}{mailbox}");
    let batch = format!("#! rnews {}\n{MESSAGE}", MESSAGE.len());
    let targets = "http://example.com/help\nthismessage:/y\n";
    for (path, text) in [
        ("one.eml", MESSAGE),
        ("folder/17", MESSAGE),
        ("maildir/cur/1:2,S", MESSAGE),
        ("2006-March.txt", &mailbox),
        ("marked", &marked),
        ("batch", &batch),
    ] {
        let tree = Tree::new(&[(path, text)]);
        tree.run(&["."]).is(0, targets);
        tree.run(&[".", "-c"]).is(0, &format!("./{path}:2\n"));
        tree.run(&[".", "-t", "text"])
            .tells(2, "", "nothing was read");
    }
    Tree::new(&[("folder/x17", "see http://example.com/\n")])
        .run(&["-t", "text", "."])
        .is(0, "http://example.com/\n");
}

/// Names without an extension of mail, or with that of text.
const NAMES: [&str; 8] = [
    "m.txt",
    "m.msg",
    "m.log",
    "m",
    "m.example",
    "new/1.host.html",
    "cur/1.host.md",
    "cur/1.host.txt",
];

#[test]
fn mail_is_known_by_its_header_under_any_name_and_on_standard_input() {
    let mut links = 0;
    let messages = crate::rounds(10, 25);
    for seed in 1..=messages {
        let trace =
            "Received: from a.example by b.example\n\tid 17; Thu, 2 Mar 2006 10:11:12 +0000\n";
        let message = crate::mail::differential::message(seed);
        let message = match seed % 5 {
            0 => format!("From someone who has no date\n{trace}{message}"),
            1 => format!("\u{FEFF}{trace}{message}"),
            2 => format!("X-A: b\nMessage-ID: <{seed}@a.example>\n{message}"),
            _ => format!("{trace}{message}"),
        };
        let tree = Tree::new(&[("m.eml", &message)]);
        let json = ["--json", "--fields", "member,line,column,reference,target"];
        let expected = tree.run(&[&["m.eml"], &json[..]].concat());
        links += expected.out.lines().count();
        assert!(expected.out.contains("\"member\":\"1/") || expected.out.is_empty());
        assert_eq!(tree.pipe(message.as_bytes(), &json), expected, "{message}");
        assert_eq!(
            tree.pipe(message.as_bytes(), &[&["-"], &json[..]].concat()),
            expected
        );
        for name in NAMES {
            tree.write(name, message.as_bytes());
            let got = tree.run(&[&[name], &json[..]].concat());
            assert_eq!(got, expected, "{name}: {message}");
        }
    }
    assert!(links > 2 * messages as usize, "{links} links");
}

#[test]
fn texts_that_look_a_little_like_mail_stay_text() {
    for text in [
        "---\ntitle: x\ndate: 2020-01-01\nlink: http://example.com/\n---\n",
        "Source: x\nMaintainer: a\nX-Python-Version: 2\nX-Python3-Version: 3\nHomepage: http://example.com/\n",
        "HTTP/1.1 301 Moved\nDate: x\nContent-Type: text/html\nX-Cache: HIT\nLocation: http://example.com/\n\n",
        "From: me\nTo: you\nDate: today\nSubject: note\nPlace: http://example.com/\n",
        "name: x\nsize: 3\nplace: http://example.com/\n",
        "http://example.com/ Received:\nSubject: x\n",
    ] {
        let tree = Tree::new(&[("m.eml", text)]);
        for name in ["m", "m.txt", "m.msg"] {
            tree.write(name, text.as_bytes());
            tree.run(&[name]).is(0, "http://example.com/\n");
        }
        tree.pipe(text.as_bytes(), &[])
            .is(0, "http://example.com/\n");
    }
    // The extension of another format decides, except in a Maildir.
    let text = "Received: by a\nMIME-Version: 1.0\nLocation: http://example.com/\n";
    let tree = Tree::new(&[("m.md", text), ("cur/m.md", text)]);
    tree.run(&["m.md"]).is(0, "http://example.com/\n");
    tree.run(&["cur/m.md"]).is(1, "");
}

#[test]
fn a_compound_document_is_no_mail() {
    let tree = Tree::new(&[]);
    let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    bytes.extend_from_slice(b"Received: by a\nMIME-Version: 1.0\n\nhttp://example.com/\n");
    tree.write("m.msg", &bytes);
    let ran = tree.run(&["m.msg", "--stats"]);
    assert!(ran.out.is_empty() && ran.err.contains("skipped"), "{ran:?}");
}

#[test]
fn the_place_of_mail_is_no_base() {
    let tree = Tree::new(&[("m.eml", MESSAGE)]);
    let fields = [
        "m.eml",
        "--json",
        "--element",
        "a",
        "--fields",
        "target,base_source",
    ];
    for (options, target, source) in [
        (&[][..], "thismessage:/y", "default:thismessage"),
        (
            &["--root", ".=http://example.org/"],
            "thismessage:/y",
            "default:thismessage",
        ),
        (
            &["--base", "http://example.net/a/b"],
            "http://example.net/a/y",
            "retrieval:option",
        ),
        (
            &["--default-base", "http://example.net/"],
            "http://example.net/y",
            "default:option",
        ),
    ] {
        let line =
            format!("{{\"type\":\"link\",\"target\":\"{target}\",\"base_source\":\"{source}\"}}\n");
        tree.run(&[&fields, options].concat()).is(0, &line);
    }
}

#[test]
fn a_header_field_has_a_line_and_no_column() {
    let tree = Tree::new(&[("m.eml", MESSAGE)]);
    let ran = tree.run(&["m.eml", "-n"]);
    ran.is(
        0,
        "m.eml!1/0:2: http://example.com/help\nm.eml!1/1:1:9: thismessage:/y\n",
    );
    let ran = tree.run(&[
        "m.eml",
        "--format",
        "csv",
        "--fields",
        "member,line,column,attribute",
    ]);
    ran.is(
        0,
        "member,line,column,attribute\n1/0,2,,list-help\n1/1,1,9,href\n",
    );
}

#[test]
fn records_tell_of_the_message_and_the_part() {
    let letter = "Message-ID: <m@example.com>\nContent-Type: multipart/related; boundary=b\n\n\
        --b\nContent-Type: Text/HTML; charset=UTF-8\n\n<img src=cid:i@example.com>\n\
        --b\nContent-Type: image/png\nContent-ID: <i@example.com>\n\nx\n--b--\n";
    let from = "From a@example.com Thu Mar  2 10:11:12 2006\n";
    let mailbox = format!("{from}\nhttp://example.com/\n\n{from}{letter}");
    let tree = Tree::new(&[("m.mbox", &mailbox)]);
    let keys = "message_id,message_offset,member_offset,media_type,charset,target_part";
    let second = from.len() + 22;
    let records = format!(
        "{{\"type\":\"link\",\"message_offset\":0,\"media_type\":\"text/plain\"}}\n\
         {{\"type\":\"link\",\"message_id\":\"<m@example.com>\",\"message_offset\":{second},\
         \"media_type\":\"text/html\",\"charset\":\"UTF-8\",\"target_part\":\"2\"}}\n"
    );
    tree.run(&["m.mbox", "--json", "--fields", keys])
        .is(0, &records);
    let rows = format!("{keys}\n,0,,text/plain,,\n<m@example.com>,{second},,text/html,UTF-8,2\n");
    tree.run(&["m.mbox", "--format", "csv", "--fields", keys])
        .is(0, &rows);
    tree.run(&["m.mbox", "--format", "tsv", "--fields", keys])
        .is(0, &rows.replace(',', "\t"));
    // After the other keys, in the order of the table.
    let ran = tree.run(&["m.mbox", "--json"]);
    let last = "\"flags\":[],\"loc\":\"part\",\"message_offset\":0,\"media_type\":\"text/plain\",\
         \"message_date\":\"2006-03-02T10:11:12Z\",\"message_from\":null,\"message_subject\":null}\n";
    assert!(ran.out.contains(last), "{}", ran.out);
}

#[test]
fn members_tell_the_date_the_sender_and_the_subject_of_their_message() {
    let letter = "Date: Thu, 2 Mar 06 10:11 EST\n\
        From: =?utf-8?Q?Al=C3=ADce?= <alice@example.com>\n\
        Subject: =?iso-8859-1?Q?caf=E9?=\n http://example.com/s\n\
        Content-Type: multipart/mixed; boundary=b\n\n\
        --b\n\nhttp://example.com/1\n\
        --b\nContent-Type: message/rfc822\n\n\
        Date: Fri, 3 Mar 2006 00:00:00 +0000\nFrom: b@example.com\nSubject: inner\n\n\
        http://example.com/2\n--b--\n";
    let length = letter.len();
    let from = "From a@example.com Thu Mar  2 10:11:12 2006\n";
    let mark = "\u{1}\u{1}\u{1}\u{1}\n";
    let tree = Tree::new(&[
        ("a.mbox", &format!("{from}{letter}\n")),
        ("b.eml", letter),
        ("c.mht", letter),
        ("d.mmdf", &format!("{mark}{letter}{mark}")),
        ("e.emlx", &format!("{length}\n{letter}")),
        ("f.rnews", &format!("#! rnews {length}\n{letter}")),
    ]);
    let keys = "message_date,message_from,message_subject";
    for name in ["a.mbox", "b.eml", "c.mht", "d.mmdf", "e.emlx", "f.rnews"] {
        let record = "{\"type\":\"link\",\"message_date\":\"2006-03-02T15:11:00Z\",\
            \"message_from\":\"alice@example.com\",\
            \"message_subject\":\"café http://example.com/s\"}\n";
        tree.run(&[name, "--json", "--fields", keys])
            .is(0, &record.repeat(3));
        let row = "2006-03-02T15:11:00Z,alice@example.com,café http://example.com/s\n";
        let rows = [keys, "\n", &row.repeat(3)].concat();
        tree.run(&[name, "--format", "csv", "--fields", keys])
            .is(0, &rows);
        tree.run(&[name, "--format", "tsv", "--fields", keys])
            .is(0, &rows.replace(',', "\t"));
    }
    // An audit's records have the keys of a link.
    let ran = tree.run(&["audit", "--format", "jsonl", "--links", "b.eml"]);
    let audited = ran
        .out
        .matches("\"message_from\":\"alice@example.com\"")
        .count();
    assert_eq!(audited, 3, "{}", ran.out);
}

#[test]
fn fields_of_a_message_that_cannot_be_read_are_null() {
    let tree = Tree::new(&[
        (
            "a.eml",
            "Date: 30 Feb 2006 10:00 +0000\nFrom: (nobody)\n\nhttp://example.com/\n",
        ),
        ("b.txt", "http://example.com/\n"),
    ]);
    let keys = [
        "--json",
        "--fields",
        "message_date,message_from,message_subject",
    ];
    let nulls = "{\"type\":\"link\",\"message_date\":null,\"message_from\":null,\
        \"message_subject\":null}\n";
    tree.run(&[&["a.eml"], &keys[..]].concat()).is(0, nulls);
    // Records of other formats have no such keys.
    tree.run(&[&["b.txt"], &keys[..]].concat())
        .is(0, "{\"type\":\"link\"}\n");
}

#[test]
fn message_has_the_offset_of_its_compressed_member() {
    let from = "From a@example.com Thu Mar  2 10:11:12 2006\n";
    let message = |n: u8| format!("{from}A: b\n\nhttp://example.com/{n}\n\n");
    // The second message begins in the first member, the third in the third.
    let texts = [
        format!("{}{}", message(1), &message(2)[..50]),
        message(2)[50..].to_owned(),
        message(3),
    ];
    let members = texts.map(|text| gzip(text.as_bytes()));
    let third = members[0].len() + members[1].len();
    let tree = Tree::new(&[]);
    tree.write("m.gz", &members.concat());
    let ran = tree.run(&[
        "m.gz",
        "--format",
        "csv",
        "--fields",
        "target,member_offset",
    ]);
    let rows = format!(
        "target,member_offset\nhttp://example.com/1,0\nhttp://example.com/2,0\nhttp://example.com/3,{third}\n"
    );
    ran.is(0, &rows);
    // One layer more: the outer member is where the file is to be opened.
    let outer = [gzip(&[]), gzip(&members.concat())];
    tree.write("n.gz", &outer.concat());
    let ran = tree.run(&["n.gz", "--format", "csv", "--fields", "member_offset"]);
    let at = outer[0].len();
    ran.is(0, &format!("member_offset\n{at}\n{at}\n{at}\n"));
}

#[test]
fn rewritten_links_are_looked_into_on_request() {
    let rewritten = "https://eu.links.example.com/?url=http%3A%2F%2Fwww.example.org%2Fx&data=1";
    let known = "https://urldefense.com/v2/url?u=http-3A__www.example.org_y&d=1";
    let text = format!("Subject: x\n\n<{rewritten}>\n<{known}>\nhttp://example.com/\n");
    let tree = Tree::new(&[("m.eml", &text)]);
    let other = "http://example.com/";
    let table = |rows: [[&str; 2]; 2]| {
        let rows = rows
            .map(|[target, from]| format!("{target},{from}\n"))
            .concat();
        format!("target,unwrapped_from\n{rows}{other},\n")
    };
    let base = [
        "m.eml",
        "--format",
        "csv",
        "--fields",
        "target,unwrapped_from",
    ];
    tree.run(&base)
        .is(0, &table([[rewritten, ""], [known, ""]]));
    let inside = ["http://www.example.org/y", known];
    tree.run(&[&base[..], &["--unwrap"]].concat())
        .is(0, &table([[rewritten, ""], inside]));
    let host = ["--unwrap-host", "safelinks=.links.example.com"];
    tree.run(&[&base[..], &host].concat())
        .is(0, &table([["http://www.example.org/x", rewritten], inside]));
    tree.run(&["m.eml", "--unwrap"])
        .is(0, &format!("{rewritten}\n{}\n{other}\n", inside[0]));
    let ran = tree.run(&["m.eml", "--unwrap", "--json"]);
    assert!(ran.out.contains("\"unwrapped_from\":null"), "{}", ran.out);
    assert!(
        !tree
            .run(&["m.eml", "--json"])
            .out
            .contains("unwrapped_from")
    );
    for bad in [
        "links.example.com",
        "example.com=",
        "=to",
        "example.com=to:rot13",
        "safelinks=",
        "safelinks=.",
    ] {
        let ran = tree.run(&["m.eml", "--unwrap-host", bad]);
        assert_eq!(ran.code, 2, "{bad}: {}", ran.out);
    }
}

/// A message with one attachment in base64.
pub(super) fn attached(media_type: &str, name: &str, bytes: &[u8]) -> String {
    let mut digits = String::new();
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .fold(0, |bits, &byte| bits << 8 | u32::from(byte));
        let bits = bits << (8 * (3 - group.len()));
        for digit in 0..4 {
            digits.push(match digit <= group.len() {
                true => char::from(alphabet[(bits >> (18 - 6 * digit) & 63) as usize]),
                false => '=',
            });
        }
        if digits.len() % 77 == 76 {
            digits.push('\n');
        }
    }
    format!(
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://example.com/text\n--b\n\
         Content-Type: {media_type}; name={name}\nContent-Transfer-Encoding: base64\n\n{digits}\n--b--\n"
    )
}

#[test]
fn compressed_attachments_are_opened_on_request() {
    let text = b"see http://example.com/in\n";
    let page = b"<p><a href='http://example.com/in'>x</a> http://example.com/no";
    let letter = b"Subject: http://example.com/in\n\n";
    let noise: Vec<u8> = (0..9 << 20)
        .map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 11) as u8)
        .collect();
    let one = "http://example.com/text\n";
    let both = "http://example.com/text\nhttp://example.com/in\n";
    for (media_type, name, bytes, out) in [
        ("application/gzip", "log.txt.gz", gzip(text), both),
        ("application/octet-stream", "page.HTML.gz", gzip(page), both),
        ("application/x-gzip", "letter.eml.gz", gzip(letter), both),
        ("application/octet-stream", "any", gzip(text), both),
        // Compressed twice, neither text nor an archive, not compressed, too long.
        ("application/gzip", "x.gz.gz", gzip(&gzip(text)), one),
        (
            "application/gzip",
            "x.tar.gz",
            gzip(b"http://example.com/\0"),
            one,
        ),
        (
            "application/zip",
            "x.zip",
            b"PK http://example.com/".to_vec(),
            one,
        ),
        ("application/gzip", "x.gz", gzip(&noise), one),
    ] {
        let tree = Tree::new(&[("m.eml", &attached(media_type, name, &bytes))]);
        tree.run(&["m.eml"]).is(0, one);
        tree.run(&["m.eml", "--attachments"]).is(0, out);
    }
    let cut = gzip(text);
    let tree = Tree::new(&[(
        "m.eml",
        &attached("application/gzip", "x.gz", &cut[..cut.len() - 4]),
    )]);
    tree.run(&["m.eml", "--attachments"])
        .tells(2, both, "compress.truncated");
}

/// The WHATWG Encoding Standard, "decode": a byte order mark is more authoritative than anything else.
#[test]
fn a_byte_order_mark_of_utf_16_beats_the_charset_of_a_text() {
    let out = "http://example.com/text\nhttp://example.com/in\n";
    let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
    let text = units("\u{FEFF}see <http://example.com/in>\r\n");
    let little: Vec<u8> = text.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = text.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for media_type in [
        "text/plain",
        "text/plain; charset=us-ascii",
        "text/csv; charset=utf-8",
    ] {
        for bytes in [&little, &big] {
            let tree = Tree::new(&[("m.eml", &attached(media_type, "a.txt", bytes))]);
            tree.run(&["m.eml"]).is(0, out);
        }
    }
}

#[test]
fn archive_stats_list_skipped_parts() {
    let from = "From a@example.com Thu Mar  2 10:11:12 2006\n";
    let picture = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://example.com/\n--b\n\
        Content-Type: image/png\n\nx\n--b\nContent-Type: image/png\n\ny\n";
    let mailbox = format!("junk\n\n{from}\nhttp://example.com/\n\n{from}{picture}");
    let bytes = mailbox.len();
    let tree = Tree::new(&[("m.mbox", &mailbox), ("t.txt", "http://example.com/\n")]);
    let record = format!(
        "{{\"type\":\"archive\",\"path\":\"m.mbox\",\"messages\":2,\"parts\":3,\
         \"skipped_parts\":{{\"image/png\":2}},\"links\":2,\"bytes\":{bytes},\
         \"diagnostics\":{{\"mbox.leading-junk\":1,\"mime.close-missing\":1}}}}\n"
    );
    let targets = "http://example.com/\nhttp://example.com/\nhttp://example.com/\n";
    let paths = ["m.mbox", "t.txt"];
    for threads in ["-j1", "-j3"] {
        let run =
            |shape: &[&str]| tree.run(&[&paths[..], &[threads, "--piece", "40"], shape].concat());
        // Among the records, after those of the archive.
        let ran = run(&["--json", "--stats", "--fields", "path"]);
        let lines: Vec<_> = ran.out.lines().collect();
        assert_eq!(lines.len(), 7, "{}", ran.out);
        assert_eq!(lines[4].to_owned() + "\n", record);
        assert_eq!(run(&["--json"]).out.matches("\"archive\"").count(), 0);
        // Elsewhere on standard error.
        let ran = run(&["--stats=json"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, targets));
        assert!(ran.err.starts_with(&record), "{}", ran.err);
        let words = format!(
            "uriscan: m.mbox: 2 messages, 3 parts, 2 links, {bytes} bytes; 2 image/png skipped; \
             1 mbox.leading-junk; 1 mime.close-missing\n"
        );
        run(&["--stats"]).tells(0, targets, &words);
        run(&["--stats", "-q"]).tells(0, "", &words);
    }
}

#[test]
fn compressed_batches_of_news_are_opened() {
    let article = "Subject: x\nMessage-ID: <m@example.com>\n\nhttp://example.com/n\n";
    let batch = format!("#! rnews {}\n{article}", article.len()).repeat(2);
    let target = "http://example.com/n\n".repeat(2);
    let gunbatch = [&b"#! gunbatch\n"[..], &gzip(batch.as_bytes())].concat();
    // The output of compress where no text repeats: groups of eight codes of nine bits.
    let mut cunbatch = b"#! cunbatch\n\x1f\x9d\x89".to_vec();
    for group in batch.as_bytes().chunks(8) {
        let bits = group
            .iter()
            .rev()
            .fold(0, |bits: u128, &byte| bits << 9 | u128::from(byte));
        let bytes = (group.len() * 9).div_ceil(8);
        cunbatch.extend_from_slice(&bits.to_le_bytes()[..bytes]);
    }
    let tree = Tree::new(&[]);
    let compressed = &cunbatch[b"#! cunbatch\n".len()..];
    for name in ["n.Z", "n"] {
        tree.write(name, compressed);
        tree.run(&[name]).is(0, &target);
    }
    tree.write("n.Z", &compressed[..2]);
    tree.run(&["n.Z"]).tells(2, "", "compress.truncated");
    let tree = Tree::new(&[]);
    for (name, bytes) in [("g", gunbatch), ("c", cunbatch)] {
        tree.write(name, &bytes);
        tree.run(&[name]).is(0, &target);
        tree.run(&[name, "--json", "--fields", "member"]).is(
            0,
            "{\"type\":\"link\",\"member\":\"1/1\"}\n{\"type\":\"link\",\"member\":\"2/1\"}\n",
        );
    }
    // In a tree they are decompressed on demand; else they are reported as skipped.
    tree.run(&[".", "-z"]).is(0, &target.repeat(2));
    tree.run(&["."])
        .tells(1, "", "2 opaque parts were not read");
    tree.run(&[".", "-v"]).tells(1, "", "body.opaque");
    tree.write("b", b"#! cunbatch\nno more");
    tree.run(&["b"]).tells(2, "", "compress.corrupt");
}

/// Three messages around an attachment of this many lines.
#[cfg(unix)]
fn long(lines: usize) -> Vec<u8> {
    let from = "From a@example.com Thu Mar  2 10:11:12 2006\n";
    let line = "VGhpcyBsaW5lIGlzIHBhcnQgb2YgYW4gYXR0YWNobWVudCB0aGF0IG5vYm9keSBkZWNvZGVzLg0K\n";
    format!(
        "{from}\nhttp://example.com/1\n\n{from}Content-Type: multipart/mixed; boundary=b\n\n--b\n\n\
         http://example.com/2\n--b\nContent-Type: application/zip\n\
         Content-Transfer-Encoding: base64\n\n{}--b\n\nhttp://example.com/3\n--b--\n\n\
         {from}\nhttp://example.com/4\n",
        line.repeat(lines)
    )
    .into_bytes()
}

#[cfg(unix)]
#[test]
fn an_attachment_of_200_megabytes_takes_little_memory() {
    let archive = long(200_000_000 / 77);
    let tree = Tree::new(&[]);
    tree.write("m.mbox", &archive);
    let expected = (1..5)
        .map(|n| format!("http://example.com/{n}\n"))
        .collect::<String>();
    // A limit on all mapped memory, with the program and the stacks of threads: a buffer
    // that grows with the attachment does not fit.
    let limited = "ulimit -v 150000; exec \"$0\" \"$@\"";
    for threads in ["-j1", "-j2"] {
        let output = std::process::Command::new("sh")
            .args([
                "-c",
                limited,
                env!("CARGO_BIN_EXE_uriscan"),
                "m.mbox",
                threads,
            ])
            .current_dir(tree.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected,
            "{errors}"
        );
    }
}

/// A mailbox with a hole of more than four gibibytes.
#[cfg(unix)]
#[test]
#[ignore = "reads 4.1 GiB: seconds in a release build, minutes in any other"]
fn a_message_begins_beyond_four_gibibytes() {
    use std::os::unix::fs::FileExt;
    let tree = Tree::new(&[]);
    let file = std::fs::File::create(tree.path().join("m.mbox")).unwrap();
    let message = "\nFrom a@example.com Thu Mar  2 10:11:12 2006\nA: b\n\nhttp://example.com/\n";
    let far = (4 << 30) + (100 << 20);
    file.write_all_at(&message.as_bytes()[1..], 0).unwrap();
    file.write_all_at(message.as_bytes(), far).unwrap();
    for threads in ["-j1", "-j2"] {
        let fields = ["--format", "csv", "--fields", "member,message_offset"];
        let rows = format!("member,message_offset\n1/1,0\n2/1,{}\n", far + 1);
        tree.run(&[&["m.mbox", threads][..], &fields].concat())
            .is(0, &rows);
    }
}
