//! The files that git names as changed since a revision.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output, Stdio};

use regex::bytes::Captures;
use tempfile::TempDir;

use super::destination::above;
use super::message::{Error, Result};
use crate::archive::git::ObjectReader;
use crate::audit::options::AddedLines;
use crate::bytes::class::number;
use crate::bytes::pattern::Pattern;
use crate::pipeline::walk::{bytes_of, path_of};

/// The first arguments of git: nothing that a repository configures is run.
const SAFE: &str = "--no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null";

/// The arguments of git before the revision.
const DIFF: &str = "diff --name-status -M -z --relative --no-color --no-ext-diff --no-textconv \
                    --ignore-submodules=dirty --end-of-options";

/// The arguments of git that show the added lines, before the revision.
const LINES: &str = "diff -U0 --inter-hunk-context=0 -M --text --relative --no-color --no-ext-diff \
                     --no-textconv --src-prefix=a/ --dst-prefix=b/ --ignore-submodules=all \
                     --end-of-options";

/// The arguments of git that list the files of a directory of a revision, before its name.
const TREE: &str = "ls-tree -r -z --full-tree --end-of-options";

/// A file or a symbolic link in this list: `MODE TYPE OBJECT<tab>NAME`.
static ENTRY: Pattern = Pattern::new(r"^(100|120)[^ \t]* [^ \t]* ([^ \t]*)[^\t]*\t(.*)$");

/// Maximum length in bytes of the destination of a symbolic link.
const MAX_LINK: u64 = 4096;

/// The arguments of git that list files that are in no commit and not ignored.
const UNTRACKED: &str = "ls-files --others --exclude-standard -z";

/// The arguments of git that list the keys of filters in all its configuration files.
const FILTERS: &str =
    "config --null --name-only --get-regexp ^filter[.].*[.](clean|process|required)$";

/// The files that differ from a revision, deleted ones included, and the old and the new paths of renamed ones.
type Changes = (Vec<PathBuf>, Vec<(PathBuf, PathBuf)>);

/// Returns the directories of some paths, in which git is asked for a revision.
fn directories(revision: &OsStr, paths: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    if revision.is_empty() || revision.as_encoded_bytes().starts_with(b"-") {
        let shown = revision.display();
        return Err(format!("{shown}: not a revision").into());
    }
    let directory = |path: &PathBuf| (if path.is_dir() { path } else { above(path) }).to_path_buf();
    Ok(paths.iter().map(directory).collect())
}

/// Returns the output of a difference between the files below a directory and a revision.
fn difference(directory: &Path, arguments: &str, revision: &OsStr) -> Result<Output> {
    let mut diff = git(directory, arguments);
    diff.arg(revision).arg("--");
    without_filters(&mut diff, &output(git(directory, FILTERS))?.stdout);
    output(diff)
}

fn untracked(directory: &Path) -> Result<impl Iterator<Item = PathBuf>> {
    let names = fields(&output(git(directory, UNTRACKED))?)?;
    Ok(names.into_iter().map(|name| directory.join(name)))
}

/// Checks that git knows a file or folder.
pub(super) fn check_tracked(path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default();
    succeed(git(above(path), "ls-files --error-unmatch --").arg(name))
}

/// Moves a file or folder in the index too, by absolute paths.
pub(super) fn move_with_git(old: &Path, new: &Path) -> io::Result<()> {
    succeed(git(above(old), "mv --").arg(old).arg(new))
}

fn succeed(git: &mut Command) -> io::Result<()> {
    let output = git.output()?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("git: {}", text.trim_end())))
}

