//! The scanner of JSON documents: the strings that are references, and those that hold text.

use std::ops::Range;

use super::http_archive::HttpBody;
use super::kinds::{
    BODY_ENCODING, BODY_TYPE, ITEM_URL, JsonMember, JsonRole, JsonTable, REQUEST_URL, START_URL,
};
use super::literals::{JsonText, LONGEST_STRING, unescape, unescaped};
use super::members::{Held, LONGEST_HELD, MemberValues};
use super::notebook::{self, CellAttachments};
use super::path::ValuePath;
use super::tokenizer::{JsonContainer, JsonSequence, JsonToken, JsonTokenizer};
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::{
    BaseSelector, Batch, Context, Event, Events, FoundReference, NameRange, RuleFamily, Span,
    TextRange,
};
use crate::document::flags::Flags;
use crate::document::html::refresh;
use crate::document::http::HttpField;
use crate::document::nested::{Member, NestedScanners, enter};
use crate::document::source_text::DecodedText;
use crate::document::text::refang::is_defanged;
use crate::document::text::schemes::is_whole_uri;
use crate::document::{AnchorReporting, Format, FormatOptions, Scan, ScanStart};

/// The scanner of JSON documents.
pub(super) struct JsonScanner {
    /// The strings that are read, if the kind of document is known; else all of them, by the rules for text.
    table: Option<&'static JsonTable>,
    sequence: JsonSequence,
    tokenizer: JsonTokenizer,
    path: ValuePath,
    members: MemberValues,
    attachments: CellAttachments,
    options: FormatOptions,
    scanners: NestedScanners,
    /// The current text, escapes replaced.
    text: DecodedText,
    /// The array whose strings are added to the text.
    lines: Option<JsonLines>,
    /// Whether text without a colon holds no reference.
    needs_colon: bool,
    started: bool,
}

/// An open array of strings that are the lines of one text.
///
/// The window holds the array from its start, because positions are counted in the window.
struct JsonLines {
    role: JsonRole,
    /// The tokenizer and the path before the array, from where it is read again in a longer window.
    before: (JsonTokenizer, ValuePath),
    /// The offset of its first byte.
    start: u64,
    /// The number of containers that enclose the array.
    depth: usize,
    /// The length of the strings in the document, in bytes.
    length: usize,
    /// The text is longer than [`LONGEST_STRING`]; the rest is left out.
    is_cut: bool,
    text: DecodedText,
}

/// A value of a known kind in a window, whose text is the current one unless it is a link without escapes.
struct JsonValue<'a> {
    window: &'a Window<'a>,
    role: JsonRole,
    /// The string; empty for an array of strings.
    raw: Range<usize>,
    /// Whether the string has no escapes.
    is_plain: bool,
    /// The offset of the value's contents.
    offset: u64,
}

/// The number of containers that enclose the contents of a cell of a notebook.
const CELL_DEPTH: usize = 3;

impl JsonScanner {
    pub(super) fn new(
        table: Option<&'static JsonTable>,
        sequence: JsonSequence,
        options: &FormatOptions,
    ) -> Self {
        JsonScanner {
            table,
            sequence,
            tokenizer: JsonTokenizer::new(sequence),
            path: ValuePath::new(table),
            members: MemberValues::default(),
            attachments: CellAttachments::default(),
            needs_colon: !options.text.www && !options.text.email,
            options: options.clone(),
            scanners: NestedScanners::new(options.clone()),
            text: DecodedText::default(),
            lines: None,
            started: false,
        }
    }

    /// Skips a byte order mark and a guard before the first value; returns false if more bytes are needed.
    fn start(&mut self, window: &Window<'_>) -> bool {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        /// Stops scripts that include the map by mistake (ECMA-426).
        const GUARD: &[u8] = b")]}'";
        let pending = &window.bytes[window.start..];
        if pending.len() < MARK.len() + GUARD.len() && !window.last {
            return false;
        }
        let unmarked = pending.strip_prefix(MARK).unwrap_or(pending);
        if unmarked.starts_with(GUARD) {
            self.tokenizer.skip_line();
        }
        self.tokenizer.at = window.bytes.len() - unmarked.len();
        true
    }

