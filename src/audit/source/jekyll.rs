//! Jekyll, as GitHub Pages builds it or by itself.

use unicode_normalization::char::is_combining_mark;

use super::site::*;
use crate::audit::date::{date, days_from_today};

struct Jekyll {
    values: Setting,
    excluded: Gitignore,
    included: Gitignore,
    /// Renders Markdown without front matter, and makes an index of each README.
    has_optional_front_matter: bool,
    lacks_theme: bool,
}

/// Keys that other generators do not have.
const KEYS: &str = "plugins gems theme remote_theme markdown collections baseurl kramdown";
const EXCLUDED: &str = "Gemfile Gemfile.lock gemfiles node_modules \
    /vendor/bundle/ /vendor/cache/ /vendor/gems/ /vendor/ruby/";

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let values = directory.configuration(["_config.yml", "_config.yaml"])?;
    let gems = directory.read("Gemfile");
    let has_gem = |name: &str| gems.as_ref().is_some_and(|text| text.contains(name));
    let mut folders = ["_posts", "_layouts", "_includes"].iter();
    let is_jekyll = values.has_any(KEYS)
        || folders.any(|name| directory.has(name))
        || has_gem("jekyll")
        || has_gem("github-pages");
    directory.require(is_jekyll && !directory.depends_on("hexo"))?;
    let has_plugin = |name: &str| {
        let mut plugins = values.texts("plugins").chain(values.texts("gems"));
        plugins.any(|plugin| plugin == name) || has_gem(name)
    };
    // Without a Gemfile the service builds the site.
    let is_of_service = gems.is_none() || has_gem("github-pages");
    let source = directory.content(site, &values, "source", ".");
    let lacks_theme =
        values.has_any("theme remote_theme") || is_of_service && !directory.has("_layouts");
    site.set_base(values.text_or("baseurl", "/"));
    site.add_content(&source, "/");
    site.add_outputs(directory.path, values.text_or("destination", "_site"));
    let templates = "_includes _layouts _data _sass _plugins";
    site.add_templates(&source, templates.split(' '));
    site.add_made(["/", "feed.xml", "sitemap.xml", "404.html", "robots.txt"]);
    if lacks_theme {
        site.add_undecided(["/assets/"]);
    }
    if values.has("paginate") {
        let path = values.text_or("paginate_path", "/page:num/");
        let path = path.unwrap_or_default();
        let start = path.split(':').next().unwrap_or_default();
        site.add_undecided([join(b"/", start.as_bytes())]);
    }
    if has_plugin("jekyll-archives") {
        site.add_undecided(["/tag/", "/tags/", "/category/", "/categories/"]);
    }
    site.makes_pages |= directory.has("_plugins");
    Some(Box::new(Jekyll {
        excluded: globs(&source, EXCLUDED.split(' ').chain(values.texts("exclude"))),
        included: globs(&source, values.texts("include")),
        has_optional_front_matter: is_of_service || has_plugin("jekyll-optional-front-matter"),
        lacks_theme,
        values,
    }))
}

/// A post's name: the date and the title.
static POST: Pattern = Pattern::new(r"^[0-9]{2,4}-[0-9]{1,2}-[0-9]{1,2}-(.+)$");

/// A file with its options.
struct JekyllPage<'a> {
    directory: &'a str,
    name: &'a str,
    /// The label of the collection, or `pages`.
    kind: &'a str,
    front: Setting,
    extension: &'a str,
    /// Year, month and day.
    date: String,
    categories: Vec<String>,
}

