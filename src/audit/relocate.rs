//! Moves of files and folders: the references that must change so that every link keeps its target.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use memchr::memmem;
use percent_encoding::percent_decode;

use super::disk::{DiskEntry, LookupMatch};
use super::fix::{DocumentFixes, Fix, add_fix, is_inner};
use super::ignored::first_lost;
use super::location::Audit;
use super::names::FileId;
use super::redirect_formats::Redirection;
use super::rewrite::{decode_unicode, is_unclear, push_encoded, relative, steps_above};
use super::source::page::SourcePage;
use super::source::paths::below;
use super::target::{TargetChecker, TargetLocation, split_authority, split_name, split_path};
use super::targets::Inventory;
use crate::Format;
use crate::linker::Link;
use crate::pipeline::bases::is_of_repository;
use crate::pipeline::walk::bytes_of;
use crate::uri::base::push_path;
use crate::uri::{Reference, Rules, resolve};

/// A move from one absolute path to another.
pub(crate) struct Relocation {
    pub(crate) old: Vec<u8>,
    pub(crate) new: Vec<u8>,
}

/// The changes of a move.
#[derive(Default)]
pub(crate) struct RelocationPlan {
    /// In the order of the walk.
    pub(crate) documents: Vec<DocumentFixes>,
    /// The reasons why the move is refused.
    pub(crate) refusals: Vec<String>,
    /// From the old addresses of pages to the new ones.
    pub(crate) redirections: Vec<Redirection>,
    /// The URI of the root above the old path.
    pub(crate) site: Vec<u8>,
}

impl RelocationPlan {
    fn refuse(&mut self, file: &[u8], reason: &str) {
        let reason = format!("{}: {reason}", String::from_utf8_lossy(file));
        if !self.refusals.contains(&reason) {
            self.refusals.push(reason);
        }
    }
}

impl Relocation {
    fn holds(&self, path: &[u8]) -> bool {
        below(path, &self.old).is_some()
    }

    /// Returns the new path of a file or of something below a folder.
    fn map(&self, path: &[u8]) -> Option<Vec<u8>> {
        below(path, &self.old).map(|rest| [&self.new, rest].concat())
    }
}

/// Returns the characters that URIs in a document may have to percent-encode; `None` for an element whose
/// references are names of files.
fn encoded(document: &[u8], element: Option<&str>) -> Option<&'static [u8]> {
    match (Format::of_path(document)?.name, element) {
        ("org", _) | ("adoc", Some("include")) => None,
        ("adoc", Some("xref")) => Some(b""),
        ("adoc", _) | ("rst", Some("image" | "figure" | "reference" | "target")) => {
            Some(b"~!$&'()*,;=@")
        }
        ("rst", _) => None,
        ("markdown", _) => Some(b"()"),
        _ => Some(b""),
    }
}

/// The way in which a reference is written.
#[derive(Clone, Copy)]
struct WrittenForm {
    /// After a slash that names the root of the tree.
    is_of_tree: bool,
    /// Without percent-encoding.
    is_decoded: bool,
    /// Left out at the end of the path.
    extension: &'static str,
    rules: Rules,
    /// The characters that the document could not hold, or not without escapes.
    encoded: &'static [u8],
    /// The number of `../` at the start that the shortest reference lacks.
    extra_steps: usize,
}

/// Returns a reference that leaves the root in a document at another depth.
fn with_depth(reference: &[u8], old: usize, new: usize) -> Option<Vec<u8>> {
    let (start, rest) = reference.split_at(memmem::find(reference, b"../")?);
    let rest = rest.strip_prefix(&*b"../".repeat(old.saturating_sub(new)))?;
    Some([start, &b"../".repeat(new.saturating_sub(old)), rest].concat())
}

fn steps(reference: &[u8]) -> usize {
    let reference = reference.trim_ascii_start();
    let rest = reference.strip_prefix(b"./").unwrap_or(reference);
    let names = rest.split(|&byte| byte == b'/');
    names.take_while(|name| *name == b"..").count()
}

/// Returns a URI with the scheme of a reference, or from its authority on.
fn with_scheme_of(reference: &[u8], uri: &[u8]) -> Vec<u8> {
    let end = |uri| {
        Reference::split(uri)
            .scheme
            .map_or(0, |scheme| scheme.len() + 1)
    };
    [&reference[..end(reference)], &uri[end(uri)..]].concat()
}

