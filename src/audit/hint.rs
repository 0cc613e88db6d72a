//! Hints for suggestions: references that a finding's own target leads to, without a search.

use std::hash::BuildHasher;

use encoding_rs::WINDOWS_1252;
use hashbrown::HashTable;
use percent_encoding::percent_decode;

use super::disk::{DiskEntry, LookupMatch};
use super::finding::{Repair, Suggestion, SuggestionHint};
use super::names::FileId;
use super::options::{Audit, misspelt_scheme};
use super::rewrite::ReferenceForm;
use super::site::{FileSet, Site};
use super::target::{ExpectedPath, ServerStep, TargetFacts, TargetLocation, split_fragment};
use crate::uri::{Resolver, Rules};

/// The number of redirects that are followed from a page to the page that a suggestion names.
const MOST_REDIRECTS: usize = 8;

/// Returns the candidates for the suggestion of a finding of a rule; `expected` is the path at which the
/// target should lie.
pub(super) fn hint(
    audit: &Audit,
    site: &Site,
    rule: &str,
    facts: &TargetFacts<'_>,
    expected: Option<&ExpectedPath<'_>>,
) -> SuggestionHint {
    let known = match (rule, facts.location) {
        ("broken-fragment", TargetLocation::File(file, how)) => {
            let is_settled = how.is_final() && !site.redirects(file);
            return SuggestionHint::Fragment { file, is_settled };
        }
        ("broken-file", TargetLocation::Nothing) => {
            let known = expected.and_then(|expected| {
                let renamed = new_name(audit, site, facts, expected);
                renamed.or_else(|| misspelt(audit, site, facts, expected))
            });
            match known {
                None => return SuggestionHint::File,
                known => known,
            }
        }
        ("case-mismatch", TargetLocation::File(file, how)) if facts.fragment_in_other_case => {
            let is_settled = how.is_final() && !site.redirects(file);
            return SuggestionHint::Fragment { file, is_settled };
        }
        ("case-mismatch", TargetLocation::File(file, _)) => {
            let tree = &audit.checker.tree;
            let is_certain =
                expected.is_some_and(|expected| tree.is_unambiguous(expected.root, &expected.path));
            let known = renamed(audit, site, facts, file, Repair::Case);
            known.map(|known| Suggestion {
                repair: known.repair.filter(|_| is_certain),
                ..known
            })
        }
        ("trailing-slash", TargetLocation::File(file, _)) => {
            let form = ReferenceForm::of(&audit.checker, facts.link);
            let path = audit.checker.paths.path(file);
            let shorter = form.and_then(|form| form.without_slash(&path));
            let shorter = shorter.filter(|_| !site.redirects(file));
            match shorter {
                Some(reference) => Some(Suggestion {
                    reference,
                    repair: Some(Repair::Slash),
                }),
                None => renamed(audit, site, facts, file, Repair::Slash),
            }
        }
        ("redirected", TargetLocation::File(file, LookupMatch::Redirect)) => {
            redirected_by_rule(audit, site, facts, file)
        }
        ("redirected", TargetLocation::File(file, how)) => {
            let repair = match how {
                _ if facts.redirects => Repair::Redirect,
                LookupMatch::WithoutSlash => Repair::Slash,
                _ => return SuggestionHint::Nothing,
            };
            renamed(audit, site, facts, file, repair)
        }
        ("bad-reference", _) => misspelt_scheme(facts.link.reference).map(|(scheme, meant)| {
            let reference = facts.link.reference.trim_ascii_start();
            Suggestion {
                reference: [meant.as_bytes(), &reference[scheme.len()..]].concat(),
                repair: None,
            }
        }),
        _ => None,
    };
    known.map_or(SuggestionHint::Nothing, SuggestionHint::Known)
}

