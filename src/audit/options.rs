//! The options of an audit.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::{error, fmt, thread};

use foldhash::quality::RandomState;
use ignore::overrides::{Override, OverrideBuilder};
use percent_encoding::percent_decode;

use super::disk::{DiskEntry, DiskTree, FileNaming, LookupMatch};
use super::finding::Baseline;
use super::gone::GoneFiles;
use super::ignored::{IgnoreEntry, IgnoreRule, IgnoreRules};
use super::lookups::LookupCache;
use super::names::{FileId, PathSet, PathTable};
use super::results::{OnlineAnswer, OnlineResults};
use super::rewrite::steps_above;
use super::rules::{Level, Levels};
use super::server::{self, ServerKind, Servers};
use super::source::paths::{join, with_slash};
use super::source::repository::{Repository, directory_page};
use super::source::{SourceOptions, Sources, generator};
use super::target::{TargetChecker, TargetLocation, split_fragment, split_name, split_path};
use super::wiki::WikiPages;
use crate::document::flags::{Flags, holds_placeholder};
use crate::document::options::Slug;
use crate::extractor::Positions;
use crate::linker::Link;
use crate::pipeline::bases::{
    AbsolutePaths, Bases, UnmountedBase, directory_of, internal_origin, is_internal,
    is_internal_origin, is_of_repository, served_at,
};
use crate::pipeline::options::Splice;
use crate::pipeline::walk::{Root, path_of, read_start};
use crate::pipeline::{Archived, PipelineOptions, Verbosity, members};
use crate::uri::base::push_path;
use crate::uri::{Mounts, Reference, ResolveErrorKind};

/// The options of [`audit`](super::audit); the defaults are as in the command.
///
/// ```
/// use uriscan::{AuditOptions, Level};
///
/// # fn main() -> Result<(), uriscan::AuditError> {
/// let options = AuditOptions::default()
///     .root("site", "https://example.com/docs/")?
///     .level("orphan", Level::Warning)?
///     .threads(2);
/// assert!(options.levels().any(|row| row == ("orphan", Level::Warning)));
/// assert!(AuditOptions::default().level("no-such-rule", Level::Error).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct AuditOptions {
    pub(crate) reading: PipelineOptions,
    pub(super) naming: FileNaming,
    /// Whether `http` and `https` URIs of one host and path differ (A3).
    pub(super) strict_schemes: bool,
    pub(super) follows_symlinks: bool,
    pub(super) server: Option<&'static ServerKind>,
    pub(crate) sources: SourceOptions,
    /// The sources of the built site, with a slash at the end.
    pub(super) built_from: Option<Vec<u8>>,
    pub(crate) levels: Levels,
    pub(super) checks_fragments: bool,
    pub(crate) list: ListedLinks,
    /// The dialect of Markdown; by default the dialect of each tree.
    pub(crate) slug: Option<Slug>,
    /// Documents that are never orphans.
    pub(super) entries: Override,
    /// Any file may be an orphan, and not only pages.
    pub(super) orphan_assets: bool,
    /// Absolute paths: show only findings whose source or target is one of them or below one.
    pub(super) touching: Option<PathSet>,
    /// Only findings on these lines are shown, by absolute paths.
    added: Option<Arc<AddedLines<Vec<u8>>>>,
    /// Answers about targets on the network.
    pub(crate) results: Arc<OnlineResults>,
    /// External targets with an answer are not listed.
    pub(crate) only_unknown: bool,
    /// The paths among them that do not exist.
    pub(crate) gone: Arc<GoneFiles>,
    pub(super) baseline: Baseline,
    pub(super) ignore: Vec<IgnoreRule>,
    /// The bound on the cost of searches, in rows of the edit distance table.
    pub(super) suggestion_rows: u64,
}

/// Lines of files, in ascending order; `None` for all lines of a file.
pub(crate) type AddedLines<P> = HashMap<P, Option<Vec<Range<u64>>>>;

/// Takes about a second.
const SUGGESTION_ROWS: u64 = 1 << 26;

impl Default for AuditOptions {
    fn default() -> Self {
        let mut reading = PipelineOptions {
            bases: Bases::here(),
            archives: Archived::Files,
            threads: cores(),
            verbosity: Verbosity {
                errors: false,
                ..Verbosity::default()
            },
            ..PipelineOptions::default()
        };
        reading.extractor.positions = Positions::Lines;
        AuditOptions {
            reading,
            naming: FileNaming {
                index: vec!["index.html".to_owned(), "index.htm".to_owned()],
                ..FileNaming::default()
            },
            strict_schemes: false,
            follows_symlinks: false,
            server: None,
            sources: SourceOptions::default(),
            built_from: None,
            levels: Levels::default(),
            checks_fragments: true,
            list: ListedLinks::default(),
            slug: None,
            entries: Override::empty(),
            orphan_assets: false,
            touching: None,
            added: None,
            results: Arc::default(),
            only_unknown: false,
            gone: Arc::default(),
            baseline: Baseline::default(),
            ignore: Vec::new(),
            suggestion_rows: SUGGESTION_ROWS,
        }
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

impl fmt::Debug for AuditOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut options = formatter.debug_struct("AuditOptions");
        options.field("roots", &self.reading.bases.mounts);
        options.field("levels", &self.levels);
        options.finish_non_exhaustive()
    }
}

