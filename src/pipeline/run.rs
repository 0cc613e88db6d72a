//! The run: workers that pull batches, extract the links of their documents, and push the output to
//! the reorder buffer.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::archive::{ArchiveSink, MemberChoice};
use super::input::Input;
use super::options::{Filter, MessageForm, PipelineOptions, ReportMode};
use super::piece::Piece;
use super::queue::{Job, Queue};
use super::read::{FileOutcome, FileRead, FileReader};
use super::reorder::{BlockSink, ReorderBuffer, Stopped};
use super::tally::{self, KeyCounts};
use super::walk::Walk;
use super::workers::run_workers;
use super::writer::{BLOCK, ChunkBuilder, Keyed, OutputChunk, OutputWriter, TargetHasher};
use crate::document::diagnostic::{self, Effect};
use crate::document::events::RemarkKind;
use crate::document::flags::Flags;
use crate::linker::{Diagnostic, Found, Link, LinkMember, Sink};
use crate::output::DocumentPath;
use crate::output::escape::{push_decimal, push_visible};
use crate::output::json::{push_archive, push_diagnostic, push_failure, push_skip, push_stats};
use crate::output::record::{
    ArchiveRecord, DiagnosticCounts, DocumentFacts, Skip, Summary, counted,
};
use crate::output::text::push_path;

const REORDER_LIMIT: usize = 8 << 20;

/// The outcome of a run.
#[derive(Debug, Default)]
pub struct RunOutcome {
    /// The numbers of documents, bytes and links.
    pub summary: Summary,
    /// Why the output ended early, if it did.
    pub output_error: Option<io::Error>,
}

/// Extracts the links of all files of a walk and writes them, and to the report the records of everything besides
/// links.
///
/// ```
/// use uriscan::pipeline::{PipelineOptions, run::run, walk::{Root, Walk}};
///
/// let roots = [Ok(Root::Path("src/lib.rs".into()))];
/// let walk = Walk::new(roots.into_iter(), Default::default());
/// let mut output = Vec::new();
/// let options = PipelineOptions::default();
/// let outcome = run(&options, walk, (&mut output, None));
/// assert_eq!(outcome.summary.files, 1);
/// ```
pub fn run<W: Write + Send>(
    options: &PipelineOptions,
    walk: Walk,
    (output, report): (W, Option<W>),
) -> RunOutcome {
    let mut outcome = RunOutcome::default();
    let writer = match OutputWriter::new(options, (output, report)) {
        Ok(writer) => writer,
        Err(error) => {
            outcome.output_error = Some(error);
            return outcome;
        }
    };
    let ordered = ReorderBuffer::new(writer, REORDER_LIMIT, options.order);
    let queue = Queue::new(walk, options);
    let hash = TargetHasher::default();
    let stop = || {
        queue.stop();
        ordered.stop(io::Error::other("a worker panicked"));
    };
    let work = || {
        let (mut reader, mut handle) = (FileReader::new(options), queue.handle());
        let mut collector = RunCollector::new(options, &ordered, &hash);
        let mut jobs = Vec::new();
        while let Some(ticket) = handle.pull(&mut jobs) {
            if collector.batch(&mut reader, ticket, &mut jobs).is_err() {
                queue.stop();
                break;
            }
        }
        (collector.summary, collector.tally)
    };
    let (summary, mut tally) = (&mut outcome.summary, KeyCounts::default());
    for (worker_summary, worker_tally) in run_workers(options.threads, stop, work) {
        summary.add(&worker_summary);
        tally.merge(worker_tally);
    }
    let (mut writer, error) = ordered.into_inner();
    summary.references -= writer.seen.repeated;
    let close = || close(options, summary, tally, &mut writer).err();
    outcome.output_error = error.or_else(close);
    outcome
}

fn close<W: Write + Send>(
    options: &PipelineOptions,
    summary: &Summary,
    tally: KeyCounts,
    writer: &mut OutputWriter<W>,
) -> io::Result<()> {
    let mut block = OutputChunk::default();
    if options.report == ReportMode::CountBy {
        let keys: Vec<_> = options.count_by.iter().map(|key| key.name()).collect();
        tally.rows(options.top, |values, count| {
            let values = tally::split(&options.count_by, values);
            let (output, layout) = (options.output, &options.layout);
            output.count(layout, (&keys, &values), count, &mut block.output);
            if block.output.len() < BLOCK {
                return Ok(());
            }
            let written = writer.consume(&block);
            block.output.clear();
            written
        })?;
    }
    if options.has_records() && options.verbosity.summary {
        push_stats(summary, None, &mut block.output);
    }
    if options.has_report {
        push_stats(summary, None, &mut block.report);
    }
    writer.consume(&block)?;
    writer.finish()
}

