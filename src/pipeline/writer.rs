//! The end of the line: blocks of output and of messages, written one behind the other.

use std::io::{self, Write};

use super::reorder::{BlockSink, OutputBlock};
use super::unique::{Keyed, SeenTargets};

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
