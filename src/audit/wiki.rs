//! Pages that wiki links name: by the name of a file, wherever it lies in the tree.

use std::fs;
use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt};
use percent_encoding::percent_decode;

use super::disk::LookupMatch;
use super::target::{MountPosition, TargetChecker, TargetLocation};
use crate::pipeline::walk::path_of;

/// The files of all mounts by their normal names; listed when a wiki link leads to no file by its path.
#[derive(Debug, Default)]
pub(super) struct WikiPages(OnceLock<HashMap<String, Vec<Box<[u8]>>>>);

impl WikiPages {
    /// Returns the file that a wiki link names (A48): the one with the fewest directories above it,
    /// the first by bytes if there are several.
    pub(super) fn find(
        &self,
        checker: &TargetChecker,
        reference: &[u8],
        target: &[u8],
    ) -> TargetLocation {
        let MountPosition::Below { root, .. } = checker.mount_position(target) else {
            return TargetLocation::Nothing;
        };
        let pages = self.0.get_or_init(|| list(checker));
        let end = reference.iter().position(|byte| b"?#".contains(byte));
        let written: Vec<u8> =
            percent_decode(&reference[..end.unwrap_or(reference.len())]).collect();
        let written = written.strip_prefix(b"./").unwrap_or(&written);
        let written = normal(written.strip_prefix(b"/").unwrap_or(written));
        // The name may have a dot, as in `Node.js`.
        let names = [written.clone(), format!("{written}.md")];
        let found = names.iter().find_map(|written| {
            let name = written.rsplit('/').next()?;
            let suffix = format!("/{written}");
            pages
                .get(name)?
                .iter()
                .find(|path| path.starts_with(root) && normal(path).ends_with(&suffix))
        });
        found.map_or(TargetLocation::Nothing, |path| {
            TargetLocation::File(checker.paths.id(path), LookupMatch::Exact)
        })
    }
}

/// Returns a name in lower case, in which blanks and hyphens are the same.
fn normal(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).to_lowercase();
    name.replace([' ', '_'], "-")
}

/// Lists the files of all mounts; hidden names and symbolic links are passed over.
fn list(checker: &TargetChecker) -> HashMap<String, Vec<Box<[u8]>>> {
    let mut pages: HashMap<String, Vec<Box<[u8]>>> = HashMap::new();
    let roots = checker.mounts.iter().map(|(directory, _)| directory);
    let mut directories: Vec<_> = (roots.filter(|directory| *directory != b"/"))
        .map(<[u8]>::to_vec)
        .collect();
    while let Some(directory) = directories.pop() {
        let Ok(entries) = fs::read_dir(path_of(&directory)) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().into_encoded_bytes();
            let path = [directory.as_slice(), &name].concat();
            match entry.file_type() {
                _ if name.starts_with(b".") => {}
                Ok(kind) if kind.is_dir() => directories.push([path.as_slice(), b"/"].concat()),
                Ok(kind) if kind.is_file() => {
                    pages.entry(normal(&name)).or_default().push(path.into());
                }
                _ => {}
            }
        }
    }
    for paths in pages.values_mut() {
        paths.sort_unstable_by_key(|path| (memchr::memchr_iter(b'/', path).count(), path.clone()));
        // A mount may lie in another one.
        paths.dedup();
    }
    pages
}
