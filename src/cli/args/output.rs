//! Flags that choose references, and flags for the output.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use clap_complete::Shell;
use regex::bytes::{Regex, RegexSet, RegexSetBuilder};

use crate::cli::help::{is_scheme, named, possible_values, subcommands};
use crate::cli::message::{Result, flag};
use crate::document::events::Context;
use crate::document::mail::envelope::iso8601;
use crate::extractor::Positions;
use crate::output::column::ColumnSet;
use crate::output::escape::Escape;
use crate::output::field::{
    ColumnChoice, FIELDS, RecordField, all_fields, chosen_fields, default_fields,
};
use crate::output::{Layout, LocationPrefix, OUTPUTS, Output};
use crate::pipeline::tally::CountKey;
use crate::pipeline::{
    Filter, MessageFilter, MessageForm, OutputOrder, PartKind, ReportMode, TargetForm,
};
use crate::uri::unwrap::host_pattern;

/// Flags that choose references.
#[derive(Args)]
#[command(next_help_heading = "Which references")]
pub(crate) struct FilterArgs {
    /// Only targets of these schemes
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = scheme)]
    pub scheme: Vec<String>,
    /// Only targets that match the regular expression; several: any of them
    #[arg(long, value_name = "RE")]
    pub include: Vec<String>,
    /// No targets that match the regular expression
    #[arg(long, value_name = "RE")]
    pub exclude: Vec<String>,
    /// Only references of these elements
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub element: Vec<String>,
    /// Only references of these attributes or header fields
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub attribute: Vec<String>,
    /// Only targets on these hosts; with a leading dot, any host under one
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub host: Vec<String>,
    /// Mail: only messages whose sender, by name or address, has this text, or matches /RE/, in any case
    #[arg(long, value_name = "TEXT")]
    pub from: Vec<String>,
    /// Mail: only messages whose To has this text, or matches /RE/
    #[arg(long, value_name = "TEXT")]
    pub to: Vec<String>,
    /// Mail: only messages whose subject has this text, or matches /RE/
    #[arg(long, value_name = "TEXT")]
    pub subject: Vec<String>,
    /// Mail: only messages of lists whose identifier has this text, or matches /RE/
    #[arg(long, value_name = "TEXT")]
    pub list: Vec<String>,
    /// Mail: only messages of this time or later: a year, month or day, or a time (RFC 3339)
    #[arg(long, value_name = "DATE", value_parser = time_bound)]
    pub since: Option<String>,
    /// Mail: only messages of this time or earlier; all of a day, month or year
    #[arg(long, value_name = "DATE", value_parser = time_bound)]
    pub until: Option<String>,
    /// Mail: only these parts: text, html, attachment, header
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub part: Vec<PartKind>,
    /// Only references in these contexts
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = context)]
    pub context: Vec<Context>,
    /// Only references that are relative as written
    #[arg(long)]
    pub relative: bool,
    /// Only references that are absolute as written
    #[arg(long, conflicts_with = "relative")]
    pub absolute: bool,
}

impl FilterArgs {
    pub(in crate::cli) fn options(&self) -> Result<Filter> {
        let lower = |name: &String| name.to_ascii_lowercase();
        Ok(Filter {
            schemes: self.scheme.clone(),
            include: patterns(&self.include).map_err(flag("include"))?,
            exclude: patterns(&self.exclude).map_err(flag("exclude"))?,
            elements: self.element.iter().map(lower).collect(),
            contexts: self.context.clone(),
            attributes: self.attribute.iter().map(lower).collect(),
            hosts: self.host.iter().map(|host| host_pattern(host)).collect(),
            messages: MessageFilter {
                from: texts(&self.from)?,
                to: texts(&self.to)?,
                subject: texts(&self.subject)?,
                list: texts(&self.list)?,
                since: self.since.clone(),
                until: self.until.clone(),
                parts: self.part.clone(),
            },
            absolute: (self.relative || self.absolute).then_some(self.absolute),
        })
    }
}

fn patterns(patterns: &[String]) -> Result<Option<RegexSet>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    for pattern in patterns {
        // The error shows the pattern on several lines; the last line is the reason.
        if let Err(error) = Regex::new(pattern) {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            return Err(format!("{pattern}: {reason}").into());
        }
    }
    Ok(Some(RegexSetBuilder::new(patterns).build()?))
}

