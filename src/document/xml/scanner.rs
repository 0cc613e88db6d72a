//! The scanner: from one token to the next, with the elements, namespaces and bases that are in force.

use super::attributes::AttributeReader;
use super::contents::ContentsReader;
use super::doctype::{Declaration, read_doctype};
use super::elements::{ElementKind, OpenElements, XmlContents};
use super::report::{read_templates, report, trimmed};
use super::tag::{XmlTag, read_attributes, read_end_tag, read_start_tag};
use super::text::{Entities, LONGEST_ENTITY, Piece, XmlValues, report_fault};
use super::tokens::{end_of, first_of, starts_name};
use super::vocabulary::{self, Namespace, ValueKind};
use crate::bytes::seek::is_space;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::document::diagnostic;
use crate::document::events::{
    Event, Events, FoundRemark, NameRange, RemarkKind, RuleFamily, Span, TextRange,
};
use crate::document::html::xml::{MarkupContents, MarkupReporter};
use crate::document::nested::enter;
use crate::document::remark::{RemarkCheck, check_remark};
use crate::document::source_text::SourceText;
use crate::document::{FormatOptions, Scan, ScanStart};

/// Longer tags and texts of elements are left out, and diagnosed.
pub(super) const LONGEST: usize = 4 << 20;
/// `xml:base` that nests deeper does not count.
const MOST_BASES: usize = 64;

/// The scanner for XML.
pub(super) struct XmlScanner {
    options: FormatOptions,
    markup: MarkupReporter,
    reader: ContentsReader,
    values: XmlValues,
    tag: Option<Box<XmlTag>>,
    elements: OpenElements,
    bases: usize,
    family: RuleFamily,
    contents: XmlContents,
    captured: Option<MarkupContents>,
    /// The marker behind which reading goes on.
    skips_to: Option<&'static [u8]>,
    /// Whether a DOCTYPE was read, or given up.
    has_doctype: bool,
    started: bool,
}

/// The index up to which a token was read.
type Step = Result<usize, Stop>;

/// The reason why a token was not read.
enum Stop {
    /// It was given up; reading goes on at an index.
    GivenUp(usize),
    /// More bytes decide.
    Wait,
}

impl XmlScanner {
    pub(super) fn new(options: &FormatOptions) -> Self {
        XmlScanner {
            options: options.clone(),
            markup: MarkupReporter::new(options),
            reader: ContentsReader::new(options),
            values: XmlValues::default(),
            tag: None,
            elements: OpenElements::default(),
            bases: 0,
            family: RuleFamily::Plain,
            contents: XmlContents::Ignored,
            captured: None,
            skips_to: None,
            has_doctype: false,
            started: false,
        }
    }

    /// Makes a scanner for XML in a package.
    #[cfg(feature = "audit")]
    pub(super) fn of_part(options: &FormatOptions) -> Self {
        let mut scanner = XmlScanner::new(options);
        scanner.elements.never_guesses = true;
        scanner
    }

    fn not_well_formed(at: u64, events: &mut Events) {
        events.push(Event::Diagnostic(&diagnostic::XML_NOT_WELL_FORMED, at));
    }

    /// Reads the token at `at`.
    fn step(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        if let Some(marker) = self.skips_to {
            return match end_of(bytes, at, marker) {
                Some(end) => {
                    self.skips_to = None;
                    Ok(end)
                }
                None if window.last => {
                    Self::not_well_formed(window.offset_at(bytes.len()), events);
                    Ok(bytes.len())
                }
                // The marker may begin in the last bytes.
                None => match (bytes.len() + 1).saturating_sub(marker.len()) {
                    end if end > at => Ok(end),
                    _ => Err(Stop::Wait),
                },
            };
        }
        if self.contents != XmlContents::Ignored {
            return self.read_contents(window, at, events);
        }
        if bytes[at] != b'<' {
            return self.skip_text(window, at, events);
        }
        let starts = |at: usize| bytes.get(at).is_some_and(|&byte| starts_name(byte));
        match bytes.get(at + 1) {
            Some(b'/') if starts(at + 2) => self.end_tag(window, at, events),
            _ if starts(at + 1) => self.start_tag(window, at, events),
            _ => self.markup(window, at, events),
        }
    }