/// The state of the current document.
#[derive(Default)]
struct DocumentState {
    references: u64,
    /// The number of links of each message or record that has not ended, by its offset.
    member_links: Vec<(Option<u64>, u64)>,
    /// The title of the page that is read, where records are listed.
    title: Option<String>,
    /// Whether the document, or a message or record of it, is in the list of records.
    is_listed: bool,
    diagnostics: DiagnosticCounts,
}

/// The sink of a worker: writes links and diagnostics to a block.
struct RunCollector<'a, W: Write + Send> {
    options: &'a PipelineOptions,
    ordered: &'a ReorderBuffer<OutputChunk, OutputWriter<W>>,
    ticket: u64,
    path: DocumentPath,
    rows: ChunkBuilder<'a>,
    /// `None` if every link is reported.
    filter: Option<&'a Filter>,
    /// The same for all workers.
    hash: &'a TargetHasher,
    summary: Summary,
    tally: KeyCounts,
    document: DocumentState,
    stopped: bool,
    /// Whether the current document has acquired the right to use much memory.
    has_memory: bool,
}

impl<'a, W: Write + Send> RunCollector<'a, W> {
    fn new(
        options: &'a PipelineOptions,
        ordered: &'a ReorderBuffer<OutputChunk, OutputWriter<W>>,
        hash: &'a TargetHasher,
    ) -> Self {
        RunCollector {
            options,
            ordered,
            ticket: 0,
            path: DocumentPath::new(b""),
            rows: ChunkBuilder::new(options),
            filter: Some(&options.filter).filter(|filter| filter.is_set()),
            hash,
            summary: Summary::default(),
            tally: KeyCounts::default(),
            document: DocumentState::default(),
            stopped: false,
            has_memory: false,
        }
    }

    fn batch(
        &mut self,
        reader: &mut FileReader<'_>,
        ticket: u64,
        jobs: &mut [Job],
    ) -> Result<(), Stopped> {
        self.ticket = ticket;
        for job in jobs {
            match job {
                Job::File(entry, bytes) => {
                    self.begin_document(entry.bytes());
                    let read = match bytes {
                        Some(read) => reader.open(entry, Input::Whole(read.bytes()), self),
                        None => reader.read(entry, self),
                    };
                    match read {
                        Ok(FileOutcome::Read(read)) => self.end_document(read, None),
                        Ok(FileOutcome::Listed) => {
                            self.list_path();
                            self.count_document(0, true);
                        }
                        Ok(FileOutcome::Skipped(skip)) => self.skip(skip, entry.named),
                        Err(error) => self.fail_file(&error.to_string()),
                    }
                }
                Job::Piece(piece) => {
                    self.begin_document(piece.whole.entry.bytes());
                    let read = reader.piece(piece, self);
                    self.end_document(read, Some(piece));
                }
                Job::Unreadable(unreadable) => {
                    self.begin_document(unreadable.path.as_os_str().as_encoded_bytes());
                    self.fail_file(&unreadable.message);
                }
            }
            if self.stopped {
                return Err(Stopped);
            }
        }
        self.release_memory();
        self.rows.complete();
        self.ordered.finish(self.ticket, &mut self.rows.chunk)
    }

    fn begin_document(&mut self, path: &[u8]) {
        self.release_memory();
        self.path.set(path);
        self.document = DocumentState::default();
    }

    /// Appends the row of a document, where records are listed.
    fn list_document(&mut self, facts: DocumentFacts) {
        self.list_record(None, &LinkMember::default(), facts);
    }

    /// Appends the row of a document or a member, where records are listed.
    fn list_record(&mut self, member: Option<&str>, part: &LinkMember<'_>, facts: DocumentFacts) {
        if self.options.report != ReportMode::Records {
            return;
        }
        let words = match (&facts.error, &facts.skipped) {
            (Some(error), _) => error.clone(),
            (None, Some(kind)) => format!("skipped, {kind}"),
            (None, None) => counted(facts.links, "link"),
        };
        self.path.facts = DocumentFacts {
            title: self.document.title.take(),
            ..facts
        };
        let link = Link::unresolved(words.as_bytes(), part);
        self.rows.push(&self.path, &Link { member, ..link });
        self.document.is_listed = true;
        self.flush();
    }

    fn release_memory(&mut self) {
        if std::mem::take(&mut self.has_memory) {
            self.ordered.release_memory(self.ticket);
        }
    }

    fn count_document(&mut self, bytes: u64, is_first: bool) {
        self.summary.files += u64::from(is_first);
        self.summary.bytes += bytes;
        if let Some(progress) = &self.options.progress {
            progress.add(u64::from(is_first), bytes, self.document.references);
        }
    }

