//! What a run reads, held against what it writes, before either begins.

use std::fs;
use std::path::{Path, PathBuf};

use super::args::walk::WalkArgs;
use super::destination::{OutputTarget, check_distinct};
use super::list;
use super::message::Error;
use crate::pipeline::PipelineOptions;
use crate::pipeline::walk::{self, Root, inode};

/// The inputs of a run.
pub(super) struct Inputs<'a> {
    /// Where the walk starts.
    pub(super) roots: &'a [Root],
    /// Which files below these are read.
    pub(super) given: &'a WalkArgs,
    /// How they are told from others.
    pub(super) options: &'a PipelineOptions,
    /// Files that are read besides.
    pub(super) others: &'a [&'a Path],
}

impl Inputs<'_> {
    /// Checks that no output is an input, and that no two outputs are the same.
    pub(super) fn check(&self, targets: &[&OutputTarget]) -> Result<(), Error> {
        check_distinct(targets)?;
        if targets.iter().all(|target| target.inode().is_none()) {
            return Ok(());
        }
        let walking = self.given.options()?;
        let lists = || self.given.files_from.iter().chain(&self.given.files0_from);
        let named = lists()
            .map(PathBuf::as_path)
            .chain(self.others.iter().copied());
        for path in named.filter(|path| *path != Path::new("-")) {
            check_file(path, targets)?;
        }
        for root in self.roots {
            self.check_root(root, targets, &walking)?;
        }
        for (paths, end) in [
            (&self.given.files_from, b'\n'),
            (&self.given.files0_from, 0),
        ] {
            // What comes from a pipe can only be read once: the walk looks at each of its paths, as
            // it does for standard output.
            let replaces = targets.iter().any(|target| target.file().is_some());
            for path in paths.iter().filter(|path| replaces && path.is_file()) {
                for root in list::roots(path, end)?.flatten() {
                    self.check_root(&root, targets, &walking)?;
                }
            }
        }
        Ok(())
    }

    fn check_root(
        &self,
        root: &Root,
        targets: &[&OutputTarget],
        walking: &walk::WalkOptions,
    ) -> Result<(), Error> {
        let path = match root {
            Root::Standard => Path::new("/dev/stdin"),
            Root::Here => Path::new("."),
            Root::Path(path) => path,
        };
        if !path.is_dir() {
            return check_file(path, targets);
        }
        for target in targets {
            if let Some(file) = target.file()
                && let Some(found) = walking.find(path, file)
                && self.options.reads(&found)
            {
                return Err(both(target, &found.path));
            }
        }
        Ok(())
    }
}

fn check_file(path: &Path, targets: &[&OutputTarget]) -> Result<(), Error> {
    let Some(input) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
        return Ok(());
    };
    match targets
        .iter()
        .find(|target| target.inode().is_some_and(|one| Some(one) == inode(&input)))
    {
        Some(target) => Err(both(target, path)),
        None => Ok(()),
    }
}

fn both(target: &OutputTarget, input: &Path) -> Error {
    let (output, input) = (target.to_string(), input.display().to_string());
    Error::new(match output == input {
        true => format!("{output} is an input, and cannot be an output too"),
        false => format!("{output} is the same file as {input}, which is an input"),
    })
}
