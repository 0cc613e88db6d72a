//! The files that git names as changed since a revision.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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

/// The arguments of git that list the keys of filters, however they are configured.
const FILTERS: [&str; 5] = [
    "config",
    "--null",
    "--name-only",
    "--get-regexp",
    "^filter[.].*[.](clean|process|required)$",
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
        let mut diff = git(&directory);
        diff.args(DIFF).arg(revision).arg("--");
        without_filters(&mut diff, &output(git(&directory).args(FILTERS))?.stdout);
        let output = output(&mut diff)?;
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

/// Returns the command that runs git in a directory. Objects that the repository lacks are not fetched: it
/// may name any program as the transport.
fn git(directory: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(directory);
    git.env("GIT_OPTIONAL_LOCKS", "0");
    git.env("GIT_NO_LAZY_FETCH", "1");
    git.env("GIT_ALLOW_PROTOCOL", "none");
    git.env("LC_ALL", "C");
    git.stdin(Stdio::null());
    git
}

fn output(git: &mut Command) -> Result<Output, Error> {
    git.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::new("--changed-since needs git, which is not installed"),
        _ => Error::new(format!("--changed-since: git: {error}")),
    })
}

/// Makes git compare files as they are: filters are programs, which convert files before they are
/// compared. `keys` are the configured keys of filters, each before a NUL.
fn without_filters(git: &mut Command, keys: &[u8]) {
    let keys = keys.split(|&byte| byte == 0).filter(|key| !key.is_empty());
    let mut count = 0;
    for key in keys {
        let value = match key.ends_with(b".required") {
            true => "false",
            false => "",
        };
        git.env(format!("GIT_CONFIG_KEY_{count}"), path_of(key));
        git.env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    git.env("GIT_CONFIG_COUNT", count.to_string());
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