/// Returns the lines that files below some paths have and a revision has not, by file; `None` for all
/// lines of files that git does not know.
pub(super) fn added_since(revision: &OsStr, paths: &[PathBuf]) -> Result<AddedLines<PathBuf>> {
    let mut added = AddedLines::new();
    for directory in directories(revision, paths)? {
        let diff = difference(&directory, LINES, revision)?;
        if !diff.status.success() {
            fields(&diff)?;
        }
        let mut file = None;
        let mut lines = diff.stdout.split(|&byte| byte == b'\n');
        while let Some(line) = lines.next() {
            if let Some(name) = line.strip_prefix(b"+++ ") {
                let name = unquoted(name.strip_suffix(b"\t").unwrap_or(name));
                let name = name.strip_prefix(b"b/");
                file = name.map(|name| directory.join(path_of(name)));
            } else if let Some((old, new)) = hunk(line) {
                // The lines of the hunk, which may look like others.
                let marked = |line: &&[u8]| !line.starts_with(b"\\");
                let mut content = lines.by_ref().filter(marked);
                let length = (old + new.end - new.start) as usize;
                length.checked_sub(1).and_then(|last| content.nth(last));
                if let Some(file) = &file {
                    let known = added.entry(file.clone());
                    let known = known.or_insert_with(|| Some(Vec::new()));
                    known.iter_mut().for_each(|ranges| ranges.push(new.clone()));
                }
            }
        }
        added.extend(untracked(&directory)?.map(|file| (file, None)));
    }
    Ok(added)
}

/// The head of a hunk, `@@ -1,2 +3,4 @@`: a length of 1 is left out.
static HUNK: Pattern = Pattern::new(r"^@@ -[0-9]+(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@");

/// Returns the number of old lines of a hunk, and the new lines.
fn hunk(line: &[u8]) -> Option<(u64, Range<u64>)> {
    let head = HUNK.captures(line)?;
    let given = |group| {
        head.get(group)
            .map_or(Some(1), |digits| number(digits.as_bytes()))
    };
    let (old, start, length): (_, u64, u64) = (given(1)?, given(2)?, given(3)?);
    Some((old, start..start + length))
}

/// An escape in a name in quotes: the octal code of a byte, or a letter or sign.
static ESCAPE: Pattern = Pattern::new(r"\\([0-7]{3}|.)");

/// Undoes the quotes of git around a name.
fn unquoted(name: &[u8]) -> Cow<'_, [u8]> {
    let quoted = name.strip_prefix(b"\"");
    let Some(inner) = quoted.and_then(|name| name.strip_suffix(b"\"")) else {
        return name.into();
    };
    ESCAPE.replace_all(inner, |escape: &Captures<'_>| {
        [match &escape[1] {
            // The letters of the bytes from 7 to 13.
            &[sign] => memchr::memchr(sign, b"abtnvfr").map_or(sign, |at| 7 + at as u8),
            code => (code.iter()).fold(0, |code, digit| code << 3 | (digit - b'0')),
        }]
    })
}

/// Returns the files below some paths that differ from a revision, or are not known to git.
pub(super) fn changed_since(revision: &OsStr, paths: &[PathBuf]) -> Result<Changes> {
    let (mut files, mut renamed) = Changes::default();
    for directory in directories(revision, paths)? {
        let status = difference(&directory, DIFF, revision)?;
        let mut status = fields(&status)?.into_iter();
        files.extend(untracked(&directory)?);
        while let (Some(kind), Some(name)) = (status.next(), status.next()) {
            let (kind, name) = (kind.as_os_str().as_encoded_bytes()[0], directory.join(name));
            // The status of a file that was renamed or copied is followed by both names.
            if let b'R' | b'C' = kind
                && let Some(new) = status.next()
            {
                let new = directory.join(new);
                files.push(new.clone());
                if kind == b'R' {
                    renamed.push((name.clone(), new));
                }
            }
            files.push(name);
        }
    }
    Ok((files, renamed))
}

