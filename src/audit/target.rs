//! Targets of links: the mount, the file and the fragment that a URI names.

use std::borrow::Cow;

use percent_encoding::percent_decode;

use super::disk::{DiskEntry, DiskTree, FileNaming, LookupMatch};
use super::names::{FileId, PathTable};
use super::server::{Request, ServerAnswer, Servers};
use crate::bytes::class::split_once;
use crate::bytes::pattern::Pattern;
use crate::linker::Link;
use crate::pipeline::bases::is_of_repository;
use crate::uri::base::push_path;
use crate::uri::{
    Mounts, Reference, ResolveErrorKind, Resolver, Rules, Served, drop_root_dot, resolve,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetLocation {
    /// A file under a mount.
    File(FileId, LookupMatch),
    /// A directory without index file under a mount.
    NoIndex(FileId),
    /// Nothing at a path under a mount.
    Nothing,
    /// A path under a mount where a rule of the server has no destination.
    Misled,
    /// A path under a mount that is served without a file, as by a rule of the server.
    Served,
    /// A redirect from a path under a mount to elsewhere.
    RedirectOut,
    /// On a mounted host, outside every mounted path.
    OutsideRoot,
    /// A place outside the roots, by a symbolic link under a mount.
    SymlinkOut,
    External,
    /// A target of a scheme with nothing to look up.
    Skipped,
    /// Excluded by an option: no rule applies.
    LeftOut,
    /// The reference did not resolve.
    Unresolved(ResolveErrorKind),
}

impl TargetLocation {
    /// Returns whether a server has a page or a redirect for the target.
    pub(super) fn is_answered(self) -> bool {
        !matches!(
            self,
            TargetLocation::Nothing
                | TargetLocation::Misled
                | TargetLocation::NoIndex(_)
                | TargetLocation::File(_, LookupMatch::OtherCase)
        )
    }

    pub(super) fn file(self) -> Option<FileId> {
        match self {
            TargetLocation::File(file, _) => Some(file),
            _ => None,
        }
    }
}

/// Maps targets to files: mounts backwards, then the disk.
pub(super) struct TargetChecker {
    /// Directories and their URIs.
    pub(super) mounts: Mounts,
    pub(super) tree: DiskTree,
    /// The names of files without the view of a server.
    pub(super) naming: FileNaming,
    pub(super) servers: Servers,
    /// `http` and `https` differ.
    pub(super) strict_schemes: bool,
    pub(super) paths: PathTable,
}

/// The schemes of targets that tools with network access can check.
const NETWORK: [&[u8]; 3] = [b"http:", b"https:", b"ftp:"];

/// The place below a mount where a target should lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExpectedPath<'a> {
    /// The mounted directory, with its slash.
    pub(super) root: &'a [u8],
    /// Begins with the directory.
    pub(super) path: Vec<u8>,
    /// The URI of the directory, with its slash.
    uri: &'a [u8],
}

impl ExpectedPath<'_> {
    pub(super) fn below(&self) -> &[u8] {
        self.path.get(self.root.len()..).unwrap_or_default()
    }

    /// Returns the path that a server is asked for, decoded.
    fn requested(&self) -> Vec<u8> {
        let mount = percent_decode(split_authority(self.uri).1);
        mount.chain(self.below().iter().copied()).collect()
    }
}

impl TargetChecker {
    /// The target has no fragment.
    pub(super) fn locate(&self, target: &[u8]) -> TargetLocation {
        self.follow(target, |_| {})
    }

