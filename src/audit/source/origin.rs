//! The lines of the sources of a built site that findings come from (A121).

use std::iter::once;
use std::slice;

use foldhash::{HashMap, HashSet};
use percent_encoding::percent_decode;
use regex::bytes::Regex;
use regex::escape;

use super::site::*;
use super::{FolderUse, SourceOptions, Sources};
use crate::audit::finding::{FindingDraft, FindingSubject, SourceOrigin};
use crate::audit::location::Audit;
use crate::audit::target::{split_fragment, split_path};

/// Maximum length in bytes of a page or a source that is read.
const MAX_PAGE: u64 = 4 << 20;
/// Maximum length in bytes of a template that is read, of all of them, and of the letters of all pages.
const MAX_TEMPLATE: u64 = 256 << 10;
const MAX_TEMPLATES: usize = 8 << 20;
const MAX_LETTERS: usize = 64 << 20;
/// The bytes that all searches of a run may read; takes a few seconds.
const MAX_SEARCHED: u64 = 4 << 30;
/// Maximum length in bytes of a pattern; longer references are not found.
const MAX_PATTERN: usize = 4096;
/// The matches of a pattern that are compared, and the bytes on each side of them.
const MAX_MATCHES: usize = 1000;
const AROUND: usize = 400;
/// The letters before a link and in it that are compared, and those that may be compared.
const MIN_QUOTE: usize = 12;
const SHORT_QUOTE: usize = 6;
/// The pages with a text that are searched.
const MAX_QUOTING: usize = 16;
/// The bytes of a list before a place in it that may say that the list is hidden.
const MAX_HIDDEN: usize = 8 << 10;
/// The lines at the start of a page that may hold its title.
const MAX_TITLE: usize = 40;

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
/// Interpreted text of reStructuredText and MyST: the role before it, and the target after it.
static ROLE: Pattern = Pattern::new(r"(?::[a-z:]+:|\{[a-z:]+\})`|<[^<>`]*>`");
/// The tags around links that templates make.
static NAVIGATION: Pattern = Pattern::new(r"(?i)<(/?)(?:nav|aside|head(?:er)?|footer)\b");
/// A list of pages that its page does not show, up to the end of a text.
static HIDDEN: Pattern =
    Pattern::new(r"(?-s)hidden:.*(?:\n\s*(?:[^\s:`]\S*|:[^:\n].*|[^\s:`].*[:<].*)?\s*)*\z");
static TITLE: Pattern = Pattern::new(r"(?i)^[\W_]*(?:link_?)?title\W*[:=]");

#[derive(Default)]
struct TextFile {
    path: Vec<u8>,
    text: Vec<u8>,
}

/// What a line of a source should have beside a reference.
#[derive(Default)]
struct Surroundings<'r> {
    fragment: &'r [u8],
    /// The letters of the text of the link, and with those before it.
    text: String,
    quote: String,
    /// The number among the same references in the page.
    nth: usize,
    /// Patterns of what the reference may be made of, the most certain one first.
    patterns: [Option<String>; 7],
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
    /// The ends of tags around navigation in the page, and the depth in it from there on.
    navigation: Vec<(usize, usize)>,
    /// The path of the page below the root of its site.
    url: Vec<u8>,
    /// The findings of the page by their references and texts.
    counts: HashMap<Vec<u8>, usize>,
    /// The files of the sources.
    files: Vec<Vec<u8>>,
    /// Their names.
    names: HashSet<Vec<u8>>,
    templates: Option<Vec<TextFile>>,
    /// The paths and the letters of pages, in the order of lists.
    letters: Option<Vec<(Vec<u8>, String)>>,
    /// The places in lists of pages, by the paths of pages without their ends.
    lists: HashMap<Vec<u8>, Vec<SourceOrigin>>,
    /// The results of patterns in templates; the titles of targets, by their paths, NUL and the texts of links.
    known: HashMap<Vec<u8>, Option<SourceOrigin>>,
    /// The bytes that may still be searched.
    left: u64,
    left_for_quotes: u64,
}

