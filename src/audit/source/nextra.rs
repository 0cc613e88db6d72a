//! Next, and the sites of documentation that Nextra makes with it.

use super::config::{self, Setting};
use super::paths::{has_segment, join, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax,
};
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static NEXTRA: Generator = Generator {
    name: "nextra",
    markers: &["next.config.*"],
    open: |directory| open(directory, true),
    slug: Slug::Nextra,
};

pub(super) static NEXT: Generator = Generator {
    name: "next",
    open: |directory| open(directory, false),
    ..NEXTRA
};

struct Nextra {
    /// The directory of pages whose content a route of `app` shows.
    content: Vec<u8>,
    app: Vec<u8>,
    locales: Vec<String>,
    has_slashes: bool,
    /// URLs of redirects and rewrites are computed.
    is_open: bool,
}

fn open(directory: &SiteDirectory<'_>, is_nextra: bool) -> Option<SourceSite> {
    let mut names = ["mjs", "js", "ts", "cjs", "mts"]
        .map(|end| format!("next.config.{end}"))
        .into_iter();
    let text = match names.find_map(|name| directory.read(&name)) {
        None if !directory.is_given => return None,
        text => text.unwrap_or_else(|| "export default {}".to_owned()),
    };
    let mut themes = ["js", "jsx", "ts", "tsx", "mjs"].into_iter();
    let has_theme = themes.any(|end| directory.has(&format!("theme.config.{end}")));
    if (text.contains("nextra") || has_theme) != is_nextra && !directory.is_given {
        return None;
    }
    let values = config::javascript(&text);
    let theme = config::values_after(&text, "nextra(")
        .next()
        .unwrap_or(Setting::Null);
    let source = |name: &str| {
        let path = directory.below(&format!("src/{name}/"));
        if path_of(&path).is_dir() {
            path
        } else {
            directory.below(&format!("{name}/"))
        }
    };
    let start = theme.text_or("contentDirBasePath", "/");
    let start = start.map(|start| start.trim_matches('/').to_owned());
    let (content, app) = (source("content"), source("app"));
    let mut redirects = Vec::new();
    let mut is_open = start.is_none();
    if text.contains("redirects") || text.contains("rewrites") {
        let sources = config::values_after(&text, "source:");
        redirects.extend(sources.map(|source| source.as_text().map(str::to_owned)));
        is_open |= redirects.is_empty() || redirects.contains(&None);
    }
    let rules = Nextra {
        content: if is_nextra {
            with_slash(&content)
        } else {
            Vec::new()
        },
        app: with_slash(&app),
        locales: values.texts("i18n.locales").map(str::to_owned).collect(),
        has_slashes: values.flag_or("trailingSlash", false),
        is_open,
    };
    let mut site = SourceSite::new(directory, rules);
    site.set_base(values.text_or("basePath", "/"));
    if is_nextra {
        let url = match start.as_deref().unwrap_or_default() {
            "" => "/".to_owned(),
            start => format!("/{start}/"),
        };
        site.add_content(&content, &url);
    }
    site.add_content(&app, "/");
    site.add_content(&source("pages"), "/");
    site.add_overlay(&directory.below("public"), "/");
    let made = ["/404", "/sitemap.xml", "/robots.txt", "/favicon.ico"];
    site.made.extend(made.map(|url| url.as_bytes().to_vec()));
    site.undecided
        .extend(["/_next/", "/_pagefind/"].map(|url| url.as_bytes().to_vec()));
    // Patterns match anything from their first parameter on.
    let starts = redirects.into_iter().flatten().map(|from| {
        let end = from.find([':', '(', '*']);
        let slash = if end.is_some() { "" } else { "/" };
        format!("{}{slash}", &from[..end.unwrap_or(from.len())]).into_bytes()
    });
    site.undecided.extend(starts);
    site.ignores_slashes = true;
    Some(site)
}

impl Nextra {
    fn url(&self, file: &ContentFile<'_>, below: &[u8]) -> Vec<u8> {
        let below = below.strip_suffix(b"/").unwrap_or(below);
        let mut url = [&*file.root.url, below].concat();
        if self.has_slashes {
            url.push(b'/');
        }
        match url.strip_suffix(b"/") {
            Some(start) if !self.has_slashes && !start.is_empty() => start.to_vec(),
            _ => url,
        }
    }

    fn page(&self, file: &ContentFile<'_>, below: &[u8]) -> Route {
        let (first, rest) = below.split_at(memchr::memchr(b'/', below).unwrap_or(below.len()));
        let is_local = self.locales.iter().any(|locale| locale.as_bytes() == first);
        let others = is_local.then(|| self.url(file, rest.strip_prefix(b"/").unwrap_or(rest)));
        Route::Page {
            url: self.url(file, below),
            others: others.into_iter().collect(),
        }
    }

    /// Returns the route of a file of `app`, whose URL is its directory.
    fn app_route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        let is_page = name == b"page" && is_page(extension);
        if !is_page && (name != b"route" || !is_page_script(extension)) {
            return Route::Beside;
        }
        let segments = directory.split(|&byte| byte == b'/');
        let segments: Vec<_> = segments
            .filter(|name| !name.starts_with(b"(") && !name.starts_with(b"@"))
            .collect();
        let below = segments.join(&b'/');
        if let Some(start) = memchr::memchr(b'[', &below) {
            // The pages of a route that shows the content are the content's.
            let is_whole = memchr::memmem::find(&below[start..], b"[...").is_some();
            if is_whole && path_of(&self.content).is_dir() {
                return Route::LeftOut;
            }
            return Route::ComputedBelow([b"/", &below[..start]].concat());
        }
        if is_page {
            self.page(file, &below)
        } else {
            Route::CopiedTo(self.url(file, &below))
        }
    }
}

fn is_page_script(extension: &[u8]) -> bool {
    matches!(extension, b"js" | b"jsx" | b"ts" | b"tsx")
}

fn is_page(extension: &[u8]) -> bool {
    is_page_script(extension) || matches!(extension, b"md" | b"mdx")
}

impl SiteRules for Nextra {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        if has_segment(file.below, b"_") {
            return Route::LeftOut;
        }
        if file.root.directory == self.app {
            return self.app_route(file);
        }
        let is_content = file.root.directory == self.content;
        if !is_page(extension) || is_content && is_page_script(extension) {
            return Route::Beside;
        }
        if let Some(start) = memchr::memchr(b'[', file.below) {
            return Route::ComputedBelow([&file.root.url, &file.below[..start]].concat());
        }
        match name {
            b"index" => self.page(file, directory),
            _ => self.page(file, &[directory, name].concat()),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let is_absolute = path.starts_with(b"/");
        match reference.syntax {
            Syntax::Construct(_) if path.starts_with(b".") => {
                attempts.module(&join(up_to_slash(reference.file), path));
            }
            Syntax::Construct(_) => return attempts.miss = Miss::Undecided,
            Syntax::Text if reference.is_image && !is_absolute => {
                return attempts.part(join(up_to_slash(reference.file), path));
            }
            Syntax::Html => reference.by_url(attempts),
            _ if is_absolute => reference.below_base(attempts),
            _ => {
                let path = path
                    .strip_suffix(b".md")
                    .or(path.strip_suffix(b".mdx"))
                    .unwrap_or(path);
                SiteReference { path, ..*reference }.by_url(attempts);
            }
        }
        if self.is_open && attempts.miss == Miss::Missing {
            attempts.miss = Miss::Undecided;
        }
    }
}
