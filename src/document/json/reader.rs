//! The scanner of JSON documents: the strings that are references, and those that hold text.

use std::ops::Range;

use super::attachments::CellAttachments;
use super::http_archive::HttpBody;
use super::kinds::{
    BODY_ENCODING, BODY_TYPE, ITEM_URL, JsonMember, JsonRole, JsonStrings, JsonTable, REQUEST_URL,
    START_URL,
};
use super::literals::{JsonText, LONGEST_STRING, unescape};
use super::members::{Held, JsonMemberSearch, LONGEST_HELD, MemberValues};
use super::notebook;
use super::path::ValuePath;
use super::tokenizer::{
    JsonContainer, JsonFault, JsonSequence, JsonToken, JsonTokenizer, JsonVisitor,
};
use crate::bytes::window::Window;
use crate::decode::RecordOffsets;
use crate::decode::offset_map::OffsetMap;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    BaseSelector, Batch, Context, Event, Events, FoundReference, NameRange, RuleFamily, Span,
    TextRange,
};
use crate::document::flags::Flags;
use crate::document::html::refresh;
use crate::document::http::HttpField;
use crate::document::nested::{Member, NestedReader, NestedScanners, enter};
use crate::document::text::refang::is_defanged;
use crate::document::text::schemes::is_whole_uri;
use crate::document::{AnchorReporting, Format, FormatOptions, Scan, ScanStart};

/// The scanner of JSON documents.
pub(super) struct JsonScanner {
    strings: JsonStrings,
    tokenizer: JsonTokenizer,
    path: ValuePath,
    members: MemberValues,
    attachments: CellAttachments,
    options: FormatOptions,
    scanners: NestedScanners,
    nested: NestedReader,
    /// The current string, escapes replaced, and its offsets in the document.
    text: Vec<u8>,
    map: OffsetMap,
    /// The strings of the current array.
    lines: Vec<Range<usize>>,
    /// Whether text without a colon holds no reference.
    needs_colon: bool,
    started: bool,
    /// The faults that have been reported.
    reported: [bool; 4],
}

/// The base of references in a header field.
enum FieldBase {
    /// The URL of a request, if there is one.
    Named(Option<Vec<u8>>),
    /// That of the document, whatever the page names.
    Fallback,
}

/// A value in a window.
struct JsonValue {
    /// The index of its first byte.
    start: usize,
    /// The string; empty for an array of strings.
    raw: JsonText,
    /// The index behind the token that was read last.
    end: usize,
    /// The number of containers that were opened in the value.
    opened: usize,
}

/// The number of containers that are open in a cell of a notebook.
const CELL_DEPTH: usize = 3;

/// Takes the tokens that change the path to the current value alone.
struct UnreadValues<'a> {
    path: &'a mut ValuePath,
    members: &'a mut MemberValues,
    bytes: &'a [u8],
    /// Whether the end of a cell is read.
    has_attachments: bool,
    /// Whether the members of the document are known.
    is_known: bool,
    needs_colon: bool,
}

impl JsonVisitor for UnreadValues<'_> {
    const TAKES_NUMBERS: bool = true;

    #[inline(always)]
    fn open(&mut self, container: JsonContainer) -> bool {
        let is_read = self.is_known
            && self.path.row().is_some_and(|row| match container {
                JsonContainer::Array => row.role.joins_lines(),
                JsonContainer::Object => row.role == JsonRole::Attachment,
            });
        if !is_read {
            self.path.open(container);
        }
        !is_read
    }

    #[inline(always)]
    fn close(&mut self) -> bool {
        if self.has_attachments && self.path.depth() == CELL_DEPTH {
            return false;
        }
        self.path.close();
        self.members.close(self.path.depth());
        true
    }

    #[inline(always)]
    fn name(&mut self, name: &JsonText) -> bool {
        self.path.set_name(name, self.bytes);
        true
    }

    #[inline(always)]
    fn string(&mut self, string: &JsonText) -> bool {
        let is_unread = match self.is_known {
            true => self.path.is_unknown(),
            false => self.needs_colon && !string.may_have_colon,
        };
        if is_unread {
            self.path.end_values(1);
        }
        is_unread
    }

    #[inline(always)]
    fn others(&mut self, count: u64) -> bool {
        self.path.end_values(count);
        true
    }
}

