//! `uriscan audit`: check references inside document trees; never uses the network.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgMatches, Command};

use super::args::output::workers;
use super::args::{AuditArgs, FailOnArg, FixArg, OrphansArg, ReportArg, SwitchArg};
use super::changed::{changed_since, was_there};
use super::config::{self, Config};
use super::destination::{Destination, OutputTarget};
use super::fix::{self, FixCounts, FixDestination};
use super::inputs::Inputs;
use super::message::{Error, ProgressLine, report, write_stderr};
use super::process::Exit;
use super::{extract, help, manual};
use crate::audit::fix::FixList;
use crate::audit::options::{Audit, ListedLinks, assume_roots};
use crate::audit::report::{ReportFormat, ReportPlace, ReportSet, TextStyle};
use crate::audit::rules::{Level, Levels, LinkState, RULES};
use crate::audit::{self, AuditError, AuditOptions, AuditSummary, Finding, IgnoreEntry};
use crate::document::AnchorReporting;
use crate::extractor::Positions;
use crate::output::escape::visible;
use crate::output::record::counted;
use crate::pipeline::bases::Bases;
use crate::pipeline::walk::{Outputs, Root, path_of};
use crate::pipeline::{Archived, Archives, OutputOrder, PipelineOptions, Verbosity};

/// Returns the command line with the flags of the configuration before its own, and the
/// configuration; none without a configuration.
pub(super) fn with_config(
    arguments: &AuditArgs,
    given: &[OsString],
    command: &Command,
) -> Result<Option<(Vec<OsString>, Config)>, Error> {
    let findings = &arguments.findings;
    if findings.no_config || findings.explain.is_some() || arguments.walk.type_list {
        return Ok(None);
    }
    let Some(mut config) = config::read(findings.config.as_deref(), command)? else {
        return Ok(None);
    };
    let mut all = given.to_vec();
    let index = all.iter().skip(1).position(|word| word == "audit");
    let at = index.map_or(all.len(), |index| index + 2);
    let flags = std::mem::take(&mut config.flags);
    let paths = std::mem::take(&mut config.paths);
    let paths = arguments.paths.is_empty().then_some(paths);
    all.splice(at..at, flags.into_iter().chain(paths.unwrap_or_default()));
    Ok(Some((all, config)))
}

/// The report of a configuration that was read.
pub(super) struct Notice {
    file: PathBuf,
    keys: String,
    /// Rules whose levels the configuration lowers, with the levels before and after.
    lowered: Vec<String>,
    /// The findings that the configuration ignores.
    ignored: Vec<IgnoreEntry>,
    /// Whether the command line has `--quiet`; in a configuration it does not hide this report.
    quiet: bool,
}

/// The flags of an audit, and their positions on the command line.
type Given<'a> = (&'a AuditArgs, &'a ArgMatches);

impl Notice {
    /// Compares the command line before and after the flags of a configuration were added.
    pub(super) fn of(config: &Config, before: Given<'_>, after: Given<'_>) -> Self {
        let levels = |(arguments, matches)| levels(arguments, matches);
        let (old, new) = (levels(before), levels(after));
        let lowered = RULES.iter().filter_map(|rule| {
            let level = |levels: &Levels| levels.named(rule.name).map(|(_, level)| level);
            let (old, new) = (level(&old)?, level(&new)?);
            let sentence = || format!("{} from {} to {}", rule.name, old.name(), new.name());
            (new < old).then(sentence)
        });
        Notice {
            file: config.file.clone(),
            keys: config.keys.join(", "),
            lowered: lowered.collect(),
            ignored: config.ignore.clone(),
            quiet: before.0.findings.quiet,
        }
    }

    /// Returns a line with the file and its keys, and one with the rules that it lowers.
    fn lines(&self) -> Vec<String> {
        let file = self.file.display();
        let mut lines = vec![match self.keys.as_str() {
            "" => format!("configuration: {file}"),
            keys => format!("configuration: {file} ({keys})"),
        }];
        if !self.lowered.is_empty() {
            lines.push(format!("lowered by it: {}", self.lowered.join(", ")));
        }
        if !self.ignored.is_empty() {
            let entries: Vec<_> = self.ignored.iter().map(IgnoreEntry::words).collect();
            lines.push(format!("ignored by it: {}", entries.join("; ")));
        }
        lines
    }
}

