//! What each diagnostic code says.

use super::{Explanation, has, row};
use crate::document::diagnostic;

/// A code that has nothing to be allowed.
const NOTE: &str =
    "It is a note: it does not change the exit code. Without -v and --json it is not shown.";
/// A code that makes the exit code 2.
const DAMAGE: &str = "It makes the exit code 2. What was read before the damage is reported; repair or replace the file.";

/// Every diagnostic code, in the order of their table.
pub static CODES: &[Explanation] = &[
    row(
        "html.base-after-links",
        "A base element with href stands behind references that it applies to.",
        "A browser resolves the references before it against the old base when it loads them early; \
         uriscan gives all of them the base that holds for the whole document.",
        "<a href=x>x</a><base href=http://example.com/>",
        NOTE,
    ),
    row(
        "html.base-second",
        "A second base element with href stands in the document, and it is ignored.",
        "Only the first one counts (HTML, 4.2.3). Whoever wrote the second one expects that it does.",
        "<base href=/a/><base href=/b/>",
        "It is a note; the audit's rule several-bases makes it a finding.",
    ),
    row(
        "html.base-refused",
        "The base element's reference does not parse, or is a data: or javascript: URI.",
        "The document keeps the base that it has without the element.",
        "<base href=data:text/plain,x>",
        NOTE,
    ),
    row(
        "html.approximate",
        "The document is beyond a limit of exact parsing, and a part was read by approximation.",
        "Near the place, references may be attributed to the wrong element, or be inert and not marked so.",
        "an SVG element in broken nesting, in a document longer than --max-document",
        "Raise --max-document; standard input cannot be read a second time, a file can.",
    ),
    row(
        "html.value-too-long",
        "An attribute value is longer than 4 MiB, and was left out.",
        "References in it are not reported.",
        "<img src=\"data:image/png;base64,...\"> of 5 MB",
        "There is no flag for it. Store such data in files of their own.",
    ),
    row(
        "html.srcdoc-depth",
        "srcdoc documents nest deeper than 16 levels; the innermost were left out.",
        "References in them are not reported.",
        "<iframe srcdoc=\"<iframe srcdoc='...'>\">, 17 levels deep",
        NOTE,
    ),
    row(
        "html.held-limit",
        "More than 16 MiB of references stood before the base was known.",
        "The first of them were resolved against the base known so far, which a later base element \
         would have changed.",
        "a page with a million links and <base> at its end",
        "Put the base element in front of the links.",
    ),
    row(
        "compress.truncated",
        "The compressed data ends before its end mark.",
        "The file was cut, by a broken download or a full disk, and links behind the cut are missing.",
        "head -c 1000 list.mbox.gz > cut.mbox.gz",
        DAMAGE,
    ),
    row(
        "compress.corrupt",
        "The compressed data is damaged: a checksum or a code is wrong.",
        "Links behind the place are missing, and those near it may be wrong.",
        "one changed byte in list.mbox.gz",
        DAMAGE,
    ),
    row(
        "compress.window-limit",
        "The compressed data needs a window (zstd) or a dictionary (xz) of more than 128 MiB.",
        "A decoder holds the window in memory. The content of the frame or stream was not read.",
        "zstd --long=31 list.mbox",
        "There is no flag for it. Unpack the file yourself, and give what comes out.",
    ),
    row(
        "compress.unsupported",
        "The compressed data needs a dictionary that is not in it, or a feature that is reserved or not supported.",
        "The content of the member was not read.",
        "zstd -D dictionary list.mbox",
        "There is no flag for it. Unpack the file yourself, and give what comes out.",
    ),
    row(
        "compress.trailing-garbage",
        "Bytes that are not compressed data follow the end mark.",
        "They may be what is left of another member, whose links are missing.",
        "cat a.txt.xz notes.txt > b.txt.xz",
        DAMAGE,
    ),
    row(
        "gzip.trailing-garbage",
        "Bytes that are no gzip member follow the last one.",
        "gzip itself ignores them with a warning, and so do we.",
        "a member padded to a full tape block",
        NOTE,
    ),
    row(
        "archive.ratio-limit",
        "The compressed data grows by more than any real document does; the rest was left out.",
        "A few kilobytes that unpack to gigabytes are an attack, not a document.",
        "10 GB of zeros, compressed",
        "There is no flag for it. Unpack the file yourself, and give what comes out.",
    ),
    row(
        "archive.depth-limit",
        "Compressed data nests deeper than the limit.",
        "What is inside the innermost layer was not read.",
        "gzip in gzip in gzip in gzip in gzip",
        "There is no flag for it. Unpack the outer layers yourself.",
    ),
    row(
        "mbox.from-line-in-body",
        "A line of a body starts with `From ` and looks like a separator, and is none.",
        "Its writer did not quote it; other readers may split the message there.",
        "From now on, see http://example.com/",
        NOTE,
    ),
    row(
        "mbox.content-length-mismatch",
        "A Content-Length field does not lead to a separator, and was ignored.",
        "A message that was edited keeps its old length. Separator lines were used instead.",
        "Content-Length: 10 before a body of 5000 bytes",
        NOTE,
    ),
    row(
        "mbox.leading-junk",
        "Text stands before the first message of a mailbox.",
        "It was read as text, and its links have no message.",
        "a line of a web page saved in front of the archive",
        NOTE,
    ),
    row(
        "mbox.nul-bytes",
        "A run of NUL bytes was left out.",
        "A file system lost a write there; text may be missing.",
        "a mailbox after a crash",
        NOTE,
    ),
    row(
        "mbox.truncated",
        "The mailbox ends inside a header block.",
        "The last message is not complete.",
        "head -c 1000 list.mbox",
        NOTE,
    ),
    row(
        "rnews.resync",
        "An article of a news batch is longer or shorter than its count says.",
        "Articles near the place may have been split wrongly.",
        "#! rnews 100 before an article of 90 bytes",
        DAMAGE,
    ),
    row(
        "header.no-blank-line",
        "A line that is no header field ends a header block, without an empty line.",
        "The line was taken for the first one of the body.",
        "Subject: x\\nsee http://example.com/",
        NOTE,
    ),
    row(
        "header.too-long",
        "A header field is longer than 64 KiB, or a block longer than 1 MiB, and was cut.",
        "References behind the cut are missing.",
        "a References field of 100 KB",
        NOTE,
    ),
    row(
        "mime.boundary-missing",
        "A multipart entity has no boundary parameter, and was read as text.",
        "Encoded parts in it were not decoded.",
        "Content-Type: multipart/mixed",
        NOTE,
    ),
    row(
        "mime.boundary-never-found",
        "The boundary of a multipart entity never occurs, and it was read as text.",
        "Encoded parts in it were not decoded.",
        "boundary=a, and lines of --b",
        NOTE,
    ),
    row(
        "mime.close-missing",
        "A multipart entity has no closing delimiter.",
        "The message may have been cut; its last part ends where the message does.",
        "--a at the start of each part, and no --a--",
        NOTE,
    ),
    row(
        "mime.cte-on-multipart",
        "A multipart entity has a transfer encoding, which was ignored.",
        "Only its parts can be encoded (RFC 2045, 6.4).",
        "Content-Type: multipart/mixed with Content-Transfer-Encoding: base64",
        NOTE,
    ),
    row(
        "mime.cte-unknown",
        "The transfer encoding is an unknown one, and the body was read as it is.",
        "If the body is encoded after all, its links are missing.",
        "Content-Transfer-Encoding: x-own",
        NOTE,
    ),
    row(
        "mime.depth-limit",
        "An entity is nested deeper than the limit, and was read as text.",
        "Encoded parts in it were not decoded.",
        "a message that was forwarded as an attachment, over and over",
        NOTE,
    ),
    row(
        "mime.label-limit",
        "More parts of a message are labelled than are kept in mind.",
        "target_part is missing for links to the others.",
        "a message with 100,000 Content-ID fields",
        NOTE,
    ),
    row(
        "qp.bad-escape",
        "A `=` of quoted-printable has no two hexadecimal digits behind it, and was kept.",
        "The part was probably not encoded, or changed on its way.",
        "http://example.com/?a=zz in a part that claims to be quoted-printable",
        NOTE,
    ),
    row(
        "base64.garbage",
        "Bytes outside the alphabet of base64 were left out.",
        "The part was changed on its way; what was decoded may differ from what was sent.",
        "aGVsbG8*gd29ybGQ=",
        NOTE,
    ),
    row(
        "base64.truncated",
        "base64 ends inside a byte.",
        "The part was cut; links behind the cut are missing.",
        "aGVsb",
        NOTE,
    ),
    row(
        "base64.trailing-text",
        "Clear text stands behind base64, and was read as text.",
        "Mailing lists append their footers so. Such links have the flag trailer.",
        "aGVsbG8=\\n____\\nhttp://lists.example.com/",
        NOTE,
    ),
    row(
        "charset.unknown",
        "The declared charset is an unknown one; UTF-8 or windows-1252 was assumed.",
        "Characters beyond ASCII in references may be wrong.",
        "Content-Type: text/plain; charset=x-own",
        "For documents that are no mail, --encoding says which one it is.",
    ),
    row(
        "charset.malformed",
        "Some bytes mean nothing in the declared charset, and became U+FFFD.",
        "References with such bytes lead elsewhere than their author meant.",
        "Latin-1 text in a part that claims to be UTF-8",
        NOTE,
    ),
    row(
        "charset.unsupported",
        "The charset is known and cannot be decoded; the text was read as it is.",
        "ASCII in it was found, anything else may be wrong.",
        "Content-Type: text/plain; charset=utf-7 in a part that is too odd",
        NOTE,
    ),
    row(
        "body.opaque",
        "An encrypted or opaque body was not read.",
        "Links in it are not reported, for nothing but its key can tell them.",
        "Content-Type: application/pkcs7-mime",
        "Decrypt the message first.",
    ),
];

const _: () = {
    let mut index = 0;
    while index < diagnostic::CODES.len() {
        assert!(
            has(CODES, diagnostic::CODES[index].name),
            "a diagnostic code has no row in src/document/explain/codes.rs"
        );
        index += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanations_are_those_of_the_codes() {
        let mut codes: Vec<_> = diagnostic::CODES.iter().map(|code| code.name).collect();
        let mut rows: Vec<_> = CODES.iter().map(|row| row.name).collect();
        rows.sort_unstable();
        codes.sort_unstable();
        assert_eq!(rows, codes);
    }
}
