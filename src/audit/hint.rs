//! Hints for suggestions: references that follow from a finding's own target, without a search.

use std::hash::BuildHasher;

use encoding_rs::WINDOWS_1252;
use foldhash::{HashMap, HashMapExt};
use percent_encoding::percent_decode;

use super::disk::{DiskEntry, LookupMatch};
use super::finding::{Repair, Suggestion, SuggestionHint};
use super::location::{Audit, misspelt_scheme};
use super::names::FileId;
use super::rewrite::{ReferenceForm, split_written};
use super::rules::{FragmentMatch, RuleId, TargetFacts};
use super::site::Site;
use super::target::{ExpectedPath, TargetLocation, split_fragment, split_name, split_path};
use crate::uri::{Rules, resolve};

const MOST_REDIRECTS: usize = 8;

pub(super) struct HintSearch<'a> {
    pub(super) audit: &'a Audit,
    pub(super) site: &'a Site,
    pub(super) facts: &'a TargetFacts<'a>,
    /// Where the target should lie.
    pub(super) expected: Option<&'a ExpectedPath<'a>>,
}

impl HintSearch<'_> {
    pub(super) fn hint(&self, rule: RuleId) -> SuggestionHint {
        let facts = self.facts;
        let known = match (rule, facts.location) {
            (RuleId::BrokenFragment | RuleId::CaseMismatch, TargetLocation::File(file, how))
                if rule == RuleId::BrokenFragment || facts.fragment == FragmentMatch::OtherCase =>
            {
                let is_settled = how.is_final() && !self.site.redirects(file);
                return SuggestionHint::Fragment(file, is_settled);
            }
            (RuleId::BrokenFile, TargetLocation::Nothing) => {
                match self.new_name().or_else(|| self.misspelt()) {
                    None => return SuggestionHint::File,
                    known => known,
                }
            }
            (RuleId::CaseMismatch, TargetLocation::File(file, _)) => {
                let tree = &self.audit.checker.tree;
                let is_certain = (self.expected)
                    .is_some_and(|expected| tree.is_unambiguous(expected.root, &expected.path));
                self.renamed(file, Repair::Case).map(|known| Suggestion {
                    repair: known.repair.filter(|_| is_certain),
                    ..known
                })
            }
            (RuleId::TrailingSlash, TargetLocation::File(file, _)) => {
                let path = self.audit.checker.paths.path(file);
                let shorter = self.form().and_then(|form| form.without_slash(&path));
                match shorter.filter(|_| !self.site.redirects(file)) {
                    Some(reference) => Some(Suggestion::new(reference, Some(Repair::Slash))),
                    None => self.renamed(file, Repair::Slash),
                }
            }
            (RuleId::Redirected, TargetLocation::File(file, how)) => match how {
                LookupMatch::Redirect => self.redirected_by_rule(file),
                _ if facts.redirects => self.renamed(file, Repair::Redirect),
                LookupMatch::WithoutSlash => self.renamed(file, Repair::Slash),
                _ => None,
            },
            (RuleId::ExternalMoved | RuleId::ExternalBroken, _) => self.online(rule),
            (RuleId::BadReference, _) => {
                let reference = facts.link.reference.trim_ascii_start();
                let misspelt = misspelt_scheme(facts.link.reference);
                misspelt.map(|(scheme, meant)| {
                    let rest = &reference[scheme.len()..];
                    Suggestion::new([meant.as_bytes(), rest].concat(), None)
                })
            }
            _ => None,
        };
        known.map_or(SuggestionHint::Nothing, SuggestionHint::Known)
    }

    /// Returns the new address of a page, or a copy of it.
    fn online(&self, rule: RuleId) -> Option<Suggestion> {
        let target = self.facts.link.target.ok()?;
        let found = self.audit.options.results.find(target)?;
        if rule == RuleId::ExternalBroken {
            return Some(Suggestion::new(found.copy()?, None));
        }
        let location = found.location.as_ref()?.as_bytes();
        let mut reference = resolve(target, location, Rules::Whatwg).ok()?;
        if let (Some(fragment), None) = (split_fragment(target).1, split_fragment(&reference).1) {
            reference.push(b'#');
            reference.extend_from_slice(fragment);
        }
        Some(Suggestion::new(reference, Some(Repair::Redirect)))
    }

    fn form(&self) -> Option<ReferenceForm<'_>> {
        ReferenceForm::of(&self.audit.checker, self.facts.link)
    }

    /// Suggests the file with the query and the fragment of the link.
    fn renamed(&self, file: FileId, repair: Repair) -> Option<Suggestion> {
        let form = self.form()?;
        suggestion(self.audit, self.site, &form, file, &form.suffix, repair)
    }

    /// Returns the URI to which rules of a server redirect in the end.
    fn redirected_by_rule(&self, file: FileId) -> Option<Suggestion> {
        let (target, _) = split_fragment(self.facts.link.target.ok()?);
        let mut destination = Vec::new();
        self.audit.checker.follow(target, |step| {
            if let Some(rule) = step {
                destination = rule.destination.to_vec();
            }
        });
        let mut uri = resolve(target, &destination, Rules::Whatwg).ok()?;
        let redirected = uri.split_off(split_path(&uri).0.len());
        let form = self.form()?;
        let (suffix, is_certain) = match (&*redirected, &*form.suffix) {
            (b"", suffix) => (suffix, true),
            (redirected, suffix) => (redirected, suffix.is_empty()),
        };
        let fragment = split_fragment(suffix).1;
        let site = self.site;
        let has_fragment = fragment.is_none_or(|fragment| site.page_has_fragment(file, fragment));
        let is_certain = is_certain && has_fragment && !site.redirects(file);
        let path = self.audit.checker.paths.path(file);
        let reference = form.to_file_at(&uri, &path, suffix)?;
        let repair = is_certain.then_some(Repair::Redirect);
        Some(Suggestion { reference, repair })
    }

    /// Returns the file at a path below the root, if the path is its final name.
    fn find(&self, path: &[u8]) -> Option<FileId> {
        let checker = &self.audit.checker;
        match checker.entry(self.expected?.root, path) {
            DiskEntry::File(path, how) if how.is_final() => Some(checker.paths.id(&path)),
            _ => None,
        }
    }

    fn new_name(&self) -> Option<Suggestion> {
        let path = self.audit.options.gone.renamed(&self.expected?.path)?;
        self.renamed(self.find(path)?, Repair::Renamed)
    }

    /// Returns a file of another spelling of the name: with other encodings of its characters,
    /// without a slash at its end, or with the bytes after a `?` or `#`.
    fn misspelt(&self) -> Option<Suggestion> {
        let expected = self.expected?;
        let (root, path, below) = (expected.root, &expected.path, expected.below());
        let found = |file, suffix: &[u8], repair| {
            suggestion(self.audit, self.site, &self.form()?, file, suffix, repair)
        };
        let (_, suffix) =
            split_written(split_path(self.facts.link.reference).1).unwrap_or_default();
        let mut spellings = Vec::new();
        if let Some(end) = below.iter().rposition(|&byte| byte != b'/')
            && end + 1 < below.len()
        {
            spellings.push((path[..=root.len() + end].to_vec(), Repair::Slash));
        }
        if str::from_utf8(below).is_err() {
            let (text, ..) = WINDOWS_1252.decode(below);
            spellings.push(([root, text.as_bytes()].concat(), Repair::Encoding));
        }
        if below.contains(&b'%') {
            let again: Vec<u8> = percent_decode(below).collect();
            spellings.push(([root, &*again].concat(), Repair::Encoding));
        }
        for (path, repair) in spellings {
            if let Some(file) = self.find(&path) {
                return found(file, &suffix, repair);
            }
        }
        // `a?b.html` and `c#.html` are names of files too.
        let ends = [memchr::memchr(b'#', &suffix), Some(suffix.len())];
        let mut ends = ends.into_iter().flatten().filter(|&end| end > 0);
        ends.find_map(|end| {
            let more: Vec<u8> = percent_decode(&suffix[..end]).collect();
            let file = self.find(&[&**path, &*more].concat())?;
            found(file, &suffix[end..], Repair::Encoding)
        })
    }
}

