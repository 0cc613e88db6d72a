//! VitePress.

use ignore::gitignore::Gitignore;

use super::paths::{join, parts, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax, anchored_globs, is_excluded,
};
use crate::document::options::Slug;

pub(super) static GENERATOR: Generator = Generator {
    name: "vitepress",
    markers: &[".vitepress"],
    open,
    slug: Slug::VitePress,
};

struct VitePress {
    source: Vec<u8>,
    excluded: Gitignore,
    /// Pages by their paths below the source, and their new paths; a pattern has segments that begin with `:`.
    rewrites: Vec<(String, String)>,
    /// Rewrites are computed.
    moves_pages: bool,
}

const CONFIGURATIONS: [&str; 4] = ["config.js", "config.ts", "config.mjs", "config.mts"];

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let paths = CONFIGURATIONS.map(|name| format!(".vitepress/{name}"));
    let nested = CONFIGURATIONS
        .map(|name| format!(".vitepress/config/{}", name.replacen("config", "index", 1)));
    let names: Vec<_> = paths.iter().chain(&nested).map(String::as_str).collect();
    let values = directory.configuration(&names)?;
    // An unknown directory may be any: nothing is decided.
    let source = with_slash(&directory.below(&values.text_or("srcDir", ".")?));
    let rewrites = values.entries("rewrites").iter();
    let rewrites = rewrites.filter_map(|(from, to)| Some((from.clone(), to.as_text()?.to_owned())));
    let rules = VitePress {
        source: source.clone(),
        excluded: anchored_globs(&source, values.texts("srcExclude")),
        rewrites: rewrites.collect(),
        moves_pages: values.is_unknown("rewrites"),
    };
    let mut site = SourceSite::new(directory, rules);
    site.set_base(values.text_or("base", "/"));
    site.add_content(&source, "/");
    site.add_overlay(&[&source, &b"public/"[..]].concat(), "/");
    site.templates
        .push([directory.path, b".vitepress/"].concat());
    if let Some(output) = values.text("outDir") {
        site.templates.push(with_slash(&directory.below(output)));
    }
    site.add_made(["404.html", "404"]);
    site.undecided.push(b"/assets/".to_vec());
    site.has_other_ids = values.has("markdown.anchor.slugify") || values.is_unknown("markdown");
    Some(site)
}

impl VitePress {
    /// Returns the path of a page by the rewrites; `None` if it is computed.
    fn rewritten(&self, below: &str) -> Option<String> {
        let by_rule = |(from, to): &(String, String)| {
            let mut values: Vec<(&str, String)> = Vec::new();
            let (mut path, pattern) = (below.split('/'), from.split('/'));
            for segment in pattern {
                let own = path.next()?;
                match segment.strip_prefix(':') {
                    Some(name) if name.ends_with('*') => {
                        let rest: Vec<_> = std::iter::once(own).chain(path.by_ref()).collect();
                        values.push((name.trim_end_matches('*'), rest.join("/")));
                    }
                    Some(name) => {
                        let (name, end) = name.split_at(name.find('.').unwrap_or(name.len()));
                        values.push((name, own.strip_suffix(end)?.to_owned()));
                    }
                    None if segment == own => {}
                    None => return None,
                }
            }
            if path.next().is_some() {
                return None;
            }
            let mut new = to.clone();
            for (name, value) in values {
                new = new
                    .replace(&format!(":{name}*"), &value)
                    .replace(&format!(":{name}"), &value);
            }
            Some(new)
        };
        match self.moves_pages {
            true => None,
            false => Some(
                self.rewrites
                    .iter()
                    .find_map(by_rule)
                    .unwrap_or_else(|| below.to_owned()),
            ),
        }
    }
}

impl SiteRules for VitePress {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (_, name, extension) = file.parts();
        if extension != b"md" {
            return Route::Beside;
        }
        if is_excluded(&self.excluded, &file.path()) {
            return Route::LeftOut;
        }
        let Ok(below) = str::from_utf8(file.below) else {
            return Route::Computed;
        };
        if name.starts_with(b"[") {
            return Route::ComputedBelow([b"/", file.parts().0].concat());
        }
        let Some(below) = self.rewritten(below) else {
            return Route::Computed;
        };
        let (directory, name, _) = parts(below.as_bytes());
        Route::page(match name {
            b"index" => [b"/", directory].concat(),
            _ => [b"/", directory, name, b".html"].concat(),
        })
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        if let Syntax::Construct(name) = reference.syntax {
            let path = match path.strip_prefix(b"@/") {
                Some(below) => join(&self.source, below),
                None => join(up_to_slash(reference.file), path),
            };
            return match name {
                "link" => page(reference, attempts, &[b"md", b"html"]),
                "image" => image(reference, attempts),
                _ => attempts.part(path),
            };
        }
        if reference.is_image {
            image(reference, attempts);
        } else if reference.syntax == Syntax::Text {
            page(reference, attempts, &[b"md", b"html"]);
        } else {
            page(reference, attempts, &[b"html"]);
        }
        if self.moves_pages {
            attempts.miss = Miss::Undecided;
        }
    }
}

/// An image is imported from its place, or served from the overlay.
fn image(reference: &SiteReference<'_>, attempts: &mut Attempts) {
    match reference.path.strip_prefix(b"/") {
        Some(_) => reference.below_base(attempts),
        None => reference.beside(attempts),
    }
}

/// A page may be named with an extension, without one, and with a slash.
fn page(reference: &SiteReference<'_>, attempts: &mut Attempts, extensions: &[&[u8]]) {
    let url = match (reference.path, reference.url) {
        ([b'/', ..], _) => join(b"/", reference.path),
        (_, Some(url)) => join(up_to_slash(url), reference.path),
        (_, None) => return attempts.miss = Miss::Undecided,
    };
    attempts.url(url.clone());
    let (directory, name, extension) = parts(&url);
    let mut stem = url.strip_suffix(b"/").unwrap_or(&url).to_vec();
    if extensions.contains(&extension) {
        stem = [directory, name].concat();
    } else if extension == b"md" {
        return;
    }
    if stem.ends_with(b"/index") {
        attempts.url(stem[..stem.len() - 5].to_vec());
    }
    attempts.url([&*stem, b".html"].concat());
    if !matches!(reference.path, [b'/', ..]) {
        reference.beside_asset(attempts);
    }
}
