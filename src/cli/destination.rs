//! Where the output goes: standard output, something that is open already, or a file that appears
//! whole or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use super::message::Error;
use super::process;
use crate::pipeline::walk::{Inode, inode};
use crate::pipeline::writer::FlushPolicy;

/// A path to write to, looked at before anything is read or created.
#[derive(Debug)]
pub(super) struct OutputTarget {
    /// As it was given.
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// An open file of the process, by its number.
    Descriptor(u32),
    /// A device or a FIFO.
    Device,
    /// A socket of the file system.
    Socket,
    /// A regular file or a new name, without symbolic links.
    File(PathBuf),
}

/// Symbolic links that are followed one behind the other, as in Linux.
const MOST_LINKS: usize = 40;

impl OutputTarget {
    /// Looks at the path of an output; standard output without one.
    pub(super) fn of(path: Option<&Path>) -> Result<Self, Error> {
        let path = path.unwrap_or(Path::new("-"));
        match kind(path) {
            Ok(kind) => Ok(OutputTarget {
                path: path.to_path_buf(),
                kind,
            }),
            Err(error) => Err(cannot_write(path, &error)),
        }
    }

    /// The regular file that is replaced, if there is one.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.kind {
            Kind::File(path) if path.exists() => Some(path),
            _ => None,
        }
    }

    /// What tells the regular file that is written from all others.
    pub(super) fn inode(&self) -> Option<Inode> {
        let metadata = match &self.kind {
            Kind::File(path) => fs::metadata(path),
            Kind::Descriptor(number) => fs::metadata(format!("/dev/fd/{number}")),
            Kind::Device | Kind::Socket => return None,
        };
        metadata
            .ok()
            .filter(Metadata::is_file)
            .and_then(|metadata| inode(&metadata))
    }

    /// Whether two outputs would be written over one another.
    fn is_same(&self, other: &OutputTarget) -> bool {
        if self.inode().is_some_and(|id| Some(id) == other.inode()) {
            return true;
        }
        match (&self.kind, &other.kind) {
            // What goes to the null device is not wanted, however often.
            (Kind::Device, Kind::Device) => {
                let place = |target: &OutputTarget| fs::canonicalize(&target.path).ok();
                place(self) == place(other)
                    && place(self).as_deref() != Some(Path::new("/dev/null"))
            }
            (Kind::Socket, Kind::Socket) => self.path == other.path,
            (one, other) => one == other,
        }
    }

    /// Opens it.
    pub(super) fn open(&self) -> Result<Destination, Error> {
        self.opened()
            .map_err(|error| cannot_write(&self.path, &error))
    }

    fn opened(&self) -> io::Result<Destination> {
        Ok(match &self.kind {
            Kind::Descriptor(1) => Destination::Standard(io::stdout()),
            // Written behind what is there: whoever opened it may have appended.
            Kind::Descriptor(_) => {
                Destination::Stream(OpenOptions::new().append(true).open(&self.path)?)
            }
            Kind::Device => Destination::Stream(OpenOptions::new().write(true).open(&self.path)?),
            Kind::Socket => connect(&self.path)?,
            Kind::File(path) => Destination::File(Unfinished::create(path)?),
        })
    }
}

/// Checks that no two outputs are the same.
pub(super) fn check_distinct(targets: &[&OutputTarget]) -> Result<(), Error> {
    for (at, target) in targets.iter().enumerate() {
        if let Some(other) = targets[..at].iter().find(|other| other.is_same(target)) {
            let (one, other) = (other.to_string(), target.to_string());
            return Err(Error::new(match one == other {
                true => format!("{one}: named twice as an output"),
                false => format!("{one} and {other} are the same output"),
            }));
        }
    }
    Ok(())
}

