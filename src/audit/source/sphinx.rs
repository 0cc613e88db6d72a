//! Sphinx, with reStructuredText and MyST.

use std::sync::OnceLock;

use foldhash::HashSet;
use ignore::gitignore::Gitignore;

use super::config::{self, Setting};
use super::paths::{join, parts, up_to_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax, globs, is_excluded, start_of,
};
use crate::bytes::pattern::Pattern;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "sphinx",
    markers: &["conf.py"],
    open,
    slug: Slug::Myst,
};

struct Sphinx {
    source: Vec<u8>,
    suffixes: Vec<String>,
    excluded: Gitignore,
    /// The list of excluded files is computed.
    may_exclude: bool,
    has_html_images: bool,
    /// The names of places in all documents.
    labels: OnceLock<HashSet<Vec<u8>>>,
}

/// The value of a name that a line assigns; a name that other statements change is computed.
fn assigned(text: &str, name: &str) -> Option<Setting> {
    let mut found = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix(name) {
            let rest = rest.trim_start();
            if rest.starts_with('=') && !rest.starts_with("==") {
                let value = at + line.len() - rest.len() + 1;
                // The statement ends before a line that is not indented.
                let mut ends = text[value..]
                    .match_indices('\n')
                    .map(|(end, _)| value + end);
                let is_end = |end: &usize| {
                    let next = text[end + 1..].chars().next();
                    !next.is_some_and(|next| next.is_whitespace() || "])}".contains(next))
                };
                let end = ends.find(is_end).unwrap_or(text.len());
                found = Some(config::javascript_at(&text[..end], value));
            } else if rest.starts_with(['.', '+', '[', ':']) {
                found = Some(Setting::Unknown);
            }
        }
        at += line.len();
    }
    found
}

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let text = directory.read("conf.py").unwrap_or_default();
    // Comments and words of Python become those that the reader of literals knows.
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let text = lines.flat_map(|line| [line, "\n"]).collect::<String>();
    let is_sphinx = assigned(&text, "extensions").is_some()
        || assigned(&text, "html_theme").is_some()
        || directory.has("index.rst")
        || directory.has("index.md");
    if !is_sphinx && !directory.is_given {
        return None;
    }
    let value = |name: &str| {
        assigned(&text, name)
            .unwrap_or(Setting::Null)
            .into_member("value")
    };
    let texts = |name: &str| {
        value(name)
            .texts("value")
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut suffixes = texts("source_suffix");
    let by_suffix = value("source_suffix");
    suffixes.extend(
        by_suffix
            .entries("value")
            .iter()
            .map(|(suffix, _)| suffix.clone()),
    );
    if suffixes.is_empty() {
        suffixes.push(".rst".to_owned());
    }
    for (extension, suffix) in [
        ("myst", ".md"),
        ("recommonmark", ".md"),
        ("myst_nb", ".ipynb"),
    ] {
        if text.contains(extension) && !suffixes.iter().any(|known| known == suffix) {
            suffixes.push(suffix.to_owned());
        }
    }
    let excludes = texts("exclude_patterns");
    let excludes = excludes.iter().map(|glob| match glob.starts_with("**/") {
        true => glob.clone(),
        false => format!("/{glob}"),
    });
    let excludes: Vec<_> = excludes.collect();
    let rules = Sphinx {
        source: directory.path.to_vec(),
        suffixes,
        excluded: globs(directory.path, excludes.iter().map(String::as_str)),
        may_exclude: value("exclude_patterns").is_unknown("value"),
        has_html_images: text.contains("html_image"),
        labels: OnceLock::new(),
    };
    let mut site = SourceSite::new(directory, rules);
    site.is_base_assumed = true;
    site.schemes = &["project:", "path:"];
    site.add_content(directory.path, "/");
    for (name, url) in [("html_extra_path", "/"), ("html_static_path", "/_static/")] {
        let paths = texts(name);
        paths
            .iter()
            .for_each(|path| site.add_overlay(&directory.below(path), url));
    }
    let templates = texts("templates_path");
    let templates = templates
        .iter()
        .map(|path| [&*directory.below(path), b"/"].concat());
    site.templates.extend(templates);
    site.templates.push([directory.path, b"_build/"].concat());
    site.add_made([
        "genindex.html",
        "search.html",
        "modindex.html",
        "py-modindex.html",
        "objects.inv",
    ]);
    let pages = value("html_additional_pages");
    let pages = pages
        .entries("value")
        .iter()
        .map(|(page, _)| format!("{page}.html"));
    let pages: Vec<_> = pages.collect();
    site.add_made(pages.iter().map(String::as_str));
    let made = [
        "/_modules/",
        "/_sources/",
        "/_images/",
        "/_downloads/",
        "/_static/",
    ];
    site.undecided.extend(made.map(Vec::from));
    // Pages and ids of other extensions.
    let writers = [
        "autosummary_generate",
        "autoapi",
        "sphinx_gallery",
        "breathe",
        "exhale",
        "apidoc",
    ];
    site.makes_pages = writers.iter().any(|name| text.contains(name));
    site.has_other_ids = site.makes_pages || text.contains("autodoc");
    Some(site)
}

