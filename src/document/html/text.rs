//! URIs that stand in character data (`--html-text`), by the rules for plain text.

use std::ops::Range;

use encoding_rs::UTF_8;

use super::character_references::CharacterContext;
use super::report::ReferenceReporter;
use crate::bytes::window::Window;
use crate::document::charset::{Confidence, Detected};
use crate::document::events::{Batch, Context, Event, Events, FoundReference, NameRange};
use crate::document::flags::Flags;
use crate::document::{Scan, ScanStart, text};

/// A scanner for the text between tags.
pub(super) struct Characters {
    scanner: text::TextScanner,
    events: Batch,
}

impl Characters {
    pub(super) fn new(options: &text::TextOptions) -> Box<Self> {
        Box::new(Characters {
            scanner: text::TextScanner::new(options.clone()),
            events: Batch::default(),
        })
    }

    fn scan(&mut self, bytes: &[u8]) -> &Batch {
        let detected = Detected {
            encoding: Some(UTF_8),
            mark: 0,
            confidence: Confidence::Certain,
        };
        self.scanner.begin(&ScanStart {
            detected: Some(detected),
            ..ScanStart::default()
        });
        let mut events = Events::from(std::mem::take(&mut self.events));
        events.clear();
        self.scanner.scan(Window::whole(bytes), &mut events);
        self.events = events.into();
        &self.events
    }
}

impl ReferenceReporter<'_, '_, '_> {
    /// Reports the URIs in text; a tag ends whatever stands before it.
    pub(super) fn characters(
        &mut self,
        range: Range<usize>,
        references: Option<CharacterContext>,
        flags: Flags,
    ) {
        let Some(mut characters) = self.document.characters.take() else {
            return;
        };
        let mut decoded = self.document.spare.pop().unwrap_or_default();
        decoded.fill(
            &self.source,
            range,
            self.document.charset.scanned,
            references,
        );
        let source = decoded.source();
        let found = characters.scan(source.bytes);
        for event in &found.list {
            let Event::Reference(reference) = event else {
                continue;
            };
            let (start, end) = (reference.span.start as usize, reference.span.end as usize);
            let text = self.events.store(found.bytes(reference.text, source.bytes));
            self.document.references += 1;
            self.events.push(Event::Reference(FoundReference {
                span: source.span(start..end),
                position: None,
                text,
                context: Context::Text,
                element: NameRange::None,
                attribute: NameRange::None,
                flags: reference.flags | flags | self.document.flags,
                alternatives: (0, 0),
                ..*reference
            }));
        }
        self.document.spare.push(decoded);
        self.document.characters = Some(characters);
    }
}