impl AuditOptions {
    setters! {
        /// Sets whether fragments must name an existing place; they must by default.
        fragments(check: bool) => checks_fragments = check;

        /// Sets the dialect of Markdown, which decides what fragments name headings by.
        ///
        /// By default the dialect is taken from the generator whose configuration is in the root of a tree:
        /// `book.toml`, `mkdocs.yml`, `docusaurus.config.*`, `hugo.toml` or `_config.yml`; else GitHub's.
        slug(slug: Slug) => slug = Some(slug);

        /// Sets whether `[[Page]]` in Markdown is a link to a page of the tree; by default it is text.
        wiki_links(links: bool) => reading.extractor.formats.markdown.wiki_links = links;

        /// Sets whether `http` and `https` URIs differ; by default they do not.
        strict_schemes(strict: bool) => strict_schemes = strict;

        /// Sets whether symbolic links are followed out of the roots, and to find documents; by default
        /// they are not.
        follow_symlinks(follow: bool) => follows_symlinks = follow;

        /// Sets whether configurations of generators make directories the sources of sites, in which
        /// references lead where the generator makes them lead; they do by default, unless there are roots
        /// or a server.
        detect_sources(detect: bool) => sources.is_off = !detect;

        /// Sets whether any file of the tree may be an orphan: images, style sheets, scripts; by default only
        /// pages may.
        orphan_assets(assets: bool) => orphan_assets = assets;

        /// Sets the number of threads; 0, the default, means the number of cores.
        threads(threads: usize) => reading.threads = if threads > 0 { threads } else { cores() };

        /// Sets the bound on the cost of searches for suggestions, in rows of the edit distance table,
        /// besides reading each document once more.
        suggestion_rows(rows: u64) => suggestion_rows = rows;
    }

    /// Serves a directory at a URI; of several roots that contain a file the innermost is used.
    ///
    /// Without a root each path of the audit is the root of its own site.
    ///
    /// # Errors
    ///
    /// If the URI is not absolute, or has a query or a fragment; if the directory is a relative
    /// path and the current directory is not known.
    pub fn root(mut self, directory: impl AsRef<Path>, uri: &str) -> Result<Self, AuditError> {
        let uri = served_at(uri.as_bytes())
            .map_err(|reason| AuditError::InvalidRoot(format!("{uri} {reason}")))?;
        let directory = self.absolute(directory.as_ref())?;
        self.reading.bases.mounts.add(&directory, &uri);
        Ok(self)
    }

    /// Sets the level of a rule.
    ///
    /// # Errors
    ///
    /// If no rule has that name.
    pub fn level(mut self, rule: &str, level: Level) -> Result<Self, AuditError> {
        if self.levels.set(rule, level) {
            return Ok(self);
        }
        Err(AuditError::UnknownRule(rule.to_owned()))
    }

    /// Returns the name and the level of each rule.
    pub fn levels(&self) -> impl Iterator<Item = (&'static str, Level)> {
        self.levels.iter()
    }

