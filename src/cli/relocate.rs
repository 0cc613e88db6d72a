//! `uriscan mv`: moves a file or folder, and rewrites the references to it and from it.
//!
//! New contents are written aside first; then a journal with all renames gets its name, which is the point
//! from where the move goes on: a run that is killed afterwards is completed by the next one.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Component, Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::args::MvArgs;
use super::audit::{ignoring, options};
use super::changed::{check_tracked, move_with_git};
use super::config::Config;
use super::destination::{Unfinished, above, remove_unfinished};
use super::fix::{bytes, visible_lines};
use super::inputs::Inputs;
use super::message::{Error, Result, print, report};
use super::process::Exit;
use crate::audit::fix::{DocumentFixes, FixedFile, push_diff_name};
use crate::audit::location::Audit;
use crate::audit::options::{ListedLinks, walk_root};
use crate::audit::relocate::{Relocation, moved_path};
use crate::audit::report::colons;
use crate::audit::targets::Inventory;
use crate::pipeline::options::Splice;
use crate::pipeline::read::FileReader;
use crate::pipeline::walk::{Outputs, Root, Walk, WalkOptions, bytes_of, path_of};
use crate::pipeline::{OutputOrder, PipelineOptions};

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
    /// Redirects that no file in the tree gets.
    redirects: Vec<u8>,
}