    /// Decodes a raw string of a window into the current text.
    fn decode(&mut self, raw: Range<usize>, window: &Window<'_>) {
        let text = &mut self.text;
        text.begin(window.offset_at(raw.start));
        unescape(&window.bytes[raw], &mut text.bytes, &mut text.map);
    }

    /// Returns a reference that is a whole string, which has been decoded unless it has no escapes.
    fn whole(
        &mut self,
        raw: &Range<usize>,
        is_plain: bool,
        window: &Window<'_>,
        events: &mut Events,
    ) -> FoundReference {
        let span = Span {
            start: window.offset_at(raw.start),
            end: window.offset_at(raw.end),
        };
        let text = match is_plain {
            true => TextRange::window(raw.clone()),
            false => events.store(&self.text.bytes),
        };
        let mut found = FoundReference::new(span, text, Context::Attribute);
        let is_numbered = self.sequence == JsonSequence::Lines;
        if let Some(pointer) = self.path.pointer(is_numbered, window.bytes) {
            found.attribute = NameRange::other(events.store(pointer));
        }
        found
    }

    /// Reads a string of a document of any kind: a URI as a whole, or text.
    #[inline(never)]
    fn any_string(&mut self, raw: &JsonText, window: &Window<'_>, events: &mut Events) {
        let bytes = &window.bytes[raw.range.clone()];
        let is_plain = !raw.has_escapes;
        if !is_plain {
            self.decode(raw.range.clone(), window);
        }
        let text = if is_plain { bytes } else { &self.text.bytes };
        if is_whole_uri(text) && !(self.options.text.refang && is_defanged(text)) {
            let mut found = self.whole(&raw.range, is_plain, window, events);
            found.flags |= Flags::GUESSED;
            return events.push(Event::Reference(found));
        }
        if is_plain {
            self.decode(raw.range.clone(), window);
        }
        self.text_references(None, events);
    }

    /// Reads the current text by the rules for text; its references have a context, if there is one.
    fn text_references(&mut self, context: Option<Context>, events: &mut Events) {
        if self.needs_colon && memchr::memchr(b':', &self.text.bytes).is_none() {
            return;
        }
        let complete = |found: &mut FoundReference, _: &mut Batch| {
            found.context = context.unwrap_or(found.context);
        };
        self.scanners
            .free_text(self.text.source(), events, complete);
    }

    /// Reads a string of a document whose members are known.
    #[inline(never)]
    fn known_string(
        &mut self,
        raw: &JsonText,
        window: &Window<'_>,
        events: &mut Events,
    ) -> Result<(), Held> {
        let (row, member) = (self.path.row(), self.path.member());
        let (is_plain, raw, may_hold_uri) = (
            !raw.has_escapes,
            raw.range.clone(),
            raw.may_have_colon || !self.needs_colon,
        );
        // The long strings of a notebook are images, mostly.
        let is_decoded = match row {
            None => member.is_some(),
            Some(row) if row.role == JsonRole::Link => member.is_some() || !is_plain,
            Some(row) => may_hold_uri || !self.is_text(row.role, window),
        };
        if is_decoded {
            self.decode(raw.clone(), window);
        }
        if let Some(member) = member {
            self.members.keep(member, Some(self.text.bytes.clone()));
        }
        match row {
            Some(row) if !raw.is_empty() && (is_decoded || row.role == JsonRole::Link) => {
                let value = JsonValue {
                    window,
                    role: row.role,
                    is_plain,
                    offset: window.offset_at(raw.start),
                    raw,
                };
                self.known_text(&value, events)
            }
            _ => Ok(()),
        }
    }

    /// Returns whether a value with a role is known to be text.
    fn is_text(&self, role: JsonRole, window: &Window<'_>) -> bool {
        let format = match role {
            JsonRole::Text => Format::TEXT,
            JsonRole::Output => notebook::output_format(&self.path.last_name(window.bytes)),
            JsonRole::Cell(kind) => match self.members.get(kind) {
                Some(kind) => notebook::cell_format(kind.unwrap_or_default()),
                None => return false,
            },
            _ => return false,
        };
        *format == *Format::TEXT
    }

