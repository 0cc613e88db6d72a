//! mdBook.

use percent_encoding::percent_decode;

use super::site::*;

struct MdBook {
    /// Paths below the source, in their order.
    chapters: Vec<Vec<u8>>,
    /// Makes an index of each README.
    has_index: bool,
    /// Chapters without a file are created.
    creates_missing: bool,
}

/// Preprocessors that write pages, or ids.
const WRITERS: &str = "auto-gen-summary cmdrun gettext spec summary template";

pub(super) fn open(directory: &SiteDirectory<'_>, site: &mut SourceSite) -> Option<Rules> {
    let values = directory.configuration(["book.toml"])?;
    let source = directory.content(site, &values, "book.src", "src");
    site.listed.file = join(&source, b"SUMMARY.md");
    let summary = directory.read(&site.listed.file)?;
    let mut chapters = chapters(summary.as_bytes());
    chapters.dedup();
    let uses_defaults = values.flag_or("build.use-default-preprocessors", true);
    let rules = MdBook {
        has_index: uses_defaults || values.has("preprocessor.index"),
        creates_missing: values.flag_or("build.create-missing", true),
        chapters,
    };
    let missing = rules.chapters.iter().filter(|_| rules.creates_missing);
    let missing = missing.map(|chapter| [&*rules.url(chapter), b"/"].concat());
    // A file that exists is found first.
    site.add_undecided(missing);
    site.add_undecided(["/css/", "/fonts/"]);
    site.set_base(values.text_or("output.html.site-url", "/"));
    site.is_base_assumed = !values.has("output.html.site-url");
    site.add_content(&source, "/");
    site.add_outputs(directory.path, values.text_or("build.build-dir", "book"));
    site.add_templates(directory.path, values.text_or("output.html.theme", "theme"));
    let moved = values.keys("output.html.redirect");
    site.add_made(moved.map(|from| from.split('#').next().unwrap_or_default()));
    site.add_made(values.texts("output.html.additional-css"));
    site.add_made(values.texts("output.html.additional-js"));
    site.add_made(["/", "print.html", "toc.html", "404.html"]);
    for (name, options) in values.entries("preprocessor") {
        let is_writer = WRITERS.split(' ').any(|writer| writer == name);
        let usual = format!("mdbook-{name}");
        let is_usual = options.text_or("command", &usual).as_deref() == Some(&*usual);
        site.makes_pages |= !is_usual || is_writer;
    }
    site.has_other_ids = site.makes_pages;
    Some(Box::new(rules))
}

/// A link, or a comment, in which links name nothing.
static LINK: Pattern = Pattern::new(r"<!--.*?(?:-->|\z)|\]\([ \t]*<?([^)>#\n]*)");

/// Returns the files of the chapters of a summary, in their order.
pub(super) fn chapters(text: &[u8]) -> Vec<Vec<u8>> {
    let mut chapters = Vec::new();
    for [_, path] in LINK.groups(text, 0) {
        let path: Vec<u8> = percent_decode(text[path].trim_ascii()).collect();
        if !path.is_empty() && memchr::memmem::find(&path, b"://").is_none() {
            chapters.push(join(b"/", &path)[1..].to_vec());
        }
    }
    chapters
}

impl MdBook {
    fn url(&self, chapter: &[u8]) -> Vec<u8> {
        let (directory, name, _) = parts(chapter);
        let is_index = self.has_index && name.eq_ignore_ascii_case(b"readme");
        let name = if is_index { b"index" } else { name };
        [b"/", directory, name, b".html"].concat()
    }
}

impl SiteRules for MdBook {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let chapter = self.chapters.iter().position(|path| path == file.below);
        match chapter {
            // The first one is the page of the book, too.
            Some(number) => {
                Route::page_at(self.url(file.below), (number == 0).then(|| b"/".to_vec()))
            }
            None if file.below == b"SUMMARY.md" => Route::Computed,
            None if file.parts().2 == b"md" => Route::LeftOut,
            None => Route::Copied,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        if let Syntax::Construct(_) = reference.syntax {
            return attempts.part(reference.file_beside());
        }
        if reference.url.is_none() {
            let file = reference.in_content(reference.path);
            attempts.undecided_if(self.creates_missing && !path_of(&file).exists());
            return attempts.file(file);
        }
        match reference.path.strip_suffix(b".md") {
            Some(stem) => {
                reference.at(&[stem, b".html"].concat()).by_url(attempts);
                // A file of the repository is not a page of another book.
                if path_of(&reference.file_beside()).exists() {
                    attempts.miss = Miss::Missing;
                }
            }
            None => reference.by_url(attempts),
        }
    }
}
