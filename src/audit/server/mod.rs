//! The view of a server on the files below a mount: which requests it answers beside those for files.
//!
//! Each mount has the view of one server, chosen by an option or by the files in its root. A view has
//! the names under which files are found, and the rules of redirect files, which are read once.

mod htaccess;
mod index;
mod redirects;
mod rule;
mod vercel;

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use foldhash::{HashMap, HashSet, HashSetExt};

use super::disk::{DiskTree, FileNaming, FileStart, LookupMatch, OptionalExtension};
use crate::bytes::lines::BYTE_ORDER_MARK;
use crate::document::diagnostic::{self, Code};
use crate::pipeline::bases::{is_internal_origin, served_at};
use crate::pipeline::walk::path_of;
use crate::uri::Mounts;
use index::{RuleIndex, TrailingSlash};
use rule::{ErrorPage, Occurrences, ParsedRules, ServerSettings};

pub(super) use index::MatchedRule;
pub(super) use rule::Request;

/// The length up to which redirect files are read, in bytes.
const MAX_LENGTH: u64 = 1 << 20;

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerKind {
    /// Serves files by their names, and index files for directories.
    Static,
    /// GitHub Pages.
    GithubPages,
    /// Netlify, and others with `_redirects`.
    Netlify,
    /// Vercel.
    Vercel,
    /// Apache httpd.
    Apache,
    /// nginx with `try_files $uri $uri.html $uri/`.
    NginxTry,
}

/// The properties of a kind of server.
pub(crate) struct ServerRow {
    /// The kind.
    pub(crate) kind: ServerKind,
    /// The name on the command line and in records.
    pub(crate) name: &'static str,
    /// Files in the root of a site that indicate the kind, besides those with rules.
    markers: &'static [&'static str],
    /// Files with rules for a site, in the order in which the rules apply.
    site_files: &'static [&'static RuleSyntax],
    /// The file with rules that any directory may have.
    directory_file: Option<&'static RuleSyntax>,
    /// Whether pages are found without their extension.
    extension: OptionalExtension,
    /// Paths that the platform answers itself.
    platform: &'static [&'static str],
}

impl ServerRow {
    const fn new(kind: ServerKind, name: &'static str) -> Self {
        ServerRow {
            kind,
            name,
            markers: &[],
            site_files: &[],
            directory_file: None,
            extension: OptionalExtension::Never,
            platform: &[],
        }
    }
}

/// Every kind of server; the first row of which the root of a site has a file is taken.
pub(crate) static SERVERS: &[ServerRow] = &[
    ServerRow::new(ServerKind::Static, "static"),
    ServerRow {
        site_files: &[&REDIRECTS, &NETLIFY_TOML],
        extension: OptionalExtension::WithSlash,
        platform: &["/.netlify/", "/cdn-cgi/"],
        ..ServerRow::new(ServerKind::Netlify, "netlify")
    },
    ServerRow {
        site_files: &[&VERCEL_JSON],
        platform: &["/_vercel/"],
        ..ServerRow::new(ServerKind::Vercel, "vercel")
    },
    ServerRow {
        directory_file: Some(&HTACCESS),
        ..ServerRow::new(ServerKind::Apache, "apache")
    },
    ServerRow {
        markers: &[CNAME, ".nojekyll"],
        extension: OptionalExtension::WithoutSlash,
        ..ServerRow::new(ServerKind::GithubPages, "github-pages")
    },
    ServerRow {
        extension: OptionalExtension::WithoutSlash,
        ..ServerRow::new(ServerKind::NginxTry, "nginx-try")
    },
];

const CNAME: &str = "CNAME";
/// The page that servers show for paths at which nothing is.
const ERROR_PAGE: &str = "404.html";

/// The syntax of files with rules that have one name.
struct RuleSyntax {
    /// The name of the files.
    name: &'static str,
    slash: TrailingSlash,
    parse: RuleParser,
}

/// The way in which a file with rules is parsed.
enum RuleParser {
    /// By lines, as far as the file was read.
    Lines(fn(&[u8]) -> ParsedRules),
    /// As a whole, which must be UTF-8.
    Whole {
        /// Returns the contents; `None` if they do not parse.
        parse: fn(&str) -> Option<ParsedRules>,
        /// Returns the directory of the site, below that of the file, if the file names one.
        published: fn(&str) -> Option<String>,
    },
}

