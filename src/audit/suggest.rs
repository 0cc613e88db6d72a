//! Suggestions for broken references: the nearest existing name within two edits.
//!
//! Names are kept in ascending order and searched like a trie: one row of the edit distance table
//! for each byte of a name, in a band as wide as the limit, and the rows of a common prefix are
//! computed once. Where a prefix is too far from the wanted name, all names with the prefix are
//! passed over. Some names are near to very many others, so a [`SuggestionBudget`] bounds the cost of
//! all searches of a run.
//!
//! Candidates are the names in directories, as they were listed for lookups, and the names that
//! fragments can refer to in a document, which is read again when one is missing.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashMapExt};

use super::collect::entry_at;
use super::finding::{FindingDraft, FindingSubject, SuggestionHint};
use super::names::{FileId, Interner, NameOrder};
use super::options::Audit;
use super::target::{decode_fragment, required_name, split_fragment};
use crate::pipeline::read::FileReader;
use crate::pipeline::walk::EntryKind;
use crate::resolver::{Link, Sink};
use crate::uri::base::push_path;

/// The maximal number of edits (insert, delete, replace a byte) between a name and its suggestion.
/// Names of this length or less are neither suggested nor searched for.
const LIMIT: usize = 2;

/// A bound on the cost of searches for suggestions, in rows of the edit distance table.
///
/// Comparing 16 bytes of two names, or reading one byte of a document, counts as a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuggestionBudget(u64);

impl SuggestionBudget {
    /// Takes rows off. If too few are left, takes all of them and returns false.
    fn take(&mut self, rows: u64) -> bool {
        let is_enough = rows <= self.0;
        self.0 = self.0.saturating_sub(rows);
        is_enough
    }

    fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// Returns the name nearest to one that does not exist, at most two edits away; of equally near
/// names the first by its bytes. Returns none also if the budget does not suffice.
pub(super) fn nearest<'n>(
    names: &'n Interner,
    order: &'n NameOrder,
    wanted: &[u8],
    budget: &mut SuggestionBudget,
) -> Option<&'n [u8]> {
    if wanted.len() <= LIMIT {
        return None;
    }
    // One search for each limit, so that the first result has the least distance.
    (1..=LIMIT).find_map(|limit| NearestSearch::new(names, order, wanted, limit).first(budget))
}

/// A band of a row of the edit distance table: the distances of a prefix of a candidate to the
/// prefixes of the wanted name that are at most `LIMIT` shorter or longer, capped.
type Row = [u8; 2 * LIMIT + 1];

struct NearestSearch<'n, 'w> {
    names: &'n Interner,
    order: &'n [u32],
    wanted: &'w [u8],
    limit: usize,
    /// `rows[n]` belongs to the first `n` bytes of `last`.
    rows: Vec<Row>,
    last: &'n [u8],
}

impl<'n, 'w> NearestSearch<'n, 'w> {
    fn new(names: &'n Interner, order: &'n NameOrder, wanted: &'w [u8], limit: usize) -> Self {
        let mut row = [limit as u8 + 1; 2 * LIMIT + 1];
        // The empty prefix becomes the first n bytes by n insertions.
        for inserted in 0..=limit {
            row[LIMIT + inserted] = inserted as u8;
        }
        NearestSearch {
            names,
            order: &order.0,
            wanted,
            limit,
            rows: vec![row],
            last: b"",
        }
    }

