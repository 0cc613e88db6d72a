//! Names by number: each distinct one is stored once.

use std::hash::BuildHasher;

use foldhash::quality::RandomState;
use hashbrown::HashTable;

/// Distinct names, numbered in the order in which they were added: 8 bytes each for its end and at
/// most 10 bytes of the hash table, besides the name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    bytes: Vec<u8>,
    /// The index in `bytes` of the end of each name, where the next one starts.
    ends: Vec<u64>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl Interner {
    pub(crate) fn add(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.get(name) {
            return number;
        }
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len() as u64);
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        let hash = |&number: &u32| hasher.hash_one(name_of(bytes, ends, number));
        let hash_of_name = hasher.hash_one(name);
        self.numbers.insert_unique(hash_of_name, number, hash);
        number
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<u32> {
        let same = |&number: &u32| self.name(number) == name;
        self.numbers.find(self.hash(name), same).copied()
    }

    /// Panics for an unknown number.
    pub(crate) fn name(&self, number: u32) -> &[u8] {
        name_of(&self.bytes, &self.ends, number)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the hash with the seed of these names.
    pub(crate) fn hash(&self, bytes: &[u8]) -> u64 {
        self.hasher.hash_one(bytes)
    }

    /// Returns the length of all names.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Frees the table that [`add`](Self::add) and [`get`](Self::get) need.
    pub(crate) fn close(&mut self) {
        self.numbers = HashTable::new();
    }

    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn name_of<'a>(bytes: &'a [u8], ends: &[u64], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start as usize..ends[number] as usize]
}
