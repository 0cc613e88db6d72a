//! The anchors of headings: a row for each dialect.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::super::options::Slug;
use crate::bytes::pattern::Pattern;
use crate::document::docutils::make_id;

#[derive(Debug)]
pub(super) struct Dialect {
    pub(super) slug: Slug,
    name: &'static str,
    /// Files in the root of a tree that mark its dialect; a name may end in `*`.
    pub(super) markers: &'static [&'static str],
    pub(super) heading: HeadingSource,
    /// Makes the anchor of a heading, before it is numbered.
    pub(super) make: fn(&str) -> String,
    /// Makes another anchor of the text of the same heading.
    also: Option<fn(&str) -> String>,
    also_numbering: Numbering,
    numbering: Numbering,
    pub(super) attributes: AttributeLists,
    /// Whether the line after a heading may be its attribute list.
    pub(super) has_list_after_heading: bool,
    /// Whether there are definition lists.
    pub(super) definitions: bool,
    /// Whether the terms of definition lists have anchors as headings do.
    pub(super) numbers_terms: bool,
    pub(super) labels: ImplicitLabels,
    /// Whether all Markdown is MDX.
    pub(super) writes_mdx: bool,
    /// Anchors of each page.
    pub(super) page_ids: &'static [&'static str],
    /// Whether `[#id]` at the end of a heading is its anchor.
    pub(super) has_bracketed_ids: bool,
    /// Whether headings in raw HTML have anchors.
    pub(super) has_html_headings: bool,
    /// Whether modules that MDX imports are known to the audit.
    pub(super) imports_modules: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadingSource {
    /// The text without markup.
    Text,
    /// The source, with markup.
    Markup,
}

/// Where `{#id}` names an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttributeLists {
    /// Nowhere: it is text.
    None,
    /// At the end of a heading.
    Headings,
    /// At the end of a heading, and after any other element.
    Anywhere,
}

/// Labels of reference links that need no definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImplicitLabels {
    /// None.
    None,
    /// The text of a heading.
    Headings,
    /// Any single word: a plugin that is in common use finds identifiers in the whole tree (autorefs).
    Words,
}

/// The difference of the anchors of headings with the same slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    /// The same anchor again.
    None,
    /// The second gets `-1`, or the next number that makes a new anchor (github-slugger).
    Slugger,
    /// The nth has `-(n-1)` appended; other anchors do not matter.
    Count,
    /// The lowest `-n` that gives a new anchor is appended.
    Free,
    /// A repeated one, or an empty one, is `id1`, `id2` (docutils).
    Numbered,
    /// A number after `_` is raised, or `_1` appended, until the anchor is new (Python-Markdown).
    Underscore,
}

/// The dialect of GitHub, which the rows of others differ from.
const GITHUB: Dialect = Dialect {
    slug: Slug::GitHub,
    name: "github",
    markers: &[],
    heading: HeadingSource::Text,
    make: github,
    also: None,
    also_numbering: Numbering::Count,
    numbering: Numbering::Slugger,
    attributes: AttributeLists::None,
    has_list_after_heading: false,
    definitions: false,
    numbers_terms: false,
    labels: ImplicitLabels::None,
    writes_mdx: false,
    page_ids: &[],
    has_bracketed_ids: false,
    has_html_headings: false,
    imports_modules: false,
};

