//! The successors of removed pages and ids: added pages with the same content, and added ids at the same
//! headings.

use std::io;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::names::{FileId, words};
use super::rules::RuleId;
use super::target::TargetLocation;
use super::targets::{Inventory, TargetPage, with_id};
use crate::bytes::pattern::Pattern;
use crate::pipeline::options::{FNV1A_START, fnv1a};

/// In bytes of a page that is compared.
const LONGEST: u64 = 1 << 20;
/// The words of a shingle.
const SHINGLE: usize = 4;
/// The shingles of a page that are compared: those with the smallest hashes.
const MOST_SHINGLES: usize = 512;
/// A shingle on more pages of one side is part of their frame.
const FRAME: usize = 8;
/// Of the shingles of two pages, those that both have, in percent.
const ALIKE: usize = 60;
/// In bytes of a heading.
const HEADING: usize = 400;

static MAIN: Pattern = Pattern::new(r#"(?i)<main\b|\brole="main"|<article\b|<h1\b"#);
static MAIN_END: Pattern = Pattern::new("(?i)</main|</article|<footer");
static TITLE: Pattern = Pattern::new("(?i)(?:<title[^>]*>|^# |\n# )([^<\n]*)");
static TAG: Pattern =
    Pattern::new(r"(?i)<script\b.*?(?:</script[^>]*>|\z)|<style\b.*?(?:</style[^>]*>|\z)|<[^>]*>");
static HEADING_END: Pattern = Pattern::new("(?i)</h|\n");

/// An address that the new set does not answer as the old one did.
pub(super) struct Missing {
    pub(super) rule: RuleId,
    /// As shown.
    pub(super) path: Vec<u8>,
    /// Without fragment; of a page all forms that are missing.
    pub(super) uris: Vec<Vec<u8>>,
    pub(super) id: Option<Box<[u8]>>,
    /// The old file, and the file in the new tree that lacks the id.
    pub(super) files: (Option<FileId>, Option<FileId>),
    /// The new address, as a URI.
    pub(super) successor: Option<Vec<u8>>,
}

impl Missing {
    pub(super) fn new(rule: RuleId, path: &[u8], uri: &[u8]) -> Self {
        Missing {
            rule,
            path: path.to_vec(),
            uris: vec![uri.to_vec()],
            id: None,
            files: (None, None),
            successor: None,
        }
    }

    pub(super) fn is_page(&self) -> bool {
        self.rule == RuleId::RemovedPage
    }
}

/// The content by which pages are compared.
struct PageContent {
    uri: Vec<u8>,
    title: Vec<u8>,
    /// The hash of all ids; zero without any.
    ids: u64,
    shingles: Vec<u64>,
}

/// An id with its heading and its neighbours.
struct PageHeading<'a> {
    id: &'a [u8],
    text: Vec<u8>,
    before: &'a [u8],
    after: &'a [u8],
}

