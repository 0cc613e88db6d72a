//! The reader of CSS: from one byte that matters to the next, in windows of any size.
//!
//! CSS is read as tokens (CSS Syntax Level 3, section 4), but only strings, comments, escapes,
//! functions, at-keywords, brackets and semicolons are looked at; the names, numbers and blanks
//! between them are passed over by a vectorised search. What a reference stands in (the property)
//! is read when there is a reference.

use std::ops::Range;

use memchr::{memchr3_iter, memmem};

use super::lexical::{
    CssName, CssStringEnd, LONGEST_ESCAPE, LONGEST_FUNCTION, UrlEnd, escape_end, is_escape,
    is_hash, is_name, name_start, source_map, starts_name, string_end, url_end,
};
use super::statement::{AT_RULES, AtRule, NamePhase, Statement};
use crate::bytes::class::ByteSet;
use crate::bytes::seek::is_space;
use crate::bytes::simd::avx2::{Avx2, NibbleSet};
use crate::bytes::steps::step;
use crate::document::diagnostic::{self, Code};
use crate::document::remark::{FIRST_WORD, LONGEST_REMARK, RemarkCheck, check_remark};

/// The kind of a piece of CSS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sheet {
    /// A style sheet, in which `@import` counts.
    #[default]
    Whole,
    /// Declarations in an attribute.
    Declarations,
}

/// A find of the reader; ranges are of the bytes of the window.
#[derive(Clone, Debug)]
pub(crate) enum CssFind<'a> {
    /// A reference, raw: [`unescape`](super::unescape) replaces its escapes.
    Reference {
        /// The reference, which may be empty.
        range: Range<usize>,
        /// The property or the at-rule that the reference belongs to.
        owner: CssOwner<'a>,
    },
    /// The reference of a source map, in a comment.
    SourceMap(Range<usize>),
    /// A comment that is a remark.
    Remark(Range<usize>),
    /// A diagnostic, and the index of what it is about.
    Fault(&'static Code, usize),
}

/// The property or the at-rule that a reference belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CssOwner<'a> {
    /// None that can be told.
    Unknown,
    /// `@import`; `inert` behind another rule, where it does not count (CSS Cascade 5, section 2).
    Import { inert: bool },
    /// A property, in lower case unless it is a custom one.
    Property(&'a [u8]),
    /// A descriptor of `@font-face`.
    FontFace(&'a [u8]),
}

/// Longer strings, raw URLs and comments with a source map are left out, and diagnosed.
pub(crate) const LONGEST_TOKEN: usize = 4 << 20;

/// Deeper brackets are counted, but not told apart.
const DEEPEST: usize = 1 << 20;

/// The bytes before a window that the reader has to see again: a name, and `<!` or `#` before it.
pub(crate) const LOOK_BEHIND: usize = LONGEST_FUNCTION + 3;

/// Calls `found` with the raw range of every reference, including empty ones.
pub(crate) fn references(
    bytes: &[u8],
    range: Range<usize>,
    sheet: Sheet,
    mut found: impl FnMut(Range<usize>),
) {
    // Most values of presentation attributes that have a reference are nothing else.
    if let Some(url) = lone_url(&bytes[range.clone()]) {
        return found(range.start + url.start..range.start + url.end);
    }
    if !may_have_references(&bytes[range.clone()]) {
        return;
    }
    read_references(bytes, range, sheet, found);
}

/// Finds references without a look at what the bytes are as a whole.
fn read_references(
    bytes: &[u8],
    range: Range<usize>,
    sheet: Sheet,
    mut found: impl FnMut(Range<usize>),
) {
    let bytes = &bytes[range.clone()];
    CssReader::new(sheet).read(bytes, 0..bytes.len(), true, &mut |find| {
        if let CssFind::Reference { range: item, .. } = find {
            found(range.start + item.start..range.start + item.end);
        }
    });
}

/// Calls `found` with the range of every comment that is a remark.
pub(crate) fn remarks(bytes: &[u8], range: Range<usize>, mut found: impl FnMut(Range<usize>)) {
    let sheet = &bytes[range.clone()];
    if memmem::find(sheet, FIRST_WORD).is_none() {
        return;
    }
    CssReader::new(Sheet::Whole).read(sheet, 0..sheet.len(), true, &mut |find| {
        if let CssFind::Remark(remark) = find {
            found(range.start + remark.start..range.start + remark.end);
        }
    });
}

/// Returns the range of the URL, if the bytes are one `url()` without quotes and blanks before it.
#[inline]
fn lone_url(bytes: &[u8]) -> Option<Range<usize>> {
    let (name, rest) = bytes.split_at_checked(b"url(".len())?;
    let first = *rest.first()?;
    let is_raw = !is_space(first) && !matches!(first, b'"' | b'\'');
    if !name.eq_ignore_ascii_case(b"url(") || !is_raw || !rest.ends_with(b")") {
        return None;
    }
    match url_end(bytes, name.len(), true) {
        UrlEnd::Closed { url, end } if end == bytes.len() && end <= LONGEST_TOKEN => {
            Some(name.len()..url)
        }
        _ => None,
    }
}

/// Whether the bytes may have a reference. Most sheets have none, and this is much faster than the
/// reader.
fn may_have_references(bytes: &[u8]) -> bool {
    memchr3_iter(b'(', b'@', b'\\', bytes).any(|at| match bytes[at] {
        b'(' => {
            let name = &bytes[at.saturating_sub(3)..at];
            ["url", "src", "set", "age"]
                .iter()
                .any(|end| name.eq_ignore_ascii_case(end.as_bytes()))
        }
        b'@' => matches!(bytes.get(at + 1), Some(b'i' | b'I')),
        // An escape may be part of any name.
        _ => true,
    })
}

/// An open bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CssBracket {
    /// `url(` or `src(`, without contents so far.
    Reference,
    /// `url(` or `src(`, with a string so far.
    ReferenceText,
    /// `url(` or `src(`, with other contents.
    Used,
    /// `image-set(` or `image(`, in which strings are references.
    Images,
    /// Another function, or a parenthesis.
    Parenthesis,
    Square,
    Brace,
    /// The block of `@font-face`.
    FontFace,
}

