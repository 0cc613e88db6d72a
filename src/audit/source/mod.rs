//! The sources of sites in the trees of an audit: which generator owns a file, and where the
//! generator's site leads a reference (A102 to A106).
//!
//! A generator is a row of [`GENERATORS`] with a file of this folder. Its `open` reads the
//! configuration of a site into a [`SourceSite`]; its [`SiteRules`](site::SiteRules) say where a file is served and in
//! which order a reference is tried.

mod antora;
mod astro;
mod config;
mod docsify;
mod docusaurus;
mod eleventy;
mod hexo;
mod honkit;
mod hugo;
mod jekyll;
mod mdbook;
mod mkdocs;
mod nextra;
pub(super) mod page;
pub(super) mod paths;
pub(super) mod repository;
mod routes;
mod site;
mod sphinx;
mod summary;
mod vitepress;
mod zola;

use std::sync::OnceLock;

use foldhash::{HashMap, HashSet, HashSetExt};
use ignore::gitignore::Gitignore;

use super::disk::DiskTree;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;
use paths::with_slash;
use routes::Routes;
use site::{Generator, SiteDirectory, SourceSite};

/// Every generator. Of two sites with the same content the first is used.
pub(crate) static GENERATORS: &[&Generator] = &[
    &docusaurus::GENERATOR,
    &astro::STARLIGHT,
    &astro::ASTRO,
    &vitepress::GENERATOR,
    &mkdocs::GENERATOR,
    &hugo::GENERATOR,
    &mdbook::GENERATOR,
    &zola::GENERATOR,
    &hexo::GENERATOR,
    &jekyll::GENERATOR,
    &honkit::GENERATOR,
    &docsify::GENERATOR,
    &sphinx::GENERATOR,
    &antora::GENERATOR,
    &eleventy::GENERATOR,
    &nextra::NEXTRA,
    &nextra::NEXT,
];

/// Returns the generator with a name.
pub(crate) fn generator(name: &str) -> Option<&'static Generator> {
    GENERATORS.iter().copied().find(|kind| kind.name == name)
}

/// The choice of `--source`.
#[derive(Clone, Default)]
pub(crate) struct SourceOptions {
    /// Detect nothing.
    pub(crate) is_off: bool,
    /// Kinds with their absolute directories.
    pub(crate) given: Vec<(&'static Generator, Vec<u8>)>,
}

/// The part of a site that a directory belongs to.
#[derive(Clone, Copy, Debug)]
enum SourcePlace {
    Content,
    Overlay(usize),
    Template,
}

/// The sites of the trees of an audit.
#[derive(Default)]
pub(super) struct Sources {
    sites: Vec<SourceSite>,
    /// Of each site, read when a reference needs them.
    routes: Vec<OnceLock<Routes>>,
    /// The site and its part, by directories with their slashes.
    places: HashMap<Box<[u8]>, (usize, SourcePlace)>,
}

/// Entries of directories that are looked at to find sites.
const MAX_ENTRIES: usize = 4 << 20;

impl Sources {
    /// Finds the sites below the directories and above them in their repositories.
    pub(super) fn new<'d>(
        options: &SourceOptions,
        directories: impl Iterator<Item = &'d [u8]>,
        tree: &DiskTree,
    ) -> Self {
        let mut search = SiteSearch {
            tree,
            sources: Sources::default(),
            seen: HashSet::new(),
            left: MAX_ENTRIES,
        };
        for (kind, directory) in &options.given {
            let directory = with_slash(directory);
            search.open(kind, &directory, "--source", true);
        }
        if !options.is_off {
            directories.for_each(|directory| search.tree(&with_slash(directory)));
        }
        search.sources
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.place(path).is_some()
    }

    /// Returns whether a site is in a directory itself.
    pub(super) fn has_site_in(&self, directory: &[u8]) -> bool {
        let directory = with_slash(directory);
        self.sites.iter().any(|site| site.directory == directory)
    }

    fn add(&mut self, site: SourceSite) {
        let number = self.sites.len();
        let content = site
            .content
            .iter()
            .map(|root| (&root.directory, SourcePlace::Content));
        let overlays = site.overlays.iter().enumerate();
        let overlays = overlays.map(|(index, root)| (&root.directory, SourcePlace::Overlay(index)));
        let templates = site
            .templates
            .iter()
            .map(|root| (root, SourcePlace::Template));
        let all: Vec<_> = content.chain(overlays).chain(templates).collect();
        if all
            .iter()
            .all(|(directory, _)| self.places.contains_key(directory.as_slice()))
        {
            return;
        }
        for (directory, place) in all {
            self.places
                .entry(directory.as_slice().into())
                .or_insert((number, place));
        }
        self.sites.push(site);
        self.routes.push(OnceLock::new());
    }

