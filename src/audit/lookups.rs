//! Lookups of targets with the memory of a worker: of targets, of the last one, and of the document.

use std::hash::BuildHasher;

use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt};

use super::names::FileId;
use super::source::Sources;
use super::source::page::SourcePage;
use super::target::{TargetChecker, TargetLocation, split_fragment};
use crate::linker::Link;
use crate::pipeline::walk::{path_of, read_start};

/// Targets that a worker remembers.
const REMEMBERED: usize = 1 << 16;

pub(super) struct LookupCache<'a> {
    checker: &'a TargetChecker,
    /// Locations by the hashes of targets without fragments.
    locations: HashMap<u64, TargetLocation>,
    hasher: &'a RandomState,
    /// Links to places in one page follow one another.
    last: (Vec<u8>, TargetLocation),
    base: (Vec<u8>, usize),
    /// The last document, as a page of the site that it is a source of.
    page: Option<(FileId, Option<SourcePage<'a>>)>,
    /// The last source map, and whether it holds the contents of its sources.
    map: Option<(FileId, bool)>,
}

/// Maximum length in bytes of a source map that is read for contents.
const MAX_MAP: u64 = 64 << 20;

impl<'a> LookupCache<'a> {
    pub(super) fn new(checker: &'a TargetChecker, hasher: &'a RandomState) -> Self {
        LookupCache {
            checker,
            locations: HashMap::new(),
            hasher,
            last: (Vec::new(), TargetLocation::Nothing),
            base: (Vec::new(), 0),
            page: None,
            map: None,
        }
    }

    /// Returns whether a source map holds the contents of its sources, which nobody retrieves then.
    pub(super) fn holds_sources(&mut self, map: FileId) -> bool {
        match self.map {
            Some((last, holds)) if last == map => holds,
            _ => {
                let text = read_start(&path_of(&self.checker.paths.path(map)), MAX_MAP);
                let name = b"\"sourcesContent\"";
                let holds = text.is_ok_and(|text| memchr::memmem::find(&text, name).is_some());
                self.map = Some((map, holds));
                holds
            }
        }
    }

    /// Returns the location of a reference that the site decides whose source the document is, and the
    /// fragment that the generator reads elsewhere than in URLs.
    pub(super) fn locate_in_source<'l>(
        &mut self,
        sources: &'a Sources,
        link: &Link<'l>,
        file: Option<FileId>,
    ) -> Option<(TargetLocation, Option<&'l [u8]>)> {
        let file = file.filter(|_| link.member.is_none())?;
        let known = self.page.take_if(|(known, _)| *known == file);
        let (_, page) = self
            .page
            .insert(known.unwrap_or_else(|| (file, SourcePage::of(sources, self.checker, file))));
        let page = page.as_ref()?;
        Some((page.locate(link)?, page.fragment(link)))
    }

    /// Like [`TargetChecker::depth`].
    pub(super) fn depth(&mut self, base: &[u8]) -> usize {
        if self.base.0 != base {
            self.base = (base.to_vec(), self.checker.depth(base));
        }
        self.base.1
    }

    /// Like [`split_fragment`], with the location.
    #[inline]
    pub(super) fn split_and_locate<'t>(
        &mut self,
        target: &'t [u8],
    ) -> (&'t [u8], Option<&'t [u8]>, TargetLocation) {
        // The last target has no fragment.
        let (last, location) = &self.last;
        if let Some(rest) = target.strip_prefix(last.as_slice())
            && !last.is_empty()
        {
            match rest {
                [] => return (target, None, *location),
                [b'#', fragment @ ..] => return (&target[..last.len()], Some(fragment), *location),
                _ => {}
            }
        }
        let (bare, fragment) = split_fragment(target);
        (bare, fragment, self.locate(bare))
    }

    pub(super) fn locate(&mut self, target: &[u8]) -> TargetLocation {
        let checker = self.checker;
        // The query does not change which file it is (A1), but rules of servers may ask for it.
        let target = match memchr::memchr(b'?', target) {
            Some(at) if !checker.servers.depends_on_query => &target[..at],
            _ => target,
        };
        let hash = self.hasher.hash_one(target);
        let location = self.locations.get(&hash).copied().unwrap_or_else(|| {
            let location = checker.locate(target);
            if self.locations.len() == REMEMBERED {
                self.locations.clear();
            }
            self.locations.insert(hash, location);
            location
        });
        self.last.0.clear();
        self.last.0.extend_from_slice(target);
        self.last.1 = location;
        location
    }
}