/// The functions that matter, by their names.
static FUNCTIONS: [(&[u8], CssBracket); 5] = [
    (b"url", CssBracket::Reference),
    (b"src", CssBracket::Reference),
    (b"image-set", CssBracket::Images),
    (b"-webkit-image-set", CssBracket::Images),
    (b"image", CssBracket::Images),
];

/// A token that the window did not hold to its end.
#[derive(Debug, Default)]
enum OpenToken {
    #[default]
    None,
    Comment,
    /// A string that is too long, with its quote.
    String(u8),
    /// White space after `url(`.
    UrlSpace,
    /// A raw URL that is too long.
    Url,
    BadUrl,
    /// A name with an escape, or after `@`.
    Name(NameKind, CssName),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Word,
    AtKeyword,
    /// After `#`: names no function.
    Hash,
}

/// The bytes at which the reader stops.
const STOPS: ByteSet = ByteSet::EMPTY.with(b"\"'()[]{};\\/@");
static STOP_NIBBLES: NibbleSet = NibbleSet::new(&STOPS);

/// Finds the bytes of [`STOPS`], 64 at a time.
struct Stops<'a> {
    bytes: &'a [u8],
    avx2: Option<Avx2>,
    /// Index of the first byte that `mask` is about.
    block: usize,
    /// One bit for each byte of the block that is a stop, the first byte's lowest.
    mask: u64,
}

impl Stops<'_> {
    /// Returns the index of the first stop from `at` on, or the length.
    #[inline(always)]
    fn next(&mut self, mut at: usize) -> usize {
        loop {
            let passed = at.wrapping_sub(self.block);
            if passed < 64 {
                let left = self.mask >> passed;
                if left != 0 {
                    return at + left.trailing_zeros() as usize;
                }
                at = self.block + 64;
            }
            match self.load(at) {
                Some(mask) => (self.block, self.mask) = (at, mask),
                None => break,
            }
        }
        let rest = self.bytes.get(at..).unwrap_or_default();
        let found = STOPS.first_inside(rest);
        found.map_or(self.bytes.len(), |found| at + found)
    }

    #[inline(always)]
    fn load(&self, at: usize) -> Option<u64> {
        let avx2 = self.avx2?;
        let (low, rest) = self.bytes.get(at..)?.split_first_chunk::<32>()?;
        let high = rest.first_chunk::<32>()?;
        let low = avx2.members(low, &STOP_NIBBLES);
        let high = avx2.members(high, &STOP_NIBBLES);
        Some(u64::from(low) | u64::from(high) << 32)
    }
}