    /// Returns the number of the site that a file belongs to, the length of the directory that decides so, and the
    /// part of the site.
    fn place(&self, path: &[u8]) -> Option<(usize, usize, SourcePlace)> {
        let mut above = memchr::memrchr_iter(b'/', path).map(|at| at + 1);
        above.find_map(|end| {
            let &(site, place) = self.places.get(&path[..end])?;
            Some((site, end, place))
        })
    }

    /// Returns the dialects of the directories of pages.
    pub(super) fn dialects(&self) -> impl Iterator<Item = (&[u8], Slug)> {
        self.sites.iter().flat_map(move |site| {
            site.content
                .iter()
                .map(|root| (&*root.directory, site.slug))
        })
    }

    /// Returns whether the ids of the headings of a page are not known.
    pub(super) fn has_other_ids(&self, path: &[u8]) -> bool {
        let place = (!self.is_empty()).then(|| self.place(path)).flatten();
        place.is_some_and(|(site, ..)| self.sites[site].has_other_ids)
    }

    /// `shown` returns the path that people see.
    pub(super) fn summaries(&self, shown: impl Fn(&[u8]) -> Vec<u8>) -> Vec<SiteSource> {
        let summary = |site: &SourceSite| {
            let root = shown(&site.directory);
            SiteSource {
                root: root.strip_suffix(b"/").unwrap_or(&root).to_vec(),
                kind: site.name,
                reason: site.mark.clone(),
            }
        };
        self.sites.iter().map(summary).collect()
    }

    fn routes(&self, site: usize) -> &Routes {
        let is_other = |directory: &[u8]| self.places.contains_key(directory);
        self.routes[site].get_or_init(|| Routes::read(&self.sites[site], is_other))
    }
}

/// A directory that is the source of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SiteSource {
    pub(crate) root: Vec<u8>,
    pub(crate) kind: &'static str,
    /// The file or the option that says so.
    pub(crate) reason: String,
}

struct SiteSearch<'t> {
    tree: &'t DiskTree,
    sources: Sources,
    seen: HashSet<Vec<u8>>,
    left: usize,
}

impl SiteSearch<'_> {
    fn tree(&mut self, top: &[u8]) {
        let path = path_of(top);
        let repository = path.ancestors().find(|above| above.join(".git").exists());
        let mut ignored = Gitignore::empty();
        if let Some(repository) = repository {
            // An ignore file that cannot be read ignores nothing.
            ignored = Gitignore::new(repository.join(".gitignore")).0;
            let inside = path.ancestors().skip(1);
            for above in inside.take_while(|above| above.starts_with(repository)) {
                let above = with_slash(above.as_os_str().as_encoded_bytes());
                let below = self.directory(&above);
                below
                    .into_iter()
                    .for_each(|below| drop(self.directory(&below)));
            }
        }
        let mut open = vec![top.to_vec()];
        while let Some(directory) = open.pop() {
            let below = self.directory(&directory);
            open.extend(below.into_iter().filter(|below| {
                let below = path_of(below);
                let inside = repository.is_some_and(|repository| below.starts_with(repository));
                !inside || !ignored.matched(&below, true).is_ignore()
            }));
        }
    }

    /// Opens the sites in a directory; returns the directories in it.
    fn directory(&mut self, directory: &[u8]) -> Vec<Vec<u8>> {
        let mut below = Vec::new();
        let Ok(entries) = std::fs::read_dir(path_of(directory)) else {
            return below;
        };
        let is_new = self.seen.is_empty() || !self.seen.contains(directory);
        let mut found: Vec<(usize, String)> = Vec::new();
        for entry in entries.flatten() {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                break;
            }
            let name = entry.file_name().into_encoded_bytes();
            let kinds = GENERATORS.iter().enumerate();
            let marked = kinds.filter(|(_, kind)| kind.is_marker(&name));
            let text = |(number, _)| (number, String::from_utf8_lossy(&name).into_owned());
            found.extend(marked.map(text));
            let is_hidden = name.starts_with(b".") || name == b"node_modules";
            if !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                below.push([directory, &name, b"/"].concat());
            }
        }
        if is_new && !found.is_empty() {
            self.seen.insert(directory.to_vec());
            found.sort_unstable();
            found.dedup_by_key(|(number, _)| *number);
            for (number, mark) in found {
                self.open(GENERATORS[number], directory, &mark, false);
            }
        }
        below.sort_unstable_by(|one, other| other.cmp(one));
        below
    }

    fn open(&mut self, kind: &'static Generator, directory: &[u8], mark: &str, is_given: bool) {
        let directory = SiteDirectory {
            path: directory,
            mark,
            is_given,
            tree: self.tree,
        };
        if let Some(mut site) = (kind.open)(&directory) {
            (site.name, site.slug) = (kind.name, kind.slug);
            self.sources.add(site);
        }
    }
}
