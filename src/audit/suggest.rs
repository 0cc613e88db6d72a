//! Suggestions for broken references: a file of the same name elsewhere, or the nearest existing
//! name within two edits.
//!
//! A search compares the wanted name with all names whose sets of bytes are near, and a
//! [`SuggestionBudget`] bounds the cost of all searches of a run.
//!
//! Candidates are the names in directories, as they were listed for lookups, the files of the
//! walk, and the names in a document, which is read again when one is missing.

use std::hash::BuildHasher;
use std::ops::ControlFlow;
use std::sync::Arc;

use encoding_rs::WINDOWS_1252;
use foldhash::{HashMap, HashMapExt};

use super::collect::read_at;
use super::disk::{DiskEntry, MissingName};
use super::evaluator::COPIED;
use super::finding::{FindingDraft, FindingSubject, Repair, Suggestion, SuggestionHint};
use super::hint::{MovedFiles, suggestion};
use super::location::Audit;
use super::names::{FileId, NameIndex, NameOrder, byte_set, common_prefix, words};
use super::rewrite::{ReferenceForm, steps_above};
use super::site::Site;
use super::target::{
    ExpectedPath, TargetChecker, percent_decoded, required_name, split_fragment, split_name,
    split_path,
};
use crate::bytes::interner::Interner;
use crate::linker::{Found, Link, Sink};
use crate::pipeline::archive::ArchiveSink;
use crate::pipeline::members;
use crate::pipeline::read::FileReader;
use crate::pipeline::walk::EntryKind;

/// The most edits (insert, delete, replace a byte) between a name and its suggestion. Names of this
/// length or less are neither suggested nor searched for.
const LIMIT: usize = 2;
/// Minimum length in characters; shorter names are suggested only for another case.
const SHORT: usize = 4;
/// The names in a path that are replaced at most.
const MOST_NAMES: usize = 8;

/// In comparisons of two names of up to 63 bytes. To compare 16 sets of bytes, to sort 16 bytes of
/// names, and to read one byte of a document cost as much.
pub(super) struct SuggestionBudget(u64);

impl SuggestionBudget {
    /// If less is left, takes all of it and returns false.
    fn take(&mut self, cost: u64) -> bool {
        let is_enough = cost <= self.0;
        self.0 = self.0.saturating_sub(cost);
        is_enough
    }

    fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// A third of the length, up to the limit.
fn most_edits(name: &[u8]) -> usize {
    let characters = name.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    let most = (name.len() / 3).min(LIMIT);
    if characters < SHORT { 0 } else { most }
}

/// Returns the nearest accepted name at most `limit` edits away; of equally near names the first by
/// its bytes. `None` also if the budget does not suffice.
fn nearest<'n>(
    names: &'n Interner,
    order: &'n NameOrder,
    wanted: &[u8],
    mut limit: usize,
    accepts: impl Fn(u32) -> bool,
    budget: &mut SuggestionBudget,
) -> Option<&'n [u8]> {
    if wanted.len() <= LIMIT || !budget.take(1 + order.numbers.len() as u64 / 16) {
        return None;
    }
    let (bytes, mut found) = (byte_set(wanted), None);
    for &(number, own) in &order.numbers {
        // An edit changes at most two bytes of the set.
        if (own ^ bytes).count_ones() as usize > 2 * limit {
            continue;
        }
        if !budget.take(1 + wanted.len() as u64 / 64) {
            return None;
        }
        let name = names.name(number);
        let distance = (1..=limit).find(|&edits| is_within(wanted, name, edits));
        if let Some(distance) = distance.filter(|_| name.len() > LIMIT && name != wanted)
            && accepts(number)
        {
            (found, limit) = (Some(name), distance - 1);
        }
    }
    found
}

/// Returns whether at most `edits` insertions, deletions or replacements of bytes turn one name into the other.
fn is_within(one: &[u8], other: &[u8], edits: usize) -> bool {
    let common = common_prefix(one, other);
    let (one, other) = (&one[common..], &other[common..]);
    if edits == 0 || one.is_empty() || other.is_empty() {
        return one.len().max(other.len()) <= edits;
    }
    let (next, other_next) = (&one[1..], &other[1..]);
    let pairs = [(next, other_next), (next, other), (one, other_next)];
    one.len().abs_diff(other.len()) <= edits
        && pairs
            .iter()
            .any(|(one, other)| is_within(one, other, edits - 1))
}

/// Maximum length in bytes of a word that is compared alone.
const LONGEST_WORD: usize = 64;