static REDIRECTS: RuleSyntax = RuleSyntax {
    name: "_redirects",
    slash: TrailingSlash::Ignored,
    parse: RuleParser::Lines(redirects::parse_lines),
};

static NETLIFY_TOML: RuleSyntax = RuleSyntax {
    name: "netlify.toml",
    slash: TrailingSlash::Ignored,
    parse: RuleParser::Whole {
        parse: redirects::parse_toml,
        published: redirects::published,
    },
};

static VERCEL_JSON: RuleSyntax = RuleSyntax {
    name: "vercel.json",
    slash: TrailingSlash::Ignored,
    parse: RuleParser::Whole {
        parse: vercel::parse,
        published: vercel::published,
    },
};

static HTACCESS: RuleSyntax = RuleSyntax {
    name: ".htaccess",
    slash: TrailingSlash::Significant,
    parse: RuleParser::Lines(htaccess::parse),
};

impl RuleSyntax {
    /// Reads the file of a site: configurations of hosts from the root or from above it (A100).
    fn of_site(&self, tree: &DiskTree, root: &[u8]) -> Option<FileText> {
        match self.parse {
            RuleParser::Lines(_) => FileText::read(tree, root, self.name),
            RuleParser::Whole { published, .. } => {
                FileText::of_site(tree, root, self.name, published)
            }
        }
    }

    fn parse(&self, text: FileText) -> RuleFile {
        let (parsed, cut) = match self.parse {
            RuleParser::Lines(parse) => (parse(&text.text), text.cut),
            RuleParser::Whole { parse, .. } => {
                let parsed = text.whole().and_then(parse).unwrap_or_else(|| {
                    let mut parsed = ParsedRules::default();
                    parsed.invalid.add(0);
                    parsed
                });
                (parsed, None)
            }
        };
        RuleFile::new(text, parsed, self.slash, cut)
    }
}

impl ServerKind {
    /// Returns the kind of a name.
    pub(crate) fn named(name: &str) -> Option<ServerKind> {
        let row = SERVERS.iter().find(|row| row.name == name);
        row.map(|row| row.kind)
    }

    /// Returns the properties.
    pub(crate) fn row(self) -> &'static ServerRow {
        let row = SERVERS.iter().find(|row| row.kind == self);
        row.unwrap_or(&SERVERS[0])
    }

    /// Returns the kind that the files in the root of a site indicate.
    fn of_files(tree: &DiskTree, root: &[u8]) -> ServerKind {
        let has = |name: &str| tree.file_in(root, name.as_bytes()).is_some();
        let is_of_site = |file: &&RuleSyntax| match file.parse {
            RuleParser::Lines(_) => has(file.name),
            RuleParser::Whole { .. } => file.of_site(tree, root).is_some(),
        };
        let mut rows = SERVERS.iter();
        let row = rows.find(|row| {
            let mut files = row.site_files.iter().chain(&row.directory_file);
            files.any(is_of_site) || row.markers.iter().any(|name| has(name))
        });
        row.map_or(ServerKind::Static, |row| row.kind)
    }
}

/// The rules of one file.
#[derive(Debug)]
pub(super) struct RuleFile {
    /// The absolute path.
    pub(super) path: Vec<u8>,
    /// The rules.
    pub(super) rules: RuleIndex,
    /// The pages that the file names for paths at which nothing is.
    pub(super) error_pages: Vec<ErrorPage>,
    /// The parts of the file that are not followed, by the code of their diagnostic.
    pub(super) notes: Vec<(&'static Code, Occurrences)>,
    settings: ServerSettings,
}

impl RuleFile {
    fn new(
        text: FileText,
        mut parsed: ParsedRules,
        slash: TrailingSlash,
        cut: Option<u64>,
    ) -> Self {
        parsed.locate(&text.text);
        let rules = RuleIndex::new(parsed.rules, slash);
        parsed.unfollowed.count += rules.unfollowed;
        let cut = Occurrences {
            count: u64::from(cut.is_some()),
            first: cut.unwrap_or(0),
        };
        let mut notes = vec![
            (&diagnostic::SERVER_UNFOLLOWED, parsed.unfollowed),
            (&diagnostic::SERVER_INVALID, parsed.invalid),
            (&diagnostic::SERVER_TOO_LONG, cut),
        ];
        notes.retain(|(_, found)| found.count > 0);
        RuleFile {
            path: text.path,
            rules,
            error_pages: parsed.error_pages,
            notes,
            settings: parsed.settings,
        }
    }

