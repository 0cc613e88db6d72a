//! From accepted tags to references: the table applied to their attributes.

use std::ops::Range;

use encoding_rs::UTF_8;

use super::attributes::{
    AttributeRow, ElementNamespace, Empty, EnabledRows, ResolvedAgainst, ValueSyntax,
};
use super::encoding::EncodingState;
use super::feedback::TagFeedback;
use super::names::{Attribute, Element};
use super::tag::{Attributes, KnownAttribute, Tag, TagStep};
use super::value::{self, CharacterContext, DecodingNeeds, ValueDecoder, ValueSource};
use super::{HtmlOptions, LIMIT, css, json, srcdoc, value_syntax};
use crate::bytes::window::Window;
use crate::decode::charset::{Confidence, Detected};
use crate::document::events::{
    BaseSelector, Batch, Context, Event, Events, FoundReference, NameRange, Span, TextRange,
};
use crate::document::flags::Flags;
use crate::document::{Scan, ScanStart, diagnostic, text};

/// What the scanner of a document knows while it reports.
pub(super) struct ReportState {
    pub(super) options: HtmlOptions,
    pub(super) wanted: EnabledRows,
    pub(super) charset: EncodingState,
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
    pub(super) spare: Vec<ValueDecoder>,
}

/// Where references come from, while one tag is being reported.
#[derive(Clone, Copy)]
pub(super) struct ReferenceOrigin {
    element: NameRange,
    attribute: NameRange,
    context: Context,
    flags: Flags,
    wants: BaseSelector,
}

/// Reports what one source holds.
pub(super) struct ReferenceReporter<'a, 'e, 'f> {
    pub(super) source: ValueSource<'a>,
    pub(super) events: &'e mut Events<'f>,
    pub(super) document: &'e mut ReportState,
}