    /// Reads a value with a role.
    fn known_text(&mut self, value: &JsonValue<'_>, events: &mut Events) -> Result<(), Held> {
        let codebase = match value.role {
            JsonRole::Link => None,
            JsonRole::Source(root) => {
                let root = self.member(root, value, events)?;
                root.as_deref().and_then(prefix)
            }
            JsonRole::AppId => {
                let start = self.member(&START_URL, value, events)?;
                Some(origin(start.as_deref().unwrap_or_default()))
            }
            JsonRole::Redirect => self.member(&REQUEST_URL, value, events)?,
            JsonRole::Field(name) => {
                let name = self.member(name, value, events)?.unwrap_or_default();
                if let Some(field) = HttpField::named(&name, &self.options) {
                    let base = self.member(&REQUEST_URL, value, events)?;
                    let base = base.map(|base| self.codebase(&base, events));
                    self.field(field, base.unwrap_or(BaseSelector::Document), events);
                }
                return Ok(());
            }
            JsonRole::PageField(name) => {
                if let Some(field) = HttpField::named(name.as_bytes(), &self.options) {
                    self.field(field, BaseSelector::Fallback, events);
                }
                return Ok(());
            }
            JsonRole::PageBase => {
                let base = events.store(&self.text.bytes);
                events.push(Event::Base(base, value.offset));
                return Ok(());
            }
            JsonRole::PageLink(place) => {
                let place = self.member(place, value, events)?.unwrap_or_default();
                let found = self.whole(&value.raw, value.is_plain, value.window, events);
                page_link(found, &place, events);
                return Ok(());
            }
            JsonRole::PageMeta(kind) => {
                let kind = self.member(kind, value, events)?.unwrap_or_default();
                let range = refresh(&self.text.bytes, 0..self.text.bytes.len());
                if let Some(range) = range.filter(|_| kind.eq_ignore_ascii_case(b"refresh")) {
                    let text = self.text.source();
                    let mut found = text.reference(range, Context::Attribute, events);
                    found.element = NameRange::Known("meta");
                    found.attribute = NameRange::Known("content");
                    found.base = BaseSelector::Refresh;
                    found.flags |= Flags::REFRESH;
                    events.push(Event::Reference(found));
                }
                return Ok(());
            }
            JsonRole::Attachment => return Ok(()),
            JsonRole::Html
            | JsonRole::Cell(_)
            | JsonRole::Output
            | JsonRole::Text
            | JsonRole::Body => return self.document(value, events),
        };
        let mut found = self.whole(&value.raw, value.is_plain, value.window, events);
        if let Some(codebase) = codebase {
            found.base = self.codebase(&codebase, events);
        }
        events.push(Event::Reference(found));
        Ok(())
    }

    /// Returns the selector of a codebase.
    fn codebase(&self, base: &[u8], events: &mut Events) -> BaseSelector {
        events.store_codebase(base, self.options.longest_base)
    }

    /// Reads the current text, which is the value of a header field.
    fn field(&mut self, field: &'static HttpField, base: BaseSelector, events: &mut Events) {
        let text = self.text.source();
        for range in field.references(text.bytes) {
            let mut found = text.reference(range, Context::Header, events);
            found.attribute = NameRange::Known(field.name);
            found.base = base;
            events.push(Event::Reference(found));
        }
    }

