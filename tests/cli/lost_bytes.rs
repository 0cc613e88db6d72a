//! Archives with lost, added or wrong bytes: no other member loses its links.

use super::Tree;
use super::containers::seekable;
use crate::compressed::gzip;
use crate::packages::zip::{Member, tar, zip};

#[test]
fn members_after_lost_or_added_bytes_are_read() {
    let tree = Tree::new(&[]);
    let member = |name: &str| Member::new(name, format!("http://example.com/{name}\n"));
    let members = ["a.txt", "b.txt", "c.txt"].map(member);
    let links = "http://example.com/a.txt\nhttp://example.com/b.txt\nhttp://example.com/c.txt\n";
    let (zip, tar) = (zip(&members), tar(&members));
    let second = memchr::memmem::find(&zip[4..], b"PK\x03\x04").unwrap() + 4;
    let with = |bytes: &[u8], at| [&bytes[..at], b"junk...", &bytes[at..]].concat();
    for (name, bytes) in [("x.zip", with(&zip, second)), ("x.tar", with(&tar, 1024))] {
        tree.write(name, &bytes);
        tree.run(&[name]).tells(2, links, "archive.inconsistent");
        seekable(&tree, name).tells(2, links, "archive.inconsistent");
        tree.pipe(&bytes, &[])
            .tells(2, links, "archive.inconsistent");
    }
    // The length of the first name takes in all other headers.
    let mut long = zip.clone();
    long[26..28].fill(0xff);
    let links = "http://example.com/b.txt\nhttp://example.com/c.txt\n";
    tree.pipe(&long, &[])
        .tells(2, links, "archive.inconsistent");
    // The packed length takes in the next header, and the bytes after it none.
    let mut long = zip.clone();
    long[18] += 40;
    let links = "http://example.com/a.txt\nhttp://example.com/b.txt\nhttp://example.com/c.txt\n";
    tree.pipe(&long, &[])
        .tells(2, links, "archive.inconsistent");
    // The header of the second member is not where a block begins.
    let bytes = [&tar[..1019], &tar[1024..]].concat();
    tree.write("x.tar", &bytes);
    tree.run(&["x.tar"]).tells(2, links, "archive.inconsistent");
    tree.pipe(&bytes, &[])
        .tells(2, links, "archive.inconsistent");
}

/// Returns members with a link each, of about this length, and their links.
fn numbered(count: usize, length: usize) -> (Vec<Member>, Vec<String>) {
    let link = |n: usize| format!("http://u{n}.example/\n");
    let text = |n: usize| (n..n + length / 6).map(|n| format!("{:05} ", n * n * 7919 % 99_991));
    let member = |n| Member::new(&format!("m{n}.txt"), link(n) + &text(n).collect::<String>());
    (
        (0..count).map(member).collect(),
        (0..count).map(link).collect(),
    )
}

#[test]
fn bytes_lost_in_a_member_lose_no_other_one() {
    let tree = Tree::new(&[]);
    for length in [700, 70_000] {
        let (members, links) = numbered(6, length);
        let zip = zip(&members);
        let tar = tar(&members);
        for (name, bytes, at) in [
            ("x.zip", &zip, zip.len() / 5 + 20),
            ("x.tar", &tar, tar.len() / 5 + 20),
        ] {
            for lost in [1, 100, 500, 513, length / 4] {
                let bytes = [&bytes[..at], &bytes[at + lost.min(length / 4)..]].concat();
                tree.write(name, &bytes);
                for run in [
                    tree.run(&[name]),
                    seekable(&tree, name),
                    tree.pipe(&bytes, &[]),
                ] {
                    let found = |link: &&String| run.out.contains(link.as_str());
                    let count = links.iter().filter(found).count();
                    assert_eq!((run.code, count), (2, 6), "{name}, {lost}: {run:?}");
                }
            }
        }
    }
}

#[test]
fn wrong_numbers_of_one_member_in_a_central_directory_lose_no_other_one() {
    let tree = Tree::new(&[]);
    let (members, links) = numbered(6, 120_000);
    let whole = zip(&members);
    let length = whole.len() as u32;
    let second = memchr::memmem::find_iter(&whole, b"PK\x01\x02").nth(1);
    let second = second.unwrap();
    // The packed length and the offset.
    for (at, value) in [
        (20, length / 2),
        (20, length),
        (42, length / 2),
        (42, length),
    ] {
        let mut bytes = whole.clone();
        bytes[second + at..second + at + 4].copy_from_slice(&value.to_le_bytes());
        tree.write("x.zip", &bytes);
        for threads in ["-j1", "-j2"] {
            tree.run(&[threads, "x.zip"])
                .tells(2, &links.concat(), "archive.inconsistent");
        }
        let run = tree.pipe(&bytes, &[]);
        assert_eq!(run.out, links.concat());
    }
    // The packed length, where bytes of the first member are lost.
    let mut bytes = whole;
    bytes[second + 20..second + 24].fill(0x7F);
    bytes.drain(1000..1004);
    tree.write("x.zip", &bytes);
    let out = tree.run(&["x.zip"]).out;
    assert!(out.starts_with(&links[..2].concat()), "{out}");
}

