//! Jekyll, as GitHub Pages builds it or by itself.

use ignore::gitignore::Gitignore;

use super::config::{FrontMatter, Setting};
use super::paths::{join, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax, globs, is_excluded,
};
use crate::audit::date::date;
use crate::audit::ignored::days_from_today;
use crate::bytes::pattern::Pattern;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "jekyll",
    markers: &["_config.yml", "_config.yaml"],
    open,
    slug: Slug::Jekyll,
};

struct Jekyll {
    values: Setting,
    source: Vec<u8>,
    excluded: Gitignore,
    included: Gitignore,
    /// Renders Markdown without front matter, and makes an index of each README.
    has_optional_front_matter: bool,
    lacks_theme: bool,
}

const MARKDOWN: [&[u8]; 5] = [b"md", b"markdown", b"mkd", b"mkdn", b"mkdown"];
/// Other files that may have front matter.
const TEXT: [&[u8]; 8] = [
    b"html", b"htm", b"xml", b"txt", b"css", b"scss", b"sass", b"coffee",
];

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let values = directory.configuration(&["_config.yml", "_config.yaml"])?;
    let package = directory.values("package.json").unwrap_or(Setting::Null);
    let dependency = ["dependencies", "devDependencies"].map(|list| format!("{list}.hexo"));
    let is_hexo = package.has("hexo") || dependency.iter().any(|path| package.has(path));
    let keys = [
        "plugins",
        "gems",
        "theme",
        "remote_theme",
        "markdown",
        "collections",
        "baseurl",
        "kramdown",
    ];
    let gems = directory.read("Gemfile");
    let has_gem = |name: &str| gems.as_ref().is_some_and(|text| text.contains(name));
    let is_jekyll = keys.iter().any(|key| values.has(key))
        || ["_posts", "_layouts", "_includes"]
            .iter()
            .any(|name| directory.has(name))
        || has_gem("jekyll")
        || has_gem("github-pages");
    if (is_hexo || !is_jekyll) && !directory.is_given {
        return None;
    }
    let has_plugin = |name: &str| {
        let mut plugins = values.texts("plugins").chain(values.texts("gems"));
        plugins.any(|plugin| plugin == name) || has_gem(name)
    };
    // Without a Gemfile the service builds the site.
    let is_of_service = gems.is_none() || has_gem("github-pages");
    let source = with_slash(&directory.below(&values.text_or("source", ".")?));
    let output = values.text_or("destination", "_site").unwrap_or_default();
    let usual = ["Gemfile", "Gemfile.lock", "gemfiles", "node_modules"];
    let vendored = ["bundle", "cache", "gems", "ruby"].map(|name| format!("/vendor/{name}/"));
    let lists = usual.into_iter().chain(vendored.iter().map(String::as_str));
    let theme = ["theme", "remote_theme"].iter().any(|key| values.has(key));
    let rules = Jekyll {
        excluded: globs(&source, lists.chain(values.texts("exclude"))),
        included: globs(&source, values.texts("include")),
        has_optional_front_matter: is_of_service || has_plugin("jekyll-optional-front-matter"),
        lacks_theme: theme || is_of_service && !directory.has("_layouts"),
        source: source.clone(),
        values: values.clone(),
    };
    let lacks_theme = rules.lacks_theme;
    let mut site = SourceSite::new(directory, rules);
    site.set_base(values.text_or("baseurl", "/"));
    site.add_content(&source, "/");
    site.templates.push(with_slash(&directory.below(&output)));
    let templates = ["_includes", "_layouts", "_data", "_sass", "_plugins"];
    let templates = templates.map(|name| [&*source, name.as_bytes(), b"/"].concat());
    site.templates.extend(templates);
    site.add_made(["/", "feed.xml", "sitemap.xml", "404.html", "robots.txt"]);
    if lacks_theme {
        site.undecided.push(b"/assets/".to_vec());
    }
    if values.has("paginate") {
        let path = values
            .text_or("paginate_path", "/page:num/")
            .unwrap_or_default();
        let start = path.split(':').next().unwrap_or_default();
        site.undecided.push(join(b"/", start.as_bytes()));
    }
    if has_plugin("jekyll-archives") {
        let lists = ["/tag/", "/tags/", "/category/", "/categories/"];
        site.undecided.extend(lists.map(Vec::from));
    }
    site.makes_pages = directory.has("_plugins");
    Some(site)
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
    date: Option<String>,
    categories: Vec<String>,
}

impl Jekyll {
    /// Returns a value of a file's front matter, or the nearest default of the configuration.
    fn value(&self, page: &JekyllPage<'_>, key: &str) -> Setting {
        if let Some(own) = page.front.get(key) {
            return own.clone();
        }
        let rows = self.values.list("defaults").iter();
        let rows = rows.filter_map(|row| {
            let path = row.text("scope.path").unwrap_or_default().trim_matches('/');
            let kind = row.text("scope.type").unwrap_or(page.kind);
            let file = format!("{}{}.", page.directory, page.name);
            let rest = file.strip_prefix(path)?;
            let is_below = path.is_empty() || rest.starts_with(['/', '.']);
            let value = row.get(&format!("values.{key}"))?;
            (is_below && kind == page.kind).then_some((path.len(), value))
        });
        let nearest = rows.max_by_key(|(length, _)| *length);
        nearest.map_or(Setting::Null, |(_, value)| value.clone())
    }

