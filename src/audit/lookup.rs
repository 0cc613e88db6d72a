//! Targets that a worker has looked up before.

use std::collections::HashMap;

use super::check::{Checker, Place};
use super::hash::Key;

/// Looks targets up, each once.
#[derive(Debug)]
pub struct Lookups<'a> {
    checker: &'a Checker,
    /// Where targets under a mount lie; the others cost no look at the disk.
    places: HashMap<Box<[u8]>, Place, Key>,
}

impl<'a> Lookups<'a> {
    /// Nothing has been looked up yet.
    pub fn new(checker: &'a Checker, key: Key) -> Self {
        Lookups {
            checker,
            places: HashMap::with_hasher(key),
        }
    }

    /// What is asked.
    pub fn checker(&self) -> &'a Checker {
        self.checker
    }

    /// Where a target without its fragment lies.
    #[inline]
    pub fn place(&mut self, target: &[u8]) -> Place {
        // Whatever the query, it is the same file.
        let target = match memchr::memchr(b'?', target) {
            Some(at) => &target[..at],
            None => target,
        };
        if !self.checker.is_inside(target) {
            return self.checker.place(target);
        }
        if let Some(&place) = self.places.get(target) {
            return place;
        }
        let place = self.checker.place(target);
        self.places.insert(target.into(), place);
        place
    }
}
