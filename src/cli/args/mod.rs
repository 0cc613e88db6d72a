//! The subcommands and their flags, in the groups that the help shows; each group becomes the options
//! of one layer.

pub(crate) mod base;
pub(crate) mod input;
pub(crate) mod output;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgMatches, Args, CommandFactory, Parser, Subcommand, ValueEnum};

use super::help::{self, named};
use crate::audit::SERVERS;
use crate::audit::report::{FORMATS, Grouping, ReportFormat};
use crate::audit::rules::{Level, Levels, RULES};
use crate::output::column::ColumnSet;
use crate::output::schema::{SCHEMAS, Schema};
use crate::pipeline::tally::CountKey;
use crate::uri::{ExcessDots, SameScheme};
use base::{BaseArgs, RulesArg};
use input::{ReadArgs, WalkArgs};
use output::{FilterArgs, OutputArgs, ReportArgs, WhenArg, column_set, key};

/// Lists the references of documents, resolved.
#[derive(Parser)]
#[command(
    name = "uriscan",
    version,
    about = "Lists the references of files, directories or standard input (`-`), each\n\
             resolved against the right base",
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// The subcommand; `extract` by default.
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub extract: ExtractArgs,
}

/// The subcommands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// List references, resolved (the default command)
    Extract(Box<ExtractArgs>),
    /// Check references inside document trees; never uses the network
    #[command(args_override_self = true)]
    Audit(Box<AuditArgs>),
    /// Resolve references
    Resolve(ResolveArgs),
    /// Show the components of URI references, and what is wrong with them
    Parse(ParseArgs),
    /// Print the JSON Schema of a record
    Schema(SchemaArgs),
}

pub(in crate::cli) fn command() -> clap::Command {
    help::arrange(Cli::command())
}

/// The flags that choose documents and references, and how they are read.
#[derive(Args)]
pub(crate) struct DocumentArgs {
    #[command(flatten)]
    pub walk: WalkArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub base: BaseArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
}

/// The arguments of `extract`.
#[derive(Args)]
pub(crate) struct ExtractArgs {
    /// Files and directories; `-` is standard input
    ///
    /// Without any, standard input is read if it is a pipe or a file, and the current directory if
    /// it is a terminal.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub documents: DocumentArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The arguments of `audit`.
#[derive(Args)]
pub(crate) struct AuditArgs {
    /// Files and directories [default: those of --root, else the current directory]
    ///
    /// Without --root each of them is taken for the root of a site.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub documents: DocumentArgs,
    #[command(flatten)]
    pub check: CheckArgs,
    #[command(flatten)]
    pub findings: FindingArgs,
}

/// The files that may be orphans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrphansArg {
    /// Documents with fragments
    Pages,
    /// All files
    All,
}

/// Flags for rules and checks.
#[derive(Args)]
#[command(next_help_heading = "What is checked")]
pub(crate) struct CheckArgs {
    /// Make findings of a rule errors
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub deny: Vec<&'static str>,
    /// Make findings of a rule warnings
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub warn: Vec<&'static str>,
    /// Leave a rule out
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub allow: Vec<&'static str>,
    /// The levels that these three and --orphans choose.
    #[arg(skip)]
    pub levels: Levels,
    /// The same as --warn orphan: tell of pages that no document links to; =all of any file
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true)]
    #[arg(hide_possible_values = true, default_missing_value = "pages")]
    pub orphans: Option<OrphansArg>,
    /// Documents that nobody need link to
    #[arg(long, value_name = "GLOB", value_parser = NonEmptyStringValueParser::new())]
    pub entry: Vec<String>,
    /// Names of index files, the preferred one first
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = file_name)]
    #[arg(default_value = "index.html,index.htm")]
    pub index: Vec<String>,
    /// Extensions that references may leave out
    #[arg(long, value_name = "EXTENSIONS", value_delimiter = ',', value_parser = extension)]
    pub try_ext: Vec<String>,
    /// The server that shows the files: auto, static, github-pages, netlify, vercel, apache, nginx-try
    ///
    /// With auto the files in the root of a site tell: _redirects, netlify.toml, vercel.json,
    /// .htaccess, CNAME, .nojekyll.
    #[arg(long, value_name = "SERVER", default_value = "auto", value_parser = server)]
    pub server: &'static str,
    /// Whether fragments must name something
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    pub fragments: SwitchArg,
    /// Tell http and https apart
    #[arg(long)]
    pub strict_scheme: bool,
    /// Skip the references of elements with this attribute
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub ignore_attr: Option<String>,
}

