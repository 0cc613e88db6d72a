//! Charsets without a decoder whose shifts are known: ASCII passes, everything else becomes one
//! U+FFFD for each pair.

use crate::decode::offset_map::OffsetMap;

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
    mode: ShiftMode,
    /// Source bytes of the character or the sequence at hand.
    pending: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ShiftMode {
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
            mode: ShiftMode::Ascii,
            pending: 0,
        }
    }

    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        map: &mut OffsetMap,
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

    fn byte(&mut self, byte: u8, out: &mut Vec<u8>, map: &mut OffsetMap) {
        self.pending += 1;
        let hz = self.shifts == Shifts::Hz;
        self.mode = match self.mode {
            // A line always starts in ASCII.
            _ if matches!(byte, b'\n' | b'\r') => {
                if self.mode == ShiftMode::Tilde {
                    self.skip(map);
                } else {
                    self.emit(&[byte], out, map);
                }
                ShiftMode::Ascii
            }
            ShiftMode::Ascii if hz && byte == b'~' => ShiftMode::Tilde,
            ShiftMode::Ascii if !hz && byte == 0x1B => ShiftMode::Escape,
            ShiftMode::Ascii | ShiftMode::Pairs if !hz && byte == 0x0E => {
                self.to(ShiftMode::Pairs, map)
            }
            ShiftMode::Ascii | ShiftMode::Pairs if !hz && byte == 0x0F => {
                self.to(ShiftMode::Ascii, map)
            }
            ShiftMode::Ascii => {
                self.emit(&[byte], out, map);
                ShiftMode::Ascii
            }
            ShiftMode::Tilde if byte == b'{' => self.to(ShiftMode::Pairs, map),
            ShiftMode::Tilde => {
                let text: &[u8] = if byte == b'~' { b"~" } else { &[b'~', byte] };
                self.emit(text, out, map);
                ShiftMode::Ascii
            }
            ShiftMode::Escape if byte == b'N' => self.to(ShiftMode::Single, map),
            ShiftMode::Escape if byte == b'$' => ShiftMode::Designation,
            ShiftMode::Escape => self.to(ShiftMode::Ascii, map),
            ShiftMode::Designation if matches!(byte, b')' | b'*' | b'+' | b'(') => {
                ShiftMode::Designation
            }
            ShiftMode::Designation => self.to(ShiftMode::Ascii, map),
            ShiftMode::Pairs if hz && byte == b'~' => ShiftMode::PairsTilde,
            ShiftMode::Pairs if !hz && byte == 0x1B => ShiftMode::Escape,
            ShiftMode::Pairs => ShiftMode::Second,
            ShiftMode::PairsTilde if byte == b'}' => self.to(ShiftMode::Ascii, map),
            ShiftMode::Second | ShiftMode::PairsTilde => {
                self.emit(REPLACEMENT, out, map);
                ShiftMode::Pairs
            }
            ShiftMode::Single => ShiftMode::SingleSecond,
            ShiftMode::SingleSecond => {
                self.emit(REPLACEMENT, out, map);
                ShiftMode::Ascii
            }
        };
    }

    fn to(&mut self, mode: ShiftMode, map: &mut OffsetMap) -> ShiftMode {
        self.skip(map);
        mode
    }

    fn skip(&mut self, map: &mut OffsetMap) {
        map.skip(std::mem::take(&mut self.pending));
    }

    fn emit(&mut self, text: &[u8], out: &mut Vec<u8>, map: &mut OffsetMap) {
        out.extend_from_slice(text);
        map.put(text.len(), std::mem::take(&mut self.pending));
    }
}
