//! A site with its configuration, and the decisions of its generator; with all that the readers of
//! generators use.

use foldhash::HashSet;
pub(super) use ignore::gitignore::Gitignore;
use ignore::gitignore::GitignoreBuilder;

pub(super) use super::config::{self, Setting};
pub(super) use super::paths::*;
pub(super) use crate::audit::disk::start_of;
use crate::audit::disk::{DiskTree, Listing};
pub(super) use crate::bytes::pattern::Pattern;
pub(super) use crate::document::options::Slug;
pub(super) use crate::pipeline::walk::path_of;

/// A kind of site.
pub(crate) struct Generator {
    pub(crate) name: &'static str,
    /// Names of files or directories of which a site has one; a `*` at the end matches any rest.
    pub(super) markers: &'static [&'static str],
    /// Reads the configuration in a directory into a site; `None` if it is of another kind.
    pub(super) open: fn(&SiteDirectory<'_>, &mut SourceSite) -> Option<Rules>,
    /// The dialect of its Markdown.
    pub(super) slug: Slug,
}

impl Generator {
    /// Returns the first name in a directory that is a marker.
    pub(super) fn mark<'l>(&self, listing: &'l Listing) -> Option<&'l [u8]> {
        let names = || listing.entries().map(|(name, _)| name);
        let has = |name: &str| listing.index.names.get(name.as_bytes()).is_some();
        let marks = (self.markers.iter()).filter_map(|marker| match marker.strip_suffix('*') {
            Some(start) => names()
                .filter(|name| name.starts_with(start.as_bytes()))
                .min(),
            None => has(marker).then_some(marker.as_bytes()),
        });
        marks.min()
    }
}

/// What a generator does with files and references, by its configuration.
pub(super) trait SiteRules: Send + Sync {
    /// Returns where a file of the content is served.
    fn route(&self, file: &ContentFile<'_>) -> Route;

    /// Adds the ways to try for a reference in a page, and decides about a miss.
    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts);

    /// Returns whether a page has headings whose ids the dialect does not make.
    fn has_other_ids(&self, _path: &[u8]) -> bool {
        false
    }

    /// Returns whether a fragment names a place of any page of the site.
    fn has_label(&self, _name: &[u8]) -> bool {
        false
    }
}

pub(super) type Rules = Box<dyn SiteRules>;

/// The use of the files of a folder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FolderUse {
    /// Pages, and files that are copied.
    Content,
    /// Served beside the pages.
    Overlay,
    /// Served beside the pages, except for HTML, which is templates.
    Theme,
    /// References are not decided.
    Templates,
    /// The built site, which is a tree by itself where an argument names it.
    Output,
}

/// A directory of a site.
pub(super) struct Folder {
    /// With its slash, as all directories here.
    pub(super) directory: Vec<u8>,
    /// The URL below the base, which begins and ends with a slash.
    pub(super) url: Vec<u8>,
    pub(super) kind: FolderUse,
}

impl Folder {
    /// Returns whether a file is served or rendered.
    pub(super) fn serves(&self, file: &[u8]) -> bool {
        match self.kind {
            FolderUse::Content | FolderUse::Overlay => true,
            FolderUse::Theme => !file.ends_with(b".html"),
            _ => false,
        }
    }
}

/// Texts or paths.
pub(super) trait Texts: IntoIterator<Item: AsRef<[u8]>> {}
impl<T: IntoIterator<Item: AsRef<[u8]>>> Texts for T {}

/// Names or globs.
pub(super) trait Names: IntoIterator<Item: AsRef<str>> {}
impl<T: IntoIterator<Item: AsRef<str>>> Names for T {}

/// The pages that a configuration lists: as written, and their paths in a page at the root of the content.
#[derive(Default)]
pub(super) struct PageList {
    pub(super) file: Vec<u8>,
    /// The key before them; empty in a page whose links name the others.
    pub(super) key: &'static str,
    pub(super) pages: Vec<(String, String)>,
}