    /// Returns the value of a member, which may follow the current value.
    fn member(
        &mut self,
        member: &'static JsonMember,
        value: &JsonValue<'_>,
        events: &mut Events,
    ) -> Result<Option<Vec<u8>>, Held> {
        if let Some(known) = self.members.get(member) {
            return Ok(known.map(<[u8]>::to_vec));
        }
        let (mut tokenizer, mut path) = (self.tokenizer.clone(), self.path.clone());
        let bytes = value.window.bytes;
        let limit = value.window.at_offset(value.offset) + LONGEST_HELD;
        let is_cut = bytes.len() >= limit;
        let window = Window {
            bytes: &bytes[..bytes.len().min(limit)],
            last: value.window.last && !is_cut,
            ..*value.window
        };
        let found = loop {
            match tokenizer.next(&window) {
                JsonToken::Open(container) => path.open(container),
                JsonToken::Close if path.depth() <= member.root + 1 => break None,
                JsonToken::Close => path.close(),
                JsonToken::Name(name) => path.set_name(&name, bytes),
                JsonToken::String(text) => {
                    if path
                        .member()
                        .is_some_and(|known| std::ptr::eq(known, member))
                    {
                        break Some(unescaped(&bytes[text.range]).into_owned());
                    }
                }
                JsonToken::Other(_) | JsonToken::Comment(_) => {}
                JsonToken::More if is_cut => {
                    let faults = &mut self.tokenizer.faults;
                    faults.add(&diagnostic::JSON_HELD_LIMIT, value.offset - 1);
                    faults.report(events);
                    break None;
                }
                JsonToken::More => return Err(Held),
                JsonToken::End => break None,
            }
        };
        self.members.keep(member, found.clone());
        Ok(found)
    }

    /// Reads the current text, which is a document.
    fn document(&mut self, value: &JsonValue<'_>, events: &mut Events) -> Result<(), Held> {
        let mut charset: &[u8] = b"utf-8";
        let body;
        let (format, base) = match value.role {
            JsonRole::Html => (Format::HTML, self.member(&ITEM_URL, value, events)?),
            JsonRole::Cell(kind) => {
                let kind = self.member(kind, value, events)?.unwrap_or_default();
                (notebook::cell_format(&kind), None)
            }
            JsonRole::Output => {
                let name = self.path.last_name(value.window.bytes);
                (notebook::output_format(&name), None)
            }
            JsonRole::Body => {
                let media_type = self.member(&BODY_TYPE, value, events)?;
                let Some(known) = media_type.as_deref().and_then(HttpBody::of) else {
                    return Ok(());
                };
                let encoding = self.member(&BODY_ENCODING, value, events)?;
                let base = self.member(&REQUEST_URL, value, events)?;
                body = known;
                if encoding.is_some_and(|encoding| encoding.eq_ignore_ascii_case(b"base64")) {
                    (self.text, charset) = body.decode(&self.text);
                }
                (body.format, base)
            }
            _ => (Format::TEXT, None),
        };
        let may_hold_reference = match notebook::needs_mark(format) {
            // Every reference has one of these, but for abbreviations.
            true => {
                let marks = memchr::memchr3(b'[', b'<', b':', &self.text.bytes);
                marks.is_some() || !self.needs_colon
            }
            false => !self.text.bytes.iter().all(u8::is_ascii_whitespace),
        };
        if !may_hold_reference {
            return Ok(());
        }
        let base = base.filter(|base| !base.is_empty());
        if base.is_none() && *format == *Format::TEXT {
            self.text_references(None, events);
            return Ok(());
        }
        if let Some(base) = &base {
            enter(None, RuleFamily::Plain, None, events);
            let base = events.store(base);
            events.push(Event::Base(base, value.offset));
            events.push(Event::Settled);
        }
        let has_attachments = self.options.anchors == AnchorReporting::Report
            && matches!(value.role, JsonRole::Cell(_))
            && notebook::needs_mark(format)
            && memchr::memmem::find(&self.text.bytes, b"attachment:").is_some();
        let watch = has_attachments.then(|| (events.mark(), events.list.len()));
        let member = Member {
            charset: charset.to_vec(),
            format,
            diagnostic_offset: Some(value.offset),
            ..Member::default()
        };
        self.scanners.nested(member, self.text.source(), events);
        if let Some((mark, start)) = watch {
            self.attachments.add_references(events, start);
            events.keep(mark);
        }
        if base.is_some() {
            events.push(Event::Leave);
        }
        Ok(())
    }

