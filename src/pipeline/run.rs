//! The run: workers that pull batches, extract the links of their documents, and push the output to
//! the reorder buffer.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::archive::{ArchiveOutcome, ArchiveSink};
use super::options::{Archives, MessageForm, PipelineOptions, ReportMode};
use super::queue::{Job, Queue};
use super::read::{self, FileOutcome, FileReader, SHRUNK};
use super::reorder::{BlockSink, ReorderBuffer, Stopped};
use super::split_archive::ArchiveBlock;
use super::split_document::FilePiece;
use super::tally::KeyCounts;
use super::walk::{Entry, Walk};
use super::workers::run_workers;
use super::writer::{BLOCK, Chunk, FlushPolicy, Keyed, OutputWriter, TargetHasher};
use crate::document;
use crate::document::diagnostic::{self, Effect};
use crate::linker::{Diagnostic, Found, Link, Sink};
use crate::output::DocumentPath;
use crate::output::escape::push_decimal;
use crate::output::escape::push_visible;
use crate::output::json::{push_archive, push_diagnostic, push_failure, push_skip, push_summary};
use crate::output::record::{ArchiveRecord, DiagnosticCounts, Failure, Skip, Summary};
use crate::output::table::{RowBuilder, TableWriter};
use crate::output::text::push_path;

/// The limit of the reorder buffer, in bytes.
const REORDER_LIMIT: usize = 8 << 20;

/// A block of rows is pushed when they take this many bytes: columns want more rows than lines do.
const ROW_BLOCK: usize = 256 << 10;

/// The outcome of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// The counts of what was read and found.
    pub summary: Summary,
    /// Damaged containers.
    pub damaged: u64,
    /// Why the output ended early, if it did.
    pub output_error: Option<io::Error>,
}

/// Extracts the links of all files of a walk and writes them.
///
/// ```
/// use uriscan::pipeline::{self, PipelineOptions, walk::{Root, Walk}, writer::FlushPolicy};
///
/// let roots = [Ok(Root::Path("src/lib.rs".into()))];
/// let walk = Walk::new(roots.into_iter(), Default::default());
/// let mut output = Vec::new();
/// let outcome = pipeline::run(&PipelineOptions::default(), walk, &mut output, FlushPolicy::Gathered);
/// assert_eq!(outcome.summary.files, 1);
/// ```
#[cfg(feature = "internals")]
pub fn run(
    options: &PipelineOptions,
    walk: Walk,
    output: impl Write + Send,
    flush: FlushPolicy,
) -> RunOutcome {
    run_with_report(options, walk, (output, None), flush)
}

/// Extracts the links of all files of a walk and writes them, and to a report the records of everything
/// besides links.
pub(crate) fn run_with_report<W: Write + Send>(
    options: &PipelineOptions,
    walk: Walk,
    (output, report): (W, Option<W>),
    flush: FlushPolicy,
) -> RunOutcome {
    let mut header = Chunk::default();
    (options.output.header)(&options.layout, &mut header.output);
    let writer = match options.table() {
        None => OutputWriter::new(output, flush),
        Some(format) => match TableWriter::new(format, &options.layout, output) {
            Ok(table) => OutputWriter::of_table(table),
            Err(error) => {
                return RunOutcome {
                    summary: Summary::default(),
                    damaged: 0,
                    output_error: Some(error),
                };
            }
        },
    };
    let mut writer = writer.with_report(report);
    let header = writer.consume(&header);
    let ordered = ReorderBuffer::new(writer, REORDER_LIMIT, options.order);
    if let Err(error) = header {
        ordered.stop(error);
    }
    let queue = Queue::new(walk, options);
    let hash = TargetHasher::default();
    let stop = || {
        queue.stop();
        ordered.stop(io::Error::other("a worker panicked"));
    };
    let work = || ExtractWorker::new(options, &ordered, &queue, &hash).work();
    let (mut counts, mut tally) = (WorkerCounts::default(), KeyCounts::default());
    for (worker_counts, worker_tally) in run_workers(options.threads, stop, work) {
        counts.add(&worker_counts);
        tally.merge(worker_tally);
    }
    let (mut writer, mut output_error) = ordered.into_inner();
    counts.summary.references -= writer.repeated();
    if output_error.is_none() {
        output_error = close(options, &counts.summary, tally, &mut writer).err();
    }
    RunOutcome {
        summary: counts.summary,
        damaged: counts.damaged,
        output_error,
    }
}

