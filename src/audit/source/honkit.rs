//! HonKit, and GitBook.

use super::mdbook::chapters;
use super::site::*;

struct HonKit {
    /// The directories of the books below the root, each with its slash: one for each language.
    books: Vec<Vec<u8>>,
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
    let root = directory.content(site, &values, "root", ".");
    let file = |key: &str, usual: &str| {
        let name = values.text(&format!("structure.{key}"));
        join(b"/", name.unwrap_or(usual).as_bytes())[1..].to_vec()
    };
    let (readme, summary) = (file("readme", "README.md"), file("summary", "SUMMARY.md"));
    let glossary = file("glossary", "GLOSSARY.md");
    let languages = directory.read(join(&root, &file("languages", "LANGS.md")));
    let books = languages.map_or(vec![Vec::new()], |text| {
        let folders = chapters(text.as_bytes()).into_iter();
        folders.map(|folder| with_slash(&folder)).collect()
    });
    let mut pages = Vec::new();
    for book in &books {
        site.listed.file = join(&root, &[book.as_slice(), &summary].concat());
        let text = directory.read(&site.listed.file)?;
        let mut own = chapters(text.as_bytes());
        own.extend([readme.clone(), glossary.clone()]);
        pages.extend(own.iter().map(|page| [book.as_slice(), page].concat()));
    }
    site.add_content(&root, "/");
    site.add_templates(&root, ["_layouts"]);
    site.add_outputs(&root, ["_book"]);
    site.add_undecided(["/gitbook/", "/spaces/"]);
    site.index = ["README.md", "index.md"].map(str::to_owned).to_vec();
    site.add_made(values.keys("redirects"));
    Some(Box::new(HonKit {
        books,
        chapters: pages,
        readme,
        summary,
    }))
}

impl HonKit {
    /// Returns the part of a path below the root that is below its book.
    fn in_book<'p>(&self, below: &'p [u8]) -> &'p [u8] {
        let mut books = self.books.iter();
        let inside = books.find_map(|book| below.strip_prefix(book.as_slice()));
        inside.unwrap_or(below)
    }
}

impl SiteRules for HonKit {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let (directory, name, _) = file.parts();
        let in_book = self.in_book(file.below);
        match file.below {
            _ if in_book == self.summary => Route::Computed,
            below if !self.chapters.iter().any(|chapter| chapter == below) => Route::Copied,
            _ if in_book == self.readme || name.eq_ignore_ascii_case(b"readme") => {
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
        let root = reference.site.content();
        let below = reference.file.strip_prefix(root);
        let outside = below.map_or(0, |below| self.in_book(below).len());
        let book = &reference.file[..reference.file.len() - outside];
        let base = if of_root { book } else { beside };
        let file = join(base, path.strip_prefix(b"/").unwrap_or(path));
        attempts.file(file.clone());
        if let Some(url) = file.strip_prefix(&root[..root.len() - 1]) {
            attempts.url(url.to_vec());
        }
    }
}
