//! `uriscan audit`: check references inside document trees; never uses the network.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::args::{AuditArgs, ExternalArg, FailOnArg, FindingArgs, FixArg, OrphansArg, ReportArg};
use super::changed::{added_since, changed_since, was_there};
use super::config::{self, Config};
use super::destination::{Destination, OutputTarget};
use super::fix::{self, FixCounts, FixDestination};
use super::inputs::{Inputs, system_path};
use super::message::{ProgressLine, Result, flag, report, unless_closed, write_stderr};
use super::process::Exit;
use super::{extract, help, manual};
use crate::audit::fix::FixList;
use crate::audit::location::Audit;
use crate::audit::options::{ListedLinks, assume_roots, walk_root};
use crate::audit::report::{Grouping, ReportSet, ReportStyle};
use crate::audit::results::OnlineResults;
use crate::audit::rules::RULES;
use crate::audit::{self, AuditError, AuditOptions, AuditSummary, Finding, IgnoreEntry};
use crate::document::AnchorReporting;
use crate::extractor::Positions;
use crate::output::escape::visible;
use crate::output::record::counted;
use crate::pipeline::bases::Bases;
use crate::pipeline::tally::CountKey;
use crate::pipeline::walk::{Root, path_of, read_whole};
use crate::pipeline::workers::worker_count;
use crate::pipeline::{OutputOrder, PipelineOptions, Verbosity};

/// Returns the command line with the flags of the configuration before its own, and the
/// configuration; `None` without a configuration.
pub(super) fn with_config(
    command: &'static str,
    arguments: &AuditArgs,
    given: &[OsString],
) -> Result<Option<(Vec<OsString>, Config)>> {
    let findings = &arguments.findings;
    if findings.no_config || findings.explain.is_some() || arguments.documents.walk.type_list {
        return Ok(None);
    }
    let Some(config) = config::read(command, findings.config.as_deref())? else {
        return Ok(None);
    };
    let mut all = given.to_vec();
    let index = all.iter().skip(1).position(|word| word == command);
    let at = index.map_or(all.len(), |index| index + 2);
    let paths = config.paths.iter().filter(|_| arguments.paths.is_empty());
    all.splice(at..at, config.flags.iter().chain(paths).cloned());
    Ok(Some((all, config)))
}

impl Config {
    /// Compares the command line before and after the flags of the configuration were added.
    pub(super) fn compare(&mut self, before: &AuditArgs, after: &AuditArgs) {
        let (old, new) = (&before.check.levels, &after.check.levels);
        let lowered = RULES.iter().filter_map(|rule| {
            let (old, new) = (old.of(rule.id), new.of(rule.id));
            let sentence = || format!("{} from {} to {}", rule.name, old.name(), new.name());
            (new < old).then(sentence)
        });
        self.lowered = lowered.collect();
        self.is_quiet = before.findings.quiet;
    }

    /// Reports the file, its keys, and the rules and findings that it lowers and ignores.
    pub(super) fn report(&self) {
        let lines = self.lines();
        let lines = lines.iter().map(|line| format!("{}\n", visible(line)));
        write_stderr(lines.collect::<String>().as_bytes());
    }

    /// Returns a line with the file and its keys, and one with the rules that it lowers.
    fn lines(&self) -> Vec<String> {
        let mut first = format!("configuration: {}", self.file.display());
        if !self.keys.is_empty() {
            first += &format!(" ({})", self.keys.join(", "));
        }
        let mut lines = vec![first];
        if !self.lowered.is_empty() {
            lines.push(format!("lowered by it: {}", self.lowered.join(", ")));
        }
        if !self.ignore.is_empty() {
            let entries: Vec<_> = self.ignore.iter().map(IgnoreEntry::words).collect();
            lines.push(format!("ignored by it: {}", entries.join("; ")));
        }
        lines
    }
}

