//! The addresses that a tree answers: its pages in all spellings, their ids, and fixed redirects.

use std::hash::BuildHasher;
use std::io;

use super::disk::LookupMatch;
use super::journal::{JournalDocument, JournalRecord};
use super::location::{Audit, Located};
use super::names::FileId;
use super::rewrite::push_encoded;
use super::site::Site;
use super::target::{TargetLocation, split_authority, split_name};
use super::wire::{LinkContext, Packed, WireReader, WireRecord};
use super::{prepare, survey};
use crate::document::diagnostic::Effect;
use crate::linker::Link;
use crate::output::DocumentPath;
use crate::output::record::Summary;
use crate::pipeline::PipelineOptions;
use crate::pipeline::bases::is_internal;
use crate::pipeline::walk::Walk;
use crate::uri::base::push_path;
use crate::uri::{Rules, resolve};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// A tree that was read for its addresses.
pub(crate) struct Inventory {
    pub(super) audit: Audit,
    pub(super) site: Site,
    /// The paths with symbolic links to a file or directory, by its own path.
    aliases: HashMap<Vec<u8>, Vec<Vec<u8>>>,
}

/// A page that its tree answers, or another file.
pub(crate) struct TargetPage {
    pub(super) file: FileId,
    pub(super) is_page: bool,
    /// As reached from the arguments; in an archive after `!/`.
    pub(crate) path: Vec<u8>,
    /// The canonical one first, and those that redirect last.
    pub(super) uris: Vec<(Vec<u8>, LookupMatch)>,
    /// With their offsets, each once, in the order of the document.
    pub(super) ids: Vec<(Box<[u8]>, u64)>,
}

/// A redirect of one path, or of a prefix, by a rule of a server.
pub(crate) struct TargetRedirect {
    /// The file that has the rule, as shown.
    pub(super) file: Vec<u8>,
    pub(super) uri: Vec<u8>,
    /// With the fragment.
    pub(super) destination: Vec<u8>,
}

/// Takes the file of an address with the facts about it, and the address.
pub(crate) type VisitRow<'v> = dyn FnMut(&DocumentPath, &[u8]) -> io::Result<()> + 'v;

/// Returns a URI, or its path where no root gives the tree a URI.
pub(super) fn shown_uri(uri: &[u8]) -> &[u8] {
    if is_internal(uri) {
        return split_authority(uri).1;
    }
    uri
}

pub(super) fn with_id(page: &[u8], id: &[u8]) -> Vec<u8> {
    // Bytes that no fragment holds (RFC 3986 section 3.5).
    let is_odd = |byte: u8| !byte.is_ascii_graphic() || b"\"#%<>[\\]^`{|}".contains(&byte);
    let mut uri = [page, b"#"].concat();
    push_encoded(id, is_odd, &mut uri);
    uri
}

impl Inventory {
    pub(crate) fn new(mut audit: Audit, walk: Walk) -> Self {
        prepare(&mut audit);
        let mut site = survey(&audit, walk);
        let mut aliases: HashMap<_, Vec<_>> = HashMap::new();
        site.collected.aliases.sort_unstable();
        for alias in site.collected.aliases.drain(..) {
            if let Some(path) = audit.checker.tree.path_of_walked(&alias, true) {
                aliases.entry(path).or_default().push(alias);
            }
        }
        Inventory {
            audit,
            site,
            aliases,
        }
    }

