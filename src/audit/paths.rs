//! Files by number: a path is kept once, however many links lead to it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::hash::Key;

/// A file or directory that was looked up or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// The absolute paths of all files that have a number.
#[derive(Debug, Default)]
pub struct Paths {
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    numbers: HashMap<Arc<[u8]>, FileId, Key>,
    paths: Vec<Arc<[u8]>>,
}

impl Paths {
    /// The number of a path.
    pub fn id(&self, path: &[u8]) -> FileId {
        // A poisoned lock guards what is never left half-written.
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = state.numbers.get(path) {
            return id;
        }
        drop(state);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = state.numbers.get(path) {
            return id;
        }
        let id = FileId(state.paths.len() as u32);
        let path: Arc<[u8]> = path.into();
        state.paths.push(Arc::clone(&path));
        state.numbers.insert(path, id);
        id
    }

    /// The number of a path that has one.
    pub fn known(&self, path: &[u8]) -> Option<FileId> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.numbers.get(path).copied()
    }

    /// The path of a number.
    pub fn path(&self, id: FileId) -> Arc<[u8]> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&state.paths[id.0 as usize])
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.paths.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