/// Sets the successors of addresses that the old side has and the new one lacks.
pub(super) fn find(old: &Inventory, new: &Inventory, missing: &mut [Missing]) -> io::Result<()> {
    let mut wanted = HashMap::new();
    let mut changed = HashSet::new();
    for (index, one) in missing.iter().enumerate() {
        match one.files {
            (Some(old), Some(new)) => {
                wanted.entry(old).or_insert_with(Vec::new).push(index);
                changed.insert(new);
            }
            (Some(old), None) if one.is_page() => {
                wanted.insert(old, vec![index]);
            }
            _ => {}
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let (mut added, mut pages) = (Vec::new(), HashMap::new());
    new.visit(|page| {
        if changed.contains(&page.file) {
            pages.insert(page.file, (page.canonical().to_vec(), page.ids.clone()));
        }
        let before = old.audit.checker.locate(page.canonical());
        if !matches!(before, TargetLocation::File(..)) {
            added.push(content(new, page));
        }
        Ok(())
    })?;
    let (mut removed, mut owners) = (Vec::new(), Vec::new());
    old.visit(|page| {
        let Some(indices) = wanted.get(&page.file) else {
            return Ok(());
        };
        if missing[indices[0]].is_page() {
            owners.push(indices[0]);
            removed.push(content(old, page));
            return Ok(());
        }
        let text = read(old, page.file);
        let old_headings = headings(&text, &page.ids);
        let file = missing[indices[0]].files.1;
        let Some((file, (uri, ids))) = file.and_then(|file| Some((file, pages.get(&file)?))) else {
            return Ok(());
        };
        let text = read(new, file);
        let known: HashSet<&[u8]> = page.ids.iter().map(|(id, _)| &**id).collect();
        let mut new_headings = headings(&text, ids);
        new_headings.retain(|heading| !known.contains(heading.id));
        for &index in indices {
            let one = &mut missing[index];
            let mut headings = old_headings.iter();
            let heading = headings.find(|heading| Some(heading.id) == one.id.as_deref());
            let id = heading.and_then(|heading| heading.successor(&new_headings));
            one.successor = id.map(|id| with_id(uri, id));
        }
        Ok(())
    })?;
    drop_frame(&mut added);
    drop_frame(&mut removed);
    for (page, owner) in pairs(&removed, &added).into_iter().zip(owners) {
        missing[owner].successor = page.map(|page| added[page].uri.clone());
    }
    Ok(())
}

fn content(side: &Inventory, page: &TargetPage) -> PageContent {
    // Hashes that never change: the shingles that are compared are the same in each run.
    let hash = |bytes: &[u8]| fnv1a(FNV1A_START, bytes);
    let text = read(side, page.file);
    let sum = |sum: u64, (id, _): &(Box<[u8]>, u64)| sum.wrapping_add(hash(id));
    // Without the frame around the contents, as far as markup shows it.
    let main = &text[MAIN.find(&text).map_or(0, |start| start.start())..];
    let end = MAIN_END.find(main).map_or(main.len(), |end| end.start());
    let shown = visible(&main[..end]);
    let words = words(&shown).filter(|word| !word.is_empty());
    let words: Vec<u64> = words.map(hash).collect();
    let shingles = words.windows(SHINGLE.min(words.len()).max(1));
    let joined = |hash, word: &u64| fnv1a(hash, &word.to_le_bytes());
    let shingles = shingles.map(|shingle| shingle.iter().fold(FNV1A_START, joined));
    let mut shingles: Vec<u64> = shingles.collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles.truncate(MOST_SHINGLES);
    PageContent {
        uri: page.canonical().to_vec(),
        title: title(&text),
        ids: page.ids.iter().fold(0, sum),
        shingles,
    }
}

fn read(side: &Inventory, file: FileId) -> Vec<u8> {
    let checker = &side.audit.checker;
    let text = checker.tree.read(&checker.paths.path(file), LONGEST);
    text.unwrap_or_default()
}

/// Removes the shingles that many pages of a side share.
fn drop_frame(pages: &mut [PageContent]) {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for shingle in pages.iter().flat_map(|page| &page.shingles) {
        *counts.entry(*shingle).or_default() += 1;
    }
    let most = FRAME.max(pages.len() / 10);
    for page in pages {
        page.shingles.retain(|shingle| counts[shingle] <= most);
    }
}

/// Returns the index of the added page that each removed one has become, if one is the most alike.
fn pairs(removed: &[PageContent], added: &[PageContent]) -> Vec<Option<usize>> {
    let mut by_shingle: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut by_title: HashMap<(&[u8], u64), Option<usize>> = HashMap::new();
    for (index, page) in added.iter().enumerate() {
        for &shingle in &page.shingles {
            by_shingle.entry(shingle).or_default().push(index);
        }
        let only = by_title.entry((&page.title, page.ids));
        only.and_modify(|only| *only = None).or_insert(Some(index));
    }
    let best = |page: &PageContent| {
        let mut common: HashMap<usize, usize> = HashMap::new();
        for shingle in &page.shingles {
            for index in by_shingle.get(shingle).into_iter().flatten() {
                *common.entry(*index).or_default() += 1;
            }
        }
        let scores = common.into_iter().map(|(index, common)| {
            let all = page.shingles.len() + added[index].shingles.len() - common;
            let same_name = name(&page.uri) == name(&added[index].uri);
            (common * 100 / all.max(1), same_name, index)
        });
        let mut scores: Vec<_> = scores.filter(|(score, ..)| *score > ALIKE).collect();
        scores.sort_unstable_by(|one, other| other.cmp(one));
        match scores[..] {
            [] => {
                let is_known = page.ids != 0 && !page.title.is_empty();
                let same = by_title.get(&(page.title.as_slice(), page.ids));
                same.copied().flatten().filter(|_| is_known)
            }
            [first, second, ..] if (first.0, first.1) == (second.0, second.1) => None,
            [(_, _, index), ..] => Some(index),
        }
    };
    removed.iter().map(best).collect()
}

/// Returns the last name of an address that is not an index.
fn name(uri: &[u8]) -> &[u8] {
    let mut names = uri.rsplit(|&byte| byte == b'/');
    let name = names.next().unwrap_or_default();
    match name.split(|&byte| byte == b'.').next() {
        Some(b"" | b"index") => names.next().unwrap_or_default(),
        stem => stem.unwrap_or_default(),
    }
}

impl PageHeading<'_> {
    /// Returns the id with the same text or the same neighbours, if one fits best.
    fn successor<'h>(&self, added: &[PageHeading<'h>]) -> Option<&'h [u8]> {
        let score = |other: &PageHeading<'_>| {
            let same_text = !self.text.is_empty() && self.text == other.text;
            let near = |one: &[u8], other: &[u8]| usize::from(!one.is_empty() && one == other);
            2 * usize::from(same_text)
                + near(self.before, other.before)
                + near(self.after, other.after)
        };
        let best = added.iter().max_by_key(|other| score(other))?;
        let most = score(best);
        let is_only = added.iter().filter(|other| score(other) == most).count() == 1;
        (most > 1 && is_only).then_some(best.id)
    }
}