/// Returns patterns for texts and for regular expressions between slashes, which match in any case.
fn texts(texts: &[String]) -> Result<Option<RegexSet>> {
    let pattern = |text: &String| {
        let inner = text.strip_prefix('/');
        let inner = inner.and_then(|rest| rest.strip_suffix('/'));
        let pattern = inner.map_or_else(|| regex::escape(text), str::to_owned);
        format!("(?i){pattern}")
    };
    patterns(&texts.iter().map(pattern).collect::<Vec<_>>())
}

/// Returns a time in UTC, or the start of one: a year, a month or a day.
fn time_bound(text: &str) -> Result<String, String> {
    let rest = "0000-01-01".get(text.len()..).unwrap_or_default();
    let time = iso8601([text, rest].concat().as_bytes());
    let time = time.ok_or("expected a date such as 2006, 2006-03 or 2006-03-02")?;
    let is_start = matches!(text.len(), 4 | 7 | 10);
    Ok(if is_start { text.to_owned() } else { time })
}

fn scheme(text: &str) -> Result<String, String> {
    if is_scheme(text.as_bytes()) {
        return Ok(text.to_owned());
    }
    let name = text.split(':').next().unwrap_or_default();
    if is_scheme(name.as_bytes()) {
        let reason = "a scheme is only the name before the colon";
        return Err(format!("{reason}: {name}"));
    }
    Err("a scheme is a name such as https".to_owned())
}

fn context(name: &str) -> Result<Context, String> {
    let rows = Context::ALL.iter();
    named(name, rows.map(|&context| (context.name(), context)))
}

/// Flags for other output than references.
#[derive(Args)]
#[command(next_help_heading = "Instead of every reference")]
#[group(multiple = false)]
pub(crate) struct ReportArgs {
    /// Print each target once; =normalized compares targets as the URL standard writes them, =no-fragment
    /// without their fragments
    ///
    /// A target takes 15 to 30 bytes of memory at any length.
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true)]
    #[arg(hide_possible_values = true, default_missing_value = "target")]
    pub unique: Option<TargetForm>,
    /// Print the number of references in each file that has any
    #[arg(short, long)]
    pub count: bool,
    /// Count by host, scheme, target, path, message, date, month, sender, list, element, attribute or
    /// media-type, or by several of them, the most frequent first
    ///
    /// A target without a host is counted by its scheme, such as `mailto:`, and a missing value as
    /// `-`. With --json each line is a record. All values are held in memory: about 30 bytes each
    /// besides their length.
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = key)]
    pub count_by: Vec<CountKey>,
    /// Print the files that have references
    #[arg(short = 'l', long)]
    pub files_with_matches: bool,
    /// Print the files that would be read
    #[arg(long)]
    pub files: bool,
}

impl ReportArgs {
    pub(in crate::cli) fn report(&self) -> ReportMode {
        match self.unique {
            _ if !self.count_by.is_empty() => ReportMode::CountBy,
            Some(form) => ReportMode::Unique(form),
            None if self.count => ReportMode::Count,
            None if self.files_with_matches => ReportMode::Paths,
            None if self.files => ReportMode::Files,
            None => ReportMode::Links,
        }
    }
}

pub(super) fn key(name: &str) -> Result<CountKey, String> {
    // `--idn` chooses the other form of hosts.
    let keys = CountKey::ALL.iter();
    let keys = keys.filter(|&&key| key != CountKey::UnicodeHost);
    named(name, keys.map(|&key| (key.name(), key)))
}

pub(super) fn top(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| "expected a number from 1".to_owned())
}

