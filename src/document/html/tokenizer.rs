//! The tokenizer: finds tags, comments and text in windows of any size, and asks a
//! [`TreeFeedback`] what becomes of each tag (WHATWG HTML 13.2.5).
//!
//! A tag longer than [`LIMIT`] is reported attribute by attribute, before its end is known
//! ([`LongTag`]). Text without markup (RCDATA, RAWTEXT, script data, comments) is searched for its
//! end alone.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::LIMIT;
use super::attributes::AttributeSet;
use super::feedback::{AfterTag, Halt, Halted, TagFeedback, TextKind, TreeFeedback};
use super::names::{Attribute, Element};
use super::report::{Capture, ReferenceReporter, ReportState};
use super::tag::{Attributes, Tag, TagScan, TagStep, skim};
use super::value::{CharacterContext, ValueDecoder, ValueSource};
use crate::bytes::seek::{self, is_space};
use crate::bytes::steps::step;
use crate::decode::charset;
use crate::document::diagnostic;
use crate::document::events::{Event, Events};
use crate::document::flags::Flags;

/// Where the tokenizer stands between two windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenizerMode {
    /// Markup.
    Data,
    /// In a tag that is longer than anything in view.
    LongTag(LongTag),
    /// Text up to the end tag of an element.
    Raw(Element),
    Script(ScriptEscape),
    Plaintext,
    /// In a comment; its start has been passed.
    Comment,
    /// In what ends at the next `>`.
    Bogus,
    Cdata,
}

/// A tokenizer's state between two windows.
pub(super) struct TokenizerState {
    pub(super) mode: TokenizerMode,
    pub(super) tag: Tag,
    /// What the text in view is wanted for.
    capture: Option<Capture>,
    /// The encoding that the document turns out to be in.
    halt: Option<Halt>,
}

/// Why one step of the tokenizer ended.
pub(super) enum Flow {
    /// Goes on at the index.
    Go(usize),
    /// The bytes from the index on must be seen with more.
    Wait(usize),
    /// The document must be read in another way.
    Halt,
}

impl TokenizerState {
    pub(super) fn new() -> Self {
        TokenizerState {
            mode: TokenizerMode::Data,
            tag: Tag::new(),
            capture: None,
            halt: None,
        }
    }

    /// Gets ready for another document.
    pub(super) fn begin(&mut self) {
        self.mode = TokenizerMode::Data;
        self.capture = None;
    }
}

/// One run of the tokenizer over one window.
pub(super) struct TokenizerRun<'a, 'e, 'f, T> {
    pub(super) source: ValueSource<'a>,
    pub(super) last: bool,
    pub(super) tokens: &'e mut TokenizerState,
    pub(super) tree: &'e mut T,
    pub(super) events: &'e mut Events<'f>,
    pub(super) document: &'e mut ReportState,
}