impl PageList {
    /// Adds the links of navigation, in members with a name; those with a target may be of another site on the host.
    pub(super) fn add(&mut self, value: Option<&Setting>, member: &str, base: &str) {
        match value {
            Some(Setting::List(values)) => {
                values
                    .iter()
                    .for_each(|value| self.add(Some(value), member, base));
            }
            Some(values @ Setting::Map(map)) => {
                let Some(own) = values.text_or("base", base) else {
                    return;
                };
                let link = values.text(member).filter(|link| !link.contains(':'));
                if let Some(link) = link.filter(|_| !values.has_any("target rel")) {
                    let path = match own.trim_end_matches('/') {
                        "" => link.to_owned(),
                        base => format!("{base}/{}", link.trim_start_matches('/')),
                    };
                    let end = path.find(['?', '#']).unwrap_or(path.len());
                    if path.starts_with('/') && !path.starts_with("//") {
                        self.pages.push((link.to_owned(), path[..end].to_owned()));
                    }
                }
                map.values()
                    .for_each(|value| self.add(Some(value), member, &own));
            }
            _ => {}
        }
    }
}

/// A site with its configuration.
#[derive(Default)]
pub(super) struct SourceSite {
    /// Of those with the same path the first is used. In the order of their uses, the content first.
    pub(super) folders: Vec<Folder>,
    /// The path of the site on its host, with slashes around it; `None` if it is computed.
    pub(super) base: Option<Vec<u8>>,
    /// The configuration has no base, and the site works below any.
    pub(super) is_base_assumed: bool,
    pub(super) listed: PageList,
    /// URLs of pages that the configuration makes.
    pub(super) made: HashSet<Vec<u8>>,
    /// Starts of URLs below which a generator makes pages that the tree lacks.
    pub(super) undecided: Vec<Vec<u8>>,
    /// The index files of directories named by their paths.
    pub(super) index: Vec<String>,
    /// Any missing target may be made by a plugin.
    pub(super) makes_pages: bool,
    /// Files may come from a theme that the tree lacks.
    pub(super) lacks_assets: bool,
    /// Headings may have ids that the dialect does not make.
    pub(super) has_other_ids: bool,
    /// The headings of HTML, too.
    pub(super) adds_ids: bool,
    /// A script of the site renders pages: `#/x` names one, and `?id=x` a heading.
    pub(super) has_routes: bool,
    /// `x:y` names a resource, unless it is an absolute URL.
    pub(super) has_resource_ids: bool,
    /// Schemes of references to pages and files, with their colons, and slashes before paths.
    pub(super) schemes: &'static [&'static str],
    /// A slash at the end of the URL of a page is ignored.
    pub(super) ignores_slashes: bool,
}

impl SourceSite {
    pub(super) fn add(&mut self, directory: &[u8], url: impl AsRef<[u8]>, kind: FolderUse) {
        self.folders.push(Folder {
            directory: with_slash(directory),
            url: url.as_ref().to_vec(),
            kind,
        });
    }

    pub(super) fn add_content(&mut self, directory: &[u8], url: impl AsRef<[u8]>) {
        self.add(directory, url, FolderUse::Content);
    }

    pub(super) fn add_overlay(&mut self, directory: &[u8], url: impl AsRef<[u8]>) {
        self.add(directory, url, FolderUse::Overlay);
    }

    /// Adds directories of templates below another one.
    pub(super) fn add_templates(&mut self, above: &[u8], names: impl Texts) {
        for name in names {
            self.add(&join(above, name.as_ref()), "", FolderUse::Templates);
        }
    }

    /// Adds directories that the generator writes.
    pub(super) fn add_outputs(&mut self, above: &[u8], names: impl Texts) {
        for name in names {
            self.add(&join(above, name.as_ref()), "", FolderUse::Output);
        }
    }

