//! What becomes of the links: a worker's sink, which writes them into its block.

use std::collections::BTreeMap;

use super::reorder::{ReorderBuffer, Stopped};
use super::tally::KeyCounts;
use super::unique::{Keyed, TargetHasher};
use super::writer::{Chunk, OutputWriter};
use super::{Archives, PipelineOptions, ReportMode};
use crate::document;
use crate::document::diagnostic::{self, Effect};
use crate::output::decimal;
use crate::output::escape::push_visible;
use crate::output::json::push_archive;
use crate::output::place::DocumentPath;
use crate::output::record::{ArchiveRecord, Failure, Skip, Summary};
use crate::output::text::push_path;
use crate::resolver::{Diagnostic, Link, Sink};

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
                decimal::push(self.found, output);
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
    pub fn archive(&mut self, tally: &document::mail::ArchiveTally, bytes: u64) -> ArchiveRecord {
        ArchiveRecord {
            tally: tally.clone(),
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
