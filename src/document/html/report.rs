//! From accepted tags to references: the table applied to their attributes.

use std::ops::Range;

use encoding_rs::UTF_8;

use super::Options;
use super::attributes::{Against, Empty, Grammar, Row, Space, Wanted};
use super::characters::Place;
use super::css;
use super::encoding::Charset;
use super::json;
use super::lists;
use super::names::{Attribute, Element};
use super::source::Source;
use super::srcdoc;
use super::tag::{Attributes, Held, Step, Tag};
use super::text::Characters;
use super::tree::Verdict;
use super::value::{self, Decoded, Needs};
use crate::document::diagnostic;
use crate::document::events::{Context, Event, Events, Found, Name, Text, Wants};
use crate::document::flags::Flags;

/// What the scanner of a document knows while it reports.
pub(super) struct Document {
    pub(super) options: Options,
    pub(super) wanted: Wanted,
    pub(super) charset: Charset,
    /// The offset from which on it will not be read again.
    pub(super) limit: u64,
    /// How many srcdoc documents enclose it.
    pub(super) depth: usize,
    /// Flags of every reference.
    pub(super) flags: Flags,
    /// A base element with `href` has been seen.
    pub(super) based: bool,
    /// How many references have been reported.
    pub(super) references: u64,
    /// What scans character data, where that is asked for.
    pub(super) characters: Option<Box<Characters>>,
    /// Memory for decoded values.
    pub(super) spare: Vec<Decoded>,
}

/// Where references come from, while one tag is being reported.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    element: Name,
    attribute: Name,
    context: Context,
    flags: Flags,
    wants: Wants,
}

/// Reports what one source holds.
pub(super) struct Report<'a, 'e, 'f> {
    pub(super) source: Source<'a>,
    pub(super) events: &'e mut Events<'f>,
    pub(super) document: &'e mut Document,
}

impl Document {
    pub(super) fn new(options: Options, wanted: Wanted) -> Self {
        Document {
            options,
            wanted,
            charset: Charset::UTF_8,
            limit: u64::MAX,
            depth: 0,
            flags: Flags::NONE,
            based: false,
            references: 0,
            characters: None,
            spare: Vec::new(),
        }
    }

    /// Gets ready for another document, or for the same one again.
    pub(super) fn begin(&mut self, charset: Charset) {
        self.charset = charset;
        self.based = false;
        self.references = 0;
    }

    /// Whether nothing that depends on the encoding has been reported.
    pub(super) fn is_silent(&self) -> bool {
        self.references == 0 && !self.based
    }
}