    /// Returns the first name within the limit other than the wanted name itself.
    fn first(&mut self, budget: &mut SuggestionBudget) -> Option<&'n [u8]> {
        let mut at = 0;
        while let Some(&number) = self.order.get(at) {
            let name = self.names.name(number);
            if !budget.take(1) {
                return None;
            }
            match self.reach(name, budget)? {
                RowReach::End => {
                    let distance = self.distance(name.len());
                    if name.len() > LIMIT && distance.is_some_and(|distance| distance > 0) {
                        return Some(name);
                    }
                    at += 1;
                }
                RowReach::TooFar(prefix) => at = self.next(&name[..prefix], at, budget)?,
            }
        }
        None
    }

    /// Computes the rows of a name until one exceeds the limit everywhere. Returns none if the budget
    /// does not suffice.
    fn reach(&mut self, name: &'n [u8], budget: &mut SuggestionBudget) -> Option<RowReach> {
        let known = self.rows.len() - 1;
        let common = common_prefix(&self.last[..known], name);
        self.rows.truncate(common + 1);
        self.last = name;
        if !budget.take(common as u64 / 16) {
            return None;
        }
        for (at, &byte) in name.iter().enumerate().skip(common) {
            if !budget.take(1) {
                return None;
            }
            let row = self.row(at, byte);
            if row
                .iter()
                .all(|&distance| usize::from(distance) > self.limit)
            {
                return Some(RowReach::TooFar(at + 1));
            }
            self.rows.push(row);
        }
        Some(RowReach::End)
    }

    /// Returns the row of the first `at + 1` bytes of a name, of which `byte` is the last.
    fn row(&self, at: usize, byte: u8) -> Row {
        let above = &self.rows[at];
        let far = self.limit as u8 + 1;
        let mut row = [far; 2 * LIMIT + 1];
        for cell in LIMIT - self.limit..=LIMIT + self.limit {
            // The length of the prefix of the wanted name: `at + 1 + cell - LIMIT`.
            let Some(length) = (at + 1 + cell).checked_sub(LIMIT) else {
                continue;
            };
            if length > self.wanted.len() {
                break;
            }
            // A cell of the row above at the same index is one byte shorter in both names.
            let deleted = above.get(cell + 1).map_or(far, |distance| distance + 1);
            let mut least = deleted;
            if length > 0 {
                let same = self.wanted[length - 1] == byte;
                let inserted = cell.checked_sub(1).map_or(far, |left| row[left] + 1);
                least = least.min(above[cell] + u8::from(!same)).min(inserted);
            }
            row[cell] = least.min(far);
        }
        row
    }

    /// Returns the distance to a name of which all rows are known, if it is within the limit.
    fn distance(&self, length: usize) -> Option<usize> {
        let cell = (self.wanted.len() + LIMIT).checked_sub(length)?;
        let distance = usize::from(*self.rows.last()?.get(cell)?);
        (distance <= self.limit).then_some(distance)
    }

    /// Returns the index of the next name from `at` on that may be within the limit, where no name
    /// with `prefix` is. Returns none if the budget does not suffice.
    fn next(&self, prefix: &[u8], at: usize, budget: &mut SuggestionBudget) -> Option<usize> {
        let Some((&byte, shorter)) = prefix.split_last() else {
            return Some(self.order.len());
        };
        let row = self.rows.last()?;
        if row
            .iter()
            .any(|&distance| usize::from(distance) < self.limit)
        {
            return self.behind(at, prefix.len(), budget, |name| name.starts_with(prefix));
        }
        // No edit is left: only a byte of the wanted name can follow.
        let spent =
            (row.iter().enumerate()).filter(|(_, distance)| usize::from(**distance) == self.limit);
        let bytes = spent.filter_map(|(cell, _)| {
            let length = (shorter.len() + cell).checked_sub(LIMIT)?;
            self.wanted.get(length)
        });
        let following = bytes.copied().filter(|&wanted| wanted > byte).min();
        self.behind(at, prefix.len(), budget, |name| {
            let rest = name.strip_prefix(shorter);
            rest.is_some_and(|rest| {
                following
                    .is_none_or(|following| rest.first().is_none_or(|&first| first < following))
            })
        })
    }

    /// Returns the index after the names from `at` on for which `holds` is true, as it is for the
    /// first; each call compares up to `bytes` bytes. Returns none if the budget does not suffice.
    fn behind(
        &self,
        at: usize,
        bytes: usize,
        budget: &mut SuggestionBudget,
        holds: impl Fn(&[u8]) -> bool,
    ) -> Option<usize> {
        let cost = 1 + bytes as u64 / 16;
        let has = |at: usize| {
            let number = self.order.get(at).copied();
            number.is_some_and(|number| holds(self.names.name(number)))
        };
        // An exponential search, as there are few such names in most cases.
        let (mut inside, mut step) = (at, 1);
        while has(inside + step) {
            if !budget.take(cost) {
                return None;
            }
            inside += step;
            step *= 2;
        }
        let mut outside = inside + step;
        while outside - inside > 1 {
            if !budget.take(cost) {
                return None;
            }
            let middle = inside + (outside - inside) / 2;
            if has(middle) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        Some(outside)
    }
}

/// The part of a name whose rows were computed.
enum RowReach {
    /// The whole name.
    End,
    /// Up to a prefix of this length, which exceeds the limit.
    TooFar(usize),
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
}