/// Runs `uriscan audit`.
pub(super) fn run(
    arguments: &AuditArgs,
    matches: &ArgMatches,
    notice: Option<&Notice>,
) -> Result<Exit, Error> {
    if arguments.walk.type_list {
        return manual::print_types(&arguments.walk.type_add);
    }
    if let Some(name) = &arguments.findings.explain {
        return manual::explain(name);
    }
    if let Some(notice) = notice
        && arguments.findings.verbose
    {
        report(&notice.lines()[0]);
    }
    let findings = &arguments.findings;
    if findings.fix == Some(FixArg::Diff) && (findings.json || findings.format.name != "text") {
        return Err(Error::new(
            "--fix shows a diff instead of findings: write these to a file with --report",
        ));
    }
    let paths = paths(arguments)?;
    help::check_paths(&paths, false)?;
    let mut options = options(arguments, matches, &paths)?;
    for entry in notice.iter().flat_map(|notice| &notice.ignored) {
        let ignored = options.ignore(entry.clone());
        options = ignored.map_err(|error| Error::new(error.to_string()))?;
    }
    let mut fixes = fix_list(arguments)?;
    let again = fixes.is_some().then(|| options.of_all_findings());
    check_touching(arguments, &options, &paths)?;
    let gone = options.gone_files();
    let audit = Audit::new(options, &paths);
    let targets = targets(arguments)?;
    let all_targets: Vec<_> = targets.iter().map(|(_, target)| target).collect();
    let roots = roots(arguments, &paths);
    let others: Vec<&Path> = notice.iter().map(|notice| notice.file.as_path()).collect();
    let inputs = Inputs {
        roots: &roots,
        walk: &arguments.walk,
        options: &audit.options.reading,
        others: &others,
    };
    inputs.check(&all_targets)?;
    let outputs = extract::outputs(&all_targets);
    let walk = extract::walk(&arguments.walk, roots, OutputOrder::Path, outputs.clone())?;
    let mut destinations = Vec::new();
    for (role, target) in &targets {
        destinations.push((*role, target.open()?));
    }
    let reading = &audit.options.reading;
    let line = reading.progress.clone().map(ProgressLine::show);
    let reading = fixes.is_some().then(|| reading.clone());
    let mut reports = reports(arguments, &mut destinations);
    reports.totals.config = notice.map(|notice| notice.file.clone());
    if let Some(fixes) = &mut fixes {
        reports.collect_fixes(fixes);
    }
    let tells = !findings.no_messages;
    let mut rerun = |replaced, on_finding: &mut (dyn FnMut(&Finding<'_>) + Send)| {
        let mut options = again.clone().unwrap_or_default();
        options.reading.replaced = replaced;
        let roots = self::roots(arguments, &paths);
        let walk = extract::walk(&arguments.walk, roots, OutputOrder::Path, outputs.clone());
        let walk = walk.map_err(|error| io::Error::other(error.to_string()))?;
        let mut reports = ReportSet::new(options.reading.verbosity, None);
        reports.call(on_finding);
        audit::run(Audit::new(options, &paths), walk, reports, |_| Ok(())).map(drop)
    };
    let mut counts = None;
    let mut outcome = audit::run(audit, walk, reports, |reports| {
        // What could not be written is reported.
        if findings.fix == Some(FixArg::Write)
            && let (Some(fixes), Some(reading)) = (reports.take_fixes(), &reading)
        {
            let roots = fixed_roots(&paths, reading);
            let destination = FixDestination::Files { roots, reports };
            counts = Some(fix::run(fixes, reading, &mut rerun, destination, tells)?);
        }
        Ok(())
    });
    drop(line);
    if let (Ok(_), Some(fixes), Some(reading), None) = (&outcome, &mut fixes, &reading, &counts) {
        let mut main = destinations
            .iter_mut()
            .find_map(|(role, main)| matches!(role, OutputRole::Main).then_some(main));
        let is_terminal = main.as_ref().is_some_and(|main| main.is_terminal());
        let mut main = main.as_mut().map(|main| MainOutput::new(main, arguments));
        let destination = FixDestination::Diff {
            is_terminal,
            out: main.as_mut().map(|main| main as &mut dyn io::Write),
        };
        match fix::run(fixes, reading, &mut rerun, destination, tells) {
            Ok(made) => counts = Some(made),
            Err(error) => outcome = Err(error),
        }
    }
    let finished = outcome.and_then(|outcome| finish_files(destinations, outcome, &outputs));
    let outcome = match finished {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Found),
        Err(error) => return Err(Error::new(format!("cannot write: {error}"))),
        Ok(outcome) => outcome,
    };
    let exit = finish(arguments, &outcome, counts.as_ref(), notice)?;
    for path in gone.unlinked() {
        let path = path_of(path);
        // A page that was deleted may have had no link.
        if !was_there(&path) {
            return Err(Error::new(format!(
                "{}: there is no such file to touch, and no link leads to one",
                path.display()
            )));
        }
    }
    Ok(exit)
}

