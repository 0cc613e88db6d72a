//! What the writer of a broken reference may have meant: the nearest name within two edits.
//!
//! Names are kept in ascending order and read like a trie: one row of the edit distance table for
//! each byte of a name, in a band as wide as the limit, and rows of a common prefix are computed
//! once. Where a prefix is too far from the name that is wanted, all names with it are passed over.
//! Some names are near to very many others, so each search is paid from a [`SuggestionBudget`].

use super::interner::Interner;

/// The most edits (insert, delete, replace a byte) between a name and its suggestion; a name that
/// is no longer than this is all edits, and neither suggested nor looked for.
const LIMIT: usize = 2;

/// What the suggestions of a run may cost by default, in rows of the edit distance table: about a
/// second.
pub const ROWS: u64 = 1 << 26;

/// Work that searches for suggestions may cost, in rows of the edit distance table. Comparing 16
/// bytes of two names, or reading one byte of a document, counts as much.
#[derive(Clone, Copy, Debug)]
pub struct SuggestionBudget {
    left: u64,
    spent: u64,
}

impl SuggestionBudget {
    /// A budget of so many rows.
    pub fn new(rows: u64) -> Self {
        SuggestionBudget {
            left: rows,
            spent: 0,
        }
    }

    /// Takes rows off; false when there are not enough left, and then none are.
    pub fn take(&mut self, rows: u64) -> bool {
        let is_enough = rows <= self.left;
        self.spent += rows.min(self.left);
        self.left -= rows.min(self.left);
        is_enough
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// How many rows have been taken off.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

/// The numbers of names in the ascending order of the names.
#[derive(Clone, Debug)]
pub struct NameOrder(Box<[u32]>);

impl NameOrder {
    /// Sorts names.
    pub fn new(names: &Interner) -> Self {
        let mut numbers: Box<[u32]> = (0..names.len() as u32).collect();
        numbers.sort_unstable_by_key(|&number| names.name(number));
        NameOrder(numbers)
    }

    /// Returns how many names there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Finds the name nearest to one that does not exist, at most two edits away; of equally near ones
/// the first by its bytes. None also if the budget does not suffice.
///
/// ```
/// use uriscan::audit::interner::Interner;
/// use uriscan::audit::suggest::{SuggestionBudget, NameOrder, nearest};
/// let mut names = Interner::default();
/// for id in ["usage", "install", "installed"] {
///     names.add(id.as_bytes());
/// }
/// let order = NameOrder::new(&names);
/// let mut budget = SuggestionBudget::new(1000);
/// assert_eq!(nearest(&names, &order, b"instal", &mut budget), Some(&b"install"[..]));
/// assert_eq!(nearest(&names, &order, b"setup", &mut budget), None);
/// ```
pub fn nearest<'n>(
    names: &'n Interner,
    order: &'n NameOrder,
    wanted: &[u8],
    budget: &mut SuggestionBudget,
) -> Option<&'n [u8]> {
    if wanted.len() <= LIMIT {
        return None;
    }
    // The first in order at the least distance: searched with one limit after the other.
    (1..=LIMIT).find_map(|limit| NearestSearch::new(names, order, wanted, limit).first(budget))
}

/// Distances of the first bytes of a candidate to those of the wanted name that are at most
/// `LIMIT` shorter or longer, capped.
type Row = [u8; 2 * LIMIT + 1];

struct NearestSearch<'n, 'w> {
    names: &'n Interner,
    order: &'n [u32],
    wanted: &'w [u8],
    limit: usize,
    /// `rows[n]` belongs to the first `n` bytes of the name `last`.
    rows: Vec<Row>,
    last: &'n [u8],
}

impl<'n, 'w> NearestSearch<'n, 'w> {
    fn new(names: &'n Interner, order: &'n NameOrder, wanted: &'w [u8], limit: usize) -> Self {
        let mut row = [limit as u8 + 1; 2 * LIMIT + 1];
        // Nothing becomes the first n bytes by n insertions.
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

    /// Returns the first name within the limit, but for the wanted name itself.
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

    /// Computes the rows of a name as far as one in it is within the limit; none if the budget does
    /// not suffice.
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

    /// The row of the first `at + 1` bytes of a name, of which `byte` is the last.
    fn row(&self, at: usize, byte: u8) -> Row {
        let above = &self.rows[at];
        let far = self.limit as u8 + 1;
        let mut row = [far; 2 * LIMIT + 1];
        for cell in LIMIT - self.limit..=LIMIT + self.limit {
            // The number of bytes of the wanted name: `at + 1 + cell - LIMIT`.
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

    /// The distance to a name of which all rows are known, if it is within the limit.
    fn distance(&self, length: usize) -> Option<usize> {
        let cell = (self.wanted.len() + LIMIT).checked_sub(length)?;
        let distance = usize::from(*self.rows.last()?.get(cell)?);
        (distance <= self.limit).then_some(distance)
    }

    /// The place of the next name from `at` on that may be within the limit, as no name with a prefix
    /// is; none if the budget does not suffice.
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

    /// The place behind the names from `at` on for which something holds, as it does for the first;
    /// looking at one of them compares so many bytes. None if the budget does not suffice.
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
        // Mostly there are few.
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

/// How far the rows of a name could be computed.
enum RowReach {
    /// To its end.
    End,
    /// A prefix of so many bytes is beyond the limit.
    TooFar(usize),
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
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

    /// The whole table of the edit distance.
    fn naive(one: &[u8], other: &[u8]) -> usize {
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (i, byte) in one.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, against) in other.iter().enumerate() {
                let replaced = diagonal + usize::from(byte != against);
                diagonal = row[j + 1];
                row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[other.len()]
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
            let mut budget = SuggestionBudget::new(u64::MAX);
            let got = nearest(&names, &order, &wanted, &mut budget);
            let near = all
                .iter()
                .filter(|name| name.len().min(wanted.len()) > LIMIT);
            let expected = near
                .map(|name| (naive(name, &wanted), name.as_slice()))
                .filter(|(distance, _)| (1..=LIMIT).contains(distance))
                .min()
                .map(|(_, name)| name);
            assert_eq!(got, expected, "{wanted:?} in {all:?}");
        }
    }

    fn spent(names: &Interner, order: &NameOrder, wanted: impl Iterator<Item = Vec<u8>>) -> u64 {
        let mut budget = SuggestionBudget::new(u64::MAX);
        for wanted in wanted {
            nearest(names, order, &wanted, &mut budget);
        }
        budget.spent()
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
            let mut budget = SuggestionBudget::new(rows);
            assert_eq!(nearest(&names, &order, b"9999x", &mut budget), None);
            assert!(budget.is_spent() && budget.spent() == rows);
        }
    }
}
