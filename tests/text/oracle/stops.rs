//! Stops of URIs without delimiters (T25, T26).

use super::chars::{Char, Text, is_blank, is_control, is_unicode_stop, is_zero_width};
use super::{NonAscii, Options};

/// T25: the most blanks before the URI.
const LONGEST_BLANKS: usize = 64;

/// The effect of a character on the URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The URI goes on behind this many bytes.
    Goes(usize),
    Stops,
    /// An invisible character stops it.
    ZeroWidth,
}

/// The stops of a URI.
pub(super) struct Stops<'a> {
    text: Text<'a>,
    non_ascii: NonAscii,
    /// `'` directly precedes the URI.
    apostrophe: bool,
    /// The nearest byte before the URI that is no blank is `|`.
    cell: bool,
}

impl<'a> Stops<'a> {
    pub(super) fn new(text: Text<'a>, options: &Options, start: usize) -> Self {
        let mut nearest = start;
        while start - nearest < LONGEST_BLANKS && text.byte_before(nearest).is_some_and(is_blank) {
            nearest -= 1;
        }
        Stops {
            text,
            non_ascii: options.non_ascii,
            apostrophe: text.byte_before(start) == Some(b'\''),
            cell: text.byte_before(nearest) == Some(b'|'),
        }
    }

    /// Returns the step at `at`; `in_path` is before the first `?` or `#`.
    pub(super) fn step(&self, at: usize, in_path: bool) -> Step {
        match self.text.char_at(at) {
            None => Step::Stops,
            Some((Char::Scalar(c), 1)) if self.ascii_stops(c as u8, at, in_path) => Step::Stops,
            Some((Char::Scalar(_), 1)) => Step::Goes(1),
            // T26: ASCII alone.
            Some(_) if self.non_ascii == NonAscii::Ascii => Step::Stops,
            Some((Char::Scalar(c), _)) if is_zero_width(c) => Step::ZeroWidth,
            Some((Char::Scalar(c), _)) if is_unicode_stop(c) => Step::Stops,
            Some((Char::Scalar(_), length)) => Step::Goes(length),
            // T26: not UTF-8.
            Some((Char::Byte(0x80..=0xA0), _)) => Step::Stops,
            Some((Char::Byte(_), length)) => Step::Goes(length),
        }
    }

    /// T25
    fn ascii_stops(&self, byte: u8, at: usize, in_path: bool) -> bool {
        let web = || {
            let schemes = ["http://", "https://", "ftp://", "ftps://"];
            let follows = |s: &str| self.text.has_any_case_at(at + 1, s.as_bytes());
            schemes.into_iter().any(follows)
        };
        match byte {
            b' ' | b'<' | b'>' | b'"' | b'\\' | b'`' => true,
            b'\'' => self.apostrophe,
            b'&' => ["&lt;", "&gt;", "&quot;"]
                .iter()
                .any(|entity| self.text.has_any_case_at(at, entity.as_bytes())),
            b',' | b';' => web(),
            b'|' => in_path || self.cell || web(),
            _ => is_control(byte),
        }
    }
}
