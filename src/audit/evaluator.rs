//! The evaluation of links when all documents are known: the facts of their targets, keys and causes.

use std::hash::BuildHasher;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};
use memchr::memmem;

use super::disk::{DiskEntry, LookupMatch};
use super::finding::{CauseKind, FindingCause, finding_key};
use super::journal::JournalDocument;
use super::location::{Audit, Located, LookupCache, targets_touched, touches};
use super::names::FileId;
use super::page_text::PageTexts;
use super::results::OnlineAnswer;
use super::rewrite::steps_above;
use super::rule_checks::ServerSteps;
use super::rules::{FragmentMatch, RuleId, TargetFacts, is_unfilled};
use super::site::{AnchorSet, Site};
use super::source::page::SourcePage;
use super::target::{
    ExpectedPath, RUSTDOC_ITEM, TargetLocation, is_route, percent_decoded, split_fragment,
    split_path,
};
use crate::document::flags::Flags;
use crate::linker::{Link, LinkBase};
use crate::pipeline::bases::{AbsolutePaths, is_of_repository};
use crate::pipeline::walk::path_of;
use crate::uri::{Rules, resolve};

/// Clearing takes as long as the capacity is large: larger maps and sets are dropped.
pub(super) const CLEARED: usize = 1 << 12;

/// The properties of a finding that all references of a document to the same missing target share.
pub(super) struct KnownTarget<'a> {
    /// The place where the target should lie.
    pub(super) expected: Option<ExpectedPath<'a>>,
    pub(super) name: Vec<u8>,
    pub(super) cause: Option<FindingCause<'static>>,
    pub(super) exists_elsewhere: bool,
}

