//! The reader of CSS: from one significant byte to the next, in windows of any size.
//!
//! CSS is read as tokens (CSS Syntax Level 3, section 4), but only strings, comments, escapes,
//! functions, at-keywords, brackets and semicolons are looked at; a vectorised search skips the names,
//! numbers and blanks between them. The property of a reference is read when there is a reference.

use std::ops::Range;

use memchr::{memchr3_iter, memmem};

use super::lexical::{
    CssName, LONGEST_ESCAPE, LONGEST_FUNCTION, TokenEnd, escape_end, is_escape, is_name,
    name_start, source_map, starts_name, string_end, url_end,
};
use super::statement::{AT_RULES, AtRule, NamePhase, Statement};
use crate::bytes::class::ByteSet;
use crate::bytes::seek::{is_space, skip_space};
use crate::bytes::simd::avx2::{Avx2, NibbleSet};
use crate::bytes::steps::step;
use crate::document::diagnostic::{self, Code};
use crate::document::remark::{FIRST_WORD, LONGEST_REMARK, RemarkCheck, check_remark};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sheet {
    #[default]
    Whole,
    Declarations,
}

/// Ranges are of the bytes of the window.
#[derive(Clone, Debug)]
pub(crate) enum CssFind<'a> {
    /// A reference, raw: [`unescape`](super::unescape) replaces its escapes.
    Reference {
        range: Range<usize>,
        owner: CssOwner<'a>,
    },
    SourceMap(Range<usize>),
    Remark(Range<usize>),
    Fault(&'static Code, usize),
}

/// The property or the at-rule that a reference belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CssOwner<'a> {
    Unknown,
    /// `@import`; `inert` after another rule, where it is ignored (CSS Cascade 5, section 2).
    Import {
        inert: bool,
    },
    /// A property, in lower case unless it is a custom one.
    Property(&'a [u8]),
    FontFace(&'a [u8]),
}

/// Longer strings, raw URLs and comments with a source map are left out, and diagnosed.
pub(crate) const LONGEST_TOKEN: usize = 4 << 20;

/// Maximum number of open brackets whose kinds are known; deeper ones are counted.
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
    if may_have_references(&bytes[range.clone()]) {
        CssReader::new(sheet).read(bytes, range, true, &mut |find| {
            if let CssFind::Reference { range, .. } = find {
                found(range);
            }
        });
    }
}

pub(crate) fn remarks(bytes: &[u8], range: Range<usize>, mut found: impl FnMut(Range<usize>)) {
    if memmem::find(&bytes[range.clone()], FIRST_WORD).is_some() {
        CssReader::new(Sheet::Whole).read(bytes, range, true, &mut |find| {
            if let CssFind::Remark(remark) = find {
                found(remark);
            }
        });
    }
}

/// Whether the bytes may have a reference: much faster than the reader, and most sheets have none.
fn may_have_references(bytes: &[u8]) -> bool {
    memchr3_iter(b'(', b'@', b'\\', bytes).any(|at| match bytes[at] {
        b'(' => {
            let name = &bytes[at.saturating_sub(3)..at];
            let mut ends = [b"url", b"src", b"set", b"age"].into_iter();
            ends.any(|end| name.eq_ignore_ascii_case(end))
        }
        b'@' => matches!(bytes.get(at + 1), Some(b'i' | b'I')),
        // An escape may be part of any name.
        _ => true,
    })
}

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
    Parenthesis,
    Square,
    Brace,
    /// In the value of a custom property.
    ValueBrace,
    FontFace,
}

static FUNCTIONS: [(&[u8], CssBracket); 4] = [
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
    /// Too long, with its quote.
    String(u8),
    UrlSpace,
    /// Too long.
    Url,
    BadUrl,
    /// A name with an escape, or after `@`.
    Name(NameKind, CssName),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Word,
    AtKeyword,
}

const STOPS: ByteSet = ByteSet::EMPTY.with(b"\"'()[]{};\\/@");
static STOP_NIBBLES: NibbleSet = NibbleSet::new(&STOPS);

