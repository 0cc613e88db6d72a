//! Reports references: applies the attribute table to tags that were accepted, and reads the text of
//! style and script elements.

use std::ops::Range;

use encoding_rs::UTF_8;

use super::attributes::{
    AttributeRow, ElementNamespace, Empty, EnabledRows, ResolvedAgainst, ValueSyntax,
};
use super::encoding::EncodingState;
use super::feedback::TagFeedback;
use super::names::{Attribute, Element};
use super::tag::{KnownAttribute, Tag, named_values};
use super::value::{self, CharacterContext, ValueDecoder, ValueSource};
use super::value_syntax::{self, LIMIT};
use super::{HtmlOptions, json, scanner};
use crate::document::events::{
    BaseSelector, Context, Event, Events, FoundReference, NameRange, Span, TextRange,
};
use crate::document::flags::Flags;
use crate::document::json::unescape;
use crate::document::nested::NestedScanners;
use crate::document::{css, diagnostic};
use crate::uri::ByteClasses;

/// State of one document while its references are reported.
pub(super) struct ReportState {
    pub(super) options: HtmlOptions,
    pub(super) enabled: EnabledRows,
    pub(super) charset: EncodingState,
    /// Offset in the document from which on no restart is possible.
    pub(super) limit: u64,
    /// The number of enclosing documents (srcdoc).
    pub(super) depth: usize,
    /// Flags that every reference gets.
    pub(super) flags: Flags,
    /// Whether a base element with `href` was reported.
    pub(super) has_base: bool,
    /// Number of references reported.
    pub(super) references: u64,
    /// Scans character data, if the options ask for that.
    pub(super) text_scanners: Option<Box<NestedScanners>>,
    /// Decoders that are not in use, kept for their buffers.
    pub(super) decoders: Vec<ValueDecoder>,
}

/// The common properties of references in one attribute or element text.
#[derive(Clone, Copy)]
pub(super) struct ReferenceOrigin {
    element: NameRange,
    attribute: NameRange,
    context: Context,
    flags: Flags,
    base: BaseSelector,
    /// The range of the description in the batch.
    description: (u32, u32),
}

/// Reports the references in one source of bytes.
pub(super) struct ReferenceReporter<'a, 'e, 'f> {
    pub(super) source: ValueSource<'a>,
    pub(super) events: &'e mut Events<'f>,
    pub(super) document: &'e mut ReportState,
}

impl ReportState {
    pub(super) fn new(options: HtmlOptions, enabled: EnabledRows) -> Self {
        ReportState {
            options,
            enabled,
            charset: EncodingState::UTF_8,
            limit: u64::MAX,
            depth: 0,
            flags: Flags::NONE,
            has_base: false,
            references: 0,
            text_scanners: None,
            decoders: Vec::new(),
        }
    }

    /// Starts a document, or the same one again.
    pub(super) fn begin(&mut self, charset: EncodingState) {
        self.charset = charset;
        self.has_base = false;
        self.references = 0;
    }

    /// Whether nothing that depends on the encoding was reported.
    pub(super) fn is_silent(&self) -> bool {
        self.references == 0 && !self.has_base
    }
}

impl<'a, 'e, 'f> ReferenceReporter<'a, 'e, 'f> {
    #[inline(always)]
    pub(super) fn new(
        source: ValueSource<'a>,
        events: &'e mut Events<'f>,
        document: &'e mut ReportState,
    ) -> Self {
        ReferenceReporter {
            source,
            events,
            document,
        }
    }
}