impl<T: TreeFeedback> TokenizerRun<'_, '_, '_, T> {
    /// Scans from an index on, and returns the index up to which nothing has to be seen again.
    pub(super) fn run(&mut self, mut at: usize) -> Result<usize, Halt> {
        let end = self.source.bytes.len();
        loop {
            if at == end {
                return Ok(end);
            }
            let from = at;
            let flow = match self.tokens.mode {
                TokenizerMode::Data => self.data(at),
                TokenizerMode::LongTag(long) => self.in_long_tag(at, long),
                TokenizerMode::Raw(element) => self.raw(at, element),
                TokenizerMode::Script(escape) => self.script(at, escape),
                TokenizerMode::Plaintext => Flow::Go(end),
                TokenizerMode::Comment => self.comment(at),
                TokenizerMode::Bogus => self.bogus(at),
                TokenizerMode::Cdata => self.cdata(at),
            };
            step(match flow {
                Flow::Go(next) => next - from,
                _ => end - from,
            });
            match flow {
                Flow::Go(next) => at = next,
                Flow::Wait(_) if self.last => return Ok(end),
                Flow::Wait(from) => return Ok(from),
                Flow::Halt => {
                    let halt = self.tokens.halt.take();
                    return Err(halt.unwrap_or_else(|| self.tree.halt()));
                }
            }
        }
    }

    /// Markup: runs until the mode changes or the bytes end.
    fn data(&mut self, mut at: usize) -> Flow {
        let bytes = self.source.bytes;
        let wants_text = !T::WANTS_ALL && self.document.characters.is_some();
        loop {
            if !wants_text && let Some(sought) = self.tree.skims() {
                match skim(bytes, at, sought, &mut self.tokens.tag) {
                    TagScan::To(next) => at = next,
                    TagScan::Tag => {
                        at = self.tokens.tag.end;
                        self.report_attributes();
                        continue;
                    }
                }
            }
            let open = seek::next(b'<', bytes, at);
            if (T::WANTS_ALL || self.tree.in_prolog()) && open > at {
                self.tree.text(&self.source, at..open);
            }
            if wants_text && open > at {
                // A URI is looked for in the text as a whole.
                if open == bytes.len() && !self.last && open - at <= LIMIT {
                    return Flow::Wait(at);
                }
                self.characters(at..open);
            }
            let rest = &bytes[open.min(bytes.len())..];
            if rest.len() < 2 || (self.last && rest == b"</") {
                // At the end of the document it is text.
                if self.last && !rest.is_empty() && (T::WANTS_ALL || self.tree.in_prolog()) {
                    self.tree.text(&self.source, open..bytes.len());
                }
                return Flow::Wait(open);
            }
            let flow = match rest[1] {
                b'a'..=b'z' | b'A'..=b'Z' => self.start_tag(open),
                b'/' => self.end_tag(open),
                b'!' => self.declaration(open),
                b'?' => {
                    self.tree.comment();
                    self.tokens.mode = TokenizerMode::Bogus;
                    Flow::Go(open + 2)
                }
                _ => {
                    if T::WANTS_ALL || self.tree.in_prolog() {
                        self.tree.text(&self.source, open..open + 1);
                    }
                    Flow::Go(open + 1)
                }
            };
            match flow {
                Flow::Go(next) if self.tokens.mode == TokenizerMode::Data => at = next,
                other => return other,
            }
        }
    }

    /// Reports what stands in character data.
    #[cold]
    fn characters(&mut self, range: Range<usize>) {
        let flags = match self.tree.is_inert() {
            true => Flags::INERT,
            false => Flags::NONE,
        };
        let mut report = ReferenceReporter {
            source: self.source,
            events: self.events,
            document: self.document,
        };
        report.characters(range, Some(CharacterContext::Text), flags);
        settle(&mut report, self.tree);
    }

    #[inline(always)]
    fn start_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        let name = open + 1..seek::tag_name_end(bytes, open + 1);
        if name.end == bytes.len() {
            return self.wait_for_tag(open);
        }
        let tag = &mut self.tokens.tag;
        tag.start = open;
        tag.element = Element::at(bytes, name.start, name.end);
        tag.name = name;
        let verdict = self.tree.start_tag(&self.source, tag);
        match verdict.then {
            AfterTag::GoOn => {
                if self.tokens.tag.end - open > LIMIT {
                    self.too_long(open);
                }
                self.accept(verdict)
            }
            AfterTag::Wait => self.wait_for_tag(open),
            AfterTag::Halt => Flow::Halt,
        }
    }

    /// Waits for the rest of a tag, unless it is too long for that.
    #[cold]
    fn wait_for_tag(&mut self, open: usize) -> Flow {
        match self.source.bytes.len() - open > LIMIT && !self.last {
            true => self.long_tag(open),
            false => Flow::Wait(open),
        }
    }

    #[inline(always)]
    fn accept(&mut self, verdict: TagFeedback) -> Flow {
        let tag = &self.tokens.tag;
        if verdict.accepted && !tag.attributes.is_empty() {
            let mut report = ReferenceReporter {
                source: self.source,
                events: self.events,
                document: self.document,
            };
            if tag.is_meta()
                && let Some(halt) = hear(&mut report, tag)
            {
                self.tokens.halt = Some(halt);
                return Flow::Halt;
            }
            report.tag(tag, verdict);
            settle(&mut report, self.tree);
            if tag.is_base() && !verdict.inert {
                let first = !report.document.based;
                report.base(tag, first);
                if self.tree.base(&self.source, tag, first) == Err(Halted) {
                    return Flow::Halt;
                }
            }
        }
        self.switch(verdict)
    }

    /// Reports what a tag holds that does nothing else.
    #[inline(always)]
    fn report_attributes(&mut self) {
        let tag = &self.tokens.tag;
        if tag.attributes.is_empty() {
            return;
        }
        let mut report = ReferenceReporter {
            source: self.source,
            events: self.events,
            document: self.document,
        };
        let verdict = TagFeedback {
            accepted: true,
            ..TagFeedback::none(AfterTag::GoOn)
        };
        report.tag(tag, verdict);
        settle(&mut report, self.tree);
    }

    /// Goes on behind a start tag as its element asks.
    #[inline(always)]
    fn switch(&mut self, verdict: TagFeedback) -> Flow {
        if verdict.text != TextKind::Data {
            self.capture(verdict);
        }
        Flow::Go(self.tokens.tag.end)
    }

    fn capture(&mut self, verdict: TagFeedback) {
        let tag = &self.tokens.tag;
        self.tokens.mode = after(tag, verdict);
        self.tokens.capture = None;
        if verdict.accepted {
            let mut report = ReferenceReporter {
                source: self.source,
                events: self.events,
                document: self.document,
            };
            self.tokens.capture = report.capture(tag, verdict);
        }
    }

    #[inline(always)]
    fn end_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        match bytes.get(open + 2) {
            Some(byte) if byte.is_ascii_alphabetic() => {}
            Some(b'>') => return Flow::Go(open + 3),
            Some(_) => {
                self.tree.comment();
                self.tokens.mode = TokenizerMode::Bogus;
                return Flow::Go(open + 2);
            }
            None => return Flow::Wait(open),
        }
        let name = open + 2..seek::tag_name_end(bytes, open + 2);
        let end = match bytes.get(name.end) {
            Some(b'>') => name.end + 1,
            _ => match end_of_tag(bytes, name.end) {
                Some(end) => end,
                None => return self.wait_for_end_tag(open, name),
            },
        };
        match self.tree.end_tag(&self.source, name) {
            Err(Halted) => Flow::Halt,
            Ok(()) => Flow::Go(end),
        }
    }

    /// Waits for the rest of an end tag, unless it is too long for that.
    #[cold]
    fn wait_for_end_tag(&mut self, open: usize, name: Range<usize>) -> Flow {
        if self.source.bytes.len() - open <= LIMIT || self.last {
            return Flow::Wait(open);
        }
        match self.tree.end_tag(&self.source, name) {
            Err(Halted) => Flow::Halt,
            Ok(()) => self.long_end_tag(open),
        }
    }

    /// `<!`: a comment, a doctype, a CDATA section, or nothing of the kind.
    fn declaration(&mut self, open: usize) -> Flow {
        let rest = &self.source.bytes[open + 2..];
        let starts = |prefix: &[u8]| {
            let length = rest.len().min(prefix.len());
            let same = rest[..length].eq_ignore_ascii_case(&prefix[..length]);
            (same, same && length == prefix.len())
        };
        if let (true, whole) = starts(b"--") {
            // Whether the comment ends at once is seen in the next two bytes.
            let contents = open + 4;
            let next = rest.get(2..).unwrap_or_default();
            let empty = match next {
                [b'>', ..] => Some(contents + 1),
                [b'-', b'>', ..] => Some(contents + 2),
                _ if !whole || next.len() < 2 && !self.last => return Flow::Wait(open),
                _ => None,
            };
            self.tree.comment();
            return match empty {
                Some(end) => Flow::Go(end),
                None => {
                    self.tokens.mode = TokenizerMode::Comment;
                    Flow::Go(contents)
                }
            };
        }
        for prefix in [&b"doctype"[..], b"[CDATA["] {
            let (may, is) = starts(prefix);
            let exact = prefix[0] != b'[' || rest.starts_with(&prefix[..rest.len().min(7)]);
            if may && exact && !is && !self.last {
                return Flow::Wait(open);
            }
        }
        if starts(b"doctype").1 {
            return self.doctype(open);
        }
        if rest.starts_with(b"[CDATA[") && self.tree.allows_cdata() {
            self.tokens.mode = TokenizerMode::Cdata;
            return Flow::Go(open + 9);
        }
        self.tree.comment();
        self.tokens.mode = TokenizerMode::Bogus;
        Flow::Go(open + 2)
    }

    fn doctype(&mut self, open: usize) -> Flow {
        if !T::WANTS_ALL {
            self.tokens.mode = TokenizerMode::Bogus;
            return Flow::Go(open + 9);
        }
        let end = seek::next(b'>', self.source.bytes, open + 9);
        self.tree.doctype(&self.source, open + 9..end);
        Flow::Go(self.source.bytes.len().min(end + 1))
    }

    fn comment(&mut self, at: usize) -> Flow {
        match comment_end(self.source.bytes, at) {
            Ok(end) => {
                self.tokens.mode = TokenizerMode::Data;
                Flow::Go(end)
            }
            Err(from) => Flow::Wait(from),
        }
    }

    fn bogus(&mut self, at: usize) -> Flow {
        let end = seek::next(b'>', self.source.bytes, at);
        if end == self.source.bytes.len() {
            return Flow::Wait(end);
        }
        self.tokens.mode = TokenizerMode::Data;
        Flow::Go(end + 1)
    }

    fn cdata(&mut self, at: usize) -> Flow {
        let bytes = self.source.bytes;
        match memmem::find(&bytes[at..], b"]]>") {
            Some(length) => {
                self.tree.cdata(&self.source, at..at + length);
                self.tokens.mode = TokenizerMode::Data;
                Flow::Go(at + length + 3)
            }
            None => {
                if self.last {
                    self.tree.cdata(&self.source, at..bytes.len());
                }
                Flow::Wait(bytes.len().saturating_sub(2).max(at))
            }
        }
    }

    fn raw(&mut self, at: usize, element: Element) -> Flow {
        let found = end_tag(self.source.bytes, at, element.name().as_bytes(), self.last);
        self.text_end(at, found)
    }

    fn script(&mut self, at: usize, escape: ScriptEscape) -> Flow {
        let mut next = escape;
        let found = script_end(self.source.bytes, at, &mut next, self.last);
        // Text that is wanted is looked at from its start again.
        if self.tokens.capture.is_none() {
            self.tokens.mode = TokenizerMode::Script(next);
        }
        self.text_end(at, found)
    }

    /// Handles the text from `at` on, once its end has been looked for.
    fn text_end(&mut self, at: usize, found: EndTagSearch) -> Flow {
        let bytes = self.source.bytes;
        match found {
            EndTagSearch::EndTag(open) => {
                let name = open + 2..seek::tag_name_end(bytes, open + 2);
                let Some(end) = end_of_tag(bytes, name.end) else {
                    return self.cut_end_tag(at, open, name);
                };
                self.tokens.mode = TokenizerMode::Data;
                match self.tree.end_tag(&self.source, name) {
                    Err(Halted) => Flow::Halt,
                    Ok(()) => self.text(at..open, end),
                }
            }
            EndTagSearch::Wait(_) if self.last => self.text(at..bytes.len(), bytes.len()),
            EndTagSearch::Wait(from) if self.tokens.capture.is_none() => Flow::Wait(from),
            EndTagSearch::Wait(from) => {
                if from - at > LIMIT {
                    self.too_long(at);
                    return Flow::Go(at);
                }
                Flow::Wait(at)
            }
        }
    }

    /// Handles the text from `at` on, when its end tag is not in view as a whole.
    #[cold]
    fn cut_end_tag(&mut self, at: usize, open: usize, name: Range<usize>) -> Flow {
        let end = self.source.bytes.len();
        if self.last {
            // A tag that the document's end cuts is no text either.
            return self.text(at..open, end);
        }
        if end - open <= LIMIT {
            return Flow::Wait(if self.tokens.capture.is_some() {
                at
            } else {
                open
            });
        }
        if self.tree.end_tag(&self.source, name) == Err(Halted) {
            return Flow::Halt;
        }
        self.text(at..open, open);
        self.long_end_tag(open)
    }

    /// Reports what the text of an element holds, and goes on.
    fn text(&mut self, range: Range<usize>, next: usize) -> Flow {
        self.tree.raw_text(range.clone());
        if let Some(capture) = self.tokens.capture.take() {
            if range.len() > LIMIT {
                self.too_long(range.start);
            } else {
                let mut report = ReferenceReporter {
                    source: self.source,
                    events: self.events,
                    document: self.document,
                };
                report.contents(&capture, range);
                settle(&mut report, self.tree);
            }
        }
        Flow::Go(next)
    }

    /// Says that something is longer than what is looked at.
    #[cold]
    pub(super) fn too_long(&mut self, at: usize) {
        self.tokens.capture = None;
        let offset = self.source.offset(at);
        self.events
            .push(Event::Diagnostic(&diagnostic::VALUE_TOO_LONG, offset));
    }
}

