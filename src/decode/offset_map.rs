//! Maps offsets in a derived text to offsets in the text that it was derived from.

use std::ops::Range;

use super::RecordOffsets;

/// Adjacent units of the same length that come from sources of the same length.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Offset of the first unit in the derived text.
    derived: u64,
    /// Offset of the first unit in the source.
    source: u64,
    /// Derived bytes of a unit, such as a character; never 0.
    unit: u32,
    step: u32,
}

impl Segment {
    /// Returns the source offset of the unit that holds a derived offset.
    fn start(&self, offset: u64) -> u64 {
        self.source + (offset - self.derived) / u64::from(self.unit) * u64::from(self.step)
    }

    /// Returns the source offset after the unit that holds the derived byte before `offset`.
    fn end(&self, offset: u64) -> u64 {
        let units = (offset - self.derived).div_ceil(u64::from(self.unit));
        self.source + units * u64::from(self.step)
    }
}

/// A map from offsets of a derived text to offsets of its source, built while the text is derived.
#[derive(Debug, Default)]
pub(crate) struct OffsetMap {
    segments: Vec<Segment>,
    derived: u64,
    source: u64,
    /// Offset in the source after the last unit.
    mapped: u64,
}

impl RecordOffsets for OffsetMap {
    #[inline]
    fn units(&mut self, count: usize, derived: usize, source: usize) {
        if count > 0 && derived > 0 {
            self.extend(derived as u32, source as u32);
            self.mapped = self.source + (count * source) as u64;
        }
        self.derived += (count * derived) as u64;
        self.source += (count * source) as u64;
    }

    #[inline]
    fn skip(&mut self, n: usize) {
        self.source += n as u64;
    }
}

impl OffsetMap {
    /// Empties the map; the source starts at an offset.
    pub(crate) fn starting(&mut self, source: u64) {
        self.segments.clear();
        self.derived = 0;
        self.source = source;
    }

    pub(crate) fn resume(&mut self, source: u64) {
        self.source = source;
    }

    /// Appends a copy of a range of another text with the same source.
    pub(crate) fn copy_range(&mut self, from: &OffsetMap, range: Range<u64>) {
        let mut at = range.start;
        while let Some(index) = from.segment(at).filter(|_| at < range.end) {
            let segment = from.segments[index];
            let next = from.segments.get(index + 1);
            let end = next.map_or(range.end, |next| next.derived.min(range.end));
            let (unit, step) = (u64::from(segment.unit), segment.step as usize);
            let inside = (at - segment.derived) % unit;
            self.source = segment.start(at);
            // The bytes of a unit that is cut come from all of its source.
            let length = match (end - at) / unit {
                count if inside == 0 && count > 0 => {
                    self.units(count as usize, unit as usize, step);
                    count * unit
                }
                _ => {
                    let length = (unit - inside).min(end - at);
                    self.put(length as usize, step);
                    length
                }
            };
            at += length;
        }
    }

    /// Continues the last segment, or begins another one for units of other lengths.
    #[inline]
    fn extend(&mut self, unit: u32, step: u32) {
        let continues = self.segments.last().is_some_and(|last| {
            (last.unit, last.step) == (unit, step) && self.mapped == self.source
        });
        if !continues {
            self.segments.push(Segment {
                derived: self.derived,
                source: self.source,
                unit,
                step,
            });
        }
    }

    /// Returns the source offset of the derived byte at `offset`.
    pub(crate) fn start(&self, offset: u64) -> u64 {
        let segment = self.segment(offset).filter(|_| offset < self.derived);
        segment.map_or(self.source, |index| self.segments[index].start(offset))
    }

    /// Returns the source offset after the unit that the derived byte before `offset` comes from.
    pub(crate) fn end(&self, offset: u64) -> u64 {
        let Some(last) = offset.checked_sub(1) else {
            return self.start(0);
        };
        match self.segment(last) {
            Some(index) => self.segments[index].end(offset),
            None => self.start(offset),
        }
    }

    fn segment(&self, offset: u64) -> Option<usize> {
        self.segments
            .partition_point(|segment| segment.derived <= offset)
            .checked_sub(1)
    }

    /// Forgets the part before a derived offset, which must not be mapped again.
    pub(crate) fn forget(&mut self, before: u64) {
        // Moving the rest pays only when there is much to drop.
        if let Some(index) = self.segment(before)
            && index > 1024
            && index > self.segments.len() / 2
        {
            self.segments.drain(..index);
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/decode/offset_map.rs"]
mod tests;
