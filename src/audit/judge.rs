//! What is known of one document's links when all documents have been read: facts, keys,
//! suggestions.

use std::collections::HashMap;

use super::baseline;
use super::check::{Facts, Place, Position};
use super::fragment;
use super::lookup::Lookups;
use super::names::Anchors;
use super::paths::FileId;
use super::rules::RULES;
use super::site::{Document, Site};
use super::tree::How;
use super::{Audit, Fragments};
use crate::pipeline::read::Reader;
use crate::resolver::Link;
use crate::uri::base::push_path;

/// How many suggestions a document gets: the rest is likely of the same kind.
const SUGGESTIONS: usize = 100;

/// Judges the links of one document after the other.
pub(super) struct Judge<'a> {
    audit: &'a Audit,
    site: &'a Site,
    lookups: Lookups<'a>,
    reader: Reader<'a>,
    anchors: Anchors,
    /// Names near those that do not exist, by target.
    nearest: HashMap<Box<[u8]>, Option<Vec<u8>>>,
    /// The document's path below its mount, as keys have it.
    name: Vec<u8>,
    /// How many findings of a rule have been had with a reference.
    repeated: HashMap<(usize, u64), u64>,
    suggestions: usize,
    /// The document itself is one whose findings are asked for.
    touched: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(audit: &'a Audit, site: &'a Site) -> Self {
        Judge {
            audit,
            site,
            lookups: Lookups::new(&audit.checker, audit.key),
            reader: Reader::new(&audit.reading),
            anchors: Anchors::default(),
            nearest: HashMap::new(),
            name: Vec::new(),
            repeated: HashMap::new(),
            suggestions: 0,
            touched: true,
        }
    }

    /// Goes on to another document.
    pub(super) fn begin(&mut self, document: &Document) {
        self.repeated.clear();
        self.suggestions = 0;
        self.name.clear();
        self.name
            .extend_from_slice(document.entry.path.as_os_str().as_encoded_bytes());
        self.touched = true;
        if let Some(file) = document.file {
            let path = self.audit.checker.paths.path(file);
            self.touched = self.touches(&path);
            if let Some(below) = self.audit.checker.mounts.inner(&path) {
                self.name.clear();
                self.name.extend_from_slice(below);
            }
        }
    }

    /// What is known of a link.
    pub(super) fn facts<'l>(&mut self, link: &'l Link<'l>) -> Facts<'l> {
        let (place, fragment) = self.audit.locate(link, &mut self.lookups);
        let file = place.file();
        let missing = |file: FileId, fragment| !self.site.has_fragment(file, fragment);
        Facts {
            link,
            place,
            fragment_missing: self.audit.fragments == Fragments::Check
                && file
                    .zip(fragment)
                    .is_some_and(|(file, fragment)| missing(file, fragment)),
            redirects: file.is_some_and(|file| self.site.redirects(file)),
        }
    }

    /// The key of a finding, which is the next of its kind in the document.
    pub(super) fn key(&mut self, rule: usize, member: Option<&str>, reference: &[u8]) -> String {
        let kind = (rule, self.audit.key.of(reference));
        let nth = self.repeated.entry(kind).or_default();
        *nth += 1;
        baseline::key(&self.name, member, RULES[rule].name, reference, *nth)
    }

    fn touches(&self, path: &[u8]) -> bool {
        let touching = &self.audit.touching;
        touching.is_empty()
            || touching.iter().any(|one| {
                let rest = path.strip_prefix(one.as_slice());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
            })
    }

    /// Whether a finding is one that is asked for: by its document, or by where its link leads.
    pub(super) fn shows(&self, facts: Option<&Facts<'_>>) -> bool {
        if self.touched {
            return true;
        }
        let paths = &self.audit.checker.paths;
        let Some(facts) = facts else { return false };
        match facts.place {
            Place::File(file, _) | Place::NoIndex(file) => self.touches(&paths.path(file)),
            Place::Nothing => match self.position(facts) {
                Some((_, path)) => self.touches(&path),
                None => false,
            },
            _ => false,
        }
    }

    /// The mounted directory and the path at which a link's target should lie.
    fn position(&self, facts: &Facts<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
        let target = facts.link.target.ok()?;
        let end = target.iter().position(|byte| b"?#".contains(byte));
        let target = &target[..end.unwrap_or(target.len())];
        match self.audit.checker.position(target) {
            Position::Below { root, path } => Some((root, path?)),
            Position::Elsewhere(_) => None,
        }
    }

    /// What the writer of a link may have meant.
    pub(super) fn suggestion(&mut self, rule: usize, facts: &Facts<'_>) -> Option<Vec<u8>> {
        if self.suggestions == SUGGESTIONS {
            return None;
        }
        self.suggestions += 1;
        match (RULES[rule].name, facts.place) {
            ("broken-file", Place::Nothing) => self.nearest_file(facts),
            ("broken-fragment", Place::File(file, _)) => self.nearest_fragment(file, facts),
            ("case-mismatch", Place::File(file, _)) => self.path(file),
            ("redirected", Place::File(_, How::WithoutSlash)) => {
                let reference = facts.link.reference;
                let end = reference.iter().position(|byte| b"?#".contains(byte));
                let (path, rest) = reference.split_at(end.unwrap_or(reference.len()));
                Some([path, b"/", rest].concat())
            }
            ("redirected", Place::File(file, _)) => {
                let offer = self.site.offer(file)?;
                self.path(offer.redirect?.file()?)
            }
            _ => None,
        }
    }

    /// The path of a file below its mount, written as in references.
    fn path(&self, file: FileId) -> Option<Vec<u8>> {
        let path = self.audit.checker.paths.path(file);
        let below = self.audit.checker.mounts.inner(&path)?;
        let mut reference = Vec::new();
        push_path(below, &mut reference);
        Some(reference)
    }

    fn nearest_file(&mut self, facts: &Facts<'_>) -> Option<Vec<u8>> {
        let target = facts.link.target.ok()?;
        let (target, _) = fragment::split(target);
        if let Some(known) = self.nearest.get(target) {
            return known.clone();
        }
        let nearest = self.position(facts).and_then(|(root, path)| {
            let name = self.audit.checker.tree.nearest(&root, &path)?;
            let mut reference = Vec::new();
            push_path(&name, &mut reference);
            Some(reference)
        });
        self.nearest.insert(target.into(), nearest.clone());
        nearest
    }

    fn nearest_fragment(&mut self, file: FileId, facts: &Facts<'_>) -> Option<Vec<u8>> {
        let (_, fragment) = fragment::split(facts.link.target.ok()?);
        let wanted = fragment::decoded(fragment::wanted(fragment?)?);
        let (audit, reader) = (self.audit, &mut self.reader);
        let name = self.anchors.nearest(audit, reader, file, &wanted)?;
        Some([b"#", name.as_slice()].concat())
    }
}
