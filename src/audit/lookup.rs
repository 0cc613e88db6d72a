//! Targets that a worker has looked up before.

use std::collections::HashMap;

use super::check::{TargetChecker, TargetLocation};
use super::hash::HashKey;

/// A worker remembers this many targets.
const REMEMBERED: usize = 1 << 16;

/// Looks targets up, and remembers where the last ones lie.
#[derive(Debug)]
pub struct LookupCache<'a> {
    checker: &'a TargetChecker,
    /// Where targets under a mount lie, by their hashes; the others cost no look at the disk.
    places: HashMap<u64, TargetLocation>,
    key: HashKey,
}

impl<'a> LookupCache<'a> {
    /// Nothing has been looked up yet.
    pub fn new(checker: &'a TargetChecker, key: HashKey) -> Self {
        LookupCache {
            checker,
            places: HashMap::new(),
            key,
        }
    }

    /// What is asked.
    pub fn checker(&self) -> &'a TargetChecker {
        self.checker
    }

    /// Where a target without its fragment lies.
    #[inline]
    pub fn place(&mut self, target: &[u8]) -> TargetLocation {
        // Whatever the query, it is the same file.
        let target = match memchr::memchr(b'?', target) {
            Some(at) => &target[..at],
            None => target,
        };
        if !self.checker.is_inside(target) {
            return self.checker.place(target);
        }
        let hash = self.key.of(target);
        if let Some(&place) = self.places.get(&hash) {
            return place;
        }
        let place = self.checker.place(target);
        if self.places.len() == REMEMBERED {
            self.places.clear();
        }
        self.places.insert(hash, place);
        place
    }
}