/// Sees to it that a document is not read again whose references went out early.
#[inline(always)]
pub(super) fn settle(report: &mut ReferenceReporter<'_, '_, '_>, tree: &mut impl TreeFeedback) {
    // A document in a value is read again from what its events were.
    if report.events.is_handed_on() && report.document.depth == 0 {
        report.document.limit = 0;
        tree.settle();
    }
}

/// What follows a start tag.
pub(super) fn after(tag: &Tag, verdict: TagFeedback) -> TokenizerMode {
    match verdict.text {
        TextKind::Data => TokenizerMode::Data,
        TextKind::Rcdata | TextKind::Rawtext => TokenizerMode::Raw(tag.element),
        TextKind::Script => TokenizerMode::Script(ScriptEscape::None),
        TextKind::Plaintext => TokenizerMode::Plaintext,
    }
}

/// Hears what a `meta` element says of the encoding.
fn hear(report: &mut ReferenceReporter<'_, '_, '_>, tag: &Tag) -> Option<Halt> {
    if !report.document.charset.tentative {
        return None;
    }
    let transcoded = charset::needs_transcoding(report.document.charset.label);
    let encoding = report.document.charset.hear(&report.source, tag)?;
    let again = transcoded || !report.document.is_silent() || charset::needs_transcoding(encoding);
    if again && report.source.offset(tag.start) < report.document.limit {
        return Some(Halt::Encoding(encoding));
    }
    if !transcoded && !charset::needs_transcoding(encoding) {
        report.document.charset.change(encoding);
        report.events.push(Event::Encoding(encoding));
    }
    None
}