/// Writes the counts and the summary.
fn close<W: Write + Send>(
    options: &PipelineOptions,
    summary: &Summary,
    tally: KeyCounts,
    writer: &mut OutputWriter<W>,
) -> io::Result<()> {
    let mut block = Chunk::default();
    if let ReportMode::CountBy(key) = options.report {
        tally.rows(|value, count| {
            options
                .output
                .count(&options.layout, key.name(), value, count, &mut block.output);
            if block.output.len() < BLOCK {
                return Ok(());
            }
            let written = writer.consume(&block);
            block.output.clear();
            written
        })?;
    }
    if let Some(others) = &options.output.others
        && options.verbosity.summary
    {
        (others.summary)(summary, &mut block.output);
    }
    if options.has_report {
        push_summary(summary, &mut block.report);
    }
    writer.consume(&block)?;
    writer.finish()
}

/// The state of one worker.
struct ExtractWorker<'a, W: Write + Send> {
    queue: &'a Queue<'a>,
    reader: FileReader<'a>,
    collector: Collector<'a, W>,
}

impl<'a, W: Write + Send> ExtractWorker<'a, W> {
    fn new(
        options: &'a PipelineOptions,
        ordered: &'a ReorderBuffer<Chunk, OutputWriter<W>>,
        queue: &'a Queue<'a>,
        hash: &'a TargetHasher,
    ) -> Self {
        ExtractWorker {
            queue,
            reader: FileReader::new(options),
            collector: Collector::new(options, ordered, hash),
        }
    }

    fn work(mut self) -> (WorkerCounts, KeyCounts) {
        let (mut handle, mut jobs) = (self.queue.handle(), Vec::new());
        while let Some(ticket) = handle.pull(&mut jobs) {
            if self.batch(ticket, &mut jobs).is_err() {
                self.queue.stop();
                break;
            }
        }
        (self.collector.counts, self.collector.tally)
    }

    fn batch(&mut self, ticket: u64, jobs: &mut [Job]) -> Result<(), Stopped> {
        self.collector.begin_ticket(ticket);
        for job in jobs {
            match job {
                Job::File(entry) => self.file(entry, None),
                Job::Read(entry, read) => self.file(entry, Some(read.bytes())),
                Job::Piece(piece) => self.piece(piece),
                Job::Archive(block) => self.archive_block(block),
                Job::Unreadable(unreadable) => {
                    let path = unreadable.path.as_os_str().as_encoded_bytes();
                    self.collector.begin_document(path);
                    self.collector.fail(&unreadable.message);
                }
            }
            if self.collector.stopped {
                return Err(Stopped);
            }
        }
        self.collector.end_ticket()
    }

    /// Extracts the links of a file, from its bytes where they have been read.
    fn file(&mut self, entry: &Entry, bytes: Option<&[u8]>) {
        let collector = &mut self.collector;
        collector.begin_document(entry.path.as_os_str().as_encoded_bytes());
        let read = match bytes {
            Some(bytes) => self.reader.read_bytes(entry, bytes, collector),
            None => self.reader.read(entry, collector),
        };
        let error = match read {
            Ok(FileOutcome::Document {
                format,
                bytes,
                error,
            }) => {
                collector.end_document(bytes);
                if let Some(counts) = self.reader.counts(format) {
                    collector.counts.summary.count_unread(&counts);
                    if collector.counts_archives() {
                        let archive = collector.archive(&counts, bytes);
                        collector.report_archive(&archive);
                    }
                }
                error
            }
            Ok(FileOutcome::Archive { outcome, error }) => {
                collector.end_document(outcome.bytes);
                collector.counts.summary.count_unread(&outcome.counts);
                let archive = collector.container(&outcome);
                collector.report_container(&archive);
                error
            }
            Ok(FileOutcome::Listed) => {
                collector.list_path();
                collector.end_document(0);
                None
            }
            Ok(FileOutcome::Skipped(skip)) => {
                collector.skip(skip, entry.named);
                None
            }
            Err(error) => Some(error),
        };
        // A document that the collector has stopped seems to have shrunk.
        if let Some(error) = error
            && !self.collector.stopped
        {
            self.collector.fail(&error.to_string());
        }
    }

