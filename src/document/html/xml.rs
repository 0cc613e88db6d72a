//! Elements of XHTML, SVG and MathML that a reader of XML found: the same table and the same grammars
//! of values, without the tree builder of HTML.

use std::ops::Range;

use super::attributes::{AttributeSet, EnabledRows, row};
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

/// A start tag with decoded values.
pub(in crate::document) struct MarkupTag<'a> {
    pub(in crate::document) namespace: MarkupNamespace,
    /// The decoded values, and behind them the local name.
    pub(in crate::document) bytes: &'a [u8],
    /// Maps `bytes` to the document.
    pub(in crate::document) map: &'a OffsetMap,
    /// The local name.
    pub(in crate::document) name: Range<usize>,
    /// Names of attributes, `xlink:href` under any prefix, and their values.
    pub(in crate::document) attributes: &'a [(&'a [u8], Range<usize>)],
}

/// Reports the references of elements.
pub(in crate::document) struct MarkupReporter {
    state: ReportState,
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
        let html = options.html.clone();
        let enabled = EnabledRows::new(&html, options.anchors);
        MarkupReporter {
            state: ReportState::new(html, enabled),
        }
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
        // Names of XML have a case, those of the table have none.
        let is_html = given.namespace == MarkupNamespace::Html;
        let is_foreign = |name: &[u8]| is_html && name.iter().any(u8::is_ascii_uppercase);
        let name = &given.bytes[given.name.clone()];
        let mut tag = Tag::new();
        tag.name = given.name.clone();
        tag.space = given.namespace;
        tag.element = match is_foreign(name) {
            true => return None,
            false => Element::of(name),
        };
        let mut seen = AttributeSet::default();
        for (name, value) in given.attributes {
            let attribute = Attribute::of(name);
            if attribute == Attribute::Other || is_foreign(name) || !seen.insert(attribute) {
                continue;
            }
            if let Some(row) = row(tag.space, tag.element, attribute) {
                let value = value.clone();
                tag.attributes.push(KnownAttribute {
                    attribute,
                    row,
                    value,
                });
            }
        }
        let ignore = self.state.options.ignore.as_deref();
        let is_ignored = ignore.is_some_and(|ignore| {
            given
                .attributes
                .iter()
                .any(|(name, _)| *name == ignore.as_bytes())
        });
        self.state.flags = match is_ignored {
            true => Flags::IGNORED,
            false => Flags::NONE,
        };
        let source = ValueSource::decoded_xml(given.bytes, given.map);
        let mut report = ReferenceReporter::new(source, events, &mut self.state);
        if tag.is_base() {
            if std::mem::replace(&mut report.document.has_base, true) {
                let at = report.source.offset(tag.name.start);
                let second = Event::Diagnostic(&diagnostic::BASE_SECOND, at);
                report.events.push(second);
            } else {
                report.emit_base(&tag);
                report.events.push(Event::Settled);
            }
        }
        report.tag(&tag, ACCEPTED);
        report.capture(&tag, ACCEPTED)
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