/// Checks that the files that findings must touch lie in the trees.
fn check_touching(
    arguments: &AuditArgs,
    options: &AuditOptions,
    paths: &[PathBuf],
) -> Result<(), Error> {
    for name in &arguments.findings.touching {
        let is_in_tree = options.is_in_tree(name, paths);
        if !is_in_tree.map_err(|error| Error::new(error.to_string()))? {
            let name = name.display();
            return Err(Error::new(format!(
                "--touching {name}: it is in none of the trees"
            )));
        }
    }
    Ok(())
}

/// Returns the list that collects fixes, if any are wanted.
fn fix_list(arguments: &AuditArgs) -> Result<Option<FixList>, Error> {
    let (findings, walk) = (&arguments.findings, &arguments.walk);
    let Some(fix) = findings.fix else {
        return Ok(None);
    };
    let mut lists = walk.files_from.iter().chain(&walk.files0_from);
    if lists.any(|list| list.as_os_str() == "-") {
        return Err(Error::new(
            "--fix reads the tree again before it changes anything: give the list of files as a file",
        ));
    }
    let is_written = fix == FixArg::Write;
    Ok(Some(FixList::new(findings.fix_moved, is_written)))
}

/// Returns the directories below which files are fixed: the roots and the paths.
fn fixed_roots(paths: &[PathBuf], reading: &PipelineOptions) -> Vec<PathBuf> {
    let mounts = reading.bases.mounts.iter();
    let mounts = mounts.map(|(directory, _)| path_of(directory));
    let roots = mounts.chain(paths.iter().cloned());
    // A path that is gone has no fixes.
    roots.filter_map(|root| root.canonicalize().ok()).collect()
}

/// Returns the paths to audit: by default those of `--root`, else the current directory.
fn paths(arguments: &AuditArgs) -> Result<Vec<PathBuf>, Error> {
    if arguments.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Error::new(
            "standard input is in no tree: audit reads files",
        ));
    }
    if !arguments.paths.is_empty() {
        return Ok(arguments.paths.clone());
    }
    let directories = arguments.base.directories();
    Ok(match directories.is_empty() {
        true => vec![PathBuf::from(".")],
        false => directories,
    })
}

fn roots(arguments: &AuditArgs, paths: &[PathBuf]) -> Vec<Root> {
    let root = |path: &PathBuf| match path == Path::new(".") {
        true => Root::Here,
        false => Root::Path(path.clone()),
    };
    let walk = &arguments.walk;
    let listed = !(walk.files_from.is_empty() && walk.files0_from.is_empty());
    match listed && arguments.paths.is_empty() {
        true => Vec::new(),
        false => paths.iter().map(root).collect(),
    }
}

fn options(
    arguments: &AuditArgs,
    matches: &ArgMatches,
    paths: &[PathBuf],
) -> Result<AuditOptions, Error> {
    let (check, findings) = (&arguments.check, &arguments.findings);
    let mut options = AuditOptions::default();
    options.reading.bases = bases(arguments, paths)?;
    let touching = match &findings.changed_since {
        None => options.touching(&findings.touching),
        Some(revision) => {
            let mut trees = paths.to_vec();
            trees.extend(arguments.base.directories());
            let changed = changed_since(revision, &trees)?;
            let touched = options.touching_only(findings.touching.iter().chain(&changed.files));
            touched.and_then(|options| options.renamed(&changed.renamed))
        }
    };
    options = touching
        .and_then(|options| options.entries(&check.entry))
        .map_err(|error| Error::new(error.to_string()))?
        .server(check.server)
        .map_err(|error| Error::new(error.to_string()))?
        .fragments(check.fragments == SwitchArg::On)
        .index_files(&check.index)
        .optional_extensions(&check.try_ext)
        .strict_schemes(check.strict_scheme)
        .follow_symlinks(arguments.walk.follow)
        .orphan_assets(check.orphans == Some(OrphansArg::All));
    options.levels = levels(arguments, matches);
    options.slug = arguments.read.slug;
    options.list = match (findings.links, findings.external) {
        (_, true) => ListedLinks::External,
        (true, _) => ListedLinks::Links,
        _ => ListedLinks::Findings,
    };
    if let Some(path) = &findings.baseline {
        let file = File::open(path).map_err(AuditError::Io);
        options = (file.and_then(|file| options.baseline(BufReader::new(file))))
            .map_err(|error| Error::new(format!("{}: {error}", path.display())))?;
    }
    let bases = options.reading.bases;
    options.reading = reading(arguments, bases)?;
    Ok(options)
}