    /// Returns the names under which files are found, with the settings of this file.
    fn naming(&self, naming: &FileNaming) -> FileNaming {
        FileNaming {
            index: (self.settings.index.as_ref())
                .unwrap_or(&naming.index)
                .clone(),
            pages: self.settings.pages.unwrap_or(naming.pages),
            extensions: naming.extensions.clone(),
        }
    }
}

/// The directives of a directory and of those above it.
#[derive(Debug)]
struct DirectoryConfig {
    file: Option<Arc<RuleFile>>,
    naming: Arc<FileNaming>,
    above: Option<Arc<DirectoryConfig>>,
}

/// The view of a server on one mount.
#[derive(Debug)]
pub(super) struct ServerView {
    pub(super) kind: ServerKind,
    /// The mounted directory, with its slash.
    root: Vec<u8>,
    naming: Arc<FileNaming>,
    /// The files with rules for the site, in the order in which the rules apply.
    files: Vec<Arc<RuleFile>>,
    /// The directories that Apache has looked at, by their paths without a slash at the end.
    directories: RwLock<HashMap<Box<[u8]>, Arc<DirectoryConfig>>>,
    /// The rules of files in these directories.
    directory_files: Mutex<Vec<Arc<RuleFile>>>,
    /// The paths below the root that are shown for paths at which nothing is.
    error_pages: Mutex<HashSet<Vec<u8>>>,
}

/// The answer of a server to a request.
#[derive(Debug)]
pub(super) enum ServerAnswer<'a> {
    /// By a rule of a file.
    Rule(&'a RuleFile, MatchedRule<'a>),
    /// The path is elsewhere, as the settings of the server say: the path without or with a slash or an
    /// extension.
    Path(&'a [u8], Vec<u8>),
    /// The platform has something at the path.
    Platform,
    /// By the files alone.
    Files,
}

/// The rules that apply to the requests for a path.
pub(super) struct PathConfig {
    directory: Option<Arc<DirectoryConfig>>,
    naming: Arc<FileNaming>,
}

impl PathConfig {
    /// Returns the names under which files are found.
    pub(super) fn naming(&self) -> &FileNaming {
        &self.naming
    }
}

impl ServerView {
    fn new(kind: ServerKind, root: &[u8], tree: &DiskTree, naming: &FileNaming) -> Self {
        let row = kind.row();
        let mut naming = FileNaming {
            pages: row.extension,
            ..naming.clone()
        };
        let mut files = Vec::new();
        for syntax in row.site_files {
            if let Some(text) = syntax.of_site(tree, root) {
                let file = syntax.parse(text);
                naming = file.naming(&naming);
                files.push(Arc::new(file));
            }
        }
        let view = ServerView {
            kind,
            root: root.to_vec(),
            naming: Arc::new(naming),
            files,
            directories: RwLock::default(),
            directory_files: Mutex::default(),
            error_pages: Mutex::default(),
        };
        for file in &view.files {
            view.add_error_pages(file);
        }
        view
    }

    /// Adds the pages that a file names for paths at which nothing is.
    fn add_error_pages(&self, file: &RuleFile) {
        let pages = file.error_pages.iter().map(|page| page.path.as_slice());
        let rules = file.rules.rules().iter();
        let rules = rules.filter(|rule| rule.status >= 400);
        let mut known = self
            .error_pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for page in pages.chain(rules.map(|rule| &rule.to.text[..])) {
            if let Some(page) = page.strip_prefix(b"/") {
                known.insert(page.to_vec());
                known.insert([page, b".html"].concat());
            }
        }
    }

    /// Returns what applies to requests for a path, which begins with the mounted directory.
    pub(super) fn config(&self, tree: &DiskTree, path: &[u8]) -> PathConfig {
        let Some(syntax) = self.kind.row().directory_file else {
            return PathConfig {
                directory: None,
                naming: Arc::clone(&self.naming),
            };
        };
        let mut here = self.root.strip_suffix(b"/").unwrap_or(&self.root).to_vec();
        let mut config = self.directory(tree, syntax, &here, None);
        let rest = path.strip_prefix(&self.root[..]).unwrap_or_default();
        for name in rest
            .split(|&byte| byte == b'/')
            .filter(|name| !name.is_empty())
        {
            if !tree.has_directory(&here, name) {
                break;
            }
            here.push(b'/');
            here.extend_from_slice(name);
            config = self.directory(tree, syntax, &here, Some(config));
        }
        PathConfig {
            naming: Arc::clone(&config.naming),
            directory: Some(config),
        }
    }

