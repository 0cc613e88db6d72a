//! Groups of findings for people: by default by rule and target, which have one cause.

use std::cmp::Reverse;

use foldhash::HashMap;

use crate::audit::finding::{Finding, FindingDraft, SuggestionHint};
use crate::audit::wire::{Packed, WireReader};
use crate::bytes::interner::Interner;
use crate::output::DocumentPath;

named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Grouping {
        /// Each finding is shown.
        None = "none",
        #[default]
        Target = "target",
        Rule = "rule",
        File = "file",
    }
}

pub(super) const SHOWN: usize = 3;

/// The free bytes before a finding is packed; few take more.
const ROOM: usize = 1 << 10;

/// A shown finding of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupPlace {
    pub(super) by: Grouping,
    pub(super) count: u64,
    /// The number among the shown findings, from 0.
    pub(super) nth: usize,
}

impl GroupPlace {
    /// Returns how many findings follow, if this is the last shown one.
    pub(super) fn more(&self) -> Option<u64> {
        let shown = SHOWN.min(self.count as usize);
        (self.nth + 1 == shown).then(|| self.count - shown as u64)
    }
}

/// Takes about 70 bytes for the first finding of a group, besides its reference and its target, and
/// nothing for the fourth and further ones.
#[derive(Debug, Default)]
pub(super) struct FindingGroups {
    pub(super) by: Grouping,
    groups: Vec<FindingGroup>,
    numbers: HashMap<u64, u32>,
    documents: Interner,
    /// The shown findings, each after the number of its document.
    packed: Vec<u8>,
    /// The groups before the limit of findings.
    limit: Option<usize>,
}

#[derive(Debug, Default)]
struct FindingGroup {
    count: u32,
    /// The indices in `packed` of the shown findings.
    shown: [u64; SHOWN],
}

impl FindingGroups {
    pub(super) fn new(by: Grouping) -> Self {
        FindingGroups {
            by,
            ..FindingGroups::default()
        }
    }

    /// Hides the groups that have no finding yet.
    pub(super) fn hide_new(&mut self) {
        self.limit.get_or_insert(self.groups.len());
    }

    pub(super) fn add(&mut self, finding: &Finding<'_>) {
        let draft = finding.draft;
        let document = self.documents.add(finding.document.path());
        let key = match self.by {
            Grouping::None | Grouping::Target => draft.group,
            Grouping::Rule => draft.rule as u64,
            Grouping::File => u64::from(document),
        };
        let at = self.packed.len() as u64;
        let new = self.groups.len() as u32;
        let number = *self.numbers.entry(key).or_insert(new);
        if number == new {
            self.groups.push(FindingGroup::default());
        }
        let group = &mut self.groups[number as usize];
        let nth = group.count as usize;
        group.count = group.count.saturating_add(1);
        if let Some(shown) = group.shown.get_mut(nth) {
            *shown = at;
            let packed = &mut self.packed;
            if packed.capacity() - packed.len() < ROOM {
                // Doubling would leave up to half of it unused.
                packed.reserve_exact(packed.len() / 4 + ROOM);
            }
            u64::from(document).pack(packed);
            draft.to_show(finding.suggestion).push(&mut self.packed);
        }
    }

    fn show<T>(
        &self,
        group: &FindingGroup,
        nth: usize,
        show: impl FnOnce(GroupPlace, &Finding<'_>) -> T,
    ) -> T {
        let mut packed = WireReader(&self.packed[group.shown[nth] as usize..]);
        let document = DocumentPath::new(self.documents.name(u64::unpack(&mut packed) as u32));
        let (by, count) = (self.by, u64::from(group.count));
        FindingDraft::read(&mut packed, |draft| {
            let suggestion = match &draft.hint {
                SuggestionHint::Known(suggestion) => Some(suggestion),
                _ => None,
            };
            let finding = Finding {
                document: &document,
                draft,
                suggestion,
            };
            show(GroupPlace { by, count, nth }, &finding)
        })
    }

    /// Shows the first findings of each group in order, until there is an error.
    pub(super) fn show_all<E>(
        &self,
        mut show: impl FnMut(GroupPlace, &Finding<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let limit = self.limit.unwrap_or(self.groups.len());
        for group in &self.groups[..limit] {
            for nth in 0..SHOWN.min(group.count as usize) {
                self.show(group, nth, &mut show)?;
            }
        }
        Ok(())
    }

    pub(super) fn hidden(&self) -> u64 {
        let limit = self.limit.unwrap_or(self.groups.len());
        let counts = self.groups[limit..].iter();
        counts.map(|group| u64::from(group.count)).sum()
    }

    /// Shows the first finding of each of the `most` largest groups of several, the largest first;
    /// of equal ones the earlier first.
    pub(super) fn show_largest(&self, most: usize, mut show: impl FnMut(GroupPlace, &Finding<'_>)) {
        let groups = self.groups.iter().filter(|group| group.count > 1);
        let mut largest: Vec<&FindingGroup> = groups.collect();
        largest.sort_by_key(|group| Reverse(group.count));
        for group in largest.into_iter().take(most) {
            self.show(group, 0, &mut show);
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/report/groups.rs"]
mod tests;
