//! One link: where its target lies, and what stands there.

use super::disk::{DiskEntry, DiskTree, LookupMatch};
use super::paths::{FileId, PathTable};
use crate::resolver::Link;
use crate::uri::{Mounts, ResolveErrorKind, Resolver, Rules};

/// Where the target of a link lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetLocation {
    /// Under a mount, and there is a file.
    File(FileId, LookupMatch),
    /// Under a mount, and there is a directory without an index file.
    NoIndex(FileId),
    /// Under a mount, and nothing is there.
    Nothing,
    /// On a mounted host, and outside every mounted path.
    OutsideRoot,
    /// Under a mount, and a symbolic link on the way leads out of the roots.
    SymlinkOut,
    /// Elsewhere on the network.
    External,
    /// It is of a scheme with nothing to look up.
    Skipped,
    /// It was left out by request: no rule applies.
    LeftOut,
    /// There is no target.
    Unresolved(ResolveErrorKind),
}

impl TargetLocation {
    /// The file at the target.
    pub fn file(self) -> Option<FileId> {
        match self {
            TargetLocation::File(file, _) => Some(file),
            _ => None,
        }
    }

    /// Whether it is under a mount.
    pub fn is_inside(self) -> bool {
        matches!(
            self,
            TargetLocation::File(..) | TargetLocation::NoIndex(_) | TargetLocation::Nothing
        )
    }
}

/// What is known of a link once its target has been looked up.
#[derive(Clone, Debug)]
pub struct TargetFacts<'a> {
    /// The link.
    pub link: &'a Link<'a>,
    /// Where its target lies.
    pub place: TargetLocation,
    /// The document at the target has no such id or name.
    pub fragment_missing: bool,
    /// The document at the target sends its readers elsewhere.
    pub redirects: bool,
}

impl TargetFacts<'_> {
    /// Whether a file was found in this way.
    pub fn found_by(&self, how: LookupMatch) -> bool {
        matches!(self.place, TargetLocation::File(_, found) if found == how)
    }
}

/// Whether `http` and `https` are the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemeMatching {
    /// They are.
    #[default]
    Alike,
    /// They are not.
    Strict,
}

/// Looks targets up: mounts backwards, then the disk.
#[derive(Debug)]
pub struct TargetChecker {
    /// Directories and the URIs at which they are served.
    pub mounts: Mounts,
    /// The disk.
    pub tree: DiskTree,
    /// Whether `http` and `https` are the same place.
    pub schemes: SchemeMatching,
    /// The numbers of files.
    pub paths: PathTable,
}

/// Schemes of targets that other tools can check.
const NETWORK: [&[u8]; 3] = [b"http:", b"https:", b"ftp:"];

/// Where a target lies, as far as its URI tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MountPosition {
    /// At a path below a mounted directory; no path where an encoded slash or NUL makes one that
    /// no file can have.
    Below {
        /// The directory, with its slash.
        root: Vec<u8>,
        /// The path, with the directory in front.
        path: Option<Vec<u8>>,
    },
    /// Under no mount.
    Elsewhere(TargetLocation),
}

impl TargetChecker {
    /// Where a target without query and fragment lies.
    pub fn place(&self, target: &[u8]) -> TargetLocation {
        match self.position(target) {
            MountPosition::Elsewhere(place) => place,
            MountPosition::Below { path: None, .. } => TargetLocation::Nothing,
            MountPosition::Below {
                root,
                path: Some(path),
            } => match self.tree.find(&root, &path) {
                DiskEntry::File(path, how) => TargetLocation::File(self.paths.id(&path), how),
                DiskEntry::NoIndex(path) => TargetLocation::NoIndex(self.paths.id(&path)),
                DiskEntry::Outside(_) => TargetLocation::SymlinkOut,
                DiskEntry::Dangling(_) | DiskEntry::Nothing => TargetLocation::Nothing,
            },
        }
    }

    /// The number of a file that a walk has come to.
    pub fn walked(&self, path: &[u8], named: bool) -> FileId {
        match self.tree.path_of_walked(path, named) {
            Some(path) => self.paths.id(&path),
            None => self.paths.id(path),
        }
    }

    /// Where a target lies, before the disk is asked; without a path where there can be no file.
    pub fn position(&self, target: &[u8]) -> MountPosition {
        if is_normal(target) {
            return self.position_of_normal(target);
        }
        // A citation is copied as it was written: `HTTP://Example.com:80/a/../b`.
        let mut normal = Vec::new();
        let resolver = Resolver::without_base(Rules::Whatwg);
        match resolver.resolve_into(target, &mut normal) {
            Ok(_) => self.position_of_normal(&normal),
            Err(_) => self.position_of_normal(target),
        }
    }

    fn position_of_normal(&self, target: &[u8]) -> MountPosition {
        if let Some(served) = self.mounts.find(target, self.alike()) {
            return MountPosition::Below {
                root: served.directory.to_vec(),
                path: served.path,
            };
        }
        MountPosition::Elsewhere(
            if !NETWORK.iter().any(|scheme| target.starts_with(scheme)) {
                TargetLocation::Skipped
            } else if self.mounts.shares_authority(target, self.alike()) {
                TargetLocation::OutsideRoot
            } else {
                TargetLocation::External
            },
        )
    }

    /// Whether a target is under a mount, and looking it up is worth remembering.
    pub fn is_inside(&self, target: &[u8]) -> bool {
        self.mounts.contains(target, self.alike())
    }

    /// Which schemes are the same place.
    fn alike(&self) -> fn(&[u8], &[u8]) -> bool {
        match self.schemes {
            SchemeMatching::Alike => |one, other| is_web(one) && is_web(other),
            SchemeMatching::Strict => |_, _| false,
        }
    }
}

fn is_web(scheme: &[u8]) -> bool {
    scheme == b"http:" || scheme == b"https:"
}

/// The authority of what stands behind a scheme and two slashes.
fn host(rest: &[u8]) -> &[u8] {
    let rest = &rest[2..];
    let end = rest.iter().position(|byte| b"/?#".contains(byte));
    &rest[..end.unwrap_or(rest.len())]
}

/// Whether a target looks like one that the WHATWG rules leave as it is: scheme and host in lower
/// case, no port, no dot segments.
fn is_normal(target: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', target) else {
        return true;
    };
    let rest = &target[colon + 1..];
    if !rest.starts_with(b"//") {
        return true;
    }
    let authority = host(rest);
    let plain = |byte: &u8| !byte.is_ascii_uppercase() && *byte != b':';
    let path = &rest[2 + authority.len()..];
    target[..colon].iter().all(plain)
        && authority.iter().all(plain)
        && path.starts_with(b"/")
        && memchr::memmem::find(path, b"/.").is_none()
}