fn headings<'p>(text: &[u8], ids: &'p [(Box<[u8]>, u64)]) -> Vec<PageHeading<'p>> {
    let id = |index: usize| ids.get(index).map_or(&b""[..], |(id, _)| id);
    let heading = |(index, (name, offset)): (usize, &'p (Box<[u8]>, u64))| {
        let at = (*offset).min(text.len() as u64) as usize;
        let opened = memchr::memrchr2(b'<', b'>', &text[..at]);
        let is_in_tag = opened.is_some_and(|opened| text[opened] == b'<');
        let end = memchr::memchr(b'>', &text[at..]).filter(|_| is_in_tag);
        let start = end.map_or(at, |end| at + end + 1);
        let part = text[start..].trim_ascii_start();
        let end = HEADING_END.find(part).map_or(part.len(), |end| end.start());
        let shown = visible(&part[..end.min(HEADING)]);
        let words: Vec<_> = words(&shown).collect();
        PageHeading {
            id: name,
            text: words.join(&b' ').to_ascii_lowercase(),
            before: index.checked_sub(1).map_or(b"", id),
            after: id(index + 1),
        }
    };
    ids.iter().enumerate().map(heading).collect()
}

/// Returns the title of a page, or the first heading of Markdown.
fn title(text: &[u8]) -> Vec<u8> {
    let title = TITLE.group_at(text, 0).map_or(0..0, |[_, title]| title);
    visible(&text[title]).trim_ascii().to_vec()
}

/// Returns the text outside of tags, scripts and style sheets.
fn visible(text: &[u8]) -> Vec<u8> {
    TAG.replace_all(text, &b" "[..]).into_owned()
}