    /// Passes over text that is not read, but for the entities in it.
    fn skip_text(&mut self, window: &Window<'_>, start: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let mut at = first_of(*b"<&", bytes, start);
        while bytes.get(at) == Some(&b'&') {
            let rest = &bytes[at..];
            // A reference may go on behind the window.
            if !window.last
                && rest.len() < LONGEST_ENTITY + 2
                && memchr::memchr(b';', rest).is_none()
            {
                break;
            }
            let offset = window.offset_at(at);
            if let (_, Some(fault)) = self.values.entities.admit(rest, offset) {
                report_fault(fault, offset, events);
            }
            at = first_of(*b"<&", bytes, at + 1);
        }
        if at > start { Ok(at) } else { Err(Stop::Wait) }
    }

    /// Reads the markup at `at`, a `<` that begins no tag.
    fn markup(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let rest = &window.bytes[at..];
        let is_cut =
            |start: &[u8]| !window.last && rest.len() < start.len() && start.starts_with(rest);
        if is_cut(b"<![CDATA[") || is_cut(b"<!--") || is_cut(b"</a") {
            return Err(Stop::Wait);
        }
        match rest {
            [b'<', b'!', b'-', b'-', ..] => self.comment(window, at, events),
            _ if rest.starts_with(b"<![CDATA[") => {
                self.skips_to = Some(b"]]>");
                Ok(at + 9)
            }
            // Only the first DOCTYPE is read: each may reach to the end of the document.
            [b'<', b'!', ..] if !self.has_doctype => {
                let step = self.doctype(window, at, events);
                self.has_doctype = !matches!(step, Err(Stop::Wait));
                step
            }
            [b'<', b'?', ..] => self.instruction(window, at, events),
            _ => {
                Self::not_well_formed(window.offset_at(at), events);
                self.contents = self.elements.between();
                Ok(at + 1)
            }
        }
    }

    /// Returns the end of a token; gives it up where the document cuts it off, or if it is too long.
    #[inline(always)]
    fn bounded(
        &mut self,
        end: Option<usize>,
        window: &Window<'_>,
        at: usize,
        events: &mut Events,
    ) -> Step {
        let length = end.unwrap_or(window.bytes.len()) - at;
        let offset = window.offset_at(at);
        match end {
            Some(end) if length <= LONGEST => return Ok(end),
            None if length <= LONGEST && !window.last => return Err(Stop::Wait),
            None if length <= LONGEST => Self::not_well_formed(offset, events),
            _ => {
                events.push(Event::Diagnostic(&diagnostic::XML_TOO_LONG, offset));
                self.skips_to = Some(b">");
            }
        }
        // What is left may hold tags all the same.
        Err(Stop::GivenUp(at + 1))
    }

    fn comment(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let start = at + 4;
        self.contents = self.elements.between();
        // What the comment says counts before where it ends.
        match end_of(bytes, start, b"-->") {
            Some(end) => {
                let contents = start..end - 3;
                if check_remark(&bytes[contents.clone()], true) == RemarkCheck::Yes {
                    events.push(Event::Remark(FoundRemark {
                        kind: RemarkKind::Ignore,
                        text: TextRange::window(contents),
                        span: Span {
                            start: window.offset_at(at),
                            end: window.offset_at(end),
                        },
                        position: None,
                    }));
                }
            }
            None if !window.last && check_remark(&bytes[start..], false) == RemarkCheck::Cut => {
                return Err(Stop::Wait);
            }
            None => {}
        }
        self.skips_to = Some(b"-->");
        Ok(start)
    }

