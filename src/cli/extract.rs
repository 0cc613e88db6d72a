//! `uriscan extract`: list references, resolved.

use std::io::{self, ErrorKind, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::args::ExtractArgs;
use super::args::base::BaseArgs;
use super::args::input::{ReadArgs, WalkArgs};
use super::args::output::{FilterArgs, Reach, StatsArg, workers};
use super::destination::{Destination, OutputTarget};
use super::inputs::{Inputs, list_roots};
use super::message::{self, Error, ProgressLine, write_stderr};
use super::process::{self, Exit};
use super::{help, manual};
use crate::output::escape::Escape;
use crate::output::json;
use crate::output::record::Summary;
use crate::output::record::counted;
use crate::pipeline::bases::Bases;
use crate::pipeline::run::{RunOutcome, run_with_report};
use crate::pipeline::split_lines::PIECE;
use crate::pipeline::tally::CountKey;
use crate::pipeline::walk::{Outputs, Root, Unreadable, Walk};
use crate::pipeline::{Archives, MessageForm, OutputOrder, PipelineOptions, ReportMode, Verbosity};

/// Runs `uriscan extract`.
pub(super) fn run(arguments: &ExtractArgs) -> Result<Exit, Error> {
    if arguments.walk.type_list {
        return manual::print_types(&arguments.walk.type_add);
    }
    if let Some(name) = &arguments.output.explain {
        return manual::explain(name);
    }
    if let Some(kind) = &arguments.output.generate {
        return manual::generate(kind, arguments.output.output.as_deref());
    }
    help::check_paths(&arguments.paths, false)?;
    let start = Instant::now();
    let roots = roots(arguments);
    let mut options = options(arguments, &roots)?;
    let target = OutputTarget::of(arguments.output.output.as_deref())?;
    let report = arguments.output.report.as_deref();
    let report = report
        .map(|path| OutputTarget::of(Some(path)))
        .transpose()?;
    let targets: Vec<_> = [&target].into_iter().chain(&report).collect();
    let inputs = Inputs {
        roots: &roots,
        walk: &arguments.walk,
        options: &options,
        others: &[],
    };
    inputs.check(&targets)?;
    let outputs = outputs(&targets);
    let walk = walk(&arguments.walk, roots, options.order, outputs.clone())?;
    let mut output = match (options.report, &arguments.output.output) {
        // Nothing is written.
        (ReportMode::Nothing, None) => Destination::Standard(io::stdout()),
        _ => target.open()?,
    };
    if output.is_terminal() && options.output.is_table() && options.report.is_links() {
        let name = options.output.name;
        return Err(Error::new(format!(
            "{name} is not for terminals: write it to a file (--output) or a pipe"
        )));
    }
    if output.is_terminal() {
        options.layout.escape = Escape::Controls;
    }
    let mut report = report.map(|report| report.open()).transpose()?;
    let flush = output.flush_policy();
    let line = options.progress.clone().map(ProgressLine::show);
    let outputs_open = (&mut output, report.as_mut());
    let outcome = run_with_report(&options, walk, outputs_open, flush);
    drop(line);
    finish(
        arguments,
        &options,
        outcome,
        (output, report, &outputs),
        start,
    )
}

/// Returns the roots of the walk, without those of lists.
fn roots(arguments: &ExtractArgs) -> Vec<Root> {
    let root = |path: &PathBuf| match path.to_str() {
        Some("-") => Root::Standard,
        _ => Root::Path(path.clone()),
    };
    let walk = &arguments.walk;
    match arguments.paths.as_slice() {
        [] if !(walk.files_from.is_empty() && walk.files0_from.is_empty()) => Vec::new(),
        // `--files` lists the tree even if standard input is a pipe.
        [] if arguments.report.files || io::stdin().is_terminal() => vec![Root::Here],
        [] => vec![Root::Standard],
        paths => paths.iter().map(root).collect(),
    }
}

/// Returns the regular files that these targets replace or append to.
pub(super) fn outputs(targets: &[&OutputTarget]) -> Outputs {
    Outputs::new(targets.iter().filter_map(|target| target.inode()).collect())
}

/// Returns the walk of these roots and those of lists.
pub(super) fn walk(
    arguments: &WalkArgs,
    roots: Vec<Root>,
    order: OutputOrder,
    outputs: Outputs,
) -> Result<Walk, Error> {
    let lists = || arguments.files_from.iter().chain(&arguments.files0_from);
    let standard = roots.iter().filter(|root| **root == Root::Standard).count()
        + lists().filter(|list| list.as_os_str() == "-").count();
    if standard > 1 {
        return Err(Error::new("standard input can only be read once"));
    }
    let mut options = arguments.options()?;
    options.sorted = order == OutputOrder::Path;
    options.outputs = outputs;
    let is_open = |root| match root {
        Root::Standard => process::check_standard_input().map(|()| root),
        _ => Ok(root),
    };
    let unreadable = |error: io::Error| Unreadable {
        path: PathBuf::from("-"),
        message: error.to_string(),
    };
    let roots = roots
        .into_iter()
        .map(move |root| is_open(root).map_err(unreadable));
    let mut all: Vec<Box<dyn Iterator<Item = _> + Send>> = vec![Box::new(roots)];
    for path in &arguments.files_from {
        all.push(Box::new(list_roots(path, b'\n')?));
    }
    for path in &arguments.files0_from {
        all.push(Box::new(list_roots(path, 0)?));
    }
    Ok(Walk::new(all.into_iter().flatten(), options))
}

fn options(arguments: &ExtractArgs, roots: &[Root]) -> Result<PipelineOptions, Error> {
    let reach = match roots {
        [Root::Standard] => Reach::One,
        [Root::Path(path)] if !path.is_dir() => Reach::One,
        _ => Reach::Several,
    };
    let output = &arguments.output;
    let report = match arguments.report.report() {
        ReportMode::CountBy(key) if output.idn => ReportMode::CountBy(key.with_unicode()),
        report => report,
    };
    let is_text = output.output().name == "text";
    match report {
        ReportMode::CountBy(CountKey::Rule) => {
            return Err(Error::new(
                "--count-by rule counts findings: uriscan audit --count-by rule",
            ));
        }
        ReportMode::CountBy(_) if !is_text && output.output().others.is_none() => {
            return Err(Error::new("counts are text or, with --json, records"));
        }
        ReportMode::Count | ReportMode::Paths | ReportMode::Files if !is_text => {
            return Err(Error::new(
                "counts and lists of files are text: they have no other format",
            ));
        }
        _ => {}
    }
    if output.output().is_table() && !output.fields.is_empty() {
        return Err(Error::new(
            "--fields chooses keys of records; tables have --columns",
        ));
    }
    if !output.output().is_table() {
        for (flag, is_given) in [
            ("columns", output.columns.is_some()),
            ("dictionaries", output.dictionaries),
        ] {
            if is_given {
                let reason = format!("--{flag} goes with --format arrow or parquet");
                return Err(Error::new(reason));
            }
        }
    }
    let mut layout = output.layout(reach);
    if report == ReportMode::Count {
        let several = reach == Reach::Several || output.with_filename;
        layout.location.path = several && !output.no_filename;
    }
    let quiet = report == ReportMode::Nothing;
    let (walk, read, base) = (&arguments.walk, &arguments.read, &arguments.base);
    let bases = base.bases(&arguments.paths)?;
    let mut options = pipeline_options(walk, read, base, &arguments.filter, bases)?;
    let extractor = &mut options.extractor;
    extractor.formats.mail.envelope = output.envelope(report, &layout);
    extractor.formats.html.descriptions = output.descriptions(report, &layout);
    extractor.positions = output.positions(report, &layout);
    if let Some(size) = read.window {
        extractor.window = size as usize;
    }
    Ok(PipelineOptions {
        output: output.output(),
        layout,
        report,
        verbosity: Verbosity {
            errors: !output.no_messages,
            diagnostics: output.verbose,
            summary: output.stats.is_some() && !quiet,
            archives: match output.stats {
                None => Archives::Leave,
                Some(StatsArg::Text) => Archives::Words,
                Some(StatsArg::Json) => Archives::Records,
            },
        },
        messages: output.messages,
        has_report: output.report.is_some(),
        threads: workers(output.threads),
        piece_size: read.piece.unwrap_or(PIECE).max(1),
        order: output.sort,
        progress: output.shows_progress().then(Arc::default),
        ..options
    })
}

/// Returns the options that the flags of both `extract` and `audit` choose.
pub(super) fn pipeline_options(
    walk: &WalkArgs,
    read: &ReadArgs,
    base: &BaseArgs,
    filter: &FilterArgs,
    bases: Bases,
) -> Result<PipelineOptions, Error> {
    let mut options = PipelineOptions {
        declared: read.encoding,
        decompress: read.decompress(walk),
        archive_options: read.archives(),
        formats: walk.formats(),
        types: walk.named_types(),
        bases,
        shard: walk.shard.unwrap_or_default(),
        filter: filter.options()?,
        ..PipelineOptions::default()
    };
    options.extractor.formats = read.options();
    options.extractor.formats.longest_base =
        usize::try_from(base.longest_base).unwrap_or(usize::MAX);
    options.extractor.ruling = base.ruling();
    options.extractor.embedded_bases = base.embedded();
    options.extractor.unwrapper = read.unwrapper();
    Ok(options)
}

fn finish(
    arguments: &ExtractArgs,
    options: &PipelineOptions,
    outcome: RunOutcome,
    (output, report, outputs): (Destination, Option<Destination>, &Outputs),
    start: Instant,
) -> Result<Exit, Error> {
    let summary = &outcome.summary;
    let written = match outcome.output_error {
        // The file is not replaced where nothing was read, or where it is an input.
        None if outputs.were_named() => Ok(()),
        None if summary.files == 0 => finish_report(report),
        None => output.finish().and_then(|()| finish_report(report)),
        Some(error) => Err(error),
    };
    match written {
        // A closed pipe is no error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Found),
        Err(error) => return Err(Error::new(format!("cannot write: {error}"))),
        Ok(()) => {}
    }
    let is_quiet = arguments.output.no_messages || options.report == ReportMode::Nothing;
    if options.messages == MessageForm::Words && !is_quiet {
        summary
            .unread()
            .for_each(|sentence| message::report(&sentence));
    }
    let is_among_records = options.output.others.is_some() && options.verbosity.summary;
    match arguments.output.stats {
        Some(StatsArg::Json) => print_stats(StatsArg::Json, summary, start),
        // Standard error has nothing but records.
        Some(StatsArg::Text) if options.messages == MessageForm::Records && !is_among_records => {
            print_stats(StatsArg::Json, summary, start);
        }
        // In words it would repeat the record of the summary.
        Some(StatsArg::Text) if !is_among_records => print_stats(StatsArg::Text, summary, start),
        _ => {}
    }
    if summary.is_empty() {
        return Err(nothing_was_read(summary));
    }
    let found = match options.report {
        ReportMode::Files => summary.files,
        _ => summary.references,
    };
    let exit = if summary.errors + outcome.damaged > 0 {
        Exit::Error
    } else if found > 0 {
        Exit::Found
    } else {
        Exit::Nothing
    };
    Ok(exit.or_zero(arguments.output.exit_zero))
}

fn finish_report(report: Option<Destination>) -> io::Result<()> {
    report.map_or(Ok(()), Destination::finish)
}

/// Returns the error of a run that found no file to read, with the reasons.
pub(super) fn nothing_was_read(summary: &Summary) -> Error {
    if summary.skipped_files == 0 {
        return Error::new(
            "nothing was read: there is no file, or globs, ignore files and hidden names leave all of \
             them out (see --glob, --no-ignore, --hidden)",
        );
    }
    let reasons = summary.skips().filter(|(_, count)| *count > 0);
    let reasons: Vec<_> = reasons
        .map(|(name, count)| match name {
            "skipped_type" => format!("{count} by --type"),
            "skipped_size" => format!("{count} by --max-filesize"),
            "skipped_mail_folder" => counted(count, "index, lock or deleted message"),
            "skipped_symlink" => counted(count, "symbolic link"),
            _ => counted(count, "pipe, device or socket"),
        })
        .collect();
    Error::new(format!(
        "nothing was read: {} left out ({}); -v names them",
        counted(summary.skipped_files, "file"),
        reasons.join(", ")
    ))
}

fn print_stats(how: StatsArg, summary: &Summary, start: Instant) {
    let usage = process::usage(start);
    let mut text = Vec::new();
    match how {
        StatsArg::Json => json::push_stats(summary, &usage, &mut text),
        StatsArg::Text => {
            let reasons = summary.skips().filter(|(_, count)| *count > 0);
            for (name, count) in summary.counts().chain(reasons) {
                let words = name.replace('_', " ");
                let line = match words.strip_suffix('s') {
                    Some(noun) => counted(count, noun),
                    None => format!("{count} {words}"),
                };
                text.extend_from_slice(line.as_bytes());
                text.push(b'\n');
            }
            for (name, figure) in usage.figures() {
                let (figure, name) = (figure.as_deref().unwrap_or("?"), name.replace('_', " "));
                text.extend_from_slice(format!("{figure} {name}\n").as_bytes());
            }
        }
    }
    write_stderr(&text);
}
