//! Names of files and paths by number, in order and by their folded forms.

use std::sync::OnceLock;

use foldhash::HashSet;
use hashbrown::HashTable;
use parking_lot::RwLock;
use unicode_normalization::UnicodeNormalization;

use super::source::paths::with_slash;
use crate::bytes::interner::Interner;
use crate::bytes::steps::step;

pub(super) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Returns the set of the bytes of a name, by their last six bits.
pub(super) fn byte_set(name: &[u8]) -> u64 {
    name.iter().fold(0, |set, byte| set | 1 << (byte & 63))
}

/// Names in ascending order, and their words.
#[derive(Clone, Debug)]
pub(super) struct NameOrder {
    /// Each with the set of its bytes.
    pub(super) numbers: Box<[(u32, u64)]>,
    /// Hashes, made when a name is near to another one.
    words: OnceLock<HashSet<u64>>,
}

impl NameOrder {
    pub(super) fn new(names: &Interner) -> Self {
        let all = (0..names.len() as u32).map(|number| (number, byte_set(names.name(number))));
        let mut numbers: Box<[_]> = all.collect();
        numbers.sort_unstable_by_key(|&(number, _)| names.name(number));
        NameOrder {
            numbers,
            words: OnceLock::new(),
        }
    }

    /// Returns whether a name has the word in any case; `names` are sorted.
    pub(super) fn has_word(&self, names: &Interner, word: &[u8]) -> bool {
        let hash = |word: &[u8]| names.hash(&word.to_ascii_lowercase());
        let known = self.words.get_or_init(|| {
            let all = (0..names.len() as u32).flat_map(|number| words(names.name(number)));
            all.map(hash).collect()
        });
        known.contains(&hash(word))
    }
}

/// Names, with their folded forms and their order, made on demand.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    pub(super) names: Interner,
    /// The longest length, in bytes.
    longest: usize,
    /// The first name by its bytes of each folded form, and whether there are others.
    folded: OnceLock<HashTable<(u32, bool)>>,
    order: OnceLock<NameOrder>,
}

/// Folding makes a name at most this many times shorter: a composed character takes three bytes for
/// five, and a letter one byte for the three of a sign.
const MAX_FOLDED: usize = 16;

impl NameIndex {
    pub(super) fn add(&mut self, name: &[u8]) -> u32 {
        self.longest = self.longest.max(name.len());
        self.names.add(name)
    }

    /// `None` if the order was not made before and `may_sort` refuses.
    pub(super) fn order(&self, may_sort: impl FnOnce() -> bool) -> Option<&NameOrder> {
        if self.order.get().is_none() && !may_sort() {
            return None;
        }
        Some(self.order.get_or_init(|| NameOrder::new(&self.names)))
    }

    /// Returns the first name that differs in case or Unicode form only (A10), and whether there
    /// are others.
    pub(super) fn folded(&self, name: &[u8]) -> Option<(&[u8], bool)> {
        // A name that is too long for any match is not folded, which takes its length in time.
        if name.len() > MAX_FOLDED * self.longest {
            return None;
        }
        let fold_number = |number: u32| fold(self.names.name(number));
        let hash = |folded: &str| self.names.hash(folded.as_bytes());
        let folded = self.folded.get_or_init(|| {
            let mut folded = HashTable::new();
            for number in 0..self.names.len() as u32 {
                let name = self.names.name(number);
                let of_name = fold(name);
                let same = |&(known, _): &(u32, bool)| fold_number(known) == of_name;
                match folded.find_mut(hash(&of_name), same) {
                    Some(known) if name < self.names.name(known.0) => *known = (number, true),
                    Some(known) => known.1 = true,
                    None => {
                        let rehash = |&(number, _): &(u32, bool)| hash(&fold_number(number));
                        folded.insert_unique(hash(&of_name), (number, false), rehash);
                    }
                }
            }
            folded
        });
        let wanted = fold(name);
        let same = |&(known, _): &(u32, bool)| fold_number(known) == wanted;
        let &(found, several) = folded.find(hash(&wanted), same)?;
        Some((self.names.name(found), several))
    }
}

/// Folds case and converts to Unicode form C, as file systems do that compare names so.
pub(super) fn fold(name: &[u8]) -> String {
    match str::from_utf8(name) {
        Ok(name) if name.is_ascii() => name.to_ascii_lowercase(),
        _ => {
            let name = String::from_utf8_lossy(name);
            name.nfc().collect::<String>().to_lowercase()
        }
    }
}

/// Runs of letters and digits.
pub(super) fn words(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    name.split(move |byte| !is_word(byte))
}

/// The number of a file or directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct FileId(pub u32);

/// Absolute paths, shared by the workers.
#[derive(Debug, Default)]
pub(super) struct PathTable(RwLock<Interner>);

impl PathTable {
    pub(super) fn id(&self, path: &[u8]) -> FileId {
        if let Some(number) = self.0.read().get(path) {
            return FileId(number);
        }
        FileId(self.0.write().add(path))
    }

    pub(super) fn path(&self, id: FileId) -> Box<[u8]> {
        self.0.read().name(id.0).into()
    }

    pub(super) fn len(&self) -> usize {
        self.0.read().len()
    }
}

/// Paths, each with everything below it: each ends in a slash; in ascending order, none a prefix of another.
#[derive(Clone, Debug, Default)]
pub(super) struct PathSet(Vec<Box<[u8]>>);

impl PathSet {
    pub(super) fn contains(&self, path: &[u8]) -> bool {
        let path = with_slash(path);
        // INVARIANT: no path of the set is a prefix of another, so all those between a prefix of
        // `path` and `path` itself would be below that prefix; none exist.
        let end = self.0.partition_point(|one| {
            step(1);
            **one <= *path
        });
        let before = end.checked_sub(1).map(|at| &self.0[at]);
        before.is_some_and(|one| path.starts_with(one))
    }
}

impl FromIterator<Vec<u8>> for PathSet {
    fn from_iter<T: IntoIterator<Item = Vec<u8>>>(paths: T) -> Self {
        let paths = paths.into_iter().map(|path| with_slash(&path).into());
        let mut paths: Vec<Box<[u8]>> = paths.collect();
        paths.sort_unstable();
        // Of equal paths, and of paths below another, the first stays.
        paths.dedup_by(|later, kept| later.starts_with(kept));
        PathSet(paths)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/audit/names.rs"]
mod tests;