pub(super) fn run(arguments: &MvArgs, config: Option<&Config>) -> Result<Exit> {
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
    let mut real = None;
    if let Some([old, new]) = &moved {
        let is_file = !old.is_dir();
        let mut folders = audit.paths.iter().map(|path| bytes_of(path));
        if folders.any(|path| is_file && path.ends_with(b"/")) {
            return Err("a file has no slash at the end of its path".into());
        }
        real = Some(check(old, new, &trees)?);
    }
    let mut options = ignoring(options(audit, &trees)?, config)?;
    options.list = ListedLinks::Links;
    options.reading.extractor.formats.html.report_base = true;
    let mut roots: Vec<_> = trees.iter().map(|tree| walk_root(tree)).collect();
    let mut misled = Vec::new();
    if let (Some([old, _]), Some(real)) = (&moved, real) {
        let walking = audit.documents.walk.options()?;
        let mut unfollowed = walking.clone();
        unfollowed.follow = false;
        let walk = Walk::new(roots.clone().into_iter().map(Ok), unfollowed).flatten();
        misled = misled_links(real, walk.map(|entry| entry.path).chain(list(old)));
        roots.extend(left_out(old, &roots, walking, &options.reading)?);
    }
    let inputs = Inputs::new(roots, &audit.documents.walk);
    let walk = inputs.walk(OutputOrder::Path, Outputs::default())?;
    let inventory = Inventory::new(Audit::new(options, &trees), walk);
    let changes = match moved {
        Some(moved) => relocated(arguments, &inventory, moved, &trees[0], misled)?,
        None => retitled(arguments, &inventory)?,
    };
    if !change.write {
        let mut diff = changes.diff();
        if io::stdout().is_terminal() {
            diff = visible_lines(&diff);
        }
        print(&diff)?;
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
    print(&changes.redirects)
}

/// Moves a file or folder.
fn relocated(
    arguments: &MvArgs,
    inventory: &Inventory,
    [old, new]: [PathBuf; 2],
    tree: &Path,
    mut refusals: Vec<String>,
) -> Result<MoveChanges> {
    let reading = inventory.reading();
    let absolute = |path: &Path| reading.bases.absolute(bytes_of(path));
    let plan = inventory.plan(&Relocation {
        old: absolute(&old)?,
        new: absolute(&new)?,
    })?;
    let reader = &mut FileReader::new(reading);
    refusals.extend(plan.refusals);
    let mut files = fixed(&plan.documents, reader, refusals)?;
    let mut redirects = Vec::new();
    if let Some(format) = arguments.relocation.redirect {
        redirects = format.text(&plan.redirections, &plan.site);
        if !format.file.is_empty() && !redirects.is_empty() {
            let path = tree.join(format.file);
            let old = match bytes(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                old => old.map_err(|error| format!("{}: {error}", path.display()))?,
            };
            let mut fixed = FixedFile::default();
            fixed.add(vec![Splice {
                range: 0..0,
                bytes: std::mem::take(&mut redirects),
            }]);
            files.push(ChangedFile { path, old, fixed });
        }
    }
    Ok(MoveChanges {
        files,
        moved: Some([old, new]),
        redirects,
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
        redirects: Vec::new(),
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
        refusals.extend(left.map(|(fix, reason)| {
            let reference = String::from_utf8_lossy(&fix.replacement);
            let place = colons(fix.position);
            format!("{shown}{place}: {reference}: {reason}")
        }));
        let path = document.path.clone();
        files.push(ChangedFile { path, old, fixed });
    }
    refusals.iter().for_each(report);
    if refusals.is_empty() {
        return Ok(files);
    }
    Err("nothing is changed".into())
}

/// Returns the hidden and ignored documents that move, whose references must be rewritten too.
fn left_out(
    old: &Path,
    roots: &[Root],
    walking: WalkOptions,
    reading: &PipelineOptions,
) -> Result<Vec<Root>> {
    let mut all = walking.clone();
    (all.hidden, all.ignore_files) = (true, false);
    let absolute = |path: &Path| reading.bases.absolute(bytes_of(path));
    let walk = |roots: Vec<Root>, options| Walk::new(roots.into_iter().map(Ok), options).flatten();
    let mut left = BTreeMap::new();
    for entry in walk(vec![Root::Path(old.to_path_buf())], all) {
        if !is_git(&entry.path) && reading.rewrites(&entry) {
            left.insert(absolute(&entry.path)?, Root::Path(entry.path));
        }
    }
    for entry in walk(roots.to_vec(), walking) {
        left.remove(&absolute(&entry.path)?);
    }
    Ok(left.into_values().collect())
}

/// Refuses moves of and to places where nothing can be moved. Returns the paths without symbolic links.
fn check(old: &Path, new: &Path, trees: &[PathBuf]) -> Result<[PathBuf; 2]> {
    let shown = |path: &Path, reason: &str| Error::from(format!("{}: {reason}", path.display()));
    let failed = |path, error: io::Error| shown(path, &error.to_string());
    let found = fs::symlink_metadata(old).map_err(|error| failed(old, error))?;
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
    if !existing.is_dir() {
        return Err(shown(existing, "it is not a folder"));
    }
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
    let below = new.strip_prefix(existing).unwrap_or(new);
    Ok([old_path, new_directory.join(below)])
}

/// Returns why a move is refused: symbolic links among some files that would lead elsewhere.
fn misled_links([old, new]: [PathBuf; 2], files: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let mut refusals = Vec::new();
    let links: BTreeSet<_> = files.filter(|path| path.is_symlink()).collect();
    for link in links {
        let (Ok(to), Ok(end), Ok(place)) =
            (fs::read_link(&link), fs::canonicalize(&link), place(&link))
        else {
            continue;
        };
        let moved = |path: &Path| moved_path(path, &old, &new);
        let old_to = lexical(&above(&place).join(&to));
        let passes = [&place, &old_to, &end].map(|path| path.starts_with(&old));
        let new_place = moved(&place).unwrap_or(place);
        let new_to = lexical(&above(&new_place).join(to));
        if passes.contains(&true) && new_to != moved(&end).unwrap_or(end) {
            let shown = link.display();
            refusals.push(format!("{shown}: a symbolic link would lead elsewhere"));
        }
    }
    refusals
}

fn real_trees(trees: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    trees.iter().filter_map(|tree| fs::canonicalize(tree).ok())
}

fn is_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}

/// Returns whether a path without symbolic links is in one of the trees, and not git's.
fn is_in(path: &Path, trees: &[PathBuf]) -> bool {
    !is_git(path) && real_trees(trees).any(|tree| path.starts_with(tree))
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

/// Returns an absolute path without `..` segments.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// Without a slash at the end and `.` segments.
fn plain(path: &Path) -> PathBuf {
    let plain: PathBuf = (path.strip_prefix(".").unwrap_or(path))
        .components()
        .collect();
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
                let paths = [bytes_of(path), bytes_of(&to)];
                push_heads(HEADS, paths, &mut out);
                let names = [("rename from ", ""), ("\nrename to ", "")];
                push_heads(names, paths, &mut out);
                if let Some(file) = self.files.iter().find(|file| file.path == *path) {
                    file.fixed.push_diff_between(paths, &file.old, &mut out);
                }
            }
        }
        for file in self.files.iter().filter(|file| !moved.contains(&file.path)) {
            let path = bytes_of(&file.path);
            push_heads(HEADS, [path; 2], &mut out);
            if file.old.is_empty() {
                out.extend_from_slice(b"new file mode 100644\n");
            }
            file.fixed.push_diff(path, &file.old, &mut out);
        }
        [out, self.redirects.clone()].concat()
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
        for file in &self.files {
            // A symbolic link stays one; a file that its owner protects is not replaced.
            let path = fs::canonicalize(&file.path).or_else(|_| place(&file.path))?;
            check_place(&path, trees)?;
            if path.exists() {
                OpenOptions::new().write(true).open(&path)?;
            }
            let mut unfinished = Unfinished::create(&path)?;
            unfinished.write_all(&file.fixed.bytes(&file.old))?;
            push(&unfinished.stage()?, &path);
        }
        if let Some([old, new]) = &self.moved {
            let new = std::path::absolute(new)?;
            push(&std::path::absolute(old)?, &new);
            fs::create_dir_all(above(&new))?;
        }
        let mut unfinished = Unfinished::create(&std::path::absolute(journal)?)?;
        unfinished.write_all(&renames)?;
        unfinished.finish_keeping(|_| true)
    }
}

/// The head of the changes of a file in a diff of git.
const HEADS: [(&str, &str); 2] = [("diff --git ", "a/"), (" ", "b/")];

/// Appends two names on a line or two, each after a text, and with the side before it.
fn push_heads(heads: [(&str, &str); 2], paths: [&[u8]; 2], out: &mut Vec<u8>) {
    for ((mark, side), path) in heads.into_iter().zip(paths) {
        out.extend_from_slice(mark.as_bytes());
        push_diff_name(side, path, out);
    }
    out.push(b'\n');
}

/// Lists all files at or below a path, in order.
fn list(path: &Path) -> Vec<PathBuf> {
    let mut walk = WalkBuilder::new(path);
    walk.standard_filters(false).sort_by_file_name(OsStr::cmp);
    let files = walk.build().flatten();
    let files = files.filter(|file| file.file_type().is_some_and(|kind| !kind.is_dir()));
    files.map(DirEntry::into_path).collect()
}

type Rename = fn(&Path, &Path) -> io::Result<()>;

fn rename(old: &Path, new: &Path) -> io::Result<()> {
    fs::rename(old, new)
}

/// Makes the renames of a journal that are not made yet, the last one with a function, and removes it.
fn complete(journal: &Path, trees: &[PathBuf], last: Rename) -> io::Result<()> {
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