    /// Calls `on_step` with each rule of a server on the way, and with `None` in a loop or after too many
    /// redirects; the target has no fragment.
    pub(super) fn follow(
        &self,
        target: &[u8],
        mut on_step: impl FnMut(Option<&ServerStep<'_>>),
    ) -> TargetLocation {
        let mut target = Cow::Borrowed(target);
        let mut passed: Vec<Vec<u8>> = Vec::new();
        loop {
            let destination = match self.step(&target, &mut on_step) {
                Ok(destination) => destination,
                Err(location) => return through_redirects(location, &passed),
            };
            passed.push(target.into_owned());
            if passed.len() == MAX_REDIRECTS || passed.contains(&destination) {
                on_step(None);
                return TargetLocation::Misled;
            }
            target = Cow::Owned(destination);
        }
    }

    /// Returns the target of a redirect, or else the location.
    fn step(
        &self,
        target: &[u8],
        on_step: &mut impl FnMut(Option<&ServerStep<'_>>),
    ) -> Result<Vec<u8>, TargetLocation> {
        let expected = self.expected(target)?;
        let Some(view) = self.servers.of(expected.root) else {
            let entry = self.tree.find(expected.root, &expected.path, &self.naming);
            return Err(self.location(entry));
        };
        let config = view.config(&self.tree, &expected.path);
        let entry = (self.tree).find(expected.root, &expected.path, &config.naming);
        let found = match &entry {
            DiskEntry::File(_, how) => Some(*how),
            _ => None,
        };
        let request = Request {
            path: &expected.requested(),
            query: split_once(target, b'?').1.unwrap_or_default(),
        };
        let (file, line, status, destination) = match view.answer(&config, &request, found) {
            ServerAnswer::Files => {
                return Err(match self.location(entry) {
                    TargetLocation::File(file, how) => TargetLocation::File(file, view.seen(how)),
                    location => location,
                });
            }
            ServerAnswer::Platform => return Err(TargetLocation::Served),
            ServerAnswer::Path(file, path) => {
                let mut reference = Vec::new();
                push_path(&path, &mut reference);
                (file, 0, 308, reference)
            }
            ServerAnswer::Rule(file, matched) => {
                let rule = matched.rule;
                let line = rule.to.position.line;
                (file.path.as_slice(), line, rule.status, matched.destination)
            }
        };
        on_step(Some(&ServerStep {
            file,
            line,
            status,
            destination: &destination,
        }));
        if status >= 400 {
            // Without the rule there may be nothing either.
            return Err(match self.location(entry) {
                TargetLocation::File(..) => TargetLocation::Misled,
                _ if destination.is_empty() => TargetLocation::Misled,
                location => location,
            });
        }
        let resolved = resolve(expected.uri, &destination, Rules::Whatwg);
        let mut resolved = resolved.map_err(|_| TargetLocation::Misled)?;
        let end = memchr::memchr(b'#', &resolved).unwrap_or(resolved.len());
        resolved.truncate(end);
        if (300..400).contains(&status) {
            return Ok(resolved);
        }
        Err(match self.locate_file(&resolved) {
            TargetLocation::File(file, how) if how != LookupMatch::OtherCase => {
                TargetLocation::File(file, LookupMatch::Exact)
            }
            location @ (TargetLocation::File(..) | TargetLocation::Served) => location,
            _ => TargetLocation::Misled,
        })
    }

    /// Returns the file with the rule of a server that would win over a file at a path.
    pub(super) fn rule_over_file(&self, path: &[u8]) -> Option<Vec<u8>> {
        let uri = self.mounts.uri(path)?;
        let expected = self.expected(&uri).ok()?;
        let view = self.servers.of(expected.root)?;
        let config = view.config(&self.tree, &expected.path);
        let request = Request {
            path: &expected.requested(),
            query: b"",
        };
        match view.answer(&config, &request, Some(LookupMatch::Exact)) {
            ServerAnswer::Rule(file, _) => Some(file.path.clone()),
            _ => None,
        }
    }

    /// Applies no rule of a server, as after a rewrite.
    pub(super) fn locate_file(&self, target: &[u8]) -> TargetLocation {
        let expected = match self.expected(target) {
            Ok(expected) => expected,
            Err(TargetLocation::Nothing) => return TargetLocation::Nothing,
            Err(_) => return TargetLocation::Served,
        };
        let location = self.location(self.entry(expected.root, &expected.path));
        let mount = split_authority(expected.uri).1;
        let view = self.servers.of(expected.root);
        match location.file() {
            None if view.is_some_and(|view| view.is_platform(mount, expected.below())) => {
                TargetLocation::Served
            }
            _ => location,
        }
    }

    /// Returns whether a redirect has a fragment, which replaces a link's.
    pub(super) fn sets_fragment(&self, target: &[u8]) -> bool {
        let mut sets = false;
        self.follow(target, |step| {
            sets |= step.is_some_and(|rule| rule.destination.contains(&b'#'));
        });
        sets
    }

    fn location(&self, entry: DiskEntry) -> TargetLocation {
        match entry {
            DiskEntry::File(path, how) => TargetLocation::File(self.paths.id(&path), how),
            DiskEntry::Directory(path) => TargetLocation::NoIndex(self.paths.id(&path)),
            DiskEntry::Outside(_) => TargetLocation::SymlinkOut,
            DiskEntry::Unreadable => TargetLocation::Skipped,
            DiskEntry::Dangling(_) | DiskEntry::Nothing => TargetLocation::Nothing,
        }
    }

    /// Looks up a path without rules of servers.
    pub(super) fn entry(&self, root: &[u8], path: &[u8]) -> DiskEntry {
        self.with_naming(root, path, |naming| self.tree.find(root, path, naming))
    }

    /// Returns whether index files at a URI have a name.
    pub(super) fn is_index(&self, uri: &[u8], name: &[u8]) -> bool {
        match self.expected(uri) {
            Ok(ExpectedPath { root, path, .. }) => {
                self.with_naming(root, &path, |naming| naming.is_index(name))
            }
            Err(_) => self.naming.is_index(name),
        }
    }

    /// Calls `then` with the names under which the server of a path finds files.
    fn with_naming<T>(&self, root: &[u8], path: &[u8], then: impl FnOnce(&FileNaming) -> T) -> T {
        match self.servers.of(root) {
            Some(view) => then(&view.config(&self.tree, path).naming),
            None => then(&self.naming),
        }
    }

    /// Returns the number of a file of the walk; a `named` one was an argument.
    pub(super) fn walked(&self, path: &[u8], named: bool) -> FileId {
        // Directives of directories without links are read too.
        if !self.servers.views.is_empty()
            && let Some(below) = self.mounts.relative_path(path)
            && let Some(view) = self.servers.of(&path[..path.len() - below.len()])
        {
            view.config(&self.tree, path);
        }
        let other = self.tree.path_of_walked(path, named);
        self.paths.id(other.as_deref().unwrap_or(path))
    }

    /// Returns the mounted path of a target without looking at the disk.
    pub(super) fn served(&self, target: &[u8]) -> Result<Served<'_>, TargetLocation> {
        // References of plain text are copied as written: `HTTP://Example.com:80/a/../b` (A2).
        let (mut normal, mut target) = (Vec::new(), target);
        let resolver = || Resolver::without_base(Rules::Whatwg);
        if !is_normal(target) && resolver().resolve_into(target, &mut normal).is_ok() {
            drop_root_dot(&mut normal);
            target = &normal;
        }
        self.mounts.find(target, self.alike()).ok_or_else(|| {
            if !NETWORK.iter().any(|scheme| target.starts_with(scheme)) {
                TargetLocation::Skipped
            } else if self.mounts.shares_authority(target, self.alike()) {
                TargetLocation::OutsideRoot
            } else {
                TargetLocation::External
            }
        })
    }

    /// Without looking at the disk; there is nothing where an encoded slash or NUL makes a name
    /// that no file can have.
    pub(super) fn expected(&self, target: &[u8]) -> Result<ExpectedPath<'_>, TargetLocation> {
        let served = self.served(target)?;
        Ok(ExpectedPath {
            root: served.directory,
            path: served.path.ok_or(TargetLocation::Nothing)?,
            uri: served.uri,
        })
    }

