//! Zola.

use unicode_normalization::UnicodeNormalization;

use super::site::*;

struct Zola {
    values: Setting,
    ignored: Gitignore,
}

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let values = directory.configuration(["zola.toml", "config.toml"])?;
    let is_zola = values.has("base_url") && directory.has("content");
    directory.require(is_zola)?;
    let content = directory.folder("content");
    site.set_base(values.text_or("base_url", "/"));
    site.add_content(&content, "/");
    site.add_overlay(&directory.below("static"), "/");
    if let Some(theme) = values.text("theme") {
        let theme = directory.folder(format!("themes/{theme}"));
        site.lacks_assets = !path_of(&theme).is_dir();
        site.add_overlay(&join(&theme, b"static"), "/");
    }
    site.add_templates(directory.path, ["templates", "themes", "sass"]);
    site.add_outputs(directory.path, values.text_or("output_dir", "public"));
    site.add_made(["sitemap.xml", "robots.txt", "404.html"]);
    let mut feeds: Vec<_> = values.texts("feed_filenames").collect();
    feeds.extend(values.texts("feed_filename"));
    if feeds.is_empty() {
        feeds.push("atom.xml");
    }
    let mut generates = ["generate_feeds", "generate_feed"].iter();
    let has_feeds = generates.any(|key| values.flag_or(key, false) || values.is_unknown(key));
    let taxonomies = values.list("taxonomies").iter();
    let taxonomies: Vec<_> = taxonomies.filter_map(|row| row.text("name")).collect();
    for language in values.keys("languages").chain([""]) {
        let root = in_slashes(language);
        let feeds = feeds.iter().filter(|_| has_feeds);
        site.add_made(feeds.map(|feed| format!("{root}{feed}")));
        let names = taxonomies.iter().map(|name| Slug::Zola.of_text(name));
        site.add_undecided(names.map(|name| format!("{root}{name}/")));
        site.add_made([root]);
    }
    if values.flag_or("compile_sass", false) {
        let names = directory.tree.names(&directory.below("sass"));
        let stems = names.iter().filter_map(|name| name.strip_suffix(".scss"));
        site.add_made(stems.map(|stem| format!("{stem}.css")));
    }
    Some(Box::new(Zola {
        ignored: globs(&content, values.texts("ignored_content")),
        values,
    }))
}

/// The date at the start of a name.
static DATE: Pattern =
    Pattern::new(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?[_-](.+)");
/// The URL of a page of a list.
static LISTED: Pattern = Pattern::new(r"(?:^|/)page/");
/// The characters that `slugify.paths = "safe"` replaces.
static UNSAFE: Pattern = Pattern::new(r#"[<>:/|?*#() \t"\\]"#);

/// The segment of a URL that is not known; no path has this byte.
const TRANSLITERATED: u8 = 0;

/// Returns whether a text has letters of other scripts, which the generator writes in ASCII.
fn is_transliterated(text: &str) -> bool {
    let is_other = |other: char| other.is_alphanumeric() && !other.is_ascii() && other != 'ß';
    text.nfkd().any(is_other)
}

impl Zola {
    fn segment(&self, name: &[u8]) -> Vec<u8> {
        match self.values.text("slugify.paths").unwrap_or_default() {
            "safe" => UNSAFE.replace_all(name, b"_").into_owned(),
            "off" => name.to_vec(),
            _ => match &*String::from_utf8_lossy(name) {
                name if is_transliterated(name) => vec![TRANSLITERATED],
                name => Slug::Zola.of_text(name).into_bytes(),
            },
        }
    }

    /// Returns the URL of a page or a section with its front matter.
    fn url(&self, directory: &[u8], stem: &str, values: &Setting) -> Vec<u8> {
        let is_known =
            |language: &str| self.values.keys("languages").any(|known| known == language);
        let split = stem.rsplit_once('.').filter(|(_, end)| is_known(end));
        let (name, language) = split.unwrap_or((stem, ""));
        let root = in_slashes(language);
        if let Some(path) = values.text("path") {
            return [&root, &in_slashes(path)[1..]].concat().into_bytes();
        }
        let (directory, name) = match name {
            "_index" => (directory, &b""[..]),
            "index" => (above(directory), last_name(directory)),
            name => (directory, name.as_bytes()),
        };
        let directory = renamed(directory, |name| self.segment(name));
        let mut url = [root.as_bytes(), &directory].concat();
        if !name.is_empty() {
            let dated = DATE.group_at(name, 0);
            let bare = dated.map_or(name, |[_, rest]| &name[rest]);
            url.extend(self.segment(values.text("slug").map_or(bare, str::as_bytes)));
            url.push(b'/');
        }
        url
    }

    /// Returns the URL of a file that belongs to a page or a section beside it, or to a page above.
    fn of_asset(&self, asset: &ContentFile<'_>) -> Option<Vec<u8>> {
        let (root, below) = (&asset.root.directory, asset.below);
        let mut directory = up_to_slash(below);
        let mut names = &["index", "_index"][..];
        loop {
            for name in names {
                let file = [root, directory, name.as_bytes(), b".md"].concat();
                if path_of(&file).is_file() {
                    let values = front_matter(&file).filter(|values| *values != Setting::Null)?;
                    let url = self.url(directory, name, &values);
                    return Some([&url, &below[directory.len()..]].concat());
                }
            }
            names = &["index"];
            directory = up_to_slash(directory.strip_suffix(b"/")?);
        }
    }
}

impl SiteRules for Zola {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, extension) = file.parts();
        if is_excluded(&self.ignored, &file.path()) {
            return Route::LeftOut;
        }
        if extension != b"md" {
            let url = self.of_asset(file);
            return url.map_or(Route::LeftOut, Route::CopiedTo);
        }
        let front = file.values().filter(|values| *values != Setting::Null);
        let (Ok(stem), Some(values)) = (str::from_utf8(name), front) else {
            return Route::Computed;
        };
        let is_index = stem.starts_with("index") || stem.starts_with("_index");
        let is_part = !is_index && file.has_beside("index.md");
        if is_part || values.flag_or("draft", false) {
            return Route::LeftOut;
        }
        if !values.flag_or("render", true) {
            return Route::Beside;
        }
        let others = values.texts("aliases").map(|alias| {
            let end = if alias.ends_with(".html") { "" } else { "/" };
            format!("/{}{end}", alias.trim_matches('/')).into_bytes()
        });
        let url = self.url(directory, stem, &values);
        match memchr::memchr(TRANSLITERATED, &url) {
            None => Route::page_at(url, others),
            Some(_) if values.has("aliases") => Route::ComputedBelow(b"/".to_vec()),
            Some(at) => Route::ComputedBelow(url[..at].to_vec()),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        match reference.path.strip_prefix(b"@/") {
            Some(below) if reference.syntax == Syntax::Text => {
                attempts.file(reference.in_content(below));
            }
            _ => {
                reference.by_url(attempts);
                attempts.undecided_if(LISTED.is_match(reference.path));
            }
        }
    }

    fn has_other_ids(&self, path: &[u8]) -> bool {
        let text = start_of(path, MAX_DOCUMENT).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut headings = text.lines().filter(|line| line.starts_with('#'));
        headings.any(is_transliterated)
    }
}
