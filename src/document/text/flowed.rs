//! Text formats whose line breaks differ from the text's: format=flowed (RFC 3676) and text/enriched
//! (RFC 1896); rule M18.

use memchr::{memchr, memchr_iter, memrchr3};

use super::rewritten::Rewrite;
use super::scanner::{REWRITTEN, rewritten};
use crate::bytes::lines::without_break;
use crate::bytes::pattern::Pattern;
use crate::decode::RecordOffsets;
use crate::document::Format;
use crate::document::source_text::DecodedText;
use crate::uri::SCHEME;

/// text/plain with format=flowed.
pub(in crate::document) const FLOWED: Format = Format {
    name: "flowed",
    scanner: |options| rewritten(Flowed::default(), options),
    ..REWRITTEN
};

/// text/plain with format=flowed and DelSp=yes.
pub(in crate::document) const FLOWED_WITHOUT_SPACES: Format = Format {
    name: "flowed-delsp",
    scanner: |options| rewritten(Flowed::without_spaces(), options),
    ..FLOWED
};

/// text/enriched and text/richtext.
pub(in crate::document) const ENRICHED: Format = Format {
    name: "enriched",
    scanner: |options| rewritten(Enriched::default(), options),
    ..FLOWED
};

/// Replaces soft breaks by one blank, or by nothing with DelSp=yes, and removes quote marks and
/// stuffing of the lines that continue. Where a delimiter is open before a URI, the line is unchanged:
/// the rules for text remove the break and the marks, and limit the lines.
#[derive(Debug, Default)]
struct Flowed {
    /// Whether DelSp=yes removes the blank that marks a soft break.
    delete_space: bool,
    /// The quote depth of a line that ended softly, and the bytes at its end that are removed if the next
    /// line continues the paragraph.
    soft: Option<(usize, &'static [u8])>,
    /// The input is in the rest of a line longer than [`MAX_LINE`].
    in_line: bool,
    delimiter: LastDelimiter,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LastDelimiter {
    /// None, or no URI can follow it.
    #[default]
    Closed,
    /// Nothing but white space follows it so far.
    Open,
    /// A scheme and a colon follow it.
    BeforeUri,
}

impl LastDelimiter {
    /// Returns the last delimiter after a line of a paragraph.
    fn after(self, line: &[u8]) -> Self {
        let Some(at) = memrchr3(b'<', b'>', b'"', line) else {
            return match self {
                LastDelimiter::Open => Self::before(line),
                other => other,
            };
        };
        let rest = &line[at + 1..];
        let blank = rest.first().is_none_or(u8::is_ascii_whitespace);
        // A quotation mark before a blank may close a quotation.
        let before = at.checked_sub(1).map_or(b' ', |before| line[before]);
        let opens = match line[at] {
            b'<' => true,
            b'"' => !blank || before.is_ascii_whitespace() || b"([{=:,".contains(&before),
            _ => false,
        };
        if !opens {
            return LastDelimiter::Closed;
        }
        Self::before(rest)
    }

    /// Returns the state of a delimiter before `text`.
    fn before(text: &[u8]) -> Self {
        let mut text = text.trim_ascii();
        if let Some((prefix, rest)) = text.split_at_checked(4)
            && prefix.eq_ignore_ascii_case(b"url:")
        {
            text = rest.trim_ascii_start();
            if !text.is_empty() {
                // A URI of any scheme, or a relative reference.
                return LastDelimiter::BeforeUri;
            }
        }
        match SCHEME.first_outside(text) {
            _ if text.is_empty() => LastDelimiter::Open,
            Some(end) if end > 0 && text[end] == b':' => LastDelimiter::BeforeUri,
            _ => LastDelimiter::Closed,
        }
    }
}

/// Returns whether a line outside of quotes begins with a stuffed mark, which does not quote (RFC 3676
/// section 4.4).
fn is_stuffed_mark(line: &[u8]) -> bool {
    line.starts_with(b" ") && line.trim_ascii_start().starts_with(b">")
}

/// Returns the length of the complete lines at the start without a blank before their end: [`Flowed`]
/// copies them after a hard break.
fn hard_lines(text: &[u8]) -> usize {
    let mut length = 0;
    for end in memchr_iter(b'\n', text) {
        let line = without_break(&text[length..=end]);
        if line.ends_with(b" ") || is_stuffed_mark(line) {
            break;
        }
        length = end + 1;
    }
    length
}

/// The longest line that is kept in one piece, in bytes.
const MAX_LINE: usize = 64 << 10;

impl Rewrite for Flowed {
    fn begin(&mut self, _offset: u64) {
        *self = Flowed {
            delete_space: self.delete_space,
            ..Flowed::default()
        };
    }

    fn push(&mut self, text: &[u8], last: bool, out: &mut DecodedText) -> usize {
        let mut at = 0;
        while at < text.len() {
            if self.soft.is_none() && !self.in_line {
                let length = hard_lines(&text[at..]);
                out.copy(&text[at..at + length]);
                at += length;
            }
            let rest = &text[at..];
            let line = match memchr(b'\n', rest) {
                Some(end) => &rest[..=end],
                None if last || rest.len() > MAX_LINE => rest,
                None => break,
            };
            self.line(line, out);
            at += line.len();
        }
        if last {
            self.soft.take().inspect(|(_, removed)| out.copy(removed));
        }
        at
    }
}

impl Flowed {
    fn without_spaces() -> Self {
        Flowed {
            delete_space: true,
            ..Flowed::default()
        }
    }

    fn line(&mut self, line: &[u8], out: &mut DecodedText) {
        let content = without_break(line);
        let ending = line.len() - content.len();
        if self.in_line {
            out.copy(line);
            self.in_line = ending == 0;
            return;
        }
        let depth = content.iter().take_while(|&&byte| byte == b'>').count();
        let stuffed = content.get(depth) == Some(&b' ');
        let prefix = depth + usize::from(stuffed);
        let body = &content[prefix..];
        let continues = self.soft.take().is_some_and(|(before, removed)| {
            let continues = before == depth && body != b"-- ";
            if continues {
                out.map.skip(removed.len());
            } else {
                out.copy(removed);
            }
            continues
        });
        if continues && self.delimiter != LastDelimiter::BeforeUri {
            out.map.skip(prefix);
        } else {
            // The first line of a paragraph keeps its quote marks, which the rules for text need. A form
            // feed, which is white space to them, keeps a stuffed mark from being one.
            let prefix = if is_stuffed_mark(content) {
                b"\x0C"
            } else {
                &content[..prefix]
            };
            out.copy(prefix);
        }
        if !continues || self.delete_space {
            self.delimiter = LastDelimiter::Closed;
        }
        if !self.delete_space {
            self.delimiter = self.delimiter.after(body);
        }
        let soft = ending > 0 && body.ends_with(b" ") && body != b"-- ";
        let removed: &[u8] = match (self.delimiter, self.delete_space, ending) {
            (LastDelimiter::BeforeUri, ..) => b"",
            (_, false, 1) => b"\n",
            (_, false, _) => b"\r\n",
            (_, true, 1) => b" \n",
            _ => b" \r\n",
        };
        self.soft = soft.then_some((depth, removed));
        let kept = line.len() - prefix - if soft { removed.len() } else { 0 };
        out.copy(&line[prefix..prefix + kept]);
        self.in_line = ending == 0;
    }
}

/// Replaces `<<` by a bracket, and removes commands and the contents of `<param>`.
#[derive(Debug, Default)]
struct Enriched {
    parameter: bool,
}

/// A bracket, a command in brackets (RFC 1896 allows names of 60 bytes), or two brackets, which mean one.
static MARK: Pattern = Pattern::new(r"<(?:<|[^>]{0,60}>)?");
/// The longest command, in bytes.
const MAX_COMMAND: usize = 62;

impl Rewrite for Enriched {
    fn begin(&mut self, _offset: u64) {
        *self = Enriched::default();
    }

    fn push(&mut self, text: &[u8], last: bool, out: &mut DecodedText) -> usize {
        let mut at = 0;
        for mark in MARK.find_iter(text) {
            self.text(&text[at..mark.start()], out);
            at = mark.start();
            if mark.len() == 1 && !last && text.len() - at <= MAX_COMMAND {
                return at;
            }
            match mark.as_bytes() {
                [_, name @ .., b'>'] => self.command(name, mark.len(), out),
                literal => {
                    // The second bracket is mapped, so that columns agree with the text after it.
                    out.map.skip(literal.len() - 1);
                    self.text(b"<", out);
                }
            }
            at = mark.end();
        }
        self.text(&text[at..], out);
        text.len()
    }
}

impl Enriched {
    fn text(&self, text: &[u8], out: &mut DecodedText) {
        if self.parameter {
            out.map.skip(text.len());
        } else {
            out.copy(text);
        }
    }

    fn command(&mut self, name: &[u8], length: usize, out: &mut DecodedText) {
        if name.eq_ignore_ascii_case(b"param") {
            self.parameter = true;
        } else if name.eq_ignore_ascii_case(b"/param") {
            self.parameter = false;
        } else if name.eq_ignore_ascii_case(b"lt") && !self.parameter {
            // RFC 1341 section 7.1.3.
            return out.put(b"<", length);
        }
        out.map.skip(length);
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/text/flowed.rs"]
mod tests;
