//! Documents of sites, and where their references lead.

use foldhash::{HashSet, HashSetExt};
use percent_encoding::percent_decode;

use super::antora::DIRECTORY;
use super::routes::{Routes, route};
use super::site::*;
use super::{FoundSite, Sources};
use crate::audit::disk::{FileNaming, LookupMatch};
use crate::audit::target::{TargetChecker, TargetLocation};
use crate::document::flags::Flags;
use crate::document::markdown::construct::find;
use crate::linker::Link;

/// A document of a site.
pub(in crate::audit) struct SourcePage<'a> {
    sources: &'a Sources,
    found: &'a FoundSite,
    checker: &'a TargetChecker,
    path: Box<[u8]>,
    state: PageState,
}

/// The entry of a configuration that lists a page.
pub(in crate::audit) struct ListedPage<'a> {
    /// The configuration, and its text.
    pub(in crate::audit) file: &'a [u8],
    pub(in crate::audit) text: &'a [u8],
    /// The offset of the name in the text.
    pub(in crate::audit) start: usize,
    pub(in crate::audit) name: &'a str,
    pub(in crate::audit) location: TargetLocation,
}

/// The use that a generator makes of a document.
enum PageState {
    /// References are the generator's; the URL may be computed.
    Page(Option<Vec<u8>>),
    /// Served unchanged.
    Served(Vec<u8>),
    /// References are not decided.
    LeftOut,
}

static SCHEME: Pattern = Pattern::new(r"^[A-Za-z][A-Za-z0-9+.\-]*:");

/// The bytes that are searched for the entries of one configuration; takes a tenth of a second.
const MAX_SEARCHED: usize = 1 << 30;

impl Sources {
    /// Looks up the pages that named configurations, and those below named directories, list: each once, in the order of
    /// the text.
    pub(in crate::audit) fn each_listed(
        &self,
        checker: &TargetChecker,
        mut each: impl FnMut(&ListedPage<'_>),
    ) {
        for found in &self.sites {
            let PageList { file, key, pages } = &found.site.listed;
            let mut named = self.named.iter();
            let Some(folder) = found.site.folders.first().filter(|_| {
                let is_below =
                    |named: &[u8]| named.ends_with(b"/") && found.directory.starts_with(named);
                !pages.is_empty() && named.any(|named| named == file || is_below(named))
            }) else {
                continue;
            };
            let text = start_of(file, MAX_CONFIGURATION).unwrap_or_default();
            let first = memchr::memmem::find(&text, key.as_bytes()).unwrap_or_default();
            let page = SourcePage {
                sources: self,
                found,
                checker,
                path: [&*folder.directory, b"index.md"].concat().into(),
                state: PageState::LeftOut,
            };
            let (mut seen, mut at, mut left) = (HashSet::new(), first, MAX_SEARCHED);
            let mut entries = Vec::new();
            for (name, path) in pages.iter().filter(|page| seen.insert(*page)) {
                let is_end = |at: Option<usize>| {
                    let byte = at.and_then(|at| text.get(at));
                    byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"/._-".contains(byte))
                };
                // Entries mostly stand in the order of the text.
                let mut parts = [at..text.len(), first..at].into_iter();
                let start = parts.find_map(|part| {
                    let found = memchr::memmem::find_iter(text.get(part.clone())?, name);
                    let mut starts = found.map(|found| part.start + found);
                    let is_whole =
                        |&at: &usize| is_end(at.checked_sub(1)) && is_end(Some(at + name.len()));
                    let start = starts.find(is_whole);
                    left = left.saturating_sub(start.unwrap_or(part.end) - part.start);
                    start
                });
                at = start.unwrap_or(at);
                entries.extend(start.map(|start| (start, name, path)));
                if left == 0 {
                    break;
                }
            }
            entries.sort_by_key(|(start, ..)| *start);
            for (start, name, path) in entries {
                let reference = SiteReference {
                    site: &found.site,
                    file: &page.path,
                    url: Some(b"/"),
                    path: path.as_bytes(),
                    is_bare: true,
                    syntax: Syntax::Text,
                    is_image: false,
                };
                each(&ListedPage {
                    file,
                    text: &text,
                    start,
                    name,
                    location: page.resolve(&reference, false),
                });
            }
        }
    }
}

