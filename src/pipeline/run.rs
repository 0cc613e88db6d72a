//! The workers: each takes a batch, extracts its documents, hands over what it found, and again.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::choose::Choice;
use super::collect::{Collector, Counts};
use super::compressed::Opened;
use super::input::{Input, Joined};
use super::ordered::{Consume, Ordered, Stopped};
use super::pieces::Piece;
use super::queue::{Job, Queue};
use super::tally::Tally;
use super::unique::Hash;
use super::walk::{Entry, Kind, Walk};
use super::writer::{Chunk, Hurry, Writer};
use super::{Options, Report, bases};
use crate::document::container::Codec;
use crate::document::{Format, Retrieval};
use crate::extractor::{Document, Extractor, Origin, Positions};
use crate::output::record::Summary;
use crate::resolver::{Diagnostic, Sink};
use crate::uri::Base;

/// What is handed over before its turn is held up to this many bytes.
const HELD: usize = 8 << 20;

/// What is told of a file that does not keep what it promised.
const SHRUNK: &str = "it became shorter while it was read";

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
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
/// use uriscan::pipeline::{self, Options, walk::{Root, Walk}, writer::Hurry};
///
/// let roots = [Ok(Root::Path("src/lib.rs".into()))];
/// let walk = Walk::new(roots.into_iter(), Default::default());
/// let mut output = Vec::new();
/// let outcome = pipeline::run(&Options::default(), walk, &mut output, Hurry::Gathered);
/// assert_eq!(outcome.summary.files, 1);
/// ```
pub fn run(options: &Options, walk: Walk, output: impl Write + Send, hurry: Hurry) -> Outcome {
    let mut header = Chunk::default();
    (options.output.header)(&options.layout, &mut header.output);
    let mut writer = Writer::new(output, hurry);
    let header = writer.consume(&header);
    let ordered = Ordered::new(writer, HELD, options.order);
    if let Err(error) = header {
        ordered.stop(error);
    }
    let queue = Mutex::new(Queue::new(walk, options));
    let hash = Hash::default();
    let threads = options.threads.max(1);
    let (mut counts, mut tally) = (Counts::default(), Tally::default());
    thread::scope(|scope| {
        let work = || Worker::new(options, &ordered, &queue, &hash).work();
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut add = |(its_counts, its_tally)| {
            counts.add(&its_counts);
            tally.add(its_tally);
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
        output_error = close(options, &counts.summary, &tally, &mut writer).err();
    }
    Outcome {
        summary: counts.summary,
        damaged: counts.damaged,
        output_error,
    }
}

fn close<W: Write + Send>(
    options: &Options,
    summary: &Summary,
    tally: &Tally,
    writer: &mut Writer<W>,
) -> io::Result<()> {
    let mut block = Chunk::default();
    tally.push(options.layout.terminator, &mut block.output);
    if let Some(others) = &options.output.others
        && options.talk.summary
    {
        (others.summary)(summary, &mut block.output);
    }
    writer.consume(&block)?;
    writer.flush()
}

/// One thread's buffers.
struct Worker<'a, W: Write + Send> {
    options: &'a Options,
    queue: &'a Mutex<Queue<'a>>,
    guard: Guard<'a, W>,
    extractor: Extractor,
    collector: Collector<'a, W>,
    head: Vec<u8>,
    names: bases::Names,
}

/// Stops everybody when its worker panics, for nobody will finish its ticket.
struct Guard<'a, W: Write + Send>(&'a Ordered<Chunk, Writer<W>>);

impl<W: Write + Send> Drop for Guard<'_, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(io::Error::other("a worker panicked"));
        }
    }
}

impl<'a, W: Write + Send> Worker<'a, W> {
    fn new(
        options: &'a Options,
        ordered: &'a Ordered<Chunk, Writer<W>>,
        queue: &'a Mutex<Queue<'a>>,
        hash: &'a Hash,
    ) -> Self {
        Worker {
            options,
            queue,
            guard: Guard(ordered),
            extractor: Extractor::new(&options.extractor),
            collector: Collector::new(options, ordered, hash),
            head: Vec::new(),
            names: bases::Names::default(),
        }
    }

