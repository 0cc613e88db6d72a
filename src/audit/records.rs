//! What the second phase hands to the reports, in bytes: its workers go ahead of the order in which
//! findings are told.

use crate::pipeline::ordered::Block;

/// What stands in the row: the kind's number, and what [`packed`](super::packed) reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record {
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

impl Record {
    pub(super) const ALL: [Record; 6] = [
        Record::Document,
        Record::Finding,
        Record::Link,
        Record::External,
        Record::Diagnostic,
        Record::Failure,
    ];
}

/// Records in a row.
#[derive(Debug, Default)]
pub(super) struct Records(pub(super) Vec<u8>);

impl Block for Records {
    fn weight(&self) -> usize {
        self.0.len() + size_of::<Self>()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn take(&mut self) -> Self {
        let taken = Records(self.0.as_slice().to_vec());
        self.clear();
        taken
    }
}
