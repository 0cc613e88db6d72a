//! Files that are gone, and the references that led to them.

use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::HashMap;

use super::names::fold;

const PAGES: [&str; 11] = [
    "adoc", "htm", "html", "ipynb", "markdown", "md", "mdx", "rst", "shtml", "txt", "xhtml",
];

/// Paths that do not exist, by [`spelling`].
#[derive(Default)]
pub(crate) struct GoneFiles {
    paths: Vec<GonePath>,
    by_spelling: HashMap<String, usize>,
    /// Indices by names, for links of wikis.
    by_name: HashMap<String, usize>,
}

struct GonePath {
    path: Vec<u8>,
    is_linked: AtomicBool,
    renamed: Option<Vec<u8>>,
}

impl GoneFiles {
    pub(super) fn new<'p>(paths: impl Iterator<Item = &'p [u8]>) -> Self {
        let mut gone = GoneFiles::default();
        for path in paths {
            let index = gone.paths.len();
            gone.by_spelling.entry(spelling(path)).or_insert(index);
            gone.by_name.entry(name(path)).or_insert(index);
            gone.paths.push(GonePath {
                path: path.to_vec(),
                is_linked: AtomicBool::new(false),
                renamed: None,
            });
        }
        gone
    }

    pub(super) fn rename(&mut self, old: &[u8], new: &[u8]) {
        if let Some(gone) = self.paths.iter_mut().find(|gone| gone.path == old) {
            gone.renamed = Some(new.to_vec());
        }
    }

    /// Returns whether the path of a target is a spelling of a gone one, or is below it.
    pub(super) fn contains(&self, path: &[u8], is_wiki: bool) -> bool {
        if self.paths.is_empty() {
            return false;
        }
        let spelling = spelling(path);
        let mut above = std::iter::successors(Some(&*spelling), |path| {
            path.rfind('/').map(|end| &path[..end])
        });
        let found = above.find_map(|path| self.by_spelling.get(path)).copied();
        let by_name = || self.by_name.get(&name(path)).copied().filter(|_| is_wiki);
        let Some(index) = found.or_else(by_name) else {
            return false;
        };
        self.paths[index].is_linked.store(true, Ordering::Relaxed);
        true
    }

    pub(super) fn renamed(&self, path: &[u8]) -> Option<&[u8]> {
        let spelling = self.paths.first().map(|_| spelling(path))?;
        let index = *self.by_spelling.get(&spelling)?;
        self.paths[index].renamed.as_deref()
    }

    pub(crate) fn unlinked(&self) -> impl Iterator<Item = &[u8]> {
        let unlinked = |gone: &&GonePath| !gone.is_linked.load(Ordering::Relaxed);
        self.paths.iter().filter(unlinked).map(|gone| &*gone.path)
    }
}

/// Returns the common form of all references to a path: without the name of an index file, the
/// extension of a page, a slash at the end and differences of case.
fn spelling(path: &[u8]) -> String {
    let mut path = fold(path.strip_suffix(b"/").unwrap_or(path));
    if let Some((stem, extension)) = path.rsplit_once('.')
        && PAGES.contains(&extension)
    {
        path.truncate(stem.len());
    }
    if let Some((above, name)) = path.rsplit_once('/')
        && matches!(name, "index" | "readme")
    {
        path.truncate(above.len());
    }
    path
}

/// Returns the last name, as wikis compare names.
fn name(path: &[u8]) -> String {
    let path = spelling(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    name.replace(['-', '_'], " ")
}
