//! The settings of an audit.

use ignore::overrides::Override;

use super::finding::Baseline;
use super::names::{HashKey, PathSet};
use super::rules::Levels;
use super::target::{LookupCache, TargetChecker, TargetLocation, split_fragment};
use crate::document::flags::Flags;
use crate::pipeline;
use crate::resolver::Link;

/// The settings of an audit, with what its workers share.
pub struct Audit {
    /// How documents are read; its filter says which references are checked.
    pub reading: pipeline::PipelineOptions,
    /// Mounts and the disk.
    pub checker: TargetChecker,
    /// The level of each rule.
    pub levels: Levels,
    /// Whether fragments are checked.
    pub fragments: FragmentChecks,
    /// What the reports contain besides findings.
    pub list: ListedLinks,
    /// Documents that are no orphans although no other links to them.
    pub entries: Override,
    /// Absolute paths: unless empty, only findings are shown whose source or target is in the set.
    pub touching: PathSet,
    /// Findings that are known and accepted.
    pub baseline: Baseline,
    /// The cost that searches for suggestions may have, in rows of the edit distance table
    /// ([`super::suggest::ROWS`]), besides reading each document once more.
    pub suggestion_rows: u64,
    /// The seed of the hashes of names and targets.
    pub key: HashKey,
}

/// Whether fragments are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FragmentChecks {
    /// They are checked.
    #[default]
    Check,
    /// They are ignored.
    Ignore,
}

/// The contents of the reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListedLinks {
    /// Findings.
    #[default]
    Findings,
    /// Findings, and every link with its state.
    Links,
    /// Findings, and each target elsewhere on the network once.
    External,
}

impl Audit {
    /// Returns where the target of a link lies, and its fragment.
    pub(super) fn locate<'l>(
        &self,
        link: &Link<'l>,
        lookups: &mut LookupCache<'_>,
    ) -> (TargetLocation, Option<&'l [u8]>) {
        if link.flags.contains(Flags::IGNORED) || !self.reading.filter.admits(link) {
            return (TargetLocation::LeftOut, None);
        }
        let target = match link.target {
            Ok(target) => target,
            Err(kind) => return (TargetLocation::Unresolved(kind), None),
        };
        let (target, fragment) = split_fragment(target);
        match lookups.locate(target) {
            // A code base is only resolved against, and need not be a page.
            TargetLocation::NoIndex(_) if link.attribute == Some("codebase") => {
                (TargetLocation::Skipped, fragment)
            }
            location => (location, fragment),
        }
    }
}