    fn doctype(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let mut found = Vec::new();
        let end = read_doctype(bytes, at, |declaration| found.push(declaration));
        let end = self.bounded(end, window, at, events)?;
        if self.elements.has_root() || !bytes[at..].starts_with(b"<!DOCTYPE") {
            Self::not_well_formed(window.offset_at(at), events);
        }
        for declaration in found {
            match declaration {
                Declaration::Entity(name, literal) => self.values.entities.declare(name, literal),
                Declaration::Open => self.values.entities.is_open = true,
                Declaration::System {
                    keyword,
                    identifier,
                } if self.options.html.extended => {
                    let names = [NameRange::Known(keyword), NameRange::Known("system")];
                    let text = SourceText::window(bytes, window.offset);
                    report(text, identifier, names, events);
                }
                Declaration::System { .. } => {}
            }
        }
        Ok(end)
    }

    /// Reads a processing instruction: `xml-stylesheet` before the root (Associating Style Sheets
    /// with XML documents, section 3).
    fn instruction(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        const TARGET: &[u8] = b"<?xml-stylesheet";
        let data = at + TARGET.len();
        self.contents = self.elements.between();
        let is_sheet = !self.elements.has_root()
            && match bytes[at..].get(..TARGET.len()) {
                Some(target) => target == TARGET,
                None => !window.last && TARGET.starts_with(&bytes[at..]),
            }
            && bytes.get(data).is_none_or(|&byte| is_space(byte));
        // Others are passed over, whatever their length.
        let end = match is_sheet {
            true => end_of(bytes, at + 2, b"?>"),
            false => None,
        };
        if !is_sheet || window.last && end.is_none() {
            self.skips_to = Some(b"?>");
            return Ok(at + 2);
        }
        let end = self.bounded(end, window, at, events)?;
        let mut tag = XmlTag::default();
        read_attributes(&bytes[..end], data, &mut tag);
        if let Some(href) = tag.attribute(bytes, b"href") {
            let names = [NameRange::Known("xml-stylesheet"), NameRange::Known("href")];
            let text = self.values.value(window, href).source();
            report(text, 0..text.bytes.len(), names, events);
            self.values.report_faults(events);
        }
        Ok(end)
    }

    /// Reads the start tag at `at`.
    fn start_tag(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let mut tag = self.tag.take().unwrap_or_default();
        let end = read_start_tag(window.bytes, at, &mut tag);
        let end = self.bounded(end, window, at, events);
        if let Ok(end) = end {
            step(end - at);
            self.open(window, &tag, events);
        }
        self.tag = Some(tag);
        end
    }

    /// Reports what a start tag holds, and opens its element.
    fn open(&mut self, window: &Window<'_>, tag: &XmlTag, events: &mut Events) {
        let offset = window.offset_at(tag.name.start - 1);
        if tag.is_broken {
            Self::not_well_formed(offset, events);
        }
        let is_root = !self.elements.has_root();
        let outer = self.elements.bindings();
        if tag.has_prefix && !self.elements.is_full() {
            self.bind_prefixes(window, tag, events);
        }
        let kind = self.elements.kind(window.bytes, tag);
        let is_browsed = is_root && kind.markup.is_some();
        if is_browsed {
            self.family = RuleFamily::Markup;
        }
        let has_scope =
            (tag.has_prefix || is_browsed) && self.enter(window, tag, &kind, is_browsed, events);
        let mut attributes = AttributeReader {
            options: &self.options,
            elements: &self.elements,
            values: &mut self.values,
            window,
            tag,
        };
        let mut contents = XmlContents::Ignored;
        let first = events.list.len();
        if let Some(markup) = kind.markup {
            self.captured = attributes.read_markup(markup, &mut self.markup, events);
            if self.captured.is_some() {
                contents = XmlContents::Markup;
            }
        } else {
            for attribute in &tag.attributes {
                attributes.read_attribute(attribute, &kind, events);
            }
            match vocabulary::text_row(kind.rows, self.options.html.extended) {
                Some((_, ValueKind::FieldMark)) => self.reader.field.mark(events),
                Some((element, value)) => contents = attributes.row_contents(element, value),
                None if kind.is_guessed => contents = XmlContents::Guessed,
                None => {}
            }
        }
        if kind.namespace != Namespace::Xsl && self.elements.has_stylesheet() {
            read_templates(first, window, events);
        }
        events.forget_stored();
        if tag.is_empty {
            self.elements.unbind(outer);
            if has_scope {
                self.bases -= 1;
                events.push(Event::Leave);
            }
            self.contents = self.elements.between();
            return;
        }
        self.contents = contents;
        let was_shallow = self.elements.is_shallow();
        let is_open = self.elements.push(&kind, outer, has_scope);
        if is_open && kind.is_entry {
            self.reader.entries.push();
        }
        if !is_open && was_shallow {
            events.push(Event::Diagnostic(&diagnostic::XML_DEPTH_LIMIT, offset));
        }
    }