    /// Adds URLs that exist, with or without the slash at the start.
    pub(super) fn add_made(&mut self, urls: impl Texts) {
        let absolute = urls.into_iter().map(|url| join(b"/", url.as_ref()));
        self.made.extend(absolute.map(|url| normal(&url).to_vec()));
    }

    /// Adds starts of URLs below which nothing is decided.
    pub(super) fn add_undecided(&mut self, starts: impl Texts) {
        let starts = starts.into_iter().map(|start| start.as_ref().to_vec());
        self.undecided.extend(starts);
    }

    /// Returns the directory of the content, the first of several.
    pub(super) fn content(&self) -> &[u8] {
        let folder = self.folders.first();
        folder.map_or(b"", |folder| &folder.directory)
    }

    /// Sets the base from a path or an absolute URL, as configurations have them.
    pub(super) fn set_base(&mut self, base: Option<String>) {
        self.base = base.map(|base| {
            let path = match base.split_once("://") {
                Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
                None => &base,
            };
            in_slashes(path).into_bytes()
        });
    }
}

/// A directory in which a site may be.
pub(super) struct SiteDirectory<'a> {
    pub(super) path: &'a [u8],
    pub(super) mark: &'a str,
    /// An option says that it is a site of the kind.
    pub(super) is_given: bool,
    pub(super) tree: &'a DiskTree,
}

/// The longest configuration that is read, in bytes.
pub(super) const MAX_CONFIGURATION: u64 = 1 << 20;

impl SiteDirectory<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        path_of(self.path).join(name).exists()
    }

    /// Returns the text of a file by its path from the directory.
    pub(super) fn read(&self, name: impl AsRef<[u8]>) -> Option<String> {
        text_of(&self.below(name))
    }

    /// Returns the values of a configuration: unknown if it does not parse, `None` without the file.
    pub(super) fn values(&self, name: &str) -> Option<Setting> {
        let text = self.read(name)?;
        Some(config::read(name, &text).unwrap_or_default())
    }

    /// Returns the values of the first file that exists; an empty map without any, if an option says
    /// that it is a site of the kind.
    pub(super) fn configuration(&self, names: impl Names) -> Option<Setting> {
        let mut names = names.into_iter();
        let found = names.find_map(|name| self.values(name.as_ref()));
        found.or_else(|| self.is_given.then(Setting::empty))
    }

    /// Returns the path of the first file that exists.
    pub(super) fn first(&self, names: impl Names) -> Vec<u8> {
        let mut names = names.into_iter();
        let found = names.find(|name| self.has(name.as_ref()));
        found.map_or_else(Vec::new, |name| self.below(name.as_ref()))
    }

    /// Returns the text of the module of JavaScript with a name without its extension; an empty module without any,
    /// if an option says that it is a site of the kind.
    pub(super) fn module(&self, stem: &str) -> Option<String> {
        let mut names = module_names(stem).into_iter();
        let found = names.find_map(|name| self.read(&name));
        found.or_else(|| self.is_given.then(|| "export default {}".to_owned()))
    }

    /// Returns `None` if the site is of another kind and no option says otherwise.
    pub(super) fn require(&self, is_of_kind: bool) -> Option<()> {
        (is_of_kind || self.is_given).then_some(())
    }

    /// Returns whether the package of JavaScript here needs one of those whose names have blanks between them, or has
    /// its settings.
    pub(super) fn depends_on(&self, names: &str) -> bool {
        let package = self.values("package.json").unwrap_or(Setting::Null);
        let lists = ["dependencies", "devDependencies"];
        let needed = lists.iter().flat_map(|list| package.keys(list));
        needed
            .chain(package.keys(""))
            .any(|needed| names.split(' ').any(|name| name == needed))
    }

    pub(super) fn below(&self, path: impl AsRef<[u8]>) -> Vec<u8> {
        join(self.path, path.as_ref())
    }

    /// Returns the directory of the content; if its name is computed, the usual one, and others may have pages.
    pub(super) fn content(
        &self,
        site: &mut SourceSite,
        values: &Setting,
        key: &str,
        usual: &str,
    ) -> Vec<u8> {
        let name = values.text_or(key, usual);
        site.makes_pages |= name.is_none();
        self.folder(name.unwrap_or_else(|| usual.to_owned()))
    }

    /// Returns the path of a directory with a slash at its end.
    pub(super) fn folder(&self, path: impl AsRef<[u8]>) -> Vec<u8> {
        with_slash(&self.below(path))
    }
}

