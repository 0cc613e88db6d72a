//! What is known of one document's links when all documents have been read: facts, keys,
//! suggestions.

use std::collections::HashMap;

use super::baseline;
use super::check::{MountPosition, TargetFacts, TargetLocation};
use super::disk::{DiskEntry, LookupMatch};
use super::finding::{SuggestionHint, Symlink};
use super::lookup::LookupCache;
use super::paths::FileId;
use super::rules::RULES;
use super::site::{Site, SiteDocument};
use super::{Audit, FragmentChecks};
use crate::pipeline::bases::AbsolutePaths;
use crate::resolver::Link;
use crate::uri::base::push_path;

/// How many suggestions a document gets: the rest is likely of the same kind.
const SUGGESTIONS: usize = 100;
/// A map that has grown past this is dropped rather than emptied.
const EMPTIED: usize = 1 << 12;

/// Judges the links of one document after the other.
pub(super) struct Evaluator<'a> {
    audit: &'a Audit,
    site: &'a Site,
    lookups: LookupCache<'a>,
    /// The document's path below its mount, as keys have it.
    name: Vec<u8>,
    /// How many findings of a rule have been had with a reference, by the hash of both.
    repeated: HashMap<u64, u32>,
    /// The document's absolute path.
    absolute: AbsolutePaths,
    suggestions: usize,
    /// The document itself is one whose findings are asked for.
    touched: bool,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(audit: &'a Audit, site: &'a Site) -> Self {
        Evaluator {
            audit,
            site,
            lookups: LookupCache::new(&audit.checker, audit.key),
            name: Vec::new(),
            repeated: HashMap::new(),
            absolute: AbsolutePaths::default(),
            suggestions: 0,
            touched: true,
        }
    }

    /// Goes on to another document.
    pub(super) fn begin(&mut self, document: &SiteDocument) {
        // Emptying a map takes as long as it is large.
        if self.repeated.capacity() > EMPTIED {
            self.repeated = HashMap::new();
        }
        self.repeated.clear();
        self.suggestions = 0;
        self.name.clear();
        self.name.extend_from_slice(document.path());
        self.touched = true;
        if document.file.is_some() {
            let here = &self.audit.reading.bases.here;
            let path = self.absolute.absolute(here, document.path());
            let path = path.unwrap_or(document.path());
            self.touched = touches(self.audit, path);
            if let Some(below) = self.audit.checker.mounts.relative_path(path) {
                self.name.clear();
                self.name.extend_from_slice(below);
            }
        }
    }

    /// What is known of a link.
    pub(super) fn facts<'l>(&mut self, link: &'l Link<'l>) -> TargetFacts<'l> {
        let (place, fragment) = self.audit.locate(link, &mut self.lookups);
        let file = place.file();
        let missing = |file: FileId, fragment| !self.site.has_fragment(file, fragment);
        TargetFacts {
            link,
            place,
            fragment_missing: self.audit.fragments == FragmentChecks::Check
                && file
                    .zip(fragment)
                    .is_some_and(|(file, fragment)| missing(file, fragment)),
            redirects: file.is_some_and(|file| self.site.redirects(file)),
        }
    }

    /// The key of a finding, which is the next of its kind in the document.
    pub(super) fn key(&mut self, rule: usize, member: Option<&str>, reference: &[u8]) -> u64 {
        let kind = self.audit.key.of(reference).rotate_left(rule as u32);
        let nth = self.repeated.entry(kind).or_default();
        *nth += 1;
        let nth = u64::from(*nth);
        baseline::key(&self.name, member, RULES[rule].name, reference, nth)
    }

    /// Whether a finding is one that is asked for: by its document, or by where its link leads.
    pub(super) fn shows(&self, facts: Option<&TargetFacts<'_>>) -> bool {
        if self.touched {
            return true;
        }
        let paths = &self.audit.checker.paths;
        let Some(facts) = facts else { return false };
        match facts.place {
            TargetLocation::File(file, _) | TargetLocation::NoIndex(file) => {
                touches(self.audit, &paths.path(file))
            }
            TargetLocation::Nothing | TargetLocation::SymlinkOut => {
                match position(self.audit, facts.link) {
                    Some((_, path)) => touches(self.audit, &path),
                    None => false,
                }
            }
            _ => false,
        }
    }

    /// The symbolic link on the way to the target of a link that leads nowhere, or out of the roots.
    pub(super) fn leads(&self, facts: &TargetFacts<'_>) -> Option<RedirectLead> {
        if !matches!(
            facts.place,
            TargetLocation::Nothing | TargetLocation::SymlinkOut
        ) {
            return None;
        }
        let (root, path) = position(self.audit, facts.link)?;
        match self.audit.checker.tree.find(&root, &path) {
            DiskEntry::Outside(path) => Some(RedirectLead::Outside(path)),
            DiskEntry::Dangling(text) => Some(RedirectLead::Dangling(text)),
            _ => None,
        }
    }

    /// How to find what the writer of a link may have meant.
    pub(super) fn suggestion(&mut self, rule: usize, facts: &TargetFacts<'_>) -> Suggestion {
        if self.suggestions == SUGGESTIONS {
            return Suggestion::Nothing;
        }
        self.suggestions += 1;
        let known = match (RULES[rule].name, facts.place) {
            ("broken-file", TargetLocation::Nothing) => return Suggestion::File,
            ("broken-fragment", TargetLocation::File(file, _)) => {
                return Suggestion::Fragment(file);
            }
            ("case-mismatch", TargetLocation::File(file, _)) => self.path(file),
            ("redirected", TargetLocation::File(_, LookupMatch::WithoutSlash)) => {
                let reference = facts.link.reference;
                let end = reference.iter().position(|byte| b"?#".contains(byte));
                let (path, rest) = reference.split_at(end.unwrap_or(reference.len()));
                Some([path, b"/", rest].concat())
            }
            ("redirected", TargetLocation::File(file, _)) => {
                let offer = self.site.offer(file);
                let redirect = offer.and_then(|offer| offer.redirect);
                redirect
                    .and_then(TargetLocation::file)
                    .and_then(|file| self.path(file))
            }
            _ => None,
        };
        known.map_or(Suggestion::Nothing, Suggestion::Known)
    }

    /// The path of a file below its mount, written as in references.
    fn path(&self, file: FileId) -> Option<Vec<u8>> {
        let path = self.audit.checker.paths.path(file);
        let below = self.audit.checker.mounts.relative_path(&path)?;
        let mut reference = Vec::new();
        push_path(below, &mut reference);
        Some(reference)
    }
}

