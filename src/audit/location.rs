//! An audit: its options, the state that its workers share, and where links lead.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::path::PathBuf;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt};
use parking_lot::Mutex;

use super::disk::{DiskEntry, DiskTree, LookupMatch, start_of};
use super::ignored::IgnoreRules;
use super::names::{FileId, PathTable};
use super::options::{AuditOptions, ListedLinks, root_of};
use super::results::OnlineAnswer;
use super::rewrite::steps_above;
use super::rules::{RuleId, is_unfilled};
use super::server::{self, RuleIndex, Servers, redirects_in};
use super::source::Sources;
use super::source::page::SourcePage;
use super::source::paths::{join, with_slash};
use super::source::repository::{Repository, directory_page};
use super::target::{
    TargetChecker, TargetLocation, percent_decoded, split_fragment, split_name, split_path,
    text_directives,
};
use super::wiki::WikiPages;
use crate::bytes::class::split_once;
use crate::bytes::pattern::Pattern;
use crate::document::flags::{Flags, holds_placeholder};
use crate::document::options::Slug;
use crate::linker::Link;
use crate::pipeline::bases::{
    AbsolutePaths, Bases, is_internal, is_internal_origin, is_of_repository,
};
use crate::pipeline::walk::{bytes_of, path_of, read_start};
use crate::uri::base::push_path;
use crate::uri::{Mounts, Reference, ResolveErrorKind};

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
    pub(super) repositories: Vec<Repository>,
    /// The directories that were named: the absolute paths, and the given ones.
    named: Vec<(Vec<u8>, Vec<u8>)>,
    /// The rules of the redirect files of folders that a tree without a generator is served with.
    redirects: Vec<RuleIndex>,
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
        let named = directories.iter().zip(paths);
        let given = named.clone().filter_map(|(directory, path)| {
            let (directory, written) = (directory.as_ref()?, root_of(path));
            let trimmed = |path: &[u8]| path.strip_suffix(b"/").unwrap_or(path).to_vec();
            let written = Some(trimmed(&written)).filter(|name| !matches!(&**name, b"" | b"."));
            Some((trimmed(directory), written?))
        });
        let given = given.collect();
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
        let named = named.filter_map(|(directory, path)| {
            let mut named = with_slash(directory.as_ref()?);
            if let Some(name) = path.file_name()
                && *root_of(path) != *bytes_of(path)
            {
                named.extend_from_slice(name.as_encoded_bytes());
            }
            Some(named)
        });
        let sources = Sources::new(&sources, named, &tree);
        let repositories = bases.repositories.iter();
        let repositories = repositories.map(|(root, _)| Repository::new(root));
        let repositories: Vec<_> = repositories.collect();
        if let Some(slug) = options.slug {
            options.reading.extractor.formats.markdown.slug = slug;
        } else {
            for repository in repositories.iter().filter(|found| found.is_on_gitlab) {
                options.reading.dialects.add(&repository.root, Slug::GitLab);
            }
            for root in &roots {
                let slug = slug_of_tree(root, &tree).filter(|_| !sources.has_site_in(root));
                slug.into_iter()
                    .for_each(|slug| options.reading.dialects.add(root, slug));
            }
            for (directory, slug) in sources.dialects() {
                options.reading.dialects.add(directory, slug);
            }
        }
        let folders = roots.iter().filter(|root| !sources.has_site_in(root));
        let folders = folders.flat_map(|root| ["public", "static"].map(|name| (root, name)));
        let redirects = folders.filter_map(|(root, name)| {
            redirects_in(&tree, &[&with_slash(root), name.as_bytes()].concat())
        });
        let redirects = redirects.collect();
        // Beside the sources of a site the file names the host of the site that is built.
        if sources.is_empty() {
            bases.mounts =
                server::with_hosts(options.server, &bases.mounts, &tree, directory_of_root);
        }
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
            named: given,
            redirects,
            heavy: Mutex::default(),
            options,
        }
    }

    /// Returns the absolute path, or the path itself if the current directory is not known.
    pub(super) fn absolute(&self, path: &[u8]) -> Vec<u8> {
        let absolute = self.options.reading.bases.absolute(path);
        absolute.unwrap_or_else(|_| path.to_vec())
    }

    /// Returns an absolute path as reached from the arguments, else relative to the current directory if it is below.
    pub(super) fn shown<'p>(&self, path: &'p [u8]) -> Cow<'p, [u8]> {
        let found = self.named.iter().find_map(|(directory, written)| {
            let rest = path.strip_prefix(&directory[..])?;
            let is_below = matches!(rest.first(), None | Some(b'/' | b'!'));
            is_below.then(|| [written, rest].concat())
        });
        let here = &self.options.reading.bases.here;
        let below = path.strip_prefix(here.as_slice());
        match (found, below.filter(|_| !here.is_empty())) {
            (Some(found), _) => found.into(),
            (None, Some(b"")) => Cow::Borrowed(b"."),
            (None, below) => below.unwrap_or(path).into(),
        }
    }

    /// Returns the rule about another page that a link of a page may break.
    pub(super) fn relation(
        &self,
        link: &Link<'_>,
        own: FileId,
        (location, fragment): Located<'_>,
    ) -> Option<RuleId> {
        let is_file = location.file().is_some();
        let is_other = match location {
            TargetLocation::File(file, _) => file != own,
            TargetLocation::External if link.description.is_some() => {
                let path = self.checker.paths.path(own);
                let mount = self.checker.mounts.uri_of_mount(&path);
                mount.is_some_and(|mount| !is_internal(mount))
            }
            _ => false,
        };
        let has_texts = |fragment| text_directives(fragment).next().is_some();
        let rule = if is_file && fragment.is_some_and(has_texts) {
            RuleId::TextFragment
        } else if is_other && has_relation(link, "canonical") {
            RuleId::CanonicalElsewhere
        } else if is_file && is_other && !language(link)?.eq_ignore_ascii_case("x-default") {
            RuleId::HreflangReturn
        } else {
            return None;
        };
        self.options.levels.reports(rule).then_some(rule)
    }

    /// Returns whether a document is HTML of a built site: not of a source or a template, and below a root with
    /// an index file.
    fn is_built(&self, own: FileId) -> bool {
        const TEMPLATES: [&[u8]; 4] = [b"includes", b"layouts", b"partials", b"templates"];
        let (path, mounts) = (self.checker.paths.path(own), &self.checker.mounts);
        let below = mounts.relative_path(&path).unwrap_or_default();
        let mut names = below.split(|&byte| byte == b'/');
        let is_template = names.any(|name| name.starts_with(b"_") || TEMPLATES.contains(&name));
        // Generators fill pages with front matter.
        let has_front_matter = || start_of(&path, 3).is_some_and(|start| start == b"---");
        path.ends_with(b".html")
            && !is_template
            && !self.sources.has(&path)
            && !has_front_matter()
            && (mounts.uri_of_mount(&path))
                .is_some_and(|root| self.checker.locate(root).file().is_some())
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

    /// Returns a directory around a document, and the file below it of which a generator may make the page of an
    /// absolute path (A108). `depth` is the number of directories between the root and the document.
    pub(super) fn page_of(
        &self,
        document: &[u8],
        link: &Link<'_>,
        depth: usize,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let written = percent_decoded(split_path(link.reference.trim_ascii()).0);
        let below = written.strip_prefix(b"/")?;
        let may_be_page =
            link.flags.contains(Flags::OWN_SYNTAX) && !split_name(below).1.contains(&b'.');
        let below = below.strip_suffix(b"/").unwrap_or(below);
        let directories = memchr::memrchr_iter(b'/', document).map(|at| &document[..=at]);
        let is_tried = may_be_page && !below.is_empty();
        let mut directories = directories.take(depth + 1).filter(|_| is_tried);
        directories.find_map(|above| Some((above.to_vec(), self.page_below(above, below)?)))
    }

    /// Returns the file of which generators make the page of a path from a file below a directory. Numbers before
    /// the names of files and directories only order them.
    fn page_below(&self, directory: &[u8], path: &[u8]) -> Option<Vec<u8>> {
        let has_name = |name: &[u8], bare: &[u8], ends: &[&[u8]]| {
            static NUMBER: Pattern = Pattern::new(r"^\d+[-_.]");
            let unnumbered = &name[NUMBER.find(name).map_or(0, |number| number.end())..];
            [name, unnumbered].iter().any(|name| {
                let end = name.strip_prefix(bare);
                end.is_some_and(|end| ends.contains(&end))
            })
        };
        let (segment, rest) = split_once(path, b'/');
        let rest = rest.unwrap_or_default();
        let names = self.checker.tree.names(directory);
        let has = |name: &&String, ends: &[&[u8]]| has_name(name.as_bytes(), segment, ends);
        let place = |name: &String| [directory, name.as_bytes()].concat();
        let file = names
            .iter()
            .find(|name| rest.is_empty() && has(name, &PAGE_ENDS));
        let mut below = names.iter().filter(|name| has(name, &[b""]));
        file.map(place).or_else(|| {
            below.find_map(|name| {
                let below = with_slash(&place(name));
                match rest {
                    b"" => ["index", "README"]
                        .iter()
                        .find_map(|page| self.page_below(&below, page.as_bytes())),
                    rest => self.page_below(&below, rest),
                }
            })
        })
    }
}

