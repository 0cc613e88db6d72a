//! The structure of a PDF file (ISO 32000-2, section 7.5): cross references, objects and object streams.
//!
//! INVARIANT: no function recurses along the references of objects. Bytes read are charged to a budget of
//! steps, unpacked bytes to a budget of space: time is linear in the length of the file.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;

use super::lexer;
use super::stream::{FlateParameters, inflate};
use crate::bytes::pattern::Pattern;
use crate::bytes::steps::step;
use crate::document::diagnostic::{self, Code};

/// An object, a reference, or a name's or an index's value: the place of its first token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PdfValue {
    /// 0 for the file; else the number of an unpacked stream, from 1.
    source: u32,
    at: usize,
}

/// The place in a dictionary or an array from which the next item is read.
pub(super) type PdfCursor = PdfValue;

/// The values of keys of a dictionary.
type PdfFields<const N: usize> = Option<[Option<PdfValue>; N]>;

pub(super) struct PdfString {
    pub(super) bytes: Vec<u8>,
    /// The bytes of the file from which it was read: the string's, or the data of its stream.
    pub(super) range: Range<usize>,
    pub(super) is_packed: bool,
}

/// The place of an object.
#[derive(Clone, Copy, Debug)]
enum ObjectPlace {
    /// Its header is at an index of the file.
    At(usize),
    /// It is in the object stream with a number.
    In(u32),
    /// It is deleted.
    Free,
}

/// The places of objects by their numbers.
type ObjectIndex = HashMap<u32, ObjectPlace>;

