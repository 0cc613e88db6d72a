//! Messages of any bytes: the same in any windows, and no message reaches into the next.

use uriscan::document;

use super::Input;
use crate::mail::run::read;

const FROM_LINE: &[u8] = b"From a@b.example Thu Mar  2 10:11:12 2006\n";
const NEXT: &[u8] =
    b"\n\nFrom c@d.example Fri Mar  3 08:00:01 2006\nSubject: n\n\nhttp://next.example/\n";

pub(super) fn check(mut input: Input<'_>) {
    let format = input.pick(&["mbox", "eml", "news", "mhtml"]);
    let window = 1 + input.below(256);
    let bytes = input.document();
    let options = document::FormatOptions::default();
    let whole = read(format, bytes, &options, 1 << 16);
    let cut = read(format, bytes, &options, window);
    cut.expect_same(&whole, &format!("{format}, windows of {window}"));

    // A Content-Length that is right hides separators, and may be right by chance.
    let lower = bytes.to_ascii_lowercase();
    if memchr::memmem::find(&lower, b"content-length").is_some() {
        return;
    }
    let archive = [FROM_LINE, bytes, NEXT].concat();
    let found = read("mbox", &archive, &options, 1 << 16);
    let last = found
        .links
        .last()
        .map(|link| (link.member.ends_with("/1"), &*link.reference));
    assert_eq!(
        last,
        Some((true, "http://next.example/")),
        "{}",
        archive.escape_ascii()
    );
}
