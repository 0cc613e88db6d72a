//! The tokenizer: finds tags, comments and text in windows of any size, and asks a [`TreeFeedback`] for
//! the effect of each tag (WHATWG HTML 13.2.5).
//!
//! A tag longer than [`LIMIT`] is reported in pieces, before its end is known ([`LongTag`]). Text
//! without markup (RCDATA, RAWTEXT, script data, comments) is searched for its end alone.

use std::ops::Range;

use memchr::memmem;

use super::attributes::AttributeSet;
use super::feedback::{Halt, TagFeedback, TokenizerMode, TreeFeedback};
use super::names::{Attribute, Element};
use super::raw_text::{find_comment_end, find_end_tag, find_script_end, starts_with};
use super::report::{Capture, ReferenceReporter};
use super::tag::{AttributeNames, Tag, scan_tags, tag_end};
use super::value::CharacterContext;
use super::value_syntax::LIMIT;
use crate::bytes::seek;
use crate::bytes::steps::step;
use crate::document::css;
use crate::document::diagnostic;
use crate::document::events::{Event, RemarkKind};
use crate::document::remark::{LONGEST_REMARK, RemarkCheck, check_remark};

#[derive(Default)]
pub(super) struct TokenizerState {
    pub(super) mode: TokenizerMode,
    pub(super) tag: Tag,
    long: LongTag,
    capture: Option<Capture>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LongTag {
    feedback: TagFeedback,
    seen: AttributeSet,
    /// The quote of a value that is being skipped; a space for an unquoted one.
    quote: Option<u8>,
}

/// Why a step of the tokenizer ends before the next one can start.
pub(super) enum HtmlStop {
    /// The next step starts at the index and needs more bytes.
    Wait(usize),
    Halt(Halt),
}

impl From<Halt> for HtmlStop {
    fn from(halt: Halt) -> Self {
        HtmlStop::Halt(halt)
    }
}

impl TokenizerState {
    pub(super) fn begin(&mut self) {
        self.mode = TokenizerMode::Data;
        self.capture = None;
    }
}

pub(super) struct TokenizerRun<'a, 'e, 'f, T> {
    pub(super) report: ReferenceReporter<'a, 'e, 'f>,
    pub(super) last: bool,
    pub(super) state: &'e mut TokenizerState,
    pub(super) tree: &'e mut T,
}

