//! Binary stretches inside text: uuencode, yEnc and PGP armour. They are blanked in place, so that
//! no position moves and nothing in them is taken for a URI.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memmem};

static BEGIN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"begin "));
static YENC: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n=y"));
static ARMOUR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"-----BEGIN PGP "));

/// Finds the stretches of one text, in pieces of whole lines.
#[derive(Debug, Default)]
pub(super) struct BinaryBlocks {
    inside: BlockKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BlockKind {
    #[default]
    Text,
    Uuencode,
    /// yEnc so long that its end was not waited for, in lines of this many characters.
    Yenc(usize),
    /// PGP armour, before its empty line.
    ArmourHeader,
    /// And behind it.
    Armour,
    /// Clear-signed text: lines are dash-escaped (RFC 4880 section 7.1).
    Signed,
}

/// What begins here, as the trailer counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockStart {
    Text,
    /// The line belongs to a blob, which goes on in this state.
    Blob(BlockKind),
    /// It opens or closes nothing, and this state follows.
    Then(BlockKind),
    /// It opens yEnc in lines of this many characters, if an end follows.
    Yenc(usize),
}

/// So many bytes of yEnc are waited for while no end is in view.
const WAIT: usize = 1 << 20;

impl BinaryBlocks {
    pub(super) fn begin(&mut self) {
        self.inside = BlockKind::Text;
    }

    /// Whether any stretch can begin in the text.
    pub(super) fn suspicious(text: &[u8]) -> bool {
        BEGIN.find(text).is_some() || ARMOUR.find(text).is_some()
    }

    /// Blanks what is no text; `begun` gets the type of each stretch that begins. Returns how many
    /// bytes it took: behind them stands yEnc whose end may be in a later piece. The `last` piece is
    /// taken whole.
    pub(super) fn blank(
        &mut self,
        text: &mut [u8],
        last: bool,
        mut begun: impl FnMut(&'static str),
    ) -> usize {
        if self.inside == BlockKind::Text && !Self::suspicious(text) {
            return text.len();
        }
        let mut at = 0;
        while at < text.len() {
            let length = memchr(b'\n', &text[at..]).map_or(text.len() - at, |end| end + 1);
            let start = at;
            let line = &mut text[at..at + length];
            at += length;
            match judge(self.inside, line) {
                BlockStart::Yenc(width) => match yenc_end(&text[start..], last) {
                    YencEnd::At(length) => {
                        begun("text/x-yenc");
                        self.inside = BlockKind::Text;
                        blank_line(&mut text[start..start + length]);
                        at = start + length;
                    }
                    YencEnd::Late => {
                        begun("text/x-yenc");
                        self.inside = BlockKind::Yenc(width);
                        blank_line(&mut text[start..at]);
                    }
                    YencEnd::Unknown => return start,
                    YencEnd::None => self.inside = BlockKind::Text,
                },
                BlockStart::Text => {
                    if self.inside == BlockKind::Signed && line.starts_with(b"- ") {
                        line[0] = b' ';
                    }
                }
                BlockStart::Then(inside) => self.inside = inside,
                BlockStart::Blob(inside) => {
                    if matches!(self.inside, BlockKind::Text | BlockKind::Signed)
                        && let Some(name) = name(inside)
                    {
                        begun(name);
                    }
                    self.inside = inside;
                    blank_line(line);
                }
            }
        }
        at
    }
}

/// Overwrites all but line ends.
fn blank_line(line: &mut [u8]) {
    for byte in line {
        if !matches!(byte, b'\r' | b'\n') {
            *byte = b' ';
        }
    }
}

/// Where yEnc ends.
enum YencEnd {
    /// Behind so many bytes, with its end line.
    At(usize),
    /// Not in view, and too much is in view to wait for more.
    Late,
    /// More bytes will tell.
    Unknown,
    /// Nowhere: it is text.
    None,
}

/// The end of yEnc that begins with `text`: the line `=yend size=N`, before any other that begins
/// yEnc.
fn yenc_end(text: &[u8], last: bool) -> YencEnd {
    for at in YENC.find_iter(text) {
        let line = &text[at + 1..];
        let length = memchr(b'\n', line);
        if length.is_none() && !last {
            break;
        }
        let line = &line[..length.map_or(line.len(), |length| length + 1)];
        let content = line.trim_ascii_end();
        if content.starts_with(b"=yend ") && memmem::find(content, b" size=").is_some() {
            return YencEnd::At(at + 1 + line.len());
        }
        if matches!(begins(content), BlockStart::Yenc(_)) {
            return YencEnd::None;
        }
    }
    match last {
        true => YencEnd::None,
        false if text.len() > WAIT => YencEnd::Late,
        false => YencEnd::Unknown,
    }
}

fn name(inside: BlockKind) -> Option<&'static str> {
    match inside {
        BlockKind::Uuencode => Some("text/x-uuencode"),
        BlockKind::ArmourHeader | BlockKind::Armour => Some("text/x-pgp-armour"),
        BlockKind::Text | BlockKind::Signed | BlockKind::Yenc(_) => None,
    }
}