/// Every dialect, one row each; the first is the default.
#[rustfmt::skip]
static DIALECTS: &[Dialect] = &[
    Dialect { has_html_headings: true, ..GITHUB },
    // Gitlab::Utils::Markdown#string_to_anchor.
    Dialect {
        slug: Slug::GitLab, name: "gitlab", make: gitlab, has_html_headings: true,
        numbering: Numbering::Count, ..GITHUB
    },
    // `id_from_content` and `unique_id` of mdBook.
    Dialect {
        slug: Slug::MdBook, name: "mdbook", markers: &["book.toml"], make: mdbook, attributes: AttributeLists::Headings,
        definitions: true, numbers_terms: true, ..GITHUB
    },
    // `slugify` and `unique` of Python-Markdown's toc extension. Its text has no emoji, if an extension reads them.
    Dialect {
        slug: Slug::MkDocs, name: "mkdocs", markers: &["mkdocs.yml", "mkdocs.yaml"], make: python_markdown,
        also: Some(|text| python_markdown(&without_emoji(text))), also_numbering: Numbering::Underscore,
        numbering: Numbering::Underscore, attributes: AttributeLists::Anywhere, definitions: true,
        labels: ImplicitLabels::Words, ..GITHUB
    },
    // github-slugger.
    Dialect {
        slug: Slug::Docusaurus, name: "docusaurus", markers: &["docusaurus.config.*"], make: slugger,
        attributes: AttributeLists::Headings, writes_mdx: true, imports_modules: true, ..GITHUB
    },
    // `sanitizeAnchorName` of Hugo, and the identifiers of goldmark, made of the source of a heading; of its text in
    // newer versions.
    Dialect {
        slug: Slug::Hugo, name: "hugo", markers: &["hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json"],
        heading: HeadingSource::Markup, make: hugo, also: Some(|text| hugo(&smart(text))),
        also_numbering: Numbering::Free, numbering: Numbering::Free,
        attributes: AttributeLists::Headings, definitions: true, ..GITHUB
    },
    // `basic_generate_id` of kramdown, made of the source of a heading.
    Dialect {
        slug: Slug::Kramdown, name: "kramdown", heading: HeadingSource::Markup, make: kramdown,
        numbering: Numbering::Count, attributes: AttributeLists::Anywhere, has_list_after_heading: true,
        definitions: true, ..GITHUB
    },
    // Jekyll parses with kramdown-parser-gfm (`generate_gfm_header_id`), or, if the site says so, with
    // kramdown itself: each heading has both anchors.
    Dialect {
        slug: Slug::Jekyll, name: "jekyll", markers: &["_config.yml", "_config.yaml"], also: Some(kramdown),
        numbering: Numbering::Count, attributes: AttributeLists::Anywhere, has_list_after_heading: true,
        definitions: true, ..GITHUB
    },
    // `inlineListToIdentifier` and `uniqueIdent` of Pandoc.
    Dialect {
        slug: Slug::Pandoc, name: "pandoc", make: pandoc, numbering: Numbering::Free,
        attributes: AttributeLists::Anywhere, definitions: true, labels: ImplicitLabels::Headings, ..GITHUB
    },
    // `slugify` of mdit-vue. The text has no emoji, and may have `&amp;`.
    Dialect {
        slug: Slug::VitePress, name: "vitepress", markers: &[".vitepress"], make: vitepress,
        also: Some(|text| vitepress(&without_emoji(text).replace('&', "&amp;"))),
        attributes: AttributeLists::Headings, ..GITHUB
    },
    // github-slugid.
    Dialect {
        slug: Slug::HonKit, name: "honkit", markers: &["book.json", "book.js"], make: honkit,
        numbering: Numbering::None, attributes: AttributeLists::Headings, ..GITHUB
    },
    // `slugify` of Docsify.
    Dialect { slug: Slug::Docsify, numbering: Numbering::Count, name: "docsify", make: docsify, ..GITHUB },
    // `compute_unique_slug` of MyST, and the ids that docutils makes of all titles.
    Dialect {
        slug: Slug::Myst, name: "myst", make: myst, also: Some(docutils), also_numbering: Numbering::Numbered,
        attributes: AttributeLists::Anywhere, definitions: true, ..GITHUB
    },
    // `slugify` of the crate slug.
    Dialect {
        slug: Slug::Zola, name: "zola", make: zola, numbering: Numbering::Free,
        attributes: AttributeLists::Headings, definitions: true, ..GITHUB
    },
    // github-slugger.
    Dialect {
        slug: Slug::Starlight, name: "starlight", make: starlight, page_ids: &["_top"], imports_modules: true, ..GITHUB
    },
    // github-slugger.
    Dialect {
        slug: Slug::Nextra, name: "nextra", make: slugger, has_bracketed_ids: true, imports_modules: true, ..GITHUB
    },
    // `slugize` of hexo-util; an option leaves out the typography.
    Dialect {
        slug: Slug::Hexo, numbering: Numbering::Count, name: "hexo", make: |text| hexo(&smart(text)),
        also: Some(hexo), ..GITHUB
    },
];

