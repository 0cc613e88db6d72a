//! Filters by message, host and attribute, counts by several keys, and forms of targets.

use super::Tree;

/// Three messages of two senders, two lists and two months.
const MAILBOX: &str = "From ann@example.com Thu Mar  2 10:11:12 2006\n\
From: =?utf-8?Q?=C3=84nn?= Lee <ann@example.com>\nTo: Bob <bob@example.net>\n\
Subject: Meeting [notes]\nList-Id: Dev <dev.example.org>\nDate: Thu, 2 Mar 2006 10:11:12 +0000\n\
List-Unsubscribe: <http://lists.example.org/unsubscribe>\n\
Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://www.Example.com./text\n\
--b\nContent-Type: text/html\n\n<a href='http://example.com/html'><img src='http://images.example.com/i'></a>\n\
--b\nContent-Type: text/plain; name=n.txt\nContent-Disposition: attachment; filename=n.txt\n\n\
http://example.com/file\n--b--\n\n\
From bob@example.net Fri Mar 31 23:30:00 2006\nFrom: bob@example.net\nTo: ann@example.com\n\
Subject: Re: meeting\nDate: Fri, 31 Mar 2006 23:30:00 -0100\nList-Id: <users.example.org>\n\n\
http://example.com/april\n\n\
From carl@example.org Sat Apr  1 12:00:00 2006\nFrom: carl@example.org\nSubject: none\n\n\
http://example.org/no-date\n";

#[test]
fn messages_are_chosen_by_sender_recipient_subject_list_and_date() {
    let tree = Tree::new(&[("a.mbox", MAILBOX), ("b.txt", "http://example.com/other\n")]);
    let first = 5;
    for (arguments, count) in [
        (&["--from", "ANN@"][..], first),
        (&["--from", "\u{e4}nn lee"], first),
        (&["--from", "bob", "--from", "carl"], 2),
        (&["--from", "/^(bob|carl)@/"], 2),
        (&["--from", "(bob|carl)"], 0),
        (&["--to", "ann@example.com"], 1),
        (&["--to", "bob <"], first),
        (&["--subject", "meeting"], first + 1),
        (&["--subject", "[NOTES]"], first),
        (&["--subject", "/^re:/"], 1),
        (&["--list", "users.example"], 1),
        (&["--since", "2006-04"], 2),
        (&["--since", "2006-04-02"], 0),
        (&["--until", "2006-03"], first),
        (&["--until", "2006-03-02"], first),
        (
            &[
                "--since",
                "2006-03-02T10:11:13Z",
                "--until",
                "2006-04-01T00:30:00Z",
            ],
            1,
        ),
        (
            &["--since", "2006-04-01T02:30:00+02:00", "--until", "2006"],
            2,
        ),
        (&["--part", "header"], 1),
        (&["--part", "html"], 2),
        (&["--part", "text"], 3),
        (&["--part", "attachment"], 1),
        (&["--part", "text,attachment", "--from", "ann"], 2),
        (&["--attribute", "HREF"], 1),
        (&["--attribute", "list-unsubscribe,src"], 2),
        (&["--host", "WWW.example.com"], 1),
        (&["--host", "example.com."], 4),
        (&["--host", ".example.com"], 2),
        (&["--host", "example.org,lists.example.org"], 2),
    ] {
        let ran = tree.run(
            &[
                &["a.mbox", "b.txt", "--format", "csv", "--fields", "target"],
                arguments,
            ]
            .concat(),
        );
        assert_eq!(
            ran.out.lines().count() - 1,
            count,
            "{arguments:?}: {}{}",
            ran.out,
            ran.err
        );
    }
    for bad in [
        &["--since", "yesterday"][..],
        &["--until", "2006-13"],
        &["--from", "/(/"],
        &["--part", "x"],
    ] {
        let ran = tree.run(&[&["a.mbox"], bad].concat());
        assert_eq!(ran.code, 2, "{bad:?}: {}", ran.out);
    }
}

