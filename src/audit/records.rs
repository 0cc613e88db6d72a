//! What the second phase hands to the reports, in bytes: its workers go ahead of the order in which
//! findings are told.

use crate::pipeline::reorder::OutputBlock;

/// What stands in the row: the kind's number, and what [`wire`](super::wire) reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireRecord {
    /// What follows belongs to the document at a path.
    Document,
    /// A finding.
    Finding,
    /// A link, and the number of its state.
    Link,
    /// A target elsewhere on the network.
    External,
    /// A diagnostic.
    Diagnostic,
    /// Why the document could not be read.
    Failure,
}

impl WireRecord {
    pub(super) const ALL: [WireRecord; 6] = [
        WireRecord::Document,
        WireRecord::Finding,
        WireRecord::Link,
        WireRecord::External,
        WireRecord::Diagnostic,
        WireRecord::Failure,
    ];
}

/// Records in a row.
#[derive(Debug, Default)]
pub(super) struct WireRecords(pub(super) Vec<u8>);

impl OutputBlock for WireRecords {
    fn weight(&self) -> usize {
        self.0.len() + size_of::<Self>()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn take(&mut self) -> Self {
        let taken = WireRecords(self.0.as_slice().to_vec());
        self.clear();
        taken
    }
}
