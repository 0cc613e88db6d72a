//! The URLs of the files of a site, and the files of its URLs.

use std::mem::discriminant;
use std::sync::OnceLock;

use foldhash::HashMap;

use super::site::*;
use crate::audit::disk::LookupMatch;
use crate::audit::names::fold;

type PagesByName = HashMap<Vec<u8>, Option<Box<[u8]>>>;

#[derive(Debug, Default)]
pub(super) struct Routes {
    /// By absolute paths; copied files have their URLs, and pages only their own.
    files: HashMap<Box<[u8]>, Route>,
    /// The files by URLs without slash or index file at the end.
    urls: HashMap<Box<[u8]>, UrlTarget>,
    /// The first of the URLs that differ in case only, by the folded form.
    folded: HashMap<Box<[u8]>, Box<[u8]>>,
    /// Starts of URLs that are computed.
    pub(super) computed: Vec<Vec<u8>>,
    /// The pages by their names, `None` of several; made on demand.
    names: OnceLock<PagesByName>,
}

/// Returns the route of a file, with the URL of a copy.
pub(super) fn route(file: &ContentFile<'_>, rules: &Rules) -> Route {
    match rules.route(file) {
        Route::Copied => Route::CopiedTo([&file.root.url, file.below].concat()),
        route => route,
    }
}

/// A file, and whether its URL ends in a slash.
type UrlTarget = (Box<[u8]>, bool);

impl Routes {
    /// `is_other` returns whether a directory belongs to another part or another site.
    pub(super) fn read(site: &SourceSite, rules: &Rules, is_other: impl Fn(&[u8]) -> bool) -> Self {
        let mut routes = Routes::default();
        let is_hidden =
            |directory: &[u8]| matches!(last_name(directory), b"node_modules" | b".git");
        let is_own = |directory: &[u8]| !is_hidden(directory) && !is_other(directory);
        let roots = site.folders.iter();
        for root in roots.filter(|root| root.kind == FolderUse::Content) {
            for path in files_below(&root.directory, is_own) {
                let below = &path[root.directory.len()..];
                let text = &path;
                let file = ContentFile { root, below, text };
                routes.add(&file, route(&file, rules));
            }
        }
        let mut urls: Vec<_> = routes.urls.keys().cloned().collect();
        urls.sort_unstable();
        for url in urls {
            let folded = fold(&url).into_bytes().into();
            routes.folded.entry(folded).or_insert(url);
        }
        routes
    }

    fn add(&mut self, file: &ContentFile<'_>, mut route: Route) {
        let path: Box<[u8]> = file.text.into();
        match &mut route {
            Route::Page { url, others } => {
                self.add_url(url, &path);
                let others = std::mem::take(others);
                others.iter().for_each(|url| self.add_url(url, &path));
            }
            Route::CopiedTo(url) => self.add_url(url, &path),
            Route::ComputedBelow(start) => self.computed.push(start.clone()),
            _ => {}
        }
        self.files.insert(path, route);
    }

    fn add_url(&mut self, url: &[u8], file: &[u8]) {
        let target = (file.into(), normal(url) != url);
        // Of several files at a URL the first is used.
        self.urls.entry(normal(url).into()).or_insert(target);
    }

    /// Returns whether each file at or below a path keeps its kind of route at its new place.
    pub(super) fn stay(&self, old: &[u8], new: &[u8], root: &Folder, rules: &Rules) -> bool {
        self.files.iter().all(|(text, own)| {
            let moved = below(text, old).map(|rest| [new, rest].concat());
            let below = moved
                .as_deref()
                .and_then(|path| path.strip_prefix(&*root.directory));
            below.is_none_or(|below| {
                let moved = route(&ContentFile { root, below, text }, rules);
                match (&moved, own) {
                    (Route::ComputedBelow(new), Route::ComputedBelow(old)) => new == old,
                    _ => discriminant(&moved) == discriminant(own),
                }
            })
        })
    }

    pub(super) fn of_file(&self, path: &[u8]) -> Option<&Route> {
        self.files.get(path)
    }

    /// Returns the only page that has a name without its extension, as its own or its directory's.
    pub(super) fn named(&self, name: &[u8], ignores_case: bool) -> Option<&[u8]> {
        let key = |name: &[u8]| match ignores_case {
            true => fold(name).into_bytes(),
            false => name.to_vec(),
        };
        let names = self.names.get_or_init(|| {
            let mut names = PagesByName::default();
            let pages = self.files.iter();
            for (path, _) in pages.filter(|(_, route)| matches!(route, Route::Page { .. })) {
                let name = match parts(path) {
                    (directory, b"index" | b"_index", _) => last_name(directory),
                    (_, stem, _) => stem,
                };
                let only = names.entry(key(name));
                only.and_modify(|page| *page = None)
                    .or_insert_with(|| Some(path.clone()));
            }
            names
        });
        names.get(&key(name))?.as_deref()
    }

    /// Returns the file at a URL, by its case or another one.
    pub(super) fn find(&self, url: &[u8]) -> Option<(&[u8], LookupMatch)> {
        let (key, slash) = (normal(url), url.ends_with(b"/"));
        let fits = |(_, is_directory): &&UrlTarget| *is_directory || !slash;
        if let Some(target) = self.urls.get(key) {
            return fits(&target).then_some((&target.0, LookupMatch::Exact));
        }
        let url = self.folded.get(fold(key).as_bytes())?;
        let (file, _) = self.urls.get(url).filter(fits)?;
        Some((file, LookupMatch::OtherCase))
    }
}
