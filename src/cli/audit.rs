//! `uriscan audit`: check references inside document trees; never uses the network.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgMatches, Command};
use ignore::overrides::OverrideBuilder;

use super::args::base::{absolute, directory_of, internal};
use super::args::output::{WhenArg, workers};
use super::args::{AuditArgs, FailOnArg, SwitchArg};
use super::config::{self, Config};
use super::destination::{Destination, OutputTarget};
use super::inputs::Inputs;
use super::message::{Error, ProgressLine, tell};
use super::process::Exit;
use super::{extract, help, manual};
use crate::audit::disk::{DiskTree, SymlinkPolicy};
use crate::audit::finding::Baseline;
use crate::audit::names::{HashKey, PathTable};
use crate::audit::report::{ReportFormat, ReportSet, TextStyle, Totals};
use crate::audit::rules::{Level, Levels, LinkState, RULES};
use crate::audit::suggest;
use crate::audit::target::{SchemeMatching, TargetChecker};
use crate::audit::{self, Audit, AuditOutcome, FragmentChecks, ListedLinks};
use crate::document::AnchorReporting;
use crate::extractor::{self, Positions};
use crate::output::escape::visible;
use crate::output::record::counted;
use crate::pipeline::bases::{AbsolutePaths, Bases};
use crate::pipeline::split_lines::UNCUT;
use crate::pipeline::walk::{Outputs, Root};
use crate::pipeline::{self, Archives, OutputOrder, Verbosity};
use crate::uri::Mounts;

/// The command line with the flags of a configuration in front of its own, and the configuration;
/// none where there is none.
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
    let place = all.iter().skip(1).position(|word| word == "audit");
    let at = place.map_or(all.len(), |place| place + 2);
    let flags = std::mem::take(&mut config.flags);
    let paths = std::mem::take(&mut config.paths);
    let paths = arguments.paths.is_empty().then_some(paths);
    all.splice(at..at, flags.into_iter().chain(paths.unwrap_or_default()));
    Ok(Some((all, config)))
}

/// What the user is told of a configuration that was read.
pub(super) struct Notice {
    file: PathBuf,
    keys: String,
    /// Rules with the levels that they would have without it, and those that they have.
    lowered: Vec<String>,
    /// Whether the user asked for silence; a configuration that does asks in vain.
    quiet: bool,
}

/// The flags of an audit, and where each of them stands.
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
            quiet: before.0.findings.quiet,
        }
    }

    /// The file and its keys, and the rules that it lowers, on a line each.
    fn lines(&self) -> Vec<String> {
        let file = self.file.display();
        let mut lines = vec![match self.keys.as_str() {
            "" => format!("configuration: {file}"),
            keys => format!("configuration: {file} ({keys})"),
        }];
        if !self.lowered.is_empty() {
            lines.push(format!("lowered by it: {}", self.lowered.join(", ")));
        }
        lines
    }
}

/// Runs it.
pub(super) fn run(
    arguments: &AuditArgs,
    matches: &ArgMatches,
    notice: Option<&Notice>,
) -> Result<Exit, Error> {
    if arguments.walk.type_list {
        return manual::print_types();
    }
    if let Some(name) = &arguments.findings.explain {
        return manual::explain(name);
    }
    if let Some(notice) = notice
        && arguments.findings.verbose
    {
        tell(&notice.lines()[0]);
    }
    let paths = paths(arguments)?;
    help::check_paths(&paths, false)?;
    let audit = audit(arguments, matches, &paths)?;
    let targets = Targets::of(arguments)?;
    let roots = roots(arguments, &paths);
    let others: Vec<&Path> = notice.iter().map(|notice| notice.file.as_path()).collect();
    let inputs = Inputs {
        roots: &roots,
        given: &arguments.walk,
        options: &audit.reading,
        others: &others,
    };
    inputs.check(&targets.all())?;
    let outputs = extract::outputs(&targets.all());
    let walk = extract::walk(&arguments.walk, roots, OutputOrder::Path, outputs.clone())?;
    let mut destinations = targets.open()?;
    let line = audit.reading.progress.clone().map(ProgressLine::show);
    let outcome = audit::run(audit, walk, destinations.reports(arguments));
    drop(line);
    let outcome = match destinations.finish(outcome, &outputs) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Found),
        Err(error) => return Err(Error::new(format!("cannot write: {error}"))),
        Ok(outcome) => outcome,
    };
    finish(arguments, &outcome, notice)
}