#[test]
fn counts_have_several_keys_and_a_limit() {
    let tree = Tree::new(&[("a.mbox", MAILBOX)]);
    let run = |arguments: &[&str]| tree.run(&[&["a.mbox"], arguments].concat());
    run(&["--count-by", "month"]).is(0, "5\t2006-03\n2\t2006-04\n");
    run(&["--count-by", "host,month", "--top", "2"])
        .is(0, "2\texample.com\t2006-03\n1\texample.com\t2006-04\n");
    run(&["--count-by", "list"]).is(0, "5\tdev.example.org\n1\t-\n1\tusers.example.org\n");
    run(&["--count-by", "attribute"]).is(0, "4\t-\n1\thref\n1\tlist-unsubscribe\n1\tsrc\n");
    run(&["--count-by", "media-type", "--top=1"]).is(0, "4\ttext/plain\n");
    run(&["--count-by", "list,attribute", "--json", "--top", "1"]).is(
        0,
        "{\"type\":\"count\",\"key\":[\"list\",\"attribute\"],\"value\":[\"dev.example.org\",null],\"count\":2}\n",
    );
    run(&["--count-by", "month", "--json", "--top", "1"]).is(
        0,
        "{\"type\":\"count\",\"key\":\"month\",\"value\":\"2006-03\",\"count\":5}\n",
    );
    assert_eq!(run(&["--top", "1"]).code, 2);
    assert_eq!(run(&["--count-by", "host,rule"]).code, 2);
}

#[test]
fn unique_compares_targets_in_a_form() {
    let text = "<http://Example.com:80/a#x>\n<http://example.com/a#y>\n<http://example.com/a#x>\n\
                <HTTP://example.com/%7Eb/../a#y>\n";
    let tree = Tree::new(&[("a.txt", text)]);
    for (form, count) in [
        ("--unique", 4),
        ("--unique=target", 4),
        ("--unique=normalized", 2),
        ("--unique=no-fragment", 3),
    ] {
        let ran = tree.run(&["a.txt", form]);
        assert_eq!(ran.out.lines().count(), count, "{form}: {}", ran.out);
    }
    assert_eq!(tree.run(&["a.txt", "--unique=other"]).code, 2);
}

#[test]
fn hyperlinks_are_written_on_request() {
    let tree = Tree::new(&[(
        "a.txt",
        "<http://example.com/>\n<http://example.com/\u{e4}>\n",
    )]);
    let plain = "http://example.com/\nhttp://example.com/\u{e4}\n";
    for when in ["--hyperlink=auto", "--hyperlink=never", "-v"] {
        tree.run(&["a.txt", when]).is(0, plain);
    }
    tree.run(&["a.txt", "--hyperlink=always"]).is(
        0,
        "\x1b]8;;http://example.com/\x1b\\http://example.com/\x1b]8;;\x1b\\\nhttp://example.com/\u{e4}\n",
    );
}

#[cfg(unix)]
#[test]
fn lines_of_a_pipe_are_written_before_it_ends() {
    lines_are_written_early(&[], 0, |text| text.as_bytes().to_vec());
    // Compressed in one stream whose writer flushes it after each line, or in a member for each line.
    let mut stream = flate2::Compress::new(flate2::Compression::default(), false);
    let mut header = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    // It is cut in the end.
    lines_are_written_early(&["-z"], 2, move |text| {
        let mut bytes = std::mem::take(&mut header);
        bytes.reserve(1 << 10);
        let flush = flate2::FlushCompress::Sync;
        stream
            .compress_vec(text.as_bytes(), &mut bytes, flush)
            .unwrap();
        bytes
    });
    lines_are_written_early(&["-z"], 0, |text| crate::compressed::gzip(text.as_bytes()));
}

/// Writes three lines to the command as `encode` gives them, and expects the link of each before the next.
#[cfg(unix)]
fn lines_are_written_early(flags: &[&str], code: i32, mut encode: impl FnMut(&str) -> Vec<u8>) {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_uriscan"))
        .args(["-t", "text", "--line-buffered", "-"])
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 0..3 {
        // A line is certain once the next one has begun.
        let line = format!("see http://example.com/{number} now\n\n\n");
        stdin.write_all(&encode(&line)).unwrap();
        stdin.flush().unwrap();
        assert_eq!(
            lines.next().unwrap().unwrap(),
            format!("http://example.com/{number}")
        );
    }
    drop(stdin);
    assert!(lines.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(code));
}
