//! The subcommands and their flags, in the groups that the help shows; each group becomes the options
//! of one layer.

pub(crate) mod base;
pub(crate) mod input;
pub(crate) mod output;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{ArgAction, ArgMatches, Args, CommandFactory, Parser, Subcommand, ValueEnum};

use super::help::{self, named};
use crate::audit::redirect_formats::{REDIRECT_FORMATS, RedirectFormat};
use crate::audit::report::{FORMATS, Grouping, ReportFormat};
use crate::audit::rules::{Level, Levels, RULES};
use crate::audit::{GENERATORS, SERVERS};
use crate::output::Output;
use crate::output::field::ColumnChoice;
use crate::output::schema::{SCHEMAS, Schema};
use crate::pipeline::tally::CountKey;
use crate::uri::{ExcessDots, Grammar, SameScheme};
use base::{BaseArgs, RulesArg};
use input::{ReadArgs, WalkArgs};
use output::{FilterArgs, OutputArgs, ReportArgs, WhenArg, column, key, top};

/// Lists the references of documents, resolved.
#[derive(Parser)]
#[command(
    name = "uriscan",
    version,
    about = "Lists the references of files, directories or standard input (`-`), each\n\
             resolved against the right base",
    args_conflicts_with_subcommands = true,
    args_override_self = true,
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
    /// List documents, messages and web records, those without links too
    Records(Box<ExtractArgs>),
    /// Check references inside document trees; never uses the network
    Audit(Box<AuditArgs>),
    /// List the addresses that document trees answer: pages, ids, redirects
    Targets(Box<AuditArgs>),
    /// Find the addresses of an old tree that a new one does not answer
    Diff(Box<DiffArgs>),
    /// Move a file or folder, and rewrite the references to it and from it
    Mv(Box<MvArgs>),
    /// Resolve references
    Resolve(ResolveArgs),
    /// Show the components of URI references, and their errors
    Parse(ParseArgs),
    /// Print the JSON Schema of a record
    Schema(SchemaArgs),
}

impl Command {
    /// Returns the flags of an audit that the subcommand has among its own, and its name.
    pub(in crate::cli) fn audit_mut(&mut self) -> Option<(&'static str, &mut AuditArgs)> {
        match self {
            Command::Audit(arguments) => Some(("audit", arguments)),
            Command::Targets(arguments) => Some(("targets", arguments)),
            Command::Diff(arguments) => Some(("diff", &mut arguments.audit)),
            Command::Mv(arguments) => Some(("mv", &mut arguments.audit)),
            _ => None,
        }
    }
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
    /// Read the messages of a public-inbox: a repository of git, or a directory with epochs in git/
    #[arg(long, value_name = "DIR", help_heading = "Which files")]
    pub git: Vec<PathBuf>,
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
    /// Without --root each of them is treated as the root of a site.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub documents: DocumentArgs,
    #[command(flatten)]
    pub check: CheckArgs,
    #[command(flatten)]
    pub findings: FindingArgs,
}

/// The arguments of `diff`; the paths are OLD and NEW.
#[derive(Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub audit: AuditArgs,
    #[command(flatten)]
    pub change: ChangeArgs,
    /// The sides in the order of the command line.
    #[arg(skip)]
    pub sides: Vec<DiffSide>,
}

/// Flags for the comparison of two trees.
#[derive(Args)]
#[command(next_help_heading = "Sides and successors")]
pub(crate) struct ChangeArgs {
    /// Compare a directory of a revision, in the place of OLD or NEW
    #[arg(long, value_name = "REV:PATH")]
    pub git: Vec<OsString>,
    /// Suggest the pages and ids that have taken the place of removed ones
    #[arg(long, conflicts_with = "links")]
    pub suggest: bool,
    /// Write redirects from removed pages to those that --suggest finds, instead of findings or, with
    /// FORMAT=FILE, to a file: _redirects, netlify, vercel, htaccess, nginx, mkdocs, docusaurus, hugo, sphinx
    #[arg(long, value_name = "FORMAT", value_parser = redirects, conflicts_with = "links")]
    pub write_redirects: Option<RedirectsArg>,
}

/// The arguments of `mv`; the paths are OLD and NEW.
#[derive(Args)]
pub(crate) struct MvArgs {
    #[command(flatten)]
    pub audit: AuditArgs,
    #[command(flatten)]
    pub relocation: RelocationArgs,
}

