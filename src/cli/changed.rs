//! The files that git names as changed since a revision.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::message::Error;
use crate::pipeline::walk::path_of;

/// The arguments of git before the revision: nothing that a repository configures is run, and both names
/// of a file that was moved are listed.
const DIFF: [&str; 15] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "diff",
    "--name-only",
    "-z",
    "--relative",
    "--no-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
    "--end-of-options",
];

/// Returns the files below some paths that differ from a revision, those that are gone included.
pub(super) fn changed_since(revision: &OsStr, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    if revision.is_empty() || revision.as_encoded_bytes().starts_with(b"-") {
        let shown = revision.display();
        return Err(Error::new(format!(
            "--changed-since {shown}: this is no revision"
        )));
    }
    let mut directories: Vec<_> = paths.iter().map(|path| directory(path)).collect();
    directories.sort_unstable();
    directories.dedup();
    let mut changed = Vec::new();
    for directory in directories {
        let output = Command::new("git")
            .arg("-C")
            .arg(&directory)
            .args(DIFF)
            .arg(revision)
            .arg("--")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output();
        let output = output.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::new("--changed-since needs git, which is not installed"),
            _ => Error::new(format!("--changed-since: git: {error}")),
        })?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let reason = text.lines().next().unwrap_or("it failed without a message");
            return Err(Error::new(format!("--changed-since: git: {reason}")));
        }
        let names = output.stdout.split(|&byte| byte == 0);
        let names = names.filter(|name| !name.is_empty());
        changed.extend(names.map(|name| directory.join(path_of(name))));
    }
    Ok(changed)
}

/// Returns the directory of a path, in which git runs.
fn directory(path: &Path) -> PathBuf {
    if path.is_dir() {
        return path.to_path_buf();
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}