/// The index behind the `>` of a tag whose name ends at `at`.
fn end_of_tag(bytes: &[u8], at: usize) -> Option<usize> {
    let mut attributes = Attributes::new(bytes, at);
    loop {
        match attributes.step() {
            TagStep::Attribute(_) => {}
            TagStep::End { end, .. } => return Some(end),
            TagStep::Cut(_) => return None,
        }
    }
}

/// What is known of such a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LongTag {
    verdict: TagFeedback,
    seen: AttributeSet,
    /// The quote of the value that is passed over.
    quote: Option<u8>,
}

impl<T: TreeFeedback> TokenizerRun<'_, '_, '_, T> {
    /// Starts on a tag at `open` that goes on beyond the limit.
    pub(super) fn long_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        self.too_long(open);
        let name_end = seek::tag_name_end(bytes, open + 1);
        let mut cut = name_end;
        let mut attributes = Attributes::new(bytes, name_end);
        while let TagStep::Attribute(given) = attributes.step() {
            cut = given.next(bytes);
        }
        let piece = closed(&self.source, open, cut);
        let tag = &mut self.tokens.tag;
        tag.start = 0;
        tag.name = 1..name_end - open;
        let verdict = self.tree.start_tag(&piece.source(), tag);
        if verdict.then == AfterTag::Halt {
            return Flow::Halt;
        }
        let mut long = LongTag {
            verdict,
            seen: AttributeSet::default(),
            quote: None,
        };
        self.report_piece(&mut long, &piece);
        self.tokens.mode = TokenizerMode::LongTag(long);
        Flow::Go(cut)
    }

    /// Passes over the attributes of an end tag that goes on beyond the limit.
    pub(super) fn long_end_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        self.too_long(open);
        self.tokens.mode = TokenizerMode::LongTag(LongTag {
            verdict: TagFeedback::none(AfterTag::GoOn),
            seen: AttributeSet::default(),
            quote: None,
        });
        Flow::Go(seek::tag_name_end(bytes, open + 2))
    }

    /// Goes on in such a tag.
    pub(super) fn in_long_tag(&mut self, at: usize, mut long: LongTag) -> Flow {
        let bytes = self.source.bytes;
        if let Some(quote) = long.quote {
            return self.pass_value(at, long, quote);
        }
        let mut attributes = Attributes::new(bytes, at);
        let mut cut = at;
        let end = loop {
            match attributes.step() {
                TagStep::Attribute(given) => cut = given.next(bytes),
                TagStep::End { end, .. } => break Some(end),
                TagStep::Cut(_) => break None,
            }
        };
        let waiting = bytes.len() - cut;
        if end.is_none() && cut == at && waiting <= LIMIT && !self.last {
            return Flow::Wait(at);
        }
        let piece = closed(&self.source, at, end.map_or(cut, |end| end - 1));
        let tag = &mut self.tokens.tag;
        tag.name = 0..0;
        self.tree.read_attributes(&piece.source(), tag);
        self.report_piece(&mut long, &piece);
        if let Some(end) = end {
            self.tokens.mode = after(&self.tokens.tag, long.verdict);
            return Flow::Go(end);
        }
        if cut == at && !self.last {
            return self.start_value(at, long);
        }
        self.tokens.mode = TokenizerMode::LongTag(long);
        match cut == at {
            true => Flow::Wait(at),
            false => Flow::Go(cut),
        }
    }

    /// Starts to pass over an attribute that is too long.
    fn start_value(&mut self, at: usize, mut long: LongTag) -> Flow {
        let bytes = self.source.bytes;
        let start = seek::skip_separators(bytes, at);
        let name_end = seek::attribute_name_end(bytes, bytes.len().min(start + 1));
        let attribute = Attribute::at(bytes, start, name_end);
        // It counts as given, so that a later one does not.
        long.seen.insert(attribute);
        let equals = seek::skip_space(bytes, name_end);
        if bytes.get(equals) == Some(&b'=') {
            let value = seek::skip_space(bytes, equals + 1);
            long.quote = Some(match bytes.get(value) {
                Some(&quote @ (b'"' | b'\'')) => quote,
                _ => b' ',
            });
        }
        self.tokens.mode = TokenizerMode::LongTag(long);
        Flow::Go(bytes.len())
    }

    /// Passes over the rest of a value; a blank stands for no quote.
    fn pass_value(&mut self, at: usize, mut long: LongTag, quote: u8) -> Flow {
        let bytes = self.source.bytes;
        let end = match quote {
            b' ' => seek::bare_value_end(bytes, at),
            _ => seek::next(quote, bytes, at),
        };
        if end < bytes.len() {
            long.quote = None;
        }
        self.tokens.mode = TokenizerMode::LongTag(long);
        Flow::Go(bytes.len().min(end + usize::from(quote != b' ')))
    }

    /// Reports the attributes of one piece.
    fn report_piece(&mut self, long: &mut LongTag, piece: &ValueDecoder) {
        let tag = &mut self.tokens.tag;
        tag.attributes
            .retain(|held| long.seen.insert(held.attribute));
        if long.verdict.accepted && !tag.attributes.is_empty() {
            let mut report = ReferenceReporter {
                source: piece.source(),
                events: self.events,
                document: self.document,
            };
            report.tag(tag, long.verdict);
            settle(&mut report, self.tree);
        }
    }
}

