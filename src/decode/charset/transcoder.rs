//! Documents turned into UTF-8, with the way back to the bytes that are stored.

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_16BE, UTF_16LE};

/// Turns a document into UTF-8 while it is read, and remembers where each character stood.
///
/// ```
/// use encoding_rs::UTF_16LE;
/// use uriscan::decode::charset::Transcoder;
/// let mut transcoder = Transcoder::new(UTF_16LE, 0);
/// let mut text = Vec::new();
/// transcoder.push(b"\xe9\0a\0b\0", true, &mut text);
/// assert_eq!(text, "éab".as_bytes());
/// assert_eq!(transcoder.stored(3), 4);
/// ```
pub struct Transcoder {
    machine: Machine,
    mark: usize,
    /// Stored bytes of a character that is not complete.
    pending: Vec<u8>,
    /// How many bytes have been taken and made.
    taken: u64,
    made: u64,
    runs: Vec<UniformRun>,
}

enum Machine {
    /// UTF-16, by hand: it is the common one.
    Utf16 {
        big: bool,
        lead: Option<u16>,
    },
    Other(Decoder),
}

/// Characters in a row that all have the same lengths.
#[derive(Clone, Copy)]
struct UniformRun {
    made: u64,
    stored: u64,
    /// How long each character is, decoded and stored.
    made_unit: u8,
    stored_unit: u8,
}

impl Transcoder {
    /// For a document whose first character is stored at `start`, behind a byte order mark that is
    /// not pushed.
    pub fn new(encoding: &'static Encoding, start: u64) -> Self {
        let machine = if encoding == UTF_16LE || encoding == UTF_16BE {
            let big = encoding == UTF_16BE;
            Machine::Utf16 { big, lead: None }
        } else {
            Machine::Other(encoding.new_decoder_without_bom_handling())
        };
        Transcoder {
            machine,
            mark: start as usize,
            pending: Vec::new(),
            taken: start,
            made: 0,
            runs: Vec::new(),
        }
    }

    /// How many of the next `length` stored bytes belong to the mark, which is to be left out.
    pub(super) fn mark_left(&mut self, length: usize) -> usize {
        let skip = self.mark.min(length);
        self.mark -= skip;
        skip
    }

    /// Takes stored bytes and appends what they stand for; `last` when no more follow.
    pub fn push(&mut self, stored: &[u8], last: bool, out: &mut Vec<u8>) {
        match self.machine {
            Machine::Utf16 { .. } => self.push_utf16(stored, last, out),
            Machine::Other(_) => self.push_other(stored, last, out),
        }
    }

    /// Where the character that holds a decoded offset is stored; for the offset behind the last
    /// character, where that ends.
    pub fn stored(&self, made: u64) -> u64 {
        let next = self.runs.partition_point(|run| run.made <= made);
        let Some(run) = next.checked_sub(1).map(|i| self.runs[i]) else {
            return self.runs.first().map_or(self.taken, |run| run.stored);
        };
        let units = (made - run.made) / u64::from(run.made_unit);
        let stored = run.stored + units * u64::from(run.stored_unit);
        // Nothing of what stands between two runs belongs to the first.
        self.runs
            .get(next)
            .map_or(stored, |next| stored.min(next.stored))
    }

    /// Forgets what is stored before the character at a decoded offset.
    pub fn forget(&mut self, before: u64) {
        let next = self.runs.partition_point(|run| run.made <= before);
        // Moving the rest pays only when there is much to drop.
        if next > 1024 && next > self.runs.len() / 2 {
            self.runs.drain(..next - 1);
        }
    }

    fn push_utf16(&mut self, stored: &[u8], last: bool, out: &mut Vec<u8>) {
        for &byte in stored {
            self.taken += 1;
            self.pending.push(byte);
            if self.pending.len().is_multiple_of(2) {
                self.unit(out);
            }
        }
        if last && !self.pending.is_empty() {
            self.character(char::REPLACEMENT_CHARACTER, self.pending.len(), out);
        }
    }

    /// Takes the code unit at the end of what is pending.
    fn unit(&mut self, out: &mut Vec<u8>) {
        let Machine::Utf16 { big, lead } = &mut self.machine else {
            return;
        };
        let pair = [
            self.pending[self.pending.len() - 2],
            self.pending[self.pending.len() - 1],
        ];
        let unit = match big {
            true => u16::from_be_bytes(pair),
            false => u16::from_le_bytes(pair),
        };
        match (lead.take(), unit) {
            (None, 0xD800..=0xDBFF) => *lead = Some(unit),
            (Some(high), 0xDC00..=0xDFFF) => {
                let high = u32::from(high - 0xD800) << 10;
                let number = 0x1_0000 + high + u32::from(unit - 0xDC00);
                let character = char::from_u32(number);
                self.character(character.unwrap_or(char::REPLACEMENT_CHARACTER), 4, out);
            }
            (Some(_), _) => {
                // The first half of a pair stands alone.
                self.character(char::REPLACEMENT_CHARACTER, 2, out);
                self.unit(out);
            }
            (None, _) => {
                let character = char::from_u32(u32::from(unit));
                self.character(character.unwrap_or(char::REPLACEMENT_CHARACTER), 2, out);
            }
        }
    }