/// Takes what is in an array of strings that is one text.
struct LinesOfArray {
    /// The strings of the array itself.
    lines: Vec<Range<usize>>,
    /// Their length, in bytes.
    length: usize,
    /// The number of containers that are open in the array.
    level: usize,
    may_have_colon: bool,
}

impl LinesOfArray {
    /// Adds a string; returns false if the text would be too long with it.
    #[inline]
    fn add(&mut self, line: &JsonText) -> bool {
        let length = self.length + line.range.len();
        if length > LONGEST_STRING {
            return false;
        }
        self.length = length;
        self.may_have_colon |= line.may_have_colon;
        self.lines.push(line.range.clone());
        true
    }
}

impl JsonVisitor for LinesOfArray {
    const TAKES_NUMBERS: bool = true;

    fn open(&mut self, _container: JsonContainer) -> bool {
        self.level += 1;
        true
    }

    fn close(&mut self) -> bool {
        let is_inside = self.level > 0;
        self.level -= usize::from(is_inside);
        is_inside
    }

    fn name(&mut self, _name: &JsonText) -> bool {
        true
    }

    #[inline]
    fn string(&mut self, string: &JsonText) -> bool {
        self.level > 0 || self.add(string)
    }

    fn others(&mut self, _count: u64) -> bool {
        true
    }
}

impl JsonScanner {
    pub(super) fn new(strings: JsonStrings, options: &FormatOptions) -> Self {
        JsonScanner {
            strings,
            tokenizer: JsonTokenizer::new(sequence(strings)),
            path: ValuePath::new(table(strings)),
            members: MemberValues::default(),
            attachments: CellAttachments::default(),
            needs_colon: !options.text.www && !options.text.email,
            options: options.clone(),
            scanners: NestedScanners::new(options.clone()),
            nested: NestedReader::default(),
            text: Vec::new(),
            map: OffsetMap::default(),
            lines: Vec::new(),
            started: false,
            reported: [false; 4],
        }
    }

    /// Returns whether a string of the document is the base of others.
    fn names_base(&self) -> bool {
        matches!(self.strings, JsonStrings::Table(table) if table.names_base)
    }

    /// Reports the first of each kind of fault.
    fn fault(&mut self, slot: usize, code: &'static Code, at: u64, events: &mut Events) {
        if !std::mem::replace(&mut self.reported[slot], true) {
            events.push(Event::Diagnostic(code, at));
        }
    }

    /// Passes over what may stand before the first value; `None` if more bytes are needed to tell.
    fn start(&mut self, window: &Window<'_>) -> Option<usize> {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        /// Stops scripts that include the map by mistake (ECMA-426).
        const GUARD: &[u8] = b")]}'";
        let pending = &window.bytes[window.start..];
        if pending.len() < MARK.len() + GUARD.len() && !window.last {
            return None;
        }
        let unmarked = pending.strip_prefix(MARK).unwrap_or(pending);
        if unmarked.starts_with(GUARD) {
            self.tokenizer.skip_line();
        }
        Some(window.bytes.len() - unmarked.len())
    }

