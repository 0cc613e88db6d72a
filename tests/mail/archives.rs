//! Small archives, each with the links that they give: member, position, reference, target.

use super::run::{Found, read};
use uriscan::document;
use uriscan::document::mail::{Alternatives, Headers, MimeBase};

/// Returns `member line:column reference flags` for each link.
fn lines(found: &Found) -> Vec<String> {
    found
        .links
        .iter()
        .map(|got| {
            let position = got.position.unwrap();
            let mut line = format!(
                "{} {}:{} {}",
                got.member, position.line, position.column, got.reference
            );
            for flag in &got.flags {
                line.push(' ');
                line.push_str(flag);
            }
            line
        })
        .collect()
}

fn codes(found: &Found) -> Vec<&'static str> {
    let mut codes: Vec<_> = found.diagnostics.iter().map(|(_, code, _)| *code).collect();
    codes.sort_unstable();
    codes
}

/// Reads an archive with several window sizes, which must agree.
fn read_in_windows(format: &str, archive: &str, options: &document::FormatOptions) -> Found {
    let found = read(format, archive.as_bytes(), options, 1 << 20);
    for window in [1, 3, 50] {
        let other = read(format, archive.as_bytes(), options, window);
        let got = (lines(&other), &other.diagnostics);
        let expected = (lines(&found), &found.diagnostics);
        assert_eq!(got, expected, "windows of {window} on {archive:?}");
        assert_eq!(other, found, "windows of {window} on {archive:?}");
    }
    found
}

