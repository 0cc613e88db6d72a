//! Texts of elements: references, URIs in prose, and HTML.

use super::elements::XmlContents;
use super::entries::Entries;
use super::field::FieldInstruction;
use super::report::{is_absolute, reference, trimmed};
use super::vocabulary::ValueKind;
use crate::document::events::{
    BaseSelector, Event, Events, FoundReference, NameRange, RuleFamily, TextRange,
};
use crate::document::flags::Flags;
use crate::document::nested::{Member, NestedScanners, NestedScope, enter};
use crate::document::source_text::DecodedText;
use crate::document::{Format, FormatOptions, Positions};

/// Reports what is in texts of elements.
pub(super) struct ContentsReader {
    pub(super) entries: Entries,
    pub(super) field: FieldInstruction,
    /// Whether addresses of mail are URIs in prose.
    has_email: bool,
    nested: NestedScanners,
}

impl ContentsReader {
    pub(super) fn new(options: &FormatOptions) -> Self {
        ContentsReader {
            entries: Entries::default(),
            field: FieldInstruction::default(),
            has_email: options.text.email,
            nested: NestedScanners::new(options.clone()),
        }
    }

    /// Starts a document.
    pub(super) fn begin(&mut self, positions: Positions) {
        self.entries.clear();
        self.field.begin();
        self.nested.positions = positions;
    }

    /// Reports the text of an element.
    pub(super) fn report(
        &mut self,
        contents: XmlContents,
        text: &DecodedText,
        events: &mut Events,
    ) {
        let (element, kind) = match contents {
            XmlContents::Ignored | XmlContents::Markup => return,
            XmlContents::Guessed => return self.guess(text, events),
            XmlContents::Row(_, ValueKind::Field) => return self.field.run(text, events),
            XmlContents::Row(element, kind) => (element, kind),
        };
        let value = trimmed(&text.bytes, 0..text.bytes.len());
        let written = &text.bytes[value.clone()];
        if written.is_empty() {
            return;
        }
        let (mut flags, mut base) = (Flags::NONE, BaseSelector::Document);
        match kind {
            ValueKind::TypedHtml => return self.embedded(text, None, events),
            ValueKind::EntryHtml => {
                let link = self.entries.link();
                let link = link.map(|(link, at)| (events.store(link), at));
                return self.embedded(text, link, events);
            }
            ValueKind::Guid if !is_absolute(written) => return,
            ValueKind::RssUri => flags = Flags::RSS,
            ValueKind::EntryLink => {
                flags = Flags::RSS;
                self.entries
                    .set_link(written, text.map.start(value.start as u64));
            }
            ValueKind::Absolute if !is_absolute(written) => {
                flags = Flags::NONCONFORMING;
                base = BaseSelector::Nothing;
            }
            ValueKind::Absolute => flags = Flags::LISTED,
            _ => {}
        }
        let names = [NameRange::Known(element), NameRange::None];
        if let Some(found) = reference(text.source(), value, names, events) {
            events.push(Event::Reference(FoundReference {
                flags,
                base,
                ..found
            }));
        }
    }

    /// Reads an HTML document in the decoded text, with the link of its entry as its base.
    fn embedded(
        &mut self,
        text: &DecodedText,
        link: Option<(TextRange, u64)>,
        events: &mut Events,
    ) {
        // Without a tag there is no reference in HTML.
        if memchr::memchr(b'<', &text.bytes).is_none() {
            return;
        }
        let mut flags = match link {
            Some(_) => Flags::ASSUMED_BASE,
            None => Flags::NONE,
        };
        if !self.entries.is_empty() {
            flags |= Flags::RSS;
        }
        enter(None, RuleFamily::Markup, None, events);
        if let Some((link, at)) = link {
            events.push(Event::Base(link, at));
            events.push(Event::Settled);
        }
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
    }

    /// Reports the URIs in text of an unknown vocabulary.
    fn guess(&mut self, text: &DecodedText, events: &mut Events) {
        if memchr::memchr2(b':', b'.', &text.bytes).is_some() || self.has_email {
            self.nested.free_text(text.source(), events, |_, _| {});
        }
    }
}
