//! The result of the first pass: each document's anchors and links.

use std::hash::BuildHasher;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt, HashSet};
use parking_lot::Mutex;

use super::journal::{Journal, JournalBlock, NeededNames};
use super::labels::TreeLabels;
use super::names::FileId;
use super::report::SkippedFile;
use super::rules::{FragmentMatch, StateCounts, add_counts};
use super::target::{
    TargetLocation, is_line_of_source, line_range, pdf_places, percent_decoded, required_name,
};
use crate::bytes::pattern::Pattern;
use crate::output::record::Summary;

/// The anchors of a document.
#[derive(Debug, Default)]
pub(super) struct AnchorSet {
    /// Sorted hashes of the names; `None` for formats whose fragments are not checked.
    pub(super) names: Option<Box<[u64]>>,
    /// The refresh to another document.
    pub(super) redirect: Option<Box<Redirect>>,
    /// Fragments are as in PDF (RFC 8118).
    pub(super) is_pdf: bool,
    /// GitHub shows the document, and finds its anchors in any case.
    pub(super) on_github: bool,
    /// Readers are shown directories without an index file.
    pub(super) lists_directories: bool,
    /// A page to read, and not a drawing or feed.
    pub(super) is_page: bool,
    /// In XML a fragment may be a view or a pointer.
    pub(super) is_xml: bool,
    /// A script gives lines ids such as `line12`.
    pub(super) has_line_ids: bool,
    /// Readers see the text of the document, and not of others with it.
    pub(super) has_text: bool,
    /// The file was named, and not found by a walk.
    pub(super) is_named: bool,
}

/// The target of a document's refresh.
#[derive(Clone, Debug)]
pub(super) struct Redirect {
    pub(super) location: TargetLocation,
    /// The query and the fragment, with their delimiters.
    pub(super) suffix: Box<[u8]>,
}

/// Returns a name without the prefix that GitHub gives to ids.
fn without_prefix(name: &[u8]) -> &[u8] {
    name.strip_prefix(b"user-content-").unwrap_or(name)
}

/// Returns the id that GitHub finds for a name.
pub(super) fn name_on_github(name: &[u8]) -> String {
    String::from_utf8_lossy(without_prefix(name)).to_lowercase()
}

impl AnchorSet {
    /// Returns whether an anchor has the hash; true for formats whose fragments are not checked.
    fn has(&self, name: u64) -> bool {
        let names = self.names.as_ref();
        names.is_none_or(|names| names.binary_search(&name).is_ok())
    }
}

/// Anchors by the numbers of files; `None` if the file was not read.
#[derive(Debug, Default)]
pub(super) struct AnchorTable(Mutex<Vec<Option<AnchorSet>>>);

impl AnchorTable {
    /// The last reading of a file is kept; a named one before one of a walk.
    pub(super) fn set(&self, file: FileId, found: AnchorSet) {
        let mut anchors = self.0.lock();
        let (number, length) = (file.0 as usize, anchors.len());
        anchors.resize_with(length.max(number + 1), || None);
        let known = anchors[number].as_ref();
        if found.is_named || known.is_none_or(|known| !known.is_named) {
            anchors[number] = Some(found);
        }
    }
}

/// The ids that the script of JSDoc gives lines.
static LINES: Pattern = Pattern::new(r"^line\d+(?:-\d+)?$");

/// The most parts of a document, and the most names in them.
const MAX_PARTS: usize = 256;
const MAX_JOINED: usize = 1 << 16;

/// Consecutive documents of the walk.
#[derive(Default)]
pub(super) struct DocumentBatch {
    /// The ticket, and the number in it.
    pub(super) order: (u64, u32),
    pub(super) blocks: Vec<JournalBlock>,
    /// Whether the archive is the same as in the previous batch.
    pub(super) continues: bool,
}

/// A bit for each file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileSet(Vec<u64>);

impl FileSet {
    pub(super) fn insert(&mut self, file: FileId) {
        let (word, bit) = (file.0 as usize / 64, file.0 % 64);
        self.0.resize(self.0.len().max(word + 1), 0);
        self.0[word] |= 1 << bit;
    }

    pub(super) fn contains(&self, file: FileId) -> bool {
        let word = self.0.get(file.0 as usize / 64);
        word.is_some_and(|word| word >> (file.0 % 64) & 1 == 1)
    }

