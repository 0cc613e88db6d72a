//! Where the bytes of a derived text stood in the text that it was made from.

/// One stretch of the derived text: units of the same length, made from sources of the same length.
#[derive(Clone, Copy, Debug)]
struct Segment {
    derived: u64,
    source: u64,
    /// Derived bytes of a unit, such as those of a character; never 0.
    unit: u32,
    /// Source bytes that a unit is made from.
    step: u32,
}

impl Segment {
    /// The source offset of the unit that holds a derived offset.
    fn start(&self, offset: u64) -> u64 {
        self.source + (offset - self.derived) / u64::from(self.unit) * u64::from(self.step)
    }

    /// The source offset behind the unit that holds the derived byte before `offset`.
    fn end(&self, offset: u64) -> u64 {
        let units = (offset - self.derived).div_ceil(u64::from(self.unit));
        self.source + units * u64::from(self.step)
    }
}

/// A map from offsets of a derived text to offsets of its source, built while the one is made
/// from the other.
#[derive(Debug, Default)]
pub(crate) struct OffsetMap {
    list: Vec<Segment>,
    derived: u64,
    source: u64,
}

impl OffsetMap {
    /// Forgets everything and starts at offset 0 of both.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.derived = 0;
        self.source = 0;
    }

    /// Starts with the source at an offset other than 0.
    pub(crate) fn starting(&mut self, source: u64) {
        self.clear();
        self.source = source;
    }

    /// `n` derived bytes, each made from `step` source bytes.
    pub(crate) fn run(&mut self, n: usize, step: u32) {
        self.stretch(1, step);
        self.derived += n as u64;
        self.source += n as u64 * u64::from(step);
    }

    /// `derived` bytes made from `source` bytes as a whole, such as a character.
    pub(crate) fn put(&mut self, derived: usize, source: usize) {
        if derived > 0 {
            self.stretch(derived as u32, source as u32);
        }
        self.derived += derived as u64;
        self.source += source as u64;
    }

    /// `n` source bytes that left nothing.
    pub(crate) fn skip(&mut self, n: usize) {
        self.source += n as u64;
    }

    /// Goes on with the last segment, or begins another. Neighbours that are alike share one: the map
    /// of a text of characters of one length is short.
    fn stretch(&mut self, unit: u32, step: u32) {
        let goes_on = self.list.last().is_some_and(|last| {
            (last.unit, last.step) == (unit, step) && last.end(self.derived) == self.source
        });
        if !goes_on {
            self.list.push(Segment {
                derived: self.derived,
                source: self.source,
                unit,
                step,
            });
        }
    }

    /// The source offset of the derived byte at `offset`.
    pub(crate) fn start(&self, offset: u64) -> u64 {
        if offset >= self.derived {
            return self.source;
        }
        match self.segment(offset) {
            Some(index) => self.list[index].start(offset),
            None => self.source,
        }
    }

    /// The source offset behind what the derived byte before `offset` was made from.
    pub(crate) fn end(&self, offset: u64) -> u64 {
        let Some(last) = offset.checked_sub(1) else {
            return self.start(0);
        };
        match self.segment(last) {
            Some(index) => self.list[index].end(offset),
            None => self.start(offset),
        }
    }

    fn segment(&self, offset: u64) -> Option<usize> {
        self.list
            .partition_point(|segment| segment.derived <= offset)
            .checked_sub(1)
    }

    /// Forgets what lies before a derived offset that is not asked for again.
    pub(crate) fn forget(&mut self, before: u64) {
        if self.list.len() > 4096
            && let Some(index) = self.segment(before)
        {
            self.list.drain(..index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_go_back_to_where_they_came_from() {
        // Source: "ab\r\n cd" with the fold removed, then one character of three bytes made two.
        let mut map = OffsetMap::default();
        map.run(2, 1);
        map.skip(3);
        map.run(2, 1);
        map.put(2, 3);
        map.run(1, 2);
        let starts: Vec<u64> = (0..8).map(|offset| map.start(offset)).collect();
        assert_eq!(starts, [0, 1, 5, 6, 7, 7, 10, 12]);
        let ends: Vec<u64> = (0..8).map(|offset| map.end(offset)).collect();
        assert_eq!(ends, [0, 1, 2, 6, 7, 10, 10, 12]);
    }

    #[test]
    fn characters_of_one_length_share_a_segment() {
        let mut map = OffsetMap::default();
        for _ in 0..1000 {
            map.put(2, 1);
        }
        map.skip(3);
        map.put(2, 1);
        assert_eq!(map.list.len(), 2);
        assert_eq!((map.start(10), map.start(11), map.end(11)), (5, 5, 6));
        assert_eq!((map.end(2000), map.start(2000)), (1000, 1003));
    }
}