pub(super) fn run(arguments: &AuditArgs, config: Option<&Config>) -> Result<Exit> {
    if arguments.documents.walk.type_list {
        return manual::print_types(&arguments.documents.walk.type_add);
    }
    if let Some(name) = &arguments.findings.explain {
        return manual::explain(name);
    }
    if let Some(config) = config.filter(|_| arguments.findings.verbose) {
        report(&config.lines()[0]);
    }
    let findings = &arguments.findings;
    if findings.fix == Some(FixArg::Diff) && !findings.format().is_text {
        Err("--fix shows a diff instead of findings: write these to a file with --report")?;
    }
    let paths = paths(arguments)?;
    help::check_paths(&paths)?;
    let mut options = options(arguments, &paths)?;
    options = ignoring(options, config)?;
    let mut fixes = fix_list(arguments)?;
    let again = fixes.is_some().then(|| options.of_all_findings());
    for name in &findings.touching {
        if !options.is_in_tree(name, &paths)? {
            let name = name.display();
            return Err(format!("--touching {name}: it is in none of the audited trees").into());
        }
    }
    let gone = Arc::clone(&options.gone);
    let audit = Audit::new(options, &paths);
    let targets = targets(arguments)?;
    let all_targets: Vec<_> = targets.iter().map(|(_, target)| target).collect();
    let mut inputs = Inputs::new(roots(arguments, &paths), &arguments.documents.walk);
    inputs.unread = &arguments.findings.results;
    let others = other_inputs(findings, config);
    let outputs = inputs.check(&all_targets, &audit.options.reading, others)?;
    let walk = inputs.walk(OutputOrder::Path, outputs.clone())?;
    let mut destinations = Vec::new();
    let goes_on = findings.fix == Some(FixArg::Write)
        || findings.write_baseline.is_some()
        || !findings.report.is_empty();
    for (role, target) in &targets {
        let mut destination = target.open()?;
        destination.goes_on = goes_on && matches!(role, OutputRole::Main | OutputRole::External);
        destinations.push((*role, destination));
    }
    let reading = audit.options.reading.clone();
    let line = reading.progress.clone().map(ProgressLine::show);
    let mut reports = reports(arguments, reading.verbosity, &mut destinations);
    reports.totals.config = config.map(|config| (config.file.clone(), config.lowered.clone()));
    reports.fixes = fixes.as_mut();
    let tells = !findings.no_messages;
    let mut rerun = |replaced, on_finding: &mut (dyn FnMut(&Finding<'_>) + Send)| {
        let mut options = again.clone().unwrap_or_default();
        options.reading.replaced = replaced;
        let walk = inputs.walk(OutputOrder::Path, outputs.clone());
        let walk = walk.map_err(|error| io::Error::other(error.0))?;
        let mut reports = ReportSet::new(options.reading.verbosity, None);
        reports.call(on_finding);
        audit::run(Audit::new(options, &paths), walk, reports, |_| Ok(())).map(drop)
    };
    let mut counts = None;
    let mut outcome = audit::run(audit, walk, reports, |reports| {
        // Fixes that could not be written are reported.
        if findings.fix == Some(FixArg::Write)
            && let Some(fixes) = reports.fixes.take()
        {
            let roots = fixed_roots(&paths, &reading);
            let destination = FixDestination::Files { roots, reports };
            counts = Some(fix::run(fixes, &reading, &mut rerun, destination, tells)?);
        }
        Ok(())
    });
    drop(line);
    if let (Ok(_), Some(fixes), None) = (&outcome, &mut fixes, &counts) {
        let mut roles = destinations.iter_mut();
        let main = roles.find(|(role, _)| matches!(role, OutputRole::Main));
        let destination = FixDestination::Diff(main.map(|(_, main)| main));
        match fix::run(fixes, &reading, &mut rerun, destination, tells) {
            Ok(made) => counts = Some(made),
            Err(error) => outcome = Err(error),
        }
    }
    // No file is replaced where nothing was read, or where one of them is an input.
    let finished = outcome.and_then(|outcome| {
        if outcome.summary.files > 0 && !outputs.were_named() {
            let mut destinations = destinations.into_iter();
            destinations.try_for_each(|(_, destination)| destination.finish())?;
        }
        Ok(outcome)
    });
    let Some(outcome) = unless_closed(finished)? else {
        return Ok(Exit::Found);
    };
    let exit = finish(arguments, &outcome, counts.as_ref())?;
    // A page that was deleted may have had no link.
    match gone.unlinked().map(path_of).find(|path| !was_there(path)) {
        Some(path) => {
            let reason = "no such file, and no link to one";
            Err(format!("{}: {reason}", path.display()).into())
        }
        None => Ok(exit),
    }
}

/// Returns the files that are read besides documents. A baseline may be written in its own place.
pub(super) fn other_inputs<'p>(
    findings: &'p FindingArgs,
    config: Option<&'p Config>,
) -> impl Iterator<Item = &'p Path> {
    let file = |path: &Path| path.canonicalize().ok();
    let written = findings.write_baseline.as_deref().and_then(file);
    let baseline = findings.baseline.iter();
    let baseline = baseline.filter(move |path| written.is_none() || file(path) != written);
    let files = findings.results.iter().chain(baseline);
    let files = files.chain(config.map(|config| &config.file));
    files.map(PathBuf::as_path)
}

