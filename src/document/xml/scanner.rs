//! The scanner: open elements, namespaces and bases, and what the rows of the vocabularies report.

use std::ops::Range;

use encoding_rs::UTF_8;

use super::doctype::{Declaration, read_doctype};
use super::elements::{Bindings, ElementKind, OpenElements, XmlContents};
use super::field;
use super::names::{AttributeNames, split_name, starts_name};
use super::tag::{
    RawXmlAttribute, XmlTag, read_attributes, read_common_tag, read_end_tag, read_start_tag,
};
use super::text::{Entities, EntityFault, LONGEST_ENTITY, Piece, XmlSource, XmlText};
use super::tokens::{SKIPPED_END, TEXT_END, TokenEnd, end_of, first_of};
use super::vocabulary::{self, Namespace, ValueKind};
use crate::bytes::seek::is_space;
use crate::bytes::steps::step;
use crate::bytes::window::Window;
use crate::decode::RecordOffsets;
use crate::decode::charset::{Confidence, Detected};
use crate::decode::offset_map::OffsetMap;
use crate::document::diagnostic;
use crate::document::events::{
    BaseSelector, Batch, Context, Event, Events, FoundReference, FoundRemark, NameRange,
    RemarkKind, RuleFamily, Span, TextRange,
};
use crate::document::flags::Flags;
use crate::document::html::xml::{
    MarkupAttribute, MarkupContents, MarkupElement, MarkupReporter, MarkupTag, MarkupValues,
};
use crate::document::nested::{Member, NestedReader, NestedScanners, NestedScope, enter};
use crate::document::remark::{RemarkCheck, check_remark};
use crate::document::text::TextScanner;
use crate::document::text::schemes::is_whole_uri;
use crate::document::{AnchorReporting, Format, FormatOptions, Scan, ScanStart};
use crate::uri::base::push_path;

/// Longer tags and texts of elements are left out, and diagnosed.
pub(super) const LONGEST: usize = 4 << 20;
/// The end of a comment, but for its `>`.
const COMMENT_END: &[u8] = b"--";
/// `xml:base` that nests deeper does not count.
const MOST_BASES: usize = 64;

/// The link of an item or of a channel.
#[derive(Clone)]
enum EntryLink {
    /// None has been read so far.
    Unread,
    /// None has been read, and none stands near behind either.
    NotNear,
    /// The reference and its offset.
    Found(Vec<u8>, u64),
}

/// The scanner for XML.
pub(super) struct XmlScanner {
    options: FormatOptions,
    markup: MarkupReporter,
    text_scanner: TextScanner,
    text_events: Batch,
    nested: NestedScanners,
    reader: NestedReader,
    entities: Entities,
    text: XmlText,
    tag: XmlTag,
    names: AttributeNames,
    elements: OpenElements,
    entries: Vec<EntryLink>,
    bases: usize,
    family: RuleFamily,
    contents: XmlContents,
    captured: Option<MarkupContents>,
    /// The marker behind which reading goes on.
    skips_to: Option<&'static [u8]>,
    /// Whether a DOCTYPE was read, or given up.
    has_doctype: bool,
    /// Whether text outside the root was diagnosed.
    has_stray: bool,
    started: bool,
}

/// The consumed part of a window.
enum Step {
    /// Up to an index.
    To(usize),
    /// More bytes decide.
    Wait,
}

/// Returns the range without white space of XML at both ends.
fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let value = &bytes[range.clone()];
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = value.iter().take_while(is_blank).count();
    let end = value[start..].iter().rev().take_while(is_blank).count();
    range.start + start..range.end - end
}

/// Whether a reference has a scheme.
fn is_absolute(reference: &[u8]) -> bool {
    let scheme = memchr::memchr(b':', reference).map(|colon| &reference[..colon]);
    scheme.is_some_and(|scheme| {
        scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && (scheme.iter()).all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
    })
}