    fn work(mut self) -> (Counts, Tally) {
        let mut jobs = Vec::new();
        while let Some(ticket) = pull(self.queue, &mut jobs) {
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
                Job::File(entry) => self.file(entry),
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

    fn file(&mut self, entry: &Entry) {
        let path = entry.path.as_os_str().as_encoded_bytes();
        self.collector.begin_document(path);
        let mut head = std::mem::take(&mut self.head);
        let result = Input::open(entry, &mut head).and_then(|input| self.document(entry, input));
        self.head = head;
        if let Err(error) = result {
            self.collector.fail(&error.to_string());
        }
    }

    fn document(&mut self, entry: &Entry, input: Input<'_>) -> io::Result<()> {
        if let Some(codec) = self.options.codec(entry, input.head()) {
            return self.compressed(entry, codec, input);
        }
        let Some(format) = self.format(self.options.choose(entry, input.head()), entry) else {
            return Ok(());
        };
        let base = self.base(entry, format);
        let document = Document {
            format,
            base: base.as_ref(),
            declared: self.options.declared,
            origin: Origin::default(),
        };
        let (extractor, sink) = (&mut self.extractor, &mut self.collector);
        let length = match input {
            Input::Whole(bytes) => {
                extractor.extract_bytes(&document, bytes, sink);
                Ok(bytes.len() as u64)
            }
            Input::File(head, file) => {
                extractor.extract_seekable(&document, Joined::new(head, file), sink)
            }
            Input::Stream(head, stream) => {
                extractor.extract(&document, io::Read::chain(head, stream), sink)
            }
        };
        self.collector.end_document(*length.as_ref().unwrap_or(&0));
        if length
            .as_ref()
            .is_ok_and(|&length| Input::has_shrunk(entry, length))
        {
            return Err(io::Error::other(SHRUNK));
        }
        length.map(drop)
    }

    /// The format to read a file as, if it is to be read.
    fn format(&mut self, choice: Choice, entry: &Entry) -> Option<&'static Format> {
        match choice {
            Choice::Read(format) if self.options.report != Report::Files => return Some(format),
            Choice::Read(_) => {
                self.collector.list_path();
                self.collector.end_document(0);
            }
            Choice::Skip(name) => self.collector.skip(name, entry.named),
            Choice::Leave => {}
        }
        None
    }

    fn compressed(
        &mut self,
        entry: &Entry,
        codec: &'static Codec,
        input: Input<'_>,
    ) -> io::Result<()> {
        let path = entry.path.as_os_str().as_encoded_bytes();
        let mut opened = Opened::new(path, codec, input)?;
        let choice = self.options.choose_by(opened.path, entry, &opened.head);
        let Some(format) = self.format(choice, entry) else {
            return Ok(());
        };
        let base = self.base(entry, format);
        let document = Document {
            declared: self.options.declared,
            ..Document::new(format, base.as_ref())
        };
        let reader = opened.reader();
        let length = self
            .extractor
            .extract(&document, reader, &mut self.collector);
        for trouble in opened.troubles() {
            self.collector.diagnostic(&Diagnostic {
                member: None,
                code: trouble.code,
                count: 1,
                offset: trouble.offset,
            });
        }
        self.collector.end_document(*length.as_ref().unwrap_or(&0));
        length.map(drop)
    }

    fn base(&mut self, entry: &Entry, format: &Format) -> Option<Base> {
        let bases = &self.options.bases;
        if format.retrieval == Retrieval::Elsewhere {
            return Some(bases.of_container());
        }
        let path = entry.path.as_os_str().as_encoded_bytes();
        match entry.kind {
            Kind::Standard => bases.of_stream(),
            Kind::File(_) | Kind::Stream => bases.of_file(path, &mut self.names),
        }
    }

    fn piece(&mut self, piece: &Piece) {
        let entry = &piece.whole.entry;
        let path = entry.path.as_os_str().as_encoded_bytes();
        self.collector.begin_document(path);
        let mut bytes = std::mem::take(&mut self.head);
        let loaded = piece.load(self.options.piece, &mut bytes);
        let loaded = loaded.map(|loaded| loaded.then_some(bytes.as_slice()));
        let in_memory = loaded.as_ref().ok().copied().flatten();
        let origin = match self.options.extractor.positions {
            Positions::Lines => piece.locate(in_memory),
            Positions::Offsets => piece.origin(),
        };
        let format = piece.whole.format.0;
        let base = self.base(entry, format);
        let document = Document {
            format,
            base: base.as_ref(),
            declared: self.options.declared,
            origin,
        };
        let (extractor, sink) = (&mut self.extractor, &mut self.collector);
        let length = loaded.and_then(|loaded| match loaded {
            Some(bytes) => {
                extractor.extract_bytes(&document, bytes, sink);
                Ok(bytes.len() as u64)
            }
            None => extractor.extract(&document, piece.stretch(), sink),
        });
        let first = piece.index == 0;
        let bytes_read = *length.as_ref().unwrap_or(&0);
        self.collector.end_piece(bytes_read, first);
        match length {
            Err(error) => self.collector.fail(&error.to_string()),
            Ok(length) if piece.has_shrunk(length) => self.collector.fail(SHRUNK),
            Ok(_) => {}
        }
        self.head = bytes;
    }
}

fn pull(queue: &Mutex<Queue<'_>>, jobs: &mut Vec<Job>) -> Option<u64> {
    queue
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .pull(jobs)
}
