//! Docusaurus 3.

use ignore::gitignore::Gitignore;

use super::config::{self, Setting};
use super::paths::{join, normal, parts, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax, anchored_globs, is_excluded,
};
use crate::bytes::pattern::Pattern;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "docusaurus",
    markers: &["docusaurus.config.*"],
    open,
    slug: Slug::Docusaurus,
};

struct Docusaurus {
    directory: Vec<u8>,
    roots: Vec<DocsRoot>,
    /// The URLs of the locales other than the default one, without a slash at the end.
    locales: Vec<String>,
    has_slashes: Option<bool>,
    /// Pages or redirects are computed.
    is_open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plugin {
    Docs,
    Blog,
    Pages,
}

/// A directory of pages.
struct DocsRoot {
    directory: Vec<u8>,
    plugin: Plugin,
    /// The same for the locales of a version of an instance: links by files stay in it.
    version: usize,
    /// Below the base, with slashes around; `None` if it is computed.
    url: Option<String>,
    /// The URL of the locale; `None` for the source that other locales fall back to.
    locale: Option<String>,
    keeps_numbers: bool,
    excluded: Gitignore,
    included: Option<Gitignore>,
}

static EXCLUDED: [&str; 4] = [
    "**/_*.{js,jsx,ts,tsx,md,mdx}",
    "**/_*/**",
    "**/*.test.{js,jsx,ts,tsx}",
    "**/__tests__/**",
];
const EXTENSIONS: [&str; 6] = ["js", "ts", "mjs", "cjs", "mts", "cts"];

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let mut names = EXTENSIONS
        .map(|end| format!("docusaurus.config.{end}"))
        .into_iter();
    let values = match names.find_map(|name| directory.values(&name)) {
        None if !directory.is_given => return None,
        values => values.unwrap_or(Setting::Null),
    };
    let usual = values.text("i18n.defaultLocale").unwrap_or("en");
    let locales = values
        .texts("i18n.locales")
        .filter(|locale| *locale != usual);
    let mut reader = RootReader {
        directory,
        usual,
        locales: locales.map(|locale| format!("/{locale}")).collect(),
        roots: Vec::new(),
        versions: 0,
        made: Vec::new(),
        undecided: ["/search/", "/assets/", "/__docusaurus/"]
            .map(str::to_owned)
            .to_vec(),
        is_open: values.is_unknown("presets") || values.is_unknown("i18n.locales"),
    };
    let is_classic = values.is_unknown("presets") || directory.is_given && values == Setting::Null;
    if is_classic {
        reader.element(Some("classic"), &Setting::Null);
    }
    for row in ["presets", "plugins"]
        .iter()
        .flat_map(|key| values.list(key))
    {
        match row {
            Setting::List(row) => {
                let options = row.get(1).unwrap_or(&Setting::Null);
                reader.element(row.first().and_then(Setting::as_text), options);
            }
            row => reader.element(row.as_text(), &Setting::Null),
        }
    }
    let RootReader {
        locales,
        roots,
        made,
        undecided,
        is_open,
        ..
    } = reader;
    let rules = Docusaurus {
        directory: directory.path.to_vec(),
        has_slashes: match values.get("trailingSlash") {
            Some(Setting::Flag(flag)) => Some(*flag),
            _ => None,
        },
        is_open: is_open || roots.iter().any(|root| root.url.is_none()),
        locales: locales.clone(),
        roots,
    };
    let content: Vec<_> = (rules.roots.iter())
        .map(|root| {
            (
                root.directory.clone(),
                root.url.clone().unwrap_or("/".to_owned()),
            )
        })
        .collect();
    let mut site = SourceSite::new(directory, rules);
    site.set_base(values.text_or("baseUrl", "/"));
    content
        .iter()
        .for_each(|(root, url)| site.add_content(root, url));
    let mut statics: Vec<_> = values.texts("staticDirectories").collect();
    if !values.has("staticDirectories") {
        statics.push("static");
    }
    for locale in [""].into_iter().chain(locales.iter().map(String::as_str)) {
        for name in &statics {
            site.add_overlay(&directory.below(name), &format!("{locale}/"));
        }
        let all = made
            .iter()
            .map(String::as_str)
            .chain(["/404.html", "/sitemap.xml"]);
        site.made
            .extend(all.map(|url| normal(format!("{locale}{url}").as_bytes()).to_vec()));
        let starts = undecided
            .iter()
            .map(|url| format!("{locale}{url}").into_bytes());
        site.undecided.extend(starts);
    }
    site.lacks_assets = values.is_unknown("staticDirectories");
    site.ignores_slashes = true;
    site.schemes = &["pathname://"];
    Some(site)
}