struct Case {
    format: &'static str,
    archive: &'static str,
    links: &'static [&'static str],
    codes: &'static [&'static str],
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    // The source of a man page: break hints and hyphens are escaped on every line of it, and on no other part's.
    Case { format: "eml", archive: "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/troff; charset=us-ascii\n\nsee http://a.example\\:/x\\-y\n--b\nContent-Type: application/x-troff-man\n\nsee http://b.example\\:/\n--b\n\nsee http://c.example\\:/\n--b--\n",
        links: &["1/1 1:5 http://a.example/x-y", "1/2 1:5 http://b.example/", "1/3 1:5 http://c.example"], codes: &[] },
    // A signature is a signature from its mark on.
    Case { format: "eml", archive: "S: x\n\nhttp://a.example/\n-- \nhttp://b.example/\n",
        links: &["1/1 1:1 http://a.example/", "1/1 3:1 http://b.example/ in-signature"], codes: &[] },
    // The message in a message has numbers of its own.
    Case { format: "eml", archive: "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=c\nX-URL: http://h.example/\n\npre http://p.example/\n--c\n\nhttp://a.example/\n--c\nX-URL: http://q.example/\n\nhttp://b.example/\n--c--\nhttp://e.example/\n--b--\n",
        links: &["1/1.0 2:0 http://h.example/", "1/1.0 1:5 http://p.example/ preamble", "1/1.1 1:1 http://a.example/", "1/1.2 1:0 http://q.example/", "1/1.2 1:1 http://b.example/", "1/1.0 2:1 http://e.example/ epilogue"], codes: &[] },
    // A digest's parts are messages.
    Case { format: "eml", archive: "Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: http://s.example/\n\nhttp://a.example/\n--b--\n",
        links: &["1/1.0 1:0 http://s.example/", "1/1.1 1:1 http://a.example/"], codes: &[] },
    // An empty part, and one whose header never ends.
    Case { format: "eml", archive: "Content-Type: multipart/mixed; boundary=b\n\n--b\n--b\nContent-Type: text/html\n--b\n\nhttp://c.example/\n--b--",
        links: &["1/3 1:1 http://c.example/"], codes: &[] },
    // A boundary that is never found, in a part.
    Case { format: "eml", archive: "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\nhttp://c.example/\n--b\n\nhttp://d.example/\n--b--\n",
        links: &["1/1 1:1 http://c.example/", "1/2 1:1 http://d.example/"], codes: &["mime.boundary-never-found"] },
    // A multipart entity without a boundary.
    Case { format: "eml", archive: "Content-Type: multipart/mixed\n\nhttp://c.example/\n", links: &["1/1 1:1 http://c.example/"], codes: &["mime.boundary-missing"] },
    // A line that is no field ends the header.
    Case { format: "eml", archive: "Subject: x\nno field http://c.example/\n", links: &["1/1 1:10 http://c.example/"], codes: &["header.no-blank-line"] },
    // Lines that end with CR.
    Case { format: "eml", archive: "Subject: x\rX-URL: http://h.example/\r\rone\rhttp://c.example/\r",
        links: &["1/0 2:0 http://h.example/", "1/1 2:1 http://c.example/"], codes: &[] },
    // An external body has no body, and its header may hold anything.
    Case { format: "eml", archive: "Content-Type: application/octet-stream; name=x.HTML\n\n<a href=http://c.example/>x", links: &["1/1 1:9 http://c.example/"], codes: &[] },
    Case { format: "eml", archive: "Content-Type: application/octet-stream; name=\"=?utf-8?B?eC5odG1s?=\"\n\n<a href=http://c.example/>x", links: &["1/1 1:9 http://c.example/"], codes: &[] },
    // Parts that cannot be read are skipped.
    Case { format: "eml", archive: "Content-Type: application/pdf\n\nhttp://c.example/", links: &[], codes: &[] },
    Case { format: "eml", archive: "Content-Type: application/pkcs7-mime\n\nhttp://c.example/", links: &[], codes: &["body.opaque"] },
    // Lists of fields.
    Case { format: "eml", archive: "List-Help: <mailto:a@b.example?subject=help> (Help),\n <http://l.example/ help>\nList-Post: NO\nList-Id: <http://no.example/>\n\n",
        links: &["1/0 1:0 mailto:a@b.example?subject=help", "1/0 1:0 http://l.example/help"], codes: &[] },
    // Charsets that must be converted keep their spans.
    Case { format: "eml", archive: "Content-Type: text/plain; charset=utf-7\n\n+AOk- +ADw-http://c.example/+AD4-", links: &["1/1 1:4 http://c.example/"], codes: &[] },
    // A long preamble of two separators.
    Case { format: "mbox", archive: "From a@b.example Thu Mar  2 10:11:12 2006\nA: b\n\nx\n\nFrom here on text http://t.example/\n\nFrom c@d.example Thu Mar  2 10:11:12 2006\nA: b\n\nhttp://u.example/\n",
        links: &["1/1 3:19 http://t.example/", "2/1 1:1 http://u.example/"], codes: &["mbox.from-line-in-body"] },
    // A Content-Length that leads nowhere.
    Case { format: "mbox", archive: "From a@b.example Thu Mar  2 10:11:12 2006\nContent-Length: 7\n\nhttp://t.example/\n\nFrom c@d.example Thu Mar  2 10:11:12 2006\nContent-Length: 9999\n\nhttp://u.example/\n",
        links: &["1/1 1:1 http://t.example/", "2/1 1:1 http://u.example/"], codes: &["mbox.content-length-mismatch", "mbox.content-length-mismatch"] },
    // Patches of git, pasted and as an archive.
    Case { format: "mbox", archive: "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nA: b\n\nhttp://t.example/\n\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nA: b\n\nhttp://u.example/\n",
        links: &["1/1 1:1 http://t.example/", "2/1 1:1 http://u.example/"], codes: &[] },
    Case { format: "mbox", archive: "From a@b.example Thu Mar  2 10:11:12 2006\nA: b\n\nx\n\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nA: b\n\nhttp://u.example/\n",
        links: &["1/1 6:1 http://u.example/"], codes: &["mbox.from-line-in-body"] },
    // The word alone, and a URI where a field should stand, separate nothing.
    Case { format: "mbox", archive: "From a@b.example Thu Mar  2 10:11:12 2006\nA: b\n\nx\n\nFrom\nC: d http://t.example/\n\nFrom \nhttps://u.example/: x\n\nFrom \nA: b\n\nhttp://v.example/\n",
        links: &["1/1 4:6 http://t.example/", "1/1 7:1 https://u.example/ trimmed", "2/1 1:1 http://v.example/"], codes: &["mbox.from-line-in-body"] },
    // A URI is no field, and so it ends the header.
    Case { format: "eml", archive: "Subject: x\nhttps://c.example/: x\n", links: &["1/1 1:1 https://c.example/ trimmed"], codes: &["header.no-blank-line"] },
    // Not a mailbox.
    Case { format: "mbox", archive: "\n\nhttp://t.example/\n", links: &["0/1 1:1 http://t.example/"], codes: &["mbox.leading-junk"] },
    Case { format: "mbox", archive: "\n\n", links: &[], codes: &[] },
    // An archive that ends inside a header.
    Case { format: "mbox", archive: "From a@b.example Thu Mar  2 10:11:12 2006\nX-URL: http://t.example/\n", links: &["1/0 1:0 http://t.example/"], codes: &["mbox.truncated"] },
    // A separator after NULs.
    Case { format: "mbox", archive: "From a@b.example Thu Mar  2 10:11:12 2006\nA: b\n\nhttp://t.example/\n\0\0\0\0\0From c@d.example Thu Mar  2 10:11:12 2006\nA: b\n\nhttp://u.example/\n",
        links: &["1/1 1:1 http://t.example/", "2/1 1:1 http://u.example/"], codes: &["mbox.nul-bytes"] },
    // A separator after a byte order mark, and a mark alone.
    Case { format: "mbox", archive: "\u{FEFF}From a@b.example Thu Mar  2 10:11:12 2006\nA: b\n\nhttp://t.example/\n\nFrom c@d.example Thu Mar  2 10:11:12 2006\nA: b\n\nhttp://u.example/\n",
        links: &["1/1 1:1 http://t.example/", "2/1 1:1 http://u.example/"], codes: &[] },
    Case { format: "mbox", archive: "\u{FEFF}", links: &[], codes: &[] },
    // Armour, whole and without its end.
    Case { format: "eml", archive: "A: b\n\n-----BEGIN PGP SIGNATURE-----\nVersion: http://v.example/\n\niQ+/\n=abcd\n-----END PGP SIGNATURE-----\nhttp://t.example/\n",
        links: &["1/1 7:1 http://t.example/"], codes: &[] },
    Case { format: "eml", archive: "A: b\n\n-----BEGIN PGP SIGNATURE-----\n\niQ+/\nhttp://t.example/\n\nhttp://u.example/\n",
        links: &["1/1 4:1 http://t.example/", "1/1 6:1 http://u.example/"], codes: &[] },
    // The footer that a list adds after a signature.
    Case { format: "eml", archive: "Content-Type: multipart/signed; boundary=b; protocol=\"application/pkcs7-signature\"\n\n--b\n\nhttp://t.example/\n--b\nContent-Type: application/pkcs7-signature; name=smime.p7s\n\nhttp://no.example/\n--b\n\nhttp://u.example/\n--b\nContent-Type: text/html\n\n<a href=http://v.example/>\n--b--\n",
        links: &["1/1 1:1 http://t.example/", "1/3 1:1 http://u.example/", "1/4 1:9 http://v.example/"], codes: &[] },
    Case { format: "eml", archive: "Content-Type: multipart/signed; boundary=b\n\n--b\n\nhttp://t.example/\n--b\nContent-Type: application/pkcs7-mime\n\nx\n--b--\n",
        links: &["1/1 1:1 http://t.example/"], codes: &[] },
    // A type in quotes or of another syntax (RFC 2045 section 5.2).
    Case { format: "eml", archive: "Content-Type: \"text/html\"; charset=us-ascii\n\n<a href=http://t.example/>", links: &["1/1 1:9 http://t.example/"], codes: &[] },
    Case { format: "eml", archive: "Content-Type: =?utf-8?q?text/html?=\n\n<a href=http://t.example/>", links: &["1/1 1:9 http://t.example/"], codes: &[] },
    Case { format: "eml", archive: "Content-Type: /\n\nhttp://t.example/", links: &["1/1 1:1 http://t.example/"], codes: &[] },
    Case { format: "eml", archive: "Content-Type: \"image/png\"\n\nhttp://t.example/", links: &[], codes: &[] },
    Case { format: "eml", archive: "Content-Type: image/svg+xml\n\n<svg xmlns='http://www.w3.org/2000/svg'><a href='http://t.example/'/></svg>", links: &["1/1 1:50 http://t.example/"], codes: &[] },
    // A quoted separator before all fields is a line of the block.
    Case { format: "eml", archive: ">From a\nX-URL: http://t.example/\n\n", links: &["1/0 2:0 http://t.example/"], codes: &[] },
    // Text after a header block that is a part, and text in its place.
    Case { format: "eml", archive: "Content-Type: text/rfc822-headers\n\nSubject: http://t.example/\nX: y\n\nsee http://u.example/\n",
        links: &["1/1 1:0 http://t.example/", "1/1 4:5 http://u.example/"], codes: &[] },
    Case { format: "eml", archive: "Content-Type: text/rfc822-headers\n\nno field http://t.example/\n", links: &["1/1 1:10 http://t.example/"], codes: &[] },
    // Clear text that begins with the mark of a signature.
    Case { format: "eml", archive: "Content-Transfer-Encoding: base64\n\nc2VlIGh0dHA6Ly90LmV4YW1wbGUvIHNlZSBodHRwOi8v\ndC5leGFtcGxlLyAK\n-- \nhttp://u.example/\n",
        links: &["1/1 1:5 http://t.example/", "1/1 1:27 http://t.example/", "1/1 2:1 http://u.example/ trailer in-signature"], codes: &["base64.trailing-text"] },
    // Wrong counts.
    Case { format: "news", archive: "#! rnews 4\nA: b\n\nhttp://t.example/\n#! rnews 9999\nA: b\n\nhttp://u.example/\n",
        links: &["1/1 1:1 http://t.example/", "2/1 1:1 http://u.example/"], codes: &["rnews.resync", "rnews.resync"] },
    Case { format: "emlx", archive: "9999\nA: b\n\nhttp://u.example/\n", links: &["1/1 1:1 http://u.example/"], codes: &[] },
    // One separator between messages instead of two.
    Case { format: "mmdf", archive: "\u{1}\u{1}\u{1}\u{1}\nA: b\n\nhttp://t.example/\n\u{1}\u{1}\u{1}\u{1}\nA: b\n\nhttp://u.example/\n",
        links: &["1/1 1:1 http://t.example/", "2/1 1:1 http://u.example/"], codes: &[] },
    // HTML that is read a second time, behind a reference in the header of the part.
    Case { format: "eml", archive: "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\nX-URL: http://h.example/\n\n<table><a href=http://a.example/><select><svg></p><a href=http://b.example/>\n--b--\n",
        links: &["1/1 2:0 http://h.example/", "1/1 1:16 http://a.example/", "1/1 1:59 http://b.example/"], codes: &[] },
];

