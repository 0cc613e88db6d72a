//! Sphinx, with reStructuredText and MyST.

use std::sync::OnceLock;

use foldhash::HashSet;

use super::site::*;

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

/// The end of a statement: the line after it is not indented.
static END: Pattern = Pattern::new(r"\n[^\s\])}]");

/// The value of a name that a line assigns; a name that other statements change is computed.
fn assigned(text: &str, name: &str) -> Option<Setting> {
    let starts = text.match_indices(name);
    let starts = starts.filter(|(at, _)| *at == 0 || text[..*at].ends_with('\n'));
    let values = starts.filter_map(|(at, name)| {
        let rest = text[at + name.len()..].trim_start();
        let value = rest.strip_prefix('=');
        if let Some(value) = value.filter(|value| !value.starts_with('=')) {
            let end = END.find(value.as_bytes());
            let end = end.map_or(value.len(), |end| end.start());
            return Some(config::javascript_at(&value[..end], 0));
        }
        rest.starts_with(['.', '+', '[', ':'])
            .then_some(Setting::Unknown)
    });
    values.last()
}

/// Extensions, and the suffixes of the documents that they read.
const SUFFIXES: [(&str, &str); 3] = [
    ("myst", ".md"),
    ("recommonmark", ".md"),
    ("myst_nb", ".ipynb"),
];

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let text = directory.read("conf.py").unwrap_or_default();
    // Comments and words of Python become those that the reader of literals knows.
    let lines = text.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with('#'));
    let text = lines.flat_map(|line| [line, "\n"]).collect::<String>();
    let value = |name: &str| assigned(&text, name);
    let has_settings = value("extensions").is_some() || value("html_theme").is_some();
    let is_sphinx = has_settings || directory.has("index.rst") || directory.has("index.md");
    directory.require(is_sphinx)?;
    let value = |name: &str| value(name).unwrap_or(Setting::Null);
    let by_suffix = value("source_suffix");
    let mut suffixes = by_suffix.strings("");
    suffixes.extend(by_suffix.keys("").map(str::to_owned));
    if suffixes.is_empty() {
        suffixes.push(".rst".to_owned());
    }
    for (extension, suffix) in SUFFIXES {
        if text.contains(extension) && !suffixes.iter().any(|known| known == suffix) {
            suffixes.push(suffix.to_owned());
        }
    }
    let excludes = value("exclude_patterns");
    site.is_base_assumed = true;
    site.schemes = &["project:", "path:"];
    site.add_content(directory.path, "/");
    for (name, url) in [("html_extra_path", "/"), ("html_static_path", "/_static/")] {
        for path in value(name).texts("") {
            site.add_overlay(&directory.below(path), url);
        }
    }
    site.add_templates(directory.path, value("templates_path").texts(""));
    // A separate directory of sources has the output beside it.
    let is_separate = directory.path.ends_with(b"/source/");
    let beside = is_separate.then_some(["../build", "../_build"]);
    site.add_outputs(directory.path, beside.iter().flatten().chain(&["_build"]));
    let pages = value("html_additional_pages");
    // The builder may make directories.
    let made = MADE.split(' ').chain(pages.keys(""));
    site.add_made(made.flat_map(|page| [format!("{page}.html"), page.to_owned()]));
    site.add_made(["objects.inv"]);
    site.add_undecided("/_modules/ /_sources/ /_images/ /_downloads/ /_static/".split(' '));
    // Pages and ids of other extensions.
    let writers = "autosummary_generate autoapi sphinx_gallery breathe exhale apidoc";
    site.makes_pages = config::names_any(&text, writers);
    site.has_other_ids = site.makes_pages || text.contains("autodoc");
    Some(Box::new(Sphinx {
        source: directory.path.to_vec(),
        suffixes,
        excluded: anchored_globs(directory.path, excludes.texts("")),
        may_exclude: excludes == Setting::Unknown,
        has_html_images: text.contains("html_image"),
        labels: OnceLock::new(),
    }))
}

/// Pages that any project has.
const MADE: &str = "genindex search modindex py-modindex";

static LABEL: Pattern = Pattern::new(
    r"(?m)^[ \t]*(?:\(([^)\n]+)\)=|\.\. _([^:\n]+):|:(?:name|label):[ \t]*([^\n]+))|\{#([^}\s]+)",
);

impl Sphinx {
    fn is_document(&self, path: &[u8]) -> bool {
        let mut suffixes = self.suffixes.iter();
        suffixes.any(|suffix| path.ends_with(suffix.as_bytes()))
    }

    fn labels(&self) -> HashSet<Vec<u8>> {
        let mut labels = HashSet::default();
        let is_wanted = |path: &[u8]| !matches!(last_name(path), [b'.' | b'_', ..]);
        for path in files_below(&self.source, is_wanted) {
            if self.is_document(&path) {
                let text = start_of(&path, MAX_DOCUMENT).unwrap_or_default();
                for found in LABEL.captures_iter(&text) {
                    let names = found.iter().skip(1).flatten();
                    labels.extend(names.map(|name| label(name.as_bytes())));
                }
            }
        }
        labels
    }
}

static OBJECT: Pattern = Pattern::new(r"^[A-Za-z_]\w*(\.\w+)*\.[A-Za-z_]\w*$");
static FILE: Pattern = Pattern::new(
    r"(?i)\.(css|csv|gif|gz|html?|ipynb|jpe?g|js|json|md|pdf|png|py|rst|svg|toml|txt|webp|ya?ml|zip)$",
);

/// Returns whether a path may be the dotted name of an object instead of the name of a file.
fn is_object(path: &[u8]) -> bool {
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
        // The builder may make directories.
        let url = |end| page_url(file.below, &[], end);
        Route::page_at(url(".html"), [url("/")])
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let below = reference.path.strip_prefix(b"/");
        let directory = below.map_or(up_to_slash(reference.file), |_| &self.source);
        let below = below.unwrap_or(reference.path);
        let target = match (reference.syntax, directory.strip_prefix(&*self.source)) {
            // Names of documents do not leave the source directory.
            (Syntax::Construct("doc" | "toctree"), Some(inside)) => {
                let name = join(&[b"/", inside].concat(), below);
                join(&self.source, &name[1..])
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
                let is_document = matches!(reference.syntax, Syntax::Construct("doc" | "toctree"));
                let is_left_out = |file: &[u8]| is_document && is_excluded(&self.excluded, file);
                let is_link = reference.syntax == Syntax::Text && !reference.is_image;
                let is_name = is_document || is_link && reference.is_bare;
                let suffixes = self.suffixes.iter().filter(|_| is_name);
                let files = suffixes.map(|suffix| [&*target, suffix.as_bytes()].concat());
                files
                    .filter(|file| !is_left_out(file))
                    .for_each(|file| attempts.file(file));
                // A document with its suffix, or a file; the role names documents only.
                let is_role = reference.syntax == Syntax::Construct("doc");
                if !is_role && !is_left_out(&target) {
                    attempts.part(target);
                }
                // Pages that the builder makes.
                if let b"genindex" | b"modindex" | b"search" = below {
                    attempts.url([b"/", below, b".html"].concat());
                }
                // Else MyST looks for a label, and for an object of any domain.
                let is_other = || self.has_label(reference.path) || is_object(reference.path);
                attempts.undecided_if(is_markdown && is_other());
            }
        }
    }

    fn has_label(&self, name: &[u8]) -> bool {
        let labels = self.labels.get_or_init(|| self.labels());
        labels.contains(&label(name))
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
