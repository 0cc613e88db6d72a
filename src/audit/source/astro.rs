//! Astro, and its theme Starlight. Collections of content get their URLs from code: without the theme, pages alone are
//! known.

use super::site::*;

struct Astro {
    /// The directory of the source, which aliases name.
    source: Vec<u8>,
    docs: Vec<u8>,
    /// The directories of locales in the docs, with their URLs.
    locales: Vec<(Vec<u8>, String)>,
    /// The locale whose pages others fall back to.
    usual: usize,
    makes_files: bool,
    /// A page has a URL with a slash, or without one.
    may_lack_slashes: bool,
}

pub(super) fn open(
    directory: &SiteDirectory<'_>,
    site: &mut SourceSite,
    is_starlight: bool,
) -> Option<Rules> {
    let text = directory.module("astro.config")?;
    directory.require(text.contains("@astrojs/starlight") == is_starlight)?;
    let values = config::javascript(&text);
    let theme = config::values_after(&text, "starlight(").next();
    let theme = theme.unwrap_or(Setting::Null);
    let source = directory.content(site, &values, "srcDir", "src");
    let docs = [&*source, b"content/docs/"].concat();
    let below = |name: &str| [&*docs, name.as_bytes(), b"/"].concat();
    let url = |name: &str| format!("/{}/", Slug::GitHub.of_text(name));
    let names = theme.keys("locales").filter(|name| *name != "root");
    let mut locales: Vec<_> = names.map(|name| (below(name), url(name))).collect();
    let usual = theme.text("defaultLocale").filter(|name| *name != "root");
    let usual = usual.map(below);
    let mut known = locales.iter();
    let usual = known.position(|(locale, _)| Some(locale) == usual.as_ref());
    locales.push((docs.clone(), "/".to_owned()));
    let base = values.text_or("base", "/");
    if !theme.has("plugins")
        && let Some(base) = &base
    {
        // The theme puts the base and the locale before the links of its sidebar.
        site.listed.file = directory.first(module_names("astro.config"));
        site.listed.key = "sidebar";
        let start = [
            in_slashes(base).trim_end_matches('/'),
            &locales[usual.unwrap_or(locales.len() - 1)].1,
        ]
        .concat();
        site.listed.add(theme.get("sidebar"), "link", &start);
    }
    site.set_base(base);
    for (directory, url) in locales.iter().filter(|_| is_starlight) {
        site.add_content(directory, url);
    }
    site.add_content(&join(&source, b"pages"), "/");
    let public = directory.content(site, &values, "publicDir", "public");
    site.add_overlay(&public, "/");
    for from in values.keys("redirects") {
        match from.split_once('[') {
            Some((start, _)) => site.add_undecided([start]),
            None => site.add_made([from]),
        }
    }
    site.add_made(["404.html", "404", "sitemap-index.xml", "sitemap-0.xml"]);
    site.add_undecided(["/_astro/", "/pagefind/"]);
    if text.contains("starlight-blog") {
        site.add_undecided(["/blog/"]);
    }
    site.add_templates(&source, ["content"]);
    site.add_outputs(directory.path, values.text_or("outDir", "dist"));
    let is_computed = values.is_unknown("redirects") || theme.is_unknown("locales");
    site.makes_pages |=
        is_computed || config::names_any(&text, "starlight-typedoc starlight-openapi");
    Some(Box::new(Astro {
        usual: usual.unwrap_or(locales.len() - 1),
        makes_files: values.text("build.format") == Some("file"),
        may_lack_slashes: values.text("trailingSlash") == Some("never"),
        source,
        locales,
        docs,
    }))
}

impl Astro {
    fn page(&self, path: &[u8]) -> Vec<u8> {
        let (directory, name) = path.split_at(up_to_slash(path).len());
        let path = if name == b"index" { directory } else { path };
        match path.strip_suffix(b"/").unwrap_or(path) {
            b"" => b"/".to_vec(),
            b"404" => b"/404.html".to_vec(),
            path if self.makes_files => [b"/", path, b".html"].concat(),
            path => [b"/", path, b"/"].concat(),
        }
    }

    /// Returns the route of a page at paths. Servers find the file of a page without its extension, too.
    fn route_at(&self, paths: impl IntoIterator<Item = Vec<u8>>) -> Route {
        let mut urls = paths.into_iter().flat_map(|path| {
            let url = self.page(&path);
            let bare = url.strip_suffix(b".html");
            let bare = bare.map(|bare| [bare, b"/"].concat());
            [Some(url), bare].into_iter().flatten()
        });
        Route::page_at(urls.next().unwrap_or_default(), urls)
    }

    /// Returns the route of a file of `pages`, which is at the URL of its path.
    fn page_route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        if has_segment(file.below, b"_") {
            return Route::LeftOut;
        }
        if let Some(route) = file.parameters() {
            return route;
        }
        let stem = [directory, name].concat();
        match extension {
            b"astro" | b"md" | b"mdx" | b"markdown" | b"html" => self.route_at([stem]),
            b"js" | b"ts" => Route::CopiedTo([b"/", &*stem].concat()),
            _ => Route::Beside,
        }
    }
}

impl SiteRules for Astro {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        if !file.root.directory.starts_with(&self.docs) {
            return self.page_route(file);
        }
        let (directory, name, extension) = file.parts();
        if !matches!(extension, b"md" | b"mdx" | b"markdown" | b"mdown" | b"mdoc") {
            return Route::Beside;
        }
        let Some(values) = file.values() else {
            return file.unparsed();
        };
        if name.starts_with(b"_") || values.flag_or("draft", false) {
            return Route::LeftOut;
        }
        let slug = |name: &[u8]| Slug::GitHub.of_text(&String::from_utf8_lossy(name));
        let root = &file.root.url[1..];
        let path = match values.text("slug") {
            // With its locale.
            Some(slug) => slug.trim_matches('/').into(),
            None => [root, &renamed(&[directory, name].concat(), slug)].concat(),
        };
        let is_usual = self.locales[self.usual].0 == file.root.directory;
        let below = path.strip_prefix(root).filter(|_| is_usual);
        let locales = self.locales.iter();
        let locales = locales.filter(|(own, _)| *own != file.root.directory && *own != self.docs);
        let others = locales.filter_map(|(_, url)| Some([&url.as_bytes()[1..], below?].concat()));
        self.route_at(std::iter::once(path.clone()).chain(others))
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let is_file = match reference.syntax {
            Syntax::Construct(name) => name != "link",
            Syntax::Text => reference.is_image,
            _ => false,
        };
        match path.strip_prefix(b"@/").or(path.strip_prefix(b"~/")) {
            Some(below) if is_file => {
                attempts.module(&join(&self.source, below));
                attempts.miss = Miss::Undecided;
            }
            None if is_file && !path.starts_with(b"/") => match reference.syntax {
                Syntax::Construct("import") => attempts.module(&reference.file_beside()),
                _ => attempts.part(reference.file_beside()),
            },
            _ => reference.by_url(attempts),
        }
        let url = reference.url.filter(|_| self.may_lack_slashes);
        if let Some(url) = url.filter(|_| !path.starts_with(b"/")) {
            attempts.url(join(above(url), path));
        }
    }
}