#[test]
fn archives_give_their_links() {
    for case in CASES {
        let found = read_in_windows(
            case.format,
            case.archive,
            &document::FormatOptions::default(),
        );
        let got = (lines(&found), codes(&found));
        let expected = (
            case.links.iter().map(|&line| line.to_owned()).collect(),
            case.codes.to_vec(),
        );
        assert_eq!(got, expected, "{:?}", case.archive);
    }
}

const ALTERNATIVES: &str = "Content-Type: multipart/alternative; boundary=b\nX-URL: http://h.example/\n\n--b\n\nhttp://a.example/\n--b\nContent-Type: text/html\n\n<a href=http://b.example/>\n--b\nContent-Type: image/png\n\nx\n--b--\n";

#[test]
fn only_the_last_alternative_counts_when_asked_for() {
    let mut options = document::FormatOptions::default();
    options.mail.alternatives = Alternatives::Last;
    let found = read_in_windows("eml", ALTERNATIVES, &options);
    assert_eq!(
        lines(&found),
        ["1/0 2:0 http://h.example/", "1/2 1:9 http://b.example/"]
    );
    let head = "Content-Type: multipart/alternative; boundary=b\n\nhttp://p.example/\n--b\n\nhttp://a.example/\n--b\n";
    let pdf = "Content-Type: application/pdf\n\nx\n";
    let preamble = "1/0 1:1 http://p.example/ preamble";
    let first = "1/1 1:1 http://a.example/";
    let end = "1/0 2:1 http://e.example/ epilogue";
    #[rustfmt::skip]
    let rows = [
        (pdf.to_owned(), vec![first]),
        (format!("Content-Type: multipart/mixed; boundary=c\n\n--c\n{pdf}--c--\n"), vec![first]),
        ("Content-Type: multipart/encrypted; boundary=c\n\n--c\n\nhttp://x.example/\n--c--\n".to_owned(), vec![first]),
        (format!("Content-Type: message/rfc822\n\nS: x\n{pdf}"), vec![first]),
        ("\nhttp://x.example/\n--b\n\nhttp://z.example/\n".to_owned(), vec!["1/3 1:1 http://z.example/"]),
        (format!("Content-Type: multipart/mixed; boundary=c\n\n--c\n{pdf}--c\n\nhttp://y.example/\n--c\n\nhttp://z.example/\n--c--\n"),
            vec!["1/2.2 1:1 http://y.example/", "1/2.3 1:1 http://z.example/"]),
        ("Content-Type: multipart/alternative; boundary=c\n\n--c\n\nhttp://y.example/\n--c\n\nhttp://z.example/\n--c--\n".to_owned(),
            vec!["1/2.2 1:1 http://z.example/"]),
        ("Content-Type: message/rfc822\nContent-Transfer-Encoding: 8bit\n\nS: x\n\nhttp://y.example/\n".to_owned(), vec!["1/2.1 1:1 http://y.example/"]),
        ("Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\nS: x\n\nhttp://y.example/\n".to_owned(), vec!["1/2.1 1:1 http://y.example/"]),
        ("Content-Type: multipart/mixed; boundary=c\n\nhttp://y.example/\n".to_owned(), vec!["1/2 1:1 http://y.example/"]),
    ];
    for (last, kept) in rows {
        let archive = format!("{head}{last}--b--\nhttp://e.example/\n");
        let expected = [&[preamble], &kept[..], &[end]].concat();
        assert_eq!(
            lines(&read_in_windows("eml", &archive, &options)),
            expected,
            "{archive:?}"
        );
    }
}