    /// Sets the names of index files, the preferred one first; by default `index.html` and
    /// `index.htm`.
    #[must_use]
    pub fn index_files<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.naming.index = names.into_iter().map(N::into).collect();
        self
    }

    /// Sets the extensions that references may leave out, without their dot; none by default.
    #[must_use]
    pub fn optional_extensions<N: Into<String>>(
        mut self,
        extensions: impl IntoIterator<Item = N>,
    ) -> Self {
        self.naming.extensions = extensions.into_iter().map(N::into).collect();
        self
    }

    /// Sets the hosts that pages may load resources from, for the rule `external-resource`.
    #[must_use]
    pub fn allowed_hosts<N: Into<String>>(mut self, hosts: impl IntoIterator<Item = N>) -> Self {
        self.levels.allowed_hosts = hosts.into_iter().map(N::into).collect();
        self
    }

    /// Sets the server in whose view files are found: `static`, `github-pages`, `gitlab-pages`,
    /// `cloudflare-pages`, `netlify`, `vercel`, `firebase`, `apache` or `nginx-try`; by default, `auto`, the files in the root of each site
    /// determine it.
    ///
    /// # Errors
    ///
    /// If no server has that name.
    pub fn server(mut self, name: &str) -> Result<Self, AuditError> {
        let unknown = || AuditError::UnknownServer(name.to_owned());
        let kind = || ServerKind::named(name).ok_or_else(unknown);
        self.server = (name != "auto").then(kind).transpose()?;
        Ok(self)
    }

    /// Makes a directory the source of a site of a generator, such as `mkdocs`, whatever its files say.
    ///
    /// # Errors
    ///
    /// If no generator has that name; if the directory is a relative path and the current directory is
    /// not known.
    pub fn source(mut self, kind: &str, directory: impl AsRef<Path>) -> Result<Self, AuditError> {
        let unknown = || AuditError::UnknownSource(kind.to_owned());
        let kind = generator(kind).ok_or_else(unknown)?;
        let directory = self.absolute(directory.as_ref())?;
        self.sources.given.push((kind, directory));
        Ok(self)
    }

    /// Sets the directory of the sources that the site was built from: findings then name the file and the line
    /// that they come from.
    ///
    /// # Errors
    ///
    /// If it is not a directory, or a relative path and the current directory is not known.
    pub fn built_from(mut self, directory: impl AsRef<Path>) -> Result<Self, AuditError> {
        let path = directory.as_ref();
        if !path.is_dir() {
            let reason = format!("{}: it is not a directory", path.display());
            return Err(AuditError::InvalidRoot(reason));
        }
        self.built_from = Some(with_slash(&self.absolute(path)?));
        Ok(self)
    }

    /// Sets globs of documents that are never orphans.
    ///
    /// # Errors
    ///
    /// If a glob is invalid.
    pub fn entries<G: AsRef<str>>(
        mut self,
        globs: impl IntoIterator<Item = G>,
    ) -> Result<Self, AuditError> {
        let mut builder = OverrideBuilder::new(".");
        for glob in globs {
            builder.add(glob.as_ref()).map_err(AuditError::glob)?;
        }
        self.entries = builder.build().map_err(AuditError::glob)?;
        Ok(self)
    }

    /// Limits the findings to those whose source or target is one of these paths or below one;
    /// without paths there is no limit.
    ///
    /// # Errors
    ///
    /// If a path is relative and the current directory is not known.
    pub fn touching<P: AsRef<Path>>(
        self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, AuditError> {
        let mut paths = paths.into_iter().peekable();
        if paths.peek().is_none() {
            return Ok(self);
        }
        self.touching_only(paths)
    }

    /// Like [`AuditOptions::touching`], but without a path no finding is left.
    pub(crate) fn touching_only<P: AsRef<Path>>(
        mut self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, AuditError> {
        let paths = paths.into_iter().map(|path| self.absolute(path.as_ref()));
        let paths: Vec<_> = paths.collect::<Result<_, _>>()?;
        let gone = paths.iter().filter(|path| !path_of(path).exists());
        self.gone = Arc::new(GoneFiles::new(gone.map(Vec::as_slice)));
        self.touching = Some(paths.into_iter().collect());
        Ok(self)
    }

    /// Limits the findings to lines of files; others have none.
    pub(crate) fn added(mut self, lines: AddedLines<PathBuf>) -> Result<Self, AuditError> {
        let absolute = |(path, lines): (PathBuf, _)| Ok((self.absolute(&path)?, lines));
        let lines = lines.into_iter().map(absolute).collect::<Result<_, _>>()?;
        self.added = Some(Arc::new(lines));
        Ok(self)
    }

    /// Returns whether findings on a line of a file are shown; without a line, only in files that are new.
    pub(super) fn shows_line(&self, path: &[u8], line: Option<u64>) -> bool {
        let Some(added) = &self.added else {
            return true;
        };
        match added.get(path) {
            None => false,
            Some(None) => true,
            Some(Some(ranges)) => {
                line.is_some_and(|line| ranges.iter().any(|range| range.contains(&line)))
            }
        }
    }

    /// Sets the new paths of renamed files, after [`AuditOptions::touching_only`].
    pub(crate) fn renamed(mut self, pairs: &[(PathBuf, PathBuf)]) -> Result<Self, AuditError> {
        for (old, new) in pairs {
            let (old, new) = (self.absolute(old)?, self.absolute(new)?);
            if let Some(gone) = Arc::get_mut(&mut self.gone) {
                gone.rename(&old, &new);
            }
        }
        Ok(self)
    }

    /// Leaves out the findings whose keys a baseline lists: each line begins with a key, or is empty or
    /// a `#` comment.
    ///
    /// # Errors
    ///
    /// Those of the reader, and `InvalidData` for any other line.
    pub fn baseline(mut self, reader: impl BufRead) -> Result<Self, AuditError> {
        self.baseline = Baseline::read(reader).map_err(AuditError::Io)?;
        Ok(self)
    }

    /// Ignores the findings that match an entry; they are counted in the summary. An entry that
    /// matches nothing is a finding itself, of the rule `unused-ignore`.
    ///
    /// # Errors
    ///
    /// If the entry has neither a rule nor a target nor a path, or names a rule that does not
    /// exist; if a glob or the date is invalid.
    pub fn ignore(mut self, entry: IgnoreEntry) -> Result<Self, AuditError> {
        let rule = IgnoreRule::new(entry).map_err(AuditError::InvalidIgnore)?;
        self.ignore.push(rule);
        Ok(self)
    }

    /// Reads a document from memory instead of its file: for editors and preprocessors. Contents of a
    /// file that does not exist are not read.
    ///
    /// `path` is the path as the audit reaches it from those that it is given.
    #[must_use]
    pub fn overlay(mut self, path: impl Into<PathBuf>, contents: impl Into<Vec<u8>>) -> Self {
        let whole = Splice {
            range: Splice::WHOLE,
            bytes: contents.into(),
        };
        Arc::make_mut(&mut self.reading.replaced).insert(path.into(), vec![whole]);
        self
    }

    /// Returns whether a path lies in a tree of the audit of some paths, or holds one.
    pub(crate) fn is_in_tree(&self, path: &Path, paths: &[PathBuf]) -> Result<bool, AuditError> {
        let bases = &self.reading.bases;
        let absolute = |path: &Path| self.absolute(path).map(|path| path_of(&path));
        let path = absolute(path)?;
        let mounts = bases.mounts.iter().chain(bases.repositories.iter());
        let mounts = mounts.map(|(root, _)| Ok(path_of(root)));
        let mut trees = mounts.chain(paths.iter().map(|tree| absolute(tree)));
        let is_near = |tree: PathBuf| path.starts_with(&tree) || tree.starts_with(&path);
        trees.try_fold(false, |found, tree| Ok(is_near(tree?) || found))
    }

    /// Returns the options of another run that has all findings, and shows none.
    pub(crate) fn of_all_findings(&self) -> Self {
        let mut options = AuditOptions {
            touching: None,
            added: None,
            baseline: Baseline::default(),
            list: ListedLinks::Findings,
            suggestion_rows: 0,
            ..self.clone()
        };
        options.reading.progress = None;
        options.reading.verbosity.errors = false;
        options.reading.verbosity.diagnostics = false;
        options
    }

    fn absolute(&self, path: &Path) -> Result<Vec<u8>, AuditError> {
        let mut names = AbsolutePaths::default();
        let path = path.as_os_str().as_encoded_bytes();
        let absolute = self.reading.bases.absolute(&mut names, path);
        absolute.map_err(AuditError::UnknownDirectory)
    }
}

/// The reason why an audit cannot start, or cannot end well.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuditError {
    /// No rule has this name.
    UnknownRule(String),
    /// No server has this name.
    UnknownServer(String),
    /// No generator has this name.
    UnknownSource(String),
    /// The URI of a root, and the reason why it cannot be one.
    InvalidRoot(String),
    /// The message for a relative path where the current directory is not known.
    UnknownDirectory(String),
    /// The message for an invalid glob.
    InvalidGlob(String),
    /// The message for an invalid entry of ignored findings.
    InvalidIgnore(String),
    /// A baseline cannot be read, or a report cannot be written.
    Io(io::Error),
}