    /// Decodes a raw string into `text`; its first byte is at an offset of the document.
    fn decode(&mut self, raw: &[u8], offset: u64) {
        self.text.clear();
        self.map.starting(offset);
        unescape(raw, &mut self.text, &mut self.map);
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
            false => events.store(&self.text),
        };
        let mut found = FoundReference::new(span, text, Context::Attribute);
        let is_numbered = sequence(self.strings) == JsonSequence::Lines;
        if let Some(pointer) = self.path.pointer(is_numbered, window.bytes) {
            found.attribute = NameRange::other(events.store(pointer));
        }
        found
    }

    /// Reads a string of a document of any kind: a URI as a whole, or text.
    #[inline(never)]
    fn any_string(&mut self, raw: &JsonText, window: &Window<'_>, events: &mut Events) {
        if !self.may_hold_uri(raw.may_have_colon) {
            return;
        }
        let bytes = &window.bytes[raw.range.clone()];
        let is_plain = !raw.has_escapes;
        if !is_plain {
            self.decode(bytes, window.offset_at(raw.range.start));
        }
        let text = if is_plain { bytes } else { &self.text };
        if is_whole_uri(text) && !(self.options.text.refang && is_defanged(text)) {
            let mut found = self.whole(&raw.range, is_plain, window, events);
            found.flags |= Flags::GUESSED;
            return events.push(Event::Reference(found));
        }
        if is_plain {
            self.decode(bytes, window.offset_at(raw.range.start));
        }
        self.text_references(None, events);
    }

    /// Returns whether text with a colon, or without, may hold a reference by the rules for text.
    fn may_hold_uri(&self, may_have_colon: bool) -> bool {
        may_have_colon || !self.needs_colon
    }

    /// Reads the current text by the rules for text; its references have a context, if there is one.
    fn text_references(&mut self, context: Option<Context>, events: &mut Events) {
        if !self.may_hold_uri(memchr::memchr(b':', &self.text).is_some()) {
            return;
        }
        let (text, map) = (&self.text, &self.map);
        let take = |inner: &Batch| {
            for event in &inner.list {
                let Event::Reference(ref found) = *event else {
                    continue;
                };
                let mut copy = events.adopt_reference(found, inner, text);
                copy.context = context.unwrap_or(copy.context);
                copy.span = Span {
                    start: map.start(found.span.start),
                    end: map.end(found.span.end),
                };
                events.push(Event::Reference(copy));
            }
        };
        let start = ScanStart::default();
        let text = Window::whole(text);
        self.scanners.scan_whole(Format::TEXT, &start, text, take);
    }

    /// Reads a string of a document whose members are known.
    #[inline(never)]
    fn known_string(
        &mut self,
        value: &JsonValue,
        window: &Window<'_>,
        events: &mut Events,
    ) -> Result<(), Held> {
        let (row, member) = (self.path.row(), self.path.member());
        if row.is_none() && member.is_none() {
            return Ok(());
        }
        let is_whole = row.is_some_and(|row| row.role == JsonRole::Link) && member.is_none();
        if is_whole && !value.raw.has_escapes {
            if !value.raw.range.is_empty() {
                let found = self.whole(&value.raw.range, true, window, events);
                events.push(Event::Reference(found));
            }
            return Ok(());
        }
        if let Some(row) = row
            && self.is_without_references(row.role, value.raw.may_have_colon, window)
        {
            return Ok(());
        }
        let bytes = &window.bytes[value.raw.range.clone()];
        self.decode(bytes, window.offset_at(value.raw.range.start));
        if let Some(member) = member {
            self.members.keep(member, Some(self.text.clone()));
        }
        match row.filter(|_| !self.text.is_empty()) {
            Some(row) => self.known_text(row.role, value, window, events),
            None => Ok(()),
        }
    }

    /// Returns whether a value with a role is known to be text that holds no references, by whether a colon
    /// may be in it. The long strings of a notebook are images, mostly.
    fn is_without_references(
        &self,
        role: JsonRole,
        may_have_colon: bool,
        window: &Window<'_>,
    ) -> bool {
        if self.may_hold_uri(may_have_colon) {
            return false;
        }
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

    /// Reads the current text, which is that of a value with a role.
    fn known_text(
        &mut self,
        role: JsonRole,
        value: &JsonValue,
        window: &Window<'_>,
        events: &mut Events,
    ) -> Result<(), Held> {
        let offset = window.offset_at(value.raw.range.start);
        let codebase = match role {
            JsonRole::Link => None,
            JsonRole::Source(root) => {
                let root = self.member(root, value, window, events)?;
                root.as_deref().and_then(prefix)
            }
            JsonRole::AppId => {
                let start = self.member(&START_URL, value, window, events)?;
                Some(origin(start.as_deref().unwrap_or_default()))
            }
            JsonRole::Redirect => self.member(&REQUEST_URL, value, window, events)?,
            JsonRole::Html => {
                let base = self.member(&ITEM_URL, value, window, events)?;
                self.document(Format::HTML, b"utf-8", base.as_deref(), offset, events);
                return Ok(());
            }
            JsonRole::Cell(kind) => {
                let kind = self.member(kind, value, window, events)?;
                let format = notebook::cell_format(kind.as_deref().unwrap_or_default());
                let is_watched = self.options.anchors == AnchorReporting::Report
                    && notebook::needs_mark(format)
                    && memchr::memmem::find(&self.text, b"attachment:").is_some();
                if !is_watched {
                    self.document(format, b"utf-8", None, offset, events);
                    return Ok(());
                }
                let mut attachments = std::mem::take(&mut self.attachments);
                attachments.watch(events, |events| {
                    self.document(format, b"utf-8", None, offset, events);
                });
                self.attachments = attachments;
                return Ok(());
            }
            JsonRole::Output => {
                let format = notebook::output_format(&self.path.last_name(window.bytes));
                self.document(format, b"utf-8", None, offset, events);
                return Ok(());
            }
            JsonRole::Text => {
                self.document(Format::TEXT, b"utf-8", None, offset, events);
                return Ok(());
            }
            JsonRole::Field(name) => {
                let name = self
                    .member(name, value, window, events)?
                    .unwrap_or_default();
                if let Some(field) = HttpField::named(&name, &self.options) {
                    let base = self.member(&REQUEST_URL, value, window, events)?;
                    self.field(field, FieldBase::Named(base), events);
                }
                return Ok(());
            }
            JsonRole::PageField(name) => {
                if let Some(field) = HttpField::named(name.as_bytes(), &self.options) {
                    self.field(field, FieldBase::Fallback, events);
                }
                return Ok(());
            }
            JsonRole::PageBase => {
                let base = events.store(&self.text);
                events.push(Event::Base(base, offset));
                return Ok(());
            }
            JsonRole::PageLink(place) => {
                let place = self
                    .member(place, value, window, events)?
                    .unwrap_or_default();
                let is_plain = self.text.len() == value.raw.range.len();
                let found = self.whole(&value.raw.range, is_plain, window, events);
                events_of_page(found, &place, events);
                return Ok(());
            }
            JsonRole::PageMeta(kind) => {
                let kind = self
                    .member(kind, value, window, events)?
                    .unwrap_or_default();
                let range = refresh(&self.text, 0..self.text.len());
                if let Some(range) = range.filter(|_| kind.eq_ignore_ascii_case(b"refresh")) {
                    let mut found = self.part(range, Context::Attribute, events);
                    found.element = NameRange::Known("meta");
                    found.attribute = NameRange::Known("content");
                    found.base = BaseSelector::Refresh;
                    found.flags |= Flags::REFRESH;
                    events.push(Event::Reference(found));
                }
                return Ok(());
            }
            JsonRole::Attachment => return Ok(()),
            JsonRole::Body => return self.body(value, window, events),
        };
        let is_plain = self.text.len() == value.raw.range.len();
        let mut found = self.whole(&value.raw.range, is_plain, window, events);
        if let Some(codebase) = codebase {
            found.base = events.store_codebase(&codebase, self.options.longest_base);
        }
        events.push(Event::Reference(found));
        Ok(())
    }

    /// Returns a reference that is a part of the current text.
    fn part(&self, range: Range<usize>, context: Context, events: &mut Events) -> FoundReference {
        let span = Span {
            start: self.map.start(range.start as u64),
            end: self.map.end(range.end as u64),
        };
        let reference = &self.text[range];
        FoundReference::new(span, events.store(reference), context)
    }

    /// Reads the current text, which is the value of a header field.
    fn field(&mut self, field: &'static HttpField, base: FieldBase, events: &mut Events) {
        for range in field.references(&self.text) {
            let mut found = self.part(range, Context::Header, events);
            found.attribute = NameRange::Known(field.name);
            match &base {
                FieldBase::Named(Some(base)) => {
                    found.base = events.store_codebase(base, self.options.longest_base);
                }
                FieldBase::Named(None) => {}
                FieldBase::Fallback => found.base = BaseSelector::Fallback,
            }
            events.push(Event::Reference(found));
        }
    }

    /// Reads the current text, which is a body of HTTP.
    fn body(
        &mut self,
        value: &JsonValue,
        window: &Window<'_>,
        events: &mut Events,
    ) -> Result<(), Held> {
        let media_type = self.member(&BODY_TYPE, value, window, events)?;
        let Some(body) = media_type.as_deref().and_then(HttpBody::of) else {
            return Ok(());
        };
        let encoding = self.member(&BODY_ENCODING, value, window, events)?;
        let base = self.member(&REQUEST_URL, value, window, events)?;
        let mut charset: &[u8] = b"utf-8";
        if encoding.is_some_and(|encoding| encoding.eq_ignore_ascii_case(b"base64")) {
            (self.text, self.map, charset) = body.decode(&self.text, &self.map);
        }
        let offset = window.offset_at(value.raw.range.start);
        self.document(body.format, charset, base.as_deref(), offset, events);
        Ok(())
    }

    /// Returns the value of a member, which may stand behind the current value.
    fn member(
        &mut self,
        member: &'static JsonMember,
        value: &JsonValue,
        window: &Window<'_>,
        events: &mut Events,
    ) -> Result<Option<Vec<u8>>, Held> {
        if let Some(known) = self.members.get(member) {
            return Ok(known.map(<[u8]>::to_vec));
        }
        let search = JsonMemberSearch::new(member, (&self.path, window.bytes), value.opened);
        let found = match search.run(self.tokenizer.clone(), value.end, window) {
            Ok(found) => found,
            Err(held) if held.is_bounded => {
                let offset = window.offset_at(value.start);
                self.fault(3, &diagnostic::JSON_HELD_LIMIT, offset, events);
                None
            }
            Err(held) => return Err(held),
        };
        self.members.keep(member, found.clone());
        Ok(found)
    }

    /// Reads the array that has just been opened as a text, if it is one; returns the index behind what was
    /// read.
    fn known_array(
        &mut self,
        at: usize,
        window: &Window<'_>,
        events: &mut Events,
    ) -> Result<Option<usize>, Held> {
        let Some(row) = self.path.row().filter(|row| row.role.joins_lines()) else {
            return Ok(None);
        };
        let end = window.bytes.len().min(at + LONGEST_HELD);
        let is_cut = end < window.bytes.len() || end == at + LONGEST_HELD;
        let mark = self.tokenizer.mark();
        let mut array = LinesOfArray {
            lines: std::mem::take(&mut self.lines),
            length: 0,
            level: 0,
            may_have_colon: false,
        };
        array.lines.clear();
        let (mut next, mut fault) = (at, None);
        let bytes = (&window.bytes[..end], window.last && !is_cut);
        let is_long = loop {
            match (self.tokenizer).next_untaken(bytes, &mut next, &mut array) {
                JsonToken::Open(_) => array.level += 1,
                JsonToken::Close if array.level == 0 => break false,
                JsonToken::Close => array.level -= 1,
                JsonToken::String(raw) if array.level == 0 && !array.add(&raw) => break true,
                JsonToken::Fault(kind, index) => fault = fault.or(Some((kind, index))),
                JsonToken::More if is_cut => break true,
                JsonToken::More => {
                    self.lines = array.lines;
                    self.tokenizer.rewind(mark);
                    return Err(Held::default());
                }
                JsonToken::End => break false,
                _ => {}
            }
        };
        let behind = self.tokenizer.mark();
        self.tokenizer.rewind(mark);
        let LinesOfArray { lines, level, .. } = array;
        let is_read = !self.is_without_references(row.role, array.may_have_colon, window);
        self.text.clear();
        self.map.starting(window.offset_at(at));
        let mut source = at;
        for raw in lines.iter().filter(|_| is_read) {
            self.map.skip(raw.start - source);
            source = raw.end;
            unescape(&window.bytes[raw.clone()], &mut self.text, &mut self.map);
        }
        self.lines = lines;
        let value = JsonValue {
            start: at - 1,
            raw: JsonText::new(window.bytes, at..at),
            end: at,
            opened: 1,
        };
        if !self.text.is_empty() {
            self.known_text(row.role, &value, window, events)?;
        }
        if is_long {
            let offset = window.offset_at(at - 1);
            self.fault(1, &diagnostic::JSON_TOO_LONG, offset, events);
            return Ok(None);
        }
        // The array is well-formed, or its faults are reported where they are read again.
        if fault.is_some() || level > 0 {
            return Ok(None);
        }
        self.tokenizer.rewind(behind);
        Ok(Some(next))
    }

    /// Reads the current text, in a charset, as a document of a format with a base.
    fn document(
        &mut self,
        format: &'static Format,
        charset: &[u8],
        base: Option<&[u8]>,
        offset: u64,
        events: &mut Events,
    ) {
        let may_hold_reference = match notebook::needs_mark(format) {
            // Every reference has one of these, but for abbreviations.
            true => memchr::memchr3(b'[', b'<', b':', &self.text).is_some() || !self.needs_colon,
            false => !self.text.iter().all(u8::is_ascii_whitespace),
        };
        if !may_hold_reference {
            return;
        }
        let base = base.filter(|base| !base.is_empty());
        if base.is_none() && *format == *Format::TEXT {
            return self.text_references(None, events);
        }
        if let Some(base) = base {
            enter(None, RuleFamily::Plain, None, events);
            let base = events.store(base);
            events.push(Event::Base(base, offset));
            events.push(Event::Settled);
        }
        self.nested.begin(Member {
            charset: charset.to_vec(),
            format,
            diagnostic_offset: Some(offset),
            ..Member::default()
        });
        self.nested
            .scan_decoded(&self.text, &self.map, &mut self.scanners, events);
        if base.is_some() {
            events.push(Event::Leave);
        }
    }
}