/// Adds the entries of ignored findings of a configuration.
pub(super) fn ignoring(options: AuditOptions, config: Option<&Config>) -> Result<AuditOptions> {
    let mut entries = config.iter().flat_map(|config| &config.ignore).cloned();
    Ok(entries.try_fold(options, AuditOptions::ignore)?)
}

fn fix_list(arguments: &AuditArgs) -> Result<Option<FixList>> {
    let findings = &arguments.findings;
    let Some(fix) = findings.fix else {
        return Ok(None);
    };
    let mut lists = arguments.documents.walk.lists();
    if lists.any(|(list, _)| list == Path::new("-")) {
        let reason = "--fix reads the tree again before it changes anything";
        Err(format!("{reason}: give the list of files as a file"))?;
    }
    Ok(Some(FixList {
        moved: findings.fix_moved,
        is_written: fix == FixArg::Write,
        documents: Vec::new(),
    }))
}

/// Returns the directories below which files are fixed: the roots and the paths.
fn fixed_roots(paths: &[PathBuf], reading: &PipelineOptions) -> Vec<PathBuf> {
    let mounts = reading.bases.mounts.iter();
    let mounts = mounts.map(|(directory, _)| path_of(directory));
    let roots = mounts.chain(paths.iter().cloned());
    // A path that is gone has no fixes.
    roots.filter_map(|root| root.canonicalize().ok()).collect()
}

/// Returns the paths to audit: by default the directories of `--root`, else the current directory.
pub(super) fn paths(arguments: &AuditArgs) -> Result<Vec<PathBuf>> {
    if arguments.paths.iter().any(|path| path.as_os_str() == "-") {
        Err("audit reads files: standard input is not in a tree")?;
    }
    let directories = arguments.documents.base.directories();
    let choices = [arguments.paths.clone(), directories];
    let mut given = choices.into_iter().filter(|paths| !paths.is_empty());
    Ok(given.next().unwrap_or_else(|| vec![PathBuf::from(".")]))
}

pub(super) fn roots(arguments: &AuditArgs, paths: &[PathBuf]) -> Vec<Root> {
    if arguments.paths.is_empty() && arguments.documents.walk.lists().next().is_some() {
        return Vec::new();
    }
    paths.iter().map(|path| walk_root(path)).collect()
}

pub(super) fn options(arguments: &AuditArgs, paths: &[PathBuf]) -> Result<AuditOptions> {
    options_with(arguments, paths, bases(arguments, paths)?)
}

