//! Causes that most of the missing files or fragments share (A122).

use foldhash::HashMap;

use super::disk::{DiskEntry, FileNaming};
use super::finding::{CauseKind, FindingDraft, FindingSubject};
use super::location::Audit;
use super::rewrite::steps_above;
use super::rules::RuleId;
use super::source::paths::above;
use super::target::{split_fragment, split_path};
use crate::bytes::interner::Interner;
use crate::bytes::pattern::Pattern;
use crate::linker::Link;
use crate::pipeline::walk::path_of;

/// A cause that fewer findings share is not reported.
const FEWEST: u64 = 10;
/// The different causes that are counted.
const MAX_CAUSES: usize = 10_000;

static NUMBER: Pattern = Pattern::new("[0-9]+");

/// Numbers of findings by their causes, which are the ends of hints.
#[derive(Default)]
pub(super) struct SharedCauses {
    files: u64,
    fragments: u64,
    causes: Interner,
    counts: Vec<u64>,
    /// The causes of missing files by their groups and the kinds of references.
    known: HashMap<(u64, bool, bool), Option<u32>>,
}

impl SharedCauses {
    pub(super) fn add(&mut self, audit: &Audit, draft: &FindingDraft<'_>) {
        let FindingSubject::Link(link) = draft.subject else {
            return;
        };
        let cause = match draft.rule {
            RuleId::BrokenFragment => {
                self.fragments += 1;
                self.number(shape(link))
            }
            RuleId::BrokenFile => {
                self.files += 1;
                let cause = draft.cause.as_ref();
                let is_above = cause.is_some_and(|cause| cause.kind == CauseKind::AboveRoot);
                let key = (draft.group, is_above, link.reference.starts_with(b"/"));
                let known = self.known.get(&key).copied();
                let cause = known.unwrap_or_else(|| self.number(cause_of(audit, link, is_above)));
                self.known.insert(key, cause);
                cause
            }
            _ => None,
        };
        if let Some(cause) = cause {
            self.counts[cause as usize] += 1;
        }
    }

    fn number(&mut self, cause: Option<String>) -> Option<u32> {
        let cause = cause?.into_bytes();
        let is_counted = self.counts.len() < MAX_CAUSES || self.causes.get(&cause).is_some();
        let number = is_counted.then(|| self.causes.add(&cause))?;
        self.counts.resize(self.causes.len(), 0);
        Some(number)
    }

    /// Returns the causes of more than half of the missing files or fragments.
    pub(super) fn hints(&self) -> Vec<String> {
        let causes = (0..).zip(&self.counts);
        let causes = causes.filter(|(_, count)| **count >= FEWEST);
        let hints = causes.filter_map(|(number, count)| {
            let cause = String::from_utf8_lossy(self.causes.name(number));
            let (total, noun) = if cause.starts_with(SHAPE) {
                (self.fragments, "fragments")
            } else {
                (self.files, "files")
            };
            (count * 2 > total).then(|| format!("{count} of {total} missing {noun} {cause}"))
        });
        hints.collect()
    }
}

/// The start of the cause of fragments.
const SHAPE: &str = "look like #";

/// Returns the shape of a numbered fragment.
fn shape(link: &Link<'_>) -> Option<String> {
    let (_, fragment) = split_fragment(link.reference);
    let fragment = fragment.filter(|name| name.len() < 40)?;
    let shape = NUMBER.replace_all(fragment, &b"N"[..]);
    let shape = String::from_utf8_lossy(&shape);
    (*shape.as_bytes() != *fragment).then(|| format!("{SHAPE}{shape}: made by a script"))
}

fn cause_of(audit: &Audit, link: &Link<'_>, is_above: bool) -> Option<String> {
    let (checker, reference) = (&audit.checker, link.reference.trim_ascii());
    let expected = checker.expected_path(link)?;
    let (root, path) = (expected.root, expected.path.as_slice());
    let shown = |path| String::from_utf8_lossy(&audit.shown(path)).into_owned();
    if is_above {
        let (steps, rest) = steps_above(checker.depth(link.base?.uri), reference)?;
        let up = (0..steps).fold(root, |directory, _| above(directory));
        let exists = path_of(&[up, split_path(rest).0].concat()).exists();
        let directory = shown(up);
        let directory = directory.trim_end_matches('/');
        return exists.then(|| format!("exist above the root: --root {directory}"));
    }
    let exists = |path: &[&[u8]]| {
        let found = (checker.tree).find(root, &path.concat(), &FileNaming::default());
        matches!(found, DiskEntry::File(..) | DiskEntry::Directory(_))
    };
    if exists(&[path, b".html"]) {
        let flags = "--try-ext html (or --server github-pages)";
        return Some(format!("exist with .html: {flags}"));
    }
    let below = expected.below();
    let slash = memchr::memchr(b'/', below).map(|slash| slash + 1);
    if let Some(slash) = slash.filter(|_| reference.starts_with(b"/"))
        && exists(&[root, &below[slash..]])
    {
        let (start, directory) = (String::from_utf8_lossy(&below[..slash]), shown(root));
        let directory = directory.trim_end_matches('/');
        let flag = format!("--root {directory}=https://host/{start} (or {directory}=/{start})");
        return Some(format!("exist without /{start}: {flag}"));
    }
    let missing = checker.tree.first_missing(root, path)?;
    let end = path.len() - missing.after.len();
    let folder = String::from_utf8_lossy(path.get(root.len()..end)?);
    let is_folder = missing.after.len() > 1;
    is_folder.then(|| format!("are below a missing folder {folder}/"))
}
