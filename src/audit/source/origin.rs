//! The lines of the sources of a built site that findings come from (A121).

use std::iter::once;

use foldhash::HashMap;
use percent_encoding::percent_decode;
use regex::bytes::Regex;
use regex::escape;

use super::site::*;
use super::{SourceOptions, Sources};
use crate::audit::finding::{FindingDraft, FindingSubject, SourceOrigin};
use crate::audit::location::Audit;
use crate::audit::target::{split_fragment, split_path};
use crate::pipeline::bases::AbsolutePaths;

/// Maximum length in bytes of a page or a source that is read.
const MAX_PAGE: u64 = 4 << 20;
/// Maximum length in bytes of a template that is read, and of all of them.
const MAX_TEMPLATE: u64 = 256 << 10;
const MAX_TEMPLATES: usize = 8 << 20;
/// The bytes that all searches of a run may read; takes a few seconds.
const MAX_SEARCHED: u64 = 4 << 30;
/// Maximum length in bytes of a pattern; longer references are not found.
const MAX_PATTERN: usize = 4096;
/// The matches of a pattern that are compared, and the bytes on each side of them.
const MAX_MATCHES: usize = 1000;
const AROUND: usize = 400;

/// After the path of a page, the ends of the sources that it may be made of.
const ENDS: &str = " .md .mdx .rst .adoc .html .markdown .ipynb .txt /index.md /index.mdx /index.rst /index.adoc \
    /_index.md /README.md";

/// The paths of configurations, layouts and lists of pages.
static TEMPLATE: Pattern = Pattern::new(
    r"(?i)(?:^|/)(?:[^/]*(?:layout|include|partial|template|theme|override|snippet)s?/.*\.(?:html?|md|rst)|conf\.py|(?:summary|_[^/]*)\.md|[^/]+\.(?:toml|ya?ml|json|[cm]?[jt]sx?|vue|astro|svelte|njk|liquid|hbs|ejs|jinja2?|j2|pug))$",
);
/// The last word of a line, as lists of pages name them.
static ENTRY: Pattern = Pattern::new(r#"(?:^|[\s<("'])(/?[\w.][\w./-]*)[>)"'\]},\s]*$"#);
/// The contents of an element after a value of its start tag, up to the end of a link.
static CONTENTS: Pattern = Pattern::new(r"^[^>]*>(.*?)</[aA]\b");
static MARKUP: Pattern = Pattern::new(r"<[^>]*>|&#?\w+;");

#[derive(Default)]
struct TextFile {
    path: Vec<u8>,
    text: Vec<u8>,
}

/// What a line of a source should have beside a reference.
#[derive(Default)]
struct Surroundings<'r> {
    fragment: &'r [u8],
    /// The letters of the text of the link.
    text: String,
    /// The number among the same references in the page.
    nth: usize,
}

/// Finds the origins of findings in the order of the pages.
pub(in crate::audit) struct OriginSearch<'a> {
    audit: &'a Audit,
    /// With its slash.
    directory: &'a [u8],
    sources: Sources,
    /// The sites in the directory, then the sites of the repository around it.
    order: Vec<usize>,
    /// The page of the last finding by its path in reports, and its source; empty if it is not known.
    page: TextFile,
    source: TextFile,
    /// The path of the page below the root of its site.
    url: Vec<u8>,
    /// The findings of the page by their references and texts.
    counts: HashMap<Vec<u8>, usize>,
    templates: Option<Vec<TextFile>>,
    /// The first places in lists of pages, by the paths of pages without their ends.
    lists: HashMap<Vec<u8>, SourceOrigin>,
    in_templates: HashMap<Vec<u8>, Option<SourceOrigin>>,
    /// The bytes that may still be searched.
    left: u64,
}