struct RootReader<'d> {
    directory: &'d SiteDirectory<'d>,
    /// The default locale.
    usual: &'d str,
    locales: Vec<String>,
    roots: Vec<DocsRoot>,
    versions: usize,
    made: Vec<String>,
    undecided: Vec<String>,
    is_open: bool,
}

impl RootReader<'_> {
    /// Reads a preset or a plugin, whose name may be computed.
    fn element(&mut self, name: Option<&str>, options: &Setting) {
        let has = |keys: &[&str]| {
            name.is_none()
                && keys
                    .iter()
                    .any(|key| matches!(options, Setting::Map(_)) && options.has(key))
        };
        let short = name.map_or("", |name| name.rsplit('/').next().unwrap_or(name));
        match short.trim_start_matches("docusaurus-") {
            "classic" | "preset-classic" => self.classic(options),
            "plugin-content-docs" | "content-docs" => self.docs(options),
            "plugin-content-blog" | "content-blog" => self.blog(options),
            "plugin-content-pages" | "content-pages" => self.pages(options),
            "plugin-client-redirects" | "client-redirects" => self.redirects(options),
            name if ["typedoc", "openapi", "graphql", "remote"]
                .iter()
                .any(|made| name.contains(made)) =>
            {
                self.is_open = true;
            }
            "" if has(&["docs", "blog", "pages", "theme"]) => self.classic(options),
            "" if has(&["redirects", "createRedirects"]) => self.redirects(options),
            "" if has(&["sidebarPath", "routeBasePath"]) => self.docs(options),
            _ => {}
        }
    }

    fn classic(&mut self, options: &Setting) {
        let of = |key: &str| match options.get(key) {
            Some(Setting::Flag(false)) => None,
            own => Some(own.unwrap_or(&Setting::Null)),
        };
        of("docs").into_iter().for_each(|own| self.docs(own));
        of("blog").into_iter().for_each(|own| self.blog(own));
        of("pages").into_iter().for_each(|own| self.pages(own));
    }

    fn redirects(&mut self, options: &Setting) {
        let computed = ["createRedirects", "fromExtensions", "toExtensions"];
        self.is_open |=
            options.is_unknown("redirects") || computed.iter().any(|key| options.has(key));
        for row in options.list("redirects") {
            self.is_open |= row.is_unknown("from");
            self.made.extend(row.texts("from").map(str::to_owned));
        }
    }

    fn docs(&mut self, options: &Setting) {
        let id = options.text("id").filter(|id| *id != "default");
        let start = id.map_or_else(String::new, |id| format!("{id}_"));
        let mut names: Vec<String> = Vec::new();
        if let Some(Setting::List(list)) = self.directory.values(&format!("{start}versions.json"))
            && !options.flag_or("disableVersioning", false)
        {
            names.extend(list.iter().filter_map(Setting::as_text).map(str::to_owned));
        }
        let last = options
            .text("lastVersion")
            .map(str::to_owned)
            .or(names.first().cloned());
        let last = last.unwrap_or_else(|| "current".to_owned());
        if options.flag_or("includeCurrentVersion", true) {
            names.push("current".to_owned());
        }
        if matches!(options.get("onlyIncludeVersions"), Some(Setting::List(_))) {
            names.retain(|name| {
                options
                    .texts("onlyIncludeVersions")
                    .any(|only| only == name)
            });
        }
        let base = options
            .text_or("routeBasePath", "docs")
            .filter(|_| !options.is_unknown("numberPrefixParser"));
        let usual_path = options.text("path").unwrap_or("docs").to_owned();
        for name in names {
            let own = match name.as_str() {
                _ if name == last => "",
                "current" => "next",
                name => name,
            };
            let versions = options.entries("versions").iter();
            let own = match versions.into_iter().find(|(known, _)| *known == name) {
                _ if options.is_unknown("versions") => None,
                Some((_, version)) => version.text_or("path", own),
                None => Some(own.to_owned()),
            };
            let url = base
                .clone()
                .zip(own)
                .map(|(base, own)| format!("{}/{own}", base.trim_matches('/')));
            let (path, translated) = match name.as_str() {
                "current" => (usual_path.clone(), name.clone()),
                name => (
                    format!("{start}versioned_docs/version-{name}"),
                    format!("version-{name}"),
                ),
            };
            self.sidebars(&name, &start, options, url.as_deref());
            self.add(Plugin::Docs, options, [&path, &translated], url);
        }
    }

    /// Adds the pages that a sidebar makes.
    fn sidebars(&mut self, version: &str, start: &str, options: &Setting, url: Option<&str>) {
        let url = format!("/{}/", url.unwrap_or_default().trim_matches('/')).replace("//", "/");
        let path = match version {
            "current" => options
                .text("sidebarPath")
                .unwrap_or("sidebars.js")
                .to_owned(),
            version => format!("{start}versioned_sidebars/version-{version}-sidebars.json"),
        };
        let others = ["ts", "cjs", "mjs", "json"].map(|end| format!("sidebars.{end}"));
        let texts = [path]
            .into_iter()
            .chain(others)
            .find_map(|path| self.directory.read(&path));
        let text = texts
            .filter(|text| text.contains("generated-index"))
            .unwrap_or_default();
        if !text.is_empty() {
            self.undecided.push(format!("{url}category/"));
        }
        let slugs = ["slug:", "\"slug\":"]
            .into_iter()
            .flat_map(|key| config::values_after(&text, key));
        for slug in
            slugs.filter_map(|slug| Some(slug.as_text()?.trim_start_matches('/').to_owned()))
        {
            self.made.push(format!("{url}{slug}"));
        }
        self.undecided.push(format!("{url}tags/"));
    }

    fn blog(&mut self, options: &Setting) {
        let url = options.text_or("routeBasePath", "blog");
        let start = format!("/{}", url.as_deref().unwrap_or_default().trim_matches('/'));
        let start = start.trim_end_matches('/');
        let made = ["", "/archive", "/rss.xml", "/atom.xml", "/feed.json"];
        self.made.extend(made.map(|name| format!("{start}{name}")));
        self.undecided
            .extend(["tags", "page", "authors"].map(|name| format!("{start}/{name}/")));
        let path = options.text("path").unwrap_or("blog");
        self.add(Plugin::Blog, options, [path, ""], url);
    }

    fn pages(&mut self, options: &Setting) {
        let path = options.text("path").unwrap_or("src/pages");
        self.add(
            Plugin::Pages,
            options,
            [path, ""],
            options.text_or("routeBasePath", "/"),
        );
    }

    /// Adds a directory and its translations, whose directory is the second path.
    fn add(&mut self, plugin: Plugin, options: &Setting, paths: [&str; 2], url: Option<String>) {
        let name = match plugin {
            Plugin::Docs => "docs",
            Plugin::Blog => "blog",
            Plugin::Pages => "pages",
        };
        let id = options.text("id").filter(|id| *id != "default");
        let id = id.map_or_else(String::new, |id| format!("-{id}"));
        let url = url.map(|url| match url.trim_matches('/') {
            "" => "/".to_owned(),
            url => format!("/{url}/"),
        });
        let is_list = |key: &str| matches!(options.get(key), Some(Setting::List(_)));
        self.versions += 1;
        let locales = self
            .locales
            .iter()
            .map(|locale| (&locale[1..], Some(locale.clone())));
        let usual = [(self.usual, Some(String::new())), ("", None)];
        for (locale, start) in locales.chain(usual) {
            let directory = match &start {
                Some(_) => format!(
                    "i18n/{locale}/docusaurus-plugin-content-{name}{id}/{}",
                    paths[1]
                ),
                None => paths[0].to_owned(),
            };
            let directory = with_slash(&self.directory.below(&directory));
            let excluded = if is_list("exclude") {
                anchored_globs(&directory, options.texts("exclude"))
            } else {
                anchored_globs(&directory, EXCLUDED)
            };
            let included =
                is_list("include").then(|| anchored_globs(&directory, options.texts("include")));
            self.roots.push(DocsRoot {
                plugin,
                version: self.versions,
                url: url
                    .as_ref()
                    .map(|url| start.clone().unwrap_or_default() + url),
                locale: start,
                keeps_numbers: !options.flag_or("numberPrefixParser", true),
                excluded,
                included,
                directory,
            });
        }
    }
}