impl CheckArgs {
    /// Sets the levels of the rules. The last of several flags for a rule is used.
    pub(in crate::cli) fn set_levels(&mut self, matches: &ArgMatches) {
        if self.orphans.is_some() {
            self.levels.set("orphan", Level::Warning);
        }
        let mut given = Vec::new();
        for (flag, level, rules) in [
            ("deny", Level::Error, &self.deny),
            ("warn", Level::Warning, &self.warn),
            ("allow", Level::Allow, &self.allow),
        ] {
            let indices = matches.indices_of(flag).into_iter().flatten();
            let rules = indices.zip(rules);
            given.extend(rules.map(|(index, rule)| (index, *rule, level)));
        }
        given.sort_unstable_by_key(|(index, ..)| *index);
        for (_, rule, level) in given {
            self.levels.set(rule, level);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SwitchArg {
    /// It is
    On,
    /// It is not
    Off,
}

/// Flags for the output.
#[derive(Args)]
#[command(next_help_heading = "What comes out")]
pub(crate) struct FindingArgs {
    /// How findings are written: text, jsonl, sarif, junit, github, markdown, html
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format)]
    pub format: &'static ReportFormat,
    /// The same as --format jsonl
    #[arg(long)]
    pub json: bool,
    /// Write the findings to a file too; may be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_parser = report)]
    pub report: Vec<ReportArg>,
    /// Show findings of one cause together, with their number and the first three: none, target (of
    /// one rule with one target), rule or file; in text and annotations
    #[arg(long, value_name = "BY", default_value = "target", value_parser = grouping)]
    pub group: Grouping,
    /// Instead of findings show how many there are by rule, host, scheme, target, path, message,
    /// date, sender or element, the most frequent first
    #[arg(long, value_name = "KEY", value_parser = key, conflicts_with_all = ["links", "external"])]
    pub count_by: Option<CountKey>,
    /// With --count-by host: show international names in Unicode
    #[arg(long, requires = "count_by")]
    pub idn: bool,
    /// Show every link with its state
    #[arg(long)]
    pub links: bool,
    /// Instead of findings show the targets that only a look at the network can decide
    #[arg(long, conflicts_with = "links")]
    pub external: bool,
    /// Show a diff that replaces references by their suggestions where these are certain; =write
    /// changes the files
    ///
    /// Certain are other case or another Unicode form, other encodings of the same name, a slash too
    /// many or too few at the end, and the destination of a page of the tree that redirects. Nothing
    /// else in a file changes. With =write only findings that are left are shown and count.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true)]
    #[arg(hide_possible_values = true, default_missing_value = "diff")]
    #[arg(conflicts_with_all = ["links", "external", "count_by"])]
    pub(crate) fix: Option<FixArg>,
    /// With --fix: replace references to files that have moved, too, where one file has the name
    #[arg(long, requires = "fix")]
    pub(crate) fix_moved: bool,
    /// The least level of a finding that makes the exit code 1: error, warning or never
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    #[arg(hide_possible_values = true)]
    pub fail_on: FailOnArg,
    /// Leave out the findings whose keys a file lists
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the keys of all findings to a file, for --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Show only findings whose source or target is this file or directory; may be repeated
    #[arg(long, value_name = "FILE")]
    pub touching: Vec<PathBuf>,
    /// The same as --touching with each file that git finds changed since REV, or does not know
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<OsString>,
    /// Show no more than N findings, and say how many more there are
    #[arg(long, value_name = "N")]
    pub max_findings: Option<u64>,
    /// Write to a file, which gets its name when it is complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The number of workers [default: all cores]
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print no findings and no summary: only reports and the exit code
    #[arg(short, long)]
    pub quiet: bool,
    /// Name skipped files, and tell what is odd about documents, on standard error
    #[arg(short, long)]
    pub verbose: bool,
    /// Do not tell errors; the exit code still does
    #[arg(long)]
    pub no_messages: bool,
    /// Colour text
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: WhenArg,
    /// Show how far a long run has come
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: WhenArg,
    /// Exit with 0 whatever is found
    #[arg(long)]
    pub exit_zero: bool,
    /// Explain a rule, the code of a diagnostic or the flag of a record, and exit
    #[arg(long, value_name = "NAME")]
    pub explain: Option<String>,
    /// Take flags from this file [default: uriscan.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Take no flags from a file
    #[arg(long)]
    pub no_config: bool,
}

impl FindingArgs {
    pub(in crate::cli) fn format(&self) -> &'static ReportFormat {
        let records = ReportFormat::named("jsonl").filter(|_| self.json);
        records.unwrap_or(self.format)
    }
}