impl<'a> OriginSearch<'a> {
    /// `directory` has its slash.
    pub(in crate::audit) fn new(audit: &'a Audit, directory: &'a [u8]) -> Self {
        let options = SourceOptions {
            is_off: false,
            ..audit.options.sources.clone()
        };
        let sources = Sources::new(&options, once(directory), &audit.checker.tree);
        let mut order: Vec<_> = (0..sources.sites.len()).collect();
        order.sort_by_key(|&site| !sources.sites[site].directory.starts_with(directory));
        OriginSearch {
            audit,
            directory,
            sources,
            order,
            page: TextFile::default(),
            source: TextFile::default(),
            url: Vec::new(),
            counts: HashMap::default(),
            templates: None,
            lists: HashMap::default(),
            in_templates: HashMap::default(),
            left: MAX_SEARCHED,
        }
    }

    /// Returns the origin of a finding in a document with a path as reports have it.
    pub(in crate::audit) fn origin(
        &mut self,
        document: &[u8],
        draft: &FindingDraft<'_>,
    ) -> SourceOrigin {
        if self.page.path != document {
            self.enter(document);
        }
        let own = &self.source;
        let path = (!own.path.is_empty()).then(|| self.audit.shown(&own.path).to_vec());
        let mut origin = SourceOrigin { path, line: None };
        let FindingSubject::Link(link) = draft.subject else {
            return origin;
        };
        let span = link.exact_span().filter(|_| link.member.is_none());
        let text = span.and_then(|span| text_after(&self.page.text, span.end));
        let text = text.unwrap_or_default();
        let key = [link.reference, b"\0", text.as_bytes()].concat();
        let count = self.counts.entry(key).or_default();
        let surroundings = Surroundings {
            fragment: split_fragment(link.reference).1.unwrap_or_default(),
            text,
            nth: *count,
        };
        *count += 1;
        let patterns = patterns(link.reference);
        let patterns = patterns.iter().flatten();
        let own = &self.source.text;
        origin.line = patterns
            .filter_map(|pattern| surroundings.line(own, pattern, &mut self.left))
            .next();
        if origin.line.is_none() {
            return self.in_templates(link.reference).unwrap_or(origin);
        }
        origin
    }

    fn enter(&mut self, document: &[u8]) {
        let mut names = AbsolutePaths::default();
        let here = &self.audit.options.reading.bases.here;
        let page = names.absolute(here, document).unwrap_or(document);
        let below = self.audit.checker.mounts.relative_path(page);
        self.url = [b"/", below.unwrap_or_default()].concat();
        let source = self.find_source().unwrap_or_default();
        self.page.text = start_of(page, MAX_PAGE).unwrap_or_default();
        self.page.path = document.to_vec();
        self.source.text = start_of(&source, MAX_PAGE).unwrap_or_default();
        self.source.path = source;
        self.counts.clear();
    }

    /// Returns the source of a page by the routes of the sites, else by its path.
    fn find_source(&self) -> Option<Vec<u8>> {
        let url = &self.url;
        let bare = without_html(url);
        let with_slash = [bare, b"/"].concat();
        let urls = [&**url, bare, &*with_slash];
        let routed = self.order.iter().find_map(|&site| {
            let routes = self.sources.routes(site);
            urls.iter().find_map(|url| routes.find(url))
        });
        if let Some((file, _)) = routed {
            return Some(file.to_vec());
        }
        let folders = self
            .sources
            .sites
            .iter()
            .flat_map(|site| &site.site.folders);
        let folders = folders.map(|folder| &*folder.directory);
        let stems = [bare, bare.strip_suffix(b"/index").unwrap_or(bare)];
        let mut paths = once(self.directory).chain(folders).flat_map(|folder| {
            let ends = ENDS
                .split(' ')
                .flat_map(|end| stems.map(|stem| (stem, end)));
            ends.map(move |(stem, end)| join(folder, &[b".", stem, end.as_bytes()].concat()))
        });
        paths.find(|path| path_of(path).is_file())
    }

