//! Hexo.

use super::site::*;

struct Hexo {
    values: Setting,
    posts: Vec<u8>,
    permalink: String,
    /// The pattern of the names of posts, without its extension.
    new_name: String,
    copied: Gitignore,
    /// marked puts the root before images, and finds them beside posts.
    adds_root: bool,
}

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    directory.require(directory.depends_on("hexo"))?;
    let package = directory.values("package.json").unwrap_or(Setting::Null);
    let values = directory.values("_config.yml").unwrap_or_default();
    let name = |key: &str, usual: &str| values.text_or(key, usual);
    let source = directory.folder(name("source_dir", "source")?);
    let mut packages = package.keys("dependencies");
    // Another renderer makes the pages.
    let has_other_renderer = packages.any(|name| {
        name.starts_with("hexo-renderer-") && config::names_any(name, "markdown pandoc")
    });
    let new_name = name("new_post_name", ":title.md").unwrap_or_default();
    site.set_base(name("root", "/"));
    site.add_content(&source, "/");
    let theme = name("theme", "landscape").unwrap_or_default();
    let theme = directory.folder(format!("themes/{theme}"));
    let assets = join(&theme, b"source/");
    site.add_overlay(&assets, "/");
    let sheets = files_below(&assets, |_| true).into_iter();
    site.add_made(sheets.filter_map(|path| style_url(&path[assets.len()..])));
    site.lacks_assets = !path_of(&theme).is_dir();
    site.has_other_ids = has_other_renderer;
    site.add_templates(directory.path, ["themes", "scaffolds", "node_modules"]);
    site.add_outputs(directory.path, name("public_dir", "public"));
    site.add_made("/ atom.xml rss2.xml sitemap.xml search.xml search.json".split(' '));
    site.add_undecided([
        in_slashes(&name("archive_dir", "archives")?),
        in_slashes(&name("tag_dir", "tags")?),
        in_slashes(&name("category_dir", "categories")?),
        in_slashes(&name("pagination_dir", "page")?),
    ]);
    Some(Box::new(Hexo {
        posts: join(&source, b"_posts/"),
        permalink: name("permalink", ":year/:month/:day/:title/")?,
        new_name: new_name.trim_end_matches(".md").to_owned(),
        copied: anchored_globs(&source, values.texts("skip_render")),
        adds_root: values.flag_or("marked.prependRoot", true) && !has_other_renderer,
        values,
    }))
}

/// The date at the start of the path of a post, and the rest.
static DATED: Pattern = Pattern::new(r"^(\d{4}-\d{2}-\d{2})-(.+)$");
const DATED_NAME: &str = ":year-:month-:day-:title";
static DATE: Pattern = Pattern::new(r"^(\d{4}[-/]\d{1,2}[-/]\d{1,2})(?:[T ][0-9:.]*)?$");

