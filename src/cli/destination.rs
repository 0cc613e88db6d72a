//! Destinations of output: standard output, open files of the process, devices, sockets, and files
//! that are written under a temporary name and renamed when they are complete.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use tempfile::NamedTempFile;

use super::message::{Error, Result};
use super::process;
use crate::pipeline::walk::{Inode, inode};

/// A path to write to, examined before anything is read or created.
pub(super) struct OutputTarget {
    path: PathBuf,
    kind: TargetKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TargetKind {
    /// An open file of the process, by its number.
    Descriptor(u32),
    Device,
    Socket,
    /// A regular file or a new file, by its path without symbolic links.
    File(PathBuf),
}

/// Maximum number of symbolic links that are followed, as in Linux.
const MOST_LINKS: usize = 40;

impl OutputTarget {
    /// Examines the path of an output; standard output without one.
    pub(super) fn of(path: Option<&Path>) -> Result<Self> {
        let path = path.unwrap_or(Path::new("-")).to_path_buf();
        let kind = target_kind(&path).map_err(|error| cannot_write(&path, &error))?;
        Ok(OutputTarget { path, kind })
    }

    /// Returns a path at which the system has the output, unless it is a socket.
    fn system_path(&self) -> Option<PathBuf> {
        match &self.kind {
            TargetKind::File(path) => Some(path.clone()),
            TargetKind::Descriptor(number) => Some(format!("/dev/fd/{number}").into()),
            TargetKind::Device => Some(self.path.clone()),
            TargetKind::Socket => None,
        }
    }

    /// Returns the canonical path of the regular file that is replaced or appended to.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let path = fs::canonicalize(self.system_path()?).ok();
        path.filter(|path| self.kind != TargetKind::Device && path.is_file())
    }

    /// Returns the identity of the regular file or the pipe that is replaced or written.
    pub(super) fn inode(&self) -> Option<Inode> {
        let metadata = fs::metadata(self.system_path()?).ok();
        inode(&metadata.filter(holds_data)?)
    }

    fn is_same(&self, other: &OutputTarget) -> bool {
        if self.inode().is_some_and(|id| Some(id) == other.inode()) {
            return true;
        }
        match (&self.kind, &other.kind) {
            // Several outputs may go to the null device.
            (TargetKind::Device, TargetKind::Device) => {
                let device = |target: &OutputTarget| fs::canonicalize(&target.path).ok();
                device(self) == device(other)
                    && device(self).as_deref() != Some(Path::new("/dev/null"))
            }
            (TargetKind::Socket, TargetKind::Socket) => self.path == other.path,
            (one, other) => one == other,
        }
    }

    pub(super) fn open(&self) -> Result<Destination> {
        let stream = |options: &mut OpenOptions| options.open(&self.path).map(Destination::stream);
        let opened = match &self.kind {
            TargetKind::Descriptor(1) => process::standard_output().map(Destination::stream),
            // Appends, since the shell may have opened the file to append to it.
            TargetKind::Descriptor(_) => stream(OpenOptions::new().append(true)),
            TargetKind::Device => stream(OpenOptions::new().write(true)),
            TargetKind::Socket => connect(&self.path),
            TargetKind::File(path) => Destination::file(path),
        };
        let mut opened = opened.map_err(|error| cannot_write(&self.path, &error))?;
        opened.path.clone_from(&self.path);
        Ok(opened)
    }
}

pub(super) fn check_distinct(targets: &[&OutputTarget]) -> Result<()> {
    for (at, target) in targets.iter().enumerate() {
        if let Some(other) = targets[..at].iter().find(|other| other.is_same(target)) {
            let (one, other) = (other.to_string(), target.to_string());
            if one == other {
                return Err(format!("{one}: named twice as an output").into());
            }
            return Err(format!("{one} and {other} are the same output").into());
        }
    }
    Ok(())
}

impl std::fmt::Display for OutputTarget {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path == Path::new("-") {
            return formatter.write_str("standard output");
        }
        self.path.display().fmt(formatter)
    }
}

pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Error {
    if path == Path::new("-") {
        return format!("cannot write: {error}").into();
    }
    format!("cannot write {}: {error}", path.display()).into()
}

fn target_kind(given: &Path) -> io::Result<TargetKind> {
    let mut path = given.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let Some(number) = descriptor(&path) {
            return Ok(TargetKind::Descriptor(number));
        }
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(TargetKind::File(new(&path)?));
            }
            Err(error) => return Err(error),
        };
        let kind = metadata.file_type();
        if kind.is_symlink() {
            let link = fs::read_link(&path)?;
            // A relative link starts in the directory that it is in.
            path.pop();
            path.push(link);
        } else if kind.is_file() {
            return Ok(TargetKind::File(fs::canonicalize(&path)?));
        } else if kind.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        } else if is_socket(kind) {
            return Ok(TargetKind::Socket);
        } else {
            return Ok(TargetKind::Device);
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Returns the path of a new file without symbolic links. Its directory must exist.
fn new(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name();
    let is_directory = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let Some(name) = name.filter(|_| !is_directory) else {
        return Err(io::Error::new(ErrorKind::NotFound, "no such directory"));
    };
    Ok(fs::canonicalize(above(path))?.join(name))
}

pub(super) fn above(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn descriptor(path: &Path) -> Option<u32> {
    match path.to_str()? {
        "-" | "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        path => {
            let number = path.strip_prefix("/dev/fd/");
            let number = number.or_else(|| path.strip_prefix("/proc/self/fd/"));
            number?.parse().ok()
        }
    }
}

/// Returns whether written bytes can be read back: a regular file or a pipe.
pub(super) fn holds_data(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type());
    #[cfg(not(unix))]
    let is_pipe = false;
    metadata.is_file() || is_pipe
}