/// Returns a path, or a URI, in which the names that another one has are written as there, and some characters
/// of other names are percent-encoded, but not those beyond ASCII if the other one has some.
fn in_form_of(written: &[u8], new: &[u8], encoded: &[u8]) -> Vec<u8> {
    let decoded = (!written.is_ascii()).then(|| decode_unicode(new));
    let new = decoded.as_deref().unwrap_or(new);
    let old: Vec<&[u8]> = written.rsplit(|&byte| byte == b'/').collect();
    let mut names = Vec::new();
    for (index, name) in new.rsplit(|&byte| byte == b'/').enumerate() {
        let is_same = |old: &&&[u8]| percent_decode(old).eq(percent_decode(name));
        // A name in the same place is the first choice.
        let kept = old.iter().skip(index).chain(&old).find(is_same);
        let is_encoded = |byte| kept.is_none() && encoded.contains(&byte);
        names.push(Vec::new());
        push_encoded(kept.unwrap_or(&name), is_encoded, &mut names[index]);
    }
    names.reverse();
    names.join(&b'/')
}

impl WrittenForm {
    /// Returns the form in which a reference of a document resolves to the target.
    fn of(
        document: &[u8],
        base: &[u8],
        link: &Link<'_>,
        reaches: impl Fn(Vec<u8>) -> bool,
    ) -> Option<Self> {
        let has_scheme = Reference::split(link.reference).scheme.is_some();
        let encoded = encoded(document, link.element);
        let is_name = !has_scheme && encoded.is_none();
        let ends = [(false, ""), (true, ""), (true, ".rst"), (true, ".adoc")];
        let forms = [false, true].into_iter().flat_map(|is_of_tree| {
            ends.into_iter().flat_map(move |(is_decoded, extension)| {
                [Rules::Whatwg, Rules::RFC3986].map(|rules| WrittenForm {
                    is_of_tree,
                    is_decoded,
                    extension,
                    rules,
                    encoded: encoded.unwrap_or_default(),
                    extra_steps: 0,
                })
            })
        });
        let mut forms = forms.filter(|form| form.is_decoded || !is_name);
        forms.find(|form| form.resolve(base, link.reference).is_some_and(&reaches))
    }

    fn resolve(self, base: &[u8], reference: &[u8]) -> Option<Vec<u8>> {
        let (path, suffix) = split_path(reference);
        let path = path.strip_prefix(&b"/"[..usize::from(self.is_of_tree)])?;
        let mut encoded = Vec::new();
        push_path(path, &mut encoded);
        let path = if self.is_decoded { &encoded } else { path };
        let asked = [path, self.extension.as_bytes(), suffix].concat();
        resolve(base, &asked, self.rules).ok()
    }

    /// Returns a reference to a URI, written as another one was.
    fn write(self, base: &[u8], target: &[u8], reference: &[u8]) -> Option<Vec<u8>> {
        let inner = reference.trim_ascii();
        if !self.is_decoded && inner.len() < reference.len() {
            let (start, rest) =
                reference.split_at(reference.len() - reference.trim_ascii_start().len());
            let new = self.write(base, target, inner)?;
            return Some([start, &new, &rest[inner.len()..]].concat());
        }
        let (written, suffix) = split_path(reference);
        let parts = Reference::split(written);
        let (authority, path) = split_authority(target);
        let mut new = if parts.scheme.is_some() || parts.authority.is_some() {
            with_scheme_of(written, target)
        } else if written.starts_with(b"/") && !self.is_of_tree {
            path.to_vec()
        } else {
            let (origin, from) = split_authority(base);
            if origin != authority {
                return None;
            }
            relative(from, path, self.extra_steps)
        };
        if self.is_of_tree {
            new = [b"/", new.strip_prefix(b"./").unwrap_or(&new)].concat();
        } else if let Some(rest) = written.strip_prefix(b"./")
            && !is_unclear(rest)
            && !new.starts_with(b"./")
        {
            new = [b"./", &new[..]].concat();
        }
        if self.is_decoded {
            new = percent_decode(&new).collect();
        } else if written.contains(&b' ') {
            new = String::from_utf8_lossy(&new).replace("%20", " ").into();
        }
        new.truncate(new.strip_suffix(self.extension.as_bytes())?.len());
        let is_dots = |path: &[u8]| matches!(split_name(path).1, b"." | b"..");
        if is_dots(written) {
            let bare = new.strip_suffix(b"/").filter(|bare| is_dots(bare));
            new.truncate(bare.unwrap_or(&new).len());
        }
        Some([&in_form_of(written, &new, self.encoded), suffix].concat())
    }
}

