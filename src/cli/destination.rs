//! Where the output goes: standard output, or a file that appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::pipeline::writer::Hurry;

/// Where the output goes.
#[derive(Debug)]
pub(super) enum Destination {
    /// Standard output.
    Standard(io::Stdout),
    /// A pipe or a device, written as it is.
    Stream(File),
    /// A file.
    File(Unfinished),
}

/// A file under a temporary name, and the name that it gets when it is complete.
#[derive(Debug)]
pub(super) struct Unfinished {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
}

/// The temporary files to remove if the process is told to end.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Destination {
    /// Opens the file of a path; standard output without one.
    pub(super) fn open(path: Option<&Path>) -> io::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Destination::Standard(io::stdout()));
        };
        // Through a symbolic link it is the file behind it that is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            let file = OpenOptions::new().write(true).open(&path)?;
            return Ok(Destination::Stream(file));
        }
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)?;
        unfinished.push(temporary.clone());
        // Without a handler the file would stay behind; there is nothing else to lose.
        let _ = ctrlc::set_handler(|| {
            remove_unfinished();
            std::process::exit(INTERRUPTED);
        });
        Ok(Destination::File(Unfinished {
            file,
            temporary,
            path,
        }))
    }

    /// How soon the output is wanted.
    pub(super) fn hurry(&self) -> Hurry {
        match self {
            Destination::Standard(stdout) if stdout.is_terminal() => Hurry::Blocks,
            _ => Hurry::Gathered,
        }
    }

    /// Gives a complete file its name.
    pub(super) fn finish(self) -> io::Result<()> {
        if let Destination::File(Unfinished {
            file,
            temporary,
            path,
        }) = self
        {
            drop(file);
            let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            // The file that is replaced hands on its permissions.
            if let Ok(metadata) = fs::metadata(&path) {
                fs::set_permissions(&temporary, metadata.permissions())?;
            }
            fs::rename(&temporary, path)?;
            unfinished.retain(|other| *other != temporary);
        }
        Ok(())
    }

    /// Removes an incomplete file.
    pub(super) fn abandon(self) {
        if let Destination::File(file) = self {
            drop(file);
            remove_unfinished();
        }
    }
}

/// What shells show of a process that ended on SIGINT.
const INTERRUPTED: i32 = 130;

fn remove_unfinished() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for temporary in unfinished.drain(..) {
        // It may be gone already, which is just as well.
        let _ = fs::remove_file(temporary);
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Destination::Standard(stdout) => stdout.write(bytes),
            Destination::Stream(file) => file.write(bytes),
            Destination::File(file) => file.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Destination::Standard(stdout) => stdout.flush(),
            Destination::Stream(_) | Destination::File(..) => Ok(()),
        }
    }
}