/// Writes the files of a directory of a revision, `REV:PATH`, into a new directory.
pub(super) fn checkout(name: &OsStr) -> Result<TempDir> {
    let shown = name.display();
    if name.as_encoded_bytes().starts_with(b"-") {
        return Err(format!("{shown}: not a revision").into());
    }
    let here = Path::new(".");
    let mut list = git(here, TREE);
    list.arg(name);
    let entries = fields(&output(list)?)?;
    let failed = |error: io::Error| Error::from(format!("{shown}: {error}"));
    let directory = tempfile::Builder::new().prefix("uriscan-").tempdir();
    let directory = directory.map_err(failed)?;
    // Files as they are in the repository, without filters.
    let mut reader = ObjectReader::spawn(&mut git(here, "")).map_err(failed)?;
    let mut links = Vec::new();
    for entry in &entries {
        let Some(entry) = ENTRY.captures(bytes_of(entry)) else {
            continue;
        };
        let (is_link, object, path) = (entry[1] == *b"120", &entry[2], path_of(&entry[3]));
        if !(path.components()).all(|part| matches!(part, Component::Normal(_))) {
            continue;
        }
        let mut write = || {
            let object = reader.request(object)?;
            let (_, length) = object.ok_or_else(|| io::Error::other("git lacks an object"))?;
            let path = directory.path().join(&path);
            fs::create_dir_all(path.parent().unwrap_or(here))?;
            let mut object = reader.objects.by_ref().take(length);
            if is_link && length <= MAX_LINK {
                let mut text = Vec::new();
                object.read_to_end(&mut text)?;
                links.push((path, path_of(&text)));
            } else {
                io::copy(&mut object, &mut File::create(path)?)?;
            }
            reader.objects.read_exact(&mut [0])
        };
        write().map_err(failed)?;
    }
    // INVARIANT: the directories of all links exist before any link, so that nothing is written through one.
    #[cfg(unix)]
    {
        let root = directory.path().canonicalize().map_err(failed)?;
        // The destination of a link may be another link.
        links.retain(|(path, text)| std::os::unix::fs::symlink(text, path).is_ok());
        for (path, _) in links {
            if !(path.canonicalize()).is_ok_and(|target| target.starts_with(&root)) {
                fs::remove_file(path).map_err(failed)?;
            }
        }
    }
    Ok(directory)
}

/// Returns the fields of the output of a git command, each before a NUL.
fn fields(output: &Output) -> Result<Vec<PathBuf>> {
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let reason = text.lines().next().unwrap_or("it failed without a message");
        return Err(format!("git: {reason}").into());
    }
    let fields = output.stdout.split(|&byte| byte == 0);
    let fields = fields.filter(|field| !field.is_empty());
    Ok(fields.map(path_of).collect())
}

/// Returns whether git knows a file that is gone.
pub(super) fn was_there(path: &Path) -> bool {
    let directory = path.ancestors().skip(1).find(|above| above.is_dir());
    let log = |directory| git(directory, "log -1 --format=%H --").arg(path).output();
    let log = directory.and_then(|directory| log(directory).ok());
    log.is_some_and(|output| output.status.success() && !output.stdout.is_empty())
}

/// Returns the command that runs git in a directory, with its first arguments.
/// Missing objects are not fetched: a repository may name any program as the transport.
fn git(directory: &Path, arguments: &str) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(SAFE.split(' '));
    git.args(arguments.split_terminator(' '));
    git.envs([("GIT_OPTIONAL_LOCKS", "0"), ("GIT_NO_LAZY_FETCH", "1")]);
    git.envs([("GIT_ALLOW_PROTOCOL", "none"), ("LC_ALL", "C")]);
    git.stdin(Stdio::null());
    git
}

fn output(mut git: Command) -> Result<Output> {
    git.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => "git is not installed".into(),
        _ => format!("git: {error}").into(),
    })
}

/// Turns off filters, which are programs; `keys` are their configured keys, each before a NUL.
fn without_filters(git: &mut Command, keys: &[u8]) {
    let keys = keys.split(|&byte| byte == 0).filter(|key| !key.is_empty());
    let keys: Vec<_> = keys.collect();
    for (index, key) in keys.iter().enumerate() {
        let off = ["", "false"][usize::from(key.ends_with(b".required"))];
        git.env(format!("GIT_CONFIG_KEY_{index}"), path_of(key));
        git.env(format!("GIT_CONFIG_VALUE_{index}"), off);
    }
    git.env("GIT_CONFIG_COUNT", keys.len().to_string());
}