/// How a suggestion is found.
pub(super) enum Suggestion {
    Nothing,
    Known(Vec<u8>),
    File,
    Fragment(FileId),
}

impl Suggestion {
    pub(super) fn hint(&self) -> SuggestionHint<'_> {
        match self {
            Suggestion::Nothing => SuggestionHint::Nothing,
            Suggestion::Known(suggestion) => SuggestionHint::Known(suggestion),
            Suggestion::File => SuggestionHint::File,
            Suggestion::Fragment(file) => SuggestionHint::Fragment(*file),
        }
    }
}

/// Where a symbolic link leads.
pub(super) enum RedirectLead {
    Outside(Vec<u8>),
    Dangling(Vec<u8>),
}

impl RedirectLead {
    pub(super) fn symlink(&self) -> Symlink<'_> {
        match self {
            RedirectLead::Outside(path) => Symlink::Outside(path),
            RedirectLead::Dangling(text) => Symlink::Dangling(text),
        }
    }
}

fn touches(audit: &Audit, path: &[u8]) -> bool {
    audit.touching.is_empty() || audit.touching.holds(path)
}

/// The mounted directory and the path at which the target of a link should lie.
pub(super) fn position(audit: &Audit, link: &Link<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let target = link.target.ok()?;
    let end = target.iter().position(|byte| b"?#".contains(byte));
    let target = &target[..end.unwrap_or(target.len())];
    match audit.checker.position(target) {
        MountPosition::Below { root, path } => Some((root, path?)),
        MountPosition::Elsewhere(_) => None,
    }
}