#[derive(Debug)]
struct UnpackedStream {
    bytes: Vec<u8>,
    /// The data in the file.
    packed: Range<usize>,
    /// The numbers of the objects and their places, in order.
    objects: Vec<(u32, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct PdfFile<'a> {
    bytes: &'a [u8],
    /// The entries of the cross references, from which the index is made.
    entries: Vec<(u32, ObjectPlace)>,
    /// Empty while the cross references are read.
    index: ObjectIndex,
    /// The objects that a search of the whole file has found.
    searched: Option<ObjectIndex>,
    unpacked: Vec<UnpackedStream>,
    /// The number in `unpacked` of each object stream, from 1; `None` if it cannot be read.
    streams: HashMap<u32, Option<u32>>,
    root: Option<PdfValue>,
    pub(super) is_encrypted: bool,
    /// The bytes of tokens that may still be read.
    steps: usize,
    /// The bytes that may still be unpacked.
    space: usize,
    /// The entries that indices may still have.
    room: usize,
    /// The faults so far, each with the index of its first occurrence.
    pub(super) faults: Vec<(&'static Code, usize)>,
}

/// The number of times that each byte may be read as a token: for looking up an object, its keys, and
/// their values.
const READINGS: usize = 16;
/// The cost in steps of looking up an object.
const LOOKUP: usize = 64;
/// The most references in a chain.
const HOPS: usize = 32;

impl<'a> PdfFile<'a> {
    /// Reads the cross references of a file; its streams may unpack to `space` bytes in all.
    pub(super) fn open(bytes: &'a [u8], space: usize) -> Self {
        let mut file = PdfFile {
            bytes,
            steps: bytes.len().saturating_mul(READINGS).saturating_add(1 << 16),
            space,
            // No object takes fewer bytes, packed ones with their cross references included.
            room: bytes.len() / 4 + (1 << 16),
            ..PdfFile::default()
        };
        let is_whole = file.read_cross_references().is_some();
        // Of several entries with a number the first one is used.
        file.index = std::mem::take(&mut file.entries)
            .into_iter()
            .rev()
            .collect();
        if !is_whole || !file.is_encrypted && file.catalog().is_none() {
            file.index = ObjectIndex::default();
            // Objects that could not be read were searched in the wrong place.
            file.streams.retain(|_, source| source.is_some());
            file.faults
                .retain(|(fault, _)| *fault == &diagnostic::PDF_LIMIT);
            file.fault(&diagnostic::PDF_XREF_REBUILT, 0);
            (file.root, file.is_encrypted) = (None, false);
            file.index = file.search();
            file.root = file.root.or_else(|| file.found_catalog());
        }
        file
    }

    /// Returns the catalog, the root of all other objects.
    pub(super) fn catalog(&mut self) -> Option<PdfValue> {
        let root = self.root?;
        self.dictionary(root)?;
        self.resolve(root)
    }

    /// Notes a fault, the first of each kind.
    fn fault(&mut self, fault: &'static Code, at: usize) {
        if !self.faults.iter().any(|(known, _)| *known == fault) {
            self.faults.push((fault, at));
        }
    }

    /// Notes that a value has no end, or is of another kind than expected.
    pub(super) fn damage(&mut self, value: PdfValue) {
        let packed = (self.stream(value.source)).map(|stream| stream.packed.start);
        // A search also reads bytes that are not objects.
        if !self.index.is_empty() {
            self.fault(&diagnostic::PDF_DAMAGED, packed.unwrap_or(value.at));
        }
    }

    /// Charges steps; `None` if too few are left.
    fn charge(&mut self, steps: usize) -> Option<()> {
        step(steps);
        let left = self.steps.checked_sub(steps);
        self.steps = left.unwrap_or(0);
        if left.is_none() {
            self.fault(&diagnostic::PDF_LIMIT, 0);
        }
        left.map(drop)
    }

    /// Returns the unpacked stream that a source is; `None` for the file.
    fn stream(&self, source: u32) -> Option<&UnpackedStream> {
        self.unpacked.get(source.checked_sub(1)? as usize)
    }

    fn source(&self, source: u32) -> &[u8] {
        (self.stream(source)).map_or(self.bytes, |stream| &stream.bytes)
    }

    fn rest(&self, value: PdfValue) -> &[u8] {
        (self.source(value.source).get(value.at..)).unwrap_or_default()
    }

    /// Returns the value after blanks at an index, and charges for it.
    fn value_at(&mut self, source: u32, at: usize) -> Option<PdfValue> {
        // Stops when the budget is spent: the search must not continue.
        self.charge(1)?;
        let start = lexer::skip_blank(self.source(source), at);
        self.charge(start - at)?;
        Some(PdfValue { source, at: start })
    }

    /// Returns the index after a value, and charges for it.
    fn end(&mut self, value: PdfValue) -> Option<usize> {
        self.charge(1)?;
        let bytes = self.source(value.source);
        let end = lexer::value_end(bytes, value.at);
        let length = end.unwrap_or(bytes.len()).saturating_sub(value.at);
        let contents = &self.rest(value)[..length];
        // A string in which an object ends and the next one begins has lost its end.
        let ends_object = |at| {
            let next = lexer::skip_blank(contents, at + "endobj".len());
            lexer::header(contents, next).is_some()
        };
        let has_end = end.is_some()
            && !(contents.starts_with(b"(")
                && memmem::find_iter(contents, b"endobj").any(ends_object));
        self.charge(length)?;
        if !has_end {
            self.damage(value);
        }
        end
    }

    /// Follows references to an object.
    pub(super) fn resolve(&mut self, mut value: PdfValue) -> Option<PdfValue> {
        for _ in 0..HOPS {
            match lexer::reference(self.source(value.source), value.at) {
                Some((number, _)) => value = self.object(number)?,
                None => return Some(value),
            }
        }
        None
    }

    /// Returns the number of the object that a reference names.
    pub(super) fn reference(&self, value: PdfValue) -> Option<u32> {
        lexer::reference(self.source(value.source), value.at).map(|(number, _)| number)
    }

    pub(super) fn dictionary(&mut self, value: PdfValue) -> Option<PdfCursor> {
        let value = self.resolve(value)?;
        self.cursor(value, "<<")
    }

    pub(super) fn array(&mut self, value: PdfValue) -> Option<PdfCursor> {
        let value = self.resolve(value)?;
        self.cursor(value, "[")
    }

    /// Returns the cursor after the mark with which a dictionary or an array begins.
    fn cursor(&self, value: PdfValue, mark: &str) -> Option<PdfCursor> {
        let at = value.at + mark.len();
        let begins = self.rest(value).starts_with(mark.as_bytes());
        begins.then_some(PdfValue { at, ..value })
    }

    pub(super) fn next_item(&mut self, cursor: &mut PdfCursor) -> Option<PdfValue> {
        let value = self.value_at(cursor.source, cursor.at)?;
        let rest = self.rest(value);
        if rest.is_empty() || rest.starts_with(b"endobj") {
            self.damage(value);
            return None;
        }
        if [&b"]"[..], b">>"].iter().any(|end| rest.starts_with(end)) {
            return None;
        }
        // A value without an end may hold whole ones before the damage.
        let end = self.end(value);
        cursor.at = end.unwrap_or(self.source(cursor.source).len());
        Some(value)
    }

    /// Returns the next key of a dictionary, raw, and its value.
    pub(super) fn next_entry(&mut self, from: &mut PdfCursor) -> Option<(Range<usize>, PdfValue)> {
        loop {
            let key = self.next_item(from)?;
            // Skips items that are not keys.
            if self.rest(key).starts_with(b"/") {
                let name = key.at + 1..from.at;
                let value = self.next_item(from)?;
                return Some((name, value));
            }
        }
    }

    /// Returns the values of keys of a dictionary; of repeated keys the first.
    pub(super) fn fields<const N: usize>(&mut self, of: PdfValue, keys: [&str; N]) -> PdfFields<N> {
        let mut cursor = self.dictionary(of)?;
        let mut found = [None; N];
        while let Some((name, value)) = self.next_entry(&mut cursor) {
            let name = lexer::name(&self.source(cursor.source)[name]);
            if let Some(at) = keys.iter().position(|key| key.as_bytes() == &*name) {
                found[at].get_or_insert(value);
            }
        }
        Some(found)
    }

    /// Returns a name, `#xx` replaced.
    pub(super) fn name(&mut self, value: PdfValue) -> Option<Vec<u8>> {
        let value = self.resolve(value)?;
        let is_name = self.rest(value).starts_with(b"/");
        let end = is_name.then(|| self.end(value))??;
        let raw = &self.source(value.source)[value.at + 1..end];
        Some(lexer::name(raw).into_owned())
    }

    /// Returns the raw bytes of a key.
    pub(super) fn key(&self, cursor: PdfCursor, name: Range<usize>) -> Vec<u8> {
        lexer::name(&self.source(cursor.source)[name]).into_owned()
    }

    pub(super) fn string(&mut self, value: PdfValue) -> Option<PdfString> {
        let value = self.resolve(value)?;
        let rest = self.rest(value);
        let is_string =
            rest.starts_with(b"(") || rest.starts_with(b"<") && !rest.starts_with(b"<<");
        let end = is_string.then(|| self.end(value))??;
        let stream = self.stream(value.source);
        Some(PdfString {
            bytes: lexer::string(&self.source(value.source)[value.at..end]),
            range: stream.map_or(value.at..end, |stream| stream.packed.clone()),
            is_packed: stream.is_some(),
        })
    }

    /// Returns an integer that is not negative.
    pub(super) fn number(&mut self, value: PdfValue) -> Option<u64> {
        let value = self.resolve(value)?;
        self.number_at(value)
    }

    fn number_at(&self, value: PdfValue) -> Option<u64> {
        lexer::digits(self.source(value.source), value.at).map(|(number, _)| number)
    }

    /// Follows a reference to an object that is not in a stream.
    fn unpacked_value(&mut self, value: PdfValue) -> Option<PdfValue> {
        let Some(number) = self.reference(value) else {
            return Some(value);
        };
        match self.place(number)? {
            ObjectPlace::At(at) => self.value_at(0, at),
            _ => None,
        }
    }

    /// Returns an integer that is not negative, without unpacking a stream, for a stream's own values.
    fn plain_number(&mut self, value: PdfValue) -> Option<usize> {
        let value = self.unpacked_value(value)?;
        usize::try_from(self.number_at(value)?).ok()
    }

    fn object(&mut self, number: u32) -> Option<PdfValue> {
        self.charge(LOOKUP)?;
        match self.place(number)? {
            ObjectPlace::At(at) => self.value_at(0, at),
            ObjectPlace::In(stream) => {
                let source = self.unpack(stream)?;
                let objects = &self.stream(source)?.objects;
                let found = objects.binary_search_by_key(&number, |(number, _)| *number);
                let at = objects[found.ok()?].1 as usize;
                self.value_at(source, at)
            }
            ObjectPlace::Free => None,
        }
    }

    /// Returns the index after the header of an object, or the stream that holds it; searches the file for
    /// the object where the cross references are wrong.
    fn place(&mut self, number: u32) -> Option<ObjectPlace> {
        let place = *self.index.get(&number)?;
        let ObjectPlace::At(at) = place else {
            return Some(place);
        };
        if let Some(at) = self.after_header(number, at) {
            return Some(ObjectPlace::At(at));
        }
        if self.searched.is_none() {
            self.fault(&diagnostic::PDF_XREF_REBUILT, at);
            let (root, is_encrypted) = (self.root, self.is_encrypted);
            let entries = std::mem::take(&mut self.entries);
            let found = self.search();
            self.entries = entries;
            (self.root, self.is_encrypted) = (root, is_encrypted);
            self.searched = Some(found);
        }
        match *self.searched.as_ref()?.get(&number)? {
            ObjectPlace::At(at) => self.after_header(number, at).map(ObjectPlace::At),
            place => Some(place),
        }
    }

    /// Returns the index after the header of an object that should be at an index.
    fn after_header(&mut self, number: u32, at: usize) -> Option<usize> {
        let header = self.value_at(0, at)?;
        let (found, end) = lexer::header(self.bytes, header.at)?;
        (found == number).then_some(end)
    }

    /// Unpacks an object stream; returns its number as a source.
    fn unpack(&mut self, stream: u32) -> Option<u32> {
        if let Some(&known) = self.streams.get(&stream) {
            return known;
        }
        // An object stream is not in another one (section 7.5.7).
        let source = match self.place(stream) {
            Some(ObjectPlace::At(at)) => self.value_at(0, at),
            _ => None,
        };
        let source = source.and_then(|stream| self.unpack_at(stream));
        if source.is_none() {
            self.fault(&diagnostic::PDF_DAMAGED, 0);
        }
        self.streams.insert(stream, source);
        source
    }

    fn unpack_at(&mut self, stream: PdfValue) -> Option<u32> {
        let [count, first] = self.fields(stream, ["N", "First"])?;
        let first = self.plain_number(first?)?;
        let count = self.plain_number(count?)?;
        let (bytes, packed) = self.decode(stream)?;
        let mut objects = Vec::new();
        let head = bytes.get(..first)?;
        let mut at = 0;
        // Each object has two numbers.
        while objects.len() < count.min(first / 2)
            && let Some((number, end)) = lexer::number(head, at)
            && let Some((offset, end)) = lexer::number(head, end)
        {
            at = end;
            let offset = first.checked_add(usize::try_from(offset).unwrap_or(usize::MAX));
            objects.push((u32::try_from(number).ok()?, u32::try_from(offset?).ok()?));
        }
        objects.sort_by_key(|(number, _)| *number);
        self.unpacked.push(UnpackedStream {
            bytes,
            packed,
            objects,
        });
        u32::try_from(self.unpacked.len()).ok()
    }

    /// Returns the range of the data of a stream whose dictionary is a value.
    fn data(&mut self, stream: PdfValue, length: Option<PdfValue>) -> Option<Range<usize>> {
        let end = self.end(stream)?;
        let keyword = self.value_at(0, end)?;
        let start = keyword.at + lexer::STREAM.find(self.rest(keyword))?.len();
        let length = length.and_then(|length| self.plain_number(length));
        let end = length.and_then(|length| start.checked_add(length));
        let rest = |end: usize| self.bytes.get(end..).unwrap_or_default();
        if let Some(end) = end.filter(|&end| lexer::END_STREAM.is_match(rest(end))) {
            return Some(start..end);
        }
        let rest = &self.bytes[start.min(self.bytes.len())..];
        let length = memmem::find(rest, b"endstream").unwrap_or(rest.len());
        self.charge(length)?;
        Some(start..start + length)
    }

    /// Returns the contents of a stream, and the range of its data.
    fn decode(&mut self, stream: PdfValue) -> Option<(Vec<u8>, Range<usize>)> {
        let [length, filter, parameters] =
            self.fields(stream, ["Length", "Filter", "DecodeParms"])?;
        let packed = self.data(stream, length)?;
        let data = &self.bytes[packed.clone()];
        let (bytes, fault) = match filter {
            None => {
                let most = data.len().min(self.space);
                let fault = (most < data.len()).then_some(&diagnostic::PDF_LIMIT);
                (data[..most].to_vec(), fault)
            }
            Some(filter) => {
                let filter = self.only(filter)?;
                if !matches!(&*self.plain_name(filter)?, b"FlateDecode" | b"Fl") {
                    self.fault(&diagnostic::PDF_DAMAGED, packed.start);
                    return None;
                }
                let parameters = parameters.and_then(|parameters| self.only(parameters));
                inflate(data, self.flate_parameters(parameters), self.space)
            }
        };
        if let Some(fault) = fault {
            self.fault(fault, packed.start);
        }
        self.space -= bytes.len().min(self.space);
        let steps = bytes.len().saturating_mul(READINGS);
        self.steps = self.steps.saturating_add(steps);
        Some((bytes, packed))
    }

    /// Returns the only item of an array, or another value itself.
    fn only(&mut self, value: PdfValue) -> Option<PdfValue> {
        let value = self.unpacked_value(value)?;
        let Some(mut items) = self.cursor(value, "[") else {
            return Some(value);
        };
        let first = self.next_item(&mut items)?;
        self.next_item(&mut items).is_none().then_some(first)
    }

    fn plain_name(&mut self, value: PdfValue) -> Option<Vec<u8>> {
        self.reference(value).is_none().then(|| self.name(value))?
    }

    /// Returns parameters that are given, with defaults for others.
    fn flate_parameters(&mut self, value: Option<PdfValue>) -> FlateParameters {
        let keys = ["Predictor", "Colors", "BitsPerComponent", "Columns"];
        let value = value.filter(|&value| self.reference(value).is_none());
        let fields = value.and_then(|value| self.fields(value, keys));
        let fields = fields.unwrap_or_default();
        let [predictor, colors, bits, columns] =
            fields.map(|field| field.and_then(|field| self.plain_number(field)));
        FlateParameters {
            predictor: predictor.unwrap_or(1),
            colors: colors.unwrap_or(1),
            bits: bits.unwrap_or(8),
            columns: columns.unwrap_or(1),
        }
    }
}

impl PdfFile<'_> {
    /// Reads all sections of the cross references, the newest first; `None` if one is damaged.
    fn read_cross_references(&mut self) -> Option<()> {
        let end = memmem::rfind(self.bytes, b"startxref")?;
        let (start, _) = lexer::number(self.bytes, end + b"startxref".len())?;
        // An update after it has lost its own.
        let rest = &self.bytes[end..];
        if memmem::find_iter(rest, b"obj").any(|at| header_before(&rest[..at]).is_some()) {
            return None;
        }
        let mut waiting = vec![start];
        let mut seen = HashSet::new();
        while let Some(start) = waiting.pop() {
            if !seen.insert(start) {
                continue;
            }
            let at = lexer::skip_blank(self.bytes, usize::try_from(start).ok()?);
            let previous = if self.bytes.get(at..)?.starts_with(b"xref") {
                self.read_table(at + b"xref".len(), &mut seen)?
            } else {
                self.read_section(at)?
            };
            waiting.extend(previous);
        }
        self.root.map(|_| ())
    }

    /// Adds an entry to the index that is made next.
    fn add(&mut self, number: u32, place: ObjectPlace) -> Option<()> {
        let Some(left) = self.room.checked_sub(1) else {
            self.fault(&diagnostic::PDF_LIMIT, 0);
            return None;
        };
        self.room = left;
        self.entries.push((number, place));
        Some(())
    }

    /// Reads a table and its trailer (section 7.5.4); returns the place of the section before it.
    fn read_table(&mut self, mut at: usize, seen: &mut HashSet<u64>) -> Option<Option<u64>> {
        let from = at;
        let mut free = Vec::new();
        loop {
            at = lexer::skip_blank(self.bytes, at);
            if self.bytes.get(at..)?.starts_with(b"trailer") {
                break;
            }
            let (first, end) = lexer::digits(self.bytes, at)?;
            let (count, end) = lexer::number(self.bytes, end)?;
            at = end;
            for number in first..first.checked_add(count)? {
                let (place, end) = lexer::number(self.bytes, at)?;
                let (_, end) = lexer::number(self.bytes, end)?;
                at = lexer::skip_blank(self.bytes, end);
                let number = u32::try_from(number).ok()?;
                match self.bytes.get(at)? {
                    b'n' => self.add(number, ObjectPlace::At(usize::try_from(place).ok()?))?,
                    b'f' => free.push(number),
                    _ => return None,
                }
                at += 1;
            }
        }
        self.charge(at - from)?;
        let at = lexer::skip_blank(self.bytes, at + b"trailer".len());
        let trailer = PdfValue { source: 0, at };
        let [previous, hybrid] = self.read_trailer(trailer, ["Prev", "XRefStm"])?;
        // The stream of a hybrid file has the objects that its table calls free (section 7.5.8.4).
        if let Some(hybrid) = hybrid.filter(|&hybrid| seen.insert(hybrid)) {
            let at = lexer::skip_blank(self.bytes, usize::try_from(hybrid).ok()?);
            self.read_section(at)?;
        }
        for number in free {
            self.add(number, ObjectPlace::Free)?;
        }
        Some(previous)
    }

    /// Takes the root from the newest trailer, and returns the numbers of two keys.
    fn read_trailer(&mut self, trailer: PdfValue, keys: [&str; 2]) -> Option<[Option<u64>; 2]> {
        let [first, second] = keys;
        let [root, encrypt, first, second] =
            self.fields(trailer, ["Root", "Encrypt", first, second])?;
        self.is_encrypted |=
            encrypt.is_some_and(|encrypt| !self.rest(encrypt).starts_with(b"null"));
        self.root = self.root.or(root);
        let number = |value: Option<PdfValue>| value.and_then(|value| self.number_at(value));
        Some([number(first), number(second)])
    }

    /// Reads a cross-reference stream (section 7.5.8); returns the place of the section before it.
    fn read_section(&mut self, at: usize) -> Option<Option<u64>> {
        let (_, at) = lexer::header(self.bytes, at)?;
        let at = lexer::skip_blank(self.bytes, at);
        let stream = PdfValue { source: 0, at };
        let [previous, size] = self.read_trailer(stream, ["Prev", "Size"])?;
        let [widths, index] = self.fields(stream, ["W", "Index"])?;
        let mut widths = self.array(widths?)?;
        let mut width = [0; 3];
        for width in &mut width {
            let value = self.next_item(&mut widths)?;
            *width = self.plain_number(value).filter(|&width| width <= 8)?;
        }
        let mut sections = Vec::new();
        match index {
            None => sections.push((0, size?)),
            Some(index) => {
                let mut items = self.array(index)?;
                while let Some(first) = self.next_item(&mut items) {
                    let count = self.next_item(&mut items)?;
                    sections.push((self.number_at(first)?, self.number_at(count)?));
                }
            }
        }
        let (bytes, _) = self.decode(stream)?;
        let length: usize = width.iter().sum();
        if length == 0 {
            return None;
        }
        let mut rows = bytes.chunks_exact(length);
        for (first, count) in sections {
            for (number, row) in (first..first.checked_add(count)?).zip(&mut rows) {
                let (kind, row) = row.split_at(width[0]);
                // The third field is a generation, or an index by which objects are not looked up.
                let second = big_endian(&row[..width[1]]);
                let number = u32::try_from(number).ok()?;
                // The type is 1 if its field has no bytes.
                let place = match if width[0] == 0 { 1 } else { big_endian(kind) } {
                    0 => ObjectPlace::Free,
                    1 => ObjectPlace::At(usize::try_from(second).ok()?),
                    2 => ObjectPlace::In(u32::try_from(second).ok()?),
                    // Other types are null objects.
                    _ => continue,
                };
                self.add(number, place)?;
            }
        }
        Some(previous)
    }

    /// Searches the file for objects and trailers; of objects with one number the last one is used.
    fn search(&mut self) -> ObjectIndex {
        let finder = memmem::Finder::new(b"obj");
        let (mut at, mut from) = (0, 0);
        let (mut trailer_root, mut stream_root) = (None, None);
        while let Some(next) = finder.find(&self.bytes[at..]) {
            let keyword = at + next;
            at = keyword + 3;
            let Some((number, start)) = header_before(&self.bytes[from..keyword]) else {
                continue;
            };
            trailer_root = self.trailers(from..from + start).or(trailer_root);
            if self.add(number, ObjectPlace::At(from + start)).is_none() {
                break;
            }
            from = at;
            let Some(value) = self.value_at(0, at) else {
                continue;
            };
            let Some([kind, length]) = self.fields_here(value, ["Type", "Length"]) else {
                continue;
            };
            let kind = kind.and_then(|kind| self.plain_name(kind));
            match kind.as_deref().unwrap_or_default() {
                b"XRef" => stream_root = self.read_found_trailer(value).or(stream_root),
                b"ObjStm" => {
                    let known = self.streams.get(&number).copied().flatten();
                    if let Some(source) = known.or_else(|| self.unpack_at(value)) {
                        self.streams.insert(number, Some(source));
                        let objects = self.stream(source).map(|stream| stream.objects.clone());
                        let mut objects = objects.unwrap_or_default().into_iter();
                        // Stops at the limit of entries, which is reported.
                        let _ = objects
                            .try_for_each(|(object, _)| self.add(object, ObjectPlace::In(number)));
                    } else {
                        self.fault(&diagnostic::PDF_DAMAGED, value.at);
                    }
                }
                _ => {}
            }
            // The contents of a stream are not objects of the file.
            let length = length.filter(|length| self.reference(*length).is_none());
            if let Some(data) = self.data(value, length) {
                (at, from) = (data.end, data.end);
            }
        }
        trailer_root = self.trailers(from..self.bytes.len()).or(trailer_root);
        self.root = trailer_root.or(stream_root);
        std::mem::take(&mut self.entries).into_iter().collect()
    }

    /// Returns whether the file was searched for its objects.
    pub(super) fn is_rebuilt(&self) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|(fault, _)| *fault == &diagnostic::PDF_XREF_REBUILT)
    }

    /// Returns all objects in the order of their numbers.
    pub(super) fn objects(&mut self) -> Vec<PdfValue> {
        let mut numbers: Vec<u32> = self.index.keys().copied().collect();
        numbers.sort_unstable();
        numbers
            .into_iter()
            .filter_map(|number| self.object(number))
            .collect()
    }

    /// Returns the last catalog, for a file that was cut.
    fn found_catalog(&mut self) -> Option<PdfValue> {
        let known = self.faults.len();
        let mut objects = self.objects().into_iter().rev();
        let catalog = objects.find(|&object| {
            let kind = self.fields_here(object, ["Type"]).and_then(|[kind]| kind);
            kind.and_then(|kind| self.plain_name(kind)).as_deref() == Some(b"Catalog")
        });
        // Objects of other kinds may be damaged.
        self.faults.truncate(known);
        catalog
    }

    /// Returns the fields of a dictionary at a value itself, not a reference to one.
    fn fields_here<const N: usize>(&mut self, value: PdfValue, keys: [&str; N]) -> PdfFields<N> {
        let is_dictionary = self.rest(value).starts_with(b"<<");
        is_dictionary.then(|| self.fields(value, keys))?
    }

    /// Returns the root that the last trailer in a range names.
    fn trailers(&mut self, range: Range<usize>) -> Option<PdfValue> {
        let mut root = None;
        let mut at = range.start;
        while let Some(next) = memmem::find(&self.bytes[at..range.end], b"trailer") {
            at += next + b"trailer".len();
            let found = self.value_at(0, at);
            let found = found.and_then(|value| self.read_found_trailer(value));
            root = found.or(root);
        }
        root
    }

    fn read_found_trailer(&mut self, value: PdfValue) -> Option<PdfValue> {
        let [root, encrypt] = self.fields_here(value, ["Root", "Encrypt"])?;
        self.is_encrypted |= encrypt.is_some();
        // The trailer may be cut in the reference.
        root.filter(|&root| self.reference(root).is_some())
    }
}

/// `12 0 ` at the end of some bytes; the group is the number.
static HEADER: Pattern = Pattern::new(
    r"(?:^|[\x00\t\n\f\r ()<>\[\]{}/%])([0-9]{1,10})[\x00\t\n\f\r ]{1,10}[0-9]{1,10}[\x00\t\n\f\r ]{1,10}$",
);

/// Reads `12 0 ` at the end of some bytes; returns the number and the index at which it begins.
fn header_before(bytes: &[u8]) -> Option<(u32, usize)> {
    /// More bytes than a header takes.
    const NEAR: usize = 64;
    let start = bytes.len().saturating_sub(NEAR);
    let [_, number] = HEADER.group_at(&bytes[start..], 0)?;
    let (value, _) = lexer::digits(bytes, start + number.start)?;
    Some((u32::try_from(value).ok()?, start + number.start))
}

fn big_endian(bytes: &[u8]) -> u64 {
    let push = |number, byte: &u8| number << 8 | u64::from(*byte);
    bytes.iter().fold(0, push)
}
