//! `uriscan extract`: list references, resolved.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Instant;

use super::args::{DocumentArgs, ExtractArgs};
use super::destination::{Destination, OutputTarget};
use super::inputs::Inputs;
use super::message::{self, Error, ProgressLine, Result, unless_closed, write_stderr};
use super::process::{self, Exit};
use super::{help, manual};
use crate::extractor::Positions;
use crate::linker::EmbeddedBases;
use crate::output::escape::Escape;
use crate::output::field::{ColumnChoice, RecordField, record_fields};
use crate::output::record::{Summary, counted};
use crate::output::{Output, json};
use crate::pipeline::bases::Bases;
use crate::pipeline::run::{self, RunOutcome};
use crate::pipeline::tally::CountKey;
use crate::pipeline::walk::{self, Root};
use crate::pipeline::workers::worker_count;
use crate::pipeline::{MessageForm, OutputOrder, PipelineOptions, ReportMode, Verbosity};

/// Lists links, or documents, messages and records.
pub(super) fn run(arguments: &ExtractArgs, lists_records: bool) -> Result<Exit> {
    if arguments.documents.walk.type_list {
        return manual::print_types(&arguments.documents.walk.type_add);
    }
    if let Some(name) = &arguments.output.explain {
        return manual::explain(name);
    }
    if let Some(kind) = &arguments.output.generate {
        return manual::generate(kind, arguments.output.output.as_deref());
    }
    help::check_paths(&arguments.paths)?;
    let start = Instant::now();
    let roots = roots(arguments);
    let mut options = options(arguments, &roots)?;
    let inputs = Inputs::new(roots, &arguments.documents.walk);
    if lists_records {
        list_records(arguments, &mut options)?;
    } else if options.output.is_index() {
        Err("cdxj is an index of records: uriscan records --format cdxj")?;
    } else if let Some(field) = (options.layout.fields.iter()).find(|field| field.is_of_record()) {
        let reason = "it is a key of uriscan records";
        Err(format!("links have no {}: {reason}", field.name))?;
    }
    let target = OutputTarget::of(arguments.output.output.as_deref())?;
    let report = arguments.output.report.as_deref();
    let report = report
        .map(|path| OutputTarget::of(Some(path)))
        .transpose()?;
    let targets: Vec<_> = [&target].into_iter().chain(&report).collect();
    let outputs = inputs.check(&targets, &options, std::iter::empty())?;
    let walk = inputs.walk(options.order, outputs.clone())?;
    let mut output = match (options.report, &arguments.output.output) {
        // Nothing is written.
        (ReportMode::Nothing, None) => Destination::standard(),
        _ => target.open()?,
    };
    if output.is_terminal && options.output.is_table() && options.report.is_links() {
        return Err(no_terminal(options.output));
    }
    if output.is_terminal {
        options.layout.escape = Escape::Controls;
    }
    let mut report = report.map(|report| report.open()).transpose()?;
    options.flushes_blocks = output.is_terminal || options.line_buffered;
    let line = options.progress.clone().map(ProgressLine::show);
    let outputs_open = (&mut output, report.as_mut());
    let mut outcome = run::run(&options, walk, outputs_open);
    drop(line);
    let written = match outcome.output_error.take() {
        Some(error) => Err(error),
        None if outputs.were_named() => Ok(()),
        None => {
            // The file is not replaced where nothing was read.
            let output = Some(output).filter(|_| outcome.summary.files > 0);
            let mut complete = output.into_iter().chain(report);
            complete.try_for_each(Destination::finish)
        }
    };
    match unless_closed(written)? {
        Some(()) => finish(arguments, &options, &outcome, start),
        None => Ok(Exit::Found),
    }
}

/// Returns the error of a table on a terminal.
pub(super) fn no_terminal(output: &Output) -> Error {
    let reason = "cannot be written to a terminal: use --output or a pipe";
    format!("{} {reason}", output.name).into()
}

/// Returns the roots of the walk, without the paths of lists.
fn roots(arguments: &ExtractArgs) -> Vec<Root> {
    let repositories = arguments.git.iter().flat_map(|git| walk::repositories(git));
    let mut roots: Vec<_> = repositories.map(Root::Repository).collect();
    roots.extend(arguments.paths.iter().map(|path| match path.to_str() {
        Some("-") => Root::Standard,
        _ => Root::Path(path.clone()),
    }));
    if roots.is_empty() && arguments.documents.walk.lists().next().is_none() {
        // `--files` lists the tree even if standard input is a pipe.
        let is_here = arguments.report.files || io::stdin().is_terminal();
        roots.push(if is_here { Root::Here } else { Root::Standard });
    }
    roots
}