/// A piece of a tag, and an end for it.
fn closed(source: &ValueSource<'_>, start: usize, end: usize) -> ValueDecoder {
    let mut piece = ValueDecoder::default();
    piece.bytes.extend_from_slice(&source.bytes[start..end]);
    piece.offsets.verbatim(0, source, start..end);
    piece.bytes.push(b'>');
    piece.offsets.replaced(end - start, source, end..end);
    piece
}

/// Where the search for an end tag stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndTagSearch {
    /// The end tag's `<` is at the index.
    EndTag(usize),
    /// None in these bytes; the search goes on at the index when there are more.
    Wait(usize),
}

/// Looks for `</name` and a byte that ends a name.
pub(super) fn end_tag(bytes: &[u8], mut at: usize, name: &[u8], last: bool) -> EndTagSearch {
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let open = at + found;
        match is_end_tag(bytes, open, name) {
            Some(true) => return EndTagSearch::EndTag(open),
            Some(false) => at = open + 1,
            None if last => return EndTagSearch::Wait(bytes.len()),
            None => return EndTagSearch::Wait(open),
        }
    }
    EndTagSearch::Wait(bytes.len())
}

/// Whether `</name` stands at an index; none when the bytes end too early to say.
fn is_end_tag(bytes: &[u8], open: usize, name: &[u8]) -> Option<bool> {
    follows(&bytes[open + 1..], b"/").and_then(|slash| match slash {
        true => names(&bytes[open + 2..], name),
        false => Some(false),
    })
}

