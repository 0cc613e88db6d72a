//! The messages of a repository of public-inbox, through `git cat-file --batch`: no code of the repository is run.
//!
//! Each commit adds a message. In version 2 it is the blob `m`, or else `d` deletes one; in version 1 it
//! is a blob whose path is the hash of its identifier, two digits, a slash and the rest.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use memchr::memmem;

use super::container::{ArchiveFault, ArchiveMember, Container, MEMBERS, MemberContents, note};
use super::{ArchiveFormat, ArchiveKind};
use crate::bytes::class::number;
use crate::document::Format;
use crate::document::diagnostic::{self, Code};

/// The format of repositories, which have no first bytes.
pub(crate) static GIT: ArchiveFormat = ArchiveFormat {
    name: "git",
    kind: ArchiveKind::Records,
    starts: |_| false,
    open: |_, _| unreachable!("INVARIANT: no file is of this format"),
};

/// The longest commit or tree that is read, in bytes.
const MAX_OBJECT: u64 = 16 << 20;

/// The most times that git is started, at one object that it cannot send after the other.
const MAX_STARTS: usize = 1000;

/// Returns whether a directory has the form of a bare repository.
pub(crate) fn is_repository(path: &Path) -> bool {
    path.join("HEAD").is_file() && path.join("objects").is_dir() && path.join("refs").is_dir()
}

/// A process of `git cat-file --batch`, which answers requests for objects.
pub(crate) struct ObjectReader {
    git: Child,
    requests: ChildStdin,
    pub(crate) objects: BufReader<ChildStdout>,
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        // It has ended, or ends now.
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}

impl ObjectReader {
    pub(crate) fn spawn(git: &mut Command) -> io::Result<Self> {
        git.args(["cat-file", "--batch"]);
        git.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut git = git.stderr(Stdio::null()).spawn()?;
        let pipes = git.stdin.take().zip(git.stdout.take());
        let (requests, objects) = pipes.ok_or_else(|| io::Error::other("git has no pipes"))?;
        Ok(ObjectReader {
            git,
            requests,
            objects: BufReader::new(objects),
        })
    }

    /// Requests an object; returns its identifier and the length of its contents, which follow before a line
    /// end, if it exists.
    pub(crate) fn request(&mut self, name: &[u8]) -> io::Result<Option<(Vec<u8>, u64)>> {
        self.requests.write_all(&[name, b"\n"].concat())?;
        let mut line = Vec::new();
        let mut start = self.objects.by_ref().take(4096);
        start.read_until(b'\n', &mut line)?;
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        let line = line.strip_suffix(b"\n").ok_or_else(invalid)?;
        let mut words = line.split(|&byte| byte == b' ');
        let (id, _, length) = (words.next(), words.next(), words.next());
        // `NAME missing` has no length.
        let (Some(id), Some(length)) = (id, length) else {
            return Ok(None);
        };
        Ok(Some((id.to_vec(), number(length).ok_or_else(invalid)?)))
    }
}

/// Errors where git has ended.
const ENDED: [io::ErrorKind; 2] = [io::ErrorKind::InvalidData, io::ErrorKind::BrokenPipe];

/// The messages of a repository, the oldest first.
pub(crate) struct PublicInbox {
    path: PathBuf,
    reader: ObjectReader,
    starts: usize,
    /// The commits that are left, the newest first.
    commits: Vec<Vec<u8>>,
    has_history: bool,
    /// The message of the last commit, or its directories in version 1: names and identifiers.
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The bytes that are left of the current message.
    left: Option<u64>,
    /// The answer after each message. Git neither checks the length of a message nor ends at a shorter one.
    mark: Vec<u8>,
    /// The last bytes that were read, as many as the mark has.
    tail: Vec<u8>,
    has_messages: bool,
    faults: Vec<ArchiveFault>,
}