    pub(super) fn expected_path(&self, link: &Link<'_>) -> Option<ExpectedPath<'_>> {
        self.expected(split_path(link.target.ok()?).0).ok()
    }

    /// Returns the directories between the root of the base's site and the base.
    pub(super) fn depth(&self, base: &[u8]) -> usize {
        let slashes = |uri| memchr::memchr_iter(b'/', Reference::split(uri).path).count();
        let above = self.served(base).map_or(1, |served| slashes(served.uri));
        slashes(base).saturating_sub(above)
    }

    /// Returns the URI of a file in the repository of another URI, or else by the innermost mount, if there are
    /// several by the other URI's.
    pub(super) fn uri_beside(&self, other: &[u8], file: &[u8]) -> Option<Vec<u8>> {
        if let Ok(served) = self.served(other)
            && let Some(below) = file.strip_prefix(served.directory)
            && (is_of_repository(other) || self.mounts.relative_path(file) == Some(below))
        {
            let mut uri = served.uri.to_vec();
            push_path(below, &mut uri);
            return Some(uri);
        }
        self.mounts.uri(file)
    }

    /// The URI of the directory ends in a slash.
    pub(super) fn below<'u>(&self, uri: &'u [u8], directory: &[u8]) -> Option<&'u [u8]> {
        let split = |uri: &[u8]| memchr::memchr(b':', uri).map(|at| at + 1);
        let (scheme, rest) = uri.split_at(split(uri)?);
        let (other, above) = directory.split_at(split(directory)?);
        let is_same = scheme == other || self.alike()(scheme, other);
        (rest.strip_prefix(above)).filter(|_| is_same && above.ends_with(b"/"))
    }

    /// Compares two different schemes.
    fn alike(&self) -> fn(&[u8], &[u8]) -> bool {
        if self.strict_schemes {
            |_, _| false
        } else {
            |one, other| is_web(one) && is_web(other)
        }
    }
}

