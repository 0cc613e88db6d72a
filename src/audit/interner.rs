//! Names by number: each distinct name is stored once, in one run of bytes.

use hashbrown::HashTable;

use super::hash::HashKey;

/// Distinct names in the order in which they were added.
///
/// A name takes its own bytes, 8 bytes for its end and at most 10 bytes of the hash table.
///
/// ```
/// use uriscan::audit::interner::Interner;
/// let mut names = Interner::default();
/// assert_eq!(names.add(b"install"), 0);
/// assert_eq!(names.add(b"usage"), 1);
/// assert_eq!(names.add(b"install"), 0);
/// assert_eq!(names.get(b"usage"), Some(1));
/// assert_eq!(names.name(1), b"usage");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interner {
    bytes: Vec<u8>,
    /// `ends[n]` is the index in `bytes` of the end of name `n`, where the next one starts.
    ends: Vec<u64>,
    numbers: HashTable<u32>,
    key: HashKey,
}

impl Interner {
    /// Returns the number of a name, which is added if there is none.
    pub fn add(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.get(name) {
            return number;
        }
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len() as u64);
        let (bytes, ends, key) = (&self.bytes, &self.ends, self.key);
        let hash = |&number: &u32| key.of(name_of(bytes, ends, number));
        self.numbers.insert_unique(key.of(name), number, hash);
        number
    }

    /// Returns the number of a name.
    pub fn get(&self, name: &[u8]) -> Option<u32> {
        let same = |&number: &u32| self.name(number) == name;
        self.numbers.find(self.key.of(name), same).copied()
    }

    /// Returns the name of a number; panics if there is none.
    pub fn name(&self, number: u32) -> &[u8] {
        name_of(&self.bytes, &self.ends, number)
    }

    /// Returns how many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|number| self.name(number))
    }

    /// Returns the hash of any bytes under the key of these names.
    pub fn hash(&self, bytes: &[u8]) -> u64 {
        self.key.of(bytes)
    }

    /// Returns the length of all names together, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Gives back memory that no name uses.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn name_of<'a>(bytes: &'a [u8], ends: &[u64], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start as usize..ends[number] as usize]
}
