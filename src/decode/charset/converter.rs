//! To UTF-8, piece by piece, with a map back to the bytes.

use encoding_rs::{CoderResult, Decoder, Encoding};

use super::labels::ConverterInput;
use super::shift::Shifted;
use super::unicode::{Utf7, WideDecoder};
use crate::decode::offset_map::OffsetMap;

/// Converts one text to UTF-8.
pub(crate) struct Converter {
    state: ConverterState,
}

enum ConverterState {
    Legacy(Box<LegacyDecoder>),
    Wide(WideDecoder),
    Utf7(Utf7),
    Shifted(Shifted),
}

impl Converter {
    pub(crate) fn new(source: ConverterInput) -> Self {
        let state = match source {
            ConverterInput::Encoding(encoding) => {
                ConverterState::Legacy(Box::new(LegacyDecoder::new(encoding)))
            }
            ConverterInput::Utf16(order) => ConverterState::Wide(WideDecoder::new(2, order)),
            ConverterInput::Utf32(order) => ConverterState::Wide(WideDecoder::new(4, order)),
            ConverterInput::Utf7 => ConverterState::Utf7(Utf7::default()),
            ConverterInput::Shifts(shifts) => ConverterState::Shifted(Shifted::new(shifts)),
        };
        Converter { state }
    }

    /// Appends what the bytes mean; returns whether some of them mean nothing.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        map: &mut OffsetMap,
    ) -> bool {
        match &mut self.state {
            ConverterState::Legacy(legacy) => legacy.push(bytes, last, out, map),
            ConverterState::Wide(wide) => wide.push(bytes, last, out, map),
            ConverterState::Utf7(utf7) => utf7.push(bytes, last, out, map),
            ConverterState::Shifted(shifted) => shifted.push(bytes, last, out, map),
        }
    }
}

/// A decoder of encoding_rs, fed byte by byte where characters are longer than one: it does not
/// say where a character began.
struct LegacyDecoder {
    decoder: Decoder,
    /// Bytes of the character at hand.
    pending: usize,
    /// ASCII stands for itself at any time, but within a character.
    stateless: bool,
    /// Bytes of an escape sequence that are still to come.
    escape: EscapeState,
    /// Characters from 0x80 on, where each is one byte.
    single: Option<[Single; 128]>,
}

/// A character in UTF-8.
#[derive(Clone, Copy, Default)]
struct Single {
    bytes: [u8; 3],
    length: u8,
    malformed: bool,
}

impl Single {
    fn table(encoding: &'static Encoding) -> Option<[Single; 128]> {
        encoding.is_single_byte().then(|| {
            let mut table = [Single::default(); 128];
            let bytes: [u8; 128] = std::array::from_fn(|index| 0x80 + index as u8);
            let (text, _) = encoding.decode_without_bom_handling(&bytes);
            for (character, single) in text.chars().zip(&mut table) {
                // A byte that means nothing becomes one replacement character.
                single.malformed = character == char::REPLACEMENT_CHARACTER;
                single.length = character.len_utf8() as u8;
                character.encode_utf8(&mut single.bytes);
            }
            table
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapeState {
    None,
    Begun,
    Intermediate,
}

impl LegacyDecoder {
    fn new(encoding: &'static Encoding) -> Self {
        LegacyDecoder {
            decoder: encoding.new_decoder_without_bom_handling(),
            pending: 0,
            stateless: encoding != encoding_rs::ISO_2022_JP,
            escape: EscapeState::None,
            single: Single::table(encoding),
        }
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>, map: &mut OffsetMap) -> bool {
        let mut malformed = false;
        let mut at = 0;
        while at < bytes.len() {
            if self.stateless && self.pending == 0 {
                let run = &bytes[at..];
                let run = &run[..Encoding::ascii_valid_up_to(run)];
                if !run.is_empty() {
                    out.extend_from_slice(run);
                    map.run(run.len(), 1);
                    at += run.len();
                    continue;
                }
            }
            if let Some(table) = &self.single {
                let single = table[usize::from(bytes[at] & 0x7F)];
                let length = usize::from(single.length);
                out.extend_from_slice(&single.bytes[..length]);
                map.put(length, 1);
                malformed |= single.malformed;
            } else {
                malformed |= self.byte(bytes[at], out, map);
            }
            at += 1;
        }
        if last {
            malformed |= self.decode(&[], true, out, map);
        }
        malformed
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<u8>, map: &mut OffsetMap) -> bool {
        if !self.stateless && self.pending == 0 {
            // ESC ( B, ESC $ B, ESC $ ( D: no part of the character behind.
            self.escape = match (self.escape, byte) {
                (_, 0x1B) => EscapeState::Begun,
                (EscapeState::Begun | EscapeState::Intermediate, b'$' | b'(' | b'&' | b'.') => {
                    EscapeState::Intermediate
                }
                _ => {
                    let ends = self.escape == EscapeState::Intermediate;
                    self.escape = EscapeState::None;
                    if ends {
                        let malformed = self.decode(&[byte], false, out, map);
                        map.skip(std::mem::take(&mut self.pending));
                        return malformed;
                    }
                    EscapeState::None
                }
            };
            if self.escape != EscapeState::None {
                let malformed = self.decode(&[byte], false, out, map);
                map.skip(std::mem::take(&mut self.pending));
                return malformed;
            }
        }
        self.decode(&[byte], false, out, map)
    }

    fn decode(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>, map: &mut OffsetMap) -> bool {
        // One byte can complete one character and one replacement.
        let mut buffer = [0; 32];
        let (result, _, written, malformed) = self.decoder.decode_to_utf8(bytes, &mut buffer, last);
        debug_assert!(matches!(result, CoderResult::InputEmpty));
        self.pending += bytes.len();
        if written > 0 {
            out.extend_from_slice(&buffer[..written]);
            map.put(written, self.pending);
            self.pending = 0;
        } else if last {
            map.skip(std::mem::take(&mut self.pending));
        }
        malformed
    }
}