    /// Returns the URL that a pattern makes; `None` if it has parts that are not known.
    fn url(&self, pattern: &str, page: &JekyllPage<'_>) -> Option<String> {
        let usual = "/:categories/:year/:month/:day/:title";
        let pattern = match pattern {
            "date" => format!("{usual}:output_ext"),
            "pretty" => format!("{usual}/"),
            "none" => "/:categories/:title:output_ext".to_owned(),
            "ordinal" | "weekdate" => return None,
            own => own.to_owned(),
        };
        let date = page.date.as_deref().unwrap_or_default();
        let (mut url, mut rest) = (String::new(), &*pattern);
        while let Some(at) = rest.find(':') {
            url += &rest[..at];
            rest = &rest[at + 1..];
            let is_name = |other: char| other.is_ascii_lowercase() || other == '_';
            let end = rest.find(|other| !is_name(other)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            rest = after;
            let slug = page.front.text("slug").unwrap_or(page.name);
            let number = |text: &str| text.trim_start_matches('0').to_owned();
            url += &match name {
                "year" => date.get(..4)?.to_owned(),
                "short_year" => date.get(2..4)?.to_owned(),
                "month" => date.get(5..7)?.to_owned(),
                "i_month" => number(date.get(5..7)?),
                "day" => date.get(8..10)?.to_owned(),
                "i_day" => number(date.get(8..10)?),
                "title" | "slug" => slug.to_owned(),
                "name" | "basename" => page.name.to_owned(),
                "categories" => page.categories.join("/"),
                "collection" => page.kind.to_owned(),
                "path" if page.kind == "pages" => page.directory.to_owned(),
                "path" => format!("{}{}", page.directory, page.name),
                "output_ext" => format!(".{}", page.extension),
                _ => return None,
            };
        }
        url += rest;
        let end = if url.ends_with('/') { "/" } else { "" };
        let segments: Vec<_> = url.split('/').filter(|part| !part.is_empty()).collect();
        let url = format!("/{}{end}", segments.join("/"));
        Some(if url == "//" { "/".to_owned() } else { url })
    }

    fn is_hidden(&self, file: &ContentFile<'_>) -> bool {
        let mut segments = file.below.split(|&byte| byte == b'/');
        let is_special = segments.any(|name| {
            name.starts_with(b"_")
                || name.starts_with(b".")
                || name.starts_with(b"#")
                || name.ends_with(b"~")
        });
        is_special && !is_excluded(&self.included, &file.path())
    }

    /// Returns the collection that a file is in, with its path below and the directories above.
    fn collection<'f>(&self, below: &'f str) -> Option<(&'f str, &'f str, &'f str)> {
        let folder = self.values.text("collections_dir").unwrap_or_default();
        let inside = below
            .strip_prefix(folder)
            .unwrap_or(below)
            .trim_start_matches('/');
        if let Some((label, rest)) = inside
            .strip_prefix('_')
            .and_then(|path| path.split_once('/'))
        {
            let is_known = self.values.has(&format!("collections.{label}"))
                || self.values.texts("collections").any(|known| known == label);
            if is_known && label != "posts" {
                return Some((label, rest, ""));
            }
        }
        let at = below
            .find("_posts/")
            .filter(|at| *at == 0 || below[..*at].ends_with('/'))?;
        Some(("posts", &below[at + "_posts/".len()..], &below[..at]))
    }

