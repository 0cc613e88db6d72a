//! Converters to UTF-8.

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_16BE, UTF_16LE};
use memchr::memchr;

use crate::decode::transfer::sextet;
use crate::decode::{Decode, RecordOffsets};

const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

#[derive(Clone, Copy, Debug)]
pub(crate) enum ConverterInput {
    Encoding(&'static Encoding),
    /// UTF-16 or UTF-32, by the number of bytes of a code unit.
    Wide(usize, Option<ByteOrder>),
    Utf7,
    Shifts(Shifts),
}

impl From<&'static Encoding> for ConverterInput {
    fn from(encoding: &'static Encoding) -> Self {
        if encoding == UTF_16LE {
            ConverterInput::Wide(2, Some(ByteOrder::Little))
        } else if encoding == UTF_16BE {
            ConverterInput::Wide(2, Some(ByteOrder::Big))
        } else {
            ConverterInput::Encoding(encoding)
        }
    }
}

/// Which byte of a code unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Big,
    Little,
}

/// The shifts out of ASCII in a charset that nothing here decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shifts {
    /// `~{` and `~}` (RFC 1843).
    Hz,
    /// SO and SI, ESC N, designations (RFC 1557, RFC 1922).
    Iso2022,
}

pub(crate) struct Converter {
    decoder: CharsetDecoder,
    faults: u64,
}

enum CharsetDecoder {
    /// An encoding of encoding_rs other than UTF-16.
    Legacy(Box<LegacyDecoder>),
    Wide(WideDecoder),
    Utf7(Utf7Decoder),
    Shifted(ShiftedDecoder),
}

impl Converter {
    pub(crate) fn new(input: ConverterInput) -> Self {
        let decoder = match input {
            ConverterInput::Encoding(encoding) => {
                CharsetDecoder::Legacy(Box::new(LegacyDecoder::new(encoding)))
            }
            ConverterInput::Wide(width, order) => CharsetDecoder::Wide(WideDecoder {
                width,
                order,
                ..WideDecoder::default()
            }),
            ConverterInput::Utf7 => CharsetDecoder::Utf7(Utf7Decoder::default()),
            ConverterInput::Shifts(shifts) => CharsetDecoder::Shifted(ShiftedDecoder {
                shifts,
                mode: ShiftMode::Ascii,
                pending: 0,
            }),
        };
        Converter { decoder, faults: 0 }
    }

    /// Returns the converter for another text, if its encoding is the same and has a table.
    pub(crate) fn restarted(mut self, input: ConverterInput) -> Option<Self> {
        match (&mut self.decoder, input) {
            (CharsetDecoder::Legacy(decoder), ConverterInput::Encoding(encoding))
                if decoder.decoder.encoding() == encoding =>
            {
                decoder.decoder = encoding.new_decoder_without_bom_handling();
                decoder.pending.clear();
                self.faults = 0;
                Some(self)
            }
            _ => None,
        }
    }
}

impl Decode for Converter {
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        let to = &mut DecodedOutput {
            out,
            offsets,
            faults: &mut self.faults,
        };
        match &mut self.decoder {
            CharsetDecoder::Legacy(decoder) => decoder.push(input, to),
            CharsetDecoder::Wide(decoder) => decoder.push(input, to),
            CharsetDecoder::Utf7(decoder) => decoder.push(input, to),
            CharsetDecoder::Shifted(decoder) => {
                input.iter().for_each(|&byte| decoder.push_byte(byte, to));
            }
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>, offsets: &mut impl RecordOffsets) {
        let to = &mut DecodedOutput {
            out,
            offsets,
            faults: &mut self.faults,
        };
        match &mut self.decoder {
            CharsetDecoder::Legacy(decoder) => {
                decoder.decode(&[], true, to);
                to.offsets.skip(decoder.pending.len());
                decoder.pending.clear();
            }
            CharsetDecoder::Wide(decoder) => {
                let pending = std::mem::take(&mut decoder.filled);
                decoder.surrogates.finish(pending, to);
            }
            CharsetDecoder::Utf7(decoder) => {
                decoder.surrogates.finish(0, to);
                to.offsets.skip(std::mem::take(&mut decoder.pending));
            }
            CharsetDecoder::Shifted(decoder) => match std::mem::take(&mut decoder.pending) {
                0 => {}
                pending => to.put_malformed(pending),
            },
        }
    }