impl ReportState {
    pub(super) fn new(options: HtmlOptions, wanted: EnabledRows) -> Self {
        ReportState {
            options,
            wanted,
            charset: EncodingState::UTF_8,
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
    pub(super) fn begin(&mut self, charset: EncodingState) {
        self.charset = charset;
        self.based = false;
        self.references = 0;
    }

    /// Whether nothing that depends on the encoding has been reported.
    pub(super) fn is_silent(&self) -> bool {
        self.references == 0 && !self.based
    }
}

impl ReferenceReporter<'_, '_, '_> {
    /// Reports the references in the attributes of a tag that was accepted.
    pub(super) fn tag(&mut self, tag: &Tag, verdict: TagFeedback) {
        let flags = self.flags(tag, verdict);
        for held in &tag.attributes {
            let row = held.row;
            if row.grammar == ValueSyntax::Condition
                || !self.document.wanted.has(row)
                || held.attribute == Attribute::XlinkHref && tag.value(Attribute::Href).is_some()
            {
                continue;
            }
            if row.grammar == ValueSyntax::Anchor {
                if !self.repeats_id(tag, held) {
                    self.anchor(held.value.clone(), verdict);
                }
                continue;
            }
            if row.grammar == ValueSyntax::Uri && row.against == ResolvedAgainst::Document {
                // Nearly all are of this kind.
                let range = held.value.clone();
                if range.len() <= LIMIT {
                    let element = self.element(tag);
                    self.link(element, held.attribute, row.empty, range, flags);
                }
                continue;
            }
            let origin = ReferenceOrigin {
                element: self.element(tag),
                attribute: NameRange::Known(held.attribute.name()),
                context: Context::Attribute,
                flags,
                wants: self.wants(tag, row.against),
            };
            self.attribute(tag, row, held.value.clone(), origin);
        }
    }

    /// Reports what a fragment can name: what stands in a document of its own cannot be named.
    fn anchor(&mut self, range: Range<usize>, verdict: TagFeedback) {
        if !range.is_empty() && !verdict.inert && self.document.depth == 0 {
            let offset = self.source.offset(range.start);
            let text = self.decoded(range);
            self.events.push(Event::Anchor(text, offset));
        }
    }

    /// `<a id=x name=x>` names one place once.
    fn repeats_id(&self, tag: &Tag, held: &KnownAttribute) -> bool {
        let bytes = self.source.bytes;
        held.attribute == Attribute::Called
            && tag
                .value(Attribute::Id)
                .is_some_and(|id| bytes[id] == bytes[held.value.clone()])
    }

    fn flags(&self, tag: &Tag, verdict: TagFeedback) -> Flags {
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
        while let TagStep::Attribute(given) = attributes.step() {
            if bytes[given.name].eq_ignore_ascii_case(name) {
                return true;
            }
        }
        false
    }

    fn element(&mut self, tag: &Tag) -> NameRange {
        if tag.element != Element::Other {
            return NameRange::Known(tag.element.name());
        }
        let range = tag.name.clone();
        let name = &self.source.bytes[range.clone()];
        let lower = name
            .iter()
            .all(|&byte| byte != 0 && byte < 0x80 && !byte.is_ascii_uppercase());
        if lower {
            return NameRange::Other(self.source.text(range, self.events));
        }
        let mut decoded = self.document.spare.pop().unwrap_or_default();
        decoded.fill(&self.source, range, self.document.charset.scanned, None);
        decoded.bytes.make_ascii_lowercase();
        let name = NameRange::Other(self.events.store(&decoded.bytes));
        self.document.spare.push(decoded);
        name
    }

    fn wants(&mut self, tag: &Tag, against: ResolvedAgainst) -> BaseSelector {
        match against {
            ResolvedAgainst::Document => BaseSelector::Document,
            ResolvedAgainst::Fallback => BaseSelector::Fallback,
            ResolvedAgainst::Nothing => BaseSelector::Nothing,
            ResolvedAgainst::Codebase => match tag.value(Attribute::Codebase) {
                Some(range) if !range.is_empty() => BaseSelector::Codebase(self.decoded(range)),
                _ => BaseSelector::Document,
            },
        }
    }

    fn decoded(&mut self, range: Range<usize>) -> TextRange {
        value::text(
            &self.source,
            range,
            self.document.charset.scanned,
            self.events,
        )
    }

    fn attribute(
        &mut self,
        tag: &Tag,
        row: &AttributeRow,
        range: Range<usize>,
        origin: ReferenceOrigin,
    ) {
        // That its tag is too long has been told.
        if range.len() > LIMIT {
            return;
        }
        match row.grammar {
            ValueSyntax::Uri => self.uri(row.empty, range, origin),
            ValueSyntax::ParamValue => {
                let kind = tag.value(Attribute::Valuetype);
                let kind = kind.map(|range| value::plain(&self.source, range));
                if kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"ref")) {
                    self.uri(row.empty, range, origin);
                }
            }
            ValueSyntax::MetaContent => self.meta(tag, range, origin),
            ValueSyntax::Document => srcdoc::scan(self, range, origin.flags),
            ValueSyntax::SpaceList => {
                self.decoding(range, Some(CharacterContext::Attribute), |report, range| {
                    for item in value_syntax::spaced(report.source.bytes, range) {
                        report.emit(item, origin);
                    }
                })
            }
            ValueSyntax::CommaList => {
                self.decoding(range, Some(CharacterContext::Attribute), |report, range| {
                    for item in value_syntax::commas(report.source.bytes, range) {
                        report.emit(item, origin);
                    }
                })
            }
            ValueSyntax::CustomSrcset => {
                if self.source.bytes[tag.name.clone()].contains(&b'-') {
                    self.srcset(range, origin);
                }
            }
            ValueSyntax::Srcset => self.srcset(range, origin),
            ValueSyntax::Css => {
                self.css(
                    range,
                    css::Sheet::Declarations,
                    Some(CharacterContext::Attribute),
                    origin,
                );
            }
            ValueSyntax::Location => {
                self.decoding(range, Some(CharacterContext::Attribute), |report, range| {
                    for item in value_syntax::locations(report.source.bytes, range) {
                        report.emit(item, origin);
                    }
                })
            }
            ValueSyntax::Anchor | ValueSyntax::Condition => {}
        }
    }

    fn srcset(&mut self, range: Range<usize>, origin: ReferenceOrigin) {
        self.decoding(range, Some(CharacterContext::Attribute), |report, range| {
            for item in value_syntax::srcset(report.source.bytes, range) {
                report.emit(item, origin);
            }
        });
    }

    /// Reports the plain kind of reference.
    #[inline(always)]
    fn link(
        &mut self,
        element: NameRange,
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
        self.events.push(Event::Reference(FoundReference {
            element,
            attribute: NameRange::Known(attribute.name()),
            flags,
            ..FoundReference::new(span, text, Context::Attribute)
        }));
    }

    fn uri(&mut self, empty: Empty, range: Range<usize>, origin: ReferenceOrigin) {
        if range.is_empty() && empty == Empty::Nothing {
            return;
        }
        let span = self.source.span(range.clone());
        let text = self.decoded(range);
        self.push(span, text, origin);
    }

    fn push(&mut self, span: Span, text: TextRange, origin: ReferenceOrigin) {
        self.document.references += 1;
        self.events.push(Event::Reference(FoundReference {
            element: origin.element,
            attribute: origin.attribute,
            flags: origin.flags,
            wants: origin.wants,
            ..FoundReference::new(span, text, origin.context)
        }));
    }

    /// Reports an item of a value that needs no decoding any more.
    fn emit(&mut self, item: Range<usize>, origin: ReferenceOrigin) {
        let span = self.source.span(item.clone());
        let text = self.source.text(item, self.events);
        self.push(span, text, origin);
    }

    /// Hands a value on as it stands, or decoded where it must be.
    pub(super) fn decoding(
        &mut self,
        range: Range<usize>,
        references: Option<CharacterContext>,
        then: impl FnOnce(&mut ReferenceReporter<'_, '_, '_>, Range<usize>),
    ) {
        let encoding = self.document.charset.scanned;
        if value::needs(self.source.bytes, range.clone(), encoding) == DecodingNeeds::Nothing {
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
        decoded: &ValueDecoder,
        then: impl FnOnce(&mut ReferenceReporter<'_, '_, '_>, Range<usize>),
    ) {
        let mut report = ReferenceReporter {
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
        references: Option<CharacterContext>,
        mut origin: ReferenceOrigin,
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

    fn sheet(&mut self, range: Range<usize>, sheet: css::Sheet, origin: ReferenceOrigin) {
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

    fn meta(&mut self, tag: &Tag, range: Range<usize>, mut origin: ReferenceOrigin) {
        let is_refresh = tag.value(Attribute::HttpEquiv).is_some_and(|value| {
            value::plain(&self.source, value).eq_ignore_ascii_case(b"refresh")
        });
        if is_refresh {
            origin.wants = BaseSelector::Refresh;
            return self.decoding(range, Some(CharacterContext::Attribute), |report, range| {
                if let Some(item) = value_syntax::refresh(report.source.bytes, range) {
                    origin.flags |= Flags::REFRESH;
                    report.emit(item, origin);
                }
            });
        }
        if self.document.options.extended && is_reference(&self.source, tag) {
            origin.wants = BaseSelector::Document;
            self.uri(Empty::Nothing, range, origin);
        }
    }

    /// Reports the references in the text of a style or script element.
    pub(super) fn contents(&mut self, tag: &Capture, range: Range<usize>) {
        let references = tag.has_references().then_some(CharacterContext::Text);
        let origin = tag.origin;
        match tag.kind {
            ElementContents::Css => self.css(range, css::Sheet::Whole, references, origin),
            ElementContents::Json(kind) => self.decoding(range, references, |report, range| {
                report.json(range, kind, origin);
            }),
        }
    }

    /// The same for text that has been put together.
    pub(super) fn decoded_contents(&mut self, capture: &Capture, whole: &ValueDecoder) {
        let capture = Capture {
            space: ElementNamespace::Html,
            ..*capture
        };
        let encoding = std::mem::replace(&mut self.document.charset.scanned, UTF_8);
        self.within(whole, |report, range| report.contents(&capture, range));
        self.document.charset.scanned = encoding;
    }

    fn json(&mut self, range: Range<usize>, kind: json::ScriptJson, origin: ReferenceOrigin) {
        for item in json::references(self.source.bytes, range, kind) {
            let raw = &self.source.bytes[item.clone()];
            let text = self.events.store_with(|store| json::unescape(raw, store));
            self.push(self.source.span(item), text, origin);
        }
    }

    /// What the text of an element that was accepted may hold, if anything.
    pub(super) fn capture(&mut self, tag: &Tag, verdict: TagFeedback) -> Option<Capture> {
        let kind = tag.value(Attribute::Type);
        let kind = kind.map(|range| value::plain(&self.source, range));
        let kind = kind.as_deref().unwrap_or_default();
        let kind = match tag.element {
            Element::Style if tag.space == ElementNamespace::MathMl => return None,
            Element::Style if kind.is_empty() || kind.eq_ignore_ascii_case(b"text/css") => {
                ElementContents::Css
            }
            Element::Script if tag.space == ElementNamespace::Html => {
                let kind = kind.trim_ascii().to_ascii_lowercase();
                match &*kind {
                    b"importmap" => ElementContents::Json(json::ScriptJson::ImportMap),
                    b"speculationrules" => {
                        ElementContents::Json(json::ScriptJson::SpeculationRules)
                    }
                    b"application/ld+json" if self.document.options.extended => {
                        ElementContents::Json(json::ScriptJson::LinkedData)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let origin = ReferenceOrigin {
            element: NameRange::Known(tag.element.name()),
            attribute: NameRange::Known("#text"),
            context: Context::Attribute,
            flags: self.flags(tag, verdict),
            wants: BaseSelector::Document,
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
pub(super) enum ElementContents {
    Css,
    Json(json::ScriptJson),
}

/// An element whose text is wanted.
#[derive(Clone, Copy)]
pub(super) struct Capture {
    kind: ElementContents,
    origin: ReferenceOrigin,
    space: ElementNamespace,
}

impl Capture {
    /// Whether character references stand for characters in the text, as they do in foreign elements.
    pub(super) fn has_references(&self) -> bool {
        self.space != ElementNamespace::Html
    }
}

/// A scanner for the text between tags.
pub(super) struct Characters {
    scanner: text::TextScanner,
    events: Batch,
}

impl Characters {
    pub(super) fn new(options: &text::TextOptions) -> Box<Self> {
        Box::new(Characters {
            scanner: text::TextScanner::new(options.clone()),
            events: Batch::default(),
        })
    }

    fn scan(&mut self, bytes: &[u8]) -> &Batch {
        let detected = Detected {
            encoding: Some(UTF_8),
            mark: 0,
            confidence: Confidence::Certain,
        };
        self.scanner.begin(&ScanStart {
            detected: Some(detected),
            ..ScanStart::default()
        });
        let mut events = Events::from(std::mem::take(&mut self.events));
        events.clear();
        self.scanner.scan(Window::whole(bytes), &mut events);
        self.events = events.into();
        &self.events
    }
}

impl ReferenceReporter<'_, '_, '_> {
    /// Reports the URIs in text; a tag ends whatever stands before it.
    pub(super) fn characters(
        &mut self,
        range: Range<usize>,
        references: Option<CharacterContext>,
        flags: Flags,
    ) {
        let Some(mut characters) = self.document.characters.take() else {
            return;
        };
        let mut decoded = self.document.spare.pop().unwrap_or_default();
        decoded.fill(
            &self.source,
            range,
            self.document.charset.scanned,
            references,
        );
        let source = decoded.source();
        let found = characters.scan(source.bytes);
        for event in &found.list {
            let Event::Reference(reference) = event else {
                continue;
            };
            let (start, end) = (reference.span.start as usize, reference.span.end as usize);
            let text = self.events.store(found.bytes(reference.text, source.bytes));
            self.document.references += 1;
            self.events.push(Event::Reference(FoundReference {
                span: source.span(start..end),
                position: None,
                text,
                context: Context::Text,
                element: NameRange::None,
                attribute: NameRange::None,
                flags: reference.flags | flags | self.document.flags,
                alternatives: (0, 0),
                ..*reference
            }));
        }
        self.document.spare.push(decoded);
        self.document.characters = Some(characters);
    }
}

/// Values of `property` and `name` of a `meta` whose `content` is a reference.
const PROPERTIES: &[&[u8]] = &[
    b"og:image",
    b"og:image:url",
    b"og:image:secure_url",
    b"og:video",
    b"og:video:url",
    b"og:video:secure_url",
    b"og:audio",
    b"og:audio:url",
    b"og:audio:secure_url",
    b"og:url",
    b"twitter:image",
    b"twitter:image:src",
    b"twitter:player",
    b"twitter:player:stream",
    b"msapplication-tileimage",
    b"msapplication-config",
];

/// Whether the `content` of a `meta` is a reference by its other attributes.
pub(super) fn is_reference(source: &ValueSource<'_>, tag: &Tag) -> bool {
    let listed = |attribute| {
        tag.value(attribute).is_some_and(|range| {
            let value = value::plain(source, range).to_ascii_lowercase();
            PROPERTIES.contains(&&*value)
        })
    };
    listed(Attribute::Property)
        || listed(Attribute::Called)
        || tag.value(Attribute::ItemProp).is_some()
}