impl Report<'_, '_, '_> {
    /// Reports the references in the attributes of a tag that was accepted.
    pub(super) fn tag(&mut self, tag: &Tag, verdict: Verdict) {
        let flags = self.flags(tag, verdict);
        for held in &tag.attributes {
            let row = held.row;
            if row.grammar == Grammar::Condition
                || !self.document.wanted.has(row)
                || held.attribute == Attribute::XlinkHref && tag.value(Attribute::Href).is_some()
            {
                continue;
            }
            if row.grammar == Grammar::Anchor {
                if !self.repeats_id(tag, held) {
                    self.anchor(held.value.clone(), verdict);
                }
                continue;
            }
            if row.grammar == Grammar::Uri && row.against == Against::Document {
                // Nearly all are of this kind.
                let range = held.value.clone();
                if range.len() <= super::LIMIT {
                    let element = self.element(tag);
                    self.link(element, held.attribute, row.empty, range, flags);
                }
                continue;
            }
            let origin = Origin {
                element: self.element(tag),
                attribute: Name::Known(held.attribute.name()),
                context: Context::Attribute,
                flags,
                wants: self.wants(tag, row.against),
            };
            self.attribute(tag, row, held.value.clone(), origin);
        }
    }

    /// Reports what a fragment can name: what stands in a document of its own cannot be named.
    fn anchor(&mut self, range: Range<usize>, verdict: Verdict) {
        if !range.is_empty() && !verdict.inert && self.document.depth == 0 {
            let offset = self.source.offset(range.start);
            let text = self.decoded(range);
            self.events.push(Event::Anchor(text, offset));
        }
    }

    /// `<a id=x name=x>` names one place once.
    fn repeats_id(&self, tag: &Tag, held: &Held) -> bool {
        let bytes = self.source.bytes;
        held.attribute == Attribute::Called
            && tag
                .value(Attribute::Id)
                .is_some_and(|id| bytes[id] == bytes[held.value.clone()])
    }

    fn flags(&self, tag: &Tag, verdict: Verdict) -> Flags {
        let mut flags = self.document.flags;
        if verdict.inert {
            flags |= Flags::INERT;
        }
        if let Some(ignore) = &self.document.options.ignore
            && self.has(tag, ignore.as_bytes())
        {
            flags |= Flags::IGNORED;
        }
        flags
    }

    /// Whether a tag has an attribute that need not be in the table.
    fn has(&self, tag: &Tag, name: &[u8]) -> bool {
        let bytes = self.source.bytes;
        let mut attributes = Attributes::new(bytes, tag.name.end);
        while let Step::Attribute(given) = attributes.step() {
            if bytes[given.name].eq_ignore_ascii_case(name) {
                return true;
            }
        }
        false
    }

    fn element(&mut self, tag: &Tag) -> Name {
        if tag.element != Element::Other {
            return Name::Known(tag.element.name());
        }
        let range = tag.name.clone();
        let name = &self.source.bytes[range.clone()];
        let lower = name
            .iter()
            .all(|&byte| byte != 0 && byte < 0x80 && !byte.is_ascii_uppercase());
        if lower {
            return Name::Other(self.source.text(range, self.events));
        }
        let mut decoded = self.document.spare.pop().unwrap_or_default();
        decoded.fill(&self.source, range, self.document.charset.scanned, None);
        decoded.bytes.make_ascii_lowercase();
        let name = Name::Other(self.events.store(&decoded.bytes));
        self.document.spare.push(decoded);
        name
    }

    fn wants(&mut self, tag: &Tag, against: Against) -> Wants {
        match against {
            Against::Document => Wants::Document,
            Against::Fallback => Wants::Fallback,
            Against::Nothing => Wants::Nothing,
            Against::Codebase => match tag.value(Attribute::Codebase) {
                Some(range) if !range.is_empty() => Wants::Codebase(self.decoded(range)),
                _ => Wants::Document,
            },
        }
    }

    fn decoded(&mut self, range: Range<usize>) -> Text {
        value::text(
            &self.source,
            range,
            self.document.charset.scanned,
            self.events,
        )
    }

    fn attribute(&mut self, tag: &Tag, row: &Row, range: Range<usize>, origin: Origin) {
        // That its tag is too long has been told.
        if range.len() > super::LIMIT {
            return;
        }
        match row.grammar {
            Grammar::Uri => self.uri(row.empty, range, origin),
            Grammar::ParamValue => {
                let kind = tag.value(Attribute::Valuetype);
                let kind = kind.map(|range| value::plain(&self.source, range));
                if kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"ref")) {
                    self.uri(row.empty, range, origin);
                }
            }
            Grammar::MetaContent => self.meta(tag, range, origin),
            Grammar::Document => srcdoc::scan(self, range, origin.flags),
            Grammar::SpaceList => self.decoding(range, Some(Place::Attribute), |report, range| {
                for item in lists::spaced(report.source.bytes, range) {
                    report.emit(item, origin);
                }
            }),
            Grammar::CommaList => self.decoding(range, Some(Place::Attribute), |report, range| {
                for item in lists::commas(report.source.bytes, range) {
                    report.emit(item, origin);
                }
            }),
            Grammar::CustomSrcset => {
                if self.source.bytes[tag.name.clone()].contains(&b'-') {
                    self.srcset(range, origin);
                }
            }
            Grammar::Srcset => self.srcset(range, origin),
            Grammar::Css => {
                self.css(
                    range,
                    css::Sheet::Declarations,
                    Some(Place::Attribute),
                    origin,
                );
            }
            Grammar::Location => self.decoding(range, Some(Place::Attribute), |report, range| {
                for item in super::convention::locations(report.source.bytes, range) {
                    report.emit(item, origin);
                }
            }),
            Grammar::Anchor | Grammar::Condition => {}
        }
    }

    fn srcset(&mut self, range: Range<usize>, origin: Origin) {
        self.decoding(range, Some(Place::Attribute), |report, range| {
            for item in lists::srcset(report.source.bytes, range) {
                report.emit(item, origin);
            }
        });
    }

    /// Reports the plain kind of reference.
    #[inline(always)]
    fn link(
        &mut self,
        element: Name,
        attribute: Attribute,
        empty: Empty,
        range: Range<usize>,
        flags: Flags,
    ) {
        if range.is_empty() && empty == Empty::Nothing {
            return;
        }
        let span = self.source.span(range.clone());
        let text = self.decoded(range);
        self.document.references += 1;
        self.events.push(Event::Reference(Found {
            element,
            attribute: Name::Known(attribute.name()),
            flags,
            ..Found::new(span, text, Context::Attribute)
        }));
    }

    fn uri(&mut self, empty: Empty, range: Range<usize>, origin: Origin) {
        if range.is_empty() && empty == Empty::Nothing {
            return;
        }
        let span = self.source.span(range.clone());
        let text = self.decoded(range);
        self.push(span, text, origin);
    }

    fn push(&mut self, span: crate::document::events::Span, text: Text, origin: Origin) {
        self.document.references += 1;
        self.events.push(Event::Reference(Found {
            element: origin.element,
            attribute: origin.attribute,
            flags: origin.flags,
            wants: origin.wants,
            ..Found::new(span, text, origin.context)
        }));
    }

    /// Reports an item of a value that needs no decoding any more.
    fn emit(&mut self, item: Range<usize>, origin: Origin) {
        let span = self.source.span(item.clone());
        let text = self.source.text(item, self.events);
        self.push(span, text, origin);
    }

    /// Hands a value on as it stands, or decoded where it must be.
    pub(super) fn decoding(
        &mut self,
        range: Range<usize>,
        references: Option<Place>,
        then: impl FnOnce(&mut Report<'_, '_, '_>, Range<usize>),
    ) {
        let encoding = self.document.charset.scanned;
        if value::needs(self.source.bytes, range.clone(), encoding) == Needs::Nothing {
            return then(self, range);
        }
        let mut decoded = self.document.spare.pop().unwrap_or_default();
        decoded.fill(
            &self.source,
            range,
            self.document.charset.scanned,
            references,
        );
        self.within(&decoded, then);
        self.document.spare.push(decoded);
    }

    /// Hands on what has been decoded.
    pub(super) fn within(
        &mut self,
        decoded: &Decoded,
        then: impl FnOnce(&mut Report<'_, '_, '_>, Range<usize>),
    ) {
        let mut report = Report {
            source: decoded.source(),
            events: self.events,
            document: self.document,
        };
        then(&mut report, 0..decoded.bytes.len());
    }

    fn css(
        &mut self,
        range: Range<usize>,
        sheet: css::Sheet,
        references: Option<Place>,
        mut origin: Origin,
    ) {
        if range.is_empty() {
            return;
        }
        origin.context = Context::Style;
        origin.flags |= Flags::CSS;
        self.decoding(range, references, |report, range| {
            report.sheet(range, sheet, origin)
        });
    }

    fn sheet(&mut self, range: Range<usize>, sheet: css::Sheet, origin: Origin) {
        let bytes = self.source.bytes;
        css::references(bytes, range, sheet, |item| {
            if item.is_empty() {
                return;
            }
            if memchr::memchr(b'\\', &bytes[item.clone()]).is_none() {
                return self.emit(item, origin);
            }
            let text = self
                .events
                .store_with(|store| css::unescape(&bytes[item.clone()], store));
            self.push(self.source.span(item), text, origin);
        });
    }

    fn meta(&mut self, tag: &Tag, range: Range<usize>, mut origin: Origin) {
        let is_refresh = tag.value(Attribute::HttpEquiv).is_some_and(|value| {
            value::plain(&self.source, value).eq_ignore_ascii_case(b"refresh")
        });
        if is_refresh {
            origin.wants = Wants::Refresh;
            return self.decoding(range, Some(Place::Attribute), |report, range| {
                if let Some(item) = lists::refresh(report.source.bytes, range) {
                    origin.flags |= Flags::REFRESH;
                    report.emit(item, origin);
                }
            });
        }
        if self.document.options.extended && super::convention::is_reference(&self.source, tag) {
            origin.wants = Wants::Document;
            self.uri(Empty::Nothing, range, origin);
        }
    }

    /// Reports the references in the text of a style or script element.
    pub(super) fn contents(&mut self, tag: &Capture, range: Range<usize>) {
        let references = tag.has_references().then_some(Place::Text);
        let origin = tag.origin;
        match tag.kind {
            Contents::Css => self.css(range, css::Sheet::Whole, references, origin),
            Contents::Json(kind) => self.decoding(range, references, |report, range| {
                report.json(range, kind, origin);
            }),
        }
    }

    /// The same for text that has been put together.
    pub(super) fn decoded_contents(&mut self, capture: &Capture, whole: &Decoded) {
        let capture = Capture {
            space: Space::Html,
            ..*capture
        };
        let encoding = std::mem::replace(&mut self.document.charset.scanned, UTF_8);
        self.within(whole, |report, range| report.contents(&capture, range));
        self.document.charset.scanned = encoding;
    }

    fn json(&mut self, range: Range<usize>, kind: json::Kind, origin: Origin) {
        for item in json::references(self.source.bytes, range, kind) {
            let raw = &self.source.bytes[item.clone()];
            let text = self.events.store_with(|store| json::unescape(raw, store));
            self.push(self.source.span(item), text, origin);
        }
    }

    /// What the text of an element that was accepted may hold, if anything.
    pub(super) fn capture(&mut self, tag: &Tag, verdict: Verdict) -> Option<Capture> {
        let kind = tag.value(Attribute::Type);
        let kind = kind.map(|range| value::plain(&self.source, range));
        let kind = kind.as_deref().unwrap_or_default();
        let kind = match tag.element {
            Element::Style if tag.space == Space::MathMl => return None,
            Element::Style if kind.is_empty() || kind.eq_ignore_ascii_case(b"text/css") => {
                Contents::Css
            }
            Element::Script if tag.space == Space::Html => {
                let kind = kind.trim_ascii().to_ascii_lowercase();
                match &*kind {
                    b"importmap" => Contents::Json(json::Kind::ImportMap),
                    b"speculationrules" => Contents::Json(json::Kind::SpeculationRules),
                    b"application/ld+json" if self.document.options.extended => {
                        Contents::Json(json::Kind::LinkedData)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let origin = Origin {
            element: Name::Known(tag.element.name()),
            attribute: Name::Known("#text"),
            context: Context::Attribute,
            flags: self.flags(tag, verdict),
            wants: Wants::Document,
        };
        Some(Capture {
            kind,
            origin,
            space: tag.space,
        })
    }

    /// Reports a base element with `href`: the one that counts, or another.
    pub(super) fn base(&mut self, tag: &Tag, counts: bool) {
        let offset = self.source.offset(tag.start);
        if !counts {
            let event = Event::Diagnostic(&diagnostic::BASE_SECOND, offset);
            return self.events.push(event);
        }
        self.document.based = true;
        if self.document.references > 0 {
            let event = Event::Diagnostic(&diagnostic::BASE_AFTER_LINKS, offset);
            self.events.push(event);
        }
        self.name_base(tag);
    }

    /// Says that a base element is the one that counts.
    pub(super) fn name_base(&mut self, tag: &Tag) {
        let offset = self.source.offset(tag.start);
        if let Some(href) = tag.value(Attribute::Href) {
            let text = self.decoded(href);
            self.events.push(Event::Base(text, offset));
        }
    }
}

/// What the text of an element holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    Css,
    Json(json::Kind),
}

/// An element whose text is wanted.
#[derive(Clone, Copy)]
pub(super) struct Capture {
    kind: Contents,
    origin: Origin,
    space: Space,
}

impl Capture {
    /// Whether character references stand for characters in the text, as they do in foreign elements.
    pub(super) fn has_references(&self) -> bool {
        self.space != Space::Html
    }
}
