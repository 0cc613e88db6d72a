//! Next, and the sites of documentation that Nextra makes with it.

use super::site::*;

struct Nextra {
    /// The directory of pages whose content a route of `app` shows.
    content: Vec<u8>,
    app: Vec<u8>,
    locales: Vec<String>,
    has_slashes: bool,
    /// URLs of redirects and rewrites are computed.
    is_open: bool,
}

pub(super) fn open(
    directory: &SiteDirectory<'_>,
    site: &mut SourceSite,
    is_nextra: bool,
) -> Option<Rules> {
    let text = directory.module("next.config")?;
    let mut themes = ["js", "jsx", "ts", "tsx", "mjs"].into_iter();
    let has_theme = themes.any(|end| directory.has(&format!("theme.config.{end}")));
    directory.require((text.contains("nextra") || has_theme) == is_nextra)?;
    let values = config::javascript(&text);
    let theme = config::values_after(&text, "nextra(").next();
    let theme = theme.unwrap_or(Setting::Null);
    let start = theme.text_or("contentDirBasePath", "/");
    let source = |name: &str| {
        let path = directory.folder(format!("src/{name}"));
        let own = Some(path).filter(|path| path_of(path).is_dir());
        own.unwrap_or_else(|| directory.folder(name))
    };
    let (content, app) = (source("content"), source("app"));
    let mut redirects = Vec::new();
    let mut is_open = start.is_none();
    if text.contains("redirects") || text.contains("rewrites") {
        let sources = config::values_after(&text, "source:");
        redirects.extend(sources.map(|source| source.as_text().map(str::to_owned)));
        is_open |= redirects.is_empty() || redirects.contains(&None);
    }
    site.set_base(values.text_or("basePath", "/"));
    if is_nextra {
        site.add_content(&content, in_slashes(&start.unwrap_or_default()));
    }
    site.add_content(&app, "/");
    site.add_content(&source("pages"), "/");
    site.add_overlay(&directory.below("public"), "/");
    site.add_outputs(directory.path, ["out"]);
    site.add_made(["404", "sitemap.xml", "robots.txt", "favicon.ico"]);
    site.add_undecided(["/_next/", "/_pagefind/"]);
    // Patterns match anything from their first parameter on.
    for from in redirects.into_iter().flatten() {
        match from.split_once([':', '(', '*']) {
            Some((start, _)) => site.add_undecided([start]),
            None => site.add_undecided([from + "/"]),
        }
    }
    site.ignores_slashes = true;
    Some(Box::new(Nextra {
        content: if is_nextra { content } else { Vec::new() },
        app,
        locales: values.strings("i18n.locales"),
        has_slashes: values.flag_or("trailingSlash", false),
        is_open,
    }))
}

impl Nextra {
    fn url(&self, file: &ContentFile<'_>, below: &[u8]) -> Vec<u8> {
        let below = below.strip_suffix(b"/").unwrap_or(below);
        let mut url = [&*file.root.url, below].concat();
        match url.strip_suffix(b"/") {
            _ if self.has_slashes => url.push(b'/'),
            Some(start) if !start.is_empty() => drop(url.pop()),
            _ => {}
        }
        url
    }

    fn page(&self, file: &ContentFile<'_>, below: &[u8]) -> Route {
        let (first, rest) = below.split_at(memchr::memchr(b'/', below).unwrap_or(below.len()));
        let is_local = self.locales.iter().any(|locale| locale.as_bytes() == first);
        let other = is_local.then(|| self.url(file, rest.strip_prefix(b"/").unwrap_or(rest)));
        Route::page_at(self.url(file, below), other)
    }

    /// Returns the route of a file of `app`, whose URL is its directory.
    fn app_route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        let is_page = name == b"page" && is_page(extension);
        if !is_page && (name != b"route" || !is_script(extension)) {
            return Route::Beside;
        }
        let segments = directory.split(|&byte| byte == b'/');
        let own = segments.filter(|name| !name.starts_with(b"(") && !name.starts_with(b"@"));
        let below = own.collect::<Vec<_>>().join(&b'/');
        if let Some(start) = memchr::memchr(b'[', &below) {
            // The pages of a route that shows the content are the content's.
            let is_whole = memchr::memmem::find(&below[start..], b"[...").is_some();
            return match is_whole && path_of(&self.content).is_dir() {
                true => Route::LeftOut,
                false => Route::ComputedBelow([b"/", &below[..start]].concat()),
            };
        }
        match is_page {
            true => self.page(file, &below),
            false => Route::CopiedTo(self.url(file, &below)),
        }
    }
}

fn is_script(extension: &[u8]) -> bool {
    matches!(extension, b"js" | b"jsx" | b"ts" | b"tsx")
}

fn is_page(extension: &[u8]) -> bool {
    is_script(extension) || matches!(extension, b"md" | b"mdx")
}

impl SiteRules for Nextra {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        let is_content = file.root.directory == self.content;
        match name {
            _ if has_segment(file.below, b"_") => Route::LeftOut,
            _ if file.root.directory == self.app => self.app_route(file),
            _ if !is_page(extension) || is_content && is_script(extension) => Route::Beside,
            b"index" if !file.below.contains(&b'[') => self.page(file, directory),
            _ => {
                let page = || self.page(file, &[directory, name].concat());
                file.parameters().unwrap_or_else(page)
            }
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let is_absolute = path.starts_with(b"/");
        match reference.syntax {
            Syntax::Construct(_) if path.starts_with(b".") => {
                attempts.module(&reference.file_beside());
            }
            Syntax::Construct(_) => return attempts.miss = Miss::Undecided,
            Syntax::Text if reference.is_image && !is_absolute => {
                return attempts.part(reference.file_beside());
            }
            Syntax::Html => reference.by_url(attempts),
            _ if is_absolute => reference.below_base(attempts),
            _ => {
                let stem = path.strip_suffix(b".md").or(path.strip_suffix(b".mdx"));
                reference.at(stem.unwrap_or(path)).by_url(attempts);
            }
        }
        attempts.undecided_if(self.is_open && attempts.miss == Miss::Missing);
    }
}