fn reading(arguments: &AuditArgs, bases: Bases) -> Result<PipelineOptions, Error> {
    let findings = &arguments.findings;
    let (walk, read, base) = (&arguments.walk, &arguments.read, &arguments.base);
    let mut options = extract::pipeline_options(walk, read, base, &arguments.filter, bases)?;
    options.archives = Archived::Files;
    options.hidden_members = walk.hidden || walk.unrestricted > 1;
    let formats = &mut options.extractor.formats;
    formats.anchors = AnchorReporting::Report;
    let formats_of_reports = findings.report.iter().map(|report| report.format);
    formats.mail.envelope = findings.json
        || findings.count_by.is_some_and(|key| key.needs_envelope())
        || (formats_of_reports.chain([findings.format])).any(|format| format.name == "jsonl");
    formats.html.ignore = (arguments.check.ignore_attr.as_ref()).map(|name| name.to_lowercase());
    options.extractor.positions = Positions::Lines;
    options.verbosity = verbosity(arguments);
    options.threads = workers(findings.threads);
    let auto = io::stderr().is_terminal() && !findings.quiet;
    options.progress = findings.progress.for_progress(auto).then(Arc::default);
    // Documents are not split: their anchors belong together.
    options.splits_documents = false;
    Ok(options)
}

fn verbosity(arguments: &AuditArgs) -> Verbosity {
    Verbosity {
        errors: !arguments.findings.no_messages,
        diagnostics: arguments.findings.verbose,
        summary: true,
        archives: Archives::Leave,
    }
}

/// Returns the bases of documents; without `--root` each path is the root of a site of its own.
fn bases(arguments: &AuditArgs, paths: &[PathBuf]) -> Result<Bases, Error> {
    let mut bases = arguments.base.bases(paths)?;
    let assumed = assume_roots(&mut bases, paths);
    for directory in assumed.map_err(|error| Error::new(error.to_string()))? {
        if !arguments.findings.quiet && !arguments.findings.no_messages {
            let directory = match directory.as_slice() {
                b"" => ".".into(),
                name => String::from_utf8_lossy(name),
            };
            report(&format!(
                "without --root, {directory} is taken for the root of a site"
            ));
        }
    }
    Ok(bases)
}

/// Returns the levels of the rules. The last of several flags for a rule counts.
fn levels(arguments: &AuditArgs, matches: &ArgMatches) -> Levels {
    let mut levels = Levels::default();
    if arguments.check.orphans.is_some() {
        levels.set("orphan", Level::Warning);
    }
    let mut given = Vec::new();
    for (flag, level) in [
        ("deny", Level::Error),
        ("warn", Level::Warning),
        ("allow", Level::Allow),
    ] {
        let rules = matches.get_many::<&'static str>(flag).into_iter().flatten();
        let indices = matches.indices_of(flag).into_iter().flatten();
        given.extend(
            indices
                .zip(rules)
                .map(|(index, rule)| (index, *rule, level)),
        );
    }
    given.sort_unstable_by_key(|(index, ..)| *index);
    for (_, rule, level) in given {
        levels.set(rule, level);
    }
    levels
}

/// What an output of an audit gets.
#[derive(Clone, Copy)]
enum OutputRole<'a> {
    /// The findings, or a diff.
    Main,
    /// The targets on the network.
    External,
    /// The keys of findings, for a baseline.
    Keys,
    /// The findings, too.
    Report(&'a ReportArg),
}

