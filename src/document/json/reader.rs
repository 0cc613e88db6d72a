//! The scanner of JSON documents: the strings that are references, and those that hold text.

use std::ops::Range;

use super::kinds::{JsonRole, JsonRow, JsonStrings};
use super::path::ValuePath;
use super::tokenizer::{
    JsonFault, JsonSequence, JsonToken, JsonTokenizer, LONGEST_STRING, unescape,
};
use crate::bytes::window::Window;
use crate::decode::offset_map::OffsetMap;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    BaseSelector, Batch, Context, Event, Events, FoundReference, NameRange, RuleFamily, Span,
    TextRange,
};
use crate::document::flags::{Flags, holds_placeholder};
use crate::document::nested::{Member, NestedReader, NestedScanners, enter};
use crate::document::text::schemes::{SchemeForm, TextScheme};
use crate::document::{Format, FormatOptions, Scan, ScanStart};

/// The most bytes in which a member is looked for that stands behind the string that it is about.
pub(super) const LONGEST_HELD: usize = LONGEST_STRING + (4 << 20);

/// A member that other strings of its object refer to.
struct JsonFact {
    /// The number of containers around it.
    depth: usize,
    name: &'static str,
    /// Its value; `None` if there is no such member.
    value: Option<Vec<u8>>,
}

/// The search for a member.
enum JsonSearch {
    Found(Option<Vec<u8>>),
    /// It ended with the window.
    More,
    /// It reached [`LONGEST_HELD`].
    TooFar,
}

/// The string is about a member that may still come.
struct Held;

/// The scanner of JSON documents.
pub(super) struct JsonScanner {
    strings: JsonStrings,
    tokenizer: JsonTokenizer,
    path: ValuePath,
    facts: Vec<JsonFact>,
    options: FormatOptions,
    scanners: NestedScanners,
    nested: NestedReader,
    /// The current string, escapes replaced, and its offsets in the document.
    text: Vec<u8>,
    map: OffsetMap,
    started: bool,
    /// The faults that have been reported.
    reported: [bool; 4],
}

/// The members that [`JsonFact`]s keep.
const FACTS: [&str; 3] = ["sourceRoot", "start_url", "url"];