    /// Begins what a container of a document of a known kind is, before its path is opened.
    fn open_known(&mut self, container: JsonContainer, window: &Window<'_>) {
        let Some(row) = self.path.row() else {
            return;
        };
        if container == JsonContainer::Array && row.role.joins_lines() {
            let start = window.offset_at(self.tokenizer.at);
            let mut tokenizer = self.tokenizer.clone();
            tokenizer.unread_array();
            let mut lines = JsonLines {
                role: row.role,
                before: (tokenizer, self.path.clone()),
                start,
                depth: self.path.depth(),
                length: 0,
                is_cut: false,
                text: std::mem::take(&mut self.text),
            };
            lines.text.begin(start);
            self.lines = Some(lines);
        } else if row.role == JsonRole::Attachment
            && container == JsonContainer::Object
            && self.options.anchors == AnchorReporting::Report
        {
            self.attachments.add(&self.path.last_name(window.bytes));
        }
    }

    /// Ends what a container of a document of a known kind was, after its path is closed.
    fn close_known(&mut self, window: &Window<'_>, events: &mut Events) -> Result<(), Held> {
        let depth = self.path.depth();
        self.members.close(depth);
        if self
            .lines
            .as_ref()
            .is_some_and(|lines| lines.depth == depth)
        {
            self.end_lines(window, events)?;
        }
        if depth + 1 == CELL_DEPTH && !self.attachments.is_empty() {
            self.attachments.end(events);
        }
        Ok(())
    }

    /// Reads the text whose lines have been put together.
    fn end_lines(&mut self, window: &Window<'_>, events: &mut Events) -> Result<(), Held> {
        let Some(mut lines) = self.lines.take() else {
            return Ok(());
        };
        std::mem::swap(&mut self.text, &mut lines.text);
        let value = JsonValue {
            window,
            role: lines.role,
            raw: 0..0,
            is_plain: false,
            offset: lines.start,
        };
        if !self.text.bytes.is_empty() && self.known_text(&value, events).is_err() {
            self.lines = Some(lines);
            return Err(Held);
        }
        if lines.is_cut {
            let faults = &mut self.tokenizer.faults;
            faults.add(&diagnostic::JSON_TOO_LONG, lines.start - 1);
            faults.report(events);
        }
        events.forget_stored();
        Ok(())
    }

    /// Goes back to before the open array of lines; returns false if the window cannot hold it, or there is
    /// none.
    fn unread_lines(&mut self, window: &Window<'_>) -> bool {
        let is_held = |lines: &mut JsonLines| {
            window.bytes.len() - window.at_offset(lines.start) < LONGEST_HELD
        };
        let Some(lines) = self.lines.take_if(is_held) else {
            return false;
        };
        let faults = std::mem::take(&mut self.tokenizer.faults);
        (self.tokenizer, self.path) = lines.before;
        self.tokenizer.faults = faults;
        true
    }

    /// Reads the lines of an array whose end is not in the window.
    fn cut_lines(&mut self, window: &Window<'_>, events: &mut Events) {
        if let Some(lines) = &mut self.lines {
            lines.is_cut |= !window.last;
            // The members that follow are not searched for.
            let _ = self.end_lines(window, events);
        }
    }
}

