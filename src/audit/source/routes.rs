//! The URLs of the files of a site, and the files of its URLs.

use std::sync::OnceLock;

use foldhash::HashMap;

use super::paths::{normal, parts, up_to_slash};
use super::site::{ContentFile, Route, SourceSite};
use crate::audit::names::fold;
use crate::pipeline::walk::path_of;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileRoute {
    Page(Box<[u8]>),
    Copied(Box<[u8]>),
    Beside,
    Computed,
    LeftOut,
    Plain,
}

type PagesByName = HashMap<Box<[u8]>, Option<Box<[u8]>>>;

#[derive(Debug, Default)]
pub(super) struct Routes {
    /// By absolute paths.
    files: HashMap<Box<[u8]>, FileRoute>,
    /// The files by URLs without slash or index file at the end.
    urls: HashMap<Box<[u8]>, UrlTarget>,
    /// The first of the URLs that differ in case only, by the folded form.
    folded: HashMap<Box<[u8]>, Box<[u8]>>,
    /// Starts of URLs that are computed.
    pub(super) computed: Vec<Vec<u8>>,
    /// The pages by their names, `None` of several; made on demand.
    names: OnceLock<PagesByName>,
}

#[derive(Debug)]
struct UrlTarget {
    file: Box<[u8]>,
    /// The URL ends in a slash.
    is_directory: bool,
}

/// The result of looking up a URL.
pub(super) enum UrlMatch<'r> {
    File(&'r [u8]),
    OtherCase(&'r [u8]),
    Nothing,
}

impl Routes {
    /// `is_other` returns whether a directory belongs to another part or another site.
    pub(super) fn read(site: &SourceSite, is_other: impl Fn(&[u8]) -> bool) -> Self {
        let mut routes = Routes::default();
        for root in &site.content {
            let mut open = vec![root.directory.clone()];
            while let Some(directory) = open.pop() {
                let Ok(entries) = std::fs::read_dir(path_of(&directory)) else {
                    continue;
                };
                let mut names: Vec<_> = entries
                    .flatten()
                    .map(|entry| {
                        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                        (entry.file_name().into_encoded_bytes(), is_directory)
                    })
                    .collect();
                names.sort_unstable();
                for (name, is_directory) in names {
                    let path = [&*directory, &*name].concat();
                    if !is_directory {
                        let file = ContentFile {
                            site,
                            root,
                            below: &path[root.directory.len()..],
                        };
                        routes.add(&file);
                        continue;
                    }
                    let below = [&*path, b"/"].concat();
                    let is_own = name != b"node_modules" && name != b".git" && !is_other(&below);
                    if is_own {
                        open.push(below);
                    }
                }
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

    fn add(&mut self, file: &ContentFile<'_>) {
        let path: Box<[u8]> = file.path().into();
        let route = match file.site.rules.route(file) {
            Route::Page { url, others } => {
                for url in std::iter::once(&url).chain(&others) {
                    self.add_url(url, &path);
                }
                FileRoute::Page(url.into())
            }
            Route::Copied => {
                let url = [&file.root.url, file.below].concat();
                self.add_url(&url, &path);
                FileRoute::Copied(url.into())
            }
            Route::CopiedTo(url) => {
                self.add_url(&url, &path);
                FileRoute::Copied(url.into())
            }
            Route::Beside => FileRoute::Beside,
            Route::Computed => FileRoute::Computed,
            Route::ComputedBelow(start) => {
                self.computed.push(start);
                FileRoute::Computed
            }
            Route::LeftOut => FileRoute::LeftOut,
            Route::Plain => FileRoute::Plain,
        };
        self.files.insert(path, route);
    }

    fn add_url(&mut self, url: &[u8], file: &[u8]) {
        let target = UrlTarget {
            file: file.into(),
            is_directory: normal(url) != url,
        };
        // Of several files at a URL the first is used.
        self.urls.entry(normal(url).into()).or_insert(target);
    }

    pub(super) fn of_file(&self, path: &[u8]) -> Option<&FileRoute> {
        self.files.get(path)
    }

    /// Returns the only page that has a name without its extension, as its own or its directory's.
    pub(super) fn named(&self, name: &[u8]) -> Option<&[u8]> {
        let names = self.names.get_or_init(|| {
            let mut names = PagesByName::default();
            let pages = self.files.iter();
            for (path, _) in pages.filter(|(_, route)| matches!(route, FileRoute::Page(_))) {
                let (directory, stem, _) = parts(path);
                let above = directory.strip_suffix(b"/").unwrap_or(directory);
                let name = match stem {
                    b"index" | b"_index" => &above[up_to_slash(above).len()..],
                    stem => stem,
                };
                let only = names.entry(name.into());
                only.and_modify(|page| *page = None)
                    .or_insert_with(|| Some(path.clone()));
            }
            names
        });
        names.get(name)?.as_deref()
    }

    pub(super) fn find(&self, url: &[u8]) -> UrlMatch<'_> {
        let (key, slash) = (normal(url), url.ends_with(b"/"));
        let fits = |target: &&UrlTarget| target.is_directory || !slash;
        if let Some(target) = self.urls.get(key).filter(fits) {
            return UrlMatch::File(&target.file);
        }
        let folded = self.folded.get(fold(key).as_bytes());
        match folded.and_then(|url| self.urls.get(url)).filter(fits) {
            Some(target) if !self.urls.contains_key(key) => UrlMatch::OtherCase(&target.file),
            _ => UrlMatch::Nothing,
        }
    }
}