/// Returns the index of the first byte of [`STOPS`] from `at` on, or the length.
#[inline(always)]
fn next_stop(bytes: &[u8], mut at: usize, avx2: Option<Avx2>) -> usize {
    let rest = loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let (Some(avx2), Some(block)) = (avx2, rest.first_chunk()) else {
            break rest;
        };
        let stops = avx2.members(block, &STOP_NIBBLES);
        if stops != 0 {
            return at + stops.trailing_zeros() as usize;
        }
        at += block.len();
    };
    let found = STOPS.first_inside(rest);
    found.map_or(bytes.len(), |found| at + found)
}

#[derive(Debug, Default)]
pub(crate) struct CssReader {
    sheet: Sheet,
    avx2: Option<Avx2>,
    open: Vec<CssBracket>,
    deeper: u64,
    statement: Statement,
    token: OpenToken,
    /// The number of bytes since the last token that was looked at.
    since_token: usize,
    /// `@import` was read, and nothing else since.
    expects_import: bool,
    has_import: bool,
    /// A rule was read after which an `@import` is not used.
    past_imports: bool,
    /// No references until the end of the rule that began at this number of open brackets.
    opaque: Option<usize>,
}

struct Wait(usize);

struct Reading<'r, 'a> {
    state: &'r mut CssReader,
    bytes: &'a [u8],
    last: bool,
    token_end: usize,
    /// The same, though it may be in the last window: no name that is looked back for begins before.
    name_floor: usize,
    unknown: usize,
    found: &'r mut dyn FnMut(CssFind<'_>),
}

impl CssReader {
    pub(crate) fn new(sheet: Sheet) -> Self {
        CssReader {
            sheet,
            avx2: Avx2::new(),
            ..CssReader::default()
        }
    }

    /// Reads the bytes in a range and returns the index up to which they are consumed; all of them if
    /// they are the last. Up to [`LOOK_BEHIND`] bytes before the range precede it in the sheet.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        last: bool,
        found: &mut dyn FnMut(CssFind<'_>),
    ) -> usize {
        step(range.len());
        let since_token = self.since_token;
        let mut reading = Reading {
            state: self,
            bytes: &bytes[..range.end],
            last,
            token_end: range.start,
            name_floor: range.start.saturating_sub(since_token),
            unknown: range.start,
            found,
        };
        let end = match reading.tokens(range.start) {
            Ok(()) if last => range.end,
            Ok(()) => {
                // A name at the end may be the name of a function.
                let start = name_start(reading.bytes, range.end, reading.name_floor);
                if range.end - start <= LONGEST_FUNCTION {
                    start.max(range.start)
                } else {
                    range.end
                }
            }
            Err(Wait(at)) => at,
        };
        step(end - range.start);
        reading.state.since_token = end.saturating_sub(reading.name_floor);
        reading.gap(reading.token_end.min(end)..end);
        let unknown = reading.unknown.min(end);
        reading.state.statement.pass(&bytes[unknown..end]);
        end
    }
}

impl Reading<'_, '_> {
    #[inline(always)]
    fn end_token(&mut self, at: usize) {
        self.token_end = at;
        self.name_floor = at;
    }