    /// Extracts the links of members of an archive.
    fn archive_block(&mut self, block: &mut ArchiveBlock) {
        let Some(members) = block.members.take() else {
            return;
        };
        let whole = &block.whole;
        let path = whole.entry.path.as_os_str().as_encoded_bytes();
        self.collector.begin_document(path);
        let _guard = whole.sum.guard();
        let (entry, format, container) = (&whole.entry, whole.format, members.open());
        let (mut outcome, error) =
            (self.reader).members(entry, format, container, &mut self.collector);
        for damage in &block.damage {
            outcome.diagnostics.add(&read::diagnostic(damage));
        }
        self.collector.end_piece(outcome.bytes, block.index == 0);
        self.collector.counts.summary.count_unread(&outcome.counts);
        let mut archive = self.collector.container(&outcome);
        archive.diagnostics.set_piece(block.index);
        if let Some(archive) = block.add_counts(&archive) {
            self.collector.report_by_file(archive.links);
            self.collector.report_container(&archive);
        }
        if let Some(error) = error {
            self.collector.fail(&error.to_string());
        }
    }

    /// Extracts the links of a piece of a file.
    fn piece(&mut self, piece: &FilePiece) {
        let path = piece.whole.entry.path.as_os_str().as_encoded_bytes();
        self.collector.begin_document(path);
        let _guard = piece.whole.sum.guard();
        let length = self.reader.piece(piece, &mut self.collector);
        let bytes = *length.as_ref().unwrap_or(&0);
        self.collector.end_piece(bytes, piece.index == 0);
        match length {
            Err(error) => self.collector.fail(&error.to_string()),
            Ok(length) if piece.has_shrunk(length) && !self.collector.stopped => {
                self.collector.fail(SHRUNK)
            }
            Ok(_) => {}
        }
        let counts = self.reader.counts(piece.whole.format.0);
        if let Some(counts) = &counts {
            self.collector.counts.summary.count_unread(counts);
        }
        let counts = counts.filter(|_| self.collector.counts_archives());
        if counts.is_none() && !self.collector.options.report.is_by_file() {
            return;
        }
        let has_counts = counts.is_some();
        let counts = counts.unwrap_or_default();
        let archive = self.collector.archive(&counts, bytes);
        if let Some(archive) = piece.add_counts(&archive) {
            self.collector.report_by_file(archive.links);
            if has_counts {
                self.collector.report_archive(&archive);
            }
        }
    }
}

/// The sink of a worker: writes links and diagnostics to a block.
struct Collector<'a, W: Write + Send> {
    options: &'a PipelineOptions,
    admits_everything: bool,
    ordered: &'a ReorderBuffer<Chunk, OutputWriter<W>>,
    ticket: u64,
    path: DocumentPath,
    block: Chunk,
    /// The rows that are not in the block yet, if the output is a table.
    rows: Option<RowBuilder>,
    /// The same for all workers.
    hash: &'a TargetHasher,
    counts: WorkerCounts,
    tally: KeyCounts,
    /// References reported of the current document.
    references: u64,
    /// Diagnostics of the current document by their codes.
    diagnostics: DiagnosticCounts,
    /// Whether the output has failed.
    stopped: bool,
    /// Whether the current document has acquired the right to use much memory.
    has_memory: bool,
}

/// The counts of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct WorkerCounts {
    summary: Summary,
    /// Damaged containers.
    damaged: u64,
}

impl WorkerCounts {
    fn add(&mut self, other: &WorkerCounts) {
        self.summary.add(&other.summary);
        self.damaged += other.damaged;
    }
}

impl<'a, W: std::io::Write + Send> Collector<'a, W> {
    fn new(
        options: &'a PipelineOptions,
        ordered: &'a ReorderBuffer<Chunk, OutputWriter<W>>,
        hash: &'a TargetHasher,
    ) -> Self {
        Collector {
            options,
            admits_everything: options.filter.admits_everything(),
            ordered,
            ticket: 0,
            path: DocumentPath::new(b""),
            block: Chunk::default(),
            rows: (options.table()).map(|_| RowBuilder::new(&options.layout)),
            hash,
            counts: WorkerCounts::default(),
            tally: KeyCounts::default(),
            references: 0,
            diagnostics: DiagnosticCounts::default(),
            stopped: false,
            has_memory: false,
        }
    }

    fn begin_ticket(&mut self, ticket: u64) {
        self.ticket = ticket;
    }

    fn begin_document(&mut self, path: &[u8]) {
        self.release_memory();
        self.path.set(path);
        self.references = 0;
        self.diagnostics.clear();
    }

