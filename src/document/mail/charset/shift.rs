//! Charsets without a decoder whose shifts are known: ASCII passes, everything else becomes one
//! U+FFFD for each pair.

use crate::document::mail::segments::Segments;

/// How a charset leaves ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shifts {
    /// `~{` and `~}` (RFC 1843).
    Hz,
    /// SO and SI, ESC N, designations (RFC 1557, RFC 1922).
    Iso2022,
}

/// Skips what is shifted.
pub(super) struct Shifted {
    shifts: Shifts,
    mode: Mode,
    /// Source bytes of the character or the sequence at hand.
    pending: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Ascii,
    /// Behind a tilde.
    Tilde,
    /// Behind ESC.
    Escape,
    /// In a designation.
    Designation,
    /// Between characters of two bytes.
    Pairs,
    /// Behind the first byte of one.
    Second,
    /// Behind a tilde, between characters of two bytes.
    PairsTilde,
    /// Before the first byte of a single shifted character.
    Single,
    /// Before its second byte.
    SingleSecond,
}

const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

impl Shifted {
    pub(super) fn new(shifts: Shifts) -> Self {
        Shifted {
            shifts,
            mode: Mode::Ascii,
            pending: 0,
        }
    }

    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        map: &mut Segments,
    ) -> bool {
        for &byte in bytes {
            self.byte(byte, out, map);
        }
        let cut = last && self.pending > 0;
        if cut {
            self.emit(REPLACEMENT, out, map);
        }
        cut
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<u8>, map: &mut Segments) {
        self.pending += 1;
        let hz = self.shifts == Shifts::Hz;
        self.mode = match self.mode {
            // A line always starts in ASCII.
            _ if matches!(byte, b'\n' | b'\r') => {
                if self.mode == Mode::Tilde {
                    self.skip(map);
                } else {
                    self.emit(&[byte], out, map);
                }
                Mode::Ascii
            }
            Mode::Ascii if hz && byte == b'~' => Mode::Tilde,
            Mode::Ascii if !hz && byte == 0x1B => Mode::Escape,
            Mode::Ascii | Mode::Pairs if !hz && byte == 0x0E => self.to(Mode::Pairs, map),
            Mode::Ascii | Mode::Pairs if !hz && byte == 0x0F => self.to(Mode::Ascii, map),
            Mode::Ascii => {
                self.emit(&[byte], out, map);
                Mode::Ascii
            }
            Mode::Tilde if byte == b'{' => self.to(Mode::Pairs, map),
            Mode::Tilde => {
                let text: &[u8] = if byte == b'~' { b"~" } else { &[b'~', byte] };
                self.emit(text, out, map);
                Mode::Ascii
            }
            Mode::Escape if byte == b'N' => self.to(Mode::Single, map),
            Mode::Escape if byte == b'$' => Mode::Designation,
            Mode::Escape => self.to(Mode::Ascii, map),
            Mode::Designation if matches!(byte, b')' | b'*' | b'+' | b'(') => Mode::Designation,
            Mode::Designation => self.to(Mode::Ascii, map),
            Mode::Pairs if hz && byte == b'~' => Mode::PairsTilde,
            Mode::Pairs if !hz && byte == 0x1B => Mode::Escape,
            Mode::Pairs => Mode::Second,
            Mode::PairsTilde if byte == b'}' => self.to(Mode::Ascii, map),
            Mode::Second | Mode::PairsTilde => {
                self.emit(REPLACEMENT, out, map);
                Mode::Pairs
            }
            Mode::Single => Mode::SingleSecond,
            Mode::SingleSecond => {
                self.emit(REPLACEMENT, out, map);
                Mode::Ascii
            }
        };
    }

    fn to(&mut self, mode: Mode, map: &mut Segments) -> Mode {
        self.skip(map);
        mode
    }

    fn skip(&mut self, map: &mut Segments) {
        map.skip(std::mem::take(&mut self.pending));
    }

    fn emit(&mut self, text: &[u8], out: &mut Vec<u8>, map: &mut Segments) {
        out.extend_from_slice(text);
        map.put(text.len(), std::mem::take(&mut self.pending));
    }
}
