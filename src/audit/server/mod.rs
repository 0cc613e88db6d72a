//! The view of a server on the files below a mount: which requests it answers beside those for files.
//!
//! Each mount has the view of one server, chosen by an option or by the files in its root. A view has
//! the names under which files are found, and the rules of redirect files, which are read once.

mod htaccess;
mod index;
mod json;
mod redirects;
mod rule;

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use foldhash::{HashMap, HashSet, HashSetExt};
use parking_lot::RwLock;

use super::disk::OptionalExtension::{self, Never, WithSlash, WithoutSlash};
use super::disk::{DiskTree, FileNaming, LookupMatch, start_of};
use super::source::paths::with_slash;
use crate::bytes::lines::mark_length;
use crate::document::diagnostic;
use crate::linker::Diagnostic;
use crate::pipeline::bases::{is_internal_origin, served_at};
use crate::pipeline::members;
use crate::pipeline::walk::path_of;
use crate::uri::Mounts;
use rule::{ParsedRules, ServerSettings};

pub(super) use index::{MatchedRule, RuleIndex};
pub(super) use rule::{DestinationTemplate, Request, ServerRule};

const MAX_LENGTH: u64 = 1 << 20;

pub(crate) struct ServerKind {
    pub(crate) name: &'static str,
    /// Files in the root of a site of this kind, besides those with rules.
    markers: &'static [&'static str],
    /// The files in the root of a site, in the order in which their rules apply.
    site_files: &'static [RuleSyntax],
    /// The file that any directory may have.
    directory_file: Option<RuleSyntax>,
    extension: OptionalExtension,
    platform: &'static [&'static str],
    /// Slashes and extensions of pages are added and removed, as by Vercel.
    moves_pages: bool,
    /// [`CNAME`] names the host.
    reads_host: bool,
}

impl ServerKind {
    const fn new(
        name: &'static str,
        site_files: &'static [RuleSyntax],
        extension: OptionalExtension,
        platform: &'static [&'static str],
    ) -> Self {
        ServerKind {
            name,
            markers: &[],
            site_files,
            directory_file: None,
            extension,
            platform,
            moves_pages: false,
            reads_host: false,
        }
    }
}

static STATIC: ServerKind = ServerKind::new("static", &[], Never, &[]);

const REDIRECT_LINES: RuleSyntax = RuleSyntax::new("_redirects", redirects::parse_lines);
const NETLIFY: RuleSyntax = RuleSyntax {
    published: Some(|text| vec![(redirects::published(text), 0..text.len())]),
    ..RuleSyntax::new("netlify.toml", redirects::parse_toml)
};
const WRANGLER: RuleSyntax = RuleSyntax {
    published: Some(|text| vec![(redirects::output_directory(text), 0..text.len())]),
    ..RuleSyntax::new("wrangler.toml", |_| Some(ParsedRules::default()))
};
const VERCEL: RuleSyntax = RuleSyntax {
    published: Some(|text| json::VERCEL.sites(text)),
    ..RuleSyntax::new("vercel.json", |text| json::VERCEL.parse(text))
};
const FIREBASE: RuleSyntax = RuleSyntax {
    published: Some(|text| json::FIREBASE.sites(text)),
    ..RuleSyntax::new("firebase.json", |text| json::FIREBASE.parse(text))
};
const AZURE: RuleSyntax =
    RuleSyntax::new("staticwebapp.config.json", |text| json::AZURE.parse(text));
const HTACCESS: RuleSyntax = RuleSyntax {
    is_slash_significant: true,
    ..RuleSyntax::new(".htaccess", htaccess::parse)
};