    /// Binds the prefixes that a tag declares.
    fn bind_prefixes(&mut self, window: &Window<'_>, tag: &XmlTag, events: &mut Events) {
        for attribute in tag.attributes.iter().filter(|given| given.has_prefix) {
            let name = &window.bytes[attribute.name.clone()];
            let prefix = match name {
                b"xmlns" => b"",
                _ => match name.strip_prefix(b"xmlns:") {
                    Some(prefix) => prefix,
                    None => continue,
                },
            };
            // Drawing programs declare entities for the names of namespaces.
            let name = &self.values.value(window, attribute).bytes;
            let namespace = vocabulary::namespace(&name[trimmed(name, 0..name.len())]);
            self.elements.bind(prefix, namespace);
            self.values.report_faults(events);
        }
    }

    /// Enters the element as a document of its own, if it has a base or is the root of one that
    /// browsers show; returns whether it does.
    fn enter(
        &mut self,
        window: &Window<'_>,
        tag: &XmlTag,
        kind: &ElementKind,
        is_browsed: bool,
        events: &mut Events,
    ) -> bool {
        // The base of the element itself is that of its xml:base (XML Base, section 4).
        let counts = !self.markup.has_base() && !self.elements.is_full();
        let base = tag.attribute(window.bytes, b"xml:base");
        let mut base = base.filter(|_| counts);
        if base.is_some() && self.bases >= MOST_BASES {
            let offset = window.offset_at(tag.name.start - 1);
            events.push(Event::Diagnostic(&diagnostic::XML_DEPTH_LIMIT, offset));
            base = None;
        }
        if !is_browsed && base.is_none() {
            return false;
        }
        enter(None, self.family, None, events);
        self.bases += 1;
        if let Some(base) = base {
            let text = self.values.value(window, base);
            let range = trimmed(&text.bytes, 0..text.bytes.len());
            let at = text.map.start(range.start as u64);
            let base = events.store(&text.bytes[range]);
            events.push(Event::Base(base, at));
            self.values.report_faults(events);
        }
        // A base element may follow.
        if !(is_browsed && kind.namespace == Namespace::Xhtml) {
            events.push(Event::Settled);
        }
        true
    }

    /// Reads the end tag at `at`.
    fn end_tag(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let tag = read_end_tag(window.bytes, at);
        let end = tag.as_ref().map(|tag| tag.end);
        let end = self.bounded(end, window, at, events)?;
        let Some(tag) = tag else {
            return Ok(end);
        };
        if !self.elements.pop_counted() {
            let count = self.elements.closed_by(tag.hash);
            if count != Some(1) || tag.is_broken {
                Self::not_well_formed(window.offset_at(at), events);
            }
            for _ in 0..count.unwrap_or(0) {
                self.close(events);
            }
        }
        self.contents = self.elements.between();
        Ok(end)
    }

    /// Closes the innermost element.
    #[inline]
    fn close(&mut self, events: &mut Events) {
        let Some(open) = self.elements.pop() else {
            return;
        };
        if open.is_entry {
            self.reader.entries.pop();
        }
        if open.has_scope {
            self.bases -= 1;
            events.push(Event::Leave);
        }
    }