/// Joins the runs of letters, marks, digits and other characters that are kept by `-`.
fn slugified(text: &str, kept: &str) -> String {
    let is_gap = |other: char| {
        !other.is_alphanumeric() && !is_combining_mark(other) && !kept.contains(other)
    };
    let words = text.split(is_gap).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

impl Jekyll {
    /// Returns a value of a file's front matter, or the nearest default of the configuration.
    fn value(&self, page: &JekyllPage<'_>, key: &str) -> Setting {
        if let Some(own) = page.front.get(key) {
            return own.clone();
        }
        let file = format!("{}{}.", page.directory, page.name);
        let rows = self.values.list("defaults").iter();
        let rows = rows.filter_map(|row| {
            let path = row.text("scope.path").unwrap_or_default().trim_matches('/');
            let kind = row.text("scope.type").unwrap_or(page.kind);
            let rest = file.strip_prefix(path)?;
            let is_below = path.is_empty() || rest.starts_with(['/', '.']);
            let value = row.get(&format!("values.{key}"))?;
            (is_below && kind == page.kind).then_some((path.len(), value))
        });
        let nearest = rows.max_by_key(|(length, _)| *length);
        nearest.map_or(Setting::Null, |(_, value)| value.clone())
    }

    /// Returns the URL that a pattern makes, or the route by its start if it has parts that are not known.
    fn url(&self, pattern: &str, page: &JekyllPage<'_>) -> Result<String, Route> {
        let pattern = match pattern {
            "date" => "/:categories/:year/:month/:day/:title:output_ext",
            "pretty" => "/:categories/:year/:month/:day/:title/",
            "none" => "/:categories/:title:output_ext",
            "ordinal" => "/:categories/:year/:y_day/:title:output_ext",
            "weekdate" => "/:categories/:year/W:week/:short_day/:title:output_ext",
            own => own,
        };
        let own = page.front.text("slug").unwrap_or(page.name);
        let url = expand(pattern, page.date.as_bytes(), |name| {
            Some(match name {
                "title" => slugified(own, "._~!$&'()+,;=@"),
                "slug" => slugified(own, "").to_lowercase(),
                "name" | "basename" => page.name.to_owned(),
                "categories" => page.categories.join("/"),
                "collection" => page.kind.to_owned(),
                "path" if page.kind == "pages" => page.directory.to_owned(),
                "path" => format!("{}{}", page.directory, page.name),
                "output_ext" => format!(".{}", page.extension),
                _ => return None,
            })
        });
        let in_one =
            |url: String| String::from_utf8_lossy(&join(b"/", url.as_bytes())).into_owned();
        let below = |(start, _)| Route::ComputedBelow(in_one(start).into_bytes());
        url.map(in_one).map_err(below)
    }

    fn is_hidden(&self, file: &ContentFile<'_>) -> bool {
        let mut segments = file.below.split(|&byte| byte == b'/');
        let is_special =
            segments.any(|name| matches!(name, [b'_' | b'.' | b'#', ..]) || name.ends_with(b"~"));
        is_special && !is_excluded(&self.included, &file.path())
    }

    /// Returns the collection that a file is in, with its path below and the directories above.
    fn collection<'f>(&self, below: &'f str) -> Option<(&'f str, &'f str, &'f str)> {
        let folder = self.values.text("collections_dir").unwrap_or_default();
        let inside = below.strip_prefix(folder).unwrap_or(below);
        let inside = inside.trim_start_matches('/').strip_prefix('_');
        if let Some((label, rest)) = inside.and_then(|path| path.split_once('/')) {
            let mut listed = self.values.texts("collections");
            let is_known = self.values.has(&format!("collections.{label}"));
            if (is_known || listed.any(|known| known == label)) && label != "posts" {
                return Some((label, rest, ""));
            }
        }
        let (above, rest) = below.split_once("_posts/")?;
        (above.is_empty() || above.ends_with('/')).then_some(("posts", rest, above))
    }

    /// Returns the URL of a page or a document and others, or the route if the URL is computed.
    fn urls(&self, page: &JekyllPage<'_>) -> Result<(String, Vec<String>), Route> {
        let style = self.values.text_or("permalink", "date");
        let style = style.ok_or(Route::Computed)?;
        let is_directory = style == "pretty" || style.ends_with('/');
        let end = if is_directory { "/" } else { ":output_ext" };
        let of_collection = format!("collections.{}.permalink", page.kind);
        let pattern = match self.value(page, "permalink") {
            Setting::Text(own) => own,
            Setting::Null => match page.kind {
                "pages" if page.extension != "html" => "/:path:basename:output_ext".to_owned(),
                "pages" if page.name == "index" => "/:path".to_owned(),
                "pages" => format!("/:path:basename{end}"),
                "posts" => style.clone(),
                _ => match self.values.text(&of_collection) {
                    Some(own) => own.to_owned(),
                    None => format!("/:collection/:path{end}"),
                },
            },
            _ => return Err(Route::Computed),
        };
        let url = self.url(&pattern, page)?;
        let moved = self.value(page, "redirect_from").strings("");
        let moved = moved.iter().map(|from| from.trim_start_matches('/'));
        let moved = moved.map(|from| format!("/{from}"));
        // A URL without an extension is a file with one.
        let last = url.rsplit('/').next().unwrap_or_default();
        let is_bare = !last.is_empty() && !last.contains('.');
        let file = is_bare.then(|| format!("{url}.html"));
        let others = moved.chain(file).collect();
        Ok((url, others))
    }
}