impl AuditError {
    fn glob(error: ignore::Error) -> Self {
        AuditError::InvalidGlob(error.to_string())
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AuditError::UnknownRule(name) => write!(formatter, "unknown rule {name}"),
            AuditError::UnknownServer(name) => write!(formatter, "unknown server {name}"),
            AuditError::UnknownSource(name) => write!(formatter, "unknown generator {name}"),
            AuditError::InvalidRoot(message)
            | AuditError::UnknownDirectory(message)
            | AuditError::InvalidGlob(message)
            | AuditError::InvalidIgnore(message) => formatter.write_str(message),
            AuditError::Io(error) => error.fmt(formatter),
        }
    }
}

impl error::Error for AuditError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            AuditError::Io(error) => error.source(),
            _ => None,
        }
    }
}

/// The contents of the reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListedLinks {
    #[default]
    Findings,
    /// Findings, and every link with its state.
    Links,
    /// Findings, and each target elsewhere on the network once.
    External,
    /// No findings: the anchors of all documents.
    Anchors,
}

/// Makes each path the root of its own site (A4), unless there are roots or another base; returns
/// the directories that have become roots, as given.
pub(crate) fn assume_roots(
    bases: &mut Bases,
    paths: &[PathBuf],
) -> Result<Vec<Vec<u8>>, AuditError> {
    let mut assumed = Vec::new();
    if !bases.mounts.is_empty() || bases.otherwise != UnmountedBase::File {
        return Ok(assumed);
    }
    let (mut names, mut mounted) = (AbsolutePaths::default(), HashSet::new());
    for path in paths {
        let directory = root_of(path);
        let absolute = bases.absolute(&mut names, &directory);
        let absolute = absolute.map_err(AuditError::UnknownDirectory)?;
        let uri = internal_origin(mounted.len());
        if mounted.insert(absolute.clone()) {
            bases.mounts.add(&absolute, &uri);
            if !members::is_archive_of_files(path) {
                bases.add_repository(&absolute);
                // A host serves the directory that its configuration names, and not the whole.
                for published in server::published_directories(&absolute) {
                    let uri = internal_origin(mounted.len());
                    if mounted.insert(published.clone()) {
                        bases.mounts.add(&published, &uri);
                    }
                }
            }
            assumed.push(directory);
        }
    }
    Ok(assumed)
}

/// Returns the root of the site of a path without mounts: a directory, an archive of files, or the
/// directory of any other file.
pub(crate) fn root_of(path: &Path) -> Vec<u8> {
    if members::is_archive_of_files(path) {
        return path.as_os_str().as_encoded_bytes().to_vec();
    }
    directory_of(path)
}

pub(crate) fn walk_root(path: &Path) -> Root {
    if path == Path::new(".") {
        return Root::Here;
    }
    Root::Path(path.to_path_buf())
}

