//! The tokenizer: finds tags, comments and text in windows of any size, and asks a [`TreeFeedback`] what
//! becomes of each tag (WHATWG HTML 13.2.5).

use std::ops::Range;

use super::LIMIT;
use super::character_references::CharacterContext;
use super::feedback::{AfterTag, Halt, Halted, TagFeedback, TextKind, TreeFeedback};
use super::long_tag::LongTag;
use super::names::Element;
use super::raw::{self, EndTagSearch, ScriptEscape};
use super::report::{Capture, ReferenceReporter, ReportState};
use super::source::ValueSource;
use super::tag::{Attributes, Tag, TagStep};
use super::tag_scanner::{TagScan, skim};
use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::document::charset;
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
        match raw::comment_end(self.source.bytes, at) {
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
        match memchr::memmem::find(&bytes[at..], b"]]>") {
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
        let found = raw::end_tag(self.source.bytes, at, element.name().as_bytes(), self.last);
        self.text_end(at, found)
    }

    fn script(&mut self, at: usize, escape: ScriptEscape) -> Flow {
        let mut next = escape;
        let found = raw::script_end(self.source.bytes, at, &mut next, self.last);
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