impl JsonScanner {
    pub(super) fn new(strings: JsonStrings, options: &FormatOptions) -> Self {
        JsonScanner {
            strings,
            tokenizer: JsonTokenizer::new(sequence(strings)),
            path: ValuePath::default(),
            facts: Vec::new(),
            options: options.clone(),
            scanners: NestedScanners::new(options.clone()),
            nested: NestedReader::default(),
            text: Vec::new(),
            map: OffsetMap::default(),
            started: false,
            reported: [false; 4],
        }
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

    /// Returns a reference that is a whole string, and has been decoded.
    fn whole(
        &self,
        raw: &Range<usize>,
        window: &Window<'_>,
        events: &mut Events,
    ) -> FoundReference {
        let span = Span {
            start: window.offset_at(raw.start),
            end: window.offset_at(raw.end),
        };
        let text = match self.text.len() == raw.len() {
            true => TextRange::window(raw.clone()),
            false => events.store(&self.text),
        };
        let mut found = FoundReference::new(span, text, Context::Attribute);
        let mut pointer = Vec::new();
        if self
            .path
            .pointer(sequence(self.strings) != JsonSequence::One, &mut pointer)
        {
            found.attribute = NameRange::Other(events.store(&pointer));
        }
        if holds_placeholder(&self.text) {
            found.flags |= Flags::TEMPLATE;
        }
        found
    }

    /// Reads a string of a document of any kind: a URI as a whole, or text.
    fn any_string(&mut self, raw: Range<usize>, window: &Window<'_>, events: &mut Events) {
        let bytes = &window.bytes[raw.clone()];
        let options = &self.options.text;
        let may_hold_uri = options.www || options.email;
        if !may_hold_uri && memchr::memchr2(b':', b'\\', bytes).is_none() {
            return;
        }
        self.decode(bytes, window.offset_at(raw.start));
        if is_absolute(&self.text) {
            let mut found = self.whole(&raw, window, events);
            found.flags |= Flags::GUESSED;
            return events.push(Event::Reference(found));
        }
        if !may_hold_uri && memchr::memchr(b':', &self.text).is_none() {
            return;
        }
        let (text, map) = (&self.text, &self.map);
        let take = |inner: &Batch| {
            for event in &inner.list {
                let Event::Reference(ref found) = *event else {
                    continue;
                };
                let mut copy = events.adopt_reference(found, inner, text);
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
    fn known_string(
        &mut self,
        rows: &'static [JsonRow],
        raw: Range<usize>,
        at: usize,
        window: &Window<'_>,
        events: &mut Events,
    ) -> Result<(), Held> {
        let row = rows.iter().find(|row| self.path.is(row.path));
        let name = FACTS.iter().find(|name| self.path.ends_with(name));
        if row.is_none() && name.is_none() {
            return Ok(());
        }
        let bytes = &window.bytes[raw.clone()];
        let offset = window.offset_at(raw.start);
        self.decode(bytes, offset);
        if let Some(row) = row.filter(|_| !self.text.is_empty()) {
            match row.role {
                JsonRole::Link => {
                    let found = self.whole(&raw, window, events);
                    events.push(Event::Reference(found));
                }
                JsonRole::Source => {
                    let root = self.fact("sourceRoot", 1, at, window, events)?;
                    let mut found = self.whole(&raw, window, events);
                    if let Some(prefix) = root.as_deref().and_then(prefix) {
                        found.base = BaseSelector::Codebase(events.store(&prefix));
                    }
                    events.push(Event::Reference(found));
                }
                JsonRole::AppId => {
                    let start = self.fact("start_url", 0, at, window, events)?;
                    let mut found = self.whole(&raw, window, events);
                    let origin = origin(start.as_deref().unwrap_or_default());
                    found.base = BaseSelector::Codebase(events.store(&origin));
                    events.push(Event::Reference(found));
                }
                JsonRole::Html => {
                    let base = self.fact("url", 0, at, window, events)?;
                    self.html(base.as_deref(), offset, events);
                }
            }
        }
        if let Some(name) = name {
            self.keep(name, self.path.depth(), Some(self.text.clone()));
        }
        Ok(())
    }

    /// Keeps the value of a member while its object is open.
    fn keep(&mut self, name: &'static str, depth: usize, value: Option<Vec<u8>>) {
        self.facts
            .retain(|fact| (fact.name, fact.depth) != (name, depth));
        self.facts.push(JsonFact { depth, name, value });
    }

    /// Returns the value of a member of the object `up` containers outside the current one, which
    /// may stand behind the value that begins at `at`.
    fn fact(
        &mut self,
        name: &'static str,
        up: usize,
        at: usize,
        window: &Window<'_>,
        events: &mut Events,
    ) -> Result<Option<Vec<u8>>, Held> {
        let depth = self.path.depth() - up;
        let known = |fact: &&JsonFact| (fact.name, fact.depth) == (name, depth);
        if let Some(fact) = self.facts.iter().find(known) {
            return Ok(fact.value.clone());
        }
        let value = match self.search(name, up, at, window) {
            JsonSearch::More => return Err(Held),
            JsonSearch::Found(value) => value,
            JsonSearch::TooFar => {
                let offset = window.offset_at(at);
                self.fault(3, &diagnostic::JSON_HELD_LIMIT, offset, events);
                None
            }
        };
        self.keep(name, depth, value.clone());
        Ok(value)
    }

    /// Looks for a member behind the string that begins at `at`.
    fn search(&self, name: &str, up: usize, at: usize, window: &Window<'_>) -> JsonSearch {
        let end = window.bytes.len().min(at + LONGEST_HELD);
        let is_cut = end < window.bytes.len() || end == at + LONGEST_HELD;
        let bytes = &window.bytes[..end];
        let mut tokenizer = self.tokenizer.clone();
        tokenizer.unread_string();
        let (mut at, mut level, mut wanted) = (at, up as i64, false);
        loop {
            match tokenizer.next(bytes, &mut at, window.last && !is_cut) {
                JsonToken::Open(_) => level += 1,
                JsonToken::Close if level == 0 => return JsonSearch::Found(None),
                JsonToken::Close => level -= 1,
                JsonToken::Name(range) if level == 0 => {
                    let mut found = Vec::new();
                    unescape(&bytes[range], &mut found, &mut ());
                    wanted = found == name.as_bytes();
                    continue;
                }
                JsonToken::String(range) if wanted => {
                    let mut value = Vec::new();
                    unescape(&bytes[range], &mut value, &mut ());
                    return JsonSearch::Found(Some(value));
                }
                JsonToken::Fault(..) => continue,
                JsonToken::Name(_) | JsonToken::String(_) | JsonToken::Other => {}
                JsonToken::More if is_cut => return JsonSearch::TooFar,
                JsonToken::More => return JsonSearch::More,
                JsonToken::End => return JsonSearch::Found(None),
            }
            wanted = false;
        }
    }

    /// Reads the current string as HTML with a base.
    fn html(&mut self, base: Option<&[u8]>, offset: u64, events: &mut Events) {
        if self.text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        enter(None, RuleFamily::Markup, None, events);
        if let Some(base) = base.filter(|base| !base.is_empty()) {
            let base = events.store(base);
            events.push(Event::Base(base, offset));
        }
        events.push(Event::Settled);
        let mut name = Vec::new();
        self.path.pointer(false, &mut name);
        self.nested.begin(Member {
            name: String::from_utf8_lossy(&name).into_owned(),
            media_type: "text/html".to_owned(),
            charset: b"utf-8".to_vec(),
            format: Format::HTML,
            diagnostic_offset: Some(offset),
            ..Member::default()
        });
        self.nested
            .scan_decoded(&self.text, &self.map, &mut self.scanners, events);
        events.push(Event::Leave);
    }
}

impl Scan for JsonScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.tokenizer = JsonTokenizer::new(sequence(self.strings));
        self.path = ValuePath::default();
        self.facts.clear();
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
            // Nothing in a document changes its base.
            events.push(Event::Settled);
            self.started = true;
            at = start;
        }
        loop {
            match self.tokenizer.next(window.bytes, &mut at, window.last) {
                JsonToken::Open(container) => self.path.open(container),
                JsonToken::Close => {
                    self.path.close();
                    let depth = self.path.depth();
                    self.facts.retain(|fact| fact.depth <= depth);
                }
                JsonToken::Name(range) => self.path.set_name(&window.bytes[range]),
                JsonToken::String(range) => {
                    let start = range.start - 1;
                    match self.strings {
                        JsonStrings::All(_) => self.any_string(range, &window, events),
                        JsonStrings::Table(rows) => {
                            let held = self.known_string(rows, range, start, &window, events);
                            if held.is_err() {
                                self.tokenizer.unread_string();
                                at = start;
                                break;
                            }
                        }
                    }
                    self.path.end_value();
                }
                JsonToken::Other => self.path.end_value(),
                JsonToken::Fault(fault, index) => {
                    let (slot, code) = match fault {
                        JsonFault::NotWellFormed => (0, &diagnostic::JSON_NOT_WELL_FORMED),
                        JsonFault::TooLong => (1, &diagnostic::JSON_TOO_LONG),
                        JsonFault::TooDeep => (2, &diagnostic::JSON_TOO_DEEP),
                    };
                    self.fault(slot, code, window.offset_at(index), events);
                }
                JsonToken::More | JsonToken::End => break,
            }
            events.forget_stored();
        }
        events.forget_stored();
        at
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

/// Returns whether a string is wholly an absolute URI: a known scheme with what it needs behind its colon,
/// or any scheme with an authority.
fn is_absolute(text: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', text) else {
        return false;
    };
    let (scheme, rest) = (&text[..colon], &text[colon + 1..]);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    let is_outside = |byte: &u8| *byte <= b' ' || *byte == 0x7F || b"<>\"".contains(byte);
    if !is_scheme || text.iter().any(is_outside) {
        return false;
    }
    let authority = rest.strip_prefix(b"//");
    let has_host =
        authority.is_some_and(|authority| !matches!(authority.first(), None | Some(b'/')));
    match TextScheme::named(scheme).map(|scheme| scheme.form) {
        Some(SchemeForm::Special) => has_host,
        Some(SchemeForm::Slashes) => authority.is_some_and(|rest| !rest.is_empty()),
        Some(SchemeForm::NoSlash(shape)) => has_host || shape(rest),
        None => scheme.len() > 1 && has_host,
    }
}
