//! Blocks of lines, in which markup of plain text is read, and their references.

use std::ops::{Range, RangeInclusive};

use memchr::memchr2_iter;

use super::diagnostic::{self, Code};
use super::events::{
    Batch, Context, Event, Events, FoundReference, NameRange, RemarkKind, Span, TextRange,
};
use super::flags::{Flags, holds_placeholder};
use super::options::{FormatOptions, TextOptions};
use super::remark::{RemarkCheck, check_remark};
use super::source_text::DecodedText;
use super::text::{self, find};
use super::{AnchorReporting, Format, Scan, ScanStart};
use crate::bytes::class::{run_end, run_start};
use crate::bytes::lines::{BYTE_ORDER_MARK, LOOK_BEHIND, mark_length};
use crate::bytes::steps::step;
use crate::bytes::window::{Bounds, Window};
use crate::uri::Reference;
use crate::uri::base::push_path;

/// Maximum length of a block, in bytes. A longer one is cut after a line, or inside of a longer line.
const MAX_BLOCK_LEN: usize = 1 << 20;

/// The first bytes of a line by which a reader determines whether it skips the line.
pub(super) const LINE_HEAD: usize = 4 << 10;

pub(super) const fn format(
    name: &'static str,
    extensions: &'static [&'static str],
    scanner: fn(&FormatOptions) -> Box<dyn Scan>,
) -> Format {
    Format {
        name,
        extensions,
        bounds: Bounds::new(LOOK_BEHIND, MAX_BLOCK_LEN + 1),
        scanner,
        ..text::UNSPLIT
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    bytes: &'a [u8],
    pub(super) start: usize,
    pub(super) end: usize,
    /// The column of the text, from 0; tab stops are 8 columns apart.
    pub(super) indent: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(bytes: &'a [u8], range: Range<usize>) -> Self {
        let mut line = Line {
            bytes,
            start: range.start,
            end: range.end,
            indent: 0,
        };
        while line.start < line.end && is_blank(bytes[line.start]) {
            line.indent = match bytes[line.start] {
                b'\t' => (line.indent | 7) + 1,
                _ => line.indent + 1,
            };
            line.start += 1;
        }
        line.end = run_start(bytes, line.range(), is_blank);
        line
    }

    pub(super) fn rest(self, from: usize) -> Self {
        let start = run_end(&self.bytes[..self.end], from.min(self.end), is_blank);
        Line {
            start,
            indent: self.indent + columns(&self.bytes[self.start..start]),
            ..self
        }
    }

    pub(super) fn part(self, range: Range<usize>) -> Self {
        Line::new(self.bytes, range)
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub(super) fn text(self) -> &'a [u8] {
        &self.bytes[self.range()]
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// Returns the width of a text in columns: wide characters take two.
pub(super) fn columns(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let characters = text.utf8_chunks().flat_map(|chunk| {
        let invalid = usize::from(!chunk.invalid().is_empty());
        let valid = chunk.valid().chars().map(width);
        valid.chain(std::iter::repeat_n(1, invalid))
    });
    characters.sum()
}

/// The characters of East Asian width wide and fullwidth (Unicode).
#[rustfmt::skip]
static WIDE: [RangeInclusive<char>; 11] = [
    '\u{1100}'..='\u{115f}', '\u{2e80}'..='\u{303e}', '\u{3041}'..='\u{a4cf}', '\u{ac00}'..='\u{d7a3}',
    '\u{f900}'..='\u{faff}', '\u{fe30}'..='\u{fe6f}', '\u{ff01}'..='\u{ff60}', '\u{ffe0}'..='\u{ffe6}',
    '\u{1f300}'..='\u{1f64f}', '\u{1f900}'..='\u{1f9ff}', '\u{20000}'..='\u{3fffd}',
];

/// Returns the width of a character in columns.
pub(super) fn width(character: char) -> usize {
    1 + usize::from(WIDE.iter().any(|wide| wide.contains(&character)))
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0B' | b'\x0C')
}

/// Returns the index of the last byte of the first line break: LF, CRLF, or CR before another byte.
pub(super) fn line_break(bytes: &[u8]) -> Option<usize> {
    let mut breaks = memchr2_iter(b'\n', b'\r', bytes);
    breaks.find(|&at| bytes[at] == b'\n' || bytes.get(at + 1).is_some_and(|&next| next != b'\n'))
}

/// The lines of a block: each with its line break, if it has one.
pub(super) fn lines(bytes: &[u8], block: Range<usize>) -> Vec<Line<'_>> {
    step(block.len());
    let mut lines = Vec::new();
    let mut at = block.start;
    while at < block.end {
        let end = line_break(&bytes[at..block.end]).map_or(block.end, |n| at + n);
        lines.push(Line::new(bytes, at..end));
        at = end + 1;
    }
    lines
}

pub(super) trait BlockReader: Send {
    fn begin(&mut self, start: &ScanStart);

    /// Returns whether a line without its line break is skipped, by its first bytes.
    fn passes_over(&mut self, head: &[u8]) -> bool;

    /// Reads lines, the first of which is not blank.
    fn read(&mut self, bytes: &[u8], block: Range<usize>);

    fn results(&mut self) -> &mut BlockResults;

    /// Whether a line is a separate block; `previous` is the line before, if it begins its block.
    fn is_apart(&self, _head: &[u8], _previous: Option<&[u8]>) -> bool {
        false
    }

    fn is_attributes(&self, _head: &[u8]) -> bool {
        false
    }
}

pub(super) struct BlockScanner<R> {
    reader: R,
    in_line: bool,
    /// Whether the start of the document was checked for a byte order mark.
    started: bool,
}

impl<R: BlockReader> BlockScanner<R> {
    pub(super) fn new(mut reader: R, options: &FormatOptions) -> Self {
        reader.results().marks = options.anchors == AnchorReporting::Report;
        BlockScanner {
            reader,
            in_line: false,
            started: false,
        }
    }
}

impl<R: BlockReader> Scan for BlockScanner<R> {
    fn begin(&mut self, start: &ScanStart) {
        self.reader.begin(start);
        (self.in_line, self.started) = (false, false);
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        let reader = &mut self.reader;
        let (bytes, mut at) = (window.bytes, window.start);
        if !self.started {
            let pending = &bytes[at..];
            if pending.len() < BYTE_ORDER_MARK.len() && !window.last {
                return at;
            }
            self.started = true;
            at += mark_length(pending);
        }
        while at < bytes.len() {
            step(1);
            if self.in_line {
                match line_break(&bytes[at..]) {
                    Some(end) => at += end + 1,
                    // LF may follow CR.
                    None if bytes[at..].ends_with(b"\r") && !window.last => return bytes.len() - 1,
                    None => return bytes.len(),
                }
                self.in_line = false;
                continue;
            }
            let rest = &bytes[at..];
            let head = &rest[..rest.len().min(LINE_HEAD)];
            let line_end = line_break(head);
            if line_end.is_none() && head.len() < LINE_HEAD && !window.last {
                return at;
            }
            let head = &head[..line_end.unwrap_or(head.len())];
            if reader.passes_over(head) || head.iter().all(|&byte| is_blank(byte)) {
                // The last byte may be a CR.
                at += head.len().saturating_sub(1);
                self.in_line = true;
                continue;
            }
            let Some((end, cut)) = block_end(rest, window.last, reader) else {
                return at;
            };
            if cut {
                let offset = window.offset_at(at);
                events.push(Event::Diagnostic(
                    &diagnostic::MARKUP_BLOCK_TOO_LONG,
                    offset,
                ));
            }
            let results = reader.results();
            results.offset = window.offset;
            results.batch = std::mem::take(&mut events.batch);
            reader.read(bytes, at..at + end);
            let results = reader.results();
            events.batch = std::mem::take(&mut results.batch);
            results.report(&window, events);
            at += end;
        }
        at
    }
}

/// Returns the length of the first block, and whether it is cut; `None` if more bytes are needed.
fn block_end(bytes: &[u8], last: bool, reader: &impl BlockReader) -> Option<(usize, bool)> {
    let (mut at, mut previous, mut is_first) = (0, None, true);
    let whole = &bytes[..bytes.len().min(MAX_BLOCK_LEN)];
    loop {
        let end = line_break(&whole[at..]).map(|n| at + n);
        let line = &whole[at..end.unwrap_or(whole.len())];
        step(1 + line.len());
        let is_blank_line = line.iter().all(|&byte| is_blank(byte));
        let head = &line[..line.len().min(LINE_HEAD)];
        let is_known = end.is_some() || last && whole.len() == bytes.len();
        if is_known && reader.is_apart(head, previous) {
            let own = end.map_or(whole.len(), |end| end + 1);
            return Some((if at > 0 { at } else { own }, false));
        }
        previous = is_first.then_some(head);
        is_first = is_first && reader.is_attributes(head);
        match end {
            Some(_) if is_blank_line && at > 0 => return Some((at, false)),
            Some(end) => at = end + 1,
            None if bytes.len() >= MAX_BLOCK_LEN && bytes.len() > whole.len() => {
                return Some((if at > 0 { at } else { whole.len() }, true));
            }
            None if !last => return None,
            None if is_blank_line && at > 0 => return Some((at, false)),
            None => return Some((whole.len(), false)),
        }
    }
}

pub(super) fn erase(text: &mut [u8]) {
    let bytes = text.iter_mut().filter(|byte| **byte != b'\n');
    bytes.for_each(|byte| *byte = b' ');
}

/// Reports the references in text that begins at an index of the window, by the rules for text.
pub(super) fn text_references(
    text: &[u8],
    start: usize,
    options: &TextOptions,
    results: &mut BlockResults,
) {
    for found in find(text, options) {
        let range = start + found.span.start..start + found.span.end;
        let mut reference = results.found(range, &found.reference, found.context);
        reference.flags = found.flags;
        results.reference(reference);
    }
}

/// The findings in a block.
#[derive(Debug, Default)]
pub(super) struct BlockResults {
    findings: Vec<Event>,
    /// The batch of the document while a block is read, which stores the texts.
    batch: Batch,
    /// The offset of the window.
    offset: u64,
    pub(super) marks: bool,
}

impl BlockResults {
    pub(super) fn store(&mut self, text: &[u8]) -> TextRange {
        self.batch.store(text)
    }

    pub(super) fn stored(&self, text: TextRange) -> &[u8] {
        self.batch.bytes(text, &[])
    }

    /// Stores the reference that a path resolves as, if it is not the path itself.
    pub(super) fn store_path(&mut self, path: &[u8]) -> Option<TextRange> {
        let has_scheme = Reference::split(path).scheme.is_some();
        let is_encoded = has_scheme || path.iter().any(|byte| b" ?#%".contains(byte));
        is_encoded.then(|| {
            self.batch.store_with(|store| {
                store.extend_from_slice(if has_scheme { b"./" } else { b"" });
                push_path(path, store);
            })
        })
    }

    /// Returns a reference from a range of the window.
    fn found(&mut self, range: Range<usize>, text: &[u8], context: Context) -> FoundReference {
        FoundReference::new(Span::at(self.offset, &range), self.store(text), context)
    }

    /// Returns a reference in a construct of markup.
    pub(super) fn element(
        &mut self,
        range: Range<usize>,
        text: &[u8],
        element: &'static str,
    ) -> FoundReference {
        FoundReference {
            element: NameRange::Known(element),
            ..self.found(range, text, Context::Attribute)
        }
    }

    pub(super) fn bare(&mut self, range: Range<usize>, text: &[u8]) {
        let found = self.found(range, text, Context::Bare);
        self.reference(found);
    }

    pub(super) fn reference(&mut self, found: FoundReference) {
        let (TextRange::Window(start, end) | TextRange::Stored(start, end)) = found.text;
        if start < end {
            self.findings.push(Event::Reference(found));
        }
    }

    pub(super) fn mail(&mut self, range: Range<usize>, address: &[u8]) {
        let mut found = self.found(range, &[b"mailto:", address].concat(), Context::Email);
        found.flags = Flags::SCHEME_GUESSED;
        self.reference(found);
    }

    pub(super) fn diagnostic(&mut self, code: &'static Code, at: usize) {
        let offset = self.offset + at as u64;
        self.findings.push(Event::Diagnostic(code, offset));
    }

    pub(super) fn anchor(&mut self, at: usize, name: &[u8]) {
        if self.marks && !name.is_empty() {
            let anchor = Event::Anchor(self.store(name), self.offset + at as u64);
            self.findings.push(anchor);
        }
    }

    pub(super) fn comment(&mut self, whole: Range<usize>, contents: &[u8]) {
        if self.marks && check_remark(contents, true) == RemarkCheck::Yes {
            self.remark(RemarkKind::Ignore, whole, contents);
        }
    }

    pub(super) fn remark(&mut self, kind: RemarkKind, range: Range<usize>, text: &[u8]) {
        if self.marks && !text.is_empty() {
            let remark = Event::remark(kind, self.store(text), Span::at(self.offset, &range));
            self.findings.push(remark);
        }
    }

    /// Reports all findings: diagnostics, then anchors, then references and remarks in document order.
    fn report(&mut self, window: &Window<'_>, events: &mut Events) {
        // Of two at the same place, the reference is the first.
        self.findings.sort_by_key(|finding| match finding {
            Event::Anchor(_, at) => (1, *at, 0),
            Event::Reference(found) => (2, found.span.start, found.span.end),
            Event::Remark(found) => (2, found.span.start, u64::MAX),
            _ => (0, 0, 0),
        });
        for mut finding in self.findings.drain(..) {
            if let Event::Reference(found) = &mut finding {
                let text = events.bytes(found.text, window.bytes);
                found.flags |= Flags::TEMPLATE.when(holds_placeholder(text));
            }
            events.push(finding);
        }
        events.forget_stored();
    }
}

/// Joins lines with line breaks; the text is mapped to the window.
pub(super) fn join(first: Option<Line<'_>>, rest: &[Line<'_>]) -> DecodedText {
    let mut text = DecodedText::default();
    for (nth, line) in first.iter().chain(rest).enumerate() {
        if nth > 0 {
            text.put(b"\n", 1);
        }
        text.map.resume(line.start as u64);
        text.copy(line.text());
    }
    text
}

impl DecodedText {
    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        let span = self.source().span(range);
        span.start as usize..span.end as usize
    }
}

pub(super) fn char_at(text: &[u8], at: usize) -> Option<char> {
    let first = *text.get(at)?;
    if first.is_ascii() {
        return Some(char::from(first));
    }
    let end = text.len().min(at + 4);
    let chunk = text[at..end].utf8_chunks().next()?;
    Some(chunk.valid().chars().next().unwrap_or('\u{fffd}'))
}

pub(super) fn char_before(text: &[u8], at: usize) -> Option<char> {
    let last = *text.get(at.checked_sub(1)?)?;
    if last.is_ascii() {
        return Some(char::from(last));
    }
    let start = (1..=4.min(at)).find(|n| text[at - n] & 0xC0 != 0x80)?;
    char_at(text, at - start)
}