static NUMBER: Pattern = Pattern::new(r"^\d+\s*[-_.]+\s*([^-_.\s].*)$");
/// A date or a version, which is a part of the name.
static NO_NUMBER: Pattern = Pattern::new(r"^\d+[-_.]\d+");
static DATE: Pattern = Pattern::new(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}");

impl DocsRoot {
    fn without_number<'n>(&self, name: &'n [u8]) -> &'n [u8] {
        let has_number =
            self.plugin == Plugin::Docs && !self.keeps_numbers && !NO_NUMBER.is_match(name);
        let rest = NUMBER.group_at(name, 0).filter(|_| has_number);
        rest.map_or(name, |[_, rest]| &name[rest])
    }

    /// Returns the URL of a page below the URL of the root.
    fn page(&self, path: &[u8], values: &Setting) -> Vec<u8> {
        let (directory, name, _) = parts(path);
        let directories = directory
            .split(|&byte| byte == b'/')
            .map(|name| self.without_number(name));
        let url = directories.collect::<Vec<_>>().join(&b'/');
        let slug = values.text("slug").filter(|_| self.plugin != Plugin::Pages);
        let above = directory.strip_suffix(b"/").unwrap_or(directory);
        let is_index = match self.plugin {
            Plugin::Pages => name == b"index",
            _ => [&b"index"[..], b"readme", &above[up_to_slash(above).len()..]]
                .iter()
                .any(|index| name.eq_ignore_ascii_case(index)),
        };
        let below = match (self.plugin, slug) {
            (Plugin::Blog, Some(slug)) => join(b"/", slug.as_bytes()),
            (_, Some(slug)) => join(&[b"/", &*url].concat(), slug.as_bytes()),
            (Plugin::Blog, None) => {
                let path = [directory, name].concat();
                let path = path.strip_suffix(b"/index").unwrap_or(&path);
                match DATE.find(path) {
                    Some(date) => {
                        let day = date
                            .as_bytes()
                            .iter()
                            .map(|&byte| if byte == b'-' { b'/' } else { byte });
                        let rest = &path[date.end()..];
                        let rest = rest
                            .strip_prefix(b"-")
                            .or(rest.strip_prefix(b"/"))
                            .unwrap_or(rest);
                        [&*day.collect::<Vec<_>>(), b"/", &path[..date.start()], rest].concat()
                    }
                    None => path.to_vec(),
                }
            }
            (_, None) if is_index => url,
            (Plugin::Docs, None) => {
                let id = values.text("id").map(str::as_bytes);
                [&*url, id.unwrap_or(self.without_number(name))].concat()
            }
            (Plugin::Pages, None) => [&*url, name].concat(),
        };
        below.strip_prefix(b"/").unwrap_or(&below).to_vec()
    }

    /// Returns the URL of a category that has a page, by the description in its directory.
    fn category(&self, file: &ContentFile<'_>) -> Option<Vec<u8>> {
        let text = std::fs::read_to_string(path_of(&file.path())).ok()?;
        // JSON is YAML as well.
        let values = config::yaml(&text)?;
        values
            .text("link.type")
            .filter(|kind| *kind == "generated-index")?;
        let directory = file.parts().0;
        let above = directory.strip_suffix(b"/").unwrap_or(directory);
        let name = self.without_number(&above[up_to_slash(above).len()..]);
        let slug = values
            .text("link.slug")
            .map(str::to_owned)
            .unwrap_or_else(|| {
                let name = String::from_utf8_lossy(name);
                let label = values.text("label").unwrap_or(&name);
                format!("category/{}", Slug::Docusaurus.of_text(label))
            });
        let url = self.url.as_ref()?;
        Some([url, slug.trim_start_matches('/')].concat().into_bytes())
    }
}

