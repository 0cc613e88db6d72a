//! What parts and fields are read by: one scanner for text and one for HTML, shared by every part
//! of an archive, and the counts of what was read.

use memchr::memmem;

use super::MailOptions;
use crate::bytes::window::{Bounds, Windows};
use crate::decode::offset_map::OffsetMap;
use crate::document::events::Batch;
use crate::document::{self, ArchiveCounts, Positions, Scan, html, text};

/// The longest HTML part that is kept to be read a second time.
pub(super) const HTML_KEPT: usize = 8 << 20;

/// The scanners of parts, and the batch that they report into.
pub(super) struct PartScanners {
    pub(super) options: MailOptions,
    pub(super) text: Box<dyn Scan>,
    pub(super) html: Box<dyn Scan>,
    /// Text also holds references that are no URIs as they stand.
    pub(super) abbreviated: bool,
    /// What a scanner reported last.
    pub(super) inner: Batch,
    pub(super) counts: ArchiveCounts,
    /// Whether lines are counted.
    pub(super) positions: Positions,
    /// A line of the message at hand may be quoted.
    pub(super) quoted: bool,
    /// Finds lines that start like a delimiter.
    pub(super) hyphens: memmem::Finder<'static>,
    /// Decoded bytes on their way, and clear text behind base64.
    pub(super) decoded: Vec<u8>,
    pub(super) scratch: Vec<u8>,
    /// From a field's text to its value.
    pub(super) map: OffsetMap,
}

impl PartScanners {
    pub(super) fn new(options: &document::FormatOptions) -> Self {
        let mut inner = options.clone();
        inner.html.max_document = inner.html.max_document.min(HTML_KEPT as u64);
        PartScanners {
            text: (text::FORMAT.scanner)(&inner),
            html: (html::FORMAT.scanner)(&inner),
            abbreviated: options.text.www || options.text.email,
            options: options.mail.clone(),
            inner: Batch::default(),
            counts: ArchiveCounts::default(),
            positions: Positions::default(),
            quoted: false,
            hyphens: memmem::Finder::new(b"\n--"),
            decoded: Vec::new(),
            scratch: Vec::new(),
            map: OffsetMap::default(),
        }
    }
}

/// How many bytes of text are scanned at a time.
pub(super) const PIECE: usize = 256 << 10;

/// The buffers of the text.
pub(super) struct BodyBuffers {
    pub(super) text: Windows,
    pub(super) scanned: Windows,
    pub(super) reflow: OffsetMap,
    /// How far the text was reflowed.
    pub(super) reflowed: u64,
    /// How far it was cleared of blobs.
    pub(super) cleared: u64,
    /// Scan when so much is pending.
    pub(super) threshold: usize,
    pub(super) begun: bool,
}

impl Default for BodyBuffers {
    fn default() -> Self {
        BodyBuffers {
            text: Windows::new(PIECE),
            scanned: Windows::new(PIECE),
            reflow: OffsetMap::default(),
            reflowed: 0,
            cleared: 0,
            threshold: PIECE,
            begun: false,
        }
    }
}

impl BodyBuffers {
    pub(super) fn begin(&mut self, bounds: Bounds, threshold: usize) {
        self.text.begin(bounds);
        self.scanned.begin(bounds);
        self.reflow.clear();
        self.reflowed = 0;
        self.cleared = 0;
        self.threshold = threshold;
        self.begun = false;
    }
}
