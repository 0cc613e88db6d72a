//! Messages inside signatures, and bodies that are not read.

use data_encoding::BASE64_MIME;

use super::Tree;

const DER: &[u8] = include_bytes!("../mail/signed/der.p7m");
const BER: &[u8] = include_bytes!("../mail/signed/ber.p7m");
const ENCRYPTED: &[u8] = include_bytes!("../mail/signed/enc.p7m");

/// A message with such a body (RFC 8551 section 3).
fn letter(content_type: &str, body: &[u8]) -> String {
    let body = BASE64_MIME.encode(body);
    format!(
        "Subject: x\r\nContent-Type: {content_type}\r\nContent-Transfer-Encoding: base64\r\n\r\n{body}"
    )
}

#[test]
fn messages_inside_signatures_are_read() {
    for (content_type, body) in [
        (
            "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m",
            DER,
        ),
        ("application/x-pkcs7-mime; smime-type=signed-data", BER),
        ("application/pkcs7-mime", BER),
        ("application/octet-stream; name=smime.p7m", DER),
    ] {
        let tree = Tree::new(&[("a.eml", &letter(content_type, body))]);
        let ran = tree.run(&[
            "a.eml",
            "--format",
            "csv",
            "--fields",
            "member,target,media_type",
        ]);
        ran.is(
            0,
            "member,target,media_type\n1/1.1,http://example.com/signed,text/html\n",
        );
        assert_eq!(ran.err, "");
    }
}

#[test]
fn bytes_that_shifted_text_loses_are_diagnosed() {
    for (charset, body, is_lost) in [
        ("hz-gb-2312", "~{5ZHU~} <http://example.com/>", false),
        ("hz-gb-2312", "~{5ZH\n<http://example.com/>", true),
        ("hz-gb-2312", "~{5ZHU~\n<http://example.com/>", true),
        (
            "iso-2022-kr",
            "\x1b$)C\x0eGQ19\x0f <http://example.com/>",
            false,
        ),
        ("iso-2022-kr", "\x1b$)C\x0eGQ1\n<http://example.com/>", true),
        ("iso-2022-kr", "\x1bZ <http://example.com/>", true),
    ] {
        let letter = format!("Subject: x\nContent-Type: text/plain; charset={charset}\n\n{body}\n");
        let tree = Tree::new(&[("a.eml", &letter)]);
        let ran = tree.run(&["a.eml", "-v"]);
        assert_eq!(ran.out, "http://example.com/\n", "{body:?}");
        assert_eq!(
            ran.err.contains("charset.malformed"),
            is_lost,
            "{body:?}: {}",
            ran.err
        );
    }
}

#[test]
fn unread_bodies_are_counted_on_standard_error() {
    let signed = "application/pkcs7-mime; smime-type=signed-data";
    let enveloped = "application/pkcs7-mime; smime-type=enveloped-data";
    for (content_type, body, words) in [
        (enveloped, ENCRYPTED, "1 encrypted message was not read"),
        (
            "application/pkcs7-mime",
            ENCRYPTED,
            "1 encrypted message was not read",
        ),
        (signed, &DER[..40], "1 signed message was not read"),
        (signed, b"no BER", "1 signed message was not read"),
        (
            "application/ms-tnef; name=winmail.dat",
            b"\x78\x9F\x3E\x22",
            "1 opaque part was not read",
        ),
        (
            "application/x-tnef",
            b"\x78\x9F\x3E\x22",
            "1 opaque part was not read",
        ),
        (
            "application/octet-stream; name=winmail.dat",
            b"\x78\x9F\x3E\x22",
            "1 opaque part was not read",
        ),
    ] {
        let tree = Tree::new(&[("a.eml", &letter(content_type, body))]);
        let ran = tree.run(&["a.eml"]);
        assert!(ran.err.contains(words), "{content_type}: {}", ran.err);
        let ran = tree.run(&["a.eml", "-q", "--stats=json"]);
        assert!(ran.err.contains("\"unread_bodies\":1"), "{}", ran.err);
    }
}
