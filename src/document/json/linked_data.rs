//! The scanner of JSON-LD 1.1 documents.
//!
//! A context may follow the values that it is about, so a document is held in one window, up to
//! `max_document` bytes, and its contexts are read first.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::literals::{JsonText, is_address, unescape, unescaped};
use super::path::{MAX_LEVELS, ValuePath};
use super::tokenizer::{JsonContainer, JsonToken, JsonTokenizer};
use crate::bytes::lines::BYTE_ORDER_MARK;
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::{BaseSelector, Event, Events, Quoting, RestartHints, WindowEvents};
use crate::document::flags::Flags;
use crate::document::{FormatOptions, Reread, Scan, ScanStart};
use crate::uri;

/// Maximum number of active contexts.
const CONTEXTS: usize = 64;
/// The approximate memory of the contexts of a document, and of a context without its terms, in bytes.
const CONTEXTS_MEMORY: usize = 16 << 20;
const CONTEXT: usize = 256;
/// The approximate memory of a term without its texts, in bytes.
const TERM: usize = 96;
/// Maximum length of a chain of prefixes.
const PREFIXES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkedRole {
    Nothing,
    Address,
    /// An identifier, or the value of a term whose values are identifiers.
    Identifier,
    /// The name of a context elsewhere.
    Context,
}

#[derive(Clone, Debug)]
enum LinkedBase {
    Document,
    /// The document's base, not the base that its first context names.
    Retrieval,
    Named(Vec<u8>),
    Nothing,
}

#[derive(Clone, Copy, Debug)]
struct LinkedLevel {
    is_context: bool,
    contexts: usize,
    outer: LinkedRole,
    role: LinkedRole,
}

#[derive(Default)]
pub(super) struct LinkedDataScanner {
    options: FormatOptions,
    start: ScanStart,
    is_running: bool,
    tokenizer: JsonTokenizer,
    path: ValuePath,
    levels: Vec<LinkedLevel>,
    /// The contexts of objects to come, by their offsets, the next one last.
    coming: Vec<(u64, LinkedContext)>,
    /// The contexts in force, the innermost last.
    contexts: Vec<(LinkedContext, LinkedBase)>,
    has_base: bool,
    text: Vec<u8>,
}

impl LinkedDataScanner {
    pub(super) fn new(options: &FormatOptions) -> Self {
        LinkedDataScanner {
            options: options.clone(),
            ..LinkedDataScanner::default()
        }
    }

    /// Reads the contexts in a window, and reports the base that the first of them names.
    fn read_contexts(&mut self, window: &Window<'_>, events: &mut Events) {
        let bytes = window.bytes;
        let mut tokenizer = JsonTokenizer::default();
        tokenizer.at = window.start;
        // The offset of each open container.
        let mut open: Vec<u64> = Vec::new();
        let mut left = CONTEXTS_MEMORY;
        loop {
            match tokenizer.next(window) {
                JsonToken::Open(_) => open.push(window.offset_at(tokenizer.at - 1)),
                JsonToken::Close => drop(open.pop()),
                JsonToken::Name(JsonText { range, .. })
                    if *unescaped(&bytes[range.clone()]) == *b"@context" =>
                {
                    let mut context = LinkedContext {
                        left: left.saturating_sub(CONTEXT),
                        ..LinkedContext::default()
                    };
                    let ends_object = context.read(&mut tokenizer, window);
                    if context.is_cut || left < CONTEXT {
                        self.limit(window.offset_at(range.start));
                    }
                    if let Some(object) = open.last().filter(|_| left >= CONTEXT) {
                        left = context.left;
                        self.coming.push((*object, context));
                    }
                    if ends_object {
                        open.pop();
                    }
                }
                JsonToken::More | JsonToken::End => break,
                _ => {}
            }
        }
        // An object may have its context after the contexts of objects in it.
        self.coming.sort_by_key(|(object, _)| *object);
        self.coming.reverse();
        let top = memchr::memchr2(b'{', b'[', &bytes[window.start..]);
        let top = top.map(|top| window.offset_at(window.start + top));
        if let Some((object, first)) = self.coming.last()
            && Some(*object) == top
            && let Some(Some(base)) = &first.base
        {
            let text = events.store(base);
            events.push(Event::Base(text, first.base_offset));
            self.has_base = true;
        }
    }

    fn limit(&mut self, offset: u64) {
        let code = &diagnostic::JSON_HELD_LIMIT;
        self.tokenizer.faults.add(code, offset);
    }