    fn tokens(&mut self, mut at: usize) -> Result<(), Wait> {
        at = self.resume(at)?;
        loop {
            let stop = next_stop(self.bytes, at, self.state.avx2);
            let Some(&byte) = self.bytes.get(stop) else {
                return Ok(());
            };
            at = match byte {
                b'{' | b'}' | b';' | b'[' | b']' | b')' => {
                    self.gap(self.token_end..stop);
                    self.bracket(byte, stop);
                    stop + 1
                }
                b'(' => {
                    let (start, name) = self.name_before(stop);
                    self.gap(self.token_end..start);
                    self.function(name.bytes(), stop)?
                }
                b'"' | b'\'' => {
                    self.gap(self.token_end..stop);
                    self.string(byte, stop)?
                }
                b'/' => match self.bytes.get(stop + 1) {
                    Some(b'*') => {
                        self.gap(self.token_end..stop);
                        self.comment(stop)?
                    }
                    None if !self.last => return Err(Wait(stop)),
                    _ => {
                        at = stop + 1;
                        continue;
                    }
                },
                b'@' => {
                    self.gap(self.token_end..stop);
                    if !self.last && stop + 4 > self.bytes.len() {
                        return Err(Wait(stop));
                    }
                    if starts_name(self.bytes, stop + 1) {
                        self.name(NameKind::AtKeyword, CssName::default(), stop + 1)?
                    } else {
                        self.other_token(stop);
                        stop + 1
                    }
                }
                _ => self.escaped_name(stop)?,
            };
            self.end_token(at);
        }
    }

    /// Continues with the token that the last window did not hold to its end.
    fn resume(&mut self, at: usize) -> Result<usize, Wait> {
        let end = match std::mem::take(&mut self.state.token) {
            OpenToken::None => return Ok(at),
            OpenToken::UrlSpace => self.url(at)?,
            OpenToken::Name(kind, name) => self.name(kind, name, at)?,
            token => self.skip(token, at)?,
        };
        self.end_token(end);
        Ok(end)
    }

    fn wait(&mut self, token: OpenToken, end: usize) -> Result<usize, Wait> {
        if self.last {
            return Ok(self.bytes.len());
        }
        self.state.token = token;
        self.token_end = end;
        Err(Wait(end))
    }

    /// Skips the rest of a comment, or of a string or URL that is not used, from `at` on.
    fn skip(&mut self, token: OpenToken, mut at: usize) -> Result<usize, Wait> {
        let bytes = self.bytes;
        match token {
            OpenToken::Comment => {
                let rest = &bytes[at..];
                if let Some(length) = memmem::find(rest, b"*/") {
                    self.unknown = at + length + 2;
                    return Ok(self.unknown);
                }
                at = bytes.len() - usize::from(rest.ends_with(b"*") && !self.last);
                self.unknown = at;
            }
            OpenToken::String(quote) => match string_end(quote, bytes, at, self.last) {
                (TokenEnd::Closed, end) => return Ok(end + 1),
                (TokenEnd::Bad, end) => return Ok(end),
                (TokenEnd::Open, end) => at = end,
            },
            OpenToken::Url => match url_end(bytes, at, self.last) {
                (TokenEnd::Closed, _, end) => return Ok(end),
                (TokenEnd::Bad, _, end) => return self.skip(OpenToken::BadUrl, end),
                // White space stays for the next window, where nothing but `)` may follow.
                (TokenEnd::Open, url, end) => at = end - usize::from(url < end),
            },
            // The rest of a bad URL (CSS Syntax 4.3.14).
            _ => {
                while let Some(&byte) = bytes.get(at) {
                    match byte {
                        b')' => return Ok(at + 1),
                        b'\\' if !self.last && at + LONGEST_ESCAPE > bytes.len() => break,
                        b'\\' if is_escape(bytes, at) => at = escape_end(bytes, at + 1),
                        _ => at += 1,
                    }
                }
            }
        }
        self.wait(token, at)
    }

    /// Looks at the bytes between two tokens, where it matters whether they are blank.
    #[inline(always)]
    fn gap(&mut self, gap: Range<usize>) {
        let matters = self.state.expects_import
            || matches!(
                self.state.open.last(),
                Some(CssBracket::Reference | CssBracket::ReferenceText)
            );
        if matters {
            self.passed(gap);
        }
    }

    #[cold]
    fn passed(&mut self, gap: Range<usize>) {
        let start = gap.start;
        let bytes = self.bytes.get(gap).unwrap_or_default();
        if let Some(token) = bytes.iter().position(|&byte| !is_space(byte)) {
            self.other_token(start + token);
        }
    }

