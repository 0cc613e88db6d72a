//! The scanner: from one token to the next, with the elements, namespaces and bases that are in force.

use std::ops::Range;

use super::attributes::AttributeReader;
use super::contents::ContentsReader;
use super::doctype::{Declaration, read_doctype};
use super::elements::{Bindings, ElementKind, OpenElements, XmlContents};
use super::names::{KnownAttributes, starts_name};
use super::report::{XmlReference, report, report_fault, trimmed};
use super::tag::{XmlTag, read_attributes, read_common_tag, read_end_tag, read_start_tag};
use super::text::{Entities, LONGEST_ENTITY, Piece, XmlSource};
use super::tokens::{SKIPPED_END, TEXT_END, TokenEnd, end_of, first_of};
use super::values::XmlValues;
use super::vocabulary::{self, Namespace, ValueKind};
use crate::bytes::seek::is_space;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::decode::RecordOffsets;
use crate::document::diagnostic;
use crate::document::events::{
    Event, Events, FoundRemark, NameRange, RemarkKind, RuleFamily, Span, TextRange,
};
use crate::document::html::xml::{MarkupContents, MarkupReporter};
use crate::document::nested::enter;
use crate::document::remark::{RemarkCheck, check_remark};
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
    tag: XmlTag,
    names: KnownAttributes,
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

/// The consumed part of a window.
enum Step {
    /// Up to an index.
    To(usize),
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
            tag: XmlTag::default(),
            names: KnownAttributes::new(options),
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

    fn extended(&self) -> bool {
        self.options.html.extended
    }

    fn not_well_formed(at: u64, events: &mut Events) {
        events.push(Event::Diagnostic(&diagnostic::XML_NOT_WELL_FORMED, at));
    }

    /// Reads from `at` on, outside tags and between them.
    fn step(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        if let Some(marker) = self.skips_to {
            return match end_of(bytes, at, marker) {
                TokenEnd::At(end) => {
                    self.skips_to = None;
                    Step::To(end)
                }
                TokenEnd::Cut if window.last => {
                    Self::not_well_formed(window.offset_at(bytes.len()), events);
                    Step::To(bytes.len())
                }
                // The marker may begin in the last bytes.
                TokenEnd::Cut => match (bytes.len() + 1).saturating_sub(marker.len()) {
                    end if end > at => Step::To(end),
                    _ => Step::Wait,
                },
            };
        }
        if self.contents != XmlContents::Ignored {
            return self.read_contents(window, at, events);
        }
        if bytes[at] == b'<' {
            return self.tags(window, at, events);
        }
        self.skip_text(window, at, events)
    }

    /// Passes over text that is not read, but for the faults in it.
    #[inline]
    fn skip_text(&mut self, window: &Window<'_>, start: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let mut at = start;
        loop {
            at = first_of(SKIPPED_END, bytes, at);
            match bytes.get(at) {
                Some(b'&') => {
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
                }
                _ => break,
            }
            at += 1;
        }
        match at > start {
            true => Step::To(at),
            false => Step::Wait,
        }
    }

