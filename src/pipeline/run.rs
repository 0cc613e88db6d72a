//! The workers: each takes a batch, extracts its documents, hands over what it found, and again.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::options::{Archives, PipelineOptions, ReportMode};
use super::queue::{Job, Queue, WorkerHandle};
use super::read::{FileOutcome, FileReader, SHRUNK};
use super::reorder::{BlockSink, ReorderBuffer, Stopped};
use super::split_lines::FilePiece;
use super::tally::KeyCounts;
use super::walk::{Entry, Walk};
use super::writer::{Chunk, FlushPolicy, Keyed, OutputWriter, TargetHasher};
use crate::document;
use crate::document::diagnostic::{self, Effect};
use crate::output::DocumentPath;
use crate::output::escape::push_decimal;
use crate::output::escape::push_visible;
use crate::output::json::push_archive;
use crate::output::record::{ArchiveRecord, Failure, Skip, Summary};
use crate::output::text::push_path;
use crate::resolver::{Diagnostic, Link, Sink};

/// What is handed over before its turn is held up to this many bytes.
const HELD: usize = 8 << 20;

/// Rows of counts are written when they take this many bytes.
const GATHERED: usize = 64 << 10;

/// How a run ended.
#[derive(Debug)]
pub struct RunOutcome {
    /// What was read and found.
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
pub fn run(
    options: &PipelineOptions,
    walk: Walk,
    output: impl Write + Send,
    hurry: FlushPolicy,
) -> RunOutcome {
    let mut header = Chunk::default();
    (options.output.header)(&options.layout, &mut header.output);
    let mut writer = OutputWriter::new(output, hurry);
    let header = writer.consume(&header);
    let ordered = ReorderBuffer::new(writer, HELD, options.order);
    if let Err(error) = header {
        ordered.stop(error);
    }
    let threads = options.threads.max(1);
    let queue = Queue::new(walk, options);
    let hash = TargetHasher::default();
    let (mut counts, mut tally) = (WorkerCounts::default(), KeyCounts::default());
    thread::scope(|scope| {
        let work = || ExtractWorker::new(options, &ordered, &queue, &hash).work();
        let others = spawn(scope, threads - 1, work);
        let mut add = |(its_counts, its_tally)| {
            counts.add(&its_counts);
            tally.merge(its_tally);
        };
        add(work());
        for other in others {
            match other.join() {
                Ok(its) => add(its),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
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

/// Starts up to `count` threads with the same work: fewer when the system refuses more.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    count: usize,
    work: impl Fn() -> T + Copy + Send + 'scope,
) -> Vec<ScopedJoinHandle<'scope, T>> {
    (0..count)
        .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
        .collect()
}

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
            if block.output.len() < GATHERED {
                return Ok(());
            }
            let written = writer.consume(&block);
            block.output.clear();
            written
        })?;
    }
    if let Some(others) = &options.output.others
        && options.talk.summary
    {
        (others.summary)(summary, &mut block.output);
    }
    writer.consume(&block)?;
    writer.flush()
}

/// One thread's buffers.
struct ExtractWorker<'a, W: Write + Send> {
    hand: WorkerHandle<'a>,
    guard: WorkerGuard<'a, W>,
    reader: FileReader<'a>,
    collector: Collector<'a, W>,
}

/// Stops everybody when its worker panics, for nobody will finish its ticket.
struct WorkerGuard<'a, W: Write + Send>(&'a ReorderBuffer<Chunk, OutputWriter<W>>);

impl<W: Write + Send> Drop for WorkerGuard<'_, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(io::Error::other("a worker panicked"));
        }
    }
}

impl<'a, W: Write + Send> ExtractWorker<'a, W> {
    fn new(
        options: &'a PipelineOptions,
        ordered: &'a ReorderBuffer<Chunk, OutputWriter<W>>,
        queue: &'a Queue<'a>,
        hash: &'a TargetHasher,
    ) -> Self {
        ExtractWorker {
            hand: queue.hand(),
            guard: WorkerGuard(ordered),
            reader: FileReader::new(options),
            collector: Collector::new(options, ordered, hash),
        }
    }

    fn work(mut self) -> (WorkerCounts, KeyCounts) {
        let mut jobs = Vec::new();
        while let Some(ticket) = self.hand.pull(&mut jobs) {
            if self.batch(ticket, &jobs).is_err() {
                break;
            }
        }
        drop(self.guard);
        self.collector.into_counts()
    }

    fn batch(&mut self, ticket: u64, jobs: &[Job]) -> Result<(), Stopped> {
        self.collector.begin_ticket(ticket);
        for job in jobs {
            match job {
                Job::File(entry) => self.file(entry, None),
                Job::Read(entry, taken) => self.file(entry, Some(taken.bytes())),
                Job::Piece(piece) => self.piece(piece),
                Job::Unreadable(path) => {
                    let bytes = path.path.as_os_str().as_encoded_bytes();
                    self.collector.begin_document(bytes);
                    self.collector.fail(&path.message);
                }
            }
            if self.collector.is_stopped() {
                return Err(Stopped);
            }
        }
        self.collector.end_ticket()
    }