/// The first kind with a file in the root of a site is used.
pub(crate) static SERVERS: &[&ServerKind] = &[
    &STATIC,
    // Others with `_redirects` are alike.
    &ServerKind::new(
        "netlify",
        &[REDIRECT_LINES, NETLIFY],
        WithSlash,
        &["/.netlify/", "/cdn-cgi/"],
    ),
    &ServerKind {
        moves_pages: true,
        ..ServerKind::new("vercel", &[VERCEL], Never, &["/_vercel/"])
    },
    &ServerKind {
        moves_pages: true,
        ..ServerKind::new("firebase", &[FIREBASE], Never, &["/__/"])
    },
    &ServerKind::new("azure", &[AZURE], WithSlash, &["/.auth/", "/api/"]),
    // Apache httpd.
    &ServerKind {
        directory_file: Some(HTACCESS),
        ..ServerKind::new("apache", &[], Never, &[])
    },
    &ServerKind {
        markers: &[CNAME, ".nojekyll"],
        reads_host: true,
        ..ServerKind::new("github-pages", &[], WithoutSlash, &[])
    },
    &ServerKind::new(
        "cloudflare-pages",
        &[REDIRECT_LINES, WRANGLER],
        WithSlash,
        &["/cdn-cgi/"],
    ),
    &ServerKind::new("gitlab-pages", &[REDIRECT_LINES], WithoutSlash, &[]),
    // With `try_files $uri $uri.html $uri/`.
    &ServerKind::new("nginx-try", &[], WithoutSlash, &[]),
];

const CNAME: &str = "CNAME";
/// Shown for paths without a file.
const ERROR_PAGE: &str = "404.html";

/// Returns the sites of a configuration, each with its directory below the file's, if it is named, and
/// the range of its settings.
type PublishedSites = fn(&[u8]) -> Vec<(Option<String>, Range<usize>)>;
/// Returns `None` if the text does not parse.
type ParseRules = fn(&[u8]) -> Option<ParsedRules>;

struct RuleSyntax {
    name: &'static str,
    is_slash_significant: bool,
    parse: ParseRules,
    /// For configurations of hosts, which are only parsed as a whole.
    published: Option<PublishedSites>,
}

impl RuleSyntax {
    const fn new(name: &'static str, parse: ParseRules) -> Self {
        RuleSyntax {
            name,
            is_slash_significant: false,
            parse,
            published: None,
        }
    }

    /// Configurations of hosts may be above the root in the repository or the audited tree (A100).
    fn of_site(&self, tree: &DiskTree, root: &[u8]) -> Option<FileText> {
        let Some(published) = self.published else {
            return FileText::read(tree, root, self.name);
        };
        let root = root.strip_suffix(b"/").unwrap_or(root);
        let site = path_of(root);
        let is_repository = |above: &&Path| above.join(".git").exists();
        let repository = site.ancestors().find(is_repository);
        let tree_root = repository
            .or_else(|| tree.root_above(&site))
            .unwrap_or(&site);
        let mut above = (site.ancestors()).take_while(|above| above.starts_with(tree_root));
        above.find_map(|directory| {
            let directory = directory.as_os_str().as_encoded_bytes();
            let mut file = FileText::read(tree, directory, self.name)?;
            let is_page = |name: &String| name.ends_with(".html");
            let is_of_site = |below: Option<&String>| match below.filter(|_| file.cut.is_none()) {
                Some(below) => path_below(directory, below) == root,
                None => directory == root && tree.names(root).iter().any(is_page),
            };
            let mut sites = published(&file.text).into_iter();
            let (_, settings) = sites.find(|(below, _)| is_of_site(below.as_ref()))?;
            // Only the settings of the site are left, at their places and lines.
            for (at, byte) in file.text.iter_mut().enumerate() {
                if !settings.contains(&at) && !byte.is_ascii_whitespace() {
                    *byte = b' ';
                }
            }
            Some(file)
        })
    }

    fn parse(&self, file: FileText) -> RuleFile {
        let is_whole = self.published.is_some();
        let parsed = (self.parse)(&file.text).filter(|_| !is_whole || file.cut.is_none());
        let is_invalid = parsed.is_none();
        let mut parsed = parsed.unwrap_or_default();
        if is_invalid {
            parsed.invalid.push(0);
        }
        parsed.cut = file.cut.filter(|_| !is_whole);
        parsed.locate(&file.text);
        let rules = RuleIndex::new(std::mem::take(&mut parsed.rules), self.is_slash_significant);
        // Those past the limits are at no offset.
        parsed.unfollowed.extend(vec![0; rules.unfollowed as usize]);
        RuleFile {
            path: file.path,
            rules,
            parsed,
        }
    }
}