impl Docusaurus {
    fn root(&self, file: &[u8]) -> Option<&DocsRoot> {
        let roots = self
            .roots
            .iter()
            .filter(|root| file.starts_with(&root.directory));
        roots.max_by_key(|root| root.directory.len())
    }

    fn others(&self, root: &DocsRoot, url: &[u8]) -> Vec<Vec<u8>> {
        let locales = self.locales.iter().filter(|_| root.locale.is_none());
        locales
            .map(|locale| [locale.as_bytes(), url].concat())
            .collect()
    }

    /// Adds the page or the file at a URL, in the locale of the page.
    fn by_route(
        &self,
        reference: &SiteReference<'_>,
        root: Option<&DocsRoot>,
        attempts: &mut Attempts,
    ) {
        let locale = root
            .and_then(|root| root.locale.as_deref())
            .unwrap_or_default();
        match reference.path {
            path @ [b'/', ..] => {
                let path = join(b"/", path);
                let base = reference.site.base.as_deref().unwrap_or(b"/");
                // The base is put before other paths.
                let path = path
                    .strip_prefix(&base[..base.len() - 1])
                    .filter(|below| below.is_empty() || below.starts_with(b"/"))
                    .unwrap_or(&path);
                let is_local = path
                    .strip_prefix(locale.as_bytes())
                    .is_some_and(|below| below.is_empty() || below.starts_with(b"/"));
                let locale = if is_local { "" } else { locale };
                attempts.url([locale.as_bytes(), path].concat());
            }
            _ => reference.by_url(attempts),
        }
        if self.is_open {
            attempts.miss = Miss::Undecided;
        }
    }

