//! The inputs of a run: checks before the run that no output is an input, and lists of files.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::args::input::WalkArgs;
use super::destination::{OutputTarget, check_distinct, holds_data};
use super::message::Error;
use super::process::check_standard_input;
use crate::pipeline::PipelineOptions;
use crate::pipeline::walk::{self, Root, Unreadable, inode, path_of};

/// The inputs of a run.
pub(super) struct Inputs<'a> {
    /// The roots of the walk.
    pub(super) roots: &'a [Root],
    /// The flags that choose files below the roots.
    pub(super) walk: &'a WalkArgs,
    /// The options that choose documents among these files.
    pub(super) options: &'a PipelineOptions,
    /// Further files that are read.
    pub(super) others: &'a [&'a Path],
}

impl Inputs<'_> {
    /// Checks that no output is an input, and that no two outputs are the same.
    pub(super) fn check(&self, targets: &[&OutputTarget]) -> Result<(), Error> {
        check_distinct(targets)?;
        if targets.iter().all(|target| target.inode().is_none()) {
            return Ok(());
        }
        let walking = self.walk.options()?;
        let lists = || self.walk.files_from.iter().chain(&self.walk.files0_from);
        let named = lists()
            .map(PathBuf::as_path)
            .chain(self.others.iter().copied());
        for path in named.filter(|path| *path != Path::new("-")) {
            check_file(path, targets)?;
        }
        for root in self.roots {
            self.check_root(root, targets, &walking)?;
        }
        for (paths, end) in [(&self.walk.files_from, b'\n'), (&self.walk.files0_from, 0)] {
            // A list from a pipe can only be read once: the walk checks each of its paths.
            let replaces = targets.iter().any(|target| target.file().is_some());
            for path in paths.iter().filter(|path| replaces && path.is_file()) {
                for root in list_roots(path, end)?.flatten() {
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
                && let Some(found) = walking.find(path, &file)
                && self.options.reads(&found)
            {
                return Err(conflict(target, &found.path));
            }
        }
        Ok(())
    }
}

fn check_file(path: &Path, targets: &[&OutputTarget]) -> Result<(), Error> {
    let Some(input) = fs::metadata(path).ok().filter(holds_data) else {
        return Ok(());
    };
    match targets
        .iter()
        .find(|target| target.inode().is_some_and(|one| Some(one) == inode(&input)))
    {
        Some(target) => Err(conflict(target, path)),
        None => Ok(()),
    }
}

fn conflict(target: &OutputTarget, input: &Path) -> Error {
    let (output, input) = (target.to_string(), input.display().to_string());
    Error::new(match output == input {
        true => format!("{output} is an input, and cannot be an output too"),
        false => format!("{output} is the same file as {input}, which is an input"),
    })
}

/// The longest path of a list, in bytes. No system has longer ones.
const LONGEST: u64 = 64 << 10;

/// Returns the paths of a list, each terminated by `end`; `-` is standard input. Paths are read as
/// they are needed: a list may be larger than memory.
pub(super) fn list_roots(
    list: &Path,
    end: u8,
) -> Result<impl Iterator<Item = Result<Root, Unreadable>> + Send + use<>, Error> {
    let reader: Box<dyn BufRead + Send> = if list == Path::new("-") {
        check_standard_input().map_err(|error| Error::new(error.to_string()))?;
        Box::new(BufReader::new(io::stdin()))
    } else {
        let failed = |error| Error::new(format!("{}: {error}", list.display()));
        let file = File::open(list).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            let list = list.display();
            return Err(Error::new(format!(
                "{list}: it is a directory, no list of files"
            )));
        }
        Box::new(BufReader::new(file))
    };
    Ok(List {
        reader,
        end,
        path: list.to_path_buf(),
        ended: false,
    })
}

/// The rest of a list of paths.
struct List {
    reader: Box<dyn BufRead + Send>,
    end: u8,
    path: PathBuf,
    ended: bool,
}

impl List {
    /// Returns an error of the list itself.
    fn unreadable(&self, message: String) -> Unreadable {
        let path = self.path.clone();
        Unreadable { path, message }
    }

    /// Reads the bytes of a path; none at the end of the list.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let limit = LONGEST + 1;
        if self
            .reader
            .by_ref()
            .take(limit)
            .read_until(self.end, &mut bytes)?
            == 0
        {
            return Ok(None);
        }
        if bytes.last() == Some(&self.end) {
            bytes.pop();
        } else if bytes.len() as u64 == limit {
            self.reader.skip_until(self.end)?;
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("an entry is longer than any path: {LONGEST} bytes"),
            ));
        }
        if self.end == b'\n' && bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        Ok(Some(bytes))
    }
}

impl Iterator for List {
    type Item = Result<Root, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.read() {
                Ok(Some(bytes)) if bytes.is_empty() && self.end == b'\n' => {}
                Ok(Some(bytes)) if bytes.is_empty() => {
                    return Some(Err(self.unreadable("a name is empty".to_owned())));
                }
                Ok(Some(bytes)) => return Some(Ok(Root::Path(path_of(&bytes)))),
                Ok(None) => self.ended = true,
                Err(error) => {
                    // Another read would fail again and again.
                    self.ended = error.kind() != io::ErrorKind::InvalidData;
                    return Some(Err(self.unreadable(error.to_string())));
                }
            }
        }
        None
    }
}
