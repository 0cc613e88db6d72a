//! Layer 6: many documents on all cores, written in the order of their paths.
//!
//! [`walk`] finds files lazily. [`queue`] groups them in batches with ascending tickets and splits
//! huge ones ([`split_document`], [`split_archive`]). [`mod@run`] has a worker for each core that reads
//! the files of a batch ([`read`], which opens by [`input`], recognises by [`sniff`](crate::document::sniff) and extracts) into a
//! separate buffer. [`reorder`] puts these buffers in the order of their tickets, and [`writer`] writes
//! them. The bytes written do not depend on the number of workers.

pub(crate) mod archive;
pub mod bases;
pub(crate) mod input;
pub(crate) mod members;
pub(crate) mod options;
pub(crate) mod piece;
pub(crate) mod queue;
pub(crate) mod read;
pub(crate) mod reorder;
pub mod run;
pub(crate) mod split_archive;
pub mod split_document;
pub mod tally;
pub mod walk;
pub(crate) mod workers;
pub mod writer;

pub use options::{
    Filter, MessageFilter, MessageForm, OutputOrder, PartKind, PipelineOptions, Progress,
    ReportMode, Shard, TargetForm, Verbosity,
};

#[cfg(feature = "internals")]
pub use options::PIECE;