/// Returns whether globs match a path or a directory above it.
pub(super) fn is_excluded(excluded: &Gitignore, path: &[u8]) -> bool {
    let found = excluded.matched_path_or_any_parents(path_of(path), false);
    found.is_ignore()
}

/// Makes a matcher of globs below a directory, with the syntax of ignore files.
pub(super) fn globs(directory: &[u8], globs: impl Names) -> Gitignore {
    let mut builder = GitignoreBuilder::new(path_of(directory));
    for glob in globs {
        // A glob that does not parse matches nothing.
        let _ = builder.add_line(None, glob.as_ref());
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Makes a matcher of globs whose start is a directory, unlike those of ignore files.
pub(super) fn anchored_globs(directory: &[u8], patterns: impl Names) -> Gitignore {
    let anchored = patterns.into_iter().map(|glob| {
        let glob = glob.as_ref();
        let start = if glob.starts_with("**/") { "" } else { "/" };
        format!("{start}{}", glob.trim_start_matches("./"))
    });
    globs(directory, anchored)
}

/// Returns the names that a module of JavaScript may have.
pub(super) fn module_names(stem: &str) -> [String; 6] {
    ["mjs", "js", "ts", "mts", "cjs", "cts"].map(|end| format!("{stem}.{end}"))
}

/// A file below a content root.
pub(super) struct ContentFile<'a> {
    pub(super) root: &'a Folder,
    /// Below the root.
    pub(super) below: &'a [u8],
    /// The path of the text, which is elsewhere for the new place of a file.
    pub(super) text: &'a [u8],
}

impl ContentFile<'_> {
    pub(super) fn path(&self) -> Vec<u8> {
        [&self.root.directory, self.below].concat()
    }

    /// Returns the values of the front matter, `Null` without any; `None` if they do not parse.
    pub(super) fn values(&self) -> Option<Setting> {
        front_matter(self.text)
    }

    /// Returns the route of a file whose path has parameters in brackets.
    pub(super) fn parameters(&self) -> Option<Route> {
        let start = memchr::memchr(b'[', self.below)?;
        let url = [&self.root.url, &self.below[..start]].concat();
        Some(Route::ComputedBelow(url))
    }

    /// Returns the route of a page whose front matter does not parse, which may be at the usual place.
    pub(super) fn unparsed(&self) -> Route {
        let (directory, name, _) = self.parts();
        Route::ComputedBelow([&self.root.url, directory, name].concat())
    }

    pub(super) fn has_beside(&self, name: &str) -> bool {
        let has = |path: &[u8]| path_of(path).with_file_name(name).exists();
        has(self.text) || has(&self.path())
    }

    /// Returns the directory with its slash, the name without its extension, and the extension.
    pub(super) fn parts(&self) -> (&[u8], &[u8], &[u8]) {
        parts(self.below)
    }
}

/// Where a file of the content is served. URLs are below the base of the site and begin with a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Rendered, at a URL and others that lead there.
    Page {
        url: Vec<u8>,
        others: Vec<Vec<u8>>,
    },
    /// Copied to its place below the URL of the root.
    Copied,
    /// Copied to a URL.
    CopiedTo(Vec<u8>),
    /// Found by its path beside pages, and served at a URL that nobody knows.
    Beside,
    /// Rendered at a URL that is computed.
    Computed,
    /// Rendered at URLs that are computed and begin with a text.
    ComputedBelow(Vec<u8>),
    LeftOut,
    /// Not a part of the site: its references are a plain file's.
    Plain,
}