/// Returns the outputs, which are examined before anything is read.
fn targets(arguments: &AuditArgs) -> Result<Vec<(OutputRole<'_>, OutputTarget)>, Error> {
    let findings = &arguments.findings;
    let output = findings.output.as_deref();
    let mut outputs = Vec::new();
    if findings.external {
        outputs.push((OutputRole::External, output));
    } else if !findings.quiet {
        outputs.push((OutputRole::Main, output));
    }
    let keys = findings.write_baseline.as_deref();
    outputs.extend(keys.map(|path| (OutputRole::Keys, Some(path))));
    let reports = findings.report.iter();
    outputs.extend(reports.map(|report| (OutputRole::Report(report), Some(&*report.path))));
    let outputs = outputs.into_iter();
    outputs
        .map(|(role, path)| Ok((role, OutputTarget::of(path)?)))
        .collect()
}

/// Returns the reports that the destinations get.
fn reports<'d>(
    arguments: &AuditArgs,
    destinations: &'d mut [(OutputRole<'_>, Destination)],
) -> ReportSet<'d> {
    let findings = &arguments.findings;
    let mut reports = ReportSet::new(verbosity(arguments), findings.max_findings);
    for (role, destination) in destinations {
        match role {
            // A diff takes the place of the findings.
            OutputRole::Main if findings.fix == Some(FixArg::Diff) => {}
            OutputRole::Main => {
                let format = ReportFormat::named("jsonl").filter(|_| findings.json);
                let format = format.unwrap_or(findings.format);
                let writer = Box::new(MainOutput::new(destination, arguments));
                match findings.count_by {
                    Some(key) if findings.idn => {
                        reports.count_by(key.with_unicode(), format, writer);
                    }
                    Some(key) => reports.count_by(key, format, writer),
                    None => {
                        let place = ReportPlace::of(findings.output.as_deref());
                        reports.add(format, text_style(arguments), place, writer);
                    }
                }
            }
            OutputRole::External => {
                reports.list_external(Box::new(MainOutput::new(destination, arguments)));
            }
            OutputRole::Keys => reports.list_keys(Box::new(destination)),
            OutputRole::Report(report) => {
                let style = TextStyle {
                    group: findings.group,
                    ..TextStyle::default()
                };
                let place = ReportPlace::of(Some(&report.path));
                reports.add(report.format, style, place, Box::new(destination));
            }
        }
    }
    if shows_summary(arguments) {
        reports.count_targets();
    }
    reports
}

/// Gives complete files their names. No file is replaced where nothing was read, or where one of them is
/// an input.
fn finish_files(
    destinations: Vec<(OutputRole<'_>, Destination)>,
    outcome: AuditSummary,
    outputs: &Outputs,
) -> io::Result<AuditSummary> {
    if outcome.summary.files > 0 && !outputs.were_named() {
        for (_, destination) in destinations {
            destination.finish()?;
        }
    }
    Ok(outcome)
}

/// The output of a run, which may be a pipe that is closed before the end.
struct MainOutput<'a> {
    main: &'a mut Destination,
    /// The run has more to write: it goes on when the pipe is closed, and drops what it would write there.
    goes_on: bool,
}

impl<'a> MainOutput<'a> {
    fn new(main: &'a mut Destination, arguments: &AuditArgs) -> Self {
        let findings = &arguments.findings;
        let goes_on = findings.fix == Some(FixArg::Write)
            || findings.write_baseline.is_some()
            || !findings.report.is_empty();
        MainOutput { main, goes_on }
    }

    fn unless_closed<T>(&self, written: io::Result<T>, dropped: T) -> io::Result<T> {
        match written {
            Err(error) if self.goes_on && error.kind() == ErrorKind::BrokenPipe => Ok(dropped),
            written => written,
        }
    }
}

impl io::Write for MainOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.main.write(bytes);
        self.unless_closed(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.main.flush();
        self.unless_closed(flushed, ())
    }
}

fn text_style(arguments: &AuditArgs) -> TextStyle {
    let findings = &arguments.findings;
    let terminal = findings.output.is_none() && io::stdout().is_terminal();
    TextStyle {
        color: findings.color.for_color(terminal),
        group: findings.group,
    }
}

/// Returns whether the summary is shown in words.
fn shows_summary(arguments: &AuditArgs) -> bool {
    let findings = &arguments.findings;
    !findings.quiet && (findings.external || !findings.json)
}

