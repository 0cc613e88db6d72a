//! The scanner of JSON documents: the strings that are references, and those that hold text.

use std::ops::Range;

use super::http_archive::HttpBody;
use super::kinds::{BODY_ENCODING, BODY_TYPE, ITEM_URL, REQUEST_URL, START_URL};
use super::kinds::{JsonKind, JsonMember, JsonRole};
use super::literals::{JsonText, LONGEST_STRING, unescape, unescaped};
use super::notebook::{self, CellAttachments};
use super::path::ValuePath;
use super::tokenizer::{JsonContainer, JsonToken, JsonTokenizer};
use crate::bytes::class::split_once;
use crate::bytes::lines::BYTE_ORDER_MARK;
use crate::bytes::pattern::Pattern;
use crate::bytes::window::Window;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    BaseSelector, Context, Escapes, Event, Events, FoundReference, LinkDescription, MAX_NAME_LEN,
    NameRange, Quoting, RuleFamily, WindowEvents,
};
use crate::document::flags::Flags;
use crate::document::html::{push_link_types, push_seen_text, refresh};
use crate::document::http::HttpField;
use crate::document::nested::{Member, NestedScanners, enter};
use crate::document::source_text::DecodedText;
use crate::document::text::refang::is_defanged;
use crate::document::text::schemes::is_whole_uri;
use crate::document::{AnchorReporting, Format, FormatOptions, Scan, ScanStart};
use crate::uri::Reference;

/// Maximum number of bytes in which a member is searched for after the string that refers to it.
pub(super) const LONGEST_HELD: usize = LONGEST_STRING + (4 << 20);

/// A value must wait: the window ends before the member to which it refers.
struct Held;

pub(super) struct JsonScanner {
    /// The strings that are read if the kind of document is known; else all, by the rules for text.
    kind: &'static JsonKind,
    tokenizer: JsonTokenizer,
    path: ValuePath,
    /// The values of members whose objects are open; `None` for a missing one.
    ///
    /// INVARIANT: at most one value a member, so at most the number of rows of the kind.
    members: Vec<(&'static JsonMember, Option<Vec<u8>>)>,
    attachments: CellAttachments,
    options: FormatOptions,
    scanners: NestedScanners,
    text: DecodedText,
    /// Whether text without a colon holds no reference.
    needs_colon: bool,
    started: bool,
}

/// A value of a known kind, whose text is the current one unless it is a link without escapes.
struct JsonValue {
    role: JsonRole,
    raw: Range<usize>,
    is_plain: bool,
    offset: u64,
}

const CELL_DEPTH: usize = 3;

static ORIGIN: Pattern = Pattern::new(r"^(?:[0-9A-Za-z]+:)?//[^/?#\\]*");

impl JsonScanner {
    pub(super) fn boxed(kind: &'static JsonKind, options: &FormatOptions) -> Box<dyn Scan> {
        Box::new(JsonScanner {
            kind,
            tokenizer: JsonTokenizer::new(kind.sequence),
            path: ValuePath::new(kind),
            members: Vec::new(),
            attachments: CellAttachments::default(),
            needs_colon: !options.text.www && !options.text.email,
            options: options.clone(),
            scanners: NestedScanners::new(options.clone()),
            text: DecodedText::without(Quoting::of(Escapes::Json)),
            started: false,
        })
    }

    /// Skips a byte order mark and a guard; returns false if more bytes are needed.
    fn start(&mut self, window: &Window<'_>) -> bool {
        /// Stops scripts that include the map by mistake (ECMA-426).
        const GUARD: &[u8] = b")]}'";
        let pending = &window.bytes[window.start..];
        if pending.len() < BYTE_ORDER_MARK.len() + GUARD.len() && !window.last {
            return false;
        }
        let unmarked = pending.strip_prefix(BYTE_ORDER_MARK).unwrap_or(pending);
        if unmarked.starts_with(GUARD) {
            self.tokenizer.skip_line();
        }
        self.tokenizer.at = window.bytes.len() - unmarked.len();
        true
    }