impl Route {
    pub(super) fn page(url: impl Into<Vec<u8>>) -> Route {
        Route::page_at(url.into(), [])
    }

    /// A page at a URL, and at others that lead there.
    pub(super) fn page_at(url: Vec<u8>, others: impl IntoIterator<Item = Vec<u8>>) -> Route {
        let others = others.into_iter().collect();
        Route::Page { url, others }
    }

    /// A page at an index of its directory, or at its name with an end.
    pub(super) fn page_of(below: &[u8], index: &[&str], end: &str) -> Route {
        Route::page(page_url(below, index, end))
    }
}

/// A way to find the target of a reference.
pub(super) enum Attempt {
    /// By a path on disk.
    File(Vec<u8>),
    /// By a URL below the base.
    Url(Vec<u8>),
    /// By a path on disk, in the site or elsewhere.
    Part(Vec<u8>),
    /// By the name of a page, with or without its extension.
    Name(Vec<u8>),
}

/// The result of a reference that nothing was found for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Miss {
    #[default]
    Missing,
    Undecided,
    /// On the host, outside the site.
    OutsideSite,
}

/// The ways to try for a reference, in order.
#[derive(Default)]
pub(super) struct Attempts {
    pub(super) attempts: Vec<Attempt>,
    pub(super) miss: Miss,
    /// Files and names are found in any case; the same for all names of a site.
    pub(super) ignores_case: bool,
}

impl Attempts {
    pub(super) fn file(&mut self, path: Vec<u8>) {
        self.attempts.push(Attempt::File(path));
    }

    pub(super) fn url(&mut self, url: Vec<u8>) {
        self.attempts.push(Attempt::Url(url));
    }

    /// Leaves a miss undecided if something other than the tree may make the target.
    pub(super) fn undecided_if(&mut self, may_be_made: bool) {
        if may_be_made {
            self.miss = Miss::Undecided;
        }
    }

    /// Adds the only page of the site with a name, anywhere.
    pub(super) fn name(&mut self, name: &[u8]) {
        self.attempts.push(Attempt::Name(name.to_vec()));
    }

    /// Adds a path on disk whose text becomes a part of the page, wherever it lies.
    pub(super) fn part(&mut self, path: Vec<u8>) {
        self.attempts.push(Attempt::Part(path));
    }

    /// Adds a module of JavaScript, which may be named without its extension.
    pub(super) fn module(&mut self, path: &[u8]) {
        let ends = " .js .jsx .ts .tsx .mjs .cjs .json .md .mdx .astro";
        let stem = path.strip_suffix(b".js").unwrap_or(path);
        for path in [path, stem, &[path, b"/index"].concat()] {
            let paths = ends.split(' ').map(|end| [path, end.as_bytes()].concat());
            paths.for_each(|path| self.part(path));
        }
    }
}

/// A reference of a page without a scheme, as the generator sees it.
pub(super) struct SiteReference<'a> {
    pub(super) site: &'a SourceSite,
    /// The file of the page.
    pub(super) file: &'a [u8],
    /// The URL of the page; `None` if it is computed.
    pub(super) url: Option<&'a [u8]>,
    /// The path of the reference, decoded.
    pub(super) path: &'a [u8],
    /// There is neither a scheme before the path nor a fragment after it.
    pub(super) is_bare: bool,
    pub(super) syntax: Syntax<'a>,
    pub(super) is_image: bool,
}

/// The syntax of a reference in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax<'a> {
    /// Of Markdown itself, or of another text format.
    Text,
    /// An attribute in raw HTML.
    Html,
    /// An attribute of a component.
    Component,
    /// A construct of the generator, by its name.
    Construct(&'a str),
}