/// The paths to audit.
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
    let given = &arguments.walk;
    let listed = !(given.files_from.is_empty() && given.files0_from.is_empty());
    match listed && arguments.paths.is_empty() {
        true => Vec::new(),
        false => paths.iter().map(root).collect(),
    }
}

fn audit(arguments: &AuditArgs, matches: &ArgMatches, paths: &[PathBuf]) -> Result<Audit, Error> {
    let (check, findings) = (&arguments.check, &arguments.findings);
    let bases = bases(arguments, paths)?;
    let checker = TargetChecker {
        mounts: mounts(&bases, paths),
        tree: tree(arguments, &bases, paths),
        schemes: match check.strict_scheme {
            true => SchemeMatching::Strict,
            false => SchemeMatching::Alike,
        },
        paths: PathTable::default(),
    };
    let mut names = AbsolutePaths::default();
    let touching = findings.touching.iter();
    let touching = touching
        .map(|path| absolute(&mut names, &bases, path.as_os_str().as_encoded_bytes()))
        .collect::<Result<_, _>>()?;
    Ok(Audit {
        touching,
        checker,
        levels: levels(arguments, matches),
        fragments: match check.fragments {
            SwitchArg::On => FragmentChecks::Check,
            SwitchArg::Off => FragmentChecks::Ignore,
        },
        list: match (findings.links, findings.external) {
            (_, true) => ListedLinks::External,
            (true, _) => ListedLinks::Links,
            _ => ListedLinks::Findings,
        },
        entries: entries(&check.entry)?,
        baseline: match &findings.baseline {
            Some(path) => baseline(path)?,
            None => Baseline::default(),
        },
        suggestion_rows: suggest::ROWS,
        key: HashKey::default(),
        reading: reading(arguments, bases)?,
    })
}

fn reading(arguments: &AuditArgs, bases: Bases) -> Result<pipeline::PipelineOptions, Error> {
    let findings = &arguments.findings;
    let mut formats = arguments.read.options();
    formats.anchors = AnchorReporting::Report;
    let formats_of_reports = findings.report.iter().map(|report| report.format);
    formats.mail.envelope = findings.json
        || findings.count_by.is_some_and(|key| key.needs_envelope())
        || (formats_of_reports.chain([findings.format])).any(|format| format.name == "jsonl");
    formats.html.ignore = (arguments.check.ignore_attr.as_ref()).map(|name| name.to_lowercase());
    Ok(pipeline::PipelineOptions {
        extractor: extractor::ExtractorOptions {
            formats,
            ruling: arguments.base.ruling(),
            embedded_bases: arguments.base.embedded(),
            unwrapper: arguments.read.unwrapper(),
            positions: Positions::Lines,
            ..extractor::ExtractorOptions::default()
        },
        declared: arguments.read.encoding,
        formats: arguments.walk.formats(),
        bases,
        shard: arguments.walk.shard.unwrap_or_default(),
        filter: arguments.filter.options()?,
        talk: talk(arguments),
        threads: workers(findings.threads),
        progress: match findings.progress {
            WhenArg::Always => true,
            WhenArg::Never => false,
            WhenArg::Auto => io::stderr().is_terminal() && !findings.quiet,
        }
        .then(Arc::default),
        // Documents are read whole: their anchors belong together.
        piece: UNCUT,
        decompress: arguments.read.decompress(&arguments.walk),
        ..pipeline::PipelineOptions::default()
    })
}

fn talk(arguments: &AuditArgs) -> Verbosity {
    Verbosity {
        errors: !arguments.findings.no_messages,
        diagnostics: arguments.findings.verbose,
        summary: true,
        archives: Archives::Leave,
    }
}

/// Without `--root` each path is the root of a site of its own.
fn bases(arguments: &AuditArgs, paths: &[PathBuf]) -> Result<Bases, Error> {
    let mut bases = arguments.base.bases(paths)?;
    bases.index = (arguments.check.index.iter())
        .map(|name| [b"/", name.as_bytes()].concat())
        .collect();
    let mut names = AbsolutePaths::default();
    if bases.mounts.is_empty() && arguments.base.base.is_none() {
        let mut mounted = HashSet::new();
        for path in paths {
            let directory = directory_of(path);
            let absolute = absolute(&mut names, &bases, &directory)?;
            let uri = internal(mounted.len());
            if !mounted.insert(absolute.clone()) {
                continue;
            }
            bases.mounts.add(&absolute, &uri);
            if !arguments.findings.quiet && !arguments.findings.no_messages {
                let directory = match directory.as_slice() {
                    b"" => ".".into(),
                    name => String::from_utf8_lossy(name),
                };
                tell(&format!(
                    "without --root, {directory} is taken for the root of a site"
                ));
            }
        }
        return Ok(bases);
    }
    Ok(bases)
}

