//! Zola.

use ignore::gitignore::Gitignore;

use super::config::{FrontMatter, Setting};
use super::paths::{join, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax, front_matter, globs, is_excluded,
};
use crate::bytes::pattern::Pattern;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "zola",
    markers: &["config.toml", "zola.toml"],
    open,
    slug: Slug::Zola,
};

struct Zola {
    content: Vec<u8>,
    languages: Vec<String>,
    slugs: PathSlugs,
    ignored: Gitignore,
}

/// The option `slugify.paths`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathSlugs {
    On,
    Safe,
    Off,
}

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let values = directory.configuration(&["zola.toml", "config.toml"])?;
    let is_zola = values.has("base_url") && directory.has("content");
    if !is_zola && !directory.is_given {
        return None;
    }
    let content = with_slash(&directory.below("content"));
    let languages = values.entries("languages").iter();
    let languages: Vec<_> = languages.map(|(name, _)| name.clone()).collect();
    let slugs = match values.text("slugify.paths") {
        Some("safe") => PathSlugs::Safe,
        Some("off") => PathSlugs::Off,
        _ => PathSlugs::On,
    };
    let roots = languages.iter().map(|name| format!("/{name}/"));
    let roots: Vec<_> = std::iter::once("/".to_owned()).chain(roots).collect();
    let rules = Zola {
        languages,
        slugs,
        ignored: globs(&content, values.texts("ignored_content")),
        content: content.clone(),
    };
    let mut site = SourceSite::new(directory, rules);
    site.set_base(values.text_or("base_url", "/"));
    site.add_content(&content, "/");
    site.add_overlay(&directory.below("static"), "/");
    if let Some(theme) = values.text("theme") {
        let theme = directory.below(&format!("themes/{theme}"));
        site.lacks_assets = !path_of(&theme).is_dir();
        site.add_overlay(&[&theme, &b"/static"[..]].concat(), "/");
    }
    let outside = ["templates", "themes", "sass", "public"];
    site.templates
        .extend(outside.map(|name| with_slash(&directory.below(name))));
    site.add_made(["sitemap.xml", "robots.txt", "404.html"]);
    site.add_made(roots.iter().map(String::as_str));
    let feeds: Vec<_> = ["feed_filenames", "feed_filename"]
        .iter()
        .flat_map(|key| values.texts(key))
        .collect();
    let has_feeds = ["generate_feeds", "generate_feed"]
        .iter()
        .any(|key| values.flag_or(key, false) || values.is_unknown(key));
    let usual = feeds.is_empty().then_some("atom.xml");
    for feed in feeds.into_iter().chain(usual).filter(|_| has_feeds) {
        let urls: Vec<_> = roots.iter().map(|root| format!("{root}{feed}")).collect();
        site.add_made(urls.iter().map(String::as_str));
    }
    let taxonomies = values.list("taxonomies").iter();
    for name in taxonomies.filter_map(|taxonomy| taxonomy.text("name")) {
        let name = Slug::Zola.of_text(name);
        let below = roots
            .iter()
            .map(|root| format!("{root}{name}/").into_bytes());
        site.undecided.extend(below);
    }
    if values.flag_or("compile_sass", false) {
        let names = directory.tree.names(&directory.below("sass"));
        let sheets = names.iter().filter_map(|name| name.strip_suffix(".scss"));
        let sheets: Vec<_> = sheets.map(|stem| format!("{stem}.css")).collect();
        site.add_made(sheets.iter().map(String::as_str));
    }
    Some(site)
}

/// The date at the start of a name.
static DATE: Pattern =
    Pattern::new(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?[_-](.+)");

impl Zola {
    fn segment(&self, name: &str) -> String {
        match self.slugs {
            PathSlugs::On => Slug::Zola.of_text(name),
            PathSlugs::Safe => name.replace(
                [
                    '<', '>', ':', '/', '|', '?', '*', '#', '(', ')', ' ', '\t', '"', '\\',
                ],
                "_",
            ),
            PathSlugs::Off => name.to_owned(),
        }
    }

    /// Returns the URL of a page or a section with its front matter.
    fn url(&self, directory: &[u8], stem: &str, values: &Setting) -> String {
        let split = stem.rsplit_once('.').filter(|(_, language)| {
            let mut known = self.languages.iter();
            known.any(|known| known == language)
        });
        let (name, language) = split.map_or((stem, None), |(name, known)| (name, Some(known)));
        let root = language.map_or("/".to_owned(), |language| format!("/{language}/"));
        if let Some(path) = values.text("path").map(|path| path.trim_matches('/')) {
            let end = if path.is_empty() { "" } else { "/" };
            return format!("{root}{path}{end}");
        }
        let directory = String::from_utf8_lossy(directory);
        let mut above: Vec<_> = directory
            .split('/')
            .filter(|part| !part.is_empty())
            .collect();
        let own = match name {
            "_index" => None,
            "index" => above.pop(),
            name => Some(name),
        };
        let own = own.map(|name| {
            let dated = DATE.group_at(name.as_bytes(), 0);
            let bare = dated.map_or(name, |[_, rest]| &name[rest]);
            self.segment(values.text("slug").unwrap_or(bare))
        });
        let above = above.into_iter().map(|name| self.segment(name));
        let segments = above.chain(own).map(|segment| segment + "/");
        root + &segments.collect::<String>()
    }

    /// Returns the URL of a file that belongs to a page or a section beside it, or to a page above.
    fn of_asset(&self, below: &[u8]) -> Option<Vec<u8>> {
        let mut directory = up_to_slash(below);
        let mut names = &["index", "_index"][..];
        loop {
            for name in names {
                let file = [&self.content, directory, name.as_bytes(), b".md"].concat();
                if path_of(&file).is_file() {
                    let FrontMatter::Values(values) = front_matter(&file) else {
                        return None;
                    };
                    let url = self.url(directory, name, &values);
                    return Some([url.as_bytes(), &below[directory.len()..]].concat());
                }
            }
            names = &["index"];
            directory = up_to_slash(directory.strip_suffix(b"/")?);
        }
    }
}

impl SiteRules for Zola {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        if is_excluded(&self.ignored, &file.path()) {
            return Route::LeftOut;
        }
        if extension != b"md" {
            let url = self.of_asset(file.below);
            return url.map_or(Route::LeftOut, Route::CopiedTo);
        }
        let (Ok(stem), FrontMatter::Values(values)) = (str::from_utf8(name), file.front_matter())
        else {
            return Route::Computed;
        };
        let is_part = !stem.starts_with("index")
            && !stem.starts_with("_index")
            && path_of(&file.path()).with_file_name("index.md").exists();
        if is_part || values.flag_or("draft", false) {
            return Route::LeftOut;
        }
        if !values.flag_or("render", true) {
            return Route::Beside;
        }
        let others = values.texts("aliases").map(|alias| {
            let end = if alias.ends_with(".html") { "" } else { "/" };
            format!("/{}{end}", alias.trim_matches('/')).into_bytes()
        });
        Route::Page {
            url: self.url(directory, stem, &values).into_bytes(),
            others: others.collect(),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        match reference.path.strip_prefix(b"@/") {
            Some(below) if reference.syntax == Syntax::Text => {
                attempts.file(join(&self.content, below));
            }
            _ => {
                reference.by_url(attempts);
                // Pages of a list.
                if memchr::memmem::find(reference.path, b"page/").is_some() {
                    attempts.miss = Miss::Undecided;
                }
            }
        }
    }
}