    fn release_memory(&mut self) {
        if std::mem::take(&mut self.has_memory) {
            self.ordered.release_memory(self.ticket);
        }
    }

    /// Counts a piece of the current document, and with the first one the document.
    fn end_piece(&mut self, bytes: u64, first: bool) {
        self.counts.summary.files += u64::from(first);
        self.counts.summary.bytes += bytes;
        if let Some(progress) = &self.options.progress {
            progress.add(u64::from(first), bytes, self.references);
        }
    }

    /// Counts the current document, and writes what is reported by file.
    fn end_document(&mut self, bytes: u64) {
        self.end_piece(bytes, true);
        self.report_by_file(self.references);
    }

    /// Writes what is reported of the current document by file, given the number of its links.
    fn report_by_file(&mut self, references: u64) {
        let layout = &self.options.layout;
        let output = &mut self.block.output;
        match self.options.report {
            ReportMode::Count if references > 0 => {
                if layout.location.path {
                    push_path(layout, &self.path, None, output);
                    output.push(b':');
                }
                push_decimal(references, output);
                output.push(layout.terminator);
            }
            ReportMode::Paths if references > 0 => self.list_path(),
            _ => {}
        }
    }

    fn counts_archives(&self) -> bool {
        self.options.verbosity.archives != Archives::Leave
    }

    /// Returns the record of the archive, or the piece of one, that has been read.
    fn archive(&mut self, counts: &document::ArchiveCounts, bytes: u64) -> ArchiveRecord {
        ArchiveRecord {
            counts: counts.clone(),
            is_container: false,
            links: self.references,
            bytes,
            diagnostics: std::mem::take(&mut self.diagnostics),
        }
    }

    /// Returns the record of a container, or the piece of one, that has been read.
    fn container(&mut self, outcome: &ArchiveOutcome) -> ArchiveRecord {
        ArchiveRecord {
            is_container: true,
            diagnostics: outcome.diagnostics.clone(),
            ..self.archive(&outcome.counts, outcome.bytes)
        }
    }

    /// Reports a container, whose diagnostics have only been counted.
    fn report_container(&mut self, archive: &ArchiveRecord) {
        for found in archive.diagnostics.diagnostics() {
            self.diagnostic(&found);
            if std::ptr::eq(found.code, &diagnostic::APPROXIMATE) {
                // It is one for each document.
                self.counts.summary.approximate += found.count - 1;
            }
        }
        if self.counts_archives() {
            self.report_archive(archive);
        }
    }

    fn report_archive(&mut self, archive: &ArchiveRecord) {
        if self.options.has_report {
            push_archive(&self.path, archive, &mut self.block.report);
        }
        match (&self.options.output.others, self.options.verbosity.archives) {
            (_, Archives::Leave) => {}
            (Some(others), _) if self.options.report.is_records() => {
                (others.archive)(&self.path, archive, &mut self.block.output);
            }
            (_, _) if self.options.messages == MessageForm::Records => {
                push_archive(&self.path, archive, &mut self.block.messages);
            }
            (_, Archives::Words) => self.message(format_args!("{archive}")),
            (_, Archives::Records) => {
                push_archive(&self.path, archive, &mut self.block.messages);
            }
        }
    }

    fn list_path(&mut self) {
        let output = &mut self.block.output;
        push_path(&self.options.layout, &self.path, None, output);
        output.push(self.options.layout.terminator);
    }

    /// Counts the current document as skipped, and reports that where its file was named.
    fn skip(&mut self, skip: Skip, named: bool) {
        self.counts.summary.skip(skip.reason);
        let verbosity = self.options.verbosity;
        if named && verbosity.errors || verbosity.diagnostics {
            self.tell(
                |path, out| push_skip(path, &skip, named, out),
                format_args!("{skip}"),
            );
        }
        if named && self.options.has_report {
            push_skip(&self.path, &skip, named, &mut self.block.report);
        }
    }

    /// Reports that the current document could not be read.
    fn fail(&mut self, message: &str) {
        self.counts.summary.errors += 1;
        let failure = Failure {
            member: None,
            message,
        };
        if let Some(others) = &self.options.output.others
            && self.options.report.is_records()
        {
            (others.failure)(&self.path, &failure, &mut self.block.output);
        }
        if self.options.has_report {
            push_failure(&self.path, &failure, &mut self.block.report);
        }
        if self.options.verbosity.errors {
            self.tell(
                |path, out| push_failure(path, &failure, out),
                format_args!("{message}"),
            );
        }
    }