impl PublicInbox {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(PublicInbox {
            path: path.to_owned(),
            reader: Self::start(path)?,
            starts: 1,
            commits: Vec::new(),
            has_history: false,
            entries: BTreeMap::new(),
            left: None,
            mark: format!("{:016x} missing\n", RandomState::new().hash_one(0)).into_bytes(),
            tail: Vec::new(),
            has_messages: false,
            faults: Vec::new(),
        })
    }

    fn start(path: &Path) -> io::Result<ObjectReader> {
        let mut git = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                git.env_remove(name);
            }
        }
        let nowhere = if cfg!(windows) { "NUL" } else { "/dev/null" };
        git.args(["-c", "safe.directory=*"])
            .arg("--git-dir")
            .arg(path)
            // Objects that are missing are not fetched, and no protocol is allowed.
            .envs([("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "")])
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", nowhere)])
            .envs([
                ("GIT_NO_REPLACE_OBJECTS", "1"),
                ("GIT_TERMINAL_PROMPT", "0"),
            ]);
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("git: {error}"));
        ObjectReader::spawn(&mut git).map_err(failed)
    }

    /// Requests an object of at most `limit` bytes. Git gives no answer outside of a repository, and ends at
    /// damaged objects.
    fn request(&mut self, name: &[u8], limit: u64) -> io::Result<Option<(Vec<u8>, u64)>> {
        match self.reader.request(name) {
            Ok(Some((_, length))) if length > limit => {}
            Err(error) if !ENDED.contains(&error.kind()) => return Err(error),
            // There is not even a `HEAD`.
            Err(_) if !self.has_messages && self.commits.is_empty() => {
                return Err(not_public_inbox());
            }
            Err(_) => {}
            answer => return answer,
        }
        self.restart()?;
        Ok(None)
    }

    fn restart(&mut self) -> io::Result<()> {
        self.starts += 1;
        if self.starts > MAX_STARTS {
            let reason = "the repository has too many damaged objects";
            return Err(io::Error::other(reason));
        }
        self.reader = Self::start(&self.path)?;
        Ok(())
    }

    /// Skips the rest of the current message, and the mark after it.
    fn end_message(&mut self) -> io::Result<()> {
        while self.read(&mut [0; 4096])? > 0 {}
        if self.left.take().is_none() {
            return Ok(());
        }
        let mut rest = Vec::new();
        let mut lines = self
            .reader
            .objects
            .by_ref()
            .take(1 + self.mark.len() as u64);
        lines.read_until(b'\n', &mut rest)?;
        if rest == b"\n" {
            lines.read_until(b'\n', &mut rest)?;
        }
        if rest.get(1..) == Some(&self.mark) {
            return Ok(());
        }
        self.fault(&diagnostic::ARCHIVE_UNREADABLE_MEMBER);
        self.restart()
    }

    /// Returns the identifier and the contents of a commit or a tree.
    fn object(&mut self, name: &[u8]) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        let Some((id, length)) = self.request(name, MAX_OBJECT)? else {
            self.fault(&diagnostic::ARCHIVE_UNREADABLE_MEMBER);
            return Ok(None);
        };
        let mut bytes = Vec::new();
        let mut object = self.reader.objects.by_ref().take(length + 1);
        object.read_to_end(&mut bytes)?;
        if bytes.pop() != Some(b'\n') || bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some((id, bytes)))
    }

    fn fault(&mut self, code: &'static Code) {
        note(&mut self.faults, code, 0);
    }

    /// Reads the history, from the newest commit on, by first parents.
    fn read_history(&mut self) -> io::Result<()> {
        let mut next = b"HEAD".to_vec();
        while (self.commits.len() as u64) < MEMBERS {
            let Some((id, commit)) = self.object(&next)? else {
                return Ok(());
            };
            let lines = commit.split(|&byte| byte == b'\n');
            let mut fields = lines.take_while(|line| !line.is_empty());
            let parent = fields.find_map(|line| line.strip_prefix(b"parent "));
            let parent = parent.map(<[u8]>::to_vec);
            self.commits.push(id);
            match parent {
                Some(parent) => next = parent,
                None => return Ok(()),
            }
        }
        self.fault(&diagnostic::ARCHIVE_MEMBER_LIMIT);
        Ok(())
    }

    /// Returns the names and the identifiers of the files and directories of a tree; `/` ends a directory's name.
    fn tree(&mut self, name: &[u8]) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let Some((id, bytes)) = self.object(name)? else {
            return Ok(Vec::new());
        };
        // Identifiers are in hexadecimal digits elsewhere.
        let (length, mut rest) = (id.len() / 2, bytes.as_slice());
        let mut entries = Vec::new();
        while let Some(end) = memchr::memchr(0, rest)
            && let Some((id, next)) = rest[end + 1..].split_at_checked(length)
        {
            let name = match &rest[..end] {
                [b'1', b'0', b'0', _, _, _, b' ', name @ ..] => name.to_vec(),
                [b'4', b'0', b'0', b'0', b'0', b' ', name @ ..] => [name, b"/"].concat(),
                // A symbolic link or a module.
                _ => Vec::new(),
            };
            let digits = id
                .iter()
                .flat_map(|byte| format!("{byte:02x}").into_bytes());
            entries.push((name, digits.collect()));
            rest = next;
        }
        Ok(entries)
    }

    /// Returns the blob of the message that a commit adds; empty if it deletes one.
    fn message(&mut self, commit: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let root = self.tree(&[commit, b"^{tree}"].concat())?;
        let mut root: BTreeMap<_, _> = root.into_iter().collect();
        let is_deletion = root.contains_key(&b"d"[..]);
        let message = root.get(&b"m"[..]).cloned();
        root.retain(|name, _| match name.strip_suffix(b"/") {
            Some(directory) => is_hash(directory, 2),
            None => name == b"m",
        });
        let has_hashes = !root.is_empty();
        let before = std::mem::replace(&mut self.entries, root.clone());
        if let Some(blob) = message {
            // A merge, for one, adds nothing.
            let is_new = before.get(&b"m"[..]) != Some(&blob);
            return Ok(Some(if is_new { blob } else { Vec::new() }));
        }
        if is_deletion {
            return Ok(Some(Vec::new()));
        }
        for (name, directory) in root {
            let old = before.get(&name);
            if old == Some(&directory) {
                continue;
            }
            let old = old.map_or(Ok(Vec::new()), |old| self.tree(old))?;
            let old: HashSet<_> = old.into_iter().collect();
            let entries = self.tree(&directory)?;
            let mut added = entries.into_iter().filter(|entry| !old.contains(entry));
            if let Some((_, blob)) = added.find(|(name, _)| is_hash(name, 38)) {
                return Ok(Some(blob));
            }
        }
        Ok(has_hashes.then(Vec::new))
    }
}

