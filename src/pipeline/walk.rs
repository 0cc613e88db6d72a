//! Finds the files to read, lazily and in the order of their paths.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::WalkBuilder;
use ignore::gitignore::Gitignore;
use ignore::overrides::Override;
use parking_lot::Mutex;
use smart_default::SmartDefault;

use crate::archive::git;
use crate::output::record::SkipReason;

/// The options of a walk, with the meaning that they have in ripgrep.
#[derive(Clone, Debug, SmartDefault)]
pub struct WalkOptions {
    /// Globs of the files to read, or with `!` of those to leave out.
    #[default(Override::empty())]
    pub globs: Override,
    /// Read hidden files.
    pub hidden: bool,
    /// Respect `.gitignore`, `.ignore` and `.uriscanignore`.
    #[default(true)]
    pub ignore_files: bool,
    /// Follow symbolic links.
    pub follow: bool,
    /// The number of directories to descend.
    pub max_depth: Option<usize>,
    /// The length of the longest file to read, in bytes.
    pub max_filesize: Option<u64>,
    /// Sort the files of a directory by name.
    #[default(true)]
    pub sorted: bool,
    pub(crate) outputs: Outputs,
    /// Files of trees that are not read.
    pub(crate) unread: Vec<Inode>,
}

/// The files that a run writes, and whether one of them was named as an input during the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outputs {
    inodes: Vec<Inode>,
    named: Arc<AtomicBool>,
}

impl Outputs {
    pub(crate) fn new(inodes: Vec<Inode>) -> Self {
        let named = Arc::default();
        Outputs { inodes, named }
    }

    /// Returns whether one of the files was named as an input, so that none may be replaced.
    pub(crate) fn were_named(&self) -> bool {
        self.named.load(Ordering::Relaxed)
    }

    /// Returns whether a named file is in the set, and records that.
    fn check_named(&self, metadata: &Metadata) -> bool {
        let is_output = !self.inodes.is_empty()
            && metadata.is_file()
            && inode(metadata).is_some_and(|inode| self.inodes.contains(&inode));
        if is_output {
            self.named.store(true, Ordering::Relaxed);
        }
        is_output
    }
}

/// The identity of a file: its device and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inode(u64, u64);

#[cfg(unix)]
pub(crate) fn inode(metadata: &Metadata) -> Option<Inode> {
    use std::os::unix::fs::MetadataExt;
    Some(Inode(metadata.dev(), metadata.ino()))
}

/// Returns none: the identity of a file is known on Unix only.
#[cfg(not(unix))]
pub fn inode(_: &Metadata) -> Option<Inode> {
    None
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path, as reached from the arguments.
    pub path: PathBuf,
    pub(crate) kind: EntryKind,
    /// Whether the path was named, and not found in a directory.
    pub named: bool,
}

impl Entry {
    pub(crate) fn bytes(&self) -> &[u8] {
        bytes_of(&self.path)
    }
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file with its length in bytes when it was found.
    File(u64),
    /// A regular file of unknown length in a tree. Only `max_filesize` needs lengths: asking for each
    /// takes a sixth of the time of a run over small files.
    Unmeasured,
    Standard,
    /// A pipe, a device or a socket.
    Stream,
    /// A directory that is a repository of git with messages.
    Repository,
    LeftOut(SkipReason),
}

/// A path that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The path; empty where the error names none.
    pub path: PathBuf,
    /// The reason.
    pub message: String,
}

/// A path to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// A file or a directory.
    Path(PathBuf),
    /// A directory that is a repository of git.
    Repository(PathBuf),
    /// The current directory; paths below are shown without `./`.
    Here,
    /// Standard input.
    Standard,
}

/// The files below the roots, in the order of the roots and then of the paths.
pub struct Walk {
    roots: Box<dyn Iterator<Item = Result<Root, Unreadable>> + Send>,
    options: WalkOptions,
    /// The tree, and before it folders of mail in it with hidden names; the last is walked first.
    trees: Vec<ignore::Walk>,
    /// Whether the current tree is [`Root::Here`].
    here: bool,
    refused: Refused,
}

/// Errors of directories that a walk left out.
type Refused = Arc<Mutex<Vec<Unreadable>>>;

/// The files whose rules a walk reads in each directory.
const IGNORE_FILES: [&str; 4] = [
    ".gitignore",
    ".ignore",
    ".uriscanignore",
    ".git/info/exclude",
];

