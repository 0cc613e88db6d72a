//! Tests that run the command.

// Archives in messages.
mod attachments;
// Files that are skipped.
mod skipped;
// Formats by name.
mod types;
// Files that cannot be read, or whose content differs from their name.
mod bad_input;
// Counts of references and findings.
mod counts;
// Compressed files.
mod compressed;
// Archives and compressed files that are damaged, or arrive in an unusual way.
mod containers;
// Archives with lost, added or wrong bytes.
mod lost_bytes;
// The configuration of `audit`.
#[cfg(unix)]
mod config;
// Keys of records on request.
mod fields;
// Filters by message, and counts by several keys.
mod filters;
// Filters, counts, lists and parts.
mod flags;
// Repositories of public-inbox.
#[cfg(unix)]
mod git;
// Links of gateways, deceptive texts, and parts of HTML that only mail has.
mod gateways;
// Cells, folded lines, defanged addresses, JSON with comments, XML without a declaration.
mod formats;
// Help, man pages, explanations.
mod help;
// Hints for common mistakes.
mod hints;
// Mail as files.
mod mail;
// Folders of mail, and bodies that are not read.
mod mail_stores;
// Output formats and their flags.
mod output;
// The order of the output, the same for any number of workers.
mod order;
// References without documents.
mod references;
// A row for each document.
mod records;
// Which files are read.
mod paths;
// Control characters in every output.
#[cfg(unix)]
mod controls;
// Messages inside signatures.
mod signed;
// Standard streams and other open files.
#[cfg(unix)]
mod streams;
// Hostile names, texts and surroundings.
#[cfg(unix)]
mod safety;
// Texts of links that name another host.
mod shown_hosts;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A temporary directory, and commands that run in it.
pub(crate) struct Tree {
    directory: tempfile::TempDir,
}

impl Tree {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let tree = Tree {
            directory: tempfile::tempdir().unwrap(),
        };
        for (name, text) in files {
            tree.write(name, text.as_bytes());
        }
        tree
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uriscan"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
        command
    }

    /// Runs the command without any input.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().unwrap())
    }

    /// Runs another command, which runs the command.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_by(&self, program: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path());
        Ran::from(command.stdin(Stdio::null()).output().unwrap())
    }

    /// Runs the command with `input` on standard input.
    pub(crate) fn pipe(&self, input: &[u8], arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Ran::from(output)
    }
}

/// A file name of any bytes.
#[cfg(unix)]
pub(crate) fn os(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

/// The exit code and the output of a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code().expect("no signal ends it"),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Checks the exit code and the output, and that standard error is empty.
    #[track_caller]
    pub(crate) fn is(&self, code: i32, out: &str) {
        let expected = Ran {
            code,
            out: out.to_owned(),
            err: String::new(),
        };
        assert_eq!(self, &expected);
    }

    /// Checks the exit code and the output, and that standard error has these words.
    #[track_caller]
    pub(crate) fn tells(&self, code: i32, out: &str, words: &str) {
        assert_eq!((self.code, self.out.as_str()), (code, out), "{}", self.err);
        assert!(self.err.contains(words), "{words:?} not in {:?}", self.err);
    }
}
