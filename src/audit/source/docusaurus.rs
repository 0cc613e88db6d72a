//! Docusaurus 3.

use super::site::*;

struct Docusaurus {
    directory: Vec<u8>,
    roots: Vec<DocsRoot>,
    /// The URLs of the locales other than the default one, without a slash at the end.
    locales: Vec<String>,
    has_slashes: Option<bool>,
    /// Pages or redirects are computed.
    is_open: bool,
}

named! {
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Plugin {
        Docs = "docs",
        Blog = "blog",
        Pages = "pages",
    }
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

const EXCLUDED: &str =
    "**/_*.{js,jsx,ts,tsx,md,mdx} **/_*/** **/*.test.{js,jsx,ts,tsx} **/__tests__/**";

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let text = directory.module("docusaurus.config")?;
    let values = config::javascript(&text);
    site.listed.file = directory.first(module_names("docusaurus.config"));
    site.listed.key = "themeConfig";
    for part in ["themeConfig.navbar", "themeConfig.footer"] {
        site.listed.add(values.get(part), "to", "");
    }
    let usual = values.text("i18n.defaultLocale").unwrap_or("en");
    let locales = values.texts("i18n.locales");
    let locales = locales.filter(|locale| *locale != usual);
    let base = values.text_or("baseUrl", "/");
    let mut is_open = values.is_unknown("presets") || values.is_unknown("i18n.locales");
    is_open |= adds_routes(directory, &text);
    let options = |locale: &str| values.get("i18n.localeConfigs")?.own(locale);
    let folder = |locale: &str| {
        let own = options(locale).and_then(|options| options.text("path"));
        let above = values.text("i18n.path").unwrap_or("i18n");
        format!("{above}/{}", own.unwrap_or(locale))
    };
    let locales = locales.map(|locale| {
        let own = options(locale).and_then(|options| options.text("baseUrl"));
        let (own, base) = (own.map(in_slashes), base.as_deref().map(in_slashes));
        let below = own.as_deref().zip(base.as_deref());
        let below = below.map(|(own, base)| own.strip_prefix(base));
        is_open |= below == Some(None);
        let url = format!("/{}", below.flatten().unwrap_or(locale));
        (folder(locale), url.trim_end_matches('/').to_owned())
    });
    let locales: Vec<_> = locales.collect();
    let undecided = ["/search/", "/assets/", "/__docusaurus/"];
    let mut reader = RootReader {
        directory,
        usual: folder(usual),
        locales,
        roots: Vec::new(),
        made: ["/404.html", "/sitemap.xml"].map(str::to_owned).to_vec(),
        undecided: undecided.map(str::to_owned).to_vec(),
        is_open,
    };
    if values.is_unknown("presets") || values == Setting::empty() {
        reader.element(Some("classic"), &Setting::Null);
    }
    let rows = values.list("presets").iter().chain(values.list("plugins"));
    for row in rows {
        match row {
            Setting::List(row) => {
                let options = row.get(1).unwrap_or(&Setting::Null);
                reader.element(row.first().and_then(Setting::as_text), options);
            }
            row => reader.element(row.as_text(), &Setting::Null),
        }
    }
    let locales: Vec<_> = reader.locales.into_iter().map(|(_, url)| url).collect();
    let (made, undecided) = (reader.made, reader.undecided);
    let rules = Docusaurus {
        directory: directory.path.to_vec(),
        has_slashes: values.flag("trailingSlash"),
        is_open: reader.is_open || reader.roots.iter().any(|root| root.url.is_none()),
        locales: locales.clone(),
        roots: reader.roots,
    };
    for root in &rules.roots {
        site.add_content(&root.directory, root.url.as_deref().unwrap_or("/"));
    }
    site.set_base(base);
    site.add_outputs(directory.path, ["build"]);
    let mut statics: Vec<_> = values.texts("staticDirectories").collect();
    if !values.has("staticDirectories") {
        statics.push("static");
    }
    for locale in [""].into_iter().chain(locales.iter().map(String::as_str)) {
        for name in &statics {
            site.add_overlay(&directory.below(name), format!("{locale}/"));
        }
        site.add_made(made.iter().map(|url| format!("{locale}{url}")));
        site.add_undecided(undecided.iter().map(|url| format!("{locale}{url}")));
    }
    site.lacks_assets = values.is_unknown("staticDirectories");
    site.ignores_slashes = true;
    site.schemes = &["pathname://"];
    Some(Box::new(rules))
}

