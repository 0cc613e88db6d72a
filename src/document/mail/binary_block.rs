//! Binary blocks in text: uuencode, yEnc and PGP armour. Blanks overwrite them, so offsets stay the same.

use memchr::{memchr, memmem};

use super::header::split_field;
use crate::bytes::class::{ByteSet, number, run_end};
use crate::bytes::lines::without_break;
use crate::bytes::literal::Literal;
use crate::bytes::pattern::Pattern;

/// What begins each block: `begin `, `=ybegin ` or `-----BEGIN PGP `.
static BEGIN: Literal = Literal::ignoring_case(b"begin ", 2);
static YENC: Literal = Literal::new(b"\n=y", 1);

#[derive(Debug, Default)]
pub(super) struct BinaryBlocks {
    block: BlockKind,
    /// The media types of the blocks that have begun.
    pub(super) begun: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BlockKind {
    #[default]
    Text,
    Uuencode,
    /// yEnc without an end in the first [`YENC_WAIT`] bytes, in lines of this many characters.
    Yenc(usize),
    /// PGP armour, before its empty line.
    ArmourHeader,
    /// PGP armour, after its empty line.
    Armour,
    /// Clear-signed text: lines are dash-escaped (RFC 4880 section 7.1).
    Signed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockLine {
    /// None: the line is text.
    Text,
    Binary(BlockKind),
    Enter(BlockKind),
    /// The line opens a block of this media type.
    Open(BlockKind, &'static str),
}

/// The number of bytes of yEnc that are kept while its end is not in view.
const YENC_WAIT: usize = 1 << 20;

impl BinaryBlocks {
    /// Returns whether a block may begin in the text.
    pub(super) fn may_begin_in(text: &[u8]) -> bool {
        BEGIN.find(text, 0).is_some()
    }

    /// Returns the number of bytes consumed: all of the `last` piece, else the bytes before yEnc whose end
    /// may be in a later piece.
    pub(super) fn blank(&mut self, text: &mut [u8], last: bool) -> usize {
        if self.block == BlockKind::Text && !Self::may_begin_in(text) {
            return text.len();
        }
        let mut at = 0;
        while at < text.len() {
            let start = at;
            at += memchr(b'\n', &text[at..]).map_or(text.len() - at, |end| end + 1);
            let is_outside = matches!(self.block, BlockKind::Text | BlockKind::Signed);
            match classify(self.block, &text[start..at]) {
                BlockLine::Text => {
                    if self.block == BlockKind::Signed && text[start..at].starts_with(b"- ") {
                        text[start] = b' ';
                    }
                    continue;
                }
                BlockLine::Enter(block) => {
                    self.block = block;
                    continue;
                }
                BlockLine::Binary(block) => self.block = block,
                BlockLine::Open(block @ BlockKind::Yenc(_), name) => {
                    match yenc_end(&text[start..], last) {
                        YencEnd::Unknown => return start,
                        YencEnd::Late => self.block = block,
                        YencEnd::At(length) => (self.block, at) = (BlockKind::Text, start + length),
                        YencEnd::None => {
                            self.block = BlockKind::Text;
                            continue;
                        }
                    }
                    self.begun.push(name);
                }
                BlockLine::Open(block, name) => {
                    self.block = block;
                    self.begun.extend(is_outside.then_some(name));
                }
            }
            // Overwrites everything but line breaks.
            let binary = text[start..at].iter_mut();
            let binary = binary.filter(|byte| !matches!(byte, b'\r' | b'\n'));
            binary.for_each(|byte| *byte = b' ');
        }
        at
    }
}

/// The end of a yEnc block.
enum YencEnd {
    /// The length of the block with its last line, in bytes.
    At(usize),
    /// Not in the first [`YENC_WAIT`] bytes.
    Late,
    Unknown,
    /// None: the lines are text.
    None,
}

/// Finds the line `=yend size=N`, before any other line that opens yEnc.
fn yenc_end(text: &[u8], last: bool) -> YencEnd {
    for at in YENC.find_iter(text, 0) {
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
        if matches!(opens(content), BlockLine::Open(BlockKind::Yenc(_), _)) {
            return YencEnd::None;
        }
    }
    if last {
        YencEnd::None
    } else if text.len() > YENC_WAIT {
        YencEnd::Late
    } else {
        YencEnd::Unknown
    }
}

/// The digits of base64, and its padding.
const ARMOUR: ByteSet = ByteSet::ALPHANUMERIC.with(b"+/=");

/// The media type of an encrypted message in armour.
pub(super) const ENCRYPTED: &str = "text/x-pgp-message";

fn classify(block: BlockKind, line: &[u8]) -> BlockLine {
    let content = line.trim_ascii_end();
    let next = match block {
        BlockKind::Text | BlockKind::Signed => return opens(content),
        BlockKind::Uuencode if content == b"end" => BlockKind::Text,
        BlockKind::Uuencode if is_uuencoded(line) => block,
        BlockKind::Yenc(_) if content.starts_with(b"=yend ") => BlockKind::Text,
        BlockKind::Yenc(_) if content.starts_with(b"=ypart ") => block,
        // The second byte of an escape may follow the last column.
        BlockKind::Yenc(width) if [width, width + 1].contains(&without_break(line).len()) => block,
        BlockKind::ArmourHeader | BlockKind::Armour if content.starts_with(b"-----END PGP ") => {
            BlockKind::Text
        }
        BlockKind::ArmourHeader if split_field(line).is_some() => block,
        // A line of other bytes is no armour: the end of the block is lost. An empty line ends the header.
        BlockKind::Armour | BlockKind::ArmourHeader if ARMOUR.first_outside(content).is_none() => {
            BlockKind::Armour
        }
        _ => {
            return match opens(content) {
                BlockLine::Text => BlockLine::Enter(BlockKind::Text),
                other => other,
            };
        }
    };
    BlockLine::Binary(next)
}

fn opens(content: &[u8]) -> BlockLine {
    if let Some(rest) = content.strip_prefix(b"begin ") {
        let digits = run_end(rest, 0, |byte| (b'0'..=b'7').contains(&byte));
        if (3..=4).contains(&digits) && rest.get(digits) == Some(&b' ') {
            return BlockLine::Open(BlockKind::Uuencode, "text/x-uuencode");
        }
    } else if content.starts_with(b"=ybegin ")
        && memmem::find(content, b" size=").is_some()
        && memmem::find(content, b" name=").is_some()
    {
        let width = YENC_WIDTH.group_at(content, 0);
        let width = width.and_then(|[_, digits]| number(&content[digits]));
        return BlockLine::Open(BlockKind::Yenc(width.unwrap_or(0)), "text/x-yenc");
    } else if let Some(kind) = content.strip_prefix(b"-----BEGIN PGP ") {
        if kind.starts_with(b"SIGNED MESSAGE-----") {
            return BlockLine::Enter(BlockKind::Signed);
        }
        if kind.ends_with(b"-----") {
            let names = ["text/x-pgp-armour", ENCRYPTED];
            let name = names[usize::from(kind.starts_with(b"MESSAGE-----"))];
            return BlockLine::Open(BlockKind::ArmourHeader, name);
        }
    }
    BlockLine::Text
}

/// The number of characters in a line of yEnc, which is at most 997.
static YENC_WIDTH: Pattern = Pattern::new(" line=([0-9]{0,3})");

/// Returns whether a line is uuencode: its first character encodes the number of its bytes.
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
#[path = "../../../tests/unit/document/mail/binary_block.rs"]
mod tests;
