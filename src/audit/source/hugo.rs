//! Hugo.

use std::collections::BTreeSet;

use super::site::*;
use crate::audit::date::{date, days_from_today};

struct Hugo {
    values: Setting,
    mounts: HugoMounts,
    /// The languages of the content roots, and of the suffixes of names, with their URLs.
    languages: Vec<(String, String)>,
    /// A hook of links may find files.
    finds_files: bool,
}

/// Returns the configuration, if it is Hugo's.
fn values(directory: &SiteDirectory<'_>) -> Option<Setting> {
    // A directory of an environment is a part of the configuration above it.
    if above(directory.path).ends_with(b"/config/") && directory.has("../_default") {
        return None;
    }
    let first = |stem: &str| {
        let mut ends = ["toml", "yaml", "yml", "json"].iter();
        ends.find_map(|end| directory.values(&format!("{stem}.{end}")))
    };
    let mut all = first("hugo");
    // The files of the directory add to it.
    for stem in "hugo config module languages permalinks markup taxonomies".split(' ') {
        if let Some(mut values) = first(&format!("config/_default/{stem}")) {
            if !matches!(stem, "hugo" | "config") {
                values = config::map(std::iter::once((stem.to_owned(), values)));
            }
            all.get_or_insert_with(Setting::empty).inherit(values);
        }
    }
    all.or_else(|| {
        let keys = "baseURL languageCode theme module markup.goldmark";
        let values = first("config")?;
        let is_zola = values.has("base_url");
        let is_hugo = !is_zola && values.has_any(keys) && directory.has("content");
        is_hugo.then_some(values)
    })
}

/// The flag that makes raw HTML of Markdown a part of the page.
const RAW_HTML: &str = "markup.goldmark.renderer.unsafe";

/// The directories of a site beside its content.
const TEMPLATES: &str = "archetypes layouts data i18n assets themes config resources _vendor";

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let values = match values(directory) {
        None if !directory.is_given => return None,
        values => values.unwrap_or_default(),
    };
    let usual = values.text("defaultContentLanguage").unwrap_or("en");
    let in_subdirectory = values.flag_or("defaultContentLanguageInSubdir", false);
    let url_of = |language: Option<&str>| match language.unwrap_or(usual) {
        language if language == usual && !in_subdirectory => "/".to_owned(),
        language => in_slashes(&language.to_lowercase()),
    };
    let mut languages: Vec<&str> = values.keys("languages").collect();
    if languages.is_empty() {
        languages.push(usual);
    }
    let with_url = |name: &&str| (name.to_string(), url_of(Some(name)));
    let languages: Vec<_> = languages.iter().map(with_url).collect();
    let mounts = HugoMounts::of(directory, &values, site, &url_of);
    let embedded = values.text("markup.goldmark.renderHooks.link.useEmbedded");
    let uses_embedded = embedded.is_some_and(|embedded| embedded != "never")
        || values.flag_or("markup.goldmark.renderHooks.link.enableDefault", false);
    let rules = Hugo {
        values,
        finds_files: mounts.has_own_hook || uses_embedded || languages.len() > 1,
        languages,
        mounts,
    };
    let (values, languages) = (&rules.values, &rules.languages);
    for kind in ["section", "taxonomy", "term"] {
        for (_, pattern) in values.entries(&format!("permalinks.{kind}")) {
            let pattern = pattern.as_text().unwrap_or("/:");
            match pattern.split_once(':') {
                Some((start, _)) => site.add_undecided([start]),
                None => site.add_made([pattern]),
            }
        }
    }
    // Absolute paths may get the base.
    let has_base = values.flag_or("canonifyURLs", false);
    site.set_base(values.text_or("baseURL", "/").filter(|_| !has_base));
    for (root, url, at) in &rules.mounts.content {
        site.add_content(root, format!("{url}{at}"));
    }
    let ids = values.text_or("markup.goldmark.parser.autoHeadingIDType", "github");
    site.has_other_ids = ids.as_deref() != Some("github")
        || !values.flag_or("markup.goldmark.parser.autoHeadingID", true)
        || !values.flag_or("markup.goldmark.parser.attribute.title", true);
    site.add_templates(directory.path, TEMPLATES.split(' '));
    site.add_outputs(directory.path, values.text_or("publishDir", "public"));
    site.index = ["_index.md", "index.md"].map(str::to_owned).to_vec();
    site.add_made(rules.lists());
    site.add_made(["/", "sitemap.xml"]);
    let has_robots = values.flag_or("enableRobotsTXT", false);
    site.add_made(has_robots.then_some("robots.txt"));
    let taxonomies = values.entries("taxonomies").iter();
    let mut taxonomies: Vec<_> = taxonomies.filter_map(|(_, name)| name.as_text()).collect();
    if !values.has("taxonomies") {
        taxonomies = vec!["tags", "categories"];
    }
    for (name, url) in languages {
        site.add_made(["", "index.xml", "404.html"].map(|name| format!("{url}{name}")));
        if languages.len() > 1 {
            let own = in_slashes(&name.to_lowercase());
            site.add_made([format!("{own}sitemap.xml"), own]);
        }
        for name in &taxonomies {
            site.add_undecided(["/", rules.end()].map(|end| format!("{url}{name}{end}")));
        }
    }
    site.lacks_assets = rules.mounts.lacks_theme;
    Some(Box::new(rules))
}

