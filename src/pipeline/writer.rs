//! The writer: blocks of output and of messages, written one after the other, each target once where
//! that is requested.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::ops::Range;

use hashbrown::HashTable;

use super::reorder::{BlockSink, OutputBlock};
use super::{OutputOrder, PipelineOptions};
use crate::linker::Link;
use crate::output::table::{RowBlock, RowBuilder, TableWriter};
use crate::output::{DocumentPath, LinkFormatter};

/// A block is pushed when it has this many bytes.
pub(super) const BLOCK: usize = 64 << 10;

/// A block of rows is pushed when they take this many bytes: columns want more rows than lines do.
const ROW_BLOCK: usize = 256 << 10;

pub(super) const BUFFER: usize = 64 << 10;

/// Returns whether a buffer may be used again: not after a long record.
fn is_spare(buffer: &Vec<u8>) -> bool {
    (BLOCK..=4 * BLOCK).contains(&buffer.capacity())
}

#[derive(Debug, Default)]
pub(crate) struct OutputChunk {
    /// Bytes for the output.
    pub output: Vec<u8>,
    /// Rows of a table, for outputs that are tables.
    pub rows: RowBlock,
    /// Lines for standard error.
    pub messages: Vec<u8>,
    /// Records for the report of everything besides links.
    pub report: Vec<u8>,
    /// The records in `output`, or the rows, where repeated ones are left out.
    pub keyed: Vec<Keyed>,
}

impl OutputBlock for OutputChunk {
    fn weight(&self) -> usize {
        // An empty block takes memory too.
        self.output.len()
            + self.rows.weight()
            + self.messages.len()
            + self.report.len()
            + self.keyed.len() * size_of::<Keyed>()
            + size_of::<Self>()
    }

    fn clear(&mut self) {
        self.output.clear();
        self.rows = Default::default();
        self.messages.clear();
        self.report.clear();
        self.keyed.clear();
    }

    fn take(&mut self, spare: &mut Vec<Vec<u8>>) -> Self {
        let output = if self.output.len() >= BLOCK && is_spare(&self.output) {
            std::mem::replace(&mut self.output, spare.pop().unwrap_or_default())
        } else {
            self.output.as_slice().to_vec()
        };
        let taken = OutputChunk {
            output,
            rows: std::mem::take(&mut self.rows),
            messages: self.messages.as_slice().to_vec(),
            report: self.report.as_slice().to_vec(),
            keyed: self.keyed.as_slice().to_vec(),
        };
        self.clear();
        taken
    }

    fn into_buffer(mut self) -> Option<Vec<u8>> {
        self.output.clear();
        Some(self.output).filter(is_spare)
    }
}

/// Writes blocks to the output and their messages to standard error.
pub(crate) struct OutputWriter<W: Write + Send> {
    pub(super) destination: OutputDestination<W>,
    pub(super) seen: SeenTargets,
    pub(super) report: Option<W>,
}

pub(super) enum OutputDestination<W: Write + Send> {
    /// Blocks, and whether each is flushed.
    Records(BufWriter<W>, bool),
    /// Lines that are sorted at the end.
    Sorted(BufWriter<W>, Vec<u8>),
    Table(Box<TableWriter<W>>),
}

impl<W: Write + Send> OutputWriter<W> {
    /// Creates a writer, and writes the lines before the first record.
    pub(super) fn new(options: &PipelineOptions, outputs: (W, Option<W>)) -> io::Result<Self> {
        let (output, report) = outputs;
        let mut header = OutputChunk::default();
        (options.output).header(&options.layout, &mut header.output);
        let destination = match options.table() {
            None => {
                let output = BufWriter::with_capacity(BUFFER, output);
                match options.order {
                    OutputOrder::Line => OutputDestination::Sorted(output, Vec::new()),
                    OutputOrder::Path | OutputOrder::None => {
                        OutputDestination::Records(output, options.flushes_blocks)
                    }
                }
            }
            Some(format) => {
                let table = TableWriter::new(format, &options.layout, output)?;
                OutputDestination::Table(Box::new(table))
            }
        };
        let mut writer = OutputWriter {
            destination,
            seen: SeenTargets::default(),
            report,
        };
        writer.consume(&header)?;
        Ok(writer)
    }

    /// Writes the end of the output.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if let Some(report) = &mut self.report {
            report.flush()?;
        }
        match &mut self.destination {
            OutputDestination::Records(output, _) => output.flush(),
            OutputDestination::Sorted(output, lines) => {
                let mut sorted: Vec<&[u8]> = lines.split_inclusive(|&byte| byte == b'\n').collect();
                sorted.sort_unstable();
                for line in sorted {
                    output.write_all(line)?;
                }
                output.flush()
            }
            OutputDestination::Table(table) => table.finish(),
        }
    }
}

impl<W: Write + Send> BlockSink<OutputChunk> for OutputWriter<W> {
    fn consume(&mut self, chunk: &OutputChunk) -> io::Result<()> {
        if !chunk.messages.is_empty() {
            // Errors on standard error are ignored.
            let _ = io::stderr().write_all(&chunk.messages);
        }
        if let Some(report) = &mut self.report
            && !chunk.report.is_empty()
        {
            report.write_all(&chunk.report)?;
        }
        let length = match &self.destination {
            OutputDestination::Records(..) | OutputDestination::Sorted(..) => chunk.output.len(),
            OutputDestination::Table(_) => chunk.rows.len(),
        };
        let kept = self.seen.new_ranges(length, &chunk.keyed);
        match &mut self.destination {
            OutputDestination::Table(table) => table.push(&chunk.rows, &kept)?,
            OutputDestination::Sorted(_, lines) => lines.extend_from_slice(&chunk.output),
            OutputDestination::Records(output, flushes) => {
                for range in kept {
                    output.write_all(&chunk.output[range])?;
                }
                if *flushes {
                    output.flush()?;
                }
            }
        }
        Ok(())
    }
}

