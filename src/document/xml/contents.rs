//! Texts of elements: references, URIs in prose, and HTML, whose base is the link of its item or channel
//! of RSS.

use super::elements::XmlContents;
use super::report::{reference, trimmed};
use super::scanner::XmlScanner;
use super::vocabulary::ValueKind;
use crate::document::Format;
use crate::document::events::{
    BaseSelector, Event, Events, FoundReference, NameRange, RuleFamily, TextRange,
};
use crate::document::flags::Flags;
use crate::document::nested::{Member, NestedScope, enter};
use crate::uri::scheme_length;

impl XmlScanner {
    pub(super) fn report_text(&mut self, contents: &XmlContents, events: &mut Events) {
        let text = &self.values.text;
        let row = match contents {
            XmlContents::Ignored => return,
            XmlContents::Markup(captured) => {
                return self.markup.contents(captured, text, events);
            }
            XmlContents::Guessed => {
                let may_hold_uri = memchr::memchr2(b':', b'.', &text.bytes).is_some();
                if may_hold_uri || self.options.text.email {
                    self.nested.free_text(text.source(), events, |_, _| {});
                }
                return;
            }
            XmlContents::Row(row) => row,
        };
        let value = trimmed(&text.bytes, 0..text.bytes.len());
        let written = &text.bytes[value.clone()];
        if row.kind == ValueKind::Field {
            return self.field.run(text, events);
        }
        if written.is_empty() {
            return;
        }
        let (mut flags, mut base) = (Flags::NONE, BaseSelector::Document);
        match row.kind {
            ValueKind::TypedHtml => return self.embedded(None, events),
            ValueKind::EntryHtml => {
                let link = self.entries.link();
                let link = link.map(|(link, at)| (events.store(link), *at));
                return self.embedded(link, events);
            }
            ValueKind::Guid if scheme_length(written).is_none() => return,
            ValueKind::RssUri => flags = Flags::RSS,
            ValueKind::EntryLink => {
                flags = Flags::RSS;
                let at = text.map.start(value.start as u64);
                self.entries.set_link(written, at);
            }
            ValueKind::Absolute if scheme_length(written).is_none() => {
                flags = Flags::NONCONFORMING;
                base = BaseSelector::Nothing;
            }
            ValueKind::Absolute => flags = Flags::LISTED,
            _ => {}
        }
        let names = [NameRange::Known(row.element), NameRange::None];
        if let Some(found) = reference(text.source(), value, names, events) {
            events.push(Event::Reference(FoundReference {
                flags,
                base,
                ..found
            }));
        }
    }

    fn embedded(&mut self, link: Option<(TextRange, u64)>, events: &mut Events) {
        let text = &self.values.text;
        // Without a tag, HTML has no references.
        if memchr::memchr(b'<', &text.bytes).is_none() {
            return;
        }
        let is_in_entry = !self.entries.open.is_empty();
        let flags = Flags::ASSUMED_BASE.when(link.is_some()) | Flags::RSS.when(is_in_entry);
        // A base element resolves against the link.
        if let Some((link, at)) = link {
            enter(None, RuleFamily::Markup, events);
            events.push(Event::Base(link, at));
            events.push(Event::Settled);
        }
        enter(None, RuleFamily::Markup, events);
        let member = Member {
            charset: b"utf-8".to_vec(),
            format: Format::HTML,
            scope: NestedScope::Enclosing,
            flags,
            diagnostic_offset: Some(text.map.start(0)),
            ..Member::default()
        };
        self.nested.nested(member, text.source(), events);
        events.push(Event::Leave);
        if link.is_some() {
            events.push(Event::Leave);
        }
    }
}
