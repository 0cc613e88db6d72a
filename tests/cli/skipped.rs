//! Files that are skipped: named with -v, counted with --stats.

use crate::compressed::gzip;
use crate::packages::zip::{Member, tar};

use super::Tree;

fn tree() -> Tree {
    let tree = Tree::new(&[
        ("a.txt", "http://example.com/\n"),
        ("b.html", "<a href=http://example.com/>"),
        ("long.txt", &"x".repeat(5000)),
    ]);
    tree.write("c.png", b"\x89PNG\r\n\x1A\n");
    tree.write("d.txt.gz", b"\x1f\x8b\x08\0");
    tree.write("e.zip", b"PK\x03\x04");
    tree
}

const FLAGS: &[&str] = &["--type=text", "--max-filesize=1K", "."];

#[test]
fn verbose_names_every_skipped_file_with_its_reason() {
    let tree = tree();
    let ran = tree.run(&[&["-v"], FLAGS].concat());
    assert_eq!(
        ran.err,
        "uriscan: ./b.html: skipped, it is html, which --type leaves out\n\
         uriscan: ./c.png: skipped, it is not text but PNG\n\
         uriscan: ./d.txt.gz: skipped, it is compressed (gzip) and not read (see --decompress)\n\
         uriscan: ./e.zip: skipped, it is an archive of files (zip)\n\
         uriscan: ./long.txt: skipped, it is longer than --max-filesize\n"
    );
    tree.run(FLAGS).is(0, "http://example.com/\n");
    let ran = tree.run(&[&["audit", "-v", "-j2"], FLAGS].concat());
    let told = ran
        .err
        .lines()
        .filter(|line| line.contains(": skipped, "))
        .count();
    assert_eq!(told, 5, "{}", ran.err);
}

#[test]
fn a_file_that_cannot_be_decompressed_names_no_flag() {
    let tree = Tree::new(&[]);
    tree.write("d.tar.bz2", b"BJh91AY&SY");
    let skipped = "skipped, it is compressed (bzip2) and not read\n";
    for arguments in [&["-v", "-z", "."][..], &["d.tar.bz2"]] {
        let ran = tree.run(arguments);
        assert!(ran.err.ends_with(skipped), "{}", ran.err);
    }
    let ran = tree.run(&["-v", "."]);
    assert!(
        ran.err.ends_with("not read (see --decompress)\n"),
        "{}",
        ran.err
    );
}

