//! Documents of sites, and where their references lead.

use percent_encoding::percent_decode;

use super::paths::{normal, parts};
use super::routes::{FileRoute, Routes, UrlMatch};
use super::site::{Attempt, Attempts, Miss, SiteReference, SourceSite, Syntax};
use super::{SourcePlace, Sources};
use crate::audit::disk::{DiskEntry, FileNaming, LookupMatch};
use crate::audit::names::FileId;
use crate::audit::target::{TargetChecker, TargetLocation};
use crate::document::flags::Flags;
use crate::linker::Link;

/// A document of a site.
pub(in crate::audit) struct SourcePage<'a> {
    sources: &'a Sources,
    site: &'a SourceSite,
    number: usize,
    checker: &'a TargetChecker,
    path: Box<[u8]>,
    state: PageState,
}

/// The use that a generator makes of a document.
#[derive(Debug)]
enum PageState {
    /// References are the generator's; the URL may be computed.
    Page(Option<Vec<u8>>),
    /// Served unchanged.
    Served(Vec<u8>),
    /// References are not decided.
    LeftOut,
}

impl<'a> SourcePage<'a> {
    /// Returns the state of a document, if it belongs to a site.
    pub(in crate::audit) fn of(
        sources: &'a Sources,
        checker: &'a TargetChecker,
        file: FileId,
    ) -> Option<Self> {
        let path = checker.paths.path(file);
        let (number, end, place) = sources.place(&path)?;
        let site = &sources.sites[number];
        let state = match place {
            SourcePlace::Template => PageState::LeftOut,
            SourcePlace::Overlay(number) => {
                let overlay = &site.overlays[number];
                if overlay.has_templates && path.ends_with(b".html") {
                    PageState::LeftOut
                } else {
                    PageState::Served([&overlay.url, &path[end..]].concat())
                }
            }
            SourcePlace::Content => match sources.routes(number).of_file(&path) {
                Some(FileRoute::Page(url)) => PageState::Page(Some(url.to_vec())),
                Some(FileRoute::Computed) => PageState::Page(None),
                Some(FileRoute::Plain) => return None,
                // Markdown that is not rendered is text.
                Some(FileRoute::Copied(url)) if !matches!(parts(&path).2, b"md" | b"markdown") => {
                    PageState::Served(url.to_vec())
                }
                _ => PageState::LeftOut,
            },
        };
        Some(SourcePage {
            sources,
            site,
            number,
            checker,
            path,
            state,
        })
    }

    /// Returns the location of a reference, if the site decides it.
    pub(in crate::audit) fn locate(&self, link: &Link<'_>) -> Option<TargetLocation> {
        let mut reference = link.reference.trim_ascii();
        let schemes = self.site.schemes.iter();
        let mut bare = schemes.filter_map(|scheme| reference.strip_prefix(scheme.as_bytes()));
        reference = bare.next().unwrap_or(reference);
        let mut syntax = syntax(link);
        let has_routes = self.site.has_routes && syntax == Syntax::Html;
        if let Some(route) = reference.strip_prefix(b"#/").filter(|_| has_routes) {
            (reference, syntax) = (route, Syntax::Construct("route"));
        }
        let is_route = syntax == Syntax::Construct("route");
        let end = memchr::memchr2(b'?', b'#', reference).unwrap_or(reference.len());
        let path: Vec<u8> = percent_decode(&reference[..end]).collect();
        let is_resource = self.site.has_resource_ids
            && matches!(syntax, Syntax::Construct(_))
            && memchr::memmem::find(reference, b"://").is_none();
        if path.starts_with(b"//") || has_scheme(&reference[..end]) && !is_resource {
            return None;
        }
        let url = match &self.state {
            PageState::LeftOut => return Some(TargetLocation::Skipped),
            PageState::Page(url) => url.as_deref(),
            PageState::Served(url) => Some(url.as_slice()),
        };
        let found =
            |path: &[u8]| TargetLocation::File(self.checker.paths.id(path), LookupMatch::Exact);
        if path.is_empty() && !is_route {
            let name = reference.get(end + 1..).unwrap_or_default();
            let is_elsewhere = !name.is_empty() && self.site.rules.has_label(name);
            return Some(match is_elsewhere {
                true => TargetLocation::Served,
                false => found(&self.path),
            });
        }
        let is_served = matches!(self.state, PageState::Served(_)) && !is_route;
        let reference = SiteReference {
            site: self.site,
            file: &self.path,
            url,
            path: &path,
            syntax,
            is_image: link.element == Some("img"),
        };
        let mut attempts = Attempts::default();
        if is_served {
            reference.by_url(&mut attempts);
        } else {
            self.site.rules.resolve(&reference, &mut attempts);
        }
        let mut other_case = None;
        for attempt in &attempts.attempts {
            let location = match attempt {
                Attempt::File(path) => self.by_file(path),
                Attempt::Url(url) => self.by_url(url),
                Attempt::Name(name) => self
                    .routes()
                    .named(name)
                    .map_or(TargetLocation::Nothing, found),
                Attempt::Part(path) => {
                    match self.checker.tree.find(b"/", path, &FileNaming::default()) {
                        DiskEntry::File(file, how) => {
                            TargetLocation::File(self.checker.paths.id(&file), how)
                        }
                        _ => TargetLocation::Nothing,
                    }
                }
            };
            match location {
                TargetLocation::File(_, LookupMatch::OtherCase) => {
                    other_case = other_case.or(Some(location));
                }
                TargetLocation::Nothing => {}
                location => return Some(location),
            }
        }
        let miss = match attempts.miss {
            Miss::Missing if self.site.makes_pages || self.may_be_of_theme(&path) => {
                TargetLocation::Skipped
            }
            Miss::Missing => TargetLocation::Nothing,
            Miss::Undecided => TargetLocation::Skipped,
            Miss::OutsideSite => TargetLocation::OutsideRoot,
        };
        Some(other_case.unwrap_or(miss))
    }

