//! Layer 6: many documents on all cores, written in the order of their paths.
//!
//! [`walk`] finds files lazily, [`queue`] gives them out in batches with ascending tickets, huge
//! ones in [`split_lines`] and [`split_messages`]; [`mod@run`] has a worker on each core that reads
//! them ([`read`]: opens by
//! [`input`], recognises by [`sniff`], extracts) into a block of its own ([`collect`]), and
//! [`reorder`] puts the blocks in the order of their tickets. The bytes that come out do not depend
//! on the number of workers.

pub mod bases;
pub mod choose;
pub mod collect;
pub mod compressed;
pub mod filter;
pub mod input;
pub mod progress;
pub mod queue;
pub mod read;
pub mod reorder;
pub mod run;
pub mod shard;
pub mod sniff;
pub mod split_lines;
pub mod split_messages;
pub mod tally;
pub mod unique;
pub mod walk;
pub mod writer;

use std::sync::Arc;

use encoding_rs::Encoding;

use crate::document::Format;
use crate::extractor;
use crate::output::{Layout, OUTPUTS, Output};

pub use run::run;

/// What a run does with the files that it is given.
#[derive(Clone)]
pub struct PipelineOptions {
    /// How documents are read.
    pub extractor: extractor::ExtractorOptions,
    /// The encoding that is declared for all of them.
    pub declared: Option<&'static Encoding>,
    /// Which compressed files are looked into.
    pub decompress: Decompress,
    /// The formats to read; all where there is none.
    pub formats: Vec<&'static Format>,
    /// Where the base URIs of documents come from.
    pub bases: bases::Bases,
    /// The part of the paths that is read.
    pub shard: shard::Shard,
    /// Which references are reported.
    pub filter: filter::Filter,
    /// How links are written.
    pub output: &'static Output,
    /// What their records show.
    pub layout: Layout,
    /// What is reported of the links.
    pub report: ReportMode,
    /// What is told besides.
    pub talk: Verbosity,
    /// The number of workers.
    pub threads: usize,
    /// About how many bytes of a huge file are one worker's.
    pub piece: u64,
    /// The order of the output.
    pub order: OutputOrder,
    /// What to raise as documents are read.
    pub progress: Option<Arc<progress::Progress>>,
}

impl Default for PipelineOptions {
    fn default() -> Self {
        PipelineOptions {
            extractor: extractor::ExtractorOptions::default(),
            declared: None,
            decompress: Decompress::default(),
            formats: Vec::new(),
            bases: bases::Bases::default(),
            shard: shard::Shard::WHOLE,
            filter: filter::Filter::default(),
            output: &OUTPUTS[0],
            layout: Layout::default(),
            report: ReportMode::default(),
            talk: Verbosity::default(),
            threads: 1,
            piece: split_lines::PIECE,
            order: OutputOrder::default(),
            progress: None,
        }
    }
}

/// Which compressed files are looked into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decompress {
    /// Those that are named.
    #[default]
    Named,
    /// All of them.
    All,
}

/// What is reported of the links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportMode {
    /// Each of them.
    #[default]
    Links,
    /// The first of each target.
    Unique,
    /// How many there are in each file that has any.
    Count,
    /// How many there are with the same key.
    CountBy(tally::CountKey),
    /// The files that have any.
    Paths,
    /// The files that would be read; none is.
    Files,
    /// Nothing but the exit code.
    Nothing,
}

impl ReportMode {
    /// Whether a file has to be read in one go.
    pub fn is_by_file(self) -> bool {
        matches!(
            self,
            ReportMode::Count | ReportMode::Paths | ReportMode::Files
        )
    }

    /// Whether the output consists of records, in formats that have any.
    pub fn is_records(self) -> bool {
        matches!(
            self,
            ReportMode::Links | ReportMode::Unique | ReportMode::CountBy(_)
        )
    }

    /// Whether each link that is reported has a record or a line of its own.
    pub fn is_links(self) -> bool {
        matches!(self, ReportMode::Links | ReportMode::Unique)
    }
}

/// What is told besides the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verbosity {
    /// Whether errors are told on standard error.
    pub errors: bool,
    /// Whether diagnostics are, where the output has no records for them.
    pub diagnostics: bool,
    /// Whether the output ends in a summary.
    pub summary: bool,
    /// How the counts of each archive of messages are told, if they are.
    pub archives: Archives,
}

/// How the counts of each archive of messages are told where the output has no records for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Archives {
    /// They are not told at all.
    #[default]
    Leave,
    /// In words.
    Words,
    /// As records.
    Records,
}

impl Default for Verbosity {
    fn default() -> Self {
        Verbosity {
            errors: true,
            diagnostics: false,
            summary: false,
            archives: Archives::Leave,
        }
    }
}

/// The order of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputOrder {
    /// That of the paths: the same for any number of workers.
    #[default]
    Path,
    /// Whatever is ready first.
    None,
}
