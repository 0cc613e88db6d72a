//! Docsify.

use regex::bytes::Regex;

use super::config::{self, Setting};
use super::paths::{join, parts, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax,
};
use crate::document::options::Slug;

pub(super) static GENERATOR: Generator = Generator {
    name: "docsify",
    markers: &["index.html"],
    open,
    slug: Slug::Docsify,
};

struct Docsify {
    /// The directory of the page that renders the others.
    top: Vec<u8>,
    root: Vec<u8>,
    homepage: String,
    extension: String,
    /// Links are relative to the file.
    is_relative: bool,
    /// Routes that other files serve.
    aliases: Vec<Regex>,
    /// Files come from elsewhere, too.
    is_open: bool,
}

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    // Other sites have an index in each directory.
    let names = directory.tree.names(directory.path);
    let has_text = names
        .iter()
        .any(|name| name.ends_with(".md") || name == ".nojekyll");
    if !has_text && !directory.is_given {
        return None;
    }
    let text = directory.read("index.html").unwrap_or_default();
    let options = text.find("$docsify").map(|at| at + "$docsify".len());
    let is_docsify =
        options.is_some() || text.contains("docsify.min.js") || text.contains("docsify.js");
    if !is_docsify && !directory.is_given {
        return None;
    }
    let value = options.and_then(|at| Some(at + text[at..].find('=')? + 1));
    let values = value.map_or(Setting::Null, |at| {
        let end = text[at..]
            .find("</script")
            .map_or(text.len(), |end| at + end);
        config::javascript_at(&text[..end], at)
    });
    let base = values.text_or("basePath", ".");
    let is_remote = base.as_ref().is_none_or(|base| base.contains("//"));
    let base = base
        .filter(|_| !is_remote)
        .unwrap_or_else(|| ".".to_owned());
    let root = with_slash(&directory.below(base.trim_start_matches('/')));
    let aliases = values.entries("alias").iter();
    let aliases = aliases.filter_map(|(from, _)| Regex::new(&format!("^(?:{from})$")).ok());
    let elsewhere = ["fallbackLanguages", "routes"];
    let rules = Docsify {
        top: directory.path.to_vec(),
        root: root.clone(),
        homepage: values.text_or("homepage", "README.md").unwrap_or_default(),
        extension: values.text_or("ext", ".md").unwrap_or_default(),
        is_relative: values.flag_or("relativePath", false),
        aliases: aliases.collect(),
        is_open: is_remote
            || elsewhere.iter().any(|key| values.has(key))
            || values.is_unknown("alias"),
    };
    let mut site = SourceSite::new(directory, rules);
    site.add_content(&root, "/");
    if root != directory.path {
        site.add_content(directory.path, "/");
    }
    site.has_routes = true;
    Some(site)
}

impl SiteRules for Docsify {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        match file.parts().2 {
            b"md" => Route::page([b"/", file.below].concat()),
            _ => Route::Copied,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let below = path.strip_prefix(b"/").unwrap_or(path);
        let beside = up_to_slash(reference.file);
        let is_page = reference.syntax == Syntax::Construct("route")
            || reference.syntax == Syntax::Text && !reference.is_image;
        if !is_page {
            // An image of Markdown is beside the file, raw HTML is of the page that renders it.
            let is_beside = reference.syntax == Syntax::Text && !path.starts_with(b"/");
            return attempts.file(join(if is_beside { beside } else { &self.top }, below));
        }
        let is_relative = self.is_relative
            && !path.starts_with(b"/")
            && reference.syntax != Syntax::Construct("route");
        let directory = if is_relative { beside } else { &self.root };
        if below.is_empty() {
            attempts.file(join(&self.root, self.homepage.as_bytes()));
        }
        if below.is_empty() || below.ends_with(b"/") {
            attempts.file(join(directory, &[below, b"README.md"].concat()));
        } else {
            attempts.file(join(
                directory,
                &[below, self.extension.as_bytes()].concat(),
            ));
            attempts.file(join(directory, below));
            // A plain URL.
            attempts.file(join(&self.top, below));
        }
        let route = [b"/", below].concat();
        let is_alias = |route: &[u8]| self.aliases.iter().any(|alias| alias.is_match(route));
        let name = parts(reference.file).1;
        let is_of_each = is_relative && [&b"_sidebar"[..], b"_navbar"].contains(&name);
        if self.is_open || is_of_each || is_alias(&route) || is_alias(&[&*route, b".md"].concat()) {
            attempts.miss = Miss::Undecided;
        }
    }
}