    fn other_token(&mut self, at: usize) {
        self.state.expects_import = false;
        match self.state.open.last_mut() {
            Some(open @ CssBracket::Reference) => *open = CssBracket::Used,
            Some(open @ CssBracket::ReferenceText) => {
                *open = CssBracket::Used;
                (self.found)(CssFind::Fault(&diagnostic::CSS_URL_MODIFIER, at));
            }
            _ => {}
        }
    }

    fn fault(&mut self, code: &'static Code, at: usize) {
        (self.found)(CssFind::Fault(code, at));
        self.other_token(at);
    }

    #[inline(always)]
    fn bracket(&mut self, byte: u8, at: usize) {
        let depth = self.state.open.len();
        match byte {
            b'{' => {
                self.other_token(at);
                // A block ends the prelude of its rule.
                self.state.opaque = self.state.opaque.filter(|&start| start != depth);
                self.state.past_imports |= depth == 0;
                if depth > 0 && self.is_custom_property(at) {
                    return self.push(CssBracket::ValueBrace);
                }
                self.push(match self.state.statement.at {
                    AtRule::FontFace => CssBracket::FontFace,
                    _ => CssBracket::Brace,
                });
                self.begin_statement(at + 1);
            }
            b'[' => {
                self.other_token(at);
                self.push(CssBracket::Square);
            }
            b';' => {
                self.other_token(at);
                self.state.opaque = self.state.opaque.filter(|&start| start < depth);
                if self.is_in_block() {
                    let is_rule = match self.state.statement.at {
                        AtRule::Layer => self.state.has_import,
                        at => matches!(at, AtRule::FontFace | AtRule::Opaque | AtRule::Other),
                    };
                    self.state.past_imports |= depth == 0 && is_rule;
                    self.begin_statement(at + 1);
                }
            }
            _ => self.close(byte, at),
        }
    }

    fn push(&mut self, open: CssBracket) {
        if self.state.open.len() < DEEPEST && self.state.deeper == 0 {
            self.state.open.push(open)
        } else {
            self.state.deeper += 1
        }
    }

    /// Closes the innermost bracket if it is of the same kind; any other closing bracket is stray.
    fn close(&mut self, byte: u8, at: usize) {
        if self.state.deeper > 0 {
            self.state.deeper -= 1;
            return;
        }
        let matches = match self.state.open.last() {
            None => false,
            Some(CssBracket::Square) => byte == b']',
            Some(CssBracket::Brace | CssBracket::ValueBrace | CssBracket::FontFace) => byte == b'}',
            Some(_) => byte == b')',
        };
        if !matches {
            return self.other_token(at);
        }
        self.state.expects_import = false;
        let closed = self.state.open.pop();
        let depth = self.state.open.len();
        self.state.opaque = self.state.opaque.filter(|&start| start <= depth);
        if byte == b'}' && closed != Some(CssBracket::ValueBrace) {
            self.begin_statement(at + 1);
        }
    }

    /// Whether the innermost bracket is a block's, or there are no open brackets.
    fn is_in_block(&self) -> bool {
        let open = self.state.open.last();
        self.state.deeper == 0
            && matches!(open, None | Some(CssBracket::Brace | CssBracket::FontFace))
    }

    fn begin_statement(&mut self, at: usize) {
        self.state.statement.begin(self.state.open.len());
        self.unknown = at;
    }

    /// Reads the name of the statement, up to an index.
    fn pass(&mut self, at: usize) {
        let start = self.unknown.min(at);
        self.state.statement.pass(&self.bytes[start..at]);
        self.unknown = self.unknown.max(at);
    }

    /// Whether a block at an index is in the value of a custom property (CSS Syntax, 5.5.6).
    fn is_custom_property(&mut self, at: usize) -> bool {
        self.pass(at);
        let property = self.state.statement.property();
        property.is_some_and(|name| name.starts_with(b"--"))
    }