    fn open(&mut self, container: JsonContainer, window: &Window<'_>) {
        self.path.open(container);
        if self.path.depth() > MAX_LEVELS {
            return;
        }
        let around = self.levels.last();
        let role = around.map_or(LinkedRole::Nothing, |level| level.role);
        let is_object = container == JsonContainer::Object;
        let is_context = around.is_some_and(|level| level.is_context)
            || is_object && role == LinkedRole::Context;
        self.levels.push(LinkedLevel {
            is_context,
            contexts: self.contexts.len(),
            outer: role,
            role: if is_object { LinkedRole::Nothing } else { role },
        });
        let offset = window.offset_at(self.tokenizer.at - 1);
        while let Some((object, context)) = self.coming.pop_if(|(object, _)| *object <= offset) {
            if object == offset {
                self.add_context(context, offset);
            }
        }
    }

    /// Activates a context; `offset` is its object's.
    fn add_context(&mut self, context: LinkedContext, offset: u64) {
        let outer = self.contexts.last().map(|(_, base)| base);
        let base = match (&context.base, outer) {
            // It has been reported.
            (Some(Some(_)), None) if self.has_base => LinkedBase::Document,
            // A base is relative to the one around it.
            (Some(Some(own)), Some(LinkedBase::Named(outer))) => {
                let resolved = uri::resolve(outer, own, uri::Rules::CITATION);
                LinkedBase::Named(resolved.unwrap_or_else(|_| own.clone()))
            }
            (Some(Some(own)), _) => LinkedBase::Named(own.clone()),
            (Some(None), _) => LinkedBase::Nothing,
            (None, _) if context.is_reset => LinkedBase::Retrieval,
            (None, Some(outer)) => outer.clone(),
            (None, None) => LinkedBase::Document,
        };
        if self.contexts.len() < CONTEXTS {
            self.contexts.push((context, base));
        } else {
            self.limit(offset);
        }
    }

    fn close(&mut self) {
        let depth = self.path.depth();
        self.path.close();
        if depth <= MAX_LEVELS
            && let Some(level) = self.levels.pop()
        {
            self.contexts.truncate(level.contexts);
        }
    }

    /// Returns the term of a name in the contexts in force.
    fn term(&self, name: &[u8]) -> Option<&LinkedTerm> {
        for (context, _) in self.contexts.iter().rev() {
            let term = context.terms.get(name);
            if term.is_some() || context.is_reset {
                return term;
            }
        }
        None
    }

    /// Returns the innermost level, unless containers beyond it are open.
    fn level(&self) -> Option<&LinkedLevel> {
        let is_innermost = self.path.depth() <= MAX_LEVELS;
        self.levels.last().filter(|_| is_innermost)
    }

    fn set_name(&mut self, name: JsonText, bytes: &[u8]) {
        self.path.set_name(&name);
        let raw = &bytes[name.range];
        let Some(level) = self.level().copied() else {
            return;
        };
        let name = unescaped(raw);
        let term = (!level.is_context).then(|| self.term(&name)).flatten();
        let id = term.and_then(|term| term.id.as_deref());
        let keyword = match id {
            Some(id) if id.starts_with(b"@") => id,
            _ => &name,
        };
        let role = match keyword {
            b"@import" if level.is_context => LinkedRole::Context,
            _ if level.is_context => LinkedRole::Nothing,
            b"@context" => LinkedRole::Context,
            b"@id" if level.outer == LinkedRole::Address => LinkedRole::Address,
            b"@id" => LinkedRole::Identifier,
            b"@value" | b"@list" | b"@set" => level.outer,
            keyword if keyword.starts_with(b"@") => LinkedRole::Nothing,
            _ if is_address(&name) || id.is_some_and(is_address) => LinkedRole::Address,
            _ if term.is_some_and(|term| term.is_reference) => LinkedRole::Identifier,
            _ => LinkedRole::Nothing,
        };
        if let Some(level) = self.levels.last_mut() {
            level.role = role;
        }
    }