    /// Appends a character that the first `length` pending bytes stand for.
    fn character(&mut self, character: char, length: usize, out: &mut Vec<u8>) {
        let stored = self.taken - self.pending.len() as u64;
        self.pending.drain(..length);
        let mut buffer = [0; 4];
        let made = character.encode_utf8(&mut buffer).as_bytes();
        out.extend_from_slice(made);
        self.note(stored, length, made.len());
    }

    fn note(&mut self, stored: u64, length: usize, made: usize) {
        let run = UniformRun {
            made: self.made,
            stored,
            made_unit: made as u8,
            stored_unit: length as u8,
        };
        let follows = self.runs.last().is_some_and(|last| {
            let units = (run.made - last.made) / u64::from(last.made_unit);
            last.made_unit == run.made_unit
                && last.stored_unit == run.stored_unit
                && last.stored + units * u64::from(last.stored_unit) == stored
        });
        if !follows {
            self.runs.push(run);
        }
        self.made += made as u64;
    }

    fn push_other(&mut self, stored: &[u8], last: bool, out: &mut Vec<u8>) {
        for &byte in stored {
            self.taken += 1;
            self.pending.push(byte);
            self.decode(&[byte], false, out);
            // An escape sequence makes no character and belongs to none.
            if self.pending.len() == 3 && self.pending[0] == 0x1B {
                self.pending.clear();
            }
        }
        if last {
            self.decode(&[], true, out);
        }
    }

    fn decode(&mut self, mut bytes: &[u8], last: bool, out: &mut Vec<u8>) {
        let mut buffer = [0; 16];
        loop {
            let Machine::Other(decoder) = &mut self.machine else {
                return;
            };
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(bytes, &mut buffer, last);
            bytes = &bytes[read..];
            let text = String::from_utf8_lossy(&buffer[..written]).into_owned();
            for character in text.chars() {
                let length = self.pending.len();
                self.character(character, length, out);
            }
            match result {
                DecoderResult::Malformed(_, behind) => {
                    // Bytes behind the malformed ones start the next character.
                    let length = self.pending.len().saturating_sub(behind as usize);
                    self.character(char::REPLACEMENT_CHARACTER, length, out);
                }
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{ISO_2022_JP, REPLACEMENT};

    /// Decodes in pieces of a size, and returns the text and where each character is stored.
    fn decode(encoding: &'static Encoding, bytes: &[u8], size: usize) -> (String, Vec<u64>) {
        let mut transcoder = Transcoder::new(encoding, 0);
        let mut out = Vec::new();
        for piece in bytes.chunks(size) {
            transcoder.push(piece, false, &mut out);
        }
        transcoder.push(&[], true, &mut out);
        let text = String::from_utf8(out).unwrap();
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let stored = ends.map(|at| transcoder.stored(at as u64)).collect();
        (text, stored)
    }

    #[test]
    fn text_and_places_are_the_same_for_pieces_of_any_size() {
        let rows: &[(&'static Encoding, &[u8], &[u64])] = &[
            (
                UTF_16LE,
                b"a\0b\0\xe9\0\x42\x30\x34\xd8\x1e\xddz\0",
                &[0, 2, 4, 6, 8, 12, 14],
            ),
            (UTF_16BE, b"\0a\xd8\x34\0b\xdd\x1e\0", &[0, 2, 4, 6, 8, 9]),
            (UTF_16LE, b"a\0\x34\xd8", &[0, 2, 4]),
            (ISO_2022_JP, b"x\x1b$B$\"$$\x1b(By", &[0, 4, 6, 11, 12]),
        ];
        for (encoding, bytes, places) in rows {
            let (expected, _) = encoding.decode_without_bom_handling(bytes);
            for size in 1..=bytes.len() {
                let (text, stored) = decode(encoding, bytes, size);
                assert_eq!(text, expected, "{} in pieces of {size}", encoding.name());
                assert_eq!(stored, *places, "{} in pieces of {size}", encoding.name());
            }
        }
        assert_eq!(decode(REPLACEMENT, b"<a href=x>", 3).0, "\u{fffd}");
    }

    #[test]
    fn any_bytes_decode_as_encoding_rs_has_it() {
        let mut state = 1u32;
        for round in 0..2000 {
            let length = round % 23;
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"\x1b$(BJ@\"!a\0\xd8\xdc\xff<"[(state >> 24) as usize % 14]
                })
                .collect();
            for encoding in [UTF_16LE, UTF_16BE, ISO_2022_JP, REPLACEMENT] {
                let (expected, _) = encoding.decode_without_bom_handling(&bytes);
                let (text, stored) = decode(encoding, &bytes, 1 + round % 5);
                assert_eq!(text, expected, "{} {bytes:?}", encoding.name());
                assert!(
                    stored.is_sorted(),
                    "{} {bytes:?} {stored:?}",
                    encoding.name()
                );
                assert!(
                    stored.iter().all(|&at| at <= bytes.len() as u64),
                    "{stored:?}"
                );
            }
        }
    }
}
