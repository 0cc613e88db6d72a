//! The crate `mailparse` finds the same parts and the same decoded text.
//!
//! The messages below avoid known differences: `mailparse` takes `--outer2` for the delimiter
//! `--outer`, does not enter `message/rfc822`, rejects messages with a lone CR in a header or with
//! a hundred levels, drops preambles, epilogues and clear text behind base64, and decodes nothing
//! of a multipart entity whose boundary never comes.

use mailparse::ParsedMail;
use uriscan::document;
use uriscan::document::text::{self, find};

use super::run::read;

/// A small generator of pseudo-random numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.below(texts.len() as u64) as usize]
    }
}

/// Writes messages; every boundary and every URI has a number of its own.
struct Writer {
    random: Random,
    numbers: u64,
}

impl Writer {
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.random.below(6) {
            text.push_str(self.random.one_of(&[
                "plain words\n",
                "naïve — words = with escapes\n",
                "\n",
                "-- \n",
                "--no delimiter\n",
                "a line of some length, so that an encoder has to break it somewhere in the middle\n",
            ]));
            if self.random.below(2) == 0 {
                let number = self.number();
                text.push_str(&format!(
                    "see <http://{number}.example/?a=b&c={number}> there\n"
                ));
            }
        }
        text
    }

    /// An entity: its header and its body.
    fn entity(&mut self, depth: u32) -> String {
        if depth < 4 && self.random.below(3) == 0 {
            let boundary = format!("=_b{}_", self.number());
            let kind = self.random.one_of(&["mixed", "alternative", "related"]);
            let mut out = format!("Content-Type: multipart/{kind};\n boundary=\"{boundary}\"\n\n");
            for _ in 0..=self.random.below(3) {
                out.push_str(&format!("--{boundary}\n{}\n", self.entity(depth + 1)));
            }
            out.push_str(&format!("--{boundary}--\n"));
            return out;
        }
        let text = self.text();
        let (name, body) = match self.random.below(3) {
            0 => ("8bit", text),
            1 => ("quoted-printable", quoted_printable(&text)),
            _ => ("base64", base64(text.as_bytes())),
        };
        format!(
            "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {name}\n\n{body}"
        )
    }
}

fn quoted_printable(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for &byte in text.as_bytes() {
        if column > 70 && byte != b'\n' {
            out.push_str("=\n");
            column = 0;
        }
        match byte {
            b'\n' => {
                out.push('\n');
                column = 0;
            }
            b'=' | 0x80.. | b' ' => {
                out.push_str(&format!("={byte:02X}"));
                column += 3;
            }
            _ => {
                out.push(char::from(byte));
                column += 1;
            }
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for line in bytes.chunks(57) {
        for group in line.chunks(3) {
            let bits = group
                .iter()
                .fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte));
            let bits = bits << (8 * (3 - group.len()));
            for index in 0..4 {
                let digit = DIGITS[(bits >> (18 - 6 * index) & 63) as usize];
                out.push(if index > group.len() {
                    '='
                } else {
                    char::from(digit)
                });
            }
        }
        out.push('\n');
    }
    out
}

/// Appends part numbers and references, as `mailparse` finds them.
fn theirs(mail: &ParsedMail<'_>, number: &str, out: &mut Vec<(String, String)>) {
    if mail.subparts.is_empty() {
        let body = mail.get_body().unwrap();
        let number = if number.is_empty() { "1" } else { number };
        for found in find(body.as_bytes(), &text::TextOptions::default()) {
            let uri = String::from_utf8_lossy(&found.reference).into_owned();
            out.push((number.to_owned(), uri));
        }
    }
    for (index, part) in mail.subparts.iter().enumerate() {
        let dot = if number.is_empty() { "" } else { "." };
        theirs(part, &format!("{number}{dot}{}", index + 1), out);
    }
}

/// Returns a message with a subject and parts that hold references, the same for the same seed.
pub(crate) fn message(seed: u64) -> String {
    let mut writer = Writer {
        random: Random(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed)),
        numbers: 0,
    };
    let message = format!("Subject: {seed}\n{}", writer.entity(0));
    match seed % 2 {
        0 => message.replace('\n', "\r\n"),
        _ => message,
    }
}

#[test]
fn generated_messages_are_read_alike() {
    let mut references = 0;
    for seed in 1..=300 {
        let message = message(seed);
        let mut expected = Vec::new();
        theirs(
            &mailparse::parse_mail(message.as_bytes()).unwrap(),
            "",
            &mut expected,
        );
        let found = read(
            "eml",
            message.as_bytes(),
            &document::FormatOptions::default(),
            1000,
        );
        let got: Vec<(String, String)> = found
            .links
            .iter()
            .map(|got| (got.member[2..].to_owned(), got.reference.clone()))
            .collect();
        assert_eq!(got, expected, "seed {seed}:\n{message}");
        assert_eq!(found.diagnostics, [], "seed {seed}:\n{message}");
        references += got.len();
    }
    assert!(references > 500, "{references} references");
}