/// The mounts, and the whole disk where a path lies under none of them: what stands there is found
/// where its `file:` URI says.
fn mounts(bases: &Bases, paths: &[PathBuf]) -> Mounts {
    let mut names = AbsolutePaths::default();
    let outside = |path: &PathBuf| {
        let directory = directory_of(path);
        let absolute = names.absolute(&bases.here, &directory);
        absolute.is_none_or(|absolute| bases.mounts.relative_path(absolute).is_none())
    };
    let mut mounts = bases.mounts.clone();
    if paths.iter().any(outside) {
        mounts.add(b"/", b"file:///");
    }
    mounts
}

/// The levels of the rules; of several flags about one rule the last counts.
fn levels(arguments: &AuditArgs, matches: &ArgMatches) -> Levels {
    let mut levels = Levels::default();
    if arguments.check.orphans {
        levels.set("orphan", Level::Warning);
    }
    let mut given = Vec::new();
    for (flag, level) in [
        ("deny", Level::Error),
        ("warn", Level::Warning),
        ("allow", Level::Allow),
    ] {
        let rules = matches.get_many::<&'static str>(flag).into_iter().flatten();
        let places = matches.indices_of(flag).into_iter().flatten();
        given.extend(places.zip(rules).map(|(place, rule)| (place, *rule, level)));
    }
    given.sort_unstable_by_key(|(place, ..)| *place);
    for (_, rule, level) in given {
        levels.set(rule, level);
    }
    levels
}

fn entries(globs: &[String]) -> Result<ignore::overrides::Override, Error> {
    let mut builder = OverrideBuilder::new(".");
    let invalid = |error: ignore::Error| Error::new(error.to_string());
    for glob in globs {
        builder.add(glob).map_err(invalid)?;
    }
    builder.build().map_err(invalid)
}

/// The disk: roots are the mounted directories and those of the paths.
fn tree(arguments: &AuditArgs, bases: &Bases, paths: &[PathBuf]) -> DiskTree {
    let check = &arguments.check;
    let links = match arguments.walk.follow {
        true => SymlinkPolicy::Follow,
        false => SymlinkPolicy::Within,
    };
    let mut names = AbsolutePaths::default();
    let paths = paths.iter().filter_map(|path| {
        let path = directory_of(path);
        names.absolute(&bases.here, &path).map(<[u8]>::to_vec)
    });
    let mounted = bases.mounts.iter().map(|(directory, _)| directory.to_vec());
    let roots: Vec<Vec<u8>> = mounted.chain(paths).collect();
    let roots = roots.iter().map(Vec::as_slice);
    DiskTree::new(&check.index, &check.try_ext, links, roots)
}

fn baseline(path: &Path) -> Result<Baseline, Error> {
    let read = File::open(path).and_then(|file| Baseline::read(BufReader::new(file)));
    read.map_err(|error| Error::new(format!("{}: {error}", path.display())))
}

/// Where everything is written that comes out, looked at before anything is read.
struct Targets {
    main: Option<OutputTarget>,
    external: Option<OutputTarget>,
    keys: Option<OutputTarget>,
    reports: Vec<(&'static ReportFormat, OutputTarget)>,
}

impl Targets {
    fn of(arguments: &AuditArgs) -> Result<Self, Error> {
        let findings = &arguments.findings;
        let output = || OutputTarget::of(findings.output.as_deref());
        let shown = !findings.quiet && !findings.external;
        let keys = findings.write_baseline.as_deref();
        let reports = findings.report.iter();
        let reports =
            reports.map(|report| Ok((report.format, OutputTarget::of(Some(&report.path))?)));
        Ok(Targets {
            main: shown.then(output).transpose()?,
            external: findings.external.then(output).transpose()?,
            keys: keys.map(|path| OutputTarget::of(Some(path))).transpose()?,
            reports: reports.collect::<Result<_, _>>()?,
        })
    }