impl ServerKind {
    pub(crate) fn named(name: &str) -> Option<&'static ServerKind> {
        SERVERS.iter().copied().find(|kind| kind.name == name)
    }

    fn of_files(tree: &DiskTree, root: &[u8]) -> &'static ServerKind {
        let has = |name: &str| tree.file_in(root, name.as_bytes()).is_some();
        let is_of_site = |file: &RuleSyntax| match file.published {
            None => has(file.name),
            Some(_) => file.of_site(tree, root).is_some(),
        };
        let mut kinds = SERVERS.iter().copied();
        let kind = kinds.find(|kind| {
            let mut files = kind.site_files.iter().chain(&kind.directory_file);
            files.any(is_of_site) || kind.markers.iter().any(|name| has(name))
        });
        kind.unwrap_or(&STATIC)
    }
}

pub(super) struct RuleFile {
    pub(super) path: Vec<u8>,
    pub(super) rules: RuleIndex,
    /// The parsed file, without its rules.
    parsed: ParsedRules,
}

impl RuleFile {
    pub(super) fn notes(&self) -> impl Iterator<Item = Diagnostic<'_>> {
        let notes = [
            (&diagnostic::SERVER_UNFOLLOWED, &*self.parsed.unfollowed),
            (&diagnostic::SERVER_INVALID, &*self.parsed.invalid),
            (&diagnostic::SERVER_TOO_LONG, self.parsed.cut.as_slice()),
        ];
        notes.into_iter().filter_map(|(code, offsets)| {
            let count = offsets.len() as u64;
            let first = Diagnostic::new(None, code, *offsets.first()?);
            Some(Diagnostic { count, ..first })
        })
    }

    /// Returns all destinations, with the status of the answer: of rules, and of error pages.
    pub(super) fn destinations(&self) -> impl Iterator<Item = (&DestinationTemplate, u16)> {
        let rules = self.rules.rules.iter();
        let rules = rules.map(|rule| (&rule.to, rule.status));
        rules.chain(self.parsed.error_pages.iter().map(|page| (page, 404)))
    }

    /// Returns the redirects of single paths and of prefixes to fixed destinations, by their decoded paths.
    pub(super) fn fixed_redirects(&self) -> impl Iterator<Item = (Vec<u8>, &ServerRule)> {
        let rules = self.rules.rules.iter();
        rules.filter_map(|rule| Some((rule.fixed_path()?, rule)))
    }

    /// Returns the naming with the settings of this file.
    fn naming(&self, naming: &FileNaming) -> FileNaming {
        let mut naming = naming.clone();
        naming.pages = self.parsed.settings.pages.unwrap_or(naming.pages);
        if let Some(index) = &self.parsed.settings.index {
            naming.index = Arc::clone(index);
        }
        naming
    }
}

#[derive(Default)]
pub(super) struct DirectoryConfig {
    /// The innermost first, then the files of the site.
    files: Vec<Arc<RuleFile>>,
    pub(super) naming: FileNaming,
}

pub(super) struct ServerView {
    kind: &'static ServerKind,
    /// The directory of the root, with its slash.
    root: Vec<u8>,
    config: Arc<DirectoryConfig>,
    known: RwLock<KnownFiles>,
}

#[derive(Default)]
struct KnownFiles {
    files: Vec<Arc<RuleFile>>,
    /// Configurations by the paths of directories, without a slash at the end.
    directories: HashMap<Box<[u8]>, Arc<DirectoryConfig>>,
    /// Paths below the root.
    error_pages: HashSet<Vec<u8>>,
}

