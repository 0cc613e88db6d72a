//! Hugo.

use super::config::{self, Setting};
use super::paths::{join, normal, parts, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax,
};
use crate::audit::date::date;
use crate::audit::ignored::days_from_today;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "hugo",
    markers: &[
        "hugo.toml",
        "hugo.yaml",
        "hugo.yml",
        "hugo.json",
        "config",
        "config.toml",
        "config.yaml",
        "config.json",
    ],
    open,
    slug: Slug::Hugo,
};

struct Hugo {
    content: Vec<Vec<u8>>,
    /// The languages of the content roots, and of the suffixes of names, with their URLs.
    languages: Vec<(String, Vec<u8>)>,
    keeps_case: bool,
    has_ugly_urls: bool,
    /// By the section.
    permalinks: Vec<(String, Option<String>)>,
    /// A hook of links may find files.
    finds_files: bool,
    /// The hook is not known.
    has_own_hook: bool,
}

const PAGES: [&[u8]; 7] = [
    b"md",
    b"markdown",
    b"mdown",
    b"html",
    b"htm",
    b"adoc",
    b"org",
];

/// Returns the configuration, if it is Hugo's.
fn values(directory: &SiteDirectory<'_>) -> Option<Setting> {
    let mut names = ["hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json"].into_iter();
    let mut all = names.find_map(|name| directory.values(name));
    // The files of the directory add to it.
    for stem in [
        "hugo",
        "config",
        "module",
        "languages",
        "permalinks",
        "markup",
        "taxonomies",
    ] {
        for extension in ["toml", "yaml", "yml", "json"] {
            let Some(values) = directory.values(&format!("config/_default/{stem}.{extension}"))
            else {
                continue;
            };
            let all = all.get_or_insert_with(|| config::yaml("{}").unwrap_or_default());
            match stem {
                "hugo" | "config" => all.inherit(values),
                stem => all.inherit(values.into_member(stem)),
            }
        }
    }
    if all.is_some() {
        return all;
    }
    let mut names = ["config.toml", "config.yaml", "config.json"].into_iter();
    names
        .find_map(|name| directory.values(name))
        .filter(|values| {
            let keys = [
                "baseURL",
                "baseurl",
                "languageCode",
                "theme",
                "module",
                "markup.goldmark",
            ];
            let is_zola = values.has("base_url");
            !is_zola && keys.iter().any(|key| values.has(key)) && directory.has("content")
        })
}

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let values = match values(directory) {
        None if !directory.is_given => return None,
        values => values.unwrap_or_default(),
    };
    let key = |names: [&str; 2]| {
        names
            .into_iter()
            .find(|name| values.has(name))
            .map(str::to_owned)
    };
    let base =
        key(["baseURL", "baseurl"]).map_or(Some("/".to_owned()), |key| values.text_or(&key, "/"));
    let usual = values
        .text_or("defaultContentLanguage", "en")
        .unwrap_or_else(|| "en".to_owned());
    let in_subdirectory = values.flag_or("defaultContentLanguageInSubdir", false);
    let url_of = |language: &str| match language == usual && !in_subdirectory {
        true => "/".to_owned(),
        false => format!("/{}/", language.to_lowercase()),
    };
    let mut languages: Vec<(String, Vec<u8>)> = (values.entries("languages").iter())
        .map(|(name, _)| (name.clone(), url_of(name).into_bytes()))
        .collect();
    if languages.is_empty() {
        languages.push((usual.clone(), url_of(&usual).into_bytes()));
    }
    let mounts: Vec<_> = values
        .list("module.mounts")
        .iter()
        .filter_map(|mount| {
            Some((
                mount.text("source")?,
                mount.text("target")?,
                mount.text("lang"),
            ))
        })
        .collect();
    let mounted = |target: &str| {
        mounts
            .iter()
            .any(|(_, to, _)| *to == target || to.starts_with(&format!("{target}/")))
    };
    let mut content: Vec<(Vec<u8>, String)> = Vec::new();
    let mut overlays: Vec<Vec<u8>> = Vec::new();
    for (source, target, language) in &mounts {
        let (first, rest) = target.split_once('/').unwrap_or((target, ""));
        let rest = if rest.is_empty() {
            String::new()
        } else {
            format!("{rest}/")
        };
        match first {
            "content" => content.push((
                directory.below(source),
                url_of(language.unwrap_or(&usual)) + &rest,
            )),
            "static" => overlays.push(directory.below(source)),
            _ => {}
        }
    }
    if !mounted("content") {
        for (name, options) in values.entries("languages") {
            if let Some(own) = options.text("contentDir") {
                content.push((directory.below(own), url_of(name)));
            }
        }
        let usual_directory = directory.below(&values.text_or("contentDir", "content")?);
        if !content.iter().any(|(known, _)| *known == usual_directory) {
            content.push((usual_directory, url_of(&usual)));
        }
    }
    let mut statics: Vec<_> = values
        .texts("staticDir")
        .map(|name| directory.below(name))
        .collect();
    if !values.has("staticDir") && !mounted("static") {
        statics.push(directory.below("static"));
    }
    overlays.append(&mut statics);
    let themes_directory = values.text_or("themesDir", "themes").unwrap_or_default();
    let mut lacks_theme = values.has("module.imports") || values.is_unknown("theme");
    for theme in values.texts("theme") {
        let theme = directory.below(&format!("{themes_directory}/{theme}"));
        lacks_theme |= !path_of(&theme).is_dir();
        overlays.push([&*theme, b"/static"].concat());
        content.push(([&*theme, b"/content"].concat(), url_of(&usual)));
    }
    let hook = "_markup/render-link.html";
    let has_hook = ["layouts/_default", "layouts"]
        .iter()
        .any(|layouts| directory.has(&format!("{layouts}/{hook}")))
        || directory.has("layouts/_markup/render-link.html");
    let links = "markup.goldmark.renderHooks.link";
    let uses_embedded = values.flag_or(&format!("{links}.enableDefault"), false)
        || values
            .text(&format!("{links}.useEmbedded"))
            .is_some_and(|when| when != "never");
    let permalinks = values
        .entries("permalinks.page")
        .iter()
        .chain(values.entries("permalinks"));
    let permalinks = permalinks
        .map(|(section, pattern)| (section.clone(), pattern.as_text().map(str::to_owned)));
    let urls: Vec<_> = languages.iter().map(|(_, url)| url.clone()).collect();
    let rules = Hugo {
        content: content.iter().map(|(root, _)| with_slash(root)).collect(),
        finds_files: has_hook || uses_embedded || lacks_theme || languages.len() > 1,
        has_own_hook: has_hook || lacks_theme,
        languages,
        keeps_case: values.flag_or("disablePathToLower", false),
        has_ugly_urls: values.flag_or("uglyURLs", false),
        permalinks: permalinks
            .filter(|(section, _)| section != "page")
            .collect(),
    };
    let mut site = SourceSite::new(directory, rules);
    site.set_base(base);
    for (root, url) in &content {
        site.add_content(root, url);
    }
    overlays
        .iter()
        .for_each(|overlay| site.add_overlay(overlay, "/"));
    let templates = [
        "archetypes",
        "layouts",
        "data",
        "i18n",
        "assets",
        "themes",
        "config",
        "resources",
        "_vendor",
    ];
    site.templates
        .extend(templates.map(|name| with_slash(&directory.below(name))));
    site.index = ["_index.md", "index.md"].map(str::to_owned).to_vec();
    site.add_made(["/", "index.xml", "sitemap.xml", "robots.txt", "404.html"]);
    site.made
        .extend(urls.iter().map(|url| normal(url).to_vec()));
    let mut taxonomies: Vec<_> = values
        .entries("taxonomies")
        .iter()
        .filter_map(|(_, name)| name.as_text().map(str::to_owned))
        .collect();
    if !values.has("taxonomies") {
        taxonomies = vec!["tags".to_owned(), "categories".to_owned()];
    }
    for url in &urls {
        site.undecided.extend(
            taxonomies
                .iter()
                .map(|name| [url, name.as_bytes(), b"/"].concat()),
        );
        site.undecided.push([url, &b"page/"[..]].concat());
    }
    // Top sections have lists.
    for (root, url) in &content {
        let names = std::fs::read_dir(path_of(root))
            .into_iter()
            .flatten()
            .flatten();
        for name in names.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let name = name.file_name().into_encoded_bytes();
            let is_bundle = path_of(&[&**root, b"/", &name].concat())
                .join("index.md")
                .exists();
            if !is_bundle {
                let segment = segment(&name, values.flag_or("disablePathToLower", false));
                site.made.insert([url.as_bytes(), &segment].concat());
                site.made
                    .insert([url.as_bytes(), &segment, b"/index.xml"].concat());
            }
        }
    }
    site.lacks_assets = lacks_theme;
    Some(site)
}