    fn all(&self) -> Vec<&OutputTarget> {
        let reports = self.reports.iter().map(|(_, target)| target);
        let others = [&self.main, &self.external, &self.keys];
        others.into_iter().flatten().chain(reports).collect()
    }

    fn open(&self) -> Result<Destinations, Error> {
        let open =
            |target: &Option<OutputTarget>| target.as_ref().map(OutputTarget::open).transpose();
        let reports = self.reports.iter();
        let reports = reports.map(|(format, target)| Ok((*format, target.open()?)));
        Ok(Destinations {
            main: open(&self.main)?,
            external: open(&self.external)?,
            keys: open(&self.keys)?,
            reports: reports.collect::<Result<_, _>>()?,
        })
    }
}

/// The same, opened.
struct Destinations {
    main: Option<Destination>,
    external: Option<Destination>,
    keys: Option<Destination>,
    reports: Vec<(&'static ReportFormat, Destination)>,
}

impl Destinations {
    fn reports(&mut self, arguments: &AuditArgs) -> ReportSet<'_> {
        let findings = &arguments.findings;
        let mut reports = ReportSet::new(talk(arguments), findings.max_findings);
        if let Some(main) = &mut self.main {
            let format = match findings.json {
                true => ReportFormat::named("jsonl").unwrap_or(findings.format),
                false => findings.format,
            };
            match findings.count_by {
                Some(key) => reports.count_by(key, format, Box::new(main)),
                None => reports.add(format, look(arguments), Box::new(main)),
            }
        }
        if let Some(external) = &mut self.external {
            reports.list_external(Box::new(external));
        }
        if let Some(keys) = &mut self.keys {
            reports.list_keys(Box::new(keys));
        }
        for (format, destination) in &mut self.reports {
            reports.add(format, TextStyle::default(), Box::new(destination));
        }
        reports
    }

    /// Gives complete files their names, and removes incomplete ones; where nothing was read, or
    /// one of them is an input, the files stay that were there before.
    fn finish(
        self,
        outcome: io::Result<AuditOutcome>,
        outputs: &Outputs,
    ) -> io::Result<AuditOutcome> {
        let outcome = outcome?;
        let summary = &outcome.totals.summary;
        if summary.files == 0 || outputs.were_named() {
            return Ok(outcome);
        }
        let all = [self.main, self.external, self.keys].into_iter().flatten();
        let all = all.chain(self.reports.into_iter().map(|(_, destination)| destination));
        for destination in all {
            destination.finish()?;
        }
        Ok(outcome)
    }
}

fn look(arguments: &AuditArgs) -> TextStyle {
    let findings = &arguments.findings;
    let terminal = findings.output.is_none() && io::stdout().is_terminal();
    TextStyle {
        color: match findings.color {
            WhenArg::Always => true,
            WhenArg::Never => false,
            // https://no-color.org: present and not empty.
            WhenArg::Auto => {
                terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        },
    }
}

fn finish(
    arguments: &AuditArgs,
    outcome: &AuditOutcome,
    notice: Option<&Notice>,
) -> Result<Exit, Error> {
    let findings = &arguments.findings;
    let (totals, summary) = (&outcome.totals, &outcome.totals.summary);
    if !findings.quiet && (findings.external || !findings.json) {
        // Who closes standard error does not want to know.
        let _ = io::stderr().write_all(sentence(totals).as_bytes());
    }
    if let Some(notice) = notice.filter(|notice| !notice.quiet) {
        let lines = notice.lines();
        let lines = lines.iter().map(|line| format!("{}\n", visible(line)));
        // Errors on standard error are ignored.
        let _ = io::stderr().write_all(lines.collect::<String>().as_bytes());
    }
    if summary.is_empty() {
        return Err(extract::nothing_was_read(summary));
    }
    let failing = match findings.fail_on {
        FailOnArg::Error => totals.errors,
        FailOnArg::Warning => totals.errors + totals.warnings,
        FailOnArg::Never => 0,
    };
    let exit = if summary.errors + outcome.damaged > 0 {
        Exit::Error
    } else if failing > 0 {
        Exit::Nothing
    } else {
        Exit::Found
    };
    Ok(exit.or_zero(findings.exit_zero))
}

/// The summary for people.
fn sentence(totals: &Totals) -> String {
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
    text.push('\n');
    text
}
