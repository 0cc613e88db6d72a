//! MkDocs, and its theme Material.

use super::site::*;

struct MkDocs {
    /// The end of the URL of a page.
    end: &'static str,
    excluded: Gitignore,
    /// `/x.md` is a file of the content.
    has_absolute_files: bool,
    /// The URL of the site is not given, so that `/x` may be outside.
    may_leave: bool,
    /// The directory of pages whose URLs a plugin makes.
    blog: Option<Vec<u8>>,
    /// Directories of snippets.
    snippets: Vec<Vec<u8>>,
    has_other_snippets: bool,
    /// `{#id}` names an anchor.
    has_attribute_lists: bool,
}

const INDEX: [&str; 2] = ["index", "README"];
const NAMES: [&str; 2] = ["mkdocs.yml", "mkdocs.yaml"];

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let mut values = directory.configuration(NAMES)?;
    let parent = |values: &Setting| directory.values(values.text("INHERIT")?);
    let mut inherited = parent(&values);
    // A chain of configurations ends.
    for _ in 0..8 {
        let Some(own) = inherited else { break };
        inherited = parent(&own);
        values.inherit(own);
    }
    let docs = directory.content(site, &values, "docs_dir", "docs");
    let plugin = |name: &str| element(&values, "plugins", name);
    let extension = |name: &str| element(&values, "markdown_extensions", name);
    let excludes = ["exclude_docs", "draft_docs"].map(|key| values.text(key).unwrap_or_default());
    let excludes = excludes.iter().flat_map(|globs| globs.lines());
    let excludes = [".*", "/templates/"].into_iter().chain(excludes);
    let options = extension("pymdownx.snippets").unwrap_or(Setting::Null);
    let snippets = options.texts("base_path").chain([""]);
    let blog = plugin("material/blog").or(plugin("blog")).map(|options| {
        let name = options.text_or("blog_dir", "blog").unwrap_or_default();
        [name.trim_matches('/').as_bytes(), b"/"].concat()
    });
    let mut absolute = "validation.links.absolute_links validation.absolute_links".split(' ');
    let has_urls = values.flag_or("use_directory_urls", true);
    let end = if has_urls { "/" } else { ".html" };
    site.listed.file = directory.first(NAMES);
    site.listed.key = "nav:";
    list(values.get("nav"), &mut site.listed.pages);
    site.set_base(values.text_or("site_url", "/"));
    site.add_content(&docs, "/");
    site.add_outputs(directory.path, values.text_or("site_dir", "site"));
    if let Some(theme) = values.text("theme.custom_dir") {
        site.add(&directory.below(theme), "/", FolderUse::Theme);
    }
    let redirects = plugin("redirects").unwrap_or(Setting::Null);
    let moved = redirects.keys("redirect_maps");
    site.add_made(moved.map(|from| page_url(from.as_bytes(), &INDEX, end)));
    site.add_made(["search", "404.html", "sitemap.xml"]);
    site.add_undecided(blog.as_ref().map(|blog| [b"/", &**blog].concat()));
    site.add_undecided(["/assets/"]);
    let has = |plugins: &str| plugins.split(' ').any(|name| plugin(name).is_some());
    site.makes_pages |=
        values.has("hooks") || has("gen-files monorepo i18n mike awesome-pages-gen multirepo");
    site.has_other_ids = has("mkdocstrings autorefs macros include-markdown")
        || extension("toc").is_some_and(|toc| toc.has_any("slugify separator"));
    Some(Box::new(MkDocs {
        excluded: globs(&docs, excludes),
        end,
        has_absolute_files: absolute.any(|key| values.text(key) == Some("relative_to_docs")),
        may_leave: values.text_or("site_url", "").as_deref() == Some(""),
        blog,
        has_other_snippets: options.is_unknown("base_path"),
        has_attribute_lists: extension("attr_list").or(extension("extra")).is_some(),
        snippets: snippets.map(|base| directory.folder(base)).collect(),
    }))
}

/// Adds the pages of the navigation; other entries are links.
fn list(nav: Option<&Setting>, pages: &mut Vec<(String, String)>) {
    match nav {
        Some(Setting::Text(page)) if page.ends_with(".md") && !page.contains([':', '*']) => {
            pages.push((page.clone(), page.clone()));
        }
        Some(Setting::List(values)) => values.iter().for_each(|value| list(Some(value), pages)),
        Some(Setting::Map(map)) => map.values().for_each(|value| list(Some(value), pages)),
        _ => {}
    }
}

/// Returns the options of an element of a list of names, and of maps from a name to options.
fn element(values: &Setting, list: &str, name: &str) -> Option<Setting> {
    let full = format!("markdown.extensions.{name}");
    let of = |row: &Setting| match row {
        Setting::Text(own) => (own == name || *own == full).then_some(Setting::Null),
        map => Some(map.own(name).or_else(|| map.own(&full))?.clone()),
    };
    let found = values.list(list).iter().find_map(of);
    found.or_else(|| values.get(list).and_then(of))
}

impl SiteRules for MkDocs {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (_, name, extension) = file.parts();
        let is_page = matches!(extension, b"md" | b"markdown" | b"mdown" | b"mkd" | b"mkdn");
        let blog = self.blog.as_ref();
        let is_post = blog.is_some_and(|blog| file.below.starts_with(blog));
        match name {
            _ if is_excluded(&self.excluded, &file.path()) => Route::LeftOut,
            _ if !is_page => Route::Copied,
            _ if is_post => Route::Computed,
            // README.md is a page only without index.md.
            b"README" if file.has_beside("index.md") => Route::LeftOut,
            _ => Route::page_of(file.below, &INDEX, self.end),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        match reference.syntax {
            Syntax::Construct(_) => {
                let bases = self.snippets.iter();
                bases.for_each(|base| attempts.part(join(base, reference.path)));
                attempts.undecided_if(self.has_other_snippets);
            }
            _ if reference.path.starts_with(b"/") => {
                let is_file = self.has_absolute_files && reference.syntax == Syntax::Text;
                if is_file {
                    attempts.file(reference.in_content(&reference.path[1..]));
                }
                reference.on_host(attempts);
                let is_page = is_file && reference.path.ends_with(b".md");
                attempts.undecided_if(self.may_leave && !is_page);
            }
            Syntax::Text => {
                reference.beside(attempts);
                reference.by_url(attempts);
                // A file beside the content is not a page elsewhere on the host.
                if attempts.miss == Miss::OutsideSite && reference.path.ends_with(b".md") {
                    attempts.miss = Miss::Missing;
                }
            }
            _ => reference.by_url(attempts),
        }
    }

    fn has_other_ids(&self, path: &[u8]) -> bool {
        static LIST: Pattern = Pattern::new(r"(?m)^[ \t>]*#[^\n]*\{:?[^}\n]*#[^}\n]*\}");
        !self.has_attribute_lists
            && start_of(path, MAX_DOCUMENT).is_some_and(|text| LIST.is_match(&text))
    }
}