/// Maximum length in bytes of the name of a repository in a file.
const MAX_NAME: u64 = 64 << 10;

impl Walk {
    /// Walks the trees of the roots.
    pub fn new(
        roots: impl Iterator<Item = Result<Root, Unreadable>> + Send + 'static,
        options: WalkOptions,
    ) -> Self {
        Walk {
            roots: Box::new(roots),
            options,
            trees: Vec::new(),
            here: false,
            refused: Refused::default(),
        }
    }

    fn start(&mut self, root: Root) -> Option<Result<Entry, Unreadable>> {
        self.here = root == Root::Here;
        let path = match root {
            Root::Standard => {
                let (path, kind) = (PathBuf::from("-"), EntryKind::Standard);
                return Some(Ok(self.options.entry(path, kind, true)));
            }
            Root::Here => PathBuf::from("."),
            Root::Path(path) if is_bare(&path) => return Some(Ok(repository(path, true))),
            Root::Repository(path) if path.exists() => return Some(Ok(repository(path, true))),
            Root::Path(path) | Root::Repository(path) => path,
        };
        let message = match fs::metadata(&path) {
            Err(error) => error.to_string(),
            Ok(metadata) if metadata.is_dir() => {
                let tree = self.options.builder(&path, &self.refused);
                self.trees.extend(tree.map(|tree| tree.build()));
                return None;
            }
            Ok(metadata) if self.options.outputs.check_named(&metadata) => {
                "the output goes there, so it is not read".to_owned()
            }
            Ok(metadata) => {
                let kinds = [EntryKind::Stream, EntryKind::File(metadata.len())];
                let kind = kinds[usize::from(metadata.is_file())];
                return Some(Ok(self.options.entry(path, kind, true)));
            }
        };
        Some(Err(Unreadable { path, message }))
    }

    /// Returns the file of an entry of a tree; none for a directory.
    fn file(&mut self, entry: ignore::DirEntry) -> Option<Result<Entry, Unreadable>> {
        let file_type = entry.file_type()?;
        if file_type.is_dir() && is_epoch(entry.path()) {
            return Some(Ok(repository(entry.into_path(), false)));
        }
        if file_type.is_dir() {
            self.enter_mail_folders(&entry);
            return None;
        }
        let unread = &self.options.unread;
        if !unread.is_empty()
            && let Some(file) = entry.metadata().ok().as_ref().and_then(inode)
            && unread.contains(&file)
        {
            return None;
        }
        let kind = if is_mail_index(entry.path()) {
            EntryKind::LeftOut(SkipReason::MailFolder)
        } else if file_type.is_symlink() {
            EntryKind::LeftOut(SkipReason::Symlink)
        } else if !file_type.is_file() {
            // Pipes, devices and sockets are read only where they are named.
            EntryKind::LeftOut(SkipReason::Special)
        } else if self.options.max_filesize.is_some() {
            EntryKind::File(entry.metadata().map_or(0, |metadata| metadata.len()))
        } else {
            EntryKind::Unmeasured
        };
        let path = match entry.path().strip_prefix("./") {
            Ok(path) if self.here => path.to_path_buf(),
            _ => entry.into_path(),
        };
        Some(Ok(self.options.entry(path, kind, false)))
    }

    /// Walks the folders of a Maildir++ next, whose names are hidden, before the rest of the directory.
    fn enter_mail_folders(&mut self, entry: &ignore::DirEntry) {
        let depth = entry.depth();
        let is_within = self.options.max_depth.is_none_or(|max| depth < max);
        // Only a Maildir or a root is worth another look at its names.
        if self.options.hidden || !is_within || depth > 0 && !is_maildir(entry.path()) {
            return;
        }
        let names = fs::read_dir(entry.path()).into_iter().flatten().flatten();
        let is_hidden = |name: &fs::DirEntry| name.file_name().as_encoded_bytes().starts_with(b".");
        let folders = names.filter(is_hidden).map(|name| name.path());
        let mut folders: Vec<PathBuf> = folders.filter(|path| is_maildir(path)).collect();
        folders.sort_unstable_by(|one, other| other.cmp(one));
        for folder in folders {
            if let Some(mut tree) = self.options.builder(&folder, &self.refused) {
                tree.max_depth(self.options.max_depth.map(|max| max - depth - 1));
                self.trees.push(tree.build());
            }
        }
    }
}

