//! Archives with changed, missing and repeated bytes: nothing panics, nothing depends on windows,
//! and damage in one message does not change the next.

use proptest::prelude::*;
use uriscan::document;

use super::run::read;

const WHOLE: &str = "From a@b.example Thu Mar  2 10:11:12 2006\nX-URL: http://h.example/\nContent-Length: 12\nContent-Type: multipart/related; boundary=\"b c\"\n\npre http://p.example/\n--b c\nContent-Type: text/html; charset=shift_jis\nContent-Location: http://l.example/x\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3D\"y\">=83m</a><img src=3Dcid:q@r>\n--b c\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogZW5jCgpodHRwOi8vZXhhbXBsZS5vcmcvZW5jCg==\nclear text <http://t.example/>\n--b c\nContent-ID: <q@r>\nContent-Type: text/plain; format=flowed\n\n> <http://f. \n> example/>\nbegin 644 x\n#0V%T\n`\nend\n-- \nhttp://s.example/\n>From x\n--b c--\nepi http://e.example/\n\n";
const NEXT: &str =
    "From c@d.example Fri Mar  3 08:00:01 2006\nSubject: n\n\nhttp://next.example/\n";

fn check(bytes: &[u8]) {
    let options = document::FormatOptions::default();
    for format in ["mbox", "eml"] {
        let whole = read(format, bytes, &options, 1 << 16);
        for window in [5, 97] {
            let found = read(format, bytes, &options, window);
            found.expect_same(&whole, &format!("{format}, windows of {window}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_do_no_harm(changes in prop::collection::vec((0..WHOLE.len(), any::<u8>()), 1..6)) {
        let mut bytes = [WHOLE, NEXT].concat().into_bytes();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        check(&bytes);
    }

    #[test]
    fn missing_and_repeated_bytes_do_no_harm(cuts in prop::collection::vec((0..WHOLE.len(), 0..60_usize), 1..5)) {
        let whole = [WHOLE, NEXT].concat().into_bytes();
        let mut bytes = Vec::new();
        let mut at = 0;
        for (from, length) in cuts {
            let end = (from + length).min(whole.len());
            bytes.extend_from_slice(&whole[at.min(from)..end]);
            at = from;
        }
        bytes.extend_from_slice(&whole[at..]);
        check(&bytes);
    }
}

#[test]
fn damage_does_not_change_the_next_message() {
    let options = document::FormatOptions::default();
    for end in FROM_LINE..WHOLE.len() {
        let mut bytes = WHOLE.as_bytes()[..end].to_vec();
        bytes.extend_from_slice(b"\n\n");
        bytes.extend_from_slice(NEXT.as_bytes());
        let found = read("mbox", &bytes, &options, 64);
        let last = found.links.last().unwrap();
        assert_eq!(
            (last.member.as_str(), last.reference.as_str()),
            ("2/1", "http://next.example/"),
            "cut at {end}"
        );
    }
}

/// The length of the first line: without all of it an archive is no mailbox.
const FROM_LINE: usize = 42;
