//! The messages of a repository of public-inbox, through `git cat-file --batch`: no code of the repository is run.
//!
//! Each commit adds a message. In version 2 it is the blob `m`, or else `d` deletes one; in version 1 it
//! is a blob whose path is the hash of its identifier, two digits, a slash and the rest.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::container::{ArchiveFault, ArchiveMember, Container, MEMBERS, MemberContents};
use super::{ArchiveFormat, ArchiveKind};
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
        let length = str::from_utf8(length).ok();
        let length = length.and_then(|digits| digits.parse().ok());
        Ok(Some((id.to_vec(), length.ok_or_else(invalid)?)))
    }
}

/// The messages of a repository, the oldest first.
pub(crate) struct PublicInbox {
    reader: ObjectReader,
    /// The commits that are left, the newest first.
    commits: Vec<Vec<u8>>,
    has_history: bool,
    /// The directories of the last commit of version 1: names and identifiers.
    directories: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The bytes that are left of the current message, and of the line end after it.
    left: u64,
    has_messages: bool,
    faults: Vec<ArchiveFault>,
}

impl PublicInbox {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
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
        Ok(PublicInbox {
            reader: ObjectReader::spawn(&mut git).map_err(failed)?,
            commits: Vec::new(),
            has_history: false,
            directories: BTreeMap::new(),
            left: 0,
            has_messages: false,
            faults: Vec::new(),
        })
    }

    /// Requests an object; git gives no answer outside of a repository.
    fn request(&mut self, name: &[u8]) -> io::Result<Option<(Vec<u8>, u64)>> {
        let answer = self.reader.request(name);
        answer.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::BrokenPipe => not_public_inbox(),
            _ => error,
        })
    }

    /// Returns the identifier and the contents of a commit or a tree.
    fn object(&mut self, name: &[u8]) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        let Some((id, length)) = self.request(name)? else {
            self.fault(&diagnostic::ARCHIVE_UNREADABLE_MEMBER);
            return Ok(None);
        };
        if length > MAX_OBJECT {
            let reason = "a commit or a tree of the repository is too long";
            return Err(io::Error::other(reason));
        }
        let mut bytes = Vec::new();
        let mut object = self.reader.objects.by_ref().take(length + 1);
        object.read_to_end(&mut bytes)?;
        if bytes.pop() != Some(b'\n') || bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some((id, bytes)))
    }

    fn fault(&mut self, code: &'static Code) {
        self.faults.push(ArchiveFault::new(code, 0));
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

    /// Returns the names and the identifiers of a tree.
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
            let name = rest[..end].splitn(2, |&byte| byte == b' ').nth(1);
            let digits = id
                .iter()
                .flat_map(|byte| format!("{byte:02x}").into_bytes());
            entries.push((name.unwrap_or_default().to_vec(), digits.collect()));
            rest = next;
        }
        Ok(entries)
    }

    /// Returns the blob of the message that a commit adds; empty if it deletes one.
    fn message(&mut self, commit: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let root = self.tree(&[commit, b"^{tree}"].concat())?;
        let named = |name: &[u8]| root.iter().find(|(known, _)| known == name);
        if let Some((_, blob)) = named(b"m") {
            return Ok(Some(blob.clone()));
        }
        if named(b"d").is_some() {
            return Ok(Some(Vec::new()));
        }
        let mut directories: BTreeMap<_, _> = root.into_iter().collect();
        directories.retain(|name, _| is_hash(name, 2));
        let has_hashes = !directories.is_empty();
        let before = std::mem::replace(&mut self.directories, directories.clone());
        for (name, directory) in directories {
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
        let mut rest = self.reader.objects.by_ref().take(self.left);
        io::copy(&mut rest, &mut io::sink())?;
        while let Some(commit) = self.commits.pop() {
            self.left = 0;
            let Some(blob) = self.message(&commit)? else {
                continue;
            };
            self.has_messages = true;
            if blob.is_empty() {
                continue;
            }
            match self.request(&blob)? {
                // A line end follows.
                Some((_, length)) => self.left = length.saturating_add(1),
                None => self.fault(&diagnostic::ARCHIVE_UNREADABLE_MEMBER),
            }
            let contents = match (self.left, Format::named("eml")) {
                (1.., Some(format)) => MemberContents::Document(format),
                _ => MemberContents::Unreadable,
            };
            return Ok(Some(ArchiveMember::file(commit, contents)));
        }
        if self.has_messages {
            Ok(None)
        } else {
            Err(not_public_inbox())
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.left.saturating_sub(1)).unwrap_or(usize::MAX);
        let length = left.min(into.len());
        let read = self.reader.objects.read(&mut into[..length])?;
        if read == 0 && length > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
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