/// Flags for the output.
#[derive(Args)]
#[command(next_help_heading = "What comes out")]
pub(crate) struct OutputArgs {
    /// The format: text, jsonl, csv, tsv, arrow (an IPC stream), parquet; of records cdxj too
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = output)]
    pub format: &'static Output,
    /// With --count-by host: show international names in Unicode
    #[arg(long, requires = "count_by")]
    pub idn: bool,
    /// With --count-by: only the N most frequent
    #[arg(long, value_name = "N", requires = "count_by", value_parser = top)]
    pub top: Option<usize>,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// The keys of the records, and their order
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = field)]
    pub fields: Vec<&'static RecordField>,
    /// The keys of the records, or the columns of tables, by name or by set: core; mail or web, which add
    /// keys of messages or records; all, which adds the target's host and more too [default of tables: core]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = column, conflicts_with = "fields")]
    pub columns: Vec<ColumnChoice>,
    /// Arrow: write strings that many rows share as numbers of strings in a dictionary of each batch
    ///
    /// The stream is smaller and faster to write, but not every reader joins or groups such columns over
    /// several batches. Parquet has its own dictionaries.
    #[arg(long)]
    pub dictionaries: bool,
    /// Add the text, rel, hreflang and title of links in HTML to the records
    #[arg(long)]
    pub anchor_text: bool,
    /// CSV and TSV: put an apostrophe before cells that a spreadsheet would read as formulas
    ///
    /// Those that begin with `=`, `+`, `-`, `@`, a tab or a carriage return. Control characters are
    /// shown escaped in all cells, as they are on a terminal.
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
    /// Text: make targets hyperlinks of the terminal (OSC 8)
    #[arg(long, value_name = "WHEN", default_value = "never")]
    pub hyperlink: WhenArg,
    /// Read standard input and pipes as they come, and write each line at once, for `tail -f`
    #[arg(long)]
    pub line_buffered: bool,
    /// Text: end lines with NUL
    #[arg(short = '0', long)]
    pub null: bool,
    /// Write to a file, which is renamed into place when complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The order of the output
    #[arg(long, value_name = "BY", default_value = "path")]
    pub sort: OutputOrder,
    /// The number of workers [default: all cores]
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with = "files")]
    pub quiet: bool,
    /// Print skipped files and diagnostics of documents on standard error
    #[arg(short, long)]
    pub verbose: bool,
    /// Suppress error messages
    #[arg(long)]
    pub no_messages: bool,
    /// The form of messages on standard error: words, or JSON Lines with errors, all diagnostics, and
    /// the summary of --stats
    #[arg(long, value_name = "HOW", default_value = "words")]
    pub messages: MessageForm,
    /// Write errors, diagnostics and the summary to a file, as JSON Lines
    #[arg(long, value_name = "errors=FILE", value_parser = errors_report)]
    pub report: Option<PathBuf>,
    /// Print a summary: a record of JSON Lines, else words on standard error with time and memory
    /// used; =json puts a record with these on standard error
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true)]
    #[arg(hide_possible_values = true, default_missing_value = "words")]
    pub stats: Option<MessageForm>,
    /// Colour locations in text
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: WhenArg,
    /// Show the progress of a long run
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: WhenArg,
    /// Exit with 0 instead of 1
    #[arg(long)]
    pub exit_zero: bool,
    /// Explain the code of a diagnostic, the flag of a record or a rule, and exit
    #[arg(long, value_name = "NAME")]
    pub explain: Option<String>,
    /// Print a man page or the completions of a shell, and exit: man, man=SUBCOMMAND, complete-bash,
    /// complete-zsh, complete-fish or complete-powershell
    ///
    /// `man` with --output writes the pages of all subcommands into that folder.
    #[arg(long, value_name = "KIND", value_parser = generated)]
    pub generate: Option<GeneratedKind>,
}