    fn faults(&self) -> u64 {
        self.faults
    }
}

struct DecodedOutput<'a, R> {
    out: &'a mut Vec<u8>,
    offsets: &'a mut R,
    faults: &'a mut u64,
}

impl<R: RecordOffsets> DecodedOutput<'_, R> {
    fn copy(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.offsets.copy(bytes.len());
    }

    fn put(&mut self, text: &[u8], length: usize) {
        self.out.extend_from_slice(text);
        self.offsets.put(text.len(), length);
    }

    /// Appends U+FFFD for `length` source bytes.
    fn put_malformed(&mut self, length: usize) {
        *self.faults += 1;
        self.put(REPLACEMENT, length);
    }

    /// Appends a character, or U+FFFD for none, which comes from `length` source bytes.
    fn put_character(&mut self, character: Option<char>, length: usize) {
        match character {
            Some(character) => self.put(character.encode_utf8(&mut [0; 4]).as_bytes(), length),
            None => self.put_malformed(length),
        }
    }
}

/// A decoder of encoding_rs, fed byte by byte: the crate does not report where a long character begins.
struct LegacyDecoder {
    decoder: Decoder,
    pending: Vec<u8>,
    /// Whether ASCII bytes outside a character are ASCII characters.
    is_ascii_superset: bool,
    /// Characters from 0x80 on in a single-byte encoding; U+FFFD for malformed bytes.
    single: Option<[char; 128]>,
}

/// The longest character of any encoding, in bytes, and the longest escape sequence.
const LONGEST: usize = 4;
const ESCAPE_SEQUENCE: usize = 3;

impl LegacyDecoder {
    fn new(encoding: &'static Encoding) -> Self {
        LegacyDecoder {
            decoder: encoding.new_decoder_without_bom_handling(),
            pending: Vec::new(),
            is_ascii_superset: encoding.is_ascii_compatible(),
            single: encoding.is_single_byte().then(|| {
                let bytes: [u8; 128] = std::array::from_fn(|index| 0x80 + index as u8);
                let (text, _) = encoding.decode_without_bom_handling(&bytes);
                let mut characters = text.chars();
                std::array::from_fn(|_| characters.next().unwrap_or(char::REPLACEMENT_CHARACTER))
            }),
        }
    }

    fn push(&mut self, mut input: &[u8], to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        loop {
            if self.is_ascii_superset && self.pending.is_empty() {
                let (ascii, rest) = input.split_at(Encoding::ascii_valid_up_to(input));
                to.copy(ascii);
                input = rest;
            }
            let [byte, rest @ ..] = input else { return };
            input = rest;
            if let Some(table) = &self.single {
                let character = table[usize::from(byte & 0x7F)];
                let is_known = character != char::REPLACEMENT_CHARACTER;
                to.put_character(is_known.then_some(character), 1);
            } else {
                self.push_byte(*byte, to);
            }
        }
    }

    fn push_byte(&mut self, byte: u8, to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        self.pending.push(byte);
        self.decode(&[byte], false, to);
        // An escape sequence makes no character and belongs to none, and neither does what follows the
        // only character of the encoding "replacement".
        let is_escape = self.pending.len() == ESCAPE_SEQUENCE && self.pending[0] == 0x1B;
        if is_escape || self.pending.len() > LONGEST {
            to.offsets.skip(self.pending.len());
            self.pending.clear();
        }
    }

    fn decode(
        &mut self,
        mut input: &[u8],
        last: bool,
        to: &mut DecodedOutput<'_, impl RecordOffsets>,
    ) {
        let mut buffer = [0; 16];
        loop {
            let (result, read, written) =
                self.decoder
                    .decode_to_utf8_without_replacement(input, &mut buffer, last);
            input = &input[read..];
            if written > 0 {
                to.put(&buffer[..written], self.pending.len());
                self.pending.clear();
            }
            match result {
                DecoderResult::Malformed(_, after) => {
                    // Bytes after the malformed ones start the next character.
                    let length = self.pending.len().saturating_sub(after.into());
                    to.put_malformed(length);
                    self.pending.drain(..length);
                }
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
            }
        }
    }
}

