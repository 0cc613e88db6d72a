//! Attributes of a tag, and what they say of the text behind it.

use super::elements::{ElementKind, OpenElements, XmlContents};
use super::field::{self, FieldResource};
use super::names::split_name;
use super::report::{XmlReference, report, seconds, trimmed};
use super::tag::{RawXmlAttribute, XmlTag};
use super::text::Piece;
use super::values::XmlValues;
use super::vocabulary::{self, Namespace, ValueKind};
use crate::bytes::window::Window;
use crate::document::events::{BaseSelector, Event, Events, NameRange, TextRange};
use crate::document::flags::Flags;
use crate::document::html::xml::{
    MarkupAttribute, MarkupContents, MarkupElement, MarkupReporter, MarkupTag, MarkupValues,
};
use crate::document::text::schemes::is_whole_uri;
use crate::document::{AnchorReporting, FormatOptions};
use crate::uri::base::push_path;

/// Reports the attributes of a tag.
pub(super) struct AttributeReader<'r> {
    pub(super) options: &'r FormatOptions,
    pub(super) elements: &'r OpenElements,
    pub(super) values: &'r mut XmlValues,
    pub(super) window: &'r Window<'r>,
    pub(super) tag: &'r XmlTag,
}

impl AttributeReader<'_> {
    /// Returns how the text of an element with a row is read.
    pub(super) fn row_contents(&mut self, element: &'static str, kind: ValueKind) -> XmlContents {
        let wanted: &[u8] = match kind {
            ValueKind::Guid => b"isPermaLink",
            ValueKind::TypedHtml => b"type",
            _ => return XmlContents::Row(element, kind),
        };
        let window = self.window;
        let mut attributes = self.tag.attributes.iter();
        let found = attributes.find(|given| window.bytes[given.name.clone()] == *wanted);
        let value = found.map(|attribute| self.values.value(window, attribute));
        let value = value.map_or(&b""[..], |(source, range)| &source.bytes()[range]);
        let is_read = match kind {
            ValueKind::Guid => value != b"false",
            _ => value == b"html" || value.eq_ignore_ascii_case(b"text/html"),
        };
        self.values.text.faults.clear();
        match is_read {
            true => XmlContents::Row(element, kind),
            false => XmlContents::Ignored,
        }
    }

    /// Reports an element of XHTML, SVG or MathML by the table of HTML; returns what is to be known of the
    /// tag where the text of the element is read.
    pub(super) fn read_markup(
        &mut self,
        element: MarkupElement,
        markup: &mut MarkupReporter,
        events: &mut Events,
    ) -> Option<MarkupContents> {
        let (window, tag) = (self.window, self.tag);
        let bytes = window.bytes;
        markup.begin_tag(element);
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
            let is_known = markup.attribute(given, value, raw);
            is_plain &= attribute.is_plain || !is_known;
        }
        if markup.is_silent() {
            return None;
        }
        let (_, local) = split_name(&bytes[tag.name.clone()]);
        let given = match is_plain {
            true => MarkupTag {
                values: MarkupValues::Window(bytes, window.offset),
                name: tag.name.end - local.len()..tag.name.end,
            },
            false => {
                // Values are decoded one behind the other, and the name stands behind them.
                let (text, entities) = (&mut self.values.text, &mut self.values.entities);
                text.begin(window.offset_at(tag.name.start));
                markup.decode_values(|value| {
                    let start = text.bytes.len();
                    let offset = window.offset_at(value.start);
                    text.append(&bytes[value], offset, Piece::Value, entities);
                    start..text.bytes.len()
                });
                let start = text.bytes.len();
                text.bytes.extend_from_slice(local);
                self.values.report_faults(events);
                let text = &self.values.text;
                MarkupTag {
                    values: MarkupValues::Decoded(&text.bytes, &text.map),
                    name: start..text.bytes.len(),
                }
            }
        };
        markup.start_tag(&given, events)
    }

    /// Reports an attribute of an element that is none of markup.
    #[inline]
    pub(super) fn read_attribute(
        &mut self,
        attribute: &RawXmlAttribute,
        kind: &ElementKind,
        events: &mut Events,
    ) {
        let (window, tag) = (self.window, self.tag);
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
            return self.anchor(attribute, events);
        }
        let extended = self.options.html.extended;
        let row = match space {
            Namespace::Nameless => kind.rows.attribute(attribute.facts.rows),
            known if known == kind.namespace => kind.rows.attribute(attribute.facts.rows),
            Namespace::Rdf => vocabulary::rdf_attribute(local, extended),
            Namespace::Xlink if local == b"href" && self.is_xlink() => {
                Some(("xlink:href", ValueKind::Uri))
            }
            Namespace::SchemaInstance if local == b"schemaLocation" && extended => {
                Some(("xsi:schemaLocation", ValueKind::Pairs))
            }
            _ => None,
        };
        let may_guess =
            kind.is_guessed && matches!(space, Namespace::Nameless | Namespace::Unknown);
        if row.is_none() && !may_guess {
            return;
        }
        let element = {
            let (_, local) = split_name(&bytes[tag.name.clone()]);
            let start = tag.name.end - local.len();
            NameRange::Other(TextRange::window(start..tag.name.end))
        };
        let written = NameRange::Other(TextRange::window(attribute.name.clone()));
        let (source, range) = self.values.value(window, attribute);
        match row {
            Some((known, ValueKind::Pairs)) => {
                let names = [element, NameRange::Known(known)];
                for range in seconds(source.bytes(), range) {
                    report(&source, range, XmlReference::attribute(names), events);
                }
            }
            Some((known, ValueKind::Field)) => {
                let names = [element, NameRange::Known(known)];
                let resource = field::resource(&source.bytes()[range.clone()]);
                if let FieldResource::Named(part) | FieldResource::Open(Some(part)) = resource {
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
        self.values.report_faults(events);
    }

    /// Reports what a fragment can name.
    fn anchor(&mut self, attribute: &RawXmlAttribute, events: &mut Events) {
        let window = self.window;
        if self.options.anchors == AnchorReporting::Report {
            let (source, range) = self.values.value(window, attribute);
            if !range.is_empty() {
                let at = source.span(&range).start;
                let anchor = source.text(range, events);
                events.push(Event::Anchor(anchor, at));
            }
            self.values.report_faults(events);
        }
    }

    /// Whether the type of a link of XLink is none, or one that leads somewhere (XLink 1.1, 5).
    fn is_xlink(&self) -> bool {
        let (window, tag) = (self.window, self.tag);
        let mut prefixed = tag.attributes.iter().filter(|given| given.facts.has_prefix);
        let kind = prefixed.find(|given| {
            let (prefix, local) = split_name(&window.bytes[given.name.clone()]);
            local == b"type" && self.elements.binding(prefix) == Namespace::Xlink
        });
        let kind = kind.map(|kind| &window.bytes[kind.value.clone()]);
        kind.is_none_or(|kind| kind == b"simple" || kind == b"locator")
    }
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
