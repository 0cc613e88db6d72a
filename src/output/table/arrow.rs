//! The Arrow schema, and the IPC stream of batches.
//!
//! Messages are made from the columns of a batch as they stand, without arrays between: what a batch
//! has in memory is what the system copies to the output.

use std::fmt;
use std::io::{self, IoSlice, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::ToByteSlice;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions, write_message};
use arrow_ipc::{
    Buffer, DictionaryBatchBuilder, FieldNode, MessageBuilder, MessageHeader, MetadataVersion,
    RecordBatchBuilder,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use flatbuffers::FlatBufferBuilder;

use super::batch::{BatchNames, RowBatch};
use super::column::{ColumnKind, ColumnPresence, METADATA, TableColumn};
use super::values::{ABSENT, ABSENT_NUMBER, Sparse, StringTable, Values};
use super::writer::TableEncoder;

/// The time zone of columns of times.
const UTC: &str = "UTC";

/// Returns the schema of a table.
pub(super) fn schema(columns: &[TableColumn]) -> Schema {
    let field = |column: &TableColumn| {
        let column = column.column;
        let nullable = column.presence == ColumnPresence::Nullable;
        Field::new(column.name, data_type(column.kind), nullable)
    };
    let fields: Vec<_> = columns.iter().map(field).collect();
    Schema::new(fields).with_metadata(METADATA)
}

fn data_type(kind: ColumnKind) -> DataType {
    let names = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    match kind {
        ColumnKind::Number => DataType::Int64,
        ColumnKind::Time => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        ColumnKind::Name
        | ColumnKind::LowerName
        | ColumnKind::ReversedName
        | ColumnKind::UriName => names(),
        ColumnKind::Names => DataType::List(item(names())),
        ColumnKind::Text | ColumnKind::Uri => DataType::Utf8,
        ColumnKind::Bytes => DataType::Binary,
        ColumnKind::ByteLists => DataType::List(item(DataType::Binary)),
    }
}

fn item(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new_list_field(data_type, false))
}

/// Returns an error of Arrow as one of the output. None is expected: the arrays fit the schema.
pub(super) fn output_error(error: impl fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

/// Messages begin, and buffers in them, at multiples of this many bytes.
const ALIGNMENT: usize = 64;

/// The first bytes of a message, in front of its length.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Bytes of padding, and of columns without values.
static ZEROS: [u8; 4096] = [0; 4096];

/// A part of the output.
enum Piece<'a> {
    Bytes(&'a [u8]),
    /// Bytes of the scratch memory.
    Scratch(Range<usize>),
    Zeros(usize),
}

impl Piece<'_> {
    fn len(&self) -> usize {
        match self {
            Piece::Bytes(bytes) => bytes.len(),
            Piece::Scratch(range) => range.len(),
            Piece::Zeros(count) => *count,
        }
    }
}

/// Returns the number of bytes that are missing to a multiple of the alignment.
fn padding(length: usize) -> usize {
    length.next_multiple_of(ALIGNMENT) - length
}

/// The body of a message.
struct Body<'a, 's> {
    scratch: &'s mut Vec<u8>,
    pieces: Vec<Piece<'a>>,
    nodes: Vec<FieldNode>,
    buffers: Vec<Buffer>,
    length: usize,
}