    /// Reports a reference, unless the rule holds none.
    fn reference(&mut self, range: Range<usize>) {
        if self.state.opaque.is_some() {
            return;
        }
        self.pass(range.start);
        let outside = self.state.statement.depth.wrapping_sub(1);
        let font_face = self.state.open.get(outside) == Some(&CssBracket::FontFace);
        let owner = match self.state.statement.at {
            AtRule::Import => {
                // What follows are conditions.
                self.state.opaque = Some(self.state.statement.depth);
                let inert = self.state.past_imports || self.state.statement.depth > 0;
                self.state.has_import |= !inert;
                CssOwner::Import { inert }
            }
            _ => match self.state.statement.property() {
                None => CssOwner::Unknown,
                Some(name) if font_face => CssOwner::FontFace(name),
                Some(name) => CssOwner::Property(name),
            },
        };
        (self.found)(CssFind::Reference { range, owner });
    }

    fn string(&mut self, quote: u8, at: usize) -> Result<usize, Wait> {
        let start = at + 1;
        let (ended, end) = string_end(quote, self.bytes, start, self.last);
        if end - start > LONGEST_TOKEN {
            self.fault(&diagnostic::CSS_TOKEN_TOO_LONG, at);
            return self.skip(OpenToken::String(quote), start);
        }
        match ended {
            TokenEnd::Bad => {
                self.fault(&diagnostic::CSS_BAD_STRING, at);
                return Ok(end);
            }
            TokenEnd::Open if !self.last => return Err(Wait(at)),
            _ => {}
        }
        let text = start..end;
        match self.state.open.last_mut() {
            Some(open @ CssBracket::Reference) => {
                *open = CssBracket::ReferenceText;
                self.reference(text);
            }
            Some(CssBracket::Images) => self.reference(text),
            Some(CssBracket::Used | CssBracket::ReferenceText) => self.other_token(at),
            _ if std::mem::take(&mut self.state.expects_import) => self.reference(text),
            _ => {}
        }
        self.state.expects_import = false;
        Ok(self.bytes.len().min(end + 1))
    }

    fn comment(&mut self, at: usize) -> Result<usize, Wait> {
        self.pass(at);
        self.state.statement.pass_comment();
        let text = at + 2;
        let end = memmem::find(&self.bytes[text..], b"*/");
        let held = end.unwrap_or(self.bytes.len() - text);
        let is_sheet = self.state.sheet == Sheet::Whole;
        let marks = self.bytes.get(text);
        let may_name_map = is_sheet && marks.is_none_or(|mark| matches!(mark, b'#' | b'@'));
        let remark = if is_sheet {
            let known = &self.bytes[text..text + held.min(LONGEST_REMARK + 1)];
            check_remark(known, end.is_some())
        } else {
            RemarkCheck::No
        };
        let decides = may_name_map && held <= LONGEST_TOKEN || remark == RemarkCheck::Cut;
        if decides && end.is_none() && !self.last {
            return Err(Wait(at));
        }
        if let (Some(end), RemarkCheck::Yes) = (end, remark) {
            (self.found)(CssFind::Remark(at..text + end + 2));
        }
        if may_name_map && held > LONGEST_TOKEN {
            (self.found)(CssFind::Fault(&diagnostic::CSS_TOKEN_TOO_LONG, at));
        } else if may_name_map
            && let Some(end) = end
            && let Some(map) = source_map(&self.bytes[text..text + end])
        {
            (self.found)(CssFind::SourceMap(text + map.start..text + map.end));
        }
        self.skip(OpenToken::Comment, text)
    }