impl XmlScanner {
    pub(super) fn new(options: &FormatOptions) -> Self {
        XmlScanner {
            options: options.clone(),
            markup: MarkupReporter::new(options),
            text_scanner: TextScanner::new(options.text.clone()),
            text_events: Batch::default(),
            nested: NestedScanners::new(options.clone()),
            reader: NestedReader::default(),
            entities: Entities::default(),
            text: XmlText::default(),
            tag: XmlTag::default(),
            names: AttributeNames::new(options),
            elements: OpenElements::default(),
            entries: Vec::new(),
            bases: 0,
            family: RuleFamily::Plain,
            contents: XmlContents::Ignored,
            captured: None,
            skips_to: None,
            has_doctype: false,
            has_stray: false,
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

    /// Reports what is wrong with the references in the text that was decoded last.
    fn report_faults(&mut self, events: &mut Events) {
        for (fault, at) in self.text.faults.drain(..) {
            report_fault(fault, at, events);
        }
    }

    /// Reads from `at` on, outside tags and between them.
    fn step(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        if self.skips_to == Some(COMMENT_END) {
            return self.comment_end(window, at, events);
        }
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
        if self.elements.is_outside() && !self.has_stray {
            self.check_outside(window, start, events);
        }
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
                    if let (_, Some(fault)) = self.entities.admit(rest, offset) {
                        report_fault(fault, offset, events);
                    }
                }
                Some(b']') => {
                    let rest = &bytes[at..];
                    if rest.starts_with(b"]]>") {
                        Self::not_well_formed(window.offset_at(at), events);
                    } else if !window.last && rest.len() < 3 && b"]]>".starts_with(rest) {
                        break;
                    }
                }
                Some(b'<') | None => break,
                Some(_) => {}
            }
            at += 1;
        }
        match at > start {
            true => Step::To(at),
            false => Step::Wait,
        }
    }

    /// Diagnoses text that is outside the root, once for all (XML 1.0, 2.1).
    fn check_outside(&mut self, window: &Window<'_>, at: usize, events: &mut Events) {
        let bytes = &window.bytes[at..];
        let text = &bytes[..memchr::memchr(b'<', bytes).unwrap_or(bytes.len())];
        let is_stray = |&(index, &byte): &(usize, &u8)| {
            // A byte order mark may stand before all.
            let mark = usize::try_from(window.offset_at(at + index));
            let mark = mark.ok().and_then(|offset| b"\xef\xbb\xbf".get(offset));
            !is_space(byte) && mark != Some(&byte)
        };
        if let Some((index, _)) = text.iter().enumerate().find(is_stray) {
            self.has_stray = true;
            Self::not_well_formed(window.offset_at(at + index), events);
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
                if self.elements.is_outside() {
                    Self::not_well_formed(window.offset_at(at), events);
                }
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
        self.skips_to = Some(COMMENT_END);
        Step::To(start)
    }

    /// Reads on to the end of a comment, in which XML has no other `--` (XML 1.0, 2.5).
    fn comment_end(&mut self, window: &Window<'_>, at: usize, events: &mut Events) -> Step {
        let bytes = window.bytes;
        let hyphens = end_of(bytes, at, COMMENT_END).index();
        match hyphens.map(|end| (end, bytes.get(end))) {
            Some((end, Some(b'>'))) => {
                self.skips_to = None;
                Step::To(end + 1)
            }
            Some((end, Some(_))) => {
                Self::not_well_formed(window.offset_at(end - 2), events);
                Step::To(end - 1)
            }
            _ if window.last => {
                Self::not_well_formed(window.offset_at(bytes.len()), events);
                Step::To(bytes.len())
            }
            // The marker may begin in the last two bytes.
            _ if bytes.len() - at > 2 => Step::To(hyphens.map_or(bytes.len() - 1, |end| end - 2)),
            _ => Step::Wait,
        }
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
                Declaration::Entity(name, literal) => self.entities.declare(name, literal),
                Declaration::Open => self.entities.is_open = true,
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
                let (source, range) = self.value(window, href);
                report(&source, range, XmlReference::attribute(names), events);
                self.report_faults(events);
            }
            self.tag = tag;
        }
        Step::To(end)
    }

    /// Returns the text of an attribute's value, as it stands in the window or decoded.
    fn value<'a>(
        &'a mut self,
        window: &Window<'a>,
        attribute: &RawXmlAttribute,
    ) -> (XmlSource<'a>, Range<usize>) {
        let value = attribute.value.clone();
        if attribute.is_plain {
            return (XmlSource::Window(window.bytes, window.offset), value);
        }
        let offset = window.offset_at(value.start);
        self.text.begin(offset);
        let raw = &window.bytes[value];
        (self.text).append(raw, offset, Piece::Value, &mut self.entities);
        (XmlSource::Decoded(&self.text), 0..self.text.bytes.len())
    }

    /// Checks the references in an attribute's value that is not read.
    fn check_value(
        &mut self,
        window: &Window<'_>,
        attribute: &RawXmlAttribute,
        events: &mut Events,
    ) {
        let value = &window.bytes[attribute.value.clone()];
        for at in memchr::memchr_iter(b'&', value) {
            let offset = window.offset_at(attribute.value.start + at);
            if let (_, Some(fault)) = self.entities.admit(&value[at..], offset) {
                report_fault(fault, offset, events);
            }
        }
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
                    match (end, slot) {
                        (Some(end), Some(slot))
                            if self.tag.attributes.is_empty()
                                && end - at <= LONGEST
                                && let Some(contents) =
                                    self.elements.simple(slot, self.tag.is_empty) =>
                        {
                            at = end;
                            contents
                        }
                        _ => match self.start_tag(window, at..name_end, end, events) {
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
        let is_second = self.elements.is_outside() && self.elements.has_root();
        if tag.is_broken || is_second {
            Self::not_well_formed(offset, events);
        }
        let is_root = !self.elements.has_root();
        let is_deep = self.elements.is_full();
        let outer = self.elements.bindings();
        if tag.has_prefix && !is_deep {
            self.bind_prefixes(window, tag);
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
        let mut contents = XmlContents::Ignored;
        if let Some(markup) = kind.markup {
            contents = self.read_markup(window, markup, tag, events);
        } else {
            for attribute in &tag.attributes {
                self.read_attribute(window, tag, attribute, &kind, events);
            }
            if let Some((element, value)) = kind.text {
                contents = self.row_contents(window, tag, element, value);
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
            self.entries.push(EntryLink::Unread);
        }
        if !is_open && was_shallow {
            events.push(Event::Diagnostic(&diagnostic::XML_DEPTH_LIMIT, offset));
        }
    }

    /// Binds the prefixes that a tag declares.
    fn bind_prefixes(&mut self, window: &Window<'_>, tag: &XmlTag) {
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
            let (source, range) = self.value(window, attribute);
            let range = trimmed(source.bytes(), range);
            let namespace = vocabulary::namespace(&source.bytes()[range]);
            self.elements.bind(prefix, namespace);
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
            let (source, range) = self.value(window, base);
            let range = trimmed(source.bytes(), range);
            let at = source.span(&range).start;
            let base = source.text(range, events);
            events.push(Event::Base(base, at));
            self.report_faults(events);
        }
        // A base element may follow.
        if !(is_browsed && kind.namespace == Namespace::Xhtml) {
            events.push(Event::Settled);
        }
        true
    }

    /// Returns how the text of an element with a row is read.
    fn row_contents(
        &mut self,
        window: &Window<'_>,
        tag: &XmlTag,
        element: &'static str,
        kind: ValueKind,
    ) -> XmlContents {
        let wanted: &[u8] = match kind {
            ValueKind::Guid => b"isPermaLink",
            ValueKind::TypedHtml => b"type",
            _ => return XmlContents::Row(element, kind),
        };
        let mut attributes = tag.attributes.iter();
        let found = attributes.find(|given| window.bytes[given.name.clone()] == *wanted);
        let value = found.map(|attribute| self.value(window, attribute));
        let value = value.map_or(&b""[..], |(source, range)| &source.bytes()[range]);
        let is_read = match kind {
            ValueKind::Guid => value != b"false",
            _ => value == b"html" || value.eq_ignore_ascii_case(b"text/html"),
        };
        self.text.faults.clear();
        match is_read {
            true => XmlContents::Row(element, kind),
            false => XmlContents::Ignored,
        }
    }

    /// Reports an element of XHTML, SVG or MathML by the table of HTML.
    fn read_markup(
        &mut self,
        window: &Window<'_>,
        element: MarkupElement,
        tag: &XmlTag,
        events: &mut Events,
    ) -> XmlContents {
        let bytes = window.bytes;
        self.markup.begin_tag(element);
        let mut is_plain = true;
        for attribute in &tag.attributes {
            let mut given = attribute.facts.markup;
            if attribute.facts.has_prefix {
                let (prefix, local) = split_name(&bytes[attribute.name.clone()]);
                given = match (self.elements.binding(prefix), local) {
                    (Namespace::Xlink, b"href") => MarkupAttribute::XLINK_HREF,
                    (Namespace::Xml, b"id") => MarkupAttribute::ID,
                    _ => MarkupAttribute::OTHER,
                };
            }
            let value = attribute.value.clone();
            let raw = &bytes[value.clone()];
            let is_known = self.markup.attribute(given, value, raw);
            if !attribute.is_plain {
                is_plain &= !is_known;
                if !is_known {
                    self.check_value(window, attribute, events);
                }
            }
        }
        if self.markup.is_silent() {
            return XmlContents::Ignored;
        }
        let (_, local) = split_name(&bytes[tag.name.clone()]);
        let given = match is_plain {
            true => MarkupTag {
                values: MarkupValues::Window(bytes, window.offset),
                name: tag.name.end - local.len()..tag.name.end,
            },
            false => {
                // Values are decoded one behind the other, and the name stands behind them.
                self.text.begin(window.offset_at(tag.name.start));
                let (text, entities) = (&mut self.text, &mut self.entities);
                self.markup.decode_values(|value| {
                    let start = text.bytes.len();
                    let offset = window.offset_at(value.start);
                    text.append(&bytes[value], offset, Piece::Value, entities);
                    start..text.bytes.len()
                });
                let start = self.text.bytes.len();
                self.text.bytes.extend_from_slice(local);
                for (fault, at) in self.text.faults.drain(..) {
                    report_fault(fault, at, events);
                }
                MarkupTag {
                    values: MarkupValues::Decoded(&self.text.bytes, &self.text.map),
                    name: start..self.text.bytes.len(),
                }
            }
        };
        self.captured = self.markup.start_tag(&given, events);
        match self.captured {
            Some(_) => XmlContents::Markup,
            None => XmlContents::Ignored,
        }
    }

    /// Reports an attribute of an element that is none of markup.
    #[inline]
    fn read_attribute(
        &mut self,
        window: &Window<'_>,
        tag: &XmlTag,
        attribute: &RawXmlAttribute,
        kind: &ElementKind,
        events: &mut Events,
    ) {
        let bytes = window.bytes;
        let name = &bytes[attribute.name.clone()];
        let (mut space, mut local) = (Namespace::Nameless, name);
        if attribute.facts.has_prefix {
            if name.starts_with(b"xmlns") {
                return;
            }
            let (prefix, rest) = split_name(name);
            (space, local) = (self.elements.binding(prefix), rest);
        }
        if local == b"id" && matches!(space, Namespace::Nameless | Namespace::Xml) {
            return self.anchor(window, attribute, events);
        }
        let row = match space {
            Namespace::Nameless => kind.rows.attribute(attribute.facts.rows),
            known if known == kind.namespace => kind.rows.attribute(attribute.facts.rows),
            Namespace::Rdf => vocabulary::rdf_attribute(local, self.extended()),
            Namespace::Xlink if local == b"href" && self.is_xlink(window, tag) => {
                Some(("xlink:href", ValueKind::Uri))
            }
            Namespace::SchemaInstance if local == b"schemaLocation" && self.extended() => {
                Some(("xsi:schemaLocation", ValueKind::Pairs))
            }
            _ => None,
        };
        let may_guess =
            kind.is_guessed && matches!(space, Namespace::Nameless | Namespace::Unknown);
        if row.is_none() && !may_guess {
            if !attribute.is_plain {
                self.check_value(window, attribute, events);
            }
            return;
        }
        let element = {
            let (_, local) = split_name(&bytes[tag.name.clone()]);
            let start = tag.name.end - local.len();
            NameRange::Other(TextRange::window(start..tag.name.end))
        };
        let written = NameRange::Other(TextRange::window(attribute.name.clone()));
        let (source, range) = self.value(window, attribute);
        match row {
            Some((known, ValueKind::Pairs)) => {
                let names = [element, NameRange::Known(known)];
                for range in seconds(source.bytes(), range) {
                    report(&source, range, XmlReference::attribute(names), events);
                }
            }
            Some((known, ValueKind::Field)) => {
                let names = [element, NameRange::Known(known)];
                if let Some(part) = field::resource(&source.bytes()[range.clone()]) {
                    let part = range.start + part.start..range.start + part.end;
                    report(&source, part, XmlReference::attribute(names), events);
                }
            }
            // The place in what a relationship names is none in this workbook.
            Some((_, ValueKind::Location)) if has_relationship(bytes, tag) => {}
            Some((known, ValueKind::Location)) => {
                let mut fragment = b"#".to_vec();
                push_path(&source.bytes()[range.clone()], &mut fragment);
                let reference = XmlReference {
                    resolves_as: Some(events.store(&fragment)),
                    ..XmlReference::attribute([element, NameRange::Known(known)])
                };
                report(&source, range, reference, events);
            }
            Some((known, value)) => {
                let mut reference = XmlReference::attribute([element, NameRange::Known(known)]);
                if kind.namespace == Namespace::Rss {
                    reference.flags = Flags::RSS;
                }
                if value == ValueKind::Relationship && is_external(bytes, tag) {
                    reference.base = BaseSelector::Package;
                }
                report(&source, range, reference, events);
            }
            None if is_whole_uri(&source.bytes()[trimmed(source.bytes(), range.clone())]) => {
                let reference = XmlReference {
                    flags: Flags::GUESSED,
                    ..XmlReference::attribute([element, written])
                };
                report(&source, range, reference, events);
            }
            None => {}
        }
        self.report_faults(events);
    }

    /// Reports what a fragment can name.
    fn anchor(&mut self, window: &Window<'_>, attribute: &RawXmlAttribute, events: &mut Events) {
        if self.options.anchors == AnchorReporting::Report {
            let (source, range) = self.value(window, attribute);
            if !range.is_empty() {
                let at = source.span(&range).start;
                let anchor = source.text(range, events);
                events.push(Event::Anchor(anchor, at));
            }
            self.report_faults(events);
        } else if !attribute.is_plain {
            self.check_value(window, attribute, events);
        }
    }

    /// Whether the type of a link of XLink is none, or one that leads somewhere (XLink 1.1, 5).
    fn is_xlink(&self, window: &Window<'_>, tag: &XmlTag) -> bool {
        let mut prefixed = tag.attributes.iter().filter(|given| given.facts.has_prefix);
        let kind = prefixed.find(|given| {
            let (prefix, local) = split_name(&window.bytes[given.name.clone()]);
            local == b"type" && self.elements.binding(prefix) == Namespace::Xlink
        });
        let kind = kind.map(|kind| &window.bytes[kind.value.clone()]);
        kind.is_none_or(|kind| kind == b"simple" || kind == b"locator")
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
            self.entries.pop();
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
            Step::To(start)
        };
        self.text.begin(window.offset_at(start));
        let mut at = start;
        // What is read of the entities again counts once.
        let before = self.entities.expanded();
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
            self.text
                .append(&bytes[plain], from, Piece::Data, &mut self.entities);
            if skip == 4 && end_of(bytes, inner, COMMENT_END).index() != Some(end - 1) {
                let offset = window.offset_at(inner);
                self.text.fault(EntityFault::NotWellFormed, offset);
            }
            if skip == 9 {
                let from = window.offset_at(inner);
                self.text.append(
                    &bytes[inner..end - 3],
                    from,
                    Piece::Cdata,
                    &mut self.entities,
                );
            }
            at = end;
        };
        let Some((end, plain)) = end else {
            self.entities.set_expanded(before);
            return match is_too_long {
                true => too_long(self, events),
                false => Step::Wait,
            };
        };
        if end - start > LONGEST {
            self.entities.set_expanded(before);
            return too_long(self, events);
        }
        let from = window.offset_at(plain.start);
        self.text
            .append(&bytes[plain], from, Piece::Data, &mut self.entities);
        if self.needs_link(&self.text.bytes) && !self.find_link(window, start, end) {
            self.entities.set_expanded(before);
            return Step::Wait;
        }
        self.report_faults(events);
        let text = std::mem::take(&mut self.text);
        let contents = std::mem::replace(&mut self.contents, XmlContents::Ignored);
        let source = XmlSource::Decoded(&text);
        self.report_contents(contents, &source, 0..text.bytes.len(), &text.map, events);
        self.text = text;
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
        if self.needs_link(text) && !self.find_link(window, range.start, end) {
            return Some(Step::Wait);
        }
        let contents = std::mem::replace(&mut self.contents, XmlContents::Ignored);
        let source = XmlSource::Window(bytes, window.offset);
        let is_whole = matches!(
            contents,
            XmlContents::Guessed | XmlContents::Row(_, ValueKind::EntryHtml | ValueKind::TypedHtml)
        );
        let mut map = std::mem::take(&mut self.text.map);
        if is_whole {
            map.starting(window.offset_at(range.start));
            map.copy(text.len());
        }
        self.report_contents(contents, &source, range, &map, events);
        self.text.map = map;
        events.forget_stored();
        Some(Step::To(end))
    }

    /// Whether text is HTML whose base is the link of an entry that has not been read.
    #[inline]
    fn needs_link(&self, text: &[u8]) -> bool {
        matches!(self.contents, XmlContents::Row(_, ValueKind::EntryHtml))
            && matches!(self.entries.last(), Some(EntryLink::Unread))
            && !trimmed(text, 0..text.len()).is_empty()
    }

    /// Looks behind a text for the link of the entry; returns false if more bytes decide.
    fn find_link(&mut self, window: &Window<'_>, start: usize, end: usize) -> bool {
        let bytes = window.bytes;
        let near = bytes.len().min(start + LONGEST);
        step(near - end);
        match find_link(&bytes[..near], end) {
            LinkSearch::Found(range) => {
                let text = std::mem::take(&mut self.text);
                self.set_link(&bytes[range.clone()], window.offset_at(range.start));
                self.text = text;
            }
            LinkSearch::Cut if !window.last && near < start + LONGEST => return false,
            // One search for an entry, however many elements need its link.
            LinkSearch::None | LinkSearch::Cut => self.set_entry(EntryLink::NotNear),
        }
        true
    }

    /// Sets the link of the innermost entry, as written, which stands behind what needs it.
    fn set_link(&mut self, raw: &[u8], offset: u64) {
        let raw = raw
            .strip_prefix(b"<![CDATA[")
            .map_or(raw, |raw| raw.strip_suffix(b"]]>").unwrap_or(raw));
        self.text = XmlText::default();
        self.text.begin(offset);
        let before = self.entities.expanded();
        self.text
            .append(raw, offset, Piece::Data, &mut self.entities);
        self.entities.set_expanded(before);
        self.text.faults.clear();
        let range = trimmed(&self.text.bytes, 0..self.text.bytes.len());
        let link = match range.is_empty() {
            true => EntryLink::NotNear,
            false => EntryLink::Found(self.text.bytes[range].to_vec(), offset),
        };
        self.set_entry(link);
    }

    /// Sets the link of the innermost entry, if it has none.
    fn set_entry(&mut self, link: EntryLink) {
        if let Some(entry @ (EntryLink::Unread | EntryLink::NotNear)) = self.entries.last_mut() {
            *entry = link;
        }
    }

    /// Reports the text of an element; the map leads from the range to the document where the text is
    /// read as a document of its own.
    fn report_contents(
        &mut self,
        contents: XmlContents,
        source: &XmlSource<'_>,
        range: Range<usize>,
        map: &OffsetMap,
        events: &mut Events,
    ) {
        let text = &source.bytes()[range.clone()];
        let (element, kind) = match contents {
            XmlContents::Ignored => return,
            XmlContents::Guessed => return self.guess(text, map, events),
            XmlContents::Markup => {
                if let Some(captured) = self.captured.take() {
                    self.markup.contents(&captured, text, map, events);
                }
                return;
            }
            XmlContents::Row(element, kind) => (element, kind),
        };
        let value = trimmed(source.bytes(), range);
        if value.is_empty() {
            return;
        }
        let reference = &source.bytes()[value.clone()];
        let mut found = XmlReference {
            context: Context::Text,
            ..XmlReference::attribute([NameRange::Known(element), NameRange::None])
        };
        match kind {
            ValueKind::TypedHtml => return self.embedded(text, map, None, events),
            ValueKind::EntryHtml => {
                let link = match self.entries.last() {
                    Some(EntryLink::Found(link, at)) => Some((events.store(link), *at)),
                    _ => None,
                };
                return self.embedded(text, map, link, events);
            }
            ValueKind::Guid if !is_absolute(reference) => return,
            ValueKind::Field => {
                if let Some(part) = field::resource(reference) {
                    let part = value.start + part.start..value.start + part.end;
                    report(source, part, found, events);
                }
                return;
            }
            ValueKind::RssUri => found.flags = Flags::RSS,
            ValueKind::EntryLink => {
                found.flags = Flags::RSS;
                let at = source.span(&value).start;
                if !matches!(self.entries.last(), Some(EntryLink::Found(..))) {
                    self.set_entry(EntryLink::Found(reference.to_vec(), at));
                }
            }
            ValueKind::Absolute if !is_absolute(reference) => {
                found.flags = Flags::NONCONFORMING;
                found.base = BaseSelector::Nothing;
            }
            ValueKind::Absolute => found.flags = Flags::LISTED,
            _ => {}
        }
        report(source, value, found, events);
    }

    /// Reads an HTML document in the decoded text, with the link of its entry as its base.
    fn embedded(
        &mut self,
        text: &[u8],
        map: &OffsetMap,
        link: Option<(TextRange, u64)>,
        events: &mut Events,
    ) {
        // Without a tag there is no reference in HTML.
        if memchr::memchr(b'<', text).is_none() {
            return;
        }
        let mut flags = match link {
            Some(_) => Flags::ASSUMED_BASE,
            None => Flags::NONE,
        };
        if !self.entries.is_empty() {
            flags |= Flags::RSS;
        }
        enter(None, RuleFamily::Markup, None, events);
        if let Some((link, at)) = link {
            events.push(Event::Base(link, at));
            events.push(Event::Settled);
        }
        self.reader.begin(Member {
            charset: b"utf-8".to_vec(),
            format: Format::HTML,
            scope: NestedScope::Enclosing,
            flags,
            diagnostic_offset: Some(map.start(0)),
            ..Member::default()
        });
        self.reader
            .scan_decoded(text, map, &mut self.nested, events);
        events.push(Event::Leave);
    }

    /// Reports the URIs in text of an unknown vocabulary.
    fn guess(&mut self, text: &[u8], map: &OffsetMap, events: &mut Events) {
        if memchr::memchr2(b':', b'.', text).is_none() && !self.options.text.email {
            return;
        }
        self.text_scanner.begin(&ScanStart {
            detected: Some(Detected {
                encoding: Some(UTF_8),
                mark: 0,
                confidence: Confidence::Certain,
            }),
            ..ScanStart::default()
        });
        let mut found = Events::from(std::mem::take(&mut self.text_events));
        found.clear();
        self.text_scanner.scan(Window::whole(text), &mut found);
        for event in &found.list {
            if let Event::Reference(reference) = event {
                let mut copy = events.adopt_reference(reference, &found, text);
                copy.span = Span {
                    start: map.start(reference.span.start),
                    end: map.end(reference.span.end),
                };
                copy.position = None;
                events.push(Event::Reference(copy));
            }
        }
        self.text_events = found.into();
    }
}