/// Returns the suggestion of a file, or of the page that it redirects to; `None` if the fragment is
/// not there. It is certain where nothing that was written is lost.
pub(super) fn suggestion(
    audit: &Audit,
    site: &Site,
    form: &ReferenceForm<'_>,
    file: FileId,
    suffix: &[u8],
    repair: Repair,
) -> Option<Suggestion> {
    let (file, redirected) = destination(site, file)?;
    let used = [suffix, redirected][usize::from(suffix.is_empty())];
    let is_certain = suffix.is_empty() || redirected.is_empty();
    if let Some(at) = memchr::memchr(b'#', used)
        && audit.options.checks_fragments
        && !site.page_has_fragment(file, &used[at + 1..])
    {
        return None;
    }
    let reference = form.to_file(&audit.checker.paths.path(file), used)?;
    let repair = is_certain.then_some(repair);
    Some(Suggestion { reference, repair })
}

/// Returns the last page of the redirects from a file, with the query and the fragment of the last
/// redirect; `None` outside the tree.
fn destination(site: &Site, mut file: FileId) -> Option<(FileId, &[u8])> {
    let mut suffix: &[u8] = b"";
    for _ in 0..=MOST_REDIRECTS {
        let anchors = site.anchors(file);
        let Some(redirect) = anchors.and_then(|anchors| anchors.redirect.as_deref()) else {
            return Some((file, suffix));
        };
        match redirect.location {
            TargetLocation::File(next, how) if how.is_final() => file = next,
            _ => return None,
        }
        suffix = &redirect.suffix;
    }
    None
}

/// The file of each name in an archive, by their hash; `None` where several files have the name.
#[derive(Debug, Default)]
pub(super) struct MovedFiles(HashMap<u64, Option<FileId>>);

impl MovedFiles {
    pub(super) fn new(audit: &Audit, count: usize) -> Self {
        let mut files = HashMap::with_capacity(count);
        for file in (0..count as u32).map(FileId) {
            let key = Self::key(audit, &audit.checker.paths.path(file));
            let known = files.entry(key).and_modify(|known| *known = None);
            known.or_insert(Some(file));
        }
        MovedFiles(files)
    }

    /// Returns the hash of the name of a file and of the archive that has the file: none moves out.
    fn key(audit: &Audit, path: &[u8]) -> u64 {
        let (directory, name) = split_name(path);
        let archive = memchr::memmem::rfind(directory, b"!/").map(|end| &directory[..end]);
        audit.hasher.hash_one((archive, name))
    }

    /// Returns the only file with the name of a path in the same archive, or outside of archives.
    pub(super) fn only(&self, audit: &Audit, path: &[u8]) -> Option<FileId> {
        self.0.get(&Self::key(audit, path)).copied()?
    }
}