/// The directories that make up a site.
#[derive(Default)]
struct HugoMounts {
    /// Content roots, the URLs of their languages, and their paths below.
    content: Vec<(Vec<u8>, String, String)>,
    /// A theme or module is not in the tree.
    lacks_theme: bool,
    /// The site, or a theme, has a hook of links that is not known.
    has_own_hook: bool,
}

impl HugoMounts {
    fn of(
        directory: &SiteDirectory<'_>,
        values: &Setting,
        site: &mut SourceSite,
        url_of: &dyn Fn(Option<&str>) -> String,
    ) -> HugoMounts {
        let mut mounts = HugoMounts::default();
        for mount in values.list("module.mounts") {
            let (Some(source), Some(target)) = (mount.text("source"), mount.text("target")) else {
                continue;
            };
            let source = directory.folder(source);
            let (first, rest) = target.split_once('/').unwrap_or((target, ""));
            let rest = in_slashes(rest);
            if first == "content" {
                let mut languages = mount.texts("sites.matrix.languages");
                let language = mount.text("lang").or(languages.next());
                let mount = (source, url_of(language), rest[1..].to_owned());
                mounts.content.push(mount);
            } else if first == "static" {
                site.add_overlay(&source, rest);
            }
        }
        if mounts.content.is_empty() {
            for (name, options) in values.entries("languages") {
                let own = options.text("contentDir").map(|own| directory.folder(own));
                let own = own.map(|own| (own, url_of(Some(name)), String::new()));
                mounts.content.extend(own);
            }
            let own = directory.content(site, values, "contentDir", "content");
            if !mounts.content.iter().any(|(known, ..)| *known == own) {
                mounts.content.push((own, url_of(None), String::new()));
            }
        }
        // The content is added later.
        let has_usual = site.folders.is_empty() && !values.has("staticDir");
        let usual = has_usual.then_some("static");
        for name in values.texts("staticDir").chain(usual) {
            site.add_overlay(&directory.folder(name), "/");
        }
        let themes = values.text_or("themesDir", "themes").unwrap_or_default();
        // Modules in the tree are named, with their versions, in a list.
        let vendored = directory.read("_vendor/modules.txt");
        let modules = vendored.as_deref().unwrap_or_default().lines();
        let modules = modules.filter_map(|line| line.strip_prefix("# ")?.split(' ').next());
        let modules: Vec<_> = modules.collect();
        mounts.lacks_theme =
            values.has("module.imports") && vendored.is_none() || values.is_unknown("theme");
        mounts.has_own_hook = has_hook(directory.path);
        let is_other = |theme: &&str| !modules.contains(theme);
        let own = values.texts("theme").filter(is_other);
        let own = own.map(|theme| format!("{themes}/{theme}"));
        for theme in own.chain(modules.iter().map(|module| format!("_vendor/{module}"))) {
            let theme = directory.folder(theme);
            mounts.lacks_theme |= !path_of(&theme).is_dir();
            mounts.has_own_hook |= has_hook(&theme);
            site.add_overlay(&join(&theme, b"static/"), "/");
            let content = join(&theme, b"content/");
            mounts.content.push((content, url_of(None), String::new()));
        }
        mounts.has_own_hook |= mounts.lacks_theme;
        mounts
    }
}