impl Inventory {
    /// Plans a move in a tree that was read with all its links.
    pub(crate) fn plan(&self, relocation: &Relocation) -> io::Result<RelocationPlan> {
        let checker = &self.audit.checker;
        let site = checker.mounts.uri_of_mount(&relocation.old);
        let mut plan = RelocationPlan {
            site: site.unwrap_or_default().to_vec(),
            ..RelocationPlan::default()
        };
        if self.summary().has_failures() {
            plan.refusals = self.failures(<[u8]>::to_vec)?;
            let reason = "documents of the tree cannot be read";
            plan.refusals.push(reason.to_owned());
            return Ok(plan);
        }
        let real = checker.tree.path_of_walked(&relocation.old, true);
        if real.is_some_and(|real| real != relocation.old) {
            let reason = "it is reached through a symbolic link: name it without links";
            plan.refuse(&self.audit.shown(&relocation.old), reason);
            return Ok(plan);
        }
        if let Some(site) = self.audit.sources.parted(&relocation.old, &relocation.new) {
            let reason = "the site here would lose or gain files: move them within a folder of it, or all of it";
            plan.refuse(&self.audit.shown(site), reason);
        } else if self.audit.sources.alters(&relocation.old, &relocation.new) {
            let reason = "the site would publish it otherwise at the new place, or not at all";
            plan.refuse(&self.audit.shown(&relocation.old), reason);
        }
        let mover = Mover {
            audit: &self.audit,
            checker,
            relocation,
        };
        for redirect in self.redirects() {
            if mover.moves(&redirect.uri) {
                plan.refuse(&redirect.file, OF_RULE);
            }
        }
        for (root, file) in checker.servers.rule_files() {
            if relocation.holds(&file.path) {
                let reason = "the server would read its rules elsewhere, or not at all";
                plan.refuse(&self.audit.shown(&file.path), reason);
            }
            let mount = checker.mounts.uri_of_mount(root);
            let fixed = file.destinations().filter(|(to, _)| to.is_fixed());
            for (to, _) in fixed {
                let uri = mount.and_then(|mount| resolve(mount, &to.text, Rules::Whatwg).ok());
                if uri.is_some_and(|uri| mover.moves(&uri)) {
                    plan.refuse(&self.audit.shown(&file.path), OF_RULE);
                }
            }
        }
        // Their entries are not rewritten.
        let sources = &self.audit.sources;
        sources.each_listed(checker, |page| {
            let file = page.location.file();
            if file.is_some_and(|file| mover.holds(file)) && !relocation.holds(page.file) {
                let name = page.name;
                let reason = format!("the configuration of the site lists {name}: change it first");
                plan.refuse(&self.audit.shown(page.file), &reason);
            }
        });
        self.visit_links(|document, link, (location, _)| {
            let (path, file) = (&document.path, document.file);
            let own = file.map(|file| checker.paths.path(file));
            let own = own.unwrap_or_default();
            let changed = mover.changed(&own, link, location).and_then(|new| {
                let mut moved = link.clone();
                moved.reference = new.as_deref().unwrap_or(link.reference);
                let is_read = mover.reads(&own, &moved, location);
                is_read.then_some(new).ok_or(AMBIGUOUS)
            });
            match changed.map(|new| new.filter(|new| new != link.reference)) {
                Ok(None) => {}
                Ok(Some(reference)) if !is_inner(link) => {
                    add_fix(&mut plan.documents, path, Fix::moving(link, &reference));
                }
                changed => {
                    let inner = "the reference is not in the bytes of the file";
                    let reason = changed.err().unwrap_or(inner);
                    let at = link.position.map_or(0, |position| position.line);
                    let path = String::from_utf8_lossy(path);
                    let reference = String::from_utf8_lossy(link.reference);
                    plan.refusals
                        .push(format!("{path}:{at}: {reference}: {reason}"));
                }
            }
        })?;
        for (index, anchors) in self.site.anchors.iter().enumerate() {
            let path = checker.paths.path(FileId(index as u32));
            let Some(new) = relocation.map(&path) else {
                continue;
            };
            if let Some(file) = checker.rule_over_file(&new) {
                plan.refuse(&self.audit.shown(&file), OF_RULE);
            }
            let names = |path| {
                let below = checker.mounts.relative_path(path);
                [self.audit.shown(path), below.unwrap_or_default().into()]
            };
            let (old_names, new_names) = (names(&path), names(&new));
            if anchors.is_some()
                && let Some(entry) = first_lost(&self.audit.options.ignore, &old_names, &new_names)
            {
                let name = String::from_utf8_lossy(&old_names[0]);
                let reason = format!("an entry of `ignore` names {name}: change it first");
                plan.refuse(bytes_of(entry.origin().0), &reason);
            }
            if anchors.as_ref().is_some_and(|anchors| anchors.is_page) {
                plan.redirections.extend(mover.redirections(&path, &new));
            }
        }
        Ok(plan)
    }
}