impl Hexo {
    /// Returns the route of the post of a file, which is below the directory of posts.
    fn post(&self, path: &[u8], text: &[u8]) -> Route {
        let below = path.strip_prefix(self.posts.as_slice()).unwrap_or(path);
        let Some(values) = front_matter(text) else {
            return Route::Computed;
        };
        if !values.flag_or("published", true) {
            return Route::LeftOut;
        }
        if let Some(own) = values.text("permalink") {
            let own = own.trim_start_matches('/');
            let is_whole = own.ends_with('/') || own.ends_with(".html");
            return Route::page(format!("/{own}{}", if is_whole { "" } else { "/" }));
        }
        let (directory, name, _) = parts(below);
        let path = [directory, name].concat();
        let is_dated = self.new_name == DATED_NAME;
        let dated = DATED.captures(&path).filter(|_| is_dated);
        let of_name = |number| Some(dated.as_ref()?.get(number)?.as_bytes());
        // The title of another name is a slug of its path.
        let slug = || {
            let path = String::from_utf8_lossy(&path);
            let words = path.replace(|byte: char| byte.is_ascii_punctuation(), " ");
            is_dated.then(|| Slug::Hexo.of_text(&words).into_bytes())
        };
        let title = match &*self.new_name {
            ":title" => Some(path.clone()),
            _ => of_name(2).map(<[u8]>::to_vec).or_else(slug),
        };
        let own = values.text("date").map(str::as_bytes).or(of_name(1));
        let date = own.unwrap_or_default();
        let day = DATE.group_at(date, 0);
        let date = day.map_or(&b""[..], |[_, day]| &date[day]);
        let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
        let made = expand(
            self.permalink.trim_start_matches('/'),
            date,
            |name| match name {
                "title" => text(title.as_ref()?),
                "name" => text(last_name(title.as_ref()?)),
                _ => None,
            },
        );
        match made {
            Ok(url) => Route::page(format!("/{url}")),
            Err((url, "year")) => Route::ComputedBelow(format!("/{url}20").into()),
            Err((url, _)) => Route::ComputedBelow(format!("/{url}").into()),
        }
    }
    /// Returns the URL of an asset, which is in a directory beside a post with its name.
    fn asset(&self, path: &[u8]) -> Route {
        let ends = memchr::memrchr_iter(b'/', path).take_while(|&end| end > self.posts.len());
        let mut posts = ends.map(|end| (end, [&path[..end], b".md"].concat()));
        let found = posts.find(|(_, post)| path_of(post).is_file());
        match found.map(|(end, post)| (end, self.post(&post, &post))) {
            Some((end, Route::Page { url, .. })) => {
                Route::CopiedTo(join(&asset_directory(&url), &path[end + 1..]))
            }
            Some(_) => Route::Beside,
            None => Route::LeftOut,
        }
    }
}

/// Returns the URL of the style sheet that a renderer makes of a file.
fn style_url(below: &[u8]) -> Option<Vec<u8>> {
    let (directory, name, extension) = parts(below);
    let is_source = matches!(extension, b"styl" | b"less" | b"scss" | b"sass");
    is_source.then(|| [b"/", directory, name, b".css"].concat())
}

/// Returns the URL of the directory of the assets of a post.
fn asset_directory(url: &[u8]) -> Vec<u8> {
    with_slash(url.strip_suffix(b".html").unwrap_or(url))
}

impl SiteRules for Hexo {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let extension = file.parts().2;
        let path = file.path();
        let mut rendered = "md markdown mkd mkdn mdwn mdtxt mdtext html ejs njk".split(' ');
        let is_rendered = rendered.any(|known| known.as_bytes() == extension);
        if path.starts_with(&self.posts) {
            return match (is_rendered, self.values.flag_or("post_asset_folder", false)) {
                (true, _) => self.post(&path, file.text),
                (false, true) => self.asset(&path),
                _ => Route::LeftOut,
            };
        }
        if has_segment(file.below, b"_") || has_segment(file.below, b".") {
            return Route::LeftOut;
        }
        if !is_rendered || is_excluded(&self.copied, &path) {
            return style_url(file.below).map_or(Route::Copied, Route::CopiedTo);
        }
        match file.values() {
            None => Route::Computed,
            Some(values) if !values.flag_or("published", true) => Route::LeftOut,
            Some(values) => match values.text("permalink") {
                Some(own) => Route::page(format!("/{}", own.trim_start_matches('/'))),
                None => Route::page_of(file.below, &["index"], ".html"),
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
                attempts.undecided_if(self.new_name != ":title");
            }
            Syntax::Construct(_) => own(attempts),
            Syntax::Text if reference.is_image && self.adds_root => {
                let is_of_post = reference.file.starts_with(&self.posts) && !path.starts_with(b"/");
                if is_of_post && self.values.flag_or("marked.postAsset", false) {
                    own(attempts);
                }
                attempts.url(join(b"/", path));
            }
            _ => reference.by_url(attempts),
        }
    }
}
