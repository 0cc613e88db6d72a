//! What is reported of the references.

use clap::{Args, ValueEnum};

use crate::pipeline::Report;
use crate::pipeline::tally::Key;

/// What is reported of the references.
#[derive(Args)]
#[command(next_help_heading = "Instead of every reference")]
#[group(multiple = false)]
pub struct ReportArgs {
    /// Each target once
    #[arg(long)]
    pub unique: bool,
    /// How many there are in each file that has any
    #[arg(short, long)]
    pub count: bool,
    /// How many there are of the same kind, the most frequent first
    #[arg(long, value_name = "KEY")]
    pub count_by: Option<KeyArg>,
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

/// What references are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeyArg {
    /// The host of the target
    Host,
    /// The scheme of the target
    Scheme,
    /// The target
    Target,
    /// The file
    Path,
}

impl ReportArgs {
    /// What is reported.
    pub(in crate::cli) fn report(&self) -> Report {
        match self.count_by {
            Some(KeyArg::Host) => Report::CountBy(Key::Host),
            Some(KeyArg::Scheme) => Report::CountBy(Key::Scheme),
            Some(KeyArg::Target) => Report::CountBy(Key::Target),
            Some(KeyArg::Path) => Report::CountBy(Key::Path),
            None if self.unique => Report::Unique,
            None if self.count => Report::Count,
            None if self.files_with_matches => Report::Paths,
            None if self.files => Report::Files,
            None if self.quiet => Report::Nothing,
            None => Report::Links,
        }
    }
}
