//! Archives, packages and PDF that are attachments of messages.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::archive::ArchiveReader;
use super::nested_output::NestedOutput;
use super::options::{Archived, PipelineOptions};
use crate::document::ArchiveCounts;
use crate::document::mail::Attachments;
use crate::extractor::{AttachmentReader, Extractor};
use crate::linker::{Attachment, Found, Link, LinkMember, Sink};

/// Makes an extractor, which opens attachments if the options ask for them.
pub(super) fn extractor(options: &PipelineOptions, nested: &NestedOutput) -> Extractor {
    let mut extractor = Extractor::new(&options.extractor);
    if options.extractor.formats.mail.attachments == Attachments::Open {
        let options = PipelineOptions {
            archives: Archived::Open,
            ..options.clone()
        };
        extractor.set_attachment_reader(AttachedFiles::of(Arc::new(options), nested));
    }
    extractor
}

/// Reads archives, packages and PDF in messages.
struct AttachedFiles {
    options: Arc<PipelineOptions>,
    /// Made for the first attachment; messages in it may have attachments, too.
    extractor: Option<Box<Extractor>>,
    nested: NestedOutput,
}

impl AttachedFiles {
    fn of(options: Arc<PipelineOptions>, nested: &NestedOutput) -> Box<Self> {
        Box::new(AttachedFiles {
            options,
            extractor: None,
            nested: nested.clone(),
        })
    }
}

impl AttachmentReader for AttachedFiles {
    fn read(&mut self, attachment: &Attachment<'_>, sink: &mut dyn Sink) -> ArchiveCounts {
        let (options, nested) = (&self.options, &self.nested);
        let extractor = self.extractor.get_or_insert_with(|| {
            let mut extractor = Extractor::new(&options.extractor);
            extractor.set_attachment_reader(AttachedFiles::of(Arc::clone(options), nested));
            Box::new(extractor)
        });
        let mut sink = OfMessage {
            message: &attachment.message,
            sink,
        };
        let reader = ArchiveReader::new(options, extractor, nested);
        // Reading from memory does not fail, and damage is diagnosed.
        let (outcome, _) = reader.read_attachment(attachment, &mut sink);
        ArchiveCounts {
            // Messages are counted, not what is in their attachments.
            members: 0,
            ..outcome.counts
        }
    }
}

/// Adds the message to the links in its attachment.
struct OfMessage<'a> {
    message: &'a LinkMember<'a>,
    sink: &'a mut dyn Sink,
}

impl Sink for OfMessage<'_> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        if link.part.message_offset.is_some() {
            return self.sink.link(link);
        }
        let part = &LinkMember {
            message_id: self.message.message_id,
            message_offset: self.message.message_offset,
            envelope: self.message.envelope,
            ..*link.part
        };
        self.sink.link(&Link { part, ..*link })
    }

    fn event(&mut self, found: &Found<'_>) {
        self.sink.event(found);
    }
}