    /// Counts the current document and reports it by file, pieces with the last one.
    fn end_document(&mut self, read: FileRead, piece: Option<&mut Piece>) {
        let index = piece.as_ref().map_or(0, |piece| piece.index);
        let (has_counts, mut record) = (read.has_counts, read.record);
        self.count_document(record.bytes, index == 0);
        if has_counts {
            self.summary.count_unread(&record.counts);
        }
        record.links = self.document.references;
        let format = read.format.filter(|_| !self.document.is_listed);
        if !record.is_container {
            record.diagnostics = std::mem::take(&mut self.document.diagnostics);
        }
        record.diagnostics.set_piece(index);
        let counts_archives = self.options.verbosity.archives.is_some();
        let is_reported = record.is_container || has_counts && counts_archives;
        let report = self.options.report;
        let by_file = [ReportMode::Count, ReportMode::Paths, ReportMode::Records];
        let is_by_file = by_file.contains(&report);
        let record = match piece {
            Some(piece) if is_reported || is_by_file => piece.add_counts(&record),
            Some(_) => None,
            None => Some(record),
        };
        let error = read.error.as_ref().map(io::Error::to_string);
        if let Some(record) = &record
            && (format.is_some() || error.is_some())
        {
            let media_type = format.and_then(|format| format.media_types.first());
            let facts = DocumentFacts {
                links: record.links,
                bytes: Some(record.bytes),
                media_type: media_type.copied(),
                error,
                ..DocumentFacts::default()
            };
            self.list_document(facts);
        }
        if let Some(record) = record {
            self.report_by_file(record.links);
            if is_reported {
                self.report_archive(&record);
            }
        }
        // A document that was stopped here seems to have shrunk.
        if let Some(error) = read.error
            && !self.stopped
        {
            self.fail(&error.to_string());
        }
    }