/// The state of the reader between two windows.
#[derive(Debug)]
pub(crate) struct CssReader {
    sheet: Sheet,
    avx2: Option<Avx2>,
    open: Vec<CssBracket>,
    /// The number of open brackets beyond those in `open`.
    deeper: u64,
    statement: Statement,
    token: OpenToken,
    /// The number of bytes since the last token that was looked at.
    since_token: usize,
    /// `@import` stands before, and nothing else since.
    expects_import: bool,
    /// An `@import` may follow: no other rule stands before.
    imports_count: bool,
    /// No references until the rule ends that began with so many brackets open.
    opaque: Option<usize>,
}

/// The rest of a window is not enough to go on.
struct Wait(usize);

/// The bytes of a window, and what is found in them.
struct Reading<'r, 'a> {
    bytes: &'a [u8],
    last: bool,
    /// Index behind the last token that was looked at.
    token_end: usize,
    /// The same, though it may lie in the last window: no name that is looked back for begins before.
    name_floor: usize,
    /// Index of the first byte that the statement does not know.
    unknown: usize,
    found: &'r mut dyn FnMut(CssFind<'_>),
}

impl Reading<'_, '_> {
    #[inline(always)]
    fn end_token(&mut self, at: usize) {
        self.token_end = at;
        self.name_floor = at;
    }
}

impl CssReader {
    /// Creates a reader at the start of a piece of CSS.
    pub(crate) fn new(sheet: Sheet) -> Self {
        CssReader {
            sheet,
            avx2: Avx2::new(),
            open: Vec::new(),
            deeper: 0,
            statement: Statement::default(),
            token: OpenToken::None,
            since_token: 0,
            expects_import: false,
            imports_count: true,
            opaque: None,
        }
    }

    /// Reads the bytes in a range and returns the index up to which it has; all of them if they are
    /// the last.
    ///
    /// Up to [`LOOK_BEHIND`] bytes before the range are those before it in the sheet.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        last: bool,
        found: &mut dyn FnMut(CssFind<'_>),
    ) -> usize {
        let mut reading = Reading {
            bytes: &bytes[..range.end],
            last,
            token_end: range.start,
            name_floor: range.start.saturating_sub(self.since_token),
            unknown: range.start,
            found,
        };
        let end = match self.tokens(range.start, &mut reading) {
            Ok(()) if last => range.end,
            Ok(()) => {
                // A name at the end may be that of a function.
                let start = name_start(reading.bytes, range.end, reading.name_floor);
                match range.end - start <= LONGEST_FUNCTION {
                    true => start.max(range.start),
                    false => range.end,
                }
            }
            Err(Wait(at)) => at,
        };
        step(end - range.start);
        self.since_token = end.saturating_sub(reading.name_floor);
        let unread = reading.token_end.min(end)..end;
        self.gap(unread, &mut reading);
        let unknown = reading.unknown.min(end);
        self.statement.pass(&bytes[unknown..end]);
        end
    }