/// Returns whether a project or theme has a hook of links.
fn has_hook(directory: &[u8]) -> bool {
    let layouts = files_below(&join(directory, b"layouts/"), |_| true);
    let hook = memchr::memmem::Finder::new("/_markup/render-link");
    layouts.iter().any(|path| hook.find(path).is_some())
}

/// A page of a list.
static PAGE_OF_LIST: Pattern = Pattern::new(r"(?:^|/)page/[0-9]+(?:/|\.html)?$");

/// The characters of a text that the path of a URL keeps, and blanks.
static KEPT: Pattern = Pattern::new(r"(?u)(?:[\pL\pM\p{Nd}\s\-._~/\\#+@]|%[[:xdigit:]]{2})+");

impl Hugo {
    /// Returns whether the configuration sets a flag.
    fn has(&self, flag: &str) -> bool {
        self.values.flag_or(flag, false)
    }

    /// Returns the path of a URL that a text becomes, with a `-` for runs of blanks and dropped characters.
    fn path(&self, text: &[u8]) -> Vec<u8> {
        let kept = KEPT.find_iter(text).map(|run| run.as_bytes());
        let kept = kept.collect::<Vec<_>>().concat();
        let mut path = String::new();
        for word in String::from_utf8_lossy(&kept).split_whitespace() {
            let is_joined = path.is_empty() || path.ends_with('-') || word.starts_with('-');
            path = path + if is_joined { "" } else { "-" } + word;
        }
        if !self.has("disablePathToLower") {
            // The language of Hugo maps characters one by one.
            let lower = path.chars().filter_map(|own| own.to_lowercase().next());
            path = lower.collect();
        }
        path.into_bytes()
    }

    /// Returns the path of a copy: directories below a bundle, or else below a top section, keep their names.
    fn copy(&self, file: &ContentFile<'_>) -> Vec<u8> {
        let mut ends = memchr::memchr_iter(b'/', file.below);
        let is_bundle = |end: &usize| {
            let directory = [&file.root.directory, &file.below[..=*end]].concat();
            let has = |name| path_of(&directory).join(name).exists();
            has("index.md") || has("_index.md")
        };
        let bundle = ends.clone().rev().find(is_bundle).or(ends.next());
        let (bundle, rest) = file.below.split_at(bundle.map_or(0, |end| end + 1));
        [&self.path(&dashed(bundle)), rest].concat()
    }

    /// Returns the end of the URLs of pages.
    fn end(&self) -> &'static str {
        if self.has("uglyURLs") { ".html" } else { "/" }
    }

    /// Returns the URLs of the lists of top sections, as pages and as feeds.
    fn lists(&self) -> Vec<Vec<u8>> {
        let mut made = Vec::new();
        for (root, url, at) in &self.mounts.content {
            let files = files_below(root, |_| true);
            let mut tops = BTreeSet::new();
            for file in &files {
                let (directory, name, extension) = parts(&file[root.len()..]);
                let end = memchr::memchr(b'/', directory).filter(|_| is_page(extension));
                let language = self.language(name).1.unwrap_or(url.as_bytes());
                tops.extend(end.map(|end| (&directory[..end], language)));
            }
            tops.retain(|(top, _)| !path_of(&join(root, top)).join("index.md").exists());
            for (top, url) in tops {
                for name in [dashed(top), top.to_vec()] {
                    let list = [url, at.as_bytes(), &self.path(&name)].concat();
                    let ends = ["/", "/index.xml", self.end()];
                    made.extend(ends.map(|end| [&list, end.as_bytes()].concat()));
                }
            }
        }
        made
    }

    /// Splits the language off a name; returns its URL.
    fn language<'n>(&self, name: &'n [u8]) -> (&'n [u8], Option<&[u8]>) {
        let mut languages = self.languages.iter();
        let found = languages.find_map(|(language, url)| {
            let stem = name.strip_suffix(language.as_bytes())?.strip_suffix(b".")?;
            Some((stem, Some(url.as_bytes())))
        });
        found.unwrap_or((name, None))
    }

    /// Returns the path of a page by the pattern of its section, or the start of the path if the pattern has other parts.
    fn permalink(&self, pattern: &str, page: &[u8], values: &Setting) -> Result<Vec<u8>, Vec<u8>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (directory, leaf) = page.split_at(up_to_slash(page).len());
        let sections = text(directory.strip_suffix(b"/").unwrap_or_default());
        let date = values.text("date").unwrap_or_default().as_bytes();
        let [slug, title] = ["slug", "title"].map(|key| Some(values.text(key)?.as_bytes()));
        let url = expand(pattern, date, |name| {
            let own = match name {
                "section" => return sections.split('/').next().map(str::to_owned),
                "sections" => return Some(sections.clone()),
                "title" => title?,
                "slug" => slug.or(title)?,
                "slugorcontentbasename" | "slugorfilename" => slug.unwrap_or(leaf),
                "filename" | "contentbasename" => leaf,
                _ => return None,
            };
            // The URL is decoded like a query.
            Some(text(&self.path(own)).replace('+', " "))
        });
        let path = |url: String| self.path(url.trim_start_matches('/').as_bytes());
        let url = url.map(|url| url.trim_end_matches('/').to_owned());
        url.map(path).map_err(|(start, _)| path(start))
    }
}