    /// Visits all pages in the order of the walk.
    pub(crate) fn visit(
        &self,
        mut visit: impl FnMut(&TargetPage) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut open, mut known): (Option<TargetPage>, _) = (None, HashSet::new());
        let mut visited = HashSet::new();
        self.visit_records(|document, record, _| {
            match record {
                JournalRecord::Document(..) => {
                    known.clear();
                    // With symbolic links a file may have several documents.
                    let page = self.page(document);
                    let page = page.filter(|page| visited.insert(page.file));
                    if let Some(page) = std::mem::replace(&mut open, page) {
                        visit(&page)?;
                    }
                }
                JournalRecord::Anchor(offset, name) => {
                    if let Some(page) = &mut open
                        && known.insert(self.audit.hasher.hash_one(name))
                    {
                        page.ids.push((name.into(), offset));
                    }
                }
                JournalRecord::Restart => {
                    known.clear();
                    open.iter_mut().for_each(|page| page.ids.clear());
                }
                _ => {}
            }
            Ok(())
        })?;
        open.map_or(Ok(()), |page| visit(&page))
    }

    /// Visits all documents that could not be read, or not to their end, with the reasons.
    pub(super) fn visit_failures(
        &self,
        mut visit: impl FnMut(&[u8], WireRecord<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.visit_records(|document, record, _| match record {
            JournalRecord::Failure(message) => visit(&document.path, WireRecord::Failure(message)),
            JournalRecord::Diagnostic(found) if found.code.effect == Effect::Damage => {
                visit(&document.path, WireRecord::Diagnostic(found))
            }
            _ => Ok(()),
        })
    }

    /// Returns a line for each document that could not be read, or not to its end, with its path as shown.
    pub(crate) fn failures(&self, shown: impl Fn(&[u8]) -> Vec<u8>) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        self.visit_failures(|path, record| {
            let path = String::from_utf8_lossy(&shown(path)).into_owned();
            match record {
                WireRecord::Failure(message) => lines.push(format!("{path}: {message}")),
                WireRecord::Diagnostic(found) => lines.push(format!("{path}: {found}")),
                _ => {}
            }
            Ok(())
        })?;
        Ok(lines)
    }

    /// Visits all links in the order of the walk, if they are listed, with their documents.
    pub(super) fn visit_links(
        &self,
        mut visit: impl FnMut(&JournalDocument, &Link<'_>, Located<'_>),
    ) -> io::Result<()> {
        self.visit_records(|document, record, link| {
            if let (JournalRecord::Link(located), Some(link)) = (record, link) {
                visit(document, link, located);
            }
            Ok(())
        })
    }

    /// Visits all records of the journal with their documents, and with the links that follow them.
    fn visit_records(
        &self,
        mut visit: impl FnMut(&JournalDocument, JournalRecord<'_>, Option<&Link<'_>>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut buffer = Vec::new();
        let mut open = JournalDocument::default();
        let collected = &self.site.collected;
        for block in collected.batches.iter().flat_map(|batch| &batch.blocks) {
            let mut packed = WireReader(collected.journal.read(block, &mut buffer)?);
            let mut context = LinkContext::default();
            while !packed.0.is_empty() {
                let record = JournalRecord::unpack(&mut packed);
                match record {
                    JournalRecord::Context => context = LinkContext::unpack(&mut packed),
                    JournalRecord::Link(_) => {
                        packed.reference(&context, |link| visit(&open, record, Some(link)))?;
                    }
                    _ => {
                        if let JournalRecord::Document(document) = &record {
                            (open, context) = (document.clone(), LinkContext::default());
                        }
                        visit(&open, record, None)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `None` for pages that the server does not show; for other files unless they are listed, and for rules of
    /// servers.
    fn page(&self, document: &JournalDocument) -> Option<TargetPage> {
        let file = document.file?;
        let anchors = self.site.anchors(file);
        let is_page = anchors.is_some_and(|anchors| anchors.is_page || anchors.is_pdf);
        let is_of_server = || {
            let checker = &self.audit.checker;
            let path = checker.paths.path(file);
            (checker.servers.rule_files()).any(|(_, file)| *file.path == *path)
        };
        if !is_page && (!self.audit.options.orphan_assets || is_of_server()) {
            return None;
        }
        let mut path = document.path.clone();
        if let Some(member) = document.member_name() {
            path.extend_from_slice(&[b"!/", member.as_bytes()].concat());
        }
        let (uris, ids) = (self.spellings(file), Vec::new());
        let page = TargetPage {
            file,
            is_page,
            path,
            uris,
            ids,
        };
        (!page.uris.is_empty()).then_some(page)
    }

    fn spellings(&self, file: FileId) -> Vec<(Vec<u8>, LookupMatch)> {
        let checker = &self.audit.checker;
        let path = &*checker.paths.path(file);
        let ends = memchr::memchr_iter(b'/', path).chain([path.len()]);
        let aliases = ends.flat_map(|end| {
            let aliases = self.aliases.get(&path[..end]).into_iter().flatten();
            aliases.map(move |alias| [alias, &path[end..]].concat())
        });
        let paths = std::iter::once(path.to_vec()).chain(aliases);
        let mut found = Vec::new();
        for spelling in paths.flat_map(|path| self.spellings_of_path(&path)) {
            if let TargetLocation::File(reached, how) = checker.locate(&spelling)
                && reached == file
                && how != LookupMatch::OtherCase
                && !found.iter().any(|(known, _)| *known == spelling)
            {
                found.push((spelling, how));
            }
        }
        found.sort_by_key(|(_, how)| match how {
            LookupMatch::Index => 0,
            LookupMatch::Exact => 1,
            LookupMatch::Extension => 2,
            _ => 3,
        });
        found
    }

    fn spellings_of_path(&self, path: &[u8]) -> Vec<Vec<u8>> {
        let checker = &self.audit.checker;
        let Some(uri) = checker.mounts.uri(path) else {
            return Vec::new();
        };
        let (directory, name) = split_name(path);
        let end = split_name(&uri).0.len();
        let mut spellings = vec![uri.clone()];
        if checker.is_index(&uri, name) {
            spellings.push(uri[..end].to_vec());
            if checker.mounts.uri_of_mount(path) != Some(&uri[..end]) {
                spellings.push(uri[..end - 1].to_vec());
            }
        }
        let extensions = checker.naming.extensions.iter().map(String::as_str);
        for extension in extensions.chain(["html"]) {
            let stem = name.strip_suffix(extension.as_bytes());
            if let Some(stem) = stem.and_then(|stem| stem.strip_suffix(b".")) {
                let below = checker.mounts.uri(&[directory, stem].concat());
                let with_slash = below.iter().map(|stem| [stem, &b"/"[..]].concat());
                let with_slash: Vec<_> = with_slash.collect();
                spellings.extend(below.into_iter().chain(with_slash));
            }
        }
        spellings
    }

    /// Returns the redirects of single paths that the server answers, in the order of the files that have them.
    pub(crate) fn redirects(&self) -> Vec<TargetRedirect> {
        let checker = &self.audit.checker;
        let mut redirects = Vec::new();
        for (root, file) in checker.servers.rule_files() {
            let Some(mount) = checker.mounts.uri_of_mount(root) else {
                continue;
            };
            for (path, rule) in file.fixed_redirects() {
                let mut uri = split_authority(mount).0.to_vec();
                push_path(&path, &mut uri);
                let destination = resolve(mount, &rule.to.text, Rules::Whatwg);
                if let (Ok(destination), Ok(_)) = (destination, checker.expected(&uri))
                    && checker.locate(&uri).is_answered()
                {
                    redirects.push(TargetRedirect {
                        file: self.audit.shown(&file.path).to_vec(),
                        uri,
                        destination,
                    });
                }
            }
        }
        redirects
    }

    pub(crate) fn reading(&self) -> &PipelineOptions {
        &self.audit.options.reading
    }

    /// Returns the numbers of documents that were read, that could not be read, and of damaged ones.
    pub(crate) fn summary(&self) -> &Summary {
        &self.site.collected.summary
    }
}

impl TargetPage {
    pub(super) fn canonical(&self) -> &[u8] {
        &self.uris[0].0
    }

    /// Visits the canonical spelling, the others, and the ids.
    pub(crate) fn rows(&self, visit: &mut VisitRow<'_>) -> io::Result<()> {
        let page = shown_uri(self.canonical());
        let mut path = DocumentPath::new(&self.path);
        path.facts.address.kind = "page";
        path.facts.address.page = Some(page.to_vec());
        for (uri, _) in &self.uris {
            visit(&path, shown_uri(uri))?;
            path.facts.address.kind = "spelling";
        }
        path.facts.address.kind = "id";
        for (id, _) in &self.ids {
            path.facts.address.id = Some(id.clone());
            visit(&path, &with_id(page, id))?;
        }
        Ok(())
    }
}

impl TargetRedirect {
    pub(crate) fn row(&self, visit: &mut VisitRow<'_>) -> io::Result<()> {
        let mut path = DocumentPath::new(&self.file);
        path.facts.address.kind = "redirect";
        path.facts.address.destination = Some(shown_uri(&self.destination).to_vec());
        visit(&path, shown_uri(&self.uri))
    }
}
