//! Astro, and its theme Starlight.

use super::config::{self, Setting};
use super::paths::{has_segment, join, normal, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax,
};
use crate::document::options::Slug;

pub(super) static STARLIGHT: Generator = Generator {
    name: "starlight",
    markers: &["astro.config.*"],
    open: |directory| open(directory, true),
    slug: Slug::Starlight,
};

/// Collections of content get their URLs from code: pages alone are known.
pub(super) static ASTRO: Generator = Generator {
    name: "astro",
    open: |directory| open(directory, false),
    ..STARLIGHT
};

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

const EXTENSIONS: [&str; 5] = ["mjs", "js", "ts", "mts", "cjs"];

fn open(directory: &SiteDirectory<'_>, is_starlight: bool) -> Option<SourceSite> {
    let mut names = EXTENSIONS
        .map(|end| format!("astro.config.{end}"))
        .into_iter();
    let text = match names.find_map(|name| directory.read(&name)) {
        None if !directory.is_given => return None,
        text => text.unwrap_or_else(|| "export default { integrations: starlight({}) }".to_owned()),
    };
    if text.contains("@astrojs/starlight") != is_starlight && !directory.is_given {
        return None;
    }
    let values = config::javascript(&text);
    let theme = config::values_after(&text, "starlight(").next();
    let theme = theme.unwrap_or(Setting::Null);
    let source = with_slash(&directory.below(&values.text_or("srcDir", "src")?));
    let docs = [&*source, &b"content/docs/"[..]].concat();
    let mut locales: Vec<_> = (theme.entries("locales").iter())
        .filter(|(name, _)| name != "root")
        .map(|(name, _)| {
            let directory = [&*docs, name.as_bytes(), b"/"].concat();
            (directory, format!("/{}/", Slug::GitHub.of_text(name)))
        })
        .collect();
    let usual = theme.text("defaultLocale").filter(|name| *name != "root");
    let usual = usual.map(|name| [&*docs, name.as_bytes(), b"/"].concat());
    let usual = locales
        .iter()
        .position(|(locale, _)| Some(locale) == usual.as_ref());
    locales.push((docs.clone(), "/".to_owned()));
    let rules = Astro {
        usual: usual.unwrap_or(locales.len() - 1),
        makes_files: values.text("build.format") == Some("file"),
        may_lack_slashes: values.text("trailingSlash") == Some("never"),
        source: source.clone(),
        docs: docs.clone(),
        locales: locales.clone(),
    };
    let mut site = SourceSite::new(directory, rules);
    site.set_base(values.text_or("base", "/"));
    if is_starlight {
        locales
            .iter()
            .for_each(|(directory, url)| site.add_content(directory, url));
    }
    site.add_content(&[&*source, &b"pages/"[..]].concat(), "/");
    site.add_overlay(
        &directory.below(&values.text_or("publicDir", "public")?),
        "/",
    );
    for (from, _) in values.entries("redirects") {
        match from.find('[') {
            Some(end) => site.undecided.push(from.as_bytes()[..end].to_vec()),
            None => drop(site.made.insert(normal(from.as_bytes()).to_vec())),
        }
    }
    let made = ["/404.html", "/404", "/sitemap-index.xml", "/sitemap-0.xml"];
    site.made.extend(made.map(|url| url.as_bytes().to_vec()));
    let starts = ["/_astro/", "/pagefind/"];
    site.undecided
        .extend(starts.map(|url| url.as_bytes().to_vec()));
    if text.contains("starlight-blog") {
        site.undecided.push(b"/blog/".to_vec());
    }
    let makers = ["starlight-typedoc", "starlight-openapi"];
    site.templates.push([&*source, &b"content/"[..]].concat());
    site.makes_pages = values.is_unknown("redirects")
        || theme.is_unknown("locales")
        || makers.iter().any(|name| text.contains(name));
    Some(site)
}

impl Astro {
    fn page(&self, path: &[u8]) -> Vec<u8> {
        let path = path
            .strip_suffix(b"index")
            .filter(|above| above.is_empty() || above.ends_with(b"/"))
            .unwrap_or(path);
        let path = path.strip_suffix(b"/").unwrap_or(path);
        match path {
            b"" => b"/".to_vec(),
            b"404" => b"/404.html".to_vec(),
            path if self.makes_files => [b"/", path, b".html"].concat(),
            path => [b"/", path, b"/"].concat(),
        }
    }

    /// Returns the route of a file of `pages`, which is at the URL of its path.
    fn page_route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        let start = file.below.iter().position(|&byte| byte == b'[');
        if has_segment(file.below, b"_") {
            return Route::LeftOut;
        }
        if let Some(start) = start {
            return Route::ComputedBelow([b"/", &file.below[..start]].concat());
        }
        match extension {
            b"astro" | b"md" | b"mdx" | b"markdown" | b"html" => {
                Route::page(self.page(&[directory, name].concat()))
            }
            b"js" | b"ts" => Route::CopiedTo([b"/", directory, name].concat()),
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
        let Some(values) = file.front_matter().into_values() else {
            return Route::Computed;
        };
        if name.starts_with(b"_") || values.flag_or("draft", false) {
            return Route::LeftOut;
        }
        if let Some(slug) = values.text("slug") {
            return Route::page(self.page(slug.trim_matches('/').as_bytes()));
        }
        let path = [directory, name].concat();
        let path = String::from_utf8_lossy(&path);
        let segments: Vec<_> = path
            .split('/')
            .map(|name| Slug::GitHub.of_text(name))
            .collect();
        let path = segments.join("/");
        let at = |url: &str| self.page(&[&url.as_bytes()[1..], path.as_bytes()].concat());
        let own = (self.locales.iter()).position(|(own, _)| *own == file.root.directory);
        let falls_back = own == Some(self.usual);
        let others = (self.locales.iter().enumerate()).filter(|(number, (locale, _))| {
            falls_back && *number != self.usual && *locale != self.docs
        });
        Route::Page {
            url: str::from_utf8(&file.root.url).map_or_else(|_| Vec::new(), at),
            others: others.map(|(_, (_, url))| at(url)).collect(),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let is_file = match reference.syntax {
            Syntax::Construct(name) => name != "link",
            Syntax::Text => reference.is_image,
            _ => false,
        };
        let alias = path.strip_prefix(b"@/").or(path.strip_prefix(b"~/"));
        match alias {
            Some(below) if is_file => {
                attempts.module(&join(&self.source, below));
                attempts.miss = Miss::Undecided;
            }
            None if is_file && !path.starts_with(b"/") => {
                let file = join(up_to_slash(reference.file), path);
                match reference.syntax {
                    Syntax::Construct("import") => attempts.module(&file),
                    _ => attempts.part(file),
                }
            }
            _ => reference.by_url(attempts),
        }
        if let (true, Some(url)) = (
            self.may_lack_slashes && !path.starts_with(b"/"),
            reference.url,
        ) {
            let url = url.strip_suffix(b"/").unwrap_or(url);
            attempts.url(join(up_to_slash(url), path));
        }
    }
}
