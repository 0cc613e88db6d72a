//! Attributes of a tag, and what they say of the text behind it.

use super::elements::{ElementKind, OpenElements, XmlContents};
use super::field::{self, FieldResource};
use super::report::{reference, report, seconds, trimmed};
use super::tag::{RawXmlAttribute, XmlTag};
use super::text::{Piece, XmlValues};
use super::tokens::split_name;
use super::vocabulary::{self, Namespace, ValueKind};
use crate::bytes::window::Window;
use crate::document::events::{BaseSelector, Event, Events, FoundReference, NameRange, TextRange};
use crate::document::flags::Flags;
use crate::document::html::xml::{MarkupContents, MarkupElement, MarkupReporter};
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
        let found = self.tag.attribute(window.bytes, wanted);
        let value = found.map_or(&b""[..], |found| &self.values.value(window, found).bytes);
        let is_read = match kind {
            ValueKind::Guid => value != b"false",
            _ => value == b"html" || value.eq_ignore_ascii_case(b"text/html"),
        };
        self.values.entities.faults.clear();
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
        for attribute in &tag.attributes {
            let mut name = &bytes[attribute.name.clone()];
            if attribute.has_prefix {
                let (prefix, local) = split_name(name);
                name = match (self.elements.binding(prefix), local) {
                    (Namespace::Xlink, b"href") => b"xlink:href",
                    (Namespace::Xml, b"id") => b"id",
                    _ => continue,
                };
            }
            let value = attribute.value.clone();
            markup.attribute(name, value.clone(), &bytes[value]);
        }
        if markup.is_silent() {
            return None;
        }
        let (_, local) = split_name(&bytes[tag.name.clone()]);
        // Values are decoded one behind the other, and the name stands behind them.
        self.values.text.begin(window.offset_at(tag.name.start));
        markup.decode_values(|value| {
            let start = self.values.text.bytes.len();
            self.values.append(window, value, Piece::Value);
            start..self.values.text.bytes.len()
        });
        self.values.report_faults(events);
        let text = &mut self.values.text;
        let start = text.bytes.len();
        text.bytes.extend_from_slice(local);
        markup.start_tag(&text.bytes, &text.map, start, events)
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
        if attribute.has_prefix {
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
            Namespace::Nameless => vocabulary::attribute_row(kind.rows, local, extended),
            // Also on elements of RDF.
            Namespace::Rdf => vocabulary::rdf_attribute(local, extended),
            known if known == kind.namespace => {
                vocabulary::attribute_row(kind.rows, local, extended)
            }
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
            NameRange::other(TextRange::window(start..tag.name.end))
        };
        let written = NameRange::other(TextRange::window(attribute.name.clone()));
        let text = self.values.value(window, attribute).source();
        let all = 0..text.bytes.len();
        let names = [
            element,
            row.map_or(written, |(known, _)| NameRange::Known(known)),
        ];
        let found = match row.map(|(_, value)| value) {
            Some(ValueKind::Pairs) => {
                for range in seconds(text.bytes) {
                    report(text, range, names, events);
                }
                None
            }
            Some(ValueKind::Field) => match field::resource(text.bytes) {
                FieldResource::Named(part) | FieldResource::Open(Some(part)) => {
                    reference(text, part, names, events)
                }
                _ => None,
            },
            // The place in what a relationship names is none in this workbook.
            Some(ValueKind::Location) if has_relationship(bytes, tag) => None,
            Some(ValueKind::Location) => {
                let mut fragment = b"#".to_vec();
                push_path(text.bytes, &mut fragment);
                let found = reference(text, all, names, events);
                found.map(|found| FoundReference {
                    resolves_as: Some(events.store(&fragment)),
                    ..found
                })
            }
            Some(value) => reference(text, all, names, events).map(|mut found| {
                if kind.namespace == Namespace::Rss {
                    found.flags = Flags::RSS;
                }
                if value == ValueKind::Relationship && is_external(bytes, tag) {
                    found.base = BaseSelector::Package;
                }
                found
            }),
            None if is_whole_uri(&text.bytes[trimmed(text.bytes, all.clone())]) => {
                let found = reference(text, all, names, events);
                found.map(|found| FoundReference {
                    flags: Flags::GUESSED,
                    ..found
                })
            }
            None => None,
        };
        if let Some(found) = found {
            events.push(Event::Reference(found));
        }
        self.values.report_faults(events);
    }

    /// Reports what a fragment can name.
    fn anchor(&mut self, attribute: &RawXmlAttribute, events: &mut Events) {
        let window = self.window;
        if self.options.anchors == AnchorReporting::Report {
            let text = self.values.value(window, attribute);
            if !text.bytes.is_empty() {
                let anchor = events.store(&text.bytes);
                events.push(Event::Anchor(anchor, text.map.start(0)));
            }
            self.values.report_faults(events);
        }
    }

    /// Whether the type of a link of XLink is none, or one that leads somewhere (XLink 1.1, 5).
    fn is_xlink(&self) -> bool {
        let (window, tag) = (self.window, self.tag);
        let mut prefixed = tag.attributes.iter().filter(|given| given.has_prefix);
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
    let mut attributes = tag.attributes.iter().filter(|given| given.has_prefix);
    attributes.any(|given| split_name(&bytes[given.name.clone()]).1 == b"id")
}

/// Returns whether the target of a relationship lies outside the package (ECMA-376 part 2, 6.5.3.4).
fn is_external(bytes: &[u8], tag: &XmlTag) -> bool {
    let mode = tag.attribute(bytes, b"TargetMode");
    mode.is_some_and(|mode| bytes[mode.value.clone()] == *b"External")
}
