//! `uriscan mv`: moves a file or folder, and rewrites the references to it and from it.
//!
//! New contents are written aside first; then a journal with all renames gets its name, which is the point
//! from where the move goes on: a run that is killed afterwards is completed by the next one.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::args::MvArgs;
use super::audit::options;
use super::changed::{check_tracked, move_with_git};
use super::destination::{Unfinished, above, keep_staged, remove_unfinished};
use super::fix::bytes;
use super::inputs::Inputs;
use super::message::{Error, Result, print, report};
use super::process::Exit;
use crate::audit::fix::{DocumentFixes, FixedFile};
use crate::audit::location::Audit;
use crate::audit::options::{ListedLinks, walk_root};
use crate::audit::relocate::{Relocation, moved_path};
use crate::audit::targets::Inventory;
use crate::pipeline::OutputOrder;
use crate::pipeline::read::FileReader;
use crate::pipeline::walk::{Outputs, bytes_of, path_of};

/// The renames of a move that has begun, in the first tree.
const JOURNAL: &str = ".uriscan-mv";

/// A file with new contents, by its old path.
struct ChangedFile {
    path: PathBuf,
    old: Vec<u8>,
    fixed: FixedFile,
}

/// All changes of a run.
struct MoveChanges {
    files: Vec<ChangedFile>,
    moved: Option<[PathBuf; 2]>,
    /// Redirects, and the name of the file in the tree that they are added to; empty for none.
    redirects: Option<(&'static str, Vec<u8>)>,
}

pub(super) fn run(arguments: &MvArgs) -> Result<Exit> {
    let (audit, change) = (&arguments.audit, &arguments.relocation);
    let mut trees = audit.documents.base.directories();
    if trees.is_empty() {
        trees.push(PathBuf::from("."));
    }
    let journal = trees[0].join(JOURNAL);
    if fs::symlink_metadata(&journal).is_ok() {
        let shown = journal.display();
        if !change.write {
            let reason = "a move was interrupted: --write completes it first";
            Err(format!("{shown}: {reason}"))?;
        }
        let completed = complete(&journal, &trees, rename);
        completed.map_err(|error| format!("{shown}: {error}"))?;
        report(&"the move that was interrupted is complete".to_owned());
    }
    let moved = match (&audit.paths[..], &change.heading) {
        ([old, new], None) => Some([plain(old), plain(new)]),
        ([_], Some(_)) => None,
        (_, None) => return Err("mv takes two paths: OLD and NEW".into()),
        (_, Some(_)) => return Err("mv --heading takes one argument, the new title".into()),
    };
    if let Some([old, new]) = &moved {
        check(old, new, &trees)?;
    }
    let mut options = options(audit, &trees)?;
    options.list = ListedLinks::Links;
    options.reading.extractor.formats.html.report_base = true;
    let roots = trees.iter().map(|tree| walk_root(tree)).collect();
    let inputs = Inputs::new(roots, &audit.documents.walk);
    let walk = inputs.walk(OutputOrder::Path, Outputs::default())?;
    let inventory = Inventory::new(Audit::new(options, &trees), walk);
    let changes = match moved {
        Some(moved) => relocated(arguments, &inventory, moved)?,
        None => retitled(arguments, &inventory)?,
    };
    if !change.write {
        print(&changes.diff())?;
        return Ok(Exit::Found);
    }
    if let Some([old, _]) = changes.moved.as_ref().filter(|_| change.git) {
        check_tracked(old)?;
    }
    let last = if change.git { move_with_git } else { rename };
    let written = changes.stage(&trees, &journal);
    let written = written.and_then(|()| complete(&journal, &trees, last));
    written.map_err(|error| {
        remove_unfinished();
        format!("{}: {error}", trees[0].display())
    })?;
    if let Some(("", text)) = &changes.redirects {
        print(text)?;
    }
    Ok(Exit::Found)
}

/// Moves a file or folder.
fn relocated(
    arguments: &MvArgs,
    inventory: &Inventory,
    [old, new]: [PathBuf; 2],
) -> Result<MoveChanges> {
    let reading = inventory.reading();
    let absolute = |path: &Path| reading.bases.absolute(bytes_of(path));
    let relocation = Relocation {
        old: absolute(&old)?,
        new: absolute(&new)?,
    };
    let plan = inventory.plan(&relocation)?;
    let redirect = arguments.relocation.redirect;
    Ok(MoveChanges {
        files: fixed(
            &plan.documents,
            &mut FileReader::new(reading),
            plan.refusals,
        )?,
        moved: Some([old, new]),
        redirects: redirect
            .map(|format| (format.file, format.text(&plan.redirections, &plan.site))),
    })
}

/// Gives a heading another title.
fn retitled(arguments: &MvArgs, inventory: &Inventory) -> Result<MoveChanges> {
    let written = arguments.relocation.heading.as_deref().unwrap_or_default();
    let (page, id) = written.split_once('#').ok_or("--heading takes PAGE#OLD")?;
    let title = arguments.audit.paths[0].to_str().map(str::trim);
    let is_line = |title: &&str| !title.is_empty() && !title.contains(['\n', '\r']);
    let path = plain(Path::new(page));
    let cannot = |error: io::Error| Error::from(format!("{page}: {error}"));
    let old = bytes(&path).map_err(cannot)?;
    let title = title.filter(is_line).ok_or("the title is a line of text")?;
    let mut reader = FileReader::new(inventory.reading());
    let retitled = inventory.retitle(&mut reader, &path, &old, id.as_bytes(), title);
    let (heading, documents) = retitled.map_err(cannot)?;
    let mut files = fixed(&documents, &mut reader, Vec::new())?;
    let index = files.iter().position(|file| file.path == path);
    let index = index.unwrap_or_else(|| {
        let fixed = FixedFile::default();
        files.push(ChangedFile { path, old, fixed });
        files.len() - 1
    });
    files[index].fixed.add(heading);
    Ok(MoveChanges {
        files,
        moved: None,
        redirects: None,
    })
}

/// Makes the changes of all documents, or reports why something cannot be written.
fn fixed(
    documents: &[DocumentFixes],
    reader: &mut FileReader<'_>,
    mut refusals: Vec<String>,
) -> Result<Vec<ChangedFile>> {
    let mut files = Vec::new();
    for document in documents {
        let shown = document.path.display();
        let cannot = |error: io::Error| Error::from(format!("{shown}: {error}"));
        let old = bytes(&document.path).map_err(cannot)?;
        let fixed = document.make(reader, &old).map_err(cannot)?;
        let left = fixed.left.iter();
        refusals.extend(left.map(|(_, reason)| format!("{shown}: {reason}")));
        let path = document.path.clone();
        files.push(ChangedFile { path, old, fixed });
    }
    refusals.iter().for_each(report);
    if refusals.is_empty() {
        return Ok(files);
    }
    Err("nothing is changed".into())
}

/// Refuses moves of and to places where nothing can be moved.
fn check(old: &Path, new: &Path, trees: &[PathBuf]) -> Result<()> {
    let shown = |path: &Path, reason: &str| Error::from(format!("{}: {reason}", path.display()));
    let found = fs::symlink_metadata(old).map_err(|error| shown(old, &error.to_string()))?;
    if found.is_symlink() {
        return Err(shown(old, "a symbolic link is not moved"));
    }
    if fs::symlink_metadata(new).is_ok() {
        return Err(shown(new, "it exists"));
    }
    let mut existing = above(new);
    while !existing.exists() {
        existing = above(existing);
    }
    let failed = |path, error: io::Error| shown(path, &error.to_string());
    let real = |path| fs::canonicalize(path).map_err(|error| failed(path, error));
    let (old_path, new_directory) = (real(old)?, real(existing)?);
    if new_directory.starts_with(&old_path) {
        return Err(shown(new, "it is below the folder that is moved"));
    }
    for (path, given, is_root) in [(&old_path, old, true), (&new_directory, new, false)] {
        if !is_in(path, trees) || is_root && real_trees(trees).any(|tree| *path == tree) {
            return Err(shown(given, "it is in none of the trees; see --root"));
        }
    }
    Ok(())
}

fn real_trees(trees: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    trees.iter().filter_map(|tree| fs::canonicalize(tree).ok())
}

/// Returns whether a path without symbolic links is in one of the trees, and not git's.
fn is_in(path: &Path, trees: &[PathBuf]) -> bool {
    let is_git = path.components().any(|part| part.as_os_str() == ".git");
    !is_git && real_trees(trees).any(|tree| path.starts_with(tree))
}

/// Returns a path without the symbolic links above its name.
fn place(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(fs::canonicalize(above(path))?.join(name))
}

fn check_place(path: &Path, trees: &[PathBuf]) -> io::Result<()> {
    if is_in(path, trees) {
        return Ok(());
    }
    let message = format!("{}: it is in none of the trees", path.display());
    Err(io::Error::other(message))
}

/// Without a slash at the end and `.` segments.
fn plain(path: &Path) -> PathBuf {
    let is_named = |part: &Component<'_>| *part != Component::CurDir;
    let plain: PathBuf = path.components().filter(is_named).collect();
    let is_here = plain.as_os_str().is_empty();
    if is_here { PathBuf::from(".") } else { plain }
}

impl MoveChanges {
    /// Returns the changes of all files, as git shows them.
    fn diff(&self) -> Vec<u8> {
        let (mut out, mut moved) = (Vec::new(), Vec::new());
        if let Some([old, new]) = &self.moved {
            moved = list(old);
            for path in &moved {
                let Some(to) = moved_path(path, old, new) else {
                    continue;
                };
                let (from, shown) = (path.display(), to.display());
                let header = format!(
                    "diff --git a/{from} b/{shown}\nrename from {from}\nrename to {shown}\n"
                );
                out.extend_from_slice(header.as_bytes());
                if let Some(file) = self.files.iter().find(|file| file.path == *path) {
                    let paths = [bytes_of(path), bytes_of(&to)];
                    file.fixed.push_diff_between(paths, &file.old, &mut out);
                }
            }
        }
        for file in self.files.iter().filter(|file| !moved.contains(&file.path)) {
            file.fixed
                .push_diff(bytes_of(&file.path), &file.old, &mut out);
        }
        let Some((name, text)) = &self.redirects else {
            return out;
        };
        let mut mark: &[u8] = b"";
        if !name.is_empty() {
            let lines = memchr::memchr_iter(b'\n', text).count();
            let header = format!("--- a/{name}\n+++ b/{name}\n@@ -0,0 +1,{lines} @@\n");
            out.extend_from_slice(header.as_bytes());
            mark = b"+";
        }
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            out.extend_from_slice(&[mark, line].concat());
        }
        out
    }

