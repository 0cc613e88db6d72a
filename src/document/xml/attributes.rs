//! Attributes of a tag, and their effect on the text after it.

use super::elements::XmlContents;
use super::field;
use super::report::{reference, report_item, seconds, trimmed};
use super::scanner::XmlScanner;
use super::text::RawText;
use super::tokens::{RawXmlAttribute, XmlTag, split_name};
use super::vocabulary::{self, Namespace, ValueKind, XmlRow};
use crate::document::AnchorReporting;
use crate::document::events::{
    BaseSelector, Event, FoundReference, NameRange, TextRange, WindowEvents,
};
use crate::document::flags::Flags;
use crate::document::text::schemes::is_whole_uri;
use crate::uri::base::push_path;

impl XmlScanner {
    /// Reports the attributes of a tag of the current kind; returns how its element's text is read.
    pub(super) fn read_tag(&mut self, tag: &XmlTag, run: &mut WindowEvents) -> XmlContents {
        let kind = self.kind;
        if let Some(markup) = kind.markup {
            self.markup.begin_tag(markup);
            return self.read_markup(tag, run);
        }
        for attribute in &tag.attributes {
            self.read_attribute(attribute, tag, run);
        }
        let text = vocabulary::TEXT.as_bytes();
        match vocabulary::find(kind.rows, text, self.options.html.extended) {
            Some(row) if row.kind == ValueKind::FieldMark => {
                self.field.mark(run.events);
                XmlContents::Ignored
            }
            Some(row) => self.row_text(row, tag, run),
            None if kind.is_guessed => XmlContents::Guessed,
            None => XmlContents::Ignored,
        }
    }

    fn row_text(&mut self, row: &'static XmlRow, tag: &XmlTag, run: &WindowEvents) -> XmlContents {
        let wanted: &[u8] = match row.kind {
            ValueKind::Guid => b"isPermaLink",
            ValueKind::TypedHtml => b"type",
            _ => return XmlContents::Row(row),
        };
        let (values, window) = (&mut self.values, &run.window);
        let found = tag.attribute(window.bytes, wanted);
        let value = found.map_or(&b""[..], |found| &values.value(window, found).bytes);
        let is_read = match row.kind {
            ValueKind::Guid if value == b"true" => {
                return XmlContents::Row(&vocabulary::PERMALINK[0]);
            }
            ValueKind::Guid => value != b"false",
            _ => value == b"html" || value.eq_ignore_ascii_case(b"text/html"),
        };
        self.values.entities.faults.clear();
        if is_read {
            XmlContents::Row(row)
        } else {
            XmlContents::default()
        }
    }

