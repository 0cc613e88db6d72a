//! Hexo.

use ignore::gitignore::Gitignore;

use super::config::Setting;
use super::paths::{has_segment, join, parts, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax, anchored_globs, front_matter, is_excluded,
};
use crate::bytes::pattern::Pattern;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "hexo",
    markers: &["_config.yml"],
    open,
    slug: Slug::Hexo,
};

struct Hexo {
    posts: Vec<u8>,
    permalink: String,
    /// Names of posts begin with their dates.
    has_dated_names: bool,
    has_asset_folders: bool,
    copied: Gitignore,
    /// marked puts the root before images, and finds them beside posts.
    adds_root: bool,
    finds_assets: bool,
    /// Another renderer makes the pages.
    has_other_renderer: bool,
}

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let package = directory.values("package.json").unwrap_or(Setting::Null);
    let keys = ["hexo", "dependencies.hexo", "devDependencies.hexo"];
    if !directory.is_given && !keys.iter().any(|key| package.has(key)) {
        return None;
    }
    let values = directory.values("_config.yml").unwrap_or_default();
    let name = |key: &str, usual: &str| values.text_or(key, usual);
    let source = with_slash(&directory.below(&name("source_dir", "source")?));
    let renderers = package.entries("dependencies").iter();
    let mut renderers = renderers.filter(|(name, _)| name.starts_with("hexo-renderer-"));
    let has_other_renderer =
        renderers.any(|(name, _)| name.contains("markdown") || name.contains("pandoc"));
    let rules = Hexo {
        posts: [&*source, &b"_posts/"[..]].concat(),
        permalink: name("permalink", ":year/:month/:day/:title/")?,
        has_dated_names: values
            .text("new_post_name")
            .is_some_and(|name| name.contains(":year")),
        has_asset_folders: values.flag_or("post_asset_folder", false),
        copied: anchored_globs(&source, values.texts("skip_render")),
        adds_root: values.flag_or("marked.prependRoot", true),
        finds_assets: values.flag_or("marked.postAsset", false),
        has_other_renderer,
    };
    let mut site = SourceSite::new(directory, rules);
    site.set_base(name("root", "/"));
    site.add_content(&source, "/");
    let theme = name("theme", "landscape").unwrap_or_default();
    let theme = directory.below(&format!("themes/{theme}"));
    site.add_overlay(&[&*theme, b"/source"].concat(), "/");
    site.lacks_assets = !path_of(&theme).is_dir();
    site.has_other_ids = has_other_renderer;
    let templates =
        ["themes", "scaffolds", "node_modules"].map(|name| with_slash(&directory.below(name)));
    site.templates.extend(templates);
    site.templates
        .push(with_slash(&directory.below(&name("public_dir", "public")?)));
    let made = [
        "",
        "/atom.xml",
        "/rss2.xml",
        "/sitemap.xml",
        "/search.xml",
        "/search.json",
    ];
    site.made.extend(made.map(|url| url.as_bytes().to_vec()));
    for (key, usual) in [
        ("archive_dir", "archives"),
        ("tag_dir", "tags"),
        ("category_dir", "categories"),
        ("pagination_dir", "page"),
    ] {
        let name = name(key, usual)?;
        site.undecided
            .push(format!("/{}/", name.trim_matches('/')).into_bytes());
    }
    Some(site)
}

static VARIABLE: Pattern = Pattern::new(r":([a-z_]+)");
/// The date at the start of the name of a post.
static DATED: Pattern = Pattern::new(r"^(?:.*/)?(\d{4}-\d{1,2}-\d{1,2})-");
static DATE: Pattern = Pattern::new(r"^(\d{4}[-/]\d{1,2}[-/]\d{1,2})(?:[T ][0-9:.]*)?$");

