//! Docsify.

use regex::bytes::Regex;

use super::site::*;

struct Docsify {
    /// The directory of the page that renders the others.
    top: Vec<u8>,
    homepage: String,
    extension: String,
    /// Links are relative to the file.
    is_relative: bool,
    /// Routes that other files serve.
    aliases: Vec<Regex>,
    /// Files come from elsewhere, too.
    is_open: bool,
}

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    // Other sites have an index in each directory.
    let names = directory.tree.names(directory.path);
    let is_text = |name: &String| name.ends_with(".md") || name == ".nojekyll";
    let has_text = names.iter().any(is_text);
    directory.require(has_text)?;
    let text = directory.read("index.html").unwrap_or_default();
    let is_docsify = config::names_any(&text, "$docsify docsify.min.js docsify.js");
    directory.require(is_docsify)?;
    let options = text.split_once("$docsify");
    let options = options.and_then(|(_, rest)| rest.split_once('='));
    let values = options.map_or(Setting::Null, |(_, rest)| {
        config::javascript_at(rest.split("</script").next().unwrap_or(rest), 0)
    });
    let base = values.text_or("basePath", ".");
    let local = base.filter(|base| !base.contains("//"));
    let elsewhere = values.has_any("fallbackLanguages routes");
    let is_open = elsewhere || local.is_none() || values.is_unknown("alias");
    let local = local.unwrap_or_default();
    let root = directory.folder(local.trim_start_matches('/'));
    let aliases = values.keys("alias");
    let aliases = aliases.filter_map(|from| Regex::new(&format!("^(?:{from})$")).ok());
    site.add_content(&root, "/");
    if root != directory.path {
        site.add_content(directory.path, "/");
    }
    site.has_routes = true;
    Some(Box::new(Docsify {
        top: directory.path.to_vec(),
        homepage: values.text_or("homepage", "README.md").unwrap_or_default(),
        extension: values.text_or("ext", ".md").unwrap_or_default(),
        is_relative: values.flag_or("relativePath", false),
        aliases: aliases.collect(),
        is_open,
    }))
}

/// Names of files that are shown in other pages.
const OF_EACH: [&[u8]; 2] = [b"_sidebar", b"_navbar"];

impl SiteRules for Docsify {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        match file.parts().2 {
            b"md" if OF_EACH.contains(&file.parts().1) => Route::Computed,
            b"md" => Route::page([b"/", file.below].concat()),
            _ => Route::Copied,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let below = path.strip_prefix(b"/").unwrap_or(path);
        let beside = up_to_slash(reference.file);
        let is_route = reference.syntax == Syntax::Construct("route");
        let is_text = reference.syntax == Syntax::Text;
        if !is_route && (!is_text || reference.is_image) {
            // An image of Markdown is beside the file, raw HTML is of the page that renders it.
            let is_beside = is_text && !path.starts_with(b"/");
            return attempts.file(join(if is_beside { beside } else { &self.top }, below));
        }
        let is_relative = self.is_relative && !path.starts_with(b"/") && !is_route;
        let directory = if is_relative {
            beside
        } else {
            reference.site.content()
        };
        if below.is_empty() {
            attempts.file(reference.in_content(self.homepage.as_bytes()));
        }
        if below.is_empty() || below.ends_with(b"/") {
            attempts.file(join(directory, &[below, b"README.md"].concat()));
        } else {
            let file = [below, self.extension.as_bytes()].concat();
            attempts.file(join(directory, &file));
            attempts.file(join(directory, below));
            // A plain URL.
            attempts.file(join(&self.top, below));
        }
        let mut routes = [&b""[..], b".md"]
            .map(|end| [b"/", below, end].concat())
            .into_iter();
        let is_alias = routes.any(|route| self.aliases.iter().any(|alias| alias.is_match(&route)));
        let is_of_each = OF_EACH.contains(&parts(reference.file).1);
        attempts.undecided_if(self.is_open || is_relative && is_of_each || is_alias);
    }
}