impl Dialect {
    /// Returns the row of a dialect; GitHub's where headings have no anchors.
    pub(super) fn of(slug: Slug) -> &'static Dialect {
        let row = DIALECTS.iter().find(|dialect| dialect.slug == slug);
        row.unwrap_or(&DIALECTS[0])
    }
}

impl Slug {
    /// Returns the dialect of a name, such as `github` or `mkdocs`.
    #[must_use]
    pub fn named(name: &str) -> Option<Slug> {
        let row = DIALECTS.iter().find(|dialect| dialect.name == name);
        row.map(|dialect| dialect.slug)
            .or_else(|| (name == "none").then_some(Slug::None))
    }

    /// Returns the anchor that a text makes, before it is numbered.
    pub(crate) fn of_text(self, text: &str) -> String {
        (Dialect::of(self).make)(text)
    }

    /// Returns the names of all dialects.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        DIALECTS.iter().map(|dialect| dialect.name).chain(["none"])
    }

    /// Returns the dialect of a tree by the names of the files in its root.
    pub(crate) fn of_files(names: &[String]) -> Option<Slug> {
        let is_there = |marker: &&str| match marker.strip_suffix('*') {
            Some(start) => names.iter().any(|name| name.starts_with(start)),
            None => names.iter().any(|name| name == marker),
        };
        let row = (DIALECTS.iter()).find(|dialect| dialect.markers.iter().any(is_there));
        row.map(|dialect| dialect.slug)
    }
}

#[derive(Debug)]
pub(super) struct Slugs {
    dialect: &'static Dialect,
    /// The anchors, with the place where the search for a free one continues for the next heading with this
    /// slug: a search never repeats.
    used: HashMap<String, u64>,
    /// The same for the other anchors.
    also: HashMap<String, u64>,
}

impl Slugs {
    pub(super) fn new(dialect: &'static Dialect) -> Self {
        Slugs {
            dialect,
            used: HashMap::new(),
            also: HashMap::new(),
        }
    }

    pub(super) fn reserve(&mut self, id: &str) {
        let numbering = self.dialect.numbering;
        if matches!(numbering, Numbering::Free | Numbering::Underscore) {
            self.used.entry(id.to_owned()).or_insert(0);
        }
    }

    /// Returns the anchor of the next heading, and another one that it has as well. `raw` is its source, of which some
    /// dialects make the anchor.
    pub(super) fn next(&mut self, text: &str, raw: &str) -> (String, Option<String>) {
        let numbering = self.dialect.numbering;
        let heading = match self.dialect.heading {
            HeadingSource::Text => text,
            HeadingSource::Markup => raw,
        };
        let anchor = numbering.unique((self.dialect.make)(heading), &mut self.used);
        let also_numbering = self.dialect.also_numbering;
        let also = self.dialect.also.map(|make| make(text));
        let also = also.map(|slug| also_numbering.unique(slug, &mut self.also));
        let also = also.filter(|also| *also != anchor);
        (anchor, also)
    }
}