    /// Reads text up to the next tag, all of which must be in the window.
    fn read_contents(&mut self, window: &Window<'_>, start: usize, events: &mut Events) -> Step {
        // What is read of the entities again counts once.
        let mark = self.values.entities.mark();
        self.values.text.begin(window.offset_at(start));
        let end = self.append_contents(window, start);
        if end.unwrap_or(window.bytes.len()) - start > LONGEST {
            self.values.entities.rollback(mark);
            self.contents = XmlContents::Ignored;
            let offset = window.offset_at(start);
            events.push(Event::Diagnostic(&diagnostic::XML_TOO_LONG, offset));
            return Ok(start);
        }
        let XmlValues { text, entities } = &mut self.values;
        let entries = &mut self.reader.entries;
        let end = end.filter(|&end| {
            !entries.needs_link(self.contents, &text.bytes)
                || entries.find_link(window, start..end, LONGEST, entities)
        });
        let Some(end) = end else {
            entities.rollback(mark);
            return Err(Stop::Wait);
        };
        self.values.report_faults(events);
        let text = &self.values.text;
        match (
            std::mem::replace(&mut self.contents, XmlContents::Ignored),
            self.captured.take(),
        ) {
            (XmlContents::Markup, Some(captured)) => {
                (self.markup).contents(&captured, &text.bytes, &text.map, events);
            }
            (contents, _) => self.reader.report(contents, text, events),
        }
        events.forget_stored();
        Ok(end)
    }

    /// Decodes text up to the next tag, without the comments and instructions in it; returns its end, `None`
    /// if more bytes decide.
    fn append_contents(&mut self, window: &Window<'_>, start: usize) -> Option<usize> {
        let bytes = window.bytes;
        let mut at = start;
        loop {
            let length = memchr::memchr(b'<', &bytes[at..]);
            if length.is_none() && !window.last {
                return None;
            }
            let markup = length.map_or(bytes.len(), |length| at + length);
            self.values.append(window, at..markup, Piece::Data);
            let rest = &bytes[markup..];
            let (skip, marker): (usize, &[u8]) = match rest {
                // A URI ends there, and the comment may be a remark.
                [b'<', b'!', b'-', b'-', ..] | [b'<', b'?', ..]
                    if self.contents == XmlContents::Guessed =>
                {
                    return Some(markup);
                }
                [b'<', b'!', b'-', b'-', ..] => (4, b"-->"),
                [b'<', b'?', ..] => (2, b"?>"),
                _ if rest.starts_with(b"<![CDATA[") => (9, b"]]>"),
                [b'<', next, ..] if *next == b'/' || starts_name(*next) => return Some(markup),
                _ if rest.len() < 9 && !window.last => return None,
                _ => return Some(markup),
            };
            let Some(end) = end_of(bytes, markup + skip, marker) else {
                return window.last.then_some(markup);
            };
            if skip == 9 {
                self.values
                    .append(window, markup + skip..end - 3, Piece::Cdata);
            }
            at = end;
        }
    }
}

impl Scan for XmlScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.markup.begin();
        self.reader.begin(start.positions);
        self.values.entities = Entities::default();
        self.elements.clear();
        self.bases = 0;
        self.family = RuleFamily::Plain;
        self.contents = XmlContents::Ignored;
        self.skips_to = None;
        self.has_doctype = false;
        self.started = false;
    }

    fn scan(&mut self, window: Window<'_>, events: &mut Events) -> usize {
        if !std::mem::replace(&mut self.started, true) {
            events.push(Event::Settled);
        }
        let mut at = window.start;
        while at < window.bytes.len() {
            match self.step(&window, at, events) {
                Ok(end) | Err(Stop::GivenUp(end)) => at = end,
                Err(Stop::Wait) => return at,
            }
        }
        if window.last {
            self.reader.field.end(events);
            // What is open at the end, or no root at all.
            if !self.elements.is_outside() || !self.elements.has_root() {
                Self::not_well_formed(window.offset_at(window.bytes.len()), events);
            }
            while !self.elements.is_outside() {
                self.close(events);
            }
        }
        events.forget_stored();
        at
    }
}