/// Returns the directory of an absolute root, which may be an archive.
fn directory_of_root(root: &[u8]) -> Cow<'_, [u8]> {
    let file = root.strip_suffix(b"/").unwrap_or(root);
    if path_of(file).is_file() {
        return [file, b"!"].concat().into();
    }
    root.into()
}

fn directories_of(mounts: &Mounts) -> Mounts {
    let mut all = Mounts::default();
    for (root, uri) in mounts.iter() {
        all.add(&directory_of_root(root), uri);
    }
    all
}

/// The options of an audit, and the state that its workers share.
pub(crate) struct Audit {
    pub(crate) options: AuditOptions,
    pub(super) checker: TargetChecker,
    /// Some names are compared by their hashes alone: the seed is new for each run, so that names
    /// that collide cannot be prepared.
    pub(super) hasher: RandomState,
    pub(super) ignored: IgnoreRules,
    wiki: WikiPages,
    pub(super) sources: Sources,
    repositories: Vec<Repository>,
    /// Held while the first pass reads a document that takes much memory.
    pub(super) heavy: Mutex<()>,
}

impl Audit {
    /// Some of the paths may lie under no root.
    pub(crate) fn new(mut options: AuditOptions, paths: &[PathBuf]) -> Self {
        if options.server.is_some() || options.list == ListedLinks::Anchors {
            // The files are a site, and not those that a forge shows.
            options.reading.bases.repositories = Mounts::default();
        }
        let archives = options.reading.clone();
        let bases = &mut options.reading.bases;
        let index = options.naming.index.iter();
        bases.index = index.map(|name| [b"/", name.as_bytes()].concat()).collect();
        let mut names = AbsolutePaths::default();
        let mut absolute = |path: &PathBuf| {
            let path = names.absolute(&bases.here, &root_of(path));
            path.map(<[u8]>::to_vec)
        };
        let directories: Vec<_> = paths.iter().map(&mut absolute).collect();
        let mounted = bases.mounts.iter().chain(bases.repositories.iter());
        let mounted = mounted.map(|(directory, _)| directory);
        let roots = mounted.chain(directories.iter().flatten().map(Vec::as_slice));
        let roots: Vec<_> = roots.map(directory_of_root).collect();
        let known = roots.iter().map(|root| &**root);
        let tree = DiskTree::new(options.follows_symlinks, known, archives);
        // The files below a given URI are a site, and not the sources of one.
        let mut sources = options.sources.clone();
        sources.is_off |= options.server.is_some()
            || bases.mounts.is_empty()
            || bases.mounts.iter().any(|(_, uri)| !is_internal_origin(uri));
        let named = directories.iter().flatten().map(Vec::as_slice);
        let sources = Sources::new(&sources, named, &tree);
        if let Some(slug) = options.slug {
            options.reading.extractor.formats.markdown.slug = slug;
        } else {
            for root in &roots {
                let slug = slug_of_tree(root, &tree).filter(|_| !sources.has_site_in(root));
                slug.into_iter()
                    .for_each(|slug| options.reading.dialects.add(root, slug));
            }
            for (directory, slug) in sources.dialects() {
                options.reading.dialects.add(directory, slug);
            }
        }
        // Beside the sources of a site the file names the host of the site that is built.
        if sources.is_empty() {
            bases.mounts =
                server::with_hosts(options.server, &bases.mounts, &tree, directory_of_root);
        }
        let repositories = bases.repositories.iter();
        let repositories = repositories.map(|(root, _)| Repository::new(root));
        let repositories: Vec<_> = repositories.collect();
        let (mounts, naming) = (directories_of(&bases.mounts), options.naming.clone());
        Audit {
            checker: TargetChecker {
                servers: Servers::new(options.server, &mounts, &tree, &naming),
                tree,
                naming,
                mounts: directories_of(&with_whole_disk(bases, &directories)),
                strict_schemes: options.strict_schemes,
                paths: PathTable::default(),
            },
            hasher: RandomState::default(),
            ignored: IgnoreRules::new(&options.ignore),
            wiki: WikiPages::default(),
            sources,
            repositories,
            heavy: Mutex::default(),
            options,
        }
    }