    fn decode(&mut self, raw: Range<usize>, window: &Window<'_>) {
        self.text.begin(window.offset_at(raw.start));
        append(&mut self.text, raw, window);
    }

    fn whole(
        &mut self,
        raw: &Range<usize>,
        is_plain: bool,
        run: &mut WindowEvents,
    ) -> FoundReference {
        let text = (!is_plain).then_some(&self.text.bytes[..]);
        self.path.reference(raw, text, run)
    }

    /// Reads a string of a document of any kind: a URI as a whole, or text.
    #[inline(never)]
    fn any_string(&mut self, raw: &JsonText, run: &mut WindowEvents) {
        let bytes = &run.window.bytes[raw.range.clone()];
        let is_plain = !raw.has_escapes;
        if !is_plain {
            self.decode(raw.range.clone(), &run.window);
        }
        let text = if is_plain { bytes } else { &self.text.bytes };
        if is_whole_uri(text) && !(self.options.text.refang && is_defanged(text)) {
            let mut found = self.whole(&raw.range, is_plain, run);
            found.flags |= Flags::GUESSED;
            return run.events.push(Event::Reference(found));
        }
        if is_plain {
            self.decode(raw.range.clone(), &run.window);
        }
        self.text_references(None, run.events);
    }

    /// Reads the current text by the rules for text; its references have the context, if any.
    fn text_references(&mut self, context: Option<Context>, events: &mut Events) {
        if self.needs_colon && memchr::memchr(b':', &self.text.bytes).is_none() {
            return;
        }
        let text = self.text.source();
        self.scanners.free_text(text, events, |found, _| {
            found.context = context.unwrap_or(found.context);
        });
    }

    fn comment(&mut self, range: Range<usize>, run: &mut WindowEvents) {
        self.text.begin(run.window.offset_at(range.start));
        self.text.copy(&run.window.bytes[range]);
        self.text_references(Some(Context::Comment), run.events);
        run.events.forget_stored();
    }

    #[inline(never)]
    fn known_string(&mut self, raw: JsonText, run: &mut WindowEvents) -> Result<(), Held> {
        let bytes = run.window.bytes;
        let (row, member) = (self.path.row(bytes), self.path.member(bytes));
        let is_plain = !raw.has_escapes;
        // The long strings of a notebook are images, mostly.
        let is_decoded = match row {
            None => member.is_some(),
            Some(row) if row.role == JsonRole::Link => member.is_some() || !is_plain,
            Some(row) => {
                raw.may_have_colon || !self.needs_colon || !self.is_text(row.role, &run.window)
            }
        };
        if is_decoded {
            self.decode(raw.range.clone(), &run.window);
        }
        if let Some(member) = member {
            self.keep(member, Some(self.text.bytes.clone()));
        }
        match row {
            Some(row) if !raw.range.is_empty() && (is_decoded || row.role == JsonRole::Link) => {
                let value = JsonValue {
                    role: row.role,
                    is_plain,
                    offset: run.window.offset_at(raw.range.start),
                    raw: raw.range,
                };
                self.known_text(&value, run)
            }
            _ => Ok(()),
        }
    }

    fn is_text(&self, role: JsonRole, window: &Window<'_>) -> bool {
        let format = match role {
            JsonRole::Text => Format::TEXT,
            JsonRole::Output => notebook::output_format(&self.path.last_name(window.bytes)),
            JsonRole::Cell(kind) => match self.kept(kind) {
                Some(kind) => notebook::cell_format(kind.unwrap_or_default()),
                None => return false,
            },
            _ => return false,
        };
        *format == *Format::TEXT
    }