#[test]
fn encoded_words_in_list_fields_are_decoded() {
    let archive = "List-Unsubscribe: =?us-ascii?Q?=3Chttp=3A//a.example/u=3E=2C?=\n =?us-ascii?Q?_=3Cmailto=3Au=40a.example=3E?=\nArchived-At: <http://a.example/?q=?x>\nReferences: <a:b\n\n";
    let mut options = document::FormatOptions::default();
    options.mail.ids = true;
    options.mail.envelope = true;
    options.mail.message_fields = true;
    let found = read_in_windows("eml", archive, &options);
    let expected = [
        "1/0 1:0 http://a.example/u",
        "1/0 1:0 mailto:u@a.example",
        "1/0 3:0 http://a.example/?q=?x",
    ];
    assert_eq!(lines(&found), expected);
}

#[test]
fn header_fields_are_chosen() {
    let archive = "Received: by http://r.example/\nX-URL: http://x.example/\nXref: news a.b:12 c:3\nNewsgroups: a.b, c\nFollowup-To: poster\nMessage-ID: <a/b%c@d.example>\n\n";
    let mut options = document::FormatOptions::default();
    options.mail.headers = Headers::None;
    assert_eq!(lines(&read_in_windows("eml", archive, &options)), [""; 0]);
    options.mail.headers = Headers::All;
    let all = read_in_windows("eml", archive, &options);
    assert_eq!(
        lines(&all),
        ["1/0 1:0 http://r.example/", "1/0 2:0 http://x.example/"]
    );
    assert_eq!(all.links[0].attribute, "received");
    options.mail.headers = Headers::None;
    options.mail.ids = true;
    let ids = [
        "1/0 3:0 news:a.b",
        "1/0 3:0 news:c",
        "1/0 4:0 news:a.b",
        "1/0 4:0 news:c",
        "1/0 6:0 mid:a%2Fb%25c@d.example",
    ];
    assert_eq!(lines(&read_in_windows("eml", archive, &options)), ids);
}

