//! A site: pages that refer to sections of each other, and here and there to what does not exist.

use super::random::Random;

/// Sections of a page, with the ids `s0`, `s1` ...
const SECTIONS: usize = 8;

/// A site as files.
pub(crate) struct Site {
    /// The path below the root and the text of each page.
    pub(crate) pages: Vec<(String, String)>,
    /// References in all pages.
    pub(crate) links: u64,
    /// References to a page or a section that does not exist.
    pub(crate) broken: u64,
}

impl Site {
    /// Length of all pages.
    pub(crate) fn len(&self) -> usize {
        self.pages.iter().map(|(_, page)| page.len()).sum()
    }
}

/// Makes a site of so many pages from a seed.
pub(crate) fn site(seed: u64, pages: usize) -> Site {
    let mut random = Random::new(seed);
    let mut site = Site {
        pages: Vec::new(),
        links: 0,
        broken: 0,
    };
    for number in 0..pages {
        let mut page = "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n".to_owned();
        for section in 0..SECTIONS {
            page.push_str(&format!("<h2 id=\"s{section}\">{}</h2>\n", random.words(4)));
            for _ in 0..4 {
                let (to, fragment) = (path(random.below(pages)), random.below(SECTIONS));
                let (reference, broken) = match random.below(16) {
                    0 => (format!("../{to}#none"), 1),
                    1 => (format!("../none/{to}"), 1),
                    2 => (format!("#s{fragment}"), 0),
                    _ => (format!("../{to}#s{fragment}"), 0),
                };
                site.links += 1;
                site.broken += broken;
                let (before, after) = (random.words(8), random.words(8));
                page.push_str(&format!(
                    "<p>{before} <a href=\"{reference}\">{}</a> {after}</p>\n",
                    random.word()
                ));
            }
        }
        site.pages.push((path(number), page));
    }
    site
}

fn path(number: usize) -> String {
    format!("{}/page-{number}.html", number / 16)
}