/// Returns the suggestion of a file, or of the page that it redirects to, with the query and the
/// fragment of the link.
fn renamed(
    audit: &Audit,
    site: &Site,
    facts: &TargetFacts<'_>,
    file: FileId,
    repair: Repair,
) -> Option<Suggestion> {
    let form = ReferenceForm::of(&audit.checker, facts.link)?;
    let suffix = form.suffix();
    suggestion(audit, site, &form, file, suffix, repair)
}

/// Returns the suggestion of a file, or of the page that it redirects to; none if the fragment of
/// the suffix is not there.
///
/// It is certain where nothing that was written is lost.
pub(super) fn suggestion(
    audit: &Audit,
    site: &Site,
    form: &ReferenceForm<'_>,
    file: FileId,
    suffix: &[u8],
    repair: Repair,
) -> Option<Suggestion> {
    let (file, redirected) = destination(site, file)?;
    let used = if suffix.is_empty() {
        redirected
    } else {
        suffix
    };
    let is_certain = suffix.is_empty() || redirected.is_empty();
    if let Some(at) = memchr::memchr(b'#', used)
        && audit.checks_fragments()
        && !site.page_has_fragment(file, &used[at + 1..])
    {
        return None;
    }
    let reference = form.to_file(&audit.checker.paths.path(file), used)?;
    let repair = is_certain.then_some(repair);
    Some(Suggestion { reference, repair })
}

/// Returns the suggestion of the URI that rules of a server redirect to in the end.
fn redirected_by_rule(
    audit: &Audit,
    site: &Site,
    facts: &TargetFacts<'_>,
    file: FileId,
) -> Option<Suggestion> {
    let (target, _) = split_fragment(facts.link.target.ok()?);
    let mut destination = Vec::new();
    audit.checker.follow(target, |step| {
        if let ServerStep::Rule {
            destination: next, ..
        } = step
        {
            destination = next.to_vec();
        }
    });
    let mut uri = Vec::new();
    let resolver = Resolver::new(target, Rules::Whatwg).ok()?;
    resolver.resolve_into(&destination, &mut uri).ok()?;
    let end = memchr::memchr2(b'?', b'#', &uri).unwrap_or(uri.len());
    let redirected = uri.split_off(end);
    let form = ReferenceForm::of(&audit.checker, facts.link)?;
    let (suffix, is_certain) = match (&*redirected, form.suffix()) {
        (b"", suffix) => (suffix, true),
        (redirected, suffix) => (redirected, suffix.is_empty()),
    };
    let fragment = split_fragment(suffix).1;
    let has_fragment = fragment.is_none_or(|fragment| site.page_has_fragment(file, fragment));
    let is_certain = is_certain && has_fragment && !site.redirects(file);
    let path = audit.checker.paths.path(file);
    let reference = form.to_file_at(&uri, &path, suffix)?;
    let repair = is_certain.then_some(Repair::Redirect);
    Some(Suggestion { reference, repair })
}