pub(super) fn options_with(
    arguments: &AuditArgs,
    paths: &[PathBuf],
    bases: Bases,
) -> Result<AuditOptions> {
    let (check, findings) = (&arguments.check, &arguments.findings);
    let mut options = AuditOptions::default();
    options.reading.bases = bases;
    let directories = arguments.documents.base.directories();
    let detects_sources = directories.is_empty() && !check.source.contains(&None);
    let trees = [paths, &directories].concat();
    options = match &findings.changed_since {
        None => options.touching(&findings.touching)?,
        Some(revision) => {
            let changed = changed_since(revision, &trees);
            let (files, renamed) = changed.map_err(flag("changed-since"))?;
            let touching = findings.touching.iter().chain(&files);
            options.touching_only(touching)?.renamed(&renamed)?
        }
    };
    if let Some(revision) = &findings.added_since {
        let lines = added_since(revision, &trees).map_err(flag("added-since"))?;
        options = options.added(lines)?;
    }
    options = (options.entries(&check.entry)?)
        .server(check.server)?
        .detect_sources(detects_sources)
        .fragments(check.fragments)
        .index_files(&check.index)
        .optional_extensions(&check.try_ext)
        .strict_schemes(check.strict_scheme)
        .follow_symlinks(arguments.documents.walk.follow)
        .orphan_assets(check.orphans == Some(OrphansArg::All));
    for (kind, directory) in check.source.iter().flatten() {
        options = options.source(kind, directory)?;
    }
    if let Some(directory) = &check.sources {
        let named = |error| format!("--sources {error}");
        options = options.built_from(directory).map_err(named)?;
    }
    options.levels = check.levels.clone();
    options = options.allowed_hosts(&check.allowed_hosts);
    options.slug = arguments.documents.read.slug;
    options.list = match (findings.links, findings.external) {
        (_, Some(_)) => ListedLinks::External,
        (true, _) => ListedLinks::Links,
        _ => ListedLinks::Findings,
    };
    options.results = Arc::new(results(findings)?);
    options.only_unknown = findings.only_unknown;
    if let Some(path) = &findings.baseline {
        let file = File::open(path).map_err(AuditError::Io);
        options = (file.and_then(|file| options.baseline(BufReader::new(file))))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    options.reading = reading(arguments, options.reading.bases)?;
    Ok(options)
}

/// Maximum length in bytes of a file of results, which is held in memory.
const LONGEST_RESULTS: u64 = 256 << 20;

fn results(findings: &FindingArgs) -> Result<OnlineResults> {
    let oldest = findings.max_age;
    let oldest = oldest.and_then(|age| SystemTime::now().checked_sub(age));
    let oldest = oldest.and_then(|oldest| oldest.duration_since(UNIX_EPOCH).ok());
    let mut results = OnlineResults::since(oldest.map_or(0, |oldest| oldest.as_secs()));
    for path in &findings.results {
        let named = |reason: String| format!("--results {}: {reason}", path.display());
        let failed = |error: io::Error| named(error.to_string());
        let path = system_path(path);
        let bytes = read_whole(path, LONGEST_RESULTS, "it is too long").map_err(failed)?;
        let written = fs::metadata(path).and_then(|metadata| metadata.modified());
        let written = written.unwrap_or_else(|_| SystemTime::now());
        results.read(&bytes, written).map_err(named)?;
    }
    Ok(results)
}

fn reading(arguments: &AuditArgs, bases: Bases) -> Result<PipelineOptions> {
    let findings = &arguments.findings;
    let mut options = extract::pipeline_options(&arguments.documents, bases)?;
    options.is_audit = true;
    options.hidden_members = arguments.documents.walk.reads_hidden();
    let formats = &mut options.extractor.formats;
    formats.anchors = AnchorReporting::Report;
    let mut reports = findings.report.iter().map(|report| report.format);
    formats.mail.envelope |= findings.count_by.iter().any(|key| key.needs_envelope())
        || findings.format().has_records
        || reports.any(|format| format.has_records);
    formats.html.ignore = (arguments.check.ignore_attr.as_ref()).map(|name| name.to_lowercase());
    options.extractor.positions = Positions::Lines;
    options.verbosity.errors = !findings.no_messages;
    options.verbosity.diagnostics = findings.verbose;
    options.verbosity.summary = true;
    options.threads = worker_count(findings.threads.unwrap_or(0));
    let auto = io::stderr().is_terminal() && !findings.quiet;
    options.progress = findings.progress.for_progress(auto).then(Arc::default);
    Ok(options)
}

/// Returns the bases of documents; without `--root` each path is the root of a separate site.
fn bases(arguments: &AuditArgs, paths: &[PathBuf]) -> Result<Bases> {
    let mut bases = arguments.documents.base.bases(paths)?;
    let assumed = assume_roots(&mut bases, paths);
    let is_quiet = arguments.findings.quiet || arguments.findings.no_messages;
    for directory in assumed?.iter().filter(|_| !is_quiet) {
        let name = String::from_utf8_lossy(directory);
        let name = if name.is_empty() { "." } else { &name };
        let reason = format!("without --root, treating {name} as the root of a site");
        report(&reason);
    }
    Ok(bases)
}

#[derive(Clone, Copy)]
pub(super) enum OutputRole<'a> {
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
pub(super) fn targets(arguments: &AuditArgs) -> Result<Vec<(OutputRole<'_>, OutputTarget)>> {
    let findings = &arguments.findings;
    let output = findings.output.as_deref();
    let main = match findings.external {
        Some(_) => Some((OutputRole::External, output)),
        None => (!findings.quiet).then_some((OutputRole::Main, output)),
    };
    let keys = findings.write_baseline.as_deref();
    let keys = keys.map(|path| (OutputRole::Keys, Some(path)));
    let reports = findings.report.iter();
    let reports = reports.map(|report| (OutputRole::Report(report), Some(&*report.path)));
    let outputs = main.into_iter().chain(keys).chain(reports);
    let target = |(role, path)| Ok((role, OutputTarget::of(path)?));
    outputs.map(target).collect()
}

pub(super) fn reports<'d>(
    arguments: &AuditArgs,
    verbosity: Verbosity,
    destinations: &'d mut [(OutputRole<'_>, Destination)],
) -> ReportSet<'d> {
    let findings = &arguments.findings;
    let mut reports = ReportSet::new(verbosity, findings.max_findings);
    let group = findings.group;
    let style = |color, file| ReportStyle { color, group, file };
    for (role, destination) in destinations {
        match role {
            // A diff takes the place of the findings.
            OutputRole::Main if findings.fix == Some(FixArg::Diff) => {}
            OutputRole::Main => {
                let (format, writer) = (findings.format(), Box::new(destination));
                if !findings.count_by.is_empty() {
                    let keys = CountKey::chosen(&findings.count_by, findings.idn);
                    reports.count_by(keys, findings.top, format, writer);
                } else {
                    let terminal = findings.output.is_none() && io::stdout().is_terminal();
                    let color = findings.color.for_color(terminal);
                    reports.add(format, style(color, findings.output.as_deref()), writer);
                }
            }
            OutputRole::External => {
                let as_records = findings.external == Some(ExternalArg::Jsonl);
                reports.list_external(as_records, Box::new(destination));
            }
            OutputRole::Keys => reports.list_keys(Box::new(destination)),
            OutputRole::Report(report) => {
                let style = style(false, Some(report.path.as_path()));
                reports.add(report.format, style, Box::new(destination));
            }
        }
    }
    if shows_summary(arguments) {
        reports.group_by(Grouping::Target);
    }
    reports
}