    fn tokens(&mut self, mut at: usize, reading: &mut Reading<'_, '_>) -> Result<(), Wait> {
        at = self.resume(at, reading)?;
        let mut stops = Stops {
            bytes: reading.bytes,
            avx2: self.avx2,
            block: usize::MAX - 64,
            mask: 0,
        };
        loop {
            let stop = stops.next(at);
            let Some(&byte) = reading.bytes.get(stop) else {
                return Ok(());
            };
            at = match byte {
                b'{' | b'}' | b';' | b'[' | b']' | b')' => {
                    self.gap(reading.token_end..stop, reading);
                    self.bracket(byte, stop, reading);
                    stop + 1
                }
                b'(' => self.parenthesis(stop, reading)?,
                b'"' | b'\'' => {
                    self.gap(reading.token_end..stop, reading);
                    self.string(byte, stop, reading)?
                }
                b'/' => match reading.bytes.get(stop + 1) {
                    Some(b'*') => {
                        self.gap(reading.token_end..stop, reading);
                        self.comment(stop, reading)?
                    }
                    None if !reading.last => return Err(Wait(stop)),
                    _ => {
                        at = stop + 1;
                        continue;
                    }
                },
                b'@' => {
                    self.gap(reading.token_end..stop, reading);
                    if !reading.last && stop + 4 > reading.bytes.len() {
                        return Err(Wait(stop));
                    }
                    match starts_name(reading.bytes, stop + 1) {
                        true => {
                            self.name(NameKind::AtKeyword, CssName::default(), stop + 1, reading)?
                        }
                        false => {
                            self.other_token(stop, reading);
                            stop + 1
                        }
                    }
                }
                _ => self.escaped_name(stop, reading)?,
            };
            reading.end_token(at);
        }
    }

    /// Goes on with the token that the last window did not hold to its end.
    fn resume(&mut self, at: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        let end = match std::mem::take(&mut self.token) {
            OpenToken::None => return Ok(at),
            OpenToken::Comment => self.comment_rest(at, reading)?,
            OpenToken::String(quote) => self.long_string(quote, at, reading)?,
            OpenToken::UrlSpace => self.url(at, reading)?,
            OpenToken::Url => self.long_url(at, reading)?,
            OpenToken::BadUrl => self.bad_url(at, reading)?,
            OpenToken::Name(kind, name) => self.name(kind, name, at, reading)?,
        };
        reading.end_token(end);
        Ok(end)
    }

    /// Looks at the bytes between two tokens, where it matters whether they are blank.
    #[inline(always)]
    fn gap(&mut self, gap: Range<usize>, reading: &mut Reading<'_, '_>) {
        let matters = self.expects_import
            || matches!(
                self.open.last(),
                Some(CssBracket::Reference | CssBracket::ReferenceText)
            );
        if matters {
            self.passed(gap, reading);
        }
    }

    #[cold]
    fn passed(&mut self, gap: Range<usize>, reading: &mut Reading<'_, '_>) {
        let start = gap.start;
        let bytes = reading.bytes.get(gap).unwrap_or_default();
        if let Some(token) = bytes.iter().position(|&byte| !is_space(byte)) {
            self.other_token(start + token, reading);
        }
    }

    /// Notes a token that is neither white space nor a comment.
    fn other_token(&mut self, at: usize, reading: &mut Reading<'_, '_>) {
        self.expects_import = false;
        match self.open.last_mut() {
            Some(open @ CssBracket::Reference) => *open = CssBracket::Used,
            Some(open @ CssBracket::ReferenceText) => {
                *open = CssBracket::Used;
                (reading.found)(CssFind::Fault(&diagnostic::CSS_URL_MODIFIER, at));
            }
            _ => {}
        }
    }

    /// A bracket other than `(`, or a semicolon.
    #[inline(always)]
    fn bracket(&mut self, byte: u8, at: usize, reading: &mut Reading<'_, '_>) {
        let depth = self.open.len();
        match byte {
            b'{' => {
                self.other_token(at, reading);
                // A block ends the prelude of its rule.
                self.opaque = self.opaque.filter(|&start| start != depth);
                self.imports_count &= depth > 0;
                self.push(match self.statement.at {
                    AtRule::FontFace => CssBracket::FontFace,
                    _ => CssBracket::Brace,
                });
                self.begin_statement(at + 1, reading);
            }
            b'[' => {
                self.other_token(at, reading);
                self.push(CssBracket::Square);
            }
            b';' => {
                self.other_token(at, reading);
                self.opaque = self.opaque.filter(|&start| start < depth);
                if self.is_in_block() {
                    let is_rule = matches!(
                        self.statement.at,
                        AtRule::FontFace | AtRule::Opaque | AtRule::Other
                    );
                    self.imports_count &= depth > 0 || !is_rule;
                    self.begin_statement(at + 1, reading);
                }
            }
            _ => self.close(byte, at, reading),
        }
    }

    fn push(&mut self, open: CssBracket) {
        match self.open.len() < DEEPEST && self.deeper == 0 {
            true => self.open.push(open),
            false => self.deeper += 1,
        }
    }