    /// Writes new contents aside, and the journal of all renames.
    fn stage(&self, trees: &[PathBuf], journal: &Path) -> io::Result<()> {
        let mut renames = Vec::new();
        let mut push = |from: &Path, to: &Path| {
            for path in [from, to] {
                renames.extend_from_slice(bytes_of(path));
                renames.push(0);
            }
        };
        let changes = self.files.iter();
        let changes = changes.map(|file| (file.path.clone(), file.fixed.bytes(&file.old)));
        let redirects = self.redirects.iter().filter(|(name, _)| !name.is_empty());
        let redirects = redirects.map(|(name, text)| {
            let path = trees[0].join(name);
            let others = match bytes(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                others => others?,
            };
            io::Result::Ok((path, [&text[..], &others].concat()))
        });
        for change in changes.map(Ok).chain(redirects) {
            let (path, bytes) = change?;
            // A symbolic link stays one; a file that its owner protects is not replaced.
            let path = fs::canonicalize(&path).or_else(|_| place(&path))?;
            check_place(&path, trees)?;
            if path.exists() {
                OpenOptions::new().write(true).open(&path)?;
            }
            let mut unfinished = Unfinished::create(&path)?;
            unfinished.write_all(&bytes)?;
            push(&unfinished.stage()?, &path);
        }
        if let Some([old, new]) = &self.moved {
            let new = std::path::absolute(new)?;
            push(&std::path::absolute(old)?, &new);
            fs::create_dir_all(above(&new))?;
        }
        let mut unfinished = Unfinished::create(&std::path::absolute(journal)?)?;
        unfinished.write_all(&renames)?;
        keep_staged();
        unfinished.finish()
    }
}