#[test]
fn a_tar_whose_first_header_lost_or_gained_bytes_is_read() {
    let tree = Tree::new(&[]);
    let (members, links) = numbered(3, 700);
    let whole = tar(&members);
    for (added, at, end) in [("", 20, 21), ("x", 20, 20), ("", 20, 600), ("x", 300, 300)] {
        let bytes = [&whole[..at], added.as_bytes(), &whole[end..]].concat();
        tree.write("x", &bytes);
        for run in [
            tree.run(&["x"]),
            seekable(&tree, "x"),
            tree.pipe(&bytes, &[]),
        ] {
            run.tells(2, &links[1..].concat(), "archive.inconsistent");
        }
    }
}

#[test]
fn a_wrong_length_of_an_extra_field_takes_in_no_other_member() {
    let tree = Tree::new(&[]);
    let (members, links) = numbered(6, 6);
    let mut bytes = zip(&members);
    let third = memchr::memmem::find_iter(&bytes, b"PK\x03\x04").nth(2);
    bytes[third.unwrap() + 29] = 1;
    let links = [&links[..2], &links[3..]].concat().concat();
    tree.pipe(&bytes, &[])
        .tells(2, &links, "archive.inconsistent");
}

#[test]
fn contents_of_a_known_length_or_an_unknown_method_may_have_a_descriptor() {
    let tree = Tree::new(&[]);
    let (members, links) = numbered(2, 6);
    let mut bytes = zip(&members);
    bytes[6] |= 8;
    let numbers: Vec<u8> = bytes[14..26].to_vec();
    let second = memchr::memmem::find(&bytes[4..], b"PK\x03\x04").unwrap() + 4;
    bytes.splice(second..second, [b"PK\x07\x08", numbers.as_slice()].concat());
    tree.pipe(&bytes, &[]).is(0, &links.concat());
    bytes[8] = 99;
    bytes[14..26].fill(0);
    let run = tree.pipe(&bytes, &[]);
    run.tells(2, &links[1], "archive.unreadable-member");
    assert!(!run.err.contains("archive.inconsistent"), "{}", run.err);
}

#[test]
fn stored_contents_with_a_descriptor_end_there_after_damage() {
    let tree = Tree::new(&[]);
    let (mut members, links) = numbered(3, 300);
    members[0].name = "mimetype".into();
    let mut whole = zip(&members);
    let length = members[0].bytes.len();
    whole[6] |= 8;
    let numbers = whole[14..26].to_vec();
    whole[14..26].fill(0);
    let end = 30 + "mimetype".len() + length;
    whole.splice(end..end, [b"PK\x07\x08", numbers.as_slice()].concat());
    let mut flipped = whole.clone();
    flipped[end - 1] ^= 1;
    let lost = [&whole[..end - 9], &whole[end..]].concat();
    let added = [&whole[..end], b"more", &whole[end..]].concat();
    for bytes in [flipped, lost, added] {
        tree.pipe(&bytes, &[])
            .tells(2, &links.concat(), "compress.corrupt");
    }
}

#[test]
fn a_record_after_a_header_without_its_empty_line_is_read() {
    let tree = Tree::new(&[]);
    let record = |(n, line): (usize, &str)| {
        let head =
            "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/plain\r\nContent-Length: 19\r\n";
        format!("{head}{line}http://u{n}.example/ \r\n\r\n")
    };
    let records = ["\r\n", "", "\r\n", "\r\n"].into_iter().enumerate();
    let records: String = records.map(record).collect();
    let links = "http://u0.example/\nhttp://u2.example/\nhttp://u3.example/\n";
    tree.pipe(records.as_bytes(), &[])
        .tells(2, links, "warc.resync");
}

#[test]
fn a_line_before_a_record_of_an_arc_has_an_address_or_a_date() {
    let tree = Tree::new(&[]);
    let record = |n: usize| {
        let body = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhttp://u{n}.example/\n\
             http://t{n}.example/ 838536252 984607682 725229671\nend\n"
        );
        let line = format!("http://example.com/{n} 192.0.2.7 20020304050607 no-type");
        format!("{line} {}\n{body}\n", body.len())
    };
    let head = "filedesc://x.arc 0.0.0.0 20020304050607 text/plain 76\n1 0 Example\n\
                URL IP-address Archive-date Content-type Archive-length\n\n\n";
    let bytes = format!("{head}{}{}{}", record(0), record(1), record(2));
    let bytes = bytes.replace("http://t1", "lost http://t1");
    tree.pipe(bytes.as_bytes(), &[]).tells(
        2,
        &(0..3)
            .map(|n| format!("http://u{n}.example/\nhttp://t{n}.example/\n"))
            .collect::<String>(),
        "warc.resync",
    );
    for (one, other) in [
        ("192.0.2.7", "192.x.2.7"),
        ("20020304050607 no", "2002030405 no"),
    ] {
        let damaged = bytes.replacen("lost ", "", 1).replace(one, other);
        let links = (0..3).map(|n| format!("http://u{n}.example/\nhttp://t{n}.example/\n"));
        let run = tree.pipe(damaged.as_bytes(), &[]);
        assert_eq!(run.out, links.collect::<String>(), "{other}");
    }
}