    /// Closes the innermost bracket if it is of the same kind; any other closing bracket is stray.
    fn close(&mut self, byte: u8, at: usize, reading: &mut Reading<'_, '_>) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let matches = match self.open.last() {
            None => false,
            Some(CssBracket::Square) => byte == b']',
            Some(CssBracket::Brace | CssBracket::FontFace) => byte == b'}',
            Some(_) => byte == b')',
        };
        if !matches {
            return self.other_token(at, reading);
        }
        self.expects_import = false;
        self.open.pop();
        let depth = self.open.len();
        self.opaque = self.opaque.filter(|&start| start <= depth);
        if byte == b'}' {
            self.begin_statement(at + 1, reading);
        }
    }

    /// Whether the innermost bracket is that of a block, or there is none.
    fn is_in_block(&self) -> bool {
        let open = self.open.last();
        self.deeper == 0 && matches!(open, None | Some(CssBracket::Brace | CssBracket::FontFace))
    }

    fn begin_statement(&mut self, at: usize, reading: &mut Reading<'_, '_>) {
        self.statement.begin(self.open.len());
        reading.unknown = at;
    }

    /// Reports a reference, unless the rule holds none.
    fn reference(&mut self, range: Range<usize>, reading: &mut Reading<'_, '_>) {
        if self.opaque.is_some() {
            return;
        }
        let start = reading.unknown.min(range.start);
        self.statement.pass(&reading.bytes[start..range.start]);
        reading.unknown = reading.unknown.max(range.start);
        let font_face = self.open.get(self.statement.depth.wrapping_sub(1));
        let font_face = font_face == Some(&CssBracket::FontFace);
        let owner = match self.statement.at {
            AtRule::Import => {
                // What follows are conditions.
                self.opaque = Some(self.statement.depth);
                let inert = !self.imports_count || self.statement.depth > 0;
                CssOwner::Import { inert }
            }
            _ => match self.statement.property() {
                None => CssOwner::Unknown,
                Some(name) if font_face => CssOwner::FontFace(name),
                Some(name) => CssOwner::Property(name),
            },
        };
        (reading.found)(CssFind::Reference { range, owner });
    }

    /// Reads the string that starts with the quote at `at`.
    fn string(
        &mut self,
        quote: u8,
        at: usize,
        reading: &mut Reading<'_, '_>,
    ) -> Result<usize, Wait> {
        let start = at + 1;
        let (text, end) = match string_end(quote, reading.bytes, start, reading.last) {
            CssStringEnd::Break(end) if end - start <= LONGEST_TOKEN => {
                (reading.found)(CssFind::Fault(&diagnostic::CSS_BAD_STRING, at));
                self.other_token(at, reading);
                return Ok(end);
            }
            CssStringEnd::Closed(end) if end - start <= LONGEST_TOKEN => (start..end, end + 1),
            CssStringEnd::Open(end) if end - start <= LONGEST_TOKEN => match reading.last {
                true => (start..end, reading.bytes.len()),
                false => return Err(Wait(at)),
            },
            _ => {
                (reading.found)(CssFind::Fault(&diagnostic::CSS_TOO_LONG, at));
                self.other_token(at, reading);
                return self.long_string(quote, start, reading);
            }
        };
        match self.open.last_mut() {
            Some(open @ CssBracket::Reference) => {
                *open = CssBracket::ReferenceText;
                self.reference(text, reading);
            }
            Some(CssBracket::Images) => self.reference(text, reading),
            Some(CssBracket::Used | CssBracket::ReferenceText) => self.other_token(at, reading),
            _ if std::mem::take(&mut self.expects_import) => self.reference(text, reading),
            _ => {}
        }
        self.expects_import = false;
        Ok(end)
    }

    /// Passes over the rest of a string that is too long.
    fn long_string(
        &mut self,
        quote: u8,
        at: usize,
        reading: &mut Reading<'_, '_>,
    ) -> Result<usize, Wait> {
        match string_end(quote, reading.bytes, at, reading.last) {
            CssStringEnd::Closed(end) => Ok(end + 1),
            CssStringEnd::Break(end) => Ok(end),
            CssStringEnd::Open(end) => {
                self.token = OpenToken::String(quote);
                self.wait(end, reading)
            }
        }
    }

    /// Ends the window at `end` inside a token, which `self.token` describes.
    fn wait(&mut self, end: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        if reading.last {
            self.token = OpenToken::None;
            return Ok(reading.bytes.len());
        }
        reading.token_end = end;
        Err(Wait(end))
    }

    /// Reads the comment at `at`.
    fn comment(&mut self, at: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        let known = reading.unknown.min(at);
        self.statement.pass(&reading.bytes[known..at]);
        self.statement.pass_comment();
        reading.unknown = at;
        let text = at + 2;
        let end = memmem::find(&reading.bytes[text..], b"*/");
        let held = end.unwrap_or(reading.bytes.len() - text);
        let may_name_map = match reading.bytes.get(text) {
            Some(byte) => matches!(byte, b'#' | b'@') && self.sheet == Sheet::Whole,
            None => true,
        };
        let known = &reading.bytes[text..text + held.min(LONGEST_REMARK + 1)];
        let remark = match self.sheet {
            Sheet::Whole => check_remark(known, end.is_some()),
            _ => RemarkCheck::No,
        };
        let decides = may_name_map && held <= LONGEST_TOKEN || remark == RemarkCheck::Cut;
        if decides && end.is_none() && !reading.last {
            return Err(Wait(at));
        }
        if let (Some(end), RemarkCheck::Yes) = (end, remark) {
            (reading.found)(CssFind::Remark(at..text + end + 2));
        }
        if let Some(end) = end
            && may_name_map
            && let Some(map) = source_map(&reading.bytes[text..text + end])
        {
            match end <= LONGEST_TOKEN {
                true => (reading.found)(CssFind::SourceMap(text + map.start..text + map.end)),
                false => (reading.found)(CssFind::Fault(&diagnostic::CSS_TOO_LONG, at)),
            }
        } else if may_name_map && held > LONGEST_TOKEN {
            (reading.found)(CssFind::Fault(&diagnostic::CSS_TOO_LONG, at));
        }
        self.comment_rest(text, reading)
    }

    fn comment_rest(&mut self, at: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        let rest = &reading.bytes[at..];
        let end = match memmem::find(rest, b"*/") {
            Some(end) => at + end + 2,
            None => {
                self.token = OpenToken::Comment;
                let star = usize::from(rest.ends_with(b"*") && !reading.last);
                reading.unknown = reading.bytes.len() - star;
                return self.wait(reading.unknown, reading);
            }
        };
        reading.unknown = end;
        Ok(end)
    }

    /// Reads a name from its `@`, or from its first escape, on.
    fn name(
        &mut self,
        kind: NameKind,
        mut name: CssName,
        mut at: usize,
        reading: &mut Reading<'_, '_>,
    ) -> Result<usize, Wait> {
        let bytes = reading.bytes;
        loop {
            match bytes.get(at) {
                Some(&byte) if is_name(byte) => {
                    name.push(byte);
                    at += 1;
                }
                Some(b'\\') if !reading.last && at + LONGEST_ESCAPE > bytes.len() => {
                    self.token = OpenToken::Name(kind, name);
                    return self.wait(at, reading);
                }
                Some(b'\\') if is_escape(bytes, at) => name.escape(bytes, &mut at),
                None if !reading.last => {
                    self.token = OpenToken::Name(kind, name);
                    return self.wait(at, reading);
                }
                _ => break,
            }
        }
        match (kind, bytes.get(at)) {
            (NameKind::AtKeyword, _) => {
                self.at_keyword(name.bytes(), at, reading);
                Ok(at)
            }
            (NameKind::Word, Some(b'(')) => self.function(name.bytes(), at, reading),
            _ => {
                self.other_token(at, reading);
                Ok(at)
            }
        }
    }

    /// Reads the name that the escape at `at` is part of.
    fn escaped_name(&mut self, at: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        let start = name_start(reading.bytes, at, reading.name_floor);
        self.gap(reading.token_end..start, reading);
        if !reading.last && at + LONGEST_ESCAPE > reading.bytes.len() {
            return Err(Wait(start.max(reading.token_end)));
        }
        if !is_escape(reading.bytes, at) {
            self.other_token(at, reading);
            return Ok(at + 1);
        }
        let mut name = CssName::default();
        let before = &reading.bytes[start..at];
        before.iter().for_each(|&byte| name.push(byte));
        let kind = match is_hash(reading.bytes, start) {
            true => NameKind::Hash,
            false => NameKind::Word,
        };
        self.name(kind, name, at, reading)
    }

    fn at_keyword(&mut self, name: &[u8], at: usize, reading: &mut Reading<'_, '_>) {
        self.other_token(at, reading);
        let rule = AT_RULES.iter().find(|(rule, _)| *rule == name);
        let rule = rule.map_or(AtRule::Other, |(_, rule)| *rule);
        if rule == AtRule::Import && self.sheet == Sheet::Declarations {
            return;
        }
        if rule == AtRule::Opaque {
            self.opaque.get_or_insert(self.open.len());
        }
        self.expects_import = rule == AtRule::Import;
        self.statement.at = rule;
        self.statement.phase = NamePhase::None;
    }

    /// Reads the `(` at `at`, after a name or not.
    fn parenthesis(&mut self, at: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        let start = name_start(reading.bytes, at, reading.name_floor);
        self.gap(reading.token_end..start, reading);
        let mut name = CssName::default();
        if !is_hash(reading.bytes, start) {
            let before = &reading.bytes[start..at];
            before.iter().for_each(|&byte| name.push(byte));
        }
        self.function(name.bytes(), at, reading)
    }

    /// Opens the function of a name; no name stands for a mere parenthesis.
    fn function(
        &mut self,
        name: &[u8],
        at: usize,
        reading: &mut Reading<'_, '_>,
    ) -> Result<usize, Wait> {
        if name == b"url" {
            return self.url(at + 1, reading);
        }
        let function = FUNCTIONS.iter().find(|(function, _)| *function == name);
        let bracket = function.map_or(CssBracket::Parenthesis, |(_, bracket)| *bracket);
        let imports = self.expects_import && bracket == CssBracket::Reference;
        self.other_token(at, reading);
        self.expects_import = imports;
        self.push(bracket);
        Ok(at + 1)
    }

    /// Reads the rest of `url(` from `at` on.
    fn url(&mut self, at: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        let bytes = reading.bytes;
        let blank = bytes[at..].iter().position(|&byte| !is_space(byte));
        let start = at + blank.unwrap_or(bytes.len() - at);
        match bytes.get(start) {
            None if !reading.last => {
                self.token = OpenToken::UrlSpace;
                return self.wait(start, reading);
            }
            Some(b'"' | b'\'') => {
                let imports = self.expects_import;
                self.other_token(start, reading);
                self.expects_import = imports;
                self.push(CssBracket::Reference);
                return Ok(start);
            }
            _ => {}
        }
        match url_end(bytes, start, reading.last) {
            UrlEnd::Closed { url, end } if end - start <= LONGEST_TOKEN => {
                self.raw_url(start..url, reading);
                Ok(end)
            }
            UrlEnd::Bad(bad) if bad - start <= LONGEST_TOKEN => {
                (reading.found)(CssFind::Fault(&diagnostic::CSS_BAD_URL, start));
                self.other_token(start, reading);
                self.bad_url(bad, reading)
            }
            UrlEnd::Open { end, .. } if end - start <= LONGEST_TOKEN && !reading.last => {
                // The white space was read: the rest starts at the URL.
                self.token = OpenToken::UrlSpace;
                self.wait(start, reading)
            }
            UrlEnd::Open { url, end } if end - start <= LONGEST_TOKEN => {
                self.raw_url(start..url, reading);
                Ok(bytes.len())
            }
            _ => {
                (reading.found)(CssFind::Fault(&diagnostic::CSS_TOO_LONG, start));
                self.other_token(start, reading);
                self.long_url(start, reading)
            }
        }
    }

    fn raw_url(&mut self, range: Range<usize>, reading: &mut Reading<'_, '_>) {
        let at = range.start;
        self.reference(range, reading);
        self.other_token(at, reading);
    }

    /// Passes over the rest of a raw URL that is too long.
    fn long_url(&mut self, at: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        match url_end(reading.bytes, at, reading.last) {
            UrlEnd::Closed { end, .. } => Ok(end),
            UrlEnd::Bad(bad) => self.bad_url(bad, reading),
            UrlEnd::Open { url, end } => {
                self.token = OpenToken::Url;
                // White space stays for the next window, where nothing but `)` may follow.
                self.wait(end - usize::from(url < end), reading)
            }
        }
    }

    /// Passes over the rest of a bad URL (CSS Syntax 4.3.14).
    fn bad_url(&mut self, mut at: usize, reading: &mut Reading<'_, '_>) -> Result<usize, Wait> {
        let bytes = reading.bytes;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b')' => return Ok(at + 1),
                b'\\' if !reading.last && at + LONGEST_ESCAPE > bytes.len() => break,
                b'\\' if is_escape(bytes, at) => at = escape_end(bytes, at + 1),
                _ => at += 1,
            }
        }
        self.token = OpenToken::BadUrl;
        self.wait(at, reading)
    }
}

