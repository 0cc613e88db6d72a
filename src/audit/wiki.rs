//! Pages that wiki links name: by the name of a file anywhere in the tree.

use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt};
use ignore::WalkBuilder;
use percent_encoding::percent_decode;

use super::disk::LookupMatch;
use super::target::{TargetChecker, TargetLocation, split_path};
use crate::pipeline::walk::path_of;

/// By the normal names of the files; listed for the first wiki link without a file at its path.
#[derive(Debug, Default)]
pub(super) struct WikiPages(OnceLock<HashMap<String, Vec<Box<[u8]>>>>);

impl WikiPages {
    /// Returns the file that a wiki link names (A48): with the fewest directories above it, the
    /// first by bytes of several.
    pub(super) fn find(
        &self,
        checker: &TargetChecker,
        reference: &[u8],
        target: &[u8],
    ) -> TargetLocation {
        let Ok(served) = checker.served(target) else {
            return TargetLocation::Nothing;
        };
        let pages = self.0.get_or_init(|| list(checker));
        let written: Vec<u8> = percent_decode(split_path(reference).0).collect();
        let written = written.strip_prefix(b"./").unwrap_or(&written);
        let written = normal(written.strip_prefix(b"/").unwrap_or(written));
        // The name may have a dot, as in `Node.js`.
        let names = [written.clone(), format!("{written}.md")];
        let found = names.iter().find_map(|written| {
            let name = written.rsplit('/').next()?;
            let suffix = format!("/{written}");
            let mut paths = pages.get(name)?.iter();
            paths.find(|path| path.starts_with(served.directory) && normal(path).ends_with(&suffix))
        });
        found.map_or(TargetLocation::Nothing, |path| {
            TargetLocation::File(checker.paths.id(path), LookupMatch::Exact)
        })
    }
}

/// Returns the name in lower case, with hyphens for blanks.
fn normal(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).to_lowercase();
    name.replace([' ', '_'], "-")
}

/// Lists the files of all mounts without hidden names and symbolic links.
fn list(checker: &TargetChecker) -> HashMap<String, Vec<Box<[u8]>>> {
    let mut pages: HashMap<String, Vec<Box<[u8]>>> = HashMap::new();
    let roots = checker.mounts.iter().map(|(directory, _)| directory);
    let directories = roots.filter(|directory| *directory != b"/");
    let walks = directories.map(|directory| WalkBuilder::new(path_of(directory)));
    for mut walk in walks {
        let files = walk.standard_filters(false).hidden(true).build().flatten();
        for file in files.filter(|file| file.file_type().is_some_and(|kind| kind.is_file())) {
            let name = normal(file.file_name().as_encoded_bytes());
            let path = file.into_path().into_os_string().into_encoded_bytes();
            pages.entry(name).or_default().push(path.into());
        }
    }
    for paths in pages.values_mut() {
        paths.sort_unstable_by_key(|path| (memchr::memchr_iter(b'/', path).count(), path.clone()));
        // A mount may lie in another one.
        paths.dedup();
    }
    pages
}
