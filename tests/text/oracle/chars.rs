//! The vocabulary of the rules: characters, white space, line breaks, and the sets of Unicode.

/// The bytes of a whole document.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(pub(super) &'a [u8]);

/// A UTF-8 character, or a byte that starts none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Char {
    Scalar(char),
    Byte(u8),
}

impl<'a> Text<'a> {
    pub(super) fn byte(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(super) fn byte_before(self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|at| self.byte(at))
    }

    pub(super) fn from(self, at: usize) -> &'a [u8] {
        self.0.get(at..).unwrap_or_default()
    }

    /// Returns the character at `at` and its length.
    pub(super) fn char_at(self, at: usize) -> Option<(Char, usize)> {
        let rest = self.from(at);
        let first = *rest.first()?;
        for length in 1..=rest.len().min(4) {
            if let Ok(valid) = std::str::from_utf8(&rest[..length]) {
                return valid.chars().next().map(|c| (Char::Scalar(c), length));
            }
        }
        Some((Char::Byte(first), 1))
    }

    /// Returns the last character of `self[start..end]` and its length.
    pub(super) fn char_before(self, start: usize, end: usize) -> Option<(Char, usize)> {
        let upto = Text(&self.0[..end]);
        let longest = 4.min(end - start);
        (1..=longest)
            .rev()
            .filter_map(|length| Some((length, upto.char_at(end - length)?)))
            .find(|(length, found)| *length == found.1)
            .map(|(_, found)| found)
    }

    /// Returns the length of the line break at `at`: LF, CR or CRLF.
    pub(super) fn line_break(self, at: usize) -> Option<usize> {
        match self.from(at) {
            [b'\r', b'\n', ..] => Some(2),
            [b'\r' | b'\n', ..] => Some(1),
            _ => None,
        }
    }

    pub(super) fn line_breaks_in(self, start: usize, end: usize) -> usize {
        let mut at = start;
        let mut count = 0;
        while at < end {
            let length = self.line_break(at);
            count += usize::from(length.is_some());
            at += length.unwrap_or(1);
        }
        count
    }

    /// Returns the start of the line of `at`, unless it is more than `limit` bytes back.
    pub(super) fn line_start(self, at: usize, limit: usize) -> Option<usize> {
        // A byte order mark is before the first line.
        let has_mark = self.0.starts_with("\u{FEFF}".as_bytes());
        let first = at.min(if has_mark { 3 } else { 0 });
        let mut start = at;
        while start > first && !matches!(self.byte_before(start), Some(b'\n' | b'\r')) {
            start -= 1;
            if at - start > limit {
                return None;
            }
        }
        Some(start)
    }

    pub(super) fn has_at(self, at: usize, what: &[u8]) -> bool {
        self.from(at).starts_with(what)
    }

    pub(super) fn has_any_case_at(self, at: usize, what: &[u8]) -> bool {
        self.from(at)
            .get(..what.len())
            .is_some_and(|there| there.eq_ignore_ascii_case(what))
    }
}

/// Returns whether a character is a blank: HT, LF, VT, FF, CR or SP.
pub(super) fn is_ws(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// SP or HT.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// C0 and DEL, white space among them.
pub(super) fn is_control(byte: u8) -> bool {
    byte < 0x20 || byte == 0x7F
}

/// Scheme byte = ALPHA DIGIT `+ - .`
pub(super) fn is_scheme_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// White space beyond ASCII (T26; T11 removes it too).
pub(super) fn is_unicode_blank(c: char) -> bool {
    matches!(
        c,
        '\u{85}' | '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}

/// T11: dropped inside delimiters.
pub(super) fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}')
}

/// T26: stops that set `zero-width`.
pub(super) fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{61C}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// T26: the other stops beyond ASCII.
pub(super) fn is_unicode_stop(c: char) -> bool {
    let c1 = matches!(c, '\u{80}'..='\u{9F}');
    let cjk = matches!(c, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301B}' | '\u{301D}'..='\u{301F}');
    let full_width = matches!(c, '\u{FE10}'..='\u{FE19}' | '\u{FE50}'..='\u{FE61}'
        | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}'
        | '\u{FF5B}'..='\u{FF65}');
    let quotes = matches!(
        c,
        '\u{2018}' | '\u{201A}'..='\u{201F}' | '«' | '»' | '‹' | '›' | '\u{27E8}' | '\u{27E9}'
    );
    let dashes = matches!(c, '\u{2014}' | '\u{2015}' | '…');
    let nothing = matches!(c, '\u{FFFC}'..='\u{FFFF}');
    is_unicode_blank(c) || c1 || cjk || full_width || quotes || dashes || nothing
}

/// T31: sentence punctuation beyond ASCII (UTS #58).
pub(super) fn is_soft(c: char) -> bool {
    matches!(c, '\u{2019}' | '\u{37E}' | '\u{589}' | '\u{5C3}' | '\u{60C}' | '\u{61B}'
        | '\u{61D}'..='\u{61F}' | '\u{6D4}' | '\u{964}'..='\u{965}' | '\u{E5A}'..='\u{E5B}'
        | '\u{F0D}'..='\u{F12}' | '\u{104A}'..='\u{104B}' | '\u{1361}'..='\u{1368}'
        | '\u{17D4}'..='\u{17D6}' | '\u{17DA}' | '\u{1802}'..='\u{1805}'
        | '\u{203C}'..='\u{203D}' | '\u{2047}'..='\u{2049}')
}
