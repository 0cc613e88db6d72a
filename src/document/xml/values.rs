//! Values of attributes, as they stand in a window or decoded.

use std::ops::Range;

use super::report::report_fault;
use super::tag::RawXmlAttribute;
use super::text::{Entities, Piece, XmlSource, XmlText};
use crate::bytes::window::Window;
use crate::document::events::Events;

/// The entities of a document, and the text that was decoded last.
#[derive(Default)]
pub(super) struct XmlValues {
    pub(super) entities: Entities,
    pub(super) text: XmlText,
}

impl XmlValues {
    /// Reports what is wrong with the references in the text that was decoded last.
    pub(super) fn report_faults(&mut self, events: &mut Events) {
        for (fault, at) in self.text.faults.drain(..) {
            report_fault(fault, at, events);
        }
    }

    /// Returns the text of an attribute's value, as it stands in the window or decoded.
    pub(super) fn value<'a>(
        &'a mut self,
        window: &Window<'a>,
        attribute: &RawXmlAttribute,
    ) -> (XmlSource<'a>, Range<usize>) {
        let value = attribute.value.clone();
        if attribute.is_plain {
            return (XmlSource::Window(window.bytes, window.offset), value);
        }
        let offset = window.offset_at(value.start);
        self.text.begin(offset);
        let raw = &window.bytes[value];
        (self.text).append(raw, offset, Piece::Value, &mut self.entities);
        (XmlSource::Decoded(&self.text), 0..self.text.bytes.len())
    }
}