    fn by_page_file(
        &self,
        reference: &SiteReference<'_>,
        root: &DocsRoot,
        attempts: &mut Attempts,
    ) {
        let path = reference.path;
        let own: Vec<_> = self
            .roots
            .iter()
            .filter(|other| other.version == root.version)
            .collect();
        let mut add = |path: Vec<u8>| {
            if own.iter().any(|root| path.starts_with(&root.directory)) {
                attempts.file(path);
            }
        };
        if let Some(below) = path.strip_prefix(b"@site/") {
            return add(join(&self.directory, below));
        }
        if !path.starts_with(b"/") {
            add(join(up_to_slash(reference.file), path));
        }
        if path.starts_with(b"./") || path.starts_with(b"../") {
            return;
        }
        let below = path.strip_prefix(b"/").unwrap_or(path);
        let visible = own
            .iter()
            .filter(|other| other.locale.is_none() || other.locale == root.locale);
        visible.for_each(|root| add(join(&root.directory, below)));
        add(join(&self.directory, below));
    }
}

impl SiteRules for Docusaurus {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let Some(root) = self
            .roots
            .iter()
            .find(|root| root.directory == file.root.directory)
        else {
            return Route::LeftOut;
        };
        let (_, name, extension) = file.parts();
        let is_docs = root.plugin == Plugin::Docs;
        if is_docs && name == b"_category_" {
            return root.category(file).map_or(Route::LeftOut, Route::CopiedTo);
        }
        let is_script =
            [&b"js"[..], b"jsx", b"ts", b"tsx"].contains(&extension) && !name.ends_with(b".d");
        let is_page = is_markdown(extension) || is_script && root.plugin == Plugin::Pages;
        if !is_page {
            return Route::Beside;
        }
        let path = file.path();
        let is_included = root
            .included
            .as_ref()
            .is_none_or(|included| is_excluded(included, &path));
        let values = if is_script {
            Some(Setting::Null)
        } else {
            file.front_matter().into_values()
        };
        match (values, &root.url) {
            _ if !is_included || is_excluded(&root.excluded, &path) => Route::LeftOut,
            (Some(values), _) if values.flag_or("draft", false) => Route::LeftOut,
            (Some(values), Some(start)) => {
                let mut url = [start.as_bytes(), &root.page(file.below, &values)].concat();
                match self.has_slashes {
                    Some(true) if !url.ends_with(b"/") => url.push(b'/'),
                    Some(false) if url.len() > 1 && url.ends_with(b"/") => drop(url.pop()),
                    _ => {}
                }
                Route::Page {
                    others: self.others(root, &url),
                    url,
                }
            }
            _ => Route::Computed,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let (root, path) = (self.root(reference.file), reference.path);
        let (_, _, extension) = parts(path);
        let of_site = path
            .strip_prefix(b"@site/")
            .map(|below| join(&self.directory, below));
        let is_asset = reference.is_image || !matches!(extension, b"" | b"html" | b"htm");
        match (reference.syntax, of_site) {
            (Syntax::Construct(_), Some(path)) => attempts.module(&path),
            (Syntax::Construct(_), None) if path.starts_with(b".") => {
                attempts.module(&join(up_to_slash(reference.file), path))
            }
            (Syntax::Construct(_), None) => attempts.miss = Miss::Undecided,
            (Syntax::Html, _) => reference.by_url(attempts),
            (Syntax::Text, _) if is_markdown(extension) && !reference.is_image => {
                root.into_iter()
                    .for_each(|root| self.by_page_file(reference, root, attempts));
            }
            (Syntax::Text, Some(path)) => attempts.part(path),
            (Syntax::Text, None) if is_asset && !path.starts_with(b"/") => {
                attempts.part(join(up_to_slash(reference.file), path));
                if !reference.is_image {
                    self.by_route(reference, root, attempts);
                }
            }
            _ => self.by_route(reference, root, attempts),
        }
    }
}

fn is_markdown(extension: &[u8]) -> bool {
    matches!(extension, b"md" | b"mdx")
}