impl SiteRules for Jekyll {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let Ok(below) = str::from_utf8(file.below) else {
            return Route::Copied;
        };
        if is_excluded(&self.excluded, &file.path()) || below.contains("_drafts/") {
            return Route::LeftOut;
        }
        let collection = self.collection(below);
        let (kind, path, above) = collection.unwrap_or(("pages", below, ""));
        let output = format!("collections.{kind}.output");
        let is_left_out = match collection {
            None => self.is_hidden(file),
            Some(_) => kind != "posts" && !self.values.flag_or(&output, false),
        };
        if is_left_out {
            return Route::LeftOut;
        }
        let (directory, name) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
        let (name, written) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_markdown = matches!(written, "md" | "markdown" | "mkd" | "mkdn" | "mkdown");
        let extension = match written {
            _ if is_markdown => "html",
            "scss" | "sass" => "css",
            "coffee" => "js",
            other => other,
        };
        let mut texts = "html htm xml txt css scss sass coffee".split(' ');
        let is_text = is_markdown || texts.any(|known| known == written);
        let front = if is_text {
            file.values()
        } else {
            Some(Setting::Null)
        };
        let Some(front) = front else {
            return file.unparsed();
        };
        let has_own = front != Setting::Null;
        let copy = match kind {
            "pages" => [b"/", file.below].concat(),
            label => format!("/{label}/{path}").into_bytes(),
        };
        let is_optional = is_markdown && kind == "pages" && self.has_optional_front_matter;
        let dated = POST.group_at(name.as_bytes(), 0);
        let dated = dated.filter(|_| kind == "posts");
        if kind == "posts" && (!has_own || dated.is_none()) {
            return Route::LeftOut;
        }
        if !has_own && !is_optional {
            return Route::CopiedTo(copy);
        }
        let (of_name, bare) = match dated {
            Some([_, title]) => (&name[..title.start - 1], &name[title]),
            None => ("", name),
        };
        // Only a text is split at blanks, not the elements of a list.
        let text = front.text("categories");
        let list = front.texts("categories").filter(|_| text.is_none());
        let categories = above.split('/').filter(|part| !part.is_empty());
        let categories = categories.chain(text.unwrap_or_default().split_whitespace());
        let categories = categories.chain(list).chain(front.texts("category"));
        let categories = categories.map(str::to_lowercase).collect();
        // README is the index of its directory without another.
        let has_index = || file.has_beside("index.md") || file.has_beside("index.html");
        let is_index = !has_own && name.eq_ignore_ascii_case("readme") && !has_index();
        let page = JekyllPage {
            directory,
            name: if is_index { "index" } else { bare },
            kind,
            extension,
            date: front.text("date").unwrap_or(of_name).to_owned(),
            categories,
            front,
        };
        let is_future = kind == "posts"
            && !self.values.flag_or("future", false)
            && date(&page.date).is_some_and(|day| days_from_today(day) > 0);
        if is_future || self.value(&page, "published").flag("") == Some(false) {
            return Route::LeftOut;
        }
        let (url, others) = match self.urls(&page) {
            Ok(urls) => urls,
            Err(route) => return route,
        };
        let others = others.into_iter().map(String::into_bytes);
        Route::page_at(url.into_bytes(), others.chain((!has_own).then_some(copy)))
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let below = path.strip_prefix(b"/").unwrap_or(path);
        match reference.syntax {
            Syntax::Construct("link") => return attempts.file(reference.in_content(below)),
            Syntax::Construct("post_url") => {
                return attempts.name(&path[up_to_slash(path).len()..]);
            }
            Syntax::Construct("include") => return attempts.part(reference.file_beside()),
            Syntax::Construct("part") => {
                attempts.undecided_if(self.lacks_theme);
                return attempts.part([reference.site.content(), b"_includes/", path].concat());
            }
            Syntax::Construct("url") => {
                reference.below_base(attempts);
                return attempts.url([&join(b"/", path), &b".html"[..]].concat());
            }
            _ => {}
        }
        reference.by_url(attempts);
        reference.at(&[path, b".html"].concat()).by_url(attempts);
        let own = str::from_utf8(&reference.file[reference.site.content().len()..]);
        let is_document = own.is_ok_and(|own| self.collection(own).is_some());
        let is_linked = self.values.flag_or("relative_links.enabled", true)
            && (!is_document || self.values.flag_or("relative_links.collections", false));
        if reference.syntax == Syntax::Text && is_linked {
            // The slash at the start is dropped.
            attempts.file(join(up_to_slash(reference.file), below));
        }
    }
}