/// A reference to be reported, but for its text.
struct XmlReference {
    context: Context,
    names: [NameRange; 2],
    flags: Flags,
    base: BaseSelector,
    resolves_as: Option<TextRange>,
}

impl XmlReference {
    /// The value of an attribute.
    fn attribute(names: [NameRange; 2]) -> Self {
        XmlReference {
            context: Context::Attribute,
            names,
            flags: Flags::NONE,
            base: BaseSelector::Document,
            resolves_as: None,
        }
    }
}

/// Reports a range of a text, without white space around it.
#[inline]
fn report(
    source: &XmlSource<'_>,
    range: Range<usize>,
    reference: XmlReference,
    events: &mut Events,
) {
    let range = trimmed(source.bytes(), range);
    if range.is_empty() {
        return;
    }
    let span = source.span(&range);
    let text = source.text(range, events);
    let [element, attribute] = reference.names;
    events.push(Event::Reference(FoundReference {
        element,
        attribute,
        flags: reference.flags,
        base: reference.base,
        resolves_as: reference.resolves_as,
        ..FoundReference::new(span, text, reference.context)
    }));
}

/// Returns whether an element names a relationship by its identifier.
fn has_relationship(bytes: &[u8], tag: &XmlTag) -> bool {
    let mut attributes = tag.attributes.iter().filter(|given| given.facts.has_prefix);
    attributes.any(|given| split_name(&bytes[given.name.clone()]).1 == b"id")
}