/// Flags for moves.
#[derive(Args)]
#[command(next_help_heading = "How files are moved")]
pub(crate) struct RelocationArgs {
    /// Move and rewrite; without it the changes are shown as a diff
    #[arg(long)]
    pub write: bool,
    /// Leave redirects at the old addresses of pages, in a form of diff --write-redirects: in the
    /// file _redirects or .htaccess of the tree, or else on standard output
    #[arg(long, value_name = "FORMAT", value_parser = redirect_format)]
    pub redirect: Option<&'static RedirectFormat>,
    /// Move by `git mv`
    #[arg(long)]
    pub git: bool,
    /// Instead of a move give the heading with an id the title that is the only argument, and rewrite
    /// the references to it
    #[arg(long, value_name = "PAGE#OLD", conflicts_with_all = ["git", "redirect"])]
    pub heading: Option<String>,
}

/// OLD or NEW.
pub(crate) enum DiffSide {
    Path(PathBuf),
    Git(OsString),
}

/// The form of redirects, and the file that they are written to.
#[derive(Clone)]
pub(crate) struct RedirectsArg {
    pub format: &'static RedirectFormat,
    pub path: Option<PathBuf>,
}

impl DiffArgs {
    /// Puts the sides in the order of the command line; a lone revision is OLD.
    pub(in crate::cli) fn set_sides(&mut self, matches: &ArgMatches) {
        let indices = |name| matches.indices_of(name).into_iter().flatten();
        let paths = self.audit.paths.iter().cloned().map(DiffSide::Path);
        let revisions = self.change.git.iter().cloned().map(DiffSide::Git);
        let mut sides: Vec<_> = indices("paths").zip(paths).collect();
        sides.extend(indices("git").zip(revisions));
        sides.sort_by_key(|(index, _)| *index);
        self.sides = sides.into_iter().map(|(_, side)| side).collect();
    }
}

/// The files that --orphans reports.
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
    /// Do not report findings of a rule
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = rule)]
    pub allow: Vec<&'static str>,
    /// The levels that these three flags and --orphans set.
    #[arg(skip)]
    pub levels: Levels,
    /// The same as --warn orphan: report pages that no document links to; =all: any file
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true)]
    #[arg(hide_possible_values = true, default_missing_value = "pages")]
    pub orphans: Option<OrphansArg>,
    /// Documents that may be orphans
    #[arg(long, value_name = "GLOB", value_parser = NonEmptyStringValueParser::new())]
    pub entry: Vec<String>,
    /// Names of index files, the preferred one first
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = file_name)]
    #[arg(default_value = "index.html,index.htm")]
    pub index: Vec<String>,
    /// Extensions that references may leave out
    #[arg(long, value_name = "EXTENSIONS", value_delimiter = ',', value_parser = extension)]
    pub try_ext: Vec<String>,
    /// The server that shows the files: auto, static, github-pages, gitlab-pages, cloudflare-pages, netlify, vercel, firebase, azure, apache, nginx-try
    ///
    /// With auto the files in the root of a site determine it: _redirects, netlify.toml,
    /// vercel.json, firebase.json, staticwebapp.config.json, wrangler.toml, .htaccess, CNAME, .nojekyll.
    #[arg(long, value_name = "SERVER", default_value = "auto", value_parser = server)]
    pub server: &'static str,
    /// The generator of which a directory is the source of a site; none: of no directory
    ///
    /// Without it the configurations of generators in the tree tell.
    #[arg(long, value_name = "KIND=DIR", value_parser = source)]
    pub source: Vec<SourceArg>,
    /// The sources that the site was built from: findings name the line that they come from
    #[arg(long, value_name = "DIR")]
    pub sources: Option<PathBuf>,
    /// Whether fragments must name something
    #[arg(long, value_name = "WHETHER", default_value = "on", action = ArgAction::Set)]
    #[arg(value_parser = PossibleValuesParser::new(["on", "off"]).map(|text| text == "on"))]
    pub fragments: bool,
    /// Treat http and https as different
    #[arg(long)]
    pub strict_scheme: bool,
    /// Hosts from which pages may load resources, for the rule external-resource
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub allowed_hosts: Vec<String>,
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

pub(in crate::cli) const OUTPUT_HEADING: &str = "What comes out";