    fn known_text(&mut self, value: &JsonValue, run: &mut WindowEvents) -> Result<(), Held> {
        let codebase = match value.role {
            JsonRole::Link => None,
            JsonRole::Source(root) => {
                let root = self.member(root, value, run)?;
                root.as_deref().and_then(prefix)
            }
            JsonRole::AppId => {
                let start = self.member(&START_URL, value, run)?;
                Some(origin(start.as_deref().unwrap_or_default()))
            }
            JsonRole::Redirect => self.member(&REQUEST_URL, value, run)?,
            JsonRole::Field(name) => {
                let name = self.member(name, value, run)?.unwrap_or_default();
                if let Some(field) = HttpField::named(&name, &self.options) {
                    let base = self.member(&REQUEST_URL, value, run)?;
                    let base = base.map(|base| self.codebase(&base, run.events));
                    self.field(field, base.unwrap_or(BaseSelector::Document), run.events);
                }
                return Ok(());
            }
            JsonRole::PageField(name) => {
                if let Some(field) = HttpField::named(name.as_bytes(), &self.options) {
                    self.field(field, BaseSelector::Fallback, run.events);
                }
                return Ok(());
            }
            JsonRole::PageBase => {
                let base = run.events.store(&self.text.bytes);
                run.events.push(Event::Base(base, value.offset));
                return Ok(());
            }
            JsonRole::PageLink([place, about @ ..]) => {
                let place = self.member(place, value, run)?.unwrap_or_default();
                let mut texts = [const { None }; 3];
                if self.options.html.descriptions {
                    for (text, member) in texts.iter_mut().zip(about) {
                        *text = self.member(member, value, run)?;
                    }
                }
                let found = self.whole(&value.raw, value.is_plain, run);
                page_link(found, &place, texts, run.events);
                return Ok(());
            }
            JsonRole::PageMeta([kind, property]) => {
                let kind = self.member(kind, value, run)?.unwrap_or_default();
                if self.options.html.extended
                    && self.member(property, value, run)?.as_deref() == Some(b"og:url")
                {
                    let found = self.whole(&value.raw, value.is_plain, run);
                    page_link(found, b"meta@/content", Default::default(), run.events);
                }
                let range = refresh(&self.text.bytes, 0..self.text.bytes.len());
                if let Some(range) = range.filter(|_| kind.eq_ignore_ascii_case(b"refresh")) {
                    let text = self.text.source();
                    let found = FoundReference {
                        element: NameRange::Known("meta"),
                        attribute: NameRange::Known("content"),
                        base: BaseSelector::Refresh,
                        flags: Flags::REFRESH,
                        ..text.reference(range, Context::Attribute, run.events)
                    };
                    run.events.push(Event::Reference(found));
                }
                return Ok(());
            }
            JsonRole::Attachment => return Ok(()),
            JsonRole::Html
            | JsonRole::Cell(_)
            | JsonRole::Output
            | JsonRole::Text
            | JsonRole::Body => {
                let read = self.document(value, run);
                // A body in base64 has other escapes.
                self.text.quoting = Quoting::of(Escapes::Json);
                return read;
            }
        };
        let mut found = self.whole(&value.raw, value.is_plain, run);
        let is_source = matches!(value.role, JsonRole::Source(_));
        found.flags |= Flags::MAPPED.when(is_source);
        if let Some(codebase) = codebase {
            // The prefix precedes absolute references, too.
            let text = &self.text.bytes;
            let is_absolute = text.starts_with(b"/") || Reference::split(text).scheme.is_some();
            if is_source && is_absolute && codebase.len() <= self.options.longest_base {
                found.resolves_as = Some(run.events.store(&[&codebase, &text[..]].concat()));
            } else {
                found.base = self.codebase(&codebase, run.events);
            }
        }
        run.events.push(Event::Reference(found));
        run.events.forget_stored();
        Ok(())
    }

    fn codebase(&self, base: &[u8], events: &mut Events) -> BaseSelector {
        events.store_codebase(base, self.options.longest_base)
    }

    fn field(&mut self, field: &'static HttpField, base: BaseSelector, events: &mut Events) {
        let text = self.text.source();
        for range in field.references(text.bytes) {
            let found = FoundReference {
                attribute: NameRange::Known(field.name),
                base,
                ..text.reference(range, Context::Header, events)
            };
            events.push(Event::Reference(found));
        }
    }

    fn keep(&mut self, member: &'static JsonMember, value: Option<Vec<u8>>) {
        self.members
            .retain(|(kept, _)| !std::ptr::eq(*kept, member));
        self.members.push((member, value));
    }

