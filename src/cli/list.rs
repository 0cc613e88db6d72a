//! Lists of files, read as they are needed: they may be longer than memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::message::Error;
use crate::pipeline::walk::{Root, Unreadable, path_of};

/// The paths of a list, each ended by `end`; `-` is standard input.
pub(super) fn roots(
    list: &Path,
    end: u8,
) -> Result<impl Iterator<Item = Result<Root, Unreadable>> + Send + use<>, Error> {
    let reader: Box<dyn BufRead + Send> = if list == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file =
            File::open(list).map_err(|error| Error::new(format!("{}: {error}", list.display())))?;
        Box::new(BufReader::new(file))
    };
    let list = list.to_path_buf();
    let paths = reader.split(end).map(move |path| read(path, end, &list));
    Ok(paths.filter(|root| !matches!(root, Ok(Root::Path(path)) if path.as_os_str().is_empty())))
}

fn read(path: io::Result<Vec<u8>>, end: u8, list: &Path) -> Result<Root, Unreadable> {
    match path {
        Ok(mut path) => {
            if end == b'\n' && path.last() == Some(&b'\r') {
                path.pop();
            }
            Ok(Root::Path(path_of(&path)))
        }
        Err(error) => Err(Unreadable {
            path: list.to_path_buf(),
            message: error.to_string(),
        }),
    }
}