    /// Returns the URL of a page or a document, and other URLs; `None` if it is computed.
    fn urls(&self, page: &JekyllPage<'_>) -> Option<(String, Vec<String>)> {
        let style = self.values.text_or("permalink", "date")?;
        let is_directory = style == "pretty" || style.ends_with('/');
        let own = match self.value(page, "permalink") {
            Setting::Text(own) => Some(own),
            Setting::Null => None,
            _ => return None,
        };
        let end = if is_directory { "/" } else { ":output_ext" };
        let pattern = own.unwrap_or_else(|| match page.kind {
            "pages" if page.name == "index" && page.extension == "html" => "/:path".to_owned(),
            "pages" if page.extension == "html" => format!("/:path:basename{end}"),
            "pages" => "/:path:basename:output_ext".to_owned(),
            "posts" => style.clone(),
            label => match self.values.text(&format!("collections.{label}.permalink")) {
                Some(own) => own.to_owned(),
                None => format!("/:collection/:path{end}"),
            },
        });
        let url = self.url(&pattern, page)?;
        let moved = match self.value(page, "redirect_from") {
            Setting::Text(one) => vec![one],
            Setting::List(all) => all
                .iter()
                .filter_map(Setting::as_text)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        // A URL without an extension is a file with one.
        let last = url.rsplit('/').next().unwrap_or_default();
        let file = (!last.is_empty() && !last.contains('.')).then(|| format!("{url}.html"));
        let moved = moved
            .into_iter()
            .map(|from| format!("/{}", from.trim_start_matches('/')));
        Some((url, moved.chain(file).collect()))
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
        let (kind, path, above) = match collection {
            Some((label, path, above)) => {
                let is_output = self
                    .values
                    .flag_or(&format!("collections.{label}.output"), false);
                if label != "posts" && !is_output {
                    return Route::LeftOut;
                }
                (label, path, above)
            }
            None if self.is_hidden(file) => return Route::LeftOut,
            None => ("pages", below, ""),
        };
        let at = path.rfind('/').map_or(0, |at| at + 1);
        let (directory, full_name) = path.split_at(at);
        let (name, written) = full_name.rsplit_once('.').unwrap_or((full_name, ""));
        let is_markdown = MARKDOWN.contains(&written.as_bytes());
        let extension = match written {
            _ if is_markdown => "html",
            "scss" | "sass" => "css",
            "coffee" => "js",
            other => other,
        };
        let has_front = is_markdown || TEXT.contains(&written.as_bytes());
        let front = has_front.then(|| file.front_matter());
        let (front, has_own) = match front.unwrap_or(FrontMatter::Absent) {
            FrontMatter::Values(values) => (values, true),
            FrontMatter::Broken => return Route::Computed,
            FrontMatter::Absent => (Setting::Null, false),
        };
        let copy = match kind {
            "pages" => [b"/", file.below].concat(),
            label => format!("/{label}/{path}").into_bytes(),
        };
        let is_optional = is_markdown && kind == "pages" && self.has_optional_front_matter;
        if !has_own && !is_optional {
            return if kind == "posts" {
                Route::LeftOut
            } else {
                Route::CopiedTo(copy)
            };
        }
        let dated = POST
            .group_at(name.as_bytes(), 0)
            .filter(|_| kind == "posts");
        if kind == "posts" && dated.is_none() {
            return Route::LeftOut;
        }
        let bare = dated
            .as_ref()
            .map_or(name, |[_, title]| &name[title.clone()]);
        let of_name = dated.map(|[_, title]| name[..title.start - 1].to_owned());
        let own_date = front.text("date").map(str::to_owned).or(of_name);
        let mut categories: Vec<_> = above
            .split('/')
            .filter(|part| !part.is_empty())
            .map(str::to_lowercase)
            .collect();
        let written = ["category", "categories"]
            .iter()
            .flat_map(|key| front.texts(key));
        categories.extend(
            written
                .flat_map(str::split_whitespace)
                .map(str::to_lowercase),
        );
        // README is the index of its directory without another.
        let beside = |name: &str| path_of(&file.path()).with_file_name(name).exists();
        let is_index = !has_own
            && name.eq_ignore_ascii_case("readme")
            && !beside("index.md")
            && !beside("index.html");
        let page = JekyllPage {
            directory,
            name: if is_index { "index" } else { bare },
            kind,
            extension,
            date: own_date,
            categories,
            front,
        };
        let is_future = kind == "posts"
            && !self.values.flag_or("future", false)
            && page
                .date
                .as_deref()
                .and_then(date)
                .is_some_and(|day| days_from_today(day) > 0);
        if is_future || self.value(&page, "published") == Setting::Flag(false) {
            return Route::LeftOut;
        }
        let Some((url, others)) = self.urls(&page) else {
            return Route::Computed;
        };
        let mut others: Vec<_> = others.into_iter().map(String::into_bytes).collect();
        if !has_own {
            others.push(copy);
        }
        Route::Page {
            url: url.into_bytes(),
            others,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let below_source =
            |path: &[u8]| join(&self.source, path.strip_prefix(b"/").unwrap_or(path));
        match reference.syntax {
            Syntax::Construct("link") => return attempts.file(below_source(path)),
            Syntax::Construct("post_url") => {
                return attempts.name(&path[up_to_slash(path).len()..]);
            }
            Syntax::Construct("part") => {
                if self.lacks_theme {
                    attempts.miss = Miss::Undecided;
                }
                return attempts.part([&*self.source, b"_includes/", path].concat());
            }
            Syntax::Construct("url") => {
                reference.below_base(attempts);
                attempts.url([&join(b"/", path), &b".html"[..]].concat());
                return;
            }
            _ => {}
        }
        reference.by_url(attempts);
        let html = [path, b".html"].concat();
        reference.at(&html).by_url(attempts);
        let is_document = str::from_utf8(&reference.file[self.source.len()..])
            .is_ok_and(|below| self.collection(below).is_some());
        let links =
            |key: &str, usual: bool| self.values.flag_or(&format!("relative_links.{key}"), usual);
        let is_linked = links("enabled", true) && (!is_document || links("collections", false));
        if reference.syntax == Syntax::Text && is_linked {
            // The slash at the start is dropped.
            let below = path.strip_prefix(b"/").unwrap_or(path);
            attempts.file(join(up_to_slash(reference.file), below));
        }
    }
}