/// Lists all files at or below a path, in order.
fn list(path: &Path) -> Vec<PathBuf> {
    let mut walk = WalkBuilder::new(path);
    walk.standard_filters(false).sort_by_file_name(OsStr::cmp);
    let files = walk.build().flatten();
    let files = files.filter(|file| file.file_type().is_some_and(|kind| !kind.is_dir()));
    files.map(DirEntry::into_path).collect()
}

fn rename(old: &Path, new: &Path) -> io::Result<()> {
    fs::rename(old, new)
}

/// Makes the renames of a journal that are not made yet, the last one with a function, and removes it.
fn complete(
    journal: &Path,
    trees: &[PathBuf],
    last: fn(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let renames = bytes(journal)?;
    let paths: Vec<_> = renames.split(|&byte| byte == 0).map(path_of).collect();
    let pairs = paths.chunks_exact(2);
    let end = pairs.len();
    let left = pairs.enumerate();
    let left = left.filter(|(_, pair)| fs::symlink_metadata(&pair[0]).is_ok());
    let left: Vec<_> = left.map(|(index, pair)| (index + 1 == end, pair)).collect();
    // A journal that came with the tree may name any places.
    for path in left.iter().flat_map(|(_, pair)| *pair) {
        check_place(&place(path)?, trees)?;
    }
    for (is_last, pair) in left {
        let rename = if is_last { last } else { rename };
        rename(&pair[0], &pair[1])?;
    }
    fs::remove_file(journal)
}