/// Whether bytes start with a prefix; none when they end within it.
fn follows(bytes: &[u8], prefix: &[u8]) -> Option<bool> {
    let length = bytes.len().min(prefix.len());
    match bytes[..length].eq_ignore_ascii_case(&prefix[..length]) {
        true if length < prefix.len() => None,
        same => Some(same),
    }
}

/// Whether bytes start with a name and a byte that ends it.
fn names(bytes: &[u8], name: &[u8]) -> Option<bool> {
    match follows(bytes, name)? {
        true => bytes
            .get(name.len())
            .map(|&byte| is_space(byte) || matches!(byte, b'/' | b'>')),
        false => Some(false),
    }
}

/// How deep script data is in what looks like a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ScriptEscape {
    #[default]
    None,
    /// Behind `<!--`: the end tag still counts.
    Escaped,
    /// Behind `<!-- <script>`: it does not.
    Double,
}

/// Looks for the end tag of a script.
pub(super) fn script_end(
    bytes: &[u8],
    mut at: usize,
    escape: &mut ScriptEscape,
    last: bool,
) -> EndTagSearch {
    const NAME: &[u8] = b"script";
    let wait = |at: usize| EndTagSearch::Wait(if last { bytes.len() } else { at });
    loop {
        let found = match *escape {
            ScriptEscape::None => memchr(b'<', &bytes[at..]),
            _ => memchr2(b'<', b'-', &bytes[at..]),
        };
        let Some(found) = found else {
            return EndTagSearch::Wait(bytes.len());
        };
        let here = at + found;
        let rest = &bytes[here..];
        at = here + 1;
        if rest[0] == b'-' {
            match follows(rest, b"-->") {
                Some(true) => *escape = ScriptEscape::None,
                Some(false) => {}
                None => return wait(here),
            }
            continue;
        }
        let decided = match *escape {
            ScriptEscape::None => match is_end_tag(bytes, here, NAME) {
                Some(true) => return EndTagSearch::EndTag(here),
                Some(false) => follows(rest, b"<!--").map(|opens| {
                    if opens {
                        *escape = ScriptEscape::Escaped;
                        // The dashes may be those of the end as well: `<!-->`.
                        at = here + 2;
                    }
                }),
                None => None,
            },
            ScriptEscape::Escaped => match is_end_tag(bytes, here, NAME) {
                Some(true) => return EndTagSearch::EndTag(here),
                Some(false) => names(&rest[1..], NAME).map(|opens| {
                    if opens {
                        *escape = ScriptEscape::Double;
                    }
                }),
                None => None,
            },
            ScriptEscape::Double => is_end_tag(bytes, here, NAME).map(|closes| {
                if closes {
                    *escape = ScriptEscape::Escaped;
                }
            }),
        };
        if decided.is_none() {
            return wait(here);
        }
    }
}