    /// Returns an absolute path relative to the current directory, if it is below.
    pub(super) fn shown<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        let here = &self.options.reading.bases.here;
        let below = path.strip_prefix(here.as_slice());
        match below.filter(|_| !here.is_empty()) {
            Some(b"") => b".",
            Some(below) => below,
            None => path,
        }
    }

    /// Returns where a target lies outside the repository of the Markdown that refers to it: on the
    /// forge (A99), or in the site of the Markdown (A98).
    fn beside(
        &self,
        link: &Link<'_>,
        target: &[u8],
        location: TargetLocation,
        lookups: &mut LookupCache<'_>,
    ) -> TargetLocation {
        let Some(base) = link.base.map(|base| base.uri) else {
            return location;
        };
        let may_leave = memchr::memmem::find(link.reference, b"..").is_some();
        let above = may_leave.then(|| steps_above(lookups.depth(base), link.reference));
        let above = above.flatten();
        if is_internal(base) && above.is_some_and(is_on_forge) {
            return TargetLocation::Skipped;
        }
        if !is_of_repository(base) {
            return location;
        }
        if above.is_some() {
            return TargetLocation::OutsideRoot;
        }
        if let TargetLocation::NoIndex(directory) = location {
            let directory = self.checker.paths.path(directory);
            return directory_page(&self.checker, &directory).unwrap_or(location);
        }
        if location != TargetLocation::Nothing {
            return location;
        }
        let expected = |uri| self.checker.expected(uri).ok();
        let mounts = &self.checker.mounts;
        let other = match link.reference.trim_ascii_start() {
            [b'/', ..] => expected(target).and_then(|file| {
                let mut uri = mounts.uri_of_mount(&expected(base)?.path)?.to_vec();
                push_path(file.below(), &mut uri);
                Some(uri)
            }),
            _ => expected(target).and_then(|file| mounts.uri(&file.path)),
        };
        other.map_or(location, |other| lookups.locate(&other))
    }

    /// Returns whether a forge shows a document, and no generator.
    pub(super) fn is_shown_by_forge(&self, path: &[u8]) -> bool {
        !self.repositories.is_empty() && !self.sources.has(path)
    }

    /// Returns the answer for a target on the network.
    pub(super) fn answer(&self, link: &Link<'_>, location: TargetLocation) -> OnlineAnswer {
        let is_external = matches!(
            location,
            TargetLocation::External | TargetLocation::OutsideRoot
        );
        let target = link.target.ok().filter(|_| is_external);
        let found = target.and_then(|target| self.options.results.find(target));
        found.map_or(OnlineAnswer::Unknown, |found| found.answer)
    }

    /// Returns the location of a missing target that a generator or a forge may make (A108).
    fn undecided(
        &self,
        link: &Link<'_>,
        file: Option<FileId>,
        location: TargetLocation,
        lookups: &mut LookupCache<'_>,
    ) -> TargetLocation {
        let is_missing = [TargetLocation::Nothing, TargetLocation::OutsideRoot].contains(&location);
        let base = link.base.filter(|base| is_internal(base.uri));
        let (true, Some(file), Some(base)) = (is_missing, file, base) else {
            return location;
        };
        let path = self.checker.paths.path(file);
        let reference = link.reference.trim_ascii();
        let mut repositories = self.repositories.iter();
        if repositories.any(|own| own.is_template(&path) || own.is_upload(reference)) {
            return TargetLocation::Skipped;
        }
        let written: Vec<u8> = percent_decode(split_path(reference).0).collect();
        let directories = memchr::memrchr_iter(b'/', &path).map(|at| &path[..=at]);
        let depth = lookups.depth(base.uri);
        if let Some(below) = written.strip_prefix(b"/") {
            let name = split_name(below).1;
            let may_be_page = link.flags.contains(Flags::OWN_SYNTAX) && !name.contains(&b'.');
            let below = below.strip_suffix(b"/").unwrap_or(below);
            let is_page = |directory: &[u8]| self.is_page_below(directory, below);
            if may_be_page && !below.is_empty() && directories.take(depth + 1).any(is_page) {
                return TargetLocation::Skipped;
            }
        } else if !is_of_repository(base.uri)
            && self.repositories.is_empty()
            && !HTML.iter().any(|end| path.ends_with(end))
            && steps_above(depth, link.reference).is_some()
        {
            // Nothing says that the tree ends at the named directory.
            let target = join(split_name(&path).0, &written);
            let checker = &self.checker;
            return match checker.tree.find(b"/", &target, &checker.naming) {
                DiskEntry::File(file, how) => TargetLocation::File(checker.paths.id(&file), how),
                DiskEntry::Directory(_) => TargetLocation::Served,
                _ => location,
            };
        }
        location
    }

    /// Returns whether generators make the page of a path from a file below a directory. Numbers before
    /// the names of files and directories only order them.
    fn is_page_below(&self, directory: &[u8], path: &[u8]) -> bool {
        let has_name = |name: &[u8], bare: &[u8], ends: &[&[u8]]| {
            let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let unnumbered = match name[digits..] {
                [b'-' | b'_' | b'.', ref rest @ ..] if digits > 0 => rest,
                _ => name,
            };
            [name, unnumbered].iter().any(|name| {
                let end = name.strip_prefix(bare);
                end.is_some_and(|end| ends.contains(&end))
            })
        };
        let (segment, rest) = match memchr::memchr(b'/', path) {
            Some(end) => (&path[..end], &path[end + 1..]),
            None => (path, &b""[..]),
        };
        let names = self.checker.tree.names(directory);
        let is_file = names
            .iter()
            .any(|name| has_name(name.as_bytes(), segment, &PAGE_ENDS));
        let mut below = names
            .iter()
            .filter(|name| has_name(name.as_bytes(), segment, &[b""]));
        rest.is_empty() && is_file
            || below.any(|name| {
                let below = [directory, name.as_bytes(), b"/"].concat();
                match rest {
                    b"" => ["index", "README"]
                        .iter()
                        .any(|page| self.is_page_below(&below, page.as_bytes())),
                    rest => self.is_page_below(&below, rest),
                }
            })
    }

    /// `file` is the document of the link, if it is known.
    pub(super) fn locate<'l, 'a>(
        &'a self,
        link: &Link<'l>,
        file: Option<FileId>,
        lookups: &mut LookupCache<'a>,
    ) -> (TargetLocation, Option<&'l [u8]>) {
        let (location, fragment) = self.locate_whole(link, file, lookups);
        // Style sheets read the fragments of images: `logo.svg#only-dark`.
        (location, fragment.filter(|_| link.element != Some("img")))
    }

    fn locate_whole<'l, 'a>(
        &'a self,
        link: &Link<'l>,
        file: Option<FileId>,
        lookups: &mut LookupCache<'a>,
    ) -> (TargetLocation, Option<&'l [u8]>) {
        let filter = &self.options.reading.filter;
        let is_left_out = link.flags.intersects(Flags::IGNORED | Flags::LOCAL);
        // The resolver flags each reference with a placeholder, and others.
        let is_template = link.flags.contains(Flags::TEMPLATE);
        if is_left_out || !filter.admits(link) || is_template && holds_placeholder(link.reference) {
            return (TargetLocation::LeftOut, None);
        }
        let target = match link.target {
            Ok(target) => target,
            // What a template will make of the reference is not known.
            Err(ResolveErrorKind::Template) => return (TargetLocation::Skipped, None),
            // The syntax of a private scheme is its own.
            Err(ResolveErrorKind::InvalidReference)
                if misspelt_scheme(link.reference).is_none() && is_private(link.reference) =>
            {
                return (TargetLocation::Skipped, None);
            }
            Err(kind) => return (TargetLocation::Unresolved(kind), None),
        };
        if is_in_script(link) {
            return (TargetLocation::Skipped, None);
        }
        if !self.sources.is_empty()
            && let Some((location, own)) = lookups.locate_in_source(&self.sources, link, file)
        {
            return (location, own.or(split_fragment(target).1));
        }
        if link.flags.contains(Flags::LEAVES_PACKAGE) {
            return (TargetLocation::OutsideRoot, split_fragment(target).1);
        }
        let (target, fragment, mut location) = lookups.split_and_locate(target);
        if location == TargetLocation::External {
            let mut own = self.repositories.iter();
            let own = own.find_map(|own| own.locate(target, &self.checker));
            return (own.unwrap_or(location), fragment);
        }
        let is_in_repository = link.base.is_some_and(|base| is_of_repository(base.uri));
        if is_in_repository
            || [TargetLocation::Nothing, TargetLocation::OutsideRoot].contains(&location)
        {
            location = self.beside(link, target, location, lookups);
            location = self.undecided(link, file, location, lookups);
        }
        if location == TargetLocation::Skipped && misspelt_scheme(link.reference).is_some() {
            location = TargetLocation::Unresolved(ResolveErrorKind::InvalidReference);
        }
        if let TargetLocation::File(_, LookupMatch::Redirect) = location {
            let fragment = fragment.filter(|_| !self.checker.sets_fragment(target));
            return (location, fragment);
        }
        let is_odf = link.member.is_some() && link.attribute == Some("xlink:href");
        let location = match location {
            // An object of ODF is a directory of the package.
            TargetLocation::NoIndex(_) if is_odf => TargetLocation::Served,
            // Names of parts are the same in any case (ECMA-376 part 2, 6.2.2.3).
            TargetLocation::File(file, LookupMatch::OtherCase)
                if link.element == Some("Relationship") =>
            {
                TargetLocation::File(file, LookupMatch::Exact)
            }
            // A code base is only resolved against, and need not be a page (A12).
            TargetLocation::NoIndex(_) if link.attribute == Some("codebase") => {
                TargetLocation::Skipped
            }
            TargetLocation::Nothing if link.flags.contains(Flags::WIKI) => {
                self.wiki.find(&self.checker, link.reference, target)
            }
            TargetLocation::Nothing if matches!(link.element, Some("doc" | "toctree")) => {
                match document_of_sphinx(target, lookups) {
                    // A document of the site includes the file.
                    TargetLocation::Nothing if !self.sources.is_empty() => TargetLocation::Skipped,
                    location => location,
                }
            }
            TargetLocation::Nothing | TargetLocation::OutsideRoot
                if link.flags.contains(Flags::MAPPED)
                    && file.is_some_and(|map| lookups.holds_sources(map)) =>
            {
                TargetLocation::Skipped
            }
            location => location,
        };
        (location, fragment)
    }
}