impl SiteReference<'_> {
    /// Returns the same reference with another path.
    pub(super) fn at<'p>(&'p self, path: &'p [u8]) -> SiteReference<'p> {
        SiteReference { path, ..*self }
    }

    /// Adds the path from the directory of the file.
    pub(super) fn beside(&self, attempts: &mut Attempts) {
        attempts.file(self.file_beside());
    }

    /// Adds the URL against the URL of the page, or from the host if it is absolute.
    pub(super) fn by_url(&self, attempts: &mut Attempts) {
        match (self.path, self.url) {
            ([b'/', ..], _) => self.on_host(attempts),
            (_, None) => attempts.miss = Miss::Undecided,
            (path, Some(url)) => match &self.site.base {
                _ if self.is_beside_site() => attempts.miss = Miss::Undecided,
                // The base is above the page whatever it is.
                None => attempts.url(join(up_to_slash(url), path)),
                Some(base) => {
                    let url = [&base[..base.len() - 1], url].concat();
                    self.add_on_host(&join(up_to_slash(&url), path), attempts);
                }
            },
        }
    }

    /// Returns the path of the file that the reference names beside its own file.
    pub(super) fn file_beside(&self) -> Vec<u8> {
        join(up_to_slash(self.file), self.path)
    }

    /// Returns a path below the directory of the content.
    pub(super) fn in_content(&self, path: &[u8]) -> Vec<u8> {
        join(self.site.content(), path)
    }

    /// Returns whether the path leaves a site whose place on its host is not known: the host may serve others
    /// beside it, but not the files of the repository.
    fn is_beside_site(&self) -> bool {
        let is_known = self.site.base.is_some() && !self.site.is_base_assumed;
        let below = [b"/site", self.url.unwrap_or(b"/")].concat();
        let leaves = !join(up_to_slash(&below), self.path).starts_with(b"/site/");
        leaves && !is_known && !path_of(&self.file_beside()).exists()
    }

    /// Adds an absolute path from the root of the host.
    pub(super) fn on_host(&self, attempts: &mut Attempts) {
        self.add_on_host(&join(b"/", self.path), attempts);
    }

    /// Adds an absolute path below the base, which the generator puts before it.
    pub(super) fn below_base(&self, attempts: &mut Attempts) {
        attempts.url(join(b"/", self.path));
    }

    pub(super) fn add_on_host(&self, path: &[u8], attempts: &mut Attempts) {
        let below = match &self.site.base {
            None => {
                attempts.miss = Miss::Undecided;
                return;
            }
            Some(base) if *path == base[..base.len() - 1] => Some(&b""[..]),
            Some(base) => path.strip_prefix(base.as_slice()),
        };
        match below {
            Some(below) => attempts.url([b"/", below].concat()),
            None => attempts.miss = Miss::OutsideSite,
        }
    }
}

/// The part of a document in which labels and headings are read, in bytes.
pub(super) const MAX_DOCUMENT: u64 = 1 << 20;

/// Returns the text of a regular file; other charsets than UTF-8 are for comments and titles.
pub(super) fn text_of(path: &[u8]) -> Option<String> {
    let bytes = start_of(path, MAX_CONFIGURATION)?;
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    Some(String::from_utf8_lossy(text).into_owned())
}

/// Returns the values of the front matter of a file, `Null` without any; `None` if they do not parse.
pub(super) fn front_matter(path: &[u8]) -> Option<Setting> {
    start_of(path, 64 << 10).map_or(Some(Setting::Null), |text| config::front_matter(&text))
}

/// Returns the files below a directory and the wanted ones in it, in one order.
pub(super) fn files_below(directory: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let (mut files, mut open) = (Vec::new(), vec![directory.to_vec()]);
    while let Some(directory) = open.pop() {
        let entries = std::fs::read_dir(path_of(&directory));
        let entries = entries.into_iter().flatten().flatten();
        let mut entries: Vec<_> = entries.map(|entry| (entry.file_name(), entry)).collect();
        entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (name, entry) in entries {
            let path = [&*directory, name.as_encoded_bytes()].concat();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                files.push(path);
                continue;
            }
            let below = with_slash(&path);
            open.extend(is_wanted(&below).then_some(below));
        }
    }
    files
}