/// Returns the segment of a URL that a name becomes.
fn segment(name: &[u8], keeps_case: bool) -> Vec<u8> {
    let name = String::from_utf8_lossy(name);
    let is_kept = |character: &char| {
        character.is_alphanumeric() || "-._~ #+@%".contains(*character) || !character.is_ascii()
    };
    let dashed: String = name
        .chars()
        .filter(is_kept)
        .map(|kept| if kept == ' ' { '-' } else { kept })
        .collect();
    match keeps_case {
        true => dashed.into_bytes(),
        false => dashed.to_lowercase().into_bytes(),
    }
}

impl Hugo {
    fn path(&self, directory: &[u8]) -> Vec<u8> {
        let segments: Vec<_> = directory
            .split(|&byte| byte == b'/')
            .map(|name| segment(name, self.keeps_case))
            .collect();
        segments.join(&b'/')
    }

    /// Splits the language off a name.
    fn language<'n>(&self, name: &'n [u8]) -> (&'n [u8], Option<&[u8]>) {
        let of = |(language, url): &'_ (String, Vec<u8>)| -> Option<(usize, usize)> {
            let stem = name.strip_suffix(language.as_bytes())?.strip_suffix(b".")?;
            Some((stem.len(), url.len()))
        };
        let mut known = self.languages.iter();
        let found = known.find_map(|row| of(row).map(|(end, _)| (end, row.1.as_slice())));
        found.map_or((name, None), |(end, url)| (&name[..end], Some(url)))
    }

    /// Returns the URL that a pattern makes; `None` if the pattern has other parts.
    fn permalink(&self, pattern: &str, page: &PageParts<'_>) -> Option<Vec<u8>> {
        let mut url = String::new();
        for part in pattern.split_inclusive('/') {
            let (name, slash) = part
                .strip_suffix('/')
                .map_or((part, ""), |name| (name, "/"));
            let date = page.date.as_deref().unwrap_or_default();
            let digits = |range: std::ops::Range<usize>| date.get(range).map(str::to_owned);
            url += &match name {
                ":year" => digits(0..4)?,
                ":month" => digits(5..7)?,
                ":day" => digits(8..10)?,
                ":section" => String::from_utf8_lossy(page.section).into_owned(),
                ":sections" => String::from_utf8_lossy(page.sections).into_owned(),
                ":slug" | ":slugorcontentbasename" | ":slugorfilename" => page.slug.clone()?,
                ":filename" | ":contentbasename" => page.name.clone(),
                name if name.starts_with(':') => return None,
                name => name.to_owned(),
            };
            url += slash;
        }
        let url = self.path(url.trim_matches('/').as_bytes());
        Some([&b"/"[..], &url, b"/"].concat())
    }
}