fn judge(inside: BlockKind, line: &[u8]) -> BlockStart {
    let content = line.trim_ascii_end();
    match inside {
        BlockKind::Text | BlockKind::Signed => begins(content),
        BlockKind::Uuencode if content == b"end" => BlockStart::Blob(BlockKind::Text),
        BlockKind::Uuencode if is_uuencoded(line) => BlockStart::Blob(inside),
        BlockKind::Yenc(_) if content.starts_with(b"=yend ") => BlockStart::Blob(BlockKind::Text),
        BlockKind::Yenc(_) if content.starts_with(b"=ypart ") => BlockStart::Blob(inside),
        // The second half of an escape may stand behind the last column.
        BlockKind::Yenc(width) if [width, width + 1].contains(&without_break(line).len()) => {
            BlockStart::Blob(inside)
        }
        BlockKind::ArmourHeader | BlockKind::Armour if content.starts_with(b"-----END PGP ") => {
            BlockStart::Blob(BlockKind::Text)
        }
        BlockKind::ArmourHeader if content.is_empty() => BlockStart::Blob(BlockKind::Armour),
        BlockKind::ArmourHeader if memchr(b':', content).is_some() => BlockStart::Blob(inside),
        // No blank stands in armour: prose means that its end is lost.
        BlockKind::Armour | BlockKind::ArmourHeader if memchr(b' ', content).is_none() => {
            BlockStart::Blob(BlockKind::Armour)
        }
        _ => match begins(content) {
            BlockStart::Text => BlockStart::Then(BlockKind::Text),
            other => other,
        },
    }
}

fn begins(content: &[u8]) -> BlockStart {
    if let Some(rest) = content.strip_prefix(b"begin ") {
        let digits = rest
            .iter()
            .take_while(|byte| (b'0'..=b'7').contains(byte))
            .count();
        if (3..=4).contains(&digits) && rest.get(digits) == Some(&b' ') {
            return BlockStart::Blob(BlockKind::Uuencode);
        }
    } else if content.starts_with(b"=ybegin ")
        && memmem::find(content, b" size=").is_some()
        && memmem::find(content, b" name=").is_some()
    {
        return BlockStart::Yenc(yenc_width(content));
    } else if content.starts_with(b"-----BEGIN PGP SIGNED MESSAGE-----") {
        return BlockStart::Then(BlockKind::Signed);
    } else if content.starts_with(b"-----BEGIN PGP ") && content.ends_with(b"-----") {
        return BlockStart::Blob(BlockKind::ArmourHeader);
    }
    BlockStart::Text
}

/// The number behind `line=`: characters of a line of yEnc.
fn yenc_width(content: &[u8]) -> usize {
    let digits = memmem::find(content, b" line=").map_or(&[][..], |at| &content[at + 6..]);
    let digits = digits.iter().take_while(|digit| digit.is_ascii_digit());
    // No line of yEnc has more than 997 characters.
    digits
        .take(3)
        .fold(0, |width, &digit| 10 * width + usize::from(digit - b'0'))
}

fn without_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line of uuencode: its first character tells how many bytes it holds.
fn is_uuencoded(line: &[u8]) -> bool {
    let line = without_break(line);
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
        let length = bytes.len();
        let taken = BinaryBlocks::default().blank(&mut bytes, true, |name| begun.push(name));
        assert_eq!(taken, length);
        let lines: Vec<String> = String::from_utf8(bytes)
            .unwrap()
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        (lines.join("|"), begun)
    }

    const YENC: &str = "=ybegin line=10 size=24 name=x";

    #[test]
    fn yenc_without_an_end_is_text() {
        for text in [
            format!("{YENC}|http://example.com/"),
            format!("{YENC}|http://example.com/|=yend"),
            format!("{YENC}|http://example.com/|=yendless size=1"),
            format!("{YENC}|http://example.com/|a =yend size=1"),
        ] {
            let lines = text.replace('|', "\n");
            assert_eq!(blank(&lines), (text, vec![]));
        }
        // The end is that of the second.
        let text = format!("{YENC}\nhttp://example.com/\n{YENC}\nx\n=yend size=1\nb");
        let expected = format!("{YENC}|http://example.com/||||b");
        assert_eq!(blank(&text), (expected, vec!["text/x-yenc"]));
    }

    #[test]
    fn yenc_in_pieces_waits_for_its_end() {
        let mut blobs = BinaryBlocks::default();
        let whole = format!("a\n{YENC}\nhttp://example.com/\n=yend size=24\nb\n");
        for (end, taken) in [(2, 2), (33, 2), (53, 2), (67, 67), (69, 69)] {
            let mut bytes = whole.as_bytes()[..end].to_vec();
            assert_eq!(blobs.blank(&mut bytes, false, |_| {}), taken, "{end}");
        }
        // It is not waited for without bounds: then its lines are known by their length.
        let long = [YENC, &"\n0123456789".repeat(WAIT / 10), "\n"].concat();
        let mut bytes = long.into_bytes();
        let length = bytes.len();
        assert_eq!(blobs.blank(&mut bytes, false, |_| {}), length);
        assert!(bytes.trim_ascii().is_empty());
        let mut rest = b"0123456789A\nhttp://example.com/\n".to_vec();
        assert_eq!(blobs.blank(&mut rest, true, |_| {}), rest.len());
        assert_eq!(rest.trim_ascii(), b"http://example.com/");
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