    /// Returns an identifier with its prefix replaced, if the prefix's value is no longer than a base
    /// may be: each identifier repeats it.
    fn expanded(&mut self, text: &[u8], at: u64) -> Option<Vec<u8>> {
        let (mut text, mut length) = (Cow::Borrowed(text), 0);
        for _ in 0..PREFIXES {
            let colon = memchr::memchr(b':', &text)?;
            let (prefix, rest) = (&text[..colon], &text[colon + 1..]);
            let term = self.term(prefix).filter(|_| !rest.starts_with(b"//"));
            match term.and_then(|term| term.id.as_deref()) {
                Some(id) if length + id.len() > self.options.longest_base => {
                    self.tokenizer.faults.add(&diagnostic::BASE_TOO_LONG, at);
                    break;
                }
                Some(id) => {
                    length += id.len();
                    text = [id, rest].concat().into();
                }
                None => break,
            }
        }
        match text {
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        }
    }

    fn string(&mut self, raw: Range<usize>, run: &mut WindowEvents) {
        let bytes = run.window.bytes;
        let role = self.level().map_or(LinkedRole::Nothing, |level| level.role);
        if role == LinkedRole::Nothing || raw.is_empty() {
            return;
        }
        let base = self.contexts.last().map(|(_, base)| base);
        // A document that names a base means its identifiers to be addresses.
        let has_base = match base {
            Some(LinkedBase::Document) => self.has_base,
            Some(LinkedBase::Named(_)) => true,
            _ => false,
        };
        if role == LinkedRole::Identifier && !self.options.html.extended && !has_base {
            return;
        }
        self.text.clear();
        unescape(&bytes[raw.clone()], &mut self.text, &mut ());
        if self.text.starts_with(b"_:") || self.text.starts_with(b"@") {
            return;
        }
        let mut is_expanded = false;
        if role == LinkedRole::Identifier {
            let text = std::mem::take(&mut self.text);
            let expanded = self.expanded(&text, run.window.offset_at(raw.start));
            is_expanded = expanded.is_some();
            self.tokenizer.faults.report(run.events);
            self.text = expanded.unwrap_or(text);
        }
        let text = Some(&self.text[..]).filter(|text| *text != &bytes[raw.clone()]);
        let mut found = self.path.reference(&raw, text, run);
        if is_expanded {
            found.quoting = Quoting::default();
        }
        let base = self.contexts.last().map(|(_, base)| base);
        match (role, base) {
            (LinkedRole::Context, _) => {
                found.flags |= Flags::CONTEXT;
                // A context elsewhere is relative to where the document is.
                found.base = BaseSelector::Fallback;
            }
            (_, None | Some(LinkedBase::Document)) => {}
            (_, Some(LinkedBase::Retrieval)) => found.base = BaseSelector::Fallback,
            (_, Some(LinkedBase::Named(base))) => {
                found.base = run.events.store_codebase(base, self.options.longest_base);
            }
            (_, Some(LinkedBase::Nothing)) => found.base = BaseSelector::Nothing,
        }
        run.events.push(Event::Reference(found));
    }

    /// Begins to read if the held part of the document is in view; else returns the consumed bytes.
    fn begin_reading(&mut self, window: &Window<'_>, events: &mut Events) -> Option<usize> {
        let can_restart = self.start.reread == Reread::Possible && !self.start.restart.exact;
        if !window.last && can_restart {
            // The next window holds the whole document, up to the limit.
            events.push(Event::Restart(RestartHints {
                exact: true,
                ..RestartHints::default()
            }));
            return Some(window.bytes.len());
        }
        let is_long = window.bytes.len() as u64 > self.options.html.max_document;
        if !window.last && self.start.restart.exact && !is_long {
            return Some(window.start);
        }
        self.read_contexts(window, events);
        if !window.last {
            self.limit(window.offset_at(window.bytes.len()));
        }
        self.tokenizer.faults.report(events);
        events.push(Event::Settled);
        self.is_running = true;
        None
    }
}

