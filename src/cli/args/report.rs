//! What is reported of the references.

use clap::Args;

use crate::pipeline::Report;
use crate::pipeline::tally::Key;

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
    pub count_by: Option<Key>,
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
    pub(in crate::cli) fn report(&self) -> Report {
        match self.count_by {
            Some(key) => Report::CountBy(key),
            None if self.unique => Report::Unique,
            None if self.count => Report::Count,
            None if self.files_with_matches => Report::Paths,
            None if self.files => Report::Files,
            None if self.quiet => Report::Nothing,
            None => Report::Links,
        }
    }
}

/// The key of `--count-by`.
pub(super) fn key(name: &str) -> Result<Key, String> {
    Key::named(name).ok_or_else(|| {
        let names: Vec<_> = Key::NAMES.iter().map(|(_, name)| *name).collect();
        format!("there are {}", names.join(", "))
    })
}