/// Redirects in a row, as in browsers.
const MAX_REDIRECTS: usize = 20;

/// A rule of a server on the way to a target.
pub(super) struct ServerStep<'a> {
    pub(super) file: &'a [u8],
    /// Zero where no line has the rule.
    pub(super) line: u64,
    pub(super) status: u16,
    /// A reference.
    pub(super) destination: &'a [u8],
}

/// Returns the location of a target from its destination's.
fn through_redirects(location: TargetLocation, passed: &[Vec<u8>]) -> TargetLocation {
    match location {
        _ if passed.is_empty() => location,
        TargetLocation::File(file, _) => TargetLocation::File(file, LookupMatch::Redirect),
        TargetLocation::Served
        | TargetLocation::SymlinkOut
        | TargetLocation::Skipped
        | TargetLocation::External
        | TargetLocation::OutsideRoot => TargetLocation::RedirectOut,
        _ => TargetLocation::Misled,
    }
}

/// Splits after the authority.
pub(super) fn split_authority(uri: &[u8]) -> (&[u8], &[u8]) {
    let start = memchr::memmem::find(uri, b"//").map_or(0, |at| at + 2);
    let path = memchr::memchr(b'/', &uri[start..]).map_or(uri.len(), |at| start + at);
    uri.split_at(path)
}

fn is_web(scheme: &[u8]) -> bool {
    scheme == b"http:" || scheme == b"https:"
}

/// Returns whether a target is surely normal: scheme and host in lower case, the host of ASCII and
/// without the dot of the root, no port, no dot segments.
fn is_normal(target: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', target) else {
        return true;
    };
    let Some(rest) = target[colon + 1..].strip_prefix(b"//") else {
        return true;
    };
    let end = rest.iter().position(|byte| b"/?#".contains(byte));
    let (authority, path) = rest.split_at(end.unwrap_or(rest.len()));
    let plain = |byte: &u8| !matches!(byte, b'A'..=b'Z' | b':' | b'%' | 0x80..);
    target[..colon].iter().all(plain)
        && authority.iter().all(plain)
        && !authority.ends_with(b".")
        && path.starts_with(b"/")
        && memchr::memchr_iter(b'.', path).all(|at| path[at - 1] != b'/')
}

pub(super) fn split_fragment(target: &[u8]) -> (&[u8], Option<&[u8]>) {
    split_once(target, b'#')
}

/// Splits before the query and the fragment.
pub(super) fn split_path(reference: &[u8]) -> (&[u8], &[u8]) {
    reference.split_at(memchr::memchr2(b'?', b'#', reference).unwrap_or(reference.len()))
}