/// Returns target, base source and whether the base is chained, for each link.
fn bases(archive: &str, options: &document::FormatOptions) -> Vec<String> {
    read_in_windows("eml", archive, options)
        .links
        .iter()
        .map(|got| {
            let chained = got.flags.contains(&"base-chained");
            let source = got
                .base
                .as_ref()
                .map_or("none", |(_, source)| source.as_str());
            let mark = if chained { " chained" } else { "" };
            format!("{} {source}{mark}", got.target.as_deref().unwrap_or("?"))
        })
        .collect()
}

#[test]
fn bases_follow_the_headings() {
    let html = "Content-Type: text/html\n";
    let part = "--b\nContent-Type: text/html\nContent-Location: p/q\n\n<a href=x>\n--b--\n";
    let outer =
        "Content-Type: multipart/mixed; boundary=b\nContent-Location: http://o.example/d/\n";
    let default = document::FormatOptions::default();
    let mut strict = document::FormatOptions::default();
    strict.mail.mime_base = MimeBase::Strict;
    #[rustfmt::skip]
    let rows: &[(String, &document::FormatOptions, &str)] = &[
        (format!("{html}Content-Base: http://b.example/d/\nContent-Location: http://l.example/\n\n<a href=x>"), &default, "http://b.example/d/x entity:content-base@0"),
        (format!("{html}Content-Base: d/\nContent-Location: http://l.example/\n\n<a href=x>"), &default, "http://l.example/x entity:content-location@0"),
        (format!("{html}Snapshot-Content-Location: http://s.example/d/\n\n<a href=x>"), &default, "http://s.example/d/x retrieval:snapshot-content-location"),
        (format!("{html}Snapshot-Content-Location: http://s.example/d/\nContent-Location: e/f\n\n<a href=x>"), &default, "http://s.example/d/e/x entity:content-location@0 chained"),
        (format!("{outer}\n{part}"), &default, "http://o.example/d/p/x entity:content-location@1 chained"),
        (format!("{outer}\n{part}"), &strict, "http://o.example/d/x entity:content-location@0"),
        (format!("{html}Content-Base: http://[b/\nContent-Location: http://l.example/d/\n\n<a href=x>"), &default, "http://l.example/d/x entity:content-location@0"),
        (format!("{html}Content-Base: http://[b/\nContent-Location: http://l.example/d/\n\n<a href=x>"), &strict, "http://l.example/d/x entity:content-location@0"),
        (format!("{html}Content-Base: \"<http://b.example/d/>\"\n\n<a href=x>"), &default, "http://b.example/d/x entity:content-base@0"),
        (format!("{html}Snapshot-Content-Location: http://[s/\n\n<a href=x>"), &default, "thismessage:/x default:thismessage"),
        (format!("{outer}\n{}", part.replace("p/q", "http://[p/")), &default, "http://o.example/d/x entity:content-location@0"),
        (format!("{outer}\n{}", part.replace("Location: p/q", "Base: http://p:x/")), &default, "http://o.example/d/x entity:content-location@0"),
        (format!("{html}\n<base href=http://e.example/d/><a href=x>"), &default, "http://e.example/d/x content:base"),
        ("S: x\n\n<URL:x>".to_owned(), &default, "thismessage:/x default:thismessage"),
    ];
    for (archive, options, expected) in rows {
        assert_eq!(bases(archive, options), [*expected], "{archive:?}");
    }
}