impl ReferenceReporter<'_, '_, '_> {
    /// Reports the references in the attributes of an accepted tag.
    pub(super) fn tag(&mut self, tag: &Tag, feedback: TagFeedback) {
        let flags = self.flags(tag, feedback);
        let mut description = None;
        for known in &tag.attributes {
            let (row, range) = (known.row, known.value.clone());
            let is_enabled = self.document.enabled.has(row)
                && (known.attribute != Attribute::XlinkHref
                    || tag.value(Attribute::Href).is_none());
            if !is_enabled || row.grammar == ValueSyntax::Condition {
                continue;
            }
            if row.grammar == ValueSyntax::Anchor {
                if !self.repeats_id(tag, known) {
                    self.anchor(range, feedback);
                }
                continue;
            }
            // The tag was diagnosed as too long.
            if range.len() > LIMIT {
                continue;
            }
            let is_link =
                row.grammar == ValueSyntax::Uri && row.against == ResolvedAgainst::Document;
            if is_link && self.document.options.descriptions {
                description.get_or_insert_with(|| self.describe(tag));
            }
            let origin = ReferenceOrigin {
                element: self.element(tag),
                attribute: NameRange::Known(known.attribute.name()),
                context: Context::Attribute,
                flags,
                base: self.base_selector(tag, row.against),
                description: description.filter(|_| is_link).unwrap_or_default(),
            };
            self.attribute(tag, row, range, origin);
        }
    }

    /// Reports an anchor. A fragment cannot name elements in templates and srcdoc documents.
    fn anchor(&mut self, range: Range<usize>, feedback: TagFeedback) {
        if !range.is_empty() && !feedback.inert && self.document.depth == 0 {
            let offset = self.source.offset(range.start);
            let text = self.decoded(range);
            self.events.push(Event::Anchor(text, offset));
        }
    }

    /// Whether `name` repeats `id`: both are one anchor.
    fn repeats_id(&self, tag: &Tag, known: &KnownAttribute) -> bool {
        let bytes = self.source.bytes;
        known.attribute == Attribute::Name
            && tag
                .value(Attribute::Id)
                .is_some_and(|id| bytes[id] == bytes[known.value.clone()])
    }

    fn flags(&self, tag: &Tag, feedback: TagFeedback) -> Flags {
        let mut flags = self.document.flags;
        if feedback.inert {
            flags |= Flags::INERT;
        }
        if let Some(ignore) = &self.document.options.ignore
            && let ([Some(_)], _) =
                named_values(self.source.bytes, tag.name.end, [ignore.as_bytes()])
        {
            flags |= Flags::IGNORED;
        }
        flags
    }

    /// Returns the element's name in lower case.
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
            return NameRange::other(self.source.text(range, self.events));
        }
        let mut decoded = self.document.decoders.pop().unwrap_or_default();
        decoded.fill(&self.source, range, self.document.charset.scanned, None);
        decoded.bytes.make_ascii_lowercase();
        let name = NameRange::other(self.events.store(&decoded.bytes));
        self.document.decoders.push(decoded);
        name
    }

    fn base_selector(&mut self, tag: &Tag, against: ResolvedAgainst) -> BaseSelector {
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

    pub(super) fn decoded(&mut self, range: Range<usize>) -> TextRange {
        let encoding = self.document.charset.scanned;
        value::decoded_text(&self.source, range, encoding, self.events)
    }

    fn attribute(
        &mut self,
        tag: &Tag,
        row: &AttributeRow,
        range: Range<usize>,
        origin: ReferenceOrigin,
    ) {
        match row.grammar {
            ValueSyntax::Uri => self.uri(row.empty, range, origin),
            ValueSyntax::ParamValue => {
                let kind = tag.value(Attribute::Valuetype);
                let kind = kind.map(|range| value::decoded_value(&self.source, range));
                if kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"ref")) {
                    self.uri(row.empty, range, origin);
                }
            }
            ValueSyntax::MetaContent => self.meta(tag, range, origin),
            ValueSyntax::Document => scanner::srcdoc(self, range, origin.flags),
            ValueSyntax::CustomSrcset if !self.source.bytes[tag.name.clone()].contains(&b'-') => {}
            ValueSyntax::SpaceList
            | ValueSyntax::CommaList
            | ValueSyntax::Srcset
            | ValueSyntax::CustomSrcset
            | ValueSyntax::Location => {
                self.with_decoded(range, Some(CharacterContext::Attribute), |report, range| {
                    for item in value_syntax::items(row.grammar, report.source.bytes, range) {
                        report.emit(item, origin);
                    }
                })
            }
            ValueSyntax::Css => {
                self.css(
                    range,
                    css::Sheet::Declarations,
                    Some(CharacterContext::Attribute),
                    origin,
                );
            }
            ValueSyntax::Anchor | ValueSyntax::Condition => {}
        }
    }

    /// Reports a value that is one reference.
    #[inline(always)]
    fn uri(&mut self, empty: Empty, range: Range<usize>, origin: ReferenceOrigin) {
        if range.is_empty() && empty == Empty::Nothing {
            return;
        }
        let span = self.source.span(range.clone());
        // Where no byte needs decoding, the text has the classes of the value.
        let classes = ByteClasses::of(&self.source.bytes[range.clone()]);
        if classes.is_plain() {
            let text = self.source.text(range, self.events);
            self.push(span, text, classes, origin);
        } else {
            let text = self.decoded(range);
            self.push(span, text, ByteClasses::default(), origin);
        }
    }

    #[inline(always)]
    fn push(&mut self, span: Span, text: TextRange, classes: ByteClasses, origin: ReferenceOrigin) {
        self.document.references += 1;
        self.events.push(Event::Reference(FoundReference {
            classes,
            element: origin.element,
            attribute: origin.attribute,
            flags: origin.flags,
            base: origin.base,
            description: origin.description,
            ..FoundReference::new(span, text, origin.context)
        }));
    }

    /// Reports a range of a value that is decoded already.
    fn emit(&mut self, item: Range<usize>, origin: ReferenceOrigin) {
        let span = self.source.span(item.clone());
        let text = self.source.text(item, self.events);
        self.push(span, text, ByteClasses::default(), origin);
    }

    /// Calls `then` with the value, decoded if it must be.
    pub(super) fn with_decoded(
        &mut self,
        range: Range<usize>,
        references: Option<CharacterContext>,
        then: impl FnOnce(&mut ReferenceReporter<'_, '_, '_>, Range<usize>),
    ) {
        let encoding = self.document.charset.scanned;
        if !self.source.needs_decoding(range.clone(), encoding) {
            return then(self, range);
        }
        let mut decoded = self.document.decoders.pop().unwrap_or_default();
        decoded.fill(&self.source, range, encoding, references);
        self.with_source(&decoded, then);
        self.document.decoders.push(decoded);
    }

    /// Calls `then` with decoded bytes as the source.
    pub(super) fn with_source(
        &mut self,
        decoded: &ValueDecoder,
        then: impl FnOnce(&mut ReferenceReporter<'_, '_, '_>, Range<usize>),
    ) {
        let mut report = ReferenceReporter::new(decoded.source(), self.events, self.document);
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
        self.with_decoded(range, references, |report, range| {
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
            // An escaped line break stands for nothing.
            if !matches!(text, TextRange::Stored(start, end) if start == end) {
                self.push(self.source.span(item), text, ByteClasses::default(), origin);
            }
        });
    }

    fn meta(&mut self, tag: &Tag, range: Range<usize>, mut origin: ReferenceOrigin) {
        let is_refresh = tag.value(Attribute::HttpEquiv).is_some_and(|value| {
            value::decoded_value(&self.source, value).eq_ignore_ascii_case(b"refresh")
        });
        if is_refresh {
            origin.base = BaseSelector::Refresh;
            return self.with_decoded(range, Some(CharacterContext::Attribute), |report, range| {
                if let Some(item) = value_syntax::refresh(report.source.bytes, range) {
                    origin.flags |= Flags::REFRESH;
                    report.emit(item, origin);
                }
            });
        }
        if self.document.options.extended && content_is_reference(&self.source, tag) {
            origin.base = BaseSelector::Document;
            self.uri(Empty::Nothing, range, origin);
        }
    }

    /// Reports the references in the text of a style or script element.
    pub(super) fn contents(&mut self, capture: &Capture, range: Range<usize>) {
        let references = capture.has_references.then_some(CharacterContext::Text);
        let origin = capture.origin;
        match capture.kind {
            ElementContents::Css => self.css(range, css::Sheet::Whole, references, origin),
            ElementContents::Json(kind) => self.with_decoded(range, references, |report, range| {
                report.json(range, kind, origin);
            }),
        }
    }

    /// Reports the references in text that was joined from several pieces and decoded.
    pub(super) fn decoded_contents(&mut self, capture: &Capture, whole: &ValueDecoder) {
        let capture = Capture {
            has_references: false,
            ..*capture
        };
        let encoding = std::mem::replace(&mut self.document.charset.scanned, UTF_8);
        self.with_source(whole, |report, range| report.contents(&capture, range));
        self.document.charset.scanned = encoding;
    }

    fn json(&mut self, range: Range<usize>, kind: json::ScriptJson, origin: ReferenceOrigin) {
        for item in json::references(self.source.bytes, range, kind) {
            let raw = &self.source.bytes[item.clone()];
            let text = self
                .events
                .store_with(|store| unescape(raw, store, &mut ()));
            self.push(self.source.span(item), text, ByteClasses::default(), origin);
        }
    }

    /// Returns the syntax of an accepted element's text, if it may have references.
    pub(super) fn capture(&mut self, tag: &Tag, feedback: TagFeedback) -> Option<Capture> {
        let kind = tag.value(Attribute::Type);
        let kind = kind.map(|range| value::decoded_value(&self.source, range));
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
            flags: self.flags(tag, feedback),
            base: BaseSelector::Document,
            description: (0, 0),
        };
        Some(Capture {
            kind,
            origin,
            has_references: tag.space != ElementNamespace::Html,
        })
    }

    /// Reports a base element with `href`, which is the document's base if `counts`.
    pub(super) fn base(&mut self, tag: &Tag, counts: bool) {
        let offset = self.source.offset(tag.start);
        if !counts {
            let event = Event::Diagnostic(&diagnostic::BASE_SECOND, offset);
            return self.events.push(event);
        }
        self.document.has_base = true;
        if self.document.references > 0 {
            let event = Event::Diagnostic(&diagnostic::BASE_AFTER_LINKS, offset);
            self.events.push(event);
        }
        self.emit_base(tag);
    }

    /// Emits the document's base.
    pub(super) fn emit_base(&mut self, tag: &Tag) {
        let offset = self.source.offset(tag.start);
        if let Some(href) = tag.value(Attribute::Href) {
            let text = self.decoded(href);
            self.events.push(Event::Base(text, offset));
        }
    }
}