fn shows_summary(arguments: &AuditArgs) -> bool {
    let findings = &arguments.findings;
    !findings.quiet && (findings.external.is_some() || !findings.json)
}

pub(super) fn finish(
    arguments: &AuditArgs,
    totals: &AuditSummary,
    fixes: Option<&FixCounts>,
) -> Result<Exit> {
    let findings = &arguments.findings;
    let summary = &totals.summary;
    if shows_summary(arguments) {
        write_stderr(summary_text(totals).as_bytes());
    }
    if let Some(fixes) = fixes.filter(|_| !findings.quiet) {
        let is_written = findings.fix == Some(FixArg::Write);
        let text = fixes.text(is_written, totals.errors + totals.warnings);
        write_stderr(text.as_bytes());
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
    let exit = Exit::Found.or_nothing(failing > 0);
    let exit = exit.or_error(summary.has_failures() || unfixed > 0);
    Ok(exit.or_zero(findings.exit_zero))
}

fn summary_text(totals: &AuditSummary) -> String {
    let summary = &totals.summary;
    let (errors, warnings) = (totals.errors, totals.warnings);
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    let mut text = format!("{}\n{errors}, {warnings}", totals.checked());
    let unsuggested = totals.unsuggested;
    if totals.ignored > 0 {
        text += &format!(", {} ignored", totals.ignored);
    }
    if unsuggested > 0 {
        text +=
            &format!("; {unsuggested} without a suggestion: looking for more would take too long");
    }
    if summary.errors > 0 {
        text += &format!("; {} could not be read", counted(summary.errors, "file"));
    }
    for sentence in summary.unread() {
        text += &format!("; {sentence}");
    }
    text.push('\n');
    if summary.read_as_text > 0 {
        let files = counted(summary.read_as_text, "file");
        text += &format!("{files} read as text, where relative links are not seen\n");
    }
    for site in &totals.sources {
        let root = String::from_utf8_lossy(&site.root);
        let (root, reason) = (visible(&root), visible(&site.reason));
        text += &format!("{root} as the source of {} ({reason})\n", site.kind);
    }
    for site in &totals.servers {
        let root = String::from_utf8_lossy(&site.root);
        let rules = counted(site.rules, "rule");
        text += &format!("{} as {} serves it: {rules}", visible(&root), site.server);
        if site.unfollowed > 0 {
            text += &format!(", {} not followed", site.unfollowed);
        }
        text.push('\n');
    }
    push_tables(totals, &mut text);
    for hint in &totals.hints {
        text += &format!("hint: {}\n", visible(hint));
    }
    text
}

fn push_tables(totals: &AuditSummary, text: &mut String) {
    push_rows("", &totals.rules, text, |row| {
        let name = RULES[row.rule].name;
        (row.count, format!("{name} ({})", row.level.name()))
    });
    let title = "targets with most findings:\n";
    push_rows(title, &totals.targets, text, |row| {
        (row.count, format!("{}: {}", visible(&row.name), row.rule))
    });
    let (lines, stale) = &totals.stale;
    if totals.forgiven + stale == 0 {
        return;
    }
    let forgiven = counted(totals.forgiven, "finding");
    let entries = ["entries are", "entry is"][usize::from(*stale == 1)];
    // Keys have paths below the roots.
    let is_foreign = totals.forgiven == 0 && totals.errors + totals.warnings > 0;
    let doubt = ["", "; were they written under other roots?"][usize::from(is_foreign)];
    *text += &format!("baseline: {forgiven} forgiven, {stale} {entries} stale{doubt}\n");
    for line in lines {
        *text += &format!("  {}\n", visible(line));
    }
    if *stale > lines.len() as u64 {
        *text += &format!("  and {} more\n", stale - lines.len() as u64);
    }
}

/// Appends a title and rows of a number and a text, if there are any; the numbers are aligned.
fn push_rows<T>(title: &str, rows: &[T], text: &mut String, row: impl Fn(&T) -> (u64, String)) {
    let rows: Vec<_> = rows.iter().map(row).collect();
    let widths = rows.iter().map(|(count, _)| count.to_string().len());
    let Some(width) = widths.max() else {
        return;
    };
    *text += title;
    for (count, name) in rows {
        *text += &format!("{count:>width$} {name}\n", width = width + 2);
    }
}