/// Returns whether a name may be mistyped: the numbers are the same, and the words but for a third
/// of each. Of several words, one that other names have is not mistyped.
fn is_typo(wanted: &[u8], name: &[u8], has_word: impl Fn(&[u8]) -> bool) -> bool {
    fn digits(name: &[u8]) -> impl Iterator<Item = &u8> {
        name.iter().filter(|byte| byte.is_ascii_digit())
    }
    if !digits(wanted).eq(digits(name)) {
        return false;
    }
    let all = |name| -> Vec<Vec<u8>> { words(name).map(<[u8]>::to_vec).collect() };
    let (wanted, name) = (all(wanted), all(name));
    let is_right = |word: &[u8]| wanted.len() > 1 && has_word(word);
    let is_near = |(wanted, name): (&Vec<u8>, &Vec<u8>)| {
        wanted == name
            || wanted.len().max(name.len()) > LONGEST_WORD
            || wanted.eq_ignore_ascii_case(name)
            || strsim::generic_levenshtein(wanted, name) <= most_edits(wanted) && !is_right(wanted)
    };
    // A missing or a further delimiter makes other words.
    wanted.len() != name.len() || wanted.iter().zip(&name).all(is_near)
}

/// Returns whether a file of the same name may be the missing one in another place; `None` if a
/// generator serves it at the path of the reference.
fn may_have_moved(checker: &TargetChecker, link: &Link<'_>, file: &[u8]) -> Option<bool> {
    let base = link.base.unwrap_or_default().uri;
    let reference = link.reference.trim_ascii();
    let path = percent_decoded(split_path(reference).0);
    let Some(below) = path.strip_prefix(b"/") else {
        // Files above the root have not moved into it.
        return Some(steps_above(checker.depth(base), &path).is_none());
    };
    let above = file.strip_suffix(below);
    match above.filter(|above| above.ends_with(b"/")) {
        Some(above) if COPIED.iter().any(|copied| above.ends_with(copied)) => None,
        // The path may start at the root of another site, as one around the document.
        Some(above) => {
            let is_below = |page: ExpectedPath<'_>| page.path.starts_with(above);
            Some(!below.contains(&b'/') && !checker.expected(base).is_ok_and(is_below))
        }
        None => Some(true),
    }
}

/// Returns the entry nearest to a missing one: first with the same extension, then the same name
/// with another extension of its kind.
fn nearest_entry<'m>(
    missing: &'m MissingName<'_>,
    budget: &mut SuggestionBudget,
) -> Option<&'m [u8]> {
    let (listing, wanted) = (&missing.listing, missing.name);
    let (names, is_directory) = (&listing.index.names, !missing.after.is_empty());
    let order = listing
        .index
        .order(|| budget.take(names.bytes() as u64 / 16))?;
    let fits = |number| listing.may_be_directory(number, is_directory);
    let has_word = |word: &[u8]| order.has_word(names, word);
    if is_directory {
        let is_near = |number| fits(number) && is_typo(wanted, names.name(number), has_word);
        return nearest(names, order, wanted, most_edits(wanted), is_near, budget);
    }
    let (stem, extension) = split_extension(wanted);
    let is_alike = |number| {
        let (other, theirs) = split_extension(names.name(number));
        fits(number) && theirs.eq_ignore_ascii_case(extension) && is_typo(stem, other, has_word)
    };
    let limit = most_edits(stem);
    let alike = nearest(names, order, wanted, limit, is_alike, budget);
    alike.or_else(|| {
        let is_kin = |number| {
            let (other, theirs) = split_extension(names.name(number));
            let kinds = (kind_of(extension), kind_of(theirs));
            let may_be = matches!(kinds, (None, _)) || kinds.0 == kinds.1;
            fits(number) && other.eq_ignore_ascii_case(stem) && may_be
        };
        let limit = (wanted.len() / 3).min(LIMIT);
        nearest(names, order, wanted, limit, is_kin, budget)
    })
}

/// Splits before the dot.
fn split_extension(name: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memrchr(b'.', name) {
        Some(at) if at > 0 => name.split_at(at),
        _ => (name, b""),
    }
}

/// Extensions of files that may replace each other.
const KINDS: [&str; 5] = [
    "html htm xhtml xht shtml php md markdown",
    "png jpg jpeg gif webp avif svg ico bmp",
    "js mjs cjs ts",
    "mp4 webm ogv mov mp3 ogg oga wav flac",
    "woff woff2 ttf otf eot",
];

