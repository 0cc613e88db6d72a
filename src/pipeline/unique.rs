//! Each target once: keys that workers compute, and the set that the writer keeps.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

/// Tells targets apart by 128 bits, so that memory does not grow with their length.
///
/// The hash is keyed anew for each run: nobody can write two targets that it takes for one.
#[derive(Clone, Debug, Default)]
pub struct Hash {
    high: RandomState,
    low: RandomState,
}

impl Hash {
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

/// The targets that have been written.
#[derive(Debug, Default)]
pub struct Seen {
    keys: HashSet<u128>,
    /// Records that were left out.
    pub repeated: u64,
}

impl Seen {
    /// Appends what is new of a block's output; what belongs to no record stays.
    pub fn push_new(&mut self, output: &[u8], records: &[Keyed], out: &mut Vec<u8>) {
        let mut from = 0;
        for record in records {
            out.extend_from_slice(&output[from..record.range.start]);
            if self.keys.insert(record.key) {
                out.extend_from_slice(&output[record.range.clone()]);
            } else {
                self.repeated += 1;
            }
            from = record.range.end;
        }
        out.extend_from_slice(&output[from..]);
    }
}