    /// Returns the value of a member, if its presence is known.
    fn kept(&self, member: &'static JsonMember) -> Option<Option<&[u8]>> {
        let mut kept = self.members.iter();
        let (_, value) = kept.find(|(kept, _)| std::ptr::eq(*kept, member))?;
        Some(value.as_deref())
    }

    /// Returns the value of a member, which may follow the current value.
    fn member(
        &mut self,
        member: &'static JsonMember,
        value: &JsonValue,
        run: &mut WindowEvents,
    ) -> Result<Option<Vec<u8>>, Held> {
        if let Some(known) = self.kept(member) {
            return Ok(known.map(<[u8]>::to_vec));
        }
        let (mut tokenizer, mut path) = (self.tokenizer.clone(), self.path.clone());
        let bytes = run.window.bytes;
        let limit = run.window.at_offset(value.offset) + LONGEST_HELD;
        let is_cut = bytes.len() >= limit;
        let window = Window {
            bytes: &bytes[..bytes.len().min(limit)],
            last: run.window.last && !is_cut,
            ..run.window
        };
        let found = loop {
            match tokenizer.next(&window) {
                JsonToken::Open(container) => path.open(container),
                JsonToken::Close if path.depth() <= member.root + 1 => break None,
                JsonToken::Close => path.close(),
                JsonToken::Name(name) => path.set_name(&name),
                JsonToken::String(text) => {
                    if matches!(path.member(bytes), Some(found) if std::ptr::eq(found, member)) {
                        break Some(unescaped(&bytes[text.range]).into_owned());
                    }
                }
                JsonToken::Other(_) | JsonToken::Comment(_) => {}
                JsonToken::More if is_cut => {
                    self.report_fault(&diagnostic::JSON_HELD_LIMIT, value.offset - 1, run.events);
                    break None;
                }
                JsonToken::More => return Err(Held),
                JsonToken::End => break None,
            }
        };
        self.keep(member, found.clone());
        Ok(found)
    }

    fn report_fault(&mut self, code: &'static Code, offset: u64, events: &mut Events) {
        self.tokenizer.faults.add(code, offset);
        self.tokenizer.faults.report(events);
    }