/// The syntax of an element's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementContents {
    Css,
    Json(json::ScriptJson),
}

/// An element whose text is to be searched.
#[derive(Clone, Copy)]
pub(in crate::document) struct Capture {
    kind: ElementContents,
    origin: ReferenceOrigin,
    /// Whether character references count in the text, as they do in foreign elements.
    pub(super) has_references: bool,
}

impl ReferenceReporter<'_, '_, '_> {
    /// Reports the URIs in character data between two tags (`--html-text`), by the rules for plain text.
    pub(super) fn character_data(
        &mut self,
        range: Range<usize>,
        references: Option<CharacterContext>,
        flags: Flags,
    ) {
        let encoding = self.document.charset.scanned;
        let flags = flags | self.document.flags;
        let Some(scanners) = &mut self.document.text_scanners else {
            return;
        };
        let mut decoded = self.document.decoders.pop().unwrap_or_default();
        decoded.fill(&self.source, range, encoding, references);
        let count = &mut self.document.references;
        scanners.free_text(decoded.source(), self.events, |found, _| {
            *count += 1;
            found.context = Context::Text;
            found.flags |= flags;
            found.alternatives = (0, 0);
        });
        self.document.decoders.push(decoded);
    }
}

/// Values of `property` and `name`, separated by spaces, that make the `content` of a `meta` a
/// reference (`--extended`).
const PROPERTIES: &str = "og:image og:image:url og:image:secure_url og:video og:video:url \
    og:video:secure_url og:audio og:audio:url og:audio:secure_url og:url twitter:image \
    twitter:image:src twitter:player twitter:player:stream msapplication-tileimage \
    msapplication-config";

/// Whether other attributes of a `meta` make its `content` a reference.
fn content_is_reference(source: &ValueSource<'_>, tag: &Tag) -> bool {
    let listed = |attribute| {
        tag.value(attribute).is_some_and(|range| {
            let value = value::decoded_value(source, range);
            let mut names = PROPERTIES.split(' ');
            names.any(|name| value.eq_ignore_ascii_case(name.as_bytes()))
        })
    };
    listed(Attribute::Property)
        || listed(Attribute::Name)
        || tag.value(Attribute::ItemProp).is_some()
}
