//! Groups of findings for people: by default those of one rule with one target, which have one cause.

use std::collections::hash_map::Entry;

use foldhash::HashMap;

use crate::audit::finding::{Finding, FindingDraft, Suggestion, SuggestionHint};
use crate::audit::names::Interner;
use crate::audit::wire::{Packed, WireReader};
use crate::output::DocumentPath;

/// The property that the findings of a group share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// There are no groups: each finding is shown.
    None,
    #[default]
    Target,
    Rule,
    File,
}

impl Grouping {
    /// Every grouping with its name on the command line.
    pub(crate) const NAMES: [(Grouping, &'static str); 4] = [
        (Grouping::None, "none"),
        (Grouping::Target, "target"),
        (Grouping::Rule, "rule"),
        (Grouping::File, "file"),
    ];
}

/// The number of findings of a group that are shown.
pub(super) const SHOWN: usize = 3;

/// The number of bytes that are free before a finding is packed; few findings take more.
const ROOM: usize = 1 << 10;

/// A finding of a group that is shown, and what is known of the group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupPlace {
    /// The property that the findings share.
    pub(super) by: Grouping,
    pub(super) count: u64,
    /// The number of the finding among those that are shown, from 0.
    pub(super) nth: usize,
}

impl GroupPlace {
    /// Returns how many findings follow the last one that is shown, if this is the last one.
    pub(super) fn more(&self) -> Option<u64> {
        let shown = SHOWN.min(self.count as usize);
        (self.nth + 1 == shown).then(|| self.count - shown as u64)
    }
}

/// The findings of a run in groups: of each group the number of its findings, and the first ones.
///
/// A finding in a group of its own takes about 70 bytes besides its reference and its target; the
/// fourth and further findings of a group take none.
#[derive(Debug, Default)]
pub(super) struct FindingGroups {
    pub(super) by: Grouping,
    /// In the order of their first findings.
    groups: Vec<FindingGroup>,
    /// The numbers of groups by their keys.
    numbers: HashMap<u64, u32>,
    /// The paths of documents.
    documents: Interner,
    /// The findings that are shown, each after the number of its document.
    packed: Vec<u8>,
    /// The indices in `packed` of the second and further findings, for each group that has any.
    others: Vec<[u64; SHOWN - 1]>,
    /// The number of groups when the limit of findings was reached.
    limit: Option<usize>,
}

#[derive(Debug)]
struct FindingGroup {
    /// The index in `packed` of the first finding.
    first: u64,
    count: u32,
    /// The index in `others`, if there are others.
    others: u32,
}

impl FindingGroups {
    pub(super) fn new(by: Grouping) -> Self {
        FindingGroups {
            by,
            ..FindingGroups::default()
        }
    }

    /// Hides the groups whose first finding has not come yet; the findings are counted.
    pub(super) fn hide_new(&mut self) {
        self.limit.get_or_insert(self.groups.len());
    }

    /// Adds a finding with its suggestion to its group.
    pub(super) fn add(
        &mut self,
        document: &DocumentPath,
        draft: &FindingDraft<'_>,
        suggestion: Option<&Suggestion>,
    ) {
        let document = self.documents.add(document.path());
        let key = match self.by {
            Grouping::None | Grouping::Target => draft.group,
            Grouping::Rule => draft.rule as u64,
            Grouping::File => u64::from(document),
        };
        let at = self.packed.len() as u64;
        let nth = match self.numbers.entry(key) {
            Entry::Occupied(number) => {
                let group = &mut self.groups[*number.get() as usize];
                let nth = group.count as usize;
                group.count = group.count.saturating_add(1);
                if nth == 1 {
                    group.others = self.others.len() as u32;
                    self.others.push([0; SHOWN - 1]);
                }
                if nth < SHOWN {
                    self.others[group.others as usize][nth - 1] = at;
                }
                nth
            }
            Entry::Vacant(new) => {
                new.insert(self.groups.len() as u32);
                self.groups.push(FindingGroup {
                    first: at,
                    count: 1,
                    others: 0,
                });
                0
            }
        };
        if nth < SHOWN {
            let packed = &mut self.packed;
            if packed.capacity() - packed.len() < ROOM {
                // By a quarter: doubling would leave up to half of it unused.
                packed.reserve_exact(packed.len() / 4 + ROOM);
            }
            u64::from(document).pack(packed);
            draft.to_show(suggestion).push(&mut self.packed);
        }
    }

    /// Calls a function with one of the first findings of a group.
    fn show<T>(
        &self,
        group: &FindingGroup,
        nth: usize,
        show: impl FnOnce(GroupPlace, &Finding<'_>) -> T,
    ) -> T {
        let at = match nth {
            0 => group.first,
            _ => self.others[group.others as usize][nth - 1],
        };
        let mut packed = WireReader(&self.packed[at as usize..]);
        let document = DocumentPath::new(self.documents.name(u64::unpack(&mut packed) as u32));
        let (by, count) = (self.by, u64::from(group.count));
        FindingDraft::read(&mut packed, |draft| {
            let suggestion = match &draft.hint {
                SuggestionHint::Known(suggestion) => Some(suggestion),
                _ => None,
            };
            let place = GroupPlace { by, count, nth };
            show(place, &draft.finding(&document, suggestion))
        })
    }

    /// Calls a function with the first findings of each group, in the order of the groups, until it
    /// returns an error.
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

    /// Returns the number of findings in groups that are hidden.
    pub(super) fn hidden(&self) -> u64 {
        let limit = self.limit.unwrap_or(self.groups.len());
        let counts = self.groups[limit..].iter();
        counts.map(|group| u64::from(group.count)).sum()
    }

    /// Calls a function with the first finding of each of the `most` largest groups that have more
    /// than one finding, the largest first; of equally large groups the earlier comes first.
    pub(super) fn show_largest(&self, most: usize, mut show: impl FnMut(GroupPlace, &Finding<'_>)) {
        let mut largest: Vec<&FindingGroup> = Vec::new();
        for group in self.groups.iter().filter(|group| group.count > 1) {
            let at = largest.partition_point(|larger| larger.count >= group.count);
            if at < most {
                largest.truncate(most - 1);
                largest.insert(at, group);
            }
        }
        for group in largest {
            self.show(group, 0, &mut show);
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/audit/report/groups.rs"]
mod tests;
