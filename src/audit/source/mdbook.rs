//! mdBook.

use super::paths::{join, parts, up_to_slash, with_slash};
use super::site::{
    Attempts, ContentFile, Generator, Miss, Route, SiteDirectory, SiteReference, SiteRules,
    SourceSite, Syntax,
};
use super::summary::chapters;
use crate::document::options::Slug;
use crate::pipeline::walk::path_of;

pub(super) static GENERATOR: Generator = Generator {
    name: "mdbook",
    markers: &["book.toml"],
    open,
    slug: Slug::MdBook,
};

struct MdBook {
    source: Vec<u8>,
    /// Paths below the source, in their order.
    chapters: Vec<Vec<u8>>,
    /// Makes an index of each README.
    has_index: bool,
    /// Chapters without a file are created.
    creates_missing: bool,
}

/// Preprocessors that write pages, or ids.
const WRITERS: [&str; 6] = [
    "auto-gen-summary",
    "cmdrun",
    "gettext",
    "spec",
    "summary",
    "template",
];

fn open(directory: &SiteDirectory<'_>) -> Option<SourceSite> {
    let values = directory.configuration(&["book.toml"])?;
    let source_name = values.text_or("book.src", "src")?;
    let source = with_slash(&directory.below(&source_name));
    let summary = directory.read(&format!("{source_name}/SUMMARY.md"))?;
    let mut chapters = chapters(summary.as_bytes());
    chapters.dedup();
    let uses_defaults = values.flag_or("build.use-default-preprocessors", true);
    let rules = MdBook {
        source: source.clone(),
        has_index: uses_defaults || values.has("preprocessor.index"),
        creates_missing: values.flag_or("build.create-missing", true),
        chapters,
    };
    let missing = rules.chapters.iter().map(|chapter| rules.url(chapter));
    let missing = missing.filter(|_| rules.creates_missing);
    let missing: Vec<_> = missing.map(|url| [&*url, b"/"].concat()).collect();
    let mut site = SourceSite::new(directory, rules);
    // A file that exists is found first.
    site.undecided.extend(missing);
    site.undecided.extend(["/css/", "/fonts/"].map(Vec::from));
    site.set_base(values.text_or("output.html.site-url", "/"));
    site.is_base_assumed = !values.has("output.html.site-url");
    site.add_content(&source, "/");
    let build = values.text_or("build.build-dir", "book");
    let theme = values.text_or("output.html.theme", "theme");
    let outside = [build, theme].into_iter().flatten();
    site.templates
        .extend(outside.map(|name| with_slash(&directory.below(&name))));
    let moved = values.entries("output.html.redirect").iter();
    let moved = moved.map(|(from, _)| from.split('#').next().unwrap_or_default());
    let styles = values.texts("output.html.additional-css");
    let scripts = values.texts("output.html.additional-js");
    let own = ["/", "print.html", "toc.html", "404.html"];
    site.add_made(own.into_iter().chain(moved).chain(styles).chain(scripts));
    for (name, options) in values.entries("preprocessor") {
        site.makes_pages |= options.has("command") || WRITERS.contains(&&**name);
    }
    site.has_other_ids = site.makes_pages;
    Some(site)
}

impl MdBook {
    fn url(&self, chapter: &[u8]) -> Vec<u8> {
        let (directory, name, _) = parts(chapter);
        if self.has_index && name.eq_ignore_ascii_case(b"readme") {
            return [b"/", directory, b"index.html"].concat();
        }
        [b"/", directory, name, b".html"].concat()
    }
}

impl SiteRules for MdBook {
    fn route(&self, file: &ContentFile<'_>) -> Route {
        let chapter = self.chapters.iter().position(|path| path == file.below);
        match chapter {
            // The first one is the page of the book, too.
            Some(number) => Route::Page {
                url: self.url(file.below),
                others: (number == 0).then(|| b"/".to_vec()).into_iter().collect(),
            },
            None if file.below == b"SUMMARY.md" => Route::Computed,
            None if file.parts().2 == b"md" => Route::LeftOut,
            None => Route::Copied,
        }
    }

    fn resolve(&self, reference: &SiteReference<'_>, attempts: &mut Attempts) {
        if let Syntax::Construct(_) = reference.syntax {
            return attempts.part(join(up_to_slash(reference.file), reference.path));
        }
        if reference.url.is_none() {
            let file = join(&self.source, reference.path);
            if self.creates_missing && !path_of(&file).exists() {
                attempts.miss = Miss::Undecided;
            }
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