impl<'a> SourcePage<'a> {
    /// Returns the state of a document, if it belongs to a site; the text of one that will be moved is elsewhere.
    pub(in crate::audit) fn of(
        sources: &'a Sources,
        checker: &'a TargetChecker,
        [path, text]: [&[u8]; 2],
    ) -> Option<Self> {
        let (found, root) = sources.place(path)?;
        let below = path.strip_prefix(&*root.directory)?;
        let file = ContentFile { root, below, text };
        let moved = (path != text).then(|| route(&file, &found.rules));
        let route = moved.as_ref().or(sources.routes(found).of_file(path));
        let is_markdown = matches!(parts(path).2, b"md" | b"markdown");
        let state = match root.kind {
            _ if !root.serves(path) => PageState::LeftOut,
            FolderUse::Content => match route {
                Some(Route::Page { url, .. }) => PageState::Page(Some(url.clone())),
                Some(Route::Computed | Route::ComputedBelow(_)) => PageState::Page(None),
                Some(Route::Plain) => return None,
                // Markdown that is not rendered is text.
                Some(Route::CopiedTo(url)) if !is_markdown => PageState::Served(url.clone()),
                _ => PageState::LeftOut,
            },
            _ => PageState::Served([&root.url, below].concat()),
        };
        Some(SourcePage {
            sources,
            found,
            checker,
            path: path.into(),
            state,
        })
    }

    /// Returns the location of a reference, if the site decides it.
    pub(in crate::audit) fn locate(&self, link: &Link<'_>) -> Option<TargetLocation> {
        let mut reference = link.reference.trim_ascii();
        // Other attributes are not known.
        let is_known = self.found.site.has_resource_ids && DIRECTORY.is_match(reference);
        let mut syntax = syntax(link);
        if link.flags.contains(Flags::TEMPLATE) && !is_known {
            // The reader of Markdown finds constructs itself.
            let is_page = matches!(self.state, PageState::Page(_));
            let mut construct = None;
            if is_page && parts(&self.path).2 == b"html" {
                let slug = self.found.kind.slug;
                find(slug, reference, 0, |name, path| {
                    construct = Some((name, path))
                });
            }
            let (name, path) = construct?;
            (reference, syntax) = (&reference[path], Syntax::Construct(name));
        }
        let mut schemes = self.found.site.schemes.iter();
        let bare = schemes.find_map(|scheme| reference.strip_prefix(scheme.as_bytes()));
        reference = bare.unwrap_or(reference);
        let route = reference.strip_prefix(b"#/");
        if let Some(route) = route.filter(|_| self.found.site.has_routes && syntax == Syntax::Html)
        {
            (reference, syntax) = (route, Syntax::Construct("route"));
        }
        let is_route = syntax == Syntax::Construct("route");
        let end = memchr::memchr2(b'?', b'#', reference).unwrap_or(reference.len());
        let path: Vec<u8> = percent_decode(&reference[..end]).collect();
        let is_resource = self.found.site.has_resource_ids
            && matches!(syntax, Syntax::Construct(_))
            && memchr::memmem::find(reference, b"://").is_none();
        let has_scheme = SCHEME.is_match(&reference[..end]);
        if path.starts_with(b"//") || has_scheme && !is_resource {
            return None;
        }
        let (url, is_served) = match &self.state {
            PageState::LeftOut => return Some(TargetLocation::Skipped),
            PageState::Page(url) => (url.as_deref(), false),
            PageState::Served(url) => (Some(url.as_slice()), !is_route),
        };
        if path.is_empty() && !is_route {
            let name = reference.get(end + 1..).unwrap_or_default();
            let is_elsewhere = !name.is_empty() && self.found.rules.has_label(name);
            return Some(match is_elsewhere {
                true => TargetLocation::Served,
                false => self.file_at(&self.path, LookupMatch::Exact),
            });
        }
        let reference = SiteReference {
            site: &self.found.site,
            file: &self.path,
            url,
            path: &path,
            is_bare: bare.is_none() && end == reference.len(),
            syntax,
            // Vue imports the same files as images.
            is_image: matches!(
                link.element,
                Some("img" | "embed" | "image" | "source" | "use" | "video")
            ),
        };
        Some(self.resolve(&reference, is_served))
    }

    fn resolve(&self, reference: &SiteReference<'_>, is_served: bool) -> TargetLocation {
        let mut attempts = Attempts::default();
        match is_served {
            true => reference.by_url(&mut attempts),
            false => self.found.rules.resolve(reference, &mut attempts),
        }
        let mut other_case = None;
        for attempt in &attempts.attempts {
            match self.attempt(attempt, attempts.ignores_case) {
                Some(TargetLocation::File(file, LookupMatch::OtherCase))
                    if attempts.ignores_case =>
                {
                    return TargetLocation::File(file, LookupMatch::Exact);
                }
                Some(found @ TargetLocation::File(_, LookupMatch::OtherCase)) => {
                    other_case = other_case.or(Some(found));
                }
                None => {}
                Some(found) => return found,
            }
        }
        let is_asset = !matches!(parts(reference.path).2, b"" | b"md" | b"html");
        let may_be_made = self.found.site.makes_pages || self.found.site.lacks_assets && is_asset;
        other_case.unwrap_or(match attempts.miss {
            Miss::Missing if !may_be_made => TargetLocation::Nothing,
            Miss::Missing | Miss::Undecided => TargetLocation::Skipped,
            Miss::OutsideSite => TargetLocation::OutsideRoot,
        })
    }