/// Makes the lines or rows of links.
pub(super) struct ChunkBuilder<'a> {
    lines: LinkFormatter<'a>,
    /// The rows that are not in the chunk yet, if the output is a table.
    rows: Option<RowBuilder>,
    pub(super) chunk: OutputChunk,
}

impl<'a> ChunkBuilder<'a> {
    pub(super) fn new(options: &'a PipelineOptions) -> Self {
        ChunkBuilder {
            lines: LinkFormatter::new(options.output, &options.layout),
            rows: (options.table()).map(|_| RowBuilder::new(&options.layout)),
            chunk: OutputChunk::default(),
        }
    }

    pub(super) fn push(&mut self, path: &DocumentPath, link: &Link<'_>) {
        match &mut self.rows {
            Some(rows) => rows.push(path, link),
            None => (self.lines).push(path, link, &mut self.chunk.output),
        }
    }

    /// Returns the end of the last line or row.
    pub(super) fn end(&self) -> usize {
        let rows = self.rows.as_ref();
        rows.map_or(self.chunk.output.len(), RowBuilder::len)
    }

    pub(super) fn is_full(&self) -> bool {
        let rows = self.rows.as_ref().map_or(0, RowBuilder::weight);
        self.chunk.output.len() >= BLOCK || rows >= ROW_BLOCK
    }

    /// Puts the rows into the chunk. Apart from [`ChunkBuilder::is_full`], which is called for each link.
    #[inline(never)]
    pub(super) fn complete(&mut self) {
        if let Some(rows) = &mut self.rows {
            self.chunk.rows = rows.finish();
        }
    }
}

/// Writes rows that are not made by the workers of a run.
pub(crate) struct RowWriter<'a, W: Write + Send> {
    rows: ChunkBuilder<'a>,
    writer: OutputWriter<W>,
}

impl<'a, W: Write + Send> RowWriter<'a, W> {
    pub(crate) fn new(options: &'a PipelineOptions, output: W) -> io::Result<Self> {
        Ok(RowWriter {
            rows: ChunkBuilder::new(options),
            writer: OutputWriter::new(options, (output, None))?,
        })
    }

    pub(crate) fn push(&mut self, path: &DocumentPath, link: &Link<'_>) -> io::Result<()> {
        self.rows.push(path, link);
        if self.rows.is_full() {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        self.rows.complete();
        self.writer.consume(&self.rows.chunk)?;
        self.rows.chunk.clear();
        Ok(())
    }

    /// Writes the end of the output.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.writer.finish()
    }
}

/// Hashes targets to 128 bits, so that memory does not grow with their length, with random keys for each run,
/// so that a document cannot hold targets that collide.
#[derive(Clone, Debug, Default)]
pub(crate) struct TargetHasher {
    high: RandomState,
    low: RandomState,
}

impl TargetHasher {
    pub(crate) fn of(&self, target: &[u8]) -> u128 {
        u128::from(self.high.hash_one(target)) << 64 | u128::from(self.low.hash_one(target))
    }
}

/// A record or a row in a chunk, and the key of its target.
#[derive(Clone, Debug)]
pub(crate) struct Keyed {
    /// The key of the target.
    pub key: u128,
    /// The bytes of the record, or the row.
    pub range: Range<usize>,
}

/// The targets that have been written, in 15 to 30 bytes each. In several tables, because one takes twice its
/// size while it grows.
#[derive(Debug, Default)]
pub(crate) struct SeenTargets {
    /// 102 bits of each key: the number of the table and three words. The probability that two of
    /// 2^32 targets share them is 2^-39.
    keys: Vec<HashTable<[u32; 3]>>,
    /// Records that were left out.
    pub repeated: u64,
}

/// The number of tables: a power of two.
const TABLES: usize = 64;

impl SeenTargets {
    fn insert(&mut self, key: u128) -> bool {
        if self.keys.is_empty() {
            self.keys.resize_with(TABLES, HashTable::new);
        }
        let kept = [0, 32, 64].map(|from| (key >> from) as u32);
        // The words are bits of a hash already.
        let hash = |[low, middle, _]: &[u32; 3]| u64::from(*low) | u64::from(*middle) << 32;
        let table = &mut self.keys[(key >> 96) as usize % TABLES];
        if table.find(hash(&kept), |one| *one == kept).is_some() {
            return false;
        }
        table.insert_unique(hash(&kept), kept, hash);
        true
    }

    /// Returns the ranges of an output without the records whose targets have been seen.
    fn new_ranges(&mut self, length: usize, records: &[Keyed]) -> Vec<Range<usize>> {
        let (mut ranges, mut from) = (Vec::new(), 0);
        for record in records {
            if !self.insert(record.key) {
                self.repeated += 1;
                ranges.push(from..record.range.start);
                from = record.range.end;
            }
        }
        ranges.push(from..length);
        ranges
    }
}

#[cfg(test)]
#[path = "../../tests/unit/pipeline/writer.rs"]
mod tests;