    /// Reports an element of XHTML, SVG or MathML by the table of HTML.
    fn read_markup(&mut self, tag: &XmlTag, run: &mut WindowEvents) -> XmlContents {
        let (markup, values, window) = (&mut self.markup, &mut self.values, &run.window);
        let bytes = window.bytes;
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
            return XmlContents::Ignored;
        }
        let (_, local) = split_name(&bytes[tag.name.clone()]);
        // The name follows the values.
        values.text.begin(window.offset_at(tag.name.start));
        markup.decode_values(|value| {
            let start = values.text.bytes.len();
            values.append(window, value, RawText::Value);
            start..values.text.bytes.len()
        });
        values.report_faults(run.events);
        let text = &mut values.text;
        let start = text.bytes.len();
        text.bytes.extend_from_slice(local);
        let captured = markup.start_tag(&text.bytes, &text.map, start, run.events);
        captured.map_or(XmlContents::Ignored, XmlContents::Markup)
    }

    #[inline]
    fn read_attribute(&mut self, raw: &RawXmlAttribute, tag: &XmlTag, run: &mut WindowEvents) {
        let kind = self.kind;
        let (bytes, events) = (run.window.bytes, &mut *run.events);
        let name = &bytes[raw.name.clone()];
        let (mut space, mut local) = (Namespace::Nameless, name);
        if raw.has_prefix {
            if name.starts_with(b"xmlns") {
                return;
            }
            let (prefix, rest) = split_name(name);
            (space, local) = (self.elements.binding(prefix), rest);
        }
        if local == b"id" && matches!(space, Namespace::Nameless | Namespace::Xml) {
            return self.anchor(raw, run);
        }
        let extended = self.options.html.extended;
        let row = match space {
            Namespace::Nameless => vocabulary::find(kind.rows, local, extended),
            // Also on elements of RDF.
            Namespace::Rdf => vocabulary::find_global(space, local, extended),
            known if known == kind.namespace => vocabulary::find(kind.rows, local, extended),
            Namespace::Xlink if local == b"href" && !self.is_xlink(bytes, tag) => None,
            Namespace::Xlink | Namespace::SchemaInstance => {
                vocabulary::find_global(space, local, extended)
            }
            _ => None,
        };
        let is_open = matches!(space, Namespace::Nameless | Namespace::Unknown);
        if row.is_none() && !(kind.is_guessed && is_open) {
            return;
        }
        let (_, element) = split_name(&bytes[tag.name.clone()]);
        let element = TextRange::window(tag.name.end - element.len()..tag.name.end);
        let written = NameRange::other(TextRange::window(raw.name.clone()));
        let names = [
            NameRange::other(element),
            row.map_or(written, |row| NameRange::Known(row.attribute)),
        ];
        let text = self.values.value(&run.window, raw).source();
        let all = 0..text.bytes.len();
        let found = match row.map(|row| row.kind) {
            Some(ValueKind::Pairs) => {
                for range in seconds(text.bytes) {
                    report_item(text, range, names, BaseSelector::Document, events);
                }
                None
            }
            Some(ValueKind::Field) => {
                let part = field::resource(text.bytes).range;
                if let Some(part) = part {
                    report_item(text, part, names, BaseSelector::Package, events);
                }
                None
            }
            // A location in a relationship's target is not in this workbook.
            Some(ValueKind::Location) if has_relationship(bytes, tag) => None,
            Some(ValueKind::Location) => {
                let mut fragment = b"#".to_vec();
                push_path(text.bytes, &mut fragment);
                reference(text, all, names, events).map(|found| FoundReference {
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
                let flags = Flags::GUESSED;
                reference(text, all, names, events).map(|found| FoundReference { flags, ..found })
            }
            None => None,
        };
        if let Some(found) = found {
            events.push(Event::Reference(found));
        }
        self.values.report_faults(events);
    }

    fn anchor(&mut self, attribute: &RawXmlAttribute, run: &mut WindowEvents) {
        if self.options.anchors == AnchorReporting::Leave {
            return;
        }
        let text = self.values.value(&run.window, attribute);
        if !text.bytes.is_empty() {
            let anchor = run.events.store(&text.bytes);
            run.events.push(Event::Anchor(anchor, text.map.start(0)));
        }
        self.values.report_faults(run.events);
    }

    /// Whether the type of a link of XLink is absent, or has a target (XLink 1.1, 5).
    fn is_xlink(&self, bytes: &[u8], tag: &XmlTag) -> bool {
        let mut prefixed = tag.attributes.iter().filter(|given| given.has_prefix);
        let kind = prefixed.find(|given| {
            let (prefix, local) = split_name(&bytes[given.name.clone()]);
            local == b"type" && self.elements.binding(prefix) == Namespace::Xlink
        });
        let kind = kind.map(|kind| &bytes[kind.value.clone()]);
        kind.is_none_or(|kind| kind == b"simple" || kind == b"locator")
    }
}

fn has_relationship(bytes: &[u8], tag: &XmlTag) -> bool {
    let mut attributes = tag.attributes.iter().filter(|given| given.has_prefix);
    attributes.any(|given| split_name(&bytes[given.name.clone()]).1 == b"id")
}

/// Returns whether the target of a relationship lies outside the package (ECMA-376 part 2, 6.5.3.4).
fn is_external(bytes: &[u8], tag: &XmlTag) -> bool {
    let mode = tag.attribute(bytes, b"TargetMode");
    mode.is_some_and(|mode| bytes[mode.value.clone()] == *b"External")
}