impl std::fmt::Display for OutputTarget {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.path == Path::new("-") {
            true => formatter.write_str("standard output"),
            false => self.path.display().fmt(formatter),
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    match path == Path::new("-") {
        true => Error::new(format!("cannot write: {error}")),
        false => Error::new(format!("cannot write {}: {error}", path.display())),
    }
}

fn kind(given: &Path) -> io::Result<Kind> {
    let mut path = given.to_path_buf();
    for _ in 0..MOST_LINKS {
        if let Some(number) = descriptor(&path) {
            return Ok(Kind::Descriptor(number));
        }
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Kind::File(new(&path)?));
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
            return Ok(Kind::File(fs::canonicalize(&path)?));
        } else if kind.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        } else {
            return Ok(if is_socket(kind) {
                Kind::Socket
            } else {
                Kind::Device
            });
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The path of a file that is not there yet, in a directory that is.
fn new(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name();
    let is_directory = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let Some(name) = name.filter(|_| !is_directory) else {
        return Err(io::Error::new(ErrorKind::NotFound, "no such directory"));
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    Ok(fs::canonicalize(directory)?.join(name))
}

/// The number of an open file of this process.
fn descriptor(path: &Path) -> Option<u32> {
    let path = path.to_str()?;
    match path {
        "-" | "/dev/stdout" => return Some(1),
        "/dev/stderr" => return Some(2),
        _ => {}
    }
    let number = path
        .strip_prefix("/dev/fd/")
        .or_else(|| path.strip_prefix("/proc/self/fd/"))?;
    number.parse().ok()
}

#[cfg(unix)]
fn is_socket(kind: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&kind)
}

#[cfg(not(unix))]
fn is_socket(_: fs::FileType) -> bool {
    false
}

#[cfg(unix)]
fn connect(path: &Path) -> io::Result<Destination> {
    let stream = std::os::unix::net::UnixStream::connect(path)?;
    Ok(Destination::Socket(stream))
}

#[cfg(not(unix))]
fn connect(_: &Path) -> io::Result<Destination> {
    Err(ErrorKind::Unsupported.into())
}

/// Where the output goes, opened.
#[derive(Debug)]
pub(super) enum Destination {
    /// Standard output.
    Standard(io::Stdout),
    /// A pipe or a device, written as it is.
    Stream(File),
    /// A socket.
    #[cfg(unix)]
    Socket(std::os::unix::net::UnixStream),
    /// A file.
    File(Unfinished),
}

/// A file under a temporary name, which is removed unless it gets its own name.
#[derive(Debug)]
pub(super) struct Unfinished {
    file: NamedTempFile,
    path: PathBuf,
}

/// The temporary files to remove if the process is told to end.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Unfinished {
    fn create(path: &Path) -> io::Result<Self> {
        process::before_the_end(remove_unfinished);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".uriscan-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // A new file has the permissions of one that a shell creates: the umask applies.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // INVARIANT: the path is absolute and names a file, so it has a directory.
        let directory = path.parent().unwrap_or(Path::new("/"));
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let file = builder.tempfile_in(directory)?;
        unfinished.push(file.path().to_path_buf());
        let path = path.to_path_buf();
        Ok(Unfinished { file, path })
    }

    fn finish(self) -> io::Result<()> {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        // The file that is replaced hands on its permissions.
        if let Ok(metadata) = fs::metadata(&self.path) {
            self.file
                .as_file()
                .set_permissions(metadata.permissions())?;
        }
        let temporary = self.file.path().to_path_buf();
        self.file
            .persist(&self.path)
            .map_err(|failed| failed.error)?;
        unfinished.retain(|other| *other != temporary);
        Ok(())
    }
}

fn remove_unfinished() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for temporary in unfinished.drain(..) {
        // Errors are ignored: it may be gone already.
        let _ = fs::remove_file(temporary);
    }
}

impl Destination {
    /// How soon the output is wanted.
    pub(super) fn hurry(&self) -> FlushPolicy {
        match self.is_terminal() {
            true => FlushPolicy::Blocks,
            false => FlushPolicy::Gathered,
        }
    }

    /// Whether people read it on a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        match self {
            Destination::Standard(stdout) => stdout.is_terminal(),
            Destination::Stream(file) => file.is_terminal(),
            _ => false,
        }
    }

    /// Gives a complete file its name. One that is dropped instead is removed.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Destination::File(file) => file.finish(),
            _ => Ok(()),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Destination::Standard(stdout) => stdout.write(bytes),
            Destination::Stream(file) => file.write(bytes),
            #[cfg(unix)]
            Destination::Socket(stream) => stream.write(bytes),
            Destination::File(file) => file.file.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Destination::Standard(stdout) => stdout.flush(),
            _ => Ok(()),
        }
    }
}