fn options(arguments: &ExtractArgs, roots: &[Root]) -> Result<PipelineOptions> {
    let is_several = match roots {
        [Root::Standard] => false,
        [Root::Path(path)] => path.is_dir(),
        _ => true,
    };
    let output = &arguments.output;
    let format = output.output();
    let report = if output.quiet {
        ReportMode::Nothing
    } else {
        arguments.report.report()
    };
    let count_by = CountKey::chosen(&arguments.report.count_by, output.idn);
    match report {
        ReportMode::CountBy if count_by.contains(&CountKey::Rule) => {
            Err("--count-by rule counts findings: uriscan audit --count-by rule")?;
        }
        ReportMode::CountBy if !format.is_text() && !format.has_records() => {
            Err("counts are text or, with --json, records")?;
        }
        ReportMode::Count | ReportMode::Paths | ReportMode::Files if !format.is_text() => {
            Err("counts and lists of files are text: they have no other format")?;
        }
        _ => {}
    }
    if format.is_table() && !output.fields.is_empty() {
        Err("--fields chooses keys of records; tables have --columns")?;
    }
    if !format.is_index() && output.sort == OutputOrder::Line {
        Err("--sort line goes with --format cdxj")?;
    }
    if !format.is_table() && output.dictionaries {
        Err("--dictionaries goes with --format arrow or parquet")?;
    }
    let mut layout = output.layout(is_several, arguments.documents.read.unwraps());
    if report == ReportMode::Count {
        let several = is_several || output.with_filename;
        layout.location.path = several && !output.no_filename;
    }
    let documents = &arguments.documents;
    let bases = documents.base.bases(&arguments.paths)?;
    let mut options = pipeline_options(documents, bases)?;
    let extractor = &mut options.extractor;
    let mail = &mut extractor.formats.mail;
    mail.envelope |= count_by.iter().any(|key| key.needs_envelope())
        || output.has_key(report, &layout, RecordField::needs_envelope);
    mail.message_fields |= count_by.iter().any(|key| key.needs_message())
        || output.has_key(report, &layout, RecordField::needs_message);
    // A flag needs the texts, too.
    extractor.formats.html.descriptions =
        output.anchor_text || output.has_key(report, &layout, RecordField::needs_description);
    extractor.positions = output.positions(report, &layout);
    if let Some(size) = documents.read.window {
        extractor.window = size as usize;
    }
    Ok(PipelineOptions {
        output: format,
        layout,
        report,
        count_by,
        top: output.top,
        verbosity: Verbosity {
            errors: !output.no_messages,
            diagnostics: output.verbose,
            summary: output.stats.is_some() && report != ReportMode::Nothing,
            archives: output.stats.map(|form| match form {
                MessageForm::Words => output.messages,
                MessageForm::Records => form,
            }),
        },
        messages: output.messages,
        has_report: output.report.is_some(),
        threads: worker_count(output.threads.unwrap_or(0)),
        piece_size: documents.read.piece.map_or(0, |size| size.max(1)),
        order: output.sort,
        line_buffered: output.line_buffered,
        progress: output.shows_progress().then(Arc::default),
        ..options
    })
}

/// Sets the options for a list of documents, messages and records.
fn list_records(arguments: &ExtractArgs, options: &mut PipelineOptions) -> Result<()> {
    if options.report != ReportMode::Links {
        Err("uriscan records lists documents: it has no other reports")?;
    }
    let output = &arguments.output;
    let named = output.fields.iter().map(|field| ColumnChoice::Field(field));
    let choices: Vec<_> = named.chain(output.columns.iter().copied()).collect();
    options.report = ReportMode::Records;
    let layout = std::mem::take(&mut options.layout);
    options.layout = layout.with_records("record", record_fields(&choices)?);
    options.layout.location.path = !output.no_filename;
    options.archive_options.lists_records = true;
    options.archive_options.is_index = options.output.is_index();
    options.decompresses_all = true;
    let formats = &mut options.extractor.formats;
    (formats.mail.envelope, formats.mail.message_fields) = (true, true);
    formats.html.titles = true;
    options.extractor.positions = Positions::Offsets;
    Ok(())
}