    fn in_templates(&mut self, reference: &[u8]) -> Option<SourceOrigin> {
        if self.templates.is_none() {
            let templates = self.read_templates();
            templates.iter().for_each(|file| self.add_list(file));
            self.templates = Some(templates);
        }
        let path = split_path(reference).0;
        let target = join(up_to_slash(&self.url), path);
        if let Some(place) = self.lists.get(stem(&target)).filter(|_| !path.is_empty()) {
            return Some(place.clone());
        }
        let start = reference.iter().position(|byte| !b"./".contains(byte))?;
        let reference = &reference[start..];
        if let Some(known) = self.in_templates.get(reference) {
            return known.clone();
        }
        let whole = str::from_utf8(reference).ok().filter(|text| text.len() > 2);
        let patterns = [
            whole.and_then(|whole| {
                pattern(&format!(r"(?:^|[^\w%-]){}(?:$|[^\w/%-])", escape(whole)))
            }),
            name_pattern(without_html(split_path(reference).0)),
        ];
        let (mut found, mut left) = (None, self.left);
        for pattern in patterns.iter().flatten() {
            found = found.or_else(|| {
                self.templates.iter().flatten().find_map(|template| {
                    let line = Surroundings::default().line(&template.text, pattern, &mut left)?;
                    let path = self.audit.shown(&template.path).to_vec();
                    Some(SourceOrigin {
                        path: Some(path),
                        line: Some(line),
                    })
                })
            });
        }
        self.left = left;
        self.in_templates.insert(reference.to_vec(), found.clone());
        found
    }

    /// Adds the pages that the lines of a template name; of a page only the lines after the start of a list.
    fn add_list(&mut self, file: &TextFile) {
        let folder = self.sources.place(&file.path).map(|(_, folder)| folder);
        let below = folder.map_or(&b""[..], |folder| &file.path[folder.directory.len()..]);
        let directory = [b"/", up_to_slash(below)].concat();
        let mut lines = (1..).zip(file.text.split(|&byte| byte == b'\n'));
        if is_list(&file.text) {
            lines.find(|(_, line)| is_list(line));
        }
        for (line, text) in lines {
            if let Some([_, entry]) = ENTRY.group_at(text, 0) {
                let path = join(&directory, &text[entry]);
                let shown = self.audit.shown(&file.path).to_vec();
                let place = self.lists.entry(stem(&path).to_vec());
                place.or_insert(SourceOrigin {
                    path: Some(shown),
                    line: Some(line),
                });
            }
        }
    }

    /// Reads the templates and configurations, and of the pages those with lists of others.
    fn read_templates(&self) -> Vec<TextFile> {
        let mounts = &self.audit.checker.mounts;
        let is_wanted = |directory: &[u8]| {
            let name = last_name(directory);
            let is_hidden = name.starts_with(b".") && !name.ends_with(b"press");
            let is_built = || mounts.relative_path(directory) == Some(b"");
            !is_hidden && name != b"node_modules" && !is_built()
        };
        let is_page = |path: &[u8]| {
            let place = self.sources.place(path);
            place.is_some_and(|(site, _)| {
                let route = self.sources.routes(site).of_file(path);
                matches!(route, Some(Route::Page { .. }))
            })
        };
        let (mut templates, mut length) = (Vec::new(), 0);
        for path in files_below(self.directory, is_wanted) {
            let is_page = is_page(&path);
            if (is_page || TEMPLATE.is_match(&path[self.directory.len()..]))
                && length < MAX_TEMPLATES
                && let Some(text) = start_of(&path, MAX_TEMPLATE)
                && (!is_page || is_list(&text))
            {
                length += text.len();
                templates.push(TextFile { path, text });
            }
        }
        templates
    }
}

