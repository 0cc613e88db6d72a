//! The buffers of a part that is read: its text, and the text that the scanner sees.

use crate::bytes::window::{Bounds, Windows};
use crate::decode::offset_map::OffsetMap;

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