/// The least level of a finding that makes the exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOnArg {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
    /// None does
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FixArg {
    /// They are shown as a diff
    Diff,
    /// They are written into the files
    Write,
}

/// A report and the file that it is written to.
#[derive(Clone)]
pub(crate) struct ReportArg {
    pub format: &'static ReportFormat,
    pub path: PathBuf,
}

fn file_name(name: &str) -> Result<String, String> {
    if name.is_empty() || name.contains('/') {
        return Err("expected the name of a file, without a directory".to_owned());
    }
    Ok(name.to_owned())
}

fn extension(name: &str) -> Result<String, String> {
    file_name(name.trim_start_matches('.'))
}

fn rule(name: &str) -> Result<&'static str, String> {
    named(name, RULES.iter().map(|rule| (rule.name, rule.name)))
}

fn server(name: &str) -> Result<&'static str, String> {
    let names = SERVERS.iter().map(|row| row.name).chain(["auto"]);
    named(name, names.map(|name| (name, name)))
}

fn format(name: &str) -> Result<&'static ReportFormat, String> {
    named(name, FORMATS.iter().map(|format| (format.name, format)))
}

fn grouping(name: &str) -> Result<Grouping, String> {
    let rows = Grouping::NAMES.iter();
    named(name, rows.map(|&(group, name)| (name, group)))
}

fn report(text: &str) -> Result<ReportArg, String> {
    let (name, path) = text.split_once('=').ok_or("FORMAT=FILE")?;
    Ok(ReportArg {
        format: format(name)?,
        path: path.into(),
    })
}

/// The arguments of `resolve`.
#[derive(Args)]
pub(crate) struct ResolveArgs {
    /// References; without any, the lines of standard input
    #[arg(value_name = "REF")]
    pub references: Vec<OsString>,
    /// The base; without one only references that need none resolve
    #[arg(long, value_name = "URI")]
    pub base: Option<OsString>,
    /// The rules of resolution, to the letter
    #[arg(long, value_name = "RULES", default_value = "rfc3986")]
    pub rules: RulesArg,
    /// rfc2396: what becomes of `..` above the root (section 5.2 step 6g)
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    pub excess_dots: ExcessDots,
    /// Is `http:g` absolute, or relative to an http base (RFC 3986 section 5.2.2)
    #[arg(long, value_name = "HOW", default_value = "strict")]
    pub same_scheme: SameScheme,
    /// Lines of standard input may hold a reference, a tab and its base
    #[arg(long, conflicts_with = "references")]
    pub tab: bool,
    /// Print one JSON object for each reference
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `parse`.
#[derive(Args)]
pub(crate) struct ParseArgs {
    /// URI references; without any, the lines of standard input
    #[arg(value_name = "URI")]
    pub references: Vec<OsString>,
    /// The rules that they are held against
    #[arg(long, value_name = "RULES", default_value = "rfc3986")]
    pub rules: GrammarArg,
    /// Print one JSON object for each
    #[arg(long)]
    pub json: bool,
}

/// The rules that a reference is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrammarArg {
    /// RFC 1738: the syntax of the URL's own scheme
    Rfc1738,
    /// RFC 1808 section 2: six components, and nothing is invalid
    Rfc1808,
    /// RFC 2396 Appendix A
    Rfc2396,
    /// RFC 3986 Appendix A
    Rfc3986,
    /// The WHATWG URL standard
    Whatwg,
}

/// The arguments of `schema`.
#[derive(Args)]
pub(crate) struct SchemaArgs {
    /// The record: link, finding, summary, archive or count
    #[arg(value_name = "RECORD", value_parser = schema)]
    pub record: &'static Schema,
    /// The form of the schema; only link has one as a table of Arrow
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub format: SchemaFormatArg,
    /// The columns of the table: core, mail, web or all [default: core]
    #[arg(long, value_name = "SET", value_parser = column_set)]
    pub columns: Option<ColumnSet>,
    /// The columns of --dictionaries
    #[arg(long)]
    pub dictionaries: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFormatArg {
    /// JSON Schema
    Json,
    /// The columns of --format arrow with their types, one a line
    Arrow,
}

fn schema(name: &str) -> Result<&'static Schema, String> {
    named(name, SCHEMAS.iter().map(|schema| (schema.name, schema)))
}

#[cfg(test)]
#[path = "../../../tests/unit/cli/args.rs"]
mod tests;