impl KnownFiles {
    fn add(&mut self, file: &Arc<RuleFile>) {
        for (page, _) in file.destinations().filter(|(_, status)| *status >= 400) {
            if let Some(page) = page.text.strip_prefix(b"/") {
                self.error_pages.insert(page.to_vec());
                self.error_pages.insert([page, b".html"].concat());
            }
        }
        self.files.push(Arc::clone(file));
    }
}

pub(super) enum ServerAnswer<'a> {
    Rule(&'a RuleFile, MatchedRule<'a>),
    /// The path without or with a slash or an extension, by the settings of a file.
    Path(&'a [u8], Vec<u8>),
    Platform,
    Files,
}

impl ServerView {
    fn new(kind: &'static ServerKind, root: &[u8], tree: &DiskTree, naming: &FileNaming) -> Self {
        let mut config = DirectoryConfig {
            naming: naming.clone(),
            ..DirectoryConfig::default()
        };
        config.naming.pages = kind.extension;
        let mut known = KnownFiles::default();
        for syntax in kind.site_files {
            if let Some(text) = syntax.of_site(tree, root) {
                let file = Arc::new(syntax.parse(text));
                config.naming = file.naming(&config.naming);
                known.add(&file);
                config.files.push(file);
            }
        }
        ServerView {
            kind,
            root: root.to_vec(),
            config: Arc::new(config),
            known: RwLock::new(known),
        }
    }

    /// The path begins with the mounted directory.
    pub(super) fn config(&self, tree: &DiskTree, path: &[u8]) -> Arc<DirectoryConfig> {
        let mut config = Arc::clone(&self.config);
        let Some(syntax) = &self.kind.directory_file else {
            return config;
        };
        let mut here = self.root.strip_suffix(b"/").unwrap_or(&self.root).to_vec();
        config = self.directory(tree, syntax, &here, config);
        let rest = path.strip_prefix(&self.root[..]).unwrap_or_default();
        let names = rest.split(|&byte| byte == b'/');
        for name in names.filter(|name| !name.is_empty()) {
            if !tree.has_directory(&here, name) {
                break;
            }
            here.push(b'/');
            here.extend_from_slice(name);
            config = self.directory(tree, syntax, &here, config);
        }
        config
    }

    fn directory(
        &self,
        tree: &DiskTree,
        syntax: &RuleSyntax,
        path: &[u8],
        above: Arc<DirectoryConfig>,
    ) -> Arc<DirectoryConfig> {
        if let Some(config) = self.known.read().directories.get(path) {
            return Arc::clone(config);
        }
        let text = FileText::read(tree, path, syntax.name);
        let file = text.map(|text| Arc::new(syntax.parse(text)));
        let mut known = self.known.write();
        // Another worker may have been first.
        if let Some(config) = known.directories.get(path) {
            return Arc::clone(config);
        }
        let config = file.map_or(Arc::clone(&above), |file| {
            known.add(&file);
            Arc::new(DirectoryConfig {
                naming: file.naming(&above.naming),
                files: [&[file], &above.files[..]].concat(),
            })
        });
        known.directories.insert(path.into(), Arc::clone(&config));
        config
    }

    /// Returns the answer for a file that was `found` in some way.
    pub(super) fn answer<'a>(
        &'a self,
        config: &'a DirectoryConfig,
        request: &Request<'_>,
        found: Option<LookupMatch>,
    ) -> ServerAnswer<'a> {
        let exists = found.is_some_and(|how| how != LookupMatch::OtherCase);
        for file in &config.files {
            if let Some(matched) = file.rules.find(request, exists) {
                return ServerAnswer::Rule(file, matched);
            }
        }
        if self.kind.moves_pages
            && let Some(file) = config.files.first()
            && let Some(path) = moved_path(&file.parsed.settings, request.path, found)
        {
            return ServerAnswer::Path(&file.path, path);
        }
        if !exists && self.is_platform(b"", request.path) {
            return ServerAnswer::Platform;
        }
        ServerAnswer::Files
    }

    /// The path is below a mount.
    pub(super) fn is_platform(&self, mount: &[u8], path: &[u8]) -> bool {
        let path = [mount, path].concat();
        let mut prefixes = self.kind.platform.iter();
        prefixes.any(|prefix| path.starts_with(prefix.as_bytes()))
    }

    /// Vercel serves directories without a slash.
    pub(super) fn seen(&self, how: LookupMatch) -> LookupMatch {
        match how {
            LookupMatch::WithoutSlash if self.kind.moves_pages => LookupMatch::Index,
            how => how,
        }
    }
}