fn is_page(extension: &[u8]) -> bool {
    let mut known = "md markdown mdown html htm adoc org".split(' ');
    known.any(|known| known.as_bytes() == extension)
}

/// Returns a path with a `-` for each blank, as Hugo since 0.123 reads the names of files.
fn dashed(path: &[u8]) -> Vec<u8> {
    let is_blank = |byte: &u8| *byte == b' ';
    path.split(is_blank).collect::<Vec<_>>().join(&b'-')
}

/// Returns the path of a page with a slash at its end, unless it names a file.
fn closed(mut url: Vec<u8>) -> Vec<u8> {
    if !url.ends_with(b"/") && parts(&url).2.is_empty() {
        url.push(b'/');
    }
    url
}

impl SiteRules for Hugo {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        let (stem, language) = self.language(name);
        let root = language.unwrap_or(&file.root.url);
        let directory_url = |path: &[u8]| [root, &self.path(up_to_slash(path))].concat();
        if !is_page(extension) {
            return Route::CopiedTo([root, &self.copy(file)].concat());
        }
        // Pages of a bundle are resources without a URL.
        if stem != b"index" && file.has_beside("index.md") {
            return Route::Beside;
        }
        let Some(values) = file.values() else {
            return file.unparsed();
        };
        let is_draft = values.flag_or("draft", false) && !self.has("buildDrafts");
        let is_headless = stem == b"index" && values.flag_or("headless", false);
        let mut options = ["build.render", "_build.render"].into_iter();
        let is_hidden =
            options.any(|key| values.text(key) == Some("never") || values.flag(key) == Some(false));
        if is_draft || is_headless || is_hidden || self.is_outdated(&values) {
            return Route::LeftOut;
        }
        let slug = values.text("slug").map(str::as_bytes);
        let end = self.end().as_bytes();
        let usual = |path: &[u8]| match (stem, slug) {
            (b"index", Some(slug)) => [above(&directory_url(path)), &self.path(slug), end].concat(),
            (b"_index" | b"index", _) => directory_url(path),
            (_, slug) => {
                let stem = &path[directory.len()..][..stem.len()];
                [&*directory_url(path), &self.path(slug.unwrap_or(stem)), end].concat()
            }
        };
        let section = directory.split(|&byte| byte == b'/').next();
        let section = section.filter(|section| !section.is_empty() && stem != b"_index");
        let rows = self.values.entries("permalinks.page").iter();
        let rows = rows.chain(self.values.entries("permalinks"));
        let mut rows = rows.filter(|(name, _)| name != "page");
        let row = rows.find(|(name, _)| Some(name.as_bytes()) == section);
        let mut others = Vec::new();
        let url = match (values.text("url"), row) {
            (Some(own), _) => {
                let own = own.split_once("://").map_or(own, |(_, rest)| {
                    &rest[rest.find('/').unwrap_or(rest.len())..]
                });
                let root = if own.starts_with('/') { b"" } else { root };
                // A pattern, or a function.
                match own.split_once(':') {
                    Some((start, _)) => Err([root, start.as_bytes()].concat()),
                    None => Ok(closed([root, own.as_bytes()].concat())),
                }
            }
            (None, Some((_, pattern))) => {
                let page = match stem {
                    b"index" => directory.strip_suffix(b"/").unwrap_or_default().to_vec(),
                    stem => [directory, stem].concat(),
                };
                let below = |path: Vec<u8>| [root, &path].concat();
                let made = self.permalink(pattern.as_text().unwrap_or(":"), &page, &values);
                made.map(|path| [&below(path), end].concat()).map_err(below)
            }
            (None, None) => {
                others.push(usual(file.below));
                Ok(usual(&dashed(file.below)))
            }
        };
        let url = match url {
            Ok(url) => url,
            // Any URL may be an alias.
            Err(_) if values.has("aliases") => return Route::ComputedBelow(b"/".to_vec()),
            Err(start) => return Route::ComputedBelow(start),
        };
        // Bundles and sections have ugly URLs in some versions.
        others.extend(url.strip_suffix(b"/").map(|bare| [bare, end].concat()));
        let aliases = values.texts("aliases");
        others.extend(aliases.map(|alias| closed(join(above(&url), alias.as_bytes()))));
        Route::page_at(url, others)
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        match reference.syntax {
            Syntax::Construct("ref") => self.by_ref(reference, attempts),
            Syntax::Html if parts(reference.file).2 != b"html" && !self.has(RAW_HTML) => {
                attempts.miss = Miss::Undecided;
            }
            Syntax::Text if self.finds_files => {
                reference.by_url(attempts);
                match reference.path.strip_prefix(b"/") {
                    Some(below) => self.in_content(below).for_each(|path| attempts.file(path)),
                    None => reference.beside(attempts),
                }
                attempts.undecided_if(self.mounts.has_own_hook && attempts.miss == Miss::Missing);
            }
            _ => reference.by_url(attempts),
        }
        // The resources of a bundle are served below its URL.
        let resource = reference.file_beside();
        if self.language(parts(reference.file).1).0 == b"index"
            && resource.starts_with(up_to_slash(reference.file))
            && parts(&resource).2 != b"md"
        {
            attempts.file(resource);
        }
        // Before 0.123, the directories outside of bundles kept their names.
        if let Some(Attempt::Url(url)) = attempts.attempts.first()
            && !matches!(parts(url).2, b"" | b"md" | b"html")
        {
            let paths: Vec<_> = self.in_content(&url[1..]).collect();
            paths.into_iter().for_each(|path| attempts.file(path));
        }
        attempts.undecided_if(PAGE_OF_LIST.is_match(reference.path));
    }
}