#[test]
fn spans_are_bytes_of_the_decoded_part() {
    #[rustfmt::skip]
    let rows: &[(&str, (u64, u64))] = &[
        ("S: x\n\nab <http://c.example/>", (4, 21)),
        ("Content-Transfer-Encoding: quoted-printable\n\n=C3=A9 <http://c.exa=\nmple/>", (4, 21)),
        ("Content-Transfer-Encoding: base64\n\nYWIgPGh0dHA6Ly9jLmV4YW1wbGUvPg==", (4, 21)),
        ("Content-Transfer-Encoding: \"Base64\" (c)\n\nYWIgPGh0dHA6Ly9jLmV4YW1wbGUvPg==", (4, 21)),
        // Three bytes of charset for one character.
        ("Content-Type: text/plain; charset=utf-7\n\n+AOk- <http://c.example/>", (7, 24)),
        ("Content-Type: text/plain; format=flowed; delsp=yes\n\n> ab <http://c. \n> example/>", (6, 27)),
    ];
    for (archive, span) in rows {
        let found = read_in_windows("eml", archive, &document::FormatOptions::default());
        let got: Vec<_> = found
            .links
            .iter()
            .map(|got| (got.reference.as_str(), got.span))
            .collect();
        assert_eq!(got, [("http://c.example/", *span)], "{archive:?}");
    }
}

#[test]
fn long_yenc_without_its_end_is_text() {
    let head = "S: x\n\n=ybegin line=128 size=4 name=x\n";
    let link = "http://example.com/\n";
    let line = format!("{}\n", "#".repeat(128));
    let options = document::FormatOptions::default();
    let links = |archive: &str| {
        let by_windows = [1 << 20, 5000].map(|window| {
            let found = read("eml", archive.as_bytes(), &options, window);
            found
                .links
                .into_iter()
                .map(|got| got.reference)
                .collect::<Vec<_>>()
        });
        assert_eq!(by_windows[0], by_windows[1]);
        by_windows[0].len()
    };
    for lines in [0, 1, 4000] {
        let data = line.repeat(lines);
        assert_eq!(links(&[head, link, &data].concat()), 1, "{lines}");
        assert_eq!(links(&[head, &data, link].concat()), 1, "{lines}");
        assert_eq!(links(&[head, &data, link, "=yend\n"].concat()), 1);
        // A real end: only what follows it is text.
        let end = "=yend size=4\n";
        assert_eq!(links(&[head, &data, link, end].concat()), 0, "{lines}");
        assert_eq!(links(&[head, link, &data, end, link].concat()), 1);
    }
}

#[test]
fn a_soft_break_inside_delimiters_is_a_wrapped_line() {
    let head = "Content-Type: text/plain; format=flowed\n\n";
    let options = document::FormatOptions::default();
    // The limits of text: 64 lines in angle brackets, 8 in quotation marks.
    for (open, close, most) in [("<", ">", 64), ("\"", "\"", 8)] {
        for mark in ["", "> ", ">> "] {
            for lines in [1, 2, most, most + 1] {
                let wraps = format!("/a \n{mark}").repeat(lines);
                let body =
                    format!("{mark}see {open}http://example.com{wraps}/b{close} for \n{mark}it\n");
                let found = read_in_windows("eml", &[head, &body].concat(), &options);
                assert_eq!(found.links.len(), 1, "{body:?}");
                let got = &found.links[0];
                if lines > most {
                    assert_eq!(got.reference, "http://example.com/a", "{body:?}");
                    continue;
                }
                let whole = format!("http://example.com{}/b", "/a".repeat(lines));
                assert_eq!(got.reference, whole, "{body:?}");
                assert_eq!(got.flags, ["wrapped"], "{body:?}");
            }
        }
    }
}