impl<'a> Body<'a, '_> {
    /// Adds a buffer of some pieces.
    fn push(&mut self, pieces: impl IntoIterator<Item = Piece<'a>>) {
        let start = self.length;
        for piece in pieces {
            self.length += piece.len();
            self.pieces.push(piece);
        }
        // INVARIANT: columns are shorter than 2^63 bytes.
        let buffer = Buffer::new(start as i64, (self.length - start) as i64);
        self.buffers.push(buffer);
        let padding = padding(self.length);
        self.pieces.push(Piece::Zeros(padding));
        self.length += padding;
    }

    /// Adds the node of a column, and the buffer of the bits that tell which rows have a value: an empty
    /// one if all have. Returns whether one has none.
    fn push_node<T: Copy + PartialEq>(
        &mut self,
        values: &Sparse<T>,
        absent: T,
        rows: usize,
    ) -> bool {
        let start = self.scratch.len();
        let mut present = 0;
        if values.has_gaps(rows) {
            for values in values.values().chunks(8) {
                let bits = values.iter().enumerate();
                let bits = bits.fold(0, |bits, (bit, value)| {
                    bits | u8::from(*value != absent) << bit
                });
                present += bits.count_ones() as usize;
                self.scratch.push(bits);
            }
        } else {
            present = rows;
        }
        let is_full = present == rows;
        self.nodes
            .push(FieldNode::new(rows as i64, (rows - present) as i64));
        if is_full {
            self.scratch.truncate(start);
        }
        let bits = Piece::Scratch(start..self.scratch.len());
        let rest = match is_full {
            true => 0,
            false => rows.div_ceil(8) - bits.len(),
        };
        self.push([bits, Piece::Zeros(rest)]);
        !is_full
    }

    /// Adds values, of which those that are not there are any.
    fn push_numbers(&mut self, numbers: &'a Sparse<i64>, rows: usize) {
        self.push_node(numbers, ABSENT_NUMBER, rows);
        let values = numbers.values();
        let rest = (rows - values.len()) * size_of::<i64>();
        self.push([Piece::Bytes(values.to_byte_slice()), Piece::Zeros(rest)]);
    }

    /// Adds codes, of which those that are not there are 0.
    fn push_codes(&mut self, names: &'a BatchNames, rows: usize) {
        let codes = names.codes.values();
        let has_nulls = self.push_node(&names.codes, ABSENT, rows);
        let piece = match has_nulls {
            true => self.scratched(codes.iter().map(|&code| code.max(0))),
            false => Piece::Bytes(codes.to_byte_slice()),
        };
        self.push([piece, Piece::Zeros((rows - codes.len()) * size_of::<i32>())]);
    }

    /// Adds the node of strings or lists, and where they begin and end.
    fn push_offsets(&mut self, lengths: &Sparse<i32>, rows: usize) {
        self.push_node(lengths, ABSENT, rows);
        let values = lengths.values();
        if values.is_empty() {
            return self.push([Piece::Zeros((rows + 1) * size_of::<i32>())]);
        }
        let mut end = 0;
        let ends = values.iter().map(|&length| {
            // INVARIANT: the sum of lengths is below 2^31, or the strings had not been added.
            end += length.max(0);
            end
        });
        let piece = self.scratched(ends);
        let rest = self.scratched(std::iter::repeat_n(end, rows - values.len()));
        self.push([Piece::Zeros(size_of::<i32>()), piece, rest]);
    }

    /// Copies numbers to the scratch memory.
    fn scratched(&mut self, numbers: impl ExactSizeIterator<Item = i32>) -> Piece<'a> {
        let start = self.scratch.len();
        let end = start + numbers.len() * size_of::<i32>();
        self.scratch.resize(end, 0);
        let places = self.scratch[start..].as_chunks_mut().0;
        for (place, number) in places.iter_mut().zip(numbers) {
            *place = number.to_ne_bytes();
        }
        Piece::Scratch(start..end)
    }

    fn push_column(&mut self, column: &'a Values<BatchNames>, rows: usize) {
        match column {
            Values::Numbers(numbers) => self.push_numbers(numbers, rows),
            Values::Names(names) => self.push_codes(names, rows),
            Values::Strings(strings) => {
                self.push_offsets(&strings.lengths, rows);
                self.push([Piece::Bytes(&strings.bytes)]);
            }
            Values::Lists(lists) => {
                self.push_offsets(&lists.counts, rows);
                self.push_column(&lists.items, lists.length);
            }
        }
    }
}

/// The pieces of messages.
struct Messages<'a, 's> {
    fields: &'s mut FlatBufferBuilder<'static>,
    scratch: &'s mut Vec<u8>,
    pieces: Vec<Piece<'a>>,
}

impl<'a> Messages<'a, '_> {
    /// Adds a message of so many rows: a batch, or the dictionary of a number.
    fn push(&mut self, dictionary: Option<i64>, rows: usize, fill: impl FnOnce(&mut Body<'a, '_>)) {
        let mut body = Body {
            scratch: self.scratch,
            pieces: Vec::new(),
            nodes: Vec::new(),
            buffers: Vec::new(),
            length: 0,
        };
        fill(&mut body);
        let Body {
            pieces,
            nodes,
            buffers,
            length,
            ..
        } = body;
        let fields = &mut *self.fields;
        fields.reset();
        let buffers = fields.create_vector(&buffers);
        let nodes = fields.create_vector(&nodes);
        let mut batch = RecordBatchBuilder::new(fields);
        batch.add_length(rows as i64);
        batch.add_nodes(nodes);
        batch.add_buffers(buffers);
        let batch = batch.finish();
        let (kind, header) = match dictionary {
            None => (MessageHeader::RecordBatch, batch.as_union_value()),
            Some(number) => {
                let mut dictionary = DictionaryBatchBuilder::new(fields);
                dictionary.add_id(number);
                dictionary.add_data(batch);
                let dictionary = dictionary.finish();
                (MessageHeader::DictionaryBatch, dictionary.as_union_value())
            }
        };
        let mut message = MessageBuilder::new(fields);
        message.add_version(MetadataVersion::V5);
        message.add_header_type(kind);
        message.add_bodyLength(length as i64);
        message.add_header(header);
        let message = message.finish();
        fields.finish(message, None);
        let header = fields.finished_data();
        let prefix = CONTINUATION.len() + size_of::<u32>();
        let padding = padding(prefix + header.len());
        let start = self.scratch.len();
        self.scratch.extend_from_slice(&CONTINUATION);
        let length = (header.len() + padding) as u32;
        self.scratch.extend_from_slice(&length.to_le_bytes());
        self.scratch.extend_from_slice(header);
        self.pieces.push(Piece::Scratch(start..self.scratch.len()));
        self.pieces.push(Piece::Zeros(padding));
        self.pieces.extend(pieces);
    }

    /// Adds the dictionary of a number.
    fn push_dictionary(&mut self, number: i64, values: &'a StringTable) {
        let rows = values.len();
        self.push(Some(number), rows, |body| {
            body.nodes.push(FieldNode::new(rows as i64, 0));
            body.push([]);
            body.push([Piece::Bytes(values.offsets.to_byte_slice())]);
            body.push([Piece::Bytes(&values.bytes)]);
        });
    }
}

