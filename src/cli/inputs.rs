//! The inputs of a run: checks before the run that no output is an input, and lists of files.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::args::input::WalkArgs;
use super::destination::{OutputTarget, check_distinct, holds_data};
use super::message::{Error, Result};
use super::process::check_standard_input;
use crate::pipeline::walk::{self, Outputs, Root, Unreadable, Walk, inode, path_of};
use crate::pipeline::{OutputOrder, PipelineOptions};

pub(super) struct Inputs<'a> {
    /// The roots of the walk, without the paths of lists.
    roots: Vec<Root>,
    walk: &'a WalkArgs,
    /// Files of the trees that are not documents.
    pub(super) unread: &'a [PathBuf],
}

impl<'a> Inputs<'a> {
    pub(super) fn new(roots: Vec<Root>, walk: &'a WalkArgs) -> Self {
        Inputs {
            roots,
            walk,
            unread: &[],
        }
    }

    /// Checks that outputs are distinct and not inputs, and returns them; `others` are files read besides those
    /// of the walk.
    pub(super) fn check<'p>(
        &'p self,
        targets: &[&OutputTarget],
        options: &PipelineOptions,
        others: impl Iterator<Item = &'p Path>,
    ) -> Result<Outputs> {
        check_distinct(targets)?;
        let outputs: Vec<_> = targets.iter().filter_map(|target| target.inode()).collect();
        if outputs.is_empty() {
            return Ok(Outputs::default());
        }
        let walking = self.walk.options()?;
        let check_root = |root: &Root| check_root(root, targets, &walking, options);
        let lists = self.walk.lists().map(|(path, _)| path);
        for path in lists.chain(others) {
            check_file(system_path(path), targets)?;
        }
        self.roots.iter().try_for_each(check_root)?;
        // A list from a pipe can only be read once: the walk checks each of its paths.
        let replaces = targets.iter().any(|target| target.file().is_some());
        for (path, end) in (self.walk.lists()).filter(|(path, _)| replaces && path.is_file()) {
            for root in list_roots(path, end)?.flatten() {
                check_root(&root)?;
            }
        }
        Ok(Outputs::new(outputs))
    }

    /// Returns the walk of the roots and of the paths of lists, without the outputs of the run.
    pub(super) fn walk(&self, order: OutputOrder, outputs: Outputs) -> Result<Walk> {
        let lists = self.walk.lists();
        let lists = lists.filter(|(list, _)| *list == Path::new("-"));
        let roots = self.roots.iter().filter(|root| **root == Root::Standard);
        if lists.count() + roots.count() > 1 {
            return Err("standard input can only be read once".into());
        }
        let mut options = self.walk.options()?;
        options.sorted = order == OutputOrder::Path;
        options.outputs = outputs;
        let unread = self.unread.iter().flat_map(fs::metadata);
        options.unread = unread.filter_map(|file| inode(&file)).collect();
        let opened = |root| match check_standard_input() {
            Err(error) if root == Root::Standard => Err(unreadable(Path::new("-"), &error)),
            _ => Ok(root),
        };
        let roots = self.roots.clone().into_iter().map(opened);
        let mut all: Vec<Box<dyn Iterator<Item = _> + Send>> = vec![Box::new(roots)];
        for (path, end) in self.walk.lists() {
            all.push(Box::new(list_roots(path, end)?));
        }
        Ok(Walk::new(all.into_iter().flatten(), options))
    }
}

fn check_root(
    root: &Root,
    targets: &[&OutputTarget],
    walking: &walk::WalkOptions,
    options: &PipelineOptions,
) -> Result<()> {
    let path = match root {
        Root::Standard => Path::new("/dev/stdin"),
        Root::Here => Path::new("."),
        Root::Path(path) | Root::Repository(path) => path,
    };
    if !path.is_dir() {
        return check_file(path, targets);
    }
    for target in targets {
        if let Some(file) = target.file()
            && let Some(found) = walking.find(path, &file)
            && options.reads(&found)
        {
            return Err(conflict(target, &found.path));
        }
    }
    Ok(())
}

/// Returns the path of an input in the system: `-` is standard input.
pub(super) fn system_path(path: &Path) -> &Path {
    [path, Path::new("/dev/stdin")][usize::from(path == Path::new("-"))]
}

fn check_file(path: &Path, targets: &[&OutputTarget]) -> Result<()> {
    let input = fs::metadata(path).ok().filter(holds_data);
    let Some(input) = input.and_then(|input| inode(&input)) else {
        return Ok(());
    };
    let target = targets.iter().find(|target| target.inode() == Some(input));
    target.map_or(Ok(()), |target| Err(conflict(target, path)))
}

fn conflict(target: &OutputTarget, input: &Path) -> Error {
    let (output, input) = (target.to_string(), input.display().to_string());
    if output == input {
        return format!("{output} is an input, and cannot be an output too").into();
    }
    format!("{output} is the same file as {input}, which is an input").into()
}

/// The maximum length of a path of a list, in bytes. No system has longer ones.
const LONGEST: u64 = 64 << 10;

/// Returns the paths of a list, each terminated by `end`, as they are read: a list may exceed memory.
fn list_roots(
    list: &Path,
    end: u8,
) -> Result<impl Iterator<Item = Result<Root, Unreadable>> + Send + use<>> {
    let mut reader: Box<dyn BufRead + Send> = if list == Path::new("-") {
        check_standard_input()?;
        Box::new(BufReader::new(io::stdin()))
    } else {
        let failed = |error| format!("{}: {error}", list.display());
        let file = File::open(list).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            let reason = "it is a directory, not a list of files";
            return Err(format!("{}: {reason}", list.display()).into());
        }
        Box::new(BufReader::new(file))
    };
    let list = list.to_path_buf();
    let mut has_ended = false;
    Ok(std::iter::from_fn(move || {
        while !has_ended {
            match read_path(&mut *reader, end) {
                Ok(Some(bytes)) if bytes.is_empty() && end == b'\n' => {}
                Ok(Some(bytes)) if bytes.is_empty() => {
                    return Some(Err(unreadable(&list, &"a name is empty")));
                }
                Ok(Some(bytes)) => return Some(Ok(Root::Path(path_of(&bytes)))),
                Ok(None) => has_ended = true,
                Err(error) => {
                    // Another read would fail again and again.
                    has_ended = error.kind() != io::ErrorKind::InvalidData;
                    return Some(Err(unreadable(&list, &error)));
                }
            }
        }
        None
    }))
}

fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> Unreadable {
    let (path, message) = (PathBuf::from(path), reason.to_string());
    Unreadable { path, message }
}

fn read_path(reader: &mut dyn BufRead, end: u8) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let limit = LONGEST + 1;
    if (&mut *reader).take(limit).read_until(end, &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&end) {
        bytes.pop();
    } else if bytes.len() as u64 == limit {
        reader.skip_until(end)?;
        let reason = format!("an entry is longer than any path: {LONGEST} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    if end == b'\n' && bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    Ok(Some(bytes))
}