impl Container for PublicInbox {
    fn next(&mut self) -> io::Result<Option<ArchiveMember>> {
        if !std::mem::replace(&mut self.has_history, true) {
            self.read_history()?;
        }
        self.end_message()?;
        while let Some(commit) = self.commits.pop() {
            let Some(blob) = self.message(&commit)? else {
                continue;
            };
            self.has_messages = true;
            if blob.is_empty() {
                continue;
            }
            let contents = match (self.request(&blob, u64::MAX)?, Format::named("eml")) {
                (Some((_, length)), Some(format)) => {
                    let name = self.mark.split(|&byte| byte == b' ').next();
                    let request = [name.unwrap_or_default(), b"\n"].concat();
                    self.reader.requests.write_all(&request)?;
                    self.left = Some(length);
                    self.tail.clear();
                    MemberContents::Document(format)
                }
                _ => {
                    self.fault(&diagnostic::ARCHIVE_UNREADABLE_MEMBER);
                    MemberContents::Unreadable
                }
            };
            return Ok(Some(ArchiveMember::file(commit, contents)));
        }
        let end = self.has_messages.then_some(None);
        end.ok_or_else(not_public_inbox)
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.left.unwrap_or(0);
        if left == 0 || into.is_empty() {
            return Ok(0);
        }
        let read = self.reader.objects.by_ref().take(left).read(into)?;
        self.left = Some(left - read as u64);
        let last = read.saturating_sub(self.mark.len())..read;
        self.tail.extend_from_slice(&into[last]);
        let excess = self.tail.len().saturating_sub(self.mark.len());
        self.tail.drain(..excess);
        let answer = &self.mark[..self.mark.len() - 1];
        if read == 0 || memmem::find(&self.tail, answer).is_some() {
            self.left = None;
            self.fault(&diagnostic::ARCHIVE_UNREADABLE_MEMBER);
            self.restart()?;
        }
        Ok(read)
    }

    fn faults(&mut self) -> Vec<ArchiveFault> {
        std::mem::take(&mut self.faults)
    }
}

fn is_hash(name: &[u8], length: usize) -> bool {
    name.len() == length && name.iter().all(u8::is_ascii_hexdigit)
}

fn not_public_inbox() -> io::Error {
    io::Error::other("the repository has no messages of public-inbox")
}