    /// Reads the markup at `at`, a `<` that begins no start tag.
    fn markup(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let rest = &bytes[at..];
        match rest {
            [b'<', b'/', next, ..] if starts_name(*next) => {
                if let Some(end) = self.elements.closing(bytes, at) {
                    self.close(events);
                    self.contents = self.elements.between();
                    return Step::To(end);
                }
                let tag = read_end_tag(bytes, at);
                let end = tag.as_ref().map(|tag| tag.end);
                return match self.bounded(end, window, at, events) {
                    Ok(end) => {
                        let tag = tag.unwrap_or_default();
                        let offset = window.offset_at(at);
                        self.end_tag(&bytes[tag.name], tag.is_broken, offset, events);
                        Step::To(end)
                    }
                    Err(step) => step,
                };
            }
            _ => {}
        }
        let is_cut =
            |start: &[u8]| !window.last && rest.len() < start.len() && start.starts_with(rest);
        if is_cut(b"<![CDATA[") || is_cut(b"<!--") || is_cut(b"</a") {
            return Step::Wait;
        }
        match rest {
            [b'<', b'!', b'-', b'-', ..] => self.comment(window, at, events),
            _ if rest.starts_with(b"<![CDATA[") => {
                self.skips_to = Some(b"]]>");
                Step::To(at + 9)
            }
            // Only the first DOCTYPE is read: each may reach to the end of the document.
            [b'<', b'!', ..] if !self.has_doctype => {
                let step = self.doctype(window, at, events);
                self.has_doctype = matches!(step, Step::To(_));
                step
            }
            [b'<', b'?', ..] => self.instruction(window, at, events),
            _ => {
                Self::not_well_formed(window.offset_at(at), events);
                self.contents = self.elements.between();
                Step::To(at + 1)
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
    ) -> Result<usize, Step> {
        match end {
            Some(end) if end - at <= LONGEST => Ok(end),
            _ => self.give_up(end, window, at, events),
        }
    }

    #[cold]
    fn give_up(
        &mut self,
        end: Option<usize>,
        window: &Window<'_>,
        at: usize,
        events: &mut Events,
    ) -> Result<usize, Step> {
        let length = end.unwrap_or(window.bytes.len()) - at;
        let offset = window.offset_at(at);
        match end {
            None if length <= LONGEST && !window.last => return Err(Step::Wait),
            None if length <= LONGEST => Self::not_well_formed(offset, events),
            _ => {
                events.push(Event::Diagnostic(&diagnostic::XML_TOO_LONG, offset));
                self.skips_to = Some(b">");
            }
        }
        // What is left may hold tags all the same.
        Err(Step::To(at + 1))
    }

    fn comment(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let start = at + 4;
        self.contents = self.elements.between();
        // What the comment says counts before where it ends.
        match end_of(bytes, start, b"-->") {
            TokenEnd::At(end) => {
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
            TokenEnd::Cut
                if !window.last && check_remark(&bytes[start..], false) == RemarkCheck::Cut =>
            {
                return Step::Wait;
            }
            TokenEnd::Cut => {}
        }
        self.skips_to = Some(b"-->");
        Step::To(start)
    }

    fn doctype(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let mut found = Vec::new();
        let end = read_doctype(bytes, at, |declaration| found.push(declaration));
        let end = match self.bounded(end.index(), window, at, events) {
            Ok(end) => end,
            Err(step) => return step,
        };
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
                } if self.extended() => {
                    let names = [NameRange::Known(keyword), NameRange::Known("system")];
                    let source = XmlSource::Window(bytes, window.offset);
                    report(&source, identifier, XmlReference::attribute(names), events);
                }
                Declaration::System { .. } => {}
            }
        }
        Step::To(end)
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
            true => end_of(bytes, at + 2, b"?>").index(),
            false => None,
        };
        if !is_sheet || window.last && end.is_none() {
            self.skips_to = Some(b"?>");
            return Step::To(at + 2);
        }
        let end = match self.bounded(end, window, at, events) {
            Ok(end) => end,
            Err(step) => return step,
        };
        {
            let mut tag = std::mem::take(&mut self.tag);
            read_attributes(&bytes[..end], data, &self.names, &mut tag);
            let mut attributes = tag.attributes.iter();
            if let Some(href) = attributes.find(|given| bytes[given.name.clone()] == *b"href") {
                let names = [NameRange::Known("xml-stylesheet"), NameRange::Known("href")];
                let (source, range) = self.values.value(window, href);
                report(&source, range, XmlReference::attribute(names), events);
                self.values.report_faults(events);
            }
            self.tag = tag;
        }
        Step::To(end)
    }

    /// Reads tags from `at` on, a `<`, and the text between them that is not read: as long as the tags ask
    /// for no more than to be opened and closed, which is most of a document.
    fn tags(&mut self, window: &Window<'_>, start: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let mut at = start;
        loop {
            let contents = match bytes.get(at + 1) {
                Some(b'/') => match self.elements.close_simple(bytes, at) {
                    Some(end) => {
                        at = end;
                        self.elements.between()
                    }
                    None => break,
                },
                Some(&next) if starts_name(next) => {
                    let (name_end, slot) = self.elements.name_end(bytes, at + 1);
                    let end = match bytes.get(name_end) {
                        Some(b'>') => {
                            self.tag.begin();
                            Some(name_end + 1)
                        }
                        _ => {
                            let all = self.elements.may_guess();
                            read_common_tag(bytes, name_end, &mut self.names, all, &mut self.tag)
                        }
                    };
                    let simple = match (end, slot) {
                        (Some(end), Some(slot))
                            if self.tag.attributes.is_empty() && end - at <= LONGEST =>
                        {
                            let contents = self.elements.simple(slot, self.tag.is_empty);
                            contents.map(|contents| (end, contents))
                        }
                        _ => None,
                    };
                    match simple {
                        Some((end, contents)) => {
                            at = end;
                            contents
                        }
                        None => match self.start_tag(window, at..name_end, end, events) {
                            Step::Wait if at > start => return Step::To(at),
                            step => return step,
                        },
                    }
                }
                _ => break,
            };
            step(at - start);
            if contents != XmlContents::Ignored || self.elements.is_outside() {
                self.contents = contents;
                return Step::To(at);
            }
            at = first_of(SKIPPED_END, bytes, at);
            if bytes.get(at) != Some(&b'<') {
                return Step::To(at);
            }
        }
        match at > start {
            true => Step::To(at),
            false => self.markup(window, at, events),
        }
    }

    /// Reads a start tag, the name of which is given with its `<`, and the end if it is a common one.
    #[inline(never)]
    fn start_tag(
        &mut self,
        window: &Window<'_>,
        name: Range<usize>,
        end: Option<usize>,
        events: &mut Events,
    ) -> Step {
        let (bytes, at) = (window.bytes, name.start);
        let mut tag = std::mem::take(&mut self.tag);
        tag.name = at + 1..name.end;
        let end = end.or_else(|| read_start_tag(bytes, at, &self.names, &mut tag).index());
        let step = match self.bounded(end, window, at, events) {
            Ok(end) => {
                step(end - at);
                self.read_tag(window, at, &tag, events);
                Step::To(end)
            }
            Err(step) => step,
        };
        self.tag = tag;
        step
    }

    fn read_tag(&mut self, window: &Window<'_>, at: usize, tag: &XmlTag, events: &mut Events) {
        let bytes = window.bytes;
        let offset = window.offset_at(at);
        if tag.is_broken {
            Self::not_well_formed(offset, events);
        }
        let is_root = !self.elements.has_root();
        let is_deep = self.elements.is_full();
        let outer = self.elements.bindings();
        if tag.has_prefix && !is_deep {
            self.bind_prefixes(window, tag, events);
        }
        let kind = self
            .elements
            .kind(bytes, tag.name.clone(), self.options.html.extended);
        let is_browsed = is_root && kind.markup.is_some();
        if is_browsed {
            self.family = RuleFamily::Markup;
        }
        let mut has_scope = is_browsed;
        if tag.has_prefix || is_browsed {
            has_scope = self.enter(window, tag, &kind, is_browsed, offset, events);
        }
        let mut attributes = AttributeReader {
            options: &self.options,
            elements: &self.elements,
            values: &mut self.values,
            window,
            tag,
        };
        let mut contents = XmlContents::Ignored;
        if let Some(markup) = kind.markup {
            self.captured = attributes.read_markup(markup, &mut self.markup, events);
            if self.captured.is_some() {
                contents = XmlContents::Markup;
            }
        } else {
            for attribute in &tag.attributes {
                attributes.read_attribute(attribute, &kind, events);
            }
            if let Some((_, ValueKind::FieldMark)) = kind.text {
                self.reader.field.mark(events);
            } else if let Some((element, value)) = kind.text {
                contents = attributes.row_contents(element, value);
            } else if kind.is_guessed {
                contents = XmlContents::Guessed;
            }
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
        self.open(&kind, outer, has_scope, offset, events);
    }

    #[inline]
    fn open(
        &mut self,
        kind: &ElementKind,
        outer: Bindings,
        has_scope: bool,
        offset: u64,
        events: &mut Events,
    ) {
        let was_shallow = self.elements.is_shallow();
        let is_open = self.elements.push(kind, outer, has_scope);
        if is_open && kind.is_entry {
            self.reader.entries.push();
        }
        if !is_open && was_shallow {
            events.push(Event::Diagnostic(&diagnostic::XML_DEPTH_LIMIT, offset));
        }
    }

    /// Binds the prefixes that a tag declares.
    fn bind_prefixes(&mut self, window: &Window<'_>, tag: &XmlTag, events: &mut Events) {
        for attribute in tag.attributes.iter().filter(|given| given.facts.has_prefix) {
            let name = &window.bytes[attribute.name.clone()];
            let prefix = match name {
                b"xmlns" => b"",
                _ => match name.strip_prefix(b"xmlns:") {
                    Some(prefix) => prefix,
                    None => continue,
                },
            };
            // Drawing programs declare entities for the names of namespaces.
            let (source, range) = self.values.value(window, attribute);
            let range = trimmed(source.bytes(), range);
            let namespace = vocabulary::namespace(&source.bytes()[range]);
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
        offset: u64,
        events: &mut Events,
    ) -> bool {
        // The base of the element itself is that of its xml:base (XML Base, section 4).
        let counts = !self.markup.has_base() && !self.elements.is_full();
        let mut attributes = tag.attributes.iter().filter(|_| counts);
        let mut base = attributes.find(|given| window.bytes[given.name.clone()] == *b"xml:base");
        if base.is_some() && self.bases >= MOST_BASES {
            events.push(Event::Diagnostic(&diagnostic::XML_DEPTH_LIMIT, offset));
            base = None;
        }
        if !is_browsed && base.is_none() {
            return false;
        }
        enter(None, self.family, None, events);
        self.bases += 1;
        if let Some(base) = base {
            let (source, range) = self.values.value(window, base);
            let range = trimmed(source.bytes(), range);
            let at = source.span(&range).start;
            let base = source.text(range, events);
            events.push(Event::Base(base, at));
            self.values.report_faults(events);
        }
        // A base element may follow.
        if !(is_browsed && kind.namespace == Namespace::Xhtml) {
            events.push(Event::Settled);
        }
        true
    }

    fn end_tag(&mut self, name: &[u8], is_broken: bool, at: u64, events: &mut Events) {
        if !self.elements.pop_counted() {
            let count = self.elements.closed_by(name);
            if count != Some(1) || is_broken {
                Self::not_well_formed(at, events);
            }
            for _ in 0..count.unwrap_or(0) {
                self.close(events);
            }
        }
        self.contents = self.elements.between();
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
        let bytes = window.bytes;
        let end = first_of(TEXT_END, bytes, start);
        if let Some([b'<', next]) = bytes.get(end..end + 2)
            && (*next == b'/' || starts_name(*next))
            && end - start <= LONGEST
            && let Some(step) = self.read_plain(window, start..end, events)
        {
            return step;
        }
        let is_guessed = matches!(self.contents, XmlContents::Guessed);
        let is_too_long = bytes.len() - start > LONGEST;
        let too_long = |scanner: &mut Self, events: &mut Events| {
            let offset = window.offset_at(start);
            events.push(Event::Diagnostic(&diagnostic::XML_TOO_LONG, offset));
            scanner.contents = XmlContents::Ignored;
            scanner.values.text.faults.clear();
            Step::To(start)
        };
        self.values.text.begin(window.offset_at(start));
        let mut at = start;
        // What is read of the entities again counts once.
        let before = self.values.entities.expanded();
        let end = loop {
            let Some(length) = memchr::memchr(b'<', &bytes[at..]) else {
                break window.last.then_some(bytes.len()).map(|end| (end, at..end));
            };
            let plain = at..at + length;
            let rest = &bytes[plain.end..];
            let (skip, marker): (usize, &[u8]) = match rest {
                // A URI ends there, and the comment may be a remark.
                [b'<', b'!', b'-', b'-', ..] | [b'<', b'?', ..] if is_guessed => {
                    break Some((plain.end, plain));
                }
                [b'<', b'!', b'-', b'-', ..] => (4, b"-->"),
                _ if rest.starts_with(b"<![CDATA[") => (9, b"]]>"),
                [b'<', b'?', ..] => (2, b"?>"),
                [b'<', next, ..] if *next == b'/' || starts_name(*next) => {
                    break Some((plain.end, plain));
                }
                _ if rest.len() < 9 && !window.last => break None,
                _ => break Some((plain.end, plain)),
            };
            let inner = plain.end + skip;
            let end = match end_of(bytes, inner, marker) {
                TokenEnd::At(end) => end,
                TokenEnd::Cut if window.last => break Some((plain.end, plain)),
                TokenEnd::Cut => break None,
            };
            let from = window.offset_at(plain.start);
            self.values
                .text
                .append(&bytes[plain], from, Piece::Data, &mut self.values.entities);
            if skip == 9 {
                let from = window.offset_at(inner);
                self.values.text.append(
                    &bytes[inner..end - 3],
                    from,
                    Piece::Cdata,
                    &mut self.values.entities,
                );
            }
            at = end;
        };
        let Some((end, plain)) = end else {
            self.values.entities.set_expanded(before);
            return match is_too_long {
                true => too_long(self, events),
                false => Step::Wait,
            };
        };
        if end - start > LONGEST {
            self.values.entities.set_expanded(before);
            return too_long(self, events);
        }
        let from = window.offset_at(plain.start);
        self.values
            .text
            .append(&bytes[plain], from, Piece::Data, &mut self.values.entities);
        let XmlValues { text, entities } = &mut self.values;
        let entries = &mut self.reader.entries;
        if entries.needs_link(self.contents, &text.bytes)
            && !entries.find_link(window, start..end, LONGEST, entities)
        {
            entities.set_expanded(before);
            return Step::Wait;
        }
        self.values.report_faults(events);
        let text = &self.values.text;
        let source = XmlSource::Decoded(text);
        match std::mem::replace(&mut self.contents, XmlContents::Ignored) {
            XmlContents::Markup => {
                if let Some(captured) = self.captured.take() {
                    (self.markup).contents(&captured, &text.bytes, &text.map, events);
                }
            }
            contents => {
                let range = 0..text.bytes.len();
                (self.reader).report(contents, &source, range, &text.map, events);
            }
        }
        events.forget_stored();
        Step::To(end)
    }

    /// Reads text that is as it stands in the window; none where what is read of it wants decoding.
    #[inline]
    fn read_plain(
        &mut self,
        window: &Window<'_>,
        range: Range<usize>,
        events: &mut Events,
    ) -> Option<Step> {
        let bytes = window.bytes;
        let text = &bytes[range.clone()];
        let end = range.end;
        if self.contents == XmlContents::Markup {
            return None;
        }
        let entries = &mut self.reader.entries;
        if entries.needs_link(self.contents, text)
            && !entries.find_link(window, range.clone(), LONGEST, &mut self.values.entities)
        {
            return Some(Step::Wait);
        }
        let contents = std::mem::replace(&mut self.contents, XmlContents::Ignored);
        let source = XmlSource::Window(bytes, window.offset);
        let is_whole = matches!(
            contents,
            XmlContents::Guessed | XmlContents::Row(_, ValueKind::EntryHtml | ValueKind::TypedHtml)
        );
        let map = &mut self.values.text.map;
        if is_whole {
            map.starting(window.offset_at(range.start));
            map.copy(text.len());
        }
        (self.reader).report(contents, &source, range, map, events);
        events.forget_stored();
        Some(Step::To(end))
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
                Step::To(end) => at = end,
                Step::Wait => return at,
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