fn errors_report(text: &str) -> Result<PathBuf, String> {
    match text.strip_prefix("errors=") {
        Some(path) if !path.is_empty() => Ok(PathBuf::from(path)),
        _ => Err("expected errors=FILE".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhenArg {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl WhenArg {
    fn or(self, auto: bool) -> bool {
        match self {
            WhenArg::Always => true,
            WhenArg::Never => false,
            WhenArg::Auto => auto,
        }
    }

    /// By default on a terminal with colours, unless `NO_COLOR` is set and not empty (<https://no-color.org>).
    pub(in crate::cli) fn for_color(self, is_terminal: bool) -> bool {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        self.or(is_terminal && !is_dumb() && allowed)
    }

    pub(in crate::cli) fn for_progress(self, is_terminal: bool) -> bool {
        self.or(is_terminal && !is_dumb())
    }
}

/// Returns whether the terminal does not support escape sequences.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

impl OutputArgs {
    pub(in crate::cli) fn shows_progress(&self) -> bool {
        // On the same terminal progress would mix with the output.
        let is_separate = !io::stdout().is_terminal() || self.output.is_some();
        self.progress
            .for_progress(io::stderr().is_terminal() && is_separate)
    }

    pub(in crate::cli) fn output(&self) -> &'static Output {
        let records = Output::named("jsonl").filter(|_| self.json);
        records.unwrap_or(self.format)
    }

    /// `is_several`: the run may read several files, or a directory.
    pub(in crate::cli) fn layout(&self, is_several: bool, unwraps: bool) -> Layout {
        let terminal = self.output.is_none() && io::stdout().is_terminal();
        let position = self.line_number || self.column;
        let busy = terminal && is_several;
        let offset = self.byte_offset;
        let located = position || offset || self.with_filename || busy;
        let is_asked = |field: &&RecordField| {
            self.anchor_text && field.needs_description()
                || unwraps && field.name == "unwrapped_from"
        };
        let shown = if self.output().is_table() || !self.columns.is_empty() {
            Layout::of_records(chosen_fields(&self.columns, self.anchor_text))
        } else if self.fields.is_empty() {
            let asked = FIELDS.iter().filter(is_asked);
            Layout::of_records(default_fields().chain(asked).collect())
        } else {
            Layout::of_records(self.fields.clone())
        };
        Layout {
            has_dictionaries: self.dictionaries,
            location: LocationPrefix {
                path: located && !self.no_filename,
                position: position || busy,
                offset,
            },
            protects_formulas: self.csv_safe,
            terminator: if self.null { 0 } else { b'\n' },
            escape: match (terminal, self.null) {
                (true, _) => Escape::Controls,
                (false, true) => Escape::Nothing,
                (false, false) => Escape::LineBreaks,
            },
            color: self.color.for_color(terminal),
            hyperlinks: self.hyperlink.or(terminal && !is_dumb()),
            ..shown
        }
    }

    pub(in crate::cli) fn has_key(
        &self,
        report: ReportMode,
        layout: &Layout,
        needs: fn(&RecordField) -> bool,
    ) -> bool {
        let mut fields = layout.fields.iter();
        report.is_links() && !self.output().is_text() && fields.any(|field| needs(field))
    }

    pub(in crate::cli) fn positions(&self, report: ReportMode, layout: &Layout) -> Positions {
        let in_text = report.is_links() && self.output().is_text() && layout.location.position;
        if in_text || self.has_key(report, layout, RecordField::needs_position) {
            return Positions::Lines;
        }
        Positions::Offsets
    }
}

pub(super) fn output(name: &str) -> Result<&'static Output, String> {
    let output = named(name, OUTPUTS.iter().map(|output| (output.name, output)));
    if output.is_err() && Output::FEATURES.contains(&name) {
        let instead = format!("cargo install uriscan --features {name}");
        return Err(format!("this build has no {name}: {instead}"));
    }
    output
}

pub(super) fn column(name: &str) -> Result<ColumnChoice, String> {
    let sets = ColumnSet::ALL.iter().map(|set| set.name());
    let names = sets.chain(all_fields().map(|field| field.name));
    ColumnChoice::named(name).ok_or_else(|| possible_values(names))
}

fn field(name: &str) -> Result<&'static RecordField, String> {
    RecordField::named(name).ok_or_else(|| possible_values(FIELDS.iter().map(|field| field.name)))
}

/// A page or a script that `--generate` prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GeneratedKind {
    /// The man page of a subcommand; without a name the command's, or all pages into a folder.
    Man(&'static str),
    /// Completions for a shell.
    Complete(Shell),
}

fn generated(name: &str) -> Result<GeneratedKind, String> {
    if let Some(subcommand) = name.strip_prefix("man=") {
        let page = subcommands().find(|name| *name == subcommand);
        let names = || subcommands().collect::<Vec<_>>().join(", ");
        let page = page.ok_or_else(|| format!("man= takes {}", names()));
        return page.map(GeneratedKind::Man);
    }
    use GeneratedKind::{Complete, Man};
    let kinds = [
        ("man", Man("")),
        ("man=SUBCOMMAND", Man("")),
        ("complete-bash", Complete(Shell::Bash)),
        ("complete-zsh", Complete(Shell::Zsh)),
        ("complete-fish", Complete(Shell::Fish)),
        ("complete-powershell", Complete(Shell::PowerShell)),
    ];
    named(name, kinds.into_iter())
}