struct Mover<'a> {
    audit: &'a Audit,
    checker: &'a TargetChecker,
    relocation: &'a Relocation,
}

/// The new reference of a link if it may change, or the reason why it cannot.
type Changed = Result<Option<Vec<u8>>, &'static str>;

const OF_RULE: &str = "a rule of the server names it";
const LEAVES_ROOT: &str = "it would leave the root";
const NO_FORM: &str = "no reference in this form reaches it";
const AMBIGUOUS: &str = "the reference reaches it under another name";

impl Mover<'_> {
    /// Returns whether the file at a URI moves.
    fn moves(&self, uri: &[u8]) -> bool {
        let bare = split_path(uri).0;
        let expected = self.checker.expected(bare);
        let is_named = expected.is_ok_and(|expected| self.relocation.holds(&expected.path));
        let file = self.checker.locate(bare).file();
        is_named || file.is_some_and(|file| self.holds(file))
    }

    fn holds(&self, file: FileId) -> bool {
        self.relocation.holds(&self.checker.paths.path(file))
    }

    /// Returns the new reference of a link, which may be the same.
    fn changed(&self, document: &[u8], link: &Link<'_>, location: TargetLocation) -> Changed {
        let (Ok(target), Some(base)) = (link.target, link.base) else {
            return self.absolute(document, link, location);
        };
        let Ok(expected) = self.checker.expected(split_path(target).0) else {
            return Ok(None);
        };
        let is_to_itself =
            split_path(link.reference).0.is_empty() && base.label.starts_with("retrieval:");
        // A code base without an index file is skipped too, but resolved against (A12).
        let is_skipped = location == TargetLocation::Skipped && link.attribute != Some("codebase");
        let is_outside = location == TargetLocation::OutsideRoot && is_of_repository(base.uri);
        let depth = self.checker.depth(base.uri);
        if (is_skipped || is_outside) && steps_above(depth, link.reference).is_some() {
            let new = self.base(document, base.uri, base.label);
            let new = with_depth(link.reference, depth, self.checker.depth(&new));
            return new.map(Some).ok_or(NO_FORM);
        }
        if is_skipped && self.loses_page(document, link, depth) {
            return Err(AMBIGUOUS);
        }
        if is_to_itself || is_skipped || location == TargetLocation::LeftOut {
            return Ok(None);
        }
        // A generator reads the reference in its own way, which would lead elsewhere from the new place.
        let is_read = matches!(location, TargetLocation::File(_, how) if how != LookupMatch::Redirect)
            && self.checker.entry(expected.root, &expected.path) == DiskEntry::Nothing;
        let is_whole =
            |file| self.holds(file) && self.audit.sources.moves(document, &self.relocation.old);
        if is_read && location.file().is_some_and(is_whole) {
            return Ok(None);
        }
        let new_path = self.target(&expected.path, location)?;
        let new_base = self.base(document, base.uri, base.label);
        if self.keeps_base(document, base.uri, base.label) {
            return Err("the base that the document names would be another one");
        }
        if new_base == base.uri && new_path == expected.path {
            return Ok(None);
        }
        if new_base != base.uri && is_read {
            // From the root of the site it is read alike.
            let stays = link.reference.starts_with(b"/") && new_path == expected.path;
            return stays.then_some(None).ok_or(AMBIGUOUS);
        }
        let is_at = |uri: &[u8], path: &[u8]| {
            let found = self.checker.expected(split_path(uri).0);
            found.is_ok_and(|found| found.path == *path)
        };
        let reaches = |uri: Vec<u8>| is_at(&uri, &new_path);
        let form = WrittenForm::of(document, base.uri, link, |uri| is_at(&uri, &expected.path));
        let form = form.ok_or("the form of the reference is not known")?;
        // The shortest form stays the shortest, so that the way back restores it; others stay as long as they
        // reach the target, but not by `..` segments above the root, which resolution drops.
        let uri = |path: &[u8]| self.checker.uri_beside(target, path).ok_or(LEAVES_ROOT);
        let old_uri = uri(&expected.path)?;
        let shortest = form.write(base.uri, &old_uri, link.reference);
        let is_shortest = shortest.as_deref() == Some(link.reference);
        let is_above = |base| steps_above(self.checker.depth(base), link.reference).is_some();
        let is_odd = !is_shortest && (!is_above(&new_base) || is_above(base.uri));
        let unchanged = || form.resolve(&new_base, link.reference);
        if is_odd && unchanged().is_some_and(reaches) {
            return Ok(None);
        }
        let uri = uri(&new_path)?;
        let longer = |shortest: Vec<u8>| steps(link.reference).saturating_sub(steps(&shortest));
        let form = WrittenForm {
            extra_steps: shortest.map_or(0, longer),
            ..form
        };
        let new = form.write(&new_base, &uri, link.reference);
        match new.filter(|new| form.resolve(&new_base, new).is_some_and(reaches)) {
            // Nothing is lost where there was nothing.
            None if location == TargetLocation::Nothing => Ok(None),
            new => new.map(Some).ok_or(NO_FORM),
        }
    }

    /// Returns whether the site of a document that moves will read a new link to a file that stays.
    fn reads(&self, document: &[u8], link: &Link<'_>, location: TargetLocation) -> bool {
        let file = location.file().filter(|&file| !self.holds(file));
        let found = || {
            let new = self.relocation.map(document)?;
            SourcePage::of(&self.audit.sources, self.checker, [&new, document])?.locate(link)
        };
        file.is_none()
            || found().is_none_or(|found| found == TargetLocation::Skipped || found.file() == file)
    }

    /// Returns whether a generator that is not known may not find the page of an absolute path any more.
    fn loses_page(&self, document: &[u8], link: &Link<'_>, depth: usize) -> bool {
        let Some((directory, page)) = self.audit.page_of(document, link, depth) else {
            return false;
        };
        let moved = |path: &[u8]| self.relocation.map(path).unwrap_or_else(|| path.to_vec());
        let place = moved(&directory);
        let is_around = moved(document).starts_with(&place);
        !is_around || moved(&page) != [&*place, &page[directory.len()..]].concat()
    }

    /// For a link without a base.
    fn absolute(&self, document: &[u8], link: &Link<'_>, location: TargetLocation) -> Changed {
        let bare = split_path(link.target.unwrap_or_default()).0;
        let Ok(expected) = self.checker.expected(bare) else {
            return self.on_forge(document, link, location);
        };
        let path = self.target(&expected.path, location)?;
        if path == expected.path {
            return Ok(None);
        }
        let uri = self.checker.uri_beside(bare, &path).ok_or(LEAVES_ROOT)?;
        let (written, suffix) = split_path(link.reference);
        let encoded = encoded(document, link.element).unwrap_or_default();
        let new = in_form_of(written, &with_scheme_of(bare, &uri), encoded);
        Ok(Some([&new, suffix].concat()))
    }

    /// For a URL outside the mounts, which may be a file's on its forge.
    fn on_forge(&self, document: &[u8], link: &Link<'_>, location: TargetLocation) -> Changed {
        let (bare, suffix) = split_path(link.reference);
        let mut repositories = self.audit.repositories.iter();
        let found = repositories.find_map(|own| Some((&own.root, own.path(bare)??)));
        let moved = found.and_then(|(root, old)| Some((root, self.relocation.map(&old)?, old)));
        let Some((root, new, old)) = moved else {
            return match location.file() {
                Some(file) if self.holds(file) => Err(AMBIGUOUS),
                _ => Ok(None),
            };
        };
        let below = new.strip_prefix(root.as_slice()).ok_or(LEAVES_ROOT)?;
        let names = memchr::memchr_iter(b'/', &old[root.len()..]).count();
        let start = memchr::memrchr_iter(b'/', bare).nth(names);
        let mut uri = bare[..start.map_or(0, |at| at + 1)].to_vec();
        push_path(below, &mut uri);
        let encoded = encoded(document, link.element).unwrap_or_default();
        Ok(Some([&in_form_of(bare, &uri, encoded), suffix].concat()))
    }

    /// Returns the path of a target after the move.
    fn target(&self, path: &[u8], location: TargetLocation) -> Result<Vec<u8>, &'static str> {
        let Relocation { old, new } = self.relocation;
        if let Some(path) = self.relocation.map(path) {
            return Ok(path);
        }
        // Nothing has the new name, but a rule of a server may answer for it.
        use LookupMatch::{Extension, Index, OtherCase, SlashAfterFile, WithoutSlash};
        let has_other_name = matches!(
            location,
            TargetLocation::File(_, Extension | SlashAfterFile | OtherCase)
        );
        let is_new = below(path.strip_suffix(b"/").unwrap_or(path), new).is_some();
        if is_new && !has_other_name {
            return Err("the reference would reach the new file");
        }
        let how = match location {
            TargetLocation::File(file, how) if self.holds(file) => how,
            _ => return Ok(path.to_vec()),
        };
        let bare = path.strip_suffix(b"/").unwrap_or(path);
        let slash = &path[bare.len()..];
        let stem = |path: &'_ [u8]| {
            let name = split_name(path).1.len();
            let dot = memchr::memrchr(b'.', path).filter(|dot| path.len() - dot < name);
            dot.map(|dot| (path[..dot].to_vec(), path[dot..].to_vec()))
        };
        match (how, stem(old), stem(new)) {
            (Extension | SlashAfterFile, Some(from), Some(to))
                if from.1 == to.1 && from.0 == bare =>
            {
                Ok([&to.0, slash].concat())
            }
            // The index file of a folder that stays.
            (Index | WithoutSlash, ..) if split_name(old).0 == [bare, b"/"].concat() => {
                let (folder, name) = split_name(new);
                if self.checker.naming.is_index(name) {
                    return Ok(match slash {
                        b"" => folder[..folder.len() - 1].to_vec(),
                        _ => folder.to_vec(),
                    });
                }
                Err("the reference names it by its folder, of which it would not be the index")
            }
            _ => Err(AMBIGUOUS),
        }
    }

    /// Returns whether a base that is not reported as a link, as `xml:base`, may have to change.
    fn keeps_base(&self, document: &[u8], base: &[u8], label: &str) -> bool {
        let moves = |path: &[u8]| self.relocation.holds(path);
        label == "content:base"
            && Format::of_path(document) != Some(Format::HTML)
            && (self.checker.expected(base))
                .is_ok_and(|expected| moves(&expected.path) != moves(document))
    }

    /// Returns the base of a document after the move.
    fn base<'b>(&self, document: &[u8], base: &'b [u8], label: &str) -> Cow<'b, [u8]> {
        let Ok(expected) = self.checker.expected(base) else {
            return base.into();
        };
        let is_own = label.starts_with("retrieval:") && self.relocation.holds(document);
        let is_index = is_own && expected.path == split_name(document).0;
        let mapped = match self.relocation.map(&expected.path) {
            None if is_index => self.relocation.map(document),
            mapped => mapped,
        };
        let Some(path) = mapped else {
            return base.into();
        };
        let mut uri = self.checker.uri_beside(base, &path).unwrap_or_default();
        let (folder, name) = split_name(&uri);
        let name: Vec<u8> = percent_decode(name).collect();
        if self.checker.is_index(&uri, &name) {
            uri.truncate(folder.len());
        }
        uri.into()
    }

    /// Returns the redirects from the addresses of a page that moves.
    fn redirections<'p>(&self, old: &'p [u8], new: &'p [u8]) -> Vec<Redirection> {
        let path = |path: &[u8]| {
            let uri = self.checker.mounts.uri(path)?;
            Some(split_authority(&uri).1.to_vec())
        };
        let folder = |path: &'p [u8]| {
            let (folder, name) = split_name(path);
            self.checker.naming.is_index(name).then_some(folder)
        };
        let redirection = |from| {
            let (from, to) = (path(from)?, path(folder(new).unwrap_or(new))?);
            Some(Redirection {
                from,
                to,
                ..Redirection::default()
            })
        };
        let from = folder(old).into_iter().chain([old]);
        from.filter_map(redirection).collect()
    }
}

/// Returns the new path of a file of a move, as reached from the arguments.
pub(crate) fn moved_path(path: &Path, old: &Path, new: &Path) -> Option<PathBuf> {
    // Without the slash that an empty rest would add.
    let moved = new.join(path.strip_prefix(old).ok()?);
    Some(moved.components().collect())
}
