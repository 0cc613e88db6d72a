//! Binary stretches inside text: uuencode, yEnc and PGP armour. They are blanked in place, so that
//! no position moves and nothing in them is taken for a URI.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memmem};

static BEGIN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"begin "));
static ARMOUR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"-----BEGIN PGP "));

/// Finds the stretches of one text, in pieces of whole lines.
#[derive(Debug, Default)]
pub(super) struct Blobs {
    inside: Inside,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Text,
    Uuencode,
    Yenc,
    /// PGP armour, before its empty line.
    ArmourHeader,
    /// And behind it.
    Armour,
    /// Clear-signed text: lines are dash-escaped (RFC 4880 section 7.1).
    Signed,
}

/// What begins here, as the trailer counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Text,
    /// The line belongs to a blob, which goes on in this state.
    Blob(Inside),
    /// It opens or closes nothing, and this state follows.
    Then(Inside),
}

impl Blobs {
    pub(super) fn begin(&mut self) {
        self.inside = Inside::Text;
    }

    /// Whether any stretch can begin in the text.
    pub(super) fn suspicious(text: &[u8]) -> bool {
        BEGIN.find(text).is_some() || ARMOUR.find(text).is_some()
    }

    /// Blanks what is no text; `begun` gets the type of each stretch that begins.
    pub(super) fn blank(&mut self, text: &mut [u8], mut begun: impl FnMut(&'static str)) {
        if self.inside == Inside::Text && !Self::suspicious(text) {
            return;
        }
        let mut at = 0;
        while at < text.len() {
            let length = memchr(b'\n', &text[at..]).map_or(text.len() - at, |end| end + 1);
            let line = &mut text[at..at + length];
            at += length;
            match judge(self.inside, line) {
                Line::Text => {
                    if self.inside == Inside::Signed && line.starts_with(b"- ") {
                        line[0] = b' ';
                    }
                }
                Line::Then(inside) => self.inside = inside,
                Line::Blob(inside) => {
                    if matches!(self.inside, Inside::Text | Inside::Signed)
                        && let Some(name) = name(inside)
                    {
                        begun(name);
                    }
                    self.inside = inside;
                    for byte in line {
                        if !matches!(byte, b'\r' | b'\n') {
                            *byte = b' ';
                        }
                    }
                }
            }
        }
    }
}

fn name(inside: Inside) -> Option<&'static str> {
    match inside {
        Inside::Uuencode => Some("text/x-uuencode"),
        Inside::Yenc => Some("text/x-yenc"),
        Inside::ArmourHeader | Inside::Armour => Some("text/x-pgp-armour"),
        Inside::Text | Inside::Signed => None,
    }
}

fn judge(inside: Inside, line: &[u8]) -> Line {
    let content = line.trim_ascii_end();
    match inside {
        Inside::Text | Inside::Signed => begins(content),
        Inside::Uuencode if content == b"end" => Line::Blob(Inside::Text),
        Inside::Uuencode if is_uuencoded(line) => Line::Blob(inside),
        Inside::Yenc if content.starts_with(b"=yend") => Line::Blob(Inside::Text),
        Inside::Yenc => Line::Blob(inside),
        Inside::ArmourHeader | Inside::Armour if content.starts_with(b"-----END PGP ") => {
            Line::Blob(Inside::Text)
        }
        Inside::ArmourHeader if content.is_empty() => Line::Blob(Inside::Armour),
        Inside::ArmourHeader if memchr(b':', content).is_some() => Line::Blob(inside),
        // No blank stands in armour: prose means that its end is lost.
        Inside::Armour | Inside::ArmourHeader if memchr(b' ', content).is_none() => {
            Line::Blob(Inside::Armour)
        }
        _ => match begins(content) {
            Line::Text => Line::Then(Inside::Text),
            other => other,
        },
    }
}

fn begins(content: &[u8]) -> Line {
    if let Some(rest) = content.strip_prefix(b"begin ") {
        let digits = rest
            .iter()
            .take_while(|byte| (b'0'..=b'7').contains(byte))
            .count();
        if (3..=4).contains(&digits) && rest.get(digits) == Some(&b' ') {
            return Line::Blob(Inside::Uuencode);
        }
    } else if content.starts_with(b"=ybegin ")
        && memmem::find(content, b" size=").is_some()
        && memmem::find(content, b" name=").is_some()
    {
        return Line::Blob(Inside::Yenc);
    } else if content.starts_with(b"-----BEGIN PGP SIGNED MESSAGE-----") {
        return Line::Then(Inside::Signed);
    } else if content.starts_with(b"-----BEGIN PGP ") && content.ends_with(b"-----") {
        return Line::Blob(Inside::ArmourHeader);
    }
    Line::Text
}

/// A line of uuencode: its first character tells how many bytes it holds.
fn is_uuencoded(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let Some(&first) = line.first() else {
        return false;
    };
    if !line.iter().all(|byte| (0x20..=0x60).contains(byte)) {
        return false;
    }
    let bytes = usize::from(first - 0x20) & 63;
    let digits = bytes.div_ceil(3) * 4;
    // Trailing blanks are lost in transport, and some writers add a checksum.
    let length = line.len() - 1;
    length <= digits + 2 && (length + 3 >= digits || line.len() < 62)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank(text: &str) -> (String, Vec<&'static str>) {
        let mut bytes = text.as_bytes().to_vec();
        let mut begun = Vec::new();
        Blobs::default().blank(&mut bytes, |name| begun.push(name));
        let lines: Vec<String> = String::from_utf8(bytes)
            .unwrap()
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        (lines.join("|"), begun)
    }

    #[test]
    #[rustfmt::skip]
    fn blobs_are_blanked() {
        let rows: &[(&str, &str, &[&str])] = &[
            ("a\nbegin 644 x.bin\n#0V%T\n`\nend\nb\n", "a|||||b", &["text/x-uuencode"]),
            ("begin 644 of prose\nthis is no code\n", "|this is no code", &["text/x-uuencode"]),
            ("we begin 644 x\n", "we begin 644 x", &[]),
            ("a\n=ybegin line=128 size=4 name=x\nhttp://x\n=yend size=4\nb", "a||||b", &["text/x-yenc"]),
            ("-----BEGIN PGP SIGNATURE-----\nVersion: x http://v\n\niQ==\n=abcd\n-----END PGP SIGNATURE-----\nb", "||||||b", &["text/x-pgp-armour"]),
            ("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n- -x\n-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\nb",
             "-----BEGIN PGP SIGNED MESSAGE-----|Hash: SHA1||  -x|||||b", &["text/x-pgp-armour"]),
            ("-----BEGIN PGP MESSAGE-----\n\nabc\nlost its end\n", "|||lost its end", &["text/x-pgp-armour"]),
        ];
        for (text, expected, names) in rows {
            assert_eq!(blank(text), ((*expected).to_owned(), names.to_vec()), "{text:?}");
        }
    }
}
