//! Names and paths by number: each distinct one is stored once.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use hashbrown::HashTable;

/// The seed of the hashes of names and targets, new for each run.
///
/// Some names are compared by their hashes alone; with a secret seed nobody can prepare names that
/// collide.
#[derive(Clone, Copy, Debug)]
pub(super) struct HashKey(u64, u64);

impl Default for HashKey {
    fn default() -> Self {
        let (one, other) = (RandomState::new(), RandomState::new());
        HashKey(one.hash_one(0), other.hash_one(1) | 1)
    }
}

impl HashKey {
    /// The hash of a name.
    #[inline]
    pub(super) fn of(self, bytes: &[u8]) -> u64 {
        let mut hash = self.0 ^ bytes.len() as u64;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            hash = fold(hash ^ u64::from_le_bytes(*word), self.1);
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        fold(hash ^ u64::from_le_bytes(last), self.1 ^ SPREAD)
    }
}

/// The golden ratio in 64 bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// All bits of a product, folded into 64.
#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

impl BuildHasher for HashKey {
    type Hasher = Running;

    fn build_hasher(&self) -> Running {
        Running(*self, self.0)
    }
}

/// A hash in the making, for maps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running(HashKey, u64);

impl Hasher for Running {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.1 = fold(self.1 ^ self.0.of(bytes), self.0.1);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.1 ^= number as u64;
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.1 = fold(self.1 ^ number, self.0.1);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.1
    }
}

/// Distinct names, numbered in the order in which they were added.
///
/// A name takes its own bytes, 8 bytes for its end and at most 10 bytes of the hash table.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    bytes: Vec<u8>,
    /// `ends[n]` is the index in `bytes` of the end of name `n`, where the next one starts.
    ends: Vec<u64>,
    numbers: HashTable<u32>,
    key: HashKey,
}

impl Interner {
    /// Returns the number of a name, adding the name if it is new.
    pub(super) fn add(&mut self, name: &[u8]) -> u32 {
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
    pub(super) fn get(&self, name: &[u8]) -> Option<u32> {
        let same = |&number: &u32| self.name(number) == name;
        self.numbers.find(self.key.of(name), same).copied()
    }

    /// Returns the name of a number; panics if there is none.
    pub(super) fn name(&self, number: u32) -> &[u8] {
        name_of(&self.bytes, &self.ends, number)
    }

    /// Returns how many names there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the hash of any bytes under the key of these names.
    pub(super) fn hash(&self, bytes: &[u8]) -> u64 {
        self.key.of(bytes)
    }

    /// Returns the length of all names together, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Releases memory that no name uses.
    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn name_of<'a>(bytes: &'a [u8], ends: &[u64], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start as usize..ends[number] as usize]
}

/// The numbers of names in ascending order of the names.
#[derive(Clone, Debug)]
pub(super) struct NameOrder(pub(super) Box<[u32]>);

impl NameOrder {
    /// Sorts the names of an interner.
    pub(super) fn new(names: &Interner) -> Self {
        let mut numbers: Box<[u32]> = (0..names.len() as u32).collect();
        numbers.sort_unstable_by_key(|&number| names.name(number));
        NameOrder(numbers)
    }
}

/// The number of a file or directory that was looked up or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FileId(pub u32);

/// The absolute paths of all numbered files, shared by the workers.
#[derive(Debug, Default)]
pub(super) struct PathTable {
    names: RwLock<Interner>,
}

impl PathTable {
    /// Returns the number of a path, adding the path if it is new.
    pub(super) fn id(&self, path: &[u8]) -> FileId {
        if let Some(number) = self.names().get(path) {
            return FileId(number);
        }
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        FileId(names.add(path))
    }

    /// Returns the path of a number.
    pub(super) fn path(&self, id: FileId) -> Box<[u8]> {
        self.names().name(id.0).into()
    }

    /// Returns how many paths there are.
    pub(super) fn len(&self) -> usize {
        self.names().len()
    }

    /// Locks the names for reading. Poisoning is ignored: no panic leaves a name half-written.
    fn names(&self) -> RwLockReadGuard<'_, Interner> {
        self.names.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A set of paths, each with everything below it.
#[derive(Clone, Debug, Default)]
pub(super) struct PathSet {
    /// Each path ends in a slash; in ascending order, none a prefix of another.
    paths: Vec<Box<[u8]>>,
}

impl PathSet {
    /// Returns whether the set is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Returns whether a path is one of the set or below one.
    pub(super) fn contains(&self, path: &[u8]) -> bool {
        self.contains_counting(path, || {})
    }

    /// Like [`PathSet::contains`]; calls `compare` for each comparison of two paths.
    fn contains_counting(&self, path: &[u8], mut compare: impl FnMut()) -> bool {
        let path = with_slash(path);
        // INVARIANT: no path of the set is a prefix of another, so all those between a prefix of
        // `path` and `path` itself would be below that prefix, and there are none.
        let behind = self.paths.partition_point(|one| {
            compare();
            **one <= *path
        });
        let before = behind.checked_sub(1).map(|at| &self.paths[at]);
        before.is_some_and(|one| path.starts_with(one))
    }
}

impl FromIterator<Vec<u8>> for PathSet {
    fn from_iter<T: IntoIterator<Item = Vec<u8>>>(paths: T) -> Self {
        let mut paths: Vec<Box<[u8]>> = (paths.into_iter())
            .map(|path| with_slash(&path).into_boxed_slice())
            .collect();
        paths.sort_unstable();
        // Of equal paths, and of those below another, the first stays.
        paths.dedup_by(|later, kept| later.starts_with(kept));
        PathSet { paths }
    }
}

fn with_slash(path: &[u8]) -> Vec<u8> {
    [path.strip_suffix(b"/").unwrap_or(path), b"/"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number() {
        let mut names = Interner::default();
        assert_eq!(names.add(b"install"), 0);
        assert_eq!(names.add(b"usage"), 1);
        assert_eq!(names.add(b"install"), 0);
        assert_eq!(names.get(b"usage"), Some(1));
        assert_eq!(names.get(b"setup"), None);
        assert_eq!(names.name(1), b"usage");
    }

    #[test]
    fn a_path_is_in_a_set_when_it_or_a_directory_above_it_is() {
        let set: PathSet = ["/a", "/a-b", "/a/b/c", "/d/e", "/d/e.x", "/f//"]
            .into_iter()
            .map(|path| path.as_bytes().to_vec())
            .collect();
        for (path, expected) in [
            ("/a", true),
            ("/a/", true),
            ("/a/x", true),
            ("/a-b", true),
            ("/a-c", false),
            ("/a.x", false),
            ("/a/b/d", true),
            ("/d", false),
            ("/d/e/f", true),
            ("/d/e.x", true),
            ("/d/e.y", false),
            ("/", false),
        ] {
            assert_eq!(set.contains(path.as_bytes()), expected, "{path}");
        }
        assert!(!PathSet::default().contains(b"/a"));
    }

    #[test]
    fn a_look_into_a_set_of_paths_does_not_scan_it() {
        let comparisons = |n: usize| {
            let set: PathSet = (0..n).map(|i| format!("/s/{i}").into_bytes()).collect();
            let mut count = 0;
            for i in 0..n {
                let path = format!("/s/{i}/x");
                assert!(set.contains_counting(path.as_bytes(), || count += 1));
            }
            count
        };
        let (once, twice) = (comparisons(5_000), comparisons(10_000));
        assert!(twice * 10 <= once * 22, "{once} and {twice} comparisons");
    }
}