    /// Returns the directives of a directory, read if this is the first time.
    fn directory(
        &self,
        tree: &DiskTree,
        syntax: &RuleSyntax,
        path: &[u8],
        above: Option<Arc<DirectoryConfig>>,
    ) -> Arc<DirectoryConfig> {
        let known = self
            .directories
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = known.get(path) {
            return Arc::clone(config);
        }
        drop(known);
        let naming = above.as_ref().map_or(&self.naming, |above| &above.naming);
        let config = match (FileText::read(tree, path, syntax.name), &above) {
            // What applies above applies here.
            (None, Some(above)) => Arc::clone(above),
            (text, _) => {
                let file = text.map(|text| Arc::new(syntax.parse(text)));
                let naming = match &file {
                    Some(file) => Arc::new(file.naming(naming)),
                    None => Arc::clone(naming),
                };
                let above = above.clone();
                Arc::new(DirectoryConfig {
                    file,
                    naming,
                    above,
                })
            }
        };
        let mut known = self
            .directories
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        // Another worker may have been first.
        let is_new = !known.contains_key(path);
        let config = Arc::clone(known.entry(path.into()).or_insert(config));
        if is_new
            && let Some(file) = &config.file
            && above.is_none_or(|above| !Arc::ptr_eq(&above, &config))
        {
            self.add_error_pages(file);
            let mut files = self
                .directory_files
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            files.push(Arc::clone(file));
        }
        config
    }

    /// Returns the answer to a request, where `found` tells how a file was found at the path.
    pub(super) fn answer<'a>(
        &'a self,
        config: &'a PathConfig,
        request: &Request<'_>,
        found: Option<LookupMatch>,
    ) -> ServerAnswer<'a> {
        let exists = found.is_some_and(|how| how != LookupMatch::OtherCase);
        let mut directory = config.directory.as_ref();
        while let Some(config) = directory {
            if let Some(file) = &config.file
                && let Some(matched) = file.rules.find(request, exists)
            {
                return ServerAnswer::Rule(file, matched);
            }
            directory = config.above.as_ref();
        }
        for file in &self.files {
            if let Some(matched) = file.rules.find(request, exists) {
                return ServerAnswer::Rule(file, matched);
            }
        }
        if self.kind == ServerKind::Vercel
            && let Some(file) = self.files.first()
            && let Some(path) = moved_path(&file.settings, request.path, found)
        {
            return ServerAnswer::Path(&file.path, path);
        }
        if !exists && self.is_platform(b"", request.path) {
            return ServerAnswer::Platform;
        }
        ServerAnswer::Files
    }

    /// Returns whether the platform answers for a path, which is below a mount.
    pub(super) fn is_platform(&self, mount: &[u8], path: &[u8]) -> bool {
        let path = [mount, path].concat();
        let mut prefixes = self.kind.row().platform.iter();
        prefixes.any(|prefix| path.starts_with(prefix.as_bytes()))
    }

    /// Returns how a page counts that was found in some way: Vercel serves directories without a slash.
    pub(super) fn seen(&self, how: LookupMatch) -> LookupMatch {
        match how {
            LookupMatch::WithoutSlash if self.kind == ServerKind::Vercel => LookupMatch::Index,
            how => how,
        }
    }

    /// Returns all files with rules, in the order of their paths.
    pub(super) fn rule_files(&self) -> Vec<Arc<RuleFile>> {
        let read = self
            .directory_files
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut files: Vec<_> = self.files.iter().chain(&*read).map(Arc::clone).collect();
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        files
    }

    /// Returns whether a file is shown for paths at which nothing is.
    fn is_error_page(&self, path: &[u8]) -> bool {
        let known = self
            .error_pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let below = path.strip_prefix(&self.root[..]);
        below.is_some_and(|below| below == ERROR_PAGE.as_bytes() || known.contains(below))
    }
}

