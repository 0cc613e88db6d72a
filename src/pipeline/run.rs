//! The workers: each takes a batch, extracts its documents, hands over what it found, and again.

use std::io::{self, Write};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::collect::{Collector, WorkerCounts};
use super::queue::{Job, Queue, WorkerHandle};
use super::read::{FileOutcome, FileReader, SHRUNK};
use super::reorder::{BlockSink, ReorderBuffer, Stopped};
use super::split_lines::FilePiece;
use super::tally::KeyCounts;
use super::unique::TargetHasher;
use super::walk::{Entry, Walk};
use super::writer::{Chunk, FlushPolicy, OutputWriter};
use super::{PipelineOptions, ReportMode};
use crate::output::record::Summary;

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
                if let Some(tally) = self.reader.tally(format)
                    && collector.counts_archives()
                {
                    let archive = collector.archive(tally, bytes);
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
        if let Some(tally) = self.reader.tally(piece.whole.format.0)
            && self.collector.counts_archives()
        {
            let archive = self.collector.archive(tally, bytes);
            if let Some(archive) = piece.gather(&archive) {
                self.collector.tell_archive(&archive);
            }
        }
    }
}