/// Targets that a worker remembers.
const REMEMBERED: usize = 1 << 16;

/// The location of a link, and the fragment that names a place there.
pub(super) type Located<'l> = (TargetLocation, Option<&'l [u8]>);

/// Looks up targets, with the memory of a worker: of targets, and of the document.
pub(super) struct LookupCache<'a> {
    audit: &'a Audit,
    /// Whether the filter may leave out a link.
    is_filtered: bool,
    /// Locations by the hashes of targets without fragments.
    locations: HashMap<u64, TargetLocation>,
    /// The last base, and its depth.
    base: (Vec<u8>, usize),
    /// The last document, as a page of the site that it is a source of.
    page: Option<(FileId, Option<SourcePage<'a>>)>,
    /// The last source map, and whether it holds the contents of its sources.
    map: Option<(FileId, bool)>,
    /// The last document with placeholders, and whether it is a page of a built site.
    built: Option<(FileId, bool)>,
}

/// Returns the value of a file, which is made again only after another file.
fn remembered<T>(last: &mut Option<(FileId, T)>, file: FileId, make: impl FnOnce() -> T) -> &T {
    let known = last.take_if(|(known, _)| *known == file);
    &last.insert(known.unwrap_or_else(|| (file, make()))).1
}

/// Maximum length in bytes of a source map that is read for contents.
const MAX_MAP: u64 = 64 << 20;

