//! What is reported of the references.

use clap::Args;

use crate::pipeline::ReportMode;
use crate::pipeline::tally::CountKey;

/// What is reported of the references.
#[derive(Args)]
#[command(next_help_heading = "Instead of every reference")]
#[group(multiple = false)]
pub struct ReportArgs {
    /// Each target once
    ///
    /// A target takes 15 to 30 bytes of memory, whatever its length.
    #[arg(long)]
    pub unique: bool,
    /// How many there are in each file that has any
    #[arg(short, long)]
    pub count: bool,
    /// Count by host, scheme, target, path, message, date, sender or element, the most frequent first
    ///
    /// A target without a host is counted by its scheme, such as `mailto:`, and what has no value by
    /// `-`. With --json each line is a record. All values are held in memory: about 30 bytes each
    /// besides their own length.
    #[arg(long, value_name = "KEY", value_parser = key)]
    pub count_by: Option<CountKey>,
    /// The files that have any
    #[arg(short = 'l', long)]
    pub files_with_matches: bool,
    /// The files that would be read
    #[arg(long)]
    pub files: bool,
    /// Nothing: only the exit code counts
    #[arg(short, long)]
    pub quiet: bool,
}

impl ReportArgs {
    /// What is reported.
    pub(in crate::cli) fn report(&self) -> ReportMode {
        match self.count_by {
            Some(key) => ReportMode::CountBy(key),
            None if self.unique => ReportMode::Unique,
            None if self.count => ReportMode::Count,
            None if self.files_with_matches => ReportMode::Paths,
            None if self.files => ReportMode::Files,
            None if self.quiet => ReportMode::Nothing,
            None => ReportMode::Links,
        }
    }
}

/// The key of `--count-by`.
pub(super) fn key(name: &str) -> Result<CountKey, String> {
    CountKey::named(name).ok_or_else(|| {
        let names: Vec<_> = CountKey::NAMES.iter().map(|(_, name)| *name).collect();
        format!("there are {}", names.join(", "))
    })
}