#[cfg(test)]
mod tests {
    use super::super::unescape;
    use super::*;

    fn found(css: &str) -> Vec<String> {
        let mut found = Vec::new();
        references(css.as_bytes(), 0..css.len(), Sheet::Whole, |range| {
            let mut out = Vec::new();
            unescape(css[range].as_bytes(), &mut out);
            found.push(String::from_utf8(out).unwrap());
        });
        found
    }

    #[test]
    fn a_lone_url_is_what_the_reader_finds() {
        let pieces = [
            "url(", "URL(", "a", "#b", ")", " ", "\\", "\\)", "\"", "'", "(", "\0", "\t", "\n",
            ";", "/*",
        ];
        let mut lone = 0;
        for number in 0..pieces.len().pow(4) {
            let parts = (0..4).map(|place| pieces[number / pieces.len().pow(place) % pieces.len()]);
            let css: String = parts.collect();
            let css = css.as_bytes();
            for sheet in [Sheet::Whole, Sheet::Declarations] {
                let (mut quick, mut slow) = (Vec::new(), Vec::new());
                references(css, 0..css.len(), sheet, |range| quick.push(range));
                read_references(css, 0..css.len(), sheet, |range| slow.push(range));
                assert_eq!(quick, slow, "{}", css.escape_ascii());
            }
            lone += usize::from(lone_url(css).is_some());
        }
        assert!(lone > 100, "{lone}");
    }

