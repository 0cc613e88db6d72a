//! VitePress.

use super::site::*;

struct VitePress {
    excluded: Gitignore,
    /// Pages by their paths below the source, and their new paths; a pattern has segments that begin with `:`.
    rewrites: Vec<(String, String)>,
    /// Rewrites are computed, or more than segments.
    moves_pages: bool,
}

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let stems = [".vitepress/config", ".vitepress/config/index"];
    let names = stems.into_iter().flat_map(module_names);
    let values = directory.configuration(names.clone())?;
    site.listed.file = directory.first(names);
    site.listed.key = "themeConfig";
    let locales = values.entries("locales").iter().map(|(_, locale)| locale);
    for values in std::iter::once(&values).chain(locales) {
        for key in ["themeConfig.nav", "themeConfig.sidebar"] {
            site.listed.add(values.get(key), "link", "");
        }
    }
    let source = directory.content(site, &values, "srcDir", ".");
    let rewrites = values.entries("rewrites").iter();
    let rewrites = rewrites.filter_map(|(from, to)| Some((from.clone(), to.as_text()?.to_owned())));
    site.set_base(values.text_or("base", "/"));
    site.add_content(&source, "/");
    site.add_overlay(&join(&source, b"public"), "/");
    site.add_templates(directory.path, [".vitepress"]);
    site.add_outputs(directory.path, values.text_or("outDir", ".vitepress/dist"));
    site.add_made(["404.html", "404"]);
    site.add_undecided(["/assets/"]);
    site.has_other_ids = values.has("markdown.anchor.slugify") || values.is_unknown("markdown");
    // Other patterns of path-to-regexp are not read.
    let is_expression = |from: &str| from.contains(['(', '{', '?', '+', '\\']);
    Some(Box::new(VitePress {
        excluded: anchored_globs(&source, values.texts("srcExclude")),
        rewrites: rewrites.collect(),
        moves_pages: values.is_unknown("rewrites") || values.keys("rewrites").any(is_expression),
    }))
}

/// Returns the path of a page by a rewrite, if it matches.
fn rewritten(below: &str, from: &str, to: &str) -> Option<String> {
    let mut values: Vec<(&str, String)> = Vec::new();
    let mut path = below.split('/');
    for segment in from.split('/') {
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
    let replace = |new: String, (name, value): (&str, String)| {
        let new = new.replace(&format!(":{name}*"), &value);
        new.replace(&format!(":{name}"), &value)
    };
    let is_whole = path.next().is_none();
    is_whole.then(|| values.into_iter().fold(to.to_owned(), replace))
}

impl SiteRules for VitePress {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        if file.parts().2 != b"md" {
            return Route::Beside;
        }
        if is_excluded(&self.excluded, &file.path()) {
            return Route::LeftOut;
        }
        if let Some(route) = file.parameters() {
            return route;
        }
        match str::from_utf8(file.below) {
            Ok(below) if !self.moves_pages => {
                let mut rules = self.rewrites.iter();
                let new = rules.find_map(|(from, to)| rewritten(below, from, to));
                let path = new.as_deref().unwrap_or(below);
                Route::page_of(path.as_bytes(), &["index"], ".html")
            }
            _ => Route::Computed,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        match reference.syntax {
            Syntax::Construct("link") => return page(reference, attempts, &[b"md", b"html"]),
            Syntax::Construct("image") => return image(reference, attempts),
            Syntax::Construct(_) => {
                let alias = reference.path.strip_prefix(b"@/");
                let path = alias.map(|below| reference.in_content(below));
                return attempts.part(path.unwrap_or_else(|| reference.file_beside()));
            }
            _ if reference.is_image => return image(reference, attempts),
            Syntax::Text => page(reference, attempts, &[b"md", b"html"]),
            _ => match &reference.site.base {
                None => attempts.miss = Miss::Undecided,
                Some(base) => {
                    // HTML names the base itself, a component may not.
                    let below = reference.path.strip_prefix(&base[..base.len() - 1]);
                    let below = below.filter(|below| below.starts_with(b"/"));
                    let is_html = reference.syntax == Syntax::Html;
                    if is_html && below.is_none() && reference.path.starts_with(b"/") {
                        return attempts.miss = Miss::OutsideSite;
                    }
                    let path = below.unwrap_or(reference.path);
                    page(&reference.at(path), attempts, &[b"html"]);
                }
            },
        }
        attempts.undecided_if(self.moves_pages);
    }
}

/// An image is imported from its place, or served from the overlay.
fn image(reference: &SiteReference<'_>, attempts: &mut Attempts) {
    match reference.path {
        [b'/', ..] => reference.below_base(attempts),
        _ => reference.beside(attempts),
    }
}

/// A page may be named with an extension, without one, and with a slash.
fn page(reference: &SiteReference<'_>, attempts: &mut Attempts, extensions: &[&[u8]]) {
    let is_absolute = reference.path.starts_with(b"/");
    let Some(own) = reference.url.or(is_absolute.then_some(b"/")) else {
        return attempts.miss = Miss::Undecided;
    };
    let url = join(up_to_slash(own), reference.path);
    attempts.url(url.clone());
    let (directory, name, extension) = parts(&url);
    let mut stem = url.strip_suffix(b"/").unwrap_or(&url).to_vec();
    if extensions.contains(&extension) {
        stem = [directory, name].concat();
    } else if extension == b"md" {
        return;
    }
    if stem.ends_with(b"/index") {
        attempts.url(up_to_slash(&stem).to_vec());
    }
    attempts.url([&*stem, b".html"].concat());
    if !is_absolute && !reference.path.ends_with(b".md") {
        reference.beside(attempts);
    }
}