fn finish(
    arguments: &AuditArgs,
    totals: &AuditSummary,
    fixes: Option<&FixCounts>,
    notice: Option<&Notice>,
) -> Result<Exit, Error> {
    let findings = &arguments.findings;
    let summary = &totals.summary;
    if shows_summary(arguments) {
        write_stderr(summary_text(totals).as_bytes());
    }
    if let Some(fixes) = fixes.filter(|_| !findings.quiet) {
        let is_written = findings.fix == Some(FixArg::Write);
        write_stderr(
            fixes
                .text(is_written, totals.errors + totals.warnings)
                .as_bytes(),
        );
    }
    if let Some(notice) = notice.filter(|notice| !notice.quiet) {
        let lines = notice.lines();
        let lines = lines.iter().map(|line| format!("{}\n", visible(line)));
        write_stderr(lines.collect::<String>().as_bytes());
    }
    if summary.is_empty() {
        return Err(extract::nothing_was_read(summary));
    }
    let failing = match findings.fail_on {
        FailOnArg::Error => totals.errors,
        FailOnArg::Warning => totals.errors + totals.warnings,
        FailOnArg::Never => 0,
    };
    let unfixed = fixes.map_or(0, |fixes| fixes.errors);
    let exit = if summary.errors + totals.damaged + unfixed > 0 {
        Exit::Error
    } else if failing > 0 {
        Exit::Nothing
    } else {
        Exit::Found
    };
    Ok(exit.or_zero(findings.exit_zero))
}

/// Returns the summary in words.
fn summary_text(totals: &AuditSummary) -> String {
    let summary = &totals.summary;
    let states: Vec<_> = (LinkState::NAMES.iter().zip(totals.counts))
        .map(|((_, name), count)| format!("{count} {name}"))
        .collect();
    let mut text = format!(
        "{} in {}: {}\n{}, {}",
        counted(summary.references, "reference"),
        counted(summary.files, "file"),
        states.join(", "),
        counted(totals.errors, "error"),
        counted(totals.warnings, "warning"),
    );
    if totals.ignored > 0 {
        text += &format!(", {} ignored", totals.ignored);
    }
    if totals.unsuggested > 0 {
        text += &format!(
            "; {} without a suggestion: looking for more would take too long",
            totals.unsuggested
        );
    }
    if summary.errors > 0 {
        let files = counted(summary.errors, "file");
        text += &format!("; {files} could not be read");
    }
    for sentence in summary.unread() {
        text += &format!("; {sentence}");
    }
    text.push('\n');
    if summary.read_as_text > 0 {
        let files = counted(summary.read_as_text, "file");
        text += &format!("{files} read as text, where relative links are not seen\n");
    }
    for site in &totals.servers {
        let root = String::from_utf8_lossy(&site.root);
        text += &format!(
            "{} as {} serves it: {}",
            visible(&root),
            site.server,
            counted(site.rules, "rule")
        );
        if site.unfollowed > 0 {
            text += &format!(", {} not followed", site.unfollowed);
        }
        text.push('\n');
    }
    push_tables(totals, &mut text);
    text
}

/// Appends the findings by rule, the targets with most findings, and what became of the baseline.
fn push_tables(totals: &AuditSummary, text: &mut String) {
    let rules = totals.rules.iter();
    let rules = rules.map(|row| (row.count, RULES[row.rule].name, row.level.name()));
    let rows = rules.map(|(count, name, level)| (count, format!("{name} ({level})")));
    push_rows(&rows.collect::<Vec<_>>(), text);
    let targets = totals.targets.iter();
    let rows = targets.map(|row| (row.count, format!("{}: {}", visible(&row.name), row.rule)));
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        *text += "targets with most findings:\n";
        push_rows(&rows, text);
    }
    let (lines, stale) = &totals.stale;
    if totals.forgiven + stale == 0 {
        return;
    }
    *text += &format!(
        "baseline: {} forgiven, {} stale\n",
        counted(totals.forgiven, "finding"),
        match stale {
            1 => "1 entry is".to_owned(),
            _ => format!("{stale} entries are"),
        }
    );
    for line in lines {
        *text += &format!("  {}\n", visible(line));
    }
    if *stale > lines.len() as u64 {
        *text += &format!("  and {} more\n", stale - lines.len() as u64);
    }
}

/// Appends rows of a number and a text; the numbers are aligned.
fn push_rows(rows: &[(u64, String)], text: &mut String) {
    let width = rows.iter().map(|(count, _)| count.to_string().len()).max();
    for (count, name) in rows {
        *text += &format!("{count:>width$} {name}\n", width = width.unwrap_or(0) + 2);
    }
}
