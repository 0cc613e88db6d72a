//! Character references (WHATWG HTML 13.2.5.72 to 13.2.5.80).

use html5ever::data::NAMED_ENTITIES;

/// Where a character reference stands; it decides about names without a semicolon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharacterContext {
    /// In the value of an attribute.
    Attribute,
    /// In character data.
    Text,
}

/// The longest character reference that can wait for more bytes, without its digits.
pub(super) const LONGEST: usize = 40;

/// Reads the character reference at the start of `bytes`, which starts with `&`, appends what it
/// stands for, and returns its length; none when it is not one.
pub(super) fn decode(bytes: &[u8], place: CharacterContext, out: &mut Vec<u8>) -> Option<usize> {
    // Nearly all of them are this one.
    if bytes.starts_with(b"&amp;") {
        out.push(b'&');
        return Some(5);
    }
    if bytes.get(1) == Some(&b'#') {
        return numeric(bytes, out);
    }
    named(bytes, place, out)
}

fn named(bytes: &[u8], place: CharacterContext, out: &mut Vec<u8>) -> Option<usize> {
    let name = &bytes[1..];
    let length = name
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(name.len());
    let with_semicolon = length + usize::from(name.get(length) == Some(&b';'));
    let text = str::from_utf8(&name[..with_semicolon.min(LONGEST)]).ok()?;
    let (length, &(first, second)) = (1..=text.len()).rev().find_map(|length| {
        let characters = NAMED_ENTITIES.get(&text[..length])?;
        (characters.0 != 0).then_some((length, characters))
    })?;
    if place == CharacterContext::Attribute && !text[..length].ends_with(';') {
        // "For historical reasons": `?a&copy=1` stays as it is.
        let next = name.get(length);
        if next.is_some_and(|&next| next == b'=' || next.is_ascii_alphanumeric()) {
            return None;
        }
    }
    push(first, out);
    if second != 0 {
        push(second, out);
    }
    Some(1 + length)
}

fn numeric(bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let hexadecimal = matches!(bytes.get(2), Some(b'x' | b'X'));
    let (digits, radix) = if hexadecimal { (3, 16) } else { (2, 10) };
    let mut number = 0u32;
    let mut at = digits;
    while let Some(digit) = bytes
        .get(at)
        .and_then(|&byte| (byte as char).to_digit(radix))
    {
        number = number.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == digits {
        return None;
    }
    push(scalar(number), out);
    Some(at + usize::from(bytes.get(at) == Some(&b';')))
}

/// What windows-1252 has at 0x80 to 0x9F; 0 where the number stays as it is.
const C1: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
    0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
];

fn scalar(number: u32) -> u32 {
    match number {
        0 | 0xD800..=0xDFFF | 0x11_0000.. => 0xFFFD,
        0x80..=0x9F => match C1[number as usize - 0x80] {
            0 => number,
            remapped => u32::from(remapped),
        },
        _ => number,
    }
}

fn push(number: u32, out: &mut Vec<u8>) {
    let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_attribute(text: &str) -> Option<(String, usize)> {
        let mut out = Vec::new();
        let length = decode(text.as_bytes(), CharacterContext::Attribute, &mut out)?;
        Some((String::from_utf8(out).unwrap(), length))
    }

    #[test]
    fn references_are_read_as_the_standard_says() {
        for (text, expected) in [
            ("&amp;b", Some(("&", 5))),
            ("&copy&y", Some(("\u{a9}", 5))),
            ("&copy=1", None),
            ("&copyright", None),
            ("&hearts=1", None),
            ("&hearts;", Some(("\u{2665}", 8))),
            ("&notin;", Some(("\u{2209}", 7))),
            ("&notit;", None),
            ("&Amp;", None),
            ("&lt", Some(("<", 3))),
            ("&NotEqualTilde;", Some(("\u{2242}\u{338}", 15))),
            ("&CounterClockwiseContourIntegral;", Some(("\u{2233}", 33))),
            ("&#104;", Some(("h", 6))),
            ("&#x2Fc", Some(("\u{2fc}", 6))),
            ("&#46b", Some((".", 4))),
            ("&#146;", Some(("\u{2019}", 6))),
            ("&#0;", Some(("\u{fffd}", 4))),
            ("&#xD800;", Some(("\u{fffd}", 8))),
            ("&#99999999999999999999;", Some(("\u{fffd}", 23))),
            ("&#;", None),
            ("&#x;", None),
            ("&", None),
        ] {
            let expected = expected.map(|(text, length): (&str, _)| (text.to_owned(), length));
            assert_eq!(in_attribute(text), expected, "{text}");
        }
        let mut out = Vec::new();
        assert_eq!(
            decode(b"&notit;", CharacterContext::Text, &mut out),
            Some(4)
        );
        assert_eq!(out, "\u{ac}".as_bytes());
    }
}