    /// Reports the current document by file, given the number of its links.
    fn report_by_file(&mut self, references: u64) {
        let layout = &self.options.layout;
        let output = &mut self.rows.chunk.output;
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

    /// Reports the counts of an archive; the diagnostics of a container have only been counted.
    fn report_archive(&mut self, archive: &ArchiveRecord) {
        let of_container = archive.diagnostics.diagnostics();
        for found in of_container.filter(|_| archive.is_container) {
            self.diagnostic(&found);
            if std::ptr::eq(found.code, &diagnostic::HTML_APPROXIMATE) {
                // Each document has it once.
                self.summary.approximate += found.count - 1;
            }
        }
        let Some(form) = self.options.verbosity.archives else {
            return;
        };
        let push = |path: &_, out: &mut _| push_archive(path, archive, out);
        let form = Some(form).filter(|_| !self.add_record(push));
        self.tell(push, format_args!("{archive}"), true, form);
    }

    fn list_path(&mut self) {
        let output = &mut self.rows.chunk.output;
        push_path(&self.options.layout, &self.path, None, output);
        output.push(self.options.layout.terminator);
    }

    /// Counts the current document as skipped, and reports that where its file was named.
    fn skip(&mut self, skip: Skip, named: bool) {
        self.summary.skip(skip.reason);
        let words = skip.to_string();
        let reason = words.strip_prefix("skipped, ").unwrap_or(&words);
        self.list_document(DocumentFacts {
            skipped: Some(reason.to_owned()),
            ..DocumentFacts::default()
        });
        let shown = self.options.verbosity;
        let is_shown = named && shown.errors || shown.diagnostics;
        let form = is_shown.then_some(self.options.messages);
        let push = |path: &_, out: &mut _| push_skip(path, &skip, named, out);
        self.tell(push, format_args!("{skip}"), named, form);
    }

    /// Reports that nothing of the current document could be read.
    fn fail_file(&mut self, message: &str) {
        self.summary.failed_files += 1;
        self.fail(message);
    }

    /// Reports that the current document could not be read to its end.
    fn fail(&mut self, message: &str) {
        self.summary.errors += 1;
        if !self.document.is_listed {
            self.list_document(DocumentFacts {
                error: Some(message.to_owned()),
                ..DocumentFacts::default()
            });
        }
        let form = (self.options.verbosity.errors).then_some(self.options.messages);
        let push = |path: &_, out: &mut _| push_failure(path, message, out);
        self.add_record(push);
        self.tell(push, format_args!("{message}"), true, form);
    }

    /// Appends a record of another kind than links, if such records are among the links; returns whether they are.
    fn add_record(&mut self, record: impl Fn(&DocumentPath, &mut Vec<u8>)) -> bool {
        use ReportMode::{CountBy, Links, Unique};
        let is_among_links = self.options.has_records()
            && matches!(self.options.report, Links | Unique(_) | CountBy);
        if is_among_links {
            record(&self.path, &mut self.rows.chunk.output);
        }
        is_among_links
    }

    /// Appends a record to the report if it belongs there, and the record or a line for standard error.
    fn tell(
        &mut self,
        record: impl Fn(&DocumentPath, &mut Vec<u8>),
        words: std::fmt::Arguments<'_>,
        is_reported: bool,
        form: Option<MessageForm>,
    ) {
        if is_reported && self.options.has_report {
            record(&self.path, &mut self.rows.chunk.report);
        }
        let messages = &mut self.rows.chunk.messages;
        match form {
            None => {}
            Some(MessageForm::Records) => record(&self.path, messages),
            Some(MessageForm::Words) => {
                messages.extend_from_slice(b"uriscan: ");
                if !self.path.path().is_empty() {
                    push_visible(self.path.path(), messages);
                    messages.extend_from_slice(b": ");
                }
                push_visible(words.to_string().as_bytes(), messages);
                messages.push(b'\n');
            }
        }
    }

    /// Passes the block on if it is full.
    fn flush(&mut self) {
        if self.options.line_buffered || self.rows.is_full() {
            self.rows.complete();
            let pushed = self.ordered.push(self.ticket, &mut self.rows.chunk);
            self.stopped = pushed.is_err();
        }
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>) {
        if self.options.verbosity.archives.is_some() {
            self.document.diagnostics.add(diagnostic);
        }
        let verbosity = self.options.verbosity;
        self.summary.diagnose(diagnostic.code, diagnostic.count);
        let damage = diagnostic.code.effect == Effect::Damage;
        let push = |path: &_, out: &mut _| push_diagnostic(path, diagnostic, out);
        let is_among_links = self.add_record(push);
        let form = self.options.messages;
        let is_shown = match form {
            MessageForm::Records => verbosity.errors,
            MessageForm::Words => verbosity.diagnostics || damage && verbosity.errors,
        };
        let form = Some(form).filter(|_| is_shown && !is_among_links);
        self.tell(push, format_args!("{diagnostic}"), true, form);
    }
}

impl<W: Write + Send> Sink for RunCollector<'_, W> {
    fn link(&mut self, link: &Link<'_>) -> ControlFlow<()> {
        let options = self.options;
        if self.stopped {
            return ControlFlow::Break(());
        }
        if self.filter.is_some_and(|filter| !filter.admits(link)) {
            return ControlFlow::Continue(());
        }
        self.summary.references += 1;
        self.summary.opaque_gateways += u64::from(link.flags.contains(Flags::OPAQUE_GATEWAY));
        self.document.references += 1;
        match options.report {
            ReportMode::Links => self.rows.push(&self.path, link),
            ReportMode::Unique(form) => {
                let start = self.rows.end();
                self.rows.push(&self.path, link);
                let range = start..self.rows.end();
                let target = form.of(link.target.unwrap_or(link.reference));
                let key = self.hash.of(&target);
                self.rows.chunk.keyed.push(Keyed { key, range });
            }
            ReportMode::CountBy => {
                let values = options.count_by.iter().map(|key| key.of(&self.path, link));
                self.tally.count(&tally::joined(values));
            }
            ReportMode::Records => {
                let offset = link.part.message_offset;
                let mut counts = self.document.member_links.iter_mut().rev();
                match counts.find(|(known, _)| *known == offset) {
                    Some((_, count)) => *count += 1,
                    None => self.document.member_links.push((offset, 1)),
                }
            }
            ReportMode::Count | ReportMode::Paths | ReportMode::Files | ReportMode::Nothing => {}
        }
        self.flush();
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Diagnostic(diagnostic) => self.diagnostic(diagnostic),
            Found::Heavy => {
                self.has_memory = true;
                self.ordered.acquire_memory(self.ticket);
            }
            Found::Exact(_) => self.summary.exact += 1,
            Found::Restart => self.document.title = None,
            Found::Remark(remark) if remark.kind == RemarkKind::Title => {
                let title = || String::from_utf8_lossy(remark.text).into_owned();
                self.document.title.get_or_insert_with(title);
            }
            Found::Member(member) => {
                let offset = member.part.message_offset;
                let mut counts = self.document.member_links.iter();
                let known = counts.position(|(known, _)| *known == offset);
                let links = known.map_or(0, |at| self.document.member_links.swap_remove(at).1);
                let facts = DocumentFacts {
                    links,
                    bytes: member.bytes,
                    skipped: member.skipped.map(str::to_owned),
                    ..DocumentFacts::default()
                };
                self.list_record(member.member, member.part, facts);
            }
            _ => {}
        }
    }
}

impl<W: Write + Send> ArchiveSink for RunCollector<'_, W> {
    fn begin_member(&mut self, _name: &str, _path: &[u8]) -> MemberChoice {
        [MemberChoice::Read, MemberChoice::End][usize::from(self.stopped)]
    }
}