    fn document(&mut self, value: &JsonValue, run: &mut WindowEvents) -> Result<(), Held> {
        let mut charset: &[u8] = b"utf-8";
        let body;
        let (format, base) = match value.role {
            JsonRole::Html => (Format::HTML, self.member(&ITEM_URL, value, run)?),
            JsonRole::Cell(kind) => {
                let kind = self.member(kind, value, run)?.unwrap_or_default();
                (notebook::cell_format(&kind), None)
            }
            JsonRole::Output => {
                let name = self.path.last_name(run.window.bytes);
                (notebook::output_format(&name), None)
            }
            JsonRole::Body => {
                let media_type = self.member(&BODY_TYPE, value, run)?;
                let Some(known) = media_type.as_deref().and_then(HttpBody::of) else {
                    return Ok(());
                };
                let encoding = self.member(&BODY_ENCODING, value, run)?;
                let base = self.member(&REQUEST_URL, value, run)?;
                body = known;
                if encoding.is_some_and(|encoding| encoding.eq_ignore_ascii_case(b"base64")) {
                    (self.text, charset) = body.decode(&self.text);
                }
                (body.format, base)
            }
            _ => (Format::TEXT, None),
        };
        let text = &self.text.bytes;
        // Every reference in a format with marks has one of these, but for abbreviations.
        let may_hold_reference = if notebook::needs_mark(format) {
            !self.needs_colon || memchr::memchr3(b'[', b'<', b':', text).is_some()
        } else {
            !text.iter().all(u8::is_ascii_whitespace)
        };
        if !may_hold_reference {
            return Ok(());
        }
        let events = &mut *run.events;
        let base = base.filter(|base| !base.is_empty());
        if base.is_none() && *format == *Format::TEXT {
            self.text_references(None, events);
            return Ok(());
        }
        if let Some(base) = &base {
            enter(None, RuleFamily::Plain, events);
            let base = events.store(base);
            events.push(Event::Base(base, value.offset));
            events.push(Event::Settled);
        }
        let has_attachments = self.options.anchors == AnchorReporting::Report
            && matches!(value.role, JsonRole::Cell(_))
            && notebook::needs_mark(format)
            && memchr::memmem::find(text, b"attachment:").is_some();
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

    /// Reads an array of strings that are the lines of one text, after its first byte.
    ///
    /// The window has to hold all of it, because positions are relative to the window; of one longer
    /// than any window, only the part in this window is read.
    fn lines(&mut self, role: JsonRole, run: &mut WindowEvents) -> Result<(), Held> {
        let (window, outside) = (run.window, self.path.depth());
        let offset = window.offset_at(self.tokenizer.at);
        let can_wait = window.bytes.len() - self.tokenizer.at < LONGEST_HELD;
        let mut text = DecodedText::without(Quoting::of(Escapes::Json));
        text.begin(offset);
        let (mut length, mut is_cut) = (0, false);
        let mut comments = Vec::new();
        self.path.open(JsonContainer::Array);
        while self.path.depth() > outside {
            let token = self.tokenizer.next(&window);
            self.tokenizer.faults.report(run.events);
            match token {
                JsonToken::Open(container) => self.path.open(container),
                JsonToken::Close => self.path.close(),
                JsonToken::String(JsonText { range, .. }) if self.path.depth() == outside + 1 => {
                    length += range.len();
                    is_cut |= length > LONGEST_STRING;
                    if !is_cut {
                        append(&mut text, range, &window);
                    }
                }
                // An array that must wait is read again, with its comments.
                JsonToken::Comment(range) => comments.push(range),
                JsonToken::More if can_wait => return Err(Held),
                JsonToken::More => {
                    is_cut = true;
                    break;
                }
                JsonToken::End => (outside..self.path.depth()).for_each(|_| self.path.close()),
                JsonToken::Name(_) | JsonToken::String(_) | JsonToken::Other(_) => {}
            }
        }
        self.text = text;
        let value = JsonValue {
            role,
            raw: 0..0,
            is_plain: false,
            offset,
        };
        if !self.text.bytes.is_empty() {
            self.known_text(&value, run)?;
        }
        (comments.into_iter()).for_each(|range| self.comment(range, run));
        if is_cut {
            self.report_fault(&diagnostic::JSON_STRING_TOO_LONG, offset - 1, run.events);
        }
        run.events.forget_stored();
        Ok(())
    }

    fn open(&mut self, container: JsonContainer, run: &mut WindowEvents) -> Result<(), Held> {
        let role = self.path.row(run.window.bytes).map(|row| row.role);
        match (container, role) {
            // A text that was split into lines.
            (
                JsonContainer::Array,
                Some(role @ (JsonRole::Cell(_) | JsonRole::Output | JsonRole::Text)),
            ) => {
                let before = (self.tokenizer.clone(), self.path.clone());
                let read = self.lines(role, run);
                if read.is_err() {
                    let faults = std::mem::take(&mut self.tokenizer.faults);
                    (self.tokenizer, self.path) = before;
                    self.tokenizer.faults = faults;
                    self.tokenizer.unread_array();
                }
                return read;
            }
            (JsonContainer::Object, Some(JsonRole::Attachment))
                if self.options.anchors == AnchorReporting::Report =>
            {
                let name = self.path.last_name(run.window.bytes);
                self.attachments.add(&name);
            }
            _ => {}
        }
        self.path.open(container);
        Ok(())
    }

    fn close(&mut self, events: &mut Events) {
        self.path.close();
        let depth = self.path.depth();
        self.members.retain(|(member, _)| member.root < depth);
        if depth + 1 == CELL_DEPTH && !self.attachments.is_empty() {
            self.attachments.end(events);
        }
    }

    fn string(&mut self, raw: JsonText, run: &mut WindowEvents) -> Result<(), Held> {
        if self.kind.is_known() {
            let start = raw.range.start - usize::from(raw.is_quoted);
            let read = self.known_string(raw, run);
            if read.is_err() {
                self.tokenizer.unread_string(start);
            }
            return read;
        }
        if raw.may_have_colon || !self.needs_colon {
            self.any_string(&raw, run);
        }
        Ok(())
    }
}

impl Scan for JsonScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.tokenizer = JsonTokenizer::new(self.kind.sequence);
        self.path = ValuePath::new(self.kind);
        self.members.clear();
        self.attachments = CellAttachments::default();
        self.started = false;
        self.scanners.positions = start.positions;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        self.tokenizer.at = window.start;
        if !self.started && !self.start(&window) {
            return window.start;
        }
        self.started = true;
        let run = &mut WindowEvents { window, events };
        loop {
            let token = self.tokenizer.next(&window);
            self.tokenizer.faults.report(run.events);
            match token {
                JsonToken::Open(container) if self.kind.is_known() => {
                    if self.open(container, run).is_err() {
                        break;
                    }
                }
                JsonToken::Open(container) => self.path.open(container),
                JsonToken::Close => self.close(run.events),
                JsonToken::Name(name) => self.path.set_name(&name),
                JsonToken::String(raw) => {
                    self.path.line = self.tokenizer.lines;
                    if self.string(raw, run).is_err() {
                        break;
                    }
                    self.path.end_values(1);
                }
                JsonToken::Other(count) => self.path.end_values(count),
                JsonToken::Comment(range) => self.comment(range, run),
                JsonToken::More => break,
                JsonToken::End => {
                    if self.kind.names_base() {
                        run.events.push(Event::Settled);
                    }
                    break;
                }
            }
        }
        self.path.end_window(window.bytes);
        run.events.forget_stored();
        self.tokenizer.at
    }
}

