//! The tokenizer: finds tags, comments and text in windows of any size, and asks a
//! [`TreeFeedback`] what becomes of each tag (WHATWG HTML 13.2.5).
//!
//! A tag longer than [`LIMIT`] is reported attribute by attribute, before its end is known
//! ([`LongTag`]). Text without markup (RCDATA, RAWTEXT, script data, comments) is searched for its
//! end alone.

use std::ops::Range;

use memchr::memmem;

use super::attributes::AttributeSet;
use super::description;
use super::feedback::{AfterTag, Halt, Halted, TagFeedback, TextKind, TreeFeedback};
use super::names::{Attribute, Element};
use super::raw_text::{
    EndTagSearch, ScriptEscape, find_comment_end, find_end_tag, find_script_end,
};
use super::report::{Capture, ReferenceReporter, ReportState};
use super::tag::{Attributes, Tag, TagScan, TagStep, scan_tags, tag_end};
use super::value::{CharacterContext, ValueDecoder, ValueSource};
use super::value_syntax::LIMIT;
use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::decode::charset;
use crate::document::css;
use crate::document::diagnostic;
use crate::document::events::{Event, Events, FoundRemark, RemarkKind};
use crate::document::flags::Flags;
use crate::document::remark::{LONGEST_REMARK, RemarkCheck, check_remark};

/// The tokenizer state between two windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenizerMode {
    /// Markup and character data.
    Data,
    /// In a tag longer than [`LIMIT`].
    LongTag(LongTag),
    /// RCDATA or RAWTEXT, up to the end tag of an element.
    Raw(Element),
    Script(ScriptEscape),
    Plaintext,
    /// In a comment, after the `<!--`.
    Comment,
    /// In a bogus comment or a doctype, up to the next `>`.
    Bogus,
    Cdata,
}

/// A tokenizer between two windows.
pub(super) struct TokenizerState {
    pub(super) mode: TokenizerMode,
    pub(super) tag: Tag,
    /// The references to look for in the text of the current element.
    capture: Option<Capture>,
    /// Set if a `meta` changed the encoding.
    halt: Option<Halt>,
}

/// The result of one step of the tokenizer.
pub(super) enum Flow {
    /// The next step starts at the index.
    Go(usize),
    /// The next step starts at the index and needs more bytes.
    Wait(usize),
    /// The document must be scanned in another way.
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

    /// Starts a document.
    pub(super) fn begin(&mut self) {
        self.mode = TokenizerMode::Data;
        self.capture = None;
    }
}

/// A run of the tokenizer over one window.
pub(super) struct TokenizerRun<'a, 'e, 'f, T> {
    pub(super) source: ValueSource<'a>,
    /// Whether the window is the document's last.
    pub(super) last: bool,
    pub(super) state: &'e mut TokenizerState,
    pub(super) tree: &'e mut T,
    pub(super) events: &'e mut Events<'f>,
    pub(super) document: &'e mut ReportState,
}

