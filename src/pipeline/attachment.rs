//! Archives, packages and PDF that are attachments of messages.

use std::fmt;
use std::sync::Arc;

use super::archive::ArchiveReader;
use super::changing_sink::{ChangingSink, SinkChange};
use super::nested_output::NestedOutput;
use super::options::{Archived, PipelineOptions};
use crate::document::ArchiveCounts;
use crate::document::mail::Attachments;
use crate::extractor::Extractor;
use crate::linker::{Attachment, AttachmentReader, Link, LinkMember, Sink};

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

impl fmt::Debug for AttachedFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AttachedFiles")
            .finish_non_exhaustive()
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
        let mut sink = ChangingSink {
            sink,
            change: OfMessage(&attachment.message),
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
struct OfMessage<'a>(&'a LinkMember<'a>);

impl SinkChange for OfMessage<'_> {
    fn link<S: Sink + ?Sized>(&mut self, link: &Link<'_>, sink: &mut S) {
        if link.part.message_offset.is_some() {
            return sink.link(link);
        }
        let part = &LinkMember {
            message_id: self.0.message_id,
            message_offset: self.0.message_offset,
            envelope: self.0.envelope,
            ..*link.part
        };
        sink.link(&Link { part, ..*link });
    }
}