struct PageParts<'a> {
    section: &'a [u8],
    sections: &'a [u8],
    name: String,
    slug: Option<String>,
    date: Option<String>,
}

impl SiteRules for Hugo {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        let (stem, language) = self.language(name);
        let root = language.unwrap_or(&file.root.url);
        let directory_url = [root, &self.path(directory)].concat();
        let own = up_to_slash(&file.path()).to_vec();
        let is_in_bundle = path_of(&own).join("index.md").exists() && stem != b"index";
        if !PAGES.contains(&extension) {
            return Route::CopiedTo([&*directory_url, name, b".", extension].concat());
        }
        // Pages of a bundle are resources without a URL.
        if is_in_bundle {
            return Route::Beside;
        }
        let Some(values) = file.front_matter().into_values() else {
            return Route::Computed;
        };
        if values.flag_or("draft", false) || !is_rendered(&values) || is_outdated(&values) {
            return Route::LeftOut;
        }
        let is_section = stem == b"_index";
        let slug = values.text("slug").map(str::to_owned);
        let parent = directory_url
            .strip_suffix(b"/")
            .map_or(&directory_url[..], up_to_slash);
        let mut url = match (stem, &slug) {
            (b"_index", _) => directory_url.clone(),
            (b"index", None) => directory_url.clone(),
            (b"index", Some(slug)) => [parent, &self.path(slug.as_bytes()), b"/"].concat(),
            (stem, slug) => {
                let last = slug.as_deref().map_or(stem, str::as_bytes);
                let end: &[u8] = if self.has_ugly_urls { b".html" } else { b"/" };
                [&*directory_url, &self.path(last), end].concat()
            }
        };
        let section = directory
            .split(|&byte| byte == b'/')
            .next()
            .unwrap_or_default();
        let of_section = self
            .permalinks
            .iter()
            .find(|(name, _)| name.as_bytes() == section);
        if let Some((_, pattern)) = of_section.filter(|_| !is_section && !directory.is_empty()) {
            let leaf = if stem == b"index" {
                parts(directory.strip_suffix(b"/").unwrap_or(directory)).1
            } else {
                stem
            };
            let page = PageParts {
                section,
                sections: directory.strip_suffix(b"/").unwrap_or_default(),
                name: String::from_utf8_lossy(leaf).into_owned(),
                slug: slug.clone().or_else(|| title_or(&values, leaf)),
                date: values.text("date").map(str::to_owned),
            };
            let made = pattern
                .as_deref()
                .and_then(|pattern| self.permalink(pattern, &page));
            match made {
                Some(made) => url = [root, &made[1..]].concat(),
                None => return Route::Computed,
            }
        }
        if let Some(own) = values.text("url") {
            let own = own.split_once("://").map_or(own, |(_, rest)| {
                &rest[rest.find('/').unwrap_or(rest.len())..]
            });
            // A pattern, or a function.
            if own.contains(':') {
                return Route::Computed;
            }
            url = match own.strip_prefix('/') {
                Some(_) => own.as_bytes().to_vec(),
                None => [root, own.as_bytes()].concat(),
            };
            if !url.ends_with(b"/") && parts(&url).2.is_empty() {
                url.push(b'/');
            }
        }
        let aliases = values.texts("aliases").map(|alias| {
            let above = if stem == b"index" {
                parent
            } else {
                &directory_url
            };
            let mut alias = join(above, alias.as_bytes());
            if !alias.ends_with(b"/") && parts(&alias).2.is_empty() {
                alias.push(b'/');
            }
            alias
        });
        Route::Page {
            url,
            others: aliases.collect(),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        match reference.syntax {
            Syntax::Construct("ref") => self.by_ref(reference, attempts),
            Syntax::Text if self.finds_files => {
                reference.by_url(attempts);
                match reference.path.strip_prefix(b"/") {
                    Some(below) => self
                        .content
                        .iter()
                        .for_each(|root| attempts.file(join(root, below))),
                    None => reference.beside(attempts),
                }
                if self.has_own_hook && attempts.miss == Miss::Missing {
                    attempts.miss = Miss::Undecided;
                }
            }
            _ => reference.by_url(attempts),
        }
    }
}