/// The extension has its dot.
fn kind_of(extension: &[u8]) -> Option<usize> {
    let extension = extension.strip_prefix(b".")?;
    let has = |kind: &&str| {
        let mut names = kind.split(' ');
        names.any(|name| name.as_bytes().eq_ignore_ascii_case(extension))
    };
    KINDS.iter().position(has)
}

/// Maximum length in bytes of remembered names in documents, without the last document.
const REMEMBERED: usize = 64 << 20;

/// Results are remembered, so that the same references have the same suggestions everywhere.
pub(super) struct Suggester<'a> {
    audit: &'a Audit,
    site: &'a Site,
    /// Files that were found by the walk or by links.
    count: usize,
    reader: FileReader<'a>,
    documents: HashMap<FileId, Arc<AnchorCandidates>>,
    /// The size of `documents` in bytes.
    size: usize,
    /// Made when the first file is missing.
    moved: Option<MovedFiles>,
    /// Candidates by the hash of the target.
    files: HashMap<u64, Option<FileCandidate>>,
    /// Candidates by the hash of the file and the name.
    names: HashMap<u64, Option<NameCandidate>>,
    budget: SuggestionBudget,
    /// The findings without a search, because the budget was spent.
    pub(super) omitted: u64,
}

/// An existing file that may have been meant.
#[derive(Clone, Copy)]
struct FileCandidate {
    file: FileId,
    /// The only file with the name.
    has_moved: bool,
}

/// Whether a search had ended before, and its suggestion.
type Searched = (bool, Option<Suggestion>);

/// A name that may have been meant, and the difference if it is certain.
type NameCandidate = (Box<[u8]>, Option<Repair>);

/// The names in one document.
#[derive(Default)]
struct AnchorCandidates(NameIndex);

impl Sink for AnchorCandidates {
    fn link(&mut self, _link: &Link<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn event(&mut self, found: &Found<'_>) {
        match found {
            Found::Anchor(name, _) => {
                self.0.add(name);
            }
            Found::Restart => self.0 = NameIndex::default(),
            _ => {}
        }
    }
}

impl ArchiveSink for AnchorCandidates {}

impl<'a> Suggester<'a> {
    pub(super) fn new(audit: &'a Audit, site: &'a Site) -> Self {
        let cost = audit.options.suggestion_cost;
        Suggester {
            audit,
            site,
            count: audit.checker.paths.len(),
            reader: FileReader::of_anchors(&audit.options.reading),
            documents: HashMap::new(),
            size: 0,
            moved: None,
            files: HashMap::new(),
            names: HashMap::new(),
            budget: SuggestionBudget(cost.saturating_add(site.collected.summary.bytes)),
            omitted: 0,
        }
    }

    pub(super) fn suggestion(&mut self, draft: &FindingDraft<'_>) -> Option<Suggestion> {
        let FindingSubject::Link(link) = draft.subject else {
            return None;
        };
        let (is_known, suggestion) = match &draft.hint {
            SuggestionHint::Nothing => return None,
            SuggestionHint::Known(suggestion) => return Some(suggestion.clone()),
            SuggestionHint::Fragment(file, is_settled) => self.fragment(*file, *is_settled, link),
            SuggestionHint::File => self.file(link),
        };
        self.omitted += u64::from(!is_known && suggestion.is_none() && self.budget.is_spent());
        suggestion
    }

    fn file(&mut self, link: &Link<'_>) -> Searched {
        let Ok(target) = link.target else {
            return (true, None);
        };
        let (target, _) = split_fragment(target);
        let hash = self.audit.hasher.hash_one(target);
        let known = self.files.get(&hash).copied();
        let candidate = known.unwrap_or_else(|| {
            let expected = self.audit.checker.expected_path(link);
            let candidate = expected.and_then(|ExpectedPath { root, path, .. }| {
                let moved = self.moved_file(&path);
                moved.or_else(|| self.nearest_file(root, path))
            });
            // A search that the budget has ended has no result.
            if candidate.is_some() || !self.budget.is_spent() {
                self.files.insert(hash, candidate);
            }
            candidate
        });
        let suggestion = candidate.and_then(|mut candidate| {
            let path = self.audit.checker.paths.path(candidate.file);
            candidate.has_moved &= may_have_moved(&self.audit.checker, link, &path)?;
            let form = ReferenceForm::of(&self.audit.checker, link)?;
            let (audit, site, suffix) = (self.audit, self.site, &*form.suffix);
            match suggestion(audit, site, &form, candidate.file, suffix, Repair::Moved) {
                // The fragment of a file that is near may be near to one that it has.
                None => Some(Suggestion::new(form.to_file(&path, suffix)?, None)),
                Some(found) => Some(Suggestion {
                    repair: found.repair.filter(|_| candidate.has_moved),
                    ..found
                }),
            }
        });
        (known.is_some(), suggestion)
    }