/// Returns whether the target of a relationship lies outside the package (ECMA-376 part 2, 6.5.3.4).
fn is_external(bytes: &[u8], tag: &XmlTag) -> bool {
    let mut attributes = tag.attributes.iter();
    let mode = attributes.find(|given| bytes[given.name.clone()] == *b"TargetMode");
    mode.is_some_and(|mode| bytes[mode.value.clone()] == *b"External")
}

/// Returns the second of each pair of words in a range.
fn seconds(bytes: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut count) = (range.start, 0);
    while at < range.end {
        let rest = &bytes[at..range.end];
        let length = rest.iter().take_while(|&&byte| !is_space(byte)).count();
        count += usize::from(length > 0);
        if length > 0 && count % 2 == 0 {
            found.push(at..at + length);
        }
        at += length + 1;
    }
    found
}

fn report_fault(fault: EntityFault, at: u64, events: &mut Events) {
    let code = match fault {
        EntityFault::NotWellFormed => &diagnostic::XML_NOT_WELL_FORMED,
        EntityFault::Limit => &diagnostic::XML_ENTITY_LIMIT,
    };
    events.push(Event::Diagnostic(code, at));
}

/// The link of an entry behind its description.
enum LinkSearch {
    /// The raw text of the `link` element.
    Found(Range<usize>),
    /// There is none.
    None,
    /// More bytes decide.
    Cut,
}

