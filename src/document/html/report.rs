//! Reports references: applies the attribute table to tags that were accepted, and reads the text of
//! style and script elements.

use std::ops::Range;

use super::HtmlOptions;
use super::attributes::{ElementNamespace, EnabledRows, ValueSyntax};
use super::encoding::EncodingState;
use super::feedback::{Halt, TagFeedback};
use super::json::{self, ScriptJson};
use super::names::{Attribute, Element};
use super::tag::{Tag, named_values};
use super::value::CharacterContext;
use super::value_syntax::{self, LIMIT};
use crate::decode::charset;
use crate::document::css;
use crate::document::diagnostic::{self, Code};
use crate::document::events::{
    BaseSelector, Context, Escapes, Event, Events, FoundReference, NameRange, Quoting, RemarkKind,
    Span, TextRange,
};
use crate::document::flags::Flags;
use crate::document::json::unescape;
use crate::document::nested::NestedScanners;
use crate::document::source_text::{DecodedText, SourceText};
use crate::uri::ByteClasses;

#[derive(Default)]
pub(super) struct ReportState {
    pub(super) options: HtmlOptions,
    pub(super) enabled: EnabledRows,
    pub(super) charset: EncodingState,
    /// Offset in the document from which on no restart is possible.
    pub(super) limit: u64,
    pub(super) depth: usize,
    pub(super) flags: Flags,
    pub(super) has_base: bool,
    pub(super) has_references: bool,
    /// Whether the base applies to a reference so far.
    pub(super) uses_base: bool,
    pub(super) text_scanners: Option<Box<NestedScanners>>,
    /// Decoders that are not in use, kept for their buffers.
    pub(super) decoders: Vec<DecodedText>,
    /// The buffer for the text of a link.
    pub(super) text: String,
}

pub(super) struct ReferenceReporter<'a, 'e, 'f> {
    pub(super) source: SourceText<'a>,
    pub(super) events: &'e mut Events<'f>,
    pub(super) document: &'e mut ReportState,
}

impl ReportState {
    pub(super) fn new(mut options: HtmlOptions, enabled: EnabledRows) -> Self {
        options.mail |= options.extended;
        ReportState {
            options,
            enabled,
            limit: u64::MAX,
            ..ReportState::default()
        }
    }

    pub(super) fn begin(&mut self, charset: EncodingState) {
        self.charset = charset;
        self.has_base = false;
        self.has_references = false;
        self.uses_base = false;
    }

    /// Whether nothing reported depends on the encoding.
    pub(super) fn is_silent(&self) -> bool {
        !self.has_references && !self.has_base
    }
}

/// Settles the references so far: their queries are in the encoding in which they were decoded,
/// although the document turns out to have another one.
pub(super) fn keep_encoding(offset: u64, events: &mut Events) {
    events.push(Event::Diagnostic(&diagnostic::HTML_APPROXIMATE, offset));
    events.push(Event::Settled);
}

impl<'a, 'e, 'f> ReferenceReporter<'a, 'e, 'f> {
    pub(super) fn new(
        source: SourceText<'a>,
        events: &'e mut Events<'f>,
        document: &'e mut ReportState,
    ) -> Self {
        ReferenceReporter {
            source,
            events,
            document,
        }
    }

    pub(super) fn reborrow(&mut self) -> ReferenceReporter<'a, '_, 'f> {
        ReferenceReporter::new(self.source, self.events, self.document)
    }
}