    /// Index files are named by their directories and do not move.
    fn moved_file(&mut self, path: &[u8]) -> Option<FileCandidate> {
        if self.audit.checker.naming.is_index(split_name(path).1) {
            return None;
        }
        if self.moved.is_none() && self.budget.take(self.count as u64 / 16) {
            self.moved = Some(MovedFiles::new(self.audit, self.count));
        }
        Some(FileCandidate {
            file: self.moved.as_ref()?.only(self.audit, path)?,
            has_moved: true,
        })
    }

    /// Returns the file at the path with the nearest names in place of missing ones.
    fn nearest_file(&mut self, root: &[u8], mut path: Vec<u8>) -> Option<FileCandidate> {
        let (audit, budget) = (self.audit, &mut self.budget);
        let tree = &audit.checker.tree;
        for _ in 0..MOST_NAMES {
            let missing = tree.first_missing(root, &path)?;
            let name = nearest_entry(&missing, budget)?;
            path = [&missing.directory, &b"/"[..], name, missing.after].concat();
            if let DiskEntry::File(path, how) = audit.checker.entry(root, &path)
                && how.is_final()
            {
                return Some(FileCandidate {
                    file: audit.checker.paths.id(&path),
                    has_moved: false,
                });
            }
        }
        None
    }

    fn fragment(&mut self, file: FileId, is_settled: bool, link: &Link<'_>) -> Searched {
        let fragment = link.target.ok().and_then(|target| split_fragment(target).1);
        let Some(wanted) = fragment.and_then(required_name).map(percent_decoded) else {
            return (true, None);
        };
        let hash = self.audit.hasher.hash_one((file, &*wanted));
        let is_known = self.names.contains_key(&hash);
        if !is_known {
            let name = self.search_name(file, &wanted);
            if name.is_some() || !self.budget.is_spent() {
                self.names.insert(hash, name);
            }
        }
        let name = self.names.get(&hash).and_then(Option::as_ref);
        let suggestion = name.and_then(|(name, repair)| {
            let form = ReferenceForm::of(&self.audit.checker, link)?;
            let repair = repair.filter(|_| is_settled);
            Some(Suggestion::new(form.with_fragment(name)?, repair))
        });
        (is_known, suggestion)
    }

    /// Returns the name that differs in case or encoding alone, or the nearest one.
    fn search_name(&mut self, file: FileId, wanted: &[u8]) -> Option<NameCandidate> {
        let anchors = match self.documents.get(&file) {
            Some(anchors) => Arc::clone(anchors),
            None => self.read(file)?,
        };
        if !self.budget.take(1 + wanted.len() as u64 / 16) {
            return None;
        }
        let index = &anchors.0;
        if let Some((name, false)) = index.folded(wanted) {
            return Some((name.into(), Some(Repair::Case)));
        }
        if str::from_utf8(wanted).is_err() {
            let (text, ..) = WINDOWS_1252.decode(wanted);
            if index.names.get(text.as_bytes()).is_some() {
                return Some((text.as_bytes().into(), Some(Repair::Encoding)));
            }
        }
        let order = index.order(|| true)?;
        let limit = most_edits(wanted);
        let budget = &mut self.budget;
        let has_word = |word: &[u8]| order.has_word(&index.names, word);
        let is_near = |number| is_typo(wanted, index.names.name(number), has_word);
        let name = nearest(&index.names, order, wanted, limit, is_near, budget)?;
        Some((name.into(), None))
    }

    fn read(&mut self, file: FileId) -> Option<Arc<AnchorCandidates>> {
        let path = self.audit.checker.paths.path(file);
        let cost = match members::entry_at(&path, false).map(|entry| entry.kind) {
            Some(EntryKind::File(length)) => Some(length),
            Some(_) => Some(0),
            None => members::cost(&path),
        };
        if !self.budget.take(cost?) {
            return None;
        }
        let mut anchors = AnchorCandidates::default();
        read_at(&mut self.reader, &path, &mut anchors)?;
        let anchors = Arc::new(anchors);
        // Each name has an end, a place in the order and entries of the hash tables.
        let size = anchors.0.names.bytes() + 48 * anchors.0.names.len();
        self.size += size;
        if self.size > REMEMBERED {
            self.documents.clear();
            self.size = size;
        }
        self.documents.insert(file, Arc::clone(&anchors));
        Some(anchors)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/audit/suggest.rs"]
mod tests;