/// Evaluates links when all documents are known.
pub(super) struct Evaluator<'a> {
    audit: &'a Audit,
    pub(super) site: &'a Site,
    lookups: LookupCache<'a>,
    texts: PageTexts,
    file: Option<FileId>,
    pub(super) name: Vec<u8>,
    /// The absolute path of the document's file.
    pub(super) path: Vec<u8>,
    /// The findings with a rule and a reference, by the hash of both.
    repeated: HashMap<u64, u32>,
    /// The missing targets, by the hashes of targets, references and bases.
    missing: HashMap<u64, Rc<KnownTarget<'a>>>,
    pub(super) absolute: AbsolutePaths,
    touched: bool,
    /// The document is the source of a site, which decides about its references.
    is_source: bool,
    /// The document is not a page of a site, but the text of pages, which resolve its references.
    is_part: bool,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(audit: &'a Audit, site: &'a Site) -> Self {
        Evaluator {
            audit,
            site,
            lookups: LookupCache::new(audit),
            texts: PageTexts::default(),
            file: None,
            name: Vec::new(),
            path: Vec::new(),
            repeated: HashMap::new(),
            missing: HashMap::new(),
            absolute: AbsolutePaths::default(),
            touched: true,
            is_source: false,
            is_part: false,
        }
    }

    /// A member's `path` is inside its archive.
    pub(super) fn begin(&mut self, document: &JournalDocument, path: &[u8]) {
        if self.repeated.capacity() > CLEARED {
            self.repeated = HashMap::new();
        }
        self.repeated.clear();
        self.missing.clear();
        self.texts = PageTexts::default();
        self.file = document.file;
        let (sources, checker) = (&self.audit.sources, &self.audit.checker);
        let has = |file| !sources.is_empty() && sources.has(&checker.paths.path(file));
        self.is_source = document.file.is_some_and(has);
        let included = &self.site.collected.included;
        let part = document.file.filter(|&file| included.contains(file));
        // A file such as README or CHANGES is a page of the repository as well.
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let page = |file| SourcePage::of(sources, checker, [&checker.paths.path(file); 2]);
        self.is_part = !name.first().is_some_and(u8::is_ascii_uppercase)
            && part.is_some_and(|file| page(file).is_none());
        let here = &self.audit.options.reading.bases.here;
        let absolute = self.absolute.absolute(here, path).unwrap_or(path);
        let is_file = document.file.is_some();
        self.touched = !is_file || touches(self.audit, absolute);
        let below = self.audit.checker.mounts.relative_path(absolute);
        let name = below.filter(|_| is_file).unwrap_or(path);
        name.clone_into(&mut self.name);
        let file = document.path.as_slice();
        let absolute = self.absolute.absolute(here, file).unwrap_or(file);
        absolute.clone_into(&mut self.path);
        // All findings in a member are shown if the archive's are.
        self.touched |= touches(self.audit, absolute);
    }

    pub(super) fn facts<'l>(&mut self, link: &'l Link<'l>, at: Located<'l>) -> TargetFacts<'l> {
        let (mut location, mut fragment) = at;
        if self.is_part && location != TargetLocation::External {
            (location, fragment) = (TargetLocation::Skipped, None);
        }
        let own = self.file.and_then(|file| self.site.anchors(file));
        let lists = own.is_some_and(|own| own.lists_directories);
        if lists && matches!(location, TargetLocation::NoIndex(_)) {
            location = TargetLocation::Served;
        }
        let file = location.file();
        // A page is shown until it refreshes (A18).
        let is_own = file.is_some() && file == self.file;
        let checks = self.audit.options.checks_fragments;
        let has = [Site::has_fragment, Site::page_has_fragment][usize::from(is_own)];
        let is_missing = |&(file, fragment): &_| checks && !has(self.site, file, fragment);
        let missing = file.zip(fragment).filter(is_missing);
        let on_github = missing.map(|(file, fragment)| {
            let from_github = own.is_some_and(|own| own.on_github);
            let target = link.target.unwrap_or_default();
            let as_source = memmem::find(target, b"?plain=1").is_some();
            (self.site).on_github(file, fragment, from_github, as_source)
        });
        let relation = self.file.and_then(|own| {
            let rule = self.audit.relation(link, own, (location, fragment))?;
            let is_broken = match (rule, file) {
                (RuleId::TextFragment, Some(file)) => {
                    let has_text = |anchors: &AnchorSet| anchors.has_text;
                    self.site.anchors(file).is_some_and(has_text)
                        && self.texts.lacks(self.audit, file, fragment?)
                }
                // A page that was read names itself.
                (RuleId::HreflangReturn, Some(file)) => {
                    let pairs = &self.site.collected.translations;
                    pairs.contains(&(file, file)) && !pairs.contains(&(file, own))
                }
                _ => true,
            };
            is_broken.then_some(rule)
        });
        TargetFacts {
            link,
            location,
            fragment: on_github.unwrap_or_default(),
            is_route: fragment.is_some_and(is_route),
            redirects: !is_own && file.is_some_and(|file| self.site.redirects(file)),
            online: self.audit.answer(link, location),
            relation,
        }
    }

    /// Returns the next key of its kind in the document.
    pub(super) fn key(&mut self, rule: RuleId, member: Option<&str>, reference: &[u8]) -> u64 {
        let kind = self.audit.hasher.hash_one(reference);
        let nth = (self.repeated.entry(kind.rotate_left(rule as u32))).or_default();
        *nth += 1;
        finding_key(&self.name, member, rule, reference, u64::from(*nth))
    }

    pub(super) fn target(&mut self, rule: RuleId, facts: &TargetFacts<'_>) -> Rc<KnownTarget<'a>> {
        let (target, _) = split_fragment(facts.link.target.unwrap_or_default());
        let (reference, _) = split_fragment(facts.link.reference);
        let LinkBase { uri, label } = facts.link.base.unwrap_or_default();
        let is_missing = facts.location == TargetLocation::Nothing;
        let key = is_missing.then(|| (self.audit.hasher).hash_one((target, reference, uri, label)));
        if let Some(known) = key.and_then(|key| self.missing.get(&key)) {
            return Rc::clone(known);
        }
        let expected = self.audit.checker.expected_path(facts.link);
        let found = Rc::new(KnownTarget {
            name: self.target_name(rule, facts, expected.as_ref()),
            cause: self.cause(facts, expected.as_ref()),
            exists_elsewhere: self.exists_elsewhere(facts),
            expected,
        });
        let key = key.filter(|_| self.missing.len() < CLEARED);
        (self.missing).extend(key.map(|key| (key, Rc::clone(&found))));
        found
    }

    /// Returns the name of the target in groups: the path below a mount, with a missing fragment
    /// (A47).
    fn target_name(
        &self,
        rule: RuleId,
        facts: &TargetFacts<'_>,
        expected: Option<&ExpectedPath<'_>>,
    ) -> Vec<u8> {
        let Ok(target) = facts.link.target else {
            return facts.link.reference.to_vec();
        };
        if facts.redirects && rule == RuleId::Redirected && self.is_of_rustdoc(facts) {
            return RUSTDOC_REDIRECTS.to_vec();
        }
        let (target, fragment) = split_fragment(target);
        let mut name = match expected {
            Some(expected) => self.path_to_show(expected.root, &expected.path),
            None => target.to_vec(),
        };
        if matches!(facts.location, TargetLocation::NoIndex(_)) && !name.ends_with(b"/") {
            name.push(b'/');
        }
        if matches!(rule, RuleId::BrokenFragment | RuleId::TextFragment) {
            name.push(b'#');
            name.extend_from_slice(fragment.unwrap_or_default());
        }
        name
    }

    /// Returns whether the target is a page of rustdoc for an item elsewhere: with the name of an
    /// item, and without anchors.
    fn is_of_rustdoc(&self, facts: &TargetFacts<'_>) -> bool {
        facts.location.file().is_some_and(|file| {
            let anchors = self.site.anchors(file);
            let names = anchors.and_then(|anchors| anchors.names.as_deref());
            names.is_none_or(<[u64]>::is_empty)
                && RUSTDOC_ITEM.is_match(&self.audit.checker.paths.path(file))
        })
    }

    /// Relative to the only mount, or else to the current directory.
    fn path_to_show(&self, root: &[u8], path: &[u8]) -> Vec<u8> {
        let bases = &self.audit.options.reading.bases;
        let is_only = bases.mounts.len() == 1 && bases.mounts.uri_of_mount(root).is_some();
        let above = if is_only { root } else { &bases.here };
        match path.strip_prefix(above) {
            Some(b"") => b"/".to_vec(),
            Some(below) => below.to_vec(),
            None => path.to_vec(),
        }
    }

    /// Returns whether findings are shown by the document, or by the target of a link.
    pub(super) fn shows(&self, of: Option<&TargetFacts<'_>>) -> bool {
        let Some(facts) = of.filter(|_| self.audit.options.touching.is_some()) else {
            return self.touched;
        };
        let audit = self.audit;
        let file = match facts.location {
            TargetLocation::File(file, _) | TargetLocation::NoIndex(file) => Some(file),
            TargetLocation::External
            | TargetLocation::OutsideRoot
            | TargetLocation::Skipped
            | TargetLocation::LeftOut
            | TargetLocation::Unresolved(_) => return self.touched,
            _ => None,
        };
        // A gone file may have had other paths.
        let is_wiki = facts.link.flags.contains(Flags::WIKI);
        let expected = audit.checker.expected_path(facts.link);
        let mut is_touched = expected.is_some_and(|expected| {
            audit.options.gone.contains(&expected.path, is_wiki) || touches(audit, &expected.path)
        });
        is_touched |= self.touched;
        is_touched |= file.is_some_and(|file| touches(audit, &audit.checker.paths.path(file)));
        is_touched || self.passes_touched(facts)
    }

    /// Returns whether a rule on the way is in a touched file, or has such a destination.
    fn passes_touched(&self, facts: &TargetFacts<'_>) -> bool {
        let checker = &self.audit.checker;
        let (target, _) = split_fragment(facts.link.target.unwrap_or_default());
        let mut is_touched = false;
        checker.follow(target, |step| {
            if let Some(rule) = step {
                let next = resolve(target, rule.destination, Rules::Whatwg);
                is_touched |= touches(self.audit, rule.file)
                    || next.is_ok_and(|next| targets_touched(self.audit, &next));
            }
        });
        is_touched
    }

    /// Returns the symbolic link or the rules that make the target missing or move it.
    fn cause(
        &mut self,
        facts: &TargetFacts<'_>,
        expected: Option<&ExpectedPath<'_>>,
    ) -> Option<FindingCause<'static>> {
        if let TargetLocation::Misled
        | TargetLocation::RedirectOut
        | TargetLocation::File(_, LookupMatch::Redirect) = facts.location
        {
            let mut steps = ServerSteps::default();
            let (target, _) = split_fragment(facts.link.target.unwrap_or_default());
            let checker = &self.audit.checker;
            checker.follow(target, |step| steps.add(self.audit, step));
            return steps.cause();
        }
        if !matches!(facts.online, OnlineAnswer::Unknown | OnlineAnswer::Fine) {
            let found = self.audit.options.results.find(facts.link.target.ok()?)?;
            let copy = ["", "; there is an archived copy"][usize::from(found.copy().is_some())];
            let text = [&found.status, copy].concat();
            return Some(FindingCause::new(CauseKind::Words, text));
        }
        if self.is_source {
            return None;
        }
        if facts.location == TargetLocation::Skipped && is_unfilled(facts.link) {
            return Some(FindingCause::new(CauseKind::Unfilled, b""));
        }
        // The destination of a link in a PDF is in its target alone.
        let is_implied = split_fragment(facts.link.reference).1.is_none();
        if is_implied && facts.fragment == FragmentMatch::Missing {
            let name = split_fragment(facts.link.target.ok()?).1?;
            return Some(FindingCause::new(CauseKind::Words, name));
        }
        let base = facts.link.base?.uri;
        let checker = &self.audit.checker;
        let depth = self.lookups.depth(base);
        let is_above = || steps_above(depth, facts.link.reference).is_some();
        match facts.location {
            TargetLocation::Nothing | TargetLocation::SymlinkOut => {}
            TargetLocation::OutsideRoot if is_of_repository(base) && is_above() => {
                return Some(FindingCause::new(CauseKind::OutOfRepository, b""));
            }
            _ => return None,
        }
        let expected = expected?;
        // Lookups follow the symbolic links on the way.
        let followed = checker.tree.has_followed_links();
        let entry = followed.then(|| checker.entry(expected.root, &expected.path));
        let (kind, text) = match entry {
            Some(DiskEntry::Outside(path)) => (CauseKind::Outside, path),
            Some(DiskEntry::Dangling(text)) => (CauseKind::Dangling, text),
            _ => (is_above().then_some(CauseKind::AboveRoot)?, Vec::new()),
        };
        Some(FindingCause::new(kind, text))
    }

    /// Returns whether a missing target exists elsewhere, so that nothing is suggested: relative to
    /// the document on disk, by an alias of a bundler, or among the files that a generator copies
    /// to the root of the site (A72).
    fn exists_elsewhere(&self, facts: &TargetFacts<'_>) -> bool {
        // Suggestions are by files, and references of sources by the rules of a generator.
        if self.is_source {
            return true;
        }
        let (TargetLocation::Nothing, Some(file)) = (facts.location, self.file) else {
            return false;
        };
        // Other bases have no directory on disk.
        let source = facts.link.base.map(|base| base.label);
        if !source.is_some_and(|source| source.starts_with("retrieval:")) {
            return false;
        }
        let reference = facts.link.reference.trim_ascii();
        let (written, _) = split_path(reference);
        if ALIASES.iter().any(|alias| written.starts_with(alias)) {
            return true;
        }
        let document = self.audit.checker.paths.path(file);
        let decoded = percent_decoded(written);
        let exists = |parts: &[&[u8]]| !written.is_empty() && path_of(&parts.concat()).exists();
        let mut above = memchr::memrchr_iter(b'/', &document).map(|at| &document[..=at]);
        match decoded.strip_prefix(b"/") {
            None => above.next().is_some_and(|directory| {
                exists(&[directory, written])
                    || decoded != written && exists(&[directory, &decoded])
            }),
            Some(name) => above.take(MOST_ABOVE).any(|directory| {
                let mut copies = COPIED.iter();
                copies.any(|copied| exists(&[directory, copied, name]))
            }),
        }
    }
}

/// Resolved by the configuration of bundlers and generators.
const ALIASES: [&[u8]; 3] = [b"@/", b"@site/", b"~/"];

/// Copied by generators to the root of a site.
pub(super) const COPIED: [&[u8]; 2] = [b"public/", b"static/"];

/// The directories above a document that are searched.
const MOST_ABOVE: usize = 16;

/// The group of links to pages of rustdoc that redirect (A77).
const RUSTDOC_REDIRECTS: &[u8] = b"(redirect pages of rustdoc)";