/// Flags for the output.
#[derive(Args)]
#[command(next_help_heading = OUTPUT_HEADING)]
pub(crate) struct FindingArgs {
    /// The format of findings: text, jsonl, sarif, junit, github, markdown, html
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: String,
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
    /// Instead of findings show their number by rule, host, scheme, target, path, message, date,
    /// sender or element, or by several of them, the most frequent first
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = key)]
    #[arg(action = ArgAction::Set, conflicts_with_all = ["links", "external"])]
    pub count_by: Vec<CountKey>,
    /// With --count-by: only the N most frequent
    #[arg(long, value_name = "N", requires = "count_by", value_parser = top)]
    pub top: Option<usize>,
    /// With --count-by host: show international names in Unicode
    #[arg(long, requires = "count_by")]
    pub idn: bool,
    /// Show every link with its state
    #[arg(long)]
    pub links: bool,
    /// Instead of findings list the targets that only the network can check; =jsonl with all places
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true)]
    #[arg(
        hide_possible_values = true,
        default_missing_value = "text",
        conflicts_with = "links"
    )]
    pub external: Option<ExternalArg>,
    /// With --external: leave out the targets for which --results has an answer
    #[arg(long, requires = "external", requires = "results")]
    pub only_unknown: bool,
    /// Read the answers of an online checker about targets on the network; may be repeated
    ///
    /// JSON of lychee, linkinator or muffet, CSV or JSON Lines with url, status and maybe checked_at
    /// and location, or CDX or CDXJ of an archive, whose copies are suggested; `-` is standard input. In
    /// a tree such a file is not read as a document.
    #[arg(long, value_name = "FILE")]
    pub results: Vec<PathBuf>,
    /// With --results: ignore older answers, such as 7d, 12h or 4w; without a time an answer has the
    /// file's
    #[arg(long, value_name = "AGE", requires = "results", value_parser = age)]
    pub max_age: Option<Duration>,
    /// Show a diff that replaces references by certain suggestions; =write changes the files
    ///
    /// Certain are another case or Unicode form, another encoding of the same name, a missing or
    /// extra slash at the end, and the destination of a page of the tree that redirects. Nothing
    /// else in a file changes. With =write only the remaining findings are shown and set the exit code.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true)]
    #[arg(hide_possible_values = true, default_missing_value = "diff")]
    #[arg(conflicts_with_all = ["links", "external", "count_by"])]
    pub(crate) fix: Option<FixArg>,
    /// With --fix: replace references to files that have moved, too, where one file has the name
    #[arg(long, requires = "fix")]
    pub(crate) fix_moved: bool,
    /// The lowest level of a finding that makes the exit code 1: error, warning or never
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    #[arg(hide_possible_values = true)]
    pub fail_on: FailOnArg,
    /// Leave out findings whose keys are in a file
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the keys of all findings to a file, for --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Show only findings whose source or target is this file or directory; may be repeated
    #[arg(long, value_name = "FILE")]
    pub touching: Vec<PathBuf>,
    /// The same as --touching with each file that git reports as changed since REV or untracked
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<OsString>,
    /// Show only findings on lines that git finds added since REV, or in files that it does not know
    #[arg(long, value_name = "REV")]
    pub added_since: Option<OsString>,
    /// Show at most N findings, and the number of the others
    #[arg(long, value_name = "N")]
    pub max_findings: Option<u64>,
    /// Write to a file, which is renamed into place when complete
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The number of workers [default: all cores]
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print no findings and no summary; write reports and set the exit code
    #[arg(short, long)]
    pub quiet: bool,
    /// Print skipped files and diagnostics of documents on standard error
    #[arg(short, long)]
    pub verbose: bool,
    /// Suppress error messages
    #[arg(long)]
    pub no_messages: bool,
    /// Colour text
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: WhenArg,
    /// Show the progress of a long run
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: WhenArg,
    /// Exit with 0 instead of 1
    #[arg(long)]
    pub exit_zero: bool,
    /// Explain a rule, the code of a diagnostic or the flag of a record, and exit
    #[arg(long, value_name = "NAME")]
    pub explain: Option<String>,
    /// Read flags from this file [default: uriscan.toml, if it exists]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Read no flags from a file
    #[arg(long)]
    pub no_config: bool,
}

impl FindingArgs {
    fn format_name(&self) -> &str {
        if self.json { "jsonl" } else { &self.format }
    }

    pub(in crate::cli) fn format(&self) -> &'static ReportFormat {
        ReportFormat::named(self.format_name()).unwrap_or(&FORMATS[0])
    }

    /// Returns the format of rows, for `targets`.
    pub(in crate::cli) fn output(&self) -> &'static Output {
        Output::named(self.format_name()).unwrap_or_default()
    }

    /// Checks that the subcommand has the format.
    pub(in crate::cli) fn check_format(&self, command: &str) -> Result<(), clap::Error> {
        let checked = match command {
            "targets" if self.output().is_index() => Err("it is an index of records".to_owned()),
            "targets" => output::output(&self.format).map(drop),
            _ => format(&self.format).map(drop),
        };
        checked.map_err(|reason| {
            let message = format!("--format {}: {reason}\n", self.format);
            clap::Error::raw(ErrorKind::InvalidValue, message)
        })
    }
}

/// The lowest level of a finding that makes the exit code 1.
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

/// The form of the list of external targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExternalArg {
    /// One a line
    Text,
    /// Records
    Jsonl,
}