/// Returns reference and target part of each link.
fn named(archive: &str) -> Vec<String> {
    let found = read_in_windows("eml", archive, &document::FormatOptions::default());
    assert_eq!(codes(&found), [""; 0], "{archive:?}");
    let line = |got: &super::run::Got| {
        let part = got.target_part.as_deref().unwrap_or("-");
        format!("{} {} {part}", got.member, got.reference)
    };
    found.links.iter().map(line).collect()
}

const MIXED: &str = "Content-Type: multipart/mixed; boundary=b\n\n";
const IMAGE: &str = "Content-Type: image/png\nContent-ID: <i@a.example>\n\nx\n";
const PAGE: &str =
    "Content-Type: text/html\n\n<img src=cid:i@a.example><a href=http://a.example/>\n";

#[test]
fn a_content_id_names_a_part_anywhere_in_the_message() {
    // Before and behind the part that it names, and in a header field.
    let archive = format!(
        "{MIXED}--b\n{PAGE}--b\n{IMAGE}--b\nContent-Type: text/html\n\n<a href=cid:i%40a.example><a href=CID:none><a href='cid:i@a.example '>\n--b--\n"
    );
    assert_eq!(
        named(&archive),
        [
            "1/1 cid:i@a.example 2",
            "1/1 http://a.example/ -",
            "1/3 cid:i%40a.example 2",
            "1/3 CID:none -",
            "1/3 cid:i@a.example  2"
        ]
    );
    for id in ["<i@a.example>", "(c) <i@a.example> (d)", " i@a.example"] {
        let image = IMAGE.replace("<i@a.example>", id);
        let archive = format!("X-URL: <cid:i@a.example>\n{MIXED}--b\n{image}--b--\n");
        assert_eq!(named(&archive), ["1/0 cid:i@a.example 1"]);
    }
    // Out of a related entity, and into one.
    let related = "Content-Type: multipart/related; boundary=c\n\n";
    let archive = format!("{MIXED}--b\n{related}--c\n{PAGE}--c--\n--b\n{IMAGE}--b--\n");
    assert_eq!(named(&archive)[0], "1/1.1 cid:i@a.example 2");
    let archive = format!("{MIXED}--b\n{PAGE}--b\n{related}--c\n{IMAGE}--c--\n--b--\n");
    assert_eq!(named(&archive)[0], "1/1 cid:i@a.example 2.1");
}

#[test]
fn a_related_entity_and_an_inner_message_come_first_for_a_content_id() {
    let related = "Content-Type: multipart/related; boundary=c\n\n";
    let inner = format!("{related}--c\n{PAGE}--c\n{IMAGE}--c--\n");
    let archive = format!("{MIXED}--b\n{IMAGE}--b\n{inner}--b\n{inner}--b\n{PAGE}--b--\n");
    let parts = [
        "1/2.1 cid:i@a.example 2.2",
        "1/2.1 http://a.example/ -",
        "1/3.1 cid:i@a.example 3.2",
        "1/3.1 http://a.example/ -",
        "1/4 cid:i@a.example 1",
        "1/4 http://a.example/ -",
    ];
    assert_eq!(named(&archive), parts);
    // In a nested message its own parts come first, wherever they stand, and then those around it.
    let mixed = "Content-Type: multipart/mixed; boundary=c\n\n";
    let message = "Content-Type: message/rfc822\n\n";
    let own = format!("{message}{mixed}--c\n{PAGE}--c\n{IMAGE}--c--\n");
    let bare = format!("{message}{mixed}--c\n{PAGE}--c--\n");
    let archive = format!("{MIXED}--b\n{IMAGE}--b\n{own}--b\n{bare}--b--\n");
    let images = named(&archive);
    assert_eq!(images[0], "1/2.1 cid:i@a.example 2.2");
    assert_eq!(images[2], "1/3.1 cid:i@a.example 1");
}