    fn name(&mut self, kind: NameKind, mut name: CssName, mut at: usize) -> Result<usize, Wait> {
        let bytes = self.bytes;
        while let Some(&byte) = bytes.get(at) {
            if is_name(byte) {
                name.push(byte);
                at += 1;
            } else if byte == b'\\' && !self.last && at + LONGEST_ESCAPE > bytes.len() {
                return self.wait(OpenToken::Name(kind, name), at);
            } else if is_escape(bytes, at) {
                name.escape(bytes, &mut at);
            } else {
                break;
            }
        }
        if at == bytes.len() && !self.last {
            return self.wait(OpenToken::Name(kind, name), at);
        }
        match (kind, bytes.get(at)) {
            (NameKind::AtKeyword, _) => {
                self.at_keyword(name.bytes(), at);
                Ok(at)
            }
            (NameKind::Word, Some(b'(')) => self.function(name.bytes(), at),
            _ => {
                self.other_token(at);
                Ok(at)
            }
        }
    }

    /// Reads the name that the escape at `at` is part of.
    fn escaped_name(&mut self, at: usize) -> Result<usize, Wait> {
        let (start, name) = self.name_before(at);
        self.gap(self.token_end..start);
        if !self.last && at + LONGEST_ESCAPE > self.bytes.len() {
            return Err(Wait(start.max(self.token_end)));
        }
        if !is_escape(self.bytes, at) {
            self.other_token(at);
            return Ok(at + 1);
        }
        self.name(NameKind::Word, name, at)
    }

    /// Returns the start of the name that ends at `at`, and the name. A `#` before it is a part of it.
    fn name_before(&self, at: usize) -> (usize, CssName) {
        let start = name_start(self.bytes, at, self.name_floor);
        let hash = usize::from(self.bytes[..start].ends_with(b"#"));
        (start, CssName::new(&self.bytes[start - hash..at]))
    }

    fn at_keyword(&mut self, name: &[u8], at: usize) {
        self.other_token(at);
        // A block that is a value has no rules.
        if self.state.open.contains(&CssBracket::ValueBrace) {
            return;
        }
        let rule = AT_RULES.iter().find(|(rule, _)| *rule == name);
        let rule = rule.map_or(AtRule::Other, |(_, rule)| *rule);
        if rule == AtRule::Import && self.state.sheet == Sheet::Declarations {
            return;
        }
        if rule == AtRule::Opaque {
            self.state.opaque.get_or_insert(self.state.open.len());
        }
        self.state.expects_import = rule == AtRule::Import;
        self.state.statement.at = rule;
        self.state.statement.phase = NamePhase::None;
    }

    /// Opens the function of a name; an empty name is a plain parenthesis.
    fn function(&mut self, name: &[u8], at: usize) -> Result<usize, Wait> {
        if name == b"url" {
            return self.url(at + 1);
        }
        let function = FUNCTIONS.iter().find(|(function, _)| *function == name);
        let bracket = function.map_or(CssBracket::Parenthesis, |(_, bracket)| *bracket);
        let imports = self.state.expects_import && bracket == CssBracket::Reference;
        self.other_token(at);
        self.state.expects_import = imports;
        self.push(bracket);
        Ok(at + 1)
    }

    fn url(&mut self, at: usize) -> Result<usize, Wait> {
        let bytes = self.bytes;
        let start = skip_space(bytes, at);
        match bytes.get(start) {
            None if !self.last => return self.wait(OpenToken::UrlSpace, start),
            Some(b'"' | b'\'') => {
                let imports = self.state.expects_import;
                self.other_token(start);
                self.state.expects_import = imports;
                self.push(CssBracket::Reference);
                return Ok(start);
            }
            _ => {}
        }
        let (ended, url, end) = url_end(bytes, start, self.last);
        if end - start > LONGEST_TOKEN {
            self.fault(&diagnostic::CSS_TOKEN_TOO_LONG, start);
            return self.skip(OpenToken::Url, start);
        }
        match ended {
            TokenEnd::Bad => {
                self.fault(&diagnostic::CSS_BAD_URL, start);
                self.skip(OpenToken::BadUrl, end)
            }
            // The white space was read: the rest starts at the URL.
            TokenEnd::Open if !self.last => self.wait(OpenToken::UrlSpace, start),
            _ => {
                self.reference(start..url);
                self.other_token(start);
                Ok(end)
            }
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/document/css/reader.rs"]
mod tests;