impl Scan for LinkedDataScanner {
    fn begin(&mut self, start: &ScanStart) {
        *self = LinkedDataScanner::new(&self.options);
        self.start = *start;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        if !self.is_running
            && let Some(consumed) = self.begin_reading(&window, events)
        {
            return consumed;
        }
        self.tokenizer.at = window.start;
        if window.offset + window.start as u64 == 0 && window.bytes.starts_with(BYTE_ORDER_MARK) {
            self.tokenizer.at = BYTE_ORDER_MARK.len();
        }
        loop {
            let token = self.tokenizer.next(&window);
            match token {
                JsonToken::Open(container) => self.open(container, &window),
                JsonToken::Close => self.close(),
                JsonToken::Name(name) => self.set_name(name, window.bytes),
                JsonToken::String(JsonText { range, .. }) => {
                    self.tokenizer.faults.report(events);
                    self.string(range, &mut WindowEvents { window, events });
                    self.path.end_values(1);
                }
                JsonToken::Other(count) => self.path.end_values(count),
                JsonToken::Comment(_) => {}
                JsonToken::More | JsonToken::End => break,
            }
            events.forget_stored();
        }
        self.tokenizer.faults.report(events);
        self.path.end_window(window.bytes);
        self.tokenizer.at
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct LinkedTerm {
    /// The IRI or the keyword, as written.
    id: Option<Vec<u8>>,
    /// Whether its values are references (`"@type": "@id"`).
    is_reference: bool,
}

/// A context in a document (JSON-LD 1.1, section 9.15); contexts that it names are not loaded.
#[derive(Debug, Default)]
struct LinkedContext {
    /// Whether the contexts around it are ignored.
    is_reset: bool,
    /// Its base, if it names one or, with `null`, none.
    base: Option<Option<Vec<u8>>>,
    base_offset: u64,
    terms: HashMap<Vec<u8>, LinkedTerm>,
    /// The memory that it may still take, in bytes.
    left: usize,
    is_cut: bool,
}

impl LinkedContext {
    /// Reads a context, the next value; returns whether the object that holds it ended before.
    fn read(&mut self, tokenizer: &mut JsonTokenizer, window: &Window<'_>) -> bool {
        let mut arrays = 0_usize;
        loop {
            match tokenizer.next(window) {
                JsonToken::Open(JsonContainer::Array) => {
                    arrays += 1;
                    continue;
                }
                JsonToken::Open(JsonContainer::Object) => self.read_definitions(tokenizer, window),
                JsonToken::Close if arrays == 0 => return true,
                JsonToken::Close => arrays -= 1,
                // The name of a context elsewhere.
                JsonToken::String(_) => {}
                JsonToken::Other(_) => {
                    *self = LinkedContext {
                        is_reset: true,
                        left: self.left,
                        is_cut: self.is_cut,
                        ..LinkedContext::default()
                    };
                }
                JsonToken::Name(_) | JsonToken::Comment(_) => continue,
                JsonToken::More | JsonToken::End => return false,
            }
            if arrays == 0 {
                return false;
            }
        }
    }

    fn read_definitions(&mut self, tokenizer: &mut JsonTokenizer, window: &Window<'_>) {
        let text = |range| unescaped(&window.bytes[range]).into_owned();
        // The names of the members that are open: a term, and a member of its definition.
        let (mut term, mut inner) = (Vec::new(), Vec::new());
        let mut depth = 0_usize;
        loop {
            match (tokenizer.next(window), depth) {
                (JsonToken::Open(_), _) => {
                    if depth == 0 {
                        self.define(&term, LinkedTerm::default());
                    }
                    depth += 1;
                }
                (JsonToken::Close, 0) | (JsonToken::More | JsonToken::End, _) => return,
                (JsonToken::Close, _) => depth -= 1,
                (JsonToken::Name(name), 0) => term = text(name.range),
                (JsonToken::Name(name), 1) => inner = text(name.range),
                (JsonToken::String(JsonText { range, .. }), 0) if term == b"@base" => {
                    self.base_offset = window.offset_at(range.start);
                    if self.affords(range.len()) {
                        self.base = Some(Some(text(range)));
                    }
                }
                (JsonToken::Other(_), 0) if term == b"@base" => self.base = Some(None),
                (JsonToken::String(id), 0) => {
                    let id = Some(text(id.range));
                    let is_reference = false;
                    self.define(&term, LinkedTerm { id, is_reference });
                }
                (JsonToken::Other(_), 0) => self.define(&term, LinkedTerm::default()),
                (JsonToken::String(JsonText { range, .. }), 1) => {
                    if self.affords(range.len())
                        && let Some(term) = self.terms.get_mut(&term)
                    {
                        match inner.as_slice() {
                            b"@id" => term.id = Some(text(range)),
                            b"@type" => term.is_reference = text(range) == b"@id",
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn affords(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.is_cut |= left.is_none();
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    fn define(&mut self, name: &[u8], term: LinkedTerm) {
        let length = name.len() + term.id.as_ref().map_or(0, Vec::len);
        if !name.starts_with(b"@") && self.affords(TERM + length) {
            self.terms.insert(name.to_vec(), term);
        }
    }
}