fn repository(path: PathBuf, named: bool) -> Entry {
    let kind = EntryKind::Repository;
    Entry { path, kind, named }
}

/// Returns whether a directory is a repository without a working tree.
fn is_bare(path: &Path) -> bool {
    path.file_name().is_none_or(|name| name != ".git") && git::is_repository(path)
}

/// Returns whether a directory is an epoch of public-inbox: `git/0.git`.
fn is_epoch(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let number = name.strip_suffix(b".git").unwrap_or_default();
    !number.is_empty()
        && number.iter().all(u8::is_ascii_digit)
        && path.parent().is_some_and(|parent| parent.ends_with("git"))
        && git::is_repository(path)
}

/// Returns the repositories of an inbox: its epochs, or else itself or the one of its working tree.
pub(crate) fn repositories(path: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(path.join("git")).into_iter().flatten();
    let paths = names.flatten().map(|name| name.path());
    let mut epochs: Vec<PathBuf> = paths.filter(|path| is_epoch(path)).collect();
    epochs.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    if epochs.is_empty() {
        let inner = path.join(".git");
        let own = Some(inner).filter(|inner| inner.is_dir());
        epochs.push(own.unwrap_or_else(|| path.to_path_buf()));
    }
    epochs
}

fn is_maildir(path: &Path) -> bool {
    let mut names = ["cur", "new", "tmp"].iter();
    names.all(|name| path.join(name).is_dir())
}

/// Returns whether a file in a folder of mail is an index, a lock, or a message deleted or being delivered.
fn is_mail_index(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    if let Some(number) = name.strip_prefix(b",") {
        return !number.is_empty() && number.iter().all(u8::is_ascii_digit);
    }
    let Some(folder) = path.parent() else {
        return false;
    };
    let is_lock = name.ends_with(b".lock");
    if is_lock
        || name.starts_with(b"dovecot")
        || [&b"maildirfolder"[..], b"subscriptions"].contains(&name)
    {
        return is_maildir(folder) || is_lock && path.with_extension("").is_file();
    }
    folder.file_name().is_some_and(|name| name == "tmp") && folder.parent().is_some_and(is_maildir)
}

