//! UTF-16, UTF-32 and UTF-7 (RFC 2152).

use crate::decode::offset_map::OffsetMap;
use crate::decode::transfer::sextet;

/// Which byte of a code unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Big,
    Little,
}

/// UTF-16 and UTF-32.
pub(super) struct WideDecoder {
    width: usize,
    order: Option<ByteOrder>,
    unit: [u8; 4],
    filled: usize,
    units: Units,
    start: bool,
}

impl WideDecoder {
    pub(super) fn new(width: usize, order: Option<ByteOrder>) -> Self {
        WideDecoder {
            width,
            order,
            unit: [0; 4],
            filled: 0,
            units: Units::default(),
            start: true,
        }
    }

    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        map: &mut OffsetMap,
    ) -> bool {
        let mut malformed = false;
        for &byte in bytes {
            self.unit[self.filled] = byte;
            self.filled += 1;
            if self.filled == self.width {
                self.filled = 0;
                malformed |= self.complete(out, map);
            }
        }
        if last && (self.filled > 0 || self.units.high.is_some()) {
            self.units.pending += std::mem::take(&mut self.filled);
            self.units.flush(out, map);
            malformed = true;
        }
        malformed
    }

    fn complete(&mut self, out: &mut Vec<u8>, map: &mut OffsetMap) -> bool {
        let order = *self.order.get_or_insert_with(|| {
            // A byte order mark decides; else text is mostly ASCII, whose first byte is 0.
            let little = self.unit[0] != 0 && self.unit[..2] != [0xFE, 0xFF];
            if little {
                ByteOrder::Little
            } else {
                ByteOrder::Big
            }
        });
        let mut unit = self.unit;
        let unit = &mut unit[..self.width];
        if order == ByteOrder::Little {
            unit.reverse();
        }
        let value = unit
            .iter()
            .fold(0, |value, &byte| value << 8 | u32::from(byte));
        if std::mem::take(&mut self.start) && value == 0xFEFF {
            map.skip(self.width);
            return false;
        }
        self.units.pending += self.width;
        if self.width == 2 {
            self.units.push(value, out, map)
        } else {
            self.units.character(char::from_u32(value), out, map)
        }
    }
}

/// UTF-16 code units to characters.
#[derive(Default)]
struct Units {
    high: Option<u32>,
    /// Source bytes of the character at hand.
    pending: usize,
}

impl Units {
    fn push(&mut self, unit: u32, out: &mut Vec<u8>, map: &mut OffsetMap) -> bool {
        match (self.high.take(), unit) {
            (Some(high), 0xDC00..=0xDFFF) => {
                let value = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
                self.character(char::from_u32(value), out, map)
            }
            (None, 0xD800..=0xDBFF) => {
                self.high = Some(unit);
                false
            }
            (None, _) => self.character(char::from_u32(unit), out, map),
            (Some(_), _) => {
                self.flush(out, map);
                self.push(unit, out, map);
                true
            }
        }
    }

    fn flush(&mut self, out: &mut Vec<u8>, map: &mut OffsetMap) {
        self.high = None;
        self.character(None, out, map);
    }

    fn character(
        &mut self,
        character: Option<char>,
        out: &mut Vec<u8>,
        map: &mut OffsetMap,
    ) -> bool {
        let text = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut buffer = [0; 4];
        let text = text.encode_utf8(&mut buffer).as_bytes();
        out.extend_from_slice(text);
        map.put(text.len(), std::mem::take(&mut self.pending));
        character.is_none()
    }
}

/// UTF-7: ASCII, and UTF-16 in modified base64 between `+` and `-`.
#[derive(Default)]
pub(super) struct Utf7 {
    shifted: bool,
    empty: bool,
    bits: u32,
    count: u32,
    units: Units,
}

impl Utf7 {
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        map: &mut OffsetMap,
    ) -> bool {
        let mut malformed = false;
        for &byte in bytes {
            if !self.shifted {
                if byte == b'+' {
                    (self.shifted, self.empty) = (true, true);
                    (self.bits, self.count) = (0, 0);
                    self.units.pending = 1;
                } else {
                    out.push(byte);
                    map.run(1, 1);
                }
            } else if let Some(value) = sextet(byte) {
                self.empty = false;
                self.units.pending += 1;
                self.bits = self.bits << 6 | u32::from(value);
                self.count += 6;
                if self.count >= 16 {
                    self.count -= 16;
                    let unit = self.bits >> self.count & 0xFFFF;
                    malformed |= self.units.push(unit, out, map);
                }
            } else {
                malformed |= self.unshift(byte, out, map);
            }
        }
        if last && self.units.high.is_some() {
            self.units.flush(out, map);
            malformed = true;
        }
        malformed
    }

    fn unshift(&mut self, byte: u8, out: &mut Vec<u8>, map: &mut OffsetMap) -> bool {
        self.shifted = false;
        let lone = self.units.high.is_some();
        if lone {
            self.units.flush(out, map);
        }
        // "+-" is a plus sign; otherwise a minus sign only ends the shift.
        if byte == b'-' {
            let pending = std::mem::take(&mut self.units.pending) + 1;
            if self.empty {
                out.push(b'+');
                map.put(1, pending);
            } else {
                map.skip(pending);
            }
        } else {
            map.skip(std::mem::take(&mut self.units.pending));
            out.push(byte);
            map.run(1, 1);
        }
        lone
    }
}