    /// Reads a file, or what has been read of it: all.
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
                if let Some(counts) = self.reader.counts(format)
                    && collector.counts_archives()
                {
                    let archive = collector.archive(counts, bytes);
                    collector.tell_archive(&archive);
                }
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
        if let Some(error) = error {
            self.collector.fail(&error.to_string());
        }
    }

    fn piece(&mut self, piece: &FilePiece) {
        let path = piece.whole.entry.path.as_os_str().as_encoded_bytes();
        self.collector.begin_document(path);
        let length = self.reader.piece(piece, &mut self.collector);
        let bytes = *length.as_ref().unwrap_or(&0);
        self.collector.end_piece(bytes, piece.index == 0);
        match length {
            Err(error) => self.collector.fail(&error.to_string()),
            Ok(length) if piece.has_shrunk(length) => self.collector.fail(SHRUNK),
            Ok(_) => {}
        }
        if let Some(counts) = self.reader.counts(piece.whole.format.0)
            && self.collector.counts_archives()
        {
            let archive = self.collector.archive(counts, bytes);
            if let Some(archive) = piece.gather(&archive) {
                self.collector.tell_archive(&archive);
            }
        }
    }
}

/// A block is handed over when it holds this many bytes.
const ENOUGH: usize = 64 << 10;

/// Takes the links of one document after the other.
pub struct Collector<'a, W> {
    options: &'a PipelineOptions,
    admits_everything: bool,
    ordered: &'a ReorderBuffer<Chunk, OutputWriter<W>>,
    ticket: u64,
    place: DocumentPath,
    block: Chunk,
    /// Tells targets apart, the same for all workers.
    hash: &'a TargetHasher,
    counts: WorkerCounts,
    tally: KeyCounts,
    /// References reported of the document at hand.
    found: u64,
    /// What was diagnosed of it, and how often.
    diagnosed: BTreeMap<&'static str, u64>,
    stopped: bool,
    /// The document at hand has waited for its memory.
    alone: bool,
}

/// What a worker has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerCounts {
    /// What the summary shows.
    pub summary: Summary,
    /// Damaged containers.
    pub damaged: u64,
}

impl WorkerCounts {
    /// Adds what another worker has counted.
    pub fn add(&mut self, other: &WorkerCounts) {
        self.summary.add(&other.summary);
        self.damaged += other.damaged;
    }
}

impl<'a, W: std::io::Write + Send> Collector<'a, W> {
    /// A sink for one worker.
    pub fn new(
        options: &'a PipelineOptions,
        ordered: &'a ReorderBuffer<Chunk, OutputWriter<W>>,
        hash: &'a TargetHasher,
    ) -> Self {
        Collector {
            options,
            admits_everything: options.filter.admits_everything(),
            ordered,
            ticket: 0,
            place: DocumentPath::new(b""),
            block: Chunk::default(),
            hash,
            counts: WorkerCounts::default(),
            tally: KeyCounts::default(),
            found: 0,
            diagnosed: BTreeMap::new(),
            stopped: false,
            alone: false,
        }
    }

    /// What follows belongs to this ticket.
    pub fn begin_ticket(&mut self, ticket: u64) {
        self.ticket = ticket;
    }

    /// What follows belongs to this document.
    pub fn begin_document(&mut self, path: &[u8]) {
        if std::mem::take(&mut self.alone) {
            self.ordered.together(self.ticket);
        }
        self.place.set(path);
        self.found = 0;
        self.diagnosed.clear();
    }

    /// A piece of the document at hand has been read; the first one stands for the document.
    pub fn end_piece(&mut self, bytes: u64, first: bool) {
        self.counts.summary.files += u64::from(first);
        self.counts.summary.bytes += bytes;
        if let Some(progress) = &self.options.progress {
            progress.add(u64::from(first), bytes, self.found);
        }
    }

    /// The document at hand has been read.
    pub fn end_document(&mut self, bytes: u64) {
        self.end_piece(bytes, true);
        let layout = &self.options.layout;
        let output = &mut self.block.output;
        match self.options.report {
            ReportMode::Count if self.found > 0 => {
                if layout.location.path {
                    push_path(layout, &self.place, None, output);
                    output.push(b':');
                }
                push_decimal(self.found, output);
                output.push(layout.terminator);
            }
            ReportMode::Paths if self.found > 0 => self.list_path(),
            _ => {}
        }
    }

    /// Whether the counts of archives are told.
    pub fn counts_archives(&self) -> bool {
        self.options.talk.archives != Archives::Leave
    }

