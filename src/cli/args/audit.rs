//! What `audit` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::filter::FilterArgs;
use super::output::WhenArg;
use super::read::ReadArgs;
use super::report::key;
use super::resolve::BaseArgs;
use super::walk::WalkArgs;
use crate::audit::report::{FORMATS, ReportFormat};
use crate::audit::rules::RULES;
use crate::pipeline::tally::CountKey;

/// What `audit` takes.
#[derive(Args)]
pub struct AuditArgs {
    /// Files and directories [default: those of --root, else the current directory]
    ///
    /// Without --root each of them is taken for the root of a site.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Which files are read.
    #[command(flatten)]
    pub walk: WalkArgs,
    /// How they are read.
    #[command(flatten)]
    pub read: ReadArgs,
    /// What references are resolved against.
    #[command(flatten)]
    pub base: BaseArgs,
    /// Which references are checked; the others count as skipped.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// What is checked.
    #[command(flatten)]
    pub check: CheckArgs,
    /// What comes out.
    #[command(flatten)]
    pub findings: FindingArgs,
}

/// What is checked.
#[derive(Args)]
#[command(next_help_heading = "What is checked")]
pub struct CheckArgs {
    /// Make findings of a rule errors
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub deny: Vec<&'static str>,
    /// Make findings of a rule warnings
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub warn: Vec<&'static str>,
    /// Leave a rule out
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub allow: Vec<&'static str>,
    /// The same as --warn orphan: tell of documents that no other one links to
    #[arg(long)]
    pub orphans: bool,
    /// Documents that nobody need link to
    #[arg(long, value_name = "GLOB")]
    pub entry: Vec<String>,
    /// Names of index files, the preferred one first
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "index.html,index.htm"
    )]
    pub index: Vec<String>,
    /// Extensions that references may leave out
    #[arg(long, value_name = "EXTENSIONS", value_delimiter = ',')]
    pub try_ext: Vec<String>,
    /// Whether fragments must name something
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    pub fragments: SwitchArg,
    /// Tell http and https apart
    #[arg(long)]
    pub strict_scheme: bool,
    /// Skip the references of elements with this attribute
    #[arg(long, value_name = "NAME")]
    pub ignore_attr: Option<String>,
}

/// Whether something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SwitchArg {
    /// It is
    On,
    /// It is not
    Off,
}

/// What comes out.
#[derive(Args)]
#[command(next_help_heading = "What comes out")]
pub struct FindingArgs {
    /// How findings are written: text, jsonl, sarif, junit, github
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format)]
    pub format: &'static ReportFormat,
    /// The same as --format jsonl
    #[arg(long)]
    pub json: bool,
    /// Write the findings to a file too; may be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_parser = report)]
    pub report: Vec<ReportArg>,
    /// Instead of findings show how many there are by rule, host, scheme, target, path, message,
    /// date, sender or element, the most frequent first
    #[arg(long, value_name = "KEY", value_parser = key, conflicts_with_all = ["links", "external"])]
    pub count_by: Option<CountKey>,
    /// Show every link with its state
    #[arg(long)]
    pub links: bool,
    /// Instead of findings show the targets that only a look at the network can decide
    #[arg(long, conflicts_with = "links")]
    pub external: bool,
    /// The least level of a finding that makes the exit code 1: error, warning or never
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "error",
        hide_possible_values = true
    )]
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

/// The least level of a finding that makes the exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOnArg {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
    /// None does
    Never,
}

/// A report and the file that it is written to.
#[derive(Clone)]
pub struct ReportArg {
    /// Its format.
    pub format: &'static ReportFormat,
    /// The file.
    pub path: PathBuf,
}

fn rule(name: &str) -> Result<&'static str, String> {
    let rule = RULES.iter().find(|rule| rule.name == name);
    rule.map(|rule| rule.name).ok_or_else(|| {
        let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
        format!("there are {}", names.join(", "))
    })
}

fn format(name: &str) -> Result<&'static ReportFormat, String> {
    ReportFormat::named(name).ok_or_else(|| {
        let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
        format!("there are {}", names.join(", "))
    })
}

fn report(text: &str) -> Result<ReportArg, String> {
    let (name, path) = text.split_once('=').ok_or("FORMAT=FILE")?;
    let format = format(name)?;
    let path = PathBuf::from(path);
    Ok(ReportArg { format, path })
}