#[test]
fn stats_count_skipped_files_by_reason() {
    let tree = tree();
    let counts = "\"skipped_binary\":1,\"skipped_compressed\":1,\"skipped_archive\":1,\
                  \"skipped_index\":0,\"skipped_type\":1,\"skipped_size\":1,\"skipped_symlink\":0,\"skipped_special\":0";
    for how in [&["--stats", "--json"][..], &["audit", "--json"]] {
        let ran = tree.run(&[how, FLAGS].concat());
        let summary = ran.out.lines().last().unwrap();
        assert!(summary.contains("\"skipped_files\":5,"), "{summary}");
        assert!(summary.contains(counts), "{summary}");
    }
    let ran = tree.run(&[&["--stats"], FLAGS].concat());
    assert!(ran.err.contains("5 skipped files\n"), "{}", ran.err);
    assert!(ran.err.contains("1 skipped type\n"), "{}", ran.err);
    assert!(!ran.err.contains("symlink"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn symbolic_links_and_sockets_in_trees_are_not_left_out_in_silence() {
    let tree = Tree::new(&[("a.txt", "http://example.com/\n")]);
    std::os::unix::fs::symlink("a.txt", tree.path().join("link.txt")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(tree.path().join("socket")).unwrap();
    let ran = tree.run(&["-v", "."]);
    assert_eq!(
        ran.err,
        "uriscan: ./link.txt: skipped, it is a symbolic link (see --follow)\n\
         uriscan: ./socket: skipped, it is a pipe, a device or a socket\n"
    );
    let ran = tree.run(&["--stats", "--json", "--follow", "."]);
    assert!(ran.out.contains("\"skipped_symlink\":0,"), "{}", ran.out);
    assert_eq!(ran.out.matches("\"link\"").count(), 2, "{}", ran.out);
}

#[test]
fn a_run_that_reads_nothing_says_why() {
    let tree = Tree::new(&[("a.txt", "x"), ("b.html", "x")]);
    tree.run(&["--type=markdown", "."])
        .tells(2, "", "2 files left out (2 by --type)");
    tree.run(&["-g", "*.none", "."])
        .tells(2, "", "nothing was read: no files");
    tree.run(&["-d", "0", "."]).tells(2, "", "--max-depth");
}

#[test]
fn one_is_no_plural() {
    let tree = tree();
    let ran = tree.run(&["--stats", "a.txt"]);
    assert!(
        ran.err.starts_with("1 file\n20 bytes\n1 reference\n"),
        "{}",
        ran.err
    );
    let ran = tree.run(&["audit", "--root=http://example.org/", "a.txt"]);
    assert!(ran.err.contains("1 reference in 1 file: "), "{}", ran.err);
    let mail = tree.write(
        "1.mbox",
        b"From a@example.com Thu Mar  2 10:11:12 2006\nSubject: x\n\nx\n",
    );
    let ran = tree.run(&["--stats", mail.to_str().unwrap()]);
    assert!(
        ran.err.contains("1 message, 1 part, 0 links, "),
        "{}",
        ran.err
    );
}

/// Records of archives have the media types of the parts, the summary has their number.
#[test]
fn the_summary_counts_parts_of_messages_and_members_of_archives_that_are_not_read() {
    let image = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n";
    let part = format!("--b\n{image}");
    let mail = format!(
        "From: a@example.com\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n{part}{part}--b--\n"
    );
    let tree = Tree::new(&[("a.eml", &mail)]);
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let members = [Member::new("a.txt", "x"), Member::new("b.png", image)];
    tree.write("b.tar", &tar(&members));
    let unread = |arguments: &[&str]| {
        let ran = tree.run(arguments);
        let records = ran.out.lines().chain(ran.err.lines());
        let mut summary = records.filter(|line| line.starts_with("{\"type\":\"summary\""));
        let summary: serde_json::Value =
            serde_json::from_str(summary.next_back().unwrap()).unwrap();
        summary["unread_parts"].as_u64()
    };
    assert_eq!(unread(&["a.eml", "--json", "--stats"]), Some(2));
    assert_eq!(unread(&["b.tar", "--json", "--stats"]), Some(1));
    assert_eq!(unread(&["a.eml", "b.tar", "-q", "--stats=json"]), Some(3));
    assert_eq!(
        unread(&["-j1", "a.eml", "b.tar", "--json", "--stats"]),
        Some(3)
    );
    assert_eq!(unread(&["audit", "a.eml", "--json"]), Some(2));
    let report = ["a.eml", "--report", "errors=report", "-q"];
    assert_eq!(tree.run(&report).code, 1);
    let report = std::fs::read_to_string(tree.path().join("report")).unwrap();
    assert!(
        report.ends_with("\"unread_parts\":2,\"opaque_gateways\":0,\"failed_files\":0}\n"),
        "{report}"
    );
}

#[test]
fn each_file_that_is_reached_is_read_skipped_or_failed() {
    let tree = Tree::new(&[("d/a.html", "<a href=x>"), ("d/b.txt", "")]);
    tree.write("d/c.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    tree.write("d/d.txt.gz", &gzip(b"http://example.com/"));
    tree.write("d/e.tar", &tar(&[Member::new("a.txt", "x")]));
    let cut = gzip(b"http://example.com/");
    tree.write("cut.txt.gz", &cut[..cut.len() - 8]);
    let ran = tree.run(&["-q", "--stats=json", "d", "cut.txt.gz", "missing"]);
    let summary: serde_json::Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
    let counts = ["files", "skipped_files", "failed_files"].map(|key| summary[key].as_u64());
    assert_eq!(counts, [3, 3, 1].map(Some), "{summary}");
}