#[test]
fn a_content_id_names_no_part_of_another_message() {
    let from = "From a@b.example Thu Mar  2 10:11:12 2006\n";
    let archive =
        format!("{from}{MIXED}--b\n{IMAGE}--b--\n\n{from}{PAGE}\n{from}{MIXED}--b\n{IMAGE}--b--\n");
    let found = read_in_windows("mbox", &archive, &document::FormatOptions::default());
    let parts: Vec<_> = found.links.iter().map(|got| &got.target_part).collect();
    assert_eq!(parts, [&None, &None]);
}

#[test]
fn repeated_names_in_records_are_cut() {
    let long = "x".repeat(20_000);
    let archive = format!(
        "Message-ID: <{long}>\n{long}: http://h.example/\nContent-Type: text/{long}; charset={long}\n\nhttp://a.example/\n"
    );
    let mut options = document::FormatOptions::default();
    options.mail.headers = Headers::All;
    let found = read_in_windows("eml", &archive, &options);
    assert_eq!(found.links.len(), 2);
    for got in &found.links {
        let texts = [&got.message_id, &got.media_type, &got.charset];
        let longest = texts.into_iter().flatten().map(String::len).max();
        assert!(longest.max(Some(got.attribute.len())) < Some(1000));
    }
}

#[test]
fn parts_of_xml_and_json_are_read_by_their_formats() {
    let json = r#"{"a": "http:\/\/a.example\/?b&c", "b": "(http://a.example/b)"}"#;
    let jsons = [
        "1/1 1:8 http://a.example/?b&c guessed",
        "1/1 1:42 http://a.example/b",
    ];
    let sitemap = "<urlset><url><loc>http://a.example/?a&amp;b</loc></url></urlset>";
    let svg = "\n<svg xmlns='http://www.w3.org/2000/svg'><a href='a\\b'/></svg>";
    for (media_type, body, expected) in [
        ("application/json", json, &jsons[..]),
        ("application/problem+json", json, &jsons),
        (
            "application/x-ndjson",
            &format!("{json}\n{json}").replace("\\/", "/"),
            &[
                "1/1 1:8 http://a.example/?b&c guessed",
                "1/1 1:39 http://a.example/b",
                "1/1 2:8 http://a.example/?b&c guessed",
                "1/1 2:39 http://a.example/b",
            ],
        ),
        (
            "application/ld+json",
            r#"{"@context": {}, "url": "http:\/\/a.example\/"}"#,
            &["1/1 1:26 http://a.example/"],
        ),
        (
            "application/xml",
            sitemap,
            &["1/1 1:19 http://a.example/?a&b"],
        ),
        (
            "text/xml; charset=utf-8",
            sitemap,
            &["1/1 1:19 http://a.example/?a&b"],
        ),
        ("application/problem+xml", svg, &["1/1 2:50 a\\b"]),
        (
            "application/xml\nContent-Transfer-Encoding: quoted-printable",
            "<?xml version=3D'1.0' encoding=3D'windows-1251'?><rss><channel><link>=FF/</link></channel></rss>",
            &["1/1 1:66 \u{44F}/"],
        ),
        ("text/json", json, &["1/1 1:42 http://a.example/b"]),
    ] {
        let mail = format!("Content-Type: {media_type}\n\n{body}\n");
        let found = read_in_windows("eml", &mail, &document::FormatOptions::default());
        assert_eq!(lines(&found), expected, "{media_type}");
        assert_eq!(found.diagnostics.len(), 0, "{media_type}");
    }
}

#[test]
fn textual_types_of_the_application_tree_are_text() {
    for (name, read) in [
        ("x-patch", true),
        ("x-diff", true),
        ("json", true),
        ("ld+json", true),
        ("xml", true),
        ("atom+xml", true),
        ("javascript", true),
        ("x-sh", true),
        ("sql", true),
        ("yaml", true),
        ("toml", true),
        ("pdf", false),
        ("zip", false),
        ("msword", false),
        ("xmlish", false),
        ("pgp-signature", false),
    ] {
        let archive = format!("Content-Type: application/{name}\n\n+<http://a.example/>\n");
        let found = read_in_windows("eml", &archive, &document::FormatOptions::default());
        let expected: &[&str] = if read {
            &["1/1 1:3 http://a.example/"]
        } else {
            &[]
        };
        assert_eq!(lines(&found), expected, "{name}");
    }
    let archive = "Content-Type: application/xhtml+xml\n\n<a href='x'/>\n";
    assert_eq!(
        lines(&read_in_windows(
            "eml",
            archive,
            &document::FormatOptions::default()
        )),
        ["1/1 1:10 x"]
    );
}