impl Scan for JsonScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.tokenizer = JsonTokenizer::new(self.sequence);
        self.path.clear();
        self.members.clear();
        self.attachments.clear();
        self.lines = None;
        self.started = false;
        self.scanners.positions = start.positions;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        self.tokenizer.at = window.start;
        let is_known = self.table.is_some();
        let names_base = self.table.is_some_and(JsonTable::names_base);
        if !self.started {
            if !self.start(&window) {
                return window.start;
            }
            if !names_base {
                events.push(Event::Settled);
            }
            self.started = true;
        }
        loop {
            let token = self.tokenizer.next(&window);
            self.tokenizer.faults.report(events);
            match token {
                JsonToken::Open(container) => {
                    if is_known {
                        self.open_known(container, &window);
                    }
                    self.path.open(container);
                }
                JsonToken::Close => {
                    self.path.close();
                    if is_known && self.close_known(&window, events).is_err() {
                        self.unread_lines(&window);
                        break;
                    }
                }
                JsonToken::Name(name) => self.path.set_name(&name, window.bytes),
                JsonToken::String(raw) => {
                    if let Some(lines) = &mut self.lines {
                        if self.path.depth() == lines.depth + 1 {
                            lines.add(&raw, &window);
                        }
                    } else if is_known {
                        if self.path.is_known() && self.known_string(&raw, &window, events).is_err()
                        {
                            self.tokenizer.unread_string(raw.range.start - 1);
                            break;
                        }
                    } else if raw.may_have_colon || !self.needs_colon {
                        self.any_string(&raw, &window, events);
                    }
                    self.path.end_values(1);
                }
                JsonToken::Other(count) => self.path.end_values(count),
                JsonToken::Comment(range) => {
                    self.text.begin(window.offset_at(range.start));
                    self.text.copy(&window.bytes[range]);
                    self.text_references(Some(Context::Comment), events);
                    events.forget_stored();
                }
                JsonToken::More => {
                    if !self.unread_lines(&window) {
                        self.cut_lines(&window, events);
                    }
                    break;
                }
                JsonToken::End => {
                    if let Some(depth) = self.lines.as_ref().map(|lines| lines.depth) {
                        while self.path.depth() > depth {
                            self.path.close();
                        }
                        self.cut_lines(&window, events);
                    }
                    if names_base {
                        events.push(Event::Settled);
                    }
                    break;
                }
            }
        }
        self.path.end_window(window.bytes);
        events.forget_stored();
        self.tokenizer.at
    }
}

impl JsonLines {
    /// Adds a string of the array.
    fn add(&mut self, raw: &JsonText, window: &Window<'_>) {
        self.length += raw.range.len();
        self.is_cut |= self.length > LONGEST_STRING;
        if self.is_cut {
            return;
        }
        let text = &mut self.text;
        text.map.resume(window.offset_at(raw.range.start));
        unescape(
            &window.bytes[raw.range.clone()],
            &mut text.bytes,
            &mut text.map,
        );
    }
}

/// Reports a link of a page, by its place there: `A@/href`, or `STYLE/#text`.
fn page_link(mut found: FoundReference, place: &[u8], events: &mut Events) {
    let slash = memchr::memchr(b'/', place).unwrap_or(place.len());
    let element = place[..slash].strip_suffix(b"@");
    if element.is_none() {
        found.context = Context::Style;
    }
    let element = element.unwrap_or(&place[..slash]).to_ascii_lowercase();
    let attribute = place
        .get(slash + 1..)
        .unwrap_or_default()
        .to_ascii_lowercase();
    found.element = NameRange::other(events.store(&element));
    found.attribute = NameRange::other(events.store(&attribute));
    events.push(Event::Reference(found));
}

/// Returns what a source root puts before sources: what stands before its last slash, with that, or all
/// of it and a slash (ECMA-426, "DecodeSourceMapSources"). An empty one puts nothing.
fn prefix(root: &[u8]) -> Option<Vec<u8>> {
    match memchr::memrchr(b'/', root) {
        Some(end) => Some(root[..=end].to_vec()),
        None if root.is_empty() => None,
        None => Some([root, b"/"].concat()),
    }
}

/// Returns the origin of a URL, or what names that of the document for a relative one.
fn origin(url: &[u8]) -> Vec<u8> {
    let slashes = memchr::memmem::find(url, b"//");
    let scheme = |start: &[u8]| {
        start.is_empty()
            || start.strip_suffix(b":").is_some_and(|scheme| {
                !scheme.is_empty() && scheme.iter().all(u8::is_ascii_alphanumeric)
            })
    };
    match slashes {
        Some(at) if scheme(&url[..at]) => {
            let authority = &url[at + 2..];
            let end = authority
                .iter()
                .position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\'));
            let end = at + 2 + end.unwrap_or(authority.len());
            [&url[..end], b"/"].concat()
        }
        _ => b"/".to_vec(),
    }
}