/// The path of a module of the site in a configuration.
static MODULE: Pattern = Pattern::new(r#"["']((?:\.\.?|@site)/[^"'\n]+)["']"#);

/// Returns whether the configuration or a module that it names makes pages.
fn adds_routes(directory: &SiteDirectory<'_>, text: &str) -> bool {
    let mut modules = MODULE.captures_iter(text.as_bytes());
    text.contains("addRoute")
        || modules.any(|found| {
            let path = String::from_utf8_lossy(&found[1]).replace("@site/", "");
            let stems = [path.clone(), format!("{path}/index")];
            stems.iter().any(|stem| {
                let text = directory.read(stem).or(directory.module(stem));
                text.is_some_and(|text| text.contains("addRoute"))
            })
        })
}

struct RootReader<'d> {
    directory: &'d SiteDirectory<'d>,
    /// The directory of the translations of the default locale.
    usual: String,
    /// The same for the other locales, with their URLs.
    locales: Vec<(String, String)>,
    roots: Vec<DocsRoot>,
    made: Vec<String>,
    undecided: Vec<String>,
    is_open: bool,
}

impl RootReader<'_> {
    /// Reads a preset or a plugin, whose name may be computed.
    fn element(&mut self, name: Option<&str>, options: &Setting) {
        let is_map = matches!(options, Setting::Map(_));
        let has = |keys: &str| name.is_none() && is_map && options.has_any(keys);
        let short = name.map_or("", |name| &name[name.rfind('/').map_or(0, |at| at + 1)..]);
        let short = short.trim_start_matches("docusaurus-");
        let short = short.trim_start_matches("plugin-");
        match short.trim_start_matches("content-") {
            "classic" | "preset-classic" => self.classic(options),
            "docs" => self.docs(options),
            "blog" => self.blog(options),
            "pages" => self.pages(options),
            "client-redirects" => self.redirects(options),
            name if config::names_any(name, "typedoc openapi graphql remote") => {
                self.is_open = true;
            }
            "" if has("docs blog pages theme") => self.classic(options),
            "" if has("redirects createRedirects") => self.redirects(options),
            "" if has("sidebarPath routeBasePath") => self.docs(options),
            _ => {}
        }
    }

    fn classic(&mut self, options: &Setting) {
        for key in ["docs", "blog", "pages"] {
            if options.flag(key) != Some(false) {
                self.element(Some(key), options.get(key).unwrap_or(&Setting::Null));
            }
        }
    }

    fn redirects(&mut self, options: &Setting) {
        self.is_open |= options.is_unknown("redirects")
            || options.has_any("createRedirects fromExtensions toExtensions");
        for row in options.list("redirects") {
            self.is_open |= row.is_unknown("from");
            self.made.extend(row.strings("from"));
        }
    }

    fn docs(&mut self, options: &Setting) {
        let id = options.text("id").filter(|id| *id != "default");
        let start = id.map_or_else(String::new, |id| format!("{id}_"));
        let mut names = Vec::new();
        if !options.flag_or("disableVersioning", false) {
            let versions = self.directory.values(&format!("{start}versions.json"));
            names = versions.map_or_else(Vec::new, |all| all.strings(""));
        }
        let last = options.text("lastVersion").map(str::to_owned);
        let last = last.or(names.first().cloned());
        let last = last.unwrap_or_else(|| "current".to_owned());
        if options.flag_or("includeCurrentVersion", true) {
            names.push("current".to_owned());
        }
        if let Some(only @ Setting::List(_)) = options.get("onlyIncludeVersions") {
            names.retain(|name| only.texts("").any(|only| only == name));
        }
        let base = options.text_or("routeBasePath", "docs");
        let base = base.filter(|_| !options.is_unknown("numberPrefixParser"));
        let usual = self.path(options, "docs");
        for name in names {
            let own = match &*name {
                _ if name == last => "",
                "current" => "next",
                name => name,
            };
            let version = options.get("versions").unwrap_or(&Setting::Null);
            let own = match version.own(&name) {
                _ if *version == Setting::Unknown => None,
                Some(version) => version.text_or("path", own),
                None => Some(own.to_owned()),
            };
            let url = base.as_ref().zip(own);
            let url = url.map(|(base, own)| format!("{}/{own}", base.trim_matches('/')));
            let version = format!("version-{name}");
            let (path, sidebars, translated) = match &*name {
                "current" => {
                    let sidebars = options.text("sidebarPath").unwrap_or("sidebars.js");
                    (usual.clone(), sidebars.to_owned(), name)
                }
                _ => {
                    let sidebars = format!("{start}versioned_sidebars/{version}-sidebars.json");
                    let docs = format!("{start}versioned_docs/{version}");
                    (docs, sidebars, version)
                }
            };
            self.sidebars(&sidebars, &in_slashes(url.as_deref().unwrap_or_default()));
            self.add(Plugin::Docs, options, [&path, &translated], url);
        }
    }

    /// Adds the pages that a sidebar makes.
    fn sidebars(&mut self, path: &str, url: &str) {
        let others = ["ts", "cjs", "mjs", "json"].map(|end| format!("sidebars.{end}"));
        let mut paths = std::iter::once(path).chain(others.iter().map(String::as_str));
        let text = paths.find_map(|path| self.directory.read(path));
        if let Some(text) = text.filter(|text| text.contains("generated-index")) {
            self.undecided.push(format!("{url}category/"));
            for key in ["slug:", "\"slug\":"] {
                let slugs = config::values_after(&text, key);
                let slugs = slugs.filter_map(|slug| {
                    Some(format!("{url}{}", slug.as_text()?.trim_start_matches('/')))
                });
                self.made.extend(slugs);
            }
        }
        self.undecided.push(format!("{url}tags/"));
    }

    fn blog(&mut self, options: &Setting) {
        let url = options.text_or("routeBasePath", "blog");
        let start = in_slashes(url.as_deref().unwrap_or_default());
        let made = ["", "archive", "rss.xml", "atom.xml", "feed.json"];
        self.made.extend(made.map(|name| format!("{start}{name}")));
        let lists = ["tags", "page", "authors"].map(|name| format!("{start}{name}/"));
        self.undecided.extend(lists);
        let path = self.path(options, "blog");
        self.add(Plugin::Blog, options, [&path, ""], url);
    }

    fn pages(&mut self, options: &Setting) {
        let path = self.path(options, "src/pages");
        let url = options.text_or("routeBasePath", "/");
        self.add(Plugin::Pages, options, [&path, ""], url);
    }

    /// Returns the directory of an instance, the usual one for a computed one.
    fn path(&mut self, options: &Setting, usual: &str) -> String {
        let path = options.text_or("path", usual);
        self.is_open |= path.is_none();
        path.unwrap_or_else(|| usual.to_owned())
    }

    /// Adds a directory and its translations, whose directory is the second path.
    fn add(&mut self, plugin: Plugin, options: &Setting, paths: [&str; 2], url: Option<String>) {
        let name = plugin.name();
        let id = options.text("id").filter(|id| *id != "default");
        let id = id.map_or_else(String::new, |id| format!("-{id}"));
        let url = url.map(|url| in_slashes(&url));
        let globs = |key: &str, directory: &[u8]| match options.get(key) {
            Some(list @ Setting::List(_)) => Some(anchored_globs(directory, list.texts(""))),
            _ => None,
        };
        let version = self.roots.len();
        let locales = self.locales.iter();
        let locales = locales.map(|(folder, url)| (&**folder, Some(url.clone())));
        let usual = [(&*self.usual, Some(String::new())), ("", None)];
        for (folder, start) in locales.chain(usual) {
            let translations = format!("{folder}/docusaurus-plugin-content-{name}{id}/");
            let directory = match &start {
                Some(_) => self.directory.folder(translations + paths[1]),
                None => self.directory.folder(paths[0]),
            };
            let url = url.as_ref();
            let excluded = globs("exclude", &directory);
            self.roots.push(DocsRoot {
                plugin,
                version,
                url: url.map(|url| start.clone().unwrap_or_default() + url),
                locale: start,
                keeps_numbers: !options.flag_or("numberPrefixParser", true),
                excluded: excluded
                    .unwrap_or_else(|| anchored_globs(&directory, EXCLUDED.split(' '))),
                included: globs("include", &directory),
                directory,
            });
        }
    }
}

