//! The files that git names as changed since a revision.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::destination::above;
use super::message::Error;
use crate::pipeline::walk::path_of;

/// The first arguments of git: nothing that a repository configures is run.
const SAFE: &str = "--no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null";

/// The arguments of git before the revision.
const DIFF: &str = "diff --name-status -M -z --relative --no-color --no-ext-diff --no-textconv \
                    --ignore-submodules=dirty --end-of-options";

/// The arguments of git that list files that are in no commit and not ignored.
const UNTRACKED: &str = "ls-files --others --exclude-standard -z";

/// The arguments of git that list the keys of filters in all its configuration files.
const FILTERS: &str =
    "config --null --name-only --get-regexp ^filter[.].*[.](clean|process|required)$";

/// The files that differ from a revision.
#[derive(Default)]
pub(super) struct Changes {
    /// All of them, deleted ones included.
    pub(super) files: Vec<PathBuf>,
    /// The old and the new paths of renamed files.
    pub(super) renamed: Vec<(PathBuf, PathBuf)>,
}

/// Returns the files below some paths that differ from a revision, or are not known to git.
pub(super) fn changed_since(revision: &OsStr, paths: &[PathBuf]) -> Result<Changes, Error> {
    if revision.is_empty() || revision.as_encoded_bytes().starts_with(b"-") {
        let shown = revision.display();
        return Err(format!("--changed-since {shown}: not a revision").into());
    }
    let directory = |path| {
        if Path::is_dir(path) {
            path
        } else {
            above(path)
        }
    };
    let directories: BTreeSet<_> = paths.iter().map(|path| directory(path)).collect();
    let mut changed = Changes::default();
    for directory in directories {
        let mut diff = git(directory, DIFF);
        diff.arg(revision).arg("--");
        without_filters(&mut diff, &output(git(directory, FILTERS))?.stdout);
        let mut status = fields(&output(diff)?)?.into_iter();
        let untracked = fields(&output(git(directory, UNTRACKED))?)?;
        let untracked = untracked.into_iter().map(|name| directory.join(name));
        changed.files.extend(untracked);
        while let (Some(kind), Some(name)) = (status.next(), status.next()) {
            let (kind, name) = (kind.as_os_str().as_encoded_bytes()[0], directory.join(name));
            // The status of a file that was renamed or copied is followed by both names.
            if let b'R' | b'C' = kind
                && let Some(new) = status.next()
            {
                let new = directory.join(new);
                changed.files.push(new.clone());
                if kind == b'R' {
                    changed.renamed.push((name.clone(), new));
                }
            }
            changed.files.push(name);
        }
    }
    Ok(changed)
}

/// Returns the fields of the output of a git command, each before a NUL.
fn fields(output: &Output) -> Result<Vec<PathBuf>, Error> {
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let reason = text.lines().next().unwrap_or("it failed without a message");
        return Err(format!("--changed-since: git: {reason}").into());
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
    git.arg("-C")
        .arg(directory)
        .args(SAFE.split(' '))
        .args(arguments.split(' '));
    git.env("GIT_OPTIONAL_LOCKS", "0");
    git.env("GIT_NO_LAZY_FETCH", "1");
    git.env("GIT_ALLOW_PROTOCOL", "none");
    git.env("LC_ALL", "C");
    git.stdin(Stdio::null());
    git
}

fn output(mut git: Command) -> Result<Output, Error> {
    git.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => "--changed-since needs git, which is not installed".into(),
        _ => format!("--changed-since: git: {error}").into(),
    })
}

/// Turns off filters, which are programs; `keys` are their configured keys, each before a NUL.
fn without_filters(git: &mut Command, keys: &[u8]) {
    let keys = keys.split(|&byte| byte == 0).filter(|key| !key.is_empty());
    let mut count = 0;
    for key in keys {
        let off = ["", "false"][usize::from(key.ends_with(b".required"))];
        git.env(format!("GIT_CONFIG_KEY_{count}"), path_of(key));
        git.env(format!("GIT_CONFIG_VALUE_{count}"), off);
        count += 1;
    }
    git.env("GIT_CONFIG_COUNT", count.to_string());
}
