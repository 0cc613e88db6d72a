//! The end of the line: blocks of output and of messages, written one behind the other.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::ops::Range;

use hashbrown::HashTable;

use super::reorder::{BlockSink, OutputBlock};

/// Output is gathered up to this many bytes before it is written.
const GATHER: usize = 64 << 10;

/// What a worker has to say.
#[derive(Debug, Default)]
pub struct Chunk {
    /// For the output.
    pub output: Vec<u8>,
    /// For standard error.
    pub messages: Vec<u8>,
    /// The records in `output`, where repeated ones are to be left out.
    pub keyed: Vec<Keyed>,
}

impl OutputBlock for Chunk {
    fn weight(&self) -> usize {
        // Even an empty one takes a place in the row.
        self.output.len()
            + self.messages.len()
            + self.keyed.len() * size_of::<Keyed>()
            + size_of::<Self>()
    }

    fn clear(&mut self) {
        self.output.clear();
        self.messages.clear();
        self.keyed.clear();
    }

    fn take(&mut self) -> Self {
        let taken = Chunk {
            output: self.output.as_slice().to_vec(),
            messages: self.messages.as_slice().to_vec(),
            keyed: self.keyed.as_slice().to_vec(),
        };
        self.clear();
        taken
    }
}

/// Writes blocks to the output and their messages to standard error.
#[derive(Debug)]
pub struct OutputWriter<W> {
    output: W,
    gathered: Vec<u8>,
    hurry: FlushPolicy,
    seen: SeenTargets,
}

/// When output is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushPolicy {
    /// Block by block: somebody is watching.
    Blocks,
    /// When there is enough of it.
    Gathered,
}

impl<W: Write + Send> OutputWriter<W> {
    /// Writes to `output`.
    pub fn new(output: W, hurry: FlushPolicy) -> Self {
        OutputWriter {
            output,
            gathered: Vec::with_capacity(GATHER),
            hurry,
            seen: SeenTargets::default(),
        }
    }

    /// How many records were left out because they repeat another.
    pub fn repeated(&self) -> u64 {
        self.seen.repeated
    }

    /// Writes what is left.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.write_all(&self.gathered)?;
        self.gathered.clear();
        self.output.flush()
    }
}

impl<W: Write + Send> BlockSink<Chunk> for OutputWriter<W> {
    fn consume(&mut self, chunk: &Chunk) -> io::Result<()> {
        if !chunk.messages.is_empty() {
            // Who closes standard error does not want to know.
            let _ = io::stderr().write_all(&chunk.messages);
        }
        if !chunk.keyed.is_empty() {
            let gathered = &mut self.gathered;
            self.seen.push_new(&chunk.output, &chunk.keyed, gathered);
            if gathered.len() > GATHER || self.hurry == FlushPolicy::Blocks {
                self.output.write_all(gathered)?;
                gathered.clear();
            }
            return Ok(());
        }
        if self.gathered.len() + chunk.output.len() > GATHER || self.hurry == FlushPolicy::Blocks {
            self.output.write_all(&self.gathered)?;
            self.gathered.clear();
        }
        if chunk.output.len() <= GATHER && self.hurry == FlushPolicy::Gathered {
            self.gathered.extend_from_slice(&chunk.output);
            return Ok(());
        }
        self.output.write_all(&chunk.output)
    }
}

/// Tells targets apart by 128 bits, so that memory does not grow with their length.
///
/// The hash is keyed anew for each run: nobody can write two targets that it takes for one.
#[derive(Clone, Debug, Default)]
pub struct TargetHasher {
    high: RandomState,
    low: RandomState,
}

impl TargetHasher {
    /// The key of a target.
    pub fn of(&self, target: &[u8]) -> u128 {
        u128::from(self.high.hash_one(target)) << 64 | u128::from(self.low.hash_one(target))
    }
}

/// A record in a block's output, and the key of its target.
#[derive(Clone, Debug)]
pub struct Keyed {
    /// The key.
    pub key: u128,
    /// Where the record stands.
    pub range: Range<usize>,
}

/// The targets that have been written: 15 to 30 bytes each, whatever their length.
///
/// The tables are split, for a table holds twice its size while it grows, and so only one of them does
/// at a time.
#[derive(Debug, Default)]
pub struct SeenTargets {
    /// 102 bits of each key: the number of the table and three words. Two of 2^32 targets have the
    /// same ones with a probability of 2^-39.
    keys: Vec<HashTable<[u32; 3]>>,
    /// Records that were left out.
    pub repeated: u64,
}

/// The number of tables: a power of two.
const TABLES: usize = 64;

impl SeenTargets {
    /// Adds a key; false where it was there before.
    fn insert(&mut self, key: u128) -> bool {
        if self.keys.is_empty() {
            self.keys.resize_with(TABLES, HashTable::new);
        }
        let kept = [0, 32, 64].map(|from| (key >> from) as u32);
        // Every bit of a key is as good as any other: the words are hashes already.
        let hash = |[low, middle, _]: &[u32; 3]| u64::from(*low) | u64::from(*middle) << 32;
        let table = &mut self.keys[(key >> 96) as usize % TABLES];
        if table.find(hash(&kept), |one| *one == kept).is_some() {
            return false;
        }
        table.insert_unique(hash(&kept), kept, hash);
        true
    }

    /// Appends what is new of a block's output; what belongs to no record stays.
    pub fn push_new(&mut self, output: &[u8], records: &[Keyed], out: &mut Vec<u8>) {
        let mut from = 0;
        for record in records {
            out.extend_from_slice(&output[from..record.range.start]);
            if self.insert(record.key) {
                out.extend_from_slice(&output[record.range.clone()]);
            } else {
                self.repeated += 1;
            }
            from = record.range.end;
        }
        out.extend_from_slice(&output[from..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_new_once() {
        let (mut seen, hash) = (SeenTargets::default(), TargetHasher::default());
        for turn in 0..2 {
            for n in 0..20_000u32 {
                assert_eq!(seen.insert(hash.of(&n.to_le_bytes())), turn == 0);
            }
        }
    }
}