/// Returns where Vercel sends the requests for a page that exists.
fn moved_path(
    settings: &ServerSettings,
    path: &[u8],
    found: Option<LookupMatch>,
) -> Option<Vec<u8>> {
    let how = found.filter(|how| *how != LookupMatch::OtherCase)?;
    let without = |path: &[u8]| {
        let shorter = path.strip_suffix(b"/").unwrap_or_default();
        (if shorter.is_empty() { path } else { shorter }).to_vec()
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

struct FileText {
    path: Vec<u8>,
    text: Vec<u8>,
    /// The length that was read, if the file is longer.
    cut: Option<u64>,
}

impl FileText {
    /// Reads a regular file within the roots.
    fn read(tree: &DiskTree, directory: &[u8], name: &str) -> Option<FileText> {
        let path = tree.file_in(directory, name.as_bytes())?;
        let read = tree.read(&path, MAX_LENGTH + 1);
        // In an archive the file may come after too many bytes.
        let is_far = read.is_none();
        if is_far && members::split_path(&path).is_none() {
            return None;
        }
        let mut text = read.unwrap_or_default();
        let is_long = text.len() as u64 > MAX_LENGTH;
        if is_long {
            let end = memchr::memrchr(b'\n', &text[..MAX_LENGTH as usize]);
            text.truncate(end.map_or(0, |end| end + 1));
        }
        let cut = (is_long || is_far).then_some(text.len() as u64);
        // A byte order mark becomes blanks, so that offsets stay.
        let mark = mark_length(&text);
        text[..mark].fill(b' ');
        let path = [&with_slash(directory), name.as_bytes()].concat();
        Some(FileText { path, text, cut })
    }
}

/// Returns the rules of the redirect file in a directory that is served.
pub(super) fn redirects_in(tree: &DiskTree, directory: &[u8]) -> Option<RuleIndex> {
    [REDIRECT_LINES, AZURE].iter().find_map(|syntax| {
        let file = FileText::read(tree, directory, syntax.name)?;
        Some(syntax.parse(file).rules)
    })
}

/// Returns a path below a directory, without empty names and dots.
fn path_below(directory: &[u8], path: &str) -> Vec<u8> {
    let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
    let names = std::iter::once(directory).chain(names.map(str::as_bytes));
    names.collect::<Vec<_>>().join(&b'/')
}

/// Returns the directories below another one that configurations of hosts in it publish.
pub(super) fn published_directories(directory: &[u8]) -> Vec<Vec<u8>> {
    let published = |file: &RuleSyntax| {
        let text = start_of(&path_below(directory, file.name), MAX_LENGTH)?;
        Some(file.published?(&text))
    };
    let files = SERVERS.iter().flat_map(|kind| kind.site_files);
    let sites = files.filter_map(published).flatten();
    let paths = sites.filter_map(|(below, _)| {
        let below = below.filter(|below| !below.split('/').any(|name| name == ".."))?;
        let path = path_below(directory, &below);
        (path != directory && path_of(&path).is_dir()).then_some(path)
    });
    paths.collect()
}

#[derive(Default)]
pub(super) struct Servers {
    /// The views in the order of the mounts, without static ones.
    pub(super) views: Vec<ServerView>,
    /// Indices by the mounted directories with their slashes.
    by_root: HashMap<Box<[u8]>, usize>,
    pub(super) depends_on_query: bool,
}

impl Servers {
    /// Without a kind the files of each mount determine it.
    pub(super) fn new(
        kind: Option<&'static ServerKind>,
        mounts: &Mounts,
        tree: &DiskTree,
        naming: &FileNaming,
    ) -> Self {
        let mut servers = Servers::default();
        for (root, _) in mounts.iter() {
            let kind = kind.unwrap_or_else(|| ServerKind::of_files(tree, root));
            if std::ptr::eq(kind, &STATIC) || servers.by_root.contains_key(root) {
                continue;
            }
            let view = ServerView::new(kind, root, tree, naming);
            let mut rules = view.config.files.iter().flat_map(|file| &file.rules.rules);
            servers.depends_on_query |= rules.any(|rule| !rule.query.is_empty());
            servers.by_root.insert(root.into(), servers.views.len());
            servers.views.push(view);
        }
        servers
    }

    /// The root has its slash.
    pub(super) fn of(&self, root: &[u8]) -> Option<&ServerView> {
        self.by_root.get(root).map(|&index| &self.views[index])
    }

    /// Returns the files of each view in the order of their paths, each with the root of the view.
    pub(super) fn rule_files(&self) -> impl Iterator<Item = (&[u8], Arc<RuleFile>)> {
        self.views.iter().flat_map(|view| {
            let mut files = view.known.read().files.clone();
            files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
            files.into_iter().map(|file| (view.root.as_slice(), file))
        })
    }

    /// `shown` returns the path that people see.
    pub(super) fn summaries(&self, shown: impl Fn(&[u8]) -> Vec<u8>) -> Vec<SiteServer> {
        let summary = |view: &ServerView| {
            let files = &view.known.read().files;
            let rules = |file: &Arc<RuleFile>| file.destinations().count() as u64;
            let notes = files.iter().flat_map(|file| file.notes());
            SiteServer {
                root: shown(&view.root),
                server: view.kind.name,
                rules: files.iter().map(rules).sum(),
                unfollowed: notes.map(|found| found.count).sum(),
            }
        };
        self.views.iter().map(summary).collect()
    }

    /// Most servers show `404.html` in the root.
    pub(super) fn is_error_page(&self, path: &[u8], mounts: &Mounts) -> bool {
        mounts.relative_path(path) == Some(ERROR_PAGE.as_bytes())
            || self.views.iter().any(|view| {
                let below = path.strip_prefix(&view.root[..]);
                below.is_some_and(|below| view.known.read().error_pages.contains(below))
            })
    }
}

/// Gives the mounts with an internal origin the host in `CNAME`; `directory` returns the directory
/// of a root, which may be an archive.
pub(super) fn with_hosts(
    kind: Option<&'static ServerKind>,
    mounts: &Mounts,
    tree: &DiskTree,
    directory: fn(&[u8]) -> Cow<'_, [u8]>,
) -> Mounts {
    let mut with_hosts = Mounts::default();
    let mut hosts = HashSet::new();
    for (root, uri) in mounts.iter() {
        let files = directory(root);
        let kind = || kind.unwrap_or_else(|| ServerKind::of_files(tree, &files));
        let has_host = is_internal_origin(uri) && kind().reads_host;
        let file = has_host.then(|| FileText::read(tree, &files, CNAME));
        let host = file.flatten().and_then(|file| host_in(&file.text));
        // Two sites have two hosts.
        let host = host.filter(|host| hosts.insert(host.clone()));
        with_hosts.add(root, host.as_deref().unwrap_or(uri));
    }
    with_hosts
}

fn host_in(text: &[u8]) -> Option<Vec<u8>> {
    let host = text.split(|&byte| byte == b'\n').next()?.trim_ascii();
    let in_host = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let is_host = host.len() < 256 && host.contains(&b'.') && host.iter().all(in_host);
    let uri = is_host.then(|| served_at(&[b"https://", host, b"/"].concat()));
    uri?.ok()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SiteServer {
    pub(crate) root: Vec<u8>,
    pub(crate) server: &'static str,
    pub(crate) rules: u64,
    /// Rules and directives that are not followed.
    pub(crate) unfollowed: u64,
}
