//! The options of an audit.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, BufRead};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::overrides::{Override, OverrideBuilder};
use smart_default::SmartDefault;
use thiserror::Error;

use super::disk::FileNaming;
use super::finding::Baseline;
use super::gone::GoneFiles;
use super::ignored::{IgnoreEntry, IgnoreRule};
use super::names::PathSet;
use super::results::OnlineResults;
use super::rules::{Level, Levels};
use super::server::{self, ServerKind};
use super::source::paths::with_slash;
use super::source::{SourceOptions, generator};
use crate::document::options::Slug;
use crate::extractor::Positions;
use crate::pipeline::bases::{Bases, UnmountedBase, directory_of, internal_origin, served_at};
use crate::pipeline::options::Splice;
use crate::pipeline::walk::{Root, bytes_of, path_of};
use crate::pipeline::workers::worker_count;
use crate::pipeline::{PipelineOptions, members};

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
#[derive(Clone, SmartDefault)]
#[non_exhaustive]
pub struct AuditOptions {
    #[default(reading())]
    pub(crate) reading: PipelineOptions,
    #[default(naming())]
    pub(super) naming: FileNaming,
    /// Whether `http` and `https` URIs of one host and path differ (A3).
    pub(super) strict_schemes: bool,
    pub(super) follows_symlinks: bool,
    pub(super) server: Option<&'static ServerKind>,
    pub(crate) sources: SourceOptions,
    /// The sources of the built site, with a slash at the end.
    pub(super) built_from: Option<Vec<u8>>,
    pub(crate) levels: Levels,
    #[default(true)]
    pub(super) checks_fragments: bool,
    pub(crate) list: ListedLinks,
    /// The dialect of Markdown; by default the dialect of each tree.
    pub(crate) slug: Option<Slug>,
    /// Documents that are never orphans.
    #[default(Override::empty())]
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
    /// The bound on the cost of searches, in comparisons of two names.
    #[default(SUGGESTION_COST)]
    pub(super) suggestion_cost: u64,
}

/// Lines of files, in ascending order; `None` for all lines of a file.
pub(crate) type AddedLines<P> = HashMap<P, Option<Vec<Range<u64>>>>;

/// Takes about a second.
const SUGGESTION_COST: u64 = 1 << 26;

fn naming() -> FileNaming {
    FileNaming {
        index: ["index.html", "index.htm"].map(str::to_owned).into(),
        ..FileNaming::default()
    }
}

fn reading() -> PipelineOptions {
    let mut reading = PipelineOptions {
        bases: Bases::here(),
        is_audit: true,
        threads: worker_count(0),
        ..PipelineOptions::default()
    };
    reading.verbosity.errors = false;
    reading.extractor.positions = Positions::Lines;
    reading
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

        /// Sets the number of threads; 0, the default, means the number of cores; at most 256, or that number.
        threads(threads: usize) => reading.threads = worker_count(threads);

        /// Sets the bound on the cost of searches for suggestions, in comparisons of two names,
        /// besides reading each document once more.
        suggestion_cost(comparisons: u64) => suggestion_cost = comparisons;

        /// Sets the names of index files, the preferred one first; by default `index.html` and
        /// `index.htm`.
        index_files(names: impl IntoIterator<Item: Into<String>>) => naming.index = texts(names).into();

        /// Sets the extensions that references may leave out, without their dot; none by default.
        optional_extensions(extensions: impl IntoIterator<Item: Into<String>>) => naming.extensions = texts(extensions);

        /// Sets the hosts that pages may load resources from, for the rule `external-resource`.
        allowed_hosts(hosts: impl IntoIterator<Item: Into<String>>) => levels.allowed_hosts = texts(hosts);
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

    /// Sets the server in whose view files are found: `static`, `github-pages`, `gitlab-pages`,
    /// `cloudflare-pages`, `netlify`, `vercel`, `firebase`, `azure`, `apache` or `nginx-try`; by default, `auto`, the files in the root of each site
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
    #[must_use]
    pub fn overlay(mut self, path: impl Into<PathBuf>, contents: impl Into<Vec<u8>>) -> Self {
        let path = path.into();
        let absolute = self.absolute(&path).map(|path| path_of(&path));
        let whole = Splice {
            range: Splice::WHOLE,
            bytes: contents.into(),
        };
        Arc::make_mut(&mut self.reading.replaced).insert(absolute.unwrap_or(path), vec![whole]);
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
            suggestion_cost: 0,
            ..self.clone()
        };
        options.reading.progress = None;
        options.reading.verbosity.errors = false;
        options.reading.verbosity.diagnostics = false;
        options
    }

    fn absolute(&self, path: &Path) -> Result<Vec<u8>, AuditError> {
        let absolute = self.reading.bases.absolute(bytes_of(path));
        absolute.map_err(AuditError::UnknownDirectory)
    }
}

fn texts(texts: impl IntoIterator<Item: Into<String>>) -> Vec<String> {
    texts.into_iter().map(Into::into).collect()
}

/// The reason why an audit cannot start, or cannot end well.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuditError {
    /// No rule has this name.
    #[error("unknown rule {0}")]
    UnknownRule(String),
    /// No server has this name.
    #[error("unknown server {0}")]
    UnknownServer(String),
    /// No generator has this name.
    #[error("unknown generator {0}")]
    UnknownSource(String),
    /// The URI of a root, and the reason why it cannot be one.
    #[error("{0}")]
    InvalidRoot(String),
    /// The message for a relative path where the current directory is not known.
    #[error("{0}")]
    UnknownDirectory(String),
    /// The message for an invalid glob.
    #[error("{0}")]
    InvalidGlob(String),
    /// The message for an invalid entry of ignored findings.
    #[error("{0}")]
    InvalidIgnore(String),
    /// A baseline cannot be read, or a report cannot be written.
    #[error(transparent)]
    Io(io::Error),
}

impl AuditError {
    fn glob(error: ignore::Error) -> Self {
        AuditError::InvalidGlob(error.to_string())
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
    let mut mounted = HashSet::new();
    for path in paths {
        let directory = root_of(path);
        let absolute = bases.absolute(&directory);
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
        return bytes_of(path).to_vec();
    }
    directory_of(path)
}

pub(crate) fn walk_root(path: &Path) -> Root {
    if path == Path::new(".") {
        return Root::Here;
    }
    Root::Path(path.to_path_buf())
}