    /// Returns the heading that the query of a reference names.
    pub(in crate::audit) fn fragment<'l>(&self, link: &Link<'l>) -> Option<&'l [u8]> {
        let is_text = syntax(link) == Syntax::Text && link.reference.starts_with(b"#");
        let has_query = self.site.has_routes && !is_text;
        let at = memchr::memchr(b'?', link.reference).filter(|_| has_query)?;
        let query = &link.reference[at..];
        let id = query.strip_prefix(b"?id=")?;
        id.split(|byte| b"&#".contains(byte)).next()
    }

    fn may_be_of_theme(&self, path: &[u8]) -> bool {
        self.site.lacks_assets && !matches!(parts(path).2, b"" | b"md" | b"html")
    }

    fn routes(&self) -> &'a Routes {
        self.sources.routes(self.number)
    }

    /// Looks up a path on disk, which must be in the site.
    fn by_file(&self, path: &[u8]) -> TargetLocation {
        let probe = [path, b"/"].concat();
        let of_site = self
            .sources
            .place(&probe)
            .filter(|(number, ..)| *number == self.number);
        let Some((_, end, place)) = of_site else {
            return TargetLocation::Nothing;
        };
        let naming = FileNaming {
            index: self.site.index.clone(),
            ..FileNaming::default()
        };
        let DiskEntry::File(file, how) =
            self.checker
                .tree
                .find(&path[..end.min(path.len())], path, &naming)
        else {
            return TargetLocation::Nothing;
        };
        let is_served = match place {
            SourcePlace::Template => false,
            SourcePlace::Overlay(_) => true,
            SourcePlace::Content => {
                let route = self.routes().of_file(&file);
                route.is_some_and(|route| *route != FileRoute::LeftOut)
            }
        };
        let how = match how {
            LookupMatch::OtherCase => how,
            _ => LookupMatch::Exact,
        };
        match is_served {
            true => TargetLocation::File(self.checker.paths.id(&file), how),
            false => TargetLocation::Nothing,
        }
    }

    /// Looks up a URL below the base.
    fn by_url(&self, url: &[u8]) -> TargetLocation {
        let (site, tree, paths) = (self.site, &self.checker.tree, &self.checker.paths);
        let url = match site.ignores_slashes {
            true => url.strip_suffix(b"/").unwrap_or(url),
            false => url,
        };
        let mut other_case = TargetLocation::Nothing;
        match self.routes().find(url) {
            UrlMatch::File(file) => {
                return TargetLocation::File(paths.id(file), LookupMatch::Exact);
            }
            UrlMatch::OtherCase(file) => {
                other_case = TargetLocation::File(paths.id(file), LookupMatch::OtherCase);
            }
            UrlMatch::Nothing => {}
        }
        if site.made.contains(normal(url)) {
            return TargetLocation::Served;
        }
        for overlay in &site.overlays {
            let Some(below) = url.strip_prefix(overlay.url.as_slice()) else {
                continue;
            };
            let path = [&overlay.directory, below].concat();
            match tree.find(&overlay.directory, &path, &served_index()) {
                DiskEntry::File(file, LookupMatch::OtherCase) => {
                    other_case = TargetLocation::File(paths.id(&file), LookupMatch::OtherCase);
                }
                DiskEntry::File(file, _)
                    if !(overlay.has_templates && file.ends_with(b".html")) =>
                {
                    return TargetLocation::File(paths.id(&file), LookupMatch::Exact);
                }
                _ => {}
            }
        }
        let with_slash = [normal(url), b"/"].concat();
        let mut undecided = site.undecided.iter().chain(&self.routes().computed);
        if undecided.any(|start| with_slash.starts_with(start)) {
            return TargetLocation::Skipped;
        }
        other_case
    }
}

fn syntax<'l>(link: &Link<'l>) -> Syntax<'l> {
    if link.flags.contains(Flags::COMPONENT) {
        return Syntax::Component;
    }
    match (link.element, link.attribute) {
        (Some(name), None) => Syntax::Construct(name),
        _ if link.flags.contains(Flags::OWN_SYNTAX) => Syntax::Text,
        (Some(_), Some(_)) => Syntax::Html,
        _ => Syntax::Text,
    }
}

fn has_scheme(reference: &[u8]) -> bool {
    let end = reference
        .iter()
        .position(|&byte| !(byte.is_ascii_alphanumeric() || b"+.-".contains(&byte)));
    end.is_some_and(|end| end > 0 && reference[end] == b':' && reference[0].is_ascii_alphabetic())
}

/// Names under which a directory of an overlay is served.
fn served_index() -> FileNaming {
    FileNaming {
        index: vec!["index.html".to_owned()],
        ..FileNaming::default()
    }
}