impl Iterator for Walk {
    type Item = Result<Entry, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(error) = self.refused.lock().pop() {
                return Some(Err(error));
            }
            let found = match self.trees.last_mut().map(Iterator::next) {
                Some(Some(Ok(entry))) => self.file(entry),
                Some(Some(Err(error))) => Some(Err(unreadable(&error))),
                Some(None) => {
                    self.trees.pop();
                    None
                }
                None => (self.roots.next()?)
                    .map_or_else(|error| Some(Err(error)), |root| self.start(root)),
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

impl WalkOptions {
    /// Returns the file at a canonical path, if a walk of `root` finds it. Reads the directories above it only.
    pub(crate) fn find(&self, root: &Path, file: &Path) -> Option<Entry> {
        let below = file.strip_prefix(fs::canonicalize(root).ok()?).ok()?;
        let path = root.join(below);
        let wanted = path.clone();
        let refused = Refused::default();
        let mut builder = self.builder(root, &refused)?;
        let admits = self.admits(&refused);
        builder.filter_entry(move |entry| wanted.starts_with(entry.path()) && admits(entry.path()));
        let mut found = builder.build().flatten();
        let entry = found.find(|entry| entry.path() == path)?;
        let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
        Some(self.entry(path, EntryKind::File(metadata.len()), false))
    }

    /// Returns the check of a directory before the walk reads its ignore files, which notes the error:
    /// reading a pipe or a device may not end.
    fn admits(&self, refused: &Refused) -> impl Fn(&Path) -> bool + use<> {
        let (is_read, refused) = (self.ignore_files, Arc::clone(refused));
        move |directory| {
            let names = IGNORE_FILES.iter().filter(|_| is_read);
            let paths = names.map(|name| directory.join(name));
            let linked = is_read.then(|| linked(directory));
            let mut paths = paths.chain(linked.into_iter().flatten());
            let Some(path) = paths.find(|path| is_special(path)) else {
                return true;
            };
            let message = "not a regular file, so its directory was not read".to_owned();
            refused.lock().push(Unreadable { path, message });
            false
        }
    }

    /// Returns the walk of a tree; `None` if an ignore file at or above its root cannot be read.
    fn builder(&self, root: &Path, refused: &Refused) -> Option<WalkBuilder> {
        let admits = self.admits(refused);
        let path = fs::canonicalize(root).unwrap_or_default();
        if !path.ancestors().all(&admits) {
            return None;
        }
        let mut builder = WalkBuilder::new(root);
        builder
            .standard_filters(self.ignore_files)
            .hidden(!self.hidden)
            .follow_links(self.follow)
            // Reading the file that standard output is redirected to would not end.
            .skip_stdout(true)
            .max_depth(self.max_depth)
            .overrides(self.globs.clone())
            .filter_entry(move |entry| {
                let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
                // The walk does not enter repositories.
                (!is_directory || admits(entry.path()))
                    && !entry.path().parent().is_some_and(is_epoch)
            });
        if self.ignore_files {
            builder.add_custom_ignore_filename(".uriscanignore");
        }
        if self.sorted {
            // Compares whole paths, which differ in the last name only: finding the name in a path
            // for each comparison took a sixth of the time of a run over small files.
            builder.sort_by_file_path(|one, other| one.as_os_str().cmp(other.as_os_str()));
        }
        Some(builder)
    }

    /// Returns the entry of a file, which is left out if it is too long.
    fn entry(&self, path: PathBuf, mut kind: EntryKind, named: bool) -> Entry {
        if let (EntryKind::File(length), Some(max)) = (kind, self.max_filesize)
            && length > max
        {
            kind = EntryKind::LeftOut(SkipReason::Size);
        }
        Entry { path, kind, named }
    }
}

fn unreadable(error: &ignore::Error) -> Unreadable {
    use ignore::Error;
    match error {
        Error::WithPath { path, err } => Unreadable {
            path: path.clone(),
            ..unreadable(err)
        },
        Error::WithDepth { err, .. } | Error::WithLineNumber { err, .. } => unreadable(err),
        Error::Loop { ancestor, child } => Unreadable {
            path: child.clone(),
            message: format!("symbolic link to {}, which contains it", ancestor.display()),
        },
        other => Unreadable {
            path: PathBuf::new(),
            // An error of the walk repeats the path, and has the error of the system as its source.
            message: match other.io_error().and_then(std::error::Error::source) {
                Some(error) => error.to_string(),
                None => other.to_string(),
            },
        },
    }
}

/// Returns the files that a walk reads in the repository of a linked working tree.
fn linked(directory: &Path) -> Vec<PathBuf> {
    let line = |path: &Path| {
        let text = path.is_file().then(|| read_start(path, MAX_NAME))?.ok()?;
        text.split(|&byte| byte == b'\n').next().map(<[u8]>::to_vec)
    };
    let named = line(&directory.join(".git"));
    let named = named
        .as_deref()
        .and_then(|line| line.strip_prefix(b"gitdir: "));
    let Some(repository) = named.map(path_of) else {
        return Vec::new();
    };
    let common = repository.join("commondir");
    let place = line(&common).map(|place| match place.starts_with(b".") {
        true => repository.join(path_of(&place)),
        false => path_of(&place),
    });
    let excluded = place.map(|place| place.join("info/exclude"));
    [common].into_iter().chain(excluded).collect()
}

/// Returns whether a path is a pipe, a device or a socket, or a link to one.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Returns the rules of the ignore file of a repository; one that cannot be read ignores nothing.
pub(crate) fn gitignore(repository: &Path) -> Gitignore {
    let path = Some(repository.join(".gitignore")).filter(|path| !is_special(path));
    path.map_or_else(Gitignore::empty, |path| Gitignore::new(path).0)
}

/// Returns the start of a file, at most `limit` bytes.
pub(crate) fn read_start(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns a whole file of at most `limit` bytes; `too_long` is the reason to refuse a longer one.
pub(crate) fn read_whole(path: &Path, limit: u64, too_long: &str) -> io::Result<Vec<u8>> {
    let bytes = read_start(path, limit + 1)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(too_long));
    }
    Ok(bytes)
}

pub(crate) fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// Returns the path of these bytes, which are UTF-8 on systems where paths are not bytes.
#[cfg(not(unix))]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
