//! The pages of a column in a row group, and what the footer says of them.

use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Compression, Encoding, PageType};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    ColumnChunkMetaData, ColumnIndexBuilder, LevelHistogram, OffsetIndexBuilder, PageEncodingStats,
};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

use super::bounds::{Bound, ValueBounds, cut_greatest, cut_least};

/// A data page, as the footer describes it.
#[derive(Debug)]
pub(super) struct PageSummary {
    pub(super) rows: usize,
    /// The entries of each level of definition: of the highest one are the values.
    pub(super) counts: Vec<usize>,
    /// None where no row has a value.
    pub(super) bounds: Option<ValueBounds>,
    /// The bytes of the strings of all rows. None for numbers.
    pub(super) string_bytes: Option<usize>,
}

impl PageSummary {
    /// Returns the number of entries, and of those that have no value.
    fn entries(&self) -> (usize, usize) {
        let without_value = self
            .counts
            .split_last()
            .map_or(&[][..], |(_, counts)| counts);
        (self.counts.iter().sum(), without_value.iter().sum())
    }

    /// Returns the histograms of the levels of repetition and of definition, which a column with one
    /// level has none of.
    fn histograms(&self, descriptor: &ColumnDescPtr) -> [Option<LevelHistogram>; 2] {
        let (entries, _) = self.entries();
        let histogram = |highest: i16, counts: &[usize]| {
            let counts: Vec<_> = counts.iter().map(|&count| count as i64).collect();
            (highest > 0).then(|| LevelHistogram::from(counts))
        };
        [
            histogram(
                descriptor.max_rep_level(),
                &[self.rows, entries - self.rows],
            ),
            histogram(descriptor.max_def_level(), &self.counts),
        ]
    }
}

/// A column as the file has it.
pub(super) struct ClosedChunk {
    /// The page of the dictionary, if the column has one.
    pub(super) dictionary: Vec<u8>,
    /// The data pages, which follow.
    pub(super) pages: Vec<u8>,
    pub(super) closed: ColumnCloseResult,
}

/// The pages of a column, in memory.
pub(super) struct ColumnChunk {
    descriptor: ColumnDescPtr,
    encoding: Encoding,
    /// The data pages, with their headers.
    pages: TrackedWrite<Vec<u8>>,
    page_count: usize,
    uncompressed: usize,
    compressor: snap::raw::Encoder,
    /// Of all pages.
    total: PageSummary,
    /// The bounds of the last page that has some.
    last: Option<ValueBounds>,
    /// Whether the bounds of pages ascend or descend.
    is_ascending: bool,
    is_descending: bool,
    column_index: ColumnIndexBuilder,
    offset_index: OffsetIndexBuilder,
}

impl ColumnChunk {
    pub(super) fn new(descriptor: ColumnDescPtr, encoding: Encoding) -> Self {
        let total = PageSummary {
            rows: 0,
            counts: vec![0; descriptor.max_def_level() as usize + 1],
            bounds: None,
            string_bytes: None,
        };
        ColumnChunk {
            column_index: ColumnIndexBuilder::new(descriptor.physical_type()),
            offset_index: OffsetIndexBuilder::new(),
            descriptor,
            encoding,
            pages: TrackedWrite::new(Vec::new()),
            page_count: 0,
            uncompressed: 0,
            compressor: snap::raw::Encoder::new(),
            total,
            last: None,
            is_ascending: true,
            is_descending: true,
        }
    }

    /// Returns the bytes that the data pages take.
    pub(super) fn len(&self) -> usize {
        self.pages.bytes_written()
    }

    fn is_text(&self) -> bool {
        self.descriptor.logical_type_ref().is_some()
    }

    fn compressed(&mut self, body: &[u8]) -> Result<Bytes> {
        let compressed = self.compressor.compress_vec(body);
        compressed
            .map(Bytes::from)
            .map_err(|error| ParquetError::General(error.to_string()))
    }