pub(super) fn pipeline_options(documents: &DocumentArgs, bases: Bases) -> Result<PipelineOptions> {
    let (walk, read, base) = (&documents.walk, &documents.read, &documents.base);
    let mut options = PipelineOptions {
        declared: read.encoding,
        decompresses_all: read.decompress || walk.types.iter().any(|one| one.compressed),
        formats: walk.types.iter().filter_map(|one| one.format).collect(),
        all_records: walk.types.iter().any(|one| one.format.is_none()),
        types: walk.named_types(),
        bases,
        shard: walk.shard.unwrap_or_default(),
        filter: documents.filter.options()?,
        ..PipelineOptions::default()
    };
    options.archive_options.http_base = read.http_base;
    options.archive_options.reads_metadata = read.warc_metadata;
    options.extractor.formats = read.options();
    let mail = &mut options.extractor.formats.mail;
    mail.envelope = options.filter.messages.needs_envelope();
    mail.message_fields = mail.envelope;
    let longest = usize::try_from(base.longest_base);
    options.extractor.formats.longest_base = longest.unwrap_or(usize::MAX);
    options.extractor.ruling = base.ruling();
    if base.ignore_base {
        options.extractor.embedded_bases = EmbeddedBases::Ignore;
    }
    options.extractor.unwrapper = read.unwrapper();
    Ok(options)
}

fn finish(
    arguments: &ExtractArgs,
    options: &PipelineOptions,
    outcome: &RunOutcome,
    start: Instant,
) -> Result<Exit> {
    let summary = &outcome.summary;
    let is_quiet = arguments.output.no_messages || options.report == ReportMode::Nothing;
    if options.messages == MessageForm::Words && !is_quiet {
        for sentence in summary.unread() {
            message::report(&sentence);
        }
    }
    let is_among_records = options.has_records() && options.verbosity.summary;
    // In words it would repeat the record of the summary.
    let is_repeated = is_among_records && arguments.output.stats == Some(MessageForm::Words);
    if let Some(how) = options.verbosity.archives.filter(|_| !is_repeated) {
        print_stats(how, summary, start);
    }
    if summary.is_empty() {
        return Err(nothing_was_read(summary));
    }
    let found = match options.report {
        ReportMode::Files | ReportMode::Records => summary.files,
        _ => summary.references,
    };
    let exit = Exit::Found.or_nothing(found == 0);
    let exit = exit.or_error(summary.has_failures());
    Ok(exit.or_zero(arguments.output.exit_zero))
}

/// Returns the error of a run that found no file to read, with the reasons.
pub(super) fn nothing_was_read(summary: &Summary) -> Error {
    if summary.skipped_files == 0 {
        return "nothing was read: no files, or all of them are left out by globs, ignore files, \
                hidden names and depth (see --glob, --no-ignore, --hidden, --max-depth)"
            .into();
    }
    let reasons = summary.skips().filter(|(_, count)| *count > 0);
    let reasons = reasons.map(|(name, count)| match name {
        "skipped_type" => format!("{count} by --type"),
        "skipped_size" => format!("{count} by --max-filesize"),
        "skipped_mail_folder" => counted(count, "index, lock or deleted message"),
        "skipped_symlink" => counted(count, "symbolic link"),
        _ => counted(count, "pipe, device or socket"),
    });
    let reasons = reasons.collect::<Vec<_>>().join(", ");
    let files = counted(summary.skipped_files, "file");
    format!("nothing was read: {files} left out ({reasons}); -v names them").into()
}

fn print_stats(how: MessageForm, summary: &Summary, start: Instant) {
    let usage = process::usage(start);
    let mut text = Vec::new();
    if how == MessageForm::Records {
        json::push_stats(summary, Some(&usage), &mut text);
        return write_stderr(&text);
    }
    let reasons = summary.skips().filter(|(_, count)| *count > 0);
    for (name, count) in summary.counts().chain(reasons) {
        let words = name.replace('_', " ");
        let noun = match (words.strip_suffix("ies"), words.strip_suffix('s')) {
            _ if count != 1 => words,
            (Some(stem), _) => format!("{stem}y"),
            (_, noun) => noun.unwrap_or(&words).to_owned(),
        };
        text.extend_from_slice(format!("{count} {noun}\n").as_bytes());
    }
    for (name, figure) in usage.figures() {
        let (figure, name) = (figure.as_deref().unwrap_or("?"), name.replace('_', " "));
        text.extend_from_slice(format!("{figure} {name}\n").as_bytes());
    }
    write_stderr(&text);
}
