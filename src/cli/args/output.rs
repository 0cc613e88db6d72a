//! What comes out.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::thread;

use clap::{Args, ValueEnum};

use crate::cli::generate;
use crate::extractor::Positions;
use crate::output::escape::Escape;
use crate::output::field::{FIELDS, RecordField};
use crate::output::{Formulas, Layout, LocationPrefix, OUTPUTS, Output};
use crate::pipeline::{OutputOrder, ReportMode};

/// What comes out.
#[derive(Args)]
#[command(next_help_heading = "What comes out")]
pub struct OutputArgs {
    /// How links are written: text, jsonl, csv, tsv
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = output)]
    pub format: &'static Output,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// The keys of the records, and their order
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = field)]
    pub fields: Vec<&'static RecordField>,
    /// CSV and TSV: put an apostrophe before cells that a spreadsheet would take for a formula
    ///
    /// Those that begin with `=`, `+`, `-`, `@`, a tab or a carriage return.
    #[arg(long)]
    pub csv_safe: bool,
    /// Text: show path, line and column
    #[arg(short = 'n', long)]
    pub line_number: bool,
    /// Text: the same as -n
    #[arg(long)]
    pub column: bool,
    /// Text: show the offset in bytes
    #[arg(short, long)]
    pub byte_offset: bool,
    /// Text: show the path
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    pub with_filename: bool,
    /// Text: never show the path
    #[arg(short = 'I', long, overrides_with = "with_filename")]
    pub no_filename: bool,
    /// Text: end lines with NUL
    #[arg(short = '0', long)]
    pub null: bool,
    /// Write to a file, which gets its name when it is complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The order of the output
    #[arg(long, value_name = "BY", default_value = "path")]
    pub sort: SortArg,
    /// The number of workers [default: all cores]
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,
    /// Name skipped files, and tell what is odd about documents, on standard error
    #[arg(short, long)]
    pub verbose: bool,
    /// Do not tell errors; the exit code still does
    #[arg(long)]
    pub no_messages: bool,
    /// Print a summary: a record of JSON Lines, else words on standard error with time and memory
    /// used; =json puts a record with these on standard error
    #[arg(
        long,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        hide_possible_values = true,
        default_missing_value = "text"
    )]
    pub stats: Option<StatsArg>,
    /// Colour locations in text
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: WhenArg,
    /// Show how far a long run has come
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: WhenArg,
    /// Exit with 0 if nothing is found
    #[arg(long)]
    pub exit_zero: bool,
    /// Explain the code of a diagnostic, the flag of a record or a rule, and exit
    #[arg(long, value_name = "NAME")]
    pub explain: Option<String>,
    /// Print a man page or the completions of a shell, and exit: man, man=SUBCOMMAND, complete-bash,
    /// complete-zsh, complete-fish or complete-powershell
    ///
    /// `man` with --output writes the pages of all subcommands into that folder.
    #[arg(long, value_name = "KIND", value_parser = generate::kind)]
    pub generate: Option<generate::GeneratedKind>,
}

/// The order of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortArg {
    /// That of the paths
    Path,
    /// Whatever is ready first
    None,
}

/// How the summary is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsArg {
    /// In words
    Text,
    /// As a record
    Json,
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhenArg {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How many files the run may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Reach {
    /// One file, or standard input.
    One,
    /// Several, or a directory.
    Several,
}

impl OutputArgs {
    /// Whether the line of progress is shown.
    pub(in crate::cli) fn shows_progress(&self) -> bool {
        match self.progress {
            WhenArg::Always => true,
            WhenArg::Never => false,
            // On the same terminal it would stand between the lines of the output.
            WhenArg::Auto => {
                io::stderr().is_terminal() && (!io::stdout().is_terminal() || self.output.is_some())
            }
        }
    }

    /// How links are written.
    pub(in crate::cli) fn output(&self) -> &'static Output {
        if self.json {
            Output::named("jsonl").unwrap_or(self.format)
        } else {
            self.format
        }
    }

    /// What records show.
    pub(in crate::cli) fn layout(&self, reach: Reach) -> Layout {
        let terminal = self.output.is_none() && io::stdout().is_terminal();
        let position = self.line_number || self.column;
        let busy = terminal && reach == Reach::Several;
        let offset = self.byte_offset;
        let located = position || offset || self.with_filename || busy;
        Layout {
            fields: if self.fields.is_empty() {
                FIELDS.iter().collect()
            } else {
                self.fields.clone()
            },
            location: LocationPrefix {
                path: located && !self.no_filename,
                position: position || busy,
                offset,
            },
            formulas: match self.csv_safe {
                true => Formulas::Protect,
                false => Formulas::Keep,
            },
            terminator: if self.null { 0 } else { b'\n' },
            escape: match (terminal, self.null) {
                (true, _) => Escape::Controls,
                (false, true) => Escape::Nothing,
                (false, false) => Escape::LineBreaks,
            },
            color: match self.color {
                WhenArg::Always => true,
                WhenArg::Never => false,
                // https://no-color.org: present and not empty.
                WhenArg::Auto => {
                    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                }
            },
        }
    }

    /// Whether what is shown needs lines and columns.
    pub(in crate::cli) fn positions(&self, report: ReportMode, layout: &Layout) -> Positions {
        let needed = if !report.is_links() {
            false
        } else if self.output().name == "text" {
            layout.location.position
        } else {
            layout.fields.iter().any(|field| field.needs_position())
        };
        if needed {
            Positions::Lines
        } else {
            Positions::Offsets
        }
    }

    /// Whether what is shown needs the date, the sender or the subject of messages.
    pub(in crate::cli) fn envelope(&self, report: ReportMode, layout: &Layout) -> bool {
        match report {
            ReportMode::CountBy(key) => key.needs_envelope(),
            _ => {
                report.is_links()
                    && self.output().name != "text"
                    && layout.fields.iter().any(|field| field.needs_envelope())
            }
        }
    }

    /// The order of the output.
    pub(in crate::cli) fn order(&self) -> OutputOrder {
        match self.sort {
            SortArg::Path => OutputOrder::Path,
            SortArg::None => OutputOrder::None,
        }
    }
}

/// The most workers that are started, whatever is asked for: each has buffers of its own.
const MAX_THREADS: usize = 256;

/// The number of workers: as many as are asked for, by default one for each core.
pub(in crate::cli) fn workers(threads: Option<usize>) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let wanted = threads.filter(|&n| n > 0).unwrap_or(cores);
    wanted.min(MAX_THREADS.max(cores))
}

fn output(name: &str) -> Result<&'static Output, String> {
    Output::named(name).ok_or_else(|| {
        let names: Vec<_> = OUTPUTS.iter().map(|output| output.name).collect();
        format!("there are {}", names.join(", "))
    })
}

fn field(name: &str) -> Result<&'static RecordField, String> {
    RecordField::named(name).ok_or_else(|| {
        let names: Vec<_> = FIELDS.iter().map(|field| field.name).collect();
        format!("there are {}", names.join(", "))
    })
}