/// Returns the page that a file redirects to in the end, or the file itself, with the query and the
/// fragment of the last redirect; none if that is not in the tree.
fn destination(site: &Site, mut file: FileId) -> Option<(FileId, &[u8])> {
    let mut suffix: &[u8] = b"";
    for _ in 0..=MOST_REDIRECTS {
        let redirect = site
            .anchors(file)
            .and_then(|anchors| anchors.redirect.as_deref());
        let Some(redirect) = redirect else {
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

/// Returns the suggestion for a file that has been renamed.
fn new_name(
    audit: &Audit,
    site: &Site,
    facts: &TargetFacts<'_>,
    expected: &ExpectedPath<'_>,
) -> Option<Suggestion> {
    let path = audit.options.gone.renamed(&expected.path)?;
    match audit.checker.entry(expected.root, path) {
        DiskEntry::File(path, how) if how.is_final() => {
            let file = audit.checker.paths.id(&path);
            renamed(audit, site, facts, file, Repair::Renamed)
        }
        _ => None,
    }
}

/// Returns the suggestion for a missing file that exists by another spelling of the same name: with
/// other encodings of its characters, without a slash at its end, or with what follows a `?` or `#`.
fn misspelt(
    audit: &Audit,
    site: &Site,
    facts: &TargetFacts<'_>,
    expected: &ExpectedPath<'_>,
) -> Option<Suggestion> {
    let checker = &audit.checker;
    let ExpectedPath { root, path } = expected;
    let below = expected.below();
    // Most names have nothing that could be spelt otherwise, and no more is looked up for them.
    let may_be_spelt = below.ends_with(b"/")
        || below.contains(&b'%')
        || memchr::memchr2(b'?', b'#', facts.link.reference).is_some()
        || str::from_utf8(below).is_err();
    if !may_be_spelt {
        return None;
    }
    let form = ReferenceForm::of(checker, facts.link)?;
    let find = |path: &[u8]| match checker.entry(root, path) {
        DiskEntry::File(path, how) if how.is_final() => Some(checker.paths.id(&path)),
        _ => None,
    };
    let found = |file, suffix: &[u8], repair| suggestion(audit, site, &form, file, suffix, repair);
    let suffix = form.suffix();
    if let Some(end) = below.iter().rposition(|&byte| byte != b'/')
        && end + 1 < below.len()
        && let Some(file) = find(&path[..=root.len() + end])
    {
        return found(file, suffix, Repair::Slash);
    }
    if str::from_utf8(below).is_err() {
        let (text, ..) = WINDOWS_1252.decode(below);
        if let Some(file) = find(&[root, text.as_bytes()].concat()) {
            return found(file, suffix, Repair::Encoding);
        }
    }
    if below.contains(&b'%') {
        let again: Vec<u8> = percent_decode(below).collect();
        if let Some(file) = find(&[root, &*again].concat()) {
            return found(file, suffix, Repair::Encoding);
        }
    }
    // `a?b.html` and `c#.html` are names of files too, whose delimiters were not encoded.
    let fragment = memchr::memchr(b'#', suffix);
    let ends = [fragment, Some(suffix.len())];
    ends.into_iter()
        .flatten()
        .filter(|&end| end > 0)
        .find_map(|end| {
            let more: Vec<u8> = percent_decode(&suffix[..end]).collect();
            let file = find(&[&**path, &*more].concat())?;
            found(file, &suffix[end..], Repair::Encoding)
        })
}

/// Files by their names, to find those that have moved.
#[derive(Debug, Default)]
pub(super) struct MovedFiles {
    /// The first file of each name.
    files: HashTable<FileId>,
    /// Those of them whose name other files have too.
    several: FileSet,
}

impl MovedFiles {
    /// Notes the first `count` numbered files.
    pub(super) fn new(audit: &Audit, count: usize) -> Self {
        let mut moved = MovedFiles {
            files: HashTable::with_capacity(count),
            several: FileSet::default(),
        };
        let hash = |file: &FileId| {
            let path = audit.checker.paths.path(*file);
            audit.hasher.hash_one(last_name(&path))
        };
        for file in (0..count as u32).map(FileId) {
            let path = audit.checker.paths.path(file);
            match moved.find(audit, last_name(&path)) {
                Some(first) => moved.several.insert(first),
                None => {
                    moved.files.insert_unique(hash(&file), file, hash);
                }
            }
        }
        moved
    }

    /// Returns the only file with a name.
    pub(super) fn only(&self, audit: &Audit, name: &[u8]) -> Option<FileId> {
        let first = self.find(audit, name)?;
        (!self.several.contains(first)).then_some(first)
    }

    /// Returns the first file with a name.
    fn find(&self, audit: &Audit, name: &[u8]) -> Option<FileId> {
        let paths = &audit.checker.paths;
        let is_named = |file: &FileId| last_name(&paths.path(*file)) == name;
        let hash = audit.hasher.hash_one(name);
        self.files.find(hash, is_named).copied()
    }
}

fn last_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}