    #[test]
    fn references_are_found_as_the_standard_says() {
        for (css, expected) in [
            ("background:url(a.png)", vec!["a.png"]),
            ("x:url( a.png ) y:URL('b c')", vec!["a.png", "b c"]),
            (
                "@import 'i'; @import url(j) screen; @import \"k\" layer;",
                vec!["i", "j", "k"],
            ),
            (
                "@namespace url(no); p{content:'url(no)'} /* url(no) */ x:url(y)",
                vec!["y"],
            ),
            ("@namespace svg url(no); x:url(y)", vec!["y"]),
            ("x:url(a b) y:url(c)", vec!["c"]),
            ("x:url(a\"b) y:url(c)", vec!["c"]),
            ("x:url(a\\)b)", vec!["a)b"]),
            ("x:url(\"a\\26 b\\.png\")", vec!["a&b.png"]),
            ("x:\\75rl(a)", vec!["a"]),
            (
                "x:image-set('a' 1x, url(b) 2x, 'c' type('no') 3x) 'no'",
                vec!["a", "b", "c"],
            ),
            ("x:src('a') format('no')", vec!["a"]),
            ("x:'cut\n url(a)", vec!["a"]),
            ("x:url(a", vec!["a"]),
            ("x:curl(no) url (no)", vec![]),
            ("x:url(\"a\" crossorigin(anonymous))", vec!["a"]),
            ("@import layer 'no'; x:url()", vec![""]),
            ("x:#url(no) <!--url(a)--><!-- 1url(no)", vec!["a"]),
            ("x:image-set({ 'no' } ( 'no' ) 'a')", vec!["a"]),
        ] {
            assert_eq!(found(css), expected, "{css}");
        }
    }
}