    fn end_ticket(&mut self) -> Result<(), Stopped> {
        self.release_memory();
        self.end_block();
        self.ordered.finish(self.ticket, &mut self.block)
    }

    /// Moves the rows to the block.
    fn end_block(&mut self) {
        if let Some(rows) = &mut self.rows {
            self.block.rows = rows.finish();
        }
    }

    fn push(&mut self, link: &Link<'_>) {
        let (layout, output) = (&self.options.layout, &mut self.block.output);
        if let Some(rows) = &mut self.rows {
            return rows.push(&self.path, link);
        }
        (self.options.output).push_link(layout, &self.path, link, output);
    }

    /// Returns the end of what is written: of the records, or of the rows.
    fn end(&self) -> usize {
        self.rows
            .as_ref()
            .map_or(self.block.output.len(), RowBuilder::len)
    }

    /// Appends a record or a line for standard error.
    fn tell(
        &mut self,
        record: impl FnOnce(&DocumentPath, &mut Vec<u8>),
        words: std::fmt::Arguments<'_>,
    ) {
        match self.options.messages {
            MessageForm::Records => record(&self.path, &mut self.block.messages),
            MessageForm::Words => self.message(words),
        }
    }

    /// Appends a line for standard error.
    fn message(&mut self, message: std::fmt::Arguments<'_>) {
        let messages = &mut self.block.messages;
        messages.extend_from_slice(b"uriscan: ");
        if !self.path.path().is_empty() {
            push_visible(self.path.path(), messages);
            messages.extend_from_slice(b": ");
        }
        push_visible(message.to_string().as_bytes(), messages);
        messages.push(b'\n');
    }
}

impl<W: std::io::Write + Send> Sink for Collector<'_, W> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let options = self.options;
        if self.stopped {
            return ControlFlow::Break(());
        }
        if !self.admits_everything && !options.filter.admits(link) {
            return ControlFlow::Continue(());
        }
        self.counts.summary.references += 1;
        self.references += 1;
        match options.report {
            ReportMode::Links => self.push(link),
            ReportMode::Unique => {
                let start = self.end();
                self.push(link);
                let range = start..self.end();
                let key = self.hash.of(link.target.unwrap_or(link.reference));
                self.block.keyed.push(Keyed { key, range });
            }
            ReportMode::CountBy(key) => self.tally.count(&key.of(&self.path, link)),
            ReportMode::Count | ReportMode::Paths | ReportMode::Files | ReportMode::Nothing => {}
        }
        let rows = self.rows.as_ref().map_or(0, RowBuilder::weight);
        if self.block.output.len() >= BLOCK || rows >= ROW_BLOCK {
            self.end_block();
            let pushed = self.ordered.push(self.ticket, &mut self.block);
            self.stopped = pushed.is_err();
        }
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Diagnostic(diagnostic) => self.diagnostic(diagnostic),
            Found::Heavy => {
                self.has_memory = true;
                self.ordered.acquire_memory(self.ticket);
            }
            Found::Exact(_) => self.counts.summary.exact += 1,
            _ => {}
        }
    }
}

impl<W: std::io::Write + Send> ArchiveSink for Collector<'_, W> {}

impl<W: std::io::Write + Send> Collector<'_, W> {
    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>) {
        if self.counts_archives() {
            self.diagnostics.add(diagnostic);
        }
        let verbosity = self.options.verbosity;
        let summary = &mut self.counts.summary;
        summary.diagnose(diagnostic.code, diagnostic.count);
        let damage = diagnostic.code.effect == Effect::Damage;
        self.counts.damaged += u64::from(damage);
        match &self.options.output.others {
            Some(others) if self.options.report.is_records() => {
                (others.diagnostic)(&self.path, diagnostic, &mut self.block.output);
            }
            _ => match self.options.messages {
                MessageForm::Records if verbosity.errors => {
                    push_diagnostic(&self.path, diagnostic, &mut self.block.messages);
                }
                MessageForm::Words if verbosity.diagnostics || damage && verbosity.errors => {
                    self.message(format_args!("{diagnostic}"));
                }
                _ => {}
            },
        }
        if self.options.has_report {
            push_diagnostic(&self.path, diagnostic, &mut self.block.report);
        }
    }
}