    /// Adds a data page: the levels, if any, and the values, encoded.
    pub(super) fn push_page(&mut self, body: &[u8], page: PageSummary) -> Result<()> {
        let (entries, nulls) = page.entries();
        let data_page = Page::DataPage {
            buf: self.compressed(body)?,
            num_values: entries as u32,
            encoding: self.encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let data_page = CompressedPage::new(data_page, body.len());
        let written = SerializedPageWriter::new(&mut self.pages).write_page(data_page)?;
        self.uncompressed += written.uncompressed_size;
        self.page_count += 1;
        self.offset_index
            .append_offset_and_size(written.offset as i64, written.compressed_size as i32);
        self.offset_index.append_row_count(page.rows as i64);
        self.offset_index
            .append_unencoded_byte_array_data_bytes(page.string_bytes.map(|bytes| bytes as i64));
        let (least, greatest) = match &page.bounds {
            Some(bounds) => (
                self.shown(&bounds.least),
                self.shown_greatest(&bounds.greatest),
            ),
            None => Default::default(),
        };
        let is_null = page.bounds.is_none();
        self.column_index
            .append(is_null, least, greatest, nulls as i64, None);
        let [repetition, definition] = page.histograms(&self.descriptor);
        self.column_index
            .append_histograms(&repetition, &definition);
        self.add_to_total(page);
        Ok(())
    }

    /// Returns a lower bound as the column index has it.
    fn shown(&self, least: &Bound) -> Vec<u8> {
        match least {
            Bound::Number(number) => number.to_le_bytes().to_vec(),
            Bound::String(string) => cut_least(string, self.is_text()).0,
        }
    }

    /// Returns an upper bound as the column index has it.
    fn shown_greatest(&self, greatest: &Bound) -> Vec<u8> {
        match greatest {
            Bound::Number(number) => number.to_le_bytes().to_vec(),
            Bound::String(string) => cut_greatest(string, self.is_text()).0,
        }
    }

    fn add_to_total(&mut self, page: PageSummary) {
        let total = &mut self.total;
        total.rows += page.rows;
        for (total, count) in total.counts.iter_mut().zip(&page.counts) {
            *total += count;
        }
        if let Some(bytes) = page.string_bytes {
            *total.string_bytes.get_or_insert_default() += bytes;
        }
        let Some(bounds) = page.bounds else {
            return;
        };
        match &mut total.bounds {
            Some(total) => total.widen(&bounds),
            None => total.bounds = Some(bounds.clone()),
        }
        if let Some(last) = &self.last {
            self.is_ascending &= last.least <= bounds.least && last.greatest <= bounds.greatest;
            self.is_descending &= last.least >= bounds.least && last.greatest >= bounds.greatest;
        }
        self.last = Some(bounds);
    }

    fn statistics(&self) -> Statistics {
        let nulls = Some(self.total.entries().1 as u64);
        match self.total.bounds.clone() {
            Some(ValueBounds {
                least: Bound::String(least),
                greatest: Bound::String(greatest),
            }) => {
                let (least, is_least) = cut_least(&least, self.is_text());
                let (greatest, is_greatest) = cut_greatest(&greatest, self.is_text());
                let (least, greatest) = (Some(least.into()), Some(greatest.into()));
                let statistics = ValueStatistics::new(least, greatest, None, nulls, false)
                    .with_min_is_exact(is_least)
                    .with_max_is_exact(is_greatest);
                Statistics::ByteArray(statistics)
            }
            Some(ValueBounds {
                least: Bound::Number(least),
                greatest: Bound::Number(greatest),
            }) => {
                let bounds = ValueStatistics::new(Some(least), Some(greatest), None, nulls, false);
                Statistics::Int64(bounds.with_backwards_compatible_min_max(true))
            }
            _ if self.total.string_bytes.is_none() => {
                let bounds = ValueStatistics::new(None, None, None, nulls, false);
                Statistics::Int64(bounds.with_backwards_compatible_min_max(true))
            }
            _ => Statistics::ByteArray(ValueStatistics::new(None, None, None, nulls, false)),
        }
    }

    /// Returns the column as the file has it, with the dictionary of so many values, if it has one.
    pub(super) fn finish(mut self, dictionary: Option<(&[u8], usize)>) -> Result<ClosedChunk> {
        let mut dictionary_page = TrackedWrite::new(Vec::new());
        let mut encodings = vec![Encoding::RLE, self.encoding];
        let mut page_counts = Vec::new();
        if let Some((body, count)) = dictionary {
            let page = Page::DictionaryPage {
                buf: self.compressed(body)?,
                num_values: count as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            let page = CompressedPage::new(page, body.len());
            let written = SerializedPageWriter::new(&mut dictionary_page).write_page(page)?;
            self.uncompressed += written.uncompressed_size;
            encodings.push(Encoding::PLAIN);
            page_counts.push(PageEncodingStats {
                page_type: PageType::DICTIONARY_PAGE,
                encoding: Encoding::PLAIN,
                count: 1,
            });
        }
        page_counts.push(PageEncodingStats {
            page_type: PageType::DATA_PAGE,
            encoding: self.encoding,
            count: self.page_count as i32,
        });
        let statistics = self.statistics();
        let [repetition, definition] = self.total.histograms(&self.descriptor);
        let dictionary = dictionary_page.into_inner()?;
        let pages = self.pages.into_inner()?;
        let length = dictionary.len() + pages.len();
        let metadata = ColumnChunkMetaData::builder(self.descriptor)
            .set_compression(Compression::SNAPPY)
            .set_encodings(encodings)
            .set_page_encoding_stats(page_counts)
            .set_total_compressed_size(length as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_num_values(self.total.entries().0 as i64)
            .set_statistics(statistics)
            .set_unencoded_byte_array_data_bytes(self.total.string_bytes.map(|bytes| bytes as i64))
            .set_repetition_level_histogram(repetition)
            .set_definition_level_histogram(definition)
            .build()?;
        let order = match (self.is_ascending, self.is_descending) {
            (true, _) => BoundaryOrder::ASCENDING,
            (false, true) => BoundaryOrder::DESCENDING,
            (false, false) => BoundaryOrder::UNORDERED,
        };
        self.column_index.set_boundary_order(order);
        let closed = ColumnCloseResult {
            bytes_written: length as u64,
            rows_written: self.total.rows as u64,
            metadata,
            bloom_filter: None,
            column_index: Some(self.column_index.build()?),
            offset_index: Some(self.offset_index.build()),
        };
        Ok(ClosedChunk {
            closed: closed.update_dictionary_location(dictionary.len())?,
            dictionary,
            pages,
        })
    }
}
