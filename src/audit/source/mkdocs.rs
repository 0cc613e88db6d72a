//! MkDocs, and its theme Material.

use ignore::gitignore::Gitignore;

use super::config::Setting;
use super::paths::{join, normal, parts, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax, globs, is_excluded,
};
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "mkdocs",
    markers: &["mkdocs.yml", "mkdocs.yaml"],
    open,
    slug: Slug::MkDocs,
};

struct MkDocs {
    docs: Vec<u8>,
    has_directory_urls: bool,
    excluded: Gitignore,
    /// `/x.md` is a file of the content.
    has_absolute_files: bool,
    /// The URL of the site is not given, so that `/x` may be outside.
    may_leave: bool,
    /// Directories of pages whose URLs a plugin makes.
    blog: Option<Vec<u8>>,
    /// Directories of snippets.
    snippets: Vec<Vec<u8>>,
}

const MARKDOWN: [&[u8]; 5] = [b"md", b"markdown", b"mdown", b"mkd", b"mkdn"];

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let mut values = directory.configuration(&["mkdocs.yml", "mkdocs.yaml"])?;
    // A chain of configurations ends.
    for _ in 0..8 {
        let Some(Setting::Text(parent)) = values.get("INHERIT").cloned() else {
            break;
        };
        let Setting::Map(map) = &mut values else {
            break;
        };
        map.entries.retain(|(key, _)| key != "INHERIT");
        values.inherit(directory.values(&parent).unwrap_or_default());
    }
    let docs = with_slash(&directory.below(&values.text_or("docs_dir", "docs")?));
    let of_list = plugin;
    let plugin = |name: &str| of_list(&values, "plugins", name);
    let excludes = values.text_or("exclude_docs", "").unwrap_or_default();
    let excluded = globs(
        &docs,
        [".*", "/templates/"].into_iter().chain(excludes.lines()),
    );
    let snippets = of_list(&values, "markdown_extensions", "pymdownx.snippets");
    let bases = snippets
        .iter()
        .flat_map(|options| options.texts("base_path"));
    let mut snippets: Vec<_> = bases
        .map(|base| with_slash(&directory.below(base)))
        .collect();
    snippets.push(directory.path.to_vec());
    let blog = plugin("material/blog").or(plugin("blog"));
    let blog = blog.map(|options| {
        let name = options.text_or("blog_dir", "blog").unwrap_or_default();
        [name.trim_matches('/').as_bytes(), b"/"].concat()
    });
    let rules = MkDocs {
        docs: docs.clone(),
        has_directory_urls: values.flag_or("use_directory_urls", true),
        excluded,
        has_absolute_files: values.text("validation.links.absolute_links")
            == Some("relative_to_docs")
            || values.text("validation.absolute_links") == Some("relative_to_docs"),
        may_leave: !values.has("site_url"),
        blog: blog.clone(),
        snippets,
    };
    let mut site = SourceSite::new(directory, rules);
    site.set_base(values.text_or("site_url", "/"));
    site.add_content(&docs, "/");
    if let Some(theme) = values.text("theme.custom_dir") {
        site.add_overlay(&directory.below(theme), "/");
        site.overlays[0].has_templates = true;
    }
    let maps = plugin("redirects");
    for (from, _) in maps
        .iter()
        .flat_map(|options| options.entries("redirect_maps"))
    {
        let route = page_url(from.as_bytes(), values.flag_or("use_directory_urls", true));
        site.made.insert(normal(&route).to_vec());
    }
    site.add_made(["search", "404.html", "sitemap.xml"]);
    site.undecided
        .extend(blog.map(|blog| [b"/", &*blog].concat()));
    site.undecided.push(b"/assets/".to_vec());
    let adds_pages = [
        "gen-files",
        "monorepo",
        "i18n",
        "mike",
        "awesome-pages-gen",
        "multirepo",
    ];
    site.makes_pages = values.has("hooks") || adds_pages.iter().any(|name| plugin(name).is_some());
    let other_ids = ["mkdocstrings", "autorefs", "macros", "include-markdown"];
    site.has_other_ids = other_ids.iter().any(|name| plugin(name).is_some())
        || of_list(&values, "markdown_extensions", "toc").is_some_and(|toc| toc.has("slugify"));
    Some(site)
}

/// Returns the options of an element of a list of names, and of maps from a name to options.
fn plugin(values: &Setting, list: &str, name: &str) -> Option<Setting> {
    let maps = values.entries(list).iter();
    let mut rows = values
        .list(list)
        .iter()
        .flat_map(|row| match row {
            Setting::Map(map) => map.entries.clone(),
            Setting::Text(name) => vec![(name.clone(), Setting::Null)],
            _ => Vec::new(),
        })
        .chain(maps.cloned());
    rows.find(|(known, _)| known == name)
        .map(|(_, options)| options)
}

fn page_url(below: &[u8], has_directory_urls: bool) -> Vec<u8> {
    let (directory, name, _) = parts(below);
    match name {
        b"index" | b"README" => [b"/", directory].concat(),
        _ if has_directory_urls => [b"/", directory, name, b"/"].concat(),
        _ => [b"/", directory, name, b".html"].concat(),
    }
}

impl SiteRules for MkDocs {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (_, name, extension) = file.parts();
        let path = file.path();
        if is_excluded(&self.excluded, &path) {
            return Route::LeftOut;
        }
        if !MARKDOWN.contains(&extension) {
            return Route::Copied;
        }
        if self
            .blog
            .as_ref()
            .is_some_and(|blog| file.below.starts_with(blog))
        {
            return Route::Computed;
        }
        // README.md is a page only without index.md.
        if name == b"README" && path_of(&path).with_file_name("index.md").exists() {
            return Route::LeftOut;
        }
        Route::page(page_url(file.below, self.has_directory_urls))
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        match reference.syntax {
            Syntax::Construct(_) => {
                let bases = self.snippets.iter();
                bases.for_each(|base| attempts.part(join(base, reference.path)));
            }
            _ if reference.path.starts_with(b"/") => {
                if self.has_absolute_files && reference.syntax == Syntax::Text {
                    attempts.file(join(&self.docs, &reference.path[1..]));
                }
                reference.on_host(attempts);
                if self.may_leave {
                    attempts.miss = Miss::Undecided;
                }
            }
            Syntax::Text => {
                reference.beside(attempts);
                reference.by_url(attempts);
            }
            _ => reference.by_url(attempts),
        }
    }
}
