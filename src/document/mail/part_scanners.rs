//! The scanners and buffers that all parts and header fields of an archive share.

use memchr::memmem;

use super::MailOptions;
use crate::bytes::window::Windows;
use crate::decode::offset_map::OffsetMap;
use crate::document::nested::{NestedScanners, PIECE};
use crate::document::{ArchiveCounts, FormatOptions, Positions, text};

/// The longest HTML part that is kept to be read a second time, in bytes.
pub(super) const HTML_KEPT: usize = 8 << 20;

/// The scanners of parts, the counts, and shared buffers.
pub(super) struct PartScanners {
    pub(super) options: MailOptions,
    pub(super) nested: NestedScanners,
    /// Text is also searched for references without a scheme.
    pub(super) finds_schemeless: bool,
    pub(super) counts: ArchiveCounts,
    /// Whether references carry lines and columns.
    pub(super) positions: Positions,
    /// A line of the current message may be quoted.
    pub(super) quoted: bool,
    /// Finds lines that start with two hyphens.
    pub(super) hyphen_finder: memmem::Finder<'static>,
    /// A buffer for decoded bytes.
    pub(super) decoded: Vec<u8>,
    pub(super) scratch: Vec<u8>,
    /// Maps offsets in the text of a field to its value.
    pub(super) map: OffsetMap,
}

impl PartScanners {
    pub(super) fn new(options: &FormatOptions) -> Self {
        let mut inner = options.clone();
        inner.html.max_document = inner.html.max_document.min(HTML_KEPT as u64);
        PartScanners {
            nested: NestedScanners::new(&inner),
            finds_schemeless: options.text.www || options.text.email,
            options: options.mail.clone(),
            counts: ArchiveCounts::default(),
            positions: Positions::default(),
            quoted: false,
            hyphen_finder: memmem::Finder::new(b"\n--"),
            decoded: Vec::new(),
            scratch: Vec::new(),
            map: OffsetMap::default(),
        }
    }
}

/// The reflowed text of a part, and how far its text has been prepared for the scanner.
pub(super) struct BodyBuffers {
    pub(super) scanned: Windows,
    pub(super) reflow: OffsetMap,
    /// The offset up to which the text was reflowed.
    pub(super) reflowed: u64,
    /// The offset up to which binary blocks were blanked.
    pub(super) blanked: u64,
    /// The number of pending bytes at which the text is scanned.
    pub(super) threshold: usize,
    pub(super) has_begun: bool,
}

impl Default for BodyBuffers {
    fn default() -> Self {
        BodyBuffers {
            scanned: Windows::new(PIECE),
            reflow: OffsetMap::default(),
            reflowed: 0,
            blanked: 0,
            threshold: PIECE,
            has_begun: false,
        }
    }
}

impl BodyBuffers {
    pub(super) fn begin(&mut self, threshold: usize) {
        self.scanned.begin(text::FORMAT.bounds);
        self.reflow.clear();
        self.reflowed = 0;
        self.blanked = 0;
        self.threshold = threshold;
        self.has_begun = false;
    }
}