impl Numbering {
    /// Returns a slug with the number by which it differs from those before, and records it.
    fn unique(self, slug: String, used: &mut HashMap<String, u64>) -> String {
        match self {
            Numbering::None => slug,
            Numbering::Count => {
                let count = used.entry(slug.clone()).or_insert(0);
                let unique = match *count {
                    0 => slug,
                    count => format!("{slug}-{count}"),
                };
                *count += 1;
                unique
            }
            Numbering::Slugger | Numbering::Free => {
                let mut unique = slug.clone();
                while used.contains_key(&unique) {
                    let count = used.entry(slug.clone()).or_default();
                    *count += 1;
                    unique = format!("{slug}-{count}");
                }
                used.insert(unique.clone(), 0);
                unique
            }
            Numbering::Numbered if !slug.is_empty() && !used.contains_key(&slug) => {
                used.insert(slug.clone(), 0);
                slug
            }
            Numbering::Numbered => {
                let count = used.entry(String::new()).or_default();
                *count += 1;
                format!("id{count}")
            }
            Numbering::Underscore => underscore(slug, used),
        }
    }
}

/// Raises the number after `_`, or appends `_1`, until the anchor is new.
fn underscore(slug: String, used: &mut HashMap<String, u64>) -> String {
    let named = slug.rsplit_once('_').and_then(|(stem, digits)| {
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
        let number = digits.parse::<u64>().ok().filter(|_| is_number)?;
        // A number beyond the limit is part of the name.
        (number < u64::MAX / 2).then(|| (stem.to_owned(), number))
    });
    let (stem, number) = named.unwrap_or_else(|| (slug.clone(), 0));
    if !slug.is_empty() && !used.contains_key(&slug) {
        used.insert(slug.clone(), 0);
        return slug;
    }
    // Each anchor passed points past the last one of the run, as in a disjoint set: the cost of all
    // searches together stays linear.
    let (mut at, mut passed) = (slug, vec![]);
    let mut next = number + 1;
    loop {
        passed.push(at);
        at = format!("{stem}_{next}");
        match used.get(&at) {
            None => break,
            Some(&past) => next = past.max(next + 1),
        }
    }
    for anchor in passed {
        used.insert(anchor, next + 1);
    }
    used.insert(at.clone(), 0);
    at
}

/// Replaces gaps by `-`, and drops all other characters that are not kept.
fn replaced(text: &str, is_gap: fn(char) -> bool, is_kept: fn(char) -> bool) -> String {
    let replace = |character: char| match character {
        _ if is_gap(character) => Some('-'),
        _ => Some(character).filter(|&character| is_kept(character)),
    };
    text.chars().filter_map(replace).collect()
}

/// Lower-cases each character without context.
fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