/// The names in documents are remembered up to this many bytes; those of the last document always.
const REMEMBERED: usize = 64 << 20;
/// The number of targets for which suggestions are remembered.
const TARGETS: usize = 1 << 12;

/// Finds suggestions until the budget is spent.
pub(super) struct Suggester<'a> {
    audit: &'a Audit,
    reader: FileReader<'a>,
    documents: HashMap<FileId, Arc<AnchorCandidates>>,
    /// The keys of `documents`, the least recently read first.
    oldest: VecDeque<FileId>,
    /// The size of `documents`, in bytes.
    size: usize,
    /// Names near to missing files, by the hash of the target.
    files: HashMap<u64, Option<Vec<u8>>>,
    budget: SuggestionBudget,
    omitted: u64,
}

/// The names that fragments can refer to in one document.
#[derive(Default)]
struct AnchorCandidates {
    names: Interner,
    order: OnceLock<NameOrder>,
}

impl AnchorCandidates {
    fn size(&self) -> usize {
        // For each name its end, its place in the order and its entry of the hash table.
        self.names.bytes() + 24 * self.names.len()
    }
}

impl Sink for AnchorCandidates {
    fn link(&mut self, _link: &Link<'_>) {}

    fn anchor(&mut self, name: &[u8], _offset: u64) {
        self.names.add(name);
    }

    fn restart(&mut self) {
        self.names = Interner::default();
    }
}

impl<'a> Suggester<'a> {
    /// Creates a suggester for a run that has read `bytes` of documents.
    pub(super) fn new(audit: &'a Audit, bytes: u64) -> Self {
        Suggester {
            audit,
            reader: FileReader::new(&audit.options.reading),
            documents: HashMap::new(),
            oldest: VecDeque::new(),
            size: 0,
            files: HashMap::new(),
            budget: SuggestionBudget(audit.options.suggestion_rows.saturating_add(bytes)),
            omitted: 0,
        }
    }

    /// Returns the number of findings without a search, because the budget was spent.
    pub(super) fn omitted(&self) -> u64 {
        self.omitted
    }

    /// Returns the suggestion for a finding.
    pub(super) fn suggestion(&mut self, draft: &FindingDraft<'_>) -> Option<Vec<u8>> {
        let FindingSubject::Link(link) = draft.subject else {
            return None;
        };
        let suggestion = match &draft.hint {
            SuggestionHint::Nothing => return None,
            SuggestionHint::Known(suggestion) => return Some(suggestion.to_vec()),
            _ if self.budget.is_spent() => None,
            SuggestionHint::Fragment(file) => self.fragment(*file, link),
            SuggestionHint::File => self.file(link),
        };
        self.omitted += u64::from(suggestion.is_none() && self.budget.is_spent());
        suggestion
    }

    fn file(&mut self, link: &Link<'_>) -> Option<Vec<u8>> {
        let (target, _) = split_fragment(link.target.ok()?);
        let hash = self.audit.hasher.hash_one(target);
        if let Some(known) = self.files.get(&hash) {
            return known.clone();
        }
        let (root, path) = self.audit.checker.expected_path(link)?;
        let nearest = self.nearest_file(&root, &path);
        if self.files.len() == TARGETS {
            self.files.clear();
        }
        self.files.insert(hash, nearest.clone());
        nearest
    }

    /// Returns the name nearest to the first one on the way to `path` that does not exist, as written
    /// in a reference.
    fn nearest_file(&mut self, root: &[u8], path: &[u8]) -> Option<Vec<u8>> {
        let budget = &mut self.budget;
        let (listing, missing) = self.audit.checker.tree.first_missing(root, path)?;
        let names = listing.names();
        let order = listing.order(|| budget.take(names.bytes() as u64 / 16))?;
        let mut reference = Vec::new();
        push_path(nearest(names, order, missing, budget)?, &mut reference);
        Some(reference)
    }

    fn fragment(&mut self, file: FileId, link: &Link<'_>) -> Option<Vec<u8>> {
        let (_, fragment) = split_fragment(link.target.ok()?);
        let wanted = decode_fragment(required_name(fragment?)?);
        let anchors = match self.documents.get(&file) {
            Some(anchors) => Arc::clone(anchors),
            None => self.read(file)?,
        };
        let order = anchors.order.get_or_init(|| NameOrder::new(&anchors.names));
        let name = nearest(&anchors.names, order, &wanted, &mut self.budget)?;
        Some([b"#", name].concat())
    }