/// UTF-16 and UTF-32. A byte order mark at the start is left out.
#[derive(Default)]
struct WideDecoder {
    width: usize,
    /// None until the first unit decides.
    order: Option<ByteOrder>,
    unit: [u8; 4],
    filled: usize,
    surrogates: Surrogates,
    is_started: bool,
}

impl WideDecoder {
    fn push_unit(&mut self, to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        // A byte order mark decides; else text is mostly ASCII, whose first byte is 0.
        let is_big = self.unit[0] == 0 || self.unit.starts_with(b"\xFE\xFF");
        let order = [ByteOrder::Little, ByteOrder::Big][usize::from(is_big)];
        let order = *self.order.get_or_insert(order);
        let mut unit = self.unit;
        let unit = &mut unit[..self.width];
        if order == ByteOrder::Little {
            unit.reverse();
        }
        let bytes = unit.iter();
        let value = bytes.fold(0, |value, &byte| value << 8 | u32::from(byte));
        if !std::mem::replace(&mut self.is_started, true) && value == 0xFEFF {
            to.offsets.skip(self.width);
        } else if self.width == 2 {
            self.surrogates.push(value, self.width, to);
        } else {
            to.put_character(char::from_u32(value), self.width);
        }
    }

    fn push(&mut self, input: &[u8], to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        for &byte in input {
            self.unit[self.filled] = byte;
            self.filled += 1;
            if self.filled == self.width {
                self.filled = 0;
                self.push_unit(to);
            }
        }
    }
}

/// Pairs UTF-16 code units to characters.
#[derive(Default)]
struct Surrogates {
    /// A high surrogate, and the source bytes that it comes from.
    high: Option<(u32, usize)>,
}

impl Surrogates {
    /// Takes a code unit that comes from `length` source bytes.
    fn push(&mut self, unit: u32, length: usize, to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        match (self.high.take(), unit) {
            (None, 0xD800..=0xDBFF) => self.high = Some((unit, length)),
            (Some((high, before)), 0xDC00..=0xDFFF) => {
                let value = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
                to.put_character(char::from_u32(value), before + length);
            }
            (Some((_, before)), _) => {
                to.put_malformed(before);
                self.push(unit, length, to);
            }
            (None, _) => to.put_character(char::from_u32(unit), length),
        }
    }

    /// Ends the text after `rest` more source bytes, which are not a code unit.
    fn finish(&mut self, rest: usize, to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        let before = self.high.take().map(|(_, before)| before);
        if before.is_some() || rest > 0 {
            to.put_malformed(before.unwrap_or(0) + rest);
        }
    }
}

/// UTF-7 (RFC 2152): ASCII, and UTF-16 in modified base64 between `+` and `-`.
#[derive(Default)]
struct Utf7Decoder {
    is_shifted: bool,
    /// No digit follows the `+`.
    is_empty: bool,
    bits: u32,
    bit_count: u32,
    /// Source bytes since the last code unit.
    pending: usize,
    surrogates: Surrogates,
}

impl Utf7Decoder {
    fn push(&mut self, mut input: &[u8], to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        while let [first, rest @ ..] = input {
            if self.is_shifted {
                self.push_shifted(*first, to);
                input = rest;
                continue;
            }
            let plus = memchr(b'+', input);
            let (direct, rest) = input.split_at(plus.unwrap_or(input.len()));
            to.copy(direct);
            input = rest;
            if plus.is_some() {
                input = &rest[1..];
                (self.is_shifted, self.is_empty) = (true, true);
                (self.bits, self.bit_count) = (0, 0);
                self.pending = 1;
            }
        }
    }

    fn push_shifted(&mut self, byte: u8, to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        let Some(value) = sextet(byte) else {
            return self.unshift(byte, to);
        };
        self.is_empty = false;
        self.pending += 1;
        self.bits = self.bits << 6 | u32::from(value);
        self.bit_count += 6;
        if self.bit_count >= 16 {
            self.bit_count -= 16;
            let unit = self.bits >> self.bit_count & 0xFFFF;
            let length = std::mem::take(&mut self.pending);
            self.surrogates.push(unit, length, to);
        }
    }