/// Returns the dictionary of a column.
fn dictionary(column: &Values<BatchNames>) -> Option<&StringTable> {
    match column {
        Values::Names(names) => Some(&names.dictionary.values),
        Values::Lists(lists) => dictionary(&lists.items),
        Values::Numbers(_) | Values::Strings(_) => None,
    }
}

/// Writes an IPC stream: the schema, the batches with their dictionaries, and a mark at the end.
struct StreamWriter {
    columns: Vec<TableColumn>,
    /// The numbers of the dictionaries, in the order of their columns. None before the schema is written.
    dictionaries: Option<Vec<i64>>,
    fields: FlatBufferBuilder<'static>,
    scratch: Vec<u8>,
}

impl fmt::Debug for StreamWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = &self.columns;
        formatter
            .debug_struct("StreamWriter")
            .field("columns", columns)
            .finish_non_exhaustive()
    }
}

/// Creates an encoder of IPC streams.
pub(crate) fn stream(columns: &[TableColumn]) -> io::Result<Box<dyn TableEncoder>> {
    Ok(Box::new(StreamWriter {
        columns: columns.to_vec(),
        dictionaries: None,
        fields: FlatBufferBuilder::new(),
        scratch: Vec::new(),
    }))
}

/// Writes pieces in few calls of the system.
fn write_all(pieces: &[Piece<'_>], scratch: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut slices = Vec::with_capacity(2 * pieces.len());
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => slices.push(IoSlice::new(bytes)),
            Piece::Scratch(range) => slices.push(IoSlice::new(&scratch[range.clone()])),
            &Piece::Zeros(mut count) => {
                while count > 0 {
                    let zeros = &ZEROS[..count.min(ZEROS.len())];
                    slices.push(IoSlice::new(zeros));
                    count -= zeros.len();
                }
            }
        }
    }
    let mut rest = slices.as_mut_slice();
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        match out.write_vectored(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut rest, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl StreamWriter {
    /// Writes the schema, once. Returns the numbers of the dictionaries.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<&[i64]> {
        if self.dictionaries.is_none() {
            let mut tracker = DictionaryTracker::new(false);
            let options = IpcWriteOptions::default();
            let encoded = IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(
                &schema(&self.columns),
                &mut tracker,
                &options,
            );
            let mut message = Vec::new();
            write_message(&mut message, encoded, &options).map_err(output_error)?;
            out.write_all(&message)?;
            self.dictionaries = Some(tracker.dict_id().to_vec());
        }
        Ok(self.dictionaries.as_deref().unwrap_or_default())
    }
}

impl TableEncoder for StreamWriter {
    fn write(&mut self, batch: &mut RowBatch, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        self.scratch.clear();
        let mut messages = Messages {
            fields: &mut self.fields,
            scratch: &mut self.scratch,
            pieces: Vec::new(),
        };
        let numbers = self.dictionaries.iter().flatten();
        for (&number, values) in numbers.zip(batch.columns.iter().filter_map(dictionary)) {
            messages.push_dictionary(number, values);
        }
        messages.push(None, batch.rows, |body| {
            for column in &batch.columns {
                body.push_column(column, batch.rows);
            }
        });
        let pieces = messages.pieces;
        write_all(&pieces, &self.scratch, out)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        out.write_all(&CONTINUATION)?;
        out.write_all(&[0; size_of::<u32>()])
    }
}
