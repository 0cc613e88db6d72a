//! Elements of XHTML, SVG and MathML that a reader of XML found: the same table and the same grammars
//! of values, without the tree builder of HTML.

use std::ops::Range;

use super::attributes::{ATTRIBUTES, AttributeSet, EnabledRows, ValueSyntax, row};
use super::encoding::EncodingState;
use super::feedback::{AfterTag, TagFeedback, TextKind};
use super::names::{Attribute, Element};
use super::report::{Capture, ReferenceReporter, ReportState};
use super::tag::{KnownAttribute, Tag};
use super::value::ValueSource;
use crate::decode::offset_map::OffsetMap;
use crate::document::FormatOptions;
use crate::document::diagnostic;
use crate::document::events::{Event, Events};
use crate::document::flags::Flags;

pub(in crate::document) use super::attributes::ElementNamespace as MarkupNamespace;

/// The text of an element that is to be searched.
pub(in crate::document) type MarkupContents = Capture;

/// The bytes that the ranges of a tag are ranges of.
#[derive(Clone, Copy)]
pub(in crate::document) enum MarkupValues<'a> {
    /// The bytes of a window, whose first has this offset: the values are as they stand.
    Window(&'a [u8], u64),
    /// Decoded values, and behind them the local name, with a map to the document.
    Decoded(&'a [u8], &'a OffsetMap),
}

/// A start tag, the attributes of which were added.
pub(in crate::document) struct MarkupTag<'a> {
    pub(in crate::document) values: MarkupValues<'a>,
    /// The local name.
    pub(in crate::document) name: Range<usize>,
}

/// An element as the table of HTML has it.
#[derive(Clone, Copy, Debug)]
pub(in crate::document) struct MarkupElement {
    namespace: MarkupNamespace,
    element: Element,
}

impl MarkupElement {
    /// Whether there may be references in its text.
    pub(in crate::document) fn has_contents(self) -> bool {
        matches!(self.element, Element::Style | Element::Script)
    }

    /// The element of a local name.
    pub(in crate::document) fn new(namespace: MarkupNamespace, name: &[u8]) -> Self {
        // Names of XML have a case, those of the table have none.
        let has_capital = name.iter().any(u8::is_ascii_uppercase);
        let element = match namespace == MarkupNamespace::Html && has_capital {
            true => Element::Other,
            false => Element::of(name),
        };
        MarkupElement { namespace, element }
    }
}

/// An attribute as the table of HTML has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) struct MarkupAttribute {
    attribute: Attribute,
    /// Whether the name has a capital letter, as no name of HTML has.
    has_capital: bool,
    ignores: bool,
}

impl MarkupAttribute {
    /// `href` of XLink, under any prefix.
    pub(in crate::document) const XLINK_HREF: Self = Self::plain(Attribute::XlinkHref);
    /// `xml:id`.
    pub(in crate::document) const ID: Self = Self::plain(Attribute::Id);
    /// One without rows.
    pub(in crate::document) const OTHER: Self = Self::plain(Attribute::Other);

    const fn plain(attribute: Attribute) -> Self {
        MarkupAttribute {
            attribute,
            has_capital: false,
            ignores: false,
        }
    }

    /// The attribute of a name, where the attribute `ignore` flags references.
    pub(in crate::document) fn new(name: &[u8], ignore: Option<&str>) -> Self {
        MarkupAttribute {
            attribute: Attribute::of(name),
            has_capital: name.iter().any(u8::is_ascii_uppercase),
            ignores: ignore.is_some_and(|ignore| name == ignore.as_bytes()),
        }
    }

    /// Whether the option names it that flags the references of an element.
    pub(in crate::document) fn ignores(self) -> bool {
        self.ignores
    }

    /// Whether it has a row on some element.
    pub(in crate::document) fn has_rows(self) -> bool {
        self.attribute != Attribute::Other
    }

    /// Whether it has rows, and all are of CSS.
    pub(in crate::document) fn is_css(self) -> bool {
        let mut rows = ATTRIBUTES.iter();
        let has_rows = self.has_rows();
        has_rows
            && rows.all(|row| row.attribute != self.attribute || row.grammar == ValueSyntax::Css)
    }
}

