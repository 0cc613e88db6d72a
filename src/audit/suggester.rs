//! Suggestions for findings, from the names that exist: those of directories as they were read, and
//! those of documents, which are read again where one is missing.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

use super::Audit;
use super::collect::entry;
use super::evaluate::position;
use super::finding::{FindingDraft, FindingSubject, SuggestionHint};
use super::fragment;
use super::interner::Interner;
use super::paths::FileId;
use super::suggest::{self, NameOrder, SuggestionBudget};
use crate::pipeline::read::FileReader;
use crate::pipeline::walk::EntryKind;
use crate::resolver::{Link, Sink};
use crate::uri::base::push_path;

/// Names of documents are remembered up to this many bytes; those of one document always are.
const REMEMBERED: usize = 64 << 20;
/// Suggestions are remembered for this many targets.
const TARGETS: usize = 1 << 12;

/// Finds suggestions until a budget is spent.
pub(super) struct Suggester<'a> {
    audit: &'a Audit,
    reader: FileReader<'a>,
    documents: HashMap<FileId, Arc<AnchorCandidates>>,
    /// The documents in the order in which they were read.
    oldest: VecDeque<FileId>,
    /// Of the documents that are remembered, in bytes.
    size: usize,
    /// Names near to files that do not exist, by the hash of the target.
    files: HashMap<u64, Option<Vec<u8>>>,
    budget: SuggestionBudget,
    omitted: u64,
}

/// The names that fragments can name in one document.
#[derive(Default)]
struct AnchorCandidates {
    names: Interner,
    order: OnceLock<NameOrder>,
}

impl AnchorCandidates {
    fn size(&self) -> usize {
        // An end, a place in the order and the hash table.
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
    /// A suggester for a run that has read so many bytes.
    pub(super) fn new(audit: &'a Audit, bytes: u64) -> Self {
        Suggester {
            audit,
            reader: FileReader::new(&audit.reading),
            documents: HashMap::new(),
            oldest: VecDeque::new(),
            size: 0,
            files: HashMap::new(),
            budget: SuggestionBudget::new(audit.suggestion_rows.saturating_add(bytes)),
            omitted: 0,
        }
    }

    /// For how many findings nothing was looked for because the budget was spent.
    pub(super) fn omitted(&self) -> u64 {
        self.omitted
    }

    /// What the writer of a link may have meant.
    pub(super) fn suggestion(&mut self, draft: &FindingDraft<'_>) -> Option<Vec<u8>> {
        let FindingSubject::Link(link) = draft.subject else {
            return None;
        };
        if let SuggestionHint::Known(suggestion) = draft.hint {
            return Some(suggestion.to_vec());
        }
        if draft.hint == SuggestionHint::Nothing {
            return None;
        }
        let suggestion = match draft.hint {
            _ if self.budget.is_spent() => None,
            SuggestionHint::Fragment(file) => self.fragment(file, link),
            _ => self.file(link),
        };
        self.omitted += u64::from(suggestion.is_none() && self.budget.is_spent());
        suggestion
    }

    fn file(&mut self, link: &Link<'_>) -> Option<Vec<u8>> {
        let (target, _) = fragment::split(link.target.ok()?);
        let hash = self.audit.key.of(target);
        if let Some(known) = self.files.get(&hash) {
            return known.clone();
        }
        let (root, path) = position(self.audit, link)?;
        let tree = &self.audit.checker.tree;
        let nearest = tree.nearest(&root, &path, &mut self.budget).map(|name| {
            let mut reference = Vec::new();
            push_path(&name, &mut reference);
            reference
        });
        if self.files.len() == TARGETS {
            self.files.clear();
        }
        self.files.insert(hash, nearest.clone());
        nearest
    }

    fn fragment(&mut self, file: FileId, link: &Link<'_>) -> Option<Vec<u8>> {
        let (_, fragment) = fragment::split(link.target.ok()?);
        let wanted = fragment::decoded(fragment::wanted(fragment?)?);
        let anchors = match self.documents.get(&file) {
            Some(anchors) => Arc::clone(anchors),
            None => self.read(file)?,
        };
        let order = anchors.order.get_or_init(|| NameOrder::new(&anchors.names));
        let name = suggest::nearest(&anchors.names, order, &wanted, &mut self.budget)?;
        Some([b"#", name].concat())
    }

    fn read(&mut self, file: FileId) -> Option<Arc<AnchorCandidates>> {
        let entry = entry(&self.audit.checker.paths.path(file))?;
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