    pub(super) fn add(&mut self, other: &FileSet) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = FileId> {
        let all = 0..self.0.len() as u32 * 64;
        all.map(FileId).filter(|&file| self.contains(file))
    }
}

/// The finds of the workers of the first pass.
#[derive(Default)]
pub(super) struct Collection {
    /// The batches in any order.
    pub(super) batches: Vec<DocumentBatch>,
    pub(super) journal: Journal,
    pub(super) anchors: AnchorTable,
    /// The numbers of links that are not in the journal, by state.
    pub(super) counts: StateCounts,
    pub(super) summary: Summary,
    /// Paths with symbolic links, in any order, if targets are listed.
    pub(super) aliases: Vec<Vec<u8>>,
    /// Skipped files in any order, if messages about them are wanted.
    pub(super) skipped: Vec<SkippedFile>,
    /// Named with a fragment.
    pub(super) wanted: FileSet,
    /// Linked from another document.
    pub(super) linked: FileSet,
    /// Listed by a sitemap.
    pub(super) listed: FileSet,
    pub(super) labels: TreeLabels,
    /// Documents and the files whose text generators put into them.
    pub(super) parts: Vec<(FileId, FileId)>,
    /// Those whose documents are of a site.
    pub(super) included: FileSet,
    /// Pages, each with a page that it names as its translation, and with itself.
    pub(super) translations: HashSet<(FileId, FileId)>,
}

impl Collection {
    pub(super) fn add(&mut self, mut other: Collection) {
        self.batches.append(&mut other.batches);
        add_counts(&mut self.counts, &other.counts);
        self.summary.add(&other.summary);
        self.aliases.append(&mut other.aliases);
        self.skipped.append(&mut other.skipped);
        self.wanted.add(&other.wanted);
        self.linked.add(&other.linked);
        self.listed.add(&other.listed);
        self.labels.add(other.labels);
        self.parts.append(&mut other.parts);
        self.included.add(&other.included);
        self.translations.extend(other.translations);
    }
}

/// All documents, and the anchors of all files.
pub(super) struct Site {
    /// The batches are in the order of the walk.
    pub(super) collected: Collection,
    /// Anchors by the numbers of files; `None` if the file was not read.
    pub(super) anchors: Vec<Option<AnchorSet>>,
    hasher: RandomState,
}

impl Site {
    /// Puts the batches in order; `files` is the number of numbered files.
    pub(super) fn new(mut collected: Collection, files: usize, hasher: RandomState) -> Self {
        collected.batches.sort_unstable_by_key(|batch| batch.order);
        let mut anchors = std::mem::take(collected.anchors.0.get_mut());
        anchors.resize_with(files, || None);
        Site {
            collected,
            anchors,
            hasher,
        }
    }

    /// Adds the names in the parts of documents, at all depths.
    pub(super) fn join_parts(&mut self) {
        let mut parts: HashMap<FileId, Vec<FileId>> = HashMap::new();
        for (whole, part) in std::mem::take(&mut self.collected.parts) {
            parts.entry(whole).or_default().push(part);
        }
        let names_of = |whole: FileId| {
            let (mut all, mut names) = (vec![whole], Vec::new());
            let mut at = 0;
            while let Some(&part) = all.get(at) {
                at += 1;
                if let Some(own) = self.anchors(part).and_then(|own| own.names.as_deref()) {
                    names.extend_from_slice(own);
                }
                for &inner in parts.get(&part).into_iter().flatten() {
                    if !all.contains(&inner) {
                        all.push(inner);
                    }
                }
                // Too many names are not compared.
                if all.len() > MAX_PARTS || names.len() > MAX_JOINED {
                    return None;
                }
            }
            names.sort_unstable();
            names.dedup();
            Some(names.into_boxed_slice())
        };
        let joined = parts.keys().map(|&whole| (whole, names_of(whole)));
        for (whole, names) in joined.collect::<Vec<_>>() {
            if let Some(Some(anchors)) = self.anchors.get_mut(whole.0 as usize)
                && anchors.names.is_some()
            {
                anchors.names = names;
            }
        }
    }

