//! HonKit, and GitBook.

use super::config::Setting;
use super::paths::{join, parts, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Route, SiteDirectory, SiteReference, SiteRules, SourceSite,
    Syntax,
};
use super::summary::chapters;
use crate::document::options::Slug;

pub(super) static GENERATOR: Generator = Generator {
    name: "honkit",
    markers: &["book.json", "book.js", "package.json", ".gitbook.yaml"],
    open,
    slug: Slug::HonKit,
};

struct HonKit {
    root: Vec<u8>,
    /// Pages below the root.
    chapters: Vec<Vec<u8>>,
    readme: Vec<u8>,
    summary: Vec<u8>,
}

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let values = directory.values(directory.mark).unwrap_or(Setting::Null);
    let is_book = match directory.mark {
        "package.json" => ["dependencies", "devDependencies"].iter().any(|list| {
            let mut names = ["honkit", "gitbook", "gitbook-cli"].iter();
            names.any(|name| values.has(&format!("{list}.{name}")))
        }),
        _ => true,
    };
    if !is_book && !directory.is_given {
        return None;
    }
    let own = ["book.json", "book.js", ".gitbook.yaml"];
    let found = own.iter().find_map(|name| directory.values(name));
    let values = found.unwrap_or(Setting::Null);
    let root_name = values.text_or("root", ".")?;
    let root = with_slash(&directory.below(&root_name));
    let file = |key: &str, usual: &str| {
        let name = values.text_or(&format!("structure.{key}"), usual)?;
        Some(join(b"/", name.as_bytes())[1..].to_vec())
    };
    let (readme, summary) = (file("readme", "README.md")?, file("summary", "SUMMARY.md")?);
    let text = directory.read(&format!(
        "{root_name}/{}",
        String::from_utf8_lossy(&summary)
    ))?;
    let mut pages = chapters(text.as_bytes());
    pages.extend([readme.clone(), file("glossary", "GLOSSARY.md")?]);
    let rules = HonKit {
        root: root.clone(),
        chapters: pages,
        readme,
        summary,
    };
    let mut site = SourceSite::new(directory, rules);
    site.add_content(&root, "/");
    let outside = ["_book", "_layouts"];
    site.templates
        .extend(outside.map(|name| [&*root, name.as_bytes(), b"/"].concat()));
    site.undecided.push(b"/gitbook/".to_vec());
    site.index = ["README.md", "index.md"].map(str::to_owned).to_vec();
    let moved = values.entries("redirects").iter();
    site.add_made(moved.map(|(from, _)| from.as_str()));
    Some(site)
}

impl SiteRules for HonKit {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        if file.below == self.summary {
            return Route::Computed;
        }
        if !self.chapters.iter().any(|chapter| chapter == file.below) {
            return Route::Copied;
        }
        let (directory, name, _) = parts(file.below);
        let is_index = file.below == self.readme || name.eq_ignore_ascii_case(b"readme");
        Route::page(match is_index {
            true => [b"/", directory].concat(),
            false => [b"/", directory, name, b".html"].concat(),
        })
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let base = if path.starts_with(b"/") || reference.syntax == Syntax::Construct("chapter") {
            &self.root
        } else {
            up_to_slash(reference.file)
        };
        let below = path.strip_prefix(b"/").unwrap_or(path);
        attempts.file(join(base, below));
        let file = join(base, below);
        if let Some(url) = file.strip_prefix(&self.root[..self.root.len() - 1]) {
            attempts.url(url.to_vec());
        }
    }
}
