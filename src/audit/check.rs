//! One link: where its target lies, and what stands there.

use super::tree::{Found, How, Tree};
use crate::resolver::Link;
use crate::uri::base::push_file_name;
use crate::uri::{Mounts, ResolveErrorKind};

/// Where the target of a link lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Under a mount.
    Inside(Found),
    /// On a mounted host, and outside every mounted path.
    OutsideRoot,
    /// Elsewhere on the network.
    External,
    /// It is of a scheme with nothing to look up, or left out by request.
    Skipped,
    /// There is no target.
    Unresolved(ResolveErrorKind),
}

/// What is known of a link once its target has been looked up.
pub struct Facts<'a> {
    /// The link.
    pub link: &'a Link<'a>,
    /// Where its target lies.
    pub place: Place,
    /// The document at the target has no such id or name.
    pub fragment_missing: bool,
    /// The document at the target sends its readers elsewhere.
    pub redirects: bool,
}

impl Facts<'_> {
    /// Whether a file was found in this way.
    pub fn found_by(&self, how: How) -> bool {
        matches!(&self.place, Place::Inside(Found::File(_, found)) if *found == how)
    }
}

/// Whether `http` and `https` are the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schemes {
    /// They are.
    #[default]
    Alike,
    /// They are not.
    Strict,
}

/// Looks targets up: mounts backwards, then the disk.
pub struct Checker {
    /// Directories and the URIs at which they are served.
    pub mounts: Mounts,
    /// The disk.
    pub tree: Tree,
    /// Whether `http` and `https` are the same place.
    pub schemes: Schemes,
}

/// Schemes of targets that other tools can check.
const NETWORK: [&[u8]; 3] = [b"http:", b"https:", b"ftp:"];

impl Checker {
    /// Where a target lies; its query and fragment do not count.
    pub fn place(&self, target: &[u8]) -> Place {
        let end = target.iter().position(|byte| b"?#".contains(byte));
        let target = &target[..end.unwrap_or(target.len())];
        let mut on_host = false;
        let mut nearest: Option<(&[u8], &[u8])> = None;
        for (directory, uri) in self.mounts.served() {
            let Some(rest) = self.below(target, uri) else {
                on_host |= self.shares_host(target, uri);
                continue;
            };
            if nearest.is_none_or(|(_, known)| rest.len() < known.len()) {
                nearest = Some((directory, rest));
            }
        }
        if let Some((root, rest)) = nearest {
            let mut path = root.to_vec();
            // An encoded slash or NUL names no file.
            return Place::Inside(match push_file_name(rest, &mut path) {
                Some(()) => self.tree.find(root, &path),
                None => Found::Nothing,
            });
        }
        if !NETWORK.iter().any(|scheme| target.starts_with(scheme)) {
            Place::Skipped
        } else if on_host {
            Place::OutsideRoot
        } else {
            Place::External
        }
    }

    /// What is left of a target behind a mount's URI; the mount's own name without its slash is
    /// the mount.
    fn below<'a>(&self, target: &'a [u8], mount: &[u8]) -> Option<&'a [u8]> {
        let (target, mount) = self.without_scheme(target, mount)?;
        match target.strip_prefix(mount) {
            Some(rest) => Some(rest),
            None => (mount.strip_suffix(b"/") == Some(target)).then_some(&target[..0]),
        }
    }

    fn shares_host(&self, target: &[u8], mount: &[u8]) -> bool {
        fn host(rest: &[u8]) -> &[u8] {
            rest[2..].split(|&byte| byte == b'/').next().unwrap_or(&[])
        }
        match self.without_scheme(target, mount) {
            Some((target, mount)) if target.starts_with(b"//") && mount.starts_with(b"//") => {
                host(target) == host(mount)
            }
            _ => false,
        }
    }

    /// Both without their schemes, when these are the same place.
    fn without_scheme<'a, 'b>(
        &self,
        target: &'a [u8],
        mount: &'b [u8],
    ) -> Option<(&'a [u8], &'b [u8])> {
        let (scheme, rest) = target.split_at(target.iter().position(|&byte| byte == b':')? + 1);
        let (served, below) = mount.split_at(mount.iter().position(|&byte| byte == b':')? + 1);
        let web = |scheme: &[u8]| scheme == b"http:" || scheme == b"https:";
        let same = scheme == served || self.schemes == Schemes::Alike && web(scheme) && web(served);
        same.then_some((rest, below))
    }
}