impl<'a> LookupCache<'a> {
    pub(super) fn new(audit: &'a Audit) -> Self {
        LookupCache {
            audit,
            is_filtered: audit.options.reading.filter.is_set(),
            locations: HashMap::new(),
            base: (Vec::new(), 0),
            page: None,
            map: None,
            built: None,
        }
    }

    /// Like [`TargetChecker::depth`].
    pub(super) fn depth(&mut self, base: &[u8]) -> usize {
        if self.base.0 != base {
            self.base = (base.to_vec(), self.audit.checker.depth(base));
        }
        self.base.1
    }

    /// Returns whether a source map holds the contents of its sources, which nobody retrieves then.
    fn holds_sources(&mut self, map: FileId) -> bool {
        *remembered(&mut self.map, map, || {
            let text = read_start(&path_of(&self.audit.checker.paths.path(map)), MAX_MAP);
            let name = b"\"sourcesContent\"";
            text.is_ok_and(|text| memchr::memmem::find(&text, name).is_some())
        })
    }

    /// Returns the location of a reference that the site decides whose source the document is, and the
    /// fragment that the generator reads elsewhere than in URLs.
    fn in_source<'l>(&mut self, link: &Link<'l>, file: FileId) -> Option<Located<'l>> {
        let audit = self.audit;
        let file = Some(file).filter(|_| link.member.is_none())?;
        let (sources, checker) = (&audit.sources, &audit.checker);
        let read = || SourcePage::of(sources, checker, [&checker.paths.path(file); 2]);
        let page = remembered(&mut self.page, file, read).as_ref()?;
        Some((page.locate(link)?, page.fragment(link)))
    }

    fn locate(&mut self, target: &[u8]) -> TargetLocation {
        let checker = &self.audit.checker;
        // The query does not change which file it is (A1), but rules of servers may ask for it.
        let target = match memchr::memchr(b'?', target) {
            Some(at) if !checker.servers.depends_on_query => &target[..at],
            _ => target,
        };
        let hash = self.audit.hasher.hash_one(target);
        self.locations.get(&hash).copied().unwrap_or_else(|| {
            let location = checker.locate(target);
            if self.locations.len() == REMEMBERED {
                self.locations.clear();
            }
            self.locations.insert(hash, location);
            location
        })
    }

    /// Returns where a target lies outside the repository of the Markdown that refers to it: on the
    /// forge (A99), or in the site of the Markdown (A98).
    fn beside(&mut self, link: &Link<'_>, location: TargetLocation) -> TargetLocation {
        let checker = &self.audit.checker;
        let Some(base) = link.base.map(|base| base.uri) else {
            return location;
        };
        let above = steps_above(self.depth(base), link.reference);
        if above.is_some_and(is_on_forge) && is_internal(base) {
            return TargetLocation::Skipped;
        }
        if !is_of_repository(base) {
            return location;
        }
        if above.is_some() {
            return TargetLocation::OutsideRoot;
        }
        if let TargetLocation::NoIndex(directory) = location {
            let directory = checker.paths.path(directory);
            return directory_page(checker, &directory).unwrap_or(location);
        }
        if location != TargetLocation::Nothing {
            return location;
        }
        let (target, _) = split_fragment(link.target.unwrap_or_default());
        let expected = |uri| checker.expected(uri).ok();
        let mounts = &checker.mounts;
        let other = match link.reference.trim_ascii_start() {
            [b'/', ..] => expected(target).and_then(|file| {
                let mut uri = mounts.uri_of_mount(&expected(base)?.path)?.to_vec();
                push_path(file.below(), &mut uri);
                Some(uri)
            }),
            _ => expected(target).and_then(|file| mounts.uri(&file.path)),
        };
        other.map_or(location, |other| self.locate(&other))
    }

    /// Returns the location of a missing target that a generator or a forge may make (A108).
    fn undecided(
        &mut self,
        link: &Link<'_>,
        file: FileId,
        location: TargetLocation,
    ) -> TargetLocation {
        let is_missing = [TargetLocation::Nothing, TargetLocation::OutsideRoot].contains(&location);
        let Some(base) = link.base.filter(|base| is_missing && is_internal(base.uri)) else {
            return location;
        };
        let (audit, checker) = (self.audit, &self.audit.checker);
        let path = checker.paths.path(file);
        let reference = link.reference.trim_ascii();
        let mut repositories = audit.repositories.iter();
        if repositories.any(|own| own.is_of_forge(&path, reference)) {
            return TargetLocation::Skipped;
        }
        let written = percent_decoded(split_path(reference).0);
        let depth = self.depth(base.uri);
        if written.starts_with(b"/") {
            if audit.redirects.iter().any(|rules| rules.answers(&written)) {
                return TargetLocation::Served;
            }
            if audit.page_of(&path, link, depth).is_some() {
                return TargetLocation::Skipped;
            }
        } else if !is_of_repository(base.uri)
            && !HTML.iter().any(|end| path.ends_with(end))
            && steps_above(depth, link.reference).is_some()
        {
            // Nothing says that the tree ends at the named directory; it does not in a repository.
            let target = join(split_name(&path).0, &written);
            let mut roots = audit.repositories.iter().map(|own| &own.root);
            if roots.len() > 0 && !roots.any(|root| target.starts_with(root)) {
                return location;
            }
            return match checker.tree.find(b"/", &target, &checker.naming) {
                DiskEntry::File(file, how) => TargetLocation::File(checker.paths.id(&file), how),
                DiskEntry::Directory(_) => TargetLocation::Served,
                _ => location,
            };
        }
        location
    }

    /// Returns where a document without a suffix lies whose suffix is not `.rst` (A90).
    fn document_of_sphinx(&mut self, target: &[u8]) -> TargetLocation {
        const OTHERS: [&[u8]; 3] = [b".md", b".ipynb", b".txt"];
        let stem = target.strip_suffix(b".rst");
        let found = stem.and_then(|stem| {
            let mut others = OTHERS
                .iter()
                .map(|suffix| self.locate(&[stem, suffix].concat()));
            others.find(|location| location.file().is_some())
        });
        found.unwrap_or(TargetLocation::Nothing)
    }

    /// `file` is the document of the link.
    pub(super) fn locate_link<'l>(&mut self, link: &Link<'l>, file: FileId) -> Located<'l> {
        let (location, fragment) = self.locate_whole(link, file);
        // Style sheets read the fragments of images: `logo.svg#only-dark`.
        (location, fragment.filter(|_| link.element != Some("img")))
    }

    fn locate_whole<'l>(&mut self, link: &Link<'l>, file: FileId) -> Located<'l> {
        let audit = self.audit;
        let is_left_out = link.flags.intersects(Flags::IGNORED | Flags::LOCAL);
        // The resolver flags each reference with a placeholder, and others.
        let is_template = link.flags.contains(Flags::TEMPLATE);
        if is_left_out || self.is_filtered && !audit.options.reading.filter.admits(link) {
            return (TargetLocation::LeftOut, None);
        }
        if is_template && holds_placeholder(link.reference) {
            let is_leaked =
                is_unfilled(link) && *remembered(&mut self.built, file, || audit.is_built(file));
            let own = self.in_source(link, file).map(|(own, _)| own);
            let own = own.filter(|own| *own != TargetLocation::Skipped);
            let location = own.or(is_leaked.then_some(TargetLocation::Skipped));
            return (location.unwrap_or(TargetLocation::LeftOut), None);
        }
        let target = match link.target {
            Ok(target) => target,
            // What a template will make of the reference is not known.
            Err(ResolveErrorKind::Template) => {
                let own = self.in_source(link, file);
                return (own.map_or(TargetLocation::Skipped, |(own, _)| own), None);
            }
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
        if !audit.sources.is_empty()
            && let Some((location, own)) = self.in_source(link, file)
        {
            return (location, own.or(split_fragment(target).1));
        }
        if link.flags.contains(Flags::LEAVES_PACKAGE) {
            return (TargetLocation::OutsideRoot, split_fragment(target).1);
        }
        let (target, fragment) = split_fragment(target);
        let mut location = self.locate(target);
        if location == TargetLocation::External {
            let mut own = audit.repositories.iter();
            let own = own.find_map(|own| own.locate(target, &audit.checker));
            return (own.unwrap_or(location), fragment);
        }
        let is_in_repository = link.base.is_some_and(|base| is_of_repository(base.uri));
        if is_in_repository
            || [TargetLocation::Nothing, TargetLocation::OutsideRoot].contains(&location)
        {
            location = self.beside(link, location);
            location = self.undecided(link, file, location);
        }
        if location == TargetLocation::Skipped && misspelt_scheme(link.reference).is_some() {
            location = TargetLocation::Unresolved(ResolveErrorKind::InvalidReference);
        }
        if let TargetLocation::File(_, LookupMatch::Redirect) = location {
            let fragment = fragment.filter(|_| !audit.checker.sets_fragment(target));
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
                audit.wiki.find(&audit.checker, link.reference, target)
            }
            TargetLocation::Nothing if matches!(link.element, Some("doc" | "toctree")) => {
                match self.document_of_sphinx(target) {
                    // A document of the site includes the file.
                    TargetLocation::Nothing if !audit.sources.is_empty() => TargetLocation::Skipped,
                    location => location,
                }
            }
            TargetLocation::Nothing | TargetLocation::OutsideRoot
                if link.flags.contains(Flags::MAPPED) && self.holds_sources(file) =>
            {
                TargetLocation::Skipped
            }
            location => location,
        };
        (location, fragment)
    }
}