static NUMBER: Pattern = Pattern::new(r"^\d+\s*[-_.]+\s*([^-_.\s].*)$");
/// A date or a version, which is a part of the name.
static NO_NUMBER: Pattern = Pattern::new(r"^\d+[-_.]\d+");
static DATED: Pattern = Pattern::new(r"^(.*?)(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*)$");

impl DocsRoot {
    fn without_number<'n>(&self, name: &'n [u8]) -> &'n [u8] {
        let is_docs = self.plugin == Plugin::Docs;
        let has_number = is_docs && !self.keeps_numbers && !NO_NUMBER.is_match(name);
        let rest = NUMBER.group_at(name, 0).filter(|_| has_number);
        rest.map_or(name, |[_, rest]| &name[rest])
    }

    /// Returns the URL of a page below the URL of the root.
    fn page(&self, path: &[u8], values: &Setting) -> Vec<u8> {
        let (directory, name, _) = parts(path);
        let url = renamed(directory, |name| self.without_number(name));
        let slug = values.text("slug").filter(|_| self.plugin != Plugin::Pages);
        let mut index = [&b"index"[..], b"readme", last_name(directory)].into_iter();
        let is_index = match self.plugin {
            Plugin::Pages => name == b"index",
            _ => index.any(|index| name.eq_ignore_ascii_case(index)),
        };
        let below = match (self.plugin, slug) {
            (Plugin::Blog, Some(slug)) => join(b"/", slug.as_bytes()),
            (_, Some(slug)) => join(&[b"/", &*url].concat(), slug.as_bytes()),
            (Plugin::Blog, None) => {
                let path = [directory, name].concat();
                let path = path.strip_suffix(b"/index").unwrap_or(&path);
                DATED.replace(path, &b"$2/$3/$4/$1$5"[..]).into_owned()
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
        let text = text_of(file.text)?;
        // JSON is YAML as well.
        let values = config::yaml(&text)?;
        let kind = values.text("link.type");
        kind.filter(|kind| *kind == "generated-index")?;
        let name = self.without_number(last_name(file.parts().0));
        let name = String::from_utf8_lossy(name);
        let label = values.text("label").unwrap_or(&name);
        let usual = || format!("category/{}", Slug::Docusaurus.of_text(label));
        let slug = values.text("link.slug").map_or_else(usual, str::to_owned);
        let url = [self.url.as_ref()?, slug.trim_start_matches('/')].concat();
        Some(url.into_bytes())
    }
}

impl Docusaurus {
    fn root(&self, file: &[u8]) -> Option<&DocsRoot> {
        let roots = self.roots.iter();
        let roots = roots.filter(|root| file.starts_with(&root.directory));
        roots.max_by_key(|root| root.directory.len())
    }

    /// Adds the page or the file at a URL, in the locale of the page.
    fn by_route(&self, reference: &SiteReference<'_>, locale: &str, attempts: &mut Attempts) {
        match reference.path {
            path @ [b'/', ..] => {
                let path = join(b"/", path);
                let base = reference.site.base.as_deref().unwrap_or(b"/");
                // The base is put before other paths.
                let path = below(&path, &base[..base.len() - 1]).unwrap_or(&path);
                let is_local = below(path, locale.as_bytes()).is_some();
                let locale = if is_local { "" } else { locale };
                attempts.url([locale.as_bytes(), path].concat());
            }
            _ => reference.by_url(attempts),
        }
        attempts.undecided_if(self.is_open);
    }

    fn by_page_file(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let Some(root) = self.root(reference.file) else {
            return;
        };
        let path = reference.path;
        let own = self.roots.iter();
        let own: Vec<_> = own.filter(|one| one.version == root.version).collect();
        let mut add = |path: Vec<u8>| {
            if own.iter().any(|root| path.starts_with(&root.directory)) {
                attempts.file(path);
            }
        };
        if let Some(below) = path.strip_prefix(b"@site/") {
            return add(join(&self.directory, below));
        }
        if !path.starts_with(b"/") {
            add(reference.file_beside());
        }
        if path.starts_with(b"./") || path.starts_with(b"../") {
            return;
        }
        let below = path.strip_prefix(b"/").unwrap_or(path);
        for other in &own {
            if other.locale.is_none() || other.locale == root.locale {
                add(join(&other.directory, below));
            }
        }
        add(join(&self.directory, below));
    }
}

impl SiteRules for Docusaurus {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let mut roots = self.roots.iter();
        let Some(root) = roots.find(|root| root.directory == file.root.directory) else {
            return Route::LeftOut;
        };
        let (_, name, extension) = file.parts();
        if root.plugin == Plugin::Docs && name == b"_category_" {
            return root.category(file).map_or(Route::LeftOut, Route::CopiedTo);
        }
        let is_script = matches!(extension, b"js" | b"jsx" | b"ts" | b"tsx")
            && root.plugin == Plugin::Pages
            && !name.ends_with(b".d");
        if !is_markdown(extension) && !is_script {
            return Route::Beside;
        }
        let path = file.path();
        let included = root.included.as_ref();
        let is_included = included.is_none_or(|included| is_excluded(included, &path));
        let values = (!is_script).then(|| file.values());
        let values = values.unwrap_or(Some(Setting::Null));
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
                let locales = self.locales.iter().filter(|_| root.locale.is_none());
                let others = locales.map(|locale| [locale.as_bytes(), &url].concat());
                Route::page_at(url.clone(), others)
            }
            _ => Route::Computed,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let (root, path) = (self.root(reference.file), reference.path);
        let locale = root.and_then(|root| root.locale.as_deref());
        let locale = locale.unwrap_or_default();
        let extension = parts(path).2;
        let of_site = path.strip_prefix(b"@site/");
        let of_site = of_site.map(|below| join(&self.directory, below));
        let is_asset = reference.is_image || !matches!(extension, b"" | b"html" | b"htm");
        match (reference.syntax, of_site) {
            (Syntax::Construct(_), Some(path)) => attempts.module(&path),
            (Syntax::Construct(_), None) if path.starts_with(b".") => {
                attempts.module(&reference.file_beside());
            }
            (Syntax::Construct(_), None) => attempts.miss = Miss::Undecided,
            (Syntax::Html, _) => {
                reference.by_url(attempts);
                attempts.undecided_if(self.is_open);
            }
            (Syntax::Text, _) if is_markdown(extension) && !reference.is_image => {
                self.by_page_file(reference, attempts);
            }
            (Syntax::Text, Some(path)) => attempts.part(path),
            (Syntax::Text, None) if is_asset && !path.starts_with(b"/") => {
                attempts.part(reference.file_beside());
                if !reference.is_image {
                    self.by_route(reference, locale, attempts);
                }
            }
            _ => self.by_route(reference, locale, attempts),
        }
    }
}

fn is_markdown(extension: &[u8]) -> bool {
    matches!(extension, b"md" | b"mdx")
}
