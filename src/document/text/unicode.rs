//! What characters beyond ASCII mean to a URI in text (rules B2, B6 and D3).

/// What a character does to the URI it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It belongs to it: letters, marks, joiners, emoji, the en dash.
    Part,
    /// It belongs to it unless it stands at its end (UTS #58 calls it soft).
    Soft,
    /// White space.
    Blank,
    /// Invisible, and ends it.
    Invisible,
    /// Punctuation that ends it, controls, noncharacters.
    Stop,
}

/// Dropped inside delimiters: they only aid or prevent breaking lines (D3).
pub(super) fn is_ignorable(code: u32) -> bool {
    matches!(code, 0xAD | 0x200B | 0x2060 | 0xFEFF)
}

/// The role of a scalar value from U+0080 on.
pub(super) fn role(code: u32) -> Role {
    match code {
        0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 => {
            Role::Blank
        }
        0x200B | 0x200E | 0x200F | 0x061C | 0x202A..=0x202E | 0x2060..=0x2069 | 0xFEFF => {
            Role::Invisible
        }
        // Controls and quotation marks of the West.
        0x80..=0x9F | 0xAB | 0xBB | 0x2014 | 0x2015 | 0x2018 | 0x201A..=0x201F => Role::Stop,
        0x2026 | 0x2039 | 0x203A | 0x27E8 | 0x27E9 => Role::Stop,
        // CJK and full-width punctuation.
        0x3001..=0x3003 | 0x3008..=0x3011 | 0x3014..=0x301B | 0x301D..=0x301F => Role::Stop,
        0xFE10..=0xFE19 | 0xFE50..=0xFE61 | 0xFF01..=0xFF0F | 0xFF1A..=0xFF20 => Role::Stop,
        0xFF3B..=0xFF40 | 0xFF5B..=0xFF65 | 0xFFFC..=0xFFFF => Role::Stop,
        // Soft: the right single quotation mark, then punctuation script by script.
        0x2019 | 0x037E | 0x0589 | 0x05C3 | 0x060C | 0x061B | 0x061D..=0x061F | 0x06D4 => {
            Role::Soft
        }
        0x0964..=0x0965 | 0x0E5A..=0x0E5B | 0x0F0D..=0x0F12 | 0x104A..=0x104B => Role::Soft,
        0x1361..=0x1368 | 0x17D4..=0x17D6 | 0x17DA | 0x1802..=0x1805 => Role::Soft,
        0x203C..=0x203D | 0x2047..=0x2049 => Role::Soft,
        _ => Role::Part,
    }
}