fn has_relation(link: &Link<'_>, relation: &str) -> bool {
    let words = link.description.and_then(|found| found.rel);
    words.is_some_and(|words| words.split(' ').any(|word| word == relation))
        && link.element == Some("link")
        && !link.flags.intersects(Flags::INERT | Flags::SRCDOC)
}

/// Returns the language of the translation that a link names.
pub(super) fn language<'l>(link: &Link<'l>) -> Option<&'l str> {
    let language = link.description.and_then(|found| found.hreflang);
    language.filter(|_| has_relation(link, "alternate"))
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

/// Others are taken for misspelt ones of these, the first that is near: `htts` for `https`.
const COMMON: [&str; 4] = ["https", "http", "javascript", "mailto"];
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

/// The extensions of the sources of programs.
const PROGRAMS: [&[u8]; 24] = [
    b"c", b"cc", b"cjs", b"cpp", b"cs", b"cts", b"go", b"h", b"hpp", b"java", b"js", b"jsx", b"kt",
    b"lua", b"mjs", b"mts", b"pl", b"py", b"rb", b"rs", b"sh", b"swift", b"ts", b"tsx",
];

/// Relative references of programs are in strings and comments.
fn is_in_script(link: &Link<'_>) -> bool {
    let base = link.base.unwrap_or_default();
    // The common cases.
    if matches!(base.uri, [.., b'l' | b'd' | b'/']) && !base.uri.ends_with(b".pl") {
        return false;
    }
    let name = split_name(base.uri).1;
    let extension = memchr::memrchr(b'.', name).map_or(&b""[..], |at| &name[at + 1..]);
    PROGRAMS.contains(&extension)
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
        | b"merge_requests" => steps == 2,
        // GitLab has files at `-/blob/BRANCH/`, and had them at `blob/BRANCH/`.
        b"-" => steps == 2 || steps == 3,
        _ => false,
    }
}

/// Returns the dialect of the generator whose configuration is in a directory.
fn slug_of_tree(root: &[u8], tree: &DiskTree) -> Option<Slug> {
    let names = tree.names(root);
    Slug::of_files(&names).or_else(|| {
        // Other generators use the old name too, but not this word.
        let file = path_of(root).join("config.toml");
        let text = start_of(bytes_of(&file), 64 << 10)?;
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
    let repositories = bases.repositories.iter();
    repositories.for_each(|(directory, uri)| mounts.add(directory, uri));
    mounts
}