impl<T: TreeFeedback> TokenizerRun<'_, '_, '_, T> {
    /// Scans from an index on; returns the index up to which the window is consumed.
    pub(super) fn run(&mut self, mut at: usize) -> Result<usize, Halt> {
        let end = self.source.bytes.len();
        loop {
            if at == end {
                return Ok(end);
            }
            let from = at;
            let flow = match self.state.mode {
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
                    let halt = self.state.halt.take();
                    return Err(halt.unwrap_or_else(|| self.tree.halt()));
                }
            }
        }
    }

    /// Data state: runs until the mode changes or the bytes end.
    fn data(&mut self, mut at: usize) -> Flow {
        let bytes = self.source.bytes;
        let wants_text = !T::WANTS_ALL && self.document.text_scanner.is_some();
        loop {
            if !wants_text && let Some(names) = self.tree.fast_path() {
                match scan_tags(bytes, at, names, &mut self.state.tag) {
                    TagScan::To(next) => at = next,
                    TagScan::Tag => {
                        let tag = &self.state.tag;
                        if tag.element == Element::A && self.awaits_text(tag.name.clone()) {
                            return Flow::Wait(tag.start);
                        }
                        at = tag.end;
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
                // The text between two tags is searched as a whole.
                if open == bytes.len() && !self.last && open - at <= LIMIT {
                    return Flow::Wait(at);
                }
                self.character_data(at..open);
            }
            let rest = &bytes[open.min(bytes.len())..];
            if rest.len() < 2 || (self.last && rest == b"</") {
                // At the end of the document, `<` and `</` are text.
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
                    self.state.mode = TokenizerMode::Bogus;
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
                Flow::Go(next) if self.state.mode == TokenizerMode::Data => at = next,
                other => return other,
            }
        }
    }

    /// Reports the URIs in character data.
    #[cold]
    fn character_data(&mut self, range: Range<usize>) {
        let flags = match self.tree.is_inert() {
            true => Flags::INERT,
            false => Flags::NONE,
        };
        let mut report = ReferenceReporter::new(self.source, self.events, self.document);
        report.character_data(range, Some(CharacterContext::Text), flags);
        forbid_restart(&mut report, self.tree);
    }

    #[inline(always)]
    fn start_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        let name = open + 1..seek::tag_name_end(bytes, open + 1);
        if name.end == bytes.len() {
            return self.wait_for_tag(open);
        }
        let element = Element::at(bytes, name.start, name.end);
        if element == Element::A && self.awaits_text(name.clone()) {
            return Flow::Wait(open);
        }
        let tag = &mut self.state.tag;
        tag.start = open;
        tag.element = element;
        tag.name = name;
        let feedback = self.tree.start_tag(&self.source, tag);
        match feedback.then {
            AfterTag::GoOn => {
                if self.state.tag.end - open > LIMIT {
                    self.too_long(open);
                }
                self.accept(feedback)
            }
            AfterTag::Wait => self.wait_for_tag(open),
            AfterTag::Halt => Flow::Halt,
        }
    }

    /// Whether the text of a link is read, and more bytes have to be seen for it.
    #[inline(always)]
    fn awaits_text(&self, name: Range<usize>) -> bool {
        self.document.options.descriptions
            && !self.last
            && !description::is_whole(self.source.bytes, name)
    }

    /// Waits for the rest of a tag, or reads it in pieces if it is longer than [`LIMIT`].
    #[cold]
    fn wait_for_tag(&mut self, open: usize) -> Flow {
        match self.source.bytes.len() - open > LIMIT && !self.last {
            true => self.long_tag(open),
            false => Flow::Wait(open),
        }
    }

    #[inline(always)]
    fn accept(&mut self, feedback: TagFeedback) -> Flow {
        let tag = &self.state.tag;
        if feedback.accepted && !tag.attributes.is_empty() {
            let mut report = ReferenceReporter::new(self.source, self.events, self.document);
            if tag.is_meta()
                && let Some(halt) = apply_meta(&mut report, tag)
            {
                self.state.halt = Some(halt);
                return Flow::Halt;
            }
            report.tag(tag, feedback);
            forbid_restart(&mut report, self.tree);
            if tag.is_base() && !feedback.inert {
                let first = !report.document.has_base;
                report.base(tag, first);
                if self.tree.base(&self.source, tag, first) == Err(Halted) {
                    return Flow::Halt;
                }
            }
        }
        self.switch(feedback)
    }

    /// Reports the attributes of a tag that has no other effect.
    #[inline(always)]
    fn report_attributes(&mut self) {
        let tag = &self.state.tag;
        if tag.attributes.is_empty() {
            return;
        }
        let mut report = ReferenceReporter::new(self.source, self.events, self.document);
        let feedback = TagFeedback {
            accepted: true,
            ..TagFeedback::none(AfterTag::GoOn)
        };
        report.tag(tag, feedback);
        forbid_restart(&mut report, self.tree);
    }

    /// Switches the mode after a start tag.
    #[inline(always)]
    fn switch(&mut self, feedback: TagFeedback) -> Flow {
        if feedback.text != TextKind::Data {
            self.capture(feedback);
        }
        Flow::Go(self.state.tag.end)
    }

    fn capture(&mut self, feedback: TagFeedback) {
        let tag = &self.state.tag;
        self.state.mode = mode_after(tag, feedback);
        self.state.capture = None;
        if feedback.accepted {
            let mut report = ReferenceReporter::new(self.source, self.events, self.document);
            self.state.capture = report.capture(tag, feedback);
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
                self.state.mode = TokenizerMode::Bogus;
                return Flow::Go(open + 2);
            }
            None => return Flow::Wait(open),
        }
        let name = open + 2..seek::tag_name_end(bytes, open + 2);
        let end = match bytes.get(name.end) {
            Some(b'>') => name.end + 1,
            _ => match tag_end(bytes, name.end) {
                Some(end) => end,
                None => return self.wait_for_end_tag(open, name),
            },
        };
        match self.tree.end_tag(&self.source, name) {
            Err(Halted) => Flow::Halt,
            Ok(()) => Flow::Go(end),
        }
    }

    /// Waits for the rest of an end tag, or passes over it if it is longer than [`LIMIT`].
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

    /// Markup declaration open state, `<!`: a comment, doctype, CDATA section or bogus comment.
    fn declaration(&mut self, open: usize) -> Flow {
        let rest = &self.source.bytes[open + 2..];
        let starts = |prefix: &[u8]| {
            let length = rest.len().min(prefix.len());
            let same = rest[..length].eq_ignore_ascii_case(&prefix[..length]);
            (same, same && length == prefix.len())
        };
        if let (true, whole) = starts(b"--") {
            // `<!-->` and `<!--->` are whole comments.
            let contents = open + 4;
            let next = rest.get(2..).unwrap_or_default();
            let empty = match next {
                [b'>', ..] => Some(contents + 1),
                [b'-', b'>', ..] => Some(contents + 2),
                _ if !whole || next.len() < 2 && !self.last => return Flow::Wait(open),
                _ => None,
            };
            if empty.is_none() && self.document.enabled.reports_anchors() && self.remark(contents) {
                return Flow::Wait(open);
            }
            self.tree.comment();
            return match empty {
                Some(end) => Flow::Go(end),
                None => {
                    self.state.mode = TokenizerMode::Comment;
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
            self.state.mode = TokenizerMode::Cdata;
            return Flow::Go(open + 9);
        }
        self.tree.comment();
        self.state.mode = TokenizerMode::Bogus;
        Flow::Go(open + 2)
    }

    fn doctype(&mut self, open: usize) -> Flow {
        if !T::WANTS_ALL {
            self.state.mode = TokenizerMode::Bogus;
            return Flow::Go(open + 9);
        }
        let end = seek::next(b'>', self.source.bytes, open + 9);
        self.tree.doctype(&self.source, open + 9..end);
        Flow::Go(self.source.bytes.len().min(end + 1))
    }

    /// Reports the comment whose contents start at `contents` if it is a remark; returns whether more
    /// bytes have to be seen.
    fn remark(&mut self, contents: usize) -> bool {
        let bytes = self.source.bytes;
        let known = &bytes[contents..bytes.len().min(contents + LONGEST_REMARK)];
        if check_remark(known, false) == RemarkCheck::No {
            return false;
        }
        let Ok(end) = find_comment_end(bytes, contents) else {
            return !self.last && bytes.len() - contents <= LONGEST_REMARK;
        };
        let marks = match bytes[..end].ends_with(b"--!>") {
            true => b"--!>".len(),
            false => b"-->".len(),
        };
        let text = contents..end - marks;
        if check_remark(&bytes[text.clone()], true) == RemarkCheck::Yes && self.document.depth == 0
        {
            let span = self.source.span(contents - b"<!--".len()..end);
            let text = self.source.text(text, self.events);
            self.events.push(Event::Remark(FoundRemark {
                kind: RemarkKind::Ignore,
                text,
                span,
                position: None,
            }));
        }
        false
    }

    fn comment(&mut self, at: usize) -> Flow {
        match find_comment_end(self.source.bytes, at) {
            Ok(end) => {
                self.state.mode = TokenizerMode::Data;
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
        self.state.mode = TokenizerMode::Data;
        Flow::Go(end + 1)
    }

    fn cdata(&mut self, at: usize) -> Flow {
        let bytes = self.source.bytes;
        match memmem::find(&bytes[at..], b"]]>") {
            Some(length) => {
                self.tree.cdata(&self.source, at..at + length);
                self.state.mode = TokenizerMode::Data;
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
        let found = find_end_tag(self.source.bytes, at, element.name().as_bytes(), self.last);
        self.text_end(at, found)
    }

    fn script(&mut self, at: usize, escape: ScriptEscape) -> Flow {
        let mut next = escape;
        let found = find_script_end(self.source.bytes, at, &mut next, self.last);
        // Text to be captured is searched from its start again.
        if self.state.capture.is_none() {
            self.state.mode = TokenizerMode::Script(next);
        }
        self.text_end(at, found)
    }

    /// Handles the text from `at` on, after the search for its end.
    fn text_end(&mut self, at: usize, found: EndTagSearch) -> Flow {
        let bytes = self.source.bytes;
        match found {
            EndTagSearch::EndTag(open) => {
                let name = open + 2..seek::tag_name_end(bytes, open + 2);
                let Some(end) = tag_end(bytes, name.end) else {
                    return self.cut_end_tag(at, open, name);
                };
                let ended = self.tree.end_tag(&self.source, name);
                let flow = match ended {
                    Err(Halted) => Flow::Halt,
                    Ok(()) => self.raw_text(at..open, end),
                };
                self.state.mode = TokenizerMode::Data;
                flow
            }
            EndTagSearch::Wait(_) if self.last => self.raw_text(at..bytes.len(), bytes.len()),
            EndTagSearch::Wait(from) if self.state.capture.is_none() => Flow::Wait(from),
            EndTagSearch::Wait(from) => {
                if from - at > LIMIT {
                    self.too_long(at);
                    return Flow::Go(at);
                }
                Flow::Wait(at)
            }
        }
    }

    /// Handles the text from `at` on, where its end tag is incomplete.
    #[cold]
    fn cut_end_tag(&mut self, at: usize, open: usize, name: Range<usize>) -> Flow {
        let end = self.source.bytes.len();
        if self.last {
            // A tag that the end of the document cuts off is dropped, and is no text.
            return self.raw_text(at..open, end);
        }
        if end - open <= LIMIT {
            return Flow::Wait(if self.state.capture.is_some() {
                at
            } else {
                open
            });
        }
        if self.tree.end_tag(&self.source, name) == Err(Halted) {
            return Flow::Halt;
        }
        self.raw_text(at..open, open);
        self.long_end_tag(open)
    }

    /// Reports the references in the text of an element.
    fn raw_text(&mut self, range: Range<usize>, next: usize) -> Flow {
        self.tree.raw_text(range.clone());
        let is_whole = T::WANTS_ALL || self.state.capture.is_some();
        if is_whole && self.state.mode == TokenizerMode::Raw(Element::Style) {
            self.style_remarks(range.clone());
        }
        if let Some(capture) = self.state.capture.take() {
            if range.len() > LIMIT {
                self.too_long(range.start);
            } else {
                let mut report = ReferenceReporter::new(self.source, self.events, self.document);
                report.contents(&capture, range);
                forbid_restart(&mut report, self.tree);
            }
        }
        Flow::Go(next)
    }

    /// Reports the comments of a style sheet that are remarks.
    fn style_remarks(&mut self, range: Range<usize>) {
        let reports = self.document.enabled.reports_anchors() && self.document.depth == 0;
        if !reports || range.len() > LIMIT {
            return;
        }
        css::remarks(self.source.bytes, range, |comment| {
            let text = comment.start + b"/*".len()..comment.end - b"*/".len();
            let text = self.source.text(text, self.events);
            self.events.push(Event::Remark(FoundRemark {
                kind: RemarkKind::Ignore,
                text,
                span: self.source.span(comment),
                position: None,
            }));
        });
    }

    /// Reports that something is longer than [`LIMIT`].
    #[cold]
    pub(super) fn too_long(&mut self, at: usize) {
        self.state.capture = None;
        let offset = self.source.offset(at);
        self.events
            .push(Event::Diagnostic(&diagnostic::VALUE_TOO_LONG, offset));
    }
}

/// Forbids restarts of a document whose references were handed on early.
#[inline(always)]
fn forbid_restart(report: &mut ReferenceReporter<'_, '_, '_>, tree: &mut impl TreeFeedback) {
    // The events of a srcdoc document are still held by its host.
    if report.events.is_released() && report.document.depth == 0 {
        report.document.limit = 0;
        tree.forbid_halt();
    }
}

/// Returns the mode after a start tag.
fn mode_after(tag: &Tag, feedback: TagFeedback) -> TokenizerMode {
    match feedback.text {
        TextKind::Data => TokenizerMode::Data,
        TextKind::Rcdata | TextKind::Rawtext => TokenizerMode::Raw(tag.element),
        TextKind::Script => TokenizerMode::Script(ScriptEscape::None),
        TextKind::Plaintext => TokenizerMode::Plaintext,
    }
}

/// Applies a `meta` element to the encoding; returns a [`Halt`] if the document must be decoded again.
fn apply_meta(report: &mut ReferenceReporter<'_, '_, '_>, tag: &Tag) -> Option<Halt> {
    if !report.document.charset.tentative {
        return None;
    }
    let transcoded = charset::needs_transcoding(report.document.charset.label);
    let encoding = report.document.charset.apply_meta(&report.source, tag)?;
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

/// The state of a tag longer than [`LIMIT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LongTag {
    feedback: TagFeedback,
    seen: AttributeSet,
    /// The quote of a value that is being passed over; a space for an unquoted one.
    quote: Option<u8>,
}

impl<T: TreeFeedback> TokenizerRun<'_, '_, '_, T> {
    /// Starts a long start tag at `open`.
    pub(super) fn long_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        self.too_long(open);
        let name_end = seek::tag_name_end(bytes, open + 1);
        let mut cut = name_end;
        let mut attributes = Attributes::new(bytes, name_end);
        while let TagStep::Attribute(given) = attributes.step() {
            cut = given.next(bytes);
        }
        let piece = closed_piece(&self.source, open, cut);
        let tag = &mut self.state.tag;
        tag.start = 0;
        tag.name = 1..name_end - open;
        let feedback = self.tree.start_tag(&piece.source(), tag);
        if feedback.then == AfterTag::Halt {
            return Flow::Halt;
        }
        let mut long = LongTag {
            feedback,
            seen: AttributeSet::default(),
            quote: None,
        };
        self.report_piece(&mut long, &piece);
        self.state.mode = TokenizerMode::LongTag(long);
        Flow::Go(cut)
    }

    /// Starts a long end tag at `open`.
    pub(super) fn long_end_tag(&mut self, open: usize) -> Flow {
        let bytes = self.source.bytes;
        self.too_long(open);
        self.state.mode = TokenizerMode::LongTag(LongTag {
            feedback: TagFeedback::none(AfterTag::GoOn),
            seen: AttributeSet::default(),
            quote: None,
        });
        Flow::Go(seek::tag_name_end(bytes, open + 2))
    }

    /// Continues a long tag.
    pub(super) fn in_long_tag(&mut self, at: usize, mut long: LongTag) -> Flow {
        let bytes = self.source.bytes;
        if let Some(quote) = long.quote {
            return self.skip_value(at, long, quote);
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
        let piece = closed_piece(&self.source, at, end.map_or(cut, |end| end - 1));
        let tag = &mut self.state.tag;
        tag.name = 0..0;
        self.tree.read_attributes(&piece.source(), tag);
        self.report_piece(&mut long, &piece);
        if let Some(end) = end {
            self.state.mode = mode_after(&self.state.tag, long.feedback);
            return Flow::Go(end);
        }
        if cut == at && !self.last {
            return self.skip_attribute(at, long);
        }
        self.state.mode = TokenizerMode::LongTag(long);
        match cut == at {
            true => Flow::Wait(at),
            false => Flow::Go(cut),
        }
    }

    /// Starts to pass over a long attribute.
    fn skip_attribute(&mut self, at: usize, mut long: LongTag) -> Flow {
        let bytes = self.source.bytes;
        let start = seek::skip_separators(bytes, at);
        let name_end = seek::attribute_name_end(bytes, bytes.len().min(start + 1));
        let attribute = Attribute::at(bytes, start, name_end);
        // The first of several attributes with one name counts, even if it is too long.
        long.seen.insert(attribute);
        let equals = seek::skip_space(bytes, name_end);
        if bytes.get(equals) == Some(&b'=') {
            let value = seek::skip_space(bytes, equals + 1);
            long.quote = Some(match bytes.get(value) {
                Some(&quote @ (b'"' | b'\'')) => quote,
                _ => b' ',
            });
        }
        self.state.mode = TokenizerMode::LongTag(long);
        Flow::Go(bytes.len())
    }

    /// Passes over the rest of a long value.
    fn skip_value(&mut self, at: usize, mut long: LongTag, quote: u8) -> Flow {
        let bytes = self.source.bytes;
        let end = match quote {
            b' ' => seek::bare_value_end(bytes, at),
            _ => seek::next(quote, bytes, at),
        };
        if end < bytes.len() {
            long.quote = None;
        }
        self.state.mode = TokenizerMode::LongTag(long);
        Flow::Go(bytes.len().min(end + usize::from(quote != b' ')))
    }

    /// Reports the attributes in one piece of a long tag.
    fn report_piece(&mut self, long: &mut LongTag, piece: &ValueDecoder) {
        let tag = &mut self.state.tag;
        tag.attributes
            .retain(|known| long.seen.insert(known.attribute));
        if long.feedback.accepted && !tag.attributes.is_empty() {
            let mut report = ReferenceReporter::new(piece.source(), self.events, self.document);
            report.tag(tag, long.feedback);
            forbid_restart(&mut report, self.tree);
        }
    }
}

/// Returns a piece of a tag with a `>` appended.
fn closed_piece(source: &ValueSource<'_>, start: usize, end: usize) -> ValueDecoder {
    let mut piece = ValueDecoder::default();
    piece.bytes.extend_from_slice(&source.bytes[start..end]);
    piece.offsets.verbatim(0, source, start..end);
    piece.bytes.push(b'>');
    piece.offsets.replaced(end - start, source, end..end);
    piece
}