/// Looks for the end of a comment whose contents start at or before `at`, and returns the index
/// behind its `>`, or where the search goes on.
pub(super) fn comment_end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let mut at = start;
    while let Some(found) = memchr(b'>', &bytes[at..]) {
        let more = at + found;
        let contents = &bytes[start..more];
        if contents.ends_with(b"--") || contents.ends_with(b"--!") {
            return Ok(more + 1);
        }
        at = more + 1;
    }
    // `--!` may stand before the next `>`.
    Err(bytes.len().saturating_sub(3).max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Option<usize> {
        let whole = script_end(text.as_bytes(), 0, &mut ScriptEscape::None, true);
        for cut in 0..text.len() {
            let mut escape = ScriptEscape::None;
            let mut found = script_end(&text.as_bytes()[..cut], 0, &mut escape, false);
            if let EndTagSearch::Wait(at) = found {
                found = script_end(text.as_bytes(), at, &mut escape, true);
            }
            assert_eq!(found, whole, "{text} cut at {cut}");
        }
        match whole {
            EndTagSearch::EndTag(at) => Some(at),
            EndTagSearch::Wait(_) => None,
        }
    }

    #[test]
    fn scripts_end_as_the_standard_says() {
        for (text, end) in [
            ("a</script>", Some(1)),
            ("</scripty></SCRIPT\n>", Some(10)),
            ("<!-- </script>", Some(5)),
            ("<!--<script></script>--></script>", Some(24)),
            ("<!--><script></script>", Some(13)),
            ("<!---><script></script>", Some(14)),
            ("<!-<script></script>", Some(11)),
            ("<!--<script>--></script>", Some(15)),
            ("<!--<script></script></script>", Some(21)),
            ("<!--<script/</script/</script ", Some(21)),
            ("<!--<scripty></script>", Some(13)),
            ("<!--<script>--></script", None),
            ("</script", None),
        ] {
            assert_eq!(script(text), end, "{text}");
        }
    }

    #[test]
    fn comments_end_as_the_standard_says() {
        for (text, end) in [
            (" a -->b", Some(6)),
            (" a --!>b", Some(7)),
            ("-->", Some(3)),
            ("!>-->", Some(5)),
            (" - -> --", None),
            ("--- >--->", Some(9)),
        ] {
            assert_eq!(comment_end(text.as_bytes(), 0).ok(), end, "{text}");
            for cut in 0..text.len() {
                let found = comment_end(&text.as_bytes()[..cut], 0)
                    .or_else(|at| comment_end(text.as_bytes(), at));
                assert_eq!(found.ok(), end, "{text} cut at {cut}");
            }
        }
    }
}