impl Surroundings<'_> {
    /// Returns the line of the match that has most of them; of equal ones the one with the number in the page.
    fn line(&self, text: &[u8], pattern: &Regex, left: &mut u64) -> Option<u64> {
        *left = left.checked_sub(text.len() as u64)?;
        let places = pattern.find_iter(text).take(MAX_MATCHES);
        // The last byte may be a line break after the reference.
        let places = places.map(|found| found.end() - 1);
        let places: Vec<_> = places.map(|at| (self.likeness(text, at), at)).collect();
        *left = left.saturating_sub((places.len() * AROUND) as u64);
        let best = places.iter().map(|(likeness, _)| *likeness).max()?;
        let mut best = places.iter().filter(|(likeness, _)| *likeness == best);
        let (_, at) = best.clone().nth(self.nth).or(best.next_back())?;
        Some(1 + memchr::memchr_iter(b'\n', &text[..*at]).count() as u64)
    }

    fn likeness(&self, text: &[u8], at: usize) -> u8 {
        let start = at.saturating_sub(AROUND);
        let around = &text[start..text.len().min(at + AROUND)];
        let (before, after) = around.split_at(at - start);
        let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', after).map_or(around.len(), |end| before.len() + end);
        let line = &around[line..end];
        let has_text = |part| !self.text.is_empty() && letters(part).contains(&self.text);
        let has_fragment =
            !self.fragment.is_empty() && memchr::memmem::find(line, self.fragment).is_some();
        let by_text = [u8::from(has_text(around)), 2][usize::from(has_text(line))];
        4 * u8::from(has_fragment) + by_text
    }
}

fn is_list(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"toctree").is_some()
}

/// Returns the path of a page without what names its format or an index.
fn stem(path: &[u8]) -> &[u8] {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let mut ends = ENDS.split(' ').skip(1);
    let bare = ends.find_map(|end| path.strip_suffix(end.as_bytes()));
    let bare = bare.unwrap_or(path);
    bare.strip_suffix(b"/index").unwrap_or(bare)
}

fn without_html(path: &[u8]) -> &[u8] {
    let html = path.strip_suffix(b".html").or(path.strip_suffix(b".htm"));
    html.unwrap_or(path)
}

/// Returns patterns of what a reference may be made of, the most certain one first.
fn patterns(reference: &[u8]) -> [Option<Regex>; 5] {
    let whole = |text: &[u8]| {
        let text = escape(str::from_utf8(text).ok().filter(|text| !text.is_empty())?);
        pattern(&format!(r"(?:^|[^\w./%-]){text}\.?(?:$|[^\w./#?&%-])"))
    };
    let decoded: Vec<u8> = percent_decode(reference).collect();
    let path = stem(split_path(&decoded).0);
    let fragment = split_fragment(&decoded).1.unwrap_or_default();
    let name = last_name(path);
    let folder = path[..path.len() - name.len()].strip_suffix(b"/");
    let with_folder = folder.map(|folder| &path[folder.len() - last_name(folder).len()..]);
    [
        whole(reference),
        whole(&decoded),
        with_folder.and_then(name_pattern),
        name_pattern(name),
        name_pattern(fragment),
    ]
}

/// Returns a pattern of a name as the target of a link, with or without an extension.
fn name_pattern(name: &[u8]) -> Option<Regex> {
    let is_name = |name: &&str| name.chars().any(char::is_alphanumeric);
    let name = escape(str::from_utf8(name).ok().filter(is_name)?);
    let extensions = ENDS.split(' ').filter(|end| end.starts_with('.'));
    let ends = extensions.map(escape).collect::<Vec<_>>().join("|");
    pattern(&format!(
        r#"(?i)[(<"'`/=:\[|#]{name}(?:$|[^\w-])|^[ \t*-]*{name}[ \t]*$|\s{name}(?:(?:{ends})\b|/)"#
    ))
}

fn pattern(pattern: &str) -> Option<Regex> {
    let pattern = format!("(?m-u){pattern}");
    (pattern.len() < MAX_PATTERN).then(|| Regex::new(&pattern).ok())?
}

/// Returns the letters and digits of the text of a link, from an offset in its start tag.
fn text_after(page: &[u8], offset: u64) -> Option<String> {
    let rest = page.get(usize::try_from(offset).ok()?..)?;
    let rest = &rest[..rest.len().min(AROUND)];
    let [_, contents] = CONTENTS.group_at(rest, 0)?;
    Some(letters(&MARKUP.replace_all(&rest[contents], &b""[..])))
}

fn letters(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text).to_lowercase();
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect()
}