impl ReferenceReporter<'_, '_, '_> {
    pub(super) fn tag(&mut self, tag: &Tag, feedback: TagFeedback) {
        let flags = self.flags(tag, feedback);
        let mut described = None;
        for known in &tag.attributes {
            let (name, row, value) = (known.name, known.row, &known.value);
            let is_hidden = match name {
                Attribute::XlinkHref => tag.value(Attribute::Href).is_some(),
                // Both are one anchor.
                Attribute::Name => self.is_id(tag, value.clone()),
                _ => false,
            };
            let is_empty = value.is_empty() && row.grammar != ValueSyntax::AnyUri;
            if is_hidden
                || is_empty
                || row.is_extended && self.is_left_out(tag)
                || row.grammar == ValueSyntax::Condition
            {
                continue;
            }
            if row.grammar == ValueSyntax::Anchor {
                self.anchor(value.clone(), feedback);
                continue;
            }
            if value.len() > LIMIT {
                self.diagnose(&diagnostic::HTML_VALUE_TOO_LONG, tag.start);
                continue;
            }
            let is_link = matches!(row.grammar, ValueSyntax::Uri | ValueSyntax::AnyUri)
                && row.against == BaseSelector::Document;
            let mut description = (0, 0);
            if is_link && self.document.options.descriptions {
                description = *described.get_or_insert_with(|| self.describe(tag));
            }
            let (element, base) = (self.element(tag), self.base_selector(tag, row.against));
            let origin = || FoundReference {
                element,
                attribute: NameRange::Known(name.name()),
                flags,
                base,
                description,
                ..FoundReference::new(Span::default(), TextRange::Window(0, 0), Context::Attribute)
            };
            match row.grammar {
                ValueSyntax::Uri | ValueSyntax::AnyUri => self.uri(value.clone(), origin()),
                grammar => self.attribute(tag, grammar, value.clone(), origin()),
            }
        }
    }

    pub(super) fn diagnose(&mut self, code: &'static Code, at: usize) {
        let offset = self.source.offset(at);
        self.events.push(Event::Diagnostic(code, offset));
    }

    /// Returns whether references by convention are not wanted. In conditional comments elements of VML have them.
    fn is_left_out(&self, tag: &Tag) -> bool {
        let name = &self.source.bytes[tag.name.clone()];
        !self.document.options.extended && !name.contains(&b':')
    }

    /// Reports an anchor. A fragment cannot name elements in templates and srcdoc documents.
    #[inline(never)]
    fn anchor(&mut self, range: Range<usize>, feedback: TagFeedback) {
        if !feedback.inert && self.document.depth == 0 {
            let offset = self.source.offset(range.start);
            let text = self.decoded(range);
            self.events.push(Event::Anchor(text, offset));
        }
    }

    fn is_id(&self, tag: &Tag, value: Range<usize>) -> bool {
        let id = tag.value(Attribute::Id);
        id.is_some_and(|id| self.source.bytes[id] == self.source.bytes[value])
    }

    fn flags(&self, tag: &Tag, feedback: TagFeedback) -> Flags {
        let (bytes, name_end) = (self.source.bytes, tag.name.end);
        let has = |name: &String| named_values(bytes, name_end, [name.as_bytes()]).0 != [None];
        let is_ignored = self.document.options.ignore.as_ref().is_some_and(has);
        let flags = self.document.flags | Flags::INERT.when(feedback.inert);
        flags | Flags::IGNORED.when(is_ignored)
    }

    fn element(&mut self, tag: &Tag) -> NameRange {
        if tag.element != Element::Other {
            return NameRange::Known(tag.element.name());
        }
        let range = tag.name.clone();
        let name = (self.source).name(range.clone(), self.document.charset.scanned);
        NameRange::other(self.source.stored(range, name, self.events))
    }

    fn base_selector(&mut self, tag: &Tag, against: BaseSelector) -> BaseSelector {
        if !matches!(against, BaseSelector::Codebase(_)) {
            return against;
        }
        match tag.value(Attribute::Codebase) {
            Some(range) if !range.is_empty() => BaseSelector::Codebase(self.decoded(range)),
            _ => BaseSelector::Document,
        }
    }

    #[inline(never)]
    pub(super) fn decoded(&mut self, range: Range<usize>) -> TextRange {
        let encoding = self.document.charset.scanned;
        self.source.value(range, encoding, self.events)
    }

    #[inline(never)]
    fn attribute(
        &mut self,
        tag: &Tag,
        grammar: ValueSyntax,
        range: Range<usize>,
        mut origin: FoundReference,
    ) {
        let references = Some(CharacterContext::Attribute);
        match grammar {
            ValueSyntax::ParamValue => {
                if self.has_keyword(tag, Attribute::Valuetype, "ref") {
                    self.uri(range, origin);
                }
            }
            ValueSyntax::MetaContent => {
                if self.has_keyword(tag, Attribute::HttpEquiv, "refresh") {
                    origin.base = BaseSelector::Refresh;
                    origin.flags |= Flags::REFRESH;
                    self.with_decoded(range, references, |report, range| {
                        if let Some(item) = value_syntax::refresh(report.source.bytes, range) {
                            report.emit(item, Escapes::Item, origin);
                        }
                    });
                } else if self.document.options.extended && self.content_is_reference(tag) {
                    self.uri(range, origin);
                }
            }
            ValueSyntax::Document => self.srcdoc(range, origin.flags),
            ValueSyntax::CustomSrcset if !self.source.bytes[tag.name.clone()].contains(&b'-') => {}
            ValueSyntax::SpaceList
            | ValueSyntax::CommaList
            | ValueSyntax::Srcset
            | ValueSyntax::CustomSrcset
            | ValueSyntax::Location => self.with_decoded(range, references, |report, range| {
                for item in value_syntax::items(grammar, report.source.bytes, range) {
                    report.emit(item, Escapes::Item, origin);
                }
            }),
            ValueSyntax::Css => self.css(range, css::Sheet::Declarations, references, origin),
            _ => self.uri(range, origin),
        }
    }

    #[inline(always)]
    fn uri(&mut self, range: Range<usize>, mut origin: FoundReference) {
        let span = self.source.span(range.clone());
        origin.quoting = self.quoting(&range, Some(CharacterContext::Attribute));
        let mut classes = ByteClasses::of(&self.source.bytes[range.clone()]);
        let text = if classes.is_plain() {
            self.source.text(range, self.events)
        } else {
            self.decoded(range)
        };
        // Only text in the window surely has the bytes of the value.
        if !matches!(text, TextRange::Window(..)) {
            classes = ByteClasses::default();
        }
        self.push(span, text, classes, origin);
    }

    #[inline(always)]
    fn push(
        &mut self,
        span: Span,
        text: TextRange,
        classes: ByteClasses,
        mut origin: FoundReference,
    ) {
        self.document.has_references = true;
        let is_without = matches!(origin.base, BaseSelector::Nothing | BaseSelector::Fallback);
        self.document.uses_base |= !is_without;
        (origin.span, origin.text, origin.classes) = (span, text, classes);
        self.events.push(Event::Reference(origin));
    }

    fn emit(&mut self, item: Range<usize>, escapes: Escapes, mut origin: FoundReference) {
        let span = self.source.span(item.clone());
        let text = self.source.text(item, self.events);
        origin.quoting = self.source.quoted(escapes);
        self.push(span, text, ByteClasses::default(), origin);
    }

    /// Returns the escapes of a range in the document.
    #[inline]
    fn quoting(&self, range: &Range<usize>, references: Option<CharacterContext>) -> Quoting {
        let before = range.start.checked_sub(1).map(|at| self.source.bytes[at]);
        match references {
            _ if self.source.is_final || references.is_none() => self.source.quoting,
            Some(CharacterContext::Attribute) if !matches!(before, Some(b'"' | b'\'')) => {
                self.source.quoted(Escapes::HtmlUnquoted)
            }
            _ => self.source.quoted(Escapes::Html),
        }
    }

    pub(super) fn with_decoded<T>(
        &mut self,
        range: Range<usize>,
        references: Option<CharacterContext>,
        then: impl FnOnce(&mut ReferenceReporter<'_, '_, '_>, Range<usize>) -> T,
    ) -> T {
        let encoding = self.document.charset.scanned;
        let quoting = self.quoting(&range, references);
        let mut report = self.reborrow();
        report.source.quoting = quoting;
        if !report.source.needs_decoding(range.clone(), encoding) {
            return then(&mut report, range);
        }
        let decoded = self.filled(range, references);
        let mut report = self.reborrow();
        report.source = decoded.source();
        let done = then(&mut report, 0..decoded.bytes.len());
        self.document.decoders.push(decoded);
        done
    }

    fn filled(&mut self, range: Range<usize>, references: Option<CharacterContext>) -> DecodedText {
        let mut decoded = self.document.decoders.pop().unwrap_or_default();
        let encoding = self.document.charset.scanned;
        decoded.quoting = self.quoting(&range, references);
        decoded.begin(0);
        decoded.append(&self.source, range, encoding, references);
        decoded
    }

    fn css(
        &mut self,
        range: Range<usize>,
        sheet: css::Sheet,
        references: Option<CharacterContext>,
        mut origin: FoundReference,
    ) {
        origin.context = Context::Style;
        origin.flags |= Flags::CSS;
        self.with_decoded(range, references, |report, range| {
            report.sheet(range, sheet, origin)
        });
    }

    fn sheet(&mut self, range: Range<usize>, sheet: css::Sheet, origin: FoundReference) {
        let bytes = self.source.bytes;
        css::references(bytes, range, sheet, |item| {
            if item.is_empty() {
                return;
            }
            if memchr::memchr(b'\\', &bytes[item.clone()]).is_none() {
                return self.emit(item, Escapes::Css, origin);
            }
            let quoting = self.source.quoted(Escapes::Css);
            let origin = FoundReference { quoting, ..origin };
            let text = self
                .events
                .store_with(|store| css::unescape(&bytes[item.clone()], store));
            // An escaped line break is removed.
            if !matches!(text, TextRange::Stored(start, end) if start == end) {
                self.push(self.source.span(item), text, ByteClasses::default(), origin);
            }
        });
    }

    pub(super) fn contents(&mut self, capture: &Capture, range: Range<usize>) {
        let references = capture.has_references.then_some(CharacterContext::Text);
        let origin = capture.origin;
        match capture.kind {
            ElementContents::Css => self.css(range, css::Sheet::Whole, references, origin),
            ElementContents::Json(kind) => self.with_decoded(range, references, |report, range| {
                report.json(range, kind, origin);
            }),
            ElementContents::Title => {
                let span = self.source.span(range.clone());
                let text = self.collapsed(std::iter::once((CharacterContext::Text, range)));
                self.events
                    .push(Event::remark(RemarkKind::Title, text, span));
            }
        }
    }

    /// Reports the references in text that was joined from several pieces and decoded.
    pub(super) fn decoded_contents(&mut self, capture: &Capture, whole: &DecodedText) {
        let mut report = self.reborrow();
        report.source = whole.source();
        report.source.is_final = true;
        report.contents(capture, 0..whole.bytes.len());
    }

    fn json(&mut self, range: Range<usize>, kind: ScriptJson, origin: FoundReference) {
        for item in json::references(self.source.bytes, range, kind) {
            let raw = &self.source.bytes[item.clone()];
            let text = self
                .events
                .store_with(|store| unescape(raw, store, &mut ()));
            let quoting = self.source.quoted(Escapes::Json);
            let origin = FoundReference { quoting, ..origin };
            self.push(self.source.span(item), text, ByteClasses::default(), origin);
        }
    }

    pub(super) fn capture(&mut self, tag: &Tag, feedback: TagFeedback) -> Option<Capture> {
        if !feedback.accepted {
            return None;
        }
        let media_type = tag.value(Attribute::Type);
        let media_type = media_type.map(|range| self.source.keyword(range));
        let media_type = media_type.unwrap_or_default().to_ascii_lowercase();
        let kind = match (tag.element, tag.space) {
            (Element::Title, ElementNamespace::Html) => {
                let is_title = self.document.options.titles && self.document.depth == 0;
                (is_title && !feedback.inert).then_some(ElementContents::Title)
            }
            (Element::Style, ElementNamespace::Html | ElementNamespace::Svg) => {
                matches!(&*media_type, b"" | b"text/css").then_some(ElementContents::Css)
            }
            (Element::Script, ElementNamespace::Html) => match media_type.trim_ascii() {
                b"importmap" => Some(ScriptJson::ImportMap),
                b"speculationrules" => Some(ScriptJson::SpeculationRules),
                b"application/ld+json" if self.document.options.mail => {
                    Some(ScriptJson::LinkedData)
                }
                _ => None,
            }
            .map(ElementContents::Json),
            _ => None,
        }?;
        Some(Capture {
            kind,
            origin: FoundReference {
                element: NameRange::Known(tag.element.name()),
                attribute: NameRange::Known("#text"),
                flags: self.flags(tag, feedback),
                ..FoundReference::new(Span::default(), TextRange::Window(0, 0), Context::Attribute)
            },
            has_references: tag.space != ElementNamespace::Html,
        })
    }

    /// Applies a `meta` element to the encoding; fails if the document must be decoded again.
    pub(super) fn apply_meta(&mut self, tag: &Tag) -> Result<(), Halt> {
        if !self.document.charset.tentative {
            return Ok(());
        }
        let transcoded = charset::needs_transcoding(self.document.charset.label);
        let Some(encoding) = self.document.charset.apply_meta(&self.source, tag) else {
            return Ok(());
        };
        let again =
            transcoded || !self.document.is_silent() || charset::needs_transcoding(encoding);
        let offset = self.source.offset(tag.start);
        if again && offset < self.document.limit {
            return Err(Halt::Encoding(encoding));
        }
        if again {
            keep_encoding(offset, self.events);
        }
        if !transcoded && !charset::needs_transcoding(encoding) {
            self.document.charset.change(encoding);
            self.events.push(Event::Encoding(encoding));
        }
        Ok(())
    }

    /// Reports a base element with `href`, which is the document's base if `is_first`.
    pub(super) fn base(&mut self, tag: &Tag, is_first: bool) {
        if !is_first {
            return self.diagnose(&diagnostic::HTML_BASE_SECOND, tag.start);
        }
        self.document.has_base = true;
        if self.document.uses_base {
            self.diagnose(&diagnostic::HTML_BASE_LATE, tag.start);
        }
        self.emit_base(tag);
        self.base_link(tag);
    }

    pub(super) fn emit_base(&mut self, tag: &Tag) {
        let offset = self.source.offset(tag.start);
        if let Some(href) = tag.value(Attribute::Href) {
            let text = self.decoded(href);
            self.events.push(Event::Base(text, offset));
        }
    }

    /// Reports the reference of the base element that names the base (`--report-base`).
    pub(super) fn base_link(&mut self, tag: &Tag) {
        if let Some(href) = tag.value(Attribute::Href)
            && self.document.options.report_base
            && !href.is_empty()
        {
            let origin = FoundReference {
                element: NameRange::Known("base"),
                attribute: NameRange::Known("href"),
                flags: self.document.flags,
                base: BaseSelector::Fallback,
                ..FoundReference::new(Span::default(), TextRange::Window(0, 0), Context::Attribute)
            };
            self.uri(href, origin);
        }
    }
}