#[test]
fn a_gzip_member_whose_header_has_a_wrong_checksum_is_read() {
    let tree = Tree::new(&[]);
    let mut bytes = gzip(b"http://example.com/\n");
    bytes[3] |= 2;
    bytes.splice(10..10, [0; 2]);
    tree.write("x.gz", &bytes);
    for name in ["x.gz", "y"] {
        tree.write(name, &bytes);
        tree.run(&["-z", name])
            .tells(2, "http://example.com/\n", "compress.corrupt");
    }
}

#[test]
fn members_after_damage_in_a_central_directory_are_read() {
    let tree = Tree::new(&[]);
    let names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    let member = |name: &str| Member::new(name, format!("http://example.com/{name}\n"));
    let whole = zip(&names.map(member));
    let links: String = names
        .map(|name| format!("http://example.com/{name}\n"))
        .concat();
    let directory = memchr::memmem::find(&whole, b"PK\x01\x02").unwrap();
    let second = directory + 46 + names[0].len();
    let end = whole.len() - 22;
    for (at, value) in [
        // The signature, and lengths of the name that reach into the next header and beyond the directory.
        (second, &b"Q"[..]),
        (second + 28, &b"\x0c"[..]),
        (second + 28, &b"\xff\xff"[..]),
        // The numbers of members in the end record.
        (end + 8, &[2, 0, 2, 0]),
    ] {
        let mut bytes = whole.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        tree.write("x.zip", &bytes);
        for threads in ["-j1", "-j2"] {
            tree.run(&[threads, "x.zip"])
                .tells(2, &links, "archive.inconsistent");
        }
        tree.pipe(&bytes, &[]).tells(2, &links, "archive.");
    }
}

#[test]
fn a_damaged_central_directory_repeats_no_member() {
    let tree = Tree::new(&[]);
    let member = |n: u8| Member::new(&format!("{n}.txt"), format!("http://example.com/{n}\n"));
    let whole = zip(&[0, 1, 2, 3].map(member));
    let start = memchr::memmem::find(&whole, b"PK\x01\x02").unwrap();
    let end = whole.len() - 22;
    let size = (end - start) / 4;
    let mut reversed = whole.clone();
    reversed.splice(
        start..end,
        whole[start..end].rchunks(size).flatten().copied(),
    );
    let third = start + 2 * size;
    for (bytes, damage, numbers) in [
        // The signature of the header of the first member, after the others.
        (&reversed, &[(end - size, &b"Q"[..])][..], &[3, 2, 1][..]),
        // A signature, and the offset in the next header.
        (
            &whole,
            &[(start + size, b"Q"), (third + 42, b"\xf0\xff\xff\xff")],
            &[0, 1, 2, 3],
        ),
        (&whole, &[(end - size, b"Q")], &[0, 1, 2, 3]),
        // The numbers of members in the end record.
        (&whole, &[(end + 8, &[5, 0, 5, 0])], &[0, 1, 2, 3]),
    ] {
        let mut bytes = bytes.clone();
        for (at, value) in damage {
            bytes[*at..at + value.len()].copy_from_slice(value);
        }
        tree.write("x.zip", &bytes);
        let links = numbers.iter().map(|n| format!("http://example.com/{n}\n"));
        let run = tree.run(&["x.zip"]);
        run.tells(2, &links.collect::<String>(), "archive.inconsistent");
        assert!(
            damage.len() > 1 || !run.err.contains(" times"),
            "{}",
            run.err
        );
    }
}

#[test]
fn a_zip_of_more_members_than_its_end_record_can_count_is_whole() {
    let tree = Tree::new(&[]);
    let names = (0..=1 << 16).map(|n| format!("{n}"));
    let mut members: Vec<_> = names.map(|name| Member::new(&name, "")).collect();
    members[1 << 16].bytes = b"http://example.com/".to_vec();
    let bytes = zip(&members);
    tree.write("x.zip", &bytes);
    tree.run(&["x.zip"]).is(0, "http://example.com/\n");
    tree.pipe(&bytes, &[]).is(0, "http://example.com/\n");
    let headers: Vec<_> = memchr::memmem::find_iter(&bytes, b"PK\x01\x02").collect();
    for &step in crate::rounds(&[1 << 16][..], &[1 << 16, 2]) {
        let mut bytes = bytes.clone();
        for at in headers.iter().skip(1).step_by(step) {
            bytes[*at] = b'Q';
        }
        tree.write("x.zip", &bytes);
        tree.run(&["x.zip"])
            .tells(2, "http://example.com/\n", "archive.inconsistent");
    }
}