impl Hexo {
    /// Returns the route of the post of a file, which is below the directory of posts.
    fn post(&self, path: &[u8]) -> Route {
        let below = path.strip_prefix(self.posts.as_slice()).unwrap_or(path);
        let Some(values) = front_matter(path).into_values() else {
            return Route::Computed;
        };
        if values.get("published") == Some(&Setting::Flag(false)) {
            return Route::LeftOut;
        }
        if let Some(own) = values.text("permalink") {
            let own = own.trim_start_matches('/');
            let end = if own.ends_with('/') || own.ends_with(".html") {
                ""
            } else {
                "/"
            };
            return Route::page(format!("/{own}{end}"));
        }
        let (directory, name, _) = parts(below);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let dated = DATED.group_at(below, 0).filter(|_| self.has_dated_names);
        let title = match &dated {
            Some([whole, _]) => {
                [directory, &below[whole.end..directory.len() + name.len()]].concat()
            }
            None => [directory, name].concat(),
        };
        let own = values.text("date").map(|date| date.as_bytes().to_vec());
        let date = own
            .or(dated.map(|[_, day]| below[day].to_vec()))
            .unwrap_or_default();
        let date = DATE
            .group_at(&date, 0)
            .map(|[_, day]| text(&date[day]).replace('/', "-"));
        let day = |part: usize| Some(date.as_ref()?.split('-').nth(part)?.to_owned());
        let two = |part: usize| Some(format!("{:0>2}", day(part)?));
        let short = |part: usize| Some(day(part)?.trim_start_matches('0').to_owned());
        let mut url = "/".to_owned();
        let pattern = self.permalink.trim_start_matches('/');
        let mut at = 0;
        while let Some([whole, variable]) = VARIABLE.group_at(pattern.as_bytes(), at) {
            url += &pattern[at..whole.start];
            at = whole.end;
            let value = match &pattern[variable.clone()] {
                "year" => day(0),
                "month" => two(1),
                "day" => two(2),
                "i_month" => short(1),
                "i_day" => short(2),
                "title" => Some(text(&title)),
                "name" => Some(text(&title[up_to_slash(&title).len()..])),
                _ => None,
            };
            match value {
                Some(value) => url += &value,
                None if &pattern[variable] == "year" => {
                    return Route::ComputedBelow((url + "20").into());
                }
                None => return Route::ComputedBelow(url.into()),
            }
        }
        Route::page(url + &pattern[at..])
    }

    /// Returns the URL of an asset, which is in a directory beside a post with its name.
    fn asset(&self, path: &[u8]) -> Route {
        let ends = memchr::memrchr_iter(b'/', path).take_while(|&end| end > self.posts.len());
        let mut posts = ends.map(|end| (end, [&path[..end], b".md"].concat()));
        match posts.find(|(_, post)| path_of(post).is_file()) {
            Some((end, post)) => match self.post(&post) {
                Route::Page { url, .. } => {
                    Route::CopiedTo(join(&asset_directory(&url), &path[end + 1..]))
                }
                _ => Route::Beside,
            },
            None => Route::LeftOut,
        }
    }
}

/// Returns the URL of the directory of the assets of a post.
fn asset_directory(url: &[u8]) -> Vec<u8> {
    with_slash(url.strip_suffix(b".html").unwrap_or(url))
}

fn is_markdown(extension: &[u8]) -> bool {
    matches!(
        extension,
        b"md" | b"markdown" | b"mkd" | b"mkdn" | b"mdwn" | b"mdtxt" | b"mdtext"
    )
}

impl SiteRules for Hexo {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        let path = file.path();
        let is_rendered = is_markdown(extension) || matches!(extension, b"html" | b"ejs" | b"njk");
        if path.starts_with(&self.posts) {
            return match (is_rendered, self.has_asset_folders) {
                (true, _) => self.post(&path),
                (false, true) => self.asset(&path),
                _ => Route::LeftOut,
            };
        }
        if has_segment(file.below, b"_") || has_segment(file.below, b".") {
            return Route::LeftOut;
        }
        if !is_rendered || is_excluded(&self.copied, &path) {
            let extension = match extension {
                b"styl" | b"less" | b"scss" | b"sass" => b"css",
                _ => return Route::Copied,
            };
            return Route::CopiedTo([b"/", directory, name, b".", &extension[..]].concat());
        }
        match file.front_matter().into_values() {
            None => Route::Computed,
            Some(values) if values.get("published") == Some(&Setting::Flag(false)) => {
                Route::LeftOut
            }
            Some(values) => match values.text("permalink") {
                Some(own) => Route::page(format!("/{}", own.trim_start_matches('/'))),
                None if name == b"index" => Route::page([b"/", directory].concat()),
                None => Route::page([b"/", directory, name, b".html"].concat()),
            },
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let own = |attempts: &mut Attempts| match reference.url {
            Some(url) => attempts.url(join(&asset_directory(url), path)),
            None => attempts.miss = Miss::Undecided,
        };
        match reference.syntax {
            Syntax::Construct("post") => {
                attempts.file([&*self.posts, path, b".md"].concat());
                attempts.name(path);
                if self.has_dated_names {
                    attempts.miss = Miss::Undecided;
                }
            }
            Syntax::Construct(_) => own(attempts),
            Syntax::Text if reference.is_image && self.adds_root && !self.has_other_renderer => {
                if self.finds_assets
                    && !path.starts_with(b"/")
                    && reference.file.starts_with(&self.posts)
                {
                    own(attempts);
                }
                attempts.url(join(b"/", path));
            }
            _ => reference.by_url(attempts),
        }
    }
}