    /// Returns the heading that the query of a reference names.
    pub(in crate::audit) fn fragment<'l>(&self, link: &Link<'l>) -> Option<&'l [u8]> {
        let is_text = syntax(link) == Syntax::Text && link.reference.starts_with(b"#");
        let has_query = self.found.site.has_routes && !is_text;
        let at = memchr::memchr(b'?', link.reference).filter(|_| has_query)?;
        let id = link.reference[at..].strip_prefix(b"?id=")?;
        id.split(|byte| b"&#".contains(byte)).next()
    }

    fn routes(&self) -> &'a Routes {
        self.sources.routes(self.found)
    }

    fn file_at(&self, file: &[u8], how: LookupMatch) -> TargetLocation {
        TargetLocation::File(self.checker.paths.id(file), how)
    }

    fn attempt(&self, attempt: &Attempt, ignores_case: bool) -> Option<TargetLocation> {
        match attempt {
            Attempt::File(path) => self.by_file(path),
            Attempt::Url(url) => self.by_url(url),
            Attempt::Name(name) => {
                let file = self.routes().named(name, ignores_case)?;
                Some(self.file_at(file, LookupMatch::Exact))
            }
            Attempt::Part(path) => {
                let (file, how) = self.file(b"/", path, &[])?;
                Some(self.file_at(&file, how))
            }
        }
    }

    /// Looks up a file on disk, by its own name or in another case.
    fn file(&self, root: &[u8], path: &[u8], index: &[String]) -> Option<(Vec<u8>, LookupMatch)> {
        let naming = FileNaming {
            index: index.into(),
            ..FileNaming::default()
        };
        let (file, how) = self.checker.tree.find(root, path, &naming).file()?;
        let is_other = how == LookupMatch::OtherCase;
        Some((file, if is_other { how } else { LookupMatch::Exact }))
    }

    /// Looks up a path on disk, which must be in the site.
    fn by_file(&self, path: &[u8]) -> Option<TargetLocation> {
        let place = self.sources.place(&[path, b"/"].concat());
        let (_, folder) = place.filter(|(found, _)| std::ptr::eq(*found, self.found))?;
        let root = &path[..folder.directory.len().min(path.len())];
        let (file, how) = self.file(root, path, &self.found.site.index)?;
        let is_served = match folder.kind {
            FolderUse::Content => {
                let route = self.routes().of_file(&file);
                route.is_some_and(|route| *route != Route::LeftOut)
            }
            kind => kind < FolderUse::Templates,
        };
        is_served.then(|| self.file_at(&file, how))
    }

    /// Returns whether a redirect file of the site has a rule for a URL below the base.
    fn redirects(&self, url: &[u8]) -> bool {
        let base = self.found.site.base.as_deref().unwrap_or(b"/");
        let path = &[&base[..base.len() - 1], url].concat();
        let mut files = self.found.redirects.iter();
        files.any(|rules| rules.answers(path))
    }

    /// Looks up a URL below the base.
    fn by_url(&self, url: &[u8]) -> Option<TargetLocation> {
        let site = &self.found.site;
        let bare = url.strip_suffix(b"/").filter(|_| site.ignores_slashes);
        let url = bare.unwrap_or(url);
        let mut other_case;
        match self.routes().find(url) {
            Some((file, how @ LookupMatch::Exact)) => return Some(self.file_at(file, how)),
            found => other_case = found.map(|(file, how)| self.file_at(file, how)),
        }
        if site.made.contains(normal(url)) {
            return Some(TargetLocation::Served);
        }
        let overlays = site.folders.iter();
        let is_overlay = |kind| matches!(kind, FolderUse::Overlay | FolderUse::Theme);
        for overlay in overlays.filter(|folder| is_overlay(folder.kind)) {
            let Some(below) = url.strip_prefix(overlay.url.as_slice()) else {
                continue;
            };
            let path = [&overlay.directory, below].concat();
            match self.file(&overlay.directory, &path, &["index.html".to_owned()]) {
                Some((file, how @ LookupMatch::OtherCase)) => {
                    other_case = Some(self.file_at(&file, how));
                }
                Some((file, how)) if overlay.serves(&file) => {
                    return Some(self.file_at(&file, how));
                }
                _ => {}
            }
        }
        if self.redirects(url) {
            return Some(TargetLocation::Served);
        }
        let with_slash = [normal(url), b"/"].concat();
        let mut undecided = site.undecided.iter().chain(&self.routes().computed);
        match undecided.any(|start| with_slash.starts_with(start)) {
            true => Some(TargetLocation::Skipped),
            false => other_case,
        }
    }
}

fn syntax<'l>(link: &Link<'l>) -> Syntax<'l> {
    if link.flags.contains(Flags::COMPONENT) {
        return Syntax::Component;
    }
    match (link.element, link.attribute) {
        (Some(name), None) => Syntax::Construct(name),
        (Some(_), Some(_)) if !link.flags.contains(Flags::OWN_SYNTAX) => Syntax::Html,
        _ => Syntax::Text,
    }
}