/// The ends of the files that generators make pages of.
const PAGE_ENDS: [&[u8]; 2] = [b".md", b".mdx"];
const HTML: [&[u8]; 3] = [b".html", b".htm", b".xhtml"];

/// Returns whether the target of a rule is touched, or gone.
pub(super) fn targets_touched(audit: &Audit, target: &[u8]) -> bool {
    (audit.checker.expected(split_path(target).0)).is_ok_and(|expected| {
        audit.options.gone.contains(&expected.path, false) || touches(audit, &expected.path)
    })
}

pub(super) fn touches(audit: &Audit, path: &[u8]) -> bool {
    let touching = audit.options.touching.as_ref();
    touching.is_none_or(|touching| touching.contains(path))
}

/// Others are taken for misspelt ones of these.
const COMMON: [&str; 4] = ["http", "https", "javascript", "mailto"];
/// Registered schemes that are near to the common ones.
const NEAR: [&str; 3] = ["httpg", "httpu", "shttp"];

/// Returns a misspelt scheme, and the one that was meant.
pub(super) fn misspelt_scheme(reference: &[u8]) -> Option<(&str, &'static str)> {
    let scheme = str::from_utf8(Reference::split(reference.trim_ascii()).scheme?).ok()?;
    let lower = scheme.to_ascii_lowercase();
    let is_near = |known: &&&str| {
        lower.len().abs_diff(known.len()) < 2 && strsim::osa_distance(&lower, known) == 1
    };
    let is_known = COMMON.contains(&&*lower) || NEAR.contains(&&*lower);
    let meant = COMMON.iter().find(is_near).filter(|_| !is_known);
    meant.map(|meant| (scheme, *meant))
}