/// Reports the references of elements.
pub(in crate::document) struct MarkupReporter {
    state: ReportState,
    /// The tag that is being read, with the attributes that have a row on its element.
    tag: Tag,
    seen: AttributeSet,
}

/// Every tag of XML creates an element.
const ACCEPTED: TagFeedback = TagFeedback {
    accepted: true,
    inert: false,
    text: TextKind::Data,
    then: AfterTag::GoOn,
};

impl MarkupReporter {
    pub(in crate::document) fn new(options: &FormatOptions) -> Self {
        let mut html = options.html.clone();
        // The text of an element stands nowhere in one piece here.
        html.descriptions = false;
        let enabled = EnabledRows::new(&html, options.anchors);
        MarkupReporter {
            state: ReportState::new(html, enabled),
            tag: Tag::new(),
            seen: AttributeSet::default(),
        }
    }

    /// Starts a document.
    pub(in crate::document) fn begin(&mut self) {
        self.state.begin(EncodingState::UTF_8);
    }

    /// Starts a tag.
    #[inline]
    pub(in crate::document) fn begin_tag(&mut self, element: MarkupElement) {
        self.tag.attributes.clear();
        self.tag.space = element.namespace;
        self.tag.element = element.element;
        self.seen = AttributeSet::default();
        self.state.flags = Flags::NONE;
    }

    /// Adds an attribute with its raw value; returns whether the value is read.
    #[inline]
    pub(in crate::document) fn attribute(
        &mut self,
        given: MarkupAttribute,
        value: Range<usize>,
        raw: &[u8],
    ) -> bool {
        if given.ignores {
            self.state.flags = Flags::IGNORED;
        }
        let attribute = given.attribute;
        let Some(row) = row(self.tag.space, self.tag.element, attribute) else {
            return false;
        };
        let is_needless = match row.grammar {
            ValueSyntax::Anchor => !self.state.enabled.has(row),
            // All functions of CSS that hold references have parentheses.
            ValueSyntax::Css => memchr::memchr2(b'(', b'&', raw).is_none(),
            _ => false,
        };
        let is_foreign = given.has_capital && self.tag.space == MarkupNamespace::Html;
        if is_needless || is_foreign || !self.seen.insert(attribute) {
            return false;
        }
        self.tag.attributes.push(KnownAttribute {
            attribute,
            row,
            value,
        });
        true
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

    /// Whether nothing of the tag is to be reported.
    #[inline]
    pub(in crate::document) fn is_silent(&self) -> bool {
        self.tag.attributes.is_empty()
            && !matches!(self.tag.element, Element::Style | Element::Script)
    }

    /// Whether a `base` element has named the document's base.
    pub(in crate::document) fn has_base(&self) -> bool {
        self.state.has_base
    }

    /// Reports the references of a start tag; returns the syntax of the element's text if that may
    /// have references.
    pub(in crate::document) fn start_tag(
        &mut self,
        given: &MarkupTag<'_>,
        events: &mut Events,
    ) -> Option<MarkupContents> {
        let source = match given.values {
            MarkupValues::Window(bytes, offset) => ValueSource::window(bytes, offset),
            MarkupValues::Decoded(bytes, map) => ValueSource::decoded_xml(bytes, map),
        };
        let tag = &mut self.tag;
        tag.name = given.name.clone();
        let mut report = ReferenceReporter::new(source, events, &mut self.state);
        if tag.is_base() {
            if std::mem::replace(&mut report.document.has_base, true) {
                let at = report.source.offset(tag.name.start);
                let second = Event::Diagnostic(&diagnostic::BASE_SECOND, at);
                report.events.push(second);
            } else {
                report.emit_base(tag);
                report.events.push(Event::Settled);
            }
        }
        report.tag(tag, ACCEPTED);
        report.capture(tag, ACCEPTED)
    }

    /// Reports the references in the decoded text of an element.
    pub(in crate::document) fn contents(
        &mut self,
        contents: &MarkupContents,
        bytes: &[u8],
        map: &OffsetMap,
        events: &mut Events,
    ) {
        let source = ValueSource::decoded_xml(bytes, map);
        let mut report = ReferenceReporter::new(source, events, &mut self.state);
        report.contents(contents, 0..bytes.len());
    }
}

/// Decodes a character reference or one of HTML's names at the start of `bytes`, a `&`, and appends it;
/// returns its length.
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