#[cfg_attr(not(unix), allow(unused_variables))]
fn is_socket(kind: fs::FileType) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_socket(&kind);
    #[cfg(not(unix))]
    false
}

#[cfg_attr(not(unix), allow(unused_variables))]
fn connect(path: &Path) -> io::Result<Destination> {
    #[cfg(unix)]
    return std::os::unix::net::UnixStream::connect(path)
        .map(|stream| Destination::new(stream, false));
    #[cfg(not(unix))]
    Err(ErrorKind::Unsupported.into())
}

pub(super) struct Destination {
    out: Box<dyn Write + Send>,
    /// The path that messages name, or `-`, standard output.
    path: PathBuf,
    pub(super) is_terminal: bool,
    /// The run has more to write: after the pipe is closed it continues and drops its output here.
    pub(super) goes_on: bool,
    /// The file that is renamed when `out` is complete.
    unfinished: Option<Unfinished>,
}

/// A file with a temporary name, which is removed when dropped unfinished.
pub(super) struct Unfinished {
    file: NamedTempFile,
    path: PathBuf,
}

/// The temporary files to remove when a signal ends the process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Unfinished {
    /// Creates a file beside an absolute path, which it replaces when it is finished.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        // No file is created between the removal and the exit.
        process::on_termination(|| std::mem::forget(remove_unfinished()));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".uriscan-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The permissions of a file that a shell creates; the umask applies.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // INVARIANT: the path is absolute and names a file, so it has a directory.
        let directory = path.parent().unwrap_or(Path::new("/"));
        let mut unfinished = UNFINISHED.lock();
        // Tempfile's error names the temporary file: take the one of the system.
        let created = builder.tempfile_in(directory);
        let file = created.map_err(|_| io::Error::last_os_error())?;
        unfinished.push(file.path().to_path_buf());
        let path = path.to_path_buf();
        Ok(Unfinished { file, path })
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.as_file_mut().write_all(bytes)
    }

    /// Gives the file the owner and the group of the file that it replaces.
    pub(super) fn keep_owner(&self) -> io::Result<()> {
        #[cfg(unix)]
        if let (Ok(old), new) = (fs::metadata(&self.path), self.file.as_file().metadata()?) {
            use std::os::unix::fs::{MetadataExt, fchown};
            if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
                fchown(self.file.as_file(), Some(old.uid()), Some(old.gid()))?;
            }
        }
        Ok(())
    }

    /// Gives the file the owner and the permissions of the file that it replaces.
    fn keep_metadata(&self) -> io::Result<()> {
        // Without the right to give files away, the file is this user's.
        let _ = self.keep_owner();
        if let Ok(metadata) = fs::metadata(&self.path) {
            let file = self.file.as_file();
            file.set_permissions(metadata.permissions())?;
        }
        Ok(())
    }

    /// Leaves the complete file under its temporary name, and returns that.
    pub(super) fn stage(self) -> io::Result<PathBuf> {
        self.keep_metadata()?;
        let (_, path) = self.file.keep().map_err(io::Error::other)?;
        Ok(path)
    }

    /// Gives the complete file its name.
    pub(super) fn finish(self) -> io::Result<()> {
        let temporary = self.file.path().to_path_buf();
        self.finish_keeping(|other| *other == temporary)
    }

    /// Gives the complete file its name, and keeps others when a signal ends the process from then on.
    pub(super) fn finish_keeping(self, keeps: impl Fn(&PathBuf) -> bool) -> io::Result<()> {
        let mut unfinished = UNFINISHED.lock();
        self.keep_metadata()?;
        self.file.persist(&self.path)?;
        unfinished.retain(|other| !keeps(other));
        Ok(())
    }
}

/// Removes the temporary files. None is created while the result is held.
pub(super) fn remove_unfinished() -> impl Sized {
    let mut unfinished = UNFINISHED.lock();
    for temporary in unfinished.drain(..) {
        // Errors are ignored: the file may be gone already.
        let _ = fs::remove_file(temporary);
    }
    unfinished
}

impl Destination {
    fn new(out: impl Write + Send + 'static, is_terminal: bool) -> Self {
        Destination {
            out: Box::new(out),
            path: PathBuf::from("-"),
            is_terminal,
            goes_on: false,
            unfinished: None,
        }
    }

    pub(super) fn standard() -> Self {
        Destination::stream(io::stdout())
    }

    fn stream(out: impl Write + IsTerminal + Send + 'static) -> Self {
        let is_terminal = out.is_terminal();
        Destination::new(out, is_terminal)
    }

    fn file(path: &Path) -> io::Result<Self> {
        let unfinished = Unfinished::create(path)?;
        let file = unfinished.file.as_file().try_clone()?;
        Ok(Destination {
            unfinished: Some(unfinished),
            ..Destination::new(file, false)
        })
    }

    /// Names the path in an error of writing.
    fn named(&self, error: io::Error) -> io::Error {
        if self.path == Path::new("-") {
            return error;
        }
        io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
    }

    /// Gives a complete file its name. A file that is dropped instead is removed.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let finished = self.unfinished.take().map_or(Ok(()), Unfinished::finish);
        finished.map_err(|error| self.named(error))
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.out.write(bytes) {
            Err(error) if self.goes_on && error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written.map_err(|error| self.named(error)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.out.flush() {
            Err(error) if self.goes_on && error.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed.map_err(|error| self.named(error)),
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/cli/destination.rs"]
mod tests;