/// Returns the path to which Vercel sends the requests for a page that exists.
fn moved_path(
    settings: &ServerSettings,
    path: &[u8],
    found: Option<LookupMatch>,
) -> Option<Vec<u8>> {
    let how = found.filter(|how| *how != LookupMatch::OtherCase)?;
    let without = |path: &[u8]| match path.strip_suffix(b"/") {
        Some(b"") | None => path.to_vec(),
        Some(path) => path.to_vec(),
    };
    if settings.pages.is_some()
        && how == LookupMatch::Exact
        && let Some(page) = path.strip_suffix(b".html")
    {
        let page = match page.strip_suffix(b"index") {
            Some(directory) if directory.ends_with(b"/") => directory,
            _ => page,
        };
        let page = without(page);
        return Some(match settings.trailing_slash {
            Some(true) if page != b"/" => [&page[..], b"/"].concat(),
            _ => page,
        });
    }
    match settings.trailing_slash? {
        true if !path.ends_with(b"/") && how != LookupMatch::Exact => Some([path, b"/"].concat()),
        false if path.ends_with(b"/") && path != b"/" => Some(without(path)),
        _ => None,
    }
}

/// The text of a file with rules.
struct FileText {
    path: Vec<u8>,
    text: Vec<u8>,
    /// The length that was read, if the file is longer.
    cut: Option<u64>,
}

impl FileText {
    /// Reads a file of a directory, if it is a regular one and leads nowhere out of the roots.
    fn read(tree: &DiskTree, directory: &[u8], name: &str) -> Option<FileText> {
        let path = tree.file_in(directory, name.as_bytes())?;
        let (mut text, is_far) = match tree.read(&path, MAX_LENGTH + 1)? {
            FileStart::Read(text) => (text, false),
            FileStart::TooFar => (Vec::new(), true),
        };
        let is_long = text.len() as u64 > MAX_LENGTH;
        if is_long {
            let end = memchr::memrchr(b'\n', &text[..MAX_LENGTH as usize]);
            text.truncate(end.map_or(0, |end| end + 1));
        }
        let cut = (is_long || is_far).then_some(text.len() as u64);
        // A byte order mark becomes blanks, so that offsets stay.
        if text.starts_with(BYTE_ORDER_MARK) {
            text[..BYTE_ORDER_MARK.len()].fill(b' ');
        }
        let directory = directory.strip_suffix(b"/").unwrap_or(directory);
        let path = [directory, b"/", name.as_bytes()].concat();
        Some(FileText { path, text, cut })
    }

    /// Reads the configuration of a host for the site in a directory, from there or from above it in the
    /// repository (A100).
    fn of_site(
        tree: &DiskTree,
        root: &[u8],
        name: &str,
        published: fn(&str) -> Option<String>,
    ) -> Option<FileText> {
        let root = root.strip_suffix(b"/").unwrap_or(root);
        let site = path_of(root);
        let is_repository = |above: &&Path| above.join(".git").exists();
        let repository = site.ancestors().find(is_repository).unwrap_or(&site);
        let above = site
            .ancestors()
            .take_while(|above| above.starts_with(repository));
        above
            .map(|above| above.as_os_str().as_encoded_bytes())
            .find_map(|directory| {
                let text = FileText::read(tree, directory, name)?;
                let is_of_site = match text.whole().and_then(published) {
                    Some(below) => {
                        let below = below.split('/').filter(|name| !matches!(*name, "" | "."));
                        let names = std::iter::once(directory).chain(below.map(str::as_bytes));
                        names.collect::<Vec<_>>().join(&b'/') == root
                    }
                    None => directory == root && has_page(tree, root),
                };
                is_of_site.then_some(text)
            })
    }

    /// Returns the text, if it is complete and UTF-8.
    fn whole(&self) -> Option<&str> {
        let text = str::from_utf8(&self.text).ok()?;
        self.cut.is_none().then_some(text)
    }
}

/// Returns whether a directory has a page, as the root of a site has.
fn has_page(tree: &DiskTree, directory: &[u8]) -> bool {
    let names = tree.names(directory);
    names.iter().any(|name| name.ends_with(".html"))
}