impl<'a> OriginSearch<'a> {
    /// `directory` has its slash.
    pub(in crate::audit) fn new(audit: &'a Audit, directory: &'a [u8]) -> Self {
        let options = SourceOptions {
            is_off: false,
            ..audit.options.sources.clone()
        };
        let named = once(directory.to_vec());
        let sources = Sources::new(&options, named, &audit.checker.tree);
        let mut order: Vec<_> = (0..sources.sites.len()).collect();
        order.sort_by_key(|&site| !sources.sites[site].directory.starts_with(directory));
        let is_wanted = |directory: &[u8]| {
            let name = last_name(directory);
            let is_hidden = name.starts_with(b".") && !name.ends_with(b"press");
            let is_built = || audit.checker.mounts.relative_path(directory) == Some(b"");
            !is_hidden && name != b"node_modules" && !is_built()
        };
        let files = files_below(directory, is_wanted);
        OriginSearch {
            audit,
            directory,
            sources,
            order,
            page: TextFile::default(),
            source: TextFile::default(),
            navigation: Vec::new(),
            url: Vec::new(),
            counts: HashMap::default(),
            names: files.iter().map(|path| last_name(path).to_vec()).collect(),
            files,
            templates: None,
            letters: None,
            lists: HashMap::default(),
            known: HashMap::default(),
            left: MAX_SEARCHED,
            left_for_quotes: MAX_SEARCHED,
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
        let origin = SourceOrigin { path, line: None };
        let FindingSubject::Link(link) = draft.subject else {
            return origin;
        };
        let span = link.exact_span().filter(|_| link.member.is_none());
        let place =
            span.and_then(|span| Some((span.start.try_into().ok()?, span.end.try_into().ok()?)));
        let (quote, text) = place
            .and_then(|place| texts_around(&self.page.text, place))
            .unwrap_or_default();
        let is_navigation = place.is_some_and(|(start, _)| self.is_navigation(start));
        let reference = link.reference;
        let key = [reference, &[0, is_navigation.into()], text.as_bytes()].concat();
        let count = self.counts.entry(key).or_default();
        let mut surroundings = Surroundings {
            fragment: split_fragment(reference).1.unwrap_or_default(),
            text,
            quote,
            nth: *count,
            ..Surroundings::default()
        };
        *count += 1;
        let path = split_path(reference).0;
        let target = (!path.is_empty()).then(|| join(up_to_slash(&self.url), path));
        let target = target.as_deref();
        let dots = reference.iter().take_while(|byte| b"./".contains(byte));
        let bare = &reference[dots.count()..];
        let whole = str::from_utf8(bare).ok().filter(|text| text.len() > 2);
        let whole = whole.map(|text| format!(r"(?:^|[^\w%-]){}(?:$|[^\w/%-])", escape(text)));
        let name = name_pattern(without_html(split_path(bare).0));
        let file = target.and_then(|target| self.routed(target));
        let file = file.map(|file| self.path_below(file)).unwrap_or_default();
        surroundings.patterns = patterns(reference, last_name(stem(&file)));
        let is_of_list = is_navigation || surroundings.fragment.is_empty();
        let own = &self.source;
        let is_of_titles = is_of_list || own.path.is_empty() || is_list(&own.text);
        let found = (!is_navigation).then(|| self.in_page(&surroundings, target));
        found
            .flatten()
            .or_else(|| {
                let target = target.filter(|_| is_of_list)?;
                self.listed([target, &file], surroundings.nth)
            })
            .or_else(|| self.in_templates(whole?))
            .or_else(|| {
                let (target, text) = (target.filter(|_| is_of_titles)?, &surroundings.text);
                let key = [target, b"\0", text.as_bytes()].concat();
                self.once(key, |search| search.find_title(target, text))
            })
            .or_else(|| is_navigation.then(|| self.in_page(&surroundings, target))?)
            .or_else(|| self.in_templates(name.filter(|_| is_of_list)?))
            .unwrap_or(origin)
    }

    fn enter(&mut self, document: &[u8]) {
        let page = self.audit.absolute(document);
        let below = self.audit.checker.mounts.relative_path(&page);
        self.url = [b"/", below.unwrap_or_default()].concat();
        let text = start_of(&page, MAX_PAGE).unwrap_or_default();
        let is_copied = |path: &Vec<u8>| {
            path.ends_with(&self.url)
                && start_of(path, MAX_PAGE).is_some_and(|copied| copied == text)
        };
        let source = self.find_source(&self.url);
        let has_name = self.names.contains(last_name(&self.url));
        // Sites of many pages without a source compare each with all files.
        let cost = 8 * self.files.len() as u64 * u64::from(source.is_none() && has_name);
        let is_affordable = self.left > cost;
        self.left = self.left.saturating_sub(cost);
        let mut files = self.files.iter().filter(|_| has_name && is_affordable);
        let source = source.or_else(|| files.find(|path| is_copied(path)).cloned());
        let path = source.unwrap_or_default();
        let source = start_of(&path, MAX_PAGE).unwrap_or_default();
        self.source = TextFile { path, text: source };
        self.counts.clear();
        self.navigation.clear();
        if !self.source.path.ends_with(b".html") {
            let tags = NAVIGATION.find_iter(&text);
            let mut depth = 0_usize;
            let tags = tags.map(|tag| {
                let closes = tag.as_bytes()[1] == b'/';
                depth = (depth + 1).saturating_sub(2 * usize::from(closes));
                (tag.end(), depth)
            });
            self.navigation.extend(tags);
        }
        self.page.text = text;
        self.page.path = document.to_vec();
    }

    /// Returns the source of a page by the routes of the sites.
    fn routed(&self, url: &[u8]) -> Option<&[u8]> {
        let bare = without_html(url);
        let with_slash = [bare, b"/"].concat();
        let urls = [url, bare, &*with_slash];
        let routed = self.order.iter().find_map(|&site| {
            let routes = self.sources.routes(&self.sources.sites[site]);
            urls.iter().find_map(|url| routes.find(url))
        });
        routed.map(|(file, _)| file)
    }

    /// Returns the source of a page by the routes of the sites, else by its path.
    fn find_source(&self, url: &[u8]) -> Option<Vec<u8>> {
        if let Some(file) = self.routed(url) {
            return Some(file.to_vec());
        }
        let bare = without_html(url);
        let sites = self.sources.sites.iter();
        let folders = sites.flat_map(|site| &site.site.folders);
        let folders = folders.filter(|folder| folder.kind != FolderUse::Output);
        let folders = folders.map(|folder| &*folder.directory);
        let stems = [bare, bare.strip_suffix(b"/index").unwrap_or(bare)];
        let mut paths = once(self.directory).chain(folders).flat_map(|folder| {
            let ends = ENDS.split(' ');
            let ends = ends.flat_map(|end| stems.map(|stem| (stem, end)));
            ends.map(move |(stem, end)| join(folder, &[b".", stem, end.as_bytes()].concat()))
        });
        paths.find(|path| path_of(path).is_file())
    }

    fn is_navigation(&self, at: usize) -> bool {
        let before = self.navigation.partition_point(|(end, _)| *end <= at);
        before > 0 && self.navigation[before - 1].1 > 0
    }

    /// Searches the source of the page, then the code that it documents; if the page has no source, the pages that
    /// have the text around the link.
    fn in_page(
        &mut self,
        surroundings: &Surroundings<'_>,
        target: Option<&[u8]>,
    ) -> Option<SourceOrigin> {
        let own = Some(&self.source).filter(|file| !file.path.is_empty());
        let documents_code = own.map(|file| memchr::memmem::find(&file.text, b".. auto").is_some());
        let mut left = self.left;
        let own = own.map(slice::from_ref);
        let own = own.and_then(|own| self.in_files(own, surroundings, None, &mut left));
        let found = own.or_else(|| {
            let files = match documents_code {
                Some(false) => Vec::new(),
                _ => self.quoted(&surroundings.quote, documents_code.is_some()),
            };
            let target = target.filter(|_| documents_code.is_none());
            self.in_files(&files, surroundings, target, &mut left)
        });
        self.left = left;
        found
    }

    /// Returns the place that is most like a link among the matches of the first pattern that has some.
    fn in_files(
        &self,
        files: &[TextFile],
        surroundings: &Surroundings<'_>,
        target: Option<&[u8]>,
        left: &mut u64,
    ) -> Option<SourceOrigin> {
        let patterns = surroundings.patterns.iter().flatten();
        let mut patterns = patterns.filter(|_| !files.is_empty());
        patterns.find_map(|pattern| {
            let pattern = compile(pattern)?;
            let places = files.iter().flat_map(|file| {
                let places = surroundings.places(&file.text, &pattern, left).into_iter();
                places.map(move |(likeness, at)| (likeness, file, at))
            });
            let places = places.filter(|(_, file, at)| {
                let before = &file.text[at.saturating_sub(MAX_HIDDEN)..*at];
                !HIDDEN.is_match(before) && self.is_link_to(target, file, *at)
            });
            let mut places: Vec<_> = places.collect();
            let best = places.iter().map(|(likeness, ..)| *likeness).max();
            places.retain(|(likeness, ..)| Some(*likeness) == best);
            let (_, file, at) = places.get(surroundings.nth).or(places.last())?;
            Some(self.place_in(file, *at))
        })
    }

    /// Returns whether a place in a page links to a path, from the page's file or from its directory URL.
    fn is_link_to(&self, target: Option<&[u8]>, file: &TextFile, at: usize) -> bool {
        let Some(target) = target else {
            return true;
        };
        let word = split_path(word_at(&file.text, at)).0;
        let page = self.path_below(&file.path);
        let directories = [up_to_slash(&page).to_vec(), [stem(&page), b"/"].concat()];
        let mut targets = directories.iter().map(|directory| join(directory, word));
        targets.any(|linked| stem(&linked) == stem(target))
    }

    fn line_of(&self, path: &[u8], line: u64) -> SourceOrigin {
        SourceOrigin {
            path: Some(self.audit.shown(path).to_vec()),
            line: Some(line),
        }
    }

    fn place_in(&self, file: &TextFile, at: usize) -> SourceOrigin {
        let before = memchr::memchr_iter(b'\n', &file.text[..at]).count();
        self.line_of(&file.path, 1 + before as u64)
    }

    /// Returns the result of a search that may have been made before.
    fn once(
        &mut self,
        key: Vec<u8>,
        search: impl FnOnce(&mut Self) -> Option<SourceOrigin>,
    ) -> Option<SourceOrigin> {
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = search(self);
        self.known.insert(key, found.clone());
        found
    }

    /// Returns the pages that have a text, in the order of lists, or the files of code.
    fn quoted(&mut self, quote: &str, of_code: bool) -> Vec<TextFile> {
        if quote.len() < SHORT_QUOTE {
            return Vec::new();
        }
        self.read_templates();
        if self.letters.is_none() {
            self.letters = Some(self.read_letters());
        }
        let quote = memchr::memmem::Finder::new(quote);
        let mut pages = Vec::new();
        for (path, letters) in self.letters.iter().flatten() {
            let left = self.left_for_quotes.saturating_sub(letters.len() as u64);
            self.left_for_quotes = left;
            if left == 0 || pages.len() == MAX_QUOTING {
                break;
            }
            if is_code(path) == of_code
                && quote.find(letters.as_bytes()).is_some()
                && let Some(text) = start_of(path, MAX_PAGE)
            {
                self.left_for_quotes = left.saturating_sub(text.len() as u64);
                let path = path.clone();
                pages.push(TextFile { path, text });
            }
        }
        pages
    }

    fn read_letters(&self) -> Vec<(Vec<u8>, String)> {
        let mut left = MAX_LETTERS;
        let read = |path: &Vec<u8>| {
            let letters = letters(&start_of(path, MAX_PAGE)?);
            left = left.checked_sub(letters.len())?;
            Some((path.clone(), letters))
        };
        let is_text = |path: &&Vec<u8>| is_code(path) || self.is_page(path);
        let pages = self.files.iter().filter(is_text);
        let mut pages: Vec<_> = pages.filter_map(read).collect();
        pages.sort_by_key(|(path, _)| {
            let places = self.lists.get(stem(&self.path_below(path)));
            places.map_or(u64::MAX, |places| places[0].line.unwrap_or_default())
        });
        pages
    }

    /// Returns the place in lists of a page by its URL or its file.
    fn listed(&mut self, paths: [&[u8]; 2], nth: usize) -> Option<SourceOrigin> {
        self.read_templates();
        let mut paths = paths.iter().filter(|path| !path.is_empty());
        let places = paths.find_map(|path| self.lists.get(stem(path)))?;
        places.get(nth).or(places.last()).cloned()
    }

    fn in_templates(&mut self, pattern: String) -> Option<SourceOrigin> {
        self.read_templates();
        let regex = compile(&pattern)?;
        self.once(pattern.into_bytes(), |search| {
            let mut left = search.left;
            let found = search.templates.iter().flatten().find_map(|file| {
                let places = Surroundings::default().places(&file.text, &regex, &mut left);
                let places = places.into_iter().rev();
                let (_, first) = places.max_by_key(|(likeness, _)| *likeness)?;
                Some(search.place_in(file, first))
            });
            search.left = left;
            found
        })
    }

    /// Returns the line of the title of a page that a theme lists.
    fn find_title(&self, target: &[u8], text: &str) -> Option<SourceOrigin> {
        let source = self.find_source(target).filter(|_| text.len() > 1)?;
        let page = start_of(&source, MAX_TEMPLATE)?;
        let lines = page.split(|&byte| byte == b'\n');
        let is_text = |line: &[u8]| {
            let value = memchr::memchr2(b':', b'=', line).map_or(0, |at| at + 1);
            letters(line) == text || letters(&line[value..]) == text
        };
        let line = lines.clone().position(is_text);
        let mut first = lines.take(MAX_TITLE);
        let line = line.or_else(|| first.position(|line| TITLE.is_match(line)))?;
        Some(self.line_of(&source, 1 + line as u64))
    }

    /// Returns the path of a file in its site.
    fn path_below(&self, path: &[u8]) -> Vec<u8> {
        let folder = self.sources.place(path).map(|(_, folder)| folder);
        let below = folder.map_or(&b""[..], |folder| &path[folder.directory.len()..]);
        [b"/", below].concat()
    }

    fn is_page(&self, path: &[u8]) -> bool {
        let place = self.sources.place(path);
        place.is_some_and(|(found, _)| {
            let route = self.sources.routes(found).of_file(path);
            matches!(route, Some(Route::Page { .. }))
        })
    }

    /// Adds the pages that the lines of a template name; of a page only the lines after the start of a list.
    fn add_list(&mut self, file: &TextFile) {
        let below = self.path_below(&file.path);
        let mut lines = (1..).zip(file.text.split(|&byte| byte == b'\n'));
        if is_list(&file.text) {
            lines.find(|(_, line)| is_list(line));
        }
        for (line, text) in lines {
            if let Some([_, entry]) = ENTRY.group_at(text, 0) {
                let path = join(up_to_slash(&below), &text[entry]);
                let place = self.line_of(&file.path, line);
                let places = self.lists.entry(stem(&path).to_vec());
                places.or_default().push(place);
            }
        }
    }

    /// Reads the templates and configurations, and of the pages those with lists of others.
    fn read_templates(&mut self) {
        if self.templates.is_some() {
            return;
        }
        let (mut templates, mut length) = (Vec::new(), 0);
        for path in &self.files {
            let is_page = self.is_page(path);
            if (is_page || TEMPLATE.is_match(&path[self.directory.len()..]))
                && length < MAX_TEMPLATES
                && let Some(text) = start_of(path, MAX_TEMPLATE)
                && (!is_page || is_list(&text))
            {
                length += text.len();
                let path = path.clone();
                templates.push(TextFile { path, text });
            }
        }
        templates.iter().for_each(|file| self.add_list(file));
        self.templates = Some(templates);
    }
}

impl Surroundings<'_> {
    /// Returns the ends of the matches and how like the link they are.
    fn places(&self, text: &[u8], pattern: &Regex, left: &mut u64) -> Vec<([bool; 5], usize)> {
        let Some(rest) = left.checked_sub(text.len() as u64) else {
            return Vec::new();
        };
        let places = pattern.find_iter(text).take(MAX_MATCHES);
        // The last byte may be a line break after the reference.
        let places = places.map(|found| found.end() - 1);
        let places: Vec<_> = places.map(|at| (self.likeness(text, at), at)).collect();
        *left = rest.saturating_sub((places.len() * AROUND) as u64);
        places
    }