    /// Reads the names that fragments can refer to in a document.
    fn read(&mut self, file: FileId) -> Option<Arc<AnchorCandidates>> {
        let entry = entry_at(&self.audit.checker.paths.path(file))?;
        let length = match entry.kind {
            EntryKind::File(length) => length,
            _ => 0,
        };
        if !self.budget.take(length) {
            return None;
        }
        let mut anchors = AnchorCandidates::default();
        self.reader.read(&entry, &mut anchors).ok()?;
        let anchors = Arc::new(anchors);
        self.size += anchors.size();
        while self.size > REMEMBERED
            && let Some(oldest) = self.oldest.pop_front()
        {
            let forgotten = self.documents.remove(&oldest);
            self.size -= forgotten.map_or(0, |anchors| anchors.size());
        }
        self.documents.insert(file, Arc::clone(&anchors));
        self.oldest.push_back(file);
        Some(anchors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<T: AsRef<[u8]>>(all: impl IntoIterator<Item = T>) -> (Interner, NameOrder) {
        let mut names = Interner::default();
        for name in all {
            names.add(name.as_ref());
        }
        let order = NameOrder::new(&names);
        (names, order)
    }

    #[test]
    fn the_nearest_name_is_at_most_two_edits_away() {
        let (names, order) = names(["usage", "install", "installed"]);
        let mut budget = SuggestionBudget(1000);
        let mut nearest = |wanted: &'static str| {
            nearest(&names, &order, wanted.as_bytes(), &mut budget).map(<[u8]>::to_vec)
        };
        assert_eq!(nearest("instal"), Some(b"install".to_vec()));
        assert_eq!(nearest("setup"), None);
    }

    #[test]
    fn the_nearest_name_is_that_of_the_whole_table() {
        let mut seed = 7u64;
        let mut random = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..300 {
            let mut word = || -> Vec<u8> {
                let length = random(7);
                (0..length).map(|_| b'a' + random(3) as u8).collect()
            };
            let all: Vec<Vec<u8>> = (0..40).map(|_| word()).collect();
            let wanted = word();
            let (names, order) = names(&all);
            let mut budget = SuggestionBudget(u64::MAX);
            let got = nearest(&names, &order, &wanted, &mut budget);
            let distance = |name: &Vec<u8>| strsim::generic_levenshtein(name, &wanted);
            let near = all
                .iter()
                .filter(|name| name.len().min(wanted.len()) > LIMIT);
            let expected = near
                .map(|name| (distance(name), name.as_slice()))
                .filter(|(distance, _)| (1..=LIMIT).contains(distance))
                .min()
                .map(|(_, name)| name);
            assert_eq!(got, expected, "{wanted:?} in {all:?}");
        }
    }

    fn spent(names: &Interner, order: &NameOrder, wanted: impl Iterator<Item = Vec<u8>>) -> u64 {
        let mut budget = SuggestionBudget(u64::MAX);
        for wanted in wanted {
            nearest(names, order, &wanted, &mut budget);
        }
        u64::MAX - budget.0
    }

    #[track_caller]
    fn grows_with_its_input(steps: impl Fn(usize) -> u64, n: usize) {
        let (once, twice) = (steps(n), steps(2 * n));
        assert!(twice * 10 <= once * 22, "{once} and {twice} steps");
    }

    #[test]
    fn two_long_names_are_compared_in_a_band() {
        let steps = |n: usize| {
            let (names, order) = names(["ab".repeat(n)]);
            let wanted = "ab".repeat(n - 1) + "cb";
            spent(&names, &order, std::iter::once(wanted.into_bytes()))
        };
        assert!(steps(100_000) < 1_000_000);
        grows_with_its_input(steps, 10_000);
    }

    #[test]
    fn near_misses_among_many_numbered_names_do_not_look_at_all_of_them() {
        let steps = |n: usize| {
            let (names, order) = names((0..n).map(|i| format!("page{i:06}.html")));
            let wanted = (0..n).map(|i| format!("pege{i:06}.html").into_bytes());
            spent(&names, &order, wanted)
        };
        grows_with_its_input(steps, 4_000);
    }

    #[test]
    fn a_budget_ends_the_search_and_is_never_exceeded() {
        let (names, order) = names((0..10_000).map(|i| format!("{i:05}")));
        for rows in [0, 1, 10, 100] {
            let mut budget = SuggestionBudget(rows);
            assert_eq!(nearest(&names, &order, b"9999x", &mut budget), None);
            assert!(budget.is_spent());
        }
    }
}