/// The view on each mount.
#[derive(Debug, Default)]
pub(super) struct Servers {
    /// In the order of the mounts; those of static servers are left out.
    views: Vec<ServerView>,
    /// The indices of `views`, by the mounted directories with their slashes.
    by_root: HashMap<Box<[u8]>, usize>,
    /// A rule depends on the query of a target.
    pub(super) depends_on_query: bool,
}

impl Servers {
    /// Takes the views of `kind`, or of those that the files tell, on all mounts.
    pub(super) fn new(
        kind: Option<ServerKind>,
        mounts: &Mounts,
        tree: &DiskTree,
        naming: &FileNaming,
    ) -> Self {
        let mut servers = Servers::default();
        for (root, _) in mounts.iter() {
            let kind = kind.unwrap_or_else(|| ServerKind::of_files(tree, root));
            if kind == ServerKind::Static || servers.by_root.contains_key(root) {
                continue;
            }
            let view = ServerView::new(kind, root, tree, naming);
            servers.depends_on_query |=
                (view.files.iter()).any(|file| file.rules.depends_on_query());
            servers.by_root.insert(root.into(), servers.views.len());
            servers.views.push(view);
        }
        servers
    }

    /// Returns the view on a mounted directory, given with its slash; none if it is static.
    pub(super) fn of(&self, root: &[u8]) -> Option<&ServerView> {
        match self.views.is_empty() {
            true => None,
            false => self.by_root.get(root).map(|&index| &self.views[index]),
        }
    }

    /// Returns whether all views are static.
    pub(super) fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// Returns the views that are not static, in the order of the mounts.
    pub(super) fn iter(&self) -> impl Iterator<Item = &ServerView> {
        self.views.iter()
    }

    /// Returns the views that were taken, for the summary; `shown` is the path that people see.
    pub(super) fn summaries(&self, shown: impl Fn(&[u8]) -> Vec<u8>) -> Vec<SiteServer> {
        let summary = |view: &ServerView| {
            let files = view.rule_files();
            SiteServer {
                root: shown(&view.root),
                server: view.kind.row().name,
                rules: files
                    .iter()
                    .map(|file| (file.rules.rules().len() + file.error_pages.len()) as u64)
                    .sum(),
                unfollowed: files
                    .iter()
                    .flat_map(|file| &file.notes)
                    .map(|(_, found)| found.count)
                    .sum(),
            }
        };
        self.views.iter().map(summary).collect()
    }

    /// Returns whether a file is shown for paths at which nothing is.
    pub(super) fn is_error_page(&self, path: &[u8]) -> bool {
        self.views.iter().any(|view| view.is_error_page(path))
    }
}

/// Gives the mounts with an internal origin the host that GitHub Pages reads from `CNAME`; `directory`
/// returns the directory of a root, which may be an archive.
pub(super) fn with_hosts(
    kind: Option<ServerKind>,
    mounts: &Mounts,
    tree: &DiskTree,
    directory: fn(&[u8]) -> Cow<'_, [u8]>,
) -> Mounts {
    let mut with_hosts = Mounts::default();
    let mut hosts = HashSet::new();
    for (root, uri) in mounts.iter() {
        let is_internal = is_internal_origin(uri);
        let files = directory(root);
        let kind = || kind.unwrap_or_else(|| ServerKind::of_files(tree, &files));
        let host = match is_internal && kind() == ServerKind::GithubPages {
            true => FileText::read(tree, &files, CNAME).and_then(|text| host_in(&text.text)),
            false => None,
        };
        // Two sites have two hosts.
        let host = host.filter(|host| hosts.insert(host.clone()));
        with_hosts.add(root, host.as_deref().unwrap_or(uri));
    }
    with_hosts
}

/// Returns the URI of the host that a `CNAME` file names.
fn host_in(text: &[u8]) -> Option<Vec<u8>> {
    let host = text.split(|&byte| byte == b'\n').next()?.trim_ascii();
    let in_host = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let is_host = host.len() < 256 && host.contains(&b'.') && host.iter().all(in_host);
    served_at(&[b"https://", host, b"/"].concat())
        .ok()
        .filter(|_| is_host)
}

/// The view that was taken on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SiteServer {
    /// The mounted directory.
    pub(crate) root: Vec<u8>,
    /// The name of the server.
    pub(crate) server: &'static str,
    /// The number of rules.
    pub(crate) rules: u64,
    /// The number of rules and directives that are not followed.
    pub(crate) unfollowed: u64,
}