impl Hugo {
    /// Returns whether a page is dated in the future, or has expired.
    fn is_outdated(&self, values: &Setting) -> bool {
        let days = |key: &str| values.text(key).and_then(date).map(days_from_today);
        let starts = days("publishDate").or_else(|| days("date"));
        let is_early = starts.is_some_and(|days| days > 0) && !self.has("buildFuture");
        is_early || days("expiryDate").is_some_and(|days| days < 0) && !self.has("buildExpired")
    }

    /// Returns the places of a path below the content.
    fn in_content(&self, below: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        let roots = self.mounts.content.iter();
        roots.filter_map(|(root, _, at)| Some(join(root, below.strip_prefix(at.as_bytes())?)))
    }

    /// A reference of the shortcodes `ref` and `relref`: a path of a page, with or without its
    /// extension, or the name of a page anywhere.
    fn by_ref(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        attempts.ignores_case = true;
        let path = reference.path.strip_suffix(b"/").unwrap_or(reference.path);
        let directory = up_to_slash(reference.file);
        let mut directories = vec![directory];
        // A leaf bundle is beside its neighbours.
        if parts(reference.file).1 == b"index" {
            directories.push(above(directory));
        }
        if path.starts_with(b"/") {
            directories.clear();
        }
        let below = path.strip_prefix(b"/").unwrap_or(path);
        for end in [&b""[..], b".md", b"/_index.md", b"/index.md"] {
            let path = [below, end].concat();
            let beside = directories.iter().map(|directory| join(directory, &path));
            let paths = beside.chain(self.in_content(&path));
            paths.for_each(|path| attempts.file(path));
        }
        // A top section may have no file.
        if !below.contains(&b'/') {
            attempts.url([b"/", &*self.path(below), b"/"].concat());
        }
        if !path.starts_with(b"/") {
            attempts.name(path.strip_suffix(b".md").unwrap_or(path));
        }
    }
}
