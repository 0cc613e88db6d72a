//! Elements of XHTML, SVG and MathML in XML: the same table and the same grammars of values, without
//! the tree builder of HTML.

use std::ops::Range;

use super::attributes::{EnabledRows, ValueSyntax, row};
use super::encoding::EncodingState;
use super::feedback::TagFeedback;
use super::names::{Attribute, Element};
use super::report::{Capture, ReferenceReporter, ReportState};
use super::tag::{KnownAttribute, Tag};
use crate::decode::offset_map::OffsetMap;
use crate::document::FormatOptions;
use crate::document::diagnostic;
use crate::document::events::{Escapes, Event, Events, Quoting};
use crate::document::flags::Flags;
use crate::document::source_text::{DecodedText, SourceText};

pub(in crate::document) use super::attributes::ElementNamespace as MarkupNamespace;

pub(in crate::document) type MarkupContents = Capture;

#[derive(Clone, Copy, Debug)]
pub(in crate::document) struct MarkupElement {
    namespace: MarkupNamespace,
    element: Element,
}

impl MarkupElement {
    pub(in crate::document) fn new(namespace: MarkupNamespace, name: &[u8]) -> Self {
        // Names in XML are case-sensitive; those in the table are not.
        let has_capital = name.iter().any(u8::is_ascii_uppercase);
        let element = if namespace == MarkupNamespace::Html && has_capital {
            Element::Other
        } else {
            Element::of(name)
        };
        MarkupElement { namespace, element }
    }
}

#[derive(Default)]
pub(in crate::document) struct MarkupReporter {
    /// Whether the document is XHTML, whose base element applies to all of it.
    pub(in crate::document) is_page: bool,
    state: ReportState,
    /// The tag that is being read, with the attributes that have a row on its element.
    tag: Tag,
}

impl MarkupReporter {
    pub(in crate::document) fn new(options: &FormatOptions) -> Self {
        let mut html = options.html.clone();
        // The text of an element is not contiguous here.
        html.descriptions = false;
        let enabled = EnabledRows::new(&html, options.anchors);
        MarkupReporter {
            state: ReportState::new(html, enabled),
            ..MarkupReporter::default()
        }
    }

    pub(in crate::document) fn begin(&mut self) {
        self.state.begin(EncodingState::default());
    }

    #[inline]
    pub(in crate::document) fn begin_tag(&mut self, element: MarkupElement) {
        self.tag.attributes.clear();
        self.tag.space = element.namespace;
        self.tag.element = element.element;
        self.state.flags = Flags::NONE;
    }

    /// Adds an attribute with its raw value.
    pub(in crate::document) fn attribute(&mut self, name: &[u8], value: Range<usize>, raw: &[u8]) {
        if (self.state.options.ignore.as_deref()).is_some_and(|ignore| name == ignore.as_bytes()) {
            self.state.flags = Flags::IGNORED;
        }
        let attribute = Attribute::of(name);
        let Some(row) = row(self.tag.space, self.tag.element, attribute) else {
            return;
        };
        // All functions of CSS that hold references have parentheses.
        let is_needless =
            row.grammar == ValueSyntax::Css && memchr::memchr2(b'(', b'&', raw).is_none();
        // No name of HTML has a capital letter.
        let is_foreign =
            self.tag.space == MarkupNamespace::Html && name.iter().any(u8::is_ascii_uppercase);
        if self.state.enabled.has(row)
            && !is_needless
            && !is_foreign
            && self.tag.value(attribute).is_none()
        {
            let name = attribute;
            self.tag
                .attributes
                .push(KnownAttribute { name, row, value });
        }
    }

    /// Decodes the values of the attributes, and replaces their ranges.
    pub(in crate::document) fn decode_values(
        &mut self,
        mut decode: impl FnMut(Range<usize>) -> Range<usize>,
    ) {
        for known in &mut self.tag.attributes {
            known.value = decode(known.value.clone());
        }
    }

    #[inline]
    pub(in crate::document) fn is_silent(&self) -> bool {
        self.tag.attributes.is_empty()
            && !matches!(self.tag.element, Element::Style | Element::Script)
    }

    pub(in crate::document) fn has_base(&self) -> bool {
        self.state.has_base
    }

    /// Reports the references of a start tag, given its decoded values followed by the local name from
    /// `name` on; returns the syntax of the element's text if it may have references.
    pub(in crate::document) fn start_tag(
        &mut self,
        bytes: &[u8],
        map: &OffsetMap,
        name: usize,
        events: &mut Events,
    ) -> Option<MarkupContents> {
        self.tag.name = name..bytes.len();
        let (is_page, quoting) = (self.is_page, Quoting::of(Escapes::Xml));
        let (mut report, tag) = self.report(SourceText::decoded(bytes, map, quoting), events);
        if tag.is_base() && is_page {
            if std::mem::replace(&mut report.document.has_base, true) {
                report.diagnose(&diagnostic::HTML_BASE_SECOND, tag.name.start);
            } else {
                report.emit_base(tag);
                report.events.push(Event::Settled);
                report.base_link(tag);
            }
        }
        // Every tag of XML creates an element.
        report.tag(tag, TagFeedback::ACCEPTED);
        report.capture(tag, TagFeedback::ACCEPTED)
    }

    pub(in crate::document) fn contents(
        &mut self,
        contents: &MarkupContents,
        text: &DecodedText,
        events: &mut Events,
    ) {
        let (mut report, _) = self.report(text.source(), events);
        report.contents(contents, 0..text.bytes.len());
    }

    /// Returns a reporter for text decoded from XML, and the tag.
    fn report<'e, 'f>(
        &'e mut self,
        mut text: SourceText<'e>,
        events: &'e mut Events<'f>,
    ) -> (ReferenceReporter<'e, 'e, 'f>, &'e Tag) {
        text.is_final = true;
        let report = ReferenceReporter::new(text, events, &mut self.state);
        (report, &self.tag)
    }
}

/// Decodes a character reference or one of HTML's names at the start of `bytes`, a `&`; returns its
/// length.
pub(in crate::document) fn decode_reference(bytes: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let before = out.len();
    if bytes.starts_with(b"&apos;") {
        out.push(b'\'');
        return Some(6);
    }
    let length = super::value::decode_reference(bytes, super::value::CharacterContext::Text, out)?;
    // XML has no names without a semicolon.
    if bytes[length - 1] != b';' {
        out.truncate(before);
        return None;
    }
    Some(length)
}