fn append(text: &mut DecodedText, raw: Range<usize>, window: &Window<'_>) {
    text.map.resume(window.offset_at(raw.start));
    unescape(&window.bytes[raw], &mut text.bytes, &mut text.map);
}

/// Reports a link of a page with its place: `A@/href`, or `STYLE/#text`.
fn page_link(
    mut found: FoundReference,
    place: &[u8],
    about: [Option<Vec<u8>>; 3],
    events: &mut Events,
) {
    let (name, attribute) = split_once(place, b'/');
    let element = name.strip_suffix(b"@");
    if element.is_none() {
        found.context = Context::Style;
    }
    let element = element.unwrap_or(name).to_ascii_lowercase();
    let attribute = attribute.unwrap_or_default().to_ascii_lowercase();
    found.element = NameRange::other(events.store(&element));
    found.attribute = NameRange::other(events.store(&attribute));
    if about.iter().any(Option::is_some) {
        let [text, rel, title] = about;
        let seen = |text: Vec<u8>, store: &mut _| {
            push_seen_text(&String::from_utf8_lossy(&text), store);
        };
        let [text, rel, title] = [
            text.map(|text| events.store_with(|store| seen(text, store))),
            rel.map(|rel| events.store_with(|store| push_link_types(&rel, store))),
            title.map(|title| events.store(&title)),
        ]
        .map(|text| text.map(|text| text.first(MAX_NAME_LEN + 1)));
        let description = LinkDescription {
            text,
            rel,
            title,
            hreflang: None,
        };
        found.description = events.store_description(Some(description));
    }
    events.push(Event::Reference(found));
}

/// Returns a source root up to its last slash, or all of it and a slash (ECMA-426,
/// "DecodeSourceMapSources"); an empty root has no prefix.
fn prefix(root: &[u8]) -> Option<Vec<u8>> {
    match memchr::memrchr(b'/', root) {
        Some(end) => Some(root[..=end].to_vec()),
        None if root.is_empty() => None,
        None => Some([root, b"/"].concat()),
    }
}

/// Returns the origin of a URL, or a reference to the document's for a relative one.
fn origin(url: &[u8]) -> Vec<u8> {
    let origin = ORIGIN.find(url).map_or(&b""[..], |found| found.as_bytes());
    [origin, b"/"].concat()
}