    fn likeness(&self, text: &[u8], at: usize) -> [bool; 5] {
        let start = at.saturating_sub(AROUND);
        let around = &text[start..text.len().min(at + AROUND)];
        let (before, after) = around.split_at(at - start);
        let mut breaks = memchr::memrchr_iter(b'\n', before).map(|at| at + 1);
        let (line, near) = (breaks.next().unwrap_or(0), breaks.next().unwrap_or(0));
        let end = memchr::memchr(b'\n', after).map_or(around.len(), |end| before.len() + end);
        let (line, near) = (&around[line..end], letters(&around[near..end]));
        let around = letters(around);
        let has = |letters: &str, text: &str| !text.is_empty() && letters.contains(text);
        let has_fragment = match self.fragment {
            b"" => !word_at(text, at).contains(&b'#'),
            fragment => memchr::memmem::find(line, fragment).is_some(),
        };
        let has_text = has(&letters(line), &self.text);
        [
            has_fragment,
            has_text,
            has(&near, &self.quote),
            has(&around, &self.text),
            has(&around, &self.quote),
        ]
    }
}

fn is_code(path: &[u8]) -> bool {
    path.ends_with(b".py")
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

/// Returns the patterns of a reference; `file` is the name of its target.
fn patterns(reference: &[u8], file: &[u8]) -> [Option<String>; 7] {
    let whole = |text: &[u8]| {
        let text = escape(str::from_utf8(text).ok().filter(|text| !text.is_empty())?);
        Some(format!(r"(?:^|[^\w./%-]){text}\.?(?:$|[^\w./#?&%-])"))
    };
    let decoded: Vec<u8> = percent_decode(reference).collect();
    let path = stem(split_path(&decoded).0);
    let fragment = split_fragment(&decoded).1.unwrap_or_default();
    let term = fragment.strip_prefix(b"term-");
    let name = last_name(path);
    let other = Some(file).filter(|file| !file.eq_ignore_ascii_case(name));
    let folder = path[..path.len() - name.len()].strip_suffix(b"/");
    let with_folder = folder.map(|folder| &path[folder.len() - last_name(folder).len()..]);
    [
        whole(reference),
        whole(&decoded),
        term.and_then(name_pattern),
        with_folder.and_then(name_pattern),
        other.and_then(name_pattern),
        name_pattern(name),
        name_pattern(fragment),
    ]
}

/// Returns a pattern of a name as the target of a link, with or without an extension.
fn name_pattern(name: &[u8]) -> Option<String> {
    let is_name = |name: &&str| name.chars().any(char::is_alphanumeric);
    let name = escape(str::from_utf8(name).ok().filter(is_name)?).replace(r"\-", "[-_ /:.]");
    let extensions = ENDS.split(' ').filter(|end| end.starts_with('.'));
    let ends = extensions.map(escape).collect::<Vec<_>>().join("|");
    Some(format!(
        r#"(?i)[(<"'`/=:\[|#,]{name}(?:$|[^\w(-])|^[ \t*#-]*{name}[ \t!?.]*$|\s{name}(?:(?:{ends})\b|/)"#
    ))
}

fn compile(pattern: &str) -> Option<Regex> {
    let pattern = format!("(?m-u){pattern}");
    (pattern.len() < MAX_PATTERN).then(|| Regex::new(&pattern).ok())?
}

/// Returns the letters and digits of the text of a link with those before it, and of the text.
fn texts_around(page: &[u8], (start, end): (usize, usize)) -> Option<(String, String)> {
    let after = page.get(end..)?;
    let contents = CONTENTS.group_at(&after[..after.len().min(AROUND)], 0);
    let contents = contents.map_or(&b""[..], |[_, contents]| &after[contents]);
    let text = letters(&MARKUP.replace_all(contents, &b""[..]));
    let mut before = String::new();
    let parts = page.get(start.saturating_sub(AROUND)..start)?;
    for part in parts.rsplit(|&byte| byte == b'<').skip(1) {
        if let Some(end) = memchr::memchr(b'>', part) {
            let part = MARKUP.replace_all(&part[end..], &b""[..]);
            before.insert_str(0, &letters(&part));
        }
        let is_long = !before.is_empty() && before.len() + text.len() >= MIN_QUOTE;
        if is_long || part.starts_with(b"/a") {
            break;
        }
    }
    let is_quote = !before.is_empty();
    before.push_str(&text);
    Some((if is_quote { before } else { String::new() }, text))
}

/// Returns the word of a text at an offset, of a long one the part around it.
fn word_at(text: &[u8], at: usize) -> &[u8] {
    let is_end = |byte: &u8| b" \t\r\n()<>\"'`[]=".contains(byte);
    let start = at.saturating_sub(AROUND);
    let before = text[start..at].iter().rposition(is_end);
    let after = &text[at..text.len().min(at + AROUND)];
    let end = after.iter().position(is_end).unwrap_or(after.len());
    &text[before.map_or(start, |end| start + end + 1)..at + end]
}

fn letters(text: &[u8]) -> String {
    let text = ROLE.replace_all(text, &b""[..]);
    let text = String::from_utf8_lossy(&text).to_lowercase();
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect()
}