#[derive(Clone, Copy)]
enum ElementContents {
    Css,
    Json(ScriptJson),
    Title,
}

#[derive(Clone, Copy)]
pub(in crate::document) struct Capture {
    kind: ElementContents,
    origin: FoundReference,
    /// Whether character references are decoded in style sheets and JSON, as they are in foreign elements.
    pub(super) has_references: bool,
}

impl ReferenceReporter<'_, '_, '_> {
    fn has_keyword(&self, tag: &Tag, attribute: Attribute, keyword: &str) -> bool {
        let value = tag.value(attribute).map(|range| self.source.keyword(range));
        value.is_some_and(|value| value.eq_ignore_ascii_case(keyword.as_bytes()))
    }

    /// Whether other attributes of a `meta` make its `content` a reference.
    fn content_is_reference(&self, tag: &Tag) -> bool {
        let has_name = |name: &str| {
            self.has_keyword(tag, Attribute::Property, name)
                || self.has_keyword(tag, Attribute::Name, name)
        };
        tag.value(Attribute::ItemProp).is_some() || PROPERTIES.split(' ').any(has_name)
    }

    /// Reports the URIs in character data between two tags (`--html-text`), by the rules for plain text.
    pub(super) fn character_data(
        &mut self,
        range: Range<usize>,
        references: Option<CharacterContext>,
        flags: Flags,
    ) {
        let flags = flags | self.document.flags;
        let Some(mut scanners) = self.document.text_scanners.take() else {
            return;
        };
        let decoded = self.filled(range, references);
        let has_references = &mut self.document.has_references;
        scanners.free_text(decoded.source(), self.events, |found, _| {
            *has_references = true;
            found.context = Context::Text;
            found.flags |= flags;
            found.alternatives = (0, 0);
        });
        self.document.decoders.push(decoded);
        self.document.text_scanners = Some(scanners);
    }
}

/// Values of `property` and `name`, separated by spaces, that make the `content` of a `meta` a
/// reference (`--extended`).
const PROPERTIES: &str = "og:image og:image:url og:image:secure_url og:video og:video:url \
    og:video:secure_url og:audio og:audio:url og:audio:secure_url og:url twitter:image \
    twitter:image:src twitter:player twitter:player:stream msapplication-tileimage \
    msapplication-config";