static LABEL: Pattern = Pattern::new(
    r"(?m)^[ \t]*(?:\(([^)\n]+)\)=|\.\. _([^:\n]+):|:(?:name|label):[ \t]*([^\n]+))|\{#([^}\s]+)",
);

impl Sphinx {
    fn is_document(&self, path: &[u8]) -> bool {
        self.suffixes
            .iter()
            .any(|suffix| path.ends_with(suffix.as_bytes()))
    }

    fn labels(&self) -> HashSet<Vec<u8>> {
        let mut labels = HashSet::default();
        let mut open = vec![self.source.clone()];
        while let Some(directory) = open.pop() {
            let entries = std::fs::read_dir(path_of(&directory));
            for entry in entries.into_iter().flatten().flatten() {
                let name = entry.file_name().into_encoded_bytes();
                let path = [&*directory, &*name].concat();
                let is_hidden = name.starts_with(b".") || name.starts_with(b"_");
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.extend((!is_hidden).then(|| [&*path, b"/"].concat()));
                } else if self.is_document(&path) {
                    let text = start_of(&path, MAX_DOCUMENT).unwrap_or_default();
                    for found in LABEL.captures_iter(&text) {
                        let names = found.iter().skip(1).flatten();
                        labels.extend(names.map(|name| label(name.as_bytes())));
                    }
                }
            }
        }
        labels
    }

    fn directory<'r>(&'r self, reference: &SiteReference<'r>) -> &'r [u8] {
        match reference.path {
            [b'/', ..] => &self.source,
            _ => up_to_slash(reference.file),
        }
    }
}

/// The part of a document in which labels are read, in bytes.
const MAX_DOCUMENT: u64 = 1 << 20;

/// Returns whether a path may be the dotted name of an object instead of the name of a file.
fn is_object(path: &[u8]) -> bool {
    static OBJECT: Pattern = Pattern::new(r"^[A-Za-z_]\w*(\.\w+)*\.[A-Za-z_]\w*$");
    static FILE: Pattern = Pattern::new(
        r"(?i)\.(css|csv|gif|gz|html?|ipynb|jpe?g|js|json|md|pdf|png|py|rst|svg|toml|txt|webp|ya?ml|zip)$",
    );
    OBJECT.is_match(path) && !FILE.is_match(path)
}

fn label(name: &[u8]) -> Vec<u8> {
    name.trim_ascii().to_ascii_lowercase()
}

impl SiteRules for Sphinx {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let path = file.path();
        if !self.is_document(&path) {
            return Route::Beside;
        }
        if self.may_exclude || is_excluded(&self.excluded, &path) {
            return Route::Plain;
        }
        let (directory, name, _) = file.parts();
        let url = [b"/", directory, name].concat();
        // The builder may make directories.
        Route::Page {
            others: vec![[&*url, b"/"].concat()],
            url: [&*url, b".html"].concat(),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let below = reference.path.strip_prefix(b"/").unwrap_or(reference.path);
        let directory = self.directory(reference);
        let target = match (reference.syntax, directory.strip_prefix(&*self.source)) {
            // Names of documents do not leave the source directory.
            (Syntax::Construct("doc" | "toctree"), Some(inside)) => {
                let name = join(&[b"/", inside].concat(), below);
                [&*self.source, &name[1..]].concat()
            }
            _ => join(directory, below),
        };
        let is_markdown = parts(reference.file).2 == b"md";
        match reference.syntax {
            Syntax::Text if !is_markdown => self.by_url(reference, attempts),
            Syntax::Html | Syntax::Component => {
                self.by_url(reference, attempts);
                if reference.is_image && self.has_html_images {
                    attempts.part(target);
                }
            }
            Syntax::Construct("reference" | "target" | "raw") => self.by_url(reference, attempts),
            _ => {
                for suffix in &self.suffixes {
                    attempts.file([&*target, suffix.as_bytes()].concat());
                }
                // A document with its suffix, or a file.
                attempts.part(target);
                // Pages that the builder makes.
                if let b"genindex" | b"modindex" | b"search" = below {
                    attempts.url([b"/", below, b".html"].concat());
                }
                // Else MyST looks for a label, and for an object of any domain.
                if is_markdown && (self.has_label(reference.path) || is_object(reference.path)) {
                    attempts.miss = Miss::Undecided;
                }
            }
        }
    }

    fn has_label(&self, name: &[u8]) -> bool {
        self.labels
            .get_or_init(|| self.labels())
            .contains(&label(name))
    }
}

impl Sphinx {
    /// URLs fit the pages of one builder or the other.
    fn by_url(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        reference.by_url(attempts);
        let stem = reference.url.and_then(|url| url.strip_suffix(b".html"));
        if let Some(stem) = stem.filter(|stem| !stem.ends_with(b"/index")) {
            let url = [stem, b"/"].concat();
            let page = SiteReference {
                url: Some(&url),
                ..*reference
            };
            page.by_url(attempts);
        }
    }
}
