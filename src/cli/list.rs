//! Lists of files, read as they are needed: they may be longer than memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::message::Error;
use crate::pipeline::walk::{Root, Unreadable, path_of};

/// No path of a system is longer, in bytes: a list without ends is not gathered in memory.
const LONGEST: u64 = 64 << 10;

/// The paths of a list, each ended by `end`; `-` is standard input.
pub(super) fn roots(
    list: &Path,
    end: u8,
) -> Result<impl Iterator<Item = Result<Root, Unreadable>> + Send + use<>, Error> {
    let reader: Box<dyn BufRead + Send> = if list == Path::new("-") {
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

/// The paths of a list that are left.
struct List {
    reader: Box<dyn BufRead + Send>,
    end: u8,
    path: PathBuf,
    ended: bool,
}

impl List {
    /// Reads the bytes of a path; none at the end of the list.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let most = LONGEST + 1;
        if self
            .reader
            .by_ref()
            .take(most)
            .read_until(self.end, &mut bytes)?
            == 0
        {
            return Ok(None);
        }
        if bytes.last() == Some(&self.end) {
            bytes.pop();
        } else if bytes.len() as u64 == most {
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
                Ok(Some(bytes)) if bytes.is_empty() => {}
                Ok(Some(bytes)) => return Some(Ok(Root::Path(path_of(&bytes)))),
                Ok(None) => self.ended = true,
                Err(error) => {
                    // What cannot be read now will not be read later: the error would not end.
                    self.ended = error.kind() != io::ErrorKind::InvalidData;
                    return Some(Err(Unreadable {
                        path: self.path.clone(),
                        message: error.to_string(),
                    }));
                }
            }
        }
        None
    }
}