/// Returns whether the rules of URLs on the web do not cover the scheme.
fn is_private(reference: &[u8]) -> bool {
    const WEB: [&[u8]; 6] = [b"file", b"ftp", b"http", b"https", b"ws", b"wss"];
    let scheme = Reference::split(reference.trim_ascii()).scheme;
    scheme.is_some_and(|scheme| !WEB.contains(&&*scheme.to_ascii_lowercase()))
}

/// Relative references of programs are in strings and comments.
fn is_in_script(link: &Link<'_>) -> bool {
    #[rustfmt::skip]
    const SCRIPTS: [&[u8]; 24] = [
        b"c", b"cc", b"cjs", b"cpp", b"cs", b"cts", b"go", b"h", b"hpp", b"java", b"js", b"jsx",
        b"kt", b"lua", b"mjs", b"mts", b"pl", b"py", b"rb", b"rs", b"sh", b"swift", b"ts", b"tsx",
    ];
    let base = link.base.unwrap_or_default();
    // The common cases.
    if matches!(base.uri, [.., b'l' | b'd' | b'/']) && !base.uri.ends_with(b".pl") {
        return false;
    }
    let name = split_name(base.uri).1;
    let extension = memchr::memrchr(b'.', name).map_or(&b""[..], |at| &name[at + 1..]);
    SCRIPTS.contains(&extension)
        && base.label.starts_with("retrieval:")
        && (Reference::split(link.reference.trim_ascii()).scheme).is_none()
}

/// Returns whether a path is a page of a forge, `steps` above the root of a repository, whose files
/// are at `blob/BRANCH/` (A99).
fn is_on_forge((steps, path): (usize, &[u8])) -> bool {
    match path.split(|&byte| byte == b'/').next().unwrap_or_default() {
        b"blob" | b"tree" | b"raw" => steps == 1 || steps == 2,
        b"actions" | b"archive" | b"branches" | b"commit" | b"commits" | b"compare"
        | b"contribute" | b"deployments" | b"discussions" | b"edit" | b"graphs" | b"issues"
        | b"labels" | b"milestones" | b"network" | b"new" | b"packages" | b"projects" | b"pull"
        | b"pulls" | b"releases" | b"search" | b"security" | b"stargazers" | b"tags" | b"wiki"
        | b"-" | b"merge_requests" => steps == 2,
        _ => false,
    }
}

/// Returns where a document without a suffix lies whose suffix is not `.rst` (A90).
fn document_of_sphinx(target: &[u8], lookups: &mut LookupCache<'_>) -> TargetLocation {
    const OTHERS: [&[u8]; 3] = [b".md", b".ipynb", b".txt"];
    let stem = target.strip_suffix(b".rst");
    let found = stem.and_then(|stem| {
        let mut others = (OTHERS.iter()).map(|suffix| lookups.locate(&[stem, suffix].concat()));
        others.find(|location| location.file().is_some())
    });
    found.unwrap_or(TargetLocation::Nothing)
}

/// Returns the dialect of the generator whose configuration is in a directory.
fn slug_of_tree(root: &[u8], tree: &DiskTree) -> Option<Slug> {
    let directory = &path_of(root);
    let names = tree.names(root);
    Slug::of_files(&names).or_else(|| {
        // Other generators use the old name too, but not this word.
        let file = Some(directory.join("config.toml")).filter(|file| file.is_file())?;
        let text = read_start(&file, 64 << 10).ok()?;
        memchr::memmem::find(&text, b"baseURL").map(|_| Slug::Hugo)
    })
}

/// Adds the repositories, and the whole disk if a directory lies under none of the mounts: its
/// files are found by their `file:` URIs (A5).
fn with_whole_disk(bases: &Bases, directories: &[Option<Vec<u8>>]) -> Mounts {
    let mounts = &bases.mounts;
    let is_outside = |directory: &Option<Vec<u8>>| {
        let directory = directory.as_deref();
        directory.is_none_or(|directory| mounts.relative_path(directory).is_none())
    };
    let mut mounts = mounts.clone();
    if directories.iter().any(is_outside) {
        mounts.add(b"/", b"file:///");
    }
    for (directory, uri) in bases.repositories.iter() {
        mounts.add(directory, uri);
    }
    mounts
}