impl Hugo {
    /// A reference of the shortcodes `ref` and `relref`: a path of a page, with or without its
    /// extension, or the name of a page anywhere.
    fn by_ref(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path.strip_suffix(b"/").unwrap_or(reference.path);
        let ends: [&[u8]; 4] = [b"", b".md", b"/_index.md", b"/index.md"];
        let mut add = |directory: &[u8], path: &[u8]| {
            for end in ends {
                attempts.file(join(directory, &[path, end].concat()));
            }
        };
        let directory = up_to_slash(reference.file);
        if let Some(below) = path.strip_prefix(b"/") {
            self.content.iter().for_each(|root| add(root, below));
            return;
        }
        add(directory, path);
        // A leaf bundle is beside its neighbours.
        if parts(reference.file).1 == b"index" {
            add(up_to_slash(&directory[..directory.len() - 1]), path);
        }
        self.content.iter().for_each(|root| add(root, path));
        attempts.name(path.strip_suffix(b".md").unwrap_or(path));
    }
}

fn title_or(values: &Setting, name: &[u8]) -> Option<String> {
    let title = values.text("title").map(str::to_lowercase);
    title.or_else(|| Some(String::from_utf8_lossy(name).into_owned()))
}

fn is_rendered(values: &Setting) -> bool {
    let key = if values.has("build") {
        "build"
    } else {
        "_build"
    };
    let render = values.get(&format!("{key}.render"));
    !matches!(render, Some(Setting::Text(when)) if when == "never")
        && render != Some(&Setting::Flag(false))
}

/// Returns whether a page is dated in the future, or has expired.
fn is_outdated(values: &Setting) -> bool {
    let days = |key: &str| values.text(key).and_then(date).map(days_from_today);
    let starts = ["publishDate", "date"].into_iter().find_map(days);
    starts.is_some_and(|days| days > 0) || days("expiryDate").is_some_and(|days| days < 0)
}