fn age(text: &str) -> Result<Duration, String> {
    let units = [('m', 60), ('h', 3600), ('d', 86_400), ('w', 7 * 86_400)];
    let seconds = |(unit, seconds)| {
        let number: Option<u64> = text.strip_suffix(unit)?.parse().ok();
        number?.checked_mul(seconds)
    };
    let age = units.into_iter().find_map(seconds);
    let age = age.ok_or("a number and m, h, d or w, such as 7d")?;
    Ok(Duration::from_secs(age))
}

/// A report and the file that it is written to.
#[derive(Clone)]
pub(crate) struct ReportArg {
    pub format: &'static ReportFormat,
    pub path: PathBuf,
}

fn file_name(name: &str) -> Result<String, String> {
    if name.is_empty() || name.contains('/') {
        return Err("expected a file name, without a directory".to_owned());
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

/// A directory of sources with its generator, or `none`.
pub(crate) type SourceArg = Option<(&'static str, PathBuf)>;

fn source(text: &str) -> Result<SourceArg, String> {
    if text == "none" {
        return Ok(None);
    }
    let (name, directory) = text.split_once('=').ok_or("KIND=DIR, or none")?;
    let kind = named(name, GENERATORS.iter().map(|row| (row.name, row.name)))?;
    Ok(Some((kind, directory.into())))
}

fn format(name: &str) -> Result<&'static ReportFormat, String> {
    named(name, FORMATS.iter().map(|format| (format.name, format)))
}

fn grouping(name: &str) -> Result<Grouping, String> {
    let rows = Grouping::ALL.iter();
    named(name, rows.map(|&group| (group.name(), group)))
}

fn report(text: &str) -> Result<ReportArg, String> {
    let parts = text.split_once('=').filter(|(_, path)| !path.is_empty());
    let (name, path) = parts.ok_or("expected FORMAT=FILE")?;
    let (format, path) = (format(name)?, path.into());
    Ok(ReportArg { format, path })
}

fn redirect_format(name: &str) -> Result<&'static RedirectFormat, String> {
    let rows = REDIRECT_FORMATS.iter();
    named(name, rows.map(|format| (format.name, format)))
}

fn redirects(text: &str) -> Result<RedirectsArg, String> {
    let (name, path) = text.split_once('=').unzip();
    let format = redirect_format(name.unwrap_or(text))?;
    let path = path.map(PathBuf::from);
    Ok(RedirectsArg { format, path })
}

/// `auto` needs a document: its error says so.
fn rules_without_document() -> impl TypedValueParser<Value = RulesArg> {
    let value = |rules: &RulesArg| Some(rules.to_possible_value()?.hide(*rules == RulesArg::Auto));
    let values = RulesArg::value_variants().iter().filter_map(value);
    PossibleValuesParser::new(values).try_map(|name| RulesArg::from_str(&name, false))
}

/// The arguments of `resolve`.
#[derive(Args)]
pub(crate) struct ResolveArgs {
    /// References; without any, the lines of standard input
    #[arg(value_name = "REF")]
    pub references: Vec<OsString>,
    /// The base; without it relative references do not resolve
    #[arg(long, value_name = "URI")]
    pub base: Option<OsString>,
    /// The rules of resolution, exactly as written
    #[arg(long, value_name = "RULES", default_value = "rfc3986", value_parser = rules_without_document())]
    pub rules: RulesArg,
    /// rfc2396: how to treat `..` above the root (section 5.2 step 6g)
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    pub excess_dots: ExcessDots,
    /// Whether `http:g` is absolute, or relative to an http base (RFC 3986 section 5.2.2)
    #[arg(long, value_name = "HOW", default_value = "strict")]
    pub same_scheme: SameScheme,
    /// Lines of standard input may have a base after the reference and a tab
    #[arg(long, conflicts_with = "references")]
    pub tab: bool,
    /// References of standard input end in NUL, and may hold line breaks
    #[arg(short = '0', long, conflicts_with = "references")]
    pub null: bool,
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
    /// The rules to check against
    #[arg(long, value_name = "RULES", default_value = "rfc3986")]
    pub rules: Grammar,
    /// Print one JSON object for each reference
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `schema`.
#[derive(Args)]
pub(crate) struct SchemaArgs {
    /// The record: link, record, finding, summary, archive, target, external, count, error, diagnostic,
    /// link-change, skipped, resolution or components
    #[arg(value_name = "RECORD", value_parser = schema)]
    pub record: &'static Schema,
    /// The form of the schema; arrow is for link, record and target
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    pub format: SchemaFormatArg,
    /// The columns of the table: core, mail, web, all, or names [default: core]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = column)]
    pub columns: Vec<ColumnChoice>,
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
