//! Folders of mail, and bodies of messages that are not read.

use super::Tree;

const MAIL: &str = "Subject: x\n\nhttp://example.com/";

#[test]
fn folders_of_a_maildir_are_read_though_their_names_are_hidden() {
    let tree = Tree::new(&[]);
    for (folder, name) in [("", "a"), (".Sent/", "b"), (".Sent.2006/", "c")] {
        for part in ["cur", "new", "tmp"] {
            tree.write(
                format!("box/{folder}{part}/1.host:2,S"),
                format!("{MAIL}{name}/{part}\n").as_bytes(),
            );
        }
        tree.write(format!("box/{folder}maildirfolder"), b"");
        tree.write(
            format!("box/{folder}dovecot-uidlist"),
            b"http://example.com/none",
        );
    }
    tree.write("box/.hidden/x.txt", b"http://example.com/none");
    tree.write("box/subscriptions", b"http://example.com/none");
    let expected = "http://example.com/b/cur\nhttp://example.com/b/new\nhttp://example.com/c/cur\n\
                    http://example.com/c/new\nhttp://example.com/a/cur\nhttp://example.com/a/new\n";
    for root in ["box", "."] {
        tree.run(&[root]).is(0, expected);
    }
    let ran = tree.run(&["--stats", "--json", "box"]);
    // Of each folder a message that is being delivered, an index and a mark; and the subscriptions.
    assert!(
        ran.out.contains("\"skipped_mail_folder\":10"),
        "{}",
        ran.out
    );
    // The names of links are those of the walk.
    let ran = tree.run(&["--max-depth", "1", "box"]);
    assert_eq!(ran.out, "");
}

#[test]
fn deleted_messages_and_locks_of_mail_are_skipped_and_counted() {
    let tree = Tree::new(&[
        ("mh/1", MAIL),
        ("mh/,2", MAIL),
        (
            "spool/inbox",
            "From a@example.com Thu Mar  2 10:11:12 2006\nSubject: x\n\nhttp://example.com/\n",
        ),
        ("spool/inbox.lock", "http://example.com/none\n"),
        ("other/Cargo.lock", "http://example.com/lock\n"),
        ("other/dovecot.conf", "http://example.com/conf\n"),
    ]);
    let ran = tree.run(&["-v", "."]);
    assert_eq!(
        ran.out,
        "http://example.com/\nhttp://example.com/lock\nhttp://example.com/conf\nhttp://example.com/\n"
    );
    assert_eq!(
        ran.err
            .matches("skipped, it is an index, a lock or a deleted message")
            .count(),
        2,
        "{}",
        ran.err
    );
    // A file that is named is read.
    tree.run(&["mh/,2"]).is(0, "http://example.com/\n");
}

#[test]
fn indexes_of_thunderbird_and_stores_of_outlook_are_named_and_skipped() {
    let tree = Tree::new(&[
        (
            "Inbox.msf",
            "// <!-- <mdb:mork:z v=\"1.4\"/> -->\nhttp://example.com/none\n",
        ),
        ("a.pst", "!BDN\0\0\0\0"),
    ]);
    tree.run(&["-v", "."]).tells(
        1,
        "",
        "uriscan: ./Inbox.msf: skipped, it is not text but Mork\n\
         uriscan: ./a.pst: skipped, it is not text but PST (readpst converts it)\n",
    );
}

#[test]
fn bodies_that_are_not_read_are_counted_at_the_end() {
    let part = |kind: &str| format!("Subject: x\nContent-Type: {kind}\n\nAAAA\n");
    let tree = Tree::new(&[
        (
            "1.eml",
            &part("application/pkcs7-mime; smime-type=enveloped-data"),
        ),
        (
            "2.eml",
            &part("application/pkcs7-mime; smime-type=signed-data"),
        ),
        ("3.eml", &part("application/ms-tnef; name=winmail.dat")),
        (
            "4.eml",
            "Subject: x\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n",
        ),
        (
            "5.eml",
            "Subject: x\n\n-----BEGIN PGP MESSAGE-----\n\nabcd\n-----END PGP MESSAGE-----\n",
        ),
    ]);
    let sentences = [
        "3 encrypted messages were not read",
        "1 signed message was not read",
        "1 opaque part was not read",
    ];
    let words: String = sentences
        .iter()
        .map(|one| format!("uriscan: {one}\n"))
        .collect();
    assert_eq!(tree.run(&["."]).err, words);
    assert_eq!(tree.run(&["--no-messages", "."]).err, "");
    let ran = tree.run(&["--stats", "--json", "."]);
    assert!(ran.out.contains("\"unread_bodies\":5"), "{}", ran.out);
    let ran = tree.run(&["--stats", "1.eml"]);
    assert!(ran.err.contains("\n1 unread body\n"), "{}", ran.err);
    let ran = tree.run(&["audit", "."]);
    assert!(
        sentences.iter().all(|one| ran.err.contains(one)),
        "{}",
        ran.err
    );
}

#[test]
fn a_message_in_utf_16_is_text() {
    let tree = Tree::new(&[]);
    let units = format!("\u{feff}{MAIL}a\n")
        .encode_utf16()
        .collect::<Vec<_>>();
    for name in ["a.eml", "a.mht", "a.mbox"] {
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        tree.write(name, &bytes);
        tree.run(&[name]).is(0, "http://example.com/a\n");
    }
}