impl Scan for JsonScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.tokenizer = JsonTokenizer::new(sequence(self.strings));
        self.path.clear();
        self.members.clear();
        self.attachments.clear();
        self.started = false;
        self.reported = [false; 4];
        self.scanners.positions = start.positions;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        let mut at = window.start;
        if !self.started {
            let Some(start) = self.start(&window) else {
                return at;
            };
            if !self.names_base() {
                events.push(Event::Settled);
            }
            self.started = true;
            at = start;
        }
        loop {
            let mut visitor = UnreadValues {
                path: &mut self.path,
                members: &mut self.members,
                bytes: window.bytes,
                has_attachments: !self.attachments.is_empty(),
                is_known: matches!(self.strings, JsonStrings::Table(_)),
                needs_colon: self.needs_colon,
            };
            let bytes = (window.bytes, window.last);
            match (self.tokenizer).next_untaken(bytes, &mut at, &mut visitor) {
                JsonToken::Open(container) => {
                    if container == JsonContainer::Array
                        && matches!(self.strings, JsonStrings::Table(_))
                    {
                        match self.known_array(at, &window, events) {
                            Ok(None) => {}
                            Ok(Some(behind)) => {
                                at = behind;
                                self.path.end_values(1);
                                continue;
                            }
                            Err(_) => {
                                self.tokenizer.unread_open();
                                at -= 1;
                                break;
                            }
                        }
                    }
                    let row = self
                        .path
                        .row()
                        .filter(|_| self.options.anchors == AnchorReporting::Report);
                    if row.is_some_and(|row| row.role == JsonRole::Attachment) {
                        self.attachments.add(&self.path.last_name(window.bytes));
                    }
                    self.path.open(container);
                }
                JsonToken::Close => {
                    if self.path.depth() == CELL_DEPTH {
                        self.attachments.end(events);
                    }
                    self.path.close();
                    self.members.close(self.path.depth());
                }
                JsonToken::Name(name) => self.path.set_name(&name, window.bytes),
                JsonToken::String(raw) => {
                    let start = raw.range.start - 1;
                    match self.strings {
                        JsonStrings::All(_) => self.any_string(&raw, &window, events),
                        JsonStrings::Table(_) => {
                            let value = JsonValue {
                                start,
                                raw,
                                end: at,
                                opened: 0,
                            };
                            if self.known_string(&value, &window, events).is_err() {
                                self.tokenizer.unread_string();
                                at = start;
                                break;
                            }
                        }
                    }
                    self.path.end_values(1);
                    events.forget_stored();
                }
                JsonToken::Other => self.path.end_values(1),
                JsonToken::Comment(range) => {
                    self.text.clear();
                    self.text.extend_from_slice(&window.bytes[range.clone()]);
                    self.map.starting(window.offset_at(range.start));
                    self.map.copy(range.len());
                    self.text_references(Some(Context::Comment), events);
                    events.forget_stored();
                }
                JsonToken::Fault(fault, index) => {
                    let (slot, code) = fault_code(fault);
                    self.fault(slot, code, window.offset_at(index), events);
                }
                JsonToken::End if self.names_base() => {
                    events.push(Event::Settled);
                    break;
                }
                JsonToken::More | JsonToken::End => break,
            }
        }
        self.path.end_window(window.bytes);
        events.forget_stored();
        at
    }
}

/// Reports a link of a page, by the place where it stands in that: `A@/href`, or `STYLE/#text`.
fn events_of_page(mut found: FoundReference, place: &[u8], events: &mut Events) {
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

/// Returns the code of a fault, and its number.
pub(super) fn fault_code(fault: JsonFault) -> (usize, &'static Code) {
    match fault {
        JsonFault::NotWellFormed => (0, &diagnostic::JSON_NOT_WELL_FORMED),
        JsonFault::TooLong => (1, &diagnostic::JSON_TOO_LONG),
        JsonFault::TooDeep => (2, &diagnostic::JSON_TOO_DEEP),
    }
}

fn table(strings: JsonStrings) -> Option<&'static JsonTable> {
    match strings {
        JsonStrings::All(_) => None,
        JsonStrings::Table(table) => Some(table),
    }
}

fn sequence(strings: JsonStrings) -> JsonSequence {
    match strings {
        JsonStrings::All(sequence) => sequence,
        JsonStrings::Table(_) => JsonSequence::One,
    }
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
