//! The scanners and buffers that all parts and header fields of an archive share.

use super::MailOptions;
use super::header_field::{self, SLOT_COUNT};
use crate::document::events::Events;
use crate::document::nested::{KEPT, NestedScanners};
use crate::document::source_text::DecodedText;
use crate::document::{ArchiveCounts, FormatOptions};

/// The scanners of parts, the statistics, and shared buffers.
pub(super) struct PartScanners {
    pub(super) options: MailOptions,
    /// The slots of the header fields that the options ask for.
    pub(super) wanted_fields: [bool; SLOT_COUNT],
    pub(super) nested: NestedScanners,
    /// Text is also searched for references without a scheme.
    pub(super) finds_schemeless: bool,
    pub(super) counts: ArchiveCounts,
    /// A line of the current message may be quoted.
    pub(super) quoted: bool,
    pub(super) decoded: Vec<u8>,
    pub(super) field_text: DecodedText,
}

/// The scanners of an archive, with the batch to which they report.
pub(super) struct Run<'a, 'f> {
    pub(super) scanners: &'a mut PartScanners,
    pub(super) out: &'a mut Events<'f>,
}

impl PartScanners {
    pub(super) fn new(options: &FormatOptions) -> Self {
        let mut inner = options.clone();
        inner.html.mail = true;
        inner.html.max_document = inner.html.max_document.min(KEPT as u64);
        PartScanners {
            nested: NestedScanners::new(inner),
            finds_schemeless: options.text.www || options.text.email,
            wanted_fields: header_field::wanted_fields(&options.mail),
            options: options.mail.clone(),
            counts: ArchiveCounts::default(),
            quoted: false,
            decoded: Vec::new(),
            field_text: DecodedText::default(),
        }
    }
}