/// Splits after the last slash.
pub(super) fn split_name(path: &[u8]) -> (&[u8], &[u8]) {
    path.split_at(memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1))
}

/// Returns the name that a fragment needs in a document: `None` for the empty one, `top`, a route,
/// or a text directive alone.
///
/// WHATWG HTML 7.4.6.4, "find a potential indicated element" (A17).
pub(super) fn required_name(fragment: &[u8]) -> Option<&[u8]> {
    // Text directives, `:~:text=`, are not part of the fragment.
    let fragment = split_directives(fragment).0;
    let anywhere =
        is_route(fragment) || fragment.is_empty() || fragment.eq_ignore_ascii_case(b"top");
    (!anywhere).then_some(fragment)
}

fn split_directives(fragment: &[u8]) -> (&[u8], &[u8]) {
    let has_tilde = fragment.contains(&b'~');
    let start = has_tilde.then(|| memchr::memmem::find(fragment, b":~:"));
    fragment.split_at(start.flatten().unwrap_or(fragment.len()))
}

/// Returns the text directives of a fragment.
pub(super) fn text_directives(fragment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let directives = split_directives(fragment).1.get(3..).unwrap_or_default();
    let directives = directives.split(|&byte| byte == b'&');
    directives.filter_map(|directive| directive.strip_prefix(b"text="))
}

/// Returns whether the fragment is a route, such as `/x` or `!x`.
pub(super) fn is_route(fragment: &[u8]) -> bool {
    matches!(fragment, [b'/' | b'!', ..])
}

/// Returns the two names of a range of lines, such as `203-207`, where each line has its number as
/// its id, as in sources that rustdoc shows (A71).
pub(super) fn line_range(name: &[u8]) -> Option<[&[u8]; 2]> {
    // Most names begin with a letter.
    let [b'0'..=b'9', ..] = name else { return None };
    let (first, last) = split_once(name, b'-');
    let ends = [first, last?];
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    ends.into_iter().all(is_number).then_some(ends)
}

/// Lines of a file that GitHub shows as source: `L10`, `L1-L9`, `L1C2-L3C4`.
pub(super) fn is_line_of_source(name: &[u8]) -> bool {
    static LINES: Pattern = Pattern::new(r"^L\d+(?:C\d+)?(?:-L\d+(?:C\d+)?)?$");
    LINES.is_match(name)
}

/// A page of rustdoc about an item, such as `struct.Vec.html`.
pub(super) static RUSTDOC_ITEM: Pattern = Pattern::new(concat!(
    "(?:^|/)(?:attr|constant|derive|enum|fn|foreigntype|keyword|macro|primitive|static|struct|trait|",
    r"traitalias|type|union)\.[^./]*\.html$",
));

/// Returns the names that a fragment needs in a PDF, as its scanner reports them: the parameters
/// `page` and `nameddest`, and a name alone, as the latter (RFC 8118, section 3).
pub(super) fn pdf_places(fragment: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let parameters = fragment.split(|byte| matches!(byte, b'&' | b'#'));
    let parameters = parameters.filter(|parameter| !parameter.is_empty());
    parameters.filter_map(|parameter| {
        let (key, value) = match split_once(parameter, b'=') {
            (key, Some(value)) => (key, value),
            (name, None) => (&b"nameddest"[..], name),
        };
        let value = percent_decoded(value);
        let value = match key {
            b"nameddest" => value,
            // `page=03` is the third page too.
            b"page" => {
                let zeros = value.iter().take_while(|&&byte| byte == b'0').count();
                value[zeros..].to_vec().into()
            }
            _ => return None,
        };
        Some([key, b"=", &value].concat())
    })
}

/// A `%` without two digits stays.
pub(super) fn percent_decoded(encoded: &[u8]) -> Cow<'_, [u8]> {
    // Most fragments are only a name.
    if !encoded.contains(&b'%') {
        return Cow::Borrowed(encoded);
    }
    percent_decode(encoded).into()
}

#[cfg(test)]
#[path = "../../tests/unit/audit/target.rs"]
mod tests;
