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
pub(super) mod origin;
pub(super) mod page;
pub(super) mod paths;
pub(super) mod repository;
mod routes;
mod site;
mod sphinx;
mod vitepress;
mod zola;

use std::sync::OnceLock;

use foldhash::{HashMap, HashSet, HashSetExt};
use ignore::gitignore::Gitignore;

use super::disk::DiskTree;
use super::server::{RuleIndex, redirects_in};
use crate::document::options::Slug;
use crate::pipeline::walk::{gitignore, path_of};
use paths::{up_to_slash, with_slash};
use routes::Routes;
use site::{Folder, FolderUse, Generator, PageList, Rules, SiteDirectory, SourceSite};

/// Every generator: its name, the dialect of its Markdown, the reader of its configuration, and the names of files or
/// directories of which a site has one; a `*` at the end matches any rest.
macro_rules! generators {
    ($($name:literal, $slug:ident, $open:expr, [$($marker:literal),*];)*) => {
        /// Of two sites with the same content the first is used.
        pub(crate) static GENERATORS: &[Generator] = &[$(Generator {
            name: $name,
            markers: &[$($marker),*],
            open: $open,
            slug: Slug::$slug,
        }),*];
    };
}

generators! {
    "docusaurus", Docusaurus, docusaurus::open, ["docusaurus.config.*"];
    "starlight", Starlight, |directory, site| astro::open(directory, site, true), ["astro.config.*"];
    "astro", Starlight, |directory, site| astro::open(directory, site, false), ["astro.config.*"];
    "vitepress", VitePress, vitepress::open, [".vitepress"];
    "mkdocs", MkDocs, mkdocs::open, ["mkdocs.yml", "mkdocs.yaml"];
    "hugo", Hugo, hugo::open, ["hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config", "config.toml", "config.yaml", "config.json"];
    "mdbook", MdBook, mdbook::open, ["book.toml"];
    "zola", Zola, zola::open, ["config.toml", "zola.toml"];
    "hexo", Hexo, hexo::open, ["_config.yml"];
    "jekyll", Jekyll, jekyll::open, ["_config.yml", "_config.yaml"];
    "honkit", HonKit, honkit::open, ["book.json", "book.js", "package.json", ".gitbook.yaml"];
    "docsify", Docsify, docsify::open, ["index.html"];
    "sphinx", Myst, sphinx::open, ["conf.py"];
    "antora", GitHub, antora::open, ["antora.yml"];
    "eleventy", None, eleventy::open, [".eleventy.js", "eleventy.config.*", "package.json"];
    "nextra", Nextra, |directory, site| nextra::open(directory, site, true), ["next.config.*"];
    "next", Nextra, |directory, site| nextra::open(directory, site, false), ["next.config.*"];
}

/// Returns the generator with a name.
pub(crate) fn generator(name: &str) -> Option<&'static Generator> {
    GENERATORS.iter().find(|kind| kind.name == name)
}

