//! HonKit, and GitBook.

use super::site::*;
use super::summary::chapters;

struct HonKit {
    root: Vec<u8>,
    /// Pages below the root.
    chapters: Vec<Vec<u8>>,
    readme: Vec<u8>,
    summary: Vec<u8>,
}

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    if directory.mark == "package.json" && !directory.depends_on("honkit gitbook gitbook-cli") {
        return None;
    }
    let mut own = ["book.json", "book.js", ".gitbook.yaml"].iter();
    let found = own.find_map(|name| directory.values(name));
    let values = found.unwrap_or(Setting::Null);
    let root_name = values.text_or("root", ".")?;
    let root = directory.folder(&root_name);
    let file = |key: &str, usual: &str| {
        let name = values.text_or(&format!("structure.{key}"), usual)?;
        Some(join(b"/", name.as_bytes())[1..].to_vec())
    };
    let (readme, summary) = (file("readme", "README.md")?, file("summary", "SUMMARY.md")?);
    let summary_name = String::from_utf8_lossy(&summary);
    let text = directory.read(&format!("{root_name}/{summary_name}"))?;
    let mut pages = chapters(text.as_bytes());
    pages.extend([readme.clone(), file("glossary", "GLOSSARY.md")?]);
    site.add_content(&root, "/");
    site.add_templates(&root, ["_book", "_layouts"]);
    site.add_undecided(["/gitbook/"]);
    site.index = ["README.md", "index.md"].map(str::to_owned).to_vec();
    site.add_made(values.keys("redirects"));
    Some(Box::new(HonKit {
        root,
        chapters: pages,
        readme,
        summary,
    }))
}

impl SiteRules for HonKit {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, _) = file.parts();
        match file.below {
            below if below == self.summary => Route::Computed,
            below if !self.chapters.iter().any(|chapter| chapter == below) => Route::Copied,
            below if below == self.readme || name.eq_ignore_ascii_case(b"readme") => {
                Route::page([b"/", directory].concat())
            }
            below => Route::page_of(below, &[], ".html"),
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        let path = reference.path;
        let is_chapter = reference.syntax == Syntax::Construct("chapter");
        let of_root = path.starts_with(b"/") || is_chapter;
        let beside = up_to_slash(reference.file);
        let base = if of_root { &self.root } else { beside };
        let file = join(base, path.strip_prefix(b"/").unwrap_or(path));
        attempts.file(file.clone());
        if let Some(url) = file.strip_prefix(&self.root[..self.root.len() - 1]) {
            attempts.url(url.to_vec());
        }
    }
}