    /// What there is to tell of the archive, or the piece of one, that has been read.
    pub fn archive(&mut self, counts: &document::ArchiveCounts, bytes: u64) -> ArchiveRecord {
        ArchiveRecord {
            counts: counts.clone(),
            links: self.found,
            bytes,
            diagnostics: std::mem::take(&mut self.diagnosed),
        }
    }

    /// Tells the counts of an archive.
    pub fn tell_archive(&mut self, archive: &ArchiveRecord) {
        match (&self.options.output.others, self.options.talk.archives) {
            (_, Archives::Leave) => {}
            (Some(others), _) if self.options.report.is_records() => {
                (others.archive)(&self.place, archive, &mut self.block.output);
            }
            (_, Archives::Words) => self.tell(format_args!("{archive}")),
            (_, Archives::Records) => {
                push_archive(&self.place, archive, &mut self.block.messages);
            }
        }
    }

    /// Writes the path of the document at hand.
    pub fn list_path(&mut self) {
        let output = &mut self.block.output;
        push_path(&self.options.layout, &self.place, None, output);
        output.push(self.options.layout.terminator);
    }

    /// The document at hand is left out. Of a file that was named this is told.
    pub fn skip(&mut self, skip: Skip, named: bool) {
        self.counts.summary.skip(skip.reason);
        let talk = self.options.talk;
        if named && talk.errors || talk.diagnostics {
            self.tell(format_args!("{skip}"));
        }
    }

    /// The document at hand could not be read.
    pub fn fail(&mut self, message: &str) {
        self.counts.summary.errors += 1;
        if let Some(others) = &self.options.output.others
            && self.options.report.is_records()
        {
            let failure = Failure {
                member: None,
                message,
            };
            (others.failure)(&self.place, &failure, &mut self.block.output);
        }
        if self.options.talk.errors {
            self.tell(format_args!("{message}"));
        }
    }

    /// The ticket is done with.
    ///
    /// # Errors
    ///
    /// When the output has failed.
    pub fn end_ticket(&mut self) -> Result<(), Stopped> {
        if std::mem::take(&mut self.alone) {
            self.ordered.together(self.ticket);
        }
        self.ordered.finish(self.ticket, &mut self.block)
    }

    /// Whether nobody takes the output any more.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// What has been counted.
    pub fn into_counts(self) -> (WorkerCounts, KeyCounts) {
        (self.counts, self.tally)
    }

    fn push(&mut self, link: &Link<'_>) {
        let (output, layout) = (self.options.output, &self.options.layout);
        (output.link)(layout, &self.place, link, &mut self.block.output);
    }

    fn tell(&mut self, message: std::fmt::Arguments<'_>) {
        let messages = &mut self.block.messages;
        messages.extend_from_slice(b"uriscan: ");
        if !self.place.path().is_empty() {
            push_visible(self.place.path(), messages);
            messages.extend_from_slice(b": ");
        }
        push_visible(message.to_string().as_bytes(), messages);
        messages.push(b'\n');
    }
}

impl<W: std::io::Write + Send> Sink for Collector<'_, W> {
    fn link(&mut self, link: &Link<'_>) {
        let options = self.options;
        if self.stopped || !self.admits_everything && !options.filter.admits(link) {
            return;
        }
        self.counts.summary.references += 1;
        self.found += 1;
        match options.report {
            ReportMode::Links => self.push(link),
            ReportMode::Unique => {
                let start = self.block.output.len();
                self.push(link);
                let range = start..self.block.output.len();
                let key = self.hash.of(link.target.unwrap_or(link.reference));
                self.block.keyed.push(Keyed { key, range });
            }
            ReportMode::CountBy(key) => self.tally.count(key.of(&self.place, link)),
            ReportMode::Count | ReportMode::Paths | ReportMode::Files | ReportMode::Nothing => {}
        }
        if self.block.output.len() >= ENOUGH {
            let handed_over = self.ordered.hand_over(self.ticket, &mut self.block);
            self.stopped = handed_over.is_err();
        }
    }

    fn heavy(&mut self) {
        self.alone = true;
        self.ordered.alone(self.ticket);
    }

    fn exact(&mut self, _rule: &'static str) {
        self.counts.summary.exact += 1;
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>) {
        if self.counts_archives() {
            *self.diagnosed.entry(diagnostic.code.name).or_default() += diagnostic.count;
        }
        let talk = self.options.talk;
        let approximate = std::ptr::eq(diagnostic.code, &diagnostic::APPROXIMATE);
        self.counts.summary.approximate += u64::from(approximate);
        let damage = diagnostic.code.effect == Effect::Damage;
        self.counts.damaged += u64::from(damage);
        match &self.options.output.others {
            Some(others) if self.options.report.is_records() => {
                (others.diagnostic)(&self.place, diagnostic, &mut self.block.output);
            }
            _ if talk.diagnostics || damage && talk.errors => {
                self.tell(format_args!("{diagnostic}"));
            }
            _ => {}
        }
    }
}