/// The choice of `--source`.
#[derive(Clone, Default)]
pub(crate) struct SourceOptions {
    /// Detect nothing.
    pub(crate) is_off: bool,
    /// Kinds with their absolute directories.
    pub(crate) given: Vec<(&'static Generator, Vec<u8>)>,
}

/// A site that was found.
struct FoundSite {
    /// With its slash.
    directory: Vec<u8>,
    kind: &'static Generator,
    /// The file or the option that says so.
    mark: String,
    site: SourceSite,
    rules: Rules,
    /// The rules of redirect files, which are served with the site.
    redirects: Vec<RuleIndex>,
    /// Read when a reference needs them.
    routes: OnceLock<Routes>,
}

/// The sites of the trees of an audit.
#[derive(Default)]
pub(super) struct Sources {
    sites: Vec<FoundSite>,
    /// The directories that are searched, with their slashes, and files.
    named: Vec<Vec<u8>>,
    /// The number of the site and of its folder, by directories with their slashes.
    places: HashMap<Box<[u8]>, (usize, usize)>,
}

/// Entries of directories that are looked at to find sites.
const MAX_ENTRIES: usize = 4 << 20;

impl Sources {
    /// Finds the sites below the named directories, and above the named paths in their repositories. Directories have
    /// their slashes.
    pub(super) fn new(
        options: &SourceOptions,
        named: impl Iterator<Item = Vec<u8>>,
        tree: &DiskTree,
    ) -> Self {
        let mut search = SiteSearch {
            tree,
            sources: Sources::default(),
            seen: HashSet::new(),
            left: MAX_ENTRIES,
        };
        if !options.is_off {
            search.sources.named = named.collect();
        }
        for (kind, directory) in &options.given {
            let directory = with_slash(directory);
            search.open(kind, &directory, "--source", true);
        }
        for path in search.sources.named.clone() {
            search.tree(&path);
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

    /// Adds a site, unless others have all of its directories.
    fn add(&mut self, found: FoundSite) {
        let (number, before) = (self.sites.len(), self.places.len());
        for (index, folder) in found.site.folders.iter().enumerate() {
            let directory = folder.directory.as_slice().into();
            self.places.entry(directory).or_insert((number, index));
        }
        if self.places.len() > before {
            self.sites.push(found);
        }
    }

    /// Returns a site of which a move would take only a part, or would bring files into it or out of it.
    pub(super) fn parted(&self, old: &[u8], new: &[u8]) -> Option<&[u8]> {
        let moves = |path: &[u8]| with_slash(path).starts_with(&with_slash(old));
        let is_parted = |found: &&FoundSite| {
            let mark = [&found.directory, found.mark.as_bytes()].concat();
            let folders = found.site.folders.iter().map(|folder| &folder.directory);
            let mut parts = folders.chain([&found.site.listed.file, &mark]);
            parts.any(|part| !part.is_empty() && moves(part) != moves(&found.directory))
        };
        let parted = self.sites.iter().find(is_parted);
        let [from, to] = [old, new].map(|path| self.place_number(up_to_slash(path)));
        let other = from.or(to).filter(|_| from != to);
        let other = other.map(|(number, _)| &self.sites[number]);
        parted.or(other).map(|found| &*found.directory)
    }

    /// Returns whether a path is the directory of the site of a file, or a directory around it.
    pub(super) fn moves(&self, file: &[u8], path: &[u8]) -> bool {
        let place = self.place(file);
        place.is_some_and(|(found, _)| found.directory.starts_with(&with_slash(path)))
    }

    /// Returns whether a site would publish a file differently after a move, or not at all.
    pub(super) fn alters(&self, old: &[u8], new: &[u8]) -> bool {
        self.place(old).is_some_and(|(found, root)| {
            let PageList { file, key, .. } = &found.site.listed;
            let follows_links = !file.is_empty() && key.is_empty();
            !follows_links && !self.routes(found).stay(old, new, root, &found.rules)
        })
    }

    fn place_number(&self, path: &[u8]) -> Option<(usize, usize)> {
        let mut ends = memchr::memrchr_iter(b'/', path);
        ends.find_map(|end| self.places.get(&path[..=end]).copied())
    }

    /// Returns the site that a file belongs to, and the folder of the site.
    fn place(&self, path: &[u8]) -> Option<(&FoundSite, &Folder)> {
        let (number, folder) = self.place_number(path)?;
        let found = &self.sites[number];
        let folder = &found.site.folders[folder];
        let is_below = |named: &Vec<u8>| named.starts_with(&folder.directory);
        let is_named = || self.named.iter().any(is_below);
        (folder.kind != FolderUse::Output || !is_named()).then_some((found, folder))
    }

    /// Returns the dialects of the directories of pages.
    pub(super) fn dialects(&self) -> impl Iterator<Item = (&[u8], Slug)> {
        self.sites.iter().flat_map(|found| {
            let folders = found.site.folders.iter();
            let roots = folders.filter(|folder| folder.kind == FolderUse::Content);
            roots.map(|root| (&*root.directory, found.kind.slug))
        })
    }

    /// Returns whether the ids of the headings of a page are not known.
    pub(super) fn has_other_ids(&self, path: &[u8], is_html: bool) -> bool {
        self.place(path).is_some_and(|(found, _)| match is_html {
            true => found.site.adds_ids,
            false => found.site.has_other_ids || found.rules.has_other_ids(path),
        })
    }

    /// `shown` returns the path that people see.
    pub(super) fn summaries(&self, shown: impl Fn(&[u8]) -> Vec<u8>) -> Vec<SiteSource> {
        let summary = |found: &FoundSite| {
            let root = shown(&found.directory);
            SiteSource {
                root: root.strip_suffix(b"/").unwrap_or(&root).to_vec(),
                kind: found.kind.name,
                reason: found.mark.clone(),
            }
        };
        self.sites.iter().map(summary).collect()
    }

    fn routes<'s>(&self, found: &'s FoundSite) -> &'s Routes {
        let is_other = |directory: &[u8]| self.places.contains_key(directory);
        let read = || Routes::read(&found.site, &found.rules, is_other);
        found.routes.get_or_init(read)
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
            ignored = gitignore(repository);
            let inside = path.ancestors().skip(1);
            for above in inside.take_while(|above| above.starts_with(repository)) {
                for below in self.directory(&with_slash(above.as_os_str().as_encoded_bytes())) {
                    self.directory(&below);
                }
            }
        }
        let mut open = vec![up_to_slash(top).to_vec()];
        while let Some(directory) = open.pop() {
            // Nothing is below a file.
            let below = self.directory(&directory).into_iter();
            for below in below.filter(|_| top.ends_with(b"/")) {
                let path = path_of(&below);
                let inside = repository.is_some_and(|repository| path.starts_with(repository));
                if !inside || !ignored.matched(&path, true).is_ignore() {
                    open.push(below);
                }
            }
        }
    }

    /// Opens the sites in a directory; returns the directories in it.
    fn directory(&mut self, directory: &[u8]) -> Vec<Vec<u8>> {
        let listing = (self.tree.listing(directory))
            .filter(|_| self.left > 0)
            .unwrap_or_default();
        self.left = self.left.saturating_sub(listing.entries().count());
        let marked = |kind| Some((kind, Generator::mark(kind, &listing)?));
        let found: Vec<_> = GENERATORS.iter().filter_map(marked).collect();
        if !found.is_empty() && self.seen.insert(directory.to_vec()) {
            for (kind, mark) in found {
                self.open(kind, directory, &String::from_utf8_lossy(mark), false);
            }
        }
        let mut below = Vec::new();
        for (name, is_directory) in listing.entries() {
            if is_directory && !name.starts_with(b".") && name != b"node_modules" {
                below.push([directory, name, b"/"].concat());
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
        let mut site = SourceSite::default();
        site.set_base(Some(String::new()));
        if let Some(rules) = (kind.open)(&directory, &mut site) {
            site.folders.sort_by_key(|folder| folder.kind);
            let served = site.folders.iter();
            let served = served.filter(|folder| folder.kind < FolderUse::Templates);
            let redirects = served.filter_map(|folder| redirects_in(self.tree, &folder.directory));
            let redirects = redirects.collect();
            self.sources.add(FoundSite {
                directory: directory.path.to_vec(),
                kind,
                mark: mark.to_owned(),
                site,
                rules,
                redirects,
                routes: OnceLock::new(),
            });
        }
    }
}