    pub(super) fn anchors(&self, file: FileId) -> Option<&AnchorSet> {
        self.anchors.get(file.0 as usize)?.as_ref()
    }

    /// Returns whether a link surely has no finding; `is_own`: of the file to itself.
    pub(super) fn meets(&self, file: FileId, (first, last): NeededNames, is_own: bool) -> bool {
        self.anchors(file).is_none_or(|anchors| {
            let mut names = first.into_iter().chain(last);
            (is_own || anchors.redirect.is_none())
                && names.all(|name| anchors.has(u64::from_le_bytes(name)))
        })
    }

    /// Returns whether the file has an anchor with the hash; true for formats whose fragments are not checked.
    pub(super) fn has(&self, file: FileId, name: u64) -> bool {
        let redirect = self
            .anchors(file)
            .and_then(|anchors| anchors.redirect.as_ref());
        self.page_has(file, name)
            || match redirect.map(|redirect| redirect.location) {
                None => false,
                // Redirects are followed for one step on disk (A18).
                Some(TargetLocation::File(file, _)) => self.page_has(file, name),
                Some(_) => true,
            }
    }

    /// Like [`Site::has`], without the redirect of the file.
    fn page_has(&self, file: FileId, name: u64) -> bool {
        let anchors = self.anchors(file);
        anchors.is_none_or(|anchors| anchors.has(name))
    }

    /// Returns whether the file, or the file that it redirects to, has the fragment.
    pub(super) fn has_fragment(&self, file: FileId, fragment: &[u8]) -> bool {
        self.leads_to_place(file, fragment, |name| self.has(file, name))
    }

    /// Returns whether the file itself has the fragment.
    pub(super) fn page_has_fragment(&self, file: FileId, fragment: &[u8]) -> bool {
        self.leads_to_place(file, fragment, |name| self.page_has(file, name))
    }

    /// Returns the fate of a missing fragment on GitHub, which shows the document at the target or,
    /// with `from_github`, the document of the link.
    pub(super) fn on_github(
        &self,
        file: FileId,
        fragment: &[u8],
        from_github: bool,
        as_source: bool,
    ) -> FragmentMatch {
        let (Some(anchors), Some(name)) = (self.anchors(file), required_name(fragment)) else {
            return FragmentMatch::Missing;
        };
        let name = percent_decoded(name);
        // GitHub shows the source of Markdown on request, and of HTML always.
        let is_source = (anchors.on_github && as_source) || (!anchors.on_github && from_github);
        let has = |name: &[u8]| anchors.has(self.hasher.hash_one(name));
        let bare = without_prefix(&name);
        let lower = name_on_github(&name);
        // The prefix and the separator that GitHub gives to Asciidoctor.
        let of_adoc = || format!("_{lower}").replace('-', "_");
        if is_source && is_line_of_source(&name)
            || anchors.on_github && (has(bare) || has(of_adoc().as_bytes()))
        {
            FragmentMatch::Found
        } else if anchors.on_github && has(lower.as_bytes()) {
            FragmentMatch::OtherCase
        } else {
            FragmentMatch::Missing
        }
    }

    /// Tests the name as written or decoded, or a range of lines.
    fn leads_to_place(&self, file: FileId, fragment: &[u8], has: impl Fn(u64) -> bool) -> bool {
        let has = |name: &[u8]| has(self.hasher.hash_one(name));
        let anchors = self.anchors(file);
        if anchors.is_some_and(|anchors| anchors.is_pdf) {
            let mut names = pdf_places(fragment);
            return names.all(|name| has(&name));
        }
        let Some(name) = required_name(fragment) else {
            return true;
        };
        // SVG 2, "Linking into SVG content"; XPointer Framework.
        let is_pointer = memchr::memchr2(b'(', b'=', name).is_some();
        has(&percent_decoded(name))
            || name.contains(&b'%') && has(name)
            || line_range(name).is_some_and(|ends| ends.into_iter().all(has))
            || anchors.is_some_and(|anchors| {
                anchors.is_xml && is_pointer || anchors.has_line_ids && LINES.is_match(name)
            })
    }

    pub(super) fn redirects(&self, file: FileId) -> bool {
        let anchors = self.anchors(file);
        anchors.is_some_and(|anchors| anchors.redirect.is_some())
    }
}