    /// Takes the byte that ends a shifted sequence: `-` belongs to the sequence, others do not.
    fn unshift(&mut self, byte: u8, to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        self.is_shifted = false;
        self.surrogates.finish(0, to);
        let pending = std::mem::take(&mut self.pending);
        match byte {
            b'-' if self.is_empty => to.put(b"+", pending + 1),
            b'-' => to.offsets.skip(pending + 1),
            _ => {
                to.offsets.skip(pending);
                to.copy(&[byte]);
            }
        }
    }
}

/// A charset whose shifts alone are known: pairs of bytes other than ASCII become U+FFFD.
struct ShiftedDecoder {
    shifts: Shifts,
    mode: ShiftMode,
    /// Source bytes of a character or a sequence that is not complete.
    pending: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ShiftMode {
    Ascii,
    Tilde,
    Escape,
    Designation,
    /// Between characters of two bytes.
    Pairs,
    /// After the first byte of one.
    Second,
    /// After a tilde, between characters of two bytes.
    PairsTilde,
    /// Before the first byte of a single shifted character.
    Single,
    /// Before its second byte.
    SingleSecond,
}

impl ShiftedDecoder {
    fn push_byte(&mut self, byte: u8, to: &mut DecodedOutput<'_, impl RecordOffsets>) {
        self.pending += 1;
        let is_hz = self.shifts == Shifts::Hz;
        let is_between = matches!(
            self.mode,
            ShiftMode::Ascii | ShiftMode::Tilde | ShiftMode::Pairs
        );
        if !is_between && matches!(byte, b'\n' | b'\r') {
            // The line ends inside a character or a sequence, whose bytes are lost.
            to.put_malformed(std::mem::replace(&mut self.pending, 1) - 1);
        }
        let (mode, text): (ShiftMode, &[u8]) = match self.mode {
            // A line always starts in ASCII.
            ShiftMode::Tilde if matches!(byte, b'\n' | b'\r') => (ShiftMode::Ascii, b""),
            _ if matches!(byte, b'\n' | b'\r') => (ShiftMode::Ascii, &[byte]),
            ShiftMode::Ascii if is_hz && byte == b'~' => return self.mode = ShiftMode::Tilde,
            ShiftMode::Ascii if !is_hz && byte == 0x1B => return self.mode = ShiftMode::Escape,
            ShiftMode::Ascii | ShiftMode::Pairs if !is_hz && byte == 0x0E => {
                (ShiftMode::Pairs, b"")
            }
            ShiftMode::Ascii | ShiftMode::Pairs if !is_hz && byte == 0x0F => {
                (ShiftMode::Ascii, b"")
            }
            ShiftMode::Ascii => (ShiftMode::Ascii, &[byte]),
            ShiftMode::Tilde if byte == b'{' => (ShiftMode::Pairs, b""),
            ShiftMode::Tilde if byte == b'~' => (ShiftMode::Ascii, b"~"),
            ShiftMode::Tilde => (ShiftMode::Ascii, &[b'~', byte]),
            ShiftMode::Escape if byte == b'N' => (ShiftMode::Single, b""),
            ShiftMode::Escape if byte == b'$' => return self.mode = ShiftMode::Designation,
            ShiftMode::Escape => {
                self.mode = ShiftMode::Ascii;
                return to.put_malformed(std::mem::take(&mut self.pending));
            }
            ShiftMode::Designation if matches!(byte, b')' | b'*' | b'+' | b'(') => return,
            ShiftMode::Designation => (ShiftMode::Ascii, b""),
            ShiftMode::Pairs if is_hz && byte == b'~' => return self.mode = ShiftMode::PairsTilde,
            ShiftMode::Pairs if !is_hz && byte == 0x1B => return self.mode = ShiftMode::Escape,
            ShiftMode::Pairs => return self.mode = ShiftMode::Second,
            ShiftMode::PairsTilde if byte == b'}' => (ShiftMode::Ascii, b""),
            ShiftMode::Second | ShiftMode::PairsTilde => (ShiftMode::Pairs, REPLACEMENT),
            ShiftMode::Single => return self.mode = ShiftMode::SingleSecond,
            ShiftMode::SingleSecond => (ShiftMode::Ascii, REPLACEMENT),
        };
        self.mode = mode;
        to.put(text, std::mem::take(&mut self.pending));
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/decode/charset/converter.rs"]
mod tests;