impl<T: TreeFeedback> TokenizerRun<'_, '_, '_, T> {
    pub(super) fn run(&mut self, mut at: usize) -> Result<usize, Halt> {
        let bytes = self.report.source.bytes;
        let end = bytes.len();
        while at < end {
            let next = match self.state.mode {
                TokenizerMode::Data => self.data(at),
                TokenizerMode::LongTag => self.in_long_tag(at),
                TokenizerMode::Raw(_) | TokenizerMode::Script(_) => self.raw(at),
                TokenizerMode::Plaintext => self.plaintext(at),
                TokenizerMode::Comment => self.close(find_comment_end(bytes, at)),
                TokenizerMode::Bogus => {
                    let more = seek::next(b'>', bytes, at);
                    self.close(if more < end { Ok(more + 1) } else { Err(end) })
                }
                TokenizerMode::Cdata => self.cdata(at),
            };
            let (stop, next) = match next {
                Ok(next) => (None, next),
                Err(HtmlStop::Wait(from)) => (Some(from), end),
                Err(HtmlStop::Halt(halt)) => return Err(halt),
            };
            step(next - at);
            at = next;
            if let Some(from) = stop.filter(|_| !self.last) {
                return Ok(from);
            }
        }
        Ok(end)
    }

    fn switch(&mut self, mode: TokenizerMode, at: usize) -> Result<usize, HtmlStop> {
        self.state.mode = mode;
        Ok(at)
    }

    /// Returns to the data state after an index, or waits at another if the end was not found.
    fn close(&mut self, end: Result<usize, usize>) -> Result<usize, HtmlStop> {
        self.switch(TokenizerMode::Data, end.map_err(HtmlStop::Wait)?)
    }

    fn bogus_comment(&mut self, at: usize) -> Result<usize, HtmlStop> {
        self.tree.comment();
        self.switch(TokenizerMode::Bogus, at)
    }

    /// Data state: runs until the mode changes or the bytes end.
    fn data(&mut self, mut at: usize) -> Result<usize, HtmlStop> {
        let bytes = self.report.source.bytes;
        let wants_text = !T::WANTS_ALL && self.report.document.text_scanners.is_some();
        while self.state.mode == TokenizerMode::Data {
            if !wants_text && let Some(names) = self.tree.fast_path() {
                let (report, last) = (&mut self.report, self.last);
                at = scan_tags(bytes, at, names, &mut self.state.tag, |tag| {
                    let is_whole =
                        tag.element != Element::A || !report.awaits_text(tag.name.clone(), last);
                    if is_whole && !tag.attributes.is_empty() {
                        report.tag(tag, TagFeedback::ACCEPTED);
                    }
                    is_whole
                });
                self.forbid_restart();
            }
            let open = seek::next(b'<', bytes, at);
            self.tree.text(&self.report.source, at..open);
            if wants_text && open > at {
                // The text between two tags is searched as a whole.
                if open == bytes.len() && !self.last && open - at <= LIMIT {
                    return Err(HtmlStop::Wait(at));
                }
                self.character_data(at..open, true);
            }
            let rest = &bytes[open.min(bytes.len())..];
            if rest.len() < 2 || (self.last && rest == b"</") {
                // At the end of the document, `<` and `</` are text.
                if self.last {
                    self.tree.text(&self.report.source, open..bytes.len());
                }
                return Err(HtmlStop::Wait(open));
            }
            at = match rest[1] {
                b'a'..=b'z' | b'A'..=b'Z' => self.start_tag(open)?,
                b'/' => self.end_tag(open)?,
                b'!' => self.declaration(open)?,
                b'?' => self.bogus_comment(open + 2)?,
                _ => {
                    self.tree.text(&self.report.source, open..open + 1);
                    open + 1
                }
            };
        }
        Ok(at)
    }

    #[cold]
    fn character_data(&mut self, range: Range<usize>, has_references: bool) {
        let Some(flags) = self.tree.text_flags() else {
            return;
        };
        let context = has_references.then_some(CharacterContext::Text);
        self.report.character_data(range, context, flags);
        self.forbid_restart();
    }

    /// Returns whether text without markup has character references, if it is scanned as character data.
    fn text_references(&self) -> Option<bool> {
        self.report.document.text_scanners.as_ref()?;
        match self.state.mode {
            TokenizerMode::Raw(Element::Title | Element::Textarea) => Some(true),
            TokenizerMode::Raw(Element::Xmp) => Some(false),
            TokenizerMode::Plaintext | TokenizerMode::Cdata => Some(false),
            _ => None,
        }
    }

    /// Whether more bytes may follow the text at an index, and it is not too long to wait for them.
    fn may_wait(&self, at: usize) -> bool {
        !self.last && self.report.source.bytes.len() - at <= LIMIT
    }

    #[inline(always)]
    fn start_tag(&mut self, open: usize) -> Result<usize, HtmlStop> {
        let bytes = self.report.source.bytes;
        let name = open + 1..seek::tag_name_end(bytes, open + 1);
        if name.end == bytes.len() {
            return self.wait_for_tag(open);
        }
        let element = Element::at(bytes, name.start, name.end);
        if element == Element::A && self.report.awaits_text(name.clone(), self.last) {
            return Err(HtmlStop::Wait(open));
        }
        let tag = &mut self.state.tag;
        tag.start = open;
        tag.element = element;
        tag.name = name;
        let Some(feedback) = self.tree.start_tag(&self.report.source, tag)? else {
            return self.wait_for_tag(open);
        };
        self.accept(feedback)
    }

    #[inline(always)]
    fn accept(&mut self, feedback: TagFeedback) -> Result<usize, HtmlStop> {
        let tag = &self.state.tag;
        if feedback.accepted && !tag.attributes.is_empty() {
            if tag.is_meta() {
                self.report.apply_meta(tag)?;
            }
            self.report_tag(feedback);
            let tag = &self.state.tag;
            if tag.is_base() && !feedback.inert {
                let first = !self.report.document.has_base;
                self.report.base(tag, first);
                self.tree.base(&self.report.source, tag, first)?;
            }
        }
        if feedback.mode != TokenizerMode::Data {
            self.state.mode = feedback.mode;
            self.state.capture = self.report.capture(&self.state.tag, feedback);
        }
        Ok(self.state.tag.end)
    }

    #[inline(always)]
    fn report_tag(&mut self, feedback: TagFeedback) {
        self.report.tag(&self.state.tag, feedback);
        self.forbid_restart();
    }

    /// Forbids restarts of a document whose references were handed on early.
    #[inline(always)]
    fn forbid_restart(&mut self) {
        // The events of a srcdoc document are still held by its host.
        if self.report.events.is_released && self.report.document.depth == 0 {
            self.report.document.limit = 0;
            self.tree.forbid_halt();
        }
    }

    /// Waits for the rest of a start tag, or reads it in pieces if it is longer than [`LIMIT`].
    #[cold]
    fn wait_for_tag(&mut self, open: usize) -> Result<usize, HtmlStop> {
        let bytes = self.report.source.bytes;
        if bytes.len() - open <= LIMIT || self.last {
            return Err(HtmlStop::Wait(open));
        }
        let tag = &mut self.state.tag;
        tag.start = open;
        tag.name = open + 1..seek::tag_name_end(bytes, open + 1);
        tag.element = Element::at(bytes, tag.name.start, tag.name.end);
        tag.in_pieces = true;
        let feedback = self.tree.start_tag(&self.report.source, tag);
        tag.in_pieces = false;
        self.open_long_tag(open, feedback?.unwrap_or_default());
        self.report_piece(false)
    }

    #[cold]
    fn open_long_tag(&mut self, open: usize, feedback: TagFeedback) {
        self.too_long(open);
        self.state.mode = TokenizerMode::LongTag;
        self.state.long = LongTag {
            feedback,
            ..LongTag::default()
        };
    }

    #[cold]
    fn in_long_tag(&mut self, at: usize) -> Result<usize, HtmlStop> {
        let bytes = self.report.source.bytes;
        if let Some(quote) = self.state.long.quote {
            let end = match quote {
                b' ' => seek::bare_value_end(bytes, at),
                _ => seek::next(quote, bytes, at),
            };
            if end == bytes.len() {
                return Err(HtmlStop::Wait(end));
            }
            self.state.long.quote = None;
            return Ok(end + usize::from(quote != b' '));
        }
        let tag = &mut self.state.tag;
        tag.name = at..at;
        let ends = AttributeNames::new(self.report.document.enabled).read(bytes, tag);
        self.report_piece(ends)
    }

    /// Reports the attributes in one piece of a long tag, which may have its end.
    fn report_piece(&mut self, ends: bool) -> Result<usize, HtmlStop> {
        let bytes = self.report.source.bytes;
        let (tag, long) = (&mut self.state.tag, &mut self.state.long);
        let feedback = long.feedback;
        // The tag is diagnosed already.
        (tag.attributes).retain(|it| long.seen.insert(it.name) && it.value.len() <= LIMIT);
        if ends {
            self.state.mode = feedback.mode;
        } else if bytes.len() - tag.end > LIMIT && !self.last {
            // Skips a long attribute. The first of several with one name is used, even a long one.
            let start = seek::skip_separators(bytes, tag.end);
            let name_end = seek::attribute_name_end(bytes, bytes.len().min(start + 1));
            long.seen.insert(Attribute::at(bytes, start, name_end));
            let equals = seek::skip_space(bytes, name_end);
            if bytes.get(equals) == Some(&b'=') {
                let value = bytes.get(seek::skip_space(bytes, equals + 1));
                let quote = value.filter(|byte| matches!(byte, b'"' | b'\''));
                long.quote = Some(*quote.unwrap_or(&b' '));
            }
            tag.end = bytes.len();
        }
        if feedback.accepted && !tag.attributes.is_empty() {
            self.report_tag(feedback);
        }
        let end = self.state.tag.end;
        ends.then_some(end).ok_or(HtmlStop::Wait(end))
    }

    #[inline(always)]
    fn end_tag(&mut self, open: usize) -> Result<usize, HtmlStop> {
        let bytes = self.report.source.bytes;
        match bytes.get(open + 2) {
            Some(byte) if byte.is_ascii_alphabetic() => {}
            Some(b'>') => return Ok(open + 3),
            Some(_) => return self.bogus_comment(open + 2),
            None => return Err(HtmlStop::Wait(open)),
        }
        let name = open + 2..seek::tag_name_end(bytes, open + 2);
        let name_end = name.end;
        let end = tag_end(bytes, name_end);
        if end.is_none() && (bytes.len() - open <= LIMIT || self.last) {
            return Err(HtmlStop::Wait(open));
        }
        self.tree.end_tag(&self.report.source, name)?;
        if end.is_none() {
            self.open_long_tag(open, TagFeedback::default());
        }
        Ok(end.unwrap_or(name_end))
    }

    /// Markup declaration open state, `<!`: a comment, doctype, CDATA section or bogus comment.
    fn declaration(&mut self, open: usize) -> Result<usize, HtmlStop> {
        let rest = &self.report.source.bytes[open + 2..];
        match starts_with(rest, b"--") {
            Some(true) => return self.open_comment(open),
            Some(false) => {}
            None => return Err(HtmlStop::Wait(open)),
        }
        let is_doctype = starts_with(rest, b"doctype");
        let is_cut = is_doctype.is_none() || rest.len() < 7 && b"[CDATA[".starts_with(rest);
        if is_cut && !self.last {
            return Err(HtmlStop::Wait(open));
        }
        if is_doctype == Some(true) {
            let end = seek::next(b'>', self.report.source.bytes, open + 9);
            self.tree.doctype(&self.report.source, open + 9..end);
            return self.switch(TokenizerMode::Bogus, open + 9);
        }
        if rest.starts_with(b"[CDATA[") && self.tree.allows_cdata() {
            return self.switch(TokenizerMode::Cdata, open + 9);
        }
        self.bogus_comment(open + 2)
    }

    fn open_comment(&mut self, open: usize) -> Result<usize, HtmlStop> {
        let contents = open + b"<!--".len();
        if self.report.document.enabled.anchors && self.remark(contents)
            || self.report.document.options.mail && self.conditional(contents)
        {
            return Err(HtmlStop::Wait(open));
        }
        self.tree.comment();
        self.switch(TokenizerMode::Comment, contents)
    }

    /// Reports the references in a conditional comment; returns whether more bytes are needed.
    fn conditional(&mut self, contents: usize) -> bool {
        let rest = &self.report.source.bytes[contents..];
        let blanks = rest.len() - rest.trim_ascii_start().len();
        if starts_with(&rest[blanks..], b"[if") == Some(false) {
            return false;
        }
        let Ok(end) = find_comment_end(rest, blanks) else {
            return self.may_wait(contents);
        };
        let comment = &rest[..end];
        if let Some(start) = memmem::find(comment, b"]>") {
            let stop = memmem::rfind(comment, b"<![").unwrap_or(end).max(start + 2);
            let range = contents + start + 2..contents + stop;
            if !self.tree.defers_conditional(&range) {
                self.report.conditional(range);
                self.forbid_restart();
            }
        }
        false
    }

    /// Reports the comment from `contents` on if it is a remark; returns whether more bytes are needed.
    fn remark(&mut self, contents: usize) -> bool {
        let bytes = self.report.source.bytes;
        let known = &bytes[contents..bytes.len().min(contents + LONGEST_REMARK)];
        if check_remark(known, false) == RemarkCheck::No {
            return false;
        }
        let Ok(end) = find_comment_end(bytes, contents) else {
            return !self.last && bytes.len() - contents <= LONGEST_REMARK;
        };
        let marks = 3 + usize::from(bytes[..end].ends_with(b"--!>"));
        let text = contents..end - marks;
        if check_remark(&bytes[text.clone()], true) == RemarkCheck::Yes
            && self.report.document.depth == 0
        {
            self.push_remark(text, contents - b"<!--".len()..end);
        }
        false
    }

    fn push_remark(&mut self, text: Range<usize>, comment: Range<usize>) {
        let text = self.report.source.text(text, self.report.events);
        let span = self.report.source.span(comment);
        let remark = Event::remark(RemarkKind::Ignore, text, span);
        self.report.events.push(remark);
    }

    fn cdata(&mut self, at: usize) -> Result<usize, HtmlStop> {
        let bytes = self.report.source.bytes;
        let end = memmem::find(&bytes[at..], b"]]>").map(|length| at + length);
        if end.is_some() || self.last {
            let text = at..end.unwrap_or(bytes.len());
            self.tree.cdata(&self.report.source, text);
        }
        let from = bytes.len().saturating_sub(2).max(at);
        if let Some(has_references) = self.text_references() {
            if end.is_none() && self.may_wait(at) {
                return Err(HtmlStop::Wait(at));
            }
            let rest = if self.last { bytes.len() } else { from };
            self.character_data(at..end.unwrap_or(rest), has_references);
        }
        self.close(end.map(|end| end + 3).ok_or(from))
    }

    fn plaintext(&mut self, at: usize) -> Result<usize, HtmlStop> {
        if self.text_references().is_some() && self.may_wait(at) {
            return Err(HtmlStop::Wait(at));
        }
        self.raw_text(at..self.report.source.bytes.len());
        Ok(self.report.source.bytes.len())
    }

    fn raw(&mut self, at: usize) -> Result<usize, HtmlStop> {
        let bytes = self.report.source.bytes;
        let is_captured = self.state.capture.is_some();
        let is_kept = is_captured || self.text_references().is_some();
        let found = match self.state.mode {
            TokenizerMode::Raw(element) => {
                find_end_tag(bytes, at, element.name().as_bytes(), self.last)
            }
            TokenizerMode::Script(mut escape) => {
                let found = find_script_end(bytes, at, &mut escape, self.last);
                // Text to be captured is searched from its start again.
                if !is_captured {
                    self.state.mode = TokenizerMode::Script(escape);
                }
                found
            }
            _ => Err(at),
        };
        match found {
            Ok(open) => {
                let is_cut = tag_end(bytes, seek::tag_name_end(bytes, open + 2)).is_none();
                if is_cut && self.may_wait(open) {
                    return Err(HtmlStop::Wait(if is_kept { at } else { open }));
                }
                self.raw_text(at..open);
                if is_cut && self.last {
                    // A tag that the end of the document cuts off is dropped, and is not text.
                    return Ok(bytes.len());
                }
                self.state.mode = TokenizerMode::Data;
                self.end_tag(open)
            }
            Err(_) if self.last => {
                self.raw_text(at..bytes.len());
                Ok(bytes.len())
            }
            Err(from) if is_captured && from - at > LIMIT => {
                self.too_long(at);
                Ok(at)
            }
            Err(from) if is_kept && from - at > LIMIT => {
                self.raw_text(at..from);
                Ok(from)
            }
            Err(from) => Err(HtmlStop::Wait(if is_kept { at } else { from })),
        }
    }

    fn raw_text(&mut self, range: Range<usize>) {
        let has_references = self.text_references();
        self.tree.raw_text(range.clone(), has_references);
        if let Some(has_references) = has_references {
            self.character_data(range.clone(), has_references);
        }
        let is_whole = T::WANTS_ALL || self.state.capture.is_some();
        if is_whole && self.state.mode == TokenizerMode::Raw(Element::Style) {
            self.style_remarks(range.clone());
        }
        let Some(capture) = self.state.capture.take() else {
            return;
        };
        if range.len() > LIMIT {
            self.too_long(range.start);
        } else {
            self.report.contents(&capture, range);
            self.forbid_restart();
        }
    }

    fn style_remarks(&mut self, range: Range<usize>) {
        let reports = self.report.document.enabled.anchors && self.report.document.depth == 0;
        if !reports || range.len() > LIMIT {
            return;
        }
        css::remarks(self.report.source.bytes, range, |comment| {
            let text = comment.start + b"/*".len()..comment.end - b"*/".len();
            self.push_remark(text, comment);
        });
    }

    #[cold]
    fn too_long(&mut self, at: usize) {
        self.state.capture = None;
        self.report.diagnose(&diagnostic::HTML_VALUE_TOO_LONG, at);
    }
}
