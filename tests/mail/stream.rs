//! Archives that do not fit in memory: attachments and archives of any size.

use std::io::{self, Read};

use uriscan::document::Format;
use uriscan::extractor::{Document, Extractor, ExtractorOptions};
use uriscan::linker::Link;

use super::run::this_message;

/// Pieces of an archive, each with a number of repetitions.
struct Repeated {
    pieces: Vec<(Vec<u8>, u64)>,
    piece: usize,
    at: usize,
}

impl Repeated {
    fn new(pieces: &[(&str, u64)]) -> Self {
        let pieces = pieces
            .iter()
            .map(|(text, times)| (text.as_bytes().to_vec(), *times))
            .collect();
        Repeated {
            pieces,
            piece: 0,
            at: 0,
        }
    }
}

impl Read for Repeated {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some((text, times)) = self.pieces.get_mut(self.piece) else {
            return Ok(0);
        };
        if *times == 0 {
            self.piece += 1;
            return self.read(into);
        }
        let n = (text.len() - self.at).min(into.len());
        into[..n].copy_from_slice(&text[self.at..self.at + n]);
        self.at += n;
        if self.at == text.len() {
            self.at = 0;
            *times -= 1;
        }
        Ok(n)
    }
}

/// Returns member, offset of the message and reference of each link.
fn links(archive: Repeated) -> Vec<(String, u64, String)> {
    links_from(0, archive)
}

/// Returns the same for an archive whose first byte stands at an offset.
fn links_from(offset: u64, archive: Repeated) -> Vec<(String, u64, String)> {
    let base = this_message();
    let mut links = Vec::new();
    let mut extractor = Extractor::new(&ExtractorOptions::default());
    let mut document = Document::new(Format::named("mbox").unwrap(), Some(&base));
    document.origin.offset = offset;
    extractor
        .extract(&document, archive, &mut |link: &Link<'_>| {
            links.push((
                link.member.unwrap().to_owned(),
                link.part.message_offset.unwrap(),
                String::from_utf8_lossy(link.reference).into_owned(),
            ));
        })
        .unwrap();
    links
}

const FROM: &str = "From a@b.example Thu Mar  2 10:11:12 2006\n";
const LINE: &str = "VGhpcyBsaW5lIGlzIHBhcnQgb2YgYW4gYXR0YWNobWVudCB0aGF0IG5vYm9keSBkZWNvZGVzLg0K\n";

/// Enough for 20 MB, which a debug build reads in little time.
const LINES: u64 = 250_000;

#[test]
fn an_attachment_is_skipped_in_little_memory() {
    let head = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://a.example/\n--b\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n";
    let first = format!("{FROM}A: b\n\nhttp://first.example/\n\n{FROM}{head}");
    let last = format!("--b\n\nhttp://z.example/\n--b--\n\n{FROM}A: b\n\nhttp://last.example/\n");
    let got = links(Repeated::new(&[(&first, 1), (LINE, LINES), (&last, 1)]));
    let second = (FROM.len() + 6 + 23) as u64;
    let third = (first.len() + last.len()) as u64 + LINES * LINE.len() as u64
        - (FROM.len() + 6 + 21) as u64;
    #[rustfmt::skip]
    let expected = [
        ("1/1", 0, "http://first.example/"), ("2/1", second, "http://a.example/"),
        ("2/3", second, "http://z.example/"), ("3/1", third, "http://last.example/"),
    ];
    let expected = expected.map(|(member, at, uri)| (member.to_owned(), at, uri.to_owned()));
    assert_eq!(got, expected);
}

#[test]
fn text_of_any_length_is_read_in_pieces() {
    let head = format!("{FROM}Content-Transfer-Encoding: base64\n\n");
    // Each line is a whole number of base64 groups, so that the text continues where the line ends.
    let line = "aHR0cDovL2EuZXhhbXBsZS8gaHR0cDovL2EuZXhhbXBsZS8g\n";
    let got = links(Repeated::new(&[(&head, 1), (line, 40_000)]));
    assert_eq!(got.len(), 80_000);
    assert!(
        got.iter()
            .all(|(member, _, uri)| member == "1/1" && uri == "http://a.example/")
    );
}

#[test]
fn a_line_of_any_length_is_read() {
    let head = format!("{FROM}Subject: ");
    let tail = format!("\nX-URL: http://h.example/\n\nhttp://a.example/\n\n{FROM}A: b\n\n");
    let end = "\n\nhttp://z.example/\n";
    let pieces = [
        (head.as_str(), 1),
        ("long ", 200_000),
        (&tail, 1),
        ("long", 500_000),
        (end, 1),
    ];
    let got: Vec<_> = links(Repeated::new(&pieces))
        .into_iter()
        .map(|(member, _, uri)| (member, uri))
        .collect();
    let expected = [
        ("1/0", "http://h.example/"),
        ("1/1", "http://a.example/"),
        ("2/1", "http://z.example/"),
    ];
    assert_eq!(
        got,
        expected.map(|(member, uri)| (member.to_owned(), uri.to_owned()))
    );
}

#[test]
fn offsets_go_beyond_four_gibibytes() {
    let first = format!("{FROM}Content-Length: 23\n\nhttp://first.example/\n\n");
    let last = format!("{FROM}\n<http://last.example/\n  x>\n");
    for offset in [0, u64::from(u32::MAX) - 50, 1 << 40] {
        let got = links_from(offset, Repeated::new(&[(&first, 1), (&last, 1)]));
        let expected = [
            ("1/1", offset, "http://first.example/"),
            ("2/1", offset + first.len() as u64, "http://last.example/x"),
        ];
        let expected = expected.map(|(member, at, uri)| (member.to_owned(), at, uri.to_owned()));
        assert_eq!(got, expected);
    }
}

#[test]
fn parts_nest_ten_thousand_deep() {
    const DEPTH: usize = 10_000;
    let mut multiparts = FROM.to_owned();
    let mut messages = FROM.to_owned();
    for level in 0..DEPTH {
        multiparts += &format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n");
        messages += "Content-Type: message/rfc822\n\n";
    }
    for archive in [multiparts, messages] {
        let archive = format!("{archive}\nhttp://in.example/\n\n{FROM}\nhttp://next.example/\n");
        let got = links(Repeated::new(&[(&archive, 1)]));
        let got: Vec<_> = got.iter().map(|(_, _, uri)| uri.as_str()).collect();
        assert_eq!(got, ["http://in.example/", "http://next.example/"]);
    }
}
