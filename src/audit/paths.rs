//! Files by number: a path is kept once, however many links lead to it.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use super::interner::Interner;

/// A file or directory that was looked up or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// The absolute paths of all files that have a number.
#[derive(Debug, Default)]
pub struct PathTable {
    names: RwLock<Interner>,
}

impl PathTable {
    /// The number of a path.
    pub fn id(&self, path: &[u8]) -> FileId {
        if let Some(id) = self.known(path) {
            return id;
        }
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        FileId(names.add(path))
    }

    /// The number of a path that has one.
    pub fn known(&self, path: &[u8]) -> Option<FileId> {
        self.names().get(path).map(FileId)
    }

    /// The path of a number.
    pub fn path(&self, id: FileId) -> Box<[u8]> {
        self.names().name(id.0).into()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A poisoned lock guards names that are never left half-written.
    fn names(&self) -> RwLockReadGuard<'_, Interner> {
        self.names.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A set of paths, each with all that is below it.
///
/// ```
/// use uriscan::audit::paths::PathSet;
/// let set: PathSet = [b"/site/a".to_vec(), b"/site/b/".to_vec()].into_iter().collect();
/// assert!(set.holds(b"/site/a") && set.holds(b"/site/a/x.html") && set.holds(b"/site/b/x"));
/// assert!(!set.holds(b"/site/ab") && !set.holds(b"/site"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct PathSet {
    /// Each with a slash behind it, in ascending order; none is a prefix of another.
    paths: Vec<Box<[u8]>>,
}

impl PathSet {
    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether a path is one of the set or below one.
    pub fn holds(&self, path: &[u8]) -> bool {
        self.holds_counting(path, || {})
    }

    /// The same; `compare` is called for each comparison of two paths.
    fn holds_counting(&self, path: &[u8], mut compare: impl FnMut()) -> bool {
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
        // Of equal elements, and of those below another, the first stays.
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
            assert_eq!(set.holds(path.as_bytes()), expected, "{path}");
        }
        assert!(!PathSet::default().holds(b"/a"));
    }

    #[test]
    fn a_look_into_a_set_of_paths_does_not_scan_it() {
        let comparisons = |n: usize| {
            let set: PathSet = (0..n).map(|i| format!("/s/{i}").into_bytes()).collect();
            let mut count = 0;
            for i in 0..n {
                let path = format!("/s/{i}/x");
                assert!(set.holds_counting(path.as_bytes(), || count += 1));
            }
            count
        };
        let (once, twice) = (comparisons(5_000), comparisons(10_000));
        assert!(twice * 10 <= once * 22, "{once} and {twice} comparisons");
    }
}