fn is_space(character: char) -> bool {
    character == ' '
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

/// Returns whether Unicode has a character as a number but not as a digit or letter.
fn is_sign_of_number(character: char) -> bool {
    matches!(character, '²' | '³' | '¹' | '¼'..='¾' | '⁰' | '⁴'..='⁹' | '₀'..='₉' | '⅐'..='⅟' | '①'..='⒛' | '⓪'..='⓿')
        || matches!(character, '❶'..='➓' | '㈠'..='㈩' | '㉈'..='㉟' | '㊀'..='㊉' | '㊱'..='㊿')
}

fn github(heading: &str) -> String {
    slugger(heading.trim())
}

/// Lower-cases; keeps letters, marks, digits, `_` and `-`; replaces spaces by `-`, also beside an image or a tag at the
/// start or the end; drops the rest.
fn slugger(heading: &str) -> String {
    let is_kept = |character| {
        is_word(character) && !is_sign_of_number(character) || is_combining_mark(character)
    };
    lower(&replaced(heading, is_space, is_kept))
}

/// Makes a GitHub slug of the typographic text, without `-` at its end.
fn starlight(heading: &str) -> String {
    let slug = slugger(&smart(heading));
    slug.strip_suffix('-').unwrap_or(&slug).to_owned()
}

/// Makes a GitHub slug without marks and with all numbers.
fn myst(heading: &str) -> String {
    let is_kept = |character| is_word(character) && !is_combining_mark(character);
    lower(&replaced(heading, is_space, is_kept))
}

/// Drops ASCII punctuation other than `-`, and some symbols; replaces spaces by `-`, with none at the start;
/// lower-cases.
fn honkit(heading: &str) -> String {
    let is_kept = |other: char| match other {
        '-' => true,
        other => !other.is_ascii_punctuation() && !"©∑®†“”‘’∂ƒ™℠…œŒ˚ºª•∆∞♥".contains(other),
    };
    let slug = replaced(heading.trim(), is_space, is_kept).to_lowercase();
    slug.strip_prefix('-').unwrap_or(&slug).to_owned()
}

/// Returns a text with typographic quotes, dashes and ellipses (smartypants).
fn smart(text: &str) -> String {
    let text = text.replace("---", "—").replace("--", "–");
    let mut smart = String::new();
    for character in text.replace("...", "…").chars() {
        let is_before = |last: char| last.is_whitespace() || "-—/([{‘“".contains(last);
        let opens = smart.chars().next_back().is_none_or(is_before);
        smart.push(match character {
            '\'' if opens => '‘',
            '\'' => '’',
            '"' if opens => '“',
            '"' => '”',
            other => other,
        });
    }
    smart
}

/// Returns a text without the names of emoji between colons.
fn without_emoji(text: &str) -> String {
    static EMOJI: Pattern = Pattern::new(r":[a-z0-9_+-]+:");
    let text = EMOJI.replace_all(text.as_bytes(), &b""[..]);
    String::from_utf8_lossy(&text).into_owned()
}

/// Makes a GitHub slug with one `-` for several; a number alone would name an issue and gets a prefix.
fn gitlab(heading: &str) -> String {
    let mut slug = github(heading);
    while slug.contains("--") {
        slug = slug.replace("--", "-");
    }
    if !slug.is_empty() && slug.bytes().all(|byte| byte.is_ascii_digit()) {
        slug.insert_str(0, "anchor-");
    }
    slug
}

/// Lower-cases; keeps letters, digits, `_` and `-`; replaces each white space by `-`.
fn mdbook(heading: &str) -> String {
    let lower = heading.trim().to_lowercase();
    replaced(&lower, char::is_whitespace, is_word)
}

/// Takes accents away and drops other characters than ASCII; keeps letters, digits and `_`; replaces runs
/// of white space and hyphens by one `-`.
fn python_markdown(heading: &str) -> String {
    let is_kept = |character: &char| {
        let character = *character;
        character.is_ascii() && (is_word(character) || character.is_ascii_whitespace())
    };
    let kept: String = heading.nfkd().filter(is_kept).collect();
    let is_gap = |character: char| character == '-' || character.is_ascii_whitespace();
    joined(kept.trim().chars(), is_gap).to_ascii_lowercase()
}

/// Lower-cases; keeps letters, digits, `_` and `-`; replaces spaces by `-`; never empty.
fn hugo(heading: &str) -> String {
    let is_kept = |character| {
        is_word(character) && !is_sign_of_number(character) && !is_combining_mark(character)
    };
    match &*replaced(heading.trim(), is_space, is_kept) {
        "" => "heading".to_owned(),
        slug => lower(slug),
    }
}

/// Drops everything before the first ASCII letter; keeps ASCII letters, digits and `-`, and replaces
/// spaces by `-`; never empty.
fn kramdown(heading: &str) -> String {
    let rest = heading.trim_start_matches(|character: char| !character.is_ascii_alphabetic());
    let is_kept = |character: char| character.is_ascii_alphanumeric() || character == '-';
    match &*replaced(rest, is_space, is_kept) {
        "" => "section".to_owned(),
        slug => slug.to_ascii_lowercase(),
    }
}

/// Lower-cases; keeps letters, digits, `_`, `-` and `.`; one `-` takes the place of each run of white
/// space; drops everything before the first letter; never empty.
fn pandoc(heading: &str) -> String {
    let is_kept =
        |character: &char| is_word(*character) || *character == '.' || character.is_whitespace();
    let kept: String = heading.chars().filter(is_kept).collect();
    let words: Vec<_> = kept.split_whitespace().collect();
    let slug = words.join("-").to_lowercase();
    match slug.trim_start_matches(|character: char| !character.is_alphabetic()) {
        "" => "section".to_owned(),
        slug => slug.to_owned(),
    }
}

/// Takes accents away and lower-cases; one `-` takes the place of each run of white space, ASCII
/// punctuation and curly quotes, with none at the ends; `_` goes before a digit at the start.
fn vitepress(heading: &str) -> String {
    let is_accent = |other: &char| matches!(other, '\u{300}'..='\u{36f}');
    let characters = heading.nfkd().filter(|other| !is_accent(other));
    marked(dashed(characters, "“”‘’")).to_lowercase()
}

/// Puts `_` before a digit at the start.
fn marked(slug: String) -> String {
    let digit = slug.starts_with(|first: char| first.is_ascii_digit());
    if digit { format!("_{slug}") } else { slug }
}

/// Takes accents of Latin letters away; one `-` takes the place of each run of white space and ASCII
/// punctuation, with none at the ends.
fn hexo(heading: &str) -> String {
    let plain = |character: char| match character {
        'ß' => 's',
        'ø' => 'o',
        'ł' => 'l',
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | 'Ⓐ'..='ⓩ' | 'Ａ'..='ｚ' => {
            let letter = std::iter::once(character).nfkd().next();
            let letter = letter.filter(char::is_ascii_alphabetic);
            letter.unwrap_or(character)
        }
        _ => character,
    };
    dashed(heading.chars().map(plain), "")
}

/// Drops control characters of ASCII; one `-` takes the place of each run of white space, ASCII punctuation
/// and other gaps, with none at the ends.
fn dashed(characters: impl Iterator<Item = char>, gaps: &str) -> String {
    let is_gap =
        |other: char| other.is_whitespace() || other.is_ascii_punctuation() || gaps.contains(other);
    let kept = characters.filter(|other| !other.is_ascii_control());
    joined(kept, is_gap).trim_matches('-').to_owned()
}

/// Collects characters; one `-` takes the place of each run of gaps.
fn joined(characters: impl Iterator<Item = char>, is_gap: impl Fn(char) -> bool) -> String {
    let mut slug = String::new();
    for character in characters {
        if !is_gap(character) {
            slug.push(character);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug
}

/// Takes accents away and lower-cases; one `-` takes the place of each run of other characters than ASCII
/// letters and digits, with none at the ends.
fn zola(heading: &str) -> String {
    let heading = heading.replace('ß', "ss");
    let unaccented = heading.nfkd().filter(|other| !is_combining_mark(*other));
    let slug = joined(unaccented, |other| !other.is_ascii_alphanumeric());
    slug.trim_matches('-').to_ascii_lowercase()
}

/// Lower-cases; drops punctuation other than the names of character references; one `-` takes the place of each run of
/// blanks and hyphens; `_` goes before a digit at the start. `:id=x` names another text.
fn docsify(heading: &str) -> String {
    let own = heading.split_once(":id=").map(|(_, id)| id);
    let own = own.and_then(|id| id.split_whitespace().next());
    let text = own.unwrap_or(heading).trim().to_owned();
    // Signs, each before its name.
    let names = ["&amp", "<lt", ">gt", "\"quot", "'39"].iter();
    let text = names.fold(text, |text, name| text.replace(&name[..1], &name[1..]));
    let is_kept = |character: &char| match character {
        '-' | '_' => true,
        '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' => false,
        other => !other.is_ascii_punctuation(),
    };
    let is_gap = |character: char| character == '-' || character.is_whitespace();
    marked(joined(text.chars().filter(is_kept), is_gap).to_ascii_lowercase())
}

fn docutils(heading: &str) -> String {
    String::from_utf8_lossy(&make_id(heading.as_bytes())).into_owned()
}

#[cfg(test)]
#[path = "../../../tests/unit/document/markdown/slug.rs"]
mod tests;