/// Looks for the `link` element of the entry that `at` is in; the bytes may be cut.
fn find_link(bytes: &[u8], mut at: usize) -> LinkSearch {
    let cut = LinkSearch::Cut;
    // The depth of elements that have links of their own.
    let mut inner = 0;
    while let Some(length) = memchr::memchr(b'<', &bytes[at..]) {
        at += length;
        let rest = &bytes[at..];
        if rest.len() < 16 {
            return cut;
        }
        let is_tag = |name: &[u8]| {
            rest.starts_with(name)
                && rest
                    .get(name.len())
                    .is_some_and(|&next| is_space(next) || next == b'>')
        };
        let marker: Option<&[u8]> = match rest {
            [b'<', b'!', b'-', b'-', ..] => Some(b"-->"),
            _ if rest.starts_with(b"<![CDATA[") => Some(b"]]>"),
            _ => None,
        };
        if let Some(marker) = marker {
            match end_of(bytes, at + 3, marker) {
                TokenEnd::At(end) => at = end,
                TokenEnd::Cut => return cut,
            }
            continue;
        }
        if is_tag(b"</item") || is_tag(b"</channel") || is_tag(b"<item") {
            return LinkSearch::None;
        }
        inner += usize::from(is_tag(b"<image") || is_tag(b"<textInput"));
        inner -= usize::from(inner > 0 && (is_tag(b"</image") || is_tag(b"</textInput")));
        if is_tag(b"<link") && inner == 0 {
            let Some(start) = memchr::memchr(b'>', rest) else {
                return cut;
            };
            let start = at + start + 1;
            return match end_of(bytes, start, b"</") {
                TokenEnd::At(end) => LinkSearch::Found(start..end - 2),
                TokenEnd::Cut => cut,
            };
        }
        at += 1;
    }
    cut
}

impl Scan for XmlScanner {
    fn begin(&mut self, start: &ScanStart) {
        self.markup.begin();
        self.nested.positions = start.positions;
        self.entities = Entities::default();
        self.elements.clear();
        self.entries.clear();
        self.bases = 0;
        self.family = RuleFamily::Plain;
        self.contents = XmlContents::Ignored;
        self.skips_to = None;
        self.has_doctype = false;
        self.has_stray = false;
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
